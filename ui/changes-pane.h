/* LsChangesPane: what the position changed, row by row or as a tree. */
#pragma once
#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS

#define LS_TYPE_CHANGES_PANE (ls_changes_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsChangesPane, ls_changes_pane, LS, CHANGES_PANE, GtkWidget)

GtkWidget        *ls_changes_pane_new     (LsViewSession *session);
/* What it shows, or NULL; and the number of lines, of rows and of stretches that are folded. */
const LsListDiff *ls_changes_pane_get     (LsChangesPane *self);
guint             ls_changes_pane_n_lines (LsChangesPane *self);
/* TRUE while what is shown is not yet the position's. */
gboolean          ls_changes_pane_get_busy (LsChangesPane *self);

G_END_DECLS
