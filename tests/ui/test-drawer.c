/* The drawer below listing and source by the mouse: its groups and pages, full height, and the neighbours of a splitter. */
#include "fixture.h"
#include "graph/view/graph-view-private.h"
#include "kit/cells.h"
#include "kit/heat-map.h"
#include "panes/inspect/values-pane.h"
#include "panes/schedule/memory-chart.h"
#include "panes/timing/run-chart.h"
#include "kit/state.h"

#include <string.h>

static void
click_at (GtkWidget *widget, double x, double y)
{
  input_move (widget, x, y);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
}

static const char *
shown (LsWindow *window)
{
  return ls_steps_view_get_table (window->steps);
}

static LsWindow *
open_low (void)
{
  return open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 800);
}

static void
note_types (GtkWidget *widget, GString *seen)
{
  if (!gtk_widget_get_mapped (widget) || gtk_widget_get_height (widget) < 20)
    return;
  g_string_append_printf (seen, "%s ", LS_IS_HEAT_MAP (widget) ? "heat-map" : G_OBJECT_TYPE_NAME (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    note_types (child, seen);
}

/* Each group by a press at its upper edge, the first press of the window among them; each comes back with the page that was left in it. */
static void
test_groups (void)
{
  static const char *const groups[][2] = {      /* the first page, another page */
    { "values", "execution" }, { "render", "dialect" }, { "schedule", "buffers" }, { "answer", "rules" }, { "timing", "stages" },
  };
  LsWindow *window = open_low ();
  for (gsize round = 0; round < 2; round++)
    for (gsize i = 0; i < G_N_ELEMENTS (groups); i++) {
      g_autofree char *group = g_strconcat ("group-", groups[i][0], NULL), *page = g_strconcat ("page-", groups[i][1], NULL);
      click_at (find_widget (GTK_WIDGET (window), group), 20, 2);
      g_assert_cmpstr (shown (window), ==, groups[i][round]);
      click_at (find_widget (GTK_WIDGET (window), page), 20, 2);
      g_assert_cmpstr (shown (window), ==, groups[i][1]);
      wait_window (window);
    }
  close_window (window);
}

static void
on_stopped (GtkGestureClick *click, gboolean *over)
{
  *over = TRUE;
}

static gboolean
is_true (gpointer flag)
{
  return *(gboolean *) flag;
}

/* A busy machine may be long between two clicks; what is clicked after it is not a third one. */
static void
double_click (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  g_autoptr (GtkEventController) click = NULL;
  gboolean over = FALSE;
  for (guint i = 0; !GTK_IS_GESTURE_CLICK (click); i++) {
    g_clear_object (&click);
    click = g_list_model_get_item (controllers, i);
  }
  GtkSettings *settings = gtk_settings_get_default ();
  g_object_set (settings, "gtk-double-click-time", 60000, NULL);
  click_at (widget, 20, 8);
  g_object_set (settings, "gtk-double-click-time", 1, NULL);      /* from the second click on */
  gulong handler = g_signal_connect (click, "stopped", G_CALLBACK (on_stopped), &over);
  click_at (widget, 20, 8);
  g_assert_true (wait_until (is_true, &over));
  g_signal_handler_disconnect (click, handler);
  gtk_settings_reset_property (settings, "gtk-double-click-time");
}

/* The whole height by a double click on a group, by its button and by a key, and back. */
static void
test_whole_height (void)
{
  LsWindow *window = open_low ();
  GtkWidget *drawer = find_widget (GTK_WIDGET (window), "drawer"), *group = find_widget (drawer, "group-values"),
            *texts = find_widget (GTK_WIDGET (window), "texts");
  int low = gtk_widget_get_height (drawer);
  for (int i = 0; i < 6; i++) {
    if (i < 2) {
      double_click (group);
    } else if (i < 4) {
      input_click (find_widget (drawer, "drawer-full"));
    } else {
      input_key (GDK_KEY_z, 0);
    }
    wait_window (window);
    g_assert_cmpint (gtk_widget_get_mapped (texts), ==, i % 2);
    if (i % 2)
      g_assert_cmpint (gtk_widget_get_height (drawer), ==, low);
    else
      g_assert_cmpint (gtk_widget_get_height (drawer), >, 3 * low);
    g_assert_cmpstr (shown (window), ==, "values");
  }
  close_window (window);
}

/* All groups, and all pages of the one that is shown, stand within the drawer in the narrowest window, as t and T go round. */
static void
test_nothing_overflows (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1000, 700);
  GtkWidget *drawer = find_widget (GTK_WIDGET (window), "drawer");
  g_autoptr (GtkSelectionModel) pages = gtk_stack_get_pages (GTK_STACK (find_widget (drawer, "tables")));
  guint n = g_list_model_get_n_items (G_LIST_MODEL (pages));
  for (guint i = 0; i < 2 * n; i++) {
    static const char *const bars[] = { "drawer-groups", "drawer-pages" };
    input_key (GDK_KEY_t, i < n ? 0 : GDK_SHIFT_MASK);
    wait_window (window);
    g_assert_true (gtk_selection_model_is_selected (pages, i < n ? (i + 1) % n : 2 * n - 1 - i));
    guint active = 0;
    for (gsize b = 0; b < G_N_ELEMENTS (bars); b++)
      for (GtkWidget *button = gtk_widget_get_first_child (find_widget (drawer, bars[b])); button;
           button = gtk_widget_get_next_sibling (button)) {
        graphene_rect_t at;
        if (!gtk_widget_get_visible (button))
          continue;
        g_assert_true (gtk_widget_compute_bounds (button, drawer, &at));
        g_assert_cmpfloat (at.origin.x, >=, 0);
        g_assert_cmpfloat (at.origin.x + at.size.width, <=, gtk_widget_get_width (drawer));
        active += gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button));
      }
    g_assert_cmpuint (active, ==, 2);      /* what is shown is marked */
  }
  close_window (window);
}

/* A drag that begins two pixels next to a splitter is not the splitter's; one that begins on it is. */
static void
try_splitters (GtkWidget *widget, guint *tried)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    try_splitters (child, tried);
  if (!GTK_IS_PANED (widget) || !gtk_widget_get_mapped (widget))
    return;
  GtkPaned *paned = GTK_PANED (widget);
  gboolean across = gtk_orientable_get_orientation (GTK_ORIENTABLE (paned)) == GTK_ORIENTATION_HORIZONTAL;
  GtkWidget *handle = gtk_widget_get_next_sibling (gtk_paned_get_start_child (paned));
  int thick = across ? gtk_widget_get_width (handle) : gtk_widget_get_height (handle),
      middle = (across ? gtk_widget_get_height (handle) : gtk_widget_get_width (handle)) / 2;
  const struct { double at; gboolean moves; } places[] = { { -2, FALSE }, { thick + 1, FALSE }, { thick / 2.0, TRUE } };
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++) {
    int before = gtk_paned_get_position (paned);
    double away = places[i].at + 40;
    input_move (handle, across ? places[i].at : middle, across ? middle : places[i].at);
    settle ();
    input_button (1, TRUE);
    settle ();
    for (int part = 1; part <= 2; part++) {
      input_move (handle, across ? away * part / 2 : middle, across ? middle : away * part / 2);
      settle ();
    }
    input_button (1, FALSE);
    settle ();
    if ((gtk_paned_get_position (paned) != before) != places[i].moves)
      g_error ("the splitter of %s, %d thick, from %g: %d and then %d", gtk_buildable_get_buildable_id (GTK_BUILDABLE (paned)), thick,
               places[i].at, before, gtk_paned_get_position (paned));
  }
  *tried += 1;
}

static void
test_splitters (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1600, 1000);
  guint tried = 0;
  try_splitters (GTK_WIDGET (window), &tried);
  g_assert_cmpuint (tried, ==, 5);
  close_window (window);
}

/* The page of an earlier window is shown, and its group with it; an answer, which ended with its window, is not requested. */
static void
test_restored (void)
{
  static const char *const pages[][2] = { { "execution", "execution" }, { "answer", "rules" }, { "changes", "timing" },
                                          { "disassembly", "timing" } };
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++) {
    ls_state_forget ("window");
    ls_state_set_list ("window", "table", &pages[i][0], 1);
    LsWindow *window = ls_window_new (GTK_APPLICATION (app));
    gtk_window_present (GTK_WINDOW (window));
    g_autofree char *link = g_strconcat (fixture_matmul (), "#3/simplify#2/5", NULL), *button = g_strconcat ("page-", pages[i][1], NULL);
    ls_window_open (window, link);
    wait_window (window);
    g_assert_cmpstr (shown (window), ==, pages[i][1]);
    GtkWidget *page = find_widget (GTK_WIDGET (window), button);
    g_assert_true (gtk_widget_get_mapped (page) && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (page)));
    close_window (window);
  }
}

/* Values, shapes and execution of one selection side by side; memory over the kernels, the current one marked, and a click goes to a
 * kernel. */
static void
test_together (void)
{
  static const char *const parts[] = { "heat-map", "LsShapesPane", "LsExecutionPane" };
  LsWindow *window = open_at ("3/render");
  ls_view_session_choose (window->session, "row:40");
  click_at (find_widget (GTK_WIDGET (window), "group-values"), 20, 5);
  click_at (find_widget (GTK_WIDGET (window), "page-together"), 20, 5);
  wait_window (window);
  GtkWidget *together = gtk_stack_get_visible_child (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")));
  g_autoptr (GString) seen = g_string_new (NULL);
  note_types (together, seen);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    g_assert_nonnull (strstr (seen->str, parts[i]));
  close_window (window);
}

static guint
longest_span (LsRunChart *chart, LsSpanKind kind)
{
  guint found = G_MAXUINT;
  for (guint i = 0; i < ls_run_chart_n_spans (chart); i++) {
    const LsSpan *s = ls_run_chart_get_span (chart, i);
    if (s->kind == kind && (found == G_MAXUINT || s->ns > ls_run_chart_get_span (chart, found)->ns))
      found = i;
  }
  g_assert_cmpuint (found, !=, G_MAXUINT);
  return found;
}

/* A click at x went to a span of the kind that is there: several may lie within the two pixels in which a click finds one. */
static gboolean
went_to (LsWindow *window, LsRunChart *chart, LsSpanKind kind, double x)
{
  for (guint i = 0; i < ls_run_chart_n_spans (chart); i++) {
    const LsSpan *s = ls_run_chart_get_span (chart, i), *wide = ls_run_chart_get_span (chart, longest_span (chart, kind));
    double at, y;
    if (s->kind == kind && (s == wide || (ls_run_chart_find (chart, i, &at, &y) && ABS (at - x) < 5))
        && ls_view_session_get_pass (window->session) == (int) s->pass
        && (!s->step || ls_view_session_get_step (window->session) == s->step))
      return TRUE;
  }
  return FALSE;
}

/* The chart's place is the walk's: a click on a span of each kind goes there, keys zoom, and a position outside comes into sight. */
static void
test_timeline (LsWindow *window, LsRunChart *chart)
{
  double x, y;
  g_assert_cmpuint (ls_run_chart_n_spans (chart), >, 50);
  for (guint kind = LS_SPAN_PASS; kind <= LS_SPAN_LAUNCH; kind++) {
    g_assert_true (ls_run_chart_find (chart, longest_span (chart, kind), &x, &y));
    click_at (GTK_WIDGET (chart), x, y);
    wait_window (window);
    g_assert_true (went_to (window, chart, kind, x));
  }
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  for (guint i = 0; i < 20; i++)
    input_key (GDK_KEY_plus, 0);
  g_assert_cmpfloat (ls_run_chart_get_zoom (chart), >, 50);
  const LsSpan *ends[] = { ls_run_chart_get_span (chart, longest_span (chart, LS_SPAN_COMPILE)), NULL };
  for (guint i = 0; i < ls_run_chart_n_spans (chart) && !ends[1]; i++)
    if (ls_run_chart_get_span (chart, i)->kind == LS_SPAN_PASS)
      ends[1] = ls_run_chart_get_span (chart, i);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++) {
    ls_view_session_go (window->session, (int) ends[i]->pass, 0);
    wait_window (window);
    g_assert_true (ls_run_chart_find (chart, (guint) (ends[i] - ls_run_chart_get_span (chart, 0)), &x, &y));
  }
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  input_key (GDK_KEY_0, 0);
  g_assert_cmpfloat (ls_run_chart_get_zoom (chart), ==, 1);
  guint statement = longest_span (chart, LS_SPAN_STATEMENT), n;
  g_assert_true (ls_run_chart_find (chart, statement, &x, &y));
  click_at (GTK_WIDGET (chart), x, y);
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  wait_until (is_idle, window);
  settle ();
  g_assert_cmpuint (ls_statements_pane_get_number (ls_program_view_get_statements (window->program), &n), ==,
                    (guint) ls_run_chart_get_span (chart, statement)->stop + 1);
  ls_window_show_page (window, "steps");
  ls_view_session_go_link (window->session, "2/ast/1");
  wait_window (window);
}

/* Kernels side by side: the current one is marked and its row leads there; the run as a whole, in which a click goes to a kernel. */
static void
test_timing (void)
{
  LsWindow *window = open_low ();
  click_at (find_widget (GTK_WIDGET (window), "page-run"), 10, 5);
  GtkWidget *chart = find_widget (GTK_WIDGET (window), "run-chart");
  g_assert_true (gtk_widget_get_mapped (chart));
  test_timeline (window, LS_RUN_CHART (chart));
  click_at (find_widget (GTK_WIDGET (window), "group-schedule"), 10, 5);
  click_at (find_widget (GTK_WIDGET (window), "page-memory"), 10, 5);
  GtkWidget *memory = find_widget (GTK_WIDGET (window), "memory");
  g_assert_cmpuint (ls_memory_chart_n_bars (LS_MEMORY_CHART (memory)), >=, 3);
  gtk_widget_grab_focus (memory);
  input_key (GDK_KEY_Right, 0);
  wait_window (window);
  assert_at (window, "3/ast/1");
  click_at (find_widget (GTK_WIDGET (window), "group-timing"), 10, 5);
  click_at (find_widget (GTK_WIDGET (window), "page-repeats"), 10, 5);
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "repeats")));
  click_at (find_widget (GTK_WIDGET (window), "page-compile"), 10, 5);
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "compile")));
  close_window (window);
}

/* The row of a list that is in view and begins with that text, or NULL. */
static GtkWidget *
find_row (GtkWidget *list, const char *text)
{
  for (GtkWidget *row = gtk_widget_get_first_child (list); row; row = gtk_widget_get_next_sibling (row)) {
    GtkWidget *cells = gtk_widget_get_first_child (row);
    const char *first = LS_IS_CELLS (cells) && gtk_widget_get_mapped (cells) ? ls_cells_get_text (LS_CELLS (cells), 0) : NULL;
    graphene_rect_t at;
    if (first && g_str_has_prefix (first, text) && gtk_widget_compute_bounds (cells, list, &at) && at.origin.y >= 0 &&
        at.origin.y + at.size.height <= (float) gtk_widget_get_height (list))
      return cells;
  }
  return NULL;
}

static gboolean
is_marked (GtkWidget *cells)
{
  return cells && gtk_widget_has_css_class (cells, "chosen");
}

/* Timing opens where one is; its rows are links, and its bars take the room that is left. */
static void
test_times_follow (void)
{
  g_autofree char *layernorm = fixture_record ("layernorm");
  LsWindow *window = open_recording (layernorm, "1/ast/1", 1280, 800);
  guint n = ls_view_session_get_trace (window->session)->kernels->len;
  GtkWidget *timing = find_widget (GTK_WIDGET (window), "timing");
  g_autofree char *last = g_strdup_printf ("%u  ", n), *place = g_strdup_printf ("%u/ast/1", n);
  g_assert_null (find_row (timing, last));      /* there is no room for all of them */
  ls_view_session_go_link (window->session, place);
  wait_window (window);
  settle ();
  g_assert_true (is_marked (find_row (timing, last)));
  g_autofree char *other = g_strdup_printf ("%u  ", n - 1);
  click_at (find_row (timing, other), 10, 5);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_pass (window->session)->kernel, ==, n - 1);      /* it runs the code of another kernel */
  g_assert_true (is_marked (find_row (timing, other)));
  g_assert_false (is_marked (find_row (timing, last)));
  ls_view_session_go_link (window->session, place);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "stages");
  wait_window (window);
  settle ();
  GtkWidget *stages = find_widget (GTK_WIDGET (window), "stages");
  g_assert_true (is_marked (find_row (stages, "ast")));
  click_at (find_row (stages, "lower"), 10, 5);
  wait_window (window);
  g_assert_true (is_marked (find_row (stages, "lower")));
  g_assert_false (is_marked (find_row (stages, "ast")));
  close_window (window);
}

/* A decision's reason stands there whole, however narrow its column is; a click goes to its kernel. */
static void
test_decisions (void)
{
  g_autofree char *layernorm = fixture_record ("layernorm");
  LsWindow *window = open_recording (layernorm, "5/ast/1", 1280, 800);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "schedule");
  wait_window (window);
  settle ();
  GtkWidget *list = find_widget (GTK_WIDGET (window), "schedule");
  guint wrapped = 0;
  for (GtkWidget *row = gtk_widget_get_first_child (list); row; row = gtk_widget_get_next_sibling (row)) {
    GtkWidget *cells = gtk_widget_get_first_child (row);
    if (!LS_IS_CELLS (cells) || !gtk_widget_get_mapped (cells))
      continue;
    int one, needed;
    gtk_widget_measure (cells, GTK_ORIENTATION_VERTICAL, -1, &one, NULL, NULL, NULL);
    gtk_widget_measure (cells, GTK_ORIENTATION_VERTICAL, gtk_widget_get_allocated_width (cells), &needed, NULL, NULL, NULL);
    g_assert_cmpint (gtk_widget_get_allocated_height (cells), >=, needed);
    wrapped += needed > one;
    for (guint i = 0; i < ls_cells_get_n (LS_CELLS (cells)); i++)
      g_assert_false (ls_cells_is_cut (LS_CELLS (cells), i));
  }
  g_assert_cmpuint (wrapped, >, 0);
  click_at (find_row (list, "CONTIGUOUS"), 10, 5);
  wait_window (window);
  assert_at (window, "0/schedule/1");
  close_window (window);
}

/* Values stand in rows of the tensor's last axis, each with its index, and the picture of them takes the room of a high pane. */
static void
test_values_rows (void)
{
  g_autofree char *softmax = fixture_record ("softmax");
  LsWindow *window = open_recording (softmax, "2/ast/1", 1280, 800);
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "values");
  wait_window (window);
  LsValuesPane *pane = LS_VALUES_PANE (ls_steps_view_get_pane (window->steps, "values"));
  guint n = view->scene->n_nodes;
  for (guint i = 0; i < n && !strstr (template_text (pane, "title"), "(4, 6)"); i++) {
    ls_view_session_select (window->session, LS_CHOSEN_IN_GRAPH, &view->scene->nodes[i].id, 1);
    wait_window (window);
  }
  g_assert_nonnull (strstr (template_text (pane, "title"), "(4, 6)"));
  GtkWidget *list = find_widget (GTK_WIDGET (pane), "node-values");
  settle ();
  static const char *const begins[] = { "0,:", "1,:", "2,:", "3,:" };
  guint rows = 0;
  for (GtkWidget *row = gtk_widget_get_first_child (list); row; row = gtk_widget_get_next_sibling (row)) {
    GtkWidget *cells = gtk_widget_get_first_child (row);
    if (!LS_IS_CELLS (cells) || !ls_cells_get_text (LS_CELLS (cells), 1))
      continue;
    g_assert_cmpuint (rows, <, 4);
    g_assert_cmpstr (ls_cells_get_text (LS_CELLS (cells), 0), ==, begins[rows++]);
    g_auto (GStrv) words = g_strsplit (ls_cells_get_text (LS_CELLS (cells), 1), " ", -1);
    guint numbers = 0;
    for (guint i = 0; words[i]; i++)
      numbers += *words[i] != 0;
    g_assert_cmpuint (numbers, ==, 6);
  }
  g_assert_cmpuint (rows, ==, 4);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "together");
  ls_steps_view_fill_with_table (window->steps);
  wait_window (window);
  settle ();
  GtkWidget *map = find_map (ls_steps_view_get_pane (window->steps, "together"));
  int room = gtk_widget_get_height (gtk_widget_get_ancestor (map, LS_TYPE_VALUES_PANE));
  g_assert_cmpint (3 * gtk_widget_get_height (map), >, room);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/drawer/groups", test_groups);
  g_test_add_func ("/drawer/whole-height", test_whole_height);
  g_test_add_func ("/drawer/nothing-overflows", test_nothing_overflows);
  g_test_add_func ("/drawer/splitters", test_splitters);
  g_test_add_func ("/drawer/restored", test_restored);
  g_test_add_func ("/drawer/timing", test_timing);
  g_test_add_func ("/drawer/times-follow", test_times_follow);
  g_test_add_func ("/drawer/values-rows", test_values_rows);
  g_test_add_func ("/drawer/decisions", test_decisions);
  g_test_add_func ("/drawer/together", test_together);
  return fixture_end ();
}
