/* lazyscope-cli steps: the steps of a recording, one a line. */
#include "pipeline/pipeline.h"
#include "cli.h"
#include "trace/row-steps.h"
#include "trace/step-parts.h"

#include "ir/print.h"
#include "ir/short.h"

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
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no rule '%s'; without --rule, the steps show which rules fired", name);
  return FALSE;
}

/* A step without a pass is an error, and step 0 is a pass's input. */
static gboolean
check_place (const LsCliOptions *o, LsTrace *t, GError **error)
{
  if (o->step == 0 || !o->pass)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, o->step == 0 ? "step 0 is the input of the pass; its steps are numbered from 1"
                                                               : "--step needs --pass");
  return o->step != 0 && o->pass && ls_cli_pass (o, t, error);
}

/* --- the two nodes of a step, in words that differ --- */

#define WIDTH 60      /* most characters of a node in a line */
#define AROUND 12     /* of them, before the different ones */

static void
append_head (GString *out, const LsUOp *u)
{
  char dtype[64];
  g_string_append (out, ls_op_name (u->op));
  if (u->arg.kind != LS_ARG_NONE) {
    g_autofree char *arg = ls_arg_print (u->arg);
    g_string_append_printf (out, " %s", arg);
  }
  ls_short_tag (out, u, TRUE);
  const char *name = ls_dtype_text (u->dtype, dtype);
  if (u->dtype != LS_VOID)
    g_string_append_printf (out, " %s", g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
}

/* The node in full; level 1: with its sources, 2: with their numbers, if nothing else distinguishes them. */
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

/* A step that is listed. */
/* link: NULL for a step of rows, which is what after says. */
typedef struct {
  const LsPass *pass; guint step; const LsLink *link; const LsTraceRule *rule; LsRowStep row; char *before, *after, *why;
  GArray *parts;
} Step;

static void
step_clear (gpointer data)
{
  Step *s = data;
  g_free (s->before);
  g_free (s->after);
  g_free (s->why);
  g_clear_pointer (&s->parts, g_array_unref);
}

#define PART(X) \
  X (node, INT, p->node, TRUE, "Id of a node that the step's algorithm made.") \
  X (text, TEXT, p->text, TRUE, "The node in short.") \
  X (why, TEXT, p->why, TRUE, "Its reason.")
LS_INNER_RECORD (step_part, PART, const LsStepPart *p = row;)

#define STEP(X) \
  X (kernel, INT, s->pass->kernel, TRUE, "Number of the kernel; 0: the tensor level.") \
  X (pass, TEXT, s->pass->name, TRUE, "The pass.") \
  X (index, INT, s->step, TRUE, "Number of the step in its pass, from 1.") \
  X (rule, TEXT, s->rule ? s->rule->name : "", TRUE, "The rule that fired.") \
  X (file, TEXT, s->rule ? s->rule->file : "", TRUE, "The rule's file.") \
  X (line, INT, s->rule ? s->rule->line : 0, TRUE, "Its line in that file.") \
  X (before, INT, s->link->before, s->link != NULL, "Id of the node that was rewritten, if the step is a rewrite.") \
  X (after, INT, s->link ? s->link->after : s->row.node, s->link || s->row.node != LS_NO_NODE, \
     "Id of the node that replaced it; for a pass that is not a rewrite, of the node whose row it is, if any.") \
  X (ns, INT, s->link ? s->link->ns : 0, s->link != NULL, "Time of the step in nanoseconds, if it is a rewrite.") \
  X (before_text, TEXT, s->before, TRUE, "The node that was rewritten, with its sources if only these differ; or null.") \
  X (after_text, TEXT, s->after, TRUE, "The node that replaced it, with its sources if only these differ; else what the step did.") \
  X (why, TEXT, s->why, TRUE, "The sentence of the rule, or the reason for the step, or null.") \
  X (parts, LIST, ls_list_array (s->parts), s->parts != NULL, "The nested steps of a step that an algorithm made, in order.", \
     .of = &step_part)
LS_INNER_RECORD (step_answer, STEP, const Step *s = row;)

#define STEPS(X) X (steps, LIST, ls_list_array (row), TRUE, "The steps, in order.", .of = &step_answer, .lines = TRUE)
LS_RECORD (ls_steps_answer, STEPS)

static void
describe_rewrite (LsTrace *t, Step *s)
{
  describe_both (ls_context_node (t->ctx, s->link->before), ls_context_node (t->ctx, s->link->after), &s->before, &s->after);
  s->why = s->rule ? g_strdup (s->rule->sentence) : NULL;
}

static void
describe_row (Step *s, gboolean shown)
{
  g_auto (LsRowWords) words = { NULL };
  ls_row_step (s->pass, s->step, &s->row);
  ls_row_step_words (s->pass, s->step, shown, &words);
  s->after = g_steal_pointer (&words.change);
  s->why = g_steal_pointer (&words.why);
}

/* The steps that the options name: Step. shown: in the reader's language. */
static GArray *
find_steps (const LsCliOptions *o, LsTrace *t, gboolean shown)
{
  const LsPass *only = o->pass ? ls_cli_pass (o, t, NULL) : NULL;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (out, step_clear);
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *pass = t->passes->pdata[i];
    if (only ? pass != only : o->kernel >= 0 && pass->kernel != (guint) o->kernel)
      continue;
    for (guint k = 1; k <= ls_pass_n_steps (pass); k++) {
      Step s = { pass, k, pass->kind == LS_PASS_REWRITE ? ls_pass_step_link (pass, k) : NULL };
      if (s.link && s.link->rule >= 0 && (guint) s.link->rule < t->rules->len)
        s.rule = t->rules->pdata[s.link->rule];
      if ((o->rule && (!s.rule || g_strcmp0 (s.rule->name, o->rule) != 0)) || (o->step >= 0 && k != (guint) o->step))
        continue;
      if (s.link) {
        describe_rewrite (t, &s);
        s.parts = ls_step_parts (t, pass, k, shown);
      } else {
        describe_row (&s, shown);
      }
      g_array_append_val (out, s);
    }
  }
  return out;
}

/* nested: with the steps that it is made of. */
static void
print_step (LsTrace *t, const Step *s, gboolean nested)
{
  const LsPosition at = { t, s->pass, s->step };
  g_autofree char *place = ls_cli_place (&at, -22);
  if (!s->link) {
    printf ("%s %s%s%s%s\n", place, s->after ? s->after : "?", s->why ? " (" : "", s->why ? s->why : "", s->why ? ")" : "");
    return;
  }
  printf ("%s %-24s %6u -> %-6u ", place, s->rule ? s->rule->name : "?", s->link->before, s->link->after);
  print_change (s->before, s->after);
  for (guint i = 0; nested && s->parts && i < s->parts->len; i++) {
    const LsStepPart *part = &g_array_index (s->parts, LsStepPart, i);
    printf ("%24s%u.%u %s: %s\n", "", s->step, i + 1, part->text, ls_shown (part->why));
  }
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  if (!t || !ls_cli_check_kernel (o, t, 0, error) || (o->rule && !check_rule (t, o->rule, error)) ||
      ((o->pass || o->step >= 0) && !check_place (o, t, error)))
    return LS_EXIT_WRONG;
  if (o->visits)
    return ls_cli_visits (o, t, error);
  g_autoptr (GArray) steps = find_steps (o, t, !o->json && !o->csv);
  if (!ls_cli_answer (o, &ls_steps_answer, steps, t->ctx, t))
    for (guint i = 0; i < steps->len; i++)
      print_step (t, &g_array_index (steps, Step, i), o->pass != NULL);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_steps = { run, 
  N_("Lists all steps, or those of one kernel, pass or rule. With a pass, the nested steps of those that an algorithm made are below "
     "them.\n"
     "With --visits and --pass: lists the visits of the pass's driver to the nodes of its graph, and with --step those that led to "
     "the step, with the stack and each rule.") };
