/* How numbers, times and texts of any origin are written in the window. */
#include "text.h"

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

char **
ls_text_wrap (const char *text, guint width)
{
  g_autofree char *valid = ls_text_valid (text);
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  const char *p = valid;
  do {
    const char *end = p, *blank = NULL;
    for (guint i = 0; i < width && *end; i++, end = g_utf8_next_char (end))
      blank = *end == ' ' ? end : blank;
    if (*end && *end != ' ' && blank)
      end = blank;
    g_autofree char *line = g_strndup (p, (gsize) (end - p));
    g_strv_builder_add (out, line);
    p = end + (*end == ' ');
  } while (*p);
  return g_strv_builder_end (out);
}

void
ls_text_set (char **text, const char *value)
{
  char *copy = g_strdup (value);
  g_free (*text);
  *text = copy;
}
