/* Evaluating graphs node by node. See evaluate.h.
 *
 * Below the kernel AST every value carries the list of axes it runs over. An axis is a RANGE or SPECIAL node, or an expanded axis of UNROLL, and is
 * known by a number; values are stored row-major over their axes in ascending order, with the lanes innermost. A source that lacks an axis is
 * repeated along it.
 *
 * A movement op, and a constant that is seen through a view, has no elements of its own before someone asks for them: it is its source through a
 * tracker. Views are not merged on the way, so that what is evaluated does not lean on the rules of merging. A reduction reads through them, which is what
 * keeps the large intermediate shapes of a matmul or an arange out of memory.
 */
#include "evaluate.h"

#include "ir/view.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_VALUE_AXES 32
#define MOST_TURNS (G_GUINT64_CONSTANT (1) << 32)

typedef struct _Value Value;
struct _Value {
  LsUOp    *node;
  guint     n_axes;
  guint     axis[MAX_VALUE_AXES];      /* numbers, ascending */
  gint64    size[MAX_VALUE_AXES];
  guint     lanes;
  guint64   n;                         /* elements, lanes included */
  LsScalar *v;                         /* NULL while it is base through a tracker */
  guint8   *open;                      /* INDEX: is the gate open; NULL when there is none */
  const Value     *base;
  const LsTracker *through;
  Value    *owned;                     /* the one element of a constant */
};

struct _LsEvaluation {
  LsContext  *ctx;
  GHashTable *values;                  /* node -> Value */
  const LsEvalBuffer *buffers;
  guint       n_buffers;
  guint64     left;                    /* elements that may still be made */
  double      sum_bound;
  GHashTable *axis_numbers;            /* RANGE node or UNROLL axis key -> number + 1 */
  GError     *error;
};

static void
value_free (gpointer data)
{
  Value *x = data;
  if (x->owned)
    value_free (x->owned);
  g_free (x->v);
  g_free (x->open);
  g_free (x);
}

static gboolean
fail (LsEvaluation *e, LsError code, const LsUOp *u, const char *what)
{
  if (!e->error)
    e->error = g_error_new (LS_ERROR, code, "evaluating node %u (%s): %s", u->id, ls_op_name (u->op), what);
  return FALSE;
}

static gboolean
take_memory (LsEvaluation *e, Value *x)
{
  if (x->n > e->left)
    return fail (e, LS_ERROR_RUN, x->node, "too many values");
  e->left -= x->n;
  x->v = g_new0 (LsScalar, MAX (x->n, 1));
  return TRUE;
}

static gboolean
count (LsEvaluation *e, Value *x)
{
  x->n = x->lanes;
  for (guint i = 0; i < x->n_axes; i++)
    if (__builtin_mul_overflow (x->n, (guint64) x->size[i], &x->n))
      return fail (e, LS_ERROR_RUN, x->node, "too many values");
  return TRUE;
}

static gboolean
allocate (LsEvaluation *e, Value *x)
{
  return count (e, x) && take_memory (e, x);
}

static gboolean
step_index (const Value *x, gint64 *index)
{
  for (guint i = x->n_axes; i-- > 0;) {
    if (++index[i] < x->size[i])
      return TRUE;
    index[i] = 0;
  }
  return FALSE;
}

/* Elements in line of a value with a shape, as it is read or written through a tracker: n from element i on, at index. */
typedef struct {
  guint64  i;
  gint64   index[MAX_VALUE_AXES];
  gint64   n, at, stride;      /* at: where the first stands, stride: how far the others stand from each other */
  gboolean backed;             /* FALSE: masked out, all of them */
} Run;

/* The next one; the first when r is zero. t: NULL when they stand one after the other. */
static gboolean
next_run (const Value *x, const LsTracker *t, Run *r)
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
read_run (LsEvaluation *e, const Value *x, Run *r, const LsScalar **v)
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
    return fail (e, LS_ERROR_RUN, x->node, "the view reaches outside of its source");
  *v = (x->v ? x->v : x->base->v) + r->at;
  return TRUE;
}

/* The value as it is: perhaps without elements of its own. */
static Value *
view_of (LsEvaluation *e, const LsUOp *u)
{
  return g_hash_table_lookup (e->values, u);
}

static Value *
value_of (LsEvaluation *e, const LsUOp *u)
{
  Value *x = view_of (e, u);
  if (!x || x->v || !x->base || !take_memory (e, x))
    return x;
  LsScalar *v = x->v;
  const LsScalar *from;
  x->v = NULL;
  for (Run r = { 0 }; read_run (e, x, &r, &from);)
    for (gint64 k = 0; k < r.n; k++)
      v[r.i + (guint64) k] = from[k * r.stride];
  x->v = v;
  return x;
}

/* A value over the node's shape; without elements, which the caller makes or sees through a tracker. */
static Value *
with_shape (LsEvaluation *e, LsUOp *u)
{
  LsShape s;
  Value *x = g_new0 (Value, 1);
  x->node = u;
  x->lanes = 1;
  if (!ls_uop_get_shape (e->ctx, u, &s, NULL) || s.n > MAX_VALUE_AXES) {
    fail (e, LS_ERROR_SPEC, u, "it has no shape");
  } else {
    x->n_axes = s.n;
    for (guint i = 0; i < s.n; i++) {
      x->axis[i] = i;
      x->size[i] = s.dims[i];
    }
    count (e, x);
  }
  g_hash_table_insert (e->values, u, x);
  return x;
}

static Value *
shaped (LsEvaluation *e, LsUOp *u)
{
  Value *x = with_shape (e, u);
  if (!e->error)
    take_memory (e, x);
  return x;
}

static guint
axis_number (LsEvaluation *e, gpointer key)
{
  gpointer found = g_hash_table_lookup (e->axis_numbers, key);
  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  guint number = g_hash_table_size (e->axis_numbers);
  g_hash_table_insert (e->axis_numbers, key, GUINT_TO_POINTER (number + 1));
  return number;
}

/* UNROLL axes are known by their key, told apart from node pointers by the low bit. */
static gpointer
unroll_key (gint64 axis)
{
  return (gpointer) (gsize) ((guint64) axis << 1 | 1);
}

static gboolean
add_axis (LsEvaluation *e, Value *x, guint axis, gint64 size)
{
  guint i = 0;
  while (i < x->n_axes && x->axis[i] < axis)
    i++;
  if (i < x->n_axes && x->axis[i] == axis)
    return TRUE;
  if (x->n_axes == MAX_VALUE_AXES)
    return fail (e, LS_ERROR_RUN, x->node, "it depends on too many axes");
  for (guint k = x->n_axes++; k > i; k--) {
    x->axis[k] = x->axis[k - 1];
    x->size[k] = x->size[k - 1];
  }
  x->axis[i] = axis;
  x->size[i] = size;
  return TRUE;
}

/* Where in s stands what belongs to element index[] of x? Element number without lanes. */
static guint64
element (const Value *s, const Value *x, const gint64 *index)
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

static const LsEvalBuffer *
buffer_of (LsEvaluation *e, gint64 id)
{
  for (guint i = 0; i < e->n_buffers; i++)
    if (e->buffers[i].id == id)
      return &e->buffers[i];
  return NULL;
}

static LsScalar
combine (LsOp op, LsDType d, LsScalar a, LsScalar b)
{
  return ls_eval_alu (op, d, d, (LsScalar[]) { a, b });
}

/* --- values with a shape --- */

static gboolean
eval_movement (LsEvaluation *e, LsUOp *u)
{
  const Value *s = view_of (e, u->src[0]);
  Value *x = with_shape (e, u);
  if (e->error)
    return FALSE;
  const LsTracker *seen = s->v ? ls_tracker_contiguous (e->ctx, ls_uop_shape (e->ctx, u->src[0])) : s->through;
  x->base = s->v ? s : s->base;
  x->through = u->op == LS_OP_VIEW ? ls_tracker_compose (e->ctx, seen, u->arg.tracker, FALSE) : ls_tracker_movement (e->ctx, seen, u->op, u->arg, FALSE);
  return TRUE;
}

static gboolean
eval_load_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = buffer_of (e, u->src[0]->arg.i);
  Value *x = shaped (e, u);
  if (!b)
    return fail (e, LS_ERROR_RUN, u, "there is no such buffer");
  if (e->error)
    return FALSE;
  for (Run r = { 0 }; next_run (x, u->src[1]->arg.tracker, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return fail (e, LS_ERROR_RUN, u, "the index is outside of the buffer");
    for (gint64 k = 0; r.backed && k < r.n; k++)
      x->v[r.i + (guint64) k] = ls_scalar_load (b->dtype, b->data + (r.at + k * r.stride) * ls_dtype_itemsize (b->dtype));
  }
  return TRUE;
}

static gboolean
eval_store_view (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = buffer_of (e, u->src[0]->arg.i);
  Value *s = value_of (e, u->src[2]);
  if (!b || !s)
    return fail (e, LS_ERROR_RUN, u, "there is no such buffer");
  for (Run r = { 0 }; next_run (s, u->src[1]->arg.tracker, &r);) {
    if (r.backed && !is_within (&r, b->n))
      return fail (e, LS_ERROR_RUN, u, "the index is outside of the buffer");
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
  *value = combine (LS_OP_MUL, d, *value, (LsScalar) { .i = n });
  return TRUE;
}

static gboolean
eval_reduce_axis (LsEvaluation *e, LsUOp *u)
{
  Value *x = shaped (e, u);
  const Value *s = view_of (e, u->src[0]);
  LsDType d = u->dtype;
  const LsScalar *from;
  double largest = 0;
  gboolean is_float = ls_dtype_is_float (d);
  if (e->error)
    return FALSE;
  if (s->n > MOST_TURNS)
    return fail (e, LS_ERROR_RUN, u, "too many turns");
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
      to[k * stride] = combine (u->arg.op, d, value, to[k * stride]);
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

static gboolean
eval_buffer (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = buffer_of (e, u->arg.ints[0]);
  Value *x = shaped (e, u);
  if (!b || b->n < x->n)
    return fail (e, LS_ERROR_RUN, u, "there is no such buffer");
  for (guint64 i = 0; i < x->n && !e->error; i++)
    x->v[i] = ls_scalar_load (b->dtype, b->data + i * ls_dtype_itemsize (b->dtype));
  return TRUE;
}

/* --- values over ranges; ALU ops of both levels --- */

static Value *
ranged (LsEvaluation *e, LsUOp *u, guint n_src, guint lanes)
{
  Value *x = g_new0 (Value, 1);
  x->node = u;
  x->lanes = lanes;
  g_hash_table_insert (e->values, u, x);
  for (guint i = 0; i < n_src; i++) {
    Value *s = value_of (e, u->src[i]);
    for (guint k = 0; s && k < s->n_axes; k++)
      if (!add_axis (e, x, s->axis[k], s->size[k]))
        return x;
  }
  allocate (e, x);
  return x;
}

static gboolean
eval_alu (LsEvaluation *e, LsUOp *u)
{
  Value *x = ranged (e, u, u->n_src, ls_dtype_lanes (u->dtype)), *s[3];
  LsDType d = ls_dtype_scalar (u->dtype), from = ls_dtype_scalar (u->src[u->n_src - 1]->dtype);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  LsScalar args[3];
  if (e->error)
    return FALSE;
  if (u->n_src > 3)
    return fail (e, LS_ERROR_SPEC, u, "it has too many sources");
  for (guint k = 0; k < u->n_src; k++)
    if (!(s[k] = value_of (e, u->src[k])))
      return fail (e, LS_ERROR_SPEC, u, "a source has no value");
  gboolean alike[3], all = TRUE;      /* the source runs over the same axes, so that its elements stand at the same places */
  for (guint k = 0; k < u->n_src; k++) {
    alike[k] = s[k]->n_axes == x->n_axes && s[k]->lanes == x->lanes && memcmp (s[k]->axis, x->axis, x->n_axes * sizeof *x->axis) == 0 &&
               memcmp (s[k]->size, x->size, x->n_axes * sizeof *x->size) == 0;
    all &= alike[k] || s[k]->n == 1;
  }
  for (guint64 i = 0; i < x->n; i += x->lanes, all || step_index (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      for (guint k = 0; k < u->n_src; k++)
        args[k] = s[k]->v[alike[k] ? i + l : s[k]->n == 1 ? 0 : element (s[k], x, index) * s[k]->lanes + (s[k]->lanes > 1 ? l : 0)];
      x->v[i + l] = u->op == LS_OP_CAST ? ls_eval_cast (d, from, args[0]) : u->op == LS_OP_BITCAST ? ls_eval_bitcast (d, from, args[0]) :
                    ls_eval_alu (u->op, d, from, args);
    }
  return TRUE;
}

static gboolean
eval_range (LsEvaluation *e, LsUOp *u)
{
  Value *x = g_new0 (Value, 1);
  x->node = u;
  x->lanes = 1;
  g_hash_table_insert (e->values, u, x);
  add_axis (e, x, axis_number (e, u), u->src[0]->vmax);
  if (!allocate (e, x))
    return FALSE;
  for (guint64 i = 0; i < x->n; i++)
    x->v[i].i = (gint64) i;
  return TRUE;
}

/* The lanes of the source become an axis each. */
static gboolean
eval_unroll (LsEvaluation *e, LsUOp *u)
{
  Value *s = value_of (e, u->src[0]), *x = g_new0 (Value, 1);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  x->node = u;
  x->lanes = 1;
  g_hash_table_insert (e->values, u, x);
  for (guint k = 0; k < s->n_axes; k++)
    add_axis (e, x, s->axis[k], s->size[k]);
  for (guint k = 0; k + 1 < u->arg.n; k += 2)
    add_axis (e, x, axis_number (e, unroll_key (u->arg.ints[k])), u->arg.ints[k + 1]);
  if (e->error || !allocate (e, x))
    return FALSE;
  for (guint64 i = 0; i < x->n; i++, step_index (x, index)) {
    guint64 lane = 0;
    for (guint k = 0; k + 1 < u->arg.n; k += 2) {
      guint number = axis_number (e, unroll_key (u->arg.ints[k]));
      for (guint a = 0; a < x->n_axes; a++)
        if (x->axis[a] == number)
          lane = lane * (guint64) u->arg.ints[k + 1] + (guint64) index[a];
    }
    x->v[i] = s->v[element (s, x, index) * s->lanes + lane];
  }
  return TRUE;
}

static gboolean
eval_reduce (LsEvaluation *e, LsUOp *u)
{
  Value *s = value_of (e, u->src[0]), *x = g_new0 (Value, 1), *full = g_new0 (Value, 1);
  guint lanes = ls_dtype_lanes (u->dtype);
  LsDType d = ls_dtype_scalar (u->dtype);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  gboolean gone[256] = { FALSE };
  x->node = full->node = u;
  x->lanes = lanes;
  full->lanes = 1;
  g_hash_table_insert (e->values, u, x);
  for (guint k = 0; k < s->n_axes; k++)
    add_axis (e, full, s->axis[k], s->size[k]);
  for (guint r = 1; r < u->n_src; r++) {
    Value *range = value_of (e, u->src[r]);
    for (guint k = 0; range && k < range->n_axes; k++) {
      add_axis (e, full, range->axis[k], range->size[k]);
      if (range->axis[k] < G_N_ELEMENTS (gone))
        gone[range->axis[k]] = TRUE;
    }
  }
  for (guint k = 0; k < full->n_axes; k++)
    if (full->axis[k] >= G_N_ELEMENTS (gone) || !gone[full->axis[k]])
      add_axis (e, x, full->axis[k], full->size[k]);
  guint64 turns = 1;
  for (guint k = 0; k < full->n_axes; k++)
    turns *= (guint64) full->size[k];
  if (e->error || !allocate (e, x) || turns > MOST_TURNS) {
    g_free (full);
    return e->error ? FALSE : fail (e, LS_ERROR_RUN, u, "too many turns");
  }
  for (guint64 i = 0; i < x->n; i++)
    x->v[i] = ls_eval_identity (u->arg.op, d);
  for (guint64 i = 0; i < turns; i++, step_index (full, index)) {
    guint64 from = element (s, full, index) * s->lanes, to = element (x, full, index) * lanes;
    for (guint l = 0; l < s->lanes; l++)
      x->v[to + l % lanes] = combine (u->arg.op, d, s->v[from + l], x->v[to + l % lanes]);
  }
  g_free (full);
  return TRUE;
}

static gboolean
eval_index (LsEvaluation *e, LsUOp *u)
{
  Value *x = ranged (e, u, u->n_src, ls_dtype_lanes (u->dtype)), *at = value_of (e, u->src[1]), *gate = u->n_src > 2 ? value_of (e, u->src[2]) : NULL;
  gint64 index[MAX_VALUE_AXES] = { 0 };
  if (e->error)
    return FALSE;
  if (gate)
    x->open = g_malloc (x->n + 1);
  for (guint64 i = 0; i < x->n; i += x->lanes, step_index (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      x->v[i + l] = at->v[element (at, x, index) * at->lanes + (at->lanes > 1 ? l : 0)];
      if (gate)
        x->open[i + l] = gate->v[element (gate, x, index) * gate->lanes + (gate->lanes > 1 ? l : 0)].i != 0;
    }
  return TRUE;
}

static LsUOp *
global_of (LsUOp *index)
{
  LsUOp *u = index;
  while ((u->op == LS_OP_INDEX || u->op == LS_OP_UNROLL || u->op == LS_OP_VECTORIZE || u->op == LS_OP_CAST) && u->n_src > 0)
    u = u->src[0];
  return u;
}

/* INDEX values reach loads and stores through UNROLL too: the gate goes the same way. */
static gboolean
is_open (LsEvaluation *e, LsUOp *u, const Value *x, const gint64 *index, guint lane)
{
  Value *s = value_of (e, u);
  if (u->op == LS_OP_INDEX)
    return !s->open || s->open[element (s, x, index) * s->lanes + (s->lanes > 1 ? lane : 0)];
  return TRUE;
}

static gboolean
eval_load (LsEvaluation *e, LsUOp *u)
{
  LsUOp *global = global_of (u->src[0]);
  const LsEvalBuffer *b = global->op == LS_OP_DEFINE_GLOBAL ? buffer_of (e, global->arg.i) : NULL;
  Value *x = ranged (e, u, u->n_src, ls_dtype_lanes (u->dtype)), *at = value_of (e, u->src[0]), *alt = u->n_src > 1 ? value_of (e, u->src[1]) : NULL;
  gint64 index[MAX_VALUE_AXES] = { 0 };
  if (!b)
    return fail (e, LS_ERROR_RUN, u, "there is no such buffer");
  if (e->error)
    return FALSE;
  for (guint64 i = 0; i < x->n; i += x->lanes, step_index (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      gint64 k = at->v[element (at, x, index) * at->lanes + (at->lanes > 1 ? l : 0)].i;
      if (!is_open (e, u->src[0], x, index, l)) {
        x->v[i + l] = alt ? alt->v[element (alt, x, index) * alt->lanes + (alt->lanes > 1 ? l : 0)] : (LsScalar) { 0 };
      } else if (k < 0 || (guint64) k >= b->n) {
        /* a closed gate lost behind UNROLL reads as the alternative */
        if (!alt)
          return fail (e, LS_ERROR_RUN, u, "the index is outside of the buffer");
        x->v[i + l] = alt->v[element (alt, x, index) * alt->lanes + (alt->lanes > 1 ? l : 0)];
      } else {
        x->v[i + l] = ls_scalar_load (b->dtype, b->data + (gsize) k * ls_dtype_itemsize (b->dtype));
      }
    }
  return TRUE;
}

static gboolean
eval_store (LsEvaluation *e, LsUOp *u)
{
  LsUOp *global = global_of (u->src[0]);
  const LsEvalBuffer *b = global->op == LS_OP_DEFINE_GLOBAL ? buffer_of (e, global->arg.i) : NULL;
  Value *at = value_of (e, u->src[0]), *s = value_of (e, u->src[1]), *x;
  gint64 index[MAX_VALUE_AXES] = { 0 };
  if (!b || !at || !s)
    return fail (e, LS_ERROR_RUN, u, "there is no such buffer");
  x = ranged (e, u, 2, MAX (at->lanes, s->lanes));
  if (e->error)
    return FALSE;
  for (guint64 i = 0; i < x->n; i += x->lanes, step_index (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      gint64 k = at->v[element (at, x, index) * at->lanes + (at->lanes > 1 ? l : 0)].i;
      if (!is_open (e, u->src[0], x, index, l))
        continue;
      if (k < 0 || (guint64) k >= b->n)
        return fail (e, LS_ERROR_RUN, u, "the index is outside of the buffer");
      ls_scalar_store (b->dtype, b->data + (gsize) k * ls_dtype_itemsize (b->dtype), s->v[element (s, x, index) * s->lanes + (s->lanes > 1 ? l : 0)]);
    }
  return TRUE;
}

static gboolean
eval_lanes (LsEvaluation *e, LsUOp *u)
{
  if (u->op == LS_OP_VCONST) {
    Value *x = ranged (e, u, 0, u->arg.n);
    for (guint l = 0; l < u->arg.n && !e->error; l++)
      x->v[l].i = u->arg.ints[l];
    return !e->error;
  }
  guint lanes = u->op == LS_OP_GEP ? u->arg.n : u->n_src;
  Value *x = ranged (e, u, u->n_src, lanes);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  for (guint64 i = 0; i < x->n && !e->error; i += x->lanes, step_index (x, index))
    for (guint l = 0; l < lanes; l++) {
      Value *s = value_of (e, u->src[u->op == LS_OP_GEP ? 0 : l]);
      guint64 from = element (s, x, index) * s->lanes + (u->op == LS_OP_GEP ? (guint64) u->arg.ints[l] : 0);
      if (from >= s->n)
        return fail (e, LS_ERROR_SPEC, u, "there is no such lane");
      x->v[i + l] = s->v[from];
    }
  return !e->error;
}

static gboolean
eval_node (LsEvaluation *e, LsUOp *u)
{
  switch ((LsOp) u->op) {
  case LS_OP_SINK: case LS_OP_DEFINE_GLOBAL: return TRUE;
  case LS_OP_BUFFER: return eval_buffer (e, u);
  case LS_OP_CONST: {
    Value *x = with_shape (e, u), *whole = x;
    if (e->error)
      return FALSE;
    if (u->n_src > 0) {
      /* its view says where it is the constant, and where nothing */
      whole = g_new0 (Value, 1);
      whole->node = u;
      whole->n = 1;
      x->base = x->owned = whole;
      x->through = u->src[0]->arg.tracker;
    }
    if (!take_memory (e, whole))
      return FALSE;
    for (guint64 i = 0; i < whole->n; i++)
      whole->v[i] = ls_scalar_from_arg (u->dtype, u->arg);
    return TRUE;
  }
  case LS_OP_COPY: case LS_OP_CONTIGUOUS: case LS_OP_VIEW: case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_PAD: case LS_OP_SHRINK:
  case LS_OP_FLIP:
    if (u->op == LS_OP_VIEW && u->n_src == 0)
      return TRUE;
    if (u->op == LS_OP_COPY || u->op == LS_OP_CONTIGUOUS) {
      Value *x = shaped (e, u), *s = value_of (e, u->src[0]);
      if (!e->error)
        memcpy (x->v, s->v, x->n * sizeof *x->v);
      return !e->error;
    }
    return eval_movement (e, u);
  case LS_OP_REDUCE_AXIS: return eval_reduce_axis (e, u);
  case LS_OP_REDUCE: return eval_reduce (e, u);
  case LS_OP_LOAD: return u->n_src == 2 && u->src[1]->op == LS_OP_VIEW ? eval_load_view (e, u) : eval_load (e, u);
  case LS_OP_STORE: return u->n_src == 3 && u->src[1]->op == LS_OP_VIEW ? eval_store_view (e, u) : eval_store (e, u);
  case LS_OP_RANGE: case LS_OP_SPECIAL: return eval_range (e, u);
  case LS_OP_UNROLL: return eval_unroll (e, u);
  case LS_OP_INDEX: return eval_index (e, u);
  case LS_OP_VECTORIZE: case LS_OP_GEP: case LS_OP_VCONST: return eval_lanes (e, u);
  default:
    if (ls_op_info (u->op)->op_class >= LS_CLASS_UNARY)
      return eval_alu (e, u);
    return fail (e, LS_ERROR_SPEC, u, "it has no value at this level");
  }
}

typedef struct { gint64 order; gpointer key; } AxisKey;

static int
by_order (gconstpointer a, gconstpointer b)
{
  const AxisKey *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Axes are numbered as loops nest: by axis, the outer part of a split one first. So a reduce goes over its ranges in the order that its loops will. */
static void
number_axes (LsEvaluation *e, GPtrArray *order)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (AxisKey));
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n >= 2) {
      AxisKey k = { u->arg.ints[0] * 16 + (u->arg.n > 2 ? u->arg.ints[2] : 0), u };
      g_array_append_val (keys, k);
    }
    for (guint a = 0; u->op == LS_OP_UNROLL && a + 1 < u->arg.n; a += 2) {
      AxisKey k = { u->arg.ints[a] / LS_N_AXIS * 16 + 1 + u->arg.ints[a] % LS_N_AXIS, unroll_key (u->arg.ints[a]) };
      g_array_append_val (keys, k);
    }
  }
  g_array_sort (keys, by_order);
  for (guint i = 0; i < keys->len; i++)
    axis_number (e, g_array_index (keys, AxisKey, i).key);
}

static gboolean
is_movement (const LsUOp *u)
{
  return ls_op_info (u->op)->op_class == LS_CLASS_MOVEMENT || (u->op == LS_OP_VIEW && u->n_src > 0);
}

/* For each place in order the place of the last node that reads its value, itself or through movement ops; those of the root's sources are never let go. */
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
ls_evaluate (LsContext *ctx, LsUOp *root, guint n_buffers, const LsEvalBuffer *buffers, guint64 max_elements, gboolean keep_all, GError **error)
{
  LsEvaluation *e = g_new0 (LsEvaluation, 1);
  e->ctx = ctx;
  e->values = g_hash_table_new_full (NULL, NULL, NULL, value_free);
  e->axis_numbers = g_hash_table_new (NULL, NULL);
  e->buffers = buffers;
  e->n_buffers = n_buffers;
  e->left = max_elements;
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  number_axes (e, order);
  g_autofree guint *last = keep_all ? NULL : last_readers (e, order);
  g_autofree guint *next = keep_all ? NULL : g_new0 (guint, order->len), *head = keep_all ? NULL : g_new0 (guint, order->len);      /* by last reader: places + 1 */
  for (guint i = 0; last && i < order->len; i++)
    if (last[i] < order->len) {
      next[i] = head[last[i]];
      head[last[i]] = i + 1;
    }
  for (guint i = 0; i < order->len; i++) {
    if (!eval_node (e, order->pdata[i]) || e->error) {
      g_propagate_error (error, g_steal_pointer (&e->error));
      ls_evaluation_free (e);
      return NULL;
    }
    for (guint k = last ? head[i] : 0; k > 0; k = next[k - 1]) {
      const Value *x = view_of (e, order->pdata[k - 1]);
      if (!x)
        continue;
      e->left += x->v ? x->n : 0;
      g_hash_table_remove (e->values, order->pdata[k - 1]);
    }
  }
  return e;
}

double
ls_evaluation_sum_bound (const LsEvaluation *e)
{
  return e->sum_bound;
}

const LsScalar *
ls_evaluation_values (LsEvaluation *e, LsUOp *node, guint64 *n)
{
  Value *x = value_of (e, node);
  *n = x ? x->n : 0;
  return x ? x->v : NULL;
}

/* Does the axis stand for a range, here? FALSE in graphs whose values have shapes. */
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
decode (const Value *x, guint64 i, gint64 *index, guint *lane)
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
  Value *x = value_of (e, of), *s = value_of (e, node);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  guint lane;
  if (!s || !s->v || s->n == 0 || !decode (x, i, index, &lane))
    return FALSE;
  if (g_hash_table_size (e->axis_numbers) == 0) {
    /* values with shapes: only equal shapes go together */
    if (s->n_axes > 0 && (s->n_axes != x->n_axes || memcmp (s->size, x->size, x->n_axes * sizeof *x->size) != 0))
      return FALSE;
  }
  /* an axis that only the source has: a reduce; its first turn is no answer */
  for (guint k = 0; k < s->n_axes; k++) {
    gboolean shared = FALSE;
    for (guint j = 0; j < x->n_axes; j++)
      shared |= x->axis[j] == s->axis[k];
    if (!shared)
      return FALSE;
  }
  guint64 at = element (s, x, index) * s->lanes + (s->lanes > 1 ? MIN (lane, s->lanes - 1) : 0);
  if (at >= s->n)
    return FALSE;
  *value = s->v[at];
  return TRUE;
}

guint64
ls_evaluation_row_length (LsEvaluation *e, LsUOp *node)
{
  const Value *x = value_of (e, node);
  if (!x || x->lanes > 1)
    return x ? x->lanes : 1;
  for (guint k = x->n_axes; k-- > 0;)
    if (x->size[k] > 1)
      return (guint64) x->size[k];
  return 1;
}

char *
ls_evaluation_where (LsEvaluation *e, LsUOp *of, guint64 i)
{
  Value *x = value_of (e, of);
  gint64 index[MAX_VALUE_AXES] = { 0 };
  guint lane;
  GString *s = g_string_new ("(");
  if (decode (x, i, index, &lane)) {
    for (guint k = 0; k < x->n_axes; k++) {
      LsUOp *range = axis_range (e, x->axis[k]);
      if (range && range->op == LS_OP_RANGE)
        g_string_append_printf (s, "%si%" G_GINT64_FORMAT "=", k ? ", " : "", range->arg.ints[0]);
      else
        g_string_append (s, k ? ", " : "");
      g_string_append_printf (s, "%" G_GINT64_FORMAT, index[k]);
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
