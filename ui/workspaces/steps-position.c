/* The Steps workspace and the session's position: the position goes to slider, entry, step list, graph and the note over the texts; the
 * user's actions in them go back.
 */
#include "steps-view-private.h"
#include "panes/step/position-graph.h"
#include "panes/ask/question-menu.h"
#include "session/selection-text.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

/* --- from the session --- */

/* The step among the listed ones; for statements each is a pass. */
static guint
shown_step (LsStepsView *self)
{
  return ls_steps_are_statements (self->steps) ? (guint) ls_view_session_get_pass (self->session) + 1
                                               : ls_view_session_get_step (self->session);
}

static void
go_to_step (LsStepsView *self, guint step)
{
  gboolean statements = ls_steps_are_statements (self->steps);
  ls_view_session_go (self->session, statements ? (int) MAX (step, 1) - 1 : ls_view_session_get_pass (self->session),
                      statements ? 0 : step);
}

static void
show_step_number (LsStepsView *self)
{
  g_autofree char *text = g_strdup_printf ("%u", shown_step (self));
  gtk_editable_set_text (GTK_EDITABLE (self->number), text);
}

static void
show_graph (LsStepsView *self)
{
  const LsGraphDiff *diff = ls_graph_view_show_position (self->graph, self->session);
  gtk_widget_set_sensitive (GTK_WIDGET (self->before), diff != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->both), diff != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->after), diff != NULL);
}

/* Over listing and source: their kind, and the selection in words, else the results of the step. The line stays, so that nothing jumps
 * when one chooses. */
static void
show_note (LsStepsView *self)
{
  LsKernel *kernel = ls_view_session_kernel (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  gboolean early = kernel && pass && !ls_view_session_is_final (self->session),
           step = !ls_texts_is_seen (self->texts, 1) && g_strcmp0 (ls_texts_get_shown (self->texts, 0), "step") == 0;
  gtk_widget_set_visible (GTK_WIDGET (self->note), kernel && pass && !self->presenting);
  if (!kernel || !pass) {
    gtk_label_set_text (self->note, "");
    return;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  if (!step && early && pass->kernel == 0)
    g_string_append_printf (text, _("Final text of kernel %u"), kernel->number);
  else if (!step && early)
    g_string_append (text, _("Final text"));
  g_autofree char *selection = ls_selection_text (self->session);
  guint from_step = ls_view_session_step_finals (self->session)->len;
  if (*selection)
    g_string_append_printf (text, "%s%s", text->len ? " · " : "", selection);
  else if (!early || step)
    g_string_append (text, _("Select a node, a row, a line or an instruction to mark the related ones"));
  else if (ls_view_session_get_base (self->session, NULL) >= 0)
    g_string_append_printf (text, ngettext (" · %u row comes from new nodes", " · %u rows come from new nodes", from_step),
                            from_step);
  else if (ls_view_session_diff (self->session))
    g_string_append_printf (text, from_step ? ngettext (" · %u row comes from this step", " · %u rows come from this step", from_step)
                                            : _(" · the result of this step was removed later"), from_step);
  const char *const classes[] = { "final-note", *selection ? "chosen" : !early || step ? "hint" : NULL, NULL };
  gtk_widget_set_css_classes (GTK_WIDGET (self->note), (const char **) classes);
  gtk_label_set_text (self->note, text->str);
  g_autofree char *tip = early ? g_strdup_printf ("%s\n%s", text->str,
                                                  _("Listing and source show the final form "
                                                    "of the kernel; this pass is earlier.")) : g_strdup (text->str);
  ls_tip_set (GTK_WIDGET (self->note), tip);
}

static void
on_position_changed (LsStepsView *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  LsPass *pass = ls_view_session_pass (self->session);
  LsSteps steps = ls_steps_of (trace, pass);
  if (self->steps.trace != steps.trace || self->steps.pass != steps.pass) {
    self->steps = steps;
    ls_step_list_set_steps (self->step_list, self->steps);
    ls_step_slider_set_steps (self->slider, self->steps);
  }
  guint step = shown_step (self), n = ls_steps_n (steps);
  ls_step_list_set_step (self->step_list, step);
  ls_step_slider_set_value (self->slider, step);
  show_step_number (self);

  g_autofree char *count = ls_text_count (n);
  g_autofree char *total = g_strdup_printf (_("of %s"), count);
  g_autofree char *name = pass ? ls_text_valid (pass->name) : NULL;
  g_autofree char *header = !pass ? g_strdup (_("Steps")) : ls_steps_are_statements (steps)
                            ? g_strdup_printf (ngettext ("%s statement", "%s statements", n), count)
                            : n ? g_strdup_printf (ngettext ("%s · %s step", "%s · %s steps", n), name, count) : g_strdup (name);
  gtk_label_set_text (self->total, total);
  gtk_label_set_text (self->steps_header, header);
  gtk_widget_set_visible (self->unit, n > 0);
  gtk_stack_set_visible_child (self->steps_stack, n ? GTK_WIDGET (self->step_list) : self->no_steps);
  gtk_widget_set_sensitive (self->first, step > 0);
  gtk_widget_set_sensitive (self->last, step < n);
  gtk_widget_set_sensitive (GTK_WIDGET (self->number), n > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->slider), n > 0);
  LsKernel *kernel = ls_view_session_kernel (self->session);
  ls_texts_rename (self->texts, "source", !kernel || !kernel->target || g_str_equal (kernel->target, "c") ? "C" : kernel->target);
  ls_steps_centre_update (self);
  show_graph (self);
  show_note (self);
}

static void
on_selection_changed (LsStepsView *self)
{
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  ls_graph_view_set_selection (self->graph, (const guint32 *) nodes->data, nodes->len);
  /* a choice that only came along to another step does not pull the picture away from the change */
  if (ls_view_session_chosen_in (self->session) != self->chosen_in || ls_view_session_get_selection (self->session) != self->chosen) {
    self->chosen_in = ls_view_session_chosen_in (self->session);
    self->chosen = ls_view_session_get_selection (self->session);
    ls_graph_view_reveal_selection (self->graph);
  }
  show_note (self);
}

static void
on_texts (LsStepsView *self)
{
  if (self->session)
    show_note (self);
}

/* --- to the session --- */

static void
on_number (LsStepsView *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->number));
  guint64 step;
  if (g_ascii_string_to_unsigned (text, 10, 0, ls_steps_n (self->steps), &step, NULL))
    go_to_step (self, (guint) step);
  else
    gtk_widget_error_bell (GTK_WIDGET (self->number));
  show_step_number (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
}

static void
on_number_left (LsStepsView *self)
{
  if (self->session)
    show_step_number (self);
}

static void
on_step_chosen (LsStepsView *self, guint step)
{
  go_to_step (self, step);
}

/* The node that a nested step made. */
static void
on_part_chosen (LsStepsView *self, guint node)
{
  guint32 id = node;
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &id, 1);
}

/* The questions are about the result of the step under the pointer. */
static gboolean
pick_step (GtkWidget *list, double x, double y, gpointer data)
{
  LsStepsView *self = data;
  guint step = x >= 0 ? ls_step_list_step_at (self->step_list, x, y) : 0;
  if (x >= 0 && !step)
    return FALSE;
  ls_view_session_select (self->session, LS_CHOSEN_NOWHERE, NULL, 0);
  if (step)
    on_step_chosen (self, step);
  return TRUE;
}

void
ls_steps_view_first (LsStepsView *self)
{
  go_to_step (self, MIN (ls_steps_n (self->steps), 1));
}

void
ls_steps_view_last (LsStepsView *self)
{
  go_to_step (self, ls_steps_n (self->steps));
}

void
ls_steps_view_jump (LsStepsView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->number));
  gtk_editable_select_region (GTK_EDITABLE (self->number), 0, -1);
}

static void
on_mode (LsStepsView *self, GtkToggleButton *button)
{
  if (gtk_toggle_button_get_active (button))
    ls_graph_view_set_mode (self->graph, button == self->before ? LS_GRAPH_BEFORE : button == self->after ? LS_GRAPH_AFTER : LS_GRAPH_BOTH);
}

static void
on_node_selected (LsStepsView *self, guint node)
{
  guint32 id = node;
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &id, id == LS_NO_NODE ? 0 : 1);
}

/* --- the ties --- */

void
ls_steps_position_class_init (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback (widget_class, on_number);
  gtk_widget_class_bind_template_callback (widget_class, on_number_left);
  gtk_widget_class_bind_template_callback (widget_class, on_texts);
  gtk_widget_class_bind_template_callback (widget_class, on_step_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_part_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_mode);
  gtk_widget_class_bind_template_callback (widget_class, on_node_selected);
}

void
ls_steps_position_init (LsStepsView *self)
{
  ls_question_menu_attach (GTK_WIDGET (ls_step_list_get_view (self->step_list)), GTK_WIDGET (self), pick_step, self);
}

void
ls_steps_position_set_session (LsStepsView *self)
{
  g_signal_connect_object (self->session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
}
