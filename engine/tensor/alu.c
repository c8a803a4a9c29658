/* Elementwise ops and reductions. Operands come with equal shapes and dtypes: who broadcasts and promotes is library text. */
#include "tensor.h"

/* The allowed operands of an op. */
static gboolean
takes (LsOp op, LsDType dtype)
{
  switch ((int) op) {
  case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_TRUNC: case LS_OP_FDIV:
    return ls_dtype_is_float (dtype);
  case LS_OP_IDIV: case LS_OP_MOD: case LS_OP_FLOORDIV: case LS_OP_FLOORMOD: case LS_OP_SHL: case LS_OP_SHR:
    return ls_dtype_is_int (dtype);
  case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR: case LS_OP_NOT:
    return !ls_dtype_is_float (dtype);
  case LS_OP_NEG: case LS_OP_SUB: case LS_OP_POW:
    return !ls_dtype_is_bool (dtype);
  default:
    return TRUE;
  }
}

static gboolean
check_dtype (LsTensors *t, LsOp op, LsDType dtype)
{
  if (!takes (op, dtype))
    ls_tensors_fail (t, LS_ERROR_DTYPE, "%s does not take %s", ls_op_name (op), ls_dtype_name (dtype));
  return takes (op, dtype);
}

static gboolean
check_pair (LsTensors *t, LsOp op, LsUOp *x, LsUOp *y)
{
  LsShape a = ls_tensors_shape (t, x), b = ls_tensors_shape (t, y);
  if (ls_shape_equal (a, b) && x->dtype == y->dtype)
    return TRUE;
  g_autofree char *left = ls_shape_to_string (a), *right = ls_shape_to_string (b);
  ls_tensors_fail (t, x->dtype == y->dtype ? LS_ERROR_SHAPE : LS_ERROR_DTYPE, "%s: operands %s %s and %s %s do not match", ls_op_name (op),
                   ls_dtype_name (x->dtype), left,
                   ls_dtype_name (y->dtype), right);
  return FALSE;
}

LsUOp *
ls_tensor_unary (LsTensors *t, LsOp op, LsUOp *x)
{
  return x && check_dtype (t, op, x->dtype) ? ls_tensors_node1 (t, op, x->dtype, x, ls_arg_none ()) : NULL;
}

/* For bools ADD is OR, MUL is AND and MAX is OR. */
LsUOp *
ls_tensor_binary (LsTensors *t, LsOp op, LsUOp *x, LsUOp *y)
{
  if (!x || !y || !check_pair (t, op, x, y) || !check_dtype (t, op, x->dtype))
    return NULL;
  if (ls_dtype_is_bool (x->dtype) && (op == LS_OP_ADD || op == LS_OP_MUL || op == LS_OP_MAX))
    op = op == LS_OP_MUL ? LS_OP_AND : LS_OP_OR;
  LsUOp *src[] = { x, y };
  return ls_tensors_node (t, op, ls_op_is_comparison (op) ? LS_BOOL : x->dtype, 2, src, ls_arg_none ());
}

LsUOp *
ls_tensor_where (LsTensors *t, LsUOp *condition, LsUOp *x, LsUOp *y)
{
  if (!condition || !x || !y || !check_pair (t, LS_OP_WHERE, x, y))
    return NULL;
  LsShape a = ls_tensors_shape (t, condition), b = ls_tensors_shape (t, x);
  if (!ls_dtype_is_bool (condition->dtype) || !ls_shape_equal (a, b)) {
    g_autofree char *left = ls_shape_to_string (a), *right = ls_shape_to_string (b);
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "WHERE: the condition is %s %s, not bool %s", ls_dtype_name (condition->dtype), left, right);
  }
  LsUOp *src[] = { condition, x, y };
  return ls_tensors_node (t, LS_OP_WHERE, x->dtype, 3, src, ls_arg_none ());
}

static LsUOp *
neutral (LsTensors *t, LsOp op, LsDType dtype, guint n, const gint64 *dims)
{
  gint64 ones[LS_MAX_DIMS];
  for (guint i = 0; i < n; i++)
    ones[i] = 1;
  return ls_tensor_expand (t, ls_tensor_reshape (t, ls_tensor_const (t, dtype, ls_eval_identity (op, dtype)), n, ones), n, dims);
}

LsUOp *
ls_tensor_reduce (LsTensors *t, LsOp op, LsUOp *x, guint n, const gint64 *axes)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gint64 reduced[LS_MAX_DIMS], kept[LS_MAX_DIMS];
  gboolean flags[LS_MAX_DIMS] = { FALSE }, empty = FALSE;
  guint m = 0;
  if (op != LS_OP_ADD && op != LS_OP_MUL && op != LS_OP_MAX)
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "%s is not a reduce op; ADD, MUL and MAX are", ls_op_name (op));
  for (guint i = 0; i < n; i++) {
    if (axes[i] < 0 || axes[i] >= shape.n || flags[axes[i]]) {
      g_autofree char *text = ls_shape_to_string (shape);
      return ls_tensors_fail (t, LS_ERROR_SHAPE, axes[i] < 0 || axes[i] >= shape.n
                              ? "reduce: axis %" G_GINT64_FORMAT " is out of range for shape %s"
                              : "reduce: axis %" G_GINT64_FORMAT " is given twice for shape %s", axes[i], text);
    }
    flags[axes[i]] = TRUE;
  }
  for (guint i = 0; i < shape.n; i++) {
    kept[i] = flags[i] ? 1 : shape.dims[i];
    empty = empty || (flags[i] && shape.dims[i] == 0);
    if (flags[i] && shape.dims[i] != 1)
      reduced[m++] = i;
  }
  if (empty)
    return neutral (t, op, x->dtype, shape.n, kept);
  LsContext *ctx = ls_tensors_context (t);
  return m > 0 ? ls_tensors_node1 (t, LS_OP_REDUCE_AXIS, x->dtype, x, ls_arg_op_ints (ctx, op, m, reduced)) : x;
}
