/* Data kept between runs, by a key, in a folder of the user's cache: damaged files are recognized and deleted, and the oldest when there
 * are too many. */
#pragma once
#include <glib.h>

typedef struct { const char *folder, *suffix; guint most_files; guint64 most_bytes; } LsCacheKind;

/* NULL: nothing is to be kept (LAZYSCOPE_CACHE=0), or the folder is not the user's alone. Free with g_free. */
char   *ls_cache_folder (const LsCacheKind *kind);
/* The n stored bytes, or NULL; damaged: there was a file with wrong contents, which is now deleted. Free with g_free. */
guint8 *ls_cache_get    (const LsCacheKind *kind, const char *key, gsize *n, gboolean *damaged);
/* Failures are ignored. */
void    ls_cache_keep   (const LsCacheKind *kind, const char *key, const void *bytes, gsize n);
