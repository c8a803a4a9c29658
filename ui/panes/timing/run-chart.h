/* LsRunChart: the whole run over time, stages and kernels. */
#pragma once
#include "session/session.h"
#include <gtk/gtk.h>

#define LS_TYPE_RUN_CHART (ls_run_chart_get_type ())
G_DECLARE_FINAL_TYPE (LsRunChart, ls_run_chart, LS, RUN_CHART, GtkWidget)

guint      ls_run_chart_n_spans (LsRunChart *self);
/* Where the middle of a kernel's longest span is, in the widget; FALSE: it has none. */
gboolean   ls_run_chart_find    (LsRunChart *self, guint kernel, double *x, double *y);
