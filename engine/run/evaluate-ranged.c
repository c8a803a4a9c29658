/* Values over ranges and lanes.
 *
 * Below the kernel AST every value carries the list of axes it runs over. An axis is a RANGE or SPECIAL node, or an expanded axis of
 * UNROLL, and is known by a number; values are stored row-major over their axes in ascending order, with the lanes innermost. A
 * source that lacks an axis is repeated along it.
 *
 * The value of a pointer is the number of an element, and the state of its gate goes with it through UNROLL, VECTORIZE, GEP and CAST: an
 * access with a false gate may be anywhere, and every other access outside its buffer is a fault. An access of several lanes by one
 * pointer is an address and a width.
 */
#include "evaluate-private.h"

#include "fault.h"

#include <math.h>
#include <string.h>

static LsEvaluated *
ranged (LsEvaluation *e, LsUOp *u, guint n_src, guint lanes)
{
  LsEvaluated *x = ls_evaluated_new (e, u, lanes);
  for (guint i = 0; i < n_src; i++) {
    LsEvaluated *s = ls_evaluation_value (e, u->src[i]);
    x->shaped |= s && s->shaped;
    for (guint k = 0; s && k < s->n_axes; k++)
      if (!ls_evaluated_add_axis (e, x, s->axis[k], s->size[k]))
        return x;
  }
  if (x->shaped && x->n_axes > 0 && x->axis[x->n_axes - 1] >= LS_MOST_VALUE_AXES)
    ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its sources mix a shape and ranges that are not its axes");
  ls_evaluated_allocate (e, x);
  return x;
}

/* Where a source that runs over other axes has the value for lane l of x's element. */
static guint64
element_of (const LsEvaluated *s, const LsEvaluated *x, const gint64 *index, guint l)
{
  return s->n == 1 ? 0 : ls_evaluated_element (s, x, index) * s->lanes + (s->lanes > 1 ? l : 0);
}

gboolean
ls_evaluate_alu (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = ranged (e, u, u->n_src, ls_dtype_lanes (u->dtype)), *s[3];
  LsDType d = ls_dtype_scalar (u->dtype), from = ls_dtype_scalar (u->src[u->n_src - 1]->dtype);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  LsScalar args[3];
  if (e->error)
    return FALSE;
  if (u->n_src > 3)
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "it has too many sources");
  for (guint k = 0; k < u->n_src; k++)
    if (!(s[k] = ls_evaluation_value (e, u->src[k])))
      return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "a source has no value");
  gboolean alike[3], all = TRUE;      /* the source has the same axes, so that its elements have the same positions */
  for (guint k = 0; k < u->n_src; k++) {
    alike[k] = s[k]->n_axes == x->n_axes && s[k]->lanes == x->lanes && memcmp (s[k]->axis, x->axis, x->n_axes * sizeof *x->axis) == 0 &&
               memcmp (s[k]->size, x->size, x->n_axes * sizeof *x->size) == 0;
    all &= alike[k] || s[k]->n == 1;
  }
  gboolean chains = ls_dtype_is_float (d) && (u->op == LS_OP_ADD || u->op == LS_OP_SUB || u->op == LS_OP_MUL);
  for (guint64 i = 0; i < x->n; i += x->lanes, all || ls_evaluated_step (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      for (guint k = 0; k < u->n_src; k++)
        args[k] = s[k]->v[alike[k] ? i + l : element_of (s[k], x, index, l)];
      x->v[i + l] = ls_eval_node (u, d, from, args);
      for (guint k = 0; chains && k < 2; k++)
        if (isfinite (args[k].f) && fabs (args[k].f) > e->largest)
          e->largest = fabs (args[k].f);
    }
  return TRUE;
}

gboolean
ls_evaluate_range (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *x = ls_evaluated_new (e, u, 1);
  gint64 size = ls_range_size (u);
  if (u->src[0]->op != LS_OP_CONST) {
    const LsEvaluated *s = ls_evaluation_value (e, u->src[0]);
    if (!s || s->n != 1 || s->v[0].i < 0 || s->v[0].i > size)
      return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its size has no value within its bounds");
    size = s->v[0].i;
  }
  ls_evaluated_add_axis (e, x, ls_evaluation_axis (e, u), size);
  if (!ls_evaluated_allocate (e, x))
    return FALSE;
  for (guint64 i = 0; i < x->n; i++)
    x->v[i].i = (gint64) i;
  return TRUE;
}

/* Is the pointer's element i behind an open gate? */
static gboolean
is_open (const LsEvaluated *s, guint64 i)
{
  return !s->open || s->open[i];
}

/* Makes room for gates where a source has some. */
static void
take_gates (LsEvaluated *x, gboolean any)
{
  if (any)
    x->open = g_malloc (x->n + 1);
}

/* Where lane l of element index[] of x is found in s: a source of one lane is the same for all. */
static guint64
lane_at (const LsEvaluated *s, const LsEvaluated *x, const gint64 *index, guint l)
{
  return ls_evaluated_element (s, x, index) * s->lanes + (s->lanes > 1 ? l : 0);
}

static void
take_lane (LsEvaluated *x, guint64 to, const LsEvaluated *s, guint64 from)
{
  x->v[to] = s->v[from];
  if (x->open)
    x->open[to] = is_open (s, from);
}

/* The lanes of the source become an axis each. */
gboolean
ls_evaluate_unroll (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *s = ls_evaluation_value (e, u->src[0]), *x = ls_evaluated_new (e, u, 1);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  guint n = ls_unroll_n_axes (u), at[LS_MOST_VALUE_AXES] = { 0 };
  if (!s || n > G_N_ELEMENTS (at))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its source has no value");
  for (guint k = 0; k < s->n_axes; k++)
    ls_evaluated_add_axis (e, x, s->axis[k], s->size[k]);
  for (guint k = 0; k < n; k++)
    ls_evaluated_add_axis (e, x, ls_evaluation_axis (e, ls_unroll_axis_key (ls_unroll_key (u, k))), ls_unroll_size (u, k));
  if (e->error || !ls_evaluated_allocate (e, x))
    return FALSE;
  for (guint k = 0; k < n; k++)
    while (x->axis[at[k]] != ls_evaluation_axis (e, ls_unroll_axis_key (ls_unroll_key (u, k))))
      at[k]++;
  take_gates (x, s->open != NULL);
  for (guint64 i = 0; i < x->n; i++, ls_evaluated_step (x, index)) {
    guint64 lane = 0;
    for (guint k = 0; k < n; k++)
      lane = lane * (guint64) ls_unroll_size (u, k) + (guint64) index[at[k]];
    guint64 from = ls_evaluated_element (s, x, index) * s->lanes + lane;
    if (lane >= s->lanes)
      return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "there is no such lane");
    take_lane (x, i, s, from);
  }
  return TRUE;
}

gboolean
ls_evaluate_reduce (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *s = ls_evaluation_value (e, u->src[0]), *x = ls_evaluated_new (e, u, ls_dtype_lanes (u->dtype)),
              *full = g_new0 (LsEvaluated, 1);
  guint lanes = ls_dtype_lanes (u->dtype);
  LsDType d = ls_dtype_scalar (u->dtype);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  gboolean gone[256] = { FALSE };
  if (!s) {
    g_free (full);
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "a source has no value");
  }
  full->node = u;
  full->lanes = 1;
  for (guint k = 0; k < s->n_axes; k++)
    ls_evaluated_add_axis (e, full, s->axis[k], s->size[k]);
  for (guint r = 1; r < u->n_src; r++) {
    LsEvaluated *range = ls_evaluation_value (e, u->src[r]);
    for (guint k = 0; range && k < range->n_axes; k++) {
      ls_evaluated_add_axis (e, full, range->axis[k], range->size[k]);
      if (range->axis[k] < G_N_ELEMENTS (gone))
        gone[range->axis[k]] = TRUE;
    }
  }
  for (guint k = 0; k < full->n_axes; k++)
    if (full->axis[k] >= G_N_ELEMENTS (gone) || !gone[full->axis[k]])
      ls_evaluated_add_axis (e, x, full->axis[k], full->size[k]);
  if (e->error || !ls_evaluated_count (e, full) || !ls_evaluated_allocate (e, x) || full->n > LS_MOST_TURNS) {
    g_free (full);
    return e->error ? FALSE : ls_evaluation_fail (e, LS_FAULT, LS_FAULT_SIZE, u, "too many iterations");
  }
  for (guint64 i = 0; i < x->n; i++)
    x->v[i] = ls_eval_identity (u->arg.op, d);
  for (guint64 i = 0; i < full->n; i++, ls_evaluated_step (full, index)) {
    guint64 from = ls_evaluated_element (s, full, index) * s->lanes, to = ls_evaluated_element (x, full, index) * lanes;
    for (guint l = 0; l < s->lanes; l++)
      x->v[to + l % lanes] = ls_eval_combine (u->arg.op, d, s->v[from + l], x->v[to + l % lanes]);
  }
  g_free (full);
  return TRUE;
}

static guint
lanes_of (const LsUOp *u)
{
  return ls_dtype_lanes (u->dtype);
}

/* Elements are counted in the buffer's dtype, however wide the indexed pointer is. */
gboolean
ls_evaluate_index (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *at = ls_evaluation_value (e, u->src[1]), *gate = u->n_src > 2 ? ls_evaluation_value (e, u->src[2]) : NULL;
  LsEvaluated *x = ranged (e, u, u->n_src, MAX (lanes_of (u->src[1]), gate ? lanes_of (u->src[2]) : 1));
  gint64 index[LS_MOST_VALUE_AXES] = { 0 }, unit = lanes_of (u->src[0]);
  if (e->error)
    return FALSE;
  if (!at || (u->n_src > 2 && !gate))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "a source has no value");
  take_gates (x, gate != NULL);
  for (guint64 i = 0; i < x->n; i += x->lanes, ls_evaluated_step (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      if (__builtin_mul_overflow (at->v[lane_at (at, x, index, l)].i, unit, &x->v[i + l].i))
        x->v[i + l].i = -1;
      if (gate)
        x->open[i + l] = gate->v[lane_at (gate, x, index, l)].i != 0;
    }
  return TRUE;
}

/* CAST of a pointer. */
gboolean
ls_evaluate_pointer (LsEvaluation *e, LsUOp *u)
{
  LsEvaluated *s = ls_evaluation_value (e, u->src[0]);
  if (!s)
    return TRUE;      /* of a buffer itself */
  LsEvaluated *x = ranged (e, u, 1, s->lanes);
  if (e->error)
    return FALSE;
  take_gates (x, s->open != NULL);
  for (guint64 i = 0; i < x->n; i++)
    take_lane (x, i, s, i);
  return TRUE;
}

/* The buffer behind a pointer, or NULL with the error said. */
static const LsEvalBuffer *
buffer_behind (LsEvaluation *e, const LsUOp *u)
{
  const LsUOp *p = u->src[0];
  while (p->n_src > 0 && (p->op == LS_OP_INDEX || p->op == LS_OP_UNROLL || p->op == LS_OP_VECTORIZE || p->op == LS_OP_GEP ||
                          p->op == LS_OP_CAST))
    p = p->src[0];
  const LsEvalBuffer *b = p->op == LS_OP_DEFINE_GLOBAL ? ls_evaluation_buffer (e, p->arg.i) : NULL;
  if (!b)
    ls_evaluation_fail (e, LS_FAULT, LS_FAULT_NO_BUFFER, u, "there is no such buffer");
  return b;
}

/* The memory of a lane, NULL where its gate is closed or, with the error said, outside of the buffer. */
static guint8 *
locate (LsEvaluation *e, const LsUOp *u, const LsEvalBuffer *b, const LsEvaluated *at, const LsEvaluated *x, const gint64 *index, guint l)
{
  guint64 from = lane_at (at, x, index, l);
  gint64 element = at->v[from].i;
  if (!is_open (at, from))
    return NULL;
  if (at->lanes == 1 && __builtin_add_overflow (element, (gint64) l, &element))
    element = -1;
  if (element < 0 || (guint64) element >= b->n) {
    ls_evaluation_fail (e, LS_FAULT, LS_FAULT_OUTSIDE, u, "the index is outside the buffer");
    return NULL;
  }
  return b->data + (gsize) element * ls_dtype_itemsize (b->dtype);
}

gboolean
ls_evaluate_load (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = buffer_behind (e, u);
  LsEvaluated *x = ranged (e, u, u->n_src, lanes_of (u)), *at = ls_evaluation_value (e, u->src[0]),
              *alt = u->n_src > 1 ? ls_evaluation_value (e, u->src[1]) : NULL;
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  if (e->error)
    return FALSE;
  if (!at || (at->lanes > 1 && at->lanes != x->lanes))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its pointer has no value for each lane");
  for (guint64 i = 0; i < x->n; i += x->lanes, ls_evaluated_step (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      const guint8 *memory = locate (e, u, b, at, x, index, l);
      if (e->error)
        return FALSE;
      x->v[i + l] = memory ? ls_scalar_load (b->dtype, memory) : alt ? alt->v[lane_at (alt, x, index, l)] : (LsScalar) { 0 };
    }
  return TRUE;
}

/* Its values are those that it stores; the state of a gate goes with each. */
gboolean
ls_evaluate_store (LsEvaluation *e, LsUOp *u)
{
  const LsEvalBuffer *b = buffer_behind (e, u);
  LsEvaluated *at = ls_evaluation_value (e, u->src[0]), *s = ls_evaluation_value (e, u->src[1]);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  if (e->error)
    return FALSE;
  if (!at || !s || (at->lanes > 1 && s->lanes > 1 && at->lanes != s->lanes))
    return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "its sources have no value for each lane");
  LsEvaluated *x = ranged (e, u, 2, MAX (at->lanes, s->lanes));
  if (e->error)
    return FALSE;
  take_gates (x, at->open != NULL);
  for (guint64 i = 0; i < x->n; i += x->lanes, ls_evaluated_step (x, index))
    for (guint l = 0; l < x->lanes; l++) {
      guint8 *memory = locate (e, u, b, at, x, index, l);
      if (e->error)
        return FALSE;
      x->v[i + l] = s->v[lane_at (s, x, index, l)];
      if (x->open)
        x->open[i + l] = memory != NULL;
      if (memory)
        ls_scalar_store (b->dtype, memory, x->v[i + l]);
    }
  return TRUE;
}

/* VCONST, GEP and VECTORIZE, of pointers too. */
gboolean
ls_evaluate_lanes (LsEvaluation *e, LsUOp *u)
{
  gboolean is_gep = u->op == LS_OP_GEP, gated = FALSE;
  guint lanes = u->op == LS_OP_VECTORIZE ? u->n_src : u->arg.n;
  LsEvaluated *x = ranged (e, u, u->n_src, lanes);
  gint64 index[LS_MOST_VALUE_AXES] = { 0 };
  for (guint l = 0; l < lanes && u->op == LS_OP_VCONST && !e->error; l++)
    x->v[l] = ls_scalar_from_arg (ls_dtype_scalar (u->dtype), ls_arg_int (u->arg.ints[l]));
  for (guint k = 0; k < u->n_src && !e->error; k++) {
    const LsEvaluated *s = ls_evaluation_value (e, u->src[k]);
    if (!s)
      return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "a source has no value");
    gated |= s->open != NULL;
  }
  if (e->error || u->op == LS_OP_VCONST)
    return !e->error;
  take_gates (x, gated);
  for (guint64 i = 0; i < x->n; i += x->lanes, ls_evaluated_step (x, index))
    for (guint l = 0; l < lanes; l++) {
      const LsEvaluated *s = ls_evaluation_value (e, u->src[is_gep ? 0 : l]);
      guint64 from = ls_evaluated_element (s, x, index) * s->lanes + (is_gep ? (guint64) u->arg.ints[l] : 0);
      if (from >= s->n)
        return ls_evaluation_fail (e, LS_ERROR, LS_ERROR_SPEC, u, "there is no such lane");
      take_lane (x, i + l, s, from);
    }
  return TRUE;
}
