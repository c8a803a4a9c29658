/* The renderer's table, row by row as it was filled: the expressions that a node was made of as they stood then, the name under which
 * its value was stored, its expression, whether it was written in place of the node (inlined) or got a variable (assigned), why, and
 * at which line of the source. Choosing a row chooses its node everywhere; a node chosen elsewhere shows its row. */
#include "ask/ask.h"
#include "ir/sentence.h"
#include "ir/print.h"
#include "kit/table.h"
#include "kit/text.h"
#include "panes/panes.h"
#include "trace/row-steps.h"

#include <glib/gi18n.h>

/* The nodes of the rows, for the kernel that is shown. */
typedef struct {
  LsViewSession  *session;
  gboolean        is_procedure;      /* its rows, not the renderer's */
  LsTrace        *trace;
  const LsKernel *kernel;
  GHashTable     *numbers;      /* of the listing's rows, by node */
  const LsPass   *pass;         /* over the procedure, whose rows before and after it are shown (LsProcDiffRow); or NULL */
  GArray         *diff;
  guint32         now;          /* the node of the procedure's row that the position's step makes, or LS_NO_NODE */
  GHashTable     *there;        /* node + 1: rows of the procedure that are there at the position's step; NULL: all are */
} Shown;

static LsViewSession *
session_of (LsTable *table)
{
  return ((const Shown *) ls_table_get_data (table))->session;
}

static void
show (LsTable *table, LsTrace *trace, const LsKernel *kernel, const LsPass *pass)
{
  Shown *shown = ls_table_get_data (table);
  g_clear_pointer (&shown->numbers, g_hash_table_unref);
  g_clear_pointer (&shown->diff, g_array_unref);
  shown->trace = trace;
  shown->kernel = kernel;
  shown->pass = pass;
  shown->numbers = trace && kernel ? ls_kernel_rows (trace, kernel, ls_trace_style (trace)) : NULL;
  shown->diff = pass ? ls_procedure_diff_rows (trace, pass) : NULL;
}

static void
shown_free (gpointer data)
{
  Shown *shown = data;
  g_object_unref (shown->session);
  g_clear_pointer (&shown->numbers, g_hash_table_unref);
  g_clear_pointer (&shown->diff, g_array_unref);
  g_clear_pointer (&shown->there, g_hash_table_unref);
  g_free (shown);
}

static const LsKernel *
kernel_of (LsTable *table)
{
  const Shown *shown = ls_table_get_data (table);
  return shown->trace && shown->trace == ls_view_session_get_trace (session_of (table)) ? shown->kernel : NULL;
}

static gboolean
is_procedure (LsTable *table)
{
  return ((const Shown *) ls_table_get_data (table))->is_procedure;
}

/* The pass over the procedure that the position is in, or NULL: the procedure is shown as it was rendered. */
static const LsPass *
procedure_pass (LsTable *table, LsTrace *trace)
{
  const LsPass *pass = trace && is_procedure (table) ? ls_view_session_pass (session_of (table)) : NULL;
  return pass && ls_rows_before (trace, pass) ? pass : NULL;
}

/* The changes of that pass to its rows, or NULL. */
static const GArray *
diff_of (LsTable *table)
{
  return kernel_of (table) ? ((const Shown *) ls_table_get_data (table))->diff : NULL;
}

static guint
n_rows (LsTable *table)
{
  const LsKernel *k = kernel_of (table);
  if (diff_of (table))
    return diff_of (table)->len;
  if (!k || !is_procedure (table))
    return k ? k->exprs->len : 0;
  return k->procedure->len ? k->procedure->len + 1 - ls_proc_n_args (k->procedure) : 0;
}

/* The row of the procedure behind a row of its table, or NULL: the signature. */
static const LsProcRow *
procedure_row (const LsKernel *k, guint row)
{
  return row == 0 ? NULL : &g_array_index (k->procedure, LsProcRow, row - 1 + ls_proc_n_args (k->procedure));
}

static guint32
row_node (LsTable *table, guint row)
{
  const LsKernel *k = kernel_of (table);
  if (row >= n_rows (table))
    return LS_NO_NODE;
  if (!is_procedure (table))
    return g_array_index (k->exprs, LsExpr, row).node;
  if (diff_of (table))
    return g_array_index (diff_of (table), LsProcDiffRow, row).node;
  const LsProcRow *p = procedure_row (k, row);
  return p ? p->node : LS_NO_NODE;
}

static char *
summary_of (LsTable *table, guint32 node)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  LsUOp *u = trace ? ls_context_node (trace->ctx, node) : NULL;
  g_autofree char *summary = u ? ls_uop_summary (u) : NULL;
  return summary ? ls_text_cut (summary, 60) : NULL;
}

/* --- render --- */

enum { R_ROW, R_NODE, R_INPUTS, R_NAME, R_EXPR, R_HOW, R_WHY, R_LINE };
static const LsTableColumn render_columns[] = {
  [R_ROW] = { N_("Row"), TRUE, FALSE }, [R_NODE] = { N_("Node"), FALSE, FALSE }, [R_INPUTS] = { N_("Inputs"), FALSE, TRUE },
            [R_NAME] = { N_("Name"), FALSE, FALSE },
  [R_EXPR] = { N_("Expression"), FALSE, TRUE }, [R_HOW] = { N_("How"), FALSE, FALSE }, [R_WHY] = { N_("Why"), FALSE, TRUE },
  [R_LINE] = { N_("Line"), TRUE, FALSE },
};

/* The expressions of a row's sources, next to each other. Free with g_free. */
static char *
inputs_text (const LsExpr *e)
{
  g_auto (GStrv) inputs = g_strsplit (e->inputs ? e->inputs : "", "\n", -1);
  g_autofree char *text = g_strjoinv (", ", inputs);
  return ls_text_cut (text, 400);
}

static char *
render_cell (LsTable *table, guint row, guint column)
{
  if (row >= n_rows (table))
    return NULL;
  const LsExpr *e = &g_array_index (kernel_of (table)->exprs, LsExpr, row);
  const Shown *shown = ls_table_get_data (table);
  gint number = shown->numbers ? ls_row_number (shown->numbers, e->node) : -1;
  switch (column) {
  case R_ROW: return number < 0 ? NULL : g_strdup_printf ("%d", number);
  case R_NODE: {
    g_autofree char *summary = summary_of (table, e->node);
    return summary ? ls_text_cut (summary, 18) : NULL;
  }
  case R_INPUTS: return inputs_text (e);
  case R_NAME: return ls_text_cut (e->name ? e->name : "", 60);
  case R_EXPR: return ls_text_cut (e->expr ? e->expr : "", 400);
  case R_HOW: return g_strdup (e->assigned ? _("assigned") : _("inlined"));
  case R_WHY: return ls_text_cut (e->why ? ls_shown (e->why) : "", 200);
  default: return e->line ? g_strdup_printf ("%u", e->line) : NULL;
  }
}

/* --- procedure --- */

/* The first row is the signature, in place of the rows of the arguments. */
enum { P_TEXT, P_NODE };
static const LsTableColumn procedure_columns[] = { [P_TEXT] = { N_("Instruction"), FALSE, TRUE }, [P_NODE] = { N_("Node"), FALSE, FALSE } };

static char *
procedure_cell (LsTable *table, guint row, guint column)
{
  if (row >= n_rows (table))
    return NULL;
  if (diff_of (table)) {      /* in place of a new row's node the reason for which it is there */
    const LsProcDiffRow *d = &g_array_index (diff_of (table), LsProcDiffRow, row);
    g_autofree char *cut = ls_text_cut (d->text, 400);
    if (column != P_NODE)
      return g_strdup_printf ("%c %s", d->mark, cut);
    return d->reason ? ls_proc_reason_shown (d->reason) : summary_of (table, d->node);
  }
  const LsKernel *k = kernel_of (table);
  const LsProcRow *p = procedure_row (k, row);
  if (column == P_NODE)
    return !p || p->node == LS_NO_NODE ? NULL : summary_of (table, p->node);
  g_autofree char *whole = p ? ls_proc_row_text (p) : ls_proc_signature (k->name, k->procedure);
  g_autofree char *indent = g_strnfill (p ? 2 + 2 * MIN (p->depth, 40) : 0, ' ');
  g_autofree char *text = ls_text_cut (whole, 400);
  return g_strconcat (indent, text, NULL);
}

/* --- both --- */

static gboolean
is_marked (LsTable *table, guint row)
{
  guint32 node = row_node (table, row);
  const Shown *shown = ls_table_get_data (table);
  return node != LS_NO_NODE && ((is_procedure (table) && node == shown->now) || ls_view_session_is_chosen (session_of (table), node));
}

/* The step of render that the position is at, or 0. */
static guint
render_step (LsTable *table)
{
  const LsPass *pass = ls_view_session_pass (session_of (table));
  const LsStageInfo *stage = pass && pass->kind != LS_PASS_REWRITE ? ls_pass_stage (pass) : NULL;
  return stage && stage->gives == LS_STAGE_FORM_SOURCE ? ls_view_session_get_step (session_of (table)) : 0;
}

/* At a step that the procedure's rows have: those that are there by then. step: that step's row, or LS_NO_NODE. */
static guint32
find_there (LsTable *table)
{
  Shown *shown = ls_table_get_data (table);
  const LsPass *pass = ls_view_session_pass (session_of (table));
  const LsStageInfo *stage = pass && pass->kind != LS_PASS_REWRITE ? ls_pass_stage (pass) : NULL;
  guint step = ls_view_session_get_step (session_of (table));
  LsRowStep row;
  g_clear_pointer (&shown->there, g_hash_table_unref);
  shown->now = LS_NO_NODE;
  if (!is_procedure (table) || !kernel_of (table) || !stage || stage->gives != LS_STAGE_FORM_PROCEDURE || !ls_row_step (pass, step, &row))
    return LS_NO_NODE;
  g_autoptr (GArray) list = ls_row_steps_list (pass, step);
  shown->there = g_hash_table_new (NULL, NULL);
  for (guint i = 0; list && i < list->len; i++)
    g_hash_table_add (shown->there, GUINT_TO_POINTER (g_array_index (list, guint32, i) + 1));
  return shown->now = row.node;
}

/* At a step of render, and while a row is selected, the table is as it was when that row was filled: later rows are not filled yet. */
static gboolean
is_pending (LsTable *table, guint row)
{
  const Shown *shown = ls_table_get_data (table);
  if (is_procedure (table)) {
    guint32 node = row_node (table, row);
    return shown->there && node != LS_NO_NODE && !g_hash_table_contains (shown->there, GUINT_TO_POINTER (node + 1));
  }
  guint step = render_step (table), chosen = step ? step - 1 : ls_table_get_chosen (table);
  return chosen != GTK_INVALID_LIST_POSITION && row > chosen;
}

static void
on_selection_changed (LsTable *table)
{
  GArray *finals = ls_view_session_final_nodes (session_of (table));
  guint n = n_rows (table), row = GTK_INVALID_LIST_POSITION;
  /* the row that the user chose stays, although another one may show the same node */
  guint chosen = ls_table_get_chosen (table);
  if (chosen < n && finals->len > 0 && row_node (table, chosen) == g_array_index (finals, guint32, 0))
    row = chosen;
  for (guint i = 0; finals->len > 0 && i < n && row == GTK_INVALID_LIST_POSITION; i++)
    if (row_node (table, i) == g_array_index (finals, guint32, 0))
      row = i;
  ls_table_choose (table, row);
  ls_table_update_marks (table);
}

static void
show_render_step (LsTable *table)
{
  guint step = is_procedure (table) ? 0 : render_step (table);
  guint32 node = find_there (table);
  if (step)
    ls_table_choose (table, step - 1);
  for (guint i = 0; node != LS_NO_NODE && i < n_rows (table); i++)
    if (row_node (table, i) == node) {
      ls_table_choose (table, i);
      break;
    }
  ls_table_update_marks (table);
}

static void
on_position_changed (LsTable *table)
{
  LsViewSession *session = session_of (table);
  const Shown *shown = ls_table_get_data (table);
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsKernel *kernel = ls_view_session_kernel (session);
  const LsPass *pass = procedure_pass (table, trace);
  if (shown->trace == trace && shown->kernel == kernel && shown->pass == pass) {
    show_render_step (table);
    return;
  }
  show (table, trace, kernel, pass);
  if (!is_procedure (table)) {      /* earlier recordings do not have the sources of a row */
    gboolean told = kernel_of (table) && kernel->exprs->len && g_array_index (kernel->exprs, LsExpr, 0).inputs;
    ls_table_show_column (table, R_INPUTS, told);
    ls_table_show_column (table, R_NAME, told);
  }
  ls_table_set_rows (table, n_rows (table));
  show_render_step (table);
}

void
ls_render_pane_changed (gpointer table, LsWatch what)
{
  switch (what) {
  case LS_WATCH_TRACE:
    show (table, NULL, NULL, NULL);
    ls_table_set_rows (table, 0);
    break;
  case LS_WATCH_POSITION: on_position_changed (table); break;
  default: on_selection_changed (table);
  }
}

static void
on_chosen (LsTable *table, guint row)
{
  guint32 node = row_node (table, row);
  if (node != LS_NO_NODE)
    ls_view_session_select (session_of (table), LS_CHOSEN_IN_FINAL, &node, 1);
}

static GtkWidget *
follow (LsTable *table, LsViewSession *session, gboolean is_procedure)
{
  Shown shown = { g_object_ref (session), is_procedure, .now = LS_NO_NODE };
  ls_table_set_data (table, g_memdup2 (&shown, sizeof shown), shown_free);
  ls_table_set_choosable (table);
  ls_table_set_marked (table, is_marked);
  g_signal_connect (table, "row-chosen", G_CALLBACK (on_chosen), NULL);
  return GTK_WIDGET (table);
}

GtkWidget *
ls_render_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("render", render_columns, G_N_ELEMENTS (render_columns), render_cell, _("Nothing was rendered"));
  ls_table_set_pending (table, is_pending);
  return follow (table, session, FALSE);
}

GtkWidget *
ls_procedure_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("procedure", procedure_columns, G_N_ELEMENTS (procedure_columns), procedure_cell,
                                 _("No procedure was recorded"));
  ls_table_set_pending (table, is_pending);
  return follow (table, session, TRUE);
}
