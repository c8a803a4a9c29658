/* Matching a compiled rule at a node, and building its result.
 *
 * A pattern is matched from its root; names are bound on the way, and a name met again must stand for the same node. Where both
 * orders of two sources are possible the matcher comes back to the second order if the first did not lead to a whole match: the
 * rest of the match is a chain of frames on the C stack, as deep as the pattern, never as deep as the graph.
 */
#include "rules-private.h"
#include "ir/eval.h"

#include <math.h>
#include <string.h>

/* What remains to be matched. */
typedef struct _Todo Todo;
struct _Todo { const Pat *pat; LsUOp *node; const Todo *next; };

static gboolean match (const Pat *pat, LsUOp *node, const Todo *todo, LsUOp **slots);

static inline gboolean
go_on (const Todo *todo, LsUOp **slots)
{
  return todo == NULL || match (todo->pat, todo->node, todo->next, slots);
}

static gboolean
same_const (const LsUOp *a, const LsUOp *b)
{
  LsArg x, y;
  return a == b || (ls_uop_const_value (a, &x) && ls_uop_const_value (b, &y) && ls_arg_equal (x, y));
}

static gboolean
bind_and_go (const Pat *pat, LsUOp *node, const Todo *todo, LsUOp **slots)
{
  if (pat->slot < 0)
    return go_on (todo, slots);
  LsUOp *old = slots[(int) pat->slot];
  if (old)
    return (old == node || (pat->kind == PAT_CONST && same_const (old, node))) && go_on (todo, slots);
  slots[(int) pat->slot] = node;
  if (go_on (todo, slots))
    return TRUE;
  slots[(int) pat->slot] = NULL;
  return FALSE;
}

static gboolean
literal_matches (const Pat *pat, const LsUOp *node)
{
  LsArg v;
  if (!ls_uop_const_value (node, &v))
    return FALSE;
  if (v.kind == LS_ARG_INT)
    return !pat->literal_float && v.i == pat->literal_i;
  if (v.kind == LS_ARG_FLOAT)
    return v.f == pat->literal_f && signbit (v.f) == signbit (pat->literal_f);
  return FALSE;
}

/* Could the node match at its root? Cheap, to choose the order of sources. */
static inline gboolean
plausible (const Pat *pat, const LsUOp *node)
{
  if (!(pat->bases >> ls_dtype_base (node->dtype) & 1))
    return FALSE;
  switch (pat->kind) {
  case PAT_ANY: return TRUE;
  case PAT_OP: return ls_ops_has (pat->ops, node->op);
  default: return node->op == LS_OP_CONST || node->op == LS_OP_VECTORIZE;
  }
}

static gboolean
match_sources (const Pat *pat, LsUOp *node, const Todo *todo, guint i, LsUOp **slots)
{
  /* sources are put on the to-do list from the last to the first */
  if (i == 0)
    return bind_and_go (pat, node, todo, slots);
  if (!plausible (pat->src[i - 1], node->src[i - 1]))
    return FALSE;
  Todo t = { pat->src[i - 1], node->src[i - 1], todo };
  return match_sources (pat, node, &t, i - 1, slots);
}

static gboolean
match (const Pat *pat, LsUOp *node, const Todo *todo, LsUOp **slots)
{
  if (!plausible (pat, node))
    return FALSE;
  switch (pat->kind) {
  case PAT_ANY:
    return bind_and_go (pat, node, todo, slots);
  case PAT_CONST:
    return ls_uop_const_value (node, NULL) && bind_and_go (pat, node, todo, slots);
  case PAT_LITERAL:
    return literal_matches (pat, node) && go_on (todo, slots);
  default:
    if (pat->rest ? node->n_src < pat->n_src : node->n_src != pat->n_src)
      return FALSE;
    if (pat->arg_op >= 0 && (node->arg.kind != LS_ARG_OP_INTS || node->arg.op != pat->arg_op))
      return FALSE;
    if (match_sources (pat, node, todo, pat->n_src, slots))
      return TRUE;
    if (pat->commutative && node->src[0] != node->src[1] && plausible (pat->src[0], node->src[1]) && plausible (pat->src[1], node->src[0])) {
      Todo second = { pat->src[1], node->src[0], todo };
      Todo first = { pat->src[0], node->src[1], &second };
      return bind_and_go (pat, node, &first, slots);
    }
    return FALSE;
  }
}

/* --- guards --- */

static gboolean
num_value (const Num *n, LsUOp **slots, gint64 *out)
{
  gint64 a, b;
  LsArg v;
  LsUOp *u = n->kind == NUM_CONST || n->kind == NUM_MIN || n->kind == NUM_MAX || n->kind == NUM_DIVISOR ? slots[(int) n->slot] : NULL;
  switch (n->kind) {
  case NUM_INT: *out = n->value; return TRUE;
  case NUM_CONST:
    if (!u || !ls_uop_const_value (u, &v) || v.kind != LS_ARG_INT)
      return FALSE;
    *out = v.i;
    return TRUE;
  case NUM_MIN: *out = u ? u->vmin : 0; return u && !ls_dtype_is_float (u->dtype);
  case NUM_MAX: *out = u ? u->vmax : 0; return u && !ls_dtype_is_float (u->dtype);
  case NUM_DIVISOR: *out = u ? ls_uop_divisor (NULL, u) : 1; return u != NULL;
  case NUM_NEG: return num_value (n->a, slots, &a) && !__builtin_sub_overflow ((gint64) 0, a, out);
  default: break;
  }
  if (!num_value (n->a, slots, &a) || !num_value (n->b, slots, &b))
    return FALSE;
  switch (n->kind) {
  case NUM_ADD: return !__builtin_add_overflow (a, b, out);
  case NUM_SUB: return !__builtin_sub_overflow (a, b, out);
  case NUM_MUL: return !__builtin_mul_overflow (a, b, out);
  case NUM_DIV: case NUM_MOD: {
    if (b == 0 || (b == -1 && a == G_MININT64))
      return FALSE;
    gint64 q = a / b - (a % b != 0 && (a < 0) != (b < 0));
    *out = n->kind == NUM_DIV ? q : a - q * b;
    return TRUE;
  }
  default: return FALSE;
  }
}

static gboolean
cond_holds (const Cond *c, LsContext *ctx, LsUOp *node, LsUOp **slots, gpointer user)
{
  gboolean yes = FALSE;
  gint64 a, b;
  if (c->kind == COND_CALL) {
    LsUOp *args[LS_MAX_SLOTS];
    for (guint i = 0; i < c->n_args; i++)
      args[i] = c->args[i] == SLOT_SELF ? node : slots[(int) c->args[i]];
    yes = c->guard (ctx, c->n_args, args, user);
    return yes != c->negate;
  }
  if (!num_value (c->a, slots, &a) || !num_value (c->b, slots, &b))
    return FALSE;
  switch (c->kind) {
  case COND_EQ: yes = a == b; break;
  case COND_NE: yes = a != b; break;
  case COND_LT: yes = a < b; break;
  case COND_LE: yes = a <= b; break;
  case COND_GT: yes = a > b; break;
  default:      yes = a >= b; break;
  }
  return yes != c->negate;
}

/* --- results --- */

static LsUOp *
literal_node (LsContext *ctx, const Pat *pat, LsDType dtype)
{
  if (ls_dtype_is_float (dtype))
    return ls_uop_const_f (ctx, dtype, pat->literal_f);
  return ls_uop_const_i (ctx, dtype, pat->literal_float ? ls_eval_cast (LS_INT64, LS_DOUBLE, (LsScalar) { .f = pat->literal_f }).i : pat->literal_i);
}

/* The dtype that a part of the result shows by itself; LS_VOID when only its surroundings say. */
static LsDType
own_dtype (const Pat *pat, LsUOp **slots)
{
  if (pat->dtype_slot >= 0)
    return slots[(int) pat->dtype_slot]->dtype;
  if ((pat->kind == PAT_ANY || pat->kind == PAT_CONST) && pat->slot >= 0)
    return slots[(int) pat->slot]->dtype;
  if (pat->kind == PAT_OP) {
    for (guint op = LS_OP_CMPLT; op <= LS_OP_CMPNE; op++)
      if (ls_ops_has (pat->ops, op)) {
        for (guint i = 0; i < 2; i++) {
          LsDType d = own_dtype (pat->src[i], slots);
          if (d != LS_VOID)
            return ls_dtype_vec (LS_BOOL, ls_dtype_lanes (d));
        }
        return LS_BOOL;
      }
    for (guint i = ls_ops_has (pat->ops, LS_OP_WHERE) ? 1 : 0; i < pat->n_src; i++) {
      LsDType d = own_dtype (pat->src[i], slots);
      if (d != LS_VOID)
        return d;
    }
  }
  return LS_VOID;
}

static LsUOp *
build (LsContext *ctx, const Pat *pat, LsUOp **slots, LsUOp *root, LsDType hint)
{
  if (pat->kind == PAT_ANY || pat->kind == PAT_CONST)
    return slots[(int) pat->slot];
  LsDType own = pat->dtype_slot >= 0 ? slots[(int) pat->dtype_slot]->dtype : LS_VOID;
  if (pat->kind == PAT_LITERAL)
    return literal_node (ctx, pat, own != LS_VOID ? own : hint);
  guint op = 0;
  while (!ls_ops_has (pat->ops, op))
    op++;
  LsDType inner = hint;
  if (ls_op_is_comparison (op)) {
    inner = own_dtype (pat->src[0], slots);
    if (inner == LS_VOID)
      inner = own_dtype (pat->src[1], slots);
  } else {
    LsDType d = LS_VOID;
    for (guint i = op == LS_OP_WHERE ? 1 : 0; i < pat->n_src && d == LS_VOID; i++)
      d = own_dtype (pat->src[i], slots);
    if (d != LS_VOID)
      inner = d;
  }
  LsUOp *src[8];
  guint n = MIN (pat->n_src, G_N_ELEMENTS (src));
  for (guint i = 0; i < n; i++) {
    src[i] = build (ctx, pat->src[i], slots, root, op == LS_OP_WHERE && i == 0 ? ls_dtype_vec (LS_BOOL, ls_dtype_lanes (hint)) : inner);
    if (!src[i])      /* a constant that does not fit */
      return NULL;
  }
  if (pat->fold) {
    LsScalar v[8];
    LsArg arg;
    for (guint i = 0; i < n; i++) {
      if (!ls_uop_const_value (src[i], &arg))
        return NULL;
      v[i] = ls_scalar_from_arg (ls_dtype_scalar (src[i]->dtype), arg);
    }
    LsDType d = ls_op_is_comparison (op) ? ls_dtype_vec (LS_BOOL, ls_dtype_lanes (src[0]->dtype)) : src[n - 1]->dtype;
    LsScalar r = ls_eval_alu (op, ls_dtype_scalar (d), ls_dtype_scalar (src[n - 1]->dtype), v);
    LsUOp *c = ls_dtype_is_float (d) ? ls_uop_const_f (ctx, d, r.f) : ls_uop_const_i (ctx, d, r.i);
    /* mathematical integers that do not fit are no constants */
    if (ls_dtype_base (d) == LS_BASE_INDEX && n == 2) {
      gint64 exact;
      if ((op == LS_OP_ADD && __builtin_add_overflow (v[0].i, v[1].i, &exact)) || (op == LS_OP_SUB && __builtin_sub_overflow (v[0].i, v[1].i, &exact)) ||
          (op == LS_OP_MUL && __builtin_mul_overflow (v[0].i, v[1].i, &exact)))
        return NULL;
    }
    return c;
  }
  if (own == LS_VOID && ls_op_is_alu (op))
    return ls_uop_alu (ctx, op, n, src);
  return ls_uop_new (ctx, op, own != LS_VOID ? own : root->dtype, n, src, op == root->op ? root->arg : ls_arg_none ());
}

gboolean ls_pattern_literal_matches (const Pat *pat, const LsUOp *node) { return literal_matches (pat, node); }
gboolean ls_num_value (const Num *n, LsUOp **slots, gint64 *out) { return num_value (n, slots, out); }
gboolean ls_cond_holds (const Cond *c, LsContext *ctx, LsUOp *node, LsUOp **slots, gpointer user) { return cond_holds (c, ctx, node, slots, user); }

gboolean
ls_rule_match_pattern (const Rule *rule, LsUOp *node, LsUOp **slots)
{
  memset (slots, 0, rule->n_slots * sizeof *slots);
  return match (rule->pattern, node, NULL, slots);
}

LsUOp *
ls_rule_run (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer user, LsUOp **slots)
{
  if (!ls_rule_match_pattern (rule, node, slots))
    return NULL;
  for (guint i = 0; i < rule->n_conds; i++)
    if (!cond_holds (&rule->conds[i], ctx, node, slots, user))
      return NULL;
  LsUOp *result;
  if (rule->builder) {
    LsUOp *args[LS_MAX_SLOTS];
    for (guint i = 0; i < rule->n_args; i++)
      args[i] = rule->args[i] == SLOT_SELF ? node : slots[(int) rule->args[i]];
    result = rule->builder (ctx, rule->n_args, args, user);
  } else {
    result = build (ctx, rule->result, slots, node, node->dtype);
    /* a constant bound from another dtype (a comparison's operand, say) never becomes the result itself */
    if (result && result->dtype != node->dtype && !ls_dtype_is_ptr (node->dtype) && ls_dtype_base (node->dtype) != LS_BASE_VOID &&
        rule->result->dtype_slot < 0)
      return NULL;
  }
  return result == node ? NULL : result;
}
