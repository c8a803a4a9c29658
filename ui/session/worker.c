/* The window's own worker. See worker.h. */
#include "worker.h"

#include "ir/progress.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdlib.h>

typedef struct {
  char          *path;
  LsWork         work;
  gpointer       question;
  GDestroyNotify free_question, free_answer;
  GCancellable  *stop;             /* with the question's own */
  gint           most_mb;          /* of the process, from when it is answered on; atomic */
  gint           is_too_large;     /* the process had more, and it was stopped; atomic */
} Job;

#define WATCH_MS 100

/* The copy, and which file it is of. Only the worker's thread looks at it. */
static struct {
  LsTrace *trace;
  char    *path;
  GStatBuf file;
} kept;

static void
job_free (gpointer data)
{
  Job *job = data;
  if (job->free_question)
    job->free_question (job->question);
  g_object_unref (job->stop);
  g_free (job->path);
  g_free (job);
}

static void
let_go (void)
{
  g_clear_pointer (&kept.trace, ls_trace_unref);
  g_clear_pointer (&kept.path, g_free);
}

static LsTrace *
copy_of (const char *path, GError **error)
{
  GStatBuf now;
  gboolean is_there = g_stat (path, &now) == 0;
  gboolean is_kept = kept.trace && is_there && g_str_equal (kept.path, path) && kept.file.st_ino == now.st_ino &&
                     kept.file.st_size == now.st_size && kept.file.st_mtim.tv_sec == now.st_mtim.tv_sec &&
                     kept.file.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
  if (is_kept)
    return kept.trace;
  let_go ();
  kept.trace = ls_trace_load (path, error);
  kept.path = g_strdup (path);
  kept.file = now;
  return kept.trace;
}

static gint
most_mb (void)
{
  const char *text = g_getenv ("LS_WORKER_MB");
  return text ? atoi (text) : LS_WORKER_MOST_MB;
}

/* In the main thread, until the answer is there. */
static gboolean
watch_memory (gpointer task)
{
  Job *job = g_task_get_task_data (task);
  gint most = g_atomic_int_get (&job->most_mb);
  if (most && (gint) (ls_resident_bytes (0) >> 20) > most) {
    g_atomic_int_set (&job->is_too_large, TRUE);
    g_cancellable_cancel (job->stop);
  }
  return !g_task_get_completed (task);
}

static void
answer (GTask *task)
{
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;
  gpointer found = NULL;
  g_atomic_int_set (&job->most_mb, (gint) (ls_resident_bytes (0) >> 20) + most_mb ());
  g_cancellable_push_current (job->stop);
  LsTrace *copy = g_cancellable_set_error_if_cancelled (job->stop, &error) ? NULL : copy_of (job->path, &error);
  if (copy)
    found = job->work (copy, job->question, &error);
  g_cancellable_pop_current (job->stop);
  if (g_atomic_int_get (&job->is_too_large) && !found) {
    let_go ();
    g_clear_error (&error);
    error = g_error_new (G_IO_ERROR, G_IO_ERROR_NO_SPACE, _("The answer needs more than %d MB of memory: use lazyscope-cli"), most_mb ());
  }
  if (found)
    g_task_return_pointer (task, found, job->free_answer);
  else
    g_task_return_error (task, error ? error : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, _("There is no answer")));
  g_object_unref (task);
}

static gpointer
serve (gpointer data)
{
  GAsyncQueue *queue = data;
  for (;;) {
    GTask *task = kept.trace ? g_async_queue_timeout_pop (queue, LS_WORKER_KEEPS * G_TIME_SPAN_SECOND) : g_async_queue_pop (queue);
    if (task)
      answer (task);
    else
      let_go ();
  }
  return NULL;
}

void
ls_worker_ask_async (LsTrace *trace, LsWork work, gpointer question, GDestroyNotify free_question, GDestroyNotify free_answer,
                     GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  static GAsyncQueue *queue;      /* only for the main thread */
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  Job *job = g_new (Job, 1);
  *job = (Job) { g_strdup (trace->path), work, question, free_question, free_answer, .stop = g_cancellable_new () };
  g_task_set_task_data (task, job, job_free);
  if (!trace->path) {
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("The recording has no file to ask about"));
    g_object_unref (task);
    return;
  }
  if (!queue) {
    queue = g_async_queue_new ();
    g_thread_unref (g_thread_new ("questions", serve, queue));
  }
  g_timeout_add_full (G_PRIORITY_DEFAULT, WATCH_MS, watch_memory, g_object_ref (task), g_object_unref);
  if (cancellable && g_cancellable_is_cancelled (cancellable))
    g_cancellable_cancel (job->stop);
  else if (cancellable)
    g_signal_connect_object (cancellable, "cancelled", G_CALLBACK (g_cancellable_cancel), job->stop, G_CONNECT_SWAPPED);
  g_async_queue_push (queue, task);
}

gpointer
ls_worker_ask_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
