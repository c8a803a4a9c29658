/* LsTimesChart: what the columns of a comparison take, each a bar to its median with the interval of it and all samples, on one axis
 * from zero. */
#pragma once
#include "session/compared.h"
#include <gtk/gtk.h>

#define LS_TYPE_TIMES_CHART (ls_times_chart_get_type ())
G_DECLARE_FINAL_TYPE (LsTimesChart, ls_times_chart, LS, TIMES_CHART, GtkWidget)

/* compared and names (one a column) are the caller's, and are read until others are set; NULL: nothing is shown. */
void       ls_times_chart_set (LsTimesChart *self, const LsCompared *compared, char *const *names);
