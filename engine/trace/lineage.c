/* Lineage: from which nodes of a pass's input a node of its output descends, and so on down to the program.
 *
 * A rebuilt node descends from its former self. A node that a rule made descends from what the rule replaced, and through it from everything
 * that was replaced to make that; nodes that were there before descend from themselves. For a pass this gives, for each node that its links
 * made, the nodes of its input; stages that are no rewrites say it in their maps.
 */
#include "replay.h"

#include <string.h>

/* The nodes before a pass that node, as it stands after it, descends from: appended to out, each once. */
static void
pass_origins (LsTrace *trace, const LsPass *pass, LsUOp *node, GHashTable *out, GArray *list)
{
  LsContext *ctx = trace->ctx;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_ptr_array_add (stack, node);
  g_hash_table_add (seen, node);
  const LsLineage *lineage = ls_lineage_of (trace, pass);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1];
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    gboolean found = FALSE;
    for (guint32 e = ls_lineage_first (lineage, u->id); e; e = lineage->entries[e].next) {
      LsUOp *from = ls_context_node (ctx, lineage->entries[e].parent);
      found = TRUE;
      LsOrigin o = { pass->index, from->id, lineage->entries[e].rule, lineage->entries[e].step };
      if (list)
        g_array_append_val (list, o);
      if (g_hash_table_add (seen, from))
        g_ptr_array_add (stack, from);
    }
    /* what no link made was there at the start; so was, perhaps, what a link made again */
    if (!found || ls_lineage_in_input (lineage, u->id))
      g_hash_table_add (out, u);
  }
}

static void
lineage_free (gpointer data)
{
  LsLineage *l = data;
  g_free (l->first);
  g_free (l->entries);
  g_free (l->in_input);
  g_free (l);
}

static void
add_entry (LsLineage *l, guint32 node, guint32 parent, gint rule, guint step)
{
  if (node >= l->size || node == parent)
    return;
  for (guint32 e = l->first[node]; e; e = l->entries[e].next)
    if (l->entries[e].parent == parent)
      return;
  if (l->n == l->capacity) {
    l->capacity *= 2;
    l->entries = g_renew (LsLineageEntry, l->entries, l->capacity);
  }
  l->entries[l->n] = (LsLineageEntry) { l->first[node], parent, rule, step };
  l->first[node] = l->n++;
}

const LsLineage *
ls_lineage_of (LsTrace *trace, const LsPass *pass)
{
  GQuark quark = g_quark_from_static_string ("ls-lineage");
  LsLineage *l = g_dataset_id_get_data (pass, quark);
  if (l)
    return l;
  LsContext *ctx = trace->ctx;
  l = g_new0 (LsLineage, 1);
  l->size = ls_context_n_nodes (ctx);
  l->first = g_new0 (guint32, l->size);
  l->in_input = g_new0 (guint8, l->size);
  l->capacity = 64;
  l->entries = g_new (LsLineageEntry, l->capacity);
  l->n = 1;
  LsUOp *input = ls_context_node (ctx, pass->input);
  if (pass->kind == LS_PASS_MAP) {
    for (guint i = 0; i < pass->map->len; i++) {
      const LsMapEntry *m = &g_array_index (pass->map, LsMapEntry, i);
      add_entry (l, m->new_node, m->old_node, LS_LINK_REBUILD, 0);
    }
  } else if (input) {
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, input);
    g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
    g_autoptr (GPtrArray) stack = g_ptr_array_new ();
    for (guint i = 0; i < order->len; i++) {
      LsUOp *u = order->pdata[i];
      l->in_input[u->id] = 1;
      g_hash_table_add (known, u);
    }
    guint step = 0;
    for (guint i = 0; i < pass->links->len; i++) {
      const LsLink *link = &g_array_index (pass->links, LsLink, i);
      LsUOp *after = ls_context_node (ctx, link->after);
      step += link->rule != LS_LINK_REBUILD;
      if (link->rule == LS_LINK_REBUILD) {
        add_entry (l, link->after, link->before, LS_LINK_REBUILD, 0);
        g_hash_table_add (known, after);
        continue;
      }
      /* every node of the result that was not there before was made by this step */
      add_entry (l, link->after, link->before, link->rule, step);
      g_ptr_array_add (stack, after);
      while (stack->len > 0) {
        LsUOp *u = stack->pdata[stack->len - 1];
        g_ptr_array_set_size (stack, (int) stack->len - 1);
        if (!g_hash_table_add (known, u))
          continue;
        add_entry (l, u->id, link->before, link->rule, step);
        for (guint k = 0; k < u->n_src; k++)
          if (!g_hash_table_contains (known, u->src[k]))
            g_ptr_array_add (stack, u->src[k]);
      }
    }
  }
  g_dataset_id_set_data_full (pass, quark, l, lineage_free);
  return l;
}

void
ls_lineage_forget (const LsPass *pass)
{
  g_dataset_destroy (pass);
}

/* The passes before and including pass that made its kernel's graph, latest first, then those of the tensor level. */
static GPtrArray *
passes_back (LsTrace *trace, const LsPass *pass)
{
  GPtrArray *out = g_ptr_array_new ();
  guint first = pass->index;
  for (gint i = (gint) pass->index; i >= 0; i--) {
    LsPass *p = trace->passes->pdata[i];
    if (p->kernel == pass->kernel && p->kernel > 0) {
      g_ptr_array_add (out, p);
      first = (guint) i;
    }
  }
  for (gint i = (gint) first; i >= 0; i--) {
    LsPass *p = trace->passes->pdata[i];
    if (p->kernel == 0 && (pass->kernel > 0 || (guint) i <= pass->index))
      g_ptr_array_add (out, p);
  }
  return out;
}

GArray *
ls_trace_origins (LsTrace *trace, const LsPass *pass, LsUOp *node)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (LsOrigin));
  g_autoptr (GPtrArray) passes = passes_back (trace, pass);
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  g_hash_table_add (at, node);
  for (guint i = 0; i < passes->len; i++) {
    g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL);
    GHashTableIter iter;
    gpointer u;
    g_hash_table_iter_init (&iter, at);
    while (g_hash_table_iter_next (&iter, &u, NULL))
      pass_origins (trace, passes->pdata[i], u, before, list);
    g_hash_table_unref (at);
    at = g_hash_table_ref (before);
  }
  /* where it ends: nodes of the program's graph */
  GHashTableIter iter;
  gpointer u;
  g_hash_table_iter_init (&iter, at);
  while (g_hash_table_iter_next (&iter, &u, NULL)) {
    LsOrigin o = { G_MAXUINT, ((LsUOp *) u)->id, LS_LINK_REBUILD, 0 };
    g_array_append_val (list, o);
  }
  return list;
}

static int
compare_uint (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

GArray *
ls_trace_program_lines (LsTrace *trace, const LsPass *pass, LsUOp *node)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) origins = ls_trace_origins (trace, pass, node);
  g_autoptr (GHashTable) ends = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < origins->len; i++) {
    const LsOrigin *o = &g_array_index (origins, LsOrigin, i);
    if (o->pass == G_MAXUINT)
      g_hash_table_add (ends, GUINT_TO_POINTER (o->node + 1));
  }
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *nc = &g_array_index (trace->node_calls, LsNodeCall, i);
    if (!g_hash_table_contains (ends, GUINT_TO_POINTER (nc->node + 1)) || nc->call >= trace->calls->len)
      continue;
    guint line = g_array_index (trace->calls, LsCall, nc->call).line;
    gboolean have = FALSE;
    for (guint k = 0; k < lines->len; k++)
      have |= g_array_index (lines, guint, k) == line;
    if (!have && line > 0)
      g_array_append_val (lines, line);
  }
  g_array_sort (lines, compare_uint);
  return lines;
}
