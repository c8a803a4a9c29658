/* Presentation: graph, rule card and one text, large, on the whole screen; the keys that a clicker sends go from step to step.
 *
 * What is hidden is as it was when the presentation ends. Its keys are heard before any widget's, so that they mean the same wherever
 * the focus is. */
#include "window-private.h"
#include "kit/scale.h"

#define LARGE 150      /* percent */

static void
set_scale (LsWindow *self, int percent)
{
  double factor = ls_scale_set (percent);
  if (factor != 1)
    ls_graph_view_zoom_by (ls_steps_view_get_graph (self->steps), factor);
}

void
ls_window_present_steps (LsWindow *self, gboolean presenting)
{
  if (self->presenting == presenting)
    return;
  self->presenting = presenting;
  gtk_widget_set_visible (self->header, !presenting);
  if (presenting) {
    ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
    self->scale_before = ls_scale_get ();
    gtk_window_fullscreen (GTK_WINDOW (self));
  } else {
    gtk_window_unfullscreen (GTK_WINDOW (self));
  }
  ls_window_focus_graph (self);      /* before what has the focus is hidden */
  ls_steps_view_set_presenting (self->steps, presenting);
  set_scale (self, presenting ? MAX (self->scale_before, LARGE) : self->scale_before);
}

static void
act_present (GtkWidget *w, const char *name, GVariant *p)
{
  ls_window_present_steps (LS_WINDOW (w), !LS_WINDOW (w)->presenting);
}

static gboolean
on_key (GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state, LsWindow *self)
{
  if (!self->presenting || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (keyval) {
  case GDK_KEY_Page_Down: case GDK_KEY_KP_Page_Down: case GDK_KEY_Right: case GDK_KEY_Down: case GDK_KEY_space:
    ls_view_session_next_step (self->session);
    return TRUE;
  case GDK_KEY_Page_Up: case GDK_KEY_KP_Page_Up: case GDK_KEY_Left: case GDK_KEY_Up:
    ls_view_session_prev_step (self->session);
    return TRUE;
  case GDK_KEY_Escape:
    ls_window_present_steps (self, FALSE);
    return TRUE;
  default:
    return FALSE;
  }
}

void
ls_window_init_presenting (LsWindow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
ls_window_install_presenting_actions (GtkWidgetClass *c)
{
  gtk_widget_class_install_action (c, "win.present", NULL, act_present);
}
