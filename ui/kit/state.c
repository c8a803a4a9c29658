/* State across runs, in $XDG_STATE_HOME/lazyscope/state.ini. A file that cannot be read counts as empty, one that cannot be written
 * is left: remembering a window's size is never worth an error. */
#include "disk.h"
#include "state.h"

#define MAX_RECENT 12

static gboolean disabled, dirty;

static char *
state_path (void)
{
  return g_build_filename (g_get_user_state_dir (), "lazyscope", "state.ini", NULL);
}

char *
ls_state_dup_folder (const char *name)
{
  return disabled ? NULL : g_build_filename (g_get_user_state_dir (), "lazyscope", name, NULL);
}

static GKeyFile *
state (void)
{
  static GKeyFile *file;
  if (!file) {
    file = g_key_file_new ();
    g_autofree char *path = state_path ();
    if (!disabled && !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL)) {
      g_key_file_unref (file);      /* it may hold the state before the fault */
      file = g_key_file_new ();
    }
  }
  return file;
}

int
ls_state_get_int (const char *group, const char *key, int fallback)
{
  g_autoptr (GError) error = NULL;
  int value = g_key_file_get_integer (state (), group, key, &error);
  return error ? fallback : value;
}

void
ls_state_set_int (const char *group, const char *key, int value)
{
  if (ls_state_get_int (group, key, value - 1) == value)
    return;
  g_key_file_set_integer (state (), group, key, value);
  dirty = TRUE;
}

void
ls_state_forget (const char *group)
{
  dirty |= g_key_file_remove_group (state (), group, NULL);
}

char **
ls_state_dup_recent (void)
{
  char **paths = g_key_file_get_string_list (state (), "recent", "files", NULL, NULL);
  return paths ? paths : g_new0 (char *, 1);
}

void
ls_state_add_recent (const char *path)
{
  g_auto (GStrv) old = ls_state_dup_recent ();
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_ptr_array_add (paths, (gpointer) path);
  for (guint i = 0; old[i] && paths->len < MAX_RECENT; i++)
    if (!g_str_equal (old[i], path))
      g_ptr_array_add (paths, old[i]);
  g_key_file_set_string_list (state (), "recent", "files", (const char *const *) paths->pdata, paths->len);
  dirty = TRUE;
  ls_state_save ();
}

char **
ls_state_dup_list (const char *group, const char *key)
{
  char **list = g_key_file_get_string_list (state (), group, key, NULL, NULL);
  return list ? list : g_new0 (char *, 1);
}

void
ls_state_set_list (const char *group, const char *key, const char *const *list, gsize n)
{
  if (n > 0)
    g_key_file_set_string_list (state (), group, key, list, n);
  else
    g_key_file_remove_key (state (), group, key, NULL);
  dirty = TRUE;
  ls_state_save ();
}

void
ls_state_save (void)
{
  if (!dirty || disabled)
    return;
  g_autofree char *path = state_path ();
  ls_disk_write (path, g_key_file_to_data (state (), NULL, NULL), TRUE, NULL, NULL, NULL);
  dirty = FALSE;
}

void
ls_state_disable (void)
{
  disabled = TRUE;
}
