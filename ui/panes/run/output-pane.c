#include "output-pane.h"
#include "ask/ask.h"
#include "kit/class.h"
#include "kit/text-scroll.h"
#include "panes/text/source-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_IN_LINE  2000
#define MOST_SHOWN    (1 << 20)      /* characters */

struct _LsOutputPane {
  GtkWidget      parent_instance;
  GtkWidget     *box, *hint, *scroll, *nothing;
  GtkTextView   *view;
  GtkTextBuffer *text;
  GtkStack      *stack;
  GtkTextTag    *number;
  LsTrace       *trace;
  GArray        *printed;      /* LsPrinted, or NULL: the text is not the recording's */
  GArray        *starts;       /* guint: where its lines start */
};

G_DEFINE_FINAL_TYPE (LsOutputPane, ls_output_pane, GTK_TYPE_WIDGET)

/* --- numbers --- */

static void
forget_numbers (LsOutputPane *self)
{
  GtkTextIter start, end;
  if (!self->printed)      /* a program that prints much appends often */
    return;
  g_clear_pointer (&self->printed, g_array_unref);
  g_clear_pointer (&self->starts, g_array_unref);
  gtk_text_buffer_get_bounds (self->text, &start, &end);
  gtk_text_buffer_remove_tag (self->text, self->number, &start, &end);
  gtk_widget_hide (self->hint);
}

/* Where a number stands. FALSE: its line is cut before it. */
static gboolean
place_of (LsOutputPane *self, const LsPrinted *number, guint line, GtkTextIter *from, GtkTextIter *to)
{
  guint start = g_array_index (self->starts, guint, line);
  return number->end - start <= MOST_IN_LINE &&
         gtk_text_buffer_get_iter_at_line_index (self->text, from, (int) line, (int) (number->start - start)) &&
         gtk_text_buffer_get_iter_at_line_index (self->text, to, (int) line, (int) (number->end - start));
}

/* The recording's text is the one that is shown: its numbers are found. */
static void
find_numbers (LsOutputPane *self)
{
  GtkTextIter start, end;
  forget_numbers (self);
  if (!self->trace || !self->trace->std_out || !g_utf8_validate (self->trace->std_out, -1, NULL))
    return;
  g_autofree char *own = ls_source_clip_lines (self->trace->std_out, MOST_IN_LINE);
  if (g_utf8_strlen (own, -1) != gtk_text_buffer_get_char_count (self->text))
    return;
  gtk_text_buffer_get_bounds (self->text, &start, &end);
  g_autofree char *shown = gtk_text_buffer_get_text (self->text, &start, &end, TRUE);
  if (strcmp (shown, own) != 0)
    return;
  self->printed = ls_printed_numbers (self->trace);
  self->starts = g_array_new (FALSE, FALSE, sizeof (guint));
  guint next = 0;
  const char *text = self->trace->std_out;
  g_array_append_val (self->starts, next);
  for (const char *end_of_line = text; (end_of_line = strchr (end_of_line, '\n')); end_of_line++) {
    next = (guint) (end_of_line + 1 - text);
    g_array_append_val (self->starts, next);
  }
  for (guint i = 0, line = 0; i < self->printed->len; i++) {
    const LsPrinted *number = &g_array_index (self->printed, LsPrinted, i);
    while (line + 1 < self->starts->len && g_array_index (self->starts, guint, line + 1) <= number->start)
      line++;
    if (number->output == G_MAXUINT || !place_of (self, number, line, &start, &end))
      continue;
    gtk_text_buffer_apply_tag (self->text, self->number, &start, &end);
    gtk_widget_show (self->hint);
  }
}

/* The number at a place in the text that can be chosen, or NULL. */
static const LsPrinted *
number_at (LsOutputPane *self, const GtkTextIter *at)
{
  guint line = (guint) gtk_text_iter_get_line (at);
  if (!self->printed || line >= self->starts->len)
    return NULL;
  guint byte = g_array_index (self->starts, guint, line) + (guint) gtk_text_iter_get_line_index (at);
  for (guint low = 0, high = self->printed->len; low < high;) {
    guint middle = low + (high - low) / 2;
    const LsPrinted *number = &g_array_index (self->printed, LsPrinted, middle);
    if (byte >= number->start && byte < number->end)
      return number->output == G_MAXUINT ? NULL : number;
    if (byte < number->start)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static const LsPrinted *
number_below (LsOutputPane *self, double x, double y)
{
  GtkTextIter at;
  int bx, by;
  gtk_text_view_window_to_buffer_coords (self->view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx, &by);
  return gtk_text_view_get_iter_at_location (self->view, &at, bx, by) ? number_at (self, &at) : NULL;
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, LsOutputPane *self)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self->view), number_below (self, x, y) ? "pointer" : "text");
}

static gboolean
on_tooltip (LsOutputPane *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const LsPrinted *number = by_keyboard ? NULL : number_below (self, x, y);
  if (!number)
    return FALSE;
  g_autofree char *name = ls_printed_name_shown (self->trace, number);
  gtk_tooltip_set_text (tooltip, name);
  return TRUE;
}

static void
on_released (GtkGestureClick *click, int n, double x, double y, LsOutputPane *self)
{
  const LsPrinted *number = gtk_text_buffer_get_has_selection (self->text) ? NULL : number_below (self, x, y);
  if (number)
    g_signal_emit_by_name (self, "number-chosen", number);
}

static gboolean
on_return (GtkWidget *view, GVariant *args, gpointer data)
{
  LsOutputPane *self = LS_OUTPUT_PANE (gtk_widget_get_ancestor (view, LS_TYPE_OUTPUT_PANE));
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_mark (self->text, &at, gtk_text_buffer_get_insert (self->text));
  const LsPrinted *number = number_at (self, &at);
  if (number)
    g_signal_emit_by_name (self, "number-chosen", number);
  return number != NULL;
}

/* --- text --- */

static void
show_page (LsOutputPane *self)
{
  gboolean any = gtk_text_buffer_get_char_count (self->text) > 0;
  gtk_stack_set_visible_child (self->stack, any ? self->scroll : self->nothing);
}

void
ls_output_pane_set_text (LsOutputPane *self, const char *text)
{
  g_autofree char *clipped = ls_source_clip_lines (text ? text : "", MOST_IN_LINE);
  GtkTextIter start;
  gtk_text_buffer_set_text (self->text, clipped, -1);
  gtk_text_buffer_get_start_iter (self->text, &start);
  gtk_text_buffer_place_cursor (self->text, &start);
  find_numbers (self);
  show_page (self);
}

void
ls_output_pane_append (LsOutputPane *self, const char *text)
{
  GtkTextIter end;
  if (gtk_text_buffer_get_char_count (self->text) > MOST_SHOWN)
    return;
  forget_numbers (self);
  gtk_text_buffer_get_end_iter (self->text, &end);
  gtk_text_buffer_insert (self->text, &end, text, -1);
  show_page (self);
}

void
ls_output_pane_set_trace (LsOutputPane *self, LsTrace *trace)
{
  if (trace == self->trace)
    return;
  g_clear_pointer (&self->trace, ls_trace_unref);
  self->trace = trace ? ls_trace_ref (trace) : NULL;
  find_numbers (self);
}

static void
ls_output_pane_class_init (LsOutputPaneClass *class)
{
  LS_UI_BINDS (class, LsOutputPane, "output-pane", box, hint, scroll, nothing, view, stack);
  LS_CALLBACKS (class, on_tooltip);
  ls_class_signal (class, "number-chosen", 1, G_TYPE_POINTER);
  LS_OWNS (class, LsOutputPane, gtk_widget_unparent, box);
  LS_KEEPS (class, LsOutputPane, g_array_unref, printed, starts);
  LS_KEEPS (class, LsOutputPane, ls_trace_unref, trace);
}

static void
ls_output_pane_init (LsOutputPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ls_text_scroll_end_when_hidden (self->view);
  self->text = gtk_text_view_get_buffer (self->view);
  self->number = gtk_text_buffer_create_tag (self->text, "number", "underline", PANGO_UNDERLINE_SINGLE, NULL);
  GtkEventController *motion = gtk_event_controller_motion_new (), *keys = gtk_shortcut_controller_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys), gtk_shortcut_new (
    gtk_shortcut_trigger_parse_string ("Return|KP_Enter"), gtk_callback_action_new (on_return, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self->view), motion);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
}
