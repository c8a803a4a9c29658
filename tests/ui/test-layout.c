/* Layouts that follow each other: what stays, what gives way, and that a position depends on pass and step alone.
 *
 * Passes are made by hand and seeded: in each step one node of an unrolled-looking graph goes, changes, or gets a new source.
 */
#include <math.h>
#include <string.h>

#include "../pass.h"
#include "pipeline/pipeline.h"
#include "graph/layout/chain.h"
#include "graph/layout/follow.h"
#include "graphs.h"

/* --- a pass --- */

typedef struct { LsContext *ctx; LsTrace *trace; LsPass *pass; } PassFixture;

static void
setup (PassFixture *f, gconstpointer data)
{
  f->ctx = ls_context_new ();
  f->trace = ls_trace_new (f->ctx);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), "# One is not a factor.\none: x * 1 -> x\n",
                                                             "test.rules", &error);
  g_assert_no_error (error);
  guint n = GPOINTER_TO_UINT (data);
  LsUOp *root = make_large (f->ctx, n);
  g_autoptr (GPtrArray) inner = g_ptr_array_new ();
  for (guint i = root->n_src - n; i < root->n_src; i++)
    g_ptr_array_add (inner, root->src[i]);
  LsPassLog *r = begin_pass (f->trace, 1, "test", "test", LS_REWRITE_BOTTOM_UP, root, library);
  GRand *rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < n / 2; i++) {
    guint at = (guint) g_rand_int_range (rand, 0, (gint32) inner->len);
    LsUOp *u = g_ptr_array_remove_index_fast (inner, at), *to = u->src[0];
    if (i % 3 == 0)
      to = ls_uop_alu2 (f->ctx, LS_OP_MAX, u->src[0], u->src[1]);
    else if (i % 3 == 1)
      to = ls_uop_alu2 (f->ctx, u->op, u->src[0], ls_uop_alu1 (f->ctx, LS_OP_SQRT, u->src[1]));
    ls_pass_log_add (r, u, to, 0, 1);
  }
  f->pass = end_pass (f->trace, r, root, 1);
  g_autoptr (LsGraph) last = ls_pass_graph (f->trace, f->pass, G_MAXUINT);
  f->pass->output = last->root->id;
  g_assert_cmpuint (ls_pass_n_rewrites (f->pass), ==, n / 2);
  g_rand_free (rand);
}

static void
teardown (PassFixture *f, gconstpointer unused)
{
  ls_trace_unref (f->trace);
  ls_context_unref (f->ctx);
}

/* --- what must hold of every picture --- */

typedef struct { float x, y, w; } Place;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return p->y < q->y ? -1 : p->y > q->y ? 1 : p->x < q->x ? -1 : p->x > q->x;
}

static void
check (const LsLayoutInput *in, const LsLayout *l)
{
  g_autofree Place *places = g_new (Place, MAX (in->n, 1));
  g_assert_cmpuint (l->n, ==, in->n);
  for (guint i = 0; i < in->n; i++) {
    g_assert_true (isfinite (l->x[i]) && l->x[i] >= l->left - 0.5f && l->x[i] + in->width[i] <= l->left + l->width + 0.5f);
    g_assert_true (l->y[i] >= l->top && l->y[i] + LS_SCENE_HEIGHT <= l->top + l->height + 0.5f);
    places[i] = (Place) { l->x[i], l->y[i], in->width[i] };
  }
  qsort (places, in->n, sizeof (Place), by_place);
  for (guint i = 1; i < in->n; i++) {
    if (places[i].y == places[i - 1].y)
      g_assert_cmpfloat (places[i].x - places[i - 1].x - places[i - 1].w, >=, LS_NODE_GAP - 0.1);
    else
      g_assert_cmpfloat (places[i].y - places[i - 1].y, >=, LS_RANK_PITCH - 0.5);
  }
  for (guint e = 0; e < in->n_edges; e++)
    g_assert_cmpuint ((l->first[e + 1] - l->first[e]) % 3, ==, 1);
}

static guint64
digest (const LsLayout *l)
{
  guint64 h = 14695981039346656037u;
  const struct { const void *data; gsize size; } parts[] = { { l->x, l->n * sizeof (float) }, { l->y, l->n * sizeof (float) },
                                                              { l->points, 2 * l->first[l->n_edges] * sizeof (float) } };
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    for (gsize i = 0; i < parts[p].size; i++)
      h = (h ^ ((const guint8 *) parts[p].data)[i]) * 1099511628211u;
  return h;
}

static guint64
digest_at (LsChain *chain, const LsPass *pass, guint step)
{
  g_autoptr (LsLayout) l = ls_chain_layout (chain, pass, step, TRUE, NULL);
  g_assert_nonnull (l);
  return digest (l);
}

/* --- chains --- */

static void
test_parents (void)
{
  g_assert_cmpuint (ls_chain_parent (0, FALSE), ==, G_MAXUINT);
  g_assert_cmpuint (ls_chain_parent (1, FALSE), ==, 0);
  g_assert_cmpuint (ls_chain_parent (16, FALSE), ==, 0);
  g_assert_cmpuint (ls_chain_parent (48, FALSE), ==, 32);
  g_assert_cmpuint (ls_chain_parent (63, FALSE), ==, 62);
  g_assert_cmpuint (ls_chain_parent (63, TRUE), ==, 48);
  g_assert_cmpuint (ls_chain_parent (48, TRUE), ==, 0);
  for (guint wide = 0; wide < 2; wide++) {
    guint most = 0;
    for (guint k = 0; k < 1000000; k += 997) {
      guint length = 0;
      for (guint s = k; s != 0; s = ls_chain_parent (s, wide), length++)
        g_assert_cmpuint (ls_chain_parent (s, wide), <, s);
      most = MAX (most, length);
    }
    g_assert_cmpuint (most, <=, wide ? 3 : 31);
  }
}

static void
test_any_path (PassFixture *f, gconstpointer unused)
{
  guint n = ls_pass_n_rewrites (f->pass);
  g_autofree guint64 *forward = g_new (guint64, n + 1);
  g_autoptr (LsChain) a = ls_chain_new (f->trace);
  for (guint k = 0; k <= n; k++)
    forward[k] = digest_at (a, f->pass, k);
  /* back again, and back in a recording that was just opened */
  g_autoptr (LsChain) b = ls_chain_new (f->trace);
  for (guint k = n + 1; k-- > 0; ) {
    g_assert_cmpuint (digest_at (a, f->pass, k), ==, forward[k]);
    g_assert_cmpuint (digest_at (b, f->pass, k), ==, forward[k]);
  }
  /* jumps, each as the first thing that is looked at */
  GRand *rand = g_rand_new_with_seed (3);
  g_autoptr (LsChain) c = ls_chain_new (f->trace);
  for (guint i = 0; i < 30; i++) {
    guint k = (guint) g_rand_int_range (rand, 0, (gint32) n + 1);
    g_autoptr (LsChain) fresh = ls_chain_new (f->trace);
    g_assert_cmpuint (digest_at (fresh, f->pass, k), ==, forward[k]);
    g_assert_cmpuint (digest_at (c, f->pass, k), ==, forward[k]);
  }
  g_rand_free (rand);
}

static void
test_pictures (PassFixture *f, gconstpointer unused)
{
  g_autoptr (LsChain) chain = ls_chain_new (f->trace);
  g_autoptr (LsScene) was = NULL;
  g_autoptr (LsLayout) was_layout = NULL;
  guint survivors = 0, moved = 0, ghosts = 0;
  for (guint k = 0; k <= ls_pass_n_rewrites (f->pass); k++) {
    g_autoptr (LsScene) scene = ls_chain_scene (f->trace, f->pass, k, TRUE);
    g_autoptr (LsLayout) l = ls_chain_layout (chain, f->pass, k, TRUE, NULL);
    g_autoptr (LsLayoutInput) in = ls_scene_layout_input (scene);
    check (in, l);
    for (guint e = 0; e < in->n_edges; e++)
      g_assert_cmpfloat (l->y[in->from[e]], <, l->y[in->to[e]]);
    for (guint i = 0; was && i < scene->n_nodes; i++) {
      const LsSceneNode *node = &scene->nodes[i];
      int at = node->before == LS_NO_NODE ? -1 : ls_scene_find (was, node->before);
      if (at < 0 || was->nodes[at].id != node->before)
        continue;
      gboolean stays = fabsf (l->x[i] + node->width / 2 - was_layout->x[at] - was->nodes[at].width / 2) <= node->width / 2 &&
                       l->y[i] == was_layout->y[at];
      survivors++;
      moved += !stays;
      if (node->kind == LS_DIFF_REMOVED) {
        ghosts++;
        g_assert_true (stays || k % LS_CHAIN_BLOCK == 0);
      }
    }
    ls_scene_free (was);
    ls_layout_unref (was_layout);
    was = g_steal_pointer (&scene);
    was_layout = g_steal_pointer (&l);
  }
  g_assert_cmpuint (ghosts, >, 20);
  g_assert_cmpuint (moved * 10, <, survivors);
}

typedef struct { GMainLoop *loop; LsLayout *layout; GError *error; } Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *a = data;
  a->layout = ls_chain_layout_finish (result, &a->error);
  g_main_loop_quit (a->loop);
}

static void
test_async (PassFixture *f, gconstpointer unused)
{
  guint n = ls_pass_n_rewrites (f->pass);
  g_autoptr (LsChain) chain = ls_chain_new (f->trace), other = ls_chain_new (f->trace);
  Answer a = { g_main_loop_new (NULL, FALSE), NULL, NULL };
  ls_chain_layout_async (chain, f->pass, n, TRUE, NULL, NULL, on_answer, &a);
  g_main_loop_run (a.loop);
  g_assert_no_error (a.error);
  g_assert_cmpuint (digest (a.layout), ==, digest_at (other, f->pass, n));
  g_assert_true (ls_chain_peek (chain, f->pass, n, TRUE) == a.layout);
  g_assert_null (ls_chain_peek (chain, f->pass, n, FALSE));
  ls_layout_unref (a.layout);
  g_main_loop_unref (a.loop);
}

static void
test_cancel (PassFixture *f, gconstpointer unused)
{
  guint n = ls_pass_n_rewrites (f->pass);
  g_autoptr (LsChain) chain = ls_chain_new (f->trace), other = ls_chain_new (f->trace);
  /* before it begins, at once, and on the way */
  for (guint turns = 0; turns < 12; turns++) {
    Answer a = { g_main_loop_new (NULL, FALSE), NULL, NULL };
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    if (turns == 0)
      g_cancellable_cancel (cancellable);
    ls_chain_layout_async (chain, f->pass, n, TRUE, NULL, cancellable, on_answer, &a);
    for (guint i = 1; i < turns && !a.layout && !a.error; i++)
      g_main_context_iteration (NULL, TRUE);
    g_cancellable_cancel (cancellable);
    if (!a.layout && !a.error)
      g_main_loop_run (a.loop);
    if (!a.layout)
      g_assert_error (a.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_clear_error (&a.error);
    ls_layout_unref (a.layout);
    g_main_loop_unref (a.loop);
  }
  /* an unfinished layout does no harm */
  g_assert_cmpuint (digest_at (chain, f->pass, n), ==, digest_at (other, f->pass, n));
}

/* --- one layout that follows another --- */

static LsKeep *
keep_all (const LsLayoutInput *in, const LsLayout *l)
{
  LsKeep *keep = ls_keep_new (in->n);
  for (guint i = 0; i < in->n; i++) {
    keep->x[i] = l->x[i] + in->width[i] / 2;
    keep->rank[i] = (gint32) lroundf (l->y[i] / LS_RANK_PITCH);
  }
  keep->n_kept = in->n;
  return keep;
}

static void
test_nothing_new (void)
{
  static const guint sizes[] = { 0, 1, 2, 50, 1000, 10000 };
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_autoptr (LsLayoutInput) in = make_layout_input (sizes[k], 2);
    g_autoptr (LsLayout) a = ls_ranks_layout (in, NULL);
    g_autoptr (LsKeep) keep = keep_all (in, a);
    g_autoptr (LsLayout) b = ls_follow_layout (in, keep, NULL);
    check (in, b);
    for (guint i = 0; i < in->n; i++) {
      g_assert_cmpfloat (fabsf (a->x[i] - b->x[i]), <, 0.5);
      g_assert_cmpfloat (a->y[i], ==, b->y[i]);
    }
  }
}

static void
test_some_new (void)
{
  g_autoptr (LsLayoutInput) in = make_layout_input (1000, 2);
  g_autoptr (LsLayout) a = ls_ranks_layout (in, NULL);
  g_autoptr (LsKeep) keep = keep_all (in, a);
  for (guint i = 3; i < 1000; i += 50)
    keep->x[i] = NAN;
  for (guint i = 0; i < 1000; i += 90)
    in->width[i] = 220;
  g_autoptr (LsLayout) b = ls_follow_layout (in, keep, NULL);
  check (in, b);
  guint same = 0;
  for (guint i = 0; i < in->n; i++)
    same += fabsf (a->x[i] - b->x[i]) <= in->width[i] / 2 && a->y[i] == b->y[i];
  g_assert_cmpuint (same, >, 950);
  /* all is new: then it is a layout all the same */
  g_autoptr (LsKeep) none = ls_keep_new (in->n);
  g_autoptr (LsLayout) c = ls_follow_layout (in, none, NULL);
  check (in, c);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  g_assert_null (ls_follow_layout (in, keep, cancellable));
}

static void
test_extremes (void)
{
  /* a chain that gets a box in its middle, upside down before; a cycle */
  guint n = 20000;
  g_autoptr (LsLayoutInput) chain = ls_layout_input_new (n, n - 1);
  g_autoptr (LsKeep) keep = ls_keep_new (n), wrong = ls_keep_new (n);
  for (guint v = 0; v < n; v++) {
    chain->width[v] = 80;
    keep->x[v] = wrong->x[v] = 40;
    keep->rank[v] = (gint32) (v <= n / 2 ? v : v - 1);
    wrong->rank[v] = -(gint32) v;
    if (v) {
      chain->from[v - 1] = v - 1;
      chain->to[v - 1] = v;
    }
  }
  keep->x[n / 2] = NAN;
  g_autoptr (LsLayout) a = ls_follow_layout (chain, keep, NULL);
  check (chain, a);
  g_assert_cmpfloat (a->height, ==, LS_RANK_PITCH * (float) (n - 1) + LS_SCENE_HEIGHT);
  g_autoptr (LsLayout) b = ls_follow_layout (chain, wrong, NULL);
  check (chain, b);
  g_autoptr (LsLayoutInput) cycle = ls_layout_input_new (3, 4);
  static const guint32 ends[4][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 1, 1 } };
  for (guint e = 0; e < 4; e++) {
    cycle->from[e] = ends[e][0];
    cycle->to[e] = ends[e][1];
  }
  for (guint v = 0; v < 3; v++)
    cycle->width[v] = 100;
  g_autoptr (LsKeep) none = ls_keep_new (3);
  g_autoptr (LsLayout) c = ls_follow_layout (cycle, none, NULL);
  check (cycle, c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout/chain/parents", test_parents);
  g_test_add ("/layout/chain/any-path", PassFixture, GUINT_TO_POINTER (160), setup, test_any_path, teardown);
  g_test_add ("/layout/chain/pictures", PassFixture, GUINT_TO_POINTER (200), setup, test_pictures, teardown);
  g_test_add ("/layout/chain/async", PassFixture, GUINT_TO_POINTER (120), setup, test_async, teardown);
  g_test_add ("/layout/chain/cancel", PassFixture, GUINT_TO_POINTER (300), setup, test_cancel, teardown);
  g_test_add_func ("/layout/follow/nothing-new", test_nothing_new);
  g_test_add_func ("/layout/follow/some-new", test_some_new);
  g_test_add_func ("/layout/follow/extremes", test_extremes);
  return g_test_run ();
}
