/* The kernels that computed the nodes of the program's graph: the regions of each schedule's graph, led back to the nodes that the program
 * made.
 *
 * A node that several realizations computed is of the first one. Nodes of the program have one name at all stops, so the way back is walked
 * once for the recording; of a long one the first schedules alone are looked at.
 */
#include "lineage.h"
#include "row-steps-private.h"

#define MOST_NODES 8192      /* of the graphs of schedules that are led back: tenths of a second */

/* kernels: LsRegion, of node the program's; of_node: node + 1 -> the place + 1 of the kernel. */
typedef struct { guint n_passes, n_kernels; GArray *kernels; GHashTable *of_node; } Homes;

static void
homes_free (gpointer data)
{
  Homes *h = data;
  g_array_unref (h->kernels);
  g_hash_table_unref (h->of_node);
  g_free (h);
}

/* The nodes of one schedule's graph, which are sources first. */
static void
add_schedule (Homes *h, LsTrace *trace, const LsPass *pass, const GPtrArray *nodes)
{
  const LsRegions *regions = ls_schedule_regions (trace, pass->input, nodes);
  guint base = h->kernels->len;
  if (!regions)
    return;
  for (guint i = 0; i < regions->kernels->len; i++) {
    LsRegion region = { LS_NO_NODE, g_strdup (g_array_index (regions->kernels, LsRegion, i).title) };
    g_array_append_val (h->kernels, region);
  }
  g_autoptr (GPtrArray) chain = ls_lineage_chain (trace, pass);
  for (guint i = 0; i < nodes->len; i++) {
    const LsUOp *u = nodes->pdata[i];
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (regions->of_node, u));
    if (!at)
      continue;
    g_autoptr (GArray) from = ls_lineage_walk (trace, chain, 1, &u->id, NULL);
    LsRegion *region = &g_array_index (h->kernels, LsRegion, base + at - 1);
    for (guint k = 0; k < from->len; k++) {
      guint32 id = g_array_index (from, guint32, k);
      if (!g_hash_table_contains (h->of_node, GUINT_TO_POINTER (id + 1)))
        g_hash_table_insert (h->of_node, GUINT_TO_POINTER (id + 1), GUINT_TO_POINTER (base + at));
      if (g_array_index (regions->kernels, LsRegion, at - 1).node == u->id)
        region->node = region->node == LS_NO_NODE ? id : MAX (region->node, id);
    }
  }
}

static Homes *
homes_new (LsTrace *trace)
{
  Homes *h = g_new0 (Homes, 1);
  guint n = 0;
  h->n_passes = trace->passes->len;
  h->n_kernels = trace->kernels->len;
  h->kernels = ls_regions_new ();
  h->of_node = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < trace->passes->len && n < MOST_NODES; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    LsUOp *root = pass->kernel == 0 && ls_rows_of (pass) == LS_ROWS_SCHEDULE ? ls_context_node (trace->ctx, pass->input) : NULL;
    g_autoptr (GPtrArray) nodes = root ? ls_uop_toposort (trace->ctx, root) : NULL;
    if (!nodes)
      continue;
    n += nodes->len;
    add_schedule (h, trace, pass, nodes);
  }
  return h;
}

static const Homes *
homes_of (LsTrace *trace)
{
  GQuark quark = g_quark_from_static_string ("ls-program-regions");
  Homes *h = g_dataset_id_get_data (trace, quark);
  if (!h || h->n_passes != trace->passes->len || h->n_kernels != trace->kernels->len)
    g_dataset_id_set_data_full (trace, quark, h = homes_new (trace), homes_free);
  return h;
}

LsRegions *
ls_program_regions (LsTrace *of, const GPtrArray *nodes)
{
  const Homes *h = homes_of (of->of ? of->of : of);
  g_autofree guint *place = g_new0 (guint, h->kernels->len + 1);      /* of a kernel among those that are here, + 1 */
  LsRegions *out = g_new0 (LsRegions, 1);
  out->kernels = ls_regions_new ();
  out->of_node = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < nodes->len; i++) {
    LsUOp *u = nodes->pdata[i];
    guint home = u->op == LS_OP_SINK || u->op == LS_OP_BUFFER ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (h->of_node,
                                                                                                           GUINT_TO_POINTER (u->id + 1)));
    if (!home || (!place[home - 1] && out->kernels->len >= G_MAXUINT16 - 1))
      continue;
    if (!place[home - 1]) {
      const LsRegion *r = &g_array_index (h->kernels, LsRegion, home - 1);
      LsRegion here = { r->node == LS_NO_NODE ? u->id : r->node, g_strdup (r->title) };
      g_array_append_val (out->kernels, here);
      place[home - 1] = out->kernels->len;
    }
    g_hash_table_insert (out->of_node, u, GUINT_TO_POINTER (place[home - 1]));
  }
  return out;
}

void
ls_regions_free (LsRegions *regions)
{
  g_array_unref (regions->kernels);
  g_hash_table_unref (regions->of_node);
  g_free (regions);
}
