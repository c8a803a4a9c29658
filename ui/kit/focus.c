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

/* The focus can be the popover's own, and not its stack's. */
static void
on_popover_unmap (GtkWidget *popover)
{
  GtkRoot *root = gtk_widget_get_root (popover);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  if (focus && (focus == popover || gtk_widget_is_ancestor (focus, popover)))
    gtk_root_set_focus (root, NULL);
}

void
ls_focus_leave_hidden_pages (GtkWidget *root)
{
  if (GTK_IS_POPOVER (root))
    g_signal_connect (root, "unmap", G_CALLBACK (on_popover_unmap), NULL);
  if (GTK_IS_STACK (root)) {
    g_signal_connect (root, "notify::visible-child", G_CALLBACK (on_page), NULL);
    g_signal_connect (root, "unmap", G_CALLBACK (on_unmap), NULL);
  }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    ls_focus_leave_hidden_pages (child);
}
