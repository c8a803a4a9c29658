/* The reference interpreter: executes a linear list step by step, with the functions of ir/eval.h for every op.
 *
 * Compiled kernels are compared with it, so it is written to be right first: each op is one call, each access is checked against its
 * buffer. Work items (SPECIAL) run one after the other; if a group has a barrier, each item runs up to it before any continues, each
 * with its own slots. Deadline and cancellation are looked at every few thousand iterations.
 *
 * There is one loop. Who wants to see the rows hands in a hook, which is called after each; without one neither steps nor the cells
 * that were touched are kept.
 */
#include "interp-private.h"

#include "fault.h"

#include <string.h>

#define TURNS_BETWEEN_LOOKS 4096

typedef struct {
  LsInterp          *interp;
  const LsInterpHow *how;
  guint8           **locals;      /* memory of each DEFINE_LOCAL */
  guint              turns;       /* until the next look at the clock */
  LsInterpState      state;
  guint64            n_steps;     /* with a hook: executed … */
  guint64            most_steps;  /* … and where it stops */
  GArray            *cells;       /* LsCell: those of the row, with a hook */
  GError           **error;
} Run;

/* FALSE when time is up or the run was cancelled. */
static gboolean
look (Run *run)
{
  run->turns = TURNS_BETWEEN_LOOKS;
  if (g_cancellable_set_error_if_cancelled (run->how->cancellable, run->error) ||
      g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), run->error))
    run->state = LS_INTERP_FAILED;
  else if (g_get_monotonic_time () >= run->how->deadline)
    run->state = LS_INTERP_DEADLINE;
  return run->state == LS_INTERP_DONE;
}

static void
fail_index (Run *run, const LsPlan *plan, guint width, gint64 index, gsize nbytes)
{
  guint n_buffers = run->interp->n_buffers;
  gboolean is_local = plan->buffer >= n_buffers;
  run->state = LS_INTERP_FAILED;
  g_set_error (run->error, LS_FAULT, LS_FAULT_OUTSIDE,
               is_local && width == 1 ? "node %u (%s): %u element at index %" G_GINT64_FORMAT " of local memory %u, which has %"
                                        G_GSIZE_FORMAT :
               is_local ? "node %u (%s): %u elements at index %" G_GINT64_FORMAT " of local memory %u, which has %" G_GSIZE_FORMAT :
               width == 1 ? "node %u (%s): %u element at index %" G_GINT64_FORMAT " of buffer %u, which has %" G_GSIZE_FORMAT
                          : "node %u (%s): %u elements at index %" G_GINT64_FORMAT " of buffer %u, which has %" G_GSIZE_FORMAT,
               run->interp->uops[plan->row]->id, ls_op_name (plan->op), width, index,
               is_local ? plan->buffer - n_buffers : plan->buffer, nbytes / MAX (plan->unit, 1));
}

/* The memory of width elements at an index, or NULL with the run failed. */
static inline guint8 *
locate (Run *run, const LsPlan *plan, gint64 index, guint width)
{
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
  gsize size = (gsize) width * ls_dtype_itemsize (plan->dtype);
  if (G_UNLIKELY (index < 0 || size > nbytes || (guint64) index > (nbytes - size) / plan->unit)) {
    fail_index (run, plan, width, index, nbytes);
    return NULL;
  }
  return data + (gsize) index * plan->unit;
}

G_ALWAYS_INLINE static inline void
move_cell (Run *run, const LsPlan *plan, guint8 *memory, gint64 element, LsScalar *slots, guint lane, gboolean hooked)
{
  LsCell cell = { .element = element };
  if (hooked)
    cell.was = ls_scalar_load (plan->dtype, memory);
  if (plan->plan == LS_PLAN_LOAD)
    slots[plan->dst + lane] = ls_scalar_load (plan->dtype, memory);
  else
    ls_scalar_store (plan->dtype, memory, slots[plan->src[2] + lane * plan->step[2]]);
  if (hooked) {
    cell.is = ls_scalar_load (plan->dtype, memory);
    g_array_append_val (run->cells, cell);
  }
}

/* LOAD and STORE: one address for all lanes, or one for each. */
G_ALWAYS_INLINE static inline gboolean
access_memory (Run *run, const LsPlan *plan, LsScalar *slots, gboolean hooked)
{
  guint width = plan->step[0] ? 1 : plan->lanes;
  for (guint k = 0; k < plan->lanes; k += width) {
    if (plan->has_gate && !slots[plan->src[1] + k * plan->step[1]].i) {
      for (guint lane = k; lane < k + width && plan->plan == LS_PLAN_LOAD; lane++)
        slots[plan->dst + lane] = slots[plan->src[2] + lane * plan->step[2]];
      continue;
    }
    gint64 index = plan->src[0] == LS_NO_SLOT ? 0 : slots[plan->src[0] + k * plan->step[0]].i;
    guint8 *memory = locate (run, plan, index, width);
    if (memory == NULL)
      return FALSE;
    gint64 element = hooked ? (gint64) ((gsize) index * plan->unit / ls_dtype_itemsize (plan->dtype)) : 0;
    for (guint lane = 0; lane < width; lane++, memory += ls_dtype_itemsize (plan->dtype))
      move_cell (run, plan, memory, element + lane, slots, k + lane, hooked);
  }
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
    slots[plan->dst + k] = plan->library ? ls_eval_library (plan->op, plan->dtype, src)
                                         : ls_eval_alu (plan->op, plan->dtype, plan->src_dtype, src);
  }
}

/* Shows the hook the row that was executed. FALSE when nothing more is to be. */
static gboolean
show (Run *run, const LsPlan *plan, const LsScalar *slots, gboolean jumps)
{
  LsStep step = { ++run->n_steps, plan, slots, run->state == LS_INTERP_FAILED, jumps, run->cells->len,
                  (const LsCell *) (gpointer) run->cells->data };
  if (!run->how->hook (&step, run->how->data))
    run->most_steps = run->n_steps;
  g_array_set_size (run->cells, 0);
  return !step.failed;
}

/* One work item from *at to the next barrier or the end. TRUE at a barrier; look at run->state otherwise. */
G_ALWAYS_INLINE static inline gboolean
run_rows (Run *run, LsScalar *slots, guint *at, gboolean hooked)
{
  const LsPlan *code = (const LsPlan *) (gpointer) run->interp->code->data;
  const guint32 *lanes = (const guint32 *) (gpointer) run->interp->lanes->data;
  for (const LsPlan *plan = code + *at, *next;; plan = next) {
    gboolean jumps = FALSE, goes_on = TRUE;
    if (hooked && run->n_steps == run->most_steps && plan->plan != LS_PLAN_END && !plan->helps) {
      run->state = LS_INTERP_STOPPED;
      return FALSE;
    }
    next = plan + 1;
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
    case LS_PLAN_STORE:
      goes_on = access_memory (run, plan, slots, hooked);
      break;
    case LS_PLAN_RANGE:
      slots[plan->dst].i = 0;
      jumps = slots[plan->src[0]].i <= 0;
      break;
    case LS_PLAN_ENDRANGE:
      if (G_UNLIKELY (--run->turns == 0) && !look (run))
        return FALSE;
      jumps = ++slots[plan->dst].i < slots[plan->src[0]].i;
      break;
    case LS_PLAN_IF:
      jumps = !slots[plan->src[0]].i;
      break;
    case LS_PLAN_BARRIER:
      break;
    case LS_PLAN_END:
      return FALSE;
    }
    if (jumps)
      next = code + plan->jump;
    if (hooked && !plan->helps)
      goes_on = show (run, plan, slots, jumps);
    if (G_UNLIKELY (!goes_on))
      return FALSE;
    if (plan->plan == LS_PLAN_BARRIER) {
      *at = (guint) (next - code);
      return TRUE;
    }
  }
}

/* Written once, compiled twice: without a hook there is nothing to ask. */
static gboolean
run_item (Run *run, LsScalar *slots, guint *at)
{
  return run->how->hook ? run_rows (run, slots, at, TRUE) : run_rows (run, slots, at, FALSE);
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
      g_set_error (run->error, LS_FAULT, LS_FAULT_BARRIER, "a barrier was reached by only %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                                           " work items",
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
    g_set_error (run->error, LS_FAULT, LS_FAULT_SIZE, "there are too many work items");
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
        if (item + group == 0 && n_slots > 0)
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
ls_interp_execute (LsInterp *interp, const LsInterpHow *how, GError **error)
{
  g_autoptr (GPtrArray) locals = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (LsCell));
  for (guint k = 0; k < interp->locals->len; k++)
    g_ptr_array_add (locals, g_malloc0 (g_array_index (interp->locals, gsize, k) + 1));
  Run run = { interp, how, (guint8 **) locals->pdata, TURNS_BETWEEN_LOOKS, LS_INTERP_DONE, 0, how->most_steps, cells, error };
  if (look (&run))
    run_all (&run);
  return run.state;
}

gboolean
ls_interp_run (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GCancellable *cancellable, GError **error)
{
  LsInterpHow how = { .deadline = G_MAXINT64, .cancellable = cancellable };
  g_autoptr (LsInterp) interp = ls_interp_new (n_uops, uops, n_buffers, buffers, error);
  return interp && ls_interp_execute (interp, &how, error) == LS_INTERP_DONE;
}
