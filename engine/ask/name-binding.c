/* The tensor of a name when a statement bound it. */
#include "ask.h"

gboolean
ls_bound_tensor (LsTrace *trace, const LsNameBinding *binding, LsBoundTensor *out)
{
  *out = (LsBoundTensor) { .node = ls_context_node (trace->ctx, binding->node), .base = ls_context_node (trace->ctx, binding->base) };
  if (!out->node || !ls_uop_get_shape (trace->ctx, out->node, &out->shape, NULL))
    return FALSE;
  g_autoptr (GPtrArray) moves = g_ptr_array_new ();
  LsUOp *u = out->node;
  for (; u != out->base && u->n_src > 0 && (ls_op_is_movement (u->op) || u->op == LS_OP_DETACH); u = u->src[0])
    if (u->op != LS_OP_DETACH)
      g_ptr_array_add (moves, u);
  LsShape shape;
  if (u != out->base || !ls_uop_get_shape (trace->ctx, u, &shape, NULL))
    return TRUE;
  g_autoptr (LsContext) scratch = ls_context_new_over (trace->ctx);
  const LsTracker *t = ls_tracker_contiguous (scratch, shape);
  for (guint i = moves->len; i-- > 0;)
    t = ls_tracker_movement (scratch, t, ((LsUOp *) moves->pdata[i])->op, ((LsUOp *) moves->pdata[i])->arg, TRUE);
  out->view = ls_tracker_to_string (t);
  return TRUE;
}
