/* LOCAL makes part of an output axis the work items of one group. */
#include "option.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why;
  if (!q->target->has_local)
    return "the target has no work groups";
  if (ls_range_type (q->range) == LS_AXIS_REDUCE)
    return "the axis is a reduce axis; use UNROLL";
  if ((why = ls_option_refuse_rest (q)) || (why = ls_option_refuse_group (q)) || (why = ls_option_refuse_partials (ctx, q, NULL)))
    return why;
  ls_option_split (ctx, q, LS_AXIS_GLOBAL, pass);
  return NULL;
}

const LsOption ls_option_local = {
  .name = "LOCAL", .sentence = "Part of an output axis becomes the work items of one group.", .number = "AMOUNT", .least = 2, .most = 1024,
  .inner = LS_AXIS_LOCAL, .traits = LS_OPTION_APPENDS, .refuse = refuse, .estimate = ls_estimate_split,
};
