/* Loose nodes: dropped, they are gone and the others are what they were; those that are kept stand over what they stood over. */
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
test_drop (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GPtrArray) pool = first (ctx);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  grow (ctx, rand, pool, N);
  ls_context_drop (ctx, 0);      /* nothing is loose yet */
  guint kept = ls_context_n_nodes (ctx);
  g_assert_cmpuint (ls_context_n_loose (ctx), ==, 0);
  ls_context_keep (ctx);
  for (guint round = 0; round < 20; round++) {
    g_autoptr (GPtrArray) more = g_ptr_array_copy (pool, NULL, NULL);
    grow (ctx, rand, more, N);
    guint middle = ls_context_n_nodes (ctx);
    g_assert_cmpuint (ls_context_n_loose (ctx), ==, middle - kept);
    guint n = more->len;
    grow (ctx, rand, more, 4 * N);      /* the table grows on the way */
    ls_context_drop (ctx, middle);
    g_assert_cmpuint (ls_context_n_nodes (ctx), ==, middle);
    for (guint i = 0; i < n; i++) {      /* each is found again */
      LsUOp *u = more->pdata[i];
      g_assert_true (ls_context_node (ctx, u->id) == u);
      g_assert_true (ls_uop_new (ctx, u->op, u->dtype, u->n_src, u->src, u->arg) == u);
    }
    g_assert_cmpuint (ls_context_n_nodes (ctx), ==, middle);
    ls_context_drop (ctx, 0);
    g_assert_cmpuint (ls_context_n_nodes (ctx), ==, kept);
    g_assert_null (ls_context_node (ctx, kept));
  }
}

static void
test_compact (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GPtrArray) pool = first (ctx);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  grow (ctx, rand, pool, N);
  guint kept = ls_context_n_nodes (ctx);
  ls_context_keep (ctx);
  grow (ctx, rand, pool, N);
  guint32 ids[20];
  char *text[20];
  for (guint i = 0; i < 20; i++) {
    ids[i] = ((LsUOp *) pool->pdata[g_rand_int_range (rand, 0, (gint32) pool->len)])->id;
    text[i] = ls_pyrender (ctx, ls_context_node (ctx, ids[i]));
  }
  guint before = ls_context_n_loose (ctx);
  g_autoptr (LsRenumbering) r = ls_context_compact (ctx, 20, ids);
  g_assert_cmpuint (ls_context_n_loose (ctx), <, before);
  g_assert_cmpuint (ls_context_n_loose (ctx), >, 0);
  for (guint i = 0; i < 20; i++) {
    guint32 now = ls_renumbering_get (r, ids[i]);
    g_assert_true ((ids[i] < kept) == (now == ids[i] && now < kept));
    g_autofree char *again = ls_pyrender (ctx, ls_context_node (ctx, now));
    g_assert_cmpstr (again, ==, text[i]);
    g_free (text[i]);
  }
  g_assert_cmpuint (ls_renumbering_get (r, G_MAXUINT32 - 1), ==, G_MAXUINT32);
  ls_renumbering_free (ls_context_compact (ctx, 0, NULL));
  g_assert_cmpuint (ls_context_n_loose (ctx), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/context/drop", test_drop);
  g_test_add_func ("/context/compact", test_compact);
  return g_test_run ();
}
