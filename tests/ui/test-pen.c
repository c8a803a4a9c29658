/* A pen draws like cairo: lines, curves and triangles of random kinds, in parts and whole, compared with cairo's own. */
#include "graph/view/pen.h"

#include <math.h>
#include <stdlib.h>

#define SIZE 200

typedef struct { double x[8], width, zoom, alpha; gboolean straight, dashed; } Shape;

static void
draw (cairo_surface_t *surface, const Shape *s, gboolean with_pen, gboolean filled, int y0, int y1)
{
  static const GdkRGBA color = { 0.2f, 0.4f, 0.9f, 1 };
  cairo_t *cr = cairo_create (surface);
  cairo_rectangle (cr, 0, y0, SIZE, y1 - y0);
  cairo_clip (cr);
  cairo_translate (cr, 3, -2);
  cairo_scale (cr, s->zoom, s->zoom);
  if (with_pen) {
    g_autoptr (LsPen) pen = ls_pen_new (cr);
    g_assert_nonnull (pen);
    ls_pen_color (pen, &color, s->alpha);
    ls_pen_move_to (pen, s->x[0], s->x[1]);
    if (filled)
      ls_pen_line_to (pen, s->x[2], s->x[3]);
    if (filled || s->straight)
      ls_pen_line_to (pen, s->x[6], s->x[7]);
    else
      ls_pen_curve_to (pen, s->x[2], s->x[3], s->x[4], s->x[5], s->x[6], s->x[7]);
    if (s->dashed)
      ls_pen_dash (pen, 5, 3);
    if (filled)
      ls_pen_fill (pen);
    else
      ls_pen_stroke (pen, s->width);
  } else {
    cairo_set_source_rgba (cr, color.red, color.green, color.blue, s->alpha);
    cairo_set_line_width (cr, s->width);
    if (s->dashed)
      cairo_set_dash (cr, (const double[]) { 5, 3 }, 2, 0);
    cairo_move_to (cr, s->x[0], s->x[1]);
    if (filled)
      cairo_line_to (cr, s->x[2], s->x[3]);
    if (filled || s->straight)
      cairo_line_to (cr, s->x[6], s->x[7]);
    else
      cairo_curve_to (cr, s->x[2], s->x[3], s->x[4], s->x[5], s->x[6], s->x[7]);
    if (filled)
      cairo_fill (cr);
    else
      cairo_stroke (cr);
  }
  cairo_destroy (cr);
}

static cairo_surface_t *
white (void)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, SIZE, SIZE);
  cairo_t *cr = cairo_create (s);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_destroy (cr);
  return s;
}

/* The largest difference of a channel; sum: of all of them. */
static int
compare (cairo_surface_t *a, cairo_surface_t *b, guint64 *sum, guint64 *ink)
{
  int most = 0;
  cairo_surface_flush (a);
  cairo_surface_flush (b);
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      for (int c = 0; c < 3; c++) {
        int p = cairo_image_surface_get_data (a)[y * cairo_image_surface_get_stride (a) + 4 * x + c];
        int q = cairo_image_surface_get_data (b)[y * cairo_image_surface_get_stride (b) + 4 * x + c];
        most = MAX (most, abs (p - q));
        *sum += (guint64) abs (p - q);
        *ink += (guint64) (255 - q);
      }
  return most;
}

static Shape
shape_new (GRand *rand, guint kind)
{
  Shape s = { .width = g_rand_double_range (rand, 1, 2.5), .zoom = g_rand_double_range (rand, 0.45, 1.5), .alpha = kind % 3 ? 1 : 0.5,
              .straight = kind % 4 == 0 };
  for (guint i = 0; i < 8; i++)
    s.x[i] = g_rand_double_range (rand, -60, 260);
  if (kind % 2) {      /* as an edge: straight down at both ends */
    s.x[2] = s.x[0];
    s.x[4] = s.x[6];
    s.x[3] = s.x[1] + (s.x[7] - s.x[1]) * 0.45;
    s.x[5] = s.x[7] - (s.x[7] - s.x[1]) * 0.45;
  }
  return s;
}

/* Where nothing bends sharply the two agree pixel by pixel. */
static gboolean
is_smooth (const Shape *s)
{
  return s->straight || (s->x[2] == s->x[0] && fabs (s->x[7] - s->x[1]) > 30);
}

static void
test_like_cairo (gconstpointer data)
{
  gboolean filled = GPOINTER_TO_INT (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint64 sum = 0, ink = 0;
  for (guint k = 0; k < 400; k++) {
    Shape s = shape_new (rand, k);
    cairo_surface_t *a = white (), *b = white ();
    draw (a, &s, TRUE, filled, 0, SIZE);
    draw (b, &s, FALSE, filled, 0, SIZE);
    guint64 own = 0, of = 0;
    int most = compare (a, b, &own, &of);
    sum += own;
    ink += of;
    g_test_message ("shape %u: at most %d", k, most);
    if (is_smooth (&s) || filled)
      g_assert_cmpint (most, <=, 42);
    cairo_surface_destroy (a);
    cairo_surface_destroy (b);
  }
  g_test_message ("%.2f %% of the ink is elsewhere", 100.0 * (double) sum / (double) ink);
  g_assert_cmpuint (sum * 33, <, ink);
}

/* Dashes are where cairo has them: of straight lines to the pixel, of curves as near as two ways to measure a curve's length are. */
static void
test_dashes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  guint64 sum = 0, ink = 0;
  for (guint k = 0; k < 200; k++) {
    Shape s = shape_new (rand, k);
    s.dashed = TRUE;
    cairo_surface_t *a = white (), *b = white ();
    draw (a, &s, TRUE, FALSE, 0, SIZE);
    draw (b, &s, FALSE, FALSE, 0, SIZE);
    int most = compare (a, b, &sum, &ink);
    g_test_message ("shape %u: at most %d", k, most);
    if (s.straight)
      g_assert_cmpint (most, <=, 64);
    cairo_surface_destroy (a);
    cairo_surface_destroy (b);
  }
  g_test_message ("%.2f %% of the ink is elsewhere", 100.0 * (double) sum / (double) ink);
  g_assert_cmpuint (ink, >, 0);
  g_assert_cmpuint (sum * 12, <, ink);
}

/* A picture painted in strips is the same as one painted at once, up to invisible differences. */
static void
test_strips (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  for (guint k = 0; k < 100; k++) {
    Shape s = shape_new (rand, k);
    cairo_surface_t *a = white (), *b = white ();
    draw (a, &s, TRUE, FALSE, 0, SIZE);
    for (int y = 0; y < SIZE; y += 23)
      draw (b, &s, TRUE, FALSE, y, MIN (y + 23, SIZE));
    guint64 sum = 0, ink = 0;
    g_assert_cmpint (compare (a, b, &sum, &ink), <=, 8);
    cairo_surface_destroy (a);
    cairo_surface_destroy (b);
  }
}

/* Targets other than pictures of opaque pixels are left to cairo. */
static void
test_others (void)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 10, 10);
  cairo_t *cr = cairo_create (s);
  g_assert_null (ls_pen_new (cr));
  cairo_destroy (cr);
  cairo_surface_destroy (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ui/pen/strokes", GINT_TO_POINTER (FALSE), test_like_cairo);
  g_test_add_data_func ("/ui/pen/shapes", GINT_TO_POINTER (TRUE), test_like_cairo);
  g_test_add_func ("/ui/pen/dashes", test_dashes);
  g_test_add_func ("/ui/pen/strips", test_strips);
  g_test_add_func ("/ui/pen/others", test_others);
  return g_test_run ();
}
