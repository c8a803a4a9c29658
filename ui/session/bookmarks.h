/* Bookmarks of one file: positions as links ("2/simplify/117"), remembered between runs. */
#pragma once
#include <glib.h>

typedef struct _LsBookmarks LsBookmarks;

/* path may be NULL: bookmarks that are not remembered. */
LsBookmarks *ls_bookmarks_new    (const char *path);
void         ls_bookmarks_free   (LsBookmarks *bookmarks);
/* TRUE when the position is marked now. */
gboolean     ls_bookmarks_toggle (LsBookmarks *bookmarks, const char *link);
const char  *ls_bookmarks_path   (LsBookmarks *bookmarks);
guint        ls_bookmarks_n      (LsBookmarks *bookmarks);
const char  *ls_bookmarks_get    (LsBookmarks *bookmarks, guint i);
