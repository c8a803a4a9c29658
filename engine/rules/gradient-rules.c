/* Terms of gradient.rules, and of the rules of tensor.rules for memory: inverse movements, and constants that fill a shape. */
#include "rules.h"

static gboolean
shape_of (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  if (!ls_uop_get_shape (call->ctx, args[0].node, &shape, NULL))
    return FALSE;
  out->n = shape.n;
  out->nums = shape.dims;
  return TRUE;
}

static gboolean
inverse (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  gint64 *nums = ls_term_alloc (call, MAX (args[0].n, 1) * sizeof *nums);
  for (guint i = 0; i < args[0].n; i++) {
    if (args[0].nums[i] < 0 || args[0].nums[i] >= args[0].n)
      return FALSE;
    nums[args[0].nums[i]] = i;
  }
  out->n = args[0].n;
  out->nums = nums;
  return TRUE;
}

/* Pairs for each axis of a node, made of the given ones and its size. */
static gboolean
pairs (LsTermCall *call, const LsTermValue *args, LsTermValue *out, gboolean padding)
{
  LsShape shape;
  if (!ls_uop_get_shape (call->ctx, args[1].node, &shape, NULL) || args[0].n != 2 * shape.n)
    return FALSE;
  gint64 *nums = ls_term_alloc (call, MAX (args[0].n, 1) * sizeof *nums);
  for (guint i = 0; i < shape.n; i++) {
    nums[2 * i] = args[0].nums[2 * i];
    nums[2 * i + 1] = padding ? args[0].nums[2 * i] + shape.dims[i] : shape.dims[i] - args[0].nums[2 * i + 1];
  }
  out->n = args[0].n;
  out->nums = nums;
  return TRUE;
}

static gboolean
inside (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return pairs (call, args, out, TRUE);
}

static gboolean
around (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return pairs (call, args, out, FALSE);
}

static gboolean
grown (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape a, b;
  if (!ls_uop_get_shape (call->ctx, args[0].node, &a, NULL) || !ls_uop_get_shape (call->ctx, args[1].node, &b, NULL) || a.n != b.n)
    return FALSE;
  gint64 *nums = ls_term_alloc (call, MAX (a.n, 1) * sizeof *nums);
  for (guint i = 0; i < a.n; i++)
    if (a.dims[i] != b.dims[i])
      nums[out->n++] = i;
  out->nums = nums;
  return TRUE;
}

static gboolean
fill (LsTermCall *call, LsUOp *x, LsUOp *constant, LsTermValue *out)
{
  LsShape shape;
  return ls_uop_get_shape (call->ctx, x, &shape, NULL) && (out->node = ls_filled (call->ctx, constant, shape)) != NULL;
}

static gboolean
filled (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *x = args[0].node;
  return fill (call, x, ls_dtype_is_float (x->dtype) ? ls_uop_const_f (call->ctx, x->dtype, (double) args[1].num)
                                                     : ls_uop_const_i (call->ctx, x->dtype, args[1].num), out);
}

static gboolean
filled_float (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *x = args[0].node;
  LsArg value;
  if (!ls_uop_const_value (args[1].node, &value) || value.kind != LS_ARG_FLOAT || !ls_dtype_is_float (x->dtype))
    return FALSE;
  return fill (call, x, ls_uop_const_f (call->ctx, x->dtype, value.f), out);
}

static gboolean
is_filled (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *c = ls_filler (args[0].node);
  out->holds = c && (c->arg.kind == LS_ARG_FLOAT ? c->arg.f == (double) args[1].num : c->arg.i == args[1].num);
  return TRUE;
}

static gboolean
yes (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return fill (call, args[0].node, ls_uop_const_i (call->ctx, LS_BOOL, 1), out);
}

static gboolean
same_size (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape a, b;
  out->holds = ls_uop_get_shape (call->ctx, args[0].node, &a, NULL) && ls_uop_get_shape (call->ctx, args[1].node, &b, NULL) &&
               ls_shape_size (a) == ls_shape_size (b);
  return TRUE;
}

/* The movements from the second node to the first, of the third. */
static gboolean
seen_as (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *moves[64], *u = args[0].node, *x = args[2].node;
  guint n = 0;
  for (; u != args[1].node; u = u->src[0])
    if (ls_op_is_movement (u->op) && n < G_N_ELEMENTS (moves))
      moves[n++] = u;
    else
      return FALSE;
  while (n-- > 0)
    x = ls_uop_new1 (call->ctx, moves[n]->op, x->dtype, x, moves[n]->arg);
  out->node = x;
  return TRUE;
}

/* Small floats are added up in float. */
static gboolean
is_small (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ls_dtype_is_small_float (args[0].node->dtype);
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_gradient_terms[] = {
  { "shape", NULL, V (NUMS), 1, { V (NODE) }, shape_of, "The sizes of a node's axes." },
  { "inverse", NULL, V (NUMS), 1, { V (NUMS) }, inverse, "The inverse permutation." },
  { "inside", NULL, V (NUMS), 2, { V (NUMS), V (NODE) }, inside, "The box that the unpadded node occupies in the padded one." },
  { "around", NULL, V (NUMS), 2, { V (NUMS), V (NODE) }, around, "The padding that restores the node's shape from a box cut out of it." },
  { "grown", NULL, V (NUMS), 2, { V (NODE), V (NODE) }, grown, "The axes in which two nodes differ in size." },
  { "filled", NULL, V (NODE), 2, { V (NODE), V (NUM) }, filled, "A tensor filled with the number, in the node's shape and dtype." },
  { "filled", NULL, V (NODE), 2, { V (NODE), V (NODE) }, filled_float,
    "A tensor filled with the constant, in the shape and dtype of a float node." },
  { "is_filled", NULL, V (BOOL), 2, { V (NODE), V (NUM) }, is_filled, "Is the tensor filled with the number?" },
  { "yes", NULL, V (NODE), 1, { V (NODE) }, yes, "A tensor filled with true, in the node's shape." },
  { "same_size", NULL, V (BOOL), 2, { V (NODE), V (NODE) }, same_size, "Do two nodes have the same number of elements?" },
  { "seen_as", NULL, V (NODE), 3, { V (NODE), V (NODE), V (NODE) }, seen_as,
    "The movement ops that make the first node from the second, applied to the third." },
  { "is_small", NULL, V (BOOL), 1, { V (NODE) }, is_small, "Is the dtype a float of less than 32 bits?" },
  { NULL },
};
