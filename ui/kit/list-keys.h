/* Tab in lists and tables: to the next pane, not to the next row. */
#pragma once
#include <gtk/gtk.h>

/* From here on Tab and Shift+Tab leave the lists and tables of the window, after the focusable widgets in the row; arrows go from row to
 * row. */
void ls_list_keys_install (GtkWidget *window);
