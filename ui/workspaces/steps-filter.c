/* Which classes of nodes graph and rows leave out: the menu of checks above the graph, and how many nodes that hides, which shows them
 * again. The count stays there as long as a class is chosen, so that nothing comes and goes while one steps.
 */
#include "steps-view-private.h"
#include "session/node-filter.h"

#include <glib/gi18n.h>

static void
show_filter (LsStepsView *self)
{
  guint classes = ls_view_session_get_hidden (self->session), n = ls_graph_view_get_n_hidden (self->graph);
  g_autofree char *text = g_strdup_printf (ngettext ("%u hidden", "%u hidden", n), n);
  gtk_button_set_label (GTK_BUTTON (self->hidden), text);
  gtk_widget_set_visible (self->hidden, (classes & LS_HIDE_ALL) != 0);
  for (guint i = 0; i < LS_N_HIDDEN; i++) {
    GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->filters), ls_hidden_classes[i].name);
    g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean ((classes >> i & 1) != 0));
  }
}

static void
on_hidden_changed (LsStepsView *self)
{
  guint classes = ls_view_session_get_hidden (self->session);
  if (classes & LS_HIDE_ALL)
    self->last_hidden = classes & LS_HIDE_ALL;
  ls_graph_view_set_hidden (self->graph, classes);
  show_filter (self);
}

static void
on_change_state (GSimpleAction *action, GVariant *state, gpointer data)
{
  LsStepsView *self = data;
  guint classes = ls_view_session_get_hidden (self->session);
  for (guint i = 0; i < LS_N_HIDDEN; i++)
    if (g_str_equal (g_action_get_name (G_ACTION (action)), ls_hidden_classes[i].name))
      classes = g_variant_get_boolean (state) ? classes | 1u << i : classes & ~(1u << i);
  ls_view_session_set_hidden (self->session, classes);
}

void
ls_steps_view_show_filter (LsStepsView *self)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->filter));
}

void
ls_steps_view_toggle_hidden (LsStepsView *self)
{
  guint classes = ls_view_session_get_hidden (self->session);
  ls_view_session_set_hidden (self->session, (classes & LS_HIDE_FRAMES) | (classes & LS_HIDE_ALL ? 0 : self->last_hidden));
}

void
ls_steps_filter_init (LsStepsView *self)
{
  self->last_hidden = LS_HIDE_ALL;
  self->filters = g_simple_action_group_new ();
  g_autoptr (GMenu) menu = g_menu_new (), section = g_menu_new ();
  for (guint i = 0; i < LS_N_HIDDEN; i++) {
    g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (ls_hidden_classes[i].name, NULL, g_variant_new_boolean (FALSE));
    g_autofree char *name = g_strconcat ("hide.", ls_hidden_classes[i].name, NULL);
    g_signal_connect_object (action, "change-state", G_CALLBACK (on_change_state), self, 0);
    g_action_map_add_action (G_ACTION_MAP (self->filters), G_ACTION (action));
    g_menu_append (section, _(ls_hidden_classes[i].title), name);
  }
  g_menu_append_section (menu, _("Hide"), G_MENU_MODEL (section));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "hide", G_ACTION_GROUP (self->filters));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->filter), G_MENU_MODEL (menu));
}

void
ls_steps_filter_set_session (LsStepsView *self)
{
  g_signal_connect_object (self->session, "hidden-changed", G_CALLBACK (on_hidden_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "notify::n-hidden", G_CALLBACK (show_filter), self, G_CONNECT_SWAPPED);
  on_hidden_changed (self);
}
