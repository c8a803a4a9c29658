/* LsGraphView: the graph of a position, with the step's change in one picture.
 *
 * It shows what it is given and knows nothing of passes or recordings: a diff (union of two graphs) or a plain graph, a mode, and a selection.
 * Layout runs in a helper process off the main thread (Graphviz's dot by libgvc), is cancellable, has a time limit, and falls back to plain ranks;
 * results of an older request are dropped.
 */
#pragma once
#include <gtk/gtk.h>
#include "trace/trace.h"

G_BEGIN_DECLS

#define LS_TYPE_GRAPH_VIEW (ls_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (LsGraphView, ls_graph_view, LS, GRAPH_VIEW, GtkWidget)

typedef enum { LS_GRAPH_BEFORE, LS_GRAPH_BOTH, LS_GRAPH_AFTER } LsGraphMode;

GtkWidget *ls_graph_view_new           (void);
/* Shows a diff; the view takes a copy of what it needs, trace is kept referenced. diff may be NULL: an empty view. */
void       ls_graph_view_set_diff      (LsGraphView *view, LsTrace *trace, const LsGraphDiff *diff);
/* Shows a plain graph (every node "same"). */
void       ls_graph_view_set_root      (LsGraphView *view, LsTrace *trace, LsUOp *root);
LsGraphMode ls_graph_view_get_mode     (LsGraphView *view);
void       ls_graph_view_set_mode      (LsGraphView *view, LsGraphMode mode);
/* Node ids marked with the accent ring; the first is the current one. Signal "node-selected" (guint id) says that the user chose one. */
void       ls_graph_view_set_selection (LsGraphView *view, const guint32 *ids, guint n);
/* Node ids to be outlined as captures of the rule's match, with their names shown beside them. */
void       ls_graph_view_set_bindings  (LsGraphView *view, const LsBinding *bindings, guint n);
void       ls_graph_view_fit           (LsGraphView *view);
void       ls_graph_view_focus_change  (LsGraphView *view);
void       ls_graph_view_zoom_by       (LsGraphView *view, double factor);
/* Constants and ranges drawn inside their consumers, index arithmetic as one expression. Default TRUE. */
void       ls_graph_view_set_fold      (LsGraphView *view, gboolean fold);
/* TRUE while a layout is under way; property "busy". */
gboolean   ls_graph_view_get_busy      (LsGraphView *view);
/* What the layout says in words: "42 nodes, dot, 3 ms", "dot took longer than 2 s: plain ranks"; property "status". */
const char *ls_graph_view_get_status   (LsGraphView *view);

/* Where a node is drawn (or the one that it is drawn in), in the widget; FALSE when it is not shown. */
gboolean   ls_graph_view_node_rect     (LsGraphView *view, guint32 id, graphene_rect_t *rect);
/* Signal "node-activated" (guint id): Enter on the current node, or a double click. */

G_END_DECLS
