/* Every pass keeps the meaning: random tensor programs, evaluated before and after each pass.
 *
 * A program is a random graph of elementwise ops, movements, reduces and casts over small tensors of every dtype. Its tensor graph's
 * evaluation is the reference; each kernel's graph is evaluated at the input and output of every pass (graphs with accumulators by
 * the interpreter), and the compiled kernel's result is compared too: bit for bit. Where a rule's class allows another order of a
 * float sum (acc=vector), the graphs before it are compared with each other, those after it with the kernel's result, and both with
 * each other within the sum's bound.
 */
#include "../sample.h"
#include "ask/ask.h"
#include "pipeline/pipeline.h"
#include "codegen/options/option.h"
#include "codegen/linearize.h"
#include "ir/print.h"
#include "run/evaluate.h"
#include "pipeline/session.h"
#include "trace/replay.h"

#include <math.h>
#include <string.h>

typedef struct { GRand *rand; LsSession *s; GPtrArray *pool; } Gen;

/* the last one is not metal's */
static const LsDType dtypes[] = { LS_BOOL, LS_INT8, LS_UINT8, LS_INT16, LS_UINT16, LS_INT32, LS_UINT32, LS_INT64, LS_UINT64, LS_HALF,
                                  LS_BFLOAT16, LS_FLOAT, LS_DOUBLE };

static LsDType
random_dtype (Gen *g)
{
  return dtypes[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (dtypes) - g->s->target->has_local)];
}

static LsUOp *
shape_op (Gen *g, LsOp op, LsUOp *x, guint n, const gint64 *arg)
{
  return ls_uop_new1 (g->s->ctx, op, x->dtype, x, ls_arg_ints (g->s->ctx, n, arg));
}

static LsScalar
random_value (GRand *rand, LsDType d)
{
  static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30 };
  if (ls_dtype_is_float (d))
    return ls_scalar_fit (d, (LsScalar) { .f = g_rand_int_range (rand, 0, 12) == 0
                                          ? special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))]
                                          : g_rand_double_range (rand, -4, 4) });
  return ls_scalar_fit (d, (LsScalar) { .i = g_rand_int_range (rand, 0, 6) == 0 ? (gint64) g_rand_int (rand) << 31
                                                                                : g_rand_int_range (rand, -9, 10) });
}

static LsUOp *
input (Gen *g, guint n, const gint64 *dims, LsDType d)
{
  gint64 size = ls_shape_size ((LsShape) { n, dims });
  g_autofree guint8 *data = g_malloc ((gsize) size * 8 + 1);
  g_autoptr (GError) error = NULL;
  for (gint64 i = 0; i < size; i++)
    ls_scalar_store (d, data + i * ls_dtype_itemsize (d), random_value (g->rand, d));
  LsUOp *u = ls_session_tensor_host (g->s)->host_data (g->s, d, n, dims, data, &error);
  g_assert_no_error (error);
  return u;
}

/* x in the shape of like, or NULL when it cannot be broadcast to it. */
static LsUOp *
fit (Gen *g, LsUOp *x, LsUOp *like)
{
  LsShape a = ls_uop_shape (g->s->ctx, x), b = ls_uop_shape (g->s->ctx, like);
  gint64 dims[8];
  if (a.n > b.n)
    return NULL;
  for (guint i = 0; i < b.n; i++) {
    dims[i] = i < b.n - a.n ? 1 : a.dims[i - (b.n - a.n)];
    if (dims[i] != b.dims[i] && dims[i] != 1)
      return NULL;
  }
  if (a.n != b.n)
    x = shape_op (g, LS_OP_RESHAPE, x, b.n, dims);
  return ls_shape_equal (ls_uop_shape (g->s->ctx, x), b) ? x : shape_op (g, LS_OP_EXPAND, x, b.n, b.dims);
}

static LsUOp *
filled (Gen *g, LsDType d, LsUOp *like)
{
  LsUOp *c = ls_uop_new0 (g->s->ctx, LS_OP_CONST, d, ls_scalar_to_arg (d, random_value (g->rand, d)));
  return ls_uop_shape (g->s->ctx, like).n == 0 ? c : fit (g, c, like);
}

static LsUOp *
pick (Gen *g)
{
  return g->pool->pdata[g_rand_int_range (g->rand, MAX (0, (gint) g->pool->len - 6), (gint32) g->pool->len)];
}

static LsUOp *
random_step (Gen *g)
{
  LsContext *ctx = g->s->ctx;
  LsUOp *x = pick (g), *y;
  LsShape s = ls_uop_shape (ctx, x);
  LsDType d = x->dtype;
  gboolean fp = ls_dtype_is_float (d), is_bool = ls_dtype_is_bool (d);
  gint64 a[16];
  switch (g_rand_int_range (g->rand, 0, 16)) {
  case 0: case 1: case 2: case 3: {
    static const LsOp any[] = { LS_OP_ADD, LS_OP_MUL, LS_OP_MAX, LS_OP_CMPLT, LS_OP_CMPEQ, LS_OP_CMPNE };
    static const LsOp floats[] = { LS_OP_SUB, LS_OP_FDIV, LS_OP_ADD };
    static const LsOp ints[] = { LS_OP_SUB, LS_OP_FLOORDIV, LS_OP_FLOORMOD, LS_OP_IDIV, LS_OP_MOD, LS_OP_AND, LS_OP_OR, LS_OP_XOR,
                                 LS_OP_SHL, LS_OP_SHR };
    static const LsOp bools[] = { LS_OP_AND, LS_OP_OR, LS_OP_XOR };
    LsOp op = g_rand_boolean (g->rand) ? any[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (any))] :
              fp ? floats[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (floats))]
                 : is_bool ? bools[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (bools))] :
              ints[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (ints))];
    y = g_rand_int_range (g->rand, 0, 3) == 0 ? filled (g, d, x) : fit (g, pick (g), x);
    return y && y->dtype == d ? ls_uop_alu2 (ctx, op, x, y) : NULL;
  }
  case 4:
    if (is_bool)
      return ls_uop_alu1 (ctx, LS_OP_NOT, x);
    return ls_uop_alu1 (ctx, fp && g_rand_boolean (g->rand) ? LS_OP_SQRT : LS_OP_NEG, x);
  case 5: return ls_uop_cast (ctx, x, random_dtype (g));
  case 6: {
    LsUOp *c = fit (g, pick (g), x);
    y = filled (g, d, x);
    return c && ls_dtype_is_bool (c->dtype) ? ls_uop_alu3 (ctx, LS_OP_WHERE, c, x, y) : NULL;
  }
  case 7: case 8: {
    /* any reshape to up to three axes */
    gint64 size = ls_shape_size (s);
    gint64 d0 = 1, d1 = 1;
    for (gint64 k = 2; k <= 4; k++)
      if (size % k == 0 && g_rand_boolean (g->rand))
        d0 = k;
    for (gint64 k = 2; k <= 6; k++)
      if (size / d0 % k == 0 && g_rand_boolean (g->rand))
        d1 = k;
    a[0] = d0;
    a[1] = d1;
    a[2] = size / d0 / d1;
    return shape_op (g, LS_OP_RESHAPE, x, 3, a);
  }
  case 9:
    for (guint i = 0; i < s.n; i++)
      a[i] = i;
    for (guint i = s.n; i > 1; i--) {
      guint k = (guint) g_rand_int_range (g->rand, 0, (gint32) i);
      gint64 t = a[i - 1];
      a[i - 1] = a[k];
      a[k] = t;
    }
    return s.n > 1 ? shape_op (g, LS_OP_PERMUTE, x, s.n, a) : NULL;
  case 10:
    for (guint i = 0; i < s.n; i++)
      a[i] = s.dims[i] == 1 && g_rand_boolean (g->rand) ? 3 : s.dims[i];
    return s.n > 0 ? shape_op (g, LS_OP_EXPAND, x, s.n, a) : NULL;
  case 11:
    for (guint i = 0; i < s.n; i++) {
      a[2 * i] = g_rand_int_range (g->rand, 0, 3);
      a[2 * i + 1] = g_rand_int_range (g->rand, 0, 2);
    }
    return s.n > 0 ? shape_op (g, LS_OP_PAD, x, 2 * s.n, a) : NULL;
  case 12:
    for (guint i = 0; i < s.n; i++) {
      a[2 * i] = s.dims[i] > 1 ? g_rand_int_range (g->rand, 0, (gint32) s.dims[i]) : 0;
      a[2 * i + 1] = g_rand_int_range (g->rand, (gint32) a[2 * i] + 1, (gint32) s.dims[i] + 1);
    }
    return s.n > 0 ? shape_op (g, LS_OP_SHRINK, x, 2 * s.n, a) : NULL;
  case 13:
    for (guint i = 0; i < s.n; i++)
      a[i] = g_rand_boolean (g->rand);
    return s.n > 0 ? shape_op (g, LS_OP_FLIP, x, s.n, a) : NULL;
  case 14: {
    static const LsOp ops[] = { LS_OP_ADD, LS_OP_MUL, LS_OP_MAX };
    guint n = 0;
    for (guint i = 0; i < s.n; i++)
      if (s.dims[i] > 1 && g_rand_boolean (g->rand))
        a[n++] = i;
    if (n == 0 || is_bool)
      return NULL;
    return ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, d, x, ls_arg_op_ints (ctx, ops[g_rand_int_range (g->rand, 0, 3)], n, a));
  }
  default: return g_rand_int_range (g->rand, 0, 4) == 0 ? ls_uop_new1 (ctx, LS_OP_CONTIGUOUS, d, x, ls_arg_none ()) : NULL;
  }
}

static gboolean
same_bytes (LsDType d, const guint8 *a, const guint8 *b, guint64 n, guint64 *where)
{
  gsize size = ls_dtype_itemsize (d);
  for (guint64 i = 0; i < n; i++) {
    LsScalar x = ls_scalar_load (d, a + i * size), y = ls_scalar_load (d, b + i * size);
    gboolean same = ls_dtype_is_float (d) ? (isnan (x.f) && isnan (y.f)) || (x.f == y.f && signbit (x.f) == signbit (y.f)) : x.i == y.i;
    if (!same) {
      *where = i;
      return FALSE;
    }
  }
  return TRUE;
}

static guint n_passes_checked, n_kernels_checked, n_vector_accumulators, n_middles, n_reordered, n_bounds, n_barriers;

/* May the pass have changed bits of a float? */
static gboolean
reorders (const LsTrace *trace, const LsPass *pass)
{
  gboolean found = FALSE;
  for (guint i = 1; i <= ls_pass_n_rewrites (pass); i++) {
    const LsTraceRule *rule = trace->rules->pdata[ls_pass_step_link (pass, i)->rule];
    found |= (g_str_equal (pass->stage, "accumulate") || g_str_equal (pass->stage, "options")) &&
             !g_str_equal (rule->rule_class, "exact") && !g_str_equal (rule->name, "reduce-one-float");
  }
  return found;
}

/* Is what the kernel stores a sum, to which nothing else is done? Then another order of it has a bound. */
static gboolean
stores_a_sum (const LsUOp *sink)
{
  const LsUOp *store = sink->op == LS_OP_SINK && sink->n_src == 1 ? sink->src[0] : NULL,
              *reduce = store && store->n_src > 1 ? store->src[1] : NULL;
  return reduce && reduce->op == LS_OP_REDUCE && reduce->arg.op == LS_OP_ADD && ls_dtype_is_float (reduce->dtype);
}

static gboolean
is_close (LsDType d, const guint8 *a, const guint8 *b, guint64 n, double bound)
{
  gsize size = ls_dtype_itemsize (d);
  for (guint64 i = 0; i < n; i++) {
    double x = ls_scalar_load (d, a + i * size).f, y = ls_scalar_load (d, b + i * size).f;
    if (isfinite (x) && isfinite (y) && fabs (x - y) > bound)
      return FALSE;
  }
  return TRUE;
}

/* The values that the graph at a pass's input or output writes into buffer 0: every one has a value, those in the middle of the pipeline
 * too. */
static gboolean
run_graph (LsSession *s, LsContext *ctx, LsUOp *root, guint n, LsBuffer *const *buffers, guint8 *out, double *bound, GError **error)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean accumulates = FALSE, vectors = FALSE;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    accumulates |= u->op == LS_OP_PHI || u->op == LS_OP_AFTER || u->op == LS_OP_BARRIER;      /* it has a value in order of execution */
    n_barriers += u->op == LS_OP_BARRIER;
    vectors |= ls_dtype_lanes (u->dtype) > 1;
  }
  memset (buffers[0]->data, 0x55, buffers[0]->nbytes);
  if (accumulates) {
    n_vector_accumulators += vectors;
    g_autoptr (GPtrArray) list = ls_linearize (ctx, root, &s->settings, error);
    if (!list || !ls_interp_run (list->len, (LsUOp **) list->pdata, n, buffers, NULL, error))
      return FALSE;
  } else {
    g_autofree LsEvalBuffer *eb = g_new0 (LsEvalBuffer, 2 * n);
    for (guint i = 0; i < n; i++) {
      eb[2 * i] = (LsEvalBuffer) { i, buffers[i]->dtype, buffers[i]->n, buffers[i]->data };
      eb[2 * i + 1] = (LsEvalBuffer) { i == 0 ? G_MININT64 : -(gint64) i, buffers[i]->dtype, buffers[i]->n, buffers[i]->data };
    }
    g_autoptr (LsEvaluation) e = ls_evaluate (ctx, root, 2 * n, eb, 50000000, FALSE, error);
    if (!e)
      return FALSE;
    if (bound)
      *bound = ls_evaluation_sum_bound (e);
  }
  memcpy (out, buffers[0]->data, buffers[0]->nbytes);
  return TRUE;
}

static void
report (LsSession *s, const LsPass *pass, const char *what, guint64 where, guint64 seed)
{
  g_test_message ("seed %" G_GUINT64_FORMAT ", options %s: pass %s of kernel %u: %s at element %" G_GUINT64_FORMAT, seed,
                  s->options ? s->options : "of the heuristic", pass->name, pass->kernel, what, where);
  LsUOp *in = ls_context_node (s->ctx, pass->input), *out = ls_context_node (s->ctx, pass->output);
  g_autofree char *a = ls_pyrender (s->ctx, in), *b = ls_pyrender (s->ctx, out);
  g_test_message ("before:\n%s", a);
  g_test_message ("after:\n%s", b);
  g_test_fail ();
}

/* A graph between the steps of a pass. In the middle of some passes two forms are mixed that do not go together; of these every one
 * has its value. */
static void
check_middle (LsSession *s, const LsPass *pass, GPtrArray *buffers, const guint8 *result, guint8 *at, guint64 seed)
{
  guint n = ls_pass_n_rewrites (pass);
  const LsBuffer *out = buffers->pdata[0];
  static const char *const whole[] = { "simplify", "expand", "devectorize", "decompose", NULL };
  if (pass->kind != LS_PASS_REWRITE || n < 2 || !g_strv_contains (whole, pass->stage))
    return;
  g_autoptr (GError) error = NULL;
  guint64 where;
  guint step = 1 + (guint) (seed % (n - 1));
  g_autoptr (LsGraph) graph = ls_pass_graph (s->trace, pass, step);
  g_autoptr (LsContext) scratch = ls_context_new_over (graph->ctx);
  gboolean has_value = run_graph (s, scratch, graph->root, buffers->len, (LsBuffer **) buffers->pdata, at, NULL, &error);
  n_middles += has_value;
  if (has_value && !same_bytes (out->dtype, at, result, out->n, &where))
    report (s, pass, "a graph between its steps differs from the kernel's result", where, seed);
  if (has_value)
    return;
  g_test_message ("step %u: %s", step, error->message);
  report (s, pass, "a graph between its steps has no value", 0, seed);
}

static void
check_kernel (LsSession *s, LsKernel *k, guint64 seed)
{
  g_autoptr (GPtrArray) buffers = g_ptr_array_new ();
  for (guint i = 0; i < k->buffers->len; i++)
    g_ptr_array_add (buffers, s->buffers->pdata[g_array_index (k->buffers, guint, i)]);
  LsBuffer *out = buffers->pdata[0];
  g_autofree guint8 *result = g_memdup2 (out->data, out->nbytes), *at = g_malloc (out->nbytes + 1);
  /* of the first graph, and of each that another order was given */
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint8 **inside = g_new0 (guint8 *, k->passes->len + 1);          /* for each pass the value of its input */
  double bound = 0;
  guint reordered = 0;      /* passes after this one have the kernel's result; those before it what the first one has, or since
                             * another pass that reorders its output */
  for (guint i = 0; i < k->passes->len; i++)
    if (reorders (s->trace, s->trace->passes->pdata[g_array_index (k->passes, guint, i)]))
      reordered = i + 1;
  n_reordered += reordered > 0;
  n_kernels_checked++;
  for (guint i = 0; i < k->passes->len; i++) {
    LsPass *pass = s->trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (pass->kind != LS_PASS_REWRITE)
      continue;
    for (guint side = 0; side < 2; side++) {
      g_autoptr (GError) error = NULL;
      guint64 where;
      LsUOp *root = ls_context_node (s->ctx, side ? pass->output : pass->input);
      if (!run_graph (s, s->ctx, root, buffers->len, (LsBuffer **) buffers->pdata, at, values->len ? NULL : &bound, &error)) {
        g_test_message ("%s", error->message);
        report (s, pass, "cannot be evaluated", 0, seed);
        return;
      }
      n_passes_checked++;
      if (values->len == 0)
        g_ptr_array_add (values, g_memdup2 (reordered ? at : result, out->nbytes));
      if (side == 1 && reorders (s->trace, pass)) {
        const guint8 *before = values->pdata[values->len - 1];
        if (stores_a_sum (ls_context_node (s->ctx, pass->input)) && isfinite (bound)) {
          n_bounds++;
          if (!is_close (out->dtype, before, i + 1 == reordered ? result : at, out->n, bound))
            report (s, pass, "its sum's other order differs by more than its bound", 0, seed);
        }
        g_ptr_array_add (values, g_memdup2 (i + 1 == reordered ? result : at, out->nbytes));
      }
      guint8 *want = values->pdata[values->len - 1];
      if (side == 0)
        inside[i] = want;
      if (!same_bytes (out->dtype, at, want, out->n, &where)) {
        report (s, pass, side ? "its output differs from the kernel's result" : "its input differs from the kernel's result", where, seed);
        memcpy (out->data, result, out->nbytes);
        return;
      }
    }
  }
  for (guint i = 0; i < k->passes->len && !g_test_failed (); i++)
    check_middle (s, s->trace->passes->pdata[g_array_index (k->passes, guint, i)], buffers, inside[i] ? inside[i] : result, at, seed);
  memcpy (out->data, result, out->nbytes);
}

static const LsOption *
any_option (GRand *rand)
{
  gint n = 0;
  while (ls_options[n])
    n++;
  return ls_options[g_rand_int_range (rand, 0, n)];
}

/* Any sequence of options, repeats included; NULL: the heuristic's. Only the last reduce axis is unrolled: for another one the order of
 * a float sum would change. */
static char *
random_options (GRand *rand)
{
  static const gint64 amounts[] = { 2, 2, 3, 4 };
  static const LsOption *const often[] = { &ls_option_upcast, &ls_option_upcast, &ls_option_unroll };
  guint n = (guint) g_rand_int_range (rand, 0, 5);
  if (g_rand_int_range (rand, 0, 4) == 0)
    return NULL;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    const LsOption *option = g_rand_boolean (rand) ? often[g_rand_int_range (rand, 0, G_N_ELEMENTS (often))] : any_option (rand);
    gint axis = option == &ls_option_unroll ? 2 : g_rand_int_range (rand, 0, 3);
    gint64 amount = option == &ls_option_tile ? g_rand_int_range (rand, 1, 3) : option == &ls_option_swap
                    ? g_rand_int_range (rand, 0, 3) : amounts[g_rand_int_range (rand, 0, G_N_ELEMENTS (amounts))];
    g_string_append_printf (text, "%s%s:%d:%" G_GINT64_FORMAT, i ? "," : "", option->name, axis, amount);
  }
  return g_string_free (text, FALSE);
}

/* Options for a kernel that reduces the last of its axes, or the last two. */
static char *
random_reduce_options (GRand *rand, gint64 last, gboolean has_items)
{
  static const gint64 amounts[] = { 2, 2, 3, 4 };
  GString *text = g_string_new (NULL);
  guint n = (guint) g_rand_int_range (rand, 1, 6);
  for (guint i = 0; i < n; i++) {
    const LsOption *option = has_items && g_rand_int_range (rand, 0, 3) == 0 ? &ls_option_group : any_option (rand);
    gboolean of_result = option == &ls_option_upcast || option == &ls_option_tile || (option != &ls_option_unroll &&
                                                                                      g_rand_int_range (rand, 0, 3) == 0);
    gint64 axis = of_result ? 0 : last, amount = amounts[g_rand_int_range (rand, 0, G_N_ELEMENTS (amounts))];
    g_string_append_printf (text, "%s%s:%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i ? "," : "", option->name, axis,
                            option == &ls_option_tile ? 1 : option == &ls_option_swap ? (of_result ? 1 : MAX (last - 1, 0)) : amount);
  }
  return g_string_free (text, FALSE);
}

/* Reduces the last tensor along its last axis or two, with options for that. */
static void
reduce_last (Gen *g, LsSession *s)
{
  static const LsOp ops[] = { LS_OP_ADD, LS_OP_ADD, LS_OP_MAX, LS_OP_MUL };
  LsUOp *x = g->pool->pdata[g->pool->len - 1];
  LsShape shape = ls_uop_shape (s->ctx, x);
  gint64 axes[2] = { (gint64) shape.n - 2, (gint64) shape.n - 1 };
  if (shape.n == 0 || shape.dims[axes[1]] == 1 || ls_dtype_is_bool (x->dtype))
    return;
  guint n = shape.n > 1 && shape.dims[axes[0]] > 1 && g_rand_boolean (g->rand) ? 2 : 1;
  LsArg arg = ls_arg_op_ints (s->ctx, ops[g_rand_int_range (g->rand, 0, G_N_ELEMENTS (ops))], n, axes + 2 - n);
  g_ptr_array_add (g->pool, ls_uop_new1 (s->ctx, LS_OP_REDUCE_AXIS, x->dtype, x, arg));
  g_free (s->options);
  s->options = g_rand_boolean (g->rand) ? random_reduce_options (g->rand, axes[1], s->target->has_local)
                                        : g_strdup_printf ("UNROLL:%" G_GINT64_FORMAT ":%d,UPCAST:0:2", axes[1],
                                                           g_rand_int_range (g->rand, 2, 7));
}

static LsRuleLibrary *library;

static void
one_program (guint64 seed, const char *target, const char *compiler, const char *const *sets)
{
  LsSettings settings;
  g_autoptr (GError) error = NULL;
  ls_settings_init (&settings);
  settings.SPEC = 2;
  settings.REPEATS = 1;
  for (guint i = 0; sets[i]; i++)
    g_assert_true (ls_settings_set (&settings, sets[i], &error));
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find (target), compiler, library);
  Gen g = { g_rand_new_with_seed ((guint32) seed), s, g_ptr_array_new () };
  gint64 shapes[3][3] = { { 2, 3, 4 }, { 1, 6, 4 }, { 4, 1, 1 } };
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (g.pool, input (&g, (guint) g_rand_int_range (g.rand, 1, 4), shapes[i], random_dtype (&g)));
  s->quiet = TRUE;
  s->options = random_options (g.rand);
  for (guint i = 0; i < 14; i++) {
    LsUOp *u = random_step (&g);
    LsShape shape;
    if (!u || !ls_uop_get_shape (s->ctx, u, &shape, NULL) || ls_shape_size (shape) > 3000)
      continue;
    g_ptr_array_add (g.pool, u);
  }
  if (settings.ACC == LS_ACC_VECTOR || s->target->has_local || seed % 4 == 0)
    reduce_last (&g, s);
  LsUOp *root = g.pool->pdata[g.pool->len - 1];
  /* the reference: the tensor graph itself, over the host's data */
  g_autoptr (GArray) eb = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, s->realized);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    LsUOp *copy = ls_context_node (s->ctx, GPOINTER_TO_UINT (key)), *device = value;
    LsBuffer *b = s->buffers->pdata[device->arg.ints[0]];
    LsEvalBuffer e = { copy->src[0]->arg.ints[0], b->dtype, b->n, b->data };
    g_array_append_val (eb, e);
  }
  g_autofree guint8 *want = NULL;
  g_autoptr (LsEvaluation) reference = ls_evaluate (s->ctx, root, eb->len, (LsEvalBuffer *) eb->data, 50000000, seed % 2, &error);
  g_assert_no_error (error);
  if (!ls_session_realize (s, 1, &root, &error)) {
    g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, error->message);
    g_test_fail ();
    goto done;
  }
  guint64 n, where;
  const LsScalar *values = ls_evaluation_values (reference, root, &n);
  LsBuffer *got = ls_session_data (s, root, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, got->n);
  want = g_malloc (got->nbytes + 1);
  for (guint64 i = 0; i < n; i++)
    ls_scalar_store (got->dtype, want + i * ls_dtype_itemsize (got->dtype), values[i]);
  guint before = n_reordered;
  for (guint i = 0; i < s->trace->kernels->len; i++)
    check_kernel (s, s->trace->kernels->pdata[i], seed);
  if (settings.ACC == LS_ACC_SCALAR && n_reordered == before && !same_bytes (got->dtype, got->data, want, n, &where)) {
    g_autofree char *py = ls_pyrender (s->ctx, root);
    g_test_message ("seed %" G_GUINT64_FORMAT " (%s, %s): the result differs from the tensor graph's at element %" G_GUINT64_FORMAT "\n%s",
                    seed, compiler, sets[0], where, py);
    g_test_fail ();
  }
  LsVerify *v = ls_trace_verify (s->trace);
  if (v->replay_failures + v->spec_failures) {
    g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, (char *) v->messages->pdata[0]);
    g_test_fail ();
  }
  ls_verify_free (v);
done:
  g_rand_free (g.rand);
  g_ptr_array_unref (g.pool);
}

static guint
rounds (guint normal)
{
  const char *factor = g_getenv ("LS_TEST_ROUNDS");
  return factor ? (guint) g_ascii_strtoull (factor, NULL, 10) : normal;
}

static void
test_random (gconstpointer data)
{
  const char *const *how = data;
  guint n = rounds (400 / fixture_sample (8, "programs"));
  for (guint64 seed = 1; seed <= n && !g_test_failed (); seed++)
    one_program (seed * 7919, how[0], how[1], how + 2);
  g_test_message ("%u kernels, %u graphs evaluated and %u between steps, %u with accumulators that are vectors; %u kernels reordered, %u "
                  "bounds looked at", n_kernels_checked, n_passes_checked,
                  n_middles, n_vector_accumulators, n_reordered, n_bounds);
  g_assert_cmpuint (n_kernels_checked, >, 0);
  g_assert_cmpuint (n_vector_accumulators, >, 0);
}

/* Work items that put partial results together. */
static void
test_items (gconstpointer data)
{
  n_barriers = 0;
  test_random (data);
  g_test_message ("%u barriers", n_barriers);
  g_assert_cmpuint (n_barriers, >, 0);
}

static void
test_kept_lanes (gconstpointer data)
{
  n_reordered = n_bounds = 0;
  test_random (data);
  g_assert_cmpuint (n_reordered, >, 0);
  g_assert_cmpuint (n_bounds, >, 0);
}

int
main (int argc, char **argv)
{
  static const char *const interp[] = { "c", "interp", "acc=scalar", NULL }, *const tcc[] = { "c", "tcc", "acc=scalar", NULL },
                    *const views[] = { "c", "interp", "acc=scalar", "MERGE_VIEWS=0", NULL };
  static const char *const lanes[] = { "c", "tcc", "acc=vector", NULL }, *const vectors[] = { "c", "interp", "acc=scalar", "DEVECTORIZE=0",
                                                                                              NULL };
  static const char *const items[] = { "metal", "interp", "acc=scalar", NULL },
                    *const items_of_lanes[] = { "metal", "interp", "acc=vector", NULL };
  static const char *const both[] = { "c", "interp", "acc=vector", "DEVECTORIZE=0", NULL };
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GError) error = NULL;
  library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  g_test_add_data_func ("/codegen/passes/interp", interp, test_random);
  g_test_add_data_func ("/codegen/passes/tcc", tcc, test_random);
  g_test_add_data_func ("/codegen/passes/unmerged-views", views, test_random);
  g_test_add_data_func ("/codegen/passes/kept-lanes", lanes, test_kept_lanes);
  g_test_add_data_func ("/codegen/passes/kept-vectors", vectors, test_random);
  g_test_add_data_func ("/codegen/passes/kept-both", both, test_kept_lanes);
  g_test_add_data_func ("/codegen/passes/items", items, test_items);
  g_test_add_data_func ("/codegen/passes/items-kept-lanes", items_of_lanes, test_items);
  int status = g_test_run ();
  ls_rule_library_unref (library);
  return status;
}
