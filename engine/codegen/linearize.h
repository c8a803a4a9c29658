/* The order of instructions: from a graph to the linear list.
 *
 * Input is SINK(STORE…) after `decompose`:
 *   DEFINE_GLOBAL  dtype ptr, arg int number
 *   DEFINE_VAR     arg a variable with its position among the arguments; an integer
 *   RANGE(size CONST, or arithmetic of variables) arg ints {axis, LsAxisType}; after `dims` only LOOP, REDUCE and similar types
 *   SPECIAL(size CONST) arg str "lidx0", "gidx1"
 *   INDEX(buffer, index[, gate]) dtype ptr; gate bool
 *   LOAD(INDEX[, alternative]); the alternative exists if and only if the INDEX has a gate
 *   STORE(INDEX, value)
 *   DEFINE_ACC(initial value, RANGE…) arg int number; PHI(DEFINE_ACC, next value, RANGE…): the value after the loops
 *   DEFINE_REG dtype ptr, arg ints {number}; LOAD and STORE of its elements name the nodes that they wait for and the loops that
 *   they are in or end (registers.c)
 *   ALU, CAST, BITCAST, CONST (no sources), VECTORIZE, GEP
 * A node is inside the loop of each RANGE it depends on; PHI ends its ranges: users of a PHI come after their loops.
 * Output: the same nodes, DEFINE_* first, and for each RANGE an ENDRANGE(RANGE); each node after its sources, except a
 * DEFINE_ACC, which comes before the loops it names. The SINK is last.
 */
#pragma once
#include "ir/uop.h"
#include "settings.h"

/* As ls_linearize, by blocks (linearize-blocks.c): of graphs without DEFINE_ACC and PHI, whose accumulators are registers. */
/* order: ls_uop_toposort of the SINK, which it takes */
GPtrArray *ls_linearize_blocks (LsContext *ctx, GPtrArray *order, GError **error);
/* Free with g_ptr_array_unref. NULL and LS_ERROR_SPEC when the graph has no order (ranges that cannot nest). */
GPtrArray *ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error);

/* A loop of a graph, or its work items or threads. parent: the loop around it, its number + 1; 0: none. */
typedef struct { LsUOp *range; guint parent; } LsLoop;
/* The loops of a graph of any stage from lower on, outer ones first, and of each of its nodes the innermost one that it is in, its
 * number + 1; 0: none. A node is in the innermost loop that it depends on, and in all loops around that one, as its row is: the order
 * of nesting is that of ls_linearize. A REDUCE or PHI is in the loop that it ends, and a RANGE in its own. */
typedef struct { guint n; LsLoop *loops; guint *in; } LsLoops;
LsLoops *ls_loops_new  (LsContext *ctx, GPtrArray *nodes);
void     ls_loops_free (LsLoops *loops);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsLoops, ls_loops_free)
