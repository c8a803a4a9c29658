/* Answers as a list: what was asked above, and at which place, then a line for each stop of the way. Where one is at another kernel than
 * that, the answer is faint: what it says is not of what one sees. A line is chosen by a click or Enter and leads to
 * its place: nodes and steps through the session, program lines and kernels of the schedule through the window's actions. */
#include "answer-pane.h"
#include "kit/class.h"
#include "panes/panes.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "kit/list-rows.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

struct _LsAnswerPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *stack, *empty, *found;
  GtkLabel      *title, *place, *summary, *reason;
  GtkListView   *list;
  LsIndexModel  *rows;
  LsAnswer      *answer;
  guint          kernel;      /* that it was asked at */
};

G_DEFINE_FINAL_TYPE (LsAnswerPane, ls_answer_pane, GTK_TYPE_WIDGET)

const LsAnswer *
ls_answer_pane_get (LsAnswerPane *self)
{
  return self->answer;
}

static void
show_whether_here (LsAnswerPane *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  gboolean here = !self->answer || !self->answer->asked_at || (pass && pass->kernel == self->kernel);
  gtk_widget_set_opacity (self->stack, here ? 1 : 0.5);
}

/* "kernel 3 r_4_6 · 3/simplify/7": a link back to there. */
static void
show_place (LsAnswerPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const char *at = self->answer->asked_at;
  gtk_widget_set_visible (GTK_WIDGET (self->place), at && trace);
  if (!at || !trace)
    return;
  self->kernel = (guint) g_ascii_strtoull (at, NULL, 10);
  const LsKernel *kernel = self->kernel ? ls_trace_kernel (trace, self->kernel) : NULL;
  g_autofree char *name = kernel ? ls_text_cut (kernel->name, 40) : NULL,
                  *whose = kernel ? g_strdup_printf (_("kernel %u %s"), self->kernel, name) : g_strdup (_("tensors")),
                  *markup = g_markup_printf_escaped ("%s · <a href=\"%s\">%s</a>", whose, at, at);
  gtk_label_set_markup (self->place, markup);
}

static gboolean
on_place (LsAnswerPane *self, const char *place)
{
  ls_view_session_go_link (self->session, place);
  return TRUE;
}

void
ls_answer_pane_show (LsAnswerPane *self, LsAnswer *answer)
{
  g_clear_pointer (&self->answer, ls_answer_free);
  self->answer = answer;
  if (answer)
    show_place (self);
  show_whether_here (self);
  ls_index_model_set (self->rows, answer ? answer->stops->len : 0);
  gtk_stack_set_visible_child (GTK_STACK (self->stack), answer ? self->found : self->empty);
  if (!answer)
    return;
  g_autofree char *title = ls_text_valid (answer->title), *summary = ls_text_valid (answer->summary ? answer->summary : "");
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->summary)), *summary != 0);
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

void
ls_answer_pane_changed (gpointer pane, LsWatch what)
{
  if (what == LS_WATCH_TRACE)
    ls_answer_pane_show (pane, NULL);
  else
    show_whether_here (pane);
}

GtkWidget *
ls_answer_pane_new (LsViewSession *session)
{
  LsAnswerPane *self = g_object_new (LS_TYPE_ANSWER_PANE, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}

static void
ls_answer_pane_class_init (LsAnswerPaneClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsAnswerPane, "answer-pane", stack, empty, found, title, place, summary, reason, list);
  LS_CALLBACKS (class, on_copy, on_activate, on_place);
  LS_OWNS (class, LsAnswerPane, gtk_widget_unparent, stack);
  LS_OWNS (class, LsAnswerPane, g_object_unref, rows, session);
  LS_OWNS (class, LsAnswerPane, ls_answer_free, answer);
}

static void
ls_answer_pane_init (LsAnswerPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = ls_index_model_new ();
  ls_list_rows (self->list, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), NULL, NULL);
}
