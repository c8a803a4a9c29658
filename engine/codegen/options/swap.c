/* SWAP exchanges the positions of two loops (part 0); each keeps its axis, which later options use as its name, and their lanes keep
 * their order. */
#include "option.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  LsUOp *other = ls_option_loop (q->ranges, q->opt->amount);
  if (q->opt->amount == q->opt->axis)
    return "an axis can only be swapped with another one";
  if (!other)
    return "the kernel has no such other axis, or the whole axis is already expanded";
  if ((ls_range_type (q->range) == LS_AXIS_REDUCE) != (ls_range_type (other) == LS_AXIS_REDUCE))
    return "only one of the axes is a reduce axis: the loops of a reduce are inside those of its results";
  pass->range = q->range;
  pass->other = other;
  pass->inner = ls_option_range (ctx, q->opt->axis, ls_range_type (q->range), 0, ls_range_place (other));
  pass->outer = ls_option_range (ctx, q->opt->amount, ls_range_type (other), 0, ls_range_place (q->range));
  ls_opt_look_at_reduces (ctx, q->root, pass);
  return NULL;
}

/* Each pair of axes once. */
static void
ask (const GPtrArray *ranges, guint at, guint last_argument, LsOpt opt, GArray *out)
{
  for (guint k = at + 1; k < ranges->len; k++) {
    opt.amount = ls_range_axis (ranges->pdata[k]);
    g_array_append_val (out, opt);
  }
}

static guint
place_of (const LsEstimate *e, guint axis)
{
  guint at = 0;
  while (e->order[at] != axis)
    at++;
  return at;
}

static void
estimate (LsEstimate *e, guint axis, const LsOpt *opt)
{
  guint other = ls_estimate_axis (e, opt->amount);
  if (other == e->n || axis == e->n)
    return;
  guint at = place_of (e, axis), with = place_of (e, other);
  e->order[at] = other;
  e->order[with] = axis;
}

const LsOption ls_option_swap = {
  .name = "SWAP", .sentence = "Swaps two axes in the order of loops.", .number = "OTHER", .least = 0, .most = LS_MAX_AXES - 1,
  .inner = LS_AXIS_LOOP, .traits = LS_OPTION_KEEPS_SIZE, .refuse = refuse, .ask = ask, .estimate = estimate,
};
