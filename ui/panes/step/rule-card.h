/* LsRuleCard: what the position's step did, and by which rule. Signal "node-hovered" (guint id): the pointer is on the picture of a
 * bound node, LS_NO_NODE: no longer. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_RULE_CARD (ls_rule_card_get_type ())
G_DECLARE_FINAL_TYPE (LsRuleCard, ls_rule_card, LS, RULE_CARD, GtkWidget)

void ls_rule_card_set_session (LsRuleCard *self, LsViewSession *session);
