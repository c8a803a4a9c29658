/* A recording has each node's expression as it was written, and which lines show which nodes: an expression is looked for in its
 * lines. The brackets around one are left out where it is an index. A variable is called as the line says that gives it its value. */
#include "source-spans.h"

#include <string.h>

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* The occurrences of a text in a line, as a whole word: no part of a longer name or number. */
static void
find_all (GArray *spans, guint32 node, const char *line, const char *text, gsize length)
{
  if (length == 0)
    return;
  for (const char *p = line; (p = g_strstr_len (p, -1, text)); p++) {
    gboolean whole = (p == line || !is_name (*text) || !(is_name (p[-1]) || p[-1] == '.')) && (!is_name (text[length - 1]) ||
                                                                                               !(is_name (p[length]) || p[length] == '.'));
    LsSourceSpan span = { node, (guint) (p - line), (guint) (p - line + (gssize) length) };
    if (whole)
      g_array_append_val (spans, span);
  }
}

static char *
dup_line (const char *source, guint line)
{
  const char *at = source;
  for (guint i = 1; i < line && *at; i++) {
    at = strchrnul (at, '\n');
    at += *at == '\n';
  }
  return g_strndup (at, strcspn (at, "\n"));
}

static gboolean
is_in_line (const LsKernel *kernel, guint line, guint32 node)
{
  for (guint i = 0; i < kernel->source_links->len; i++) {
    const LsSourceLink *link = &g_array_index (kernel->source_links, LsSourceLink, i);
    if (link->line == line && link->node == node)
      return TRUE;
  }
  return FALSE;
}

/* The name of a value: the name before "=" in its line, or its expression if that is a name. */
static char *
dup_name (const LsKernel *kernel, const LsExpr *e)
{
  gsize length = strlen (e->expr);
  while (length > 0 && is_name (e->expr[length - 1]))
    length--;
  if (length == 0)
    return g_ascii_isalpha (*e->expr) ? g_strdup (e->expr) : NULL;
  g_autofree char *line = dup_line (kernel->source, e->line);
  const char *equals = strstr (line, " = "), *from = equals;
  while (from && from > line && is_name (from[-1]))
    from--;
  return from && from < equals ? g_strndup (from, (gsize) (equals - from)) : NULL;
}

GArray *
ls_source_spans_of_line (const LsKernel *kernel, guint line)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (LsSourceSpan));
  if (!kernel->source)
    return spans;
  g_autofree char *text = dup_line (kernel->source, line);
  for (guint i = 0; i < kernel->exprs->len; i++) {
    const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
    guint before = spans->len;
    gsize length = strlen (e->expr);
    if (!is_in_line (kernel, line, e->node))
      continue;
    find_all (spans, e->node, text, e->expr, length);
    if (spans->len == before && length > 2 && *e->expr == '(' && e->expr[length - 1] == ')') {
      g_autofree char *bare = g_strndup (e->expr + 1, length - 2);
      find_all (spans, e->node, text, bare, length - 2);
    }
  }
  for (guint i = 0; i < kernel->exprs->len; i++) {
    const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
    g_autofree char *name = e->assigned && e->line > 0 ? dup_name (kernel, e) : NULL;
    if (name)
      find_all (spans, e->node, text, name, strlen (name));
  }
  return spans;
}

const LsSourceSpan *
ls_source_spans_at (const GArray *spans, guint at)
{
  const LsSourceSpan *best = NULL;
  for (guint i = 0; i < spans->len; i++) {
    const LsSourceSpan *s = &g_array_index (spans, LsSourceSpan, i);
    if (at >= s->from && at < s->to && (!best || s->to - s->from < best->to - best->from))
      best = s;
  }
  return best;
}
