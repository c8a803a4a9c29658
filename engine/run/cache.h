/* What is kept between runs, by a key, in a folder of the user's cache: damaged files are recognized and deleted, and the oldest when
 * there are too many. */
#pragma once
#include <glib.h>

typedef struct { const char *folder, *suffix; guint most_files; guint64 most_bytes; } LsCacheKind;

/* NULL: nothing is to be kept (LAZYSCOPE_CACHE=0), or the folder is not the user's alone. Free with g_free. */
char   *ls_cache_folder (const LsCacheKind *kind);
/* The n bytes that were kept, or NULL; damaged: there was a file, which is not what was written, and is gone now. Free with g_free. */
guint8 *ls_cache_get    (const LsCacheKind *kind, const char *key, gsize *n, gboolean *damaged);
/* What cannot be kept is not. */
void    ls_cache_keep   (const LsCacheKind *kind, const char *key, const void *bytes, gsize n);
