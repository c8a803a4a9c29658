/* Builders and guards of tensor.rules. */
#include "builtin.h"

#include "ir/eval.h"

#include <math.h>

static LsUOp *
merge_reshape (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  return ls_uop_new1 (ctx, LS_OP_RESHAPE, args[0]->dtype, args[1], args[0]->arg);
}

static LsUOp *
merge_expand (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  return ls_uop_new1 (ctx, LS_OP_EXPAND, args[0]->dtype, args[1], args[0]->arg);
}

static LsUOp *
merge_permute (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  gint64 order[64];
  const LsArg *outer = &args[0]->arg, *inner = &args[1]->arg;
  if (outer->n > 64 || outer->n != inner->n)
    return NULL;
  for (guint i = 0; i < outer->n; i++)
    order[i] = inner->ints[outer->ints[i]];
  return ls_uop_new1 (ctx, LS_OP_PERMUTE, args[0]->dtype, args[2], ls_arg_ints (ctx, outer->n, order));
}

static LsUOp *
merge_shrink (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  gint64 box[128];
  const LsArg *outer = &args[0]->arg, *inner = &args[1]->arg;
  if (outer->n > 128 || outer->n != inner->n)
    return NULL;
  for (guint i = 0; i < outer->n; i++)
    box[i] = outer->ints[i] + inner->ints[i & ~1u];
  return ls_uop_new1 (ctx, LS_OP_SHRINK, args[0]->dtype, args[2], ls_arg_ints (ctx, outer->n, box));
}

static LsUOp *
merge_flip (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  gint64 axes[64];
  const LsArg *outer = &args[0]->arg, *inner = &args[1]->arg;
  gboolean any = FALSE;
  if (outer->n > 64 || outer->n != inner->n)
    return NULL;
  for (guint i = 0; i < outer->n; i++)
    any |= axes[i] = outer->ints[i] != inner->ints[i];
  return any ? ls_uop_new1 (ctx, LS_OP_FLIP, args[0]->dtype, args[2], ls_arg_ints (ctx, outer->n, axes)) : args[2];
}

static gboolean
same_shape (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsShape a, b;
  return ls_uop_get_shape (ctx, args[0], &a, NULL) && ls_uop_get_shape (ctx, args[1], &b, NULL) && ls_shape_equal (a, b);
}

static gboolean
permutes_nothing (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  for (guint i = 0; i < args[0]->arg.n; i++)
    if (args[0]->arg.ints[i] != i)
      return FALSE;
  return TRUE;
}

/* The constant that fills u's shape, or NULL. */
static LsUOp *
filler (LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE || u->op == LS_OP_EXPAND || u->op == LS_OP_PERMUTE || u->op == LS_OP_SHRINK || u->op == LS_OP_FLIP)
    u = u->src[0];
  return u->op == LS_OP_CONST && u->n_src == 0 ? u : NULL;
}

/* A constant in that shape. */
static LsUOp *
filled (LsContext *ctx, LsUOp *c, LsShape shape)
{
  gint64 ones[64];
  if (shape.n == 0 || shape.n > 64)
    return shape.n == 0 ? c : NULL;
  gboolean all_one = TRUE;
  for (guint i = 0; i < shape.n; i++) {
    ones[i] = 1;
    all_one &= shape.dims[i] == 1;
  }
  LsUOp *r = ls_uop_new1 (ctx, LS_OP_RESHAPE, c->dtype, c, ls_arg_ints (ctx, shape.n, ones));
  return all_one ? r : ls_uop_new1 (ctx, LS_OP_EXPAND, c->dtype, r, ls_arg_ints (ctx, shape.n, shape.dims));
}

static LsUOp *
fold_filled (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0];
  LsScalar v[3], r;
  LsShape shape;
  if (u->n_src > 3 || u->n_src == 0)
    return NULL;
  for (guint i = 0; i < u->n_src; i++) {
    LsUOp *c = filler (u->src[i]);
    if (!c)
      return NULL;
    v[i] = ls_scalar_from_arg (c->dtype, c->arg);
  }
  if (!ls_uop_get_shape (ctx, u, &shape, NULL) || (u->op == LS_OP_BITCAST && ls_dtype_bits (u->dtype) != ls_dtype_bits (u->src[0]->dtype)))
    return NULL;
  LsDType from = u->src[u->n_src - 1]->dtype;
  if (u->op == LS_OP_CAST)
    r = ls_eval_cast (u->dtype, from, v[0]);
  else if (u->op == LS_OP_BITCAST)
    r = ls_eval_bitcast (u->dtype, from, v[0]);
  else
    r = ls_eval_alu (u->op, u->dtype, from, v);
  return filled (ctx, ls_uop_new0 (ctx, LS_OP_CONST, u->dtype, ls_scalar_to_arg (u->dtype, r)), shape);
}

/* x op c = x for the op's neutral element c on the right, or on either side where the op is commutative; for floats only what is exact. */
static LsUOp *
neutral_filled (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0];
  gboolean fp = ls_dtype_is_float (u->dtype);
  for (int side = 1; side >= 0; side--) {
    LsUOp *c = filler (u->src[side]), *x = u->src[!side];
    if (!c || (side == 0 && !ls_op_is_commutative (u->op)) || x->dtype != u->dtype)
      continue;
    double f = c->arg.kind == LS_ARG_FLOAT ? c->arg.f : 0;
    gint64 i = c->arg.kind == LS_ARG_INT ? c->arg.i : 0;
    switch ((int) u->op) {
    case LS_OP_ADD: if (fp ? f == 0 && signbit (f) : i == 0 && !ls_dtype_is_bool (u->dtype)) return x; break;
    case LS_OP_SUB: if (fp ? f == 0 && !signbit (f) : i == 0) return x; break;
    case LS_OP_MUL: if (fp ? f == 1 : i == 1) return x; break;
    case LS_OP_FDIV: if (fp && f == 1) return x; break;
    case LS_OP_FLOORDIV: case LS_OP_IDIV: if (!fp && i == 1) return x; break;
    default: break;
    }
  }
  return NULL;
}

static LsUOp *
reduce_empty (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0];
  LsShape in, out;
  if (!ls_uop_get_shape (ctx, u->src[0], &in, NULL) || !ls_uop_get_shape (ctx, u, &out, NULL) || ls_shape_size (in) != 0 || ls_shape_size (out) == 0)
    return NULL;
  return filled (ctx, ls_uop_new0 (ctx, LS_OP_CONST, u->dtype, ls_scalar_to_arg (u->dtype, ls_eval_identity (u->arg.op, u->dtype))), out);
}

void
ls_tensor_rules_register (void)
{
  ls_builder_register ("merge_reshape", merge_reshape);
  ls_builder_register ("merge_expand", merge_expand);
  ls_builder_register ("merge_permute", merge_permute);
  ls_builder_register ("merge_shrink", merge_shrink);
  ls_builder_register ("merge_flip", merge_flip);
  ls_builder_register ("fold_filled", fold_filled);
  ls_builder_register ("neutral_filled", neutral_filled);
  ls_builder_register ("reduce_empty", reduce_empty);
  ls_guard_register ("same_shape", same_shape);
  ls_guard_register ("permutes_nothing", permutes_nothing);
}
