/* LsGraph: the graph at one position of a recording, as an array of its nodes.
 *
 * A node is named by the recorded node that it continues, and its id is that name: the same at every step until a link of the pass
 * says what becomes of it. Nodes that the recording has as they are here are the recorded ones themselves. The others, recorded nodes
 * over sources that changed by then, belong to the graph, and looking at a position makes nothing in the recording's context. Names
 * are unique within a graph; of several recorded nodes that are one node here the one that was made first names it, and the others
 * are its aliases. A graph is a function of pass and step, whatever was looked at before.
 */
#pragma once
#include "ir/uop.h"

typedef struct { guint32 id, name; } LsAlias;

typedef struct {
  gint        ref_count;
  LsContext  *ctx;          /* what its nodes are asked about with; scratch contexts lie over it */
  LsUOp      *root;
  GPtrArray  *nodes;        /* LsUOp: sources first, the root last */
  GArray     *aliases;      /* LsAlias: recorded nodes that are here under another one's name */
  LsNames    *names;        /* what its loops are called, or NULL */
} LsGraph;

/* A graph of ctx's nodes, each named by itself. */
LsGraph *ls_graph_new   (LsContext *ctx, LsUOp *root);
/* The same of the nodes themselves (LsUOp), sources first, the root last: takes the array. */
LsGraph *ls_graph_new_take (LsContext *ctx, GPtrArray *nodes);
LsGraph *ls_graph_ref   (LsGraph *graph);
void     ls_graph_unref (LsGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsGraph, ls_graph_unref)
/* The node that goes by that name, an alias perhaps, or NULL: it is not in the graph. */
LsUOp   *ls_graph_node  (const LsGraph *graph, guint32 id);
/* For each node of b the node of a that is equal to it with all that is below it, or NULL. Free with g_free. */
LsUOp  **ls_graph_find_same (const LsGraph *a, const LsGraph *b);
/* The node of the other graph that is equal to u with all that is below it, or NULL. */
LsUOp   *ls_graph_find_equal (const LsGraph *graph, const LsUOp *u, const LsGraph *other);
