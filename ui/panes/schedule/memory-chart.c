/* Kernels in launch order from left to right, bytes upwards. A buffer of the memory plan is a bar at its offset from its first to its
 * last kernel, so that memory used again shows as bars above each other's ends; buffers with memory of their own are stacked above
 * the plan, lighter. With the keyboard Left and Right go from kernel to kernel and, on a bar, to the next one that begins before or
 * after it; Up and Down go through the bars that live there. */
#include "memory-chart.h"
#include "kit/chart-text.h"
#include "kit/class.h"
#include "graph/view/palette.h"
#include "panes/panes.h"

#include <glib/gi18n.h>
#include <math.h>

#define LEFT  66.0
#define LOWER  15.0
#define UPPER   6.0

typedef struct { guint32 id; guint from, to; guint64 low, high; gboolean planned; } Bar;

struct _LsMemoryChart {
  GtkWidget   parent_instance;
  LsScheduleScene *schedule;
  GArray     *bars;       /* Bar */
  guint64     peak, plan; /* bytes */
  guint32     chosen;
  PangoLayout *text;
  LsViewSession *session;      /* of the page that follows it, which makes the schedule; or NULL */
};

G_DEFINE_FINAL_TYPE (LsMemoryChart, ls_memory_chart, GTK_TYPE_WIDGET)

guint
ls_memory_chart_n_bars (LsMemoryChart *self)
{
  return self->bars->len;
}

void
ls_memory_chart_set (LsMemoryChart *self, LsScheduleScene *s)
{
  self->schedule = s;
  self->peak = self->plan = 0;
  self->chosen = LS_NO_NODE;
  g_array_set_size (self->bars, 0);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint round = 0; s && round < 2; round++) {      /* the plan first: stacked buffers are above it */
    g_hash_table_remove_all (seen);
    for (guint number = s->first; number && number <= s->last; number++) {
      const LsKernel *k = ls_trace_kernel (s->trace, number);
      for (guint i = 0; i < k->buffers->len; i++) {
        guint id = g_array_index (k->buffers, guint, i);
        const LsTraceBuffer *b = id < s->trace->buffers->len ? s->trace->buffers->pdata[id] : NULL;
        if (!b || (b->offset >= 0) != (round == 0) || !g_hash_table_add (seen, GUINT_TO_POINTER (id + 1)))
          continue;
        guint64 size = MIN (b->n_elements, G_MAXINT64 / 16) * ls_dtype_itemsize (b->dtype),
                low = round == 0 ? (guint64) b->offset : self->peak;
        Bar bar = { ls_schedule_buffer_id (id), CLAMP (b->first_use, s->first, s->last), CLAMP (b->last_use, s->first, s->last), low,
                    low + size, round == 0 };
        bar.to = MAX (bar.from, bar.to);
        g_array_append_val (self->bars, bar);
        self->peak = MAX (self->peak, bar.high);
      }
    }
    if (round == 0)
      self->plan = self->peak;
  }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ls_memory_chart_set_chosen (LsMemoryChart *self, guint32 id)
{
  self->chosen = id;
  g_autofree char *text = id != LS_NO_NODE && self->schedule ? ls_schedule_scene_sentence (self->schedule, id) : g_strdup ("");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- drawing --- */

typedef struct { double x0, w, y1, h; } Frame;

static Frame
frame_of (LsMemoryChart *self)
{
  double w = gtk_widget_get_width (GTK_WIDGET (self)), h = gtk_widget_get_height (GTK_WIDGET (self));
  guint n = self->schedule ? self->schedule->last - self->schedule->first + 1 : 1;
  return (Frame) { LEFT, MAX (w - LEFT - 8, 1) / n, h - LOWER, MAX (h - LOWER - UPPER, 1) };
}

static graphene_rect_t
bar_rect (LsMemoryChart *self, const Bar *b, Frame f)
{
  double per_byte = f.h / (double) MAX (self->peak, 1), x = f.x0 + (b->from - self->schedule->first) * f.w, w = (b->to - b->from + 1) * f.w;
  double y = f.y1 - (double) b->high * per_byte, h = (double) (b->high - b->low) * per_byte;
  return GRAPHENE_RECT_INIT ((float) x, (float) MIN (y, f.y1 - 2), (float) MAX (w, 2), (float) MAX (h, 2));
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsMemoryChart *self = LS_MEMORY_CHART (widget);
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
  Frame f = frame_of (self);
  for (guint i = 0; i < self->bars->len; i++) {
    const Bar *b = &g_array_index (self->bars, Bar, i);
    graphene_rect_t r = bar_rect (self, b, f);
    gboolean chosen = b->id == self->chosen;
    cairo_rectangle (cr, r.origin.x + 0.5, r.origin.y + 0.5, MAX (r.size.width - 1, 1), MAX (r.size.height - 1, 1));
    ls_graph_source (cr, chosen ? &p.accent : &p.classes[LS_CLASS_BUFFER], chosen ? 0.75 : b->planned ? 0.45 : 0.18);
    if (r.size.height < 3) {
      cairo_fill (cr);
      continue;
    }
    cairo_fill_preserve (cr);
    ls_graph_source (cr, chosen ? &p.accent : &p.classes[LS_CLASS_BUFFER], chosen ? 1 : 0.7);
    cairo_set_line_width (cr, chosen ? 2 : 1);
    cairo_stroke (cr);
  }
  if (self->schedule && self->chosen != LS_NO_NODE && !(self->chosen & LS_SCHEDULE_BUFFER) && self->chosen >= self->schedule->first &&
      self->chosen <= self->schedule->last) {
    double w = MAX (f.w, 2);
    cairo_rectangle (cr, f.x0 + (self->chosen - self->schedule->first) * f.w, UPPER, w, f.h);
    ls_graph_source (cr, &p.accent, 0.22);
    cairo_fill (cr);
  }
  ls_graph_source (cr, &p.edge, 0.7);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, f.x0 - 0.5, UPPER);
  cairo_line_to (cr, f.x0 - 0.5, f.y1 + 0.5);
  cairo_line_to (cr, width - 8, f.y1 + 0.5);
  cairo_stroke (cr);
  ls_graph_source (cr, &p.dim, 1);
  if (self->bars->len) {
    g_autofree char *top = g_format_size (self->peak);
    ls_chart_write (self->text, cr, top, f.x0 - 5, UPPER + 6, 1);
    ls_chart_write (self->text, cr, "0", f.x0 - 5, f.y1 - 5, 1);
    g_autofree char *axis = g_strdup_printf (_("kernels %u to %u"), self->schedule->first, self->schedule->last);
    ls_chart_write (self->text, cr, axis, f.x0, height - LOWER / 2 + 1, 0);
  } else {
    ls_chart_write (self->text, cr, _("No buffers were recorded"), f.x0, height / 2, 0);
  }
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  *min = orientation == GTK_ORIENTATION_HORIZONTAL ? 160 : 84;
  *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? 400 : 104;
}

/* --- pointer --- */

static guint32
id_at (LsMemoryChart *self, double x, double y)
{
  Frame f = frame_of (self);
  for (guint i = self->bars->len; i-- > 0;) {
    graphene_rect_t r = bar_rect (self, &g_array_index (self->bars, Bar, i), f);
    if (graphene_rect_contains_point (&r, &GRAPHENE_POINT_INIT ((float) x, (float) y)))
      return g_array_index (self->bars, Bar, i).id;
  }
  return LS_NO_NODE;
}

static void
released (GtkGestureClick *gesture, int n_press, double x, double y, LsMemoryChart *self)
{
  guint32 id = id_at (self, x, y);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (id != LS_NO_NODE)
    g_signal_emit_by_name (self, "chosen", id);
}

/* --- keyboard --- */

static guint64
away (const Bar *a, guint64 low)
{
  return a->low > low ? a->low - low : low - a->low;
}

/* The bar that begins next after (or before) one, at about its height. */
static const Bar *
bar_beside (LsMemoryChart *self, const Bar *at, int direction)
{
  const Bar *best = NULL;
  for (guint i = 0; i < self->bars->len; i++) {
    const Bar *b = &g_array_index (self->bars, Bar, i);
    if (direction > 0 ? b->from <= at->from : b->from >= at->from)
      continue;
    gboolean nearer = best && (direction > 0 ? b->from < best->from : b->from > best->from);
    if (!best || nearer || (b->from == best->from && away (b, at->low) < away (best, at->low)))
      best = b;
  }
  return best;
}

/* The next bar upwards (or downwards) among those that live at a kernel; after NULL the lowest. */
static const Bar *
bar_above (LsMemoryChart *self, guint kernel, const Bar *after, int direction)
{
  const Bar *best = NULL;
  for (guint i = 0; i < self->bars->len; i++) {
    const Bar *b = &g_array_index (self->bars, Bar, i);
    if (b->from > kernel || b->to < kernel || b == after ||
        (after && (direction > 0 ? b->low < after->low || (b->low == after->low && b < after)
                                                                                       : b->low > after->low ||
                                                                                           (b->low == after->low && b > after))))
      continue;
    if (!best || (direction > 0 ? b->low < best->low : b->low > best->low))
      best = b;
  }
  return best;
}

static gboolean
on_key (GtkWidget *widget, GVariant *args, gpointer data)
{
  LsMemoryChart *self = LS_MEMORY_CHART (widget);
  int x, y;
  g_variant_get (args, "(ii)", &x, &y);
  if (!self->schedule || !self->schedule->first)
    return FALSE;
  const Bar *bar = NULL, *to = NULL;
  for (guint i = 0; i < self->bars->len && !bar; i++)
    if (g_array_index (self->bars, Bar, i).id == self->chosen)
      bar = &g_array_index (self->bars, Bar, i);
  guint kernel = bar ? bar->from : self->chosen & LS_SCHEDULE_BUFFER ? self->schedule->first
                                                                     : CLAMP (self->chosen, self->schedule->first, self->schedule->last);
  guint32 id = LS_NO_NODE;
  if (y)
    to = bar || y > 0 ? bar_above (self, kernel, bar, y) : NULL;
  else if (bar)
    to = bar_beside (self, bar, x);
  else
    id = ls_schedule_kernel_id (CLAMP (kernel + (guint) x, self->schedule->first, self->schedule->last));
  if (to)
    id = to->id;
  else if (bar && y < 0)
    id = ls_schedule_kernel_id (kernel);      /* below the lowest one is the kernel */
  if (id != LS_NO_NODE)
    g_signal_emit_by_name (self, "chosen", id);
  return TRUE;
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  LsMemoryChart *self = LS_MEMORY_CHART (widget);
  guint32 id = keyboard ? self->chosen : id_at (self, x, y);
  g_autofree char *text = id != LS_NO_NODE && self->schedule ? ls_schedule_scene_sentence (self->schedule, id) : NULL;
  if (!text || !*text)
    return FALSE;
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

GtkWidget *
ls_memory_chart_new (void)
{
  return g_object_new (LS_TYPE_MEMORY_CHART, NULL);
}

/* --- the page of the drawer: memory over the kernels around the position's --- */

void
ls_memory_pane_changed (gpointer chart, LsWatch what)
{
  LsMemoryChart *self = chart;
  LsScheduleScene *schedule = self->schedule;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint kernel = pass ? pass->kernel : 0;
  if (!schedule || schedule->trace != trace || (kernel && (kernel < schedule->first || kernel > schedule->last))) {
    gboolean shown = trace && trace->kernels->len && gtk_widget_get_mapped (chart);
    ls_memory_chart_set (self, shown ? ls_schedule_scene_new (trace, MAX (kernel, 1)) : NULL);
    g_clear_pointer (&schedule, ls_schedule_scene_free);
  }
  ls_memory_chart_set_chosen (self, kernel ? ls_schedule_kernel_id (kernel) : LS_NO_NODE);
}

static void
on_map (LsMemoryChart *self)
{
  ls_memory_pane_changed (self, LS_WATCH_POSITION);
}

static void
on_chosen (LsMemoryChart *self, guint id)
{
  if (!(id & LS_SCHEDULE_BUFFER))
    ls_view_session_go_to_kernel (self->session, id);
  else
    ls_memory_chart_set_chosen (self, id);
}

GtkWidget *
ls_memory_pane_new (LsViewSession *session)
{
  LsMemoryChart *self = g_object_new (LS_TYPE_MEMORY_CHART, "name", "memory", NULL);
  self->session = g_object_ref (session);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect (self, "chosen", G_CALLBACK (on_chosen), NULL);
  return GTK_WIDGET (self);
}

/* --- the widget --- */

/* Without a session the schedule is another one's. */
static void
forget_schedule (LsMemoryChart *self)
{
  if (self->session)
    ls_schedule_scene_free (self->schedule);
}

static void
ls_memory_chart_class_init (LsMemoryChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  static const struct { guint key; int x, y; } keys[] = { { GDK_KEY_Left, -1, 0 }, { GDK_KEY_Right, 1, 0 }, { GDK_KEY_Up, 0, 1 },
                                                          { GDK_KEY_Down, 0, -1 } };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (widget_class, keys[i].key, 0, on_key, "(ii)", keys[i].x, keys[i].y);
  ls_class_signal (class, "chosen", 1, G_TYPE_UINT);
  LS_ON_FINALIZE (class, forget_schedule);
  LS_KEEPS (class, LsMemoryChart, g_object_unref, session, text);
  LS_KEEPS (class, LsMemoryChart, g_array_unref, bars);
}

static void
ls_memory_chart_init (LsMemoryChart *self)
{
  self->bars = g_array_new (FALSE, FALSE, sizeof (Bar));
  self->chosen = LS_NO_NODE;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Memory of the buffers over the kernels"), -1);
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}
