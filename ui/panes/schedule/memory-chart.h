/* LsMemoryChart: the memory of a recording's buffers over its kernels. */
#pragma once
#include <gtk/gtk.h>
#include "schedule.h"

#define LS_TYPE_MEMORY_CHART (ls_memory_chart_get_type ())
G_DECLARE_FINAL_TYPE (LsMemoryChart, ls_memory_chart, LS, MEMORY_CHART, GtkWidget)

GtkWidget *ls_memory_chart_new        (void);
/* The buffers that the schedule's kernels use; NULL: none. The schedule must live until another comes. */
void       ls_memory_chart_set        (LsMemoryChart *self, LsScheduleScene *schedule);
/* Marks a kernel's column or a buffer's bar, by its id in the schedule's picture. Signal "chosen" (guint id): the user did. */
void       ls_memory_chart_set_chosen (LsMemoryChart *self, guint32 id);
guint      ls_memory_chart_n_bars     (LsMemoryChart *self);
