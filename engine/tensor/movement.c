/* Movement: the same elements under another shape, order or repetition, and basic indexing.
 *
 * Six primitives (reshape, expand, permute, flip, pad, shrink) check their arguments, resolve -1 and negative axes, and skip
 * the node when nothing would change. Everything else here is said with them.
 */
#include "tensor.h"

static LsUOp *
move (LsTensors *t, LsOp op, LsUOp *x, guint n, const gint64 *ints)
{
  LsContext *ctx = ls_tensors_context (t);
  LsUOp *result = ls_uop_new1 (ctx, op, x->dtype, x, ls_arg_ints (ctx, n, ints));
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
    ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: %u axes are too many (at most %d)", name, n, LS_MAX_DIMS);
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

LsUOp *
ls_tensor_reshape (LsTensors *t, LsUOp *x, guint n, const gint64 *dims)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "reshape", "xi", x, n, dims);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 resolved[LS_MAX_DIMS], known = 1, size = ls_shape_size (shape);
  int inferred = -1;
  LsUOp *result = NULL;
  if (n > LS_MAX_DIMS) {
    checked_size (t, "reshape", n, dims);
    return ls_tensors_end (t, NULL);
  }
  for (guint i = 0; i < n; i++) {
    resolved[i] = dims[i];
    if (dims[i] != -1)
      continue;
    if (inferred >= 0) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "reshape: only one size can be -1");
      return ls_tensors_end (t, NULL);
    }
    inferred = i;
    resolved[i] = 1;
  }
  known = checked_size (t, "reshape", n, resolved);
  if (known < 0)
    return ls_tensors_end (t, NULL);
  if (inferred >= 0) {
    resolved[inferred] = known == 0 ? 0 : size / known;
    known *= resolved[inferred];
  }
  if (known != size) {
    g_autofree char *from = ls_shape_to_string (shape), *to = ls_shape_to_string ((LsShape) { n, dims });
    ls_tensors_fail (t, LS_ERROR_SHAPE, "reshape: shape %s has %" G_GINT64_FORMAT " elements and cannot become %s", from, size, to);
  } else if (ls_shape_equal (shape, (LsShape) { n, resolved })) {
    result = x;
  } else {
    result = move (t, LS_OP_RESHAPE, x, n, resolved);
  }
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_expand (LsTensors *t, LsUOp *x, guint n, const gint64 *dims)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "expand", "xi", x, n, dims);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 aligned[LS_MAX_DIMS], target[LS_MAX_DIMS];
  gboolean fits = n >= shape.n && n <= LS_MAX_DIMS, same = n == shape.n;
  for (guint i = 0; fits && i < n; i++) {
    aligned[i] = i < n - shape.n ? 1 : shape.dims[i - (n - shape.n)];
    target[i] = dims[i] == -1 ? aligned[i] : dims[i];
    fits = aligned[i] == target[i] || aligned[i] == 1;
    same = same && aligned[i] == target[i];
  }
  if (!fits) {
    g_autofree char *from = ls_shape_to_string (shape), *to = ls_shape_to_string ((LsShape) { n, dims });
    ls_tensors_fail (t, LS_ERROR_SHAPE, "expand: shape %s cannot be expanded to %s", from, to);
    return ls_tensors_end (t, NULL);
  }
  if (same)
    return ls_tensors_end (t, x);
  if (checked_size (t, "expand", n, target) < 0)
    return ls_tensors_end (t, NULL);
  if (n > shape.n)
    x = ls_tensor_reshape (t, x, n, aligned);
  if (!x || ls_shape_equal (ls_tensors_shape (t, x), (LsShape) { n, target }))
    return ls_tensors_end (t, x);
  return ls_tensors_end (t, move (t, LS_OP_EXPAND, x, n, target));
}

LsUOp *
ls_tensor_permute (LsTensors *t, LsUOp *x, guint n, const gint64 *order)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "permute", "xi", x, n, order);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 resolved[LS_MAX_DIMS];
  gboolean seen[LS_MAX_DIMS] = { FALSE }, identity = TRUE, valid = n == shape.n;
  for (guint i = 0; valid && i < n; i++) {
    resolved[i] = order[i] < 0 ? order[i] + n : order[i];
    valid = resolved[i] >= 0 && resolved[i] < n && !seen[resolved[i]];
    if (valid)
      seen[resolved[i]] = TRUE;
    identity = identity && resolved[i] == i;
  }
  if (!valid) {
    g_autofree char *from = ls_shape_to_string (shape), *to = ls_shape_to_string ((LsShape) { n, order });
    ls_tensors_fail (t, LS_ERROR_SHAPE, "permute: %s is no order of the axes of shape %s", to, from);
    return ls_tensors_end (t, NULL);
  }
  return ls_tensors_end (t, identity ? x : move (t, LS_OP_PERMUTE, x, n, resolved));
}

LsUOp *
ls_tensor_transpose (LsTensors *t, LsUOp *x, gint64 a, gint64 b)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "transpose", "xnn", x, a, b);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 order[LS_MAX_DIMS];
  if (shape.n == 0 || !ls_tensors_axis (t, "transpose", shape.n, &a) || !ls_tensors_axis (t, "transpose", shape.n, &b))
    return ls_tensors_end (t, shape.n == 0 ? ls_tensors_fail (t, LS_ERROR_SHAPE, "transpose: a tensor of shape () has no axes") : NULL);
  for (guint i = 0; i < shape.n; i++)
    order[i] = i == a ? b : i == b ? a : i;
  return ls_tensors_end (t, ls_tensor_permute (t, x, shape.n, order));
}

LsUOp *
ls_tensor_flip (LsTensors *t, LsUOp *x, guint n, const gint64 *axes)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "flip", "xi", x, n, axes);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 flags[LS_MAX_DIMS] = { 0 };
  gboolean any = FALSE;
  for (guint i = 0; i < n; i++) {
    gint64 axis = axes[i];
    if (!ls_tensors_axis (t, "flip", shape.n, &axis))
      return ls_tensors_end (t, NULL);
    if (axis >= shape.n)
      continue;
    if (flags[axis]) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "flip: axis %" G_GINT64_FORMAT " is named twice", axis);
      return ls_tensors_end (t, NULL);
    }
    flags[axis] = 1;
    any = TRUE;
  }
  return ls_tensors_end (t, any ? move (t, LS_OP_FLIP, x, shape.n, flags) : x);
}

LsUOp *
ls_tensor_shrink (LsTensors *t, LsUOp *x, const gint64 *pairs)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  ls_tensors_begin (t, "shrink", "xi", x, 2 * shape.n, pairs);
  gboolean same = TRUE;
  for (guint i = 0; i < shape.n; i++) {
    if (pairs[2 * i] < 0 || pairs[2 * i + 1] > shape.dims[i] || pairs[2 * i] > pairs[2 * i + 1]) {
      g_autofree char *text = ls_shape_to_string (shape);
      ls_tensors_fail (t, LS_ERROR_SHAPE, "shrink: (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ") is no part of axis %u of shape %s",
                       pairs[2 * i], pairs[2 * i + 1], i, text);
      return ls_tensors_end (t, NULL);
    }
    same = same && pairs[2 * i] == 0 && pairs[2 * i + 1] == shape.dims[i];
  }
  return ls_tensors_end (t, same ? x : move (t, LS_OP_SHRINK, x, 2 * shape.n, pairs));
}

static LsUOp *
pad_zero (LsTensors *t, LsUOp *x, const gint64 *pairs)
{
  LsShape shape = ls_tensors_shape (t, x);
  gint64 padded[LS_MAX_DIMS];
  gboolean same = TRUE;
  for (guint i = 0; i < shape.n; i++) {
    if (pairs[2 * i] > LS_MAX_ELEMENTS || pairs[2 * i + 1] > LS_MAX_ELEMENTS)
      return ls_tensors_fail (t, LS_ERROR_SHAPE, "pad: the padding is too large");
    padded[i] = shape.dims[i] + pairs[2 * i] + pairs[2 * i + 1];
    same = same && pairs[2 * i] == 0 && pairs[2 * i + 1] == 0;
  }
  if (same)
    return x;
  return checked_size (t, "pad", shape.n, padded) < 0 ? NULL : move (t, LS_OP_PAD, x, 2 * shape.n, pairs);
}

LsUOp *
ls_tensor_pad (LsTensors *t, LsUOp *x, const gint64 *pairs, LsOperand value)
{
  if (!x)
    return NULL;
  LsShape shape = ls_tensors_shape (t, x);
  ls_tensors_begin (t, "pad", "xi", x, 2 * shape.n, pairs);
  gint64 cut[2 * LS_MAX_DIMS], added[2 * LS_MAX_DIMS];
  for (guint i = 0; i < shape.n; i++) {
    cut[2 * i] = pairs[2 * i] < 0 ? -pairs[2 * i] : 0;
    cut[2 * i + 1] = pairs[2 * i + 1] < 0 ? shape.dims[i] + pairs[2 * i + 1] : shape.dims[i];
    added[2 * i] = MAX (pairs[2 * i], 0);
    added[2 * i + 1] = MAX (pairs[2 * i + 1], 0);
  }
  x = ls_tensor_shrink (t, x, cut);
  LsUOp *result = x ? pad_zero (t, x, added) : NULL;
  gboolean zero = !value.node && (value.weak == LS_WEAKFLOAT ? value.value.f == 0 : value.value.i == 0);
  if (result && result != x && !zero) {
    LsUOp *inside = ls_tensor_full_like (t, x, ls_operand_bool (TRUE), LS_BOOL);
    result = inside ? ls_tensor_where (t, pad_zero (t, inside, added), ls_operand_node (result), value) : NULL;
  }
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_squeeze (LsTensors *t, LsUOp *x, gboolean all, gint64 axis)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "squeeze", "x", x);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 dims[LS_MAX_DIMS];
  guint n = 0;
  if (!all && !ls_tensors_axis (t, "squeeze", shape.n, &axis))
    return ls_tensors_end (t, NULL);
  for (guint i = 0; i < shape.n; i++)
    if (shape.dims[i] != 1 || (!all && i != axis))
      dims[n++] = shape.dims[i];
  return ls_tensors_end (t, ls_tensor_reshape (t, x, n, dims));
}

LsUOp *
ls_tensor_unsqueeze (LsTensors *t, LsUOp *x, gint64 axis)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "unsqueeze", "xn", x, axis);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 dims[LS_MAX_DIMS + 1];
  if (!ls_tensors_axis (t, "unsqueeze", shape.n + 1, &axis))
    return ls_tensors_end (t, NULL);
  for (guint i = 0; i <= shape.n; i++)
    dims[i] = i < axis ? shape.dims[i] : i == axis ? 1 : shape.dims[i - 1];
  return ls_tensors_end (t, ls_tensor_reshape (t, x, shape.n + 1, dims));
}

LsUOp *
ls_tensor_flatten (LsTensors *t, LsUOp *x, gint64 first, gint64 last)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "flatten", "xnn", x, first, last);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 dims[LS_MAX_DIMS + 1], merged = 1;
  guint n = 0;
  if (!ls_tensors_axis (t, "flatten", shape.n, &first) || !ls_tensors_axis (t, "flatten", shape.n, &last))
    return ls_tensors_end (t, NULL);
  if (first > last) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "flatten: the first axis comes after the last");
    return ls_tensors_end (t, NULL);
  }
  for (guint i = 0; i < first && i < shape.n; i++)
    dims[n++] = shape.dims[i];
  for (guint i = first; i <= last && i < shape.n; i++)
    merged *= shape.dims[i];
  dims[n++] = merged;
  for (guint i = last + 1; i < shape.n; i++)
    dims[n++] = shape.dims[i];
  return ls_tensors_end (t, ls_tensor_reshape (t, x, n, dims));
}

LsUOp *
ls_tensor_unflatten (LsTensors *t, LsUOp *x, gint64 axis, guint n, const gint64 *sizes)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "unflatten", "xni", x, axis, n, sizes);
  LsShape shape = ls_tensors_shape (t, x);
  gint64 dims[LS_MAX_DIMS];
  guint m = 0;
  if (!ls_tensors_axis (t, "unflatten", shape.n, &axis))
    return ls_tensors_end (t, NULL);
  if (shape.n == 0 || shape.n - 1 + n > LS_MAX_DIMS) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "unflatten: the axis cannot be split that way");
    return ls_tensors_end (t, NULL);
  }
  for (guint i = 0; i < shape.n; i++) {
    if (i != axis)
      dims[m++] = shape.dims[i];
    else
      for (guint j = 0; j < n; j++)
        dims[m++] = sizes[j];
  }
  return ls_tensors_end (t, ls_tensor_reshape (t, x, m, dims));
}

/* Every st-th element of each axis: pad to a multiple, split, keep the first of each group. */
static LsUOp *
stride_axes (LsTensors *t, LsUOp *x, guint n, const gint64 *strides)
{
  gint64 pads[2 * LS_MAX_DIMS] = { 0 }, split[2 * LS_MAX_DIMS], keep[4 * LS_MAX_DIMS], sizes[LS_MAX_DIMS];
  LsShape shape = ls_tensors_shape (t, x);
  gboolean any = FALSE;
  guint m = 0;
  for (guint i = 0; i < n; i++) {
    sizes[i] = shape.dims[i] / strides[i] + (shape.dims[i] % strides[i] != 0);
    pads[2 * i + 1] = sizes[i] * strides[i] - shape.dims[i];
    any = any || strides[i] != 1;
    keep[2 * m] = 0;
    keep[2 * m + 1] = split[m] = sizes[i];
    m++;
    if (strides[i] != 1) {
      keep[2 * m] = 0;
      keep[2 * m + 1] = 1;
      split[m++] = strides[i];
    }
  }
  if (!any)
    return x;
  x = ls_tensor_reshape (t, ls_tensor_pad (t, x, pads, ls_operand_int (0)), m, split);
  return ls_tensor_reshape (t, ls_tensor_shrink (t, x, keep), n, sizes);
}

LsUOp *
ls_tensor_index (LsTensors *t, LsUOp *x, guint n, const LsIndexItem *items)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "__getitem__", "xn", x, (gint64) n);
  LsShape shape = ls_tensors_shape (t, x);
  guint n_real = 0, n_ellipsis = 0, axis = 0, n_out = 0, n_flip = 0;
  for (guint i = 0; i < n; i++) {
    n_real += items[i].kind == LS_INDEX_INT || items[i].kind == LS_INDEX_SLICE;
    n_ellipsis += items[i].kind == LS_INDEX_ELLIPSIS;
  }
  if (n_real > shape.n || n_ellipsis > 1) {
    g_autofree char *text = ls_shape_to_string (shape);
    if (n_ellipsis > 1)
      ls_tensors_fail (t, LS_ERROR_SHAPE, "an index can only have one '...'");
    else
      ls_tensors_fail (t, LS_ERROR_SHAPE, "%u indices are too many for shape %s", n_real, text);
    return ls_tensors_end (t, NULL);
  }
  gint64 bounds[2 * LS_MAX_DIMS], strides[LS_MAX_DIMS], out[2 * LS_MAX_DIMS], flips[LS_MAX_DIMS];
  for (guint i = 0; i <= n; i++) {
    guint whole = i == n ? shape.n - axis : items[i].kind == LS_INDEX_ELLIPSIS ? shape.n - n_real : 0;
    if (i == n && n_ellipsis)
      break;
    if (i == n || items[i].kind == LS_INDEX_ELLIPSIS) {
      for (; whole > 0; whole--, axis++) {
        bounds[2 * axis] = 0;
        bounds[2 * axis + 1] = shape.dims[axis];
        strides[axis] = 1;
        out[n_out++] = shape.dims[axis];
      }
      continue;
    }
    const LsIndexItem *item = &items[i];
    if (n_out >= LS_MAX_DIMS) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "an index makes too many axes");
      return ls_tensors_end (t, NULL);
    }
    if (item->kind == LS_INDEX_NEW_AXIS) {
      out[n_out++] = 1;
      continue;
    }
    gint64 size = shape.dims[axis], step = item->step;
    if (item->kind == LS_INDEX_INT) {
      gint64 at = item->start < 0 ? item->start + size : item->start;
      if (at < 0 || at >= size) {
        g_autofree char *text = ls_shape_to_string (shape);
        ls_tensors_fail (t, LS_ERROR_SHAPE, "index %" G_GINT64_FORMAT " is out of range for axis %u of shape %s", item->start, axis, text);
        return ls_tensors_end (t, NULL);
      }
      bounds[2 * axis] = at;
      bounds[2 * axis + 1] = at + 1;
      strides[axis++] = 1;
      continue;
    }
    if (step == 0 || step == G_MININT64) {
      ls_tensors_fail (t, LS_ERROR_SHAPE, "the step of a slice cannot be %s", step ? "that large" : "0");
      return ls_tensors_end (t, NULL);
    }
    /* Python's slice rules: bounds count from the end when negative and are clamped. */
    gint64 low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    gint64 start = !item->has_start ? (step > 0 ? low : high) : item->start < 0 ? item->start + size : item->start;
    gint64 stop = !item->has_stop ? (step > 0 ? high : low) : item->stop < 0 ? item->stop + size : item->stop;
    start = CLAMP (start, low, high);
    stop = CLAMP (stop, low, high);
    gint64 begin = step > 0 ? start : stop + 1, end = step > 0 ? stop : start + 1;
    if (end < begin)
      end = begin = 0;
    bounds[2 * axis] = begin;
    bounds[2 * axis + 1] = end;
    strides[axis] = MIN (ABS (step), MAX (size, 1));      /* a longer stride takes the same one element */
    if (step < 0)
      flips[n_flip++] = axis;
    out[n_out++] = (end - begin) / strides[axis] + ((end - begin) % strides[axis] != 0);
    axis++;
  }
  LsUOp *result = ls_tensor_shrink (t, x, bounds);
  if (result && n_flip > 0)
    result = ls_tensor_flip (t, result, n_flip, flips);
  if (result)
    result = stride_axes (t, result, shape.n, strides);
  return ls_tensors_end (t, ls_tensor_reshape (t, result, n_out, out));
}
