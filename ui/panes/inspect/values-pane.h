/* LsValuesPane: what is computed at the chosen node (else at the step's) — numbers, a heat map, statistics. */
#pragma once
#include <gtk/gtk.h>
#include "element-view.h"
#include "session/session.h"

#define LS_TYPE_VALUES_PANE (ls_values_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsValuesPane, ls_values_pane, LS, VALUES_PANE, GtkWidget)

/* Property "busy": something is being computed. */
gboolean    ls_values_pane_get_busy (LsValuesPane *self);
/* The numbers below the picture, not next to it. */
void        ls_values_pane_set_narrow (LsValuesPane *self);
/* Shows an element, and what it was computed from. */
void        ls_values_pane_show_element (LsValuesPane *self, const LsElementPlace *place);
