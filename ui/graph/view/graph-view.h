/* LsGraphView: the graph of a position, with the step's change in one picture.
 *
 * It shows a step of a pass, or a diff (union of two graphs), or a plain graph, in a mode, with a selection. Layout runs off the main
 * thread, is cancellable, and results of an older request are dropped. The stable engine lays each step out so that it follows the
 * steps before it; the other engine is Graphviz's dot in a helper process with a time limit, which falls back to plain ranks.
 */
#pragma once
#include <gtk/gtk.h>
#include "trace/trace.h"

struct _LsScene;

#define LS_TYPE_GRAPH_VIEW (ls_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (LsGraphView, ls_graph_view, LS, GRAPH_VIEW, GtkWidget)

typedef enum { LS_GRAPH_BEFORE, LS_GRAPH_BOTH, LS_GRAPH_AFTER } LsGraphMode;
typedef enum { LS_GRAPH_STABLE, LS_GRAPH_DOT } LsGraphEngine;

GtkWidget *ls_graph_view_new           (void);
/* Shows a diff; the view copies the parts that it needs, trace is kept referenced. diff may be NULL: an empty view. */
void       ls_graph_view_set_diff      (LsGraphView *view, LsTrace *trace, const LsGraphDiff *diff);
/* Shows a step of a pass, 0: its input. Places are a function of (pass, step). diff: the step's, when it is at hand, or NULL. */
void       ls_graph_view_set_step      (LsGraphView *view, LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *diff);
/* Shows what changed from one position to another. Places are a function of the two: what stays keeps its place at base. */
void       ls_graph_view_set_between   (LsGraphView *view, LsTrace *trace, const LsPass *base, guint base_step, const LsPass *pass,
                                        guint step, const LsGraphDiff *diff);
/* Shows a plain graph (every node "same"). */
void       ls_graph_view_set_root      (LsGraphView *view, LsTrace *trace, LsUOp *root);
LsGraphMode ls_graph_view_get_mode     (LsGraphView *view);
void       ls_graph_view_set_mode      (LsGraphView *view, LsGraphMode mode);
/* Shows a picture of one's own (taken), laid out afresh; NULL: an empty view. Its description must live until it is replaced. */
void       ls_graph_view_set_scene     (LsGraphView *view, LsTrace *trace, struct _LsScene *scene);
/* Node ids marked with the accent ring; the first is the current one. Signal "node-selected" (guint id) says that the user chose one. */
void       ls_graph_view_set_selection (LsGraphView *view, const guint32 *ids, guint n);
/* Brings the current node into sight, now or, where it is not known yet, as soon as it is: for a choice that the user has just made. */
void       ls_graph_view_reveal_selection (LsGraphView *view);
/* Node ids to be outlined as captures of the rule's match, with their names next to them. */
void       ls_graph_view_set_bindings  (LsGraphView *view, const LsBinding *bindings, guint n);
void       ls_graph_view_fit           (LsGraphView *view);
void       ls_graph_view_focus_change  (LsGraphView *view);
void       ls_graph_view_zoom_by       (LsGraphView *view, double factor);
/* Constants and ranges drawn inside their consumers, index arithmetic as one expression. Default TRUE. */
void       ls_graph_view_set_fold      (LsGraphView *view, gboolean fold);
/* The current box collapses the nodes that only feed it; expanding gives the former picture. A collapsed box follows its node through
 * the kernel. */
guint      ls_graph_view_collapse      (LsGraphView *view);
gboolean   ls_graph_view_expand        (LsGraphView *view);
void       ls_graph_view_expand_all    (LsGraphView *view);
/* The innermost loop frame around the current box becomes one box, or that box the loop again. FALSE: there is none. */
gboolean   ls_graph_view_fold_loop     (LsGraphView *view);
/* Classes of nodes (LsHidden) that are not drawn where the step left them as they were; and how many nodes that are: property
 * "n-hidden". */
void       ls_graph_view_set_hidden    (LsGraphView *view, guint classes);
guint      ls_graph_view_get_n_hidden  (LsGraphView *view);
/* The layout engine; property "engine". Default LS_GRAPH_STABLE. */
void       ls_graph_view_set_engine    (LsGraphView *view, LsGraphEngine engine);
/* Makes a node look as if the pointer were on it; LS_NO_NODE: none. */
void       ls_graph_view_set_hover     (LsGraphView *view, guint32 id);
/* Items of the context menu that are about the node under the pointer, which is chosen first. */
void       ls_graph_view_set_questions (LsGraphView *view, GMenuModel *questions);
/* TRUE while a layout is under way; property "busy". */
gboolean   ls_graph_view_get_busy      (LsGraphView *view);

/* Ends a layout that is under way, and keeps what is shown. FALSE when there is none. */
gboolean   ls_graph_view_cancel        (LsGraphView *view);

/* The whole current graph, not only its visible part; NULL: there is none. As DOT (free with g_free); as a picture, and that as the
 * content of an SVG file. */
char      *ls_graph_view_to_dot        (LsGraphView *view);
cairo_surface_t *ls_graph_view_record  (LsGraphView *view);
GBytes    *ls_graph_svg                (cairo_surface_t *recorded, GError **error);
GBytes    *ls_graph_png                (cairo_surface_t *recorded, GError **error);
/* The change and its surroundings as a small picture of twice as many pixels (cairo_surface_destroy; NULL: there is no graph). */
cairo_surface_t *ls_graph_view_thumbnail (LsGraphView *view, int width, int height);

/* Where a node is drawn (or the one that it is drawn in), in the widget; FALSE when it is not shown. */
gboolean   ls_graph_view_node_rect     (LsGraphView *view, guint32 id, graphene_rect_t *rect);
/* Signal "node-activated" (guint id): Enter on the current node, or a double click. */
