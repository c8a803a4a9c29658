/* Guards and results of a compiled rule: numbers, values, nodes.
 *
 * Everything here was checked when the rule was parsed (rule-check.c), so that kinds are not asked again. If a result cannot be made,
 * because a term declines, a number does not fit 64 bits or lanes differ, the rule does not fire.
 */
#include "rules-private.h"
#include "ir/eval.h"
#include "ir/spec.h"

#include <string.h>

#define MAX_SOURCES 4096
#define MAX_LANES   1024
#define MAX_WORK    (1u << 16)

static LsUOp *build_op    (Env *e, const Pat *pat, LsDType hint);
static LsUOp *build_value (Env *e, const Pat *pat, LsDType hint);
static gboolean call_term (Env *e, const Pat *pat, LsTermValue *out);

/* Most parts of results are bound nodes, ops and terms of nodes. */
static inline LsUOp *
build (Env *e, const Pat *pat, LsDType hint)
{
  if (pat->kind == PAT_OP || pat->kind == PAT_SAME)
    return build_op (e, pat, hint);
  if (pat->kind == PAT_SLOT && !pat->dtype && pat->value <= LS_TERM_CONST)
    return e->slots[(int) pat->slot].node;
  if (pat->kind == PAT_CALL && !pat->dtype && pat->value == LS_TERM_NODE) {
    LsTermValue v;
    return call_term (e, pat, &v) ? v.node : NULL;
  }
  return build_value (e, pat, hint);
}

void
ls_env_init (Env *e, const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots)
{
  e->call = (LsTermCall) { ctx, pass, node, ls_driver_nested, driver, e };
  e->rule = rule;
  e->slots = slots;
  e->turn = 0;
  e->used = 0;
  e->work = 0;
  e->more = NULL;
}

void
ls_env_clear (Env *e)
{
  if (G_UNLIKELY (e->more))
    g_slist_free_full (g_steal_pointer (&e->more), g_free);
}

gpointer
ls_term_alloc (LsTermCall *call, gsize n_bytes)
{
  Env *e = call->scratch;
  n_bytes = (n_bytes + 7) & ~(gsize) 7;
  if (e->used + n_bytes <= sizeof e->memory) {
    gpointer at = e->memory + e->used;
    e->used += n_bytes;
    return at;
  }
  e->work += (guint) (n_bytes / 64);
  e->more = g_slist_prepend (e->more, g_malloc (n_bytes));
  return e->more->data;
}

/* --- numbers and values --- */

static gboolean
const_number (const LsUOp *u, gint64 *out)
{
  LsArg c;
  if (G_LIKELY (u->op == LS_OP_CONST))
    c = u->arg;
  else if (!ls_uop_const_value (u, &c))
    return FALSE;
  *out = c.i;
  return c.kind == LS_ARG_INT;
}

/* Written values: an op's name, a dtype, a number, a node. */
static gboolean
written_value (Env *e, const Pat *pat, LsTermValue *out)
{
  if (pat->kind == PAT_OPNAME) {
    *out = (LsTermValue) { .kind = LS_TERM_OP, .op = pat->op };
    return TRUE;
  }
  if (pat->kind == PAT_DTYPE) {
    *out = (LsTermValue) { .kind = LS_TERM_DTYPE, .dtype = pat->literal_dtype };
    return TRUE;
  }
  if (pat->value == LS_TERM_NUM) {
    out->kind = LS_TERM_NUM;
    return ls_env_number (e, pat, &out->num);
  }
  out->kind = LS_TERM_NODE;
  return (out->node = build (e, pat, e->call.self->dtype)) != NULL;
}

/* Most requested values are names, elements and terms. */
static inline gboolean
value_of (Env *e, const Pat *pat, LsTermValue *out)
{
  const LsTermValue *slot = pat->slot >= 0 ? &e->slots[(int) pat->slot] : NULL;
  switch (pat->kind) {
  case PAT_SLOT: *out = *slot; return TRUE;
  case PAT_ELEMENT:
    *out = slot->kind == LS_TERM_NODES ? (LsTermValue) { .kind = LS_TERM_NODE, .node = slot->nodes[e->turn] } : (LsTermValue) {
      .kind = LS_TERM_NUM, .num = slot->nums[e->turn] };
    return TRUE;
  case PAT_CALL: return call_term (e, pat, out);
  case PAT_SELF: *out = (LsTermValue) { .kind = LS_TERM_NODE, .node = e->call.self }; return TRUE;
  default: return written_value (e, pat, out);
  }
}

static gboolean
call_term (Env *e, const Pat *pat, LsTermValue *out)
{
  LsTermValue args[LS_TERM_ARGS];
  const LsTerm *term = pat->term;
  for (guint i = 0; i < pat->n_src; i++) {
    if (!value_of (e, pat->src[i], &args[i]))
      return FALSE;
    if (args[i].kind != LS_TERM_CONST || term->args[i] == LS_TERM_CONST)
      continue;
    args[i].kind = (guint8) term->args[i];
    if (args[i].kind == LS_TERM_NUM && !const_number (args[i].node, &args[i].num))
      return FALSE;
  }
  *out = (LsTermValue) { .kind = (guint8) term->result };
  e->call.term = term;
  return term->fn (&e->call, args, out);
}

gboolean
ls_env_number (Env *e, const Pat *pat, gint64 *out)
{
  LsTermValue v;
  gint64 a, b;
  switch (pat->kind) {
  case PAT_LITERAL: *out = pat->literal_i; return TRUE;
  case PAT_CALL:
    if (!call_term (e, pat, &v))
      return FALSE;
    *out = v.num;
    return v.kind == LS_TERM_NUM || const_number (v.node, out);
  case PAT_SLOT: case PAT_ELEMENT:
    if (!value_of (e, pat, &v))
      return FALSE;
    *out = v.num;
    return v.kind == LS_TERM_NUM || const_number (v.node, out);
  default: break;
  }
  if (!ls_env_number (e, pat->src[0], &a) || (pat->n_src > 1 && !ls_env_number (e, pat->src[1], &b)))
    return FALSE;
  switch (pat->op) {
  case LS_OP_NEG: return !__builtin_sub_overflow ((gint64) 0, a, out);
  case LS_OP_ADD: return !__builtin_add_overflow (a, b, out);
  case LS_OP_SUB: return !__builtin_sub_overflow (a, b, out);
  case LS_OP_MUL: return !__builtin_mul_overflow (a, b, out);
  default: {
    if (b == 0 || (b == -1 && a == G_MININT64))
      return FALSE;
    gint64 q = a / b - (a % b != 0 && (a < 0) != (b < 0));
    *out = pat->op == LS_OP_FLOORDIV ? q : a - q * b;
    return TRUE;
  }
  }
}

gboolean
ls_env_value (Env *e, const Pat *pat, LsTermValue *out)
{
  return value_of (e, pat, out);
}

gboolean
ls_cond_holds (Env *e, const Cond *c)
{
  gboolean yes = FALSE;
  gint64 a, b;
  LsTermValue v;
  if (c->kind == COND_CALL)
    return (value_of (e, c->a, &v) && v.holds) != c->negate;
  if (!ls_env_number (e, c->a, &a) || !ls_env_number (e, c->b, &b))
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

gboolean
ls_env_with (Env *e)
{
  const Rule *rule = e->rule;
  for (guint i = 0; i < rule->n_with; i++)
    if (!value_of (e, rule->with[i], &e->slots[rule->n_pattern_slots + i]))
      return FALSE;
  return TRUE;
}

/* --- nodes --- */

static gboolean
dtype_of (Env *e, const Pat *pat, LsDType *out)
{
  LsTermValue v;
  if (!value_of (e, pat, &v))
    return FALSE;
  *out = v.kind == LS_TERM_DTYPE ? v.dtype : v.node->dtype;
  return TRUE;
}

/* The dtype that a part of the result shows by itself; LS_VOID when only its surroundings say. */
static LsDType
own_dtype (Env *e, const Pat *pat)
{
  LsDType d = LS_VOID;
  LsTermValue v;
  if (pat->dtype)
    return dtype_of (e, pat->dtype, &d) ? d : LS_VOID;
  switch (pat->kind) {
  case PAT_SELF: return e->call.self->dtype;
  case PAT_SLOT: case PAT_ELEMENT:
    return value_of (e, pat, &v) && (v.kind == LS_TERM_NODE || v.kind == LS_TERM_CONST) ? v.node->dtype : LS_VOID;
  case PAT_SAME: return e->slots[(int) pat->slot].node->dtype;
  case PAT_OP:
    if (ls_op_is_comparison (pat->op)) {
      for (guint i = 0; i < pat->n_src && d == LS_VOID; i++)
        d = own_dtype (e, pat->src[i]);
      return d == LS_VOID ? LS_BOOL : ls_dtype_vec (LS_BOOL, ls_dtype_lanes (d));
    }
    for (guint i = pat->op == LS_OP_WHERE ? 1 : 0; i < pat->n_src && d == LS_VOID; i++)
      d = own_dtype (e, pat->src[i]);
    return d;
  default: return LS_VOID;
  }
}

static LsUOp *
number_node (Env *e, gint64 value, LsDType dtype)
{
  return ls_dtype_is_float (dtype) ? ls_uop_const_f (e->call.ctx, dtype, (double) value) : ls_uop_const_i (e->call.ctx, dtype, value);
}

static LsUOp *
literal_node (Env *e, const Pat *pat, LsDType dtype)
{
  if (ls_dtype_is_float (dtype))
    return ls_uop_const_f (e->call.ctx, dtype, pat->literal_float ? pat->literal_f : (double) pat->literal_i);
  return ls_uop_const_i (e->call.ctx, dtype, pat->literal_float ? ls_eval_cast (LS_INT64, LS_DOUBLE, (LsScalar) { .f = pat->literal_f }).i
                                                                : pat->literal_i);
}

/* A growing list of sources or numbers; its memory is the rule's scratch. */
typedef struct { gpointer at; guint n, size; guint64 first[24]; } List;

static inline void
list_add (Env *e, List *l, guint64 value)
{
  if (G_UNLIKELY (l->n == l->size)) {
    guint64 *more = ls_term_alloc (&e->call, 2 * l->size * sizeof (guint64));
    memcpy (more, l->at, l->n * sizeof (guint64));
    l->at = more;
    l->size *= 2;
  }
  ((guint64 *) l->at)[l->n++] = value;
}

static inline void
list_init (List *l)
{
  l->at = l->first;
  l->n = 0;
  l->size = G_N_ELEMENTS (l->first);
}

/* The number of iterations of a sequence: the length of every sequence in it. */
static gboolean
turns_of (Env *e, guint32 each, guint *out)
{
  gboolean any = FALSE;
  for (; each; each &= each - 1) {
    guint n = e->slots[__builtin_ctz (each)].n;
    if (any && *out != n)
      return FALSE;
    *out = n;
    any = TRUE;
  }
  return any;
}

static gboolean add_several (Env *e, const Pat *pat, gboolean numbers, LsDType hint, List *out);

/* Adds the nodes or numbers of one part of a list of sources, or of numbers. */
static inline gboolean
add_part (Env *e, const Pat *pat, gboolean numbers, LsDType hint, List *out)
{
  gint64 n;
  if (pat->kind == PAT_EACH || pat->kind == PAT_FOR)
    return add_several (e, pat, numbers, hint, out);
  if (out->n >= MAX_SOURCES)
    return FALSE;
  if (numbers) {
    if (!ls_env_number (e, pat, &n))
      return FALSE;
    list_add (e, out, (guint64) n);
    return TRUE;
  }
  LsUOp *u = build (e, pat, hint);
  list_add (e, out, (guint64) (gsize) u);
  return u != NULL;
}

static gboolean
add_several (Env *e, const Pat *pat, gboolean numbers, LsDType hint, List *out)
{
  LsTermValue v;
  gint64 n;
  if (G_UNLIKELY (++e->work > MAX_WORK)) {
    ls_context_note_breach (e->call.ctx, e->call.self->op, "the result is too large");
    return FALSE;
  }
  if (pat->kind == PAT_EACH && pat->splice) {
    if (!value_of (e, pat->src[0], &v) || out->n + v.n > MAX_SOURCES)
      return FALSE;
    for (guint i = 0; i < v.n; i++)
      list_add (e, out, numbers ? (guint64) v.nums[i] : (guint64) (gsize) v.nodes[i]);
    return TRUE;
  }
  if (pat->kind == PAT_EACH) {
    guint turns = 0, outer = e->turn;
    gboolean ok = turns_of (e, pat->each, &turns);
    for (e->turn = 0; ok && e->turn < turns; e->turn++)
      ok = add_part (e, pat->src[0], numbers, hint, out);
    e->turn = outer;
    return ok;
  }
  LsTermValue *slot = &e->slots[(int) pat->slot];
  if (!ls_env_number (e, pat->src[1], &n) || n < 0 || n > MAX_SOURCES)
    return FALSE;
  gboolean ok = TRUE;
  for (gint64 i = 0; ok && i < n; i++) {
    *slot = (LsTermValue) { .kind = LS_TERM_NUM, .num = i };
    ok = add_part (e, pat->src[0], numbers, hint, out);
  }
  return ok;
}

static gboolean
build_argument (Env *e, const Pat *pat, LsDType dtype, LsArg *out)
{
  LsContext *ctx = e->call.ctx;
  LsTermValue v;
  guint from = 0;
  List ints;
  if (pat->n_args == 1 && pat->args[0]->value != LS_TERM_NUM && pat->args[0]->kind != PAT_EACH && pat->args[0]->kind != PAT_FOR &&
      pat->args[0]->value != LS_TERM_OP) {
    if (!value_of (e, pat->args[0], &v))
      return FALSE;
    switch (v.kind) {
    case LS_TERM_VIEW: *out = ls_arg_tracker (ctx, v.view); return TRUE;
    case LS_TERM_TEXT: *out = ls_arg_str (ctx, v.text); return TRUE;
    case LS_TERM_SCALAR: *out = *v.arg; break;
    case LS_TERM_ARG: *out = *v.arg; return TRUE;
    default: return FALSE;
    }
    if ((out->kind == LS_ARG_FLOAT) != ls_dtype_is_float (dtype))
      return FALSE;
    return TRUE;
  }
  LsOp op = 0;
  LsArgForm form = ls_op_info (pat->op)->form;
  if (form == LS_FORM_OP_INTS) {
    if (!value_of (e, pat->args[from++], &v))
      return FALSE;
    op = v.op;
  }
  list_init (&ints);
  for (guint i = from; i < pat->n_args; i++)
    if (!add_part (e, pat->args[i], TRUE, LS_VOID, &ints))
      return FALSE;
  switch (form) {
  case LS_FORM_OP_INTS: *out = ls_arg_op_ints (ctx, op, ints.n, ints.at); return TRUE;
  case LS_FORM_INTS: *out = ls_arg_ints (ctx, ints.n, ints.at); return TRUE;
  case LS_FORM_SCALAR: *out = ls_dtype_is_float (dtype) ? ls_arg_float ((double) ((gint64 *) ints.at)[0])
                                                        : ls_arg_int (((gint64 *) ints.at)[0]); return TRUE;
  default: *out = ls_arg_int (((gint64 *) ints.at)[0]); return TRUE;
  }
}

/* Constants are computed in their own dtype's arithmetic. */
static LsUOp *
fold (Env *e, LsOp op, guint n, LsUOp *const *src)
{
  LsScalar v[8];
  LsArg arg;
  for (guint i = 0; i < n; i++) {
    if (!ls_uop_const_value (src[i], &arg))
      return NULL;
    v[i] = ls_scalar_from_arg (ls_dtype_scalar (src[i]->dtype), arg);
  }
  LsDType d = ls_op_is_comparison (op) ? ls_dtype_vec (LS_BOOL, ls_dtype_lanes (src[0]->dtype)) : src[n - 1]->dtype;
  /* mathematical integers that do not fit are not constants */
  gint64 exact;
  if (ls_dtype_base (d) == LS_BASE_INDEX &&
      ((n == 2 && ((op == LS_OP_ADD && __builtin_add_overflow (v[0].i, v[1].i, &exact)) ||
                   (op == LS_OP_SUB && __builtin_sub_overflow (v[0].i, v[1].i, &exact)) ||
                   (op == LS_OP_MUL && __builtin_mul_overflow (v[0].i, v[1].i, &exact)))) || (op == LS_OP_NEG && v[0].i == G_MININT64)))
    return NULL;
  LsScalar r = ls_eval_alu (op, ls_dtype_scalar (d), ls_dtype_scalar (src[n - 1]->dtype), v);
  return ls_dtype_is_float (d) ? ls_uop_const_f (e->call.ctx, d, r.f) : ls_uop_const_i (e->call.ctx, d, r.i);
}

/* The dtype of an op of the result that does not say one and is not arithmetic. */
static LsDType
default_dtype (Env *e, LsOp op, guint n, LsUOp *const *src, LsDType hint)
{
  switch (op) {
  case LS_OP_SINK: case LS_OP_STORE: case LS_OP_AFTER: case LS_OP_BARRIER: return LS_VOID;
  case LS_OP_CONST: return n ? e->call.self->dtype : hint;
  case LS_OP_VIEW: return n ? src[0]->dtype : LS_VOID;
  case LS_OP_VECTORIZE: return n ? ls_dtype_vec (src[0]->dtype, n) : LS_VOID;
  case LS_OP_INDEX: case LS_OP_RANGE: case LS_OP_SPECIAL: case LS_OP_REDUCE_AXIS: case LS_OP_CONTIGUOUS: case LS_OP_COPY:
  case LS_OP_ASSIGN: return n ? src[0]->dtype : LS_VOID;
  default: return ls_op_is_movement (op) && n ? src[0]->dtype : e->call.self->dtype;
  }
}

/* The dtype that constants among the sources take: of the first source that shows one. */
static LsDType
inner_dtype (Env *e, const Pat *pat, LsDType hint)
{
  for (guint i = pat->op == LS_OP_WHERE ? 1 : 0; i < pat->n_src; i++) {
    LsDType d = own_dtype (e, pat->src[i]);
    if (d != LS_VOID)
      return d;
  }
  return ls_op_is_comparison (pat->op) ? LS_VOID : hint;
}

static LsUOp *
build_op (Env *e, const Pat *pat, LsDType hint)
{
  LsContext *ctx = e->call.ctx;
  LsUOp *same = pat->kind == PAT_SAME ? e->slots[(int) pat->slot].node : NULL;
  LsOp op = same ? same->op : pat->op;
  LsDType own = LS_VOID, inner = hint;
  if (pat->dtype && !dtype_of (e, pat->dtype, &own))
    return NULL;
  if (same)
    inner = same->dtype;
  else if (pat->hints)
    inner = inner_dtype (e, pat, hint);
  List src;
  list_init (&src);
  for (guint i = 0; i < pat->n_src; i++) {
    const Pat *part = pat->src[i];
    LsDType want = op == LS_OP_WHERE && i == 0 ? ls_dtype_vec (LS_BOOL, ls_dtype_lanes (hint)) : inner;
    if (pat->n_src == 1 && part->splice && part->src[0]->kind == PAT_SLOT) {      /* o(xs*): no copy is needed */
      src.at = (gpointer) e->slots[(int) part->src[0]->slot].nodes;
      src.n = e->slots[(int) part->src[0]->slot].n;
    } else if (!add_part (e, part, FALSE, want, &src)) {
      return NULL;
    }
  }
  LsUOp **nodes = src.at;
  int arity = ls_op_info (op)->arity;
  if (G_UNLIKELY ((arity >= 0 && src.n != (guint) arity) || (op == LS_OP_VECTORIZE && (src.n == 0 || src.n > MAX_LANES)))) {
    ls_context_note_breach (ctx, op, "it has the wrong number of sources");
    return NULL;
  }
  if (pat->fold)
    return fold (e, op, src.n, nodes);
  if (same)
    return own == LS_VOID ? ls_uop_with_src (ctx, same, src.n, nodes) : ls_uop_new_tag (ctx, op, own, src.n, nodes, same->arg, same->tag);
  if (own == LS_VOID && ls_op_is_alu (op))
    return ls_uop_alu (ctx, op, src.n, nodes);
  LsDType dtype = pat->dtype ? own : default_dtype (e, op, src.n, nodes, hint);
  LsArg arg = !pat->has_args && op == e->call.self->op ? e->call.self->arg : ls_arg_none ();
  if (pat->has_args && !build_argument (e, pat, dtype, &arg))
    return NULL;
  if (op == LS_OP_CONST && arg.kind == LS_ARG_INT && src.n == 0)
    return ls_uop_const_i (ctx, dtype, arg.i);
  return ls_uop_new (ctx, op, dtype, src.n, nodes, arg);
}

/* A number, a constant or the value of a term. */
static LsUOp *
build_value (Env *e, const Pat *pat, LsDType hint)
{
  LsTermValue v;
  LsArg c;
  gint64 number;
  if (pat->dtype && !dtype_of (e, pat->dtype, &hint))
    return NULL;
  if (pat->kind == PAT_LITERAL)
    return literal_node (e, pat, hint);
  if (pat->value == LS_TERM_NUM)
    return ls_env_number (e, pat, &number) ? number_node (e, number, hint) : NULL;
  if (!value_of (e, pat, &v))
    return NULL;
  if (pat->dtype)      /* a constant of another dtype */
    return ls_uop_const_value (v.node, &c) && c.kind == LS_ARG_INT ? number_node (e, c.i, hint) : NULL;
  return v.node;
}

/* Guards of a rule that matched, and the values of "with". */
static inline gboolean
guards_hold (Env *e)
{
  const Rule *rule = e->rule;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < rule->n_conds; i++)
    ok = rule->conds[i].late || ls_cond_holds (e, &rule->conds[i]);
  if (rule->n_with) {
    ok = ok && ls_env_with (e);
    for (guint i = 0; ok && i < rule->n_conds; i++)
      ok = !rule->conds[i].late || ls_cond_holds (e, &rule->conds[i]);
  }
  return ok;
}

/* Does the rule's match have a result? */
static inline gboolean
has_result (const Rule *rule, LsContext *ctx, const LsUOp *node, gpointer pass)
{
  if (rule->unknown || (rule->needs_context && !pass))
    return FALSE;
  return !rule->gradient || (node->arg.i < rule->n_results && rule->results[node->arg.i]->kind != PAT_NONE);
}

LsUOp *
ls_rule_result (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots)
{
  g_return_val_if_fail (rule->n_results == 1 || rule->gradient, NULL);
  if (!has_result (rule, ctx, node, pass))
    return NULL;
  Env e;
  ls_env_init (&e, rule, ctx, rule->gradient ? node->src[0] : node, pass, driver, slots);
  LsUOp *result = guards_hold (&e) ? build (&e, rule->results[rule->gradient ? node->arg.i : 0], node->dtype) : NULL;
  ls_env_clear (&e);
  return result != node ? result : NULL;
}

gboolean
ls_rule_run_guards (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsTermValue *slots)
{
  Env e;
  if (rule->unknown || (rule->needs_context && !pass))
    return FALSE;
  ls_env_init (&e, rule, ctx, node, pass, NULL, slots);
  gboolean ok = guards_hold (&e);
  ls_env_clear (&e);
  return ok;
}
