/* Running while one types: after a pause in typing the program runs again, if the switch next to the editor is on. Nothing moves: the
 * workspace, the cursor and the place in the steps stay. Such runs take each other's place, so that a pause is not a column of Compare.
 * A program whose last run took longer than a second is run by Ctrl+Enter only. */
#include "window-private.h"
#include "kit/state.h"

#include <glib/gi18n.h>

#define PAUSE_MS     600
#define MOST_SECONDS 1.0

static void wait_for_pause (LsWindow *self);

/* The text that ran last, or nothing to compare with. */
static gboolean
has_run (LsWindow *self, const char *text)
{
  const LsRun *run = ls_runs_current (self->runs);
  return run && g_strcmp0 (run->text, text) == 0 && ls_run_options_equal (run->options, self->options);
}

static gboolean
on_pause (gpointer data)
{
  LsWindow *self = data;
  self->typing_pause = 0;
  g_autofree char *text = ls_program_view_dup_text (self->program);
  if (!ls_program_view_get_live (self->program) || (self->is_recording && !self->may_run) || has_run (self, text))
    return G_SOURCE_REMOVE;
  if (self->running || self->loading) {
    wait_for_pause (self);
    return G_SOURCE_REMOVE;
  }
  if (self->run_seconds > MOST_SECONDS) {
    g_autofree char *note = g_strdup_printf (_("The last run took %.1f s: Ctrl+Enter runs it"), self->run_seconds);
    ls_program_view_set_live_note (self->program, note);
    return G_SOURCE_REMOVE;
  }
  ls_program_view_set_live_note (self->program, "");
  self->typing = TRUE;
  ls_window_run_program (self);
  self->typing = self->running != NULL;
  return G_SOURCE_REMOVE;
}

static void
wait_for_pause (LsWindow *self)
{
  g_clear_handle_id (&self->typing_pause, g_source_remove);
  self->typing_pause = g_timeout_add (PAUSE_MS, on_pause, self);
}

static void
on_changed (LsWindow *self)
{
  if (ls_program_view_get_live (self->program))
    wait_for_pause (self);
}

static void
on_switched (LsWindow *self)
{
  ls_state_set_int ("window", "run-while-typing", ls_program_view_get_live (self->program));
  ls_program_view_set_live_note (self->program, "");
  on_changed (self);
}

void
ls_window_init_typing (LsWindow *self)
{
  ls_program_view_set_live (self->program, ls_state_get_int ("window", "run-while-typing", FALSE) == 1);
  g_signal_connect_object (self->program, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->program, "live-switched", G_CALLBACK (on_switched), self, G_CONNECT_SWAPPED);
}
