/* LsExecutionPane: a kernel's UOps executed row by row. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

G_BEGIN_DECLS

#define LS_TYPE_EXECUTION_PANE (ls_execution_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsExecutionPane, ls_execution_pane, LS, EXECUTION_PANE, GtkWidget)

/* TRUE while steps are being computed; property "busy". */
gboolean         ls_execution_pane_get_busy (LsExecutionPane *self);

G_END_DECLS
