/* Builders of ast.rules: movement ops become views, and views go up to the loads and constants. */
#include "schedule.h"

#include "ir/view.h"
#include "rules/builtin.h"

static LsUOp *
view_of (LsContext *ctx, LsUOp *src, const LsTracker *t)
{
  return ls_uop_new1 (ctx, LS_OP_VIEW, src->dtype, src, ls_arg_tracker (ctx, t));
}

static gboolean
merges (gpointer user)
{
  return user == NULL || ((LsAstUser *) user)->merge_views;
}

static LsUOp *
view_movement (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *view = args[0], *move = view->src[0], *x = move->src[0];
  const LsTracker *t = ls_tracker_contiguous (ctx, ls_uop_shape (ctx, x));
  t = ls_tracker_movement (ctx, t, move->op, move->arg, merges (user));
  return view_of (ctx, x, ls_tracker_compose (ctx, t, view->arg.tracker, merges (user)));
}

static LsUOp *
view_alu (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *view = args[0], *alu = view->src[0], *src[4];
  if (alu->n_src > G_N_ELEMENTS (src))
    return NULL;
  for (guint i = 0; i < alu->n_src; i++)
    src[i] = view_of (ctx, alu->src[i], view->arg.tracker);
  return ls_uop_with_src (ctx, alu, alu->n_src, src);
}

static LsUOp *
view_const (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *view = args[0], *c = view->src[0];
  LsUOp *v = ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, view->arg);
  return ls_uop_new1 (ctx, LS_OP_CONST, c->dtype, v, c->arg);
}

static LsUOp *
view_buffer (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *view = args[0], *b = view->src[0];
  LsUOp *global = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (b->dtype, LS_SPACE_GLOBAL, b->arg.ints[1]), ls_arg_int (-b->arg.ints[0]));
  return ls_uop_new2 (ctx, LS_OP_LOAD, b->dtype, global, ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, view->arg), ls_arg_none ());
}

static LsUOp *
view_reduce (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *view = args[0], *reduce = view->src[0];
  /* with MERGE_VIEWS=0 several views may together be the plain one */
  const LsTracker *t = view->arg.tracker;
  if (!ls_tracker_is_contiguous (t))
    t = ls_tracker_compose (ctx, ls_tracker_contiguous (ctx, (LsShape) { t->views[0]->n, t->views[0]->shape }), t, TRUE);
  if (!ls_tracker_is_contiguous (t) || !ls_shape_equal (ls_tracker_shape (view->arg.tracker), ls_uop_shape (ctx, reduce)))
    return NULL;
  LsUOp *x = view_of (ctx, reduce->src[0], ls_tracker_contiguous (ctx, ls_uop_shape (ctx, reduce->src[0])));
  return ls_uop_with_src (ctx, reduce, 1, &x);
}

void
ls_ast_register (void)
{
  ls_builder_register ("view_movement", view_movement);
  ls_builder_register ("view_alu", view_alu);
  ls_builder_register ("view_const", view_const);
  ls_builder_register ("view_buffer", view_buffer);
  ls_builder_register ("view_reduce", view_reduce);
}
