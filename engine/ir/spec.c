/* Specs: which ops may stand in a graph after each stage, and what each op demands of its sources.
 *
 * A stage's spec is the set of ops that must be gone after it (pipeline.def). What an op demands (arity, dtypes, argument) holds at every stage.
 */
#include "spec.h"
#include "context-private.h"

#include <string.h>

static const char *
breach (const LsUOp *u)
{
  const LsOpInfo *info = ls_op_info (u->op);
  gboolean laneless = u->op == LS_OP_UNROLL;
  if (info->arity >= 0 && (int) u->n_src != info->arity)
    return "it has a wrong number of sources";
  switch ((int) u->op) {
  case LS_OP_CONST:
    if (ls_dtype_is_float (u->dtype) ? u->arg.kind != LS_ARG_FLOAT : u->arg.kind != LS_ARG_INT)
      return "its argument does not fit its dtype";
    break;
  case LS_OP_CMPLT: case LS_OP_CMPEQ: case LS_OP_CMPNE:
    if (!ls_dtype_is_bool (u->dtype))
      return "a comparison gives bool";
    if (u->src[0]->dtype != u->src[1]->dtype && ls_dtype_base (u->src[0]->dtype) != LS_BASE_INDEX && ls_dtype_base (u->src[1]->dtype) != LS_BASE_INDEX)
      return "its sources have different dtypes";
    break;
  case LS_OP_WHERE:
    if (!ls_dtype_is_bool (u->src[0]->dtype))
      return "its condition is not bool";
    if (ls_dtype_base (u->dtype) != LS_BASE_INDEX && (u->src[1]->dtype != u->dtype || u->src[2]->dtype != u->dtype))
      return "its choices have another dtype";
    break;
  case LS_OP_CAST: case LS_OP_BITCAST: break;
  case LS_OP_INDEX:
    if (u->n_src < 2 || u->n_src > 3 || !ls_dtype_is_ptr (u->src[0]->dtype))
      return "it needs a pointer, an index and perhaps a gate";
    if (!ls_dtype_is_int (u->src[1]->dtype) || (u->n_src == 3 && !ls_dtype_is_bool (u->src[2]->dtype)))
      return "an index is an integer and a gate is bool";
    break;
  case LS_OP_LOAD:
    if (u->n_src == 0 || (u->src[0]->op == LS_OP_INDEX && (u->src[0]->n_src == 3) != (u->n_src == 2)))
      return "a load has an alternative exactly when its index has a gate";
    break;
  case LS_OP_RANGE:
    if (u->arg.kind != LS_ARG_INTS || u->arg.n < 2)
      return "its argument must be an axis and a type";
    break;
  default:
    /* an index op stands over machine integers until the pass that makes them reaches it */
    if (ls_dtype_base (u->dtype) == LS_BASE_INDEX && info->op_class >= LS_CLASS_UNARY) {
      for (guint i = 0; i < u->n_src; i++)
        if (!ls_dtype_is_int (u->src[i]->dtype) && !ls_dtype_is_bool (u->src[i]->dtype))
          return "its sources are no integers";
      break;
    }
    if (info->op_class == LS_CLASS_BINARY && (u->src[0]->dtype != u->dtype || u->src[1]->dtype != u->dtype))
      return "its sources have another dtype";
    if (info->op_class == LS_CLASS_UNARY && u->src[0]->dtype != u->dtype && !laneless)
      return "its source has another dtype";
    break;
  }
  return NULL;
}

gboolean
ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, const guint64 *gone, GError **error)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    const char *what = breach (u);
    if (!what && gone && gone[u->op >> 6] >> (u->op & 63) & 1)
      what = "this op must be gone after the stage";
    if (what) {
      g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "spec of %s: node %u (%s): %s", *stage ? stage : "every stage", u->id, ls_op_name (u->op), what);
      return FALSE;
    }
  }
  return TRUE;
}

void
ls_context_check_nodes (LsContext *ctx, gboolean check)
{
  ctx->checks = check;
}

gboolean ls_context_is_checked (LsContext *ctx) { return ctx->checks; }

char *
ls_context_take_breach (LsContext *ctx)
{
  return g_steal_pointer (&ctx->breach);
}

void
ls_uop_check_new (LsContext *ctx, const LsUOp *u)
{
  const char *what = ctx->breach ? NULL : breach (u);
  if (what)
    ctx->breach = g_strdup_printf ("node %u (%s): %s", u->id, ls_op_name (u->op), what);
}
