#include "position-graph.h"

const LsGraphDiff *
ls_graph_view_show_position (LsGraphView *graph, LsViewSession *session)
{
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsGraphDiff *diff = ls_view_session_diff (session);
  LsPosition before, after;
  if (diff && ls_view_session_sides (session, &before, &after) && (before.pass != after.pass || before.step + 1 != after.step))
    ls_graph_view_set_between (graph, trace, before.pass, before.step, after.pass, after.step, diff);
  else
    ls_graph_view_set_step (graph, trace, ls_view_session_pass (session), ls_view_session_get_step (session), diff);
  guint n;
  const LsBinding *bindings = ls_view_session_bindings (session, &n);
  ls_graph_view_set_bindings (graph, bindings, n);
  return diff;
}
