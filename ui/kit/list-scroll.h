/* Scrolling a GtkListView to a row. */
#pragma once
#include <gtk/gtk.h>

/* Shows the row as soon as the list has laid out its rows: at the next frame. The latest call counts. GTK_INVALID_LIST_POSITION does
 * nothing. */
void ls_list_scroll_to (GtkListView *list, guint row);
/* The same, with so many rows behind it as far as there is room. */
void ls_list_scroll_to_block (GtkListView *list, guint row, guint after);
