/* LsProgramPane: the texts that ran, the program's own and those of the library, and the calls that the selection descends from. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"
#include "trace/realizations.h"

#define LS_TYPE_PROGRAM_PANE (ls_program_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsProgramPane, ls_program_pane, LS, PROGRAM_PANE, GtkWidget)

GtkWidget  *ls_program_pane_new       (LsViewSession *session);
/* The program's own text is next to it: only files of the library are shown. */
void        ls_program_pane_leave_out_own (LsProgramPane *self);
/* Where a call (index in trace->calls) is defined; FALSE: that is not in the recording. */
gboolean    ls_program_pane_show_call (LsProgramPane *self, guint call);
/* The file that is shown, and the line that is chosen in it, else the first that is marked, from 1 (0: none); how many calls are
 * listed, and one of them. For tests. */
const char *ls_program_pane_get_file  (LsProgramPane *self, guint *line);
guint       ls_program_pane_n_calls   (LsProgramPane *self);
guint       ls_program_pane_get_call  (LsProgramPane *self, guint row);
/* What that call computed, if this is what the row shows; NULL: the row is the call itself. */
const LsDid *ls_program_pane_get_did  (LsProgramPane *self, guint row);
