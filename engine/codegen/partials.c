/* The terms of accumulate.rules for GROUP on targets whose groups have memory: the partial results of a reduce are computed by work
 * items, which put them together.
 *
 * GROUP replaces a reduce by a reduce over a GROUP range of a reduce over the remaining range. Here the first one's value is stored into
 * memory of the group, an element for each iteration of the GROUP range, and a loop of its own adds these up. As long as the GROUP range
 * is a loop, that is a sum in two steps, and the BARRIER between them has no effect; the pass dims makes it a work item index, and then
 * the items wait at the barrier. AFTER(BARRIER(store), range) ends the loop where it still is one.
 *
 * The memory has an element for each value that another item, or another iteration of a loop around, may be at: of the GROUP range, all
 * LOCAL ones, the loops around that are not work items, and lanes. So no item writes data that another one may still read, and one
 * barrier is enough. A kernel has one such GROUP range: the items of another one would all have the same partial results, and write them
 * to the same place. Where it has two, or the memory is more than a group has, the reduce stays one of two loops.
 */
#include "codegen.h"

#include <string.h>

gboolean
ls_partials_are_shared (const LsTarget *target, const LsSettings *settings)
{
  return target->local_bytes > 0 && !(settings && settings->MODERN);
}

/* --- which loops a value is in --- */

/* The ranges that a value depends on and that nothing in it has ended. FALSE: there are more loops than can be distinguished. */
static gboolean
loops_around (LsContext *ctx, LsUOp *value, GPtrArray *out)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, value), ranges = g_ptr_array_new ();
  LsNodeMap *masks = ls_node_map_acquire (ctx);
  guint64 mask = 0, m;
  for (guint i = 0; i < order->len && ranges->len <= LS_MAX_AXES; i++) {
    LsUOp *u = order->pdata[i];
    mask = 0;
    for (guint k = 0; k < u->n_src; k++)
      mask |= ls_node_map_get (masks, u->src[k], &m) ? m : 0;
    for (guint k = 0; k < u->n_src && (u->op == LS_OP_REDUCE || u->op == LS_OP_PHI || u->op == LS_OP_AFTER); k++)
      if (u->src[k]->op == LS_OP_RANGE && (u->op == LS_OP_AFTER || k > 0) && ls_node_map_get (masks, u->src[k], &m))
        mask &= ~m;
    if (u->op == LS_OP_RANGE && ranges->len < LS_MAX_AXES)
      mask |= G_GUINT64_CONSTANT (1) << ranges->len;
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (ranges, u);
    ls_node_map_set (masks, u, mask);
  }
  ls_node_map_release (ctx, masks);
  for (guint i = 0; i < MIN (ranges->len, LS_MAX_AXES); i++)
    if (mask >> i & 1)
      g_ptr_array_add (out, ranges->pdata[i]);
  return ranges->len <= LS_MAX_AXES;
}

static gboolean
is_of_group (const LsUOp *range)
{
  return ls_range_type (range) == LS_AXIS_LOCAL || ls_range_type (range) == LS_AXIS_GROUP;
}

/* Is it the group's number, or a part of it? All items of a group have the same. */
static gboolean
is_group_index (const LsDimsContext *dims, const LsUOp *range)
{
  for (guint i = 0; i < dims->n; i++)
    if (dims->items[i].range == range)
      return !is_of_group (range);
  return FALSE;
}

/* --- how much memory it takes --- */

double
ls_partials_bytes (LsContext *ctx, const LsTarget *target, LsUOp *root, const LsUOp *next, gint64 amount)
{
  LsDimsContext dims;
  double items = amount, bytes = 0;
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root), order = ls_uop_toposort (ctx, root);
  ls_dims_prepare (ctx, target, root, &dims);
  for (guint i = 0; i < ranges->len; i++)
    items *= is_of_group (ranges->pdata[i]) ? (double) ls_range_size (ranges->pdata[i]) : 1;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    gboolean shared = FALSE;
    for (guint k = 1; u->op == LS_OP_REDUCE && k < u->n_src; k++)
      shared |= u->src[k]->op == LS_OP_RANGE && (u->src[k] == next || ls_range_type (u->src[k]) == LS_AXIS_GROUP);
    if (!shared)
      continue;
    g_autoptr (GPtrArray) around = g_ptr_array_new ();
    double n = items * ls_dtype_itemsize (u->dtype);
    loops_around (ctx, u, around);
    for (guint k = 0; k < around->len; k++)
      n *= is_of_group (around->pdata[k]) || is_group_index (&dims, around->pdata[k]) ? 1 : (double) ls_range_size (around->pdata[k]);
    bytes += n;
  }
  return bytes;
}

void
ls_accumulate_prepare (LsContext *ctx, const LsTarget *target, const LsSettings *settings, LsUOp *root, LsAccContext *pass)
{
  *pass = (LsAccContext) { .keeps_lanes = settings->ACC == LS_ACC_VECTOR, .ahead = ls_settings_profile_info (settings)->ahead };
  if (!ls_partials_are_shared (target, settings))
    return;
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root);
  pass->memory = target->local_bytes;
  ls_dims_prepare (ctx, target, root, &pass->dims);
  for (guint i = 0, n_groups = 0; i < ranges->len; i++)
    if (ls_range_type (ranges->pdata[i]) == LS_AXIS_LOCAL && pass->n_items < G_N_ELEMENTS (pass->items))
      pass->items[pass->n_items++] = ranges->pdata[i];
    else if (is_of_group (ranges->pdata[i]) && n_groups++ > 0)
      pass->memory = 0;
}

/* --- terms --- */

/* Rules of anybody's may ask for anything. */
static gboolean
is_partial (const LsUOp *value, const LsUOp *group)
{
  return group->op == LS_OP_RANGE && ls_range_type (group) == LS_AXIS_GROUP && !ls_dtype_is_ptr (value->dtype) &&
         ls_dtype_itemsize (value->dtype) > 0 && ls_dtype_lanes (value->dtype) <= MAX_LANES;
}

/* The ranges that an element of the memory is for each value of, but for the GROUP range itself. FALSE: it is not known which. */
static gboolean
axes_of_memory (LsContext *ctx, const LsAccContext *pass, LsUOp *value, GPtrArray *out)
{
  g_autoptr (GPtrArray) around = g_ptr_array_new ();
  if (!loops_around (ctx, value, around))
    return FALSE;
  for (guint i = 0; i < pass->n_items; i++)
    g_ptr_array_add (out, pass->items[i]);
  for (guint i = 0; i < around->len; i++)
    if (!is_of_group (around->pdata[i]) && !is_group_index (&pass->dims, around->pdata[i]))
      g_ptr_array_add (out, around->pdata[i]);
  return TRUE;
}

/* Elements, or 0: too many. */
static guint64
elements (LsContext *ctx, const LsAccContext *pass, LsUOp *value, const LsUOp *group)
{
  g_autoptr (GPtrArray) axes = g_ptr_array_new ();
  double n = (double) ls_range_size (group) * ls_dtype_lanes (value->dtype);
  if (!axes_of_memory (ctx, pass, value, axes))
    return 0;
  for (guint i = 0; i < axes->len; i++)
    n *= (double) ls_range_size (axes->pdata[i]);
  return n * ls_dtype_itemsize (value->dtype) + pass->used <= pass->memory ? (guint64) n : 0;
}

static gboolean
is_shared (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *range = args[1].node;
  out->holds = is_partial (args[0].node, range) && elements (call->ctx, call->pass, args[0].node, range) > 0;
  return TRUE;
}

static gboolean
partials (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsAccContext *pass = call->pass;
  LsDType dtype = ls_dtype_scalar (args[0].node->dtype);
  guint64 n = is_partial (args[0].node, args[1].node) ? elements (call->ctx, pass, args[0].node, args[1].node) : 0;
  if (n == 0)
    return FALSE;
  pass->used += (guint) n * ls_dtype_itemsize (dtype);
  out->node = ls_uop_new0 (call->ctx, LS_OP_DEFINE_LOCAL, ls_dtype_ptr (dtype, LS_SPACE_LOCAL, n), ls_arg_int (pass->n_memories++));
  return TRUE;
}

static gboolean
again (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *r = args[0].node;
  if (r->op != LS_OP_RANGE || ls_range_part (r) >= LS_PART_AGAIN)
    return FALSE;
  gint64 arg[4] = { ls_range_axis (r), LS_AXIS_REDUCE, LS_PART_AGAIN + ls_range_part (r), ls_range_place (r) };
  out->node = ls_uop_new1 (call->ctx, LS_OP_RANGE, r->dtype, r->src[0], ls_arg_ints (call->ctx, arg[3] == arg[0] ? 3 : 4, arg));
  return TRUE;
}

static LsUOp *
times_plus (LsContext *ctx, LsUOp *a, gint64 n, LsUOp *b)
{
  LsUOp *product = !a || n == 1 ? a : ls_uop_alu2 (ctx, LS_OP_MUL, a, ls_uop_const_i (ctx, LS_INDEX, n));
  return product ? ls_uop_alu2 (ctx, LS_OP_ADD, product, b) : b;
}

/* Lanes are contiguous, then the items of the GROUP range. */
static gboolean
element (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsContext *ctx = call->ctx;
  LsUOp *memory = args[0].node, *value = args[1].node, *group = args[2].node, *at = args[3].node, *index = NULL;
  g_autoptr (GPtrArray) axes = g_ptr_array_new (), lanes = g_ptr_array_new ();
  guint n = ls_dtype_lanes (value->dtype);
  if (!is_partial (value, group) || memory->op != LS_OP_DEFINE_LOCAL || at->op != LS_OP_RANGE ||
      !axes_of_memory (ctx, call->pass, value, axes))
    return FALSE;
  for (guint i = 0; i < axes->len; i++)
    index = times_plus (ctx, index, ls_range_size (axes->pdata[i]), axes->pdata[i]);
  index = times_plus (ctx, index, ls_range_size (group), at);
  for (guint i = 0; i < n && n > 1; i++)
    g_ptr_array_add (lanes, times_plus (ctx, index, n, ls_uop_const_i (ctx, LS_INDEX, i)));
  if (n > 1)
    index = ls_uop_new (ctx, LS_OP_VECTORIZE, ls_dtype_vec (LS_INDEX, n), n, (LsUOp *const *) lanes->pdata, ls_arg_none ());
  out->node = ls_uop_new2 (ctx, LS_OP_INDEX, ls_dtype_vec (memory->dtype, n), memory, index, ls_arg_none ());
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_partials_terms[] = {
  { "is_shared", "accumulate", V (BOOL), 2, { V (NODE), V (NODE) }, is_shared,
    "Does this range number partial results that are stored in group memory?" },
  { "partials", "accumulate", V (NODE), 2, { V (NODE), V (NODE) }, partials,
    "Group memory for the node's value in each iteration of the range.", TRUE },
  { "again", NULL, V (NODE), 1, { V (NODE) }, again, "A second range of the same size, for the loop over the partial results.", TRUE },
  /* how large each axis of the memory is is known from all items of the group and the loops around */
  { "element", "accumulate", V (NODE), 4, { V (NODE), V (NODE), V (NODE), V (NODE) }, element,
    "The element of that group memory for this iteration of the range.", TRUE },
  { NULL },
};
