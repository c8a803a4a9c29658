/* The rows that a pass has made up to one of its steps, as text: of a list, a procedure or the renderer's table; and the source so far. */
#include "ask.h"
#include "trace/row-steps.h"

#include "ir/procedure.h"
#include "ir/print.h"

#include <string.h>

static void
add_row (GArray *out, gboolean is_new, char *text, guint32 node)
{
  LsProcDiffRow row = { is_new ? '+' : ' ', text, node, NULL };
  g_array_append_val (out, row);
}

static GHashTable *
nodes_of (const GArray *list)
{
  GHashTable *there = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < list->len; i++)
    g_hash_table_add (there, GUINT_TO_POINTER (g_array_index (list, guint32, i) + 1));
  return there;
}

static GPtrArray *
list_of (LsTrace *trace, const GArray *list)
{
  GPtrArray *nodes = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (list, guint32, i));
    if (u)
      g_ptr_array_add (nodes, u);
  }
  return nodes;
}

/* Rows of the procedure whose nodes are in the list; FALSE: it cannot be made. whole: the list of the pass, which a later one may have
 * changed. */
static gboolean
add_procedure (LsTrace *trace, const LsKernel *kernel, const GArray *whole, const GArray *list, guint32 now, GArray *out)
{
  g_autoptr (GHashTable) there = nodes_of (list);
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (GPtrArray) nodes = list_of (trace, whole);
  gboolean same = whole->len == kernel->listing->len && memcmp (whole->data, kernel->listing->data, whole->len * sizeof (guint32)) == 0;
  LsProcedure *own = same || !kernel->procedure->len ? NULL : ls_procedure_new (ctx, "", nodes->len, (LsUOp *const *) nodes->pdata, NULL);
  const GArray *rows = own ? own->rows : kernel->procedure;
  guint n = same || own ? rows->len : 0;
  for (guint i = 0; i < n; i++) {
    const LsProcRow *r = &g_array_index (rows, LsProcRow, i);
    if (r->node != LS_NO_NODE && !g_hash_table_contains (there, GUINT_TO_POINTER (r->node + 1)))
      continue;
    g_autofree char *text = ls_proc_row_text (r);
    add_row (out, r->node == now, g_strdup_printf ("%*s%s", (int) (2 * MIN (r->depth, 40)), "", text), r->node);
  }
  ls_procedure_free (own);
  return n > 0;
}

/* Rows of the whole list whose nodes are in the list at the step; whole is that list itself while a pass changes it. */
static void
add_list (LsTrace *trace, const GArray *whole, const GArray *list, const LsRowStep *step, GHashTable *instead, GArray *out)
{
  g_autoptr (GHashTable) there = nodes_of (list);
  g_autoptr (GPtrArray) nodes = list_of (trace, whole);
  LsStyle style = ls_trace_style (trace);
  g_autoptr (GArray) rows = ls_listing_rows_over (trace->ctx, nodes->len, (LsUOp *const *) nodes->pdata, style, instead);
  for (guint i = 0; i < rows->len; i++) {
    const LsListingRow *r = &g_array_index (rows, LsListingRow, i);
    if (g_hash_table_contains (there, GUINT_TO_POINTER (r->node + 1)))
      add_row (out, step->kind != LS_DIFF_REMOVED && r->node == step->node,
               g_strdup_printf ("%4u %-20s %-16s %-12s %s", i, r->op, r->dtype, r->src, r->arg), r->node);
  }
}

static void
add_table (const LsPass *pass, guint step, gboolean shown, GArray *out)
{
  for (guint k = 1; k <= step; k++) {
    LsRowStep row;
    if (ls_row_step (pass, k, &row))
      add_row (out, k == step, ls_row_step_name (pass, k, shown), row.node);
  }
}

/**
 * ls_step_rows:
 * @trace: a recording
 * @pass: a pass of it that is not a rewrite
 * @step: a step of the pass, from 1
 * @shown: in the reader's language; else in English
 *
 * Returns: (transfer full) (nullable): LsProcDiffRow in order, those of the step marked +; NULL: the pass has no such step. Free with
 * g_array_unref.
 */
GArray *
ls_step_rows (LsTrace *trace, const LsPass *pass, guint step, gboolean shown)
{
  LsRowStep row;
  const LsKernel *kernel = ls_trace_kernel (trace, pass->kernel);
  const LsStageInfo *stage = ls_pass_stage (pass);
  if (pass->kind == LS_PASS_REWRITE || !stage || !ls_row_step (pass, step, &row))
    return NULL;
  gboolean changes = ls_rows_before (trace, pass) != NULL;
  g_autoptr (GArray) list = ls_row_steps_list (pass, step), whole = ls_row_steps_list (pass, changes ? step : G_MAXUINT);
  g_autoptr (GHashTable) instead = ls_row_steps_instead (pass, step);
  GArray *out = ls_proc_diff_rows_new ();
  gboolean of_list = stage->gives == LS_STAGE_FORM_LIST || stage->gives == LS_STAGE_FORM_PROCEDURE;
  if (!of_list)
    add_table (pass, step, shown, out);
  else if (list && !(stage->gives == LS_STAGE_FORM_PROCEDURE && !changes && add_procedure (trace, kernel, whole, list, row.node, out)))
    add_list (trace, whole, list, &row, instead, out);
  return out;
}

guint
ls_step_source_lines (LsTrace *trace, const LsPass *pass, guint step)
{
  const LsKernel *kernel = ls_trace_kernel (trace, pass->kernel);
  const LsStageInfo *stage = ls_pass_stage (pass);
  guint last = 0;
  if (!kernel || pass->kind == LS_PASS_REWRITE || !stage || stage->gives != LS_STAGE_FORM_SOURCE || step > kernel->exprs->len)
    return G_MAXUINT;
  for (guint i = 0; i < step; i++) {
    const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
    if (e->assigned)
      last = MAX (last, e->line);
  }
  return step == kernel->exprs->len ? G_MAXUINT : last;
}
