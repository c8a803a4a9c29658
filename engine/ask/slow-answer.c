/* See slow-answer.h. */
#include "slow-answer.h"

#include "ask.h"
#include "run/fault.h"
#include "ir/names.h"

gint
ls_slow_row_number (const LsSlowRun *p, guint32 place)
{
  return ls_row_number (p->numbers, p->uops[place]->id);
}

const LsCell *
ls_slow_cells (const LsSlowRun *p, const LsExecutedRow *row)
{
  return &g_array_index (p->x->cells, LsCell, row->first_cell);
}

char *
ls_slow_loop_name (const LsSlowRun *p, guint place)
{
  return ls_label_of_loop (p->names, p->uops[place]);
}

const LsExecutedRow *
ls_slow_row (const LsSlowRun *p, guint i)
{
  return &g_array_index (p->x->rows, LsExecutedRow, p->backwards ? p->x->rows->len - 1 - i : i);
}

/* --- the answer --- */

/* n scalars, one every size bytes. */
static LsList
scalars_of (const LsAnswering *answer, LsDType dtype, guint n, const LsScalar *first, gsize size)
{
  LsValueScalar *out = ls_answer_keep (answer, g_new (LsValueScalar, n + 1), g_free);
  for (guint i = 0; i < n; i++)
    out[i] = (LsValueScalar) { dtype, *(const LsScalar *) (gconstpointer) ((const char *) first + i * size) };
  return ls_list_of (n, out, sizeof *out);
}

#define LOOP(X) \
  X (name, OWNED, ls_slow_loop_name (p, t->place), TRUE, \
     "Name of the loop; where the source has another, both: i·ridx0.") \
  X (row, INT, ls_slow_row_number (p, t->place), TRUE, "Its row in the listing, or -1.") \
  X (node, INT, p->uops[t->place]->id, TRUE, "Id of its node.") \
  X (value, INT, t->value, TRUE, "Its counter.")
LS_INNER_RECORD (slow_loop, LOOP, const LsSlowRun *p = answer->data; const LsLoopTurn *t = row;)

static const char *const accesses[] = { "", "read", "written", "gated", NULL };

#define MEMORY(X) \
  X (access, NAME, r->memory, TRUE, "Kind of access: read, written, or gated (no access).", .names = accesses) \
  X (local, BOOL, r->is_local, touched, "true for local memory.") \
  X (buffer, INT, r->buffer, touched, "Number of the argument, or of the local memory.") \
  X (index, INT, cells->element, touched, "The first element.") \
  X (value, LIST, scalars_of (answer, r->cell_dtype, r->n_cells, &cells->is, sizeof *cells), touched, "Its value afterwards.", \
     .item = LS_CELL_SCALAR) \
  X (was, LIST, scalars_of (answer, r->cell_dtype, r->n_cells, &cells->was, sizeof *cells), touched && r->memory == LS_ROW_WRITTEN, \
     "Its value before the write.", .item = LS_CELL_SCALAR)
LS_INNER_RECORD (slow_memory, MEMORY, const LsExecutedRow *r = row; gboolean touched = r->n_cells > 0;
                 const LsCell *cells = touched ? ls_slow_cells (answer->data, r) : NULL;)

#define EXECUTED(X) \
  X (step, INT, r->step, TRUE, "Number of the step, from 1.") \
  X (row, INT, ls_slow_row_number (p, r->place), TRUE, "The row of the listing that was executed, or -1.") \
  X (node, INT, u->id, TRUE, "Id of its node.") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Its op.") \
  X (loops, LIST, ls_list_of (r->n_turns, r->n_turns ? &g_array_index (p->x->turns, LsLoopTurn, r->first_turn) : NULL, \
                             sizeof (LsLoopTurn)), TRUE, "The loops around it, the outermost first.", .of = &slow_loop) \
  X (value, LIST, scalars_of (answer, r->dtype, r->lanes, &g_array_index (p->x->values, LsScalar, r->first_value), sizeof (LsScalar)), \
     r->has_value, "Its value in each lane.", .item = LS_CELL_SCALAR) \
  X (jumps, BOOL, r->jumps, u->op == LS_OP_RANGE || u->op == LS_OP_ENDRANGE || u->op == LS_OP_IF, \
     "RANGE and IF: true if the block is skipped; ENDRANGE: true if there is another iteration.") \
  X (memory, ROW, r, r->memory != LS_ROW_NO_MEMORY, "The memory that it accessed.", .of = &slow_memory)
LS_INNER_RECORD (slow_row, EXECUTED, const LsSlowRun *p = answer->data; const LsExecutedRow *r = ls_slow_row (p, index);
                 const LsUOp *u = p->uops[r->place];)

#define SLOW(X) \
  X (kernel, INT, p->kernel->number, TRUE, "Number of the kernel.") \
  X (name, TEXT, p->kernel->name, TRUE, "Its name.") \
  X (notes, TEXT, *p->notes ? p->notes : NULL, TRUE, "Notes on its inputs and its result, or null.") \
  X (rows, LIST, ls_list_numbers (x->rows->len), TRUE, "The steps.", .of = &slow_row, .lines = TRUE) \
  X (steps, INT, x->n_steps, TRUE, "Number of executed steps.") \
  X (ended, BOOL, x->ended, TRUE, "true if these are all steps of the kernel.") \
  X (error, TEXT, x->error->message, x->error != NULL, "The reason for a stop, if it was stopped.") \
  X (fault, TEXT, ls_fault_name ((LsFault) x->error->code), x->error != NULL, "The kind of fault: outside, no-buffer or barrier.")
LS_RECORD (ls_slow_answer, SLOW, const LsSlowRun *p = row; const LsExecution *x = p->x;)
