/* One menu for every place where a node can be pointed at. The pointer first selects the item under it, as a plain click would; the
 * items are the window's actions, which are about the selection. Lists have no menu of their own, so that the popover's parent is the
 * pane around them. */
#include "question-menu.h"
#include "kit/focus.h"

#include <glib/gi18n.h>

typedef struct { GtkWidget *widget, *host, *popover; LsQuestionPick pick; gpointer data; } Menu;

GMenuModel *
ls_question_menu_model (guint line)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenuItem) origin = g_menu_item_new (line ? _("Where Does This Line Come From?") : _("Where Does This Come From?"), NULL);
  if (line)
    g_menu_item_set_action_and_target (origin, "win.origin-of-line", "u", line);
  else
    g_menu_item_set_detailed_action (origin, "win.origin");
  g_menu_append_item (menu, origin);
  g_menu_append (menu, _("Values Here"), "win.values-here");
  g_menu_append (menu, _("Why Did a Rule Not Fire Here?"), "win.why-not");
  g_menu_append (menu, _("What Did This Rule Do?"), "win.rule-did");
  return G_MENU_MODEL (menu);
}

static gboolean
open_at (Menu *m, double x, double y)
{
  if (!m->pick (m->widget, x, y, m->data))
    return FALSE;
  if (!m->popover) {
    g_autoptr (GMenuModel) model = ls_question_menu_model (0);
    m->popover = gtk_popover_menu_new_from_model (model);
    gtk_widget_set_name (m->popover, "question-menu");
    gtk_popover_set_has_arrow (GTK_POPOVER (m->popover), FALSE);
    gtk_widget_set_halign (m->popover, GTK_ALIGN_START);
    gtk_widget_set_parent (m->popover, m->host);
    ls_focus_leave_hidden_pages (m->popover);
  }
  if (x < 0) {
    x = gtk_widget_get_width (m->widget) / 3.0;
    y = gtk_widget_get_height (m->widget) / 3.0;
  }
  double hx = x, hy = y;
  gtk_widget_translate_coordinates (m->widget, m->host, x, y, &hx, &hy);
  gtk_popover_set_pointing_to (GTK_POPOVER (m->popover), &(GdkRectangle) { (int) hx, (int) hy, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (m->popover));
  return TRUE;
}

static void
pressed (GtkGestureClick *gesture, int n_press, double x, double y, Menu *m)
{
  if (open_at (m, x, y))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static gboolean
on_key (GtkWidget *widget, GVariant *args, gpointer data)
{
  return open_at (data, -1, -1);
}

static void
on_destroy (Menu *m)
{
  g_clear_pointer (&m->popover, gtk_widget_unparent);
}

static void
menu_free (gpointer m, GClosure *closure)
{
  g_free (m);
}

void
ls_question_menu_attach (GtkWidget *widget, GtkWidget *host, LsQuestionPick pick, gpointer data)
{
  Menu *m = g_new0 (Menu, 1);
  *m = (Menu) { widget, host, NULL, pick, data };
  g_signal_connect_data (host, "destroy", G_CALLBACK (on_destroy), m, menu_free, G_CONNECT_SWAPPED);      /* widget may go before it */
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed), m);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  GtkEventController *keys = gtk_shortcut_controller_new ();
  static const struct { guint key; GdkModifierType mods; } triggers[] = { { GDK_KEY_Menu, 0 }, { GDK_KEY_F10, GDK_SHIFT_MASK } };
  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                          gtk_shortcut_new (gtk_keyval_trigger_new (triggers[i].key, triggers[i].mods),
                                                            gtk_callback_action_new (on_key, m, NULL)));
  gtk_widget_add_controller (widget, keys);
}
