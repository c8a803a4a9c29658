/* Bisect: the first rewrite step that changed a result.
 *
 * Kernel by kernel, each over inputs that the interpretation of the kernels before it gives: the graph before the first rewrite is the
 * reference; the graphs after passes are searched by halving, then the graphs after steps of the pass that is wrong. That takes a number
 * of evaluations logarithmic in the steps. Graphs in the middle of some passes mix two forms and have no value; there each step is
 * judged by itself (step-check.c). A step is named where it is wrong by itself, or where only the whole graphs can be judged; a wrong
 * step in which passes are nested is looked for in those. A difference that a step's rule class allows (nsz, finite, reordering) is not
 * reported. If a result is too large to be interpreted completely, a sample of elements is judged in all graphs (sample.h), and the
 * answer has the size of the sample. If every graph is right and the recorded result is not, the list of UOps is interpreted. If the
 * list is right, the text, the code or its run is wrong. A list that differs from its graph is not judged: this program's linearizer
 * made it, and the interpreter cannot say which of both is wrong.
 *
 * The file is long because one search runs through all of it: kernels, passes, steps, nested passes, list and run share the state of
 * the search.
 */
#include "ask.h"
#include "reference.h"
#include "sample.h"
#include "ir/axis.h"
#include "ir/spec.h"
#include "render/render.h"
#include "run/compiler.h"
#include "run/fault.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
  LsTrace     *trace;
  LsReference *reference;
  LsContext   *ctx;            /* scratch, of recorded graphs */
  LsBisect    *b;
  /* the kernel that is bisected */
  const LsKernel *kernel;      /* NULL: tensor level */
  GBytes      *want;           /* its result; a kernel's */
  GArray      *want_values;    /* LsScalar of every root, one after the other; of a sample, those of its elements; tensor level, and a
                                * kernel's sample */
  GArray      *elements;       /* guint64: the sample that is judged, or NULL: everything */
  LsDType      dtype;
  gboolean     to_the_end;     /* the kernel's last graph agrees with the reference, so that the recorded result can be compared with
                                * the reference */
  gboolean     inexact;        /* fma=1 leaves roundings of products out, polynomials are off by their units */
  double       bound;          /* that another order of its sums may change a result by */
  gboolean     magnified;      /* some values agree only within the larger bound of magnifies */
  gboolean     magnifies;      /* results that depend on such sums, or on approximate values, differ too, in proportion to their size
                                * (bound_after) */
  double       largest;        /* operand of an addition or product of floats in the graph */
  LsShape      shape;          /* the kernel's result */
  /* the first kernel whose result differs from its graph's; reported if no step is wrong, because a later wrong kernel may have written
   * into its memory */
  struct { guint kernel; guint64 element; char *want, *got; } run;
} Bisection;

void
ls_bisect_free (LsBisect *b)
{
  if (!b)
    return;
  for (guint i = 0; i < b->inputs->len; i++)
    g_free (g_array_index (b->inputs, LsAskInput, i).value);
  g_array_unref (b->inputs);
  g_ptr_array_unref (b->notes);
  g_array_unref (b->samples);
  g_free (b->expected);
  g_free (b->where);
  g_free (b->want);
  g_free (b->got);
  g_free (b->out_want);
  g_free (b->out_got);
  g_free (b);
}

G_GNUC_PRINTF (2, 3) static void
note (Bisection *s, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (s->b->notes->len < 50)
    g_ptr_array_add (s->b->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

static LsTolerance
tolerance_up_to (LsTrace *trace, const LsPass *pass, guint n_steps)
{
  LsTolerance t = LS_EXACT;
  for (guint i = 1; i <= n_steps; i++)
    t |= ls_tolerance_of_rule (trace, ls_pass_step_link (pass, i)->rule);
  return t;
}

/* The largest of n wanted values from the first on. */
static double
largest_of (Bisection *s, guint64 first, guint64 n)
{
  double largest = 0;
  gsize n_bytes = 0, size = ls_dtype_itemsize (s->dtype);
  const guint8 *bytes = s->want ? g_bytes_get_data (s->want, &n_bytes) : NULL;
  for (guint64 i = first; bytes && size && i < n_bytes / size && i - first < n; i++) {
    LsScalar v = ls_scalar_load (s->dtype, bytes + i * size);
    largest = isfinite (v.f) ? MAX (largest, fabs (v.f)) : largest;
  }
  for (guint64 i = first; s->want_values && i < s->want_values->len && i - first < n; i++) {
    LsScalar v = g_array_index (s->want_values, LsScalar, i);
    largest = isfinite (v.f) ? MAX (largest, fabs (v.f)) : largest;
  }
  return largest;
}

/* The relative error of a sum carries over to values computed from it: 1,024 times the last bit of the largest value; 16 times in
 * halves. */
static double
bound_after (LsDType d, double largest)
{
  if (!ls_dtype_is_float (d))
    return 0;
  return largest * (ls_dtype_base (d) == LS_BASE_DOUBLE ? 1024 * DBL_EPSILON : ls_dtype_base (d) == LS_BASE_FLOAT
                    ? 1024 * FLT_EPSILON : 16 * 0x1p-8);
}

/* The bound of a kernel's whole result. */
static double
whole_bound (Bisection *s)
{
  return s->bound + (s->magnifies ? bound_after (s->dtype, largest_of (s, 0, G_MAXUINT64)) : 0);
}

static gboolean
same_bytes (Bisection *s, GBytes *got, LsTolerance tolerance, guint64 *where)
{
  gsize n, m, size = ls_dtype_itemsize (s->dtype);
  const guint8 *a = g_bytes_get_data (s->want, &n), *b = g_bytes_get_data (got, &m);
  double bound = whole_bound (s);
  for (guint64 i = 0; size && i < MIN (n, m) / size; i++)
    if (!ls_scalar_same (s->dtype, ls_scalar_load (s->dtype, a + i * size), ls_scalar_load (s->dtype, b + i * size), tolerance, bound)) {
      *where = i;
      return FALSE;
    }
  for (guint64 i = 0; size && bound > s->bound && i < MIN (n, m) / size && !s->magnified; i++)
    s->magnified = !ls_scalar_same (s->dtype, ls_scalar_load (s->dtype, a + i * size), ls_scalar_load (s->dtype, b + i * size), tolerance,
                                    s->bound);
  return TRUE;
}

typedef enum { SAME, DIFFERENT, UNKNOWN } Verdict;

/* One result was looked at: as a whole, or not. */
static void
count (Bisection *s, gboolean judged)
{
  s->b->n_judged += judged;
  s->b->n_unjudged += !judged;
}

/* Values of a SINK's sources, one after the other. */
static GArray *
root_values (LsEvaluation *e, LsUOp *root)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  for (guint i = 0; i < root->n_src; i++) {
    guint64 n;
    const LsScalar *v = ls_evaluation_values (e, root->src[i], &n);
    if (v)
      g_array_append_vals (out, v, (guint) n);
  }
  return out;
}

/* Those of a sample; an element that a source does not have is 0 in every graph. */
static GArray *
root_elements (const LsElements *e, LsUOp *root, const GArray *elements)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsScalar));
  for (guint i = 0; i < root->n_src; i++)
    for (guint k = 0; k < elements->len; k++) {
      LsScalar v = { 0 };
      ls_elements_value (e, root->src[i], g_array_index (elements, guint64, k), &v);
      g_array_append_val (out, v);
    }
  return out;
}

/* A graph's result: of the sample, or whole; evaluation, NULL-able, then gets the values of its nodes. */
static LsGraphState
compute (Bisection *s, LsContext *ctx, LsUOp *root, GBytes **bytes, GArray **values, double *bound, LsEvaluation **evaluation,
         GError **error)
{
  g_autoptr (LsEvaluation) e = NULL;
  g_autoptr (LsElements) some = NULL;
  const guint64 *elements = s->elements ? (const guint64 *) (gconstpointer) s->elements->data : NULL;
  LsGraphState state;
  if (s->kernel && elements) {
    *values = g_array_sized_new (FALSE, TRUE, sizeof (LsScalar), s->elements->len);
    g_array_set_size (*values, s->elements->len);
    return ls_reference_run_elements (s->reference, s->kernel, ctx, root, s->elements->len, elements,
                                      (LsScalar *) (gpointer) (*values)->data, bound, error);
  }
  if (s->kernel) {
    state = ls_reference_run (s->reference, s->kernel, ctx, root, bytes, bound ? &e : NULL, error);
  } else if (elements) {
    state = ls_reference_elements (s->reference, NULL, ctx, root, s->elements->len, elements, &some, error);
    if (state == LS_GRAPH_COMPUTED)
      *values = root_elements (some, root, s->elements);
  } else {
    state = ls_reference_tensor (s->reference, ctx, root, &e, error);
    if (state == LS_GRAPH_COMPUTED)
      *values = root_values (e, root);
  }
  if (bound)
    *bound = e ? ls_evaluation_sum_bound (e) : some ? ls_elements_sum_bound (some) : 0;
  if (evaluation)
    *evaluation = g_steal_pointer (&e);
  return state;
}

/* The first value that differs from want_values: its element and both values. */
static gboolean
first_difference (Bisection *s, LsContext *ctx, LsUOp *root, const GArray *values, LsTolerance tolerance, LsDType *dtype, guint64 *where,
                  LsScalar *want, LsScalar *got)
{
  guint at = 0;
  for (guint i = 0; i < (s->kernel ? 1 : root->n_src); i++) {
    LsShape shape;
    guint64 n = s->elements ? s->elements->len : ls_uop_get_shape (ctx, root->src[i], &shape, NULL) ? (guint64) ls_shape_size (shape) : 0;
    *dtype = s->kernel ? s->dtype : root->src[i]->dtype;
    double bound = s->bound + (s->magnifies ? bound_after (*dtype, largest_of (s, at, n)) : 0);
    for (guint64 k = 0; k < n && at < s->want_values->len && at < values->len; k++, at++) {
      *want = g_array_index (s->want_values, LsScalar, at);
      *got = g_array_index (values, LsScalar, at);
      *where = s->elements ? g_array_index (s->elements, guint64, k) : k;
      if (!ls_scalar_same (*dtype, *want, *got, tolerance, bound))
        return TRUE;
      s->magnified |= bound > s->bound && !ls_scalar_same (*dtype, *want, *got, tolerance, s->bound);
    }
  }
  return FALSE;
}

/* of: the context of the graph below root. fault: may be NULL; whether it is different because it reads or writes outside its memory. */
static Verdict
judge (Bisection *s, LsContext *of, LsUOp *root, LsTolerance tolerance, gboolean keep, gboolean *fault, char **why)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (of);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GArray) values = NULL;
  guint64 where = 0;
  LsScalar want = { 0 }, got = { 0 };
  Verdict verdict = SAME;
  LsDType d = s->dtype;
  if (!root)
    return UNKNOWN;
  LsGraphState state = compute (s, ctx, root, &bytes, &values, NULL, NULL, &error);
  if (state == LS_GRAPH_COMPUTED && bytes && !same_bytes (s, bytes, tolerance, &where)) {
    gsize size = ls_dtype_itemsize (d);
    want = ls_scalar_load (d, (const guint8 *) g_bytes_get_data (s->want, NULL) + where * size);
    got = ls_scalar_load (d, (const guint8 *) g_bytes_get_data (bytes, NULL) + where * size);
    verdict = DIFFERENT;
  } else if (state == LS_GRAPH_COMPUTED && !bytes && first_difference (s, ctx, root, values, tolerance, &d, &where, &want, &got)) {
    verdict = DIFFERENT;
  }
  if (state == LS_GRAPH_NO_VALUE) {
    if (why)
      *why = g_strdup (error ? error->message : "it has no value");
    return UNKNOWN;
  }
  if (state == LS_GRAPH_FAULT)
    verdict = DIFFERENT;
  if (fault)
    *fault = state == LS_GRAPH_FAULT;
  if (verdict == DIFFERENT && keep) {
    g_free (s->b->out_want);
    g_free (s->b->out_got);
    s->b->element = where;
    s->b->out_want = state == LS_GRAPH_FAULT ? NULL : ls_scalar_print (d, want);
    s->b->out_got = state == LS_GRAPH_FAULT ? g_strdup (error->message) : ls_scalar_print (d, got);
  }
  return verdict;
}

/* The reference for the later graphs: the whole result of a graph, or, if it is large, as large a sample of it as can be computed.
 * s->elements, want and want_values are set. */
static gboolean
take_reference (Bisection *s, LsUOp *root, LsShape shape, gboolean large, LsEvaluation **evaluation, GError **error)
{
  GError *own = NULL;
  g_clear_pointer (&s->want, g_bytes_unref);
  g_clear_pointer (&s->want_values, g_array_unref);
  g_clear_pointer (&s->elements, g_array_unref);
  s->bound = 0;
  s->magnifies = FALSE;
  for (guint n = LS_SAMPLE_MOST; n > 0; n /= 4) {
    g_clear_error (&own);
    g_clear_pointer (&s->want_values, g_array_unref);
    g_clear_pointer (&s->elements, g_array_unref);
    s->elements = large ? ls_sample_choose (shape, n) : NULL;
    if (compute (s, s->ctx, root, &s->want, &s->want_values, &s->bound, evaluation, &own) == LS_GRAPH_COMPUTED) {
      s->largest = evaluation && *evaluation ? ls_evaluation_largest (*evaluation) : 0;
      s->magnifies = s->bound > 0 || s->inexact;
      LsBisectSample sample = { s->kernel ? s->kernel->number : 0, s->elements ? s->elements->len : 0, (guint64) ls_shape_size (shape) };
      if (large && sample.n < sample.of)
        g_array_append_val (s->b->samples, sample);
      return TRUE;
    }
    if (!large || !g_error_matches (own, LS_FAULT, LS_FAULT_SIZE))
      break;
  }
  g_propagate_error (error, own);
  return FALSE;
}

static void
take_check (LsBisect *b, LsStepCheck *check)
{
  if (check->judged && check->differs) {
    b->where = g_steal_pointer (&check->where);
    b->want = ls_scalar_print (check->dtype, check->want);
    b->got = ls_scalar_print (check->dtype, check->got);
    g_array_unref (b->inputs);
    b->inputs = g_steal_pointer (&check->inputs);
  }
  ls_step_check_clear (check);
}

static void
name_step (Bisection *s, const LsPass *pass, guint step)
{
  LsBisect *b = s->b;
  const LsLink *link = ls_pass_step_link (pass, step);
  b->step = step;
  b->pass = (gint) pass->index;
  b->stage = pass->stage;
  b->rule = link->rule;
  b->before = link->before;
  b->after = link->after;
}

static void
name_pass (Bisection *s, const LsPass *pass)
{
  s->b->pass = (gint) pass->index;
  s->b->stage = pass->stage;
  s->b->step = 0;
  s->b->rule = -1;
}

static gboolean
stands_below (const LsTrace *trace, LsUOp *root, LsOp op)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (trace->ctx, root);
  for (guint i = 0; i < order->len; i++)
    if (((const LsUOp *) order->pdata[i])->op == op)
      return TRUE;
  return FALSE;
}

/* Why the steps of the pass mean something only together, or NULL. A range that becomes longer: other steps mask the elements beyond its
 * end. An accumulator that becomes memory: its loads and stores are made one after the other, and the graphs between have no meaning. */
static const char *
belong_together (const LsTrace *trace, const LsPass *pass)
{
  for (guint step = 1; ls_pass_n_rewrites (pass) > 1 && step <= ls_pass_n_rewrites (pass); step++) {
    const LsLink *link = ls_pass_step_link (pass, step);
    const LsUOp *before = ls_context_node (trace->ctx, link->before);
    LsUOp *after = ls_context_node (trace->ctx, link->after);
    if (before && after && before->op == LS_OP_RANGE && after->op == LS_OP_RANGE && ls_range_size (after) > ls_range_size (before))
      return "extend a range and mask the elements beyond its end";
    if (before && after && (before->op == LS_OP_DEFINE_ACC || before->op == LS_OP_PHI) && stands_below (trace, after, LS_OP_DEFINE_REG))
      return "move an accumulator to memory, with its loads and stores";
  }
  return NULL;
}

/* The step that extends a range, if there is exactly one; 0: there is none. */
static guint
step_that_pads (const LsTrace *trace, const LsPass *pass)
{
  guint found = 0, n = 0;
  for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
    const LsLink *link = ls_pass_step_link (pass, step);
    const LsUOp *before = ls_context_node (trace->ctx, link->before), *after = ls_context_node (trace->ctx, link->after);
    if (before && after && before->op == LS_OP_RANGE && after->op == LS_OP_RANGE && ls_range_size (after) > ls_range_size (before)) {
      found = step;
      n++;
    }
  }
  return n == 1 ? found : 0;
}

static gboolean local_search (Bisection *s, const LsPass *pass);

/* The steps of a pass that belong together, each judged by its own conditions. TRUE when one is wrong. */
static gboolean
search_padded (Bisection *s, const LsPass *pass)
{
  guint pads = step_that_pads (s->trace, pass);
  const LsLink *longer = pads ? ls_pass_step_link (pass, pads) : NULL;
  for (guint step = 1; longer && step <= ls_pass_n_rewrites (pass); step++) {
    LsStepCheck check;
    ls_reference_check_padded (s->reference, pass, step, longer->before, longer->after, &check);
    s->b->n_steps++;
    if (check.differs) {
      name_step (s, pass, step);
      take_check (s->b, &check);
      return TRUE;
    }
    ls_step_check_clear (&check);
  }
  return FALSE;
}

/* The passes that are nested in the step. TRUE when one of them is wrong. */
static gboolean
search_nested (Bisection *s, const LsPass *pass, guint step)
{
  for (guint i = pass->index + 1; i < s->trace->passes->len; i++) {
    const LsPass *nested = s->trace->passes->pdata[i];
    if (nested->parent != (gint) pass->index || nested->step != step || nested->output == LS_NO_NODE)
      continue;
    LsStepCheck check;
    ls_reference_check_nodes (s->reference, nested, nested->input, nested->output, tolerance_up_to (s->trace, nested,
                                                                                                    ls_pass_n_rewrites (nested)), &check);
    gboolean holds = check.judged && !check.differs, differs = check.judged && check.differs;
    ls_step_check_clear (&check);
    s->b->n_passes++;
    if (!holds && local_search (s, nested))
      return TRUE;
    if (differs) {
      name_pass (s, nested);
      note (s, "pass %s, which is nested in step %u of pass %s, changes the result, but each of its steps that can be judged "
               "separately is right", nested->name, step, pass->name);
      return TRUE;
    }
  }
  return FALSE;
}

/* Every step of the pass by itself. TRUE when one is wrong. */
static gboolean
local_search (Bisection *s, const LsPass *pass)
{
  guint unjudged = 0;
  if (belong_together (s->trace, pass))
    return FALSE;
  for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
    LsStepCheck check;
    ls_reference_check_step (s->reference, pass, step, &check);
    s->b->n_steps++;
    unjudged += !check.judged;
    gboolean differs = check.judged && check.differs;
    if ((differs || !check.judged) && search_nested (s, pass, step)) {
      ls_step_check_clear (&check);
      return TRUE;
    }
    if (differs) {
      name_step (s, pass, step);
      take_check (s->b, &check);
      return TRUE;
    }
    ls_step_check_clear (&check);
  }
  if (unjudged)
    note (s, "pass %s of kernel %u: %u of %u steps change the axes of a value and cannot be judged separately", pass->name,
          pass->kernel, unjudged, ls_pass_n_rewrites (pass));
  return FALSE;
}

/* The wrong step of a pass whose input is right and whose output is not. TRUE when it was found. */
static gboolean
search_steps (Bisection *s, const LsPass *pass, LsTolerance tolerance)
{
  guint low = 0, high = ls_pass_n_rewrites (pass);
  gboolean whole = TRUE, faults = FALSE;
  const char *together = belong_together (s->trace, pass);
  if (together && search_padded (s, pass))
    return TRUE;
  if (together) {
    note (s, "pass %s of kernel %u: its steps %s, and can only be judged together", pass->name, pass->kernel, together);
    return FALSE;
  }
  judge (s, s->trace->ctx, ls_context_node (s->trace->ctx, pass->output), tolerance | tolerance_up_to (s->trace, pass, high), FALSE,
         &faults, NULL);
  while (high - low > 1 && whole) {
    guint mid = low + (high - low) / 2;
    g_autofree char *why = NULL;
    g_autoptr (LsGraph) graph = ls_pass_graph (s->trace, pass, mid);
    gboolean fault = FALSE;
    Verdict v = !graph ? UNKNOWN : judge (s, graph->ctx, graph->root, tolerance | tolerance_up_to (s->trace, pass, mid), FALSE, &fault,
                                          &why);
    if (fault && !faults) {      /* a step that comes later keeps it within its memory, as where the last part of a padded axis is cut
                                  * off */
      why = g_strdup ("it reads or writes outside its memory");
      v = UNKNOWN;
    }
    s->b->n_steps++;
    if (v == UNKNOWN) {
      note (s, "pass %s of kernel %u: graphs between its steps mix two forms (%s), so each step was judged separately", pass->name,
            pass->kernel, why ? why : "no value");
      whole = FALSE;
    } else if (v == SAME) {
      low = mid;
    } else {
      high = mid;
    }
  }
  if (!whole || high == 0)
    return local_search (s, pass);
  LsStepCheck check;
  ls_reference_check_step (s->reference, pass, high, &check);
  if (!check.judged || !check.differs) {
    /* a graph between steps can have a value that means nothing: then the steps themselves decide, and one that is right by itself is
     * not named */
    gboolean right = check.judged;
    ls_step_check_clear (&check);
    if (local_search (s, pass))
      return TRUE;
    if (right)
      return FALSE;
    ls_reference_check_step (s->reference, pass, high, &check);
  } else if (search_nested (s, pass, high)) {
    ls_step_check_clear (&check);
    return TRUE;
  }
  name_step (s, pass, high);
  take_check (s->b, &check);
  return TRUE;
}

/* Is it a pass with approximate rules, and does every step, also of other rules, stay within the bound of its class? Then a different
 * result is not a fault: an error of one unit may become any number of units in later operations. */
static gboolean
holds_its_units (Bisection *s, const LsPass *pass)
{
  gboolean approximate = FALSE;
  for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
    LsStepCheck check;
    approximate |= ls_tolerance_of_rule (s->trace, ls_pass_step_link (pass, step)->rule) >> LS_ULPS_SHIFT;
    ls_reference_check_step (s->reference, pass, step, &check);
    s->b->n_steps++;
    gboolean holds = check.judged && !check.differs;
    ls_step_check_clear (&check);
    if (!holds)
      return FALSE;
  }
  return approximate;
}

/* Results agree only within the bound of approximate rules and of sums in another order, which is large for halves: does each step stay
 * within the bound of its own class? TRUE when one does not. */
static gboolean
search_units (Bisection *s, GPtrArray *passes)
{
  for (guint i = 0; i < passes->len; i++) {
    const LsPass *pass = passes->pdata[i];
    if (belong_together (s->trace, pass))
      continue;
    for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
      LsStepCheck check;
      ls_reference_check_step (s->reference, pass, step, &check);
      s->b->n_steps++;
      if (!check.judged || !check.differs) {
        ls_step_check_clear (&check);
        continue;
      }
      s->b->found = TRUE;
      s->b->kernel = pass->kernel;
      if (search_nested (s, pass, step)) {
        ls_step_check_clear (&check);
        return TRUE;
      }
      name_step (s, pass, step);
      take_check (s->b, &check);
      return TRUE;
    }
  }
  return FALSE;
}

/* Is something decided by floats: a comparison, an integer made of one? What is decided of values that a rule lets differ, as the
 * order of a sum does, may be anything: no bound holds. */
static gboolean
decides_by_floats (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    gboolean of_float = u->n_src > 0 && ls_dtype_is_float (ls_dtype_scalar (u->src[0]->dtype));
    if (of_float && (ls_op_is_comparison (u->op) || u->op == LS_OP_TRUNC ||
                     (u->op == LS_OP_CAST && !ls_dtype_is_float (ls_dtype_scalar (u->dtype)))))
      return TRUE;
  }
  return FALSE;
}

/* The result after a pass differs. Whether that may not be a fault of the pass, because a comparison or an integer depends on a
 * difference that its rules allow. A step that is wrong by itself is reported, with *found. */
static gboolean
may_decide (Bisection *s, const LsPass *pass, gboolean *found)
{
  LsUOp *input = ls_context_node (s->trace->ctx, pass->input);
  *found = FALSE;
  if (!(tolerance_up_to (s->trace, pass, ls_pass_n_rewrites (pass)) & ~LS_ANY_ZERO) || !input || !decides_by_floats (s->ctx, input))
    return FALSE;
  return !(*found = local_search (s, pass));
}

/* Are two ranges of the graph called by one number and part? A pass that identifies ranges by these numbers confuses them: the fault is
 * in the earlier pass, which gave the number. */
static gboolean
confuses_ranges (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root), ranges = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_RANGE)
      continue;
    for (guint k = 0; k < ranges->len; k++)
      if (ls_range_axis (ranges->pdata[k]) == ls_range_axis (u) && ls_range_part (ranges->pdata[k]) == ls_range_part (u))
        return TRUE;
    g_ptr_array_add (ranges, u);
  }
  return FALSE;
}

/* passes[0 … n-1] in order; the result of the first one's input is known. TRUE when one of them is wrong. */
static gboolean
search_passes (Bisection *s, GPtrArray *passes)
{
  guint n = passes->len;
  g_autofree LsTolerance *tolerance = g_new0 (LsTolerance, n + 1);
  for (guint i = 0; i < n; i++)
    tolerance[i + 1] = tolerance[i] | tolerance_up_to (s->trace, passes->pdata[i], ls_pass_n_rewrites (passes->pdata[i]));
#define OUTPUT(i) ls_context_node (s->trace->ctx, ((LsPass *) passes->pdata[(i) - 1])->output)
  s->b->n_passes += n;
  guint low = 0, high = n;
  Verdict v = UNKNOWN;
  g_autofree char *why = NULL;
  s->magnified = FALSE;
  while (high > 0 && (v = judge (s, s->trace->ctx, OUTPUT (high), tolerance[high], TRUE, NULL, &why)) == UNKNOWN) {
    const LsPass *p = passes->pdata[high - 1];
    note (s, "after pass %s of kernel %u: %s", p->name, p->kernel, why ? why : "no value");
    g_clear_pointer (&why, g_free);
    high--;
  }
  s->to_the_end = n == 0 || (high == n && v == SAME);
  if (high < n || v == SAME)
    count (s, high == n);
  if (high == 0 || v == SAME)
    return (s->inexact || s->magnified) && search_units (s, passes);
  while (high - low > 1) {
    /* the middle, or the closest graph that has a value */
    guint mid = 0;
    for (guint d = 0; d < high - low && mid == 0; d++)
      for (int side = 0; side < 2 && mid == 0; side++) {
        guint m = low + (high - low) / 2 + (side ? -d : d);
        if (m > low && m < high && (v = judge (s, s->trace->ctx, OUTPUT (m), tolerance[m], FALSE, NULL, NULL)) != UNKNOWN)
          mid = m;
      }
    if (mid == 0)
      break;
    if (v == SAME)
      low = mid;
    else
      high = mid;
  }
  s->b->found = TRUE;
  s->b->kernel = s->kernel ? s->kernel->number : 0;
  if (high - low == 1) {
    const LsPass *p = passes->pdata[low];
    if (s->kernel && confuses_ranges (s->ctx, ls_context_node (s->trace->ctx, p->input))) {
      s->b->found = FALSE;
      s->b->kernel = 0;
      g_clear_pointer (&s->b->out_want, g_free);
      g_clear_pointer (&s->b->out_got, g_free);
      note (s, "pass %s of kernel %u: the result differs, and two ranges of its input have the same number, given by an earlier pass; "
               "later passes cannot be judged", p->name, p->kernel);
      count (s, FALSE);
      return FALSE;
    }
    gboolean named, decided = may_decide (s, p, &named);
    if (named)
      return TRUE;
    if (decided || (s->inexact && s->kernel && holds_its_units (s, p))) {
      g_autoptr (GPtrArray) rest = g_ptr_array_new ();
      g_autoptr (LsEvaluation) e = NULL;
      g_autoptr (GError) error = NULL;
      s->b->found = FALSE;
      g_clear_pointer (&s->b->out_want, g_free);
      g_clear_pointer (&s->b->out_got, g_free);
      s->b->kernel = 0;
      note (s, decided ? "pass %s of kernel %u: its rules allow small differences of floats, and a comparison or an integer depends on "
                         "them: the result differs, which may not be a fault. Later graphs are compared with this one" :
            "pass %s of kernel %u: each step is within the error that its rule allows, but the result differs by more: later operations "
            "magnify the error. Later graphs are compared with this one",
            p->name, p->kernel);
      if (decided)
        count (s, FALSE);
      for (guint i = high; i < n; i++)
        g_ptr_array_add (rest, passes->pdata[i]);
      if (!take_reference (s, OUTPUT (high), s->shape, ls_graph_is_large (s->ctx, OUTPUT (high)), &e, &error)) {
        s->to_the_end = FALSE;
        count (s, FALSE);
        return FALSE;
      }
      return search_passes (s, rest);
    }
    if (!search_steps (s, p, tolerance[low]))
      name_pass (s, p);
    return TRUE;
  }
  for (guint i = low; i < high; i++)
    if (local_search (s, passes->pdata[i]))
      return TRUE;
  const LsPass *first = passes->pdata[low], *last = passes->pdata[high - 1];
  name_pass (s, last);
  note (s, "the passes from %s to %s of kernel %u change the result; no graph between them can be evaluated", first->name, last->name,
        first->kernel);
  return TRUE;
}

static gboolean
same_digest (Bisection *s, const LsTraceBuffer *out)
{
  gsize n;
  const guint8 *want = g_bytes_get_data (s->want, &n);
  g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, want,
                                                         MIN (n, (gsize) out->n_elements * ls_dtype_itemsize (s->dtype)));
  return strcmp (digest, out->digest) == 0;
}

/* The reference's value of an element, where it was computed. */
static gboolean
wanted (Bisection *s, guint i, guint64 *element, LsScalar *value)
{
  gsize n, size = ls_dtype_itemsize (s->dtype);
  if (s->elements) {
    *element = i < s->elements->len ? g_array_index (s->elements, guint64, i) : 0;
    *value = i < s->elements->len ? g_array_index (s->want_values, LsScalar, i) : (LsScalar) { 0 };
    return i < s->elements->len;
  }
  const guint8 *bytes = g_bytes_get_data (s->want, &n);
  *element = i;
  if (size == 0 || i >= n / size)
    return FALSE;
  *value = ls_scalar_load (s->dtype, bytes + (gsize) i * size);
  return TRUE;
}

/* Does the kernel's graph compute the tensors that it was cut out for? tensors: the result of the last pass over tensors, or NULL: it
 * was sampled. */
static gboolean
search_schedule (Bisection *s, const LsKernel *k, const LsUOp *graph, guint64 n_elements, LsEvaluation *tensors)
{
  for (guint i = 0; i < s->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (s->trace->decisions, LsDecision, i);
    gboolean own = d->kernel == k->number &&
                   (ls_kernel_n_outputs (k) <= 1 || d->node == ls_kernel_value (s->trace, k, s->reference->output));
    LsUOp *node = own ? ls_context_node (s->trace->ctx, d->node) : NULL;
    g_autoptr (LsElements) some = NULL;
    guint64 n = 0, element;
    LsScalar want, value;
    LsShape shape;
    const LsScalar *v = node && tensors ? ls_evaluation_values (tensors, node, &n) : NULL;
    if (node && !v && s->elements && ls_uop_get_shape (s->ctx, node, &shape, NULL) && (n = (guint64) ls_shape_size (shape)) == n_elements)
      ls_reference_elements (s->reference, NULL, s->ctx, node, s->elements->len, (const guint64 *) (gconstpointer) s->elements->data, &some,
                             NULL);
    if ((!v && !some) || n != n_elements)
      continue;
    for (guint e = 0; wanted (s, e, &element, &value); e++) {
      if (v)
        want = v[element];
      else if (!ls_elements_value (some, node, element, &want))
        continue;
      want = ls_scalar_fit (s->dtype, want);
      if (ls_scalar_same (s->dtype, want, value, LS_EXACT, 0))
        continue;
      s->b->found = TRUE;
      s->b->kernel = k->number;
      s->b->stage = "schedule";
      s->b->before = node->id;
      s->b->after = graph->id;
      s->b->element = element;
      s->b->out_want = ls_scalar_print (s->dtype, want);
      s->b->out_got = ls_scalar_print (s->dtype, value);
      return TRUE;
    }
  }
  return FALSE;
}

/* The first element of the executed kernel's result that differs from its graph's. */
static gboolean
run_differs (Bisection *s, const LsTraceBuffer *out, LsTolerance tolerance, guint64 *element, LsScalar *want, LsScalar *got)
{
  gsize size = ls_dtype_itemsize (s->dtype);
  double bound = whole_bound (s);
  for (guint i = 0; wanted (s, i, element, want); i++) {
    if (size == 0 || *element >= out->n_data / size)
      continue;
    *got = ls_scalar_load (s->dtype, out->data + *element * size);
    if (!ls_scalar_same (s->dtype, *want, *got, tolerance, bound))
      return TRUE;
  }
  return FALSE;
}

/* Whether the reference's inputs are the contents that the kernel read, which may differ if an earlier rule allowed it; replaces them by
 * the recorded contents, and former keeps the old ones. FALSE: they are the same, or (*unknown) some of them were not kept. */
static gboolean
take_recorded_inputs (Bisection *s, const LsKernel *k, GArray *former, gboolean *unknown)
{
  gboolean other = FALSE;
  *unknown = FALSE;
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    LsEvalBuffer *b = id < s->reference->n ? &s->reference->buffers[id] : NULL;
    const LsTraceBuffer *t = id < s->trace->buffers->len ? s->trace->buffers->pdata[id] : NULL;
    gsize nbytes = b ? (gsize) b->n * ls_dtype_itemsize (b->dtype) : 0;
    gpointer was = b ? b->data : NULL;
    gboolean kept = b && t && t->data && t->n_data == nbytes && was;
    if (b && was && !kept) {
      g_autofree char *digest = t && t->digest ? g_compute_checksum_for_data (G_CHECKSUM_SHA256, was, nbytes) : NULL;
      *unknown |= !digest || strcmp (digest, t->digest) != 0;
    }
    if (kept && memcmp (was, t->data, nbytes) != 0) {
      b->data = t->data;
      other = TRUE;
    }
    g_array_append_val (former, was);
  }
  return other;
}

/* Does the text leave it to the language in which order a chain of floats is added up? */
static gboolean
writes_flat_chains (Bisection *s, const LsKernel *k)
{
  const LsTarget *target = ls_target_find (k->target);
  const LsRenderer *renderer = target ? target->renderer : NULL;
  return renderer && renderer->reorders && renderer->reorders (target, ls_settings_profile (&s->reference->settings));
}

/* The undefined behavior that the executed source relies on where the list defines it; NULL: none. */
static const char *
departure (Bisection *s, const LsKernel *k)
{
  const LsCompiler *compiler = ls_compiler_find (k->values_compiler && *k->values_compiler ? k->values_compiler : k->compiler);
  if (compiler && compiler->how == LS_COMPILER_INTERPRETER)
    return NULL;
  if (!k->departs)
    return ls_settings_profile (&s->reference->settings) == LS_PROFILE_DEFAULT
           ? NULL : "the recording does not say what (its schema is older than 8)";
  return *k->departs ? k->departs : NULL;
}

#define MOST_IN_CHAIN 64

/* The largest difference that another order can cause. */
static double
bound_of_chains (Bisection *s)
{
  double epsilon = ls_dtype_base (s->dtype) == LS_BASE_DOUBLE ? DBL_EPSILON : ls_dtype_base (s->dtype) == LS_BASE_FLOAT
                   ? FLT_EPSILON : 0x1p-7;
  return MOST_IN_CHAIN * epsilon * s->largest + (s->magnifies ? 0 : bound_after (s->dtype, largest_of (s, 0, G_MAXUINT64)));
}

/* Does the list behind the text compute the same as its graph? A result that is judged by a sample is not looked at. TRUE: it does not,
 * and text and run are not judged. */
static gboolean
search_list (Bisection *s, const LsKernel *k, LsTolerance tolerance)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const LsPass *pass = NULL;
  guint64 where = 0;
  for (guint i = 0; i < k->listing->len; i++)
    g_ptr_array_add (list, ls_context_node (s->trace->ctx, g_array_index (k->listing, guint32, i)));
  for (guint i = 0; i < k->passes->len && !pass; i++) {
    const LsPass *p = s->trace->passes->pdata[g_array_index (k->passes, guint, i)];
    pass = strcmp (p->stage, ls_stage_infos[LS_STAGE_LINEARIZE].name) == 0 ? p : NULL;
  }
  if (!pass || !list->len || s->elements || g_ptr_array_find (list, NULL, NULL))
    return FALSE;
  LsGraphState state = ls_reference_run_list (s->reference, k, list, &bytes, &error);
  if (state == LS_GRAPH_NO_VALUE || (state == LS_GRAPH_COMPUTED && same_bytes (s, bytes, tolerance, &where)))
    return FALSE;
  note (s, "kernel %u: the list of UOps and the last graph compute different results: either the order of the list is wrong, or the "
           "graph is ambiguous. This is not judged further", k->number);
  count (s, FALSE);
  return TRUE;
}

/* Compares the executed kernel's result with its graph's; on the inputs that it really read if they differ from the reference's. */
static gboolean
search_run (Bisection *s, const LsKernel *k, const LsTraceBuffer *out, LsUOp *graph, LsShape shape, LsTolerance tolerance)
{
  LsScalar want, got;
  guint64 element;
  if (writes_flat_chains (s, k) && ls_dtype_is_float (s->dtype)) {
    tolerance |= LS_REORDERED | LS_ANY_ZERO;
    s->bound += bound_of_chains (s);
  }
  if (!run_differs (s, out, tolerance, &element, &want, &got))
    return FALSE;
  g_autoptr (GArray) former = g_array_new (FALSE, FALSE, sizeof (gpointer));
  g_autoptr (GError) error = NULL;
  LsEvaluation *e = NULL;
  gboolean unknown, other = take_recorded_inputs (s, k, former, &unknown),
           again = other && take_reference (s, graph, shape, ls_graph_is_large (s->ctx, graph), &e, &error);
  for (guint i = 0; i < former->len; i++) {
    guint id = g_array_index (k->buffers, guint, i + ls_kernel_n_outputs (k));
    if (id < s->reference->n)
      s->reference->buffers[id].data = g_array_index (former, gpointer, i);
  }
  if (e)
    ls_evaluation_free (e);
  if (other && again && !run_differs (s, out, tolerance, &element, &want, &got))
    return FALSE;
  if (unknown || (other && !again)) {
    note (s, "kernel %u: its result was not judged, because it read results of earlier kernels that were not all kept", k->number);
    count (s, FALSE);
    return FALSE;
  }
  if (!other && search_list (s, k, tolerance))      /* over other inputs it is not compared */
    return FALSE;
  if ((tolerance & ~LS_ANY_ZERO || writes_flat_chains (s, k)) && decides_by_floats (s->ctx, graph)) {
    note (s, "kernel %u: its rules, or the order of additions in its source, allow small differences of floats, and a comparison or an "
             "integer depends on them: its result differs from its graph's, which may not be a fault", k->number);
    count (s, FALSE);
    return FALSE;
  }
  const char *departs = departure (s, k);
  if (departs) {
    g_autofree char *a = ls_scalar_print (s->dtype, want), *b = ls_scalar_print (s->dtype, got);
    note (s, "kernel %u: its graph computes %s for element %" G_GUINT64_FORMAT
             ", and it wrote %s. Its text leaves to C: %s. So the difference need not be a fault", k->number, a, element, b, departs);
    count (s, FALSE);
    return FALSE;
  }
  if (!s->run.kernel) {
    s->run.kernel = k->number;
    s->run.element = element;
    s->run.want = ls_scalar_print (s->dtype, want);
    s->run.got = ls_scalar_print (s->dtype, got);
  }
  return FALSE;
}

/* Is the recorded result written by this kernel only? */
static gboolean
wrote_alone (LsTrace *trace, guint id)
{
  guint n = 0;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *other = trace->kernels->pdata[i];
    n += ls_kernel_output_number (other, id) >= 0;
  }
  return n == 1;
}

/* A result of a kernel: its graph against its tensor, its passes, and its execution. */
static gboolean
search_result (Bisection *s, const LsKernel *k, LsEvaluation *tensors)
{
  LsTrace *trace = s->trace;
  g_autoptr (GError) error = NULL;
  LsUOp *graph = ls_reference_kernel_graph (trace, k);
  if (!graph || k->buffers->len == 0) {
    note (s, "kernel %u: its graph is not recorded", k->number);
    count (s, FALSE);
    return FALSE;
  }
  guint id = ls_kernel_output (k, s->reference->output);
  const LsTraceBuffer *out = trace->buffers->pdata[MIN (id, trace->buffers->len - 1)];
  g_autoptr (LsEvaluation) e = NULL;
  g_autoptr (GPtrArray) passes = g_ptr_array_new ();
  LsShape flat = { 1, (const gint64[]) { (gint64) out->n_elements } }, shape;
  const LsUOp *store = graph->n_src > s->reference->output ? graph->src[s->reference->output] : graph;
  if (store->op != LS_OP_STORE || store->n_src != 3 || !ls_uop_get_shape (s->ctx, store->src[2], &shape, NULL) ||
      ls_shape_size (shape) != ls_shape_size (flat))
    shape = flat;
  s->shape = shape;
  s->kernel = k;
  s->dtype = ls_dtype_strong (out->dtype);
  if (!ls_reference_prepare (s->reference, k->number, &error) || !take_reference (s, graph, shape, ls_graph_is_large (s->ctx, graph), &e,
                                                                                  &error)) {
    note (s, "kernel %u: %s", k->number, error->message);
    count (s, FALSE);
    return FALSE;
  }
  if (search_schedule (s, k, graph, out->n_elements, tensors))
    return TRUE;
  if (k->same_as == 0) {
    LsTolerance all = LS_EXACT;
    for (guint i = 0; i < k->passes->len; i++) {
      LsPass *p = trace->passes->pdata[g_array_index (k->passes, guint, i)];
      if (p->kind != LS_PASS_REWRITE || p->output == LS_NO_NODE || p->parent >= 0)
        continue;
      g_ptr_array_add (passes, p);
      all |= tolerance_up_to (trace, p, ls_pass_n_rewrites (p));
    }
    if (search_passes (s, passes))
      return TRUE;
    /* all graphs agree: is the executed result right? */
    gboolean last = k->run_ns->len > 0 && !k->run_error && wrote_alone (trace, id);
    if (ls_kernel_by_hand (k))
      all |= LS_REORDERED;
    for (guint i = 0; last && s->to_the_end && i < passes->len; i++) {
      const LsPass *p = passes->pdata[i];
      LsUOp *input = ls_context_node (trace->ctx, p->input);
      if (!input || !confuses_ranges (s->ctx, input))
        continue;
      note (s, "kernel %u: its result was not compared with its last graph, because two ranges of the input of pass %s have the same "
               "number",
            k->number, p->name);
      count (s, FALSE);
      return FALSE;
    }
    if (last && !s->to_the_end) {
      note (s, "kernel %u: its result was not compared with its last graph, because that graph could not be judged", k->number);
      return FALSE;      /* search_passes has counted it as not judged */
    }
    if (last && out->data)
      return search_run (s, k, out, graph, shape, all);
    if (last && out->digest && s->elements) {
      note (s, "kernel %u: its result was not compared with its graph's, because the result was not kept", k->number);
      count (s, FALSE);
    } else if (last && out->digest && !same_digest (s, out)) {
      gboolean exact = all == LS_EXACT && !writes_flat_chains (s, k) && !departure (s, k);
      if (exact && !s->run.kernel)
        s->run.kernel = k->number;
      note (s, exact ? "kernel %u: the digest of its result differs from its graph's; the contents were not kept, so no element can be "
                       "named"
                     : "kernel %u: the digest of its result differs from its graph's; the contents were not kept, so no element can be "
                       "named, and its rules or its source allow small differences", k->number);
      count (s, FALSE);
    }
  }
  return FALSE;
}

static gboolean
search_kernel (Bisection *s, const LsKernel *k, LsEvaluation *tensors)
{
  gboolean found = FALSE;
  for (guint i = 0; i < MAX (ls_kernel_n_outputs (k), 1) && !found; i++) {
    s->reference->output = i;
    found = search_result (s, k, tensors);
  }
  s->reference->output = 0;
  return found;
}

/* One tensor pass. tensors gets the values of its output's nodes. */
static gboolean
search_tensor (Bisection *s, LsPass *pass, LsEvaluation **tensors)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsEvaluation) e = NULL;
  g_autoptr (GPtrArray) passes = g_ptr_array_new ();
  LsUOp *input = ls_context_node (s->trace->ctx, pass->input), *output = ls_context_node (s->trace->ctx, pass->output);
  g_clear_pointer (tensors, ls_evaluation_free);
  s->kernel = NULL;
  if (!input || !output) {
    note (s, "pass %s: it was stopped", pass->name);
    count (s, FALSE);
    return FALSE;
  }
  LsShape shape = { 0 };
  for (guint i = 0; i < input->n_src; i++) {      /* elements of the largest of them: the others have some of these numbers */
    LsShape one;
    if (ls_uop_get_shape (s->ctx, input->src[i], &one, NULL) && (i == 0 || ls_shape_size (one) > ls_shape_size (shape)))
      shape = one;
  }
  s->shape = shape;
  gboolean large = ls_graph_is_large (s->ctx, input) || ls_graph_is_large (s->ctx, output);
  if (!ls_reference_prepare (s->reference, ls_reference_kernels_before (s->trace, pass) + 1, &error) ||
      !take_reference (s, input, shape, large, &e, &error)) {
    note (s, "pass %s was not judged: %s", pass->name, error->message);
    count (s, ls_pass_n_rewrites (pass) == 0);
    return FALSE;
  }
  g_ptr_array_add (passes, pass);
  if (ls_pass_n_rewrites (pass) > 0 && search_passes (s, passes))
    return TRUE;
  if (output == input && e)
    *tensors = g_steal_pointer (&e);
  else if (!large)
    ls_reference_tensor (s->reference, s->ctx, output, tensors, NULL);
  return FALSE;
}

/* A rewrite of a graph that the program built: the values of its variables are not known, so each step is judged separately, for all
 * their values. So is each of the chain rule, whose graphs have no value. */
static void
search_apart (Bisection *s, const LsPass *pass)
{
  g_autoptr (GError) error = NULL;
  guint unjudged = s->b->notes->len;
  s->kernel = NULL;
  s->b->n_passes++;
  const LsUOp *result = ls_context_node (s->trace->ctx, pass->output);
  if (ls_pass_n_rewrites (pass) == 0 || (result && ls_uop_is_text (result)))      /* a text has no value */
    return;
  if (!ls_reference_prepare (s->reference, ls_reference_kernels_before (s->trace, pass) + 1, &error))
    note (s, "pass %s was not judged: %s", pass->name, error->message);
  else if (local_search (s, pass))
    s->b->found = TRUE;
  count (s, s->b->found || s->b->notes->len == unjudged);
}

static gboolean
approximates (const LsTrace *trace)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 0; k < pass->stats->len; k++) {
      const LsRuleStat *stat = &g_array_index (pass->stats, LsRuleStat, k);
      if (stat->hits && stat->rule < trace->rules->len &&
          g_str_has_prefix (((const LsTraceRule *) trace->rules->pdata[stat->rule])->rule_class, "approximate"))
        return TRUE;
    }
  }
  return FALSE;
}

LsBisect *
ls_bisect (LsTrace *trace, GError **error)
{
  LsBisect *b = g_new0 (LsBisect, 1);
  b->trace = trace;
  g_autoptr (LsReference) reference = ls_reference_new (trace);
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  Bisection s = { .trace = trace, .reference = reference, .ctx = ctx, .b = b, .inexact = reference->settings.FMA != 0 ||
                  approximates (trace) };
  LsEvaluation *tensors = NULL;
  b->pass = -1;
  b->rule = -1;
  b->before = b->after = LS_NO_NODE;
  b->inputs = g_array_new (FALSE, FALSE, sizeof (LsAskInput));
  b->notes = g_ptr_array_new_with_free_func (g_free);
  b->samples = g_array_new (FALSE, FALSE, sizeof (LsBisectSample));
  guint done = 0;      /* kernels */
  for (guint i = 0; i < trace->passes->len && !b->found; i++) {
    LsPass *pass = trace->passes->pdata[i];
    if (pass->parent >= 0)      /* looked at with its step */
      continue;
    if (strcmp (pass->stage, ls_stage_infos[LS_STAGE_REWRITE].name) == 0 || strcmp (pass->stage,
                                                                                    ls_stage_infos[LS_STAGE_GRADIENT].name) == 0)
      search_apart (&s, pass);
    else if (pass->kernel == 0 && pass->kind == LS_PASS_REWRITE)
      search_tensor (&s, pass, &tensors);
    else if (pass->kernel > done) {
      done = pass->kernel;
      search_kernel (&s, ls_trace_kernel (trace, pass->kernel), tensors);
    }
  }
  if (!b->found && s.run.kernel) {
    b->found = TRUE;
    b->pass = -1;
    b->kernel = s.run.kernel;
    b->stage = "run";
    b->element = s.run.element;
    g_free (b->out_want);
    g_free (b->out_got);
    b->out_want = g_steal_pointer (&s.run.want);
    b->out_got = g_steal_pointer (&s.run.got);
  }
  g_free (s.run.want);
  g_free (s.run.got);
  ls_evaluation_free (tensors);
  g_clear_pointer (&s.want, g_bytes_unref);
  g_clear_pointer (&s.want_values, g_array_unref);
  g_clear_pointer (&s.elements, g_array_unref);
  b->n_runs = reference->n_runs;
  return b;
}
