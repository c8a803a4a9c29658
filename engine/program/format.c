/* Python's format specs: [[fill]align][sign][#][0][width][,][.precision][type]. */
#include "value.h"

#include <math.h>
#include <string.h>

typedef struct {
  gunichar fill;
  char     align, sign, group, type;
  guint    width;
  int      precision;      /* -1: none */
} Spec;

#define MAX_WIDTH 10000

static gboolean
parse_spec (const char *p, Spec *spec)
{
  *spec = (Spec) { .fill = ' ', .precision = -1 };
  const char *next = *p ? g_utf8_next_char (p) : p;
  if (*p && *next && strchr ("<>^=", *next)) {
    spec->fill = g_utf8_get_char (p);
    spec->align = *next;
    p = next + 1;
  } else if (*p && strchr ("<>^=", *p)) {
    spec->align = *p++;
  }
  if (*p && strchr ("+- ", *p))
    spec->sign = *p++;
  if (*p == '#')
    return FALSE;
  if (*p == '0' && !spec->align) {
    spec->fill = '0';
    spec->align = '=';
    p++;
  }
  for (; g_ascii_isdigit (*p); p++)
    if ((spec->width = spec->width * 10 + (*p - '0')) > MAX_WIDTH)
      return FALSE;
  if (*p == ',' || *p == '_')
    spec->group = *p++;
  if (*p == '.') {
    if (!g_ascii_isdigit (*++p))
      return FALSE;
    for (spec->precision = 0; g_ascii_isdigit (*p); p++)
      if ((spec->precision = spec->precision * 10 + (*p - '0')) > 300)
        return FALSE;
  }
  if (*p)
    spec->type = *p++;
  return *p == '\0';
}

/* Digits of the whole part in groups of three, or of four for a base of two. */
static void
group_digits (GString *text, char group, guint size)
{
  gsize n = strcspn (text->str, ".e%");
  for (gssize i = (gssize) n - size; i > 0; i -= size)
    g_string_insert_c (text, i, group);
}

static void
put (GString *out, const Spec *spec, const char *sign, const char *body, char natural)
{
  char align = spec->align ? spec->align : natural;
  glong n = g_utf8_strlen (sign, -1) + g_utf8_strlen (body, -1), pad = (glong) spec->width > n ? spec->width - n : 0;
  glong left = align == '>' || align == '=' ? pad : align == '^' ? pad / 2 : 0;
  if (align == '=')
    g_string_append (out, sign);
  for (glong i = 0; i < left; i++)
    g_string_append_unichar (out, spec->fill);
  if (align != '=')
    g_string_append (out, sign);
  g_string_append (out, body);
  for (glong i = left; i < pad; i++)
    g_string_append_unichar (out, spec->fill);
}

static void
float_digits (GString *text, double f, const Spec *spec)
{
  char format[16], digits[800], type = spec->type ? spec->type : spec->precision >= 0 ? 'g' : 'r';
  if (isnan (f) || isinf (f)) {
    g_string_append (text, isnan (f) ? "nan" : "inf");
  } else if (type == 'r') {
    ls_append_float (text, f);
  } else {
    char conversion = type == '%' ? 'f' : g_ascii_tolower (type);
    int precision = spec->precision < 0 ? 6 : spec->precision;
    g_snprintf (format, sizeof format, "%%.%d%c", conversion == 'g' && precision == 0 ? 1 : precision, conversion);
    g_string_append (text, g_ascii_formatd (digits, sizeof digits, format, type == '%' ? f * 100 : f));
    if (!spec->type && !strpbrk (text->str, ".en"))
      g_string_append (text, ".0");
  }
  if (type == '%')
    g_string_append_c (text, '%');
  if (g_ascii_isupper (type))
    g_string_ascii_up (text);
}

static void
integer_digits (GString *text, guint64 u, char type)
{
  guint base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
  char digits[72];
  guint at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = (type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[u % base];
    u /= base;
  } while (u > 0);
  g_string_append (text, digits + at);
}

gboolean
ls_value_append_format (GString *out, LsContext *ctx, LsValue v, const char *spec_text, const char **error_message)
{
  Spec spec;
  g_autoptr (GString) text = g_string_new (NULL);
  if (*spec_text == '\0') {
    ls_value_append_str (out, ctx, v);
    return TRUE;
  }
  if (!parse_spec (spec_text, &spec)) {
    *error_message = "this format is not understood";
    return FALSE;
  }
  gboolean integer = ls_value_is_integer (v) && !(v.kind == LS_VALUE_BOOL && !spec.type), wants_float = spec.type && strchr ("eEfFgG%", spec.type);
  if (spec.type && !strchr ("eEfFgG%dnxXobs", spec.type)) {
    *error_message = "this format has an unknown type";
    return FALSE;
  }
  if (v.kind == LS_VALUE_FLOAT || (integer && wants_float)) {
    double f = ls_value_number (v);
    if (spec.type && !wants_float) {
      *error_message = "this format is not for a float";
      return FALSE;
    }
    float_digits (text, fabs (f), &spec);
    if (spec.group)
      group_digits (text, spec.group, 3);
    put (out, &spec, signbit (f) && !isnan (f) ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "", text->str, '>');
    return TRUE;
  }
  if (integer) {
    if (spec.type == 's' || spec.precision >= 0) {
      *error_message = "this format is not for an int";
      return FALSE;
    }
    gboolean negative = v.kind != LS_VALUE_UINT && v.i < 0;
    integer_digits (text, negative ? -(guint64) v.i : v.u, spec.type);
    if (spec.group)
      group_digits (text, spec.group, spec.type && strchr ("xXob", spec.type) ? 4 : 3);
    put (out, &spec, negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "", text->str, '>');
    return TRUE;
  }
  if ((v.kind != LS_VALUE_STR && v.kind != LS_VALUE_BOOL) || (spec.type && spec.type != 's') || spec.align == '=' || spec.sign || spec.group) {
    *error_message = v.kind == LS_VALUE_STR ? "this format is not for a string" : "only numbers and strings can be formatted; convert with str()";
    return FALSE;
  }
  ls_value_append_str (text, ctx, v);
  if (spec.precision >= 0 && g_utf8_strlen (text->str, -1) > spec.precision)
    g_string_truncate (text, g_utf8_offset_to_pointer (text->str, spec.precision) - text->str);
  put (out, &spec, "", text->str, '<');
  return TRUE;
}
