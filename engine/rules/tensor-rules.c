/* Terms of tensor.rules: movement ops put together, and constants that fill a shape. */
#include "ir/eval.h"
#include "rules.h"

#include <math.h>

/* Space for the numbers of both arguments, or NULL: their numbers differ. */
static gint64 *
numbers_of_both (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  gint64 *nums = args[0].n == args[1].n ? ls_term_alloc (call, args[0].n * sizeof *nums) : NULL;
  out->n = args[0].n;
  out->nums = nums;
  return nums;
}

/* A box inside of a box: begin and end of each axis, counted from the begin of the outer one's. */
static gboolean
box_within (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  gint64 *box = numbers_of_both (call, args, out);
  for (guint i = 0; box && i < out->n; i++)
    box[i] = args[0].nums[i] + args[1].nums[i & ~1u];
  return box != NULL;
}

static gboolean
either (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  gint64 *axes = numbers_of_both (call, args, out);
  for (guint i = 0; axes && i < out->n; i++)
    axes[i] = args[0].nums[i] != args[1].nums[i];
  return axes != NULL;
}

static gboolean
same_shape (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape a, b;
  out->holds = ls_uop_get_shape (call->ctx, args[0].node, &a, NULL) && ls_uop_get_shape (call->ctx, args[1].node, &b, NULL) &&
               ls_shape_equal (a, b);
  return TRUE;
}

static gboolean
in_order (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = TRUE;
  for (guint i = 0; i < args[0].n; i++)
    out->holds &= args[0].nums[i] == i;
  return TRUE;
}

LsUOp *
ls_filler (LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE || u->op == LS_OP_EXPAND || u->op == LS_OP_PERMUTE || u->op == LS_OP_SHRINK || u->op == LS_OP_FLIP)
    u = u->src[0];
  return u->op == LS_OP_CONST && u->n_src == 0 ? u : NULL;
}

/* u as far along each axis as the shape's variables say. */
static LsUOp *
as_far (LsContext *ctx, LsUOp *u, LsShape shape)
{
  for (gint64 k = 0; k < shape.n && shape.sizes; k++)
    if (shape.sizes[k].of)
      u = ls_uop_new2 (ctx, LS_OP_LIMIT, u->dtype, u, ls_shape_size_of (ctx, shape, (guint) k), ls_arg_ints (ctx, 1, &k));
  return u;
}

LsUOp *
ls_filled (LsContext *ctx, LsUOp *c, LsShape shape)
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
  return all_one ? r : as_far (ctx, ls_uop_new1 (ctx, LS_OP_EXPAND, c->dtype, r, ls_arg_ints (ctx, shape.n, shape.dims)), shape);
}

/* --- parts that a variable says --- */

/* The numbers 0, 1, 2, … along the axis, in the shape. */
static LsUOp *
counted (LsContext *ctx, LsShape shape, gint64 axis)
{
  gint64 dims[64];
  for (guint i = 0; i < shape.n; i++)
    dims[i] = i == axis ? shape.dims[i] : 1;
  LsDType dtype = shape.dims[axis] > G_MAXINT32 ? LS_INT64 : LS_INT32;
  LsUOp *u = ls_uop_new1 (ctx, LS_OP_RESHAPE, dtype, ls_uop_new0 (ctx, LS_OP_IOTA, dtype, ls_arg_int (shape.dims[axis])),
                          ls_arg_ints (ctx, shape.n, dims));
  return as_far (ctx, ls_uop_new1 (ctx, LS_OP_EXPAND, dtype, u, ls_arg_ints (ctx, shape.n, shape.dims)), shape);
}

LsUOp *
ls_taken (LsContext *ctx, LsUOp *slice)
{
  LsShape shape;
  if (!ls_op_is_slice (slice->op) || !ls_uop_get_shape (ctx, slice->src[0], &shape, NULL) || shape.n > 64)
    return NULL;
  LsUOp *places = counted (ctx, shape, slice->arg.ints[0]);
  LsUOp *says = ls_filled (ctx, ls_uop_cast (ctx, slice->src[1], places->dtype), shape);
  return ls_uop_alu2 (ctx, slice->op == LS_OP_AT ? LS_OP_CMPEQ : LS_OP_CMPLT, places, says);
}

static gboolean
taken (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->node = ls_taken (call->ctx, args[0].node);
  return out->node != NULL;
}

static gboolean
bounded (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape, there;
  if (!ls_uop_get_shape (call->ctx, args[1].node, &shape, NULL) || !ls_uop_get_shape (call->ctx, args[0].node, &there, NULL))
    return FALSE;
  out->node = shape.sizes && !there.sizes ? as_far (call->ctx, args[0].node, shape) : args[0].node;
  return TRUE;
}

static gboolean
spread (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *slice = args[0].node, *v = args[1].node;
  LsContext *ctx = call->ctx;
  LsShape shape, part;
  gint64 pairs[2 * 64] = { 0 }, axis;
  if (!ls_op_is_slice (slice->op) || !ls_uop_get_shape (ctx, slice->src[0], &shape, NULL) || !ls_uop_get_shape (ctx, v, &part, NULL) ||
      shape.n > 64 || part.n != shape.n)
    return FALSE;
  axis = slice->arg.ints[0];
  if (slice->op == LS_OP_AT) {
    out->node = ls_uop_new1 (ctx, LS_OP_EXPAND, v->dtype, v, ls_arg_ints (ctx, shape.n, shape.dims));
    if (shape.sizes && shape.sizes[axis].of)
      out->node = ls_uop_new2 (ctx, LS_OP_LIMIT, v->dtype, out->node, ls_shape_size_of (ctx, shape, (guint) axis),
                               ls_arg_ints (ctx, 1, &axis));
    return TRUE;
  }
  /* elements past its end are arbitrary, and never used */
  if (part.sizes && part.sizes[axis].of)
    v = ls_uop_new2 (ctx, LS_OP_LIMIT, v->dtype, v, ls_uop_const_i (ctx, LS_INDEX, part.dims[axis]), ls_arg_ints (ctx, 1, &axis));
  pairs[2 * axis + 1] = shape.dims[axis] - part.dims[axis];
  out->node = pairs[2 * axis + 1] > 0 ? ls_uop_new1 (ctx, LS_OP_PAD, v->dtype, v, ls_arg_ints (ctx, 2 * shape.n, pairs)) : v;
  if (shape.sizes && shape.sizes[axis].of)
    out->node = ls_uop_new2 (ctx, LS_OP_LIMIT, v->dtype, out->node, ls_shape_size_of (ctx, shape, (guint) axis),
                             ls_arg_ints (ctx, 1, &axis));
  return TRUE;
}

static LsUOp *
folded (LsContext *ctx, LsUOp *u)
{
  LsScalar v[3], r;
  LsShape shape;
  if (u->n_src > 3 || u->n_src == 0 || ls_op_info (u->op)->op_class < LS_CLASS_UNARY || u->op == LS_OP_MULACC)
    return NULL;
  for (guint i = 0; i < u->n_src; i++) {
    LsUOp *c = ls_filler (u->src[i]);
    if (!c)
      return NULL;
    v[i] = ls_scalar_from_arg (c->dtype, c->arg);
  }
  if (!ls_uop_get_shape (ctx, u, &shape, NULL) || (u->op == LS_OP_BITCAST && ls_dtype_bits (u->dtype) != ls_dtype_bits (u->src[0]->dtype)))
    return NULL;
  LsDType from = u->src[u->n_src - 1]->dtype;
  r = ls_eval_node (u, u->dtype, from, v);
  return ls_filled (ctx, ls_uop_new0 (ctx, LS_OP_CONST, u->dtype, ls_scalar_to_arg (u->dtype, r)), shape);
}

static gboolean
fold_filled (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = folded (call->ctx, args[0].node)) != NULL;
}

/* Is x op c = x, where c is u's source on that side? For floats only exact cases. */
static gboolean
is_neutral (LsUOp *u, guint side)
{
  gboolean fp = ls_dtype_is_float (u->dtype);
  if (u->n_src != 2 || u->src[!side]->dtype != u->dtype)
    return FALSE;
  LsUOp *c = ls_filler (u->src[side]);
  if (!c)
    return FALSE;
  double f = c->arg.kind == LS_ARG_FLOAT ? c->arg.f : 0;
  gint64 i = c->arg.kind == LS_ARG_INT ? c->arg.i : 0;
  switch ((int) u->op) {
  case LS_OP_ADD: return fp ? f == 0 && signbit (f) : i == 0 && !ls_dtype_is_bool (u->dtype);
  case LS_OP_SUB: return fp ? f == 0 && !signbit (f) : i == 0;
  case LS_OP_MUL: return fp ? f == 1 : i == 1;
  case LS_OP_FDIV: return fp && f == 1;
  case LS_OP_FLOORDIV: case LS_OP_IDIV: return !fp && i == 1;
  default: return FALSE;
  }
}

static gboolean
neutral_right (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = is_neutral (args[0].node, 1);
  return TRUE;
}

static gboolean
neutral_left (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ls_op_is_commutative (args[0].node->op) && is_neutral (args[0].node, 0);
  return TRUE;
}

static gboolean
reduce_empty (LsTermCall *call, const LsTermValue *args, LsTermValue *result)
{
  LsUOp *u = args[0].node;
  LsShape in, out;
  if (u->op != LS_OP_REDUCE_AXIS || !ls_uop_get_shape (call->ctx, u->src[0], &in, NULL) || !ls_uop_get_shape (call->ctx, u, &out, NULL) ||
      ls_shape_size (in) != 0 ||
      ls_shape_size (out) == 0)
    return FALSE;
  LsScalar identity = ls_eval_identity (u->arg.op, u->dtype);
  return (result->node = ls_filled (call->ctx, ls_uop_new0 (call->ctx, LS_OP_CONST, u->dtype, ls_scalar_to_arg (u->dtype, identity)),
                                    out)) != NULL;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_tensor_terms[] = {
  { "box_within", NULL, V (NUMS), 2, { V (NUMS), V (NUMS) }, box_within, "The box that results from cutting one box out of another." },
  { "either", NULL, V (NUMS), 2, { V (NUMS), V (NUMS) }, either, "The axes that are in exactly one of two lists." },
  { "same_shape", NULL, V (BOOL), 2, { V (NODE), V (NODE) }, same_shape, "Do two nodes have the same shape?" },
  { "taken", NULL, V (NODE), 1, { V (NODE) }, taken, "For each element of the source of a LIMIT or AT: is it inside the slice?" },
  { "spread", NULL, V (NODE), 2, { V (NODE), V (NODE) }, spread,
    "The value of a LIMIT or AT in the shape of its source; only elements inside the slice are meaningful." },
  { "bounded", NULL, V (NODE), 2, { V (NODE), V (NODE) }, bounded,
    "The node, limited along each axis by the variables that limit another node." },
  { "in_order", NULL, V (BOOL), 1, { V (NUMS) }, in_order, "Are the numbers 0, 1, 2, … in order?" },
  { "neutral_right", NULL, V (BOOL), 1, { V (NODE) }, neutral_right, "Is the right operand filled with the op's neutral element?" },
  { "neutral_left", NULL, V (BOOL), 1, { V (NODE) }, neutral_left, "Is the left operand filled with the op's neutral element?" },
  /* the constant that fills a tensor is found below movement ops, however many */
  { "fold_filled", NULL, V (NODE), 1, { V (NODE) }, fold_filled,
    "The tensor filled with the result of the operation on constants.", TRUE },
  { "reduce_empty", NULL, V (NODE), 1, { V (NODE) }, reduce_empty, "The neutral element of a reduce of no elements.", TRUE },
  { NULL },
};
