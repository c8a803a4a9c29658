/* lazyscope-cli steps: the rewrite steps of a recording, one a line. */
#include "pipeline/pipeline.h"
#include "cli.h"

#include "ir/print.h"

#include <string.h>

/* A rule that is in neither the recording nor the built-in files is a slip of the pen, not a rule that never fired. */
static gboolean
check_rule (const LsTrace *t, const char *name, GError **error)
{
  for (guint i = 0; i < t->rules->len; i++)
    if (g_strcmp0 (((const LsTraceRule *) t->rules->pdata[i])->name, name) == 0)
      return TRUE;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL);
  for (guint i = 0; library && i < ls_rule_library_n_rules (library); i++)
    if (strcmp (ls_rule_library_rule (library, i)->name, name) == 0)
      return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no rule '%s'; without --rule the steps name the rules that fired", name);
  return FALSE;
}

int
ls_cli_steps (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  if (!ls_cli_parse (&o, "steps", "Lists the rewrite steps, all or of one kernel, pass or rule.", &argc, &argv, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsTrace) t = ls_cli_open (&o, argv[1], &error);
  if (!t || !ls_cli_check_kernel (&o, t, 0, &error) || (o.rule && !check_rule (t, o.rule, &error)) || (o.pass && !ls_cli_pass (&o, t, &error))) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  const LsPass *only = o.pass ? ls_cli_pass (&o, t, NULL) : NULL;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "steps");
  json_builder_begin_array (b);
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *pass = t->passes->pdata[i];
    if ((only && pass != only) || (!only && o.kernel >= 0 && pass->kernel != (guint) o.kernel))
      continue;
    for (guint k = 1; k <= ls_pass_n_steps (pass); k++) {
      const LsLink *link = ls_pass_step_link (pass, k);
      const LsTraceRule *rule = link->rule >= 0 && (guint) link->rule < t->rules->len ? t->rules->pdata[link->rule] : NULL;
      if (o.rule && (!rule || g_strcmp0 (rule->name, o.rule) != 0))
        continue;
      LsUOp *before = ls_context_node (t->ctx, link->before), *after = ls_context_node (t->ctx, link->after);
      if (o.json) {
        json_builder_begin_object (b);
        json_builder_set_member_name (b, "kernel");
        json_builder_add_int_value (b, pass->kernel);
        json_builder_set_member_name (b, "pass");
        json_builder_add_string_value (b, pass->name);
        json_builder_set_member_name (b, "index");
        json_builder_add_int_value (b, k);
        json_builder_set_member_name (b, "rule");
        json_builder_add_string_value (b, rule ? rule->name : "");
        json_builder_set_member_name (b, "file");
        json_builder_add_string_value (b, rule ? rule->file : "");
        json_builder_set_member_name (b, "line");
        json_builder_add_int_value (b, rule ? rule->line : 0);
        json_builder_set_member_name (b, "before");
        json_builder_add_int_value (b, link->before);
        json_builder_set_member_name (b, "after");
        json_builder_add_int_value (b, link->after);
        json_builder_set_member_name (b, "ns");
        json_builder_add_int_value (b, link->ns);
        json_builder_end_object (b);
      } else {
        g_autofree char *x = ls_uop_summary (before), *y = ls_uop_summary (after);
        g_autofree char *place = g_strdup_printf ("%u/%s/%u", pass->kernel, pass->name, k);
        printf ("%-22s %-24s %6u -> %-6u %s -> %s\n", place, rule ? rule->name : "?", link->before, link->after, x, y);
      }
    }
  }
  json_builder_end_array (b);
  json_builder_end_object (b);
  if (o.json)
    ls_cli_print_json (b);
  ls_cli_clear (&o);
  return LS_EXIT_DONE;
}
