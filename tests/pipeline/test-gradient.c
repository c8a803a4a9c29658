/* Gradients: every rule of gradient.rules against finite differences, the graph's size, and the ends of a gradient's path. */
#include "ask/ask.h"
#include "fixture.h"
#include "tensors.h"
#include "ir/spec.h"

#include <math.h>
#include <string.h>


typedef struct { LsSession *session; LsTensors *t; LsContext *ctx; } Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->session = fixture_session (&(FixtureRun) { .settings = "SPEC=1" });
  f->t = ls_tensors_new (ls_session_tensor_host (f->session));
  f->ctx = f->session->ctx;
}

static void
teardown (Fixture *f, gconstpointer data)
{
  ls_tensors_free (f->t);
  ls_session_free (f->session);
}

/* --- each rule, by finite differences --- */

#define ROWS 2
#define COLUMNS 3
#define SIZE (ROWS * COLUMNS)

static LsUOp *
alu2 (Fixture *f, LsOp op, LsUOp *x, LsUOp *y)
{
  return ls_uop_alu2 (f->ctx, op, x, y);
}

static LsUOp *
reduce (Fixture *f, LsOp op, LsUOp *x)
{
  gint64 axis = 1;
  return ls_uop_new1 (f->ctx, LS_OP_REDUCE_AXIS, x->dtype, x, ls_arg_op_ints (f->ctx, op, 1, &axis));
}

static LsUOp *
move (Fixture *f, LsOp op, LsUOp *x, guint n, const gint64 *ints)
{
  return ls_uop_new1 (f->ctx, op, x->dtype, x, ls_arg_ints (f->ctx, n, ints));
}

static LsUOp *
slice (Fixture *f, LsOp op, LsUOp *x, gint64 axis, LsUOp *by)
{
  return ls_uop_new2 (f->ctx, op, x->dtype, x, by, ls_arg_ints (f->ctx, 1, &axis));
}

#define MOVE(op, x, ...) move (f, LS_OP_##op, x, G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })

/* A row: the rules that it tries, and the function of x and y. */
#define CASES(X) \
  X (add, "grad-add", alu2 (f, LS_OP_ADD, x, y)) \
  X (sub, "grad-sub", alu2 (f, LS_OP_SUB, x, y)) \
  X (mul, "grad-mul", alu2 (f, LS_OP_MUL, x, y)) \
  X (square, "grad-mul", alu2 (f, LS_OP_MUL, x, x)) \
  X (fdiv, "grad-fdiv", alu2 (f, LS_OP_FDIV, x, y)) \
  X (neg, "grad-neg", ls_uop_alu1 (f->ctx, LS_OP_NEG, x)) \
  X (recip, "grad-recip", ls_uop_alu1 (f->ctx, LS_OP_RECIP, y)) \
  X (sqrt, "grad-sqrt", ls_uop_alu1 (f->ctx, LS_OP_SQRT, y)) \
  X (exp2, "grad-exp2", ls_uop_alu1 (f->ctx, LS_OP_EXP2, x)) \
  X (sigmoid, "grad-sigmoid", ls_uop_alu1 (f->ctx, LS_OP_RECIP, alu2 (f, LS_OP_ADD, tensor_full_like (f->t, x, 1), \
                                                                      ls_uop_alu1 (f->ctx, LS_OP_EXP2, x)))) \
  X (log2, "grad-log2", ls_uop_alu1 (f->ctx, LS_OP_LOG2, y)) \
  X (sin, "grad-sin", ls_uop_alu1 (f->ctx, LS_OP_SIN, x)) \
  X (pow, "grad-pow", alu2 (f, LS_OP_POW, y, x)) \
  X (max, "grad-max", alu2 (f, LS_OP_MAX, x, y)) \
  X (where, "grad-where grad-compare", ls_uop_alu3 (f->ctx, LS_OP_WHERE, alu2 (f, LS_OP_CMPLT, x, y), x, alu2 (f, LS_OP_MUL, x, y))) \
  X (cast, "grad-cast", ls_uop_cast (f->ctx, alu2 (f, LS_OP_MUL, ls_uop_cast (f->ctx, x, LS_FLOAT), ls_uop_cast (f->ctx, y, LS_FLOAT)), \
                                     LS_DOUBLE)) \
  X (trunc, "grad-trunc", alu2 (f, LS_OP_ADD, ls_uop_alu1 (f->ctx, LS_OP_TRUNC, x), y)) \
  X (reshape, "grad-reshape", alu2 (f, LS_OP_MUL, MOVE (RESHAPE, x, 3, 2), MOVE (RESHAPE, y, 3, 2))) \
  X (permute, "grad-permute", alu2 (f, LS_OP_MUL, MOVE (PERMUTE, x, 1, 0), MOVE (RESHAPE, y, 3, 2))) \
  X (permute3, "grad-permute", alu2 (f, LS_OP_MUL, MOVE (PERMUTE, MOVE (RESHAPE, x, 1, 2, 3), 2, 0, 1), MOVE (RESHAPE, y, 3, 1, 2))) \
  X (expand, "grad-expand", alu2 (f, LS_OP_MUL, MOVE (EXPAND, MOVE (RESHAPE, x, 2, 1, 3), 2, 4, 3), \
                                  MOVE (EXPAND, MOVE (RESHAPE, y, 2, 1, 3), 2, 4, 3))) \
  X (pad, "grad-pad", MOVE (PAD, alu2 (f, LS_OP_MUL, x, y), 1, 2, 0, 1)) \
  X (shrink, "grad-shrink", alu2 (f, LS_OP_MUL, MOVE (SHRINK, x, 1, 2, 0, 2), MOVE (SHRINK, y, 0, 1, 1, 3))) \
  X (limit, "grad-slice", reduce (f, LS_OP_ADD, slice (f, LS_OP_LIMIT, alu2 (f, LS_OP_MUL, x, y), 1, \
                                                       ls_tensor_variable (f->t, "n", 0, 3, 2)))) \
  X (limit_max, "grad-slice", reduce (f, LS_OP_MAX, \
                                      alu2 (f, LS_OP_MUL, slice (f, LS_OP_LIMIT, x, 1, ls_tensor_variable (f->t, "n", 1, 2, 2)), \
      slice (f, LS_OP_LIMIT, y, 1, ls_tensor_variable (f->t, "n", 1, 2, 2))))) \
  X (at, "grad-slice", alu2 (f, LS_OP_MUL, slice (f, LS_OP_AT, x, 0, ls_tensor_variable (f->t, "i", 0, 1, 1)), \
                             slice (f, LS_OP_AT, y, 0, ls_tensor_variable (f->t, "j", 0, 1, 0)))) \
  X (flip, "grad-flip", alu2 (f, LS_OP_MUL, MOVE (FLIP, x, 0, 1), y)) \
  X (sum, "grad-sum", reduce (f, LS_OP_ADD, alu2 (f, LS_OP_MUL, x, y))) \
  X (reduce_max, "grad-reduce-max", reduce (f, LS_OP_MAX, alu2 (f, LS_OP_MUL, x, y))) \
  X (prod, "grad-prod", reduce (f, LS_OP_MUL, alu2 (f, LS_OP_ADD, x, y))) \
  X (contiguous, "grad-same", ls_uop_new1 (f->ctx, LS_OP_CONTIGUOUS, LS_DOUBLE, alu2 (f, LS_OP_MUL, x, y), ls_arg_none ())) \
  X (contiguous_backward, "grad-contiguous-backward", ls_tensor_contiguous_backward (f->t, alu2 (f, LS_OP_MUL, x, y)))

#define X(name, rules, body) static LsUOp *case_##name (Fixture *f, LsUOp *x, LsUOp *y) { return body; }
CASES (X)
#undef X
static const struct { const char *name, *rules; LsUOp *(*build) (Fixture *f, LsUOp *x, LsUOp *y); } cases[] = {
#define X(name, rules, body) { #name, rules, case_##name },
  CASES (X)
#undef X
};

static double *
values (Fixture *f, LsUOp *x)
{
  g_autoptr (GError) error = NULL;
  LsBuffer *b = ls_session_data (f->session, x, &error);
  g_assert_no_error (error);
  return (double *) b->data;
}

/* Sum of the function, each element with a weight of its own. */
static LsUOp *
weighted (Fixture *f, guint i, const double *x, const double *y, LsUOp **xs)
{
  gint64 dims[] = { ROWS, COLUMNS };
  xs[0] = ls_tensor_host (f->t, LS_DOUBLE, 2, dims, x);
  xs[1] = ls_tensor_host (f->t, LS_DOUBLE, 2, dims, y);
  LsUOp *out = cases[i].build (f, xs[0], xs[1]);
  LsShape shape = ls_uop_shape (f->ctx, out);
  double weights[64];
  for (guint k = 0; k < 64; k++)
    weights[k] = 0.25 + 0.5 * ((k * 7) % 5);
  LsUOp *w = ls_tensor_host (f->t, LS_DOUBLE, shape.n, shape.dims, weights);
  return tensor_sum (f->t, alu2 (f, LS_OP_MUL, out, w), -1, FALSE);
}

static void
check_case (Fixture *f, guint i)
{
  g_autoptr (GError) error = NULL;
  double in[2][SIZE] = { { -1.5, 0.75, 2.25, 0.5, -0.25, 1.25 }, { 0.5, 1.75, 0.625, 2.5, 1.125, 0.375 } };
  gboolean single = g_str_equal (cases[i].name, "cast");
  double h = single ? 1e-2 : 1e-5;
  LsUOp *xs[2], *out[2], *target = weighted (f, i, in[0], in[1], xs);
  LsUOp *one = tensor_number (f->t, 1, LS_DOUBLE);
  guint before = f->session->trace->passes->len;
  g_assert_true (ls_gradient (f->session, target, 2, xs, one, out, &error));
  g_assert_no_error (error);
  for (guint k = before; k < f->session->trace->passes->len; k++)
    g_assert_cmpstr (((LsPass *) f->session->trace->passes->pdata[k])->stage, ==, "gradient");
  for (guint v = 0; v < 2; v++) {
    g_assert_true (!out[v] || (out[v]->dtype == LS_DOUBLE && ls_shape_equal (ls_uop_shape (f->ctx, out[v]), ls_uop_shape (f->ctx, xs[v]))));
    double got[SIZE] = { 0 };
    if (out[v])
      memcpy (got, values (f, out[v]), sizeof got);
    for (guint k = 0; k < SIZE; k++) {
      LsUOp *ys[2];
      double kept = in[v][k];
      in[v][k] = kept + h;
      double high = values (f, weighted (f, i, in[0], in[1], ys))[0];
      in[v][k] = kept - h;
      double low = values (f, weighted (f, i, in[0], in[1], ys))[0];
      in[v][k] = kept;
      double want = (high - low) / (2 * h);
      if (fabs (want - got[k]) > (single ? 1e-3 : 1e-7) * MAX (1, fabs (want)))
        g_error ("%s: the gradient of %s[%u] is %g, by differences %g", cases[i].name, v ? "y" : "x", k, got[k], want);
    }
  }
}

static void
test_differences (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (f, i);
}

/* Every rule fired in the passes of the cases above, but those that are tried by themselves, and nine steps of ten are by written-out
 * rules. */
static void
test_rules (Fixture *f, gconstpointer data)
{
  g_autoptr (GHashTable) fired = g_hash_table_new (g_str_hash, g_str_equal);
  static const char *const apart[] = { "grad-bits", "grad-not", "grad-expand-small", "grad-reduce-max-small", "grad-assign",
                                       "grad-assign-part", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (f, i);
  LsTrace *trace = f->session->trace;
  for (guint p = 0; p < trace->passes->len; p++) {
    const LsPass *pass = trace->passes->pdata[p];
    for (guint k = 1; g_str_equal (pass->stage, "gradient") && k <= ls_pass_n_rewrites (pass); k++)
      g_hash_table_add (fired, (gpointer) ((LsRule *) trace->rules->pdata[ls_pass_step_link (pass, k)->rule])->name);
    if (g_str_equal (pass->stage, "gradient")) {
      /* replayed, the links give what the pass gave */
      g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, ls_pass_n_rewrites (pass));
      g_assert_nonnull (graph);
      g_assert_cmpuint (graph->root->id, ==, pass->output);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) names = g_strsplit (cases[i].rules, " ", -1);
    for (char **name = names; *name; name++)
      if (!g_str_equal (*name, "grad-compare") && !g_hash_table_contains (fired, *name))
        g_error ("%s never fires", *name);
  }
  guint n = 0;
  for (guint i = 0; i < trace->rules->len; i++) {
    const LsRule *rule = trace->rules->pdata[i];
    if (!g_str_equal (rule->set, "gradient"))
      continue;
    gboolean known = g_strv_contains (apart, rule->name) || g_str_equal (rule->name, "grad-compare");
    g_assert_true (known || g_hash_table_contains (fired, rule->name));
    g_assert_null (rule->builder);
    n++;
  }
  g_assert_cmpuint (n, >, 25);
}

/* --- ties, and functions that are not smooth --- */

static void
assert_gradient (Fixture *f, LsUOp *target, LsUOp *x, guint n, const double *want)
{
  g_autoptr (GError) error = NULL;
  LsUOp *out, *sum = tensor_sum (f->t, target, -1, FALSE);
  g_assert_true (ls_gradient (f->session, sum, 1, &x, tensor_number (f->t, 1, sum->dtype), &out, &error));
  g_assert_no_error (error);
  if (!want) {
    g_assert_null (out);
    return;
  }
  g_assert_nonnull (out);
  const double *got = values (f, ls_tensor_cast (f->t, out, LS_DOUBLE));
  for (guint i = 0; i < n; i++)
    if (isnan (want[i]) ? !isnan (got[i]) : fabs (want[i] - got[i]) > 1e-12 * fabs (want[i]))
      g_error ("element %u is %g, not %g", i, got[i], want[i]);
}
#define ASSERT_GRADIENT(target, x, ...) assert_gradient (f, target, x, G_N_ELEMENTS (((double[]) { __VA_ARGS__ })), \
                                                         (double[]) { __VA_ARGS__ })

static void
test_edges (Fixture *f, gconstpointer data)
{
  gint64 four = 4, square[] = { 2, 2 };
  LsUOp *x = ls_tensor_host (f->t, LS_DOUBLE, 1, &four, (double[]) { 1, 3, 3, 2 });
  LsUOp *y = ls_tensor_host (f->t, LS_DOUBLE, 1, &four, (double[]) { 0, 3, 4, 2 });
  /* equal ones share it */
  ASSERT_GRADIENT (tensor_maximum (f->t, N (x), N (y)), x, 1, 0.5, 0, 0.5);
  ASSERT_GRADIENT (tensor_reduce (f->t, LS_OP_MAX, x, -1, FALSE), x, 0, 0.5, 0.5, 0);
  /* products with zeros */
  LsUOp *z = ls_tensor_host (f->t, LS_DOUBLE, 2, square, (double[]) { 0, 3, 0, 0 });
  ASSERT_GRADIENT (tensor_reduce (f->t, LS_OP_MUL, z, 1, FALSE), z, 3, 0, 0, 0);
  ASSERT_GRADIENT (tensor_pow (f->t, N (y), N (x)), x, 0, 27 * log (3), 64 * log (4), 4 * log (2));
  /* flat, or cut off */
  ASSERT_GRADIENT (ls_tensor_unary (f->t, LS_OP_TRUNC, x), x, 0, 0, 0, 0);
  assert_gradient (f, ls_tensor_cast (f->t, tensor_lt (f->t, N (x), N (y)), LS_DOUBLE), x, 0, NULL);
  assert_gradient (f, tensor_mul (f->t, N (ls_tensor_detach (f->t, x)), N (y)), x, 0, NULL);
  ASSERT_GRADIENT (tensor_mul (f->t, N (ls_tensor_detach (f->t, x)), N (x)), x, 1, 3, 3, 2);
  assert_gradient (f, y, x, 0, NULL);
  assert_gradient (f, ls_tensor_bitcast (f->t, ls_tensor_bitcast (f->t, x, LS_INT64), LS_DOUBLE), x, 0, NULL);
  ASSERT_GRADIENT (x, x, 1, 1, 1, 1);
  /* half is added up in float */
  gint64 many[] = { 3000, 4 }, row[] = { 1, 4 };
  LsUOp *h = ls_tensor_cast (f->t, x, LS_HALF);
  LsUOp *wide = ls_tensor_expand (f->t, ls_tensor_reshape (f->t, h, 2, row), 2, many);
  ASSERT_GRADIENT (ls_tensor_cast (f->t, wide, LS_FLOAT), x, 3000, 3000, 3000, 3000);
  /* 8,192 equal elements are more than half can count to, and each one's share is exact */
  gint64 ties[] = { 4096, 4 };
  LsUOp *equal = ls_tensor_expand (f->t, ls_tensor_reshape (f->t, h, 2, row), 2, ties);
  ASSERT_GRADIENT (tensor_reduce (f->t, LS_OP_MAX, equal, -1, FALSE), x, 0, 0.5, 0.5, 0);
  /* a gradient's gradient */
  g_autoptr (GError) error = NULL;
  LsUOp *cube = tensor_sum (f->t, tensor_mul (f->t, N (x), N (tensor_mul (f->t, N (x), N (x)))), -1, FALSE), *first;
  g_assert_true (ls_gradient (f->session, cube, 1, &x, tensor_number (f->t, 1, LS_DOUBLE), &first, &error));
  ASSERT_GRADIENT (first, x, 6, 18, 18, 12);
}

/* A target whose value was looked at keeps its history; what the program realized does not. */
static void
test_ended (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gint64 two = 2;
  LsUOp *x = ls_tensor_host (f->t, LS_DOUBLE, 1, &two, (double[]) { 1, 3 });
  LsUOp *square = tensor_mul (f->t, N (x), N (x));
  values (f, square);
  ASSERT_GRADIENT (tensor_mul (f->t, N (square), N (x)), x, 3, 27);
  g_assert_true (ls_session_realize (f->session, 1, &square, &error));
  LsUOp *memory = ls_tensor_clone (f->t, square);
  g_assert_true (ls_session_computed (f->session, square) == square);
  ls_session_keep (f->session, square, memory);
  ASSERT_GRADIENT (tensor_mul (f->t, N (memory), N (x)), x, 1, 9);
  ASSERT_GRADIENT (tensor_mul (f->t, N (memory), N (x)), memory, 1, 3);
  /* tensors made from it before, and the same expression written again, lead to the same nodes */
  ASSERT_GRADIENT (tensor_mul (f->t, N (square), N (x)), x, 3, 27);
  ASSERT_GRADIENT (tensor_mul (f->t, N (square), N (x)), memory, 1, 3);
}

/* The recording of a gradient is true: executed again it gives the same. */
static void
test_verified (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (f, i);
  ls_session_finish (f->session);
  LsVerify *v = ls_trace_verify (f->session->trace);      /* nodes have no program line here: there is no program */
  g_assert_cmpuint (v->differences, ==, 0);
  g_assert_cmpuint (v->replay_failures, ==, 0);
  g_assert_cmpuint (v->spec_failures, ==, 0);
  g_assert_cmpuint (v->unjudged->len, ==, 0);
  g_assert_cmpuint (v->remade, >, 2 * G_N_ELEMENTS (cases));
  ls_verify_free (v);
}

/* A program's gradient: its kernels come from the program's lines. */
static void
test_lines (Fixture *f, gconstpointer data)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "import math\nfrom tinygrad import Tensor, dtypes\nx = Tensor([[1, 2, 3], [4, 5, 6]], "
                                                 "dtype=dtypes.double)\ny = x.exp().sum() + x.max()\ny.backward()\n"
    "print([abs(g - math.exp(k + 1) - (k == 5)) < 1e-9 for k, g in enumerate(x.grad.flatten().tolist())])\n");
  g_assert_cmpstr (s->out->str, ==, "[True, True, True, True, True, True]\n");
  LsVerify *v = ls_trace_verify (s->trace);
  for (guint i = 0; i < v->messages->len; i++)
    g_test_message ("%s", (char *) v->messages->pdata[i]);
  g_assert_cmpint (v->verdict, ==, LS_VERIFY_PROVED);
  ls_verify_free (v);
}

static void
test_wrong (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gint64 two = 2;
  LsUOp *x = ls_tensor_host (f->t, LS_DOUBLE, 1, &two, (double[]) { 1, 3 }), *out;
  g_assert_false (ls_gradient (f->session, x, 1, &x, tensor_number (f->t, 1, LS_DOUBLE), &out, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SHAPE);
  g_clear_error (&error);
  LsUOp *odd = ls_uop_new1 (f->ctx, LS_OP_GRADIENT, LS_DOUBLE, x, ls_arg_int (0));
  g_assert_false (ls_uop_has_shape (odd));
  odd = ls_uop_alu3 (f->ctx, LS_OP_MULACC, x, x, x);
  g_assert_false (ls_gradient (f->session, odd, 1, &x, x, &out, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_PROGRAM);
  g_assert_cmpstr (error->message, ==, "gradient: no rule defines the gradient of MULACC");
}

/* Ten times the nodes take ten times the time; quadratic work would take minutes. */
static void
test_long (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gint64 two = 2;
  double seconds[2];
  for (guint k = 0; k < 2; k++) {
    LsUOp *x = ls_tensor_host (f->t, LS_FLOAT, 1, &two, (float[]) { 1, 3 }), *y = x, *out;
    guint n = k ? 100000 : 10000;
    for (guint i = 0; i < n; i++)
      y = ls_uop_alu2 (f->ctx, i % 2 ? LS_OP_MUL : LS_OP_ADD, y, x);
    gint64 start = g_get_monotonic_time ();
    g_assert_true (ls_gradient (f->session, y, 1, &x, x, &out, &error));
    g_assert_no_error (error);
    seconds[k] = (double) (g_get_monotonic_time () - start) / 1e6;
  }
  g_test_message ("10^4 nodes %.3f s, 10^5 nodes %.3f s", seconds[0], seconds[1]);
  g_assert_cmpfloat (seconds[1], <, 40 * seconds[0] + 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name) g_test_add ("/gradient/" #name, Fixture, NULL, setup, test_##name, teardown)
  TEST (differences);
  TEST (rules);
  TEST (edges);
  TEST (ended);
  TEST (verified);
  TEST (lines);
  TEST (wrong);
  TEST (long);
  return g_test_run ();
}
