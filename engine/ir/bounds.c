/* Bounds and divisors of integer nodes, from which the symbolic rules know what cannot happen.
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
bounds_binary (LsUOp *u)
{
  const LsUOp *a = u->src[0], *b = u->src[1];
  if ((is_open (a) || is_open (b)) && u->op != LS_OP_MAX && ls_dtype_base (u->dtype) == LS_BASE_INDEX) {
    if (u->op == LS_OP_FLOORMOD && b->vmin > 0 && b->vmax < G_MAXINT64) {
      u->vmin = 0;
      u->vmax = b->vmax - 1;
    }
    return;
  }
  gboolean ints = !ls_dtype_is_float (a->dtype);
  gint64 al = a->vmin, ah = a->vmax, bl = b->vmin, bh = b->vmax;
  switch ((LsOp) u->op) {
  case LS_OP_ADD: set_if_fits (u, (__int128) al + bl, (__int128) ah + bh); break;
  case LS_OP_SUB: set_if_fits (u, (__int128) al - bh, (__int128) ah - bl); break;
  case LS_OP_MUL: {
    __int128 p[4] = { (__int128) al * bl, (__int128) al * bh, (__int128) ah * bl, (__int128) ah * bh }, lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) {
      lo = MIN (lo, p[i]);
      hi = MAX (hi, p[i]);
    }
    set_if_fits (u, lo, hi);
    break;
  }
  case LS_OP_MAX:
    u->vmin = MAX (al, bl);
    u->vmax = MAX (ah, bh);
    if (ls_dtype_base (u->dtype) == LS_BASE_UINT64 && (al < 0 || bl < 0))
      whole_range (u, &u->vmin, &u->vmax);
    break;
  case LS_OP_IDIV: case LS_OP_FLOORDIV:
    if (bl > 0 && bl == bh && (al >= 0 || ls_dtype_base (u->dtype) != LS_BASE_UINT64)) {
      u->vmin = u->op == LS_OP_IDIV ? al / bl : floordiv (al, bl);
      u->vmax = u->op == LS_OP_IDIV ? ah / bl : floordiv (ah, bl);
    } else if (bl > 0 && al >= 0) {
      u->vmin = al / bh;
      u->vmax = ah / bl;
    }
    break;
  case LS_OP_MOD:
    if (bl > 0 && al >= 0) {
      u->vmin = bl == bh && al / bl == ah / bl ? al % bl : 0;
      u->vmax = bl == bh && al / bl == ah / bl ? ah % bl : MIN (ah, bh - 1);
    } else if (bl > 0 && ls_dtype_base (u->dtype) != LS_BASE_UINT64) {
      u->vmin = MAX (al, 1 - bh);
      u->vmax = ah < 0 ? 0 : MIN (ah, bh - 1);
    }
    break;
  case LS_OP_FLOORMOD:
    if (bl > 0 && (al >= 0 || ls_dtype_base (u->dtype) != LS_BASE_UINT64)) {
      gboolean same = bl == bh && floordiv (al, bl) == floordiv (ah, bl);
      u->vmin = same ? al - floordiv (al, bl) * bl : 0;
      u->vmax = same ? ah - floordiv (ah, bl) * bl : al >= 0 ? MIN (ah, bh - 1) : bh - 1;
    }
    break;
  case LS_OP_CMPLT:
    if (ints && ah < bl)
      u->vmin = 1;
    else if (ints && al >= bh && !(ls_dtype_base (a->dtype) == LS_BASE_UINT64 && bl < 0))
      u->vmax = 0;
    if (ints && ls_dtype_base (a->dtype) == LS_BASE_UINT64 && (al < 0 || bl < 0)) {
      u->vmin = 0;
      u->vmax = 1;
    }
    break;
  case LS_OP_CMPEQ: case LS_OP_CMPNE:
    if (ints && (ah < bl || bh < al))
      u->vmin = u->vmax = u->op == LS_OP_CMPNE;
    else if (ints && al == ah && bl == bh)
      u->vmin = u->vmax = (al == bl) == (u->op == LS_OP_CMPEQ);
    break;
  case LS_OP_AND:
    if (ls_dtype_is_bool (u->dtype)) {
      u->vmin = al & bl;
      u->vmax = ah & bh;
    } else if (al >= 0 || bl >= 0) {
      u->vmin = 0;
      u->vmax = al >= 0 && bl >= 0 ? MIN (ah, bh) : al >= 0 ? ah : bh;
    }
    break;
  case LS_OP_OR: case LS_OP_XOR:
    if (ls_dtype_is_bool (u->dtype)) {
      if (u->op == LS_OP_OR) {
        u->vmin = al | bl;
        u->vmax = ah | bh;
      } else if (al == ah && bl == bh) {
        u->vmin = u->vmax = al ^ bl;
      }
    }
    break;
  case LS_OP_SHL:
    if (bl == bh && bl >= 0 && bl < MIN (62, (gint64) ls_dtype_bits (u->dtype)))
      set_if_fits (u, (__int128) al << bl, (__int128) ah << bl);
    break;
  case LS_OP_SHR:
    if (bl == bh && bl >= 0 && bl < (gint64) ls_dtype_bits (u->dtype) && (al >= 0 || ls_dtype_base (u->dtype) != LS_BASE_UINT64)) {
      u->vmin = al >> bl;
      u->vmax = ah >> bl;
    }
    break;
  default: break;
  }
}

void
ls_uop_init_bounds (LsUOp *u)
{
  u->bounds_state = 0;
  if (ls_dtype_is_ptr (u->dtype) || ls_dtype_is_float (u->dtype) || ls_dtype_base (u->dtype) == LS_BASE_VOID) {
    u->vmin = G_MININT64;
    u->vmax = G_MAXINT64;
    return;
  }
  whole_range (u, &u->vmin, &u->vmax);
  switch ((LsOp) u->op) {
  case LS_OP_CONST:
    if (u->arg.kind == LS_ARG_INT)
      u->vmin = u->vmax = u->arg.i;
    if (ls_dtype_base (u->dtype) == LS_BASE_UINT64 && u->vmin < 0)
      whole_range (u, &u->vmin, &u->vmax);
    break;
  case LS_OP_IOTA:
    if (u->arg.kind == LS_ARG_INT && u->arg.i >= 1 && u->arg.i - 1 <= u->vmax) {
      u->vmin = 0;
      u->vmax = u->arg.i - 1;
    }
    break;
  case LS_OP_VCONST:
    if (u->arg.kind == LS_ARG_INTS && u->arg.n > 0) {
      u->vmin = u->vmax = u->arg.ints[0];
      for (guint i = 1; i < u->arg.n; i++) {
        u->vmin = MIN (u->vmin, u->arg.ints[i]);
        u->vmax = MAX (u->vmax, u->arg.ints[i]);
      }
    }
    break;
  case LS_OP_RANGE: case LS_OP_SPECIAL:
    if (u->n_src > 0 && !ls_dtype_is_float (u->src[0]->dtype) && u->src[0]->vmax >= 1) {
      u->vmin = 0;
      u->vmax = MIN (u->vmax, u->src[0]->vmax - 1);
    }
    break;
  case LS_OP_VECTORIZE:
    if (u->n_src > 0) {
      u->vmin = u->src[0]->vmin;
      u->vmax = u->src[0]->vmax;
      for (guint i = 1; i < u->n_src; i++) {
        u->vmin = MIN (u->vmin, u->src[i]->vmin);
        u->vmax = MAX (u->vmax, u->src[i]->vmax);
      }
    }
    break;
  case LS_OP_BIND: case LS_OP_DEFINE_VAR:
    if (u->arg.kind == LS_ARG_VAR) {
      u->vmin = MAX (u->vmin, u->arg.var->min);
      u->vmax = MIN (u->vmax, u->arg.var->max);
    }
    break;
  case LS_OP_LIMIT: case LS_OP_AT:
    if (u->n_src == 2 && !ls_dtype_is_float (u->dtype)) {
      u->vmin = u->src[0]->vmin;
      u->vmax = u->src[0]->vmax;
    }
    break;
  case LS_OP_GEP: case LS_OP_UNROLL: case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_SHRINK:
  case LS_OP_FLIP: case LS_OP_CONTIGUOUS: case LS_OP_CONTIGUOUS_BACKWARD: case LS_OP_DETACH:
    if (u->n_src == 1 && !ls_dtype_is_float (u->src[0]->dtype) && !ls_dtype_is_ptr (u->src[0]->dtype)) {
      u->vmin = u->src[0]->vmin;
      u->vmax = u->src[0]->vmax;
    }
    break;
  case LS_OP_CAST:
    if (u->n_src == 1 && ls_dtype_kind (u->src[0]->dtype) > LS_KIND_VOID && !ls_dtype_is_float (u->src[0]->dtype) &&
        !ls_dtype_is_ptr (u->src[0]->dtype)) {
      const LsUOp *s = u->src[0];
      if (ls_dtype_base (s->dtype) == LS_BASE_UINT64 && s->vmin < 0)
        break;
      if (ls_dtype_is_bool (u->dtype)) {
        u->vmin = s->vmin > 0 || s->vmax < 0;
        u->vmax = s->vmin != 0 || s->vmax != 0;
      } else if (ls_dtype_base (u->dtype) == LS_BASE_UINT64 ? s->vmin >= 0 : s->vmin >= u->vmin && s->vmax <= u->vmax) {
        u->vmin = s->vmin;
        u->vmax = s->vmax;
      }
    }
    break;
  case LS_OP_NEG:
    if (u->n_src == 1 && !is_open (u->src[0]))
      set_if_fits (u, -(__int128) u->src[0]->vmax, -(__int128) u->src[0]->vmin);
    break;
  case LS_OP_NOT:
    if (u->n_src == 1 && ls_dtype_is_bool (u->dtype)) {
      u->vmin = !u->src[0]->vmax;
      u->vmax = !u->src[0]->vmin;
    } else if (u->n_src == 1 && ls_dtype_kind (u->dtype) == LS_KIND_INT) {
      u->vmin = ~u->src[0]->vmax;
      u->vmax = ~u->src[0]->vmin;
    }
    break;
  case LS_OP_WHERE:
    if (u->n_src == 3 && !ls_dtype_is_float (u->src[1]->dtype) && !ls_dtype_is_float (u->src[2]->dtype)) {
      u->vmin = MIN (u->src[1]->vmin, u->src[2]->vmin);
      u->vmax = MAX (u->src[1]->vmax, u->src[2]->vmax);
    }
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
