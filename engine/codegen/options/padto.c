/* PADTO extends a range, and adds gates to the nodes that depend on it. */
#include "option.h"

#include "ir/eval.h"

#include <math.h>

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  gint64 size = ls_range_size (q->range), multiple = q->opt->amount, rest = size % multiple;
  if (rest == 0)
    return "the axis is already such a multiple";
  if (size > G_MAXINT64 - multiple)
    return "the axis would be too long";
  LsUOp *r = q->range;
  pass->range = r;
  pass->amount = size - rest + multiple;
  pass->outer = r->arg;
  pass->padded = ls_uop_new1 (ctx, LS_OP_RANGE, r->dtype, ls_uop_const_i (ctx, r->dtype, pass->amount), r->arg);
  pass->inside = ls_uop_alu2 (ctx, LS_OP_CMPLT, pass->padded, ls_uop_const_i (ctx, r->dtype, size));
  return NULL;
}

static void
estimate (LsEstimate *e, guint axis, const LsOpt *opt)
{
  if (axis == e->n)
    return;
  double padded = ceil (e->left[axis] / (double) opt->amount) * (double) opt->amount;
  e->padding *= padded / e->left[axis];
  e->left[axis] = padded;
}

const LsOption ls_option_padto = {
  .name = "PADTO", .sentence = "Extends an axis to a multiple; elements beyond its end are not loaded or stored, and a reduce gets its "
                               "neutral element.", .number = "MULTIPLE", .least = 2, .most = 1024,
  .inner = LS_AXIS_LOOP, .refuse = refuse, .estimate = estimate,
};
