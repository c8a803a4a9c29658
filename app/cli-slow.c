/* lazyscope-cli run --slow: a kernel's UOps executed row by row by the reference interpreter, forwards or backwards. */
#include "cli.h"

#include "ask/reference.h"
#include "run/execution.h"
#include "run/fault.h"

#include <string.h>

#define ROWS 1000

gboolean
ls_cli_parse_rows (const char *text, guint64 *from, guint64 *to, GError **error)
{
  *from = 1;
  *to = ROWS;
  if (!text)
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  gboolean ok = g_strv_length (parts) == 2 && g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXINT64, from, NULL) &&
                g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXINT64, to, NULL);
  if (!ok)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows takes FROM:TO, steps from 1, such as 1:100, or 100:1 for backwards; '%s' is none",
                 text);
  else if (MAX (*from, *to) - MIN (*from, *to) >= LS_EXECUTION_MOST_ROWS)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows %s: at most %d rows are printed at a time", text, LS_EXECUTION_MOST_ROWS);
  else
    return TRUE;
  return FALSE;
}

/* What is printed: the execution, and what its rows are called. */
typedef struct {
  const LsKernel    *kernel;
  LsExecution       *x;
  LsUOp *const      *uops;
  GHashTable        *numbers;      /* of rows, by node */
  const char        *notes;        /* of what it loads and of its result, lines; or "" */
  gboolean           backwards;
} Printed;

static gint
number_of (const Printed *p, guint32 place)
{
  return ls_row_number (p->numbers, p->uops[place]->id);
}

static LsScalar
value_at (const Printed *p, guint i)
{
  return g_array_index (p->x->values, LsScalar, i);
}

static const LsCell *
cells_of (const Printed *p, const LsExecutedRow *row)
{
  return &g_array_index (p->x->cells, LsCell, row->first_cell);
}

static void
append_value (GString *s, LsDType dtype, guint k, guint n, LsScalar value)
{
  g_autofree char *text = ls_scalar_print (dtype, value);
  g_string_append_printf (s, "%s%s%s", k ? ", " : n > 1 ? "(" : "", text, k + 1 == n && n > 1 ? ")" : "");
}

/* As the source names the loop, "ridx0", or "r7" where it does not. Free with g_free. */
static char *
loop_name (const Printed *p, guint place)
{
  const GArray *exprs = p->kernel->exprs;
  for (guint i = 0; i < exprs->len; i++) {
    const LsExpr *e = &g_array_index (exprs, LsExpr, i);
    if (e->node == p->uops[place]->id && e->expr && *e->expr)
      return g_strdup (e->expr);
  }
  return g_strdup_printf ("r%d", number_of (p, place));
}

static void
append_loops (GString *s, const Printed *p, const LsExecutedRow *row)
{
  for (guint k = 0; k < row->n_turns; k++) {
    const LsLoopTurn *t = &g_array_index (p->x->turns, LsLoopTurn, row->first_turn + k);
    g_autofree char *name = loop_name (p, t->place);
    g_string_append_printf (s, "%s%s=%" G_GINT64_FORMAT, k ? " " : "", name, t->value);
  }
}

/* "3", "4…7", or "4, 9, 2" where lanes have addresses of their own. */
static void
append_elements (GString *s, const LsCell *cells, guint n)
{
  gboolean in_line = TRUE;
  for (guint k = 1; k < n; k++)
    in_line &= cells[k].element == cells[0].element + k;
  g_string_append_printf (s, "%" G_GINT64_FORMAT, cells[0].element);
  if (in_line && n > 1)
    g_string_append_printf (s, "…%" G_GINT64_FORMAT, cells[n - 1].element);
  for (guint k = 1; k < n && !in_line; k++)
    g_string_append_printf (s, ", %" G_GINT64_FORMAT, cells[k].element);
}

static void
append_effect (GString *s, const Printed *p, const LsExecutedRow *row, LsOp op)
{
  if (row->memory == LS_ROW_GATED)
    g_string_append (s, "nothing: its gate is closed");
  if (row->memory == LS_ROW_READ || row->memory == LS_ROW_WRITTEN) {
    const LsCell *cells = cells_of (p, row);
    g_string_append_printf (s, "%s%u[", row->is_local ? "local" : "data", row->buffer);
    append_elements (s, cells, row->n_cells);
    g_string_append (s, row->memory == LS_ROW_READ ? "] is " : "] = ");
    for (guint k = 0; k < row->n_cells; k++)
      append_value (s, row->cell_dtype, k, row->n_cells, cells[k].is);
    if (row->memory == LS_ROW_WRITTEN)
      g_string_append (s, ", was ");
    for (guint k = 0; k < row->n_cells && row->memory == LS_ROW_WRITTEN; k++)
      append_value (s, row->cell_dtype, k, row->n_cells, cells[k].was);
  }
  if (op == LS_OP_ENDRANGE)
    g_string_append (s, row->jumps ? "one more turn" : "the loop ends");
  else if (op == LS_OP_RANGE && row->jumps)
    g_string_append (s, "no turn: its size is 0");
  else if (op == LS_OP_IF)
    g_string_append (s, row->jumps ? "skipped" : "taken");
}

/* Text in a column; that of several bytes a character counts by characters. */
static void
pad (GString *line, gsize from, glong width)
{
  for (glong n = g_utf8_strlen (line->str + from, -1); n < width; n++)
    g_string_append_c (line, ' ');
  g_string_append_c (line, ' ');
}

static void
print_row (const Printed *p, const LsExecutedRow *row)
{
  g_autoptr (GString) line = g_string_new (NULL);
  LsOp op = p->uops[row->place]->op;
  g_string_printf (line, "%7" G_GUINT64_FORMAT " %4d %-11s ", row->step, number_of (p, row->place), ls_op_name (op));
  gsize at = line->len;
  append_loops (line, p, row);
  pad (line, at, 16);
  at = line->len;
  if (row->has_value)
    g_string_append_printf (line, "r%d = ", number_of (p, row->place));
  for (guint k = 0; k < row->lanes && row->has_value; k++)
    append_value (line, row->dtype, k, row->lanes, value_at (p, row->first_value + k));
  pad (line, at, 20);
  append_effect (line, p, row, op);
  puts (g_strchomp (line->str));
}

static const LsExecutedRow *
row_at (const Printed *p, guint i)
{
  return &g_array_index (p->x->rows, LsExecutedRow, p->backwards ? p->x->rows->len - 1 - i : i);
}

static void
print_text (const Printed *p)
{
  const LsExecution *x = p->x;
  printf ("kernel %u, %s\n", p->kernel->number, p->kernel->name);
  fputs (p->notes, stdout);
  puts ("   step  row op          loops            register             memory");
  for (guint i = 0; i < x->rows->len; i++)
    print_row (p, row_at (p, i));
  if (x->error && x->error_place != LS_ANY_PLACE)
    printf ("stopped: step %" G_GUINT64_FORMAT ", row %d: %s\n", x->n_steps, number_of (p, x->error_place), x->error->message);
  else if (x->error)
    printf ("stopped: %s\n", x->error->message);
  else if (x->ended)
    printf ("%" G_GUINT64_FORMAT " steps, all of the kernel's\n", x->n_steps);
  else
    printf ("more steps follow step %" G_GUINT64_FORMAT ": --rows %" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT "\n", x->n_steps,
            x->n_steps + 1, x->n_steps + ROWS);
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
  X (name, OWNED, loop_name (p, t->place), TRUE, "The loop's variable, as the source names it, or r and its row.") \
  X (row, INT, number_of (p, t->place), TRUE, "Its row in the listing, or -1.") \
  X (node, INT, p->uops[t->place]->id, TRUE, "Id of its node.") \
  X (value, INT, t->value, TRUE, "Its counter.")
LS_INNER_RECORD (slow_loop, LOOP, const Printed *p = answer->data; const LsLoopTurn *t = row;)

static const char *const accesses[] = { "", "read", "written", "gated", NULL };

#define MEMORY(X) \
  X (access, NAME, r->memory, TRUE, "What was done: read, written, or gated, which is nothing.", .names = accesses) \
  X (local, BOOL, r->is_local, touched, "true: local memory.") \
  X (buffer, INT, r->buffer, touched, "Number of the argument, or of the local memory.") \
  X (index, INT, cells->element, touched, "The first element.") \
  X (value, LIST, scalars_of (answer, r->cell_dtype, r->n_cells, &cells->is, sizeof *cells), touched, "What it held afterwards.", \
     .item = LS_CELL_SCALAR) \
  X (was, LIST, scalars_of (answer, r->cell_dtype, r->n_cells, &cells->was, sizeof *cells), touched && r->memory == LS_ROW_WRITTEN, \
     "What it held before it was written.", .item = LS_CELL_SCALAR)
LS_INNER_RECORD (slow_memory, MEMORY, const LsExecutedRow *r = row; gboolean touched = r->n_cells > 0;
                 const LsCell *cells = touched ? cells_of (answer->data, r) : NULL;)

#define EXECUTED(X) \
  X (step, INT, r->step, TRUE, "Number of the step, from 1.") \
  X (row, INT, number_of (p, r->place), TRUE, "The row of the listing that was executed, or -1.") \
  X (node, INT, u->id, TRUE, "Id of its node.") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Its op.") \
  X (loops, LIST, ls_list_of (r->n_turns, r->n_turns ? &g_array_index (p->x->turns, LsLoopTurn, r->first_turn) : NULL, \
                             sizeof (LsLoopTurn)), TRUE, "The loops around it, the outermost first.", .of = &slow_loop) \
  X (value, LIST, scalars_of (answer, r->dtype, r->lanes, &g_array_index (p->x->values, LsScalar, r->first_value), sizeof (LsScalar)), \
     r->has_value, "Its value, of each lane.", .item = LS_CELL_SCALAR) \
  X (jumps, BOOL, r->jumps, u->op == LS_OP_RANGE || u->op == LS_OP_ENDRANGE || u->op == LS_OP_IF, \
     "RANGE and IF: the block is skipped; ENDRANGE: there is another iteration.") \
  X (memory, ROW, r, r->memory != LS_ROW_NO_MEMORY, "The memory that it accessed.", .of = &slow_memory)
LS_INNER_RECORD (slow_row, EXECUTED, const Printed *p = answer->data; const LsExecutedRow *r = row_at (p, index);
                 const LsUOp *u = p->uops[r->place];)

#define SLOW(X) \
  X (kernel, INT, p->kernel->number, TRUE, "Number of the kernel.") \
  X (name, TEXT, p->kernel->name, TRUE, "Its name.") \
  X (notes, TEXT, *p->notes ? p->notes : NULL, TRUE, "What is to be said of its inputs and of its result, or null.") \
  X (rows, LIST, ls_list_numbers (x->rows->len), TRUE, "The steps.", .of = &slow_row) \
  X (steps, INT, x->n_steps, TRUE, "Number of steps that were executed.") \
  X (ended, BOOL, x->ended, TRUE, "true: these are all of the kernel's.") \
  X (error, TEXT, x->error->message, x->error != NULL, "Why it was stopped, if it was.") \
  X (fault, TEXT, ls_fault_name ((LsFault) x->error->code), x->error != NULL, "The kind of fault: outside, no-buffer or barrier.")
LS_RECORD (ls_slow_answer, SLOW, const Printed *p = row; const LsExecution *x = p->x;)

/* The kernel's arguments hold what they held when it was launched; its own output begins as zeros. */
static LsExecution *
execute (LsTrace *t, const LsKernel *k, GPtrArray *list, guint64 from, guint64 to, GString *notes, GError **error)
{
  g_autoptr (LsReference) r = ls_reference_new (t);
  guint n = k->buffers->len;
  if (!ls_reference_load (r, k->number, notes, error))
    return NULL;
  ls_reference_note_result (r, k, notes);
  g_autofree LsBuffer *store = g_new0 (LsBuffer, n + 1);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, n + 1);
  g_autofree guint8 *written = NULL;
  for (guint i = 0; i < n; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    if (id >= r->n || (i > 0 && !r->buffers[id].data)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u, which kernel %u reads, were not kept in the recording; run "
                                                  "the program itself instead", id, k->number);
      return NULL;
    }
    const LsEvalBuffer *b = &r->buffers[id];
    store[i] = (LsBuffer) { .id = id, .dtype = b->dtype, .n = b->n, .nbytes = (gsize) b->n * ls_dtype_itemsize (b->dtype),
                            .data = b->data };
    if (i == 0)
      store[i].data = written = g_malloc0 (store[i].nbytes + 8);
    buffers[i] = &store[i];
  }
  return ls_execution_run (list->len, (LsUOp *const *) list->pdata, n, buffers, MIN (from, to), MAX (from, to), error);
}

int
ls_cli_slow (const LsCliOptions *o, const char *file, guint64 from, guint64 to)
{
  GError *error = NULL;
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, file, &error);
  if (!t || !ls_cli_check_kernel (o, t, 1, &error))
    return ls_cli_fail (error);
  const LsKernel *k = ls_trace_kernel (t, o->kernel < 0 ? 1 : (guint) o->kernel);
  if (!k || k->listing->len == 0) {
    if (k)
      g_set_error (&error, LS_ERROR, LS_ERROR_RUN, "kernel %u has no UOps: it was not lowered to the end", k->number);
    else
      g_set_error (&error, LS_ERROR, LS_ERROR_RUN, "the program made no kernel");
    return ls_cli_fail (error);
  }
  g_autoptr (GPtrArray) list = ls_kernel_list (t, k);
  g_autoptr (GHashTable) numbers = ls_kernel_rows (t, k, ls_cli_style (o, t));
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autoptr (LsExecution) x = execute (t, k, list, from, to, notes, &error);
  if (!x)
    return ls_cli_fail (error);
  Printed p = { k, x, (LsUOp *const *) list->pdata, numbers, notes->str, from > to };
  if (!ls_cli_answer (o, &ls_slow_answer, &p, t->ctx, &p))
    print_text (&p);
  return LS_EXIT_DONE;
}
