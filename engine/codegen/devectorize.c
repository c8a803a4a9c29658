/* Builders of devectorize.rules: vectors cut to scalars, one node a lane. */
#include "codegen.h"

#include "ir/eval.h"
#include "rules/builtin.h"

#define MAX_LANES 1024

/* Lane i of x: through VECTORIZE and constants at once. */
static LsUOp *
lane (LsContext *ctx, LsUOp *x, gint64 i)
{
  if (ls_dtype_lanes (x->dtype) <= 1)
    return x;
  if (x->op == LS_OP_VECTORIZE)
    return x->src[i];
  if (x->op == LS_OP_VCONST)
    return ls_uop_const_i (ctx, ls_dtype_scalar (x->dtype), x->arg.ints[i]);
  return ls_uop_new1 (ctx, LS_OP_GEP, ls_dtype_vec (x->dtype, 1), x, ls_arg_ints (ctx, 1, &i));
}

static LsUOp *
gep_vectorize (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *g = args[0], *v = g->src[0], *src[MAX_LANES];
  if (g->arg.n > MAX_LANES)
    return NULL;
  for (guint i = 0; i < g->arg.n; i++) {
    if (g->arg.ints[i] < 0 || g->arg.ints[i] >= v->n_src)
      return NULL;
    src[i] = v->src[g->arg.ints[i]];
  }
  return g->arg.n == 1 ? src[0] : ls_uop_new (ctx, LS_OP_VECTORIZE, g->dtype, g->arg.n, src, ls_arg_none ());
}

static LsUOp *
split_vconst (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *v = args[0], *src[MAX_LANES];
  guint lanes = ls_dtype_lanes (v->dtype);
  if (lanes > MAX_LANES)
    return NULL;
  for (guint i = 0; i < lanes; i++)
    src[i] = lane (ctx, v, i);
  return ls_uop_new (ctx, LS_OP_VECTORIZE, v->dtype, lanes, src, ls_arg_none ());
}

/* The same op on each lane. Sources that are ranges or buffers go to every lane. */
static LsUOp *
split_lanes (LsContext *ctx, guint n_args, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0], *out[MAX_LANES], *src[LS_MAX_AXES + 2];
  guint lanes = ls_dtype_lanes (u->dtype);
  if (lanes <= 1 || lanes > MAX_LANES || u->n_src > G_N_ELEMENTS (src))
    return NULL;
  for (guint i = 0; i < lanes; i++) {
    for (guint k = 0; k < u->n_src; k++)
      src[k] = lane (ctx, u->src[k], i);
    out[i] = ls_uop_new_tag (ctx, u->op, ls_dtype_vec (u->dtype, 1), u->n_src, src, u->arg, u->tag);
  }
  return ls_uop_new (ctx, LS_OP_VECTORIZE, u->dtype, lanes, out, ls_arg_none ());
}

static LsUOp *
split_store (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0], *out[MAX_LANES];
  guint lanes = u->src[0]->n_src;
  if (lanes > MAX_LANES)
    return NULL;
  for (guint i = 0; i < lanes; i++)
    out[i] = ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, u->src[0]->src[i], lane (ctx, u->src[1], i), u->arg);
  return ls_uop_new (ctx, LS_OP_SINK, LS_VOID, lanes, out, ls_arg_none ());
}

static LsUOp *
split_acc (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0], *out[MAX_LANES], *src[LS_MAX_AXES + 1];
  guint lanes = ls_dtype_lanes (u->dtype);
  if (lanes > MAX_LANES || u->n_src > G_N_ELEMENTS (src))
    return NULL;
  for (guint k = 1; k < u->n_src; k++)
    src[k] = u->src[k];
  for (guint i = 0; i < lanes; i++) {
    src[0] = lane (ctx, u->src[0], i);
    out[i] = ls_uop_new (ctx, LS_OP_DEFINE_ACC, ls_dtype_scalar (u->dtype), u->n_src, src, ls_arg_int (u->arg.i * MAX_LANES + i));
  }
  return ls_uop_new (ctx, LS_OP_VECTORIZE, u->dtype, lanes, out, ls_arg_none ());
}

static LsUOp *
flat_sink (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0];
  gboolean nested = FALSE;
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  for (guint i = 0; i < u->n_src; i++)
    if (u->src[i]->op == LS_OP_SINK) {
      nested = TRUE;
      for (guint k = 0; k < u->src[i]->n_src; k++)
        g_ptr_array_add (src, u->src[i]->src[k]);
    } else {
      g_ptr_array_add (src, u->src[i]);
    }
  return nested ? ls_uop_new (ctx, LS_OP_SINK, LS_VOID, src->len, (LsUOp **) src->pdata, u->arg) : NULL;
}

void
ls_devectorize_register (void)
{
  ls_builder_register ("gep_vectorize", gep_vectorize);
  ls_builder_register ("split_vconst", split_vconst);
  ls_builder_register ("split_lanes", split_lanes);
  ls_builder_register ("split_store", split_store);
  ls_builder_register ("split_acc", split_acc);
  ls_builder_register ("flat_sink", flat_sink);
}
