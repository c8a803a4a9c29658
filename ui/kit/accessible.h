/* Names for assistive technology where GTK 4.8 gives none. */
#pragma once
#include <gtk/gtk.h>

/* Names what is below root and has a tooltip by its first line, splits as splits, and tables by the page they are on. Call when it is
 * built. */
void ls_accessible_name_all (GtkWidget *root);
/* A list's row is called by the words in it. Call when they have been set. */
void ls_accessible_name_row (GtkListItem *item);
