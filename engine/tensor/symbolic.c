/* Sizes and places that variables say: their arithmetic, and movement by them.
 *
 * Every size has one form, the sum of its variables by id, each times a number, and a number, so that equal sizes are one node. A slice
 * between two indices is cut in steps that each have a node: of a window at each position the one that the variable selects (AT), and
 * its first elements (LIMIT). An axis that is padded or reversed is such a part, of memory's whole axis with as much around it as there
 * may be, or backwards.
 */
#include "tensor.h"
#include "rules/rules.h"

#include <string.h>

#define MOST_TERMS 8

typedef struct { LsUOp *of; gint64 times; } Term;
typedef struct { guint n; Term terms[MOST_TERMS]; gint64 rest; } Sum;

static gboolean
add_term (Sum *s, LsUOp *of, gint64 times)
{
  guint i = 0;
  while (i < s->n && s->terms[i].of->id < of->id)
    i++;
  if (i < s->n && s->terms[i].of == of)
    return !__builtin_add_overflow (s->terms[i].times, times, &s->terms[i].times);
  if (s->n == MOST_TERMS)
    return FALSE;
  memmove (s->terms + i + 1, s->terms + i, (s->n++ - i) * sizeof *s->terms);
  s->terms[i] = (Term) { of, times };
  return TRUE;
}

/* s plus u times a number. */
static gboolean
add_size (Sum *s, LsUOp *u, gint64 times)
{
  gint64 n;
  for (; u->op == LS_OP_ADD; u = u->src[0])
    if (!add_size (s, u->src[1], times))
      return FALSE;
  if (u->op == LS_OP_CONST)
    return !__builtin_mul_overflow (u->arg.i, times, &n) && !__builtin_add_overflow (s->rest, n, &s->rest);
  if (u->op == LS_OP_MUL && u->src[1]->op == LS_OP_CONST)
    return !__builtin_mul_overflow (u->src[1]->arg.i, times, &n) && add_term (s, u->src[0], n);
  return add_term (s, u, times);
}

static LsUOp *
size_of_sum (LsTensors *t, const Sum *s)
{
  LsContext *ctx = ls_tensors_context (t);
  LsUOp *sum = NULL;
  for (guint i = 0; i < s->n; i++) {
    const Term *term = &s->terms[i];
    if (term->times == 0)
      continue;
    LsUOp *u = term->times == 1 ? term->of : ls_uop_alu2 (ctx, LS_OP_MUL, term->of, ls_uop_const_i (ctx, LS_INDEX, term->times));
    sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, u) : u;
  }
  if (!sum || s->rest != 0) {
    LsUOp *rest = ls_uop_const_i (ctx, LS_INDEX, s->rest);
    sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, rest) : rest;
  }
  return sum;
}

LsUOp *
ls_tensor_size_const (LsTensors *t, gint64 value)
{
  return ls_uop_const_i (ls_tensors_context (t), LS_INDEX, value);
}

LsUOp *
ls_tensor_size_op (LsTensors *t, LsOp op, LsUOp *a, LsUOp *b)
{
  Sum s = { 0 };
  if (op == LS_OP_MUL && a->op == LS_OP_CONST)
    return ls_tensor_size_op (t, op, b, a);
  if (op == LS_OP_MUL && b->op != LS_OP_CONST)
    return a->id < b->id ? ls_uop_alu2 (ls_tensors_context (t), op, a, b) : ls_uop_alu2 (ls_tensors_context (t), op, b, a);
  if (op == LS_OP_IDIV && (b->op != LS_OP_CONST || b->arg.i < 1))
    return NULL;
  if (!add_size (&s, a, op == LS_OP_MUL ? b->arg.i : 1) || ((op == LS_OP_ADD || op == LS_OP_SUB) &&
                                                            !add_size (&s, b, op == LS_OP_ADD ? 1 : -1)))
    return NULL;
  if (op == LS_OP_IDIV) {
    for (guint i = 0; i < s.n; i++) {
      if (s.terms[i].times % b->arg.i != 0)
        return NULL;
      s.terms[i].times /= b->arg.i;
    }
    if (s.rest % b->arg.i != 0)
      return NULL;
    s.rest /= b->arg.i;
  }
  return size_of_sum (t, &s);
}

LsUOp *
ls_tensor_variable (LsTensors *t, const char *name, gint64 min, gint64 max, gint64 value)
{
  const LsTensorHost *host = ls_tensors_host (t);
  GError *error = NULL;
  LsUOp *u = min == max ? ls_tensor_size_const (t, value) : host->variable (host->self, name, min, max, value, &error);
  if (!u) {
    ls_tensors_fail (t, error->code, "variable %s: %s", name, error->message);
    g_clear_error (&error);
  }
  return u;
}

gint64
ls_tensor_number (LsTensors *t, LsUOp *size)
{
  const LsTensorHost *host = ls_tensors_host (t);
  return ls_size_number (size, host->bound, host->self);
}

const LsUOp *
ls_tensor_unbound (LsTensors *t, const LsUOp *size)
{
  const LsTensorHost *host = ls_tensors_host (t);
  for (; size->op == LS_OP_ADD || size->op == LS_OP_MUL; size = size->src[0]) {
    const LsUOp *found = ls_tensor_unbound (t, size->src[1]);      /* a term: there are few, and of few factors */
    if (found)
      return found;
  }
  return size->op == LS_OP_BIND && host->unbound (host->self, size->src[0]) ? size : NULL;
}

/* Operations on numbers need their values. */
static gboolean
has_values (LsTensors *t, guint n, LsUOp *const *sizes)
{
  const LsUOp *unbound = NULL;
  for (guint i = 0; i < n && !unbound; i++)
    unbound = sizes[i] ? ls_tensor_unbound (t, sizes[i]) : NULL;
  if (unbound)
    ls_tensors_fail (t, LS_ERROR_DTYPE, "variable %s has no value: bind it, as in %s.bind(%" G_GINT64_FORMAT ")", unbound->arg.var->name,
                     unbound->arg.var->name, unbound->arg.var->min);
  return !unbound;
}

static LsUOp *
slice (LsTensors *t, LsOp op, LsUOp *x, gint64 axis, LsUOp *by)
{
  LsContext *ctx = ls_tensors_context (t);
  LsUOp *src[] = { x, by }, *result = ls_tensors_node (t, op, x->dtype, 2, src, ls_arg_ints (ctx, 1, &axis));
  LsShape shape;
  GError *error = NULL;
  if (ls_uop_get_shape (ctx, result, &shape, &error))
    return result;
  ls_tensors_fail (t, LS_ERROR_SHAPE, "%s", error->message);
  g_error_free (error);
  return NULL;
}

static gint64
number_of_axis (LsTensors *t, LsShape shape, guint axis)
{
  LsUOp *size = ls_shape_size_of (ls_tensors_context (t), shape, axis);
  return size ? ls_tensor_number (t, size) : shape.dims[axis];
}

LsUOp *
ls_tensor_fixed (LsTensors *t, LsUOp *x)
{
  LsShape shape = x ? ls_tensors_shape (t, x) : (LsShape) { 0 };
  for (guint i = 0; i < shape.n && x && shape.sizes; i++) {
    LsUOp *size = ls_shape_size_of (ls_tensors_context (t), shape, i);
    if (size)
      x = has_values (t, 1, &size) ? slice (t, LS_OP_LIMIT, x, i, ls_tensor_size_const (t, ls_tensor_number (t, size))) : NULL;
  }
  return x;
}

static gboolean
have (guint n, LsUOp *const *nodes)
{
  for (guint i = 0; i < n; i++)
    if (nodes[i])
      return TRUE;
  return FALSE;
}

/* Is the shape that of these sizes? */
static gboolean
is_shape (LsTensors *t, LsShape shape, guint n, LsUOp *const *sizes)
{
  gboolean same = shape.n == n;
  for (guint i = 0; i < n && same; i++)
    same = ls_shape_size_of (ls_tensors_context (t), shape, i) == sizes[i];
  return same;
}

static void
numbers_of (LsTensors *t, guint n, const gint64 *dims, LsUOp *const *sizes, gint64 *numbers)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = sizes[i] ? ls_tensor_number (t, sizes[i]) : dims[i];
}

LsUOp *
ls_tensor_reshape_to (LsTensors *t, LsUOp *x, guint n, const gint64 *dims, LsUOp *const *sizes)
{
  LsContext *ctx = ls_tensors_context (t);
  LsShape shape, to = { n, dims, NULL };
  gint64 numbers[LS_MAX_DIMS];
  if (!x || n > LS_MAX_DIMS || (!(shape = ls_tensors_shape (t, x)).sizes && !have (n, sizes)))
    return ls_tensor_reshape (t, x, n, dims);
  if (shape.sizes && ls_shape_size (shape) == ls_shape_size (to)) {
    LsUOp *moved = ls_shape_equal (ls_shape_of_memory (shape), to) ? x : ls_tensors_node1 (t, LS_OP_RESHAPE, x->dtype, x,
                                                                                           ls_arg_ints (ctx, n, dims));
    LsShape got;
    if (ls_uop_get_shape (ctx, moved, &got, NULL) && is_shape (t, got, n, sizes))
      return moved;
  }
  numbers_of (t, n, dims, sizes, numbers);
  return has_values (t, n, sizes) ? ls_tensor_reshape (t, ls_tensor_fixed (t, x), n, numbers) : NULL;
}

LsUOp *
ls_tensor_expand_to (LsTensors *t, LsUOp *x, guint n, const gint64 *dims, LsUOp *const *sizes)
{
  LsContext *ctx = ls_tensors_context (t);
  LsShape shape;
  gint64 numbers[LS_MAX_DIMS];
  if (!x || n > LS_MAX_DIMS || (!(shape = ls_tensors_shape (t, x)).sizes && !have (n, sizes)))
    return ls_tensor_expand (t, x, n, dims);
  gboolean fits = n == shape.n;
  for (guint i = 0; fits && i < n; i++) {
    LsUOp *size = ls_shape_size_of (ctx, shape, i);
    fits = size ? size == sizes[i] : sizes[i] ? shape.dims[i] == 1 && sizes[i]->vmin >= 0 && sizes[i]->vmax > 1 : TRUE;
  }
  if (!fits) {
    numbers_of (t, n, dims, sizes, numbers);
    return has_values (t, n, sizes) ? ls_tensor_expand (t, ls_tensor_fixed (t, x), n, numbers) : NULL;
  }
  LsUOp *wide = ls_tensor_expand (t, x, n, dims);
  for (guint i = 0; i < n && wide; i++)
    if (sizes[i] && !ls_shape_size_of (ctx, shape, i))
      wide = slice (t, LS_OP_LIMIT, wide, i, sizes[i]);
  return wide;
}

static LsUOp *
shrink_axis (LsTensors *t, LsUOp *x, guint axis, gint64 begin, gint64 end)
{
  LsShape shape = ls_tensors_shape (t, x);
  gint64 pairs[2 * LS_MAX_DIMS];
  for (guint i = 0; i < shape.n; i++) {
    pairs[2 * i] = i == axis ? begin : 0;
    pairs[2 * i + 1] = i == axis ? end : shape.dims[i];
  }
  return ls_tensor_shrink (t, x, 2 * shape.n, pairs);
}

static LsUOp *
pad_axis (LsTensors *t, LsUOp *x, guint axis, gint64 before, gint64 after)
{
  gint64 pairs[2 * LS_MAX_DIMS] = { 0 };
  pairs[2 * axis] = before;
  pairs[2 * axis + 1] = after;
  return x ? ls_tensor_pad (t, x, 2 * ls_tensors_shape (t, x).n, pairs) : NULL;
}

/* The size in memory along an axis that a variable bounds: elements past the size are arbitrary. */
static LsUOp *
whole_axis (LsTensors *t, LsUOp *x, guint axis)
{
  LsShape shape = ls_tensors_shape (t, x);
  return ls_shape_size_of (ls_tensors_context (t), shape, axis) ? slice (t, LS_OP_LIMIT, x, axis,
                                                                         ls_tensor_size_const (t, shape.dims[axis])) : x;
}

/* The size of an axis, a number or not. */
static LsUOp *
size_of (LsTensors *t, LsUOp *x, guint axis)
{
  LsShape shape = ls_tensors_shape (t, x);
  LsUOp *size = ls_shape_size_of (ls_tensors_context (t), shape, axis);
  return size ? size : ls_tensor_size_const (t, shape.dims[axis]);
}

/* x with one window of that width for each position up to last, along a new axis before the axis. */
static LsUOp *
windows (LsTensors *t, LsUOp *x, guint axis, gint64 places, gint64 width)
{
  LsShape shape = ls_tensors_shape (t, x);
  gint64 dims[LS_MAX_DIMS], pairs[2 * LS_MAX_DIMS] = { 0 }, size = shape.dims[axis];
  guint n = shape.n + 1;
  for (guint i = 0; i < shape.n; i++)
    dims[i + (i >= axis)] = shape.dims[i];
  dims[axis] = 1;
  x = ls_tensor_reshape (t, x, n, dims);
  dims[axis] = places;
  x = ls_tensor_expand (t, x, n, dims);
  /* rows of size that are read as rows of size + 1 begin one later each time */
  for (guint i = axis + 1; i + 1 < n; i++)
    dims[i] = dims[i + 1];
  dims[axis] = places * size;
  x = ls_tensor_reshape (t, x, n - 1, dims);
  pairs[2 * axis + 1] = places;
  x = ls_tensor_pad (t, x, 2 * (n - 1), pairs);
  for (guint i = n - 1; i > axis + 1; i--)
    dims[i] = dims[i - 1];
  dims[axis] = places;
  dims[axis + 1] = size + 1;
  x = ls_tensor_reshape (t, x, n, dims);
  return x ? shrink_axis (t, x, axis + 1, 0, width) : NULL;
}

/* From begin on, size elements; NULL without an error if the two may exceed the axis. */
static LsUOp *
cut (LsTensors *t, LsUOp *x, guint axis, LsUOp *begin, LsUOp *size)
{
  LsShape shape = ls_tensors_shape (t, x);
  gint64 there = shape.dims[axis], width = size->vmax, places = begin->vmax + 1, dims[LS_MAX_DIMS];
  if (begin->vmin < 0 || size->vmin < 0 || begin->vmax >= there || width < 1 || width > there || (size->op != LS_OP_CONST && width < 2))
    return NULL;
  if (begin->op == LS_OP_CONST) {
    if (begin->arg.i + width > there)
      return NULL;
    x = shrink_axis (t, x, axis, begin->arg.i, begin->arg.i + width);
  } else {
    if (begin->vmax + width > there)      /* a value that the variables may reach together, and do not */
      x = pad_axis (t, x, axis, 0, begin->vmax + width - there);
    if (width > 1) {
      x = windows (t, x, axis, places, width);
      x = x ? slice (t, LS_OP_AT, x, axis, begin) : NULL;
      for (guint i = 0; i < shape.n; i++)
        dims[i] = i == axis ? width : shape.dims[i];
      x = ls_tensor_reshape (t, x, shape.n, dims);
    } else {
      x = slice (t, LS_OP_AT, x, axis, begin);
    }
  }
  return x && size->op != LS_OP_CONST ? slice (t, LS_OP_LIMIT, x, axis, size) : x;
}

LsUOp *
ls_tensor_shrink_to (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs, LsUOp *const *nodes)
{
  LsContext *ctx = ls_tensors_context (t);
  LsShape shape;
  gint64 numbers[2 * LS_MAX_DIMS], own[2 * LS_MAX_DIMS];
  LsUOp *fixed = x;
  if (!x || n > 2 * LS_MAX_DIMS || n != 2 * (shape = ls_tensors_shape (t, x)).n || (!shape.sizes && !have (n, nodes)))
    return ls_tensor_shrink (t, x, n, pairs);
  numbers_of (t, n, pairs, nodes, numbers);
  for (guint i = 0; i < shape.n; i++)
    if (numbers[2 * i] < 0 || numbers[2 * i] > numbers[2 * i + 1] || numbers[2 * i + 1] > number_of_axis (t, shape, i))
      return has_values (t, n, nodes) ? ls_tensor_shrink (t, ls_tensor_fixed (t, x), n, numbers) : NULL;      /* has the reason */
  /* numbers first, then one variable after the other; an axis that a variable bounds already is kept, cut at a number, or cut by
   * another variable */
  for (guint i = 0; i < shape.n; i++) {
    gboolean named = nodes[2 * i] || nodes[2 * i + 1],
             all = !nodes[2 * i] && numbers[2 * i] == 0 && nodes[2 * i + 1] && nodes[2 * i + 1] == ls_shape_size_of (ctx, shape, i);
    own[2 * i] = named || all ? 0 : numbers[2 * i];
    own[2 * i + 1] = named || all ? shape.dims[i] : numbers[2 * i + 1];
    if (!named && own[2 * i] == 0 && own[2 * i + 1] == shape.dims[i] && ls_shape_size_of (ctx, shape, i))
      fixed = slice (t, LS_OP_LIMIT, fixed, i, ls_tensor_size_const (t, shape.dims[i]));
  }
  fixed = ls_tensor_shrink (t, fixed, n, own);
  for (guint i = 0; i < shape.n && fixed; i++) {
    LsUOp *begin = nodes[2 * i] ? nodes[2 * i] : ls_tensor_size_const (t, numbers[2 * i]),
          *end = nodes[2 * i + 1] ? nodes[2 * i + 1] : ls_tensor_size_const (t, numbers[2 * i + 1]);
    if ((!nodes[2 * i] && !nodes[2 * i + 1]) || (begin->op == LS_OP_CONST && begin->arg.i == 0 && end == ls_shape_size_of (ctx, shape, i)))
      continue;
    LsUOp *size = ls_tensor_size_op (t, LS_OP_SUB, end, begin), *whole = whole_axis (t, fixed, i);
    LsUOp *part = whole && size ? cut (t, whole, i, begin, size) : NULL;
    fixed = part ? part : whole && has_values (t, 2, nodes + 2 * i) ? shrink_axis (t, whole, i, numbers[2 * i], numbers[2 * i + 1]) : NULL;
  }
  return fixed;
}

/* The axis with the two numbers of zeros before and after it; NULL without an error if only their values can be used. */
static LsUOp *
pad_axis_to (LsTensors *t, LsUOp *x, guint axis, LsUOp *before, LsUOp *after)
{
  LsContext *ctx = ls_tensors_context (t);
  LsUOp *size = size_of (t, x, axis), *all = ls_tensor_size_op (t, LS_OP_ADD, size, before), *whole = whole_axis (t, x, axis);
  gint64 there = ls_tensors_shape (t, x).dims[axis];
  all = all ? ls_tensor_size_op (t, LS_OP_ADD, all, after) : NULL;
  LsUOp *begin = ls_tensor_size_op (t, LS_OP_SUB, ls_tensor_size_const (t, before->vmax), before);
  if (!all || !begin || !whole || before->vmin < 0 || after->vmin < 0 || before->vmax > LS_MAX_ELEMENTS || all->vmax > LS_MAX_ELEMENTS)
    return NULL;
  if (size->op != LS_OP_CONST) {      /* elements past its end are not visible */
    LsUOp *taken = ls_taken (ctx, slice (t, LS_OP_LIMIT, whole, axis, size));
    LsShape shape = ls_tensors_shape (t, whole);
    whole = taken ? ls_tensor_where (t, taken, whole, ls_filled (ctx, ls_dtype_is_float (x->dtype) ? ls_uop_const_f (ctx, x->dtype, 0)
                                                                                                   : ls_uop_const_i (ctx, x->dtype, 0),
                                                                                                   shape)) : NULL;
  }
  whole = pad_axis (t, whole, axis, before->vmax, MAX (all->vmax - there - before->vmin, 0));
  return whole ? cut (t, whole, axis, begin, all) : NULL;
}

LsUOp *
ls_tensor_flip_sized (LsTensors *t, LsUOp *x, guint axis)
{
  gint64 there = ls_tensors_shape (t, x).dims[axis], axes[] = { axis };
  LsUOp *size = size_of (t, x, axis), *begin = ls_tensor_size_op (t, LS_OP_SUB, ls_tensor_size_const (t, there), size), *whole = NULL;
  if (begin && begin->vmin >= 0)      /* of the whole axis backwards the last that are there */
    whole = pad_axis (t, ls_tensor_flip (t, whole_axis (t, x, axis), 1, axes), axis, 0, begin->vmax);
  LsUOp *part = whole ? cut (t, whole, axis, begin, size) : NULL;
  return part ? part : ls_tensor_flip (t, ls_tensor_fixed (t, x), 1, axes);
}

LsUOp *
ls_tensor_pad_to (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs, LsUOp *const *nodes)
{
  LsShape shape;
  gint64 numbers[2 * LS_MAX_DIMS], own[2 * LS_MAX_DIMS];
  if (!x || n > 2 * LS_MAX_DIMS || n != 2 * (shape = ls_tensors_shape (t, x)).n || (!shape.sizes && !have (n, nodes)))
    return ls_tensor_pad (t, x, n, pairs);
  numbers_of (t, n, pairs, nodes, numbers);
  for (guint i = 0; i < shape.n; i++) {
    gboolean named = nodes[2 * i] || nodes[2 * i + 1] || (shape.sizes && shape.sizes[i].of);
    if (numbers[2 * i] < 0 || numbers[2 * i + 1] < 0)
      return ls_tensor_pad (t, ls_tensor_fixed (t, x), n, numbers);      /* has the reason */
    own[2 * i] = named ? 0 : numbers[2 * i];
    own[2 * i + 1] = named ? 0 : numbers[2 * i + 1];
  }
  LsUOp *padded = ls_tensor_pad (t, x, n, own);
  for (guint i = 0; i < shape.n && padded; i++) {
    LsUOp *before = nodes[2 * i] ? nodes[2 * i] : ls_tensor_size_const (t, numbers[2 * i]),
          *after = nodes[2 * i + 1] ? nodes[2 * i + 1] : ls_tensor_size_const (t, numbers[2 * i + 1]);
    gboolean nothing = before->vmin == 0 && before->vmax == 0 && after->vmin == 0 && after->vmax == 0;
    if (nothing || own[2 * i] || own[2 * i + 1])
      continue;
    padded = pad_axis_to (t, padded, i, before, after);
    if (!padded)
      return has_values (t, n, nodes) ? ls_tensor_pad (t, ls_tensor_fixed (t, x), n, numbers) : NULL;
  }
  return padded;
}
