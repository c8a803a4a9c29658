/* A step may change a node when it is in the graph before and not in the one after (backwards: the other way round), which LsMembership
 * knows without either graph; only then the step's diff is made, which has its replacement, and whether it was only rebuilt. */
#include "node-history.h"

/* Records that it is u in that graph from now on. */
static void
stand (LsNodeHistory *f, LsGraph *graph, LsUOp *u)
{
  LsGraph *old = f->graph;
  f->graph = graph ? ls_graph_ref (graph) : NULL;
  ls_graph_unref (old);
  f->as = u;
  if (u)
    f->node = u->id;
}

/* Names distinguish nodes of one position: at another one the node is found by its structure. */
static gboolean
find_in (LsNodeHistory *f, LsGraph *graph)
{
  LsUOp *found = graph && f->as ? ls_graph_find_equal (f->graph, f->as, graph) : NULL;
  if (found)
    stand (f, graph, found);
  return found != NULL;
}

typedef enum { STAYS, REBUILT, CHANGES } Turn;

static Turn
follow_on (LsNodeHistory *f, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if ((n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->other && n->before == f->as) {
      stand (f, diff->after, n->node);
      f->seen = f->node;
      return n->rebuilt ? REBUILT : CHANGES;
    }
    if (n->kind == LS_DIFF_REMOVED && n->node == f->as) {
      f->seen = f->node;
      if (diff->matched == f->as && diff->result && diff->result != f->as)
        stand (f, diff->after, diff->result);      /* it became a node that was there already */
      else
        f->ended = TRUE;
      return CHANGES;
    }
  }
  return STAYS;
}

static Turn
follow_back (LsNodeHistory *f, const LsGraphDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    gboolean continues = (n->kind == LS_DIFF_CHANGED || n->kind == LS_DIFF_MOVED) && n->other;
    if (n->node != f->as || n->kind == LS_DIFF_REMOVED || (!continues && n->kind != LS_DIFF_ADDED))
      continue;
    f->seen = f->node;
    if (continues)
      stand (f, diff->before, n->before);
    else
      f->ended = TRUE;
    return n->rebuilt ? REBUILT : CHANGES;
  }
  return STAYS;
}

LsNodeHistory
ls_node_history_start (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction)
{
  LsNodeHistory f = { .node = node, .seen = node, .direction = direction, .kernel = pass->kernel, .parent = pass->parent, .pass = pass };
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  if (!diff)
    return f;
  LsUOp *u = ls_graph_node (diff->after, node), *ghost = u ? NULL : ls_graph_node (diff->before, node);
  stand (&f, ghost ? diff->before : diff->after, ghost ? ghost : u);
  if (step > 0 && direction < 0 && u)
    follow_back (&f, diff);
  else if (ghost && direction > 0)      /* a ghost of this step: its replacement, if any */
    follow_on (&f, diff);
  return f;
}

void
ls_node_history_clear (LsNodeHistory *f)
{
  g_clear_pointer (&f->membership, ls_membership_free);
  g_clear_pointer (&f->graph, ls_graph_unref);
  f->as = NULL;
}

gboolean
ls_node_history_follow (LsNodeHistory *f, LsTrace *trace, const LsPass *pass, guint step)
{
  if (f->ended || pass->kernel != f->kernel || pass->parent != f->parent || pass->kind != LS_PASS_REWRITE)      /* else its graph stays */
    return FALSE;
  if (pass != f->pass) {
    /* a pass that was stopped has no output: the result of its last step */
    g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, f->direction > 0 ? 0 : ls_pass_n_rewrites (pass));
    g_clear_pointer (&f->membership, ls_membership_free);
    f->pass = pass;
    f->absent = !find_in (f, graph);
  }
  if (!f->membership && !f->absent && f->as)
    f->membership = ls_membership_new (trace, pass, f->as, f->direction);
  if (!f->membership || !ls_membership_ends (f->membership, step))
    return FALSE;
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  Turn turn = diff && find_in (f, f->direction > 0 ? diff->before : diff->after) ? (f->direction > 0 ? follow_on : follow_back) (f, diff)
                                                                                 : STAYS;
  if (turn != STAYS)
    g_clear_pointer (&f->membership, ls_membership_free);
  return turn == CHANGES;
}
