/* Files for the soak. Sound recordings come from the real command line; broken ones are cut from them, or have bytes or table cells
 * replaced: the first two must be refused or be read as far as they go, the last opens and then must be distrusted by every pane. */
#include "soak-files.h"

#include <glib/gstdio.h>
#include <sqlite3.h>

static char *folder;
static GPtrArray *recordings, *programs, *nonsense, *broken;

static const struct { const char *name, *text; } texts[] = {
  { "error.py", "from tinygrad import Tensor\na = Tensor([1, 2, 3])\nb = Tensor([[1, 2], [3, 4]])\nprint((a + b).tolist())\n" },
  { "syntax.py", "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]\n" },
  { "long.py", "from tinygrad import Tensor\nfor i in range(20000):\n  print((Tensor([1, 2, 3]) * (i + 3) + 2).tolist())\n" },
  { "talks.py", "for i in range(30000):\n  print('a line that is printed again and again', i)\n" },
  { "nothing.py", "" },
  { "chain.py", "from tinygrad import Tensor\na = Tensor([1, 2, 3, 4])\nb = Tensor([4, 3, 2, 1])\nfor i in range(400):\n  a = a * (i % 7 "
                "+ 2) + b\nprint(a.sum().item())\n" },
  { "lazy.py", "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0], [3.0, 4.0]])\nfor i in range(12):\n  x = (x * i + 2).softmax()\ny = "
               "x @ x\n" },
  { "plus.py", "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + 2).tolist())\n" },
};

static const char *const examples[] = { "add_ints.py", "softmax.py", "matmul.py", "mlp.py", "views.py", "cast.py" };

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static gboolean
record (const char *program, const char *recording, const char *rules)
{
  g_autofree char *path = in_folder (recording);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--compiler", "interp", "--record", path, rules ? "--rules" : NULL,
                         rules, "--set", "STEP_LIMIT=300", NULL };
  g_autofree char *out = NULL, *err = NULL;
  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, NULL, NULL) ||
      !g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  g_ptr_array_add (recordings, g_steal_pointer (&path));
  return TRUE;
}

gboolean
soak_files_make (const char *where)
{
  folder = g_strdup (where);
  recordings = g_ptr_array_new_with_free_func (g_free);
  programs = g_ptr_array_new_with_free_func (g_free);
  nonsense = g_ptr_array_new_with_free_func (g_free);
  broken = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (examples); i++) {      /* copies, since the soak saves what it edits */
    g_autofree char *from = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), examples[i], NULL), *text = NULL;
    g_autofree char *name = g_strdup_printf ("%.*s.lscope", (int) strlen (examples[i]) - 3, examples[i]);
    char *path = in_folder (examples[i]);
    gsize size;
    if (!g_file_get_contents (from, &text, &size, NULL) || !g_file_set_contents (path, text, (gssize) size, NULL) ||
        !record (path, name, NULL))
      return FALSE;
    g_ptr_array_add (programs, path);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    char *path = in_folder (texts[i].name);
    if (!g_file_set_contents (path, texts[i].text, -1, NULL))
      return FALSE;
    g_ptr_array_add (programs, path);
  }
  g_autofree char *rules = in_folder ("endless.rules"), *plus = in_folder ("plus.py"), *chain = in_folder ("chain.py"),
                  *lazy = in_folder ("lazy.py"), *error = in_folder ("error.py");
  if (!g_file_set_contents (rules, "set symbolic\n# Counts.\nup: x:sint + $a -> x + ($a + 1)\n", -1, NULL))
    return FALSE;
  if (!record (plus, "stopped.lscope", rules) || !record (chain, "chain.lscope", NULL) || !record (lazy, "lazy.lscope", NULL) ||
      !record (error, "error.lscope", NULL))
    return FALSE;
  const char *names[] = { "nothing.lscope", "noise.lscope", "noise.py" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    char *path = in_folder (names[i]);
    g_file_set_contents (path, i == 0 ? "" : "\x00\xff no recording and no program \xfe\x01", i == 0 ? 0 : 32, NULL);
    g_ptr_array_add (nonsense, path);
  }
  g_ptr_array_add (nonsense, in_folder ("missing.lscope"));
  g_ptr_array_add (nonsense, in_folder ("missing.py"));
  g_ptr_array_add (nonsense, g_strdup (folder));
  for (guint i = 0; i < 8; i++) {
    g_autofree char *name = g_strdup_printf ("broken%u.lscope", i);
    g_ptr_array_add (broken, in_folder (name));
  }
  return TRUE;
}

static const char *
any_of (GPtrArray *paths, GRand *rand)
{
  return paths->pdata[g_rand_int_range (rand, 0, (gint32) paths->len)];
}

const char *soak_files_sound (GRand *rand) { return any_of (recordings, rand); }
const char *soak_files_program (GRand *rand) { return any_of (programs, rand); }
const char *soak_files_nonsense (GRand *rand) { return any_of (nonsense, rand); }

/* --- broken ones --- */

static void
bind_odd_value (sqlite3_stmt *statement, GRand *rand)
{
  char noise[24];
  switch (g_rand_int_range (rand, 0, 7)) {
    case 0: sqlite3_bind_null (statement, 1); break;
    case 1: sqlite3_bind_int64 (statement, 1, -1); break;
    case 2: sqlite3_bind_int64 (statement, 1, G_MAXINT32); break;
    case 3: sqlite3_bind_int64 (statement, 1, G_MAXINT64 - 7); break;
    case 4: sqlite3_bind_double (statement, 1, -1e300); break;
    case 5: sqlite3_bind_int64 (statement, 1, g_rand_int_range (rand, 0, 400)); break;
    default:
      for (gsize i = 0; i < sizeof noise; i++)
        noise[i] = (char) g_rand_int_range (rand, 0, 256);
      sqlite3_bind_text (statement, 1, noise, g_rand_int_range (rand, 0, sizeof noise), SQLITE_TRANSIENT);
  }
}

static GPtrArray *
column_of (sqlite3 *db, const char *question, int column)
{
  GPtrArray *values = g_ptr_array_new_with_free_func (g_free);
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, question, -1, &statement, NULL) == SQLITE_OK)
    while (sqlite3_step (statement) == SQLITE_ROW)
      g_ptr_array_add (values, g_strdup ((const char *) sqlite3_column_text (statement, column)));
  sqlite3_finalize (statement);
  return values;
}

static void
replace_cells (const char *path, GRand *rand)
{
  sqlite3 *db = NULL;
  if (sqlite3_open (path, &db) == SQLITE_OK) {
    g_autoptr (GPtrArray) tables = column_of (db, "SELECT name FROM sqlite_master WHERE type = 'table'", 0);
    int n = tables->len ? g_rand_int_range (rand, 1, 12) : 0;
    sqlite3_exec (db, "BEGIN", NULL, NULL, NULL);
    while (n-- > 0) {
      const char *table = any_of (tables, rand);
      g_autofree char *ask = g_strdup_printf ("PRAGMA table_info(\"%s\")", table);
      g_autoptr (GPtrArray) columns = column_of (db, ask, 1);
      if (columns->len == 0)
        continue;
      g_autofree char *change = g_strdup_printf ("UPDATE \"%s\" SET \"%s\" = ? WHERE rowid = (SELECT rowid FROM \"%s\" ORDER BY RANDOM() "
                                                 "LIMIT 1)", table, any_of (columns, rand), table);
      sqlite3_stmt *statement = NULL;
      if (sqlite3_prepare_v2 (db, change, -1, &statement, NULL) == SQLITE_OK) {
        bind_odd_value (statement, rand);
        sqlite3_step (statement);
      }
      sqlite3_finalize (statement);
    }
    sqlite3_exec (db, "COMMIT", NULL, NULL, NULL);
  }
  sqlite3_close (db);
}

const char *
soak_files_broken (GRand *rand)
{
  static guint next;
  const char *path = broken->pdata[next++ % broken->len];
  g_autofree char *bytes = NULL;
  gsize size;
  if (!g_file_get_contents (soak_files_sound (rand), &bytes, &size, NULL) || size < 4096)
    return path;
  int how = g_rand_int_range (rand, 0, 4);
  if (how == 0)
    size = (gsize) g_rand_int_range (rand, 0, (gint32) size);
  else if (how == 1)
    for (int n = g_rand_int_range (rand, 1, 40); n > 0; n--)
      bytes[g_rand_int_range (rand, 0, (gint32) size)] ^= (char) g_rand_int_range (rand, 1, 256);
  g_file_set_contents (path, bytes, (gssize) size, NULL);
  if (how >= 2)
    replace_cells (path, rand);
  return path;
}
