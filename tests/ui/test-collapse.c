/* Boxes collapsed by hand: what they take in, where the others are, and that stepping keeps them. */
#include "fixture.h"
#include "graph/view/collapse.h"
#include "graph/view/graph-view-private.h"
#include "graph/layout/ranks.h"
#include "trace/diff.h"

#include <string.h>

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

static LsUOp *global (LsContext *c, int n) { return ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4096),
                                                                 ls_arg_int (n)); }
static LsUOp *load (LsContext *c, LsUOp *from) { return ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, from, ls_arg_none ()); }
static LsUOp *mul (LsContext *c, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (c, LS_OP_MUL, a, b); }
static LsUOp *add (LsContext *c, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (c, LS_OP_ADD, a, b); }

/* sum = load(g1) * load(g2) + load(g1); other = load(g2) * load(g3): both use load(g2) and the nodes above it. */
typedef struct { LsUOp *g[3], *l[3], *product, *sum, *other, *sink; } Graph;

static Graph
graph (LsContext *c)
{
  Graph g;
  for (int i = 0; i < 3; i++) {
    g.g[i] = global (c, i);
    g.l[i] = load (c, g.g[i]);
  }
  g.product = mul (c, g.l[0], g.l[1]);
  g.sum = add (c, g.product, g.l[0]);
  g.other = mul (c, g.l[1], g.l[2]);
  LsUOp *src[2] = { g.sum, g.other };
  g.sink = ls_uop_new (c, LS_OP_SINK, LS_VOID, 2, src, ls_arg_none ());
  return g;
}

static LsScene *
collapse (LsScene *whole, guint n, ...)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
  va_list list;
  va_start (list, n);
  for (guint i = 0; i < n; i++)
    g_hash_table_add (ids, GUINT_TO_POINTER (va_arg (list, LsUOp *)->id));
  va_end (list);
  return ls_scene_collapse (whole, ids, NULL, NULL);
}

static const LsSceneNode *
node_of (const LsScene *s, const LsUOp *u)
{
  int i = ls_scene_find (s, u->id);
  g_assert_cmpint (i, >=, 0);
  return &s->nodes[i];
}

static void
test_dominated (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  LsScene *whole = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  guint n = whole->n_nodes;
  g_assert_cmpuint (n, ==, 10);
  g_assert_cmpuint (ls_scene_n_dominated (whole, (guint) ls_scene_find (whole, g.sum->id)), ==, 3);
  g_assert_cmpuint (ls_scene_n_dominated (whole, (guint) ls_scene_find (whole, g.g[0]->id)), ==, 0);
  g_autoptr (LsScene) s = collapse (whole, 1, g.sum);
  g_assert_true (s != whole && s->whole == whole);
  g_assert_cmpuint (s->n_nodes, ==, n - 3);
  const LsSceneNode *box = node_of (s, g.sum);
  g_assert_cmpuint (box->n_inside, ==, 3);
  g_assert_cmpuint (box->inside[LS_DIFF_SAME], ==, 3);
  g_assert_cmpstr (box->title[1], ==, "ADD");
  g_assert_cmpstr (box->detail[1], ==, "+ 3 nodes");
  /* what is inside is found where it is drawn, the rest where it was */
  g_assert_true (node_of (s, g.product) == box && node_of (s, g.l[0]) == box && node_of (s, g.g[0]) == box);
  g_assert_true (node_of (s, g.l[1]) != box && node_of (s, g.l[1])->n_inside == 0);
  /* one arrow from nodes that feed it and others */
  g_assert_cmpuint (box->n_edges, ==, 1);
  const LsSceneEdge *e = &s->edges[box->first_edge];
  g_assert_cmpuint (s->nodes[e->from].id, ==, g.l[1]->id);
  g_assert_true (&s->nodes[e->to] == box);
  g_assert_cmpuint (e->n_ports[0], ==, 1);
  g_assert_cmpuint (e->n_ports[1], ==, 1);
  for (guint i = 0; i < s->n_nodes; i++)
    for (guint k = 0; k < s->nodes[i].n_edges; k++) {
      g_assert_cmpuint (s->edges[s->nodes[i].first_edge + k].to, ==, i);
      g_assert_cmpuint (s->edges[s->nodes[i].first_edge + k].from, <, s->n_nodes);
    }
  g_autofree char *sentence = ls_scene_sentence (s, (guint) (box - s->nodes)), *tip = ls_scene_tooltip (s, (guint) (box - s->nodes));
  g_assert_cmpstr (sentence, ==, "ADD, 3 nodes collapsed into it. Sources: LOAD data1. Used by: SINK.");
  g_assert_nonnull (strstr (tip, "3 nodes collapsed into it"));
}

static void
test_nested (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  /* one in another, in any order of ids: the outer one counts */
  LsScene *whole = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsScene) s = collapse (whole, 2, g.l[0], g.sum);
  g_assert_cmpuint (s->n_nodes, ==, 7);
  g_assert_cmpuint (node_of (s, g.g[0])->n_inside, ==, 3);
  /* two side by side; common inputs stay */
  LsScene *again = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsScene) two = collapse (again, 2, g.other, g.sum);
  g_assert_cmpuint (two->n_nodes, ==, 5);
  g_assert_cmpuint (node_of (two, g.other)->n_inside, ==, 2);
  g_assert_cmpuint (node_of (two, g.l[1])->n_inside, ==, 0);
  /* everything */
  LsScene *third = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsScene) all = collapse (third, 1, g.sink);
  g_assert_cmpuint (all->n_nodes, ==, 1);
  g_assert_cmpuint (all->n_edges, ==, 0);
  /* nothing */
  LsScene *plain = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_assert_true (collapse (plain, 1, g.g[1]) == plain);
  ls_scene_free (plain);
}

/* The sum's product changes: the box that contains it is marked as changed. */
static void
test_badge (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  LsUOp *quotient = ls_uop_alu2 (f->ctx, LS_OP_MAX, g.l[0], g.l[1]), *sum = add (f->ctx, quotient, g.l[0]), *src[2] = { sum, g.other };
  LsUOp *sink = ls_uop_new (f->ctx, LS_OP_SINK, LS_VOID, 2, src, ls_arg_none ());
  LsNodeMap *former = ls_node_map_acquire (f->ctx);
  ls_node_map_set_node (former, sum, g.sum);
  ls_node_map_set_node (former, sink, g.sink);
  g_autoptr (LsGraph) before = ls_graph_new (f->ctx, g.sink), after = ls_graph_new (f->ctx, sink);
  g_autoptr (LsGraphDiff) diff = ls_graph_diff_new (before, after, former, NULL, NULL);
  ls_node_map_release (f->ctx, former);
  LsScene *whole = ls_scene_new_diff (f->trace, diff, TRUE);
  g_assert_cmpint (node_of (whole, sink)->kind, ==, LS_DIFF_SAME);      /* only rebuilt */
  g_autoptr (LsScene) s = collapse (whole, 1, g.sum);      /* by its earlier node */
  const LsSceneNode *box = node_of (s, sum);
  g_assert_true (box == node_of (s, g.product) && box == node_of (s, quotient));
  g_assert_cmpuint (box->n_inside, ==, 4);
  g_assert_cmpuint (box->inside[LS_DIFF_ADDED], ==, 1);
  g_assert_cmpuint (box->inside[LS_DIFF_REMOVED], ==, 1);
  g_assert_cmpint (box->kind, ==, LS_DIFF_CHANGED);
  g_assert_cmpuint (s->n_kind[LS_DIFF_ADDED], ==, 1);      /* the step is unchanged */
  /* it was fed by load(g2) before and is after */
  g_assert_cmpuint (box->n_edges, ==, 1);
  g_assert_cmpint (s->edges[box->first_edge].side, ==, LS_IN_BOTH);
  g_autofree char *sentence = ls_scene_sentence (s, (guint) (box - s->nodes));
  g_assert_nonnull (strstr (sentence, "4 nodes collapsed into it, 1 added, 1 removed, changed."));
  LsScene *same = ls_scene_new_diff (f->trace, diff, TRUE);
  g_autoptr (LsScene) all = collapse (same, 1, sink);
  g_assert_cmpint (all->nodes[0].kind, ==, LS_DIFF_CHANGED);      /* what is inside is */
  g_assert_cmpuint (all->nodes[0].inside[LS_DIFF_CHANGED], ==, 1);
}

/* Processor time of this thread. */
static double
worked_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

/* A chain of n nodes, each also an operand of the sink at every tenth: dominated sets of ten, and of everything. */
static void
test_large (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  g_autoptr (GPtrArray) ends = g_ptr_array_new ();
  LsUOp *x = load (c, global (c, 0)), *first = x;
  for (guint i = 0; i < 10000; i++)
    x = mul (c, x, first);
  g_ptr_array_add (ends, x);
  LsUOp *sink = ls_uop_new (c, LS_OP_SINK, LS_VOID, ends->len, (LsUOp *const *) ends->pdata, ls_arg_none ());
  LsScene *whole = ls_scene_new_root (f->trace, NULL, sink, TRUE);
  guint n = whole->n_nodes;
  g_assert_cmpuint (n, >, 10000);
  double start = worked_ms ();
  g_autoptr (LsScene) s = collapse (whole, 1, x);
  double ms = worked_ms () - start;
  g_test_message ("%u nodes collapsed in %.1f ms", n, ms);
  g_assert_cmpuint (s->n_nodes, ==, 2);
  g_assert_cmpuint (node_of (s, x)->n_inside, ==, n - 2);
  g_assert_cmpfloat (ms, <, 500);      /* linear it is */
}

/* Other boxes keep their positions exactly. */
static void
test_places (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  LsScene *whole = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsLayoutInput) in = ls_layout_input_new (whole->n_nodes, whole->n_edges);
  for (guint i = 0; i < whole->n_nodes; i++)
    in->width[i] = whole->nodes[i].width;
  for (guint e = 0; e < whole->n_edges; e++) {
    in->from[e] = whole->edges[e].from;
    in->to[e] = whole->edges[e].to;
  }
  g_autoptr (LsLayout) former = ls_ranks_layout (in, NULL);
  g_autoptr (LsScene) s = collapse (whole, 1, g.sum);
  g_autoptr (LsLayout) l = ls_collapse_layout (s, former);
  g_assert_cmpuint (l->n, ==, s->n_nodes);
  for (guint i = 0; i < s->n_nodes; i++) {
    guint at = (guint) ls_scene_find (whole, s->nodes[i].id);
    g_assert_cmpfloat_with_epsilon (l->x[i] + s->nodes[i].width / 2, former->x[at] + whole->nodes[at].width / 2, 0.01);
    g_assert_cmpfloat (l->y[i], ==, former->y[at]);
  }
}

/* --- the window --- */

static void
press (LsWindow *window, guint key, GdkModifierType modifiers)
{
  input_key (key, modifiers);
  wait_window (window);
}

/* The current picture of a widget, as a number. */
static char *
picture (GtkWidget *widget)
{
  gtk_test_widget_wait_for_draw (widget);
  int w = gtk_widget_get_width (widget), h = gtk_widget_get_height (widget);
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, w, h);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (gtk_native_get_renderer (gtk_widget_get_native (widget)), node,
                                                                &GRAPHENE_RECT_INIT (0, 0, (float) w, (float) h));
  gsk_render_node_unref (node);
  g_autofree guchar *data = g_malloc ((gsize) w * (gsize) h * 4);
  gdk_texture_download (texture, data, (gsize) w * 4);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, (gsize) w * (gsize) h * 4);
}

static guint
n_collapsed (LsGraphView *view)
{
  g_autofree char *dot = ls_graph_view_to_dot (view);
  guint n = 0;
  for (const char *p = dot; (p = strstr (p, "peripheries=2")); p++)
    n++;
  return n;
}

static gboolean
same_rect (const graphene_rect_t *a, const graphene_rect_t *b)
{
  return graphene_rect_equal (a, b);
}

static void
test_keys (void)
{
  LsWindow *window = open_at ("3/lower/4");
  LsViewSession *session = window->session;
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (ls_view_session_get_trace (session), ls_view_session_pass (session), 4);
  /* before lanes are made: what is summed feeds the sum alone */
  LsUOp *reduce = NULL;
  for (guint i = 0; i < diff->nodes->len; i++) {
    LsUOp *u = g_array_index (diff->nodes, LsDiffNode, i).node;
    reduce = u->op == LS_OP_REDUCE && g_array_index (diff->nodes, LsDiffNode, i).kind != LS_DIFF_REMOVED ? u : reduce;
  }
  g_assert_nonnull (reduce);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &reduce->id, 1);
  wait_window (window);
  g_autofree char *was = picture (GTK_WIDGET (view));
  g_autofree graphene_rect_t *places = g_new0 (graphene_rect_t, diff->nodes->len);
  for (guint i = 0; i < diff->nodes->len; i++)
    g_assert_true (ls_graph_view_node_rect (view, g_array_index (diff->nodes, LsDiffNode, i).node->id, &places[i]));
  press (window, GDK_KEY_h, 0);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  graphene_rect_t box, r;
  g_assert_true (ls_graph_view_node_rect (view, reduce->id, &box));
  guint inside = 0;
  for (guint i = 0; i < diff->nodes->len; i++) {
    g_assert_true (ls_graph_view_node_rect (view, g_array_index (diff->nodes, LsDiffNode, i).node->id, &r));
    if (!same_rect (&r, &places[i]) && g_array_index (diff->nodes, LsDiffNode, i).node != reduce) {
      g_assert_true (same_rect (&r, &box));
      inside++;
    }
  }
  g_assert_cmpuint (inside, >=, 2);
  g_assert_true (ls_graph_view_node_rect (view, reduce->src[0]->id, &r));
  g_assert_true (same_rect (&r, &box));      /* what it adds up */
  g_autofree char *collapsed = picture (GTK_WIDGET (view));
  g_assert_cmpstr (collapsed, !=, was);
  /* back and on */
  for (guint i = 0; i < 2; i++) {
    press (window, GDK_KEY_p, 0);
    g_assert_cmpuint (n_collapsed (view), ==, 1);
  }
  for (guint i = 0; i < 2; i++)
    press (window, GDK_KEY_n, 0);
  g_autofree char *back = picture (GTK_WIDGET (view));
  g_assert_cmpstr (back, ==, collapsed);
  press (window, GDK_KEY_h, 0);
  g_assert_cmpuint (n_collapsed (view), ==, 0);
  g_autofree char *now = picture (GTK_WIDGET (view));
  g_assert_cmpstr (now, ==, was);
  /* all at once */
  press (window, GDK_KEY_h, 0);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  press (window, GDK_KEY_h, GDK_SHIFT_MASK);
  g_assert_cmpuint (n_collapsed (view), ==, 0);
  g_autofree char *again = picture (GTK_WIDGET (view));
  g_assert_cmpstr (again, ==, was);
  /* in another pass, what it became */
  press (window, GDK_KEY_h, 0);
  press (window, GDK_KEY_n, GDK_SHIFT_MASK);
  g_assert_cmpstr (ls_view_session_pass (session)->name, !=, "lower");
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  ls_view_session_go_link (session, "2/simplify/0");      /* another kernel has its own */
  wait_window (window);
  g_assert_cmpuint (n_collapsed (view), ==, 0);
  close_window (window);
}

static gboolean
is_one_box (LsGraphView *view, const LsUOp *a, const LsUOp *b)
{
  graphene_rect_t p, q;
  g_assert_true (ls_graph_view_node_rect (view, a->id, &p) && ls_graph_view_node_rect (view, b->id, &q));
  return same_rect (&p, &q);
}

/* A loop is folded by a click on its frame's title or by a key, wherever one steps, and unfolded. */
static void
test_loop (void)
{
  LsWindow *window = open_at ("3/lower/4");
  LsViewSession *session = window->session;
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  LsUOp *reduce = NULL, *store = NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  for (guint i = 0; i < nodes->len; i++) {
    LsUOp *u = nodes->pdata[i];
    reduce = u->op == LS_OP_REDUCE ? u : reduce;
    store = u->op == LS_OP_STORE ? u : store;
  }
  g_assert_true (reduce && store);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &reduce->id, 1);
  wait_window (window);
  g_assert_cmpuint (view->frames->frames->len, ==, 2);
  g_autofree char *was = picture (GTK_WIDGET (view));
  press (window, GDK_KEY_u, 0);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  g_assert_cmpuint (view->frames->frames->len, ==, 1);
  g_assert_true (is_one_box (view, reduce, reduce->src[0]) && is_one_box (view, reduce, reduce->src[0]->src[0]));
  g_assert_false (is_one_box (view, reduce, store));
  g_autofree char *folded = picture (GTK_WIDGET (view));
  g_assert_cmpstr (folded, !=, was);
  press (window, GDK_KEY_p, 0);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  int box = ls_scene_find (view->scene, reduce->id);
  g_assert_true (box >= 0 && view->scene->nodes[box].folded);
  g_assert_cmpuint (view->scene->nodes[box].kind, ==, LS_DIFF_CHANGED);      /* it is where the reduce was lowered */
  press (window, GDK_KEY_n, 0);
  g_autofree char *back = picture (GTK_WIDGET (view));
  g_assert_cmpstr (back, ==, folded);
  press (window, GDK_KEY_u, 0);
  g_autofree char *now = picture (GTK_WIDGET (view));
  g_assert_cmpstr (now, ==, was);
  /* by its title */
  const LsFrame *f = &g_array_index (view->frames->frames, LsFrame, 1);
  double z = view->viewport.zoom;
  input_move (GTK_WIDGET (view), (f->title.x0 + f->title.x1) / 2 * z + view->viewport.x,
              (f->title.y0 + f->title.y1) / 2 * z + view->viewport.y);
  settle ();
  g_assert_true (view->over_link);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  wait_window (window);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  g_assert_true (is_one_box (view, reduce, reduce->src[0]));
  /* in another pass too, and all at once */
  press (window, GDK_KEY_n, GDK_SHIFT_MASK);
  g_assert_cmpuint (n_collapsed (view), ==, 1);
  press (window, GDK_KEY_h, GDK_SHIFT_MASK);
  g_assert_cmpuint (n_collapsed (view), ==, 0);
  close_window (window);
}

/* Lanes of an expansion are one box, which a key or a double click opens and a key closes, wherever one steps. */
static void
test_stack (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (ls_view_session_get_trace (session), ls_view_session_pass (session), 20);
  g_autoptr (GArray) lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  graphene_rect_t stack, r;
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->node->op == LS_OP_PHI && n->kind != LS_DIFF_REMOVED)
      g_array_append_val (lanes, n->node->id);
  }
  g_assert_cmpuint (lanes->len, ==, 16);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &g_array_index (lanes, guint32, 5), 1);
  wait_window (window);
  g_assert_true (ls_graph_view_node_rect (view, g_array_index (lanes, guint32, 5), &stack));
  for (guint i = 0; i < lanes->len; i++)
    g_assert_true (ls_graph_view_node_rect (view, g_array_index (lanes, guint32, i), &r) && same_rect (&r, &stack));
  g_autofree char *was = picture (GTK_WIDGET (view));
  press (window, GDK_KEY_h, 0);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < lanes->len; i++) {
    g_assert_true (ls_graph_view_node_rect (view, g_array_index (lanes, guint32, i), &r));
    g_hash_table_add (places, GINT_TO_POINTER ((int) r.origin.x * 4096 + (int) r.origin.y));
  }
  g_assert_cmpuint (g_hash_table_size (places), ==, lanes->len);
  g_autofree char *opened = picture (GTK_WIDGET (view));
  press (window, GDK_KEY_n, 0);
  press (window, GDK_KEY_p, 0);
  g_autofree char *back = picture (GTK_WIDGET (view));
  g_assert_cmpstr (back, ==, opened);
  press (window, GDK_KEY_h, 0);
  g_autofree char *now = picture (GTK_WIDGET (view));
  g_assert_cmpstr (now, ==, was);
  close_window (window);
}

static gboolean
is_laid_out (gpointer view)
{
  return !ls_graph_view_get_busy (view);
}

/* A picture that is laid out in a thread, and dot's. */
static void
test_engines (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  Graph g = graph (c);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_ptr_array_add (all, g.sum);
  g_ptr_array_add (all, g.other);
  for (int i = 0; i < 1500; i++)
    g_ptr_array_add (all, load (c, global (c, 10 + i)));
  LsUOp *large = ls_uop_new (c, LS_OP_SINK, LS_VOID, all->len, (LsUOp *const *) all->pdata, ls_arg_none ());
  GtkWidget *window = gtk_window_new ();
  LsGraphView *view = LS_GRAPH_VIEW (ls_graph_view_new ());
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (view));
  gtk_window_set_default_size (GTK_WINDOW (window), 600, 600);
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  for (guint dot = 0; dot < 2; dot++) {
    ls_graph_view_set_engine (view, dot ? LS_GRAPH_DOT : LS_GRAPH_STABLE);
    ls_graph_view_set_root (view, f->trace, dot ? g.sink : large);
    g_assert_true (wait_until (is_laid_out, view));
    ls_graph_view_set_selection (view, &g.sum->id, 1);
    settle ();
    graphene_rect_t sum, other, now;
    g_assert_true (ls_graph_view_node_rect (view, g.sum->id, &sum) && ls_graph_view_node_rect (view, g.other->id, &other));
    g_assert_cmpuint (ls_graph_view_collapse (view), ==, 3);
    g_assert_true (ls_graph_view_get_busy (view));
    g_assert_true (wait_until (is_laid_out, view));
    g_assert_cmpuint (n_collapsed (view), ==, 1);
    g_assert_true (ls_graph_view_node_rect (view, g.other->id, &now));
    g_assert_true (dot || same_rect (&now, &other));
    g_assert_true (ls_graph_view_expand (view));
    g_assert_true (wait_until (is_laid_out, view));
    g_assert_cmpuint (n_collapsed (view), ==, 0);
    g_assert_true (ls_graph_view_node_rect (view, g.other->id, &now));
    g_assert_true (same_rect (&now, &other));
    g_assert_false (ls_graph_view_expand (view));
  }
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
#define ADD(path, function) g_test_add (path, Fixture, NULL, setup, function, teardown)
  ADD ("/collapse/dominated", test_dominated);
  ADD ("/collapse/nested", test_nested);
  ADD ("/collapse/badge", test_badge);
  ADD ("/collapse/large", test_large);
  ADD ("/collapse/places", test_places);
  if (fixture_show ()) {
    ADD ("/collapse/engines", test_engines);
    g_test_add_func ("/collapse/keys", test_keys);
    g_test_add_func ("/collapse/stack", test_stack);
    g_test_add_func ("/collapse/loop", test_loop);
  } else {
    g_test_message ("no X display to show a window on: install xvfb");
  }
#undef ADD
  return fixture_end ();
}
