/* Operators, indexing and iteration over Python values; what involves a tensor goes to the Tensor API. */
#include "evaluator-private.h"

#include <math.h>
#include <string.h>

static gboolean
unsupported (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b)
{
  return ls_ev_fail (ev, ev->pos, LS_ERROR_PROGRAM, NULL, "'%s' is not defined between %s and %s", ls_operator_symbol (op), ls_value_type_name (a),
                     ls_value_type_name (b));
}

/* Integers are computed in 128 bits and must come out within 64. */
static __int128
wide (LsValue v)
{
  return v.kind == LS_VALUE_UINT ? (__int128) v.u : (__int128) v.i;
}

static gboolean
narrow (LsEvaluator *ev, __int128 i, LsValue *out)
{
  if (i < G_MININT64 || i > (__int128) G_MAXUINT64)
    return ls_ev_fail (ev, ev->pos, LS_ERROR_PROGRAM, "integers go from -2**63 up to 2**64 - 1", "integer out of range");
  *out = i < 0 ? ls_value_int ((gint64) i) : ls_value_uint ((guint64) i);
  return TRUE;
}

static gboolean
integer_power (LsEvaluator *ev, __int128 base, __int128 exponent, LsValue *out)
{
  __int128 result = 1;
  if (exponent < 0) {
    if (base == 0)
      return ls_ev_fail_here (ev, "0 cannot be raised to a negative power");
    *out = ls_value_float (pow ((double) base, (double) exponent));
    return TRUE;
  }
  if (base == 0 || base == 1 || base == -1) {
    *out = ls_value_int (exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : (gint64) base);
    return TRUE;
  }
  for (; exponent > 0; exponent--)
    if (__builtin_mul_overflow (result, base, &result) || result > (__int128) G_MAXUINT64 || result < G_MININT64)
      return narrow (ev, (__int128) G_MAXUINT64 + 1, out);
  return narrow (ev, result, out);
}

static gboolean
integer_binary (LsEvaluator *ev, LsOperator op, LsValue left, LsValue right, LsValue *out)
{
  __int128 a = wide (left), b = wide (right);
  gboolean bools = left.kind == LS_VALUE_BOOL && right.kind == LS_VALUE_BOOL;
  switch (op) {
  case LS_OPERATOR_ADD: return narrow (ev, a + b, out);
  case LS_OPERATOR_SUB: return narrow (ev, a - b, out);
  case LS_OPERATOR_MUL: {
    __int128 product;
    return narrow (ev, __builtin_mul_overflow (a, b, &product) ? (__int128) G_MAXUINT64 + 1 : product, out);
  }
  case LS_OPERATOR_DIV:
    if (b == 0)
      return ls_ev_fail_here (ev, "division by zero");
    *out = ls_value_float ((double) a / (double) b);
    return TRUE;
  case LS_OPERATOR_FLOORDIV: case LS_OPERATOR_MOD: {
    if (b == 0)
      return ls_ev_fail_here (ev, "division by zero");
    __int128 q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
      q--;
      r += b;
    }
    return narrow (ev, op == LS_OPERATOR_MOD ? r : q, out);
  }
  case LS_OPERATOR_POW: return integer_power (ev, a, b, out);
  case LS_OPERATOR_LSHIFT:
    if (b < 0)
      return ls_ev_fail_here (ev, "a shift by a negative distance");
    if (a == 0 || b > 63 || __builtin_mul_overflow (a, (__int128) 1 << b, &a))
      a = a == 0 ? 0 : (__int128) G_MAXUINT64 + 1;
    return narrow (ev, a, out);
  case LS_OPERATOR_RSHIFT:
    if (b < 0)
      return ls_ev_fail_here (ev, "a shift by a negative distance");
    return narrow (ev, a >> (b > 126 ? 126 : b), out);
  case LS_OPERATOR_AND: case LS_OPERATOR_OR: case LS_OPERATOR_XOR: {
    __int128 r = op == LS_OPERATOR_AND ? (a & b) : op == LS_OPERATOR_OR ? (a | b) : (a ^ b);
    if (!bools)
      return narrow (ev, r, out);
    *out = ls_value_bool (r != 0);
    return TRUE;
  }
  default: return unsupported (ev, op, left, right);
  }
}

static gboolean
float_binary (LsEvaluator *ev, LsOperator op, LsValue left, LsValue right, LsValue *out)
{
  double a = ls_value_number (left), b = ls_value_number (right), result;
  if (b == 0 && (op == LS_OPERATOR_DIV || op == LS_OPERATOR_FLOORDIV || op == LS_OPERATOR_MOD))
    return ls_ev_fail_here (ev, "division by zero");
  switch (op) {
  case LS_OPERATOR_ADD: result = a + b; break;
  case LS_OPERATOR_SUB: result = a - b; break;
  case LS_OPERATOR_MUL: result = a * b; break;
  case LS_OPERATOR_DIV: result = a / b; break;
  case LS_OPERATOR_MOD: case LS_OPERATOR_FLOORDIV: {
    double r = fmod (a, b), q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) {
      r += b;
      q -= 1;
    }
    if (r == 0)
      r = copysign (0, b);
    double down = floor (q);
    result = op == LS_OPERATOR_MOD ? r : q == 0 ? copysign (0, a / b) : q - down > 0.5 ? down + 1 : down;
    break;
  }
  case LS_OPERATOR_POW:
    if (a == 0 && b < 0)
      return ls_ev_fail_here (ev, "0 cannot be raised to a negative power");
    if (a < 0 && b != floor (b))
      return ls_ev_fail_here (ev, "a negative number cannot be raised to a fraction");
    result = pow (a, b);
    break;
  default: return unsupported (ev, op, left, right);
  }
  *out = ls_value_float (result);
  return TRUE;
}

/* Sequences times a number, and sequences joined. */
static gboolean
sequence_binary (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out)
{
  if (op == LS_OPERATOR_ADD && a.kind == b.kind && (a.kind == LS_VALUE_STR || ls_value_is_sequence (a))) {
    if (a.kind == LS_VALUE_STR) {
      if (!ls_ev_charge (ev, ev->pos, (a.str->n + b.str->n) / 64))
        return FALSE;
      g_autofree char *joined = g_malloc (a.str->n + b.str->n + 1);
      memcpy (joined, a.str->text, a.str->n);
      memcpy (joined + a.str->n, b.str->text, b.str->n);
      *out = ls_value_str_n (&ev->arena, joined, a.str->n + b.str->n);
      return TRUE;
    }
    if (!ls_ev_charge (ev, ev->pos, (guint64) a.list->n + b.list->n))
      return FALSE;
    *out = ls_value_list (&ev->arena, a.kind, a.list->n + b.list->n, NULL);
    memcpy (out->list->items, a.list->items, a.list->n * sizeof (LsValue));
    memcpy (out->list->items + a.list->n, b.list->items, b.list->n * sizeof (LsValue));
    return TRUE;
  }
  if (op != LS_OPERATOR_MUL)
    return unsupported (ev, op, a, b);
  if (ls_value_is_integer (a)) {
    LsValue swapped = a;
    a = b;
    b = swapped;
  }
  if (!ls_value_is_integer (b) || (a.kind != LS_VALUE_STR && !ls_value_is_sequence (a)))
    return unsupported (ev, op, a, b);
  guint64 times = b.kind == LS_VALUE_UINT ? G_MAXINT64 : b.i < 0 ? 0 : b.i, n = a.kind == LS_VALUE_STR ? a.str->n : a.list->n, total;
  if (__builtin_mul_overflow (times, n, &total) || !ls_ev_charge (ev, ev->pos, a.kind == LS_VALUE_STR ? total / 64 : total))
    return ls_ev_fail_here (ev, "this repetition is too large");
  if (a.kind == LS_VALUE_STR) {
    *out = ls_value_str_n (&ev->arena, "", 0);
    LsStr *str = ls_heap_alloc (&ev->arena, sizeof (LsStr) + total + 1);
    str->n = total;
    for (guint64 i = 0; i < total; i += n)
      memcpy (str->text + i, a.str->text, n);
    out->str = str;
    return TRUE;
  }
  *out = ls_value_list (&ev->arena, a.kind, total, NULL);
  for (guint64 i = 0; i < total; i += n)
    memcpy (out->list->items + i, a.list->items, n * sizeof (LsValue));
  return TRUE;
}

/* What each operator is on tensors. */
static const LsBinaryFunction tensor_operators[LS_N_OPERATORS] = {
  [LS_OPERATOR_ADD] = ls_tensor_add, [LS_OPERATOR_SUB] = ls_tensor_sub, [LS_OPERATOR_MUL] = ls_tensor_mul, [LS_OPERATOR_DIV] = ls_tensor_div,
  [LS_OPERATOR_FLOORDIV] = ls_tensor_floordiv, [LS_OPERATOR_MOD] = ls_tensor_mod, [LS_OPERATOR_POW] = ls_tensor_pow,
  [LS_OPERATOR_AND] = ls_tensor_bitwise_and, [LS_OPERATOR_OR] = ls_tensor_bitwise_or, [LS_OPERATOR_XOR] = ls_tensor_bitwise_xor,
  [LS_OPERATOR_LSHIFT] = ls_tensor_lshift, [LS_OPERATOR_RSHIFT] = ls_tensor_rshift, [LS_OPERATOR_LT] = ls_tensor_lt,
  [LS_OPERATOR_GT] = ls_tensor_gt, [LS_OPERATOR_LE] = ls_tensor_le, [LS_OPERATOR_GE] = ls_tensor_ge, [LS_OPERATOR_EQ] = ls_tensor_eq,
  [LS_OPERATOR_NE] = ls_tensor_ne,
};

static gboolean
tensor_binary (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out)
{
  LsOperand x, y;
  if (!ls_ev_charge (ev, ev->pos, 2))
    return FALSE;
  if (op == LS_OPERATOR_MATMUL) {
    if (a.kind != LS_VALUE_TENSOR || b.kind != LS_VALUE_TENSOR)
      return unsupported (ev, op, a, b);
    return ls_ev_tensor (ev, ls_tensor_dot (ev->tensors, a.tensor->node, b.tensor->node, 0), out);
  }
  if (!tensor_operators[op] || !(a.kind == LS_VALUE_TENSOR || ls_value_is_number (a)) || !(b.kind == LS_VALUE_TENSOR || ls_value_is_number (b)))
    return unsupported (ev, op, a, b);
  return ls_take_operand (ev, a, &x) && ls_take_operand (ev, b, &y) && ls_ev_tensor (ev, tensor_operators[op] (ev->tensors, x, y), out);
}

gboolean
ls_ev_binary (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out)
{
  if (a.kind == LS_VALUE_TENSOR || b.kind == LS_VALUE_TENSOR)
    return tensor_binary (ev, op, a, b, out);
  if (ls_value_is_integer (a) && ls_value_is_integer (b))
    return integer_binary (ev, op, a, b, out);
  if (ls_value_is_number (a) && ls_value_is_number (b))
    return float_binary (ev, op, a, b, out);
  return sequence_binary (ev, op, a, b, out);
}

gboolean
ls_ev_unary (LsEvaluator *ev, LsOperator op, LsValue a, LsValue *out)
{
  if (a.kind == LS_VALUE_TENSOR) {
    LsUOp *x = a.tensor->node;
    return ls_ev_tensor (ev, op == LS_OPERATOR_NEG ? ls_tensor_neg (ev->tensors, x) : op == LS_OPERATOR_INVERT ? ls_tensor_bitwise_not (ev->tensors, x) : x, out);
  }
  if (ls_value_is_integer (a))
    return narrow (ev, op == LS_OPERATOR_NEG ? -wide (a) : op == LS_OPERATOR_INVERT ? ~wide (a) : wide (a), out);
  if (a.kind == LS_VALUE_FLOAT && op != LS_OPERATOR_INVERT) {
    *out = ls_value_float (op == LS_OPERATOR_NEG ? -a.f : a.f);
    return TRUE;
  }
  return ls_ev_fail_here (ev, "'%s' is not defined for a %s", ls_operator_symbol (op), ls_value_type_name (a));
}

static gboolean
contains (LsEvaluator *ev, LsValue item, LsValue in, gboolean *found)
{
  LsWalk walk;
  LsValue element;
  *found = FALSE;
  if (in.kind == LS_VALUE_STR && item.kind == LS_VALUE_STR) {
    *found = g_strstr_len (in.str->text, in.str->n, item.str->text) != NULL;
    return TRUE;
  }
  if (!ls_ev_walk (ev, in, &walk) || !ls_ev_charge (ev, ev->pos, walk.n))
    return FALSE;
  while (!*found && walk.i < walk.n) {
    if (!ls_ev_walk_item (ev, &walk, &element))
      return FALSE;
    *found = ls_value_equal (item, element);
  }
  return TRUE;
}

/* -1, 0, 1, or 2 for numbers that are not ordered (NaN). FALSE for values that have no order. */
static gboolean
order (LsValue a, LsValue b, int *out, guint depth)
{
  if (ls_value_is_integer (a) && ls_value_is_integer (b)) {
    *out = wide (a) < wide (b) ? -1 : wide (a) > wide (b);
    return TRUE;
  }
  if (ls_value_is_number (a) && ls_value_is_number (b)) {
    double x = ls_value_number (a), y = ls_value_number (b);
    *out = isnan (x) || isnan (y) ? 2 : x < y ? -1 : x > y;
    return TRUE;
  }
  if (a.kind == LS_VALUE_STR && b.kind == LS_VALUE_STR) {
    int c = strcmp (a.str->text, b.str->text);
    *out = c < 0 ? -1 : c > 0;
    return TRUE;
  }
  if (!ls_value_is_sequence (a) || a.kind != b.kind || depth > 50)
    return FALSE;
  for (guint i = 0; i < MIN (a.list->n, b.list->n); i++) {
    if (ls_value_equal (a.list->items[i], b.list->items[i]))
      continue;
    return order (a.list->items[i], b.list->items[i], out, depth + 1);
  }
  *out = a.list->n < b.list->n ? -1 : a.list->n > b.list->n;
  return TRUE;
}

gboolean
ls_ev_compare (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out)
{
  gboolean result;
  int c = 0;
  switch (op) {
  case LS_OPERATOR_IS: case LS_OPERATOR_IS_NOT:
    result = a.kind == b.kind && (a.kind == LS_VALUE_NONE || a.kind == LS_VALUE_ELLIPSIS || (a.i == b.i && a.module == b.module));
    *out = ls_value_bool (result == (op == LS_OPERATOR_IS));
    return TRUE;
  case LS_OPERATOR_IN: case LS_OPERATOR_NOT_IN:
    if (!contains (ev, a, b, &result))
      return FALSE;
    *out = ls_value_bool (result == (op == LS_OPERATOR_IN));
    return TRUE;
  default: break;
  }
  if ((a.kind == LS_VALUE_TENSOR && (b.kind == LS_VALUE_TENSOR || ls_value_is_number (b))) || (b.kind == LS_VALUE_TENSOR && ls_value_is_number (a)))
    return tensor_binary (ev, op, a, b, out);
  if (op == LS_OPERATOR_EQ || op == LS_OPERATOR_NE) {
    *out = ls_value_bool (ls_value_equal (a, b) == (op == LS_OPERATOR_EQ));
    return TRUE;
  }
  if (!order (a, b, &c, 0))
    return unsupported (ev, op, a, b);
  result = op == LS_OPERATOR_LT ? c == -1 : op == LS_OPERATOR_GT ? c == 1 : op == LS_OPERATOR_LE ? c == -1 || c == 0 : c == 0 || c == 1;
  *out = ls_value_bool (result);
  return TRUE;
}

gboolean
ls_ev_walk (LsEvaluator *ev, LsValue v, LsWalk *walk)
{
  *walk = (LsWalk) { .over = v };
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_LIST: case LS_VALUE_TUPLE: walk->n = v.list->n; return TRUE;
  case LS_VALUE_RANGE: walk->n = v.range->n; return TRUE;
  case LS_VALUE_STR: walk->n = g_utf8_strlen (v.str->text, v.str->n); return TRUE;
  case LS_VALUE_ARRAY: walk->over = v.array->list; return ls_ev_walk (ev, v.array->list, walk);
  case LS_VALUE_TENSOR: {
    LsShape shape = ls_uop_shape (ev->ctx, v.tensor->node);
    if (shape.n == 0)
      return ls_ev_fail_here (ev, "a tensor of shape () has no items");
    walk->n = shape.dims[0];
    return TRUE;
  }
  default: return ls_ev_fail_here (ev, "a %s has no items to go through", ls_value_type_name (v));
  }
}

gboolean
ls_ev_walk_item (LsEvaluator *ev, LsWalk *walk, LsValue *out)
{
  LsValue v = walk->over;
  gint64 i = walk->i++;
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_LIST: case LS_VALUE_TUPLE:
    if (i >= v.list->n)      /* it shrank meanwhile */
      return ls_ev_fail_here (ev, "the list changed while it was gone through");
    *out = v.list->items[i];
    return TRUE;
  case LS_VALUE_RANGE:
    *out = ls_value_int (v.range->start + i * v.range->step);
    return TRUE;
  case LS_VALUE_STR: {
    const char *at = g_utf8_offset_to_pointer (v.str->text, i);
    *out = ls_value_str_n (&ev->arena, at, g_utf8_next_char (at) - at);
    return ls_ev_charge (ev, ev->pos, i / 64);
  }
  default: {
    LsIndexItem item = { .kind = LS_INDEX_INT, .start = i, .step = 1 };
    return ls_ev_tensor (ev, ls_tensor_index (ev->tensors, v.tensor->node, 1, &item), out);
  }
  }
}

gboolean
ls_ev_items (LsEvaluator *ev, LsValue v, LsValueKind kind, LsValue *out)
{
  LsWalk walk;
  if (!ls_ev_walk (ev, v, &walk) || !ls_ev_charge (ev, ev->pos, walk.n))
    return FALSE;
  *out = ls_value_list (&ev->arena, kind, walk.n, NULL);
  for (gint64 i = 0; i < walk.n; i++)
    if (!ls_ev_walk_item (ev, &walk, &out->list->items[i]))
      return FALSE;
  return TRUE;
}

static gboolean
index_item (LsEvaluator *ev, LsValue v, LsIndexItem *item)
{
  *item = (LsIndexItem) { .kind = LS_INDEX_SLICE, .step = 1 };
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_NONE: item->kind = LS_INDEX_NEW_AXIS; return TRUE;
  case LS_VALUE_ELLIPSIS: item->kind = LS_INDEX_ELLIPSIS; return TRUE;
  case LS_VALUE_INT:
    item->kind = LS_INDEX_INT;
    item->start = v.i;
    return TRUE;
  case LS_VALUE_SLICE:
    item->has_start = v.slice->start.kind != LS_VALUE_NONE;
    item->has_stop = v.slice->stop.kind != LS_VALUE_NONE;
    return (!item->has_start || ls_take_integer (ev, v.slice->start, "the start of a slice", &item->start)) &&
           (!item->has_stop || ls_take_integer (ev, v.slice->stop, "the end of a slice", &item->stop)) &&
           (v.slice->step.kind == LS_VALUE_NONE || ls_take_integer (ev, v.slice->step, "the step of a slice", &item->step));
  case LS_VALUE_TENSOR: case LS_VALUE_LIST: case LS_VALUE_TUPLE:
    return ls_ev_fail_here (ev, "indexing a tensor with a %s is not supported yet", ls_value_type_name (v));
  default:
    return ls_ev_fail_here (ev, "a tensor cannot be indexed with a %s", ls_value_type_name (v));
  }
}

static gboolean
index_tensor (LsEvaluator *ev, LsValue object, LsValue index, LsValue *out)
{
  LsIndexItem items[LS_MAX_DIMS];
  guint n = index.kind == LS_VALUE_TUPLE ? index.list->n : 1;
  if (n > LS_MAX_DIMS)
    return ls_ev_fail_here (ev, "too many indices");
  for (guint i = 0; i < n; i++)
    if (!index_item (ev, index.kind == LS_VALUE_TUPLE ? index.list->items[i] : index, &items[i]))
      return FALSE;
  return ls_ev_tensor (ev, ls_tensor_index (ev->tensors, object.tensor->node, n, items), out);
}

/* A slice of n items by Python's rules: begin, step and count. */
static gboolean
slice_bounds (LsEvaluator *ev, LsSliceVal *slice, gint64 n, gint64 *begin, gint64 *step, gint64 *count)
{
  LsIndexItem item;
  if (!index_item (ev, (LsValue) { .kind = LS_VALUE_SLICE, .slice = slice }, &item))
    return FALSE;
  if (item.step == 0 || item.step == G_MININT64)
    return ls_ev_fail_here (ev, "the step of a slice cannot be %s", item.step ? "that large" : "0");
  gint64 low = item.step > 0 ? 0 : -1, high = item.step > 0 ? n : n - 1;
  gint64 start = !item.has_start ? (item.step > 0 ? low : high) : item.start < 0 ? item.start + n : item.start;
  gint64 stop = !item.has_stop ? (item.step > 0 ? high : low) : item.stop < 0 ? item.stop + n : item.stop;
  start = CLAMP (start, low, high);
  stop = CLAMP (stop, low, high);
  gint64 distance = item.step > 0 ? stop - start : start - stop, by = ABS (item.step);
  *begin = start;
  *step = item.step;
  *count = distance <= 0 ? 0 : (distance - 1) / by + 1;
  return TRUE;
}

gboolean
ls_ev_index_value (LsEvaluator *ev, LsValue object, LsValue index, LsValue *out)
{
  LsWalk walk;
  gint64 begin = 0, step = 1, count = 0;
  if (object.kind == LS_VALUE_TENSOR)
    return ls_ev_charge (ev, ev->pos, 2) && index_tensor (ev, object, index, out);
  if (object.kind == LS_VALUE_ARRAY && index.kind == LS_VALUE_TUPLE) {      /* a[i, j] */
    LsValue v = object.array->list;
    for (guint i = 0; i < index.list->n; i++)
      if (!ls_value_is_integer (index.list->items[i]) || !ls_ev_index_value (ev, v, index.list->items[i], &v))
        return ls_ev_fail_here (ev, "an array can be indexed with integers only");
    *out = v;
    return TRUE;
  }
  if (object.kind != LS_VALUE_STR && !ls_value_is_sequence (object) && object.kind != LS_VALUE_RANGE && object.kind != LS_VALUE_ARRAY)
    return ls_ev_fail_here (ev, "a %s cannot be indexed", ls_value_type_name (object));
  if (!ls_ev_walk (ev, object, &walk))
    return FALSE;
  object = walk.over;
  if (index.kind == LS_VALUE_INT || index.kind == LS_VALUE_BOOL) {
    gint64 i = index.i < 0 ? index.i + walk.n : index.i;
    if (i < 0 || i >= walk.n)
      return ls_ev_fail_here (ev, "%s index out of range: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, ls_value_type_name (object), index.i, walk.n);
    walk.i = i;
    return ls_ev_walk_item (ev, &walk, out);
  }
  if (index.kind != LS_VALUE_SLICE)
    return ls_ev_fail_here (ev, "a %s cannot be indexed with a %s", ls_value_type_name (object), ls_value_type_name (index));
  if (!slice_bounds (ev, index.slice, walk.n, &begin, &step, &count) || !ls_ev_charge (ev, ev->pos, count))
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  *out = ls_value_list (&ev->arena, object.kind == LS_VALUE_TUPLE ? LS_VALUE_TUPLE : LS_VALUE_LIST, object.kind == LS_VALUE_STR ? 0 : count, NULL);
  for (gint64 i = 0; i < count; i++) {
    LsValue item;
    walk.i = begin + i * step;
    if (!ls_ev_walk_item (ev, &walk, &item))
      return FALSE;
    if (object.kind == LS_VALUE_STR)
      g_string_append_len (text, item.str->text, item.str->n);
    else
      out->list->items[i] = item;
  }
  if (object.kind == LS_VALUE_STR)
    *out = ls_value_str_n (&ev->arena, text->str, text->len);
  return TRUE;
}
