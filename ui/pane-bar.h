/* LsPaneBar: the tabs of a stack with more pages than there is room for. */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define LS_TYPE_PANE_BAR (ls_pane_bar_get_type ())
G_DECLARE_FINAL_TYPE (LsPaneBar, ls_pane_bar, LS, PANE_BAR, GtkWidget)

/* Property "stack". A page of it is shown from the menu by win.table with its name. */

G_END_DECLS
