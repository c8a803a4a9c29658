/* Arguments, values and floats as text, and back.
 *
 * The text distinguishes kinds: 1 is an integer, 1.0 a float, '1' a string, (1,) a tuple. Floats print as Python prints them, with the
 * fewest digits that read back to the same bits; a NaN that is not the usual one shows its bits. Text is the same in every locale.
 */
#include "print-private.h"
#include "number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAN_BITS 0x7ff8000000000000u

static guint64
bits_of (double f)
{
  guint64 bits;
  memcpy (&bits, &f, sizeof bits);
  return bits;
}

static double
of_bits (guint64 bits)
{
  double f;
  memcpy (&f, &bits, sizeof f);
  return f;
}

/* The fewest digits that read back; subnormals may need less than the digits every number of their type survives. */
static void
shortest (double f, gboolean single, char *buf, gsize size)
{
  double magnitude = fabs (f);
  int digits = magnitude < (single ? 1.17549435e-38 : 2.2250738585072014e-308) ? 1 : single ? 6 : 15;
  for (;; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%de", digits - 1);
    g_ascii_formatd (buf, (int) size, format, f);
    double back = g_ascii_strtod (buf, NULL);
    if ((single ? (double) (float) back : back) == f || digits >= 17)
      return;
  }
}

/**
 * ls_float_print:
 * @f: a number
 * @single: whether reading back as float is enough
 *
 * Returns: (transfer full): Python's repr of @f: "1.0", "0.1", "1e+16", "inf", "nan", "-0.0"
 */
char *
ls_float_print (double f, gboolean single)
{
  if (isnan (f)) {
    guint64 bits = bits_of (f);
    if (bits == NAN_BITS)
      return g_strdup ("nan");
    if (bits == (NAN_BITS | (guint64) 1 << 63))
      return g_strdup ("-nan");
    return g_strdup_printf ("nan(0x%" G_GINT64_MODIFIER "x)", bits);
  }
  if (isinf (f))
    return g_strdup (f < 0 ? "-inf" : "inf");
  if (f == 0)
    return g_strdup (signbit (f) ? "-0.0" : "0.0");

  char buf[40];
  shortest (f, single && (double) (float) f == f, buf, sizeof buf);
  char *e = strchr (buf, 'e');
  int exponent = atoi (e + 1);
  char digits[32];
  guint n = 0;
  for (char *p = buf; p < e; p++)
    if (g_ascii_isdigit (*p))
      digits[n++] = *p;
  while (n > 1 && digits[n - 1] == '0')
    n--;

  GString *out = g_string_new (f < 0 ? "-" : "");
  if (exponent >= -4 && exponent < 16) {
    if (exponent < 0)
      g_string_append (out, "0.");
    for (int i = -1; i > exponent; i--)
      g_string_append_c (out, '0');
    for (int i = 0; i < (int) n || i <= exponent; i++) {
      g_string_append_c (out, i < (int) n ? digits[i] : '0');
      if (i == exponent)
        g_string_append_c (out, '.');
    }
    if (out->str[out->len - 1] == '.')
      g_string_append_c (out, '0');
  } else {
    g_string_append_c (out, digits[0]);
    if (n > 1)
      g_string_append_c (out, '.');
    g_string_append_len (out, digits + 1, n - 1);
    g_string_append_printf (out, "e%c%02d", exponent < 0 ? '-' : '+', abs (exponent));
  }
  return g_string_free (out, FALSE);
}

static void
print_string (GString *out, const char *text)
{
  g_string_append_c (out, '\'');
  for (const char *p = text; *p; p++) {
    guchar c = (guchar) *p;
    if (c == '\'' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else if (c < 0x20 || c == 0x7f)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '\'');
}

static void
print_ints (GString *out, guint n, const gint64 *ints)
{
  char text[24];
  g_string_append_c (out, '(');
  for (guint i = 0; i < n; i++) {
    if (i)
      g_string_append (out, ", ");
    g_string_append (out, ls_int_text (ints[i], text));
  }
  g_string_append (out, n == 1 ? ",)" : ")");
}

void
ls_print_arg (GString *out, LsArg arg)
{
  char *text, digits[24];
  switch ((LsArgKind) arg.kind) {
  case LS_ARG_NONE: g_string_append (out, "None"); break;
  case LS_ARG_INT: g_string_append (out, ls_int_text (arg.i, digits)); break;
  case LS_ARG_FLOAT:
    text = ls_float_print (ls_arg_as_written (arg), FALSE);
    g_string_append (out, text);
    g_free (text);
    break;
  case LS_ARG_INTS: print_ints (out, arg.n, arg.ints); break;
  case LS_ARG_STR: print_string (out, arg.str); break;
  case LS_ARG_OP_INTS:
    g_string_append_printf (out, "(Ops.%s, ", ls_op_name (arg.op));
    print_ints (out, arg.n, arg.ints);
    g_string_append_c (out, ')');
    break;
  case LS_ARG_VAR:
    g_string_append_c (out, '(');
    print_string (out, arg.var->name);
    g_string_append_printf (out, ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT, arg.var->min, arg.var->max);
    if (arg.var->position >= 0)
      g_string_append_printf (out, ", %" G_GINT64_FORMAT, arg.var->position);
    g_string_append_c (out, ')');
    break;
  case LS_ARG_TRACKER:
    text = ls_tracker_to_string (arg.tracker);
    g_string_append (out, text);
    g_free (text);
    break;
  }
}

const char *
ls_int_text (gint64 i, char text[24])
{
  char *at = text + 23;
  guint64 u = i < 0 ? -(guint64) i : (guint64) i;
  *at = 0;
  do
    *--at = '0' + u % 10;
  while ((u /= 10) > 0);
  if (i < 0)
    *--at = '-';
  return at;
}

char *
ls_arg_print (LsArg arg)
{
  GString *out = g_string_new (NULL);
  ls_print_arg (out, arg);
  return g_string_free (out, FALSE);
}

void
ls_print_value (GString *out, LsDType dtype, LsArg arg)
{
  if (arg.kind == LS_ARG_INT && ls_dtype_is_bool (dtype) && (arg.i == 0 || arg.i == 1))
    g_string_append (out, arg.i ? "True" : "False");
  else if (arg.kind == LS_ARG_INT && ls_dtype_base (dtype) == LS_BASE_UINT64)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64) arg.i);
  else if (arg.kind == LS_ARG_FLOAT) {
    char *text = ls_float_print (ls_arg_as_written (arg), arg.rest == 0 && ls_dtype_is_float (dtype) && ls_dtype_bits (dtype) <= 32);
    g_string_append (out, text);
    g_free (text);
  } else
    ls_print_arg (out, arg);
}

void
ls_print_uop_arg (GString *out, const LsUOp *u)
{
  if (u->op == LS_OP_CONST)
    ls_print_value (out, u->dtype, u->arg);
  else
    ls_print_arg (out, u->arg);
}

char *
ls_uop_arg_print (const LsUOp *u)
{
  GString *out = g_string_new (NULL);
  ls_print_uop_arg (out, u);
  return g_string_free (out, FALSE);
}

LsArg
ls_arg_fit (LsDType dtype, LsArg arg)
{
  if (arg.kind != LS_ARG_FLOAT || !ls_dtype_is_float (dtype) || isnan (arg.f))
    return arg;
  if (ls_dtype_base (dtype) == LS_BASE_FLOAT)
    return ls_arg_written (dtype, arg.f);
  if (ls_dtype_bits (dtype) <= 32)
    arg.f = (float) arg.f;
  return arg;
}

/* --- reading back --- */

/* Integers of uint64 are its bits. */
static gboolean
parse_int (const char **p, gint64 *out)
{
  guint64 bits;
  if (**p == '-')
    return ls_number_int (p, G_MININT64, G_MAXINT64, out);
  if (!ls_number_uint (p, 10, G_MAXUINT64, &bits))
    return FALSE;
  *out = (gint64) bits;
  return TRUE;
}

static gboolean
parse_ints (const char **p, GArray *ints)
{
  if (**p != '(')
    return FALSE;
  (*p)++;
  for (;;) {
    while (**p == ' ')
      (*p)++;
    if (**p == ')') {
      (*p)++;
      return TRUE;
    }
    gint64 i;
    if (!parse_int (p, &i))
      return FALSE;
    g_array_append_val (ints, i);
    while (**p == ' ')
      (*p)++;
    if (**p == ',')
      (*p)++;
    else if (**p != ')')
      return FALSE;
  }
}

static gboolean
parse_float (const char *text, double *out)
{
  gboolean minus = *text == '-';
  const char *rest = text + minus;
  if (g_str_equal (rest, "nan"))
    *out = of_bits (NAN_BITS | (guint64) minus << 63);
  else if (g_str_equal (rest, "inf"))
    *out = minus ? -INFINITY : INFINITY;
  else if (g_str_has_prefix (rest, "nan(0x") && !minus) {
    const char *end = rest + strlen ("nan(0x");
    guint64 bits;
    if (!ls_number_uint (&end, 16, G_MAXUINT64, &bits))
      return FALSE;
    *out = of_bits (bits);
    return g_str_equal (end, ")") && isnan (*out);
  } else {
    return ls_number_float (&text, out) && !*text;
  }
  return TRUE;
}

char *
ls_string_parse (const char *text)
{
  g_autoptr (GString) value = g_string_new (NULL);
  const char *p = text + 1;
  for (; *p && *p != '\''; p++) {
    if (*p != '\\')
      g_string_append_c (value, *p);
    else if (p[1] == 'n')
      g_string_append_c (value, '\n'), p++;
    else if (p[1] == 't')
      g_string_append_c (value, '\t'), p++;
    else if (p[1] == 'x' && g_ascii_isxdigit (p[2]) && g_ascii_isxdigit (p[3])) {
      char c = (char) (g_ascii_xdigit_value (p[2]) * 16 + g_ascii_xdigit_value (p[3]));
      if (!c)
        return NULL;
      g_string_append_c (value, c);
      p += 3;
    } else if (p[1] == '\'' || p[1] == '\\')
      g_string_append_c (value, *++p);
    else
      return NULL;
  }
  if (!g_str_equal (p, "'"))
    return NULL;
  return g_string_free (g_steal_pointer (&value), FALSE);
}

static gboolean
parse_string (LsContext *ctx, const char *text, LsArg *out)
{
  g_autofree char *value = ls_string_parse (text);
  if (value)
    *out = ls_arg_str (ctx, value);
  return value != NULL;
}

/* ('n', 1, 16) or ('n', 1, 16, 2) */
static gboolean
parse_var (LsContext *ctx, const char *text, LsArg *out)
{
  const char *end = strstr (text, "', ");
  g_autofree char *name = end ? g_strndup (text + 1, end + 1 - (text + 1)) : NULL;
  gint64 n[3] = { 0, 0, -1 };
  guint k = 0;
  if (!end || !parse_string (ctx, name, out))
    return FALSE;
  for (end += 1; k < G_N_ELEMENTS (n) && g_str_has_prefix (end, ", "); k++) {
    end += 2;
    if (!parse_int (&end, &n[k]))
      return FALSE;
  }
  if (k < 2 || !g_str_equal (end, ")") || n[0] > n[1] || n[2] < (k == 3 ? 0 : -1))
    return FALSE;
  *out = ls_arg_var (ctx, out->str, n[0], n[1], n[2]);
  return TRUE;
}

static gboolean
parse_tuple (LsContext *ctx, const char *text, LsArg *out)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  const char *p = text;
  if (g_str_has_prefix (p, "('"))
    return parse_var (ctx, text, out);
  if (g_str_has_prefix (p, "(Ops.")) {
    p += strlen ("(Ops.");
    const char *comma = strchr (p, ',');
    if (!comma)
      return FALSE;
    g_autofree char *name = g_strndup (p, comma - p);
    LsOp op = ls_op_from_name (name);
    for (p = comma + 1; *p == ' '; p++)
      ;
    if (op == LS_N_OPS || !parse_ints (&p, ints) || !g_str_equal (p, ")"))
      return FALSE;
    *out = ls_arg_op_ints (ctx, op, ints->len, (const gint64 *) ints->data);
    return TRUE;
  }
  if (!parse_ints (&p, ints) || *p)
    return FALSE;
  *out = ls_arg_ints (ctx, ints->len, (const gint64 *) ints->data);
  return TRUE;
}

/**
 * ls_arg_parse:
 * @ctx: where the argument's memory is interned
 * @text: what ls_arg_print() or a listing wrote; True and False are the integers 1 and 0
 * @out: (out): the argument
 *
 * Returns: FALSE when @text is not an argument
 */
gboolean
ls_arg_parse (LsContext *ctx, const char *text, LsArg *out)
{
  double f;
  gint64 i;
  const char *p = text;
  if (g_str_equal (text, "None"))
    *out = ls_arg_none ();
  else if (g_str_equal (text, "True"))
    *out = ls_arg_int (1);
  else if (g_str_equal (text, "False"))
    *out = ls_arg_int (0);
  else if (*text == '\'')
    return parse_string (ctx, text, out);
  else if (*text == '(')
    return parse_tuple (ctx, text, out);
  else if (g_str_has_prefix (text, "ShapeTracker(")) {
    const LsTracker *tracker = ls_tracker_parse (ctx, text, NULL);
    if (!tracker)
      return FALSE;
    *out = ls_arg_tracker (ctx, tracker);
  } else if (parse_int (&p, &i) && !*p)
    *out = ls_arg_int (i);
  else if (parse_float (text, &f) && !(strspn (text, "-0123456789") == strlen (text)))
    *out = ls_arg_float (f);
  else
    return FALSE;
  return TRUE;
}

char *
ls_uop_summary (LsUOp *u)
{
  char dtype[64];
  GString *out = g_string_new (ls_op_name (u->op));
  if (u->arg.kind != LS_ARG_NONE) {
    gsize start = out->len;
    g_string_append_c (out, ' ');
    ls_print_uop_arg (out, u);
    if (g_utf8_strlen (out->str + start, -1) > 48) {
      g_string_truncate (out, g_utf8_offset_to_pointer (out->str + start, 48) - out->str);
      g_string_append (out, "…");
    }
  }
  if (u->tag) {
    g_autofree char *tag = ls_tag_print (u->tag);
    g_string_append_printf (out, " tag=%s", tag);
  }
  if (u->op != LS_OP_CONST && u->dtype != LS_VOID) {
    const char *name = ls_dtype_text (u->dtype, dtype);
    g_string_append_printf (out, " %s", g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
  }
  return g_string_free (out, FALSE);
}
