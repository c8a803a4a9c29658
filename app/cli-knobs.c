/* lazyscope-cli knobs: a kernel with each setting, target, compiler, flag and option alone. */
#include "cli.h"
#include "measure/knobs.h"
#include "share/page-comparison.h"

static void
print_text (const LsKnobs *k)
{
  const LsComparison *c = k->comparison;
  LsList rows = ls_list_array (k->rows);
  g_autofree char *machine = ls_sentence_shown (c->machine), *compiler = ls_comparison_compiler (&c->variants[0]),
                  *table = ls_answer_table (&ls_knob_answer, &rows, &(LsAnswering) { .data = k });
  printf (_("kernel %u (%s) on %s, by %s\n"), c->kernel, c->kernel_name, machine, compiler);
  if (c->times)
    printf (_("%u rounds; the first against itself: %.3f\n"), c->times->n_rounds, c->times->control.ratio);
  printf ("\n%s", table);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  g_autoptr (LsTrace) trace = ls_cli_open (o, *files, error);
  gboolean ok = trace && ls_cli_check_kernel (o, trace, 1, error) && ls_cli_take_recorded (o, trace, kernel, error);
  g_autoptr (LsKnobs) knobs = ok ? ls_knobs (trace, kernel, &o->how, o->seconds, error) : NULL;
  if (!knobs)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_knobs_answer, knobs, NULL, knobs))
    print_text (knobs);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_knobs = {
  run, N_("Compiles and times a kernel with each setting, target, compiler, flag and option alone, and says which have the same code, "
       "which are faster or slower, and where their rewrites part."),
};
