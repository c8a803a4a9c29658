/* The rule language and every rule of the built-in sets.
 *
 * For each rule made of ALU ops, random instances of its pattern are built, over every dtype that it allows and with constants from the
 * edges of the dtype; where the rule fires, its result must compute the same as the node that it replaced, on random values and again at
 * the edges. Rules over loads, ranges and vectors are held to the evaluator by tests/codegen/test-passes.c, on whole programs.
 */
#include "../sample.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "rewrite/rewrite.h"
#include "rewrite/rules-private.h"

#include <math.h>
#include <string.h>

#define MAX_LEAVES 16

typedef struct {
  LsContext *ctx;
  GRand     *rand;
  LsUOp     *slots[LS_MAX_SLOTS];
  LsUOp     *leaves[MAX_LEAVES];
  guint      n_leaves;
  gboolean   failed;
} Maker;

static const LsBase bases[] = { LS_BASE_INDEX, LS_BASE_BOOL, LS_BASE_INT8, LS_BASE_UINT8, LS_BASE_INT16, LS_BASE_UINT16, LS_BASE_INT32,
                                LS_BASE_UINT32,
                                LS_BASE_INT64, LS_BASE_UINT64, LS_BASE_HALF, LS_BASE_BFLOAT16, LS_BASE_FLOAT, LS_BASE_DOUBLE };

static LsScalar
edge_value (GRand *rand, LsDType d)
{
  static const double floats[] = { 0.0, -0.0, 1, -1, 0.5, 2, 1e-30, -1e30, 3.25, INFINITY, -INFINITY, NAN, 65504, 1.5e-45 };
  if (ls_dtype_is_float (d))
    return ls_scalar_fit (d, (LsScalar) { .f = floats[g_rand_int_range (rand, 0, G_N_ELEMENTS (floats))] });
  if (ls_dtype_base (d) == LS_BASE_INDEX)
    return (LsScalar) { .i = g_rand_int_range (rand, -40, 200) };
  switch (g_rand_int_range (rand, 0, 6)) {
  case 0: return ls_scalar_fit (d, (LsScalar) { .i = ls_dtype_min_i (d) });
  case 1: return ls_scalar_fit (d, (LsScalar) { .i = (gint64) ls_dtype_max_u (d) });
  case 2: return ls_scalar_fit (d, (LsScalar) { .i = -1 });
  case 3: return ls_scalar_fit (d, (LsScalar) { .i = g_rand_int_range (rand, 0, 4) });
  default: return ls_scalar_fit (d, (LsScalar) { .i = (gint64) g_rand_int (rand) << (g_rand_int_range (rand, 0, 33)) ^ g_rand_int (rand) });
  }
}

static LsUOp *
const_node (LsContext *ctx, LsDType d, LsScalar v)
{
  return ls_uop_new0 (ctx, LS_OP_CONST, d, ls_scalar_to_arg (d, v));
}

/* An opaque value. Index values are ranges, so that bounds are known. */
static LsUOp *
leaf (Maker *m, LsDType d)
{
  if (m->n_leaves == MAX_LEAVES) {
    m->failed = TRUE;
    return m->leaves[0];
  }
  LsUOp *u;
  gint64 number = m->n_leaves;
  if (ls_dtype_base (d) == LS_BASE_INDEX) {
    gint64 arg[3] = { number, LS_AXIS_LOOP, 0 };
    u = ls_uop_new1 (m->ctx, LS_OP_RANGE, d, ls_uop_const_i (m->ctx, d, g_rand_int_range (m->rand, 2, 30)), ls_arg_ints (m->ctx, 3, arg));
    m->leaves[m->n_leaves++] = u;
    /* sometimes a sum, so that linear parts are met */
    if (g_rand_boolean (m->rand))
      u = ls_uop_alu2 (m->ctx, LS_OP_ADD, ls_uop_alu2 (m->ctx, LS_OP_MUL, u,
                                                       ls_uop_const_i (m->ctx, d, g_rand_int_range (m->rand, -12, 13))),
                       ls_uop_const_i (m->ctx, d, g_rand_int_range (m->rand, -30, 30)));
    else if (g_rand_boolean (m->rand) && m->n_leaves < MAX_LEAVES) {
      /* i*k + j*l with factors in common */
      gint64 next[3] = { m->n_leaves, LS_AXIS_LOOP, 0 }, factor = g_rand_int_range (m->rand, 1, 6);
      LsUOp *j = ls_uop_new1 (m->ctx, LS_OP_RANGE, d, ls_uop_const_i (m->ctx, d, g_rand_int_range (m->rand, 2, 9)),
                              ls_arg_ints (m->ctx, 3, next));
      m->leaves[m->n_leaves++] = j;
      u = ls_uop_alu2 (m->ctx, LS_OP_ADD, ls_uop_alu2 (m->ctx, LS_OP_MUL, u,
                                                       ls_uop_const_i (m->ctx, d, factor * g_rand_int_range (m->rand, 2, 9))),
                       ls_uop_alu2 (m->ctx, LS_OP_MUL, j, ls_uop_const_i (m->ctx, d, factor)));
    }
    return u;
  }
  u = ls_uop_new0 (m->ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (d, LS_SPACE_GLOBAL, 1), ls_arg_int (number));
  u = ls_uop_new2 (m->ctx, LS_OP_INDEX, u->dtype, u, ls_uop_const_i (m->ctx, LS_INDEX, 0), ls_arg_none ());
  u = ls_uop_new1 (m->ctx, LS_OP_LOAD, d, u, ls_arg_none ());
  return m->leaves[m->n_leaves++] = u;
}

/* A dtype class of a pattern, looking through ops for one that says more. */
static LsBaseMask
mask_of (const Pat *pat)
{
  LsBaseMask mask = pat->bases;
  gboolean comparison = pat->kind == PAT_OP && (ls_ops_has (pat->ops, LS_OP_CMPLT) || ls_ops_has (pat->ops, LS_OP_CMPEQ) ||
                                                ls_ops_has (pat->ops, LS_OP_CMPNE));
  if (comparison)
    return mask & 1u << LS_BASE_BOOL;
  if (pat->kind == PAT_OP && !ls_ops_has (pat->ops, LS_OP_CAST) && !ls_ops_has (pat->ops, LS_OP_BITCAST))
    for (guint i = ls_ops_has (pat->ops, LS_OP_WHERE) ? 1 : 0; i < pat->n_src; i++)
      mask &= mask_of (pat->src[i]);
  return mask;
}

static LsDType
pick (Maker *m, LsBaseMask mask)
{
  LsBase allowed[G_N_ELEMENTS (bases)];
  guint n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (bases); i++)
    if (mask >> bases[i] & 1)
      allowed[n++] = bases[i];
  if (n == 0) {
    m->failed = TRUE;
    return LS_INT32;
  }
  return LS_DTYPE (allowed[g_rand_int_range (m->rand, 0, (gint32) n)]);
}

static gboolean
op_takes (LsOp op, LsDType d)
{
  switch ((int) op) {
  case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_TRUNC: case LS_OP_FDIV:
  case LS_OP_POW: return ls_dtype_is_float (d);
  case LS_OP_IDIV: case LS_OP_MOD: case LS_OP_FLOORDIV: case LS_OP_FLOORMOD: case LS_OP_SHL: case LS_OP_SHR: return ls_dtype_is_int (d);
  case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR: case LS_OP_NOT: return !ls_dtype_is_float (d) && ls_dtype_base (d) != LS_BASE_INDEX;
  case LS_OP_NEG: case LS_OP_SUB: return !ls_dtype_is_bool (d);
  default: return TRUE;
  }
}

static LsUOp *make (Maker *m, const Pat *pat, LsDType d);

static LsUOp *
make_op (Maker *m, const Pat *pat, LsDType d)
{
  LsOp ops[LS_N_OPS];
  guint n = 0;
  for (guint op = LS_OP_CAST; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op) && op != LS_OP_MULACC)
      ops[n++] = op;
  if (n == 0) {
    m->failed = TRUE;
    return NULL;
  }
  LsOp op = ops[g_rand_int_range (m->rand, 0, (gint32) n)];
  guint arity = (guint) ls_op_info (op)->arity;
  LsUOp *src[3];
  LsDType child = d;
  if (ls_op_is_comparison (op)) {
    LsBaseMask mask = ~0u;
    for (guint i = 0; i < pat->n_src; i++)
      mask &= mask_of (pat->src[i]);
    /* one dtype for both sides: what a capture is bound to already decides */
    child = pick (m, mask);
    for (guint i = 0; i < pat->n_src; i++)
      if (pat->src[i]->slot >= 0 && m->slots[(int) pat->src[i]->slot])
        child = m->slots[(int) pat->src[i]->slot]->dtype;
    if (!ls_dtype_is_bool (d))
      m->failed = TRUE;
  } else if (op == LS_OP_CAST || op == LS_OP_BITCAST) {
    child = pick (m, pat->n_src && pat->src[0]->kind != PAT_SEQ ? mask_of (pat->src[0]) : ~0u);
    if (op == LS_OP_BITCAST && (ls_dtype_bits (child) != ls_dtype_bits (d) || ls_dtype_base (child) == LS_BASE_INDEX ||
                                ls_dtype_base (d) == LS_BASE_INDEX || ls_dtype_is_bool (child) || ls_dtype_is_bool (d)))
      m->failed = TRUE;
  }
  if (!op_takes (op, child)) {
    m->failed = TRUE;
    return NULL;
  }
  for (guint i = 0; i < arity && !m->failed; i++) {
    LsDType t = op == LS_OP_WHERE && i == 0 ? LS_BOOL : child;
    src[i] = i < pat->n_src && pat->src[i]->kind != PAT_SEQ ? make (m, pat->src[i], t) : g_rand_boolean (m->rand)
             ? leaf (m, t) : const_node (m->ctx, t, edge_value (m->rand, t));
  }
  if (m->failed)
    return NULL;
  if (op == LS_OP_CAST || op == LS_OP_BITCAST)
    return ls_uop_new1 (m->ctx, op, d, src[0], ls_arg_none ());
  return ls_uop_alu (m->ctx, op, arity, src);
}

static LsUOp *
make (Maker *m, const Pat *pat, LsDType d)
{
  LsUOp *u = NULL;
  if (pat->slot >= 0 && m->slots[(int) pat->slot]) {
    u = m->slots[(int) pat->slot];
    m->failed |= u->dtype != d;
    return u;
  }
  if (!(pat->bases >> ls_dtype_base (d) & 1))
    m->failed = TRUE;
  switch (pat->kind) {
  case PAT_ANY: u = leaf (m, d); break;
  case PAT_CONST: u = const_node (m->ctx, d, ls_dtype_base (d) == LS_BASE_INDEX && g_rand_boolean (m->rand) ? (LsScalar) {
    .i = g_rand_int_range (m->rand, 1, 24) } : edge_value (m->rand, d)); break;
  case PAT_LITERAL: u = ls_dtype_is_float (d) ? ls_uop_const_f (m->ctx, d, pat->literal_f) : ls_uop_const_i (m->ctx, d, pat->literal_i);
  break;
  default: u = make_op (m, pat, d); break;
  }
  if (pat->slot >= 0)
    m->slots[(int) pat->slot] = u;
  return u;
}

/* --- values --- */

static LsScalar
eval_at (Maker *m, LsUOp *root, const LsScalar *values)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (m->ctx, root);
  g_autoptr (GHashTable) at = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  LsScalar out = { 0 };
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    LsScalar v = { 0 }, s[3] = { 0 };
    gboolean is_leaf = FALSE;
    for (guint k = 0; k < m->n_leaves; k++)
      if (m->leaves[k] == u) {
        v = values[k];
        is_leaf = TRUE;
      }
    for (guint k = 0; !is_leaf && k < u->n_src && k < 3; k++) {
      LsScalar *p = g_hash_table_lookup (at, u->src[k]);
      s[k] = p ? *p : (LsScalar) { 0 };
    }
    LsDType from = u->n_src ? u->src[u->n_src - 1]->dtype : u->dtype;
    if (!is_leaf && u->op == LS_OP_CONST)
      v = ls_scalar_from_arg (u->dtype, u->arg);
    else if (!is_leaf && u->op == LS_OP_CAST)
      v = ls_eval_cast (u->dtype, from, s[0]);
    else if (!is_leaf && u->op == LS_OP_BITCAST)
      v = ls_eval_bitcast (u->dtype, from, s[0]);
    else if (!is_leaf && (ls_op_is_alu (u->op) || u->op == LS_OP_PRECAST))
      v = ls_eval_alu (u->op, u->dtype, from, s);
    g_hash_table_insert (at, u, g_memdup2 (&v, sizeof v));
    out = v;
  }
  return out;
}

static gboolean
same (LsDType d, LsScalar a, LsScalar b, const char *rule_class)
{
  if (!ls_dtype_is_float (d))
    return a.i == b.i;
  if (isnan (a.f) || isnan (b.f))
    return isnan (a.f) && isnan (b.f);
  if (g_str_has_prefix (rule_class, "approximate ")) {
    int exponent;
    frexp (a.f, &exponent);
    LsBase base = ls_dtype_base (d);
    double unit = ldexp (1, base == LS_BASE_DOUBLE ? MAX (exponent - 53, -1074) : base == LS_BASE_FLOAT
                         ? MAX (exponent - 24, -149) : base == LS_BASE_HALF ? MAX (exponent - 11, -24) :
                            base == LS_BASE_BFLOAT16 ? MAX (exponent - 8, -133) : base == LS_BASE_FP8E4M3
                            ? MAX (exponent - 4, -9) : MAX (exponent - 3, -16));
    return a.f == b.f || fabs (a.f - b.f) <= unit * (double) g_ascii_strtoull (rule_class + strlen ("approximate "), NULL, 10);
  }
  return a.f == b.f && (strcmp (rule_class, "nsz") == 0 || signbit (a.f) == signbit (b.f));
}

static gboolean
is_alu_pattern (const Pat *pat)
{
  if (pat->kind != PAT_OP)
    return TRUE;
  for (guint op = 0; op < LS_OP_CAST; op++)
    if (ls_ops_has (pat->ops, op))
      return FALSE;
  for (guint i = 0; i < pat->n_src; i++)
    if (!is_alu_pattern (pat->src[i]))
      return FALSE;
  return TRUE;
}

/* How often the rule fired. A wrong result is reported with the two expressions. */
static guint
try_rule (LsRuleLibrary *library, guint index, GRand *rand, guint rounds)
{
  const Rule *rule = library->rules->pdata[index];
  guint fired = 0;
  for (guint round = 0; round < rounds; round++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    Maker m = { .ctx = ctx, .rand = rand };
    LsUOp *u = make (&m, rule->pattern, pick (&m, mask_of (rule->pattern)));
    if (m.failed || !u)
      continue;
    LsTermValue slots[LS_MAX_SLOTS];
    LsDecomposeContext all = { .products = TRUE };
    LsUOp *r = ls_rule_run (rule, ctx, u, strcmp (rule->pub.set, "decompose") == 0 ? &all : NULL, NULL, slots);
    if (!r)
      continue;
    fired++;
    g_assert_true (r->dtype == u->dtype);
    for (guint t = 0; t < 12; t++) {
      LsScalar values[MAX_LEAVES];
      for (guint k = 0; k < m.n_leaves; k++)
        values[k] = m.leaves[k]->op == LS_OP_RANGE ? (LsScalar) { .i = g_rand_int_range (rand, 0, (gint32) m.leaves[k]->vmax + 1) }
                                                   : edge_value (rand, m.leaves[k]->dtype);
      LsScalar a = eval_at (&m, u, values), b = eval_at (&m, r, values);
      if (!same (u->dtype, a, b, rule->pub.rule_class)) {
        g_autofree char *x = ls_expr_print (NULL, u, 0), *y = ls_expr_print (NULL, r, 0);
        g_test_message ("%s (%s): %s is not %s: %" G_GINT64_FORMAT "/%g against %" G_GINT64_FORMAT "/%g", rule->pub.name,
                        ls_dtype_name (u->dtype), x, y, a.i, a.f, b.i, b.f);
        g_test_fail ();
        return fired;
      }
    }
  }
  return fired;
}

static void
test_meaning (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260101);
  guint n_alu = 0, share = fixture_sample (16, "terms of a rule");
  for (guint i = 0; i < library->rules->len; i++) {
    const Rule *rule = library->rules->pdata[i];
    const char *set = rule->pub.set;
    if (!is_alu_pattern (rule->pattern) || (strcmp (set, "symbolic") != 0 && strcmp (set, "decompose") != 0))
      continue;
    n_alu++;
    guint fired = try_rule (library, i, rand, 4000 / share);
    if (fired == 0 && share > 1)
      fired = try_rule (library, i, rand, 4000);
    if (fired == 0) {
      g_test_message ("%s never fired", rule->pub.name);
      g_test_fail ();
    }
  }
  g_test_message ("%u rules tried", n_alu);
  g_assert_cmpuint (n_alu, >, 60);
}

/* A wrong rule is found out: the test above can fail. */
static void
test_wrong_rule (void)
{
  const char *wrong[] = {
    "# Wrong: minus zero.\nwrong: x:float + 0 -> x\n", "# Wrong for NaN.\nwrong: x:float - x -> 0\n",
        "# Wrong: overflow.\nwrong: (x:sint + $a) < $b -> x < ($b - $a)\n",
    "# Wrong constant.\nwrong: x:int + x -> x * 3\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), wrong[i], "wrong.rules", &error);
    g_assert_no_error (error);
    const Rule *rule = library->rules->pdata[0];
    g_autoptr (GRand) rand = g_rand_new_with_seed (7);
    gboolean found = FALSE;
    for (guint round = 0; round < 4000 && !found; round++) {
      g_autoptr (LsContext) ctx = ls_context_new ();
      Maker m = { .ctx = ctx, .rand = rand };
      LsUOp *u = make (&m, rule->pattern, pick (&m, mask_of (rule->pattern)));
      LsTermValue slots[LS_MAX_SLOTS];
      LsUOp *r = m.failed || !u ? NULL : ls_rule_run (rule, ctx, u, NULL, NULL, slots);
      for (guint t = 0; r && t < 12 && !found; t++) {
        LsScalar values[MAX_LEAVES];
        for (guint k = 0; k < m.n_leaves; k++)
          values[k] = edge_value (rand, m.leaves[k]->dtype);
        found = !same (u->dtype, eval_at (&m, u, values), eval_at (&m, r, values), "exact");
      }
    }
    if (!found)
      g_test_message ("not found out: %s", wrong[i]);
    g_assert_true (found);
  }
}

static void
test_errors (void)
{
  static const struct { const char *text, *message; } bad[] = {
    { "add-zero: x + 0 -> x\n", "f.rules:1:1: error: a rule needs a comment before it that says what it does\n    add-zero: x + 0 -> "
                                "x\n    ^" },
    { "# S.\nr: x + -> x\n", "f.rules:2:8: error: expected a name, a constant or an op\n    r: x + -> x\n           ^" },
    { "# S.\nr: x + 1 -> y\n", "f.rules:2:13: error: 'y' is not bound by the pattern\n    r: x + 1 -> y\n                ^" },
    { "# S.\nr: ADDD(x) -> x\n", "f.rules:2:4: error: 'ADDD' is not an op\n    r: ADDD(x) -> x\n       ^" },
    { "# S.\nr: x:flot + 1 -> x\n", "f.rules:2:6: error: 'flot' is not a dtype class; known are int, sint, signed, uint, index, float, "
                                    "half, bool, integral, num\n    r: x:flot + 1 -> x\n         ^" },
    { "# S.\nr: x + 1 -> build nothing\n",
      "f.rules:2:19: error: 'nothing' is not a term\n    r: x + 1 -> build nothing\n                      ^" },
    { "# S.\nr: NEG(x, y) -> x\n", "f.rules:2:4: error: NEG takes 1 sources, not 2\n    r: NEG(x, y) -> x\n       ^" },
    { "# S.\nset symbolic\nr: ADD(x, y) -> ADD(index(x), y)\n",
      "f.rules:3:21: error: expected index (view) -> node or index (view, nodes) -> node, not index (node)\n    r: ADD(x, y) -> "
      "ADD(index(x), y)\n                        ^" },
    { "# S.\nset symbolic\nr: VIEW[v](x) -> build index(v)\n",
      "f.rules:3:24: error: 'index' needs the context of the passes of 'lower', and the rule belongs to the set symbolic\n    r: "
      "VIEW[v](x) -> build index(v)\n                           ^" },
    { "# S.\nr: x:index // $c -> build floordiv_const(x) when $c > 0\n",
      "f.rules:2:27: error: expected floordiv_const (node, number) -> node, not floordiv_const (node)\n    r: x:index // $c -> build "
      "floordiv_const(x) when $c > 0\n                              ^" },
    { "# S.\nr: x + 1 -> fold_const(self)\n",
      "f.rules:2:13: error: a result made by a term alone is written 'build fold_const(…)'\n    r: x + 1 -> fold_const(self)\n "
      "               ^" },
    { "# S.\nr: SINK(a*, b*, c*) -> SINK(a*)\n", "f.rules:2:4: error: a pattern has at most two sequences among its sources\n    r: "
                                                 "SINK(a*, b*, c*) -> SINK(a*)\n       ^" },
    { "# S.\nr: SINK(a*) -> SINK(a)\n", "f.rules:2:21: error: 'a' are nodes; write a* for all of them\n    r: SINK(a*) -> SINK(a)\n       "
                                        "                 ^" },
    { "# S.\nr: RANGE[a](x) -> RANGE[a, b](x)\n", "f.rules:2:28: error: 'b' is not bound by the pattern\n    r: RANGE[a](x) -> RANGE[a, "
                                                  "b](x)\n                               ^" },
    { "# S.\nr: x + y -> x:y\n", "f.rules:2:13: error: only constants and ops take a dtype; write CAST(x):…\n"
                                        "    r: x + y -> x:y\n        "
                                 "        ^" },
    { "nonsense\n", "f.rules:1:1: error: expected 'name: pattern -> result'\n    nonsense\n    ^" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (ls_rule_library_parse (ls_pipeline_rules (), bad[i].text, "f.rules", &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_RULE);
    g_assert_cmpstr (error->message, ==, bad[i].message);
  }
}

/* Nothing that a rule file holds crashes the parser. */
static void
test_garbage (void)
{
  static const char *const words[] = { "x", "$a", "+", "->", "(", ")", "when", "build", "WHERE", ",", ":", "int", "\n", "# s\n", "r:", " ",
                                       "*", "[", "]", "-", "1", "0.5", "class", "\xff", "min(x)", "==", "set t\n", "LOAD", "//", "%" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < 20000; i++) {
    g_autoptr (GString) text = g_string_new ("# S.\nr: ");
    for (gint k = g_rand_int_range (rand, 0, 14); k > 0; k--)
      g_string_append (text, words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), text->str, "f.rules", &error);
    g_assert_true ((library == NULL) == (error != NULL));
  }
  g_autoptr (GString) deep = g_string_new ("# S.\nr: ");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '(');
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_rule_library_parse (ls_pipeline_rules (), deep->str, "f.rules", &error));
}

static LsUOp *
run_rules (LsContext *ctx, const char *text, LsRewriteMode mode, guint limit, LsUOp *root, GError **error)
{
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), text, "t.rules", error);
  g_assert_nonnull (library);
  LsRewrite rw = { ctx, library, "t", mode, limit, NULL, NULL };
  return ls_graph_rewrite (&rw, root, error);
}

static LsUOp *
variable (LsContext *ctx, gint64 number)
{
  gint64 arg[3] = { number, LS_AXIS_LOOP, 0 };
  return ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, 100), ls_arg_ints (ctx, 3, arg));
}

static void
test_driver (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  LsUOp *x = variable (ctx, 0), *y = variable (ctx, 1), *zero = ls_uop_const_i (ctx, LS_INDEX, 0);
  LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, x, y), zero);
  const char *add_zero = "# S.\nadd-zero: x:int + 0 -> x\n";
  g_assert_true (run_rules (ctx, add_zero, LS_REWRITE_BOTTOM_UP, 0, sum, &error) == sum->src[0]);
  g_assert_true (run_rules (ctx, add_zero, LS_REWRITE_TOP_DOWN, 0, sum, &error) == sum->src[0]);
  g_assert_true (run_rules (ctx, add_zero, LS_REWRITE_WALK, 0, sum, &error) == sum->src[0]);
  /* a number that no integer can be is one all the same: what a cast of it gives */
  LsUOp *huge = run_rules (ctx, "# S.\nhuge: x:int + 0 -> 5555555555555555555555.5\n", LS_REWRITE_WALK, 0, sum, &error);
  g_assert_true (huge == ls_uop_const_i (ctx, LS_INDEX, ls_eval_cast (LS_INT64, LS_DOUBLE,
                                                                      (LsScalar) { .f = 5555555555555555555555.5 }).i));
  /* constants of constants: where an inner one does not fit, the rule declines */
  LsUOp *large = ls_uop_alu2 (ctx, LS_OP_ADD, x, ls_uop_const_i (ctx, LS_INDEX, G_GINT64_CONSTANT (1) << 40));
  g_assert_true (run_rules (ctx, "# S.\nnested: x:index + $a -> x * ($a * $a - 1)\n", LS_REWRITE_WALK, 0, large, &error) == large);
  g_assert_no_error (error);
  /* the other order of a commutative op, and a capture met twice */
  LsUOp *both = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, y, x), ls_uop_alu2 (ctx, LS_OP_MUL, x, y));
  LsUOp *out = run_rules (ctx, "# S.\nf: x*y + x*z -> x * (y + z)\n", LS_REWRITE_WALK, 0, both, &error);
  g_assert_no_error (error);
  g_assert_true (out->op == LS_OP_MUL && out->src[1]->op == LS_OP_ADD);
  /* a rewrite that does not end */
  LsUOp *product = ls_uop_alu2 (ctx, LS_OP_MUL, x, y);
  g_assert_null (run_rules (ctx, "# S.\nself: x:int * y -> (x * y) + 0\n", LS_REWRITE_BOTTOM_UP, 0, product, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_REWRITE);
  g_assert_nonnull (strstr (error->message, "self"));
  g_clear_error (&error);
  g_assert_null (run_rules (ctx, "# S.\nab: x:int * y -> y + x ordered\n# S.\nba: x:int + y -> y * x ordered\n", LS_REWRITE_BOTTOM_UP, 0,
                            product, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_REWRITE);
  g_assert_nonnull (strstr (error->message, "ab"));
  g_assert_nonnull (strstr (error->message, "ba"));
  g_clear_error (&error);
  g_assert_null (run_rules (ctx, "# S.\ngrow: x:int + $a -> x + ($a + 1)\n", LS_REWRITE_BOTTOM_UP, 50,
                            ls_uop_alu2 (ctx, LS_OP_ADD, x, zero), &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_REWRITE);
  g_assert_nonnull (strstr (error->message, "grow"));
  g_clear_error (&error);
  /* but in walk mode a result may hold what it came from */
  out = run_rules (ctx, "# S.\nself: x:int * y -> (x * y) + 0\n", LS_REWRITE_WALK, 0, product, &error);
  g_assert_true (out->op == LS_OP_ADD && out->src[0] == product);
}

/* A node is replaced everywhere, at once, and the replacement is not visited. */
static void
test_substitute (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = variable (ctx, 0), *y = variable (ctx, 1), *two = ls_uop_const_i (ctx, LS_INDEX, 2);
  LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, x, two), ls_uop_alu2 (ctx, LS_OP_MAX, x, y));
  LsUOp *from[] = { x, y }, *to[] = { y, x };
  LsUOp *swapped = ls_uop_substitute (ctx, sum, 2, from, to);
  g_assert_true (swapped == ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, y, two), ls_uop_alu2 (ctx, LS_OP_MAX, y, x)));
  g_assert_true (ls_uop_substitute (ctx, swapped, 2, from, to) == sum);
  LsUOp *inner = ls_uop_alu2 (ctx, LS_OP_ADD, x, two);
  g_assert_true (ls_uop_substitute (ctx, sum, 1, &x, &inner)->src[1]->src[0] == inner);
  g_assert_true (ls_uop_substitute (ctx, sum, 1, &two, &two) == sum);
}

/* A chain of 100,000 nodes is an ordinary input. */
static void
test_deep (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  LsUOp *x = variable (ctx, 0), *one = ls_uop_const_i (ctx, LS_INDEX, 1);
  for (guint i = 0; i < 100000; i++)
    x = ls_uop_alu2 (ctx, LS_OP_ADD, x, one);
  LsRewrite rw = { ctx, library, "symbolic", LS_REWRITE_BOTTOM_UP, 0, NULL, NULL };
  LsUOp *out = ls_graph_rewrite (&rw, x, &error);
  g_assert_no_error (error);
  g_assert_true (out->op == LS_OP_ADD && out->src[1]->arg.i == 100000);
}

/* Every rule can be drawn; a name that stands twice is one part with two ways to it. */
static void
test_pictures (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  guint checked = 0;
  for (guint i = 0; i < ls_rule_library_n_rules (library); i++)
    for (guint side = 0; side < 2; side++) {
      g_autoptr (LsRulePicture) p = ls_rule_picture (library, i, side == 1);
      g_assert_cmpuint (p->parts->len, >, 0);
      for (guint k = 0; k < p->arcs->len; k++) {
        const LsRuleArc *arc = &g_array_index (p->arcs, LsRuleArc, k);
        g_assert_cmpuint (arc->from, <, arc->to);      /* sources first */
        g_assert_cmpuint (arc->to, <, p->parts->len);
      }
      const LsRule *rule = ls_rule_library_rule (library, i);
      if (!g_str_equal (rule->name, "add-same"))      /* x + x -> x * 2 */
        continue;
      const LsRulePart *parts = (const LsRulePart *) (gpointer) p->parts->data;
      g_assert_cmpuint (p->parts->len, ==, side ? 3 : 2);
      g_assert_cmpuint (p->arcs->len, ==, 2);
      g_assert_cmpstr (parts[0].capture, ==, "x");
      g_assert_cmpstr (parts[p->parts->len - 1].title, ==, side ? "MUL" : "ADD");
      if (side)
        g_assert_cmpstr (parts[1].title, ==, "2");
      checked++;
    }
  g_assert_cmpuint (checked, ==, 2);
}

/* Guards say what they saw. */
static void
test_guard_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (),
                                                             "# One.\none: x:int // $c -> x when $c > 3 and min(x) >= 0\n", "one.rules",
                                                             &error);
  g_assert_no_error (error);
  LsUOp *node = ls_uop_alu2 (ctx, LS_OP_FLOORDIV, variable (ctx, 0), ls_uop_const_i (ctx, LS_INDEX, 2));
  g_autoptr (GArray) guards = ls_rule_guards (library, 0, ctx, node, NULL);
  g_assert_cmpuint (guards->len, ==, 2);
  const LsGuardValue *g = (const LsGuardValue *) (gpointer) guards->data;
  g_assert_cmpint (g[0].holds, ==, LS_GUARD_FAILS);
  g_assert_cmpstr (g[0].saw, ==, "$c = 2");
  g_assert_cmpint (g[1].holds, ==, LS_GUARD_HOLDS);
  g_assert_cmpstr (g[1].saw, ==, "min(x) = 0");
  g_autoptr (GArray) none = ls_rule_guards (library, 0, ctx, variable (ctx, 0), NULL);      /* where the pattern does not match */
  g_assert_cmpint (g_array_index (none, LsGuardValue, 0).holds, ==, LS_GUARD_UNKNOWN);
}

/* The terms of a rule are explained with their own sentences. */
static void
test_terms (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_autofree char *terms = ls_rule_terms (library, ls_rule_library_find (library, "view-movement")->index);
  g_assert_cmpstr (terms, ==, "compose (view, view) -> view: The composition of two views: the second applied to the first.\nmovement "
                              "(node) -> view: A movement op as a view of its source.");
  g_autofree char *none = ls_rule_terms (library, ls_rule_library_find (library, "add-zero")->index);
  g_assert_cmpstr (none, ==, "");
}

/* One result for each source, with the gradient of the pass; _ for none. A pass that replaces a node by one refuses such a rule. */
static void
test_many (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (),
                                                             "# Product rule.\nmul: MUL(x, y) given g -> (g * y, g * x)\n# A comparison "
                                                             "is flat.\n"
    "where: WHERE(c, x, y) given g -> (_, WHERE(c, g, 0), WHERE(c, 0, g))\n", "t.rules", &error);
  g_assert_no_error (error);
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_ACC, LS_FLOAT, ls_arg_int (0)),
        *y = ls_uop_new0 (ctx, LS_OP_DEFINE_ACC, LS_FLOAT, ls_arg_int (1)),
        *g = ls_uop_new0 (ctx, LS_OP_DEFINE_ACC, LS_FLOAT, ls_arg_int (2));
  LsUOp *results[3], *c = ls_uop_alu2 (ctx, LS_OP_CMPLT, x, y), *zero = ls_uop_const_f (ctx, LS_FLOAT, 0);
  g_assert_cmpuint (ls_rule_apply_many (library, 0, ctx, ls_uop_alu2 (ctx, LS_OP_MUL, x, y), NULL, g, 3, results), ==, 2);
  g_assert_true (results[0] == ls_uop_alu2 (ctx, LS_OP_MUL, g, y) && results[1] == ls_uop_alu2 (ctx, LS_OP_MUL, g, x));
  g_assert_cmpuint (ls_rule_apply_many (library, 1, ctx, ls_uop_alu3 (ctx, LS_OP_WHERE, c, x, y), NULL, g, 3, results), ==, 3);
  g_assert_true (results[0] == NULL && results[1] == ls_uop_alu3 (ctx, LS_OP_WHERE, c, g, zero) &&
                 results[2] == ls_uop_alu3 (ctx, LS_OP_WHERE, c, zero, g));
  LsRewrite rw = { ctx, library, "t", LS_REWRITE_BOTTOM_UP, 10 };
  g_assert_null (ls_graph_rewrite (&rw, x, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_RULE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rewrite/rules/meaning", test_meaning);
  g_test_add_func ("/rewrite/rules/wrong", test_wrong_rule);
  g_test_add_func ("/rewrite/rules/errors", test_errors);
  g_test_add_func ("/rewrite/rules/garbage", test_garbage);
  g_test_add_func ("/rewrite/rules/pictures", test_pictures);
  g_test_add_func ("/rewrite/rules/guard-values", test_guard_values);
  g_test_add_func ("/rewrite/driver", test_driver);
  g_test_add_func ("/rewrite/substitute", test_substitute);
  g_test_add_func ("/rewrite/deep", test_deep);
  g_test_add_func ("/rewrite/rules/terms", test_terms);
  g_test_add_func ("/rewrite/rules/many", test_many);
  return g_test_run ();
}
