/* Classes of nodes that the user hides: what is one, what the picture and the rows leave out, and that what a step changed never is. */
#include "fixture.h"
#include "graph/layout/scene.h"
#include "graph/view/graph-view-private.h"
#include "session/node-filter.h"
#include "trace/diff.h"

/* --- scenes --- */

typedef struct { LsContext *ctx; LsTrace *trace; } Fixture;

static void
setup (Fixture *f, gconstpointer unused)
{
  f->ctx = ls_context_new ();
  f->trace = ls_trace_new (f->ctx);
}

static void
teardown (Fixture *f, gconstpointer unused)
{
  ls_trace_unref (f->trace);
  ls_context_unref (f->ctx);
}

static LsUOp *
constant (LsContext *c, LsDType dtype, int v)
{
  return ls_dtype_is_int (dtype) ? ls_uop_const_i (c, dtype, v) : ls_uop_const_f (c, dtype, v);
}

/* out[i * 4] = load(in[i * 4]) * 2.0, without ranges' ends: i is used as an index alone. counted: the same number is stored, too. */
typedef struct { LsUOp *out, *in, *range, *index, *load, *two, *product, *store, *sink; } Graph;

static Graph
graph (LsContext *c, gboolean counted)
{
  Graph g;
  g.out = ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 64), ls_arg_int (0));
  g.in = ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 64), ls_arg_int (1));
  gint64 axis[] = { 0, 0 };
  g.range = ls_uop_new1 (c, LS_OP_RANGE, LS_INT32, constant (c, LS_INT32, 16), ls_arg_ints (c, 2, axis));
  g.index = ls_uop_alu2 (c, LS_OP_MUL, g.range, constant (c, LS_INT32, 4));
  LsUOp *from = ls_uop_new2 (c, LS_OP_INDEX, g.in->dtype, g.in, g.index, ls_arg_none ()),
        *to = ls_uop_new2 (c, LS_OP_INDEX, g.out->dtype, g.out, g.index, ls_arg_none ());
  g.load = ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, from, ls_arg_none ());
  g.two = constant (c, LS_FLOAT, 2);
  g.product = ls_uop_alu2 (c, LS_OP_MUL, g.load, counted ? ls_uop_new1 (c, LS_OP_CAST, LS_FLOAT, g.index, ls_arg_none ()) : g.two);
  g.store = ls_uop_new2 (c, LS_OP_STORE, LS_VOID, to, g.product, ls_arg_none ());
  g.sink = ls_uop_new1 (c, LS_OP_SINK, LS_VOID, g.store, ls_arg_none ());
  return g;
}

static void
test_classes (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx, FALSE);
  g_autoptr (LsGraph) all = ls_graph_new (f->ctx, g.sink);
  g_autoptr (GHashTable) index = ls_node_filter (all, LS_HIDE_INDEX), constants = ls_node_filter (all, LS_HIDE_CONSTANTS);
  g_assert_cmpuint (g_hash_table_size (index), ==, 4);      /* i, i * 4 and their two constants */
  g_assert_cmpuint (ls_node_hidden (index, g.range->id), ==, LS_HIDE_INDEX);
  g_assert_cmpuint (ls_node_hidden (index, g.index->id), ==, LS_HIDE_INDEX);
  g_assert_cmpuint (ls_node_hidden (index, g.two->id), ==, 0);
  g_assert_cmpuint (g_hash_table_size (constants), ==, 3);
  g_assert_cmpuint (ls_node_hidden (constants, g.two->id), ==, LS_HIDE_CONSTANTS);
  /* what is multiplied with a float is data, and so is what it is made of */
  Graph counted = graph (f->ctx, TRUE);
  g_autoptr (LsGraph) other = ls_graph_new (f->ctx, counted.sink);
  g_autoptr (GHashTable) data = ls_node_filter (other, LS_HIDE_INDEX);
  g_assert_cmpuint (ls_node_hidden (data, counted.index->id), ==, 0);
  g_assert_cmpuint (ls_node_hidden (data, counted.range->id), ==, 0);
}

static const LsSceneNode *
node_of (const LsScene *s, const LsUOp *u)
{
  int i = ls_scene_find (s, u->id);
  g_assert_cmpint (i, >=, 0);
  return &s->nodes[i];
}

static void
test_scene (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx, FALSE);
  LsScene *whole = ls_scene_new_root (f->trace, NULL, g.sink, FALSE);
  guint n = whole->n_nodes;
  g_autoptr (LsScene) s = ls_scene_hide (whole, LS_HIDE_INDEX | LS_HIDE_CONSTANTS);
  g_assert_true (s != whole && s->whole == whole);
  g_assert_cmpuint (s->n_hidden, ==, 5);
  g_assert_cmpuint (s->n_nodes, ==, n - 5);
  /* what is hidden is found below; its arrows went with it */
  g_assert_true (node_of (s, g.two) == node_of (s, g.product));
  g_assert_cmpuint (node_of (s, g.product)->n_edges, ==, 1);
  g_assert_cmpuint (node_of (s, g.load->src[0])->n_edges, ==, 1);
  for (guint i = 0; i < s->n_nodes; i++)
    for (guint k = 0; k < s->nodes[i].n_edges; k++) {
      g_assert_cmpuint (s->edges[s->nodes[i].first_edge + k].to, ==, i);
      g_assert_cmpuint (s->edges[s->nodes[i].first_edge + k].from, <, s->n_nodes);
    }
  LsScene *plain = ls_scene_new_root (f->trace, NULL, g.sink, FALSE);
  g_assert_true (ls_scene_hide (plain, LS_HIDE_MOVEMENT) == plain);      /* there is none */
  ls_scene_free (plain);
}

/* Movement hands its source on, once for a consumer whatever the ways. */
static void
test_movement (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  gint64 flat[] = { 12 }, square[] = { 3, 4 }, order[] = { 1, 0 };
  LsUOp *x = ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 12), ls_arg_int (0));
  LsUOp *load = ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, x, ls_arg_none ());
  LsUOp *reshaped = ls_uop_new1 (c, LS_OP_RESHAPE, LS_FLOAT, load, ls_arg_ints (c, 2, square));
  LsUOp *turned = ls_uop_new1 (c, LS_OP_PERMUTE, LS_FLOAT, reshaped, ls_arg_ints (c, 2, order));
  LsUOp *sum = ls_uop_alu2 (c, LS_OP_ADD, turned, reshaped);
  LsUOp *last = ls_uop_new1 (c, LS_OP_RESHAPE, LS_FLOAT, sum, ls_arg_ints (c, 1, flat));
  LsUOp *sink = ls_uop_new1 (c, LS_OP_SINK, LS_VOID, last, ls_arg_none ());
  g_autoptr (LsScene) s = ls_scene_hide (ls_scene_new_root (f->trace, NULL, sink, TRUE), LS_HIDE_MOVEMENT);
  g_assert_cmpuint (s->n_hidden, ==, 3);
  const LsSceneNode *box = node_of (s, sum);
  g_assert_cmpuint (box->n_edges, ==, 1);
  g_assert_true (&s->nodes[s->edges[box->first_edge].from] == node_of (s, load));
  g_assert_cmpuint (s->edges[box->first_edge].n_ports[1], ==, 1);
  g_assert_true (&s->nodes[s->edges[node_of (s, sink)->first_edge].from] == box);
  g_assert_true (node_of (s, turned) == box && node_of (s, reshaped) == box);
}

/* --- the window --- */

static void
press (LsWindow *window, guint key, GdkModifierType modifiers)
{
  input_key (key, modifiers);
  wait_window (window);
}

/* Over the steps of a pass: what is left keeps its place, and nothing that a step changed is hidden. Returns how many were hidden. */
static guint
walk (LsWindow *window, guint n_steps)
{
  LsViewSession *session = window->session;
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  guint n = 0;
  for (guint i = 1; i <= n_steps; i++) {
    ls_view_session_go (session, ls_view_session_get_pass (session), i);
    ls_view_session_set_hidden (session, 0);
    wait_window (window);
    const LsGraphDiff *diff = ls_view_session_diff (session);
    g_autofree graphene_rect_t *was = g_new0 (graphene_rect_t, MAX (diff->nodes->len, 1));
    for (guint k = 0; k < diff->nodes->len; k++)
      g_assert_true (ls_graph_view_node_rect (view, g_array_index (diff->nodes, LsDiffNode, k).node->id, &was[k]));
    g_assert_cmpuint (ls_graph_view_get_n_hidden (view), ==, 0);
    ls_view_session_set_hidden (session, LS_HIDE_ALL);
    wait_window (window);
    n += ls_graph_view_get_n_hidden (view);
    for (guint k = 0; k < diff->nodes->len; k++) {
      const LsDiffNode *d = &g_array_index (diff->nodes, LsDiffNode, k);
      graphene_rect_t now;
      if (d->kind != LS_DIFF_SAME)
        g_assert_true (ls_graph_view_node_rect (view, d->node->id, &now) && graphene_rect_equal (&now, &was[k]));
    }
  }
  return n;
}

static void
test_steps (void)
{
  LsWindow *window = open_at ("3/lower/1");
  LsViewSession *session = window->session;
  g_assert_cmpuint (ls_view_session_n_steps (session), >=, 4);
  ls_graph_view_set_fold (ls_steps_view_get_graph (window->steps), FALSE);      /* each constant and index is a box */
  guint n = walk (window, 4);
  g_test_message ("%u nodes hidden over 4 steps", n);
  g_assert_cmpuint (n, >, 0);
  ls_view_session_set_hidden (session, 0);
  close_window (window);
}

/* The rows of the list in a pane, or NULL. */
static GListModel *
rows_of (GtkWidget *widget)
{
  GListModel *found = GTK_IS_LIST_VIEW (widget) ? G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (widget))) : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = rows_of (child);
  return found;
}

/* The keys, the text that counts and shows all again, the rows. */
static void
test_keys (void)
{
  LsWindow *window = open_at ("3/lower/2");
  LsViewSession *session = window->session;
  GtkWidget *steps = GTK_WIDGET (window->steps);
  LsGraphView *view = ls_steps_view_get_graph (LS_STEPS_VIEW (steps));
  ls_graph_view_set_fold (view, FALSE);
  GtkWidget *count = find_widget (GTK_WIDGET (window), "hidden");
  g_assert_nonnull (count);
  g_assert_false (gtk_widget_get_visible (count));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  press (window, GDK_KEY_v, GDK_SHIFT_MASK);
  g_assert_cmpuint (ls_view_session_get_hidden (session), ==, LS_HIDE_ALL);
  guint n = ls_graph_view_get_n_hidden (view);
  g_assert_cmpuint (n, >, 0);
  g_assert_true (gtk_widget_get_visible (count));
  g_autofree char *text = g_strdup_printf ("%u hidden", n);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (count)), ==, text);
  GListModel *rows = rows_of (find_widget (GTK_WIDGET (window), "changes-pane"));
  guint n_lines = g_list_model_get_n_items (rows);
  input_click (count);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_hidden (session), ==, 0);
  g_assert_cmpuint (ls_graph_view_get_n_hidden (view), ==, 0);
  g_assert_false (gtk_widget_get_visible (count));
  g_assert_cmpuint (g_list_model_get_n_items (rows), >, n_lines);
  /* the menu */
  GtkPopover *menu = gtk_menu_button_get_popover (GTK_MENU_BUTTON (find_widget (GTK_WIDGET (window), "filter")));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  press (window, GDK_KEY_v, 0);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (menu)));
  press (window, GDK_KEY_Escape, 0);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (menu)));
  /* one of them by its action, as the menu does */
  gtk_widget_activate_action (steps, "hide.constants", NULL);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_hidden (session), ==, LS_HIDE_CONSTANTS);
  /* frames of loops are hidden by themselves: the key is of nodes, and no count is shown */
  g_assert_nonnull (view->frames);
  gtk_widget_activate_action (steps, "hide.frames", NULL);
  wait_window (window);
  g_assert_null (view->frames);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  press (window, GDK_KEY_v, GDK_SHIFT_MASK);
  g_assert_cmpuint (ls_view_session_get_hidden (session), ==, LS_HIDE_FRAMES);
  g_assert_null (view->frames);
  g_assert_false (gtk_widget_get_visible (count));
  press (window, GDK_KEY_v, GDK_SHIFT_MASK);
  g_assert_cmpuint (ls_view_session_get_hidden (session), ==, LS_HIDE_FRAMES | LS_HIDE_CONSTANTS);
  gtk_widget_activate_action (steps, "hide.frames", NULL);
  wait_window (window);
  g_assert_nonnull (view->frames);
  close_window (window);
}

/* A constant that three boxes draw is marked in each of them, not in one. */
static void
test_shared_constant (void)
{
  g_autofree char *source = g_build_filename (folder, "shared.py", NULL);
  g_assert_true (g_file_set_contents (source, "from tinygrad import Tensor\nprint((Tensor([1]) + Tensor([2])).tolist())\n", -1, NULL));
  g_autofree char *path = fixture_record_in (folder, "shared");
  LsWindow *window = open_recording (path, "1/render/5", 1280, 800);
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  g_autoptr (GString) marked = g_string_new (NULL);
  LsTrace *trace = ls_view_session_get_trace (window->session);
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, ls_trace_pass (trace, 1, "index"), 1);
  for (guint i = 0; i < graph->nodes->len; i++) {
    const LsUOp *u = graph->nodes->pdata[i];
    if (u->op == LS_OP_CONST && u->arg.i == 0)
      ls_view_session_select (window->session, LS_CHOSEN_IN_GRAPH, &u->id, 1);
  }
  wait_window (window);
  for (guint i = 0; i < view->scene->n_nodes; i++)
    if (view->marks[i] & LS_MARK_SELECTED)
      g_string_append_printf (marked, "%.5s ", view->scene->nodes[i].title[1]);
  g_auto (GStrv) words = g_strsplit (g_strchomp (marked->str), " ", -1);
  guint loads = 0, stores = 0;
  for (guint i = 0; words[i]; i++) {
    loads += g_str_equal (words[i], "LOAD");
    stores += g_str_equal (words[i], "STORE");
  }
  g_assert_cmpuint (loads, ==, 2);
  g_assert_cmpuint (stores, ==, 1);
  close_window (window);
}

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
#define ADD(path, function) g_test_add (path, Fixture, NULL, setup, function, teardown)
  ADD ("/filters/classes", test_classes);
  ADD ("/filters/scene", test_scene);
  ADD ("/filters/movement", test_movement);
#undef ADD
  if (fixture_show ()) {
    g_test_add_func ("/filters/steps", test_steps);
    g_test_add_func ("/filters/keys", test_keys);
  } else {
    g_test_message ("no X display to show a window on: install xvfb");
  }
  g_test_add_func ("/filters/shared-constant", test_shared_constant);
  return fixture_end ();
}
