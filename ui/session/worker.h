/* Questions that compute and run no kernel: one thread of this process answers them, on a copy of the recording that it loads, so that
 * nothing writes to data that the window reads.
 *
 * One copy is kept, for LS_WORKER_KEEPS seconds after the last question; it is loaded again where the file has changed. A question is
 * one after the other's. One for which the process grows by more than LS_WORKER_MOST_MB ends with an error. Questions that run kernels
 * are asked in another process (ask-cli.h).
 */
#pragma once
#include <gio/gio.h>

#include "trace/trace.h"

#define LS_WORKER_KEEPS   30
#define LS_WORKER_MOST_MB 4096      /* the environment variable LS_WORKER_MB overrides it */

/* Answers a question about the copy; NULL with an error. In the worker's thread, where g_cancellable_get_current () is cancelled
 * with the question, and when it has taken too much memory. */
typedef gpointer (*LsWork) (LsTrace *copy, gconstpointer question, GError **error);

/* question: taken, and freed by free_question when it is answered; free_answer: of one that nobody takes. */
void     ls_worker_ask_async  (LsTrace *trace, LsWork work, gpointer question, GDestroyNotify free_question, GDestroyNotify free_answer,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
gpointer ls_worker_ask_finish (GAsyncResult *result, GError **error);
