/* Running sums, products and maxima.
 *
 * Along the last axis of n elements, n - 1 neutral elements are put in front. The window that ends at element j is then
 * padded[j .. j + n - 1], and all windows are one reduction over the first axis of w[i][j] = padded[i + j]. That matrix is
 * made by movement alone: rows of length L = 2n - 1, repeated and read in rows of L + 1, each begin one element later.
 * Over a constant (arange) the compiler folds the reduction to a formula; long axes are done in blocks of 256.
 */
#include "tensor.h"

#define N(x) ls_operand_node (x)
#define SPLIT 256

static LsOperand
neutral (LsOp op, LsDType dtype)
{
  LsScalar value = ls_eval_identity (op, dtype);
  return ls_dtype_is_float (dtype) ? ls_operand_float (value.f) : ls_operand_int (value.i);
}

/* x padded on its last axis by before and after neutral elements. */
static LsUOp *
pad_last (LsTensors *t, LsUOp *x, LsOp op, gint64 before, gint64 after)
{
  gint64 pairs[2 * LS_MAX_DIMS] = { 0 };
  if (!x)
    return NULL;
  guint n = ls_tensors_shape (t, x).n;
  pairs[2 * n - 2] = before;
  pairs[2 * n - 1] = after;
  return ls_tensor_pad (t, x, pairs, neutral (op, x->dtype));
}

static LsUOp *
fold (LsTensors *t, LsUOp *x, LsOp op, const LsAxes *axes)
{
  switch (op) {
  case LS_OP_ADD: return ls_tensor_sum (t, x, axes, FALSE, 0);
  case LS_OP_MUL: return ls_tensor_prod (t, x, axes, FALSE, 0);
  default: return ls_tensor_max (t, x, axes, FALSE);
  }
}

/* Along the last axis, in one stage. */
static LsUOp *
one_stage (LsTensors *t, LsUOp *x, LsOp op)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  guint outer = shape.n - 1;
  gint64 n = shape.dims[outer], length = 2 * n - 1, dims[LS_MAX_DIMS + 1], cut[2 * LS_MAX_DIMS + 2];
  if (n == 1) {
    LsAxes none = { .n = 0 };
    return fold (t, x, op, &none);
  }
  if (outer + 2 > LS_MAX_DIMS || n > LS_MAX_ELEMENTS / (2 * n))
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "a running %s over %" G_GINT64_FORMAT " elements is too large", ls_op_name (op), n);
  for (guint i = 0; i < outer; i++) {
    dims[i] = cut[2 * i + 1] = shape.dims[i];
    cut[2 * i] = 0;
  }
  x = pad_last (t, x, op, n - 1, 0);
  dims[outer] = 1;
  dims[outer + 1] = length;
  x = ls_tensor_reshape (t, x, outer + 2, dims);
  dims[outer] = n + 1;
  x = ls_tensor_expand (t, x, outer + 2, dims);
  dims[outer] = (n + 1) * length;
  x = ls_tensor_reshape (t, x, outer + 1, dims);
  cut[2 * outer] = 0;
  cut[2 * outer + 1] = n * (length + 1);
  x = x ? ls_tensor_shrink (t, x, cut) : NULL;
  dims[outer] = n;
  dims[outer + 1] = length + 1;
  x = ls_tensor_reshape (t, x, outer + 2, dims);
  cut[2 * outer + 1] = n;
  cut[2 * outer + 2] = 0;
  cut[2 * outer + 3] = n;
  LsAxes windows = ls_axes_one (-2);
  return fold (t, x ? ls_tensor_shrink (t, x, cut) : NULL, op, &windows);
}

static LsUOp *running (LsTensors *t, LsUOp *x, LsOp op);

/* Along the last axis: within blocks, then what the blocks before add to each. */
static LsUOp *
two_stages (LsTensors *t, LsUOp *x, LsOp op)
{
  LsShape shape = ls_tensors_shape (t, x);
  guint outer = shape.n - 1;
  gint64 n = shape.dims[outer], blocks = (n + SPLIT - 1) / SPLIT, cut[2 * LS_MAX_DIMS + 2];
  x = pad_last (t, x, op, blocks * SPLIT - n, 0);
  LsUOp *inner = one_stage (t, ls_tensor_unflatten (t, x, -1, 2, (gint64[]) { blocks, SPLIT }), op);
  if (!inner)
    return NULL;
  for (guint i = 0; i < outer; i++) {
    cut[2 * i] = 0;
    cut[2 * i + 1] = shape.dims[i];
  }
  cut[2 * outer] = 0;
  cut[2 * outer + 1] = blocks;
  cut[2 * outer + 2] = SPLIT - 1;
  cut[2 * outer + 3] = SPLIT;
  LsUOp *totals = ls_tensor_squeeze (t, ls_tensor_shrink (t, inner, cut), FALSE, -1);
  LsUOp *base = pad_last (t, running (t, totals, op), op, 1, -1);
  LsOperand a = N (inner), b = N (ls_tensor_unsqueeze (t, base, -1));
  x = op == LS_OP_ADD ? ls_tensor_add (t, a, b) : op == LS_OP_MUL ? ls_tensor_mul (t, a, b) : ls_tensor_maximum (t, a, b);
  x = ls_tensor_flatten (t, x, -2, -1);
  cut[2 * outer] = blocks * SPLIT - n;
  cut[2 * outer + 1] = blocks * SPLIT;
  return x ? ls_tensor_shrink (t, x, cut) : NULL;
}

/* A constant expanded over everything: folded by the compiler, so one stage will do. */
static gboolean
is_constant (LsUOp *x)
{
  while (x->op == LS_OP_EXPAND || x->op == LS_OP_RESHAPE)
    x = x->src[0];
  return ls_uop_is_const (x);
}

static LsUOp *
running (LsTensors *t, LsUOp *x, LsOp op)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  return shape.dims[shape.n - 1] <= 2 * SPLIT || is_constant (x) ? one_stage (t, x, op) : two_stages (t, x, op);
}

LsUOp *
ls_tensor_cumulative (LsTensors *t, LsUOp *x, LsOp op, gint64 axis)
{
  if (!x)
    return NULL;
  const char *name = op == LS_OP_ADD ? "cumsum" : op == LS_OP_MUL ? "cumprod" : "cummax";
  ls_tensors_begin (t, name, "xn", x, axis);
  x = ls_tensor_cast (t, x, op == LS_OP_ADD && !ls_dtype_is_small_float (x->dtype)
                            ? ls_dtype_accumulator (x->dtype) : ls_dtype_strong (x->dtype));
  LsShape shape = ls_tensors_shape (t, x);
  if (!ls_tensors_axis (t, name, shape.n, &axis))
    return ls_tensors_end (t, NULL);
  if (shape.n == 0 || ls_shape_size (shape) == 0)
    return ls_tensors_end (t, x);
  x = running (t, ls_tensor_transpose (t, x, axis, -1), op);
  return ls_tensors_end (t, ls_tensor_transpose (t, x, axis, -1));
}

LsUOp *
ls_tensor_cummax (LsTensors *t, LsUOp *x, gint64 axis, LsUOp **indices)
{
  LsUOp *values = ls_tensor_cumulative (t, x, LS_OP_MAX, axis);
  *indices = NULL;
  if (!values)
    return NULL;
  ls_tensors_begin (t, "cummax", "xn", x, axis);
  LsShape shape = ls_tensors_shape (t, x);
  if (shape.n == 0 || ls_shape_size (shape) == 0) {
    *indices = ls_tensor_full (t, shape.n, shape.dims, ls_operand_int (0), LS_INT32);
    return ls_tensors_end (t, values);
  }
  ls_tensors_axis (t, "cummax", shape.n, &axis);
  /* match[i][j]: element i is the maximum at j and comes no later; the last such i is where it was found first. */
  gint64 n = shape.dims[axis], square[] = { n, n }, column[] = { n, 1 };
  LsUOp *rows = ls_tensor_unsqueeze (t, ls_tensor_transpose (t, x, axis, -1), -1);
  LsUOp *columns = ls_tensor_unsqueeze (t, ls_tensor_transpose (t, values, axis, -1), -2);
  LsUOp *ones = ls_tensor_full (t, 2, square, ls_operand_bool (TRUE), LS_BOOL);
  LsUOp *match = ls_tensor_mul (t, N (ls_tensor_eq (t, N (rows), N (columns))), N (ls_tensor_cast (t, ls_tensor_triu (t, ones, 0), LS_BOOL)));
  LsUOp *down = ls_tensor_arange (t, ls_operand_int (n), ls_operand_int (0), ls_operand_int (-1), 0);
  LsAxes windows = ls_axes_one (-2);
  LsUOp *found = ls_tensor_max (t, ls_tensor_mul (t, N (match), N (ls_tensor_reshape (t, down, 2, column))), &windows, FALSE);
  found = ls_tensor_cast (t, ls_tensor_sub (t, ls_operand_int (n), N (found)), LS_INT32);
  *indices = ls_tensor_transpose (t, found, axis, -1);
  return ls_tensors_end (t, *indices ? values : NULL);
}

LsUOp *
ls_tensor_cummin (LsTensors *t, LsUOp *x, gint64 axis, LsUOp **indices)
{
  *indices = NULL;
  if (!x)
    return NULL;
  ls_tensors_begin (t, "cummin", "xn", x, axis);
  gboolean is_float = ls_dtype_is_float (x->dtype);
  x = is_float ? ls_tensor_neg (t, x) : ls_tensor_bitwise_not (t, x);
  x = ls_tensor_cummax (t, x, axis, indices);
  return ls_tensors_end (t, is_float ? ls_tensor_neg (t, x) : ls_tensor_bitwise_not (t, x));
}
