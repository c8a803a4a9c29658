/* lazyscope-cli steps --visits: how the driver of a pass walked its graph. */
#include "cli.h"

#include "ir/short.h"
#include "trace/visits.h"

static const char *const stage_names[] = { N_("push"), N_("match"), N_("link"), NULL };
static const char *const reject_names[] = { [LS_RULE_TRIED] = "tried", [LS_RULE_LACKS_SOURCE] = "source", [LS_RULE_OTHER_DTYPE] = "dtype",
                                            NULL };
static const char *const mode_names[] = { [LS_REWRITE_BOTTOM_UP] = N_("bottom-up"), [LS_REWRITE_TOP_DOWN] = N_("top-down"),
                                          [LS_REWRITE_WALK] = N_("walk"), [LS_REWRITE_ONE] = N_("one node"), NULL };

#define MOST_BINDINGS 16

/* A visit that is listed, with its number from 1. */
typedef struct { const LsVisits *all; const LsVisit *visit; guint number; const LsTraceRule *rule; GArray *rules; } Row;
typedef struct { LsTrace *trace; const LsPass *pass; const LsVisits *all; GArray *rows; } Answer;

static void
row_clear (gpointer data)
{
  g_array_unref (((Row *) data)->rules);
}

static const LsTraceRule *
rule_of (const LsTrace *t, gint rule)
{
  return rule >= 0 && (guint) rule < t->rules->len ? t->rules->pdata[rule] : NULL;
}

#define RULE(X) \
  X (rule, TEXT, rule_of (answer->data, (gint) r->rule)->name, TRUE, "The rule.") \
  X (asked, NAME, r->reject, TRUE, "tried: its pattern was matched; source, dtype: it was rejected before that.", .names = reject_names) \
  X (lacks, TEXT, ls_op_name (r->lacks), r->reject == LS_RULE_LACKS_SOURCE, "The op that it needs among the node's sources.") \
  X (fired, BOOL, r->fired, TRUE, "True if it fired.")
LS_INNER_RECORD (rule_answer, RULE, const LsVisitRule *r = row;)

#define VISIT(X) \
  X (visit, INT, s->number, TRUE, "Number of the visit, from 1.") \
  X (stage, NAME, v->stage, TRUE, "push: the node's sources are pushed; match: these are done; link: what replaced the node is done.", \
     .names = stage_names) \
  X (depth, INT, v->depth, TRUE, "Nodes on the stack.") \
  X (node, INT, v->node, TRUE, "Id of the node on top of the stack.") \
  X (over, INT, v->over, v->over != v->node, "Id of the node over the replacements of its sources, if it is another.") \
  X (done, BOOL, v->done, TRUE, "True if the node was done already, and is only taken off.") \
  X (result, INT, v->result, v->result != LS_NO_NODE, "Id of the rule's result, or of the node that replaced this one.") \
  X (step, INT, v->step, v->step > 0, "The step, if a rule fired.") \
  X (rule, TEXT, s->rule->name, s->rule != NULL, "That rule.") \
  X (pushed, LIST, ls_list_of (v->n, &g_array_index (s->all->pushed, guint32, v->first), sizeof (guint32)), v->n > 0, \
     "Ids of the nodes that it pushed; the last one comes to the top.", .item = LS_CELL_INT) \
  X (rules, LIST, ls_list_array (s->rules), s->rules->len > 0, "The rules of the node's op, in order, up to the one that fired.", \
     .of = &rule_answer)
LS_INNER_RECORD (visit_answer, VISIT, const Row *s = row; const LsVisit *v = s->visit;)

#define VISITS(X) \
  X (mode, NAME, a->pass->mode, TRUE, "The direction of the walk.", .names = mode_names) \
  X (context, TEXT, a->pass->context, a->pass->context != NULL, "The beginning of the text of the ctx that the program gave.") \
  X (whole, BOOL, a->all->whole, TRUE, "False if the links of the pass are not of this driver: the visits end where they part.") \
  X (visits, LIST, ls_list_array (a->rows), TRUE, "The visits, in order.", .of = &visit_answer, .lines = TRUE)
LS_RECORD (ls_visits_answer, VISITS, const Answer *a = row;)

/* "12 RANGE i:4". */
static void
append_node (GString *out, const Answer *a, guint32 id)
{
  LsUOp *u = ls_context_node (a->trace->ctx, id);
  g_autoptr (GString) arg = g_string_new (NULL);
  if (u)
    ls_short_arg (arg, ls_trace_names (a->trace, a->pass->kernel), u, TRUE);
  g_string_append_printf (out, "%u %s%s%s", id, u ? ls_op_name (u->op) : "?", arg->len ? " " : "", arg->str);
  if (u)
    ls_short_tag (out, u, TRUE);
}

static char *
node_text (const Answer *a, guint32 id)
{
  GString *out = g_string_new (NULL);
  append_node (out, a, id);
  return g_string_free (out, FALSE);
}

/* What happened at the visit. Free with g_free. */
static char *
describe (const Answer *a, const Row *s)
{
  const LsVisit *v = s->visit;
  GString *out = g_string_new (NULL);
  guint rejected = 0;
  if (v->over != v->node && v->stage != LS_VISIT_LINK)
    g_string_append_printf (out, _("over its new sources it is %u; "), v->over);
  if (v->done)
    g_string_append_printf (out, _("done before, as %u; "), v->result);
  for (guint i = 0; i < s->rules->len; i++)
    rejected += g_array_index (s->rules, LsVisitRule, i).reject != LS_RULE_TRIED;
  if (s->rules->len)
    g_string_append_printf (out, _("rules for %s: %u rejected early, %u tried; "),
                            ls_op_name (ls_context_node (a->trace->ctx, v->over)->op), rejected, s->rules->len - rejected);
  if (v->step)
    g_string_append_printf (out, _("step %u, %s: %u → %u; "), v->step, s->rule ? s->rule->name : "?", v->over, v->result);
  else if (v->stage == LS_VISIT_LINK)
    g_string_append_printf (out, _("becomes %u; "), v->result);
  for (guint i = 0; i < v->n; i++) {
    g_string_append (out, i ? ", " : _("pushes "));
    append_node (out, a, g_array_index (s->all->pushed, guint32, v->first + i));
  }
  if (v->n == 0 && out->len > 1)
    g_string_truncate (out, out->len - 2);
  return g_string_free (out, FALSE);
}

/* "x = node 3 (DEFINE_VAR ('a', 0, 10) int)", a line each. */
static void
print_captures (const LsBinding *bindings, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ls_term_value_print (&bindings[i].value);
    if (bindings[i].node)
      printf (_("        %s = node %u (%s)\n"), bindings[i].name, bindings[i].node->id, value);
    else
      printf ("        %s = %s\n", bindings[i].name, value);
  }
}

/* Why a rule whose pattern was matched went no further, or which step it made; and what its names were bound to. */
static void
print_asked (const Answer *a, const Row *s, LsVisitAsked *asked, guint i)
{
  const LsVisitRule *r = &g_array_index (s->rules, LsVisitRule, i);
  const char *name = rule_of (a->trace, (gint) r->rule)->name;
  LsBinding bindings[MOST_BINDINGS];
  if (r->fired) {
    printf ("      %-24s %s\n", name, _("fires"));
    print_captures (bindings, ls_step_bindings (a->trace, a->pass, s->visit->step, bindings, MOST_BINDINGS));
    return;
  }
  const LsRuleExplanation *e = ls_visit_asked_explain (asked, i);
  g_autofree char *why = e && !g_str_equal (e->stage, "fires") ? ls_sentence_shown (e->text) : NULL;
  printf ("      %-24s %s\n", name, why ? why : _("its pattern or a guard does not hold"));
  if (e)
    print_captures (e->bindings, e->n_bindings);
}

/* With --step, and of a pass over one node: the stack before the visit, and why each rule went no further. */
static void
print_details (const Answer *a, const Row *s)
{
  g_autoptr (GArray) stack = ls_visits_stack (s->all, s->number - 1);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < stack->len; i++) {
    const LsVisitFrame *f = &g_array_index (stack, LsVisitFrame, i);
    g_string_append (text, i ? ", " : "");
    append_node (text, a, f->node);
    g_string_append_printf (text, ": %s", _(stage_names[f->next]));
  }
  if (stack->len)
    printf (_("      stack: %s\n"), text->str);
  g_autoptr (LsVisitAsked) asked = ls_visit_asked_new (a->trace, a->pass, a->all, s->number - 1, TRUE);
  for (guint i = 0; i < s->rules->len; i++) {
    const LsVisitRule *r = &g_array_index (s->rules, LsVisitRule, i);
    const char *name = rule_of (a->trace, (gint) r->rule)->name;
    if (r->reject == LS_RULE_LACKS_SOURCE)
      printf (_("      %-24s rejected: no source is %s\n"), name, ls_op_name (r->lacks));
    else if (r->reject == LS_RULE_OTHER_DTYPE)
      printf (_("      %-24s rejected: it is for other dtypes\n"), name);
    else
      print_asked (a, s, asked, i);
  }
}

static void
print_visits (const LsCliOptions *o, const Answer *a)
{
  g_autofree char *root = node_text (a, a->pass->input);
  printf (_("%s, %s, from %s: %u visits, %u steps\n"), a->pass->name, _(mode_names[a->pass->mode]), root, a->all->visits->len,
          ls_pass_n_rewrites (a->pass));
  if (a->pass->context)
    printf ("ctx: %s\n", a->pass->context);
  for (guint i = 0; i < a->rows->len; i++) {
    const Row *s = &g_array_index (a->rows, Row, i);
    const LsVisit *v = s->visit;
    g_autofree char *node = node_text (a, v->node), *text = describe (a, s);
    printf ("%5u %*s%s %s%s%s\n", s->number, (int) MIN (2 * v->depth, 40) - 2, "", v->done ? _("done") : _(stage_names[v->stage]), node,
            *text ? ": " : "", text);
    if (o->step >= 0 || a->pass->mode == LS_REWRITE_ONE)
      print_details (a, s);
  }
  if (!a->all->whole)
    printf (_("this pass was recorded by a different driver: the visits end where its links differ from this driver's\n"));
}

int
ls_cli_visits (LsCliOptions *o, LsTrace *t, GError **error)
{
  const LsPass *pass = o->pass ? ls_cli_pass (o, t, error) : NULL;
  if (o->rule || !o->pass)
    return ls_cli_refuse (error, o->rule ? "steps --visits: --rule does not apply; use --step to see the rules of one step"
                                         : "steps --visits needs a pass: --pass P, or FILE#K/P");
  g_autoptr (LsVisits) all = pass ? ls_pass_visits (t, pass) : NULL;
  if (!pass || !all)
    return pass ? ls_cli_refuse (error, "%s is not a rewrite: it has no visits", pass->name) : LS_EXIT_WRONG;
  Answer answer = { t, pass, all, g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_array_set_clear_func (answer.rows, row_clear);
  guint steps = 0;
  for (guint i = 0; i < all->visits->len; i++) {
    const LsVisit *v = &g_array_index (all->visits, LsVisit, i);
    if (o->step < 0 || steps == (guint) o->step - 1) {
      Row row = { all, v, i + 1, v->step ? rule_of (t, ls_pass_step_link (pass, v->step)->rule) : NULL, ls_visit_rules (t, pass, all, v) };
      g_array_append_val (answer.rows, row);
    }
    steps += v->step > 0;
  }
  if (!ls_cli_answer (o, &ls_visits_answer, &answer, t->ctx, t))
    print_visits (o, &answer);
  g_array_unref (answer.rows);
  return LS_EXIT_DONE;
}
