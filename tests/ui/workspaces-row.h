/* What the row of workspaces-row.def names. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

GType notes_get_type (void);
void  notes_show     (GtkWidget *workspace, LsViewSession *session);
