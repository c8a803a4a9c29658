/* The window's ways from step to step beyond next and previous: places visited, changes to the chosen node. */
#include "window-private.h"
#include "history.h"
#include "step-scan.h"

#include <glib/gi18n.h>

struct _LsStepping {
  LsWindow   *window;
  LsHistory  *history;
  LsStepScan *scan;
  LsLineage   lineage;
};

/* --- what is looked for --- */

gboolean
ls_stepping_get_busy (LsStepping *s)
{
  return s->scan != NULL || ls_search_bar_get_busy (ls_steps_view_get_search (s->window->steps));
}

gboolean
ls_stepping_cancel (LsStepping *s)
{
  gboolean any = s->scan != NULL;
  g_clear_pointer (&s->scan, ls_step_scan_cancel);
  return any;
}

static gboolean
changes_node (LsTrace *trace, const LsPass *pass, guint step, gpointer data)
{
  return ls_lineage_follow (&((LsStepping *) data)->lineage, trace, pass, step);
}

static void
on_change_found (const LsPass *pass, guint step, gpointer data)
{
  LsStepping *s = data;
  LsViewSession *session = s->window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  s->scan = NULL;
  if (!pass) {
    ls_window_toast (s->window, s->lineage.direction > 0 ? _("No later step changes this node") : _("No earlier step changes this node"));
  } else if (trace && pass->index < trace->passes->len && trace->passes->pdata[pass->index] == pass) {
    ls_view_session_go (session, (int) pass->index, step);
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &s->lineage.seen, 1);
  }
  ls_window_check_idle (s->window);
}

static void
find_change (LsWindow *self, int direction)
{
  LsStepping *s = self->stepping;
  GArray *chosen = ls_view_session_graph_nodes (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  ls_stepping_cancel (s);
  if (!pass || chosen->len == 0) {
    ls_window_toast (self, _("Choose a node of the graph first"));
    return;
  }
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint step = ls_view_session_get_step (self->session);
  s->lineage = ls_lineage_start (trace, pass, step, g_array_index (chosen, guint32, 0), direction);
  if (s->lineage.ended)
    ls_window_toast (self, direction > 0 ? _("This step removes the node") : _("This step makes the node"));
  else
    s->scan = ls_step_scan_start (trace, pass, step, direction, changes_node, on_change_found, s);
}

static void act_next_change (GtkWidget *w, const char *name, GVariant *p) { find_change (LS_WINDOW (w), 1); }
static void act_prev_change (GtkWidget *w, const char *name, GVariant *p) { find_change (LS_WINDOW (w), -1); }
static void act_search (GtkWidget *w, const char *name, GVariant *p) { ls_search_bar_open (ls_steps_view_get_search (LS_WINDOW (w)->steps)); }
static void act_back (GtkWidget *w, const char *name, GVariant *p) { ls_history_go (LS_WINDOW (w)->stepping->history, -1); }
static void act_forward (GtkWidget *w, const char *name, GVariant *p) { ls_history_go (LS_WINDOW (w)->stepping->history, 1); }

/* --- what is possible now --- */

void
ls_stepping_update_actions (LsStepping *s, gboolean possible)
{
  GtkWidget *w = GTK_WIDGET (s->window);
  static const char *const names[] = { "win.next-change", "win.prev-change", "win.search" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    gtk_widget_action_set_enabled (w, names[i], possible);
  gtk_widget_action_set_enabled (w, "win.back", possible && ls_history_can_go (s->history, -1));
  gtk_widget_action_set_enabled (w, "win.forward", possible && ls_history_can_go (s->history, 1));
}

static void
on_moved (LsWindow *self)
{
  if (self->stepping)
    ls_stepping_cancel (self->stepping);
}

LsStepping *
ls_stepping_new (LsWindow *window)
{
  LsStepping *s = g_new0 (LsStepping, 1);
  s->window = window;
  s->history = ls_history_new (window->session);
  g_signal_connect_object (window->session, "trace-changed", G_CALLBACK (on_moved), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (window->session, "position-changed", G_CALLBACK (on_moved), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (ls_steps_view_get_search (window->steps), "finished", G_CALLBACK (ls_window_check_idle), window, G_CONNECT_SWAPPED);
  return s;
}

void
ls_stepping_free (LsStepping *s)
{
  ls_stepping_cancel (s);
  g_object_unref (s->history);
  g_free (s);
}

void
ls_stepping_install_actions (GtkWidgetClass *c)
{
  static const struct { const char *name, *parameter; GtkWidgetActionActivateFunc activate; } actions[] = {
    { "win.next-change", NULL, act_next_change }, { "win.prev-change", NULL, act_prev_change },
    { "win.search", NULL, act_search },
    { "win.back", NULL, act_back },               { "win.forward", NULL, act_forward },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (c, actions[i].name, actions[i].parameter, actions[i].activate);
  static const struct { guint key; GdkModifierType mods; const char *action; } keys[] = {
    { GDK_KEY_c, 0, "win.next-change" }, { GDK_KEY_c, GDK_SHIFT_MASK, "win.prev-change" },
    { GDK_KEY_slash, 0, "win.search" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (c, keys[i].key, keys[i].mods, keys[i].action, NULL);
}
