/* The owner of a folder holds a lock in it: one whose lock is free belongs to a process that has ended. */
#include "crash-recovery.h"
#include "kit/state.h"
#include "runs-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#define NAME "kept" LS_RUNS_SUFFIX

struct _LsRecovery {
  char    *folder;      /* or NULL */
  int      lock;        /* or -1 */
  gboolean tried;
};

/* -1: another process holds it, or there is none. */
static int
lock_folder (const char *folder, int more)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);
  int fd = g_open (path, O_RDWR | O_CLOEXEC | more, 0600);
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0) {
    close (fd);
    return -1;
  }
  return fd;
}

/* With all its contents; links are removed, not followed. */
static void
remove_tree (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    if (g_unlink (path) != 0 && (errno == EISDIR || errno == EPERM))
      remove_tree (path);
  }
  g_rmdir (folder);
}

LsRecovery *
ls_recovery_new (void)
{
  LsRecovery *self = g_new0 (LsRecovery, 1);
  self->lock = -1;
  return self;
}

void
ls_recovery_leave (LsRecovery *self)
{
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->folder);
  g_free (self);
}

void
ls_recovery_free (LsRecovery *self)
{
  if (self->folder)
    remove_tree (self->folder);
  ls_recovery_leave (self);
}

void
ls_recovery_forget (LsRecovery *self)
{
  g_autofree char *path = self->folder ? g_build_filename (self->folder, NAME, NULL) : NULL;
  if (path)
    g_unlink (path);
}

const char *
ls_recovery_folder (LsRecovery *self)
{
  if (self->tried)
    return self->folder;
  self->tried = TRUE;
  g_autofree char *all = ls_state_dup_folder ("kept"), *folder = all ? g_build_filename (all, "XXXXXX", NULL) : NULL;
  if (!folder || g_mkdir_with_parents (all, 0700) != 0 || !g_mkdtemp (folder))
    return NULL;
  self->lock = lock_folder (folder, O_CREAT);
  self->folder = g_steal_pointer (&folder);
  return self->folder;
}

char *
ls_recovery_path (LsRecovery *self)
{
  const char *folder = ls_recovery_folder (self);
  return folder ? g_build_filename (folder, NAME, NULL) : NULL;
}

/* --- recovered windows --- */

static void
recoverable_free (gpointer data)
{
  LsRecoverable *recoverable = data;
  g_free (recoverable->folder);
  g_free (recoverable->program);
  g_free (recoverable);
}

/* NULL: there is no run and no text in it. */
static LsRecoverable *
look_into (const char *folder)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (folder, NAME, NULL);
  GStatBuf info;
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL) || g_stat (path, &info) != 0)
    return NULL;
  guint n = 0;
  for (gboolean more = TRUE; more && n < LS_RUNS_MOST; n += more) {
    g_autofree char *group = g_strdup_printf ("run %u", n + 1);
    more = g_key_file_has_group (file, group);
  }
  if (!n && !g_key_file_has_key (file, "runs", "typed", NULL))
    return NULL;
  LsRecoverable *recoverable = g_new (LsRecoverable, 1);
  g_autofree char *program = g_key_file_get_string (file, "runs", "program", NULL);
  *recoverable = (LsRecoverable) { g_strdup (folder), program ? g_path_get_basename (program) : NULL, n, info.st_mtime };
  return recoverable;
}

static int
later_first (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(LsRecoverable *const *) a)->time, y = (*(LsRecoverable *const *) b)->time;
  return (x < y) - (x > y);
}

GPtrArray *
ls_recovery_find (void)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (recoverable_free);
  g_autofree char *all = ls_state_dup_folder ("kept");
  g_autoptr (GDir) dir = all ? g_dir_open (all, 0, NULL) : NULL;
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *folder = g_build_filename (all, name, NULL);
    int lock = lock_folder (folder, 0);
    if (lock < 0)
      continue;
    LsRecoverable *recoverable = look_into (folder);
    if (recoverable)
      g_ptr_array_add (found, recoverable);
    else
      remove_tree (folder);
    close (lock);
  }
  g_ptr_array_sort (found, later_first);
  return found;
}

LsRecovery *
ls_recovery_take (const char *folder)
{
  int lock = lock_folder (folder, 0);
  if (lock < 0)
    return NULL;
  LsRecovery *self = g_new (LsRecovery, 1);
  *self = (LsRecovery) { g_strdup (folder), lock, TRUE };
  return self;
}
