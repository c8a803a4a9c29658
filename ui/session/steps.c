/* The steps of a pass as the step list, the slider and its tooltips read them. */
#include "steps.h"

guint
ls_steps_n (LsSteps steps)
{
  return steps.pass ? ls_pass_n_steps (steps.pass) : 0;
}

const LsTraceRule *
ls_steps_rule (LsSteps steps, guint step)
{
  if (step < 1 || step > ls_steps_n (steps))
    return NULL;
  gint rule = ls_pass_step_link (steps.pass, step)->rule;
  return rule >= 0 && rule < (gint) steps.trace->rules->len ? steps.trace->rules->pdata[rule] : NULL;
}

guint32
ls_steps_ns (LsSteps steps, guint step)
{
  return step >= 1 && step <= ls_steps_n (steps) ? ls_pass_step_link (steps.pass, step)->ns : 0;
}
