/* LsScheduleView: kernels and buffers as a graph, their memory over time, and a sentence about what is chosen. */
#pragma once
#include "panes/schedule/memory-chart.h"
#include "session/session.h"

#define LS_TYPE_SCHEDULE_VIEW (ls_schedule_view_get_type ())
G_DECLARE_FINAL_TYPE (LsScheduleView, ls_schedule_view, LS, SCHEDULE_VIEW, GtkWidget)

void        ls_schedule_view_set_session (LsScheduleView *self, LsViewSession *session);
/* Property "busy": a layout is under way. Signal "kernel-chosen": another kernel becomes the position.
 * Chooses a kernel or buffer by its id in the picture (schedule.h), and says what it is. */
void        ls_schedule_view_choose      (LsScheduleView *self, guint32 id);
