/* Operations and bytes of a kernel, from its lowered graph.
 *
 * An op counts once an iteration of the ranges that it depends on.
 *
 * The elements that an access touches are estimated from its index only: the number of iterations of the index (the product of the sizes
 * of its ranges, so that a range it does not depend on, along which it is broadcast, does not count), but no more than between its
 * bounds inside the buffer. That is exact where the index is one to one or covers all between its bounds. Equal accesses are one node
 * and count once; the sum of a buffer's reads is at most the buffer, and so is that of its writes.
 */
#include "work.h"

#include "ir/axis.h"

#define MOST_RANGES 64

typedef struct { LsUOp *buffer; double touched[2]; } Traffic;      /* elements read and written */

static double
turns_of (GPtrArray *ranges, guint64 mask)
{
  double turns = 1;
  for (guint r = 0; r < ranges->len; r++)
    if (mask >> r & 1)
      turns *= (double) ls_range_size (ranges->pdata[r]);
  return turns;
}

static gboolean
is_work (const LsUOp *u)
{
  LsDType of = u->n_src ? u->src[u->n_src - 1]->dtype : LS_VOID;
  return (ls_op_is_alu (u->op) && u->op != LS_OP_WHERE && !ls_dtype_is_bool (u->dtype) && ls_dtype_base (u->dtype) != LS_BASE_INDEX) ||
         (ls_op_is_comparison (u->op) && ls_dtype_base (of) != LS_BASE_INDEX && !ls_dtype_is_bool (of)) || u->op == LS_OP_REDUCE;
}

static double
touched (const LsUOp *index, double turns)
{
  const LsUOp *at = index->src[1];
  gint64 size = (gint64) ls_dtype_ptr_size (index->src[0]->dtype), first = MAX (at->vmin, 0), last = MIN (at->vmax, size - 1);
  return last < first ? 0 : MIN (turns, (double) last - (double) first + 1);
}

static void
add_access (GArray *traffic, const LsUOp *index, gboolean is_store, double turns)
{
  guint i = 0;
  while (i < traffic->len && g_array_index (traffic, Traffic, i).buffer != index->src[0])
    i++;
  if (i == traffic->len) {
    Traffic t = { index->src[0], { 0, 0 } };
    g_array_append_val (traffic, t);
  }
  g_array_index (traffic, Traffic, i).touched[is_store] += touched (index, turns);
}

void
ls_count_work (LsContext *ctx, LsUOp *root, double *flops, double *bytes)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root), ranges = g_ptr_array_new ();
  g_autoptr (GArray) traffic = g_array_new (FALSE, FALSE, sizeof (Traffic));
  /* INDEX nodes that are read and written */
  LsNodeMap *masks = ls_node_map_acquire (ctx), *counted[2] = { ls_node_map_acquire (ctx), ls_node_map_acquire (ctx) };
  *flops = *bytes = 0;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    guint64 mask = 0, m;
    for (guint k = 0; k < u->n_src; k++)
      if (ls_node_map_get (masks, u->src[k], &m))
        mask |= m;
    if (u->op == LS_OP_RANGE && ranges->len < MOST_RANGES) {
      mask = G_GUINT64_CONSTANT (1) << ranges->len;
      g_ptr_array_add (ranges, u);
    }
    if (is_work (u))
      *flops += turns_of (ranges, mask);
    if (u->op == LS_OP_REDUCE)
      for (guint k = 1; k < u->n_src; k++)
        if (ls_node_map_get (masks, u->src[k], &m))
          mask &= ~m;
    gboolean is_store = u->op == LS_OP_STORE;
    if ((is_store || u->op == LS_OP_LOAD) && u->src[0]->op == LS_OP_INDEX && !ls_node_map_has (counted[is_store], u->src[0])) {
      const LsUOp *index = u->src[0];
      ls_node_map_set (counted[is_store], index, 1);
      add_access (traffic, index, is_store, turns_of (ranges, ls_node_map_get (masks, index->src[1], &m) ? m : 0));
    }
    ls_node_map_set (masks, u, mask);
  }
  ls_node_map_release (ctx, counted[1]);
  ls_node_map_release (ctx, counted[0]);
  ls_node_map_release (ctx, masks);
  for (guint i = 0; i < traffic->len; i++) {
    const Traffic *t = &g_array_index (traffic, Traffic, i);
    double size = (double) ls_dtype_ptr_size (t->buffer->dtype);
    *bytes += (MIN (t->touched[0], size) + MIN (t->touched[1], size)) * ls_dtype_itemsize (t->buffer->dtype);
  }
}
