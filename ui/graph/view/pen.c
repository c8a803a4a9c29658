/* The part of each pixel that a shape covers, computed from its outline.
 *
 * Every side of the outline leaves in the cells that it crosses how much of the row lies to its right; the sum from the left is then
 * the covered area (as in FreeType's smooth rasterizer and R. Levien's font-rs). A stroke's outline is its way shifted to both sides.
 * Only cells that a side crosses are visited, so a thin line costs a few cells a row.
 *
 * A way that goes down more than aside, as most edges do, has one place in each row and is written row by row. Lines of one pixel,
 * seen from afar, are written without an outline, too (X. Wu, An efficient antialiasing technique, 1991).
 */
#include "pen.h"

#include <math.h>

#define TOLERANCE 0.1      /* pixels: how far a curve's pieces may be from it */
#define STRAIGHT  0.25     /* pixels aside in a row: up to there a side is where its middle is, and no pixel is off by more than a
                            * thirtieth */
#define SHARPEST  0.2      /* 1 + the cosine of a bend: beyond it the corner is cut */

typedef struct { double x, y; } Point;
typedef struct { int first, last; } Reach;      /* cells of a row that were crossed */

struct _LsPen {
  cairo_surface_t *surface;
  guint32         *pixels;
  int              stride, x0, y0, x1, y1;      /* the area that may be written, in pixels */
  double           scale, dx, dy;               /* from the user's units to pixels */
  guint32          rb, g;                       /* the colour's components in a pixel: red and blue, green */
  double           alpha;
  GArray          *points;      /* Point, in pixels */
  GArray          *parts;       /* guint: where in points a part of the path begins */
  GArray          *left, *right;      /* Point: the sides of a stroke */
  /* the shape under way: cells of the rows and columns of its box */
  float           *cells;
  Reach           *reach;
  gsize            n_cells, n_rows;
  int              left_x, top_y, width, height;
};

LsPen *
ls_pen_new (cairo_t *cr)
{
  cairo_surface_t *surface = cairo_get_target (cr);
  double kx, ky, cx0, cy0, cx1, cy1;
  cairo_matrix_t m;
  cairo_get_matrix (cr, &m);
  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE || cairo_image_surface_get_format (surface) != CAIRO_FORMAT_RGB24 ||
      m.xy != 0 || m.yx != 0 || m.xx != m.yy)
    return NULL;
  cairo_surface_get_device_scale (surface, &kx, &ky);
  cairo_clip_extents (cr, &cx0, &cy0, &cx1, &cy1);
  LsPen *pen = g_new0 (LsPen, 1);
  *pen = (LsPen) { .surface = cairo_surface_reference (surface), .stride = cairo_image_surface_get_stride (surface) / 4, .scale = m.xx * kx,
                   .dx = m.x0 * kx, .dy = m.y0 * kx,
                   .points = g_array_new (FALSE, FALSE, sizeof (Point)), .parts = g_array_new (FALSE, FALSE, sizeof (guint)),
                   .left = g_array_new (FALSE, FALSE, sizeof (Point)), .right = g_array_new (FALSE, FALSE, sizeof (Point)) };
  pen->x0 = MAX ((int) lround (cx0 * pen->scale + pen->dx), 0);
  pen->y0 = MAX ((int) lround (cy0 * pen->scale + pen->dy), 0);
  pen->x1 = MIN ((int) lround (cx1 * pen->scale + pen->dx), cairo_image_surface_get_width (surface));
  pen->y1 = MIN ((int) lround (cy1 * pen->scale + pen->dy), cairo_image_surface_get_height (surface));
  cairo_surface_flush (surface);
  pen->pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (surface);
  return pen;
}

void
ls_pen_free (LsPen *pen)
{
  if (!pen)
    return;
  cairo_surface_mark_dirty (pen->surface);
  cairo_surface_destroy (pen->surface);
  g_array_unref (pen->points);
  g_array_unref (pen->parts);
  g_array_unref (pen->left);
  g_array_unref (pen->right);
  g_free (pen->cells);
  g_free (pen->reach);
  g_free (pen);
}

void
ls_pen_color (LsPen *pen, const GdkRGBA *c, double alpha)
{
  pen->rb = (guint32) (c->red * 255 + 0.5f) << 16 | (guint32) (c->blue * 255 + 0.5f);
  pen->g = (guint32) (c->green * 255 + 0.5f) << 8;
  pen->alpha = alpha;
}

/* a: of 256. Red and blue in one multiplication, green in the other. */
static inline void
blend (const LsPen *pen, guint32 *at, guint32 a)
{
  guint32 was = *at, rb = ((was & 0xff00ffu) * (256 - a) + pen->rb * a + 0x800080u) >> 8,
          g = ((was & 0xff00u) * (256 - a) + pen->g * a + 0x8000u) >> 8;
  *at = 0xff000000u | (rb & 0xff00ffu) | (g & 0xff00u);
}

/* --- lines of one pixel --- */

void
ls_pen_line (LsPen *pen, double ux0, double uy0, double ux1, double uy1)
{
  double x0 = ux0 * pen->scale + pen->dx, y0 = uy0 * pen->scale + pen->dy, x1 = ux1 * pen->scale + pen->dx, y1 = uy1 * pen->scale + pen->dy;
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
  int low = (int) floor (MAX (a0, steep ? pen->y0 : pen->x0)), high = (int) floor (MIN (a1, (steep ? pen->y1 : pen->x1) - 1));
  int from = steep ? pen->x0 : pen->y0, to = steep ? pen->x1 : pen->y1, along = steep ? pen->stride : 1, across = steep ? 1 : pen->stride;
  if (high < low || MAX (b0, b1) < from - 2 || MIN (b0, b1) > to + 2)
    return;
  /* its middle, in 1/65536 of a pixel */
  gint64 b = (gint64) ((b0 + slope * (low + 0.5 - a0) - 0.5) * 65536), step = (gint64) (slope * 65536);
  guint32 alpha = (guint32) (pen->alpha * 256 + 0.5), *at = pen->pixels + low * along;
  for (int a = low; a <= high; a++, b += step, at += along) {
    double ends = MIN (MIN (1, a + 1 - a0), MIN (1, a1 - a));      /* the first and last pixel are covered in part */
    int whole = (int) (b >> 16);
    guint32 cover = ends >= 1 ? alpha : (guint32) (alpha * MAX (ends, 0)), part = (guint32) (b & 65535) * cover >> 16;
    if (whole >= from && whole < to)
      blend (pen, at + whole * across, cover - part);
    if (whole + 1 >= from && whole + 1 < to)
      blend (pen, at + (whole + 1) * across, part);
  }
}

/* --- paths --- */

static Point
to_pixels (const LsPen *pen, double x, double y)
{
  return (Point) { x * pen->scale + pen->dx, y * pen->scale + pen->dy };
}

static void
add_point (LsPen *pen, Point p)
{
  const Point *last = pen->points->len ? &g_array_index (pen->points, Point, pen->points->len - 1) : NULL;
  if (!last || pen->points->len == g_array_index (pen->parts, guint, pen->parts->len - 1) ||
      fabs (last->x - p.x) + fabs (last->y - p.y) > 1e-6)
    g_array_append_val (pen->points, p);
}

void
ls_pen_move_to (LsPen *pen, double x, double y)
{
  g_array_append_val (pen->parts, pen->points->len);
  add_point (pen, to_pixels (pen, x, y));
}

void
ls_pen_line_to (LsPen *pen, double x, double y)
{
  add_point (pen, to_pixels (pen, x, y));
}

void
ls_pen_curve_to (LsPen *pen, double x1, double y1, double x2, double y2, double x3, double y3)
{
  g_return_if_fail (pen->points->len > 0);
  Point a = g_array_index (pen->points, Point, pen->points->len - 1), b = to_pixels (pen, x1, y1), c = to_pixels (pen, x2, y2),
        d = to_pixels (pen, x3, y3);
  double bend = MAX (hypot (a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y), hypot (b.x - 2 * c.x + d.x, b.y - 2 * c.y + d.y));
  /* a cubic's distance from a chord of 1/n of it: at most 3/4 bend/n² */
  guint n = (guint) CLAMP (ceil (sqrt (0.75 * bend / TOLERANCE)), 1, 200);
  for (guint i = 1; i < n; i++) {
    double t = (double) i / n, s = 1 - t;
    add_point (pen, (Point) { s * s * s * a.x + 3 * s * s * t * b.x + 3 * s * t * t * c.x + t * t * t * d.x,
                              s * s * s * a.y + 3 * s * s * t * b.y + 3 * s * t * t * c.y + t * t * t * d.y });
  }
  add_point (pen, d);
}

/* The dashes of one part, from where it begins. */
static void
add_dashes (LsPen *pen, const Point *p, guint n, double dash, double gap)
{
  gboolean on = TRUE;
  double left = dash;      /* of this dash or gap */
  g_array_append_val (pen->parts, pen->points->len);
  add_point (pen, p[0]);
  for (guint i = 0; i + 1 < n; i++) {
    double dx = p[i + 1].x - p[i].x, dy = p[i + 1].y - p[i].y, length = hypot (dx, dy), at = 0;
    while (length - at > left) {
      at += left;
      on = !on;
      left = on ? dash : gap;
      if (on)
        g_array_append_val (pen->parts, pen->points->len);
      add_point (pen, (Point) { p[i].x + dx * at / length, p[i].y + dy * at / length });
    }
    left -= length - at;
    if (on)
      add_point (pen, p[i + 1]);
  }
}

void
ls_pen_dash (LsPen *pen, double dash, double gap)
{
  g_return_if_fail (dash > 0 && gap > 0);
  GArray *points = pen->points, *parts = pen->parts;
  pen->points = g_array_sized_new (FALSE, FALSE, sizeof (Point), 4 * points->len);
  pen->parts = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < parts->len; i++) {
    guint from = g_array_index (parts, guint, i), to = i + 1 < parts->len ? g_array_index (parts, guint, i + 1) : points->len;
    if (to > from)
      add_dashes (pen, &g_array_index (points, Point, from), to - from, dash * pen->scale, gap * pen->scale);
  }
  g_array_unref (points);
  g_array_unref (parts);
}

/* Makes room for a shape within the points' box, widened. FALSE when none of it is in the clip. */
static gboolean
begin (LsPen *pen, const Point *p, guint n, double more)
{
  double x0 = p[0].x, y0 = p[0].y, x1 = x0, y1 = y0;
  for (guint i = 1; i < n; i++) {
    x0 = MIN (x0, p[i].x);
    y0 = MIN (y0, p[i].y);
    x1 = MAX (x1, p[i].x);
    y1 = MAX (y1, p[i].y);
  }
  int left = (int) floor (CLAMP (x0 - more, pen->x0, pen->x1)), top = (int) floor (CLAMP (y0 - more, pen->y0, pen->y1));
  int right = (int) ceil (CLAMP (x1 + more, pen->x0, pen->x1)), bottom = (int) ceil (CLAMP (y1 + more, pen->y0, pen->y1));
  if (right <= left || bottom <= top)
    return FALSE;
  pen->left_x = left;
  pen->top_y = top;
  pen->width = right - left;
  pen->height = bottom - top;
  gsize cells = (gsize) (pen->width + 2) * (gsize) pen->height;
  if (cells > pen->n_cells) {      /* between two shapes all cells are 0 */
    g_free (pen->cells);
    pen->cells = g_new0 (float, cells);
    pen->n_cells = cells;
  }
  if ((gsize) pen->height > pen->n_rows) {
    pen->reach = g_renew (Reach, pen->reach, pen->height);
    pen->n_rows = (gsize) pen->height;
  }
  for (int y = 0; y < pen->height; y++)
    pen->reach[y] = (Reach) { G_MAXINT, -1 };
  return TRUE;
}

/* A side within one row, from xa to xb (left to right); cover: how high it is there, downwards positive. */
static inline void
cross (float *row, Reach *reach, double xa, double xb, double cover)
{
  int i = (int) xa, end = (int) xb;
  reach->first = MIN (reach->first, i);
  reach->last = MAX (reach->last, end + 1);
  if (i == end) {
    double right = (xa + xb) / 2 - i;
    row[i] += (float) (cover * (1 - right));
    row[i + 1] += (float) (cover * right);
    return;
  }
  double per = cover / (xb - xa), x = xa;
  for (; i <= end; i++) {
    double to = MIN (xb, i + 1), part = per * (to - x), right = (x + to) / 2 - i;
    row[i] += (float) (part * (1 - right));
    row[i + 1] += (float) (part * right);
    x = to;
  }
}

/* A side between x 0 and the box's width, y 0 and its height. */
static void
side_within (LsPen *pen, double x0, double y0, double x1, double y1, double sign)
{
  double slope = (x1 - x0) / (y1 - y0), x = x0, y = y0, most = pen->width;
  for (int row = (int) y0; row < pen->height && y < y1; row++) {
    double to = MIN (row + 1, y1), next = CLAMP (x + slope * (to - y), 0, most);
    cross (pen->cells + (gsize) row * (gsize) (pen->width + 2), &pen->reach[row], MIN (x, next), MAX (x, next), sign * (to - y));
    x = next;
    y = to;
  }
}

/* A side of the outline. Parts above or below the box do not count; parts left of it are moved to its edge, and parts right of it change
 * no cell. */
static void
side (LsPen *pen, Point a, Point b)
{
  double sign = 1, x0 = a.x - pen->left_x, y0 = a.y - pen->top_y, x1 = b.x - pen->left_x, y1 = b.y - pen->top_y, w = pen->width;
  if (y0 > y1) {
    double x = x0, y = y0;
    x0 = x1;
    y0 = y1;
    x1 = x;
    y1 = y;
    sign = -1;
  }
  if (y1 <= 0 || y0 >= pen->height || y0 == y1)
    return;
  if (y0 >= 0 && y1 <= pen->height && MIN (x0, x1) >= 0 && MAX (x0, x1) <= w) {
    side_within (pen, x0, y0, x1, y1, sign);
    return;
  }
  double slope = (x1 - x0) / (y1 - y0);
  if (y0 < 0) {
    x0 -= slope * y0;
    y0 = 0;
  }
  if (y1 > pen->height) {
    x1 = x0 + slope * (pen->height - y0);
    y1 = pen->height;
  }
  /* where it comes to the box's left and right edge, from above */
  double cuts[2] = { y1, y1 };
  guint n = 0;
  const double edges[2] = { slope > 0 ? 0 : w, slope > 0 ? w : 0 };
  for (guint i = 0; i < 2; i++)
    if ((x0 < edges[i]) != (x1 < edges[i]) && slope != 0)
      cuts[n++] = CLAMP (y0 + (edges[i] - x0) / slope, y0, y1);
  for (guint i = 0; i <= n; i++) {
    double from = i ? cuts[i - 1] : y0, to = i < n ? cuts[i] : y1, xa = x0 + slope * (from - y0), xb = x0 + slope * (to - y0),
           middle = (xa + xb) / 2;
    if (to > from && middle < w)
      side_within (pen, middle < 0 ? 0 : CLAMP (xa, 0, w), from, middle < 0 ? 0 : CLAMP (xb, 0, w), to, sign);
    else      /* the part of another side that begins there continues to the edge */
      for (int row = (int) from; row < pen->height && row < to; row++)
        pen->reach[row].last = pen->width;
  }
}

/* Writes the covered pixels, and leaves all cells at 0. */
static void
end (LsPen *pen)
{
  float alpha = (float) pen->alpha * 256;
  for (int y = 0; y < pen->height; y++) {
    float *row = pen->cells + (gsize) y * (gsize) (pen->width + 2), sum = 0;
    guint32 *at = pen->pixels + (pen->top_y + y) * pen->stride + pen->left_x;
    int last = MIN (pen->reach[y].last, pen->width + 1);
    for (int x = pen->reach[y].first; x <= last; x++) {
      sum += row[x];
      row[x] = 0;
      guint32 a = (guint32) (MIN (fabsf (sum), 1) * alpha + 0.5f);
      if (a > 0 && x < pen->width)
        blend (pen, at + x, a);
    }
  }
}

static void
end_path (LsPen *pen)
{
  g_array_set_size (pen->points, 0);
  g_array_set_size (pen->parts, 0);
}

/* The two sides of a way: each point shifted along the middle of its pieces' normals. */
static void
find_sides (LsPen *pen, const Point *p, guint n, double half)
{
  g_array_set_size (pen->left, n);
  g_array_set_size (pen->right, n);
  Point *l = (Point *) (gpointer) pen->left->data, *r = (Point *) (gpointer) pen->right->data, before = { 0, 0 };
  for (guint i = 0; i < n; i++) {
    Point normal = before;
    if (i + 1 < n) {
      double dx = p[i + 1].x - p[i].x, dy = p[i + 1].y - p[i].y, length = sqrt (dx * dx + dy * dy);
      normal = (Point) { -dy / length, dx / length };
    }
    double bend = i && i + 1 < n ? MAX (1 + before.x * normal.x + before.y * normal.y, SHARPEST) : 1;
    Point shift = i && i + 1 < n ? (Point) { (before.x + normal.x) / bend * half, (before.y + normal.y) / bend * half }
                                 : (Point) { normal.x * half, normal.y * half };
    l[i] = (Point) { p[i].x + shift.x, p[i].y + shift.y };
    r[i] = (Point) { p[i].x - shift.x, p[i].y - shift.y };
    before = normal;
  }
}

/* An end that is cut across its way looks the same cut level, or is not seen. */
static gboolean
ends_level (const LsPen *pen, Point end, Point next, double half)
{
  return fabs (end.x - next.x) * 16 <= fabs (end.y - next.y) || end.y + half < pen->y0 || end.y - half > pen->y1;
}

/* Whether a way goes down (or up) all along, and more so than aside: then it has one place in each row. */
static gboolean
is_steep (const LsPen *pen, const Point *p, guint n, double half)
{
  double sign = p[n - 1].y > p[0].y ? 1 : -1;
  if (!ends_level (pen, p[0], p[1], half) || !ends_level (pen, p[n - 1], p[n - 2], half))
    return FALSE;
  for (guint i = 0; i + 1 < n; i++)
    if ((p[i + 1].y - p[i].y) * sign < fabs (p[i + 1].x - p[i].x))
      return FALSE;
  return TRUE;
}

/* The part of the pixel at x that a side from xa to xb covers, if it is right of it. */
static inline float
left_of (float xa, float xb, float x)
{
  float low = MIN (xa, xb) - x, high = MAX (xa, xb) - x;
  if (low >= 0 && high <= 1)
    return (low + high) / 2;
  if (high <= 0 || low >= 1)
    return low >= 1;
  float a = MAX (low, 0), b = MIN (high, 1);
  return ((b - a) * (a + b) / 2 + MAX (high - 1, 0)) / (high - low);
}

/* A part of a stroke within a row: its middle goes from xa to xb; wide: how far its sides are from there; high: how much of the row
 * it takes. */
static void
span (const LsPen *pen, int y, float xa, float xb, float wide, float high)
{
  float la = xa - wide, lb = xb - wide, ra = xa + wide, rb = xb + wide, alpha = high * (float) pen->alpha * 256;
  int first = MAX ((int) floorf (MIN (la, lb)), pen->x0), last = MIN ((int) floorf (MAX (ra, rb)), pen->x1 - 1);
  guint32 *row = pen->pixels + y * pen->stride;
  for (int x = first; x <= last; x++) {
    float covers = left_of (ra, rb, (float) x) - left_of (la, lb, (float) x);
    if (covers > 0)
      blend (pen, row + x, (guint32) (covers * alpha + 0.5f));
  }
}

/* The same for an almost vertical piece: its sides are at their middles. */
static inline void
span_down (const LsPen *pen, int y, float middle, float wide, guint32 alpha)
{
  int l = (int) ((middle - wide) * 256), r = (int) ((middle + wide) * 256), x = l >> 8, end = r >> 8;
  guint32 *at = pen->pixels + y * pen->stride + x;
  if (x == end) {
    blend (pen, at, (guint32) (r - l) * alpha >> 8);
    return;
  }
  blend (pen, at++, (guint32) (256 - (l & 255)) * alpha >> 8);
  while (++x < end)
    blend (pen, at++, alpha);
  blend (pen, at, (guint32) (r & 255) * alpha >> 8);
}

/* A way with one place in each row is written row by row, without an outline. */
static void
stroke_steep (LsPen *pen, const Point *p, guint n, double half)
{
  int step = p[n - 1].y > p[0].y ? 1 : -1;
  const Point *at = step > 0 ? p : p + n - 1, *last = step > 0 ? p + n - 1 : p;
  double y = at->y, x = at->x;
  if (y < pen->y0) {
    while (at != last && at[step].y <= pen->y0)
      at += step;
    if (at == last)
      return;
    y = pen->y0;
    x = at->x + (at[step].x - at->x) / (at[step].y - at->y) * (y - at->y);
  }
  if (at == last)
    return;
  double slope = (at[step].x - at->x) / (at[step].y - at->y);
  float wide = (float) (half * sqrt (1 + slope * slope));
  guint32 alpha = (guint32) (pen->alpha * 256 + 0.5);
  for (int row = (int) y; row < pen->y1 && y < last->y; row++) {
    double to = MIN (row + 1, last->y);
    while (at + step != last && at[step].y < to) {
      at += step;
      slope = (at[step].x - at->x) / (at[step].y - at->y);
      wide = (float) (half * sqrt (1 + slope * slope));
    }
    double next = at->x + slope * (to - at->y);
    float middle = (float) (x + next) / 2;
    if (to - y > 0.999 && fabs (next - x) < STRAIGHT && middle - wide >= (float) pen->x0 && middle + wide < (float) pen->x1)
      span_down (pen, row, middle, wide, alpha);
    else if (to - y > 1e-3)
      span (pen, row, (float) x, (float) next, wide, (float) (to - y));
    x = next;
    y = to;
  }
}

static void
outline (LsPen *pen, const Point *p, guint n, double half)
{
  find_sides (pen, p, n, half);
  const Point *l = (const Point *) (gpointer) pen->left->data, *r = (const Point *) (gpointer) pen->right->data;
  side (pen, r[0], l[0]);
  for (guint i = 0; i + 1 < n; i++) {
    side (pen, l[i], l[i + 1]);
    side (pen, r[i + 1], r[i]);
  }
  side (pen, l[n - 1], r[n - 1]);
}

void
ls_pen_stroke (LsPen *pen, double width)
{
  const Point *p = (const Point *) (gpointer) pen->points->data;
  double half = width * pen->scale / 2;
  for (guint part = 0; part < pen->parts->len; part++) {
    guint from = g_array_index (pen->parts, guint, part),
          to = part + 1 < pen->parts->len ? g_array_index (pen->parts, guint, part + 1) : pen->points->len;
    if (to - from < 2)
      continue;
    if (is_steep (pen, p + from, to - from, half))
      stroke_steep (pen, p + from, to - from, half);
    else if (begin (pen, p + from, to - from, half / SHARPEST + 1)) {
      outline (pen, p + from, to - from, half);
      end (pen);
    }
  }
  end_path (pen);
}

void
ls_pen_fill (LsPen *pen)
{
  const Point *p = (const Point *) (gpointer) pen->points->data;
  if (pen->points->len && begin (pen, p, pen->points->len, 1)) {
    for (guint part = 0; part < pen->parts->len; part++) {
      guint from = g_array_index (pen->parts, guint, part),
            to = part + 1 < pen->parts->len ? g_array_index (pen->parts, guint, part + 1) : pen->points->len;
      for (guint i = from; i < to; i++)
        side (pen, p[i], p[i + 1 < to ? i + 1 : from]);
    }
    end (pen);
  }
  end_path (pen);
}
