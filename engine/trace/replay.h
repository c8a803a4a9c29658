/* Inside of replay, for the other files of engine/trace. */
#pragma once
#include "trace.h"

/* root through the first n_links links of the pass; map gets every node's fate. NULL in a recording whose links go in circles. */
LsUOp *ls_replay_evaluate (LsTrace *trace, const LsPass *pass, LsUOp *root, guint n_links, LsNodeMap *map);
guint  ls_replay_links_at (const LsPass *pass, guint step);
/* Drops tables kept for a trace; called when it goes. */
void   ls_replay_forget   (LsTrace *trace);

/* For each node that a pass made: the nodes it was made from. Lists by node id; entry 0 ends a list. */
typedef struct { guint32 next, parent; gint32 rule; guint32 step; } LsLineageEntry;
typedef struct {
  guint32         size, n, capacity;
  guint32        *first;
  LsLineageEntry *entries;
  guint8         *in_input;
} LsLineage;
const LsLineage *ls_lineage_of     (LsTrace *trace, const LsPass *pass);
void             ls_lineage_forget (const LsPass *pass);
static inline guint32  ls_lineage_first    (const LsLineage *l, guint32 node) { return node < l->size ? l->first[node] : 0; }
static inline gboolean ls_lineage_in_input (const LsLineage *l, guint32 node) { return node < l->size && l->in_input[node]; }
