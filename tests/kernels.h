/* Kernel graphs made by hand, in the form linearize takes, for the tests of codegen and render. */
#pragma once
#include "codegen/linearize.h"
#include "ir/print.h"
#include "ir/uop.h"
#include "render/render.h"

static inline LsUOp *
k_global (LsContext *ctx, int number, LsDType d, guint64 size)
{
  return ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (d, LS_SPACE_GLOBAL, size), ls_arg_int (number));
}

static inline LsUOp *k_int (LsContext *ctx, gint64 i) { return ls_uop_const_i (ctx, LS_INT32, i); }

static inline LsUOp *
k_range (LsContext *ctx, gint64 axis, gint64 type, gint64 size)
{
  gint64 ints[2] = { axis, type };
  return ls_uop_new1 (ctx, LS_OP_RANGE, LS_INT32, k_int (ctx, size), ls_arg_ints (ctx, 2, ints));
}

static inline LsUOp *
k_special (LsContext *ctx, const char *name, gint64 size)
{
  return ls_uop_new1 (ctx, LS_OP_SPECIAL, LS_INT32, k_int (ctx, size), ls_arg_str (ctx, name));
}

static inline LsUOp *k_index (LsContext *ctx, LsUOp *b, LsUOp *i) { return ls_uop_new2 (ctx, LS_OP_INDEX, b->dtype, b, i, ls_arg_none ()); }

static inline LsUOp *
k_load (LsContext *ctx, LsUOp *b, LsUOp *i)
{
  return ls_uop_new1 (ctx, LS_OP_LOAD, ls_dtype_deref (b->dtype), k_index (ctx, b, i), ls_arg_none ());
}

static inline LsUOp *
k_load_gated (LsContext *ctx, LsUOp *b, LsUOp *i, LsUOp *gate, LsUOp *other)
{
  LsUOp *index = ls_uop_new3 (ctx, LS_OP_INDEX, b->dtype, b, i, gate, ls_arg_none ());
  return ls_uop_new2 (ctx, LS_OP_LOAD, ls_dtype_deref (b->dtype), index, other, ls_arg_none ());
}

static inline LsUOp *
k_store (LsContext *ctx, LsUOp *b, LsUOp *i, LsUOp *value)
{
  return ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, k_index (ctx, b, i), value, ls_arg_none ());
}

static inline LsUOp *k_sink (LsContext *ctx, guint n, LsUOp *const *stores) { return ls_uop_new (ctx, LS_OP_SINK, LS_VOID, n, stores,
                                                                                                 ls_arg_none ()); }
static inline LsUOp *k_add (LsContext *ctx, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (ctx, LS_OP_ADD, a, b); }
static inline LsUOp *k_mul (LsContext *ctx, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (ctx, LS_OP_MUL, a, b); }

static inline LsUOp *
k_acc (LsContext *ctx, int number, LsUOp *init, LsUOp *range)
{
  return ls_uop_new2 (ctx, LS_OP_DEFINE_ACC, init->dtype, init, range, ls_arg_int (number));
}

static inline LsUOp *k_phi (LsContext *ctx, LsUOp *acc, LsUOp *next, LsUOp *range) {
  return ls_uop_new3 (ctx, LS_OP_PHI, acc->dtype, acc, next, range, ls_arg_none ()); }
