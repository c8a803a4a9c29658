/* LsWhyNotDialog: why a rule did not fire at the chosen node of the position, rule by rule. */
#pragma once
#include <adwaita.h>
#include "graph/view/graph-view.h"
#include "session/session.h"

#define LS_TYPE_WHY_NOT_DIALOG (ls_why_not_dialog_get_type ())
G_DECLARE_FINAL_TYPE (LsWhyNotDialog, ls_why_not_dialog, LS, WHY_NOT_DIALOG, AdwWindow)

/* Signal "ready": how far every rule got is known.
 * graph: shows what the furthest attempt bound. */
LsWhyNotDialog *ls_why_not_dialog_new  (GtkWindow *parent, LsViewSession *session, LsGraphView *graph);
/* Selects a rule by its name, and returns its text; FALSE if the list has no rule of that name. */
gboolean        ls_why_not_dialog_choose   (LsWhyNotDialog *self, const char *rule);
gboolean        ls_why_not_dialog_get_busy (LsWhyNotDialog *self);
