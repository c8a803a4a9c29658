#pragma once

#include "uop.h"

/* The replacement of u regardless of its sources, which are then not visited; NULL: u is rebuilt over them. */
typedef LsUOp *(*LsRebuildReplace) (gpointer data, LsUOp *u);
/* u over the replacements of its sources; the callee may change src during the call. */
typedef LsUOp *(*LsRebuildOver)    (gpointer data, LsUOp *u, LsUOp **src);

/* Rebuilds the graph below n roots with other nodes in it: sources first, in source order, each node once, iterative. map gets the
 * replacement of each node; nodes that are in it before are replaced accordingly. replace: NULL if map has all replacements. over: NULL
 * for the same op, dtype, argument and tag over other sources. */
void ls_graph_rebuild (LsContext *ctx, guint n, LsUOp *const *roots, LsNodeMap *map, LsRebuildReplace replace, LsRebuildOver over,
                       gpointer data);
