/* Elementwise functions composed of the ALU ops: rounding, exponentials, trigonometry, activations.
 *
 * Formulas with a name are cited where they stand (A&S: Abramowitz and Stegun, Handbook of Mathematical Functions).
 */
#include "tensor.h"

#include <math.h>

#define N(x) ls_operand_node (x)
#define I(x) ls_operand_int (x)
#define F(x) ls_operand_float (x)
#define ADD(a, b) ls_tensor_add (t, a, b)
#define SUB(a, b) ls_tensor_sub (t, a, b)
#define MUL(a, b) ls_tensor_mul (t, a, b)
#define DIV(a, b) ls_tensor_div (t, a, b)
#define WHERE(c, a, b) ls_tensor_where (t, c, a, b)

/* A function of one tensor, with its call recorded. */
#define FUNCTION(name, expression) \
  LsUOp * \
  ls_tensor_##name (LsTensors *t, LsUOp *x) \
  { \
    if (!x) \
      return NULL; \
    ls_tensors_begin (t, #name, "x", x); \
    return ls_tensors_end (t, expression); \
  }
#define FUNCTION2(name, expression) \
  LsUOp * \
  ls_tensor_##name (LsTensors *t, LsUOp *x, double p) \
  { \
    if (!x) \
      return NULL; \
    LsOperand parameter = F (p); \
    ls_tensors_begin (t, #name, "xo", x, &parameter); \
    return ls_tensors_end (t, expression); \
  }

/* Signs and rounding. */
FUNCTION (square, MUL (N (x), N (x)))
FUNCTION (abs, ls_dtype_is_bool (x->dtype) || ls_dtype_is_unsigned (x->dtype) ? x
                 : WHERE (ls_tensor_lt (t, N (x), I (0)), N (ls_tensor_neg (t, x)), N (x)))
FUNCTION (isnan, ls_tensor_ne (t, N (x), N (x)))
FUNCTION (isinf, ls_tensor_bitwise_or (t, N (ls_tensor_eq (t, N (x), F (INFINITY))), N (ls_tensor_eq (t, N (x), F (-INFINITY)))))
FUNCTION (isfinite, ls_tensor_logical_not (t, ls_tensor_bitwise_or (t, N (ls_tensor_isinf (t, x)), N (ls_tensor_isnan (t, x)))))

LsUOp *
ls_tensor_sign (LsTensors *t, LsUOp *x)
{
  if (!x || ls_dtype_is_bool (x->dtype))
    return x;
  ls_tensors_begin (t, "sign", "x", x);
  LsUOp *one = ls_tensor_full_like (t, x, I (1), 0), *zero = ls_tensor_full_like (t, x, I (0), 0);
  LsUOp *minus = ls_tensor_full_like (t, x, I (-1), 0);
  LsUOp *side = ls_dtype_is_unsigned (x->dtype) ? one : WHERE (ls_tensor_lt (t, N (x), I (0)), N (minus), N (one));
  return ls_tensors_end (t, WHERE (ls_tensor_ne (t, N (x), I (0)), N (side), N (zero)));
}

LsUOp *
ls_tensor_ceil (LsTensors *t, LsUOp *x)
{
  if (!x || !ls_dtype_is_float (x->dtype))
    return x;
  ls_tensors_begin (t, "ceil", "x", x);
  LsUOp *b = ls_tensor_trunc (t, x);
  return ls_tensors_end (t, WHERE (ls_tensor_gt (t, N (x), N (b)), N (ADD (N (b), I (1))), N (b)));
}

LsUOp *
ls_tensor_floor (LsTensors *t, LsUOp *x)
{
  if (!x || !ls_dtype_is_float (x->dtype))
    return x;
  ls_tensors_begin (t, "floor", "x", x);
  LsUOp *b = ls_tensor_trunc (t, x);
  return ls_tensors_end (t, WHERE (ls_tensor_lt (t, N (x), N (b)), N (SUB (N (b), I (1))), N (b)));
}

/* To the nearest integer, halves to even: away from zero where the fraction is above a half, or is one and the integer odd. */
LsUOp *
ls_tensor_round (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "round", "x", x);
  if (!ls_dtype_is_float (x->dtype))
    return ls_tensors_end (t, ls_tensor_cast (t, x, LS_WEAKFLOAT));
  LsUOp *whole = ls_tensor_trunc (t, x), *half = MUL (N (whole), F (0.5));
  LsUOp *fraction = ls_tensor_abs (t, SUB (N (x), N (whole)));
  LsUOp *odd = ls_tensor_ne (t, N (ls_tensor_trunc (t, half)), N (half));
  LsUOp *tie = ls_tensor_bitwise_and (t, N (ls_tensor_eq (t, N (fraction), F (0.5))), N (odd));
  LsUOp *away = ls_tensor_bitwise_or (t, N (ls_tensor_gt (t, N (fraction), F (0.5))), N (tie));
  LsUOp *next = WHERE (ls_tensor_lt (t, N (x), I (0)), N (SUB (N (whole), I (1))), N (ADD (N (whole), I (1))));
  return ls_tensors_end (t, WHERE (away, N (next), N (whole)));
}

/* Exponentials and logarithms. half is computed in float: the factor 1/ln 2 must not be rounded to half. */
static LsUOp *
in_float (LsTensors *t, LsUOp *x)
{
  if (!ls_dtype_is_float (x->dtype))
    x = ls_tensor_cast (t, x, x->dtype == LS_WEAKINT ? LS_WEAKFLOAT : LS_FLOAT);
  return ls_tensor_cast (t, x, ls_dtype_promote (x->dtype, LS_FLOAT));
}

static LsDType
float_dtype (LsUOp *x)
{
  return ls_dtype_is_float (x->dtype) ? x->dtype : x->dtype == LS_WEAKINT ? LS_WEAKFLOAT : LS_FLOAT;
}

FUNCTION (exp, ls_tensor_cast (t, ls_tensor_exp2 (t, MUL (N (in_float (t, x)), F (1 / G_LN2))), float_dtype (x)))
FUNCTION (log, MUL (N (ls_tensor_log2 (t, x)), F (G_LN2)))
FUNCTION (log10, MUL (N (ls_tensor_log2 (t, x)), F (G_LN2 / G_LN10)))
FUNCTION (rsqrt, ls_tensor_reciprocal (t, ls_tensor_sqrt (t, x)))

/* Trigonometry and its inverses (asin: A&S 4.4.46). */
static LsUOp *
polynomial (LsTensors *t, LsUOp *x, guint n, const double *coefficients)
{
  LsUOp *result = NULL;
  for (guint i = 0; i < n; i++)
    result = i == 0 ? ls_tensor_full_like (t, x, F (coefficients[0]), float_dtype (x))
                    : ADD (N (MUL (N (result), N (x))), F (coefficients[i]));
  return result;
}

/* cos x = 1 - 2 sin²(x/2), where halving is exact: pi/2 - x would lose a large x's phase. */
FUNCTION (cos, ls_tensor_cast (t, SUB (F (1), N (MUL (F (2), N (ls_tensor_square (t, ls_tensor_sin (t, MUL (N (in_float (t, x)), F (0.5)))))))), float_dtype (x)))

/* tan x = 2 sin²x / sin 2x: exact doubling and no cancellation near the poles; tan x = x where sin 2x is 0. */
LsUOp *
ls_tensor_tan (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "tan", "x", x);
  LsUOp *y = in_float (t, x), *below = ls_tensor_sin (t, MUL (N (y), F (2)));
  LsUOp *above = MUL (F (2), N (ls_tensor_square (t, ls_tensor_sin (t, y))));
  LsUOp *tan = WHERE (ls_tensor_eq (t, N (below), F (0)), N (y), N (DIV (N (above), N (below))));
  return ls_tensors_end (t, ls_tensor_cast (t, tan, float_dtype (x)));
}

LsUOp *
ls_tensor_asin (LsTensors *t, LsUOp *x)
{
  static const double c[] = { -0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810, -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050 };
  if (!x)
    return NULL;
  ls_tensors_begin (t, "asin", "x", x);
  LsUOp *a = ls_tensor_abs (t, x), *root = ls_tensor_sqrt (t, SUB (F (1), N (a)));
  LsUOp *y = SUB (F (G_PI_2), N (MUL (N (root), N (polynomial (t, a, G_N_ELEMENTS (c), c)))));
  return ls_tensors_end (t, MUL (N (ls_tensor_sign (t, x)), N (y)));
}

FUNCTION (acos, SUB (F (G_PI_2), N (ls_tensor_asin (t, x))))
FUNCTION (atan, ls_tensor_asin (t, DIV (N (x), N (ls_tensor_sqrt (t, ADD (I (1), N (MUL (N (x), N (x)))))))))
FUNCTION (sinh, DIV (N (SUB (N (ls_tensor_exp (t, x)), N (ls_tensor_exp (t, ls_tensor_neg (t, x))))), I (2)))
FUNCTION (cosh, DIV (N (ADD (N (ls_tensor_exp (t, x)), N (ls_tensor_exp (t, ls_tensor_neg (t, x))))), I (2)))
FUNCTION (asinh, ls_tensor_log (t, ADD (N (x), N (ls_tensor_sqrt (t, ADD (N (ls_tensor_square (t, x)), I (1)))))))
FUNCTION (acosh, ls_tensor_log (t, ADD (N (x), N (ls_tensor_sqrt (t, SUB (N (ls_tensor_square (t, x)), I (1)))))))
FUNCTION (atanh, DIV (N (ls_tensor_log (t, DIV (N (ADD (I (1), N (x))), N (SUB (I (1), N (x)))))), I (2)))

/* Activations. */
FUNCTION (sigmoid, ls_tensor_reciprocal (t, ADD (I (1), N (ls_tensor_exp2 (t, MUL (N (x), F (-1 / G_LN2)))))))
FUNCTION (tanh, SUB (N (MUL (F (2), N (ls_tensor_sigmoid (t, MUL (F (2), N (x)))))), F (1)))
FUNCTION (relu, WHERE (ls_tensor_gt (t, N (x), I (0)), N (x), I (0)))
FUNCTION (relu6, SUB (N (ls_tensor_relu (t, x)), N (ls_tensor_relu (t, SUB (N (x), I (6))))))
FUNCTION (silu, MUL (N (x), N (ls_tensor_sigmoid (t, x))))
FUNCTION (quick_gelu, MUL (N (x), N (ls_tensor_sigmoid (t, MUL (N (x), F (1.702))))))
FUNCTION (hardswish, MUL (N (MUL (N (x), N (ls_tensor_relu6 (t, ADD (N (x), I (3)))))), F (1.0 / 6)))
FUNCTION (mish, MUL (N (x), N (ls_tensor_tanh (t, ls_tensor_softplus (t, x, 1)))))
FUNCTION (softsign, DIV (N (x), N (ADD (I (1), N (ls_tensor_abs (t, x))))))
FUNCTION (logsigmoid, ls_tensor_neg (t, ls_tensor_softplus (t, ls_tensor_neg (t, x), 1)))
FUNCTION2 (leaky_relu, WHERE (ls_tensor_lt (t, N (x), I (0)), N (MUL (parameter, N (x))), N (x)))
FUNCTION2 (elu, SUB (N (ls_tensor_relu (t, x)), N (MUL (parameter, N (ls_tensor_relu (t, SUB (I (1), N (ls_tensor_exp (t, x)))))))))
FUNCTION2 (softplus, MUL (F (1 / p), N (ls_tensor_logaddexp (t, N (MUL (N (x), parameter)), F (0)))))
FUNCTION2 (celu, ADD (N (ls_tensor_maximum (t, N (x), I (0))),
                      N (ls_tensor_minimum (t, N (MUL (parameter, N (SUB (N (ls_tensor_exp (t, DIV (N (x), parameter))), I (1))))), I (0)))))

LsUOp *
ls_tensor_hardsigmoid (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "hardsigmoid", "x", x);
  LsUOp *y = ADD (N (MUL (F (1.0 / 6), N (x))), F (0.5));
  return ls_tensors_end (t, SUB (N (ls_tensor_relu (t, y)), N (ls_tensor_relu (t, SUB (N (y), I (1))))));
}

LsUOp *
ls_tensor_selu (LsTensors *t, LsUOp *x, double alpha, double gamma)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "selu", "x", x);
  LsUOp *below = MUL (F (alpha), N (SUB (N (ls_tensor_exp (t, x)), I (1))));
  return ls_tensors_end (t, MUL (F (gamma), N (WHERE (ls_tensor_ge (t, N (x), I (0)), N (x), N (below)))));
}

/* A&S 7.1.26. */
LsUOp *
ls_tensor_erf (LsTensors *t, LsUOp *x)
{
  static const double c[] = { 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592 };
  if (!x)
    return NULL;
  ls_tensors_begin (t, "erf", "x", x);
  LsUOp *u = DIV (F (1), N (ADD (F (1), N (MUL (F (0.3275911), N (ls_tensor_abs (t, x)))))));
  LsUOp *e = ls_tensor_exp (t, ls_tensor_neg (t, ls_tensor_square (t, x)));
  LsUOp *y = SUB (F (1), N (MUL (N (MUL (N (u), N (polynomial (t, u, G_N_ELEMENTS (c), c)))), N (e))));
  return ls_tensors_end (t, MUL (N (ls_tensor_sign (t, x)), N (y)));
}

LsUOp *
ls_tensor_gelu (LsTensors *t, LsUOp *x, gboolean by_tanh)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "gelu", "x", x);
  if (!by_tanh) {
    LsUOp *phi = ADD (F (1), N (ls_tensor_erf (t, DIV (N (x), F (G_SQRT2)))));
    return ls_tensors_end (t, MUL (N (MUL (N (x), F (0.5))), N (phi)));
  }
  LsUOp *cube = MUL (F (0.044715), N (ls_tensor_pow (t, N (x), I (3))));
  /* (1 + tanh u) / 2 is sigmoid 2u, which keeps its digits where tanh nears -1. */
  LsUOp *gate = ls_tensor_sigmoid (t, MUL (F (2 * sqrt (2 / G_PI)), N (ADD (N (x), N (cube)))));
  return ls_tensors_end (t, MUL (N (x), N (gate)));
}

/* Functions of two tensors. */
LsUOp *
ls_tensor_logaddexp (LsTensors *t, LsOperand a, LsOperand b)
{
  ls_tensors_begin (t, "logaddexp", "oo", &a, &b);
  LsUOp *m = ls_tensor_maximum (t, a, b);
  LsUOp *s = ADD (N (ls_tensor_exp (t, SUB (a, N (m)))), N (ls_tensor_exp (t, SUB (b, N (m)))));
  return ls_tensors_end (t, ADD (N (ls_tensor_log (t, s)), N (m)));
}

/* The sign of a zero shows in its reciprocal. */
LsUOp *
ls_tensor_copysign (LsTensors *t, LsOperand a, LsOperand b)
{
  ls_tensors_begin (t, "copysign", "oo", &a, &b);
  LsUOp *y = ls_tensor_const (t, b, 0), *magnitude = ls_tensor_abs (t, ls_tensor_const (t, a, 0));
  LsUOp *negative = ls_tensor_bitwise_or (t, N (ls_tensor_lt (t, N (y), I (0))),
                                          N (ls_tensor_lt (t, N (ls_tensor_reciprocal (t, y)), I (0))));
  return ls_tensors_end (t, WHERE (negative, N (ls_tensor_neg (t, magnitude)), N (magnitude)));
}

LsUOp *
ls_tensor_clip (LsTensors *t, LsUOp *x, const LsOperand *min, const LsOperand *max)
{
  if (!x)
    return NULL;
  if (!min && !max)
    return ls_tensors_fail (t, LS_ERROR_PROGRAM, "clip: at least one of the bounds must be given");
  ls_tensors_begin (t, "clip", "x", x);
  if (min)
    x = WHERE (ls_tensor_lt (t, N (x), *min), *min, N (x));
  if (max)
    x = WHERE (ls_tensor_gt (t, N (x), *max), *max, N (x));
  return ls_tensors_end (t, x);
}

LsUOp *
ls_tensor_lerp (LsTensors *t, LsUOp *x, LsOperand end, LsOperand weight)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "lerp", "xoo", x, &end, &weight);
  return ls_tensors_end (t, ADD (N (x), N (MUL (N (SUB (end, N (x))), weight))));
}

/* Triangles: row + diagonal <= column holds on and above the diagonal. */
static LsUOp *
triangle (LsTensors *t, LsUOp *x, gint64 diagonal)
{
  LsShape shape = ls_tensors_shape (t, x);
  LsUOp *row = ls_tensor_arange (t, I (0), I (shape.dims[shape.n - 2]), I (1), 0);
  LsUOp *column = ls_tensor_arange (t, I (0), I (shape.dims[shape.n - 1]), I (1), 0);
  row = ls_tensor_unsqueeze (t, row, -1);
  if (diagonal != 0)
    row = ADD (N (row), I (diagonal));
  return ls_tensor_le (t, N (row), N (column));
}

LsUOp *
ls_tensor_triu (LsTensors *t, LsUOp *x, gint64 diagonal)
{
  if (!x)
    return NULL;
  if (ls_tensors_shape (t, x).n < 2)
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "triu: needs at least two axes");
  ls_tensors_begin (t, "triu", "xn", x, diagonal);
  return ls_tensors_end (t, WHERE (triangle (t, x, diagonal), N (x), I (0)));
}

LsUOp *
ls_tensor_tril (LsTensors *t, LsUOp *x, gint64 diagonal)
{
  if (!x)
    return NULL;
  if (ls_tensors_shape (t, x).n < 2)
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "tril: needs at least two axes");
  ls_tensors_begin (t, "tril", "xn", x, diagonal);
  return ls_tensors_end (t, WHERE (triangle (t, x, diagonal + 1), I (0), N (x)));
}
