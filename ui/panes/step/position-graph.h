/* The graph of a session's position. */
#pragma once
#include "graph/view/graph-view.h"
#include "session/session.h"

/* Shows the position, or the change from the base to it, with the captures of the rule's match; returns the diff that is shown, the
 * session's, or NULL. */
const LsGraphDiff *ls_graph_view_show_position (LsGraphView *graph, LsViewSession *session);
