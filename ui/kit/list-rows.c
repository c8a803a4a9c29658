/* The selection gets its model last: with it first, it would choose a row before autoselect is off. */
#include "list-rows.h"

GtkSingleSelection *
ls_list_choosable (GtkListView *list, gpointer model, gpointer self, GCallback chosen)
{
  GtkSingleSelection *selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_model (selection, model);
  gtk_list_view_set_model (list, GTK_SELECTION_MODEL (selection));
  g_signal_connect_object (selection, "notify::selected", chosen, self, G_CONNECT_SWAPPED);
  return selection;
}

GtkSingleSelection *
ls_list_rows (GtkListView *list, gpointer model, gpointer self, GCallback setup, GCallback bind, GCallback unbind, GCallback chosen)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  const struct { const char *signal; GCallback handler; } handlers[] = { { "setup", setup }, { "bind", bind }, { "unbind", unbind } };
  for (gsize i = 0; i < G_N_ELEMENTS (handlers); i++)
    if (handlers[i].handler)
      g_signal_connect_object (factory, handlers[i].signal, handlers[i].handler, self, 0);
  gtk_list_view_set_factory (list, factory);
  if (chosen)
    return ls_list_choosable (list, model, self, chosen);
  g_autoptr (GtkNoSelection) none = gtk_no_selection_new (g_object_ref (model));
  gtk_list_view_set_model (list, GTK_SELECTION_MODEL (none));
  return NULL;
}
