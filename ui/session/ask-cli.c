/* Questions that take computing. See ask-cli.h. */
#include "ask-cli.h"
#include "run-program.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_BYTES (64 << 20)

typedef struct {
  GSubprocess *process;
  const LsRecord *record;
  guint        limit;
  gboolean     too_long;
} Question;

static void
question_free (gpointer data)
{
  Question *q = data;
  g_clear_handle_id (&q->limit, g_source_remove);
  if (q->process)
    g_subprocess_force_exit (q->process);
  g_clear_object (&q->process);
  g_free (q);
}

static gboolean
on_limit (gpointer data)
{
  Question *q = data;
  q->limit = 0;
  q->too_long = TRUE;
  g_subprocess_force_exit (q->process);
  return G_SOURCE_REMOVE;
}

/* The error text of the command line, without the program's own name before it. */
static GError *
failure (const Question *q, const char *said)
{
  g_autofree char *text = g_strstrip (g_utf8_make_valid (said ? said : "", -1));
  const char *plain = g_str_has_prefix (text, "lazyscope-cli: ") ? text + strlen ("lazyscope-cli: ") : text;
  if (q->too_long)
    return g_error_new (G_IO_ERROR, G_IO_ERROR_TIMED_OUT, ngettext ("It took longer than %d second and was stopped",
                                                                    "It took longer than %d seconds and was stopped", LS_ASK_SECONDS),
                                                                    LS_ASK_SECONDS);
  return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, *plain ? plain : _("lazyscope-cli ended without an answer"));
}

static void
on_said (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Question *q = g_task_get_task_data (task);
  g_autofree char *out = NULL, *err = NULL;
  LsReading *answer = NULL;
  GError *error = NULL;
  g_clear_handle_id (&q->limit, g_source_remove);
  if (!g_subprocess_communicate_utf8_finish (q->process, result, &out, &err, &error)) {
    g_task_return_error (task, error);
    return;
  }
  int status = g_subprocess_get_if_exited (q->process) ? g_subprocess_get_exit_status (q->process) : -1;
  if ((status != 0 && status != 4) || !out || strlen (out) > MOST_BYTES || !(answer = ls_reading_new (q->record, out, -1, NULL)))
    g_task_return_error (task, failure (q, err));
  else
    g_task_return_pointer (task, answer, (GDestroyNotify) ls_reading_unref);
}

void
ls_ask_cli_async (LsTrace *trace, const char *const *words, const LsRecord *record, GCancellable *cancellable,
                  GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Question *q = g_new0 (Question, 1);
  GError *error = NULL;
  g_autofree char *cli = ls_find_cli (&error);
  q->record = record;
  g_task_set_task_data (task, q, question_free);
  if (cli && trace && !trace->path)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("The recording has no file to ask about"));
  if (!error) {
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    g_ptr_array_add (argv, cli);
    for (guint i = 0; words[i]; i++)
      g_ptr_array_add (argv, (gpointer) words[i]);
    if (trace)
      g_ptr_array_add (argv, trace->path);
    g_ptr_array_add (argv, (gpointer) "--json");
    g_ptr_array_add (argv, NULL);
    q->process = g_subprocess_newv ((const char *const *) argv->pdata, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                    &error);
  }
  if (error) {
    g_task_return_error (task, error);
    return;
  }
  q->limit = g_timeout_add_seconds (LS_ASK_SECONDS, on_limit, q);
  g_subprocess_communicate_utf8_async (q->process, NULL, cancellable, on_said, g_steal_pointer (&task));
}

LsReading *
ls_ask_cli_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
