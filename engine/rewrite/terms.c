/* Terms that every rule may use: facts about a node, arithmetic of constants, sequences, lanes and dtypes. */
#include "rewrite.h"

/* Memory of a sequence of n values. */
static gpointer
sequence (LsTermCall *call, LsTermValue *out, guint n)
{
  out->n = n;
  return ls_term_alloc (call, n * sizeof (guint64));
}

#define TERM(name) static gboolean name (LsTermCall *call, const LsTermValue *args, LsTermValue *out)

TERM (min_of)
{
  out->num = args[0].node->vmin;
  return !ls_dtype_is_float (args[0].node->dtype);
}

TERM (max_of)
{
  out->num = args[0].node->vmax;
  return !ls_dtype_is_float (args[0].node->dtype);
}

TERM (divisor_of)
{
  out->num = ls_uop_divisor (args[0].node);
  return TRUE;
}

TERM (power_of_two)
{
  out->holds = args[0].num > 0 && (args[0].num & (args[0].num - 1)) == 0;
  return TRUE;
}

TERM (log2_of)
{
  out->num = args[0].num > 0 ? __builtin_ctzll ((guint64) args[0].num) : 0;
  return args[0].num > 0 && (args[0].num & (args[0].num - 1)) == 0;
}

TERM (fits)
{
  out->holds = TRUE;
  return TRUE;
}

TERM (is_const)
{
  out->holds = ls_uop_const_value (args[0].node, NULL);
  return TRUE;
}

TERM (is_in_memory)
{
  out->holds = args[0].node->op == LS_OP_PRECAST;
  return TRUE;
}

TERM (same_dtype)
{
  out->holds = args[0].node->dtype == args[1].node->dtype;
  return TRUE;
}

TERM (lanes)
{
  out->num = ls_dtype_lanes (args[0].node->dtype);
  return TRUE;
}

TERM (count)
{
  out->num = args[0].n;
  return TRUE;
}

TERM (take_numbers)
{
  gint64 *nums = sequence (call, out, args[1].n);
  for (guint i = 0; i < args[1].n; i++) {
    if (args[1].nums[i] < 0 || args[1].nums[i] >= args[0].n)
      return FALSE;
    nums[i] = args[0].nums[args[1].nums[i]];
  }
  out->nums = nums;
  return TRUE;
}

TERM (take_nodes)
{
  LsUOp **nodes = sequence (call, out, args[1].n);
  for (guint i = 0; i < args[1].n; i++) {
    if (args[1].nums[i] < 0 || args[1].nums[i] >= args[0].n)
      return FALSE;
    nodes[i] = args[0].nodes[args[1].nums[i]];
  }
  out->nodes = nodes;
  return TRUE;
}

TERM (at)
{
  if (args[1].num < 0 || args[1].num >= args[0].n)
    return FALSE;
  out->node = args[0].nodes[args[1].num];
  return TRUE;
}

TERM (up_to)
{
  if (args[0].num < 0 || args[0].num > 4096)
    return FALSE;
  gint64 *nums = sequence (call, out, (guint) args[0].num);
  for (guint i = 0; i < out->n; i++)
    nums[i] = i;
  out->nums = nums;
  return TRUE;
}

/* Through VECTORIZE and constants at once; a node with one lane is the same in each. */
TERM (lane)
{
  LsUOp *x = args[0].node;
  gint64 i = args[1].num;
  out->node = x;
  if (ls_dtype_lanes (x->dtype) <= 1)
    return TRUE;
  if (i < 0 || i >= ls_dtype_lanes (x->dtype))
    return FALSE;
  if (x->op == LS_OP_VECTORIZE)
    out->node = i < x->n_src ? x->src[i] : NULL;
  else if (x->op == LS_OP_VCONST)
    out->node = i < x->arg.n ? ls_uop_const_i (call->ctx, ls_dtype_scalar (x->dtype), x->arg.ints[i]) : NULL;
  else
    out->node = ls_uop_new1 (call->ctx, LS_OP_GEP, ls_dtype_vec (x->dtype, 1), x, ls_arg_ints (call->ctx, 1, &i));
  return out->node != NULL;
}

TERM (scalar)
{
  out->dtype = ls_dtype_vec (args[0].node->dtype, 1);
  return TRUE;
}

TERM (vec)
{
  out->dtype = ls_dtype_vec (args[0].node->dtype, (guint) args[1].num);
  return args[1].num > 0 && args[1].num < 4096;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_core_terms[] = {
  { "min", NULL, V (NUM), 1, { V (NODE) }, min_of, "The lower bound of an integer node." },
  { "max", NULL, V (NUM), 1, { V (NODE) }, max_of, "The upper bound of an integer node." },
  { "divisor", NULL, V (NUM), 1, { V (NODE) }, divisor_of, "The largest integer known to divide every value of a node." },
  { "power_of_two", NULL, V (BOOL), 1, { V (NUM) }, power_of_two, "Is the number a power of two?" },
  { "log2", NULL, V (NUM), 1, { V (NUM) }, log2_of, "The logarithm to base two of a power of two." },
  { "fits", NULL, V (BOOL), 2, { V (NUM), V (NUM) }, fits, "Do both numbers fit 64 bits?" },
  { "is_const", NULL, V (BOOL), 1, { V (NODE) }, is_const, "Is the node a constant?" },
  { "is_in_memory", NULL, V (BOOL), 1, { V (NODE) }, is_in_memory, "Is the value in memory?" },
  { "same_dtype", NULL, V (BOOL), 2, { V (NODE), V (NODE) }, same_dtype, "Do two nodes have the same dtype?" },
  { "lanes", NULL, V (NUM), 1, { V (NODE) }, lanes, "The number of lanes of a node." },
  { "count", NULL, V (NUM), 1, { V (NODES) }, count, "The length of a sequence." },
  { "count", NULL, V (NUM), 1, { V (NUMS) }, count, "The length of a sequence." },
  { "take", NULL, V (NUMS), 2, { V (NUMS), V (NUMS) }, take_numbers, "The elements of the first sequence at the positions in the second." },
  { "take", NULL, V (NODES), 2, { V (NODES), V (NUMS) }, take_nodes, "The elements of the first sequence at the positions in the second." },
  { "at", NULL, V (NODE), 2, { V (NODES), V (NUM) }, at, "The element of a sequence at a position, counted from 0." },
  { "up_to", NULL, V (NUMS), 1, { V (NUM) }, up_to, "The numbers from 0 to below the argument." },
  { "lane", NULL, V (NODE), 2, { V (NODE), V (NUM) }, lane, "One lane of a vector; a scalar is its own lane." },
  { "scalar", NULL, V (DTYPE), 1, { V (NODE) }, scalar, "The dtype of one lane." },
  { "vec", NULL, V (DTYPE), 2, { V (NODE), V (NUM) }, vec, "The node's dtype with that many lanes." },
  { NULL },
};
