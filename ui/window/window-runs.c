/* Running programs, and the runs that are kept: each with its options and its recording, one of them shown. */
#include "window-private.h"
#include "kit/text.h"
#include "panes/run/rule-editor.h"
#include "session/run-program.h"
#include "trace/statements.h"
#include "trace/what-if.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

void
ls_window_set_running (LsWindow *self, GCancellable *running)
{
  g_set_object (&self->running, running);
  gtk_button_set_label (GTK_BUTTON (self->run), running ? _("Cancel") : _("Run"));
  gtk_widget_set_tooltip_text (self->run, running ? _("End the run (Esc)") : _("Run the program (Ctrl+Enter)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->run), running ? "win.cancel" : "win.run");
  if (running)
    gtk_widget_remove_css_class (self->run, "suggested-action");
  else
    gtk_widget_add_css_class (self->run, "suggested-action");
  gtk_widget_set_visible (self->run_spinner, running != NULL);
  gtk_spinner_set_spinning (GTK_SPINNER (self->run_spinner), running != NULL);
  ls_window_update_actions (self);
  ls_window_update_title (self);
}

/* Line and column of "name:LINE:COLUMN: …" at the start of a line of text; zeros when there is none. */
static void
find_place (const char *text, const char *name, guint *line, guint *column)
{
  g_autofree char *pattern = g_strdup_printf ("%s:", name);
  *line = *column = 0;
  for (const char *p = text; (p = strstr (p, pattern)); p++) {
    char *end;
    gulong l = strtoul (p + strlen (pattern), &end, 10);
    if (l > 0 && *end == ':') {
      *line = (guint) MIN (l, G_MAXINT);
      *column = (guint) MIN (strtoul (end + 1, NULL, 10), G_MAXINT);
      return;
    }
  }
}

void
ls_window_show_program_error (LsWindow *self, const char *message, guint line, guint column)
{
  if (line == 0)
    find_place (message, self->name, &line, &column);
  if (self->typing) {      /* the cursor stays where one types */
    ls_program_view_set_error (self->program, message, 0, 0);
    return;
  }
  ls_program_view_set_error (self->program, message, line, column);
  ls_window_show_workspace (self, LS_WORKSPACE_PROGRAM);
  ls_program_view_focus_editor (self->program);
}

/* --- running --- */

/* Where one was when the run began, or is now if one has moved since. */
static gboolean
was_at (LsWindow *self, LsPosition *from)
{
  g_autofree char *now = ls_view_session_get_link (self->session);
  if (self->left.trace && g_strcmp0 (now, self->put) == 0) {
    *from = self->left;
    return TRUE;
  }
  return ls_view_session_get_position (self->session, from);
}

static void
leave (LsWindow *self)
{
  LsPosition at;
  g_clear_pointer (&self->left.trace, ls_trace_unref);
  g_free (self->put);
  self->put = ls_view_session_get_link (self->session);
  if (ls_view_session_get_position (self->session, &at)) {
    self->left = at;
    ls_trace_ref (at.trace);
  }
}

void
ls_window_forget_place (LsWindow *self)
{
  g_clear_pointer (&self->left.trace, ls_trace_unref);
  g_clear_pointer (&self->put, g_free);
}

/* The user has not moved: the position is still where the run's first pieces opened. */
static gboolean
is_unmoved (LsWindow *self)
{
  g_autofree char *now = ls_view_session_get_link (self->session);
  return !self->left.trace && self->put && g_strcmp0 (now, self->put) == 0;
}

/* Shows another recording of the program, at the place where one was; one that is whole where it opens, if one was nowhere. */
static LsPositionFound
show_trace (LsWindow *self, LsTrace *trace, gboolean whole)
{
  LsPosition from;
  LsPositionFound kept = LS_POSITION_STEP;
  if (!(whole && is_unmoved (self)) && was_at (self, &from))
    kept = ls_view_session_move_to_trace (self->session, trace, &from);
  else
    ls_view_session_set_trace (self->session, trace);
  g_free (self->put);
  self->put = ls_view_session_get_link (self->session);
  return kept;
}

/* Reports the part of the place that another run does not have. */
static void
say_kept (LsWindow *self, LsPositionFound kept)
{
  static const char *const words[] = {
    [LS_POSITION_NOTHING] = N_("This run does not have that kernel: its beginning is shown"),
                        [LS_POSITION_KERNEL] = N_("This run's kernel does not have that pass: its first pass is shown"),
    [LS_POSITION_PASS] = N_("This run's pass has no step of that rule there"),
  };
  if (kept < LS_POSITION_STEP)
    ls_window_say (self, _(words[kept]));
}

static void
on_progress (const char *printed, LsTrace *so_far, gpointer data)
{
  LsWindow *self = data;
  if (printed)
    ls_output_pane_append (ls_program_view_get_output (self->program), printed);
  if (so_far && so_far->passes->len > 0) {      /* the pipeline as far as it got; the position stays where the person left it */
    show_trace (self, so_far, FALSE);
    if (!self->stay && !ls_window_has_trait (self, LS_STAYS_WHILE_RUNNING))
      ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
  }
}

/* A finished run, stored with its recording. */
static void
keep_run (LsWindow *self, LsRunResult *r)
{
  const char *printed = r->trace->std_out && *r->trace->std_out ? r->trace->std_out : r->std_out;
  LsRun run = { .options = ls_run_options_copy (self->options), .trace = ls_trace_ref (r->trace),
                .text = g_steal_pointer (&self->running_text), .std_out = g_strdup (printed),
                .folder = g_steal_pointer (&r->folder), .edited = self->running_edited, .typed = self->typing };
  self->taking = TRUE;
  ls_runs_take (self->runs, &run);
  self->taking = FALSE;
  ls_output_pane_set_text (ls_program_view_get_output (self->program), printed);
}

static void
show_result (LsWindow *self, const LsRunResult *r, LsPositionFound kept)
{
  const LsTrace *trace = r->trace;
  if (r->cancelled) {
    ls_window_say (self, _("The run was cancelled"));
    ls_window_show_workspace (self, trace && trace->passes->len > 0 && !self->stay ? LS_WORKSPACE_STEPS : LS_WORKSPACE_PROGRAM);
  } else if (trace && trace->error) {
    ls_window_show_program_error (self, trace->error, trace->error_line, trace->error_column);
  } else if (r->status != 0) {
    g_autofree char *message = r->status < 0 ? g_strdup_printf (_("A signal ended the run.\n%s"), r->std_err)
                                             : g_strdup (*r->std_err ? r->std_err : _("The run failed."));
    ls_window_show_program_error (self, message, 0, 0);
  } else if (!trace) {
    ls_window_show_program_error (self, r->load_error ? r->load_error : _("The run made no recording."), 0, 0);
  } else {
    ls_program_view_set_error (self->program, NULL, 0, 0);
    if (self->typing)
      return;
    if (!ls_window_has_trait (self, LS_STAYS_AFTER_RUN) || !trace->passes->len)      /* a program that computes nothing has its output */
      ls_window_show_workspace (self, trace->passes->len > 0 ? LS_WORKSPACE_STEPS : LS_WORKSPACE_PROGRAM);
    if (ls_window_has_trait (self, LS_SHOWS_POSITION))
      ls_window_focus_graph (self);
    g_autofree char *warnings = g_strdup (r->std_err);
    g_strstrip (warnings);
    if (*warnings) {
      g_autofree char *cut = ls_text_cut (warnings, 160);
      ls_window_say (self, cut);
    } else
      say_kept (self, kept);
  }
}

static void
on_ran (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRunResult) r = ls_run_program_finish (result, &error);
  ls_window_set_running (self, NULL);
  if (self->closed)
    return;
  self->run_seconds = (double) (g_get_monotonic_time () - self->run_began) / G_USEC_PER_SEC;
  const LsRun *shown = ls_runs_current (self->runs);
  LsPositionFound kept = LS_POSITION_STEP;
  if (r && r->trace) {
    kept = show_trace (self, r->trace, TRUE);
    keep_run (self, r);
  } else if (shown && ls_view_session_get_trace (self->session) != shown->trace)      /* the recording that was followed no longer exists */
    show_trace (self, shown->trace, FALSE);
  ls_window_forget_place (self);
  if (r)
    show_result (self, r, self->position ? LS_POSITION_STEP : kept);
  else
    ls_window_show_program_error (self, error->message, 0, 0);
  if (r && r->trace)
    ls_window_go_to_position (self);
  self->typing = FALSE;
  ls_window_update_runs (self);
  ls_window_check_idle (self);
}

static void
on_run_response (AdwMessageDialog *dialog, const char *response, LsWindow *self)
{
  g_clear_weak_pointer (&self->run_question);
  if (!g_str_equal (response, "run"))
    return;
  self->may_run = TRUE;
  ls_window_run_program (self);
}

/* A program from inside a recording is foreign Python: the user decides whether it is run, once for each recording. */
static gboolean
may_run (LsWindow *self)
{
  if (!self->is_recording || self->may_run)
    return TRUE;
  if (self->run_question) {
    gtk_window_present (GTK_WINDOW (self->run_question));
    return FALSE;
  }
  g_autofree char *name = ls_text_valid (self->name);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (GTK_WINDOW (self), _("Run this program?"), NULL));
  g_set_weak_pointer (&self->run_question, GTK_WIDGET (dialog));
  adw_message_dialog_format_body (dialog, _("It is from the recording %s. It is Python and can do everything that you can do on this "
                                            "computer: read, change and delete your files, and use the network. Run it only if you "
                                            "know who wrote it."), name);
  adw_message_dialog_add_responses (dialog, "cancel", _("_Cancel"), "run", _("_Run"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "run", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "cancel");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_run_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  return FALSE;
}

void
ls_window_run_program (LsWindow *self)
{
  if (self->running || self->loading || !may_run (self))
    return;
  g_autofree char *text = ls_program_view_dup_text (self->program);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *name = ls_window_dup_program_name (self);
  self->stay = self->typing;
  self->run_began = g_get_monotonic_time ();
  leave (self);
  ls_window_set_running (self, cancellable);
  ls_program_view_set_error (self->program, NULL, 0, 0);
  ls_output_pane_set_text (ls_program_view_get_output (self->program), "");
  ls_steps_view_add_panes (self->steps);
  ls_text_set (&self->running_text, text);
  self->running_edited = ls_program_view_get_modified (self->program);
  g_autofree char *folder = self->path && !self->is_recording ? g_path_get_dirname (self->path) : NULL;
  ls_run_program_async (name, folder, self->recovery ? ls_recovery_folder (self->recovery) : NULL, text, self->options, cancellable,
                        on_progress, self, on_ran, g_object_ref (self));
}

char *
ls_window_dup_program_name (LsWindow *self)
{
  g_autofree char *base = g_path_get_basename (self->name && *self->name ? self->name : "program.py");
  return g_str_has_suffix (base, ".lscope") ? g_strdup_printf ("%.*s.py", (int) (strlen (base) - 7), base) : g_strdup (base);
}

/* --- the runs that are kept --- */

/* Another run is to be shown, with its text unless one has typed since the last one ran. */
void
ls_window_show_run (LsWindow *self)
{
  const LsRun *run = ls_runs_current (self->runs);
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  if (self->taking || !run || run->trace == trace) {
    ls_window_update_runs (self);
    return;
  }
  g_autofree char *text = ls_program_view_dup_text (self->program);
  if (trace && run->text && g_strcmp0 (text, trace->program_text) == 0 && !g_str_equal (text, run->text)) {
    ls_program_view_set_text (self->program, run->text);
    ls_program_view_set_modified (self->program, run->edited);
  }
  ls_run_options_free (self->options);
  self->options = ls_run_options_copy (run->options);
  ls_output_pane_set_text (ls_program_view_get_output (self->program), run->std_out);
  LsPositionFound kept = show_trace (self, run->trace, FALSE);
  if (run->trace->error)
    ls_program_view_set_error (self->program, run->trace->error, run->trace->error_line, run->trace->error_column);
  else
    ls_program_view_set_error (self->program, NULL, 0, 0);
  ls_window_forget_place (self);
  say_kept (self, kept);
  ls_window_update_runs (self);
  ls_window_update_title (self);
  ls_window_check_idle (self);
}

/* Cheap: asked after each step. */
void
ls_window_update_run_actions (LsWindow *self, gboolean work)
{
  guint n = ls_runs_n (self->runs);
  static const char *const several[] = { "win.next-run", "win.prev-run", "win.close-run", "win.show-run" };
  for (gsize i = 0; i < G_N_ELEMENTS (several); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), several[i], work && n > 1 && !self->running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.run-with", work);
  gtk_widget_set_visible (self->run_with, work);
  gtk_widget_set_visible (GTK_WIDGET (self->runs_button), work && n > 1);
}

void
ls_window_update_runs (LsWindow *self)
{
  guint n = ls_runs_n (self->runs), shown = ls_runs_current_index (self->runs);
  g_menu_remove_all (self->runs_menu);
  g_autoptr (GMenu) runs = g_menu_new (), more = g_menu_new ();
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = ls_runs_name (self->runs, i), *label = ls_text_cut (name, 60);
    g_autoptr (GMenuItem) item = g_menu_item_new (NULL, NULL);
    g_menu_item_set_label (item, label);
    g_menu_item_set_action_and_target (item, "win.show-run", "u", i);
    g_menu_append_item (runs, item);
  }
  g_menu_append (more, _("_Close This Run"), "win.close-run");
  g_menu_append_section (self->runs_menu, NULL, G_MENU_MODEL (runs));
  g_menu_append_section (self->runs_menu, NULL, G_MENU_MODEL (more));
  g_autofree char *name = n ? ls_runs_name (self->runs, shown) : g_strdup (""), *label = ls_text_cut (name, 24),
                  *tip = ls_text_valid (name);
  gtk_menu_button_set_label (self->runs_button, label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->runs_button), tip);
  ls_window_update_actions (self);
}

static void
act_show_run (GtkWidget *w, const char *name, GVariant *p)
{
  ls_runs_show (LS_WINDOW (w)->runs, g_variant_get_uint32 (p));
}

static void
turn_runs (LsWindow *self, guint by)
{
  guint n = ls_runs_n (self->runs);
  if (n)
    ls_runs_show (self->runs, (ls_runs_current_index (self->runs) + by) % n);
}

static void act_next_run (GtkWidget *w, const char *name, GVariant *p) { turn_runs (LS_WINDOW (w), 1); }
static void act_prev_run (GtkWidget *w, const char *name, GVariant *p) { turn_runs (LS_WINDOW (w), ls_runs_n (LS_WINDOW (w)->runs) - 1); }

/* Statements are stepped through where the program is; from elsewhere one comes there. */
static void
step_statement (LsWindow *self, int direction)
{
  gboolean there = ls_window_is_in (self, LS_WORKSPACE_PROGRAM);
  guint n;
  ls_window_show_workspace (self, LS_WORKSPACE_PROGRAM);
  ls_statements_pane_get_number (ls_program_view_get_statements (self->program), &n);
  if (n == 0)
    ls_window_say (self, _("No statement of this program bound a tensor"));
  else if (there)
    ls_statements_pane_step (ls_program_view_get_statements (self->program), direction);
}

/* Into the passes that the current statement asked for: at their first step, or with direction -1 at their last one. If no rule fired in
 * them, the first or last pass: its visits say why. */
static gboolean
step_into (LsWindow *self, int direction)
{
  guint first, end;
  if (!ls_statements_pane_get_passes (ls_program_view_get_statements (self->program), &first, &end))
    return FALSE;
  if (!ls_view_session_go_among (self->session, first, end, direction))
    ls_view_session_go (self->session, (int) (direction > 0 ? first : end - 1), 0);
  ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
  ls_window_focus_graph (self);
  return TRUE;
}

/* From step to step, as one walk: a statement leads into the passes that it asked for, and their end back to it. */
void
ls_window_walk (LsWindow *self, int direction)
{
  LsStatementsPane *statements = ls_program_view_get_statements (self->program);
  if (ls_window_is_in (self, LS_WORKSPACE_PROGRAM)) {
    if (ls_statements_pane_is_done (statements) == (direction > 0) || !step_into (self, direction))
      ls_statements_pane_step (statements, direction);
    return;
  }
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  gint stop = pass ? ls_pass_asking_stop (trace, pass) : -1;
  int to = ls_view_session_next_pass_of_step (self->session, direction);
  guint first = 0, end = 0;
  if (stop >= 0)
    ls_stop_passes (trace, &g_array_index (ls_trace_stops (trace), LsStop, stop), &first, &end);
  if (end == 0 || (to >= (int) first && to < (int) end)) {
    (direction > 0 ? ls_view_session_next_step : ls_view_session_prev_step) (self->session);
    return;
  }
  ls_window_show_workspace (self, LS_WORKSPACE_PROGRAM);
  ls_statements_pane_go (statements, (guint) stop, direction > 0);
  ls_statements_pane_focus (statements);
}

static void act_into_statement (GtkWidget *w, const char *name, GVariant *p) { step_into (LS_WINDOW (w), 1); }
/* Counted from 1. */
static void
act_go_to_statement (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  ls_window_show_workspace (self, LS_WORKSPACE_PROGRAM);
  ls_statements_pane_go (ls_program_view_get_statements (self->program), MAX (g_variant_get_uint32 (p), 1) - 1, FALSE);
  ls_statements_pane_focus (ls_program_view_get_statements (self->program));
}

static void act_next_statement (GtkWidget *w, const char *name, GVariant *p) { step_statement (LS_WINDOW (w), 1); }
static void act_prev_statement (GtkWidget *w, const char *name, GVariant *p) { step_statement (LS_WINDOW (w), -1); }

static void
act_close_run (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  if (!self->running)
    ls_runs_close (self->runs, ls_runs_current_index (self->runs));
}

static void
on_form_run (LsRunForm *form, LsWindow *self)
{
  g_autoptr (LsRunOptions) options = ls_run_form_dup_options (form);
  if (self->running || self->loading)
    return;      /* it stays open */
  ls_window_run_with (self, options);
  gtk_window_close (GTK_WINDOW (form));      /* what it ran is seen */
}

static void
act_run_with (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  if (!self->run_form) {
    g_set_weak_pointer (&self->run_form, GTK_WIDGET (ls_run_form_new (GTK_WINDOW (self), self->session)));
    g_signal_connect_object (self->run_form, "run", G_CALLBACK (on_form_run), self, 0);
  }
  g_autofree char *program = ls_window_dup_program_name (self);
  ls_run_form_set (LS_RUN_FORM (self->run_form), self->options, self->path && !self->is_recording ? self->path : program);
  gtk_window_present (GTK_WINDOW (self->run_form));
}

void
ls_window_run_with (LsWindow *self, const LsRunOptions *options)
{
  if (self->running || self->loading)
    return;
  ls_run_options_free (self->options);
  self->options = ls_run_options_copy (options);
  ls_window_run_program (self);
}

/* --- with other rules --- */

/* The rule of the position's step, or NULL. */
static const LsTraceRule *
rule_of_step (LsWindow *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  guint step = ls_view_session_get_step (self->session);
  gint rule = pass && pass->kind == LS_PASS_REWRITE && step > 0 && step <= ls_pass_n_steps (pass) ? ls_pass_step_link (pass, step)->rule
                                                                                                  : -1;
  return rule >= 0 && (guint) rule < trace->rules->len ? trace->rules->pdata[rule] : NULL;
}

/* One word or line more. */
static void
add_word (char **list, const char *word, const char *between)
{
  g_auto (GStrv) words = g_strsplit (*list ? *list : "", between, -1);
  if (g_strv_contains ((const char *const *) words, word))
    return;
  char *longer = *list && **list ? g_strconcat (*list, between, word, NULL) : g_strdup (word);
  g_free (*list);
  *list = longer;
}

static void
act_run_without_rule (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  const LsTraceRule *rule = rule_of_step (self);
  if (!rule)
    return;
  g_autoptr (LsRunOptions) options = ls_run_options_copy (self->options);
  add_word (&options->disabled, rule->name, " ");
  ls_window_run_with (self, options);
}

/* Runs with the decision of the schedule's step turned around. */
static void
act_run_turned (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  const LsPass *pass = ls_view_session_pass (self->session);
  g_autofree char *what_if = pass ? ls_what_if_text (pass, ls_view_session_get_step (self->session)) : NULL,
                  *choice = what_if ? g_strconcat ("schedule=", what_if, NULL) : NULL;
  if (!choice) {
    ls_window_say (self, _("This step is not a decision that can be turned around"));
    return;
  }
  g_autoptr (LsRunOptions) options = ls_run_options_copy (self->options);
  add_word (&options->kernels, choice, ",");
  ls_window_run_with (self, options);
}

/* The options of one kernel are others, those of all others stay. */
static void
act_run_kernel (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  guint kernel;
  const char *spec;
  g_variant_get (p, "(u&s)", &kernel, &spec);
  g_autoptr (LsRunOptions) options = ls_run_options_copy (self->options);
  g_autofree char *own = g_strdup_printf ("k%u:", kernel);
  g_auto (GStrv) parts = g_strsplit (options->kernels ? options->kernels : "", ",", -1);
  GString *kernels = g_string_new (spec);
  for (guint i = 0; parts[i]; i++)
    if (*parts[i] && !g_str_has_prefix (parts[i], own))
      g_string_append_printf (kernels, ",%s", parts[i]);
  g_free (options->kernels);
  options->kernels = g_string_free (kernels, FALSE);
  ls_window_run_with (self, options);
}

static void
on_rule_run (LsRuleEditor *editor, const char *path, const char *left_out, LsWindow *self)
{
  g_autoptr (LsRunOptions) options = ls_run_options_copy (self->options);
  add_word (&options->rules, path, "\n");
  if (left_out)
    add_word (&options->disabled, left_out, " ");
  ls_window_run_with (self, options);
}

static void
act_edit_rule (GtkWidget *w, const char *name, GVariant *p)
{
  const LsTraceRule *rule = rule_of_step (LS_WINDOW (w));
  if (!rule)
    return;
  LsRuleEditor *editor = ls_rule_editor_new (GTK_WINDOW (w), rule);
  g_signal_connect_object (editor, "run", G_CALLBACK (on_rule_run), w, 0);
  gtk_window_present (GTK_WINDOW (editor));
}

/* --- comparing --- */

static void
on_added (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_load_trace_finish (result, &error);
  self->loading--;
  if (self->closed)
    return;
  if (trace) {
    LsRun run = { .options = ls_run_options_copy (NULL), .trace = ls_trace_ref (trace), .text = g_strdup (trace->program_text),
                  .std_out = g_strdup (trace->std_out), .file = g_strdup (trace->path) };
    ls_runs_take (self->runs, &run);
    ls_window_show_workspace (self, LS_WORKSPACE_COMPARE);
  } else
    ls_window_say (self, error->message);
  ls_window_check_idle (self);
}

void
ls_window_add_recording (LsWindow *self, const char *path)
{
  self->loading++;
  ls_load_trace_async (path, on_added, g_object_ref (self));
}

static void
act_compare_with (GtkWidget *w, const char *name, GVariant *p)
{
  ls_window_add_recording (LS_WINDOW (w), g_variant_get_string (p, NULL));
}

/* 0: the table of all kernels. */
static void
act_compare_kernel (GtkWidget *w, const char *name, GVariant *p)
{
  ls_compare_view_open_kernel (LS_WINDOW (w)->compare, g_variant_get_uint32 (p));
  ls_window_show_workspace (LS_WINDOW (w), LS_WORKSPACE_COMPARE);
}

static void
act_compare_band (GtkWidget *w, const char *name, GVariant *p)
{
  ls_compare_view_show_band (LS_WINDOW (w)->compare, (LsBand) MIN (g_variant_get_uint32 (p), LS_N_BANDS - 1));
}

static void act_measure (GtkWidget *w, const char *name, GVariant *p) { ls_compare_view_measure (LS_WINDOW (w)->compare); }

static void
on_go (LsWindow *self, guint run, const LsPosition *at, guint base, const LsPosition *of_base)
{
  g_autofree char *place = ls_position_print (at), *other = ls_position_print (of_base), *name = ls_runs_name (self->runs, base);
  gboolean any = of_base->step > 0 && of_base->step <= ls_pass_n_rewrites (of_base->pass);
  g_autofree char *step = any ? ls_step_sentence_shown (of_base->trace, of_base->pass, of_base->step, NULL) : NULL;
  g_autofree char *said = step ? g_strdup_printf (_("The baseline, %s, is at %s here: %s"), name, other, step)
                               : g_strdup_printf (_("The baseline, %s, has no further step here: %s"), name, other);
  ls_runs_show (self->runs, run);
  ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
  ls_view_session_go_link (self->session, place);
  ls_window_focus_graph (self);
  ls_window_say (self, said);
}

static void
on_try (LsWindow *self, guint run, guint kernel, const char *options)
{
  if (self->running || self->loading)
    return;
  ls_runs_show (self->runs, run);      /* its other options stay */
  gtk_widget_activate_action (GTK_WIDGET (self), "win.run-kernel", "(us)", kernel, options);
}

void
ls_window_install_run_actions (GtkWidgetClass *c)
{
  gtk_widget_class_install_action (c, "win.show-run", "u", act_show_run);
  gtk_widget_class_install_action (c, "win.next-statement", NULL, act_next_statement);
  gtk_widget_class_install_action (c, "win.into-statement", NULL, act_into_statement);
  gtk_widget_class_install_action (c, "win.go-to-statement", "u", act_go_to_statement);
  gtk_widget_class_install_action (c, "win.prev-statement", NULL, act_prev_statement);
  gtk_widget_class_install_action (c, "win.next-run", NULL, act_next_run);
  gtk_widget_class_install_action (c, "win.prev-run", NULL, act_prev_run);
  gtk_widget_class_install_action (c, "win.close-run", NULL, act_close_run);
  gtk_widget_class_install_action (c, "win.run-with", NULL, act_run_with);
  gtk_widget_class_install_action (c, "win.run-kernel", "(us)", act_run_kernel);
  gtk_widget_class_install_action (c, "win.run-without-rule", NULL, act_run_without_rule);
  gtk_widget_class_install_action (c, "win.run-turned", NULL, act_run_turned);
  gtk_widget_class_install_action (c, "win.compare-with", "s", act_compare_with);
  gtk_widget_class_install_action (c, "win.compare-kernel", "u", act_compare_kernel);
  gtk_widget_class_install_action (c, "win.compare-band", "u", act_compare_band);
  gtk_widget_class_install_action (c, "win.measure", NULL, act_measure);
  gtk_widget_class_install_action (c, "win.edit-rule", NULL, act_edit_rule);
}

void
ls_window_init_runs (LsWindow *self)
{
  self->options = ls_run_options_copy (NULL);
  self->runs = ls_runs_new ();
  self->runs_menu = g_menu_new ();
  gtk_menu_button_set_menu_model (self->runs_button, G_MENU_MODEL (self->runs_menu));
  g_signal_connect_object (self->runs, "changed", G_CALLBACK (ls_window_show_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->compare, "try", G_CALLBACK (on_try), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->compare, "go", G_CALLBACK (on_go), self, G_CONNECT_SWAPPED);
  ls_compare_view_set (self->compare, self->runs);
  ls_window_init_saved_runs (self);
  ls_window_update_runs (self);
}

void
ls_window_clear_runs (LsWindow *self)
{
  ls_window_forget_place (self);
  ls_window_clear_saved_runs (self);
  g_clear_pointer (&self->running_text, g_free);
  g_clear_pointer (&self->options, ls_run_options_free);
  g_clear_object (&self->runs);
  g_clear_object (&self->runs_menu);
  g_clear_weak_pointer (&self->run_form);
}
