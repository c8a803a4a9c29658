/* Specs: which ops may stand in a graph after each stage, and what each op demands of its sources.
 *
 * A stage's spec is the set of ops that it may leave behind. What an op demands (arity, dtypes, argument) holds at every stage.
 */
#include "spec.h"
#include "context-private.h"

#include <string.h>

/* Ops that must be gone after a stage, and stay gone. */
static const struct { const char *stage; LsOp gone[16]; guint n; } specs[] = {
  { "ast", { LS_OP_RESHAPE, LS_OP_PERMUTE, LS_OP_EXPAND, LS_OP_PAD, LS_OP_SHRINK, LS_OP_FLIP, LS_OP_BUFFER, LS_OP_COPY, LS_OP_CONTIGUOUS }, 9 },
  { "lower", { LS_OP_VIEW, LS_OP_REDUCE_AXIS }, 2 },
  { "simplify", { LS_OP_VIEW }, 1 },
  { "options", { LS_OP_VIEW }, 1 },
  { "expand", { LS_OP_UNROLL }, 1 },
  { "accumulate", { LS_OP_REDUCE, LS_OP_UNROLL }, 2 },
  { "dims", { LS_OP_REDUCE, LS_OP_UNROLL }, 2 },
  { "devectorize", { LS_OP_REDUCE, LS_OP_UNROLL, LS_OP_VCONST, LS_OP_GEP, LS_OP_VECTORIZE }, 5 },
  { "decompose", { LS_OP_REDUCE, LS_OP_UNROLL, LS_OP_VCONST, LS_OP_FLOORDIV, LS_OP_FLOORMOD, LS_OP_VIEW }, 6 },
};

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
ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, GError **error)
{
  guint s = 0;
  while (s < G_N_ELEMENTS (specs) && strcmp (specs[s].stage, stage) != 0)
    s++;
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    const char *what = breach (u);
    for (guint k = 0; !what && s < G_N_ELEMENTS (specs) && k < specs[s].n; k++)
      if (u->op == specs[s].gone[k])
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
