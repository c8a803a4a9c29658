/* How LLVM's language spells types and constants.
 *
 * A bool is one bit in a register and a byte in memory. A float of 8 or 16 bits is a float in a register and its bits in memory, as in C
 * (c-style-text.c). Integers have no sign: operations do. A float constant is the bits of its value as a double, which is exact.
 */
#include "llvm-private.h"

#include <math.h>
#include <string.h>

#include "ir/eval.h"

static const char *
scalar_type (LsBase base, gboolean stored)
{
  switch ((int) base) {
  case LS_BASE_BOOL: return stored ? "i8" : "i1";
  case LS_BASE_INT8: case LS_BASE_UINT8: return "i8";
  case LS_BASE_INT16: case LS_BASE_UINT16: return "i16";
  case LS_BASE_WEAKINT: case LS_BASE_INT32: case LS_BASE_UINT32: return "i32";
  case LS_BASE_INDEX: case LS_BASE_INT64: case LS_BASE_UINT64: return "i64";
  case LS_BASE_FP8E4M3: case LS_BASE_FP8E5M2: return stored ? "i8" : "float";
  case LS_BASE_HALF: case LS_BASE_BFLOAT16: return stored ? "i16" : "float";
  case LS_BASE_DOUBLE: return "double";
  default: return "float";
  }
}

static const char *
with_lanes (LsDType dtype, const char *scalar)
{
  guint lanes = ls_dtype_lanes (dtype);
  if (lanes <= 1)
    return scalar;
  char text[48];
  g_snprintf (text, sizeof text, "<%u x %s>", lanes, scalar);
  return g_intern_string (text);
}

const char *ls_llvm_type (LsDType dtype) { return with_lanes (dtype, scalar_type (ls_dtype_base (dtype), FALSE)); }
const char *ls_llvm_stored (LsDType dtype) { return with_lanes (dtype, scalar_type (ls_dtype_base (dtype), TRUE)); }

/* "<float X, float X>" */
static char *
in_each_lane (LsDType dtype, const char *one)
{
  guint lanes = ls_dtype_lanes (dtype);
  if (lanes <= 1)
    return g_strdup (one);
  const char *type = ls_llvm_type (ls_dtype_scalar (dtype));
  GString *text = g_string_new ("<");
  for (guint i = 0; i < lanes; i++)
    g_string_append_printf (text, "%s%s %s", i ? ", " : "", type, one);
  g_string_append_c (text, '>');
  return g_string_free (text, FALSE);
}

static char *
float_bits (LsDType dtype, double f)
{
  guint64 bits = 0;
  if (ls_dtype_base (dtype) != LS_BASE_DOUBLE && !isnan (f))
    f = (double) (float) f;
  memcpy (&bits, &f, sizeof f);
  if (ls_dtype_base (dtype) != LS_BASE_DOUBLE && isnan (f)) {      /* its bits as a float, in the places of a double's */
    LsScalar value = { .f = f };
    guint32 narrow = 0;
    ls_scalar_store (LS_FLOAT, &narrow, value);
    bits = (guint64) (narrow >> 31) << 63 | (guint64) 0x7ff << 52 | (guint64) (narrow & 0x7fffff) << 29;
  }
  return g_strdup_printf ("0x%016" G_GINT64_MODIFIER "X", bits);
}

char *
ls_llvm_splat (LsDType dtype, gint64 i)
{
  g_autofree char *one = ls_dtype_is_bool (dtype) ? g_strdup (i ? "true" : "false") : g_strdup_printf ("%" G_GINT64_FORMAT, i);
  return in_each_lane (dtype, one);
}

char *
ls_llvm_splat_float (LsDType dtype, double f)
{
  g_autofree char *one = float_bits (dtype, f);
  return in_each_lane (dtype, one);
}

char *
ls_llvm_const (LsDType dtype, LsArg arg)
{
  LsScalar value = ls_scalar_from_arg (ls_dtype_scalar (dtype), arg);
  return ls_dtype_is_float (dtype) ? ls_llvm_splat_float (dtype, value.f) : ls_llvm_splat (dtype, value.i);
}
