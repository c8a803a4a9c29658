/* exp2, log2 and sin against the functions of a longer float; and exp2 as profile=modern writes it (the set spell). */
#pragma once
#include "codegen/codegen.h"
#include "flat.h"
#include "ir/functions.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* exp2 of a variable as the rules of profile=modern write it. */
static inline void
modern_exp2 (LsContext *ctx, Flat *f)
{
  static LsRuleLibrary *library;
  g_autoptr (GError) error = NULL;
  if (!library)
    library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  LsRewrite rw = { ctx, library, "spell", LS_REWRITE_BOTTOM_UP, 1000 };
  LsUOp *x = flat_variable (ctx, LS_FLOAT), *out = ls_graph_rewrite (&rw, ls_uop_alu1 (ctx, LS_OP_EXP2, x), &error);
  g_assert_no_error (error);
  flatten (ctx, out, x, f);
  for (guint i = 0; i < f->n; i++)
    g_assert_true (f->nodes[i]->op != LS_OP_EXP2);
}

static inline double
call_function (const LsFunction *f, double x)
{
  if (f->dtype == LS_DOUBLE)
    return ((double (*) (double)) f->call) (x);
  return (double) ((float (*) (float)) f->call) ((float) x);
}

typedef struct { double units, at; guint64 n_wrong; } Worst;      /* n_wrong: NaN, infinities and signs of zero that are not the
                                                                   * function's */

static inline long double
exact (LsOp op, double x)
{
  return op == LS_OP_EXP2 ? exp2l (x) : op == LS_OP_LOG2 ? log2l (x) : sinl (x);
}

/* The error in units in the last place of the rounded function value. */
static inline double
units_off (LsDType dtype, long double want, double got)
{
  LsBase base = ls_dtype_base (dtype);
  int digits = base == LS_BASE_DOUBLE ? 53 : base == LS_BASE_FLOAT ? 24 : base == LS_BASE_HALF ? 11 : 8;
  int least = base == LS_BASE_DOUBLE ? -1074 : base == LS_BASE_FLOAT ? -149 : base == LS_BASE_HALF ? -24 : -133, exponent;
  frexpl (want, &exponent);
  return (double) (fabsl ((long double) got - want) / ldexpl (1, want == 0 ? least : MAX (exponent - digits, least)));
}

static inline void
measure_value (LsOp op, LsDType dtype, double x, double got, Worst *worst)
{
  long double exactly = exact (op, x);
  double want = ls_scalar_fit (dtype, (LsScalar) { .f = (double) exactly }).f;
  if (isnan (want) || isnan (got) || isinf (want) || isinf (got) || want == 0 || got == 0) {
    gboolean tiny = fabsl (exactly) < 2 * ldexpl (1, -1074) || (want == 0) != (got == 0);      /* half a unit above nothing, or below it */
    if (isnan (want) != isnan (got) || (!isnan (want) && (isinf (want) || isinf (got) ? want != got : signbit (want) != signbit (got) ||
                                                          (!tiny && want != got))))
      worst->n_wrong++;
    return;
  }
  double units = units_off (dtype, exactly, got);
  if (units > worst->units) {
    worst->units = units;
    worst->at = x;
  }
}

/* Arguments: any bits; numbers of ordinary size; near 1, where log2 is small; whole numbers; and for sin the floats nearest to multiples of
 * pi/2. The first ones are special. */
static inline double
argument (GRand *rand, LsDType dtype, guint i)
{
  static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffcp-127,
                                    0x1.fffffep127, -0x1.fffffep127, 128, 127.99999, -126, -149, -150, -151, 1e30, 0x1p-12,
                                    -0x1p-12, 0x1.921fb6p-1, 0x1.921fb4p-1, 0x1p-1074, 0x1p-1022, 1024, -1022, -1074, -1075, -1076,
                                    0x1.fffffffffffffp1023, 0x1.6a09e6p-1, 0x1.6a09e8p-1, 0x1.6a09e6p0, 0x1.921fb54442d18p0,
                                    0x1.6ac5b262ca1ffp849, 0x1p-26, 0x1p-27, 0x1.921fb54442d18p-1, 0.5, -0.5, 1.5, 129.5, -151.5 };
  gboolean is_double = dtype == LS_DOUBLE;
  guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
  double x;
  float single;
  memcpy (&single, &bits, sizeof single);
  memcpy (&x, &bits, sizeof x);
  if (i < G_N_ELEMENTS (special))
    x = special[i];
  else
    switch (i % 5) {
    case 0: x = is_double ? x : (double) single; break;
    case 1: x = is_double ? g_rand_double_range (rand, -1100, 1100) : g_rand_double_range (rand, -160, 160); break;
    case 2: x = 1 + g_rand_double_range (rand, -1, 1) * pow (2, -g_rand_int_range (rand, 0, is_double ? 52 : 26)); break;
    case 3: x = g_rand_int_range (rand, -1100, 1100); break;
    default: x = (double) g_rand_int (rand) * (1 << g_rand_int_range (rand, 0, 20)) * M_PI / 2; break;
    }
  return is_double ? x : (double) (float) x;
}
