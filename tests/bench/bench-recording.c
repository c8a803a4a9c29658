/* What recording in memory costs: the pipeline's milliseconds with and without it, for each program given.
 *
 *   bench-recording FILE.py…
 *
 * Runs with and without take turns, so that a slow moment of the machine falls on both; the numbers are medians, and the last line is
 * the ratio of their sums.
 */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_RUNS = 101 };

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static double
run_ms (LsRuleLibrary *library, const char *text, const char *file, gboolean recording)
{
  LsSettings settings;
  g_autoptr (GError) error = NULL;
  ls_settings_init (&settings);
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), "tcc", library);
  s->execute = FALSE;
  s->recording = recording;
  gint64 start = g_get_monotonic_time ();
  if (!ls_session_run_program (s, text, file, &error))
    g_error ("%s", error->message);
  return (double) (g_get_monotonic_time () - start) / 1e3;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  double sums[2] = { 0, 0 };
  g_assert_no_error (error);
  if (argc < 2) {
    fprintf (stderr, "usage: bench-recording FILE.py...\n");
    return 2;
  }
  printf ("%-28s %10s %10s %8s\n", "program", "without", "with", "cost");
  for (int a = 1; a < argc; a++) {
    g_autofree char *text = NULL, *name = g_path_get_basename (argv[a]);
    double ms[2][N_RUNS];
    if (!g_file_get_contents (argv[a], &text, NULL, &error)) {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
    for (int i = -5; i < N_RUNS; i++)
      for (int recording = 0; recording < 2; recording++) {
        double t = run_ms (library, text, argv[a], recording);
        if (i >= 0)
          ms[recording][i] = t;
      }
    for (int recording = 0; recording < 2; recording++) {
      qsort (ms[recording], N_RUNS, sizeof (double), by_value);
      sums[recording] += ms[recording][N_RUNS / 2];
    }
    printf ("%-28s %7.3f ms %7.3f ms %6.1f %%\n", name, ms[0][N_RUNS / 2], ms[1][N_RUNS / 2],
            (ms[1][N_RUNS / 2] / ms[0][N_RUNS / 2] - 1) * 100);
  }
  printf ("%-28s %7.3f ms %7.3f ms %6.1f %%\n", "all", sums[0], sums[1], (sums[1] / sums[0] - 1) * 100);
  return 0;
}
