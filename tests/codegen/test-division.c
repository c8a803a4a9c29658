/* FAST_IDIV: what a division by a constant becomes gives the same quotient and remainder: for all values of 8 and 16 bits, and for
 * the edges and many values of 32 and 64. */
#include "../flat.h"
#include "../sample.h"
#include "codegen/codegen.h"
#include "rewrite/driver.h"
#include "ir/print.h"
#include "pipeline/pipeline.h"

#include <string.h>

static gint64 value_at (const Flat *f, gint64 x) { return flat_value (f, (LsScalar) { .i = x }).i; }

typedef struct { LsRuleLibrary *library; guint n_products, n_left; } Divisions;

static gboolean
divides (const Flat *f)
{
  for (guint i = 0; i < f->n; i++)
    if (f->nodes[i]->op == LS_OP_IDIV || f->nodes[i]->op == LS_OP_MOD)
      return TRUE;
  return FALSE;
}

/* Every op of division of x in [low, high] by d; some 0: all of the values, else that many of them and the edges. */
static void
check (Divisions *t, LsDType dtype, gint64 low, gint64 high, gint64 d, guint some, GRand *rand)
{
  static const LsOp ops[] = { LS_OP_IDIV, LS_OP_MOD, LS_OP_FLOORDIV, LS_OP_FLOORMOD };
  g_autoptr (LsContext) ctx = ls_context_new ();
  gboolean whole = (low == G_MININT64 && high == G_MAXINT64) || (low == ls_dtype_min_i (dtype) && high == (gint64) ls_dtype_max_u (dtype));
  LsUOp *x = flat_variable (ctx, dtype);
  if (!whole) {      /* what is known of it */
    x->vmin = low;
    x->vmax = high;
  }
  for (gsize o = 0; o < G_N_ELEMENTS (ops); o++) {
    g_autoptr (GError) error = NULL;
    LsUOp *u = ls_uop_alu2 (ctx, ops[o], x, ls_uop_const_i (ctx, dtype, d));
    LsDecomposeContext all = { .products = TRUE };
    LsRewrite rw = { ctx, t->library, "decompose", LS_REWRITE_BOTTOM_UP, 1000, NULL, &all };
    LsUOp *out = ls_graph_rewrite (&rw, u, &error);
    g_assert_no_error (error);
    Flat before, after;
    flatten (ctx, u, x, &before);
    flatten (ctx, out, x, &after);
    if (divides (&after))
      g_test_message ("left: %s of %s in %" G_GINT64_FORMAT " … %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT, ls_op_name (ops[o]),
                      ls_dtype_name (dtype), low, high, d);
    t->n_products += !divides (&after);
    t->n_left += divides (&after);
    for (guint64 i = 0; some ? i < some + 8 : i <= (guint64) high - (guint64) low; i++) {
      gint64 edges[8] = { low, high, low + 1, high - 1, d - 1, d, -d, 0 }, v = some ? (i < 8 ? edges[i] : 0) : low + (gint64) i;
      if (some && i >= 8) {      /* anywhere, and about multiples of the divisor, where quotients change */
        guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand), n = (guint64) high - (guint64) low;
        v = (gint64) ((guint64) low + (n == G_MAXUINT64 ? bits : bits % (n + 1)));
        v = i % 2 ? v : (gint64) ((guint64) v - (guint64) ls_eval_alu (LS_OP_MOD, dtype, dtype, (LsScalar[]) { { .i = v }, { .i = d } }).i
                                  - (guint64) g_rand_int_range (rand, 0, 2));
      }
      if (whole && ls_dtype_bits (dtype) == 64)
        ;
      else if (ls_dtype_is_unsigned (dtype) ? (guint64) v < (guint64) low || (guint64) v > (guint64) high : v < low || v > high)
        continue;
      gint64 want = value_at (&before, v), got = value_at (&after, v);
      g_autofree char *text = want != got ? ls_expr_print (NULL, out, 0) : NULL;
      if (text)
        g_error ("%s: %s of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT " (%s in %" G_GINT64_FORMAT " … %" G_GINT64_FORMAT
                 ") is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                 text, ls_op_name (ops[o]), v, d, ls_dtype_name (dtype), low, high, want, got);
    }
  }
}

static void
test_all_values (void)
{
  static const LsDType dtypes[] = { LS_INT8, LS_UINT8, LS_INT16, LS_UINT16 };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  Divisions t = { library, 0, 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++) {
    gint64 low = ls_dtype_min_i (dtypes[i]), high = (gint64) ls_dtype_max_u (dtypes[i]);
    gboolean narrow = ls_dtype_bits (dtypes[i]) == 8;
    for (gint64 d = 2; d <= high; d += narrow || d < 20 ? 1 : g_rand_int_range (rand, 1, (gint32) high / 12))
      check (&t, dtypes[i], low, high, d, 0, rand);
    check (&t, dtypes[i], low, high, high, 0, rand);
  }
  g_test_message ("%u products", t.n_products);
  g_assert_cmpuint (t.n_products, >, 1000);
  g_assert_cmpuint (t.n_left, ==, 0);
}

static void
test_some_values (void)
{
  static const gint64 divisors[] = { 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 28, 100, 127, 128, 641, 1000, 4096, 65535, 65537, 1000003,
                                     2147483646, 2147483647 };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (12);
  Divisions t = { library, 0, 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (divisors); i++) {
    gint64 d = divisors[i];
    check (&t, LS_INT32, G_MININT32, G_MAXINT32, d, 2000, rand);
    check (&t, LS_UINT32, 0, G_MAXUINT32, d, 2000, rand);
    check (&t, LS_INT32, 0, 1000, d, 0, rand);
    check (&t, LS_INT32, -1234, 777, d, 0, rand);
    check (&t, LS_INT64, 0, (gint64) 1 << 31, d, 2000, rand);
    check (&t, LS_UINT64, 0, (gint64) 1 << 31, d, 2000, rand);
    check (&t, LS_INT64, -((gint64) 1 << 31) + 1, 5, d, 2000, rand);
  }
  for (guint i = 0; i < 300; i++) {
    gint64 d = 2 + (g_rand_int (rand) >> (2 + g_rand_int_range (rand, 0, 29)));
    check (&t, LS_INT32, G_MININT32, G_MAXINT32, d, 100, rand);
    check (&t, LS_UINT32, 0, G_MAXUINT32, d, 100, rand);
  }
  g_assert_cmpuint (t.n_left, ==, 0);
  /* of 64 bits nothing holds the product: the division is left */
  check (&t, LS_INT64, G_MININT64, G_MAXINT64, 7, 100, rand);
  check (&t, LS_UINT64, G_MININT64, G_MAXINT64, 7, 100, rand);
  g_assert_cmpuint (t.n_left, ==, 8);
  /* but by a power of two */
  check (&t, LS_INT64, G_MININT64, G_MAXINT64, 64, 100, rand);
  check (&t, LS_UINT64, G_MININT64, G_MAXINT64, 64, 100, rand);
  g_assert_cmpuint (t.n_left, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codegen/division/all-values", test_all_values);
  g_test_add_func ("/codegen/division/some-values", test_some_values);
  return g_test_run ();
}
