#include "visit-text.h"
#include "ir/sentence.h"
#include "ir/short.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_CHARS 48

char *
ls_visit_node_text (LsTrace *trace, const LsPass *pass, guint32 node)
{
  LsUOp *u = ls_context_node (trace->ctx, node);
  if (!u)
    return g_strdup ("?");
  const LsNames *names = ls_trace_names (trace, pass->kernel);
  GString *text = g_string_new (ls_op_name (u->op));
  g_autoptr (GString) arg = g_string_new (NULL);
  ls_short_arg (arg, names, u, TRUE);
  if (!arg->len && ls_op_is_alu (u->op)) {
    g_autofree char *expression = ls_expr_bare (names, u, MOST_CHARS);
    g_string_assign (arg, expression);
  }
  if (arg->len)
    g_string_append_printf (text, " %s", arg->str);
  ls_short_tag (text, u, TRUE);
  return g_string_free (text, FALSE);
}

const char *
ls_visit_stage_text (LsVisitStage stage)
{
  static const char *const texts[] = { [LS_VISIT_PUSH] = N_("0 push"), [LS_VISIT_MATCH] = N_("1 match"), [LS_VISIT_LINK] = N_("2 link") };
  return _(texts[stage]);
}

const char *
ls_visit_stage_title (const LsPass *pass, LsVisitStage stage)
{
  gboolean first = ls_pass_matches_first (pass);
  switch (stage) {
  case LS_VISIT_PUSH: return first ? _("stage 0: match it, then push its sources") : _("stage 0: push its sources");
  case LS_VISIT_MATCH: return first ? _("stage 1: its sources are done") : _("stage 1: its sources are done, match it");
  default: return _("stage 2: its result is done, link it");
  }
}

static const char *
mode_text (const LsPass *pass)
{
  if (pass->mode == LS_REWRITE_WALK && ls_pass_matches_first (pass))
    return _("Walk: a node is matched at stage 0, before its sources; the result of a rule is not rewritten again.");
  switch (pass->mode) {
  case LS_REWRITE_TOP_DOWN: return _("Top-down: a node is matched at stage 0, before its sources; the result of a rule is rewritten too.");
  case LS_REWRITE_ONE: return _("One node: rules are asked of this node alone; neither its sources nor the result are rewritten.");
  case LS_REWRITE_WALK: return _("Walk: a node is matched after its sources; the result of a rule is not rewritten again.");
  default: return _("Bottom-up: a node is matched after its sources; the result of a rule is rewritten too.");
  }
}

char *
ls_visit_mode_text (const LsPass *pass)
{
  g_autofree char *context = pass->context ? g_strdup_printf (_("The program's ctx: %s"), pass->context) : NULL;
  return context ? g_strdup_printf ("%s %s", mode_text (pass), context) : g_strdup (mode_text (pass));
}

/* --- a visit --- */

static const LsTraceRule *
rule_of_step (LsTrace *trace, const LsPass *pass, guint step)
{
  gint rule = ls_pass_step_link (pass, step)->rule;
  return rule >= 0 && (guint) rule < trace->rules->len ? trace->rules->pdata[rule] : NULL;
}

static void
add_sentence (GString *out, char *sentence)
{
  g_string_append_printf (out, "%s%s", out->len ? " " : "", sentence);
  g_free (sentence);
}

static char *
fired_sentence (LsTrace *trace, const LsPass *pass, const LsVisit *v)
{
  const LsTraceRule *rule = rule_of_step (trace, pass, v->step);
  g_autofree char *result = ls_visit_node_text (trace, pass, v->result);
  const char *name = rule ? rule->name : _("an unknown rule");
  if (v->n == 0)
    return g_strdup_printf (_("%s fires (step %u): node %u, %s, replaces it."), name, v->step, v->result, result);
  return g_strdup_printf (_("%s fires (step %u): its result, node %u, %s, is pushed."), name, v->step, v->result, result);
}

static char *
push_sentence (LsTrace *trace, const LsPass *pass, const LsVisit *v)
{
  const LsUOp *u = ls_context_node (trace->ctx, v->node);
  if (v->n)
    return g_strdup_printf (ngettext ("%u source is pushed: it is done first.", "%u sources are pushed: they are done first.", v->n), v->n);
  return g_strdup (u && u->n_src ? _("All its sources are done: none is pushed.") : _("It has no sources."));
}

char *
ls_visit_sentence (LsTrace *trace, const LsPass *pass, const LsVisits *visits, guint k)
{
  const LsVisit *v = &g_array_index (visits->visits, LsVisit, k);
  g_autofree char *over = ls_visit_node_text (trace, pass, v->over),
                  *result = v->result != LS_NO_NODE ? ls_visit_node_text (trace, pass, v->result) : NULL;
  GString *out = g_string_new (NULL);
  if (v->over != v->node && v->stage == LS_VISIT_MATCH)
    add_sentence (out, g_strdup_printf (_("Sources of it were replaced: it is rebuilt as node %u, %s."), v->over, over));
  if (v->done && v->result == v->over)
    add_sentence (out, g_strdup (_("It is done already: it is taken off the stack.")));
  else if (v->done)
    add_sentence (out, g_strdup_printf (_("It is done already: node %u, %s, replaces it."), v->result, result ? result : "?"));
  else if (v->stage == LS_VISIT_LINK)
    add_sentence (out, g_strdup_printf (_("The result of its rule is done: it is linked to node %u, %s."), v->result, result));
  else if (v->step)
    add_sentence (out, fired_sentence (trace, pass, v));
  else if (v->stage == LS_VISIT_PUSH)
    add_sentence (out, push_sentence (trace, pass, v));
  else if (ls_pass_matches_first (pass))
    add_sentence (out, g_strdup (v->over != v->node ? _("It was matched before its sources: no rule is asked.")
                                 : _("Its sources are done and unchanged; it was matched before them.")));
  else
    add_sentence (out, g_strdup (v->over != v->node ? _("No rule fires.") : _("No rule fires: it stays as it is.")));
  return g_string_free (out, FALSE);
}

/* --- the stack --- */

char *
ls_visit_waits_text (const GArray *stack, guint i)
{
  const LsVisitFrame *f = &g_array_index (stack, LsVisitFrame, i);
  guint n = 0, first = 0;
  /* those that it pushed follow it, and then what the last of them pushed */
  for (guint k = i + 1; k < stack->len && f->next != LS_VISIT_PUSH; k++)
    if (g_array_index (stack, LsVisitFrame, k).waiter == i) {
      first = k;
      n++;
    } else if (g_array_index (stack, LsVisitFrame, k).waiter > i) {
      break;
    }
  if (!n)
    return f->waiter == LS_NO_WAITER ? NULL : g_strdup_printf (_("%u waits"), g_array_index (stack, LsVisitFrame, f->waiter).node);
  guint32 node = g_array_index (stack, LsVisitFrame, first).node;      /* the one in work */
  if (f->next == LS_VISIT_LINK)
    return g_strdup_printf (_("for its result %u"), node);
  return n == 1 ? g_strdup_printf (_("for %u"), node)
                : g_strdup_printf (ngettext ("for %u and %u more", "for %u and %u more", n - 1), node, n - 1);
}

/* --- its rules --- */

char *
ls_visit_asked_text (LsTrace *trace, const LsVisits *visits, guint k, const LsVisitAsked *asked)
{
  const LsVisit *v = &g_array_index (visits->visits, LsVisit, k);
  const LsUOp *u = ls_context_node (trace->ctx, v->over);
  guint n = ls_visit_asked_n (asked), rejected = 0;
  if (n == 0)
    return g_strdup (_("No rule is asked at this visit."));
  for (guint i = 0; i < n; i++)
    rejected += ls_visit_asked_rule (asked, i)->reject != LS_RULE_TRIED;
  guint all = u && visits->rules[u->op] ? visits->rules[u->op]->len : n;
  const char *op = u ? ls_op_name (u->op) : "?";
  return g_strdup_printf (ngettext ("Found by op %s: %u rule, %u asked, %u rejected early",
                                    "Found by op %s: %u rules, %u asked, %u rejected early", all), op, all, n, rejected);
}

char *
ls_visit_rule_text (LsVisitAsked *asked, guint i, guint step)
{
  const LsVisitRule *r = ls_visit_asked_rule (asked, i);
  if (r->reject == LS_RULE_LACKS_SOURCE)
    return g_strdup_printf (_("rejected early: needs %s among the sources"), ls_op_name (r->lacks));
  if (r->reject == LS_RULE_OTHER_DTYPE)
    return g_strdup (_("rejected early: it is for other dtypes"));
  if (r->fired)
    return g_strdup_printf (_("fired: step %u"), step);
  const LsRuleExplanation *e = ls_visit_asked_explain (asked, i);
  if (e && !e->matches)
    return g_strdup (_("pattern did not match"));
  if (e && strcmp (e->stage, "guard") == 0)
    return g_strdup (_("a guard is false"));
  if (e && strcmp (e->stage, "builder-unknown") == 0)
    return g_strdup (_("matched, and did not fire in the context of the pass"));
  return g_strdup (e ? _("matched, and made no new node") : _("did not fire"));
}

char *
ls_visit_rule_reason (LsVisitAsked *asked, guint i)
{
  const LsRuleExplanation *e = ls_visit_asked_rule (asked, i)->fired ? NULL : ls_visit_asked_explain (asked, i);
  if (!e)
    return NULL;
  if (strcmp (e->stage, "fires") == 0)
    return g_strdup (_("It did not fire in the context of the pass, which cannot be made again."));
  return ls_sentence_shown (e->text);
}
