#include "times-chart.h"
#include "kit/chart-text.h"
#include "kit/class.h"
#include "graph/view/palette.h"
#include "kit/text.h"

#include <glib/gi18n.h>

#define TOP      4.0
#define LANE    22.0
#define NAMES  150.0
#define TIMES   76.0
#define MOST_DOTS 400      /* in a column: more would overlap */

struct _LsTimesChart {
  GtkWidget         parent_instance;
  const LsCompared *compared;
  char *const      *names;
  double            most;      /* where the axis ends, nanoseconds */
  PangoLayout      *text;
};

G_DEFINE_FINAL_TYPE (LsTimesChart, ls_times_chart, GTK_TYPE_WIDGET)

static int
ascending (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* A bound that nearly all samples are below: one interrupted sample must not make the others look small. */
static double
usual_most (const GArray *samples)
{
  if (!samples->len)
    return 0;
  g_autofree double *sorted = g_memdup2 (samples->data, samples->len * sizeof (double));
  qsort (sorted, samples->len, sizeof (double), ascending);
  return sorted[(samples->len - 1) * 95 / 100];
}

void
ls_times_chart_set (LsTimesChart *self, const LsCompared *compared, char *const *names)
{
  self->compared = compared;
  self->names = names;
  self->most = 0;
  for (guint i = 0; compared && i < compared->n; i++) {
    const LsComparedTimes *t = &compared->times[i];
    self->most = MAX (self->most, MAX (usual_most (t->samples), MIN (t->high, 1.5 * t->median)));
  }
  gtk_widget_set_visible (GTK_WIDGET (self), self->most > 0);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static double
x_of (LsTimesChart *self, double ns)
{
  return NAMES + MIN (ns / self->most, 1) * MAX (gtk_widget_get_width (GTK_WIDGET (self)) - NAMES - TIMES, 1);
}

static void
draw_column (LsTimesChart *self, cairo_t *cr, const LsPalette *p, guint column)
{
  const LsComparedTimes *t = &self->compared->times[column];
  double middle = TOP + (column + 0.5) * LANE, top = middle - LANE / 2 + 4, bottom = middle + LANE / 2 - 4;
  g_autofree char *time = t->median > 0 ? ls_text_ns (t->median) : g_strdup ("–");
  ls_graph_source (cr, &p->text, 1);
  pango_layout_set_width (self->text, (NAMES - 16) * PANGO_SCALE);
  ls_chart_write (self->text, cr, self->names[column], 8, middle, 0);
  pango_layout_set_width (self->text, (TIMES - 8) * PANGO_SCALE);
  ls_chart_write (self->text, cr, time, gtk_widget_get_width (GTK_WIDGET (self)) - TIMES + 8, middle, 0);
  if (!(t->median > 0))
    return;
  ls_graph_source (cr, t->verdict > 0 ? &p->kinds[LS_DIFF_ADDED].border : t->verdict < 0 ? &p->kinds[LS_DIFF_REMOVED].border : &p->dim,
                   0.35);
  cairo_rectangle (cr, NAMES, top, x_of (self, t->median) - NAMES, bottom - top);
  cairo_fill (cr);
  ls_graph_source (cr, &p->text, 0.6);
  guint each = 1 + t->samples->len / MOST_DOTS;
  for (guint i = 0; i < t->samples->len; i += each) {      /* in the order in which they were taken, from top to bottom */
    double x = x_of (self, g_array_index (t->samples, double, i)), y = top + 1 + (bottom - top - 2) * i / MAX (t->samples->len - 1, 1);
    cairo_rectangle (cr, x - 0.75, y - 0.75, 1.5, 1.5);
  }
  cairo_fill (cr);
  ls_graph_source (cr, &p->text, 1);
  cairo_set_line_width (cr, 1.5);
  double low = x_of (self, t->low), high = x_of (self, t->high);
  cairo_move_to (cr, low, middle);
  cairo_line_to (cr, high, middle);
  for (int end = 0; end < 2; end++) {
    cairo_move_to (cr, end ? high : low, top + 2);
    cairo_line_to (cr, end ? high : low, bottom - 2);
  }
  cairo_stroke (cr);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsTimesChart *self = LS_TIMES_CHART (widget);
  if (!self->compared)
    return;
  LsPalette p;
  ls_graph_palette (widget, &p);
  if (!self->text) {
    self->text = gtk_widget_create_pango_layout (widget, NULL);
    PangoFontDescription *font = pango_font_description_from_string ("sans 8");
    pango_layout_set_font_description (self->text, font);
    pango_layout_set_ellipsize (self->text, PANGO_ELLIPSIZE_MIDDLE);
    pango_font_description_free (font);
  }
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                                      (float) gtk_widget_get_height (widget)));
  for (guint i = 0; i < self->compared->n; i++)
    draw_column (self, cr, &p, i);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  const LsTimesChart *self = LS_TIMES_CHART (widget);
  *min = *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? (int) (NAMES + TIMES + 60)
                                                          : (int) (2 * TOP + (self->compared ? self->compared->n : 0) * LANE);
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsTimesChart *self = LS_TIMES_CHART (widget);
  guint column = y < TOP ? G_MAXUINT : (guint) ((y - TOP) / LANE);
  if (!self->compared || column >= self->compared->n || !(self->compared->times[column].median > 0))
    return FALSE;
  const LsComparedTimes *t = &self->compared->times[column];
  g_autofree char *median = ls_text_ns (t->median), *low = ls_text_ns (t->low), *high = ls_text_ns (t->high);
  g_autofree char *text = g_strdup_printf (ngettext ("%s: median %s, bracket from %s to %s, %u sample",
                                                     "%s: median %s, bracket from %s to %s, %u samples", t->samples->len),
                                           self->names[column], median, low, high, t->samples->len);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
ls_times_chart_class_init (LsTimesChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  LS_KEEPS (class, LsTimesChart, g_object_unref, text);
}

static void
ls_times_chart_init (LsTimesChart *self)
{
  gtk_widget_set_name (GTK_WIDGET (self), "times-chart");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Times of the columns"), -1);
}
