/* What a step changed, as one picture: the union of the graph before and the graph after.
 *
 * Nodes that are in both graphs are the same. Between neighbouring steps the node that the rule replaced and what it became, and every
 * ancestor that was only rebuilt, are one node that changed: the replay's map from input nodes to their fates on both sides says which.
 * What is new besides was added; what is gone besides was removed.
 */
#include "replay.h"

#include <string.h>

static GHashTable *
node_set (LsContext *ctx, LsUOp *root)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++)
    g_hash_table_add (set, order->pdata[i]);
  return set;
}

void
ls_graph_diff_free (LsGraphDiff *diff)
{
  if (!diff)
    return;
  g_array_unref (diff->nodes);
  g_free (diff);
}

/* former: new node -> old node that it continues, for nodes of after that are not in before. */
static LsGraphDiff *
make_diff (LsContext *ctx, LsUOp *before, LsUOp *after, GHashTable *former)
{
  LsGraphDiff *d = g_new0 (LsGraphDiff, 1);
  d->before = before;
  d->after = after;
  d->nodes = g_array_new (FALSE, FALSE, sizeof (LsDiffNode));
  g_autoptr (GHashTable) old = node_set (ctx, before);
  g_autoptr (GHashTable) continued = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, after);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i], *was = NULL;
    LsDiffNode n = { u, u, LS_DIFF_SAME };
    if (g_hash_table_contains (old, u)) {
      d->n_same++;
      g_hash_table_add (continued, u);
    } else if (former && (was = g_hash_table_lookup (former, u)) && g_hash_table_contains (old, was) && !g_hash_table_contains (continued, was)) {
      n = (LsDiffNode) { u, was, LS_DIFF_CHANGED };
      g_hash_table_add (continued, was);
      d->n_changed++;
    } else {
      n = (LsDiffNode) { u, NULL, LS_DIFF_ADDED };
      d->n_added++;
    }
    g_array_append_val (d->nodes, n);
  }
  /* a node continued by a changed one may itself still stand in the graph; then the changed one was added */
  g_autoptr (GHashTable) present = node_set (ctx, after);
  for (guint i = 0; i < d->nodes->len; i++) {
    LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, i);
    if (n->kind == LS_DIFF_CHANGED && g_hash_table_contains (present, n->before)) {
      n->kind = LS_DIFF_ADDED;
      n->before = NULL;
      d->n_changed--;
      d->n_added++;
    }
  }
  g_autoptr (GPtrArray) order_before = ls_uop_toposort (ctx, before);
  for (guint i = 0; i < order_before->len; i++) {
    LsUOp *u = order_before->pdata[i];
    if (g_hash_table_contains (continued, u) || g_hash_table_contains (present, u))
      continue;
    LsDiffNode n = { u, u, LS_DIFF_REMOVED };
    g_array_append_val (d->nodes, n);
    d->n_removed++;
  }
  return d;
}

LsGraphDiff *
ls_pass_diff_step (LsTrace *trace, const LsPass *pass, guint step)
{
  LsContext *ctx = trace->ctx;
  if (step < 1 || step > pass->steps->len) {
    LsUOp *root = ls_pass_root_at (trace, pass, step);
    return root ? make_diff (ctx, root, root, NULL) : NULL;
  }
  LsUOp *input = ls_context_node (ctx, pass->input);
  if (!input)
    return NULL;
  LsNodeMap *fate_before = ls_node_map_acquire (ctx), *fate_after = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) visited = g_ptr_array_new ();
  LsUOp *before = ls_replay_evaluate (trace, pass, input, ls_replay_links_at (pass, step - 1), fate_before, NULL);
  LsUOp *after = ls_replay_evaluate (trace, pass, input, ls_replay_links_at (pass, step), fate_after, visited);
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
    g_autoptr (GHashTable) former = g_hash_table_new (NULL, NULL);
    for (guint i = 0; i < visited->len; i++) {
      LsUOp *x = ls_node_map_get_node (fate_before, visited->pdata[i]), *y = ls_node_map_get_node (fate_after, visited->pdata[i]);
      if (x && y && x != y && !g_hash_table_contains (former, y))
        g_hash_table_insert (former, y, x);
    }
    if (b_now != a_now)
      g_hash_table_insert (former, a_now, b_now);
    d = make_diff (ctx, before, after, former);
    d->matched = b_now;
    d->result = a_now;
  }
  ls_node_map_release (ctx, fate_before);
  ls_node_map_release (ctx, fate_after);
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
  if (step == 0 || step > pass->steps->len)
    return g_strdup_printf ("The input of %s.", pass->name);
  const LsLink *link = ls_pass_step_link (pass, step);
  const LsTraceRule *rule = step_rule (trace, link);
  g_autoptr (LsGraphDiff) d = ls_pass_diff_step (trace, pass, step);
  const LsUOp *b = ls_context_node (trace->ctx, link->before), *a = ls_context_node (trace->ctx, link->after);
  GString *s = g_string_new (NULL);
  g_string_append_printf (s, "%s became %s by %s", ls_op_name (b->op), a->op == b->op ? "another one" : ls_op_name (a->op), rule ? rule->name : "an unknown rule");
  if (rule && *rule->sentence)
    g_string_append_printf (s, ": %c%.*s", g_ascii_tolower (rule->sentence[0]), (int) (strlen (rule->sentence) - 1 - g_str_has_suffix (rule->sentence, ".")), rule->sentence + 1);
  if (d) {
    /* a node that only stands over something new is rebuilt, not changed */
    guint n_rebuilt = 0;
    for (guint i = 0; i < d->nodes->len; i++) {
      const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, i);
      n_rebuilt += n->kind == LS_DIFF_CHANGED && n->node != d->result && n->node->op == n->before->op && n->node->dtype == n->before->dtype &&
                   n->node->n_src == n->before->n_src && ls_arg_equal (n->node->arg, n->before->arg);
    }
    g_string_append_printf (s, "; %u added, %u removed, %u changed, %u stay", d->n_added, d->n_removed, d->n_changed - n_rebuilt, d->n_same + n_rebuilt);
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
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (text, r->file, NULL);
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
