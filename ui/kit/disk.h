/* Operations that wait for a disk are done in a thread: on a busy disk, fsync and unlink take half a second, and no window may block for
 * that. */
#pragma once
#include <gio/gio.h>

/* Any thread but that of the widgets. FALSE with an error. */
typedef gboolean (*LsDiskWork) (gpointer data, GError **error);

/* Does work with data in the thread, after earlier requests, then frees data. source and callback may be NULL; callback is called in the
 * main loop. Nothing is lost at the end of the program: it waits. */
void     ls_disk_do     (LsDiskWork work, gpointer data, GDestroyNotify free_data, gpointer source, GAsyncReadyCallback callback,
                         gpointer user_data);
/* Writes text, which it takes, to a file. own: in a folder of the program's own, which is made where there is none. */
void     ls_disk_write  (const char *path, char *text, gboolean own, gpointer source, GAsyncReadyCallback callback, gpointer user_data);
gboolean ls_disk_done   (GAsyncResult *result, GError **error);      /* what work gave, in callback */
/* Waits for all of it; also called at exit. */
void     ls_disk_finish (void);
