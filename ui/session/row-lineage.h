/* LsRowLineage: which rows of one kernel's listing descend from which nodes of its earlier passes. */
#pragma once
#include "trace/trace.h"

typedef struct _LsRowLineage LsRowLineage;

LsRowLineage *ls_row_lineage_new    (LsTrace *trace, LsKernel *kernel);
void          ls_row_lineage_free   (LsRowLineage *row_lineage);
LsKernel     *ls_row_lineage_kernel (LsRowLineage *row_lineage);
/* Works for at most that many microseconds; TRUE when there is nothing left to do. */
gboolean      ls_row_lineage_work   (LsRowLineage *row_lineage, gint64 microseconds);
/* A set of nodes that keeps the order in which they were added. */
typedef struct { GArray *nodes; GHashTable *set; } LsNodes;      /* guint32; node id + 1 */
void     ls_nodes_init  (LsNodes *nodes);
void     ls_nodes_clear (LsNodes *nodes);      /* frees what it holds; fine on a zeroed one */
gboolean ls_nodes_add   (LsNodes *nodes, guint32 node);
gboolean ls_nodes_has   (const LsNodes *nodes, guint32 node);

/* Adds to out the listing's nodes that descend from node in pass. */
void       ls_row_lineage_descendants (LsRowLineage *row_lineage, const LsPass *pass, guint32 node, LsNodes *out);
/* Adds to out the nodes of pass from which the listing's node descends, nearest first; present: the ids
 * of the nodes that the pass's graph holds. */
void       ls_row_lineage_ancestors   (LsRowLineage *row_lineage, const LsPass *pass, guint32 final_node, GHashTable *present,
                                       LsNodes *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRowLineage, ls_row_lineage_free)
