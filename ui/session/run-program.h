/* Running a program: lazyscope-cli in a process of its own, its output followed, its recording read. */
#pragma once
#include <gio/gio.h>
#include "run-options.h"
#include "trace/trace.h"

typedef struct {
  LsTrace *trace;          /* NULL when nothing was recorded */
  char    *std_out, *std_err;
  int      status;         /* exit status; -1 when killed by a signal */
  gboolean cancelled;
  char    *load_error;     /* why there is no trace although a file was written, or NULL */
  char    *folder;         /* where the recording lies for further questions; removed with the result unless it is taken */
} LsRunResult;

void ls_run_result_free (LsRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRunResult, ls_run_result_free)

/* Progress so far: printed text (or NULL), or the recording up to its last pass (or NULL). */
typedef void (*LsRunProgress) (const char *printed, LsTrace *so_far, gpointer data);

/* Runs text as a file called name, in folder, where its modules lie (NULL: nowhere), with options (NULL: none). Its recording's folder
 * is made in among (NULL: among temporary files). Cancelling kills the process; the call still ends well, with the recording so far. */
void         ls_run_program_async  (const char *name, const char *folder, const char *among, const char *text, const LsRunOptions *options,
                                    GCancellable *cancellable, LsRunProgress progress,
                                    gpointer progress_data, GAsyncReadyCallback callback, gpointer data);
/* NULL and a GIOError or GSpawnError when the helper cannot be found or started. */
LsRunResult *ls_run_program_finish (GAsyncResult *result, GError **error);

/* Reads a recording in a thread. */
void         ls_load_trace_async   (const char *path, GAsyncReadyCallback callback, gpointer data);
LsTrace     *ls_load_trace_finish  (GAsyncResult *result, GError **error);

/* Removes a folder that was taken from a result, with its contents, and frees its name. */
void         ls_run_folder_remove  (char *folder);

/* Where lazyscope-cli is, absolute; NULL and G_IO_ERROR_NOT_FOUND when it is nowhere. */
char        *ls_find_cli           (GError **error);
/* The folder this program's executable is in; free with g_free. */
char        *ls_executable_dir     (void);
