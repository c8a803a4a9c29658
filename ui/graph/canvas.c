/* What was painted of the picture, kept from frame to frame.
 *
 * When the picture is moved the canvas is moved, and only strips that come into sight are painted, with some more for the next frames. It is painted anew when the scale, the
 * scene, its marks or the colours change: ls_graph_canvas_forget. The picture is moved by whole pixels, so a strip joins without a seam.
 *
 * Of a graph with thousands of edges seen from afar the edges are straight lines of one pixel, and cairo takes ten times as long for one as
 * writing it takes: they are written here (X. Wu, An efficient antialiasing technique, 1991).
 */
#include "graph-view-private.h"

#include <math.h>

#define AHEAD 96      /* pixels painted beyond the edge that the picture is moved from */

void
ls_graph_canvas_forget (LsGraphView *view)
{
  g_clear_pointer (&view->canvas, cairo_surface_destroy);
}

/* --- lines --- */

typedef struct { guint32 *pixels; int stride, x0, y0, x1, y1; guint32 r, g, b; double alpha; } Pen;

static void
dot (const Pen *pen, int x, int y, double cover)
{
  if (x < pen->x0 || x >= pen->x1 || y < pen->y0 || y >= pen->y1)
    return;
  guint32 a = (guint32) (cover * pen->alpha * 256 + 0.5), *at = pen->pixels + y * pen->stride + x, was = *at;
  guint32 r = (was >> 16) & 255, g = (was >> 8) & 255, b = was & 255;
  r += (guint32) ((int) ((int) pen->r - (int) r) * (int) a / 256);
  g += (guint32) ((int) ((int) pen->g - (int) g) * (int) a / 256);
  b += (guint32) ((int) ((int) pen->b - (int) b) * (int) a / 256);
  *at = 0xff000000u | r << 16 | g << 8 | b;
}

static void
line (const Pen *pen, double x0, double y0, double x1, double y1)
{
  gboolean steep = fabs (y1 - y0) > fabs (x1 - x0);
  double a0 = steep ? y0 : x0, b0 = steep ? x0 : y0, a1 = steep ? y1 : x1, b1 = steep ? x1 : y1;
  if (a0 > a1) {
    double t = a0;
    a0 = a1;
    a1 = t;
    t = b0;
    b0 = b1;
    b1 = t;
  }
  double slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0;
  double low = MAX (a0, steep ? pen->y0 : pen->x0), high = MIN (a1, (steep ? pen->y1 : pen->x1) - 1);
  for (int a = (int) floor (low); a <= high; a++) {
    double b = b0 + slope * (a + 0.5 - a0) - 0.5, whole = floor (b), part = b - whole;
    double ends = MIN (MIN (1, a + 1 - a0), MIN (1, a1 - a));      /* the first and last pixel are covered in part */
    if (ends <= 0)
      continue;
    if (steep) {
      dot (pen, (int) whole, a, (1 - part) * ends);
      dot (pen, (int) whole + 1, a, part * ends);
    } else {
      dot (pen, a, (int) whole, (1 - part) * ends);
      dot (pen, a, (int) whole + 1, part * ends);
    }
  }
}

gboolean
ls_graph_canvas_line (cairo_t *cr, double x0, double y0, double x1, double y1, const GdkRGBA *color, double alpha)
{
  cairo_surface_t *surface = cairo_get_target (cr);
  double kx, ky;
  cairo_surface_get_device_scale (surface, &kx, &ky);
  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE || kx != 1)
    return FALSE;
  double cx0, cy0, cx1, cy1;
  cairo_clip_extents (cr, &cx0, &cy0, &cx1, &cy1);
  cairo_user_to_device (cr, &cx0, &cy0);
  cairo_user_to_device (cr, &cx1, &cy1);
  cairo_user_to_device (cr, &x0, &y0);
  cairo_user_to_device (cr, &x1, &y1);
  cairo_surface_flush (surface);
  Pen pen = { (guint32 *) (gpointer) cairo_image_surface_get_data (surface), cairo_image_surface_get_stride (surface) / 4,
              MAX ((int) lround (cx0), 0), MAX ((int) lround (cy0), 0), MIN ((int) lround (cx1), cairo_image_surface_get_width (surface)),
              MIN ((int) lround (cy1), cairo_image_surface_get_height (surface)), (guint32) (color->red * 255 + 0.5f), (guint32) (color->green * 255 + 0.5f),
              (guint32) (color->blue * 255 + 0.5f), alpha };
  line (&pen, x0, y0, x1, y1);
  cairo_surface_mark_dirty (surface);
  return TRUE;
}

/* --- the canvas --- */

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
  float dx = (float) (view->sight.x - view->canvas_sight.x), dy = (float) (view->sight.y - view->canvas_sight.y);
  const LsBox *a = &view->canvas_area;
  return (LsBox) { a->x0 + dx, a->y0 + dy, a->x1 + dx, a->y1 + dy };
}

void
ls_graph_canvas (LsGraphView *view, cairo_t *to, const LsPalette *p, int width, int height)
{
  int k = gtk_widget_get_scale_factor (GTK_WIDGET (view));
  LsBox all = { 0, 0, (float) width, (float) height }, was = area_of (view), now = all;
  gboolean keeps = view->canvas && view->canvas_sight.zoom == view->sight.zoom && view->canvas_scale == k
                   && was.x0 < all.x1 && was.x1 > 0 && was.y0 < all.y1 && was.y1 > 0;
  if (!keeps || was.x0 > 0 || was.y0 > 0 || was.x1 < all.x1 || was.y1 < all.y1) {
    if (keeps)      /* it is being moved: the next frames need more on that side */
      now = (LsBox) { was.x0 > 0 ? -AHEAD : 0, was.y0 > 0 ? -AHEAD : 0, all.x1 + (was.x1 < all.x1 ? AHEAD : 0), all.y1 + (was.y1 < all.y1 ? AHEAD : 0) };
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
    view->canvas_sight = view->sight;
    view->canvas_area = was = now;
    view->canvas_scale = k;
  }
  cairo_set_source_surface (to, view->canvas, was.x0, was.y0);
  cairo_paint (to);
}
