/* LsStepSlider: a slider over the steps of a pass, with a tick for each step, binned per pixel. */
#pragma once
#include <gtk/gtk.h>
#include "session/steps.h"

#define LS_TYPE_STEP_SLIDER (ls_step_slider_get_type ())
G_DECLARE_FINAL_TYPE (LsStepSlider, ls_step_slider, LS, STEP_SLIDER, GtkWidget)

/* Signal "moved" (guint step): the user moved the handle. The pass is borrowed until the next call. */
void  ls_step_slider_set_steps (LsStepSlider *self, LsSteps steps);
typedef enum { LS_STEP_MARK_FIRST = 1, LS_STEP_MARK_SHRINK = 2, LS_STEP_MARK_BOOKMARK = 4 } LsStepMarkKind;
typedef struct { guint step; LsStepMarkKind kind; } LsStepMark;
/* Steps marked besides their ticks: key moments as dots (the largest shrink a square) above, bookmarks as flags. A copy is taken. */
void  ls_step_slider_set_marks (LsStepSlider *self, const LsStepMark *marks, guint n);
/* The kinds of a step's marks, or 0. */
guint ls_step_slider_get_mark  (LsStepSlider *self, guint step);
void  ls_step_slider_set_value (LsStepSlider *self, guint step);
guint ls_step_slider_get_value (LsStepSlider *self);
guint ls_step_slider_get_n     (LsStepSlider *self);
