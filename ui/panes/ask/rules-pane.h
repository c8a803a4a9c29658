/* LsRulesPane: what the rules did in the position's kernel or in the whole recording, most time first. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_RULES_PANE (ls_rules_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsRulesPane, ls_rules_pane, LS, RULES_PANE, GtkWidget)

/* Marks a rule without going anywhere; FALSE when it was not tried. */
gboolean     ls_rules_pane_choose (LsRulesPane *self, guint rule);
guint        ls_rules_pane_n_rows (LsRulesPane *self);
