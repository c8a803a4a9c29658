/* LsStepScan: looks through the steps of a recording, onwards or back, for the first that passes a test, in slices of idle time.
 * LsLineage: whether a step changes what became of one node. */
#pragma once
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _LsStepScan LsStepScan;
typedef gboolean (*LsStepTest) (LsTrace *trace, const LsPass *pass, guint step, gpointer data);
/* pass is NULL when nothing was found. The scan is freed when it returns. */
typedef void     (*LsStepDone) (const LsPass *pass, guint step, gpointer data);

/* Starts beside (pass, step), which is not tested itself. */
LsStepScan *ls_step_scan_start  (LsTrace *trace, const LsPass *pass, guint step, int direction, LsStepTest test, LsStepDone done, gpointer data);
/* Ends it without done. */
void        ls_step_scan_cancel (LsStepScan *scan);
/* Steps looked at so far, of those that lie that way. */
void        ls_step_scan_progress (LsStepScan *scan, guint64 *looked, guint64 *all);

typedef struct {
  guint32       node;         /* as it stands where the last step led */
  guint32       seen;         /* as the last step that changed it shows it */
  gboolean      ended;        /* removed, or, backwards, not made yet */
  int           direction;
  guint         kernel;
  const LsPass *pass;         /* whose graphs hold the node or not */
  gboolean      absent;
} LsLineage;

/* A node as the graph at (pass, step) shows it, ghosts of the step included. */
LsLineage ls_lineage_start  (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction);
/* Follows it through a step, to be called for each step in order; TRUE when the step changed, removed or made it. */
gboolean  ls_lineage_follow (LsLineage *lineage, LsTrace *trace, const LsPass *pass, guint step);

G_END_DECLS
