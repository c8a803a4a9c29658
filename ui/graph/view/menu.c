/* The graph's own menu: questions about the node, the layout engine, folding and collapsing. Secondary click, the Menu key or Shift+F10. */
#include "graph-view-private.h"
#include "kit/focus.h"

#include <glib/gi18n.h>

static void
add_possible (GMenu *menu, const char *label, const char *action)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, action);
  g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
  g_menu_append_item (menu, item);
}

static void
open_at (LsGraphView *view, const GdkRectangle *at)
{
  if (view->scene && view->scene->describe)      /* there is nothing to choose about it */
    return;
  if (!view->menu) {
    g_autoptr (GMenu) menu = g_menu_new (), engines = g_menu_new (), folding = g_menu_new (), collapsing = g_menu_new (),
        comparing = g_menu_new ();
    g_menu_append (engines, _("Stable Layout"), "graph.engine::stable");
    g_menu_append (engines, _("Fresh Layout by dot"), "graph.engine::dot");
    g_menu_append (folding, _("Fold Constants and Indices"), "graph.fold");
    g_menu_append (folding, _("Export Graph…"), "win.export-graph");
    add_possible (collapsing, _("Collapse What Feeds This"), "graph.collapse");
    add_possible (collapsing, _("Expand"), "graph.expand");
    add_possible (collapsing, _("Expand All"), "graph.expand-all");
    add_possible (collapsing, _("Fold or Unfold Loop or Kernel"), "graph.fold-loop");
    g_menu_append (comparing, _("Compare from Here"), "win.compare-from");
    g_menu_append (comparing, _("Swap"), "win.swap-base");
    g_menu_append (comparing, _("Stop Comparing"), "win.stop-comparing");
    if (view->questions)
      g_menu_append_section (menu, NULL, view->questions);
    g_menu_append_section (menu, NULL, G_MENU_MODEL (collapsing));
    g_menu_append_section (menu, NULL, G_MENU_MODEL (comparing));
    g_menu_append_section (menu, _("Layout"), G_MENU_MODEL (engines));
    g_menu_append_section (menu, NULL, G_MENU_MODEL (folding));
    view->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
    gtk_widget_set_name (view->menu, "graph-menu");
    gtk_popover_set_has_arrow (GTK_POPOVER (view->menu), FALSE);
    ls_focus_leave_hidden_pages (view->menu);
    gtk_widget_set_halign (view->menu, GTK_ALIGN_START);
    gtk_widget_set_parent (view->menu, GTK_WIDGET (view));
  }
  gtk_popover_set_pointing_to (GTK_POPOVER (view->menu), at);
  gtk_popover_popup (GTK_POPOVER (view->menu));
}

static void
pressed (GtkGestureClick *gesture, int n_press, double x, double y, LsGraphView *view)
{
  GdkRectangle at = { (int) x, (int) y, 1, 1 };
  int node = ls_graph_view_node_at (view, x, y);
  if (node >= 0)
    ls_graph_view_choose (view, node);
  open_at (view, &at);
}

static gboolean
on_key (GtkWidget *widget, GVariant *args, gpointer data)
{
  LsGraphView *view = LS_GRAPH_VIEW (widget);
  GdkRectangle at = { gtk_widget_get_width (widget) / 2, gtk_widget_get_height (widget) / 2, 1, 1 };
  if (view->current >= 0 && view->layout) {
    LsBox b = ls_graph_view_node_box (view, (guint) view->current);
    at.x = (int) CLAMP ((b.x0 + b.x1) / 2 * view->viewport.zoom + view->viewport.x, 0, gtk_widget_get_width (widget));
    at.y = (int) CLAMP (b.y1 * view->viewport.zoom + view->viewport.y, 0, gtk_widget_get_height (widget));
  }
  open_at (view, &at);
  return TRUE;
}

void
ls_graph_view_set_questions (LsGraphView *view, GMenuModel *questions)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  g_set_object (&view->questions, questions);
}

static void act_collapse (GtkWidget *w, const char *name, GVariant *p) { gtk_widget_activate_action (w, "win.collapse", NULL); }
static void act_expand (GtkWidget *w, const char *name, GVariant *p) { ls_graph_view_expand (LS_GRAPH_VIEW (w)); }
static void act_fold_loop (GtkWidget *w, const char *name, GVariant *p) { ls_graph_view_fold_loop (LS_GRAPH_VIEW (w)); }
static void act_expand_all (GtkWidget *w, const char *name, GVariant *p) { ls_graph_view_expand_all (LS_GRAPH_VIEW (w)); }

void
ls_graph_menu_class_init (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "graph.collapse", NULL, act_collapse);
  gtk_widget_class_install_action (widget_class, "graph.expand", NULL, act_expand);
  gtk_widget_class_install_action (widget_class, "graph.expand-all", NULL, act_expand_all);
  gtk_widget_class_install_action (widget_class, "graph.fold-loop", NULL, act_fold_loop);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Menu, 0, on_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, on_key, NULL);
}

void
ls_graph_menu_add (LsGraphView *view)
{
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed), view);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (click));
}
