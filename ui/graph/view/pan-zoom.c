/* Which part of the picture is seen.
 *
 * The viewport of a step comes from viewport.c, as a function of the step and the window's size. The user's changes, a scale and a
 * shift, are stored separately and apply from step to step until they ask for the whole or leave the pass; at the step of the change the
 * view is exactly as they left it, elsewhere the change is still brought into sight.
 */
#include "graph-view-private.h"

#include <math.h>

guint
ls_graph_view_sides (LsGraphView *view)
{
  return view->mode == LS_GRAPH_BOTH ? LS_IN_BOTH : view->mode == LS_GRAPH_BEFORE ? LS_IN_BEFORE : LS_IN_AFTER;
}

gboolean
ls_graph_view_shows (LsGraphView *view, guint side)
{
  return (side & ls_graph_view_sides (view)) != 0;
}

LsBox
ls_graph_view_node_box (LsGraphView *view, guint node)
{
  const LsLayout *l = view->layout;
  return (LsBox) { l->x[node], l->y[node], l->x[node] + view->scene->nodes[node].width, l->y[node] + LS_SCENE_HEIGHT };
}

LsBox
ls_graph_view_extents (LsGraphView *view)
{
  /* of all of them, whatever the mode shows: switching it must not move the picture */
  if (!view->layout || !view->layout->n)
    return (LsBox) { 0, 0, -1, -1 };
  const LsLayout *l = view->layout;
  return (LsBox) { l->left, l->top, l->left + l->width, l->top + l->height };
}

static double width_of (LsGraphView *view) { return gtk_widget_get_width (GTK_WIDGET (view)); }
static double height_of (LsGraphView *view) { return gtk_widget_get_height (GTK_WIDGET (view)); }

#define FAR_MORE 1.15      /* so much larger could the whole be: then it is made larger */

static LsViewport
step_viewport (LsGraphView *view)
{
  double zoom = view->own.zoom, fit = ls_outline_fit (view->outline, width_of (view), height_of (view));
  if (view->own.whole && (zoom > fit || zoom * FAR_MORE < fit))
    zoom = fit;
  return ls_outline_viewport (view->outline, width_of (view), height_of (view), zoom);
}

void
ls_graph_view_place (LsGraphView *view)
{
  if (!view->layout || width_of (view) <= 0 || height_of (view) <= 0)
    return;
  view->placed = TRUE;
  view->placed_width = gtk_widget_get_width (GTK_WIDGET (view));
  view->placed_height = gtk_widget_get_height (GTK_WIDGET (view));
  LsViewport s = step_viewport (view);
  if (view->own.dx != 0 || view->own.dy != 0) {
    s.x += view->own.dx;
    s.y += view->own.dy;
    if (view->own.step != view->shown_step && view->own.whole)
      ls_viewport_reveal_all (&s, view->outline, width_of (view), height_of (view));
    else if (view->own.step != view->shown_step)
      ls_viewport_reveal_change (&s, view->outline, width_of (view), height_of (view));
    ls_viewport_clamp (&s, view->outline->all, width_of (view), height_of (view));
  }
  view->viewport = s;
}

/* The current view becomes the user's choice for this step. */
static void
own (LsGraphView *view)
{
  LsViewport s = step_viewport (view);
  view->own.dx = view->viewport.x - s.x;
  view->own.dy = view->viewport.y - s.y;
  view->own.step = view->shown_step;
}

void
ls_graph_view_pan_to (LsGraphView *view, double x, double y)
{
  if (!view->layout || !view->layout->n)
    return;
  ls_graph_view_stop_animation (view);
  view->viewport.x = x;
  view->viewport.y = y;
  ls_viewport_clamp (&view->viewport, view->outline->all, width_of (view), height_of (view));
  own (view);
  ls_graph_view_moved (view);
}

void
ls_graph_view_zoom_at (LsGraphView *view, double factor, double x, double y)
{
  double zoom = CLAMP (view->viewport.zoom * factor, LS_ZOOM_MIN, LS_ZOOM_MAX), was = view->viewport.zoom;
  if (ABS (zoom - 1) < 0.03)
    zoom = 1;      /* letters are sharpest at their own size */
  view->viewport.zoom = view->own.zoom = zoom;
  view->own.whole = FALSE;
  ls_graph_view_pan_to (view, x - (x - view->viewport.x) * zoom / was, y - (y - view->viewport.y) * zoom / was);
}

void
ls_graph_view_center_on (LsGraphView *view, double x, double y)
{
  ls_graph_view_pan_to (view, width_of (view) / 2 - x * view->viewport.zoom, height_of (view) / 2 - y * view->viewport.zoom);
}

void
ls_graph_view_reveal (LsGraphView *view, LsBox box)
{
  LsViewport s = view->viewport;
  ls_viewport_reveal (&s, box, width_of (view), height_of (view));
  if (s.x != view->viewport.x || s.y != view->viewport.y)
    ls_graph_view_pan_to (view, s.x, s.y);
}

static void
show_whole (LsGraphView *view)
{
  view->viewport = ls_outline_whole (view->outline, width_of (view), height_of (view));
  view->own = (LsUserViewport) { .whole = TRUE, .zoom = view->viewport.zoom };
  own (view);
}

void
ls_graph_view_resized (LsGraphView *view)
{
  ls_graph_view_place (view);
  if (view->placed && view->own.whole)
    show_whole (view);
}

/* Shows the whole graph, as small as that needs, here and at the steps to come. */
void
ls_graph_view_fit (LsGraphView *view)
{
  if (!view->layout || !view->layout->n)
    return;
  LsViewport seen = ls_graph_view_animated_viewport (view);
  show_whole (view);
  g_clear_pointer (&view->visited, g_free);
  ls_graph_view_animate (view, seen);
  ls_graph_view_moved (view);
}

/* --- the change --- */

LsOffscreen
ls_graph_view_offscreen (LsGraphView *view)
{
  return ls_offscreen (view->scene, view->layout, ls_graph_view_sides (view), view->viewport, width_of (view), height_of (view));
}

/* The next change of this step that was not visible since the first . here, with as many neighbours as there is space for. FALSE: there
 * is none. */
static gboolean
find_next (LsGraphView *view, LsBox *next)
{
  double w = width_of (view), h = height_of (view), least = G_MAXDOUBLE, room_x = w - 2 * LS_MARGIN, room_y = h - LS_LEGEND - 2 * LS_MARGIN;
  double zoom = MAX (view->viewport.zoom, LS_ZOOM_LINES), x = (w / 2 - view->viewport.x) / view->viewport.zoom,
         y = (h / 2 - view->viewport.y) / view->viewport.zoom;
  if (!view->visited)
    view->visited = g_new0 (guint8, view->scene->n_nodes);
  for (guint i = 0; i < view->scene->n_nodes; i++) {
    LsBox b = ls_graph_view_node_box (view, i);
    view->visited[i] |= !ls_scene_changed (view->scene, i, ls_graph_view_sides (view)) ||
                        ls_viewport_direction (view->viewport, b, view->scene->is_diff, w, h) == LS_N_DIRECTIONS;
    double away = hypot ((b.x0 + b.x1) / 2 - x, (b.y0 + b.y1) / 2 - y);
    if (!view->visited[i] && away < least) {
      least = away;
      *next = b;
    }
  }
  for (guint i = 0; i < view->scene->n_nodes && least < G_MAXDOUBLE; i++) {
    LsBox both = *next;
    ls_box_join (&both, ls_graph_view_node_box (view, i));
    if (!view->visited[i] && (both.x1 - both.x0) * zoom <= room_x && (both.y1 - both.y0) * zoom <= room_y)
      *next = both;
  }
  return least < G_MAXDOUBLE;
}

/* Brings the step's change to the middle, readable; without one, the current node or the end of the graph. If some of it is outside, it
 * goes there, from one part to the next, and then begins again. */
void
ls_graph_view_focus_change (LsGraphView *view)
{
  if (!view->layout || !view->layout->n)
    return;
  LsViewport seen = ls_graph_view_animated_viewport (view);
  gboolean unasked = view->own.zoom == 0 && view->own.dx == 0 && view->own.dy == 0;
  LsBox box;
  if ((unasked || view->visited) && find_next (view, &box)) {
    view->own.whole = FALSE;
    if (view->viewport.zoom < LS_ZOOM_LINES)
      view->viewport.zoom = view->own.zoom = LS_ZOOM_LINES;
  } else {
    view->own = (LsUserViewport) { 0 };
    ls_graph_view_place (view);
    double w = width_of (view) - 2 * LS_MARGIN, h = height_of (view) - 2 * LS_MARGIN;
    box = view->outline->change;
    if (box.x1 < box.x0)
      box = view->current >= 0 ? ls_graph_view_node_box (view, (guint) view->current) : view->outline->focus;
    else if (view->scene->focus != LS_NO_NODE && ((box.x1 - box.x0) * view->viewport.zoom > w ||
                                                   (box.y1 - box.y0) * view->viewport.zoom > h))
      box = view->outline->focus;
    g_free (view->visited);
    view->visited = g_new0 (guint8, view->scene->n_nodes);
  }
  ls_graph_view_center_on (view, (box.x0 + box.x1) / 2,
                           (box.y0 + box.y1) / 2 + (view->scene->is_diff ? LS_LEGEND / 2 / view->viewport.zoom : 0));
  ls_graph_view_animate (view, seen);
}

int
ls_graph_view_node_at (LsGraphView *view, double x, double y)
{
  if (!view->layout || (view->scene->is_diff && y >= height_of (view) - LS_LEGEND))
    return -1;
  double px = (x - view->viewport.x) / view->viewport.zoom, py = (y - view->viewport.y) / view->viewport.zoom,
         slack = view->viewport.zoom < LS_ZOOM_BOXES ? 3 / view->viewport.zoom : 0;
  for (guint i = view->scene->n_nodes; i-- > 0; ) {
    LsBox b = ls_graph_view_node_box (view, i);
    if (ls_graph_view_shows (view, view->scene->nodes[i].side) && px >= b.x0 - slack && px < b.x1 + slack && py >= b.y0 - slack &&
        py < b.y1 + slack)
      return (int) i;
  }
  return -1;
}
