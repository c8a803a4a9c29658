/* The meaning of every ALU op in every dtype; eval.h states it, this file computes it.
 *
 * Pure functions on scalars. An operand's dtype picks one of four evaluators: integers (all of them in 64 bits, then wrapped: wrapping
 * ring operations may be computed in a wider ring), bool, float and double. half and bfloat16 are evaluated as float and then rounded,
 * which is one rounding for +, -, *, / and sqrt, because float has more than twice their digits and two. The two float evaluators come
 * from one macro, so that they cannot diverge.
 *
 * An op that has no meaning for a dtype (SQRT of an integer, AND of a float) gives 0 or NaN: specs refuse such graphs, and a
 * graph from a file must not be able to end the program.
 *
 * A NaN's payload is kept by loads, stores and bitcasts, signalling ones too; in arithmetic it is the machine's.
 */
#include "eval.h"

#include "functions.h"

#include <math.h>
#include <string.h>

/* Small floats: half and bfloat16 differ only in how many bits their parts have. */

typedef struct { int mantissa, bias, top; } SmallFloat;      /* top: the exponent field of inf and NaN */
static const SmallFloat half_format = { 10, 15, 31 };
static const SmallFloat bfloat16_format = { 7, 127, 255 };

static inline guint64
double_bits (double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline double
double_of_bits (guint64 bits)
{
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline guint16
small_from_double (SmallFloat format, double value)
{
  guint64 bits = double_bits (value);
  guint64 fraction = bits & (((guint64) 1 << 52) - 1);
  guint sign = (guint) (bits >> 63) << 15;
  int exponent = (int) (bits >> 52 & 0x7ff);
  int shift = 52 - format.mantissa;

  if (exponent == 0x7ff) {
    guint payload = (guint) (fraction >> shift);
    if (fraction != 0 && payload == 0)
      payload = 1u << (format.mantissa - 1);
    return (guint16) (sign | (guint) format.top << format.mantissa | payload);
  }
  if (exponent == 0)      /* zero, or a subnormal double: less than half the smallest small float */
    return (guint16) sign;

  int scaled = exponent - 1023 + format.bias;
  if (scaled <= 0)
    shift += 1 - scaled;
  if (shift > 53)
    return (guint16) sign;
  guint64 whole = fraction | (guint64) 1 << 52;
  guint64 kept = whole >> shift;
  guint64 rest = whole & (((guint64) 1 << shift) - 1);
  guint64 tie = (guint64) 1 << (shift - 1);
  if (rest > tie || (rest == tie && (kept & 1)))
    kept++;
  /* kept's leading bit, or a carry out of it, raises the exponent by one: subnormals need no case of their own. */
  gint64 packed = (scaled > 0 ? (gint64) (scaled - 1) << format.mantissa : 0) + (gint64) kept;
  gint64 infinite = (gint64) format.top << format.mantissa;
  return (guint16) (sign | (guint) MIN (packed, infinite));
}

static inline double
small_to_double (SmallFloat format, guint16 bits)
{
  guint64 sign = (guint64) (bits >> 15) << 63;
  guint exponent = (bits & 0x7fff) >> format.mantissa;
  guint64 fraction = bits & ((1u << format.mantissa) - 1);

  if ((int) exponent == format.top)
    return double_of_bits (sign | (guint64) 0x7ff << 52 | fraction << (52 - format.mantissa));
  if (exponent == 0) {
    double scale = double_of_bits ((guint64) (1023 + 1 - format.bias - format.mantissa) << 52);
    return double_of_bits (double_bits ((double) fraction * scale) | sign);
  }
  return double_of_bits (sign | (guint64) (exponent + 1023 - format.bias) << 52 | fraction << (52 - format.mantissa));
}

guint16 ls_half_from_double     (double value) { return small_from_double (half_format, value); }
double  ls_half_to_double       (guint16 bits) { return small_to_double (half_format, bits); }
guint16 ls_bfloat16_from_double (double value) { return small_from_double (bfloat16_format, value); }
double  ls_bfloat16_to_double   (guint16 bits) { return small_to_double (bfloat16_format, bits); }

/* There are two with 8 bits: 4 bits for the exponent and 3 for the fraction, without infinity, and 5 and 2, with it. */
typedef struct { int mantissa, bias, most; gboolean infinite; } TinyFloat;      /* most: the bits of the largest number */
static const TinyFloat e4m3_format = { 3, 7, 0x7e, FALSE };
static const TinyFloat e5m2_format = { 2, 15, 0x7b, TRUE };

static inline TinyFloat
tiny_format (LsBase base)
{
  return base == LS_BASE_FP8E4M3 ? e4m3_format : e5m2_format;
}

static guint8
tiny_from_double (TinyFloat format, double value)
{
  guint64 bits = double_bits (value), whole = (bits & (((guint64) 1 << 52) - 1)) | (guint64) 1 << 52;
  guint sign = (guint) (bits >> 63) << 7;
  int exponent = (int) (bits >> 52 & 0x7ff), scaled = exponent - 1023 + format.bias,
      shift = 52 - format.mantissa + (scaled <= 0 ? 1 - scaled : 0);
  if (exponent == 0x7ff)
    return (guint8) (sign | (isinf (value) && format.infinite ? 0x7c : 0x7f));
  if (exponent == 0 || shift > 53)
    return (guint8) sign;
  guint64 kept = whole >> shift, rest = whole & (((guint64) 1 << shift) - 1), tie = (guint64) 1 << (shift - 1);
  if (rest > tie || (rest == tie && (kept & 1)))
    kept++;
  gint64 packed = (scaled > 0 ? (gint64) (scaled - 1) << format.mantissa : 0) + (gint64) kept;
  return (guint8) (sign | (guint) MIN (packed, format.most));
}

static double
tiny_to_double (TinyFloat format, guint8 bits)
{
  int exponent = (bits & 0x7f) >> format.mantissa, fraction = bits & ((1 << format.mantissa) - 1);
  double value = (bits & 0x7f) > format.most ? (format.infinite && fraction == 0 ? INFINITY : NAN) :
                 exponent == 0 ? ldexp (fraction, 1 - format.bias - format.mantissa) : ldexp (fraction | 1 << format.mantissa,
                                                                                              exponent - format.bias - format.mantissa);
  return copysign (value, bits & 0x80 ? -1 : 1);
}

guint8 ls_fp8_from_double (LsDType dtype, double value) { return tiny_from_double (tiny_format (ls_dtype_base (dtype)), value); }
double ls_fp8_to_double   (LsDType dtype, guint8 bits)  { return tiny_to_double (tiny_format (ls_dtype_base (dtype)), bits); }

/* Fitting: wrap or round to the dtype's range. */

static inline gint64
fit_int (LsBase base, gint64 i)
{
  switch ((int) base) {
  case LS_BASE_BOOL:    return i != 0;
  case LS_BASE_INT8:    return (gint8) i;
  case LS_BASE_UINT8:   return (guint8) i;
  case LS_BASE_INT16:   return (gint16) i;
  case LS_BASE_UINT16:  return (guint16) i;
  case LS_BASE_WEAKINT:
  case LS_BASE_INT32:   return (gint32) i;
  case LS_BASE_UINT32:  return (guint32) i;
  default:              return i;
  }
}

static inline double
fit_float (LsBase base, double f)
{
  switch ((int) base) {
  case LS_BASE_FP8E4M3:
  case LS_BASE_FP8E5M2:   return tiny_to_double (tiny_format (base), tiny_from_double (tiny_format (base), f));
  case LS_BASE_HALF:      return small_to_double (half_format, small_from_double (half_format, f));
  case LS_BASE_BFLOAT16:  return small_to_double (bfloat16_format, small_from_double (bfloat16_format, f));
  case LS_BASE_WEAKFLOAT:
  case LS_BASE_FLOAT:     return (double) (float) f;
  default:                return f;
  }
}

static inline LsScalar scalar_i (gint64 i) { LsScalar s; s.i = i; return s; }
static inline LsScalar scalar_f (double f) { LsScalar s; s.f = f; return s; }

LsScalar
ls_scalar_fit (LsDType dtype, LsScalar value)
{
  LsBase base = ls_dtype_base (dtype);
  return ls_dtype_is_float (dtype) ? scalar_f (fit_float (base, value.f)) : scalar_i (fit_int (base, value.i));
}

/* Evaluators. Each gives an unfitted value; fits holds it to the dtype. */

static gint64
int_power (gint64 base, gint64 exponent, gboolean is_unsigned)
{
  if (exponent < 0 && !is_unsigned) {      /* 1/base^-exponent, rounded to zero */
    if (base != 1 && base != -1)
      return 0;
    return exponent & 1 ? base : 1;
  }
  guint64 result = 1, factor = (guint64) base;
  for (guint64 left = (guint64) exponent; left != 0; left >>= 1, factor *= factor)
    if (left & 1)
      result *= factor;
  return (gint64) result;
}

static gint64
eval_unsigned (LsOp op, guint width, guint64 a, guint64 b, guint64 c)
{
  switch ((int) op) {
  case LS_OP_NEG:      return (gint64) (0 - a);
  case LS_OP_NOT:      return (gint64) ~a;
  case LS_OP_TRUNC:    return (gint64) a;
  case LS_OP_ADD:      return (gint64) (a + b);
  case LS_OP_SUB:      return (gint64) (a - b);
  case LS_OP_MUL:      return (gint64) (a * b);
  case LS_OP_IDIV:
  case LS_OP_FLOORDIV: return b == 0 ? 0 : (gint64) (a / b);
  case LS_OP_MOD:
  case LS_OP_FLOORMOD: return b == 0 ? 0 : (gint64) (a % b);
  case LS_OP_MAX:      return (gint64) MAX (a, b);
  case LS_OP_AND:      return (gint64) (a & b);
  case LS_OP_OR:       return (gint64) (a | b);
  case LS_OP_XOR:      return (gint64) (a ^ b);
  case LS_OP_SHL:      return b >= width ? 0 : (gint64) (a << b);
  case LS_OP_SHR:      return b >= width ? 0 : (gint64) (a >> b);
  case LS_OP_POW:      return int_power ((gint64) a, (gint64) b, TRUE);
  case LS_OP_MULACC:   return (gint64) (a * b + c);
  default:             return 0;
  }
}

static gint64
eval_signed (LsOp op, guint width, gint64 a, gint64 b, gint64 c)
{
  switch ((int) op) {
  case LS_OP_IDIV:     return b == 0 ? 0 : b == -1 ? (gint64) (0 - (guint64) a) : a / b;
  case LS_OP_MOD:      return b == 0 || b == -1 ? 0 : a % b;
  case LS_OP_FLOORDIV:
    if (b == 0)
      return 0;
    if (b == -1)
      return (gint64) (0 - (guint64) a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  case LS_OP_FLOORMOD: {
    if (b == 0 || b == -1)
      return 0;
    gint64 rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case LS_OP_MAX:      return MAX (a, b);
  case LS_OP_SHR:      return a >> ((guint64) b >= width ? 63 : b);
  case LS_OP_POW:      return int_power (a, b, FALSE);
  default:             return eval_unsigned (op, width, (guint64) a, (guint64) b, (guint64) c);
  }
}

/* bool computes as C does: in int, then compared with 0. Its width for shifts is 1. */
static gint64
eval_bool (LsOp op, gint64 a, gint64 b, gint64 c)
{
  return op == LS_OP_NOT ? !a : eval_signed (op, 1, a, b, c) != 0;
}

#define DEFINE_EVAL_FLOAT(name, T, f)                                          \
  static T                                                                     \
  name (LsOp op, T a, T b, T c)                                                \
  {                                                                            \
    switch ((int) op) {                                                        \
    case LS_OP_NEG:    return -a;                                              \
    case LS_OP_RECIP:  return (T) 1 / a;                                       \
    case LS_OP_SQRT:   return sqrt##f (a);                                     \
    case LS_OP_EXP2:   return ls_exp2##f (a);                                  \
    case LS_OP_LOG2:   return ls_log2##f (a);                                  \
    case LS_OP_SIN:    return ls_sin##f (a);                                   \
    case LS_OP_TRUNC:  return trunc##f (a);                                    \
    case LS_OP_ADD:    return a + b;                                           \
    case LS_OP_SUB:    return a - b;                                           \
    case LS_OP_MUL:    return a * b;                                           \
    case LS_OP_FDIV:   return a / b;                                           \
    case LS_OP_MAX:    return a < b || b != b ? b : a;                         \
    case LS_OP_POW:    return pow##f (a, b);                                   \
    case LS_OP_MULACC: return fma##f (a, b, c);                                \
    default:           return (T) NAN;                                         \
    }                                                                          \
  }
DEFINE_EVAL_FLOAT (eval_float, float, f)
DEFINE_EVAL_FLOAT (eval_double, double, )

static gboolean
compare (LsOp op, LsDType dtype, LsScalar a, LsScalar b)
{
  if (ls_dtype_is_float (dtype))
    return op == LS_OP_CMPLT ? a.f < b.f : op == LS_OP_CMPEQ ? a.f == b.f : a.f != b.f;
  if (op == LS_OP_CMPLT)
    return ls_dtype_is_unsigned (dtype) ? (guint64) a.i < (guint64) b.i : a.i < b.i;
  return op == LS_OP_CMPEQ ? a.i == b.i : a.i != b.i;
}

LsScalar
ls_eval_alu (LsOp op, LsDType dtype, LsDType src_dtype, const LsScalar *src)
{
  switch ((int) op) {
  case LS_OP_WHERE:
    return src[0].i ? src[1] : src[2];
  case LS_OP_CMPLT:
  case LS_OP_CMPEQ:
  case LS_OP_CMPNE:
    return scalar_i (compare (op, src_dtype, src[0], src[1]));
  case LS_OP_CAST:
    return ls_eval_cast (dtype, src_dtype, src[0]);
  case LS_OP_BITCAST:
    return ls_eval_bitcast (dtype, src_dtype, src[0]);
  case LS_OP_PRECAST:
    return src[0];
  default:
    break;
  }

  int arity = ls_op_info (op)->arity;
  LsBase base = ls_dtype_base (dtype);
  if (ls_dtype_is_float (dtype)) {
    double a = src[0].f, b = arity > 1 ? src[1].f : 0, c = arity > 2 ? src[2].f : 0;
    if (base == LS_BASE_DOUBLE)
      return scalar_f (eval_double (op, a, b, c));
    return scalar_f (fit_float (base, eval_float (op, (float) a, (float) b, (float) c)));
  }
  gint64 a = src[0].i, b = arity > 1 ? src[1].i : 0, c = arity > 2 ? src[2].i : 0;
  if (base == LS_BASE_BOOL)
    return scalar_i (eval_bool (op, a, b, c));
  guint width = ls_dtype_bits (dtype);
  if (ls_dtype_is_unsigned (dtype))
    return scalar_i (fit_int (base, eval_unsigned (op, width, (guint64) a, (guint64) b, (guint64) c)));
  return scalar_i (fit_int (base, eval_signed (op, width, a, b, c)));
}

LsScalar
ls_eval_library (LsOp op, LsDType dtype, const LsScalar *src)
{
  LsBase base = ls_dtype_base (dtype);
  double x = src[0].f;
  float f = (float) x;
  if (base == LS_BASE_DOUBLE)
    return scalar_f (op == LS_OP_EXP2 ? exp2 (x) : op == LS_OP_LOG2 ? log2 (x) : sin (x));
  return scalar_f (fit_float (base, op == LS_OP_EXP2 ? exp2f (f) : op == LS_OP_LOG2 ? log2f (f) : sinf (f)));
}

LsScalar
ls_eval_node (const LsUOp *u, LsDType dtype, LsDType src_dtype, const LsScalar *src)
{
  gboolean library = u->library && (u->op == LS_OP_EXP2 || u->op == LS_OP_LOG2 || u->op == LS_OP_SIN);
  return library ? ls_eval_library (u->op, dtype, src) : ls_eval_alu (u->op, dtype, src_dtype, src);
}

/* Conversions. */

static gint64
float_to_int (LsBase to, double f)
{
  const double two63 = 9223372036854775808.0;
  gboolean in_int64 = f >= -two63 && f < two63;      /* FALSE for NaN */
  switch ((int) to) {
  case LS_BASE_BOOL:
    return f != 0;
  case LS_BASE_UINT64:
    if (f >= two63 && f < 2 * two63)
      return (gint64) (guint64) f;
    return in_int64 ? (gint64) f : G_MININT64;
  case LS_BASE_INT64:
  case LS_BASE_UINT32:
  case LS_BASE_INDEX:
    return fit_int (to, in_int64 ? (gint64) f : G_MININT64);
  default:
    return fit_int (to, f > -2147483649.0 && f < 2147483648.0 ? (gint32) f : G_MININT32);
  }
}

LsScalar
ls_eval_cast (LsDType to, LsDType from, LsScalar value)
{
  LsBase base = ls_dtype_base (to);
  if (ls_dtype_is_float (from))
    return ls_dtype_is_float (to) ? scalar_f (fit_float (base, value.f)) : scalar_i (float_to_int (base, value.f));
  if (!ls_dtype_is_float (to))
    return scalar_i (fit_int (base, value.i));
  gboolean is_uint64 = ls_dtype_base (from) == LS_BASE_UINT64;
  if (base == LS_BASE_FLOAT || base == LS_BASE_WEAKFLOAT)      /* not through double, which would round twice */
    return scalar_f ((double) (is_uint64 ? (float) (guint64) value.i : (float) value.i));
  return scalar_f (fit_float (base, is_uint64 ? (double) (guint64) value.i : (double) value.i));
}

LsScalar
ls_eval_bitcast (LsDType to, LsDType from, LsScalar value)
{
  guint64 memory = 0;
  ls_scalar_store (from, &memory, value);
  return ls_scalar_load (to, &memory);
}

LsScalar
ls_eval_identity (LsOp op, LsDType dtype)
{
  gboolean is_float = ls_dtype_is_float (dtype);
  if (op == LS_OP_MUL)
    return is_float ? scalar_f (1) : scalar_i (1);
  if (is_float && op == LS_OP_MAX)
    return scalar_f (ls_dtype_base (dtype) == LS_BASE_FP8E4M3 ? -448 : -INFINITY);      /* the former has no infinity */
  if (op != LS_OP_MAX || ls_dtype_is_unsigned (dtype) || ls_dtype_is_bool (dtype))
    return is_float ? scalar_f (0) : scalar_i (0);
  return scalar_i ((gint64) ((guint64) -1 << (ls_dtype_bits (dtype) - 1)));
}

/* Memory. */

LsScalar
ls_scalar_load (LsDType dtype, const void *memory)
{
#define LOAD(T) ({ T t_; memcpy (&t_, memory, sizeof t_); t_; })
  switch ((int) ls_dtype_base (dtype)) {
  case LS_BASE_BOOL:      return scalar_i (LOAD (guint8) != 0);
  case LS_BASE_INT8:      return scalar_i (LOAD (gint8));
  case LS_BASE_UINT8:     return scalar_i (LOAD (guint8));
  case LS_BASE_INT16:     return scalar_i (LOAD (gint16));
  case LS_BASE_UINT16:    return scalar_i (LOAD (guint16));
  case LS_BASE_WEAKINT:
  case LS_BASE_INT32:     return scalar_i (LOAD (gint32));
  case LS_BASE_UINT32:    return scalar_i (LOAD (guint32));
  case LS_BASE_INDEX:
  case LS_BASE_INT64:
  case LS_BASE_UINT64:    return scalar_i (LOAD (gint64));
  case LS_BASE_FP8E4M3:
  case LS_BASE_FP8E5M2:   return scalar_f (ls_fp8_to_double (dtype, LOAD (guint8)));
  case LS_BASE_HALF:      return scalar_f (ls_half_to_double (LOAD (guint16)));
  case LS_BASE_BFLOAT16:  return scalar_f (ls_bfloat16_to_double (LOAD (guint16)));
  case LS_BASE_DOUBLE:    return scalar_f (LOAD (double));
  case LS_BASE_WEAKFLOAT:
  case LS_BASE_FLOAT: {
    guint32 bits = LOAD (guint32);
    if ((bits & 0x7fffffff) > 0x7f800000)      /* a conversion would quieten a signalling NaN */
      return scalar_f (double_of_bits ((guint64) (bits >> 31) << 63 | (guint64) 0x7ff << 52 | (guint64) (bits & 0x7fffff) << 29));
    return scalar_f (LOAD (float));
  }
  default:                return scalar_i (0);
  }
#undef LOAD
}

void
ls_scalar_store (LsDType dtype, void *memory, LsScalar value)
{
#define STORE(T, v) { T t_ = (T) (v); memcpy (memory, &t_, sizeof t_); break; }
  switch ((int) ls_dtype_base (dtype)) {
  case LS_BASE_BOOL:      STORE (guint8, value.i != 0)
  case LS_BASE_INT8:
  case LS_BASE_UINT8:     STORE (guint8, value.i)
  case LS_BASE_INT16:
  case LS_BASE_UINT16:    STORE (guint16, value.i)
  case LS_BASE_WEAKINT:
  case LS_BASE_INT32:
  case LS_BASE_UINT32:    STORE (guint32, value.i)
  case LS_BASE_INDEX:
  case LS_BASE_INT64:
  case LS_BASE_UINT64:    STORE (gint64, value.i)
  case LS_BASE_FP8E4M3:
  case LS_BASE_FP8E5M2:   STORE (guint8, ls_fp8_from_double (dtype, value.f))
  case LS_BASE_HALF:      STORE (guint16, ls_half_from_double (value.f))
  case LS_BASE_BFLOAT16:  STORE (guint16, ls_bfloat16_from_double (value.f))
  case LS_BASE_DOUBLE:    STORE (double, value.f)
  case LS_BASE_WEAKFLOAT:
  case LS_BASE_FLOAT:
    if (value.f != value.f) {
      guint64 bits = double_bits (value.f);
      guint32 payload = (guint32) (bits >> 29) & 0x7fffff;
      STORE (guint32, (guint32) (bits >> 63) << 31 | 0x7f800000 | (payload ? payload : 0x400000))
    }
    STORE (float, value.f)
  default:
    break;
  }
#undef STORE
}

/* Constants. */

LsScalar
ls_scalar_from_arg (LsDType dtype, LsArg arg)
{
  if (arg.kind == LS_ARG_FLOAT)
    return ls_eval_cast (dtype, LS_DOUBLE, scalar_f (arg.f));
  return ls_eval_cast (dtype, ls_dtype_is_unsigned (dtype) ? LS_UINT64 : LS_INT64, scalar_i (arg.kind == LS_ARG_INT ? arg.i : 0));
}

LsArg
ls_scalar_to_arg (LsDType dtype, LsScalar value)
{
  return ls_dtype_is_float (dtype) ? ls_arg_float (value.f) : ls_arg_int (value.i);
}
