/* The window's state between runs: size, splits, recent files. A GKeyFile under the XDG state folder; no schema, never fatal. */
#pragma once
#include <glib.h>

int    ls_state_get_int    (const char *group, const char *key, int fallback);
void   ls_state_set_int    (const char *group, const char *key, int value);
void   ls_state_forget     (const char *group);
/* Paths, latest first; free with g_strfreev. */
char **ls_state_dup_recent (void);
void   ls_state_add_recent (const char *path);
/* Lists of texts; an empty one is forgotten. Free with g_strfreev. */
char **ls_state_dup_list   (const char *group, const char *key);
void   ls_state_set_list   (const char *group, const char *key, const char *const *list, gsize n);
/* A folder of that name next to the state, which may not exist; NULL: no state is kept. Free with g_free. */
char  *ls_state_dup_folder (const char *name);
/* Writes what changed, as ls_disk_do; also called at exit. */
void   ls_state_save       (void);
/* Nothing is read or written from here on: screenshots and tests look the same everywhere. */
void   ls_state_disable    (void);
