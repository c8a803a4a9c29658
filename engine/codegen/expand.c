/* Builders of expand.rules, accumulate.rules and dims.rules: UPCAST and UNROLL ranges become lanes, reduces become accumulators.
 *
 * UNROLL(x; axis:size, …) says that x's lanes are the values of an expression along the named axes, the last axis running fastest. An operation on such values is done on vectors whose axes are the union of its sources' axes: a source that lacks an axis repeats
 * its lanes along it. An axis is named by a number made of the range's axis and type.
 */
#include "codegen.h"

#include "ir/eval.h"
#include "rules/builtin.h"

#include <string.h>

#define MAX_LANES 1024

typedef struct { guint n; gint64 axis[16], size[16]; } Axes;

static gboolean
axes_of (const LsUOp *u, Axes *a)
{
  a->n = u->arg.n / 2;
  if (a->n > G_N_ELEMENTS (a->axis))
    return FALSE;
  for (guint i = 0; i < a->n; i++) {
    a->axis[i] = u->arg.ints[2 * i];
    a->size[i] = u->arg.ints[2 * i + 1];
  }
  return TRUE;
}

static LsArg
axes_arg (LsContext *ctx, const Axes *a)
{
  gint64 ints[32];
  for (guint i = 0; i < a->n; i++) {
    ints[2 * i] = a->axis[i];
    ints[2 * i + 1] = a->size[i];
  }
  return ls_arg_ints (ctx, 2 * a->n, ints);
}

static gint64
axes_lanes (const Axes *a)
{
  gint64 n = 1;
  for (guint i = 0; i < a->n; i++)
    n *= a->size[i];
  return n;
}

/* Axes are kept in ascending order. */
static gboolean
axes_add (Axes *a, gint64 axis, gint64 size)
{
  guint i = 0;
  while (i < a->n && a->axis[i] < axis)
    i++;
  if (i < a->n && a->axis[i] == axis)
    return TRUE;
  if (a->n == G_N_ELEMENTS (a->axis))
    return FALSE;
  for (guint k = a->n++; k > i; k--) {
    a->axis[k] = a->axis[k - 1];
    a->size[k] = a->size[k - 1];
  }
  a->axis[i] = axis;
  a->size[i] = size;
  return TRUE;
}

static LsUOp *
gep (LsContext *ctx, LsUOp *x, guint n, const gint64 *lanes)
{
  gboolean all = n == ls_dtype_lanes (x->dtype);
  for (guint i = 0; i < n && all; i++)
    all = lanes[i] == i;
  return all ? x : ls_uop_new1 (ctx, LS_OP_GEP, ls_dtype_vec (x->dtype, n), x, ls_arg_ints (ctx, n, lanes));
}

/* x, whose lanes run over from (times inner lanes of its own), with lanes that run over to. */
static LsUOp *
spread (LsContext *ctx, LsUOp *x, const Axes *from, const Axes *to)
{
  guint n = (guint) axes_lanes (to);
  gint64 lanes[MAX_LANES];
  if (from->n == 0 && ls_dtype_lanes (x->dtype) == 1) {
    LsUOp *src[MAX_LANES];
    for (guint i = 0; i < n; i++)
      src[i] = x;
    return n == 1 ? x : ls_uop_new (ctx, LS_OP_VECTORIZE, ls_dtype_vec (x->dtype, n), n, src, ls_arg_none ());
  }
  for (guint i = 0; i < n; i++) {
    gint64 rest = i, at = 0, step = 1, index[16];
    for (guint k = to->n; k-- > 0;) {
      index[k] = rest % to->size[k];
      rest /= to->size[k];
    }
    for (guint k = from->n; k-- > 0;) {
      for (guint m = 0; m < to->n; m++)
        if (to->axis[m] == from->axis[k])
          at += index[m] * step;
      step *= from->size[k];
    }
    lanes[i] = at;
  }
  return gep (ctx, x, n, lanes);
}

static LsUOp *
expand_range (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *r = args[0];
  LsAxisType type = ls_range_type (r);
  gint64 size = ls_range_size (r), values[MAX_LANES];
  if ((type != LS_AXIS_UPCAST && type != LS_AXIS_UNROLL) || size > MAX_LANES)
    return NULL;
  for (gint64 i = 0; i < size; i++)
    values[i] = i;
  LsUOp *v = ls_uop_new0 (ctx, LS_OP_VCONST, ls_dtype_vec (r->dtype, (guint) size), ls_arg_ints (ctx, (guint) size, values));
  gint64 arg[2] = { ls_range_axis (r) * LS_N_AXIS + type, size };
  return ls_uop_new1 (ctx, LS_OP_UNROLL, r->dtype, v, ls_arg_ints (ctx, 2, arg));
}

static LsUOp *
expand_op (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0], *src[8];
  Axes all = { 0 }, own;
  if (u->n_src > G_N_ELEMENTS (src))
    return NULL;
  for (guint i = 0; i < u->n_src; i++)
    if (u->src[i]->op == LS_OP_UNROLL) {
      if (!axes_of (u->src[i], &own))
        return NULL;
      for (guint k = 0; k < own.n; k++)
        if (!axes_add (&all, own.axis[k], own.size[k]))
          return NULL;
    }
  if (all.n == 0 || axes_lanes (&all) > MAX_LANES)
    return NULL;
  guint lanes = (guint) axes_lanes (&all);
  for (guint i = 0; i < u->n_src; i++) {
    LsUOp *s = u->src[i];
    own.n = 0;
    if (s->op == LS_OP_UNROLL) {
      axes_of (s, &own);
      s = s->src[0];
    }
    src[i] = u->op == LS_OP_INDEX && i == 0 ? s : spread (ctx, s, &own, &all);
  }
  LsDType dtype = u->dtype == LS_VOID ? u->dtype : ls_dtype_vec (u->dtype, lanes);
  LsUOp *wide = ls_uop_new_tag (ctx, u->op, dtype, u->n_src, src, u->arg, u->tag);
  return u->dtype == LS_VOID ? wide : ls_uop_new1 (ctx, LS_OP_UNROLL, u->dtype, wide, axes_arg (ctx, &all));
}

/* REDUCE(x, ranges…) where some ranges are expanded: their lanes are collected into x; lanes of the other axes stay lanes of the result. */
static LsUOp *
expand_reduce (LsContext *ctx, guint n_args, LsUOp *const *args, gpointer user)
{
  LsUOp *u = args[0], *src[LS_MAX_AXES + 1], *x = u->src[0];
  Axes gone = { 0 }, have = { 0 }, rest = { 0 };
  guint n = 1;
  for (guint i = 1; i < u->n_src; i++)
    if (u->src[i]->op == LS_OP_UNROLL)
      axes_add (&gone, u->src[i]->arg.ints[0], u->src[i]->arg.ints[1]);
    else if (n <= LS_MAX_AXES)
      src[n++] = u->src[i];
  if (gone.n == 0 && x->op != LS_OP_UNROLL)
    return NULL;
  if (x->op == LS_OP_UNROLL) {
    axes_of (x, &have);
    x = x->src[0];
  }
  for (guint i = 0; i < have.n; i++) {
    gboolean drop = FALSE;
    for (guint k = 0; k < gone.n; k++)
      drop |= gone.axis[k] == have.axis[i];
    if (!drop)
      axes_add (&rest, have.axis[i], have.size[i]);
  }
  /* lanes in the order: reduced axes outside, kept axes inside */
  Axes order = gone;
  for (guint i = 0; i < rest.n; i++) {
    order.axis[order.n] = rest.axis[i];
    order.size[order.n++] = rest.size[i];
  }
  guint keep = (guint) axes_lanes (&rest);
  src[0] = order.n == 0 ? x : spread (ctx, x, &have, &order);
  LsUOp *r = ls_uop_new (ctx, LS_OP_REDUCE, ls_dtype_vec (u->dtype, keep), n, src, u->arg);
  return rest.n == 0 ? r : ls_uop_new1 (ctx, LS_OP_UNROLL, u->dtype, r, axes_arg (ctx, &rest));
}

/* The lanes of a wide value added up to a narrow one, lane i of it from lanes i, i+narrow, …; then the register. */
static LsUOp *
reduce_to_acc (LsContext *ctx, guint n, LsUOp *const *args, gpointer data)
{
  LsAccUser *user = data;
  LsUOp *u = args[0], *x = u->src[0];
  guint wide = ls_dtype_lanes (x->dtype), narrow = ls_dtype_lanes (u->dtype), n_parts = wide / narrow;
  gint64 lanes[MAX_LANES];
  LsUOp *value = NULL, *acc = NULL, *src[LS_MAX_AXES + 2];
  LsOp op = u->arg.op;
  if (narrow > MAX_LANES || wide % narrow != 0)
    return NULL;
  LsScalar identity = ls_eval_identity (op, ls_dtype_scalar (u->dtype));
  LsUOp *start = ls_dtype_is_float (u->dtype) ? ls_uop_const_f (ctx, u->dtype, identity.f) : ls_uop_const_i (ctx, u->dtype, identity.i);
  src[0] = start;
  for (guint i = 1; i < u->n_src; i++)
    src[i] = u->src[i];
  if (u->n_src > 1)
    value = acc = ls_uop_new (ctx, LS_OP_DEFINE_ACC, u->dtype, u->n_src, src, ls_arg_int (user->next_acc++));
  for (guint p = 0; p < n_parts; p++) {
    for (guint i = 0; i < narrow; i++)
      lanes[i] = p * narrow + i;
    LsUOp *part = n_parts == 1 ? x : gep (ctx, x, narrow, lanes);
    value = value ? ls_uop_alu2 (ctx, op, part, value) : part;
  }
  if (!acc)
    return value;
  src[0] = acc;
  src[1] = value;
  for (guint i = 1; i < u->n_src; i++)
    src[i + 1] = u->src[i];
  return ls_uop_new (ctx, LS_OP_PHI, u->dtype, u->n_src + 1, src, ls_arg_none ());
}

static LsUOp *
range_to_special (LsContext *ctx, guint n, LsUOp *const *args, gpointer data)
{
  LsDimsUser *user = data;
  for (guint i = 0; i < user->n; i++)
    if (user->from[i] == args[0])
      return user->to[i];
  return NULL;
}

void
ls_expand_register (void)
{
  ls_builder_register ("expand_range", expand_range);
  ls_builder_register ("expand_op", expand_op);
  ls_builder_register ("expand_reduce", expand_reduce);
  ls_builder_register ("reduce_to_acc", reduce_to_acc);
  ls_builder_register ("range_to_special", range_to_special);
}
