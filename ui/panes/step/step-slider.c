/* The step slider. GtkScale's marks are a widget each; here a pass of a million steps is drawn as at most one tick a pixel.
 *
 * A tick's height says how long matching and building took (logarithmic; the longest of the steps under that pixel), its colour the rule
 * set the rule comes from. Bins are made again when the width or the pass changes. Arrow keys, Page Up and Down, Home and End move the
 * handle, as in every slider.
 */
#include "step-slider.h"
#include "kit/class.h"

#include <glib/gi18n.h>
#include <math.h>

#define MARGIN 9
#define N_COLOURS 5
#define MOST_PEAKS 8192

struct _LsStepSlider {
  GtkWidget     parent_instance;
  LsSteps       steps;
  guint         value;
  int           bins_width;      /* width the bins were made for; 0: none */
  GArray       *peaks;           /* guint: steps */
  GArray       *bins;            /* guint32: height 0..255, colour << 8 */
  GArray       *marks;           /* LsStepMark */
};

G_DEFINE_FINAL_TYPE (LsStepSlider, ls_step_slider, GTK_TYPE_WIDGET)

static guint
n_steps (LsStepSlider *self)
{
  return ls_steps_n (self->steps);
}

/* Steps 0..n map to the track's two ends. */
static double
x_of (LsStepSlider *self, guint step, int width)
{
  guint n = n_steps (self);
  return MARGIN + (n ? (double) step / n : 0) * (width - 2 * MARGIN);
}

/* The longest step of every few, for a million as for a hundred: the source of the bins, for any width. */
static void
find_peaks (LsStepSlider *self)
{
  guint n = n_steps (self), run = (n + MOST_PEAKS - 1) / MOST_PEAKS;
  g_array_set_size (self->peaks, 0);
  for (guint first = 1; first <= n; first += run) {
    guint peak = first, end = MIN (first + run - 1, n);
    guint32 most = ls_steps_ns (self->steps, first);
    for (guint step = first + 1; step <= end; step++) {
      guint32 ns = ls_steps_ns (self->steps, step);
      if (ns > most) {
        most = ns;
        peak = step;
      }
    }
    g_array_append_val (self->peaks, peak);
  }
}

static void
make_bins (LsStepSlider *self, int width)
{
  if (self->bins_width == 0)
    find_peaks (self);
  self->bins_width = width;
  g_array_set_size (self->bins, 0);
  g_array_set_size (self->bins, (guint) MAX (width, 1));
  for (guint i = 0; i < self->peaks->len; i++) {
    guint step = g_array_index (self->peaks, guint, i);
    guint x = (guint) CLAMP (x_of (self, step, width), 0, width - 1);
    guint32 *bin = &g_array_index (self->bins, guint32, x);
    guint height = (guint) CLAMP (40 * log10 (1 + ls_steps_ns (self->steps, step) / 20.0) + 50, 50, 255);
    if (height > (*bin & 0xff)) {
      const LsTraceRule *rule = ls_steps_rule (self->steps, step);
      *bin = height | (rule ? g_str_hash (rule->set) % N_COLOURS : 0) << 8;
    }
  }
}

static void
ls_step_slider_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  static const char *names[N_COLOURS] = { "blue_3", "purple_3", "green_4", "orange_3", "brown_2" };
  LsStepSlider *self = LS_STEP_SLIDER (widget);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  GdkRGBA fg, accent, colours[N_COLOURS];
  gtk_style_context_get_color (style, &fg);
  if (!gtk_style_context_lookup_color (style, "accent_color", &accent))
    accent = fg;
  for (guint i = 0; i < N_COLOURS; i++)
    if (!gtk_style_context_lookup_color (style, names[i], &colours[i]))
      colours[i] = accent;
  if (self->bins_width != width)
    make_bins (self, width);
  int track = height - 13;
  for (guint x = 0; x < self->bins->len; x++) {
    guint32 bin = g_array_index (self->bins, guint32, x);
    if (!(bin & 0xff))
      continue;
    float h = (float) (track - 3) * (float) (bin & 0xff) / 255.0f;
    gtk_snapshot_append_color (snapshot, &colours[bin >> 8], &GRAPHENE_RECT_INIT ((float) x, (float) track - 2 - h, 1.5f, h));
  }
  GdkRGBA rail = fg;
  rail.alpha *= 0.25f;
  gtk_snapshot_append_color (snapshot, &rail, &GRAPHENE_RECT_INIT (MARGIN, (float) track, (float) MAX (width - 2 * MARGIN, 0), 3));
  float x = (float) round (x_of (self, self->value, width));
  gtk_snapshot_append_color (snapshot, &accent, &GRAPHENE_RECT_INIT (MARGIN, (float) track, MAX (x - MARGIN, 0), 3));
  GskRoundedRect knob;
  GdkRGBA flag;
  if (!gtk_style_context_lookup_color (style, "warning_color", &flag))
    flag = fg;
  for (guint i = 0; i < self->marks->len; i++) {
    const LsStepMark *mark = &g_array_index (self->marks, LsStepMark, i);
    float at = (float) round (x_of (self, mark->step, width));
    if (mark->kind == LS_STEP_MARK_BOOKMARK) {
      gtk_snapshot_append_color (snapshot, &flag, &GRAPHENE_RECT_INIT (at - 0.75f, 0, 1.5f, (float) track));
      gtk_snapshot_append_color (snapshot, &flag, &GRAPHENE_RECT_INIT (at, 0, 7, 5));
    } else if (mark->kind == LS_STEP_MARK_SHRINK) {
      gtk_snapshot_append_color (snapshot, &fg, &GRAPHENE_RECT_INIT (at - 3, 0, 6, 6));
    } else {
      gsk_rounded_rect_init_from_rect (&knob, &GRAPHENE_RECT_INIT (at - 1.5f, 0.5f, 3.5f, 3.5f), 1.75f);
      gtk_snapshot_push_rounded_clip (snapshot, &knob);
      gtk_snapshot_append_color (snapshot, &fg, &knob.bounds);
      gtk_snapshot_pop (snapshot);
    }
  }
  if (gtk_widget_has_visible_focus (widget)) {
    GdkRGBA ring = accent;
    ring.alpha *= 0.4f;
    gsk_rounded_rect_init_from_rect (&knob, &GRAPHENE_RECT_INIT (x - 9, (float) track - 7.5f, 18, 18), 9);
    gtk_snapshot_push_rounded_clip (snapshot, &knob);
    gtk_snapshot_append_color (snapshot, &ring, &knob.bounds);
    gtk_snapshot_pop (snapshot);
  }
  gsk_rounded_rect_init_from_rect (&knob, &GRAPHENE_RECT_INIT (x - 6, (float) track - 4.5f, 12, 12), 6);
  gtk_snapshot_push_rounded_clip (snapshot, &knob);
  gtk_snapshot_append_color (snapshot, &accent, &knob.bounds);
  gtk_snapshot_pop (snapshot);
}

static void
ls_step_slider_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                        int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 60 : 30;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 300 : 32;
}

static void
tell_value (LsStepSlider *self)
{
  g_autofree char *text = g_strdup_printf (_("step %u of %u"), self->value, n_steps (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX,
                                  (double) n_steps (self),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double) self->value, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);      /* GTK 4.8 hands on values of its own ranges only */
}

static void
move (LsStepSlider *self, double step)
{
  guint value = (guint) CLAMP (step, 0, n_steps (self));
  if (value == self->value)
    return;
  ls_step_slider_set_value (self, value);
  g_signal_emit_by_name (self, "moved", value);
}

static void
move_to_x (LsStepSlider *self, double x)
{
  int track = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * MARGIN, 1);
  move (self, round ((x - MARGIN) / track * n_steps (self)));
}

static void
on_drag_begin (GtkGestureDrag *drag, double x, double y, LsStepSlider *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  move_to_x (self, x);
}

static void
on_drag_update (GtkGestureDrag *drag, double dx, double dy, LsStepSlider *self)
{
  double x, y;
  gtk_gesture_drag_get_start_point (drag, &x, &y);
  move_to_x (self, x + dx);
}

static gboolean
on_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  LsStepSlider *self = LS_STEP_SLIDER (widget);
  int track = MAX (gtk_widget_get_width (widget) - 2 * MARGIN, 1);
  guint n = n_steps (self), step = (guint) CLAMP (round ((double) (x - MARGIN) / track * n), 0, n);
  g_autofree char *name = step ? ls_steps_dup_name (self->steps, step) : NULL;
  guint mark = ls_step_slider_get_mark (self, step);
  g_autoptr (GString) text = g_string_new (name ? NULL : _("The input of the pass"));
  if (name)
    g_string_append_printf (text, _("Step %u: %s"), step, name);
  g_string_append (text, mark & LS_STEP_MARK_FIRST ? _("\nFirst firing of this rule in the kernel") : "");
  g_string_append (text, mark & LS_STEP_MARK_SHRINK ? _("\nThe largest reduction of nodes in the pass") : "");
  g_string_append (text, mark & LS_STEP_MARK_BOOKMARK ? _("\nBookmark") : "");
  gtk_tooltip_set_text (tooltip, text->str);
  return n > 0;
}

static gboolean
on_key (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, LsStepSlider *self)
{
  guint n = n_steps (self), page = MAX (n / 10, 1);
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (key) {
  case GDK_KEY_Left: case GDK_KEY_Down: move (self, (double) self->value - 1); return TRUE;
  case GDK_KEY_Right: case GDK_KEY_Up: move (self, (double) self->value + 1); return TRUE;
  case GDK_KEY_Page_Up: move (self, (double) self->value - page); return TRUE;
  case GDK_KEY_Page_Down: move (self, (double) self->value + page); return TRUE;
  case GDK_KEY_Home: move (self, 0); return TRUE;
  case GDK_KEY_End: move (self, n); return TRUE;
  default: return FALSE;
  }
}

void
ls_step_slider_set_steps (LsStepSlider *self, LsSteps steps)
{
  if (self->steps.trace == steps.trace && self->steps.pass == steps.pass)
    return;
  self->steps = steps;
  self->bins_width = 0;
  tell_value (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ls_step_slider_set_marks (LsStepSlider *self, const LsStepMark *marks, guint n)
{
  g_array_set_size (self->marks, 0);
  if (n > 0)
    g_array_append_vals (self->marks, marks, n);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
ls_step_slider_get_mark (LsStepSlider *self, guint step)
{
  guint kinds = 0;
  for (guint i = 0; i < self->marks->len; i++)
    if (g_array_index (self->marks, LsStepMark, i).step == step)
      kinds |= g_array_index (self->marks, LsStepMark, i).kind;
  return kinds;
}

void
ls_step_slider_set_value (LsStepSlider *self, guint step)
{
  if (self->value == step)
    return;
  self->value = step;
  tell_value (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
ls_step_slider_get_n (LsStepSlider *self)
{
  return n_steps (self);
}

guint
ls_step_slider_get_value (LsStepSlider *self)
{
  return self->value;
}

static void
ls_step_slider_class_init (LsStepSliderClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = ls_step_slider_snapshot;
  widget_class->measure = ls_step_slider_measure;
  gtk_widget_class_set_css_name (widget_class, "stepslider");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
  ls_class_signal (class, "moved", 1, G_TYPE_UINT);
  LS_KEEPS (class, LsStepSlider, g_array_unref, peaks, bins, marks);
}

static void
ls_step_slider_init (LsStepSlider *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  self->peaks = g_array_new (FALSE, FALSE, sizeof (guint));
  self->bins = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->marks = g_array_new (FALSE, FALSE, sizeof (LsStepMark));
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_query_tooltip), NULL);
  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, keys);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Step"), -1);
}
