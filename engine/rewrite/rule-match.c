/* Matching a compiled pattern at a node.
 *
 * A pattern is matched from its root; names are bound on the way, and a name met again must be bound to the same node. Where both orders
 * of two sources, or several extents of a sequence, are possible, the matcher comes back to the next one if the first did not lead to a
 * whole match: the rest of the match is a chain of frames on the C stack, as deep as the pattern, never as deep as the graph. The same
 * search explains itself (rule-explain.c): then it has no early exits, every node that a part of the pattern took is kept on a trail,
 * and the reason why the longest attempt ended is noted.
 */
#include "rules-private.h"

#include <math.h>
#include <string.h>

static gboolean match (Match *m, const Todo *at);

static inline gboolean
failed (Match *m, const Todo *at, const char *stage)
{
  return G_UNLIKELY (m->explain) && ls_match_failed (m, at, stage);
}

static gboolean
same_const (const LsUOp *a, const LsUOp *b)
{
  LsArg x, y;
  return a == b || (ls_uop_const_value (a, &x) && ls_uop_const_value (b, &y) && ls_arg_equal (x, y));
}

static gboolean
same_value (const LsTermValue *a, const LsTermValue *b)
{
  switch (a->kind) {
  case LS_TERM_NUM: return a->num == b->num;
  case LS_TERM_OP: return a->op == b->op;
  case LS_TERM_VIEW: return a->view == b->view;
  case LS_TERM_TEXT: return a->text == b->text;
  case LS_TERM_SCALAR: return ls_arg_equal (*a->arg, *b->arg);
  case LS_TERM_NUMS: return a->n == b->n && (a->n == 0 || memcmp (a->nums, b->nums, a->n * sizeof (gint64)) == 0);
  default: return FALSE;
  }
}

static gboolean
bind_and_go (Match *m, const Todo *at, const Todo *rest)
{
  const Pat *pat = at->pat;
  LsTermValue *slot = pat->slot >= 0 ? &m->slots[(int) pat->slot] : NULL, *bound = NULL;
  if (slot && slot->kind) {
    if (slot->node != at->node && !(pat->kind == PAT_CONST && same_const (slot->node, at->node)))
      return failed (m, at, "capture");
  } else if (slot) {
    slot->kind = pat->kind == PAT_CONST ? LS_TERM_CONST : LS_TERM_NODE;
    slot->node = at->node;
    bound = slot;
  }
  if (G_UNLIKELY (m->trail)) {
    if (m->n_trail < LS_MAX_TRAIL) {
      m->trail[m->n_trail].pat = pat;
      m->trail[m->n_trail].node = at->node;
    }
    m->n_trail++;
  }
  if (!rest || match (m, rest))
    return TRUE;
  if (bound)
    bound->kind = LS_TERM_NONE;
  if (m->trail)
    m->n_trail--;
  return FALSE;
}

static gboolean
is_literal (const Pat *pat, LsArg v)
{
  if (v.kind == LS_ARG_INT)
    return !pat->literal_float && v.i == pat->literal_i;
  if (v.kind == LS_ARG_FLOAT)
    return (v.f == pat->literal_f && signbit (v.f) == signbit (pat->literal_f)) || (isnan (v.f) && isnan (pat->literal_f));
  return FALSE;
}

gboolean
ls_pattern_literal_matches (const Pat *pat, const LsUOp *node)
{
  LsArg v;
  return ls_uop_const_value (node, &v) && is_literal (pat, v);
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

/* The first n patterns against n sources, which are put on the to-do list from the last to the first. */
static gboolean
match_sources (Match *m, const Todo *at, guint n, const Todo *rest)
{
  if (n == 0)
    return bind_and_go (m, at, rest);
  const Pat *s = at->pat->src[n - 1];
  LsUOp *node = at->node->src[n - 1];
  if (!m->explain && !plausible (s, node))
    return FALSE;
  Todo t = { s, node, rest, at->node, n };
  return match_sources (m, at, n - 1, &t);
}

static inline void
bind_sequence (Match *m, const Pat *s, guint n, LsUOp *const *nodes)
{
  if (s->slot >= 0)
    m->slots[(int) s->slot] = (LsTermValue) { .kind = LS_TERM_NODES, .n = n, .nodes = nodes };
}

/* The same where sequences are among the patterns: the first n against the first k sources. A sequence takes all sources that the
 * patterns before it leave or, if another sequence is among them, any number, the longest first. */
static gboolean
match_parts (Match *m, const Todo *at, guint n, guint k, const Todo *rest)
{
  const Pat *pat = at->pat;
  LsUOp *node = at->node;
  if (n == 0)
    return k == 0 && bind_and_go (m, at, rest);
  const Pat *s = pat->src[n - 1];
  if (s->kind != PAT_SEQ) {
    if (k == 0 || (!m->explain && !plausible (s, node->src[k - 1])))
      return FALSE;
    Todo t = { s, node->src[k - 1], rest, node, k };
    return match_parts (m, at, n - 1, k - 1, &t);
  }
  gboolean another = FALSE;
  guint before = 0;
  for (guint i = 0; i + 1 < n; i++)
    if (pat->src[i]->kind == PAT_SEQ)
      another = TRUE;
    else
      before++;
  if (k < before)
    return FALSE;
  for (guint taken = k - before; ; taken--) {
    bind_sequence (m, s, taken, node->src + (k - taken));
    if (match_parts (m, at, n - 1, k - taken, rest))
      return TRUE;
    if (!another || taken == 0)
      break;
  }
  if (s->slot >= 0)
    m->slots[(int) s->slot].kind = LS_TERM_NONE;
  return FALSE;
}

/* Binds the values of the node's argument. *bound: the slots that were free before. */
static gboolean
match_argument (Match *m, const Pat *pat, const LsUOp *node, guint32 *bound)
{
  const LsArg *arg = &node->arg;
  guint at = 0, n = 0;
  for (guint i = 0; i < pat->n_args; i++) {
    const Pat *a = pat->args[i];
    LsTermValue v = { .kind = LS_TERM_NONE };
    switch (arg->kind) {
    case LS_ARG_INT: case LS_ARG_FLOAT:
      v = ls_op_info (node->op)->form == LS_FORM_SCALAR ? (LsTermValue) { .kind = LS_TERM_SCALAR, .arg = arg } : (LsTermValue) {
        .kind = LS_TERM_NUM, .num = arg->i };
      n = 1;
      break;
    case LS_ARG_STR: v = (LsTermValue) { .kind = LS_TERM_TEXT, .text = arg->str }; n = 1; break;
    case LS_ARG_TRACKER: v = (LsTermValue) { .kind = LS_TERM_VIEW, .view = arg->tracker }; n = 1; break;
    case LS_ARG_INTS: case LS_ARG_OP_INTS: {
      guint ops = arg->kind == LS_ARG_OP_INTS;
      n = ops + arg->n;
      if (a->kind == PAT_SEQ && at >= ops)
        v = (LsTermValue) { .kind = LS_TERM_NUMS, .n = n - at, .nums = arg->ints + (at - ops) };
      else if (at < n)
        v = at < ops ? (LsTermValue) { .kind = LS_TERM_OP, .op = arg->op } : (LsTermValue) { .kind = LS_TERM_NUM,
                                                                                             .num = arg->ints[at - ops] };
      break;
    }
    default: return FALSE;
    }
    if (v.kind == LS_TERM_NONE)
      return FALSE;
    at += v.kind == LS_TERM_NUMS ? v.n : 1;
    if (a->kind == PAT_OPNAME ? v.kind != LS_TERM_OP || v.op != a->op : a->kind == PAT_LITERAL &&
        (v.kind == LS_TERM_SCALAR ? !is_literal (a, *v.arg) : v.kind != LS_TERM_NUM || v.num != a->literal_i))
      return FALSE;
    if (a->slot >= 0) {
      LsTermValue *slot = &m->slots[(int) a->slot];
      if (slot->kind) {
        if (slot->kind != v.kind || !same_value (slot, &v))
          return FALSE;
      } else {
        *slot = v;
        *bound |= 1u << a->slot;
      }
    }
  }
  /* REDUCE[ADD] says nothing of the axes that follow */
  return at == n || (pat->n_args == 1 && pat->args[0]->kind == PAT_OPNAME);
}

static gboolean
match (Match *m, const Todo *at)
{
  const Pat *pat = at->pat;
  LsUOp *node = at->node;
  if (!(pat->bases >> ls_dtype_base (node->dtype) & 1))
    return failed (m, at, "dtype");
  switch (pat->kind) {
  case PAT_ANY: return bind_and_go (m, at, at->next);
  case PAT_CONST: return ls_uop_const_value (node, NULL) ? bind_and_go (m, at, at->next) : failed (m, at, "constant");
  case PAT_LITERAL: return ls_pattern_literal_matches (pat, node) ? bind_and_go (m, at, at->next) : failed (m, at, "constant");
  default: break;
  }
  if (!ls_ops_has (pat->ops, node->op))
    return failed (m, at, "op");
  if (pat->rest ? node->n_src + pat->rest < pat->n_src : node->n_src != pat->n_src)
    return failed (m, at, "sources");
  guint32 bound = 0;
  gboolean matches = (!pat->has_args || match_argument (m, pat, node, &bound)) || failed (m, at, "argument");
  if (matches && pat->rest) {
    if (pat->n_src == 1) {      /* o=ALU(xs*) */
      bind_sequence (m, pat->src[0], node->n_src, node->src);
      matches = bind_and_go (m, at, at->next);
    } else {
      matches = match_parts (m, at, pat->n_src, node->n_src, at->next);
    }
  } else if (matches && !match_sources (m, at, pat->n_src, at->next)) {
    matches = FALSE;
    if (pat->commutative && node->src[0] != node->src[1] &&
        (m->explain || (plausible (pat->src[0], node->src[1]) && plausible (pat->src[1], node->src[0])))) {
      Todo second = { pat->src[1], node->src[0], at->next, node, 1 };
      Todo first = { pat->src[0], node->src[1], &second, node, 2 };
      matches = bind_and_go (m, at, &first);
    }
  }
  if (G_UNLIKELY (bound) && !matches)
    for (guint i = 0; bound >> i; i++)
      if (bound >> i & 1)
        m->slots[i].kind = LS_TERM_NONE;
  return matches;
}

/* Few rules have more slots than are cleared without asking how many there are. */
static inline void
clear (const Rule *rule, LsTermValue *slots)
{
#pragma GCC unroll 6
  for (guint i = 0; i < 6; i++)
    slots[i].kind = LS_TERM_NONE;
  for (guint i = 6; i < rule->n_slots; i++)
    slots[i].kind = LS_TERM_NONE;
}

gboolean
ls_match_run (Match *m, LsUOp *node)
{
  Todo root = { m->rule->pattern, node, NULL, NULL, 0 };
  clear (m->rule, m->slots);
  return match (m, &root);
}

gboolean
ls_rule_match_inner (const Rule *rule, LsUOp *node, LsTermValue *slots)
{
  Match m = { .rule = rule, .slots = slots };
  Todo inner = { rule->pattern->src[0], node, NULL, NULL, 0 };
  clear (rule, slots);
  return match (&m, &inner);
}

/* Does the node fit by itself, and its name's other places? It is bound. */
static inline gboolean
take (Match *m, const Pat *pat, LsUOp *node)
{
  if (!plausible (pat, node))
    return FALSE;
  if (pat->kind == PAT_CONST ? !ls_uop_const_value (node, NULL) : pat->kind == PAT_LITERAL && !ls_pattern_literal_matches (pat, node))
    return FALSE;
  if (pat->slot < 0)
    return TRUE;
  LsTermValue *slot = &m->slots[(int) pat->slot];
  if (slot->kind)
    return slot->node == node || (pat->kind == PAT_CONST && same_const (slot->node, node));
  slot->kind = pat->kind == PAT_CONST ? LS_TERM_CONST : LS_TERM_NODE;
  slot->node = node;
  return TRUE;
}

/* Where a node matches in one way only: source after source, and nothing is taken back. Turned: the two sources are taken the other
 * way round. */
static gboolean
match_straight (Match *m, const Pat *pat, LsUOp *node, guint turned)
{
  guint32 bound = 0;
  if (!take (m, pat, node) || (pat->rest ? node->n_src + 1 < pat->n_src : node->n_src != pat->n_src))
    return FALSE;
  for (guint i = 0, k = 0; i < pat->n_src; i++) {
    const Pat *s = pat->src[i];
    if (s->kind == PAT_SEQ) {
      guint taken = node->n_src + 1 - pat->n_src;
      bind_sequence (m, s, taken, node->src + k);
      k += taken;
    } else {
      LsUOp *source = node->src[k++ ^ turned];
      if (s->kind == PAT_OP ? !match_straight (m, s, source, 0) : !take (m, s, source))
        return FALSE;
    }
  }
  return !pat->has_args || match_argument (m, pat, node, &bound);
}

gboolean
ls_rule_match_pattern (const Rule *rule, LsUOp *node, LsTermValue *slots)
{
  const Pat *pat = rule->pattern;
  Match m;
  m.rule = rule;
  m.slots = slots;
  m.trail = NULL;
  m.explain = FALSE;
  if (!rule->straight)
    return ls_match_run (&m, node);
  clear (rule, slots);
  if (match_straight (&m, pat, node, 0))
    return TRUE;
  if (!pat->commutative || node->n_src != 2 || node->src[0] == node->src[1])
    return FALSE;
  clear (rule, slots);
  return match_straight (&m, pat, node, 1);
}
