/* Data that would be lost if the program ended now: the runs of a window and its unsaved text, in a folder of its own under the state
 * folder. Data of a window that did not end normally is found later, and stays until it is recovered or discarded. */
#pragma once
#include <glib.h>

typedef struct _LsRecovery LsRecovery;

typedef struct {
  char   *folder;
  char   *program;     /* the name of its program, or NULL */
  guint   n_runs;
  gint64  time;        /* when it was last written, seconds since 1970 */
} LsRecoverable;

LsRecovery *ls_recovery_new    (void);
/* Removes the folder: nothing in it is lost by that. */
void        ls_recovery_free   (LsRecovery *self);
/* Leaves the folder for the next start to find. */
void        ls_recovery_leave  (LsRecovery *self);
/* There is nothing to be kept any more. */
void        ls_recovery_forget (LsRecovery *self);
/* Made when it is first asked for; NULL: nothing is remembered (ls_state_disable), or it cannot be made. */
const char *ls_recovery_folder (LsRecovery *self);
/* Where its runs file is (runs-file.h), or is to be; NULL without a folder. Free with g_free. */
char       *ls_recovery_path   (LsRecovery *self);

/* Data of windows of ended processes, latest first: LsRecoverable. */
GPtrArray  *ls_recovery_find (void);
/* Makes such a folder the new owner's; NULL: it is gone, or another process has taken it. */
LsRecovery *ls_recovery_take (const char *folder);
