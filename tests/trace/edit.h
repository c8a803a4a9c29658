/* Recordings in which single cells were edited by SQL: numbers out of range, negative, huge or another row's, texts cut or another's,
 * blobs with words changed. The file is a sound database with a row that lies, which bytes changed at random hardly ever make. */
#pragma once
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "measure/search.h"
#include "fixture.h"
#include "pipeline/variant.h"

/* The programs of the recordings. Together they have rows in every table: the third has contents that are not kept, machine code with
 * its lines, and passes over procedures, the fourth searches. */
static const struct { const char *text, *options, *compiler, *settings; gboolean search; } programs[] = {
  { "a = Tensor.arange(12).reshape(3, 4)\nb = (a * 2 + 1).sum(axis=1)\nprint(b.tolist())\n"
    "c = (b.float() / 3).relu()\nprint(c.tolist())\n" },
  { "a = Tensor.ones(4, 4).contiguous()\nb = a.pad(((1, 1), (0, 0))).permute(1, 0)\nprint((b @ b.permute(1, 0)).tolist())\n",
    .options = "UPCAST:0:2,UNROLL:1:2" },
  { "from tinygrad import Tensor\n\ndef scaled (t, by):\n  half = t * by\n  return half + 1\n\nclass Layer:\n  def __init__(self, n):\n   "
    " self.w = Tensor.arange(n).float()\n  def __call__(self, x):\n    return (x + self.w).contiguous()\n\n"
    "layer = Layer(20000)\nx = layer(Tensor.ones(20000))\nfor i in range(3):\n  x = scaled(x, 0.5 + i)\ny = "
    "x.contiguous()\nprint(y.sum().item())\nz = [scaled(y[k:k + 2], 2.0) for k in range(2)]\nprint((z[0] + z[1]).tolist())\n",
    .compiler = "tcc", .settings = "HOIST=1 UNROLL_LOOPS=1 PROPAGATE=1" },
  { "a = Tensor.arange(64).reshape(8, 8).float()\nb = (a @ a.permute(1, 0)).relu()\nprint(b.sum().item())\n", .compiler = "tcc",
    .search = TRUE },
};

/* The options of a kernel are searched for; the search may take what it needs of a fraction of a second. */
static char *
searched_options (LsSession *s, LsKernel *k, char **why, gpointer data)
{
  LsVariant how;
  g_autoptr (GError) error = NULL;
  ls_variant_init (&how);
  how.settings = s->settings;
  g_assert_true (ls_variant_complete (&how, &error));
  g_autoptr (LsSearch) found = ls_search_session (s, k, &how, &(LsSearchHow) { .width = 2, .seconds = 0.2, .no_cache = TRUE }, &error);
  g_assert_no_error (error);
  ls_variant_clear (&how);
  *why = ls_search_reason (found);
  return g_strdup (g_array_index (found->rows, LsCandidate, found->chosen).options);
}

/* One of these recordings, at a path of its own. Free with g_free. */
static char *
make_recording (guint i)
{
  char *path = g_strdup_printf ("%s/edited-%u-%d.lscope", g_get_tmp_dir (), i, (int) getpid ());
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = programs[i].text, .options = programs[i].options, .compiler = programs[i].compiler,
                                         .settings = programs[i].settings,
                                              .on_options = programs[i].search ? searched_options : NULL);
  g_unlink (path);
  ls_trace_save (s->trace, path, &error);
  g_assert_no_error (error);
  return path;
}

static GPtrArray *
column_of (sqlite3 *db, const char *sql)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &q, NULL) == SQLITE_OK)
    while (sqlite3_step (q) == SQLITE_ROW)
      g_ptr_array_add (out, g_strdup ((const char *) sqlite3_column_text (q, 0)));
  sqlite3_finalize (q);
  return out;
}

/* Another value for a cell: of the same kind, mostly. */
static void
bind_value (GRand *rand, sqlite3_stmt *read, sqlite3_stmt *write)
{
  static const gint64 odd[] = { 0, 1, -1, 2, 3, 63, 64, 255, 1000000, G_MAXINT32, G_MININT32, G_MAXUINT32, G_MAXINT64, G_MININT64 };
  static const char *const texts[] = { "", "None", "0", "-1", "(0, 0, 0)", "(0,)", "()", "(1, 2)", "(64, 9, 5000)",
                                       "(9223372036854775807, -1)", "1.5", "inf", "'gidx9'", "(Ops.ADD, (0,))", "(Ops.SIN, (9,))", "x -> y",
                                       "LOAD(*) -> build lower_load", "o=ALU(xs*) -> o(xs*, xs*)", "ADD(x, y) -> build index(x)", "ADD",
                                       "RANGE", "VIEW", "UNROLL", "INDEX", "LOAD", "STORE", "PHI", "REDUCE", "CONST",
                                       "dtypes.int", "dtypes.float.vec(4)", "int", "float.vec(4)", "void", "int.ptr(3)", "bool",
                                       "dtypes.void", "dtypes.int.ptr(3)", "dtypes.bool", "dtypes.index", "dtypes.uchar.vec(1024)",
                                       "symbolic", "lower", "map", "rewrite", "top-down",
                                       "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),))",
                                       ("ShapeTracker(views=(View(shape=(4, 4), strides=(9223372036854775807, -5), offset=-7, "
                                        "mask=((0, 9), (3, 1)), contiguous=False),))") };
  switch (sqlite3_column_type (read, 0)) {
  case SQLITE_INTEGER: {
    gint64 old = sqlite3_column_int64 (read, 0);
    gint kind = g_rand_int_range (rand, 0, 4);
    sqlite3_bind_int64 (write, 1, kind == 0 ? odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))] : kind == 1
                        ? old + g_rand_int_range (rand, -3, 4) : g_rand_int_range (rand, 0, MAX (2, (gint) CLAMP (2 * old, 2, 4000))));
    break;
  }
  case SQLITE_BLOB: {
    gsize n = (gsize) sqlite3_column_bytes (read, 0);
    guint8 *copy = g_memdup2 (sqlite3_column_blob (read, 0), MAX (n, 1));
    if (n >= 4 && g_rand_int_range (rand, 0, 5)) {
      gint32 word;
      gsize at = 4 * (gsize) g_rand_int_range (rand, 0, (gint) (n / 4));
      memcpy (&word, copy + at, 4);
      word = g_rand_int_range (rand, 0, 4) ? (gint32) MAX (0, word + g_rand_int_range (rand, -20, 20))
                                           : (gint32) odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))];
      memcpy (copy + at, &word, 4);
    } else if (n > 0) {
      n = (gsize) g_rand_int_range (rand, 0, (gint) n);
    }
    sqlite3_bind_blob (write, 1, copy, (int) n, g_free);
    break;
  }
  case SQLITE_TEXT: {
    g_autofree char *old = g_strdup ((const char *) sqlite3_column_text (read, 0));
    gsize n = strlen (old);
    if (g_rand_int_range (rand, 0, 3) == 0 && n > 1) {
      if (g_rand_int_range (rand, 0, 2))
        old[g_rand_int_range (rand, 0, (gint) n)] = "019-(),*[]"[g_rand_int_range (rand, 0, 10)];
      else
        old[g_rand_int_range (rand, 0, (gint) n)] = 0;
      sqlite3_bind_text (write, 1, old, -1, SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_text (write, 1, texts[g_rand_int_range (rand, 0, G_N_ELEMENTS (texts))], -1, SQLITE_STATIC);
    }
    break;
  }
  default: g_rand_int_range (rand, 0, 2) ? sqlite3_bind_int (write, 1, 1) : sqlite3_bind_text (write, 1, "x", -1, SQLITE_STATIC); break;
  }
}

/* Edits one cell of a table, among the rows that satisfy `only` (or NULL), in any column or in the one that is named; about half of
 * the time it gets what another row of its column holds, which fits more often. TRUE: it is another than before. */
static gboolean
edit_cell_among (sqlite3 *db, const char *table, const char *named, const char *only, GRand *rand, GString *said)
{
  g_autofree char *info = g_strdup_printf ("SELECT name FROM pragma_table_info('%s')", table),
                  *keys = g_strdup_printf ("SELECT '''' || name || ' = '' || quote(' || name || ')' "
                                           "FROM pragma_table_info('%s') WHERE pk > 0", table);
  g_autoptr (GPtrArray) columns = column_of (db, info), key = column_of (db, keys);
  g_autoptr (GString) where = g_string_new (NULL);
  for (guint i = 0; i < key->len; i++)
    g_string_append_printf (where, "%s%s", i ? " || ' AND ' || " : "", (char *) key->pdata[i]);
  g_autofree char *all = g_strdup_printf ("SELECT %s FROM %s WHERE %s", where->str, table, only ? only : "1");
  g_autoptr (GPtrArray) rows = column_of (db, all);
  if (rows->len == 0 || columns->len == 0)
    return FALSE;
  const char *column = named ? named : columns->pdata[g_rand_int_range (rand, 0, (gint) columns->len)],
             *row = rows->pdata[g_rand_int_range (rand, 0, (gint) rows->len)];
  const char *other = rows->pdata[g_rand_int_range (rand, 0, (gint) rows->len)];
  gboolean swap = g_rand_int_range (rand, 0, 5) < 2;
  g_autofree char *read = g_strdup_printf ("SELECT %s FROM %s WHERE %s", column, table, row);
  g_autofree char *write = swap ? g_strdup_printf ("UPDATE OR IGNORE %s SET %s = (SELECT %s FROM %s WHERE %s) WHERE %s", table, column,
                                                   column, table, other, row) :
                                  g_strdup_printf ("UPDATE OR IGNORE %s SET %s = ? WHERE %s", table, column, row);
  g_autofree char *quoted = g_strdup_printf ("SELECT quote(%s) FROM %s WHERE %s", column, table, row);
  g_autoptr (GPtrArray) before = column_of (db, quoted);
  sqlite3_stmt *r = NULL, *w = NULL;
  if (sqlite3_prepare_v2 (db, read, -1, &r, NULL) == SQLITE_OK && sqlite3_prepare_v2 (db, write, -1, &w, NULL) == SQLITE_OK &&
      sqlite3_step (r) == SQLITE_ROW) {
    if (!swap)
      bind_value (rand, r, w);
    sqlite3_step (w);
    char *sql = sqlite3_expanded_sql (w);
    g_string_append_printf (said, "%s\n", sql);
    sqlite3_free (sql);
  }
  sqlite3_finalize (r);
  sqlite3_finalize (w);
  g_autoptr (GPtrArray) after = column_of (db, quoted);
  return before->len != after->len || (before->len && strcmp (before->pdata[0], after->pdata[0]) != 0);
}

static gboolean
edit_cell_of (sqlite3 *db, const char *table, const char *named, GRand *rand, GString *said)
{
  return edit_cell_among (db, table, named, NULL, rand, said);
}

static void
edit_cell (sqlite3 *db, GRand *rand, GString *said)
{
  g_autoptr (GPtrArray) tables = column_of (db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  gint pick = g_rand_int_range (rand, 0, (gint) tables->len + 8);
  edit_cell_of (db, pick < (gint) tables->len ? tables->pdata[pick] : pick % 3 == 0 ? "nodes" : pick % 3 == 1 ? "rules" : "passes", NULL,
                rand, said);
}

/* The file edited as the seed says, at path. */
static void
edit (const char *from, guint32 seed, const char *path, GString *said)
{
  g_autofree char *bytes = NULL;
  gsize n;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  sqlite3 *db = NULL;
  g_assert_true (g_file_get_contents (from, &bytes, &n, NULL) && g_file_set_contents (path, bytes, (gssize) n, NULL));
  g_assert_true (sqlite3_open (path, &db) == SQLITE_OK);
  sqlite3_exec (db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN", NULL, NULL, NULL);
  for (gint i = g_rand_int_range (rand, 1, 4); i > 0; i--)
    edit_cell (db, rand, said);
  sqlite3_exec (db, "COMMIT", NULL, NULL, NULL);
  sqlite3_close (db);
}
