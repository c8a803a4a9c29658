/* Time runs from left to right, in lanes by activity: the program's own statements, passes, compilers, launches (trace/timeline.h). What is
 * chosen is the walk's place: a click goes to the statement, pass or launch, and the span of the position is framed, with those of its
 * kernel in full colour. The wheel and + and - zoom, dragging and Shift with the wheel pan, 0 shows the whole, the arrows go from span to
 * span.
 */
#include "run-chart.h"
#include "kit/chart-text.h"
#include "kit/class.h"
#include "panes/panes.h"
#include "graph/view/palette.h"
#include "kit/text.h"
#include "trace/timeline.h"

#include <glib/gi18n.h>
#include <math.h>

#define LEFT 126.0
#define TOP    6.0
#define LOWER 18.0
#define LANE  22.0
#define ZOOM   1.3      /* a notch of the wheel, a key */
#define LEAST 20.0      /* nanoseconds that are shown at least */

struct _LsRunChart {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GArray        *spans;       /* LsSpan */
  double         total, of_lane[LS_N_SPANS];
  double         from, shown;      /* nanoseconds: the part that is seen */
  double         drag_from, pointer;
  PangoLayout   *text;
};

G_DEFINE_FINAL_TYPE (LsRunChart, ls_run_chart, GTK_TYPE_WIDGET)

static const LsSpan *
span_of (LsRunChart *self, guint i)
{
  return &g_array_index (self->spans, LsSpan, i);
}

guint
ls_run_chart_n_spans (LsRunChart *self)
{
  return self->spans->len;
}

const LsSpan *
ls_run_chart_get_span (LsRunChart *self, guint i)
{
  return i < self->spans->len ? span_of (self, i) : NULL;
}

/* --- what is seen --- */

static double
room_of (LsRunChart *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - LEFT - 12, 1);
}

static double
scale_of (LsRunChart *self)
{
  return self->shown > 0 ? room_of (self) / self->shown : 0;
}

static double
x_of (LsRunChart *self, double ns)
{
  return LEFT + (ns - self->from) * scale_of (self);
}

static void
show_part (LsRunChart *self, double from, double shown)
{
  self->shown = CLAMP (shown, MIN (LEAST, self->total), self->total);
  self->from = CLAMP (from, 0, self->total - self->shown);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Around a place of the widget, which stays where it is. */
static void
zoom_at (LsRunChart *self, double x, double factor)
{
  double at = CLAMP ((x - LEFT) / room_of (self), 0, 1), ns = self->from + at * self->shown,
         shown = CLAMP (self->shown / factor, MIN (LEAST, self->total), self->total);
  show_part (self, ns - at * shown, shown);
}

double
ls_run_chart_get_zoom (LsRunChart *self)
{
  return self->shown > 0 ? self->total / self->shown : 1;
}

/* --- the walk's place --- */

/* The span of the position: its launch, its pass, or the first of its kernel. -1: none. */
static gint
current_span (LsRunChart *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session);
  gint found = -1;
  while (pass && pass->parent >= 0 && (guint) pass->parent < pass->index)      /* its time is in that one's */
    pass = ls_view_session_get_trace (self->session)->passes->pdata[pass->parent];
  for (guint i = 0; pass && i < self->spans->len; i++) {
    const LsSpan *s = span_of (self, i);
    if (s->kind == LS_SPAN_STATEMENT || s->pass != pass->index)
      continue;
    if (s->step == step)
      return (gint) i;
    found = found < 0 ? (gint) i : found;
  }
  return found;
}

/* What is chosen comes into sight. */
static void
show_current (LsRunChart *self)
{
  gint at = current_span (self);
  const LsSpan *s = at >= 0 ? span_of (self, (guint) at) : NULL;
  double middle = s ? s->from + s->ns / 2 : self->from;
  if (middle < self->from || middle > self->from + self->shown)
    show_part (self, middle - self->shown / 2, self->shown);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
go_to (LsRunChart *self, const LsSpan *s)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  if (s->kind == LS_SPAN_STATEMENT)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.go-to-statement", "u", (guint) s->stop + 1);
  else if (trace && s->pass < trace->passes->len && s->step)
    ls_view_session_go (self->session, (int) s->pass, s->step);
  else if (trace && s->pass < trace->passes->len)
    ls_view_session_enter_pass (self->session, trace->passes->pdata[s->pass]);
}

static void
on_trace (LsRunChart *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_array_unref (self->spans);
  self->spans = trace ? ls_timeline_new (trace) : g_array_new (FALSE, FALSE, sizeof (LsSpan));
  for (guint i = 0; i < LS_N_SPANS; i++)
    self->of_lane[i] = 0;
  for (guint i = 0; i < self->spans->len; i++)
    self->of_lane[span_of (self, i)->kind] += span_of (self, i)->ns;
  const LsSpan *last = self->spans->len ? span_of (self, self->spans->len - 1) : NULL;
  self->total = last ? last->from + last->ns : 0;
  show_part (self, 0, self->total);
}

/* --- the picture --- */

static const char *
lane_name (LsSpanKind lane)
{
  const char *const names[LS_N_SPANS] = { _("program"), _("passes"), _("compile"), _("run") };
  return names[lane];
}

gboolean
ls_run_chart_find (LsRunChart *self, guint span, double *x, double *y)
{
  if (span >= self->spans->len)
    return FALSE;
  const LsSpan *s = span_of (self, span);
  *x = x_of (self, s->from + s->ns / 2);
  *y = TOP + (s->kind + 0.5) * LANE;
  return *x >= LEFT && *x <= LEFT + room_of (self);
}

static const LsSpan *
span_at (LsRunChart *self, double x, double y)
{
  int lane = (int) floor ((y - TOP) / LANE);
  const LsSpan *found = NULL;
  double nearest = 2;
  for (guint i = 0; x >= LEFT - 2 && i < self->spans->len; i++) {      /* of many in a pixel the nearest */
    const LsSpan *s = span_of (self, i);
    double x0 = x_of (self, s->from), x1 = x_of (self, s->from + s->ns), away = x < x0 ? x0 - x : x > x1 ? x - x1 : 0;
    if ((int) s->kind != lane || away > nearest || (found && away == nearest))
      continue;
    found = s;
    nearest = away;
  }
  return found;
}

static void
draw_spans (LsRunChart *self, cairo_t *cr, const LsPalette *p, double width)
{
  const GdkRGBA *colors[LS_N_SPANS] = { &p->dim, &p->kinds[LS_DIFF_CHANGED].border, &p->kinds[LS_DIFF_REMOVED].border,
                                        &p->kinds[LS_DIFF_ADDED].border };
  const LsPass *here = ls_view_session_pass (self->session);
  gint current = current_span (self), stop = current >= 0 ? span_of (self, (guint) current)->stop : -1;
  double drawn[LS_N_SPANS] = { 0 };
  cairo_save (cr);
  cairo_rectangle (cr, LEFT, 0, width - LEFT, TOP + LS_N_SPANS * LANE);
  cairo_clip (cr);
  for (guint i = 0; i < self->spans->len; i++) {
    const LsSpan *s = span_of (self, i);
    double x0 = MAX (x_of (self, s->from), LEFT - 2), x1 = MIN (x_of (self, s->from + s->ns), width + 2), y = TOP + s->kind * LANE;
    gboolean chosen = (gint) i == current || (s->kind == LS_SPAN_STATEMENT && s->stop == stop);
    if (x1 < LEFT || x0 > width || (x1 < drawn[s->kind] && !chosen))      /* thousands of them in a pixel */
      continue;
    drawn[s->kind] = floor (x1) + 1;
    gboolean same_kernel = here && here->kernel && here->kernel == s->kernel;
    cairo_rectangle (cr, x0, y + 3, MAX (x1 - x0 - 0.5, 1), LANE - 6);
    ls_graph_source (cr, colors[s->kind], same_kernel || chosen ? 1 : 0.5);
    cairo_fill (cr);
    if (!chosen)
      continue;
    cairo_rectangle (cr, x0 - 1.5, y + 1.5, MAX (x1 - x0, 1) + 2.5, LANE - 3);
    ls_graph_source (cr, &p->text, 1);
    cairo_set_line_width (cr, 1.5);
    cairo_stroke (cr);
  }
  cairo_restore (cr);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsRunChart *self = LS_RUN_CHART (widget);
  float width = (float) gtk_widget_get_width (widget), height = (float) gtk_widget_get_height (widget);
  LsPalette p;
  ls_graph_palette (widget, &p);
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &GRAPHENE_RECT_INIT (0, 0, width, height));
  if (!self->text) {
    self->text = gtk_widget_create_pango_layout (widget, NULL);
    PangoFontDescription *font = pango_font_description_from_string ("sans 8");
    pango_layout_set_font_description (self->text, font);
    pango_font_description_free (font);
  }
  draw_spans (self, cr, &p, width);
  ls_graph_source (cr, &p.text, 1);
  for (guint lane = 0; lane < LS_N_SPANS; lane++) {
    g_autofree char *time = ls_text_ns (self->of_lane[lane]), *label = g_strdup_printf ("%s %s", lane_name ((LsSpanKind) lane), time);
    ls_chart_write (self->text, cr, label, 8, TOP + (lane + 0.5) * LANE, 0);
  }
  g_autofree char *total = ls_text_ns (self->total), *shown = ls_text_ns (self->shown),
                  *sum = self->shown < self->total ? g_strdup_printf (_("%s of %s; press 0 for the whole"), shown, total)
                                                   : g_strdup_printf (_("%s in all; + and the wheel zoom"), total);
  ls_graph_source (cr, &p.dim, 1);
  ls_chart_write (self->text, cr, self->spans->len ? sum : _("No times were recorded"), 8, TOP + LS_N_SPANS * LANE + LOWER / 2, 0);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  *min = *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : (int) (TOP + LS_N_SPANS * LANE + LOWER);
}

/* "ast of kernel 2, r_4_6: 21 µs", "line 4, print(b.tolist()), without what it asked for: 80 µs". */
static char *
describe (LsRunChart *self, const LsSpan *s)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *k = trace && s->kernel ? ls_trace_kernel (trace, s->kernel) : NULL;
  const LsStop *stop = trace && s->kind == LS_SPAN_STATEMENT ? &g_array_index (ls_trace_stops (trace), LsStop, s->stop) : NULL;
  const LsPass *pass = trace && !stop && s->pass < trace->passes->len ? trace->passes->pdata[s->pass] : NULL;
  g_autofree char *time = ls_text_ns (s->ns), *name = k ? ls_text_valid (k->name) : NULL;
  if (stop && stop->row < trace->statements->len) {
    const LsStatement *statement = &g_array_index (trace->statements, LsStatement, stop->row);
    g_autofree char *text = ls_text_cut (statement->text, 80);
    return g_strdup_printf (_("Line %u, %s: %s, without the passes that it asked for"), statement->line, text, time);
  }
  g_autofree char *stage = ls_text_valid (pass ? pass->name : "?");
  return k ? g_strdup_printf (_("%s of kernel %u, %s: %s"), stage, s->kernel, name, time) : g_strdup_printf ("%s: %s", stage, time);
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsRunChart *self = LS_RUN_CHART (widget);
  const LsSpan *s = span_at (self, x, y);
  if (!s)
    return FALSE;
  g_autofree char *text = describe (self, s);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* --- input --- */

static void
released (GtkGestureClick *gesture, int n_press, double x, double y, LsRunChart *self)
{
  const LsSpan *s = span_at (self, x, y);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (s)
    go_to (self, s);
}

static void
moved (GtkEventControllerMotion *motion, double x, double y, LsRunChart *self)
{
  self->pointer = x;
}

static gboolean
scrolled (GtkEventControllerScroll *scroll, double dx, double dy, LsRunChart *self)
{
  gboolean shift = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (scroll)) & GDK_SHIFT_MASK;
  if (shift || dx != 0)
    show_part (self, self->from + (dx + (shift ? dy : 0)) * self->shown / 8, self->shown);
  else
    zoom_at (self, self->pointer, pow (ZOOM, -dy));
  return TRUE;
}

static void
drag_begun (GtkGestureDrag *drag, double x, double y, LsRunChart *self)
{
  self->drag_from = self->from;
}

static void
dragged (GtkGestureDrag *drag, double dx, double dy, LsRunChart *self)
{
  if (fabs (dx) > 4)
    gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
  show_part (self, self->drag_from - dx / MAX (scale_of (self), 1e-9), self->shown);
}

static gboolean
pressed (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, LsRunChart *self)
{
  gint at = current_span (self), by = key == GDK_KEY_Right ? 1 : -1;
  double middle = LEFT + room_of (self) / 2, x, y;
  if (at >= 0 && ls_run_chart_find (self, (guint) at, &x, &y))      /* the walk's place stays where it is */
    middle = x;
  switch (key) {
  case GDK_KEY_plus: case GDK_KEY_KP_Add: zoom_at (self, middle, ZOOM); return TRUE;
  case GDK_KEY_minus: case GDK_KEY_KP_Subtract: zoom_at (self, middle, 1 / ZOOM); return TRUE;
  case GDK_KEY_0: show_part (self, 0, self->total); return TRUE;
  case GDK_KEY_Left: case GDK_KEY_Right:
    do      /* statements are of the Program workspace */
      at += by;
    while (at >= 0 && (guint) at < self->spans->len && span_of (self, (guint) at)->kind == LS_SPAN_STATEMENT);
    if (at >= 0 && (guint) at < self->spans->len)
      go_to (self, span_of (self, (guint) at));
    return TRUE;
  default: return FALSE;
  }
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
  GtkWidget *widget = GTK_WIDGET (self);
  self->spans = g_array_new (FALSE, FALSE, sizeof (LsSpan));
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_name (widget, "run-chart");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("The run over time"), -1);
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begun), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (dragged), self);
  g_signal_connect (click, "released", G_CALLBACK (released), self);
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES),
                     *motion = gtk_event_controller_motion_new (), *keys = gtk_event_controller_key_new ();
  g_signal_connect (scroll, "scroll", G_CALLBACK (scrolled), self);
  g_signal_connect (motion, "motion", G_CALLBACK (moved), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (pressed), self);
  GtkEventController *all[] = { GTK_EVENT_CONTROLLER (drag), GTK_EVENT_CONTROLLER (click), scroll, motion, keys };
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    gtk_widget_add_controller (widget, all[i]);
}

void
ls_run_pane_changed (gpointer chart, LsWatch what)
{
  if (what == LS_WATCH_TRACE)
    on_trace (chart);
  else
    show_current (chart);
}

GtkWidget *
ls_run_pane_new (LsViewSession *session)
{
  LsRunChart *self = g_object_new (LS_TYPE_RUN_CHART, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}
