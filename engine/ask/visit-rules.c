/* Why the rules that were asked at a visit of the driver went no further: the matches are made again, as why-not makes them. Rules are
 * explained one by one, when someone asks, since a node may have dozens of them. */
#include "ask.h"
#include "pass-context.h"

struct _LsVisitAsked {
  LsTrace           *trace;
  const LsPass      *pass;
  guint32            node;
  guint              n_before;      /* steps that were done */
  GArray            *rules;         /* LsVisitRule */
  LsPassContext     *context;       /* NULL: no rule has needed it, or the pass has none */
  LsContext         *ctx;           /* of the nodes that an explanation makes */
  gboolean           may_run;       /* the context may be made, if a rule needs it */
  LsRuleExplanation *explained;     /* of each rule; text NULL: not yet */
};

LsVisitAsked *
ls_visit_asked_new (LsTrace *trace, const LsPass *pass, const LsVisits *visits, guint k, gboolean in_context)
{
  g_return_val_if_fail (k < visits->visits->len, NULL);
  const LsVisit *visit = &g_array_index (visits->visits, LsVisit, k);
  LsVisitAsked *asked = g_new0 (LsVisitAsked, 1);
  asked->trace = trace;
  asked->pass = pass;
  asked->node = visit->over;
  asked->n_before = ls_visits_steps_before (visits, k);
  asked->may_run = in_context;
  asked->rules = ls_visit_rules (trace, pass, visits, visit);
  asked->explained = g_new0 (LsRuleExplanation, asked->rules->len + 1);
  return asked;
}

void
ls_visit_asked_free (LsVisitAsked *asked)
{
  if (!asked)
    return;
  for (guint i = 0; i < asked->rules->len; i++)
    if (asked->explained[i].text)
      ls_rule_explanation_clear (&asked->explained[i]);
  g_free (asked->explained);
  g_array_unref (asked->rules);
  g_clear_pointer (&asked->ctx, ls_context_unref);
  ls_pass_context_free (asked->context);
  g_free (asked);
}

guint
ls_visit_asked_n (const LsVisitAsked *asked)
{
  return asked->rules->len;
}

const LsVisitRule *
ls_visit_asked_rule (const LsVisitAsked *asked, guint i)
{
  g_return_val_if_fail (i < asked->rules->len, NULL);
  return &g_array_index (asked->rules, LsVisitRule, i);
}

const LsRuleExplanation *
ls_visit_asked_explain (LsVisitAsked *asked, guint i)
{
  const LsVisitRule *rule = ls_visit_asked_rule (asked, i);
  guint index;
  LsRuleLibrary *library = rule->reject == LS_RULE_TRIED ? ls_asked_library (asked->trace, rule->rule, &index) : NULL;
  LsUOp *node = library ? ls_context_node (asked->trace->ctx, asked->node) : NULL;
  if (!node || asked->explained[i].text)
    return node ? &asked->explained[i] : NULL;
  LsRuleExplanation *e = &asked->explained[i];
  if (!asked->ctx)
    asked->ctx = ls_context_new_over (asked->trace->ctx);
  LsContext *ctx = asked->context ? ls_pass_context_nodes (asked->context) : asked->ctx;
  ls_rule_explain (library, index, ctx, node, ls_pass_context_get (asked->context), e);
  if (asked->may_run && g_str_equal (e->stage, "builder-unknown")) {
    asked->may_run = FALSE;      /* made once */
    asked->context = ls_pass_context_new (asked->trace, asked->pass, asked->trace->ctx, asked->n_before, NULL);
    if (asked->context) {
      ls_rule_explanation_clear (e);
      ls_rule_explain (library, index, ls_pass_context_nodes (asked->context), node, ls_pass_context_get (asked->context), e);
    }
  }
  return e;
}
