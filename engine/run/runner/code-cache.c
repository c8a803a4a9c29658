/* Objects that compilers made, kept between runs. */
#include "code-cache.h"

#include "../cache.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static const LsCacheKind kind = { "code", ".so", 2048, (guint64) 64 << 20 };

/* Model and features: code for one processor is not used on another. */
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
ls_code_cache_key_file (const char *file, const LsCompiler *compiler, const char *flags, gboolean lines, const char *source)
{
  g_autofree char *path = ls_cache_folder (&kind), *real = path && file ? realpath (file, NULL) : NULL, *cpu = real ? processor () : NULL;
  GStatBuf info;
  if (!real || g_stat (real, &info) != 0)
    return NULL;
  g_autofree char *all = g_strdup_printf ("3\n%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n%s %s\n%s\n%d\n%s\n%s", real,
                                          (gint64) info.st_size, (gint64) info.st_mtime, compiler->flags, compiler->gated, flags, lines,
                                          cpu, source);
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

char *
ls_code_cache_key (const LsCompiler *compiler, const char *flags, gboolean lines, const char *source)
{
  g_autofree char *program = g_find_program_in_path (compiler->name);
  return ls_code_cache_key_file (program, compiler, flags, lines, source);
}

guint8 *
ls_code_cache_bytes (const char *key, gsize *n)
{
  gboolean damaged;
  return ls_cache_get (&kind, key, n, &damaged);
}

void
ls_code_cache_keep_bytes (const char *key, const void *bytes, gsize n)
{
  ls_cache_keep (&kind, key, bytes, n);
}

gboolean
ls_code_cache_get (const char *key, const char *object)
{
  gsize n;
  gboolean damaged;
  g_autofree guint8 *bytes = ls_cache_get (&kind, key, &n, &damaged);
  return bytes && g_file_set_contents (object, (const char *) bytes, (gssize) n, NULL);
}

void
ls_code_cache_keep (const char *key, const char *object)
{
  g_autofree char *bytes = NULL;
  gsize n;
  if (g_file_get_contents (object, &bytes, &n, NULL))
    ls_cache_keep (&kind, key, bytes, n);
}
