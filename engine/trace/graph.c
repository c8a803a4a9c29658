#include "graph.h"
#include "ir/names.h"

LsGraph *
ls_graph_new_take (LsContext *ctx, GPtrArray *nodes)
{
  LsGraph *g = g_new0 (LsGraph, 1);
  g->ref_count = 1;
  g->ctx = ls_context_ref (ctx);
  g->root = nodes->len ? nodes->pdata[nodes->len - 1] : NULL;
  g->nodes = nodes;
  g->aliases = g_array_new (FALSE, FALSE, sizeof (LsAlias));
  return g;
}

LsGraph *
ls_graph_new (LsContext *ctx, LsUOp *root)
{
  return ls_graph_new_take (ctx, ls_uop_toposort (ctx, root));
}

LsGraph *
ls_graph_ref (LsGraph *g)
{
  g_atomic_int_inc (&g->ref_count);
  return g;
}

void
ls_graph_unref (LsGraph *g)
{
  if (!g || !g_atomic_int_dec_and_test (&g->ref_count))      /* a recording is freed in a thread of its own */
    return;
  g_ptr_array_unref (g->nodes);
  g_array_unref (g->aliases);
  ls_names_unref (g->names);
  ls_context_unref (g->ctx);
  g_free (g);
}

static LsUOp *
find_named (const LsGraph *g, guint32 name)
{
  for (guint i = 0; i < g->nodes->len; i++)
    if (((LsUOp *) g->nodes->pdata[i])->id == name)
      return g->nodes->pdata[i];
  return NULL;
}

LsUOp *
ls_graph_node (const LsGraph *g, guint32 id)
{
  LsUOp *u = find_named (g, id);
  for (guint i = 0; i < g->aliases->len && !u; i++)      /* a name is not an alias itself */
    if (g_array_index (g->aliases, LsAlias, i).id == id)
      u = find_named (g, g_array_index (g->aliases, LsAlias, i).name);
  return u;
}

/* Nodes that are recorded unchanged in both are one; the few others of a are found in its context by their structure. */
LsUOp **
ls_graph_find_same (const LsGraph *a, const LsGraph *b)
{
  LsUOp **out = g_new0 (LsUOp *, MAX (b->nodes->len, 1));
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  LsNodeMap *in_a = ls_node_map_acquire (a->ctx), *same = ls_node_map_acquire (a->ctx);
  for (guint i = 0; i < a->nodes->len; i++)
    ls_node_map_set_node (in_a, a->nodes->pdata[i], a->nodes->pdata[i]);
  for (guint i = 0; i < b->nodes->len; i++) {
    LsUOp *u = b->nodes->pdata[i];
    gboolean equal = TRUE;
    if (ls_node_map_get_node (in_a, u) == u) {
      out[i] = u;
    } else {
      g_ptr_array_set_size (src, 0);
      for (guint k = 0; k < u->n_src && equal; k++) {
        LsUOp *s = ls_node_map_get_node (in_a, u->src[k]) == u->src[k] ? u->src[k] : ls_node_map_get_node (same, u->src[k]);
        equal = s != NULL;
        g_ptr_array_add (src, s);
      }
      LsUOp *found = equal ? ls_uop_find (a->ctx, u, (LsUOp **) src->pdata) : NULL;
      out[i] = found && ls_node_map_get_node (in_a, found) == found ? found : NULL;
      if (out[i])
        ls_node_map_set_node (same, u, out[i]);
    }
  }
  ls_node_map_release (a->ctx, same);
  ls_node_map_release (a->ctx, in_a);
  return out;
}

LsUOp *
ls_graph_find_equal (const LsGraph *g, const LsUOp *u, const LsGraph *other)
{
  if (g == other)
    return (LsUOp *) u;
  g_autofree LsUOp **same = ls_graph_find_same (g, other);
  for (guint i = 0; i < other->nodes->len; i++)
    if (same[i] == u)
      return other->nodes->pdata[i];
  return NULL;
}
