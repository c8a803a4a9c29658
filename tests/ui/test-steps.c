/* The list of steps by mouse and keyboard: entries of one rule, the filter, and the visible rows. */
#include "fixture.h"
#include "trace/step-parts.h"
#include "kit/cells.h"

static GtkListView *
list_of (LsWindow *window)
{
  return GTK_LIST_VIEW (find_widget (find_widget (GTK_WIDGET (window), "sidebar"), "steps"));
}

static guint
n_rows (LsWindow *window)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (list_of (window))));
}

static guint
selected (LsWindow *window)
{
  return gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (list_of (window))));
}

static gint
rule_at (LsViewSession *session, guint step)
{
  return ls_pass_step_link (ls_view_session_pass (session), step)->rule;
}

static guint
n_entries (LsViewSession *session)
{
  guint n = 1;
  for (guint step = 2; step <= ls_view_session_n_steps (session); step++)
    n += rule_at (session, step) != rule_at (session, step - 1);
  return n;
}

/* The row with that index as far as the list shows it, or NULL; where: its bounds in the list. */
static GtkWidget *
row_widget (LsWindow *window, guint i, graphene_rect_t *where)
{
  GtkWidget *list = GTK_WIDGET (list_of (window));
  for (GtkWidget *row = gtk_widget_get_first_child (list); row; row = gtk_widget_get_next_sibling (row)) {
    GtkWidget *cells = gtk_widget_get_first_child (row);
    if (LS_IS_CELLS (cells) && ls_cells_get_row (LS_CELLS (cells)) == i + 1 && gtk_widget_get_mapped (row) &&
        gtk_widget_compute_bounds (row, list, where))
      return row;
  }
  return NULL;
}

static gboolean
in_view (LsWindow *window, guint i)
{
  graphene_rect_t at;
  return row_widget (window, i, &at) && at.origin.y >= -0.5 &&
         at.origin.y + at.size.height <= gtk_widget_get_height (GTK_WIDGET (list_of (window))) + 0.5;
}

static void
click_row (LsWindow *window, guint i, double x)
{
  graphene_rect_t at;
  g_assert_nonnull (row_widget (window, i, &at));
  input_move (GTK_WIDGET (list_of (window)), x, at.origin.y + at.size.height / 2);
  input_button (1, TRUE);
  input_button (1, FALSE);
  wait_window (window);
}

/* 48 steps of a few rules are as many entries as the rule changes; the mark opens one, and Left and Right close and open it. */
static void
test_entries (void)
{
  LsWindow *window = open_at ("3/index/1");
  LsViewSession *session = window->session;
  guint entries = n_entries (session), first = 1, run = 0, row = 0;
  for (guint step = 1; step + 2 <= ls_view_session_n_steps (session) && run < 3; step++) {      /* three of a rule */
    row += step > 1 && rule_at (session, step) != rule_at (session, step - 1);
    for (first = step, run = 1; first + run <= ls_view_session_n_steps (session) &&
         rule_at (session, first + run) == rule_at (session, first);)
      run++;
  }
  g_assert_cmpuint (run, >, 2);
  g_assert_cmpuint (entries, <, ls_view_session_n_steps (session));
  g_assert_cmpuint (n_rows (window), ==, entries);
  ls_view_session_go (session, ls_view_session_get_pass (session), first);
  wait_window (window);
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, first + 1);
  g_assert_cmpuint (selected (window), ==, row);      /* in the closed entry */
  click_row (window, row, 8);
  g_assert_cmpuint (n_rows (window), ==, entries + run);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, first + 1);
  g_assert_cmpuint (selected (window), ==, row + 2);
  click_row (window, row + 3, 80);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, first + 2);
  input_key (GDK_KEY_Left, 0);
  wait_window (window);
  g_assert_cmpuint (n_rows (window), ==, entries);
  input_key (GDK_KEY_Right, 0);
  wait_window (window);
  g_assert_cmpuint (n_rows (window), ==, entries + run);
  close_window (window);
}

/* A step that an algorithm made opens to its nested steps; each selects the node that it made, and the card says why. */
static void
test_parts (void)
{
  LsWindow *window = open_at ("3/accumulate/1");
  GtkListView *list = GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), "steps"));
  guint rows = n_rows (window);
  g_autoptr (GArray) parts = ls_step_parts (ls_view_session_get_trace (window->session), ls_view_session_pass (window->session), 1, TRUE);
  g_assert_cmpuint (parts->len, >=, 4);
  gtk_widget_grab_focus (GTK_WIDGET (list));
  input_key (GDK_KEY_Right, 0);
  wait_window (window);
  g_assert_cmpuint (n_rows (window), ==, rows + parts->len);
  for (guint i = 0; i < parts->len; i++) {
    const LsStepPart *part = &g_array_index (parts, LsStepPart, i);
    gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (list)), i + 1);
    wait_window (window);
    g_autofree char *nested = g_strdup_printf ("Nested step %u of %u: %s: %s", i + 1, parts->len, part->text, part->why);
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "step-sentence"))), ==, nested);
    g_assert_cmpuint (ls_view_session_get_selection (window->session), ==, part->node);
    g_assert_cmpuint (selected (window), ==, i + 1);
    assert_at (window, "3/accumulate/1");
  }
  input_key (GDK_KEY_Escape, 0);
  wait_window (window);
  g_assert_false (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "step-sentence"))), "Nested"));
  gtk_widget_grab_focus (GTK_WIDGET (list));
  input_key (GDK_KEY_Left, 0);
  wait_window (window);
  g_assert_cmpuint (n_rows (window), ==, rows);
  close_window (window);
}

/* e goes from entry to entry to the end of the pass, and E back by the same steps. */
static void
test_rules (void)
{
  LsWindow *window = open_at ("3/simplify#2/1");
  LsViewSession *session = window->session;
  int pass = ls_view_session_get_pass (session);
  guint entries = n_entries (session);
  for (guint i = 1; i < entries; i++) {
    guint before = ls_view_session_get_step (session);
    input_key (GDK_KEY_e, 0);
    wait_window (window);
    g_assert_cmpint (rule_at (session, before), !=, rule_at (session, ls_view_session_get_step (session)));
    g_assert_cmpuint (selected (window), ==, i);
  }
  for (guint i = entries - 1; i-- > 0;) {
    input_key (GDK_KEY_e, GDK_SHIFT_MASK);
    wait_window (window);
    g_assert_cmpuint (selected (window), ==, i);
  }
  g_assert_cmpuint (ls_view_session_get_step (session), ==, 1);
  input_key (GDK_KEY_e, GDK_SHIFT_MASK);
  wait_window (window);
  g_assert_cmpint (ls_view_session_get_pass (session), <, pass);
  close_window (window);
}

/* Typed text is searched among rules, ops and nodes; Enter goes to the first remaining step, Escape ends it. */
static void
test_filter (void)
{
  LsWindow *window = open_at ("3/simplify#2/1");
  LsViewSession *session = window->session;
  const LsTrace *trace = ls_view_session_get_trace (session);
  guint all = n_rows (window), n = ls_view_session_n_steps (session), last = n;
  const LsTraceRule *rule = trace->rules->pdata[rule_at (session, n)];
  while (last > 1 && rule_at (session, last - 1) == rule_at (session, n))
    last--;
  input_key (GDK_KEY_l, 0);
  input_text (rule->name);
  settle ();
  g_assert_cmpuint (n_rows (window), <, all);
  g_assert_cmpuint (n_rows (window), >, 0);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpint (rule_at (session, ls_view_session_get_step (session)), ==, rule_at (session, last));
  input_key (GDK_KEY_l, 0);
  input_key (GDK_KEY_a, GDK_CONTROL_MASK);
  g_autofree char *node = g_strdup_printf ("%u", ls_pass_step_link (ls_view_session_pass (session), n)->after);
  input_text (node);
  settle ();
  g_assert_cmpuint (n_rows (window), >, 0);
  g_assert_cmpuint (n_rows (window), <, all);
  input_key (GDK_KEY_a, GDK_CONTROL_MASK);
  input_text ("nothing");
  settle ();
  g_assert_cmpuint (n_rows (window), ==, 0);
  input_key (GDK_KEY_Escape, 0);
  settle ();
  g_assert_cmpuint (n_rows (window), ==, all);
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (window)), find_widget (GTK_WIDGET (window), "centre")));
  close_window (window);
}

/* Wherever one goes, the row before and the row after the current one are in sight. */
static void
test_around (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/1", 1280, 800);
  LsViewSession *session = window->session;
  for (guint step = 1; step <= ls_view_session_n_steps (session); step += 3) {
    ls_view_session_go (session, ls_view_session_get_pass (session), step);
    wait_window (window);
    gtk_widget_queue_draw (GTK_WIDGET (window));
    settle ();
    for (int away = -1; away <= 1; away++)
      if ((int) selected (window) + away >= 0 && selected (window) + away < n_rows (window) && !in_view (window, selected (window) + away))
        g_error ("at step %u, row %u of %u, the row %d away is out of view", step, selected (window), n_rows (window), away);
  }
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/steps/entries", test_entries);
  g_test_add_func ("/steps/parts", test_parts);
  g_test_add_func ("/steps/rules", test_rules);
  g_test_add_func ("/steps/filter", test_filter);
  g_test_add_func ("/steps/around", test_around);
  return fixture_end ();
}
