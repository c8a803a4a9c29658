/* Judges one rewrite step: the replaced and the new node are evaluated on the same values.
 *
 * Both nodes are evaluated as parts of one graph, so that the ranges, loads and buffers they share have the same values. A node whose
 * value depends on the order of execution (accumulators) is replaced in both by a load from a table of ordinary and edge values with its
 * own axis. A step whose two sides have different axes cannot be judged in this way, which is reported. For a large kernel, a sample of
 * their elements is evaluated.
 */
#include "reference.h"
#include "sample.h"
#include "codegen/codegen.h"
#include "ir/axis.h"
#include "run/fault.h"

#include <math.h>
#include <string.h>

#define FIRST_FREE 1000      /* numbers of arguments and axes that no kernel has */
#define N_FREE     16
#define MAX_FREE   8

LsTolerance
ls_tolerance_of_rule (LsTrace *trace, gint rule)
{
  if (rule < 0 || (guint) rule >= trace->rules->len)
    return LS_EXACT;
  const char *c = ((LsTraceRule *) trace->rules->pdata[rule])->rule_class;
  if (g_str_has_prefix (c, "approximate "))
    return LS_ANY_ZERO | LS_REORDERED | (LsTolerance) (CLAMP (g_ascii_strtoull (c + strlen ("approximate "), NULL, 10), 1,
                                                              LS_MOST_ULPS) << LS_ULPS_SHIFT);
  return strcmp (c, "nsz") == 0 ? LS_ANY_ZERO : strcmp (c, "finite") == 0 ? LS_ANY_ZERO | LS_FINITE_ONLY : strcmp (c, "reordering") == 0 ||
         strcmp (c, "contraction") == 0 ? LS_ANY_ZERO | LS_REORDERED : LS_EXACT;
}

/* The largest difference that a step may cause: that many units in its last place, or a relative difference that no order of a sum
 * reaches. */
static double
step_bound (LsTolerance tolerance, LsDType dtype, double value)
{
  LsBase base = ls_dtype_base (dtype);
  int digits = base == LS_BASE_DOUBLE ? 53 : base == LS_BASE_HALF ? 11 : base == LS_BASE_BFLOAT16 ? 8 : base == LS_BASE_FP8E4M3
               ? 4 : base == LS_BASE_FP8E5M2 ? 3 : 24;
  int least = base == LS_BASE_DOUBLE ? -1074 : base == LS_BASE_HALF ? -24 : base == LS_BASE_BFLOAT16 ? -133 : base == LS_BASE_FP8E4M3
              ? -9 : base == LS_BASE_FP8E5M2 ? -16 : -149, exponent;
  if (!(tolerance >> LS_ULPS_SHIFT) || !isfinite (value))
    return fabs (value) * 1e-4;
  frexp (value, &exponent);
  return (tolerance >> LS_ULPS_SHIFT) * ldexp (1, value == 0 ? least : MAX (exponent - digits, least));
}

gboolean
ls_scalar_same (LsDType dtype, LsScalar a, LsScalar b, LsTolerance tolerance, double bound)
{
  if (!ls_dtype_is_float (ls_dtype_scalar (dtype)))
    return a.i == b.i;
  if (isnan (a.f) || isnan (b.f))
    return (isnan (a.f) && isnan (b.f)) || tolerance & LS_FINITE_ONLY;
  if ((isinf (a.f) || isinf (b.f)) && tolerance & LS_FINITE_ONLY)
    return TRUE;
  if (a.f == b.f)
    return a.f != 0 || signbit (a.f) == signbit (b.f) || tolerance & LS_ANY_ZERO;
  return tolerance & LS_REORDERED && fabs (a.f - b.f) <= bound;
}

void
ls_step_check_clear (LsStepCheck *check)
{
  for (guint i = 0; check->inputs && i < check->inputs->len; i++)
    g_free (g_array_index (check->inputs, LsAskInput, i).value);
  g_clear_pointer (&check->inputs, g_array_unref);
  g_clear_pointer (&check->where, g_free);
}

static LsScalar
free_value (LsDType d, guint i)
{
  static const double floats[N_FREE] = { 0.5, -0.0, 1, -1, 3.25, 0.0, -7.5, 1e30, 2, -2, INFINITY, 1e-30, NAN, -INFINITY, 100, -0.125 };
  static const gint64 ints[N_FREE] = { 1, 0, -1, 2, 7, -8, 100, -100, 127, -128, 32767, 65535, 3, 2147483647, -2147483647, 13 };
  return ls_scalar_fit (d, ls_dtype_is_float (d) ? (LsScalar) { .f = floats[i] } : (LsScalar) { .i = ints[i] });
}

/* A load that may have any value, as a replacement for u. */
static LsUOp *
free_load (LsContext *ctx, LsUOp *u, guint number)
{
  LsDType d = ls_dtype_scalar (u->dtype);
  guint lanes = ls_dtype_lanes (u->dtype);
  LsUOp *global = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (d, LS_SPACE_GLOBAL, N_FREE), ls_arg_int (FIRST_FREE + number));
  LsUOp *range = ls_range_new (ctx, LS_INDEX, N_FREE, FIRST_FREE + number, LS_AXIS_LOOP, 0);
  LsUOp *index = ls_uop_new2 (ctx, LS_OP_INDEX, global->dtype, global, range, ls_arg_none ());
  LsUOp *load = ls_uop_new1 (ctx, LS_OP_LOAD, d, index, ls_arg_none ());
  if (lanes == 1)
    return load;
  g_autofree LsUOp **src = g_new (LsUOp *, lanes);
  for (guint i = 0; i < lanes; i++)
    src[i] = load;
  return ls_uop_new (ctx, LS_OP_VECTORIZE, u->dtype, lanes, src, ls_arg_none ());
}

/* Buffers as the pass's kernel numbers them, or by id at the tensor level. FALSE: contents are missing. large: written buffers are not
 * copied. */
static gboolean
environment (LsReference *r, const LsPass *pass, gboolean large, GArray *eb)
{
  const LsKernel *k = ls_trace_kernel (r->trace, pass->kernel);
  for (guint i = 0; i < (k ? k->buffers->len : r->n); i++) {
    guint id = k ? g_array_index (k->buffers, guint, i) : i;
    LsEvalBuffer b = r->buffers[MIN (id, r->n - 1)];
    if (!b.data && k && i > 0)
      return FALSE;
    if (k && i == 0) {      /* a written buffer is a copy, with memory if it had none */
      gsize n = (gsize) b.n * ls_dtype_itemsize (b.dtype);
      gpointer copy = g_try_malloc0 (n + 8);
      if (!copy)
        return FALSE;
      if (b.data && !large)
        memcpy (copy, b.data, n);
      b.data = copy;
    }
    if (!b.data)
      continue;
    b.id = k ? i : b.id;
    g_array_append_val (eb, b);
    b.id = i == 0 ? G_MININT64 : -(gint64) i;
    if (k)
      g_array_append_val (eb, b);
  }
  return TRUE;
}

/* axes: of a sample (ls_sample_ranges), or empty. */
static void
compare_values (LsReference *r, LsEvaluation *e, LsUOp *before, LsUOp *after, LsUOp *shown, LsTolerance tolerance, const GPtrArray *axes,
                const LsNames *names, LsStepCheck *check)
{
  guint64 n_before, n_after;
  const LsScalar *b = ls_evaluation_values (e, before, &n_before), *a = ls_evaluation_values (e, after, &n_after);
  if (!a || !b || ls_dtype_scalar (before->dtype) != ls_dtype_scalar (after->dtype)) {
    /* the same number in another integer dtype, as index becomes int, may be compared */
    if (!a || !b || ls_dtype_is_float (ls_dtype_scalar (before->dtype)) || ls_dtype_is_float (ls_dtype_scalar (after->dtype)))
      return;
  }
  LsUOp *of = n_before >= n_after ? before : after;
  guint64 n = MAX (n_before, n_after);
  check->dtype = ls_dtype_scalar (before->dtype);
  check->judged = n > 0;
  for (guint64 i = 0; i < n; i++) {
    LsScalar x, y;
    if (!ls_evaluation_at (e, of, i, before, &x) || !ls_evaluation_at (e, of, i, after, &y)) {
      check->judged = FALSE;
      return;
    }
    if (ls_scalar_same (check->dtype, x, y, tolerance, step_bound (tolerance, check->dtype, x.f)))
      continue;
    check->differs = TRUE;
    check->element = i;
    check->want = x;
    check->got = y;
    check->where = axes->len ? ls_sample_where (e, names, of, i, axes) : ls_evaluation_where (e, names, of, i);
    for (guint k = 0; k < before->n_src && before->op == shown->op; k++) {
      LsScalar v;
      LsAskInput in = { shown->src[k]->id, NULL };
      if (ls_evaluation_at (e, of, i, before->src[k], &v))
        in.value = ls_scalar_print (before->src[k]->dtype, v);
      if (in.value)
        g_array_append_val (check->inputs, in);
    }
    return;
  }
}

/* The sample of both nodes where they have shapes, and the same one. FALSE: they have none. */
static gboolean
compare_elements (LsContext *ctx, const GArray *eb, LsUOp *sink, LsUOp *shown, LsTolerance tolerance, LsStepCheck *check)
{
  LsShape shape, other;
  LsUOp *before = sink->src[0], *after = sink->src[1];
  if (!ls_uop_get_shape (ctx, before, &shape, NULL) || !ls_uop_get_shape (ctx, after, &other, NULL) || !ls_shape_equal (shape, other) ||
      before->dtype != after->dtype)
    return FALSE;
  g_autoptr (GArray) elements = ls_sample_choose (shape, LS_SAMPLE_MOST / 4);
  const guint64 *at = (const guint64 *) (gconstpointer) elements->data;
  g_autoptr (LsElements) e = ls_evaluate_elements (ctx, sink, eb->len, (const LsEvalBuffer *) (gconstpointer) eb->data, elements->len, at,
                                                   LS_SAMPLE_MOST_VALUES, NULL);
  check->dtype = before->dtype;
  check->judged = e && elements->len > 0;
  for (guint i = 0; e && i < elements->len && !check->differs; i++) {
    if (!ls_elements_value (e, before, at[i], &check->want) || !ls_elements_value (e, after, at[i], &check->got) ||
        ls_scalar_same (check->dtype, check->want, check->got, tolerance, step_bound (tolerance, check->dtype, check->want.f)))
      continue;
    check->differs = TRUE;
    check->element = at[i];
    check->where = g_strdup_printf ("element %" G_GUINT64_FORMAT, at[i]);
    for (guint k = 0; k < before->n_src && before->op == shown->op; k++) {
      LsAskInput in = { shown->src[k]->id, NULL };
      LsScalar v;
      if (!ls_uop_get_shape (ctx, before->src[k], &other, NULL) || (!ls_shape_equal (shape, other) && ls_shape_size (other) != 1) ||
          !ls_elements_value (e, before->src[k], at[i], &v))
        continue;
      in.value = ls_scalar_print (before->src[k]->dtype, v);
      g_array_append_val (check->inputs, in);
    }
  }
  return TRUE;
}

/* Are the values of the pass evaluated by samples? */
static gboolean
is_sampled (LsReference *r, const LsPass *pass, LsContext *ctx)
{
  const LsKernel *k = ls_trace_kernel (r->trace, pass->kernel);
  LsUOp *graph = k ? ls_reference_kernel_graph (r->trace, k) : ls_context_node (r->trace->ctx, pass->input);
  return graph && ls_graph_is_large (ctx, graph);
}

/* A load from a tile, or from results of other work items, has a value that depends on the order of execution, as an accumulator's does. */
static gboolean
reads_tile (const LsUOp *u)
{
  return u->op == LS_OP_LOAD && u->n_src == 2 && (u->src[1]->op == LS_OP_AFTER || u->src[1]->op == LS_OP_BARRIER);
}

#define MOST_VALUES_OF_VARIABLE 4096

/* A variable that is bound to nothing, as in a graph of the program's own, has every value within its bounds. NULL: those are too many. */
static LsUOp *
free_variable (LsContext *ctx, LsUOp *u, guint number)
{
  gint64 min = u->arg.var->min, n;
  if (__builtin_sub_overflow (u->arg.var->max, min, &n) || n < 0 || n >= MOST_VALUES_OF_VARIABLE)
    return NULL;
  LsUOp *range = ls_range_new (ctx, u->dtype, n + 1, FIRST_FREE + number, LS_AXIS_LOOP, 0);
  return min ? ls_uop_alu2 (ctx, LS_OP_ADD, range, ls_uop_const_i (ctx, u->dtype, min)) : range;
}

void
ls_reference_check_step (LsReference *r, const LsPass *pass, guint step, LsStepCheck *check)
{
  const LsLink *link = ls_pass_step_link (pass, step);
  ls_reference_check_nodes (r, pass, link->before, link->after, ls_tolerance_of_rule (r->trace, link->rule), check);
}

/* ctx: a scratch context that owns the nodes. shown: the node of the recording whose sources are the reported inputs. */
static void
check_pair (LsReference *r, const LsPass *pass, LsContext *ctx, LsUOp *before, LsUOp *after, LsUOp *shown, LsTolerance tolerance,
            LsStepCheck *check)
{
  LsUOp *both[2] = { before, after };
  if (!both[0] || !both[1] || both[0]->op == LS_OP_STORE || both[0]->op == LS_OP_SINK || both[0]->op == LS_OP_INDEX ||
      both[0]->op == LS_OP_PHI || both[1]->op == LS_OP_PHI || reads_tile (both[1]) ||
      (both[1]->op == LS_OP_REDUCE && reads_tile (both[1]->src[0])))
    return;
  LsUOp *sink = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 2, both, ls_arg_none ()), *from[MAX_FREE], *to[MAX_FREE];
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, sink);
  guint n_free = 0;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    gboolean variable = u->op == LS_OP_DEFINE_VAR && pass->kernel == 0;
    if (u->op != LS_OP_PHI && u->op != LS_OP_DEFINE_ACC && !reads_tile (u) && !variable)
      continue;
    if (n_free == MAX_FREE)
      return;
    from[n_free] = u;
    to[n_free] = variable ? free_variable (ctx, u, n_free) : free_load (ctx, u, n_free);
    if (!to[n_free++])
      return;
  }
  if (n_free)
    sink = ls_uop_substitute (ctx, sink, n_free, from, to);
  g_autoptr (GArray) eb = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  gboolean large = is_sampled (r, pass, ctx), ready = environment (r, pass, large, eb);
  guint n_real = eb->len;
  for (guint i = 0; i < n_free && ready; i++) {
    LsDType d = ls_dtype_scalar (from[i]->dtype);
    LsEvalBuffer b = { FIRST_FREE + i, d, N_FREE, g_malloc (N_FREE * 8) };
    for (guint k = 0; k < N_FREE; k++)
      ls_scalar_store (d, b.data + k * ls_dtype_itemsize (d), free_value (d, k));
    g_array_append_val (eb, b);
  }
  r->n_runs += ready;
  if (ready && !(large && compare_elements (ctx, eb, sink, shown, tolerance, check))) {
    g_autoptr (GArray) tables = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
    g_autoptr (GPtrArray) axes = g_ptr_array_new ();
    guint64 n_turns;
    LsUOp *sampled = large ? ls_sample_ranges (ctx, sink, LS_SAMPLE_MOST / 4, 2 * FIRST_FREE, tables, axes, &n_turns) : NULL;
    sink = sampled ? sampled : sink;
    g_array_append_vals (eb, tables->data, tables->len);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsEvaluation) e = ls_evaluate (ctx, sink, eb->len, (LsEvalBuffer *) eb->data, r->max_elements, TRUE, &error);
    if (e)
      compare_values (r, e, sink->src[0], sink->src[1], shown, tolerance, axes, ls_trace_names (r->trace, pass->kernel), check);
    check->faults = !e && ls_fault_is_wrong (error);
  }
  for (guint i = n_real; i < eb->len; i++)
    g_free (g_array_index (eb, LsEvalBuffer, i).data);
  if (pass->kernel > 0 && n_real > 0 && g_array_index (eb, LsEvalBuffer, 0).id == 0)
    g_free (g_array_index (eb, LsEvalBuffer, 0).data);
}

static LsStepCheck
no_check (void)
{
  return (LsStepCheck) { .inputs = g_array_new (FALSE, FALSE, sizeof (LsAskInput)) };
}

void
ls_reference_check_nodes (LsReference *r, const LsPass *pass, guint32 before, guint32 after, LsTolerance tolerance, LsStepCheck *check)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
  LsUOp *b = ls_context_node (ctx, before), *a = ls_context_node (ctx, after);
  *check = no_check ();
  if (b && b->op == LS_OP_GRADIENT)
    ls_check_gradient_step (r->trace, before, after, check);
  else
    check_pair (r, pass, ctx, b, a, b, tolerance, check);
}

/* --- a range that becomes longer --- */

/* Where a store writes, or -1: its gate is closed; or what. */
static LsUOp *
stored (LsContext *ctx, LsUOp *store, LsUOp *also, gboolean value)
{
  LsUOp *index = store->src[0], *gate = index->n_src > 2 ? index->src[2] : NULL, *out = value ? store->src[1] : index->src[1];
  if (also)
    gate = gate ? ls_uop_alu2 (ctx, LS_OP_AND, gate, also) : also;
  LsUOp *none = ls_dtype_is_float (ls_dtype_scalar (out->dtype)) ? ls_uop_const_f (ctx, out->dtype, 0)
                                                                 : ls_uop_const_i (ctx, out->dtype, value ? 0 : -1);
  return gate ? ls_uop_alu3 (ctx, LS_OP_WHERE, gate, out, none) : out;
}

static gboolean
is_store (const LsUOp *u)
{
  return u->op == LS_OP_STORE && u->n_src == 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->n_src >= 2;
}

/* Keeps the first node that differs, or that cannot be judged. */
static gboolean
holds (LsReference *r, const LsPass *pass, LsContext *ctx, LsUOp *before, LsUOp *after, LsUOp *shown, LsTolerance tolerance,
       LsStepCheck *check)
{
  ls_step_check_clear (check);
  *check = no_check ();
  check_pair (r, pass, ctx, before, after, shown, tolerance, check);
  return check->judged && !check->differs;
}

void
ls_reference_check_padded (LsReference *r, const LsPass *pass, guint step, guint32 shorter, guint32 longer, LsStepCheck *check)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
  const LsLink *link = ls_pass_step_link (pass, step);
  LsUOp *from = ls_context_node (ctx, longer), *to = ls_context_node (ctx, shorter), *before = ls_context_node (ctx, link->before),
        *after = ls_context_node (ctx, link->after);
  LsTolerance tolerance = ls_tolerance_of_rule (r->trace, link->rule);
  *check = no_check ();
  if (!from || !to || !before || !after)
    return;
  if (before == to || before == from) {      /* the step that makes it longer */
    check->judged = TRUE;
    return;
  }
  LsUOp *before_short = ls_uop_substitute (ctx, before, 1, &from, &to);
  gboolean over = FALSE;
  for (guint i = 1; before->op == LS_OP_REDUCE && i < before->n_src; i++)
    over |= before->src[i] == from;
  if (over) {      /* elements beyond the end do not count */
    holds (r, pass, ctx, before_short, after, before, tolerance, check);
    return;
  }
  LsUOp *after_short = ls_uop_substitute (ctx, after, 1, &from, &to);
  if (!is_store (before)) {      /* within the original end it is unchanged, and beyond it no load exceeds its memory */
    LsStepCheck whole = no_check ();
    if (holds (r, pass, ctx, before_short, after_short, before, tolerance, check) && !holds (r, pass, ctx, after, after, before, tolerance,
                                                                                             &whole) && whole.faults)
      check->differs = TRUE;
    ls_step_check_clear (&whole);
    return;
  }
  if (!is_store (after) || before->src[0]->src[0] != after->src[0]->src[0])
    return;
  LsUOp *inside = ls_uop_alu2 (ctx, LS_OP_CMPLT, from, ls_uop_const_i (ctx, from->dtype, ls_range_size (to)));
  for (guint value = 0; value < 2; value++)
    if (!holds (r, pass, ctx, stored (ctx, before_short, NULL, value), stored (ctx, after_short, NULL, value), before, tolerance, check))
      return;
  holds (r, pass, ctx, stored (ctx, after, inside, FALSE), stored (ctx, after, NULL, FALSE), before, tolerance, check);
}
