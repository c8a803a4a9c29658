/* LsDescent: which rows of one kernel's listing descend from which nodes of its earlier passes. */
#pragma once
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _LsDescent LsDescent;

LsDescent *ls_descent_new  (LsTrace *trace, LsKernel *kernel);
void       ls_descent_free (LsDescent *descent);
LsKernel  *ls_descent_kernel (LsDescent *descent);
/* Works for at most that many microseconds; TRUE when there is nothing left to do. */
gboolean   ls_descent_work (LsDescent *descent, gint64 microseconds);
/* A set of nodes that keeps the order in which they were added. */
typedef struct { GArray *nodes; GHashTable *set; } LsNodes;      /* guint32; node id + 1 */
void     ls_nodes_init  (LsNodes *nodes);
void     ls_nodes_clear (LsNodes *nodes);      /* frees what it holds; fine on a zeroed one */
gboolean ls_nodes_add   (LsNodes *nodes, guint32 node);
gboolean ls_nodes_has   (const LsNodes *nodes, guint32 node);

/* Adds to out the listing's nodes that descend from node as it stands in pass. */
void       ls_descent_descendants (LsDescent *descent, const LsPass *pass, guint32 node, LsNodes *out);
/* Adds to out the nodes of pass from which the listing's node descends, nearest first; present: the ids
 * of the nodes that the pass's graph holds. */
void       ls_descent_ancestors (LsDescent *descent, const LsPass *pass, guint32 final_node, GHashTable *present, LsNodes *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsDescent, ls_descent_free)

G_END_DECLS
