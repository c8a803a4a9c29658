/* In GTK 4.8 Tab goes through a list row by row: with a million rows there is no way out. GTK's focus order passes over a list that may
 * not have the focus, so this is set for the one move. And who comes into a list by Tab begins at the row that is chosen, not at the
 * first one, where the next arrow would go astray. */
#include "list-keys.h"

typedef struct { gboolean tab; GtkWidget *list; } Move;      /* a Tab is under way; the list it began in, or NULL: compared only */

static GtkWidget *
list_around (GtkWidget *widget)
{
  while (widget && !GTK_IS_LIST_BASE (widget))
    widget = gtk_widget_get_parent (widget);
  return widget;
}

static void
on_focus (GtkWidget *window, GParamSpec *pspec, gpointer data)
{
  Move *move = data;
  GtkWidget *list = list_around (gtk_root_get_focus (GTK_ROOT (window)));
  if (!move->tab || !list || list == move->list)
    return;
  move->tab = FALSE;
  for (GtkWidget *row = gtk_widget_get_first_child (list); row; row = gtk_widget_get_next_sibling (row))
    if ((gtk_widget_get_state_flags (row) & GTK_STATE_FLAG_SELECTED) && gtk_widget_get_mapped (row)) {
      gtk_widget_child_focus (row, GTK_DIR_TAB_FORWARD);
      return;
    }
}

static gboolean
on_key (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, gpointer data)
{
  GtkWidget *window = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (keys)), *focus = gtk_root_get_focus (GTK_ROOT (window)),
            *list = NULL, *row = NULL;
  Move *move = data;
  *move = (Move) { (key == GDK_KEY_Tab || key == GDK_KEY_ISO_Left_Tab || key == GDK_KEY_KP_Tab) &&
                   !(state & (GDK_CONTROL_MASK | GDK_ALT_MASK)), list_around (focus) };
  if (!move->tab)
    return FALSE;
  for (GtkWidget *w = focus; w && gtk_widget_get_parent (w); w = gtk_widget_get_parent (w))
    if (GTK_IS_LIST_BASE (w))
      list = w;
    else if (GTK_IS_LIST_BASE (gtk_widget_get_parent (w)))
      row = w;
  if (!list)
    return FALSE;
  GtkDirectionType direction = key == GDK_KEY_ISO_Left_Tab || (state & GDK_SHIFT_MASK) ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD;
  if (row && gtk_widget_child_focus (row, direction))      /* to the row's other widgets */
    return TRUE;
  gtk_widget_set_can_focus (list, FALSE);
  gtk_widget_child_focus (window, direction);
  gtk_widget_set_can_focus (list, TRUE);
  return TRUE;
}

void
ls_list_keys_install (GtkWidget *window)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  Move *move = g_new0 (Move, 1);
  g_object_set_data_full (G_OBJECT (window), "ls-list-keys", move, g_free);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), move);
  g_signal_connect (window, "notify::focus-widget", G_CALLBACK (on_focus), move);
  gtk_widget_add_controller (window, keys);
}
