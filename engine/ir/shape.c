/* The shape of a node by its op's rule.
 *
 * A node's shape follows from its argument and its sources' shapes alone, so it is computed when the node is made and costs one
 * step; nodes below the kernel AST (loads of an index, ranges) have none. What does not fit is remembered as misuse, and
 * ls_uop_get_shape says what was wrong when it is asked.
 */
#include "context-private.h"
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
  return a.n == b.n && (a.n == 0 || a.dims == b.dims || memcmp (a.dims, b.dims, a.n * sizeof (gint64)) == 0);
}

char *
ls_shape_to_string (LsShape shape)
{
  GString *s = g_string_new ("(");
  for (guint i = 0; i < shape.n; i++)
    g_string_append_printf (s, "%s%" G_GINT64_FORMAT, i ? ", " : "", shape.dims[i]);
  g_string_append (s, shape.n == 1 ? ",)" : ")");
  return g_string_free (s, FALSE);
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

/* Writes the shape into out (dims: u->n_dims numbers, memory from buf or shared). buf holds the dims of the first source, the integers of the argument and one more. */
static gboolean
shape_rule (const LsUOp *u, LsShape *out, gint64 *buf, GError **error)
{
  const gint64 *a = u->arg.ints;
  guint n = u->arg.n;
  LsShape in = { 0 };
  if (u->n_src > 0)
    in = (LsShape) { u->src[0]->n_dims, u->src[0]->dims };
  if ((ls_op_is_movement (u->op) && u->arg.kind != LS_ARG_INTS) || (u->op == LS_OP_REDUCE_AXIS && u->arg.kind != LS_ARG_OP_INTS))
    return misuse (error, u, in, "the argument must be a list of integers");
  switch (u->op) {
  case LS_OP_BUFFER:
    if (u->arg.kind != LS_ARG_INTS || n != 2 || a[1] < 0)
      return misuse (error, u, in, "the argument must be an id and a size");
    *out = (LsShape) { 1, a + 1 };
    return TRUE;
  case LS_OP_CONST:
    *out = in;
    return TRUE;
  case LS_OP_IOTA:
    if (u->arg.kind != LS_ARG_INT || u->arg.i < 0)
      return misuse (error, u, in, "the argument must be a size");
    buf[0] = u->arg.i;
    *out = u->n_src > 0 ? in : (LsShape) { 1, buf };
    return TRUE;
  case LS_OP_RESHAPE:
    for (guint i = 0; i < n; i++)
      if (a[i] < 0)
        return misuse (error, u, in, "sizes must not be negative");
    *out = (LsShape) { n, a };
    if (ls_shape_size (*out) != ls_shape_size (in))
      return misuse (error, u, in, "the sizes differ");
    return TRUE;
  case LS_OP_PERMUTE: {
    if (n != in.n)
      return misuse (error, u, in, "one axis each is needed");
    guint64 seen = 0;
    for (guint i = 0; i < n; i++) {
      if (a[i] < 0 || a[i] >= n || n > 64 || (seen >> a[i] & 1))
        return misuse (error, u, in, "it is no permutation");
      seen |= G_GUINT64_CONSTANT (1) << a[i];
      buf[i] = in.dims[a[i]];
    }
    *out = (LsShape) { n, buf };
    return TRUE;
  }
  case LS_OP_EXPAND:
    if (n != in.n)
      return misuse (error, u, in, "the number of axes must stay");
    for (guint i = 0; i < n; i++)
      if (a[i] != in.dims[i] && (in.dims[i] != 1 || a[i] < 0))
        return misuse (error, u, in, "only axes of size 1 can be expanded");
    *out = (LsShape) { n, a };
    return TRUE;
  case LS_OP_PAD:
    if (n != 2 * in.n)
      return misuse (error, u, in, "a pair for each axis is needed");
    for (guint i = 0; i < in.n; i++) {
      if (a[2 * i] < 0 || a[2 * i + 1] < 0 || a[2 * i] > G_MAXINT32 * G_GINT64_CONSTANT (1024) || a[2 * i + 1] > G_MAXINT32 * G_GINT64_CONSTANT (1024))
        return misuse (error, u, in, "padding must not be negative");
      buf[i] = in.dims[i] + a[2 * i] + a[2 * i + 1];
    }
    *out = (LsShape) { in.n, buf };
    return TRUE;
  case LS_OP_SHRINK:
    if (n != 2 * in.n)
      return misuse (error, u, in, "a pair for each axis is needed");
    for (guint i = 0; i < in.n; i++) {
      if (a[2 * i] < 0 || a[2 * i + 1] < a[2 * i] || a[2 * i + 1] > in.dims[i])
        return misuse (error, u, in, "the box must lie inside");
      buf[i] = a[2 * i + 1] - a[2 * i];
    }
    *out = (LsShape) { in.n, buf };
    return TRUE;
  case LS_OP_FLIP:
    if (n != in.n)
      return misuse (error, u, in, "a 0 or 1 for each axis is needed");
    *out = in;
    return TRUE;
  case LS_OP_REDUCE_AXIS:
    for (guint i = 0; i < in.n; i++)
      buf[i] = in.dims[i];
    for (guint i = 0; i < n; i++) {
      if (a[i] < 0 || a[i] >= in.n)
        return misuse (error, u, in, "there is no such axis");
      buf[a[i]] = 1;
    }
    *out = (LsShape) { in.n, buf };
    return TRUE;
  default:
    if (u->op == LS_OP_GRADIENT && (u->n_src != 2 || u->arg.kind != LS_ARG_INT || u->arg.i < 0 || u->arg.i >= u->src[0]->n_src))
      return misuse (error, u, in, "there is no such source");
    for (guint i = 1; i < u->n_src; i++) {
      if (u->op == LS_OP_ASSIGN) {      /* memory, a view of it, and a value in the view's shape */
        if (i == 1)
          continue;
        in = (LsShape) { u->src[1]->n_dims, u->src[1]->dims };
      }
      if (!ls_shape_equal (in, (LsShape) { u->src[i]->n_dims, u->src[i]->dims })) {
        if (error) {
          g_autofree char *x = ls_shape_to_string (in);
          g_autofree char *y = ls_shape_to_string ((LsShape) { u->src[i]->n_dims, u->src[i]->dims });
          g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "%s of shapes %s and %s: they must be equal", ls_op_name (u->op), x, y);
        }
        return FALSE;
      }
    }
    if (u->op == LS_OP_ASSIGN)
      in = (LsShape) { u->src[0]->n_dims, u->src[0]->dims };
    *out = u->op == LS_OP_GRADIENT ? (LsShape) { u->src[0]->src[u->arg.i]->n_dims, u->src[0]->src[u->arg.i]->dims } : in;
    return TRUE;
  }
}

void
ls_uop_init_shape (LsContext *ctx, LsUOp *u)
{
  u->shape_state = SHAPE_NONE;
  u->n_dims = 0;
  u->dims = NULL;
  if (u->op == LS_OP_VIEW) {
    if (u->arg.kind == LS_ARG_TRACKER && u->arg.tracker) {
      LsShape s = ls_tracker_shape (u->arg.tracker);
      u->n_dims = s.n;
      u->dims = s.dims;
      u->shape_state = SHAPE_OK;
    }
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
  if (cls == LS_CLASS_META || cls == LS_CLASS_DEFINE || cls == LS_CLASS_RANGE || cls == LS_CLASS_CONTROL || cls == LS_CLASS_MEMORY ||
      cls == LS_CLASS_VECTOR || u->op == LS_OP_REDUCE || u->op == LS_OP_PHI || u->op == LS_OP_VCONST)
    return;
  for (guint i = 0; i < u->n_src; i++) {
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
  if (!shape_rule (u, &out, buf, NULL)) {
    u->shape_state = SHAPE_MISUSE;
    return;
  }
  u->shape_state = SHAPE_OK;
  u->n_dims = out.n;
  u->dims = out.dims == buf ? ls_context_intern (ctx, buf, out.n * sizeof *buf) : out.dims;
}

gboolean
ls_uop_get_shape (LsContext *ctx, LsUOp *u, LsShape *shape, GError **error)
{
  if (G_LIKELY (u->shape_state == SHAPE_OK)) {
    *shape = (LsShape) { u->n_dims, u->dims };
    return TRUE;
  }
  if (u->shape_state == SHAPE_NONE) {
    g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "%s has no shape", ls_op_name (u->op));
    return FALSE;
  }
  /* The misuse lies at the first node below that has good sources and is itself bad. */
  for (gboolean deeper = TRUE; deeper;) {
    deeper = FALSE;
    for (guint i = 0; i < u->n_src && !deeper; i++)
      if (u->src[i]->shape_state == SHAPE_MISUSE) {
        u = u->src[i];
        deeper = TRUE;
      }
  }
  LsShape out;
  g_autofree gint64 *buf = g_new (gint64, (u->n_src > 0 ? u->src[0]->n_dims : 0) + u->arg.n + 1);
  return shape_rule (u, &out, buf, error);
}

LsShape
ls_uop_shape (LsContext *ctx, LsUOp *u)
{
  g_assert (u->shape_state == SHAPE_OK);
  return (LsShape) { u->n_dims, u->dims };
}
