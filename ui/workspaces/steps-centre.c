/* The middle of the Steps workspace: the graph, or the schedule in its place.
 *
 * At the schedule of a kernel, and of a realization before its first decision, the schedule comes by itself, and goes with it. The user's
 * choice holds: the schedule at any position, the graph for this one.
 */
#include "steps-view-private.h"

static gboolean
is_at_schedule (LsStepsView *self)
{
  const LsPass *pass = self->session ? ls_view_session_pass (self->session) : NULL;
  return pass && g_str_has_prefix (pass->name, "schedule") && ls_view_session_get_base (self->session, NULL) < 0 &&
         (pass->kernel || ls_view_session_get_step (self->session) == 0);
}

/* The user's choice: the schedule for any position, the graph for this one. */
static void
note_choice (LsStepsView *self, gboolean schedule)
{
  self->pinned = schedule;
  self->dismissed = !schedule && is_at_schedule (self);
}

static void
on_centre (LsStepsView *self)
{
  if (!self->showing)
    note_choice (self, ls_steps_view_shows_schedule (self));
  gtk_widget_set_sensitive (self->modes, !ls_steps_view_shows_schedule (self));
  /* the schedule has its own description */
  gtk_widget_set_visible (GTK_WIDGET (self->card), !ls_steps_view_shows_schedule (self));
}

void
ls_steps_view_set_schedule (LsStepsView *self, gboolean shown)
{
  gtk_stack_set_visible_child_name (self->centre, shown ? "schedule" : "graph");
  note_choice (self, shown);
  gtk_widget_grab_focus (gtk_stack_get_visible_child (self->centre));
}

/* A kernel chosen in the schedule becomes the position: the schedule stays, whatever position that is. */
static void
on_kernel_chosen (LsStepsView *self)
{
  self->pinned = TRUE;
}

/* At a schedule's position the schedule is shown; elsewhere it is hidden again, unless the user asked for it. */
void
ls_steps_centre_update (LsStepsView *self)
{
  gboolean here = is_at_schedule (self);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  self->dismissed &= here;
  gboolean shown = self->pinned || (here && !self->dismissed), focused = focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->centre));
  if (shown == ls_steps_view_shows_schedule (self))
    return;
  self->showing = TRUE;
  gtk_stack_set_visible_child_name (self->centre, shown ? "schedule" : "graph");
  if (focused)
    gtk_widget_grab_focus (gtk_stack_get_visible_child (self->centre));
  self->showing = FALSE;
}

gboolean
ls_steps_view_shows_schedule (LsStepsView *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->centre), "schedule") == 0;
}

void
ls_steps_centre_init (LsStepsView *self)
{
  g_signal_connect_object (self->centre, "notify::visible-child", G_CALLBACK (on_centre), self, G_CONNECT_SWAPPED);
}

void
ls_steps_centre_set_session (LsStepsView *self)
{
  g_signal_connect_object (self->schedule, "kernel-chosen", G_CALLBACK (on_kernel_chosen), self, G_CONNECT_SWAPPED);
}
