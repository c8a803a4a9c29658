/* Values with a shape: one element for each index of it.
 *
 * A movement op, and a constant that is seen through a view, has no elements of its own before someone asks for them: it is its source through a
 * tracker. Views are not merged on the way, so that what is evaluated does not lean on the rules of merging. A reduction reads through them, which is what
 * keeps the large intermediate shapes of a matmul or an arange out of memory.
 */
#include "evaluate-private.h"

#include "fault.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Elements in line of a value with a shape, as it is read or written through a tracker: n from element i on, at index. */
typedef struct {
  guint64  i;
  gint64   index[LS_MOST_VALUE_AXES];
  gint64   n, at, stride;      /* at: where the first stands, stride: how far the others stand from each other */
  gboolean backed;             /* FALSE: masked out, all of them */
} Run;

/* The next one; the first when r is zero. t: NULL when they stand one after the other. */
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

/* Do all of the run stand among n elements? */
static gboolean
is_within (const Run *r, guint64 n)
{
  gint64 last;
  if (__builtin_mul_overflow (r->n - 1, r->stride, &last) || __builtin_add_overflow (r->at, last, &last))
    return FALSE;
  return r->at >= 0 && (guint64) r->at < n && last >= 0 && (guint64) last < n;
}

/* The next elements of a value: *v, and those r->stride after each other. What is masked out is 0. FALSE: there are no more, or the view reaches outside. */
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
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, x->node, "the view reaches outside of its source");
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

/* A value over the node's shape; without elements, which the caller makes or sees through a tracker. */
static LsEvaluated *
with_shape (LsEvaluation *e, LsUOp *u)
{
  LsShape s;
  LsEvaluated *x = ls_evaluated_new (e, u, 1);
  if (!ls_uop_get_shape (e->ctx, u, &s, NULL) || s.n > LS_MOST_VALUE_AXES) {
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has no shape");
  } else {
    x->n_axes = s.n;
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

gboolean
ls_evaluate_movement (LsEvaluation *e, LsUOp *u)
{
  const LsEvaluated *s = ls_evaluation_view (e, u->src[0]);
  LsEvaluated *x = with_shape (e, u);
  LsShape shape;
  if (e->error)
    return FALSE;
  if (!s || !ls_uop_get_shape (e->ctx, u->src[0], &shape, NULL))      /* below a view there may be anything */
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "what it moves has no shape");
  const LsTracker *seen = s->v ? ls_tracker_contiguous (e->ctx, shape) : s->through;
  x->base = s->v ? s : s->base;
  x->through = u->op == LS_OP_VIEW ? ls_tracker_compose (e->ctx, seen, u->arg.tracker, FALSE) : ls_tracker_movement (e->ctx, seen, u->op, u->arg, FALSE);
  return TRUE;
}

gboolean
ls_evaluate_load_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = ls_evaluation_buffer (e, u->src[0]->arg.i);
  LsEvaluated *x = shaped (e, u);
  if (!b)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  if (e->error)
    return FALSE;
  for (Run r = { 0 }; next_run (x, u->src[1]->arg.tracker, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside of the buffer");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      x->v[r.i + (guint64) k] = ls_scalar_load (b->dtype, b->data + (r.at + k * r.stride) * ls_dtype_itemsize (b->dtype));
  }
  return TRUE;
}

gboolean
ls_evaluate_store_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = ls_evaluation_buffer (e, u->src[0]->arg.i);
  LsEvaluated *s = ls_evaluation_value (e, u->src[2]);
  if (!b || !s)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  for (Run r = { 0 }; next_run (s, u->src[1]->arg.tracker, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside of the buffer");
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
  if (s->n > LS_MOST_TURNS)
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, u, "too many turns");
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
    double epsilon = ls_dtype_base (d) == LS_BASE_DOUBLE ? DBL_EPSILON : ls_dtype_base (d) == LS_BASE_FLOAT ? FLT_EPSILON : 0x1p-7, terms = (double) (s->n / x->n);
    e->sum_bound += terms * epsilon * largest * terms;
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
    return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "a constant is seen through a view, and its source is none");
  if (u->n_src > 0) {
    /* its view says where it is the constant, and where nothing */
    whole = g_new0 (LsEvaluated, 1);
    whole->node = u;
    whole->n = u->op == LS_OP_IOTA ? (guint64) u->arg.i : 1;
    x->base = x->owned = whole;
    x->through = u->src[0]->arg.tracker;
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
gboolean
ls_evaluate_assign (LsEvaluation *e, LsUOp *u)
{
  const LsEvaluated *s = ls_evaluation_value (e, u->src[0]), *v = ls_evaluation_value (e, u->src[2]);
  LsEvaluated *x = shaped (e, u);
  LsUOp *moves[64], *at = u->src[1];
  guint n = 0;
  for (; ls_op_is_movement (at->op) && at != u->src[0] && n < G_N_ELEMENTS (moves); at = at->src[0])
    moves[n++] = at;
  LsShape shape;
  if (e->error)
    return FALSE;
  if (!ls_uop_get_shape (e->ctx, u->src[1], &shape, NULL) || !ls_uop_get_shape (e->ctx, at, &shape, NULL))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "what it writes to has no shape");
  const LsTracker *t = ls_tracker_contiguous (e->ctx, shape);
  while (n-- > 0)
    t = ls_tracker_movement (e->ctx, t, moves[n]->op, moves[n]->arg, FALSE);
  memcpy (x->v, s->v, x->n * sizeof *x->v);
  for (Run r = { 0 }; next_run (v, t, &r);) {
    if (r.backed && !is_within (&r, x->n))
      return ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the view reaches outside of its memory");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      x->v[r.at + k * r.stride] = v->v[r.i + (guint64) k];
  }
  return TRUE;
}
