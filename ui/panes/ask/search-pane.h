/* LsSearchPane: the options that lazyscope-cli search tries on the position's kernel, as the tree that it goes through. Choosing a
 * row by Enter or double click runs the program with those options (win.run-kernel), so that they are a column of the Compare
 * workspace. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_SEARCH_PANE (ls_search_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsSearchPane, ls_search_pane, LS, SEARCH_PANE, GtkWidget)

/* How many candidates are listed; the options of one, and whether it is the chosen one; whether it is being searched. For tests. */
guint         ls_search_pane_n_rows       (LsSearchPane *self);
const char   *ls_search_pane_get_options  (LsSearchPane *self, guint row, gboolean *chosen);
gboolean      ls_search_pane_is_searching (LsSearchPane *self);
