/* The view while nodes get other ids (session-trim.c): the picture stays what it is, and its boxes can be chosen as before. Layouts are forgotten, since
 * those that follow them would look for what stays by its id. */
#include "graph-view-private.h"

typedef void (*EachId) (guint32 *id, gpointer data);

/* Every id that is not in a scene. */
static void
each_id (LsGraphView *view, EachId each, gpointer data)
{
  for (guint i = 0; i < view->selection->len; i++)
    each (&g_array_index (view->selection, guint32, i), data);
  for (guint i = 0; i < view->captures->len; i++)
    each (&g_array_index (view->captures, LsCapture, i).id, data);
  for (guint i = 0; i < view->collapsed->len; i++)
    each (&g_array_index (view->collapsed, LsCollapsed, i).id, data);
}

static void
keep (guint32 *id, gpointer ids)
{
  g_array_append_val ((GArray *) ids, *id);
}

static void
renumber (guint32 *id, gpointer renumbering)
{
  *id = ls_renumbering_get (renumbering, *id);
}

void
ls_graph_view_keep_nodes (LsGraphView *view, GArray *ids)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  each_id (view, keep, ids);
  if (view->scene && !view->scene->describe) {
    keep (&view->scene->root_before, ids);
    keep (&view->scene->root_after, ids);
  }
}

void
ls_graph_view_renumber (LsGraphView *view, const LsRenumbering *renumbering)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  ls_graph_view_stop (view);
  g_clear_pointer (&view->diff, ls_graph_diff_free);
  view->root = NULL;
  each_id (view, renumber, (gpointer) renumbering);
  if (view->scene && !view->scene->describe)
    ls_scene_renumber (view->scene, renumbering);
  ls_graph_cache_forget (view);
  if (view->trace) {
    ls_scene_forget_widths (view->trace);
    g_clear_pointer (&view->chain, ls_chain_unref);
    view->chain = ls_chain_new (view->trace);
  }
}
