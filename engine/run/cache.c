/* A file holds its bytes and after them the digest of its key and them, so that a file under the name of another is noticed. Only a
 * folder that no other user can write to is used. The oldest files go when there are too many. */
#include "cache.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define DIGEST 64      /* hexadecimal digits */

char *
ls_cache_folder (const LsCacheKind *kind)
{
  GStatBuf info;
  if (g_strcmp0 (g_getenv ("LAZYSCOPE_CACHE"), "0") == 0)
    return NULL;
  char *path = g_build_filename (g_get_user_cache_dir (), "lazyscope", kind->folder, NULL);
  if (g_mkdir_with_parents (path, 0700) == 0 && g_stat (path, &info) == 0 && info.st_uid == getuid () &&
      !(info.st_mode & (S_IWGRP | S_IWOTH)))
    return path;
  g_free (path);
  return NULL;
}

static char *
file_of (const LsCacheKind *kind, const char *key)
{
  g_autofree char *path = ls_cache_folder (kind), *name = g_strconcat (key, kind->suffix, NULL);
  return path ? g_build_filename (path, name, NULL) : NULL;
}

/* Free with g_free. */
static char *
digest_of (const char *key, const void *bytes, gsize n)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (sum, (const guchar *) key, (gssize) strlen (key) + 1);
  g_checksum_update (sum, bytes, (gssize) n);
  return g_strdup (g_checksum_get_string (sum));
}

guint8 *
ls_cache_get (const LsCacheKind *kind, const char *key, gsize *n, gboolean *damaged)
{
  g_autofree char *file = file_of (kind, key), *bytes = NULL;
  GStatBuf info;
  *damaged = FALSE;
  if (!file || g_stat (file, &info) != 0 || !S_ISREG (info.st_mode) || (guint64) info.st_size > kind->most_bytes ||
      !g_file_get_contents (file, &bytes, n, NULL))
    return NULL;
  g_autofree char *digest = *n > DIGEST ? digest_of (key, bytes, *n - DIGEST) : NULL;
  if (!digest || memcmp (digest, bytes + *n - DIGEST, DIGEST) != 0) {
    *damaged = TRUE;
    g_unlink (file);
    return NULL;
  }
  g_utime (file, NULL);      /* the oldest is the one that was not used for longest */
  *n -= DIGEST;
  return (guint8 *) g_steal_pointer (&bytes);
}

typedef struct { char *path; gint64 time, size; } Kept;

static int
newest_first (gconstpointer a, gconstpointer b)
{
  const Kept *x = a, *y = b;
  return x->time > y->time ? -1 : x->time < y->time;
}

static void
kept_clear (gpointer data)
{
  g_free (((Kept *) data)->path);
}

static void
drop_oldest (const LsCacheKind *kind, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (Kept));
  g_array_set_clear_func (files, kept_clear);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    Kept kept = { g_build_filename (path, name, NULL), 0, 0 };
    GStatBuf info;
    if (g_stat (kept.path, &info) == 0) {
      kept.time = info.st_mtime;
      kept.size = info.st_size;
    }
    g_array_append_val (files, kept);
  }
  g_array_sort (files, newest_first);
  guint64 bytes = 0;
  for (guint i = 0; i < files->len; i++) {
    const Kept *kept = &g_array_index (files, Kept, i);
    bytes += (guint64) kept->size;
    if (i >= kind->most_files || bytes > kind->most_bytes)
      g_unlink (kept->path);
  }
}

void
ls_cache_keep (const LsCacheKind *kind, const char *key, const void *bytes, gsize n)
{
  g_autofree char *path = ls_cache_folder (kind), *file = file_of (kind, key);
  if (!file || n > kind->most_bytes / 8)
    return;
  g_autofree char *digest = digest_of (key, bytes, n);
  g_autofree char *all = g_malloc (n + DIGEST);
  memcpy (all, bytes, n);
  memcpy (all + n, digest, DIGEST);
  if (g_file_set_contents (file, all, (gssize) (n + DIGEST), NULL))      /* whole or not at all */
    drop_oldest (kind, path);
}
