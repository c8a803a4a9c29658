/* The term sum_of_constant: a sum over a constant that movements have padded and repeated, as arithmetic of indices.
 *
 * The constant is present where its view is valid, so the sum is the constant times the number of such positions along the summed axes.
 * That number is written as a reduce over ranges, and the symbolic rules and those of gates.rules remove ranges in a nested pass, as
 * they do in a kernel; if they remove all, the rest is arithmetic of the other axes' indices, and becomes arithmetic of IOTAs. So an
 * arange, and every mask that is made of one, is known before kernels are cut, and is computed where it is used. Floats are folded where
 * no partial sum is rounded.
 */
#include "rules.h"

#include "ir/axis.h"
#include "ir/eval.h"
#include "ir/rebuild.h"
#include "ir/view.h"

#include <math.h>

#define MOST_AXES 32

/* The view of the constant below x, and that constant. NULL: something else is there. */
static const LsTracker *
constant_view (LsContext *ctx, LsUOp *x, LsUOp **constant)
{
  LsUOp *moves[64];
  guint n = 0;
  for (; ls_op_is_movement (x->op); x = x->src[0])
    if (n == G_N_ELEMENTS (moves))
      return NULL;
    else
      moves[n++] = x;
  if (x->op != LS_OP_CONST || x->n_src > 0)
    return NULL;
  *constant = x;
  const LsTracker *t = ls_tracker_contiguous (ctx, (LsShape) { 0, NULL });
  while (n-- > 0)
    t = ls_tracker_movement (ctx, t, moves[n]->op, moves[n]->arg, TRUE);
  return t;
}

/* Is every partial sum of up to n times the value exact? */
static gboolean
adds_exactly (LsDType dtype, double value, gint64 n)
{
  int exponent, bits = ls_dtype_is_fp8 (dtype) ? 0 : (int) ls_dtype_digits (dtype);
  double m = frexp (value, &exponent) * 9007199254740992.0, most;
  if (value == 0 || !isfinite (value))
    return FALSE;      /* the sign of zero */
  while (fmod (m, 2) == 0)
    m /= 2;
  most = fabs (m) * (double) n;
  return most <= ldexp (1, bits) && (bits != 11 || fabs (value) * (double) n <= 65504);
}

/* The conditions on an expression of ranges, sources first: only ops that tensors have, in integers that fit. */
static gboolean
is_plain (GPtrArray *order, gboolean *wide)
{
  *wide = FALSE;
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_CONST && u->op != LS_OP_RANGE && (ls_op_info (u->op)->op_class < LS_CLASS_UNARY || u->op == LS_OP_MULACC ||
                                                         u->op == LS_OP_BITCAST))
      return FALSE;
    if (ls_dtype_lanes (u->dtype) > 1 || ls_dtype_is_float (u->dtype))
      return FALSE;
    if (ls_dtype_base (u->dtype) != LS_BASE_INDEX)
      continue;
    if (u->vmin <= G_MININT64 / 2 || u->vmax >= G_MAXINT64 / 2)
      return FALSE;
    *wide |= u->vmin < G_MININT32 || u->vmax > G_MAXINT32;
  }
  return TRUE;
}

/* The parts of an expression of ranges, as tensors of one shape. */
typedef struct {
  LsContext    *ctx;
  LsShape       shape;
  LsUOp *const *ranges;      /* of each axis, its range or NULL */
  LsDType       whole;       /* of index */
} Tensors;

static LsUOp *
range_as_tensor (const Tensors *t, const LsUOp *range, LsDType dtype)
{
  gint64 dims[MOST_AXES];
  guint axis = 0;
  while (axis < t->shape.n && t->ranges[axis] != range)
    axis++;
  g_assert (axis < t->shape.n);
  for (guint k = 0; k < t->shape.n; k++)
    dims[k] = k == axis ? t->shape.dims[k] : 1;
  LsUOp *r = ls_uop_new0 (t->ctx, LS_OP_IOTA, dtype, ls_arg_int (t->shape.dims[axis]));
  if (t->shape.n > 1)
    r = ls_uop_new1 (t->ctx, LS_OP_RESHAPE, dtype, r, ls_arg_ints (t->ctx, t->shape.n, dims));
  if (!ls_shape_equal (t->shape, (LsShape) { t->shape.n, dims }))
    r = ls_uop_new1 (t->ctx, LS_OP_EXPAND, dtype, r, ls_arg_ints (t->ctx, t->shape.n, t->shape.dims));
  return r;
}

static LsUOp *
as_tensor (gpointer data, LsUOp *u, LsUOp **src)
{
  const Tensors *t = data;
  LsDType d = ls_dtype_base (u->dtype) == LS_BASE_INDEX ? t->whole : u->dtype;
  switch ((int) u->op) {
  case LS_OP_CONST: return ls_filled (t->ctx, ls_uop_const_i (t->ctx, d, u->arg.i), t->shape);      /* the sizes of ranges are constants */
  case LS_OP_RANGE: return range_as_tensor (t, u, d);
  case LS_OP_CAST: return ls_uop_cast (t->ctx, src[0], d);
  default: return ls_uop_new (t->ctx, u->op, ls_op_is_comparison (u->op) ? LS_BOOL : d, u->n_src, src, u->arg);
  }
}

/* The expression of ranges as one of tensors of that shape. */
static LsUOp *
as_tensors (LsContext *ctx, LsUOp *root, LsShape shape, LsUOp *const *ranges)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean wide;
  if (!is_plain (order, &wide))
    return NULL;
  Tensors tensors = { ctx, shape, ranges, wide ? LS_INT64 : LS_INT32 };
  LsNodeMap *map = ls_node_map_acquire (ctx);
  ls_graph_rebuild (ctx, 1, &root, map, NULL, as_tensor, &tensors);
  LsUOp *out = ls_node_map_get_node (map, root);
  ls_node_map_release (ctx, map);
  return out;
}

/* How many places are valid along the axes that u sums over, in the shape of u. NULL: not known in closed form. */
static LsUOp *
count_valid (LsTermCall *call, LsUOp *u, const LsTracker *t, LsDType dtype)
{
  LsContext *ctx = call->ctx;
  LsShape in = ls_tracker_shape (t), out = ls_uop_shape (ctx, u);
  LsUOp *axes[MOST_AXES], *src[MOST_AXES + 1], *index, *valid = NULL, *zero = ls_uop_const_i (ctx, LS_INDEX, 0);
  guint n = 1;
  gint64 all = 1;
  if (in.n > MOST_AXES || ls_shape_size (in) == 0)
    return NULL;
  for (guint k = 0; k < in.n; k++) {
    gboolean summed = FALSE;
    for (guint i = 0; i < u->arg.n; i++)
      summed |= u->arg.ints[i] == k;
    gint64 arg[3] = { k, summed ? LS_AXIS_REDUCE : LS_AXIS_LOOP, 0 };
    axes[k] = in.dims[k] == 1 ? zero : ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, in.dims[k]),
                                                    ls_arg_ints (ctx, 3, arg));
    if (summed && in.dims[k] > 1) {
      src[n++] = axes[k];
      if (__builtin_mul_overflow (all, in.dims[k], &all))
        return NULL;
    }
  }
  ls_tracker_expr (ctx, t, axes, &index, &valid);
  if (!valid)
    return ls_filled (ctx, ls_uop_const_i (ctx, dtype, all), out);
  src[0] = ls_uop_alu3 (ctx, LS_OP_WHERE, valid, ls_uop_const_i (ctx, dtype, 1), ls_uop_const_i (ctx, dtype, 0));
  LsUOp *sum = n > 1 ? ls_uop_new (ctx, LS_OP_REDUCE, dtype, n, src, ls_arg_op_ints (ctx, LS_OP_ADD, 0, NULL)) : src[0];
  LsUOp *count = call->nested (call, "symbolic+gates", sum);
  return count ? as_tensors (ctx, count, out, axes) : NULL;
}

static gboolean
sum_of_constant (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *u = args[0].node, *c = NULL;
  LsContext *ctx = call->ctx;
  LsDType d = ls_dtype_strong (u->dtype);
  if (u->op != LS_OP_REDUCE_AXIS || u->arg.op != LS_OP_ADD || ls_dtype_is_bool (d) || u->arg.n == 0 || !ls_uop_has_shape (u))
    return FALSE;
  const LsTracker *t = constant_view (ctx, args[1].node, &c);
  LsShape shape = ls_uop_shape (ctx, u);
  if (!t || ls_shape_size (shape) == 0)
    return FALSE;
  gint64 terms = ls_shape_size (ls_tracker_shape (t)) / ls_shape_size (shape);
  gboolean is_float = ls_dtype_is_float (d);
  if (terms > G_MAXINT32 || (is_float && !adds_exactly (d, c->arg.f, terms)))
    return FALSE;
  LsDType counted = is_float ? LS_INT32 : d;
  LsUOp *count = count_valid (call, u, t, counted);
  if (!count)
    return FALSE;
  if (is_float)
    count = ls_uop_cast (ctx, count, u->dtype);
  else if (u->dtype != d)
    count = ls_uop_cast (ctx, count, u->dtype);
  LsUOp *each = ls_filled (ctx, c, shape);
  out->node = each ? ls_uop_alu2 (ctx, LS_OP_MUL, count, each) : NULL;
  return out->node != NULL;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_running_terms[] = {
  /* the remaining ranges are found by a whole rewrite */
  { "sum_of_constant", NULL, V (NODE), 2, { V (NODE), V (NODE) }, sum_of_constant,
    "The sum of a constant under padding and repetition, computed from indices.", TRUE },
  { NULL },
};
