/* LsStepList: the steps of a pass as rows. Steps of one rule in a row are one entry that opens, and a step that an algorithm made opens
 * to its nested steps; a text filters by rule, op and node. */
#pragma once
#include <gtk/gtk.h>
#include "session/steps.h"

#define LS_TYPE_STEP_LIST (ls_step_list_get_type ())
G_DECLARE_FINAL_TYPE (LsStepList, ls_step_list, LS, STEP_LIST, GtkWidget)

/* Signals: "chosen" (guint step), the user did; "part-chosen" (guint node), a nested step of it, which made that node; "left", the user
 * is done with the filter. */
void         ls_step_list_set_steps (LsStepList *self, LsSteps steps);
/* The current step, 0 for none, and the rows around it are shown. */
void         ls_step_list_set_step  (LsStepList *self, guint step);
/* Puts the focus into the filter. */
void         ls_step_list_filter    (LsStepList *self);
GtkListView *ls_step_list_get_view  (LsStepList *self);
/* The step at (x, y) of the view, the first one of an entry, or 0. */
guint        ls_step_list_step_at   (LsStepList *self, double x, double y);
