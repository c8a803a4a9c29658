/* Terms of expand.rules and accumulate.rules: UPCAST and UNROLL ranges become lanes, reduces become accumulators.
 *
 * UNROLL[axis, part, size, …](x) says that x's lanes are the values of an expression along the named parts of axes, the last one
 * running fastest. An operation on such values is done on vectors whose axes are the union of its sources' axes: a source that lacks
 * an axis repeats its lanes along it.
 */
#include "codegen.h"

#include "ir/eval.h"

#include <string.h>

#define MAX_AXES 16
/* Ascending in ls_part_order. */
typedef struct { guint n; gint64 axis[MAX_AXES], part[MAX_AXES], size[MAX_AXES]; } Axes;

static gboolean
axes_of (guint n, const gint64 *ints, Axes *a)
{
  a->n = n / 3;
  if (a->n > MAX_AXES || n % 3)
    return FALSE;
  for (guint i = 0; i < a->n; i++) {
    a->axis[i] = ints[3 * i];
    a->part[i] = ints[3 * i + 1];
    a->size[i] = ints[3 * i + 2];
  }
  return TRUE;
}

static guint
axes_ints (const Axes *a, gint64 *ints)
{
  for (guint i = 0; i < a->n; i++) {
    ints[3 * i] = a->axis[i];
    ints[3 * i + 1] = a->part[i];
    ints[3 * i + 2] = a->size[i];
  }
  return 3 * a->n;
}

/* 0 where there are more lanes than a vector may have. */
static gint64
axes_lanes (const Axes *a)
{
  gint64 n = 1;
  for (guint i = 0; i < a->n; i++)
    if (a->size[i] < 1 || a->size[i] > MAX_LANES || (n *= a->size[i]) > MAX_LANES)
      return 0;
  return n;
}

static gboolean
same_axis (const Axes *a, guint i, const Axes *b, guint k)
{
  return a->axis[i] == b->axis[k] && a->part[i] == b->part[k];
}

static gboolean
axes_add (Axes *a, const Axes *from, guint i)
{
  guint at = 0;
  while (at < a->n && ls_part_order (a->axis[at], a->part[at]) < ls_part_order (from->axis[i], from->part[i]))
    at++;
  if (at < a->n && same_axis (a, at, from, i))
    return a->size[at] == from->size[i];
  if (a->n == MAX_AXES)
    return FALSE;
  for (guint k = a->n++; k > at; k--) {
    a->axis[k] = a->axis[k - 1];
    a->part[k] = a->part[k - 1];
    a->size[k] = a->size[k - 1];
  }
  a->axis[at] = from->axis[i];
  a->part[at] = from->part[i];
  a->size[at] = from->size[i];
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
        if (same_axis (to, m, from, k))
          at += index[m] * step;
      step *= from->size[k];
    }
    lanes[i] = at;
  }
  return gep (ctx, x, n, lanes);
}

static gboolean
is_expanded (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *r = args[0].node;
  out->holds = r->op == LS_OP_RANGE && (ls_range_type (r) == LS_AXIS_UPCAST || ls_range_type (r) == LS_AXIS_UNROLL) &&
               ls_range_size (r) <= MAX_LANES;
  return TRUE;
}

/* The axes of all sources. */
static gboolean
lane_axes (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  Axes all = { 0 }, own;
  for (guint i = 0; i < args[0].n; i++) {
    const LsUOp *s = args[0].nodes[i];
    if (s->op != LS_OP_UNROLL)
      continue;
    if (!axes_of (s->arg.n, s->arg.ints, &own))
      return FALSE;
    for (guint k = 0; k < own.n; k++)
      if (!axes_add (&all, &own, k))
        return FALSE;
  }
  if (all.n == 0 || axes_lanes (&all) == 0)
    return FALSE;
  gint64 *ints = ls_term_alloc (call, 3 * all.n * sizeof *ints);
  out->n = axes_ints (&all, ints);
  out->nums = ints;
  return TRUE;
}

static gboolean
lanes_of (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  Axes axes;
  return axes_of (args[0].n, args[0].nums, &axes) && (out->num = axes_lanes (&axes)) > 0;
}

static gboolean
spread_over (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *x = args[0].node;
  Axes own = { 0 }, all;
  if (!axes_of (args[1].n, args[1].nums, &all) || (x->op == LS_OP_UNROLL && !axes_of (x->arg.n, x->arg.ints, &own)) ||
      axes_lanes (&all) == 0)
    return FALSE;
  out->node = spread (call->ctx, x->op == LS_OP_UNROLL ? x->src[0] : x, &own, &all);
  return TRUE;
}

static LsUOp *
unroll (LsContext *ctx, LsDType dtype, LsUOp *wide, const Axes *axes)
{
  gint64 ints[3 * MAX_AXES];
  guint n = axes_ints (axes, ints);
  return ls_uop_new1 (ctx, LS_OP_UNROLL, dtype, wide, ls_arg_ints (ctx, n, ints));
}

/* REDUCE(x, ranges…) where some ranges are expanded: their lanes are collected into x; lanes of the other axes stay lanes of the result. */
static LsUOp *
reduce_lanes (LsContext *ctx, LsUOp *u)
{
  LsUOp *src[LS_MAX_AXES + 1], *x = u->n_src > 0 ? u->src[0] : NULL;
  Axes gone = { 0 }, have = { 0 }, rest = { 0 }, own;
  guint n = 1;
  if (u->op != LS_OP_REDUCE || !x)
    return NULL;
  for (guint i = 1; i < u->n_src; i++)
    if (u->src[i]->op != LS_OP_UNROLL) {
      if (n > LS_MAX_AXES)
        return NULL;
      src[n++] = u->src[i];
    } else if (!axes_of (u->src[i]->arg.n, u->src[i]->arg.ints, &own) || own.n != 1 || !axes_add (&gone, &own, 0)) {
      return NULL;
    }
  if (gone.n == 0 && x->op != LS_OP_UNROLL)
    return NULL;
  if (x->op == LS_OP_UNROLL) {
    if (!axes_of (x->arg.n, x->arg.ints, &have))
      return NULL;
    x = x->src[0];
  }
  for (guint i = 0; i < have.n; i++) {
    gboolean drop = FALSE;
    for (guint k = 0; k < gone.n; k++)
      drop |= same_axis (&gone, k, &have, i);
    if (!drop && !axes_add (&rest, &have, i))
      return NULL;
  }
  /* lanes in the order: reduced axes outside, kept axes inside */
  Axes order = gone;
  for (guint i = 0; i < rest.n; i++) {
    if (order.n == MAX_AXES)
      return NULL;
    order.axis[order.n] = rest.axis[i];
    order.part[order.n] = rest.part[i];
    order.size[order.n++] = rest.size[i];
  }
  if (axes_lanes (&order) == 0)
    return NULL;
  guint keep = (guint) axes_lanes (&rest);
  src[0] = order.n == 0 ? x : spread (ctx, x, &have, &order);
  LsUOp *r = ls_uop_new (ctx, LS_OP_REDUCE, ls_dtype_vec (u->dtype, keep), n, src, u->arg);
  return rest.n == 0 ? r : unroll (ctx, u->dtype, r, &rest);
}

/* The lanes of a wide value added up to a narrow one, lane i of it from lanes i, i+narrow, …; then the register. */
static LsUOp *
accumulate (LsContext *ctx, LsAccContext *pass, LsUOp *u)
{
  LsUOp *x = u->n_src > 0 ? u->src[0] : NULL;
  if (u->op != LS_OP_REDUCE || !x || u->n_src > LS_MAX_AXES + 1)
    return NULL;
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
    value = acc = ls_uop_new (ctx, LS_OP_DEFINE_ACC, u->dtype, u->n_src, src, ls_arg_int (pass->next++));
  for (guint p = 0; p < n_parts; p++) {
    for (guint i = 0; i < narrow; i++)
      lanes[i] = p * narrow + i;
    LsUOp *part = n_parts == 1 ? x : gep (ctx, x, narrow, lanes);
    value = !value ? part : pass->ahead ? ls_uop_alu2 (ctx, op, value, part) : ls_uop_alu2 (ctx, op, part, value);
  }
  if (!acc)
    return value;
  src[0] = acc;
  src[1] = value;
  for (guint i = 1; i < u->n_src; i++)
    src[i + 1] = u->src[i];
  return ls_uop_new (ctx, LS_OP_PHI, u->dtype, u->n_src + 1, src, ls_arg_none ());
}

static gboolean
keeps_lanes (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ((const LsAccContext *) call->pass)->keeps_lanes;
  return TRUE;
}

/* Lanes first … first + n - 1 of x. */
static gboolean
part_of (LsTermCall *call, LsUOp *x, guint first, guint n, LsTermValue *out)
{
  gint64 lanes[MAX_LANES];
  if (n == 0 || n > MAX_LANES)
    return FALSE;
  for (guint i = 0; i < n; i++)
    lanes[i] = first + i;
  out->node = gep (call->ctx, x, n, lanes);
  return TRUE;
}

static gboolean
lower_half (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return part_of (call, args[0].node, 0, ls_dtype_lanes (args[0].node->dtype) / 2, out);
}

static gboolean
upper_half (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  guint half = ls_dtype_lanes (args[0].node->dtype) / 2;
  return part_of (call, args[0].node, half, half, out);
}

static gboolean
combine (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  if (!ls_op_is_alu (args[0].op) || args[1].node->dtype != args[2].node->dtype)
    return FALSE;
  out->node = ls_uop_alu2 (call->ctx, args[0].op, args[1].node, args[2].node);
  return TRUE;
}

/* Was a loop that stays inside of one that lanes take the place of? All lanes are added in each of its iterations then. */
static gboolean
leaves_order (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *u = args[0].node;
  gint64 first = G_MAXINT64, last = G_MININT64;
  for (guint i = 1; i < u->n_src; i++) {
    const LsUOp *r = u->src[i];
    for (guint k = 0; r->op == LS_OP_UNROLL && k < ls_unroll_n_axes (r); k++)
      first = MIN (first, ls_unroll_key (r, k));
    if (r->op == LS_OP_RANGE)
      last = MAX (last, ls_range_order (r));
  }
  out->holds = first < last;
  return TRUE;
}

static gboolean
expand_reduce (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = reduce_lanes (call->ctx, args[0].node)) != NULL;
}

static gboolean
reduce_to_acc (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = accumulate (call->ctx, call->pass, args[0].node)) != NULL;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_expand_terms[] = {
  { "is_expanded", NULL, V (BOOL), 1, { V (NODE) }, is_expanded, "Is the axis type of the range UPCAST or UNROLL?" },
  { "lane_axes", NULL, V (NUMS), 1, { V (NODES) }, lane_axes,
    "The axes, parts and sizes of the lanes of some sources; fails if no source has lanes." },
  { "lanes_of", NULL, V (NUM), 1, { V (NUMS) }, lanes_of, "The number of lanes along axes." },
  { "spread", NULL, V (NODE), 2, { V (NODE), V (NUMS) }, spread_over,
    "The node with lanes along all of these axes; along axes that it lacks its lanes are repeated.", TRUE },
  { "keeps_lanes", "accumulate", V (BOOL), 0, { 0 }, keeps_lanes, "Are the lanes of a reduce kept separate until its loops end "
                                                                  "(acc=vector)?" },
  { "lower", NULL, V (NODE), 1, { V (NODE) }, lower_half, "The first half of a vector's lanes.", TRUE },
  { "upper", NULL, V (NODE), 1, { V (NODE) }, upper_half, "The second half of a vector's lanes.", TRUE },
  { "combine", NULL, V (NODE), 3, { V (OP), V (NODE), V (NODE) }, combine, "The binary op applied to two nodes.", TRUE },
  { "leaves_order", NULL, V (BOOL), 1, { V (NODE) }, leaves_order, "Does the reduce keep a loop that ran inside an expanded axis?" },
  /* which lanes are added up and which stay depends on all ranges of the reduce together */
  { "expand_reduce", NULL, V (NODE), 1, { V (NODE) }, expand_reduce, "The reduce with lanes instead of expanded ranges.", TRUE },
  /* as many additions as lanes, and a register with its own number */
  { "reduce_to_acc", "accumulate", V (NODE), 1, { V (NODE) }, reduce_to_acc,
    "The register accumulator of a reduce and its update in each iteration.", TRUE },
  { NULL },
};
