/* Inside of replay, for the other files of engine/trace. */
#pragma once
#include "trace.h"

/* root after the first n_links links of the pass; nodes that are not recorded are made in ctx, which lies over the trace's. map gets
 * every node's value, visited (may be NULL) the nodes that have one. NULL in a recording whose links go in circles. */
LsUOp *ls_replay_evaluate (LsTrace *trace, const LsPass *pass, LsUOp *root, guint n_links, LsContext *ctx, LsNodeMap *map,
                           GPtrArray *visited);
guint  ls_replay_links_at (const LsPass *pass, guint step);
/* The pass's links by the node that they replace: the number of its link, from 1, or 0. Good until another pass of the trace is
 * replayed. */
typedef struct { guint32 n, *by_node; } LsReplayLinks;
const LsReplayLinks *ls_replay_links (LsTrace *trace, const LsPass *pass);
static inline guint ls_replay_link (const LsReplayLinks *links, const LsUOp *u) { return u->id < links->n ? links->by_node[u->id] : 0; }
/* Joining a graph of the pass with one of an earlier step of it. A node of the earlier one continues as the node that the links up to
 * the later step lead to from its name. graph: the one at step. */
typedef struct { LsTrace *trace; const LsPass *pass; const LsReplayLinks *links; guint n_links; LsNodeMap *at; } LsJoin;
void   ls_join_init   (LsJoin *join, LsTrace *trace, const LsPass *pass, const LsGraph *graph, guint step);
void   ls_join_clear  (LsJoin *join);
/* The node of the graph that a node of that name continues as, or NULL. last (may be NULL) gets where the links lead to: also when
 * that is not in the graph. */
LsUOp *ls_join_follow (const LsJoin *join, guint32 id, guint32 *last);
/* An empty array of LsPass, which it owns. */
GPtrArray *ls_trace_new_passes    (void);
/* A recording that has none of the passes compile, run and memory gets them. */
void       ls_trace_derive_passes (LsTrace *trace);
/* Drops tables kept for a trace; called when it goes. */
void   ls_replay_forget   (LsTrace *trace);
