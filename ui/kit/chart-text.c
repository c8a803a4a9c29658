/* Text in charts. */
#include "chart-text.h"

void
ls_chart_write (PangoLayout *layout, cairo_t *cr, const char *text, double x, double y, double before)
{
  PangoRectangle r;
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_extents (layout, NULL, &r);
  cairo_move_to (cr, x - before * r.width, y - r.height / 2.0);
  pango_cairo_show_layout (cr, layout);
}
