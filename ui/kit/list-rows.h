/* The parts that a GtkListView needs to show rows: a factory and a selection. */
#pragma once
#include <gtk/gtk.h>

/* Gives a list its rows: setup, bind and, where not NULL, unbind are handlers of GtkSignalListItemFactory with self as their data;
 * chosen (self) hears when another row is chosen. No row is chosen by itself, and none need be. Returns the selection, a new
 * reference; NULL where chosen is: then rows cannot be chosen. */
GtkSingleSelection *ls_list_rows (GtkListView *list, gpointer model, gpointer self, GCallback setup, GCallback bind, GCallback unbind,
                                  GCallback chosen);
/* The selection alone, for another model or for later. */
GtkSingleSelection *ls_list_choosable (GtkListView *list, gpointer model, gpointer self, GCallback chosen);
