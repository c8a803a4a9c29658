/* Lines matched, aligned in columns, and the different words, with their invariants checked on random texts. */
#include "ask/line-diff.h"

#include <string.h>

static char **
random_lines (GRand *rand, guint most, int kinds)
{
  guint n = (guint) g_rand_int_range (rand, 0, (int) most + 1);
  char **lines = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    lines[i] = g_strdup_printf ("%c", 'a' + g_rand_int_range (rand, 0, kinds));
  return lines;
}

static guint
longest_common (char **a, guint n, char **b, guint m)
{
  g_autofree guint *best = g_new0 (guint, (n + 1) * (m + 1));
  for (guint i = n; i-- > 0;)
    for (guint j = m; j-- > 0;)
      best[i * (m + 1) + j] = strcmp (a[i], b[j]) == 0 ? best[(i + 1) * (m + 1) + j + 1] + 1 : MAX (best[(i + 1) * (m + 1) + j],
                                                                                                    best[i * (m + 1) + j + 1]);
  return best[0];
}

static void
test_match (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (int turn = 0; turn < 3000; turn++) {
    g_auto (GStrv) a = random_lines (rand, 14, 1 + turn % 5), b = random_lines (rand, 14, 1 + turn % 5);
    guint n = g_strv_length (a), m = g_strv_length (b), found = 0;
    g_autofree int *match = ls_line_match (a, n, b, m);
    int last = -1;
    for (guint i = 0; i < m; i++) {
      if (match[i] < 0)
        continue;
      g_assert_cmpint (match[i], >, last);
      g_assert_cmpint (match[i], <, (int) n);
      g_assert_cmpstr (a[match[i]], ==, b[i]);
      last = match[i];
      found++;
    }
    g_assert_cmpuint (found, ==, longest_common (a, n, b, m));
  }
}

/* Each line of each column once, in its order; a cell says SAME where the first column's line of its row is equal. */
static void
test_align (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  for (int turn = 0; turn < 1000; turn++) {
    g_auto (GStrv) a = random_lines (rand, 10, 4), b = random_lines (rand, 10, 4), c = random_lines (rand, 10, 4);
    char **columns[] = { a, b, c };
    guint n_rows;
    g_autoptr (GArray) cells = ls_line_align (columns, 3, &n_rows);
    for (guint k = 0; k < 3; k++) {
      guint next = 0;
      for (guint r = 0; r < n_rows; r++) {
        const LsLineCell *first = &g_array_index (cells, LsLineCell, r * 3), *cell = &g_array_index (cells, LsLineCell, r * 3 + k);
        if (cell->line < 0) {
          g_assert_cmpint (cell->state, ==, LS_LINE_MISSING);
          continue;
        }
        g_assert_cmpint (cell->line, ==, (int) next++);
        if (k && cell->state == LS_LINE_SAME)
          g_assert_cmpstr (columns[k][cell->line], ==, a[first->line]);
        else if (k)      /* letters that differ are not alike */
          g_assert_cmpint (first->line, <, 0);
      }
      g_assert_cmpuint (next, ==, g_strv_length (columns[k]));
    }
  }
}

static void
test_replaced_beside (void)
{
  g_auto (GStrv) a = g_strsplit ("for i\nx = 1\nend", "\n", -1), b = g_strsplit ("for i\nx = 2\ny = 3\nend", "\n", -1);
  char **columns[] = { a, b };
  guint n_rows;
  g_autoptr (GArray) cells = ls_line_align (columns, 2, &n_rows);
  static const LsLineCell want[] = { { 0, LS_LINE_SAME }, { 0, LS_LINE_SAME }, { 1, LS_LINE_DIFFERS }, { 1, LS_LINE_DIFFERS },
                                     { -1, LS_LINE_MISSING }, { 2, LS_LINE_DIFFERS }, { 2, LS_LINE_SAME }, { 3, LS_LINE_SAME } };
  g_assert_cmpuint (n_rows, ==, 4);
  for (guint i = 0; i < 8; i++) {
    g_assert_cmpint (g_array_index (cells, LsLineCell, i).line, ==, want[i].line);
    g_assert_cmpint (g_array_index (cells, LsLineCell, i).state, ==, want[i].state);
  }
}

/* The rows of an alignment, for example "a|a;b|-": a cell is a line's first word, "-" is a gap. */
static char *
rows_text (char **const *columns, guint n)
{
  guint n_rows;
  g_autoptr (GArray) cells = ls_line_align (columns, n, &n_rows);
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < n_rows * n; i++) {
    const LsLineCell *c = &g_array_index (cells, LsLineCell, i);
    const char *line = c->line < 0 ? "-" : columns[i % n][c->line];
    g_string_append_printf (out, "%s%.*s", i == 0 ? "" : i % n ? "|" : ";", (int) strcspn (line, " "), line);
  }
  return g_string_free (out, FALSE);
}

/* Only lines that are alike stand side by side, in every pair of columns; else there are gaps. */
static void
test_gaps (void)
{
  static const struct { const char *columns[3]; const char *rows; } cases[] = {
    /* as many lines, none of them alike */
    { { "RANGE int [,] 4\nSTORE void [,,] None\nEND", "RANGE int [,] 4\nVECTORIZE float.vec(4) [,,,] None\nEND" },
      "RANGE|RANGE;STORE|-;-|VECTORIZE;END|END" },
    { { "ADD int [,] None\nMUL int [,] None", "MUL int [,] None\nADD int [,] None" }, "ADD|-;MUL|MUL;-|ADD" },
    /* one row more shifts nothing, also where rows after it are not equal */
    { { "LOAD float [] 1\nADD float [,] 1\nSTORE void [,] 1", "CONST int [] 0\nLOAD float [] 2\nADD float [,] 2\nSTORE void [,] 2" },
      "-|CONST;LOAD|LOAD;ADD|ADD;STORE|STORE" },
    /* the same op with another dtype is a row that was changed */
    { { "LOAD float [,] None\nADD float [,] None", "LOAD float.vec(4) [,] None\nADD float.vec(4) [,] None" }, "LOAD|LOAD;ADD|ADD" },
    /* lines that the first column lacks: those of two columns share a row if they are alike */
    { { "A x y\nB x y", "A x y\nC x y 1\nB x y", "A x y\nD p q\nC x y 2\nB x y" }, "A|A|A;-|-|D;-|C|C;B|B|B" },
    /* the styles of listings: a row next to the same op's, wherever that is named */
    { { "RANGE int [,] (1, 3, 0)\nADD int [,] None\nMUL float [,] None\nENDRANGE void [] None",
        "UOps.LOOP int [,] None\nUOps.ALU int [,] BinaryOps.ADD\nUOps.ALU float [,] BinaryOps.SUB\nUOps.ALU float [,] "
        "BinaryOps.MUL\nUOps.ENDLOOP [] None" },
      "RANGE|UOps.LOOP;ADD|UOps.ALU;-|UOps.ALU;MUL|UOps.ALU;ENDRANGE|UOps.ENDLOOP" },
    { { "", "A x y", "B p q" }, "-|A|-;-|-|B" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char **columns[3] = { NULL };
    guint n = 0;
    for (; n < 3 && cases[i].columns[n]; n++)
      columns[n] = *cases[i].columns[n] ? g_strsplit (cases[i].columns[n], "\n", -1) : g_new0 (char *, 1);
    g_autofree char *rows = rows_text (columns, n);
    g_assert_cmpstr (rows, ==, cases[i].rows);
    for (guint c = 0; c < n; c++)
      g_strfreev (columns[c]);
  }
}

/* A line that was inserted anywhere into a long text is one gap; texts that are long and different throughout are aligned in less
 * than a second or two. */
static void
test_long (void)
{
  enum { N = 10000 };
  static const char *const ops[] = { "LOAD float", "ADD int", "MUL float.vec(4)", "STORE void", "RANGE int" };
  for (int turn = 0; turn < 4; turn++) {
    g_autoptr (GStrvBuilder) x = g_strv_builder_new (), y = g_strv_builder_new ();
    for (int i = 0; i < N; i++) {
      g_autofree char *s = g_strdup_printf ("%s [,] %d", ops[i % 5], i),
                      *t = turn < 2 ? g_strdup (s) : g_strdup_printf ("%s [,] %d", ops[(turn == 2 ? i : i * i) % 5], i + N);
      g_strv_builder_add (x, s);
      if (turn < 2 && i == (turn ? 7777 : 0))
        g_strv_builder_add (y, "IF void [] None");
      g_strv_builder_add (y, t);
    }
    g_auto (GStrv) a = g_strv_builder_end (x), b = g_strv_builder_end (y);
    char **columns[] = { a, b };
    guint n_rows, gaps = 0;
    gint64 begin = g_get_monotonic_time ();
    g_autoptr (GArray) cells = ls_line_align (columns, 2, &n_rows);
    g_assert_cmpint (g_get_monotonic_time () - begin, <, 10 * G_TIME_SPAN_SECOND);
    g_test_message ("%d: %u rows in %.3f s", turn, n_rows, (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND);
    for (guint i = 0; i < cells->len; i++)
      gaps += g_array_index (cells, LsLineCell, i).line < 0;
    if (turn < 2)
      g_assert_cmpuint (gaps, ==, 1);
    else if (turn == 2)      /* each line was changed */
      g_assert_cmpuint (gaps, ==, 0);
  }
}

static void
test_words (void)
{
  g_autoptr (GArray) spans = ls_line_words ("float alu0 = (val0+val1);", "float alu0 = (val0*val12);");
  g_assert_cmpuint (spans->len, ==, 1);
  g_assert_cmpuint (g_array_index (spans, LsLineSpan, 0).from, ==, 18);
  g_assert_cmpuint (g_array_index (spans, LsLineSpan, 0).to, ==, 24);
  g_autoptr (GArray) none = ls_line_words ("x", "x");
  g_assert_cmpuint (none->len, ==, 0);
}

/* Two long texts with nothing in common end soon. */
static void
test_far_apart (void)
{
  g_autoptr (GStrvBuilder) x = g_strv_builder_new (), y = g_strv_builder_new ();
  for (int i = 0; i < 20000; i++) {
    g_autofree char *s = g_strdup_printf ("a%d", i), *t = g_strdup_printf ("b%d", i);
    g_strv_builder_add (x, s);
    g_strv_builder_add (y, t);
  }
  g_auto (GStrv) a = g_strv_builder_end (x), b = g_strv_builder_end (y);
  g_autofree int *match = ls_line_match (a, 20000, b, 20000);
  for (int i = 0; i < 20000; i++)
    g_assert_cmpint (match[i], ==, -1);
}

static void
test_text (void)
{
  static const struct { const char *a, *b, *diff; } cases[] = {
    { "a\nb\nc\n", "a\nb\nc\n", "" },
    { "a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n" },
    { "", "a\n", "+a\n" },
    { "a\nb\nc\nd", "b\nd\ne", "-a\n b\n-c\n d\n+e\n" },
    { "a\n", NULL, "-a\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *diff = ls_text_diff (cases[i].a, cases[i].b);
    g_assert_cmpstr (diff, ==, cases[i].diff);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line-diff/match", test_match);
  g_test_add_func ("/line-diff/align", test_align);
  g_test_add_func ("/line-diff/replaced-beside", test_replaced_beside);
  g_test_add_func ("/line-diff/gaps", test_gaps);
  g_test_add_func ("/line-diff/long", test_long);
  g_test_add_func ("/line-diff/words", test_words);
  g_test_add_func ("/line-diff/far-apart", test_far_apart);
  g_test_add_func ("/line-diff/text", test_text);
  return g_test_run ();
}
