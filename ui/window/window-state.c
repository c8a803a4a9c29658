/* The state of a window that is restored next time: its size, whether it fills the screen, the sidebar, the workspace, the texts, the page
 * of the drawer and the classes of nodes that are hidden. Splits are the Steps workspace's own, recent files are noted where they are
 * opened. A value that makes no sense counts as none. */
#include "window-private.h"
#include "kit/state.h"
#include "panes/panes.h"
#include "session/node-filter.h"

static int
state_in (const char *key, int least, int most, int fallback)
{
  int value = ls_state_get_int ("window", key, fallback);
  return value < least || value > most ? fallback : value;
}

void
ls_window_restore (LsWindow *self)
{
  gtk_window_set_default_size (GTK_WINDOW (self), state_in ("width", 200, 16384, 1440), state_in ("height", 200, 16384, 900));
  if (state_in ("maximized", FALSE, TRUE, FALSE))
    gtk_window_maximize (GTK_WINDOW (self));
  ls_steps_view_set_sidebar (self->steps, state_in ("sidebar", FALSE, TRUE, TRUE));
  g_auto (GStrv) texts = ls_state_dup_list ("window", "texts");
  for (guint i = 0; texts[i]; i++)
    ls_steps_view_show_text (self->steps, texts[i]);
  ls_view_session_set_hidden (self->session, (guint) state_in ("hidden", 0, LS_HIDE_ALL | LS_HIDE_FRAMES, 0));
  self->program_first = state_in ("program-workspace", FALSE, TRUE, FALSE);
  g_auto (GStrv) table = ls_state_dup_list ("window", "table");
  if (table[0])
    ls_steps_view_show_table (self->steps, ls_pane_restored (table[0]));
}

void
ls_window_remember (LsWindow *self)
{
  ls_window_present_steps (self, FALSE);
  const char *table = ls_steps_view_get_table (self->steps);
  int width, height;
  /* follows the user's resizing; the widget's own size lacks the frame */
  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  ls_state_set_int ("window", "width", width);
  ls_state_set_int ("window", "height", height);
  ls_state_set_int ("window", "maximized", gtk_window_is_maximized (GTK_WINDOW (self)));
  ls_state_set_int ("window", "sidebar", ls_steps_view_get_sidebar (self->steps));
  ls_state_set_int ("window", "hidden", (int) ls_view_session_get_hidden (self->session));
  const char *left = ls_steps_view_get_text (self->steps, 0), *right = ls_steps_view_get_text (self->steps, 1);
  gboolean first = ls_steps_view_sees_text (self->steps, 0);
  const char *texts[] = { first ? right : left, first ? left : right };      /* last, so that it comes to the front */
  ls_state_set_list ("window", "texts", texts, 2);
  if (ls_window_is_in (self, LS_WORKSPACE_PROGRAM) || ls_window_is_in (self, LS_WORKSPACE_STEPS))
    ls_state_set_int ("window", "program-workspace", ls_window_is_in (self, LS_WORKSPACE_PROGRAM));
  ls_state_set_list ("window", "table", &table, 1);
  ls_state_save ();
}
