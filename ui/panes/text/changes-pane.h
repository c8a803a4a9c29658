/* LsChangesPane: the rows of the position with the changes of its step, or of a comparison, in order or as a tree. */
#pragma once
#include <gtk/gtk.h>
#include "kit/cells.h"
#include "session/nest.h"
#include "session/session.h"

#define LS_TYPE_CHANGES_PANE (ls_changes_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsChangesPane, ls_changes_pane, LS, CHANGES_PANE, GtkWidget)

GtkWidget        *ls_changes_pane_new     (LsViewSession *session);
/* The diff that it shows, or NULL. */
const LsListDiff *ls_changes_pane_get     (LsChangesPane *self);
/* TRUE while it is visible and does not show the current position yet; property "busy". */
gboolean          ls_changes_pane_get_busy (LsChangesPane *self);
/* A row's indentation by the loops around it, in cell i: a line in the colour of each one's axis. */
void              ls_changes_pane_indent  (LsCells *cells, guint i, const LsNest *around);
