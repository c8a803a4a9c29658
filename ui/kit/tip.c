/* gtk_widget_set_tooltip_text asks the display server where the pointer is, and waits for the answer, whether the text is another one
 * or not: for the rows of a list that is scrolled, and for labels that follow the position, that is most of the time to the next
 * frame. Here the text is kept, and looked at when the pointer rests on the widget.
 */
#include "tip.h"

static GQuark
tip_quark (void)
{
  return g_quark_from_static_string ("ls-tip");
}

static gboolean
on_query (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  gtk_tooltip_set_text (tooltip, ls_tip_get (widget));
  return ls_tip_get (widget) != NULL;
}

void
ls_tip_set (GtkWidget *widget, const char *text)
{
  const char *was = ls_tip_get (widget);
  if (text && !*text)
    text = NULL;
  if (g_strcmp0 (was, text) == 0)
    return;
  if (!gtk_widget_get_has_tooltip (widget)) {
    g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
    gtk_widget_set_has_tooltip (widget, TRUE);
  }
  g_object_set_qdata_full (G_OBJECT (widget), tip_quark (), text ? g_utf8_make_valid (text, -1) : NULL, g_free);
  /* as GTK does for its own tooltips */
  if (text)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, ls_tip_get (widget), -1);
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}

/* Of a menu button: its toggle is TRUE while the menu is open. */
static void
on_menu (GtkToggleButton *toggle, GParamSpec *pspec, GtkWidget *button)
{
  gtk_widget_set_has_tooltip (button, !gtk_toggle_button_get_active (toggle));
  gtk_widget_trigger_tooltip_query (button);      /* hides the one that is shown */
}

void
ls_tip_hide_under_menus (GtkWidget *root)
{
  GtkWidget *child = gtk_widget_get_first_child (root);
  if (GTK_IS_MENU_BUTTON (root) && GTK_IS_TOGGLE_BUTTON (child) && gtk_widget_get_has_tooltip (root))
    g_signal_connect (child, "notify::active", G_CALLBACK (on_menu), root);
  for (; child; child = gtk_widget_get_next_sibling (child))
    ls_tip_hide_under_menus (child);
}

const char *
ls_tip_get (GtkWidget *widget)
{
  return g_object_get_qdata (G_OBJECT (widget), tip_quark ());
}
