/* How numbers, times and links are written and read in the window. */
#include "text.h"
#include "ir/eval.h"
#include "ir/print.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

char *
ls_text_ns (double ns)
{
  if (!isfinite (ns))
    return g_strdup ("–");
  if (ns < 999.5)
    return g_strdup_printf ("%.0f ns", ns);
  if (ns < 99950)
    return g_strdup_printf ("%.1f µs", ns / 1e3);
  if (ns < 999500)
    return g_strdup_printf ("%.0f µs", ns / 1e3);
  if (ns < 1e9)
    return g_strdup_printf (ns < 1e8 ? "%.2f ms" : "%.0f ms", ns / 1e6);
  return g_strdup_printf ("%.2f s", ns / 1e9);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

gboolean
ls_text_median_ns (const LsKernel *k, double *ns)
{
  if (!k->run_ns || k->run_ns->len == 0)
    return FALSE;
  g_autoptr (GArray) sorted = g_array_copy (k->run_ns);
  g_array_sort (sorted, compare_ns);
  *ns = (double) g_array_index (sorted, guint64, sorted->len / 2);
  return TRUE;
}

char *
ls_text_age (gint64 seconds)
{
  guint n;
  if (seconds < 60)
    return g_strdup (_("just now"));
  if ((n = (guint) MIN (seconds / 60, G_MAXUINT)) < 60)
    return g_strdup_printf (ngettext ("%u minute ago", "%u minutes ago", n), n);
  if ((n /= 60) < 24)
    return g_strdup_printf (ngettext ("%u hour ago", "%u hours ago", n), n);
  if ((n /= 24) < 60)
    return g_strdup_printf (ngettext ("%u day ago", "%u days ago", n), n);
  if (n < 730)
    return g_strdup_printf (ngettext ("%u month ago", "%u months ago", n / 30), n / 30);
  return g_strdup_printf (ngettext ("%u year ago", "%u years ago", n / 365), n / 365);
}

char *
ls_text_count (guint64 n)
{
  char digits[32];
  int len = g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, n);
  GString *out = g_string_new (NULL);
  for (int i = 0; i < len; i++) {
    if (i > 0 && (len - i) % 3 == 0)
      g_string_append_c (out, ',');
    g_string_append_c (out, digits[i]);
  }
  return g_string_free (out, FALSE);
}

char *
ls_text_number (double value)
{
  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  return g_strdup_printf ("%.6g", value);
}

char *
ls_text_values (const LsTraceBuffer *buffer, guint max)
{
  LsDType dtype = ls_dtype_scalar (buffer->dtype);
  if (ls_dtype_base (buffer->dtype) >= LS_N_BASES)
    return g_strdup ("");
  guint size = MAX (ls_base_infos[ls_dtype_base (dtype)].bits / 8, 1);
  gboolean is_float = ls_base_infos[ls_dtype_base (dtype)].kind == LS_KIND_FLOAT;
  guint64 held = buffer->data ? buffer->n_data / size : 0;
  GString *out = g_string_new (NULL);
  for (guint64 i = 0; i < MIN (MIN (held, buffer->n_elements), max); i++) {
    LsScalar v = ls_scalar_load (dtype, buffer->data + i * size);
    g_autofree char *text = NULL;
    if (is_float)
      text = ls_float_print (v.f, ls_dtype_base (dtype) != LS_BASE_DOUBLE);
    else if (ls_dtype_base (dtype) == LS_BASE_UINT64)
      text = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) v.i);
    else if (ls_dtype_base (dtype) == LS_BASE_BOOL)
      text = g_strdup (v.i ? "True" : "False");
    else
      text = g_strdup_printf ("%" G_GINT64_FORMAT, v.i);
    g_string_append_printf (out, "%s%s", i ? ", " : "", text);
  }
  if (out->len > 0 && buffer->n_elements > max)
    g_string_append (out, ", …");
  return g_string_free (out, FALSE);
}

char *
ls_text_valid (const char *text)
{
  return text ? g_utf8_make_valid (text, -1) : g_strdup ("");
}

char *
ls_text_cut (const char *text, gsize max)
{
  g_autofree char *valid = ls_text_valid (text);
  for (char *p = valid; *p; p++)
    if ((guchar) *p < 0x20)
      *p = ' ';
  gsize len = strlen (valid);
  if (len <= max)
    return g_steal_pointer (&valid);
  const char *end = g_utf8_find_prev_char (valid, valid + max + 1);
  return g_strdup_printf ("%.*s…", (int) (end ? end - valid : 0), valid);
}

char *
ls_text_dtype (const char *dtype)
{
  g_autofree char *name = ls_text_cut (g_str_has_prefix (dtype, "dtypes.") ? dtype + strlen ("dtypes.") : dtype, 400);
  char *pointer = strstr (name, ".ptr("), *vector = strstr (name, ".vec(");
  gboolean is_vector = vector && (!pointer || vector < pointer);
  g_autofree char *lanes = is_vector ? g_strndup (vector + 5, strcspn (vector + 5, ")")) : NULL;
  gsize base = strcspn (name, ".");
  if (g_str_equal (name, "void"))
    return g_strdup ("");
  return g_strdup_printf ("%.*s%s%s%s", (int) base, name, lanes ? "×" : "", lanes ? lanes : "", pointer ? "*" : "");
}

char *
ls_text_bindings (const LsBinding *bindings, guint n)
{
  GString *markup = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ls_term_value_print (&bindings[i].value), *valid = ls_text_valid (value), *cut = ls_text_cut (valid, 60), *name = ls_text_valid (bindings[i].name ? bindings[i].name : "?");
    g_autofree char *what = g_markup_escape_text (cut, -1), *key = g_markup_escape_text (name, -1);
    g_string_append_printf (markup, "%s<b>%s</b> = ", markup->len ? "     " : "", key);
    if (bindings[i].node)
      g_string_append_printf (markup, "<a href=\"node:%u\">%s</a>", bindings[i].node->id, what);
    else
      g_string_append (markup, what);
  }
  return g_string_free (markup, FALSE);
}
