/* The reference of a recorded program: what its graphs compute, by interpretation.
 *
 * The program's inputs come from the recording. What a kernel reads that another one wrote is computed from the graph that the schedule gave that
 * kernel, never taken from a run, so that each kernel is judged by itself and compiled code is not trusted. Graphs without accumulators are
 * evaluated node by node; those with accumulators have an order and are linearized and interpreted.
 */
#include "reference.h"

#include "codegen/linearize.h"
#include "ir/print.h"
#include "run/fault.h"

#include <math.h>
#include <string.h>

LsReference *
ls_reference_new (LsTrace *trace)
{
  LsReference *r = g_new0 (LsReference, 1);
  r->trace = ls_trace_ref (trace);
  r->max_elements = 50000000;
  r->ready = 1;
  ls_settings_init (&r->settings);
  for (guint i = 0; i < trace->settings->len; i++)
    ls_settings_set (&r->settings, trace->settings->pdata[i], NULL);
  r->n = trace->buffers->len;
  r->buffers = g_new0 (LsEvalBuffer, MAX (r->n, 1));
  for (guint i = 0; i < r->n; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    LsDType d = ls_dtype_strong (b->dtype);
    r->buffers[i] = (LsEvalBuffer) { i, d, b->n_elements, NULL };
    if (b->data && b->dtype != LS_VOID && b->n_data / MAX (ls_dtype_itemsize (d), 1) >= b->n_elements)
      r->buffers[i].data = g_memdup2 (b->data, MAX (b->n_data, 1));
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
    if (((LsUOp *) order->pdata[i])->op == LS_OP_PHI)
      return TRUE;
  return FALSE;
}

LsUOp *
ls_reference_kernel_graph (LsTrace *trace, const LsKernel *k)
{
  const LsKernel *code = k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : k;
  for (guint i = 0; code && i < code->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[g_array_index (code->passes, guint, i)];
    if (p->kind == LS_PASS_REWRITE)
      return ls_context_node (trace->ctx, p->input);
  }
  return NULL;
}

/* All values where there is room for all, else those of the roots. */
static LsEvaluation *
evaluate (LsReference *r, LsContext *ctx, LsUOp *root, guint n, const LsEvalBuffer *buffers, gboolean all, GError **error)
{
  LsEvaluation *e = all ? ls_evaluate (ctx, root, n, buffers, r->max_elements, TRUE, NULL) : NULL;
  return e ? e : ls_evaluate (ctx, root, n, buffers, r->max_elements, FALSE, error);
}

/* What a kernel's graph reads and writes. */
typedef struct {
  guint         n;
  LsEvalBuffer *eval;         /* each twice: by its number and, as an argument, by its negative */
  LsBuffer     *store;        /* the same for the interpreter … */
  LsBuffer    **buffers;      /* … which takes pointers */
  guint8       *written;      /* the first argument */
  gsize         nbytes;
} Memory;

static void
memory_clear (Memory *m)
{
  g_free (m->eval);
  g_free (m->store);
  g_free (m->buffers);
  g_free (m->written);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Memory, memory_clear)

static gboolean
memory_init (Memory *m, LsReference *r, const LsKernel *k, GError **error)
{
  m->n = k->buffers->len;
  m->eval = g_new0 (LsEvalBuffer, 2 * m->n + 1);
  m->store = g_new0 (LsBuffer, m->n + 1);
  m->buffers = g_new0 (LsBuffer *, m->n + 1);
  for (guint i = 0; i < m->n; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    LsEvalBuffer b = r->buffers[MIN (id, r->n - 1)];
    gsize nbytes = (gsize) b.n * ls_dtype_itemsize (b.dtype);
    if (i == 0) {
      m->nbytes = nbytes;
      b.data = m->written = g_malloc0 (nbytes + 8);
    }
    if (!b.data) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u, which kernel %u reads, were not kept in the recording; run the program itself instead", id, k->number);
      return FALSE;
    }
    m->eval[2 * i] = m->eval[2 * i + 1] = b;
    m->eval[2 * i].id = i;
    m->eval[2 * i + 1].id = i == 0 ? G_MININT64 : -(gint64) i;
    m->store[i] = (LsBuffer) { .id = i, .dtype = b.dtype, .n = b.n, .nbytes = nbytes, .data = b.data };
    m->buffers[i] = &m->store[i];
  }
  return TRUE;
}

LsGraphState
ls_reference_run (LsReference *r, const LsKernel *k, LsContext *ctx, LsUOp *root, GBytes **out, LsEvaluation **evaluation, GError **error)
{
  g_auto (Memory) m = { 0 };
  GError *own = NULL;
  if (evaluation)
    *evaluation = NULL;
  if (!memory_init (&m, r, k, error))
    return LS_GRAPH_NO_VALUE;
  r->n_runs++;
  gboolean ok = FALSE;
  if (ls_graph_accumulates (ctx, root)) {
    g_autoptr (GPtrArray) list = ls_linearize (ctx, root, &r->settings, &own);
    ok = list && ls_interp_run (list->len, (LsUOp **) list->pdata, m.n, m.buffers, NULL, &own);
  } else {
    LsEvaluation *e = evaluate (r, ctx, root, 2 * m.n, m.eval, evaluation != NULL, &own);
    ok = e != NULL;
    if (evaluation)
      *evaluation = e;
    else
      ls_evaluation_free (e);
  }
  if (!ok) {
    LsGraphState state = ls_fault_is_wrong (own) ? LS_GRAPH_FAULT : LS_GRAPH_NO_VALUE;
    g_propagate_error (error, own);
    return state;
  }
  if (out)
    *out = g_bytes_new_take (g_steal_pointer (&m.written), m.nbytes);
  return LS_GRAPH_COMPUTED;
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

LsGraphState
ls_reference_tensor (LsReference *r, LsContext *ctx, LsUOp *root, LsEvaluation **evaluation, GError **error)
{
  GError *own = NULL;
  g_autofree LsEvalBuffer *eb = g_new0 (LsEvalBuffer, r->n + 1);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  guint n = 0;
  *evaluation = NULL;
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_BUFFER && (u->arg.ints[0] < 0 || u->arg.ints[0] >= (gint64) r->n || !r->buffers[u->arg.ints[0]].data)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %" G_GINT64_FORMAT " were not kept in the recording; run the program itself instead", u->arg.ints[0]);
      return LS_GRAPH_NO_VALUE;
    }
  }
  for (guint i = 0; i < r->n; i++)
    if (r->buffers[i].data)
      eb[n++] = r->buffers[i];
  r->n_runs++;
  *evaluation = evaluate (r, ctx, root, n, eb, TRUE, &own);
  if (*evaluation)
    return LS_GRAPH_COMPUTED;
  LsGraphState state = ls_fault_is_wrong (own) ? LS_GRAPH_FAULT : LS_GRAPH_NO_VALUE;
  g_propagate_error (error, own);
  return state;
}

gboolean
ls_reference_prepare (LsReference *r, guint kernel, GError **error)
{
  for (; r->ready < kernel; r->ready++) {
    const LsKernel *k = ls_trace_kernel (r->trace, r->ready);
    LsUOp *graph = k ? ls_reference_kernel_graph (r->trace, k) : NULL;
    g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
    g_autoptr (GBytes) out = NULL;
    g_autoptr (GError) own = NULL;
    if (!graph || k->buffers->len == 0)
      continue;
    guint id = g_array_index (k->buffers, guint, 0);
    if (id >= r->n)
      continue;
    if (ls_reference_run (r, k, ctx, graph, &out, NULL, &own) == LS_GRAPH_COMPUTED) {
      g_free (r->buffers[id].data);
      r->buffers[id].data = g_bytes_unref_to_data (g_steal_pointer (&out), &(gsize) { 0 });
    } else if (!r->buffers[id].data) {
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
  return ls_dtype_is_unsigned (d) ? g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value.i) : g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
}
