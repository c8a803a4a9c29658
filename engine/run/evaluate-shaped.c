/* Values with a shape: one element for each index of it.
 *
 * A movement op, and a constant that is seen through a view, has no elements of its own before someone asks for them: it is its source
 * through a tracker. Views are not merged on the way, so that the evaluation does not rely on the rules of merging. A reduction reads
 * through them, which keeps the large intermediate shapes of a matmul or an arange out of memory.
 */
#include "evaluate-private.h"

#include "fault.h"

#include <math.h>
#include <string.h>

/* A run of elements of a value with a shape, read or written through a tracker: n elements from i on, in memory from index on. */
typedef struct {
  guint64  i;
  gint64   index[LS_MOST_VALUE_AXES];
  gint64   n, at, stride;      /* at: position of the first, stride: distance between the others */
  gboolean backed;             /* FALSE: masked out, all of them */
} Run;

/* The next one; the first when r is zero. t: NULL when they are consecutive. */
static gboolean
next_run (const LsEvaluated *x, const LsTracker *t, Run *r)
{
  guint last = x->n_axes - 1;
  r->i += (guint64) r->n;
  if (r->i >= x->n)
    return FALSE;
  gint64 rest = 1;
  if (x->n_axes > 0) {
    r->index[last] += r->n;
    for (guint k = last; k > 0 && r->index[k] == x->size[k]; k--) {
      r->index[k] = 0;
      r->index[k - 1]++;
    }
    rest = x->size[last] - r->index[last];
  }
  r->n = rest;
  r->at = (gint64) r->i;
  r->stride = 1;
  r->backed = TRUE;
  if (t)
    r->n = ls_tracker_run (t, r->index, rest, &r->backed, &r->at, &r->stride);
  return TRUE;
}

/* Are all of the run among n elements? */
static gboolean
is_within (const Run *r, guint64 n)
{
  gint64 last;
  if (__builtin_mul_overflow (r->n - 1, r->stride, &last) || __builtin_add_overflow (r->at, last, &last))
    return FALSE;
  return r->at >= 0 && (guint64) r->at < n && last >= 0 && (guint64) last < n;
}

/* The next elements of a value: *v, and those r->stride after each other. Masked elements are 0. FALSE: there are no more, or the view
 * exceeds its source. */
static gboolean
read_run (LsEvaluation *e, const LsEvaluated *x, Run *r, const LsScalar **v)
{
  static const LsScalar zero = { 0 };
  if (!next_run (x, x->v ? NULL : x->through, r))
    return FALSE;
  if (!r->backed || (!x->v && x->base->node->op == LS_OP_CONST)) {
    *v = r->backed ? x->base->v : &zero;
    r->stride = 0;
    return TRUE;
  }
  if (!x->v && !is_within (r, x->base->n))
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, x->node, "the view exceeds its source");
  *v = (x->v ? x->v : x->base->v) + r->at;
  return TRUE;
}

gboolean
ls_evaluated_fill (LsEvaluation *e, LsEvaluated *x)
{
  if (!ls_evaluated_take_memory (e, x))
    return FALSE;
  LsScalar *v = x->v;
  const LsScalar *from;
  x->v = NULL;
  for (Run r = { 0 }; read_run (e, x, &r, &from);)
    for (gint64 k = 0; k < r.n; k++)
      v[r.i + (guint64) k] = from[k * r.stride];
  x->v = v;
  return !e->error;
}

/* The value of the variable: the one element of its buffer. */
static gint64
bound (gpointer data, const LsUOp *variable)
{
  LsEvaluation *e = data;
  const LsEvalBuffer *b = ls_evaluation_buffer (e, variable->op == LS_OP_DEFINE_VAR ? variable->arg.var->position : variable->arg.ints[0]);
  if (!b || b->n < 1 || !b->data) {
    ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, variable, "the variable has no value");
    return 0;
  }
  return ls_scalar_load (b->dtype, b->data).i;
}

gint64
ls_evaluate_bound (LsEvaluation *e, const LsUOp *u)
{
  gint64 value = bound (e, u->op == LS_OP_BIND ? u->src[0] : u);
  if (!e->error && (value < u->arg.var->min || value > u->arg.var->max))
    ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "its value is outside its bounds");
  return value;
}

gboolean
ls_evaluate_variable (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = ls_evaluated_new (e, u, 1);
  gint64 value = ls_evaluate_bound (e, u);
  if (e->error || !ls_evaluated_allocate (e, x))
    return FALSE;
  x->v[0].i = value;
  return TRUE;
}

gboolean
ls_evaluate_shape_now (LsEvaluation *e, LsUOp *u, LsShape *shape, gint64 dims[LS_MOST_VALUE_AXES])
{
  if (!ls_uop_get_shape (e->ctx, u, shape, NULL))
    return FALSE;
  if (!shape->sizes || shape->n > LS_MOST_VALUE_AXES)
    return TRUE;
  for (guint i = 0; i < shape->n; i++) {
    dims[i] = shape->sizes[i].of ? ls_size_number (shape->sizes[i].of, bound, e) * shape->sizes[i].times : shape->dims[i];
    if (dims[i] < 0 || dims[i] > shape->dims[i])
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "its size is outside its bounds");
  }
  *shape = (LsShape) { shape->n, dims, NULL };
  return TRUE;
}

const LsTracker *
ls_evaluate_view_now (LsEvaluation *e, const LsUOp *view)
{
  const LsTracker *t = view->arg.tracker;
  LsShape shape = ls_tracker_shape (t);
  guint first = view->dtype != LS_VOID, n = view->n_src - first;
  gint64 pairs[2 * 64];
  if (n == 0 || shape.n > 64)
    return t;
  for (guint i = 0; i < shape.n; i++) {
    pairs[2 * i] = i < n ? ls_size_number (view->src[first + i], bound, e) : 0;
    pairs[2 * i + 1] = i < n ? pairs[2 * i] + 1 : shape.dims[i];
    if (pairs[2 * i] < 0 || pairs[2 * i + 1] > shape.dims[i]) {
      ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, view, "it exceeds its source");
      return t;
    }
  }
  t = ls_tracker_movement (e->ctx, t, LS_OP_SHRINK, ls_arg_ints (e->ctx, 2 * shape.n, pairs), FALSE);
  return ls_tracker_movement (e->ctx, t, LS_OP_RESHAPE, ls_arg_ints (e->ctx, shape.n - n, shape.dims + n), FALSE);
}

/* The effect of the op on the current shape, as one of the ops with numbers; pairs: buffer. */
static LsOp
movement_now (LsEvaluation *e, LsUOp *u, LsShape from, LsShape to, gint64 pairs[2 * LS_MOST_VALUE_AXES], LsArg *arg)
{
  *arg = u->arg;
  if (!ls_op_is_slice (u->op) && !u->sized && !u->src[0]->sized)
    return u->op;
  if (u->op == LS_OP_RESHAPE || u->op == LS_OP_EXPAND) {
    *arg = ls_arg_ints (e->ctx, to.n, to.dims);
    return u->op;
  }
  if (!ls_op_is_slice (u->op) && u->op != LS_OP_SHRINK)
    return u->op;
  for (guint i = 0; i < from.n; i++) {
    gboolean at = u->op == LS_OP_AT && i == u->arg.ints[0];
    pairs[2 * i] = at ? ls_size_number (u->src[1], bound, e) : u->op == LS_OP_SHRINK ? u->arg.ints[2 * i] : 0;
    pairs[2 * i + 1] = pairs[2 * i] + to.dims[i];
    if (u->op == LS_OP_LIMIT && to.dims[i] > from.dims[i]) {      /* more than exist: further elements are arbitrary */
      memset (pairs, 0, 2 * from.n * sizeof *pairs);
      pairs[2 * i + 1] = to.dims[i] - from.dims[i];
      *arg = ls_arg_ints (e->ctx, 2 * from.n, pairs);
      return LS_OP_PAD;
    }
    if (pairs[2 * i] < 0 || pairs[2 * i + 1] > from.dims[i])
      ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "it exceeds its source");
  }
  *arg = ls_arg_ints (e->ctx, 2 * from.n, pairs);
  return LS_OP_SHRINK;
}

/* A value over the node's shape; without elements, which the caller makes or sees through a tracker. */
static LsEvaluated *
with_shape (LsEvaluation *e, LsUOp *u)
{
  LsShape s;
  gint64 dims[LS_MOST_VALUE_AXES];
  LsEvaluated *x = ls_evaluated_new (e, u, 1);
  if (!ls_evaluate_shape_now (e, u, &s, dims) || s.n > LS_MOST_VALUE_AXES) {
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no shape");
  } else {
    x->n_axes = s.n;
    x->shaped = s.n > 0;
    for (guint i = 0; i < s.n; i++) {
      x->axis[i] = i;
      x->size[i] = s.dims[i];
    }
    ls_evaluated_count (e, x);
  }
  return x;
}

static LsEvaluated *
shaped (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = with_shape (e, u);
  if (!e->error)
    ls_evaluated_take_memory (e, x);
  return x;
}

const LsTracker *
ls_evaluate_move_now (LsEvaluation *e, LsUOp *u, const LsTracker *seen)
{
  LsShape shape, to;
  gint64 dims[LS_MOST_VALUE_AXES], to_dims[LS_MOST_VALUE_AXES], pairs[2 * LS_MOST_VALUE_AXES];
  LsArg arg;
  if (u->op == LS_OP_VIEW && u->src[0]->sized && !u->sized) {
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it shows only a part of an axis that a variable bounds");
    return NULL;
  }
  if (u->op == LS_OP_VIEW) {
    const LsTracker *t = u->sized ? seen : ls_tracker_compose (e->ctx, seen, ls_evaluate_view_now (e, u), FALSE);
    return e->error ? NULL : t;
  }
  if (!ls_evaluate_shape_now (e, u->src[0], &shape, dims) || !ls_evaluate_shape_now (e, u, &to, to_dims)) {
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its source has no shape");
    return NULL;
  }
  LsOp op = movement_now (e, u, shape, to, pairs, &arg);
  return e->error ? NULL : ls_tracker_movement (e->ctx, seen, op, arg, FALSE);
}

gboolean
ls_evaluate_movement (LsEvaluation *e, LsUOp *u)
{
  const LsEvaluated *s = ls_evaluation_view (e, u->src[0]);
  LsEvaluated *x = with_shape (e, u);
  LsShape shape;
  gint64 dims[LS_MOST_VALUE_AXES];
  if (e->error)
    return FALSE;
  if (!s || !ls_evaluate_shape_now (e, u->src[0], &shape, dims))      /* below a view there may be anything */
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its source has no shape");
  x->base = s->v ? s : s->base;
  x->through = ls_evaluate_move_now (e, u, s->v ? ls_tracker_contiguous (e->ctx, shape) : s->through);
  return !e->error;
}

gboolean
ls_evaluate_load_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = ls_evaluation_buffer (e, u->src[0]->arg.i);
  LsEvaluated *x = shaped (e, u);
  if (!b)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  const LsTracker *view = ls_evaluate_view_now (e, u->src[1]);
  if (e->error)
    return FALSE;
  for (Run r = { 0 }; next_run (x, view, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside the buffer");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      x->v[r.i + (guint64) k] = ls_scalar_load (b->dtype, b->data + (r.at + k * r.stride) * ls_dtype_itemsize (b->dtype));
  }
  return TRUE;
}

/* The stored value over the whole shape of the view: ranges that replaced its axes may be fewer. It belongs to u. */
static const LsEvaluated *
over_shape (LsEvaluation *e, LsUOp *u, const LsEvaluated *s, LsShape shape)
{
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  LsEvaluated *x = ls_evaluated_new (e, u, 1);
  x->n_axes = shape.n;
  for (guint k = 0; k < shape.n; k++) {
    x->axis[k] = k;
    x->size[k] = shape.dims[k];
  }
  for (guint k = 0; k < s->n_axes; k++)
    if (s->axis[k] >= shape.n || s->size[k] != shape.dims[s->axis[k]] || s->lanes > 1)
      ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its value does not have the axes of its view");
  if (e->error || !ls_evaluated_allocate (e, x))
    return NULL;
  for (guint64 i = 0; i < x->n; i++, ls_evaluated_step (x, index))
    x->v[i] = s->v[ls_evaluated_element (s, x, index)];
  return x;
}

gboolean
ls_evaluate_store_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = ls_evaluation_buffer (e, u->src[0]->arg.i);
  const LsEvaluated *s = ls_evaluation_value (e, u->src[2]);
  LsShape shape = ls_tracker_shape (u->src[1]->arg.tracker);
  if (!b)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  if (!s)
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "the source that it stores has no value");
  if (!s->shaped && shape.n > 0 && shape.n <= LS_MOST_VALUE_AXES && !(s = over_shape (e, u, s, shape)))
    return FALSE;
  for (Run r = { 0 }; next_run (s, u->src[1]->arg.tracker, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside the buffer");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      ls_scalar_store (b->dtype, b->data + (r.at + k * r.stride) * ls_dtype_itemsize (b->dtype), s->v[r.i + (guint64) k]);
  }
  return TRUE;
}

/* A sum begins at +0, which neither 0 nor -0 changes. */
static gboolean
adds_nothing (LsOp op, LsDType d, LsScalar value)
{
  return op == LS_OP_ADD && (ls_dtype_is_float (d) ? value.f == 0 : value.i == 0);
}

/* Can the same value be combined n times at once, as *value? Sums of floats round each time. */
static gboolean
combines_at_once (LsOp op, LsDType d, LsScalar *value, gint64 n)
{
  if (op != LS_OP_ADD || ls_dtype_is_float (d) || ls_dtype_base (d) == LS_BASE_BOOL)
    return op == LS_OP_MAX;
  *value = ls_eval_combine (LS_OP_MUL, d, *value, (LsScalar) { .i = n });
  return TRUE;
}

gboolean
ls_evaluate_reduce_axis (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = shaped (e, u);
  const LsEvaluated *s = ls_evaluation_view (e, u->src[0]);
  LsDType d = u->dtype;
  const LsScalar *from;
  double largest = 0;
  gboolean is_float = ls_dtype_is_float (d);
  if (e->error)
    return FALSE;
  if (!s || (s->n_axes > 0 && !s->shaped))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "the source that it reduces has no shape");
  if (s->n > LS_MOST_TURNS)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, u, "too many iterations");
  for (guint64 i = 0; i < x->n; i++)
    x->v[i] = ls_eval_identity (u->arg.op, d);
  for (Run r = { 0 }; read_run (e, s, &r, &from);) {
    LsScalar all = *from;
    guint64 at = 0;
    if (r.stride == 0 && adds_nothing (u->arg.op, d, all))
      continue;
    for (guint k = 0; k < x->n_axes; k++)
      at = at * (guint64) x->size[k] + (x->size[k] == 1 ? 0 : (guint64) r.index[k]);
    LsScalar *to = &x->v[at];
    gint64 stride = x->n_axes > 0 && x->size[x->n_axes - 1] > 1;
    gboolean at_once = stride == 0 && r.stride == 0 && combines_at_once (u->arg.op, d, &all, r.n);
    for (gint64 k = 0; k < (at_once ? 1 : r.n); k++) {
      LsScalar value = at_once ? all : from[k * r.stride];
      to[k * stride] = ls_eval_combine (u->arg.op, d, value, to[k * stride]);
      if (is_float && isfinite (value.f))
        largest = MAX (largest, fabs (value.f));
    }
  }
  if (e->error)
    return FALSE;
  if (is_float && x->n > 0) {
    e->sum_bound += ls_sum_bound (d, (double) (s->n / x->n), largest);
  }
  return TRUE;
}

gboolean
ls_evaluate_buffer (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = ls_evaluation_buffer (e, u->arg.ints[0]);
  LsEvaluated *x = shaped (e, u);
  if (!b || b->n < x->n)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  for (guint64 i = 0; i < x->n && !e->error; i++)
    x->v[i] = ls_scalar_load (b->dtype, b->data + i * ls_dtype_itemsize (b->dtype));
  return TRUE;
}

gboolean
ls_evaluate_constant (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = with_shape (e, u), *whole = x;
  if (e->error)
    return FALSE;
  if (u->n_src > 0 && u->src[0]->op != LS_OP_VIEW)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the source of a constant must be a view");
  if (u->n_src > 0) {
    /* its view says where it is the constant, and where nothing */
    whole = g_new0 (LsEvaluated, 1);
    whole->node = u;
    whole->n = u->op == LS_OP_IOTA ? (guint64) u->arg.i : 1;
    x->base = x->owned = whole;
    x->through = ls_evaluate_view_now (e, u->src[0]);
  }
  if (!ls_evaluated_take_memory (e, whole))
    return FALSE;
  for (guint64 i = 0; i < whole->n; i++)
    whole->v[i] = u->op == LS_OP_IOTA ? ls_scalar_fit (u->dtype, (LsScalar) { .i = (gint64) i }) : ls_scalar_from_arg (u->dtype, u->arg);
  return TRUE;
}

gboolean
ls_evaluate_copy (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = shaped (e, u), *s = ls_evaluation_value (e, u->src[0]);
  if (!e->error)
    memcpy (x->v, s->v, x->n * sizeof *x->v);
  return !e->error;
}

/* The view as the movements between it and the memory, which a reshape may have renamed. */
const LsTracker *
ls_evaluate_assigned_view (LsEvaluation *e, const LsUOp *u)
{
  LsUOp *moves[64], *at = u->src[1];
  guint n = 0;
  for (; (ls_op_is_movement (at->op) || ls_op_is_slice (at->op)) && at != u->src[0] && n < G_N_ELEMENTS (moves); at = at->src[0])
    moves[n++] = at;
  LsShape shape;
  gint64 dims[LS_MOST_VALUE_AXES];
  if (!ls_uop_get_shape (e->ctx, u->src[1], &shape, NULL) || !ls_evaluate_shape_now (e, at, &shape, dims)) {
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its target has no shape");
    return NULL;
  }
  const LsTracker *t = ls_tracker_contiguous (e->ctx, shape);
  while (t && n-- > 0)
    t = ls_evaluate_move_now (e, moves[n], t);
  return t;
}

gboolean
ls_evaluate_assign (LsEvaluation *e, LsUOp *u)
{
  const LsEvaluated *s = ls_evaluation_value (e, u->src[0]), *v = ls_evaluation_value (e, u->src[2]);
  LsEvaluated *x = shaped (e, u);
  const LsTracker *t = e->error ? NULL : ls_evaluate_assigned_view (e, u);
  if (!t)
    return FALSE;
  memcpy (x->v, s->v, x->n * sizeof *x->v);
  for (Run r = { 0 }; next_run (v, t, &r);) {
    if (r.backed && !is_within (&r, x->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the view exceeds its memory");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      x->v[r.at + k * r.stride] = v->v[r.i + (guint64) k];
  }
  return TRUE;
}
