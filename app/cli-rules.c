/* lazyscope-cli rules: the effect of each rule over all passes, and rules that undo each other. */
#include "cli.h"

#include "ask/ask.h"

static void
print_text (const LsRuleReport *report)
{
  LsTrace *t = report->trace;
  LsList totals = ls_list_array (report->totals);
  g_autofree char *table = ls_answer_table (&ls_rule_total_answer, &totals, &(LsAnswering) { t->ctx, report });
  fputs (table, stdout);
  for (guint i = 0; i < report->undo->len; i++) {
    const LsUndoPair *p = &g_array_index (report->undo, LsUndoPair, i);
    const LsTraceRule *a = t->rules->pdata[p->a], *b = t->rules->pdata[p->b];
    const LsPosition first = { t, t->passes->pdata[p->pass], p->step_a };
    g_autofree char *place = ls_cli_place (&first, 0);
    printf (ngettext ("%s is undone by %s: %u time, first at %s, node %u", "%s is undone by %s: %u times, first at %s, node %u", p->count),
            a->name, b->name, p->count, place, p->node);
    puts (p->step_b > 0 ? "" : _(" (it would match, but did not fire in this recording)"));
  }
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  g_autoptr (LsRuleReport) report = t ? ls_rule_report (t) : NULL;
  if (report && !ls_cli_answer (o, &ls_rules_answer, report, t->ctx, report))
    print_text (report);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_rules = { run, N_("Lists tries, hits and time of each rule, and pairs of rules that undo each other.") };
