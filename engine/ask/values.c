/* Values: the values of a node, at any step of any pass, on the program's inputs; and a search for the first value that satisfies a
 * predicate.
 *
 * The graph at the step is evaluated whole, in the order of its nodes; in a graph with accumulators a node that does not depend on one
 * is evaluated by itself, and the others have values in order of execution (values-executed.c). Nodes that are too large are sampled
 * (values-sampled.c). Nothing is guessed where contents were not kept.
 */
#include "values-private.h"
#include "sample.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static gboolean
parse_find (const char *text, LsFind *find, GError **error)
{
  static const struct { const char *sign; LsFindKind kind; } signs[] = { { "<=", LS_FIND_LE }, { ">=", LS_FIND_GE }, { "==", LS_FIND_EQ },
                                                                         { "!=", LS_FIND_NE }, { "<", LS_FIND_LT }, { ">", LS_FIND_GT } };
  find->value = 0;
  if (g_ascii_strcasecmp (text, "nan") == 0 || g_ascii_strcasecmp (text, "inf") == 0) {
    find->kind = g_ascii_strcasecmp (text, "nan") == 0 ? LS_FIND_NAN : LS_FIND_INF;
    return TRUE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (text, signs[i].sign)) {
      const char *number = text + strlen (signs[i].sign);
      char *end;
      find->kind = signs[i].kind;
      find->value = g_ascii_strtod (number, &end);
      while (g_ascii_isspace (*end))
        end++;
      if (end != number && !*end)
        return TRUE;
      break;
    }
  if (g_ascii_strcasecmp (text, "nonfinite") == 0) {
    find->kind = LS_FIND_NONFINITE;
    return TRUE;
  }
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "cannot search for '%s'; use nan, inf, nonfinite or a comparison such as '>1e30', "
                                                "'<0', '==1'", text);
  return FALSE;
}

/* The value of a pointer is its index. */
static double
as_double (LsDType dtype, LsScalar v)
{
  if (ls_dtype_is_ptr (dtype))
    return (double) v.i;
  return ls_dtype_is_float (ls_dtype_scalar (dtype)) ? v.f : ls_dtype_base (dtype) == LS_BASE_UINT64
         ? (double) (guint64) v.i : (double) v.i;
}

LsDType
ls_values_dtype (const LsUOp *u)
{
  return u->op == LS_OP_STORE && u->n_src > 1 ? u->src[u->n_src == 3 && u->src[1]->op == LS_OP_VIEW ? 2 : 1]->dtype : u->dtype;
}

gboolean
ls_find_is_data (const LsUOp *u)
{
  return u->op != LS_OP_CONST && u->op != LS_OP_INDEX && u->op != LS_OP_RANGE && ls_dtype_base (u->dtype) != LS_BASE_INDEX;
}

gboolean
ls_find_holds (const LsFind *find, LsDType dtype, LsScalar v)
{
  gboolean fp = ls_dtype_is_float (ls_dtype_scalar (dtype)) && !ls_dtype_is_ptr (dtype);
  double x = as_double (dtype, v);
  switch (find->kind) {
  case LS_FIND_NAN: return fp && isnan (x);
  case LS_FIND_INF: return fp && isinf (x);
  case LS_FIND_NONFINITE: return fp && !isfinite (x);
  case LS_FIND_LT: return x < find->value;
  case LS_FIND_LE: return x <= find->value;
  case LS_FIND_GT: return x > find->value;
  case LS_FIND_GE: return x >= find->value;
  case LS_FIND_EQ: return x == find->value;
  default: return x != find->value;
  }
}

LsValues *
ls_values_new (void)
{
  LsValues *v = g_new0 (LsValues, 1);
  v->node = LS_NO_NODE;
  v->text = g_array_new (FALSE, FALSE, sizeof (char *));
  v->at = g_array_new (FALSE, FALSE, sizeof (char *));
  v->inputs = g_array_new (FALSE, FALSE, sizeof (LsAskInput));
  return v;
}

static void
clear_texts (GArray *texts)
{
  for (guint i = 0; i < texts->len; i++)
    g_free (g_array_index (texts, char *, i));
  g_array_unref (texts);
}

static void
clear_inputs (GArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    g_free (g_array_index (inputs, LsAskInput, i).value);
  g_array_unref (inputs);
}

void
ls_values_free (LsValues *v)
{
  if (!v)
    return;
  clear_texts (v->text);
  clear_texts (v->at);
  clear_inputs (v->inputs);
  g_free (v->picture.bins);
  g_free (v->shape);
  g_free (v->where);
  g_free (v->value);
  g_free (v->notes);
  g_free (v->find);
  g_free (v);
}

/* The hit: position, value, and input values. */
static void
describe (LsValues *v, LsEvaluation *e, const LsNames *names, LsUOp *u, guint64 i, LsScalar value)
{
  v->node = u->id;
  v->dtype = ls_dtype_scalar (ls_values_dtype (u));
  v->element = i;
  v->where = ls_evaluation_where (e, names, u, i);
  v->value = ls_scalar_print (v->dtype, value);
  for (guint k = 0; k < u->n_src; k++) {
    LsAskInput in = { u->src[k]->id, NULL };
    LsScalar x;
    if (ls_evaluation_at (e, u, i, u->src[k], &x))
      in.value = ls_scalar_print (u->src[k]->dtype, x);
    g_array_append_val (v->inputs, in);
  }
}

/* An accumulator's initial value is set again in each iteration of the loops around it, and the contents of a tile are, too. */
static gboolean
depends_on_accumulator (LsContext *ctx, LsUOp *node)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, node);
  for (guint i = 0; i < order->len; i++)
    switch ((int) ((LsUOp *) order->pdata[i])->op) {
    case LS_OP_DEFINE_ACC: case LS_OP_DEFINE_REG: case LS_OP_PHI: case LS_OP_AFTER: case LS_OP_BARRIER: return TRUE;
    default: break;
    }
  return FALSE;
}

/* Values of nodes below root: of the whole graph if it has values, else of the node only. NULL without error: they have an order of
 * execution. */
static LsEvaluation *
evaluate (LsReference *r, const LsPass *pass, const LsKernel *k, LsContext *ctx, LsUOp *root, LsUOp *node, GError **error)
{
  LsEvaluation *e = NULL;
  GError *own = NULL;
  gboolean accumulates = ls_graph_accumulates (ctx, root);
  if (!accumulates && (k ? ls_reference_run (r, k, ctx, root, NULL, &e, &own) : ls_reference_tensor (r, ctx, root, &e, &own))
      == LS_GRAPH_COMPUTED)
    return e;
  if (node && node != root && !depends_on_accumulator (ctx, node)) {
    g_clear_error (&own);
    if ((k ? ls_reference_run (r, k, ctx, node, NULL, &e, &own) : ls_reference_tensor (r, ctx, node, &e, &own)) == LS_GRAPH_COMPUTED)
      return e;
  }
  if (accumulates && k)
    g_clear_error (&own);
  else if (!own)
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the graph of %s accumulates in order of execution, "
                                                "but it is not the graph of a kernel", pass->name);
  else if (g_error_matches (own, LS_ERROR, LS_ERROR_SPEC)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the graph of %s has no values: %s. Between the steps of a pass some nodes may have "
                                                "axes and others ranges: choose the first or last step",
                 pass->name, own->message);
    g_error_free (own);
  } else
    g_propagate_prefixed_error (error, g_steal_pointer (&own), "the graph of %s has no values: ", pass->name);
  return NULL;
}

/* Means are kept as they grow, so that large sums lose nothing. */
static void
count_values (LsStatistics *s, LsDType dtype, guint64 n, const LsScalar *x)
{
  double squares = 0;
  guint64 finite = 0;
  *s = (LsStatistics) { NAN, NAN, NAN, NAN, 0, 0, 0 };
  for (guint64 i = 0; i < n; i++) {
    double v = as_double (dtype, x[i]);
    s->n_nan += isnan (v);
    s->n_inf += isinf (v) != 0;
    if (!isfinite (v))
      continue;
    s->n_zero += v == 0;
    s->min = finite == 0 || v < s->min ? v : s->min;
    s->max = finite == 0 || v > s->max ? v : s->max;
    double mean = finite ? s->mean : 0, away = v - mean;
    s->mean = mean + away / (double) (finite + 1);
    squares += away * (v - s->mean);
    finite++;
  }
  if (finite)
    s->std = sqrt (squares / (double) finite);
}

static void
draw_values (LsPicture *p, LsDType dtype, guint64 n, const LsScalar *x, guint64 row_length)
{
  p->wrapped = row_length == n && n > LS_PICTURE_MOST_COLUMNS;
  p->row_length = p->wrapped ? (guint64) ceil (sqrt ((double) n)) : MAX (row_length, 1);
  guint64 n_rows = (n + p->row_length - 1) / p->row_length;
  p->bin_columns = (p->row_length + LS_PICTURE_MOST_COLUMNS - 1) / LS_PICTURE_MOST_COLUMNS;
  p->bin_rows = MAX ((n_rows + LS_PICTURE_MOST_ROWS - 1) / LS_PICTURE_MOST_ROWS, 1);
  p->columns = (guint) ((p->row_length + p->bin_columns - 1) / p->bin_columns);
  p->rows = (guint) ((n_rows + p->bin_rows - 1) / p->bin_rows);
  gsize n_bins = (gsize) p->rows * p->columns;
  g_autofree guint64 *count = g_new0 (guint64, MAX (n_bins, 1));
  p->bins = g_new0 (double, MAX (n_bins, 1));
  for (guint64 i = 0; i < n; i++) {
    gsize bin = (gsize) (i / p->row_length / p->bin_rows) * p->columns + (gsize) (i % p->row_length / p->bin_columns);
    double v = as_double (dtype, x[i]);
    if (!isfinite (p->bins[bin]) && !isnan (v))
      continue;      /* the worst value of a bin is the relevant one */
    if (!isfinite (v))
      p->bins[bin] = v;
    else
      p->bins[bin] += (v - p->bins[bin]) / (double) ++count[bin];
  }
}

void
ls_values_set (LsValues *v, LsDType dtype, guint64 n, const LsScalar *x, guint64 row_length, guint max)
{
  v->dtype = ls_dtype_scalar (dtype);
  v->n = n;
  count_values (&v->statistics, dtype, n, x);
  draw_values (&v->picture, dtype, n, x, row_length);
  for (guint64 i = 0; i < n && i < max; i++) {
    char *text = ls_scalar_print (dtype, x[i]);
    g_array_append_val (v->text, text);
  }
}

/* Adds notes on the values' inputs and on the kernel's result, once. */
static LsValues *
with_notes (LsValues *v, LsReference *r, const LsKernel *kernel, GString *notes)
{
  if (v && kernel)
    ls_reference_note_result (r, kernel, notes);
  if (v && notes->len)
    v->notes = g_strdup (notes->str);
  return v;
}

static LsValues *
values_of (LsTrace *trace, const LsPass *pass, guint step, guint32 id, const char *find_text, guint max, GError **error)
{
  LsFind find = { LS_FIND_NAN, 0 };
  if (find_text && !parse_find (find_text, &find, error))
    return NULL;
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step);
  if (!graph) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %u", pass->name, step);
    return NULL;
  }
  GPtrArray *order = graph->nodes;
  LsUOp *root = graph->root, *node = id == LS_NO_NODE ? NULL : ls_graph_node (graph, id);
  if (id != LS_NO_NODE && !node) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u is not in the graph of pass %s after step %u; `lazyscope-cli show --pass %s "
                                                  "--step %u --format json` lists its nodes",
                 id, pass->name, step, pass->name, step);
    return NULL;
  }
  g_autoptr (LsReference) r = ls_reference_new (trace);
  const LsKernel *kernel = ls_trace_kernel (trace, pass->kernel);
  GError *own = NULL;
  g_autoptr (LsContext) ctx = ls_context_new_over (graph->ctx);
  g_autoptr (GString) notes = g_string_new (NULL);
  if (!ls_reference_load (r, ls_reference_kernels_before (trace, pass) + 1, notes, error))
    return NULL;
  LsUOp *whole = kernel ? ls_reference_kernel_graph (trace, kernel) : root;
  if (whole && ls_graph_is_large (ctx, whole) && !(node ? depends_on_accumulator (ctx, node) : ls_graph_accumulates (ctx, root))) {
    return with_notes (ls_values_sampled (r, kernel, ctx, order, node, find_text ? &find : NULL, max, error), r, kernel, notes);
  }
  g_autoptr (LsEvaluation) e = evaluate (r, pass, kernel, ctx, root, node, &own);
  if (own) {
    g_propagate_error (error, own);
    return NULL;
  }
  if (!e)
    return with_notes (ls_values_executed (r, kernel, ctx, root, node, find_text ? &find : NULL, max, error), r, kernel, notes);
  LsValues *v = ls_values_new ();
  if (find_text) {
    for (guint i = 0; i < order->len && v->node == LS_NO_NODE; i++) {
      LsUOp *u = order->pdata[i];
      guint64 n;
      if (!node && !ls_find_is_data (u))
        continue;
      const LsScalar *x = node && u != node ? NULL : ls_evaluation_values (e, u, &n);
      v->n_searched += x != NULL;
      for (guint64 k = 0; x && k < n; k++)
        if (ls_find_holds (&find, ls_values_dtype (u), x[k]) && ls_evaluation_is_open (e, u, k)) {
          describe (v, e, graph->names, u, k, x[k]);
          v->n = n;
          break;
        }
    }
    return with_notes (v, r, kernel, notes);
  }
  guint64 n;
  const LsScalar *x = node ? ls_evaluation_values (e, node, &n) : NULL;
  if (!x) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u (%s) has no value", id, node ? ls_op_name (node->op) : "?");
    ls_values_free (v);
    return NULL;
  }
  v->node = id;
  guint64 n_made = 0;
  g_autofree LsScalar *made = node->op == LS_OP_STORE ? g_new (LsScalar, n + 1) : NULL;      /* where the gate is true */
  for (guint64 i = 0; made && i < n; i++)
    if (ls_evaluation_is_open (e, node, i))
      made[n_made++] = x[i];
  n_made = made ? n_made : n;
  ls_values_set (v, ls_values_dtype (node), n_made, made ? made : x, n_made < n ? n_made : ls_evaluation_row_length (e, node), max);
  LsShape shape;
  if (n_made < n)
    v->shape = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " iterations and lanes: the gate is false in the others",
                                n_made, n);
  else if (ls_uop_get_shape (ctx, node, &shape, NULL) && (guint64) ls_shape_size (shape) == n)
    v->shape = ls_shape_to_string (shape);
  else
    v->shape = n ? ls_evaluation_where (e, graph->names, node, n - 1) : g_strdup ("()");
  return with_notes (v, r, kernel, notes);
}

LsValues *
ls_values (LsTrace *trace, const LsPass *pass, guint step, guint32 id, const char *find, guint max, GError **error)
{
  LsValues *v = values_of (trace, pass, step, id, find, max, error);
  if (v) {
    v->place = (LsPosition) { trace, pass, step };
    v->find = g_strdup (find);
  }
  return v;
}

/* --- the answers --- */

#define INPUT(X) \
  X (node, NODE, in->node, TRUE, "A source of the node") \
  X (value, TEXT, in->value, TRUE, "Its value at that element; null if it has different elements")
LS_RECORD (ls_ask_input_answer, INPUT, const LsAskInput *in = row;)

#define STATISTICS(X) \
  X (min, NUMBER, s->min, TRUE, "The smallest finite value") \
  X (max, NUMBER, s->max, TRUE, "The largest finite value") \
  X (mean, NUMBER, s->mean, TRUE, "Their mean") \
  X (std, NUMBER, s->std, TRUE, "Their standard deviation") \
  X (zeros, INT, s->n_zero, TRUE, "Number of zeros") \
  X (nan, INT, s->n_nan, TRUE, "Number of NaNs") \
  X (inf, INT, s->n_inf, TRUE, "Number of infinite values")
LS_INNER_RECORD (statistics_answer, STATISTICS, const LsStatistics *s = row;)

#define PICTURE(X) \
  X (rows, INT, p->rows, TRUE, "Rows of the picture") \
  X (columns, INT, p->columns, TRUE, "Its columns") \
  X (row_length, INT, p->row_length, TRUE, "Values in a row before binning") \
  X (bin_rows, INT, p->bin_rows, TRUE, "Rows of values in a bin") \
  X (bin_columns, INT, p->bin_columns, TRUE, "Columns of values in a bin") \
  X (wrapped, BOOL, p->wrapped, TRUE, "True if the values form one long row, which was wrapped") \
  X (bins, LIST, ls_list_of (p->rows * p->columns, p->bins, sizeof *p->bins), TRUE, "The mean of each bin, row by row", \
     .item = LS_CELL_NUMBER)
LS_INNER_RECORD (picture_answer, PICTURE, const LsPicture *p = row;)

#define ASKED(X) \
  X (kernel, INT, v->place.pass->kernel, TRUE, "Number of the kernel; 0 is the tensor level") \
  X (pass, TEXT, v->place.pass->name, TRUE, "The pass") \
  X (step, INT, v->place.step, TRUE, "The graph after this step is used")
#define COMPUTED(X) \
  X (notes, TEXT, v->notes, TRUE, "Notes on recomputed inputs and on differences from the recorded result, or null") \
  X (sampled, BOOL, v->sampled, TRUE, "True if only a sample of the elements was computed") \
  X (of, INT, v->n_all, v->sampled, "Number of all values, if they are sampled")
#define OF_NODE(X) \
  X (node, NODE, v->node, is_hit, "The node") \
  X (dtype, DTYPE, v->dtype, is_hit, "Dtype of a value") \
  X (executed, BOOL, v->executed, is_hit, "True if values are in order of execution, because the node depends on an accumulator")

#define VALUES(X) \
  ASKED (X) COMPUTED (X) OF_NODE (X) \
  X (n, INT, v->n, is_hit, "Number of values") \
  X (shape, TEXT, v->shape, is_hit, "Their shape, or their axes") \
  X (statistics, ROW, &v->statistics, is_hit, "Statistics of all values", .of = &statistics_answer) \
  X (picture, ROW, &v->picture, is_hit, "The values as a picture", .of = &picture_answer) \
  X (values, LIST, ls_list_array (v->text), is_hit, "The first values", .item = LS_CELL_TEXT) \
  X (at, LIST, ls_list_array (v->at), is_hit && (v->executed || v->sampled), \
     "The position of each: the loops at its execution, or its indices", .item = LS_CELL_TEXT)
LS_RECORD (ls_values_answer, VALUES, const LsValues *v = row; gboolean is_hit = v->node != LS_NO_NODE;)

#define FOUND(X) \
  ASKED (X) \
  X (find, TEXT, v->find, TRUE, "The condition that was searched for") \
  X (found, BOOL, is_hit, TRUE, "True if there is such a value") \
  X (searched, INT, v->n_searched, TRUE, "Number of nodes that were searched") \
  X (not_searched, INT, v->n_unsearched, TRUE, "Number of nodes whose sample could not be computed") \
  COMPUTED (X) OF_NODE (X) \
  X (n, INT, v->n, is_hit && !v->executed, "Number of values the node has") \
  X (element, INT, v->element, is_hit, "Number of the value") \
  X (where, TEXT, v->where, is_hit, "Its position") \
  X (value, TEXT, v->value, is_hit, "The value") \
  X (inputs, LIST, ls_list_array (v->inputs), is_hit, "The values of the node's sources at that position", .of = &ls_ask_input_answer)
LS_RECORD (ls_values_find_answer, FOUND, const LsValues *v = row; gboolean is_hit = v->node != LS_NO_NODE;)
