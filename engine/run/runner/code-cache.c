/* A file holds an object and after it the digest of its bytes. Only a folder that nobody else can write to is used. The oldest files go when there are too many. */
#include "code-cache.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define MOST_FILES 512
#define MOST_BYTES ((guint64) 64 << 20)
#define DIGEST     64      /* hexadecimal digits */

static char *
folder (void)
{
  GStatBuf info;
  if (g_strcmp0 (g_getenv ("LAZYSCOPE_CACHE"), "0") == 0)
    return NULL;
  char *path = g_build_filename (g_get_user_cache_dir (), "lazyscope", "code", NULL);
  if (g_mkdir_with_parents (path, 0700) == 0 && g_stat (path, &info) == 0 && info.st_uid == getuid () && !(info.st_mode & (S_IWGRP | S_IWOTH)))
    return path;
  g_free (path);
  return NULL;
}

/* Model and features: code for one processor is none for another. */
static char *
processor (void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("");
  GString *out = g_string_new (NULL);
  static const char *const names[] = { "model name", "flags", "Features" };
  for (gsize k = 0; k < G_N_ELEMENTS (names); k++) {
    const char *line = strstr (text, names[k]);
    if (line)
      g_string_append_len (out, line, (gssize) strcspn (line, "\n"));
  }
  return g_string_free (out, FALSE);
}

char *
ls_code_cache_key (const LsCompiler *compiler, const char *flags, gboolean lines, const char *source)
{
  g_autofree char *path = folder (), *program = path ? g_find_program_in_path (compiler->name) : NULL, *real = program ? realpath (program, NULL) : NULL, *cpu = real ? processor () : NULL;
  GStatBuf info;
  if (!real || g_stat (real, &info) != 0)
    return NULL;
  g_autofree char *all = g_strdup_printf ("1\n%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n%s\n%s\n%d\n%s\n%s", real, (gint64) info.st_size, (gint64) info.st_mtime, compiler->flags, flags, lines, cpu, source);
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

static char *
file_of (const char *key)
{
  g_autofree char *path = folder (), *name = g_strconcat (key, ".so", NULL);
  return path ? g_build_filename (path, name, NULL) : NULL;
}

gboolean
ls_code_cache_get (const char *key, const char *object)
{
  g_autofree char *file = file_of (key), *bytes = NULL;
  gsize n = 0;
  if (!file || !g_file_get_contents (file, &bytes, &n, NULL))
    return FALSE;
  g_autofree char *digest = n > DIGEST ? g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, n - DIGEST) : NULL;
  if (!digest || memcmp (digest, bytes + n - DIGEST, DIGEST) != 0) {
    g_unlink (file);
    return FALSE;
  }
  g_utime (file, NULL);      /* the oldest is the one that was not used for longest */
  return g_file_set_contents (object, bytes, (gssize) (n - DIGEST), NULL);
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
drop_oldest (const char *path)
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
    if (i >= MOST_FILES || bytes > MOST_BYTES)
      g_unlink (kept->path);
  }
}

void
ls_code_cache_keep (const char *key, const char *object)
{
  g_autofree char *path = folder (), *file = file_of (key), *bytes = NULL;
  gsize n;
  if (!file || !g_file_get_contents (object, &bytes, &n, NULL) || n > MOST_BYTES / 8)
    return;
  g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, n);
  g_autofree char *all = g_malloc (n + DIGEST);
  memcpy (all, bytes, n);
  memcpy (all + n, digest, DIGEST);
  if (g_file_set_contents (file, all, (gssize) (n + DIGEST), NULL))      /* whole or not at all */
    drop_oldest (path);
}
