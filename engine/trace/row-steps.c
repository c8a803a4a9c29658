/* Facts of steps of rows; row-words.c says them. Counts are looked up, but of a pass over a procedure, whose list is compared with the
 * list before it once.
 */
#include "row-steps.h"
#include "row-steps-private.h"

#include "rewrite/stage.h"

#include <string.h>

/* --- the lists --- */

/* The list that a pass was given: as the last pass before it left it; else the kernel's. */
static const GArray *
list_before (const LsPass *pass, const LsKernel *kernel)
{
  const GArray *rows = NULL;
  for (guint i = 0; i < kernel->passes->len; i++) {
    const LsPass *p = pass->trace->passes->pdata[g_array_index (kernel->passes, guint, i)];
    if (p->index < pass->index && p->rows->len)
      rows = p->rows;
  }
  return rows ? rows : kernel->listing;
}

static const GArray *
list_after (const LsPass *pass, const LsKernel *kernel)
{
  return pass->rows->len ? pass->rows : list_before (pass, kernel);
}

/* The first n rows. */
static GArray *
first_rows (const GArray *list, guint n)
{
  n = MIN (n, list->len);
  GArray *out = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n);
  g_array_append_vals (out, list->data, n);
  return out;
}

static guint
n_of_list (const LsPass *pass, const LsKernel *kernel)
{
  return list_after (pass, kernel)->len;
}

static gboolean
step_of_list (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  const GArray *list = list_after (pass, kernel);
  out->node = g_array_index (list, guint32, step - 1);
  out->row = step - 1;
  return TRUE;
}

static GArray *
list_of_list (const LsPass *pass, const LsKernel *kernel, guint step)
{
  return first_rows (list_after (pass, kernel), step);
}

/* --- a pass over a procedure: two lists --- */

static const LsRowChanges *
changes_of (const LsPass *pass, const LsKernel *kernel)
{
  GQuark quark = g_quark_from_static_string ("ls-row-changes");
  LsRowChanges *c = g_dataset_id_get_data (pass, quark);
  if (!pass->rows->len)
    return NULL;
  if (!c || ls_row_changes_n_rows (c) != pass->rows->len) {
    c = ls_row_changes_new (pass, list_before (pass, kernel));
    g_dataset_id_set_data_full (pass, quark, c, ls_row_changes_free);
  }
  return c;
}

static guint
n_of_changes (const LsPass *pass, const LsKernel *kernel)
{
  const LsRowChanges *c = changes_of (pass, kernel);
  return c ? ls_row_changes_steps (c)->len : 0;
}

static gboolean
step_of_changes (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  *out = g_array_index (ls_row_changes_steps (changes_of (pass, kernel)), LsRowStep, step - 1);
  return TRUE;
}

static GArray *
list_of_changes (const LsPass *pass, const LsKernel *kernel, guint step)
{
  const LsRowChanges *c = changes_of (pass, kernel);
  return c ? ls_row_changes_list (c, step) : first_rows (list_before (pass, kernel), G_MAXUINT);
}

/* --- the renderer's table --- */

static guint n_of_render (const LsPass *pass, const LsKernel *kernel) { return kernel->exprs->len; }

static gboolean
step_of_render (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, step - 1);
  out->node = e->node;
  out->row = e->row;
  return TRUE;
}

/* The step at which each row of the list is there: of a row with an expression its own, else the first one of a row that has it as a
 * source; the end of the list, which has neither, the last. */
static guint *
steps_of_rows (const LsPass *pass, const LsKernel *kernel, const GArray *list)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);      /* node + 1 -> row + 1 */
  guint *at = g_new0 (guint, list->len + 1), last = kernel->exprs->len;
  for (guint i = 0; i < list->len; i++)
    g_hash_table_insert (rows, GUINT_TO_POINTER (g_array_index (list, guint32, i) + 1), GUINT_TO_POINTER (i + 1));
  for (guint k = last; k-- > 0;) {
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (rows, GUINT_TO_POINTER (g_array_index (kernel->exprs, LsExpr, k).node + 1)));
    if (row)
      at[row - 1] = k + 1;
  }
  g_autofree gboolean *own = g_new0 (gboolean, list->len + 1);
  for (guint i = 0; i < list->len; i++)
    own[i] = at[i] > 0;
  for (guint i = list->len; i-- > 0;) {
    const LsUOp *u = ls_context_node (pass->trace->ctx, g_array_index (list, guint32, i));
    at[i] = at[i] ? at[i] : last;
    for (guint s = 0; u && s < u->n_src; s++) {
      guint row = GPOINTER_TO_UINT (g_hash_table_lookup (rows, GUINT_TO_POINTER (u->src[s]->id + 1)));
      if (row && row - 1 < i && !own[row - 1])
        at[row - 1] = at[row - 1] ? MIN (at[row - 1], at[i]) : at[i];
    }
  }
  return at;
}

/* The rows that are in the text by then. */
static GArray *
list_of_render (const LsPass *pass, const LsKernel *kernel, guint step)
{
  const GArray *list = list_after (pass, kernel);
  g_autofree guint *at = steps_of_rows (pass, kernel, list);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < list->len; i++)
    if (at[i] <= step)
      g_array_append_val (out, g_array_index (list, guint32, i));
  return out;
}

/* --- compile, run, search --- */

guint
ls_compile_lines (const LsKernel *kernel, guint wanted, char **line)
{
  guint n = 0;
  for (const char *at = kernel->compile_message ? kernel->compile_message : ""; *at; ) {
    gsize size = strcspn (at, "\n");
    gboolean empty = strspn (at, " \t\r") >= size;
    if (!empty && ++n == wanted && line)
      *line = g_strstrip (g_strndup (at, size));
    at += size + (at[size] == '\n');
  }
  return n;
}

static guint
n_of_compile (const LsPass *pass, const LsKernel *kernel)
{
  return kernel->compiler && *kernel->compiler ? 1 + ls_compile_lines (kernel, 0, NULL) + (kernel->n_code > 0) : 0;
}

static guint
n_of_run (const LsPass *pass, const LsKernel *kernel)
{
  guint launches = kernel->run_ns->len + (kernel->run_error != NULL);
  return launches ? kernel->buffers->len + launches : 0;
}

/* The argument of the kernel's code. */
static gboolean
step_of_run (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  LsKernel *code = kernel->same_as > 0 ? ls_trace_kernel (pass->trace, (guint) kernel->same_as) : NULL;
  const GArray *list = code ? code->listing : kernel->listing;
  out->row = step - 1;
  for (guint i = 0; i < list->len && step <= kernel->buffers->len; i++) {
    const LsUOp *u = ls_context_node (pass->trace->ctx, g_array_index (list, guint32, i));
    if (u && u->op == LS_OP_DEFINE_GLOBAL && u->arg.kind == LS_ARG_INT && u->arg.i == step - 1)
      out->node = u->id;
  }
  return TRUE;
}

static guint n_of_search (const LsPass *pass, const LsKernel *kernel) { return kernel->candidates->len; }

static gboolean
step_of_number (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  out->row = step - 1;
  return TRUE;
}

/* --- the memory plan --- */

#define ALIGN 64      /* bytes */

gint64
ls_planned_bytes (const LsTraceBuffer *b)
{
  return ((gint64) b->n_elements * ls_dtype_itemsize (ls_dtype_strong (b->dtype)) + ALIGN - 1) / ALIGN * ALIGN;
}

int
ls_compare_planned (gconstpointer a, gconstpointer b)
{
  const LsTraceBuffer *x = *(LsTraceBuffer *const *) a, *y = *(LsTraceBuffer *const *) b;
  gint64 p = ls_planned_bytes (x), q = ls_planned_bytes (y);
  return p != q ? (p > q ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

const GPtrArray *
ls_planned_buffers (const LsPass *pass)
{
  GQuark quark = g_quark_from_static_string ("ls-planned-buffers");
  const LsTrace *trace = pass->trace;
  GPtrArray *out = g_dataset_id_get_data (pass, quark);
  if (out)      /* the plan is made when the run has ended */
    return out;
  out = g_ptr_array_new ();
  for (guint i = 0; i < trace->buffers->len; i++) {
    LsTraceBuffer *b = trace->buffers->pdata[i];
    if (b->offset >= 0)
      g_ptr_array_add (out, b);
  }
  g_ptr_array_sort (out, ls_compare_planned);
  g_dataset_id_set_data_full (pass, quark, out, (GDestroyNotify) g_ptr_array_unref);
  return out;
}

static guint n_of_memory (const LsPass *pass, const LsKernel *kernel) { return ls_planned_buffers (pass)->len; }

/* --- the schedule --- */

static guint n_of_schedule (const LsPass *pass, const LsKernel *kernel) { return ls_schedule_n_steps (pass); }

static gboolean
step_of_schedule (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  return ls_schedule_step (pass, step, out);
}

/* --- any of them --- */

static const struct {
  guint    (*n)    (const LsPass *pass, const LsKernel *kernel);
  gboolean (*step) (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out);
  GArray  *(*list) (const LsPass *pass, const LsKernel *kernel, guint step);
} kinds[LS_N_ROWS] = {
  [LS_ROWS_LINEARIZE] = { n_of_list, step_of_list, list_of_list },
  [LS_ROWS_PROCEDURE] = { n_of_list, step_of_list, list_of_list },
  [LS_ROWS_CHANGES] = { n_of_changes, step_of_changes, list_of_changes },
  [LS_ROWS_RENDER] = { n_of_render, step_of_render, list_of_render },
  [LS_ROWS_COMPILE] = { n_of_compile, step_of_number, NULL },
  [LS_ROWS_RUN] = { n_of_run, step_of_run, NULL },
  [LS_ROWS_SEARCH] = { n_of_search, step_of_number, NULL },
  [LS_ROWS_MEMORY] = { n_of_memory, step_of_number, NULL },
  [LS_ROWS_SCHEDULE] = { n_of_schedule, step_of_schedule, NULL },
};

LsRows
ls_rows_of (const LsPass *pass)
{
  const LsStageInfo *stage = pass->kind == LS_PASS_MAP ? ls_pass_stage (pass) : NULL;
  if (!pass->kernel)
    return stage && g_str_equal (stage->name, ls_stage_infos[LS_STAGE_MEMORY].name) ? LS_ROWS_MEMORY :
           stage && g_str_equal (stage->name, ls_stage_infos[LS_STAGE_SCHEDULE].name) ? LS_ROWS_SCHEDULE : LS_ROWS_NONE;
  switch (stage ? stage->gives : LS_STAGE_FORM_TEXT) {
  case LS_STAGE_FORM_LIST: return LS_ROWS_LINEARIZE;
  case LS_STAGE_FORM_PROCEDURE: return stage->takes == LS_STAGE_FORM_PROCEDURE ? LS_ROWS_CHANGES : LS_ROWS_PROCEDURE;
  case LS_STAGE_FORM_SOURCE: return LS_ROWS_RENDER;
  case LS_STAGE_FORM_CODE: return LS_ROWS_COMPILE;
  case LS_STAGE_FORM_BUFFERS: return LS_ROWS_RUN;
  case LS_STAGE_FORM_AST: return g_str_equal (stage->name, ls_stage_infos[LS_STAGE_SEARCH].name) ? LS_ROWS_SEARCH : LS_ROWS_NONE;
  default: return LS_ROWS_NONE;
  }
}

/* FALSE: the pass has no such steps. Of the tensor level, kernel is NULL. */
static gboolean
find_kernel (const LsPass *pass, LsRows rows, const LsKernel **kernel)
{
  *kernel = ls_trace_kernel (pass->trace, pass->kernel);
  return kinds[rows].n && (*kernel || !pass->kernel);
}

guint
ls_row_steps_n (const LsPass *pass)
{
  LsRows rows = ls_rows_of (pass);
  const LsKernel *kernel;
  return find_kernel (pass, rows, &kernel) ? kinds[rows].n (pass, kernel) : 0;
}

gboolean
ls_row_step (const LsPass *pass, guint step, LsRowStep *out)
{
  LsRows rows = ls_rows_of (pass);
  const LsKernel *kernel;
  *out = (LsRowStep) { LS_DIFF_ADDED, LS_NO_NODE, 0, NULL, LS_NO_NODE };
  return find_kernel (pass, rows, &kernel) && step >= 1 && step <= kinds[rows].n (pass, kernel) &&
         kinds[rows].step (pass, kernel, step, out);
}

const GArray *
ls_row_steps_whole (const LsPass *pass)
{
  LsRows rows = ls_rows_of (pass);
  const LsKernel *kernel;      /* a search is made before there is a list */
  return find_kernel (pass, rows, &kernel) && kernel && kernel->listing->len && rows != LS_ROWS_SEARCH ? list_after (pass, kernel) : NULL;
}

GArray *
ls_row_steps_list (const LsPass *pass, guint step)
{
  LsRows rows = ls_rows_of (pass);
  const LsKernel *kernel;
  if (!ls_row_steps_whole (pass) || !find_kernel (pass, rows, &kernel))
    return NULL;
  return kinds[rows].list ? kinds[rows].list (pass, kernel, step) : first_rows (list_after (pass, kernel), G_MAXUINT);
}

/* The SINK of the list at that step: the new one, once it is there. */
static LsUOp *
sink_of (const LsPass *pass, const GArray *list)
{
  LsUOp *sink = NULL;
  for (guint i = 0; i < list->len; i++) {
    guint32 id = g_array_index (list, guint32, i);
    LsUOp *u = ls_context_node (pass->trace->ctx, id);
    gboolean is_new = pass->rows->len && g_array_index (pass->rows, guint32, pass->rows->len - 1) == id;
    if (u && u->op == LS_OP_SINK && (!sink || is_new))
      sink = u;
  }
  return sink;
}

LsUOp *
ls_row_steps_root (const LsPass *pass, guint step)
{
  LsRows rows = ls_rows_of (pass);
  const LsKernel *kernel = ls_trace_kernel (pass->trace, pass->kernel);
  if (!kernel || rows < LS_ROWS_CHANGES || rows > LS_ROWS_RUN)
    return NULL;
  if (rows != LS_ROWS_CHANGES) {
    const GArray *before = list_before (pass, kernel);
    return before == kernel->listing ? NULL : sink_of (pass, before);
  }
  g_autoptr (GArray) list = list_of_changes (pass, kernel, step);
  return sink_of (pass, list);
}

const LsRowChanges *
ls_row_steps_changes (const LsPass *pass)
{
  const LsKernel *kernel = ls_trace_kernel (pass->trace, pass->kernel);
  return kernel && ls_rows_of (pass) == LS_ROWS_CHANGES ? changes_of (pass, kernel) : NULL;
}

GHashTable *
ls_row_steps_instead (const LsPass *pass, guint step)
{
  const LsRowChanges *c = ls_row_steps_changes (pass);
  return c ? ls_row_changes_instead (c, step) : NULL;
}

void
ls_row_steps_mark (const LsPass *pass, guint from, guint to, LsGraphDiff *diff)
{
  LsRowStep row;
  g_autoptr (GHashTable) added = g_hash_table_new (NULL, NULL);
  gboolean decides = ls_rows_of (pass) == LS_ROWS_SCHEDULE;      /* which makes no node */
  for (guint step = from + 1; step <= to && ls_row_step (pass, step, &row); step++)
    if (row.node != LS_NO_NODE && row.kind != LS_DIFF_REMOVED)
      g_hash_table_add (added, GUINT_TO_POINTER (row.node + 1));
  for (guint i = 0; i < diff->nodes->len && g_hash_table_size (added); i++) {
    LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind != LS_DIFF_SAME || !g_hash_table_contains (added, GUINT_TO_POINTER (n->node->id + 1)))
      continue;
    *n = (LsDiffNode) { n->node, decides ? n->node : NULL, decides ? LS_DIFF_CHANGED : LS_DIFF_ADDED, !decides, FALSE };
    diff->n_same--;
    *(decides ? &diff->n_changed : &diff->n_added) += 1;
  }
}
