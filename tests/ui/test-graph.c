/* The graph view: the picture shows boxes in their colours, at the reported positions, and its signals.
 *
 * Pictures are rendered to a texture and read back at places that the view names.
 */
#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

#include "graph/view/graph-view-private.h"
#include "graphs.h"

typedef struct { GtkWidget *window; LsGraphView *view; } Shown;

static void
wait_idle (LsGraphView *view)
{
  while (ls_graph_view_get_busy (view))
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (ls_graph_view_get_busy (view));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
}

static Shown
show (void)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_LIGHT);
  Shown s = { gtk_window_new (), LS_GRAPH_VIEW (ls_graph_view_new ()) };
  gtk_window_set_decorated (GTK_WINDOW (s.window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (s.window), 600, 600);
  gtk_window_set_child (GTK_WINDOW (s.window), GTK_WIDGET (s.view));
  gtk_window_present (GTK_WINDOW (s.window));
  while (!gtk_widget_get_mapped (s.window) || gtk_widget_get_height (GTK_WIDGET (s.view)) == 0)
    g_main_context_iteration (NULL, TRUE);
  gtk_test_widget_wait_for_draw (s.window);
  return s;
}

/* Colour of a point of the view, as 0xrrggbb. */
static guint32
pixel (Shown s, double x, double y)
{
  int w = gtk_widget_get_width (GTK_WIDGET (s.view)), h = gtk_widget_get_height (GTK_WIDGET (s.view));
  g_assert_true (x >= 0 && y >= 0 && x < w && y < h);
  gtk_widget_queue_draw (GTK_WIDGET (s.view));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (GTK_WIDGET (s.view));
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, w, h);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) w, (float) h);
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (s.window)), node, &all);
  gsk_render_node_unref (node);
  g_autofree guint32 *data = g_new (guint32, (gsize) w * (gsize) h);
  gdk_texture_download (texture, (guchar *) data, (gsize) w * 4);
  return data[(gsize) y * (gsize) w + (gsize) x] & 0xffffff;
}

static void
assert_color (guint32 is, guint32 wanted, int tolerance)
{
  for (int shift = 0; shift < 24; shift += 8)
    if (abs ((int) (is >> shift & 255) - (int) (wanted >> shift & 255)) > tolerance)
      g_error ("colour #%06x, not #%06x", is, wanted);
}

/* In the fill of a box, clear of words. */
static guint32
fill_of (Shown s, const LsUOp *u)
{
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, u->id, &r));
  return pixel (s, r.origin.x + r.size.width / 2, r.origin.y + r.size.height * 0.92);
}

static void
test_picture (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = make_mul_one (f, &x, &gone, &user);
  Shown s = show ();
  assert_color (pixel (s, 3, 3), 0xfafafa, 1);
  ls_graph_view_set_diff (s.view, f->trace, d);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (s.view->status, "8 nodes, layered"));
  /* the other engine, by the menu's action, and back */
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (s.view), "graph.engine", "s", "dot"));
  g_assert_cmpint ((int) s.view->engine, ==, LS_GRAPH_DOT);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (s.view->status, "8 nodes, dot"));
  ls_graph_view_set_engine (s.view, LS_GRAPH_STABLE);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (s.view->status, "8 nodes, layered"));
  assert_color (fill_of (s, x), 0xffffff, 2);
  assert_color (fill_of (s, user), 0xdcebfa, 2);
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, gone->id, &r));
  /* the badge of the ghost: its colour next to the minus */
  assert_color (pixel (s, r.origin.x + r.size.width - 3, r.origin.y + 1 - 5), 0xb84a00, 6);
  /* without the ghost, and back: nothing moves */
  ls_graph_view_set_mode (s.view, LS_GRAPH_AFTER);
  assert_color (pixel (s, r.origin.x + r.size.width / 2, r.origin.y + r.size.height * 0.92), 0xf2f2f3, 1);      /* the loop's frame */
  graphene_rect_t again;
  g_assert_true (ls_graph_view_node_rect (s.view, user->id, &r));
  ls_graph_view_set_mode (s.view, LS_GRAPH_BEFORE);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  g_assert_true (ls_graph_view_node_rect (s.view, user->id, &again));
  g_assert_cmpfloat (r.origin.x, ==, again.origin.x);
  ls_graph_view_set_mode (s.view, LS_GRAPH_BOTH);
  /* the ring is outside */
  ls_graph_view_set_selection (s.view, &x->id, 1);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  g_assert_true (ls_graph_view_node_rect (s.view, x->id, &r));
  assert_color (pixel (s, r.origin.x - 3, r.origin.y + r.size.height / 2), 0xc2185b, 24);
  assert_color (fill_of (s, x), 0xffffff, 2);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_DARK);
  gtk_test_widget_wait_for_draw (s.window);
  assert_color (fill_of (s, user), 0x12304d, 2);
  assert_color (pixel (s, 3, 3), 0x1e1e1e, 1);
  gtk_window_destroy (GTK_WINDOW (s.window));
}

static void
test_requests (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = make_scale (f->ctx, &product), *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = make_mul_one (f, &x, &gone, &user);
  Shown s = show ();
  /* the latest request wins, however many came before */
  for (guint i = 0; i < 20; i++) {
    ls_graph_view_set_root (s.view, f->trace, root);
    ls_graph_view_set_diff (s.view, f->trace, d);
  }
  ls_graph_view_set_root (s.view, f->trace, root);
  wait_idle (s.view);
  graphene_rect_t r, again;
  g_assert_true (ls_graph_view_node_rect (s.view, product->id, &r));
  g_assert_false (ls_graph_view_node_rect (s.view, gone->id, &again));
  /* known layouts come at once, and places do not depend on the way there */
  ls_graph_view_set_diff (s.view, f->trace, d);
  wait_idle (s.view);
  ls_graph_view_set_root (s.view, f->trace, root);
  g_assert_false (ls_graph_view_get_busy (s.view));
  ls_graph_view_set_fold (s.view, FALSE);
  wait_idle (s.view);
  g_assert_true (ls_graph_view_node_rect (s.view, product->src[1]->id, &r));
  g_assert_true (ls_graph_view_node_rect (s.view, product->id, &again));
  g_assert_true (r.origin.x != again.origin.x || r.origin.y != again.origin.y);
  /* the view may go while a layout is on its way */
  ls_graph_view_set_diff (s.view, f->trace, d);
  ls_graph_view_set_diff (s.view, NULL, NULL);
  g_assert_false (ls_graph_view_get_busy (s.view));
  g_assert_cmpstr (s.view->status, ==, "no graph");
  ls_graph_view_set_root (s.view, f->trace, root);
  gtk_window_destroy (GTK_WINDOW (s.window));
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
test_large (Fixture *f, gconstpointer unused)
{
  LsUOp *root = make_large (f->ctx, 10000);
  Shown s = show ();
  ls_graph_view_set_root (s.view, f->trace, root);
  g_assert_true (ls_graph_view_get_busy (s.view));
  wait_idle (s.view);
  g_assert_nonnull (strstr (s.view->status, "layered"));
  ls_graph_view_fit (s.view);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  ls_graph_view_zoom_by (s.view, 10);
  ls_graph_view_focus_change (s.view);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, root->id, &r));
  gtk_window_destroy (GTK_WINDOW (s.window));
}

/* The exported graph is the current one, in the current mode. */
static void
test_export (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = make_mul_one (f, &x, &gone, &user);
  Shown s = show ();
  g_assert_null (ls_graph_view_to_dot (s.view));
  ls_graph_view_set_diff (s.view, f->trace, d);
  wait_idle (s.view);
  g_autofree char *both = ls_graph_view_to_dot (s.view), *ghost = g_strdup_printf ("n%u [label=\"MUL\nfloat\"", gone->id);
  g_assert_nonnull (strstr (both, ghost));
  ls_graph_view_set_mode (s.view, LS_GRAPH_AFTER);
  g_autofree char *after = ls_graph_view_to_dot (s.view), *edge = g_strdup_printf ("n%u -> n%u ", x->id, user->id);
  g_assert_null (strstr (after, ghost));
  g_assert_nonnull (strstr (after, edge));
  /* dot itself reads it */
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "lazyscope-test-export.dot", NULL), *found = g_find_program_in_path ("dot");
  cairo_surface_t *recorded = ls_graph_view_record (s.view);
  g_autoptr (GBytes) picture = ls_graph_svg (recorded, NULL);
  cairo_surface_destroy (recorded);
  g_assert_true (g_file_set_contents (path, after, -1, NULL));
  const char *argv[] = { "dot", "-Tplain", path, NULL };
  int status = 1;
  if (found)
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                                 &status, NULL));
  g_assert_true (!found || status == 0);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (picture, NULL), (gssize) g_bytes_get_size (picture), "<svg"));
  g_unlink (path);
  gtk_window_destroy (GTK_WINDOW (s.window));
}

/* A layout that takes long says so, with a button that ends it and then asks for it again. */
static void
test_slow (Fixture *f, gconstpointer unused)
{
  LsUOp *root = make_large (f->ctx, 120000), *product, *small = make_scale (f->ctx, &product);
  Shown s = show ();
  ls_graph_view_set_root (s.view, f->trace, small);
  wait_idle (s.view);
  g_assert_false (ls_graph_view_cancel (s.view));
  ls_graph_view_set_root (s.view, f->trace, root);
  GtkWidget *stop = gtk_widget_get_first_child (GTK_WIDGET (s.view));
  while (stop && g_strcmp0 (gtk_widget_get_name (stop), "stop-layout") != 0)
    stop = gtk_widget_get_next_sibling (stop);
  while (!gtk_widget_get_visible (stop) && ls_graph_view_get_busy (s.view))
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (gtk_widget_get_visible (stop) && ls_graph_view_get_busy (s.view));
  g_signal_emit_by_name (stop, "clicked");
  g_assert_false (ls_graph_view_get_busy (s.view));
  g_assert_cmpstr (s.view->status, ==, "layout cancelled");
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, product->id, &r));      /* old boxes stay */
  g_assert_true (gtk_widget_get_visible (stop));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  g_signal_emit_by_name (stop, "clicked");
  g_assert_true (ls_graph_view_get_busy (s.view));
  ls_graph_view_set_root (s.view, f->trace, small);
  g_assert_false (gtk_widget_get_visible (stop));
  wait_idle (s.view);
  gtk_window_destroy (GTK_WINDOW (s.window));
}

static void
note_id (LsGraphView *view, guint id, guint *out)
{
  *out = id;
}

static gboolean
press (LsGraphView *view, guint keyval)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));
  gboolean handled = FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++) {
    g_autoptr (GtkEventController) c = g_list_model_get_item (controllers, i);
    if (GTK_IS_EVENT_CONTROLLER_KEY (c))
      g_signal_emit_by_name (c, "key-pressed", keyval, 0, 0, &handled);
  }
  return handled;
}

static void
test_keys (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = make_scale (f->ctx, &product);
  Shown s = show ();
  ls_graph_view_set_root (s.view, f->trace, root);
  wait_idle (s.view);
  guint id = LS_NO_NODE, activated = LS_NO_NODE;
  g_signal_connect (s.view, "node-selected", G_CALLBACK (note_id), &id);
  g_signal_connect (s.view, "node-activated", G_CALLBACK (note_id), &activated);
  g_assert_true (press (s.view, GDK_KEY_Down));
  g_assert_cmpuint (id, ==, root->id);
  press (s.view, GDK_KEY_Up);
  g_assert_cmpuint (id, ==, root->src[0]->id);
  ls_graph_view_set_selection (s.view, &product->id, 1);
  press (s.view, GDK_KEY_Down);
  g_assert_cmpuint (id, ==, root->src[0]->id);
  press (s.view, GDK_KEY_Return);
  g_assert_cmpuint (activated, ==, root->src[0]->id);
  graphene_rect_t r, larger;
  ls_graph_view_node_rect (s.view, product->id, &r);
  g_assert_true (press (s.view, GDK_KEY_plus));
  ls_graph_view_node_rect (s.view, product->id, &larger);
  g_assert_cmpfloat (larger.size.width, >, r.size.width);
  /* the workbench's keys are left to it */
  g_assert_false (press (s.view, GDK_KEY_n));
  g_assert_true (gtk_widget_grab_focus (GTK_WIDGET (s.view)));
  gtk_window_destroy (GTK_WINDOW (s.window));
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  adw_init ();
  ADD_GRAPH_TEST ("/graph/view/picture", test_picture);
  ADD_GRAPH_TEST ("/graph/view/requests", test_requests);
  ADD_GRAPH_TEST ("/graph/view/large", test_large);
  ADD_GRAPH_TEST ("/graph/view/slow", test_slow);
  ADD_GRAPH_TEST ("/graph/view/export", test_export);
  ADD_GRAPH_TEST ("/graph/view/keys", test_keys);
  return g_test_run ();
}
