/* The scene of a graph: what becomes a box, what is folded into it, and the words in it. */
#include <gtk/gtk.h>
#include <string.h>

#include "graph/layout/scene-private.h"
#include "graphs.h"
#include "ir/print.h"

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
  LsUOp *product, *root = make_scale (f->ctx, &product);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, root, TRUE);
  /* two buffers, LOAD, MUL, STORE, SINK */
  g_assert_cmpuint (s->n_nodes, ==, 6);
  g_assert_cmpuint (s->n_edges, ==, 5);
  const LsSceneNode *m = node_of (s, product);
  g_assert_cmpstr (m->title[1], ==, "MUL × 4.0");
  g_assert_cmpstr (m->detail[1], ==, "float");
  g_assert_cmpuint (m->n_edges, ==, 1);
  const LsSceneNode *l = node_of (s, product->src[0]);
  g_assert_cmpstr (l->title[1], ==, "LOAD data1[i*64+k]");
  g_assert_cmpstr (l->detail[1], ==, "float");
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

/* A node that differs from another in its tag alone says so in its box, and keeps one. */
static void
test_tags (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = make_scale (f->ctx, &product), *four = product->src[1];
  LsUOp *tagged = ls_uop_new_tag (f->ctx, four->op, four->dtype, four->n_src, four->src, four->arg, ls_tag_of_text ("seen"));
  LsUOp *other = ls_uop_alu2 (f->ctx, LS_OP_MUL, product, tagged);
  other = ls_uop_new_tag (f->ctx, other->op, other->dtype, 2, other->src, other->arg, 7);
  root = ls_uop_new2 (f->ctx, LS_OP_SINK, LS_VOID, root, other, ls_arg_none ());
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, root, TRUE);
  g_assert_cmpstr (node_of (s, product)->detail[1], ==, "float");
  g_assert_cmpstr (node_of (s, tagged)->title[1], ==, "CONST 4.0");
  g_assert_cmpstr (node_of (s, tagged)->detail[1], ==, "float  tag seen");
  g_assert_cmpstr (node_of (s, other)->detail[1], ==, "float  tag 7");
}

static void
test_unfolded (Fixture *f, gconstpointer unused)
{
  LsUOp *product, *root = make_scale (f->ctx, &product);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, root, FALSE);
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
  LsUOp *i = make_range (c, 0, 64), *x = make_load (c, make_global (c, 1), i);
  /* integers that come from memory are not index arithmetic, even where they index */
  LsUOp *table = ls_uop_cast (c, x, LS_INDEX), *y = make_load (c, make_global (c, 2), make_add (c, table, i));
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, make_store (c, make_global (c, 0), i, y), TRUE);
  g_assert_cmpstr (node_of (s, table)->title[1], ==, "CAST");
  g_assert_cmpstr (node_of (s, y->src[0]->src[1])->title[1], ==, "ADD + i");
}

static void
test_long_words (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *i = make_range (c, 0, 64), *at = i;
  for (gint64 k = 1; k < 2000; k++)
    at = make_add (c, make_mul (c, at, make_index (c, k + 1)), i);
  LsUOp *l = make_load (c, make_global (c, 1), at);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, make_store (c, make_global (c, 0), i, l), TRUE);
  const LsSceneNode *n = node_of (s, l);
  g_assert_cmpfloat (n->width, <=, 220);
  g_assert_nonnull (strstr (n->title[1], "…"));
  g_assert_true (g_str_has_prefix (n->title[1], "LOAD data1["));
  g_autofree char *sentence = ls_scene_sentence (s, (guint) ls_scene_find (s, l->id));
  g_assert_nonnull (strstr (sentence, "LOAD"));
  g_assert_nonnull (strstr (sentence, "Used by: STORE"));
  g_autofree char *tip = ls_scene_tooltip (s, (guint) ls_scene_find (s, l->id));
  g_assert_true (pango_parse_markup (tip, -1, 0, NULL, NULL, NULL, NULL));
}

/* A text that is cut in a box is complete in its tooltip. */
static void
test_whole_words (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *i = make_range (c, 0, 64), *at = i;
  for (gint64 k = 1; k < 12; k++)
    at = make_add (c, make_mul (c, at, make_index (c, 100 + k)), i);
  LsUOp *l = make_load (c, make_global (c, 1), at);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, make_store (c, make_global (c, 0), i, l), TRUE);
  g_assert_nonnull (strstr (node_of (s, l)->title[1], "…"));
  g_autofree char *tip = ls_scene_tooltip (s, (guint) ls_scene_find (s, l->id)), *whole = ls_expr_print (NULL, at, 0);
  g_assert_cmpuint (strlen (whole), >, 80);
  whole[strlen (whole) - 1] = '\0';      /* without brackets around all of it */
  g_assert_nonnull (strstr (tip, whole + 1));
}

static void
test_any_bytes (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *u = ls_uop_new1 (c, LS_OP_SPECIAL, LS_INDEX, make_index (c, 4), ls_arg_str (c, "g\xff\xc3<idx>\n&0"));
  LsUOp *l = make_load (c, make_global (c, 1), u);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, make_store (c, make_global (c, 0), u, l), FALSE);
  g_assert_true (g_utf8_validate (node_of (s, u)->title[1], -1, NULL));
  for (guint i = 0; i < s->n_nodes; i++) {
    g_autofree char *tip = ls_scene_tooltip (s, i), *sentence = ls_scene_sentence (s, i);
    g_assert_true (pango_parse_markup (tip, -1, 0, NULL, NULL, NULL, NULL));
    g_assert_true (g_utf8_validate (sentence, -1, NULL));
  }
}

static void
test_kinds (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = make_mul_one (f, &x, &gone, &user);
  g_autoptr (LsScene) s = ls_scene_new_diff (f->trace, d, TRUE);
  g_assert_cmpuint (node_of (s, gone)->kind, ==, LS_DIFF_REMOVED);
  /* what went is not folded away: the product, and its 1.0 */
  g_assert_cmpstr (node_of (s, gone)->title[1], ==, "MUL");
  g_assert_cmpuint (node_of (s, gone->src[1])->kind, ==, LS_DIFF_REMOVED);
  g_assert_cmpuint (node_of (s, gone->src[1])->id, ==, gone->src[1]->id);
  g_assert_cmpuint (node_of (s, user)->kind, ==, LS_DIFF_CHANGED);
  g_assert_cmpuint (node_of (s, x)->kind, ==, LS_DIFF_SAME);
  /* STORE and SINK were only rebuilt */
  g_assert_cmpuint (node_of (s, d->after->root->src[0])->kind, ==, LS_DIFF_SAME);
  g_assert_cmpuint (s->n_kind[LS_DIFF_CHANGED], ==, 1);
  g_assert_cmpuint (s->n_kind[LS_DIFF_REMOVED], ==, 2);
  g_assert_cmpstr (node_of (s, user)->change, ==, "float  source 1: MUL → LOAD");
  g_assert_cmpuint (s->n_folded, >, 0);
  /* both ids lead to the box */
  g_assert_true (node_of (s, d->before->root) == node_of (s, d->after->root));
  const LsSceneNode *n = node_of (s, user);
  g_assert_cmpuint (n->n_edges, ==, 2);
  const LsSceneEdge *now = &s->edges[n->first_edge], *was = now + 1;
  g_assert_cmpuint (now->side, ==, LS_IN_AFTER);
  g_assert_cmpuint (s->nodes[now->from].id, ==, x->id);
  g_assert_cmpuint (was->side, ==, LS_IN_BEFORE);
  g_assert_cmpuint (s->nodes[was->from].id, ==, gone->id);
  g_assert_cmpuint (s->focus, ==, (guint) ls_scene_find (s, x->id));
}

static void
assert_change (Fixture *f, LsUOp *was, LsUOp *is, const char *line, const char *whole)
{
  LsSceneChange c = { was, is, 0, 0 };
  for (guint i = MIN (was->n_src, is->n_src); i-- > 0; )
    if (was->src[i] != is->src[i]) {
      c.n_sources++;
      c.source = i;
    }
  g_autoptr (GString) out = g_string_new (NULL), all = g_string_new (NULL);
  ls_scene_change (f->ctx, &c, LS_SCENE_MAX_CHARS + 2, out, all);
  g_assert_cmpstr (out->str, ==, line);
  g_assert_cmpstr (all->str, ==, whole);
}

/* The text of a changed box: before and after, cut on each side, and complete. */
static void
test_changes (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  LsUOp *six = make_index (c, 6), *i = make_range (c, 0, 64), *x = make_load (c, make_global (c, 1), i),
        *y = make_load (c, make_global (c, 1), six);
  LsUOp *as_int = ls_uop_const_i (c, LS_INT32, 6);
  assert_change (f, six, as_int, "index → int", "index → int");
  assert_change (f, six, make_index (c, 24), "index  6 → 24", "6 → 24");
  assert_change (f, make_mul (c, x, y), make_add (c, x, y), "float  MUL → ADD", "MUL → ADD");
  assert_change (f, make_mul (c, x, y), make_mul (c, y, x), "data1[…ta1[6] → data1[6…ta1[i]",
                 "data1[i]*data1[6] → data1[6]*data1[i]");
  LsUOp *sum = make_add (c, make_add (c, i, make_index (c, 7)), make_index (c, 192));
  assert_change (f, sum, make_add (c, make_index (c, 1), make_index (c, 199)), "index  i+7+192 → 1+199", "i+7+192 → 1+199");
  assert_change (f, sum, make_add (c, i, make_index (c, 199)),
                 "index  +7+192 → +199", "+7+192 → +199");
  assert_change (f, make_mul (c, x, x), make_mul (c, x, make_mul (c, y, y)), "float  source 2: LOAD → MUL", "source 2: LOAD → MUL");
  assert_change (f, make_add (c, i, six), make_add (c, i, make_index (c, 7)), "index  source 2: 6 → 7", "source 2: 6 → 7");
  assert_change (f, i, make_range (c, 0, 16), "index  i:64 → i:16", "i:64 → i:16");
  LsUOp *special = ls_uop_new1 (c, LS_OP_SPECIAL, LS_INDEX, six, ls_arg_str (c, "gidx_of_a_very_long_name_0")),
        *other = ls_uop_new1 (c, LS_OP_SPECIAL, LS_INDEX, six, ls_arg_str (c, "another_name_that_is_long_1"));
  assert_change (f, special, other, "gidx_o…name_0 → another…long_1", "gidx_of_a_very_long_name_0 → another_name_that_is_long_1");
  assert_change (f, special, ls_uop_new1 (c, LS_OP_SPECIAL, LS_INDEX, six, ls_arg_str (c, "g")), "gidx_of_a_very_long_name_0 → g",
                 "gidx_of_a_very_long_name_0 → g");
  assert_change (f, x, x, "", "");
}

/* In a box: instead of the second line where both graphs are shown, whole in the tooltip, and in words for who cannot see. */
static void
test_changed_box (Fixture *f, gconstpointer unused)
{
  LsUOp *x, *gone, *user;
  g_autoptr (LsGraphDiff) d = make_mul_one (f, &x, &gone, &user);
  g_autoptr (LsScene) s = ls_scene_new_diff (f->trace, d, TRUE), bare = ls_scene_new_diff_bare (f->trace, d, TRUE);
  guint i = (guint) ls_scene_find (s, user->id);
  g_assert_cmpstr (ls_scene_second_line (s, i, LS_IN_BOTH), ==, "float  source 1: MUL → LOAD");
  g_assert_cmpstr (ls_scene_second_line (s, i, LS_IN_AFTER), ==, "float");
  g_assert_cmpstr (ls_scene_second_line (s, i, LS_IN_BEFORE), ==, "float");
  g_autofree char *tip = ls_scene_tooltip (s, i), *sentence = ls_scene_sentence (s, i);
  g_assert_nonnull (strstr (tip, "source 1: MUL → LOAD"));
  g_assert_nonnull (strstr (sentence, "source 1: MUL → LOAD"));
  for (guint k = 0; k < s->n_nodes; k++)
    g_assert_cmpfloat (s->nodes[k].width, ==, bare->nodes[k].width);
}

/* The two halves of a split range have names of their own. */
static void
test_split_range (Fixture *f, gconstpointer unused)
{
  LsContext *c = f->ctx;
  const gint64 halves[2][3] = { { 1, 0, 0 }, { 1, 4, 1 } };
  LsUOp *outer = ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, make_index (c, 16), ls_arg_ints (c, 3, halves[0]));
  LsUOp *inner = ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, make_index (c, 4), ls_arg_ints (c, 3, halves[1]));
  LsUOp *l = make_load (c, make_global (c, 1), make_add (c, make_mul (c, outer, make_index (c, 4)), inner));
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, make_store (c, make_global (c, 0), outer, l), TRUE);
  g_assert_cmpstr (node_of (s, l)->title[1], ==, "LOAD data1[j*4+j_1]");
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  ADD_GRAPH_TEST ("/graph/scene/folding", test_folding);
  ADD_GRAPH_TEST ("/graph/scene/tags", test_tags);
  ADD_GRAPH_TEST ("/graph/scene/unfolded", test_unfolded);
  ADD_GRAPH_TEST ("/graph/scene/memory-is-no-index", test_float_arithmetic_stays);
  ADD_GRAPH_TEST ("/graph/scene/long-words", test_long_words);
  ADD_GRAPH_TEST ("/graph/scene/whole-words", test_whole_words);
  ADD_GRAPH_TEST ("/graph/scene/any-bytes", test_any_bytes);
  ADD_GRAPH_TEST ("/graph/scene/kinds", test_kinds);
  ADD_GRAPH_TEST ("/graph/scene/changes", test_changes);
  ADD_GRAPH_TEST ("/graph/scene/changed-box", test_changed_box);
  ADD_GRAPH_TEST ("/graph/scene/split-range", test_split_range);
  return g_test_run ();
}
