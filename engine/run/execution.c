/* The effect of each row, as the interpreter's hook receives it.
 *
 * Rows that do nothing when they are executed (constants, definitions, pointers, whose index shows in the access) have no step. Loop
 * counters are those of the loops around a row, which depend on its position, and are read from their slots. Steps before the window are
 * executed and not kept; none after it is executed. Watching keeps nothing: each execution that is asked for lets the caller look at the
 * slots.
 */
#include "execution.h"

#include "fault.h"
#include "interp-private.h"

#define NO_LOOP G_MAXUINT

typedef struct {
  LsInterp    *interp;
  LsExecution *execution;
  guint       *outer;        /* by place in the code: the place of the innermost RANGE around it; of a RANGE and its ENDRANGE the RANGE */
  guint       *around;       /* by place of a RANGE: that of the one around it */
  guint32     *items;        /* places in the list of the SPECIALs, in the order of the plan's items */
  guint64      from;
  /* watching */
  guint32          place;
  LsExecutionWatch watch;    /* or NULL */
  gpointer         data;
} Run;

struct _LsExecutionAt {
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
  for (guint i = 0; i < run->interp->n_uops; i++)
    if (run->interp->uops[i]->op == LS_OP_SPECIAL)
      run->items[n++] = i;
}

static guint
add_turns (const Run *run, const LsPlan *plan, const LsScalar *slots, GArray *turns)
{
  guint first = turns->len;
  for (guint k = 0; k < run->interp->items->len; k++) {
    LsLoopTurn turn = { run->items[k], slots[g_array_index (run->interp->items, LsPlanItem, k).slot].i };
    g_array_append_val (turns, turn);
  }
  guint inside = turns->len;
  for (guint at = run->outer[plan - code_of (run)]; at != NO_LOOP; at = run->around[at]) {
    LsLoopTurn turn = { code_of (run)[at].row, slots[code_of (run)[at].dst].i };
    g_array_insert_val (turns, inside, turn);
  }
  return turns->len - first;
}

static gboolean
has_value (const LsStep *step)
{
  return step->plan->plan <= LS_PLAN_LOAD && !step->failed;
}

static gboolean
is_access (const LsPlan *plan)
{
  return plan->plan == LS_PLAN_LOAD || plan->plan == LS_PLAN_STORE;
}

static void
keep (const Run *run, const LsStep *step)
{
  LsExecution *x = run->execution;
  const LsPlan *plan = step->plan;
  LsExecutedRow row = { .step = step->number, .place = plan->row, .dtype = ls_dtype_scalar (run->interp->uops[plan->row]->dtype),
                        .lanes = plan->lanes,
                        .has_value = has_value (step), .jumps = step->jumps };
  if (is_access (plan) && !step->failed) {
    row.memory = step->n_cells == 0 ? LS_ROW_GATED : plan->plan == LS_PLAN_LOAD ? LS_ROW_READ : LS_ROW_WRITTEN;
    row.is_local = plan->buffer >= run->interp->n_buffers;
    row.buffer = row.is_local ? plan->buffer - run->interp->n_buffers : plan->buffer;
    row.cell_dtype = plan->dtype;
    row.first_cell = x->cells->len;
    row.n_cells = step->n_cells;
    g_array_append_vals (x->cells, step->cells, step->n_cells);
  }
  if (row.has_value) {
    row.first_value = x->values->len;
    g_array_append_vals (x->values, step->slots + plan->dst, plan->lanes);
  }
  row.first_turn = x->turns->len;
  row.n_turns = add_turns (run, plan, step->slots, x->turns);
  g_array_append_val (x->rows, row);
}

static gboolean
on_step (const LsStep *step, gpointer data)
{
  const Run *run = data;
  run->execution->n_steps = step->number;
  if (step->failed)
    run->execution->error_place = step->plan->row;
  if (step->number >= run->from)
    keep (run, step);
  if (!run->watch || (run->place != step->plan->row && run->place != LS_ANY_PLACE))
    return TRUE;
  LsExecutionAt at = { run, step->plan, step->slots };
  return !(has_value (step) || (step->plan->plan == LS_PLAN_STORE && step->n_cells > 0)) || run->watch (&at, run->data);
}

guint32
ls_execution_at_place (const LsExecutionAt *at)
{
  return at->plan->row;
}

const LsScalar *
ls_execution_at_value (const LsExecutionAt *at, guint *lanes)
{
  *lanes = at->plan->lanes;
  return at->slots + (at->plan->plan == LS_PLAN_STORE ? at->plan->src[2] : at->plan->dst);
}

gboolean
ls_execution_at_source (const LsExecutionAt *at, guint k, guint lane, LsScalar *value)
{
  const LsPlan *plan = at->plan;
  gboolean access = is_access (plan);
  /* a PHI's accumulator has its new value by now */
  guint place = access ? (k == 0 ? 0 : 2) : plan->plan == LS_PLAN_COPY && plan->op == LS_OP_PHI ? k - 1 : k;
  gboolean known = access ? k < 2 && (k == 0 || plan->has_gate || plan->plan == LS_PLAN_STORE)
                          : plan->plan == LS_PLAN_ALU ? k < (guint) ls_op_info (plan->op)->arity : plan->plan == LS_PLAN_COPY && place == 0;
  if (!known || plan->src[place] == LS_NO_SLOT)
    return FALSE;
  *value = at->slots[plan->src[place] + lane * plan->step[place]];
  return TRUE;
}

void
ls_execution_at_turns (const LsExecutionAt *at, GArray *turns)
{
  add_turns (at->run, at->plan, at->slots, turns);
}

/* how: the window and the watched rows. */
static LsExecution *
execute (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, Run how, guint64 to, GError **error)
{
  g_autoptr (LsInterp) interp = ls_interp_new (n_uops, uops, n_buffers, buffers, error);
  if (!interp)
    return NULL;
  g_autoptr (LsExecution) x = g_new0 (LsExecution, 1);
  g_autofree guint *outer = g_new (guint, interp->code->len), *around = g_new (guint, interp->code->len);
  g_autofree guint32 *items = g_new (guint32, n_uops + 1);
  x->rows = g_array_new (FALSE, FALSE, sizeof (LsExecutedRow));
  x->values = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  x->turns = g_array_new (FALSE, FALSE, sizeof (LsLoopTurn));
  x->cells = g_array_new (FALSE, FALSE, sizeof (LsCell));
  x->error_place = LS_ANY_PLACE;
  Run run = { interp, x, outer, around, items, how.from, how.place, how.watch, how.data };
  find_loops (&run);
  LsInterpHow hooked = { .deadline = G_MAXINT64, .hook = on_step, .data = &run, .most_steps = to };
  x->ended = ls_interp_execute (interp, &hooked, &x->error) == LS_INTERP_DONE;
  if (x->error && x->error_place == LS_ANY_PLACE && !g_error_matches (x->error, LS_FAULT, LS_FAULT_BARRIER)) {
    g_propagate_error (error, g_steal_pointer (&x->error));
    return NULL;
  }
  return g_steal_pointer (&x);
}

LsExecution *
ls_execution_run (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 from, guint64 to, GError **error)
{
  g_return_val_if_fail (from >= 1 && from <= to && to - from < LS_EXECUTION_MOST_ROWS, NULL);
  return execute (n_uops, uops, n_buffers, buffers, (Run) { .from = from }, to, error);
}

LsExecution *
ls_execution_watch (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 most_steps, guint32 place,
                    LsExecutionWatch watch, gpointer data, GError **error)
{
  g_return_val_if_fail (watch && most_steps < G_MAXUINT64, NULL);
  return execute (n_uops, uops, n_buffers, buffers, (Run) { .from = G_MAXUINT64, .place = place, .watch = watch, .data = data }, most_steps,
                  error);
}

void
ls_execution_free (LsExecution *x)
{
  if (!x)
    return;
  g_array_unref (x->rows);
  g_array_unref (x->values);
  g_array_unref (x->turns);
  g_array_unref (x->cells);
  g_clear_error (&x->error);
  g_free (x);
}
