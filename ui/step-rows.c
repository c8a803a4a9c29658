#include "step-rows.h"
#include "accessible.h"
#include "index-model.h"
#include "text.h"
#include "tip.h"

#include <glib/gi18n.h>

static void
setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  for (guint i = 0; i < 3; i++) {
    GtkWidget *text;
    if (i == 1) {      /* a label, since an inscription that is cut off stands higher than its neighbours */
      text = gtk_label_new (NULL);
      gtk_label_set_xalign (GTK_LABEL (text), 0);
      gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
      gtk_widget_set_hexpand (text, TRUE);
    } else {
      text = gtk_inscription_new (NULL);
      gtk_inscription_set_xalign (GTK_INSCRIPTION (text), 1);
      gtk_inscription_set_min_chars (GTK_INSCRIPTION (text), i == 0 ? 3 : 4);
      gtk_inscription_set_nat_chars (GTK_INSCRIPTION (text), i == 0 ? 3 : 4);
      gtk_widget_add_css_class (text, "dim-label");
      gtk_widget_add_css_class (text, "numeric");
    }
    gtk_box_append (GTK_BOX (box), text);
  }
  gtk_list_item_set_child (item, box);
}

static void
bind (GtkSignalListItemFactory *factory, GtkListItem *item, const LsSteps *steps)
{
  guint step = ls_index_item_get (gtk_list_item_get_item (item)) + 1, digits = 3;
  const LsTraceRule *rule = ls_steps_rule (*steps, step);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *number = gtk_widget_get_first_child (box), *name = gtk_widget_get_next_sibling (number), *time = gtk_widget_get_next_sibling (name);
  double us = ls_steps_ns (*steps, step) / 1e3;
  g_autofree char *number_text = g_strdup_printf ("%u", step);
  g_autofree char *name_text = ls_text_valid (rule ? rule->name : "?");
  g_autofree char *time_text = g_strdup_printf (us < 1 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
  for (guint n = ls_steps_n (*steps); n >= 1000; n /= 10)
    digits++;
  gtk_inscription_set_text (GTK_INSCRIPTION (number), number_text);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (number), digits);
  gtk_inscription_set_nat_chars (GTK_INSCRIPTION (number), digits);
  gtk_label_set_text (GTK_LABEL (name), name_text);
  gtk_inscription_set_text (GTK_INSCRIPTION (time), time_text);
  g_object_set_data (G_OBJECT (box), "step", GUINT_TO_POINTER (step));
  g_autofree char *tip = rule ? g_strdup_printf (_("%s\n%s\n%s\n%s µs"), rule->name, rule->text, rule->sentence, time_text) : NULL;
  g_autofree char *valid = tip ? ls_text_valid (tip) : NULL;
  ls_tip_set (box, valid);
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
