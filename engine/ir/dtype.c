/* Names, promotion and ranges of dtypes.
 *
 * Promotion is the lattice tinygrad and JAX share: the result is the least dtype that both reach along its edges. It is
 * written as one set of reachable bases per base; the least upper bound is the common base of smallest priority.
 */
#include "dtype.h"
#include "number.h"

#include <stdio.h>
#include <string.h>

const LsBaseInfo ls_base_infos[LS_N_BASES] = {
#define X(name, text, c_name, bits, priority, kind) { text, c_name, bits, priority, LS_KIND_##kind },
  LS_DTYPE_TABLE (X)
#undef X
};

#define B(name) (1u << LS_BASE_##name)
#define UP_DOUBLE B (DOUBLE)
#define UP_FLOAT  (B (FLOAT) | UP_DOUBLE)
#define UP_HALF   (B (HALF) | UP_FLOAT)
#define UP_BF16   (B (BFLOAT16) | UP_FLOAT)
#define UP_E4M3   (B (FP8E4M3) | UP_HALF | UP_BF16)
#define UP_E5M2   (B (FP8E5M2) | UP_HALF | UP_BF16)
#define UP_WEAKF  (B (WEAKFLOAT) | UP_E4M3 | UP_E5M2)
#define UP_UINT64 (B (UINT64) | UP_WEAKF)
#define UP_INT64  (B (INT64) | UP_WEAKF)
#define UP_INT32  (B (INT32) | UP_INT64)
#define UP_UINT32 (B (UINT32) | UP_INT64 | UP_UINT64)
#define UP_INT16  (B (INT16) | UP_INT32)
#define UP_UINT16 (B (UINT16) | UP_INT32 | UP_UINT32)
#define UP_INT8   (B (INT8) | UP_INT16)
#define UP_UINT8  (B (UINT8) | UP_INT16 | UP_UINT16)
#define UP_WEAKI  (B (WEAKINT) | UP_INT8 | UP_UINT8)
#define UP_BOOL   (B (BOOL) | UP_WEAKI)

static const guint32 reach[LS_N_BASES] = {
  [LS_BASE_BOOL] = UP_BOOL, [LS_BASE_WEAKINT] = UP_WEAKI, [LS_BASE_INT8] = UP_INT8, [LS_BASE_UINT8] = UP_UINT8,
  [LS_BASE_INT16] = UP_INT16, [LS_BASE_UINT16] = UP_UINT16, [LS_BASE_INT32] = UP_INT32, [LS_BASE_UINT32] = UP_UINT32,
  [LS_BASE_INT64] = UP_INT64, [LS_BASE_UINT64] = UP_UINT64, [LS_BASE_WEAKFLOAT] = UP_WEAKF, [LS_BASE_FP8E4M3] = UP_E4M3,
  [LS_BASE_FP8E5M2] = UP_E5M2,
  [LS_BASE_HALF] = UP_HALF,
  [LS_BASE_BFLOAT16] = UP_BF16, [LS_BASE_FLOAT] = UP_FLOAT, [LS_BASE_DOUBLE] = UP_DOUBLE,
};

LsDType
ls_dtype_promote (LsDType a, LsDType b)
{
  if (a == b)
    return a;
  guint32 common = reach[ls_dtype_base (a)] & reach[ls_dtype_base (b)];
  int best = -1;
  for (int i = 0; i < LS_N_BASES; i++)
    if (common & (1u << i) && (best < 0 || ls_base_infos[i].priority < ls_base_infos[best].priority))
      best = i;
  return best < 0 ? a : LS_DTYPE (best);
}

LsDType
ls_dtype_strong (LsDType d)
{
  if (ls_dtype_base (d) == LS_BASE_WEAKINT)
    return (d & ~(LsDType) 0xff) | LS_BASE_INT32;
  if (ls_dtype_base (d) == LS_BASE_WEAKFLOAT)
    return (d & ~(LsDType) 0xff) | LS_BASE_FLOAT;
  return d;
}

LsDType
ls_dtype_from_name (const char *name)
{
  static const struct { const char *name; LsDType dtype; } also[] = {
    { "int8", LS_INT8 }, { "uint8", LS_UINT8 }, { "int16", LS_INT16 }, { "uint16", LS_UINT16 }, { "int32", LS_INT32 },
    { "uint32", LS_UINT32 }, { "int64", LS_INT64 }, { "uint64", LS_UINT64 }, { "float16", LS_HALF }, { "float32", LS_FLOAT },
    { "float64", LS_DOUBLE }, { "default_int", LS_INT32 }, { "default_float", LS_FLOAT }, { "bool_", LS_BOOL },
  };
  for (int i = 0; i < LS_N_BASES; i++)
    if (strcmp (ls_base_infos[i].name, name) == 0)
      return LS_DTYPE (i);
  for (gsize i = 0; i < G_N_ELEMENTS (also); i++)
    if (strcmp (also[i].name, name) == 0)
      return also[i].dtype;
  return LS_VOID;
}

gint64
ls_dtype_min_i (LsDType d)
{
  switch (ls_dtype_base (d)) {
  case LS_BASE_INDEX: case LS_BASE_INT64: return G_MININT64;
  case LS_BASE_WEAKINT: case LS_BASE_INT32: return G_MININT32;
  case LS_BASE_INT16: return G_MININT16;
  case LS_BASE_INT8: return G_MININT8;
  default: return 0;
  }
}

guint64
ls_dtype_max_u (LsDType d)
{
  switch (ls_dtype_base (d)) {
  case LS_BASE_INDEX: case LS_BASE_INT64: return G_MAXINT64;
  case LS_BASE_UINT64: return G_MAXUINT64;
  case LS_BASE_WEAKINT: case LS_BASE_INT32: return G_MAXINT32;
  case LS_BASE_UINT32: return G_MAXUINT32;
  case LS_BASE_INT16: return G_MAXINT16;
  case LS_BASE_UINT16: return G_MAXUINT16;
  case LS_BASE_INT8: return G_MAXINT8;
  case LS_BASE_UINT8: return G_MAXUINT8;
  case LS_BASE_BOOL: return 1;
  default: return 0;
  }
}

guint
ls_dtype_digits (LsDType d)
{
  switch (ls_dtype_base (d)) {
  case LS_BASE_FP8E5M2: return 3;
  case LS_BASE_FP8E4M3: return 4;
  case LS_BASE_BFLOAT16: return 8;
  case LS_BASE_HALF: return 11;
  case LS_BASE_WEAKFLOAT: case LS_BASE_FLOAT: return 24;
  case LS_BASE_DOUBLE: return 53;
  default: return 0;
  }
}

const char *
ls_dtype_text (LsDType d, char *buf)
{
  int n = g_snprintf (buf, 64, "dtypes.%s", ls_dtype_name (d));
  if (ls_dtype_lanes (d) > 1)
    n += g_snprintf (buf + n, 64 - n, ".vec(%u)", ls_dtype_lanes (d));
  if (ls_dtype_is_ptr (d)) {
    n += g_snprintf (buf + n, 64 - n, ".ptr(%" G_GUINT64_FORMAT "%s)", ls_dtype_ptr_size (d),
                     ls_dtype_space (d) == LS_SPACE_REG ? ", AddrSpace.REG" : "");
    if (ls_dtype_space (d) == LS_SPACE_LOCAL)
      g_snprintf (buf + n, 64 - n, ".local");
  }
  return buf;
}

const char *
ls_dtype_classic (LsDType d, char *buf)
{
  int n = g_snprintf (buf, 64, "%sdtypes.%s", ls_dtype_is_ptr (d) ? "ptr." : "", ls_dtype_name (d));
  if (ls_dtype_lanes (d) > 1)
    g_snprintf (buf + n, 64 - n, ".vec(%u)", ls_dtype_lanes (d));
  return buf;
}

gboolean
ls_dtype_parse (const char *text, LsDType *out)
{
  char name[24];
  int n = 0;
  if (!g_str_has_prefix (text, "dtypes."))
    return FALSE;
  text += 7;
  while (g_ascii_isalnum (text[n]) && n < 23) {
    name[n] = text[n];
    n++;
  }
  name[n] = 0;
  text += n;
  LsDType d = ls_dtype_from_name (name);
  if (d == LS_VOID && strcmp (name, "void") != 0)
    return FALSE;
  if (g_str_has_prefix (text, ".vec(")) {
    guint64 lanes;
    text += strlen (".vec(");
    if (!ls_number_uint (&text, 10, 4095, &lanes) || lanes < 1 || *text++ != ')')
      return FALSE;
    d = ls_dtype_vec (d, lanes);
  }
  if (g_str_has_prefix (text, ".ptr(")) {
    guint64 size;
    LsSpace space = LS_SPACE_GLOBAL;
    text += strlen (".ptr(");
    if (!ls_number_uint (&text, 10, (G_GUINT64_CONSTANT (1) << 40) - 1, &size))
      return FALSE;
    if (g_str_has_prefix (text, ", AddrSpace.REG")) {
      space = LS_SPACE_REG;
      text += strlen (", AddrSpace.REG");
    }
    if (*text++ != ')')
      return FALSE;
    if (g_str_has_prefix (text, ".local")) {
      space = LS_SPACE_LOCAL;
      text += 6;
    }
    d = ls_dtype_ptr (d, space, size);
  }
  *out = d;
  return *text == 0;
}
