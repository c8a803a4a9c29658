/* Programs run in lazyscope-cli, never here: whatever a kernel does, the window stays.
 *
 * The text goes to a file of its own name in a private folder, so that unsaved changes run too and messages name the program as the
 * title does. The recording is next to it and is read in a thread: while the process runs, up to its last finished pass at intervals;
 * when it has ended, completely. The folder goes with the result, since questions about the recording need its file.
 */
#include "kit/disk.h"
#include "ir/sentence.h"
#include "run-program.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <errno.h>
#include <string.h>

#define POLL_MS 400
#define POLL_MAX_BYTES (16 << 20)      /* larger recordings are read once, at the end */

typedef struct {
  GSubprocess  *process;
  GCancellable *cancellable;
  gulong        cancel_handler;
  char         *name, *program;   /* of the file; its text */
  char         *own_folder;       /* the program's, or NULL */
  char         *among;            /* where its folder is made, or NULL */
  char        **options;          /* more words of the command line */
  char         *folder, *recording;
  GString      *text[2];          /* stdout, stderr */
  int           open;             /* streams and processes that have not ended */
  LsRunProgress progress;
  gpointer      progress_data;
  guint         poll;
  gboolean      polling;
  goffset       polled_size;
} Run;

typedef struct { GTask *task; int which; GInputStream *stream; } Reader;

void
ls_run_result_free (LsRunResult *r)
{
  if (!r)
    return;
  g_clear_pointer (&r->trace, ls_trace_unref);
  g_free (r->std_out);
  g_free (r->std_err);
  g_free (r->load_error);
  ls_run_folder_remove (r->folder);
  g_free (r);
}

char *
ls_executable_dir (void)
{
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);
  return path ? g_path_get_dirname (path) : g_strdup (".");
}

/* $LAZYSCOPE_CLI, next to this executable, in the folders it is installed to, in PATH. */
static char *
look_for_cli (void)
{
  const char *env = g_getenv ("LAZYSCOPE_CLI");
  if (env && *env)
    return g_strdup (env);
  g_autofree char *here = ls_executable_dir ();
  const char *folders[] = { here, LS_LIBEXECDIR, LS_BINDIR };
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (folders[i], "lazyscope-cli", NULL);
    if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
      return g_steal_pointer (&path);
  }
  /* an executable of the build tree that is not the viewer itself, as tests are */
  for (int up = 0; up < 3; up++) {
    g_autofree char *parent = g_path_get_dirname (here);
    g_free (here);
    here = g_steal_pointer (&parent);
    g_autofree char *path = g_build_filename (here, "app", "lazyscope-cli", NULL);
    if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
      return g_steal_pointer (&path);
  }
  return g_find_program_in_path ("lazyscope-cli");
}

char *
ls_find_cli (GError **error)
{
  g_autofree char *found = look_for_cli ();
  if (found)
    return strchr (found, '/') ? g_canonicalize_filename (found, NULL) : g_steal_pointer (&found);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("lazyscope-cli was not found: set LAZYSCOPE_CLI to its path"));
  return NULL;
}

static gboolean
remove_folder (gpointer folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  return dir != NULL;
}

void
ls_run_folder_remove (char *folder)
{
  if (folder)
    ls_disk_do (remove_folder, folder, g_free, NULL, NULL, NULL);
}

static void
run_free (gpointer data)
{
  Run *run = data;
  g_clear_handle_id (&run->poll, g_source_remove);
  if (run->cancel_handler)
    g_signal_handler_disconnect (run->cancellable, run->cancel_handler);
  g_clear_object (&run->process);
  g_clear_object (&run->cancellable);
  ls_run_folder_remove (run->folder);
  g_free (run->name);
  g_free (run->own_folder);
  g_free (run->among);
  g_strfreev (run->options);
  g_free (run->program);
  g_free (run->recording);
  g_string_free (run->text[0], TRUE);
  g_string_free (run->text[1], TRUE);
  g_free (run);
}

/* --- reading recordings --- */

static void
load_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  LsTrace *trace = ls_trace_load (data, &error);
  if (trace) {
    trace->frees_aside = TRUE;
    g_task_return_pointer (task, trace, (GDestroyNotify) ls_trace_unref);
  } else
    g_task_return_error (task, error ? error : g_error_new (LS_ERROR, LS_ERROR_FILE, "%s", _("The recording cannot be read")));
}

void
ls_load_trace_async (const char *path, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_in_thread);
}

LsTrace *
ls_load_trace_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- the run --- */

static void
finish (GTask *task, LsTrace *trace, char *load_error)
{
  Run *run = g_task_get_task_data (task);
  LsRunResult *r = g_new0 (LsRunResult, 1);
  r->trace = trace;
  r->load_error = load_error;
  r->std_out = g_utf8_make_valid (run->text[0]->str, (gssize) run->text[0]->len);
  r->std_err = g_utf8_make_valid (run->text[1]->str, (gssize) run->text[1]->len);
  r->status = run->process && g_subprocess_get_if_exited (run->process) ? g_subprocess_get_exit_status (run->process) : -1;
  r->cancelled = g_cancellable_is_cancelled (run->cancellable);
  r->folder = trace ? g_steal_pointer (&run->folder) : NULL;
  g_task_return_pointer (task, r, (GDestroyNotify) ls_run_result_free);
  g_object_unref (task);
}

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  LsTrace *trace = ls_load_trace_finish (result, &error);
  finish (data, trace, error ? ls_sentence_shown (error->message) : NULL);
}

static void
one_ended (GTask *task)
{
  Run *run = g_task_get_task_data (task);
  if (--run->open > 0)
    return;
  g_clear_handle_id (&run->poll, g_source_remove);
  if (g_file_test (run->recording, G_FILE_TEST_EXISTS))
    ls_load_trace_async (run->recording, on_loaded, task);
  else
    finish (task, NULL, NULL);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  Reader *reader = data;
  Run *run = g_task_get_task_data (reader->task);
  g_autoptr (GBytes) bytes = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, NULL);
  gsize size = bytes ? g_bytes_get_size (bytes) : 0;
  if (size == 0) {
    GTask *task = reader->task;
    g_object_unref (reader->stream);
    g_free (reader);
    one_ended (task);
    return;
  }
  GString *text = run->text[reader->which];
  if (text->len < 8 << 20)      /* a program that prints without end does not fill the memory */
    g_string_append_len (text, g_bytes_get_data (bytes, NULL), (gssize) size);
  if (reader->which == 0 && run->progress) {
    g_autofree char *valid = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) size);
    run->progress (valid, NULL, run->progress_data);
  }
  g_input_stream_read_bytes_async (reader->stream, 16384, G_PRIORITY_DEFAULT, NULL, on_read, reader);
}

static void
read_stream (GTask *task, int which, GInputStream *stream)
{
  Reader *reader = g_new (Reader, 1);
  *reader = (Reader) { task, which, g_object_ref (stream) };
  g_input_stream_read_bytes_async (stream, 16384, G_PRIORITY_DEFAULT, NULL, on_read, reader);
}

static void
on_exited (GObject *source, GAsyncResult *result, gpointer data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  one_ended (data);
}

static void
on_cancelled (GCancellable *cancellable, Run *run)
{
  g_subprocess_force_exit (run->process);
}

static void
on_polled (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Run *run = g_task_get_task_data (task);
  g_autoptr (LsTrace) trace = ls_load_trace_finish (result, NULL);
  run->polling = FALSE;
  if (trace && run->poll && run->progress)
    run->progress (NULL, trace, run->progress_data);
}

static gboolean
on_poll (gpointer data)
{
  GTask *task = data;
  Run *run = g_task_get_task_data (task);
  GStatBuf info, log_info = { 0 };
  g_autofree char *log = g_strconcat (run->recording, "-wal", NULL);
  if (run->polling || g_stat (run->recording, &info) != 0)
    return G_SOURCE_CONTINUE;
  goffset size = info.st_size + (g_stat (log, &log_info) == 0 ? log_info.st_size : 0);
  if (size == run->polled_size || size > POLL_MAX_BYTES)
    return G_SOURCE_CONTINUE;
  run->polling = TRUE;
  run->polled_size = size;
  ls_load_trace_async (run->recording, on_polled, g_object_ref (task));
  return G_SOURCE_CONTINUE;
}

static void
make_files (GTask *inner, gpointer source, gpointer data, GCancellable *cancellable)
{
  Run *run = data;
  GError *error = NULL;
  run->folder = run->among ? g_build_filename (run->among, "run-XXXXXX", NULL) : g_dir_make_tmp ("lazyscope-XXXXXX", &error);
  if (run->among && !g_mkdtemp (run->folder)) {
    g_clear_pointer (&run->folder, g_free);
    g_set_error (&error, G_FILE_ERROR, g_file_error_from_errno (errno), _("No folder can be made in %s: %s"), run->among,
                 g_strerror (errno));
  }
  g_autofree char *path = run->folder ? g_build_filename (run->folder, run->name, NULL) : NULL;
  if (path && g_file_set_contents (path, run->program, -1, &error))
    g_task_return_boolean (inner, TRUE);
  else
    g_task_return_error (inner, error);
}

static void
on_files_made (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = data;
  Run *run = g_task_get_task_data (task);
  GError *error = NULL;
  if (g_task_propagate_boolean (G_TASK (result), &error) && g_cancellable_is_cancelled (run->cancellable)) {
    finish (task, NULL, NULL);
    return;
  }
  g_autofree char *cli = error ? NULL : ls_find_cli (&error);
  if (!error) {
    run->recording = g_build_filename (run->folder, "recording.lscope", NULL);
    g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
    g_subprocess_launcher_set_cwd (launcher, run->folder);
    g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
    g_strv_builder_add_many (arguments, cli, "run", run->name, "--record", run->recording, NULL);
    if (run->own_folder)
      g_strv_builder_add_many (arguments, "--folder", run->own_folder, NULL);
    g_strv_builder_addv (arguments, (const char **) run->options);
    g_auto (GStrv) words = g_strv_builder_end (arguments);
    run->process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &error);
  }
  if (error) {
    g_task_return_error (task, error);
    g_object_unref (task);
    return;
  }
  run->open = 3;
  run->cancel_handler = g_signal_connect (run->cancellable, "cancelled", G_CALLBACK (on_cancelled), run);
  run->poll = g_timeout_add (POLL_MS, on_poll, task);
  read_stream (task, 0, g_subprocess_get_stdout_pipe (run->process));
  read_stream (task, 1, g_subprocess_get_stderr_pipe (run->process));
  g_subprocess_wait_async (run->process, NULL, on_exited, task);
}

void
ls_run_program_async (const char *name, const char *folder, const char *among, const char *text, const LsRunOptions *options,
                      GCancellable *cancellable, LsRunProgress progress, gpointer progress_data, GAsyncReadyCallback callback,
                      gpointer data)
{
  GTask *task = g_task_new (NULL, NULL, callback, data);      /* a cancelled run still returns its data: no cancellable here */
  Run *run = g_new0 (Run, 1);
  run->name = g_path_get_basename (name);
  run->program = g_strdup (text);
  run->own_folder = g_strdup (folder);
  run->among = g_strdup (among);
  run->options = ls_run_options_words (options);
  run->text[0] = g_string_new (NULL);
  run->text[1] = g_string_new (NULL);
  run->progress = progress;
  run->progress_data = progress_data;
  run->cancellable = g_object_ref (cancellable);
  g_task_set_task_data (task, run, run_free);
  g_autoptr (GTask) inner = g_task_new (NULL, NULL, on_files_made, task);
  g_task_set_task_data (inner, run, NULL);
  g_task_run_in_thread (inner, make_files);      /* at once: other pending writes do not delay it */
}

LsRunResult *
ls_run_program_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
