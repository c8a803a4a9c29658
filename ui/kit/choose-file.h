/* The user names a file, to open or to save. */
#pragma once
#include <gtk/gtk.h>

typedef void (*LsChosen) (gpointer window, const char *path);

/* suggestion: the name of a file that is saved; NULL: one is opened, of those that the filters show: a name and patterns with blanks
 * between, again and again, and NULL at the end. chosen is called with the path, NULL where none was chosen. Nothing of it is called after
 * the window has gone. */
void ls_choose_file (gpointer window, const char *title, const char *suggestion, LsChosen chosen, ...) G_GNUC_NULL_TERMINATED;
