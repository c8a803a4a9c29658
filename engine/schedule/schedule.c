/* The schedule: the plan's stored nodes as kernels, in the order in which they are launched. */
#include "plan.h"

static void
item_free (gpointer data)
{
  LsScheduleItem *item = data;
  g_array_unref (item->outputs);
  g_array_unref (item->inputs);
  if (item->map)
    g_array_unref (item->map);
  g_free (data);
}

LsSchedule *
ls_schedule_new (LsContext *ctx, LsUOp *sink, gboolean record, guint kernel_base, LsScheduleHow how)
{
  LsSchedule *s = g_new0 (LsSchedule, 1);
  LsPlan p;
  s->items = g_ptr_array_new_with_free_func (item_free);
  s->results = g_new0 (LsUOp *, MAX (sink->n_src, 1));
  ls_plan_init (&p, ctx, sink, record, how);
  guint n = p.order->len, number = kernel_base;
  g_autofree LsUOp **buffer_of = g_new0 (LsUOp *, n);
  g_autofree guint *numbers = g_new0 (guint, n);
  for (guint i = 0; i < n; i++)
    if (ls_plan_is_earlier (&p, i))
      buffer_of[i] = g_hash_table_lookup (p.earlier, p.order->pdata[i]);
  g_autoptr (GArray) ends = NULL, places = ls_outputs_order (&p, &ends);
  for (guint i = 0, first = 0; i < ends->len; first = g_array_index (ends, guint, i++)) {
    const guint32 *at = &g_array_index (places, guint32, first);
    guint n_outputs = g_array_index (ends, guint, i) - first;
    LsScheduleItem *item = ls_kernel_graph_new (&p, n_outputs, at, buffer_of, record);
    guint own = ls_schedule_is_empty (item) ? 0 : ++number;
    for (guint k = 0; k < n_outputs; k++)
      numbers[at[k]] = own;
    g_ptr_array_add (s->items, item);
  }
  ls_plan_number (&p, numbers);
  for (guint r = 0; r < sink->n_src; r++) {
    LsUOp *base = ls_plan_base (sink->src[r]);
    if (base->op == LS_OP_CONST)
      base = sink->src[r];
    s->results[r] = base->op == LS_OP_BUFFER ? base : buffer_of[ls_plan_place (&p, base)];
  }
  s->decisions = p.decisions ? g_array_ref (p.decisions) : g_array_new (FALSE, FALSE, sizeof (LsDecision));
  ls_plan_clear (&p);
  return s;
}

/* The bytes of a value in memory. */
static gint64
bytes_of (LsContext *ctx, LsUOp *u)
{
  return ls_shape_size (ls_shape_of_memory (ls_uop_shape (ctx, u))) * ls_dtype_itemsize (ls_dtype_strong (u->dtype));
}

/* What the kernel of the nodes at n places reads. */
static void
add_reads (LsPlan *p, guint kernel, guint n, const guint32 *places, GArray *to)
{
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    ls_node_map_set (seen, p->order->pdata[places[i]], 1);
  for (guint i = 0; i < n; i++) {
    const LsUOp *stored = p->order->pdata[places[i]];
    for (guint k = stored->op == LS_OP_ASSIGN ? 2 : 0; k < stored->n_src; k++)
      g_ptr_array_add (todo, stored->src[k]);
  }
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    guint32 at = ls_plan_place (p, u);
    if (ls_node_map_has (seen, u))
      continue;
    ls_node_map_set (seen, u, 1);
    if (p->stored[at] || u->op == LS_OP_BUFFER) {
      LsUOp *what = ls_plan_is_earlier (p, at) ? g_hash_table_lookup (p->earlier, u) : u;
      g_array_append_vals (to, &(LsScheduleAccess) { kernel, what, bytes_of (p->ctx, u), FALSE }, 1);
      continue;
    }
    for (guint k = 0; k < u->n_src; k++)
      g_ptr_array_add (todo, u->src[k]);
  }
  ls_node_map_release (p->ctx, seen);
}

GArray *
ls_schedule_accesses (LsContext *ctx, LsUOp *sink, LsScheduleHow how)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsScheduleAccess));
  LsPlan p;
  ls_plan_init (&p, ctx, sink, FALSE, how);
  g_autoptr (GArray) ends = NULL, places = ls_outputs_order (&p, &ends);
  for (guint i = 0, first = 0; i < ends->len; first = g_array_index (ends, guint, i++)) {
    const guint32 *at = &g_array_index (places, guint32, first);
    guint n = g_array_index (ends, guint, i) - first;
    add_reads (&p, i, n, at, out);
    for (guint k = 0; k < n; k++) {
      LsUOp *u = p.order->pdata[at[k]];
      g_array_append_vals (out, &(LsScheduleAccess) { i, u, bytes_of (ctx, u), TRUE }, 1);
    }
  }
  ls_plan_clear (&p);
  return out;
}

GArray *
ls_schedule_decide (LsContext *ctx, LsUOp *sink, LsScheduleHow how)
{
  LsPlan p;
  ls_plan_init (&p, ctx, sink, TRUE, how);
  GArray *decisions = g_array_ref (p.decisions);
  ls_plan_clear (&p);
  return decisions;
}

/* By which a choice is recorded. */
static const LsReason reasons_of_choices[] = {
  [LS_CHOICE_STORE] = LS_REASON_CHOSEN, [LS_CHOICE_FUSE] = LS_REASON_CHOSEN_FUSED, [LS_CHOICE_AGAIN] = LS_REASON_CHOSEN_AGAIN,
  [LS_CHOICE_JOIN] = LS_REASON_CHOSEN_JOINED,
};

GArray *
ls_overrides_of (const LsDecision *decisions, guint n)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOverride));
  for (guint i = 0; i < n; i++)
    for (gsize c = 0; c < G_N_ELEMENTS (reasons_of_choices); c++)
      if (decisions[i].key == reasons_of_choices[c])
        g_array_append_vals (out, &(LsOverride) { decisions[i].node, decisions[i].user, c }, 1);
  return out;
}

LsUOp *
ls_schedule_values (LsContext *ctx, const LsScheduleItem *item)
{
  guint n = item->outputs->len;
  g_autofree LsUOp **nodes = g_new (LsUOp *, n);
  for (guint i = 0; i < n; i++)
    nodes[i] = ls_schedule_output (item, i)->node;
  return n == 1 ? nodes[0] : ls_uop_new (ctx, LS_OP_SINK, LS_VOID, n, nodes, ls_arg_none ());
}

void
ls_schedule_free (LsSchedule *s)
{
  if (!s)
    return;
  g_ptr_array_unref (s->items);
  g_array_unref (s->decisions);
  g_free (s->results);
  g_free (s);
}
