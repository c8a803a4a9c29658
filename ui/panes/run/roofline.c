#include "roofline.h"
#include "kit/chart-text.h"
#include "kit/class.h"
#include "graph/view/palette.h"
#include "kit/text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define WIDTH  270
#define HEIGHT 124
#define LEFT   8.0
#define RIGHT  78.0      /* names of the roofs */
#define TOP    8.0
#define BOTTOM 16.0

struct _LsRoofline {
  GtkWidget         parent_instance;
  const LsCompared *compared;
  char *const      *names;
  double            x[2], y[2];      /* logarithms of the ends of the axes */
  PangoLayout      *text;
};

G_DEFINE_FINAL_TYPE (LsRoofline, ls_roofline, GTK_TYPE_WIDGET)

static gboolean
has_point (const LsCompared *c, guint column)
{
  const LsComparedTimes *t = &c->times[column];
  return t->gflops > 0 && t->gbs > 0;
}

/* Half a power of ten around all points and ridges. */
static void
find_axes (LsRoofline *self)
{
  const LsCompared *c = self->compared;
  const LsMachineRoofs *r = &c->roofs;
  double least = INFINITY, most = 0, low = INFINITY;
  for (guint i = 0; i < c->n; i++)
    if (has_point (c, i)) {
      least = MIN (least, c->times[i].gflops / c->times[i].gbs);
      most = MAX (most, c->times[i].gflops / c->times[i].gbs);
      low = MIN (low, c->times[i].gflops);
    }
  most = MAX (most, r->gflops / r->gbs[LS_N_ROOFS - 1]);
  least = MIN (least, r->gflops / r->gbs[0]);
  self->x[0] = log10 (least) - 0.5;
  self->x[1] = log10 (most) + 0.3;
  self->y[0] = MIN (log10 (low), log10 (r->gbs[LS_N_ROOFS - 1]) + self->x[0] + 0.6) - 0.3;
  self->y[1] = log10 (MAX (r->gflops, r->fused_gflops)) + 0.2;
}

void
ls_roofline_set (LsRoofline *self, const LsCompared *compared, char *const *names)
{
  gboolean any = FALSE;
  for (guint i = 0; compared && compared->roofs.gflops > 0 && i < compared->n; i++)
    any |= has_point (compared, i);
  self->compared = any ? compared : NULL;
  self->names = names;
  if (any)
    find_axes (self);
  gtk_widget_set_visible (GTK_WIDGET (self), any);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static double
x_of (LsRoofline *self, double logarithm)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - LEFT - RIGHT;
  return LEFT + CLAMP ((logarithm - self->x[0]) / (self->x[1] - self->x[0]), 0, 1) * width;
}

static double
y_of (LsRoofline *self, double logarithm)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self)) - TOP - BOTTOM;
  return TOP + (1 - CLAMP ((logarithm - self->y[0]) / (self->y[1] - self->y[0]), 0, 1)) * height;
}

/* From the left or the bottom to the peak: bandwidth times intensity. */
static void
draw_slope (LsRoofline *self, cairo_t *cr, double gbs)
{
  double rate = log10 (gbs), from = MAX (self->x[0], self->y[0] - rate), to = MIN (self->x[1], log10 (self->compared->roofs.gflops) - rate);
  if (to <= from)
    return;
  cairo_move_to (cr, x_of (self, from), y_of (self, from + rate));
  cairo_line_to (cr, x_of (self, to), y_of (self, to + rate));
  cairo_stroke (cr);
}

static void
draw_roofs (LsRoofline *self, cairo_t *cr, const LsPalette *p)
{
  const LsMachineRoofs *r = &self->compared->roofs;
  double right = gtk_widget_get_width (GTK_WIDGET (self)) - RIGHT, peak = y_of (self, log10 (r->gflops)),
         fused = r->fused_gflops > 1.1 * r->gflops ? y_of (self, log10 (r->fused_gflops)) : -1;
  g_autofree char *gflops = g_strdup_printf ("%.3g GFLOPS", r->gflops), *with = g_strdup_printf (_("%.3g fused"), r->fused_gflops);
  ls_graph_source (cr, &p->dim, 1);
  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < LS_N_ROOFS; i++)
    draw_slope (self, cr, r->gbs[i]);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, x_of (self, log10 (r->gflops / r->gbs[0])), peak);
  cairo_line_to (cr, right, peak);
  cairo_stroke (cr);
  if (fused >= 0) {
    cairo_set_line_width (cr, 1);
    cairo_set_dash (cr, (const double[]) { 4, 3 }, 2, 0);
    cairo_move_to (cr, x_of (self, log10 (r->gflops / r->gbs[0])), fused);
    cairo_line_to (cr, right, fused);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
  }
  ls_graph_source (cr, &p->text, 0.8);
  ls_chart_write (self->text, cr, gflops, right + 4, fused >= 0 ? MAX (peak, fused + 12) : peak, 0);
  if (fused >= 0)
    ls_chart_write (self->text, cr, with, right + 4, fused, 0);
  g_autofree char *memory = g_strdup_printf (_("L1 %.3g … main %.3g GB/s · operations a byte →"), r->gbs[0], r->gbs[LS_N_ROOFS - 1]);
  ls_chart_write (self->text, cr, memory, LEFT, gtk_widget_get_height (GTK_WIDGET (self)) - 7, 0);
}

static void
draw_points (LsRoofline *self, cairo_t *cr, const LsPalette *p)
{
  const LsCompared *c = self->compared;
  for (guint i = 0; i < c->n; i++) {
    const LsComparedTimes *t = &c->times[i];
    if (!has_point (c, i))
      continue;
    double x = x_of (self, log10 (t->gflops / t->gbs)), y = y_of (self, log10 (t->gflops));
    ls_graph_source (cr, t->verdict > 0 ? &p->kinds[LS_DIFF_ADDED].border : t->verdict < 0 ? &p->kinds[LS_DIFF_REMOVED].border
                         : &p->text, 1);
    cairo_new_sub_path (cr);
    cairo_arc (cr, x, y, 3.5, 0, 2 * G_PI);
    cairo_fill (cr);
    g_autofree char *number = g_strdup_printf ("%.*s", (int) strcspn (self->names[i], ":"), self->names[i]);
    ls_chart_write (self->text, cr, number, x + 6 + 9 * (i % 3), y, 0);      /* several may lie on one point */
  }
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsRoofline *self = LS_ROOFLINE (widget);
  if (!self->compared)
    return;
  LsPalette p;
  ls_graph_palette (widget, &p);
  if (!self->text) {
    self->text = gtk_widget_create_pango_layout (widget, NULL);
    PangoFontDescription *font = pango_font_description_from_string ("sans 8");
    pango_layout_set_font_description (self->text, font);
    pango_font_description_free (font);
  }
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                                      (float) gtk_widget_get_height (widget)));
  draw_roofs (self, cr, &p);
  draw_points (self, cr, &p);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  *min = *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
}

char *
ls_roofline_words (LsRoofline *self, guint column)
{
  const LsCompared *c = self->compared;
  if (!c || column >= c->n || !has_point (c, column))
    return NULL;
  const LsComparedTimes *t = &c->times[column];
  const LsMachineRoofs *r = &c->roofs;
  return g_strdup_printf (_("%s: %.3g GFLOPS, %.0f %% of the peak of %.3g; %.3g GB/s, where caches give %.3g, %.3g and %.3g and main "
                            "memory %.3g"), self->names[column], t->gflops, 100 * t->gflops / r->gflops, r->gflops, t->gbs, r->gbs[0],
                          r->gbs[1], r->gbs[2], r->gbs[3]);
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsRoofline *self = LS_ROOFLINE (widget);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; self->compared && i < self->compared->n; i++) {
    g_autofree char *words = ls_roofline_words (self, i);
    if (words)
      g_string_append_printf (text, "%s%s", text->len ? "\n" : "", words);
  }
  gtk_tooltip_set_text (tooltip, text->str);
  return text->len > 0;
}

static void
ls_roofline_class_init (LsRooflineClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  LS_KEEPS (class, LsRoofline, g_object_unref, text);
}

static void
ls_roofline_init (LsRoofline *self)
{
  gtk_widget_set_name (GTK_WIDGET (self), "roofline");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Roofline of the columns"), -1);
}
