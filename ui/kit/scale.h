/* The presentation scale: text of all windows larger or smaller than the desktop says. */
#pragma once
#include <glib.h>

#define LS_SCALE_NORMAL 100

/* Percent, 50 to 250; applied to the display at once and remembered. Gives the factor by which it changed. */
double ls_scale_set  (int percent);
int    ls_scale_get  (void);
/* One notch larger (1), smaller (-1) or back to normal (0). Gives the factor by which it changed. */
double ls_scale_step (int direction);
