/* Small compositions of the primitives, for tests that build graphs without a program: numbers with tensors, broadcasting, sums that
 * drop their axes. */
#pragma once
#include "tensor/tensor.h"

/* A tensor, or a number that takes the other operand's dtype. */
typedef struct { LsUOp *node; double number; } Operand;
static inline Operand N (LsUOp *x)  { return (Operand) { .node = x }; }
static inline Operand F (double v)  { return (Operand) { .number = v }; }
#define I(v) F ((double) (v))

static inline LsUOp *
tensor_number (LsTensors *t, double value, LsDType dtype)
{
  return ls_tensor_const (t, dtype, ls_eval_cast (dtype, LS_DOUBLE, (LsScalar) { .f = value }));
}

/* x with axes of size 1 in front, expanded to the shape. */
static inline LsUOp *
tensor_broadcast (LsTensors *t, LsUOp *x, LsShape to)
{
  LsShape from = ls_tensors_shape (t, x);
  gint64 aligned[LS_MAX_DIMS];
  for (guint i = 0; i < to.n; i++)
    aligned[i] = i < to.n - from.n ? 1 : from.dims[i - (to.n - from.n)];
  return ls_tensor_expand (t, ls_tensor_reshape (t, x, to.n, aligned), to.n, to.dims);
}

static inline LsUOp *
tensor_full (LsTensors *t, guint n, const gint64 *dims, double value, LsDType dtype)
{
  return tensor_broadcast (t, tensor_number (t, value, dtype), (LsShape) { n, dims });
}

static inline LsUOp *
tensor_full_like (LsTensors *t, LsUOp *x, double value)
{
  LsShape shape = ls_tensors_shape (t, x);
  return tensor_full (t, shape.n, shape.dims, value, x->dtype);
}

static inline LsUOp *
tensor_binary (LsTensors *t, LsOp op, Operand a, Operand b)
{
  if (!a.node && !b.node)
    return NULL;
  LsDType dtype = (a.node ? a.node : b.node)->dtype;
  LsUOp *x = a.node ? a.node : tensor_number (t, a.number, dtype), *y = b.node ? b.node : tensor_number (t, b.number, dtype);
  LsShape p = ls_tensors_shape (t, x), q = ls_tensors_shape (t, y);
  gint64 dims[LS_MAX_DIMS];
  guint n = MAX (p.n, q.n);
  for (guint i = 0; i < n; i++) {
    gint64 u = i < n - p.n ? 1 : p.dims[i - (n - p.n)], v = i < n - q.n ? 1 : q.dims[i - (n - q.n)];
    dims[i] = u == 1 ? v : u;
  }
  LsShape shape = { n, dims };
  return ls_tensor_binary (t, op, tensor_broadcast (t, x, shape), tensor_broadcast (t, y, shape));
}
#define tensor_add(t, a, b)     tensor_binary (t, LS_OP_ADD, a, b)
#define tensor_mul(t, a, b)     tensor_binary (t, LS_OP_MUL, a, b)
#define tensor_maximum(t, a, b) tensor_binary (t, LS_OP_MAX, a, b)
#define tensor_pow(t, a, b)     tensor_binary (t, LS_OP_POW, a, b)
#define tensor_lt(t, a, b)      tensor_binary (t, LS_OP_CMPLT, a, b)
#define tensor_eq(t, a, b)      tensor_binary (t, LS_OP_CMPEQ, a, b)

/* Reduced over one axis, or all of them (axis -1); the axes go, unless keep. */
static inline LsUOp *
tensor_reduce (LsTensors *t, LsOp op, LsUOp *x, int axis, gboolean keep)
{
  LsShape shape = ls_tensors_shape (t, x);
  gint64 axes[LS_MAX_DIMS], dims[LS_MAX_DIMS];
  guint n = 0, left = 0;
  for (guint i = 0; i < shape.n; i++) {
    gboolean reduced = axis < 0 || i == (guint) axis;
    if (reduced)
      axes[n++] = i;
    if (!reduced || keep)
      dims[left++] = reduced ? 1 : shape.dims[i];
  }
  return ls_tensor_reshape (t, ls_tensor_reduce (t, op, x, n, axes), left, dims);
}
#define tensor_sum(t, x, axis, keep) tensor_reduce (t, LS_OP_ADD, x, axis, keep)
