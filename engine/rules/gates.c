/* Terms of gates.rules: reduces that have a closed form. */
#include "linear.h"
#include "rules.h"

#include "ir/eval.h"

/* The reduce without one of its ranges, over another value. */
static LsUOp *
without_range (LsContext *ctx, LsUOp *reduce, LsUOp *value, guint drop)
{
  LsUOp *src[64];
  guint n = 0;
  if (reduce->n_src > G_N_ELEMENTS (src))
    return NULL;
  src[n++] = value;
  for (guint i = 1; i < reduce->n_src; i++)
    if (i != drop)
      src[n++] = reduce->src[i];
  return n == 1 ? value : ls_uop_new (ctx, LS_OP_REDUCE, reduce->dtype, n, src, reduce->arg);
}

static LsUOp *
invariant (LsContext *ctx, LsUOp *u)
{
  LsUOp *v = u->op == LS_OP_REDUCE && u->n_src > 1 ? u->src[0] : NULL;
  if (!v || v->dtype != u->dtype)
    return NULL;
  for (guint i = 1; i < u->n_src; i++) {
    LsUOp *r = u->src[i];
    if (r->op != LS_OP_RANGE || r->src[0]->op != LS_OP_CONST || ls_uop_depends (ctx, v, r))
      continue;
    if (u->arg.op == LS_OP_MAX)
      return without_range (ctx, u, v, i);
    if (u->arg.op == LS_OP_ADD && !ls_dtype_is_float (u->dtype) && !ls_dtype_is_bool (u->dtype))
      return without_range (ctx, u, ls_uop_alu2 (ctx, LS_OP_MUL, v, ls_uop_const_i (ctx, u->dtype, r->src[0]->arg.i)), i);
  }
  return NULL;
}

/* Sum over r in [0, n) of (l < k ? a : b), l linear in r with coefficient 1 or -1: the number m of r with l < k is a clamp. */
static LsUOp *
counted (LsContext *ctx, LsUOp *u, LsUOp *running, gint64 below, LsUOp *a, LsUOp *b)
{
  LsLinear l;
  if (u->op != LS_OP_REDUCE || ls_dtype_is_float (u->dtype) || ls_dtype_is_bool (u->dtype) || ls_dtype_lanes (u->dtype) > 1 ||
      u->src[0]->dtype != u->dtype ||
      ls_dtype_base (running->dtype) != LS_BASE_INDEX || !ls_linear_from (running, &l))
    return NULL;
  for (guint i = 1; i < u->n_src; i++) {
    LsUOp *r = u->src[i];
    if (r->op != LS_OP_RANGE || r->src[0]->op != LS_OP_CONST || ls_uop_depends (ctx, a, r) || ls_uop_depends (ctx, b, r))
      continue;
    gint64 size = r->src[0]->arg.i, coef = 0, limit;
    LsLinear rest = { .constant = 0 };
    gboolean other = FALSE;
    for (guint t = 0; t < l.n; t++)
      if (l.term[t] == r) {
        coef = l.coef[t];
      } else {
        other |= ls_uop_depends (ctx, l.term[t], r);
        rest.term[rest.n] = l.term[t];
        rest.coef[rest.n++] = l.coef[t];
      }
    if (other || (coef != 1 && coef != -1) || __builtin_sub_overflow (below, l.constant, &limit))
      continue;
    /* coef 1: r < limit - rest, m = clamp(limit - rest, 0, size); coef -1: r > rest - limit, m = clamp(size - 1 - (rest - limit), 0,
     * size) */
    for (guint t = 0; t < rest.n; t++)
      if (rest.coef[t] == G_MININT64)
        return NULL;
      else
        rest.coef[t] = -rest.coef[t];
    rest.constant = coef == 1 ? limit : limit + size - 1;
    /* where a is zero, count the others: size - m is as linear as m, and clamps alike */
    LsArg value;
    gboolean others = ls_uop_const_value (a, &value) && value.i == 0;
    if (others) {
      for (guint t = 0; t < rest.n; t++)
        rest.coef[t] = -rest.coef[t];
      rest.constant = size - rest.constant;
    }
    LsUOp *m = ls_linear_build (ctx, &rest), *zero = ls_uop_const_i (ctx, LS_INDEX, 0), *top = ls_uop_const_i (ctx, LS_INDEX, size);
    /* min(m, top) = -max(-m, -top), for which the bounds of sums know more than for a choice */
    LsUOp *minus = ls_uop_const_i (ctx, LS_INDEX, -1);
    m = ls_uop_alu2 (ctx, LS_OP_MAX, m, zero);
    m = ls_uop_alu2 (ctx, LS_OP_MAX, ls_uop_alu2 (ctx, LS_OP_MUL, m, minus), ls_uop_alu2 (ctx, LS_OP_MUL, top, minus));
    m = ls_uop_alu2 (ctx, LS_OP_MUL, m, minus);
    m = ls_uop_cast (ctx, m, u->dtype);
    /* a*m + b*(size-m), wrapping as the sum would */
    LsUOp *sum;
    if (others) {
      sum = ls_uop_alu2 (ctx, LS_OP_MUL, m, b);
    } else if (ls_uop_const_value (b, &value) && value.i == 0) {
      sum = ls_uop_alu2 (ctx, LS_OP_MUL, m, a);
    } else {
      sum = ls_uop_alu2 (ctx, LS_OP_MUL, m, ls_uop_alu2 (ctx, LS_OP_SUB, a, b));
      sum = ls_uop_alu2 (ctx, LS_OP_ADD, sum, ls_uop_alu2 (ctx, LS_OP_MUL, b, ls_uop_const_i (ctx, u->dtype, size)));
    }
    return without_range (ctx, u, sum, i);
  }
  return NULL;
}

#define MOST_CONDITIONS 16

/* The conditions that all must hold for u. FALSE: too many. */
static gboolean
conditions (LsUOp *u, LsUOp **out, guint *n)
{
  if (u->op == LS_OP_AND)
    return conditions (u->src[0], out, n) && conditions (u->src[1], out, n);
  if (*n == MOST_CONDITIONS)
    return FALSE;
  out[(*n)++] = u;
  return TRUE;
}

/* The range that c is, counted in c's own dtype without wrapping; or NULL. */
static LsUOp *
counting (LsUOp *c)
{
  LsUOp *r = c->op == LS_OP_CAST ? c->src[0] : c;
  if (r->op != LS_OP_RANGE || r->src[0]->op != LS_OP_CONST || ls_dtype_base (r->dtype) != LS_BASE_INDEX)
    return NULL;
  gboolean index = ls_dtype_base (c->dtype) == LS_BASE_INDEX,
           whole = index || (!ls_dtype_is_float (c->dtype) && !ls_dtype_is_bool (c->dtype));
  return whole && (index || (guint64) r->src[0]->arg.i <= ls_dtype_max_u (c->dtype)) ? r : NULL;
}

/* Sum over r in [0, n) of (r == k and rest ? x : 0), k the same for all r: x and rest at r = k where 0 <= k < n, else 0. x is looked at
 * within [0, n) in any case, so that no load leaves its buffer. For a float the sum would be 0.0 where x is -0.0. */
static LsUOp *
gathered (LsContext *ctx, LsUOp *u, LsUOp *condition, LsUOp *x)
{
  LsUOp *all[MOST_CONDITIONS];
  guint n = 0;
  if (u->op != LS_OP_REDUCE || x->dtype != u->dtype || ls_dtype_lanes (u->dtype) > 1 || ls_dtype_is_bool (u->dtype) ||
      !conditions (condition, all, &n))
    return NULL;
  for (guint c = 0; c < n; c++)
    for (guint side = 0; side < 2 && all[c]->op == LS_OP_CMPEQ; side++) {
      LsUOp *r = counting (all[c]->src[side]), *k = all[c]->src[1 - side];
      guint at = 1;
      while (at < u->n_src && u->src[at] != r)
        at++;
      /* an unsigned number of 64 bits may not fit an index */
      if (!r || at == u->n_src || ls_dtype_base (k->dtype) == LS_BASE_UINT64 || ls_uop_depends (ctx, k, r))
        continue;
      LsUOp *zero = ls_uop_const_i (ctx, LS_INDEX, 0), *size = ls_uop_const_i (ctx, LS_INDEX, r->src[0]->arg.i),
            *last = ls_uop_const_i (ctx, LS_INDEX, r->src[0]->arg.i - 1);
      LsUOp *i = ls_uop_cast (ctx, k, LS_INDEX), *minus = ls_uop_const_i (ctx, LS_INDEX, -1), *value = x;
      LsUOp *holds = ls_uop_alu2 (ctx, LS_OP_AND, ls_uop_alu1 (ctx, LS_OP_NOT, ls_uop_alu2 (ctx, LS_OP_CMPLT, i, zero)),
                                  ls_uop_alu2 (ctx, LS_OP_CMPLT, i, size));
      /* min(i, last) = -max(-i, -last), for which the bounds of sums know more than for a choice */
      LsUOp *within = ls_uop_alu2 (ctx, LS_OP_MAX, ls_uop_alu2 (ctx, LS_OP_MUL, ls_uop_alu2 (ctx, LS_OP_MAX, i, zero), minus),
                                   ls_uop_alu2 (ctx, LS_OP_MUL, last, minus));
      within = ls_uop_alu2 (ctx, LS_OP_MUL, within, minus);
      for (guint other = 0; other < n; other++)
        if (other != c)
          holds = ls_uop_alu2 (ctx, LS_OP_AND, holds, ls_uop_substitute (ctx, all[other], 1, &r, &within));
      value = ls_uop_alu3 (ctx, LS_OP_WHERE, holds, ls_uop_substitute (ctx, x, 1, &r, &within), ls_uop_const_i (ctx, u->dtype, 0));
      return without_range (ctx, u, value, at);
    }
  return NULL;
}

static gboolean
gather (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = gathered (call->ctx, args[0].node, args[1].node, args[2].node)) != NULL;
}

static gboolean
reduce_invariant (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = invariant (call->ctx, args[0].node)) != NULL;
}

static gboolean
reduce_count (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = counted (call->ctx, args[0].node, args[1].node, args[2].num, args[3].node, args[4].node)) != NULL;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_gates_terms[] = {
  /* which of the ranges it is that a value does not depend on is a search through the value */
  { "reduce_invariant", NULL, V (NODE), 1, { V (NODE) }, reduce_invariant,
    "The reduce without a range that its value does not depend on.", TRUE },
  { "reduce_count", NULL, V (NODE), 5, { V (NODE), V (NODE), V (NUM), V (NODE), V (NODE) }, reduce_count,
    "A sum over WHERE(index < number, constant, constant), without the range of the index.", TRUE },
  /* finding the condition that names one of the ranges is a search; nodes that depend on the range are rebuilt */
  { "gather", NULL, V (NODE), 3, { V (NODE), V (NODE), V (NODE) }, gather,
    "A sum over WHERE(index == number, x, 0), without the range of the index: x at that number.",
    TRUE },
  { NULL },
};
