/* The changes between two graphs, as one picture: the union of the graph before and the graph after.
 *
 * A node that is in both graphs, with all nodes below it, is the same. If one position descends from the other, a replaced node and its
 * replacement, and every ancestor that was only rebuilt, are one node that changed: joining the steps (replay.h) finds them. Other new
 * nodes were added; other missing nodes were removed. match.c finds the continuing nodes between positions that are further apart.
 */
#include "diff.h"
#include "replay.h"
#include "row-steps.h"
#include "rewrite/stage.h"

#include <string.h>

LsGraphDiff *
ls_graph_diff_ref (LsGraphDiff *diff)
{
  diff->ref_count++;
  return diff;
}

void
ls_graph_diff_unref (LsGraphDiff *diff)
{
  if (!diff || --diff->ref_count)
    return;
  g_array_unref (diff->nodes);
  ls_graph_unref (diff->before);
  ls_graph_unref (diff->after);
  g_free (diff);
}

static gboolean
same_fields (const LsUOp *x, const LsUOp *y)
{
  return x->op == y->op && x->dtype == y->dtype && x->tag == y->tag && x->n_src == y->n_src && ls_arg_equal (x->arg, y->arg);
}

/* Which of the remaining nodes gained or lost a user, and how many were only rebuilt. items in post-order: the sources of a node are
 * judged before it. */
static void
find_moved (LsGraphDiff *d)
{
  LsContext *ctx = d->after->ctx;
  LsDiffNode *items = (LsDiffNode *) (gpointer) d->nodes->data;
  guint n = d->nodes->len;
  g_autofree gboolean *kept = g_new0 (gboolean, n + 1);      /* the same over the same */
  g_autofree guint32 *seen = g_new0 (guint32, n + 1);        /* item -> the consumer that used it last, + 1 */
  /* of nodes of the graph before, of the graph after */
  LsNodeMap *item_of[2] = { ls_node_map_acquire (ctx), ls_node_map_acquire (ctx) };
#define ITEM(side, u) (ls_node_map_get (item_of[side], (u), &at) ? (guint) at : n)
  for (guint i = 0; i < n; i++) {
    if (items[i].kind != LS_DIFF_REMOVED)
      ls_node_map_set (item_of[1], items[i].node, i);
    if (items[i].before)
      ls_node_map_set (item_of[0], items[i].before, i);
  }
  for (guint i = 0; i < n; i++) {
    guint64 at;
    kept[i] = items[i].kind == LS_DIFF_SAME || (items[i].kind == LS_DIFF_CHANGED && items[i].node != d->result &&
                                                same_fields (items[i].node, items[i].before));
    for (guint s = 0; items[i].kind == LS_DIFF_CHANGED && kept[i] && s < items[i].node->n_src; s++) {
      guint was = ITEM (0, items[i].before->src[s]);
      kept[i] = was < n && was == ITEM (1, items[i].node->src[s]);
    }
  }
  for (guint i = 0; i < n; i++) {
    const LsUOp *sides[2] = { items[i].before, items[i].node };
    guint64 at;
    if (items[i].kind != LS_DIFF_CHANGED || kept[i] || sides[1] == d->result || !same_fields (sides[0], sides[1]))
      continue;
    for (guint side = 0; side < 2; side++) {      /* its new sources, then its removed ones */
      const LsUOp *other = sides[side], *one = sides[!side];
      for (guint s = 0; s < other->n_src; s++)
        seen[ITEM (side, other->src[s])] = 2 * i + side + 1;
      for (guint s = 0; s < one->n_src; s++) {
        guint k = ITEM (!side, one->src[s]);
        if (k == n || seen[k] == 2 * i + side + 1 || !kept[k] || one->src[s]->op == LS_OP_CONST || one->src[s]->op == LS_OP_VCONST)
          continue;
        if (items[k].kind == LS_DIFF_SAME || items[k].kind == LS_DIFF_CHANGED) {
          *(items[k].kind == LS_DIFF_SAME ? &d->n_same : &d->n_changed) -= 1;
          items[k].kind = LS_DIFF_MOVED;
          d->n_moved++;
        }
      }
    }
  }
#undef ITEM
  for (guint i = 0; i < n; i++)
    d->n_rebuilt += items[i].rebuilt = items[i].kind == LS_DIFF_CHANGED && kept[i];
  ls_node_map_release (ctx, item_of[1]);
  ls_node_map_release (ctx, item_of[0]);
}

/* former: new node -> old node that it continues, for nodes of after that are not in before; NULL-able. */
LsGraphDiff *
ls_graph_diff_new (LsGraph *before, LsGraph *after, LsNodeMap *former, LsUOp *matched, LsUOp *result)
{
  LsGraphDiff *d = g_new0 (LsGraphDiff, 1);
  LsContext *ctx = after->ctx;
  GPtrArray *old = before->nodes, *now = after->nodes;
  g_autofree LsUOp **same = ls_graph_find_same (before, after);
  d->ref_count = 1;
  d->before = ls_graph_ref (before);
  d->after = ls_graph_ref (after);
  d->matched = matched;
  d->result = result;
  d->nodes = g_array_sized_new (FALSE, FALSE, sizeof (LsDiffNode), now->len + 16);
  LsNodeMap *done = ls_node_map_acquire (ctx);      /* of before: continued by a node of after */
  for (guint i = 0; i < now->len; i++)
    if (same[i])
      ls_node_map_set (done, same[i], 1);
  for (guint i = 0; i < now->len; i++) {
    LsUOp *u = now->pdata[i], *was = NULL;
    LsDiffNode n = { u, same[i], LS_DIFF_SAME, FALSE };
    if (same[i]) {
      d->n_same++;
    } else if (former && (was = ls_node_map_get_node (former, u)) && !ls_node_map_has (done, was)) {
      n = (LsDiffNode) { u, was, LS_DIFF_CHANGED, TRUE };
      ls_node_map_set (done, was, 1);
      d->n_changed++;
    } else {
      n = (LsDiffNode) { u, NULL, LS_DIFF_ADDED, TRUE };
      d->n_added++;
    }
    g_array_append_val (d->nodes, n);
  }
  for (guint i = 0; i < old->len; i++) {
    LsUOp *u = old->pdata[i];
    LsDiffNode n = { u, u, LS_DIFF_REMOVED, FALSE };
    if (ls_node_map_has (done, u))
      continue;
    g_array_append_val (d->nodes, n);
    d->n_removed++;
  }
  ls_node_map_release (ctx, done);
  if (d->n_changed)
    find_moved (d);
  return d;
}

LsGraphDiff *
ls_pass_diff_step (LsTrace *trace, const LsPass *pass, guint step)
{
  LsContext *ctx = trace->ctx;
  g_autoptr (LsGraph) after = ls_pass_graph (trace, pass, step);
  if (!after || step < 1 || step > pass->steps->len) {
    g_autoptr (LsGraph) list_before = after && step > 0 && ls_row_steps_root (pass, step) ? ls_pass_graph (trace, pass, step - 1) : NULL;
    LsGraphDiff *none = after ? ls_graph_diff_new (list_before ? list_before : after, after, NULL, NULL, NULL) : NULL;
    if (none && step > 0)
      ls_row_steps_mark (pass, step - 1, step, none);
    return none;
  }
  g_autoptr (LsGraph) before = ls_pass_graph (trace, pass, step - 1);
  if (!before)
    return NULL;
  const LsLink *link = ls_pass_step_link (pass, step);
  LsJoin join;
  LsNodeMap *former = ls_node_map_acquire (ctx);
  ls_join_init (&join, trace, pass, after, step);
  /* a node that several became continues the one whose name it has, else the first */
  for (guint i = 0; i < before->nodes->len; i++) {
    LsUOp *x = before->nodes->pdata[i], *y = ls_join_follow (&join, x->id, NULL);
    if (y && y != x && (y->id == x->id || !ls_node_map_has (former, y)))
      ls_node_map_set_node (former, y, x);
  }
  LsUOp *matched = ls_graph_node (before, link->before), *result = ls_join_follow (&join, link->after, NULL);
  if (matched && result)
    ls_node_map_set_node (former, result, matched);
  /* if no link leads to a step at that moment it is skipped */
  LsGraphDiff *d = ls_graph_diff_new (before, after, former, matched ? matched : ls_context_node (ctx, link->before),
                                      result ? result : ls_context_node (ctx, link->after));
  ls_join_clear (&join);
  ls_node_map_release (ctx, former);
  return d;
}

/* Which of its kernel's options the pass carries out, from 0; FALSE: it carries out none. */
static gboolean
nth_option (LsTrace *trace, const LsPass *pass, guint *nth)
{
  *nth = 0;
  if (pass->parent >= 0 || !g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_OPTIONS].name))
    return FALSE;
  for (guint i = 0; i < pass->index; i++) {
    const LsPass *before = trace->passes->pdata[i];
    *nth += before->kernel == pass->kernel && before->parent < 0 && g_str_equal (before->stage, pass->stage);
  }
  return TRUE;
}

char *
ls_pass_option (LsTrace *trace, const LsPass *pass)
{
  const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
  g_auto (GStrv) options = k && k->options ? g_strsplit (k->options, ",", -1) : NULL;
  guint nth, n = options ? g_strv_length (options) : 0;
  return nth_option (trace, pass, &nth) && nth < n ? g_strdup (options[nth]) : NULL;
}

const LsKernelOption *
ls_pass_choice (LsTrace *trace, const LsPass *pass)
{
  const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
  guint nth;
  if (!k || !nth_option (trace, pass, &nth))
    return NULL;
  for (guint i = 0; i < k->choices->len; i++) {
    const LsKernelOption *o = &g_array_index (k->choices, LsKernelOption, i);
    if (!o->refusal && nth-- == 0)
      return o;
  }
  return NULL;
}

LsRuleLibrary *
ls_trace_rule_library (LsTrace *trace, guint rule, guint *index)
{
  if (rule >= trace->rules->len)
    return NULL;
  *index = rule;
  if (trace->library)
    return trace->library;
  if (!trace->matchers) {
    trace->matchers = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_rule_library_unref);
    g_ptr_array_set_size (trace->matchers, (int) trace->rules->len);
  }
  const LsTraceRule *r = trace->rules->pdata[rule];
  if (!trace->matchers->pdata[rule]) {
    g_autofree char *text = g_strdup_printf ("# %s\n%s: %s\n", *r->sentence ? r->sentence : "A rule.", r->name, r->text);
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (NULL, text, r->file, NULL);
    if (!library || ls_rule_library_n_rules (library) == 0)
      return NULL;
    trace->matchers->pdata[rule] = g_steal_pointer (&library);
  }
  *index = 0;
  return trace->matchers->pdata[rule];
}

guint
ls_step_bindings (LsTrace *trace, const LsPass *pass, guint step, LsBinding *bindings, guint max)
{
  guint index;
  if (step < 1 || step > pass->steps->len)
    return 0;
  const LsLink *link = ls_pass_step_link (pass, step);
  LsUOp *node = ls_context_node (trace->ctx, link->before);
  LsRuleLibrary *library = link->rule >= 0 && node ? ls_trace_rule_library (trace, (guint) link->rule, &index) : NULL;
  return library ? ls_rule_match (library, index, trace->ctx, node, bindings, max) : 0;
}
