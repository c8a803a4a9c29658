/* The painted picture, kept from frame to frame.
 *
 * When the picture is moved the canvas is moved, and only strips that come into sight are painted, with some more for the next frames.
 * It is painted again when the scale, the scene, its marks or the colours change: ls_graph_canvas_forget. The picture is moved by whole
 * pixels, so a strip joins without a seam.
 */
#include "graph-view-private.h"

#define AHEAD 96      /* pixels painted beyond the edge that the picture is moved from */

void
ls_graph_canvas_forget (LsGraphView *view)
{
  g_clear_pointer (&view->canvas, cairo_surface_destroy);
}

static void
paint_area (LsGraphView *view, cairo_t *cr, const LsPalette *p, double x0, double y0, double x1, double y1)
{
  if (x1 <= x0 || y1 <= y0)
    return;
  cairo_save (cr);
  cairo_rectangle (cr, x0, y0, x1 - x0, y1 - y0);
  cairo_clip (cr);
  ls_graph_source (cr, &p->ground, 1);
  cairo_paint (cr);
  ls_graph_paint (view, cr, p, (LsBox) { (float) x0, (float) y0, (float) x1, (float) y1 });
  cairo_restore (cr);
}

/* Where the canvas is in the widget now. */
static LsBox
area_of (LsGraphView *view)
{
  float dx = (float) (view->viewport.x - view->canvas_viewport.x), dy = (float) (view->viewport.y - view->canvas_viewport.y);
  const LsBox *a = &view->canvas_area;
  return (LsBox) { a->x0 + dx, a->y0 + dy, a->x1 + dx, a->y1 + dy };
}

void
ls_graph_canvas (LsGraphView *view, cairo_t *to, const LsPalette *p, int width, int height)
{
  int k = gtk_widget_get_scale_factor (GTK_WIDGET (view));
  LsBox all = { 0, 0, (float) width, (float) height }, was = area_of (view), now = all;
  gboolean keeps = view->canvas && view->canvas_viewport.zoom == view->viewport.zoom && view->canvas_scale == k
                   && was.x0 < all.x1 && was.x1 > 0 && was.y0 < all.y1 && was.y1 > 0;
  if (!keeps || was.x0 > 0 || was.y0 > 0 || was.x1 < all.x1 || was.y1 < all.y1) {
    if (keeps)      /* it is being moved: the next frames need more on that side */
      now = (LsBox) { was.x0 > 0 ? -AHEAD : 0, was.y0 > 0 ? -AHEAD : 0, all.x1 + (was.x1 < all.x1 ? AHEAD : 0),
                      all.y1 + (was.y1 < all.y1 ? AHEAD : 0) };
    cairo_surface_t *canvas = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (now.x1 - now.x0) * k, (int) (now.y1 - now.y0) * k);
    cairo_surface_set_device_scale (canvas, k, k);
    cairo_t *cr = cairo_create (canvas);
    cairo_translate (cr, -now.x0, -now.y0);
    if (keeps) {
      double x0 = MAX (was.x0, now.x0), y0 = MAX (was.y0, now.y0), x1 = MIN (was.x1, now.x1), y1 = MIN (was.y1, now.y1);
      cairo_save (cr);
      cairo_rectangle (cr, x0, y0, x1 - x0, y1 - y0);
      cairo_clip (cr);
      cairo_set_source_surface (cr, view->canvas, was.x0, was.y0);
      cairo_paint (cr);
      cairo_restore (cr);
      paint_area (view, cr, p, now.x0, now.y0, now.x1, y0);
      paint_area (view, cr, p, now.x0, y1, now.x1, now.y1);
      paint_area (view, cr, p, now.x0, y0, x0, y1);
      paint_area (view, cr, p, x1, y0, now.x1, y1);
    } else
      paint_area (view, cr, p, now.x0, now.y0, now.x1, now.y1);
    cairo_destroy (cr);
    g_clear_pointer (&view->canvas, cairo_surface_destroy);
    view->canvas = canvas;
    view->canvas_viewport = view->viewport;
    view->canvas_area = was = now;
    view->canvas_scale = k;
  }
  cairo_set_source_surface (to, view->canvas, was.x0, was.y0);
  cairo_paint (to);
}
