/* Arrays as numpy prints them: columns of equal width, the fewest digits that tell the elements apart (at most 8 after the
 * point), exponents when the range is wide, lines of 75 columns, and "..." in the middle of more than 1,000 elements.
 */
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 75
#define THRESHOLD  1000
#define EDGE       3
#define PRECISION  8

typedef struct {
  const LsArray *array;
  gboolean summarize, exponent;
  guint    left, right;      /* characters before and after the point */
  guint    exponent_digits;
  guint    width;
  double   least, largest;   /* magnitudes other than 0 */
} Layout;

/* The fewest digits that read back as f in its dtype: d.ddde±x. */
static void
shortest (LsDType dtype, double f, char *digits, int *n, int *exponent)
{
  char text[64];
  int low = dtype == LS_DOUBLE ? 15 : 1, high = dtype == LS_DOUBLE ? 17 : dtype == LS_HALF ? 5 : 9;
  for (int count = low; count <= high; count++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%de", count - 1);
    g_ascii_formatd (text, sizeof text, format, fabs (f));
    double back = g_ascii_strtod (text, NULL);
    if (dtype == LS_DOUBLE ? back == fabs (f) : dtype == LS_HALF ? ls_half_to_double (ls_half_from_double (back)) == fabs (f) : (float) back == (float) fabs (f))
      break;
  }
  *n = 0;
  for (const char *p = text; *p != 'e'; p++)
    if (*p != '.')
      digits[(*n)++] = *p;
  while (*n > 1 && digits[*n - 1] == '0')
    (*n)--;
  digits[*n] = '\0';
  *exponent = atoi (strchr (text, 'e') + 1);
}

/* f in fixed notation with at most PRECISION digits after the point and no zeros at its end: "0.5", "3.". */
static void
fixed_text (LsDType dtype, double f, char *text, gsize size)
{
  char digits[32];
  int n, exponent;
  shortest (dtype, f, digits, &n, &exponent);
  int after = MAX (n - 1 - exponent, 0);
  char format[8];
  g_autofree char *number = g_strdup_printf ("%c%s%se%d", digits[0], n > 1 ? "." : "", digits + 1, exponent);
  g_snprintf (format, sizeof format, "%%.%df", MIN (after, PRECISION));
  g_ascii_formatd (text, size, format, g_ascii_strtod (number, NULL));
  if (!strchr (text, '.'))
    g_strlcat (text, ".", size);
  for (gsize length = strlen (text); length > 1 && text[length - 1] == '0'; length--)
    text[length - 1] = '\0';
}

static void
measure (Layout *l, LsValue v, guint depth, void (*each) (Layout *, LsValue))
{
  if (v.kind != LS_VALUE_LIST) {
    each (l, v);
    return;
  }
  for (guint i = 0; i < v.list->n; i++) {
    if (l->summarize && v.list->n > 2 * EDGE && i == EDGE)
      i = v.list->n - EDGE;
    measure (l, v.list->items[i], depth + 1, each);
  }
}

static void
widen_range (Layout *l, LsValue v)
{
  double f = fabs (v.f);
  if (isnan (f) || isinf (f) || f == 0)
    return;
  l->least = MIN (l->least, f);
  l->largest = MAX (l->largest, f);
}

static void
widen_float (Layout *l, LsValue v)
{
  char text[512];
  gboolean negative = signbit (v.f) && !isnan (v.f);
  if (isnan (v.f) || isinf (v.f)) {
    l->width = MAX (l->width, 3 + (negative ? 1 : 0));
    return;
  }
  if (l->exponent) {
    int n, exponent;
    shortest (l->array->dtype, v.f, text, &n, &exponent);
    l->left = MAX (l->left, negative ? 2 : 1);
    l->right = MAX (l->right, MIN (n - 1, PRECISION));
    l->exponent_digits = MAX (l->exponent_digits, abs (exponent) >= 100 ? 3 : 2);
    return;
  }
  fixed_text (l->array->dtype, v.f, text, sizeof text);
  guint whole = strcspn (text, ".");
  l->left = MAX (l->left, whole + (negative ? 1 : 0));
  l->right = MAX (l->right, strlen (text) - whole - 1);
}

static void
widen_other (Layout *l, LsValue v)
{
  g_autoptr (GString) text = g_string_new (NULL);
  ls_value_append_str (text, NULL, v);
  l->width = MAX (l->width, text->len);
}

static void
element (const Layout *l, LsValue v, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char number[512];
  if (v.kind != LS_VALUE_FLOAT || isnan (v.f) || isinf (v.f)) {
    ls_value_append_str (text, NULL, v);
    g_string_append_printf (out, "%*s", (int) l->width, text->str);
    return;
  }
  if (signbit (v.f))
    g_string_append_c (text, '-');
  if (l->exponent) {
    char digits[512];
    int n, exponent;
    shortest (l->array->dtype, v.f, digits, &n, &exponent);
    if (n - 1 > PRECISION) {
      g_ascii_formatd (number, sizeof number, "%.8e", fabs (v.f));
      exponent = atoi (strchr (number, 'e') + 1);
      digits[0] = number[0];
      memcpy (digits + 1, number + 2, PRECISION);
      n = PRECISION + 1;
    }
    g_string_append_c (text, digits[0]);
    g_string_append_c (text, '.');
    for (guint i = 0; i < l->right; i++)
      g_string_append_c (text, (int) i + 1 < n ? digits[i + 1] : '0');
    g_string_append_printf (text, "e%c%0*d", exponent < 0 ? '-' : '+', (int) l->exponent_digits, abs (exponent));
    g_string_append_printf (out, "%*s", (int) l->width, text->str);
    return;
  }
  fixed_text (l->array->dtype, v.f, number, sizeof number);
  guint whole = strcspn (number, "."), after = strlen (number) - whole - 1;
  g_string_append (text, number);
  for (guint i = after; i < l->right; i++)
    g_string_append_c (text, ' ');
  g_string_append_printf (out, "%*s", (int) l->width, text->str);
}

static void
rows (const Layout *l, LsValue v, guint depth, GString *out)
{
  guint n = v.list->n, last = l->array->n_dims - 1;
  gsize line = depth + 1;
  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++) {
    gboolean cut = l->summarize && n > 2 * EDGE && i == EDGE;
    if (depth < last) {
      if (i > 0)
        for (guint k = 0; k < last - depth; k++)
          g_string_append_c (out, '\n');
      if (i > 0)
        g_string_append_printf (out, "%*s", (int) depth + 1, "");
      if (cut) {
        g_string_append (out, "...");
        for (guint k = 0; k < last - depth; k++)
          g_string_append_c (out, '\n');
        g_string_append_printf (out, "%*s", (int) depth + 1, "");
        i = n - EDGE;
      }
      rows (l, v.list->items[i], depth + 1, out);
      continue;
    }
    if (cut)
      i = n - EDGE;
    for (guint k = cut ? 0 : 1; k < 2; k++) {
      gsize width = k == 0 ? 3 : l->width;
      gboolean first = i == 0;
      if (!first && line + 1 + width > LINE_WIDTH - l->array->n_dims) {
        g_string_append_printf (out, "\n%*s", (int) depth + 1, "");
        line = depth + 1;
      } else if (!first) {
        g_string_append_c (out, ' ');
        line++;
      }
      if (k == 0)
        g_string_append (out, "...");
      else
        element (l, v.list->items[i], out);
      line += width;
    }
  }
  g_string_append_c (out, ']');
}

static void
choose_notation (Layout *l)
{
  l->least = INFINITY;
  measure (l, l->array->list, 0, widen_range);
  l->exponent = l->largest > 0 && (l->largest >= 1e8 || l->least < 1e-4 || l->largest / l->least > 1000);
}

void
ls_array_append (GString *out, const LsArray *array)
{
  Layout l = { .array = array };
  if (array->n_dims == 0) {
    if ((array->dtype == LS_FLOAT || array->dtype == LS_HALF) && array->list.kind == LS_VALUE_FLOAT && !isnan (array->list.f) && !isinf (array->list.f)) {
      char digits[32];
      int n, exponent;
      shortest (array->dtype, array->list.f, digits, &n, &exponent);
      g_autofree char *number = g_strdup_printf ("%s%c%s%se%d", signbit (array->list.f) ? "-" : "", digits[0], n > 1 ? "." : "", digits + 1, exponent);
      ls_append_float (out, g_ascii_strtod (number, NULL));
    } else {
      ls_value_append_str (out, NULL, array->list);
    }
    return;
  }
  gint64 size = ls_shape_size ((LsShape) { array->n_dims, array->dims });
  if (size == 0) {
    g_string_append (out, "[]");
    return;
  }
  l.summarize = size > THRESHOLD;
  if (ls_dtype_is_float (array->dtype)) {
    choose_notation (&l);
    measure (&l, array->list, 0, widen_float);
    if (l.left > 0)
      l.width = MAX (l.width, l.left + 1 + l.right + (l.exponent ? 2 + l.exponent_digits : 0));
  } else {
    measure (&l, array->list, 0, widen_other);
  }
  rows (&l, array->list, 0, out);
}
