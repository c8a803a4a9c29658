/* LsProgramView: the Program workspace — an editor, what the program printed, and its error at its line. */
#pragma once
#include <gtk/gtk.h>
#include <gtksourceview/gtksource.h>
#include "panes/run/output-pane.h"
#include "panes/run/statements-pane.h"

#define LS_TYPE_PROGRAM_VIEW (ls_program_view_get_type ())
G_DECLARE_FINAL_TYPE (LsProgramView, ls_program_view, LS, PROGRAM_VIEW, GtkWidget)

/* Signals: "changed", the user edited the text, or it counts as edited or not any more; "line-chosen" (guint, from 1), the user put
 * the cursor into another line of a text that was not edited. */
void     ls_program_view_set_text      (LsProgramView *self, const char *text);
char    *ls_program_view_dup_text      (LsProgramView *self);
gboolean ls_program_view_get_modified  (LsProgramView *self);
void     ls_program_view_set_modified  (LsProgramView *self, gboolean modified);
LsOutputPane *ls_program_view_get_output (LsProgramView *self);
/* Shows an error; line and column from 1, 0 when unknown. A NULL message takes it away. */
void     ls_program_view_set_error     (LsProgramView *self, const char *message, guint line, guint column);
/* The line marked as wrong, 0 for none. */
guint    ls_program_view_get_error_line (LsProgramView *self);
/* Marks lines (guint, from 1) that belong to the selection; not in a text that was edited, where lines are no longer those of the
 * recording. */
void     ls_program_view_set_chosen_lines (LsProgramView *self, const GArray *lines);
/* The recording whose statements are shown next to the text, and that the output is of, or NULL. */
void     ls_program_view_set_trace     (LsProgramView *self, LsTrace *trace);
LsStatementsPane *ls_program_view_get_statements (LsProgramView *self);
/* The switch for running in pauses of typing, and a note next to it. Signal "live-switched": the user has switched it. */
gboolean ls_program_view_get_live      (LsProgramView *self);
void     ls_program_view_set_live      (LsProgramView *self, gboolean live);
void     ls_program_view_set_live_note (LsProgramView *self, const char *note);
void     ls_program_view_focus_editor  (LsProgramView *self);
/* Puts the cursor on a line, from 1, and shows it. */
void     ls_program_view_show_line     (LsProgramView *self, guint line);
