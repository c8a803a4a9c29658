/* UNROLL does several iterations of a reduce axis in one. */
#include "option.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why;
  if (ls_range_type (q->range) != LS_AXIS_REDUCE)
    return "the axis is not a reduce axis; use UPCAST";
  if ((why = ls_option_refuse_rest (q)) || (why = ls_option_refuse_values (q)))
    return why;
  ls_option_split (ctx, q, LS_AXIS_REDUCE, pass);
  ls_opt_look_at_reduces (ctx, q->root, pass);
  return NULL;
}

const LsOption ls_option_unroll = {
  .name = "UNROLL", .sentence = "Several iterations of a reduce axis are done in one.", .number = "AMOUNT", .least = 2, .most = 1024,
  .inner = LS_AXIS_UNROLL, .traits = LS_OPTION_APPENDS, .refuse = refuse, .estimate = ls_estimate_expand,
};
