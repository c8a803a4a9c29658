/* The value of a name when a statement bound it. */
#include "ask.h"
#include "ir/print.h"
#include "ir/short.h"

#define LONGEST_EXPR 200      /* characters */

gboolean
ls_bound_name (LsTrace *trace, const LsNameBinding *binding, LsBoundName *out)
{
  *out = (LsBoundName) { .node = ls_context_node (trace->ctx, binding->node), .base = ls_context_node (trace->ctx, binding->base) };
  if (!out->node)
    return FALSE;
  gboolean shaped = ls_uop_get_shape (trace->ctx, out->node, &out->shape, NULL);
  if (!shaped || (!out->base && out->shape.n == 0)) {      /* index arithmetic has the shape of a scalar */
    g_autofree char *expr = ls_expr_bare (NULL, out->node, LONGEST_EXPR);
    GString *text = g_string_new (out->node->tag ? "," : NULL);
    ls_short_tag (text, out->node, TRUE);
    g_string_prepend (text, expr);
    out->expr = g_string_free (text, FALSE);
    return TRUE;
  }
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
  out->short_view = ls_tracker_summary (t);
  return TRUE;
}

void
ls_bound_name_clear (LsBoundName *name)
{
  g_clear_pointer (&name->view, g_free);
  g_clear_pointer (&name->short_view, g_free);
  g_clear_pointer (&name->expr, g_free);
}
