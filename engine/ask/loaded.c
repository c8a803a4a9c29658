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

/* The number of the last kernel that writes each buffer; 0: none does. Free with g_free. */
static guint *
last_writers (const LsReference *r)
{
  guint *last = g_new0 (guint, MAX (r->n, 1));
  for (guint k = 1; k <= r->trace->kernels->len; k++) {
    const LsKernel *kernel = ls_trace_kernel (r->trace, k);
    for (guint i = 0; i < ls_kernel_n_outputs (kernel); i++)
      if (ls_kernel_output (kernel, i) < r->n)
        last[ls_kernel_output (kernel, i)] = k;
  }
  return last;
}

/* Computes a kernel's results from the buffers of the reference. */
static gboolean
compute (LsReference *r, const LsKernel *k, GError **error)
{
  LsUOp *graph = ls_reference_kernel_graph (r->trace, k);
  g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
  if (!graph || ls_reference_compute (r, k, ctx, graph, error) != LS_GRAPH_COMPUTED) {
    g_prefix_error (error, "kernel %u cannot be interpreted: ", k->number);
    return FALSE;
  }
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
  for (guint i = ls_kernel_n_outputs (own); own && i < own->buffers->len; i++)
    if (g_array_index (own->buffers, guint, i) < r->n)
      needed[g_array_index (own->buffers, guint, i)] = TRUE;
  for (guint i = 0; i < r->n && !own; i++)      /* of tensors any may be asked for */
    needed[i] = TRUE;
  for (guint k = kernel; k-- > 1;) {
    const LsKernel *earlier = ls_trace_kernel (r->trace, k);
    for (guint i = 0; i < ls_kernel_n_outputs (earlier); i++) {
      guint id = ls_kernel_output (earlier, i);
      runs[k] |= id < r->n && needed[id] && !r->buffers[id].data;
    }
    for (guint i = ls_kernel_n_outputs (earlier); runs[k] && i < earlier->buffers->len; i++)
      if (g_array_index (earlier->buffers, guint, i) < r->n)
        needed[g_array_index (earlier->buffers, guint, i)] = TRUE;
  }
  for (guint k = 1; k < kernel; k++)
    if (runs[k]) {
      const LsKernel *earlier = ls_trace_kernel (r->trace, k);
      if (!compute (r, earlier, own ? error : NULL) && own)
        return FALSE;
      for (guint i = 0; i < ls_kernel_n_outputs (earlier); i++)
        if (ls_kernel_output (earlier, i) < r->n)
          computed[ls_kernel_output (earlier, i)] = TRUE;
    }
  for (guint i = ls_kernel_n_outputs (own); notes && own && i < own->buffers->len; i++) {
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

/* Compares the result of that number. */
static void
note_output (LsReference *r, const LsKernel *k, const GPtrArray *list, guint output, guint last, GString *notes)
{
  guint id = ls_kernel_output (k, output);
  if (id >= r->n)
    return;
  const LsTraceBuffer *b = r->trace->buffers->pdata[id];
  g_autofree char *why = why_not_compared (r, k, id, last);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) written = NULL;
  r->output = output;
  if (why || ls_reference_run_list (r, k, list, &written, &error) != LS_GRAPH_COMPUTED) {
    g_string_append_printf (notes, "The interpreter's result is not compared with the recorded one: %s.\n", why ? why : error->message);
    return;
  }
  guint64 apart = count_apart (ls_dtype_strong (b->dtype), b->n_elements, g_bytes_get_data (written, NULL), b->data);
  if (apart)
    g_string_append_printf (notes, "The interpreter's result differs from the recorded one in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                   " elements: the run used %s.\n", apart, b->n_elements,
                            k->values_compiler && *k->values_compiler ? k->values_compiler : "compiled code");
}

void
ls_reference_note_result (LsReference *r, const LsKernel *k, GString *notes)
{
  g_autofree guint *last = last_writers (r);
  g_autoptr (GPtrArray) list = k->listing->len ? ls_kernel_list (r->trace, k) : NULL;
  guint output = r->output;
  for (guint i = 0; list && i < ls_kernel_n_outputs (k); i++)
    note_output (r, k, list, i, ls_kernel_output (k, i) < r->n ? last[ls_kernel_output (k, i)] : 0, notes);
  r->output = output;
}
