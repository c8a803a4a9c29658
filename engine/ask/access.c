/* Access: which elements of a buffer a node touches, in order.
 *
 * A view's indices go through its tracker, a chain of movement ops through the tracker that it makes over the tensor below it, and an
 * INDEX (or the LOAD or STORE over one) through its expression, evaluated for each iteration of the ranges in it. Axes can be held at an
 * index. If there are more points than LS_ACCESS_MOST, only every N-th one is used, and the answer has N.
 */
#include "ask.h"

#include "ir/axis.h"
#include "ir/names.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "ir/view.h"

#include <string.h>

#define MOST_AXES  16
#define MOST_LANES 64
#define MOST_TURNS (G_GUINT64_CONSTANT (1) << 60)
#define MOST_WORK  1000000      /* nodes evaluated for one answer */

void
ls_access_free (LsAccess *a)
{
  if (!a)
    return;
  for (guint i = 0; i < a->views->len; i++)
    g_free (g_array_index (a->views, char *, i));
  for (guint i = 0; i < a->axes->len; i++)
    g_free (g_array_index (a->axes, LsAccessAxis, i).name);
  g_array_unref (a->views);
  g_array_unref (a->axes);
  g_array_unref (a->points);
  g_free (a->shape);
  g_free (a->index);
  g_free (a->valid);
  g_free (a);
}

static gboolean
fail (GError **error, const char *text, const char *what)
{
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, text, what);
  return FALSE;
}

static void
append_ints (GString *s, const char *name, guint n, const gint64 *ints)
{
  g_string_append_printf (s, "%s (", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (s, "%s%" G_GINT64_FORMAT, i ? ", " : "", ints[i]);
  g_string_append_c (s, ')');
}

static char *
view_text (const LsView *v)
{
  GString *s = g_string_new (NULL);
  append_ints (s, "shape", v->n, v->shape);
  append_ints (s, " · strides", v->n, v->strides);
  g_string_append_printf (s, " · offset %" G_GINT64_FORMAT, v->offset);
  if (v->mask)
    for (guint i = 0; i < v->n; i++)
      g_string_append_printf (s, "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", i ? " " : " · mask ", v->mask[2 * i],
                              v->mask[2 * i + 1]);
  g_string_append (s, v->contiguous ? " · contiguous" : "");
  return g_string_free (s, FALSE);
}

/* The indices of an iteration: the last axis runs fastest, held axes are fixed. */
static void
go_to_turn (const LsAccess *a, const gint64 *fixed, guint64 turn, gint64 *at)
{
  for (guint k = a->axes->len; k-- > 0;) {
    guint64 size = (guint64) g_array_index (a->axes, LsAccessAxis, k).size;
    if (fixed[k] >= 0)
      continue;
    at[k] = (gint64) (turn % size);
    turn /= size;
  }
}

/* Counts the iterations and chooses how many are skipped; at begins at the first. */
static gboolean
begin (LsAccess *a, const gint64 *fixed, guint most, gint64 *at, GError **error)
{
  a->n_points = 1;
  for (guint k = 0; k < a->axes->len; k++) {
    gint64 size = g_array_index (a->axes, LsAccessAxis, k).size;
    gboolean held = fixed[k] >= 0;
    if (size < 1 || (held && fixed[k] >= size) || (!held && !g_uint64_checked_mul (&a->n_points, a->n_points, (guint64) size)))
      return fail (error, "the axis %s has no such index", g_array_index (a->axes, LsAccessAxis, k).name);
    at[k] = held ? fixed[k] : 0;
  }
  if (a->n_points > MOST_TURNS)
    return fail (error, "%s", "its axes have more iterations than can be counted");
  a->every = MAX ((a->n_points + most - 1) / most, 1);
  /* an even stride would see only some of the last axis */
  if (a->every > 1 && a->axes->len > 0)
    while (g_array_index (a->axes, LsAccessAxis, a->axes->len - 1).size % (gint64) a->every == 0)
      a->every++;
  return TRUE;
}

static void
add_axis (LsAccess *a, char *name, gint64 size)
{
  LsAccessAxis axis = { name, size };
  g_array_append_val (a->axes, axis);
}

/* --- through a tracker --- */

static gboolean
through_tracker (LsContext *ctx, const LsNames *names, LsAccess *a, const LsTracker *t, const gint64 *fixed, GError **error)
{
  LsShape shape = ls_tracker_shape (t);
  LsUOp *axes[MOST_AXES], *index, *valid;
  gint64 at[MOST_AXES];
  if (shape.n > MOST_AXES)
    return fail (error, "%s", "it has more axes than are drawn");
  for (guint v = 0; v < t->n_views; v++) {
    char *text = view_text (t->views[v]);
    g_array_append_val (a->views, text);
  }
  for (guint k = 0; k < shape.n; k++) {
    LsUOp *size = ls_uop_const_i (ctx, LS_INDEX, shape.dims[k]);
    gint64 arg[3] = { k, LS_AXIS_LOOP, 0 };
    axes[k] = ls_uop_new (ctx, LS_OP_RANGE, LS_INDEX, 1, &size, ls_arg_ints (ctx, 3, arg));
    add_axis (a, ls_label_of_loop (names, axes[k]), shape.dims[k]);
  }
  ls_tracker_expr (ctx, t, axes, &index, &valid);
  a->index = ls_expr_print (names, index, 400);
  a->valid = valid ? ls_expr_print (names, valid, 400) : NULL;
  if (!begin (a, fixed, LS_ACCESS_MOST, at, error))
    return FALSE;
  for (guint64 turn = 0; turn < a->n_points; turn += a->every) {
    gint64 element;
    go_to_turn (a, fixed, turn, at);
    if (!ls_tracker_index (t, at, &element))
      element = LS_ACCESS_MASKED;
    g_array_append_val (a->points, element);
  }
  return TRUE;
}

/* --- through an expression --- */

typedef struct { GPtrArray *order; GHashTable *place; LsScalar *values; } Program;

/* The value of every node for one iteration; the order has sources first. */
static void
run (const Program *p, const GPtrArray *ranges, const gint64 *at)
{
  for (guint i = 0; i < p->order->len; i++) {
    LsUOp *u = p->order->pdata[i];
    LsScalar src[3] = { { 0 } };
    for (guint k = 0; k < MIN (u->n_src, 3); k++)
      src[k] = p->values[GPOINTER_TO_UINT (g_hash_table_lookup (p->place, u->src[k]))];
    if (u->op == LS_OP_CONST)
      p->values[i] = ls_scalar_from_arg (u->dtype, u->arg);
    else if (u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL) {
      guint axis;
      p->values[i].i = g_ptr_array_find ((GPtrArray *) ranges, u, &axis) ? at[axis] : 0;
    } else if (u->op == LS_OP_CAST)
      p->values[i] = ls_eval_cast (u->dtype, u->src[0]->dtype, src[0]);
    else if (u->op != LS_OP_VECTORIZE)
      p->values[i] = ls_eval_alu (u->op, u->dtype, u->src[u->n_src - 1]->dtype, src);
  }
}

static gboolean
is_scalar_op (const LsUOp *u)
{
  LsOpClass c = ls_op_info (u->op)->op_class;
  gboolean alu = c >= LS_CLASS_UNARY && c <= LS_CLASS_TERNARY && u->n_src > 0 && u->n_src <= 3 && u->op != LS_OP_BITCAST;
  return ls_dtype_lanes (u->dtype) == 1 && !ls_dtype_is_ptr (u->dtype) && (u->op == LS_OP_CONST || u->op == LS_OP_RANGE ||
                                                                           u->op == LS_OP_SPECIAL || u->op == LS_OP_CAST || alu);
}

/* Outer loops first, in the order of the source. */
static int
by_axis (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  gint64 m = x->op == LS_OP_RANGE && x->arg.kind == LS_ARG_INTS && x->arg.n > 0 ? ls_range_axis (x) : -1;
  gint64 n = y->op == LS_OP_RANGE && y->arg.kind == LS_ARG_INTS && y->arg.n > 0 ? ls_range_axis (y) : -1;
  return m != n ? (m < n ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

static gboolean
through_index (LsContext *ctx, const LsNames *names, LsAccess *a, LsUOp *node, const gint64 *fixed, GError **error)
{
  LsUOp *index = node->src[1], *gate = node->n_src > 2 ? node->src[2] : NULL;
  guint lanes = index->op == LS_OP_VECTORIZE ? index->n_src : 1;
  gint64 at[MOST_AXES];
  g_autoptr (GPtrArray) ranges = g_ptr_array_new ();
  LsUOp *roots[2] = { index, gate };
  Program p = { ls_uop_toposort_many (ctx, roots, gate ? 2 : 1), g_hash_table_new (NULL, NULL), NULL };
  g_autoptr (GPtrArray) order = p.order;
  g_autoptr (GHashTable) place = p.place;
  g_autofree LsScalar *values = p.values = g_new0 (LsScalar, order->len + 1);
  if (lanes > MOST_LANES)
    return fail (error, "%s", "its index has more lanes than are drawn");
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    g_hash_table_insert (place, u, GUINT_TO_POINTER (i));
    if (!is_scalar_op (u) && !(u == index && lanes > 1 && ls_dtype_base (u->dtype) != LS_BASE_BOOL))
      return fail (error, ls_dtype_lanes (u->dtype) > 1 ? "its index contains the vector %s, which devectorize splits later"
                                                        : "its index depends on %s, which has a value only at run time",
                                                        ls_op_name (u->op));
    if (u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL) {
      if (u->src[0]->op != LS_OP_CONST || ranges->len == MOST_AXES)
        return fail (error, "the size of a %s in its index is unknown", ls_op_name (u->op));
      g_ptr_array_add (ranges, u);
    }
  }
  g_ptr_array_sort (ranges, by_axis);
  for (guint k = 0; k < ranges->len; k++)
    add_axis (a, ls_label_of_loop (names, ranges->pdata[k]), ((LsUOp *) ranges->pdata[k])->src[0]->arg.i);
  a->index = ls_expr_print (names, index, 400);
  a->valid = gate ? ls_expr_print (names, gate, 400) : NULL;
  if (!begin (a, fixed, CLAMP (MOST_WORK / order->len, 1, LS_ACCESS_MOST / lanes), at, error))
    return FALSE;
  for (guint64 turn = 0; turn < a->n_points; turn += a->every) {
    go_to_turn (a, fixed, turn, at);
    run (&p, ranges, at);
    gboolean open = !gate || values[GPOINTER_TO_UINT (g_hash_table_lookup (place, gate))].i;
    for (guint l = 0; l < lanes; l++) {
      LsUOp *lane = lanes > 1 ? index->src[l] : index;
      gint64 element = open ? values[GPOINTER_TO_UINT (g_hash_table_lookup (place, lane))].i : LS_ACCESS_MASKED;
      if (element < 0)
        element = LS_ACCESS_MASKED;
      g_array_append_val (a->points, element);
    }
  }
  return TRUE;
}

/* --- both --- */

/* The tracker of a chain of movement ops over the tensor below it; FALSE when a shape does not fit. */
static gboolean
movement_tracker (LsContext *ctx, LsUOp *node, const LsTracker **tracker, LsUOp **base, GError **error)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  LsShape shape;
  LsUOp *u = node;
  for (; ls_op_is_movement (u->op); u = u->src[0]) {
    if (!ls_uop_get_shape (ctx, u, &shape, error))
      return FALSE;
    g_ptr_array_add (chain, u);
  }
  if (!ls_uop_get_shape (ctx, u, &shape, error))
    return FALSE;
  *base = u;
  *tracker = ls_tracker_contiguous (ctx, shape);
  while (chain->len > 0) {
    LsUOp *op = g_ptr_array_steal_index (chain, chain->len - 1);
    *tracker = ls_tracker_movement (ctx, *tracker, op->op, op->arg, TRUE);
  }
  return TRUE;
}

/* The number of elements, and their layout. */
static void
measure (LsContext *ctx, LsAccess *a, LsUOp *base, gint64 at_least)
{
  LsShape shape;
  a->buffer = base->id;
  if (ls_uop_get_shape (ctx, base, &shape, NULL) && ls_shape_size (shape) >= at_least) {
    a->n_elements = (guint64) ls_shape_size (shape);
    a->row_length = shape.n > 0 ? (guint64) shape.dims[shape.n - 1] : 1;
  } else
    a->n_elements = ls_dtype_is_ptr (base->dtype) ? ls_dtype_ptr_size (base->dtype) : (guint64) MAX (at_least, 0);
}

LsAccess *
ls_access (LsContext *of, const LsNames *names, LsUOp *node, const gint64 *fixed, guint n_fixed, GError **error)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (of);
  LsAccess *a = g_new0 (LsAccess, 1);
  gint64 held[MOST_AXES];
  LsShape shape;
  for (guint k = 0; k < MOST_AXES; k++)
    held[k] = fixed && k < n_fixed ? fixed[k] : -1;
  a->node = node->id;
  a->buffer = LS_NO_NODE;
  a->views = g_array_new (FALSE, FALSE, sizeof (char *));
  a->axes = g_array_new (FALSE, FALSE, sizeof (LsAccessAxis));
  a->points = g_array_new (FALSE, FALSE, sizeof (gint64));
  a->shape = ls_uop_get_shape (ctx, node, &shape, NULL) ? ls_shape_to_string (shape) : NULL;
  LsUOp *view = node->op == LS_OP_VIEW ? node : NULL, *index = node->op == LS_OP_INDEX ? node : NULL;
  if (node->op == LS_OP_LOAD || node->op == LS_OP_STORE)
    for (guint k = 0; k < node->n_src; k++) {
      if (!view && node->src[k]->op == LS_OP_VIEW)
        view = node->src[k];
      if (k == 0 && node->src[k]->op == LS_OP_INDEX)
        index = node->src[k];
    }
  gboolean ok;
  if (index) {
    measure (ctx, a, index->src[0], 0);
    ok = through_index (ctx, names, a, index, held, error);
  } else if (view && view->arg.kind == LS_ARG_TRACKER) {
    LsUOp *base = view->n_src > 0 ? view->src[0] : node->n_src > 0 ? node->src[0] : view;
    if (base != view)
      measure (ctx, a, base, ls_tracker_real_size (view->arg.tracker));
    ok = through_tracker (ctx, names, a, view->arg.tracker, held, error);
  } else if (ls_op_is_movement (node->op)) {
    const LsTracker *t = NULL;
    LsUOp *base = NULL;
    ok = movement_tracker (ctx, node, &t, &base, error);
    if (ok) {
      measure (ctx, a, base, 0);
      ok = through_tracker (ctx, names, a, t, held, error);
    }
  } else
    ok = fail (error, "%s touches no elements through a view or an index", ls_op_name (node->op));
  if (ok) {
    gint64 most = -1;
    for (guint i = 0; i < a->points->len; i++)
      most = MAX (most, g_array_index (a->points, gint64, i));
    a->n_elements = MAX (a->n_elements, (guint64) (most + 1));      /* an index past the end is drawn, not hidden */
    return a;
  }
  ls_access_free (a);
  return NULL;
}
