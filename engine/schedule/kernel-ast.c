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
  const LsTracker *view = args[0].view, *t = view;
  LsShape shape;
  if (!ls_uop_get_shape (call->ctx, args[1].node, &shape, NULL))
    return FALSE;
  /* with MERGE_VIEWS=0 several views may together be the plain one */
  if (!ls_tracker_is_contiguous (t))
    t = ls_tracker_compose (call->ctx, ls_tracker_contiguous (call->ctx, (LsShape) { t->views[0]->n, t->views[0]->shape }), t, TRUE);
  out->holds = ls_tracker_is_contiguous (t) && ls_shape_equal (ls_tracker_shape (view), shape);
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
  { "compose", "ast", V (VIEW), 2, { V (VIEW), V (VIEW) }, compose, "What the second view sees through the first." },
  { "movement", NULL, V (VIEW), 1, { V (NODE) }, movement, "A movement op as a view of its source." },
  { "whole", NULL, V (VIEW), 1, { V (NODE) }, whole, "The view that shows a node as it is." },
  { "sees_whole", NULL, V (BOOL), 2, { V (VIEW), V (NODE) }, sees_whole, "Does the view show the node as it is?" },
  { "pointer", NULL, V (DTYPE), 2, { V (NODE), V (NUM) }, pointer, "A pointer to that many elements of the node's dtype, in global memory." },
  { NULL },
};
