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

/* A step without a pass is none, and step 0 is a pass's input. */
static gboolean
check_place (const LsCliOptions *o, LsTrace *t, GError **error)
{
  if (o->step == 0 || !o->pass)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, o->step == 0 ? "step 0 is the input of the pass: its steps are numbered from 1"
                                                               : "--step needs a --pass");
  return o->step != 0 && o->pass && ls_cli_pass (o, t, error);
}

/* --- the two nodes of a step, in words that differ --- */

#define WIDTH 60      /* most characters of a node in a line */
#define AROUND 12     /* of them, before what differs */

static void
append_head (GString *out, const LsUOp *u)
{
  char dtype[64];
  g_string_append (out, ls_op_name (u->op));
  if (u->arg.kind != LS_ARG_NONE) {
    g_autofree char *arg = ls_arg_print (u->arg);
    g_string_append_printf (out, " %s", arg);
  }
  const char *name = ls_dtype_modern (u->dtype, dtype);
  if (u->dtype != LS_VOID)
    g_string_append_printf (out, " %s", g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
}

/* The node in full; level 1: with its sources, 2: with their numbers, since nothing else tells them apart. */
static char *
describe (const LsUOp *u, guint level)
{
  GString *out = g_string_new (NULL);
  append_head (out, u);
  for (guint i = 0; level > 0 && i < u->n_src; i++) {
    g_string_append (out, i == 0 ? " (" : ", ");
    if (level > 1)
      g_string_append_printf (out, "%u ", u->src[i]->id);
    append_head (out, u->src[i]);
  }
  if (level > 0 && u->n_src)
    g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

static void
describe_both (const LsUOp *before, const LsUOp *after, char **x, char **y)
{
  *x = describe (before, 0);
  *y = describe (after, 0);
  for (guint level = 1; level < 3 && strcmp (*x, *y) == 0; level++) {
    g_free (*x);
    g_free (*y);
    *x = describe (before, level);
    *y = describe (after, level);
  }
}

/* At most WIDTH characters of a text: its op, and from a little before the place at which it begins to differ. */
static char *
cut (const char *text, glong differs)
{
  glong n = g_utf8_strlen (text, -1), op = (glong) strcspn (text, " "), from = MAX (differs - AROUND, 0);
  if (n <= WIDTH)
    return g_strdup (text);
  if (from <= op + 1)
    from = 0;
  else
    from = MIN (from, n - (WIDTH - op - 1));
  glong most = from ? WIDTH - op - 2 : WIDTH - 1;
  g_autofree char *part = g_utf8_substring (text, from, MIN (from + most, n));
  return g_strdup_printf ("%.*s%s%s%s", from ? (int) op : 0, text, from ? " …" : "", part, from + most < n ? "…" : "");
}

static void
print_change (const char *x, const char *y)
{
  const char *p = x, *q = y;
  for (; *p && *p == *q; p++)
    q++;
  while (p > x && ((guchar) *p & 0xc0) == 0x80)
    p--;
  glong differs = g_utf8_pointer_to_offset (x, p);
  g_autofree char *before = cut (x, differs), *after = cut (y, differs);
  printf ("%s -> %s\n", before, after);
}

int
ls_cli_steps (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  if (!ls_cli_parse (&o, LS_CLI_STEPS, "Lists the rewrite steps, all or of one kernel, pass or rule.", &argc, &argv, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsTrace) t = ls_cli_open (&o, argv[1], &error);
  if (!t || !ls_cli_check_kernel (&o, t, 0, &error) || (o.rule && !check_rule (t, o.rule, &error)) ||
      ((o.pass || o.step >= 0) && !check_place (&o, t, &error))) {
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
      if (o.step >= 0 && k != (guint) o.step)
        continue;
      g_autofree char *x = NULL, *y = NULL;
      describe_both (ls_context_node (t->ctx, link->before), ls_context_node (t->ctx, link->after), &x, &y);
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
        ls_json_text (b, "before_text", x);
        ls_json_text (b, "after_text", y);
        json_builder_end_object (b);
      } else {
        const LsPosition at = { t, pass, k };
        g_autofree char *place = ls_position_print (&at);
        printf ("%-22s %-24s %6u -> %-6u ", place, rule ? rule->name : "?", link->before, link->after);
        print_change (x, y);
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
