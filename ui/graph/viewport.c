/* Which part of the picture is seen.
 *
 * Layouts are a function of what they show and of nothing else; that the picture stays quiet from step to step is the viewport's
 * work: it moves by the median of what the surviving nodes moved, so that half of them or more stay in their place.
 */
#include "graph-view-private.h"

#include <math.h>
#include <stdlib.h>

/* What the legend takes from the bottom. */
static double
bottom (LsGraphView *view)
{
  return view->scene && view->scene->is_diff ? 34 : 0;
}

gboolean
ls_graph_view_shows (LsGraphView *view, guint side)
{
  return view->mode == LS_GRAPH_BOTH || (side & (view->mode == LS_GRAPH_BEFORE ? LS_IN_BEFORE : LS_IN_AFTER)) != 0;
}

LsBox
ls_graph_view_node_box (LsGraphView *view, guint node)
{
  const LsLayout *l = view->layout;
  return (LsBox) { l->x[node], l->y[node], l->x[node] + view->scene->nodes[node].width, l->y[node] + LS_SCENE_HEIGHT };
}

static void
join (LsBox *box, LsBox other)
{
  if (box->x1 < box->x0)
    *box = other;
  else
    *box = (LsBox) { MIN (box->x0, other.x0), MIN (box->y0, other.y0), MAX (box->x1, other.x1), MAX (box->y1, other.y1) };
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

LsBox
ls_graph_view_change (LsGraphView *view)
{
  LsBox box = { 0, 0, -1, -1 };
  if (!view->layout || !view->scene->is_diff)
    return box;
  for (guint i = 0; i < view->scene->n_nodes; i++)
    if (view->scene->nodes[i].kind != LS_DIFF_SAME || i == view->scene->focus)
      join (&box, ls_graph_view_node_box (view, i));
  return box;
}

void
ls_graph_view_pan_to (LsGraphView *view, double x, double y)
{
  /* some of the picture always stays in sight */
  LsBox e = ls_graph_view_extents (view);
  double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view)), keep = 60;
  if (e.x1 >= e.x0 && w > 0 && h > 0) {
    x = CLAMP (x, keep - e.x1 * view->zoom, w - keep - e.x0 * view->zoom);
    y = CLAMP (y, keep - e.y1 * view->zoom, h - keep - e.y0 * view->zoom);
  }
  view->x = round (x);
  view->y = round (y);
  ls_graph_view_moved (view);
}

void
ls_graph_view_zoom_at (LsGraphView *view, double factor, double x, double y)
{
  double zoom = CLAMP (view->zoom * factor, LS_ZOOM_MIN, LS_ZOOM_MAX), f = zoom / view->zoom;
  if (fabs (zoom - 1) < 0.03)
    f = (zoom = 1) / view->zoom;      /* letters are sharpest at their own size */
  view->zoom = zoom;
  ls_graph_view_pan_to (view, x - (x - view->x) * f, y - (y - view->y) * f);
}

void
ls_graph_view_center_on (LsGraphView *view, double x, double y)
{
  ls_graph_view_pan_to (view, gtk_widget_get_width (GTK_WIDGET (view)) / 2.0 - x * view->zoom,
                        gtk_widget_get_height (GTK_WIDGET (view)) / 2.0 - y * view->zoom);
}

/* The shift that brings [a, b] into [low, high] by as little as possible; where it is too large, its middle. */
static double
shift (double a, double b, double low, double high)
{
  if (b - a > high - low)
    return a > high || b < low || a > low || b < high ? (low + high) / 2 - (a + b) / 2 : 0;
  return a < low ? low - a : b > high ? high - b : 0;
}

void
ls_graph_view_reveal (LsGraphView *view, LsBox box)
{
  double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view)), m = LS_MARGIN / 2.0;
  if (box.x1 < box.x0 || w <= 0 || h <= 0)
    return;
  double dx = shift (box.x0 * view->zoom + view->x, box.x1 * view->zoom + view->x, m, w - m);
  double dy = shift (box.y0 * view->zoom + view->y, box.y1 * view->zoom + view->y, m, h - m - bottom (view));
  if (dx != 0 || dy != 0)
    ls_graph_view_pan_to (view, view->x + dx, view->y + dy);
}

static double
fit_zoom (LsGraphView *view)
{
  LsBox e = ls_graph_view_extents (view);
  double w = gtk_widget_get_width (GTK_WIDGET (view)) - 2 * LS_MARGIN, h = gtk_widget_get_height (GTK_WIDGET (view)) - 2 * LS_MARGIN - bottom (view);
  if (e.x1 < e.x0 || w <= 0 || h <= 0)
    return 1;
  return CLAMP (MIN (w / MAX (e.x1 - e.x0, 1), h / MAX (e.y1 - e.y0, 1)), LS_ZOOM_MIN, 1);
}

/**
 * ls_graph_view_fit:
 * @view: the view
 *
 * Shows the whole graph, as small as that needs.
 */
void
ls_graph_view_fit (LsGraphView *view)
{
  LsBox e = ls_graph_view_extents (view);
  if (e.x1 < e.x0)
    return;
  view->zoom = fit_zoom (view);
  view->by_user = FALSE;
  ls_graph_view_center_on (view, (e.x0 + e.x1) / 2, (e.y0 + e.y1) / 2 + bottom (view) / 2 / view->zoom);
}

/**
 * ls_graph_view_focus_change:
 * @view: the view
 *
 * Brings the step's change to the middle, readable; without one, the current node or the end of the graph.
 */
void
ls_graph_view_focus_change (LsGraphView *view)
{
  if (!view->layout || !view->layout->n)
    return;
  LsBox box = ls_graph_view_change (view);
  double w = gtk_widget_get_width (GTK_WIDGET (view)) - 2 * LS_MARGIN, h = gtk_widget_get_height (GTK_WIDGET (view)) - 2 * LS_MARGIN;
  gboolean focus = view->scene->focus != LS_NO_NODE;
  if (box.x1 < box.x0)
    box = ls_graph_view_node_box (view, view->current >= 0 ? (guint) view->current : view->layout->n - 1);
  else if (focus && ((box.x1 - box.x0) * MAX (view->zoom, LS_ZOOM_TEXT) > w || (box.y1 - box.y0) * MAX (view->zoom, LS_ZOOM_TEXT) > h))
    box = ls_graph_view_node_box (view, view->scene->focus);
  if (view->zoom < LS_ZOOM_LINES)
    view->zoom = w > 0 && h > 0 ? CLAMP (MIN (w / (box.x1 - box.x0), h / (box.y1 - box.y0)), MAX (LS_ZOOM_TEXT, view->zoom), 1) : 1;
  ls_graph_view_center_on (view, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
}

void
ls_graph_view_first_fit (LsGraphView *view)
{
  view->by_user = FALSE;
  view->zoom = fit_zoom (view);
  LsBox e = ls_graph_view_extents (view);
  if (e.x1 < e.x0)
    return;
  if (view->zoom >= LS_ZOOM_TEXT) {
    ls_graph_view_center_on (view, (e.x0 + e.x1) / 2, (e.y0 + e.y1) / 2 + bottom (view) / 2 / view->zoom);
    return;
  }
  /* too large to be read as a whole: readable, at the change, or at the end where everything comes together */
  double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view));
  view->zoom = LS_ZOOM_LINES;
  LsBox change = ls_graph_view_change (view);
  if (change.x1 >= change.x0 && ((change.x1 - change.x0) * view->zoom > w - 2 * LS_MARGIN || (change.y1 - change.y0) * view->zoom > h - 2 * LS_MARGIN))
    view->zoom = LS_ZOOM_TEXT + 0.1;
  guint n = view->layout->n;
  guint at = view->scene->focus != LS_NO_NODE ? view->scene->focus : view->current >= 0 ? (guint) view->current : n - 1;
  LsBox box = ls_graph_view_node_box (view, at);
  ls_graph_view_center_on (view, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
  ls_graph_view_reveal (view, change);
  ls_graph_view_reveal (view, box);
  /* no empty half where the graph ends */
  double x = view->x, y = view->y;
  if ((e.x1 - e.x0) * view->zoom > w - 2 * LS_MARGIN)
    x = CLAMP (x, w - LS_MARGIN - e.x1 * view->zoom, LS_MARGIN - e.x0 * view->zoom);
  else
    x = w / 2 - (e.x0 + e.x1) / 2 * view->zoom;
  if ((e.y1 - e.y0) * view->zoom > h - 2 * LS_MARGIN)
    y = CLAMP (y, h - LS_MARGIN - e.y1 * view->zoom, LS_MARGIN - e.y0 * view->zoom);
  else
    y = h / 2 - (e.y0 + e.y1) / 2 * view->zoom;
  ls_graph_view_pan_to (view, x, y);
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;
  return x < y ? -1 : x > y;
}

gboolean
ls_graph_view_follow (LsGraphView *view, const LsScene *old, const LsLayout *old_layout)
{
  const LsScene *scene = view->scene;
  if (!old || !old_layout || !scene->n_nodes)
    return FALSE;
  float *dx = g_new (float, scene->n_nodes), *dy = g_new (float, scene->n_nodes);
  guint n = 0;
  for (guint i = 0; i < scene->n_nodes; i++) {
    int was = ls_scene_find (old, scene->nodes[i].id);
    if (was < 0 && scene->nodes[i].before != LS_NO_NODE)
      was = ls_scene_find (old, scene->nodes[i].before);
    if (was < 0)
      continue;
    dx[n] = view->layout->x[i] - old_layout->x[was];
    dy[n++] = view->layout->y[i] - old_layout->y[was];
  }
  gboolean enough = n * 3 >= MIN (scene->n_nodes, old->n_nodes);
  if (enough) {
    qsort (dx, n, sizeof (float), by_value);
    qsort (dy, n, sizeof (float), by_value);
    double x = view->x - dx[n / 2] * view->zoom, y = view->y - dy[n / 2] * view->zoom, fit = fit_zoom (view);
    if (!view->by_user && (fit < view->zoom * 0.8 || fit > view->zoom * 1.25) && MAX (fit, LS_ZOOM_TEXT) != view->zoom && fit >= LS_ZOOM_TEXT)
      enough = FALSE;
    else {
      ls_graph_view_pan_to (view, x, y);
      double w = gtk_widget_get_width (GTK_WIDGET (view)) - LS_MARGIN, h = gtk_widget_get_height (GTK_WIDGET (view)) - LS_MARGIN - bottom (view);
      LsBox e = ls_graph_view_extents (view);
      LsBox change = ls_graph_view_change (view);
      gboolean fits = (e.x1 - e.x0) * view->zoom <= w && (e.y1 - e.y0) * view->zoom <= h;
      gboolean change_fits = (change.x1 - change.x0) * view->zoom <= w && (change.y1 - change.y0) * view->zoom <= h;
      if (fits)
        ls_graph_view_reveal (view, e);
      else if (change.x1 >= change.x0 && change_fits)
        ls_graph_view_reveal (view, change);
      else if (scene->focus != LS_NO_NODE)
        ls_graph_view_reveal (view, ls_graph_view_node_box (view, scene->focus));
    }
  }
  g_free (dx);
  g_free (dy);
  return enough;
}

int
ls_graph_view_node_at (LsGraphView *view, double x, double y)
{
  if (!view->layout)
    return -1;
  double px = (x - view->x) / view->zoom, py = (y - view->y) / view->zoom, slack = view->zoom < LS_ZOOM_BOXES ? 3 / view->zoom : 0;
  for (guint i = view->scene->n_nodes; i-- > 0; ) {
    LsBox b = ls_graph_view_node_box (view, i);
    if (ls_graph_view_shows (view, view->scene->nodes[i].side) && px >= b.x0 - slack && px < b.x1 + slack && py >= b.y0 - slack && py < b.y1 + slack)
      return (int) i;
  }
  return -1;
}
