/* TRANSCENDENTAL: exp2, log2 and sin as polynomials have at most the error of their rules' class, special values are right, and a half's
 * function is a float's. tests/bench/bench-transcendental tests every float; this some hundred thousands, including the hardest. */
#include "../polynomials.h"
#include "../sample.h"
#include "render/render.h"

static guint64
random_bits (GRand *rand)
{
  return (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
}

static void
test_units (void)
{
  static const struct { LsOp op; LsDType dtype; double most; const char *set; } functions[] = {
    { LS_OP_EXP2, LS_FLOAT, 2, "decompose" }, { LS_OP_LOG2, LS_FLOAT, 2, "decompose" }, { LS_OP_SIN, LS_FLOAT, 3, "decompose" },
    { LS_OP_EXP2, LS_DOUBLE, 2, "decompose" },
    { LS_OP_LOG2, LS_DOUBLE, 2, "decompose" }, { LS_OP_EXP2, LS_FLOAT, 2, "spell" },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (15);
  guint share = fixture_sample (10, "values");
  for (gsize f = 0; f < G_N_ELEMENTS (functions); f++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    Flat flat;
    polynomial (ctx, functions[f].set, functions[f].op, functions[f].dtype, &flat);
    gboolean is_double = functions[f].dtype == LS_DOUBLE;
    Worst worst = { 0 };
    for (guint i = 0; i < 300000 / share; i++) {
      /* any bits; numbers of ordinary size; near 1, where log2 is small; whole numbers; and for sin the floats nearest to multiples
       * of pi */
      double ordinary = g_rand_double_range (rand, -160, 160), x;
      guint64 bits = random_bits (rand);
      float single;
      memcpy (&single, &bits, sizeof single);
      memcpy (&x, &bits, sizeof x);
      switch (i % 5) {
      case 0: x = is_double ? x : (double) single; break;
      case 1: x = ordinary; break;
      case 2: x = 1 + g_rand_double_range (rand, -1, 1) * pow (2, -g_rand_int_range (rand, 0, 26)); break;
      case 3: x = g_rand_int_range (rand, -1100, 1100); break;
      default: x = (double) g_rand_int (rand) * (1 << g_rand_int_range (rand, 0, 20)) * M_PI / 2; break;
      }
      measure (&flat, functions[f].op, functions[f].dtype, is_double ? x : (double) (float) x, &worst);
    }
    g_test_message ("%s of %s: %.3f units at %a", ls_op_name (functions[f].op), ls_dtype_name (functions[f].dtype), worst.units, worst.at);
    g_assert_cmpuint (worst.n_wrong, ==, 0);
    g_assert_cmpfloat (worst.units, <, functions[f].most);
    g_assert_cmpfloat (worst.units, >, 0.5);      /* it was looked at */
  }
}

static void
test_special (void)
{
  static const double values[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffcp-127,
                                   0x1.fffffep127, -0x1.fffffep127, 128, 127.99999, -126, -149, -150, -151, 1e30, 0x1p-12,
                                   -0x1p-12, 0x1.921fb6p-1, 0x1.921fb4p-1, 0x1p-1074, 0x1p-1022, 1024, -1022, -1074, -1075, -1076,
                                   0x1.fffffffffffffp1023, 0x1.6a09e6p-1, 0x1.6a09e8p-1, 0x1.6a09e6p0 };
  static const LsOp ops[] = { LS_OP_EXP2, LS_OP_LOG2, LS_OP_SIN };
  for (guint d = 0; d < 2; d++)
    for (gsize o = 0; o < (d ? G_N_ELEMENTS (ops) - 1 : G_N_ELEMENTS (ops) + 1); o++) {      /* one more: modern's exp2 */
      LsDType dtype = d ? LS_DOUBLE : LS_FLOAT;
      LsOp op = o < G_N_ELEMENTS (ops) ? ops[o] : LS_OP_EXP2;
      g_autoptr (LsContext) ctx = ls_context_new ();
      Flat flat;
      polynomial (ctx, o < G_N_ELEMENTS (ops) ? "decompose" : "spell", op, dtype, &flat);
      for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
        Worst worst = { 0 };
        measure (&flat, op, dtype, d ? values[i] : (double) (float) values[i], &worst);
        if (worst.n_wrong || worst.units > 3)
          g_error ("%s of %s of %a is %a", ls_op_name (op), ls_dtype_name (dtype), values[i],
                   value_at (&flat, d ? values[i] : (double) (float) values[i]));
      }
    }
}

/* All of a half's and a bfloat16's values: the float's function, rounded. */
static void
test_halves (void)
{
  static const LsOp ops[] = { LS_OP_EXP2, LS_OP_LOG2, LS_OP_SIN };
  static const LsDType dtypes[] = { LS_HALF, LS_BFLOAT16 };
  guint share = fixture_sample (8, "values");
  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize o = 0; o < G_N_ELEMENTS (ops); o++) {
      g_autoptr (LsContext) ctx = ls_context_new ();
      Flat flat;
      Worst worst = { 0 };
      polynomial (ctx, "decompose", ops[o], dtypes[d], &flat);
      for (guint bits = 0; bits < 65536; bits += share)
        measure (&flat, ops[o], dtypes[d], dtypes[d] == LS_HALF ? ls_half_to_double ((guint16) bits)
                                                                : ls_bfloat16_to_double ((guint16) bits), &worst);
      g_test_message ("%s of %s: %.3f units at %a", ls_op_name (ops[o]), ls_dtype_name (dtypes[d]), worst.units, worst.at);
      g_assert_cmpuint (worst.n_wrong, ==, 0);
      g_assert_cmpfloat (worst.units, <, 0.51);
    }
}

/* A target that lacks the functions, and division, gets none of them, unless a setting requests it; one that has them keeps them. */
static void
test_target (void)
{
  static const struct { gboolean lacks; gint64 transcendental, fast_idiv; gboolean functions, divides; } cases[] = {
    { FALSE, 1, 0, TRUE, TRUE }, { FALSE, 2, 0, FALSE, TRUE }, { FALSE, 1, 1, TRUE, FALSE }, { TRUE, 1, 0, FALSE, FALSE },
    { TRUE, 0, 0, TRUE, FALSE },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    LsTarget target = *ls_target_find ("c");
    LsSettings settings;
    ls_settings_init (&settings);
    settings.TRANSCENDENTAL = cases[i].transcendental;
    settings.FAST_IDIV = cases[i].fast_idiv;
    target.lacks = cases[i].lacks ? LS_LACKS (IDIV) | LS_LACKS (EXP2) | LS_LACKS (LOG2) | LS_LACKS (SIN) : 0;
    LsUOp *x = flat_variable (ctx, LS_FLOAT), *n = flat_variable (ctx, LS_INT32);
    LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu1 (ctx, LS_OP_EXP2, x),
                              ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu1 (ctx, LS_OP_LOG2, x), ls_uop_alu1 (ctx, LS_OP_SIN, x)));
    LsUOp *both[2] = { sum, ls_uop_alu2 (ctx, LS_OP_FLOORMOD, n, ls_uop_const_i (ctx, LS_INT32, 10)) };
    g_auto (LsPipeline) p = { ctx, library, &settings, &target };
    p.graph = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 2, both, ls_arg_none ());
    g_assert_true (ls_pipeline_run (&p, LS_STAGE_DECOMPOSE, LS_STAGE_DECOMPOSE, &error));
    g_assert_no_error (error);
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, p.graph);
    guint functions = 0, divides = 0;
    for (guint k = 0; k < order->len; k++) {
      LsOp op = ((LsUOp *) order->pdata[k])->op;
      functions += op == LS_OP_EXP2 || op == LS_OP_LOG2 || op == LS_OP_SIN;
      divides += op == LS_OP_IDIV || op == LS_OP_MOD;
    }
    g_assert_cmpuint (functions, ==, cases[i].functions ? 3 : 0);
    g_assert_cmpint (divides > 0, ==, cases[i].divides);
  }
  /* what no rule writes is an error of the target, which names it */
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsTarget target = *ls_target_find ("c");
  LsSettings settings;
  ls_settings_init (&settings);
  target.lacks = LS_LACKS (SIN);
  LsUOp *x = flat_variable (ctx, LS_DOUBLE), *sine = ls_uop_alu1 (ctx, LS_OP_SIN, x), *store;
  LsUOp *out = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_DOUBLE, LS_SPACE_GLOBAL, 1), ls_arg_int (1));
  store = ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, ls_uop_new2 (ctx, LS_OP_INDEX, out->dtype, out, ls_uop_const_i (ctx, LS_INDEX, 0),
                                                               ls_arg_none ()), sine, ls_arg_none ());
  g_auto (LsPipeline) p = { ctx, library, &settings, &target };
  p.graph = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 1, &store, ls_arg_none ());
  p.name = g_strdup ("f");
  g_assert_false (ls_pipeline_run (&p, LS_STAGE_DECOMPOSE, LS_STAGE_RENDER, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_COMPILE);
  g_assert_nonnull (strstr (error->message, "SIN double) does not exist in this language"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codegen/polynomials/units", test_units);
  g_test_add_func ("/codegen/polynomials/special", test_special);
  g_test_add_func ("/codegen/polynomials/halves", test_halves);
  g_test_add_func ("/codegen/polynomials/target", test_target);
  return g_test_run ();
}
