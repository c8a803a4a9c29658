/* Source of the position's kernel in a GtkSourceView.
 *
 * Lines are marked by source marks with a background: "chosen" for a selection anywhere, "from-step" for results of the position's step;
 * in a selected line a tag is on the selected expressions. The cursor selects the innermost expression around it, at a line's beginning
 * all nodes of the line, so that mouse and keyboard do the same; the pointer marks in the graph the expression under it, and a tooltip has
 * the program's name of a buffer. Long lines are shown up to 2,000 characters.
 */
#include "ask/ask.h"
#include "source-pane.h"
#include "kit/class.h"
#include "ir/short.h"
#include "session/node-locations.h"
#include "panes/ask/question-menu.h"
#include "render/render.h"
#include "session/source-spans.h"
#include "source-view.h"
#include "kit/text-scroll.h"
#include "kit/texts.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <string.h>

#define MAX_LINE   2000
#define MOST_LINES 64      /* whose chosen expressions are marked */
#define MOST_HOVERED 16    /* nodes, and their lines, that the pointer marks */

struct _LsSourcePane {
  GtkWidget        parent_instance;
  LsViewSession   *session;
  GtkWidget       *box, *scroll;
  GtkStack        *stack;
  LsSourceView    *view;
  GtkWidget       *tools, *copy;
  GtkLabel        *empty;
  GtkSourceBuffer *buffer;
  LsKernel        *kernel;
  GtkTextTag      *expression, *over_expression, *later;
  guint            over;        /* line whose expressions are in spans, 0: none */
  GArray          *spans;       /* LsSourceSpan, or NULL */
  guint32          hovered;     /* node under the pointer, or LS_NO_NODE */
  gboolean         following;
};

G_DEFINE_FINAL_TYPE (LsSourcePane, ls_source_pane, GTK_TYPE_WIDGET)

/* --- shared by the source views --- */

char *
ls_source_clip_lines (const char *text, gsize max)
{
  g_autofree char *valid = ls_text_valid (text);
  GString *out = g_string_sized_new (strlen (valid));
  for (const char *line = valid; *line;) {
    const char *end = strchrnul (line, '\n');
    if ((gsize) (end - line) > max) {
      const char *cut = g_utf8_find_prev_char (line, line + max + 1);
      g_string_append_len (out, line, (cut ? cut : line) - line);
      g_string_append (out, "…");
    } else {
      g_string_append_len (out, line, end - line);
    }
    if (*end)
      g_string_append_c (out, '\n');
    line = *end ? end + 1 : end;
  }
  return g_string_free (out, FALSE);
}

static void
set_mark_colours (GtkSourceView *view, gboolean dark)
{
  struct { const char *category, *light, *dark; int priority; } kinds[] = {
    { "from-step", "#ddf3eb", "#0d392d", 1 }, { "statement", "#d7e6fb", "#173a63", 1 }, { "chosen", "#fbd9e6", "#5a1f3a", 2 },
    { "error", "#fbd9d5", "#5a1f1c", 3 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GtkSourceMarkAttributes) attributes = gtk_source_mark_attributes_new ();
    GdkRGBA colour;
    gdk_rgba_parse (&colour, dark ? kinds[i].dark : kinds[i].light);
    gtk_source_mark_attributes_set_background (attributes, &colour);
    gtk_source_view_set_mark_attributes (view, kinds[i].category, attributes, kinds[i].priority);
  }
  static const struct { const char *name, *light, *dark; } tags[] = { { "expression", "#f3a3c2", "#8a2f58" },
                                                                      { "over", "#ffe9a8", "#5c4a10" } };
  for (gsize i = 0; i < G_N_ELEMENTS (tags); i++) {
    GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view))),
                                                 tags[i].name);
    if (tag)
      g_object_set (tag, "background", dark ? tags[i].dark : tags[i].light, NULL);
  }
}

static void
on_dark (AdwStyleManager *manager, GParamSpec *pspec, GtkSourceView *view)
{
  gboolean dark = adw_style_manager_get_dark (manager);
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (gtk_source_style_scheme_manager_get_default (),
                                                                             dark ? "Adwaita-dark" : "Adwaita");
  if (scheme)
    gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view))), scheme);
  set_mark_colours (view, dark);
}

void
ls_source_follow_style (GtkWidget *source_view)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (on_dark), source_view, 0);
  on_dark (manager, NULL, GTK_SOURCE_VIEW (source_view));
}

/* Bold and slanted words are known before the text is laid out: found while it is drawn, they would change its size then. */
void
ls_source_highlight (GtkSourceBuffer *buffer)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (buffer), &start);
  gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (buffer), &end, 400);
  gtk_source_buffer_ensure_highlight (buffer, &start, &end);
}

/* --- marks --- */

static gboolean
is_from_step (gpointer session, guint32 node)
{
  return ls_view_session_is_from_step (session, node);
}

static void
mark_lines (LsSourcePane *self, const GArray *lines, const char *category, gboolean scroll)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  for (guint i = 0; i < lines->len; i++) {
    GtkTextIter at;
    guint line = g_array_index (lines, guint, i);
    if (line == 0 || !gtk_text_buffer_get_iter_at_line (buffer, &at, (int) line - 1))
      continue;
    gtk_source_buffer_create_source_mark (self->buffer, NULL, category, &at);
    /* before it has its width, it would scroll to the side */
    if (scroll && i == 0 && gtk_widget_get_width (GTK_WIDGET (self->view)) > 100) {
      GtkTextMark *mark = gtk_text_buffer_get_mark (buffer, "ls-shown");
      gtk_text_buffer_move_mark (buffer, mark, &at);
      gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), mark, 0.1, FALSE, 0, 0);
    }
  }
}

/* The expressions of a line; kept, since the pointer mostly stays in one. */
static const GArray *
spans_of (LsSourcePane *self, guint line)
{
  if (self->over != line)
    g_clear_pointer (&self->spans, g_array_unref);
  self->over = line;
  if (!self->spans)
    self->spans = ls_source_spans_of_line (self->kernel, line);
  return self->spans;
}

static const LsSourceSpan *
span_at (LsSourcePane *self, const GtkTextIter *at)
{
  return ls_source_spans_at (spans_of (self, (guint) gtk_text_iter_get_line (at) + 1), (guint) gtk_text_iter_get_line_index (at));
}

/* Puts a tag on the expressions of these lines that are one of the nodes. */
static void
mark_expressions (LsSourcePane *self, const GArray *lines, guint most, GtkTextTag *tag, LsIsNode is_node, gpointer data)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter at, end;
  gtk_text_buffer_get_bounds (buffer, &at, &end);
  gtk_text_buffer_remove_tag (buffer, tag, &at, &end);
  for (guint i = 0; i < MIN (lines->len, most); i++) {
    guint line = g_array_index (lines, guint, i);
    const GArray *spans = line ? spans_of (self, line) : NULL;
    for (guint k = 0; spans && k < spans->len; k++) {
      const LsSourceSpan *s = &g_array_index (spans, LsSourceSpan, k);
      if (!is_node (data, s->node) || !gtk_text_buffer_get_iter_at_line (buffer, &at, (int) line - 1) ||
          s->to > (guint) gtk_text_iter_get_bytes_in_line (&at))
        continue;
      end = at;
      gtk_text_iter_set_line_index (&at, (int) s->from);
      gtk_text_iter_set_line_index (&end, (int) s->to);
      gtk_text_buffer_apply_tag (buffer, tag, &at, &end);
    }
  }
}

static gboolean
is_among (gpointer nodes, guint32 node)
{
  const GArray *all = nodes;
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, guint32, i) == node)
      return TRUE;
  return FALSE;
}

static gboolean
is_chosen (gpointer session, guint32 node)
{
  return ls_view_session_is_chosen (session, node);
}

void
ls_source_pane_set_hover (LsSourcePane *self, guint node)
{
  if (!self->kernel || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  g_autoptr (GArray) finals = ls_view_session_in_final (self->session, node), lines = g_array_new (FALSE, FALSE, sizeof (guint));
  if (finals->len > 0 && finals->len <= MOST_HOVERED)
    ls_node_locations_source_lines (self->kernel, is_among, finals, lines);
  mark_expressions (self, lines, MOST_HOVERED, self->over_expression, is_among, finals);
}

static void
on_selection_changed (LsSourcePane *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  if (self->kernel)
    mark_expressions (self, ls_view_session_source_lines (self->session), MOST_LINES, self->expression, is_chosen, self->session);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "chosen");
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "from-step");
  GArray *chosen = ls_view_session_final_nodes (self->session);
  g_autoptr (GArray) from_step = g_array_new (FALSE, FALSE, sizeof (guint));
  if (self->kernel)
    ls_node_locations_source_lines (self->kernel, is_from_step, self->session, from_step);
  mark_lines (self, from_step, "from-step", chosen->len == 0);
  mark_lines (self, ls_view_session_source_lines (self->session), "chosen", !gtk_widget_has_focus (GTK_WIDGET (self->view)));
}

static gboolean
on_first_frame (GtkWidget *view, GdkFrameClock *clock, gpointer self)
{
  on_selection_changed (self);
  return G_SOURCE_REMOVE;
}

/* A selection made while it was hidden is shown when it has its size. */
static void
on_map (LsSourcePane *self)
{
  gtk_widget_add_tick_callback (GTK_WIDGET (self->view), on_first_frame, g_object_ref (self), g_object_unref);
}

static void
show_kernel (LsSourcePane *self)
{
  LsKernel *kernel = self->kernel = ls_view_session_kernel (self->session);
  self->over = 0;
  self->following = TRUE;
  g_autofree char *text = ls_source_clip_lines (kernel && kernel->source ? kernel->source : "", MAX_LINE);
  gsize len = strlen (text);
  while (len > 0 && text[len - 1] == '\n')
    text[--len] = '\0';
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), text, -1);
  GtkTextIter start;
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  self->following = FALSE;
  ls_source_view_set_kernel (self->view, ls_view_session_get_trace (self->session), kernel);
  const char *target = kernel && kernel->target ? kernel->target : "";
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  const LsTarget *row = ls_target_find (target);
  gtk_source_buffer_set_language (self->buffer, gtk_source_language_manager_get_language (manager, row ? row->syntax : "c"));
  ls_source_highlight (self->buffer);
  gtk_widget_set_sensitive (self->copy, len > 0);
  gtk_label_set_text (self->empty, kernel ? _("No source was rendered") : _("No kernel"));
  gtk_stack_set_visible_child (self->stack, len > 0 ? self->scroll : GTK_WIDGET (self->empty));
}

/* At a step of render the lines that are not written yet are pale. */
static void
pale_later_lines (LsSourcePane *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag (buffer, self->later, &start, &end);
  guint lines = pass && self->kernel ? ls_step_source_lines (ls_view_session_get_trace (self->session), pass,
                                                             ls_view_session_get_step (self->session)) : G_MAXUINT;
  if (lines < (guint) gtk_text_buffer_get_line_count (buffer)) {
    gtk_text_buffer_get_iter_at_line (buffer, &start, (int) lines);
    gtk_text_tag_set_priority (self->later, gtk_text_tag_table_get_size (gtk_text_buffer_get_tag_table (buffer)) - 1);
    gtk_text_buffer_apply_tag (buffer, self->later, &start, &end);
  }
}

static void
on_position_changed (LsSourcePane *self)
{
  if (self->kernel != ls_view_session_kernel (self->session))
    show_kernel (self);
  pale_later_lines (self);
}

/* The expression around the cursor selects its node, elsewhere the line selects all its nodes. */
static void
on_cursor (LsSourcePane *self)
{
  if (self->following || !self->kernel)
    return;
  GtkTextIter at;
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  gtk_text_buffer_get_iter_at_mark (buffer, &at, gtk_text_buffer_get_insert (buffer));
  guint line = (guint) gtk_text_iter_get_line (&at) + 1;
  g_autoptr (GMenuModel) questions = ls_question_menu_model (line);
  gtk_text_view_set_extra_menu (GTK_TEXT_VIEW (self->view), questions);
  const LsSourceSpan *span = span_at (self, &at);
  if (span)
    ls_view_session_select (self->session, LS_CHOSEN_IN_FINAL, &span->node, 1);
  else
    ls_view_session_select_line (self->session, line);
}

static void
hover (LsSourcePane *self, guint32 node)
{
  if (node == self->hovered)
    return;
  self->hovered = node;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  LsUOp *u = trace && self->kernel && node != LS_NO_NODE ? ls_context_node (trace->ctx, node) : NULL;
  g_autofree char *tip = u ? ls_bound_place (ls_trace_names (trace, self->kernel->number), u) : NULL;
  ls_tip_set (GTK_WIDGET (self->view), tip);      /* the text has data1 alone */
  g_signal_emit_by_name (self, "node-hovered", node);
}

static void
on_motion (LsSourcePane *self, double x, double y)
{
  GtkTextIter at;
  int bx, by;
  gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (self->view), GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx, &by);
  const LsSourceSpan *span = self->kernel && gtk_text_view_get_iter_at_location (GTK_TEXT_VIEW (self->view), &at, bx,
                                                                                 by) ? span_at (self, &at) : NULL;
  hover (self, span ? span->node : LS_NO_NODE);
}

static void
on_left (LsSourcePane *self)
{
  hover (self, LS_NO_NODE);
}

static void
on_copy (LsSourcePane *self)
{
  if (!self->kernel || !self->kernel->source)
    return;
  g_autofree char *text = ls_text_valid (self->kernel->source);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("Source copied"));
}

/* The view has a menu of its own, to which the questions are added: they are about the line under the pointer. */
static void
on_secondary (GtkGestureClick *gesture, int n_press, double x, double y, LsSourcePane *self)
{
  GtkTextIter at;
  int bx, by;
  gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (self->view), GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx, &by);
  if (!gtk_text_buffer_get_has_selection (GTK_TEXT_BUFFER (self->buffer)) &&
      gtk_text_view_get_iter_at_location (GTK_TEXT_VIEW (self->view), &at, bx, by))
    gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &at);
}

GtkWidget *
ls_source_pane_get_tools (LsSourcePane *self)
{
  return self->tools;
}

void
ls_source_pane_set_session (LsSourcePane *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (show_kernel), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
}

/* A source view with line numbers is never let go in GtkSourceView 5.6: its text is, at least. */
static void
forget_text (LsSourcePane *self)
{
  self->following = TRUE;
  if (!self->box)
    return;
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), "", 0);
  ls_source_view_set_kernel (self->view, NULL, NULL);
}

static void
ls_source_pane_class_init (LsSourcePaneClass *class)
{
  ls_class_signal (class, "node-hovered", 1, G_TYPE_UINT);
  LS_USES (LS_TYPE_SOURCE_VIEW, GTK_SOURCE_TYPE_BUFFER);
  LS_UI_BINDS (class, LsSourcePane, "source-pane", box, scroll, stack, view, empty);
  LS_ON_DISPOSE (class, forget_text);
  LS_OWNS (class, LsSourcePane, gtk_widget_unparent, box);
  LS_OWNS (class, LsSourcePane, g_array_unref, spans);
  LS_OWNS (class, LsSourcePane, g_object_unref, tools, session);
}

static void
ls_source_pane_init (LsSourcePane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->tools = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  self->copy = ls_texts_add_copy (self->tools, "copy-source", _("Copy the source"), G_CALLBACK (on_copy), self);
  ls_text_scroll_end_when_hidden (GTK_TEXT_VIEW (self->view));
  self->buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view)));
  gtk_source_buffer_set_highlight_matching_brackets (self->buffer, FALSE);
  GtkTextIter start;
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_create_mark (GTK_TEXT_BUFFER (self->buffer), "ls-shown", &start, TRUE);
  self->hovered = LS_NO_NODE;
  self->expression = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "expression", NULL);
  self->over_expression = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "over", NULL);
  self->later = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "later", "foreground", "#9a9a9a", NULL);
  ls_source_follow_style (GTK_WIDGET (self->view));
  g_signal_connect_object (self->view, "map", G_CALLBACK (on_map), self, G_CONNECT_SWAPPED);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_object (motion, "motion", G_CALLBACK (on_motion), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (motion, "leave", G_CALLBACK (on_left), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->view), motion);
  g_signal_connect_swapped (self->buffer, "notify::cursor-position", G_CALLBACK (on_cursor), self);
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect (click, "pressed", G_CALLBACK (on_secondary), self);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));
}
