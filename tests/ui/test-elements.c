/* Elements and their origins in the window: a cell of the heat map is clicked, and each row leads one kernel back, to the program's
 * numbers; each way back is one step. */
#include "fixture.h"
#include "kit/heat-map.h"
#include "kit/table.h"
#include "panes/inspect/element-view.h"

#include <string.h>

static const char *const softmax =
  "from tinygrad import Tensor\n"
  "x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\n"
  "y = x.softmax()\n"
  "print(y.tolist())\n";

static gboolean
has_map (gpointer window)
{
  return find_map (GTK_WIDGET (window)) != NULL;
}

static LsWindow *
open_softmax (const char *position)
{
  g_autofree char *source = g_build_filename (folder, "elements.py", NULL);
  g_assert_true (g_file_set_contents (source, softmax, -1, NULL));
  g_setenv ("FUSE", "0", TRUE);      /* a kernel for each reduction */
  g_autofree char *path = fixture_record_in (folder, "elements");
  g_unsetenv ("FUSE");
  LsWindow *window = open_recording (path, position, 1280, 800);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "values");
  g_assert_true (wait_until (has_map, window));
  wait_window (window);
  return window;
}

static const char *
title (LsWindow *window)
{
  GtkWidget *label = find_widget (GTK_WIDGET (window), "element-title");
  return gtk_widget_get_mapped (label) ? gtk_label_get_text (GTK_LABEL (label)) : NULL;
}

/* The rows of the origins, their titles aside. */
static char *
origins (LsWindow *window)
{
  GtkWidget *list = find_widget (GTK_WIDGET (window), "element-origins");
  g_autofree char *text = ls_table_copy_text (LS_TABLE (gtk_widget_get_ancestor (list, LS_TYPE_TABLE)), TRUE);
  const char *rows = strchr (text, '\n');
  return g_strchomp (g_strdup (rows ? rows + 1 : ""));
}

static void
assert_origins (LsWindow *window, const char *expected)
{
  g_autofree char *text = origins (window);
  g_assert_cmpstr (text, ==, expected);
}

static void
follow (LsWindow *window, guint row)
{
  GtkWidget *list = find_widget (GTK_WIDGET (window), "element-origins");
  g_signal_emit_by_name (gtk_widget_get_ancestor (list, LS_TYPE_TABLE), "row-activated", row);
  wait_window (window);
}

/* The cell of a map of so many rows and columns. */
static void
click_cell (LsWindow *window, guint row, guint column, guint rows, guint columns)
{
  GtkWidget *map = find_map (GTK_WIDGET (window));
  double w = gtk_widget_get_width (map) - 98, h = gtk_widget_get_height (map), side = MIN (w / columns, h / rows);
  input_move (map, (column + 0.5) * MAX (side, MIN (w, 24) / columns), (row + 0.5) * MAX (side, MIN (h, 16) / rows));
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  wait_window (window);
}

#define OF_Y "x[0,1]\t2.0\tdata, line 2\t1\n" \
             "buffer 2[0,0]\t3.0\tkernel 1, line 3\t1\n" \
             "buffer 3[0,0]\t1.5032147\tkernel 2, line 3\t1\n" \
             "\t1.442695\tconstant, line 3\t1"
#define OF_SUM "x[0,0]\t1.0\tdata, line 2\t1\n" \
               "x[0,1]\t2.0\tdata, line 2\t1\n" \
               "x[0,2]\t3.0\tdata, line 2\t1\n" \
               "buffer 2[0,0]\t3.0\tkernel 1, line 3\t3\n" \
               "\t1.442695\tconstant, line 3\t3"
#define OF_MAX "x[0,0]\t1.0\tdata, line 2\t1\n" \
               "x[0,1]\t2.0\tdata, line 2\t1\n" \
               "x[0,2]\t3.0\tdata, line 2\t1"

/* From the last kernel's result over both reductions to the program's numbers, and back; Alt+Left goes the same way. */
static void
test_back_to_data (void)
{
  LsWindow *window = open_softmax ("3/ast/0");
  LsViewSession *session = window->session;
  g_assert_null (title (window));
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 3);
  click_cell (window, 0, 1, 2, 3);
  g_assert_cmpstr (title (window), ==, "y[0,1] = 0.24472848 · kernel 3, line 3");
  assert_origins (window, OF_Y);
  g_assert_false (gtk_widget_get_sensitive (find_widget (GTK_WIDGET (window), "element-back")));

  follow (window, 2);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 2);
  g_assert_cmpstr (title (window), ==, "buffer 3[0,0] = 1.5032147 · kernel 2, line 3");
  assert_origins (window, OF_SUM);
  follow (window, 3);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 1);
  g_assert_cmpstr (title (window), ==, "buffer 2[0,0] = 3.0 · kernel 1, line 3");
  assert_origins (window, OF_MAX);

  follow (window, 2);
  g_assert_cmpstr (title (window), ==, "x[0,2] = 3.0 · data, line 2");
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "element-words"))), ==,
                   "line 2: x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])");
  click_cell (window, 1, 2, 2, 3);
  g_assert_cmpstr (title (window), ==, "x[1,2] = 7.0 · data, line 2");

  input_click (find_widget (GTK_WIDGET (window), "element-back"));
  wait_window (window);
  g_assert_cmpstr (title (window), ==, "buffer 2[0,0] = 3.0 · kernel 1, line 3");
  assert_origins (window, OF_MAX);
  input_key (GDK_KEY_Left, GDK_ALT_MASK);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 2);
  g_assert_cmpstr (title (window), ==, "buffer 3[0,0] = 1.5032147 · kernel 2, line 3");
  assert_origins (window, OF_SUM);
  input_click (find_widget (GTK_WIDGET (window), "element-back"));
  wait_window (window);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 3);
  g_assert_cmpstr (title (window), ==, "y[0,1] = 0.24472848 · kernel 3, line 3");
  assert_origins (window, OF_Y);
  input_click (find_widget (GTK_WIDGET (window), "element-close"));
  wait_window (window);
  g_assert_null (title (window));
  close_window (window);
}

/* By keys alone: to the map, to a cell, to its rows, and along one. */
static void
test_keys (void)
{
  LsWindow *window = open_softmax ("3/ast/0");
  gtk_widget_grab_focus (find_map (GTK_WIDGET (window)));
  input_key (GDK_KEY_Right, 0);      /* the first cell */
  input_key (GDK_KEY_Right, 0);
  input_key (GDK_KEY_Down, 0);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_true (g_str_has_prefix (title (window), "y[1,1] = "));
  gtk_widget_grab_focus (find_widget (GTK_WIDGET (window), "element-origins"));
  input_key (GDK_KEY_Down, 0);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_true (g_str_has_prefix (title (window), "x[1,1] = 5.0") || g_str_has_prefix (title (window), "buffer 2[1,0] = 7.0"));
  close_window (window);
}

/* Another node or kernel that the user goes to ends the way; a node without elements says so. */
static void
test_elsewhere (void)
{
  LsWindow *window = open_softmax ("3/ast/0");
  click_cell (window, 1, 0, 2, 3);
  g_assert_true (g_str_has_prefix (title (window), "y[1,0] = "));
  ls_view_session_go_link (window->session, "1");
  wait_window (window);
  g_assert_null (title (window));
  ls_view_session_go_link (window->session, "1/index/4");
  wait_window (window);
  click_cell (window, 0, 0, 1, 3);
  g_assert_cmpstr (title (window), ==, "The element has no known origins");
  input_click (find_widget (GTK_WIDGET (window), "values-result"));
  wait_window (window);
  g_assert_null (title (window));
  click_cell (window, 0, 0, 1, 2);
  g_assert_cmpstr (title (window), ==, "buffer 2[0,0] = 3.0 · kernel 1, line 3");
  assert_at (window, "1/ast/0");
  close_window (window);
}

/* Where a text of the output stands, in the view's coordinates. */
static void
find_in_output (GtkTextView *view, const char *text, int *x, int *y)
{
  GtkTextIter at, end;
  GdkRectangle r;
  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (view), &at);
  g_assert_true (gtk_text_iter_forward_search (&at, text, 0, &at, &end, NULL));
  gtk_text_view_get_iter_location (view, &at, &r);
  gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET, r.x + 3, r.y + r.height / 2, x, y);
}

/* A number that was printed leads to its element, by a click and by Return; another text leads nowhere. */
static void
test_printed (void)
{
  LsWindow *window = open_softmax ("3/ast/0");
  GtkTextView *view = GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "output"));
  int x, y;
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "program");
  g_assert_true (wait_until (is_idle, window));
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "output-hint")));
  find_in_output (view, "[[", &x, &y);
  input_move (GTK_WIDGET (view), x, y);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (view)));
  find_in_output (view, "0.2447284", &x, &y);
  input_move (GTK_WIDGET (view), x, y);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  wait_window (window);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (view)));
  g_assert_cmpstr (title (window), ==, "y[0,1] = 0.24472848 · kernel 3, line 3");
  assert_origins (window, OF_Y);
  follow (window, 2);
  g_assert_cmpstr (title (window), ==, "buffer 3[0,0] = 1.5032147 · kernel 2, line 3");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "program");
  g_assert_true (wait_until (is_idle, window));
  gtk_widget_grab_focus (GTK_WIDGET (view));      /* its cursor stands where the click was */
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpstr (title (window), ==, "y[0,1] = 0.24472848 · kernel 3, line 3");
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/elements/back-to-data", test_back_to_data);
  g_test_add_func ("/elements/keys", test_keys);
  g_test_add_func ("/elements/elsewhere", test_elsewhere);
  g_test_add_func ("/elements/printed", test_printed);
  return fixture_end ();
}
