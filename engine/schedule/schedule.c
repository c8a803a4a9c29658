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

GArray *
ls_schedule_decide (LsContext *ctx, LsUOp *sink, LsScheduleHow how)
{
  LsPlan p;
  ls_plan_init (&p, ctx, sink, TRUE, how);
  GArray *decisions = g_array_ref (p.decisions);
  ls_plan_clear (&p);
  return decisions;
}

GArray *
ls_overrides_of (const LsDecision *decisions, guint n)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOverride));
  for (guint i = 0; i < n; i++)
    if (decisions[i].key == LS_REASON_CHOSEN || decisions[i].key == LS_REASON_CHOSEN_FUSED)
      g_array_append_vals (out, &(LsOverride) { decisions[i].node, decisions[i].user, decisions[i].key == LS_REASON_CHOSEN }, 1);
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
