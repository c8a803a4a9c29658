/* lazyscope-cli run --slow: a kernel's UOps executed row by row by the reference interpreter, forwards or backwards. */
#include "cli.h"

#include "ask/reference.h"
#include "ask/slow-answer.h"
#include "ir/names.h"
#include "ir/short.h"
#include "run/fault.h"

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
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows takes FROM:TO, steps from 1, such as 1:100, or 100:1 for backwards, not '%s'",
                 text);
  else if (MAX (*from, *to) - MIN (*from, *to) >= LS_EXECUTION_MOST_ROWS)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows %s: at most %d rows are printed at a time", text, LS_EXECUTION_MOST_ROWS);
  else
    return TRUE;
  return FALSE;
}

static LsScalar
value_at (const LsSlowRun *p, guint i)
{
  return g_array_index (p->x->values, LsScalar, i);
}

static void
append_value (GString *s, LsDType dtype, guint k, guint n, LsScalar value)
{
  g_autofree char *text = ls_scalar_print (dtype, value);
  g_string_append_printf (s, "%s%s%s", k ? ", " : n > 1 ? "(" : "", text, k + 1 == n && n > 1 ? ")" : "");
}

static void
append_loops (GString *s, const LsSlowRun *p, const LsExecutedRow *row)
{
  for (guint k = 0; k < row->n_turns; k++) {
    const LsLoopTurn *t = &g_array_index (p->x->turns, LsLoopTurn, row->first_turn + k);
    g_autofree char *name = ls_slow_loop_name (p, t->place);
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
append_effect (GString *s, const LsSlowRun *p, const LsExecutedRow *row, LsOp op)
{
  if (row->memory == LS_ROW_GATED)
    g_string_append (s, _("nothing: its gate is false"));
  if (row->memory == LS_ROW_READ || row->memory == LS_ROW_WRITTEN) {
    const LsCell *cells = ls_slow_cells (p, row);
    LsUOp *memory = ls_memory_of (p->uops[row->place]);
    g_autofree char *name = memory && !row->is_local ? ls_label_of_buffer (p->names, memory)
                                                     : g_strdup_printf ("%s%u", row->is_local ? "local" : "data", row->buffer);
    g_string_append_printf (s, "%s[", name);
    append_elements (s, cells, row->n_cells);
    g_string_append (s, row->memory == LS_ROW_READ ? _("] is ") : "] = ");
    for (guint k = 0; k < row->n_cells; k++)
      append_value (s, row->cell_dtype, k, row->n_cells, cells[k].is);
    if (row->memory == LS_ROW_WRITTEN)
      g_string_append (s, _(", was "));
    for (guint k = 0; k < row->n_cells && row->memory == LS_ROW_WRITTEN; k++)
      append_value (s, row->cell_dtype, k, row->n_cells, cells[k].was);
  }
  if (op == LS_OP_ENDRANGE)
    g_string_append (s, row->jumps ? _("one more iteration") : _("the loop ends"));
  else if (op == LS_OP_RANGE && row->jumps)
    g_string_append (s, _("no iteration: its size is 0"));
  else if (op == LS_OP_IF)
    g_string_append (s, row->jumps ? _("skipped") : _("taken"));
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
print_row (const LsSlowRun *p, const LsExecutedRow *row)
{
  g_autoptr (GString) line = g_string_new (NULL);
  LsOp op = p->uops[row->place]->op;
  g_string_printf (line, "%7" G_GUINT64_FORMAT " %4d %-11s ", row->step, ls_slow_row_number (p, row->place), ls_op_name (op));
  gsize at = line->len;
  append_loops (line, p, row);
  pad (line, at, 16);
  at = line->len;
  if (row->has_value)
    g_string_append_printf (line, "r%d = ", ls_slow_row_number (p, row->place));
  for (guint k = 0; k < row->lanes && row->has_value; k++)
    append_value (line, row->dtype, k, row->lanes, value_at (p, row->first_value + k));
  pad (line, at, 20);
  append_effect (line, p, row, op);
  puts (g_strchomp (line->str));
}

static void
print_text (const LsSlowRun *p)
{
  const LsExecution *x = p->x;
  g_autofree char *notes = ls_sentence_shown (p->notes), *error = x->error ? ls_sentence_shown (x->error->message) : NULL;
  printf (_("kernel %u, %s\n"), p->kernel->number, p->kernel->name);
  fputs (notes, stdout);
  puts (_("   step  row op          loops            register             memory"));
  for (guint i = 0; i < x->rows->len; i++)
    print_row (p, ls_slow_row (p, i));
  if (x->error && x->error_place != LS_ANY_PLACE)
    printf (_("stopped: step %" PRIu64 ", row %d: %s\n"), x->n_steps, ls_slow_row_number (p, x->error_place), error);
  else if (x->error)
    printf (_("stopped: %s\n"), error);
  else if (x->ended)
    printf (_("%" PRIu64 " steps, all of the kernel's\n"), x->n_steps);
  else
    printf (_("more steps follow step %" PRIu64 ": --rows %" PRIu64 ":%" PRIu64 "\n"), x->n_steps, x->n_steps + 1, x->n_steps + ROWS);
}

/* The kernel's arguments have their contents at its launch; its own output begins as zeros. */
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
ls_cli_slow (const LsCliOptions *o, const char *file, guint64 from, guint64 to, GError **error)
{
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, file, error);
  if (!t || !ls_cli_check_kernel (o, t, 1, error))
    return LS_EXIT_WRONG;
  const LsKernel *k = ls_trace_kernel (t, o->kernel < 0 ? 1 : (guint) o->kernel);
  if (!k || k->listing->len == 0) {
    if (k)
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "kernel %u has no UOps: it was not lowered completely", k->number);
    else
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the program made no kernel");
    return LS_EXIT_WRONG;
  }
  g_autoptr (GPtrArray) list = ls_kernel_list (t, k);
  g_autoptr (GHashTable) numbers = ls_kernel_rows (t, k, ls_cli_style (o, t));
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autoptr (LsExecution) x = execute (t, k, list, from, to, notes, error);
  LsSlowRun p = { k, x, (LsUOp *const *) list->pdata, ls_trace_names (t, k->number), numbers, notes->str, from > to };
  if (x && !ls_cli_answer (o, &ls_slow_answer, &p, t->ctx, &p))
    print_text (&p);
  return LS_EXIT_DONE;
}
