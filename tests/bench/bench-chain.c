/* Programs of 100 to 100,000 statements "x = x + y": milliseconds of the whole pipeline with recording in memory, which must grow linearly.
 *
 *   bench-chain [STATEMENTS…]
 *
 * The program's text is evaluated, too; nothing is compiled or run. Each number is the median of seven sessions (three beyond 10,000).
 */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <stdlib.h>

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static double
run_ms (LsRuleLibrary *library, const char *text)
{
  LsSettings settings;
  g_autoptr (GError) error = NULL;
  ls_settings_init (&settings);
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), "tcc", library);
  s->execute = FALSE;
  gint64 start = g_get_monotonic_time ();
  if (!ls_session_run_program (s, text, "chain.py", &error))
    g_error ("%s", error->message);
  return (double) (g_get_monotonic_time () - start) / 1e3;
}

int
main (int argc, char **argv)
{
  static const char *const usual[] = { "100", "1000", "10000", "100000", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  printf ("%10s %12s %16s\n", "statements", "ms", "us a statement");
  for (const char *const *a = argc > 1 ? (const char *const *) argv + 1 : usual; *a; a++) {
    guint n = (guint) g_ascii_strtoull (*a, NULL, 10), n_runs = n > 10000 ? 3 : 7;
    g_autoptr (GString) text = g_string_new ("from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0, 4.0])\ny = Tensor([5.0, 6.0, 7.0, "
                                             "8.0])\n");
    double ms[7];
    for (guint i = 0; i < n; i++)
      g_string_append (text, "x = x + y\n");
    g_string_append (text, "x.realize()\n");
    for (guint i = 0; i < n_runs; i++)
      ms[i] = run_ms (library, text->str);
    qsort (ms, n_runs, sizeof *ms, by_value);
    printf ("%10u %12.3f %16.3f\n", n, ms[n_runs / 2], ms[n_runs / 2] * 1e3 / MAX (n, 1));
    fflush (stdout);
  }
  return 0;
}
