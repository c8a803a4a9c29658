/* os.fork: a child computes with buffers and a runner of its own, and records nothing.
 *
 * Buffers are in memory that processes share. The child copies it before it continues, and the parent waits for that at the end of a
 * pipe: the parent's later writes are not visible to the child.
 */
#include "python-private.h"

#include <errno.h>
#include <glib-unix.h>
#include <unistd.h>

static int copied[2] = { -1, -1 };      /* closed by the child when it has its copy */

static void
close_end (int end)
{
  if (copied[end] >= 0)
    close (copied[end]);
  copied[end] = -1;
}

PyObject *
ls_module_fork_begins (PyObject *self, PyObject *unused)
{
  if (ls_run && !g_unix_open_pipe (copied, FD_CLOEXEC, NULL))
    copied[0] = copied[1] = -1;
  Py_RETURN_NONE;
}

PyObject *
ls_module_fork_parent (PyObject *self, PyObject *unused)
{
  char nothing;
  close_end (1);
  while (copied[0] >= 0 && read (copied[0], &nothing, 1) < 0 && errno == EINTR)
    ;
  close_end (0);
  Py_RETURN_NONE;
}

/* The child's own output has no other place if the run collects its output. */
static void
print_at_once (LsSession *s, const char *text, gsize n, gpointer data)
{
  fwrite (text, 1, n, stderr);
}

PyObject *
ls_module_fork_child (PyObject *self, PyObject *unused)
{
  g_autoptr (GError) error = NULL;
  if (ls_run) {
    ls_run->forked = TRUE;
    ls_run->record = NULL;
    if (!ls_run->session->on_print)
      ls_run->session->on_print = print_at_once;
    if (copied[0] < 0)
      g_set_error (&error, LS_ERROR, LS_ERROR_RUN, "cannot make a pipe to wait for the child's copy of the buffers");
    if (error || !ls_session_forked (ls_run->session, &error)) {
      fprintf (stderr, "lazyscope: error: fork: %s\n", error->message);
      fflush (NULL);
      _exit (1);
    }
    ls_watch_forked ();
  }
  close_end (0);
  close_end (1);
  Py_RETURN_NONE;
}
