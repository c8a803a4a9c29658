/* What lies over the picture: the minimap when the graph exceeds the view, the legend of a diff, messages.
 *
 * The minimap's picture is kept as an image, since a graph of many thousand nodes would otherwise be drawn twice a frame.
 */
#include "graph-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAP_WIDTH  168.0
#define MAP_HEIGHT 112.0
#define EDGE       12.0

gboolean
ls_graph_minimap (LsGraphView *view, double width, double height, LsBox *box, double *scale)
{
  LsBox e = ls_graph_view_extents (view);
  if (e.x1 <= e.x0 || e.y1 <= e.y0 || width < 2 * MAP_WIDTH || height < 2 * MAP_HEIGHT)
    return FALSE;
  gboolean inside = e.x0 * view->sight.zoom + view->sight.x >= -1 && e.y0 * view->sight.zoom + view->sight.y >= -1 && e.x1 * view->sight.zoom + view->sight.x <= width + 1
                    && e.y1 * view->sight.zoom + view->sight.y <= height + 1;
  if (inside)
    return FALSE;
  double s = MIN (MAP_WIDTH / (e.x1 - e.x0), MAP_HEIGHT / (e.y1 - e.y0));
  /* a graph that is all height or all width still gets a map that can be hit */
  double w = MAX ((e.x1 - e.x0) * s, 36), h = MAX ((e.y1 - e.y0) * s, 36);
  *box = (LsBox) { (float) (width - EDGE - w), (float) (height - EDGE - h), (float) (width - EDGE), (float) (height - EDGE) };
  *scale = s;
  return TRUE;
}

void
ls_graph_minimap_forget (LsGraphView *view)
{
  g_clear_pointer (&view->map, cairo_surface_destroy);
}

static void
draw_map (LsGraphView *view, const LsPalette *p, double w, double h, double s)
{
  LsBox e = ls_graph_view_extents (view);
  int k = gtk_widget_get_scale_factor (GTK_WIDGET (view));
  view->map = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil (w) * k, (int) ceil (h) * k);
  cairo_surface_set_device_scale (view->map, k, k);
  cairo_t *cr = cairo_create (view->map);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < view->scene->n_nodes; i++) {
      const LsSceneNode *node = &view->scene->nodes[i];
      if ((node->kind != LS_DIFF_SAME) != pass || !ls_graph_view_shows (view, node->side))
        continue;
      LsBox b = ls_graph_view_node_box (view, i);
      double least = pass ? 3 : 1, bw = MAX ((b.x1 - b.x0) * s, least), bh = MAX ((b.y1 - b.y0) * s, least);
      cairo_rectangle (cr, ((b.x0 + b.x1) / 2 - e.x0) * s - bw / 2, ((b.y0 + b.y1) / 2 - e.y0) * s - bh / 2, bw, bh);
      ls_graph_source (cr, pass ? &p->kinds[node->kind].border : &p->edge, pass ? 1 : 0.55);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

static void
panel (cairo_t *cr, const LsPalette *p, double x, double y, double w, double h)
{
  ls_graph_rounded (cr, x, y, w, h, 6);
  ls_graph_source (cr, &p->panel, 0.93);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, &p->edge, 0.4);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
minimap (LsGraphView *view, cairo_t *cr, const LsPalette *p, double width, double height)
{
  LsBox b;
  double s, pad = 5;
  if (!ls_graph_minimap (view, width, height, &b, &s))
    return;
  double w = b.x1 - b.x0, h = b.y1 - b.y0;
  panel (cr, p, b.x0 - pad + 0.5, b.y0 - pad + 0.5, w + 2 * pad - 1, h + 2 * pad - 1);
  if (!view->map)
    draw_map (view, p, w, h, s);
  cairo_set_source_surface (cr, view->map, b.x0, b.y0);
  cairo_paint (cr);
  cairo_save (cr);
  cairo_rectangle (cr, b.x0 - pad + 1, b.y0 - pad + 1, w + 2 * pad - 2, h + 2 * pad - 2);
  cairo_clip (cr);
  LsBox e = ls_graph_view_extents (view);
  double vx = b.x0 - (view->sight.x / view->sight.zoom + e.x0) * s, vy = b.y0 - (view->sight.y / view->sight.zoom + e.y0) * s, vw = width / view->sight.zoom * s, vh = height / view->sight.zoom * s;
  cairo_rectangle (cr, vx, vy, vw, vh);
  ls_graph_source (cr, &p->accent, 0.12);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, &p->accent, 1);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* --- words --- */

static PangoLayout *
label (LsGraphView *view, const char *markup)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (view), NULL);
  pango_layout_set_markup (layout, markup, -1);
  return layout;
}

static void
legend (LsGraphView *view, cairo_t *cr, const LsPalette *p, double width, double height)
{
  static const LsDiffKind order[] = { LS_DIFF_ADDED, LS_DIFF_REMOVED, LS_DIFF_CHANGED, LS_DIFF_MOVED };
  const char *words[] = { _("added"), _("removed"), _("changed"), _("moved") };
  PangoLayout *texts[G_N_ELEMENTS (order)];
  double widths[G_N_ELEMENTS (order)], total = 6;
  int h = 0;
  gboolean narrow = width < 460;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_autofree char *markup = narrow ? g_strdup_printf ("<small>%u</small>", view->scene->n_kind[order[i]])
                                     : g_strdup_printf ("<small>%u %s</small>", view->scene->n_kind[order[i]], words[i]);
    int w;
    texts[i] = label (view, markup);
    pango_layout_get_pixel_size (texts[i], &w, &h);
    widths[i] = w;
    total += 16 + 5 + w + 12;
  }
  double x = EDGE, box_height = MAX (h + 8, 26), y = height - EDGE - box_height;
  panel (cr, p, x - 4.5, y + 4.5, total - 1, box_height - 1);
  y += 4;
  x += 4;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    ls_graph_badge (cr, p, order[i], x + 8, y + box_height / 2, 7);
    ls_graph_source (cr, &p->text, 1);
    cairo_move_to (cr, x + 21, y + (box_height - h) / 2);
    pango_cairo_show_layout (cr, texts[i]);
    x += 21 + widths[i] + 12;
    g_object_unref (texts[i]);
  }
}

static void
message (LsGraphView *view, cairo_t *cr, const LsPalette *p, const char *markup, double width, double y, gboolean framed)
{
  g_autoptr (PangoLayout) layout = label (view, markup);
  int w, h;
  pango_layout_set_width (layout, (int) MAX (width - 40, 40) * PANGO_SCALE);
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
  pango_layout_get_pixel_size (layout, &w, &h);
  if (framed)
    panel (cr, p, floor (width / 2 - w / 2.0) - 11.5, y - 5.5, w + 23, h + 11);
  ls_graph_source (cr, framed ? &p->text : &p->dim, 1);
  cairo_move_to (cr, floor (width / 2 - MAX (width - 40, 40) / 2), y);
  pango_cairo_show_layout (cr, layout);
}

void
ls_graph_overlay (LsGraphView *view, cairo_t *cr, const LsPalette *p, double width, double height)
{
  gboolean empty = !view->scene || !view->layout;
  if (!empty) {
    minimap (view, cr, p, width, height);
    if (view->scene->is_diff)
      legend (view, cr, p, width, height);
  }
  if (view->cancelled)
    message (view, cr, p, empty ? _("Layout cancelled") : _("Layout cancelled: this is the picture before"), width, empty ? height / 2 - 20 : 14, TRUE);
  else if (empty && !view->coming)
    message (view, cr, p, _("<b>No graph here</b>\nRun a program, then choose a pass or a step."), width, height / 2 - 20, FALSE);
  if (view->coming && view->slow) {
    g_autofree char *markup = g_strdup_printf (ngettext ("Laying out %u node…", "Laying out %u nodes…", view->coming->n_nodes), view->coming->n_nodes);
    message (view, cr, p, markup, width, empty ? height / 2 - 10 : 18, TRUE);
  }
}
