/* The effect of a pass over a procedure on its rows: both texts line by line, with the reason of each new row.
 *
 * Registers are numbered in order of appearance, so that one additional row would rename all later ones. Here a value that both
 * procedures have keeps the number that it had before, and new ones count on from there.
 */
#include "ask.h"
#include "ir/sentence.h"
#include "line-diff.h"

#include "ir/procedure.h"
#include "trace/row-steps.h"

static GPtrArray *
list_of (LsTrace *trace, const GArray *rows)
{
  GPtrArray *list = g_ptr_array_new ();
  for (guint i = 0; i < rows->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (rows, guint32, i));
    if (u)
      g_ptr_array_add (list, u);
  }
  return list;
}

static gboolean
names_value (const LsProcRow *row)
{
  return row->dest != LS_NO_REGISTER && row->kind != LS_PROC_ACCUMULATE;
}

/* Gives each register of rows the number that its value has in numbers (node + 1 -> register), or the next one. */
static void
rename_registers (LsContext *ctx, GArray *rows, GHashTable *numbers, guint next)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);      /* register + 1 -> its new number + 1 */
  for (guint i = 0; i < rows->len; i++) {
    LsProcRow *row = &g_array_index (rows, LsProcRow, i);
    if (names_value (row)) {
      gpointer had;
      guint number = g_hash_table_lookup_extended (numbers, GUINT_TO_POINTER (row->node + 1), NULL, &had) ? GPOINTER_TO_UINT (had) : next++;
      g_hash_table_insert (names, GUINT_TO_POINTER (row->dest + 1), GUINT_TO_POINTER (number + 1));
    }
    guint name = row->dest == LS_NO_REGISTER ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (names, GUINT_TO_POINTER (row->dest + 1)));
    row->dest = name ? name - 1 : row->dest;
    if (row->sources.kind != LS_ARG_INTS)
      continue;
    g_autofree gint64 *sources = g_memdup2 (row->sources.ints, row->sources.n * sizeof (gint64));
    for (guint s = 0; s < row->sources.n; s++) {
      name = GPOINTER_TO_UINT (g_hash_table_lookup (names, GUINT_TO_POINTER ((guint) sources[s] + 1)));
      sources[s] = name ? (gint64) name - 1 : sources[s];
    }
    row->sources = ls_arg_ints (ctx, row->sources.n, sources);
  }
}

static char **
lines_of (const GArray *rows)
{
  GPtrArray *lines = g_ptr_array_new ();
  for (guint i = ls_proc_n_args (rows); i < rows->len; i++) {
    const LsProcRow *row = &g_array_index (rows, LsProcRow, i);
    g_autofree char *text = ls_proc_row_text (row);
    g_ptr_array_add (lines, g_strdup_printf ("%*s%s", (int) (2 * MIN (row->depth, 40)), "", text));
  }
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

const GArray *
ls_rows_before (LsTrace *trace, const LsPass *pass)
{
  const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
  const GArray *rows = NULL;
  for (guint i = 0; k && i < k->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (p->index < pass->index && p->rows->len)
      rows = p->rows;
  }
  return pass->rows->len ? rows : NULL;
}

static void
row_clear (gpointer data)
{
  g_free (((LsProcDiffRow *) data)->text);
  g_free ((char *) ((LsProcDiffRow *) data)->reason);
}

GArray *
ls_proc_diff_rows_new (void)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (LsProcDiffRow));
  g_array_set_clear_func (rows, row_clear);
  return rows;
}

static void
add_row (GArray *out, char mark, const char *text, const LsProcRow *row, const char *reason)
{
  LsProcDiffRow line = { mark, g_strdup (text), row->node, g_strdup (reason) };
  g_array_append_val (out, line);
}

/* y are x's rows afterwards, with match's partners; removed rows come before the rows that replace them. */
static GArray *
merge (const GArray *a, char **x, const GArray *b, char **y, const int *match, GHashTable *reasons)
{
  GArray *out = ls_proc_diff_rows_new ();
  guint n = g_strv_length (x), m = g_strv_length (y), done = 0, before = ls_proc_n_args (a), after = ls_proc_n_args (b);
  for (guint i = 0; i <= m; i++) {
    guint next = i;
    while (next < m && match[next] < 0)
      next++;
    for (guint until = next < m ? (guint) match[next] : n; done < until; done++)
      add_row (out, '-', x[done], &g_array_index (a, LsProcRow, done + before),
               g_hash_table_lookup (reasons, GUINT_TO_POINTER (g_array_index (a, LsProcRow, done + before).node + 1)));
    if (i == m)
      break;
    const LsProcRow *row = &g_array_index (b, LsProcRow, i + after);
    done += match[i] >= 0;
    add_row (out, match[i] >= 0 ? ' ' : '+', y[i], row,
             match[i] >= 0 ? NULL : g_hash_table_lookup (reasons, GUINT_TO_POINTER (row->node + 1)));
  }
  return out;
}

/**
 * ls_procedure_diff_rows:
 * @trace: a recording
 * @pass: a pass over a procedure
 *
 * Returns: (transfer full) (nullable): LsProcDiffRow in order; NULL: the pass is no such pass, or its lists cannot be read. Free with
 * g_array_unref.
 */
GArray *
ls_procedure_diff_rows (LsTrace *trace, const LsPass *pass)
{
  const GArray *rows = ls_rows_before (trace, pass);
  if (!rows)
    return NULL;
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (GPtrArray) before = list_of (trace, rows), after = list_of (trace, pass->rows);
  LsProcedure *a = ls_procedure_new (ctx, "", before->len, (LsUOp *const *) before->pdata, NULL),
              *b = ls_procedure_new (ctx, "", after->len, (LsUOp *const *) after->pdata, NULL);
  GArray *out = NULL;
  if (a && b) {
    g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL), reasons = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    guint next = 0;
    for (guint i = 0; i < a->rows->len; i++) {
      const LsProcRow *row = &g_array_index (a->rows, LsProcRow, i);
      if (names_value (row)) {
        g_hash_table_insert (numbers, GUINT_TO_POINTER (row->node + 1), GUINT_TO_POINTER (row->dest));
        next = MAX (next, row->dest + 1);
      }
    }
    for (guint step = 1; step <= ls_row_steps_n (pass); step++) {
      LsRowStep row;
      if (ls_row_step (pass, step, &row))
        g_hash_table_insert (reasons, GUINT_TO_POINTER (row.node + 1), ls_row_step_why (pass, step, FALSE));
    }
    rename_registers (ctx, b->rows, numbers, next);
    g_auto (GStrv) x = lines_of (a->rows), y = lines_of (b->rows);
    g_autofree int *match = ls_line_match (x, g_strv_length (x), y, g_strv_length (y));
    out = merge (a->rows, x, b->rows, y, match, reasons);
  }
  ls_procedure_free (a);
  ls_procedure_free (b);
  return out;
}

char *
ls_proc_reason_shown (const char *reason)
{
  g_auto (GStrv) parts = g_strsplit (reason, "; ", -1);
  for (guint i = 0; parts[i]; i++) {
    char *shown = ls_sentence_shown (parts[i]);
    g_free (parts[i]);
    parts[i] = shown;
  }
  return g_strjoinv ("; ", parts);
}

/**
 * ls_procedure_diff:
 * @trace: a recording
 * @pass: a pass over a procedure
 * @shown: in the reader's language; else in English
 *
 * Returns: (transfer full) (nullable): those rows as text, each after its mark, "" where nothing changed. Free with g_free.
 */
char *
ls_procedure_diff (LsTrace *trace, const LsPass *pass, gboolean shown)
{
  g_autoptr (GArray) rows = ls_procedure_diff_rows (trace, pass);
  GString *out = rows ? g_string_new (NULL) : NULL;
  gboolean changed = FALSE;
  for (guint i = 0; rows && i < rows->len; i++) {
    const LsProcDiffRow *row = &g_array_index (rows, LsProcDiffRow, i);
    changed |= row->mark != ' ';
    g_string_append_c (out, row->mark);
    g_string_append (out, row->text);
    g_autofree char *reason = row->reason ? shown ? ls_proc_reason_shown (row->reason) : g_strdup (row->reason) : NULL;
    if (reason)
      g_string_append_printf (out, "%*s%s", (int) MAX (60 - g_utf8_strlen (row->text, -1), 1), "", reason);
    g_string_append_c (out, '\n');
  }
  if (out && !changed)
    g_string_truncate (out, 0);
  return out ? g_string_free (out, FALSE) : NULL;
}
