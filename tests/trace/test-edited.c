/* Recordings in which single cells were edited by SQL: numbers out of range, negative, huge or another row's, texts cut or another's, blobs with words changed. The file is a
 * sound database with a row that lies, which bytes changed at random hardly ever make. It is refused with an error, or opens and is asked everything.
 *
 * test-edited --hunt FIRST COUNT [FOLDER] edits and asks each in a process of its own and leaves those that break down in FOLDER; --show SEED [FILE] says what is edited.
 */
#include <sqlite3.h>
#include <sys/wait.h>

#include "../fuzz/recording-asked.h"
#include "fixture.h"

static const char *const programs[] = {
  "a = Tensor.arange(12).reshape(3, 4)\nb = (a * 2 + 1).sum(axis=1)\nprint(b.tolist())\nc = (b.float() / 3).relu()\nprint(c.tolist())\n",
  "a = Tensor.ones(4, 4).contiguous()\nb = a.pad(((1, 1), (0, 0))).permute(1, 0)\nprint((b @ b.permute(1, 0)).tolist())\n",
};

static char *
make_recording (guint i)
{
  char *path = g_strdup_printf ("%s/edited-%u-%d.lscope", g_get_tmp_dir (), i, (int) getpid ());
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = programs[i], .options = i ? "UPCAST:0:2,UNROLL:1:2" : NULL);
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
  static const char *const texts[] = { "", "None", "0", "-1", "(0, 0, 0)", "(0,)", "()", "(1, 2)", "(64, 9, 5000)", "(9223372036854775807, -1)", "1.5", "inf", "'gidx9'", "(Ops.ADD, (0,))", "(Ops.SIN, (9,))", "x -> y",
                                       "LOAD(*) -> build lower_load", "o=ALU(xs*) -> o(xs*, xs*)", "ADD(x, y) -> build index(x)", "ADD", "RANGE", "VIEW", "UNROLL", "INDEX", "LOAD", "STORE", "PHI", "REDUCE", "CONST",
                                       "dtypes.int", "dtypes.float.vec(4)", "dtypes.void", "dtypes.int.ptr(3)", "dtypes.bool", "dtypes.index", "dtypes.uchar.vec(1024)", "symbolic", "lower", "map", "rewrite", "top-down",
                                       "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),))",
                                       "ShapeTracker(views=(View(shape=(4, 4), strides=(9223372036854775807, -5), offset=-7, mask=((0, 9), (3, 1)), contiguous=False),))" };
  switch (sqlite3_column_type (read, 0)) {
  case SQLITE_INTEGER: {
    gint64 old = sqlite3_column_int64 (read, 0);
    gint kind = g_rand_int_range (rand, 0, 4);
    sqlite3_bind_int64 (write, 1, kind == 0 ? odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))] : kind == 1 ? old + g_rand_int_range (rand, -3, 4) : g_rand_int_range (rand, 0, MAX (2, (gint) CLAMP (2 * old, 2, 4000))));
    break;
  }
  case SQLITE_BLOB: {
    gsize n = (gsize) sqlite3_column_bytes (read, 0);
    guint8 *copy = g_memdup2 (sqlite3_column_blob (read, 0), MAX (n, 1));
    if (n >= 4 && g_rand_int_range (rand, 0, 5)) {
      gint32 word;
      gsize at = 4 * (gsize) g_rand_int_range (rand, 0, (gint) (n / 4));
      memcpy (&word, copy + at, 4);
      word = g_rand_int_range (rand, 0, 4) ? (gint32) MAX (0, word + g_rand_int_range (rand, -20, 20)) : (gint32) odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))];
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

/* Edits one cell of a table, in any column or in the one that is named; about half of the time it gets what another row of its column holds, which fits more often. TRUE: it
 * is another than before. */
static gboolean
edit_cell_of (sqlite3 *db, const char *table, const char *named, GRand *rand, GString *said)
{
  g_autofree char *info = g_strdup_printf ("SELECT name FROM pragma_table_info('%s')", table), *keys = g_strdup_printf ("SELECT '''' || name || ' = '' || quote(' || name || ')' FROM pragma_table_info('%s') WHERE pk > 0", table);
  g_autoptr (GPtrArray) columns = column_of (db, info), key = column_of (db, keys);
  g_autoptr (GString) where = g_string_new (NULL);
  for (guint i = 0; i < key->len; i++)
    g_string_append_printf (where, "%s%s", i ? " || ' AND ' || " : "", (char *) key->pdata[i]);
  g_autofree char *all = g_strdup_printf ("SELECT %s FROM %s", where->str, table);
  g_autoptr (GPtrArray) rows = column_of (db, all);
  if (rows->len == 0 || columns->len == 0)
    return FALSE;
  const char *column = named ? named : columns->pdata[g_rand_int_range (rand, 0, (gint) columns->len)], *row = rows->pdata[g_rand_int_range (rand, 0, (gint) rows->len)];
  const char *other = rows->pdata[g_rand_int_range (rand, 0, (gint) rows->len)];
  gboolean swap = g_rand_int_range (rand, 0, 5) < 2;
  g_autofree char *read = g_strdup_printf ("SELECT %s FROM %s WHERE %s", column, table, row);
  g_autofree char *write = swap ? g_strdup_printf ("UPDATE OR IGNORE %s SET %s = (SELECT %s FROM %s WHERE %s) WHERE %s", table, column, column, table, other, row) :
                                  g_strdup_printf ("UPDATE OR IGNORE %s SET %s = ? WHERE %s", table, column, row);
  g_autofree char *quoted = g_strdup_printf ("SELECT quote(%s) FROM %s WHERE %s", column, table, row);
  g_autoptr (GPtrArray) before = column_of (db, quoted);
  sqlite3_stmt *r = NULL, *w = NULL;
  if (sqlite3_prepare_v2 (db, read, -1, &r, NULL) == SQLITE_OK && sqlite3_prepare_v2 (db, write, -1, &w, NULL) == SQLITE_OK && sqlite3_step (r) == SQLITE_ROW) {
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

static void
edit_cell (sqlite3 *db, GRand *rand, GString *said)
{
  g_autoptr (GPtrArray) tables = column_of (db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  gint pick = g_rand_int_range (rand, 0, (gint) tables->len + 8);
  edit_cell_of (db, pick < (gint) tables->len ? tables->pdata[pick] : pick % 3 == 0 ? "nodes" : pick % 3 == 1 ? "rules" : "passes", NULL, rand, said);
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

static gboolean
load_and_ask (const char *path, guint most)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_true ((t == NULL) == (error != NULL));
  if (t)
    recording_ask (t, most);
  return t != NULL;
}

static int
hunt (guint32 first, guint32 count, const char *folder)
{
  char *from[] = { make_recording (0), make_recording (1) };
  g_autofree char *path = g_strdup_printf ("%s/hunt-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  guint n_found = 0, n_opened = 0;
  g_mkdir_with_parents (folder, 0700);
  for (guint32 seed = first; seed < first + count; seed++) {
    g_autofree char *log = g_strdup_printf ("%s/%u.log", folder, seed), *sql = g_strdup_printf ("%s/%u.sql", folder, seed);
    g_autoptr (GString) said = g_string_new (NULL);
    edit (from[seed % 2], seed, path, said);
    pid_t child = fork ();
    if (child == 0) {
      if (!freopen (log, "w", stderr))
        _exit (3);
      alarm (30);
      _exit (load_and_ask (path, 3) ? 0 : 42);
    }
    int status = 0;
    waitpid (child, &status, 0);
    n_opened += status == 0;
    if (status == 0 || (WIFEXITED (status) && WEXITSTATUS (status) == 42)) {
      g_unlink (log);
      continue;
    }
    n_found++;
    g_string_append_printf (said, "status %x\n", (guint) status);
    g_file_set_contents (sql, said->str, -1, NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_unlink (from[i]);
    g_free (from[i]);
  }
  g_unlink (path);
  g_print ("%u recordings edited, %u of them opened, %u broke down\n", count, n_opened, n_found);
  return n_found != 0;
}

/* --- tests --- */

static void
edited (void)
{
  guint n_opened = 0, count = 300;
  g_autofree char *path = g_strdup_printf ("%s/edited-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  char *from[] = { make_recording (0), make_recording (1) };
  for (guint32 seed = 1; seed <= count; seed++) {
    g_autoptr (GString) said = g_string_new (NULL);
    edit (from[seed % 2], seed, path, said);
    n_opened += load_and_ask (path, 3);
  }
  g_test_message ("%u edited, %u opened", count, n_opened);
  g_assert_cmpuint (n_opened, >, count / 8);
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_unlink (from[i]);
    g_free (from[i]);
  }
  g_unlink (path);
}

static sqlite3 *
open_copy (const char *from, const char *path)
{
  g_autofree char *bytes = NULL;
  gsize n;
  sqlite3 *db = NULL;
  g_assert_true (g_file_get_contents (from, &bytes, &n, NULL) && g_file_set_contents (path, bytes, (gssize) n, NULL));
  g_assert_true (sqlite3_open (path, &db) == SQLITE_OK);
  sqlite3_exec (db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", NULL, NULL, NULL);
  return db;
}

/* What broke down once. */
static void
asked (void)
{
  static const char *const sql[] = {
    "UPDATE maps SET old_node = (SELECT id FROM nodes WHERE op = 'RANGE' LIMIT 1) WHERE reason = 'realized'",      /* which has no shape */
    "UPDATE passes SET kernel = 0 WHERE kind = 'rewrite' AND stage = 'index'",      /* what accumulates is no kernel's */
  };
  g_autofree char *path = g_strdup_printf ("%s/asked-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *from = make_recording (0);
  for (guint i = 0; i < G_N_ELEMENTS (sql); i++) {
    sqlite3 *db = open_copy (from, path);
    g_assert_cmpint (sqlite3_exec (db, sql[i], NULL, NULL, NULL), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_changes (db), >, 0);
    sqlite3_close (db);
    g_assert_true (load_and_ask (path, 3));
  }
  g_unlink (from);
  g_unlink (path);
}

/* What verify claims to know of: tables and their columns. */
static const struct { const char *table, *columns; } claims[] = {
  { "nodes", "op dtype arg tag src" }, { "links", "data data data data" }, { "steps", "rule before after ns" }, { "rules", "name file line sentence text class rule_set" }, { "node_calls", "call" },
  { "kernels", "name target same_as ast final_root options source flops bytes" }, { "buffers", "dtype n_elements role plan_offset first_use last_use data min max mean n_nan n_inf" },
  { "passes", "kernel kind name stage rule_set mode input output parent" }, { "decisions", "node realized kernel reason" }, { "outputs", "shape dtype" }, { "listings", "node" },
  { "procedures", "depth node kind op dest dtype value sources buffer bound" }, { "source_links", "line node" }, { "expressions", "node listing_row line assigned expr why" },
  { "arguments", "buffer" }, { "kernel_passes", "of_pass" }, { "rule_stats", "rule tries hits" }, { "maps", "new_node old_node reason" },
  { "files", "library" }, { "statements", "line text file turn" }, { "bindings", "statement name" }, { "calls", "line col name statement parent file file_line def_file def_line" },
};

/* Is it refused, or not proved? */
static gboolean
is_found (const char *path)
{
  g_autoptr (LsTrace) t = ls_trace_load (path, NULL);
  LsVerify *v = t ? ls_trace_verify (t) : NULL;
  gboolean found = !v || v->verdict != LS_VERIFY_PROVED;
  ls_verify_free (v);
  return found;
}

/* Single changes of what verify claims: at least 95 of 100 are found, and what is not changed is proved. */
static void
verified (void)
{
  guint n = 0, n_found = 0;
  g_autofree char *path = g_strdup_printf ("%s/verified-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  char *from[] = { make_recording (0), make_recording (1) };
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    g_assert_false (is_found (from[i]));
  g_autoptr (GRand) rand = g_rand_new_with_seed (14);
  for (guint i = 0; n < 800; i++) {
    g_autoptr (GString) said = g_string_new (NULL);
    const gsize c = (gsize) i % G_N_ELEMENTS (claims);
    g_auto (GStrv) columns = g_strsplit (claims[c].columns, " ", -1);
    sqlite3 *db = open_copy (from[i / G_N_ELEMENTS (claims) % 2], path);
    gboolean changed = edit_cell_of (db, claims[c].table, columns[g_rand_int_range (rand, 0, (gint) g_strv_length (columns))], rand, said);
    sqlite3_close (db);
    if (!changed)
      continue;
    gboolean found = is_found (path);
    n++;
    n_found += found;
    if (!found)
      g_test_message ("not found: %s", said->str);
  }
  g_test_message ("%u of %u changes found", n_found, n);
  g_assert_cmpuint (n_found * 100, >=, n * 95);
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_unlink (from[i]);
    g_free (from[i]);
  }
  g_unlink (path);
}

/* Changes of the kinds that people make with a purpose. */
static void
falsified (void)
{
  static const char *const sql[] = {
    "DELETE FROM steps WHERE pass = (SELECT max(pass) FROM steps) AND step = (SELECT max(step) FROM steps WHERE pass = (SELECT max(pass) FROM steps))",
    "UPDATE links SET data = substr(data, 1, length(data) - 16) WHERE pass = (SELECT pass FROM links ORDER BY length(data) DESC LIMIT 1)",      /* the last link dropped */
    "UPDATE links SET data = CAST(substr(data, 17, 16) || substr(data, 1, 16) || substr(data, 33) AS BLOB) WHERE pass = (SELECT pass FROM links ORDER BY length(data) DESC LIMIT 1)",      /* two changed places */
    "UPDATE steps SET rule = rule + 1", "UPDATE kernels SET source = replace(source, '+', '-')", "UPDATE kernels SET source = source || ' '", "UPDATE meta SET value = 0 WHERE key = 'complete'",
    "DELETE FROM decisions WHERE id = (SELECT max(id) FROM decisions)", "UPDATE buffers SET digest = 'ab'", "UPDATE buffers SET data = zeroblob(length(data)) WHERE data IS NOT NULL",
    "UPDATE expressions SET why = 'used once'", "UPDATE arguments SET buffer = 0 WHERE position = 0",
  };
  g_autofree char *path = g_strdup_printf ("%s/falsified-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *from = make_recording (1);
  for (guint i = 0; i < G_N_ELEMENTS (sql); i++) {
    sqlite3 *db = open_copy (from, path);
    g_assert_cmpint (sqlite3_exec (db, sql[i], NULL, NULL, NULL), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_changes (db), >, 0);
    sqlite3_close (db);
    if (!is_found (path))
      g_test_fail_printf ("not found: %s", sql[i]);
  }
  g_unlink (from);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  if (argc >= 3 && strcmp (argv[1], "--show") == 0) {
    char *from = make_recording ((guint) atoi (argv[2]) % 2);
    g_autoptr (GString) said = g_string_new (NULL);
    edit (from, (guint32) atoi (argv[2]), argc > 3 ? argv[3] : from, said);
    g_print ("%s", said->str);
    g_unlink (from);
    g_free (from);
    return 0;
  }
  if (argc >= 4 && strcmp (argv[1], "--hunt") == 0)
    return hunt ((guint32) atoi (argv[2]), (guint32) atoi (argv[3]), argc > 4 ? argv[4] : "edited");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/edited/cells", edited);
  g_test_add_func ("/trace/edited/asked", asked);
  g_test_add_func ("/trace/edited/verified", verified);
  g_test_add_func ("/trace/edited/falsified", falsified);
  return g_test_run ();
}
