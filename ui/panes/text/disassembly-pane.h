/* LsDisassemblyPane: the machine code of the position's kernel, each instruction with the line of the source that it belongs to. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_DISASSEMBLY_PANE (ls_disassembly_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsDisassemblyPane, ls_disassembly_pane, LS, DISASSEMBLY_PANE, GtkWidget)

GtkWidget  *ls_disassembly_pane_new        (LsViewSession *session);
/* The text shown instead of code, for tests. */
const char *ls_disassembly_pane_get_empty  (LsDisassemblyPane *self);
