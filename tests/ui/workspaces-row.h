/* The functions of the row in workspaces-row.def. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

GType notes_get_type (void);
void  notes_show     (GtkWidget *workspace, LsViewSession *session);
