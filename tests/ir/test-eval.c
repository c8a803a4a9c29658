/* The meaning of ops at the edges of every dtype. Expected values are written out, or come from wider arithmetic than the one under
 * test. */
#include <math.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/functions.h"

static LsScalar I (gint64 i) { LsScalar s; s.i = i; return s; }
static LsScalar F (double f) { LsScalar s; s.f = f; return s; }

static gint64
alu_i (LsOp op, LsDType dtype, gint64 a, gint64 b)
{
  LsScalar src[3] = { I (a), I (b), I (0) };
  return ls_eval_alu (op, dtype, dtype, src).i;
}

static double
alu_f (LsOp op, LsDType dtype, double a, double b)
{
  LsScalar src[3] = { F (a), F (b), F (0) };
  return ls_eval_alu (op, dtype, dtype, src).f;
}

static gint64 compare_i (LsOp op, LsDType dtype, gint64 a, gint64 b) { LsScalar s[2] = { I (a), I (b) };
                                                                       return ls_eval_alu (op, LS_BOOL, dtype, s).i; }
static gint64 compare_f (LsOp op, LsDType dtype, double a, double b) { LsScalar s[2] = { F (a), F (b) };
                                                                       return ls_eval_alu (op, LS_BOOL, dtype, s).i; }
static gint64 to_int (LsDType to, double f) { return ls_eval_cast (to, LS_DOUBLE, F (f)).i; }

#define assert_bits(a, b) G_STMT_START { double x_ = (a), y_ = (b); guint64 p_, q_; memcpy (&p_, &x_, 8); memcpy (&q_, &y_, 8); \
  g_assert_cmphex (p_, ==, q_); } G_STMT_END

static const LsDType signed_dtypes[] = { LS_INT8, LS_INT16, LS_INT32, LS_INT64, LS_WEAKINT, LS_INDEX };
static const LsDType unsigned_dtypes[] = { LS_UINT8, LS_UINT16, LS_UINT32, LS_UINT64 };
static const LsDType float_dtypes[] = { LS_HALF, LS_BFLOAT16, LS_FLOAT, LS_WEAKFLOAT, LS_DOUBLE };

static void
test_wrap (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (signed_dtypes); k++) {
    LsDType d = signed_dtypes[k];
    guint bits = ls_dtype_bits (d);
    gint64 min = (gint64) ((guint64) -1 << (bits - 1)), max = ~min;
    g_assert_cmpint (alu_i (LS_OP_ADD, d, max, 1), ==, min);
    g_assert_cmpint (alu_i (LS_OP_SUB, d, min, 1), ==, max);
    g_assert_cmpint (alu_i (LS_OP_NEG, d, min, 0), ==, min);
    g_assert_cmpint (alu_i (LS_OP_MUL, d, max, 2), ==, -2);
    g_assert_cmpint (alu_i (LS_OP_MUL, d, min, -1), ==, min);
    g_assert_cmpint (alu_i (LS_OP_NOT, d, min, 0), ==, max);
    g_assert_cmpint (alu_i (LS_OP_MAX, d, min, max), ==, max);
    g_assert_cmpint (ls_scalar_fit (d, I (min)).i, ==, min);
    g_assert_cmpint (ls_eval_identity (LS_OP_MAX, d).i, ==, min);
    LsScalar mulacc[3] = { I (max), I (max), I (max) };
    g_assert_cmpint (ls_eval_alu (LS_OP_MULACC, d, d, mulacc).i, ==, min);      /* 1 + max */
  }
  for (guint k = 0; k < G_N_ELEMENTS (unsigned_dtypes); k++) {
    LsDType d = unsigned_dtypes[k];
    guint bits = ls_dtype_bits (d);
    gint64 max = bits == 64 ? -1 : ((gint64) 1 << bits) - 1;
    g_assert_cmpint (alu_i (LS_OP_ADD, d, max, 1), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SUB, d, 0, 1), ==, max);
    g_assert_cmpint (alu_i (LS_OP_NEG, d, 1, 0), ==, max);
    g_assert_cmpint (alu_i (LS_OP_NOT, d, 0, 0), ==, max);
    g_assert_cmpint (alu_i (LS_OP_MUL, d, max, max), ==, 1);
    g_assert_cmpint (alu_i (LS_OP_MAX, d, 1, max), ==, max);
    g_assert_cmpint (alu_i (LS_OP_IDIV, d, max, 2), ==, (gint64) ((guint64) max >> 1));
    g_assert_cmpint (alu_i (LS_OP_FLOORMOD, d, max, 10), ==, (gint64) ((guint64) max % 10));
    g_assert_cmpint (compare_i (LS_OP_CMPLT, d, 1, max), ==, 1);
    g_assert_cmpint (ls_eval_identity (LS_OP_MAX, d).i, ==, 0);
  }
  g_assert_cmpint (compare_i (LS_OP_CMPLT, LS_INT64, 1, -1), ==, 0);
  g_assert_cmpint (alu_i (LS_OP_POW, LS_INT32, 3, 21), ==, (gint32) (guint32) 10460353203);
  g_assert_cmpint (alu_i (LS_OP_POW, LS_INT32, -1, -3), ==, -1);
  g_assert_cmpint (alu_i (LS_OP_POW, LS_INT32, 2, -1), ==, 0);
  g_assert_cmpint (alu_i (LS_OP_POW, LS_INT32, 0, 0), ==, 1);
}

static void
test_division (void)
{
  static const struct { gint64 a, b, idiv, mod, floordiv, floormod; } rows[] = {
    { 7, 2, 3, 1, 3, 1 }, { -7, 2, -3, -1, -4, 1 }, { 7, -2, -3, 1, -4, -1 }, { -7, -2, 3, -1, 3, -1 },
    { 6, -3, -2, 0, -2, 0 }, { -6, 3, -2, 0, -2, 0 }, { 0, -5, 0, 0, 0, 0 }, { -1, 5, 0, -1, -1, 4 }, { 1, -5, 0, 1, -1, -4 },
    { 9, 0, 0, 0, 0, 0 }, { -9, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 5, -1, -5, 0, -5, 0 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (signed_dtypes); k++) {
    LsDType d = signed_dtypes[k];
    for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
      g_assert_cmpint (alu_i (LS_OP_IDIV, d, rows[r].a, rows[r].b), ==, rows[r].idiv);
      g_assert_cmpint (alu_i (LS_OP_MOD, d, rows[r].a, rows[r].b), ==, rows[r].mod);
      g_assert_cmpint (alu_i (LS_OP_FLOORDIV, d, rows[r].a, rows[r].b), ==, rows[r].floordiv);
      g_assert_cmpint (alu_i (LS_OP_FLOORMOD, d, rows[r].a, rows[r].b), ==, rows[r].floormod);
    }
    gint64 min = (gint64) ((guint64) -1 << (ls_dtype_bits (d) - 1));
    g_assert_cmpint (alu_i (LS_OP_IDIV, d, min, -1), ==, min);
    g_assert_cmpint (alu_i (LS_OP_FLOORDIV, d, min, -1), ==, min);
    g_assert_cmpint (alu_i (LS_OP_MOD, d, min, -1), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_FLOORMOD, d, min, -1), ==, 0);
  }
  for (guint k = 0; k < G_N_ELEMENTS (unsigned_dtypes); k++) {
    g_assert_cmpint (alu_i (LS_OP_IDIV, unsigned_dtypes[k], 200, 0), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_FLOORMOD, unsigned_dtypes[k], 200, 0), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_MOD, unsigned_dtypes[k], 200, 7), ==, 4);
  }
}

static void
test_shift (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (signed_dtypes); k++) {
    LsDType d = signed_dtypes[k];
    guint bits = ls_dtype_bits (d);
    gint64 min = (gint64) ((guint64) -1 << (bits - 1));
    g_assert_cmpint (alu_i (LS_OP_SHL, d, 1, bits - 1), ==, min);
    g_assert_cmpint (alu_i (LS_OP_SHL, d, 1, bits), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SHL, d, 1, -1), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SHL, d, -1, 1), ==, -2);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, -2, 1), ==, -1);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, min, bits - 1), ==, -1);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, min, bits), ==, -1);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, 5, bits), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, -5, -1), ==, -1);
  }
  for (guint k = 0; k < G_N_ELEMENTS (unsigned_dtypes); k++) {
    LsDType d = unsigned_dtypes[k];
    guint bits = ls_dtype_bits (d);
    gint64 max = bits == 64 ? -1 : ((gint64) 1 << bits) - 1;
    g_assert_cmpint (alu_i (LS_OP_SHR, d, max, bits - 1), ==, 1);
    g_assert_cmpint (alu_i (LS_OP_SHR, d, max, bits), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SHL, d, max, bits), ==, 0);
    g_assert_cmpint (alu_i (LS_OP_SHL, d, max, 1), ==, bits == 64 ? -2 : max - 1);
  }
}

static void
test_bool (void)
{
  for (gint64 a = 0; a < 2; a++)
    for (gint64 b = 0; b < 2; b++) {
      g_assert_cmpint (alu_i (LS_OP_ADD, LS_BOOL, a, b), ==, a | b);
      g_assert_cmpint (alu_i (LS_OP_OR, LS_BOOL, a, b), ==, a | b);
      g_assert_cmpint (alu_i (LS_OP_MAX, LS_BOOL, a, b), ==, a | b);
      g_assert_cmpint (alu_i (LS_OP_MUL, LS_BOOL, a, b), ==, a & b);
      g_assert_cmpint (alu_i (LS_OP_AND, LS_BOOL, a, b), ==, a & b);
      g_assert_cmpint (alu_i (LS_OP_XOR, LS_BOOL, a, b), ==, a ^ b);
      g_assert_cmpint (alu_i (LS_OP_SUB, LS_BOOL, a, b), ==, a ^ b);
      g_assert_cmpint (alu_i (LS_OP_NOT, LS_BOOL, a, 0), ==, 1 - a);
      g_assert_cmpint (compare_i (LS_OP_CMPLT, LS_BOOL, a, b), ==, a < b);
      g_assert_cmpint (compare_i (LS_OP_CMPNE, LS_BOOL, a, b), ==, a != b);
    }
  LsScalar where[3] = { I (1), F (2), F (3) };
  g_assert_cmpfloat (ls_eval_alu (LS_OP_WHERE, LS_FLOAT, LS_FLOAT, where).f, ==, 2);
  where[0] = I (0);
  g_assert_cmpfloat (ls_eval_alu (LS_OP_WHERE, LS_FLOAT, LS_FLOAT, where).f, ==, 3);
}

static void
test_float (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (float_dtypes); k++) {
    LsDType d = float_dtypes[k];
    assert_bits (alu_f (LS_OP_ADD, d, -0.0, 0.0), 0.0);
    assert_bits (alu_f (LS_OP_ADD, d, -0.0, -0.0), -0.0);
    assert_bits (alu_f (LS_OP_NEG, d, 0.0, 0), -0.0);
    assert_bits (alu_f (LS_OP_MUL, d, -1.0, 0.0), -0.0);
    assert_bits (alu_f (LS_OP_TRUNC, d, -0.5, 0), -0.0);
    assert_bits (alu_f (LS_OP_SQRT, d, -0.0, 0), -0.0);
    assert_bits (alu_f (LS_OP_MAX, d, -0.0, 0.0), -0.0);      /* not less: the first */
    assert_bits (alu_f (LS_OP_MAX, d, 0.0, -0.0), 0.0);
    g_assert_true (isnan (alu_f (LS_OP_MAX, d, NAN, 1)));
    g_assert_true (isnan (alu_f (LS_OP_MAX, d, 1, NAN)));
    g_assert_true (isnan (alu_f (LS_OP_FDIV, d, 0, 0)));
    g_assert_true (isnan (alu_f (LS_OP_SQRT, d, -1, 0)));
    assert_bits (alu_f (LS_OP_RECIP, d, -0.0, 0), -INFINITY);
    assert_bits (alu_f (LS_OP_FDIV, d, 1, 0), INFINITY);
    assert_bits (alu_f (LS_OP_EXP2, d, 3, 0), 8);
    assert_bits (alu_f (LS_OP_LOG2, d, 8, 0), 3);
    assert_bits (alu_f (LS_OP_POW, d, 3, 2), 9);
    g_assert_cmpint (compare_f (LS_OP_CMPLT, d, NAN, 1), ==, 0);
    g_assert_cmpint (compare_f (LS_OP_CMPEQ, d, NAN, NAN), ==, 0);
    g_assert_cmpint (compare_f (LS_OP_CMPNE, d, NAN, NAN), ==, 1);
    g_assert_cmpint (compare_f (LS_OP_CMPEQ, d, -0.0, 0.0), ==, 1);
    assert_bits (ls_eval_identity (LS_OP_MAX, d).f, -INFINITY);
    assert_bits (ls_eval_identity (LS_OP_MUL, d).f, 1);
    assert_bits (ls_eval_identity (LS_OP_ADD, d).f, 0.0);
  }
  /* computed in float, not in double */
  assert_bits (alu_f (LS_OP_ADD, LS_FLOAT, 1, 0x1p-24), 1);
  assert_bits (alu_f (LS_OP_SIN, LS_FLOAT, 1, 0), (double) ls_sinf (1));
  assert_bits (alu_f (LS_OP_EXP2, LS_FLOAT, 0.1f, 0), (double) ls_exp2f (0.1f));
  assert_bits (alu_f (LS_OP_SIN, LS_DOUBLE, 1, 0), ls_sin (1));
  /* the C library's, of nodes of a context that asks for them */
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = ls_uop_const_f (ctx, LS_FLOAT, 1), *own = ls_uop_alu1 (ctx, LS_OP_SIN, x);
  ls_context_use_library (ctx, TRUE);
  g_autoptr (LsContext) over = ls_context_new_over (ctx);
  LsUOp *other = ls_uop_alu1 (over, LS_OP_EXP2, x);
  LsScalar source = { .f = 0.3f };
  assert_bits (ls_eval_node (own, LS_FLOAT, LS_FLOAT, &source).f, (double) ls_sinf (0.3f));
  assert_bits (ls_eval_node (other, LS_FLOAT, LS_FLOAT, &source).f, (double) exp2f (0.3f));
  assert_bits (ls_eval_library (LS_OP_LOG2, LS_DOUBLE, &source).f, log2 ((double) 0.3f));
  LsScalar fma_src[3] = { F (1 + 0x1p-12), F (1 + 0x1p-12), F (-1 - 0x1p-11) };
  assert_bits (ls_eval_alu (LS_OP_MULACC, LS_FLOAT, LS_FLOAT, fma_src).f, 0x1p-24);
  /* rounded after the op: 2048 + 1 has no half, 256 + 1 no bfloat16 */
  assert_bits (alu_f (LS_OP_ADD, LS_HALF, 2048, 1), 2048);
  assert_bits (alu_f (LS_OP_ADD, LS_HALF, 2048, 3), 2052);
  assert_bits (alu_f (LS_OP_ADD, LS_BFLOAT16, 256, 1), 256);
  assert_bits (alu_f (LS_OP_MUL, LS_HALF, 256, 256), INFINITY);
  assert_bits (alu_f (LS_OP_MUL, LS_BFLOAT16, 256, 256), 65536);
}

static void
test_float_to_int (void)
{
  const double two31 = 2147483648.0, two32 = 4294967296.0, two63 = 9223372036854775808.0;
  g_assert_cmpint (to_int (LS_INT32, 2147483647.9), ==, G_MAXINT32);
  g_assert_cmpint (to_int (LS_INT32, two31), ==, G_MININT32);
  g_assert_cmpint (to_int (LS_INT32, -two31 - 0.5), ==, G_MININT32);
  g_assert_cmpint (to_int (LS_INT32, -two31 - 1), ==, G_MININT32);
  g_assert_cmpint (to_int (LS_INT32, NAN), ==, G_MININT32);
  g_assert_cmpint (to_int (LS_INT32, -INFINITY), ==, G_MININT32);
  g_assert_cmpint (to_int (LS_INT32, -1.9), ==, -1);
  g_assert_cmpint (to_int (LS_INT8, 300), ==, 44);
  g_assert_cmpint (to_int (LS_INT8, two31), ==, 0);
  g_assert_cmpint (to_int (LS_UINT8, -1), ==, 255);
  g_assert_cmpint (to_int (LS_UINT8, 256), ==, 0);
  g_assert_cmpint (to_int (LS_INT16, 32768), ==, -32768);
  g_assert_cmpint (to_int (LS_UINT16, NAN), ==, 0);
  g_assert_cmpint (to_int (LS_UINT32, two31), ==, 2147483648LL);
  g_assert_cmpint (to_int (LS_UINT32, -1), ==, 4294967295LL);
  g_assert_cmpint (to_int (LS_UINT32, two32), ==, 0);
  g_assert_cmpint (to_int (LS_UINT32, NAN), ==, 0);
  g_assert_cmpint (to_int (LS_INT64, two63), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_INT64, -two63), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_INT64, NAN), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_UINT64, two63), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_UINT64, two63 + 4096), ==, G_MININT64 + 4096);
  g_assert_cmpint (to_int (LS_UINT64, -1), ==, -1);
  g_assert_cmpint (to_int (LS_UINT64, 2 * two63), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_UINT64, NAN), ==, G_MININT64);
  g_assert_cmpint (to_int (LS_BOOL, 0.25), ==, 1);
  g_assert_cmpint (to_int (LS_BOOL, -0.0), ==, 0);
  g_assert_cmpint (to_int (LS_BOOL, NAN), ==, 1);
}

static void
test_casts (void)
{
  g_assert_cmpint (ls_eval_cast (LS_INT8, LS_INT32, I (200)).i, ==, -56);
  g_assert_cmpint (ls_eval_cast (LS_UINT32, LS_INT8, I (-1)).i, ==, 4294967295LL);
  g_assert_cmpint (ls_eval_cast (LS_INT64, LS_UINT32, I (4294967295LL)).i, ==, 4294967295LL);
  g_assert_cmpint (ls_eval_cast (LS_BOOL, LS_INT32, I (256)).i, ==, 1);
  g_assert_cmpint (ls_eval_cast (LS_INT32, LS_BOOL, I (1)).i, ==, 1);
  assert_bits (ls_eval_cast (LS_DOUBLE, LS_UINT64, I (-1)).f, 18446744073709551616.0);
  assert_bits (ls_eval_cast (LS_DOUBLE, LS_INT64, I (-1)).f, -1);
  /* int64 to float rounds once: through double, 2^60 + 2^36 + 1 would first lose its 1 and then tie to even */
  assert_bits (ls_eval_cast (LS_FLOAT, LS_INT64, I (((gint64) 1 << 60) + ((gint64) 1 << 36) + 1)).f, 0x1p60 + 0x1p37);
  /* double to half rounds once: through float, 1 + 2^-11 + 2^-40 would tie to even */
  assert_bits (ls_eval_cast (LS_HALF, LS_DOUBLE, F (1 + 0x1p-11 + 0x1p-40)).f, 1 + 0x1p-10);
  assert_bits (ls_eval_cast (LS_BFLOAT16, LS_DOUBLE, F (1 + 0x1p-8 + 0x1p-40)).f, 1 + 0x1p-7);
  assert_bits (ls_eval_cast (LS_HALF, LS_INT32, I (65519)).f, 65504);
  assert_bits (ls_eval_cast (LS_HALF, LS_INT32, I (65520)).f, INFINITY);
  /* bit casts keep every bit, signalling NaNs included */
  static const guint32 patterns[] = { 0, 0x80000000, 1, 0x7f800000, 0x7f800001, 0xffc12345, 0x3f800000 };
  for (guint k = 0; k < G_N_ELEMENTS (patterns); k++) {
    LsScalar f = ls_eval_bitcast (LS_FLOAT, LS_UINT32, I (patterns[k]));
    g_assert_cmphex (ls_eval_bitcast (LS_UINT32, LS_FLOAT, f).i, ==, patterns[k]);
  }
  g_assert_cmpint (ls_eval_bitcast (LS_INT32, LS_FLOAT, F (1)).i, ==, 0x3f800000);
  g_assert_cmpint (ls_eval_bitcast (LS_INT16, LS_HALF, F (-2)).i, ==, (gint16) 0xc000);
  g_assert_cmpint (ls_eval_bitcast (LS_INT64, LS_DOUBLE, F (-0.0)).i, ==, G_MININT64);
}

/* Every pattern survives the way to double and back, and every value between two neighbours goes to the nearer, the middle to the
 * even one. */
static void
check_small_float (guint16 (*pack) (double), double (*unpack) (guint16), int mantissa, int bias, int top)
{
  for (guint bits = 0; bits < 0x10000; bits++) {
    guint exponent = (bits & 0x7fff) >> mantissa, fraction = bits & ((1u << mantissa) - 1);
    double value = unpack ((guint16) bits);
    g_assert_cmphex (pack (value), ==, bits);
    if ((int) exponent == top) {
      g_assert_true (fraction ? isnan (value) : isinf (value));
      continue;
    }
    double expected = exponent ? ldexp (1 + ldexp (fraction, -mantissa), (int) exponent - bias) : ldexp (fraction, 1 - bias - mantissa);
    assert_bits (value, bits & 0x8000 ? -expected : expected);
    /* The neighbour away from zero; after the largest finite one stands what would follow, were there no inf. */
    double step = ldexp (1, MAX ((int) exponent, 1) - bias - mantissa);
    double middle = expected + step / 2;
    double sign = bits & 0x8000 ? -1 : 1;
    g_assert_cmphex (pack (sign * middle), ==, bits & 1 ? bits + 1 : bits);
    g_assert_cmphex (pack (sign * nextafter (middle, 0)), ==, bits);
    g_assert_cmphex (pack (sign * nextafter (middle, INFINITY)), ==, bits + 1);
  }
  g_assert_cmphex (pack (1e300), ==, (guint) top << mantissa);
  g_assert_cmphex (pack (-1e300), ==, 0x8000u | (guint) top << mantissa);
  g_assert_cmphex (pack (5e-324), ==, 0);
  g_assert_cmphex (pack (-1e-300), ==, 0x8000);
}

static void test_half     (void) { check_small_float (ls_half_from_double, ls_half_to_double, 10, 15, 31); }
static void test_bfloat16 (void) { check_small_float (ls_bfloat16_from_double, ls_bfloat16_to_double, 7, 127, 255); }

static void
test_memory (void)
{
  for (int b = LS_BASE_BOOL; b < LS_N_BASES; b++) {
    LsDType d = LS_DTYPE (b);
    guint8 memory[16];
    memset (memory, 0xa5, sizeof memory);
    LsScalar value = ls_dtype_is_float (d) ? F (-1.5) : I (ls_dtype_is_bool (d) ? 1 : ls_dtype_is_unsigned (d) ? 200 : -100);
    ls_scalar_store (d, memory, value);
    g_assert_cmpint (ls_scalar_load (d, memory).i, ==, value.i);
    for (guint k = ls_dtype_itemsize (d); k < sizeof memory; k++)
      g_assert_cmphex (memory[k], ==, 0xa5);
    g_assert_cmpint (ls_scalar_from_arg (d, ls_scalar_to_arg (d, value)).i, ==, value.i);
  }
  assert_bits (ls_scalar_from_arg (LS_FLOAT, ls_arg_int (3)).f, 3);
  g_assert_cmpint (ls_scalar_from_arg (LS_UINT8, ls_arg_int (-1)).i, ==, 255);
}

/* Bits of the floats of 8 bits, as the peer rounds to them. */
static void
test_fp8 (void)
{
  static const struct { double value; guint8 e4m3, e5m2; } rows[] = {
    { 0.0, 0x00, 0x00 },
    { -0.0, 0x80, 0x80 },
    { 1.0, 0x38, 0x3c },
    { 448.0, 0x7e, 0x5f },
    { 464.0, 0x7e, 0x5f },
    { 464.0001, 0x7e, 0x5f },
    { 1000000000.0, 0x7e, 0x7b },
    { -1000000000.0, 0xfe, 0xfb },
    { INFINITY, 0x7f, 0x7c },
    { -INFINITY, 0xff, 0xfc },
    { 57344.0, 0x7e, 0x7b },
    { 61439.0, 0x7e, 0x7b },
    { 61440.0, 0x7e, 0x7b },
    { 61441.0, 0x7e, 0x7b },
    { 0.001953125, 0x01, 0x18 },
    { 0.0009765625, 0x00, 0x14 },
    { 0.00146484375, 0x01, 0x16 },
    { 1.52587890625e-05, 0x00, 0x01 },
    { 7.62939453125e-06, 0x00, 0x00 },
    { 1.1444091796875e-05, 0x00, 0x01 },
    { 0.1, 0x1d, 0x2e },
    { -0.3, 0xaa, 0xb5 },
    { 17.0, 0x58, 0x4c },
    { 19.0, 0x5a, 0x4d },
    { 21.0, 0x5a, 0x4d },
    { 0.015625, 0x08, 0x24 },
    { 6.7138671875e-05, 0x00, 0x04 },
    { -2.8114989217791813, 0xc3, 0xc2 },
    { -0.001108239129362534, 0x81, 0x95 },
    { 336.5432280823583, 0x7b, 0x5d },
    { 21.96823438425387, 0x5b, 0x4d },
    { -1.9842387120731448e-05, 0x80, 0x81 },
    { -9149.096292821856, 0xfe, 0xf0 },
    { 0.09340311303477457, 0x1c, 0x2e },
    { -66.25618374480551, 0xe8, 0xd4 },
    { 125.8395114176153, 0x70, 0x58 },
    { -4.861911592375963, 0xca, 0xc5 },
    { -11201.376991313029, 0xfe, 0xf1 },
    { -3.3291746712240524e-06, 0x80, 0x80 },
    { -28712.07268507338, 0xfe, 0xf7 },
    { 52.46992237236901, 0x65, 0x53 },
    { 140.13695583207374, 0x71, 0x58 },
    { -360.345201746254, 0xfb, 0xde },
    { 1.8698787800642163, 0x3f, 0x3f },
    { 0.0006058278392720663, 0x00, 0x11 },
    { -336.4197402496666, 0xfb, 0xdd },
    { 20943.84138988092, 0x7e, 0x75 },
    { 2276.8241020858604, 0x7e, 0x68 },
    { -0.00019729275137404708, 0x80, 0x8a },
    { 3.895150379952624e-05, 0x00, 0x03 },
    { 9679.482530483278, 0x7e, 0x71 },
    { 0.6061812016705181, 0x32, 0x39 },
    { -0.0036987830391152104, 0x82, 0x9c },
    { 2823.1832559463046, 0x7e, 0x6a },
    { 4.607810185059453, 0x49, 0x45 },
    { -0.30527281550865937, 0xaa, 0xb5 },
    { 0.05893645005523449, 0x17, 0x2c },
    { -0.01815433545925708, 0x89, 0xa5 },
    { 1.650008783793359e-05, 0x00, 0x01 },
    { -520.5648680482142, 0xfe, 0xe0 },
    { 0.0197612223500938, 0x0a, 0x25 },
    { -0.23253585342618874, 0xa7, 0xb3 },
    { 79.99041267718813, 0x6a, 0x55 },
    { 19.665867892776074, 0x5a, 0x4d },
    { -0.5287245068606043, 0xb0, 0xb8 },
    { -427.2193061134631, 0xfd, 0xdf },
    { -0.04608289818766206, 0x94, 0xaa },
    { 40030.887414829886, 0x7e, 0x79 },
    { 0.18033387711601923, 0x24, 0x32 },
    { 26.57012832200706, 0x5d, 0x4f },
    { -0.027447656454973875, 0x8e, 0xa7 },
    { -0.7968710589014356, 0xb5, 0xba },
    { -0.07906946474962137, 0x9a, 0xad },
    { -0.3120102710342613, 0xaa, 0xb5 },
    { 2.8678628260725674, 0x43, 0x42 },
    { -30079.36326078956, 0xfe, 0xf7 },
    { 0.343243436894958, 0x2b, 0x35 },
    { 0.05909921092025198, 0x17, 0x2c },
    { -1.3060740060106, 0xba, 0xbd },
    { 0.17595577905938406, 0x23, 0x32 },
    { -999.1111967956684, 0xfe, 0xe4 },
    { -1.7742699692810142, 0xbe, 0xbf },
    { -4085.562454250669, 0xfe, 0xec },
    { 4.287382972479271e-06, 0x00, 0x00 },
    { -1.5221066364492148e-05, 0x80, 0x81 },
    { -0.15474410348977927, 0xa2, 0xb1 },
    { 0.0009658803628134038, 0x00, 0x14 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_assert_cmphex (ls_fp8_from_double (LS_FP8E4M3, rows[i].value), ==, rows[i].e4m3);
    g_assert_cmphex (ls_fp8_from_double (LS_FP8E5M2, rows[i].value), ==, rows[i].e5m2);
  }
  for (guint d = 0; d < 2; d++)
    for (guint bits = 0; bits < 256; bits++) {
      LsDType dtype = d ? LS_FP8E5M2 : LS_FP8E4M3;
      double value = ls_fp8_to_double (dtype, (guint8) bits);
      g_assert_true (isnan (value) ? (bits & 0x7f) > 0x7c : ls_fp8_from_double (dtype, value) == bits);
    }
  g_assert_true (isnan (ls_fp8_to_double (LS_FP8E4M3, 0xff)) && ls_fp8_to_double (LS_FP8E4M3, 0x7e) == 448 &&
                 ls_fp8_to_double (LS_FP8E5M2, 0x7b) == 57344);
  g_assert_true (ls_dtype_promote (LS_FP8E4M3, LS_FP8E5M2) == LS_HALF && ls_dtype_promote (LS_FP8E4M3, LS_INT64) == LS_FP8E4M3 &&
                 ls_dtype_promote (LS_WEAKFLOAT, LS_FP8E5M2) == LS_FP8E5M2);
  g_assert_true (ls_dtype_promote (LS_FP8E5M2, LS_FLOAT) == LS_FLOAT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/eval/wrap", test_wrap);
  g_test_add_func ("/eval/fp8", test_fp8);
  g_test_add_func ("/eval/division", test_division);
  g_test_add_func ("/eval/shift", test_shift);
  g_test_add_func ("/eval/bool", test_bool);
  g_test_add_func ("/eval/float", test_float);
  g_test_add_func ("/eval/float-to-int", test_float_to_int);
  g_test_add_func ("/eval/casts", test_casts);
  g_test_add_func ("/eval/half", test_half);
  g_test_add_func ("/eval/bfloat16", test_bfloat16);
  g_test_add_func ("/eval/memory", test_memory);
  return g_test_run ();
}
