#include "disk.h"

#include <stdlib.h>

static GThreadPool *pool;

typedef struct { GTask *task; GTaskThreadFunc work; } Item;
typedef struct { char *path; GBytes *content; } Write;

static void
do_one (gpointer data, gpointer unused)
{
  Item *item = data;
  item->work (item->task, g_task_get_source_object (item->task), g_task_get_task_data (item->task), g_task_get_cancellable (item->task));
  g_object_unref (item->task);
  g_free (item);
}

void
ls_disk_do (GTask *task, GTaskThreadFunc work)
{
  static gboolean at_exit;
  if (!at_exit)
    at_exit = atexit (ls_disk_finish) == 0;
  if (!pool)
    pool = g_thread_pool_new (do_one, NULL, 1, FALSE, NULL);
  Item *item = g_new (Item, 1);
  *item = (Item) { task, work };
  g_thread_pool_push (pool, item, NULL);
}

void
ls_disk_finish (void)
{
  if (pool)
    g_thread_pool_free (g_steal_pointer (&pool), FALSE, TRUE);
}

static void
write_free (gpointer data)
{
  Write *w = data;
  g_free (w->path);
  g_bytes_unref (w->content);
  g_free (w);
}

static void
write_file (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Write *w = data;
  GError *error = NULL;
  gsize size;
  const char *content = g_bytes_get_data (w->content, &size);
  if (g_file_set_contents (w->path, content ? content : "", (gssize) size, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
ls_disk_write_async (const char *path, GBytes *content, GObject *source, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (source, NULL, callback, data);
  Write *w = g_new (Write, 1);
  *w = (Write) { g_strdup (path), g_bytes_ref (content) };
  g_task_set_task_data (task, w, write_free);
  ls_disk_do (task, write_file);
}

gboolean
ls_disk_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
