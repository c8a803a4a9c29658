/* Compiled objects kept between runs, in lazyscope/code of the user's cache folder ($XDG_CACHE_HOME). LAZYSCOPE_CACHE=0 in the
 * environment turns it off. */
#pragma once
#include "../compiler.h"

/* The inputs of an object as a name: compiler (its file), flags, this processor, source. NULL: nothing is kept. Free with g_free. */
char    *ls_code_cache_key  (const LsCompiler *compiler, const char *flags, gboolean lines, const char *source);
/* The same of a compiler that is a library, which is in that file (or NULL). */
char    *ls_code_cache_key_file (const char *file, const LsCompiler *compiler, const char *flags, gboolean lines, const char *source);
/* Writes the object that was kept to a file. FALSE: there is none, or it is not whole, and is taken away. */
gboolean ls_code_cache_get  (const char *key, const char *object);
void     ls_code_cache_keep (const char *key, const char *object);
/* The kept bytes, or NULL; free with g_free. */
guint8  *ls_code_cache_bytes (const char *key, gsize *n);
void     ls_code_cache_keep_bytes (const char *key, const void *bytes, gsize n);
