/* The longest common sequence of lines, by the usual table over what lies between equal beginnings and ends. Texts whose table would be too large differ as a whole there. */
#include "text-diff.h"

#include <string.h>

#define MOST_CELLS 16000000

typedef struct { char **a, **b; guint n, m; guint32 *length; } Table;

static guint32 *
cell (const Table *t, guint i, guint j)
{
  return &t->length[(gsize) i * (t->m + 1) + j];
}

static void
fill (Table *t)
{
  for (guint i = t->n; i-- > 0;)
    for (guint j = t->m; j-- > 0;)
      *cell (t, i, j) = strcmp (t->a[i], t->b[j]) == 0 ? *cell (t, i + 1, j + 1) + 1 : MAX (*cell (t, i + 1, j), *cell (t, i, j + 1));
}

static void
add (GString *out, char mark, char **lines, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%c%s\n", mark, lines[i]);
}

static void
add_middle (GString *out, char **a, guint n, char **b, guint m)
{
  if ((guint64) n * m > MOST_CELLS) {
    add (out, '-', a, n);
    add (out, '+', b, m);
    return;
  }
  Table t = { a, b, n, m, g_new0 (guint32, (gsize) (n + 1) * (m + 1)) };
  fill (&t);
  guint i = 0, j = 0;
  while (i < n || j < m)
    if (i < n && j < m && strcmp (a[i], b[j]) == 0) {
      add (out, ' ', &a[i++], 1);
      j++;
    } else if (i < n && (j == m || *cell (&t, i + 1, j) >= *cell (&t, i, j + 1))) {
      add (out, '-', &a[i++], 1);
    } else {
      add (out, '+', &b[j++], 1);
    }
  g_free (t.length);
}

static char **
split (const char *text, guint *n)
{
  char **lines = g_strsplit (text ? text : "", "\n", -1);
  *n = g_strv_length (lines);
  *n -= *n > 0 && !*lines[*n - 1];
  return lines;
}

char *
ls_text_diff (const char *a, const char *b)
{
  if (g_strcmp0 (a ? a : "", b ? b : "") == 0)
    return g_strdup ("");
  guint n, m, head = 0, tail = 0;
  g_auto (GStrv) x = split (a, &n), y = split (b, &m);
  GString *out = g_string_new (NULL);
  while (head < n && head < m && strcmp (x[head], y[head]) == 0)
    head++;
  while (tail < n - head && tail < m - head && strcmp (x[n - 1 - tail], y[m - 1 - tail]) == 0)
    tail++;
  add (out, ' ', x, head);
  add_middle (out, x + head, n - head - tail, y + head, m - head - tail);
  add (out, ' ', x + n - tail, tail);
  return g_string_free (out, FALSE);
}
