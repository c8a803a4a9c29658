/* Differences between any two positions: symmetric, consistent with single steps, blind to numbering; between kernels by structure. */
#include <string.h>

#include "fixture.h"
#include "trace/place.h"

static LsPosition
at (LsTrace *trace, const char *link)
{
  g_autoptr (GError) error = NULL;
  g_auto (LsPlace) place = LS_PLACE_INIT;
  LsPosition p = { 0 };
  g_assert_true (ls_place_parse (link, &place, &error) && ls_place_resolve (&place.at, trace, &p, &error));
  return p;
}

/* Every node of each graph is in the diff once, and the kinds add up. */
static void
check_graph (const LsGraphDiff *d)
{
  g_autoptr (GHashTable) old = g_hash_table_new (NULL, NULL), now = g_hash_table_new (NULL, NULL);
  guint n[LS_N_DIFF] = { 0 };
  for (guint i = 0; i < d->nodes->len; i++) {
    const LsDiffNode *x = &g_array_index (d->nodes, LsDiffNode, i);
    n[x->kind]++;
    if (x->kind != LS_DIFF_REMOVED)
      g_assert_true (g_hash_table_add (now, x->node));
    if (x->kind != LS_DIFF_ADDED)
      g_assert_true (g_hash_table_add (old, x->before));
    g_assert_true ((x->kind == LS_DIFF_ADDED) == (x->before == NULL));
    g_assert_true (x->kind != LS_DIFF_SAME || !x->other);
  }
  g_assert_cmpuint (g_hash_table_size (old), ==, d->before->nodes->len);
  g_assert_cmpuint (g_hash_table_size (now), ==, d->after->nodes->len);
  g_assert_cmpuint (n[LS_DIFF_SAME], ==, d->n_same);
  g_assert_cmpuint (n[LS_DIFF_ADDED], ==, d->n_added);
  g_assert_cmpuint (n[LS_DIFF_REMOVED], ==, d->n_removed);
  g_assert_cmpuint (n[LS_DIFF_CHANGED], ==, d->n_changed);
  g_assert_cmpuint (n[LS_DIFF_MOVED], ==, d->n_moved);
}

static void
check_list (const LsListDiff *d)
{
  guint next_b = 0, n_a = 0;
  for (guint i = 0; i < d->rows->len; i++) {
    const LsListRow *r = &g_array_index (d->rows, LsListRow, i);
    if (r->b != LS_NO_NODE)
      g_assert_cmpuint (r->b, ==, next_b++);
    n_a += r->a != LS_NO_NODE;
    g_autofree char *now = ls_list_diff_operands (d, i, FALSE), *was = ls_list_diff_operands (d, i, TRUE);
    if (r->kind == LS_DIFF_SAME || r->kind == LS_DIFF_MOVED) {
      g_assert_cmpstr (now, ==, was);
      g_assert_cmpuint (ls_list_diff_node (d, i)->op, ==, ((LsUOp *) d->a->pdata[r->a])->op);
    }
    g_assert_true (ls_list_diff_operands_differ (d, i) == (r->kind == LS_DIFF_CHANGED && strcmp (now, was) != 0));
  }
  g_assert_cmpuint (next_b, ==, d->b->len);
  g_assert_cmpuint (n_a, ==, d->a->len);
  g_autoptr (GArray) tree = ls_list_diff_tree (d);
  g_autofree gboolean *shown = g_new0 (gboolean, d->rows->len + 1);
  for (guint i = 0; i < tree->len; i++) {
    const LsTreeRow *t = &g_array_index (tree, LsTreeRow, i);
    g_assert_cmpuint (t->depth, <=, i ? g_array_index (tree, LsTreeRow, i - 1).depth + 1 : 0);
    if (t->state == LS_TREE_AGAIN)
      g_assert_true (shown[t->row]);
    shown[t->row] = TRUE;
  }
  for (guint i = 0; i < d->rows->len; i++)      /* what is not shown stands, unchanged, below something unchanged */
    g_assert_true (shown[i] || g_array_index (d->rows, LsListRow, i).kind == LS_DIFF_SAME);
}

/* All pairs of some positions of a kernel and its tensor pass. */
static void
test_pairs (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "matmul.py");
  LsTrace *t = s->trace;
  static const char *const links[] = { "0/tensor#3/1", "3/ast/0", "3/ast/4", "3/lower/2", "3/expand/7", "3/devectorize/11",
                                       "3/simplify#2/0", "3/simplify#2/20", "3/index", "3/linearize" };
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    for (guint k = 0; k < G_N_ELEMENTS (links); k++) {
      LsPosition a = at (t, links[i]), b = at (t, links[k]);
      g_autofree char *link = ls_position_print (&a);
      LsPosition again = at (t, link);
      g_assert_true (ls_position_equal (&a, &again));
      g_autoptr (LsGraphDiff) d = ls_position_diff (&a, &b), back = ls_position_diff (&b, &a);
      check_graph (d);
      g_assert_cmpuint (d->n_ambiguous, ==, 0);
      g_assert_cmpuint (d->n_added, ==, back->n_removed);
      g_assert_cmpuint (d->n_same + d->n_moved + d->n_changed, ==, back->n_same + back->n_moved + back->n_changed);
      g_assert_cmpuint (d->n_moved, ==, back->n_moved);
      if (i == k)
        g_assert_cmpuint (d->n_same, ==, d->nodes->len);
      g_autoptr (LsListDiff) list = ls_list_diff (&a, &b), of_graph = ls_list_diff_graph (&a, &b, d);
      check_list (list);
      check_list (of_graph);
      g_assert_true (list->by_lineage);
      /* its order decides ties in another way */
      gboolean listing = g_str_has_suffix (links[i], "linearize") || g_str_has_suffix (links[k], "linearize");
      for (guint n = 0; n < LS_N_DIFF && !listing; n++)
        g_assert_cmpuint (list->n_kind[n], ==, of_graph->n_kind[n]);
    }
}

/* Continuing nodes through a pass: the matched node and its replacement are one node that changed. */
static void
test_lineage (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "matmul.py");
  LsTrace *t = s->trace;
  LsPosition a = at (t, "3/ast/0"), b = at (t, "3/lower");
  g_autoptr (LsGraphDiff) d = ls_position_diff (&a, &b);
  /* from shapes to ranges the kernel's sink and its output stay themselves, and so does the product that a rule rebuilt below the sum */
  const LsDiffNode *root = NULL;
  guint n_params = 0, n_products = 0;
  for (guint i = 0; i < d->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, i);
    if (n->node == d->after->root)
      root = n;
    n_params += n->node->op == LS_OP_DEFINE_GLOBAL && n->kind != LS_DIFF_ADDED && n->kind != LS_DIFF_REMOVED;
    n_products += n->node->op == LS_OP_MUL && n->node->dtype == LS_FLOAT && n->kind == LS_DIFF_CHANGED;
  }
  g_assert_nonnull (root);
  g_assert_true (root->before == d->before->root);
  g_assert_cmpuint (n_params, ==, 1);
  g_assert_cmpuint (n_products, ==, 1);
  /* the same in the middle of a pass, where nodes stand that the recording does not have as they are */
  g_autoptr (LsSession) soft = FIXTURE_RUN (.file = "softmax.py");
  LsPosition early = at (soft->trace, "1/ast/0"), middle = at (soft->trace, "1/lower/4");
  g_autoptr (LsGraphDiff) half = ls_position_diff (&early, &middle);
  guint n_mods = 0;
  for (guint i = 0; i < half->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (half->nodes, LsDiffNode, i);
    n_mods += n->node->op == LS_OP_FLOORMOD && n->kind == LS_DIFF_CHANGED;
  }
  g_assert_cmpuint (n_mods, ==, 1);
  /* two steps in one: what the first added and the second removed is in neither */
  LsPosition p = at (t, "3/simplify#2/4"), q = at (t, "3/simplify#2/6");
  g_autoptr (LsGraphDiff) two = ls_position_diff (&p, &q), one = ls_pass_diff_step (t, p.pass, 5), other = ls_pass_diff_step (t, p.pass, 6);
  g_assert_cmpuint (two->n_added, <=, one->n_added + other->n_added);
  g_assert_cmpint ((int) two->n_added - (int) two->n_removed, ==,
                   (int) (one->n_added + other->n_added) - (int) (one->n_removed + other->n_removed));
}

/* A list against itself with more rows in front, in another order where that is free, and with one argument changed. */
static void
test_renumbered (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) t = ls_trace_new (ctx);
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (0)),
        *y = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (1));
  LsUOp *c = ls_uop_const_i (ctx, LS_INT32, 7), *e = ls_uop_const_i (ctx, LS_INT32, 9);
  LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, x, y), *with_c = ls_uop_alu2 (ctx, LS_OP_MUL, sum, c),
        *with_e = ls_uop_alu2 (ctx, LS_OP_MUL, sum, e);
  LsUOp *unused = ls_uop_alu2 (ctx, LS_OP_MAX, x, e);
  LsUOp *one = ls_uop_new2 (ctx, LS_OP_SINK, LS_VOID, with_c, x, ls_arg_none ()),
        *swapped = ls_uop_new2 (ctx, LS_OP_SINK, LS_VOID, x, with_c, ls_arg_none ());
  LsUOp *longer = ls_uop_new3 (ctx, LS_OP_SINK, LS_VOID, unused, with_c, x, ls_arg_none ()),
        *other = ls_uop_new2 (ctx, LS_OP_SINK, LS_VOID, with_e, x, ls_arg_none ());
  struct { LsUOp *a, *b; guint n[LS_N_DIFF]; } cases[] = {
    { one, one, { 6 } },
    { one, swapped, { 5, 0, 0, 1, 0 } },        /* post-order begins with x in both */
    /* e and MAX in front: all others get another number */
    { one, longer, { [LS_DIFF_SAME] = 5, [LS_DIFF_ADDED] = 2, [LS_DIFF_CHANGED] = 1 } },
    { one, other, { [LS_DIFF_SAME] = 4, [LS_DIFF_CHANGED] = 2 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LsPosition a = { t, ls_trace_add_map_pass (t, 0, "test", cases[i].a, cases[i].a, 0), 0 },
               b = { t, ls_trace_add_map_pass (t, 0, "test", cases[i].b, cases[i].b, 0), 0 };
    g_autoptr (LsListDiff) d = ls_list_diff (&a, &b);
    check_list (d);
    for (guint k = 0; k < LS_N_DIFF; k++)
      if (i < 3)
        g_assert_cmpuint (d->n_kind[k], ==, cases[i].n[k]);
    if (i == 3)      /* the constant was matched as the source of a matched consumer */
      g_assert_cmpuint (d->n_kind[LS_DIFF_ADDED] + d->n_kind[LS_DIFF_REMOVED], ==, 0);
  }
}

/* Two kernels of the same form; two recordings of one program, whose ids differ. */
static void
test_structure (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "matmul.py"), again = FIXTURE_RUN (.file = "matmul.py"),
      other = FIXTURE_RUN (.file = "softmax.py");
  LsPosition one = at (s->trace, "1"), two = at (s->trace, "2"), three = at (s->trace, "3");
  g_autoptr (LsListDiff) d = ls_list_diff (&one, &two), far = ls_list_diff (&one, &three);
  check_list (d);
  check_list (far);
  g_assert_false (d->by_lineage);
  g_assert_cmpuint (d->n_kind[LS_DIFF_SAME] * 2, >, d->b->len);      /* rand and rand with another seed */
  g_autoptr (LsGraphDiff) graph = ls_position_diff (&one, &two);
  check_graph (graph);
  for (guint i = 0; i < s->trace->passes->len; i++) {
    LsPosition a = { s->trace, s->trace->passes->pdata[i], ls_pass_n_steps (s->trace->passes->pdata[i]) };
    LsPosition b = { again->trace, again->trace->passes->pdata[i], ls_pass_n_steps (again->trace->passes->pdata[i]) };
    g_autoptr (LsListDiff) same = ls_list_diff (&a, &b);
    check_list (same);
    g_assert_cmpuint (same->n_kind[LS_DIFF_SAME], ==, same->rows->len);
    LsPosition c = { other->trace, other->trace->passes->pdata[i % other->trace->passes->len], 0 };
    g_autoptr (LsListDiff) different = ls_list_diff (&a, &c);
    check_list (different);
  }
}

/* x * 1 -> x puts x in the product's place; the other users of x did not move. */
static void
test_moved (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (0)),
        *y = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (1));
  LsUOp *neg = ls_uop_alu1 (ctx, LS_OP_NEG, x), *one = ls_uop_const_i (ctx, LS_INT32, 1), *product = ls_uop_alu2 (ctx, LS_OP_MUL, neg, one);
  LsUOp *user = ls_uop_alu2 (ctx, LS_OP_ADD, product, y), *now = ls_uop_alu2 (ctx, LS_OP_ADD, neg, y);
  LsNodeMap *former = ls_node_map_acquire (ctx);
  ls_node_map_set_node (former, now, user);
  g_autoptr (LsGraph) before = ls_graph_new (ctx, user), after = ls_graph_new (ctx, now);
  g_autoptr (LsGraphDiff) d = ls_graph_diff_new (before, after, former, product, neg);
  g_assert_cmpuint (d->n_moved, ==, 1);
  g_assert_cmpuint (d->n_same, ==, 2);
  g_assert_cmpuint (d->n_changed, ==, 1);
  g_assert_cmpuint (d->n_removed, ==, 2);
  for (guint i = 0; i < d->nodes->len; i++)
    g_assert_true ((g_array_index (d->nodes, LsDiffNode, i).kind == LS_DIFF_MOVED) == (g_array_index (d->nodes, LsDiffNode, i).node
                                                                                       == neg));
  ls_node_map_release (ctx, former);
}

/* 10,000 nodes, and a chain that recursion would not survive. */
static void
test_large (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) t = ls_trace_new (ctx);
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (0)), *a = x, *b = x;
  for (guint i = 0; i < 5000; i++) {
    a = ls_uop_alu2 (ctx, i % 3 ? LS_OP_ADD : LS_OP_MUL, a, ls_uop_const_i (ctx, LS_INT32, i + 2));
    b = ls_uop_alu2 (ctx, i % 3 ? LS_OP_ADD : LS_OP_MUL, b, ls_uop_const_i (ctx, LS_INT32, i == 10 ? 77777 : i + 2));
  }
  LsPosition p = { t, ls_trace_add_map_pass (t, 0, "test", a, a, 0), 0 }, q = { t, ls_trace_add_map_pass (t, 0, "test", b, b, 0), 0 };
  gint64 start = g_get_monotonic_time ();
  g_autoptr (LsGraphDiff) d = ls_position_diff (&p, &q);
  gint64 middle = g_get_monotonic_time ();
  g_autoptr (LsListDiff) list = ls_list_diff_graph (&p, &q, d);
  g_autoptr (GArray) tree = ls_list_diff_tree (list);
  g_test_message ("graph %.2f ms, list and tree %.2f ms", (double) (middle - start) / 1000,
                  (double) (g_get_monotonic_time () - middle) / 1000);
  check_graph (d);
  check_list (list);
  g_assert_cmpuint (tree->len, >, 0);
  g_assert_cmpuint (d->n_added, ==, 0);
  g_assert_cmpuint (list->n_kind[LS_DIFF_SAME], ==, list->rows->len - 1);
  g_assert_cmpuint (list->n_kind[LS_DIFF_CHANGED], ==, 1);      /* the constant; its user is the same over aligned nodes */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/diff/pairs", test_pairs);
  g_test_add_func ("/trace/diff/lineage", test_lineage);
  g_test_add_func ("/trace/diff/renumbered", test_renumbered);
  g_test_add_func ("/trace/diff/structure", test_structure);
  g_test_add_func ("/trace/diff/moved", test_moved);
  g_test_add_func ("/trace/diff/large", test_large);
  return g_test_run ();
}
