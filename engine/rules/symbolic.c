/* Terms of symbolic.rules: constant folding, casts, and the algebra of index sums.
 *
 * Floor division and modulo by a positive constant c of a sum S = c*Q + R (terms whose coefficient c divides go to Q) use
 *   S // c = Q + R // c          and   S % c = R % c,
 * which hold for all integers because the quotient is rounded down. With g a common divisor of c and of R's coefficients, and
 * R = g*R' + k, 0 <= k < g:
 *   R // c = R' // (c/g)         and   R % c = g * (R' % (c/g)) + k.
 * (Graham, Knuth, Patashnik, Concrete Mathematics, 3.10 and 3.21.)
 */
#include "linear.h"
#include "rules.h"

#include "ir/eval.h"

gint64
ls_floordiv (gint64 a, gint64 b)
{
  gint64 q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

gint64
ls_gcd (gint64 a, gint64 b)
{
  guint64 x = a < 0 ? -(guint64) a : (guint64) a, y = b < 0 ? -(guint64) b : (guint64) b;
  while (y) {
    guint64 t = x % y;
    x = y;
    y = t;
  }
  return (gint64) x;
}

static gboolean
add_term (LsLinear *l, LsUOp *term, gint64 coef)
{
  for (guint i = 0; i < l->n; i++)
    if (l->term[i] == term) {
      if (__builtin_add_overflow (l->coef[i], coef, &l->coef[i]))
        return FALSE;
      if (l->coef[i] == 0) {
        l->n--;
        l->term[i] = l->term[l->n];
        l->coef[i] = l->coef[l->n];
      }
      return TRUE;
    }
  if (l->n == LS_MAX_TERMS)
    return FALSE;
  if (coef != 0) {
    l->term[l->n] = term;
    l->coef[l->n++] = coef;
  }
  return TRUE;
}

gboolean
ls_linear_from (LsUOp *u, LsLinear *l)
{
  struct { LsUOp *u; gint64 coef; } stack[2 * LS_MAX_TERMS];
  guint depth = 0, turns = 0;
  l->n = 0;
  l->constant = 0;
  stack[depth].u = u;
  stack[depth++].coef = 1;
  while (depth > 0) {
    if (++turns > 64 * LS_MAX_TERMS)      /* sums of shared sums double with each level */
      return FALSE;
    LsUOp *x = stack[--depth].u;
    gint64 coef = stack[depth].coef, c;
    if (x->op == LS_OP_CONST && x->arg.kind == LS_ARG_INT) {
      if (__builtin_mul_overflow (coef, x->arg.i, &c) || __builtin_add_overflow (l->constant, c, &l->constant))
        return FALSE;
    } else if (x->op == LS_OP_ADD || x->op == LS_OP_SUB) {
      if (depth + 2 > G_N_ELEMENTS (stack) || coef == G_MININT64)
        return FALSE;
      stack[depth].u = x->src[1];
      stack[depth++].coef = x->op == LS_OP_SUB ? -coef : coef;
      stack[depth].u = x->src[0];
      stack[depth++].coef = coef;
    } else if (x->op == LS_OP_MUL && x->src[1]->op == LS_OP_CONST && x->src[1]->arg.kind == LS_ARG_INT) {
      if (__builtin_mul_overflow (coef, x->src[1]->arg.i, &c))
        return FALSE;
      stack[depth].u = x->src[0];
      stack[depth++].coef = c;
    } else if (!add_term (l, x, coef)) {
      return FALSE;
    }
  }
  return TRUE;
}

LsUOp *
ls_linear_build (LsContext *ctx, const LsLinear *l)
{
  LsUOp *sum = NULL;
  for (guint i = 0; i < l->n; i++) {
    LsUOp *t = l->coef[i] == 1 ? l->term[i] : ls_uop_alu2 (ctx, LS_OP_MUL, l->term[i], ls_uop_const_i (ctx, LS_INDEX, l->coef[i]));
    sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, t) : t;
  }
  if (l->constant != 0 || !sum) {
    LsUOp *c = ls_uop_const_i (ctx, LS_INDEX, l->constant);
    sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, c) : c;
  }
  return sum;
}

gboolean
ls_linear_bounds (const LsLinear *l, gint64 *lo, gint64 *hi)
{
  __int128 a = l->constant, b = l->constant;
  for (guint i = 0; i < l->n; i++) {
    if (l->term[i]->vmin == G_MININT64 || l->term[i]->vmax == G_MAXINT64)
      return FALSE;
    __int128 x = (__int128) l->coef[i] * l->term[i]->vmin, y = (__int128) l->coef[i] * l->term[i]->vmax;
    a += MIN (x, y);
    b += MAX (x, y);
  }
  if (a < G_MININT64 || b > G_MAXINT64)
    return FALSE;
  *lo = (gint64) a;
  *hi = (gint64) b;
  return TRUE;
}

gboolean
ls_uop_depends (LsContext *ctx, LsUOp *u, LsUOp *on)
{
  if (u == on)
    return TRUE;
  if (u->id < on->id || u->n_src == 0)
    return FALSE;
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  gboolean found = FALSE;
  g_ptr_array_add (stack, u);
  while (stack->len > 0 && !found) {
    LsUOp *x = stack->pdata[stack->len - 1];
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    for (guint i = 0; i < x->n_src; i++) {
      LsUOp *s = x->src[i];
      if (s == on)
        found = TRUE;
      else if (s->id > on->id && s->n_src > 0 && !ls_node_map_has (seen, s)) {
        ls_node_map_set (seen, s, 1);
        g_ptr_array_add (stack, s);
      }
    }
  }
  ls_node_map_release (ctx, seen);
  return found;
}

static gboolean
fold_const (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *u = args[0].node;
  LsScalar v[3], r;
  LsArg arg;
  if (ls_op_info (u->op)->op_class < LS_CLASS_UNARY || u->n_src == 0 || u->n_src > 3 || u->op == LS_OP_MULACC ||
      (u->op == LS_OP_BITCAST && ls_dtype_bits (u->dtype) != ls_dtype_bits (u->src[0]->dtype)))
    return FALSE;
  for (guint i = 0; i < u->n_src; i++) {
    if (!ls_uop_const_value (u->src[i], &arg))
      return FALSE;
    v[i] = ls_scalar_from_arg (ls_dtype_scalar (u->src[i]->dtype), arg);
  }
  LsDType d = ls_dtype_scalar (u->dtype), from = ls_dtype_scalar (u->src[u->n_src - 1]->dtype);
  r = ls_eval_node (u, d, from, v);
  gint64 exact = 0;
  if (ls_dtype_base (d) == LS_BASE_INDEX &&
      ((u->op == LS_OP_ADD && __builtin_add_overflow (v[0].i, v[1].i, &exact)) ||
       (u->op == LS_OP_SUB && __builtin_sub_overflow (v[0].i, v[1].i, &exact)) ||
       (u->op == LS_OP_MUL && __builtin_mul_overflow (v[0].i, v[1].i, &exact))))
    return FALSE;
  out->node = ls_dtype_is_float (d) ? ls_uop_const_f (call->ctx, u->dtype, r.f) : ls_uop_const_i (call->ctx, u->dtype, r.i);
  return TRUE;
}

static gboolean
bounds_meet (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *u = args[0].node;
  out->holds = u->vmin == u->vmax && !ls_dtype_is_float (u->dtype) && !ls_dtype_is_ptr (u->dtype) &&
               ls_dtype_base (u->dtype) != LS_BASE_VOID && u->n_dims == 0;
  return TRUE;
}

/* Does the dtype of to hold every value of u's dtype exactly? */
static gboolean
holds (LsDType to, const LsUOp *u)
{
  LsDType from = u->dtype;
  LsKind tk = ls_dtype_kind (to), fk = ls_dtype_kind (from);
  guint tb = ls_dtype_bits (to), fb = ls_dtype_bits (from);
  if (ls_dtype_is_ptr (to) || ls_dtype_is_ptr (from) || tk == LS_KIND_VOID || fk == LS_KIND_VOID)
    return FALSE;
  if (tk == LS_KIND_BOOL)
    return fk == LS_KIND_BOOL;
  if (fk == LS_KIND_BOOL)
    return TRUE;
  if (tk == LS_KIND_FLOAT && fk == LS_KIND_FLOAT)
    return ls_dtype_base (to) == ls_dtype_base (from) || (tb > fb && (tb >= 32));
  if (tk == LS_KIND_FLOAT) {
    guint digits = ls_dtype_digits (to);
    return fb - (fk == LS_KIND_UINT ? 0 : 1) < digits || (fk == LS_KIND_UINT && fb <= digits);
  }
  if (fk == LS_KIND_FLOAT)
    return FALSE;
  /* index is mathematical: bounds show whether it fits */
  if (tk == LS_KIND_INDEX)
    return fk != LS_KIND_UINT || fb < 64;
  if (fk == LS_KIND_INDEX)
    return u->vmin >= ls_dtype_min_i (to) && (ls_dtype_max_u (to) > G_MAXINT64 || u->vmax <= (gint64) ls_dtype_max_u (to));
  return tk == fk ? tb >= fb : tk == LS_KIND_INT && tb > fb;
}

/* CAST(i=CAST(x)) is one cast: i holds every x, and a float goes to a narrow integer through wider ones (eval.h), so a widened float
 * still converts the same way. */
static gboolean
passes_through (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *to = args[0].node, *inner = args[1].node, *x = args[2].node;
  out->holds = holds (inner->dtype, x);
  if (ls_dtype_is_float (inner->dtype) && !ls_dtype_is_float (to->dtype)) {
    if (!ls_dtype_is_float (x->dtype) && !ls_dtype_is_bool (to->dtype) && !holds (to->dtype, x))
      out->holds = FALSE;      /* out of range an integer wraps, a float does not */
    if (ls_dtype_is_float (x->dtype) && ls_dtype_bits (inner->dtype) == ls_dtype_bits (x->dtype))
      out->holds = FALSE;
  }
  return TRUE;
}

/* Is the value that a node computes of integers of one dtype that of the same op on mathematical integers? Not asked of tensors with
 * axes. */
static gboolean
is_exact (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *u = args[0].node;
  if (u->n_src == 0 || (u->op == LS_OP_WHERE && u->n_src != 3) || u->n_dims > 0 || ls_dtype_lanes (u->dtype) > 1)
    return TRUE;      /* out->holds is FALSE */
  const LsUOp *a = u->src[u->op == LS_OP_WHERE], *b = u->src[u->n_src - 1];
  __int128 lo = 0, hi = 0;
  if (ls_dtype_kind (a->dtype) != LS_KIND_INT || a->dtype != b->dtype)
    return TRUE;
  switch ((LsOp) u->op) {
  case LS_OP_ADD: lo = (__int128) a->vmin + b->vmin; hi = (__int128) a->vmax + b->vmax; break;
  case LS_OP_SUB: lo = (__int128) a->vmin - b->vmax; hi = (__int128) a->vmax - b->vmin; break;
  case LS_OP_NEG: lo = -(__int128) a->vmax; hi = -(__int128) a->vmin; break;
  case LS_OP_MUL:
    lo = hi = (__int128) a->vmin * b->vmin;
    for (guint i = 1; i < 4; i++) {
      __int128 product = (__int128) (i & 1 ? a->vmax : a->vmin) * (i & 2 ? b->vmax : b->vmin);
      lo = MIN (lo, product);
      hi = MAX (hi, product);
    }
    break;
  case LS_OP_FLOORDIV: case LS_OP_FLOORMOD:
    out->holds = b->vmin > 0;      /* of zero each dtype has its own quotient, and the least value divided by -1 wraps */
    return TRUE;
  default: break;      /* chooses or compares */
  }
  out->holds = lo >= ls_dtype_min_i (a->dtype) && hi <= (__int128) ls_dtype_max_u (a->dtype);
  return TRUE;
}

static gboolean
held (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *x = args[1].node;
  /* bounds of index saturate */
  gboolean exact = x->op == LS_OP_CONST || x->op == LS_OP_CAST || (x->vmin > G_MININT64 && x->vmax < G_MAXINT64);
  out->holds = exact && holds (args[0].node->dtype, x);
  return TRUE;
}

static gboolean
is_machine_int (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsKind kind = ls_dtype_kind (args[0].node->dtype);
  out->holds = kind == LS_KIND_INT || kind == LS_KIND_UINT;
  return TRUE;
}

/* R // c and R % c with a common factor taken out: R's coefficients and c shrink by g. */
static gint64
common_factor (const LsLinear *r, gint64 c)
{
  gint64 g = c;
  for (guint i = 0; i < r->n; i++)
    g = ls_gcd (g, r->coef[i]);
  return g;
}

/* (12i + 4j + k) // 24 is i // 2 where 4j + k stays below 12: terms that never reach a factor of the divisor, which the others have,
 * are left out, and the factor with them. factor: the largest such. */
static gboolean
drop_small (LsLinear *r, gint64 c, gint64 *factor)
{
  *factor = 1;
  LsLinear large = { 0 };
  for (guint f = 0; f < r->n; f++) {
    gint64 g = ABS (r->coef[f]), lo, hi;
    LsLinear small = { .constant = r->constant }, rest = { 0 };
    if (g <= *factor || c % g != 0)
      continue;
    for (guint i = 0; i < r->n; i++) {
      LsLinear *to = r->coef[i] % g == 0 ? &rest : &small;
      to->term[to->n] = r->term[i];
      to->coef[to->n++] = r->coef[i] % g == 0 ? r->coef[i] / g : r->coef[i];
    }
    if (!ls_linear_bounds (&small, &lo, &hi) || ls_floordiv (lo, g) != ls_floordiv (hi, g))
      continue;
    rest.constant = ls_floordiv (lo, g);
    large = rest;
    *factor = g;
  }
  if (*factor > 1)
    *r = large;
  return *factor > 1;
}

static LsUOp *
floordiv (LsContext *ctx, LsUOp *x, gint64 c)
{
  gint64 lo, hi;
  LsLinear s, q = { 0 }, r = { 0 }, whole = { 0 }, part = { 0 };
  if (ls_dtype_lanes (x->dtype) > 1 || c <= 1)
    return NULL;
  if (!ls_linear_from (x, &s))
    return NULL;
  for (guint i = 0; i < s.n; i++) {
    gint64 quotient = ls_floordiv (s.coef[i], c), rest = s.coef[i] - quotient * c;
    if (quotient != 0) {
      whole.term[whole.n] = s.term[i];
      whole.coef[whole.n++] = quotient;
    }
    if (rest != 0) {
      part.term[part.n] = s.term[i];
      part.coef[part.n++] = rest;
    }
    if (rest == 0) {
      q.term[q.n] = s.term[i];
      q.coef[q.n++] = quotient;
    } else {
      r.term[r.n] = s.term[i];
      r.coef[r.n++] = s.coef[i];
    }
  }
  q.constant = ls_floordiv (s.constant, c);
  r.constant = s.constant - q.constant * c;
  if (ls_linear_bounds (&r, &lo, &hi) && ls_floordiv (lo, c) == ls_floordiv (hi, c)) {
    q.constant += ls_floordiv (lo, c);
    return ls_linear_build (ctx, &q);
  }
  /* 5i // 4 is i where i stays below 4: the rest of the factors never reaches the divisor */
  part.constant = r.constant;
  if (ls_linear_bounds (&part, &lo, &hi) && ls_floordiv (lo, c) == ls_floordiv (hi, c)) {
    whole.constant = q.constant + ls_floordiv (lo, c);
    return ls_linear_build (ctx, &whole);
  }
  gint64 g = common_factor (&r, c);
  if (g > 1) {
    for (guint i = 0; i < r.n; i++)
      r.coef[i] /= g;
    r.constant = ls_floordiv (r.constant, g);
    c /= g;
  } else if (drop_small (&r, c, &g)) {
    c /= g;
  } else if (q.n == 0 && q.constant == 0) {
    return NULL;
  }
  LsUOp *rest = ls_linear_build (ctx, &r);
  if (c > 1)
    rest = ls_uop_alu2 (ctx, LS_OP_FLOORDIV, rest, ls_uop_const_i (ctx, LS_INDEX, c));
  if (q.n == 0 && q.constant == 0)
    return rest;
  gint64 constant = q.constant;
  q.constant = 0;
  LsUOp *sum = q.n == 0 ? rest : ls_uop_alu2 (ctx, LS_OP_ADD, ls_linear_build (ctx, &q), rest);
  return constant == 0 ? sum : ls_uop_alu2 (ctx, LS_OP_ADD, sum, ls_uop_const_i (ctx, LS_INDEX, constant));
}

static gint64
mod_period (gint64 value, gint64 c)
{
  return value - ls_floordiv (value, c) * c;
}

/* The sum as a remainder of c, which it is but for a multiple of c while it stays in one period. NULL: it may leave it. */
static LsUOp *
within_period (LsContext *ctx, LsLinear s, gint64 c)
{
  gint64 lo, hi;
  if (!ls_linear_bounds (&s, &lo, &hi) || ls_floordiv (lo, c) != ls_floordiv (hi, c))
    return NULL;
  s.constant -= ls_floordiv (lo, c) * c;
  return ls_linear_build (ctx, &s);
}

/* coef * (y % a) is coef*y - coef*a*(y//a), and c divides coef*a: is t such a remainder, and y of a sum? */
static gboolean
is_redundant_mod (const LsUOp *t, gint64 coef, gint64 c, LsLinear *y)
{
  gint64 whole;
  return t->op == LS_OP_FLOORMOD && t->src[1]->op == LS_OP_CONST && t->src[1]->arg.i > 0 &&
         !__builtin_mul_overflow (coef, t->src[1]->arg.i, &whole) && whole % c == 0 && ls_linear_from (t->src[0], y);
}

/* Adds coef times the sum y to r, without multiples of c. */
static gboolean
add_without_period (LsLinear *r, const LsLinear *y, gint64 coef, gint64 c)
{
  gint64 p;
  for (guint k = 0; k < y->n; k++)
    if (__builtin_mul_overflow (y->coef[k], coef, &p) || !add_term (r, y->term[k], mod_period (p, c)))
      return FALSE;
  return !__builtin_mul_overflow (y->constant, coef, &p) && !__builtin_add_overflow (r->constant, mod_period (p, c), &r->constant);
}

/* The sum s without the part that the remainder of c does not depend on. FALSE: it overflows, or has too many terms. */
static gboolean
reduce_period (const LsLinear *s, gint64 c, LsLinear *r, gboolean *changed)
{
  for (guint i = 0; i < s->n; i++) {
    gint64 coef = mod_period (s->coef[i], c);
    LsLinear y;
    *changed |= coef != s->coef[i];
    if (coef == 0)
      continue;
    if (is_redundant_mod (s->term[i], coef, c, &y)) {
      if (!add_without_period (r, &y, coef, c))
        return FALSE;
      *changed = TRUE;
    } else if (!add_term (r, s->term[i], coef)) {
      return FALSE;
    }
  }
  gint64 constant;
  if (__builtin_add_overflow (s->constant, r->constant, &constant))
    return FALSE;
  r->constant = mod_period (constant, c);
  *changed |= r->constant != s->constant;
  return TRUE;
}

static LsUOp *
floormod (LsContext *ctx, LsUOp *x, gint64 c)
{
  LsLinear s, r = { 0 };
  gboolean changed = FALSE;
  if (ls_dtype_lanes (x->dtype) > 1 || c <= 1 || !ls_linear_from (x, &s))
    return NULL;
  LsUOp *within = within_period (ctx, s, c);
  if (within)
    return within;
  if (!reduce_period (&s, c, &r, &changed))
    return NULL;
  if ((within = within_period (ctx, r, c)))
    return within;
  /* the coefficients nearest zero may keep the sum inside one period */
  LsLinear near = r;
  for (guint i = 0; i < near.n; i++)
    if (near.coef[i] > c / 2)
      near.coef[i] -= c;
  if ((within = within_period (ctx, near, c)))
    return within;
  gint64 g = common_factor (&r, c);
  if (g <= 1)
    return changed ? ls_uop_alu2 (ctx, LS_OP_FLOORMOD, ls_linear_build (ctx, &r), ls_uop_const_i (ctx, LS_INDEX, c)) : NULL;
  gint64 k = r.constant % g;
  for (guint i = 0; i < r.n; i++)
    r.coef[i] /= g;
  r.constant /= g;
  LsUOp *inner = ls_linear_build (ctx, &r);
  if (c / g == 1)
    return ls_uop_const_i (ctx, LS_INDEX, k);
  inner = ls_uop_alu2 (ctx, LS_OP_FLOORMOD, inner, ls_uop_const_i (ctx, LS_INDEX, c / g));
  LsUOp *whole = ls_uop_alu2 (ctx, LS_OP_MUL, inner, ls_uop_const_i (ctx, LS_INDEX, g));
  return k == 0 ? whole : ls_uop_alu2 (ctx, LS_OP_ADD, whole, ls_uop_const_i (ctx, LS_INDEX, k));
}

static LsUOp *
less (LsContext *ctx, LsUOp *x, gint64 limit)
{
  LsLinear s;
  if (ls_dtype_lanes (x->dtype) > 1 || x->op != LS_OP_ADD || !ls_linear_from (x, &s) || s.n < 2)
    return NULL;
  gint64 g = 0, b;
  for (guint i = 0; i < s.n; i++)
    g = ls_gcd (g, s.coef[i]);
  if (__builtin_sub_overflow (limit, s.constant, &b) || b == G_MININT64)
    return NULL;
  if (g > 1) {
    for (guint i = 0; i < s.n; i++)
      s.coef[i] /= g;
    s.constant = 0;
    return ls_uop_alu2 (ctx, LS_OP_CMPLT, ls_linear_build (ctx, &s), ls_uop_const_i (ctx, LS_INDEX, -ls_floordiv (-b, g)));
  }
  /* coarse + fine < b with fine in [0, g) and g dividing coarse and b: fine does not matter */
  for (guint i = 0; i < s.n; i++) {
    gint64 rest = 0, lo, hi;
    for (guint k = 0; k < s.n; k++)
      if (k != i)
        rest = ls_gcd (rest, s.coef[k]);
    LsLinear fine = { .n = 1, .term = { s.term[i] }, .coef = { s.coef[i] } };
    if (rest > 1 && b % rest == 0 && ls_linear_bounds (&fine, &lo, &hi) && lo >= 0 && hi < rest) {
      LsLinear coarse = { 0 };
      for (guint k = 0; k < s.n; k++)
        if (k != i) {
          coarse.term[coarse.n] = s.term[k];
          coarse.coef[coarse.n++] = s.coef[k] / rest;
        }
      return ls_uop_alu2 (ctx, LS_OP_CMPLT, ls_linear_build (ctx, &coarse), ls_uop_const_i (ctx, LS_INDEX, b / rest));
    }
  }
  return NULL;
}

/* These three get the other operand and a constant's value. */
#define OF_INDEX_AND_NUMBER(name) \
  static gboolean                 \
  name##_const (LsTermCall *call, const LsTermValue *args, LsTermValue *out) { \
    return (out->node = name (call->ctx, args[0].node, args[1].num)) != NULL; }
OF_INDEX_AND_NUMBER (floordiv)
OF_INDEX_AND_NUMBER (floormod)
OF_INDEX_AND_NUMBER (less)

#define V(kind) LS_TERM_##kind
const LsTerm ls_symbolic_terms[] = {
  /* any op: one function defines each */
  { "fold_const", NULL, V (NODE), 1, { V (NODE) }, fold_const, "The result of an operation "
                                                               "on constants, in its dtype's arithmetic.", TRUE },
  { "bounds_meet", NULL, V (BOOL), 1, { V (NODE) }, bounds_meet, "Are the lower and upper bound of the node equal?" },
  { "passes_through", NULL, V (BOOL), 3, { V (NODE), V (NODE), V (NODE) }, passes_through,
    "Does the inner cast keep everything that the outer cast keeps?" },
  { "is_exact", NULL, V (BOOL), 1, { V (NODE) }, is_exact, "Do the bounds of the sources exclude that the node's arithmetic wraps?" },
  { "held", NULL, V (BOOL), 2, { V (NODE), V (NODE) }, held, "Does the dtype of the first node hold every value of the second?" },
  { "is_machine_int", NULL, V (BOOL), 1, { V (NODE) }, is_machine_int, "Is the dtype a machine integer, which wraps?" },
  /* these look at a sum as a whole, whatever the number of its terms */
  { "floordiv_const", NULL, V (NODE), 2, { V (NODE), V (NUM) }, floordiv_const,
    "The quotient of a sum of indices, with multiples of the divisor divided exactly.", TRUE },
  { "floormod_const", NULL, V (NODE), 2, { V (NODE), V (NUM) }, floormod_const,
    "The remainder of a sum of indices, without the multiples of the divisor.", TRUE },
  { "less_const", NULL, V (NODE), 2, { V (NODE), V (NUM) }, less_const,
    "The comparison of a sum of indices with a constant, divided by a common factor.", TRUE },
  { NULL },
};
