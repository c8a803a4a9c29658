/* LsRunChart: the whole run over time: statements, passes, compilers, launches. */
#pragma once
#include "session/session.h"
#include "trace/timeline.h"
#include <gtk/gtk.h>

#define LS_TYPE_RUN_CHART (ls_run_chart_get_type ())
G_DECLARE_FINAL_TYPE (LsRunChart, ls_run_chart, LS, RUN_CHART, GtkWidget)

guint         ls_run_chart_n_spans  (LsRunChart *self);
const LsSpan *ls_run_chart_get_span (LsRunChart *self, guint i);
/* The zoom factor; 1 shows the whole run. */
double        ls_run_chart_get_zoom (LsRunChart *self);
/* Where the middle of a span is, in the widget; FALSE: outside of it. */
gboolean      ls_run_chart_find     (LsRunChart *self, guint span, double *x, double *y);
