/* LsStepSlider: a slider over the steps of a pass, with a tick for each step, binned per pixel. */
#pragma once
#include <gtk/gtk.h>
#include "steps.h"

G_BEGIN_DECLS

#define LS_TYPE_STEP_SLIDER (ls_step_slider_get_type ())
G_DECLARE_FINAL_TYPE (LsStepSlider, ls_step_slider, LS, STEP_SLIDER, GtkWidget)

/* Signal "moved" (guint step): the user moved the handle. The pass is borrowed until the next call. */
void  ls_step_slider_set_steps (LsStepSlider *self, LsSteps steps);
void  ls_step_slider_set_value (LsStepSlider *self, guint step);
guint ls_step_slider_get_value (LsStepSlider *self);

G_END_DECLS
