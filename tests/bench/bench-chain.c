/* Programs of 100 to 100,000 statements "x = x + y": milliseconds of the whole pipeline with recording in memory, which must grow linearly,
 * and of the graphs after its statements, as the window opens them (at most 4,096).
 *
 *   bench-chain [STATEMENTS…]
 *
 * The program's text is evaluated, too; nothing is compiled or run. Each number is the median of seven sessions (three beyond 10,000).
 */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static double
run_ms (LsRuleLibrary *library, const char *text, double *open_ms)
{
  LsSettings settings;
  g_autoptr (GError) error = NULL;
  ls_settings_init (&settings);
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), "tcc", library);
  s->execute = FALSE;
  gint64 start = g_get_monotonic_time ();
  if (!ls_session_run_program (s, text, "chain.py", &error))
    g_error ("%s", error->message);
  gint64 ran = g_get_monotonic_time ();
  g_autoptr (LsTrace) statements = ls_trace_statements (s->trace);
  *open_ms = statements ? (double) (g_get_monotonic_time () - ran) / 1e3 : NAN;
  return (double) (ran - start) / 1e3;
}

int
main (int argc, char **argv)
{
  static const char *const usual[] = { "100", "1000", "10000", "100000", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  printf ("%10s %12s %16s %12s\n", "statements", "ms", "us a statement", "ms to open");
  for (const char *const *a = argc > 1 ? (const char *const *) argv + 1 : usual; *a; a++) {
    guint n = (guint) g_ascii_strtoull (*a, NULL, 10), n_runs = n > 10000 ? 3 : 7;
    g_autoptr (GString) text = g_string_new ("from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0, 4.0])\ny = Tensor([5.0, 6.0, 7.0, "
                                             "8.0])\n");
    double ms[7], open_ms[7];
    for (guint i = 0; i < n; i++)
      g_string_append (text, "x = x + y\n");
    g_string_append (text, "x.realize()\n");
    for (guint i = 0; i < n_runs; i++)
      ms[i] = run_ms (library, text->str, &open_ms[i]);
    qsort (ms, n_runs, sizeof *ms, by_value);
    qsort (open_ms, n_runs, sizeof *open_ms, by_value);
    printf ("%10u %12.3f %16.3f %12.3f\n", n, ms[n_runs / 2], ms[n_runs / 2] * 1e3 / MAX (n, 1), open_ms[n_runs / 2]);
    fflush (stdout);
  }
  return 0;
}
