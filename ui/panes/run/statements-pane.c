#include "statements-pane.h"
#include "kit/class.h"
#include "kit/text.h"
#include "kit/texts.h"
#include "kit/tip.h"
#include "panes/panes.h"
#include "panes/step/position-graph.h"
#include "panes/text/program-pane.h"
#include "session/session.h"
#include "session/steps.h"
#include "trace/statements.h"
#include "panes/step/step-slider.h"

#include <glib/gi18n.h>

struct _LsStatementsPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  LsTrace       *of;           /* whose statements are shown, or will be when the pane is seen */
  GtkWidget     *box, *back, *on, *into;
  LsTexts       *texts;
  GtkLabel      *where, *did;
  LsStepSlider  *slider;
  LsGraphView   *graph;
  guint          show;         /* will make the graphs, or 0 */
  gboolean       fresh;        /* no step was made yet */
  guint          first;        /* the stop to begin with */
  gboolean       done;         /* what the current statement computed was walked through */
};

G_DEFINE_FINAL_TYPE (LsStatementsPane, ls_statements_pane, GTK_TYPE_WIDGET)

static LsTrace *trace_of (LsStatementsPane *self) { return ls_view_session_get_trace (self->session); }

static const LsStatement *
statement_of (LsStatementsPane *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  return pass ? ls_trace_pass_statement (trace_of (self), pass) : NULL;
}

guint
ls_statements_pane_get_number (LsStatementsPane *self, guint *n)
{
  LsTrace *trace = trace_of (self);
  *n = trace ? trace->passes->len : 0;
  return *n ? (guint) ls_view_session_get_pass (self->session) + 1 : 0;
}

guint
ls_statements_pane_get_line (LsStatementsPane *self)
{
  const LsStatement *s = statement_of (self);
  return s && s->file == 0 ? s->line : 0;
}

gboolean
ls_statements_pane_step (LsStatementsPane *self, int direction)
{
  guint n, at = ls_statements_pane_get_number (self, &n);
  if (n == 0 || (direction < 0 ? at <= 1 : at >= n))
    return FALSE;
  self->done = direction < 0;
  ls_view_session_go (self->session, (int) at - 1 + direction, 0);
  return TRUE;
}

gboolean
ls_statements_pane_is_done (LsStatementsPane *self)
{
  return self->done;
}

gboolean
ls_statements_pane_get_passes (LsStatementsPane *self, guint *first, guint *end)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  const LsStop *stop = pass ? ls_pass_stop (trace_of (self), pass) : NULL;
  *first = *end = 0;
  if (stop)
    ls_stop_passes (self->of, stop, first, end);
  return *end > *first;
}

void
ls_statements_pane_focus (LsStatementsPane *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
}

gboolean
ls_statements_pane_show_line (LsStatementsPane *self, guint line)
{
  LsTrace *trace = trace_of (self);
  const LsStatement *here = statement_of (self);
  if (here && here->file == 0 && line >= here->line && line <= here->end_line)
    return TRUE;
  for (guint i = 0; trace && i < trace->passes->len; i++) {
    const LsStatement *s = ls_trace_pass_statement (trace, trace->passes->pdata[i]);
    if (s && s->file == 0 && line >= s->line && line <= s->end_line) {
      self->done = FALSE;
      ls_view_session_go (self->session, (int) i, 0);
      return TRUE;
    }
  }
  return FALSE;
}

/* --- from the session --- */

static void
on_position (LsStatementsPane *self)
{
  guint n, at = ls_statements_pane_get_number (self, &n);
  const LsStatement *s = statement_of (self);
  if (!s)
    return;
  g_autofree char *statement = ls_text_cut (s->text, 200);
  g_autofree char *turns = ls_text_count (s->turn), *where = NULL;
  if (s->turn > 1)
    where = g_strdup_printf (_("Line %u, iteration %s: %s"), s->line, turns, statement);
  else
    where = g_strdup_printf (_("Line %u: %s"), s->line, statement);
  gtk_label_set_text (self->where, where);
  ls_tip_set (GTK_WIDGET (self->where), where);
  const LsStop *stop = ls_pass_stop (trace_of (self), ls_view_session_pass (self->session));
  g_autofree char *sentence = stop ? ls_stop_sentence (trace_of (self), stop, TRUE) : NULL, *did = ls_text_cut (sentence, 400);
  guint first, end;
  gtk_label_set_text (self->did, did);
  ls_tip_set (GTK_WIDGET (self->did), did);
  gtk_widget_set_visible (self->into, ls_statements_pane_get_passes (self, &first, &end));
  ls_step_slider_set_value (self->slider, at);
  gtk_widget_set_sensitive (self->back, at > 1);
  gtk_widget_set_sensitive (self->on, at < n);
  ls_graph_view_show_position (self->graph, self->session);
  g_signal_emit_by_name (self, "moved", !self->fresh);
  self->fresh = FALSE;
}

static void
on_selection (LsStatementsPane *self)
{
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  ls_graph_view_set_selection (self->graph, (const guint32 *) nodes->data, nodes->len);
}

static gboolean
show_trace (gpointer data)
{
  LsStatementsPane *self = data;
  self->show = 0;
  g_autoptr (LsTrace) trace = self->of ? ls_trace_statements (self->of) : NULL;
  gboolean any = trace && trace->passes->len > 0;
  ls_view_session_set_trace (self->session, any ? trace : NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), any);
  if (any) {
    ls_step_slider_set_steps (self->slider, ls_steps_of (trace, trace->passes->pdata[0]));
    self->fresh = TRUE;
    ls_view_session_go (self->session, (int) MIN (self->first, trace->passes->len - 1), 0);
  }
  self->first = 0;
  return G_SOURCE_REMOVE;
}

void
ls_statements_pane_go (LsStatementsPane *self, guint stop, gboolean done)
{
  guint n;
  self->done = done;
  if (ls_statements_pane_get_number (self, &n) == 0)
    self->first = stop;
  else if (stop == (guint) ls_view_session_get_pass (self->session))
    on_position (self);
  else
    ls_view_session_go (self->session, (int) stop, 0);
}

/* Graphs of all statements are made only on demand. */
static void
show_soon (LsStatementsPane *self)
{
  if (!self->show && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->show = g_idle_add (show_trace, self);
}

void
ls_statements_pane_set_trace (LsStatementsPane *self, LsTrace *trace)
{
  if (trace == self->of)
    return;
  g_clear_pointer (&self->of, ls_trace_unref);
  self->of = trace ? ls_trace_ref (trace) : NULL;
  self->done = FALSE;
  ls_step_slider_set_steps (self->slider, ls_steps_of (NULL, NULL));      /* it may be drawn before the new ones are there */
  ls_view_session_set_trace (self->session, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), trace && trace->statements->len > 0);
  show_soon (self);
}

static void
ls_statements_pane_map (GtkWidget *widget)
{
  LsStatementsPane *self = LS_STATEMENTS_PANE (widget);
  GTK_WIDGET_CLASS (ls_statements_pane_parent_class)->map (widget);
  if (self->of && !trace_of (self))
    show_soon (self);
}

/* --- to the session --- */

static void
on_slider (LsStatementsPane *self, guint step)
{
  self->done = FALSE;
  ls_view_session_go (self->session, (int) MAX (step, 1) - 1, 0);
}

static void
on_node (LsStatementsPane *self, guint node)
{
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &node, node == LS_NO_NODE ? 0 : 1);
}

/* --- the widget --- */

static void
ls_statements_pane_class_init (LsStatementsPaneClass *class)
{
  GTK_WIDGET_CLASS (class)->map = ls_statements_pane_map;
  LS_USES (LS_TYPE_GRAPH_VIEW, LS_TYPE_STEP_SLIDER, LS_TYPE_TEXTS);
  LS_UI_BINDS (class, LsStatementsPane, "statements-pane", box, back, on, into, texts, where, did, slider, graph);
  LS_CALLBACKS (class, on_slider, on_node);
  ls_class_signal (class, "moved", 1, G_TYPE_BOOLEAN);
  LS_SOURCES (class, LsStatementsPane, show);
  LS_OWNS (class, LsStatementsPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsStatementsPane, g_object_unref, session);
  LS_OWNS (class, LsStatementsPane, ls_trace_unref, of);
}

static void
ls_statements_pane_init (LsStatementsPane *self)
{
  self->session = ls_view_session_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkWidget *program = ls_program_pane_new (self->session);
  ls_program_pane_leave_out_own (LS_PROGRAM_PANE (program));
  ls_texts_set_columns (self->texts, 1);
  ls_texts_add (self->texts, 0, program, "calls", _("Calls"), _("The calls of this statement, and the tensors of its names"), NULL);
  ls_texts_add (self->texts, 1, ls_pane_new (ls_pane_find ("facts"), self->session), "facts", _("Facts"),
                _("The fields of the selected tensor, or of all names"), NULL);
  ls_texts_show (self->texts, "calls");
  g_signal_connect_object (self->session, "position-changed", G_CALLBACK (on_position), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "selection-changed", G_CALLBACK (on_selection), self, G_CONNECT_SWAPPED);
}
