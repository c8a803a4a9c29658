/* Kernel options: their text, why one is refused, and the terms of options.rules that split ranges. heuristic.c chooses them.
 *
 * UPCAST computes several neighbouring values of an output axis in one turn, UNROLL several turns of a reduce axis, LOCAL makes part of an axis
 * the work items of one group. Each is a split of one range: i becomes i*amount + inner. A range is an axis, a part of it and a type; the part that options
 * split is number 0, and each one that is split off gets the next number, so that any sequence of splits is right.
 */
#include "codegen.h"

#include <string.h>

#define X(name, inner, sentence) { #name, LS_AXIS_##inner, sentence },
const LsOptInfo ls_opt_infos[LS_N_OPTS] = { LS_OPT_TABLE (X) };
#undef X

static void
opt_clear (gpointer data)
{
  g_free (((LsOpt *) data)->reason);
}

GArray *
ls_opts_new (void)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOpt));
  g_array_set_clear_func (out, opt_clear);
  return out;
}

GArray *
ls_opts_parse (const char *text, GError **error)
{
  g_autoptr (GArray) out = ls_opts_new ();
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
