/* Runs in files: saved together and opened again, and kept of a window that did not come to its end. */
#include "fixture.h"
#include "kit/disk.h"
#include "kit/notices.h"
#include "measure/compare.h"
#include "session/crash-recovery.h"
#include "session/runs-file.h"
#include "window/window-private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TEXT "from tinygrad import Tensor\na = Tensor.arange(64).reshape(8, 8).float().realize()\nb = (a @ a).realize()\nprint(b[0, " \
             "0].item())\n"

static LsWindow *
open_program (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, TEXT, -1, NULL));
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_window (window);
  return window;
}

static void
run_with (LsWindow *window, const char *settings)
{
  ls_window_run_with (window, &(LsRunOptions) { .settings = (char *) settings });
  g_assert_true (wait_until (is_idle, window));
}

static LsMeasuredRuns *
new_measured (const guint *runs, guint n)
{
  g_autoptr (LsReading) answer = ls_reading_new (&ls_compare_answer, "{\"variants\":[{\"verdict\":\"first\",\"median_ns\":1000,"
                                                  "\"low_ns\":990,\"high_ns\":1010,\"samples\":[1000,\"no\",[]]},"
                                                  "{\"verdict\":\"slower\",\"ratio\":2,\"ratio_low\":1.9,\"ratio_high\":2.1,"
                                                  "\"median_ns\":2000,\"samples\":[2000]}]}", -1, NULL);
  return ls_measured_runs_new (2, runs, n, answer);
}

static void
assert_runs (LsWindow *window, const char *const *names)
{
  LsRuns *runs = window->runs;
  g_assert_cmpuint (ls_runs_n (runs), ==, g_strv_length ((char **) names));
  for (guint i = 0; names[i]; i++) {
    g_autofree char *name = ls_runs_name (runs, i);
    g_assert_cmpstr (name, ==, names[i]);
  }
}

static void
wait_idle (LsWindow *window)
{
  settle ();
  g_assert_true (wait_until (is_idle, window));
}

static gboolean
is_second (gpointer window)
{
  const LsCompared *c = ls_compare_view_get (LS_WINDOW (window)->compare);
  return c && c->kernels[0] == 2;
}

/* --- saved together --- */

static void
test_saved (void)
{
  static const char *const names[] = { "1: as it is", "2: NOOPT=1", NULL };
  LsWindow *window = open_program ("together.py");
  run_with (window, "NOOPT=1");
  ls_runs_take_measured (window->runs, new_measured ((const guint[]) { 1, 2 }, 2));
  g_autofree char *path = g_build_filename (folder, "together.runs", NULL), *second = g_build_filename (folder, "together-2.lscope", NULL);
  ls_window_save_runs (window, path);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpstr (ls_notices_get_said (window->notices), ==, "Runs saved");
  close_window (window);

  window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_idle (window);
  g_assert_cmpstr (ls_window_get_page (window), ==, "compare");
  assert_runs (window, names);
  g_assert_cmpuint (ls_runs_current_index (window->runs), ==, 1);
  ls_compare_view_open_kernel (window->compare, 2);
  g_assert_true (wait_until (is_second, window));
  const LsCompared *c = ls_compare_view_get (window->compare);
  g_assert_cmpuint (c->kernels[0], ==, 2);
  g_assert_cmpfloat (c->times[1].median, ==, 2000);      /* valid measurements are there, and invalid ones are not */
  g_assert_cmpuint (c->times[0].samples->len, ==, 1);
  g_assert_cmpint (c->times[1].verdict, ==, -1);
  ls_window_run_program (window);      /* a file may be anybody's: its program is not run unasked */
  g_assert_null (window->running);
  g_assert_nonnull (window->run_question);
  gtk_window_destroy (GTK_WINDOW (window->run_question));
  close_window (window);

  g_assert_cmpint (remove (second), ==, 0);      /* what of it is left is opened */
  window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_idle (window);
  assert_runs (window, (const char *const[]) { "1: as it is", NULL });
  g_assert_nonnull (strstr (ls_notices_get_said (window->notices), "together-2.lscope"));
  close_window (window);
}

/* Files that are not such files, or have wrong contents. */
static void
test_wrong (void)
{
  static const struct { const char *text, *said; } wrong[] = {
    { "", "has no runs" }, { "[runs]\nversion=7\n", "another version" }, { "[runs]\nversion=1\n", "it has no runs" },
    { "[runs]\nversion=1\nshown=9\n[run 1]\nrecording=nowhere.lscope\n[measured x]\nkernel=-1\nruns=1;99\nanswer={\n", "nowhere.lscope" },
    { "[runs]\nversion=1\n[run 1]\n", "recording" },
  };
  g_autofree char *path = g_build_filename (folder, "wrong.runs", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_assert_true (g_file_set_contents (path, wrong[i].text, -1, NULL));
    LsWindow *window = open_start (1280, 800);
    ls_window_open (window, path);
    wait_idle (window);
    g_assert_cmpstr (ls_window_get_page (window), ==, "failed");
    g_assert_nonnull (strstr (adw_status_page_get_description (window->failed), wrong[i].said));
    close_window (window);
  }
}

/* --- kept --- */

static gboolean
is_noted (gpointer data)
{
  LsWindow *window = data;
  return !window->noting;
}

/* The window ends as one does whose process is killed: without being asked. */
static void
end_badly (LsWindow *window)
{
  g_assert_true (wait_until (is_noted, window));
  ls_disk_finish ();
  ls_recovery_leave (g_steal_pointer (&window->recovery));
  for (guint i = 0; i < ls_runs_n (window->runs); i++)
    g_clear_pointer (&ls_runs_get (window->runs, i)->folder, g_free);
  ls_program_view_set_modified (window->program, FALSE);
  close_window (window);
}

static guint
n_recoverable (void)
{
  g_autoptr (GPtrArray) found = ls_recovery_find ();
  return found->len;
}

static void
test_recovered (void)
{
  LsWindow *window = open_program ("kept.py");
  run_with (window, "NOOPT=1");
  g_assert_cmpuint (n_recoverable (), ==, 0);      /* an open window's are its own */
  ls_program_view_set_text (window->program, "typed = 1\n");
  ls_program_view_set_modified (window->program, TRUE);
  end_badly (window);
  g_assert_cmpuint (n_recoverable (), ==, 1);

  window = open_start (1280, 800);
  GtkWidget *list = find_widget (GTK_WIDGET (window), "rescued"), *row = gtk_widget_get_first_child (list);
  g_assert_true (gtk_widget_get_mapped (list));
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "kept.py");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==, "2 runs");
  input_click (row);
  wait_idle (window);
  assert_runs (window, (const char *const[]) { "1: as it is", "2: NOOPT=1", NULL });
  g_autofree char *typed = ls_program_view_dup_text (window->program);
  g_assert_cmpstr (typed, ==, "typed = 1\n");
  g_assert_true (ls_program_view_get_modified (window->program));
  g_assert_false (window->is_recording);      /* it is the program that was run here */
  g_assert_cmpuint (n_recoverable (), ==, 0);
  ls_program_view_set_text (window->program, TEXT);
  run_with (window, "SPEC=1");      /* and on it goes */
  end_badly (window);
  g_assert_cmpuint (n_recoverable (), ==, 1);

  window = open_start (1280, 800);
  row = gtk_widget_get_first_child (find_widget (GTK_WIDGET (window), "rescued"));
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==, "3 runs");
  g_autoptr (GPtrArray) found = ls_recovery_find ();
  input_click (find_widget (row, "discard"));
  settle ();
  g_assert_null (gtk_widget_get_first_child (find_widget (GTK_WIDGET (window), "rescued")));
  g_assert_cmpuint (n_recoverable (), ==, 0);
  g_assert_false (g_file_test (((LsRecoverable *) found->pdata[0])->folder, G_FILE_TEST_EXISTS));
  close_window (window);
}

/* A window that is closed leaves nothing; nor does one that only opened something. */
static void
test_closed (void)
{
  LsWindow *window = open_program ("closed.py");
  g_assert_true (wait_until (is_noted, window));
  ls_disk_finish ();
  g_autofree char *path = ls_recovery_path (window->recovery);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  close_window (window);
  ls_disk_finish ();
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (n_recoverable (), ==, 0);
}

static gboolean
is_kept (gpointer data)
{
  g_autofree char *pattern = g_build_filename (g_get_user_state_dir (), "lazyscope", "kept", NULL);
  g_autoptr (GDir) dir = g_dir_open (pattern, 0, NULL);
  const char *name;
  gboolean found = FALSE;
  while (dir && !found && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (pattern, name, "kept.runs", NULL);
    found = g_file_test (path, G_FILE_TEST_EXISTS);
  }
  return found;
}

/* A whole process that is killed. */
static void
test_killed (void)
{
  g_autofree char *path = g_build_filename (folder, "killed.py", NULL);
  g_assert_true (g_file_set_contents (path, TEXT, -1, NULL));
  const char *argv[] = { g_getenv ("LAZYSCOPE_VIEWER"), path, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;
  g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &pid,
                                &error));
  g_assert_no_error (error);
  g_assert_true (wait_until (is_kept, NULL));
  g_assert_cmpuint (n_recoverable (), ==, 0);      /* it is alive */
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
  g_autoptr (GPtrArray) found = ls_recovery_find ();
  g_assert_cmpuint (found->len, ==, 1);
  const LsRecoverable *r = found->pdata[0];
  g_assert_cmpstr (r->program, ==, "killed.py");
  g_assert_cmpuint (r->n_runs, ==, 1);
  LsWindow *window = open_start (1280, 800);
  ls_window_open_recovered (window, r->folder);
  wait_idle (window);
  assert_runs (window, (const char *const[]) { "1: as it is", NULL });
  ls_window_open_recovered (window, r->folder);      /* it is taken */
  settle ();
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/kept/saved", test_saved);
  g_test_add_func ("/kept/wrong", test_wrong);
  g_test_add_func ("/kept/rescued", test_recovered);
  g_test_add_func ("/kept/closed", test_closed);
  g_test_add_func ("/kept/killed", test_killed);
  return fixture_end ();
}
