/* Values of nodes that have too many: of a sample of their elements (sample.h), of each node by itself.
 *
 * A hit among them is a hit. The result "none" is limited to the sample: its size is part of every answer.
 */
#include "values-private.h"
#include "sample.h"

/* One node's sample. n_all counts the elements of a node with a shape, or the iterations in which a node without one is
 * evaluated: those of the node over. */
typedef struct {
  LsUOp        *node, *over;
  guint64       n_all;
  GArray       *x;             /* LsScalar */
  GArray       *element;       /* guint64: which each is, of the node */
  LsElements   *elements;
  LsEvaluation *turns;
  GPtrArray    *axes;
  const LsNames *names;
} Sample;

static void
sample_clear (Sample *s)
{
  g_clear_pointer (&s->x, g_array_unref);
  g_clear_pointer (&s->element, g_array_unref);
  g_clear_pointer (&s->elements, ls_elements_free);
  g_clear_pointer (&s->turns, ls_evaluation_free);
  g_clear_pointer (&s->axes, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

static gboolean
sample_elements (Sample *s, LsReference *r, const LsKernel *kernel, LsContext *ctx, LsShape shape, GError **error)
{
  g_array_unref (s->element);
  s->element = ls_sample_choose (shape, LS_SAMPLE_MOST);
  s->n_all = (guint64) ls_shape_size (shape);
  const guint64 *at = (const guint64 *) (gconstpointer) s->element->data;
  if (ls_reference_elements (r, kernel, ctx, s->node, s->element->len, at, &s->elements, error) != LS_GRAPH_COMPUTED)
    return FALSE;
  for (guint i = 0; i < s->element->len; i++) {
    LsScalar x = { 0 };
    ls_elements_value (s->elements, s->node, at[i], &x);
    g_array_append_val (s->x, x);
  }
  return TRUE;
}

static gboolean
sample_turns (Sample *s, LsReference *r, const LsKernel *kernel, LsContext *ctx, GError **error)
{
  guint64 n, n_turns, n_rows;
  s->axes = g_ptr_array_new ();
  if (!kernel || ls_reference_turns (r, kernel, ctx, s->node, LS_SAMPLE_MOST, s->axes, &n_turns, &n_rows, &s->over, &s->turns,
                                     error) != LS_GRAPH_COMPUTED)
    return FALSE;
  const LsScalar *x = ls_evaluation_values (s->turns, s->over, &n);
  for (guint64 i = 0; x && i < n; i++) {
    if (s->over->op == LS_OP_STORE && !ls_evaluation_is_open (s->turns, s->over, i))
      continue;
    g_array_append_val (s->x, x[i]);
    g_array_append_val (s->element, i);
  }
  s->n_all = n / MAX (n_rows, 1) * n_turns;
  return x != NULL;
}

/* FALSE if it has no values: with error, or because such a node never has any. */
static gboolean
sample (Sample *s, LsReference *r, const LsKernel *kernel, LsContext *ctx, LsUOp *node, GError **error)
{
  LsShape shape;
  s->node = s->over = node;
  s->names = kernel ? ls_trace_names (r->trace, kernel->number) : NULL;
  s->x = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  s->element = g_array_new (FALSE, FALSE, sizeof (guint64));
  return ls_uop_get_shape (ctx, node, &shape, NULL) ? sample_elements (s, r, kernel, ctx, shape, error)
                                                    : sample_turns (s, r, kernel, ctx, error);
}

static char *
where_of (const Sample *s, LsContext *ctx, guint i)
{
  LsShape shape;
  if (s->turns)
    return ls_sample_where (s->turns, s->names, s->over, g_array_index (s->element, guint64, i), s->axes);
  guint64 at = g_array_index (s->element, guint64, i);
  GString *text = g_string_new (NULL);
  if (ls_uop_get_shape (ctx, s->node, &shape, NULL))
    for (guint k = shape.n; k-- > 0; at /= (guint64) shape.dims[k]) {
      g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT "%s", at % (guint64) shape.dims[k], k + 1 < shape.n ? ", " : "");
      g_string_prepend (text, number);
    }
  g_string_prepend_c (text, '(');
  return g_string_free (g_string_append_c (text, ')'), FALSE);
}

static gboolean
source_value (const Sample *s, LsContext *ctx, guint i, guint k, LsScalar *value)
{
  LsShape shape, other;
  if (s->turns)
    return ls_evaluation_at (s->turns, s->over, g_array_index (s->element, guint64, i), s->over->src[k], value);
  return ls_uop_get_shape (ctx, s->node, &shape, NULL) && ls_uop_get_shape (ctx, s->node->src[k], &other, NULL) &&
         (ls_shape_equal (shape, other) || ls_shape_size (other) == 1) && ls_elements_value (s->elements, s->node->src[k],
                                                                                             g_array_index (s->element, guint64, i), value);
}

static void
describe (LsValues *v, const Sample *s, LsContext *ctx, guint i)
{
  LsScalar value = g_array_index (s->x, LsScalar, i);
  v->node = s->node->id;
  v->dtype = ls_dtype_scalar (ls_values_dtype (s->node));
  v->element = g_array_index (s->element, guint64, i);
  v->where = where_of (s, ctx, i);
  v->value = ls_scalar_print (v->dtype, value);
  v->n = s->x->len;
  v->n_all = s->n_all;
  for (guint k = 0; k < s->node->n_src; k++) {
    LsAskInput in = { s->node->src[k]->id, NULL };
    if (source_value (s, ctx, i, k, &value))
      in.value = ls_scalar_print (s->node->src[k]->dtype, value);
    g_array_append_val (v->inputs, in);
  }
}

/* own: NULL for a node that has no value at all, such as a SINK. */
static void
no_sample (const LsUOp *node, GError *own, GError **error)
{
  if (own)
    g_propagate_error (error, own);
  else
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u (%s) has no value", node->id, ls_op_name (node->op));
}

static LsValues *
search (LsReference *r, const LsKernel *kernel, LsContext *ctx, GPtrArray *order, LsUOp *node, const LsFind *find, GError **error)
{
  g_autoptr (LsValues) v = ls_values_new ();
  v->sampled = TRUE;
  for (guint i = 0; i < order->len && v->node == LS_NO_NODE; i++) {
    g_auto (Sample) s = { 0 };
    LsUOp *u = order->pdata[i];
    GError *own = NULL;
    if (node ? u != node : !ls_find_is_data (u) || u->op == LS_OP_STORE || u->op == LS_OP_SINK)
      continue;
    if (!sample (&s, r, kernel, ctx, u, &own)) {
      if (node) {
        no_sample (node, own, error);
        return NULL;
      }
      g_clear_error (&own);
      v->n_unsearched++;
      continue;
    }
    v->n_searched++;
    v->n += s.x->len;
    v->n_all += s.n_all;
    for (guint k = 0; k < s.x->len && v->node == LS_NO_NODE; k++)
      if (ls_find_holds (find, ls_values_dtype (u), g_array_index (s.x, LsScalar, k)))
        describe (v, &s, ctx, k);
  }
  return g_steal_pointer (&v);
}

LsValues *
ls_values_sampled (LsReference *r, const LsKernel *kernel, LsContext *ctx, GPtrArray *order, LsUOp *node, const LsFind *find, guint max,
                   GError **error)
{
  g_auto (Sample) s = { 0 };
  LsShape shape;
  if (find)
    return search (r, kernel, ctx, order, node, find, error);
  GError *own = NULL;
  if (!sample (&s, r, kernel, ctx, node, &own)) {
    no_sample (node, own, error);
    return NULL;
  }
  LsValues *v = ls_values_new ();
  v->node = node->id;
  v->sampled = s.x->len < s.n_all;
  v->n_all = s.n_all;
  ls_values_set (v, ls_values_dtype (node), s.x->len, (const LsScalar *) (gconstpointer) s.x->data, s.x->len, max);
  for (guint i = 0; i < v->text->len; i++) {
    char *where = where_of (&s, ctx, i);
    g_array_append_val (v->at, where);
  }
  v->shape = ls_uop_get_shape (ctx, node, &shape, NULL) ? ls_shape_to_string (shape)
                                                        : g_strdup_printf ("%" G_GUINT64_FORMAT " iterations and lanes", s.n_all);
  return v;
}
