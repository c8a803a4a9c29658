/* How far exp2, log2 and sin are off: of floats over all of them, by the kernels that the pipeline makes, compiled by the compiler for
 * times, against the functions of doubles; of doubles over 10^7, against those of long doubles.
 *
 *   bench-transcendental [every how many-th float, 1] [exp2|log2|sin] */
#include <stdio.h>
#include <stdlib.h>

#include "../functions.h"
#include "../kernels.h"
#include "pipeline/launch.h"
#include "run/run.h"

#define BATCH (1u << 22)

static LsUOp *
kernel (LsContext *ctx, LsOp op)
{
  const gint64 axis[3] = { 0, LS_AXIS_LOOP, 0 };
  LsUOp *i = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, BATCH), ls_arg_ints (ctx, 3, axis));
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_FLOAT, BATCH), i, ls_uop_alu1 (ctx, op, k_load (ctx, k_global (ctx, 1, LS_FLOAT, BATCH),
                                                                                                    i)));
  return k_sink (ctx, 1, &store);
}

static double units_of (float got, double want) { return units_off (LS_FLOAT, (long double) want, got); }

static void
measure_all (LsOp op, const char *name, guint64 step)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsSettings settings;
  ls_settings_init (&settings);
  g_auto (LsPipeline) p = { ctx, library, &settings, ls_target_find ("c") };
  p.graph = kernel (ctx, op);
  p.name = g_strdup ("f");
  LsBuffer *b[2] = { ls_runner_buffer_new (runner, 0, LS_FLOAT, BATCH, &error), ls_runner_buffer_new (runner, 1, LS_FLOAT, BATCH, &error) };
  if (!ls_pipeline_run (&p, LS_STAGE_DECOMPOSE, LS_STAGE_RENDER, &error) || !b[0] || !b[1])
    g_error ("%s", error->message);
  g_autofree char *source = ls_launch_source (p.target, &settings, p.rendered->source);
  LsLaunch what = { .compiler = ls_compiler_for_times ("c")->name, .name = "f", .source = source,
                    .flags = "-O2 -march=native", .n_buffers = 2, .buffers = b,
                    .timeout_ms = 60000 };
  guint64 n_wrong = 0, n = 0, ns = 0;
  double worst = 0;
  float at = 0;
  for (guint64 first = 0; first < (guint64) 1 << 32; first += BATCH * step) {
    for (guint64 k = 0; k < BATCH; k++) {
      guint32 bits = (guint32) MIN (first + k * step, G_MAXUINT32);
      memcpy (b[1]->data + k * sizeof bits, &bits, sizeof bits);
    }
    LsLaunchResult result;
    if (!ls_runner_launch (runner, &what, &result, &error))
      g_error ("%s", error->message);
    ns += result.run_ns[0];
    ls_launch_result_clear (&result);
    for (guint64 k = 0; k < BATCH; k++) {
      float x = ((const float *) (gconstpointer) b[1]->data)[k], got = ((const float *) (gconstpointer) b[0]->data)[k];
      double want = op == LS_OP_EXP2 ? exp2 (x) : op == LS_OP_LOG2 ? log2 (x) : sin (x);
      float rounded = (float) want;
      n++;
      if (isnan (rounded) || isnan (got) || isinf (rounded) || isinf (got))
        n_wrong += isnan (rounded) != isnan (got) || (!isnan (got) && rounded != got);
      else if (got != rounded) {
        double units = units_of (got, want);
        n_wrong += rounded == 0 && signbit (rounded) != signbit (got);
        at = units > worst ? x : at;
        worst = MAX (worst, units);
      } else
        n_wrong += got == 0 && signbit (rounded) != signbit (got);
    }
  }
  printf ("%-5s %10" G_GUINT64_FORMAT " floats: at most %.3f units of the last place, at %a; %" G_GUINT64_FORMAT
          " wrong NaN, infinities or signs of zero; %.2f ns each by %s\n", name, n, worst, at, n_wrong,
          (double) ns / (double) n, what.compiler);
  fflush (stdout);
}

static void
measure_doubles (const LsFunction *f)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Worst worst = { 0 };
  for (guint i = 0; i < 10000000; i++) {
    double x = argument (rand, f->dtype, i);
    measure_value (f->op, f->dtype, x, call_function (f, x), &worst);
  }
  printf ("%-5s   10000000 doubles: at most %.3f units of the last place, at %a; %" G_GUINT64_FORMAT
          " wrong NaN, infinities or signs of zero\n", f->name, worst.units, worst.at, worst.n_wrong);
}

int
main (int argc, char **argv)
{
  static const struct { LsOp op; const char *name; } functions[] = { { LS_OP_EXP2, "exp2" }, { LS_OP_LOG2, "log2" }, { LS_OP_SIN, "sin" } };
  guint64 step = argc > 1 ? MAX (1, strtoull (argv[1], NULL, 10)) : 1;
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (argc < 3 || g_str_equal (argv[2], functions[i].name))
      measure_all (functions[i].op, functions[i].name, step);
  for (const LsFunction *f = ls_functions; f->name; f++)
    if (f->dtype == LS_DOUBLE && (argc < 3 || g_str_equal (argv[2], f->name)))
      measure_doubles (f);
  return 0;
}
