/* Sums of index as lists of terms: what the builders of index rules compute with. */
#pragma once
#include "ir/uop.h"

#define LS_MAX_TERMS 32

/* The sum of coef[i] * term[i], plus constant. Terms are not sums, products with constants, or constants, and differ. */
typedef struct {
  guint   n;
  LsUOp  *term[LS_MAX_TERMS];
  gint64  coef[LS_MAX_TERMS];
  gint64  constant;
} LsLinear;

/* FALSE where there are too many terms or a number does not fit. */
gboolean ls_linear_from (LsUOp *u, LsLinear *out);
LsUOp   *ls_linear_build (LsContext *ctx, const LsLinear *linear);
/* Bounds of the sum; FALSE where they do not fit 64 bits. */
gboolean ls_linear_bounds (const LsLinear *linear, gint64 *lo, gint64 *hi);
gint64   ls_floordiv (gint64 a, gint64 b);
gint64   ls_gcd (gint64 a, gint64 b);
/* Does u depend on the node? */
gboolean ls_uop_depends (LsContext *ctx, LsUOp *u, LsUOp *on);
