/* The cursor under the parsers of text forms. Texts are edited by people, so every failure says where it is. */
#include "print-private.h"
#include "number.h"
#include <stdarg.h>
#include <string.h>

gboolean
ls_scan_fail (LsScan *s, const char *format, ...)
{
  guint line = 1;
  const char *start = s->text;
  for (const char *p = s->text; p < s->p; p++)
    if (*p == '\n') {
      line++;
      start = p + 1;
    }
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (s->error, LS_ERROR, LS_ERROR_SYNTAX, "%s:%u:%ld: %s", s->what, line,
               g_utf8_validate (start, s->p - start, NULL) ? g_utf8_strlen (start, s->p - start) + 1 : (long) (s->p - start) + 1, message);
  return FALSE;
}

void
ls_scan_space (LsScan *s)
{
  while (*s->p == ' ' || *s->p == '\t')
    s->p++;
}

gboolean
ls_scan_take (LsScan *s, const char *literal)
{
  ls_scan_space (s);
  if (!g_str_has_prefix (s->p, literal))
    return FALSE;
  s->p += strlen (literal);
  return TRUE;
}

gboolean
ls_scan_need (LsScan *s, const char *literal)
{
  return ls_scan_take (s, literal) || ls_scan_fail (s, "“%s” is missing here", literal);
}

gboolean
ls_scan_uint (LsScan *s, guint *out)
{
  guint64 value;
  ls_scan_space (s);
  if (!ls_number_uint (&s->p, 10, 999999999, &value))
    return FALSE;
  *out = (guint) value;
  return TRUE;
}

char *
ls_scan_until (LsScan *s, const char *stop)
{
  ls_scan_space (s);
  const char *start = s->p;
  int depth = 0;
  for (; *s->p; s->p++) {
    char c = *s->p;
    if (depth == 0 && strchr (stop, c))
      break;
    if (c == '\n')
      break;
    if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
    else if (c == '\'') {
      const char *q = s->p + 1;
      while (*q && *q != '\'' && *q != '\n')
        q += *q == '\\' && q[1] ? 2 : 1;
      if (*q != '\'')
        break;
      s->p = q;
    }
  }
  const char *end = s->p;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  return g_strndup (start, end - start);
}

gboolean
ls_scan_op (LsScan *s, LsOp *out)
{
  if (!ls_scan_need (s, "Ops."))
    return FALSE;
  guint n = 0;
  while (g_ascii_isalnum (s->p[n]) || s->p[n] == '_')
    n++;
  g_autofree char *name = g_strndup (s->p, n);
  *out = ls_op_from_name (name);
  if (*out == LS_N_OPS)
    return ls_scan_fail (s, "there is no op “%s”", name);
  s->p += n;
  return TRUE;
}
