/* The schedule: the plan's stored nodes as kernels, in the order of the graph. */
#include "plan.h"

static void
item_free (gpointer data)
{
  LsScheduleItem *item = data;
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
    if (p.stored[i]) {
      LsScheduleItem *item = ls_kernel_graph_new (&p, i, buffer_of, record);
      buffer_of[i] = item->buffer;
      numbers[i] = item->buffer->arg.ints[1] == 0 ? 0 : ++number;      /* nothing is launched for no elements */
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
