/* The instructions of one row.
 *
 * They follow ir/eval.h for all inputs. LLVM gives no meaning to a division by zero, a shift by the width or more, and a float outside
 * the integer that it becomes: what may meet one of these is computed of a harmless operand, and a select puts the stated result in its
 * place (known bounds save that). A sum, difference or product of which the bounds show that it does not wrap says so (nsw), which lets
 * LLVM combine index arithmetic with addresses. Calls of the C library are nobuiltin: LLVM would replace pow (x, 2) by a product, which
 * may have other bits.
 */
#include "llvm-private.h"

#include <math.h>
#include <string.h>

#include "function-text.h"

#define SRC(r, s) ls_llvm_source (r, s)

static gboolean
is_unsigned_like (LsDType d)
{
  return ls_dtype_is_unsigned (d) || ls_dtype_is_bool (d);
}

static const char *splat (LsLlvm *r, LsDType d, gint64 i) { return ls_llvm_keep (r, ls_llvm_splat (d, i)); }
static const char *splat_float (LsLlvm *r, LsDType d, double f) { return ls_llvm_keep (r, ls_llvm_splat_float (d, f)); }

/* The type of conditions about values of d. */
static const char *
bit_type (LsDType d)
{
  return ls_llvm_type (ls_dtype_vec (LS_BOOL, ls_dtype_lanes (d)));
}

static LsDType
with_base (LsDType base, LsDType lanes_of)
{
  return ls_dtype_vec (base, ls_dtype_lanes (lanes_of));
}

/* --- small floats --- */

/* The functions that convert a dtype which is kept as bits; those of 8 bits take doubles. */
static const struct { const char *from_float, *from_double, *to_float; } conversions[LS_N_BASES] = {
  [LS_BASE_FP8E4M3] = { NULL, "ls_d2q", "ls_q2f" }, [LS_BASE_FP8E5M2] = { NULL, "ls_d2r", "ls_r2f" },
  [LS_BASE_HALF] = { "ls_f2h", "ls_d2h", "ls_h2f" }, [LS_BASE_BFLOAT16] = { "ls_f2b", "ls_d2b", "ls_b2f" },
};

/* The call of a function of scalars, from and to texts of their types, for each lane of vectors like `like`. end: what follows the call. */
static const char *
call_each_lane (LsLlvm *r, LsDType like, const char *to, const char *name, const char *from, guint n, const char *const *values,
                const char *end)
{
  guint lanes = ls_dtype_lanes (like);
  const char *all = "undef";
  for (guint lane = 0; lane < lanes; lane++) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_string_printf (text, "call %s @%s(", to, name);
    for (guint k = 0; k < n; k++)
      g_string_append_printf (text, "%s%s %s", k ? ", " : "", from, lanes == 1 ? values[k] :
                              ls_llvm_part (r, "extractelement <%u x %s> %s, i32 %u", lanes, from, values[k], lane));
    const char *one = ls_llvm_part (r, "%s)%s", text->str, end);
    all = lanes == 1 ? one : ls_llvm_part (r, "insertelement <%u x %s> %s, %s %s, i32 %u", lanes, to, all, to, one, lane);
  }
  return all;
}

static const char *
bits_of_small (LsLlvm *r, LsDType dtype, const char *value, gboolean from_double)
{
  LsBase base = ls_dtype_base (dtype);
  const char *narrow = conversions[base].from_float, *name = from_double || !narrow ? conversions[base].from_double : narrow;
  ls_llvm_need (r, name);
  if (!from_double && !narrow)
    value = ls_llvm_part (r, "fpext %s %s to %s", ls_llvm_type (with_base (LS_FLOAT, dtype)), value,
                          ls_llvm_type (with_base (LS_DOUBLE, dtype)));
  return call_each_lane (r, dtype, ls_llvm_stored (ls_dtype_scalar (dtype)), name, from_double || !narrow ? "double" : "float", 1, &value,
                         "");
}

static const char *
small_of_bits (LsLlvm *r, LsDType dtype, const char *bits)
{
  const char *name = conversions[ls_dtype_base (dtype)].to_float;
  ls_llvm_need (r, name);
  return call_each_lane (r, dtype, "float", name, ls_llvm_stored (ls_dtype_scalar (dtype)), 1, &bits, "");
}

const char *
ls_llvm_from_memory (LsLlvm *r, LsDType dtype, const char *value)
{
  if (ls_dtype_is_small_float (dtype))
    return small_of_bits (r, dtype, value);
  if (ls_dtype_is_bool (dtype))
    return ls_llvm_part (r, "icmp ne %s %s, %s", ls_llvm_stored (dtype), value, splat (r, with_base (LS_UINT8, dtype), 0));
  return value;
}

const char *
ls_llvm_to_memory (LsLlvm *r, LsDType dtype, const char *value)
{
  if (ls_dtype_is_small_float (dtype))
    return bits_of_small (r, dtype, value, FALSE);
  if (ls_dtype_is_bool (dtype))
    return ls_llvm_part (r, "zext %s %s to %s", ls_llvm_type (dtype), value, ls_llvm_stored (dtype));
  return value;
}

const char *
ls_llvm_index (LsLlvm *r, guint s)
{
  const char *value = SRC (r, s), *type = ls_llvm_type (ls_llvm_source_dtype (r, s));
  if (strcmp (type, "i64") == 0)
    return value;
  if (value[0] != '%')      /* a constant has no type */
    return value;
  return ls_llvm_part (r, "%s %s %s to i64", is_unsigned_like (ls_llvm_source_dtype (r, s)) ? "zext" : "sext", type, value);
}

/* --- bounds --- */

static gboolean
bounds (LsLlvm *r, guint s, gint64 *low, gint64 *high)
{
  LsUOp *u = ls_llvm_node (r, r->row);
  *low = G_MININT64;
  *high = G_MAXINT64;
  if (s >= u->n_src)
    return FALSE;
  ls_uop_bounds (r->job->ctx, u->src[s], low, high);
  return *low > G_MININT64 && *high < G_MAXINT64;
}

static gboolean
fits (LsDType d, __int128 low, __int128 high)
{
  return low >= ls_dtype_min_i (d) && high <= (__int128) ls_dtype_max_u (d);
}

/* " nsw" where the bounds of the sources show that the result does not wrap; " nuw nsw" where none of the three is negative, too. */
static const char *
wraps (LsLlvm *r, LsOp op, LsDType d)
{
  gint64 a, b, c, e;
  LsDType one = ls_dtype_scalar (d);
  if (is_unsigned_like (d) || !bounds (r, 0, &a, &b) || !bounds (r, 1, &c, &e))
    return "";
  __int128 low, high;
  if (op == LS_OP_ADD) {
    low = (__int128) a + c;
    high = (__int128) b + e;
  } else if (op == LS_OP_SUB) {
    low = (__int128) a - e;
    high = (__int128) b - c;
  } else {
    __int128 products[] = { (__int128) a * c, (__int128) a * e, (__int128) b * c, (__int128) b * e };
    low = high = products[0];
    for (guint k = 1; k < 4; k++) {
      low = MIN (low, products[k]);
      high = MAX (high, products[k]);
    }
  }
  if (!fits (one, low, high))
    return "";
  return a >= 0 && c >= 0 && low >= 0 ? " nuw nsw" : " nsw";
}

static gboolean
is_small_shift (LsLlvm *r, guint width)
{
  gint64 low, high;
  bounds (r, 1, &low, &high);
  return low >= 0 && high < (gint64) width;
}

/* --- integers --- */

static void
write_division (LsLlvm *r, LsOp op, LsDType d)
{
  const char *type = ls_llvm_type (d), *bit = bit_type (d), *a = SRC (r, 0), *b = SRC (r, 1), *zero = splat (r, d, 0),
             *one = splat (r, d, 1);
  const char *word = op == LS_OP_IDIV ? (is_unsigned_like (d) ? "udiv" : "sdiv") : is_unsigned_like (d) ? "urem" : "srem";
  gint64 low, high, a_low, a_high;
  bounds (r, 1, &low, &high);
  bounds (r, 0, &a_low, &a_high);
  gboolean by_zero = low <= 0 && high >= 0,
           by_minus = !is_unsigned_like (d) && low <= -1 && high >= -1 && a_low <= ls_dtype_min_i (ls_dtype_scalar (d));
  const char *is_zero = by_zero ? ls_llvm_part (r, "icmp eq %s %s, %s", type, b, zero) : NULL, *is_minus = NULL, *either = is_zero;
  if (by_minus) {
    is_minus = ls_llvm_part (r, "icmp eq %s %s, %s", type, b, splat (r, d, -1));
    either = is_zero ? ls_llvm_part (r, "or %s %s, %s", bit, is_zero, is_minus) : is_minus;
  }
  if (!either) {
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s, %s", word, type, a, b)));
    return;
  }
  const char *divisor = ls_llvm_part (r, "select %s %s, %s %s, %s %s", bit, either, type, one, type, b);
  const char *result = ls_llvm_part (r, "%s %s %s, %s", word, type, a, divisor);
  if (is_minus && op == LS_OP_IDIV) {
    const char *negative = ls_llvm_part (r, "sub %s %s, %s", type, zero, a);
    if (!is_zero) {
      ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit, is_minus, type, negative, type, result)));
      return;
    }
    result = ls_llvm_part (r, "select %s %s, %s %s, %s %s", bit, is_minus, type, negative, type, result);
    either = is_zero;
  }
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit, either, type, zero, type, result)));
}

/* The value of a source as an integer of dtype d: both are integers. */
static const char *
resized (LsLlvm *r, const char *value, LsDType from, LsDType d)
{
  guint have = ls_dtype_is_bool (from) ? 1 : ls_dtype_bits (from), want = ls_dtype_is_bool (d) ? 1 : ls_dtype_bits (d);
  if (have == want)
    return value;
  return ls_llvm_part (r, "%s %s %s to %s", have > want ? "trunc" : is_unsigned_like (from) ? "zext" : "sext", ls_llvm_type (from), value,
                       ls_llvm_type (d));
}

static void
write_shift (LsLlvm *r, LsOp op, LsDType d)
{
  guint width = ls_dtype_bits (d);
  gboolean left = op == LS_OP_SHL, is_signed = !left && !is_unsigned_like (d);
  const char *type = ls_llvm_type (d), *bit = bit_type (d), *word = left ? "shl" : is_signed ? "ashr" : "lshr";
  LsDType of = ls_llvm_source_dtype (r, 1);
  const char *a = SRC (r, 0), *b = SRC (r, 1);
  if (is_small_shift (r, width)) {
    const char *distance = resized (r, b, of, d);
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s, %s", word, type, a, distance)));
    return;
  }
  /* the width is a number of the distance's dtype: else every distance fits */
  const char *small = ls_llvm_part (r, "icmp ult %s %s, %s", ls_llvm_type (of), b, splat (r, of, width));
  const char *distance = resized (r, b, of, d);
  distance = ls_llvm_part (r, "select %s %s, %s %s, %s %s", bit, small, type, distance, type, splat (r, d, is_signed ? width - 1 : 0));
  if (is_signed)
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s, %s", word, type, a, distance)));
  else {
    const char *shifted = ls_llvm_part (r, "%s %s %s, %s", word, type, a, distance);
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit, small, type, shifted, type,
                                                            splat (r, d, 0))));
  }
}

static void
write_power (LsLlvm *r, LsDType d)
{
  const char *name = is_unsigned_like (d) ? "ls_upow" : "ls_ipow";
  LsDType wide = with_base (is_unsigned_like (d) ? LS_UINT64 : LS_INT64, d);
  ls_llvm_need (r, name);
  const char *of[] = { resized (r, SRC (r, 0), d, wide), resized (r, SRC (r, 1), d, wide) };
  ls_llvm_set (r, resized (r, call_each_lane (r, d, "i64", name, "i64", 2, of, ""), wide, d), NULL);
}

/* bool computes in int and is compared with 0 then: a sum is or, a difference xor, a product and. */
static void
write_bool (LsLlvm *r, LsOp op, LsDType d)
{
  const char *type = ls_llvm_type (d), *a = SRC (r, 0), *b = ls_llvm_n_sources (r) > 1 ? SRC (r, 1) : NULL, *yes = splat (r, d, 1);
  const char *word = NULL;
  switch ((int) op) {
  case LS_OP_NEG: case LS_OP_TRUNC: ls_llvm_set (r, a, NULL); return;
  case LS_OP_NOT: ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("xor %s %s, %s", type, a, yes))); return;
  case LS_OP_ADD: case LS_OP_OR: case LS_OP_MAX: word = "or"; break;
  case LS_OP_SUB: case LS_OP_XOR: word = "xor"; break;
  case LS_OP_MUL: case LS_OP_AND: case LS_OP_IDIV: word = "and"; break;
  case LS_OP_MOD: ls_llvm_set (r, splat (r, d, 0), NULL); return;
  case LS_OP_SHL: case LS_OP_SHR: word = "and"; b = ls_llvm_part (r, "xor %s %s, %s", type, b, yes); break;
  case LS_OP_POW: word = "or"; b = ls_llvm_part (r, "xor %s %s, %s", type, b, yes); break;
  case LS_OP_MULACC: a = ls_llvm_part (r, "and %s %s, %s", type, a, b); b = SRC (r, 2); word = "or"; break;
  default: ls_llvm_fail (r, ls_llvm_node (r, r->row), "has no expression in this language"); return;
  }
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s, %s", word, type, a, b)));
}

static void
write_integer (LsLlvm *r, LsOp op, LsDType d)
{
  const char *type = ls_llvm_type (d), *a = SRC (r, 0), *b = ls_llvm_n_sources (r) > 1 ? SRC (r, 1) : NULL, *word = NULL, *flags = "";
  switch ((int) op) {
  case LS_OP_NEG: b = a; a = splat (r, d, 0); word = "sub"; break;
  case LS_OP_NOT: b = splat (r, d, -1); word = "xor"; break;
  case LS_OP_TRUNC: ls_llvm_set (r, a, NULL); return;
  case LS_OP_ADD: word = "add"; flags = wraps (r, op, d); break;
  case LS_OP_SUB: word = "sub"; flags = wraps (r, op, d); break;
  case LS_OP_MUL: word = "mul"; flags = wraps (r, op, d); break;
  case LS_OP_AND: word = "and"; break;
  case LS_OP_OR: word = "or"; break;
  case LS_OP_XOR: word = "xor"; break;
  case LS_OP_IDIV: case LS_OP_MOD: write_division (r, op, d); return;
  case LS_OP_SHL: case LS_OP_SHR: write_shift (r, op, d); return;
  case LS_OP_POW: write_power (r, d); return;
  case LS_OP_MULACC: a = ls_llvm_part (r, "mul %s %s, %s", type, a, b); b = SRC (r, 2); word = "add"; break;
  case LS_OP_MAX: {
    const char *less = ls_llvm_part (r, "icmp %s %s %s, %s", ls_dtype_is_unsigned (d) ? "ult" : "slt", type, a, b);
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit_type (d), less, type, b, type, a)));
    return;
  }
  default: ls_llvm_fail (r, ls_llvm_node (r, r->row), "has no expression in this language"); return;
  }
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s%s %s %s, %s", word, flags, type, a, b)));
}

/* --- floats --- */

/* The call of a function of the engine, whose text stands behind the kernel. */
static const char *
call_own (LsLlvm *r, LsDType d, const LsFunction *f)
{
  g_autoptr (GString) text = g_string_new (NULL);
  ls_function_print_llvm (text, f, TRUE);
  g_string_truncate (text, text->len - 1);
  ls_llvm_need (r, text->str);
  g_string_printf (text, "ls_%s", f->name);
  const char *x = SRC (r, 0), *type = ls_llvm_type (ls_dtype_scalar (d));
  return call_each_lane (r, d, type, text->str, type, 1, &x, "");
}

/* The call of the C library's function. */
static const char *
call_library (LsLlvm *r, LsDType d, const char *name)
{
  const char *type = ls_llvm_type (ls_dtype_scalar (d)), *of[2];
  guint n = MIN (ls_llvm_n_sources (r), 2);
  g_autofree char *called = g_strconcat (name, ls_dtype_base (d) == LS_BASE_DOUBLE ? "" : "f", NULL),
                  *declared = g_strdup_printf ("declare %s @%s(%s%s%s) nounwind readnone willreturn", type, called, type, n > 1 ? ", " : "",
                                               n > 1 ? type : "");
  for (guint s = 0; s < n; s++)
    of[s] = SRC (r, s);
  ls_llvm_need (r, declared);
  return call_each_lane (r, d, type, called, type, n, of, " nobuiltin");
}

/* The call of a function that LLVM computes exactly: square root, truncation, MULACC. */
static char *
call_llvm (LsLlvm *r, LsDType d, const char *name)
{
  const char *type = ls_llvm_type (d);
  guint n = MIN (ls_llvm_n_sources (r), 3), bits = ls_dtype_base (d) == LS_BASE_DOUBLE ? 64 : 32;
  g_autofree char *called = ls_dtype_lanes (d) > 1 ? g_strdup_printf ("llvm.%s.v%uf%u", name, ls_dtype_lanes (d), bits)
                                                   : g_strdup_printf ("llvm.%s.f%u", name, bits);
  GString *text = g_string_new (NULL);
  g_autoptr (GString) declared = g_string_new (NULL);
  g_string_append_printf (declared, "declare %s @%s(", type, called);
  g_string_append_printf (text, "call %s @%s(", type, called);
  for (guint s = 0; s < n; s++) {
    g_string_append_printf (declared, "%s%s", s ? ", " : "", type);
    g_string_append_printf (text, "%s%s %s", s ? ", " : "", type, SRC (r, s));
  }
  g_string_append_c (declared, ')');
  g_string_append_c (text, ')');
  ls_llvm_need (r, declared->str);
  return g_string_free (text, FALSE);
}

static void
write_max (LsLlvm *r, LsDType d)
{
  const char *type = ls_llvm_type (d), *bit = bit_type (d), *a = SRC (r, 0), *b = SRC (r, 1);
  const char *takes = ls_llvm_part (r, "fcmp olt %s %s, %s", type, a, b);
  LsUOp *u = ls_llvm_node (r, r->row);
  if (!(u->src[1]->op == LS_OP_CONST && !isnan (u->src[1]->arg.f))) {      /* a NaN on the right is the maximum */
    const char *nan = ls_llvm_part (r, "fcmp uno %s %s, %s", type, b, splat_float (r, d, 0));
    takes = ls_llvm_part (r, "or %s %s, %s", bit, takes, nan);
  }
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit, takes, type, b, type, a)));
}

static gboolean
rounds (LsOp op)
{
  switch ((int) op) {
  case LS_OP_ADD: case LS_OP_SUB: case LS_OP_MUL: case LS_OP_FDIV: case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2:
  case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_POW: case LS_OP_MULACC: return TRUE;
  default: return FALSE;
  }
}

/* exp2, log2, sin and pow: the engine's, or the library's. NULL: it is none of these. */
static const char *
write_call (LsLlvm *r, LsOp op, LsDType d)
{
  const LsFunction *own = r->job->settings->TRANSCENDENTAL ? ls_function_of (op, d) : NULL;
  switch (own ? LS_N_OPS : (int) op) {
  case LS_N_OPS: return call_own (r, d, own);
  case LS_OP_EXP2: return call_library (r, d, "exp2");
  case LS_OP_LOG2: return call_library (r, d, "log2");
  case LS_OP_SIN: return call_library (r, d, "sin");
  case LS_OP_POW: return call_library (r, d, "pow");
  default: return NULL;
  }
}

static void
write_float (LsLlvm *r, LsOp op, LsDType d)
{
  const char *type = ls_llvm_type (d), *a = SRC (r, 0), *b = ls_llvm_n_sources (r) > 1 ? SRC (r, 1) : NULL, *word = NULL;
  const char *called = write_call (r, op, d);
  gboolean is_rounded = ls_dtype_is_small_float (d) && rounds (op);
  char *text = NULL;
  switch (called ? LS_N_OPS : (int) op) {
  case LS_N_OPS: break;
  case LS_OP_NEG: text = g_strdup_printf ("fneg %s %s", type, a); break;
  case LS_OP_RECIP: b = a; a = splat_float (r, d, 1); word = "fdiv"; break;
  case LS_OP_SQRT: text = call_llvm (r, d, "sqrt"); break;
  case LS_OP_TRUNC: text = call_llvm (r, d, "trunc"); break;
  case LS_OP_MULACC: text = call_llvm (r, d, "fma"); break;
  case LS_OP_ADD: word = "fadd"; break;
  case LS_OP_SUB: word = "fsub"; break;
  case LS_OP_MUL: word = "fmul"; break;
  case LS_OP_FDIV: word = "fdiv"; break;
  case LS_OP_MAX: write_max (r, d); return;
  default: ls_llvm_fail (r, ls_llvm_node (r, r->row), "is defined for integers only"); return;
  }
  if (word)
    text = g_strdup_printf ("%s %s %s, %s", word, type, a, b);
  const char *made = text ? ls_llvm_keep (r, text) : NULL;
  if (is_rounded) {
    const char *wide = called ? called : ls_llvm_part (r, "%s", made);
    ls_llvm_set (r, small_of_bits (r, d, bits_of_small (r, d, wide, FALSE)), NULL);
  } else
    ls_llvm_set (r, called, made);
}

/* --- comparisons and conversions --- */

static void
write_comparison (LsLlvm *r, LsOp op)
{
  LsDType d = ls_llvm_source_dtype (r, 0);
  const char *word;
  if (ls_dtype_is_float (d))
    word = op == LS_OP_CMPLT ? "fcmp olt" : op == LS_OP_CMPEQ ? "fcmp oeq" : "fcmp une";
  else
    word = op == LS_OP_CMPLT ? is_unsigned_like (d) ? "icmp ult" : "icmp slt" : op == LS_OP_CMPEQ ? "icmp eq" : "icmp ne";
  ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s, %s", word, ls_llvm_type (d), SRC (r, 0), SRC (r, 1))));
}

/* From a float to an integer of that many bits; outside its range, and for a NaN, its smallest. */
static const char *
to_signed (LsLlvm *r, LsDType from, const char *x, guint bits, LsDType lanes_of)
{
  LsDType d = with_base (bits == 32 ? LS_INT32 : LS_INT64, lanes_of);
  const char *type = ls_llvm_type (from), *bit = bit_type (from), *to = ls_llvm_type (d);
  double limit = bits == 32 ? 2147483648.0 : 9223372036854775808.0;
  gboolean is_wide = bits == 32 && ls_dtype_base (from) == LS_BASE_DOUBLE;      /* between two integers below the smallest, too */
  const char *above = ls_llvm_part (r, "fcmp %s %s %s, %s", is_wide ? "ogt" : "oge", type, x,
                                    splat_float (r, from, is_wide ? -limit - 1 : -limit));
  const char *below = ls_llvm_part (r, "fcmp olt %s %s, %s", type, x, splat_float (r, from, limit));
  const char *inside = ls_llvm_part (r, "and %s %s, %s", bit, above, below);
  const char *converted = ls_llvm_part (r, "fptosi %s %s to %s", type, x, to);
  return ls_llvm_part (r, "select %s %s, %s %s, %s %s", bit, inside, to, converted, to,
                       splat (r, d, bits == 32 ? G_MININT32 : G_MININT64));
}

static void
cast_to_integer (LsLlvm *r, LsDType from, LsDType to, const char *x)
{
  const char *type = ls_llvm_type (from);
  if (ls_dtype_is_small_float (from))
    from = with_base (LS_FLOAT, from);
  if (ls_dtype_is_bool (to)) {
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("fcmp une %s %s, %s", type, x, splat_float (r, from, 0))));
    return;
  }
  LsBase base = ls_dtype_base (to);
  if (base == LS_BASE_UINT64) {
    const char *bit = bit_type (from), *two63 = splat_float (r, from, 9223372036854775808.0);
    const char *high = ls_llvm_part (r, "fcmp oge %s %s, %s", type, x, two63);
    const char *low = ls_llvm_part (r, "fcmp olt %s %s, %s", type, x, splat_float (r, from, 18446744073709551616.0));
    const char *both = ls_llvm_part (r, "and %s %s, %s", bit, high, low);
    const char *less = ls_llvm_part (r, "fsub %s %s, %s", type, x, two63);
    const char *taken = ls_llvm_part (r, "select %s %s, %s %s, %s %s", bit, both, type, less, type, x);
    const char *value = to_signed (r, from, taken, 64, from);
    const char *flipped = ls_llvm_part (r, "xor %s %s, %s", ls_llvm_type (to), value, splat (r, to, G_MININT64));
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", bit, both, ls_llvm_type (to), flipped,
                                                            ls_llvm_type (to), value)));
    return;
  }
  guint bits = base == LS_BASE_UINT32 || base == LS_BASE_INT64 || base == LS_BASE_INDEX ? 64 : 32;
  ls_llvm_set (r, resized (r, to_signed (r, from, x, bits, from), with_base (bits == 64 ? LS_INT64 : LS_INT32, from), to), NULL);
}

/* An integer as a float or double of that many lanes. */
static const char *
float_of_integer (LsLlvm *r, LsDType from, const char *x, LsDType to)
{
  return ls_llvm_part (r, "%s %s %s to %s", is_unsigned_like (from) ? "uitofp" : "sitofp", ls_llvm_type (from), x, ls_llvm_type (to));
}

static void
cast_to_float (LsLlvm *r, LsDType from, LsDType to, const char *x)
{
  gboolean small = ls_dtype_is_small_float (to), of_double = ls_dtype_base (from) == LS_BASE_DOUBLE;
  if (small) {
    if (!ls_dtype_is_float (from)) {
      of_double = ls_dtype_bits (from) >= 32;
      x = float_of_integer (r, from, x, with_base (of_double ? LS_DOUBLE : LS_FLOAT, from));
    }
    ls_llvm_set (r, small_of_bits (r, to, bits_of_small (r, to, x, of_double)), NULL);
  } else if (!ls_dtype_is_float (from))
    ls_llvm_set (r, float_of_integer (r, from, x, to), NULL);
  else if (strcmp (ls_llvm_type (from), ls_llvm_type (to)) == 0)
    ls_llvm_set (r, x, NULL);
  else
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("%s %s %s to %s", of_double ? "fptrunc" : "fpext", ls_llvm_type (from), x,
                                                            ls_llvm_type (to))));
}

static void
write_cast (LsLlvm *r, LsDType to)
{
  LsDType from = ls_llvm_source_dtype (r, 0);
  const char *x = SRC (r, 0);
  if (ls_dtype_is_float (to))
    cast_to_float (r, from, to, x);
  else if (ls_dtype_is_float (from))
    cast_to_integer (r, from, to, x);
  else if (ls_dtype_is_bool (to) && !ls_dtype_is_bool (from))
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("icmp ne %s %s, %s", ls_llvm_type (from), x, splat (r, from, 0))));
  else
    ls_llvm_set (r, resized (r, x, from, to), NULL);
}

static void
write_bitcast (LsLlvm *r, LsDType to)
{
  LsDType from = ls_llvm_source_dtype (r, 0);
  const char *bits = ls_llvm_to_memory (r, from, SRC (r, 0)), *have = ls_llvm_stored (from), *want = ls_llvm_stored (to);
  if (strcmp (have, want) != 0)
    bits = ls_llvm_part (r, "bitcast %s %s to %s", have, bits, want);
  ls_llvm_set (r, ls_llvm_from_memory (r, to, bits), NULL);
}

/* --- vectors --- */

static void
write_vector (LsLlvm *r, LsDType d)
{
  const char *type = ls_llvm_type (d), *one = ls_llvm_type (ls_dtype_scalar (d)), *so_far = "undef";
  guint n = ls_llvm_n_sources (r);
  if (ls_dtype_lanes (d) <= 1) {
    ls_llvm_set (r, SRC (r, 0), NULL);
    return;
  }
  for (guint i = 0; i < n; i++) {
    const char *text = ls_llvm_keep (r, g_strdup_printf ("insertelement %s %s, %s %s, i32 %u", type, so_far, one, SRC (r, i), i));
    if (i + 1 == n)
      ls_llvm_set (r, NULL, text);
    else
      so_far = ls_llvm_part (r, "%s", text);
  }
}

static void
write_lanes (LsLlvm *r, LsDType d)
{
  const LsArg *arg = &ls_llvm_row (r, r->row)->value;
  LsDType from = ls_llvm_source_dtype (r, 0);
  const char *x = SRC (r, 0), *type = ls_llvm_type (from);
  guint n = arg->kind == LS_ARG_INTS ? arg->n : 1;
  gint64 first = arg->kind == LS_ARG_INTS && n ? arg->ints[0] : arg->kind == LS_ARG_INT ? arg->i : 0;
  if (ls_dtype_lanes (from) <= 1 && ls_dtype_lanes (d) <= 1)
    ls_llvm_set (r, x, NULL);
  else if (ls_dtype_lanes (d) <= 1)
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("extractelement %s %s, i32 %" G_GINT64_FORMAT, type, x, first)));
  else {
    g_autoptr (GString) text = g_string_new (NULL);
    g_string_append_printf (text, "shufflevector %s %s, %s undef, <%u x i32> <", type, x, type, n);
    for (guint i = 0; i < n; i++)
      g_string_append_printf (text, "%si32 %" G_GINT64_FORMAT, i ? ", " : "", arg->kind == LS_ARG_INTS ? arg->ints[i] : first);
    g_string_append_c (text, '>');
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup (text->str)));
  }
}

void
ls_llvm_compute (LsLlvm *r)
{
  const LsProcRow *row = ls_llvm_row (r, r->row);
  LsDType d = row->dtype;
  LsOp op = row->op;
  if (!ls_llvm_n_sources (r)) {
    ls_llvm_fail (r, ls_llvm_node (r, r->row), "uses a value that has no expression");
    return;
  }
  switch ((int) op) {
  case LS_OP_CAST: write_cast (r, d); return;
  case LS_OP_BITCAST: write_bitcast (r, d); return;
  case LS_OP_PRECAST: ls_llvm_set (r, SRC (r, 0), NULL); return;
  case LS_OP_VECTORIZE: write_vector (r, d); return;
  case LS_OP_GEP: write_lanes (r, d); return;
  case LS_OP_CMPLT: case LS_OP_CMPEQ: case LS_OP_CMPNE: write_comparison (r, op); return;
  case LS_OP_WHERE:
    ls_llvm_set (r, NULL, ls_llvm_keep (r, g_strdup_printf ("select %s %s, %s %s, %s %s", ls_llvm_type (ls_llvm_source_dtype (r, 0)),
                                                            SRC (r, 0), ls_llvm_type (d), SRC (r, 1), ls_llvm_type (d), SRC (r, 2))));
    return;
  default: break;
  }
  if (!ls_op_is_alu (op))
    ls_llvm_fail (r, ls_llvm_node (r, r->row), "has no expression in this language");
  else if (ls_dtype_is_float (d))
    write_float (r, op, d);
  else if (ls_dtype_is_bool (d))
    write_bool (r, op, d);
  else
    write_integer (r, op, d);
}
