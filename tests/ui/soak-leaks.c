/* Widgets that outlive their window. Text with line numbers does in GtkSourceView 5.6, and the window of tooltips is GTK's own. A button
 * or menu does now and then: GTK 4.8 forgets what it noted when two things that have the focus are hidden in one frame (see ui/focus.h).
 * No other object may stay, or memory grows with every window that was ever open. */
#include "input.h"
#include "soak.h"

#include <gtksourceview/gtksource.h>

#define MOST 100      /* one in so many */
#define MENU 460      /* widgets of the largest of GTK's menus, that of emoji (ours: 127; a window: 2,000): one of these says nothing
                       * about how often, in a run of a few windows */

static GHashTable *expected;      /* widgets that are to go */
static guint n_expected, n_kept;

static void
on_gone (gpointer data, GObject *widget)
{
  g_hash_table_remove (expected, widget);
}

void
soak_kept_watch (GtkWidget *widget)
{
  if (!expected)
    expected = g_hash_table_new (NULL, NULL);
  if (g_hash_table_add (expected, widget) && ++n_expected)
    g_object_weak_ref (G_OBJECT (widget), on_gone, NULL);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    soak_kept_watch (child);
}

static guint
count_below (GtkWidget *widget)
{
  guint n = 1;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    n += count_below (child);
  return n;
}

/* The uppermost object that stays without an excuse. */
static gboolean
is_kept (GtkWidget *widget)
{
  return !gtk_widget_get_parent (widget) && !GTK_SOURCE_IS_VIEW (widget) && !g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkTooltipWindow");
}

gboolean
soak_kept_any (void)
{
  GHashTableIter iter;
  gpointer widget;
  if (!expected)
    return FALSE;
  g_hash_table_iter_init (&iter, expected);
  while (g_hash_table_iter_next (&iter, &widget, NULL))
    if (is_kept (widget))
      return TRUE;
  return FALSE;
}

void
soak_kept_report (void)
{
  GHashTableIter iter;
  gpointer key;
  if (!expected)
    return;
  g_hash_table_iter_init (&iter, expected);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    GtkWidget *widget = key;
    g_object_weak_unref (G_OBJECT (widget), on_gone, NULL);
    if (!is_kept (widget))
      continue;
    guint n = count_below (widget);
    g_printerr ("soak: a %s \"%s\" outlives its window, held %u times, with %u widgets below\n", G_OBJECT_TYPE_NAME (widget),
                widget_called (widget), G_OBJECT (widget)->ref_count, n - 1);
    n_kept += n;
  }
  g_hash_table_remove_all (expected);
}

gboolean
soak_kept_too_many (void)
{
  g_print ("soak: %u of %u widgets outlived their windows\n", n_kept, n_expected);
  return n_kept > MENU && n_kept * MOST > n_expected;
}
