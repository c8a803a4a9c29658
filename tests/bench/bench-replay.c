/* How long it takes to have a step of a long pass ready to show: root evaluated, diff computed.
 *
 * The pass is made by a rule that counts constants down: NODES sums with constants from STEPS/NODES make STEPS steps. Prints the median, 99th percentile and
 * maximum over random jumps in milliseconds. Usage: bench-replay [STEPS [NODES]]
 */
#include "rewrite/rewrite.h"
#include "trace/trace.h"

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
  guint steps = argc > 1 ? (guint) atoi (argv[1]) : 1000000, nodes = argc > 2 ? (guint) atoi (argv[2]) : 1000;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_autoptr (LsRuleLibrary) library =
    ls_rule_library_parse ("# A constant is counted down.\ncount-down: x:index + $a -> x + ($a - 1) when $a > 0\n", "bench.rules", &error);
  g_assert_no_error (error);
  /* sums in a row: ((i + c) * 2 + c) * 2 … with a product between, so that each sum counts down by itself */
  gint64 arg[3] = { 0, LS_AXIS_LOOP, 0 };
  LsUOp *i = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, 2), ls_arg_ints (ctx, 3, arg)), *x = i;
  for (guint k = 0; k < nodes; k++) {
    LsUOp *term = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, i, ls_uop_const_i (ctx, LS_INDEX, k + 2)), ls_uop_const_i (ctx, LS_INDEX, steps / nodes));
    x = ls_uop_alu2 (ctx, LS_OP_MAX, x, term);
  }
  double start = now_ms ();
  LsRewrite rw = { ctx, library, "bench", LS_REWRITE_BOTTOM_UP, 0, NULL, NULL };
  rw.recorder = ls_pass_begin (trace, 0, "bench", "bench", rw.mode, x, library);
  LsUOp *out = ls_graph_rewrite (&rw, x, &error);
  g_assert_no_error (error);
  LsPass *pass = ls_pass_end (rw.recorder, out, 0);
  printf ("%u steps over %u nodes recorded in %.0f ms\n", ls_pass_n_steps (pass), nodes * 2, now_ms () - start);
  g_assert_true (ls_pass_root_at (trace, pass, ls_pass_n_steps (pass)) == out);
  enum { JUMPS = 1000 };
  static double root[JUMPS], diff[JUMPS];
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint k = 0; k < JUMPS; k++) {
    guint step = (guint) g_rand_int_range (rand, 1, (gint32) ls_pass_n_steps (pass) + 1);
    start = now_ms ();
    ls_pass_root_at (trace, pass, step);
    root[k] = now_ms () - start;
    start = now_ms ();
    LsGraphDiff *d = ls_pass_diff_step (trace, pass, step);
    diff[k] = now_ms () - start;
    ls_graph_diff_free (d);
  }
  report ("root of a step", root, JUMPS);
  report ("root and diff", diff, JUMPS);
  return 0;
}
