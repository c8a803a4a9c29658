#include "golden-picture.h"
#include "kit/code-font.h"

#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

enum { TILE = 16, NEAR = 28, TILE_UNMATCHED = 15, TILE_MEAN = 8, PER_MILLE = 8 };

static const guchar *
pixel (GdkPixbuf *p, int x, int y)
{
  return gdk_pixbuf_read_pixels (p) + (gsize) y * (gsize) gdk_pixbuf_get_rowstride (p) + (gsize) x * (gsize) gdk_pixbuf_get_n_channels (p);
}

static gboolean
near (const guchar *a, const guchar *b)
{
  return ABS (a[0] - b[0]) <= NEAR && ABS (a[1] - b[1]) <= NEAR && ABS (a[2] - b[2]) <= NEAR;
}

static gboolean
matched (GdkPixbuf *a, GdkPixbuf *b, int x, int y)
{
  const guchar *wanted = pixel (a, x, y);
  if (near (wanted, pixel (b, x, y)))
    return TRUE;
  for (int v = MAX (y - 1, 0); v <= MIN (y + 1, gdk_pixbuf_get_height (b) - 1); v++)
    for (int u = MAX (x - 1, 0); u <= MIN (x + 1, gdk_pixbuf_get_width (b) - 1); u++)
      if (near (wanted, pixel (b, u, v)))
        return TRUE;
  return FALSE;
}

/* Pixels without a match; *mean is the largest difference of a channel's mean. */
static int
tile_unmatched (GdkPixbuf *a, GdkPixbuf *b, int left, int top, int *mean)
{
  int n = 0, area = 0, sum[3] = { 0, 0, 0 };
  for (int y = top; y < MIN (top + TILE, gdk_pixbuf_get_height (a)); y++)
    for (int x = left; x < MIN (left + TILE, gdk_pixbuf_get_width (a)); x++, area++) {
      const guchar *p = pixel (a, x, y), *q = pixel (b, x, y);
      for (int c = 0; c < 3; c++)
        sum[c] += p[c] - q[c];
      n += !matched (a, b, x, y) || !matched (b, a, x, y);
    }
  *mean = MAX (MAX (ABS (sum[0]), ABS (sum[1])), ABS (sum[2])) / area;
  return n;
}

static void
frame_tile (GdkPixbuf *p, int left, int top)
{
  guchar *all = gdk_pixbuf_get_pixels (p);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (p);
  int right = MIN (left + TILE, gdk_pixbuf_get_width (p)) - 1, bottom = MIN (top + TILE, gdk_pixbuf_get_height (p)) - 1;
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      if (x == left || x == right || y == top || y == bottom)
        memcpy (all + (gsize) y * stride + (gsize) x * 3, (guchar[3]) { 230, 0, 60 }, 3);
}

static GdkPixbuf *
faded (GdkPixbuf *picture)
{
  int w = gdk_pixbuf_get_width (picture), h = gdk_pixbuf_get_height (picture);
  GdkPixbuf *p = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, w, h);
  gdk_pixbuf_fill (p, 0x808080ff);
  gdk_pixbuf_composite (picture, p, 0, 0, w, h, 0, 0, 1, 1, GDK_INTERP_NEAREST, 128);
  return p;
}

char *
golden_picture_compare (GdkPixbuf *golden, GdkPixbuf *actual, GdkPixbuf **difference)
{
  int w = gdk_pixbuf_get_width (actual), h = gdk_pixbuf_get_height (actual), tiles = 0, first_x = 0, first_y = 0, all = 0;
  if (difference)
    *difference = faded (actual);
  if (w != gdk_pixbuf_get_width (golden) || h != gdk_pixbuf_get_height (golden))
    return g_strdup_printf ("%d x %d pixels instead of %d x %d", w, h, gdk_pixbuf_get_width (golden), gdk_pixbuf_get_height (golden));
  for (int y = 0; y < h; y += TILE)
    for (int x = 0; x < w; x += TILE) {
      int mean, n = tile_unmatched (golden, actual, x, y, &mean);
      all += n;
      if (n <= TILE_UNMATCHED && mean <= TILE_MEAN)
        continue;
      if (tiles++ == 0)
        first_x = x, first_y = y;
      if (difference)
        frame_tile (*difference, x, y);
    }
  if (tiles)
    return g_strdup_printf ("%d tiles differ, the first at %d,%d", tiles, first_x, first_y);
  if ((gint64) all * 1000 > (gint64) w * h * PER_MILLE)
    return g_strdup_printf ("%d pixels differ", all);
  if (difference)
    g_clear_object (difference);
  return NULL;
}

GdkPixbuf *
golden_picture_cut (GdkPixbuf *picture, const GdkRectangle *part, int scale)
{
  g_autoptr (GdkPixbuf) flat = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, part->width, part->height);
  gdk_pixbuf_fill (flat, 0x808080ff);
  gdk_pixbuf_composite (picture, flat, 0, 0, part->width, part->height, -part->x, -part->y, 1, 1, GDK_INTERP_NEAREST, 255);
  return gdk_pixbuf_scale_simple (flat, part->width / scale, part->height / scale, GDK_INTERP_BILINEAR);
}

gboolean
golden_picture_save (GdkPixbuf *picture, const char *path, GError **error)
{
  return gdk_pixbuf_save (picture, path, "png", error, "compression", "9", NULL);
}

void
golden_picture_check (GdkPixbuf *picture, const char *path, const char *folder, const char *name)
{
  gboolean update = g_strcmp0 (g_getenv ("LS_UPDATE_GOLDEN"), "1") == 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) golden = gdk_pixbuf_new_from_file (path, update ? NULL : &error), difference = NULL;
  g_assert_no_error (error);
  g_autofree char *what = golden ? golden_picture_compare (golden, picture, &difference) : g_strdup ("new");
  if (!what)
    return;
  if (update) {
    golden_picture_save (picture, path, &error);
    g_assert_no_error (error);
    return;
  }
  g_autofree char *actual_path = g_strdup_printf ("%s/%s.png", folder, name),
                  *difference_path = g_strdup_printf ("%s/%s-difference.png", folder, name);
  g_mkdir_with_parents (folder, 0755);
  golden_picture_save (picture, actual_path, &error);
  g_assert_no_error (error);
  golden_picture_save (difference, difference_path, &error);
  g_assert_no_error (error);
  g_test_message ("%s is not what it was: %s\n  golden      %s\n  now         %s\n  difference  %s\nLS_UPDATE_GOLDEN=1 renews it; look at "
                  "it before committing", name, what, path,
                  actual_path, difference_path);
  g_test_fail_printf ("%s is not what it was: %s; see %s", name, what, difference_path);
}

/* --- what the pictures were made with --- */

static gboolean
is_font (const char *family, const char *real)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  PangoFontDescription *wanted = pango_font_description_from_string (family);
  PangoFont *font = pango_context_load_font (context, wanted);
  PangoFontDescription *found = font ? pango_font_describe (font) : NULL;
  gboolean is = found && g_strcmp0 (pango_font_description_get_family (found), real) == 0;
  g_clear_pointer (&found, pango_font_description_free);
  g_clear_object (&font);
  pango_font_description_free (wanted);
  g_object_unref (context);
  return is;
}

const char *
golden_picture_obstacle (void)
{
#if defined __SANITIZE_ADDRESS__
  if (!g_getenv ("LS_SLOWLY"))
    return "under a sanitizer a hundred windows take minutes: LS_SLOWLY=1 compares them all the same";
#endif
  if (gtk_get_major_version () != 4 || gtk_get_minor_version () != 8 || adw_get_minor_version () != 2)
    return "the pictures are those of GTK 4.8 and libadwaita 1.2";
  if (!is_font ("DejaVu Sans 10", "DejaVu Sans") || !is_font (LS_CODE_FONT " 10", "DejaVu Sans Mono"))
    return "the fonts DejaVu Sans and DejaVu Sans Mono are missing or not the usual ones: install fonts-dejavu-core";
  return NULL;
}
