/* Values in order of execution.
 *
 * A node that depends on an accumulator has no value per iteration of its ranges: it has one each time it is executed. So the graph is
 * put in order as the last stage would, and executed row by row; of the row that is asked for every value is kept, and the counters of
 * the loops around it for those that are shown. The row's inputs at a search's hit are read from the registers while they still have
 * these values.
 */
#include "values-private.h"

#include "codegen/linearize.h"
#include "ir/axis.h"
#include "ir/names.h"

#include <string.h>

#define MOST_VALUES ((guint) 1 << 24)      /* kept: 128 MB */

typedef struct {
  const LsNames *names;
  GPtrArray    *list;
  LsUOp        *node;         /* whose values are wanted, or NULL */
  const LsFind *find;
  guint         max;
  GArray       *x;            /* LsScalar: its values */
  guint64      *n_times;      /* by row: executions before this one */
  gboolean     *searched;     /* by row */
  gboolean      too_many;
  LsValues     *v;
} Watch;

static void
append_loops (GString *s, const LsExecutionAt *at, const Watch *w, guint lane, guint lanes)
{
  g_autoptr (GArray) loops = g_array_new (FALSE, FALSE, sizeof (LsLoopTurn));
  ls_execution_at_turns (at, loops);
  for (guint k = 0; k < loops->len; k++) {
    const LsLoopTurn *loop = &g_array_index (loops, LsLoopTurn, k);
    g_autofree char *name = ls_label_of_loop (w->names, w->list->pdata[loop->place]);
    g_string_append_printf (s, "%s%s=%" G_GINT64_FORMAT, k ? ", " : "", name, loop->value);
  }
  if (lanes > 1)
    g_string_append_printf (s, "%slane %u", loops->len ? ", " : "", lane);
}

/* The loops around a row of the list, the outermost first (LsUOp *): work items, then open ranges. */
static GPtrArray *
loops_around (GPtrArray *list, guint row)
{
  GPtrArray *loops = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++)
    if (((LsUOp *) list->pdata[i])->op == LS_OP_SPECIAL)
      g_ptr_array_add (loops, list->pdata[i]);
  guint row_at = row;
  const LsUOp *u = list->pdata[row];
  /* an accumulator is set where the outermost of its ranges begins */
  for (guint k = 1; u->op == LS_OP_DEFINE_ACC && k < u->n_src; k++)
    for (guint i = 0; i < list->len; i++)
      if (list->pdata[i] == u->src[k] && (row_at == row || i < row_at))
        row_at = i;
  for (guint i = 0; i < row_at; i++) {
    LsUOp *w = list->pdata[i];
    if (w->op == LS_OP_RANGE)
      g_ptr_array_add (loops, w);
    else if (w->op == LS_OP_ENDRANGE)
      g_ptr_array_remove (loops, w->src[0]);
  }
  return loops;
}

/* "executed 24 times over i < 4, j < 6"; and the number of values in a row. */
static char *
shape_of (const Watch *w, guint row, guint64 n, guint lanes, guint64 *row_length)
{
  g_autoptr (GPtrArray) loops = loops_around (w->list, row);
  g_autoptr (GString) s = g_string_new (NULL);
  guint64 times = n / MAX (lanes, 1);
  *row_length = lanes > 1 ? lanes : n;
  for (guint k = 0; k < loops->len; k++) {
    const LsUOp *u = loops->pdata[k];
    g_autofree char *name = ls_label_of_loop (w->names, u);
    g_string_append_printf (s, "%s%s", k ? ", " : "", name);
    if (u->n_src > 0 && u->src[0]->op == LS_OP_CONST) {
      guint64 size = (guint64) MAX (u->src[0]->arg.i, 1);
      g_string_append_printf (s, " < %" G_GINT64_FORMAT, u->src[0]->arg.i);
      if (size > 1 && lanes <= 1 && times % size == 0)
        *row_length = size;
    }
  }
  g_autofree char *how = times == 1 ? s->len ? g_strdup_printf ("executed once over %s", s->str) : g_strdup ("executed once")
                         : s->len ? g_strdup_printf ("executed %" G_GUINT64_FORMAT " times over %s", times, s->str)
                                  : g_strdup_printf ("executed %" G_GUINT64_FORMAT " times", times);
  return lanes > 1 ? g_strdup_printf ("%s, with %u lanes", how, lanes) : g_steal_pointer (&how);
}

static gboolean
on_value (const LsExecutionAt *at, gpointer data)
{
  Watch *w = data;
  guint lanes;
  const LsScalar *x = ls_execution_at_value (at, &lanes);
  if (w->x->len + lanes > MOST_VALUES) {
    w->too_many = TRUE;
    return FALSE;
  }
  for (guint k = 0; k < lanes && w->v->at->len < w->max; k++) {
    GString *label = g_string_new (NULL);
    append_loops (label, at, w, k, lanes);
    char *text = g_string_free (label, FALSE);
    g_array_append_val (w->v->at, text);
  }
  g_array_append_vals (w->x, x, lanes);
  return TRUE;
}

static void
describe (Watch *w, const LsExecutionAt *at, LsUOp *u, guint lane, LsScalar value)
{
  LsValues *v = w->v;
  GString *where = g_string_new ("(");
  guint lanes;
  ls_execution_at_value (at, &lanes);
  append_loops (where, at, w, lane, lanes);
  g_string_append_c (where, ')');
  v->node = u->id;
  v->where = g_string_free (where, FALSE);
  v->element = (w->n_times[ls_execution_at_place (at)] - 1) * lanes + lane;
  v->dtype = ls_dtype_scalar (ls_values_dtype (u));
  v->value = ls_scalar_print (v->dtype, value);
  for (guint k = 0; k < u->n_src; k++) {
    LsAskInput in = { u->src[k]->id, NULL };
    LsScalar read;
    if (ls_execution_at_source (at, k, lane, &read))
      in.value = ls_scalar_print (u->src[k]->dtype, read);
    g_array_append_val (v->inputs, in);
  }
}

static gboolean
on_search (const LsExecutionAt *at, gpointer data)
{
  Watch *w = data;
  guint row = ls_execution_at_place (at), lanes;
  LsUOp *u = w->list->pdata[row];
  const LsScalar *x = ls_execution_at_value (at, &lanes);
  if (!w->node && !ls_find_is_data (u))
    return TRUE;
  w->n_times[row]++;
  w->v->n_searched += !w->searched[row];
  w->searched[row] = TRUE;
  LsDType dtype = ls_values_dtype (u);
  for (guint k = 0; k < lanes; k++)
    if (ls_find_holds (w->find, dtype, x[k])) {
      describe (w, at, u, k, x[k]);
      return FALSE;
    }
  return TRUE;
}

static guint
row_of (GPtrArray *list, const LsUOp *node)
{
  guint row;
  return g_ptr_array_find (list, node, &row) ? row : G_MAXUINT;
}

/* Makes text and picture of the kept values. FALSE with error where there is nothing to say. */
static gboolean
finish (Watch *w, guint row, GError **error)
{
  LsUOp *u = w->list->pdata[row];
  LsDType dtype = ls_values_dtype (u);
  guint64 row_length;
  if (w->x->len == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u (%s) has no value", w->node->id, ls_op_name (w->node->op));
    return FALSE;
  }
  w->v->node = w->node->id;
  w->v->shape = shape_of (w, row, w->x->len, ls_dtype_lanes (dtype), &row_length);
  ls_values_set (w->v, dtype, w->x->len, (const LsScalar *) (gpointer) w->x->data, row_length, w->max);
  return TRUE;
}

LsValues *
ls_values_executed (LsReference *r, const LsKernel *kernel, LsContext *ctx, LsUOp *root, LsUOp *node, const LsFind *find, guint max,
                    GError **error)
{
  GError *own = NULL;
  g_autoptr (GPtrArray) list = ls_linearize (ctx, root, &r->settings, &own);
  /* a pointer's value is its index */
  LsUOp *watched = node && node->op == LS_OP_INDEX && node->n_src > 1 ? node->src[1] : node;
  guint row = list && watched ? row_of (list, watched) : LS_ANY_PLACE;
  if (!list || (watched && row == G_MAXUINT)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the node depends on an accumulator, whose value depends on the order of execution, and %s",
                 own ? own->message : "it has no place in that order");
    g_clear_error (&own);
    return NULL;
  }
  g_autoptr (GArray) x = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  g_autofree guint64 *n_times = g_new0 (guint64, list->len + 1);
  g_autofree gboolean *searched = g_new0 (gboolean, list->len + 1);
  g_autoptr (LsValues) v = ls_values_new ();
  Watch w = { ls_trace_names (r->trace, kernel->number), list, node, find, max, x, n_times, searched, FALSE, v };
  v->executed = TRUE;
  g_autoptr (LsExecution) execution = ls_reference_watch (r, kernel, list, row, find ? on_search : on_value, &w, &own);
  if (!execution)
    g_propagate_prefixed_error (error, own, node ? "the node depends on an accumulator, whose value depends on the order of execution, "
                                                   "and the graph cannot be executed here: "
                                                 : "a node depends on an accumulator, whose value depends on the order of execution, and "
                                                   "the graph cannot be executed here: ");
  else if (w.too_many)
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "node %u has more than %u values", node->id, MOST_VALUES);
  else if (execution->error)
    g_propagate_prefixed_error (error, g_steal_pointer (&execution->error), "the execution stops: ");
  else if (!execution->ended && execution->n_steps >= LS_REFERENCE_MOST_STEPS)
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the graph has more than %d rows to execute", LS_REFERENCE_MOST_STEPS);
  else if (find || finish (&w, row, error))
    return g_steal_pointer (&v);
  return NULL;
}
