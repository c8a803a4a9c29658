/* LsStepScan: looks through the steps of a recording, onwards or back, for the first that passes a test, in slices of idle time. */
#pragma once
#include "trace/trace.h"

typedef struct _LsStepScan LsStepScan;
typedef gboolean (*LsStepTest) (LsTrace *trace, const LsPass *pass, guint step, gpointer data);
/* pass is NULL when nothing was found. The scan is freed when it returns. */
typedef void     (*LsStepDone) (const LsPass *pass, guint step, gpointer data);

/* Prepares data that the tests of the pass's steps need, for about this time; FALSE: not finished, call it again. */
typedef gboolean (*LsStepReady) (const LsPass *pass, gint64 microseconds, gpointer data);

/* Starts next to (pass, step), which is not tested itself. ready: or NULL. */
LsStepScan *ls_step_scan_start  (LsTrace *trace, const LsPass *pass, guint step, int direction, LsStepReady ready, LsStepTest test,
                                 LsStepDone done, gpointer data);
/* Ends it without done. */
void        ls_step_scan_cancel (LsStepScan *scan);
/* Steps looked at so far, of those that lie that way. */
void        ls_step_scan_progress (LsStepScan *scan, guint64 *looked, guint64 *all);
