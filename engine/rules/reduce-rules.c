/* Terms of split.rules and variance.rules: reduces in two stages, and sums of squared differences. */
#include "rules.h"

#define MOST_RESULTS 256      /* of a reduce that is split, and numbers of partial results of each that are tried */
#define MOST_PARTS   256
#define LEAST_PARTS  8

/* The shape of a node without variables. */
static gboolean
fixed_shape (LsTermCall *call, LsUOp *u, LsShape *shape)
{
  return ls_uop_get_shape (call->ctx, u, shape, NULL) && !shape->sizes && shape->n < LS_MAX_DIMS;
}

/* How many elements are reduced along the axes; 0: there is no such axis. */
static gint64
product_along (LsShape shape, const LsTermValue *axes)
{
  gint64 n = 1;
  for (guint i = 0; i < axes->n; i++) {
    if (axes->nums[i] < 0 || axes->nums[i] >= shape.n)
      return 0;
    n *= shape.dims[axes->nums[i]];
  }
  return n;
}

/* The greatest number of equal parts of the axis, or 0. */
static gint64
parts_of (gint64 size)
{
  for (gint64 n = MIN (MOST_PARTS, size / 2); n >= LEAST_PARTS; n--)
    if (size % n == 0)
      return n;
  return 0;
}

static gboolean
split_axis (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsSplitContext *pass = call->pass;
  LsShape shape;
  if (!fixed_shape (call, args[0].node, &shape) || ls_filler (args[0].node))
    return FALSE;
  gint64 n = product_along (shape, &args[1]);
  if (n < pass->threshold || ls_shape_size (shape) / n > MOST_RESULTS)
    return FALSE;
  out->num = -1;
  for (guint i = 0; i < args[1].n && out->num < 0; i++)
    if (parts_of (shape.dims[args[1].nums[i]]))
      out->num = args[1].nums[i];
  return out->num >= 0;
}

static gboolean
split_shape (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  gint64 axis = args[1].num, n;
  if (!fixed_shape (call, args[0].node, &shape) || axis < 0 || axis >= shape.n || !(n = parts_of (shape.dims[axis])))
    return FALSE;
  gint64 *dims = ls_term_alloc (call, (shape.n + 1) * sizeof *dims);
  for (guint i = 0; i < shape.n; i++)
    dims[i < axis ? i : i + 1] = shape.dims[i];
  dims[axis] = n;
  dims[axis + 1] = shape.dims[axis] / n;
  out->n = shape.n + 1;
  out->nums = dims;
  return TRUE;
}

static gboolean
axes_after_split (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  gint64 *axes = ls_term_alloc (call, MAX (args[0].n, 1) * sizeof *axes);
  for (guint i = 0; i < args[0].n; i++)
    axes[i] = args[0].nums[i] + (args[0].nums[i] >= args[1].num);
  out->n = args[0].n;
  out->nums = axes;
  return TRUE;
}

static gboolean
first_along (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  if (!fixed_shape (call, args[0].node, &shape) || product_along (shape, &args[1]) < 1)
    return FALSE;
  gint64 *box = ls_term_alloc (call, MAX (2 * shape.n, 1) * sizeof *box);
  for (guint i = 0; i < shape.n; i++) {
    box[2 * i] = 0;
    box[2 * i + 1] = shape.dims[i];
  }
  for (guint i = 0; i < args[1].n; i++)
    box[2 * args[1].nums[i] + 1] = 1;
  out->n = 2 * shape.n;
  out->nums = box;
  return TRUE;
}

static gboolean
n_along (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  out->num = fixed_shape (call, args[0].node, &shape) ? product_along (shape, &args[1]) : 0;
  return out->num > 0;
}

static LsUOp *
below_reshapes (LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE)
    u = u->src[0];
  return u;
}

/* A sum of x over exactly these axes, divided by the number of its elements. Reshapes of results with axes of size 1 keep their order. */
static gboolean
is_mean (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsShape shape;
  LsArg c;
  LsUOp *m = below_reshapes (args[0].node), *sum = m->op == LS_OP_FDIV ? below_reshapes (m->src[0]) : m;
  LsUOp *n = m->op == LS_OP_FDIV ? ls_filler (m->src[1]) : NULL;
  out->holds = n && sum->op == LS_OP_REDUCE_AXIS && sum->arg.op == LS_OP_ADD && sum->src[0] == args[1].node && sum->arg.n == args[2].n &&
               fixed_shape (call, args[1].node, &shape);
  for (guint i = 0; out->holds && i < sum->arg.n; i++)
    out->holds = sum->arg.ints[i] == args[2].nums[i];
  out->holds = out->holds && ls_uop_const_value (n, &c) && c.kind == LS_ARG_FLOAT && c.f == (double) product_along (shape, &args[2]);
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_reduce_terms[] = {
  { "split_axis", "split", V (NUM), 2, { V (NODE), V (NUMS) }, split_axis,
    "The axis of the node that a reduce over these axes is split along; none if the reduce has few elements or many results." },
  { "split_shape", NULL, V (NUMS), 2, { V (NODE), V (NUM) }, split_shape,
    "The node's shape with the axis as two: up to 256 equal parts, and the elements of a part." },
  { "axes_after_split", NULL, V (NUMS), 2, { V (NUMS), V (NUM) }, axes_after_split,
    "The axes in the shape after the split: the split axis is its second part." },
  { "first_along", NULL, V (NUMS), 2, { V (NODE), V (NUMS) }, first_along,
    "The box of the node's elements that are the first along each of these axes." },
  { "n_along", NULL, V (NUM), 2, { V (NODE), V (NUMS) }, n_along, "How many elements the node has along these axes." },
  { "is_mean", NULL, V (BOOL), 3, { V (NODE), V (NODE), V (NUMS) }, is_mean,
    "Is the first node the mean of the second one along these axes?" },
  { NULL },
};
