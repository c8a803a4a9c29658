/* The interpreter in slow motion.
 *
 * The plan is the interpreter's own, and so are the functions that say what an op means; the loop is another one, so that what
 * is kept of each step costs the interpreter nothing. Rows that do nothing when they are executed (constants, definitions, pointers, whose
 * index shows in the access) have no step. Loop counters are those of the loops around a row, which is a matter of where it stands, and
 * read from their slots. Steps before the window are executed and not kept; none after it is executed. Watching keeps nothing: the loop stops at each
 * execution that is asked for and lets the caller look at the slots.
 */
#include "slow.h"

#include "interp-private.h"

#include <string.h>

#define NO_LOOP G_MAXUINT

typedef struct {
  LsInterp *interp;
  LsSlow   *slow;
  guint8  **locals;       /* memory of each DEFINE_LOCAL */
  guint    *outer;        /* by place in the code: the place of the innermost RANGE around it; of a RANGE and its ENDRANGE the RANGE */
  guint    *around;       /* by place of a RANGE: that of the one around it */
  guint32  *item_rows;    /* rows of the SPECIALs, in the order of items */
  guint64   from, to;
  /* watching */
  guint32      row;
  LsSlowWatch  watch;     /* or NULL */
  gpointer     data;
} Run;

struct _LsSlowAt {
  const Run      *run;
  const LsPlan   *plan;
  const LsScalar *slots;
};

static const LsPlan *
code_of (const Run *run)
{
  return (const LsPlan *) (gpointer) run->interp->code->data;
}

static void
find_loops (Run *run)
{
  const LsPlan *code = code_of (run);
  guint at = NO_LOOP;
  for (guint i = 0; i < run->interp->code->len; i++) {
    if (code[i].plan == LS_PLAN_RANGE) {
      run->around[i] = at;
      at = i;
    }
    run->outer[i] = at;
    if (code[i].plan == LS_PLAN_ENDRANGE)
      at = run->around[at];
  }
  guint n = 0;
  for (guint row = 0; row < run->interp->n_uops; row++)
    if (run->interp->uops[row]->op == LS_OP_SPECIAL)
      run->item_rows[n++] = row;
}

static guint
keep (Run *run, const LsScalar *values, guint n)
{
  guint first = run->slow->values->len;
  g_array_append_vals (run->slow->values, values, n);
  return first;
}

static guint
add_loops (const Run *run, const LsPlan *plan, const LsScalar *slots, GArray *loops)
{
  guint first = loops->len;
  for (guint k = 0; k < run->interp->items->len; k++) {
    LsSlowLoop loop = { run->item_rows[k], slots[g_array_index (run->interp->items, LsPlanItem, k).slot].i };
    g_array_append_val (loops, loop);
  }
  guint inside = loops->len;
  for (guint at = run->outer[plan - code_of (run)]; at != NO_LOOP; at = run->around[at]) {
    LsSlowLoop loop = { code_of (run)[at].row, slots[code_of (run)[at].dst].i };
    g_array_insert_val (loops, inside, loop);
  }
  return loops->len - first;
}

static void
keep_loops (Run *run, const LsPlan *plan, const LsScalar *slots, LsSlowRow *row)
{
  row->first_loop = run->slow->loops->len;
  row->n_loops = add_loops (run, plan, slots, run->slow->loops);
}

/* --- watching --- */

guint32
ls_slow_at_row (const LsSlowAt *at)
{
  return at->plan->row;
}

const LsScalar *
ls_slow_at_value (const LsSlowAt *at, guint *lanes)
{
  *lanes = at->plan->lanes;
  return at->slots + (at->plan->plan == LS_PLAN_STORE ? at->plan->src[2] : at->plan->dst);
}

gboolean
ls_slow_at_source (const LsSlowAt *at, guint k, guint lane, LsScalar *value)
{
  const LsPlan *plan = at->plan;
  gboolean access = plan->plan == LS_PLAN_LOAD || plan->plan == LS_PLAN_STORE;
  guint place = access ? (k == 0 ? 0 : 2) : plan->plan == LS_PLAN_COPY && plan->op == LS_OP_PHI ? k - 1 : k;      /* a PHI's accumulator has its new value by now */
  gboolean known = access ? k < 2 && (k == 0 || plan->has_gate || plan->plan == LS_PLAN_STORE)
                          : plan->plan == LS_PLAN_ALU ? k < (guint) ls_op_info (plan->op)->arity : plan->plan == LS_PLAN_COPY && place == 0;
  if (!known || plan->src[place] == LS_NO_SLOT)
    return FALSE;
  *value = at->slots[plan->src[place] + lane * plan->step[place]];
  return TRUE;
}

void
ls_slow_at_loops (const LsSlowAt *at, GArray *loops)
{
  add_loops (at->run, at->plan, at->slots, loops);
}

static void
tell (Run *run, const LsPlan *plan, const LsScalar *slots, const LsSlowRow *row)
{
  LsSlowAt at = { run, plan, slots };
  if ((row->has_value || (plan->plan == LS_PLAN_STORE && row->memory == LS_SLOW_WRITTEN)) && !run->watch (&at, run->data))
    run->to = run->slow->n_steps;
}

/* The memory of an access, or NULL with the run stopped. */
static guint8 *
locate (Run *run, const LsPlan *plan, const LsScalar *slots, LsSlowRow *row)
{
  const LsInterp *interp = run->interp;
  gint64 index = plan->src[0] == LS_NO_SLOT ? 0 : slots[plan->src[0]].i;
  gsize item = ls_dtype_itemsize (plan->dtype), size = (gsize) plan->lanes * item;
  row->is_local = plan->buffer >= interp->n_buffers;
  row->buffer = row->is_local ? plan->buffer - interp->n_buffers : plan->buffer;
  guint8 *data = row->is_local ? run->locals[row->buffer] : interp->buffers[row->buffer]->data;
  gsize nbytes = row->is_local ? g_array_index (interp->locals, gsize, row->buffer) : interp->buffers[row->buffer]->nbytes;
  row->cell_dtype = plan->dtype;
  if (index < 0 || size > nbytes || (guint64) index > (nbytes - size) / plan->unit) {
    run->slow->error = g_strdup_printf ("step %" G_GUINT64_FORMAT ", row %u: %s of %u element%s at index %" G_GINT64_FORMAT " of %s %u, which has %" G_GSIZE_FORMAT, run->slow->n_steps,
                                        plan->row, ls_op_name (plan->op), plan->lanes, plan->lanes == 1 ? "" : "s", index, row->is_local ? "local memory" : "buffer", row->buffer,
                                        nbytes / MAX (plan->unit, 1));
    return NULL;
  }
  row->index = (gint64) ((gsize) index * plan->unit / item);
  return data + (gsize) index * plan->unit;
}

/* LOAD and STORE. FALSE: outside of a buffer. */
static gboolean
access_memory (Run *run, const LsPlan *plan, LsScalar *slots, LsSlowRow *row, gboolean keeps)
{
  gboolean is_load = plan->plan == LS_PLAN_LOAD;
  if (plan->has_gate && !slots[plan->src[1]].i) {
    row->memory = LS_SLOW_GATED;
    for (guint k = 0; k < plan->lanes && is_load; k++)
      slots[plan->dst + k] = slots[plan->src[2] + k * plan->step[2]];
    return TRUE;
  }
  gsize item = ls_dtype_itemsize (plan->dtype);
  guint8 *memory = locate (run, plan, slots, row);
  if (!memory)
    return FALSE;
  row->memory = is_load ? LS_SLOW_READ : LS_SLOW_WRITTEN;
  row->n_cells = plan->lanes;
  row->first_was = run->slow->values->len;
  for (guint k = 0; k < plan->lanes; k++) {
    LsScalar was = ls_scalar_load (plan->dtype, memory + k * item);
    if (is_load)
      slots[plan->dst + k] = was;
    else
      ls_scalar_store (plan->dtype, memory + k * item, slots[plan->src[2] + k * plan->step[2]]);
    if (keeps)
      keep (run, &was, 1);
  }
  row->first_cell = row->first_was;
  if (!is_load && keeps) {
    row->first_cell = run->slow->values->len;
    for (guint k = 0; k < plan->lanes; k++) {
      LsScalar now = ls_scalar_load (plan->dtype, memory + k * item);
      keep (run, &now, 1);
    }
  }
  return TRUE;
}

static void
compute (const LsPlan *plan, LsScalar *slots)
{
  guint arity = (guint) ls_op_info (plan->op)->arity;
  for (guint k = 0; k < plan->lanes; k++) {
    LsScalar src[3] = { { 0 } };
    for (guint s = 0; s < MIN (arity, 3); s++)
      src[s] = slots[plan->src[s] + k * plan->step[s]];
    slots[plan->dst + k] = ls_eval_alu (plan->op, plan->dtype, plan->src_dtype, src);
  }
}

typedef enum { GOES_ON, AT_BARRIER, AT_END } State;

/* One step at *at, which moves on. AT_END also where it stops for good: then there is an error, or the window is past. */
static State
execute_step (Run *run, LsScalar *slots, guint *at)
{
  const LsPlan *plan = code_of (run) + *at;
  const guint32 *lanes = (const guint32 *) (gpointer) run->interp->lanes->data;
  LsSlow *slow = run->slow;
  if (plan->plan == LS_PLAN_END || slow->n_steps == run->to)
    return AT_END;
  slow->n_steps++;
  gboolean keeps = slow->n_steps >= run->from;
  LsSlowRow row = { .step = slow->n_steps, .row = plan->row, .dtype = ls_dtype_scalar (run->interp->uops[plan->row]->dtype), .lanes = plan->lanes };
  row.has_value = plan->plan <= LS_PLAN_LOAD;
  guint next = *at + 1;
  State state = GOES_ON;
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
    if (!access_memory (run, plan, slots, &row, keeps))
      state = AT_END;
    row.has_value &= state == GOES_ON;
    break;
  case LS_PLAN_RANGE:
    slots[plan->dst].i = 0;
    row.jumps = slots[plan->src[0]].i <= 0;
    break;
  case LS_PLAN_ENDRANGE:
    row.jumps = ++slots[plan->dst].i < slots[plan->src[0]].i;
    break;
  case LS_PLAN_IF:
    row.jumps = !slots[plan->src[0]].i;
    break;
  case LS_PLAN_BARRIER:
    state = AT_BARRIER;
    break;
  case LS_PLAN_END:
    break;
  }
  if (row.jumps)
    next = plan->jump;
  if (keeps) {
    if (row.has_value)
      row.first_value = keep (run, slots + plan->dst, plan->lanes);
    keep_loops (run, plan, slots, &row);
    g_array_append_val (slow->rows, row);
  }
  if (run->watch && (run->row == plan->row || run->row == LS_SLOW_ANY_ROW))
    tell (run, plan, slots, &row);
  *at = next;
  return state;
}

static gboolean
stopped (const Run *run)
{
  return run->slow->error || run->slow->n_steps == run->to;
}

/* Sets the counters of a work item: those of its group, or its own within it. */
static void
set_items (const LsInterp *interp, gboolean local, guint64 number, LsScalar *slots)
{
  for (guint k = 0; k < interp->items->len; k++) {
    const LsPlanItem *item = &g_array_index (interp->items, LsPlanItem, k);
    if (item->is_local == local) {
      slots[item->slot].i = (gint64) (number % (guint64) item->size);
      number /= (guint64) item->size;
    }
  }
}

#define MOST_GROUP_SLOTS ((guint64) 1 << 26)

/* Work items of a group wait for each other at barriers; without barriers each runs to its end before the next. */
static void
run_group (Run *run, guint64 group, guint64 n_local, LsScalar *slots, guint *at)
{
  const LsInterp *interp = run->interp;
  guint n_slots = interp->initial->len;
  guint64 n_waiting = 0, own = interp->has_barrier ? 1 : 0;      /* slots of its own for each, or the same for all */
  for (guint64 item = 0; item < n_local; item++)
    at[item] = 0;
  for (gboolean first = TRUE; first || n_waiting > 0; first = FALSE) {
    n_waiting = 0;
    for (guint64 item = 0; item < n_local; item++) {
      LsScalar *s = slots + own * item * n_slots;
      if (first) {
        memcpy (s, interp->initial->data, n_slots * sizeof *s);
        set_items (interp, FALSE, group, s);
        set_items (interp, TRUE, item, s);
      }
      State state;
      while ((state = execute_step (run, s, &at[item])) == GOES_ON)
        ;
      n_waiting += state == AT_BARRIER;
      if (run->slow->error)
        return;
      if (state == AT_END && code_of (run)[at[item]].plan != LS_PLAN_END)
        return;      /* the window is past */
    }
    if (n_waiting > 0 && n_waiting != n_local && !stopped (run)) {
      run->slow->error = g_strdup_printf ("a barrier is reached by %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " work items", n_waiting, n_local);
      return;
    }
  }
  run->slow->ended = TRUE;
}

/* how: the window and what is watched. */
static LsSlow *
execute (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, Run how, GError **error)
{
  g_autoptr (LsInterp) interp = ls_interp_new (n_uops, uops, n_buffers, buffers, error);
  if (!interp)
    return NULL;
  guint64 n_groups = 1, n_local = 1;
  for (guint k = 0; k < interp->items->len; k++) {
    const LsPlanItem *item = &g_array_index (interp->items, LsPlanItem, k);
    guint64 *count = item->is_local ? &n_local : &n_groups;
    if (!g_uint64_checked_mul (count, *count, (guint64) MAX (item->size, 0)))
      *count = G_MAXUINT64;
  }
  guint n_slots = interp->initial->len;
  if (n_groups == G_MAXUINT64 || n_local > MOST_GROUP_SLOTS / MAX (n_slots, 1)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "there are too many work items");
    return NULL;
  }
  LsSlow *slow = g_new0 (LsSlow, 1);
  slow->rows = g_array_new (FALSE, FALSE, sizeof (LsSlowRow));
  slow->values = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  slow->loops = g_array_new (FALSE, FALSE, sizeof (LsSlowLoop));
  g_autoptr (GPtrArray) locals = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < interp->locals->len; k++)
    g_ptr_array_add (locals, g_malloc0 (g_array_index (interp->locals, gsize, k) + 1));
  g_autofree guint *outer = g_new (guint, interp->code->len), *around = g_new (guint, interp->code->len);
  g_autofree guint32 *item_rows = g_new (guint32, n_uops + 1);
  g_autofree LsScalar *slots = g_new0 (LsScalar, (interp->has_barrier ? n_local : 1) * n_slots + 1);
  g_autofree guint *at = g_new0 (guint, n_local + 1);
  Run run = { interp, slow, (guint8 **) locals->pdata, outer, around, item_rows, how.from, how.to, how.row, how.watch, how.data };
  find_loops (&run);
  slow->ended = TRUE;
  for (guint64 group = 0; group < n_groups && slow->ended; group++) {
    slow->ended = FALSE;
    run_group (&run, group, n_local, slots, at);
  }
  return slow;
}

LsSlow *
ls_slow_run (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 from, guint64 to, GError **error)
{
  g_return_val_if_fail (from >= 1 && from <= to && to - from < LS_SLOW_MOST_ROWS, NULL);
  return execute (n_uops, uops, n_buffers, buffers, (Run) { .from = from, .to = to }, error);
}

LsSlow *
ls_slow_watch (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 most_steps, guint32 row, LsSlowWatch watch, gpointer data, GError **error)
{
  g_return_val_if_fail (watch && most_steps < G_MAXUINT64, NULL);
  return execute (n_uops, uops, n_buffers, buffers, (Run) { .from = G_MAXUINT64, .to = most_steps, .row = row, .watch = watch, .data = data }, error);
}

void
ls_slow_free (LsSlow *slow)
{
  if (!slow)
    return;
  g_array_unref (slow->rows);
  g_array_unref (slow->values);
  g_array_unref (slow->loops);
  g_free (slow->error);
  g_free (slow);
}
