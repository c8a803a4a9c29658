/* LsStatementsPane: a program statement by statement, forward and backward: the graph of tensors after each with its changes, the calls
 * that it made, and the tensors of its names. It has a session of its own, over the recording's statements. */
#pragma once
#include <gtk/gtk.h>
#include "trace/trace.h"

#define LS_TYPE_STATEMENTS_PANE (ls_statements_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsStatementsPane, ls_statements_pane, LS, STATEMENTS_PANE, GtkWidget)

/* NULL: none. Hidden where no statement of the recording bound a tensor. */
void     ls_statements_pane_set_trace (LsStatementsPane *self, LsTrace *trace);
/* One statement on (1) or back (-1). FALSE: there is none. */
gboolean ls_statements_pane_step      (LsStatementsPane *self, int direction);
/* To a stop by its index, now or when its graph is there. done: what its statement computed was walked through; otherwise that comes
 * next. */
void     ls_statements_pane_go        (LsStatementsPane *self, guint stop, gboolean done);
gboolean ls_statements_pane_is_done   (LsStatementsPane *self);
/* The passes [first, end) of the recording that computed what the current statement asked for. FALSE: it asked for nothing. */
gboolean ls_statements_pane_get_passes (LsStatementsPane *self, guint *first, guint *end);
void     ls_statements_pane_focus     (LsStatementsPane *self);
/* To the first execution of a line's statement, unless the position is already at one. FALSE: no statement of that line bound a tensor. */
gboolean ls_statements_pane_show_line (LsStatementsPane *self, guint line);
/* The line of the program where one is, 0: nowhere; which statement of how many, from 1. Signal "moved" (gboolean): it is another
 * one; FALSE: the first, of another recording. */
guint    ls_statements_pane_get_line  (LsStatementsPane *self);
guint    ls_statements_pane_get_number (LsStatementsPane *self, guint *n);
