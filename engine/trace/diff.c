/* What changed between two graphs, as one picture: the union of the graph before and the graph after.
 *
 * Nodes are hash-consed: one that is in both graphs, with all that is below it, is the same. Between positions that descend from one another the
 * node that a rule replaced and what it became, and every ancestor that was only rebuilt, are one node that changed: the replay's map from nodes to
 * their fates on both sides says which. What is new besides was added; what is gone besides was removed. match.c says which node continues which
 * between positions that are further apart.
 */
#include "diff.h"
#include "replay.h"

#include <string.h>

void
ls_graph_diff_free (LsGraphDiff *diff)
{
  if (!diff)
    return;
  g_array_unref (diff->nodes);
  g_free (diff);
}

static gboolean
same_fields (const LsUOp *x, const LsUOp *y)
{
  return x->op == y->op && x->dtype == y->dtype && x->tag == y->tag && x->n_src == y->n_src && ls_arg_equal (x->arg, y->arg);
}

/* Which of the nodes that stay took or lost a place, and how many were only rebuilt. items in post-order: what a node stands over is judged before it. */
static void
find_moved (LsContext *ctx, LsGraphDiff *d)
{
  LsDiffNode *items = (LsDiffNode *) (gpointer) d->nodes->data;
  guint n = d->nodes->len;
  g_autofree gboolean *kept = g_new0 (gboolean, n + 1);      /* the same over the same */
  g_autofree guint32 *seen = g_new0 (guint32, n + 1);        /* item -> the consumer that used it last, + 1 */
  LsNodeMap *item_of = ls_node_map_acquire (ctx);
#define ITEM(u) (ls_node_map_get (item_of, (u), &at) ? (guint) at : n)
  for (guint i = 0; i < n; i++) {
    guint64 at;
    ls_node_map_set (item_of, items[i].node, i);
    if (items[i].kind != LS_DIFF_CHANGED)
      kept[i] = items[i].kind == LS_DIFF_SAME;
    else if (items[i].node != d->result && same_fields (items[i].node, items[i].before)) {
      kept[i] = TRUE;
      ls_node_map_set (item_of, items[i].before, i);
      for (guint s = 0; kept[i] && s < items[i].node->n_src; s++) {
        guint was = ITEM (items[i].before->src[s]);
        kept[i] = was < n && was == ITEM (items[i].node->src[s]);
      }
    } else
      ls_node_map_set (item_of, items[i].before, i);
  }
  for (guint i = 0; i < n; i++) {
    const LsUOp *y = items[i].node, *x = items[i].before;
    guint64 at;
    if (items[i].kind != LS_DIFF_CHANGED || kept[i] || y == d->result || !same_fields (x, y))
      continue;
    for (guint side = 0; side < 2; side++) {      /* what it uses and did not, then what it used and does not */
      const LsUOp *other = side ? y : x, *one = side ? x : y;
      for (guint s = 0; s < other->n_src; s++)
        seen[ITEM (other->src[s])] = 2 * i + side + 1;
      for (guint s = 0; s < one->n_src; s++) {
        guint k = ITEM (one->src[s]);
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
    d->n_rebuilt += items[i].kind == LS_DIFF_CHANGED && kept[i];
  ls_node_map_release (ctx, item_of);
}

/* former: new node -> old node that it continues, for nodes of after that are not in before; NULL-able. */
LsGraphDiff *
ls_graph_diff_new (LsContext *ctx, LsUOp *before, LsUOp *after, LsNodeMap *former, LsUOp *matched, LsUOp *result)
{
  LsGraphDiff *d = g_new0 (LsGraphDiff, 1);
  g_autoptr (GPtrArray) old = ls_uop_toposort (ctx, before), now = ls_uop_toposort (ctx, after);
  d->before = before;
  d->after = after;
  d->matched = matched;
  d->result = result;
  d->nodes = g_array_sized_new (FALSE, FALSE, sizeof (LsDiffNode), now->len + 16);
  LsNodeMap *in_old = ls_node_map_acquire (ctx), *done = ls_node_map_acquire (ctx);      /* done: in after, or continued by what is */
  for (guint i = 0; i < old->len; i++)
    ls_node_map_set (in_old, old->pdata[i], 1);
  for (guint i = 0; i < now->len; i++)
    ls_node_map_set (done, now->pdata[i], 1);
  for (guint i = 0; i < now->len; i++) {
    LsUOp *u = now->pdata[i], *was = NULL;
    LsDiffNode n = { u, u, LS_DIFF_SAME };
    if (ls_node_map_has (in_old, u)) {
      d->n_same++;
    } else if (former && (was = ls_node_map_get_node (former, u)) && ls_node_map_has (in_old, was) && !ls_node_map_has (done, was)) {
      n = (LsDiffNode) { u, was, LS_DIFF_CHANGED };
      ls_node_map_set (done, was, 1);
      d->n_changed++;
    } else {
      n = (LsDiffNode) { u, NULL, LS_DIFF_ADDED };
      d->n_added++;
    }
    g_array_append_val (d->nodes, n);
  }
  for (guint i = 0; i < old->len; i++) {
    LsUOp *u = old->pdata[i];
    LsDiffNode n = { u, u, LS_DIFF_REMOVED };
    if (ls_node_map_has (done, u))
      continue;
    g_array_append_val (d->nodes, n);
    d->n_removed++;
  }
  ls_node_map_release (ctx, done);
  ls_node_map_release (ctx, in_old);
  if (d->n_changed)
    find_moved (ctx, d);
  return d;
}

LsGraphDiff *
ls_pass_diff_step (LsTrace *trace, const LsPass *pass, guint step)
{
  LsContext *ctx = trace->ctx;
  if (step < 1 || step > pass->steps->len) {
    LsUOp *root = ls_pass_root_at (trace, pass, step);
    return root ? ls_graph_diff_new (ctx, root, root, NULL, NULL, NULL) : NULL;
  }
  LsUOp *input = ls_context_node (ctx, pass->input);
  if (!input)
    return NULL;
  LsNodeMap *fate_before = ls_node_map_acquire (ctx), *fate_after = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) visited = g_ptr_array_new (), visited_before = g_ptr_array_new ();
  /* up to the step's own link: rebuilds after it lead past the ancestors, which are then nowhere on the way */
  guint links = g_array_index (pass->steps, guint32, step - 1) + 1;
  LsUOp *before = ls_replay_evaluate (trace, pass, input, ls_replay_links_at (pass, step - 1), fate_before, visited_before);
  LsUOp *after = ls_replay_evaluate (trace, pass, input, links, fate_after, visited);
  LsGraphDiff *d = NULL;
  if (before && after) {
    const LsLink *link = ls_pass_step_link (pass, step);
    LsUOp *b = ls_context_node (ctx, link->before), *a = ls_context_node (ctx, link->after);
    LsUOp *b_now = ls_node_map_get_node (fate_before, b), *a_now = ls_node_map_get_node (fate_after, a);
    if (!b_now)
      b_now = b;
    if (!a_now)
      a_now = pass->mode == LS_REWRITE_WALK ? a : ls_node_map_get_node (fate_after, b);
    if (!a_now)
      a_now = a;
    /* every node that was somewhere in the pass continues from its fate before to its fate after */
    LsNodeMap *former = ls_node_map_acquire (ctx);
    for (guint i = 0; i < visited->len; i++) {
      LsUOp *x = ls_node_map_get_node (fate_before, visited->pdata[i]), *y = ls_node_map_get_node (fate_after, visited->pdata[i]);
      if (x && y && x != y && !ls_node_map_has (former, y))
        ls_node_map_set_node (former, y, x);
    }
    /* what made up the graph before may not be reached from the root any more, once a consumer's own link leads past it; it continues all the same */
    for (guint i = 0; i < visited_before->len; i++) {
      LsUOp *v = visited_before->pdata[i], *x = ls_node_map_get_node (fate_before, v);
      LsUOp *y = ls_node_map_has (fate_after, v) ? NULL : ls_replay_evaluate (trace, pass, v, links, fate_after, NULL);
      if (x && y && x != y && !ls_node_map_has (former, y))
        ls_node_map_set_node (former, y, x);
    }
    if (b_now != a_now)
      ls_node_map_set_node (former, a_now, b_now);
    d = ls_graph_diff_new (ctx, before, after, former, b_now, a_now);
    ls_node_map_release (ctx, former);
  }
  ls_node_map_release (ctx, fate_after);
  ls_node_map_release (ctx, fate_before);
  return d;
}

/* The rule of a step, or NULL in a recording that names none. */
static const LsTraceRule *
step_rule (LsTrace *trace, const LsLink *link)
{
  return link->rule >= 0 && (guint) link->rule < trace->rules->len ? trace->rules->pdata[link->rule] : NULL;
}

char *
ls_step_sentence (LsTrace *trace, const LsPass *pass, guint step)
{
  g_autoptr (LsGraphDiff) d = step > 0 && step <= pass->steps->len ? ls_pass_diff_step (trace, pass, step) : NULL;
  return ls_step_sentence_of (trace, pass, step, d);
}

char *
ls_step_sentence_of (LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *d)
{
  if (step == 0 || step > pass->steps->len)
    return g_strdup_printf ("The input of %s.", pass->name);
  const LsLink *link = ls_pass_step_link (pass, step);
  const LsTraceRule *rule = step_rule (trace, link);
  const LsUOp *b = ls_context_node (trace->ctx, link->before), *a = ls_context_node (trace->ctx, link->after);
  GString *s = g_string_new (NULL);
  g_string_append_printf (s, "%s became %s by %s", ls_op_name (b->op), a->op == b->op ? "another one" : ls_op_name (a->op), rule ? rule->name : "an unknown rule");
  if (rule && *rule->sentence)
    g_string_append_printf (s, ": %c%.*s", g_ascii_tolower (rule->sentence[0]), (int) (strlen (rule->sentence) - 1 - g_str_has_suffix (rule->sentence, ".")), rule->sentence + 1);
  if (d) {
    g_string_append_printf (s, "; %u added, %u removed, %u changed, ", d->n_added, d->n_removed, d->n_changed - d->n_rebuilt);
    if (d->n_moved)
      g_string_append_printf (s, "%u moved, ", d->n_moved);
    g_string_append_printf (s, "%u stay", d->n_same + d->n_rebuilt);
  }
  g_string_append_c (s, '.');
  return g_string_free (s, FALSE);
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
