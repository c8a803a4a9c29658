/* Creating tensors, converting their dtype, and asking for memory of their own. */
#include "tensor.h"

LsUOp *
ls_tensor_const (LsTensors *t, LsDType dtype, LsScalar value)
{
  LsContext *ctx = ls_tensors_context (t);
  return ls_dtype_is_float (dtype) ? ls_uop_const_f (ctx, dtype, value.f) : ls_uop_const_i (ctx, dtype, value.i);
}

LsUOp *
ls_tensor_host (LsTensors *t, LsDType dtype, guint n, const gint64 *dims, const void *data)
{
  GError *error = NULL;
  LsUOp *result = ls_tensors_host (t)->host_data (ls_tensors_host (t)->self, dtype, n, dims, data, &error);
  if (!result)
    ls_tensors_fail (t, error ? error->code : LS_ERROR_RUN, "Tensor: %s", error ? error->message : "no memory");
  g_clear_error (&error);
  return result;
}

LsUOp *
ls_tensor_cast (LsTensors *t, LsUOp *x, LsDType dtype)
{
  return !x || x->dtype == dtype ? x : ls_tensors_node1 (t, LS_OP_CAST, dtype, x, ls_arg_none ());
}

LsUOp *
ls_tensor_bitcast (LsTensors *t, LsUOp *x, LsDType dtype)
{
  if (!x || x->dtype == dtype)
    return x;
  if (ls_dtype_itemsize (x->dtype) != ls_dtype_itemsize (dtype) || ls_dtype_is_bool (dtype))
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "bitcast: %s cannot be read as %s", ls_dtype_name (x->dtype), ls_dtype_name (dtype));
  return ls_tensors_node1 (t, LS_OP_BITCAST, dtype, x, ls_arg_none ());
}

/* Whether the elements of x are in row-major order in its own buffer. */
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
  return !x || has_buffer (x) ? x : ls_tensors_node1 (t, LS_OP_CONTIGUOUS, x->dtype, x, ls_arg_none ());
}

LsUOp *
ls_tensor_detach (LsTensors *t, LsUOp *x)
{
  return !x || x->op == LS_OP_DETACH ? x : ls_uop_new1 (ls_tensors_context (t), LS_OP_DETACH, x->dtype, x, ls_arg_none ());
}

LsUOp *
ls_tensor_own (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  guint32 n = ls_tensors_next_own (t);
  for (guint i = 0; i < 2; i++, n >>= 16)
    x = ls_uop_new_tag (ls_tensors_context (t), LS_OP_DETACH, x->dtype, 1, &x, ls_arg_none (), (guint16) n);
  return x;
}

LsUOp *
ls_tensor_contiguous_backward (LsTensors *t, LsUOp *x)
{
  return x ? ls_tensors_node1 (t, LS_OP_CONTIGUOUS_BACKWARD, x->dtype, x, ls_arg_none ()) : NULL;
}

/* Each clone has its own memory, also clones of one tensor: tags distinguish them. */
LsUOp *
ls_tensor_clone (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  LsContext *ctx = ls_tensors_context (t);
  guint32 before = ls_context_n_nodes (ctx);
  LsUOp *clone = x;
  for (guint i = 0; clone->id < before && i < LS_TAG_AGAIN; i++)
    clone = ls_uop_new_tag (ctx, LS_OP_CONTIGUOUS, x->dtype, 1, &x, ls_arg_none (),
                            (guint16) (ls_tensors_next_own (t) % (LS_TAG_AGAIN - 1) + 1));
  return clone;
}
