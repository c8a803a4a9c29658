/* The window's ways from step to step beyond next and previous: places visited, changes to the chosen node, search, bookmarks, play and
 * breakpoints, key moments. One thing is looked for or played at a time; moving elsewhere ends it. */
#include "window-private.h"
#include "session/bookmarks.h"
#include "session/history.h"
#include "session/key-steps.h"
#include "session/step-scan.h"
#include "kit/text.h"
#include "trace/node-history.h"

#include <glib/gi18n.h>

#define PACE 400      /* milliseconds from step to step */

struct _LsStepping {
  LsWindow    *window;
  LsHistory   *history;
  LsBookmarks *bookmarks;
  LsKeySteps   *key_steps;
  LsStepScan  *scan;
  LsNodeHistory node_history;            /* of the chosen node, once it was asked for */
  gboolean     with_node, node_hit;      /* breakpoints: the selected node is followed; it caused the stop */
  guint        tell;                     /* timeout source: says how far the scan is */
  guint        play;                     /* timeout source */
  const LsPass *played;                  /* where play is */
  guint        played_step;
};

gboolean
ls_stepping_get_busy (LsStepping *s)
{
  return s && (s->scan || ls_key_steps_get_busy (s->key_steps) || ls_search_bar_get_busy (ls_steps_view_get_search (s->window->steps)));
}

/* --- how far a scan is --- */

static void
end_progress (LsStepping *s)
{
  g_clear_handle_id (&s->tell, g_source_remove);
  ls_notices_set_progress (s->window->notices, NULL);
}

static gboolean
on_progress (gpointer data)
{
  LsStepping *s = data;
  guint64 looked, all;
  ls_step_scan_progress (s->scan, &looked, &all);
  g_autofree char *a = ls_text_count (looked), *b = ls_text_count (all), *text = g_strdup_printf (_("Looking… %s of %s steps"), a, b);
  ls_notices_set_progress (s->window->notices, text);
  return G_SOURCE_CONTINUE;
}

static void
start_scan (LsStepping *s, int direction, LsStepReady ready, LsStepTest test, LsStepDone done)
{
  LsViewSession *session = s->window->session;
  s->scan = ls_step_scan_start (ls_view_session_get_trace (session), ls_view_session_pass (session), ls_view_session_get_step (session),
                                direction, ready, test, done, s);
  s->tell = g_timeout_add (300, on_progress, s);
}

gboolean
ls_stepping_cancel (LsStepping *s)
{
  gboolean any = s->scan || s->play;
  g_clear_pointer (&s->scan, ls_step_scan_cancel);
  end_progress (s);
  if (s->play)
    ls_steps_view_set_playing (s->window->steps, FALSE);
  g_clear_handle_id (&s->play, g_source_remove);
  ls_window_check_idle (s->window);
  return any;
}

static gboolean
is_shown_pass (LsStepping *s, const LsPass *pass)
{
  LsTrace *trace = ls_view_session_get_trace (s->window->session);
  return trace && pass->index < trace->passes->len && trace->passes->pdata[pass->index] == pass;
}

/* The chosen node as the graph shows it. */
static gboolean
start_fate (LsStepping *s, int direction)
{
  LsViewSession *session = s->window->session;
  GArray *chosen = ls_view_session_graph_nodes (session);
  if (!ls_view_session_pass (session) || chosen->len == 0)
    return FALSE;
  ls_node_history_clear (&s->node_history);
  s->node_history = ls_node_history_start (ls_view_session_get_trace (session), ls_view_session_pass (session),
                                           ls_view_session_get_step (session), g_array_index (chosen, guint32, 0), direction);
  return TRUE;
}

/* --- changes to the chosen node --- */

static gboolean
changes_node (LsTrace *trace, const LsPass *pass, guint step, gpointer data)
{
  return ls_node_history_follow (&((LsStepping *) data)->node_history, trace, pass, step);
}

static void
on_change_found (const LsPass *pass, guint step, gpointer data)
{
  LsStepping *s = data;
  s->scan = NULL;
  end_progress (s);
  if (!pass) {
    ls_window_say (s->window, s->node_history.direction > 0 ? _("No later step changes this node")
                                                            : _("No earlier step changes this node"));
  } else if (is_shown_pass (s, pass)) {
    ls_view_session_go (s->window->session, (int) pass->index, step);
    ls_view_session_select (s->window->session, LS_CHOSEN_IN_GRAPH, &s->node_history.seen, 1);
  }
  ls_window_check_idle (s->window);
}

static void
find_change (LsWindow *self, int direction)
{
  LsStepping *s = self->stepping;
  ls_stepping_cancel (s);
  if (!start_fate (s, direction))
    ls_window_say (self, _("Select a node of the graph first"));
  else if (s->node_history.ended)
    ls_window_say (self, direction > 0 ? _("This step removes the node") : _("This step makes the node"));
  else
    start_scan (s, direction, NULL, changes_node, on_change_found);
}

/* --- play, and run to a breakpoint --- */

static void
start_breakpoints (LsStepping *s)
{
  s->with_node = ls_breakpoints_get_node (ls_steps_view_get_breakpoints (s->window->steps)) && start_fate (s, 1);
  s->node_hit = FALSE;
}

static gboolean
is_ready (const LsPass *pass, gint64 microseconds, gpointer data)
{
  LsWindow *window = ((LsStepping *) data)->window;
  return ls_breakpoints_ready (ls_steps_view_get_breakpoints (window->steps), ls_view_session_get_trace (window->session), pass,
                               microseconds);
}

static gboolean
is_stop (LsTrace *trace, const LsPass *pass, guint step, gpointer data)
{
  LsStepping *s = data;
  s->node_hit = s->with_node && ls_node_history_follow (&s->node_history, trace, pass, step);
  return s->node_hit || ls_breakpoints_hits (ls_steps_view_get_breakpoints (s->window->steps), trace, pass, step);
}

static void
say_stop (LsStepping *s, LsTrace *trace, const LsPass *pass, guint step)
{
  g_autofree char *why = s->node_hit ? g_strdup (_("the selected node changes"))
                                     : ls_breakpoints_test (ls_steps_view_get_breakpoints (s->window->steps), trace, pass, step);
  g_autofree char *cut = ls_text_cut (why ? why : "", 80);
  g_autofree char *text = g_strdup_printf (_("Stopped at step %u: %s"), step, cut);
  if (s->node_hit)
    ls_view_session_select (s->window->session, LS_CHOSEN_IN_GRAPH, &s->node_history.seen, 1);
  ls_window_say (s->window, text);
}

static gboolean
on_play (gpointer data)
{
  LsStepping *s = data;
  LsViewSession *session = s->window->session;
  if (!is_ready (ls_view_session_pass (session), 6000, s))
    return G_SOURCE_CONTINUE;
  if (!ls_view_session_next_step (session)) {
    s->play = 0;
    ls_steps_view_set_playing (s->window->steps, FALSE);
    ls_window_say (s->window, _("This was the last step"));
    return G_SOURCE_REMOVE;
  }
  s->played = ls_view_session_pass (session);
  s->played_step = ls_view_session_get_step (session);
  if (!is_stop (ls_view_session_get_trace (session), s->played, s->played_step, s))
    return G_SOURCE_CONTINUE;
  s->play = 0;
  ls_steps_view_set_playing (s->window->steps, FALSE);
  say_stop (s, ls_view_session_get_trace (session), s->played, s->played_step);
  return G_SOURCE_REMOVE;
}

static void
act_play (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  LsStepping *s = self->stepping;
  if (s->play) {
    ls_stepping_cancel (s);
    return;
  }
  ls_stepping_cancel (s);
  start_breakpoints (s);
  s->played = ls_view_session_pass (self->session);
  s->played_step = ls_view_session_get_step (self->session);
  s->play = g_timeout_add (PACE, on_play, s);
  ls_steps_view_set_playing (self->steps, TRUE);
}

static void
on_stop_found (const LsPass *pass, guint step, gpointer data)
{
  LsStepping *s = data;
  s->scan = NULL;
  end_progress (s);
  if (!pass) {
    ls_window_say (s->window, _("There is no later breakpoint"));
  } else if (is_shown_pass (s, pass)) {
    ls_view_session_go (s->window->session, (int) pass->index, step);
    say_stop (s, ls_view_session_get_trace (s->window->session), pass, step);
  }
  ls_window_check_idle (s->window);
}

static void
act_run_to (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  LsStepping *s = self->stepping;
  ls_stepping_cancel (s);
  if (ls_breakpoints_n (ls_steps_view_get_breakpoints (self->steps)) == 0) {
    ls_window_say (self, _("No breakpoint is set: press x to set one"));
    return;
  }
  start_breakpoints (s);
  start_scan (s, 1, is_ready, is_stop, on_stop_found);
}

/* --- key moments and bookmarks --- */

static void
find_key_step (LsWindow *self, int direction)
{
  guint pass, step;
  if (ls_key_steps_find (self->stepping->key_steps, ls_view_session_get_step (self->session), direction, &pass, &step))
    ls_view_session_go (self->session, (int) pass, step);
  else
    ls_window_say (self, direction > 0 ? _("No later key moment in this kernel") : _("No earlier key moment in this kernel"));
}

static void
show_marks (gpointer data)
{
  LsStepping *s = data;
  const LsPass *pass = ls_view_session_pass (s->window->session);
  const GArray *firsts = ls_key_steps_firsts (s->key_steps);
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (LsStepMark));
  for (guint i = 0; i < firsts->len; i++) {
    LsStepMark mark = { g_array_index (firsts, guint, i), LS_STEP_MARK_FIRST };
    g_array_append_val (marks, mark);
  }
  if (ls_key_steps_shrink (s->key_steps)) {
    LsStepMark mark = { ls_key_steps_shrink (s->key_steps), LS_STEP_MARK_SHRINK };
    g_array_append_val (marks, mark);
  }
  for (guint i = 0; pass && i < ls_bookmarks_n (s->bookmarks); i++) {
    g_auto (LsPlace) place = LS_PLACE_INIT;
    LsPosition at;
    if (ls_place_parse (ls_bookmarks_get (s->bookmarks, i), &place, NULL) &&
        ls_place_resolve (&place.at, ls_view_session_get_trace (s->window->session), &at, NULL) && at.pass == pass) {
      LsStepMark mark = { at.step, LS_STEP_MARK_BOOKMARK };
      g_array_append_val (marks, mark);
    }
  }
  ls_step_slider_set_marks (ls_steps_view_get_slider (s->window->steps), (const LsStepMark *) marks->data, marks->len);
  ls_window_check_idle (s->window);
}

static void
show_bookmarks (LsStepping *s)
{
  g_menu_remove_all (s->window->bookmarks_menu);
  for (guint i = 0; i < ls_bookmarks_n (s->bookmarks); i++) {
    g_autofree char *valid = ls_text_valid (ls_bookmarks_get (s->bookmarks, i));
    g_auto (GStrv) parts = g_strsplit (valid, "_", -1);      /* an underscore is a mnemonic in menus */
    g_autofree char *label = g_strjoinv ("__", parts);
    g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);
    g_menu_item_set_action_and_target (item, "win.go-to", "s", valid);
    g_menu_append_item (s->window->bookmarks_menu, item);
  }
  show_marks (s);
}

static void
follow_file (LsStepping *s)
{
  if (g_strcmp0 (ls_bookmarks_path (s->bookmarks), s->window->path) == 0)
    return;
  ls_bookmarks_free (s->bookmarks);
  s->bookmarks = ls_bookmarks_new (s->window->path);
  show_bookmarks (s);
}

static void
act_bookmark (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  g_autofree char *link = ls_view_session_get_link (self->session);
  if (!link)
    return;
  g_autofree char *valid = ls_text_valid (link);
  gboolean set = ls_bookmarks_toggle (self->stepping->bookmarks, valid);
  g_autofree char *text = g_strdup_printf (set ? _("Bookmark set at %s") : _("Bookmark at %s removed"), valid);
  ls_window_say (self, text);
  show_bookmarks (self->stepping);
}

static void
act_go_to (GtkWidget *w, const char *name, GVariant *p)
{
  if (!ls_view_session_go_link (LS_WINDOW (w)->session, g_variant_get_string (p, NULL)))
    ls_window_say (LS_WINDOW (w), _("This recording has no such place"));
}

/* --- actions --- */

static void act_next_change (GtkWidget *w, const char *name, GVariant *p) { find_change (LS_WINDOW (w), 1); }
static void act_prev_change (GtkWidget *w, const char *name, GVariant *p) { find_change (LS_WINDOW (w), -1); }
static void act_next_key_step (GtkWidget *w, const char *name, GVariant *p) { find_key_step (LS_WINDOW (w), 1); }
static void act_prev_key_step (GtkWidget *w, const char *name, GVariant *p) { find_key_step (LS_WINDOW (w), -1); }
static void act_search (GtkWidget *w, const char *name, GVariant *p) { ls_search_bar_open (ls_steps_view_get_search (LS_WINDOW (w)->steps));
                                                                       }
static void act_breakpoints (GtkWidget *w, const char *name, GVariant *p) { g_object_set (w, "sidebar-shown", TRUE, NULL);
                                                                            ls_steps_view_show_breakpoints (LS_WINDOW (w)->steps); }
static void act_back (GtkWidget *w, const char *name, GVariant *p) { ls_history_go (LS_WINDOW (w)->stepping->history, -1); }
static void act_forward (GtkWidget *w, const char *name, GVariant *p) { ls_history_go (LS_WINDOW (w)->stepping->history, 1); }

static const struct { const char *name, *parameter; GtkWidgetActionActivateFunc activate; } actions[] = {
  { "win.next-change", NULL, act_next_change }, { "win.prev-change", NULL, act_prev_change },
  { "win.next-moment", NULL, act_next_key_step }, { "win.prev-moment", NULL, act_prev_key_step },
  { "win.search", NULL, act_search },           { "win.breakpoints", NULL, act_breakpoints },
  { "win.play", NULL, act_play },               { "win.run-to", NULL, act_run_to },           { "win.bookmark", NULL, act_bookmark },
  { "win.go-to", "s", act_go_to },              { "win.back", NULL, act_back },               { "win.forward", NULL, act_forward },
};

void
ls_stepping_update_actions (LsStepping *s, gboolean possible)
{
  GtkWidget *w = GTK_WIDGET (s->window);
  for (gsize i = 0; i < G_N_ELEMENTS (actions) - 2; i++)
    gtk_widget_action_set_enabled (w, actions[i].name, possible);
  gtk_widget_action_set_enabled (w, "win.back", possible && ls_history_can_go (s->history, -1));
  gtk_widget_action_set_enabled (w, "win.forward", possible && ls_history_can_go (s->history, 1));
  if (!possible)
    ls_stepping_cancel (s);
}

static void
on_moved (LsWindow *self)
{
  LsStepping *s = self->stepping;
  if (!s)
    return;
  const LsPass *pass = ls_view_session_pass (self->session);
  if (!s->play || pass != s->played || ls_view_session_get_step (self->session) != s->played_step)
    ls_stepping_cancel (s);
  ls_key_steps_set_pass (s->key_steps, ls_view_session_get_trace (self->session), pass);
  follow_file (s);
  show_marks (s);
}

static void
on_trace_changed (LsWindow *self)
{
  LsStepping *s = self->stepping;
  if (!s)
    return;
  ls_stepping_cancel (s);
  ls_key_steps_set_pass (s->key_steps, NULL, NULL);
  ls_breakpoints_set_trace (ls_steps_view_get_breakpoints (self->steps), ls_view_session_get_trace (self->session));
}

LsStepping *
ls_stepping_new (LsWindow *window)
{
  LsStepping *s = g_new0 (LsStepping, 1);
  s->window = window;
  s->history = ls_history_new (window->session);
  s->bookmarks = ls_bookmarks_new (NULL);
  s->key_steps = ls_key_steps_new (show_marks, s);
  g_signal_connect_object (window->session, "trace-changed", G_CALLBACK (on_trace_changed), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (window->session, "position-changed", G_CALLBACK (on_moved), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (ls_steps_view_get_search (window->steps), "finished", G_CALLBACK (ls_window_check_idle), window,
                           G_CONNECT_SWAPPED);
  /* a window uses Space itself: to activate the focused widget */
  GtkWidget *players[] = { GTK_WIDGET (ls_steps_view_get_graph (window->steps)), GTK_WIDGET (ls_steps_view_get_slider (window->steps)) };
  for (gsize i = 0; i < G_N_ELEMENTS (players); i++) {
    GtkEventController *keys = gtk_shortcut_controller_new ();
    gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys), gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_space, 0),
                                                                                            gtk_named_action_new ("win.play")));
    gtk_widget_add_controller (players[i], keys);
  }
  return s;
}

void
ls_stepping_free (LsStepping *s)
{
  g_clear_pointer (&s->scan, ls_step_scan_cancel);
  end_progress (s);
  g_clear_handle_id (&s->play, g_source_remove);
  ls_node_history_clear (&s->node_history);
  ls_key_steps_free (s->key_steps);
  ls_bookmarks_free (s->bookmarks);
  g_object_unref (s->history);
  g_free (s);
}

void
ls_stepping_install_actions (GtkWidgetClass *c)
{
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (c, actions[i].name, actions[i].parameter, actions[i].activate);
  static const struct { guint key; GdkModifierType mods; const char *action; } keys[] = {
    { GDK_KEY_c, 0, "win.next-change" }, { GDK_KEY_c, GDK_SHIFT_MASK, "win.prev-change" }, { GDK_KEY_k, 0, "win.next-moment" },
    { GDK_KEY_k, GDK_SHIFT_MASK, "win.prev-moment" }, { GDK_KEY_slash, 0, "win.search" }, { GDK_KEY_b, 0, "win.bookmark" },
    { GDK_KEY_r, 0, "win.run-to" }, { GDK_KEY_x, 0, "win.breakpoints" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (c, keys[i].key, keys[i].mods, keys[i].action, NULL);
}
