/* Edges: their ways from port to port, and as much of them as is in sight.
 *
 * A long chain has thousands of edges past every point of it, most of them on top of each other: the visible ones are stroked, each
 * once.
 */
#include "graph-view-private.h"
#include "graph/layout/edge-path.h"

#include <math.h>
#include <string.h>

#define DASH 5      /* of an edge that is gone, and between two of them */
#define GAP  3

static guint
version_of (LsGraphView *view, guint edge)
{
  return view->mode == LS_GRAPH_BEFORE || !(view->scene->edges[edge].side & LS_IN_AFTER) ? 0 : 1;
}

void
ls_graph_edge_points (LsGraphView *view, guint edge, GArray *points)
{
  ls_edge_path_points (view->scene, view->layout, edge, version_of (view, edge), points);
}

void
ls_graph_edge_end (LsGraphView *view, guint edge, float *x, float *y)
{
  ls_edge_path_end (view->scene, view->layout, edge, version_of (view, edge), x, y);
}

/* A piece of a way: a curve's four points, in eighths of a pixel. */
typedef struct { gint32 at[8]; } Piece;

static guint
piece_hash (gconstpointer p)
{
  const Piece *piece = p;
  guint32 h = 0;
  for (guint i = 0; i < G_N_ELEMENTS (piece->at); i++)
    h = (h ^ (guint32) piece->at[i]) * 0x9E3779B1u;
  return h ^ h >> 15;
}

static gboolean
piece_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Piece)) == 0;
}

static double
height_at (const float *c, double t)
{
  double s = 1 - t;
  return s * s * s * c[1] + 3 * s * s * t * c[3] + 3 * s * t * t * c[5] + t * t * t * c[7];
}

/* Where a curve that goes down comes to y. */
static double
comes_to (const float *c, double y)
{
  double low = 0, high = 1;
  for (guint i = 0; i < 26; i++)      /* a hundredth of a pixel in a million */
    *(height_at (c, (low + high) / 2) < y ? &low : &high) = (low + high) / 2;
  return low;
}

/* The part of a curve that is in sight, of one that goes down far beyond it; else the whole. */
static void
cut (const float *c, LsBox seen, float *out)
{
  gboolean down = c[1] <= c[3] && c[3] <= c[5] && c[5] <= c[7] && c[7] - c[1] > seen.y1 - seen.y0;
  double a = down && c[1] < seen.y0 ? comes_to (c, seen.y0) : 0, b = down && c[7] > seen.y1 ? comes_to (c, seen.y1) : 1;
  for (guint k = 0; k < 4; k++)
    for (guint xy = 0; xy < 2; xy++) {      /* the curve's polar form at a and b: k times b, the rest a */
      double p[4] = { c[xy], c[2 + xy], c[4 + xy], c[6 + xy] };
      for (guint round = 0; round < 3; round++) {
        double t = round < k ? b : a;
        for (guint i = 0; i + round < 3; i++)
          p[i] += (p[i + 1] - p[i]) * t;
      }
      out[2 * k + xy] = (float) p[0];
    }
}

/* The target of an edge: the pen, or cairo if the target is not a picture. */
typedef struct { cairo_t *cr; LsPen *pen; } Way;

static void
move_to (Way w, double x, double y)
{
  if (w.pen)
    ls_pen_move_to (w.pen, x, y);
  else
    cairo_move_to (w.cr, x, y);
}

static void
line_to (Way w, double x, double y)
{
  if (w.pen)
    ls_pen_line_to (w.pen, x, y);
  else
    cairo_line_to (w.cr, x, y);
}

static void
curve_to (Way w, const float *c, double y)
{
  if (w.pen)
    ls_pen_curve_to (w.pen, c[2], c[3], c[4], c[5], c[6], y);
  else
    cairo_curve_to (w.cr, c[2], c[3], c[4], c[5], c[6], y);
}

/* The visible parts of a path: most of a long one is outside, and stroking is expensive. The edges of a bundle overlap for most of their
 * way: drawn holds the pieces of plain edges that are drawn already, or is NULL. z: the zoom. */
static void
add_curves (Way way, const float *q, guint n, LsBox seen, double z, GHashTable *drawn)
{
  gboolean there = FALSE;
  for (guint i = 1; i + 2 < n; i += 3) {
    const float *whole = q + 2 * (i - 1);
    float c[8];
    LsBox b = { MIN (MIN (whole[0], whole[2]), MIN (whole[4], whole[6])) - 3, MIN (MIN (whole[1], whole[3]), MIN (whole[5], whole[7])) - 3,
                MAX (MAX (whole[0], whole[2]), MAX (whole[4], whole[6])) + 3,
                MAX (MAX (whole[1], whole[3]), MAX (whole[5], whole[7])) + 3 };
    if (ls_box_outside (b, seen)) {
      there = FALSE;
      continue;
    }
    cut (whole, seen, c);
    if (drawn) {
      Piece piece;
      for (guint k = 0; k < G_N_ELEMENTS (piece.at); k++)
        piece.at[k] = (gint32) lround (c[k] * z * 8);
      if (g_hash_table_contains (drawn, &piece)) {
        there = FALSE;
        continue;
      }
      g_hash_table_add (drawn, g_memdup2 (&piece, sizeof piece));
    }
    if (!there)
      move_to (way, c[0], c[1]);
    there = c[6] == whole[6] && c[7] == whole[7];
    float y = c[7] - (i + 3 >= n && there ? 5 : 0);
    if (c[0] == c[2] && c[0] == c[4] && c[0] == c[6])      /* straight down is a box to cairo */
      line_to (way, c[6], y);
    else
      curve_to (way, c, y);
  }
}

static void
stroke (Way way, double width)
{
  if (way.pen)
    ls_pen_stroke (way.pen, width);
  else
    cairo_stroke (way.cr);
}

static void
arrow_head (Way way, double x, double y)
{
  move_to (way, x, y);
  line_to (way, x - 3.6, y - 7);
  line_to (way, x + 3.6, y - 7);
  if (way.pen)
    ls_pen_fill (way.pen);
  else {
    cairo_close_path (way.cr);
    cairo_fill (way.cr);
  }
}

/* How long an edge may be in a view of that size: the same for sizes that are near each other, so that a splitter that moves does not
 * turn edges into stubs and back. */
static double
longest (int size)
{
  return MAX (size / 100 * 100, 100);
}

gboolean
ls_graph_edge_is_stub (LsGraphView *view, guint edge, double z)
{
  const LsSceneEdge *e = &view->scene->edges[edge];
  const LsLayout *l = view->layout;
  gboolean changed = view->scene->is_diff && e->side != LS_IN_BOTH,
           current = view->current >= 0 && (e->from == (guint) view->current || e->to == (guint) view->current);
  if (z < LS_ZOOM_TEXT || changed || current)
    return FALSE;
  return fabs ((double) l->x[e->to] - l->x[e->from]) * z > longest (gtk_widget_get_width (GTK_WIDGET (view))) ||
         fabs ((double) l->y[e->to] - l->y[e->from]) * z > longest (gtk_widget_get_height (GTK_WIDGET (view)));
}

/* Its ends: down from the box that it leaves, and into its port below the name of its source. */
static void
paint_ends (Way way, const float *q, guint n, double width)
{
  move_to (way, q[0], q[1]);
  line_to (way, q[0], q[1] + LS_STUB_TAIL);
  move_to (way, q[2 * n - 2], q[2 * n - 1] - LS_STUB_HEAD);
  line_to (way, q[2 * n - 2], q[2 * n - 1] - 5);
  stroke (way, width);
}

void
ls_graph_paint_edge (LsGraphView *view, cairo_t *cr, const LsPalette *p, guint edge, LsEdgePaint *work, double z, LsBox seen,
                     gboolean hovered)
{
  const LsSceneEdge *e = &view->scene->edges[edge];
  gboolean near_current = view->current >= 0 && (e->from == (guint) view->current || e->to == (guint) view->current);
  gboolean gone = e->side == LS_IN_BEFORE, come = view->scene->is_diff && e->side == LS_IN_AFTER;
  const GdkRGBA *c = near_current ? &p->chosen : gone ? &p->kinds[LS_DIFF_REMOVED].border : come ? &p->kinds[LS_DIFF_ADDED].border
                                                                                                 : &p->edge;
  double alpha = gone && view->mode == LS_GRAPH_BOTH ? p->ghost : 1;
  ls_graph_edge_points (view, edge, work->points);
  const float *q = (const float *) (gpointer) work->points->data;
  guint n = work->points->len / 2;
  alpha = z < LS_ZOOM_BOXES && !gone && !come && !near_current && !hovered ? 0.5 : alpha;
  double width = (near_current || hovered ? 2 : z >= LS_ZOOM_TEXT ? 1.25 : 1) / (z < LS_ZOOM_TEXT ? z : 1);
  Way way = { cr, work->pen };
  if (way.pen)
    ls_pen_color (way.pen, c, alpha);
  if (way.pen && z < LS_ZOOM_TEXT && !gone && !near_current && !hovered) {
    ls_pen_line (way.pen, q[0], q[1], q[2 * n - 2], q[2 * n - 1]);
    return;
  }
  if (!way.pen) {
    ls_graph_source (cr, c, alpha);
    cairo_set_line_width (cr, width);
    cairo_set_dash (cr, gone ? (const double[]) { DASH, GAP } : NULL, gone ? 2 : 0, 0);
  }
  if (z < LS_ZOOM_TEXT) {
    move_to (way, q[0], q[1]);
    line_to (way, q[2 * n - 2], q[2 * n - 1]);
  } else if (way.pen && !hovered && ls_graph_edge_is_stub (view, edge, z)) {
    paint_ends (way, q, n, width);
  } else
    add_curves (way, q, n, seen, z, gone || come || near_current || hovered ? NULL : work->drawn);
  if (way.pen && gone)
    ls_pen_dash (way.pen, DASH, GAP);
  stroke (way, width);
  double x = q[2 * n - 2], y = q[2 * n - 1];
  if (z < LS_ZOOM_TEXT || x < seen.x0 - 4 || x > seen.x1 + 4 || y < seen.y0 || y - 7 > seen.y1)
    return;
  arrow_head (way, x, y);
}

void
ls_graph_edges_begin (LsEdgePaint *work, cairo_t *cr)
{
  *work = (LsEdgePaint) { g_array_new (FALSE, FALSE, sizeof (float)), ls_pen_new (cr),
                          g_hash_table_new_full (piece_hash, piece_equal, g_free, NULL) };
}

void
ls_graph_edges_end (LsEdgePaint *work)
{
  g_array_unref (work->points);
  g_hash_table_unref (work->drawn);
  ls_pen_free (work->pen);
}
