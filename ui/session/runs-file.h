/* Runs in a file: a key file with the options and the recording of each, and measurements of them. A saved file is next to its
 * recordings; the file of an open window is kept until the window ends. Data: nothing in it is executed, and its contents are validated. */
#pragma once
#include "runs.h"
#include <gio/gio.h>

#define LS_RUNS_SUFFIX ".runs"
#define LS_RUNS_MOST   64      /* in a file */

typedef struct {
  char      *program;      /* the program's file; of saved runs its name alone; or NULL */
  char      *typed;        /* its text, where it was edited since it ran, or NULL */
  GPtrArray *runs;         /* LsRun without traces' ids: all but number and folder */
  guint      shown;        /* one of them */
  guint      n_unread;     /* recordings that are not there or cannot be read: their runs are left out */
  char      *unread;       /* what is wrong with the first of them, or NULL */
  GPtrArray *measured;     /* LsMeasuredRuns: numbers of runs count from 1, in their order here */
} LsRunsFile;

void        ls_runs_file_free   (LsRunsFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRunsFile, ls_runs_file_free)
/* The text of such a file. recordings: names of the runs' recordings, absolute or next to the file. program, typed: or NULL. Free with
 * g_free. */
char       *ls_runs_file_print  (LsRuns *runs, const char *const *recordings, const char *program, const char *typed);
/* Reads it with all its recordings in a thread. */
void        ls_runs_file_load_async  (const char *path, GAsyncReadyCallback callback, gpointer data);
LsRunsFile *ls_runs_file_load_finish (GAsyncResult *result, GError **error);
/* Writes runs to path, as ls_disk_do, and their recordings next to it: "softmax.runs", "softmax-1.lscope". */
void        ls_runs_file_save   (LsRuns *runs, const char *path, const char *program, gpointer source, GAsyncReadyCallback callback,
                                 gpointer data);
