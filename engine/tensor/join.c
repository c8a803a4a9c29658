/* Repeating, rolling and joining tensors: compositions of the movement primitives. */
#include "tensor.h"

LsUOp *
ls_tensor_repeat (LsTensors *t, LsUOp *x, guint n, const gint64 *repeats)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "repeat", "xi", x, n, repeats);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 one[2 * LS_MAX_DIMS], many[2 * LS_MAX_DIMS], merged[LS_MAX_DIMS];
  guint m = 0, total = MAX (n, shape.n);
  for (guint i = 0; i < n; i++)
    if (repeats[i] < 0 || n > LS_MAX_DIMS) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "repeat: a tensor cannot be repeated %" G_GINT64_FORMAT " times", repeats[i]);
      return ls_tensors_end (t, NULL);
    }
  for (guint i = 0; i < total; i++) {
    gint64 size = i < total - shape.n ? 1 : shape.dims[i - (total - shape.n)];
    gint64 times = i < total - n ? 1 : repeats[i - (total - n)];
    if (__builtin_mul_overflow (size, times, &merged[i])) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "repeat: the result is too large");
      return ls_tensors_end (t, NULL);
    }
    if (times != 1) {
      one[m] = 1;
      many[m++] = times;
    }
    one[m] = many[m] = size;
    m++;
  }
  x = ls_tensor_expand (t, ls_tensor_reshape (t, x, m, one), m, many);
  return ls_tensors_end (t, ls_tensor_reshape (t, x, total, merged));
}

LsUOp *
ls_tensor_repeat_interleave (LsTensors *t, LsUOp *x, gint64 repeats, gboolean flat, gint64 axis)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "repeat_interleave", "xn", x, repeats);
  if (flat) {
    x = ls_tensor_flatten (t, x, 0, -1);
    axis = 0;
  }
  if (!x)
    return ls_tensors_end (t, NULL);
  LsShape shape = ls_tensors_shape (t, x);
  if (!ls_tensors_axis (t, "repeat_interleave", shape.n, &axis))
    return ls_tensors_end (t, NULL);
  if (repeats < 0 || repeats > LS_MAX_ELEMENTS || shape.n == 0) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "repeat_interleave: an axis cannot be repeated %" G_GINT64_FORMAT " times", repeats);
    return ls_tensors_end (t, NULL);
  }
  gint64 many[LS_MAX_DIMS + 1], merged[LS_MAX_DIMS];
  for (guint i = 0; i <= shape.n; i++)
    many[i] = i <= axis ? shape.dims[i] : i == axis + 1 ? repeats : shape.dims[i - 1];
  for (guint i = 0; i < shape.n; i++)
    merged[i] = i == axis ? shape.dims[i] * repeats : shape.dims[i];
  x = ls_tensor_expand (t, ls_tensor_unsqueeze (t, x, axis + 1), shape.n + 1, many);
  return ls_tensors_end (t, ls_tensor_reshape (t, x, shape.n, merged));
}

LsUOp *
ls_tensor_roll (LsTensors *t, LsUOp *x, guint n, const gint64 *shifts, const gint64 *axes)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "roll", "xi", x, n, shifts);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 times[LS_MAX_DIMS], cut[2 * LS_MAX_DIMS];
  if (ls_shape_size (shape) == 0 || shape.n == 0)
    return ls_tensors_end (t, x);
  for (guint i = 0; i < shape.n; i++) {
    times[i] = 1;
    cut[2 * i] = 0;
    cut[2 * i + 1] = shape.dims[i];
  }
  for (guint i = 0; i < n; i++) {
    gint64 axis = axes[i];
    if (!ls_tensors_axis (t, "roll", shape.n, &axis))
      return ls_tensors_end (t, NULL);
    gint64 size = shape.dims[axis], shift = (shifts[i] % size + size) % size;
    times[axis] = 2;
    cut[2 * axis] = size - shift;
    cut[2 * axis + 1] = 2 * size - shift;
  }
  return ls_tensors_end (t, ls_tensor_shrink (t, ls_tensor_repeat (t, x, shape.n, times), cut));
}

/* Each tensor is padded with zeros to the whole, and the wholes are added: no element belongs to two of them. */
LsUOp *
ls_tensor_cat (LsTensors *t, guint n, LsUOp *const *x, gint64 axis)
{
  for (guint i = 0; i < n; i++)
    if (!x[i])
      return NULL;
  if (n == 0)
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "cat: there are no tensors to join");
  ls_tensors_begin (t, "cat", "xnn", x[0], (gint64) n, axis);
  LsShape first = ls_tensors_shape (t, x[0]);
  if (!ls_tensors_axis (t, "cat", first.n, &axis))
    return ls_tensors_end (t, NULL);
  gint64 total = 0, before = 0;
  for (guint i = 0; i < n; i++) {
    LsShape shape = ls_tensors_shape (t, x[i]);
    gboolean fits = shape.n == first.n && shape.n > 0;
    for (guint j = 0; fits && j < shape.n; j++)
      fits = j == axis || shape.dims[j] == first.dims[j];
    if (!fits) {
      g_autofree char *a = ls_shape_to_string (first), *b = ls_shape_to_string (shape);
      ls_tensors_fail (t, LS_ERROR_SHAPE, "cat: shapes %s and %s cannot be joined along axis %" G_GINT64_FORMAT, a, b, axis);
      return ls_tensors_end (t, NULL);
    }
    total += shape.dims[axis];
  }
  LsUOp *result = NULL;
  for (guint i = 0; i < n; i++) {
    LsShape shape = ls_tensors_shape (t, x[i]);
    gint64 pads[2 * LS_MAX_DIMS] = { 0 };
    if (shape.dims[axis] == 0 && total > 0)
      continue;
    pads[2 * axis] = before;
    pads[2 * axis + 1] = total - before - shape.dims[axis];
    before += shape.dims[axis];
    LsUOp *padded = ls_tensor_pad (t, x[i], pads, ls_operand_int (0));
    if (!padded)
      return ls_tensors_end (t, NULL);
    result = result ? ls_tensor_add (t, ls_operand_node (result), ls_operand_node (padded)) : padded;
  }
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_stack (LsTensors *t, guint n, LsUOp *const *x, gint64 axis)
{
  if (n == 0)
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "stack: there are no tensors to join");
  for (guint i = 0; i < n; i++)
    if (!x[i])
      return NULL;
  ls_tensors_begin (t, "stack", "xnn", x[0], (gint64) n, axis);
  LsShape first = ls_tensors_shape (t, x[0]);
  g_autofree LsUOp **raised = g_new (LsUOp *, n);
  if (!ls_tensors_axis (t, "stack", first.n + 1, &axis))
    return ls_tensors_end (t, NULL);
  for (guint i = 0; i < n; i++) {
    LsShape shape = ls_tensors_shape (t, x[i]);
    if (!ls_shape_equal (first, shape)) {
      g_autofree char *a = ls_shape_to_string (first), *b = ls_shape_to_string (shape);
      ls_tensors_fail (t, LS_ERROR_SHAPE, "stack: shapes %s and %s differ", a, b);
      return ls_tensors_end (t, NULL);
    }
    raised[i] = ls_tensor_unsqueeze (t, x[i], axis);
  }
  return ls_tensors_end (t, ls_tensor_cat (t, n, raised, axis));
}

LsUOp *
ls_tensor_diagonal (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  if (shape.n < 2 || shape.dims[shape.n - 1] != shape.dims[shape.n - 2]) {
    g_autofree char *text = ls_shape_to_string (shape);
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "diagonal: the last two axes of shape %s are not equal", text);
  }
  ls_tensors_begin (t, "diagonal", "x", x);
  /* Rows of n elements, flattened and read in rows of n + 1, begin on the diagonal. */
  gint64 n = shape.dims[shape.n - 1], dims[LS_MAX_DIMS + 1], pads[2 * LS_MAX_DIMS] = { 0 }, cut[2 * LS_MAX_DIMS];
  guint outer = shape.n - 2;
  for (guint i = 0; i < outer; i++) {
    dims[i] = cut[2 * i + 1] = shape.dims[i];
    cut[2 * i] = 0;
  }
  pads[2 * outer + 1] = n;
  x = ls_tensor_pad (t, ls_tensor_flatten (t, x, -2, -1), pads, ls_operand_int (0));
  dims[outer] = n;
  dims[outer + 1] = n + 1;
  x = ls_tensor_reshape (t, x, outer + 2, dims);
  cut[2 * outer] = cut[2 * outer + 2] = 0;
  cut[2 * outer + 1] = n;
  cut[2 * outer + 3] = MIN (n, 1);
  x = ls_tensor_shrink (t, x, cut);
  return ls_tensors_end (t, ls_tensor_reshape (t, x, outer + 1, dims));
}
