/* Why-not: how far a rule's match at a node got in a pass, and which condition ended it.
 *
 * The recording holds the rule as it was and the nodes as they were, so the match is made again, by the matcher that explains itself.
 * The past is not guessed: where the rule would fire now, the links show whether it did, or which rule came before it.
 */
#include "ir/sentence.h"
#include "ask.h"
#include "pass-context.h"
#include "pipeline/pipeline.h"
#include "trace/lineage.h"

#include <string.h>

LsRuleLibrary *
ls_asked_library (LsTrace *trace, guint rule, guint *index)
{
  static LsRuleLibrary *own;
  static gsize once;
  if (rule >= trace->rules->len)
    return NULL;
  if (!trace->library) {
    if (g_once_init_enter (&once)) {
      own = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL);
      g_once_init_leave (&once, 1);
    }
    const LsTraceRule *r = trace->rules->pdata[rule];
    const LsRule *same = own ? ls_rule_library_find (own, r->name) : NULL;
    if (same && strcmp (same->text, r->text) == 0 && strcmp (same->set, r->set) == 0) {
      *index = same->index;
      return own;
    }
  }
  return ls_trace_rule_library (trace, rule, index);
}

static gboolean
in_set (const LsPass *pass, const char *set)
{
  g_auto (GStrv) names = g_strsplit (pass->set, "+", -1);
  return g_strv_contains ((const char *const *) names, set);
}

void
ls_why_not_free (LsWhyNot *w)
{
  if (!w)
    return;
  g_free (w->text);
  g_array_unref (w->bindings);
  ls_graph_unref (w->graph);
  g_free (w);
}

static gint
find_rule (LsTrace *trace, const LsPass *pass, const char *name, GError **error)
{
  g_autoptr (GString) of_pass = g_string_new (NULL);
  gint found = -1;
  for (guint i = 0; i < trace->rules->len; i++) {
    const LsTraceRule *r = trace->rules->pdata[i];
    if (strcmp (r->name, name) == 0 && (found < 0 || in_set (pass, r->set)))
      found = (gint) i;
    if (in_set (pass, r->set) && of_pass->len < 600)
      g_string_append_printf (of_pass, "%s%s", of_pass->len ? ", " : "", r->name);
  }
  if (found < 0)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no rule '%s'; pass %s has %s", name, pass->name,
                 of_pass->len ? of_pass->str : "none");
  return found;
}

/* The link of a node that is a step, or a rebuild. */
static const LsLink *
link_of (const LsPass *pass, guint32 node, gboolean rebuild, guint *step)
{
  guint n = 0;
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    n += l->rule != LS_LINK_REBUILD;
    if (l->before == node && (l->rule == LS_LINK_REBUILD) == rebuild) {
      if (step)
        *step = n;
      return l;
    }
  }
  return NULL;
}

/* A graph that holds the node: after the step, or, for G_MAXUINT, before or after the pass. */
static LsGraph *
graph_with (LsTrace *trace, const LsPass *pass, guint step, guint32 node)
{
  for (guint round = 0; round < (step == G_MAXUINT ? 2 : 1); round++) {
    LsGraph *graph = ls_pass_graph (trace, pass, step != G_MAXUINT ? step : round ? ls_pass_n_rewrites (pass) : 0);
    if (graph && ls_graph_node (graph, node))
      return graph;
    ls_graph_unref (graph);
  }
  return NULL;
}

/* The number of steps done when the pass reached the node: those before the one that replaced it, or before the link that made or
 * rebuilt it; none if there is no link. */
static guint
steps_before (const LsPass *pass, guint32 node)
{
  guint n = 0, made = 0;
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    if (l->before == node && l->rule != LS_LINK_REBUILD)
      return n;
    n += l->rule != LS_LINK_REBUILD;
    if (l->before == node || l->after == node)
      made = n;
  }
  return made;
}

/* "acc=scalar": the settings of the run without which the rule would have come further. Free with g_free; NULL: there is no such
 * setting. */
static char *
since (LsTrace *trace, const LsPass *pass, LsContext *over, guint n_steps, LsRuleLibrary *library, guint index, LsUOp *node,
       const LsRuleExplanation *ended)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < trace->settings->len && g_str_equal (ended->stage, "guard"); i++) {
    g_autoptr (LsPassContext) other = ls_pass_context_new (trace, pass, over, n_steps, trace->settings->pdata[i]);
    LsRuleExplanation e;
    if (!other)
      continue;
    ls_rule_explain (library, index, ls_pass_context_nodes (other), node, ls_pass_context_get (other), &e);
    if (g_strcmp0 (e.stage, ended->stage) != 0 || g_strcmp0 (e.text, ended->text) != 0)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", (char *) trace->settings->pdata[i]);
    ls_rule_explanation_clear (&e);
  }
  return g_string_free (text, text->len == 0);
}

/* Was rule a tried before rule b at the node? What cannot be known is taken as it was recorded. */
static gboolean
is_tried_before (LsTrace *trace, const LsPass *pass, const LsUOp *node, guint a, guint b)
{
  guint x, y;
  LsRuleLibrary *of_a = ls_asked_library (trace, a, &x), *of_b = ls_asked_library (trace, b, &y);
  return !of_a || of_a != of_b || ls_rule_library_comes_before (of_a, pass->set, node->op, x, y);
}

/* Did the pass meet it? */
static gboolean
is_met (LsTrace *trace, const LsPass *pass, guint32 node)
{
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    if (l->before == node || l->after == node)
      return TRUE;
  }
  return ls_lineage_first (ls_lineage_of (trace, pass), node) != 0;
}

static const char *
name_of (LsTrace *trace, gint rule)
{
  return rule >= 0 && (guint) rule < trace->rules->len ? ((LsTraceRule *) trace->rules->pdata[rule])->name : "?";
}

/* The question: why a rule of a pass did not fire at a node, which step `at` replaced (taken, NULL: no step did). */
typedef struct { LsTrace *trace; const LsPass *pass; LsUOp *node; guint rule; const LsLink *taken; guint at; } Asked;

/* For a rule that matches at the node, as far as it can be judged: the reason why it did not fire. */
static void
explain_unused (LsWhyNot *w, GString *text, const Asked *q, const LsRuleExplanation *e)
{
  LsTrace *trace = q->trace;
  const LsLink *taken = q->taken;
  const LsTraceRule *r = trace->rules->pdata[q->rule];
  gboolean is_known = taken && taken->rule >= 0 && (guint) taken->rule < trace->rules->len;
  w->fires = g_str_equal (e->stage, "fires");
  if (is_known && !is_tried_before (trace, q->pass, q->node, (guint) taken->rule, q->rule)) {
    g_string_append_printf (text, "The rule seems to fire here, and it is tried before %s, which fired in step %u. The context of the "
                                  "pass at that time cannot be rebuilt.\n", name_of (trace, taken->rule), q->at);
    w->stage = (char *) "not-judged";
    w->fires = FALSE;
  } else if (taken) {
    const LsTraceRule *other = trace->rules->pdata[MIN ((guint) MAX (taken->rule, 0), trace->rules->len - 1)];
    g_string_append_printf (text, "%s came first: step %u replaced the node by node %u (%s:%u, before %s at %s:%u).\n",
                            name_of (trace, taken->rule), q->at, taken->after, other->file, other->line, r->name, r->file, r->line);
    w->stage = (char *) "earlier-rule";
  } else if (w->fires) {
    g_string_append_printf (text, "The rule matches: %s. The pass did not try it here: the node was made, replaced or removed at "
                                  "another time.\n", e->text);
    w->stage = (char *) "not-tried";
  } else {
    g_string_append_printf (text, "%c%s.\nIt was tried and did not fire.\n", g_ascii_toupper (e->text[0]), e->text + 1);
    w->stage = (char *) "builder";
  }
}

/* The sentence of the term that the false guard asks, as the rule card has it. */
static void
explain_guard (GString *text, LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer pass)
{
  g_autoptr (GArray) guards = ls_rule_guards (library, index, ctx, node, pass);
  for (guint i = 0; i < guards->len; i++) {
    const LsGuardValue *g = &g_array_index (guards, LsGuardValue, i);
    if (g->holds != LS_GUARD_FAILS)
      continue;
    if (g->question)
      g_string_append_printf (text, g->yes ? "The guard asks: %s Yes.\n" : "The guard asks: %s No.\n", g->question);
    return;
  }
}

/* How far the rule's match gets at the node, in the context of the pass at that time. */
static void
explain_match (LsWhyNot *w, GString *text, const Asked *q, LsRuleLibrary *library, guint index)
{
  LsRuleExplanation e;
  LsContext *over = w->graph ? w->graph->ctx : q->trace->ctx;
  guint n_before = steps_before (q->pass, q->node->id);
  g_autoptr (LsPassContext) context = ls_pass_context_new (q->trace, q->pass, over, n_before, NULL);
  g_autoptr (LsContext) ctx = context ? ls_context_ref (ls_pass_context_nodes (context)) : ls_context_new_over (over);
  ls_rule_explain (library, index, ctx, q->node, ls_pass_context_get (context), &e);
  w->stage = (char *) e.stage;
  g_array_append_vals (w->bindings, e.bindings, e.n_bindings);
  if (w->fired_step) {
    w->stage = (char *) "fired";
  } else if (g_str_equal (e.stage, "fires") || g_str_equal (e.stage, "builder-unknown")) {
    explain_unused (w, text, q, &e);
  } else {
    g_autofree char *settings = context ? since (q->trace, q->pass, over, n_before, library, index, q->node, &e) : NULL;
    g_string_append_printf (text, "%c%s.\n", g_ascii_toupper (e.text[0]), e.text + 1);
    if (g_str_equal (e.stage, "guard"))
      explain_guard (text, library, index, ctx, q->node, ls_pass_context_get (context));
    if (settings)
      g_string_append_printf (text, "The setting %s is the cause: without it the match goes on.\n", settings);
    if (q->taken)
      g_string_append_printf (text, "(Step %u by %s replaced the node.)\n", q->at, name_of (q->trace, q->taken->rule));
  }
  ls_rule_explanation_clear (&e);
}

/* Why the pass asks the rule of no node at all, or NULL. Free with g_free. */
static char *
why_not_run (const LsPass *pass, const LsTraceRule *rule)
{
  if (pass->kind == LS_PASS_MAP)
    return g_strdup_printf ("Pass %s is not a rewrite: it has no rules.", pass->name);
  return in_set (pass, rule->set) ? NULL : g_strdup_printf ("%s belongs to the set %s, and pass %s runs %s.", rule->name, rule->set,
                                                            pass->name, pass->set);
}

LsWhyNot *
ls_why_not (LsTrace *trace, const LsPass *pass, guint step, guint32 id, const char *rule_name, GError **error)
{
  gint rule = find_rule (trace, pass, rule_name, error);
  if (rule < 0)
    return NULL;
  g_autoptr (LsGraph) graph = graph_with (trace, pass, step, id);
  LsUOp *node = graph ? ls_graph_node (graph, id) : ls_context_node (trace->ctx, id);
  if (!node) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no node %u; the recording has %u, numbered from 0", id,
                 ls_context_n_nodes (trace->ctx));
    return NULL;
  }
  const LsTraceRule *r = trace->rules->pdata[rule];
  LsWhyNot *w = g_new0 (LsWhyNot, 1);
  g_autoptr (GString) text = g_string_new (NULL);
  w->trace = trace;
  w->pass = pass;
  w->node = id;
  w->rule = r->name;
  w->bindings = g_array_new (FALSE, FALSE, sizeof (LsBinding));
  w->in_graph = graph || (step == G_MAXUINT && is_met (trace, pass, id));
  w->graph = g_steal_pointer (&graph);
  g_autofree char *not_run = why_not_run (pass, r);
  if (pass->kind == LS_PASS_MAP) {
    g_string_append_printf (text, "%s\n", not_run);
    w->stage = (char *) "not-in-set";
    goto done;
  }
  if (!w->in_graph) {
    if (step == G_MAXUINT)
      g_string_append_printf (text, "Node %u is not in the graph of %s at any step.\n", id, pass->name);
    else
      g_string_append_printf (text, "Node %u is not in the graph of %s after step %u.\n", id, pass->name, step);
  }
  /* the node as it was when it was tried */
  const LsLink *rebuilt = ls_pass_matches_first (pass) ? NULL : link_of (pass, id, TRUE, NULL);
  if (rebuilt && ls_context_node (trace->ctx, rebuilt->after)) {
    g_string_append_printf (text, "Its sources were rewritten first, so the pass tried it as node %u.\n", rebuilt->after);
    node = ls_context_node (trace->ctx, rebuilt->after);
  }
  guint at = 0, index;
  const LsLink *taken = link_of (pass, node->id, FALSE, &at);
  if (taken && taken->rule == rule) {
    w->fired_step = at;
    w->fires = TRUE;
    g_string_append_printf (text, "It fired: step %u replaced node %u by node %u.\n", at, taken->before, taken->after);
  }
  if (not_run) {
    g_string_append_printf (text, "%s\n", not_run);
    w->stage = (char *) "not-in-set";
    goto done;
  }
  LsRuleLibrary *library = ls_asked_library (trace, (guint) rule, &index);
  if (!library) {
    g_string_append (text, "This program cannot read the rule's text.\n");
    w->stage = (char *) "unreadable";
    goto done;
  }
  explain_match (w, text, &(Asked) { trace, pass, node, (guint) rule, taken, at }, library, index);
done:
  w->text = g_string_free (g_steal_pointer (&text), FALSE);
  return w;
}

/* --- nearest --- */

/* The nodes that the pass met, each once. */
GPtrArray *
ls_pass_nodes (LsTrace *trace, const LsPass *pass)
{
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  guint32 ends[] = { pass->input, pass->output };
  for (guint i = 0; i < 2 + 2 * pass->links->len; i++) {
    const LsLink *l = i < 2 ? NULL : &g_array_index (pass->links, LsLink, (i - 2) / 2);
    LsUOp *u = ls_context_node (trace->ctx, l ? i % 2 ? l->after : l->before : ends[i]);
    if (u)
      g_ptr_array_add (roots, u);
  }
  return ls_uop_toposort_many (trace->ctx, (LsUOp *const *) roots->pdata, roots->len);
}

guint
ls_why_not_rank (const char *stage)
{
  static const char *const stages[] = {
    LS_TEMPLATE ("unreadable"), LS_TEMPLATE ("not-in-set"), LS_TEMPLATE ("op"), LS_TEMPLATE ("dtype"), LS_TEMPLATE ("sources"),
    LS_TEMPLATE ("argument"), LS_TEMPLATE ("constant"), LS_TEMPLATE ("capture"), LS_TEMPLATE ("guard"), LS_TEMPLATE ("builder"),
    LS_TEMPLATE ("result"), LS_TEMPLATE ("builder-unknown"), LS_TEMPLATE ("earlier-rule"), LS_TEMPLATE ("not-judged"),
    LS_TEMPLATE ("not-tried"), LS_TEMPLATE ("fires"), LS_TEMPLATE ("fired"),
  };
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (strcmp (stages[i], stage) == 0)
      return i;
  return 0;
}

static int
by_nearness (gconstpointer a, gconstpointer b)
{
  const LsNearest *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank > y->rank ? -1 : 1;
  if (x->n_bound != y->n_bound)
    return x->n_bound > y->n_bound ? -1 : 1;
  return x->rule != y->rule ? (x->rule > y->rule) - (x->rule < y->rule) : (x->node > y->node) - (x->node < y->node);
}

static void
nearest_clear (gpointer data)
{
  ls_why_not_free (((LsNearest *) data)->why);
}

GArray *
ls_why_not_nearest (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *rule, guint most, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (LsNearest));
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (LsGraph) graph = NULL;
  gint only = rule ? find_rule (trace, pass, rule, error) : -1;
  if (rule && only < 0)
    return NULL;
  if (node == LS_NO_NODE) {
    nodes = ls_pass_nodes (trace, pass);
  } else {
    graph = graph_with (trace, pass, step, node);
    LsUOp *u = graph ? ls_graph_node (graph, node) : ls_context_node (trace->ctx, node);
    if (!u) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no node %u; the recording has %u, numbered from 0", node,
                   ls_context_n_nodes (trace->ctx));
      return NULL;
    }
    nodes = g_ptr_array_new ();
    const LsLink *rebuilt = ls_pass_matches_first (pass) ? NULL : link_of (pass, node, TRUE, NULL);      /* it was tried as that */
    g_ptr_array_add (nodes, rebuilt && ls_context_node (trace->ctx, rebuilt->after) ? ls_context_node (trace->ctx, rebuilt->after) : u);
  }
  LsContext *over = graph ? graph->ctx : trace->ctx;
  g_autoptr (LsPassContext) context = ls_pass_context_new (trace, pass, over, 0, NULL);
  g_autoptr (LsContext) ctx = context ? ls_context_ref (ls_pass_context_nodes (context)) : ls_context_new_over (over);
  for (guint r = 0; r < trace->rules->len; r++) {
    guint index;
    const LsTraceRule *info = trace->rules->pdata[r];
    LsRuleLibrary *library = (only < 0 || r == (guint) only) && in_set (pass, info->set) ? ls_asked_library (trace, r, &index) : NULL;
    for (guint i = 0; library && i < nodes->len; i++) {
      LsUOp *u = nodes->pdata[i];
      LsRuleExplanation e;
      ls_rule_explain (library, index, ctx, u, ls_pass_context_get (context), &e);
      LsNearest near = { .node = node == LS_NO_NODE ? u->id : node, .rule = r, .rank = ls_why_not_rank (e.stage), .n_bound = e.n_bindings };
      if (near.rank > ls_why_not_rank ("op"))
        g_array_append_val (all, near);
      ls_rule_explanation_clear (&e);
    }
  }
  g_array_sort (all, by_nearness);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsNearest));
  g_array_set_clear_func (out, nearest_clear);
  for (guint i = 0; i < MIN (all->len, most); i++) {
    LsNearest near = g_array_index (all, LsNearest, i);
    near.why = ls_why_not (trace, pass, step, near.node, ((LsTraceRule *) trace->rules->pdata[near.rule])->name, NULL);
    if (!near.why)
      continue;
    near.rank = ls_why_not_rank (near.why->stage);      /* in the pass's own turn */
    g_array_append_val (out, near);
  }
  g_array_sort (out, by_nearness);
  return out;
}

char *
ls_why_not_no_node (LsTrace *trace, const LsPass *pass, const char *rule)
{
  gint at = find_rule (trace, pass, rule, NULL);
  const LsTraceRule *r = at < 0 ? NULL : trace->rules->pdata[at];
  char *not_run = r ? why_not_run (pass, r) : NULL;
  return not_run ? not_run : g_strdup_printf ("Pass %s met no node with the op that the pattern of %s begins with.", pass->name, rule);
}

/* --- the answers --- */

/* A name may be bound to a part of an argument, or to several sources: these have a value instead of a node. */
#define BINDING(X) \
  X (name, TEXT, b->name, TRUE, "A name of the rule's pattern") \
  X (node, NODE, b->node->id, b->node != NULL, "The node that it is bound to") \
  X (value, OWNED, ls_term_value_print (&b->value), !b->node, "The value that it is bound to, if that is not a node")
LS_INNER_RECORD (binding_answer, BINDING, const LsBinding *b = row;)

#define WHY_NOT(X) \
  X (kernel, INT, w->pass->kernel, TRUE, "Number of the kernel; 0 is the tensor level") \
  X (pass, TEXT, w->pass->name, TRUE, "The pass") \
  X (rule, TEXT, w->rule, TRUE, "The rule") \
  X (node, NODE, w->node, TRUE, "The node") \
  X (stage, TEXT, w->stage, TRUE, "How far the match got: op, dtype, sources, argument, constant, capture, guard, …, fired") \
  X (in_graph, BOOL, w->in_graph, TRUE, "True if the node is in the graph at that step") \
  X (fired_step, INT, w->fired_step, TRUE, "The step in which the rule fired on the node; 0 if none") \
  X (text, TEXT, w->text, TRUE, "The result in sentences: how far the match got, and the reason") \
  X (bindings, LIST, ls_list_array (w->bindings), TRUE, "The bindings when the longest attempt ended", .of = &binding_answer)
LS_RECORD (ls_why_not_answer, WHY_NOT, const LsWhyNot *w = row;)

#define NEAREST(X) \
  X (rule, TEXT, ((const LsTraceRule *) of->trace->rules->pdata[n->rule])->name, TRUE, "The rule") \
  X (node, NODE, n->node, TRUE, "The node") \
  X (stage, TEXT, n->why->stage, TRUE, "How far the match got") \
  X (text, TEXT, n->why->text, TRUE, "The reason in sentences")
LS_INNER_RECORD (nearest_answer, NEAREST, const LsNearest *n = row; const LsNearestRules *of = answer->data;)

#define NEAREST_RULES(X) \
  X (kernel, INT, of->pass->kernel, TRUE, "Number of the kernel; 0 is the tensor level") \
  X (pass, TEXT, of->pass->name, TRUE, "The pass") \
  X (nearest, LIST, ls_list_array (of->nearest), TRUE, "The nodes where the rule came closest, or the rules that came closest, closest " \
                                                       "first", \
     .of = &nearest_answer, .lines = TRUE)
LS_RECORD (ls_nearest_rules_answer, NEAREST_RULES, const LsNearestRules *of = row;)

/* --- the rule of a step --- */

LsRulePicture *
ls_trace_rule_picture (LsTrace *trace, guint rule, gboolean result)
{
  guint index;
  LsRuleLibrary *library = rule < trace->rules->len ? ls_asked_library (trace, rule, &index) : NULL;
  return library ? ls_rule_picture (library, index, result) : NULL;
}

GArray *
ls_step_guards (LsTrace *trace, const LsPass *pass, guint step)
{
  const LsLink *link = ls_pass_step_link (pass, step);
  guint index;
  LsRuleLibrary *library = link && link->rule >= 0 && (guint) link->rule < trace->rules->len
                           ? ls_asked_library (trace, (guint) link->rule, &index) : NULL;
  LsUOp *node = library ? ls_context_node (trace->ctx, link->before) : NULL;
  if (!node)
    return NULL;
  g_autoptr (LsPassContext) context = ls_pass_context_new (trace, pass, trace->ctx, step - 1, NULL);
  g_autoptr (LsContext) ctx = context ? ls_context_ref (ls_pass_context_nodes (context)) : ls_context_new_over (trace->ctx);
  GArray *guards = ls_rule_guards (library, index, ctx, node, ls_pass_context_get (context));
  for (guint i = 0; i < guards->len; i++)
    if (g_array_index (guards, LsGuardValue, i).holds == LS_GUARD_UNKNOWN)      /* a function's: its pass asked it */
      g_array_index (guards, LsGuardValue, i).holds = LS_GUARD_HOLDS;
  return guards;
}
