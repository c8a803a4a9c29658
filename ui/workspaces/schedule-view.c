/* The schedule instead of the graph. It is worked out when it comes into view, and again when another recording or a kernel outside of
 * the shown part comes: of long schedules the part around the position's kernel is shown. A kernel that is chosen becomes the
 * position's; of two that are chosen one after the other it can be asked why they are two. */
#include "schedule-view.h"
#include "kit/class.h"
#include "graph/view/graph-view.h"
#include "kit/busy.h"
#include "kit/paragraph.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

struct _LsScheduleView {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box;
  LsGraphView   *graph;
  LsMemoryChart *chart;
  GtkLabel      *part, *text;
  GtkWidget     *why;           /* asks about the chosen kernel and the one that was chosen before it */
  LsScheduleScene    *schedule;
  guint32        chosen, before;      /* before: the kernel that was chosen before, or LS_NO_NODE */
};

G_DEFINE_FINAL_TYPE (LsScheduleView, ls_schedule_view, GTK_TYPE_WIDGET)

static guint
kernel_at_hand (LsScheduleView *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  return pass ? pass->kernel : 0;
}

static void
forget (LsScheduleView *self)
{
  ls_graph_view_set_scene (self->graph, NULL, NULL);
  ls_memory_chart_set (self->chart, NULL);
  g_clear_pointer (&self->schedule, ls_schedule_scene_free);
  self->chosen = self->before = LS_NO_NODE;
}

static void
need_schedule (LsScheduleView *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint kernel = kernel_at_hand (self);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  gboolean outside = self->schedule && kernel && (kernel < self->schedule->first || kernel > self->schedule->last);
  if (self->schedule && (self->schedule->trace != trace || outside))
    forget (self);
  if (self->schedule || !trace || trace->kernels->len == 0)
    return;
  self->schedule = ls_schedule_scene_new (trace, MAX (kernel, 1));
  ls_graph_view_set_scene (self->graph, trace, ls_schedule_scene_draw (self->schedule));
  ls_memory_chart_set (self->chart, self->schedule);
  gboolean whole = self->schedule->last - self->schedule->first + 1 == trace->kernels->len;
  g_autofree char *part = whole ? g_strdup ("") : g_strdup_printf (_("Kernels %u to %u of %u, around the current one"),
                                                                   self->schedule->first, self->schedule->last, trace->kernels->len);
  gtk_label_set_text (self->part, part);
  gtk_widget_set_visible (GTK_WIDGET (self->part), !whole);
}

static void
show_chosen (LsScheduleView *self)
{
  g_autofree char *text = self->schedule && self->chosen != LS_NO_NODE ? ls_schedule_scene_sentence (self->schedule, self->chosen) : NULL;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  gtk_label_set_text (self->text, text ? text : trace && trace->kernels->len
                                                 ? _("Select a kernel, a copy or a buffer to see why it exists.")
                                                 : _("No kernels were recorded."));
  ls_tip_set (GTK_WIDGET (self->text), text);
  gboolean two = text && self->before != LS_NO_NODE && !(self->chosen & LS_SCHEDULE_BUFFER) && self->before != self->chosen;
  g_autofree char *why = two ? g_strdup_printf (_("Why Are Kernels %u and %u Two?"), MIN (self->before, self->chosen),
                                                MAX (self->before, self->chosen)) : NULL;
  gtk_widget_set_visible (self->why, two);
  if (two) {
    gtk_button_set_label (GTK_BUTTON (self->why), why);
    gtk_actionable_set_action_target (GTK_ACTIONABLE (self->why), "(uu)", self->before, self->chosen);
  }
  ls_graph_view_set_selection (self->graph, &self->chosen, self->chosen != LS_NO_NODE);
  ls_memory_chart_set_chosen (self->chart, self->chosen);
}

void
ls_schedule_view_choose (LsScheduleView *self, guint32 id)
{
  gboolean kernel = !(id & LS_SCHEDULE_BUFFER);
  if (kernel && id != self->chosen && self->chosen != LS_NO_NODE && !(self->chosen & LS_SCHEDULE_BUFFER))
    self->before = self->chosen;
  self->chosen = id;
  if (kernel && id != kernel_at_hand (self)) {
    g_signal_emit_by_name (self, "kernel-chosen");
    ls_view_session_go_to_kernel (self->session, id);
  }
  need_schedule (self);
  self->chosen = id;
  show_chosen (self);
}

static void
on_chosen (LsScheduleView *self, guint id)
{
  ls_schedule_view_choose (self, id);
}

/* Enter or a double click on a kernel: its graph. */
static void
on_activated (LsScheduleView *self, guint id)
{
  ls_schedule_view_choose (self, id);
  if (!(id & LS_SCHEDULE_BUFFER))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.schedule", NULL);
}

static void
on_position_changed (LsScheduleView *self)
{
  guint kernel = kernel_at_hand (self);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  need_schedule (self);
  if (kernel && (self->chosen == LS_NO_NODE || !(self->chosen & LS_SCHEDULE_BUFFER)))
    self->chosen = ls_schedule_kernel_id (kernel);
  show_chosen (self);
}

static void
on_trace_changed (LsScheduleView *self)
{
  forget (self);
  on_position_changed (self);
}

static void
ls_schedule_view_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_schedule_view_parent_class)->map (widget);
  if (LS_SCHEDULE_VIEW (widget)->session)
    on_position_changed (LS_SCHEDULE_VIEW (widget));
}

void
ls_schedule_view_set_session (LsScheduleView *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
}

static void
forget_shown (LsScheduleView *self)
{
  if (self->box)
    forget (self);
}

static gboolean
is_busy (gpointer self)
{
  return gtk_widget_get_mapped (self) && ls_graph_view_get_busy (LS_SCHEDULE_VIEW (self)->graph);
}

static gboolean
grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (LS_SCHEDULE_VIEW (widget)->graph));
}

static void
ls_schedule_view_class_init (LsScheduleViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->map = ls_schedule_view_map;
  widget_class->grab_focus = grab_focus;
  ls_busy_install (class, is_busy);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  ls_class_signal (class, "kernel-chosen", 0);
  LS_ON_DISPOSE (class, forget_shown);
  LS_OWNS (class, LsScheduleView, gtk_widget_unparent, box);
  LS_OWNS (class, LsScheduleView, g_object_unref, session);
}

static GtkLabel *
new_label (const char *name, const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_widget_set_name (label, name);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, class);
  return GTK_LABEL (label);
}

static void
on_busy (LsScheduleView *self)
{
  g_object_notify (G_OBJECT (self), "busy");
}

static void
ls_schedule_view_init (LsScheduleView *self)
{
  self->chosen = self->before = LS_NO_NODE;
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->graph = LS_GRAPH_VIEW (ls_graph_view_new ());
  gtk_widget_set_name (GTK_WIDGET (self->graph), "schedule-graph");
  gtk_widget_set_vexpand (GTK_WIDGET (self->graph), TRUE);
  self->chart = LS_MEMORY_CHART (ls_memory_chart_new ());
  gtk_widget_set_name (GTK_WIDGET (self->chart), "memory-chart");
  gtk_widget_add_css_class (GTK_WIDGET (self->chart), "memory-chart");
  self->part = new_label ("schedule-part", "final-note");
  self->text = new_label ("schedule-text", "schedule-text");
  gtk_label_set_ellipsize (self->text, PANGO_ELLIPSIZE_NONE);      /* the reason is the main text here: all of it is shown */
  gtk_label_set_selectable (self->text, FALSE);
  self->why = gtk_button_new ();
  gtk_widget_set_name (self->why, "schedule-why");
  gtk_widget_set_halign (self->why, GTK_ALIGN_START);
  gtk_widget_add_css_class (self->why, "flat");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->why), "(uu)", 0, 0);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->why), "win.why-not-fused");
  GtkWidget *parts[] = { GTK_WIDGET (self->part), GTK_WIDGET (self->graph), GTK_WIDGET (self->chart), ls_paragraph_new (self->text),
                         self->why };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    gtk_box_append (GTK_BOX (self->box), parts[i]);
  g_signal_connect_object (self->graph, "node-selected", G_CALLBACK (on_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "node-activated", G_CALLBACK (on_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "notify::busy", G_CALLBACK (on_busy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chart, "chosen", G_CALLBACK (on_chosen), self, G_CONNECT_SWAPPED);
}
