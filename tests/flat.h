/* A graph of one variable as a list of steps, which is evaluated fast: for tests that try many values. */
#pragma once
#include "ir/eval.h"
#include "ir/uop.h"

#define FLAT_NODES 160
typedef struct { guint n; LsUOp *nodes[FLAT_NODES], *x; gint src[FLAT_NODES][3]; LsScalar constants[FLAT_NODES]; } Flat;

/* The element 0 of a buffer. */
static inline LsUOp *
flat_variable (LsContext *ctx, LsDType dtype)
{
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (dtype, LS_SPACE_GLOBAL, 1), ls_arg_int (0));
  return ls_uop_new1 (ctx, LS_OP_LOAD, dtype, ls_uop_new2 (ctx, LS_OP_INDEX, x->dtype, x, ls_uop_const_i (ctx, LS_INDEX, 0),
                                                           ls_arg_none ()), ls_arg_none ());
}

static inline void
flatten (LsContext *ctx, LsUOp *root, LsUOp *x, Flat *f)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  f->n = 0;
  f->x = x;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u != x && u->op != LS_OP_CONST && ls_op_info (u->op)->op_class < LS_CLASS_UNARY)
      continue;
    g_assert_cmpuint (f->n, <, FLAT_NODES);
    for (guint s = 0; u != x && s < u->n_src; s++)
      for (guint k = 0; k < f->n; k++)
        if (f->nodes[k] == u->src[s])
          f->src[f->n][s] = (gint) k;
    if (u->op == LS_OP_CONST)
      f->constants[f->n] = ls_scalar_from_arg (u->dtype, u->arg);
    f->nodes[f->n++] = u;
  }
}

static inline LsScalar
flat_value (const Flat *f, LsScalar x)
{
  LsScalar v[FLAT_NODES], s[3];
  for (guint i = 0; i < f->n; i++) {
    const LsUOp *u = f->nodes[i];
    if (u == f->x || u->op == LS_OP_CONST) {
      v[i] = u == f->x ? x : f->constants[i];
      continue;
    }
    for (guint k = 0; k < u->n_src; k++)
      s[k] = v[f->src[i][k]];
    v[i] = ls_eval_alu (u->op, u->dtype, u->src[u->n_src - 1]->dtype, s);
  }
  return v[f->n - 1];
}
