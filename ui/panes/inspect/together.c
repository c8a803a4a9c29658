/* Values, shapes and execution next to each other, with one selection: a selection in one is shown in all. Below each other where it is
 * turned upright. */
#include "panes/panes.h"
#include "values-pane.h"

static const char *const parts[] = { "values", "shapes", "execution" };

void
ls_together_pane_changed (gpointer together, LsWatch what)
{
  GtkWidget *part = gtk_widget_get_first_child (gtk_widget_get_first_child (together));
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    const LsPane *pane = ls_pane_find (parts[i]);
    if (pane->watches & what)
      pane->changed (part, what);
    part = i == 0 ? gtk_widget_get_next_sibling (part) : gtk_widget_get_last_child (together);
  }
}

GtkWidget *
ls_together_pane_new (LsViewSession *session)
{
  GtkWidget *together = g_object_new (GTK_TYPE_BOX, "homogeneous", TRUE, "spacing", 1, NULL),
            *node = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (together, "together");
  gtk_box_append (GTK_BOX (together), node);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    GtkWidget *part = ls_pane_find (parts[i])->make (session);
    gtk_widget_set_vexpand (part, TRUE);
    gtk_box_append (GTK_BOX (i < 2 ? node : together), part);
    if (i == 0)
      ls_values_pane_set_narrow (LS_VALUES_PANE (part));
  }
  return together;
}
