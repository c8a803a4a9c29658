/* Comparing positions: a base is pinned, and each position is shown against it; the rows that changed. */
#include "panes/text/changes-pane.h"
#include "graph/view/graph-view-private.h"
#include "fixture.h"
#include "kit/state.h"

#include <math.h>
#include <string.h>

/* --- tests --- */

static const LsSceneNode *
kept_node (const LsScene *scene, guint32 before)
{
  int i = ls_scene_find (scene, before);
  for (guint k = 0; i < 0 && k < scene->n_nodes; k++)
    if (scene->nodes[k].before == before)
      i = (int) k;
  return i < 0 ? NULL : &scene->nodes[i];
}

/* d pins a base; what is shown is from there to wherever one goes, in the link and in the history too; Esc ends it. */
static void
test_compare (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsViewSession *session = window->session;
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  GtkWidget *bar = find_widget (GTK_WIDGET (window), "compare-bar");
  g_assert_false (gtk_widget_get_visible (bar));
  g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < graph->scene->n_nodes; i++) {
    float *at = g_new (float, 2);
    at[0] = graph->layout->x[i] + graph->scene->nodes[i].width / 2;
    at[1] = graph->layout->y[i];
    if (graph->scene->nodes[i].kind != LS_DIFF_REMOVED)
      g_hash_table_insert (places, GUINT_TO_POINTER (graph->scene->nodes[i].id + 1), at);
  }
  input_key (GDK_KEY_d, 0);
  wait_window (window);
  assert_at (window, "3/simplify#2/5~3/simplify#2/5");
  g_assert_true (gtk_widget_get_visible (bar));
  g_assert_cmpuint (ls_view_session_diff (session)->n_same, ==, ls_view_session_diff (session)->nodes->len);
  for (guint i = 0; i < 3; i++)
    input_key (GDK_KEY_n, 0);
  wait_window (window);
  assert_at (window, "3/simplify#2/8~3/simplify#2/5");
  LsTrace *trace = ls_view_session_get_trace (session);
  LsPosition from = { trace, ls_view_session_pass (session), 5 }, to = { trace, from.pass, 8 };
  g_autoptr (LsGraphDiff) expected = ls_position_diff (&from, &to);
  g_assert_cmpuint (ls_view_session_diff (session)->n_added, ==, expected->n_added);
  g_assert_cmpuint (ls_view_session_diff (session)->n_removed, ==, expected->n_removed);
  g_assert_cmpuint (graph->scene->root_before, ==, expected->before->root->id);
  guint n_kept = 0, n_survivors = 0;      /* what stays, stays where it was */
  for (guint i = 0; i < graph->scene->n_nodes; i++) {
    const LsSceneNode *node = &graph->scene->nodes[i];
    const float *at = node->before == LS_NO_NODE ? NULL : g_hash_table_lookup (places, GUINT_TO_POINTER (node->before + 1));
    if (!at || kept_node (graph->scene, node->before) != node)
      continue;
    n_survivors++;
    n_kept += fabsf (graph->layout->x[i] + node->width / 2 - at[0]) < 1 && fabsf (graph->layout->y[i] - at[1]) < 1;
  }
  g_assert_cmpuint (n_survivors, >, 10);
  g_assert_cmpuint (n_kept * 10, >=, n_survivors * 7);      /* the others make space for new boxes */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.swap-base", NULL);
  wait_window (window);
  assert_at (window, "3/simplify#2/5~3/simplify#2/8");
  g_assert_cmpuint (ls_view_session_diff (session)->n_removed, ==, expected->n_added);
  input_key (GDK_KEY_Page_Up, GDK_CONTROL_MASK);      /* another kernel: by structure */
  wait_window (window);
  g_assert_cmpint (ls_view_session_get_base (session, NULL), ==, (int) from.pass->index);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 2);
  input_key (GDK_KEY_Escape, 0);
  wait_window (window);
  g_assert_cmpint (ls_view_session_get_base (session, NULL), ==, -1);
  g_assert_false (gtk_widget_get_visible (bar));
  input_key (GDK_KEY_Left, GDK_ALT_MASK);
  wait_window (window);
  g_assert_cmpint (ls_view_session_get_base (session, NULL), ==, (int) from.pass->index);
  g_assert_false (ls_view_session_go_link (session, "3/simplify#2/8~3/none/1"));
  g_assert_true (ls_view_session_go_link (session, "3/simplify#2/8"));
  assert_at (window, "3/simplify#2/8");
  /* what is left out means what it means everywhere: a pass is its output */
  g_assert_true (ls_view_session_go_link (session, "3/simplify#2"));
  g_assert_cmpuint (ls_view_session_get_step (session), ==, ls_view_session_n_steps (session));
  g_assert_true (ls_view_session_go_link (session, "3/simplify#2/8~3/simplify#2"));
  guint step;
  g_assert_cmpint (ls_view_session_get_base (session, &step), ==, ls_view_session_get_pass (session));
  g_assert_cmpuint (step, ==, ls_view_session_n_steps (session));
  /* what is copied has the chosen node of the graph, and chooses it again */
  guint32 node = ls_pass_step_link (ls_view_session_pass (session), 8)->after;
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
  g_autofree char *copied = ls_view_session_dup_link (session, "a.lscope"), *end = g_strdup_printf ("?node=%u", node);
  g_assert_true (g_str_has_prefix (copied, "a.lscope#3/simplify#2/8~3/simplify#2/") && g_str_has_suffix (copied, end));
  ls_view_session_select (session, LS_CHOSEN_NOWHERE, NULL, 0);
  g_autofree char *alone = ls_view_session_dup_link (session, "a.lscope");
  g_assert_null (strchr (alone, '?'));
  g_assert_true (ls_view_session_go_link (session, strchr (copied, '#') + 1));
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, node);
  g_assert_cmpint (ls_view_session_chosen_in (session), ==, LS_CHOSEN_IN_GRAPH);
  close_window (window);
}

static GtkWidget *
changes_of (LsWindow *window)
{
  GtkWidget *list = find_widget (GTK_WIDGET (window), "changes");
  return gtk_widget_get_ancestor (list, LS_TYPE_CHANGES_PANE);
}

/* The rows of the current diff; unchanged ranges unfold, a row selects its node, a node its row. */
static void
test_changes (void)
{
  LsWindow *window = open_at ("3/simplify#2/3");
  LsViewSession *session = window->session;
  LsChangesPane *pane = LS_CHANGES_PANE (changes_of (window));
  GtkListView *view = GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), "changes"));
  LsPosition before, after;
  input_click (find_widget (GTK_WIDGET (window), "text-final"));
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "uops")));
  ls_view_session_next_step (session);
  wait_window (window);
  g_assert_true (ls_view_session_sides (session, &before, &after));
  g_autoptr (LsListDiff) missed = ls_list_diff_graph (&before, &after, ls_view_session_diff (session));
  g_assert_cmpuint (missed->rows->len, !=, ls_changes_pane_get (pane)->rows->len);      /* not seen, not made */
  ls_view_session_prev_step (session);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "changes");      /* as it was called when it was a page below */
  wait_window (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (pane)));
  const LsListDiff *d = ls_changes_pane_get (pane);
  g_assert_true (ls_view_session_sides (session, &before, &after));
  g_autoptr (LsListDiff) expected = ls_list_diff_graph (&before, &after, ls_view_session_diff (session));
  g_assert_cmpuint (d->rows->len, ==, expected->rows->len);
  g_assert_cmpuint (d->n_kind[LS_DIFF_REMOVED], ==, 2);
  guint folded = template_rows (pane, "view");
  g_assert_cmpuint (folded, <, d->rows->len);
  GtkSelectionModel *model = gtk_list_view_get_model (view);
  gtk_selection_model_select_item (model, 0, TRUE);      /* the stretch before the first change */
  settle ();
  g_assert_cmpuint (template_rows (pane, "view"), >, folded);
  guint first = 0;
  while (g_array_index (d->rows, LsListRow, first).kind != LS_DIFF_REMOVED)
    first++;
  guint32 node = ls_list_diff_node (d, first)->id;
  gtk_selection_model_select_item (model, first, TRUE);      /* all rows before it are unfolded */
  settle ();
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, node);
  guint32 root = ls_view_session_graph (session)->root->id;
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &root, 1);
  settle ();
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_widget (GTK_WIDGET (window), "changes-tree")), TRUE);
  settle ();
  g_autoptr (GArray) tree = ls_list_diff_tree (d);
  g_assert_cmpuint (template_rows (pane, "view"), ==, tree->len);
  g_assert_cmpuint (gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (model)), ==, 0);      /* the root */
  input_key (GDK_KEY_n, 0);
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_true (ls_view_session_sides (session, &before, &after));
  g_autoptr (LsListDiff) later = ls_list_diff_graph (&before, &after, ls_view_session_diff (session));
  g_assert_cmpuint (ls_changes_pane_get (pane)->rows->len, ==, later->rows->len);
  g_assert_cmpuint (ls_changes_pane_get (pane)->n_kind[LS_DIFF_CHANGED], ==, later->n_kind[LS_DIFF_CHANGED]);
  ls_view_session_go (session, ls_view_session_get_pass (session), 0);
  wait_window (window);
  /* what the pass was given, all of it */
  g_assert_cmpuint (ls_changes_pane_get (pane)->rows->len, ==, ls_view_session_graph (session)->nodes->len);
  g_assert_cmpuint (template_rows (pane, "view"), ==, ls_view_session_graph (session)->nodes->len);
  close_window (window);
}

/* From linearize on the rows are in the kernel's order, and rows in a loop are indented: no less than the loop, no more than the loops
 * around it. */
static void
test_order (void)
{
  LsWindow *window = open_at ("3/linearize");
  LsViewSession *session = window->session;
  const LsListDiff *d = ls_changes_pane_get (LS_CHANGES_PANE (changes_of (window)));
  const GArray *listing = ls_view_session_kernel (session)->listing;
  LsNest nest = { 0 }, around;
  guint deepest = 0;
  g_assert_cmpuint (d->rows->len, ==, listing->len);
  for (guint i = 0; i < listing->len; i++) {
    g_assert_cmpuint (ls_list_diff_node (d, i)->id, ==, g_array_index (listing, guint32, i));
    ls_nest_next (&nest, ls_list_diff_node (d, i), &around);
    deepest = MAX (deepest, around.depth);
  }
  g_assert_cmpuint (nest.depth, ==, 0);
  g_assert_cmpuint (deepest, ==, 3);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/comparing/compare", test_compare);
  g_test_add_func ("/comparing/changes", test_changes);
  g_test_add_func ("/comparing/order", test_order);
  return fixture_end ();
}
