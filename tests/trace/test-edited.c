/* Recordings in which single cells were edited (edit.h): each is refused with an error, or opens and is asked everything.
 *
 * test-edited --hunt FIRST COUNT [FOLDER] edits and asks each in a process of its own and leaves those that break down in FOLDER;
 * --show SEED [FILE] says what is edited. test-edited --columns N [unsealed] changes N cells of every column of the schema, seals
 * each file again (or not), and says of which columns verify did not find all changes.
 */
#include <sys/wait.h>

#include "../fuzz/recording-asked.h"
#include "edit.h"
#include "reseal.h"
#include "../sample.h"

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
    edit (from[seed % G_N_ELEMENTS (from)], seed, path, said);
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
  guint n_opened = 0, count = 300 / fixture_sample (6, "edits");
  g_autofree char *path = g_strdup_printf ("%s/edited-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  char *from[] = { make_recording (0), make_recording (1) };
  for (guint32 seed = 1; seed <= count; seed++) {
    g_autoptr (GString) said = g_string_new (NULL);
    edit (from[seed % G_N_ELEMENTS (from)], seed, path, said);
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

/* Earlier crashes. */
static void
asked (void)
{
  static const char *const sql[] = {
    "UPDATE maps SET old_node = (SELECT id FROM nodes WHERE op = 'RANGE' LIMIT 1) WHERE reason = 'realized'",      /* which has no shape */
    "UPDATE passes SET kernel = 0 WHERE kind = 'rewrite' AND stage = 'index'",      /* what accumulates is not a kernel's */
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

static const char *const class_names[] = { [LS_CLASS_DERIVED] = "derived", [LS_CLASS_DOUBLED] = "doubled", [LS_CLASS_WITNESS] = "witness" };

typedef struct { guint n, found; } Count;

/* Changes single cells of a column, in each recording by turns. resealed: the seals are made to fit. */
static Count
change_column (char **from, guint n_from, const LsTable *t, const LsColumn *c, guint n, gboolean resealed, GRand *rand)
{
  Count count = { 0, 0 };
  gboolean is_meta = t == &ls_store_meta;
  g_autofree char *path = g_strdup_printf ("%s/verified-%d.lscope", g_get_tmp_dir (), (int) getpid ()),
                  *only = is_meta ? g_strdup_printf ("key = '%s'", c->name) : NULL;
  for (guint i = 0; count.n < n && i < 3 * n; i++) {
    g_autoptr (GString) said = g_string_new (NULL);
    sqlite3 *db = open_copy (from[i % n_from], path);
    gboolean changed = edit_cell_among (db, t->name, is_meta ? "value" : c->name, only, rand, said);
    sqlite3_close (db);
    if (!changed)
      continue;
    if (resealed)
      reseal (path);
    gboolean found = is_found (path);
    count.n++;
    count.found += found;
    if (!found)
      g_test_message ("%s: not found: %s", class_names[c->class], said->str);
  }
  g_unlink (path);
  return count;
}

/* Columns in which nothing changed: the recordings have no rows of them. */
static void
change_columns (guint n, gboolean resealed, guint every, guint first, Count *of_class, gboolean print)
{
  char *from[G_N_ELEMENTS (programs)];
  guint at = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (14 + first);
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    from[i] = make_recording (i);
    g_assert_false (is_found (from[i]));
    reseal (from[i]);
    g_assert_false (is_found (from[i]));
  }
  for (guint table = 0; table < LS_N_SEALS; table++)
    for (guint k = 0; k < ls_seal_table (table)->n_columns; k++) {
      const LsColumn *c = &ls_seal_table (table)->columns[k];
      if (at++ % every != first % every)
        continue;
      Count count = change_column (from, G_N_ELEMENTS (from), ls_seal_table (table), c, n, resealed, rand);
      of_class[c->class].n += count.n;
      of_class[c->class].found += count.found;
      if (print && (count.n == 0 || count.found < count.n))
        g_print ("%s.%s (%s): %u of %u\n", ls_seal_table (table)->name, c->name, class_names[c->class], count.found, count.n);
    }
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_unlink (from[i]);
    g_free (from[i]);
  }
}

/* Single changes of every column of the schema, sealed again: at least 95 of 100 changes in derived or doubled columns are found. */
static void
verified (void)
{
  Count counts[4] = { { 0, 0 } };
  guint every = fixture_share (3, 24, "columns");
  change_columns (6, TRUE, every, 3, counts, FALSE);      /* of 20 each: --columns 20 */
  for (guint c = LS_CLASS_DERIVED; c <= LS_CLASS_DOUBLED; c++) {
    g_test_message ("%s: %u of %u changes found", class_names[c], counts[c].found, counts[c].n);
    g_assert_cmpuint (counts[c].n, >, 0);
    g_assert_cmpuint (counts[c].found * 100, >=, counts[c].n * 95);
  }
}

/* Single changes of every column, which nobody sealed again: all are found. */
static void
unsealed (void)
{
  Count counts[4] = { { 0, 0 } };
  change_columns (2, FALSE, fixture_share (3, 24, "columns"), 1, counts, FALSE);
  for (guint c = LS_CLASS_DERIVED; c <= LS_CLASS_WITNESS; c++)
    g_assert_cmpuint (counts[c].found, ==, counts[c].n);
}

static int
hunt_columns (guint n, gboolean resealed)
{
  Count counts[4] = { { 0, 0 } };
  change_columns (n, resealed, 1, 0, counts, TRUE);
  for (guint c = LS_CLASS_DERIVED; c <= LS_CLASS_WITNESS; c++)
    g_print ("%s: %u of %u changes found\n", class_names[c], counts[c].found, counts[c].n);
  return 0;
}

/* Changes of the kinds that people make with a purpose. Changes in columns that are only sealed are found as long as nobody seals the
 * file again. */
static void
falsified (void)
{
  static const struct { const char *sql; gboolean witness; } lies[] = {
    { "DELETE FROM steps WHERE pass = (SELECT max(pass) FROM steps) AND step = (SELECT max(step) FROM steps WHERE pass = (SELECT "
      "max(pass) FROM steps))" },
    /* the last link dropped */
    { "UPDATE links SET data = substr(data, 1, length(data) - 16) "
      "WHERE pass = (SELECT pass FROM links ORDER BY length(data) DESC LIMIT 1)" },
    /* two changed places */
    { "UPDATE links SET data = CAST(substr(data, 17, 16) || substr(data, 1, 16) || substr(data, 33) AS BLOB) WHERE pass = (SELECT pass "
      "FROM links ORDER BY length(data) DESC LIMIT 1)" },
    { "UPDATE steps SET rule = rule + 1" }, { "UPDATE kernels SET source = replace(source, '+', '-')" },
    { "UPDATE kernels SET source = source || ' '" },
    { "UPDATE meta SET value = 0 WHERE key = 'complete'" }, { "DELETE FROM decisions WHERE id = (SELECT max(id) FROM decisions)" },
    { "UPDATE buffers SET digest = 'ab'" },
    { "UPDATE buffers SET data = zeroblob(length(data)) WHERE data IS NOT NULL" }, { "UPDATE expressions SET why = 'used once'" },
    { "UPDATE arguments SET buffer = 0 WHERE position = 0" },
    { "UPDATE kernels SET compiler = 'gcc 99'" }, { "UPDATE kernels SET flags = '-O3 -mlie'" },
    { "UPDATE kernels SET compiler_version = '99'" }, { "UPDATE kernels SET run_error = 'kernel crashed (SIGSEGV)'" },
    { "UPDATE kernels SET facts = NULL WHERE number = 1" }, { "UPDATE kernel_options SET why = 'because'" },
    { "UPDATE kernel_options SET chosen_by = 'heuristic'" },
    { "UPDATE kernel_options SET refusal = 'it is too large' WHERE position = 0" }, { "DELETE FROM kernel_options" },
    { "UPDATE settings SET text = 'NOOPT=1' WHERE text LIKE 'NOOPT=%'" },
    { "UPDATE settings SET text = 'TIMEOUT_MS=1' WHERE text LIKE 'TIMEOUT_MS=%'" }, { "DELETE FROM settings" },
    { "UPDATE outputs SET buffer = 0" }, { "UPDATE outputs SET line = 1" },
    { "UPDATE stage_times SET stage = 'lower' WHERE stage = 'simplify'" }, { "DELETE FROM stage_times" },
    { "UPDATE files SET text = text || '# so' WHERE library = 1" },
    { "UPDATE node_calls SET call = 0", TRUE }, { "DELETE FROM outputs" }, { "DELETE FROM bindings" },
    { "DELETE FROM bindings WHERE id = (SELECT max(id) FROM bindings)" },
    { "DELETE FROM node_calls WHERE id = (SELECT max(id) FROM node_calls)" },
    { "DELETE FROM kernel_options WHERE refusal IS NOT NULL" }, { "DELETE FROM calls WHERE id = (SELECT max(id) FROM calls)" },
    { "UPDATE meta SET value = NULL WHERE key = 'row_counts'" }, { "DELETE FROM meta WHERE key = 'row_counts'" },
    { "UPDATE meta SET value = 'Cray-1' WHERE key = 'machine'", TRUE },
    { "UPDATE calls SET args = '1, 2'", TRUE }, { "UPDATE timings SET ns = 1", TRUE }, { "DELETE FROM timings" },
    { "UPDATE meta SET value = '42' WHERE key = 'std_out'", TRUE },
    { "INSERT INTO meta VALUES ('more', 'x')", TRUE }, { "UPDATE seals SET rows = rows + 1", TRUE }, { "DELETE FROM seals", TRUE },
    { "UPDATE sealed_tables SET name = 'others' WHERE name = 'calls'", TRUE },
  };
  g_autofree char *path = g_strdup_printf ("%s/falsified-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *from = make_recording (1);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    sqlite3 *db = open_copy (from, path);
    g_assert_cmpint (sqlite3_exec (db, lies[i].sql, NULL, NULL, NULL), ==, SQLITE_OK);
    if (sqlite3_changes (db) == 0)
      g_test_fail_printf ("changes nothing: %s", lies[i].sql);
    sqlite3_close (db);
    if (!is_found (path))
      g_test_fail_printf ("not found: %s", lies[i].sql);
    if (lies[i].witness)
      continue;
    reseal (path);
    if (!is_found (path))
      g_test_fail_printf ("not found when it was sealed again: %s", lies[i].sql);
  }
  g_unlink (from);
  g_unlink (path);
}

/* Contents that only a digest stands for are computed again by the kernels that are recorded. */
static void
contents (void)
{
  static const char *const lies[] = {
    ("UPDATE buffers SET digest = (SELECT digest FROM buffers WHERE digest IS NOT NULL AND data IS NULL ORDER BY id DESC LIMIT 1) "
     "WHERE id = (SELECT id FROM buffers WHERE digest IS NOT NULL AND data IS NULL ORDER BY id LIMIT 1)"),
    "UPDATE buffers SET mean = mean + 1 WHERE data IS NULL AND digest IS NOT NULL",
    "UPDATE buffers SET n_nan = 1 WHERE data IS NULL AND digest IS NOT NULL",
    "UPDATE steps SET after = before WHERE pass = (SELECT max(pass) FROM steps JOIN passes ON passes.id = pass WHERE kernel = 1)",
    "UPDATE kernels SET source = replace(source, '+', '-') WHERE number = 1",
    "UPDATE kernels SET same_as = 1 WHERE number = 3",
  };
  g_autofree char *path = g_strdup_printf ("%s/contents-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *from = make_recording (2);
  g_autoptr (LsTrace) t = ls_trace_load (from, NULL);
  LsVerify *v = ls_trace_verify (t);
  g_assert_cmpint (v->verdict, ==, LS_VERIFY_PROVED);
  g_assert_cmpuint (v->by_digest, >, 0);
  g_assert_cmpuint (v->sealed_only, ==, 0);
  ls_verify_free (v);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    sqlite3 *db = open_copy (from, path);
    g_assert_cmpint (sqlite3_exec (db, lies[i], NULL, NULL, NULL), ==, SQLITE_OK);
    if (sqlite3_changes (db) == 0)
      g_test_fail_printf ("changes nothing: %s", lies[i]);
    sqlite3_close (db);
    reseal (path);
    if (!is_found (path))
      g_test_fail_printf ("not found when it was sealed again: %s", lies[i]);
  }
  g_unlink (from);
  g_unlink (path);
}

/* A file without seals is as files were before there were any; the seal of a killed process's file is that of its last flush. */
static void
seals (void)
{
  g_autofree char *path = g_strdup_printf ("%s/seals-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *from = make_recording (0);
  static const struct { const char *sql; LsSealed sealed; LsVerdict verdict; const char *message; } cases[] = {
    { "SELECT 1", LS_SEALED, LS_VERIFY_PROVED, NULL },
    { "DROP TABLE seals; DROP TABLE sealed_tables", LS_UNSEALED, LS_VERIFY_PROVED, NULL },
    { "UPDATE timings SET ns = ns + 1 WHERE kernel = 2 AND position = 0", LS_SEAL_BROKEN, LS_VERIFY_DIFFERS,
      "table timings: row 0 of kernel 2 was changed after it was sealed" },
    { "UPDATE calls SET args = 'no' WHERE id = 7", LS_SEAL_BROKEN, LS_VERIFY_DIFFERS,
      "table calls: row 7 was changed after it was sealed" },
    { "UPDATE calls SET args = 'no' WHERE id IN (6, 7)", LS_SEAL_BROKEN, LS_VERIFY_DIFFERS, "table calls: " },
    { "DELETE FROM bindings WHERE id = (SELECT max(id) FROM bindings)", LS_SEAL_BROKEN, LS_VERIFY_DIFFERS, "table bindings: row " },
    { "UPDATE seals SET chain = content", LS_SEAL_BROKEN, LS_VERIFY_DIFFERS, "seals: row 1: is not the successor" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    sqlite3 *db = open_copy (from, path);
    g_assert_cmpint (sqlite3_exec (db, cases[i].sql, NULL, NULL, NULL), ==, SQLITE_OK);
    sqlite3_close (db);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) t = ls_trace_load (path, &error);
    g_assert_no_error (error);
    LsVerify *v = ls_trace_verify (t);
    gboolean said = cases[i].message == NULL;
    for (guint k = 0; k < v->messages->len && !said; k++)
      said = strstr (v->messages->pdata[k], cases[i].message) != NULL;
    if (v->sealed != cases[i].sealed || v->verdict != cases[i].verdict || !said)
      g_test_fail_printf ("%s: %s, %s: %s", cases[i].sql, ls_sealed_name (v->sealed), ls_verdict_name (v->verdict),
                          v->messages->len ? (char *) v->messages->pdata[0] : "nothing said");
    ls_verify_free (v);
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
  if (argc >= 3 && strcmp (argv[1], "--columns") == 0)
    return hunt_columns ((guint) atoi (argv[2]), argc == 3);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/edited/cells", edited);
  g_test_add_func ("/trace/edited/asked", asked);
  g_test_add_func ("/trace/edited/verified", verified);
  g_test_add_func ("/trace/edited/unsealed", unsealed);
  g_test_add_func ("/trace/edited/falsified", falsified);
  g_test_add_func ("/trace/edited/contents", contents);
  g_test_add_func ("/trace/edited/seals", seals);
  return g_test_run ();
}
