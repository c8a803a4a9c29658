/* lazyscope-cli rules: what each rule did over all passes, and which undo each other. */
#include "cli.h"

#include "ask/ask.h"

int
ls_cli_rules (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autoptr (LsTrace) t = NULL;
  if (!ls_cli_parse (&o, LS_CLI_RULES, "Tries, hits and time of each rule, and the pairs of rules that undo each other.", &argc, &argv,
                     &error) ||
      !(t = ls_cli_open (&o, argv[1], &error))) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsRuleReport) report = ls_rule_report (t);
  g_autoptr (JsonBuilder) j = json_builder_new ();
  ls_json_object (j, NULL);
  ls_json_array (j, "rules");
  if (!o.json)
    printf ("%-24s %-16s %8s %8s %10s %7s\n", "rule", "set", "tries", "hits", "us", "passes");
  for (guint i = 0; i < report->totals->len; i++) {
    const LsRuleTotal *total = &g_array_index (report->totals, LsRuleTotal, i);
    const LsTraceRule *r = t->rules->pdata[total->rule];
    if (o.json) {
      ls_json_object (j, NULL);
      ls_json_text (j, "name", r->name);
      ls_json_text (j, "set", r->set);
      ls_json_text (j, "file", r->file);
      ls_json_int (j, "line", r->line);
      ls_json_text (j, "sentence", r->sentence);
      ls_json_int (j, "tries", (gint64) total->tries);
      ls_json_int (j, "hits", (gint64) total->hits);
      ls_json_int (j, "ns", (gint64) total->ns);
      ls_json_int (j, "passes", total->passes);
      json_builder_end_object (j);
    } else {
      printf ("%-24s %-16s %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %10.1f %7u\n", r->name, r->set, total->tries, total->hits,
              (double) total->ns / 1e3, total->passes);
    }
  }
  json_builder_end_array (j);
  ls_json_array (j, "undo");
  for (guint i = 0; i < report->undo->len; i++) {
    const LsUndoPair *p = &g_array_index (report->undo, LsUndoPair, i);
    const LsTraceRule *a = t->rules->pdata[p->a], *b = t->rules->pdata[p->b];
    const LsPass *pass = t->passes->pdata[p->pass];
    if (o.json) {
      ls_json_object (j, NULL);
      ls_json_text (j, "a", a->name);
      ls_json_text (j, "b", b->name);
      ls_json_int (j, "count", p->count);
      ls_json_int (j, "kernel", pass->kernel);
      ls_json_text (j, "pass", pass->name);
      ls_json_int (j, "step", p->step_a);
      ls_json_bool (j, "recorded", p->step_b > 0);
      ls_json_node (j, "node", t, p->node);
      json_builder_end_object (j);
    } else {
      const LsPosition first = { t, pass, p->step_a };
      g_autofree char *place = ls_position_print (&first);
      printf ("%s is undone by %s: %u times, first at %s, node %u%s\n", a->name, b->name, p->count, place, p->node,
              p->step_b > 0 ? "" : " (it would match; in this recording it did not come to it)");
    }
  }
  json_builder_end_array (j);
  json_builder_end_object (j);
  if (o.json)
    ls_cli_print_json (j);
  ls_cli_clear (&o);
  return LS_EXIT_DONE;
}
