/* lazyscope-cli what-if: a program as it is, and with decisions of its schedules turned around. */
#include "cli.h"

#include "measure/compare-runs.h"

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (!o->how.schedule_choices)
    return ls_cli_refuse (error, "what-if: --variant schedule=rN:ACTION:REASON@LINE.CALL is needed; show FILE --stage schedule --json "
                                 "names the decisions that can be turned around (what_if)");
  LsCliOptions as_it_is = *o;
  ls_variant_copy (&as_it_is.how, &o->how);
  g_clear_pointer (&as_it_is.how.schedule_choices, g_free);
  g_autoptr (LsTrace) a = ls_cli_open_whole (&as_it_is, *files, error), b = a ? ls_cli_open_whole (o, *files, error) : NULL;
  double seconds = ls_cli_given (o, seconds) ? o->seconds : 0;
  g_autoptr (LsRunsCompared) c = b ? ls_compare_runs (a, b, &as_it_is.how, seconds) : NULL;
  ls_variant_clear (&as_it_is.how);
  if (!c)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_runs_compared_answer, c, NULL, c)) {
    g_autofree char *text = ls_runs_compared_text (c, TRUE);
    puts (text);
  }
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_what_if = {
  run, N_("Runs a program twice: as it is, and with decisions of its schedules turned around "
          "(--variant schedule=rN:ACTION:REASON@LINE.CALL). Says what kernels, bytes, memory and results become; with --seconds N the "
          "kernels that differ are timed."),
};
