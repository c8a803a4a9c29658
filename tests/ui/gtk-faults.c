#include "gtk-faults.h"

#include <string.h>

GtkWidget *
gtk_fault_widget (const char *message)
{
  const char *at = strstr (message, " 0x");
  if (!at || !(strstr (message, "Trying to snapshot") || strstr (message, "reported min") || strstr (message, "attempt to allocate") ||
               strstr (message, "needs at least") || strstr (message, "reports a min")))
    return NULL;
  return GTK_WIDGET ((gpointer) (gsize) g_ascii_strtoull (at + 1, NULL, 16));
}

static gboolean
has_text_view (GtkWidget *widget)
{
  if (GTK_IS_TEXT_VIEW (widget) && gtk_widget_get_mapped (widget))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (has_text_view (child))
      return TRUE;
  return FALSE;
}

/* A text view lays lines out while it is placed and while it is drawn (gtk_text_view_flush_first_validate): it asks for a new size
 * then, which marks what is around it, and moves its scrollbars. Nobody but text views was found to do so, with a GTK that noted who
 * marked what. */
gboolean
gtk_fault_is_known (const char *message)
{
  GtkWidget *widget = gtk_fault_widget (message);
  if (widget && strstr (message, "reported min"))      /* the shortcuts window: a label of nothing while it is built, and small text */
    return gtk_widget_get_ancestor (widget, GTK_TYPE_SHORTCUTS_WINDOW) ||
           (GTK_IS_LABEL (widget) && !*gtk_label_get_text (GTK_LABEL (widget)));
  if (!widget || !strstr (message, "Trying to snapshot"))
    return FALSE;
  GtkWidget *bar = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLBAR), *around = bar ? gtk_widget_get_parent (bar) : NULL;
  return has_text_view (around && GTK_IS_SCROLLED_WINDOW (around) ? around : widget);
}
