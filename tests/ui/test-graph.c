/* The graph view: what becomes a box, where boxes go, and that the picture shows them in their colours.
 *
 * Graphs are made by hand; no program runs. Pictures are rendered to a texture and read back at places that the view names.
 */
#include <adwaita.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "graph/graph-view.h"
#include "graph/layout.h"
#include "graph/scene.h"
#include "ir/print.h"
#include "ir/view.h"

/* --- graphs --- */

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

static LsUOp *global (LsContext *c, int n) { return ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4096), ls_arg_int (n)); }
static LsUOp *index_const (LsContext *c, gint64 i) { return ls_uop_const_i (c, LS_INDEX, i); }

static LsUOp *
range (LsContext *c, gint64 axis, gint64 size)
{
  gint64 ints[3] = { axis, 0, 0 };
  return ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, index_const (c, size), ls_arg_ints (c, 3, ints));
}

static LsUOp *
load (LsContext *c, LsUOp *buffer, LsUOp *index)
{
  LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, buffer->dtype, buffer, index, ls_arg_none ());
  return ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, at, ls_arg_none ());
}

static LsUOp *
store (LsContext *c, LsUOp *buffer, LsUOp *index, LsUOp *value)
{
  LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, buffer->dtype, buffer, index, ls_arg_none ());
  LsUOp *s = ls_uop_new2 (c, LS_OP_STORE, LS_VOID, at, value, ls_arg_none ());
  return ls_uop_new1 (c, LS_OP_SINK, LS_VOID, s, ls_arg_none ());
}

static LsUOp *mul (LsContext *c, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (c, LS_OP_MUL, a, b); }
static LsUOp *add (LsContext *c, LsUOp *a, LsUOp *b) { return ls_uop_alu2 (c, LS_OP_ADD, a, b); }

/* data0[i*64+k] = data1[i*64+k] * 4 */
static LsUOp *
scale_graph (LsContext *c, LsUOp **product)
{
  LsUOp *at = add (c, mul (c, range (c, 0, 64), index_const (c, 64)), range (c, 2, 64));
  *product = mul (c, load (c, global (c, 1), at), ls_uop_const_f (c, LS_FLOAT, 4));
  return store (c, global (c, 0), at, *product);
}

static const LsSceneNode *
node_of (const LsScene *s, const LsUOp *u)
{
  int i = ls_scene_find (s, u->id);
  g_assert_cmpint (i, >=, 0);
  return &s->nodes[i];
}

static void
test_folding (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = scale_graph (f->ctx, &product);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, root, TRUE);
  /* two buffers, LOAD, MUL, STORE, SINK */
  g_assert_cmpuint (s->n_nodes, ==, 6);
  g_assert_cmpuint (s->n_edges, ==, 5);
  const LsSceneNode *m = node_of (s, product);
  g_assert_cmpstr (m->title[1], ==, "MUL × 4.0");
  g_assert_cmpstr (m->detail[1], ==, "f32");
  g_assert_cmpuint (m->n_edges, ==, 1);
  const LsSceneNode *l = node_of (s, product->src[0]);
  g_assert_cmpstr (l->title[1], ==, "LOAD");
  g_assert_cmpstr (l->detail[1], ==, "f32  [i*64+k]");
  /* what is folded is found where it is drawn */
  g_assert_true (node_of (s, product->src[1]) == m);
  g_assert_true (node_of (s, product->src[0]->src[0]) == l);
  /* ports in source order: the STORE's place before its value */
  const LsSceneNode *st = node_of (s, root->src[0]);
  g_assert_cmpuint (st->n_edges, ==, 2);
  g_assert_cmpuint (s->nodes[s->edges[st->first_edge].from].id, ==, root->src[0]->src[0]->src[0]->id);
  g_assert_cmpuint (s->edges[st->first_edge + 1].port[1], ==, 1);
  g_assert_cmpuint (s->edges[st->first_edge + 1].n_ports[1], ==, 2);
  for (guint i = 0; i < s->n_nodes; i++)
    g_assert_true (s->nodes[i].width <= 220 && s->nodes[i].width >= 60);
}

static void
test_unfolded (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = scale_graph (f->ctx, &product);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, root, FALSE);
  g_autoptr (GPtrArray) order = ls_uop_toposort (f->ctx, root);
  g_assert_cmpuint (s->n_nodes, ==, order->len);
  g_assert_cmpuint (s->n_folded, ==, 0);
  guint sources = 0;
  for (guint i = 0; i < order->len; i++)
    sources += ((LsUOp *) order->pdata[i])->n_src;
  g_assert_cmpuint (s->n_edges, ==, sources);
  g_assert_cmpstr (node_of (s, product)->title[1], ==, "MUL");
}

static void
test_float_arithmetic_stays (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *i = range (c, 0, 64), *x = load (c, global (c, 1), i);
  /* integers that come from memory are no index arithmetic, even where they index */
  LsUOp *table = ls_uop_cast (c, x, LS_INDEX), *y = load (c, global (c, 2), add (c, table, i));
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, store (c, global (c, 0), i, y), TRUE);
  g_assert_cmpstr (node_of (s, table)->title[1], ==, "CAST");
  g_assert_cmpstr (node_of (s, y->src[0]->src[1])->title[1], ==, "ADD + i");
}

static void
test_long_words (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *i = range (c, 0, 64), *at = i;
  for (gint64 k = 1; k < 2000; k++)
    at = add (c, mul (c, at, index_const (c, k + 1)), i);
  LsUOp *l = load (c, global (c, 1), at);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, store (c, global (c, 0), i, l), TRUE);
  const LsSceneNode *n = node_of (s, l);
  g_assert_cmpfloat (n->width, <=, 220);
  g_assert_nonnull (strstr (n->detail[1], "…"));
  g_assert_true (g_str_has_prefix (n->detail[1], "f32  ["));
  g_autofree char *sentence = ls_scene_sentence (s, (guint) ls_scene_find (s, l->id));
  g_assert_nonnull (strstr (sentence, "LOAD"));
  g_assert_nonnull (strstr (sentence, "Used by: STORE"));
  g_autofree char *tip = ls_scene_tooltip (s, (guint) ls_scene_find (s, l->id));
  g_assert_true (pango_parse_markup (tip, -1, 0, NULL, NULL, NULL, NULL));
}

/* What is cut in a box is whole in its tooltip. */
static void
test_whole_words (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *i = range (c, 0, 64), *at = i;
  for (gint64 k = 1; k < 12; k++)
    at = add (c, mul (c, at, index_const (c, 100 + k)), i);
  LsUOp *l = load (c, global (c, 1), at);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, store (c, global (c, 0), i, l), TRUE);
  g_assert_nonnull (strstr (node_of (s, l)->detail[1], "…"));
  g_autofree char *tip = ls_scene_tooltip (s, (guint) ls_scene_find (s, l->id)), *whole = ls_expr_print (c, at, 0);
  g_assert_cmpuint (strlen (whole), >, 80);
  whole[strlen (whole) - 1] = '\0';      /* without brackets around all of it */
  g_assert_nonnull (strstr (tip, whole + 1));
}

static void
test_any_bytes (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *u = ls_uop_new1 (c, LS_OP_SPECIAL, LS_INDEX, index_const (c, 4), ls_arg_str (c, "g\xff\xc3<idx>\n&0"));
  LsUOp *l = load (c, global (c, 1), u);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, store (c, global (c, 0), u, l), FALSE);
  g_assert_true (g_utf8_validate (node_of (s, u)->title[1], -1, NULL));
  for (guint i = 0; i < s->n_nodes; i++) {
    g_autofree char *tip = ls_scene_tooltip (s, i), *sentence = ls_scene_sentence (s, i);
    g_assert_true (pango_parse_markup (tip, -1, 0, NULL, NULL, NULL, NULL));
    g_assert_true (g_utf8_validate (sentence, -1, NULL));
  }
}

/* x * 1 became x: the product is gone, what used it changed, the rest is the same. */
static LsGraphDiff *
mul_one (Fixture *f, LsUOp **x, LsUOp **gone, LsUOp **user)
{
  LsContext *c = f->ctx;
  LsUOp *i = range (c, 0, 64);
  *x = load (c, global (c, 1), i);
  *gone = mul (c, *x, ls_uop_const_f (c, LS_FLOAT, 1));
  LsUOp *was = ls_uop_alu1 (c, LS_OP_SQRT, *gone), *before = store (c, global (c, 0), i, was);
  *user = ls_uop_alu1 (c, LS_OP_SQRT, *x);
  LsUOp *after = store (c, global (c, 0), i, *user);
  LsGraphDiff *d = g_new0 (LsGraphDiff, 1);
  d->before = before;
  d->after = after;
  d->matched = *gone;
  d->result = *x;
  d->nodes = g_array_new (FALSE, FALSE, sizeof (LsDiffNode));
  g_autoptr (GPtrArray) order = ls_uop_toposort (c, after);
  for (guint k = 0; k < order->len; k++) {
    LsUOp *u = order->pdata[k];
    LsUOp *former = u == *user ? was : u == after ? before : u == after->src[0] ? before->src[0] : u;
    LsDiffNode n = { u, former, former == u ? LS_DIFF_SAME : LS_DIFF_CHANGED };
    g_array_append_val (d->nodes, n);
  }
  LsDiffNode removed[2] = { { (*gone)->src[1], (*gone)->src[1], LS_DIFF_REMOVED }, { *gone, *gone, LS_DIFF_REMOVED } };
  g_array_append_vals (d->nodes, removed, 2);
  return d;
}

static void
test_kinds (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = mul_one (f, &x, &gone, &user);
  g_autoptr (LsScene) s = ls_scene_new_diff (f->trace, d, TRUE);
  g_assert_cmpuint (node_of (s, gone)->kind, ==, LS_DIFF_REMOVED);
  g_assert_cmpstr (node_of (s, gone)->title[1], ==, "MUL × 1.0");
  g_assert_cmpuint (node_of (s, user)->kind, ==, LS_DIFF_CHANGED);
  g_assert_cmpuint (node_of (s, x)->kind, ==, LS_DIFF_SAME);
  /* STORE and SINK were only rebuilt */
  g_assert_cmpuint (node_of (s, d->after->src[0])->kind, ==, LS_DIFF_SAME);
  g_assert_cmpuint (s->n_kind[LS_DIFF_CHANGED], ==, 1);
  g_assert_cmpuint (s->n_kind[LS_DIFF_REMOVED], ==, 1);
  /* both ids lead to the box */
  g_assert_true (node_of (s, d->before) == node_of (s, d->after));
  const LsSceneNode *n = node_of (s, user);
  g_assert_cmpuint (n->n_edges, ==, 2);
  const LsSceneEdge *now = &s->edges[n->first_edge], *was = now + 1;
  g_assert_cmpuint (now->side, ==, LS_IN_AFTER);
  g_assert_cmpuint (s->nodes[now->from].id, ==, x->id);
  g_assert_cmpuint (was->side, ==, LS_IN_BEFORE);
  g_assert_cmpuint (s->nodes[was->from].id, ==, gone->id);
  g_assert_cmpuint (s->focus, ==, (guint) ls_scene_find (s, x->id));
}

/* --- layouts --- */

/* A layered graph that looks like unrolled kernels: wide, with edges over several ranks. */
static LsLayoutInput *
make_input (guint n, guint fan)
{
  LsLayoutInput *in = ls_layout_input_new (n, n > 1 ? (n - 1) * fan : 0);
  GRand *rand = g_rand_new_with_seed (n);
  guint e = 0;
  for (guint v = 0; v < n; v++) {
    in->width[v] = (float) g_rand_int_range (rand, 60, 221);
    for (guint k = 0; v && k < fan; k++) {
      in->from[e] = (guint32) g_rand_int_range (rand, (gint32) (v > 80 ? v - 80 : 0), (gint32) v);
      in->to[e++] = v;
    }
  }
  g_rand_free (rand);
  return in;
}

typedef struct { float x, y, w; } Place;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return p->y < q->y ? -1 : p->y > q->y ? 1 : p->x < q->x ? -1 : p->x > q->x;
}

static void
check_ranks (const LsLayoutInput *in, const LsLayout *l)
{
  g_autofree Place *places = g_new (Place, MAX (in->n, 1));
  for (guint i = 0; i < in->n; i++) {
    g_assert_true (isfinite (l->x[i]) && l->x[i] >= -0.5f && l->x[i] + in->width[i] <= l->width + 0.5f);
    places[i] = (Place) { l->x[i], l->y[i], in->width[i] };
  }
  qsort (places, in->n, sizeof (Place), by_place);
  for (guint i = 1; i < in->n; i++) {
    if (places[i].y == places[i - 1].y)
      g_assert_cmpfloat (places[i].x - places[i - 1].x - places[i - 1].w, >=, LS_NODE_GAP * 0.5);
    else
      g_assert_cmpfloat (places[i].y - places[i - 1].y, >=, LS_SCENE_HEIGHT + LS_RANK_GAP - 0.5);
  }
  for (guint e = 0; e < in->n_edges; e++) {
    g_assert_cmpfloat (l->y[in->from[e]], <, l->y[in->to[e]]);
    guint n = l->first[e + 1] - l->first[e];
    g_assert_cmpuint (n % 3, ==, 1);
  }
}

static void
test_plain_ranks (void)
{
  static const guint sizes[] = { 0, 1, 2, 50, 1000, 10000 };
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_autoptr (LsLayoutInput) in = make_input (sizes[k], 2);
    gint64 start = g_get_monotonic_time ();
    g_autoptr (LsLayout) l = ls_ranks_layout (in, NULL);
    g_assert_nonnull (l);
    check_ranks (in, l);
    g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
  }
}

static void
test_ranks_extremes (void)
{
  /* a chain, which must not recurse; a fan into one node; a cycle, as unions of two graphs can have */
  g_autoptr (LsLayoutInput) chain = ls_layout_input_new (20000, 19999);
  for (guint v = 0; v < 20000; v++) {
    chain->width[v] = 80;
    if (v) {
      chain->from[v - 1] = v - 1;
      chain->to[v - 1] = v;
    }
  }
  g_autoptr (LsLayout) a = ls_ranks_layout (chain, NULL);
  check_ranks (chain, a);
  g_autoptr (LsLayoutInput) fan = ls_layout_input_new (5001, 5000);
  for (guint v = 0; v <= 5000; v++) {
    fan->width[v] = 80;
    if (v) {
      fan->from[v - 1] = v;
      fan->to[v - 1] = 0;
    }
  }
  g_autoptr (LsLayout) b = ls_ranks_layout (fan, NULL);
  check_ranks (fan, b);
  g_autoptr (LsLayoutInput) cycle = ls_layout_input_new (3, 4);
  for (guint e = 0; e < 3; e++) {
    cycle->width[e] = 60;
    cycle->from[e] = e;
    cycle->to[e] = (e + 1) % 3;
  }
  cycle->from[3] = cycle->to[3] = 1;
  g_autoptr (LsLayout) c = ls_ranks_layout (cycle, NULL);
  g_assert_nonnull (c);
  for (guint i = 0; i < 3; i++)
    g_assert_true (isfinite (c->x[i]) && isfinite (c->y[i]));
}

typedef struct { GMainLoop *loop; LsLayout *layout; GError *error; } Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *a = data;
  a->layout = ls_layout_finish (result, &a->error);
  g_main_loop_quit (a->loop);
}

static Answer
lay_out (const LsLayoutInput *in, guint limit_ms, GCancellable *cancellable)
{
  Answer a = { g_main_loop_new (NULL, FALSE), NULL, NULL };
  ls_layout_async (in, limit_ms, cancellable, on_answer, &a);
  g_main_loop_run (a.loop);
  g_main_loop_unref (a.loop);
  return a;
}

static void
test_dot (void)
{
  g_autoptr (LsLayoutInput) in = make_input (60, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_true (l->by_dot);
  g_assert_null (l->note);
  for (guint i = 0; i < in->n; i++)
    for (guint j = 0; j < i; j++) {
      gboolean apart = l->x[i] >= l->x[j] + in->width[j] || l->x[j] >= l->x[i] + in->width[i] || fabsf (l->y[i] - l->y[j]) >= LS_SCENE_HEIGHT;
      g_assert_true (apart);
    }
  for (guint e = 0; e < in->n_edges; e++) {
    g_assert_cmpfloat (l->y[in->from[e]], <, l->y[in->to[e]]);
    g_assert_cmpuint (l->first[e + 1] - l->first[e], >=, 4);
  }
}

static void
test_dot_too_slow (void)
{
  g_autoptr (LsLayoutInput) in = make_input (LS_LAYOUT_DOT_NODES, 3);
  Answer a = lay_out (in, 5, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_false (l->by_dot);
  g_assert_nonnull (strstr (l->note, "longer than"));
  check_ranks (in, l);
}

static void
test_large_goes_to_ranks (void)
{
  g_autoptr (LsLayoutInput) in = make_input (LS_LAYOUT_DOT_NODES + 1, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_false (l->by_dot);
  g_assert_null (l->note);
}

static void
test_no_helper (void)
{
  g_autofree char *was = g_strdup (g_getenv ("LAZYSCOPE_LAYOUT"));
  g_setenv ("LAZYSCOPE_LAYOUT", "/nonexistent/lazyscope-layout", TRUE);
  g_autoptr (LsLayoutInput) in = make_input (20, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_false (l->by_dot);
  g_assert_nonnull (strstr (l->note, "not installed"));
  /* a helper that says nothing sensible */
  g_setenv ("LAZYSCOPE_LAYOUT", "/bin/echo", TRUE);
  Answer b = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) m = b.layout;
  g_assert_nonnull (strstr (m->note, "failed"));
  if (was)
    g_setenv ("LAZYSCOPE_LAYOUT", was, TRUE);
  else
    g_unsetenv ("LAZYSCOPE_LAYOUT");
}

static gboolean
cancel (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

static void
test_cancel (void)
{
  static const guint sizes[] = { LS_LAYOUT_DOT_NODES, 20000 };
  for (guint k = 0; k < 2; k++) {
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (LsLayoutInput) in = make_input (sizes[k], 3);
    g_timeout_add (3, cancel, cancellable);
    gint64 start = g_get_monotonic_time ();
    Answer a = lay_out (in, 60000, cancellable);
    g_assert_error (a.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_null (a.layout);
    g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
    g_clear_error (&a.error);
  }
}

static void
test_parse (void)
{
  g_autoptr (LsLayoutInput) in = ls_layout_input_new (2, 1);
  in->width[0] = in->width[1] = 60;
  in->to[0] = 1;
  g_autoptr (LsLayout) good = ls_layout_parse (in, "2 1\n0 0\n0 66\n4 30 38 30 50 30 60 30 66\n");
  g_assert_nonnull (good);
  g_assert_cmpfloat (good->height, ==, 66 + LS_SCENE_HEIGHT);
  static const char *const bad[] = { "", "2", "3 1\n0 0\n0 0\n0\n", "2 1\n0 0\n0 nan\n0\n", "2 1\n0 0\n0 66\n3 1 1 1 1 1 1\n", "2 1\n0 0\n0 66\n4 1 1\n",
                                     "2 1\n0 0\n0 66\n-4\n", "2 1\n0 0\n0 66\n1e9\n" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_null (ls_layout_parse (in, bad[i]));
}

/* --- the widget --- */

typedef struct { GtkWidget *window; LsGraphView *view; } Shown;

static void
spin (guint ms)
{
  gint64 end = g_get_monotonic_time () + ms * 1000;
  while (g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (500);
}

static void
wait_idle (LsGraphView *view)
{
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  while (ls_graph_view_get_busy (view) && g_get_monotonic_time () < end)
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
  spin (150);
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
  g_autoptr (LsGraphDiff) d = mul_one (f, &x, &gone, &user);
  Shown s = show ();
  assert_color (pixel (s, 3, 3), 0xfafafa, 1);
  ls_graph_view_set_diff (s.view, f->trace, d);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (ls_graph_view_get_status (s.view), "7 nodes, layered"));
  /* the other engine, by the menu's action, and back */
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (s.view), "graph.engine", "s", "dot"));
  g_assert_cmpint (ls_graph_view_get_engine (s.view), ==, LS_GRAPH_DOT);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (ls_graph_view_get_status (s.view), "7 nodes, dot"));
  ls_graph_view_set_engine (s.view, LS_GRAPH_STABLE);
  wait_idle (s.view);
  g_assert_true (g_str_has_prefix (ls_graph_view_get_status (s.view), "7 nodes, layered"));
  assert_color (fill_of (s, x), 0xffffff, 2);
  assert_color (fill_of (s, user), 0xdcebfa, 2);
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, gone->id, &r));
  /* the badge of the ghost: its colour beside the minus */
  assert_color (pixel (s, r.origin.x + r.size.width - 3, r.origin.y + 1 - 5), 0xb84a00, 6);
  /* without the ghost, and back: nothing moves */
  ls_graph_view_set_mode (s.view, LS_GRAPH_AFTER);
  assert_color (pixel (s, r.origin.x + r.size.width / 2, r.origin.y + r.size.height * 0.92), 0xfafafa, 2);
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
  assert_color (pixel (s, r.origin.x - 3, r.origin.y + r.size.height / 2), 0x3584e4, 24);
  assert_color (fill_of (s, x), 0xffffff, 2);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_DARK);
  spin (50);
  assert_color (fill_of (s, user), 0x12304d, 2);
  assert_color (pixel (s, 3, 3), 0x1e1e1e, 1);
  gtk_window_destroy (GTK_WINDOW (s.window));
}

static void
test_requests (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = scale_graph (f->ctx, &product), *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = mul_one (f, &x, &gone, &user);
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
  g_assert_cmpstr (ls_graph_view_get_status (s.view), ==, "no graph");
  ls_graph_view_set_root (s.view, f->trace, root);
  gtk_window_destroy (GTK_WINDOW (s.window));
  spin (100);
}

static LsUOp *
large_graph (LsContext *c, guint n)
{
  GPtrArray *pool = g_ptr_array_new ();
  GRand *rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < 8; i++)
    g_ptr_array_add (pool, load (c, global (c, (int) i), range (c, i, 64)));
  for (guint i = 0; i < n; i++) {
    guint last = pool->len, from = last > 60 ? last - 60 : 0;
    LsUOp *a = pool->pdata[g_rand_int_range (rand, (gint32) from, (gint32) last)], *b = pool->pdata[g_rand_int_range (rand, (gint32) from, (gint32) last)];
    g_ptr_array_add (pool, i % 2 ? add (c, a, b) : mul (c, a, b));
  }
  LsUOp *sink = ls_uop_new (c, LS_OP_SINK, LS_VOID, pool->len, (LsUOp *const *) pool->pdata, ls_arg_none ());
  g_rand_free (rand);
  g_ptr_array_unref (pool);
  return sink;
}

static void
test_large (Fixture *f, gconstpointer unused)
{
  LsUOp *root = large_graph (f->ctx, 10000);
  Shown s = show ();
  ls_graph_view_set_root (s.view, f->trace, root);
  g_assert_true (ls_graph_view_get_busy (s.view));
  wait_idle (s.view);
  g_assert_nonnull (strstr (ls_graph_view_get_status (s.view), "layered"));
  ls_graph_view_fit (s.view);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  ls_graph_view_zoom_by (s.view, 10);
  ls_graph_view_focus_change (s.view);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (s.view));
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, root->id, &r));
  gtk_window_destroy (GTK_WINDOW (s.window));
}

/* What is exported is what is shown, in the mode that it is shown in. */
static void
test_export (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = mul_one (f, &x, &gone, &user);
  Shown s = show ();
  g_assert_null (ls_graph_view_to_dot (s.view));
  ls_graph_view_set_diff (s.view, f->trace, d);
  wait_idle (s.view);
  g_autofree char *both = ls_graph_view_to_dot (s.view), *ghost = g_strdup_printf ("n%u [label=\"MUL × 1.0\nf32\"", gone->id);
  g_assert_nonnull (strstr (both, ghost));
  ls_graph_view_set_mode (s.view, LS_GRAPH_AFTER);
  g_autofree char *after = ls_graph_view_to_dot (s.view), *edge = g_strdup_printf ("n%u -> n%u ", x->id, user->id);
  g_assert_null (strstr (after, ghost));
  g_assert_nonnull (strstr (after, edge));
  /* dot itself reads it */
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "lazyscope-test-export.dot", NULL), *svg = g_build_filename (g_get_tmp_dir (), "lazyscope-test-export.svg", NULL);
  g_autofree char *found = g_find_program_in_path ("dot"), *text = NULL;
  g_assert_true (ls_graph_view_save (s.view, path, NULL));
  const char *argv[] = { "dot", "-Tplain", path, NULL };
  int status = 1;
  if (found)
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, NULL));
  g_assert_true (!found || status == 0);
  g_assert_true (ls_graph_view_save (s.view, svg, NULL));
  g_assert_true (g_file_get_contents (svg, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "<svg"));
  g_autoptr (GError) error = NULL;
  g_assert_false (ls_graph_view_save (s.view, "/nonexistent/graph.svg", &error));
  g_assert_nonnull (error);
  g_unlink (path);
  g_unlink (svg);
  gtk_window_destroy (GTK_WINDOW (s.window));
}

/* A layout that takes long says so, with a button that ends it and then asks for it again. */
static void
test_slow (Fixture *f, gconstpointer unused)
{
  LsUOp *root = large_graph (f->ctx, 120000), *product, *small = scale_graph (f->ctx, &product);
  Shown s = show ();
  ls_graph_view_set_root (s.view, f->trace, small);
  wait_idle (s.view);
  g_assert_false (ls_graph_view_cancel (s.view));
  ls_graph_view_set_root (s.view, f->trace, root);
  GtkWidget *stop = gtk_widget_get_first_child (GTK_WIDGET (s.view));
  while (stop && g_strcmp0 (gtk_widget_get_name (stop), "stop-layout") != 0)
    stop = gtk_widget_get_next_sibling (stop);
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  while (!gtk_widget_get_visible (stop) && ls_graph_view_get_busy (s.view) && g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (gtk_widget_get_visible (stop) && ls_graph_view_get_busy (s.view));
  g_signal_emit_by_name (stop, "clicked");
  g_assert_false (ls_graph_view_get_busy (s.view));
  g_assert_cmpstr (ls_graph_view_get_status (s.view), ==, "layout cancelled");
  graphene_rect_t r;
  g_assert_true (ls_graph_view_node_rect (s.view, product->id, &r));      /* what was there stays */
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
  LsUOp *product, *root = scale_graph (f->ctx, &product);
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
#define ADD(path, function) g_test_add (path, Fixture, NULL, setup, function, teardown)
  ADD ("/graph/scene/folding", test_folding);
  ADD ("/graph/scene/unfolded", test_unfolded);
  ADD ("/graph/scene/memory-is-no-index", test_float_arithmetic_stays);
  ADD ("/graph/scene/long-words", test_long_words);
  ADD ("/graph/scene/whole-words", test_whole_words);
  ADD ("/graph/scene/any-bytes", test_any_bytes);
  ADD ("/graph/scene/kinds", test_kinds);
  g_test_add_func ("/graph/layout/ranks", test_plain_ranks);
  g_test_add_func ("/graph/layout/extremes", test_ranks_extremes);
  g_test_add_func ("/graph/layout/dot", test_dot);
  g_test_add_func ("/graph/layout/too-slow", test_dot_too_slow);
  g_test_add_func ("/graph/layout/large", test_large_goes_to_ranks);
  g_test_add_func ("/graph/layout/no-helper", test_no_helper);
  g_test_add_func ("/graph/layout/cancel", test_cancel);
  g_test_add_func ("/graph/layout/parse", test_parse);
  ADD ("/graph/view/picture", test_picture);
  ADD ("/graph/view/requests", test_requests);
  ADD ("/graph/view/large", test_large);
  ADD ("/graph/view/slow", test_slow);
  ADD ("/graph/view/export", test_export);
  ADD ("/graph/view/keys", test_keys);
#undef ADD
  return g_test_run ();
}
