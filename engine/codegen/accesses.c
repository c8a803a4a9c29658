/* The strides of a kernel's accesses, found by computing each index at a few points. */
#include "accesses.h"

#include "ir/eval.h"
#include "rules/linear.h"

/* The indices that all nodes have where ranges have these values (by place in order). A loaded value may be any number. */
static void
compute (const LsAccesses *k, const gint64 *at, gint64 *values, LsNodeMap *places)
{
  for (guint i = 0; i < k->order->len; i++) {
    const LsUOp *u = k->order->pdata[i];
    LsScalar src[3] = { 0 };
    guint64 place;
    for (guint s = 0; s < MIN (u->n_src, 3); s++)
      if (ls_node_map_get (places, u->src[s], &place))
        src[s].i = values[place];
    gboolean is_index = ls_dtype_base (u->dtype) == LS_BASE_INDEX || ls_dtype_is_bool (u->dtype);
    LsDType from = u->n_src ? u->src[u->n_src - 1]->dtype : LS_VOID;
    if (u->op == LS_OP_RANGE)
      values[i] = at[i];
    else if (u->op == LS_OP_CONST && is_index)
      values[i] = u->arg.i;
    else if (is_index && ls_op_is_alu (u->op) && u->n_src <= 3 && (ls_dtype_base (from) == LS_BASE_INDEX || ls_dtype_is_bool (from)) &&
             u->op != LS_OP_CAST)
      values[i] = ls_eval_alu (u->op, u->dtype, from, src).i;
    else
      values[i] = (src[0].i * 1000003 + (gint64) i) % 65537;
  }
}

void
ls_accesses_find_strides (LsContext *ctx, LsAccesses *k)
{
  LsNodeMap *places = ls_node_map_acquire (ctx);
  guint n = k->order->len, n_axes = k->loops->len + k->reduces->len;
  g_autofree gint64 *at = g_new0 (gint64, n), *values = g_new0 (gint64, 4 * n);
  for (guint i = 0; i < n; i++)
    ls_node_map_set (places, k->order->pdata[i], i);
  for (guint point = 0; point < 2; point++) {
    for (guint i = 0; i < n; i++)
      if (((LsUOp *) k->order->pdata[i])->op == LS_OP_RANGE)
        at[i] = point == 0 ? 0 : ls_range_size (k->order->pdata[i]) / 2 / 16 * 16;
    compute (k, at, values, places);
    for (guint a = 0; a < n_axes; a++) {
      const LsUOp *range = a < k->loops->len ? k->loops->pdata[a] : k->reduces->pdata[a - k->loops->len];
      guint64 place = 0;
      ls_node_map_get (places, range, &place);
      guint steps = (guint) MIN (3, ls_range_size (range) - 1 - at[place]);
      for (guint step = 1; step <= steps; step++) {
        at[place]++;
        compute (k, at, values + step * n, places);
      }
      at[place] -= steps;
      for (guint i = 0; i < k->accesses->len; i++) {
        LsStridedAccess *access = &g_array_index (k->accesses, LsStridedAccess, i);
        guint64 index = 0;
        ls_node_map_get (places, access->index->src[1], &index);
        gint64 stride = steps ? values[n + index] - values[index] : 0;
        for (guint step = 2; step <= steps; step++)
          if (values[step * n + index] - values[(step - 1) * n + index] != stride)
            stride = LS_UNKNOWN_STRIDE;
        access->stride[a] = point == 0 || access->stride[a] == stride ? stride : LS_UNKNOWN_STRIDE;
      }
    }
  }
  ls_node_map_release (ctx, places);
}

static int
by_axis (gconstpointer a, gconstpointer b)
{
  gint64 x = ls_range_order (*(LsUOp *const *) a), y = ls_range_order (*(LsUOp *const *) b);
  return x < y ? -1 : x > y;
}

static gboolean
look_at (LsContext *ctx, LsAccesses *k, LsUOp *root)
{
  k->order = ls_uop_toposort (ctx, root);
  k->work = 1;
  for (guint i = 0; i < k->order->len; i++) {
    LsUOp *u = k->order->pdata[i];
    if (u->op == LS_OP_RANGE) {
      k->work *= (double) ls_range_size (u);
      g_ptr_array_add (ls_range_type (u) == LS_AXIS_REDUCE ? k->reduces : k->loops, u);
    }
    if ((u->op != LS_OP_LOAD && u->op != LS_OP_STORE) || u->src[0]->op != LS_OP_INDEX)
      continue;
    LsStridedAccess a = { u->src[0], u->op == LS_OP_STORE, FALSE, { 0 } };
    if (a.is_store && u->n_src > 1)
      k->dtype = ls_dtype_scalar (u->src[1]->dtype);
    g_array_append_val (k->accesses, a);
  }
  g_ptr_array_sort (k->loops, by_axis);
  g_ptr_array_sort (k->reduces, by_axis);
  if (k->loops->len + k->reduces->len > LS_MAX_AXES)
    return FALSE;
  for (guint i = 0; i < k->accesses->len; i++)
    for (guint r = 0; r < k->reduces->len; r++) {
      LsStridedAccess *a = &g_array_index (k->accesses, LsStridedAccess, i);
      a->in_reduce |= ls_uop_depends (ctx, (LsUOp *) a->index, k->reduces->pdata[r]);
    }
  return TRUE;
}

LsAccesses *
ls_accesses_new (LsContext *ctx, LsUOp *lowered)
{
  LsAccesses *k = g_new0 (LsAccesses, 1);
  k->loops = g_ptr_array_new ();
  k->reduces = g_ptr_array_new ();
  k->accesses = g_array_new (FALSE, FALSE, sizeof (LsStridedAccess));
  k->dtype = LS_FLOAT;
  if (!look_at (ctx, k, lowered))
    g_clear_pointer (&k, ls_accesses_free);
  return k;
}

void
ls_accesses_free (LsAccesses *k)
{
  g_ptr_array_unref (k->order);
  g_ptr_array_unref (k->loops);
  g_ptr_array_unref (k->reduces);
  g_array_unref (k->accesses);
  g_free (k);
}
