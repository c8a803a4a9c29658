/* How good the judgement of times is: kernels against themselves, of which none should be called faster or slower, and against ones
 * that take 5 % longer, each of which should be.
 *
 *   bench-measure [COMPARISONS] [SECONDS of each, at most] [only kernels of this kind, from 0] */
#include <stdio.h>
#include <stdlib.h>

#include "run/measure.h"

/* Twenty blocks of work, or twenty-one; of three kinds: arithmetic that waits for itself, memory in the first-level cache, and memory
 * beside the caches. */
static const struct { const char *name, *source; guint64 n; } kinds[] = {
  { "chain",  "void f (float *out, const float *in) { float x = in[0]; for (int r = 0; r < 100 * %d; r++) x = x * 0.999f + 0.5f; out[0] = "
              "x; }\n", 1024 },
  { "cache",  "void f (float *out, const float *in) { for (int r = 0; r < %d; r++) for (int i = 0; i < 1024; i++) out[i] = out[i] * 0.5f "
              "+ in[i]; }\n", 1024 },
  { "memory", "void f (float *out, const float *in) { for (int i = 0; i < 100000 * %d; i++) out[i] = in[i] * 0.5f; }\n", 2200000 },
};

static LsTimeVerdict
compare (guint kind, gboolean longer, double seconds, guint32 seed, double *took, double *ratio, double *control, guint *rounds)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *buffers[2];
  g_autofree char *a = NULL, *b = NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  a = g_strdup_printf (kinds[kind].source, 20);
  b = g_strdup_printf (kinds[kind].source, longer ? 21 : 20);
#pragma GCC diagnostic pop
  for (guint k = 0; k < 2; k++)
    buffers[k] = ls_runner_buffer_new (runner, k, LS_FLOAT, kinds[kind].n, NULL);
  LsLaunch launches[2] = { { .compiler = ls_compiler_for_times ("c")->name, .name = "f", .source = a, .n_buffers = 2, .buffers = buffers,
                             .timeout_ms = 10000 } };
  launches[1] = launches[0];
  launches[1].source = b;
  LsMeasureHow how = { .seconds = seconds, .seed = seed, .even_same_code = TRUE };
  g_autoptr (LsMeasurement) m = ls_measure (runner, 2, launches, &how);
  *took = m->seconds;
  *ratio = m->of[1].ratio;
  *control = m->control.ratio;
  *rounds = m->n_rounds;
  return m->of[1].verdict;
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 100;
  double seconds = argc > 2 ? atof (argv[2]) : 2;
  int only = argc > 3 ? atoi (argv[3]) : -1;
  for (int longer = 0; longer < 2; longer++) {
    guint count[LS_N_TIMES] = { 0 };
    double all = 0, most = 0;
    for (guint i = 0; i < n; i++) {
      double took, ratio, control;
      guint rounds;
      LsTimeVerdict v = compare (only < 0 ? i % G_N_ELEMENTS (kinds) : (guint) only, longer != 0, seconds, i + 1, &took, &ratio, &control,
                                 &rounds);
      count[v]++;
      all += took;
      most = MAX (most, took);
      if ((v == LS_TIME_SLOWER || v == LS_TIME_FASTER) != (longer != 0) || v == LS_TIME_FAILED)
        printf ("  %s %s: %s, ratio %.4f, control %.4f, after %u rounds, %.1f s\n",
                kinds[only < 0 ? i % G_N_ELEMENTS (kinds) : (guint) only].name, longer ? "5 % longer" : "against itself",
                ls_time_verdict_name (v), ratio, control, rounds, took);
    }
    printf ("%s, %u comparisons:", longer ? "5 % longer" : "against itself", n);
    for (guint v = 0; v < LS_N_TIMES; v++)
      if (count[v])
        printf (" %s %u", ls_time_verdict_name (v), count[v]);
    printf ("; %.1f s each, at most %.1f s\n", all / n, most);
    fflush (stdout);
  }
  return 0;
}
