/* Reading numbers. Texts come from users and from files, so a number that does not fit is refused, never cut off. */
#include "number.h"

#include <string.h>

gboolean
ls_number_uint (const char **p, guint base, guint64 most, guint64 *out)
{
  const char *s = *p;
  guint64 value = 0;
  for (int digit; (digit = g_ascii_xdigit_value (*s)) >= 0 && digit < (int) base; s++)
    if (__builtin_mul_overflow (value, base, &value) || __builtin_add_overflow (value, (guint64) digit, &value))
      return FALSE;
  if (s == *p || value > most)
    return FALSE;
  *p = s;
  *out = value;
  return TRUE;
}

gboolean
ls_number_int (const char **p, gint64 least, gint64 most, gint64 *out)
{
  gboolean negative = **p == '-';
  const char *s = *p + negative;
  guint64 size;
  if (!ls_number_uint (&s, 10, (guint64) G_MAXINT64 + negative, &size))
    return FALSE;
  gint64 value = negative ? (gint64) (0 - size) : (gint64) size;
  if (value < least || value > most)
    return FALSE;
  *p = s;
  *out = value;
  return TRUE;
}

gboolean
ls_number_float (const char **p, double *out)
{
  char *end;
  const char *digits = *p + (**p == '-');
  if (!g_ascii_isdigit (*digits) && *digits != '.')
    return FALSE;
  double value = g_ascii_strtod (*p, &end);
  if (end == *p)
    return FALSE;
  *p = end;
  *out = value;
  return TRUE;
}

guint64
ls_number_of_name (const char *name, gsize *prefix)
{
  gsize n = strcspn (name, "0123456789");
  const char *digits = name + n;
  guint64 value = 0;
  ls_number_uint (&digits, 10, G_MAXUINT64, &value);
  if (prefix)
    *prefix = n;
  return value;
}
