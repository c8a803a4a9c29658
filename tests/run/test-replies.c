/* A reply is taken for the answer only if it is one to the request of this process that was made last. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launches.h"

static gboolean
launch (LsRunner *runner, LsBuffer *buffer, GError **error)
{
  return launch_source (runner, "tcc", "void f (int *out) { out[0]++; }\n", 0, buffer, error);
}

/* wrong-runner.c is wrong in the way that its name says. */
static void
test_replies (void)
{
  static const struct { const char *how; gboolean first, second; } cases[] = {
    { "right", TRUE, TRUE }, { "pid", FALSE, FALSE }, { "sequence", FALSE, FALSE }, { "twice", TRUE, FALSE },
  };
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strconcat ("runner-", cases[i].how, NULL), *path = g_build_filename (folder, name, NULL);
    g_assert_cmpint (symlink (g_getenv ("LS_WRONG_RUNNER"), path), ==, 0);
    g_setenv ("LAZYSCOPE_RUNNER", path, TRUE);
    g_autoptr (LsRunner) runner = ls_runner_new ();
    LsBuffer *buffer = new_buffer (runner, LS_INT32, 1);
    const gboolean expected[] = { cases[i].first, cases[i].second };
    for (gsize k = 0; k < G_N_ELEMENTS (expected); k++) {
      g_autoptr (GError) error = NULL;
      g_assert_cmpint (launch (runner, buffer, &error), ==, expected[k]);
      if (expected[k])
        continue;
      g_assert_error (error, LS_ERROR, LS_ERROR_COMPILE);
      g_test_message ("%s: %s", cases[i].how, error->message);
      g_assert_nonnull (strstr (error->message, "kernel f, was sent the reply to request "));
    }
    g_unlink (path);
  }
  g_unsetenv ("LAZYSCOPE_RUNNER");
  g_rmdir (folder);
}

/* In a fork's child, which exits with the number of the first thing that is wrong. */
static int
launch_in_child (LsRunner *runner, LsBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  if (launch (runner, buffer, &error))
    return 1;
  if (!strstr (error->message, "was forked from process"))
    return 2;
  g_clear_error (&error);
  if (!ls_runner_forked (runner, &error))
    return 3;
  if (!launch (runner, buffer, &error) || *(int *) buffer->data != 2)
    return 4;
  ls_runner_free (runner);
  return 0;
}

/* Neither a child's launch nor its end touches what is the parent's. */
static void
test_fork (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *buffer = new_buffer (runner, LS_INT32, 1);
  g_assert_true (launch (runner, buffer, &error));
  for (int with_copy = 0; with_copy < 2; with_copy++) {
    pid_t pid = fork ();
    if (pid == 0) {
      if (!with_copy)
        ls_runner_free (runner);
      _exit (with_copy ? launch_in_child (runner, buffer) : 0);
    }
    int status = 0;
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    g_assert_cmpint (*(int *) buffer->data, ==, 1);
  }
  g_assert_true (launch (runner, buffer, &error));
  g_assert_no_error (error);
  g_assert_cmpint (*(int *) buffer->data, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/replies/wrong", test_replies);
  g_test_add_func ("/replies/fork", test_fork);
  return g_test_run ();
}
