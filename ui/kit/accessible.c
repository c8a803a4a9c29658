/* Names for assistive technology.
 *
 * GTK 4.8 reports a button with an icon by its image's type, gives a menu button's name to a frame that cannot have the focus, and finds
 * no name for a row from its contents. So names are set here: from tooltips, which describe a button, and from the words of a row.
 */
#include "accessible.h"
#include "cells.h"
#include "table.h"

#include <glib/gi18n.h>
#include <string.h>

static void
set_name (GtkWidget *widget, const char *name)
{
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);      /* it would come first */
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* "Copy the source (Ctrl+C)" without the key. */
static char *
first_words (const char *tip)
{
  gsize length = strcspn (tip, "\n");
  const char *key = g_strrstr_len (tip, (gssize) length, " (");
  return g_strndup (tip, key && key > tip ? (gsize) (key - tip) : length);
}

static void
name_one (GtkWidget *widget)
{
  const char *tip = gtk_widget_get_tooltip_text (widget);
  gboolean icon = GTK_IS_BUTTON (widget) && !gtk_button_get_label (GTK_BUTTON (widget));
  if (GTK_IS_PANED (widget)) {
    set_name (widget, _("Split"));
  } else if (tip && (icon || GTK_IS_MENU_BUTTON (widget))) {
    g_autofree char *name = first_words (tip);
    set_name (widget, name);
    if (GTK_IS_MENU_BUTTON (widget))
      set_name (gtk_widget_get_first_child (widget), name);
  } else if (LS_IS_TABLE (widget)) {
    GtkWidget *page = gtk_widget_get_ancestor (widget, GTK_TYPE_STACK), *child = widget;
    while (page && gtk_widget_get_parent (child) != page)
      child = gtk_widget_get_parent (child);
    const char *title = page ? gtk_stack_page_get_title (gtk_stack_get_page (GTK_STACK (page), child)) : NULL;
    ls_table_set_name (LS_TABLE (widget), title ? title : _("Table"));
  }
}

void
ls_accessible_name_all (GtkWidget *root)
{
  name_one (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    ls_accessible_name_all (child);
}

static void
add_words (GtkWidget *widget, GString *words)
{
  if (LS_IS_CELLS (widget)) {
    g_autofree char *texts = ls_cells_dup_words (LS_CELLS (widget));
    g_string_append_printf (words, "%s%s", words->len && *texts ? ", " : "", texts);
    return;
  }
  const char *text = GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget)) : GTK_IS_INSCRIPTION (widget)
                     ? gtk_inscription_get_text (GTK_INSCRIPTION (widget)) : NULL;
  if (text && *text)
    g_string_append_printf (words, "%s%s", words->len ? ", " : "", text);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child))
      add_words (child, words);
}

void
ls_accessible_name_row (GtkListItem *item)
{
  GtkWidget *child = gtk_list_item_get_child (item), *row = gtk_widget_get_parent (child);
  g_autoptr (GString) words = g_string_new (NULL);
  if (!row)
    return;
  add_words (child, words);
  set_name (row, words->str);
}
