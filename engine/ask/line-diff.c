/* Texts line by line: longest common subsequences by the greedy method of E. W. Myers, "An O(ND) difference algorithm and its
 * variations" (Algorithmica 1, 1986). */
#include "line-diff.h"

#include <stdlib.h>
#include <string.h>

#define MOST_EDITS   1500                          /* lines that differ more than that have nothing in common */
#define MOST_PAIRING (G_GUINT64_CONSTANT (1) << 23)      /* words that are compared to pair lines that are not equal */

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

static gboolean
is_word (gchar c)
{
  return g_ascii_isalnum (c) || c == '_' || c < 0;
}

/* Words of lines as numbers, equal words the same: of each line in ascending order, from first[i] to before first[i + 1]. The first word
 * of a line, its op, instruction or type, counts twice. The styles of listings are one: names have no prefixes, and classic's ALU is the
 * op that it names last. */
typedef struct { GHashTable *numbers; GArray *words, *first; } Words;

static gint
ascending (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return (x > y) - (x < y);
}

static char *
plain_word (const char *from, gsize n)
{
  static const char *const prefixes[] = { "UOps.", "Ops.", "BinaryOps.", "UnaryOps.", "TernaryOps.", "ReduceOps.", "ptr.", "dtypes." };
  static const char *const same[][2] = { { "LOOP", "RANGE" }, { "ENDLOOP", "ENDRANGE" } };
  char *word = g_strndup (from, n);
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (word, prefixes[i]))
      memmove (word, word + strlen (prefixes[i]), strlen (word + strlen (prefixes[i])) + 1);
  if (g_str_has_suffix (word, ".ptr"))
    word[strlen (word) - 4] = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (same); i++)
    if (strcmp (word, same[i][0]) == 0) {
      g_free (word);
      word = g_strdup (same[i][1]);
    }
  return word;
}

static void
add_line_words (Words *w, const char *line)
{
  guint begin = w->words->len, number = 0;
  gboolean last_says = FALSE;
  for (const char *p = line, *end; *p; p = end) {
    for (end = p; is_word (*end) || (*end == '.' && end > p && is_word (end[1])); end++)      /* "dtypes.float" is one */
      ;
    if (end == p) {
      end++;
      continue;
    }
    g_autofree char *word = plain_word (p, (gsize) (end - p));
    if (w->words->len == begin && !last_says && strcmp (word, "ALU") == 0) {
      last_says = TRUE;
      continue;
    }
    if (strcmp (word, "None") == 0)
      continue;
    number = GPOINTER_TO_UINT (g_hash_table_lookup (w->numbers, word));
    if (!number) {
      number = g_hash_table_size (w->numbers) + 1;
      g_hash_table_insert (w->numbers, g_steal_pointer (&word), GUINT_TO_POINTER (number));
    }
    if (w->words->len == begin && !last_says)
      g_array_append_val (w->words, number);
    g_array_append_val (w->words, number);
  }
  if (last_says && number)
    g_array_append_val (w->words, number);
  qsort (&g_array_index (w->words, guint, begin), w->words->len - begin, sizeof (guint), ascending);
  g_array_append_val (w->first, w->words->len);
}

static void
words_init (Words *w)
{
  guint begin = 0;
  *w = (Words) { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), g_array_new (FALSE, FALSE, sizeof (guint)),
                 g_array_new (FALSE, FALSE, sizeof (guint)) };
  g_array_append_val (w->first, begin);
}

static void
words_clear (Words *w)
{
  g_hash_table_unref (w->numbers);
  g_array_unref (w->words);
  g_array_unref (w->first);
}

static guint
n_words (const Words *w, guint i)
{
  return g_array_index (w->first, guint, i + 1) - g_array_index (w->first, guint, i);
}

/* The share of words that two lines have in common (Dice's coefficient), or 0 where they are not alike. */
static double
alike (const Words *w, guint i, guint k)
{
  const guint *a = &g_array_index (w->words, guint, g_array_index (w->first, guint, i)),
              *b = &g_array_index (w->words, guint, g_array_index (w->first, guint, k));
  guint n = n_words (w, i), m = n_words (w, k), common = 0;
  for (guint x = 0, y = 0; x < n && y < m;) {
    common += a[x] == b[y];
    guint u = a[x], v = b[y];
    x += u <= v;
    y += v <= u;
  }
  double share = n + m ? 2.0 * common / (n + m) : 1;      /* of lines without words */
  return share > LS_LINE_ALIKE ? share : 0;
}

/* Pairs each of m lines, which follow n others in w, with one of those, or -1: in order, with the most lines alike. Where there are very
 * many of both, a line looks for the first that is alike among those that come next. */
static int *
pair_lines (const Words *w, guint n, guint m)
{
  int *out = g_new (int, MAX (m, 1));
  guint64 work = (guint64) g_array_index (w->first, guint, n) * m + (guint64) (w->words->len - g_array_index (w->first, guint, n)) * n;
  for (guint k = 0; k < m; k++)
    out[k] = -1;
  if (work > MOST_PAIRING) {
    guint window = (guint) MAX (32, MOST_PAIRING / 16 / m), next = 0;
    for (guint k = 0; k < m; k++)
      for (guint i = next; i < MIN (n, next + window) && out[k] < 0; i++)
        if (alike (w, i, n + k) > 0) {
          out[k] = (int) i;
          next = i + 1;
        }
    return out;
  }
  g_autofree double *share = g_new (double, (gsize) n * m + 1), *best = g_new0 (double, (gsize) (n + 1) * (m + 1));
#define BEST(i, k) best[(gsize) (i) * (m + 1) + (k)]
  for (guint i = n; i-- > 0;)
    for (guint k = m; k-- > 0;) {
      double s = share[(gsize) i * m + k] = alike (w, i, n + k);
      BEST (i, k) = MAX (MAX (BEST (i + 1, k), BEST (i, k + 1)), s > 0 ? s + BEST (i + 1, k + 1) : 0);
    }
  for (guint i = 0, k = 0; i < n && k < m;) {
    double s = share[(gsize) i * m + k];
    if (s > 0 && s + BEST (i + 1, k + 1) >= MAX (BEST (i + 1, k), BEST (i, k + 1))) {
      out[k++] = (int) i++;
    } else if (BEST (i + 1, k) >= BEST (i, k + 1)) {
      i++;
    } else {
      k++;
    }
  }
#undef BEST
  return out;
}

/* Rows while columns are added: a line of each column, or -1. */
typedef struct { char **const *columns; guint n_columns; GArray *lines; } Rows;

static int *
row_lines (const Rows *r, guint row)
{
  return &g_array_index (r->lines, int, row * r->n_columns);
}

static void
add_row (Rows *to, const int *lines, guint column, int line)
{
  static const int none = -1;
  for (guint c = 0; c < to->n_columns; c++)
    g_array_append_val (to->lines, *(lines ? &lines[c] : &none));
  if (line >= 0)
    row_lines (to, to->lines->len / to->n_columns - 1)[column] = line;
}

/* The representative of a row: its line of the first column that has one. */
static const char *
row_text (const Rows *r, guint row)
{
  guint c = 0;
  const int *lines = row_lines (r, row);
  while (lines[c] < 0)
    c++;
  return r->columns[c][lines[c]];
}

/* Lines from..to of a column next to rows begin..end, with no equal lines: first the old lines, then the new ones. */
static void
add_run (Rows *to, const Rows *old, guint begin, guint end, guint column, guint from, guint upto)
{
  g_autofree int *beside = NULL;
  if (begin < end && from < upto) {
    Words w;
    words_init (&w);
    for (guint r = begin; r < end; r++)
      add_line_words (&w, row_text (old, r));
    for (guint i = from; i < upto; i++)
      add_line_words (&w, old->columns[column][i]);
    beside = pair_lines (&w, end - begin, upto - from);
    words_clear (&w);
  }
  for (guint i = from, row = begin; i < upto || row < end;) {
    guint next = i;      /* the line that has a row */
    while (next < upto && (!beside || beside[next - from] < 0))
      next++;
    for (guint stop = next < upto ? begin + (guint) beside[next - from] : end; row < stop; row++)
      add_row (to, row_lines (old, row), column, -1);
    for (; i < next; i++)
      add_row (to, NULL, column, (int) i);
    if (next < upto)
      add_row (to, row_lines (old, row++), column, (int) i++);
  }
}

static void
add_column (Rows *r, guint column)
{
  char *const *first = r->columns[0], *const *own = r->columns[column];
  guint m = g_strv_length ((char **) own), n_rows = r->lines->len / r->n_columns, i = 0, row = 0;
  g_autofree int *match = ls_line_match (first, g_strv_length ((char **) first), own, m);
  Rows to = { r->columns, r->n_columns, g_array_sized_new (FALSE, FALSE, sizeof (int), r->lines->len) };
  while (i < m || row < n_rows) {
    guint next = i, at = row;
    while (next < m && match[next] < 0)
      next++;
    while (at < n_rows && (next == m || row_lines (r, at)[0] != match[next]))
      at++;
    add_run (&to, r, row, at, column, i, next);
    if (next < m)
      add_row (&to, row_lines (r, at), column, (int) next);
    i = next + 1;
    row = at + 1;
  }
  g_array_unref (r->lines);
  r->lines = to.lines;
}

GArray *
ls_line_align (char **const *columns, guint n_columns, guint *n_rows)
{
  g_return_val_if_fail (n_columns > 0, NULL);
  Rows r = { columns, n_columns, g_array_new (FALSE, FALSE, sizeof (int)) };
  for (guint i = 0; columns[0][i]; i++)
    add_row (&r, NULL, 0, (int) i);
  for (guint c = 1; c < n_columns; c++)
    add_column (&r, c);
  *n_rows = r.lines->len / n_columns;
  GArray *cells = g_array_sized_new (FALSE, FALSE, sizeof (LsLineCell), r.lines->len);
  for (guint row = 0; row < *n_rows; row++) {
    const int *lines = row_lines (&r, row);
    gboolean all_same = TRUE;
    for (guint c = 0; c < n_columns; c++) {
      gboolean same = lines[c] >= 0 && lines[0] >= 0 && strcmp (columns[c][lines[c]], columns[0][lines[0]]) == 0;
      LsLineCell cell = { lines[c], lines[c] < 0 ? LS_LINE_MISSING : same ? LS_LINE_SAME : LS_LINE_DIFFERS };
      g_array_append_val (cells, cell);
      all_same &= same;
    }
    if (lines[0] >= 0 && !all_same)      /* the first differs where any other does */
      g_array_index (cells, LsLineCell, row * n_columns).state = LS_LINE_DIFFERS;
  }
  g_array_unref (r.lines);
  return cells;
}

/* --- words --- */

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
