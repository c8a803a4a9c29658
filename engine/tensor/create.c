/* Creating tensors, converting their dtype, and asking for memory of their own. */
#include "tensor.h"

#include <math.h>

LsUOp *
ls_tensor_const (LsTensors *t, LsOperand value, LsDType dtype)
{
  LsContext *ctx = ls_tensors_context (t);
  if (value.node)
    return ls_tensor_cast (t, value.node, dtype ? dtype : value.node->dtype);
  if (!value.weak)
    return NULL;
  if (!dtype)
    dtype = value.weak;
  gboolean is_float = value.weak == LS_WEAKFLOAT;
  if (ls_dtype_is_float (dtype))
    return ls_uop_const_f (ctx, dtype, is_float ? value.value.f : (double) value.value.i);
  if (ls_dtype_is_bool (dtype))
    return ls_uop_const_i (ctx, dtype, is_float ? value.value.f != 0 : value.value.i != 0);
  return ls_uop_const_i (ctx, dtype, is_float ? ls_eval_cast (dtype, LS_DOUBLE, value.value).i : value.value.i);
}

LsUOp *
ls_tensor_full (LsTensors *t, guint n, const gint64 *dims, LsOperand value, LsDType dtype)
{
  ls_tensors_begin (t, "full", "io", n, dims, &value);
  for (guint i = 0; i < n; i++)
    if (dims[i] < 0) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "full: the size %" G_GINT64_FORMAT " is negative", dims[i]);
      return ls_tensors_end (t, NULL);
    }
  LsUOp *x = ls_tensor_const (t, value, dtype ? dtype : ls_dtype_strong (ls_operand_dtype (value)));
  return ls_tensors_end (t, ls_tensor_expand (t, x, n, dims));
}

LsUOp *
ls_tensor_full_like (LsTensors *t, LsUOp *x, LsOperand value, LsDType dtype)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  return ls_tensor_full (t, shape.n, shape.dims, value, dtype ? dtype : x->dtype);
}

LsUOp *
ls_tensor_host (LsTensors *t, LsDType dtype, guint n, const gint64 *dims, const void *data)
{
  GError *error = NULL;
  ls_tensors_begin (t, "Tensor", "di", dtype, n, dims);
  LsUOp *result = ls_tensors_host (t)->host_data (ls_tensors_host (t)->self, dtype, n, dims, data, &error);
  if (!result) {
    ls_tensors_fail (t, error ? error->code : LS_ERROR_RUN, "Tensor: %s", error ? error->message : "no memory");
    g_clear_error (&error);
  }
  return ls_tensors_end (t, result);
}

static double
operand_number (LsOperand o)
{
  return o.weak == LS_WEAKFLOAT ? o.value.f : (double) o.value.i;
}

LsUOp *
ls_tensor_arange (LsTensors *t, LsOperand start, LsOperand stop, LsOperand step, LsDType dtype)
{
  ls_tensors_begin (t, "arange", "ooo", &start, &stop, &step);
  gboolean is_float = start.weak == LS_WEAKFLOAT || stop.weak == LS_WEAKFLOAT || step.weak == LS_WEAKFLOAT;
  gint64 n;
  if (operand_number (step) == 0) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "arange: the step is 0");
    return ls_tensors_end (t, NULL);
  }
  if (is_float) {
    double count = ceil ((operand_number (stop) - operand_number (start)) / operand_number (step));
    n = !(count > 0) ? 0 : count > (double) LS_MAX_ELEMENTS ? LS_MAX_ELEMENTS + 1 : (gint64) count;
  } else {
    __int128 distance = (__int128) stop.value.i - start.value.i, by = step.value.i;
    __int128 count = distance / by + (distance % by != 0 && (distance < 0) == (by < 0));
    n = count <= 0 ? 0 : count > LS_MAX_ELEMENTS ? LS_MAX_ELEMENTS + 1 : (gint64) count;
  }
  if (n > LS_MAX_ELEMENTS) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "arange: the range has too many elements");
    return ls_tensors_end (t, NULL);
  }
  if (!dtype && is_float)
    dtype = LS_FLOAT;
  if (!dtype) {
    __int128 last = (__int128) start.value.i + (__int128) step.value.i * MAX (n - 1, 0);
    gboolean narrow = last >= G_MININT32 && last <= G_MAXINT32 && start.value.i >= G_MININT32 && start.value.i <= G_MAXINT32;
    dtype = narrow ? LS_INT32 : LS_INT64;
  }
  LsUOp *x = ls_tensor_full (t, 1, &n, step, dtype);
  if (n > 0) {
    LsOperand shift = is_float ? ls_operand_float (operand_number (start) - operand_number (step))
                               : ls_operand_int (start.value.i - step.value.i);
    x = ls_tensor_cumulative (t, x, LS_OP_ADD, 0);
    if (operand_number (shift) != 0)
      x = ls_tensor_add (t, ls_operand_node (x), shift);
  }
  return ls_tensors_end (t, ls_tensor_cast (t, x, dtype));
}

LsUOp *
ls_tensor_linspace (LsTensors *t, LsOperand start, LsOperand stop, gint64 steps, LsDType dtype)
{
  ls_tensors_begin (t, "linspace", "oon", &start, &stop, steps);
  if (!dtype)
    dtype = LS_FLOAT;
  if (steps < 0 || ls_dtype_is_bool (dtype)) {
    if (steps < 0)
      ls_tensors_fail (t, LS_ERROR_SHAPE, "linspace: the number of steps is negative");
    else
      ls_tensors_fail (t, LS_ERROR_DTYPE, "linspace: dtypes.bool is not supported");
    return ls_tensors_end (t, NULL);
  }
  if (steps == 1)
    return ls_tensors_end (t, ls_tensor_full (t, 1, &steps, start, dtype));
  double by = (operand_number (stop) - operand_number (start)) / (double) (steps - 1);
  LsUOp *x = ls_tensor_arange (t, ls_operand_int (0), ls_operand_int (steps), ls_operand_int (1), LS_FLOAT);
  x = ls_tensor_mul (t, ls_operand_node (x), ls_operand_float (by));
  x = ls_tensor_add (t, start, ls_operand_node (x));
  return ls_tensors_end (t, ls_tensor_cast (t, x, dtype));
}

/* A column of ones, padded to rows one longer than wanted: read in rows of m, each one moves one place to the right. */
LsUOp *
ls_tensor_eye (LsTensors *t, gint64 n, gint64 m, LsDType dtype)
{
  ls_tensors_begin (t, "eye", "nn", n, m);
  if (n < 0 || m < 0 || n > LS_MAX_ELEMENTS || m > LS_MAX_ELEMENTS) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "eye: the size (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ") is no shape", n, m);
    return ls_tensors_end (t, NULL);
  }
  if (!dtype)
    dtype = LS_FLOAT;
  gint64 k = MIN (n, m), column[] = { k, 1 }, all[] = { n, m }, flat = k * (m + 1), square[] = { k, m };
  if (k == 0)
    return ls_tensors_end (t, ls_tensor_full (t, 2, all, ls_operand_int (0), dtype));
  LsUOp *x = ls_tensor_full (t, 2, column, ls_operand_int (1), dtype);
  x = ls_tensor_pad (t, x, (gint64[]) { 0, 0, 0, m }, ls_operand_int (0));
  x = ls_tensor_shrink (t, ls_tensor_reshape (t, x, 1, &flat), (gint64[]) { 0, k * m });
  x = ls_tensor_reshape (t, x, 2, square);
  return ls_tensors_end (t, ls_tensor_pad (t, x, (gint64[]) { 0, n - k, 0, 0 }, ls_operand_int (0)));
}

LsUOp *
ls_tensor_cast (LsTensors *t, LsUOp *x, LsDType dtype)
{
  if (!x || x->dtype == dtype)
    return x;
  ls_tensors_begin (t, "cast", "xd", x, dtype);
  return ls_tensors_end (t, ls_uop_cast (ls_tensors_context (t), x, dtype));
}

LsUOp *
ls_tensor_bitcast (LsTensors *t, LsUOp *x, LsDType dtype)
{
  if (!x || x->dtype == dtype)
    return x;
  if (ls_dtype_is_weak (x->dtype) || ls_dtype_is_weak (dtype) || ls_dtype_is_bool (dtype))
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "bitcast: from %s to %s is not possible", ls_dtype_name (x->dtype), ls_dtype_name (dtype));
  if (ls_dtype_itemsize (x->dtype) != ls_dtype_itemsize (dtype))
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "bitcast: %s has %u bytes and %s has %u; sizes that differ are not supported yet",
                            ls_dtype_name (x->dtype), ls_dtype_itemsize (x->dtype), ls_dtype_name (dtype), ls_dtype_itemsize (dtype));
  ls_tensors_begin (t, "bitcast", "xd", x, dtype);
  return ls_tensors_end (t, ls_uop_new1 (ls_tensors_context (t), LS_OP_BITCAST, dtype, x, ls_arg_none ()));
}

/* Whether the elements of x lie in row-major order in a buffer that is its own. */
static gboolean
has_buffer (LsUOp *x)
{
  while (x->op == LS_OP_RESHAPE)
    x = x->src[0];
  return x->op == LS_OP_CONTIGUOUS || x->op == LS_OP_COPY || x->op == LS_OP_BUFFER || x->op == LS_OP_ASSIGN;
}

LsUOp *
ls_tensor_contiguous (LsTensors *t, LsUOp *x)
{
  if (!x || has_buffer (x))
    return x;
  ls_tensors_begin (t, "contiguous", "x", x);
  return ls_tensors_end (t, ls_uop_new1 (ls_tensors_context (t), LS_OP_CONTIGUOUS, x->dtype, x, ls_arg_none ()));
}

LsUOp *
ls_tensor_detach (LsTensors *t, LsUOp *x)
{
  if (!x || x->op == LS_OP_DETACH)
    return x;
  ls_tensors_begin (t, "detach", "x", x);
  return ls_tensors_end (t, ls_uop_new1 (ls_tensors_context (t), LS_OP_DETACH, x->dtype, x, ls_arg_none ()));
}

LsUOp *
ls_tensor_contiguous_backward (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "contiguous_backward", "x", x);
  return ls_tensors_end (t, ls_uop_new1 (ls_tensors_context (t), LS_OP_CONTIGUOUS_BACKWARD, x->dtype, x, ls_arg_none ()));
}

LsUOp *
ls_tensor_clone (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "clone", "x", x);
  x = ls_tensor_cast (t, x, ls_dtype_strong (x->dtype));
  return ls_tensors_end (t, ls_uop_new1 (ls_tensors_context (t), LS_OP_CONTIGUOUS, x->dtype, x, ls_arg_none ()));
}
