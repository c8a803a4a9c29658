/* lazyscope-cli run --slow: a kernel's UOps executed row by row by the reference interpreter, forwards or backwards. */
#include "cli.h"

#include "run/slow.h"
#include "ask/reference.h"

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
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows takes FROM:TO, steps from 1, such as 1:100, or 100:1 for backwards; '%s' is none", text);
  else if (MAX (*from, *to) - MIN (*from, *to) >= LS_SLOW_MOST_ROWS)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--rows %s: at most %d rows are printed at a time", text, LS_SLOW_MOST_ROWS);
  else
    return TRUE;
  return FALSE;
}

static void
append_values (GString *s, const LsSlow *slow, LsDType dtype, guint first, guint n)
{
  if (n != 1)
    g_string_append_c (s, '(');
  for (guint k = 0; k < n; k++) {
    g_autofree char *text = ls_scalar_print (dtype, g_array_index (slow->values, LsScalar, first + k));
    g_string_append_printf (s, "%s%s", k ? ", " : "", text);
  }
  if (n != 1)
    g_string_append_c (s, ')');
}

static void
append_loops (GString *s, const LsSlow *slow, const LsSlowRow *row)
{
  for (guint k = 0; k < row->n_loops; k++) {
    const LsSlowLoop *l = &g_array_index (slow->loops, LsSlowLoop, row->first_loop + k);
    g_string_append_printf (s, "%sr%u=%" G_GINT64_FORMAT, k ? " " : "", l->row, l->value);
  }
}

static void
append_effect (GString *s, const LsSlow *slow, const LsSlowRow *row, LsOp op)
{
  if (row->memory == LS_SLOW_GATED)
    g_string_append (s, "nothing: its gate is closed");
  if (row->memory == LS_SLOW_READ || row->memory == LS_SLOW_WRITTEN) {
    g_string_append_printf (s, "%s%u[%" G_GINT64_FORMAT, row->is_local ? "local" : "data", row->buffer, row->index);
    if (row->n_cells > 1)
      g_string_append_printf (s, "…%" G_GINT64_FORMAT, row->index + row->n_cells - 1);
    g_string_append (s, row->memory == LS_SLOW_READ ? "] is " : "] = ");
    append_values (s, slow, row->cell_dtype, row->first_cell, row->n_cells);
    if (row->memory == LS_SLOW_WRITTEN) {
      g_string_append (s, ", was ");
      append_values (s, slow, row->cell_dtype, row->first_was, row->n_cells);
    }
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
print_row (const LsSlow *slow, const LsSlowRow *row, LsUOp *const *uops)
{
  g_autoptr (GString) line = g_string_new (NULL);
  LsOp op = uops[row->row]->op;
  g_string_printf (line, "%7" G_GUINT64_FORMAT " %4u %-11s ", row->step, row->row, ls_op_name (op));
  gsize at = line->len;
  append_loops (line, slow, row);
  pad (line, at, 16);
  at = line->len;
  if (row->has_value) {
    g_string_append_printf (line, "r%u = ", row->row);
    append_values (line, slow, row->dtype, row->first_value, row->lanes);
  }
  pad (line, at, 20);
  append_effect (line, slow, row, op);
  puts (g_strchomp (line->str));
}

static void
print_text (const LsKernel *k, const LsSlow *slow, LsUOp *const *uops, guint64 from, guint64 to)
{
  guint n = slow->rows->len;
  printf ("kernel %u, %s\n   step  row op          loops            register             memory\n", k->number, k->name);
  for (guint i = 0; i < n; i++)
    print_row (slow, &g_array_index (slow->rows, LsSlowRow, from > to ? n - 1 - i : i), uops);
  if (slow->error)
    printf ("stopped: %s\n", slow->error);
  else if (slow->ended)
    printf ("%" G_GUINT64_FORMAT " steps, all of the kernel's\n", slow->n_steps);
  else
    printf ("more steps follow step %" G_GUINT64_FORMAT ": --rows %" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT "\n", slow->n_steps, slow->n_steps + 1, slow->n_steps + ROWS);
}

static void
add_scalars (JsonBuilder *b, const char *name, const LsSlow *slow, LsDType dtype, guint first, guint n)
{
  ls_json_array (b, name);
  for (guint k = 0; k < n; k++) {
    LsScalar v = g_array_index (slow->values, LsScalar, first + k);
    if (ls_dtype_is_float (dtype))
      ls_json_add_number (b, v.f);
    else if (ls_dtype_is_bool (dtype))
      json_builder_add_boolean_value (b, v.i != 0);
    else if (ls_dtype_base (dtype) == LS_BASE_UINT64 && v.i < 0)
      json_builder_add_double_value (b, (double) (guint64) v.i);
    else
      json_builder_add_int_value (b, v.i);
  }
  json_builder_end_array (b);
}

static void
add_row (JsonBuilder *b, const LsSlow *slow, const LsSlowRow *row, LsUOp *const *uops)
{
  LsOp op = uops[row->row]->op;
  ls_json_object (b, NULL);
  ls_json_int (b, "step", (gint64) row->step);
  ls_json_int (b, "row", row->row);
  ls_json_int (b, "node", uops[row->row]->id);
  ls_json_text (b, "op", ls_op_name (op));
  ls_json_array (b, "loops");
  for (guint k = 0; k < row->n_loops; k++) {
    const LsSlowLoop *l = &g_array_index (slow->loops, LsSlowLoop, row->first_loop + k);
    ls_json_object (b, NULL);
    ls_json_int (b, "row", l->row);
    ls_json_int (b, "value", l->value);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  if (row->has_value)
    add_scalars (b, "value", slow, row->dtype, row->first_value, row->lanes);
  if (op == LS_OP_RANGE || op == LS_OP_ENDRANGE || op == LS_OP_IF)
    ls_json_bool (b, "jumps", row->jumps);
  if (row->memory != LS_SLOW_NO_MEMORY) {
    static const char *const accesses[] = { "", "read", "written", "gated" };
    ls_json_object (b, "memory");
    ls_json_text (b, "access", accesses[row->memory]);
    if (row->memory != LS_SLOW_GATED) {
      ls_json_bool (b, "local", row->is_local);
      ls_json_int (b, "buffer", row->buffer);
      ls_json_int (b, "index", row->index);
      add_scalars (b, "value", slow, row->cell_dtype, row->first_cell, row->n_cells);
      if (row->memory == LS_SLOW_WRITTEN)
        add_scalars (b, "was", slow, row->cell_dtype, row->first_was, row->n_cells);
    }
    json_builder_end_object (b);
  }
  json_builder_end_object (b);
}

static void
print_as_json (const LsKernel *k, const LsSlow *slow, LsUOp *const *uops, guint64 from, guint64 to)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  guint n = slow->rows->len;
  ls_json_object (b, NULL);
  ls_json_int (b, "kernel", k->number);
  ls_json_text (b, "name", k->name);
  ls_json_array (b, "rows");
  for (guint i = 0; i < n; i++)
    add_row (b, slow, &g_array_index (slow->rows, LsSlowRow, from > to ? n - 1 - i : i), uops);
  json_builder_end_array (b);
  ls_json_int (b, "steps", (gint64) slow->n_steps);
  ls_json_bool (b, "ended", slow->ended);
  if (slow->error)
    ls_json_text (b, "error", slow->error);
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

/* The kernel's arguments: what earlier kernels write is interpreted, its own output begins as zeros. */
static LsSlow *
execute (LsTrace *t, const LsKernel *k, LsUOp *const *uops, guint64 from, guint64 to, GError **error)
{
  g_autoptr (LsReference) r = ls_reference_new (t);
  guint n = k->buffers->len;
  if (!ls_reference_prepare (r, k->number, error))
    return NULL;
  g_autofree LsBuffer *store = g_new0 (LsBuffer, n + 1);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, n + 1);
  g_autofree guint8 *written = NULL;
  for (guint i = 0; i < n; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    if (id >= r->n || (i > 0 && !r->buffers[id].data)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u, which kernel %u reads, were not kept in the recording; run the program itself instead", id, k->number);
      return NULL;
    }
    const LsEvalBuffer *b = &r->buffers[id];
    store[i] = (LsBuffer) { .id = id, .dtype = b->dtype, .n = b->n, .nbytes = (gsize) b->n * ls_dtype_itemsize (b->dtype), .data = b->data };
    if (i == 0)
      store[i].data = written = g_malloc0 (store[i].nbytes + 8);
    buffers[i] = &store[i];
  }
  return ls_slow_run (k->listing->len, uops, n, buffers, MIN (from, to), MAX (from, to), error);
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
  g_autofree LsUOp **uops = g_new (LsUOp *, k->listing->len);
  for (guint i = 0; i < k->listing->len; i++)
    uops[i] = ls_context_node (t->ctx, g_array_index (k->listing, guint32, i));
  g_autoptr (LsSlow) slow = execute (t, k, uops, from, to, &error);
  if (!slow)
    return ls_cli_fail (error);
  if (o->json)
    print_as_json (k, slow, uops, from, to);
  else
    print_text (k, slow, uops, from, to);
  return LS_EXIT_DONE;
}
