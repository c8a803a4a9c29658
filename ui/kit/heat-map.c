/* The heat map is one texture of a pixel a cell, scaled without smoothing, so that a cell of a few pixels and one of fifty cost the
 * same. Numbers of one sign run from dark to light; where the scale holds zero, it is in the middle, and the signs have hues of their
 * own. */
#include "heat-map.h"
#include "class.h"
#include "text.h"

#include <adwaita.h>
#include <math.h>
#include <string.h>

#define SCALE_WIDTH  14
#define LABELS_WIDTH 76

struct _LsHeatMap {
  GtkWidget   parent_instance;
  GdkTexture *cells, *scale;
  guint       rows, columns;
  double      min, max;
  gboolean    has_nan, has_inf;
  gboolean    choosable;
  guint       marked_row, marked_column;      /* LS_HEAT_MAP_NO_CELL: none */
};

G_DEFINE_FINAL_TYPE (LsHeatMap, ls_heat_map, GTK_TYPE_WIDGET)

/* Stops of the two scales, dark to light and blue over grey to orange; between them colours are mixed. */
static const guint8 one_sign[][3] = { { 33, 25, 70 }, { 52, 84, 140 }, { 38, 140, 140 }, { 110, 190, 95 }, { 250, 228, 60 } };
static const guint8 two_signs[][3] = { { 20, 70, 160 }, { 110, 160, 220 }, { 225, 225, 225 }, { 240, 160, 90 }, { 170, 60, 0 } };
static const guint8 nan_colour[3] = { 214, 0, 180 }, high_colour[3] = { 224, 27, 36 }, low_colour[3] = { 0, 0, 0 };

static void
colour_of (const LsHeatMap *self, double v, guint8 out[4])
{
  const guint8 (*stops)[3] = self->min < 0 && self->max > 0 ? two_signs : one_sign;
  out[3] = 255;
  if (v == LS_HEAT_MAP_NOTHING) {
    memset (out, 128, 3);
    out[3] = 60;
    return;
  }
  if (!isfinite (v)) {
    memcpy (out, isnan (v) ? nan_colour : v > 0 ? high_colour : low_colour, 3);
    return;
  }
  double most = fmax (-self->min, self->max), span = self->max - self->min;
  double t = stops == two_signs ? (v / most + 1) / 2 : span > 0 ? (v - self->min) / span : 0.5;
  t = CLAMP (t, 0, 1) * 4;
  int stop = MIN ((int) t, 3);
  for (int c = 0; c < 3; c++)
    out[c] = (guint8) lrint (stops[stop][c] + (t - stop) * (stops[stop + 1][c] - stops[stop][c]));
}

static GdkTexture *
texture_new (guint8 *pixels, guint width, guint height)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, (gsize) width * height * 4);
  return gdk_memory_texture_new ((int) width, (int) height, GDK_MEMORY_R8G8B8A8, bytes, (gsize) width * 4);
}

void
ls_heat_map_set (LsHeatMap *self, guint rows, guint columns, const double *cells, gsize n, double min, double max)
{
  g_clear_object (&self->cells);
  g_clear_object (&self->scale);
  self->rows = rows;
  self->columns = columns;
  self->min = min;
  self->max = max;
  self->has_nan = self->has_inf = FALSE;
  self->marked_row = LS_HEAT_MAP_NO_CELL;
  if (rows > 0 && columns > 0) {
    guint8 *pixels = g_malloc0 ((gsize) rows * columns * 4), *scale = g_malloc (64 * 4);
    for (gsize i = 0; i < MIN (n, (gsize) rows * columns); i++) {
      colour_of (self, cells[i], pixels + 4 * i);
      self->has_nan |= isnan (cells[i]) != 0;
      self->has_inf |= isinf (cells[i]) != 0;
    }
    self->cells = texture_new (pixels, columns, rows);
    for (guint i = 0; i < 64; i++)
      colour_of (self, isfinite (max - min) ? max - (max - min) * i / 63 : 0, scale + 4 * i);
    self->scale = texture_new (scale, 1, 64);
  }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
draw_label (LsHeatMap *self, GtkSnapshot *snapshot, const char *text, float x, float y, float align)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  GdkRGBA colour;
  int height;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  pango_layout_get_pixel_size (layout, NULL, &height);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (x, y - align * (float) height));
  gtk_snapshot_append_layout (snapshot, layout, &colour);
  gtk_snapshot_restore (snapshot);
}

/* The size of the picture; FALSE: there is no room. Cells are square unless that would leave a sliver. */
static gboolean
picture_size (LsHeatMap *self, float *w, float *h)
{
  float width = (float) gtk_widget_get_width (GTK_WIDGET (self)) - SCALE_WIDTH - LABELS_WIDTH - 8,
        height = (float) gtk_widget_get_height (GTK_WIDGET (self));
  if (!self->cells || width < 8 || height < 8)
    return FALSE;
  float cell = fminf (width / (float) self->columns, height / (float) self->rows);
  *w = fmaxf (cell * (float) self->columns, fminf (width, 24));
  *h = fmaxf (cell * (float) self->rows, fminf (height, 16));
  return TRUE;
}

/* Two lines, of which one is seen on any colour. */
static void
draw_mark (LsHeatMap *self, cairo_t *cr, double w, double h)
{
  double cell_w = w / self->columns, cell_h = h / self->rows;
  for (int white = 0; white < 2; white++) {
    double in = white ? 1.5 : 0.5;
    cairo_rectangle (cr, self->marked_column * cell_w + in, self->marked_row * cell_h + in, fmax (cell_w - 2 * in, 1),
                     fmax (cell_h - 2 * in, 1));
    cairo_set_source_rgb (cr, white, white, white);
    cairo_set_line_width (cr, white ? 1 : 2);
    cairo_stroke (cr);
  }
}

static void
ls_heat_map_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  LsHeatMap *self = LS_HEAT_MAP (widget);
  float height = (float) gtk_widget_get_height (widget), w, h;
  if (!picture_size (self, &w, &h))
    return;
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, w, h);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &area);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) self->columns, (int) self->rows);
  gdk_texture_download (self->cells, cairo_image_surface_get_data (surface), (gsize) cairo_image_surface_get_stride (surface));
  cairo_surface_mark_dirty (surface);
  cairo_save (cr);
  cairo_scale (cr, w / (float) self->columns, h / (float) self->rows);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  if (self->marked_row < self->rows && self->marked_column < self->columns)
    draw_mark (self, cr, w, h);
  cairo_surface_destroy (surface);
  cairo_destroy (cr);
  float x = w + 8, bottom = fminf (height, fmaxf (h, 120));
  gtk_snapshot_append_texture (snapshot, self->scale, &GRAPHENE_RECT_INIT (x, 0, SCALE_WIDTH, bottom));
  g_autofree char *high = ls_text_number (self->max), *low = ls_text_number (self->min);
  float middle = bottom / 2 - (self->has_nan && self->has_inf ? 9 : 0);
  if (isfinite (self->max))
    draw_label (self, snapshot, high, x + SCALE_WIDTH + 4, 0, 0);
  if (isfinite (self->min))
    draw_label (self, snapshot, low, x + SCALE_WIDTH + 4, bottom, 1);
  for (int odd = 0; odd < 2; odd++) {
    if (!(odd ? self->has_inf : self->has_nan))
      continue;
    const guint8 *c = odd ? high_colour : nan_colour;
    GdkRGBA colour = { c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f, 1 };
    gtk_snapshot_append_color (snapshot, &colour, &GRAPHENE_RECT_INIT (x + SCALE_WIDTH + 4, middle - 5, 10, 10));
    draw_label (self, snapshot, odd ? "inf" : "NaN", x + SCALE_WIDTH + 18, middle, 0.5f);
    middle += 18;
  }
}

static void
on_released (LsHeatMap *self, int n_press, double x, double y)
{
  float w, h;
  if (!self->choosable || !picture_size (self, &w, &h) || x < 0 || y < 0 || x >= (double) w || y >= (double) h)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "chosen", y / (double) h * self->rows, x / (double) w * self->columns);
}

/* The first cell, or the next one that way. */
static gboolean
on_key (LsHeatMap *self, guint key, guint code, GdkModifierType state)
{
  int right = key == GDK_KEY_Right ? 1 : key == GDK_KEY_Left ? -1 : 0, down = key == GDK_KEY_Down ? 1 : key == GDK_KEY_Up ? -1 : 0;
  gboolean here = key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space;
  if (!self->choosable || !self->cells || (!right && !down && !here) || state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  gboolean first = self->marked_row == LS_HEAT_MAP_NO_CELL;
  ls_heat_map_mark (self, first ? 0 : (guint) CLAMP ((int) self->marked_row + down, 0, (int) self->rows - 1),
                    first ? 0 : (guint) CLAMP ((int) self->marked_column + right, 0, (int) self->columns - 1));
  if (here)
    g_signal_emit_by_name (self, "chosen", (double) self->marked_row, (double) self->marked_column);
  return TRUE;
}

void
ls_heat_map_set_choosable (LsHeatMap *self, gboolean choosable)
{
  self->choosable = choosable;
  gtk_widget_set_focusable (GTK_WIDGET (self), choosable);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), choosable ? "pointer" : NULL);
}

void
ls_heat_map_mark (LsHeatMap *self, guint row, guint column)
{
  self->marked_row = row;
  self->marked_column = column;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
ls_heat_map_class_init (LsHeatMapClass *class)
{
  GTK_WIDGET_CLASS (class)->snapshot = ls_heat_map_snapshot;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (class), GTK_ACCESSIBLE_ROLE_IMG);
  ls_class_signal (class, "chosen", 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  LS_OWNS (class, LsHeatMap, g_object_unref, cells, scale);
}

static void
ls_heat_map_init (LsHeatMap *self)
{
  gtk_widget_set_size_request (GTK_WIDGET (self), 160, 60);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  self->marked_row = LS_HEAT_MAP_NO_CELL;
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_swapped (click, "released", G_CALLBACK (on_released), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}
