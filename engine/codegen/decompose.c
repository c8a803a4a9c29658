/* Terms of decompose.rules: which ops are written in others; a division by a constant as a product and a shift.
 *
 * Let |x| <= X, d > 0 the divisor, s >= 0 a number of bits, m = floor (2^s / d) + 1 and e = m d - 2^s, so that 1 <= e <= d. For x = q
 * d + r with 0 <= r < d
 *
 *     x m / 2^s = x (2^s + e) / (d 2^s) = q + r / d + x e / (d 2^s).
 *
 * Where X e < 2^s, the last part is at least 0 and less than 1 / d, and r / d is at most 1 - 1 / d: together they are less than 1,
 * and the shifted product (x m) >> s is q, exactly. For x = -(q d + r) the same sum is negative, greater than -(q + 1) and, since e
 * >= 1, less than -q where x is not 0: shifted, which rounds down, it is -(q + 1); the quotient rounded towards zero is one more.
 * (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994; Warren, "Hacker's Delight", chapter 10.)
 *
 * e <= d and X e < 2^s hold from some s on, and m grows with s; so the first s for which it holds has the smallest product. It must fit
 * the integers that it is computed in: |x m| <= X m. The node's bounds show that x is X. For an unsigned 32-bit integer and a 33-bit m
 * the product does not fit 64 bits; there x m >> s = (x + (x (m - 2^32) >> 32)) >> (s - 32), since shifting by s is shifting by 32 and
 * then by the rest, and x 2^32 has no lower bits.
 */
#include "codegen.h"

typedef struct { guint64 factor; guint distance; LsDType dtype; gboolean sums; } Product;

/* The largest value of the dtype in which a product may be computed; for index that of int, so that a kernel that counts in int
 * continues to. */
static unsigned __int128
room_of (LsDType d)
{
  return ls_dtype_base (d) == LS_BASE_INDEX ? (unsigned __int128) G_MAXINT32 : (unsigned __int128) ls_dtype_max_u (d);
}

/* FALSE: no integer dtype holds the product, or it would not be faster. */
static gboolean
find_product (const LsUOp *x, gint64 divisor, Product *p)
{
  static const LsDType wider[] = { LS_INT32, LS_INT64, LS_UINT64 };
  if (divisor < 2 || !ls_dtype_is_int (x->dtype) || ls_dtype_lanes (x->dtype) != 1 || (ls_dtype_base (x->dtype) == LS_BASE_UINT64 &&
                                                                                       x->vmin < 0))
    return FALSE;
  unsigned __int128 d = (guint64) divisor, most = x->vmin < 0 ? -(unsigned __int128) (__int128) x->vmin : 0, m = 0, one = 1;
  most = x->vmax > 0 && (unsigned __int128) x->vmax > most ? (unsigned __int128) x->vmax : most;
  for (p->distance = 0; p->distance < 126; p->distance++) {
    m = (one << p->distance) / d + 1;
    if (most * (m * d - (one << p->distance)) < one << p->distance)
      break;
  }
  if (m > G_MAXUINT64)
    return FALSE;
  p->factor = (guint64) m;
  p->sums = FALSE;
  p->dtype = x->dtype;
  if (m * most <= room_of (x->dtype) && p->distance < ls_dtype_bits (x->dtype))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (wider); i++) {
    p->dtype = wider[i];
    if (m * most <= room_of (p->dtype) && p->distance < ls_dtype_bits (p->dtype) && (ls_dtype_bits (p->dtype) >= ls_dtype_bits (x->dtype) ||
                                                                                     ls_dtype_base (x->dtype) == LS_BASE_INDEX) &&
        (p->dtype != LS_UINT64 || x->vmin >= 0))
      return TRUE;
  }
  p->sums = x->vmin >= 0 && most <= G_MAXUINT32 && m >> 32 == 1 && p->distance >= 32;
  p->factor = p->sums ? (guint64) (m - (one << 32)) : p->factor;
  p->distance -= p->sums ? 32 : 0;
  return p->sums;
}

#define TERM(name) static gboolean name (LsTermCall *call, const LsTermValue *args, LsTermValue *out)

static gboolean
is_wanted (const LsTermCall *call, const LsTermValue *args, Product *p)
{
  return ((const LsDecomposeContext *) call->pass)->products && find_product (args[0].node, args[1].num, p);
}

TERM (by_product)
{
  Product p;
  gint64 d = args[1].num;
  gboolean shifts = d > 1 && (d & (d - 1)) == 0 && ls_dtype_lanes (args[0].node->dtype) == 1;
  out->holds = ((const LsDecomposeContext *) call->pass)->products && (shifts || find_product (args[0].node, d, &p));
  return TRUE;
}

TERM (own_product)
{
  Product p;
  out->holds = is_wanted (call, args, &p) && !p.sums && p.dtype == args[0].node->dtype;
  return TRUE;
}

TERM (wide_product)
{
  Product p;
  out->holds = is_wanted (call, args, &p) && !p.sums && p.dtype != args[0].node->dtype;
  return TRUE;
}

TERM (product_and_sum)
{
  Product p;
  out->holds = is_wanted (call, args, &p) && p.sums;
  return TRUE;
}

TERM (product_dtype)
{
  Product p;
  if (!is_wanted (call, args, &p))
    return FALSE;
  out->dtype = p.dtype;
  return TRUE;
}

TERM (factor)
{
  Product p;
  if (!is_wanted (call, args, &p))
    return FALSE;
  out->num = (gint64) p.factor;
  return TRUE;
}

TERM (distance)
{
  Product p;
  if (!is_wanted (call, args, &p))
    return FALSE;
  out->num = p.distance;
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_decompose_terms[] = {
  { "by_product", "decompose", V (BOOL), 2, { V (NODE), V (NUM) }, by_product,
    "Is the division by this constant replaced by a shift, or by a product and a shift?" },
  { "own_product", "decompose", V (BOOL), 2, { V (NODE), V (NUM) }, own_product,
    "Does the product that replaces the division fit the node's own dtype?" },
  { "wide_product", "decompose", V (BOOL), 2, { V (NODE), V (NUM) }, wide_product,
    "Does the product that replaces the division fit only a wider dtype?" },
  { "product_and_sum", "decompose", V (BOOL), 2, { V (NODE), V (NUM) }, product_and_sum,
    "Does the division need a 33-bit factor, whose highest bit is added separately?" },
  { "product_dtype", "decompose", V (DTYPE), 2, { V (NODE), V (NUM) }, product_dtype, "The integer dtype that holds the product which "
                                                                                      "replaces a division." },
  { "factor", "decompose", V (NUM), 2, { V (NODE), V (NUM) }, factor,
    "The factor that replaces division by the constant d: floor (2^s / d) + 1." },
  { "distance", "decompose", V (NUM), 2, { V (NODE), V (NUM) }, distance, "The number of bits s by which that product is shifted." },
  { NULL },
};
