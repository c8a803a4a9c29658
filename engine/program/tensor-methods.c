/* The methods of tensors: a row each. Elementwise functions come straight from the Tensor API's tables. */
#include "evaluator-private.h"

#include <string.h>

#define HANDLER(name) static gboolean name (LsEvaluator *ev, const LsValue *a, LsValue *out)
#define T (ev->tensors)

static gboolean
give (LsEvaluator *ev, LsUOp *node, LsValue *out)
{
  return ls_ev_tensor (ev, node, out);
}

/* x: the first argument as a node, or the handler fails. */
#define TAKE_X LsUOp *x; if (!ls_take_node (ev, a[0], &x)) return FALSE

/* Creation. */
HANDLER (full_of)      /* dims, value, dtype */
{
  gint64 dims[LS_MAX_DIMS];
  guint n;
  LsOperand value;
  LsDType dtype;
  if (!ls_take_ints (ev, a[0], "a size", &n, dims) || !ls_take_operand (ev, a[1], &value) || !ls_take_dtype (ev, a[2], &dtype))
    return FALSE;
  return give (ev, ls_tensor_full (T, n, dims, value, dtype), out);
}

HANDLER (tensor_full)  { return full_of (ev, (LsValue[]) { a[0], a[1], a[2] }, out); }
HANDLER (tensor_zeros) { return full_of (ev, (LsValue[]) { a[0], ls_value_float (0), a[1] }, out); }
HANDLER (tensor_ones)  { return full_of (ev, (LsValue[]) { a[0], ls_value_float (1), a[1] }, out); }

HANDLER (like)      /* self, value, dtype */
{
  LsOperand value;
  LsDType dtype;
  TAKE_X;
  if (!ls_take_operand (ev, a[1], &value) || !ls_take_dtype (ev, a[2], &dtype))
    return FALSE;
  return give (ev, ls_tensor_full_like (T, x, value, dtype), out);
}

HANDLER (tensor_zeros_like) { return like (ev, (LsValue[]) { a[0], ls_value_int (0), a[1] }, out); }
HANDLER (tensor_ones_like)  { return like (ev, (LsValue[]) { a[0], ls_value_int (1), a[1] }, out); }

HANDLER (tensor_arange)      /* start, stop, step, dtype */
{
  LsValue start = a[1].kind == LS_VALUE_NONE ? ls_value_int (0) : a[0], stop = a[1].kind == LS_VALUE_NONE ? a[0] : a[1];
  LsOperand from, to, by;
  LsDType dtype;
  if (!ls_value_is_number (start) || !ls_value_is_number (stop) || !ls_value_is_number (a[2]))
    return ls_ev_fail_here (ev, "arange() needs numbers");
  if (!ls_take_operand (ev, start, &from) || !ls_take_operand (ev, stop, &to) || !ls_take_operand (ev, a[2], &by) || !ls_take_dtype (ev, a[3], &dtype))
    return FALSE;
  return give (ev, ls_tensor_arange (T, from, to, by, dtype), out);
}

HANDLER (tensor_linspace)      /* start, stop, steps, dtype */
{
  LsOperand from, to;
  gint64 steps;
  LsDType dtype;
  if (!ls_value_is_number (a[0]) || !ls_value_is_number (a[1]))
    return ls_ev_fail_here (ev, "linspace() needs numbers");
  if (!ls_take_operand (ev, a[0], &from) || !ls_take_operand (ev, a[1], &to) || !ls_take_integer (ev, a[2], "the number of steps", &steps) ||
      !ls_take_dtype (ev, a[3], &dtype))
    return FALSE;
  return give (ev, ls_tensor_linspace (T, from, to, steps, dtype), out);
}

HANDLER (tensor_eye)      /* n, m, dtype */
{
  gint64 n, m;
  LsDType dtype;
  if (!ls_take_integer (ev, a[0], "the size", &n) || !ls_take_integer (ev, a[1].kind == LS_VALUE_NONE ? a[0] : a[1], "the size", &m) ||
      !ls_take_dtype (ev, a[2], &dtype))
    return FALSE;
  return give (ev, ls_tensor_eye (T, n, m, dtype), out);
}

static const LsBuiltin creation[] = {
  { "full", "shape, fill_value, dtype=None", LS_BUILTIN_STATIC, tensor_full },
  { "zeros", "*shape, dtype=None", LS_BUILTIN_STATIC, tensor_zeros },
  { "ones", "*shape, dtype=None", LS_BUILTIN_STATIC, tensor_ones },
  { "empty", "*shape, dtype=None", LS_BUILTIN_STATIC, tensor_zeros },
  { "arange", "start, stop=None, step=1, dtype=None", LS_BUILTIN_STATIC, tensor_arange },
  { "linspace", "start, stop, steps, dtype=None", LS_BUILTIN_STATIC, tensor_linspace },
  { "eye", "n, m=None, dtype=None", LS_BUILTIN_STATIC, tensor_eye },
  { "full_like", "self, fill_value, dtype=None", LS_BUILTIN_METHOD, like },
  { "zeros_like", "self, dtype=None", LS_BUILTIN_METHOD, tensor_zeros_like },
  { "ones_like", "self, dtype=None", LS_BUILTIN_METHOD, tensor_ones_like },
  { "empty_like", "self, dtype=None", LS_BUILTIN_METHOD, tensor_zeros_like },
  { NULL },
};

/* Movement. */
#define WITH_INTS(name, what, call) \
  HANDLER (tensor_##name) \
  { \
    gint64 ints[LS_MAX_DIMS]; \
    guint n; \
    TAKE_X; \
    return ls_take_ints (ev, a[1], what, &n, ints) && give (ev, call (T, x, n, ints), out); \
  }
WITH_INTS (expand, "a size", ls_tensor_expand)
WITH_INTS (permute, "an axis", ls_tensor_permute)
WITH_INTS (flip, "an axis", ls_tensor_flip)
WITH_INTS (repeat, "a count", ls_tensor_repeat)

/* None keeps a size; -1 is inferred. */
HANDLER (tensor_reshape)
{
  gint64 ints[LS_MAX_DIMS];
  guint n;
  TAKE_X;
  if (!ls_take_ints (ev, a[1], "a size", &n, ints))
    return FALSE;
  LsValue dims = a[1].list->n == 1 && ls_value_is_sequence (a[1].list->items[0]) ? a[1].list->items[0] : a[1];
  LsShape shape = ls_uop_shape (ev->ctx, x);
  for (guint i = 0; i < n; i++) {
    if (dims.list->items[i].kind == LS_VALUE_NONE && i < shape.n)
      ints[i] = shape.dims[i];
  }
  return give (ev, ls_tensor_reshape (T, x, n, ints), out);
}

HANDLER (tensor_transpose)      /* self, dim0, dim1 */
{
  gint64 p, q;
  TAKE_X;
  return ls_take_integer (ev, a[1], "an axis", &p) && ls_take_integer (ev, a[2], "an axis", &q) && give (ev, ls_tensor_transpose (T, x, p, q), out);
}

/* Pairs of one axis each; None for an axis left as it is. */
static gboolean
take_pairs (LsEvaluator *ev, LsValue v, LsShape shape, gboolean pad, gint64 *pairs)
{
  gboolean flat = pad && ls_value_is_sequence (v) && v.list->n > 0;
  for (guint i = 0; flat && i < v.list->n; i++)
    flat = v.list->items[i].kind == LS_VALUE_INT;
  for (guint i = 0; i < shape.n; i++) {
    pairs[2 * i] = 0;
    pairs[2 * i + 1] = pad ? 0 : shape.dims[i];
  }
  if (!ls_value_is_sequence (v))
    return ls_ev_fail_here (ev, "pairs are expected, one per axis");
  if (flat) {      /* torch's form: pairs from the last axis on */
    if (v.list->n % 2 != 0 || v.list->n / 2 > shape.n)
      return ls_ev_fail_here (ev, "pad(): %u numbers are no pairs for %u axes", v.list->n, shape.n);
    for (guint i = 0; i < v.list->n; i++)
      pairs[2 * (shape.n - 1 - i / 2) + i % 2] = v.list->items[i].i;
    return TRUE;
  }
  if (v.list->n != shape.n)
    return ls_ev_fail_here (ev, "%u pairs are given for %u axes", v.list->n, shape.n);
  for (guint i = 0; i < shape.n; i++) {
    LsValue pair = v.list->items[i];
    if (pair.kind == LS_VALUE_NONE)
      continue;
    if (!ls_value_is_sequence (pair) || pair.list->n != 2)
      return ls_ev_fail_here (ev, "axis %u needs a pair or None", i);
    for (guint k = 0; k < 2; k++)
      if (pair.list->items[k].kind != LS_VALUE_NONE && !ls_take_integer (ev, pair.list->items[k], "a bound", &pairs[2 * i + k]))
        return FALSE;
  }
  return TRUE;
}

HANDLER (tensor_pad)      /* self, padding, mode, value */
{
  gint64 pairs[2 * LS_MAX_DIMS];
  LsOperand value;
  TAKE_X;
  if (a[2].kind != LS_VALUE_STR || strcmp (a[2].str->text, "constant") != 0)
    return ls_ev_fail_here (ev, "pad() with a mode other than 'constant' is not supported yet");
  return take_pairs (ev, a[1], ls_uop_shape (ev->ctx, x), TRUE, pairs) && ls_take_operand (ev, a[3], &value) && give (ev, ls_tensor_pad (T, x, pairs, value), out);
}

HANDLER (tensor_shrink)
{
  gint64 pairs[2 * LS_MAX_DIMS];
  TAKE_X;
  return take_pairs (ev, a[1], ls_uop_shape (ev->ctx, x), FALSE, pairs) && give (ev, ls_tensor_shrink (T, x, pairs), out);
}

HANDLER (tensor_squeeze)      /* self, dim */
{
  gint64 axis = 0;
  TAKE_X;
  if (a[1].kind != LS_VALUE_NONE && !ls_take_integer (ev, a[1], "an axis", &axis))
    return FALSE;
  return give (ev, ls_tensor_squeeze (T, x, a[1].kind == LS_VALUE_NONE, axis), out);
}

HANDLER (tensor_unsqueeze)
{
  gint64 axis;
  TAKE_X;
  return ls_take_integer (ev, a[1], "an axis", &axis) && give (ev, ls_tensor_unsqueeze (T, x, axis), out);
}

HANDLER (tensor_flatten)      /* self, start_dim, end_dim */
{
  gint64 p, q;
  TAKE_X;
  return ls_take_integer (ev, a[1], "an axis", &p) && ls_take_integer (ev, a[2], "an axis", &q) && give (ev, ls_tensor_flatten (T, x, p, q), out);
}

HANDLER (tensor_unflatten)      /* self, dim, sizes */
{
  gint64 axis, ints[LS_MAX_DIMS];
  guint n;
  TAKE_X;
  return ls_take_integer (ev, a[1], "an axis", &axis) && ls_take_ints (ev, a[2], "a size", &n, ints) &&
         give (ev, ls_tensor_unflatten (T, x, axis, n, ints), out);
}

HANDLER (tensor_repeat_interleave)      /* self, repeats, dim */
{
  gint64 repeats, axis = 0;
  TAKE_X;
  if (!ls_take_integer (ev, a[1], "repeats", &repeats) || (a[2].kind != LS_VALUE_NONE && !ls_take_integer (ev, a[2], "an axis", &axis)))
    return FALSE;
  return give (ev, ls_tensor_repeat_interleave (T, x, repeats, a[2].kind == LS_VALUE_NONE, axis), out);
}

HANDLER (tensor_roll)      /* self, shifts, dims */
{
  gint64 shifts[LS_MAX_DIMS], axes[LS_MAX_DIMS];
  guint n, m;
  TAKE_X;
  if (!ls_take_ints (ev, a[1], "a shift", &n, shifts))
    return FALSE;
  if (a[2].kind != LS_VALUE_NONE)
    return ls_take_ints (ev, a[2], "an axis", &m, axes) &&
           (n == m ? give (ev, ls_tensor_roll (T, x, n, shifts, axes), out) : ls_ev_fail_here (ev, "roll() needs as many shifts as axes"));
  LsShape shape = ls_uop_shape (ev->ctx, x);
  LsUOp *flat = n == 1 ? ls_tensor_roll (T, ls_tensor_flatten (T, x, 0, -1), 1, shifts, (gint64[]) { 0 }) : NULL;
  return n == 1 ? give (ev, ls_tensor_reshape (T, flat, shape.n, shape.dims), out) : ls_ev_fail_here (ev, "roll() needs as many shifts as axes");
}

/* self, *others or a list of all of them; dim. */
static gboolean
join (LsEvaluator *ev, const LsValue *a, LsUOp *(*function) (LsTensors *, guint, LsUOp *const *, gint64), LsValue *out)
{
  LsValue all = ls_value_is_sequence (a[0]) ? a[0] : ls_value_none ();
  gint64 axis;
  guint n = all.kind == LS_VALUE_NONE ? 1 + a[1].list->n : all.list->n;
  if (!ls_take_integer (ev, a[2], "an axis", &axis))
    return FALSE;
  if (all.kind == LS_VALUE_NONE && a[1].list->n == 1 && ls_value_is_sequence (a[1].list->items[0])) {
    all = ls_value_list (&ev->arena, LS_VALUE_LIST, 1, a);
    for (guint i = 0; i < a[1].list->items[0].list->n; i++)
      ls_list_append (&ev->arena, all.list, a[1].list->items[0].list->items[i]);
    n = all.list->n;
  }
  LsUOp **nodes = ls_heap_array (&ev->arena, LsUOp *, n);
  for (guint i = 0; i < n; i++)
    if (!ls_take_node (ev, all.kind != LS_VALUE_NONE ? all.list->items[i] : i == 0 ? a[0] : a[1].list->items[i - 1], &nodes[i]))
      return FALSE;
  return give (ev, function (T, n, nodes, axis), out);
}

HANDLER (tensor_cat)   { return join (ev, a, ls_tensor_cat, out); }
HANDLER (tensor_stack) { return join (ev, a, ls_tensor_stack, out); }

/* Pieces of the given sizes along an axis. */
static gboolean
pieces (LsEvaluator *ev, LsUOp *x, guint n, const gint64 *sizes, gint64 axis, LsValueKind kind, LsValue *out)
{
  LsShape shape = ls_uop_shape (ev->ctx, x);
  gint64 pairs[2 * LS_MAX_DIMS], at = 0;
  for (guint i = 0; i < shape.n; i++) {
    pairs[2 * i] = 0;
    pairs[2 * i + 1] = shape.dims[i];
  }
  if (!ls_ev_charge (ev, ev->pos, n))
    return FALSE;
  *out = ls_value_list (&ev->arena, kind, n, NULL);
  for (guint i = 0; i < n; i++) {
    pairs[2 * axis] = at;
    pairs[2 * axis + 1] = at += sizes[i];
    if (!give (ev, ls_tensor_shrink (T, x, pairs), &out->list->items[i]))
      return FALSE;
  }
  return TRUE;
}

/* Sizes of at most step until size is used up. */
static gboolean
even_pieces (LsEvaluator *ev, LsUOp *x, gint64 step, gint64 axis, LsValueKind kind, LsValue *out)
{
  gint64 size = ls_uop_shape (ev->ctx, x).dims[axis], n = MAX (1, size / step + (size % step != 0));
  if (!ls_ev_charge (ev, ev->pos, n))
    return FALSE;
  g_autofree gint64 *sizes = g_new (gint64, n);
  for (gint64 i = 0; i < n; i++)
    sizes[i] = MIN (step, size - i * step);
  return pieces (ev, x, n, sizes, axis, kind, out);
}

static gboolean
take_piece_axis (LsEvaluator *ev, LsUOp *x, LsValue v, const char *name, gint64 *axis)
{
  LsShape shape = ls_uop_shape (ev->ctx, x);
  LsValue unused;
  if (!ls_take_integer (ev, v, "an axis", axis))
    return FALSE;
  if (shape.n == 0)
    return ls_ev_fail_here (ev, "%s(): a tensor of shape () has no axes", name);
  return ls_tensors_axis (T, name, shape.n, axis) || give (ev, NULL, &unused);
}

HANDLER (tensor_split)      /* self, sizes, dim */
{
  gint64 axis, sizes[LS_MAX_DIMS], total = 0;
  guint n;
  TAKE_X;
  if (!take_piece_axis (ev, x, a[2], "split", &axis))
    return FALSE;
  gint64 size = ls_uop_shape (ev->ctx, x).dims[axis];
  if (!ls_value_is_sequence (a[1]))
    return ls_take_integer (ev, a[1], "the size", &sizes[0]) && even_pieces (ev, x, MAX (sizes[0], 1), axis, LS_VALUE_TUPLE, out);
  if (!ls_take_ints (ev, a[1], "a size", &n, sizes))
    return FALSE;
  for (guint i = 0; i < n; i++)
    total = sizes[i] < 0 || sizes[i] > size ? -1 - size : total + sizes[i];
  if (total != size)
    return ls_ev_fail_here (ev, "split(): the sizes do not add up to %" G_GINT64_FORMAT, size);
  return pieces (ev, x, n, sizes, axis, LS_VALUE_TUPLE, out);
}

HANDLER (tensor_chunk)      /* self, chunks, dim */
{
  gint64 axis, n;
  TAKE_X;
  if (!ls_take_integer (ev, a[1], "the number of chunks", &n) || !take_piece_axis (ev, x, a[2], "chunk", &axis))
    return FALSE;
  if (n <= 0)
    return ls_ev_fail_here (ev, "chunk(): the number of chunks must be positive");
  gint64 size = ls_uop_shape (ev->ctx, x).dims[axis];
  return even_pieces (ev, x, MAX (1, size / n + (size % n != 0)), axis, LS_VALUE_LIST, out);
}

HANDLER (tensor_diagonal)
{
  TAKE_X;
  return give (ev, ls_tensor_diagonal (T, x), out);
}

#define TRIANGLE(name) \
  HANDLER (tensor_##name) \
  { \
    gint64 diagonal; \
    TAKE_X; \
    return ls_take_integer (ev, a[1], "the diagonal", &diagonal) && give (ev, ls_tensor_##name (T, x, diagonal), out); \
  }
TRIANGLE (triu)
TRIANGLE (tril)

static const LsBuiltin movement[] = {
  { "reshape", "self, *shape", LS_BUILTIN_METHOD, tensor_reshape },
  { "view", "self, *shape", LS_BUILTIN_METHOD, tensor_reshape },
  { "expand", "self, *shape", LS_BUILTIN_METHOD, tensor_expand },
  { "permute", "self, *order", LS_BUILTIN_METHOD, tensor_permute },
  { "transpose", "self, dim0=1, dim1=0", LS_BUILTIN_METHOD, tensor_transpose },
  { "flip", "self, *axis", LS_BUILTIN_METHOD, tensor_flip },
  { "pad", "self, padding, mode='constant', value=0.0", LS_BUILTIN_METHOD, tensor_pad },
  { "shrink", "self, bounds", LS_BUILTIN_METHOD, tensor_shrink },
  { "squeeze", "self, dim=None", LS_BUILTIN_METHOD, tensor_squeeze },
  { "unsqueeze", "self, dim", LS_BUILTIN_METHOD, tensor_unsqueeze },
  { "flatten", "self, start_dim=0, end_dim=-1", LS_BUILTIN_METHOD, tensor_flatten },
  { "unflatten", "self, dim, sizes", LS_BUILTIN_METHOD, tensor_unflatten },
  { "repeat", "self, *repeats", LS_BUILTIN_METHOD, tensor_repeat },
  { "repeat_interleave", "self, repeats, dim=None", LS_BUILTIN_METHOD, tensor_repeat_interleave },
  { "roll", "self, shifts, dims=None", LS_BUILTIN_METHOD, tensor_roll },
  { "cat", "self, *args, dim=0", LS_BUILTIN_METHOD, tensor_cat },
  { "stack", "self, *args, dim=0", LS_BUILTIN_METHOD, tensor_stack },
  { "split", "self, sizes, dim=0", LS_BUILTIN_METHOD, tensor_split },
  { "chunk", "self, chunks, dim=0", LS_BUILTIN_METHOD, tensor_chunk },
  { "diagonal", "self", LS_BUILTIN_METHOD, tensor_diagonal },
  { "triu", "self, diagonal=0", LS_BUILTIN_METHOD, tensor_triu },
  { "tril", "self, diagonal=0", LS_BUILTIN_METHOD, tensor_tril },
  { NULL },
};

/* Elementwise functions with parameters. */
HANDLER (tensor_div)      /* self, x, reverse, rounding_mode */
{
  LsOperand p, q;
  gboolean reverse;
  if (!ls_take_operand (ev, a[0], &p) || !ls_take_operand (ev, a[1], &q) || !ls_ev_truth (ev, ev->pos, a[2], &reverse))
    return FALSE;
  const char *mode = a[3].kind == LS_VALUE_STR ? a[3].str->text : "";
  if (a[3].kind != LS_VALUE_NONE && strcmp (mode, "floor") != 0 && strcmp (mode, "trunc") != 0)
    return ls_ev_fail_here (ev, "div(): rounding_mode must be None, 'floor' or 'trunc'");
  LsBinaryFunction function = *mode == 'f' ? ls_tensor_floordiv : *mode == 't' ? ls_tensor_truncdiv : ls_tensor_div;
  return give (ev, reverse ? function (T, q, p) : function (T, p, q), out);
}

HANDLER (tensor_where)      /* self, a, b */
{
  LsOperand p, q;
  TAKE_X;
  return ls_take_operand (ev, a[1], &p) && ls_take_operand (ev, a[2], &q) && give (ev, ls_tensor_where (T, x, p, q), out);
}

HANDLER (tensor_masked_fill)      /* self, mask, value */
{
  LsOperand value;
  LsUOp *mask;
  TAKE_X;
  return ls_take_node (ev, a[1], &mask) && ls_take_operand (ev, a[2], &value) && give (ev, ls_tensor_where (T, mask, value, ls_operand_node (x)), out);
}

HANDLER (tensor_clip)      /* self, min, max */
{
  LsOperand low, high;
  TAKE_X;
  if ((a[1].kind != LS_VALUE_NONE && !ls_take_operand (ev, a[1], &low)) || (a[2].kind != LS_VALUE_NONE && !ls_take_operand (ev, a[2], &high)))
    return FALSE;
  return give (ev, ls_tensor_clip (T, x, a[1].kind == LS_VALUE_NONE ? NULL : &low, a[2].kind == LS_VALUE_NONE ? NULL : &high), out);
}

HANDLER (tensor_lerp)      /* self, end, weight */
{
  LsOperand end, weight;
  TAKE_X;
  return ls_take_operand (ev, a[1], &end) && ls_take_operand (ev, a[2], &weight) && give (ev, ls_tensor_lerp (T, x, end, weight), out);
}

#define WITH_NUMBER(name) \
  HANDLER (tensor_##name) \
  { \
    double p; \
    TAKE_X; \
    return ls_take_number (ev, a[1], #name "()'s parameter", &p) && give (ev, ls_tensor_##name (T, x, p), out); \
  }
WITH_NUMBER (leaky_relu)
WITH_NUMBER (elu)
WITH_NUMBER (celu)
WITH_NUMBER (softplus)

HANDLER (tensor_selu)
{
  double alpha, gamma;
  TAKE_X;
  return ls_take_number (ev, a[1], "alpha", &alpha) && ls_take_number (ev, a[2], "gamma", &gamma) && give (ev, ls_tensor_selu (T, x, alpha, gamma), out);
}

HANDLER (tensor_gelu)      /* self, approximate */
{
  TAKE_X;
  gboolean by_tanh = a[1].kind == LS_VALUE_STR && strcmp (a[1].str->text, "tanh") == 0;
  if (!by_tanh && (a[1].kind != LS_VALUE_STR || strcmp (a[1].str->text, "none") != 0))
    return ls_ev_fail_here (ev, "gelu(): approximate must be 'tanh' or 'none'");
  return give (ev, ls_tensor_gelu (T, x, by_tanh), out);
}

#define UNARY_ROW(name) { #name, "self", LS_BUILTIN_METHOD, NULL, ls_tensor_##name, NULL },
#define BINARY_ROW(name) { #name, "self, x, reverse=False", LS_BUILTIN_METHOD, NULL, NULL, ls_tensor_##name },
static const LsBuiltin elementwise[] = {
  { "div", "self, x, reverse=False, rounding_mode=None", LS_BUILTIN_METHOD, tensor_div },
  LS_TENSOR_UNARY (UNARY_ROW)
  LS_TENSOR_BINARY (BINARY_ROW)
  { "swish", "self", LS_BUILTIN_METHOD, NULL, ls_tensor_silu },
  { "idiv", "self, x, reverse=False", LS_BUILTIN_METHOD, NULL, NULL, ls_tensor_floordiv },
  { "where", "self, x, y", LS_BUILTIN_METHOD, tensor_where },
  { "masked_fill", "self, mask, value", LS_BUILTIN_METHOD, tensor_masked_fill },
  { "clip", "self, min_=None, max_=None", LS_BUILTIN_METHOD, tensor_clip },
  { "clamp", "self, min_=None, max_=None", LS_BUILTIN_METHOD, tensor_clip },
  { "hardtanh", "self, min_val=-1, max_val=1", LS_BUILTIN_METHOD, tensor_clip },
  { "lerp", "self, end, weight", LS_BUILTIN_METHOD, tensor_lerp },
  { "leaky_relu", "self, neg_slope=0.01", LS_BUILTIN_METHOD, tensor_leaky_relu },
  { "elu", "self, alpha=1.0", LS_BUILTIN_METHOD, tensor_elu },
  { "celu", "self, alpha=1.0", LS_BUILTIN_METHOD, tensor_celu },
  { "selu", "self, alpha=1.67326, gamma=1.0507", LS_BUILTIN_METHOD, tensor_selu },
  { "softplus", "self, beta=1.0", LS_BUILTIN_METHOD, tensor_softplus },
  { "gelu", "self, approximate='tanh'", LS_BUILTIN_METHOD, tensor_gelu },
  { NULL },
};

/* Reductions. */
#define REDUCTION(name) \
  HANDLER (tensor_##name)      /* self, axis, keepdim */ \
  { \
    LsAxes axes; \
    gboolean keep; \
    TAKE_X; \
    return ls_take_axes (ev, a[1], &axes) && ls_ev_truth (ev, ev->pos, a[2], &keep) && give (ev, ls_tensor_##name (T, x, &axes, keep), out); \
  }
REDUCTION (max)
REDUCTION (min)
REDUCTION (any)
REDUCTION (all)
REDUCTION (mean)
REDUCTION (logsumexp)

#define WITH_DTYPE(name) \
  HANDLER (tensor_##name)      /* self, axis, keepdim, dtype */ \
  { \
    LsAxes axes; \
    gboolean keep; \
    LsDType dtype; \
    TAKE_X; \
    return ls_take_axes (ev, a[1], &axes) && ls_ev_truth (ev, ev->pos, a[2], &keep) && ls_take_dtype (ev, a[3], &dtype) && \
           give (ev, ls_tensor_##name (T, x, &axes, keep, dtype), out); \
  }
WITH_DTYPE (sum)
WITH_DTYPE (prod)

#define WITH_CORRECTION(name) \
  HANDLER (tensor_##name)      /* self, axis, keepdim, correction */ \
  { \
    LsAxes axes; \
    gboolean keep; \
    gint64 correction; \
    TAKE_X; \
    return ls_take_axes (ev, a[1], &axes) && ls_ev_truth (ev, ev->pos, a[2], &keep) && ls_take_integer (ev, a[3], "correction", &correction) && \
           give (ev, ls_tensor_##name (T, x, &axes, keep, correction), out); \
  }
WITH_CORRECTION (var)
WITH_CORRECTION (std)

#define SOFTMAX(name) \
  HANDLER (tensor_##name)      /* self, axis, dtype */ \
  { \
    LsAxes axes; \
    LsDType dtype; \
    TAKE_X; \
    return ls_take_axes (ev, a[1], &axes) && ls_take_dtype (ev, a[2], &dtype) && give (ev, ls_tensor_##name (T, x, &axes, dtype), out); \
  }
SOFTMAX (softmax)
SOFTMAX (log_softmax)

#define INDEX_OF(name) \
  HANDLER (tensor_##name)      /* self, axis, keepdim */ \
  { \
    gint64 axis = 0; \
    gboolean keep; \
    TAKE_X; \
    return (a[1].kind == LS_VALUE_NONE || ls_take_integer (ev, a[1], "an axis", &axis)) && ls_ev_truth (ev, ev->pos, a[2], &keep) && \
           give (ev, ls_tensor_##name (T, x, a[1].kind == LS_VALUE_NONE, axis, keep), out); \
  }
INDEX_OF (argmax)
INDEX_OF (argmin)

#define CUMULATIVE(name, op) \
  HANDLER (tensor_##name)      /* self, axis */ \
  { \
    gint64 axis; \
    TAKE_X; \
    return ls_take_integer (ev, a[1], "an axis", &axis) && give (ev, ls_tensor_cumulative (T, x, op, axis), out); \
  }
CUMULATIVE (cumsum, LS_OP_ADD)
CUMULATIVE (cumprod, LS_OP_MUL)

#define CUMULATIVE_WITH_INDEX(name) \
  HANDLER (tensor_##name)      /* self, axis */ \
  { \
    gint64 axis; \
    LsUOp *indices; \
    TAKE_X; \
    if (!ls_take_integer (ev, a[1], "an axis", &axis)) \
      return FALSE; \
    LsUOp *values = ls_tensor_##name (T, x, axis, &indices); \
    *out = ls_value_list (&ev->arena, LS_VALUE_TUPLE, 2, NULL); \
    return give (ev, values, &out->list->items[0]) && give (ev, indices, &out->list->items[1]); \
  }
CUMULATIVE_WITH_INDEX (cummax)
CUMULATIVE_WITH_INDEX (cummin)

HANDLER (tensor_layernorm)      /* self, axis, eps */
{
  LsAxes axes;
  double eps;
  TAKE_X;
  return ls_take_axes (ev, a[1], &axes) && ls_take_number (ev, a[2], "eps", &eps) && give (ev, ls_tensor_layernorm (T, x, &axes, eps), out);
}

HANDLER (tensor_normalize)      /* self, p, dim, eps */
{
  double p, eps;
  gint64 axis;
  TAKE_X;
  return ls_take_number (ev, a[1], "p", &p) && ls_take_integer (ev, a[2], "an axis", &axis) && ls_take_number (ev, a[3], "eps", &eps) &&
         give (ev, ls_tensor_normalize (T, x, p, axis, eps), out);
}

HANDLER (tensor_dot)      /* self, w, dtype */
{
  LsUOp *w;
  LsDType dtype;
  TAKE_X;
  return ls_take_node (ev, a[1], &w) && ls_take_dtype (ev, a[2], &dtype) && give (ev, ls_tensor_dot (T, x, w, dtype), out);
}

HANDLER (tensor_linear)      /* self, weight, bias */
{
  LsUOp *weight, *bias = NULL;
  TAKE_X;
  return ls_take_node (ev, a[1], &weight) && (a[2].kind == LS_VALUE_NONE || ls_take_node (ev, a[2], &bias)) &&
         give (ev, ls_tensor_linear (T, x, weight, bias), out);
}

static const LsBuiltin reductions[] = {
  { "sum", "self, axis=None, keepdim=False, dtype=None", LS_BUILTIN_METHOD, tensor_sum },
  { "prod", "self, axis=None, keepdim=False, dtype=None", LS_BUILTIN_METHOD, tensor_prod },
  { "max", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_max },
  { "min", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_min },
  { "any", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_any },
  { "all", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_all },
  { "mean", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_mean },
  { "var", "self, axis=None, keepdim=False, correction=1", LS_BUILTIN_METHOD, tensor_var },
  { "std", "self, axis=None, keepdim=False, correction=1", LS_BUILTIN_METHOD, tensor_std },
  { "logsumexp", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_logsumexp },
  { "softmax", "self, axis=-1, dtype=None", LS_BUILTIN_METHOD, tensor_softmax },
  { "log_softmax", "self, axis=-1, dtype=None", LS_BUILTIN_METHOD, tensor_log_softmax },
  { "layernorm", "self, axis=-1, eps=1e-05", LS_BUILTIN_METHOD, tensor_layernorm },
  { "normalize", "self, p=2.0, dim=1, eps=1e-12", LS_BUILTIN_METHOD, tensor_normalize },
  { "argmax", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_argmax },
  { "argmin", "self, axis=None, keepdim=False", LS_BUILTIN_METHOD, tensor_argmin },
  { "cumsum", "self, axis=0", LS_BUILTIN_METHOD, tensor_cumsum },
  { "cumprod", "self, axis", LS_BUILTIN_METHOD, tensor_cumprod },
  { "cummax", "self, axis=0", LS_BUILTIN_METHOD, tensor_cummax },
  { "cummin", "self, axis=0", LS_BUILTIN_METHOD, tensor_cummin },
  { "dot", "self, w, dtype=None", LS_BUILTIN_METHOD, tensor_dot },
  { "matmul", "self, x, dtype=None", LS_BUILTIN_METHOD, tensor_dot },
  { "linear", "self, weight, bias=None", LS_BUILTIN_METHOD, tensor_linear },
  { NULL },
};

/* Dtypes, realization, reading. */
HANDLER (tensor_cast)      /* self, dtype */
{
  LsDType dtype;
  TAKE_X;
  return ls_take_dtype (ev, a[1], &dtype) && give (ev, dtype ? ls_tensor_cast (T, x, dtype) : x, out);
}

HANDLER (tensor_bitcast)
{
  LsDType dtype;
  TAKE_X;
  return ls_take_dtype (ev, a[1], &dtype) && give (ev, dtype ? ls_tensor_bitcast (T, x, dtype) : x, out);
}

#define CAST(name, dtype) HANDLER (tensor_##name) { TAKE_X; return give (ev, ls_tensor_cast (T, x, dtype), out); }
CAST (float, LS_FLOAT)
CAST (half, LS_HALF)
CAST (bfloat16, LS_BFLOAT16)
CAST (double, LS_DOUBLE)
CAST (int, LS_INT32)
CAST (long, LS_INT64)
CAST (short, LS_INT16)
CAST (bool, LS_BOOL)

HANDLER (tensor_same)
{
  *out = a[0];
  return TRUE;
}

HANDLER (tensor_contiguous) { TAKE_X; return give (ev, ls_tensor_contiguous (T, x), out); }
HANDLER (tensor_clone)      { TAKE_X; return give (ev, ls_tensor_clone (T, x), out); }

HANDLER (tensor_realize)      /* self, *others */
{
  LsValue all = ls_value_list (&ev->arena, LS_VALUE_LIST, 1, a);
  for (guint i = 0; i < a[1].list->n; i++)
    ls_list_append (&ev->arena, all.list, a[1].list->items[i]);
  if (a[0].kind != LS_VALUE_TENSOR)
    return ls_ev_fail_here (ev, "a tensor is expected, not a %s", ls_value_type_name (a[0]));
  ls_tensors_begin (T, "realize", "x", a[0].tensor->node);
  *out = a[0];
  ls_tensors_end (T, a[0].tensor->node);
  return ls_tensor_realize_many (ev, all.list->n, all.list->items);
}

static gboolean
read_as (LsEvaluator *ev, LsValue self, const char *name, LsValue *out)
{
  if (self.kind != LS_VALUE_TENSOR)
    return ls_ev_fail_here (ev, "a tensor is expected, not a %s", ls_value_type_name (self));
  ls_tensors_begin (T, name, "x", self.tensor->node);
  ls_tensors_end (T, self.tensor->node);
  return ls_tensor_read (ev, self.tensor, out);
}

HANDLER (tensor_tolist) { return read_as (ev, a[0], "tolist", out); }

HANDLER (tensor_item)
{
  if (a[0].kind == LS_VALUE_TENSOR && ls_shape_size (ls_uop_shape (ev->ctx, a[0].tensor->node)) != 1) {
    g_autofree char *shape = ls_shape_to_string (ls_uop_shape (ev->ctx, a[0].tensor->node));
    return ls_ev_fail_here (ev, "item() needs a tensor of one element, not of shape %s", shape);
  }
  if (!read_as (ev, a[0], "item", out))
    return FALSE;
  while (out->kind == LS_VALUE_LIST)
    *out = out->list->items[0];
  return TRUE;
}

HANDLER (tensor_numpy)
{
  LsValue list;
  if (!read_as (ev, a[0], "numpy", &list))
    return FALSE;
  LsShape shape = ls_uop_shape (ev->ctx, a[0].tensor->node);
  LsArray *array = ls_heap_new (&ev->arena, LsArray);
  LsDType dtype = ls_dtype_strong (a[0].tensor->node->dtype);
  *array = (LsArray) { .dtype = dtype == LS_BFLOAT16 ? LS_FLOAT : dtype, .n_dims = shape.n, .dims = shape.dims, .list = list };
  *out = (LsValue) { .kind = LS_VALUE_ARRAY, .array = array };
  return TRUE;
}

HANDLER (tensor_numel)
{
  TAKE_X;
  *out = ls_value_int (ls_shape_size (ls_uop_shape (ev->ctx, x)));
  return TRUE;
}

HANDLER (tensor_size)      /* self, dim */
{
  gint64 axis;
  TAKE_X;
  LsShape shape = ls_uop_shape (ev->ctx, x);
  *out = ls_value_shape (&ev->arena, shape);
  if (a[1].kind == LS_VALUE_NONE)
    return TRUE;
  if (!take_piece_axis (ev, x, a[1], "size", &axis))
    return FALSE;
  *out = ls_value_int (shape.dims[axis]);
  return TRUE;
}

HANDLER (tensor_is_floating_point) { TAKE_X; *out = ls_value_bool (ls_dtype_is_float (x->dtype)); return TRUE; }
HANDLER (tensor_element_size)      { TAKE_X; *out = ls_value_int (ls_dtype_itemsize (x->dtype)); return TRUE; }
HANDLER (tensor_nbytes)            { TAKE_X; *out = ls_value_int (ls_dtype_itemsize (x->dtype) * ls_shape_size (ls_uop_shape (ev->ctx, x))); return TRUE; }

HANDLER (tensor_sequential)      /* self, functions */
{
  LsWalk walk;
  LsValue function;
  guint32 pos = ev->pos;
  if (!ls_ev_walk (ev, a[1], &walk))
    return FALSE;
  *out = a[0];
  while (walk.i < walk.n) {
    LsValue x = *out;
    LsArguments args = { .n = 1, .values = &x };
    if (!ls_ev_walk_item (ev, &walk, &function) || !ls_ev_call (ev, pos, function, &args, out))
      return FALSE;
  }
  return TRUE;
}

static const LsBuiltin reading[] = {
  { "cast", "self, dtype", LS_BUILTIN_METHOD, tensor_cast },
  { "bitcast", "self, dtype", LS_BUILTIN_METHOD, tensor_bitcast },
  { "float", "self", LS_BUILTIN_METHOD, tensor_float },
  { "half", "self", LS_BUILTIN_METHOD, tensor_half },
  { "bfloat16", "self", LS_BUILTIN_METHOD, tensor_bfloat16 },
  { "double", "self", LS_BUILTIN_METHOD, tensor_double },
  { "int", "self", LS_BUILTIN_METHOD, tensor_int },
  { "long", "self", LS_BUILTIN_METHOD, tensor_long },
  { "short", "self", LS_BUILTIN_METHOD, tensor_short },
  { "bool", "self", LS_BUILTIN_METHOD, tensor_bool },
  { "detach", "self", LS_BUILTIN_METHOD, tensor_same },
  { "to", "self, device=None", LS_BUILTIN_METHOD, tensor_same },
  { "contiguous", "self", LS_BUILTIN_METHOD, tensor_contiguous },
  { "clone", "self", LS_BUILTIN_METHOD, tensor_clone },
  { "realize", "self, *others", LS_BUILTIN_METHOD, tensor_realize },
  { "tolist", "self", LS_BUILTIN_METHOD, tensor_tolist },
  { "item", "self", LS_BUILTIN_METHOD, tensor_item },
  { "numpy", "self", LS_BUILTIN_METHOD, tensor_numpy },
  { "data", "self", LS_BUILTIN_METHOD, tensor_numpy },
  { "numel", "self", LS_BUILTIN_METHOD, tensor_numel },
  { "size", "self, dim=None", LS_BUILTIN_METHOD, tensor_size },
  { "is_floating_point", "self", LS_BUILTIN_METHOD, tensor_is_floating_point },
  { "element_size", "self", LS_BUILTIN_METHOD, tensor_element_size },
  { "nbytes", "self", LS_BUILTIN_METHOD, tensor_nbytes },
  { "sequential", "self, functions", LS_BUILTIN_METHOD, tensor_sequential },
  { NULL },
};

/* Known to tinygrad programs, refused with a clear message. */
#define LATER(name) { name, "", LS_BUILTIN_METHOD }
static const LsBuiltin later[] = {
  LATER ("conv2d"), LATER ("conv_transpose2d"), LATER ("max_pool2d"), LATER ("avg_pool2d"), LATER ("gather"), LATER ("scatter"), LATER ("one_hot"),
  LATER ("rand"), LATER ("randn"), LATER ("randint"), LATER ("uniform"), LATER ("normal"), LATER ("kaiming_uniform"), LATER ("glorot_uniform"),
  LATER ("manual_seed"), LATER ("dropout"), LATER ("backward"), LATER ("gradient"), LATER ("assign"), LATER ("einsum"), LATER ("sort"), LATER ("topk"),
  LATER ("scaled_dot_product_attention"), LATER ("cross_entropy"), LATER ("sparse_categorical_crossentropy"), LATER ("batchnorm"),
  LATER ("interpolate"), LATER ("rearrange"), LATER ("meshgrid"), { NULL },
};

const LsBuiltin *const ls_tensor_method_tables[] = { movement, elementwise, reductions, reading, creation, later, NULL };

gboolean
ls_tensor_attribute (LsEvaluator *ev, LsTensor *tensor, const char *name, LsValue *out, gboolean *found)
{
  LsShape shape = ls_uop_shape (ev->ctx, tensor->node);
  *found = TRUE;
  if (strcmp (name, "shape") == 0)
    *out = ls_value_shape (&ev->arena, shape);
  else if (strcmp (name, "dtype") == 0)
    *out = ls_value_dtype (tensor->node->dtype);
  else if (strcmp (name, "ndim") == 0)
    *out = ls_value_int (shape.n);
  else if (strcmp (name, "T") == 0)
    return give (ev, ls_tensor_transpose (T, tensor->node, 1, 0), out);
  else if (strcmp (name, "device") == 0)
    *out = ls_value_str (&ev->arena, "CPU");
  else if (strcmp (name, "grad") == 0 || strcmp (name, "requires_grad") == 0)
    *out = ls_value_none ();
  else
    *found = FALSE;
  return TRUE;
}
