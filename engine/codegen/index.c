/* The term of index.rules: which integers of a machine index arithmetic is done in. */
#include "codegen.h"

static gboolean
machine (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsIndexContext *pass = call->pass;
  out->dtype = ls_dtype_vec (pass->dtype, ls_dtype_lanes (args[0].node->dtype));
  return TRUE;
}

const LsTerm ls_index_terms[] = {
  { "machine", "index", LS_TERM_DTYPE, 1, { LS_TERM_NODE }, machine, "The integer dtype of the kernel's indices, with as many lanes." },
  { NULL },
};

/* int if every index and all parts of it fit, else long. */
void
ls_index_prepare (LsContext *ctx, LsUOp *root, LsIndexContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  pass->dtype = LS_INT32;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (ls_dtype_base (u->dtype) == LS_BASE_INDEX && (u->vmin < G_MININT32 || u->vmax > G_MAXINT32))
      pass->dtype = LS_INT64;
  }
}
