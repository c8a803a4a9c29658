/* What a decision's other choice would cost, in the terms in which kernels are judged: bytes that go to and from memory, operations. */
#include "plan.h"

#define MOST_COUNTED 4096      /* nodes of an expression that are looked at */

static gint64
n_elements (LsContext *ctx, LsUOp *u)
{
  LsShape shape;
  return ls_uop_get_shape (ctx, u, &shape, NULL) ? ls_shape_size (ls_shape_of_memory (shape)) : 0;
}

/* The operations that compute a value from memory once, each node's elements counted as they are. */
static void
count_work (LsContext *ctx, LsUOp *value, LsIsStored is_stored, gpointer data, LsDecisionCost *cost)
{
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  guint n = 0;
  g_ptr_array_add (todo, value);
  ls_node_map_set (seen, value, 1);
  while (todo->len > 0 && !(cost->at_least = ++n > MOST_COUNTED)) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (u != value && is_stored (data, u))
      continue;
    if (u->op == LS_OP_REDUCE_AXIS) {
      cost->work += n_elements (ctx, u->src[0]);
      cost->accumulators++;
    } else if (ls_op_is_alu (u->op)) {
      cost->work += n_elements (ctx, u);
    }
    for (guint i = 0; i < u->n_src; i++)
      if (!ls_node_map_has (seen, u->src[i])) {
        ls_node_map_set (seen, u->src[i], 1);
        g_ptr_array_add (todo, u->src[i]);
      }
  }
  ls_node_map_release (ctx, seen);
}

/* Bytes of the memory that the value is made of. */
static gint64
bytes_below (LsContext *ctx, LsUOp *value, LsIsStored is_stored, gpointer data)
{
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  gint64 bytes = 0;
  guint n = 0;
  g_ptr_array_add (todo, value);
  ls_node_map_set (seen, value, 1);
  while (todo->len > 0 && ++n <= MOST_COUNTED) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (u != value && is_stored (data, u)) {
      bytes += n_elements (ctx, u) * ls_dtype_itemsize (ls_dtype_strong (u->dtype));
      continue;
    }
    for (guint i = 0; i < u->n_src; i++)
      if (!ls_node_map_has (seen, u->src[i])) {
        ls_node_map_set (seen, u->src[i], 1);
        g_ptr_array_add (todo, u->src[i]);
      }
  }
  ls_node_map_release (ctx, seen);
  return bytes;
}

/* The elements as which the use sees the value, or 0: it does not use it. */
static gint64
elements_seen (LsContext *ctx, LsUOp *user, const LsUOp *value)
{
  gint64 most = 0;
  for (guint i = 0; i < (is_movement (user) ? 1 : user->n_src); i++) {
    LsUOp *seen = is_movement (user) ? user : user->src[i], *below = seen;
    while (below != value && is_movement (below))
      below = below->src[0];
    if (below == value)
      most = MAX (most, n_elements (ctx, seen));
  }
  return most;
}

gboolean
ls_decision_cost (LsContext *ctx, const LsDecision *d, LsUOp *kernel, LsIsStored is_stored, gpointer data,
                  LsDecisionCost *cost)
{
  LsUOp *value = ls_context_node (ctx, d->node), *user = d->user == G_MAXUINT32 ? NULL : ls_context_node (ctx, d->user);
  gboolean stores = ls_reasons[d->key].action == LS_DECISION_STORES;
  gboolean joins = ls_reasons[d->key].action == LS_DECISION_JOINS;
  gint64 n = value ? n_elements (ctx, value) : 0, seen = user && n ? elements_seen (ctx, user, value) : 0;
  *cost = (LsDecisionCost) { 0 };
  if (d->key == LS_REASON_CHOSEN_JOINED)
    return FALSE;
  if (joins && n) {      /* the value is stored in any case */
    cost->loaded = n * ls_dtype_itemsize (ls_dtype_strong (value->dtype));
    cost->times = 1;
    return TRUE;
  }
  if (ls_reasons[d->key].action == LS_DECISION_TAKES && n) {
    count_work (ctx, value, is_stored, data, cost);
    cost->loaded = bytes_below (ctx, value, is_stored, data) - n * ls_dtype_itemsize (ls_dtype_strong (value->dtype));
    cost->times = 1;
    cost->accumulators = 0;
    return TRUE;
  }
  if (!seen || user->op == LS_OP_SINK || ls_reasons[d->key].action == LS_DECISION_KEEPS || (stores && !d->realized))
    return FALSE;
  gint64 bytes = n * ls_dtype_itemsize (ls_dtype_strong (value->dtype));
  gboolean along = d->key == LS_REASON_ALONG || d->key == LS_REASON_TOGETHER ||
                   (user->op == LS_OP_EXPAND && ls_fuse_restores (ctx, user, is_stored, data));
  cost->times = along ? 1 : (seen + n - 1) / n;
  count_work (ctx, value, is_stored, data, cost);
  cost->work *= stores ? cost->times - 1 : -(cost->times - 1);
  cost->stored = cost->loaded = stores ? -bytes : bytes;
  cost->parallel = stores && kernel ? n_elements (ctx, kernel) : 0;
  cost->parallel_now = n;
  cost->accumulators = stores ? cost->accumulators : 0;
  return TRUE;
}
