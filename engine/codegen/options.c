/* Kernel options: their text, the heuristic, and the builder that splits ranges.
 *
 * UPCAST computes several neighbouring values of an output axis in one turn, UNROLL several turns of a reduce axis, LOCAL makes part of an axis
 * the work items of one group. Each is a split of one range: i becomes i*amount + inner.
 */
#include "codegen.h"

#include "rules/builtin.h"
#include "rules/linear.h"

#include <string.h>

static const struct { const char *name; LsAxisType inner, outer; gboolean reduce; } opts[LS_N_OPTS] = {
  [LS_OPT_UPCAST] = { "UPCAST", LS_AXIS_UPCAST, LS_AXIS_LOOP, FALSE },
  [LS_OPT_UNROLL] = { "UNROLL", LS_AXIS_UNROLL, LS_AXIS_REDUCE, TRUE },
  [LS_OPT_LOCAL] = { "LOCAL", LS_AXIS_LOCAL, LS_AXIS_GLOBAL, FALSE },
};

GArray *
ls_opts_parse (const char *text, GError **error)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (LsOpt));
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (char **item = items; *item; item++) {
    g_auto (GStrv) parts = g_strsplit (*item, ":", -1);
    LsOpt opt = { .kind = LS_N_OPTS };
    guint64 axis, amount;
    if (**item == 0)
      continue;
    for (guint k = 0; k < LS_N_OPTS; k++)
      if (parts[0] && g_ascii_strcasecmp (parts[0], opts[k].name) == 0)
        opt.kind = k;
    if (opt.kind == LS_N_OPTS) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': there is no option '%s'; there are UPCAST, UNROLL and LOCAL", *item, parts[0]);
      return NULL;
    }
    if (g_strv_length (parts) != 3 || !g_ascii_string_to_unsigned (parts[1], 10, 0, LS_MAX_AXES - 1, &axis, NULL) ||
        !g_ascii_string_to_unsigned (parts[2], 10, 2, 1024, &amount, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': an option is written NAME:AXIS:AMOUNT, with an axis from 0 and an amount from 2 to 1024", *item);
      return NULL;
    }
    opt.axis = (guint) axis;
    opt.amount = (gint64) amount;
    g_array_append_val (out, opt);
  }
  return g_steal_pointer (&out);
}

static LsUOp *
split_range (LsContext *ctx, guint n, LsUOp *const *args, gpointer data)
{
  LsSplitUser *user = data;
  LsUOp *r = args[0];
  if (ls_range_axis (r) != user->axis || ls_range_type (r) == user->inner || r->arg.ints[2] != 0 || (ls_range_type (r) != LS_AXIS_LOOP &&
      ls_range_type (r) != LS_AXIS_REDUCE && ls_range_type (r) != LS_AXIS_GLOBAL))
    return NULL;
  gint64 size = ls_range_size (r);
  LsUOp *inner = ls_range_new (ctx, r->dtype, user->amount, user->axis, user->inner, 1 + user->inner);
  if (size == user->amount)
    return inner;
  LsUOp *outer = ls_range_new (ctx, r->dtype, size / user->amount, user->axis, user->outer, 0);
  if (outer == r)
    return NULL;
  return ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, outer, ls_uop_const_i (ctx, r->dtype, user->amount)), inner);
}

/* REDUCE's sources after its value are ranges: a split one stands there as outer*amount + inner. */
static LsUOp *
reduce_parts (LsContext *ctx, guint n_args, LsUOp *const *args, gpointer data)
{
  LsUOp *u = args[0], *src[LS_MAX_AXES + 1];
  guint n = 0;
  gboolean changed = FALSE;
  src[n++] = u->src[0];
  for (guint i = 1; i < u->n_src; i++) {
    LsUOp *s = u->src[i];
    if (n + 2 > G_N_ELEMENTS (src))
      return NULL;
    if (s->op == LS_OP_ADD && s->src[0]->op == LS_OP_MUL && s->src[0]->src[0]->op == LS_OP_RANGE && s->src[1]->op == LS_OP_RANGE) {
      src[n++] = s->src[0]->src[0];
      src[n++] = s->src[1];
      changed = TRUE;
    } else {
      src[n++] = s;
    }
  }
  return changed ? ls_uop_with_src (ctx, u, n, src) : NULL;
}

/* Number of loads and whether one of them does not move along a range: what an upcast of that range would save. */
static void
load_use (LsContext *ctx, GPtrArray *order, LsUOp *range, guint *n_loads, guint *n_still)
{
  *n_loads = *n_still = 0;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_LOAD)
      continue;
    ++*n_loads;
    *n_still += !ls_uop_depends (ctx, u->src[0], range);
  }
}

static gint64
divisor_up_to (gint64 size, gint64 most)
{
  for (gint64 d = most; d > 1; d--)
    if (size % d == 0)
      return d;
  return 1;
}

GArray *
ls_opts_choose (const LsCodegen *cg, LsUOp *lowered)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOpt));
  if (cg->settings->NOOPT)
    return out;
  g_autoptr (GPtrArray) order = ls_uop_toposort (cg->ctx, lowered);
  LsUOp *loops[LS_MAX_AXES], *reduces[LS_MAX_AXES];
  guint n_loops = 0, n_reduces = 0;
  double work = 1;
  gboolean has_reduce = FALSE;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_RANGE) {
      work *= (double) ls_range_size (u);
      if (ls_range_type (u) == LS_AXIS_REDUCE && n_reduces < LS_MAX_AXES)
        reduces[n_reduces++] = u;
      else if (n_loops < LS_MAX_AXES)
        loops[n_loops++] = u;
    }
    has_reduce |= u->op == LS_OP_REDUCE;
  }
  for (guint i = 1; i < n_loops; i++)
    for (guint k = i; k > 0 && ls_range_axis (loops[k - 1]) > ls_range_axis (loops[k]); k--) {
      LsUOp *t = loops[k];
      loops[k] = loops[k - 1];
      loops[k - 1] = t;
    }
  for (guint i = 1; i < n_reduces; i++)
    for (guint k = i; k > 0 && ls_range_axis (reduces[k - 1]) > ls_range_axis (reduces[k]); k--) {
      LsUOp *t = reduces[k];
      reduces[k] = reduces[k - 1];
      reduces[k - 1] = t;
    }
  if (cg->target->has_local) {
    /* the last output axis, as far as it fits a group */
    if (n_loops > 0) {
      LsUOp *r = loops[n_loops - 1];
      gint64 d = divisor_up_to (ls_range_size (r), MIN (ls_range_size (r), 16));
      if (ls_range_size (r) <= 16)
        d = ls_range_size (r);
      if (d > 1) {
        LsOpt opt = { LS_OPT_LOCAL, (guint) ls_range_axis (r), d };
        g_array_append_val (out, opt);
      }
    }
    return out;
  }
  gboolean classic = cg->settings->CLASSIC;
  if (!classic && work < 4096)
    return out;
  if (!has_reduce) {
    if (n_loops > 0 && ls_range_size (loops[n_loops - 1]) % 4 == 0 && order->len < 2000) {
      LsOpt opt = { LS_OPT_UPCAST, (guint) ls_range_axis (loops[n_loops - 1]), 4 };
      g_array_append_val (out, opt);
    }
    return out;
  }
  /* output axes along which a load stands still are computed four at a time: what is loaded once is used four times */
  gint64 upcast = 1;
  for (guint i = n_loops; i-- > 0 && upcast * 4 <= MIN (16, cg->settings->UPCAST_MAX);) {
    guint n_loads, n_still;
    load_use (cg->ctx, order, loops[i], &n_loads, &n_still);
    if (n_still > 0 && n_loads >= 2 && ls_range_size (loops[i]) % 4 == 0) {
      LsOpt opt = { LS_OPT_UPCAST, (guint) ls_range_axis (loops[i]), 4 };
      g_array_append_val (out, opt);
      upcast *= 4;
    }
  }
  if (n_reduces > 0 && upcast <= 4) {
    LsUOp *r = reduces[n_reduces - 1];
    if (ls_range_size (r) % 4 == 0) {
      LsOpt opt = { LS_OPT_UNROLL, (guint) ls_range_axis (r), 4 };
      g_array_append_val (out, opt);
    }
  }
  return out;
}

void
ls_options_register (void)
{
  ls_builder_register ("split_range", split_range);
  ls_builder_register ("reduce_parts", reduce_parts);
}
