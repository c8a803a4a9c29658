#include "focus.h"

static void
leave (GtkStack *stack, GtkWidget *shown)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (stack));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  if (focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (stack)) && focus != shown && !(shown && gtk_widget_is_ancestor (focus, shown)))
    gtk_root_set_focus (root, NULL);
}

static void
on_page (GtkStack *stack)
{
  leave (stack, gtk_stack_get_visible_child (stack));
}

/* A menu that closes with a submenu open goes back to its first page when it is hidden. */
static void
on_unmap (GtkStack *stack)
{
  leave (stack, NULL);
}

void
ls_focus_leave_hidden_pages (GtkWidget *root)
{
  if (GTK_IS_STACK (root)) {
    g_signal_connect (root, "notify::visible-child", G_CALLBACK (on_page), NULL);
    g_signal_connect (root, "unmap", G_CALLBACK (on_unmap), NULL);
  }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    ls_focus_leave_hidden_pages (child);
}
