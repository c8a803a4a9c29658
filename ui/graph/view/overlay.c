/* Drawn over the picture: the minimap when the graph exceeds the view, the legend of a diff, the number of changes outside, messages.
 *
 * The minimap's picture is kept as an image, since a graph of many thousand nodes would otherwise be drawn twice a frame.
 */
#include "graph-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAP_WIDTH  168.0
#define MAP_HEIGHT 112.0
#define EDGE       12.0
#define PAD        5.0
#define KEY        15.0
#define AROUND     14.0f     /* of a box: its badge, and the map's frame */

/* Where it would be in a corner, bit 0: left, bit 1: on top, at a part of its size. */
static LsBox
corner (LsGraphView *view, double width, double height, double w, double h, guint at)
{
  double x = at & 1 ? EDGE : width - EDGE - w, y = at & 2 ? EDGE : height - EDGE - h - (view->scene->is_diff ? LS_LEGEND : 0);
  return (LsBox) { (float) x, (float) y, (float) (x + w), (float) (y + h) };
}

/* It covers nothing: it is in the first corner that has room for it, smaller where that helps, or not there. */
gboolean
ls_graph_minimap (LsGraphView *view, double width, double height, LsBox *box, double *scale)
{
  LsBox e = ls_graph_view_extents (view);
  const LsViewport *t = &view->viewport;
  if (e.x1 <= e.x0 || e.y1 <= e.y0 || width < 2 * MAP_WIDTH || height < 2 * MAP_HEIGHT)
    return FALSE;
  if (e.x0 * t->zoom + t->x >= -1 && e.y0 * t->zoom + t->y >= -1 && e.x1 * t->zoom + t->x <= width + 1 &&
      e.y1 * t->zoom + t->y <= height + 1)
    return FALSE;
  LsBox places[8];
  double scales[2];
  gboolean taken[8] = { FALSE };
  for (guint i = 0; i < 2; i++) {
    scales[i] = MIN (MAP_WIDTH / (e.x1 - e.x0), MAP_HEIGHT / (e.y1 - e.y0)) / (1 + i);
    for (guint at = 0; at < 4; at++)      /* a graph that is all height or all width still gets a map that can be hit */
      places[4 * i + at] = corner (view, width, height, MAX ((e.x1 - e.x0) * scales[i], 36), MAX ((e.y1 - e.y0) * scales[i], 36), at);
  }
  for (guint i = 0; i < view->scene->n_nodes && !view->in_minimap; i++) {
    LsBox b = ls_graph_view_node_box (view, i);
    if (!ls_graph_view_shows (view, view->scene->nodes[i].side))
      continue;
    b = (LsBox) { (float) (b.x0 * t->zoom + t->x) - AROUND, (float) (b.y0 * t->zoom + t->y) - AROUND,
                  (float) (b.x1 * t->zoom + t->x) + AROUND, (float) (b.y1 * t->zoom + t->y) + AROUND };
    for (guint k = 0; k < G_N_ELEMENTS (places) && !ls_box_outside (b, (LsBox) { 0, 0, (float) width, (float) height }); k++)
      taken[k] |= !ls_box_outside (b, places[k]);
  }
  for (guint k = 0; k < G_N_ELEMENTS (places); k++)
    if (view->in_minimap ? k == view->map_place : !taken[k]) {
      *box = places[k];
      *scale = scales[k / 4];
      view->map_place = k;
      return TRUE;
    }
  return FALSE;
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
  double s, pad = PAD;
  if (!ls_graph_minimap (view, width, height, &b, &s))
    return;
  double w = b.x1 - b.x0, h = b.y1 - b.y0;
  panel (cr, p, b.x0 - pad + 0.5, b.y0 - pad + 0.5, w + 2 * pad - 1, h + 2 * pad - 1);
  if (view->map && view->map_scale != s)
    ls_graph_minimap_forget (view);
  if (!view->map)
    draw_map (view, p, w, h, s);
  view->map_scale = s;
  cairo_set_source_surface (cr, view->map, b.x0, b.y0);
  cairo_paint (cr);
  cairo_save (cr);
  cairo_rectangle (cr, b.x0 - pad + 1, b.y0 - pad + 1, w + 2 * pad - 2, h + 2 * pad - 2);
  cairo_clip (cr);
  LsBox e = ls_graph_view_extents (view);
  double vx = b.x0 - (view->viewport.x / view->viewport.zoom + e.x0) * s, vy = b.y0 - (view->viewport.y / view->viewport.zoom + e.y0) * s,
         vw = width / view->viewport.zoom * s, vh = height / view->viewport.zoom * s;
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

typedef struct { LsDiffKind kind; PangoLayout *text; int width, height; } Count;

/* How many of each kind that there are. Returns the width of all of them. */
static double
count_kinds (LsGraphView *view, gboolean words, Count *counts, guint *n)
{
  static const LsDiffKind order[] = { LS_DIFF_ADDED, LS_DIFF_REMOVED, LS_DIFF_CHANGED, LS_DIFF_MOVED };
  const char *names[] = { _("added"), _("removed"), _("changed"), _("moved") };
  double total = 0;
  *n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    guint of_kind = view->scene->n_kind[order[i]];
    if (!of_kind)
      continue;
    g_autofree char *markup = words ? g_strdup_printf ("<small>%u %s</small>", of_kind, names[i])
                                    : g_strdup_printf ("<small>%u</small>", of_kind);
    Count *c = &counts[(*n)++];
    *c = (Count) { order[i], label (view, markup), 0, 0 };
    pango_layout_get_pixel_size (c->text, &c->width, &c->height);
    total += 21 + c->width + 12;
  }
  return total;
}

/* A strip below the picture, which ends there: what is counted, and beside it what of that is outside and which key goes there; the
 * words of the legend give way to the note's. */
static void
legend (LsGraphView *view, cairo_t *cr, const LsPalette *p, double width, double height)
{
  const double high = 26, top = height - LS_LEGEND, y = top + 4;
  LsOffscreen outside = ls_graph_view_offscreen (view);
  g_autofree char *text = ls_offscreen_text (&outside), *markup = g_strdup_printf ("<small>%s</small>", text);
  g_autoptr (PangoLayout) note = label (view, markup);
  int note_width = 0, note_height = 0;
  Count counts[LS_N_DIFF];
  guint n;
  if (outside.n)
    pango_layout_get_pixel_size (note, &note_width, &note_height);
  double room = width - 2 * EDGE - (outside.n ? note_width + KEY + 30 : 0), total = count_kinds (view, TRUE, counts, &n);
  if (total > room) {
    for (guint i = 0; i < n; i++)
      g_object_unref (counts[i].text);
    total = count_kinds (view, FALSE, counts, &n);
  }
  double x = EDGE;
  cairo_rectangle (cr, 0, top, width, LS_LEGEND);
  ls_graph_source (cr, &p->panel, 1);
  cairo_fill (cr);
  cairo_rectangle (cr, 0, top, width, 1);
  ls_graph_source (cr, &p->edge, 0.4);
  cairo_fill (cr);
  for (guint i = 0; i < n; i++) {
    ls_graph_badge (cr, p, counts[i].kind, x + 12, y + high / 2, 7);
    ls_graph_source (cr, &p->text, 1);
    cairo_move_to (cr, x + 25, y + (high - counts[i].height) / 2);
    pango_cairo_show_layout (cr, counts[i].text);
    x += 21 + counts[i].width + 12;
    g_object_unref (counts[i].text);
  }
  if (!outside.n && n == 0) {
    g_autofree char *none = g_strdup_printf ("<small>%s</small>", _("No node of the graph changed"));
    g_autoptr (PangoLayout) nothing = label (view, none);
    int wide, tall;
    pango_layout_get_pixel_size (nothing, &wide, &tall);
    ls_graph_source (cr, &p->dim, 1);
    cairo_move_to (cr, x, y + (high - tall) / 2);
    pango_cairo_show_layout (cr, nothing);
  }
  if (!outside.n)
    return;
  x += n ? 8 : 0;
  note_width = (int) MIN (note_width, width - x - EDGE - KEY - 16);
  pango_layout_set_width (note, note_width * PANGO_SCALE);
  pango_layout_set_ellipsize (note, PANGO_ELLIPSIZE_MIDDLE);
  view->note = (LsBox) { (float) (x - 4), (float) y, (float) (x + note_width + KEY + 14), (float) (y + high) };
  panel (cr, p, x - 4.5, y + 0.5, note_width + KEY + 19, high - 1);
  ls_graph_source (cr, &p->kinds[LS_DIFF_CHANGED].border, 1);
  cairo_move_to (cr, x + 4, y + (high - note_height) / 2);
  pango_cairo_show_layout (cr, note);
  /* the key, with its point as large as it can be read */
  x += note_width + 10;
  ls_graph_rounded (cr, x + 0.5, y + (high - KEY) / 2 + 0.5, KEY - 1, KEY - 1, 3);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  cairo_arc (cr, x + KEY / 2, y + high / 2 + 3, 1.8, 0, 2 * G_PI);
  cairo_fill (cr);
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
  view->note = (LsBox) { 0, 0, -1, -1 };
  if (!empty) {
    minimap (view, cr, p, width, height);
    if (view->scene->is_diff)
      legend (view, cr, p, width, height);
    ls_graph_tooltip (view, cr, p, width, height);
  }
  if (view->cancelled)
    message (view, cr, p, empty ? _("Layout cancelled") : _("Layout cancelled: this is the previous picture"), width,
             empty ? height / 2 - 20 : 14, TRUE);
  else if (empty && !view->coming)
    message (view, cr, p, _("<b>No graph here</b>\nRun a program, then choose a pass or a step."), width, height / 2 - 20, FALSE);
  if (view->coming && view->slow) {
    g_autofree char *markup = g_strdup_printf (ngettext ("Laying out %u node…", "Laying out %u nodes…", view->coming->n_nodes),
                                               view->coming->n_nodes);
    message (view, cr, p, markup, width, empty ? height / 2 - 10 : 18, TRUE);
  }
}
