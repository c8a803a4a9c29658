/* Rows that are one widget: their texts have space, columns are below their titles and are resized by the pointer, and a window has few
 * widgets. */
#include "kit/cells.h"
#include "fixture.h"
#include "kit/scale.h"
#include "kit/table-header.h"
#include "kit/table.h"
#include "panes/panes.h"

#include <string.h>

static int
least_width (GtkWidget *cells)
{
  int width;
  gtk_widget_measure (cells, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  return width;
}

/* --- cells --- */

static void
test_places (void)
{
  const LsColumn columns[] = { { 30, 0 }, { 20, LS_CELL_EXPAND }, { 50, LS_CELL_HIDDEN }, { 10, LS_CELL_EXPAND } };
  int x[4], w[4];
  g_assert_cmpint (ls_columns_width (columns, 4, 6), ==, 30 + 6 + 20 + 6 + 10);
  ls_columns_place (columns, 4, 6, 72 + 41, x, w);
  g_assert_cmpint (x[0], ==, 0);
  g_assert_cmpint (w[0], ==, 30);
  g_assert_cmpint (x[1], ==, 36);
  g_assert_cmpint (w[1], ==, 20 + 20);      /* half of the remaining width, and the other one the rest */
  g_assert_cmpint (w[2], ==, 0);
  g_assert_cmpint (x[3], ==, 36 + 40 + 6);
  g_assert_cmpint (w[3], ==, 10 + 21);
  ls_columns_place (columns, 4, 6, 20, x, w);      /* too narrow: as wide as it needs to be */
  g_assert_cmpint (x[3] + w[3], ==, 72);
}

static void
test_cells (void)
{
  static const LsCellLook looks[] = { { 3, LS_CELL_RIGHT | LS_CELL_NUMERIC }, { 4, LS_CELL_EXPAND }, { 0, LS_CELL_DIM } };
  GtkWidget *widget = g_object_ref_sink (ls_cells_new (looks, G_N_ELEMENTS (looks), 6));
  LsCells *cells = LS_CELLS (widget);
  int least = least_width (widget);
  ls_cells_set_text (cells, 1, "a text that is longer than four characters");
  g_assert_cmpint (least_width (widget), ==, least);      /* texts that expand are cut off */
  ls_cells_set_chars (cells, 0, 6);
  g_assert_cmpint (least_width (widget), >, least);
  ls_cells_set_chars (cells, 0, 3);
  ls_cells_set_indent (cells, 1, 28);
  g_assert_cmpint (least_width (widget), ==, least + 28);
  ls_cells_set_indent (cells, 1, 0);
  ls_cells_set_width (cells, 0, 100);
  ls_cells_set_text_fit (cells, 2, "12.5 µs");
  g_assert_cmpint (least_width (widget), >, least + 30);
  ls_cells_set_text (cells, 0, "7");
  g_autofree char *words = ls_cells_dup_words (cells);
  g_assert_cmpstr (words, ==, "7, a text that is longer than four characters, 12.5 µs");
  ls_cells_set_flags (cells, 1, LS_CELL_HIDDEN);
  g_autofree char *fewer = ls_cells_dup_words (cells);
  g_assert_cmpstr (fewer, ==, "7, 12.5 µs");
  ls_cells_set_text (cells, 0, "");
  g_assert_null (ls_cells_get_text (cells, 0));
  g_object_unref (widget);
}

/* --- tables --- */

typedef struct { guint rows, cut; GString *text; } Cut;

/* Cells that are drawn below a widget, and those of them that should have room for their text and do not. */
static void
look_for_cut (GtkWidget *widget, Cut *found)
{
  if (LS_IS_CELLS (widget) && gtk_widget_get_mapped (widget)) {
    LsTable *table = LS_TABLE (gtk_widget_get_ancestor (widget, LS_TYPE_TABLE));
    found->rows++;
    for (guint i = 0; i < ls_cells_get_n (LS_CELLS (widget)); i++)
      if (ls_cells_is_cut (LS_CELLS (widget), i) && !ls_table_get_column (table, i)->expand) {
        found->cut++;
        g_string_append_printf (found->text, " %s", ls_cells_get_text (LS_CELLS (widget), i));
      }
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    look_for_cut (child, found);
}

static void
check_cut (LsWindow *window, GtkWidget *list)
{
  Cut found = { 0, 0, g_string_new (NULL) };
  for (int i = 0; i < 3 || (found.cut && i < 50); i++) {      /* a row that comes into view widens its column at the next frame */
    gtk_widget_queue_draw (GTK_WIDGET (window));
    settle ();
    found.rows = found.cut = 0;
    g_string_truncate (found.text, 0);
    look_for_cut (list, &found);
  }
  g_test_message ("%s: %u rows", gtk_widget_get_name (list), found.rows);
  g_assert_cmpuint (found.rows, >, 0);
  if (found.cut)
    g_test_message ("cut off:%s", found.text->str);
  g_assert_cmpuint (found.cut, ==, 0);
  g_string_free (found.text, TRUE);
}

/* No column of a table cuts off its texts, at any scale, but one that takes what room is left. */
static void
test_room (void)
{
  static const char *const pages[][2] = { { "timing", "timing" }, { "stages", "stages" }, { "buffers", "values" },
                                          { "schedule", "schedule" },
                                          { "render", "render" }, { "procedure", "procedure" }, { "dialect", "dialect" },
                                          { "rules", "rules" }, { "facts", "facts" } };
  static const int scales[] = { 100, 150, 80, 100 };
  LsWindow *window = open_at ("3/simplify#2/9");
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++) {
    gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", pages[i][0]);
    wait_window (window);
    GtkWidget *list = find_widget (GTK_WIDGET (window), pages[i][1]);
    g_assert_true (GTK_IS_LIST_VIEW (list));
    for (guint k = 0; k < G_N_ELEMENTS (scales); k++) {
      ls_scale_set (scales[k]);
      wait_window (window);
      check_cut (window, list);
    }
  }
  close_window (window);
}

static GtkWidget *
header_of (GtkWidget *list)
{
  GtkWidget *box = gtk_widget_get_ancestor (list, GTK_TYPE_BOX);
  return gtk_widget_get_first_child (box);
}

static GtkWidget *
title_of (GtkWidget *header, guint column)
{
  GtkWidget *title = gtk_widget_get_first_child (header);
  while (column--)
    title = gtk_widget_get_next_sibling (title);
  return title;
}

static graphene_rect_t
bounds (GtkWidget *widget, GtkWidget *in)
{
  graphene_rect_t r;
  g_assert_true (gtk_widget_compute_bounds (widget, in, &r));
  return r;
}

/* Dragging the line right of a title makes the column wider, and it stays so when rows are made again. */
static void
test_draw (void)
{
  LsWindow *window = open_at ("1/simplify/9");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "schedule");
  wait_window (window);
  settle ();
  GtkWidget *list = find_widget (GTK_WIDGET (window), "schedule"), *header = header_of (list);
  g_assert_true (LS_IS_TABLE_HEADER (header));
  graphene_rect_t first = bounds (title_of (header, 0), header), second = bounds (title_of (header, 1), header);
  double line = second.origin.x - 5, y = gtk_widget_get_height (header) / 2.0;
  input_move (header, line, y);
  settle ();
  input_button (1, TRUE);
  settle ();
  for (int dx = 10; dx <= 60; dx += 10) {
    input_move (header, line + dx, y);
    settle ();
  }
  input_button (1, FALSE);
  settle ();
  float drawn = bounds (title_of (header, 0), header).size.width;
  g_assert_cmpfloat_with_epsilon (drawn, first.size.width + 60, 2);
  g_assert_cmpfloat_with_epsilon (bounds (title_of (header, 1), header).origin.x, second.origin.x + 60, 2);
  ls_view_session_go_link (window->session, "3/simplify#2/9");
  wait_window (window);
  settle ();
  g_assert_cmpfloat_with_epsilon (bounds (title_of (header, 0), header).size.width, drawn, 1);
  close_window (window);
}

/* --- sorting and copying --- */

static const LsTableColumn sorted_columns[] = { { "Name", FALSE, TRUE }, { "Time", TRUE, FALSE } };
static const char *const sorted_rows[][2] = { { "b", "2 ms" }, { "c", "900 µs" }, { "a\tx", "-" }, { "d", "1,000 ns" } };

static char *
sorted_cell (LsTable *table, guint row, guint column)
{
  return g_strdup (sorted_rows[row][column]);
}

static guint seen_row;
static void on_seen (LsTable *table, guint row) { seen_row = row; }

/* A click on a title sorts by the cells' values, whatever their units, and rows keep their numbers. */
static void
test_sort (void)
{
  static const struct { guint column; const char *order; } clicks[] = { { 1, "dcba" }, { 1, "bcda" }, { 1, "bcad" }, { 0, "abcd" },
                                                                       { 0, "dcba" }, { 1, "dcba" } };
  GtkWidget *window = gtk_window_new ();
  LsTable *table = ls_table_new ("sorted", sorted_columns, 2, sorted_cell, "");
  ls_table_set_choosable (table);
  g_signal_connect (table, "row-chosen", G_CALLBACK (on_seen), NULL);
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (table));
  gtk_window_set_default_size (GTK_WINDOW (window), 400, 300);
  gtk_window_present (GTK_WINDOW (window));
  ls_table_set_rows (table, G_N_ELEMENTS (sorted_rows));
  settle ();
  ls_table_choose (table, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (clicks); i++) {
    ls_table_sort (table, clicks[i].column);
    settle ();
    g_autofree char *text = ls_table_copy_text (table, TRUE);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_assert_cmpstr (lines[0], ==, "Name\tTime");
    for (guint k = 0; k < 4; k++)
      g_assert_cmpint (lines[1 + k][0], ==, clicks[i].order[k]);
    g_assert_cmpuint (ls_table_get_chosen (table), ==, 3);
    g_autofree char *one = ls_table_copy_text (table, FALSE);
    g_assert_cmpstr (one, ==, "d\t1,000 ns\n");
  }
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (find_widget (window, "sorted")))), 3);
  g_assert_cmpuint (seen_row, ==, 2);      /* "-" is last: the third of the caller's */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Rows that have the text in a cell, in the order that the user chose; what is chosen stays so when it is shown again. */
static void
test_filter (void)
{
  static const struct { const char *text, *rows; } filters[] = { { "S", "dcb" }, { "zzz", "" }, { "a", "a" }, { NULL, "dcba" } };
  GtkWidget *window = gtk_window_new ();
  LsTable *table = ls_table_new ("filtered", sorted_columns, 2, sorted_cell, "");
  ls_table_set_choosable (table);
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (table));
  gtk_window_present (GTK_WINDOW (window));
  ls_table_set_rows (table, G_N_ELEMENTS (sorted_rows));
  settle ();
  ls_table_sort (table, 1);
  g_autofree char *whole = ls_table_copy_text (table, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++) {
    ls_table_filter (table, filters[i].text);
    settle ();
    g_autoptr (GString) rows = g_string_new (NULL);
    g_autofree char *text = ls_table_copy_text (table, TRUE);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (guint k = 1; lines[k] && *lines[k]; k++)
      g_string_append_c (rows, *lines[k]);
    g_test_message ("%s: %s", filters[i].text, rows->str);
    if (filters[i].text)
      g_assert_cmpstr (rows->str, ==, filters[i].rows);
    else
      g_assert_cmpstr (text, ==, whole);
    g_assert_cmpuint (ls_table_n_shown (table), ==, rows->len);
  }
  ls_table_choose (table, 1);
  ls_table_filter (table, "zzz");
  g_assert_cmpuint (ls_table_get_chosen (table), ==, GTK_INVALID_LIST_POSITION);
  ls_table_set_rows (table, 2);      /* other rows, none of which passes either */
  settle ();
  g_assert_cmpuint (ls_table_n_shown (table), ==, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- the window --- */

static guint
count (GtkWidget *widget)
{
  guint n = 1;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    n += count (child);
  return n;
}

/* A list's rows are two widgets each, GTK's own and ours, and it keeps 200: the widgets that GTK styles and measures again for another
 * scale stay bounded. */
static void
test_few (void)
{
  LsWindow *window = open_at ("3/simplify#2/9");
  static const char *const lists[] = { "uops", "changes", "steps", "timing" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    GtkWidget *list = find_widget (GTK_WIDGET (window), lists[i]);
    guint rows = g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list))));
    g_assert_cmpuint (rows, >=, 3);
    g_assert_cmpuint (count (list), <=, 1 + 2 * MIN (rows, 210));
  }
  g_assert_cmpuint (count (GTK_WIDGET (window)), <, 1440 + 45 * ls_n_panes);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/table/places", test_places);
  g_test_add_func ("/table/cells", test_cells);
  g_test_add_func ("/table/room", test_room);
  g_test_add_func ("/table/draw", test_draw);
  g_test_add_func ("/table/sort", test_sort);
  g_test_add_func ("/table/filter", test_filter);
  g_test_add_func ("/table/few", test_few);
  return fixture_end ();
}
