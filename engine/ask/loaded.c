/* The contents that a kernel loaded when it was launched.
 *
 * A recording keeps the contents of buffers after the run. These are the recorded contents if no kernel wrote the buffer after the
 * launch. If a later kernel wrote a buffer, or its contents were not kept, the interpreter recomputes it from the inputs of the earlier
 * kernels, and a note says so. The interpreter and a compiler may round differently (fma, the order of additions in profile=classic), so
 * a result is compared with the recorded one.
 */
#include "reference.h"

#include "run/run.h"

#include <math.h>
#include <string.h>

#define MOST_WORK 3e6      /* operations and bytes of a kernel that is interpreted whole for a note */

static guint
output_of (const LsReference *r, const LsKernel *k)
{
  guint id = k && k->buffers->len ? g_array_index (k->buffers, guint, 0) : G_MAXUINT;
  return id < r->n ? id : G_MAXUINT;
}

/* The number of the last kernel that writes each buffer; 0: none does. Free with g_free. */
static guint *
last_writers (const LsReference *r)
{
  guint *last = g_new0 (guint, MAX (r->n, 1));
  for (guint k = 1; k <= r->trace->kernels->len; k++) {
    guint id = output_of (r, ls_trace_kernel (r->trace, k));
    if (id != G_MAXUINT)
      last[id] = k;
  }
  return last;
}

/* Computes a kernel's result from the buffers of the reference. */
static gboolean
compute (LsReference *r, const LsKernel *k, GError **error)
{
  guint id = output_of (r, k);
  LsUOp *graph = ls_reference_kernel_graph (r->trace, k);
  g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
  g_autoptr (GBytes) out = NULL;
  if (!graph || ls_reference_run (r, k, ctx, graph, &out, NULL, error) != LS_GRAPH_COMPUTED) {
    g_prefix_error (error, "kernel %u cannot be interpreted: ", k->number);
    return FALSE;
  }
  g_free (r->buffers[id].data);
  r->buffers[id].data = g_bytes_unref_to_data (g_steal_pointer (&out), &(gsize) { 0 });
  return TRUE;
}

gboolean
ls_reference_load (LsReference *r, guint kernel, GString *notes, GError **error)
{
  const LsKernel *own = ls_trace_kernel (r->trace, kernel);
  g_autofree guint *last = last_writers (r);
  g_autofree gboolean *needed = g_new0 (gboolean, MAX (r->n, 1)), *computed = g_new0 (gboolean, MAX (r->n, 1));
  g_autofree gboolean *runs = g_new0 (gboolean, kernel + 1);
  for (guint i = 0; i < r->n; i++)
    if (last[i] >= kernel)
      g_clear_pointer (&r->buffers[i].data, g_free);
  for (guint i = 1; own && i < own->buffers->len; i++)
    if (g_array_index (own->buffers, guint, i) < r->n)
      needed[g_array_index (own->buffers, guint, i)] = TRUE;
  for (guint i = 0; i < r->n && !own; i++)      /* of tensors any may be asked for */
    needed[i] = TRUE;
  for (guint k = kernel; k-- > 1;) {
    const LsKernel *earlier = ls_trace_kernel (r->trace, k);
    guint id = output_of (r, earlier);
    if (id == G_MAXUINT || !needed[id] || r->buffers[id].data)
      continue;
    runs[k] = TRUE;
    for (guint i = 1; i < earlier->buffers->len; i++)
      if (g_array_index (earlier->buffers, guint, i) < r->n)
        needed[g_array_index (earlier->buffers, guint, i)] = TRUE;
  }
  for (guint k = 1; k < kernel; k++)
    if (runs[k]) {
      const LsKernel *earlier = ls_trace_kernel (r->trace, k);
      if (!compute (r, earlier, own ? error : NULL) && own)
        return FALSE;
      computed[output_of (r, earlier)] = TRUE;
    }
  for (guint i = 1; notes && own && i < own->buffers->len; i++) {
    guint id = g_array_index (own->buffers, guint, i);
    if (id < r->n && computed[id])
      g_string_append_printf (notes, last[id] >= kernel
                              ? "The contents of buffer %u are computed by the interpreter: the run overwrote them later.\n"
                              : "The contents of buffer %u are computed by the interpreter: the recording does not keep them.\n", id);
  }
  r->ready = MAX (r->ready, kernel);
  return TRUE;
}

/* Elements of two buffers that are not the same value. */
static guint64
count_apart (LsDType dtype, guint64 n, const guint8 *a, const guint8 *b)
{
  gsize size = ls_dtype_itemsize (dtype);
  guint64 apart = 0;
  for (guint64 i = 0; i < n; i++) {
    if (memcmp (a + i * size, b + i * size, size) == 0)
      continue;
    LsScalar x = ls_scalar_load (dtype, a + i * size), y = ls_scalar_load (dtype, b + i * size);
    apart += !(ls_dtype_is_float (dtype) && isnan (x.f) && isnan (y.f));
  }
  return apart;
}

/* The values that the interpreter computes for a kernel, or NULL with the reason in error. Free with g_free. */
static guint8 *
interpret (const LsReference *r, const LsKernel *k, gsize nbytes, GError **error)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (r->trace, k);
  g_autofree LsBuffer *store = g_new0 (LsBuffer, k->buffers->len + 1);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, k->buffers->len + 1);
  g_autofree guint8 *written = g_malloc0 (nbytes + 8);
  for (guint i = 0; i < k->buffers->len; i++) {
    guint at = g_array_index (k->buffers, guint, i);
    if (at >= r->n || (i > 0 && !r->buffers[at].data)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u are unknown", at);
      return NULL;
    }
    const LsEvalBuffer *e = &r->buffers[at];
    store[i] = (LsBuffer) { .id = at, .dtype = e->dtype, .n = e->n, .nbytes = (gsize) e->n * ls_dtype_itemsize (e->dtype),
                            .data = i ? e->data : written };
    buffers[i] = &store[i];
  }
  return ls_interp_run (list->len, (LsUOp **) list->pdata, k->buffers->len, buffers, NULL, error) ? g_steal_pointer (&written) : NULL;
}

/* Why a kernel's result is not compared, or NULL: it is. Free with g_free. */
static char *
why_not_compared (const LsReference *r, const LsKernel *k, guint id, guint last)
{
  const LsTraceBuffer *b = r->trace->buffers->pdata[id];
  if (ls_kernel_by_hand (k))
    return g_strdup_printf ("the run executed %s, which is hand-written", ls_kernel_by_hand (k));
  if (last != k->number)
    return g_strdup_printf ("kernel %u overwrote it later", last);
  if (!b->data || b->n_data / MAX (ls_dtype_itemsize (ls_dtype_strong (b->dtype)), 1) < b->n_elements)
    return g_strdup ("the recording does not keep it");
  if (k->flops + k->bytes > MOST_WORK)
    return g_strdup_printf ("the kernel has %.0f operations and %.0f bytes of "
                            "memory accesses, together more than the limit of %.0f", k->flops, k->bytes, MOST_WORK);
  return NULL;
}

void
ls_reference_note_result (LsReference *r, const LsKernel *k, GString *notes)
{
  guint id = output_of (r, k);
  g_autofree guint *last = last_writers (r);
  if (id == G_MAXUINT || k->listing->len == 0)
    return;
  const LsTraceBuffer *b = r->trace->buffers->pdata[id];
  LsDType dtype = ls_dtype_strong (b->dtype);
  g_autofree char *why = why_not_compared (r, k, id, last[id]);
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *written = why ? NULL : interpret (r, k, b->n_elements * ls_dtype_itemsize (dtype), &error);
  if (!written) {
    g_string_append_printf (notes, "The interpreter's result is not compared with the recorded one: %s.\n", why ? why : error->message);
    return;
  }
  guint64 apart = count_apart (dtype, b->n_elements, written, b->data);
  if (apart)
    g_string_append_printf (notes, "The interpreter's result differs from the recorded one in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                   " elements: the run used %s.\n", apart, b->n_elements,
                            k->values_compiler && *k->values_compiler ? k->values_compiler : "compiled code");
}
