/* The reference of a recorded program: the values of its graphs, by interpretation.
 *
 * The program's inputs come from the recording. An input that another kernel wrote is computed from that kernel's graph from the
 * schedule, so that each kernel is judged separately and compiled code is not trusted. An input that is too large for that is taken from
 * the run, if it was kept: both sides of a comparison read the same contents. Graphs without accumulators are evaluated node by node;
 * those with accumulators have an order and are linearized and interpreted. For large results, elements are computed separately
 * (sample.h).
 */
#include "reference.h"

#include "codegen/linearize.h"
#include "pipeline/pipeline.h"
#include "ir/print.h"
#include "ir/view.h"
#include "run/elements.h"
#include "run/fault.h"
#include "sample.h"

#include <math.h>
#include <string.h>

LsReference *
ls_reference_new (LsTrace *trace)
{
  LsReference *r = g_new0 (LsReference, 1);
  r->trace = ls_trace_ref (trace);
  r->max_elements = 50000000;
  r->ready = 1;
  ls_trace_settings (trace, &r->settings);
  r->n = trace->buffers->len;
  r->buffers = g_new0 (LsEvalBuffer, MAX (r->n, 1));
  for (guint i = 0; i < r->n; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    LsDType d = ls_dtype_strong (b->dtype);
    r->buffers[i] = (LsEvalBuffer) { i, d, b->n_elements, NULL };
    if (b->data && b->dtype != LS_VOID && b->n_data / MAX (ls_dtype_itemsize (d), 1) >= b->n_elements)
      r->buffers[i].data = g_memdup2 (b->data, MAX (b->n_data, 1));
  }
  for (guint i = 0; i + 1 < r->n; i++) {      /* the program's input is copied into the next buffer, which is kept */
    const LsTraceBuffer *host = trace->buffers->pdata[i], *input = trace->buffers->pdata[i + 1];
    if (!r->buffers[i].data && r->buffers[i + 1].data && g_strcmp0 (host->role, "host") == 0 && g_strcmp0 (input->role, "input") == 0 &&
        host->dtype == input->dtype && host->n_elements == input->n_elements)
      r->buffers[i].data = g_memdup2 (input->data, MAX (input->n_data, 1));
  }
  return r;
}

void
ls_reference_free (LsReference *r)
{
  if (!r)
    return;
  for (guint i = 0; i < r->n; i++)
    g_free (r->buffers[i].data);
  g_free (r->buffers);
  ls_trace_unref (r->trace);
  g_free (r);
}

gboolean
ls_graph_accumulates (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++)
    switch ((int) ((LsUOp *) order->pdata[i])->op) {
    case LS_OP_PHI: case LS_OP_DEFINE_REG: case LS_OP_AFTER: case LS_OP_BARRIER: return TRUE;
    default: break;
    }
  return FALSE;
}

LsScheduleHow
ls_recorded_schedule_how (const LsTrace *trace, const LsSettings *settings, const GArray *overrides)
{
  LsScheduleHow how = ls_pipeline_schedule_how (settings, overrides);
  how.outputs = how.outputs && (!trace->schema || trace->schema >= 13);
  return how;
}

gboolean
ls_recorded_reuses (const LsTrace *trace, const LsSettings *settings)
{
  return ls_pipeline_reuses (settings) && (!trace->schema || trace->schema >= 14);
}

LsUOp *
ls_reference_kernel_graph (LsTrace *trace, const LsKernel *k)
{
  const LsKernel *code = k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : k;
  const LsPass *scheduled = NULL;
  for (guint i = 0; code && i < code->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[g_array_index (code->passes, guint, i)];
    if (p->kind == LS_PASS_REWRITE)
      return ls_context_node (trace->ctx, p->input);
    scheduled = p;
  }
  return scheduled && !*k->name ? ls_context_node (trace->ctx, scheduled->output) : NULL;      /* nothing was made of it yet */
}

LsUOp *
ls_reference_graph_of (LsTrace *trace, guint number, GError **error)
{
  const LsKernel *k = ls_trace_kernel (trace, number);
  LsUOp *graph = k ? ls_reference_kernel_graph (trace, k) : NULL;
  if (!graph)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, k ? "the recording ends before the graph of kernel %u" : "there is no kernel %u", number);
  return graph;
}

/* All values where there is room for all, else those of the roots. */
static LsEvaluation *
evaluate (LsReference *r, LsContext *ctx, LsUOp *root, guint n, const LsEvalBuffer *buffers, gboolean all, GError **error)
{
  LsEvaluation *e = all ? ls_evaluate (ctx, root, n, buffers, r->max_elements, TRUE, NULL) : NULL;
  return e ? e : ls_evaluate (ctx, root, n, buffers, r->max_elements, FALSE, error);
}

/* The buffers that a kernel's graph reads and writes. */
typedef struct {
  guint         n;
  GArray       *eval;         /* LsEvalBuffer: each twice, by its number and, as an argument, by its negative; then tables */
  LsBuffer     *store;        /* the same for the interpreter … */
  LsBuffer    **buffers;      /* … which takes pointers */
  guint         n_written;
  guint8      **written;      /* the results, which are the first arguments */
} Memory;

static void
memory_clear (Memory *m)
{
  for (guint i = 2 * m->n; m->eval && i < m->eval->len; i++)
    g_free (g_array_index (m->eval, LsEvalBuffer, i).data);
  g_clear_pointer (&m->eval, g_array_unref);
  g_free (m->store);
  g_free (m->buffers);
  for (guint i = 0; i < m->n_written; i++)
    g_free (m->written[i]);
  g_free (m->written);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Memory, memory_clear)

static gboolean
memory_init (Memory *m, LsReference *r, const LsKernel *k, GError **error)
{
  m->n = k->buffers->len;
  m->eval = g_array_new (FALSE, TRUE, sizeof (LsEvalBuffer));
  m->store = g_new0 (LsBuffer, m->n + 1);
  m->buffers = g_new0 (LsBuffer *, m->n + 1);
  m->n_written = ls_kernel_n_outputs (k);
  m->written = g_new0 (guint8 *, m->n_written + 1);
  for (guint i = 0; i < m->n; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    LsEvalBuffer b = r->buffers[MIN (id, r->n - 1)];
    gsize nbytes = (gsize) b.n * ls_dtype_itemsize (b.dtype);
    gboolean writes = i < m->n_written;
    if (writes)
      b.data = m->written[i] = g_try_malloc0 (nbytes + 8);
    if (!b.data && writes)
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "not enough memory for the %" G_GSIZE_FORMAT " bytes that kernel %u writes", nbytes,
                   k->number);
    else if (!b.data)
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u, which kernel %u reads, were not kept in the recording; run "
                                                  "the program itself instead", id, k->number);
    if (!b.data) {
      m->n = i;
      return FALSE;
    }
    b.id = i;
    g_array_append_val (m->eval, b);
    b.id = i == 0 ? G_MININT64 : -(gint64) i;
    g_array_append_val (m->eval, b);
    m->store[i] = (LsBuffer) { .id = i, .dtype = b.dtype, .n = b.n, .nbytes = nbytes, .data = b.data };
    m->buffers[i] = &m->store[i];
  }
  return TRUE;
}

/* The tables after the arguments, for the interpreter too. */
static void
memory_add_tables (Memory *m, GArray *tables)
{
  m->store = g_renew (LsBuffer, m->store, m->n + tables->len + 1);
  m->buffers = g_renew (LsBuffer *, m->buffers, m->n + tables->len + 1);
  for (guint i = 0; i < tables->len; i++) {
    LsEvalBuffer t = g_array_index (tables, LsEvalBuffer, i);
    g_array_append_val (m->eval, t);
    m->store[m->n + i] = (LsBuffer) { .id = m->n + i, .dtype = t.dtype, .n = t.n, .nbytes = (gsize) t.n * ls_dtype_itemsize (t.dtype),
                                      .data = t.data };
  }
  for (guint i = 0; i < m->n + tables->len; i++)
    m->buffers[i] = &m->store[i];
}

static LsGraphState
state_of (GError *own, GError **error)
{
  LsGraphState state = ls_fault_is_wrong (own) ? LS_GRAPH_FAULT : LS_GRAPH_NO_VALUE;
  g_propagate_error (error, own);
  return state;
}

/* The graph over memory: it writes. */
static LsGraphState
run_over (LsReference *r, Memory *m, LsContext *ctx, LsUOp *root, LsEvaluation **evaluation, GError **error)
{
  GError *own = NULL;
  gboolean ok = FALSE;
  if (ls_graph_accumulates (ctx, root)) {
    g_autoptr (GPtrArray) list = ls_linearize (ctx, root, &r->settings, &own);
    ok = list && ls_interp_run (list->len, (LsUOp **) list->pdata, m->n + (m->eval->len - 2 * m->n), m->buffers, NULL, &own);
  } else {
    LsEvaluation *e = evaluate (r, ctx, root, m->eval->len, (LsEvalBuffer *) (gpointer) m->eval->data, evaluation != NULL, &own);
    ok = e != NULL;
    if (evaluation)
      *evaluation = e;
    else
      ls_evaluation_free (e);
  }
  return ok ? LS_GRAPH_COMPUTED : state_of (own, error);
}

/* The contents of a result. */
static GBytes *
take_written (Memory *m, guint output)
{
  return g_bytes_new_take (g_steal_pointer (&m->written[output]), m->store[output].nbytes);
}

/* The results of a kernel become the contents of their buffers. */
LsGraphState
ls_reference_compute (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *root, GError **error)
{
  g_auto (Memory) m = { 0 };
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  r->n_runs++;
  LsGraphState state = run_over (r, &m, ctx, root, NULL, error);
  for (guint i = 0; i < m.n_written && state == LS_GRAPH_COMPUTED; i++) {
    guint id = ls_kernel_output (k, i);
    if (id >= r->n)
      continue;
    g_free (r->buffers[id].data);
    r->buffers[id].data = g_steal_pointer (&m.written[i]);
  }
  return state;
}

LsGraphState
ls_reference_run (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *root, GBytes **out, LsEvaluation **evaluation, GError **error)
{
  g_auto (Memory) m = { 0 };
  if (evaluation)
    *evaluation = NULL;
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  r->n_runs++;
  LsGraphState state = run_over (r, &m, ctx, root, evaluation, error);
  if (out && state == LS_GRAPH_COMPUTED)
    *out = take_written (&m, MIN (r->output, m.n_written - 1));
  return state;
}

LsGraphState
ls_reference_run_list (LsReference *r, const LsKernel *k, const GPtrArray *list, GBytes **out, GError **error)
{
  g_auto (Memory) m = { 0 };
  GError *own = NULL;
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  r->n_runs++;
  if (!ls_interp_run (list->len, (LsUOp *const *) list->pdata, m.n, m.buffers, NULL, &own))
    return state_of (own, error);
  *out = take_written (&m, MIN (r->output, m.n_written - 1));
  return LS_GRAPH_COMPUTED;
}

/* The value that a kernel's graph stores into an argument, as in the kernel AST; NULL: it stores no such value. */
static LsUOp *
shaped_store (LsUOp *root, guint argument)
{
  for (guint i = 0; i < (root->op == LS_OP_SINK ? root->n_src : 1); i++) {
    LsUOp *u = root->op == LS_OP_SINK ? root->src[i] : root;
    if (u->op == LS_OP_STORE && u->n_src == 3 && u->src[1]->op == LS_OP_VIEW && u->src[0]->op == LS_OP_DEFINE_GLOBAL &&
        u->src[0]->arg.i == argument)
      return u;
  }
  return NULL;
}

LsGraphState
ls_reference_run_elements (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *root, guint64 n, const guint64 *elements,
                           LsScalar *out, double *bound, GError **error)
{
  g_auto (Memory) m = { 0 };
  GError *own = NULL;
  guint output = MIN (r->output, ls_kernel_n_outputs (k) - 1);
  LsUOp *store = shaped_store (root, output);
  LsGraphState state = LS_GRAPH_COMPUTED;
  if (bound)
    *bound = 0;
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  r->n_runs++;
  if (store && !ls_tracker_is_contiguous (store->src[1]->arg.tracker)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "it stores through a view, so its elements cannot be computed separately");
    return LS_GRAPH_NO_VALUE;
  }
  if (store) {
    g_autoptr (LsElements) e = ls_evaluate_elements (ctx, store, m.eval->len, (LsEvalBuffer *) (gpointer) m.eval->data, n, elements,
                                                     LS_SAMPLE_MOST_VALUES, &own);
    if (!e)
      return state_of (own, error);
    if (bound)
      *bound = ls_elements_sum_bound (e);
  } else {
    g_autoptr (GArray) tables = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
    LsUOp *sampled = ls_sample_turns (ctx, root, output, n, elements, m.n, tables, error);
    if (!sampled)
      return LS_GRAPH_NO_VALUE;
    memory_add_tables (&m, tables);
    state = run_over (r, &m, ctx, sampled, NULL, error);
  }
  const LsEvalBuffer *written = &g_array_index (m.eval, LsEvalBuffer, 2 * output);
  for (guint64 i = 0; i < n && state == LS_GRAPH_COMPUTED; i++)
    out[i] = elements[i] < written->n ? ls_scalar_load (written->dtype,
                                                        m.written[output] + elements[i] * ls_dtype_itemsize (written->dtype))
                                      : (LsScalar) { 0 };
  return state;
}

LsExecution *
ls_reference_watch (LsReference *r, const LsKernel *k, GPtrArray *list, guint32 row, LsExecutionWatch watch, gpointer data, GError **error)
{
  g_auto (Memory) m = { 0 };
  if (!memory_init (&m, r, k, error))
    return NULL;
  r->n_runs++;
  return ls_execution_watch (list->len, (LsUOp **) list->pdata, m.n, m.buffers, LS_REFERENCE_MOST_STEPS, row, watch, data, error);
}

/* The buffers below root, which must all be known. FALSE with error. */
static GArray *
tensor_memory (LsReference *r, LsContext *ctx, LsUOp *root, GError **error)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_BUFFER && (u->arg.ints[0] < 0 || u->arg.ints[0] >= (gint64) r->n || !r->buffers[u->arg.ints[0]].data)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %" G_GINT64_FORMAT
                                                  " were not kept in the recording; run the program itself instead", u->arg.ints[0]);
      return NULL;
    }
  }
  GArray *eval = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  for (guint i = 0; i < r->n; i++)
    if (r->buffers[i].data)
      g_array_append_val (eval, r->buffers[i]);
  r->n_runs++;
  return eval;
}

LsGraphState
ls_reference_tensor (LsReference *r, LsContext *ctx, LsUOp *root, LsEvaluation **evaluation, GError **error)
{
  GError *own = NULL;
  g_autoptr (GArray) eval = tensor_memory (r, ctx, root, error);
  *evaluation = NULL;
  if (!eval)
    return LS_GRAPH_NO_VALUE;
  *evaluation = evaluate (r, ctx, root, eval->len, (LsEvalBuffer *) (gpointer) eval->data, TRUE, &own);
  return *evaluation ? LS_GRAPH_COMPUTED : state_of (own, error);
}

LsGraphState
ls_reference_elements (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *root, guint64 n, const guint64 *elements, LsElements **out,
                       GError **error)
{
  g_auto (Memory) m = { 0 };
  GError *own = NULL;
  g_autoptr (GArray) tensors = k ? NULL : tensor_memory (r, ctx, root, error);
  *out = NULL;
  if (k ? !memory_init (&m, r, k, error) : !tensors)
    return LS_GRAPH_NO_VALUE;
  const GArray *eval = k ? m.eval : tensors;
  *out = ls_evaluate_elements (ctx, root, eval->len, (const LsEvalBuffer *) (gconstpointer) eval->data, n, elements, LS_SAMPLE_MOST_VALUES,
                               &own);
  return *out ? LS_GRAPH_COMPUTED : state_of (own, error);
}

LsGraphState
ls_reference_turns (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *node, guint most, GPtrArray *axes, guint64 *n_turns,
                    guint64 *n_rows, LsUOp **over,
                    LsEvaluation **out, GError **error)
{
  g_auto (Memory) m = { 0 };
  g_autoptr (GArray) tables = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  *out = NULL;
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  *over = ls_sample_ranges (ctx, node, most, m.n, tables, axes, n_turns);
  if (!*over) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "node %u depends on too many ranges", node->id);
    return LS_GRAPH_NO_VALUE;
  }
  *n_rows = tables->len ? g_array_index (tables, LsEvalBuffer, 0).n : 1;
  memory_add_tables (&m, tables);
  r->n_runs++;
  return run_over (r, &m, ctx, *over, out, error);
}

gboolean
ls_reference_prepare (LsReference *r, guint kernel, GError **error)
{
  for (; r->ready < kernel; r->ready++) {
    const LsKernel *k = ls_trace_kernel (r->trace, r->ready);
    LsUOp *graph = k ? ls_reference_kernel_graph (r->trace, k) : NULL;
    g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
    g_autoptr (GError) own = NULL;
    if (!graph || k->buffers->len == 0)
      continue;
    gboolean kept = TRUE;
    for (guint i = 0; i < ls_kernel_n_outputs (k); i++)
      kept = kept && (ls_kernel_output (k, i) >= r->n || r->buffers[ls_kernel_output (k, i)].data);
    if (kept && ls_graph_is_large (ctx, graph))
      continue;
    if (ls_reference_compute (r, k, ctx, graph, &own) != LS_GRAPH_COMPUTED && !kept) {
      g_propagate_prefixed_error (error, g_steal_pointer (&own), "kernel %u cannot be interpreted: ", k->number);
      return FALSE;
    }
  }
  return TRUE;
}

guint
ls_reference_kernels_before (LsTrace *trace, const LsPass *pass)
{
  guint n = 0;
  if (pass->kernel > 0)
    return pass->kernel - 1;
  for (guint i = 0; i < pass->index; i++)
    n = MAX (n, ((LsPass *) trace->passes->pdata[i])->kernel);
  return n;
}

char *
ls_scalar_print (LsDType dtype, LsScalar value)
{
  /* the value of a pointer is its index */
  LsDType d = ls_dtype_is_ptr (dtype) ? LS_INDEX : ls_dtype_scalar (dtype);
  if (ls_dtype_is_float (d) && isnan (value.f))
    return g_strdup ("nan");
  if (ls_dtype_is_float (d))
    return ls_float_print (value.f, ls_dtype_base (d) != LS_BASE_DOUBLE);
  if (ls_dtype_is_bool (d))
    return g_strdup (value.i ? "True" : "False");
  return ls_dtype_is_unsigned (d) ? g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value.i)
                                  : g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
}
