/* Rebuilds graphs with other nodes in them: the one walk for substitution, for kernels over their arguments and for realized nodes.
 *
 * A node waits on the stack until its sources are in the map. It may be pushed again meanwhile, by another user, and is skipped then; so
 * the order is that of ls_uop_toposort, without the nodes below a replaced node.
 */
#include "rebuild.h"

static LsUOp *
make_over (LsUOp *u, LsNodeMap *map, LsRebuildOver over, gpointer data)
{
  LsUOp *few[16];
  g_autofree LsUOp **many = u->n_src > G_N_ELEMENTS (few) ? g_new (LsUOp *, u->n_src) : NULL;
  LsUOp **src = many ? many : few;
  for (guint i = 0; i < u->n_src; i++)
    src[i] = ls_node_map_get_node (map, u->src[i]);
  return over (data, u, src);
}

void
ls_graph_rebuild (LsContext *ctx, guint n, LsUOp *const *roots, LsNodeMap *map, LsRebuildReplace replace, LsRebuildOver over,
                  gpointer data)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  for (guint i = n; i-- > 0;)
    g_ptr_array_add (stack, roots[i]);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1], *made = NULL;
    if (!ls_node_map_has (map, u)) {
      guint before = stack->len;
      if (replace)
        made = replace (data, u);
      for (guint k = u->n_src; k-- > 0 && !made;)
        if (!ls_node_map_has (map, u->src[k]))
          g_ptr_array_add (stack, u->src[k]);
      if (stack->len > before)
        continue;
      if (!made)
        made = over ? make_over (u, map, over, data) : ls_uop_over (ctx, u, map);
      ls_node_map_set_node (map, u, made);
    }
    g_ptr_array_set_size (stack, (int) stack->len - 1);
  }
}
