/* Help, in windows of its own: a page on the contents of the window and how to navigate, and the keys. */
#pragma once
#include <gtk/gtk.h>

void ls_help_show (GtkWindow *parent);
/* The keys. Made when asked for, gone when closed: the help overlay that GTK makes by itself is eight hundred widgets in every window. */
void ls_help_show_shortcuts (GtkWindow *parent);
