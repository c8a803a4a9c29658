/* The functions that compiled kernels may call, by name. */
#include "symbols.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* tcc calls these for conversions that it does not write out. Out of range and NaN give the smallest int64, as in ir/eval.h. */
static guint64
double_to_uint64 (double f)
{
  const double two63 = 9223372036854775808.0;
  if (f >= two63 && f < 2 * two63)
    return (guint64) (gint64) (f - two63) + ((guint64) 1 << 63);
  return f >= -two63 && f < two63 ? (guint64) (gint64) f : (guint64) 1 << 63;
}
static guint64     float_to_uint64       (float f)       { return double_to_uint64 ((double) f); }
static guint64     long_double_to_uint64 (long double f) { return double_to_uint64 ((double) f); }
static float       uint64_to_float       (guint64 i)     { return (float) i; }
static double      uint64_to_double      (guint64 i)     { return (double) i; }
static long double uint64_to_long_double (guint64 i)     { return (long double) i; }

static const LsSymbol symbols[] = {
#define BOTH(name) { #name, (const void *) name }, { #name "f", (const void *) name##f }
  BOTH (exp2), BOTH (log2), BOTH (exp), BOTH (log), BOTH (sin), BOTH (cos), BOTH (tan), BOTH (sqrt), BOTH (pow), BOTH (trunc),
  BOTH (floor), BOTH (ceil), BOTH (rint), BOTH (fmod), BOTH (fabs), BOTH (fmax), BOTH (fmin), BOTH (fma), BOTH (ldexp), BOTH (copysign),
#undef BOTH
  { "memset", (const void *) memset }, { "memcpy", (const void *) memcpy }, { "memmove", (const void *) memmove },
  { "__fixunssfdi", (const void *) float_to_uint64 }, { "__fixunsdfdi", (const void *) double_to_uint64 },
  { "__fixunsxfdi", (const void *) long_double_to_uint64 }, { "__floatundisf", (const void *) uint64_to_float },
  { "__floatundidf", (const void *) uint64_to_double }, { "__floatundixf", (const void *) uint64_to_long_double },
  { NULL, NULL },
};

const LsSymbol *
ls_symbols (void)
{
  return symbols;
}

const void *
ls_symbol_find (const char *name)
{
  for (const LsSymbol *s = symbols; s->name; s++)
    if (strcmp (s->name, name) == 0)
      return s->function;
  return NULL;
}
