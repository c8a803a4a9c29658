#include "visits.h"

#include <string.h>

typedef struct {
  LsTrace      *trace;
  const LsPass *pass;
  LsVisits     *out;
  GArray       *stack;      /* Frame */
  GHashTable   *done;       /* node + 1 -> what became of it + 1; 0: in progress */
  guint         link, step;
  gboolean      failed;
} Walk;

typedef struct { guint32 node, over, result; LsVisitStage next; } Frame;

#define MOST_VISITS (1u << 24)      /* of a recording that was edited */

static Frame *
top (Walk *w)
{
  return &g_array_index (w->stack, Frame, w->stack->len - 1);
}

static void
push (Walk *w, guint32 node)
{
  Frame f = { node, node, LS_NO_NODE, LS_VISIT_PUSH };
  g_array_append_val (w->stack, f);
  g_array_append_val (w->out->pushed, node);
}

static gboolean
find (Walk *w, guint32 node, guint32 *became)
{
  gpointer entry;
  if (!g_hash_table_lookup_extended (w->done, GUINT_TO_POINTER (node + 1), NULL, &entry))
    return FALSE;
  *became = GPOINTER_TO_UINT (entry) - 1;      /* LS_NO_NODE: in progress */
  return TRUE;
}

static void
set (Walk *w, guint32 node, guint32 became)
{
  g_hash_table_insert (w->done, GUINT_TO_POINTER (node + 1), GUINT_TO_POINTER (became + 1));
}

/* The next link, if it is of that node and a rebuild, or a match. */
static const LsLink *
take_link (Walk *w, guint32 node, gboolean rebuild)
{
  const LsLink *link = w->link < w->pass->links->len ? &g_array_index (w->pass->links, LsLink, w->link) : NULL;
  if (!link || link->before != node || (link->rule == LS_LINK_REBUILD) != rebuild)
    return NULL;
  w->link++;
  w->step += !rebuild;
  return link;
}

/* The visit to the top of the stack; its end, the frame's node and stage with it, is up to the caller. */
static LsVisit
begin (Walk *w)
{
  const Frame *f = top (w);
  return (LsVisit) { .stage = f->next, .node = f->node, .over = f->over, .result = LS_NO_NODE, .depth = w->stack->len,
                     .first = w->out->pushed->len };
}

static void
end (Walk *w, LsVisit *v)
{
  v->n = w->out->pushed->len - v->first;
  if (v->pops)
    g_array_set_size (w->stack, w->stack->len - 1);
  g_array_append_vals (w->out->visits, v, 1);
  w->failed |= w->out->visits->len >= MOST_VISITS;
}

/* Does a rule fire at over? Then its result is worked through next. */
static gboolean
fire (Walk *w, LsVisit *v)
{
  const LsLink *link = take_link (w, v->over, FALSE);
  if (!link)
    return FALSE;
  v->result = link->after;
  v->step = w->step;
  g_array_append_val (w->out->steps, w->out->visits->len);
  if (ls_rewrite_keeps_results (w->pass->mode))
    return TRUE;
  Frame *f = top (w);
  f->over = v->over;
  f->result = link->after;
  f->next = LS_VISIT_LINK;
  push (w, link->after);
  return TRUE;
}

static void
visit_first (Walk *w)
{
  LsVisit v = begin (w);
  const LsUOp *u = ls_context_node (w->trace->ctx, v.node);
  guint32 became;
  if (find (w, v.node, &became)) {
    v.result = became;
    v.done = v.pops = TRUE;
    w->failed |= became == LS_NO_NODE;
    end (w, &v);
    return;
  }
  set (w, v.node, LS_NO_NODE);
  w->failed |= !u;
  if (w->failed || (ls_pass_matches_first (w->pass) && fire (w, &v)) || w->pass->mode == LS_REWRITE_ONE) {
    if (ls_rewrite_keeps_results (w->pass->mode)) {
      set (w, v.node, v.step ? v.result : v.node);
      v.pops = TRUE;
    }
    end (w, &v);
    return;
  }
  top (w)->next = LS_VISIT_MATCH;
  for (guint i = u->n_src; i-- > 0;)
    if (!find (w, u->src[i]->id, &became)) {
      if (u->src[i]->n_src == 0 && !w->out->rules[u->src[i]->op])      /* no rule can change it */
        set (w, u->src[i]->id, u->src[i]->id);
      else
        push (w, u->src[i]->id);
    }
  end (w, &v);
}

static void
visit_match (Walk *w)
{
  LsVisit v = begin (w);
  guint32 became;
  const LsLink *rebuilt = take_link (w, v.node, TRUE);
  if (rebuilt) {
    v.over = rebuilt->after;
    if (find (w, v.over, &became)) {      /* equal to a node that is done */
      set (w, v.node, became);
      v.result = became;
      v.done = v.pops = TRUE;
      w->failed |= became == LS_NO_NODE;
      end (w, &v);
      return;
    }
  }
  gboolean fired = !ls_pass_matches_first (w->pass) && fire (w, &v);
  if (fired && w->pass->mode != LS_REWRITE_WALK) {
    set (w, v.over, LS_NO_NODE);
  } else {
    guint32 final = fired ? v.result : v.over;
    set (w, v.node, final);
    set (w, v.over, final);
    if (fired && !find (w, final, &became))
      set (w, final, final);
    v.pops = TRUE;
  }
  end (w, &v);
}

static void
visit_link (Walk *w)
{
  LsVisit v = begin (w);
  const Frame *f = top (w);
  w->failed |= !find (w, f->result, &v.result) || v.result == LS_NO_NODE;
  set (w, f->over, v.result);
  set (w, f->node, v.result);
  v.pops = TRUE;
  end (w, &v);
}

/* --- the rules of a pass --- */

static gboolean
is_of (const LsPass *pass, const char *set)
{
  for (const char *p = pass->set; (p = strstr (p, set)); p++)
    if ((p == pass->set || p[-1] == '+') && (p[strlen (set)] == '\0' || p[strlen (set)] == '+'))
      return TRUE;
  return FALSE;
}

/* In a run the library knows the order; a recording has the rules in the order in which they were read. */
static gint
compare_rules (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsVisitRule *x = a, *y = b;
  const struct { LsTrace *trace; const LsPass *pass; LsOp op; } *of = data;
  if (x->rule == y->rule || !of->trace->library)
    return x->rule < y->rule ? -1 : x->rule > y->rule;
  return ls_rule_library_comes_before (of->trace->library, of->pass->set, of->op, x->rule, y->rule) ? -1 : 1;
}

static void
find_rules (LsTrace *trace, const LsPass *pass, GArray **of_op)
{
  for (guint i = 0, index; i < trace->rules->len; i++) {
    gboolean own = is_of (pass, ((const LsTraceRule *) trace->rules->pdata[i])->set);
    LsRuleLibrary *library = own ? ls_trace_rule_library (trace, i, &index) : NULL;
    for (guint op = 0; library && op < LS_N_OPS; op++)
      if (ls_rule_takes (library, index, (LsOp) op)) {
        if (!of_op[op])
          of_op[op] = g_array_new (FALSE, FALSE, sizeof (LsVisitRule));
        g_array_append_val (of_op[op], ((LsVisitRule) { .rule = i }));
      }
  }
  struct { LsTrace *trace; const LsPass *pass; LsOp op; } of = { trace, pass, 0 };
  for (of.op = 0; of.op < LS_N_OPS; of.op++)
    if (of_op[of.op])
      g_array_sort_with_data (of_op[of.op], compare_rules, &of);
}

gboolean
ls_pass_matches_first (const LsPass *pass)
{
  return ls_rewrite_matches_first (pass->mode, pass->set);
}

LsVisits *
ls_pass_visits (LsTrace *trace, const LsPass *pass)
{
  if (pass->kind != LS_PASS_REWRITE)
    return NULL;
  LsVisits *out = g_new0 (LsVisits, 1);
  out->visits = g_array_new (FALSE, FALSE, sizeof (LsVisit));
  out->pushed = g_array_new (FALSE, FALSE, sizeof (guint32));
  out->steps = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  Walk w = { trace, pass, out, stack, done };
  find_rules (trace, pass, out->rules);
  push (&w, pass->input);
  g_array_set_size (out->pushed, 0);      /* nobody's source */
  while (stack->len > 0 && !w.failed)
    switch (top (&w)->next) {
    case LS_VISIT_PUSH:  visit_first (&w); break;
    case LS_VISIT_MATCH: visit_match (&w); break;
    default:             visit_link (&w);
    }
  guint32 became;
  out->whole = !w.failed && w.link == pass->links->len && find (&w, pass->input, &became) && became == pass->output;
  return out;
}

void
ls_visits_free (LsVisits *visits)
{
  if (!visits)
    return;
  g_array_unref (visits->visits);
  g_array_unref (visits->pushed);
  g_array_unref (visits->steps);
  for (guint op = 0; op < LS_N_OPS; op++)
    if (visits->rules[op])
      g_array_unref (visits->rules[op]);
  g_free (visits);
}

GArray *
ls_visits_stack (const LsVisits *visits, guint k)
{
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (LsVisitFrame));
  if (visits->visits->len)
    g_array_append_val (stack, ((LsVisitFrame) { g_array_index (visits->visits, LsVisit, 0).node, LS_VISIT_PUSH, LS_NO_WAITER }));
  for (guint i = 0; i < MIN (k, visits->visits->len); i++) {
    const LsVisit *v = &g_array_index (visits->visits, LsVisit, i);
    if (v->pops)
      g_array_set_size (stack, stack->len - 1);
    else
      g_array_index (stack, LsVisitFrame, stack->len - 1).next = v->step ? LS_VISIT_LINK : LS_VISIT_MATCH;
    for (guint p = 0, waiter = stack->len - 1; p < v->n; p++)
      g_array_append_val (stack, ((LsVisitFrame) { g_array_index (visits->pushed, guint32, v->first + p), LS_VISIT_PUSH, waiter }));
  }
  return stack;
}

guint
ls_visits_steps_before (const LsVisits *visits, guint k)
{
  guint low = 0, high = visits->steps->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (visits->steps, guint, middle) < k)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

GArray *
ls_visit_rules (LsTrace *trace, const LsPass *pass, const LsVisits *visits, const LsVisit *visit)
{
  GArray *rules = g_array_new (FALSE, FALSE, sizeof (LsVisitRule));
  gboolean matches = !visit->done && visit->stage == (ls_pass_matches_first (pass) ? LS_VISIT_PUSH : LS_VISIT_MATCH);
  const LsUOp *node = matches ? ls_context_node (trace->ctx, visit->over) : NULL;
  const GArray *all = node ? visits->rules[node->op] : NULL;
  gint fired = visit->step ? ls_pass_step_link (pass, visit->step)->rule : -1;
  for (guint i = 0, index; all && i < all->len; i++) {
    LsVisitRule rule = g_array_index (all, LsVisitRule, i);
    rule.fired = fired == (gint) rule.rule;
    LsRuleLibrary *library = ls_trace_rule_library (trace, rule.rule, &index);
    rule.reject = ls_rule_rejects (library, index, node, &rule.lacks);
    g_array_append_val (rules, rule);
    if (rule.fired)
      break;
  }
  return rules;
}
