/* How long it takes to have a step of a long pass ready to show: graph made, diff computed.
 *
 * The pass is that of million.h. Prints the median, 99th percentile and maximum over random jumps in milliseconds. Usage:
 * bench-replay [STEPS [TERMS]]
 */
#include "million.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
report (const char *what, double *ms, guint n)
{
  qsort (ms, n, sizeof *ms, compare);
  printf ("%-22s median %8.3f ms   p99 %8.3f ms   max %8.3f ms\n", what, ms[n / 2], ms[n * 99 / 100], ms[n - 1]);
}

int
main (int argc, char **argv)
{
  guint steps = argc > 1 ? (guint) atoi (argv[1]) : 1000000, terms = argc > 2 ? (guint) atoi (argv[2]) : 1000;
  double start = now_ms ();
  g_autoptr (LsTrace) trace = million_new (steps, terms);
  const LsPass *pass = trace->passes->pdata[0];
  printf ("%u steps over %u sums recorded in %.0f ms\n", ls_pass_n_rewrites (pass), terms, now_ms () - start);
  enum { JUMPS = 1000 };
  static double root[JUMPS], diff[JUMPS];
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint k = 0; k < JUMPS; k++) {
    guint step = (guint) g_rand_int_range (rand, 1, (gint32) ls_pass_n_rewrites (pass) + 1);
    start = now_ms ();
    ls_graph_unref (ls_pass_graph (trace, pass, step));
    root[k] = now_ms () - start;
    start = now_ms ();
    LsGraphDiff *d = ls_pass_diff_step (trace, pass, step);
    diff[k] = now_ms () - start;
    ls_graph_diff_unref (d);
  }
  report ("graph of a step", root, JUMPS);
  report ("graphs and diff", diff, JUMPS);
  return 0;
}
