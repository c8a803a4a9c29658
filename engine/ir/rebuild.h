#pragma once

#include "uop.h"

/* What stands for u whatever becomes of its sources, which are then not entered; NULL: u is made over them. */
typedef LsUOp *(*LsRebuildReplace) (gpointer data, LsUOp *u);
/* u over what its sources became; src is the caller's to change, as far as the call goes. */
typedef LsUOp *(*LsRebuildOver)    (gpointer data, LsUOp *u, LsUOp **src);

/* Makes the graph below n roots again, with other nodes in it: sources first, in source order, each node once, iterative. map gets what
 * each node became; nodes that stand in it before are replaced by what stands there. replace: NULL where map says it all.
 * over: NULL for the same op, dtype, argument and tag over other sources. */
void ls_graph_rebuild (LsContext *ctx, guint n, LsUOp *const *roots, LsNodeMap *map, LsRebuildReplace replace, LsRebuildOver over,
                       gpointer data);
