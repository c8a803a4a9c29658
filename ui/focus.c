#include "focus.h"

static void
on_page (GtkStack *stack)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (stack));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL, *shown = gtk_stack_get_visible_child (stack);
  if (focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (stack)) && focus != shown && !(shown && gtk_widget_is_ancestor (focus, shown)))
    gtk_root_set_focus (root, NULL);
}

void
ls_focus_leave_hidden_pages (GtkWidget *root)
{
  if (GTK_IS_STACK (root))
    g_signal_connect (root, "notify::visible-child", G_CALLBACK (on_page), NULL);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    ls_focus_leave_hidden_pages (child);
}
