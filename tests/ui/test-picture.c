/* The picture of a position is the same whichever way one came: n steps on and n back, or at one leap.
 *
 * Windows show recordings of the example programs; the graph as it is painted is hashed at every step.
 */
#include "graph/layout/chain.h"
#include "fixture.h"

#include <math.h>

#include <string.h>

static LsWindow *
open_program (const char *program, const char *position)
{
  g_autofree char *path = fixture_record (program);
  return open_recording (path, position, 1280, 800);
}

/* The current picture of a widget, as a number. */
static char *
picture (LsWindow *window, GtkWidget *widget)
{
  g_assert_true (wait_until (is_shown, window));
  gtk_test_widget_wait_for_draw (widget);
  int w = gtk_widget_get_width (widget), h = gtk_widget_get_height (widget);
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, w, h);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) w, (float) h);
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node, &all);
  gsk_render_node_unref (node);
  g_autofree guint32 *data = g_new (guint32, (gsize) w * (gsize) h);
  gdk_texture_download (texture, (guchar *) data, (gsize) w * 4);
  return g_compute_checksum_for_data (G_CHECKSUM_MD5, (const guchar *) data, (gsize) w * (gsize) h * 4);
}

typedef struct { char *hash; int pass; guint step; } Seen;

static void
clear_seen (gpointer data)
{
  g_free (((Seen *) data)->hash);
}

static Seen
look (LsWindow *window, LsGraphView *graph)
{
  LsViewSession *session = window->session;
  return (Seen) { picture (window, GTK_WIDGET (graph)), ls_view_session_get_pass (session), ls_view_session_get_step (session) };
}

static void
assert_same (LsWindow *window, const Seen *a, const Seen *b, const char *how)
{
  g_assert_cmpint (a->pass, ==, b->pass);
  g_assert_cmpuint (a->step, ==, b->step);
  if (!g_str_equal (a->hash, b->hash)) {
    g_autofree char *link = ls_view_session_get_link (window->session);
    g_error ("%s differs when reached %s", link, how);
  }
}

/* On, back and by leaps. */
static void
walk (LsWindow *window, guint n)
{
  LsViewSession *session = window->session;
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  g_array_set_clear_func (seen, clear_seen);
  g_autoptr (GHashTable) different = g_hash_table_new (g_str_hash, g_str_equal);      /* of rewrites: a row need not have a box */
  guint n_rewrites = 0;
  for (guint i = 0; i <= n; i++) {
    Seen s = look (window, graph);
    g_array_append_val (seen, s);
    if (ls_view_session_pass (session)->kind == LS_PASS_REWRITE) {
      g_hash_table_add (different, s.hash);
      n_rewrites++;
    }
    if (i < n && !ls_view_session_next_step (session))
      break;
  }
  g_assert_cmpuint (g_hash_table_size (different) * 10, >, n_rewrites * 9);      /* pictures of steps, not one for all */
  for (guint i = seen->len; i-- > 0; ) {
    Seen s = look (window, graph);
    assert_same (window, &s, &g_array_index (seen, Seen, i), "backwards");
    clear_seen (&s);
    if (i)
      g_assert_true (ls_view_session_prev_step (session));
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (seen->len);
  for (guint i = 0; i < seen->len / 3; i++) {
    const Seen *to = &g_array_index (seen, Seen, g_rand_int_range (rand, 0, (gint32) seen->len));
    ls_view_session_go (session, to->pass, to->step);
    Seen s = look (window, graph);
    assert_same (window, &s, to, "at one leap");
    clear_seen (&s);
  }
}

/* A window that has seen nothing else shows the same as one that walked. */
static void
leap (const char *program, const char *from, const char *position)
{
  LsWindow *window = open_program (program, from), *fresh = open_program (program, position);
  LsViewSession *session = window->session;
  g_assert_true (ls_view_session_go_link (session, position));
  Seen a = look (window, ls_steps_view_get_graph (window->steps)),
       b = look (fresh, ls_steps_view_get_graph (fresh->steps));
  assert_same (window, &a, &b, "in another window");
  clear_seen (&a);
  clear_seen (&b);
  close_window (fresh);
  close_window (window);
}

static void
test_walk (gconstpointer data)
{
  const char *const *where = data;
  LsWindow *window = open_program (where[0], where[1]);
  walk (window, 50);
  close_window (window);
}

static void
test_leap (void)
{
  leap ("matmul", "3/simplify#2/3", "3/simplify#2/36");
  leap ("matmul", "3/index/1", "3/simplify#2/1");
  leap ("softmax", "1/simplify/1", "1/index/3");
}

/* The user's changes to the viewport go along, come back with the step, and end with fit. */
static void
test_own (void)
{
  LsWindow *window = open_program ("matmul", "3/simplify#2/15");
  LsViewSession *session = window->session;
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  g_autofree char *usual = picture (window, GTK_WIDGET (graph));
  ls_graph_view_zoom_by (graph, 1.5);
  g_autofree char *larger = picture (window, GTK_WIDGET (graph));
  g_assert_cmpstr (usual, !=, larger);
  walk (window, 20);
  ls_view_session_go_link (session, "3/simplify#2/15");
  g_autofree char *again = picture (window, GTK_WIDGET (graph));
  g_assert_cmpstr (larger, ==, again);
  ls_graph_view_fit (graph);
  g_autofree char *whole = picture (window, GTK_WIDGET (graph));
  g_assert_cmpstr (whole, !=, larger);
  walk (window, 20);
  ls_view_session_go_link (session, "3/index/1");      /* another pass, and it is forgotten */
  g_free (picture (window, GTK_WIDGET (graph)));
  ls_view_session_go_link (session, "3/simplify#2/15");
  g_autofree char *usual_again = picture (window, GTK_WIDGET (graph));
  g_assert_cmpstr (usual, ==, usual_again);
  close_window (window);
}

/* From the last picture of a pass to the first of the next: what stays, stays where it was. */
static void
test_boundaries (void)
{
  close_window (open_program ("matmul", "3/ast/1"));      /* makes the path */
  g_autofree char *path = g_build_filename (folder, "matmul.lscope", NULL);
  g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
  g_autoptr (LsChain) chain = ls_chain_new (trace);
  guint stay = 0, all = 0, boundaries = 0;
  const LsPass *last = NULL;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (pass->kind != LS_PASS_REWRITE || ls_pass_n_rewrites (pass) == 0)
      continue;
    if (last && last->kernel == pass->kernel && last->output == pass->input) {
      g_autoptr (LsScene) a = ls_chain_scene (trace, last, ls_pass_n_rewrites (last), TRUE), b = ls_chain_scene (trace, pass, 0, TRUE);
      g_autoptr (LsChain) fresh = ls_chain_new (trace);
      g_autoptr (LsLayout) la = ls_chain_layout (chain, last, ls_pass_n_rewrites (last), TRUE, NULL),
          lb = ls_chain_layout (chain, pass, 0, TRUE, NULL);
      g_autoptr (LsLayout) again = ls_chain_layout (fresh, pass, 0, TRUE, NULL);      /* whatever was looked at before */
      boundaries++;
      for (guint k = 0; k < b->n_nodes; k++) {
        g_assert_true (lb->x[k] == again->x[k] && lb->y[k] == again->y[k]);
        int was = ls_scene_find (a, b->nodes[k].id);
        if (was < 0)
          continue;
        all++;
        stay += fabsf (la->x[was] + a->nodes[was].width / 2 - lb->x[k] - b->nodes[k].width / 2) <= b->nodes[k].width / 2 &&
                la->y[was] == lb->y[k];
      }
    }
    last = pass;
  }
  g_assert_cmpuint (boundaries, >, 10);
  g_assert_cmpuint (stay * 10, >, all * 6);      /* all would move; where a picture has become too large it is laid out afresh */
  g_test_message ("%u of %u boxes stay at %u boundaries", stay, all, boundaries);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  static const char *const places[][2] = { { "matmul", "3/simplify#2/1" }, { "matmul", "3/expand/1" }, { "softmax", "1/lower/1" },
                                           { "layernorm", "2/ast/20" }, { "mlp", "5/ast/1" } };
  for (guint i = 0, share = fixture_sample (3, "places"); i < G_N_ELEMENTS (places); i += share) {
    g_autofree char *name = g_strdup_printf ("/picture/walk/%s-%u", places[i][0], i);
    g_test_add_data_func (name, places[i], test_walk);
  }
  g_test_add_func ("/picture/leap", test_leap);
  g_test_add_func ("/picture/own", test_own);
  g_test_add_func ("/picture/boundaries", test_boundaries);
  return fixture_end ();
}
