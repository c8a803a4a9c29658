/* No widget is higher at some width than it says that it is at any: GTK would place it over others, and say so. In each pane, at each size
 * of the text. */
#include "fixture.h"

#include <string.h>

static guint n_seen;

static void
look_at (GtkWidget *widget, const char *where)
{
  int any, wide;
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &any, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 1 << 20, &wide, NULL, NULL, NULL);
  n_seen++;
  if (any < wide) {
    g_autoptr (GString) path = g_string_new (NULL);
    for (GtkWidget *w = widget; w; w = gtk_widget_get_parent (w))
      g_string_append_printf (path, "%s%s \"%s\"", path->len ? " in " : "", G_OBJECT_TYPE_NAME (w), gtk_widget_get_name (w));
    g_test_fail_printf ("%s: %d high at any width, %d at a large one: %s", where, any, wide, path->str);
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child) && gtk_widget_get_child_visible (child))
      look_at (child, where);
}

static void
look_at_panes (LsWindow *window, const char *size)
{
  static const char *const panes[] = { "changes", "source", "disassembly", "program",
#define X(name, ...) #name,
#include "panes/panes.def"
#undef X
  };
  for (guint i = 0; i < G_N_ELEMENTS (panes); i++) {
    gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", panes[i]);
    wait_window (window);
    g_autofree char *where = g_strdup_printf ("%s, %s", panes[i], size);
    look_at (GTK_WIDGET (window), where);
  }
  static const char *const workspaces[] = { "program", "compare", "steps" };
  for (guint i = 0; i < G_N_ELEMENTS (workspaces); i++) {
    gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", workspaces[i]);
    g_assert_true (wait_until (is_idle, window));
    look_at (GTK_WIDGET (window), workspaces[i]);
  }
}

static void
test_heights (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/index/3", 1280, 800);
  const GPtrArray *passes = ls_view_session_get_trace (window->session)->passes;
  ls_view_session_select (window->session, LS_CHOSEN_IN_GRAPH, &((const LsPass *) passes->pdata[passes->len - 1])->output, 1);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.origin", NULL);      /* an answer is shown */
  wait_window (window);
  for (guint i = 0; i < 12; i++) {
    g_autofree char *size = g_strdup_printf ("size %u", i);
    look_at_panes (window, size);
    gtk_widget_activate_action (GTK_WIDGET (window), i < 6 ? "win.larger" : "win.smaller", NULL);
    wait_window (window);
  }
  g_test_message ("%u heights", n_seen);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/sizes/heights", test_heights);
  return fixture_end ();
}
