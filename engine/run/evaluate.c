/* Evaluating graphs node by node. See evaluate.h.
 *
 * This file walks the graph, keeps the values and answers for them; the value of each op is in evaluate-shaped.c (values with a shape)
 * and evaluate-ranged.c (values over ranges and lanes). Where not all values are kept, one goes when the last that reads it, itself or
 * through movement ops, has been evaluated.
 */
#include "evaluate-private.h"

#include "fault.h"
#include "ir/names.h"

#include <float.h>
#include <string.h>

void
ls_evaluated_free (gpointer data)
{
  LsEvaluated *x = data;
  if (x->owned)
    ls_evaluated_free (x->owned);
  g_free (x->v);
  g_free (x->open);
  g_free (x);
}

LsEvaluated *
ls_evaluated_new (LsEvaluation *e, LsUOp *u, guint lanes)
{
  LsEvaluated *x = g_new0 (LsEvaluated, 1);
  x->node = u;
  x->lanes = lanes;
  g_hash_table_insert (e->values, u, x);
  return x;
}

gboolean
ls_evaluation_fail (LsEvaluation *e, GQuark domain, int code, const LsUOp *u, const char *what)
{
  if (!e->error)
    e->error = g_error_new (domain, code, "evaluating node %u (%s): %s", u->id, ls_op_name (u->op), what);
  return FALSE;
}

gboolean
ls_evaluated_take_memory (LsEvaluation *e, LsEvaluated *x)
{
  if (x->n > e->left)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, x->node, "too many values");
  e->left -= x->n;
  x->v = g_new0 (LsScalar, MAX (x->n, 1));
  return TRUE;
}

gboolean
ls_evaluated_count (LsEvaluation *e, LsEvaluated *x)
{
  x->n = x->lanes;
  for (guint i = 0; i < x->n_axes; i++)
    if (__builtin_mul_overflow (x->n, (guint64) x->size[i], &x->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, x->node, "too many values");
  return TRUE;
}

gboolean
ls_evaluated_allocate (LsEvaluation *e, LsEvaluated *x)
{
  return ls_evaluated_count (e, x) && ls_evaluated_take_memory (e, x);
}

gboolean
ls_evaluated_step (const LsEvaluated *x, gint64 *index)
{
  for (guint i = x->n_axes; i-- > 0;) {
    if (++index[i] < x->size[i])
      return TRUE;
    index[i] = 0;
  }
  return FALSE;
}

LsEvaluated *
ls_evaluation_view (LsEvaluation *e, const LsUOp *u)
{
  return g_hash_table_lookup (e->values, u);
}

LsEvaluated *
ls_evaluation_value (LsEvaluation *e, const LsUOp *u)
{
  LsEvaluated *x = ls_evaluation_view (e, u);
  if (x && !x->v && x->base && !ls_evaluated_fill (e, x))
    return NULL;
  return x;
}

guint
ls_evaluation_axis (LsEvaluation *e, gpointer key)
{
  gpointer found = g_hash_table_lookup (e->axis_numbers, key);
  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  guint number = e->first_axis + g_hash_table_size (e->axis_numbers);
  g_hash_table_insert (e->axis_numbers, key, GUINT_TO_POINTER (number + 1));
  return number;
}

gboolean
ls_evaluated_add_axis (LsEvaluation *e, LsEvaluated *x, guint axis, gint64 size)
{
  guint i = 0;
  while (i < x->n_axes && x->axis[i] < axis)
    i++;
  if (i < x->n_axes && x->axis[i] == axis)
    return x->size[i] == size || ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, x->node, "two of its sources disagree on the length "
                                                                                          "of an axis");
  if (x->n_axes == LS_MOST_VALUE_AXES)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, x->node, "it depends on too many axes");
  for (guint k = x->n_axes++; k > i; k--) {
    x->axis[k] = x->axis[k - 1];
    x->size[k] = x->size[k - 1];
  }
  x->axis[i] = axis;
  x->size[i] = size;
  return TRUE;
}

guint64
ls_evaluated_element (const LsEvaluated *s, const LsEvaluated *x, const gint64 *index)
{
  guint64 at = 0;
  guint k = 0;
  for (guint i = 0; i < s->n_axes; i++) {
    while (k < x->n_axes && x->axis[k] < s->axis[i])
      k++;
    at = at * (guint64) s->size[i] + (k < x->n_axes && x->axis[k] == s->axis[i] ? (guint64) index[k] : 0);
  }
  return at;
}

const LsEvalBuffer *
ls_evaluation_buffer (LsEvaluation *e, gint64 id)
{
  for (guint i = 0; i < e->n_buffers; i++)
    if (e->buffers[i].id == id)
      return &e->buffers[i];
  return NULL;
}

static gboolean
eval_node (LsEvaluation *e, LsUOp *u)
{
  switch ((LsOp) u->op) {
  case LS_OP_SINK: case LS_OP_DEFINE_GLOBAL: return TRUE;
  case LS_OP_BIND: case LS_OP_DEFINE_VAR: return ls_evaluate_variable (e, u);
  case LS_OP_LIMIT: case LS_OP_AT: return ls_evaluate_movement (e, u);
  case LS_OP_BUFFER: return ls_evaluate_buffer (e, u);
  case LS_OP_CONST: case LS_OP_IOTA: return ls_evaluate_constant (e, u);
  case LS_OP_COPY: case LS_OP_CONTIGUOUS: case LS_OP_CONTIGUOUS_BACKWARD: case LS_OP_DETACH: return ls_evaluate_copy (e, u);
  case LS_OP_ASSIGN: return ls_evaluate_assign (e, u);
  case LS_OP_VIEW: return u->n_src == 0 || ls_evaluate_movement (e, u);
  case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_PAD: case LS_OP_SHRINK:
  case LS_OP_FLIP: return ls_evaluate_movement (e, u);
  case LS_OP_REDUCE_AXIS: return ls_evaluate_reduce_axis (e, u);
  case LS_OP_REDUCE: return ls_evaluate_reduce (e, u);
  case LS_OP_LOAD: return u->n_src == 2 && u->src[1]->op == LS_OP_VIEW ? ls_evaluate_load_view (e, u) : ls_evaluate_load (e, u);
  case LS_OP_STORE: return u->n_src == 3 && u->src[1]->op == LS_OP_VIEW ? ls_evaluate_store_view (e, u) : ls_evaluate_store (e, u);
  case LS_OP_RANGE: case LS_OP_SPECIAL: return ls_evaluate_range (e, u);
  case LS_OP_UNROLL: return ls_evaluate_unroll (e, u);
  case LS_OP_INDEX: return ls_evaluate_index (e, u);
  case LS_OP_VECTORIZE: case LS_OP_GEP: case LS_OP_VCONST: return ls_evaluate_lanes (e, u);
  default:
    if (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
      return ls_evaluate_pointer (e, u);
    return ls_op_info (u->op)->op_class >= LS_CLASS_UNARY
           ? ls_evaluate_alu (e, u) : ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no value at this level");
  }
}

typedef struct { gint64 order; gpointer key; } AxisKey;

static int
by_order (gconstpointer a, gconstpointer b)
{
  const AxisKey *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Axes are numbered as loops nest: by axis, the outer part of a split one first. So a reduce goes over its ranges in the order that
 * its loops will.
 *
 * In a graph that has shapes in one part only, as between the steps of lower, the axis of a shape and the range that replaces it have
 * the same number, the axis's; every other range has a number that no axis of a shape can have, so that they are never confused. */
static void
number_axes (LsEvaluation *e, GPtrArray *order)
{
  gboolean shapes = FALSE;
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (AxisKey));
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    shapes |= u->op == LS_OP_VIEW || u->op == LS_OP_REDUCE_AXIS;
    if (u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n >= 2) {
      AxisKey k = { ls_range_order (u), u };
      g_array_append_val (keys, k);
    }
    for (guint a = 0; u->op == LS_OP_UNROLL && a < ls_unroll_n_axes (u); a++) {
      AxisKey k = { ls_unroll_key (u, a), ls_unroll_axis_key (ls_unroll_key (u, a)) };
      g_array_append_val (keys, k);
    }
  }
  g_array_sort (keys, by_order);
  e->first_axis = shapes && keys->len ? LS_MOST_VALUE_AXES : 0;
  for (guint i = 0; shapes && i < keys->len; i++) {
    gpointer key = g_array_index (keys, AxisKey, i).key;
    const LsUOp *u = (gsize) key & 1 ? NULL : key;
    gint64 axis = u && ls_range_part (u) == 0 ? ls_range_axis (u) : -1;
    if (axis >= 0 && axis < LS_MOST_VALUE_AXES && !(e->shape_axes >> axis & 1)) {
      e->shape_axes |= 1u << axis;
      g_hash_table_insert (e->axis_numbers, key, GUINT_TO_POINTER ((guint) axis + 1));
    }
  }
  for (guint i = 0; i < keys->len; i++)
    ls_evaluation_axis (e, g_array_index (keys, AxisKey, i).key);
}

static gboolean
is_movement (const LsUOp *u)
{
  return ls_op_info (u->op)->op_class == LS_CLASS_MOVEMENT || (u->op == LS_OP_VIEW && u->n_src > 0);
}

/* For each place in order the place of the last node that reads its value, itself or through movement ops; those of the root's
 * sources are never let go. */
static guint *
last_readers (LsEvaluation *e, GPtrArray *order)
{
  guint n = order->len;
  guint *last = g_new0 (guint, n);
  LsNodeMap *places = ls_node_map_acquire (e->ctx);
  const LsUOp *root = order->pdata[n - 1];
  for (guint i = 0; i < n; i++) {
    ls_node_map_set (places, order->pdata[i], i);
    last[i] = i;
  }
  last[n - 1] = G_MAXUINT;
  for (guint i = n; i-- > 0;) {
    const LsUOp *u = order->pdata[i];
    for (guint k = 0; k < u->n_src; k++) {
      guint64 at;
      if (ls_node_map_get (places, u->src[k], &at))
        last[at] = MAX (last[at], u == root ? G_MAXUINT : is_movement (u) ? last[i] : i);
    }
  }
  ls_node_map_release (e->ctx, places);
  return last;
}

LsEvaluation *
ls_evaluate (LsContext *ctx, LsUOp *root, guint n_buffers, const LsEvalBuffer *buffers, guint64 max_elements, gboolean keep_all,
             GError **error)
{
  LsEvaluation *e = g_new0 (LsEvaluation, 1);
  e->ctx = ctx;
  e->values = g_hash_table_new_full (NULL, NULL, NULL, ls_evaluated_free);
  e->axis_numbers = g_hash_table_new (NULL, NULL);
  e->buffers = buffers;
  e->n_buffers = n_buffers;
  e->left = max_elements;
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  number_axes (e, order);
  g_autofree guint *last = keep_all ? NULL : last_readers (e, order);
  /* by last reader: places + 1 */
  g_autofree guint *next = keep_all ? NULL : g_new0 (guint, order->len), *head = keep_all ? NULL : g_new0 (guint, order->len);
  for (guint i = 0; last && i < order->len; i++)
    if (last[i] < order->len) {
      next[i] = head[last[i]];
      head[last[i]] = i + 1;
    }
  for (guint i = 0; i < order->len; i++) {
    if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), &e->error) || !eval_node (e, order->pdata[i]) || e->error) {
      g_propagate_error (error, g_steal_pointer (&e->error));
      ls_evaluation_free (e);
      return NULL;
    }
    for (guint k = last ? head[i] : 0; k > 0; k = next[k - 1]) {
      const LsEvaluated *x = ls_evaluation_view (e, order->pdata[k - 1]);
      if (!x)
        continue;
      e->left += x->v ? x->n : 0;
      g_hash_table_remove (e->values, order->pdata[k - 1]);
    }
  }
  return e;
}

double
ls_sum_bound (LsDType dtype, double n, double largest)
{
  static const struct { LsBase base; double epsilon; } last_places[] = { { LS_BASE_DOUBLE, DBL_EPSILON }, { LS_BASE_FLOAT, FLT_EPSILON },
                                                                         { LS_BASE_HALF, 0x1p-10 }, { LS_BASE_BFLOAT16, 0x1p-7 },
                                                                         { LS_BASE_FP8E4M3, 0x1p-3 }, { LS_BASE_FP8E5M2, 0x1p-2 } };
  double epsilon = 0x1p-2;
  for (guint i = 0; i < G_N_ELEMENTS (last_places); i++)
    epsilon = last_places[i].base == ls_dtype_base (dtype) ? last_places[i].epsilon : epsilon;
  double part = n * epsilon / 2, twice = part < 1 ? 2 * part / (1 - part) : G_MAXDOUBLE;
  return MIN (twice, MAX (2, 2 * part)) * n * largest;
}

double
ls_evaluation_sum_bound (const LsEvaluation *e)
{
  return e->sum_bound;
}

double
ls_evaluation_largest (const LsEvaluation *e)
{
  return e->largest;
}

const LsScalar *
ls_evaluation_values (LsEvaluation *e, LsUOp *node, guint64 *n)
{
  LsEvaluated *x = ls_evaluation_value (e, node);
  *n = x ? x->n : 0;
  return x ? x->v : NULL;
}

gboolean
ls_evaluation_is_open (LsEvaluation *e, LsUOp *node, guint64 i)
{
  const LsEvaluated *x = ls_evaluation_value (e, node);
  return !x || !x->open || i >= x->n || x->open[i];
}

/* Does the axis represent a range here? FALSE in graphs whose values have shapes. */
static LsUOp *
axis_range (LsEvaluation *e, guint axis)
{
  GHashTableIter iter;
  gpointer key, number;
  g_hash_table_iter_init (&iter, e->axis_numbers);
  while (g_hash_table_iter_next (&iter, &key, &number))
    if (GPOINTER_TO_UINT (number) == axis + 1 && !((gsize) key & 1))
      return key;
  return NULL;
}

static gboolean
decode (const LsEvaluated *x, guint64 i, gint64 *index, guint *lane)
{
  if (!x || i >= x->n)
    return FALSE;
  *lane = (guint) (i % x->lanes);
  i /= x->lanes;
  for (guint k = x->n_axes; k-- > 0;) {
    index[k] = (gint64) (i % (guint64) x->size[k]);
    i /= (guint64) x->size[k];
  }
  return TRUE;
}

gboolean
ls_evaluation_at (LsEvaluation *e, LsUOp *of, guint64 i, LsUOp *node, LsScalar *value)
{
  LsEvaluated *x = ls_evaluation_value (e, of), *s = ls_evaluation_value (e, node);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  guint lane;
  if (!s || !s->v || s->n == 0 || !decode (x, i, index, &lane))
    return FALSE;
  if (g_hash_table_size (e->axis_numbers) == 0) {
    /* values with shapes: only equal shapes go together */
    if (s->n_axes > 0 && (s->n_axes != x->n_axes || memcmp (s->size, x->size, x->n_axes * sizeof *x->size) != 0))
      return FALSE;
  }
  /* an axis that only the source has: a reduce; its first iteration is not an answer. One that both have in two lengths is not the same */
  for (guint k = 0; k < s->n_axes; k++) {
    gboolean shared = s->size[k] == 1;
    for (guint j = 0; j < x->n_axes; j++)
      shared |= x->axis[j] == s->axis[k] && x->size[j] == s->size[k];
    if (!shared)
      return FALSE;
  }
  guint64 at = ls_evaluated_element (s, x, index) * s->lanes + (s->lanes > 1 ? MIN (lane, s->lanes - 1) : 0);
  if (at >= s->n)
    return FALSE;
  *value = s->v[at];
  return TRUE;
}

guint64
ls_evaluation_row_length (LsEvaluation *e, LsUOp *node)
{
  const LsEvaluated *x = ls_evaluation_value (e, node);
  if (!x || x->lanes > 1)
    return x ? x->lanes : 1;
  for (guint k = x->n_axes; k-- > 0;)
    if (x->size[k] > 1)
      return (guint64) x->size[k];
  return 1;
}

char *
ls_evaluation_where (LsEvaluation *e, const LsNames *names, LsUOp *of, guint64 i)
{
  LsEvaluated *x = ls_evaluation_value (e, of);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  guint lane;
  GString *s = g_string_new ("(");
  if (decode (x, i, index, &lane)) {
    for (guint k = 0; k < x->n_axes; k++) {
      LsUOp *range = axis_range (e, x->axis[k]);
      g_autofree char *name = range && ls_has_loop_name (range) ? ls_label_of_loop (names, range) : NULL;
      g_string_append_printf (s, "%s%s%s%" G_GINT64_FORMAT, k ? ", " : "", name ? name : "", name ? "=" : "", index[k]);
    }
    if (x->lanes > 1)
      g_string_append_printf (s, "%slane %u", x->n_axes ? ", " : "", lane);
  }
  g_string_append_c (s, ')');
  return g_string_free (s, FALSE);
}

void
ls_evaluation_free (LsEvaluation *e)
{
  if (!e)
    return;
  g_hash_table_unref (e->values);
  g_hash_table_unref (e->axis_numbers);
  g_clear_error (&e->error);
  g_free (e);
}
