/* The window's first minute: what says which key goes on, and that nothing lies over what a step changed or a menu offers. */
#include "fixture.h"
#include "graph/layout/offscreen.h"
#include "graph/view/graph-view-private.h"
#include "kit/cells.h"
#include "kit/notices.h"
#include "kit/scale.h"
#include "kit/state.h"
#include "window/window-private.h"

#include <string.h>

static LsGraphView *
graph_of (LsWindow *window)
{
  return ls_steps_view_get_graph (window->steps);
}

static gboolean
has_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return gtk_widget_get_mapped (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (has_label (child, text))
      return TRUE;
  return FALSE;
}

/* The buttons of the step bar name their keys, at every width of the window. */
static void
test_keys_are_named (void)
{
  static const int widths[] = { 1024, 1280, 1600 };
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    ls_state_forget ("splits");
    LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", widths[i], 800);
    g_assert_true (has_label (find_widget (GTK_WIDGET (window), "next-step"), "n"));
    g_assert_true (has_label (find_widget (GTK_WIDGET (window), "prev-step"), "p"));
    input_key (GDK_KEY_n, 0);
    wait_window (window);
    assert_at (window, "3/ast/2");
    close_window (window);
  }
}

/* GTK keeps the window of tooltips in no list: it is a child of the widgets that have had one. NULL: none is shown. */
static GtkWidget *
find_tooltip (GtkWidget *widget)
{
  GtkWidget *found = g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkTooltipWindow") && gtk_widget_get_mapped (widget) ? widget : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_tooltip (child);
  return found;
}

/* --- where it opens --- */

/* Softmax opens at the maximum that its head comment names first; the card offers what a click does, and no options to be typed. */
static void
test_opening (void)
{
  g_autofree char *softmax = fixture_record ("softmax");
  LsWindow *window = open_recording (softmax, NULL, 1280, 800);
  LsGraphView *view = graph_of (window);
  const LsPass *pass = ls_view_session_pass (window->session);
  g_test_message ("kernel %u, pass %s", pass->kernel, pass->name);
  g_assert_cmpstr (view->scene->nodes[view->scene->focus].title[1], ==, "REDUCE_AXIS max");
  close_window (window);
  window = open_start (1280, 800);
  const char *text = gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "first-example")));
  g_assert_nonnull (strstr (text, "matrix product"));
  g_assert_null (strchr (text, '='));
  close_window (window);
}

/* --- what is still to come --- */

static const char *
rows_page (LsWindow *window)
{
  GtkWidget *list = find_widget (GTK_WIDGET (window), "changes"), *stack = gtk_widget_get_ancestor (list, GTK_TYPE_STACK);
  return gtk_stack_get_visible_child_name (GTK_STACK (stack));
}

/* Rows of the pass before are never shown as this one's: until its own are there, that is said. */
static void
test_rows_to_come (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/expand/1", 1280, 800);
  LsViewSession *session = window->session;
  g_assert_cmpstr (rows_page (window), ==, "rows");
  ls_view_session_go_link (session, "3/accumulate/1");
  while (!g_str_equal (rows_page (window), "coming"))      /* the session tells in an idle source; without the page this never ends */
    g_assert_true (g_main_context_iteration (NULL, TRUE));
  wait_window (window);
  g_assert_cmpstr (rows_page (window), ==, "rows");
  g_assert_false (has_label (find_widget (GTK_WIDGET (window), "changes-pane"), "Loading the rows…"));
  close_window (window);
}

/* --- nothing over the change --- */

static gboolean
has_tip (gpointer view)
{
  return LS_GRAPH_VIEW (view)->tip >= 0;
}

static gboolean
waits_for_tip (LsGraphView *view)
{
  return view->tip >= 0 || view->tip_timeout;
}

static LsBox
seen_box (LsGraphView *view, guint node)
{
  LsBox b = ls_graph_view_node_box (view, node);
  const LsViewport *v = &view->viewport;
  return (LsBox) { (float) (b.x0 * v->zoom + v->x), (float) (b.y0 * v->zoom + v->y), (float) (b.x1 * v->zoom + v->x),
                   (float) (b.y1 * v->zoom + v->y) };
}

/* A pointer that rests where the picture comes says nothing; one that points at a node does, beside what changed. */
static void
test_tooltips (void)
{
  static const char *const places[] = { "3/ast/1", "3/simplify#2/3", "3/expand/1" };
  guint shown = 0;
  for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
    LsWindow *window = open_recording (fixture_matmul (), places[k], 1280, 800);
    LsGraphView *view = graph_of (window);
    double height = gtk_widget_get_height (GTK_WIDGET (view)) - LS_LEGEND, width = gtk_widget_get_width (GTK_WIDGET (view));
    for (guint i = 0; i < view->scene->n_nodes; i++) {
      LsBox b = seen_box (view, i);
      if (b.x0 < 0 || b.y0 < 0 || b.x1 > width || b.y1 > height)
        continue;
      input_move (GTK_WIDGET (view), (b.x0 + b.x1) / 2 - 3, (b.y0 + b.y1) / 2);
      settle ();
      input_move (GTK_WIDGET (view), (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2);
      g_assert_true (wait_until (has_tip, view));
      g_assert_cmpint (view->tip, ==, (int) i);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
      if (view->tip_box.x1 < view->tip_box.x0)
        continue;
      shown++;
      for (guint n = 0; n < view->scene->n_nodes; n++)
        if (n == i || ls_scene_changed (view->scene, n, LS_IN_BOTH))
          g_assert_true (ls_box_outside (seen_box (view, n), view->tip_box));
      g_assert_cmpfloat (view->tip_box.y1, <=, height);
      if (shown % 4 == 0)
        break;
    }
    g_assert_true (has_tip (view));
    input_key (GDK_KEY_n, 0);      /* the pointer rests where the next picture comes */
    wait_window (window);
    settle ();
    g_assert_false (waits_for_tip (view));
    close_window (window);
  }
  g_test_message ("%u tooltips", shown);
  g_assert_cmpuint (shown, >, 6);
}

/* The picture ends above the legend: a box that is scrolled there is not seen through it, and is not under the pointer. */
static void
test_legend (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", 1280, 800);
  LsGraphView *view = graph_of (window);
  double y = gtk_widget_get_height (GTK_WIDGET (view)) - LS_LEGEND;
  LsBox b = seen_box (view, view->scene->focus);
  ls_graph_view_pan_to (view, view->viewport.x, view->viewport.y + y - (b.y0 + b.y1) / 2);
  b = seen_box (view, view->scene->focus);
  g_assert_cmpfloat (b.y0, <, y);
  g_assert_cmpfloat (b.y1, >, y);
  double x = (b.x0 + b.x1) / 2;
  g_assert_cmpint (ls_graph_view_node_at (view, x, y + 2), ==, -1);
  g_assert_cmpint (ls_graph_view_node_at (view, x, y - 2), ==, (int) view->scene->focus);
  close_window (window);
}

/* --- messages and menus --- */

/* A message stands over the texts, not over what the rule was bound to. */
static void
test_messages (void)
{
  static const int widths[] = { 1024, 1280, 1600 };
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    ls_state_forget ("splits");
    LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", widths[i], 800);
    ls_window_say (window, "Nothing after this step changes the chosen node, however long the sentence is that says so, and it is "
                           "long enough to be wider than the column of texts at every width of the window");
    gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
    GtkWidget *card = find_widget (GTK_WIDGET (window), "rule-card");
    graphene_rect_t notice, other;
    g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (window->notices), GTK_WIDGET (window), &notice));
    g_assert_cmpfloat (notice.size.height, >, 20);
    g_assert_true (gtk_widget_compute_bounds (card, GTK_WIDGET (window), &other));
    g_assert_false (graphene_rect_intersection (&notice, &other, NULL));
    g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (graph_of (window)), GTK_WIDGET (window), &other));
    g_assert_false (graphene_rect_intersection (&notice, &other, NULL));
    close_window (window);
  }
}

static gboolean
has_tooltip (gpointer window)
{
  return find_tooltip (window) != NULL;
}

static gboolean
has_menu (gpointer button)
{
  GtkPopover *menu = gtk_menu_button_get_popover (button);
  return menu && gtk_widget_get_mapped (GTK_WIDGET (menu));
}

static gboolean
has_no_tooltip (gpointer window)
{
  return !find_tooltip (window);
}

static void
test_menus (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", 1280, 800);
  static const char *const names[] = { "main-menu", "rule-more" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GtkWidget *button = find_widget (GTK_WIDGET (window), names[i]);
    g_assert_true (GTK_IS_MENU_BUTTON (button));
    input_move (button, 4, 4);
    settle ();
    input_move (button, gtk_widget_get_width (button) / 2.0, gtk_widget_get_height (button) / 2.0);
    g_assert_true (wait_until (has_tooltip, window));
    input_button (1, TRUE);
    input_button (1, FALSE);
    g_assert_true (wait_until (has_menu, button));
    g_assert_true (wait_until (has_no_tooltip, window));
    g_assert_false (gtk_widget_get_has_tooltip (button));      /* and none comes */
    gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
    settle ();
    g_assert_true (gtk_widget_get_has_tooltip (button));
  }
  close_window (window);
}

/* --- over all steps --- */

typedef struct { guint steps, whole, changed, boxes, seen, in_view, readable; } Counts;

/* Printed at once: the run over all steps takes minutes, and reports its failures at its end, the first one only. */
G_GNUC_PRINTF (2, 3) static void
find_fault (const char *link, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_print ("# %s: %s\n", link, what);
  g_test_fail_printf ("%s: %s", link, what);
}

/* Of another widget: it does not reach over the change. */
static void
check_tooltip (LsWindow *window, GtkWidget *tooltip, const char *link)
{
  LsGraphView *view = graph_of (window);
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (tooltip));
  graphene_rect_t graph;
  double dx, dy;
  gtk_native_get_surface_transform (GTK_NATIVE (window), &dx, &dy);
  g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (view), GTK_WIDGET (window), &graph));
  float x = (float) (gdk_popup_get_position_x (GDK_POPUP (surface)) - dx) - graph.origin.x,
        y = (float) (gdk_popup_get_position_y (GDK_POPUP (surface)) - dy) - graph.origin.y;
  LsBox at = { x, y, x + (float) gdk_surface_get_width (surface), y + (float) gdk_surface_get_height (surface) };
  for (guint i = 0; i < view->scene->n_nodes; i++)
    if (ls_scene_changed (view->scene, i, LS_IN_BOTH) && !ls_box_outside (seen_box (view, i), at))
      find_fault (link, "a tooltip lies over a changed box");
}

static void
look_at (LsWindow *window, Counts *c)
{
  LsGraphView *view = graph_of (window);
  double width = gtk_widget_get_width (GTK_WIDGET (view)), height = gtk_widget_get_height (GTK_WIDGET (view)), scale;
  g_autofree char *link = ls_view_session_get_link (window->session);
  LsBox map;
  gboolean has_map = ls_graph_minimap (view, width, height, &map, &scale);
  guint changed = 0, seen = 0;
  for (guint i = 0; i < view->scene->n_nodes; i++) {
    if (!ls_scene_changed (view->scene, i, LS_IN_BOTH))
      continue;
    LsBox b = seen_box (view, i);
    changed++;
    /* what the window counts as outside ends above the legend: it covers nothing of the rest */
    seen += ls_viewport_direction (view->viewport, ls_graph_view_node_box (view, i), TRUE, width, height) == LS_N_DIRECTIONS;
    if (has_map && !ls_box_outside (b, map))
      find_fault (link, "the minimap lies over a changed box");
  }
  if (waits_for_tip (view))
    find_fault (link, "a node's tooltip is shown that nobody asked for");
  GtkWidget *tooltip = find_tooltip (GTK_WIDGET (window));
  if (tooltip)
    check_tooltip (window, tooltip, link);
  graphene_rect_t notice, graph;
  if (gtk_widget_compute_bounds (GTK_WIDGET (window->notices), GTK_WIDGET (window), &notice) && notice.size.height > 0 &&
      gtk_widget_compute_bounds (GTK_WIDGET (view), GTK_WIDGET (window), &graph) && graphene_rect_intersection (&notice, &graph, NULL))
    find_fault (link, "a message lies over the graph");
  const char *cut = find_cut_part (window);
  if (cut)
    find_fault (link, "the card's %s is cut", cut);
  c->steps++;
  c->whole += !cut;
  if (!changed)
    return;
  if (!seen)
    find_fault (link, "nothing of the change is in view");
  if (view->viewport.zoom < LS_ZOOM_LINES)
    find_fault (link, "second lines are not readable at zoom %.2f", view->viewport.zoom);
  c->changed++;
  c->boxes += changed;
  c->seen += seen;
  c->in_view += seen > 0;
  c->readable += view->viewport.zoom >= LS_ZOOM_LINES;
}

/* What is looked at is how the window's parts lie, not what they paint. */
static void
paint_nothing (GtkWidget *widget, GtkSnapshot *snapshot)
{
}

/* What a program's steps show that nobody has touched, in windows of two sizes: the card is whole, the graph's change is in view,
 * its second lines are readable, and nothing lies over it. */
static void
test_steps (gconstpointer name)
{
  static const struct { int width, height; } sizes[] = { { 1280, 800 }, { 1600, 1000 } };
  /* LS_SLOWLY=1: all steps; 10+3: one in ten, from the third on */
  const char *slowly = g_getenv ("LS_SLOWLY"), *from = slowly ? strchr (slowly, '+') : NULL;
  guint one_in = slowly ? MAX ((guint) strtoul (slowly, NULL, 10), 1) : 997;
  g_autofree char *path = fixture_record (name);
  g_autoptr (GTypeClass) window_class = g_type_class_ref (LS_TYPE_WINDOW);
  void (*paint) (GtkWidget *widget, GtkSnapshot *snapshot) = GTK_WIDGET_CLASS (window_class)->snapshot;
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    if (!slowly && (g_str_hash (name) + s) % 2)
      continue;
    Counts c = { 0 };
    guint at = from ? one_in - (guint) strtoul (from + 1, NULL, 10) % one_in : g_str_hash (name) % one_in;
    ls_state_forget ("splits");
    LsWindow *window = open_recording (path, NULL, sizes[s].width, sizes[s].height);
    LsViewSession *session = window->session;
    const GPtrArray *passes = ls_view_session_get_trace (session)->passes;
    look_at (window, &c);      /* where it opens */
    GTK_WIDGET_CLASS (window_class)->snapshot = slowly ? paint_nothing : paint;
    for (guint i = 0; i < passes->len; i++)
      for (guint step = 1; step <= ls_pass_n_steps (passes->pdata[i]); step++)
        if (at++ % one_in == 0) {
          ls_view_session_go (session, (int) i, step);
          wait_window (window);
          look_at (window, &c);
        }
    GTK_WIDGET_CLASS (window_class)->snapshot = paint;
    close_window (window);
    g_print ("# %s, %d x %d, one step in %u%s: cards whole in %u of %u; change in view in %u of %u, second lines readable in %u, "
             "nothing over %u changed boxes, %u of them in view\n", (const char *) name, sizes[s].width, sizes[s].height, one_in,
             slowly ? "" : " (LS_SLOWLY=1: all)", c.whole, c.steps, c.in_view, c.changed, c.readable, c.boxes, c.seen);
  }
}

/* What is seen of a selection: the note in words, the chosen row, the current box. */
static char *
describe_selection (LsWindow *window)
{
  GtkListView *list = GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), "changes"));
  return g_strdup_printf ("%s, row %u, box %d", template_text (window->steps, "note"),
                          gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (list))),
                          graph_of (window)->current);
}

/* A selection that comes with a link is one that was made by hand. */
static void
test_link_selects (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", 1280, 800);
  LsGraphView *view = graph_of (window);
  g_autofree char *none = describe_selection (window),
                  *link = g_strdup_printf ("3/ast/1?node=%u", view->scene->nodes[view->scene->focus].id);
  ls_graph_view_choose (view, (int) view->scene->focus);
  wait_window (window);
  g_autofree char *by_hand = describe_selection (window);
  g_assert_cmpstr (by_hand, !=, none);
  close_window (window);
  window = open_recording (fixture_matmul (), link, 1280, 800);
  g_autofree char *by_link = describe_selection (window);
  g_assert_cmpstr (by_link, ==, by_hand);
  close_window (window);
}

/* --- rows --- */

/* The first text of the row in which a later cell begins with that one, or NULL. */
static const char *
number_of (GtkWidget *widget, const char *text, guint column)
{
  const char *found = NULL;
  if (LS_IS_CELLS (widget) && ls_cells_get_n (LS_CELLS (widget)) > column) {
    const char *has = ls_cells_get_text (LS_CELLS (widget), column);
    found = has && g_str_has_prefix (has, text) ? ls_cells_get_text (LS_CELLS (widget), column == 4 ? 1 : 0) : NULL;
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = number_of (child, text, column);
  return found;
}

/* Step, Final and Renderer number the same row alike, where the classic listing leaves rows out, too. */
static void
test_rows_alike (void)
{
  g_autofree char *classic = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "data", "softmax-classic.lscope", NULL);
  LsWindow *window = open_recording (classic, "3/render", 1280, 800);
  LsStepsView *steps = window->steps;
  ls_steps_view_show_table (steps, "render");
  wait_window (window);
  settle ();
  g_autofree char *step = g_strdup (number_of (find_widget (GTK_WIDGET (window), "changes"), "1.442695", 4)),
                  *render = g_strdup (number_of (find_widget (GTK_WIDGET (window), "render"), "CONST 1.442695", 1));
  ls_steps_view_show_text (steps, "final");
  wait_window (window);
  settle ();
  g_autofree char *final = g_strdup (number_of (find_widget (GTK_WIDGET (window), "uops"), "1.442695", 3));
  g_assert_cmpstr (step, ==, "6");
  g_assert_cmpstr (final, ==, "6");
  g_assert_cmpstr (render, ==, "6");
  g_autofree char *later = g_strdup (number_of (find_widget (GTK_WIDGET (window), "uops"), "10 17 11", 3));      /* of PHI */
  g_assert_cmpstr (later, ==, "18");
  close_window (window);
}

/* --- presentation --- */

static gboolean
is_mapped (LsWindow *window, const char *name)
{
  return gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), name));
}

/* Graph, card and one text, large; a clicker's keys step, Esc ends it and everything is as it was. */
static void
test_presentation (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", 1600, 1000);
  static const char *const hidden[] = { "pipeline", "drawer", "final-note", "main-menu" },
                    *const stay[] = { "graph", "rule-card", "texts" };
  ls_state_set_int ("splits", "columns-wide", 2);
  ls_steps_view_layout (window->steps, 1600, 1000, FALSE);
  int scale = ls_scale_get ();
  input_key (GDK_KEY_F5, 0);
  wait_window (window);
  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    g_assert_false (is_mapped (window, hidden[i]));
  for (guint i = 0; i < G_N_ELEMENTS (stay); i++)
    g_assert_true (is_mapped (window, stay[i]));
  g_assert_true (ls_steps_view_sees_text (window->steps, 0) != ls_steps_view_sees_text (window->steps, 1));
  g_assert_cmpint (ls_scale_get (), >=, 150);
  static const struct { guint key; const char *to; } keys[] = {
    { GDK_KEY_Page_Down, "3/ast/2" }, { GDK_KEY_Right, "3/ast/3" }, { GDK_KEY_Page_Up, "3/ast/2" }, { GDK_KEY_Left, "3/ast/1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    input_key (keys[i].key, 0);
    wait_window (window);
    assert_at (window, keys[i].to);
    g_assert_false (is_mapped (window, "final-note"));
  }
  input_key (GDK_KEY_Escape, 0);
  wait_window (window);
  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    g_assert_true (is_mapped (window, hidden[i]));
  g_assert_cmpint (ls_scale_get (), ==, scale);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/first-minute/keys-are-named", test_keys_are_named);
  g_test_add_func ("/first-minute/opening", test_opening);
  g_test_add_func ("/first-minute/rows-to-come", test_rows_to_come);
  g_test_add_func ("/first-minute/tooltips", test_tooltips);
  g_test_add_func ("/first-minute/legend", test_legend);
  g_test_add_func ("/first-minute/messages", test_messages);
  g_test_add_func ("/first-minute/menus", test_menus);
  g_autoptr (GPtrArray) programs = fixture_programs (g_getenv ("LAZYSCOPE_PROGRAMS"));
  for (guint i = 0, share = fixture_sample (4, "programs"); i < programs->len; i += share) {
    g_autofree char *path = g_strconcat ("/first-minute/steps/", programs->pdata[i], NULL);
    g_test_add_data_func (path, programs->pdata[i], test_steps);
  }
  g_test_add_func ("/first-minute/link-selects", test_link_selects);
  g_test_add_func ("/first-minute/rows-alike", test_rows_alike);
  g_test_add_func ("/first-minute/presentation", test_presentation);
  return fixture_end ();
}
