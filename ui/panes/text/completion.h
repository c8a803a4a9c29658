/* Completion of tensor methods in an editor: after a dot, with their docstrings. */
#pragma once
#include <gtksourceview/gtksource.h>

/* The methods are asked of lazyscope-cli when the editor is first used. */
void ls_completion_add (GtkSourceView *view);
/* How many methods are known by now; those that begin with a text are given by name (free with g_strfreev). For tests. */
guint  ls_completion_n_methods (GtkSourceView *view);
char **ls_completion_names     (GtkSourceView *view, const char *begin);
