/* The steps of a pass as the step list, the slider and its tooltips read them. */
#include "steps.h"
#include "trace/row-steps.h"
#include "kit/text.h"

#include <string.h>

LsSteps
ls_steps_of (LsTrace *trace, const LsPass *pass)
{
  return (LsSteps) { trace, pass && *ls_pass_statement (pass) ? trace->passes->pdata[0] : pass };
}

gboolean
ls_steps_are_statements (LsSteps steps)
{
  return steps.pass && *ls_pass_statement (steps.pass);
}

gboolean
ls_steps_are_rewrites (LsSteps steps)
{
  return steps.pass && steps.pass->kind == LS_PASS_REWRITE;
}

guint
ls_steps_n (LsSteps steps)
{
  return ls_steps_are_statements (steps) ? steps.trace->passes->len : steps.pass ? ls_pass_n_steps (steps.pass) : 0;
}

const LsTraceRule *
ls_steps_rule (LsSteps steps, guint step)
{
  if (step < 1 || step > ls_steps_n (steps) || !ls_steps_are_rewrites (steps))
    return NULL;
  gint rule = ls_pass_step_link (steps.pass, step)->rule;
  return rule >= 0 && rule < (gint) steps.trace->rules->len ? steps.trace->rules->pdata[rule] : NULL;
}

char *
ls_steps_dup_name (LsSteps steps, guint step)
{
  const LsTraceRule *rule = ls_steps_rule (steps, step);
  g_autofree char *row = steps.pass && !rule ? ls_row_step_name (steps.pass, step, TRUE) : NULL;
  gboolean statement = step >= 1 && step <= ls_steps_n (steps) && ls_steps_are_statements (steps);
  const char *text = statement ? strstr (ls_pass_statement (steps.trace->passes->pdata[step - 1]), ": ") : NULL;
  return ls_text_cut (rule ? rule->name : row ? row : text ? text + strlen (": ") : "?", 200);
}

guint32
ls_steps_ns (LsSteps steps, guint step)
{
  if (step < 1 || step > ls_steps_n (steps))
    return 0;
  return ls_steps_are_statements (steps) ? (guint32) MIN (((LsPass *) steps.trace->passes->pdata[step - 1])->ns, G_MAXUINT32)
                                         : ls_steps_are_rewrites (steps) ? ls_pass_step_link (steps.pass, step)->ns : 0;
}
