/* What waits for a disk is done in a thread of its own: where the disk is busy, fsync and unlink take half a second, and no window may stand still for that. */
#pragma once
#include <gio/gio.h>

G_BEGIN_DECLS

/* Runs work with the task in that thread, after what was asked for before, and takes over the task. Nothing is lost at the end of the program: it waits. */
void     ls_disk_do           (GTask *task, GTaskThreadFunc work);
/* Waits for all of it; also called at exit. */
void     ls_disk_finish       (void);
/* Writes a whole file, or leaves it as it was. source may be NULL; callback may be. GFileError. */
void     ls_disk_write_async  (const char *path, GBytes *content, GObject *source, GAsyncReadyCallback callback, gpointer data);
gboolean ls_disk_write_finish (GAsyncResult *result, GError **error);

G_END_DECLS
