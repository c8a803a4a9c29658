/* Lineage: from which nodes those of a pass descend, down to the calls of the program; see lineage.c. */
#pragma once
#include "trace.h"

/* For each node that a pass made: the nodes it was made from. A list by node; entry 0 ends it. For a map pass, step is the index in its
 * map. */
typedef struct { guint32 next, parent; gint32 rule; guint32 step; } LsLineageEntry;
typedef struct {
  guint32         n, capacity;       /* of entries; entry 0 means none */
  LsLineageEntry *entries;
  GHashTable     *first;             /* node id + 1 -> entry; a node without one represents itself */
  GHashTable     *in_input;          /* of those the ones that the input had as well */
  /* while it is being made: links that were looked at, steps among them, and by node the step that made it, 0: the input had it */
  guint           n_links, n_steps;
  LsNodeMap      *known;
} LsLineage;
const LsLineage *ls_lineage_of     (LsTrace *trace, const LsPass *pass);
/* Makes it, for at most that many microseconds; TRUE when it is made. A pass of a million steps takes tenths of a second. */
gboolean         ls_lineage_work   (LsTrace *trace, const LsPass *pass, gint64 microseconds);
void             ls_lineage_forget (const LsPass *pass);
static inline guint32
ls_lineage_first (const LsLineage *l, guint32 node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (l->first, GUINT_TO_POINTER (node + 1)));
}
static inline gboolean
ls_lineage_in_input (const LsLineage *l, guint32 node)
{
  return g_hash_table_contains (l->in_input, GUINT_TO_POINTER (node + 1));
}

/* The passes that the nodes of pass went through, latest first: those of the kernel up to it, the tensor pass of its realize, and the
 * map that put buffers into the program's graph. */
GPtrArray *ls_lineage_chain        (LsTrace *trace, const LsPass *pass);
/* The same for a kernel's final nodes. One that shares another's code goes through that one's passes, and its own schedule. */
GPtrArray *ls_lineage_chain_kernel (LsTrace *trace, const LsKernel *kernel);
/* From nodes (ids, as after the chain's first pass) back to the program's: origins gets LsOrigin for each link of the way; NULL-able.
 * Returns the ids of the program's nodes, each once. Free with g_array_unref. */
GArray    *ls_lineage_walk         (LsTrace *trace, GPtrArray *chain, guint n, const guint32 *nodes, GArray *origins);

/* Which call made a node: index in trace->calls by node id, or -1; and the calls that would have made it, had it not been there:
 * those of node i are more[first[i]] … more[first[i + 1] - 1]. */
typedef struct {
  gint32  *call;
  guint    n;
  guint32 *first;
  gint32  *more;
  guint32 *first_line;         /* the lines of the program that they are of, each once: lines, from first_line[i] on */
  GArray  *lines;              /* guint */
} LsCallIndex;
void ls_call_index_init  (LsCallIndex *index, LsTrace *trace);
void ls_call_index_clear (LsCallIndex *index);
static inline gint ls_call_index_get (const LsCallIndex *index, guint32 node) { return node < index->n ? index->call[node] : -1; }
/* Is one of the calls that made the node on that program line? */
gboolean ls_call_index_is_of_line (const LsCallIndex *index, LsTrace *trace, guint32 node, guint line);
/* The calls that made these nodes, or would have, each once. Free with g_array_unref. */
GArray *ls_call_index_calls (const LsCallIndex *index, guint n, const guint32 *nodes);
/* Program lines (from 1), ascending, each once, of all the calls that made these nodes. */
GArray *ls_call_index_lines (const LsCallIndex *index, LsTrace *trace, guint n, const guint32 *nodes);
