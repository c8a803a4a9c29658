/* How types and constants are spelled, and the functions that small floats and powers of integers need.
 *
 * Constants are exact: a float has the fewest digits that read back to it, a NaN its bits. Where the compiler has no half
 * or bfloat16, a value of theirs is kept in a float variable and memory holds its bits; the conversions below round once,
 * to nearest even, and keep the payload of a NaN, as ir/eval.c does.
 */
#include "c-style-private.h"
#include <math.h>
#include <string.h>
#include "ir/eval.h"
#include "ir/print.h"

#define DEFINE_INFINITY "#define INFINITY (1.0f/0.0f)"
#define DEFINE_NAN      "#define NAN (*(float*)&(unsigned int){0x7fc00000u})"

static const char half_to_float[] =
  "static inline float ls_h2f(unsigned short h) {\n"
  "  unsigned int e = h>>10&31, m = h&1023;\n"
  "  float f = (float)m*5.9604644775390625e-08f;\n"
  "  unsigned int u = e==31 ? 0x7f800000u|m<<13 : e ? (e+112)<<23|m<<13 : *(unsigned int*)&f;\n"
  "  u |= (unsigned int)(h&0x8000)<<16;\n"
  "  return *(float*)&u;\n"
  "}\n";

static const char float_to_half[] =
  "static inline unsigned short ls_f2h(float x) {\n"
  "  unsigned int u = *(unsigned int*)&x, s = u>>16&0x8000, a = u&0x7fffffff, m = a>>13&1023;\n"
  "  if (a>0x7f800000) return s|0x7c00|(m?m:0x200);\n"
  "  if (a>=0x47800000) return s|0x7c00;\n"
  "  if (a<0x38800000) {\n"
  "    float f = *(float*)&a+0.5f;\n"
  "    return s|(*(unsigned int*)&f-0x3f000000);\n"
  "  }\n"
  "  a += 0xfff+(a>>13&1);\n"
  "  return s|(a-0x38000000)>>13;\n"
  "}\n";

static const char double_to_half[] =
  "static inline unsigned short ls_d2h(double x) {\n"
  "  unsigned long u = *(unsigned long*)&x, s = u>>48&0x8000, a = u&0x7fffffffffffffff, m = a>>42&1023;\n"
  "  if (a>0x7ff0000000000000) return s|0x7c00|(m?m:0x200);\n"
  "  if (a>=0x40f0000000000000) return s|0x7c00;\n"
  "  if (a<0x3f10000000000000) {\n"
  "    double f = *(double*)&a+268435456.0;\n"
  "    return s|(*(unsigned long*)&f-0x41b0000000000000);\n"
  "  }\n"
  "  a += 0x1ffffffffff+(a>>42&1);\n"
  "  return s|(a-0x3f00000000000000)>>42;\n"
  "}\n";

static const char bfloat_to_float[] =
  "static inline float ls_b2f(unsigned short b) {\n"
  "  unsigned int u = (unsigned int)b<<16;\n"
  "  return *(float*)&u;\n"
  "}\n";

static const char float_to_bfloat[] =
  "static inline unsigned short ls_f2b(float x) {\n"
  "  unsigned int u = *(unsigned int*)&x, s = u>>16&0x8000, m = u>>16&127;\n"
  "  if ((u&0x7fffffff)>0x7f800000) return s|0x7f80|(m?m:0x40);\n"
  "  return (u+0x7fff+(u>>16&1))>>16;\n"
  "}\n";

static const char double_to_bfloat[] =
  "static inline unsigned short ls_d2b(double x) {\n"
  "  unsigned long u = *(unsigned long*)&x, s = u>>48&0x8000, a = u&0x7fffffffffffffff, m = a>>45&127;\n"
  "  if (a>0x7ff0000000000000) return s|0x7f80|(m?m:0x40);\n"
  "  if (a>=0x47f0000000000000) return s|0x7f80;\n"
  "  if (a<0x3810000000000000) {\n"
  "    double f = *(double*)&a+4.1359030627651384e-25;\n"
  "    return s|(*(unsigned long*)&f-0x3ae0000000000000);\n"
  "  }\n"
  "  a += 0xfffffffffff+(a>>45&1);\n"
  "  return s|(a-0x3800000000000000)>>45;\n"
  "}\n";

static const char e4m3_to_float[] =
  "static inline float ls_q2f(unsigned char q) {\n"
  "  unsigned int e = q>>3&15, m = q&7;\n"
  "  float f = (float)m*0.001953125f;\n"
  "  unsigned int u = (q&127)==127 ? 0x7fc00000u : e ? (e+120)<<23|m<<20 : *(unsigned int*)&f;\n"
  "  u |= (unsigned int)(q&128)<<24;\n"
  "  return *(float*)&u;\n"
  "}\n";

static const char double_to_e4m3[] =
  "static inline unsigned char ls_d2q(double x) {\n"
  "  unsigned long u = *(unsigned long*)&x, s = u>>56&128, a = u&0x7fffffffffffffff;\n"
  "  if (a>=0x7ff0000000000000) return s|127;\n"
  "  if (a<0x3f90000000000000) {\n"
  "    double f = *(double*)&a+8796093022208.0;\n"
  "    return s|(*(unsigned long*)&f-0x42a0000000000000);\n"
  "  }\n"
  "  a += 0xffffffffffff+(a>>49&1);\n"
  "  a = (a-0x3f80000000000000)>>49;\n"
  "  return s|(a>126?126:a);\n"
  "}\n";

static const char e5m2_to_float[] =
  "static inline float ls_r2f(unsigned char q) {\n"
  "  unsigned int e = q>>2&31, m = q&3;\n"
  "  float f = (float)m*1.52587890625e-05f;\n"
  "  unsigned int u = e==31 ? (m?0x7fc00000u:0x7f800000u) : e ? (e+112)<<23|m<<21 : *(unsigned int*)&f;\n"
  "  u |= (unsigned int)(q&128)<<24;\n"
  "  return *(float*)&u;\n"
  "}\n";

static const char double_to_e5m2[] =
  "static inline unsigned char ls_d2r(double x) {\n"
  "  unsigned long u = *(unsigned long*)&x, s = u>>56&128, a = u&0x7fffffffffffffff;\n"
  "  if (a>=0x7ff0000000000000) return s|(a>0x7ff0000000000000?127:124);\n"
  "  if (a<0x3f10000000000000) {\n"
  "    double f = *(double*)&a+68719476736.0;\n"
  "    return s|(*(unsigned long*)&f-0x4230000000000000);\n"
  "  }\n"
  "  a += 0x1ffffffffffff+(a>>50&1);\n"
  "  a = (a-0x3f00000000000000)>>50;\n"
  "  return s|(a>123?123:a);\n"
  "}\n";

static const char signed_power[] =
  "static inline long ls_ipow(long b, long e) {\n"
  "  unsigned long r = 1, f = b, n = e;\n"
  "  if (e<0) return b==1 ? 1 : b==-1 ? 1-(e&1)*2 : 0;\n"
  "  for (; n; n >>= 1, f *= f) r *= n&1 ? f : 1;\n"
  "  return r;\n"
  "}\n";

static const char unsigned_power[] =
  "static inline unsigned long ls_upow(unsigned long b, unsigned long n) {\n"
  "  unsigned long r = 1;\n"
  "  for (; n; n >>= 1, b *= b) r *= n&1 ? b : 1;\n"
  "  return r;\n"
  "}\n";

static const struct { const char *name, *text; } helpers[] = {
  { "ls_ipow", signed_power }, { "ls_upow", unsigned_power },
  { "ls_q2f", e4m3_to_float }, { "ls_d2q", double_to_e4m3 }, { "ls_r2f", e5m2_to_float }, { "ls_d2r", double_to_e5m2 },
  { "ls_h2f", half_to_float }, { "ls_f2h", float_to_half }, { "ls_d2h", double_to_half },
  { "ls_b2f", bfloat_to_float }, { "ls_f2b", float_to_bfloat }, { "ls_d2b", double_to_bfloat },
};

gboolean
ls_render_native (LsRender *r, LsDType dtype)
{
  return !ls_dtype_is_small_float (dtype) || (!ls_dtype_is_fp8 (dtype) && ASK (r, native_half));
}

/* The functions that convert a dtype which is kept as bits; those of 8 bits take any float. */
typedef struct { const char *from_float, *from_double, *to_float; } Conversion;

static const Conversion *
conversion (LsDType dtype)
{
  static const Conversion rows[LS_N_BASES] = {
    [LS_BASE_FP8E4M3] = { "ls_d2q", "ls_d2q", "ls_q2f" }, [LS_BASE_FP8E5M2] = { "ls_d2r", "ls_d2r", "ls_r2f" },
    [LS_BASE_HALF] = { "ls_f2h", "ls_d2h", "ls_h2f" }, [LS_BASE_BFLOAT16] = { "ls_f2b", "ls_d2b", "ls_b2f" },
  };
  return &rows[ls_dtype_base (dtype)];
}

static const char *
needed (LsRender *r, LsDType dtype, const char *name)
{
  if (ls_render_native (r, dtype))
    return NULL;
  ls_render_need (r, name);
  return name;
}

const char *ls_render_to_bits (LsRender *r, LsDType dtype) { return needed (r, dtype, conversion (dtype)->from_float); }
const char *ls_render_wide_to_bits (LsRender *r, LsDType dtype) { return needed (r, dtype, conversion (dtype)->from_double); }
const char *ls_render_from_bits (LsRender *r, LsDType dtype) { return needed (r, dtype, conversion (dtype)->to_float); }

static const char *
scalar_name (LsRender *r, LsDType dtype)
{
  LsBase base = ls_dtype_base (dtype);
  return r->dialect->types[base] ? ASK (r, types)[base] : ls_base_infos[base].c_name;
}

static char *
vector_spelled (LsRender *r, LsDType dtype)
{
  g_autofree char *base = g_strdup (scalar_name (r, ls_dtype_scalar (dtype)));
  g_strdelimit (base, " ", '_');
  return g_strdup_printf ("%s%u", base, ls_dtype_lanes (dtype));
}

static const char *
vector_type (LsRender *r, LsDType dtype)
{
  LsDType scalar = ls_dtype_scalar (dtype);
  guint size = ls_dtype_itemsize (scalar) * ls_dtype_lanes (dtype),
        alignment = ASK (r, aligned_vectors) ? size : ls_dtype_itemsize (scalar);
  g_autofree char *name = vector_spelled (r, dtype);
  g_autofree char *text = g_strdup_printf ("typedef %s %s __attribute__((aligned(%u),vector_size(%u)));", scalar_name (r, scalar), name,
                                           alignment, size);
  return g_intern_string (text);
}

static const char *
vector_name (LsRender *r, LsDType dtype)
{
  g_autofree char *name = vector_spelled (r, dtype);
  if (ASK (r, vector_types))
    ls_render_need (r, vector_type (r, dtype));
  return g_intern_string (name);
}

static const char *
type_name (LsRender *r, LsDType dtype)
{
  if (!(r->target->dtypes >> ls_dtype_base (dtype) & 1))
    ls_render_fail (r, NULL, ls_dtype_name (dtype));
  return ls_dtype_lanes (dtype) > 1 ? vector_name (r, dtype) : scalar_name (r, dtype);
}

const char *
ls_render_type (LsRender *r, LsDType dtype)
{
  return ls_render_native (r, dtype) ? type_name (r, ls_dtype_deref (dtype)) : "float";
}

const char *
ls_render_stored (LsRender *r, LsDType dtype)
{
  return ls_render_native (r, dtype) ? type_name (r, ls_dtype_deref (dtype)) : ls_dtype_is_fp8 (dtype) ? "unsigned char" : "unsigned short";
}

static char *
bracketed_int (LsRender *r, gint64 i)
{
  char digits[24];
  gboolean bracketed = i < 0 && !ASK (r, bare_constants);
  return g_strconcat (bracketed ? "(" : "", ls_int_text (i, digits), bracketed ? ")" : "", NULL);
}

static char *
int_const (LsRender *r, LsBase base, gint64 i)
{
  char digits[24];
  switch ((int) base) {
  case LS_BASE_BOOL: return g_strdup (ASK (r, truth)[i != 0]);
  case LS_BASE_UINT32: return g_strconcat (ls_int_text (i, digits), "u", NULL);
  case LS_BASE_UINT64: return g_strdup_printf ("%" G_GUINT64_FORMAT "ul", (guint64) i);
  case LS_BASE_INT64:
  case LS_BASE_INDEX:
    if (i == G_MININT64)
      return g_strdup ("(-9223372036854775807l-1)");
    return g_strconcat (i < 0 ? "(" : "", ls_int_text (i, digits), i < 0 ? "l)" : "l", NULL);
  default:
    if (i == G_MININT32)
      return g_strdup ("(-2147483647-1)");
    return bracketed_int (r, i);
  }
}

/* A NaN that INFINITY/NAN cannot say, by its bits. */
static char *
nan_bits (LsRender *r, LsDType dtype, double f)
{
  LsScalar value = { .f = f };
  guint64 bits = 0;
  LsDType held = ls_dtype_base (dtype) == LS_BASE_DOUBLE ? LS_DOUBLE : LS_FLOAT;
  ls_scalar_store (held, &bits, value);
  if (bits == (held == LS_DOUBLE ? 0x7ff8000000000000 : 0x7fc00000))
    return NULL;
  if (held == LS_FLOAT && ASK (r, bitcast)) {
    GString *text = g_string_new (NULL);
    g_autofree char *digits = g_strdup_printf ("0x%08xu", (guint) bits);
    ls_render_fill (text, r->dialect->bitcast, scalar_name (r, held), digits);
    return g_string_free (text, FALSE);
  }
  if (held == LS_DOUBLE)
    return g_strdup_printf ("(*(double*)&(unsigned long){0x%" G_GINT64_MODIFIER "xul})", bits);
  return g_strdup_printf ("(*(float*)&(unsigned int){0x%08xu})", (guint) bits);
}

static char *
cast_constant (LsRender *r, LsDType dtype, const char *sign, const char *text)
{
  g_autofree char *value = g_strconcat (sign, text, NULL);
  GString *out = g_string_new (NULL);
  ls_render_fill (out, ASK (r, cast), scalar_name (r, dtype), value);
  return g_string_free (out, FALSE);
}

static char *
float_const (LsRender *r, LsDType dtype, LsArg arg)
{
  double f = arg.f;
  if (isnan (f)) {
    char *bits = ASK (r, cast_constants) ? NULL : nan_bits (r, dtype, f);
    if (bits)
      return bits;
    if (ASK (r, nan))
      return cast_constant (r, dtype, "", r->dialect->nan);
    if (ASK (r, macros))
      ls_render_need (r, DEFINE_NAN);
    return g_strdup ("NAN");
  }
  if (isinf (f)) {
    if (ASK (r, infinity))
      return cast_constant (r, dtype, f < 0 ? "-" : "", r->dialect->infinity);
    if (ASK (r, macros))
      ls_render_need (r, DEFINE_INFINITY);
    return g_strdup (f < 0 ? "(-INFINITY)" : "INFINITY");
  }
  gboolean is_double = ls_dtype_base (dtype) == LS_BASE_DOUBLE;
  g_autofree char *digits = ls_float_print (ls_arg_as_written (arg), !is_double && arg.rest == 0);
  const char *suffix = is_double ? "" : "f";
  gboolean bracketed = signbit (f) && !ASK (r, bare_constants);
  return g_strconcat (bracketed ? "(" : "", digits, suffix, bracketed ? ")" : "", NULL);
}

char *
ls_render_const (LsRender *r, LsDType dtype, LsArg arg)
{
  LsBase base = ls_dtype_base (dtype);
  if (arg.kind != LS_ARG_INT && arg.kind != LS_ARG_FLOAT)
    return g_strdup ("0");
  g_autofree char *text = NULL;
  if (ls_dtype_is_float (dtype))
    text = float_const (r, dtype, arg.kind == LS_ARG_FLOAT ? arg : ls_arg_float ((double) arg.i));
  else if (base != LS_BASE_BOOL && ASK (r, cast_constants))
    text = bracketed_int (r, arg.kind == LS_ARG_FLOAT ? (gint64) arg.f : arg.i);
  else
    text = int_const (r, base, arg.kind == LS_ARG_FLOAT ? (gint64) arg.f : arg.i);
  /* 16-bit floats have no literals of their own */
  gboolean small = base == LS_BASE_HALF || base == LS_BASE_BFLOAT16,
           bare = base == LS_BASE_FLOAT || base == LS_BASE_INT32 || base == LS_BASE_BOOL;
  if (!bare && (ASK (r, cast_constants) || (small && ASK (r, cast_half))))
    return g_strdup_printf ("(%s)(%s)", scalar_name (r, dtype), text);
  return g_steal_pointer (&text);
}

static int
compare_needs (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
ls_render_head (LsRender *r, GString *out)
{
  if (ASK (r, head))
    g_string_append (out, r->dialect->head);
  gboolean by_use = g_hash_table_size (r->needs) > 0 && ASK (r, types_by_use);
  for (guint i = 0; by_use && i < r->n; i++) {
    LsDType dtype = r->list[i]->dtype;
    const char *type = !ls_dtype_is_ptr (dtype) && ls_dtype_lanes (dtype) > 1 ? vector_type (r, dtype) : NULL;
    if (type && g_hash_table_remove (r->needs, type))
      g_string_append_printf (out, "%s\n", type);
  }
  g_autoptr (GPtrArray) needs = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer text;
  g_hash_table_iter_init (&iter, r->needs);
  while (g_hash_table_iter_next (&iter, &text, NULL))
    g_ptr_array_add (needs, text);
  g_ptr_array_sort (needs, compare_needs);
  for (guint i = 0; i < needs->len; i++)
    if (strchr (needs->pdata[i], ' '))
      g_string_append_printf (out, "%s\n", (const char *) needs->pdata[i]);
  for (guint i = 0; i < G_N_ELEMENTS (helpers); i++)
    if (g_hash_table_contains (r->needs, helpers[i].name))
      g_string_append (out, helpers[i].text);
}
