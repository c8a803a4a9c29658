/* A result may take the bytes of an input that ends there if each element of the input is read at the index at which the result is written,
 * and before. Both indices are one node then, so that they are equal in each iteration of the loops, and stores of a kernel write each
 * element once: no iteration reads what another one wrote. */
#include "in-place.h"

const char *const ls_in_place_sentences[LS_N_IN_PLACE] = {
#define X(id, sentence) sentence,
  LS_IN_PLACE_TABLE (X)
#undef X
};

guint
ls_argument_of (const LsKernel *k, guint buffer)
{
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++)
    if (g_array_index (k->buffers, guint, i) == buffer)
      return i;
  return 0;
}

/* The index of an access to the argument, or NULL: it is of another one. */
static const LsUOp *
index_of (const LsUOp *access, guint argument)
{
  const LsUOp *place = access->n_src ? access->src[0] : NULL;
  return place && place->op == LS_OP_INDEX && place->n_src >= 2 && place->src[0]->op == LS_OP_DEFINE_GLOBAL &&
         place->src[0]->arg.kind == LS_ARG_INT && place->src[0]->arg.i == argument ? place->src[1] : NULL;
}

static gboolean
same_size (const LsTraceBuffer *a, const LsTraceBuffer *b)
{
  return a->n_elements == b->n_elements && a->dtype != LS_VOID && b->dtype != LS_VOID &&
         ls_dtype_itemsize (ls_dtype_strong (a->dtype)) == ls_dtype_itemsize (ls_dtype_strong (b->dtype));
}

LsInPlace
ls_in_place (LsTrace *trace, const LsKernel *k, guint output, guint argument)
{
  guint from = k->buffers->len > argument ? g_array_index (k->buffers, guint, argument) : G_MAXUINT,
        to = ls_kernel_output (k, output);
  if (MAX (from, to) >= trace->buffers->len)
    return LS_IN_PLACE_UNREAD;
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++)      /* read as two arguments: the list shows the reads of one */
    if (i != argument && g_array_index (k->buffers, guint, i) == from)
      return LS_IN_PLACE_UNREAD;
  const LsTraceBuffer *input = trace->buffers->pdata[from];
  if (!same_size (input, trace->buffers->pdata[to]))
    return LS_IN_PLACE_SIZE;
  if (input->last_use != k->number)
    return LS_IN_PLACE_LATER;
  const LsKernel *code = k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : k;
  g_autoptr (GHashTable) stored = g_hash_table_new (NULL, NULL), read = g_hash_table_new (NULL, NULL);
  guint n_reads = 0, n_uses = 0, n_indices = 0;
  for (guint i = 0; code && i < code->listing->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (code->listing, guint32, i));
    if (!u)
      return LS_IN_PLACE_UNREAD;
    const LsUOp *reads = u->op == LS_OP_LOAD ? index_of (u, argument) : NULL,
                *writes = u->op == LS_OP_STORE ? index_of (u, output) : NULL;
    for (guint s = 0; s < u->n_src; s++)
      n_uses += u->src[s]->op == LS_OP_DEFINE_GLOBAL && u->src[s]->arg.kind == LS_ARG_INT && u->src[s]->arg.i == argument;
    n_indices += u->op == LS_OP_INDEX && u->n_src && u->src[0]->op == LS_OP_DEFINE_GLOBAL && u->src[0]->arg.kind == LS_ARG_INT &&
                 u->src[0]->arg.i == argument;
    if (reads && g_hash_table_contains (stored, reads))      /* after it was written */
      return LS_IN_PLACE_OTHERS;
    if (reads)
      g_hash_table_add (read, (gpointer) reads);
    n_reads += reads != NULL;
    if (writes)
      g_hash_table_add (stored, (gpointer) writes);
  }
  if (n_reads == 0 || n_uses != n_indices)      /* reached otherwise than by an index */
    return LS_IN_PLACE_UNREAD;
  GHashTableIter iter;
  gpointer index;
  g_hash_table_iter_init (&iter, read);
  while (g_hash_table_iter_next (&iter, &index, NULL))
    if (!g_hash_table_contains (stored, index))
      return LS_IN_PLACE_OTHERS;
  return LS_IN_PLACE_NONE;
}
