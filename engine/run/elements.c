/* Values of chosen elements. See elements.h.
 *
 * Requests go from users to sources: each node is asked for the elements that its users need, so that a node's list is complete when it
 * is reached, users first. Then values are computed sources first, only for those elements. Ops have the same meaning as in evaluate.c;
 * a reduce goes over its source in the same order, so that the values are the same, bit for bit.
 *
 * Where a variable bounds an axis, a node has as many elements as the variable says now (evaluate-shaped.c), and they are numbered by that
 * shape here. Callers number them by the axis's maximum, as memory has them: in_shape and ls_elements_value turn one into the other.
 */
#include "elements.h"

#include "evaluate-private.h"
#include "fault.h"
#include "ir/view.h"

#include <math.h>

#define MOST_AXES LS_MOST_VALUE_AXES

/* A node's elements that are needed, ascending once they are all known. */
typedef struct {
  LsShape   shape;         /* as it is now */
  LsShape   whole;         /* with the maximum of a variable's axis */
  gint64    dims[MOST_AXES];      /* shape's, where they differ */
  guint64   size;
  GArray   *at;            /* guint64 */
  LsScalar *v;             /* NULL: not computed */
  guint64  *uses;          /* ls_elements_uses: of each */
  const LsTracker *through;       /* what a movement op, a leaf's view or an ASSIGN shows, once it is known: variables are read but once */
} Wanted;

struct _LsElements {
  LsEvaluation  now;         /* its context, buffers, error, and left: elements that may still be wanted; it has no values */
  GHashTable   *wanted;      /* node -> Wanted */
};

static void
wanted_free (gpointer data)
{
  Wanted *w = data;
  g_array_unref (w->at);
  g_free (w->v);
  g_free (w->uses);
  g_free (w);
}

static gboolean
fail (LsElements *e, GQuark domain, int code, const LsUOp *u, const char *what)
{
  if (!e->now.error)
    e->now.error = g_error_new (domain, code, "evaluating elements of node %u (%s): %s", u->id, ls_op_name (u->op), what);
  return FALSE;
}

static gboolean
outside (LsElements *e, const LsUOp *u)
{
  return fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside the buffer");
}

/* The requested elements of a node; NULL with the error set if it has no shape. */
static Wanted *
wanted_of (LsElements *e, LsUOp *u)
{
  Wanted *w = g_hash_table_lookup (e->wanted, u);
  LsShape whole;
  if (w)
    return w;
  if (!ls_uop_get_shape (e->now.ctx, u, &whole, NULL) || whole.n > MOST_AXES) {
    fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no shape");
    return NULL;
  }
  w = g_new0 (Wanted, 1);
  w->whole = whole;
  if (!ls_evaluate_shape_now (&e->now, u, &w->shape, w->dims)) {
    g_free (w);
    return NULL;
  }
  w->size = (guint64) ls_shape_size (w->shape);
  w->at = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_hash_table_insert (e->wanted, u, w);
  return w;
}

static gboolean
want (LsElements *e, const LsUOp *user, Wanted *w, guint64 element)
{
  if (element >= w->size)
    return outside (e, user);
  if (e->now.left == 0)
    return fail (e, LS_FAULT, LS_FAULT_SIZE, user, "too many values");
  e->now.left--;
  g_array_append_val (w->at, element);
  return TRUE;
}

static int
ascending (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

/* No user is left: the list is in order, each element once. */
static void
close_list (LsElements *e, Wanted *w)
{
  guint64 *at = (guint64 *) (gpointer) w->at->data;
  guint n = 0;
  gboolean sorted = TRUE;
  for (guint i = 1; i < w->at->len && sorted; i++)
    sorted = at[i - 1] < at[i];
  if (!sorted)
    g_array_sort (w->at, ascending);
  for (guint i = 0; i < w->at->len; i++)
    if (i == 0 || at[i] != at[n - 1])
      at[n++] = at[i];
  e->now.left += w->at->len - n;
  g_array_set_size (w->at, n);
}

/* The position of the element in the list; hint: where to look first. */
static gboolean
find (const Wanted *w, guint64 element, guint *hint)
{
  const guint64 *at = (const guint64 *) (gconstpointer) w->at->data;
  guint low = 0, high = w->at->len;
  if (*hint < high && at[*hint] == element)
    return TRUE;
  while (low < high) {
    guint mid = low + (high - low) / 2;
    if (at[mid] < element)
      low = mid + 1;
    else
      high = mid;
  }
  *hint = low;
  return low < w->at->len && at[low] == element;
}

static void
index_of (LsShape shape, guint64 element, gint64 *index)
{
  for (guint k = shape.n; k-- > 0;) {
    index[k] = (gint64) (element % (guint64) shape.dims[k]);
    element /= (guint64) shape.dims[k];
  }
}

/* The number that an element has now, by its number in memory; FALSE: it is beyond the current size of an axis. */
static gboolean
in_shape (const Wanted *w, guint64 element, guint64 *out)
{
  gint64 index[MOST_AXES];
  *out = element;
  if (w->shape.dims == w->whole.dims)
    return element < w->size;
  if (element >= (guint64) ls_shape_size (w->whole))
    return FALSE;
  index_of (w->whole, element, index);
  for (guint k = 0; k < w->shape.n; k++)
    if (index[k] >= w->shape.dims[k])
      return FALSE;
  *out = ls_element_number (w->shape, index);
  return TRUE;
}

static gboolean
is_movement (const LsUOp *u)
{
  return ls_op_is_movement (u->op) || ls_op_is_slice (u->op) || (u->op == LS_OP_VIEW && u->n_src > 0);
}

static gboolean
is_store (const LsUOp *u)
{
  return u->op == LS_OP_STORE && u->n_src == 3 && u->src[1]->op == LS_OP_VIEW;
}

static gboolean
is_load (const LsUOp *u)
{
  return u->op == LS_OP_LOAD && u->n_src == 2 && u->src[1]->op == LS_OP_VIEW;
}

static gboolean
is_copy (const LsUOp *u)
{
  return u->op == LS_OP_COPY || u->op == LS_OP_CONTIGUOUS || u->op == LS_OP_CONTIGUOUS_BACKWARD || u->op == LS_OP_DETACH;
}

static gboolean
is_alu (const LsUOp *u)
{
  return ls_op_info (u->op)->op_class >= LS_CLASS_UNARY && !ls_dtype_is_ptr (u->dtype) && u->n_src > 0 && u->n_src <= 3;
}

static gboolean
is_variable (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_VAR || u->op == LS_OP_BIND;
}

/* Memory, constants and variables. */
static gboolean
is_leaf (const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || u->op == LS_OP_CONST || u->op == LS_OP_IOTA || is_load (u) || is_variable (u);
}

static const LsUOp *
view_of_leaf (const LsUOp *u)
{
  return is_load (u) ? u->src[1] : u->n_src > 0 && u->src[0]->op == LS_OP_VIEW ? u->src[0] : NULL;
}

/* What a movement op shows of its source, a leaf's view of its memory, an ASSIGN of the memory that it writes; NULL: there is no view, or
 * the error is set. */
static const LsTracker *
tracker_of (LsElements *e, LsUOp *u, Wanted *w)
{
  const Wanted *source = is_movement (u) ? wanted_of (e, u->src[0]) : NULL;
  if (!w->through && source)
    w->through = ls_evaluate_move_now (&e->now, u, ls_tracker_contiguous (e->now.ctx, source->shape));
  else if (!w->through && u->op == LS_OP_ASSIGN)
    w->through = ls_evaluate_assigned_view (&e->now, u);
  else if (!w->through && is_leaf (u) && view_of_leaf (u))
    w->through = ls_evaluate_view_now (&e->now, view_of_leaf (u));
  return e->now.error ? NULL : w->through;
}

/* Goes through the reduced axes of element index[] of a reduce: its source's element at each iteration; FALSE after the last. index has
 * the reduced axes at 0 to begin with. */
static gboolean
next_turn (LsShape whole, LsShape kept, gint64 *index)
{
  for (guint k = whole.n; k-- > 0;) {
    if (kept.dims[k] != 1)
      continue;
    if (++index[k] < whole.dims[k])
      return TRUE;
    index[k] = 0;
  }
  return FALSE;
}

guint64
ls_element_number (LsShape shape, const gint64 *index)
{
  guint64 at = 0;
  for (guint k = 0; k < shape.n; k++)
    at = at * (guint64) shape.dims[k] + (guint64) index[k];
  return at;
}

/* A source's element is requested; or, when all values are computed, the uses of the element that needs it are added to its own. */
static void
need (LsElements *e, const LsUOp *user, Wanted *source, guint64 element, guint64 uses)
{
  guint at = 0;
  if (!uses)
    want (e, user, source, element);
  else if (find (source, element, &at) && !g_uint64_checked_add (&source->uses[at], source->uses[at], uses))
    source->uses[at] = G_MAXUINT64;
}

/* The value that a WHERE takes: source 1 or 2; 0: not computed. */
static guint
taken (LsElements *e, const LsUOp *u, guint64 element)
{
  const Wanted *condition = wanted_of (e, u->src[0]);
  guint at = 0;
  if (!condition || !condition->v || !find (condition, condition->size == 1 ? 0 : element, &at))
    return 0;
  return condition->v[at].i ? 1 : 2;
}

/* Goes through the elements of the sources that this node's elements need. uses: of the elements that are used. */
static gboolean
visit_sources (LsElements *e, LsUOp *u, Wanted *w, const guint64 *uses)
{
  gint64 index[MOST_AXES], at;
  guint n = is_leaf (u) ? 0 : is_movement (u) || u->op == LS_OP_REDUCE_AXIS || is_copy (u) ? 1 : is_alu (u) ? u->n_src : 0;
  for (guint k = 0; k < n; k++) {
    Wanted *s = wanted_of (e, u->src[k]);
    const LsTracker *t = s && is_movement (u) ? tracker_of (e, u, w) : NULL;
    if (!s || e->now.error)
      return FALSE;
    if (u->op == LS_OP_REDUCE_AXIS && s->shape.n != w->shape.n)
      return fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its axes differ from its source's");
    if (!t && u->op != LS_OP_REDUCE_AXIS && s->size != w->size && s->size != 1)
      return fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its shape differs from its source's");
    for (guint i = 0; i < w->at->len && !e->now.error; i++) {
      guint64 element = g_array_index (w->at, guint64, i), of = uses ? uses[i] : 0;
      if (uses && (!of || (u->op == LS_OP_WHERE && k > 0 && taken (e, u, element) == 3 - k)))
        continue;
      index_of (w->shape, element, index);
      if (u->op == LS_OP_REDUCE_AXIS && s->size == 0)
        continue;
      if (u->op == LS_OP_REDUCE_AXIS)
        do
          need (e, u, s, ls_element_number (s->shape, index), of);
        while (!e->now.error && next_turn (s->shape, w->shape, index));
      else if (!t)
        need (e, u, s, s->size == 1 ? 0 : element, of);
      else if (ls_tracker_index (t, index, &at))
        need (e, u, s, at < 0 ? G_MAXUINT64 : (guint64) at, of);
    }
  }
  return !e->now.error;
}

/* Requests the elements of the sources that this node's elements need. */
static gboolean
ask_sources (LsElements *e, LsUOp *u, Wanted *w)
{
  if (u->op != LS_OP_ASSIGN)
    return visit_sources (e, u, w, NULL);
  /* the element does not determine which of them is written: all written elements are requested */
  Wanted *memory = wanted_of (e, u->src[0]), *value = wanted_of (e, u->src[2]);
  for (guint i = 0; memory && i < w->at->len; i++)
    want (e, u, memory, g_array_index (w->at, guint64, i));
  for (guint64 i = 0; value && i < value->size && !e->now.error; i++)
    want (e, u, value, i);
  return !e->now.error;
}

static const LsEvalBuffer *
buffer_of (LsElements *e, const LsUOp *u, gint64 id)
{
  for (guint i = 0; i < e->now.n_buffers; i++)
    if (e->now.buffers[i].id == id && e->now.buffers[i].data)
      return &e->now.buffers[i];
  fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  return NULL;
}

/* Element i through a view, where there is one. */
static gboolean
compute_leaf (LsElements *e, LsUOp *u, Wanted *w)
{
  gboolean constant = u->op == LS_OP_CONST || u->op == LS_OP_IOTA;
  const LsTracker *t = tracker_of (e, u, w);
  if (is_variable (u))
    for (guint i = 0; i < w->at->len; i++)
      w->v[i].i = ls_evaluate_bound (&e->now, u);
  if (is_variable (u) || e->now.error)
    return !e->now.error;
  const LsEvalBuffer *b = constant ? NULL : buffer_of (e, u, is_load (u) ? u->src[0]->arg.i : u->arg.ints[0]);
  guint64 n = b ? b->n : 0;
  if (constant)
    n = u->op == LS_OP_CONST ? G_MAXUINT64 : (guint64) u->arg.i;
  gint64 index[MOST_AXES];
  for (guint i = 0; i < w->at->len && !e->now.error; i++) {
    guint64 element = g_array_index (w->at, guint64, i);
    gint64 at = (gint64) element;
    index_of (w->shape, element, index);
    if (t && !ls_tracker_index (t, index, &at))
      continue;
    if (u->op != LS_OP_CONST && (at < 0 || (guint64) at >= n))
      return outside (e, u);
    w->v[i] = b ? ls_scalar_load (b->dtype, b->data + (gsize) at * ls_dtype_itemsize (b->dtype)) : u->op == LS_OP_IOTA
              ? ls_scalar_fit (u->dtype, (LsScalar) { .i = at }) :
              ls_scalar_from_arg (u->dtype, u->arg);
  }
  return !e->now.error;
}

static void
compute_reduce (LsElements *e, LsUOp *u, Wanted *w)
{
  const Wanted *s = wanted_of (e, u->src[0]);
  LsDType d = u->dtype;
  gboolean is_float = ls_dtype_is_float (d);
  double largest = 0;
  guint hint = 0;
  for (guint i = 0; i < w->at->len; i++) {
    gint64 index[MOST_AXES];
    index_of (w->shape, g_array_index (w->at, guint64, i), index);
    w->v[i] = ls_eval_identity (u->arg.op, d);
    if (s->size == 0)
      continue;
    do {
      if (!find (s, ls_element_number (s->shape, index), &hint))
        continue;
      LsScalar value = s->v[hint++];
      w->v[i] = ls_eval_alu (u->arg.op, d, d, (LsScalar[]) { value, w->v[i] });
      if (is_float && isfinite (value.f))
        largest = MAX (largest, fabs (value.f));
    } while (next_turn (s->shape, w->shape, index));
  }
  if (is_float && w->size > 0) {
    e->now.sum_bound += ls_sum_bound (d, (double) (s->size / w->size), largest);
  }
}

static void
compute_moved (LsElements *e, LsUOp *u, Wanted *w)
{
  const Wanted *s = wanted_of (e, u->src[0]);
  const LsTracker *t = tracker_of (e, u, w);
  gint64 index[MOST_AXES], at;
  guint hint = 0;
  for (guint i = 0; t && i < w->at->len; i++) {
    index_of (w->shape, g_array_index (w->at, guint64, i), index);
    if (ls_tracker_index (t, index, &at) && find (s, (guint64) at, &hint))
      w->v[i] = s->v[hint];
  }
}

static void
compute_alu (LsElements *e, LsUOp *u, Wanted *w)
{
  const Wanted *s[3];
  LsDType d = u->dtype, from = u->src[u->n_src - 1]->dtype;
  guint hint[3] = { 0, 0, 0 };
  LsScalar args[3] = { 0 };
  for (guint k = 0; k < u->n_src; k++)
    s[k] = wanted_of (e, u->src[k]);
  for (guint i = 0; i < w->at->len; i++) {
    guint64 element = g_array_index (w->at, guint64, i);
    for (guint k = 0; k < u->n_src; k++)
      if (find (s[k], s[k]->size == 1 ? 0 : element, &hint[k])) {
        args[k] = s[k]->v[hint[k]];
        hint[k] += s[k]->size != 1;
      }
    w->v[i] = is_copy (u) ? args[0] : ls_eval_node (u, d, from, args);
  }
}

/* As ls_evaluate_assign: the view's elements of the memory are the assigned value. */
static void
compute_assign (LsElements *e, LsUOp *u, Wanted *w)
{
  const Wanted *memory = wanted_of (e, u->src[0]), *value = wanted_of (e, u->src[2]);
  gint64 index[MOST_AXES], at;
  guint hint = 0;
  const LsTracker *t = tracker_of (e, u, w);
  if (!t)
    return;
  for (guint i = 0; i < w->at->len; i++)
    if (find (memory, g_array_index (w->at, guint64, i), &hint))
      w->v[i] = memory->v[hint];
  for (guint i = 0; i < value->at->len; i++) {
    index_of (value->shape, g_array_index (value->at, guint64, i), index);
    guint to = 0;
    if (ls_tracker_index (t, index, &at) && find (w, (guint64) at, &to))
      w->v[to] = value->v[i];
  }
}

static gboolean
compute (LsElements *e, LsUOp *u, Wanted *w)
{
  w->v = g_new0 (LsScalar, MAX (w->at->len, 1));
  if (u->op == LS_OP_ASSIGN)
    compute_assign (e, u, w);
  else if (u->op == LS_OP_REDUCE_AXIS)
    compute_reduce (e, u, w);
  else if (is_movement (u))
    compute_moved (e, u, w);
  else if (is_leaf (u))
    return compute_leaf (e, u, w);
  else if (is_copy (u) || is_alu (u))
    compute_alu (e, u, w);
  else
    return fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no value at this level");
  return TRUE;
}

static gboolean
write_store (LsElements *e, LsUOp *u)
{
  const Wanted *s = wanted_of (e, u->src[2]);
  const LsEvalBuffer *b = buffer_of (e, u, u->src[0]->arg.i);
  gint64 index[MOST_AXES], at;
  for (guint i = 0; b && i < s->at->len; i++) {
    index_of (s->shape, g_array_index (s->at, guint64, i), index);
    if (!ls_tracker_index (u->src[1]->arg.tracker, index, &at))
      continue;
    if (at < 0 || (guint64) at >= b->n)
      return outside (e, u);
    ls_scalar_store (b->dtype, b->data + (gsize) at * ls_dtype_itemsize (b->dtype), s->v[i]);
  }
  return b != NULL;
}

/* A root's own elements; those that it does not have are another's. */
static void
ask_root (LsElements *e, LsUOp *u, guint64 n, const guint64 *elements)
{
  Wanted *w = wanted_of (e, is_store (u) ? u->src[2] : u);
  guint64 element;
  for (guint64 i = 0; w && i < n && !e->now.error; i++)
    if (in_shape (w, elements[i], &element))
      want (e, u, w, element);
}

static LsElements *
elements_new (LsContext *ctx, guint64 max_elements)
{
  LsElements *e = g_new0 (LsElements, 1);
  e->now.ctx = ctx;
  e->wanted = g_hash_table_new_full (NULL, NULL, NULL, wanted_free);
  e->now.left = MIN (max_elements, G_MAXUINT32);
  return e;
}

static void
request (LsElements *e, LsUOp *root, const GPtrArray *order, guint64 n, const guint64 *elements)
{
  for (guint i = 0; i < (root->op == LS_OP_SINK ? root->n_src : 1) && !e->now.error; i++)
    ask_root (e, root->op == LS_OP_SINK ? root->src[i] : root, n, elements);
  for (guint i = order->len; i-- > 0 && !e->now.error;) {
    Wanted *w = g_hash_table_lookup (e->wanted, order->pdata[i]);
    if (w) {
      close_list (e, w);
      ask_sources (e, order->pdata[i], w);
    }
  }
}

static LsElements *
finish (LsElements *e, GError **error)
{
  if (!e->now.error)
    return e;
  g_propagate_error (error, g_steal_pointer (&e->now.error));
  ls_elements_free (e);
  return NULL;
}

LsElements *
ls_evaluate_elements (LsContext *ctx, LsUOp *root, guint n_buffers, const LsEvalBuffer *buffers, guint64 n, const guint64 *elements,
                      guint64 max_elements, GError **error)
{
  LsElements *e = elements_new (ctx, max_elements);
  e->now.buffers = buffers;
  e->now.n_buffers = n_buffers;
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  request (e, root, order, n, elements);
  for (guint i = 0; i < order->len && !e->now.error; i++) {
    Wanted *w = g_hash_table_lookup (e->wanted, order->pdata[i]);
    if (w)
      compute (e, order->pdata[i], w);
    else if (is_store (order->pdata[i]))
      write_store (e, order->pdata[i]);
  }
  return finish (e, error);
}

LsElements *
ls_request_elements (LsContext *ctx, LsUOp *root, guint64 n, const guint64 *elements, guint64 max_elements, GError **error)
{
  LsElements *e = elements_new (ctx, max_elements);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  request (e, root, order, n, elements);
  for (guint i = 0; i < order->len && !e->now.error; i++) {
    LsUOp *u = order->pdata[i];
    Wanted *w = g_hash_table_lookup (e->wanted, u);
    if (w)
      tracker_of (e, u, w);
    if (w && !is_leaf (u) && !is_movement (u) && u->op != LS_OP_REDUCE_AXIS && !is_copy (u) &&
        !is_alu (u) && u->op != LS_OP_ASSIGN)
      fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no value at this level");
  }
  return finish (e, error);
}

gboolean
ls_elements_value (const LsElements *e, const LsUOp *node, guint64 element, LsScalar *value)
{
  const Wanted *w = g_hash_table_lookup (e->wanted, node);
  guint at = 0;
  if (!w || !w->v || (ls_shape_size (w->whole) != 1 && !in_shape (w, element, &element)) || !find (w, w->size == 1 ? 0 : element, &at))
    return FALSE;
  *value = w->v[at];
  return TRUE;
}

/* An element of an ASSIGN is one of its value where that has been written, and else one of the memory. */
static void
use_assigned (LsElements *e, LsUOp *u, Wanted *w)
{
  Wanted *memory = wanted_of (e, u->src[0]), *value = wanted_of (e, u->src[2]);
  const LsTracker *t = tracker_of (e, u, w);
  g_autofree guint *from = g_new0 (guint, MAX (w->at->len, 1));      /* 1 + the last of the value's elements that is put there */
  gint64 index[MOST_AXES], at;
  guint to;
  for (guint i = 0; t && i < value->at->len; i++) {
    index_of (value->shape, g_array_index (value->at, guint64, i), index);
    to = 0;
    if (ls_tracker_index (t, index, &at) && find (w, (guint64) at, &to))
      from[to] = i + 1;
  }
  for (guint i = 0; t && i < w->at->len; i++)
    if (w->uses[i])
      need (e, u, from[i] ? value : memory, from[i] ? g_array_index (value->at, guint64, from[i] - 1) : g_array_index (w->at, guint64, i),
            w->uses[i]);
}

/* The uses of a leaf's elements, where its view has them. */
static void
add_uses (LsElements *e, LsUOp *u, Wanted *w, GArray *to)
{
  const LsTracker *t = tracker_of (e, u, w);
  gint64 index[MOST_AXES], at;
  for (guint i = 0; i < w->at->len; i++) {
    guint64 element = g_array_index (w->at, guint64, i);
    at = (gint64) element;
    index_of (w->shape, element, index);
    if (!w->uses[i] || (t && !ls_tracker_index (t, index, &at)))
      continue;
    LsElementUse use = { u, u->op == LS_OP_CONST ? 0 : (guint64) at, w->uses[i] };
    g_array_append_val (to, use);
  }
}

GArray *
ls_elements_uses (LsElements *e, LsUOp *root)
{
  GArray *uses = g_array_new (FALSE, FALSE, sizeof (LsElementUse));
  g_autoptr (GPtrArray) order = ls_uop_toposort (e->now.ctx, root);
  GHashTableIter iter;
  gpointer wanted;
  g_hash_table_iter_init (&iter, e->wanted);
  while (g_hash_table_iter_next (&iter, NULL, &wanted)) {
    Wanted *w = wanted;
    g_free (w->uses);
    w->uses = g_new0 (guint64, MAX (w->at->len, 1));
  }
  Wanted *first = g_hash_table_lookup (e->wanted, root);
  for (guint i = 0; first && i < first->at->len; i++)
    first->uses[i] = 1;
  for (guint i = order->len; i-- > 0;) {
    LsUOp *u = order->pdata[i];
    Wanted *w = g_hash_table_lookup (e->wanted, u);
    if (!w)
      continue;
    if (is_leaf (u))
      add_uses (e, u, w, uses);
    else if (u->op == LS_OP_ASSIGN)
      use_assigned (e, u, w);
    else
      visit_sources (e, u, w, w->uses);
  }
  return uses;
}

double
ls_elements_sum_bound (const LsElements *e)
{
  return e->now.sum_bound;
}

void
ls_elements_free (LsElements *e)
{
  if (!e)
    return;
  g_hash_table_unref (e->wanted);
  g_clear_error (&e->now.error);
  g_free (e);
}
