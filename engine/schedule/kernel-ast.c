/* Terms of ast.rules: movement ops as views, and views put together. */
#include "schedule.h"

#include "ir/view.h"

static gboolean
compose (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsAstContext *pass = call->pass;
  out->view = ls_tracker_compose (call->ctx, args[0].view, args[1].view, pass->merge_views);
  return TRUE;
}

/* All elements along the axis, which comes first, in the shape of the slice: and that seen through the view. */
static gboolean
through (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsAstContext *pass = call->pass;
  LsUOp *at = args[0].node;
  LsShape shape, taken;
  gint64 order[64], dims[64];
  if (at->op != LS_OP_AT || !ls_uop_get_shape (call->ctx, at->src[0], &shape, NULL) || !ls_uop_get_shape (call->ctx, at, &taken, NULL) ||
      ls_tracker_shape (args[1].view).n >= 63 ||
      shape.n >= 63)
    return FALSE;
  gint64 axis = at->arg.ints[0];
  for (guint i = 0; i < shape.n; i++) {
    order[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
    dims[i + 1] = taken.dims[i];
  }
  dims[0] = shape.dims[axis];
  const LsTracker *all = ls_tracker_contiguous (call->ctx, ls_shape_of_memory (shape));
  all = ls_tracker_movement (call->ctx, all, LS_OP_PERMUTE, ls_arg_ints (call->ctx, shape.n, order), TRUE);
  all = ls_tracker_movement (call->ctx, all, LS_OP_RESHAPE, ls_arg_ints (call->ctx, shape.n + 1, dims), TRUE);
  out->view = ls_tracker_compose (call->ctx, all, ls_tracker_repeat (call->ctx, args[1].view, dims[0],
                                                                     ls_shape_size (ls_shape_of_memory (taken))), pass->merge_views);
  return TRUE;
}

/* One movement of a contiguous tensor is always one view. */
static gboolean
movement (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *move = args[0].node;
  LsShape shape;
  if (!ls_op_is_movement (move->op) || !ls_uop_has_shape (move) || !ls_uop_get_shape (call->ctx, move->src[0], &shape, NULL))
    return FALSE;
  out->view = ls_tracker_movement (call->ctx, ls_tracker_contiguous (call->ctx, shape), move->op, move->arg, TRUE);
  return TRUE;
}

static gboolean
whole (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  if (!ls_uop_get_shape (call->ctx, args[0].node, &shape, NULL))
    return FALSE;
  out->view = ls_tracker_contiguous (call->ctx, shape);
  return TRUE;
}

static gboolean
sees_whole (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsTracker *view = args[0].view;
  LsShape shape;
  if (!ls_uop_get_shape (call->ctx, args[1].node, &shape, NULL))
    return FALSE;
  out->holds = ls_tracker_shows_whole (call->ctx, view) && ls_shape_equal (ls_tracker_shape (view), ls_shape_of_memory (shape));
  return TRUE;
}

/* The view as one, also where MERGE_VIEWS=0 left it as several; or as it is. */
static const LsTracker *
as_one (LsContext *ctx, const LsTracker *t)
{
  const LsView *first = t->views[0];
  return t->n_views == 1 ? t : ls_tracker_compose (ctx, ls_tracker_contiguous (ctx, (LsShape) { first->n, first->shape }), t, TRUE);
}

/* The view is one, has the rank of the reduce, no mask, and the reduced axes are not among its own elements: they are the reduce's. */
static gboolean
has_own_axes (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsTracker *t = as_one (call->ctx, args[0].view);
  const LsUOp *r = args[1].node;
  LsShape shape, below;
  if (r->op != LS_OP_REDUCE_AXIS || !ls_uop_get_shape (call->ctx, args[1].node, &shape, NULL) ||
      !ls_uop_get_shape (call->ctx, r->src[0], &below, NULL))
    return FALSE;
  const LsView *v = t->views[t->n_views - 1];
  out->holds = t->n_views == 1 && !v->mask && v->n == shape.n;
  for (guint i = 0; i < r->arg.n && out->holds; i++) {      /* and the last ones with more than one element */
    gint64 axis = r->arg.ints[i];
    out->holds = axis >= 0 && axis < v->n && v->shape[axis] == 1;
    for (gint64 k = axis + 1; k < shape.n && out->holds; k++)
      out->holds = shape.dims[k] == 1;
  }
  return TRUE;
}

/* The elements of the reduce lie in order before those of the reduced axes: each of the view's is so many of the source. */
static gboolean
along_own (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsTermValue holds = { 0 };
  LsUOp *r = args[1].node;
  LsShape below;
  gint64 dims[LS_MAX_DIMS], strides[LS_MAX_DIMS], size = 1;
  if (!has_own_axes (call, args, &holds) || !holds.holds || !ls_uop_get_shape (call->ctx, r->src[0], &below, NULL) ||
      below.n > LS_MAX_DIMS)
    return FALSE;
  const LsView *v = as_one (call->ctx, args[0].view)->views[0];
  for (guint i = 0; i < r->arg.n; i++)
    size *= below.dims[r->arg.ints[i]];
  for (guint k = 0; k < v->n; k++) {
    dims[k] = v->shape[k];
    strides[k] = v->strides[k] * size;
  }
  gint64 step = size;
  for (guint i = 0; i < r->arg.n; i++) {      /* ascending */
    gint64 axis = r->arg.ints[i];
    dims[axis] = below.dims[axis];
    step /= MAX (dims[axis], 1);
    strides[axis] = dims[axis] == 1 ? 0 : step;
  }
  const LsView *made = ls_view_new (call->ctx, v->n, dims, strides, v->offset * size, NULL);
  out->view = ls_tracker_new (call->ctx, 1, &made);
  return TRUE;
}

static gboolean
pointer (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->dtype = ls_dtype_ptr (args[0].node->dtype, LS_SPACE_GLOBAL, (guint64) args[1].num);
  return args[1].num >= 0 && !ls_dtype_is_ptr (args[0].node->dtype);
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_ast_terms[] = {
  { "compose", "ast", V (VIEW), 2, { V (VIEW), V (VIEW) }, compose, "The composition of two views: the second applied to the first." },
  { "through", "ast", V (VIEW), 2, { V (NODE), V (VIEW) }, through,
    "The view of an AT's source with the indexed axis as its first axis." },
  { "movement", NULL, V (VIEW), 1, { V (NODE) }, movement, "A movement op as a view of its source." },
  { "whole", NULL, V (VIEW), 1, { V (NODE) }, whole, "The view of a node in its own shape, row-major." },
  { "sees_whole", NULL, V (BOOL), 2, { V (VIEW), V (NODE) }, sees_whole, "Is the view the node's own shape, row-major?" },
  { "has_own_axes", NULL, V (BOOL), 2, { V (VIEW), V (NODE) }, has_own_axes,
    "Is the view one without mask, with one element along each of the reduce's axes, which are the last ones?" },
  { "along_own", NULL, V (VIEW), 2, { V (VIEW), V (NODE) }, along_own,
    "The view of a reduce's source: as the view of the reduce, and all along the reduced axes." },
  { "pointer", NULL, V (DTYPE), 2, { V (NODE), V (NUM) }, pointer,
    "A pointer to that many elements of the node's dtype, in global memory." },
  { NULL },
};
