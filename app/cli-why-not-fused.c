/* lazyscope-cli why-not-fused: why two kernels are two. */
#include "cli.h"

#include "ask/ask.h"

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (o->kernel < 1 || o->with < 1)
    return ls_cli_refuse (error, "why-not-fused: --kernel A and --with B are needed");
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  g_autoptr (LsWhyNotFused) w = t ? ls_why_not_fused (t, (guint) o->kernel, (guint) o->with, error) : NULL;
  if (!w)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_why_not_fused_answer, w, t->ctx, w)) {
    g_autofree char *text = ls_why_not_fused_text (w, TRUE);
    puts (text);
  }
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_why_not_fused = {
  run, N_("Explains why two kernels were not made one: --kernel A --with B. Says which value goes from one to the other, the reason for "
       "which it is stored, the reasons that would hold without that one, and the cost of one kernel of both."),
};
