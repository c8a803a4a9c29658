/* Reductions and what is made of them: means, softmax, normalization, argmax, matrix products.
 *
 * REDUCE_AXIS keeps its axes as size 1; without keepdim a reshape drops them. Axes of size 1 need no reduction.
 */
#include "tensor.h"

#include <math.h>

#define N(x) ls_operand_node (x)
#define I(x) ls_operand_int (x)
#define F(x) ls_operand_float (x)

LsDType
ls_dtype_accumulator (LsDType dtype)
{
  if (ls_dtype_is_unsigned (dtype))
    return ls_dtype_promote (dtype, LS_UINT32);
  if (ls_dtype_is_int (dtype) || ls_dtype_is_bool (dtype))
    return ls_dtype_promote (dtype, LS_INT32);
  return ls_dtype_promote (dtype, LS_FLOAT);
}

/* flags[i]: axis i is in axes. */
static gboolean
resolve_axes (LsTensors *t, const char *name, LsShape shape, const LsAxes *axes, gboolean *flags)
{
  for (guint i = 0; i < shape.n; i++)
    flags[i] = axes->all;
  for (guint i = 0; !axes->all && i < axes->n; i++) {
    gint64 axis = axes->axes[i];
    if (!ls_tensors_axis (t, name, shape.n, &axis))
      return FALSE;
    if (axis < shape.n)
      flags[axis] = TRUE;
  }
  return TRUE;
}

static LsUOp *
reduce (LsTensors *t, const char *name, LsOp op, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  LsContext *ctx = ls_tensors_context (t);
  gboolean flags[LS_MAX_DIMS];
  gint64 reduced[LS_MAX_DIMS], kept[LS_MAX_DIMS], out[LS_MAX_DIMS];
  guint n_reduced = 0, n_out = 0;
  if (!(x = ls_tensor_cast (t, x, ls_dtype_strong (x->dtype))))
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  if (!resolve_axes (t, name, shape, axes, flags))
    return NULL;
  gboolean empty = FALSE;
  for (guint i = 0; i < shape.n; i++) {
    kept[i] = flags[i] ? 1 : shape.dims[i];
    if (flags[i] && shape.dims[i] != 1)
      reduced[n_reduced++] = i;
    empty = empty || (flags[i] && shape.dims[i] == 0);
    if (!flags[i] || keepdim)
      out[n_out++] = kept[i];
  }
  if (empty) {      /* nothing to reduce: the neutral element */
    LsScalar neutral = ls_eval_identity (op, x->dtype);
    LsOperand value = ls_dtype_is_float (x->dtype) ? F (neutral.f) : I (neutral.i);
    return ls_tensor_full (t, n_out, out, value, x->dtype);
  }
  if (n_reduced > 0)
    x = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, x->dtype, x, ls_arg_op_ints (ctx, op, n_reduced, reduced));
  return ls_tensor_reshape (t, x, n_out, out);
}

/* The number of elements that one result is made of. */
static gint64
count (LsTensors *t, LsUOp *x, const LsAxes *axes)
{
  gboolean flags[LS_MAX_DIMS];
  gint64 n = 1;
  LsShape shape = ls_tensors_shape (t, x);
  if (!resolve_axes (t, "mean", shape, axes, flags))
    return 1;
  for (guint i = 0; i < shape.n; i++)
    n *= flags[i] ? shape.dims[i] : 1;
  return n;
}

LsUOp *
ls_tensor_sum (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, LsDType dtype)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "sum", "xi", x, axes->n, axes->axes);
  LsDType from = x->dtype;
  x = reduce (t, "sum", LS_OP_ADD, ls_tensor_cast (t, x, dtype ? dtype : ls_dtype_accumulator (from)), axes, keepdim);
  if (!dtype && ls_dtype_is_small_float (from))
    x = ls_tensor_cast (t, x, from);
  return ls_tensors_end (t, x);
}

LsUOp *
ls_tensor_prod (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, LsDType dtype)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "prod", "xi", x, axes->n, axes->axes);
  return ls_tensors_end (t, reduce (t, "prod", LS_OP_MUL, ls_tensor_cast (t, x, dtype ? dtype : x->dtype), axes, keepdim));
}

LsUOp *
ls_tensor_max (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "max", "xi", x, axes->n, axes->axes);
  return ls_tensors_end (t, reduce (t, "max", LS_OP_MAX, x, axes, keepdim));
}

static LsUOp *
inverse (LsTensors *t, LsUOp *x)
{
  return x && ls_dtype_is_float (x->dtype) ? ls_tensor_neg (t, x) : ls_tensor_bitwise_not (t, x);
}

LsUOp *
ls_tensor_min (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "min", "xi", x, axes->n, axes->axes);
  x = ls_tensor_cast (t, x, ls_dtype_strong (x->dtype));
  return ls_tensors_end (t, inverse (t, ls_tensor_max (t, inverse (t, x), axes, keepdim)));
}

LsUOp *
ls_tensor_any (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "any", "xi", x, axes->n, axes->axes);
  return ls_tensors_end (t, ls_tensor_max (t, ls_tensor_cast (t, x, LS_BOOL), axes, keepdim));
}

LsUOp *
ls_tensor_all (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "all", "xi", x, axes->n, axes->axes);
  return ls_tensors_end (t, ls_tensor_prod (t, ls_tensor_cast (t, x, LS_BOOL), axes, keepdim, 0));
}

static LsDType
mean_dtype (LsUOp *x)
{
  return ls_dtype_is_float (x->dtype) ? x->dtype : LS_FLOAT;
}

LsUOp *
ls_tensor_mean (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "mean", "xi", x, axes->n, axes->axes);
  LsDType out = mean_dtype (x);
  LsUOp *sum = ls_tensor_sum (t, ls_tensor_cast (t, x, ls_dtype_accumulator (x->dtype)), axes, keepdim, 0);
  return ls_tensors_end (t, ls_tensor_cast (t, ls_tensor_div (t, N (sum), I (count (t, x, axes))), out));
}

LsUOp *
ls_tensor_var (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, gint64 correction)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "var", "xi", x, axes->n, axes->axes);
  LsDType out = mean_dtype (x);
  LsUOp *squares = ls_tensor_square (t, ls_tensor_sub (t, N (x), N (ls_tensor_mean (t, x, axes, TRUE))));
  if (!squares)
    return ls_tensors_end (t, NULL);
  gint64 n = MAX (count (t, x, axes) - correction, 0);
  LsUOp *sum = ls_tensor_sum (t, ls_tensor_cast (t, squares, ls_dtype_promote (ls_dtype_accumulator (x->dtype), LS_FLOAT)), axes, keepdim, 0);
  return ls_tensors_end (t, ls_tensor_cast (t, ls_tensor_div (t, N (sum), I (n)), out));
}

LsUOp *
ls_tensor_std (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, gint64 correction)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "std", "xi", x, axes->n, axes->axes);
  return ls_tensors_end (t, ls_tensor_sqrt (t, ls_tensor_var (t, x, axes, keepdim, correction)));
}

LsUOp *
ls_tensor_logsumexp (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "logsumexp", "xi", x, axes->n, axes->axes);
  LsUOp *m = ls_tensor_max (t, x, axes, TRUE);
  LsUOp *s = ls_tensor_sum (t, ls_tensor_exp (t, ls_tensor_sub (t, N (x), N (m))), axes, keepdim, 0);
  if (s && !keepdim) {
    LsShape shape = ls_tensors_shape (t, s);
    m = ls_tensor_reshape (t, m, shape.n, shape.dims);
  }
  return ls_tensors_end (t, ls_tensor_add (t, N (ls_tensor_log (t, s)), N (m)));
}

/* Shifted by the largest, so that no exponential overflows. */
static LsUOp *
shifted (LsTensors *t, LsUOp *x, const LsAxes *axes, LsDType dtype)
{
  LsUOp *m = ls_tensor_sub (t, N (x), N (ls_tensor_max (t, x, axes, TRUE)));
  return m && dtype ? ls_tensor_cast (t, m, dtype) : m;
}

LsUOp *
ls_tensor_softmax (LsTensors *t, LsUOp *x, const LsAxes *axes, LsDType dtype)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "softmax", "xi", x, axes->n, axes->axes);
  LsUOp *e = ls_tensor_exp (t, shifted (t, x, axes, dtype));
  return ls_tensors_end (t, ls_tensor_div (t, N (e), N (ls_tensor_sum (t, e, axes, TRUE, 0))));
}

LsUOp *
ls_tensor_log_softmax (LsTensors *t, LsUOp *x, const LsAxes *axes, LsDType dtype)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "log_softmax", "xi", x, axes->n, axes->axes);
  LsUOp *m = shifted (t, x, axes, dtype);
  LsUOp *sum = ls_tensor_sum (t, ls_tensor_exp (t, m), axes, TRUE, 0);
  return ls_tensors_end (t, ls_tensor_sub (t, N (m), N (ls_tensor_log (t, sum))));
}

LsUOp *
ls_tensor_layernorm (LsTensors *t, LsUOp *x, const LsAxes *axes, double eps)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "layernorm", "xi", x, axes->n, axes->axes);
  LsUOp *y = ls_tensor_sub (t, N (x), N (ls_tensor_mean (t, x, axes, TRUE)));
  LsUOp *variance = ls_tensor_mean (t, ls_tensor_mul (t, N (y), N (y)), axes, TRUE);
  return ls_tensors_end (t, ls_tensor_mul (t, N (y), N (ls_tensor_rsqrt (t, ls_tensor_add (t, N (variance), F (eps))))));
}

LsUOp *
ls_tensor_normalize (LsTensors *t, LsUOp *x, double p, gint64 axis, double eps)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "normalize", "xn", x, axis);
  LsAxes axes = ls_axes_one (axis);
  LsUOp *norm;
  if (p == 0)
    norm = ls_tensor_sum (t, ls_tensor_ne (t, N (x), I (0)), &axes, TRUE, 0);
  else
    norm = ls_tensor_pow (t, N (ls_tensor_sum (t, ls_tensor_pow (t, N (ls_tensor_abs (t, x)), F (p)), &axes, TRUE, 0)), F (1 / p));
  return ls_tensors_end (t, ls_tensor_div (t, N (x), N (ls_tensor_maximum (t, N (norm), F (eps)))));
}

/* Positions count down from n, so that the largest among the maxima is the first of them. */
LsUOp *
ls_tensor_argmax (LsTensors *t, LsUOp *x, gboolean flat, gint64 axis, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "argmax", "xn", x, axis);
  if (flat) {
    x = ls_tensor_flatten (t, x, 0, -1);
    axis = 0;
  }
  LsShape shape = x ? ls_tensors_shape (t, x) : (LsShape) { 0 };
  if (!x || !ls_tensors_axis (t, "argmax", shape.n, &axis))
    return ls_tensors_end (t, NULL);
  if (shape.n == 0)
    return ls_tensors_end (t, ls_tensor_full (t, 0, NULL, I (0), LS_INT32));
  gint64 n = shape.dims[axis], column[LS_MAX_DIMS];
  guint m = 0;
  if (n == 0) {
    g_autofree char *text = ls_shape_to_string (shape);
    ls_tensors_fail (t, LS_ERROR_SHAPE, "argmax: axis %" G_GINT64_FORMAT " of shape %s is empty", axis, text);
    return ls_tensors_end (t, NULL);
  }
  column[m++] = n;
  for (guint i = axis + 1; i < shape.n; i++)
    column[m++] = 1;
  LsAxes axes = ls_axes_one (axis);
  LsUOp *is_max = ls_tensor_eq (t, N (x), N (ls_tensor_max (t, x, &axes, TRUE)));
  LsUOp *down = ls_tensor_reshape (t, ls_tensor_arange (t, I (n), I (0), I (-1), 0), m, column);
  LsUOp *first = ls_tensor_max (t, ls_tensor_mul (t, N (is_max), N (down)), &axes, keepdim);
  return ls_tensors_end (t, ls_tensor_cast (t, ls_tensor_sub (t, I (n), N (first)), LS_INT32));
}

LsUOp *
ls_tensor_argmin (LsTensors *t, LsUOp *x, gboolean flat, gint64 axis, gboolean keepdim)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "argmin", "xn", x, axis);
  return ls_tensors_end (t, ls_tensor_argmax (t, inverse (t, x), flat, axis, keepdim));
}

/* Rows of x and columns of w are laid along one new axis, multiplied and summed. */
LsUOp *
ls_tensor_dot (LsTensors *t, LsUOp *x, LsUOp *w, LsDType dtype)
{
  if (!x || !w)
    return NULL;
  ls_tensors_begin (t, "dot", "xx", x, w);
  LsShape a = ls_tensors_shape (t, x), b = ls_tensors_shape (t, w);
  g_autofree char *left = ls_shape_to_string (a), *right = ls_shape_to_string (b);
  if (a.n == 0 || b.n == 0 || a.dims[a.n - 1] != b.dims[b.n >= 2 ? b.n - 2 : 0]) {
    if (a.n == 0 || b.n == 0)
      ls_tensors_fail (t, LS_ERROR_SHAPE, "matmul: shapes %s and %s: both need at least one axis", left, right);
    else
      ls_tensors_fail (t, LS_ERROR_SHAPE, "matmul: shapes %s and %s do not fit: %" G_GINT64_FORMAT " columns against %" G_GINT64_FORMAT " rows",
                       left, right, a.dims[a.n - 1], b.dims[b.n >= 2 ? b.n - 2 : 0]);
    return ls_tensors_end (t, NULL);
  }
  LsDType out = dtype ? dtype : ls_dtype_promote (x->dtype, w->dtype);
  guint extra = MIN (MIN (a.n - 1, b.n - 1), 1), n = 0, m = 0;
  gint64 dims[LS_MAX_DIMS + 1];
  for (guint i = 0; i + 1 < a.n; i++)
    dims[n++] = a.dims[i];
  if (extra)
    dims[n++] = 1;
  dims[n++] = a.dims[a.n - 1];
  x = ls_tensor_reshape (t, x, n, dims);
  for (guint i = 0; i + 2 < b.n; i++)
    dims[m++] = b.dims[i];
  if (extra)
    dims[m++] = 1;
  if (b.n >= 2)
    dims[m++] = b.dims[b.n - 2];
  dims[m++] = b.dims[b.n - 1];
  w = ls_tensor_reshape (t, w, m, dims);
  if (b.n >= 2)
    w = ls_tensor_transpose (t, w, -1, -2);
  LsAxes last = ls_axes_one (-1);
  LsUOp *product = ls_tensor_mul (t, N (x), N (w));
  return ls_tensors_end (t, ls_tensor_cast (t, ls_tensor_sum (t, product, &last, FALSE, dtype), out));
}

LsUOp *
ls_tensor_linear (LsTensors *t, LsUOp *x, LsUOp *weight, LsUOp *bias)
{
  if (!x || !weight)
    return NULL;
  ls_tensors_begin (t, "linear", "xx", x, weight);
  LsUOp *y = ls_tensors_shape (t, weight).n == 1 ? ls_tensor_mul (t, N (x), N (weight)) : ls_tensor_dot (t, x, weight, 0);
  return ls_tensors_end (t, bias ? ls_tensor_add (t, N (y), N (bias)) : y);
}
