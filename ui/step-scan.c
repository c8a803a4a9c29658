/* A test may need the step's diff: one test is made in each slice at least, and as many as fit into 6 ms. */
#include "step-scan.h"

struct _LsStepScan {
  LsTrace   *trace;
  guint      pass, step;
  int        direction;
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
    more = advance (scan);
    scan->looked += more;
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
ls_step_scan_start (LsTrace *trace, const LsPass *pass, guint step, int direction, LsStepTest test, LsStepDone done, gpointer data)
{
  LsStepScan *scan = g_new (LsStepScan, 1);
  *scan = (LsStepScan) { ls_trace_ref (trace), pass->index, step, direction, test, done, data, 0, 0, 0 };
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

/* --- lineage --- */

static gboolean
follow_on (LsLineage *l, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if ((n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->before->id == l->node && n->before != n->node) {
      l->node = l->seen = n->node->id;
      return TRUE;
    }
    if (n->kind == LS_DIFF_REMOVED && n->node->id == l->node) {
      l->seen = l->node;
      if (diff->matched && diff->matched->id == l->node && diff->result && diff->result->id != l->node)
        l->node = diff->result->id;      /* it became a node that was there already */
      else
        l->ended = TRUE;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
follow_back (LsLineage *l, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    gboolean continues = (n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->before != n->node;
    if (n->node->id != l->node || (!continues && n->kind != LS_DIFF_ADDED))
      continue;
    l->seen = l->node;
    if (continues)
      l->node = n->before->id;
    else
      l->ended = TRUE;
    return TRUE;
  }
  return FALSE;
}

/* Node ids are of the recording: a pass holds the node if its graph on the side of arrival does. */
static gboolean
holds (LsTrace *trace, const LsPass *pass, int direction, guint32 node)
{
  /* a pass that was stopped has no output: what its last step left */
  LsUOp *root = direction > 0 ? ls_context_node (trace->ctx, pass->input) : ls_pass_root_at (trace, pass, ls_pass_n_steps (pass));
  g_autoptr (GPtrArray) nodes = root ? ls_uop_toposort (trace->ctx, root) : NULL;
  for (guint i = 0; nodes && i < nodes->len; i++)
    if (((LsUOp *) nodes->pdata[i])->id == node)
      return TRUE;
  return FALSE;
}

LsLineage
ls_lineage_start (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction)
{
  LsLineage l = { node, node, FALSE, direction, pass->kernel, pass, FALSE };
  g_autoptr (LsGraphDiff) diff = step > 0 ? ls_pass_diff_step (trace, pass, step) : NULL;
  if (!diff)
    return l;
  if (direction < 0) {
    follow_back (&l, diff);
    return l;
  }
  for (guint i = 0; i < diff->nodes->len; i++) {      /* a ghost of this step: what it became, if anything */
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind == LS_DIFF_REMOVED && n->node->id == node)
      follow_on (&l, diff);
  }
  return l;
}

gboolean
ls_lineage_follow (LsLineage *l, LsTrace *trace, const LsPass *pass, guint step)
{
  if (l->ended || pass->kernel != l->kernel)
    return FALSE;
  if (pass != l->pass) {
    l->pass = pass;
    l->absent = !holds (trace, pass, l->direction, l->node);
  }
  if (l->absent)
    return FALSE;
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  return diff && (l->direction > 0 ? follow_on (l, diff) : follow_back (l, diff));
}
