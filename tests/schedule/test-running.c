/* Sums of constants: a constant under movement ops is summed as it is evaluated, and arange and masks need no kernel. */
#include "fixture.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"
#include "run/evaluate.h"

#include <string.h>


typedef struct { LsSession *session; LsTensors *t; LsContext *ctx; } Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->session = fixture_session (&(FixtureRun) { .settings = "SPEC=2" });
  f->t = ls_tensors_new (ls_session_tensor_host (f->session));
  f->ctx = f->session->ctx;
}

static void
teardown (Fixture *f, gconstpointer data)
{
  ls_tensors_free (f->t);
  ls_session_free (f->session);
}

/* A constant that is repeated, padded, cut, reshaped, turned and reversed at random, and summed over some axes. */
static LsUOp *
random_sum (LsContext *ctx, GRand *rand)
{
  static const LsDType dtypes[] = { LS_INT32, LS_INT64, LS_UINT8, LS_INT16, LS_FLOAT, LS_DOUBLE };
  LsDType d = dtypes[g_rand_int_range (rand, 0, G_N_ELEMENTS (dtypes))];
  gint64 value = g_rand_int_range (rand, -3, 5), dims[3] = { 1, 1, 1 }, args[8];
  LsUOp *x = ls_dtype_is_float (d) ? ls_uop_const_f (ctx, d, (double) value / 2) : ls_uop_const_i (ctx, d, value);
  x = ls_uop_new1 (ctx, LS_OP_RESHAPE, d, x, ls_arg_ints (ctx, 3, dims));
  for (guint moves = g_rand_int_range (rand, 2, 8); moves > 0; moves--) {
    LsShape s = ls_uop_shape (ctx, x);
    guint n = s.n;
    LsOp op = LS_OP_RESHAPE + g_rand_int_range (rand, 0, 6);
    switch ((int) op) {
    case LS_OP_RESHAPE: {
      gint64 size = ls_shape_size (s);
      n = 0;
      while (size > 1 && n < 3) {
        gint64 by = size;
        for (gint64 k = g_rand_int_range (rand, 1, 6); k > 1; k--)
          if (size % k == 0) {
            by = k;
            break;
          }
        args[n++] = by;
        size /= by;
      }
      if (n == 0 || size > 1)
        args[n++] = size;
      break;
    }
    case LS_OP_PERMUTE:
      for (guint i = 0; i < n; i++)
        args[i] = (i + 1) % n;
      break;
    case LS_OP_EXPAND:
      for (guint i = 0; i < n; i++)
        args[i] = s.dims[i] == 1 ? g_rand_int_range (rand, 1, 5) : s.dims[i];
      break;
    case LS_OP_PAD: case LS_OP_SHRINK:
      for (guint i = 0; i < n; i++) {
        args[2 * i] = op == LS_OP_PAD ? g_rand_int_range (rand, 0, 3) : g_rand_int_range (rand, 0, (gint) MIN (s.dims[i], 3));
        args[2 * i + 1] = op == LS_OP_PAD ? g_rand_int_range (rand, 0, 3) : g_rand_int_range (rand, (gint) args[2 * i] + 1,
                                                                                              (gint) s.dims[i] + 1);
      }
      n *= 2;
      break;
    default:
      for (guint i = 0; i < n; i++)
        args[i] = g_rand_int_range (rand, 0, 2);
    }
    LsUOp *y = ls_uop_new1 (ctx, op, d, x, ls_arg_ints (ctx, n, args));
    LsShape made;
    if (ls_uop_get_shape (ctx, y, &made, NULL) && ls_shape_size (made) <= 4000 && made.n <= 4)
      x = y;
  }
  guint n = 0;
  for (guint i = 0; i < ls_uop_shape (ctx, x).n; i++)
    if (g_rand_boolean (rand))
      args[n++] = i;
  return ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, d, x, ls_arg_op_ints (ctx, LS_OP_ADD, n, args));
}

static void
test_random (Fixture *f, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);
  guint folded = 0;
  for (guint i = 0; i < 1500; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsContext) ctx = ls_context_new ();
    LsUOp *sum = random_sum (ctx, rand);
    LsRewrite rw = { ctx, fixture_library (NULL), "tensor", LS_REWRITE_BOTTOM_UP, 1000 };
    LsUOp *out = ls_graph_rewrite (&rw, sum, &error);
    g_assert_no_error (error);
    g_autoptr (LsEvaluation) a = ls_evaluate (ctx, sum, 0, NULL, 1000000, TRUE, &error),
        b = a ? ls_evaluate (ctx, out, 0, NULL, 1000000, TRUE, &error) : NULL;
    g_assert_no_error (error);
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, out);
    gboolean left = FALSE;
    for (guint k = 0; k < order->len; k++)
      left |= ((LsUOp *) order->pdata[k])->op == LS_OP_REDUCE_AXIS;
    folded += !left;
    guint64 n = (guint64) ls_shape_size (ls_uop_shape (ctx, sum));
    for (guint64 k = 0; k < n; k++) {
      LsScalar x, y;
      g_assert_true (ls_evaluation_at (a, sum, k, sum, &x) && ls_evaluation_at (b, out, k, out, &y));
      if (ls_dtype_is_float (sum->dtype) ? x.f != y.f : x.i != y.i)
        g_error ("graph %u, element %" G_GUINT64_FORMAT ": %g or %" G_GINT64_FORMAT " became %g or %" G_GINT64_FORMAT, i, k, x.f, x.i, y.f,
                 y.i);
    }
  }
  g_test_message ("%u of 1500 are folded", folded);
  g_assert_cmpuint (folded, >, 500);
}

/* The program's output, and its number of kernels. */
static void
assert_program (const char *text, const char *printed, guint kernels)
{
  g_autofree char *program = g_strconcat ("from tinygrad import Tensor, dtypes\n", text, "\n", NULL);
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = program, .settings = "SPEC=2");
  g_assert_cmpstr (s->out->str, ==, printed);
  g_assert_cmpuint (s->trace->kernels->len, ==, kernels);
}

/* No pass of the program's level leaves a reduce of a constant: a kernel each. */
static void
test_arange (Fixture *f, gconstpointer data)
{
  assert_program ("print(Tensor.arange(5).tolist())", "[0, 1, 2, 3, 4]\n", 1);
  assert_program ("print(Tensor.arange(10, -3, -4).tolist())", "[10, 6, 2, -2]\n", 1);
  assert_program ("print(Tensor.arange(0, 2, 0.5).tolist())", "[0.0, 0.5, 1.0, 1.5]\n", 1);
  /* a one-hot matrix, a gather by it, and a lower triangle */
  assert_program ("c = Tensor.arange(3)\nprint((c.flip(0).reshape(3, 1) == c).int().tolist())", "[[0, 0, 1], [0, 1, 0], [1, 0, 0]]\n", 1);
  assert_program ("c = Tensor.arange(3)\nx = Tensor([5., 6., 7.])\nprint((c.flip(0).reshape(3, 1) == c).where(x, 0).sum(1).tolist())",
                  "[7.0, 6.0, 5.0]\n", 1);
  assert_program ("print(Tensor.ones(2, 3).tril().tolist())", "[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]\n", 1);
  /* a sum of a constant is a constant */
  assert_program ("print((Tensor([5., 6.]) + Tensor.full((2, 3), 2.).sum()).tolist())", "[17.0, 18.0]\n", 1);
  /* as large as any, and no work at all before it is used */
  assert_program ("print(Tensor.arange(2**28)[-2:].tolist())", "[268435454, 268435455]\n", 1);
}

/* --- long graphs: the passes of the program's level take ten times the time for ten times the nodes --- */

static LsUOp *
long_graph (LsContext *ctx, guint kind, guint n)
{
  gint64 id[2] = { 0, 4 }, pad[2] = { 0, 2 }, box[2] = { 1, 5 }, one = 1, four = 4, axis = 0;
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_BUFFER, LS_FLOAT, ls_arg_ints (ctx, 2, id)), *y = x;
  for (guint i = 0; i < n; i++)
    switch (kind) {
    case 0: y = ls_uop_alu2 (ctx, i % 2 ? LS_OP_ADD : LS_OP_MUL, y, x); break;
    case 1:
      y = ls_uop_new1 (ctx, LS_OP_PAD, LS_FLOAT, ls_uop_alu2 (ctx, LS_OP_ADD, y, x), ls_arg_ints (ctx, 2, pad));
      y = ls_uop_new1 (ctx, LS_OP_SHRINK, LS_FLOAT, y, ls_arg_ints (ctx, 2, box));
      break;
    case 2: {
      LsUOp *sum = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, LS_FLOAT, y, ls_arg_op_ints (ctx, LS_OP_ADD, 1, &axis));
      y = ls_uop_alu2 (ctx, LS_OP_SUB, x, ls_uop_new1 (ctx, LS_OP_EXPAND, LS_FLOAT, sum, ls_arg_ints (ctx, 1, &four)));
      break;
    }
    default: {      /* sums of sums, none of them expanded */
      LsUOp *sum = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, LS_FLOAT, ls_uop_alu2 (ctx, LS_OP_MUL, x, ls_uop_new1 (ctx, LS_OP_EXPAND, LS_FLOAT,
                   ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_FLOAT, ls_uop_const_f (ctx, LS_FLOAT, i), ls_arg_ints (ctx, 1, &one)),
                   ls_arg_ints (ctx, 1, &four))), ls_arg_op_ints (ctx, LS_OP_ADD, 1, &axis));
      y = i == 0 ? sum : ls_uop_alu2 (ctx, LS_OP_ADD, y, sum);
    }
    }
  return ls_uop_new1 (ctx, LS_OP_SINK, LS_VOID, y, ls_arg_none ());
}

static void
test_long (Fixture *f, gconstpointer data)
{
  LsSettings settings;
  ls_settings_init (&settings);
  for (guint kind = 0; kind < 4; kind++) {
    double seconds[2];
    for (guint k = 0; k < 2; k++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (LsContext) ctx = ls_context_new ();
      g_auto (LsPipeline) p = { .ctx = ctx, .library = fixture_library (NULL), .settings = &settings, .target = ls_target_find ("c") };
      p.graph = long_graph (ctx, kind, k ? 50000 : 5000);
      gint64 start = g_get_monotonic_time ();
      g_assert_true (ls_pipeline_run (&p, LS_STAGE_TENSOR, LS_STAGE_SCHEDULE, &error));
      seconds[k] = (double) (g_get_monotonic_time () - start) / 1e6;
    }
    g_test_message ("kind %u: 5,000 links %.3f s, 50,000 links %.3f s", kind, seconds[0], seconds[1]);
    g_assert_cmpfloat (seconds[1], <, 40 * seconds[0] + 1);
  }
}

/* The graph that the term rewrote is recorded with the rule's step, and is not if the term declines. Passes are numbered without gaps,
 * and each replays. */
static void
test_nested (Fixture *f, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (31);
  guint kept = 0, declined = 0;
  for (guint i = 0; i < 600; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsContext) ctx = ls_context_new ();
    g_autoptr (LsTrace) trace = ls_trace_new (ctx);
    LsUOp *sum = random_sum (ctx, rand);
    LsRecorder *recorder = ls_trace_recorder (trace, 0);
    LsPassInfo info = { "tensor", NULL, "tensor", LS_REWRITE_BOTTOM_UP };
    LsPassLog *log = recorder->begin (recorder, &info, sum, fixture_library (NULL));
    LsRewrite rw = { ctx, fixture_library (NULL), "tensor", LS_REWRITE_BOTTOM_UP, 1000, log, .recorder = recorder };
    LsUOp *out = ls_graph_rewrite (&rw, sum, &error);
    g_assert_no_error (error);
    g_assert_false (log->nests);
    recorder->end (recorder, log, out, 1);
    LsPass *outer = trace->passes->pdata[0];
    guint nested = 0, asked = 0;
    for (guint k = 0; k < trace->passes->len; k++) {
      LsPass *pass = trace->passes->pdata[k];
      g_autoptr (LsGraph) last = ls_pass_graph (trace, pass, ls_pass_n_rewrites (pass));
      g_assert_cmpuint (pass->index, ==, k);
      g_assert_true (last->root == ls_context_node (ctx, pass->output));
      if (k == 0)
        continue;
      const LsTraceRule *rule = trace->rules->pdata[ls_pass_step_link (outer, pass->step)->rule];
      g_autofree char *name = k == 1 ? g_strdup ("sum_of_constant") : g_strdup_printf ("sum_of_constant#%u", k);
      g_assert_cmpint (pass->parent, ==, 0);
      g_assert_cmpstr (rule->builder, ==, "sum_of_constant");
      g_assert_cmpstr (pass->name, ==, name);
      nested++;
    }
    for (guint k = 0; k < outer->stats->len; k++) {
      const LsRuleStat *s = &g_array_index (outer->stats, LsRuleStat, k);
      const LsTraceRule *rule = trace->rules->pdata[s->rule];
      asked += g_strcmp0 (rule->builder, "sum_of_constant") == 0 ? s->tries - s->hits : 0;
    }
    kept += nested;
    declined += asked;
  }
  g_assert_cmpuint (kept, >, 50);
  g_assert_cmpuint (declined, >, 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/running/random", Fixture, NULL, setup, test_random, teardown);
  g_test_add ("/running/nested", Fixture, NULL, setup, test_nested, teardown);
  g_test_add ("/running/arange", Fixture, NULL, setup, test_arange, teardown);
  g_test_add ("/running/long", Fixture, NULL, setup, test_long, teardown);
  return g_test_run ();
}
