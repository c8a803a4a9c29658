/* The picture: edges, boxes, words, badges, rings.
 *
 * The drawing of a box depends on the zoom: both lines, the op alone, a filled box, a dot; changes are never under 6 pixels. canvas.c
 * keeps the painted picture; marks that follow the pointer are painted over it. Edges (paint-edges.c) cost most: each is stroked by
 * itself, with a pen of ours (pen.h) where the picture has pixels, straight and with fast antialiasing when small. Boxes and edges out
 * of sight are left out. Fonts are scaled so that a letter advances by the width that the layout assumed.
 */
#include "graph-view-private.h"
#include "kit/code-font.h"
#include "graph/layout/hues.h"

#include <adwaita.h>
#include <math.h>

static GdkRGBA
color (guint32 rgb)
{
  return (GdkRGBA) { ((rgb >> 16) & 255) / 255.0f, ((rgb >> 8) & 255) / 255.0f, (rgb & 255) / 255.0f, 1 };
}

void
ls_graph_palette (GtkWidget *widget, LsPalette *p)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  gboolean is_dark = adw_style_manager_get_dark (style), contrast = adw_style_manager_get_high_contrast (style);
  const LsHues *h = ls_hues (is_dark, contrast);
  p->ghost = contrast ? 1 : 0.6;
  p->ground = color (h->ground);
  p->text = color (h->text);
  p->dim = color (h->dim);
  p->edge = color (h->edge);
  p->capture = color (h->capture);
  p->chosen = color (h->chosen);
  p->panel = color (h->panel);
  for (guint i = 0; i < LS_N_DIFF; i++)
    p->kinds[i] = (LsKindColor) { color (h->kinds[2 * i]), color (h->kinds[2 * i + 1]) };
  for (guint i = 0; i < G_N_ELEMENTS (p->classes); i++)
    p->classes[i] = color (h->classes[i]);
  for (guint i = 0; i < LS_N_AXIS; i++)
    p->axes[i] = color (ls_axis_types[i].colors[2 * contrast + is_dark]);
  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), "accent_bg_color", &p->accent))
    p->accent = color (0x3584e4);
}

void
ls_graph_source (cairo_t *cr, const GdkRGBA *c, double alpha)
{
  cairo_set_source_rgba (cr, c->red, c->green, c->blue, c->alpha * alpha);
}

void
ls_graph_rounded (cairo_t *cr, double x, double y, double w, double h, double r)
{
  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - r, y + r, r, -G_PI_2, 0);
  cairo_arc (cr, x + w - r, y + h - r, r, 0, G_PI_2);
  cairo_arc (cr, x + r, y + h - r, r, G_PI_2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

void
ls_graph_badge (cairo_t *cr, const LsPalette *p, LsDiffKind kind, double x, double y, double radius)
{
  double k = radius / 8;
  cairo_new_path (cr);
  cairo_new_sub_path (cr);
  cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
  ls_graph_source (cr, &p->kinds[kind].border, 1);
  cairo_fill (cr);
  ls_graph_source (cr, &p->ground, 1);
  cairo_set_line_width (cr, 1.8 * k);
  cairo_set_dash (cr, NULL, 0, 0);
  if (kind == LS_DIFF_ADDED || kind == LS_DIFF_REMOVED) {
    cairo_move_to (cr, x - 4 * k, y);
    cairo_line_to (cr, x + 4 * k, y);
    if (kind == LS_DIFF_ADDED) {
      cairo_move_to (cr, x, y - 4 * k);
      cairo_line_to (cr, x, y + 4 * k);
    }
  } else if (kind == LS_DIFF_MOVED) {
    for (int side = -1; side < 2; side += 2) {
      cairo_move_to (cr, x - 3.8 * k, y + side * 2 * k);
      cairo_line_to (cr, x + 3.8 * k, y + side * 2 * k);
    }
  } else {
    cairo_move_to (cr, x, y - 4.2 * k);
    cairo_line_to (cr, x + 4 * k, y + 3 * k);
    cairo_line_to (cr, x - 4 * k, y + 3 * k);
    cairo_close_path (cr);
  }
  cairo_stroke (cr);
}

/* --- words --- */

static void
set_font (PangoLayout *layout, double size, gboolean bold)
{
  PangoFontDescription *font = pango_font_description_from_string (LS_CODE_FONT);
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
}

static double
advance (PangoLayout *layout, double size, gboolean bold)
{
  PangoRectangle r;
  set_font (layout, size, bold);
  pango_layout_set_text (layout, "MMMMMMMMMM", 10);
  pango_layout_get_extents (layout, NULL, &r);
  return r.width / (double) PANGO_SCALE / 10;
}

void
ls_graph_measure (LsGraphView *view)
{
  g_clear_object (&view->text);
  PangoContext *context = gtk_widget_create_pango_context (GTK_WIDGET (view));
  cairo_font_options_t *options = cairo_font_options_create ();
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (context, options);
  cairo_font_options_destroy (options);
  pango_context_set_round_glyph_positions (context, FALSE);
  view->text = pango_layout_new (context);
  g_object_unref (context);
  pango_layout_set_single_paragraph_mode (view->text, TRUE);
  pango_layout_set_ellipsize (view->text, PANGO_ELLIPSIZE_MIDDLE);
  view->title_size = 12 * MIN (1, LS_SCENE_ADVANCE / MAX (advance (view->text, 12, TRUE), 0.1));
  view->detail_size = 32 / 3.0 * MIN (1, 0.9 * LS_SCENE_ADVANCE / MAX (advance (view->text, 32 / 3.0, FALSE), 0.1));
}

static void
show_text (LsGraphView *view, cairo_t *cr, const char *text, double x, double middle)
{
  PangoRectangle r;
  pango_layout_set_text (view->text, text, -1);
  pango_layout_get_extents (view->text, NULL, &r);
  cairo_move_to (cr, x, middle - r.height / (2.0 * PANGO_SCALE));
  pango_cairo_show_layout (cr, view->text);
}

/* --- frames of loops --- */

static void
add_holes (cairo_t *cr, const LsFrames *frames, const LsFrame *f)
{
  for (guint i = 0; i < f->n_holes; i++) {
    const LsBox *h = &g_array_index (frames->holes, LsBox, f->first_hole + i);
    ls_graph_rounded (cr, h->x0, h->y0, h->x1 - h->x0, h->y1 - h->y0, 8);
  }
}

static void
draw_frame (LsGraphView *view, cairo_t *cr, const LsPalette *p, const LsFrame *f, double z)
{
  const LsSceneLoop *loop = &g_array_index (view->scene->loops[view->frames->version], LsSceneLoop, f->loop - 1);
  const GdkRGBA *color = loop->axis >= 0 ? &p->axes[loop->axis] : &p->edge;
  double w = f->box.x1 - f->box.x0, h = f->box.y1 - f->box.y0;
  cairo_save (cr);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_new_path (cr);
  cairo_rectangle (cr, f->box.x0 - 100, f->box.y0 - 100, w + 200, h + 200);
  add_holes (cr, view->frames, f);
  cairo_clip (cr);
  ls_graph_rounded (cr, f->box.x0, f->box.y0, w, h, 8);
  ls_graph_source (cr, color, 0.05);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, color, p->ghost);      /* faint, but not with high contrast */
  cairo_set_line_width (cr, MAX (1, 0.7 / z));
  cairo_stroke (cr);
  cairo_restore (cr);
  if (!f->n_holes)
    return;
  cairo_save (cr);
  ls_graph_rounded (cr, f->box.x0, f->box.y0, w, h, 8);
  cairo_clip (cr);
  add_holes (cr, view->frames, f);
  ls_graph_source (cr, color, p->ghost * 2 / 3);
  cairo_set_line_width (cr, MAX (1, 0.7 / z));
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* Over the edges, which would cross it. */
static void
draw_frame_title (LsGraphView *view, cairo_t *cr, const LsPalette *p, const LsFrame *f)
{
  const LsSceneLoop *loop = &g_array_index (view->scene->loops[view->frames->version], LsSceneLoop, f->loop - 1);
  ls_graph_rounded (cr, f->title.x0, f->title.y0, f->title.x1 - f->title.x0, f->title.y1 - f->title.y0, 4);
  ls_graph_source (cr, &p->ground, 0.9);
  cairo_fill (cr);
  set_font (view->text, view->detail_size, FALSE);
  ls_graph_source (cr, loop->axis >= 0 ? &p->axes[loop->axis] : &p->dim, 1);
  show_text (view, cr, f->text, f->title.x0 + 4, (f->title.y0 + f->title.y1) / 2);
}

/* --- boxes --- */

static void
draw_dot (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint i, double z)
{
  const LsSceneNode *node = &view->scene->nodes[i];
  LsBox b = ls_graph_view_node_box (view, i);
  double least = (node->kind != LS_DIFF_SAME ? 6 : 2) / z, w = MAX (b.x1 - b.x0, least), h = MAX (b.y1 - b.y0, least);
  const GdkRGBA *c = node->kind == LS_DIFF_SAME ? &p->classes[node->op_class] : &p->kinds[node->kind].border;
  ls_graph_source (cr, c, node->kind == LS_DIFF_SAME ? 0.8 : 1);
  cairo_rectangle (cr, (b.x0 + b.x1 - w) / 2, (b.y0 + b.y1 - h) / 2, w, h);
  cairo_fill (cr);
}

static void
draw_box (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint i, double z)
{
  const LsSceneNode *node = &view->scene->nodes[i];
  const LsLayout *l = view->layout;
  double x = l->x[i], y = l->y[i], w = node->width, h = LS_SCENE_HEIGHT;
  gboolean same = node->kind == LS_DIFF_SAME, ghost = node->kind == LS_DIFF_REMOVED;
  double alpha = ghost && view->mode == LS_GRAPH_BOTH ? p->ghost : 1, line = MAX (same && !node->strong ? 1 : 2, (same ? 0.7 : 1.5) / z);
  gboolean moved = node->kind == LS_DIFF_MOVED;
  static const double dashes[2] = { 5, 3 };
  const double dots[2] = { line, 1.5 * line };
  if (node->n_inside || node->n_lanes > 1)      /* a second box behind it: others are inside */
    for (guint k = 2; k > 0; k--) {
      double d = LS_SCENE_BEHIND * k / 2.0;
      ls_graph_rounded (cr, x + line / 2 + d, y + line / 2 + d, w - line, h - line, 6 - line / 2);
      ls_graph_source (cr, &p->ground, 1);
      cairo_fill_preserve (cr);
      ls_graph_source (cr, &p->kinds[node->kind].fill, ghost ? MAX (alpha, 0.7) : 1);
      cairo_fill_preserve (cr);
      ls_graph_source (cr, same ? &p->edge : &p->kinds[node->kind].border, ghost ? MAX (alpha, 0.85) : 1);
      cairo_set_line_width (cr, MAX (1, 0.7 / z));
      cairo_stroke (cr);
    }
  ls_graph_rounded (cr, x + line / 2, y + line / 2, w - line, h - line, 6 - line / 2);
  ls_graph_source (cr, &p->ground, 1);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, &p->kinds[node->kind].fill, ghost ? MAX (alpha, 0.7) : 1);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, node->strong ? &p->classes[node->op_class] : &p->kinds[node->kind].border, ghost ? MAX (alpha, 0.85) : 1);
  cairo_set_line_width (cr, line);
  cairo_set_dash (cr, ghost ? dashes : moved ? dots : NULL, ghost || moved ? 2 : 0, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  const GdkRGBA *stripe = node->axis >= 0 && node->axis < (int) G_N_ELEMENTS (p->axes) ? &p->axes[node->axis] : &p->classes[node->op_class];
  ls_graph_source (cr, stripe, alpha);
  ls_graph_rounded (cr, x + 5, y + 5, 4, h - 10, 2);
  cairo_fill (cr);
  if (z >= LS_ZOOM_TEXT) {
    guint v = view->mode == LS_GRAPH_BEFORE ? 0 : 1;
    const char *second = ls_scene_second_line (view->scene, i, ls_graph_view_sides (view));
    gboolean two = z >= LS_ZOOM_LINES && *second;
    ls_graph_source (cr, &p->text, alpha);
    /* an op that is the only text in its box is as large as fits */
    double room = (w - 20) / (LS_SCENE_ADVANCE * (double) MAX (g_utf8_strlen (node->title[v], -1), 1));
    set_font (view->text, view->title_size * (z >= LS_ZOOM_LINES ? 1 : CLAMP (MIN (room, LS_ZOOM_LINES / z), 1, 1.4)), TRUE);
    if (z < LS_ZOOM_LINES)
      pango_layout_set_width (view->text, (int) ((w - 15) * PANGO_SCALE));
    show_text (view, cr, node->title[v], x + 14, two ? y + 12.5 : y + h / 2);
    pango_layout_set_width (view->text, -1);
    if (two) {
      set_font (view->text, view->detail_size, FALSE);
      ls_graph_source (cr, second == node->change ? &p->kinds[LS_DIFF_CHANGED].border : &p->dim, alpha);
      show_text (view, cr, second, x + 14, y + 27);
    }
  }
}

static void
draw_badge (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint i, double z)
{
  LsBox b = ls_graph_view_node_box (view, i);
  ls_graph_badge (cr, p, view->scene->nodes[i].kind, b.x1 - 3, b.y0 + 1, MAX (8, MIN (3.5 / z, 12)));
}

static void
draw_ring (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint i, double z)
{
  LsBox b = ls_graph_view_node_box (view, i);
  double gap = MAX (3, 2 / z), w = MAX (3, 2 / z);
  if (view->scene->nodes[i].n_inside || view->scene->nodes[i].n_lanes > 1) {      /* around the boxes behind it as well */
    b.x1 += LS_SCENE_BEHIND;
    b.y1 += LS_SCENE_BEHIND;
  }
  if (view->marks[i] & LS_MARK_SELECTED) {
    ls_graph_rounded (cr, b.x0 - gap, b.y0 - gap, b.x1 - b.x0 + 2 * gap, b.y1 - b.y0 + 2 * gap, 6 + gap);
    ls_graph_source (cr, &p->chosen, (int) i == view->current ? 1 : 0.55);
    cairo_set_line_width (cr, w);
    cairo_stroke (cr);
  }
}

/* The names that the rule gave to nodes, above them; a node drawn inside another gives its name to that one. */
static void
draw_captures (LsGraphView *view, cairo_t *cr, const LsPalette *p, double z)
{
  g_autofree float *used = g_new0 (float, MAX (view->scene->n_nodes, 1));
  for (guint k = 0; k < view->captures->len; k++) {
    const LsCapture *c = &g_array_index (view->captures, LsCapture, k);
    int i = ls_scene_find (view->scene, c->id);
    if (i < 0 || !ls_graph_view_shows (view, view->scene->nodes[i].side))
      continue;
    LsBox b = ls_graph_view_node_box (view, (guint) i);
    gboolean itself = FALSE;
    for (guint other = 0; other < view->captures->len && !itself; other++) {      /* any of the box's names */
      guint32 id = g_array_index (view->captures, LsCapture, other).id;
      itself = view->scene->nodes[i].id == id || view->scene->nodes[i].before == id;
    }
    if (used[i] == 0) {
      double out = view->marks[i] & LS_MARK_SELECTED ? 7 : 3.5;
      static const double dots[2] = { 2, 2 };
      ls_graph_rounded (cr, b.x0 - out, b.y0 - out, b.x1 - b.x0 + 2 * out, b.y1 - b.y0 + 2 * out, 6 + out);
      ls_graph_source (cr, &p->capture, 1);
      cairo_set_line_width (cr, MAX (1.5, 1.2 / z));
      cairo_set_dash (cr, itself ? NULL : dots, itself ? 0 : 2, 0);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
    }
    if (z < LS_ZOOM_TEXT) {
      used[i] = 1;
      continue;
    }
    PangoRectangle r;
    set_font (view->text, view->detail_size, TRUE);
    gboolean inside = view->scene->nodes[i].id != c->id && view->scene->nodes[i].before != c->id && c->value;
    g_autofree char *label = inside ? g_strdup_printf ("%s = %s", c->name, c->value) : g_strdup (c->name);
    pango_layout_set_text (view->text, label, -1);
    pango_layout_get_extents (view->text, NULL, &r);
    double w = r.width / (double) PANGO_SCALE + 10, x = b.x0 + used[i], y = b.y0 - 19;
    ls_graph_rounded (cr, x, y, w, 15, 4);
    ls_graph_source (cr, &p->capture, 1);
    cairo_fill (cr);
    ls_graph_source (cr, &p->ground, 1);
    show_text (view, cr, label, x + 5, y + 7.5);
    used[i] += (float) w + 3;
  }
}

/* The values on the edges of the node under the pointer, or of the current one. */
static void
draw_shapes (LsGraphView *view, cairo_t *cr, const LsPalette *p, GArray *points, double z)
{
  int at = view->hover >= 0 ? view->hover : view->current;
  if (at < 0 || z < LS_ZOOM_LINES)
    return;
  guint shown = 0;
  set_font (view->text, view->detail_size * 0.95, FALSE);
  for (guint e = 0; e < view->scene->n_edges && shown < 12; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    if ((edge->from != (guint) at && edge->to != (guint) at) || !ls_graph_view_shows (view, edge->side))
      continue;
    g_autofree char *label = ls_scene_edge_label (view->scene, e);
    if (!*label)
      continue;
    ls_graph_edge_points (view, e, points);
    const float *q = (const float *) (gpointer) points->data;
    guint n = points->len / 2, s = (n - 1) / 3 / 2 * 3;
    double x = (q[2 * s] + 3 * q[2 * s + 2] + 3 * q[2 * s + 4] + q[2 * s + 6]) / 8,
           y = (q[2 * s + 1] + 3 * q[2 * s + 3] + 3 * q[2 * s + 5] + q[2 * s + 7]) / 8;
    PangoRectangle r;
    pango_layout_set_text (view->text, label, -1);
    pango_layout_get_extents (view->text, NULL, &r);
    double w = r.width / (double) PANGO_SCALE + 8;
    /* next to the edge, which is too short to be covered */
    ls_graph_rounded (cr, x + 5, y - 7, w, 14, 4);
    ls_graph_source (cr, &p->ground, 0.85);
    cairo_fill (cr);
    ls_graph_source (cr, &p->dim, 1);
    show_text (view, cr, label, x + 9, y);
    shown++;
  }
}

/* Over the port of an edge that is longer than the view: its source, and the direction. */
static void
draw_stub (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint edge)
{
  const LsSceneEdge *e = &view->scene->edges[edge];
  const LsSceneNode *from = &view->scene->nodes[e->from];
  const LsLayout *l = view->layout;
  guint version = view->mode == LS_GRAPH_BEFORE || !(e->side & LS_IN_AFTER) ? 0 : 1;
  float x, y;
  ls_graph_edge_end (view, edge, &x, &y);
  g_autoptr (GString) text = g_string_new (from->title[version] ? from->title[version] : "");
  ls_scene_cut (text, 15);
  g_string_append (text, fabsf (l->x[e->from] - l->x[e->to]) > fabsf (l->y[e->from] - l->y[e->to]) ? l->x[e->from] < l->x[e->to]
                   ? " ←" : " →" : " ↑");
  PangoRectangle r;
  set_font (view->text, view->detail_size * 0.95, FALSE);
  pango_layout_set_text (view->text, text->str, -1);
  pango_layout_get_extents (view->text, NULL, &r);
  double w = r.width / (double) PANGO_SCALE + 8;
  ls_graph_rounded (cr, x - w / 2, y - LS_STUB_HEAD - 13, w, 13, 5);
  ls_graph_source (cr, &p->panel, 1);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, &p->edge, 0.5);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  ls_graph_source (cr, &p->dim, 1);
  show_text (view, cr, text->str, x - w / 2 + 4, y - LS_STUB_HEAD - 6.5);
}

static LsBox
in_picture (LsGraphView *view, LsBox area)
{
  double z = view->viewport.zoom, x = view->viewport.x, y = view->viewport.y;
  return (LsBox) { (float) ((area.x0 - x) / z), (float) ((area.y0 - y) / z), (float) ((area.x1 - x) / z), (float) ((area.y1 - y) / z) };
}

void
ls_graph_paint (LsGraphView *view, cairo_t *cr, const LsPalette *p, LsBox area)
{
  double z = view->viewport.zoom;
  LsBox seen = in_picture (view, area);
  float more = (float) MAX (12 / z, 12);
  LsBox wide = { seen.x0 - more, seen.y0 - more, seen.x1 + more, seen.y1 + more + 12 };
  LsEdgePaint work;
  cairo_save (cr);
  cairo_translate (cr, view->viewport.x, view->viewport.y);
  cairo_scale (cr, z, z);
  guint n_frames = view->frames ? view->frames->frames->len : 0;
  for (guint i = 0; i < n_frames; i++)
    if (!ls_box_outside (g_array_index (view->frames->frames, LsFrame, i).box, wide))
      draw_frame (view, cr, p, &g_array_index (view->frames->frames, LsFrame, i), z);
  ls_graph_edges_begin (&work, cr);
  if (z < LS_ZOOM_TEXT)
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  for (guint e = 0; e < view->scene->n_edges; e++)
    if (ls_graph_view_shows (view, view->scene->edges[e].side) && !ls_box_outside (view->edge_boxes[e], seen))
      ls_graph_paint_edge (view, cr, p, e, &work, z, wide, FALSE);
  gboolean stubs = work.pen != NULL;      /* an exported picture has its edges whole */
  ls_graph_edges_end (&work);
  cairo_set_dash (cr, NULL, 0, 0);
  for (guint i = 0; i < n_frames && z >= LS_ZOOM_TEXT; i++)
    if (!ls_box_outside (g_array_index (view->frames->frames, LsFrame, i).title, wide))
      draw_frame_title (view, cr, p, &g_array_index (view->frames->frames, LsFrame, i));
  /* changed nodes are drawn last: at small scales they stay on top */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < view->scene->n_nodes; i++) {
      const LsSceneNode *node = &view->scene->nodes[i];
      if ((node->kind != LS_DIFF_SAME) != pass || !ls_graph_view_shows (view, node->side) ||
          ls_box_outside (ls_graph_view_node_box (view, i), wide))
        continue;
      if (z < LS_ZOOM_BOXES)
        draw_dot (view, cr, p, i, z);
      else
        draw_box (view, cr, p, i, z);
    }
  for (guint i = 0; i < view->scene->n_nodes; i++)
    if (view->marks[i] && ls_graph_view_shows (view, view->scene->nodes[i].side))
      draw_ring (view, cr, p, i, z);
  for (guint e = 0; stubs && z >= LS_ZOOM_LINES && e < view->scene->n_edges; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    if (ls_graph_view_shows (view, edge->side) && !ls_box_outside (ls_graph_view_node_box (view, edge->to), wide) &&
        ls_graph_edge_is_stub (view, e, z))
      draw_stub (view, cr, p, e);
  }
  draw_captures (view, cr, p, z);
  for (guint i = 0; i < view->scene->n_nodes && z >= LS_ZOOM_BOXES; i++)
    if (view->scene->nodes[i].kind != LS_DIFF_SAME && ls_graph_view_shows (view, view->scene->nodes[i].side) &&
        !ls_box_outside (ls_graph_view_node_box (view, i), wide))
      draw_badge (view, cr, p, i, z);
  cairo_restore (cr);
}

void
ls_graph_paint_hover (LsGraphView *view, cairo_t *cr, const LsPalette *p, LsBox area)
{
  double z = view->viewport.zoom;
  LsBox seen = in_picture (view, area);
  LsEdgePaint work = { .points = g_array_new (FALSE, FALSE, sizeof (float)) };
  cairo_save (cr);
  cairo_translate (cr, view->viewport.x, view->viewport.y);
  cairo_scale (cr, z, z);
  for (guint e = 0; view->hover >= 0 && e < view->scene->n_edges; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    if ((edge->from == (guint) view->hover || edge->to == (guint) view->hover) && ls_graph_view_shows (view, edge->side) &&
        !ls_box_outside (view->edge_boxes[e], seen))
      ls_graph_paint_edge (view, cr, p, e, &work, z, seen, TRUE);
  }
  draw_shapes (view, cr, p, work.points, z);
  g_array_unref (work.points);
  cairo_restore (cr);
}
