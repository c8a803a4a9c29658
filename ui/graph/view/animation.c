/* From one part of the picture to another in 180 ms, so that the eye can follow. Only the drawing is animated: the view itself changes
 * at once, for clicks, links and the next step. Who steps faster than that sees no motion, and nothing moves where the desktop says so. */
#include "graph-view-private.h"

#include <math.h>

#define ANIMATION_US  (180 * 1000)
#define FARTHEST  2       /* windows: a picture farther away is reached without animation */
#define MOST      4000    /* boxes: more are not painted ten times over */

void
ls_graph_view_stop_animation (LsGraphView *view)
{
  if (view->animation_tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (view), view->animation_tick);
  view->animation_tick = 0;
}

static double
progress (LsGraphView *view)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (view));
  return clock ? CLAMP ((double) (gdk_frame_clock_get_frame_time (clock) - view->animation_start) / ANIMATION_US, 0, 1) : 1;
}

/* The current picture: the middle of the window moves straight, the scale by equal factors, both fast at first (ease-out, cubic). */
LsViewport
ls_graph_view_animated_viewport (LsGraphView *view)
{
  const LsViewport *a = &view->animation_from, *b = &view->viewport;
  if (!view->animation_tick)
    return *b;
  double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view)), left = pow (1 - progress (view), 3);
  double zoom = b->zoom * pow (a->zoom / b->zoom, left);
  double ax = (w / 2 - a->x) / a->zoom, ay = (h / 2 - a->y) / a->zoom, bx = (w / 2 - b->x) / b->zoom, by = (h / 2 - b->y) / b->zoom;
  return (LsViewport) { zoom, round (w / 2 - (bx + (ax - bx) * left) * zoom), round (h / 2 - (by + (ay - by) * left) * zoom) };
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  LsGraphView *view = LS_GRAPH_VIEW (widget);
  gtk_widget_queue_draw (widget);
  if (progress (view) < 1)
    return G_SOURCE_CONTINUE;
  view->animation_tick = 0;
  return G_SOURCE_REMOVE;
}

void
ls_graph_view_animate (LsGraphView *view, LsViewport from)
{
  GtkWidget *widget = GTK_WIDGET (view);
  double w = gtk_widget_get_width (widget), h = gtk_widget_get_height (widget);
  const LsViewport *to = &view->viewport;
  gboolean moves = FALSE, hurried = view->animation_tick != 0;
  ls_graph_view_stop_animation (view);
  g_object_get (gtk_widget_get_settings (widget), "gtk-enable-animations", &moves, NULL);
  if (!moves || hurried || !view->placed || !gtk_widget_get_mapped (widget) || !view->scene || view->scene->n_nodes > MOST)
    return;
  if (from.zoom <= 0 || (fabs (from.x - to->x) < 2 && fabs (from.y - to->y) < 2 && from.zoom == to->zoom))
    return;
  double dx = (w / 2 - from.x) / from.zoom - (w / 2 - to->x) / to->zoom, dy = (h / 2 - from.y) / from.zoom - (h / 2 - to->y) / to->zoom;
  if (fabs (dx) * to->zoom > FARTHEST * w || fabs (dy) * to->zoom > FARTHEST * h)
    return;
  view->animation_from = from;
  view->animation_start = gdk_frame_clock_get_frame_time (gtk_widget_get_frame_clock (widget));
  view->animation_tick = gtk_widget_add_tick_callback (widget, on_tick, NULL, NULL);
}
