/* LsDrawer: pages in groups, a button for each group and, of the group that is shown, for each page. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_DRAWER (ls_drawer_get_type ())
G_DECLARE_FINAL_TYPE (LsDrawer, ls_drawer, LS, DRAWER, GtkWidget)

/* A page after those that are there; pages of a group come one after the other. Strings stay the caller's. */
void        ls_drawer_add      (LsDrawer *self, const char *group, GtkWidget *page, const char *name, const char *title);
/* A page by its name, with its group; one that there is not changes nothing. */
void        ls_drawer_show     (LsDrawer *self, const char *name);
const char *ls_drawer_get_shown (LsDrawer *self);      /* NULL: it has no pages */
GtkWidget  *ls_drawer_get_page (LsDrawer *self, const char *name);      /* NULL: there is none of that name */
/* The next page (1) or the one before (-1), round the ends. */
void        ls_drawer_next     (LsDrawer *self, int direction);
/* Signal "full": the user asked for the whole height, or back. Its button shows the state. */
void        ls_drawer_set_full (LsDrawer *self, gboolean full);
