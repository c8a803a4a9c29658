/* Places in a program's text and the reports that show them.
 *
 * A report is laid out as compilers do: place and message, the source line as it stands, a caret under the place, a hint.
 * Long lines are cut to a window around the place; tabs before it are kept, so that the caret stands right.
 */
#include "source.h"

#include <string.h>

#define WINDOW 160

void
ls_source_init (LsSource *source, const char *text, gsize length, const char *filename)
{
  *source = (LsSource) { .text = text, .length = length, .filename = filename };
  source->lines = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 start = 0;
  g_array_append_val (source->lines, start);
  for (const char *p = text; (p = memchr (p, '\n', text + length - p)); ) {
    start = ++p - text;
    g_array_append_val (source->lines, start);
  }
}

void
ls_source_clear (LsSource *source)
{
  g_clear_pointer (&source->lines, g_array_unref);
}

static guint
line_of (const LsSource *source, guint32 offset)
{
  guint low = 0, high = source->lines->len;
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (source->lines, guint32, middle) <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Characters in n bytes; a byte of no character counts as one. */
static guint
characters (const char *text, gsize n)
{
  guint count = 0;
  for (gsize i = 0; i < n; i++)
    count += ((guchar) text[i] & 0xc0) != 0x80;
  return count;
}

void
ls_source_place (const LsSource *source, guint32 offset, guint *line, guint *column)
{
  offset = MIN (offset, source->length);
  guint index = line_of (source, offset);
  guint32 start = g_array_index (source->lines, guint32, index);
  *line = index + 1;
  *column = characters (source->text + start, offset - start) + 1;
}

char *
ls_source_report (const LsSource *source, guint32 offset, const char *message, const char *hint)
{
  guint line, column;
  offset = MIN (offset, source->length);
  ls_source_place (source, offset, &line, &column);
  const char *start = source->text + g_array_index (source->lines, guint32, line - 1), *at = source->text + offset;
  const char *end = memchr (start, '\n', source->text + source->length - start);
  if (!end)
    end = source->text + source->length;
  if (end > start && end[-1] == '\r')
    end--;
  at = MIN (at, end);
  if (at - start > WINDOW / 2 && end - start > WINDOW) {
    start = at - WINDOW / 2;
    while (start < at && ((guchar) *start & 0xc0) == 0x80)
      start++;
  }
  if (end - start > WINDOW) {
    end = start + WINDOW;
    while (end > at && ((guchar) *end & 0xc0) == 0x80)
      end--;
  }
  g_autofree char *shown = g_utf8_make_valid (start, end - start);
  for (char *p = shown; *p; p++)
    if ((guchar) *p < 0x20 && *p != '\t')
      *p = ' ';
  GString *report = g_string_new (NULL);
  g_string_printf (report, "%s:%u:%u: error: %s\n%s\n", source->filename, line, column, message, shown);
  guint before = characters (start, at - start);
  for (guint i = 0; i < before; i++)
    g_string_append_c (report, i < strlen (shown) && shown[i] == '\t' ? '\t' : ' ');
  g_string_append (report, "^");
  if (hint)
    g_string_append_printf (report, "\nhint: %s", hint);
  return g_string_free (report, FALSE);
}

/* Edit distance where a swap of neighbours counts as one, up to limit. */
static guint
distance (const char *a, const char *b, guint limit)
{
  enum { MAX_LENGTH = 32 };
  guint n = strlen (a), m = strlen (b), rows[3][MAX_LENGTH + 1];
  if (n > MAX_LENGTH || m > MAX_LENGTH || (n > m ? n - m : m - n) > limit)
    return limit + 1;
  for (guint j = 0; j <= m; j++)
    rows[0][j] = j;
  for (guint i = 1; i <= n; i++) {
    guint *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (guint j = 1; j <= m; j++) {
      guint same = g_ascii_tolower (a[i - 1]) == g_ascii_tolower (b[j - 1]) ? 0 : 1;
      row[j] = MIN (MIN (row[j - 1] + 1, last[j] + 1), last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = MIN (row[j], before[j - 2] + 1);
    }
  }
  return rows[n % 3][m];
}

const char *
ls_closest_name (const char *name, const char *const *candidates)
{
  const char *best = NULL;
  guint limit = strlen (name) <= 3 ? 1 : strlen (name) <= 6 ? 2 : 3, least = limit + 1;
  for (; *candidates; candidates++) {
    guint d = distance (name, *candidates, limit);
    if (d < least && d > 0) {
      least = d;
      best = *candidates;
    }
  }
  return best;
}
