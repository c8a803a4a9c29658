/* Terms of lower.rules: axes become ranges, views become indices with validity.
 *
 * Adjacent axes that every view of the kernel steps through like one axis become one range; it carries the number of its innermost
 * axis, so that options can name axes as the AST shows them. Axes of size 1 have no range.
 */
#include "codegen.h"

#include "ir/view.h"

#include <string.h>

static LsUOp *
range_of (LsContext *ctx, LsUOp *size, gint64 axis, LsAxisType type)
{
  gint64 arg[3] = { axis, type, 0 };
  return ls_uop_new1 (ctx, LS_OP_RANGE, size->dtype, size, ls_arg_ints (ctx, 3, arg));
}

LsUOp *
ls_range_new (LsContext *ctx, LsDType dtype, gint64 size, gint64 axis, LsAxisType type, gint64 part)
{
  gint64 arg[3] = { axis, type, part };
  return ls_uop_new1 (ctx, LS_OP_RANGE, dtype, ls_uop_const_i (ctx, dtype, size), ls_arg_ints (ctx, 3, arg));
}

/* May axes k and k+1 be one, as far as this view goes? */
static gboolean
joins (const LsView *v, guint k)
{
  gint64 a = v->shape[k], b = v->shape[k + 1];
  if (v->mask && (v->mask[2 * k] != 0 || v->mask[2 * k + 1] != a || v->mask[2 * k + 2] != 0 || v->mask[2 * k + 3] != b))
    return FALSE;
  return a == 1 || b == 1 || v->strides[k] == v->strides[k + 1] * b;
}

void
ls_lower_prepare (LsContext *ctx, LsUOp *ast, LsLowerContext *user)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, ast);
  gint64 full[LS_MAX_AXES];
  guint reduce[LS_MAX_AXES] = { 0 }, n_reduces = 0;      /* which reduce an axis belongs to, from 1 */
  gboolean join[LS_MAX_AXES];
  LsUOp *sizes[LS_MAX_AXES] = { NULL };      /* of axes that a variable bounds: each is a range by itself */
  memset (user, 0, sizeof *user);
  for (guint i = 0; i < LS_MAX_AXES; i++) {
    full[i] = 1;
    join[i] = TRUE;
  }
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_REDUCE_AXIS) {
      n_reduces++;
      for (guint k = 0; k < u->arg.n; k++)
        reduce[u->arg.ints[k]] = n_reduces;
    } else if (u->op == LS_OP_LIMIT) {
      sizes[u->arg.ints[0]] = u->src[1];
    } else if (u->op == LS_OP_VIEW) {
      const LsView *v = u->arg.tracker->views[u->arg.tracker->n_views - 1];
      guint first = u->dtype == LS_VOID ? u->n_src : u->n_src - 1;      /* in the axes before it variables say where */
      user->n_full = MAX (user->n_full, v->n - first);
      for (guint k = 0; first + k < v->n; k++) {
        full[k] = MAX (full[k], v->shape[first + k]);
        if (first + k + 1 < v->n && join[k])
          join[k] = joins (v, first + k);
      }
    }
  }
  for (guint k = 0; k < user->n_full; k++) {
    /* an axis of size 1 goes with its neighbour whatever that is */
    gboolean with = k > 0 && join[k - 1] && reduce[k - 1] == reduce[k] && !sizes[k - 1] && !sizes[k];
    if (!with)
      user->n++;
    user->group[k] = user->n - 1;
  }
  for (guint g = 0; g < user->n; g++) {
    gint64 size = 1, axis = 0;
    gboolean is_reduce = FALSE;
    LsUOp *bounded = NULL;
    for (guint k = 0; k < user->n_full; k++)
      if (user->group[k] == g) {
        size *= full[k];
        if (full[k] != 1 || size == 1)
          axis = k;
        is_reduce |= reduce[k] && full[k] > 1;
        bounded = sizes[k];
      }
    if (bounded) {
      user->ranges[g] = range_of (ctx, bounded, axis, is_reduce ? LS_AXIS_REDUCE : LS_AXIS_LOOP);
      continue;
    }
    user->ranges[g] = size == 1 ? NULL : ls_range_new (ctx, LS_INDEX, size, axis, is_reduce ? LS_AXIS_REDUCE : LS_AXIS_LOOP, 0);
  }
}

/* Index and validity of a view over the kernel's ranges, behind the axes in which variables say where. The rules of one view ask for
 * both, one after the other: the last answer is kept. */
static void
express (LsContext *ctx, LsLowerContext *pass, const LsTermValue *args)
{
  const LsTracker *t = args[0].view;
  guint first = args[1].n;
  if (t == pass->view && first == pass->n_at && (first == 0 || memcmp (pass->at, args[1].nodes, first * sizeof *pass->at) == 0))
    return;
  LsShape shape = ls_tracker_shape (t);
  gint64 merged[2 * LS_MAX_AXES];
  LsUOp *axes[2 * LS_MAX_AXES], *zero = ls_uop_const_i (ctx, LS_INDEX, 0);
  pass->view = t;
  pass->n_at = first;
  for (guint i = 0; i < first; i++) {
    merged[i] = shape.dims[i];
    pass->at[i] = axes[i] = args[1].nodes[i];
  }
  for (guint g = 0; g < pass->n; g++)
    merged[first + g] = 1;
  for (guint k = first; k < shape.n; k++)
    merged[first + pass->group[k - first]] *= shape.dims[k];
  if (first + pass->n != shape.n)
    t = ls_tracker_movement (ctx, t, LS_OP_RESHAPE, ls_arg_ints (ctx, first + pass->n, merged), TRUE);
  for (guint g = 0; g < pass->n; g++)
    axes[first + g] = merged[first + g] == 1 || !pass->ranges[g] ? zero : pass->ranges[g];
  ls_tracker_expr (ctx, t, axes, &pass->index, &pass->valid);
}

static gboolean
masked (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsLowerContext *pass = call->pass;
  express (call->ctx, pass, args);
  out->holds = pass->valid != NULL;
  return TRUE;
}

static gboolean
view_index (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsLowerContext *pass = call->pass;
  express (call->ctx, pass, args);
  out->node = pass->index;
  return TRUE;
}

static gboolean
view_valid (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsLowerContext *pass = call->pass;
  express (call->ctx, pass, args);
  return (out->node = pass->valid) != NULL;
}

/* The same for a view without variables as indices. */
#define ALONE(name, function) \
  static gboolean name (LsTermCall *call, const LsTermValue *args, LsTermValue *out) { \
    return function (call, (LsTermValue[]) { args[0], { .kind = LS_TERM_NODES } }, out); }
ALONE (masked_alone, masked)
ALONE (index_alone, view_index)
ALONE (valid_alone, view_valid)

static gboolean
ranges (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsLowerContext *pass = call->pass;
  LsUOp **nodes = ls_term_alloc (call, pass->n * sizeof *nodes);
  for (guint g = 0; g < pass->n; g++) {
    gboolean inside = FALSE;
    for (guint k = 0; k < args[0].n; k++)
      inside |= args[0].nums[k] >= 0 && args[0].nums[k] < pass->n_full && pass->group[args[0].nums[k]] == g;
    if (inside && pass->ranges[g])
      nodes[out->n++] = pass->ranges[g];
  }
  out->nodes = nodes;
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_lower_terms[] = {
  { "masked", "lower", V (BOOL), 1, { V (VIEW) }, masked_alone, "Does the view have a mask?" },
  { "index", "lower", V (NODE), 1, { V (VIEW) }, index_alone, "The memory index of the view's element at the kernel's ranges.", TRUE },
  { "valid", "lower", V (NODE), 1, { V (VIEW) }, valid_alone, "The condition that the view's mask includes the element at the kernel's "
                                                              "ranges.", TRUE },
  { "masked", "lower", V (BOOL), 2, { V (VIEW), V (NODES) }, masked,
    "Does the view have a mask, with the nodes as indices of its first axes?" },
  { "index", "lower", V (NODE), 2, { V (VIEW), V (NODES) }, view_index,
    "The memory index of the view's element at the kernel's ranges, with the nodes as indices of its first axes.", TRUE },
  { "valid", "lower", V (NODE), 2, { V (VIEW), V (NODES) }, view_valid,
    "The condition that the view's mask includes the element at the kernel's ranges, with the nodes as indices of its first axes.", TRUE },
  { "ranges", "lower", V (NODES), 1, { V (NUMS) }, ranges, "The ranges that the axes became." },
  { NULL },
};
