/* Shared by the search and the storage of its results. */
#pragma once
#include "search.h"

LsSearch *ls_search_new       (guint kernel, const char *kernel_name, guint width);
/* The key of a search in the cache, or NULL: the compiler makes no code. Free with g_free. */
char     *ls_search_key       (LsContext *ctx, LsUOp *graph, LsRuleLibrary *library, const LsVariant *variant, const LsSearchHow *how);
void      ls_search_keep      (const LsSearch *search, const char *key);
/* Fills a new search from an answer's rows. FALSE, and it is as it was: they are not a whole search. */
gboolean  ls_search_read      (LsSearch *search, LsRow answer);
/* Fills a new search from the cache. FALSE: nothing was. */
gboolean  ls_search_take_cached (LsSearch *search, const char *key);
