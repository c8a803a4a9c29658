/* UPCAST computes several neighbouring values of an output axis in one iteration. */
#include "option.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why;
  if (ls_range_type (q->range) == LS_AXIS_REDUCE)
    return "the axis is a reduce axis; use UNROLL";
  if ((why = ls_option_refuse_rest (q)) || (why = ls_option_refuse_values (q)) || (why = ls_option_refuse_partials (ctx, q, NULL)))
    return why;
  ls_option_split (ctx, q, ls_range_type (q->range), pass);
  return NULL;
}

const LsOption ls_option_upcast = {
  .name = "UPCAST", .sentence = "Several neighbouring values of an output axis are computed in one iteration.", .number = "AMOUNT",
          .least = 2, .most = 1024,
  .inner = LS_AXIS_UPCAST, .traits = LS_OPTION_APPENDS, .refuse = refuse, .estimate = ls_estimate_expand,
};
