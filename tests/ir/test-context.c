/* A context over another one: it finds what that one has, what is new goes with it, and the other one stays what it was. */
#include "ir/print.h"

enum { N = 3000 };

/* Random arithmetic over the nodes of pool, which gets it. */
static void
grow (LsContext *ctx, GRand *rand, GPtrArray *pool, guint n)
{
  static const LsOp ops[] = { LS_OP_ADD, LS_OP_MUL, LS_OP_MAX };
  for (guint i = 0; i < n; i++) {
    gint32 last = (gint32) pool->len;
    LsUOp *a = pool->pdata[g_rand_int_range (rand, 0, last)], *b = pool->pdata[g_rand_int_range (rand, MAX (0, last - 20), last)];
    g_ptr_array_add (pool, ls_uop_alu2 (ctx, ops[g_rand_int_range (rand, 0, 3)], a, b));
  }
}

static GPtrArray *
first (LsContext *ctx)
{
  GPtrArray *pool = g_ptr_array_new ();
  for (int i = 0; i < 8; i++)
    g_ptr_array_add (pool, ls_uop_const_i (ctx, LS_INT32, i));
  return pool;
}

static void
test_over (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GPtrArray) pool = first (ctx);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  grow (ctx, rand, pool, N);
  guint n = ls_context_n_nodes (ctx);
  gint64 ints[] = { 3, 1, 4 };
  LsArg arg = ls_arg_ints (ctx, 3, ints);
  for (guint round = 0; round < 20; round++) {
    g_autoptr (LsContext) over = ls_context_new_over (ctx), top = NULL;
    g_autoptr (GPtrArray) more = g_ptr_array_copy (pool, NULL, NULL);
    grow (over, rand, more, 4 * N);      /* the table grows on the way */
    guint middle = ls_context_n_nodes (over);
    top = ls_context_new_over (over);
    grow (top, rand, more, N);
    g_assert_cmpuint (ls_context_n_nodes (ctx), ==, n);
    g_assert_cmpuint (ls_context_n_nodes (over), ==, middle);
    g_assert_true (ls_arg_equal (ls_arg_ints (top, 3, ints), arg));
    for (guint i = 0; i < more->len; i++) {      /* each is found again, from where it is and from above */
      LsUOp *u = more->pdata[i];
      g_assert_true (ls_context_node (top, u->id) == u);
      g_assert_true (ls_uop_new (top, u->op, u->dtype, u->n_src, u->src, u->arg) == u);
      g_assert_true (ls_uop_find (over, u, u->src) == (u->id < middle ? u : NULL));
      g_assert_true (ls_uop_find (ctx, u, u->src) == (u->id < n ? u : NULL));
    }
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, more->pdata[more->len - 1]);      /* maps are for all of them */
    g_assert_true (order->pdata[order->len - 1] == more->pdata[more->len - 1]);
  }
}

/* A node can be in a graph under the name of another one; it is found by its structure, before the one below. */
static void
test_named (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (0)), *neg = ls_uop_alu1 (ctx, LS_OP_NEG, x),
        *twice = ls_uop_alu1 (ctx, LS_OP_NEG, neg);
  g_autoptr (LsContext) over = ls_context_new_over (ctx);
  LsUOp *named = ls_uop_new_named (over, neg, neg->src, twice->id);
  g_assert_true (named != neg);
  g_assert_cmpuint (named->id, ==, twice->id);
  g_assert_true (ls_uop_find (over, neg, neg->src) == named);
  g_assert_true (ls_uop_find (ctx, neg, neg->src) == neg);
  g_assert_true (ls_uop_find (over, twice, twice->src) == twice);
  g_assert_null (ls_uop_find (over, twice, &named));
  g_autofree char *text = ls_pyrender (over, named), *same = ls_pyrender (ctx, neg);
  g_assert_cmpstr (text, ==, same);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/context/over", test_over);
  g_test_add_func ("/context/named", test_named);
  return g_test_run ();
}
