/* LsOutputPane: what a program printed. A number that is an element of a tensor that was read back can be clicked, or chosen with Return.
 *
 * Signal "number-chosen" (gpointer): a const LsPrinted (ask/ask.h), for the time of the call. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_OUTPUT_PANE (ls_output_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsOutputPane, ls_output_pane, LS, OUTPUT_PANE, GtkWidget)

void ls_output_pane_set_text  (LsOutputPane *self, const char *text);
void ls_output_pane_append    (LsOutputPane *self, const char *text);
/* The recording whose tensors the numbers are of, or NULL. */
void ls_output_pane_set_trace (LsOutputPane *self, LsTrace *trace);
