/* The reference interpreter: what a linear list means, step by step, with the functions of ir/eval.h for every op.
 *
 * It is what compiled kernels are compared with, so it is written to be right first: each op is one call, each access is checked
 * against its buffer. Work items (SPECIAL) run one after the other; where a group has a barrier, each item runs up to it before
 * any goes on, each with its own slots. Deadline and cancellation are looked at every few thousand turns.
 */
#include "interp-private.h"

#include <string.h>

#define TURNS_BETWEEN_LOOKS 4096

typedef struct {
  LsInterp     *interp;
  guint8      **locals;      /* memory of each DEFINE_LOCAL */
  gint64        deadline;
  GCancellable *cancellable;
  guint         turns;       /* until the next look at the clock */
  LsInterpState state;
  GError      **error;
} Run;

/* FALSE when time is up or the run was cancelled. */
static gboolean
look (Run *run)
{
  run->turns = TURNS_BETWEEN_LOOKS;
  if (g_cancellable_set_error_if_cancelled (run->cancellable, run->error))
    run->state = LS_INTERP_FAILED;
  else if (g_get_monotonic_time () >= run->deadline)
    run->state = LS_INTERP_DEADLINE;
  return run->state == LS_INTERP_DONE;
}

static void
fail_index (Run *run, const LsPlan *plan, gint64 index, gsize nbytes)
{
  guint n_buffers = run->interp->n_buffers;
  gboolean is_local = plan->buffer >= n_buffers;
  run->state = LS_INTERP_FAILED;
  g_set_error (run->error, LS_ERROR, LS_ERROR_RUN, "row %u: %s of %u element%s at index %" G_GINT64_FORMAT " of %s %u, which has %" G_GSIZE_FORMAT,
               plan->row, ls_op_name (plan->op), plan->lanes, plan->lanes == 1 ? "" : "s", index, is_local ? "local memory" : "buffer",
               is_local ? plan->buffer - n_buffers : plan->buffer, nbytes / MAX (plan->unit, 1));
}

/* The memory of an access, or NULL with the run failed. */
static inline guint8 *
locate (Run *run, const LsPlan *plan, const LsScalar *slots)
{
  gint64 index = plan->src[0] == LS_NO_SLOT ? 0 : slots[plan->src[0]].i;
  guint n_buffers = run->interp->n_buffers;
  guint8 *data;
  gsize nbytes;
  if (plan->buffer < n_buffers) {
    data = run->interp->buffers[plan->buffer]->data;
    nbytes = run->interp->buffers[plan->buffer]->nbytes;
  } else {
    data = run->locals[plan->buffer - n_buffers];
    nbytes = g_array_index (run->interp->locals, gsize, plan->buffer - n_buffers);
  }
  gsize size = (gsize) plan->lanes * ls_dtype_itemsize (plan->dtype);
  if (G_UNLIKELY (index < 0 || size > nbytes || (guint64) index > (nbytes - size) / plan->unit)) {
    fail_index (run, plan, index, nbytes);
    return NULL;
  }
  return data + (gsize) index * plan->unit;
}

static inline gboolean
load (Run *run, const LsPlan *plan, LsScalar *slots)
{
  if (plan->has_gate && !slots[plan->src[1]].i) {
    for (guint k = 0; k < plan->lanes; k++)
      slots[plan->dst + k] = slots[plan->src[2] + k * plan->step[2]];
    return TRUE;
  }
  const guint8 *memory = locate (run, plan, slots);
  if (memory == NULL)
    return FALSE;
  for (guint k = 0; k < plan->lanes; k++, memory += ls_dtype_itemsize (plan->dtype))
    slots[plan->dst + k] = ls_scalar_load (plan->dtype, memory);
  return TRUE;
}

static inline gboolean
store (Run *run, const LsPlan *plan, const LsScalar *slots)
{
  if (plan->has_gate && !slots[plan->src[1]].i)
    return TRUE;
  guint8 *memory = locate (run, plan, slots);
  if (memory == NULL)
    return FALSE;
  for (guint k = 0; k < plan->lanes; k++, memory += ls_dtype_itemsize (plan->dtype))
    ls_scalar_store (plan->dtype, memory, slots[plan->src[2] + k * plan->step[2]]);
  return TRUE;
}

static inline void
compute (const LsPlan *plan, LsScalar *slots)
{
  guint arity = (guint) ls_op_info (plan->op)->arity;
  for (guint k = 0; k < plan->lanes; k++) {
    LsScalar src[3];
    src[0] = slots[plan->src[0] + k * plan->step[0]];
    if (arity > 1)
      src[1] = slots[plan->src[1] + k * plan->step[1]];
    if (arity > 2)
      src[2] = slots[plan->src[2] + k * plan->step[2]];
    slots[plan->dst + k] = ls_eval_alu (plan->op, plan->dtype, plan->src_dtype, src);
  }
}

/* One work item from *at to the next barrier or the end. TRUE at a barrier; look at run->state otherwise. */
static gboolean
run_item (Run *run, LsScalar *slots, guint *at)
{
  const LsPlan *code = (const LsPlan *) (gpointer) run->interp->code->data;
  const guint32 *lanes = (const guint32 *) (gpointer) run->interp->lanes->data;
  for (const LsPlan *plan = code + *at;; plan++)
    switch ((LsPlanOp) plan->plan) {
    case LS_PLAN_ALU:
      compute (plan, slots);
      break;
    case LS_PLAN_COPY:
      for (guint k = 0; k < plan->lanes; k++)
        slots[plan->dst + k] = slots[plan->src[0] + k * plan->step[0]];
      break;
    case LS_PLAN_GATHER:
      for (guint k = 0; k < plan->lanes; k++)
        slots[plan->dst + k] = slots[lanes[plan->jump + k]];
      break;
    case LS_PLAN_LOAD:
      if (!load (run, plan, slots))
        return FALSE;
      break;
    case LS_PLAN_STORE:
      if (!store (run, plan, slots))
        return FALSE;
      break;
    case LS_PLAN_RANGE:
      slots[plan->dst].i = 0;
      if (slots[plan->src[0]].i <= 0)
        plan = code + plan->jump - 1;
      break;
    case LS_PLAN_ENDRANGE:
      if (G_UNLIKELY (--run->turns == 0) && !look (run))
        return FALSE;
      if (++slots[plan->dst].i < slots[plan->src[0]].i)
        plan = code + plan->jump - 1;
      break;
    case LS_PLAN_IF:
      if (!slots[plan->src[0]].i)
        plan = code + plan->jump - 1;
      break;
    case LS_PLAN_BARRIER:
      *at = (guint) (plan - code) + 1;
      return TRUE;
    case LS_PLAN_END:
      return FALSE;
    }
}

static void
set_items (const LsInterp *interp, gboolean local, guint64 number, LsScalar *slots)
{
  for (guint k = 0; k < interp->items->len; k++) {
    const LsPlanItem *item = &g_array_index (interp->items, LsPlanItem, k);
    if (item->is_local != local)
      continue;
    slots[item->slot].i = (gint64) (number % (guint64) item->size);
    number /= (guint64) item->size;
  }
}

/* FALSE when there are more than can be counted. */
static gboolean
count_items (const LsInterp *interp, gboolean local, guint64 *count)
{
  *count = 1;
  for (guint k = 0; k < interp->items->len; k++) {
    const LsPlanItem *item = &g_array_index (interp->items, LsPlanItem, k);
    if (item->is_local == local && !g_uint64_checked_mul (count, *count, (guint64) MAX (item->size, 0)))
      return FALSE;
  }
  return TRUE;
}

/* A group with barriers: all items up to the next barrier, then all of them on from there. */
static void
run_group (Run *run, guint64 group, guint64 n_local, LsScalar *slots, guint *at)
{
  const LsInterp *interp = run->interp;
  guint n_slots = interp->initial->len;
  for (guint64 item = 0; item < n_local; item++) {
    LsScalar *own = slots + item * n_slots;
    memcpy (own, interp->initial->data, n_slots * sizeof *own);
    set_items (interp, FALSE, group, own);
    set_items (interp, TRUE, item, own);
    at[item] = 0;
  }
  for (gboolean waiting = TRUE; waiting;) {
    guint64 n_waiting = 0;
    for (guint64 item = 0; item < n_local; item++) {
      n_waiting += run_item (run, slots + item * n_slots, &at[item]);
      if (run->state != LS_INTERP_DONE || (--run->turns == 0 && !look (run)))
        return;
    }
    waiting = n_waiting > 0;
    if (waiting && n_waiting != n_local) {
      run->state = LS_INTERP_FAILED;
      g_set_error (run->error, LS_ERROR, LS_ERROR_RUN, "a barrier is reached by %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " work items",
                   n_waiting, n_local);
      return;
    }
  }
}

#define MOST_GROUP_SLOTS ((guint64) 1 << 26)

static void
run_all (Run *run)
{
  const LsInterp *interp = run->interp;
  guint n_slots = interp->initial->len;
  guint64 n_groups = 0, n_local = 0;
  if (!count_items (interp, FALSE, &n_groups) || !count_items (interp, TRUE, &n_local) ||
      n_local > MOST_GROUP_SLOTS / MAX (n_slots, 1)) {
    run->state = LS_INTERP_FAILED;
    g_set_error (run->error, LS_ERROR, LS_ERROR_RUN, "there are too many work items");
    return;
  }
  g_autofree LsScalar *slots = g_new0 (LsScalar, (interp->has_barrier ? n_local : 1) * n_slots + 1);
  g_autofree guint *at = g_new0 (guint, interp->has_barrier ? n_local + 1 : 1);
  for (guint64 group = 0; group < n_groups; group++)
    if (interp->has_barrier) {
      run_group (run, group, n_local, slots, at);
      if (run->state != LS_INTERP_DONE)
        return;
    } else
      for (guint64 item = 0; item < n_local; item++) {
        if (item + group == 0)
          memcpy (slots, interp->initial->data, n_slots * sizeof *slots);
        set_items (interp, FALSE, group, slots);
        set_items (interp, TRUE, item, slots);
        *at = 0;
        run_item (run, slots, at);
        if (run->state != LS_INTERP_DONE || (--run->turns == 0 && !look (run)))
          return;
      }
}

LsInterpState
ls_interp_execute (LsInterp *interp, gint64 deadline, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) locals = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < interp->locals->len; k++)
    g_ptr_array_add (locals, g_malloc0 (g_array_index (interp->locals, gsize, k) + 1));
  Run run = { interp, (guint8 **) locals->pdata, deadline, cancellable, TURNS_BETWEEN_LOOKS, LS_INTERP_DONE, error };
  if (look (&run))
    run_all (&run);
  return run.state;
}

gboolean
ls_interp_run (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GCancellable *cancellable, GError **error)
{
  g_autoptr (LsInterp) interp = ls_interp_new (n_uops, uops, n_buffers, buffers, error);
  return interp && ls_interp_execute (interp, G_MAXINT64, cancellable, error) == LS_INTERP_DONE;
}
