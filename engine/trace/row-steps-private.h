/* Shared by the two files of steps of rows. */
#pragma once
#include "row-changes.h"

typedef enum {
  LS_ROWS_NONE, LS_ROWS_LINEARIZE, LS_ROWS_PROCEDURE, LS_ROWS_CHANGES, LS_ROWS_RENDER, LS_ROWS_COMPILE, LS_ROWS_RUN, LS_ROWS_SEARCH,
  LS_ROWS_MEMORY, LS_ROWS_SCHEDULE, LS_N_ROWS
} LsRows;

/* What the steps of a pass are; NONE: it has no such steps. */
LsRows ls_rows_of (const LsPass *pass);
/* The list of UOps (guint32 ids) as the pass left it, the recording's; NULL: the pass is about no list. */
const GArray *ls_row_steps_whole (const LsPass *pass);
/* Of a pass over a procedure that changed it, else NULL. */
const LsRowChanges *ls_row_steps_changes (const LsPass *pass);
/* The buffers (LsTraceBuffer) of the memory plan, in the order in which it places them. */
const GPtrArray *ls_planned_buffers (const LsPass *pass);
/* The lines of the compiler's message that are not empty: how many, and the one of that number (from 1) as line, to be freed. */
guint  ls_compile_lines (const LsKernel *kernel, guint wanted, char **line);

/* The texts of LsRowWords while they are made. */
typedef struct { GString *name, *change, *why, *more; } LsRowTexts;
/* Steps of the schedule of a realization (schedule-steps.c). */
guint    ls_schedule_n_steps    (const LsPass *pass);
gboolean ls_schedule_step       (const LsPass *pass, guint step, LsRowStep *out);
void     ls_schedule_step_words (const LsPass *pass, guint step, gboolean shown, LsRowTexts *out);
/* An array of LsRegion, which owns their titles. */
GArray *ls_regions_new (void);
