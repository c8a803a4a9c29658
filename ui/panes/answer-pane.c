/* Answers as a list: what was asked above, then a line for each stop of the way. A line is chosen by a click or Enter and leads to its place:
 * nodes and steps through the session, program lines and kernels of the schedule through the window's actions. */
#include "answer-pane.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "kit/list-rows.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

struct _LsAnswerPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *stack;
  GtkLabel      *title, *summary, *reason;
  GtkListView   *list;
  LsIndexModel  *rows;
  LsAnswer      *answer;
};

G_DEFINE_FINAL_TYPE (LsAnswerPane, ls_answer_pane, GTK_TYPE_WIDGET)

const LsAnswer *
ls_answer_pane_get (LsAnswerPane *self)
{
  return self->answer;
}

void
ls_answer_pane_show (LsAnswerPane *self, LsAnswer *answer)
{
  g_clear_pointer (&self->answer, ls_answer_free);
  self->answer = answer;
  ls_index_model_set (self->rows, answer ? answer->stops->len : 0);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), answer ? "answer" : "empty");
  if (!answer)
    return;
  g_autofree char *title = ls_text_valid (answer->title), *summary = ls_text_valid (answer->summary ? answer->summary : "");
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), *summary ? summary : NULL);
  g_autofree char *reason = ls_text_valid (answer->reason ? answer->reason : "");
  gtk_label_set_text (self->reason, reason);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->reason), *reason ? reason : NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->reason), *reason != 0);
}

static const LsStop *
stop_at (LsAnswerPane *self, guint row)
{
  return self->answer && row < self->answer->stops->len ? &g_array_index (self->answer->stops, LsStop, row) : NULL;
}

static void
go_to_final (LsAnswerPane *self, const LsStop *stop)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = stop->pass >= 0 && trace && stop->pass < (int) trace->passes->len ? trace->passes->pdata[stop->pass] : NULL;
  const LsKernel *here = ls_view_session_kernel (self->session);
  if (pass && (!here || here->number != pass->kernel))
    ls_view_session_go (self->session, stop->pass, 0);
  ls_view_session_select (self->session, LS_CHOSEN_IN_FINAL, &stop->node, 1);
}

static void
on_activate (LsAnswerPane *self, guint row)
{
  const LsStop *stop = stop_at (self, row);
  if (!stop)
    return;
  switch (stop->kind) {
  case LS_STOP_TEXT: break;
  case LS_STOP_FINAL: go_to_final (self, stop); break;
  case LS_STOP_NODE:
    ls_view_session_go (self->session, stop->pass, stop->step);
    if (stop->node != LS_NO_NODE)
      ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &stop->node, 1);
    break;
  case LS_STOP_KERNEL: gtk_widget_activate_action (GTK_WIDGET (self), "win.schedule-kernel", "u", stop->line); break;
  case LS_STOP_PROGRAM: gtk_widget_activate_action (GTK_WIDGET (self), "win.program-line", "u", stop->line); break;
  case LS_STOP_CALL: gtk_widget_activate_action (GTK_WIDGET (self), "win.call", "u", stop->line); break;
  }
}

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[] = { { 16, LS_CELL_MIDDLE }, { 3, LS_CELL_EXPAND } };
  gtk_list_item_set_child (item, ls_cells_new (looks, G_N_ELEMENTS (looks), 10));
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsAnswerPane *self)
{
  const LsStop *stop = stop_at (self, ls_index_item_get (gtk_list_item_get_item (item)));
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  gboolean leads = stop && stop->kind != LS_STOP_TEXT;
  ls_cells_set_text (cells, 0, stop ? stop->place : NULL);
  ls_cells_set_text (cells, 1, stop ? stop->text : NULL);
  ls_tip_set (GTK_WIDGET (cells), stop ? stop->text : NULL);
  gtk_list_item_set_activatable (item, leads);
  ls_cells_set_color (cells, 0, leads ? "accent_color" : NULL);
  ls_accessible_name_row (item);
}

static void
on_copy (LsAnswerPane *self)
{
  if (!self->answer)
    return;
  g_autofree char *text = ls_answer_print (self->answer), *valid = ls_text_valid (text);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), valid);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("Answer copied"));
}

static void
on_trace_changed (LsAnswerPane *self)
{
  ls_answer_pane_show (self, NULL);
}

LsAnswerPane *
ls_answer_pane_new (LsViewSession *session)
{
  LsAnswerPane *self = g_object_new (LS_TYPE_ANSWER_PANE, NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  return self;
}

static void
ls_answer_pane_dispose (GObject *object)
{
  LsAnswerPane *self = LS_ANSWER_PANE (object);
  g_clear_pointer (&self->stack, gtk_widget_unparent);
  g_clear_object (&self->rows);
  g_clear_object (&self->session);
  g_clear_pointer (&self->answer, ls_answer_free);
  G_OBJECT_CLASS (ls_answer_pane_parent_class)->dispose (object);
}

static void
ls_answer_pane_class_init (LsAnswerPaneClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ls_answer_pane_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
make_header (LsAnswerPane *self)
{
  GtkWidget *header = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10), *copy = gtk_button_new_with_label (_("Copy"));
  self->title = GTK_LABEL (gtk_label_new (NULL));
  self->summary = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_set_name (GTK_WIDGET (self->title), "answer-title");
  gtk_widget_set_name (GTK_WIDGET (self->summary), "answer-summary");
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "heading");
  gtk_widget_add_css_class (GTK_WIDGET (self->summary), "dim-label");
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (self->summary, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->summary, 0);
  gtk_label_set_width_chars (self->summary, 8);
  gtk_label_set_max_width_chars (self->summary, 8);      /* it takes what the title leaves */
  gtk_widget_set_hexpand (GTK_WIDGET (self->summary), TRUE);
  gtk_widget_add_css_class (copy, "flat");
  gtk_widget_add_css_class (copy, "small-button");
  g_signal_connect_object (copy, "clicked", G_CALLBACK (on_copy), self, G_CONNECT_SWAPPED);
  gtk_widget_add_css_class (header, "answer-header");
  gtk_box_append (GTK_BOX (header), GTK_WIDGET (self->title));
  gtk_box_append (GTK_BOX (header), GTK_WIDGET (self->summary));
  gtk_box_append (GTK_BOX (header), copy);
  return header;
}

/* The direct reason, whole where three lines hold it. */
static GtkWidget *
make_reason (LsAnswerPane *self)
{
  GtkWidget *label = gtk_label_new (NULL);
  self->reason = GTK_LABEL (label);
  gtk_widget_set_name (label, "answer-reason");
  gtk_widget_add_css_class (label, "answer-reason");
  gtk_label_set_wrap (self->reason, TRUE);
  gtk_label_set_wrap_mode (self->reason, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (self->reason, 3);
  gtk_label_set_ellipsize (self->reason, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->reason, 0);
  gtk_label_set_width_chars (self->reason, 20);
  gtk_label_set_max_width_chars (self->reason, 20);      /* it wraps to the width that there is */
  return label;
}

static void
ls_answer_pane_init (LsAnswerPane *self)
{
  self->rows = ls_index_model_new ();
  self->stack = g_object_new (GTK_TYPE_STACK, "hhomogeneous", FALSE, "vhomogeneous", FALSE, NULL);      /* hidden pages are not measured */
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
  self->list = GTK_LIST_VIEW (gtk_list_view_new (NULL, NULL));
  ls_list_rows (self->list, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), NULL, NULL);
  gtk_widget_set_name (GTK_WIDGET (self->list), "answer");
  gtk_list_view_set_single_click_activate (self->list, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "compact-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _("The answer, a line for each place on the way"), -1);
  g_signal_connect_object (self->list, "activate", G_CALLBACK (on_activate), self, G_CONNECT_SWAPPED);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scroll = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroll, TRUE);
  gtk_box_append (GTK_BOX (box), make_header (self));
  gtk_box_append (GTK_BOX (box), make_reason (self));
  gtk_box_append (GTK_BOX (box), scroll);
  GtkWidget *empty = gtk_label_new (_("Choose a node, a row or a line and press o to see where it comes from, or w to see why a rule did not fire there"));
  gtk_label_set_wrap (GTK_LABEL (empty), TRUE);
  gtk_label_set_justify (GTK_LABEL (empty), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (empty, "dim-label");
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  gtk_stack_add_named (GTK_STACK (self->stack), box, "answer");
}
