#include "disk.h"

#include <stdlib.h>

static GThreadPool *pool;

typedef struct { LsDiskWork work; gpointer data; GDestroyNotify free_data; } Item;

static void
item_free (gpointer data)
{
  Item *item = data;
  if (item->free_data)
    item->free_data (item->data);
  g_free (item);
}

static void
do_one (gpointer data, gpointer unused)
{
  g_autoptr (GTask) task = data;
  const Item *item = g_task_get_task_data (task);
  GError *error = NULL;
  if (item->work (item->data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
ls_disk_do (LsDiskWork work, gpointer data, GDestroyNotify free_data, gpointer source, GAsyncReadyCallback callback, gpointer user_data)
{
  static gboolean at_exit;
  if (!at_exit)
    at_exit = atexit (ls_disk_finish) == 0;
  if (!pool)
    pool = g_thread_pool_new (do_one, NULL, 1, FALSE, NULL);
  GTask *task = g_task_new (source, NULL, callback, user_data);
  Item *item = g_new (Item, 1);
  *item = (Item) { work, data, free_data };
  g_task_set_task_data (task, item, item_free);
  g_thread_pool_push (pool, task, NULL);
}

typedef struct { char *path, *text; gboolean own; } Text;

static void
text_free (gpointer data)
{
  Text *text = data;
  g_free (text->path);
  g_free (text->text);
  g_free (text);
}

static gboolean
write_text (gpointer data, GError **error)
{
  const Text *text = data;
  g_autofree char *folder = g_path_get_dirname (text->path);
  if (text->own)
    g_mkdir_with_parents (folder, 0700);
  return g_file_set_contents (text->path, text->text, -1, error);
}

void
ls_disk_write (const char *path, char *text, gboolean own, gpointer source, GAsyncReadyCallback callback, gpointer user_data)
{
  Text *data = g_new (Text, 1);
  *data = (Text) { g_strdup (path), text, own };
  ls_disk_do (write_text, data, text_free, source, callback, user_data);
}

gboolean
ls_disk_done (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
ls_disk_finish (void)
{
  if (pool)
    g_thread_pool_free (g_steal_pointer (&pool), FALSE, TRUE);
}
