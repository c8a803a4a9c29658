/* Questions to the recording: they are about the selection, in the graph or among the final nodes; without a selection, about the result
 * of the step. Answers go to the table "Answer" below listing and source, or open in a dialog of their own. */
#include "window-private.h"
#include "panes/ask/answer-cli.h"
#include "panes/ask/answer-pane.h"
#include "panes/ask/rules-pane.h"
#include "panes/inspect/values-pane.h"
#include "session/ask-cli.h"
#include "session/worker.h"
#include "panes/ask/why-not-dialog.h"

#include <glib/gi18n.h>

struct _LsAsking {
  LsWindow       *window;
  LsWhyNotDialog *why_not;      /* a weak pointer */
  GCancellable   *computing;    /* of the question that lazyscope-cli is at, or NULL */
};

gboolean
ls_asking_cancel (LsAsking *asking)
{
  if (!asking->computing)
    return FALSE;
  g_cancellable_cancel (asking->computing);
  g_clear_object (&asking->computing);
  return TRUE;
}

static void
show_answer (LsWindow *self, LsAnswer *answer)
{
  ls_answer_pane_show (LS_ANSWER_PANE (ls_steps_view_get_pane (self->steps, "answer")), answer);
  ls_steps_view_show_table (self->steps, "answer");
}

static void
act_origin (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  LsViewSession *session = self->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_view_session_pass (session);
  const LsKernel *kernel = ls_view_session_kernel (session);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsBlame) blame = NULL;
  guint32 node = ls_view_session_get_selection (session);
  if (!pass)
    return;
  if (p)
    blame = kernel ? ls_blame_line (trace, kernel->number, g_variant_get_uint32 (p), &error) : NULL;
  else if (ls_view_session_chosen_in (session) == LS_CHOSEN_IN_FINAL && kernel)
    blame = ls_blame_node (trace, kernel->number, node, &error);
  else if ((node = ls_view_session_asked_node (session)) != LS_NO_NODE)
    blame = ls_blame_in_pass (trace, pass, ls_view_session_get_step (session), node, &error);
  if (blame) {
    LsAnswer *answer = ls_answer_origin (trace, blame, pass, ls_view_session_get_step (session));
    answer->asked_at = ls_view_session_get_link (session);
    show_answer (self, answer);
  } else
    ls_window_say (self, error ? error->message : _("Select a node, a row or a line first"));
}

static void
act_values_here (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  guint32 node = ls_view_session_asked_node (self->session);
  if (node == LS_NO_NODE) {
    ls_window_say (self, _("Select a node of the graph first"));
    return;
  }
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &node, 1);
  ls_steps_view_show_table (self->steps, "values");
}

/* A number of the output: what it was computed from. */
static void
on_printed_number (LsOutputPane *output, gpointer number, LsWindow *self)
{
  const LsPrinted *printed = number;
  LsElementPlace place = ls_element_place_of_memory (printed->kernel, printed->reader, printed->buffer, printed->element);
  ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
  ls_steps_view_add_panes (self->steps);
  ls_steps_view_show_table (self->steps, "values");
  ls_values_pane_show_element (LS_VALUES_PANE (ls_steps_view_get_pane (self->steps, "values")), &place);
}

static void
act_why_not (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  LsAsking *asking = self->asking;
  if (ls_view_session_asked_node (self->session) == LS_NO_NODE) {
    ls_window_say (self, _("Select a node of the graph first"));
    return;
  }
  if (!asking->why_not) {
    g_set_weak_pointer (&asking->why_not, ls_why_not_dialog_new (GTK_WINDOW (self), self->session, ls_steps_view_get_graph (self->steps)));
    g_signal_connect_object (asking->why_not, "ready", G_CALLBACK (ls_window_check_idle), self, G_CONNECT_SWAPPED);
  }
  gtk_window_present (GTK_WINDOW (asking->why_not));
}

/* Shows the rule of the position's step among the rules. */
static void
act_rule_did (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session);
  gint rule = pass && pass->kind == LS_PASS_REWRITE && step > 0 ? ls_pass_step_link (pass, step)->rule : -1;
  ls_steps_view_show_table (self->steps, "rules");
  if (rule < 0 || !ls_rules_pane_choose (LS_RULES_PANE (ls_steps_view_get_pane (self->steps, "rules")), (guint) rule))
    ls_window_say (self, _("No rule fired at this position"));
}

/* Shows a rule of the recording (its index) among the rules. */
static void
act_rule (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  ls_steps_view_show_table (self->steps, "rules");
  if (!ls_rules_pane_choose (LS_RULES_PANE (ls_steps_view_get_pane (self->steps, "rules")), g_variant_get_uint32 (p)))
    ls_window_say (self, _("No pass of this kernel tried this rule"));
}

static void act_next_visit (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_walk_visits (LS_WINDOW (w)->steps, 1); }
static void act_prev_visit (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_walk_visits (LS_WINDOW (w)->steps, -1); }

/* --- questions that take computing --- */

typedef struct { LsWindow *window; LsTrace *trace; GCancellable *cancellable; } Computing;

/* Whether the window still waits for this answer; frees the data stored for it. */
static LsWindow *
still_waits (Computing *computing)
{
  g_autofree Computing *c = computing;
  g_autoptr (LsWindow) self = c->window;
  g_autoptr (LsTrace) trace = c->trace;
  g_autoptr (GCancellable) cancellable = c->cancellable;
  if (self->asking && self->asking->computing == cancellable)
    g_clear_object (&self->asking->computing);
  if (!self->asking || self->closed || trace != ls_view_session_get_trace (self->session))
    return NULL;
  if (!g_cancellable_is_cancelled (cancellable))
    return g_steal_pointer (&self);
  if (!self->asking->computing)      /* else the next question is under way */
    ls_answer_pane_show (LS_ANSWER_PANE (ls_steps_view_get_pane (self->steps, "answer")), NULL);
  return NULL;
}

static void
show_computed (LsWindow *self, LsAnswer *answer, const GError *error)
{
  show_answer (self, answer ? answer : ls_answer_new (g_strdup (_("There is no answer")), g_strdup (error->message)));
  ls_window_check_idle (self);
}

static void
on_bisected (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) said = ls_ask_cli_finish (result, &error);
  g_autoptr (LsWindow) self = still_waits (data);
  if (self)
    show_computed (self, said ? ls_answer_bisect (ls_view_session_get_trace (self->session), ls_reading_row (said)) : NULL, error);
}

static void
on_undo_found (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleReport) report = ls_worker_ask_finish (result, &error);
  g_autoptr (LsWindow) self = still_waits (data);
  if (self)
    show_computed (self, report ? ls_answer_undo (ls_view_session_get_trace (self->session), report) : NULL, error);
}

/* NULL: there is no recording to ask about. */
static Computing *
begin_computing (LsWindow *self, const char *message)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  if (!trace)
    return NULL;
  ls_asking_cancel (self->asking);
  self->asking->computing = g_cancellable_new ();
  Computing *c = g_new (Computing, 1);
  *c = (Computing) { g_object_ref (self), ls_trace_ref (trace), g_object_ref (self->asking->computing) };
  show_answer (self, ls_answer_new (g_strdup (message), g_strdup (_("Esc cancels"))));
  return c;
}

static void
act_bisect (GtkWidget *w, const char *name, GVariant *p)
{
  static const char *const words[] = { "bisect", NULL };
  Computing *c = begin_computing (LS_WINDOW (w), _("Looking for the step…"));
  if (c)
    ls_ask_cli_async (c->trace, words, &ls_bisect_answer, c->cancellable, on_bisected, c);
}

static gpointer
find_undo (LsTrace *copy, gconstpointer question, GError **error)
{
  return ls_rule_report (copy);
}

static void
act_undo (GtkWidget *w, const char *name, GVariant *p)
{
  Computing *c = begin_computing (LS_WINDOW (w), _("Looking for pairs of rules…"));
  if (c)
    ls_worker_ask_async (c->trace, find_undo, NULL, NULL, (GDestroyNotify) ls_rule_report_free, c->cancellable, on_undo_found, c);
}

static void
act_schedule (GtkWidget *w, const char *name, GVariant *p)
{
  LsStepsView *steps = LS_WINDOW (w)->steps;
  ls_steps_view_set_schedule (steps, p || !ls_steps_view_shows_schedule (steps));
  if (p)
    ls_schedule_view_choose (ls_steps_view_get_schedule (steps), ls_schedule_kernel_id (g_variant_get_uint32 (p)));
}

static void
act_why_not_fused (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_autoptr (GError) error = NULL;
  guint a, b;
  g_variant_get (p, "(uu)", &a, &b);
  g_autoptr (LsWhyNotFused) why = trace ? ls_why_not_fused (trace, a, b, &error) : NULL;
  if (why)
    show_answer (self, ls_answer_why_not_fused (trace, why));
  else if (error)
    ls_window_say (self, error->message);
}

static void
act_table (GtkWidget *w, const char *name, GVariant *p)
{
  ls_steps_view_show_table (LS_WINDOW (w)->steps, g_variant_get_string (p, NULL));
}

static void
act_program_line (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  ls_window_show_workspace (self, LS_WORKSPACE_PROGRAM);
  ls_program_view_show_line (self->program, g_variant_get_uint32 (p));
}

static void
act_call (GtkWidget *w, const char *name, GVariant *p)
{
  ls_steps_view_show_call (LS_WINDOW (w)->steps, g_variant_get_uint32 (p));
}

static void
act_choose (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  if (!ls_view_session_choose (self->session, g_variant_get_string (p, NULL)))
    ls_window_say (self, _("That place does not exist"));
}

static const struct { const char *name, *parameter; GtkWidgetActionActivateFunc activate; } actions[] = {
  { "win.origin", NULL, act_origin },   { "win.origin-of-line", "u", act_origin },     { "win.values-here", NULL, act_values_here },
  { "win.why-not", NULL, act_why_not }, { "win.program-line", "u", act_program_line }, { "win.table", "s", act_table },
  { "win.call", "u", act_call },
  { "win.schedule", NULL, act_schedule }, { "win.schedule-kernel", "u", act_schedule },
  { "win.why-not-fused", "(uu)", act_why_not_fused },
  { "win.choose", "s", act_choose },     { "win.rule-did", NULL, act_rule_did },          { "win.bisect", NULL, act_bisect },
  { "win.undoing", NULL, act_undo },
  { "win.rule", "u", act_rule },        { "win.next-visit", NULL, act_next_visit },        { "win.prev-visit", NULL, act_prev_visit },
};

void
ls_asking_update_actions (LsAsking *asking, gboolean possible)
{
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (asking->window), actions[i].name, possible);
}

gboolean
ls_asking_get_busy (LsAsking *asking)
{
  return asking->computing || (asking->why_not && ls_why_not_dialog_get_busy (asking->why_not));
}

LsAsking *
ls_asking_new (LsWindow *window)
{
  LsAsking *asking = g_new0 (LsAsking, 1);
  asking->window = window;
  g_signal_connect_object (ls_program_view_get_output (window->program), "number-chosen", G_CALLBACK (on_printed_number), window, 0);
  return asking;
}

void
ls_asking_free (LsAsking *asking)
{
  if (asking->why_not)
    gtk_window_destroy (GTK_WINDOW (asking->why_not));
  g_clear_weak_pointer (&asking->why_not);
  ls_asking_cancel (asking);
  g_free (asking);
}

void
ls_asking_install_actions (GtkWidgetClass *c)
{
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (c, actions[i].name, actions[i].parameter, actions[i].activate);
  static const struct { guint key; GdkModifierType mods; const char *action; } keys[] = {
    { GDK_KEY_o, 0, "win.origin" }, { GDK_KEY_w, 0, "win.why-not" }, { GDK_KEY_s, 0, "win.schedule" }, { GDK_KEY_i, 0, "win.next-visit" },
    { GDK_KEY_i, GDK_SHIFT_MASK, "win.prev-visit" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (c, keys[i].key, keys[i].mods, keys[i].action, NULL);
}
