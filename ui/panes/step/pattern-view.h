/* LsPatternView: a rule's two sides as small graphs, an arrow between them. */
#pragma once
#include <gtk/gtk.h>
#include "ask/ask.h"

#define LS_TYPE_PATTERN_VIEW (ls_pattern_view_get_type ())
G_DECLARE_FINAL_TYPE (LsPatternView, ls_pattern_view, LS, PATTERN_VIEW, GtkWidget)

/* Shows two sides; either may be NULL. Stored data is copied. bindings: the nodes of captures, so that constants show their value and
 * captures can be selected: signals "capture-chosen" and "capture-hovered" (guint node id, LS_NO_NODE: none). */
void       ls_pattern_view_set (LsPatternView *self, const LsRulePicture *before, const LsRulePicture *after, const LsBinding *bindings,
                                guint n);
guint      ls_pattern_view_n_boxes (LsPatternView *self);
/* Pixels of its usual height that it does without. */
void       ls_pattern_view_set_less (LsPatternView *self, int less);
