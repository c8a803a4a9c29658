/* The replacements of exp2, log2 and sin with TRANSCENDENTAL=2 (the set decompose), and exp2 in profile=modern (spell), against the
 * functions of a longer float. */
#pragma once
#include "codegen/codegen.h"
#include "flat.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The function of a variable as the set's rules write it. */
static inline void
polynomial (LsContext *ctx, const char *set, LsOp op, LsDType dtype, Flat *f)
{
  static LsRuleLibrary *library;
  g_autoptr (GError) error = NULL;
  if (!library)
    library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  LsDecomposeContext all = { .polynomials = ~0u };
  LsRewrite rw = { ctx, library, set, LS_REWRITE_BOTTOM_UP, 1000, NULL, &all };
  LsUOp *x = flat_variable (ctx, dtype), *out = ls_graph_rewrite (&rw, ls_uop_alu1 (ctx, op, x), &error);
  g_assert_no_error (error);
  flatten (ctx, out, x, f);
  for (guint i = 0; i < f->n; i++)
    g_assert_true (f->nodes[i]->op != op);
}

static inline double value_at (const Flat *f, double x) { return flat_value (f, (LsScalar) { .f = x }).f; }

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

static inline void
measure (const Flat *f, LsOp op, LsDType dtype, double x, Worst *worst)
{
  measure_value (op, dtype, x, value_at (f, x), worst);
}
