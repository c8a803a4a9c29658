/* Bounds and divisors of integer nodes, from which the symbolic rules exclude cases.
 *
 * Bounds are inclusive, hold for every lane, and are filled when a node is made. A result that could wrap gets its dtype's whole
 * range, so a bound is never a promise about mathematics but about the value the program computes. Index nodes are mathematical
 * integers: a bound of theirs at an end of int64 is open, nothing is known on that side (ls_linear_bounds reads it so, too).
 */
#include "context-private.h"
#include "eval.h"

static void
whole_range (const LsUOp *u, gint64 *lo, gint64 *hi)
{
  if (ls_dtype_base (u->dtype) == LS_BASE_UINT64) {
    *lo = G_MININT64;
    *hi = G_MAXINT64;
  } else {
    *lo = ls_dtype_min_i (u->dtype);
    *hi = (gint64) ls_dtype_max_u (u->dtype);
  }
}

/* The whole range unless [lo, hi], computed in 128 bits, fits the dtype. */
static void
set_if_fits (LsUOp *u, __int128 lo, __int128 hi)
{
  gint64 min, max;
  whole_range (u, &min, &max);
  if (ls_dtype_base (u->dtype) == LS_BASE_UINT64)
    min = 0;
  if (ls_dtype_base (u->dtype) == LS_BASE_INDEX) {
    u->vmin = lo < min || lo > max ? min : (gint64) lo;
    u->vmax = hi > max || hi < min ? max : (gint64) hi;
  } else if (lo >= min && hi <= max) {
    u->vmin = lo;
    u->vmax = hi;
  }
}

static gint64
floordiv (gint64 a, gint64 b)
{
  if (b == -1)
    return a == G_MININT64 ? G_MAXINT64 : -a;
  gint64 q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

static gboolean
is_open (const LsUOp *u)
{
  return ls_dtype_base (u->dtype) == LS_BASE_INDEX && u->op != LS_OP_CONST && (u->vmin == G_MININT64 || u->vmax == G_MAXINT64);
}

static void
set (LsUOp *u, gint64 lo, gint64 hi)
{
  u->vmin = lo;
  u->vmax = hi;
}

/* A uint64 node that is not known to be below 2^63: as int64 its values have no order. */
static gboolean
is_unordered (const LsUOp *u)
{
  return ls_dtype_base (u->dtype) == LS_BASE_UINT64 && u->vmin < 0;
}

static void
mul_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  __int128 al = a->vmin, ah = a->vmax, p[4] = { al * b->vmin, al * b->vmax, ah * b->vmin, ah * b->vmax }, lo = p[0], hi = p[0];
  for (int i = 1; i < 4; i++) {
    lo = MIN (lo, p[i]);
    hi = MAX (hi, p[i]);
  }
  set_if_fits (u, lo, hi);
}

/* IDIV and FLOORDIV, by the signs of their operands. */
static void
quotient_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  if (b->vmin <= 0)
    return;
  if (b->vmin == b->vmax && !is_unordered (a)) {
    if (u->op == LS_OP_IDIV)
      set (u, a->vmin / b->vmin, a->vmax / b->vmin);
    else
      set (u, floordiv (a->vmin, b->vmin), floordiv (a->vmax, b->vmin));
  } else if (a->vmin >= 0) {
    set (u, a->vmin / b->vmax, a->vmax / b->vmin);
  }
}

/* MOD has the dividend's sign. Where the quotient is one number, the remainder goes with the dividend. */
static void
mod_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  if (b->vmin <= 0)
    return;
  if (a->vmin >= 0) {
    if (b->vmin == b->vmax && a->vmin / b->vmin == a->vmax / b->vmin)
      set (u, a->vmin % b->vmin, a->vmax % b->vmin);
    else
      set (u, 0, MIN (a->vmax, b->vmax - 1));
  } else if (!is_unordered (a)) {
    set (u, MAX (a->vmin, 1 - b->vmax), a->vmax < 0 ? 0 : MIN (a->vmax, b->vmax - 1));
  }
}

static void
floormod_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  if (b->vmin <= 0 || is_unordered (a))
    return;
  gint64 first = floordiv (a->vmin, b->vmin);
  if (b->vmin == b->vmax && first == floordiv (a->vmax, b->vmin))
    set (u, a->vmin - first * b->vmin, a->vmax - first * b->vmin);
  else
    set (u, 0, a->vmin >= 0 ? MIN (a->vmax, b->vmax - 1) : b->vmax - 1);
}

static void
less_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  if (ls_dtype_is_float (a->dtype) || (ls_dtype_base (a->dtype) == LS_BASE_UINT64 && (a->vmin < 0 || b->vmin < 0)))
    return;
  if (a->vmax < b->vmin)
    u->vmin = 1;
  else if (a->vmin >= b->vmax)
    u->vmax = 0;
}

/* CMPEQ and CMPNE */
static void
equal_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  gboolean equal = u->op == LS_OP_CMPEQ;
  if (ls_dtype_is_float (a->dtype))
    return;
  if (a->vmax < b->vmin || b->vmax < a->vmin)
    set (u, !equal, !equal);
  else if (a->vmin == a->vmax && b->vmin == b->vmax)
    set (u, (a->vmin == b->vmin) == equal, (a->vmin == b->vmin) == equal);
}

static void
and_bounds (LsUOp *u, const LsUOp *a, const LsUOp *b)
{
  if (ls_dtype_is_bool (u->dtype))
    set (u, a->vmin & b->vmin, a->vmax & b->vmax);
  else if (a->vmin >= 0 && b->vmin >= 0)
    set (u, 0, MIN (a->vmax, b->vmax));
  else if (a->vmin >= 0 || b->vmin >= 0)
    set (u, 0, a->vmin >= 0 ? a->vmax : b->vmax);
}

static void
bounds_binary (LsUOp *u)
{
  const LsUOp *a = u->src[0], *b = u->src[1];
  if ((is_open (a) || is_open (b)) && u->op != LS_OP_MAX && ls_dtype_base (u->dtype) == LS_BASE_INDEX) {
    if (u->op == LS_OP_FLOORMOD && b->vmin > 0 && b->vmax < G_MAXINT64)
      set (u, 0, b->vmax - 1);
    return;
  }
  gint64 al = a->vmin, ah = a->vmax, bl = b->vmin, bh = b->vmax;
  switch ((LsOp) u->op) {
  case LS_OP_ADD: set_if_fits (u, (__int128) al + bl, (__int128) ah + bh); break;
  case LS_OP_SUB: set_if_fits (u, (__int128) al - bh, (__int128) ah - bl); break;
  case LS_OP_MUL: mul_bounds (u, a, b); break;
  case LS_OP_MAX:
    if (ls_dtype_base (u->dtype) != LS_BASE_UINT64 || (al >= 0 && bl >= 0))
      set (u, MAX (al, bl), MAX (ah, bh));
    break;
  case LS_OP_IDIV: case LS_OP_FLOORDIV: quotient_bounds (u, a, b); break;
  case LS_OP_MOD: mod_bounds (u, a, b); break;
  case LS_OP_FLOORMOD: floormod_bounds (u, a, b); break;
  case LS_OP_CMPLT: less_bounds (u, a, b); break;
  case LS_OP_CMPEQ: case LS_OP_CMPNE: equal_bounds (u, a, b); break;
  case LS_OP_AND: and_bounds (u, a, b); break;
  case LS_OP_OR:
    if (ls_dtype_is_bool (u->dtype))
      set (u, al | bl, ah | bh);
    break;
  case LS_OP_XOR:
    if (ls_dtype_is_bool (u->dtype) && al == ah && bl == bh)
      set (u, al ^ bl, al ^ bl);
    break;
  case LS_OP_SHL:
    if (bl == bh && bl >= 0 && bl < MIN (62, (gint64) ls_dtype_bits (u->dtype)))
      set_if_fits (u, (__int128) al << bl, (__int128) ah << bl);
    break;
  case LS_OP_SHR:
    if (bl == bh && bl >= 0 && bl < (gint64) ls_dtype_bits (u->dtype) && !is_unordered (a))
      set (u, al >> bl, ah >> bl);
    break;
  default: break;
  }
}

/* From the least to the largest of any source from first on. */
static void
source_bounds (LsUOp *u, guint first)
{
  gint64 lo = G_MAXINT64, hi = G_MININT64;
  for (guint i = first; i < u->n_src; i++) {
    lo = MIN (lo, u->src[i]->vmin);
    hi = MAX (hi, u->src[i]->vmax);
  }
  set (u, lo, hi);
}

/* CONST, VCONST and IOTA */
static void
constant_bounds (LsUOp *u)
{
  LsArg arg = u->arg;
  if (u->op == LS_OP_CONST && arg.kind == LS_ARG_INT) {
    if (ls_dtype_base (u->dtype) != LS_BASE_UINT64 || arg.i >= 0)
      set (u, arg.i, arg.i);
  } else if (u->op == LS_OP_VCONST && arg.kind == LS_ARG_INTS && arg.n > 0) {
    set (u, arg.ints[0], arg.ints[0]);
    for (guint i = 1; i < arg.n; i++)
      set (u, MIN (u->vmin, arg.ints[i]), MAX (u->vmax, arg.ints[i]));
  } else if (u->op == LS_OP_IOTA && arg.kind == LS_ARG_INT && arg.i >= 1 && arg.i - 1 <= u->vmax) {
    set (u, 0, arg.i - 1);
  }
}

static void
cast_bounds (LsUOp *u)
{
  const LsUOp *s = u->n_src == 1 ? u->src[0] : NULL;
  if (!s || ls_dtype_kind (s->dtype) <= LS_KIND_VOID || ls_dtype_is_float (s->dtype) || ls_dtype_is_ptr (s->dtype) || is_unordered (s))
    return;
  if (ls_dtype_is_bool (u->dtype))
    set (u, s->vmin > 0 || s->vmax < 0, s->vmin != 0 || s->vmax != 0);
  else if (ls_dtype_base (u->dtype) == LS_BASE_UINT64 ? s->vmin >= 0 : s->vmin >= u->vmin && s->vmax <= u->vmax)
    set (u, s->vmin, s->vmax);
}

void
ls_uop_init_bounds (LsUOp *u)
{
  u->bounds_state = 0;
  if (ls_dtype_is_ptr (u->dtype) || ls_dtype_is_float (u->dtype) || ls_dtype_base (u->dtype) == LS_BASE_VOID) {
    set (u, G_MININT64, G_MAXINT64);
    return;
  }
  whole_range (u, &u->vmin, &u->vmax);
  switch ((LsOp) u->op) {
  case LS_OP_CONST: case LS_OP_VCONST: case LS_OP_IOTA: constant_bounds (u); break;
  case LS_OP_RANGE: case LS_OP_SPECIAL:
    if (u->n_src > 0 && !ls_dtype_is_float (u->src[0]->dtype) && u->src[0]->vmax >= 1)
      set (u, 0, MIN (u->vmax, u->src[0]->vmax - 1));
    break;
  case LS_OP_VECTORIZE:
    if (u->n_src > 0)
      source_bounds (u, 0);
    break;
  case LS_OP_BIND: case LS_OP_DEFINE_VAR:
    if (u->arg.kind == LS_ARG_VAR)
      set (u, MAX (u->vmin, u->arg.var->min), MIN (u->vmax, u->arg.var->max));
    break;
  case LS_OP_LIMIT: case LS_OP_AT:
    if (u->n_src == 2)
      set (u, u->src[0]->vmin, u->src[0]->vmax);
    break;
  case LS_OP_GEP: case LS_OP_UNROLL: case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_SHRINK:
  case LS_OP_FLIP: case LS_OP_CONTIGUOUS: case LS_OP_CONTIGUOUS_BACKWARD: case LS_OP_DETACH:
    if (u->n_src == 1 && !ls_dtype_is_float (u->src[0]->dtype) && !ls_dtype_is_ptr (u->src[0]->dtype))
      set (u, u->src[0]->vmin, u->src[0]->vmax);
    break;
  case LS_OP_CAST: cast_bounds (u); break;
  case LS_OP_NEG:
    if (u->n_src == 1 && !is_open (u->src[0]))
      set_if_fits (u, -(__int128) u->src[0]->vmax, -(__int128) u->src[0]->vmin);
    break;
  case LS_OP_NOT:
    if (u->n_src == 1 && ls_dtype_is_bool (u->dtype))
      set (u, !u->src[0]->vmax, !u->src[0]->vmin);
    else if (u->n_src == 1 && ls_dtype_kind (u->dtype) == LS_KIND_INT)
      set (u, ~u->src[0]->vmax, ~u->src[0]->vmin);
    break;
  case LS_OP_WHERE:
    if (u->n_src == 3 && !ls_dtype_is_float (u->src[1]->dtype) && !ls_dtype_is_float (u->src[2]->dtype))
      source_bounds (u, 1);
    break;
  default:
    if (ls_op_info (u->op)->op_class == LS_CLASS_BINARY && u->n_src == 2)
      bounds_binary (u);
    break;
  }
}

void
ls_uop_bounds (LsContext *ctx, LsUOp *u, gint64 *vmin, gint64 *vmax)
{
  *vmin = u->vmin;
  *vmax = u->vmax;
}

static gint64
gcd (gint64 a, gint64 b)
{
  a = ABS (a);
  b = ABS (b);
  while (b) {
    gint64 t = a % b;
    a = b;
    b = t;
  }
  return a;
}

static gint64
divisor (const LsUOp *u, int depth)
{
  if (depth == 0 || ls_dtype_is_float (u->dtype))
    return 1;
  switch ((LsOp) u->op) {
  case LS_OP_CONST: return u->arg.kind == LS_ARG_INT && u->arg.i != G_MININT64 ? ABS (u->arg.i) : 1;
  case LS_OP_ADD: case LS_OP_SUB: return gcd (divisor (u->src[0], depth - 1), divisor (u->src[1], depth - 1));
  case LS_OP_MUL: {
    gint64 p;
    if (ls_dtype_base (u->dtype) != LS_BASE_INDEX || __builtin_mul_overflow (divisor (u->src[0], depth - 1), divisor (u->src[1], depth - 1),
                                                                             &p))
      return 1;
    return p;
  }
  case LS_OP_NEG: return divisor (u->src[0], depth - 1);
  default: return 1;
  }
}

gint64
ls_uop_divisor (LsUOp *u)
{
  return ls_dtype_base (u->dtype) == LS_BASE_INDEX || u->op == LS_OP_CONST ? divisor (u, 16) : 1;
}
