/* Lineage of one kernel's listing, both ways.
 *
 * The recording answers "where does this node come from?" for one node at a time. The viewer asks the reverse at every selection, so
 * the origins of all rows are fetched once for each kernel, in slices of idle time, and indexed by (pass, node). A node that no
 * origin names is followed forward through its pass's links first: it was rewritten before it could leave the pass. Passes count in
 * the order in which they made the listing: where a kernel's code is an earlier kernel's, that one's passes come after the kernel's
 * own.
 */
#include "row-lineage.h"
#include "trace/lineage.h"

struct _LsRowLineage {
  LsTrace    *trace;
  LsKernel   *kernel;
  GPtrArray  *chain;       /* the passes that made it, latest first (LsPass *) */
  guint      *order;       /* by number of a pass: its position among them, 2, 4, …; odd between two: it is not one of them */
  guint       done;        /* rows worked out */
  GPtrArray  *origins;     /* GArray of LsOrigin for each row */
  GHashTable *rows_by_node; /* node id -> GArray of row numbers; the passes are looked up in origins */
  GHashTable *row_of;      /* final node id -> row + 1 */
};

LsRowLineage *
ls_row_lineage_new (LsTrace *trace, LsKernel *kernel)
{
  LsRowLineage *l = g_new0 (LsRowLineage, 1);
  l->trace = ls_trace_ref (trace);
  l->kernel = kernel;
  l->origins = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  l->rows_by_node = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  l->row_of = g_hash_table_new (NULL, NULL);
  l->chain = ls_lineage_chain_kernel (trace, kernel);
  l->order = g_new0 (guint, trace->passes->len + 1);
  for (guint i = 0; i < l->chain->len; i++)
    l->order[((LsPass *) l->chain->pdata[i])->index] = 2 * (l->chain->len - i);
  for (guint i = 0, before = 1; i < trace->passes->len; i++)
    if (l->order[i] == 0)
      l->order[i] = before;
    else
      before = MAX (before, l->order[i] + 1);
  for (guint i = 0; i < kernel->listing->len; i++)
    g_hash_table_insert (l->row_of, GUINT_TO_POINTER (g_array_index (kernel->listing, guint32, i)), GUINT_TO_POINTER (i + 1));
  return l;
}

void
ls_row_lineage_free (LsRowLineage *l)
{
  if (!l)
    return;
  g_ptr_array_unref (l->origins);
  g_ptr_array_unref (l->chain);
  g_free (l->order);
  g_hash_table_unref (l->rows_by_node);
  g_hash_table_unref (l->row_of);
  ls_trace_unref (l->trace);
  g_free (l);
}

LsKernel *
ls_row_lineage_kernel (LsRowLineage *l)
{
  return l->kernel;
}

static void
index_row (LsRowLineage *l, guint32 node, guint row)
{
  GArray *rows = g_hash_table_lookup (l->rows_by_node, GUINT_TO_POINTER (node));
  if (!rows) {
    rows = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (l->rows_by_node, GUINT_TO_POINTER (node), rows);
  }
  if (rows->len == 0 || g_array_index (rows, guint, rows->len - 1) != row)
    g_array_append_val (rows, row);
}

gboolean
ls_row_lineage_work (LsRowLineage *l, gint64 microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  while (l->done < l->kernel->listing->len) {
    guint32 node = g_array_index (l->kernel->listing, guint32, l->done);
    GArray *origins = g_array_new (FALSE, FALSE, sizeof (LsOrigin));
    if (ls_context_node (l->trace->ctx, node))
      g_array_unref (ls_lineage_walk (l->trace, l->chain, 1, &node, origins));
    for (guint i = 0; i < origins->len; i++)
      index_row (l, g_array_index (origins, LsOrigin, i).node, l->done);
    g_ptr_array_add (l->origins, origins);
    l->done++;
    if (g_get_monotonic_time () > end)
      break;
  }
  return l->done >= l->kernel->listing->len;
}

void
ls_nodes_init (LsNodes *nodes)
{
  nodes->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  nodes->set = g_hash_table_new (NULL, NULL);
}

void
ls_nodes_clear (LsNodes *nodes)
{
  g_clear_pointer (&nodes->nodes, g_array_unref);
  g_clear_pointer (&nodes->set, g_hash_table_unref);
}

gboolean
ls_nodes_add (LsNodes *nodes, guint32 node)
{
  if (!g_hash_table_add (nodes->set, GUINT_TO_POINTER (node + 1)))
    return FALSE;
  g_array_append_val (nodes->nodes, node);
  return TRUE;
}

gboolean
ls_nodes_has (const LsNodes *nodes, guint32 node)
{
  return nodes->set && g_hash_table_contains (nodes->set, GUINT_TO_POINTER (node + 1));
}

/* Rows that name node as an origin in one of the passes [from, to], in the order of the chain. */
static gboolean
add_rows (LsRowLineage *l, guint32 node, guint from, guint to, LsNodes *out)
{
  GArray *rows = g_hash_table_lookup (l->rows_by_node, GUINT_TO_POINTER (node));
  gboolean any = FALSE;
  for (guint i = 0; rows && i < rows->len; i++) {
    guint row = g_array_index (rows, guint, i);
    const GArray *origins = l->origins->pdata[row];
    for (guint k = 0; k < origins->len; k++) {
      const LsOrigin *o = &g_array_index (origins, LsOrigin, k);
      if (o->node == node && l->order[o->pass] >= from && l->order[o->pass] <= to) {
        ls_nodes_add (out, g_array_index (l->kernel->listing, guint32, row));
        any = TRUE;
        break;
      }
    }
  }
  return any;
}

/* The final replacement of node by the pass's links. */
static guint32
outcome (const LsPass *pass, guint32 node)
{
  for (guint i = 0; i < pass->links->len; i++) {      /* links are in order of writing: one pass through them follows a chain */
    const LsLink *link = &g_array_index (pass->links, LsLink, i);
    if (link->before == node)
      node = link->after;
  }
  return node;
}

void
ls_row_lineage_descendants (LsRowLineage *l, const LsPass *pass, guint32 node, LsNodes *out)
{
  guint max = 2 * l->chain->len, at = l->order[pass->index];
  /* a node that is itself a row and that the pass leaves as it is descends to that row; others, as the end of its loop, may come from
   * it besides */
  gboolean is_row = g_hash_table_contains (l->row_of, GUINT_TO_POINTER (node)) && outcome (pass, node) == node;
  if (is_row)
    ls_nodes_add (out, node);
  if (add_rows (l, node, at, at, out) || add_rows (l, node, at + 1, max, out) || is_row)
    return;
  guint32 later = outcome (pass, node);
  if (later != node && !add_rows (l, later, at, max, out) && g_hash_table_contains (l->row_of, GUINT_TO_POINTER (later)))
    ls_nodes_add (out, later);
}

static gboolean
add_present (GHashTable *present, guint32 node, LsNodes *out)
{
  gboolean there = g_hash_table_contains (present, GUINT_TO_POINTER (node));
  if (there)
    ls_nodes_add (out, node);
  return there;
}

void
ls_row_lineage_ancestors (LsRowLineage *l, const LsPass *pass, guint32 final_node, GHashTable *present, LsNodes *out)
{
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (l->row_of, GUINT_TO_POINTER (final_node)));
  gboolean found = add_present (present, final_node, out);
  if (row == 0 || row > l->origins->len || found)
    return;
  const GArray *origins = l->origins->pdata[row - 1];
  /* the position's pass first, before a step the replaced node and after it the new one; a node that a pass did not change is named by a
   * neighbouring pass */
  guint at = l->order[pass->index];
  for (guint distance = 0; distance <= 2 * l->chain->len && !found; distance++)
    for (guint k = 0; k < origins->len; k++) {
      const LsOrigin *o = &g_array_index (origins, LsOrigin, k);
      guint away = l->order[o->pass] > at ? l->order[o->pass] - at : at - l->order[o->pass];
      if (away == distance) {
        found |= add_present (present, o->node, out);
        found |= add_present (present, o->made, out);
      }
    }
}
