/* GROUP splits a reduce in two stages; work items do the first one if they share memory (partials.c). */
#include "option.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why;
  if (ls_range_type (q->range) != LS_AXIS_REDUCE)
    return "the axis is not a reduce axis";
  if ((why = ls_option_refuse_rest (q)))
    return why;
  if (ls_range_size (q->range) == q->opt->amount)
    return "the amount is the whole axis, so the first stage would have no loop";
  gboolean shared = ls_partials_are_shared (q->target, q->settings);
  if (shared && q->has_groups)
    return "the kernel already has a GROUP of work items";
  if (shared && ((why = ls_option_refuse_group (q)) || (why = ls_option_refuse_partials (ctx, q, q->range))))
    return why;
  ls_option_split (ctx, q, LS_AXIS_REDUCE, pass);
  pass->outer = q->range->arg;
  pass->groups = TRUE;
  return NULL;
}

const LsOption ls_option_group = {
  .name = "GROUP", .sentence = "A two-stage reduction: N partial results, each over every N-th value, then their reduction.",
          .number = "AMOUNT", .least = 2, .most = 1024,
  .inner = LS_AXIS_GROUP, .refuse = refuse, .estimate = ls_estimate_split,
};
