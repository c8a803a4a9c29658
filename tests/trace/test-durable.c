/* A process that records is killed at 200 random moments of its life. Its file is either not a recording yet, which is reported, or it
 * opens and replays, and its passes are, link by link, the first ones of the recording of a process that was not killed. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../sample.h"
#include "ask/ask.h"

#define N_KILLS  200
#define N_LIVES  5

typedef struct { char *directory, *path, *program; gint64 life; LsTrace *whole; guint n_none, n_cut, n_complete; } Fixture;

static void
sleep_us (gint64 us)
{
  struct timespec t = { us / G_USEC_PER_SEC, us % G_USEC_PER_SEC * 1000 };
  while (nanosleep (&t, &t) != 0)
    ;
}

/* Returns when the child's program has begun. */
static pid_t
begin (const Fixture *f)
{
  const char *cli = g_getenv ("LAZYSCOPE_CLI");
  char *const argv[] = { (char *) cli, (char *) "run", f->program, (char *) "--record", f->path, NULL };
  int ends[2];
  char byte;
  g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
  pid_t pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0) {
    int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
    dup2 (nothing, STDOUT_FILENO);
    execv (cli, argv);
    _exit (127);
  }
  close (ends[1]);
  g_assert_cmpint (read (ends[0], &byte, 1), ==, 0);      /* exec closed the other end */
  close (ends[0]);
  return pid;
}

/* Returns when the child has ended, and with it every process that it began: its worker, which writes the file, may outlive it by the
 * system call that it is in. They are this process's to wait for (see main). */
static int
end (pid_t pid)
{
  int status;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  while (waitpid (-1, NULL, 0) > 0)
    ;
  g_assert_cmpint (errno, ==, ECHILD);
  return status;
}

/* Has the file a single table, after what SQLite takes back? */
static gboolean
has_tables (const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *query = NULL;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT count(*) FROM sqlite_schema", -1, &query, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (query), ==, SQLITE_ROW);
  int n = sqlite3_column_int (query, 0);
  sqlite3_finalize (query);
  sqlite3_close (db);
  return n > 0;
}

/* The passes are the first ones of the whole recording. */
static void
check_passes (const LsTrace *whole, const LsTrace *cut)
{
  g_assert_cmpuint (cut->passes->len, <=, whole->passes->len);
  g_assert_cmpuint (cut->kernels->len, <=, whole->kernels->len);
  g_assert_cmpuint (ls_context_n_nodes (cut->ctx), <=, ls_context_n_nodes (whole->ctx));
  for (guint i = 0; i < cut->passes->len; i++) {
    const LsPass *a = whole->passes->pdata[i], *b = cut->passes->pdata[i];
    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_cmpuint (a->kernel, ==, b->kernel);
    g_assert_cmpuint (a->input, ==, b->input);
    g_assert_cmpuint (a->output, ==, b->output);
    g_assert_cmpuint (a->links->len, ==, b->links->len);
    g_assert_cmpuint (a->steps->len, ==, b->steps->len);
    g_assert_cmpuint (a->map->len, ==, b->map->len);
    for (guint k = 0; k < a->links->len; k++) {
      const LsLink *x = &g_array_index (a->links, LsLink, k), *y = &g_array_index (b->links, LsLink, k);
      g_assert_true (x->before == y->before && x->after == y->after && x->rule == y->rule);
    }
  }
}

static void
check_file (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) t = ls_trace_load (f->path, &error);
  if (t) {
    g_assert_no_error (error);
    LsVerify *verify = ls_trace_verify (t);
    if (verify->messages->len)
      g_error ("%s", (char *) verify->messages->pdata[0]);
    g_assert_cmpint (verify->verdict, ==, t->complete ? LS_VERIFY_PROVED : LS_VERIFY_INCOMPLETE);
    g_assert_cmpint (verify->sealed, ==, LS_SEALED);
    g_assert_cmpuint (verify->passes, ==, t->passes->len);
    ls_verify_free (verify);
    check_passes (f->whole, t);
    if (t->complete)
      g_assert_cmpuint (t->passes->len, ==, f->whole->passes->len);
    f->n_cut += !t->complete;
    f->n_complete += t->complete;
    return;
  }
  g_assert_error (error, LS_ERROR, LS_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, f->path));
  if (g_file_test (f->path, G_FILE_TEST_EXISTS) && has_tables (f->path))
    g_error ("a file with tables is not read: %s", error->message);
  f->n_none++;
}

static void
remove_files (const Fixture *f)
{
  static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *path = g_strconcat (f->path, ends[i], NULL);
    g_unlink (path);
  }
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

/* The lifetime of the process, and its recording without a kill. */
static void
live (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  gint64 lives[N_LIVES];
  for (guint i = 0; i < N_LIVES; i++) {
    remove_files (f);
    pid_t pid = begin (f);
    gint64 start = g_get_monotonic_time ();
    g_assert_cmpint (end (pid), ==, 0);
    lives[i] = g_get_monotonic_time () - start;
  }
  qsort (lives, N_LIVES, sizeof *lives, compare);
  f->life = lives[N_LIVES / 2];
  f->whole = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  g_assert_true (f->whole->complete);
}

/* part: of the life. */
static void
kill_at (Fixture *f, double part)
{
  remove_files (f);
  pid_t pid = begin (f);
  sleep_us ((gint64) (part * (double) f->life));
  kill (pid, SIGKILL);
  int status = end (pid);
  g_assert_true ((WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL) || (WIFEXITED (status) && WEXITSTATUS (status) == 0));
  check_file (f);
}

static void
test_kill (void)
{
  const char *programs = g_getenv ("LAZYSCOPE_PROGRAMS");
  if (!g_getenv ("LAZYSCOPE_CLI") || !programs) {
    g_test_skip ("LAZYSCOPE_CLI and LAZYSCOPE_PROGRAMS say what is run");
    return;
  }
  Fixture f = { .directory = g_dir_make_tmp ("lazyscope-durable-XXXXXX", NULL) };
  f.path = g_build_filename (f.directory, "a.lscope", NULL);
  f.program = g_build_filename (programs, "mlp.py", NULL);
  live (&f);
  /* a moment in each 200th of the life, and a little beyond it */
  for (guint i = 0, share = fixture_sample (12, "moments"); i < N_KILLS; i += share)
    kill_at (&f, (i + g_test_rand_double ()) / N_KILLS * 1.1);
  for (guint i = 0; f.n_cut == 0 && i < N_KILLS; i++)      /* where other processes slow it down, its recording begins later */
    kill_at (&f, 0.5 + i / 20.0);
  g_test_message ("a life of %.1f ms: %u files were not recording yet, %u were cut off, %u complete", (double) f.life / 1e3, f.n_none,
                  f.n_cut, f.n_complete);
  g_assert_cmpuint (f.n_cut, >, 0);
  remove_files (&f);
  g_assert_cmpint (g_rmdir (f.directory), ==, 0);
  ls_trace_unref (f.whole);
  g_free (f.directory);
  g_free (f.path);
  g_free (f.program);
}

/* While a program is recorded its recording is read again and again, and a reader that never lets go holds the state that it found
 * first. The run does not notice; each reader sees whole passes, more and more of them. */
static void
test_readers (void)
{
  if (!g_getenv ("LAZYSCOPE_CLI")) {
    g_test_skip ("LAZYSCOPE_CLI says what is run");
    return;
  }
  Fixture f = { .directory = g_dir_make_tmp ("lazyscope-readers-XXXXXX", NULL) };
  f.path = g_build_filename (f.directory, "a.lscope", NULL);
  f.program = g_build_filename (f.directory, "a.py", NULL);
  guint n = 1000 / fixture_sample (4, "kernels");
  g_autofree char *text = g_strdup_printf ("from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0]).realize()\nfor i in range(%u):\n"
                                           "    x = (x * (1.5 + i) + 1).realize()\n", n);
  g_assert_true (g_file_set_contents (f.program, text, -1, NULL));
  pid_t pid = begin (&f);
  sqlite3 *holds = NULL;
  guint n_read = 0, n_passes = 0;
  int status = 0;
  while (waitpid (pid, &status, WNOHANG) == 0) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) t = g_file_test (f.path, G_FILE_TEST_EXISTS) ? ls_trace_load (f.path, &error) : NULL;
    if (error && n_read)
      g_error ("%s", error->message);
    if (!t || t->passes->len == 0)
      continue;
    n_read++;
    g_assert_cmpuint (t->passes->len, >=, n_passes);
    n_passes = t->passes->len;
    LsVerify *v = ls_trace_verify (t);
    if (v->verdict == LS_VERIFY_DIFFERS)
      g_error ("%s", (char *) v->messages->pdata[0]);
    ls_verify_free (v);
    if (!holds) {
      g_assert_cmpint (sqlite3_open_v2 (f.path, &holds, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
      sqlite3_exec (holds, "BEGIN; SELECT count(*) FROM nodes", NULL, NULL, NULL);
    }
  }
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpuint (n_read, >, 1);
  sqlite3_close (holds);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) whole = ls_trace_load (f.path, &error);
  g_assert_no_error (error);
  g_assert_true (whole->complete);
  g_assert_cmpuint (whole->kernels->len, ==, n);
  LsVerify *v = ls_trace_verify (whole);
  g_assert_cmpint (v->verdict, ==, LS_VERIFY_PROVED);
  ls_verify_free (v);
  remove_files (&f);
  g_unlink (f.program);
  g_assert_cmpint (g_rmdir (f.directory), ==, 0);
  g_free (f.directory);
  g_free (f.path);
  g_free (f.program);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_test_add_func ("/durable/kill", test_kill);
  g_test_add_func ("/durable/readers", test_readers);
  return g_test_run ();
}
