/* Movement: the same elements under another shape, order or repetition. Each checks its arguments, and makes no node if nothing would
 * change. */
#include "tensor.h"

static LsUOp *
move (LsTensors *t, LsOp op, LsUOp *x, guint n, const gint64 *ints)
{
  LsContext *ctx = ls_tensors_context (t);
  LsUOp *result = ls_tensors_node1 (t, op, x->dtype, x, ls_arg_ints (ctx, n, ints));
  LsShape shape;
  GError *error = NULL;
  if (!ls_uop_get_shape (ctx, result, &shape, &error)) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "%s", error->message);
    g_error_free (error);
    return NULL;
  }
  return result;
}

/* The number of elements, or -1 with an error when there are too many axes or elements or a size is negative. */
static gint64
checked_size (LsTensors *t, const char *name, guint n, const gint64 *dims)
{
  if (n > LS_MAX_DIMS) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: too many axes: %u (at most %d)", name, n, LS_MAX_DIMS);
    return -1;
  }
  gint64 size = 1;
  gboolean empty = FALSE;
  for (guint i = 0; i < n; i++) {
    if (dims[i] < 0) {
      g_autofree char *text = ls_shape_to_string ((LsShape) { n, dims });
      ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: shape %s has a negative size", name, text);
      return -1;
    }
    if (dims[i] == 0)
      empty = TRUE;
    else if (__builtin_mul_overflow (size, dims[i], &size) || size > LS_MAX_ELEMENTS) {
      g_autofree char *text = ls_shape_to_string ((LsShape) { n, dims });
      ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: a tensor of shape %s is too large", name, text);
      return -1;
    }
  }
  return empty ? 0 : size;
}

/* "OP: shape (2, 3) … (4,)", with the numbers that were given. */
static LsUOp *
does_not_fit (LsTensors *t, const char *format, LsShape shape, guint n, const gint64 *ints)
{
  g_autofree char *from = ls_shape_to_string (shape), *to = ls_shape_to_string ((LsShape) { n, ints });
  g_autofree char *message = g_strdup_printf (format, from, to);
  return ls_tensors_fail (t, LS_ERROR_SHAPE, "%s", message);
}

LsUOp *
ls_tensor_reshape (LsTensors *t, LsUOp *x, guint n, const gint64 *dims)
{
  gint64 size = x ? checked_size (t, "reshape", n, dims) : -1;
  if (size < 0)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  if (size != ls_shape_size (shape))
    return does_not_fit (t, "reshape: shape %s cannot become %s: the numbers of elements differ", shape, n, dims);
  return ls_shape_equal (ls_shape_of_memory (shape), (LsShape) { n, dims }) ? x : move (t, LS_OP_RESHAPE, x, n, dims);
}

LsUOp *
ls_tensor_expand (LsTensors *t, LsUOp *x, guint n, const gint64 *dims)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gboolean fits = n == shape.n;
  for (guint i = 0; fits && i < n; i++)
    fits = shape.dims[i] == dims[i] || shape.dims[i] == 1;
  if (!fits)
    return does_not_fit (t, "expand: shape %s cannot be expanded to %s", shape, n, dims);
  if (checked_size (t, "expand", n, dims) < 0)
    return NULL;
  return ls_shape_equal (ls_shape_of_memory (shape), (LsShape) { n, dims }) ? x : move (t, LS_OP_EXPAND, x, n, dims);
}

LsUOp *
ls_tensor_permute (LsTensors *t, LsUOp *x, guint n, const gint64 *order)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gboolean seen[LS_MAX_DIMS] = { FALSE }, identity = TRUE, valid = n == shape.n;
  for (guint i = 0; valid && i < n; i++) {
    valid = order[i] >= 0 && order[i] < n && !seen[order[i]];
    if (valid)
      seen[order[i]] = TRUE;
    identity = identity && order[i] == i;
  }
  if (!valid)
    return does_not_fit (t, "permute: the axes of shape %s cannot be ordered %s", shape, n, order);
  return identity ? x : move (t, LS_OP_PERMUTE, x, n, order);
}

LsUOp *
ls_tensor_flip (LsTensors *t, LsUOp *x, guint n, const gint64 *axes)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gint64 flags[LS_MAX_DIMS] = { 0 };
  for (guint i = 0; i < n; i++) {
    if (axes[i] < 0 || axes[i] >= shape.n || flags[axes[i]])
      return does_not_fit (t, "flip: shape %s does not have each of the axes %s once", shape, n, axes);
    flags[axes[i]] = 1;
  }
  for (guint i = 0; i < shape.n && shape.sizes && n > 0; i++)
    if (flags[i] && shape.sizes[i].of) {
      x = ls_tensor_flip_sized (t, x, i);
      flags[i] = 0;
      n--;
    }
  return x && n > 0 ? move (t, LS_OP_FLIP, x, shape.n, flags) : x;
}

LsUOp *
ls_tensor_shrink (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gboolean same = TRUE, fits = n == 2 * shape.n;
  for (guint i = 0; fits && i < shape.n; i++) {
    fits = pairs[2 * i] >= 0 && pairs[2 * i + 1] <= shape.dims[i] && pairs[2 * i] <= pairs[2 * i + 1];
    same = same && pairs[2 * i] == 0 && pairs[2 * i + 1] == shape.dims[i];
  }
  if (!fits)
    return does_not_fit (t, "shrink: the bounds are outside shape %s: %s", shape, n, pairs);
  return same ? x : move (t, LS_OP_SHRINK, x, n, pairs);
}

LsUOp *
ls_tensor_pad (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  gint64 padded[LS_MAX_DIMS];
  for (guint i = 0; i < shape.n && shape.sizes && n == 2 * shape.n; i++)
    if (shape.sizes[i].of && (pairs[2 * i] || pairs[2 * i + 1]))
      return ls_tensor_pad (t, ls_tensor_fixed (t, x), n, pairs);
  gboolean same = TRUE, fits = n == 2 * shape.n;
  for (guint i = 0; fits && i < shape.n; i++) {
    fits = pairs[2 * i] >= 0 && pairs[2 * i + 1] >= 0 && pairs[2 * i] <= LS_MAX_ELEMENTS && pairs[2 * i + 1] <= LS_MAX_ELEMENTS;
    if (fits)
      padded[i] = shape.dims[i] + pairs[2 * i] + pairs[2 * i + 1];
    same = same && pairs[2 * i] == 0 && pairs[2 * i + 1] == 0;
  }
  if (!fits)
    return does_not_fit (t, "pad: shape %s cannot be padded by %s", shape, n, pairs);
  if (same)
    return x;
  return checked_size (t, "pad", shape.n, padded) < 0 ? NULL : move (t, LS_OP_PAD, x, n, pairs);
}
