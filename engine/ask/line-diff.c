/* Texts line by line: longest common subsequences by the greedy method of E. W. Myers, "An O(ND) difference algorithm and its variations" (Algorithmica 1, 1986). */
#include "line-diff.h"

#include <string.h>

#define MOST_EDITS 1500      /* what is as different as that is shown side by side */

/* The furthest ways after each number of edits are kept, so that the way back can be read off them. */
static void
match_middle (char *const *a, int n, char *const *b, int m, int first_a, int *out)
{
  int most = MIN (n + m, MOST_EDITS), size = 2 * most + 3;
  g_autofree int *far = g_new0 (int, size);
  g_autoptr (GPtrArray) ways = g_ptr_array_new_with_free_func (g_free);
  int *at = far + most + 1, d = 0, x = 0, y = 0;
  for (gboolean done = FALSE; d <= most && !done; d++) {
    g_ptr_array_add (ways, g_memdup2 (at - d - 1, (gsize) (2 * d + 3) * sizeof (int)));
    for (int k = -d; k <= d && !done; k += 2) {
      x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1;
      y = x - k;
      while (x < n && y < m && strcmp (a[x], b[y]) == 0) {
        x++;
        y++;
      }
      at[k] = x;
      done = x >= n && y >= m;
    }
  }
  if (x < n || y < m)
    return;
  while (d-- > 0) {
    const int *before = (const int *) ways->pdata[d] + d + 1;
    int k = x - y, from = k == -d || (k != d && before[k - 1] < before[k + 1]) ? k + 1 : k - 1;
    int x0 = d ? before[from] : 0, y0 = d ? x0 - from : 0, least_x = d ? (from == k + 1 ? x0 : x0 + 1) : 0;
    while (x > least_x) {
      x--;
      y--;
      out[y] = first_a + x;
    }
    x = x0;
    y = y0;
  }
}

int *
ls_line_match (char *const *a, guint n, char *const *b, guint m)
{
  int *out = g_new (int, MAX (m, 1));
  guint head = 0, tail = 0;
  for (guint i = 0; i < m; i++)
    out[i] = -1;
  for (; head < MIN (n, m) && strcmp (a[head], b[head]) == 0; head++)
    out[head] = (int) head;
  for (; tail < MIN (n, m) - head && strcmp (a[n - 1 - tail], b[m - 1 - tail]) == 0; tail++)
    out[m - 1 - tail] = (int) (n - 1 - tail);
  match_middle (a + head, (int) (n - head - tail), b + head, (int) (m - head - tail), (int) head, out + head);
  return out;
}

/* --- one text --- */

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
  guint n, m, i = 0, j = 0;
  g_auto (GStrv) x = split (a, &n), y = split (b, &m);
  g_autofree int *match = ls_line_match (x, n, y, m);
  GString *out = g_string_new (NULL);
  while (i < n || j < m) {
    guint next = j;      /* the line of b that has a partner */
    while (next < m && match[next] < 0)
      next++;
    for (guint to = next < m ? (guint) match[next] : n; i < to; i++)
      g_string_append_printf (out, "-%s\n", x[i]);
    for (; j < next; j++)
      g_string_append_printf (out, "+%s\n", y[j]);
    for (; j < m && match[j] == (int) i; i++, j++)
      g_string_append_printf (out, " %s\n", x[i]);
  }
  return g_string_free (out, FALSE);
}

/* --- columns --- */

/* Where a line of a column stands: beside line `base` of the first (-1: above all), `below` rows further down. */
typedef struct { int base; guint below; gboolean same; } Slot;

static Slot *
slots_of (char *const *first, guint n, char *const *column, guint m)
{
  g_autofree int *match = ls_line_match (first, n, column, m);
  Slot *slots = g_new (Slot, MAX (m, 1));
  int base = -1;
  for (guint i = 0; i < m;) {
    if (match[i] >= 0) {
      slots[i] = (Slot) { base = match[i], 0, TRUE };
      i++;
      continue;
    }
    guint to = i;
    while (to < m && match[to] < 0)
      to++;
    int next = to < m ? match[to] : (int) n;
    for (guint below = 0; i < to; i++) {
      if (base + 1 < next)
        slots[i] = (Slot) { ++base, 0, FALSE };
      else
        slots[i] = (Slot) { base, ++below, FALSE };
    }
  }
  return slots;
}

GArray *
ls_line_align (char **const *columns, guint n_columns, guint *n_rows)
{
  g_return_val_if_fail (n_columns > 0, NULL);
  guint n = g_strv_length (columns[0]), rows = 0;
  g_autofree guint *below = g_new0 (guint, n + 1), *row = g_new0 (guint, n + 1);      /* by base + 1 */
  g_autofree Slot **slots = g_new0 (Slot *, n_columns);
  for (guint c = 1; c < n_columns; c++) {
    guint m = g_strv_length (columns[c]);
    slots[c] = slots_of (columns[0], n, columns[c], m);
    for (guint i = 0; i < m; i++)
      below[slots[c][i].base + 1] = MAX (below[slots[c][i].base + 1], slots[c][i].below);
  }
  for (guint i = 0; i <= n; i++) {      /* the row of line i - 1; there is no line -1 */
    row[i] = rows;
    rows += (i > 0) + below[i];
  }
  GArray *cells = g_array_sized_new (FALSE, FALSE, sizeof (LsLineCell), rows * n_columns);
  const LsLineCell gap = { -1, LS_LINE_MISSING };
  for (guint i = 0; i < rows * n_columns; i++)
    g_array_append_val (cells, gap);
#define CELL(r, c) g_array_index (cells, LsLineCell, (r) * n_columns + (c))
  for (guint i = 0; i < n; i++)
    CELL (row[i + 1], 0) = (LsLineCell) { (int) i, LS_LINE_SAME };
  for (guint c = 1; c < n_columns; c++) {
    guint m = g_strv_length (columns[c]);
    for (guint i = 0; i < m; i++) {
      Slot s = slots[c][i];
      guint at = row[s.base + 1] + s.below - (s.base < 0 && s.below > 0);
      CELL (at, c) = (LsLineCell) { (int) i, s.same ? LS_LINE_SAME : LS_LINE_DIFFERS };
    }
    g_free (slots[c]);
  }
  for (guint r = 0; r < rows; r++)      /* the first differs where any other does */
    for (guint c = 1; c < n_columns; c++)
      if (CELL (r, 0).line >= 0 && CELL (r, c).state != LS_LINE_SAME)
        CELL (r, 0).state = LS_LINE_DIFFERS;
#undef CELL
  *n_rows = rows;
  return cells;
}

/* --- words --- */

static gboolean
is_word (gchar c)
{
  return g_ascii_isalnum (c) || c == '_' || c < 0;
}

static char **
words_of (const char *text)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (const char *p = text, *end; *p; p = end) {
    for (end = p + 1; is_word (*p) && is_word (*end); end++)
      ;
    g_autofree char *word = g_strndup (p, (gsize) (end - p));
    g_strv_builder_add (out, word);
  }
  return g_strv_builder_end (out);
}

GArray *
ls_line_words (const char *a, const char *b)
{
  g_auto (GStrv) x = words_of (a), y = words_of (b);
  guint m = g_strv_length (y), at = 0;
  g_autofree int *match = ls_line_match (x, g_strv_length (x), y, m);
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (LsLineSpan));
  for (guint i = 0; i < m; i++) {
    guint to = at + (guint) strlen (y[i]);
    if (match[i] < 0) {
      LsLineSpan span = { at, to }, *last = spans->len ? &g_array_index (spans, LsLineSpan, spans->len - 1) : NULL;
      if (last && last->to == at)
        last->to = to;
      else
        g_array_append_val (spans, span);
    }
    at = to;
  }
  return spans;
}
