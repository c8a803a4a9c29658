/* Builders of decompose.rules: floor division in ops that targets have, and index arithmetic in machine integers. */
#include "codegen.h"

#include "ir/eval.h"
#include "rules/builtin.h"

static int
log2_exact (gint64 c)
{
  return c > 0 && (c & (c - 1)) == 0 ? __builtin_ctzll ((guint64) c) : -1;
}

/* An arithmetic shift right rounds down, so it is floor division by a power of two for both signs. */
static LsUOp *
floordiv_shift (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsArg c;
  if (!ls_uop_const_value (args[2], &c) || log2_exact (c.i) < 0)
    return NULL;
  return ls_uop_alu2 (ctx, LS_OP_SHR, args[1], ls_uop_const_i (ctx, args[1]->dtype, log2_exact (c.i)));
}

/* In two's complement the low bits are the remainder of division rounded down. */
static LsUOp *
floormod_mask (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsArg c;
  if (!ls_uop_const_value (args[2], &c) || log2_exact (c.i) < 0)
    return NULL;
  return ls_uop_alu2 (ctx, LS_OP_AND, args[1], ls_uop_const_i (ctx, args[1]->dtype, c.i - 1));
}

/* (x % y != 0) and (x % y < 0) != (y < 0): the plain remainder is not the one of rounding down. */
static LsUOp *
remainder_is_off (LsContext *ctx, LsUOp *rest, LsUOp *y)
{
  LsUOp *zero = ls_uop_const_i (ctx, y->dtype, 0);
  LsUOp *differ = ls_uop_alu2 (ctx, LS_OP_CMPNE, ls_uop_alu2 (ctx, LS_OP_CMPLT, rest, zero), ls_uop_alu2 (ctx, LS_OP_CMPLT, y, zero));
  return ls_uop_alu2 (ctx, LS_OP_AND, ls_uop_alu2 (ctx, LS_OP_CMPNE, rest, zero), differ);
}

static LsUOp *
floordiv_any (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *x = args[0], *y = args[1], *rest = ls_uop_alu2 (ctx, LS_OP_MOD, x, y);
  LsUOp *one = ls_uop_const_i (ctx, x->dtype, 1), *zero = ls_uop_const_i (ctx, x->dtype, 0);
  LsUOp *off = ls_uop_alu3 (ctx, LS_OP_WHERE, remainder_is_off (ctx, rest, y), one, zero);
  return ls_uop_alu2 (ctx, LS_OP_SUB, ls_uop_alu2 (ctx, LS_OP_IDIV, x, y), off);
}

static LsUOp *
floormod_any (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *x = args[0], *y = args[1], *rest = ls_uop_alu2 (ctx, LS_OP_MOD, x, y);
  LsUOp *more = ls_uop_alu3 (ctx, LS_OP_WHERE, remainder_is_off (ctx, rest, y), y, ls_uop_const_i (ctx, x->dtype, 0));
  return ls_uop_alu2 (ctx, LS_OP_ADD, rest, more);
}

static LsUOp *
index_to_int (LsContext *ctx, guint n, LsUOp *const *args, gpointer data)
{
  LsUOp *u = args[0], *src[4];
  LsDType machine = ((LsIndexUser *) data)->index;
  LsDType dtype = ls_dtype_base (u->dtype) == LS_BASE_INDEX ? ls_dtype_vec (machine, ls_dtype_lanes (u->dtype)) : u->dtype;
  if (dtype == u->dtype || u->n_src > G_N_ELEMENTS (src))
    return NULL;
  if (u->op == LS_OP_CONST)
    return ls_uop_const_i (ctx, dtype, u->arg.i);
  if (u->op == LS_OP_CAST && u->src[0]->dtype == dtype)
    return u->src[0];
  return ls_uop_new_tag (ctx, u->op, dtype, u->n_src, u->src, u->arg, u->tag);
}

void
ls_decompose_register (void)
{
  ls_builder_register ("floordiv_shift", floordiv_shift);
  ls_builder_register ("floormod_mask", floormod_mask);
  ls_builder_register ("floordiv_any", floordiv_any);
  ls_builder_register ("floormod_any", floormod_any);
  ls_builder_register ("index_to_int", index_to_int);
}
