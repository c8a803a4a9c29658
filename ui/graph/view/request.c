/* The layouts that the view needs, and how it gets them.
 *
 * A request makes a scene at once (main thread, linear) and a layout later. Until the layout is there the old picture stays; when
 * another request comes first, the layout on its way is cancelled and its generation is no longer the current one.
 *
 * A step of a pass goes to the chain of layouts that follow each other (chain.h), a comparison follows its base (ls_chain_comparison).
 * Graphs that are not a step are laid out from scratch, and so is everything when dot is chosen. A collapsed layout follows the layout
 * of the whole (collapse.h).
 */
#include "graph-view-private.h"
#include "collapse.h"

#include <glib/gi18n.h>

#define SLOW_MS    300
#define AT_ONCE    1000    /* boxes: a collapsed picture of these is not waited for */
#define AT_ONCE_MS 15      /* a layout that takes no longer is waited for: no frame shows the step before with the marks of this one */

static void
set_status (LsGraphView *view, char *status)
{
  gboolean same = g_strcmp0 (view->status, status) == 0;
  g_free (view->status);
  view->status = status;
  if (!same)
    g_object_notify (G_OBJECT (view), "status");
}

static void
set_busy (LsGraphView *view, gboolean busy)
{
  if (view->busy == busy)
    return;
  view->busy = busy;
  g_object_notify (G_OBJECT (view), "busy");
}

void
ls_graph_view_say_layout (LsGraphView *view)
{
  const LsLayout *l = view->layout;
  g_autofree char *count = g_strdup_printf (ngettext ("%u node", "%u nodes", l->n), l->n);
  if (l->note)
    set_status (view, g_strdup_printf ("%s, %s", count, l->note));
  else
    set_status (view, g_strdup_printf ("%s, %s, %.0f ms", count, l->by_dot ? "dot" : l->stable ? _("stable") : _("layered"), l->ms));
}

void
ls_graph_view_stop (LsGraphView *view)
{
  view->generation++;
  if (view->cancellable)
    g_cancellable_cancel (view->cancellable);
  g_clear_object (&view->cancellable);
  g_clear_pointer (&view->coming, ls_scene_free);
  g_clear_handle_id (&view->busy_timeout, g_source_remove);
  view->slow = view->cancelled = FALSE;
  if (view->stop)
    gtk_widget_set_visible (view->stop, FALSE);
}

/* Ends a layout that is under way; FALSE: there was none. The old picture stays, with a note that it is not the requested one. */
gboolean
ls_graph_view_cancel (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), FALSE);
  if (!view->coming)
    return FALSE;
  ls_graph_view_stop (view);
  view->cancelled = TRUE;
  gtk_button_set_label (GTK_BUTTON (view->stop), _("Lay Out"));
  gtk_widget_set_visible (view->stop, TRUE);
  set_status (view, g_strdup (_("layout cancelled")));
  set_busy (view, FALSE);
  gtk_widget_queue_draw (GTK_WIDGET (view));
  return TRUE;
}

static void
on_stop (LsGraphView *view)
{
  if (!ls_graph_view_cancel (view))
    ls_graph_view_request (view);
}

void
ls_graph_view_add_stop (LsGraphView *view)
{
  view->stop = gtk_button_new ();
  gtk_widget_set_name (view->stop, "stop-layout");
  gtk_widget_set_visible (view->stop, FALSE);
  gtk_widget_set_parent (view->stop, GTK_WIDGET (view));
  g_signal_connect_swapped (view->stop, "clicked", G_CALLBACK (on_stop), view);
}

typedef enum { BY_CHAIN, BY_BASE, AFRESH, BY_WHOLE } Way;
typedef struct { LsGraphView *view; guint generation; Way way; LsLayout *former; } Wait;

static void arrive (LsGraphView *view, LsScene *scene, LsLayout *layout);

static void
on_layout (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Wait *wait = data;
  g_autoptr (LsGraphView) view = wait->view;
  g_autoptr (LsLayout) whole = wait->former, layout = NULL;
  switch (wait->way) {
  case BY_CHAIN:
  case BY_BASE: layout = ls_chain_layout_finish (result, NULL); break;
  case BY_WHOLE: layout = ls_collapse_layout_finish (result, NULL); break;
  case AFRESH: layout = ls_layout_finish (result, NULL); break;
  }
  if (wait->generation != view->generation || !view->coming)
    return;
  LsScene *scene = g_steal_pointer (&view->coming);
  ls_graph_view_stop (view);
  if (layout && layout->n == scene->n_nodes && layout->n_edges == scene->n_edges) {
    if (wait->way == BY_WHOLE)
      layout->outline = ls_graph_collapsed_outline (scene, layout, whole);
    else if (wait->way != BY_CHAIN && !scene->describe)
      ls_graph_cache_put (view, scene, layout);
    arrive (view, scene, layout);
  } else {
    ls_scene_free (scene);
    ls_graph_view_clear (view);      /* another graph's picture would pass for this one's */
    set_status (view, g_strdup (_("this graph cannot be laid out")));
    set_busy (view, FALSE);
  }
}

static gboolean
on_slow (gpointer data)
{
  LsGraphView *view = data;
  view->busy_timeout = 0;
  view->slow = TRUE;
  set_status (view, g_strdup_printf (ngettext ("laying out %u node…", "laying out %u nodes…", view->coming->n_nodes),
                                     view->coming->n_nodes));
  gtk_button_set_label (GTK_BUTTON (view->stop), _("Cancel"));
  gtk_widget_set_visible (view->stop, TRUE);
  gtk_widget_queue_draw (GTK_WIDGET (view));
  return G_SOURCE_REMOVE;
}

static void
ask (LsGraphView *view, const LsScene *scene, Way way, LsLayout *former)
{
  Wait *wait = g_new (Wait, 1);
  *wait = (Wait) { g_object_ref (view), view->generation, way, former ? ls_layout_ref (former) : NULL };
  if (way == BY_WHOLE) {
    ls_collapse_layout_async (scene, former, view->cancellable, on_layout, wait);
    return;
  }
  if (way == BY_CHAIN) {
    ls_chain_layout_async (view->chain, view->pass, view->step, view->fold, scene, view->cancellable, on_layout, wait);
    return;
  }
  if (way == BY_BASE) {
    ls_chain_comparison_async (view->chain, view->base, view->base_step, view->fold, scene, view->cancellable, on_layout, wait);
    return;
  }
  g_autoptr (LsLayoutInput) input = ls_scene_layout_input (scene);
  ls_layout_async (input, view->engine == LS_GRAPH_DOT ? LS_LAYOUT_LIMIT_MS : 0, view->cancellable, on_layout, wait);
}

static void
wait_for (LsGraphView *view, LsScene *scene, Way way, LsLayout *former)
{
  view->coming = scene;
  view->cancellable = g_cancellable_new ();
  view->busy_timeout = g_timeout_add (SLOW_MS, on_slow, view);
  set_busy (view, TRUE);
  ask (view, scene, way, former);
}

/* The layout of a scene (taken) has arrived: it is shown, or its collapsed form. */
static void
arrive (LsGraphView *view, LsScene *scene, LsLayout *layout)
{
  LsScene *drawn = view->engine == LS_GRAPH_STABLE ? ls_graph_collapse (view, scene, layout) : scene;
  if (drawn != scene && drawn->n_nodes > AT_ONCE) {
    wait_for (view, drawn, BY_WHOLE, layout);
    return;
  }
  g_autoptr (LsLayout) collapsed = drawn != scene ? ls_collapse_layout (drawn, layout) : NULL;
  if (collapsed)
    collapsed->outline = ls_graph_collapsed_outline (drawn, collapsed, layout);
  ls_graph_view_show_scene (view, drawn, collapsed ? collapsed : layout);
  set_busy (view, FALSE);
}

void
ls_graph_view_request_scene (LsGraphView *view, LsScene *scene)
{
  ls_graph_view_stop (view);
  wait_for (view, scene, AFRESH, NULL);
}

void
ls_graph_view_request (LsGraphView *view)
{
  ls_graph_view_stop (view);
  if (!view->trace || (!view->diff && !view->root)) {
    ls_graph_view_clear (view);
    set_status (view, g_strdup (_("no graph")));
    set_busy (view, FALSE);
    return;
  }
  LsNames *names = view->pass ? ls_trace_names (view->trace, view->pass->kernel) : NULL;
  LsScene *scene = view->diff ? ls_scene_new_diff (view->trace, view->diff, view->fold)
                              : ls_scene_new_root (view->trace, names, view->root, view->fold);
  if (view->engine != LS_GRAPH_STABLE)
    scene = ls_graph_collapse (view, scene, NULL);
  Way way = !view->pass || view->engine != LS_GRAPH_STABLE ? AFRESH : view->base ? BY_BASE : BY_CHAIN;
  LsLayout *known = way == BY_CHAIN ? ls_chain_layout_now (view->chain, view->pass, view->step, view->fold, scene, AT_ONCE_MS)
                                    : ls_graph_cache_get (view, scene);
  if (known && known->n == scene->n_nodes && known->n_edges == scene->n_edges) {
    arrive (view, scene, known);
    return;
  }
  wait_for (view, scene, way, NULL);
}
