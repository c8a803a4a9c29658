/* Where the keyboard goes when what it was in is hidden. */
#pragma once
#include <gtk/gtk.h>

/* From now on a page of a stack (a menu has one, too) or a popover below root that is hidden loses the focus at once; GTK puts it
 * somewhere near with the next frame, as ever. Without this GTK 4.8 notes the page once more for each widget around it that is hidden
 * in the same frame, and lets go of the last note alone: the page, and the window's whole content with it, are never freed. */
void ls_focus_leave_hidden_pages (GtkWidget *root);
