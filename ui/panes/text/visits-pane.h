/* LsVisitsPane: how the driver walked the graph of the position's pass, visit by visit (trace/visits.h). */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_VISITS_PANE (ls_visits_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsVisitsPane, ls_visits_pane, LS, VISITS_PANE, GtkWidget)

GtkWidget *ls_visits_pane_new    (LsViewSession *session);
/* So many visits on, or back; its node is selected. */
void       ls_visits_pane_walk   (LsVisitsPane *self, int by);
/* The visit that is shown, from 1; 0: none. */
guint      ls_visits_pane_number (LsVisitsPane *self);
