/* The shape of a node by its op's rule.
 *
 * A node's shape follows from its argument and its sources' shapes, so it is computed when the node is made and costs one step; nodes
 * below the kernel AST (loads of an index, ranges) have none. Misuse is stored, and ls_uop_get_shape reports it on request.
 */
#include "context-private.h"
#include "print.h"
#include "view.h"

#include <string.h>

enum { SHAPE_NONE, SHAPE_OK, SHAPE_MISUSE };      /* ls_uop_has_shape knows SHAPE_OK */

gint64
ls_shape_size (LsShape shape)
{
  gint64 n = 1;
  for (guint i = 0; i < shape.n; i++)
    if (shape.dims[i] == 0)
      return 0;
  for (guint i = 0; i < shape.n; i++)
    if (__builtin_mul_overflow (n, shape.dims[i], &n))
      return G_MAXINT64;
  return n;
}

gboolean
ls_shape_equal (LsShape a, LsShape b)
{
  if (a.n != b.n || (a.n > 0 && a.dims != b.dims && memcmp (a.dims, b.dims, a.n * sizeof (gint64)) != 0))
    return FALSE;
  return a.sizes == b.sizes || (a.sizes && b.sizes && memcmp (a.sizes, b.sizes, a.n * sizeof *a.sizes) == 0);
}

LsUOp *
ls_shape_size_of (LsContext *ctx, LsShape shape, guint axis)
{
  if (!shape.sizes || !shape.sizes[axis].of)
    return NULL;
  LsUOp *of = shape.sizes[axis].of;
  gint64 times = shape.sizes[axis].times;
  return times == 1 ? of : ls_uop_alu2 (ctx, LS_OP_MUL, of, ls_uop_const_i (ctx, of->dtype, times));
}

gint64
ls_size_number (const LsUOp *size, gint64 (*bound) (gpointer data, const LsUOp *variable), gpointer data)
{
  switch ((int) size->op) {
  case LS_OP_BIND: return bound (data, size->src[0]);
  case LS_OP_DEFINE_VAR: return bound (data, size);
  case LS_OP_CONST: return size->arg.i;
  case LS_OP_ADD: return ls_size_number (size->src[0], bound, data) + ls_size_number (size->src[1], bound, data);
  case LS_OP_MUL: return ls_size_number (size->src[0], bound, data) * ls_size_number (size->src[1], bound, data);
  default: return size->vmax;
  }
}

/* n*4 is n, four times. */
static LsSize
size_from (LsUOp *u)
{
  if (u->op == LS_OP_MUL && u->src[1]->op == LS_OP_CONST && u->src[1]->arg.kind == LS_ARG_INT)
    return (LsSize) { u->src[0], u->src[1]->arg.i };
  return (LsSize) { u, 1 };
}

char *
ls_shape_to_string (LsShape shape)
{
  GString *s = g_string_new ("(");
  for (guint i = 0; i < shape.n; i++) {
    const LsSize *size = shape.sizes && shape.sizes[i].of ? &shape.sizes[i] : NULL;
    g_string_append (s, i ? ", " : "");
    if (!size) {
      g_string_append_printf (s, "%" G_GINT64_FORMAT, shape.dims[i]);
      continue;
    }
    g_autofree char *of = ls_expr_print (NULL, size->of, 16);
    g_string_append_printf (s, size->times == 1 ? "%s" : size->of->n_src > 1 ? "(%s)*%" G_GINT64_FORMAT : "%s*%" G_GINT64_FORMAT, of,
                            size->times);
  }
  g_string_append (s, shape.n == 1 ? ",)" : ")");
  return g_string_free (s, FALSE);
}

static LsShape
shape_of (const LsUOp *u)
{
  return (LsShape) { u->n_dims, u->dims, ls_uop_sizes (u) };
}

static gboolean
misuse (GError **error, const LsUOp *u, LsShape in, const char *what)
{
  if (error) {
    g_autofree char *shape = ls_shape_to_string (in);
    g_autofree char *arg = NULL;
    if (u->arg.kind == LS_ARG_INTS || u->arg.kind == LS_ARG_OP_INTS)
      arg = ls_shape_to_string ((LsShape) { u->arg.n, u->arg.ints });
    g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "%s of shape %s with %s: %s", ls_op_name (u->op), shape, arg ? arg : "no argument", what);
  }
  return FALSE;
}

/* The rules, one per op. in: the shape of the first source; out's dims are the argument's, a source's or in buf, which has space for the
 * dims of the first source, the integers of the argument and one more. FALSE: misuse. */

static gboolean
buffer_shape (const LsUOp *u, LsShape in, LsShape *out, GError **error)
{
  if (u->arg.kind != LS_ARG_INTS || u->arg.n != 2 || u->arg.ints[1] < 0)
    return misuse (error, u, in, "the argument must be an id and a size");
  *out = (LsShape) { 1, u->arg.ints + 1 };
  return TRUE;
}

static gboolean
iota_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  if (u->arg.kind != LS_ARG_INT || u->arg.i < 0)
    return misuse (error, u, in, "the argument must be a size");
  buf[0] = u->arg.i;
  *out = u->n_src > 0 ? in : (LsShape) { 1, buf };
  return TRUE;
}

static gboolean
reshape_shape (const LsUOp *u, LsShape in, LsShape *out, GError **error)
{
  for (guint i = 0; i < u->arg.n; i++)
    if (u->arg.ints[i] < 0)
      return misuse (error, u, in, "sizes must not be negative");
  *out = (LsShape) { u->arg.n, u->arg.ints };
  if (ls_shape_size (*out) != ls_shape_size (in))
    return misuse (error, u, in, "the sizes differ");
  return TRUE;
}

static gboolean
permute_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  const gint64 *a = u->arg.ints;
  guint n = u->arg.n;
  if (n != in.n)
    return misuse (error, u, in, "one argument for each axis is needed");
  guint64 seen = 0;
  for (guint i = 0; i < n; i++) {
    if (a[i] < 0 || a[i] >= n || n > 64 || (seen >> a[i] & 1))
      return misuse (error, u, in, "it is not a permutation");
    seen |= G_GUINT64_CONSTANT (1) << a[i];
    buf[i] = in.dims[a[i]];
  }
  *out = (LsShape) { n, buf };
  return TRUE;
}

static gboolean
expand_shape (const LsUOp *u, LsShape in, LsShape *out, GError **error)
{
  const gint64 *a = u->arg.ints;
  if (u->arg.n != in.n)
    return misuse (error, u, in, "the number of axes must stay the same");
  for (guint i = 0; i < in.n; i++)
    if (a[i] != in.dims[i] && (in.dims[i] != 1 || a[i] < 0))
      return misuse (error, u, in, "only axes of size 1 can be expanded");
  *out = (LsShape) { in.n, a };
  return TRUE;
}

static gboolean
pad_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  const gint64 *a = u->arg.ints, most = G_MAXINT32 * G_GINT64_CONSTANT (1024);
  if (u->arg.n != 2 * in.n)
    return misuse (error, u, in, "a pair for each axis is needed");
  for (guint i = 0; i < in.n; i++) {
    gint64 before = a[2 * i], after = a[2 * i + 1];
    if (before < 0 || after < 0 || before > most || after > most)
      return misuse (error, u, in, "padding must not be negative");
    buf[i] = in.dims[i] + before + after;
  }
  *out = (LsShape) { in.n, buf };
  return TRUE;
}

static gboolean
shrink_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  if (u->arg.n != 2 * in.n)
    return misuse (error, u, in, "a pair for each axis is needed");
  for (guint i = 0; i < in.n; i++) {
    gint64 from = u->arg.ints[2 * i], to = u->arg.ints[2 * i + 1];
    if (from < 0 || to < from || to > in.dims[i])
      return misuse (error, u, in, "the box must be inside the shape");
    buf[i] = to - from;
  }
  *out = (LsShape) { in.n, buf };
  return TRUE;
}

/* LIMIT and AT */
static gboolean
slice_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  const gint64 *a = u->arg.ints;
  const LsUOp *by = u->n_src == 2 ? u->src[1] : NULL;
  if (!by || u->arg.n != 1 || a[0] < 0 || a[0] >= in.n || !ls_dtype_is_int (by->dtype))
    return misuse (error, u, in, "an axis and an integer are needed");
  for (guint i = 0; i < in.n; i++)
    buf[i] = in.dims[i];
  if (by->vmin < 0 || by->vmax >= in.dims[a[0]] + (u->op == LS_OP_LIMIT))
    return misuse (error, u, in, "the variable may exceed the axis");
  if (u->op == LS_OP_LIMIT && by->vmin < by->vmax && by->vmax < 2)      /* an axis of size 1 cannot be distinguished from a missing one */
    return misuse (error, u, in, "the maximum of a variable size must be at least 2");
  buf[a[0]] = u->op == LS_OP_AT ? 1 : by->vmax;
  *out = (LsShape) { in.n, buf };
  return TRUE;
}

static gboolean
reduce_shape (const LsUOp *u, LsShape in, LsShape *out, gint64 *buf, GError **error)
{
  const gint64 *axes = u->arg.ints;
  for (guint i = 0; i < in.n; i++)
    buf[i] = in.dims[i];
  for (guint i = 0; i < u->arg.n; i++) {
    if (axes[i] < 0 || axes[i] >= in.n)
      return misuse (error, u, in, "there is no such axis");
    buf[axes[i]] = 1;
  }
  *out = (LsShape) { in.n, buf };
  return TRUE;
}

static gboolean
check_equal (const LsUOp *u, LsShape a, LsShape b, GError **error)
{
  if (ls_shape_equal (a, b))
    return TRUE;
  if (error) {
    g_autofree char *x = ls_shape_to_string (a);
    g_autofree char *y = ls_shape_to_string (b);
    g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "%s of shapes %s and %s: they must be equal", ls_op_name (u->op), x, y);
  }
  return FALSE;
}

/* Memory, a view of it, and values in the view's shape: the memory afterwards. */
static gboolean
assign_shape (const LsUOp *u, LsShape in, LsShape *out, GError **error)
{
  for (guint i = 2; i < u->n_src; i++)
    if (!check_equal (u, shape_of (u->src[1]), shape_of (u->src[i]), error))
      return FALSE;
  *out = in;
  return TRUE;
}

/* All other ops take sources of one shape, which is the result's; a gradient has the shape of the source that it is of. */
static gboolean
elementwise_shape (const LsUOp *u, LsShape in, LsShape *out, GError **error)
{
  gboolean gradient = u->op == LS_OP_GRADIENT;
  if (gradient && (u->n_src != 2 || u->arg.kind != LS_ARG_INT || u->arg.i < 0 || u->arg.i >= u->src[0]->n_src))
    return misuse (error, u, in, "there is no such source");
  for (guint i = 1; i < u->n_src; i++)
    if (!check_equal (u, in, shape_of (u->src[i]), error))
      return FALSE;
  *out = gradient ? shape_of (u->src[0]->src[u->arg.i]) : in;
  return TRUE;
}

static gboolean
shape_rule (const LsUOp *u, LsShape *out, gint64 *buf, GError **error)
{
  LsShape in = { 0 };
  if (u->n_src > 0)
    in = shape_of (u->src[0]);
  if (((ls_op_is_movement (u->op) || ls_op_is_slice (u->op)) && u->arg.kind != LS_ARG_INTS) ||
      (u->op == LS_OP_REDUCE_AXIS && u->arg.kind != LS_ARG_OP_INTS))
    return misuse (error, u, in, "the argument must be a list of integers");
  switch (u->op) {
  case LS_OP_CONST:
    *out = in;
    return TRUE;
  case LS_OP_FLIP:
    if (u->arg.n != in.n)
      return misuse (error, u, in, "a 0 or 1 for each axis is needed");
    *out = in;
    return TRUE;
  case LS_OP_BUFFER: return buffer_shape (u, in, out, error);
  case LS_OP_IOTA: return iota_shape (u, in, out, buf, error);
  case LS_OP_RESHAPE: return reshape_shape (u, in, out, error);
  case LS_OP_PERMUTE: return permute_shape (u, in, out, buf, error);
  case LS_OP_EXPAND: return expand_shape (u, in, out, error);
  case LS_OP_PAD: return pad_shape (u, in, out, buf, error);
  case LS_OP_SHRINK: return shrink_shape (u, in, out, buf, error);
  case LS_OP_LIMIT: case LS_OP_AT: return slice_shape (u, in, out, buf, error);
  case LS_OP_REDUCE_AXIS: return reduce_shape (u, in, out, buf, error);
  case LS_OP_ASSIGN: return assign_shape (u, in, out, error);
  default: return elementwise_shape (u, in, out, error);
  }
}

/* A reshape keeps a variable's axis where the elements that are there still come first: n rows of 4 are n*4 in a row, and back.
 * Groups of axes of equal size, from the left. */
static gboolean
reshape_sizes (LsShape in, LsShape out, LsSize *sizes)
{
  for (guint i = 0, j = 0; i < in.n || j < out.n; i++, j++) {
    while (i < in.n && in.dims[i] == 1)
      i++;
    while (j < out.n && out.dims[j] == 1)
      j++;
    if (i == in.n || j == out.n)
      return i == in.n && j == out.n;
    guint first = j;
    LsSize size = in.sizes[i];
    gint64 counted = in.dims[i];
    gint64 old = in.dims[i], new = out.dims[j];
    while (old != new) {
      if (old < new ? ++i == in.n || in.sizes[i].of || __builtin_mul_overflow (old, in.dims[i], &old) : ++j == out.n ||
          __builtin_mul_overflow (new, out.dims[j], &new))
        return FALSE;
    }
    if (!size.of)
      continue;
    gint64 rest = new / out.dims[first];
    if (__builtin_mul_overflow (size.times, old / counted, &size.times) || size.times % rest != 0)
      return FALSE;
    sizes[first] = (LsSize) { size.of, size.times / rest };
  }
  return TRUE;
}

static gboolean
has_sizes (const LsUOp *u)
{
  for (guint i = 0; i < u->n_src; i++)
    if (u->src[i]->sized)
      return TRUE;
  return u->op == LS_OP_LIMIT;
}

/* Which of the axes of out a variable bounds, by the op's rule; sizes has room for out's axes, and is NULL after it where no variable
 * says anything. */
static gboolean
size_rule (const LsUOp *u, LsShape *out, LsSize *sizes, GError **error)
{
  LsShape in = shape_of (u->src[0]);
  const gint64 *a = u->arg.ints;
  gboolean any = FALSE;
  if (!in.sizes && u->op != LS_OP_LIMIT)      /* of an assignment the value's, of a gradient the node's: they are not the result's */
    return TRUE;
  memset (sizes, 0, out->n * sizeof *sizes);
  switch ((int) u->op) {
  case LS_OP_RESHAPE:
    if (!reshape_sizes (in, *out, sizes))
      return misuse (error, u, in, "the elements that a variable counts would not be the first ones");
    break;
  case LS_OP_PERMUTE:
    for (guint i = 0; i < out->n; i++)
      sizes[i] = in.sizes[a[i]];
    break;
  default:
    if (out->sizes != in.sizes && u->op == LS_OP_GRADIENT)
      in.sizes = out->sizes;
    for (guint i = 0; i < out->n && in.sizes; i++) {
      if (!in.sizes[i].of || (u->op == LS_OP_SHRINK && (a[2 * i] != 0 || a[2 * i + 1] != in.dims[i])))
        continue;
      if ((u->op == LS_OP_EXPAND && a[i] != in.dims[i]) || (u->op == LS_OP_FLIP && a[i]) ||
          (u->op == LS_OP_PAD && (a[2 * i] || a[2 * i + 1])))
        return misuse (error, u, in, "the end of an axis that a variable bounds is not known");
      sizes[i] = in.sizes[i];
    }
    for (guint k = 0; u->op == LS_OP_REDUCE_AXIS && k < u->arg.n; k++)
      sizes[a[k]].of = NULL;
    if (ls_op_is_slice (u->op))
      sizes[a[0]].of = NULL;
    if (u->op == LS_OP_LIMIT && u->src[1]->vmin < u->src[1]->vmax)
      sizes[a[0]] = size_from (u->src[1]);
  }
  for (guint i = 0; i < out->n; i++) {
    any |= sizes[i].of != NULL;
    if (!sizes[i].of)
      sizes[i].times = 0;
  }
  out->sizes = any ? sizes : NULL;
  return TRUE;
}

/* Dims and, behind them, sizes: few nodes have any, and none pays for them. */
static void
set_sized (LsContext *ctx, LsUOp *u, const gint64 *dims, const LsSize *sizes)
{
  gint64 both[LS_MAX_DIMS * (1 + sizeof (LsSize) / sizeof (gint64))];
  memcpy (both, dims, u->n_dims * sizeof *dims);
  memcpy (both + u->n_dims, sizes, u->n_dims * sizeof *sizes);
  u->dims = ls_context_intern (ctx, both, u->n_dims * (sizeof *dims + sizeof *sizes));
  u->sized = TRUE;
}

/* The axes of a view of a node are those of the tracker, without the first ones that variables index; a whole view has the shape of its
 * source. */
static void
init_view (LsContext *ctx, LsUOp *u)
{
  guint n_at = u->n_src - (u->n_src > 0 && u->dtype != LS_VOID);
  if (u->arg.kind != LS_ARG_TRACKER || !u->arg.tracker || ls_tracker_shape (u->arg.tracker).n < n_at)
    return;
  LsShape s = ls_tracker_shape (u->arg.tracker), in;
  u->n_dims = s.n - n_at;
  u->dims = s.dims + n_at;
  u->shape_state = SHAPE_OK;
  if (n_at > 0 || u->n_src == 0 || !u->src[0]->sized)
    return;
  in = shape_of (u->src[0]);
  if (ls_shape_equal (ls_shape_of_memory (in), s) && ls_tracker_shows_whole (ctx, u->arg.tracker))
    set_sized (ctx, u, s.dims, in.sizes);
}

void
ls_uop_init_shape (LsContext *ctx, LsUOp *u)
{
  u->shape_state = SHAPE_NONE;
  u->n_dims = 0;
  u->dims = NULL;
  u->sized = FALSE;
  if (u->op == LS_OP_VIEW) {
    init_view (ctx, u);
    return;
  }
  if (u->op == LS_OP_LOAD) {
    if (u->n_src == 2 && u->src[1]->op == LS_OP_VIEW) {
      u->n_dims = u->src[1]->n_dims;
      u->dims = u->src[1]->dims;
      u->shape_state = u->src[1]->shape_state;
    }
    return;
  }
  LsOpClass cls = ls_op_info (u->op)->op_class;
  if (cls <= LS_CLASS_DEFINE && (u->op == LS_OP_BIND || u->op == LS_OP_DEFINE_VAR)) {      /* a variable is one number */
    u->shape_state = SHAPE_OK;
    return;
  }
  if (cls == LS_CLASS_META || cls == LS_CLASS_DEFINE || cls == LS_CLASS_RANGE || cls == LS_CLASS_CONTROL || cls == LS_CLASS_MEMORY ||
      cls == LS_CLASS_VECTOR || u->op == LS_OP_REDUCE || u->op == LS_OP_PHI || u->op == LS_OP_VCONST)
    return;
  gboolean sized = u->op == LS_OP_LIMIT;
  for (guint i = 0; i < u->n_src; i++) {
    sized |= u->src[i]->sized;
    if (u->src[i]->shape_state == SHAPE_OK)
      continue;
    u->shape_state = u->src[i]->shape_state;
    if (u->shape_state == SHAPE_NONE)
      return;
  }
  if (u->shape_state == SHAPE_MISUSE)
    return;
  gint64 stack_buf[64], *buf = stack_buf;
  g_autofree gint64 *heap = NULL;
  guint need = (u->n_src > 0 ? u->src[0]->n_dims : 0) + 1;
  if (u->op == LS_OP_PERMUTE)
    need = MAX (need, u->arg.n + 1);
  if (need > G_N_ELEMENTS (stack_buf))
    buf = heap = g_new (gint64, need);
  LsShape out;
  LsSize sizes[LS_MAX_DIMS];
  if (!shape_rule (u, &out, buf, NULL) || (sized && (out.n > LS_MAX_DIMS || !size_rule (u, &out, sizes, NULL)))) {
    u->shape_state = SHAPE_MISUSE;
    return;
  }
  u->shape_state = SHAPE_OK;
  u->n_dims = out.n;
  if (out.sizes)
    set_sized (ctx, u, out.dims, out.sizes);
  else
    u->dims = out.dims == buf ? ls_context_intern (ctx, buf, out.n * sizeof *buf) : out.dims;
}

gboolean
ls_uop_get_shape (LsContext *ctx, LsUOp *u, LsShape *shape, GError **error)
{
  if (G_LIKELY (u->shape_state == SHAPE_OK)) {
    *shape = shape_of (u);
    return TRUE;
  }
  if (u->shape_state == SHAPE_NONE) {
    g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "%s has no shape", ls_op_name (u->op));
    return FALSE;
  }
  /* The misuse is at the first node below that has good sources and is itself bad. */
  for (gboolean deeper = TRUE; deeper;) {
    deeper = FALSE;
    for (guint i = 0; i < u->n_src && !deeper; i++)
      if (u->src[i]->shape_state == SHAPE_MISUSE) {
        u = u->src[i];
        deeper = TRUE;
      }
  }
  LsShape out;
  g_autofree gint64 *buf = g_new (gint64, (u->n_src > 0 ? u->src[0]->n_dims : 0) + ls_arg_count (u->arg) + 1);
  LsSize sizes[LS_MAX_DIMS];
  return shape_rule (u, &out, buf, error) && (!has_sizes (u) || size_rule (u, &out, sizes, error));
}

LsShape
ls_uop_shape (LsContext *ctx, LsUOp *u)
{
  g_assert (u->shape_state == SHAPE_OK);
  return shape_of (u);
}
