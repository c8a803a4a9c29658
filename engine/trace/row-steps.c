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

/* The rows of both lists in one order. step: that adds, removes or moves it; 0: it stays. A row that moves is there twice, from and to. */
typedef struct { guint32 node; guint step; gboolean goes; } Merged;
typedef struct { GArray *merged, *steps; guint n_rows; } Changes;      /* Merged, LsRowStep; n_rows: of pass->rows when it was made */

static void
changes_free (gpointer data)
{
  Changes *c = data;
  g_array_unref (c->merged);
  g_array_unref (c->steps);
  g_free (c);
}

static void
merge_row (Changes *c, guint32 node, LsDiffKind kind, guint row)
{
  Merged m = { node, 0, kind == LS_DIFF_REMOVED };
  if (kind != LS_DIFF_SAME) {
    LsRowStep step = { kind, node, row, NULL };
    g_array_append_val (c->steps, step);
    m.step = c->steps->len;
  }
  g_array_append_val (c->merged, m);
}

/* The places in a of b's rows, or LS_NO_NODE. Free with g_free. */
static guint32 *
find_places (const GArray *a, const GArray *b)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  guint32 *place = g_new (guint32, b->len + 1);
  for (guint i = 0; i < a->len; i++)
    g_hash_table_insert (places, GUINT_TO_POINTER (g_array_index (a, guint32, i) + 1), GUINT_TO_POINTER (i + 1));
  for (guint j = 0; j < b->len; j++)      /* 0 - 1 is LS_NO_NODE */
    place[j] = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (g_array_index (b, guint32, j) + 1))) - 1;
  return place;
}

/* The reasons that the pass's map has, by node: of a row that it made, and else of one that it replaced. */
static void
add_reasons (const LsPass *pass, GArray *steps)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL), replaced = g_hash_table_new (NULL, NULL);
  for (guint i = pass->map->len; i-- > 0;) {
    const LsMapEntry *e = &g_array_index (pass->map, LsMapEntry, i);
    g_hash_table_insert (made, GUINT_TO_POINTER (e->new_node + 1), (gpointer) e->reason);
    g_hash_table_insert (replaced, GUINT_TO_POINTER (e->old_node + 1), (gpointer) e->reason);
  }
  for (guint i = 0; i < steps->len; i++) {
    LsRowStep *s = &g_array_index (steps, LsRowStep, i);
    s->reason = g_hash_table_lookup (s->kind == LS_DIFF_REMOVED ? replaced : made, GUINT_TO_POINTER (s->node + 1));
  }
}

static Changes *
changes_new (const LsPass *pass, const GArray *a)
{
  const GArray *b = pass->rows;
  Changes *c = g_new (Changes, 1);
  *c = (Changes) { g_array_new (FALSE, FALSE, sizeof (Merged)), g_array_new (FALSE, FALSE, sizeof (LsRowStep)), b->len };
  g_autofree guint32 *place = find_places (a, b);
  g_autofree gboolean *kept = g_new0 (gboolean, b->len + 1), *stays = g_new0 (gboolean, a->len + 1);
  g_autoptr (GHashTable) leaves = g_hash_table_new (NULL, NULL);      /* place in merged + 1, by node + 1 */
  ls_keep_ascending (b->len, place, kept);
  for (guint j = 0; j < b->len; j++)
    if (place[j] != LS_NO_NODE)
      stays[place[j]] = TRUE;
  for (guint j = 0, next = 0; j <= b->len; j++) {
    for (guint until = j == b->len ? a->len : kept[j] ? place[j] : 0; next < until; next++) {
      guint32 node = g_array_index (a, guint32, next);
      if (stays[next]) {      /* moves: its step is that of its new place */
        Merged m = { node, 0, TRUE };
        g_array_append_val (c->merged, m);
        g_hash_table_insert (leaves, GUINT_TO_POINTER (node + 1), GUINT_TO_POINTER (c->merged->len));
      } else {
        merge_row (c, node, LS_DIFF_REMOVED, next);
      }
    }
    if (j == b->len)
      break;
    next += kept[j];
    merge_row (c, g_array_index (b, guint32, j), kept[j] ? LS_DIFF_SAME : place[j] == LS_NO_NODE ? LS_DIFF_ADDED : LS_DIFF_MOVED, j);
  }
  for (guint i = 0; i < c->merged->len; i++) {
    const Merged *m = &g_array_index (c->merged, Merged, i);
    guint from = m->step && !m->goes ? GPOINTER_TO_UINT (g_hash_table_lookup (leaves, GUINT_TO_POINTER (m->node + 1))) : 0;
    if (from)
      g_array_index (c->merged, Merged, from - 1).step = m->step;
  }
  add_reasons (pass, c->steps);
  return c;
}

static const Changes *
changes_of (const LsPass *pass, const LsKernel *kernel)
{
  GQuark quark = g_quark_from_static_string ("ls-row-changes");
  Changes *c = g_dataset_id_get_data (pass, quark);
  if (!pass->rows->len)
    return NULL;
  if (!c || c->n_rows != pass->rows->len) {
    c = changes_new (pass, list_before (pass, kernel));
    g_dataset_id_set_data_full (pass, quark, c, changes_free);
  }
  return c;
}

static guint
n_of_changes (const LsPass *pass, const LsKernel *kernel)
{
  const Changes *c = changes_of (pass, kernel);
  return c ? c->steps->len : 0;
}

static gboolean
step_of_changes (const LsPass *pass, const LsKernel *kernel, guint step, LsRowStep *out)
{
  *out = g_array_index (changes_of (pass, kernel)->steps, LsRowStep, step - 1);
  return TRUE;
}

static GArray *
list_of_changes (const LsPass *pass, const LsKernel *kernel, guint step)
{
  const Changes *c = changes_of (pass, kernel);
  if (!c)
    return first_rows (list_before (pass, kernel), G_MAXUINT);
  GArray *out = g_array_sized_new (FALSE, FALSE, sizeof (guint32), c->merged->len);
  for (guint i = 0; i < c->merged->len; i++) {
    const Merged *m = &g_array_index (c->merged, Merged, i);
    if (m->goes ? step < m->step : m->step <= step)
      g_array_append_val (out, m->node);
  }
  return out;
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
};

LsRows
ls_rows_of (const LsPass *pass)
{
  const LsStageInfo *stage = pass->kind == LS_PASS_MAP ? ls_pass_stage (pass) : NULL;
  if (!pass->kernel)
    return stage && g_str_equal (stage->name, ls_stage_infos[LS_STAGE_MEMORY].name) ? LS_ROWS_MEMORY : LS_ROWS_NONE;
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
  return kinds[rows].n && (*kernel || rows == LS_ROWS_MEMORY);
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
  *out = (LsRowStep) { LS_DIFF_ADDED, LS_NO_NODE, 0, NULL };
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

void
ls_row_steps_mark (const LsPass *pass, guint from, guint to, LsGraphDiff *diff)
{
  LsRowStep row;
  g_autoptr (GHashTable) added = g_hash_table_new (NULL, NULL);
  for (guint step = from + 1; step <= to && ls_row_step (pass, step, &row); step++)
    if (row.node != LS_NO_NODE && row.kind != LS_DIFF_REMOVED)
      g_hash_table_add (added, GUINT_TO_POINTER (row.node + 1));
  for (guint i = 0; i < diff->nodes->len && g_hash_table_size (added); i++) {
    LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind != LS_DIFF_SAME || !g_hash_table_contains (added, GUINT_TO_POINTER (n->node->id + 1)))
      continue;
    *n = (LsDiffNode) { n->node, NULL, LS_DIFF_ADDED, TRUE, FALSE };
    diff->n_same--;
    diff->n_added++;
  }
}
