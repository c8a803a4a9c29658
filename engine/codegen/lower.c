/* Builders of lower.rules: axes become ranges, views become indices with validity.
 *
 * Adjacent axes that every view of the kernel steps through like one axis become one range; it carries the number of its innermost axis, so that
 * options can name axes as the AST shows them. Axes of size 1 have no range.
 */
#include "codegen.h"

#include "ir/view.h"
#include "rules/builtin.h"

#include <string.h>

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
ls_lower_prepare (LsContext *ctx, LsUOp *ast, LsLowerUser *user)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, ast);
  gint64 full[LS_MAX_AXES];
  gboolean reduce[LS_MAX_AXES] = { FALSE }, join[LS_MAX_AXES];
  memset (user, 0, sizeof *user);
  for (guint i = 0; i < LS_MAX_AXES; i++) {
    full[i] = 1;
    join[i] = TRUE;
  }
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_REDUCE_AXIS) {
      for (guint k = 0; k < u->arg.n; k++)
        reduce[u->arg.ints[k]] = TRUE;
    } else if (u->op == LS_OP_VIEW) {
      const LsView *v = u->arg.tracker->views[u->arg.tracker->n_views - 1];
      user->n_full = MAX (user->n_full, v->n);
      for (guint k = 0; k < v->n; k++) {
        full[k] = MAX (full[k], v->shape[k]);
        if (k + 1 < v->n && join[k])
          join[k] = joins (v, k);
      }
    }
  }
  for (guint k = 0; k < user->n_full; k++) {
    /* an axis of size 1 goes with its neighbour whatever that is */
    gboolean with = k > 0 && ((join[k - 1] && reduce[k - 1] == reduce[k]));
    if (!with)
      user->n++;
    user->group[k] = user->n - 1;
  }
  for (guint g = 0; g < user->n; g++) {
    gint64 size = 1, axis = 0;
    gboolean is_reduce = FALSE;
    for (guint k = 0; k < user->n_full; k++)
      if (user->group[k] == g) {
        size *= full[k];
        if (full[k] != 1 || size == 1)
          axis = k;
        is_reduce |= reduce[k] && full[k] > 1;
      }
    user->ranges[g] = size == 1 ? NULL : ls_range_new (ctx, LS_INDEX, size, axis, is_reduce ? LS_AXIS_REDUCE : LS_AXIS_LOOP, 0);
  }
}

/* Index and validity of a view over the kernel's ranges. */
static void
view_index (LsContext *ctx, const LsLowerUser *user, const LsTracker *t, LsUOp **index, LsUOp **valid)
{
  LsShape shape = ls_tracker_shape (t);
  gint64 merged[LS_MAX_AXES];
  for (guint g = 0; g < user->n; g++)
    merged[g] = 1;
  for (guint k = 0; k < shape.n; k++)
    merged[user->group[k]] *= shape.dims[k];
  if (user->n != shape.n)
    t = ls_tracker_movement (ctx, t, LS_OP_RESHAPE, ls_arg_ints (ctx, user->n, merged), TRUE);
  LsUOp *axes[LS_MAX_AXES], *zero = ls_uop_const_i (ctx, LS_INDEX, 0);
  for (guint g = 0; g < user->n; g++)
    axes[g] = merged[g] == 1 || !user->ranges[g] ? zero : user->ranges[g];
  ls_tracker_expr (ctx, t, axes, index, valid);
}

static LsUOp *
lower_load (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *load = args[0], *index, *valid;
  view_index (ctx, user, load->src[1]->arg.tracker, &index, &valid);
  LsUOp *global = load->src[0], *src[3] = { global, index, valid };
  LsUOp *at = ls_uop_new (ctx, LS_OP_INDEX, global->dtype, valid ? 3 : 2, src, ls_arg_none ());
  if (!valid)
    return ls_uop_new1 (ctx, LS_OP_LOAD, load->dtype, at, ls_arg_none ());
  return ls_uop_new2 (ctx, LS_OP_LOAD, load->dtype, at, ls_uop_const_i (ctx, load->dtype, 0), ls_arg_none ());
}

static LsUOp *
lower_const (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *c = args[0], *index, *valid;
  LsUOp *plain = ls_uop_new0 (ctx, LS_OP_CONST, c->dtype, c->arg);
  view_index (ctx, user, c->src[0]->arg.tracker, &index, &valid);
  return valid ? ls_uop_alu3 (ctx, LS_OP_WHERE, valid, plain, ls_uop_const_i (ctx, c->dtype, 0)) : plain;
}

static LsUOp *
lower_store (LsContext *ctx, guint n, LsUOp *const *args, gpointer user)
{
  LsUOp *store = args[0], *index, *valid;
  view_index (ctx, user, store->src[1]->arg.tracker, &index, &valid);
  LsUOp *src[3] = { store->src[0], index, valid };
  LsUOp *at = ls_uop_new (ctx, LS_OP_INDEX, store->src[0]->dtype, valid ? 3 : 2, src, ls_arg_none ());
  return ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, at, store->src[2], ls_arg_none ());
}

static LsUOp *
lower_reduce (LsContext *ctx, guint n_args, LsUOp *const *args, gpointer data)
{
  const LsLowerUser *user = data;
  LsUOp *reduce = args[0], *src[LS_MAX_AXES + 1];
  guint n = 0;
  src[n++] = reduce->src[0];
  for (guint g = 0; g < user->n; g++) {
    gboolean inside = FALSE;
    for (guint k = 0; k < reduce->arg.n; k++)
      inside |= user->group[reduce->arg.ints[k]] == g;
    if (inside && user->ranges[g])
      src[n++] = user->ranges[g];
  }
  return n == 1 ? src[0] : ls_uop_new (ctx, LS_OP_REDUCE, reduce->dtype, n, src, ls_arg_op_ints (ctx, reduce->arg.op, 0, NULL));
}

void
ls_lower_register (void)
{
  ls_builder_register ("lower_load", lower_load);
  ls_builder_register ("lower_const", lower_const);
  ls_builder_register ("lower_store", lower_store);
  ls_builder_register ("lower_reduce", lower_reduce);
}
