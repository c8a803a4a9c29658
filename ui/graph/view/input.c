/* Pointer, wheel, fingers and keys.
 *
 * Dragging and scrolling move the picture, Ctrl with the wheel, pinching and +/− change its scale, about the pointer. Keys that the
 * workbench owns (n, p, f and so on) are not taken here.
 */
#include "graph-view-private.h"

#include <math.h>

static gboolean
in_minimap (LsGraphView *view, double x, double y, gboolean go)
{
  LsBox b;
  double s;
  if (!view->layout || !ls_graph_minimap (view, gtk_widget_get_width (GTK_WIDGET (view)), gtk_widget_get_height (GTK_WIDGET (view)), &b,
                                          &s))
    return FALSE;
  gboolean hit = x >= b.x0 - 5 && x <= b.x1 + 5 && y >= b.y0 - 5 && y <= b.y1 + 5;
  if (go) {
    LsBox e = ls_graph_view_extents (view);
    ls_graph_view_center_on (view, e.x0 + (x - b.x0) / s, e.y0 + (y - b.y0) / s);
  }
  return hit;
}

static gboolean
in_note (LsGraphView *view, double x, double y)
{
  const LsBox *b = &view->note;
  return x >= b->x0 && x < b->x1 && y >= b->y0 && y < b->y1;
}

/* The frame whose title is there, or -1. Boxes come first: one may lie over a title. */
static int
title_at (LsGraphView *view, double x, double y)
{
  double z = view->viewport.zoom;
  if (z < LS_ZOOM_TEXT || ls_graph_view_node_at (view, x, y) >= 0)
    return -1;
  return ls_frames_title_at (view->frames, (x - view->viewport.x) / z, (y - view->viewport.y) / z);
}

static void
drag_begin (GtkGestureDrag *gesture, double x, double y, LsGraphView *view)
{
  view->drag_x = view->viewport.x;
  view->drag_y = view->viewport.y;
  view->dragged = FALSE;
  ls_graph_tooltip_hide (view);
  view->in_minimap = in_minimap (view, x, y, FALSE);
  if (view->in_minimap)
    in_minimap (view, x, y, TRUE);
}

static void
drag_update (GtkGestureDrag *gesture, double dx, double dy, LsGraphView *view)
{
  double x, y;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (view->in_minimap) {
    in_minimap (view, x + dx, y + dy, TRUE);
    return;
  }
  if (!view->dragged && !gtk_drag_check_threshold (GTK_WIDGET (view), (int) x, (int) y, (int) (x + dx), (int) (y + dy)))
    return;
  if (!view->dragged)
    gtk_widget_set_cursor_from_name (GTK_WIDGET (view), "grabbing");
  view->dragged = TRUE;
  ls_graph_view_pan_to (view, view->drag_x + dx, view->drag_y + dy);
}

static void
drag_end (GtkGestureDrag *gesture, double dx, double dy, LsGraphView *view)
{
  gtk_widget_set_cursor (GTK_WIDGET (view), NULL);
  view->in_minimap = FALSE;
}

static void
released (GtkGestureClick *gesture, int n_press, double x, double y, LsGraphView *view)
{
  gtk_widget_grab_focus (GTK_WIDGET (view));
  if (view->dragged || in_minimap (view, x, y, FALSE))
    return;
  if (in_note (view, x, y)) {
    ls_graph_view_focus_change (view);
    return;
  }
  int node = ls_graph_view_node_at (view, x, y);
  if (node >= 0 && n_press == 1)
    ls_graph_view_choose (view, node);
  else if (node >= 0 && n_press == 2 && (view->scene->nodes[node].n_inside || view->scene->nodes[node].n_lanes > 1) &&
           node == view->current)
    ls_graph_view_expand (view);
  else if (node >= 0 && n_press == 2)
    g_signal_emit_by_name (view, "node-activated", view->scene->nodes[node].id);
  int title = title_at (view, x, y);
  if (title >= 0)
    ls_graph_fold_frame (view, (guint) title);
}

static gboolean
scroll (GtkEventControllerScroll *controller, double dx, double dy, LsGraphView *view)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  if (!view->layout)
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    ls_graph_view_zoom_at (view, pow (1.2, -dy), view->pointer_x, view->pointer_y);
  else {
    gboolean wheel = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_WHEEL;
    double k = wheel ? 60 : 1;
    if ((state & GDK_SHIFT_MASK) && dx == 0) {
      dx = dy;
      dy = 0;
    }
    ls_graph_view_pan_to (view, view->viewport.x - dx * k, view->viewport.y - dy * k);
  }
  return TRUE;
}

static void
pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, LsGraphView *view)
{
  view->pinch_zoom = view->viewport.zoom;
}

static void
pinch (GtkGestureZoom *gesture, double scale, LsGraphView *view)
{
  double x, y;
  if (!gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y))
    return;
  ls_graph_view_zoom_at (view, view->pinch_zoom * scale / view->viewport.zoom, x, y);
}

static void
hover (LsGraphView *view, int node)
{
  if (ls_graph_view_hover (view, node))
    ls_graph_view_tell_hover (view);
}

/* In the window: a pointer at rest is heard of, too, where widgets move under it. */
static gboolean
pointer_moved (GtkEventControllerMotion *controller, LsGraphView *view)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));
  double x = view->rest_x, y = view->rest_y;
  if (event)
    gdk_event_get_position (event, &view->rest_x, &view->rest_y);
  return x != view->rest_x || y != view->rest_y;
}

static void
motion (GtkEventControllerMotion *controller, double x, double y, LsGraphView *view)
{
  gboolean moved = pointer_moved (controller, view);
  view->pointer_x = x;
  view->pointer_y = y;
  gboolean note = in_note (view, x, y), link = note || title_at (view, x, y) >= 0;
  if (link != view->over_link)
    gtk_widget_set_cursor_from_name (GTK_WIDGET (view), link ? "pointer" : NULL);
  view->over_link = link;
  hover (view, note || in_minimap (view, x, y, FALSE) ? -1 : ls_graph_view_node_at (view, x, y));
  if (moved)
    ls_graph_tooltip_pointed (view);
}

static void
enter (GtkEventControllerMotion *controller, double x, double y, LsGraphView *view)
{
  pointer_moved (controller, view);
  view->pointer_x = x;
  view->pointer_y = y;
}

static void
leave (GtkEventControllerMotion *controller, LsGraphView *view)
{
  hover (view, -1);
  ls_graph_tooltip_hide (view);
}

/* --- keys --- */

static double
middle (LsGraphView *view, guint node)
{
  return view->layout->x[node] + view->scene->nodes[node].width / 2;
}

/* The neighbour along an edge, up to sources or down to consumers, that is most in line; or -1. */
static int
along_edge (LsGraphView *view, guint at, gboolean up)
{
  int best = -1;
  double least = G_MAXDOUBLE;
  for (guint e = 0; e < view->scene->n_edges; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    guint other = up ? edge->from : edge->to;
    if ((up ? edge->to : edge->from) != at || !ls_graph_view_shows (view, edge->side) ||
        !ls_graph_view_shows (view, view->scene->nodes[other].side))
      continue;
    double d = fabs (middle (view, other) - middle (view, at)) + 0.2 * fabs (view->layout->y[other] - view->layout->y[at]);
    if (d < least) {
      least = d;
      best = (int) other;
    }
  }
  return best;
}

/* The next box to the side, in the same rank if there is one. */
static int
beside (LsGraphView *view, guint at, gboolean left)
{
  int best = -1;
  double least = G_MAXDOUBLE;
  for (guint i = 0; i < view->scene->n_nodes; i++) {
    double dx = (middle (view, i) - middle (view, at)) * (left ? -1 : 1), dy = fabs (view->layout->y[i] - view->layout->y[at]);
    if (i == at || dx <= 0 || dy > LS_SCENE_HEIGHT * 0.75 || !ls_graph_view_shows (view, view->scene->nodes[i].side))
      continue;
    if (dx < least) {
      least = dx;
      best = (int) i;
    }
  }
  return best;
}

static int
first_node (LsGraphView *view)
{
  if (view->scene->focus != LS_NO_NODE && ls_graph_view_shows (view, view->scene->nodes[view->scene->focus].side))
    return (int) view->scene->focus;
  for (guint i = view->scene->n_nodes; i-- > 0; )
    if (ls_graph_view_shows (view, view->scene->nodes[i].side))
      return (int) i;
  return -1;
}

static gboolean
key (GtkEventControllerKey *controller, guint keyval, guint code, GdkModifierType state, LsGraphView *view)
{
  if (!view->layout || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  int node = -1;
  switch (keyval) {
  case GDK_KEY_Up: case GDK_KEY_KP_Up: case GDK_KEY_Down: case GDK_KEY_KP_Down:
  case GDK_KEY_Left: case GDK_KEY_KP_Left: case GDK_KEY_Right: case GDK_KEY_KP_Right: {
    gboolean up = keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up, down = keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down;
    if (view->current < 0)
      node = first_node (view);
    else if (up || down)
      node = along_edge (view, (guint) view->current, up);
    else
      node = beside (view, (guint) view->current, keyval == GDK_KEY_Left || keyval == GDK_KEY_KP_Left);
    if (node >= 0)
      ls_graph_view_choose (view, node);
    return TRUE;
  }
  case GDK_KEY_plus: case GDK_KEY_equal: case GDK_KEY_KP_Add:
    ls_graph_view_zoom_by (view, 1.25);
    return TRUE;
  case GDK_KEY_minus: case GDK_KEY_KP_Subtract:
    ls_graph_view_zoom_by (view, 0.8);
    return TRUE;
  case GDK_KEY_0: case GDK_KEY_KP_0:
    ls_graph_view_fit (view);
    return TRUE;
  case GDK_KEY_Return: case GDK_KEY_KP_Enter:
    if (view->current < 0)
      return FALSE;
    g_signal_emit_by_name (view, "node-activated", view->scene->nodes[view->current].id);
    return TRUE;
  default:
    return FALSE;
  }
}

void
ls_graph_view_add_input (LsGraphView *view)
{
  GtkWidget *widget = GTK_WIDGET (view);
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new (), *zoom = gtk_gesture_zoom_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin), view);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update), view);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end), view);
  g_signal_connect (click, "released", G_CALLBACK (released), view);
  g_signal_connect (zoom, "begin", G_CALLBACK (pinch_begin), view);
  g_signal_connect (zoom, "scale-changed", G_CALLBACK (pinch), view);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_gesture_group (drag, click);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (zoom));
  GtkEventController *wheel = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect (wheel, "scroll", G_CALLBACK (scroll), view);
  gtk_widget_add_controller (widget, wheel);
  GtkEventController *pointer = gtk_event_controller_motion_new ();
  g_signal_connect (pointer, "enter", G_CALLBACK (enter), view);
  g_signal_connect (pointer, "motion", G_CALLBACK (motion), view);
  g_signal_connect (pointer, "leave", G_CALLBACK (leave), view);
  gtk_widget_add_controller (widget, pointer);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key), view);
  gtk_widget_add_controller (widget, keys);
}
