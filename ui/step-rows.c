#include "step-rows.h"
#include "accessible.h"
#include "cells.h"
#include "index-model.h"
#include "text.h"
#include "tip.h"

#include <glib/gi18n.h>

enum { NUMBER, NAME, TIME, N_PARTS };

static void
setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[N_PARTS] = {
    { 3, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_NUMERIC }, { 3, LS_CELL_EXPAND }, { 4, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_NUMERIC },
  };
  gtk_list_item_set_child (item, ls_cells_new (looks, N_PARTS, 6));
}

static void
bind (GtkSignalListItemFactory *factory, GtkListItem *item, const LsSteps *steps)
{
  guint step = ls_index_item_get (gtk_list_item_get_item (item)) + 1, digits = 3;
  const LsTraceRule *rule = ls_steps_rule (*steps, step);
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  double us = ls_steps_ns (*steps, step) / 1e3;
  g_autofree char *number_text = g_strdup_printf ("%u", step);
  g_autofree char *name_text = ls_text_valid (rule ? rule->name : "?");
  g_autofree char *time_text = g_strdup_printf (us < 1 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
  for (guint n = ls_steps_n (*steps); n >= 1000; n /= 10)
    digits++;
  ls_cells_set_chars (cells, NUMBER, digits);
  ls_cells_set_text (cells, NUMBER, number_text);
  ls_cells_set_text (cells, NAME, name_text);
  ls_cells_set_text (cells, TIME, time_text);
  g_object_set_data (G_OBJECT (cells), "step", GUINT_TO_POINTER (step));
  g_autofree char *tip = rule ? g_strdup_printf (_("%s\n%s\n%s\n%s µs"), rule->name, rule->text, rule->sentence, time_text) : NULL;
  g_autofree char *valid = tip ? ls_text_valid (tip) : NULL;
  ls_tip_set (GTK_WIDGET (cells), valid);
  ls_accessible_name_row (item);
}

GtkListItemFactory *
ls_step_rows_new (const LsSteps *steps, GObject *owner)
{
  GClosure *closure = g_cclosure_new (G_CALLBACK (bind), (gpointer) steps, NULL);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (setup), NULL);
  g_object_watch_closure (owner, closure);
  g_signal_connect_closure (factory, "bind", closure, FALSE);
  return factory;
}
