/* Exports the current graph: DOT with the positions of its boxes, the picture as SVG, a small picture of the change. */
#include "graph-view-private.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <gio/gio.h>

static void
add_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

static const char *
hue (const GdkRGBA *c, char text[8])
{
  g_snprintf (text, 8, "#%02x%02x%02x", (guint) (c->red * 255 + 0.5f), (guint) (c->green * 255 + 0.5f), (guint) (c->blue * 255 + 0.5f));
  return text;
}

/* Boxes and arrows that the view shows, in its mode and folding, with their words, colours and places; y runs upwards, as in DOT. NULL when
 * nothing is shown. Free with g_free. */
char *
ls_graph_view_to_dot (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), NULL);
  if (!view->scene || !view->layout)
    return NULL;
  LsPalette p;
  char border[8], fill[8];
  guint version = view->mode == LS_GRAPH_BEFORE ? 0 : 1;
  GString *out = g_string_new ("digraph G {\n  node [shape=box, style=\"rounded,filled\", fontname=\"DejaVu Sans Mono\", fontsize=9];\n");
  ls_graph_palette (GTK_WIDGET (view), &p);
  for (guint i = 0; i < view->scene->n_nodes; i++) {
    const LsSceneNode *n = &view->scene->nodes[i];
    if (!ls_graph_view_shows (view, n->side))
      continue;
    LsBox b = ls_graph_view_node_box (view, i);
    const char *second = ls_scene_second_line (view->scene, i, ls_graph_view_sides (view));
    g_autofree char *label = *second ? g_strdup_printf ("%s\n%s", n->title[version], second) : g_strdup (n->title[version]);
    g_string_append_printf (out, "  n%u [label=", n->id);
    add_quoted (out, label);
    g_string_append_printf (out, ", color=\"%s\", fillcolor=\"%s\"%s%s, pos=\"%.0f,%.0f!\"];\n", hue (&p.kinds[n->kind].border, border),
                            hue (&p.kinds[n->kind].fill, fill),
                            n->kind == LS_DIFF_REMOVED ? ", style=\"rounded,filled,dashed\"" : "", n->n_inside
                            ? ", peripheries=2" : n->n_lanes > 1 ? ", peripheries=3" : "", (b.x0 + b.x1) / 2, -(b.y0 + b.y1) / 2);
  }
  for (guint e = 0; e < view->scene->n_edges; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    if (!ls_graph_view_shows (view, edge->side) || !ls_graph_view_shows (view, view->scene->nodes[edge->from].side)
        || !ls_graph_view_shows (view, view->scene->nodes[edge->to].side))
      continue;
    gboolean gone = view->scene->is_diff && edge->side == LS_IN_BEFORE, come = view->scene->is_diff && edge->side == LS_IN_AFTER;
    const GdkRGBA *c = gone ? &p.kinds[LS_DIFF_REMOVED].border : come ? &p.kinds[LS_DIFF_ADDED].border : &p.edge;
    g_string_append_printf (out, "  n%u -> n%u [color=\"%s\"%s];\n", view->scene->nodes[edge->from].id, view->scene->nodes[edge->to].id,
                            hue (c, border),
                            gone ? ", style=dashed" : "");
  }
  g_string_append (out, "}\n");
  return g_string_free (out, FALSE);
}

static cairo_status_t
append (void *bytes, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* What is shown, all of it whatever part is in sight, to be played elsewhere: a picture of thousands of boxes takes a third of a second to
 * write. A recording surface, which the caller owns; NULL when nothing is shown. */
cairo_surface_t *
ls_graph_view_record (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), NULL);
  if (!view->scene || !view->layout)
    return NULL;
  LsBox e = ls_graph_view_extents (view);
  double w = e.x1 - e.x0 + 2 * LS_MARGIN, h = e.y1 - e.y0 + 2 * LS_MARGIN;
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, &(cairo_rectangle_t) { 0, 0, w, h });
  cairo_t *cr = cairo_create (surface);
  LsPalette p;
  ls_graph_palette (GTK_WIDGET (view), &p);
  if (!view->text)
    ls_graph_measure (view);
  const LsViewport seen = view->viewport;
  view->viewport = (LsViewport) { 1, LS_MARGIN - e.x0, LS_MARGIN - e.y0 };
  ls_graph_source (cr, &p.ground, 1);
  cairo_paint (cr);
  ls_graph_paint (view, cr, &p, (LsBox) { 0, 0, (float) w, (float) h });
  view->viewport = seen;
  cairo_destroy (cr);
  return surface;
}

/* The content of an SVG file, of what ls_graph_view_record() gave; any thread. NULL with an error of G_IO_ERROR. */
GBytes *
ls_graph_svg (cairo_surface_t *recorded, GError **error)
{
  cairo_rectangle_t e;
  cairo_recording_surface_get_extents (recorded, &e);
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (append, bytes, e.width, e.height);
  cairo_t *cr = cairo_create (surface);
  cairo_set_source_surface (cr, recorded, 0, 0);
  cairo_paint (cr);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  cairo_status_t status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (bytes);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("The picture cannot be made: %s"), cairo_status_to_string (status));
  g_byte_array_unref (bytes);
  return NULL;
}

#define PNG_SCALE 2.0         /* pixels of a unit, for screens and paper of more than the usual */
#define PNG_MOST  16000.0     /* maximum pixels of a side, half of cairo's limit; larger pictures are drawn smaller */

/* The content of a PNG file, of two pixels a unit where that is not too large; as ls_graph_svg. */
GBytes *
ls_graph_png (cairo_surface_t *recorded, GError **error)
{
  cairo_rectangle_t e;
  cairo_recording_surface_get_extents (recorded, &e);
  double scale = MIN (PNG_SCALE, PNG_MOST / MAX (MAX (e.width, e.height), 1));
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, MAX ((int) (e.width * scale), 1),
                                                         MAX ((int) (e.height * scale), 1));
  cairo_t *cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, recorded, 0, 0);
  cairo_paint (cr);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, append, bytes);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (bytes);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("The picture cannot be made: %s"), cairo_status_to_string (status));
  g_byte_array_unref (bytes);
  return NULL;
}

/* Large enough for ops to be read, small enough for their surroundings to be visible. */
#define LEAST_ZOOM 0.5
#define MOST_ZOOM  0.62

/* The start of the picture, so that the middle of part is visible with as little as possible outside the whole. */
static double
begin (float whole0, float whole1, float part0, float part1, double zoom, double size, double margin)
{
  if ((whole1 - whole0) * zoom + 2 * margin <= size)
    return size / 2 - (whole0 + whole1) / 2 * zoom;
  return CLAMP (size / 2 - (part0 + part1) / 2 * zoom, size - margin - whole1 * zoom, margin - whole0 * zoom);
}

/* A small picture, of twice as many pixels as width and height, of the change and what is around it, at a scale at which ops can be read.
 * The view has a layout. The caller owns it; NULL when nothing is shown. */
cairo_surface_t *
ls_graph_view_thumbnail (LsGraphView *view, int width, int height)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), NULL);
  if (!view->scene || !view->layout || !view->outline)
    return NULL;
  const double margin = 14;
  LsBox whole = ls_graph_view_extents (view),
        part = view->outline->change.x1 < view->outline->change.x0 ? view->outline->focus : view->outline->change;
  double zoom = CLAMP (MIN ((width - 2 * margin) / (part.x1 - part.x0), (height - 2 * margin) / (part.y1 - part.y0)), LEAST_ZOOM,
                       MOST_ZOOM);
  const LsViewport seen = view->viewport;
  LsPalette p;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 2 * width, 2 * height);
  cairo_surface_set_device_scale (surface, 2, 2);
  cairo_t *cr = cairo_create (surface);
  ls_graph_palette (GTK_WIDGET (view), &p);
  if (!view->text)
    ls_graph_measure (view);
  view->viewport = (LsViewport) { zoom, begin (whole.x0, whole.x1, part.x0, part.x1, zoom, width, margin),
                            begin (whole.y0, whole.y1, part.y0, part.y1, zoom, height, margin) };
  ls_graph_source (cr, &p.ground, 1);
  cairo_paint (cr);
  ls_graph_paint (view, cr, &p, (LsBox) { 0, 0, (float) width, (float) height });
  view->viewport = seen;
  cairo_destroy (cr);
  return surface;
}
