/* The texts next to the graph by the mouse: the visible ones, and the effect of the window's size on graph and texts. */
#include "kit/cells.h"
#include "fixture.h"
#include "kit/state.h"

#include <stdlib.h>
#include <string.h>

static const char *const position = "3/simplify#2/5";

static gboolean
is_seen (LsWindow *window, const char *name)
{
  GtkWidget *widget = find_widget (GTK_WIDGET (window), name);
  return widget && gtk_widget_get_mapped (widget);
}

static LsWindow *
open_at_size (int width, int height)
{
  ls_state_forget ("splits");
  ls_state_forget ("window");
  return open_recording (fixture_matmul (), position, width, height);
}

static int
graph_width (LsWindow *window)
{
  return gtk_widget_get_width (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
}

/* One text at a time if the window is narrow, each by its button, the second next to it on request. */
static void
test_narrow (void)
{
  static const char *const texts[][2] = { { "text-source", "source" }, { "text-final", "uops" }, { "text-disassembly", "disassembly" },
                                          { "text-program", "program-lines" }, { "text-step", "changes" } };
  LsWindow *window = open_at_size (1280, 800);
  int alone = graph_width (window);
  g_assert_cmpint (alone, >=, 1280 * 45 / 100);
  g_assert_true (is_seen (window, "changes"));
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    input_click (find_widget (GTK_WIDGET (window), texts[i][0]));
    wait_window (window);
    for (gsize k = 0; k < G_N_ELEMENTS (texts); k++) {
      g_assert_cmpint (is_seen (window, texts[k][1]), ==, i == k);
      g_assert_cmpint (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find_widget (GTK_WIDGET (window), texts[k][0]))), ==, i == k);
    }
    g_assert_cmpint (graph_width (window), ==, alone);
  }
  input_click (find_widget (GTK_WIDGET (window), "text-step"));      /* what is there stays */
  g_assert_true (is_seen (window, "changes"));
  input_click (find_widget (GTK_WIDGET (window), "texts-both"));
  wait_window (window);
  g_assert_true (is_seen (window, "changes") && is_seen (window, "program-lines"));
  g_assert_cmpint (graph_width (window), <, alone);
  input_click (find_widget (GTK_WIDGET (window), "texts-both"));
  wait_window (window);
  g_assert_cmpint (graph_width (window), ==, alone);
  close_window (window);
}

/* Two if it is wide, the graph with at least two fifths; and the result for a size does not depend on the one before. */
static void
test_sizes (void)
{
  static const struct { int width, height, texts; } sizes[] = { { 1280, 800, 1 }, { 1600, 1000, 2 }, { 1024, 700, 1 }, { 1690, 1000, 2 },
                                                                { 1280, 800, 1 } };
  LsWindow *window = open_at_size (1280, 800);
  int first = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gtk_window_set_default_size (GTK_WINDOW (window), sizes[i].width, sizes[i].height);
    settle ();
    wait_window (window);
    settle ();
    g_assert_cmpint (abs (gtk_widget_get_width (GTK_WIDGET (window)) - sizes[i].width), <, 20);      /* the frame */
    g_assert_cmpint (is_seen (window, "changes") + is_seen (window, "source"), ==, sizes[i].texts);
    g_assert_cmpint (graph_width (window), >=, gtk_widget_get_width (GTK_WIDGET (window)) * 39 / 100);
    if (i == 0)
      first = graph_width (window);
  }
  g_assert_cmpint (graph_width (window), ==, first);
  close_window (window);
}

/* Half a screen of 1920. */
static void
test_half_a_screen (void)
{
  LsWindow *window = open_at_size (960, 1000);
  int least;
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  g_assert_cmpint (least, <=, 960);
  g_assert_cmpint (graph_width (window), >=, 960 * 2 / 5);
  close_window (window);
}

/* A split that was drawn stays as it was drawn, at other sizes and in other windows, until the layout is reset. */
static void
test_drawn (void)
{
  LsWindow *window = open_at_size (1280, 800);
  GtkWidget *texts = find_widget (GTK_WIDGET (window), "texts");
  int usual = gtk_widget_get_width (texts);
  GtkWidget *paned = gtk_widget_get_ancestor (texts, GTK_TYPE_PANED);
  paned = gtk_widget_get_ancestor (gtk_widget_get_parent (paned), GTK_TYPE_PANED);
  GtkWidget *handle = gtk_widget_get_next_sibling (gtk_paned_get_start_child (GTK_PANED (paned)));
  input_move (handle, 2, 100);
  settle ();
  input_button (1, TRUE);
  settle ();
  for (int x = -20; x >= -60; x -= 20) {
    input_move (handle, x, 100);
    settle ();
  }
  input_button (1, FALSE);
  settle ();
  int drawn = gtk_widget_get_width (texts);
  g_assert_cmpint (drawn, >, usual + 30);
  gtk_window_set_default_size (GTK_WINDOW (window), 1400, 800);
  settle ();
  settle ();
  g_assert_cmpint (gtk_widget_get_width (texts), ==, drawn);
  close_window (window);
  window = open_recording (fixture_matmul (), position, 1280, 800);
  g_assert_cmpint (gtk_widget_get_width (find_widget (GTK_WIDGET (window), "texts")), ==, drawn);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.reset-layout", NULL);
  settle ();
  settle ();
  g_assert_cmpint (gtk_widget_get_width (find_widget (GTK_WIDGET (window), "texts")), ==, usual);
  close_window (window);
}

/* The next window shows what the last one did. */
static void
test_restored (void)
{
  static const char *const names[] = { "text-disassembly", "text-final" };
  static const char *const lists[] = { "disassembly", "uops" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    LsWindow *window = open_at_size (1280, 800);
    input_click (find_widget (GTK_WIDGET (window), names[i]));
    close_window (window);
    g_autofree char *link = g_strconcat (fixture_matmul (), "#", position, NULL);
    window = ls_window_new (GTK_APPLICATION (app));
    gtk_window_present (GTK_WINDOW (window));
    ls_window_open (window, link);
    wait_window (window);
    g_assert_true (is_seen (window, lists[i]));
    close_window (window);
  }
}

static void
add_words (GtkWidget *widget, GString *all)
{
  if (LS_IS_CELLS (widget) && gtk_widget_get_mapped (widget)) {
    g_autofree char *words = ls_cells_dup_words (LS_CELLS (widget));
    g_string_append_printf (all, "%s\n", words);
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    add_words (child, all);
}

/* From linearize on the end of a loop names it, and the card says why the step's row is where it is. */
static void
test_order (void)
{
  g_autofree char *path = fixture_record ("softmax");
  LsWindow *window = open_recording (path, "3/linearize", 1600, 1000);
  g_autoptr (GString) all = g_string_new (NULL);
  add_words (find_widget (GTK_WIDGET (window), "changes"), all);
  g_assert_nonnull (strstr (all->str, "loop i ends"));
  for (guint step = 1; step <= ls_view_session_n_steps (window->session); step++) {
    ls_view_session_go (window->session, ls_view_session_get_pass (window->session), step);
    wait_window (window);
    g_assert_true (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "rule-sentence"))), "Why: "));
  }
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/texts/narrow", test_narrow);
  g_test_add_func ("/texts/sizes", test_sizes);
  g_test_add_func ("/texts/half-a-screen", test_half_a_screen);
  g_test_add_func ("/texts/drawn", test_drawn);
  g_test_add_func ("/texts/restored", test_restored);
  g_test_add_func ("/texts/order", test_order);
  return fixture_end ();
}
