/* A test may need the step's diff: one test is made in each slice at least, and as many as fit into 6 ms. */
#include "step-scan.h"

struct _LsStepScan {
  LsTrace   *trace;
  guint      pass, step;
  int        direction;
  LsStepReady ready;
  gboolean   waits;      /* for ready, at (pass, step) */
  int        is_ready;   /* the pass that it is ready for, or -1 */
  LsStepTest test;
  LsStepDone done;
  gpointer   data;
  guint      source;
  guint64    looked, all;
};

/* The next step that way, across passes; FALSE at the end. */
static gboolean
advance (LsStepScan *scan)
{
  const LsPass *pass = scan->trace->passes->pdata[scan->pass];
  if (scan->direction > 0 ? scan->step < ls_pass_n_steps (pass) : scan->step > 1) {
    scan->step = (guint) ((int) scan->step + scan->direction);
    return TRUE;
  }
  for (int i = (int) scan->pass + scan->direction; i >= 0 && i < (int) scan->trace->passes->len; i += scan->direction) {
    guint n = ls_pass_n_steps (scan->trace->passes->pdata[i]);
    if (n > 0) {
      scan->pass = (guint) i;
      scan->step = scan->direction > 0 ? 1 : n;
      return TRUE;
    }
  }
  return FALSE;
}

static void
free_scan (LsStepScan *scan)
{
  ls_trace_unref (scan->trace);
  g_free (scan);
}

static gboolean
on_slice (gpointer data)
{
  LsStepScan *scan = data;
  gint64 end = g_get_monotonic_time () + 6000;
  gboolean found = FALSE, more = TRUE;
  do {
    if (!scan->waits) {
      more = advance (scan);
      scan->looked += more;
    }
    if (more && scan->ready && scan->is_ready != (int) scan->pass) {
      scan->waits = !scan->ready (scan->trace->passes->pdata[scan->pass], MAX (end - g_get_monotonic_time (), 1000), scan->data);
      if (scan->waits)
        return G_SOURCE_CONTINUE;
      scan->is_ready = (int) scan->pass;
    }
    found = more && scan->test (scan->trace, scan->trace->passes->pdata[scan->pass], scan->step, scan->data);
  } while (more && !found && g_get_monotonic_time () < end);
  if (more && !found)
    return G_SOURCE_CONTINUE;
  scan->source = 0;
  scan->done (found ? scan->trace->passes->pdata[scan->pass] : NULL, scan->step, scan->data);
  free_scan (scan);
  return G_SOURCE_REMOVE;
}

LsStepScan *
ls_step_scan_start (LsTrace *trace, const LsPass *pass, guint step, int direction, LsStepReady ready, LsStepTest test, LsStepDone done,
                    gpointer data)
{
  LsStepScan *scan = g_new (LsStepScan, 1);
  *scan = (LsStepScan) { ls_trace_ref (trace), pass->index, step, direction, ready, FALSE, -1, test, done, data, 0, 0, 0 };
  scan->all = direction > 0 ? ls_pass_n_steps (pass) - MIN (step, ls_pass_n_steps (pass)) : step;
  for (guint i = pass->index + (guint) direction; i < trace->passes->len; i += (guint) direction)      /* backwards it ends below 0 */
    scan->all += ls_pass_n_steps (trace->passes->pdata[i]);
  scan->source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_slice, scan, NULL);
  return scan;
}

void
ls_step_scan_cancel (LsStepScan *scan)
{
  if (!scan)
    return;
  g_source_remove (scan->source);
  free_scan (scan);
}

void
ls_step_scan_progress (LsStepScan *scan, guint64 *looked, guint64 *all)
{
  *looked = scan->looked;
  *all = MAX (scan->all, scan->looked);
}
