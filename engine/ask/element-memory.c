/* The buffers that origins of elements are in: the names, indices and values of their elements, and where these are from.
 *
 * The indices are those of the tensor that the program named: its base's elements lie in the buffer in order, and a tensor that is a view
 * of the base is followed back through its movements. */
#include "element-private.h"

#include "trace/realizations.h"

#include <string.h>

#define MOST_SEARCHED ((gint64) 1 << 22)      /* elements of a view that is inverted by trying */

const char *
ls_element_keep (LsElementOrigins *o, char *text)
{
  const char *copy = text ? g_string_chunk_insert (o->strings, text) : NULL;
  g_free (text);
  return copy;
}

guint
ls_element_writer (LsTrace *trace, guint before, guint buffer)
{
  for (guint number = MIN (before, trace->kernels->len + 1); number-- > 1;) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    if (ls_kernel_output_number (k, buffer) >= 0)
      return number;
  }
  return 0;
}

/* The STORE of a kernel's graph into its result of that number. */
LsUOp *
ls_element_store (LsUOp *root, guint output)
{
  for (guint i = 0; root && i < (root->op == LS_OP_SINK ? root->n_src : 1); i++) {
    LsUOp *u = root->op == LS_OP_SINK ? root->src[i] : root;
    if (u->op == LS_OP_STORE && u->n_src == 3 && u->src[1]->op == LS_OP_VIEW && u->src[1]->arg.kind == LS_ARG_TRACKER &&
        u->src[0]->op == LS_OP_DEFINE_GLOBAL && u->src[0]->arg.i == output)
      return u;
  }
  return NULL;
}

static gboolean
is_buffer (const LsUOp *u, guint id)
{
  return u && u->op == LS_OP_BUFFER && u->arg.kind == LS_ARG_INTS && u->arg.n && u->arg.ints[0] == (gint64) id;
}

/* The line of the call that made the program's data, and the shape that it was given there. */
static void
find_data (LsTrace *trace, LsContext *ctx, guint buffer, guint *line, LsShape *shape)
{
  guint host = ls_buffer_host (trace, buffer), n_nodes = ls_context_n_nodes (trace->ctx);
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    for (guint32 id = made->node; id - made->node <= made->more && id < n_nodes; id++) {
      LsUOp *u = ls_context_node (trace->ctx, id), *of = u;
      while (of && (of->op == LS_OP_COPY || of->op == LS_OP_RESHAPE) && of->n_src)
        of = of->src[0];
      if (!u)
        continue;
      if (!is_buffer (of, buffer) && !(host != G_MAXUINT && is_buffer (of, host)))
        continue;
      if (!*line && made->call < trace->calls->len)
        *line = g_array_index (trace->calls, LsCall, made->call).line;
      if (u->op == LS_OP_RESHAPE) {
        ls_uop_get_shape (ctx, u, shape, NULL);
        return;
      }
    }
  }
}

static gboolean
has_size (LsShape shape, guint64 n)
{
  return shape.n <= LS_MOST_ELEMENT_AXES && (guint64) ls_shape_size (shape) == n;
}

/* The tensor that the name was bound to, as a view of the buffer: its base's elements are the buffer's. */
static gboolean
take_named (LsElementMemory *m, LsTrace *trace, LsContext *ctx, const LsNameBinding *b, guint64 n)
{
  g_autoptr (GPtrArray) moves = g_ptr_array_new ();
  LsUOp *node = ls_context_node (trace->ctx, b->node), *u = node;
  LsShape shape, own;
  for (; u && u->id != b->base && ls_op_is_movement (u->op) && u->n_src; u = u->src[0])
    g_ptr_array_add (moves, u);
  if (!u || (b->base != LS_NO_NODE && u->id != b->base) || !ls_uop_get_shape (ctx, u, &shape, NULL) || !has_size (shape, n) ||
      !ls_uop_get_shape (ctx, node, &own, NULL) || !has_size (own, (guint64) ls_shape_size (own)))
    return FALSE;
  const LsTracker *t = ls_tracker_contiguous (ctx, shape);
  for (guint i = moves->len; i-- > 0;) {
    const LsUOp *move = moves->pdata[i];
    t = ls_tracker_movement (ctx, t, move->op, move->arg, TRUE);
  }
  m->shape = own;
  m->through = ls_tracker_is_contiguous (t) && has_size (own, n) ? NULL : t;
  return TRUE;
}

/* The shape of a printed tensor that the buffer holds. */
static gboolean
take_printed (LsElementMemory *m, const LsTrace *trace, LsContext *ctx, guint64 n)
{
  for (guint i = 0; i < trace->outputs->len; i++) {
    const LsOutput *out = &g_array_index (trace->outputs, LsOutput, i);
    const LsUOp *node = out->buffer == m->buffer ? ls_context_node (trace->ctx, out->node) : NULL;
    if (node && ls_uop_get_shape (ctx, (LsUOp *) node, &m->shape, NULL) && has_size (m->shape, n))
      return TRUE;
  }
  m->shape = (LsShape) { 0 };
  return FALSE;
}

LsElementMemory *
ls_element_memory (LsElementAsked *a, guint buffer)
{
  LsElementMemory *m = g_hash_table_lookup (a->memories, GUINT_TO_POINTER (buffer + 1));
  if (m)
    return m;
  m = g_new0 (LsElementMemory, 1);
  g_hash_table_insert (a->memories, GUINT_TO_POINTER (buffer + 1), m);
  LsTrace *trace = a->trace;
  const LsTraceBuffer *b = trace->buffers->pdata[buffer];
  const LsNameBinding *name = ls_trace_buffer_name (trace, buffer);
  guint line = 0;
  LsShape of_data = { 0 };
  m->buffer = buffer;
  m->common = (LsElementOrigin) { .buffer = buffer, .node = LS_NO_NODE };
  m->common.name = ls_element_keep (a->o, name ? g_strdup (name->name) : NULL);
  m->common.kernel = ls_element_writer (trace, a->before, buffer);
  m->common.from = m->common.kernel ? LS_ELEMENT_OF_KERNEL : LS_ELEMENT_OF_DATA;
  if (m->common.kernel) {
    m->common.line = ls_program_index_kernel_line (a->index, ls_trace_kernel (trace, m->common.kernel));
  } else {
    find_data (trace, a->ctx, buffer, &line, &of_data);
    if (!line && g_strcmp0 (b->role, "input") != 0 && g_strcmp0 (b->role, "host") != 0)
      m->common.from = LS_ELEMENT_OF_UNKNOWN;
    m->common.line = line;
  }
  if ((name && take_named (m, trace, a->ctx, name, b->n_elements)) || take_printed (m, trace, a->ctx, b->n_elements))
    return m;
  const LsKernel *k = ls_trace_kernel (trace, m->common.kernel);
  LsUOp *store = k ? ls_element_store (ls_reference_kernel_graph (trace, k), (guint) MAX (ls_kernel_output_number (k, buffer), 0)) : NULL;
  if (store && ls_tracker_is_contiguous (store->src[1]->arg.tracker))
    of_data = ls_tracker_shape (store->src[1]->arg.tracker);
  m->shape = has_size (of_data, b->n_elements) ? of_data : (LsShape) { 0 };
  return m;
}

void
ls_element_split (LsShape shape, guint64 element, gint64 *index)
{
  for (guint k = shape.n; k-- > 0;) {
    index[k] = (gint64) (element % (guint64) MAX (shape.dims[k], 1));
    element /= (guint64) MAX (shape.dims[k], 1);
  }
}

/* The element of a view that is this one of what it is a view of. FALSE: there is none, or it was not found. */
gboolean
ls_element_invert (const LsTracker *t, guint64 element, guint64 *out)
{
  LsShape shape = ls_tracker_shape (t);
  gint64 n = ls_shape_size (shape), index[LS_MOST_ELEMENT_AXES], at;
  if (ls_tracker_is_contiguous (t)) {
    *out = element;
    return element < (guint64) n;
  }
  for (gint64 i = 0; shape.n <= LS_MOST_ELEMENT_AXES && i < MIN (n, MOST_SEARCHED); i++) {
    ls_element_split (shape, (guint64) i, index);
    if (ls_tracker_index (t, index, &at) && at >= 0 && (guint64) at == element) {
      *out = (guint64) i;
      return TRUE;
    }
  }
  return FALSE;
}

/* "1,2"; "" of a scalar. */
char *
ls_element_indices (LsShape shape, guint64 element)
{
  gint64 index[LS_MOST_ELEMENT_AXES];
  GString *text = g_string_new (NULL);
  ls_element_split (shape, element, index);
  for (guint k = 0; k < shape.n; k++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k ? "," : "", index[k]);
  return g_string_free (text, FALSE);
}

/* The element of the named tensor that an element of its buffer is. */
static gboolean
seen_as (LsElementMemory *m, guint64 n, guint64 element, guint64 *out)
{
  gint64 size = ls_shape_size (m->shape), index[LS_MOST_ELEMENT_AXES], at;
  if (size > MOST_SEARCHED || n > MOST_SEARCHED)
    return FALSE;
  if (!m->seen) {
    m->seen = g_new (guint32, MAX (n, 1));
    memset (m->seen, 0xff, n * sizeof *m->seen);
    for (gint64 i = size; i-- > 0;) {
      ls_element_split (m->shape, (guint64) i, index);
      if (ls_tracker_index (m->through, index, &at) && at >= 0 && (guint64) at < n)
        m->seen[at] = (guint32) i;
    }
  }
  *out = element < n ? m->seen[element] : G_MAXUINT32;
  return *out != G_MAXUINT32;
}

static char *
place_of (LsElementMemory *m, guint64 n, guint64 element)
{
  guint64 seen = element;
  if (m->through ? !seen_as (m, n, element, &seen) : m->shape.n == 0 && n != 1)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, element);
  return ls_element_indices (m->shape, seen);
}

void
ls_element_memory_free (gpointer memory)
{
  g_free (((LsElementMemory *) memory)->seen);
  g_free (memory);
}

LsElementOrigin
ls_element_of_buffer (LsElementAsked *a, guint buffer, guint64 element)
{
  LsElementMemory *m = ls_element_memory (a, buffer);
  LsElementOrigin origin = m->common;
  const LsEvalBuffer *b = &a->r->buffers[buffer];
  origin.element = element;
  origin.at = ls_element_keep (a->o, place_of (m, b->n, element));
  if (b->data && element < b->n) {
    LsScalar value = ls_scalar_load (b->dtype, b->data + element * ls_dtype_itemsize (b->dtype));
    origin.value = ls_element_keep (a->o, ls_scalar_print (b->dtype, value));
  }
  return origin;
}
