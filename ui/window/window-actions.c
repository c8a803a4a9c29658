/* The window's actions and keys.
 *
 * Plain letters are bound on the window in the bubble phase, so that text fields keep them; keys that work everywhere (Ctrl, F keys) are
 * accelerators of the application (application.c). An action is disabled where it means nothing.
 */
#include "window-private.h"
#include "help.h"
#include "kit/scale.h"
#include "kit/text.h"

#include <glib/gi18n.h>

static void act_run (GtkWidget *w, const char *name, GVariant *p) { ls_window_run_program (LS_WINDOW (w)); }
static void act_next (GtkWidget *w, const char *name, GVariant *p) { ls_window_walk (LS_WINDOW (w), 1); }
static void act_prev (GtkWidget *w, const char *name, GVariant *p) { ls_window_walk (LS_WINDOW (w), -1); }
static void act_next_rule (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_next_rule (LS_WINDOW (w)->session); }
static void act_prev_rule (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_prev_rule (LS_WINDOW (w)->session); }
static void act_filter (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_filter_steps (LS_WINDOW (w)->steps); }
static void act_first (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_first (LS_WINDOW (w)->steps); }
static void act_last (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_last (LS_WINDOW (w)->steps); }
static void act_next_pass (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_next_pass (LS_WINDOW (w)->session); }
static void act_prev_pass (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_prev_pass (LS_WINDOW (w)->session); }
static void
step_kernel (LsWindow *self, int direction)
{
  const LsWorkspace *at = ls_window_get_workspace (self);
  if (at && at->step_kernel)
    at->step_kernel (gtk_stack_get_visible_child (self->workspaces), direction);
  else if (direction > 0)
    ls_view_session_next_kernel (self->session);
  else
    ls_view_session_prev_kernel (self->session);
}

static void act_next_kernel (GtkWidget *w, const char *name, GVariant *p) { step_kernel (LS_WINDOW (w), 1); }
static void act_prev_kernel (GtkWidget *w, const char *name, GVariant *p) { step_kernel (LS_WINDOW (w), -1); }
static void act_fit (GtkWidget *w, const char *name, GVariant *p) { ls_graph_view_fit (ls_steps_view_get_graph (LS_WINDOW (w)->steps)); }
static void act_focus_change (GtkWidget *w, const char *name, GVariant *p) {
  ls_graph_view_focus_change (ls_steps_view_get_graph (LS_WINDOW (w)->steps)); }
static void act_expand_all (GtkWidget *w, const char *name, GVariant *p) {
  ls_graph_view_expand_all (ls_steps_view_get_graph (LS_WINDOW (w)->steps)); }
static void act_filter_nodes (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_show_filter (LS_WINDOW (w)->steps); }
static void act_toggle_hidden (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_toggle_hidden (LS_WINDOW (w)->steps); }
static void act_jump (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_jump (LS_WINDOW (w)->steps); }
static void act_start (GtkWidget *w, const char *name, GVariant *p) { ls_window_show_start (LS_WINDOW (w)); }
static void act_say (GtkWidget *w, const char *name, GVariant *p) { ls_window_say (LS_WINDOW (w), g_variant_get_string (p, NULL)); }

static void act_next_table (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_next_table (LS_WINDOW (w)->steps, 1); }
static void act_prev_table (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_next_table (LS_WINDOW (w)->steps, -1); }
static void act_fill (GtkWidget *w, const char *name, GVariant *p) { ls_steps_view_fill_with_table (LS_WINDOW (w)->steps); }
static void act_shortcuts (GtkWidget *w, const char *name, GVariant *p) { ls_help_show_shortcuts (GTK_WINDOW (w)); }
static void act_help (GtkWidget *w, const char *name, GVariant *p) { ls_help_show (GTK_WINDOW (w)); }

/* The graph measures its own text: it is scaled as a picture. */
static void
change_scale (GtkWidget *w, int direction)
{
  double factor = ls_scale_step (direction);
  if (factor != 1)
    ls_graph_view_zoom_by (ls_steps_view_get_graph (LS_WINDOW (w)->steps), factor);
  g_autofree char *text = g_strdup_printf (_("Size %d %%"), ls_scale_get ());
  ls_window_say (LS_WINDOW (w), text);
}

static void act_larger (GtkWidget *w, const char *name, GVariant *p) { change_scale (w, 1); }
static void act_smaller (GtkWidget *w, const char *name, GVariant *p) { change_scale (w, -1); }
static void act_usual_size (GtkWidget *w, const char *name, GVariant *p) { change_scale (w, 0); }

/* A collapsed box is expanded. */
static void
act_collapse (GtkWidget *w, const char *name, GVariant *p)
{
  LsGraphView *graph = ls_steps_view_get_graph (LS_WINDOW (w)->steps);
  if (!ls_graph_view_expand (graph) && !ls_graph_view_get_busy (graph) && ls_graph_view_collapse (graph) == 0)
    ls_window_say (LS_WINDOW (w), _("Choose a node that has inputs only it uses"));
}

static void
act_fold_loop (GtkWidget *w, const char *name, GVariant *p)
{
  LsGraphView *graph = ls_steps_view_get_graph (LS_WINDOW (w)->steps);
  if (!ls_graph_view_fold_loop (graph) && !ls_graph_view_get_busy (graph))
    ls_window_say (LS_WINDOW (w), _("Select a node in the frame of a loop or kernel"));
}

static void
act_workspace (GtkWidget *w, const char *name, GVariant *p)
{
  gtk_stack_set_visible_child_name (LS_WINDOW (w)->workspaces, g_variant_get_string (p, NULL));
}

static void
act_compare_from (GtkWidget *w, const char *name, GVariant *p)
{
  LsViewSession *session = LS_WINDOW (w)->session;
  ls_view_session_set_base (session, ls_view_session_get_pass (session), ls_view_session_get_step (session));
}

static void act_swap_base (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_swap_base (LS_WINDOW (w)->session); }
static void act_stop_comparing (GtkWidget *w, const char *name, GVariant *p) { ls_view_session_set_base (LS_WINDOW (w)->session, -1, 0); }

/* Esc: cancels a run, else goes back in the workspace, ends a search, playing, layout or comparison, else clears the selection. */
static void
act_cancel (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  const LsWorkspace *at = ls_window_get_workspace (self);
  if (!self->running && at && at->back && at->back (gtk_stack_get_visible_child (self->workspaces)))
    return;
  if (self->running)
    g_cancellable_cancel (self->running);
  else if (ls_stepping_cancel (self->stepping) || ls_asking_cancel (self->asking) ||
           ls_graph_view_cancel (ls_steps_view_get_graph (self->steps)))
    ;
  else if (ls_view_session_get_base (self->session, NULL) >= 0)
    ls_view_session_set_base (self->session, -1, 0);
  else
    ls_view_session_select (self->session, LS_CHOSEN_NOWHERE, NULL, 0);
}

static void
act_reset_layout (GtkWidget *w, const char *name, GVariant *p)
{
  ls_steps_view_layout (LS_WINDOW (w)->steps, gtk_widget_get_width (w), gtk_widget_get_height (w), TRUE);
}

static void
act_copy_link (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  g_autofree char *link = self->path ? ls_view_session_dup_link (self->session, self->path) : NULL;
  if (!link)
    return;
  g_autofree char *valid = ls_text_valid (link);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (w), valid);
  ls_window_say (self, _("Link copied"));
}

/* --- enabled actions --- */

void
ls_window_update_actions (LsWindow *self)
{
  GtkWidget *w = GTK_WIDGET (self);
  gboolean steps = ls_window_has_trait (self, LS_SHOWS_POSITION), work = ls_window_get_workspace (self) != NULL;
  gboolean busy = self->running || self->loading;
  gboolean position = ls_view_session_pass (self->session) != NULL;
  static const char *const stepping[] = { "win.next-rule", "win.prev-rule", "win.filter-steps",
                                          "win.first-step", "win.last-step", "win.next-pass", "win.prev-pass",
                                          "win.fit", "win.focus-change", "win.jump",
                                          "win.compare-from", "win.next-table",
                                          "win.prev-table", "win.fill-with-table", "win.collapse", "win.expand-all", "win.fold-loop",
                                          "win.filter-nodes", "win.toggle-hidden" };
  for (gsize i = 0; i < G_N_ELEMENTS (stepping); i++)
    gtk_widget_action_set_enabled (w, stepping[i], steps && position);
  const LsWorkspace *at = ls_window_get_workspace (self);
  static const char *const kernels[] = { "win.next-kernel", "win.prev-kernel" };
  for (gsize i = 0; i < G_N_ELEMENTS (kernels); i++)
    gtk_widget_action_set_enabled (w, kernels[i], (steps && position) || (at && at->step_kernel));
  gboolean walking = position && (steps || ls_window_is_in (self, LS_WORKSPACE_PROGRAM));
  gtk_widget_action_set_enabled (w, "win.next-step", walking);
  gtk_widget_action_set_enabled (w, "win.prev-step", walking);
  gboolean comparing = steps && position && ls_view_session_get_base (self->session, NULL) >= 0;
  gtk_widget_action_set_enabled (w, "win.swap-base", comparing);
  gtk_widget_action_set_enabled (w, "win.stop-comparing", comparing);
  ls_stepping_update_actions (self->stepping, steps && position);
  ls_asking_update_actions (self->asking, steps && position);
  gtk_widget_action_set_enabled (w, "win.run", work && !busy);
  gtk_widget_action_set_enabled (w, "win.open", !busy);
  gtk_widget_action_set_enabled (w, "win.start-page", !busy);
  gtk_widget_action_set_enabled (w, "win.save", work);
  gtk_widget_action_set_enabled (w, "win.save-recording", work && !busy && ls_view_session_get_trace (self->session));
  gtk_widget_action_set_enabled (w, "win.save-runs", work && !busy && ls_runs_n (self->runs) > 0);
  gtk_widget_action_set_enabled (w, "win.share", work && !busy && ls_view_session_get_trace (self->session));
  gtk_widget_action_set_enabled (w, "win.copy-link", work && position && self->path);
  gtk_widget_action_set_enabled (w, "win.sidebar", steps);
  gtk_widget_action_set_enabled (w, "win.present", work && position);
  gtk_widget_action_set_enabled (w, "win.reset-layout", steps);
  gtk_widget_action_set_enabled (w, "win.export-graph", steps && position);
  gtk_widget_action_set_enabled (w, "win.workspace", work);
  gtk_widget_set_visible (self->switcher, work);
  gtk_widget_set_visible (self->sidebar, work);
  gtk_widget_set_visible (self->run, work);
  ls_window_update_run_actions (self, work);
}

void
ls_window_install_actions (GtkWidgetClass *c)
{
  static const struct { const char *name, *parameter; GtkWidgetActionActivateFunc activate; } actions[] = {
    { "win.run", NULL, act_run },           { "win.cancel", NULL, act_cancel },
    { "win.next-step", NULL, act_next },    { "win.prev-step", NULL, act_prev },
    { "win.next-rule", NULL, act_next_rule }, { "win.prev-rule", NULL, act_prev_rule }, { "win.filter-steps", NULL, act_filter },
    { "win.first-step", NULL, act_first },  { "win.last-step", NULL, act_last },
    { "win.next-pass", NULL, act_next_pass }, { "win.prev-pass", NULL, act_prev_pass },
    { "win.next-kernel", NULL, act_next_kernel }, { "win.prev-kernel", NULL, act_prev_kernel },
    { "win.fit", NULL, act_fit },           { "win.focus-change", NULL, act_focus_change },
    { "win.collapse", NULL, act_collapse }, { "win.expand-all", NULL, act_expand_all },
    { "win.fold-loop", NULL, act_fold_loop },
    { "win.filter-nodes", NULL, act_filter_nodes }, { "win.toggle-hidden", NULL, act_toggle_hidden },
    { "win.jump", NULL, act_jump },         { "win.start-page", NULL, act_start },
    { "win.say", "s", act_say },        { "win.workspace", "s", act_workspace },
    { "win.reset-layout", NULL, act_reset_layout }, { "win.copy-link", NULL, act_copy_link },
    { "win.help", NULL, act_help },         { "win.shortcuts", NULL, act_shortcuts },
    { "win.larger", NULL, act_larger },     { "win.smaller", NULL, act_smaller },
    { "win.usual-size", NULL, act_usual_size }, { "win.compare-from", NULL, act_compare_from },
    { "win.swap-base", NULL, act_swap_base }, { "win.stop-comparing", NULL, act_stop_comparing },
    { "win.next-table", NULL, act_next_table }, { "win.prev-table", NULL, act_prev_table },
    { "win.fill-with-table", NULL, act_fill },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (c, actions[i].name, actions[i].parameter, actions[i].activate);
  ls_window_install_file_actions (c);
  ls_window_install_presenting_actions (c);
  ls_window_install_run_actions (c);
  ls_window_install_saved_run_actions (c);
  ls_stepping_install_actions (c);
  ls_asking_install_actions (c);
  gtk_widget_class_install_property_action (c, "win.sidebar", "sidebar-shown");
  static const struct { guint key; GdkModifierType mods; const char *action; } keys[] = {
    { GDK_KEY_n, 0, "win.next-step" }, { GDK_KEY_p, 0, "win.prev-step" }, { GDK_KEY_n, GDK_SHIFT_MASK, "win.next-pass" },
    { GDK_KEY_p, GDK_SHIFT_MASK, "win.prev-pass" },
    { GDK_KEY_e, 0, "win.next-rule" }, { GDK_KEY_e, GDK_SHIFT_MASK, "win.prev-rule" }, { GDK_KEY_l, 0, "win.filter-steps" },
    { GDK_KEY_f, 0, "win.fit" }, { GDK_KEY_period, 0, "win.focus-change" }, { GDK_KEY_g, 0, "win.jump" },
    { GDK_KEY_Escape, 0, "win.cancel" },
    { GDK_KEY_d, 0, "win.compare-from" }, { GDK_KEY_h, 0, "win.collapse" }, { GDK_KEY_h, GDK_SHIFT_MASK, "win.expand-all" },
    { GDK_KEY_u, 0, "win.fold-loop" },
    { GDK_KEY_v, 0, "win.filter-nodes" }, { GDK_KEY_v, GDK_SHIFT_MASK, "win.toggle-hidden" },
    { GDK_KEY_t, 0, "win.next-table" }, { GDK_KEY_t, GDK_SHIFT_MASK, "win.prev-table" },
    { GDK_KEY_z, 0, "win.fill-with-table" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (c, keys[i].key, keys[i].mods, keys[i].action, NULL);
}
