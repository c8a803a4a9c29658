/* The tokens of the rule language, and the positions of its errors. */
#include "rule-parse-private.h"
#include "ir/number.h"

#include <math.h>
#include <string.h>

void
ls_rule_fail_at (Parser *p, guint line, guint column, const char *format, ...)
{
  if (p->failed)
    return;
  p->failed = TRUE;
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  const char *s = p->text;
  for (guint l = 1; l < line && (s = strchr (s, '\n')); l++)
    s++;
  if (!s)
    s = "";
  int length = (int) MIN (strcspn (s, "\r\n"), 200);
  g_autofree char *shown = g_utf8_make_valid (s, length);
  g_set_error (p->error, LS_ERROR, LS_ERROR_RULE, "%s:%u:%u: error: %s\n    %s\n    %*s^", p->file, line, column, message, shown,
               (int) column - 1, "");
}
gpointer
ls_rule_keep (Parser *p, gpointer memory)
{
  g_ptr_array_add (p->library->allocations, memory);
  return memory;
}

static void
skip_space (Parser *p)
{
  for (; p->p < p->end && strchr (" \t\n\r", *p->p); p->p++)
    if (*p->p == '\n') {
      p->line++;
      p->line_start = p->p + 1;
    }
}

/* A name, "$" and a constant's name, or one of the floats that are written so. */
static TokKind
scan_name (Parser *p)
{
  Tok *t = &p->tok;
  gboolean dollar = *p->p == '$';
  const char *s = p->p + dollar;
  guint n = 0;
  while (s + n < p->end && (g_ascii_isalnum (s[n]) || s[n] == '_'))
    n++;
  if (n == 0 || n >= sizeof t->text) {
    fail (p, n == 0 ? "a name must follow '$'" : "the name is too long");
    return T_END;
  }
  memcpy (t->text, s, n);
  t->text[n] = 0;
  p->p = s + n;
  if (dollar)
    return T_CONST;
  if (strcmp (t->text, "inf") != 0 && strcmp (t->text, "nan") != 0)
    return T_NAME;
  t->f = t->text[0] == 'i' ? INFINITY : NAN;
  t->i = 0;
  return T_FLOAT;
}

static TokKind
scan_number (Parser *p)
{
  const char *after_int = p->p, *after_float = p->p;
  if (!ls_number_int (&after_int, 0, G_MAXINT64, &p->tok.i)) {      /* one this large is a float's */
    p->tok.i = G_MAXINT64;
    after_int += strspn (after_int, "0123456789");
  }
  ls_number_float (&after_float, &p->tok.f);
  gboolean is_float = after_float > after_int && (*after_int == '.' || *after_int == 'e');
  p->p = is_float ? after_float : after_int;
  return is_float ? T_FLOAT : T_INT;
}

static TokKind
scan_symbol (Parser *p)
{
  static const char *const pairs[] = { "->", "//", "==", "!=", "<=", ">=", "<<", ">>" };
  guint n = 1;
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (p->p + 2 <= p->end && strncmp (p->p, pairs[i], 2) == 0)
      n = 2;
  if (n == 1 && !strchr ("+-*/%&|^!<>()[],:=", *p->p)) {
    fail (p, "unexpected character");
    return T_END;
  }
  memcpy (p->tok.text, p->p, n);
  p->tok.text[n] = 0;
  p->p += n;
  return T_SYM;
}

void
ls_rule_next (Parser *p)
{
  skip_space (p);
  Tok *t = &p->tok;
  t->line = p->line;
  t->column = (guint) (p->p - p->line_start) + 1;
  t->text[0] = 0;
  if (p->p >= p->end)
    t->kind = T_END;
  else if (*p->p == '$' || *p->p == '_' || g_ascii_isalpha (*p->p))
    t->kind = scan_name (p);
  else if (g_ascii_isdigit (*p->p))
    t->kind = scan_number (p);
  else
    t->kind = scan_symbol (p);
}
