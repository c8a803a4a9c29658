/* A step changes a node when it is in the graph before and not in the one after (backwards: the other way round), which LsPresence knows without either
 * graph; only then the step's diff is made, which says what became of it. */
#include "fate.h"

static gboolean
follow_on (LsFate *f, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if ((n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->before->id == f->node && n->before != n->node) {
      f->node = f->seen = n->node->id;
      return TRUE;
    }
    if (n->kind == LS_DIFF_REMOVED && n->node->id == f->node) {
      f->seen = f->node;
      if (diff->matched && diff->matched->id == f->node && diff->result && diff->result->id != f->node)
        f->node = diff->result->id;      /* it became a node that was there already */
      else
        f->ended = TRUE;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
follow_back (LsFate *f, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    gboolean continues = (n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->before != n->node;
    if (n->node->id != f->node || (!continues && n->kind != LS_DIFF_ADDED))
      continue;
    f->seen = f->node;
    if (continues)
      f->node = n->before->id;
    else
      f->ended = TRUE;
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

LsFate
ls_fate_start (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction)
{
  LsFate f = { node, node, FALSE, direction, pass->kernel, pass, FALSE, NULL };
  g_autoptr (LsGraphDiff) diff = step > 0 ? ls_pass_diff_step (trace, pass, step) : NULL;
  if (!diff)
    return f;
  if (direction < 0) {
    follow_back (&f, diff);
    return f;
  }
  for (guint i = 0; i < diff->nodes->len; i++) {      /* a ghost of this step: what it became, if anything */
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind == LS_DIFF_REMOVED && n->node->id == node)
      follow_on (&f, diff);
  }
  return f;
}

void
ls_fate_clear (LsFate *f)
{
  g_clear_pointer (&f->presence, ls_presence_free);
}

gboolean
ls_fate_follow (LsFate *f, LsTrace *trace, const LsPass *pass, guint step)
{
  if (f->ended || pass->kernel != f->kernel)
    return FALSE;
  if (pass != f->pass) {
    ls_fate_clear (f);
    f->pass = pass;
    f->absent = !holds (trace, pass, f->direction, f->node);
  }
  LsUOp *node = f->presence || f->absent ? NULL : ls_context_node (trace->ctx, f->node);
  if (node)
    f->presence = ls_presence_new (trace, pass, node, f->direction);
  if (!f->presence || !ls_presence_ends (f->presence, step))
    return FALSE;
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  gboolean changed = diff && (f->direction > 0 ? follow_on (f, diff) : follow_back (f, diff));
  if (changed)
    ls_fate_clear (f);
  return changed;
}
