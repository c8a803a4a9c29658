/* Kernel options: their text, the heuristic, why one is refused, and the terms of options.rules that split ranges.
 *
 * UPCAST computes several neighbouring values of an output axis in one turn, UNROLL several turns of a reduce axis, LOCAL makes part of an axis
 * the work items of one group. Each is a split of one range: i becomes i*amount + inner. A range is an axis, a part of it and a type; the part that options
 * split is number 0, and each one that is split off gets the next number, so that any sequence of splits is right.
 */
#include "codegen.h"

#include "rules/linear.h"

#include <string.h>

#define X(name, inner, sentence) { #name, LS_AXIS_##inner, sentence },
const LsOptInfo ls_opt_infos[LS_N_OPTS] = { LS_OPT_TABLE (X) };
#undef X

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
      if (parts[0] && g_ascii_strcasecmp (parts[0], ls_opt_infos[k].name) == 0)
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

/* Why the option cannot be applied to this graph, or NULL; then *pass says what is split how. */
const char *
ls_opt_refusal (LsContext *ctx, const LsTarget *target, const LsOpt *opt, LsUOp *root, LsOptionContext *pass)
{
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root);
  LsUOp *range = NULL;
  gint64 expanded = 1, group = 1, part = 0;
  for (guint i = 0; i < ranges->len; i++) {
    LsUOp *r = ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (ls_range_axis (r) == opt->axis) {
      part = MAX (part, ls_range_part (r));
      if (ls_range_part (r) == 0 && (type == LS_AXIS_LOOP || type == LS_AXIS_REDUCE || type == LS_AXIS_GLOBAL))
        range = r;
    }
    if (type == LS_AXIS_UPCAST || type == LS_AXIS_UNROLL)
      expanded *= ls_range_size (r);
    if (type == LS_AXIS_LOCAL)
      group *= ls_range_size (r);
  }
  if (!range)
    return "the kernel has no such axis, or all of it is expanded already";
  gboolean reduce = ls_range_type (range) == LS_AXIS_REDUCE;
  if (opt->kind == LS_OPT_LOCAL && !target->has_local)
    return "the target has no work groups";
  if (reduce != (opt->kind == LS_OPT_UNROLL))
    return reduce ? "the axis is reduced; UNROLL is for it" : "the axis is not reduced; UPCAST is for it";
  if (ls_range_size (range) % opt->amount != 0)
    return "the amount does not divide the axis";
  if (opt->kind != LS_OPT_LOCAL && expanded * opt->amount > 1024)
    return "more than 1024 values a turn";
  if (opt->kind == LS_OPT_LOCAL && group * opt->amount > target->max_local)
    return "the group would be larger than the target's work groups may be";
  *pass = (LsOptionContext) { range, opt->amount };
  LsAxisType outer = opt->kind == LS_OPT_LOCAL ? LS_AXIS_GLOBAL : ls_range_type (range);
  gint64 in[3] = { opt->axis, ls_opt_infos[opt->kind].inner, part + 1 }, out[3] = { opt->axis, outer, 0 };
  pass->inner = ls_arg_ints (ctx, 3, in);
  pass->outer = ls_arg_ints (ctx, 3, out);
  return NULL;
}

static gboolean
is_split (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = args[0].node == pass->range && ls_range_size (pass->range) != pass->amount;
  return TRUE;
}

static gboolean
is_taken_whole (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = args[0].node == pass->range && ls_range_size (pass->range) == pass->amount;
  return TRUE;
}

static gboolean
amount (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->num = ((const LsOptionContext *) call->pass)->amount;
  return TRUE;
}

static gboolean
inner (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->arg = &((const LsOptionContext *) call->pass)->inner;
  return TRUE;
}

static gboolean
outer (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->arg = &((const LsOptionContext *) call->pass)->outer;
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_options_terms[] = {
  { "is_split", "options", V (BOOL), 1, { V (NODE) }, is_split, "Is it the range that the option splits?" },
  { "is_taken_whole", "options", V (BOOL), 1, { V (NODE) }, is_taken_whole, "Is it the range of which the option takes the whole?" },
  { "amount", "options", V (NUM), 0, { 0 }, amount, "The option's amount." },
  { "inner", "options", V (ARG), 0, { 0 }, inner, "Axis, type and part of what is split off." },
  { "outer", "options", V (ARG), 0, { 0 }, outer, "Axis, type and part of what stays." },
  { NULL },
};

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
ls_opts_choose (LsContext *ctx, const LsSettings *settings, const LsTarget *target, LsUOp *lowered)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOpt));
  if (settings->NOOPT)
    return out;
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, lowered);
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
  if (target->has_local) {
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
  gboolean classic = settings->CLASSIC;
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
  for (guint i = n_loops; i-- > 0 && upcast * 4 <= MIN (16, settings->UPCAST_MAX);) {
    guint n_loads, n_still;
    load_use (ctx, order, loops[i], &n_loads, &n_still);
    if (n_still > 0 && n_loads >= 2 && ls_range_size (loops[i]) % 4 == 0) {
      LsOpt opt = { LS_OPT_UPCAST, (guint) ls_range_axis (loops[i]), 4 };
      g_array_append_val (out, opt);
      upcast *= 4;
    }
  }
  if (n_reduces > 0 && upcast <= 4) {
    LsUOp *r = reduces[n_reduces - 1];
    if (ls_range_size (r) % 4 == 0) {
      LsOpt opt = { LS_OPT_UNROLL, (guint) ls_range_axis (r), settings->ACC == LS_ACC_VECTOR ? divisor_up_to (ls_range_size (r), 32) : 4 };
      g_array_append_val (out, opt);
    }
  }
  return out;
}
