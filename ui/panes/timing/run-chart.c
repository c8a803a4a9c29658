/* Time runs from left to right, in lanes by activity. The recording has how long each stage took, in the order in which they were: a
 * span begins where the one before it ends, and runs come behind their kernel's code. Time between them is not known, and left out. A
 * click goes to the kernel. */
#include "run-chart.h"
#include "kit/class.h"
#include "panes/panes.h"
#include "graph/view/palette.h"
#include "kit/text.h"

#include <glib/gi18n.h>
#include <math.h>

#define LEFT  74.0
#define TOP    6.0
#define LOWER 18.0
#define LANE  22.0

typedef enum { PROGRAM, PIPELINE, COMPILE, RUN, N_LANES } Lane;
typedef struct { double from, ns; guint kernel; Lane lane; const char *stage; } Span;

struct _LsRunChart {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GArray        *spans;       /* Span */
  double         total, of_lane[N_LANES];
  PangoLayout   *text;
};

G_DEFINE_FINAL_TYPE (LsRunChart, ls_run_chart, GTK_TYPE_WIDGET)

guint
ls_run_chart_n_spans (LsRunChart *self)
{
  return self->spans->len;
}

static void
add_span (LsRunChart *self, Lane lane, guint kernel, const char *stage, double ns)
{
  Span s = { self->total, ns, kernel, lane, stage };
  if (!(ns > 0))
    return;
  self->total += ns;
  self->of_lane[lane] += ns;
  g_array_append_val (self->spans, s);
}

static void
add_kernel (LsRunChart *self, LsTrace *trace, guint number)
{
  const LsKernel *k = ls_trace_kernel (trace, number);
  if (!k)
    return;
  add_span (self, COMPILE, number, "compile", k->compile_ms * 1e6);
  for (guint i = 0; k->run_ns && i < k->run_ns->len; i++)
    add_span (self, RUN, number, "run", (double) g_array_index (k->run_ns, guint64, i));
}

static void
on_trace (LsRunChart *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint kernel = 0, last = 0;      /* the one that is being made; the last that was */
  g_array_set_size (self->spans, 0);
  self->total = 0;
  for (guint i = 0; i < N_LANES; i++)
    self->of_lane[i] = 0;
  for (guint i = 0; trace && i < trace->stage_times->len; i++) {
    const LsStageTime *t = &g_array_index (trace->stage_times, LsStageTime, i);
    if (g_str_equal (t->stage, "compile") || g_str_equal (t->stage, "run"))      /* those of the kernel are exact */
      continue;
    if (kernel && t->kernel != kernel) {
      add_kernel (self, trace, kernel);
      last = kernel;
    }
    kernel = t->kernel;
    for (guint k = last + 1; kernel && k < kernel; k++)      /* code that was used again has no stages */
      add_kernel (self, trace, k);
    last = MAX (last, kernel ? kernel - 1 : 0);
    add_span (self, g_str_equal (t->stage, "program") ? PROGRAM : PIPELINE, t->kernel, t->stage, (double) t->ns);
  }
  for (guint k = kernel ? kernel : last + 1; trace && k <= trace->kernels->len; k++)
    add_kernel (self, trace, k);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- the picture --- */

static const char *
lane_name (Lane lane)
{
  const char *const names[N_LANES] = { _("program"), _("pipeline"), _("compile"), _("run") };
  return names[lane];
}

static double
scale_of (LsRunChart *self)
{
  return self->total > 0 ? MAX (gtk_widget_get_width (GTK_WIDGET (self)) - LEFT - 12, 1) / self->total : 0;
}

gboolean
ls_run_chart_find (LsRunChart *self, guint kernel, double *x, double *y)
{
  double most = 0;
  for (guint i = 0; i < self->spans->len; i++) {
    const Span *s = &g_array_index (self->spans, Span, i);
    if (s->kernel != kernel || s->ns <= most)
      continue;
    most = s->ns;
    *x = LEFT + (s->from + s->ns / 2) * scale_of (self);
    *y = TOP + (s->lane + 0.5) * LANE;
  }
  return most > 0;
}

static const Span *
span_at (LsRunChart *self, double x, double y)
{
  int lane = (int) ((y - TOP) / LANE);
  double scale = scale_of (self);
  for (guint i = self->spans->len; i-- > 0 && y >= TOP && lane < N_LANES;) {
    const Span *s = &g_array_index (self->spans, Span, i);
    if ((int) s->lane == lane && x >= LEFT + s->from * scale - 1 && x <= LEFT + (s->from + s->ns) * scale + 1)
      return s;
  }
  return NULL;
}

static void
write_at (LsRunChart *self, cairo_t *cr, const char *text, double x, double y)
{
  PangoRectangle r;
  pango_layout_set_text (self->text, text, -1);
  pango_layout_get_pixel_extents (self->text, NULL, &r);
  cairo_move_to (cr, x, y - r.height / 2.0);
  pango_cairo_show_layout (cr, self->text);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsRunChart *self = LS_RUN_CHART (widget);
  float width = (float) gtk_widget_get_width (widget), height = (float) gtk_widget_get_height (widget);
  double scale = scale_of (self), drawn[N_LANES] = { 0 };
  const LsPass *here = ls_view_session_pass (self->session);
  LsPalette p;
  ls_graph_palette (widget, &p);
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &GRAPHENE_RECT_INIT (0, 0, width, height));
  if (!self->text) {
    self->text = gtk_widget_create_pango_layout (widget, NULL);
    PangoFontDescription *font = pango_font_description_from_string ("sans 8");
    pango_layout_set_font_description (self->text, font);
    pango_font_description_free (font);
  }
  const GdkRGBA *colors[N_LANES] = { &p.dim, &p.kinds[LS_DIFF_CHANGED].border, &p.kinds[LS_DIFF_REMOVED].border,
                                     &p.kinds[LS_DIFF_ADDED].border };
  for (guint i = 0; i < self->spans->len; i++) {
    const Span *s = &g_array_index (self->spans, Span, i);
    double x0 = LEFT + s->from * scale, x1 = LEFT + (s->from + s->ns) * scale;
    if (x1 < drawn[s->lane])      /* thousands of them in a pixel */
      continue;
    drawn[s->lane] = floor (x1) + 1;
    gboolean current = here && here->kernel && here->kernel == s->kernel;
    cairo_rectangle (cr, x0, TOP + s->lane * LANE + 3, MAX (x1 - x0 - 0.5, 1), LANE - 6);
    ls_graph_source (cr, colors[s->lane], current ? 1 : 0.5);
    cairo_fill (cr);
  }
  ls_graph_source (cr, &p.text, 1);
  for (guint lane = 0; lane < N_LANES; lane++)
    write_at (self, cr, lane_name ((Lane) lane), 8, TOP + (lane + 0.5) * LANE);
  g_autoptr (GString) sums = g_string_new (NULL);
  g_autofree char *total = ls_text_ns (self->total);
  g_string_printf (sums, _("%s in all"), total);
  for (guint lane = 0; lane < N_LANES; lane++) {
    g_autofree char *time = ls_text_ns (self->of_lane[lane]);
    g_string_append_printf (sums, " · %s %s", lane_name ((Lane) lane), time);
  }
  ls_graph_source (cr, &p.dim, 1);
  write_at (self, cr, self->spans->len ? sums->str : _("No times were recorded"), 8, TOP + N_LANES * LANE + LOWER / 2);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  *min = *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : (int) (TOP + N_LANES * LANE + LOWER);
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsRunChart *self = LS_RUN_CHART (widget);
  const Span *s = span_at (self, x, y);
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *k = s && s->kernel && trace ? ls_trace_kernel (trace, s->kernel) : NULL;
  if (!s)
    return FALSE;
  g_autofree char *time = ls_text_ns (s->ns), *name = k ? ls_text_valid (k->name) : g_strdup ("");
  g_autofree char *text = k ? g_strdup_printf (_("%s of kernel %u, %s: %s"), s->stage, s->kernel, name, time)
                            : g_strdup_printf ("%s: %s", s->stage, time);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
released (GtkGestureClick *gesture, int n_press, double x, double y, LsRunChart *self)
{
  const Span *s = span_at (self, x, y);
  if (s && s->kernel)
    ls_view_session_go_to_kernel (self->session, s->kernel);
}

static void
ls_run_chart_class_init (LsRunChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  LS_KEEPS (class, LsRunChart, g_object_unref, text, session);
  LS_KEEPS (class, LsRunChart, g_array_unref, spans);
}

static void
ls_run_chart_init (LsRunChart *self)
{
  self->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_name (GTK_WIDGET (self), "run-chart");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("The run over time"), -1);
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

void
ls_run_pane_changed (gpointer chart, LsWatch what)
{
  if (what == LS_WATCH_TRACE)
    on_trace (chart);
  else
    gtk_widget_queue_draw (chart);
}

GtkWidget *
ls_run_pane_new (LsViewSession *session)
{
  LsRunChart *self = g_object_new (LS_TYPE_RUN_CHART, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}
