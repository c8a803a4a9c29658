/* The elements that an element was computed from: one kernel back.
 *
 * A kernel's graph, before its first rewrite, says for each element of its result which elements of its inputs and which constants it
 * reads: the graph is evaluated for that element alone (run/elements.h), and the elements of memory that it asked for are the answer.
 * Each is named as the program names the buffer, with the indices of its tensor, and with the kernel that wrote it, which is the next
 * question.
 */
#include "element-private.h"
#include "sample.h"

#include "trace/realizations.h"

#include <string.h>

#define MOST_SHOWN    ((guint64) 1 << 22)
#define MOST_NOTED    256                     /* nodes whose lines are looked up */

void
ls_element_origins_free (LsElementOrigins *o)
{
  if (!o)
    return;
  g_array_unref (o->origins);
  g_string_chunk_free (o->strings);
  g_free (o->notes);
  g_free (o);
}

/* --- the elements of an answer --- */

static gboolean
is_arithmetic (const LsUOp *u)
{
  LsOpClass c = ls_op_info (u->op)->op_class;
  return c >= LS_CLASS_UNARY && c <= LS_CLASS_TERNARY;
}

/* The line of the program that a constant is from, or 0. Equal constants of several lines are one node: the kernel's lines come first. */
static guint
line_of_constant (LsElementAsked *a, const LsUOp *u)
{
  if (a->lined == u->id)
    return a->line;
  g_autoptr (GArray) lines = a->pass ? ls_program_index_lines (a->index, a->pass, NULL, u->id) : NULL;
  a->lined = u->id;
  a->line = 0;
  for (guint i = lines ? lines->len : 0; i-- > 0;) {
    guint line = g_array_index (lines, guint, i);
    if (!a->line || !g_hash_table_contains (a->lines, GUINT_TO_POINTER (a->line)) ||
        g_hash_table_contains (a->lines, GUINT_TO_POINTER (line)))
      a->line = line;
  }
  return a->line;
}

static LsElementOrigin
constant (LsElementAsked *a, LsUOp *u, guint64 element)
{
  LsScalar value = u->op == LS_OP_IOTA ? ls_scalar_fit (u->dtype, (LsScalar) { .i = (gint64) element })
                                       : ls_scalar_from_arg (u->dtype, u->arg);
  return (LsElementOrigin) { .from = LS_ELEMENT_OF_CONSTANT, .buffer = -1, .element = element, .node = u->id, .at = "",
                             .line = line_of_constant (a, u),
                             .value = ls_element_keep (a->o, ls_scalar_print (u->dtype, value)) };
}

/* The lines of the program that the operations of a kernel's graph are from. */
static void
note_lines (LsElementAsked *a, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (a->ctx, root);
  for (guint i = 0; a->pass && i < MIN (order->len, MOST_NOTED); i++) {
    const LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_REDUCE_AXIS && !is_arithmetic (u))
      continue;
    g_autoptr (GArray) lines = ls_program_index_lines (a->index, a->pass, NULL, u->id);
    for (guint k = 0; k < lines->len; k++)
      g_hash_table_add (a->lines, GUINT_TO_POINTER (g_array_index (lines, guint, k)));
  }
}

typedef struct { gint64 buffer; guint32 node; guint64 element, uses; LsUOp *u; } Use;

/* Buffers as the kernel has them, then constants. */
static int
by_element (gconstpointer a, gconstpointer b)
{
  const Use *x = a, *y = b;
  if ((x->buffer < 0) != (y->buffer < 0))
    return x->buffer < 0 ? 1 : -1;
  if (x->buffer != y->buffer)
    return x->buffer < y->buffer ? -1 : 1;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return x->element < y->element ? -1 : x->element > y->element;
}

/* The buffer that a node reads, or -1. */
static gint64
buffer_read (LsElementAsked *a, const LsKernel *k, const LsUOp *u)
{
  if (u->op == LS_OP_BIND)
    u = u->src[0];
  if (u->op != LS_OP_BUFFER && u->op != LS_OP_LOAD && u->op != LS_OP_DEFINE_VAR)
    return -1;
  gint64 number = u->op == LS_OP_LOAD ? u->src[0]->arg.i : u->op == LS_OP_DEFINE_VAR ? u->arg.var->position : u->arg.ints[0];
  if (k)      /* an argument of the kernel: a BUFFER has its negative */
    number = u->op == LS_OP_BUFFER ? -number : number;
  if (k && number >= 0 && number < (gint64) k->buffers->len)
    number = g_array_index (k->buffers, guint, number);
  else if (k)
    return -1;
  if (number < 0 || number >= (gint64) a->r->n)
    return -1;
  /* a copy of the host's memory has the same elements, and the program's name */
  return number + 1 < (gint64) a->r->n && ls_buffer_host (a->trace, (guint) number + 1) == (guint) number ? number + 1 : number;
}

/* Equal reads are one row. */
static void
add_origins (LsElementAsked *a, const LsKernel *k, const GArray *uses, guint max)
{
  LsElementOrigins *o = a->o;
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint i = 0; i < uses->len; i++) {
    const LsElementUse *use = &g_array_index (uses, LsElementUse, i);
    gint64 buffer = buffer_read (a, k, use->node);
    if (buffer < 0 && use->node->op != LS_OP_CONST && use->node->op != LS_OP_IOTA)
      continue;
    Use one = { buffer, buffer < 0 ? use->node->id : 0, use->element, use->uses, use->node };
    g_array_append_val (sorted, one);
  }
  g_array_sort (sorted, by_element);
  for (guint i = 0; i < sorted->len;) {
    Use use = g_array_index (sorted, Use, i);
    for (i++; i < sorted->len && by_element (&use, &g_array_index (sorted, Use, i)) == 0; i++)
      if (!g_uint64_checked_add (&use.uses, use.uses, g_array_index (sorted, Use, i).uses))
        use.uses = G_MAXUINT64;
    if (o->n++ >= max)
      continue;
    LsElementOrigin origin = use.buffer < 0 ? constant (a, use.u, use.element) : ls_element_of_buffer (a, (guint) use.buffer, use.element);
    origin.uses = use.uses;
    g_array_append_val (o->origins, origin);
  }
}

/* The element of a node: its value, and the elements that it was computed from. */
static gboolean
follow (LsElementAsked *a, const LsKernel *k, LsUOp *node, guint64 element, guint max, GString *notes, GError **error)
{
  g_autoptr (GError) unknown = NULL;
  g_autoptr (LsElements) e = NULL;
  LsScalar value;
  if (ls_reference_load (a->r, a->before, notes, &unknown))
    ls_reference_elements (a->r, k, a->ctx, node, 1, &element, &e, &unknown);
  if (!e && unknown && !g_error_matches (unknown, LS_ERROR, LS_ERROR_RUN)) {
    g_propagate_error (error, g_steal_pointer (&unknown));
    return FALSE;
  }
  if (!e) {
    g_string_append_printf (notes, "The values are not all known: %s.\n", unknown->message);
    e = ls_request_elements (a->ctx, node, 1, &element, LS_SAMPLE_MOST_VALUES, error);
  }
  if (!e)
    return FALSE;
  if (ls_elements_value (e, node, element, &value))
    a->o->of.value = ls_element_keep (a->o, ls_scalar_print (node->dtype, value));
  else if (!unknown)
    g_string_append (notes, "The element is beyond the size that a variable has: its value is undefined.\n");
  note_lines (a, node);
  g_autoptr (GArray) uses = ls_elements_uses (e, node);
  add_origins (a, k, uses, max);
  return TRUE;
}

/* The pass whose input the graph of a kernel is, or NULL. */
static const LsPass *
first_rewrite (LsTrace *trace, const LsKernel *k)
{
  const LsKernel *code = k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : k;
  for (guint i = 0; code && i < code->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[g_array_index (code->passes, guint, i)];
    if (p->kind == LS_PASS_REWRITE)
      return p;
  }
  return NULL;
}

LsUOp *
ls_kernel_result (LsTrace *trace, guint kernel, const LsPass **pass)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  const LsUOp *store = k ? ls_element_store (ls_reference_kernel_graph (trace, k), 0) : NULL;
  *pass = k ? first_rewrite (trace, k) : NULL;
  return store && *pass ? store->src[2] : NULL;
}

static void
asked_init (LsElementAsked *a, LsTrace *trace, LsContext *over, const LsPass *pass, guint before)
{
  *a = (LsElementAsked) { g_new0 (LsElementOrigins, 1), trace, ls_reference_new (trace), ls_context_new_over (over), pass, before,
                 g_hash_table_new_full (NULL, NULL, NULL, ls_element_memory_free), ls_program_index_new (trace),
                 g_hash_table_new (NULL, NULL) };
  a->lined = LS_NO_NODE;
  a->o->reader = before;
  a->o->trace = trace;
  a->o->node = LS_NO_NODE;
  a->o->strings = g_string_chunk_new (256);
  a->o->origins = g_array_new (FALSE, FALSE, sizeof (LsElementOrigin));
  a->o->of = (LsElementOrigin) { .buffer = -1, .node = LS_NO_NODE, .at = "", .from = LS_ELEMENT_OF_KERNEL };
}

/* The answer, or NULL if it could not be made. */
static LsElementOrigins *
asked_end (LsElementAsked *a, gboolean ok, GString *notes)
{
  LsElementOrigins *o = a->o;
  g_hash_table_unref (a->memories);
  g_hash_table_unref (a->lines);
  ls_program_index_free (a->index);
  ls_reference_free (a->r);
  ls_context_unref (a->ctx);
  if (ok && notes->len)
    o->notes = g_strdup (notes->str);
  if (ok)
    return o;
  ls_element_origins_free (o);
  return NULL;
}

/* The recorded value of a kernel's result, if no later kernel has overwritten it: the run's compiler may have rounded otherwise. */
static void
take_recorded (LsElementAsked *a, const LsKernel *k, GString *notes)
{
  LsElementOrigin *of = &a->o->of;
  const LsTraceBuffer *b = a->trace->buffers->pdata[of->buffer];
  LsDType dtype = ls_dtype_strong (b->dtype);
  gsize size = ls_dtype_itemsize (dtype);
  if (ls_element_writer (a->trace, G_MAXUINT, (guint) of->buffer) != k->number || !b->data || size == 0 || of->element >= b->n_data / size)
    return;
  g_autofree char *recorded = ls_scalar_print (dtype, ls_scalar_load (dtype, b->data + of->element * size));
  if (of->value && strcmp (recorded, of->value) != 0)
    g_string_append_printf (notes, "The interpreter computes %s from these elements: the run used %s.\n", of->value,
                            k->values_compiler && *k->values_compiler ? k->values_compiler : "compiled code");
  of->value = ls_element_keep (a->o, g_steal_pointer (&recorded));
}

/* Finds the element of the value that the kernel stores there. */
static gboolean
stored_at (const LsKernel *k, const LsUOp *store, guint64 element, guint64 *value_element, GError **error)
{
  if (!store)
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the graph of kernel %u does not say which elements it stores", k->number);
  else if (ls_element_invert (store->src[1]->arg.tracker, element, value_element))
    return TRUE;
  else
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "kernel %u does not write element %" G_GUINT64_FORMAT " of its result", k->number, element);
  return FALSE;
}

/* The shape of the tensor in a buffer; where that is not known, that of its elements in a row. */
static const char *
shape_of_buffer (LsElementAsked *a, guint buffer, guint64 n)
{
  LsShape shape = ls_element_memory (a, buffer)->shape;
  return ls_element_keep (a->o, shape.n || n == 1 ? ls_shape_to_string (shape) : g_strdup_printf ("(%" G_GUINT64_FORMAT ",)", n));
}

LsElementOrigins *
ls_element_origins (LsTrace *trace, guint kernel, guint buffer, guint64 element, guint max, GError **error)
{
  LsUOp *graph = ls_reference_graph_of (trace, kernel, error);
  const LsKernel *k = graph ? ls_trace_kernel (trace, kernel) : NULL;
  guint output = (guint) MAX (ls_kernel_output_number (k, buffer), 0), id = ls_kernel_output (k, output);
  if (!graph)
    return NULL;
  const LsTraceBuffer *b = id < trace->buffers->len ? trace->buffers->pdata[id] : NULL;
  if (!b || element >= b->n_elements) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the result of kernel %u has %" G_GUINT64_FORMAT " elements, numbered from 0; "
                                                  "there is no element %" G_GUINT64_FORMAT, kernel, b ? b->n_elements : 0, element);
    return NULL;
  }
  LsElementAsked a;
  guint64 at = 0;
  LsUOp *store = ls_element_store (graph, output);
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, first_rewrite (trace, k), kernel + 1);
  a.o->of = ls_element_of_buffer (&a, id, element);
  a.o->of.value = NULL;      /* it may be of a later kernel */
  a.o->dtype = ls_dtype_strong (b->dtype);
  a.o->shape = shape_of_buffer (&a, id, b->n_elements);
  g_hash_table_remove_all (a.memories);      /* its inputs are those that it read */
  a.before = a.o->reader = kernel;
  gboolean ok = stored_at (k, store, element, &at, error) && follow (&a, k, store->src[2], at, max, notes, error);
  if (ok) {
    a.o->pass = a.pass ? (gint) a.pass->index : -1;
    a.o->node = store->src[2]->id;
    a.o->number = at;
    take_recorded (&a, k, notes);
  }
  return asked_end (&a, ok, notes);
}

LsElementOrigins *
ls_read_element (LsTrace *trace, guint kernel, guint buffer, guint64 element, GError **error)
{
  LsElementAsked a;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, NULL, MAX (kernel, 1));
  gboolean ok = buffer < a.r->n && element < a.r->buffers[buffer].n;
  if (!ok)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no element %" G_GUINT64_FORMAT " of buffer %u", element, buffer);
  else if ((ok = ls_reference_load (a.r, a.before, notes, error))) {
    a.o->of = ls_element_of_buffer (&a, buffer, element);
    a.o->dtype = a.r->buffers[buffer].dtype;
    a.o->shape = shape_of_buffer (&a, buffer, a.r->buffers[buffer].n);
    a.o->number = element;
  }
  return asked_end (&a, ok, notes);
}

LsElementOrigins *
ls_node_element_origins (LsTrace *trace, const LsPass *pass, guint step, guint32 node, guint64 element, guint max, GError **error)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step);
  LsUOp *u = graph ? ls_graph_node (graph, node) : NULL;
  const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
  LsShape shape;
  if (!u) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u is not in the graph of pass %s after step %u", node, pass->name, step);
    return NULL;
  }
  LsUOp *store = NULL;
  guint output = 0;
  for (; output < ls_kernel_n_outputs (k); output++) {
    store = ls_element_store (graph->root, output);
    if (store && (u == store || u == graph->root || u == store->src[2]))
      break;
  }
  gboolean is_result = store && output < ls_kernel_n_outputs (k);
  if (is_result)
    u = store->src[2];
  if (is_result && pass == first_rewrite (trace, k) && ls_tracker_is_contiguous (store->src[1]->arg.tracker))
    return ls_element_origins (trace, k->number, ls_kernel_output (k, output), element, max, error);      /* the kernel's result itself */
  LsElementAsked a;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, graph->ctx, pass, ls_reference_kernels_before (trace, pass) + 1);
  gboolean ok = ls_uop_get_shape (a.ctx, u, &shape, NULL) && shape.n <= LS_MOST_ELEMENT_AXES;
  if (!ok)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u (%s) has no shape: its elements are numbered before the pass lower only", node,
                 ls_op_name (u->op));
  else if (element >= (guint64) ls_shape_size (shape)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u has %" G_GINT64_FORMAT " elements; there is no element %" G_GUINT64_FORMAT,
                 node, ls_shape_size (shape), element);
    ok = FALSE;
  }
  if (ok) {
    a.o->pass = (gint) pass->index;
    a.o->node = node;
    a.o->number = a.o->of.element = element;
    a.o->of.kernel = pass->kernel;
    a.o->of.at = ls_element_keep (a.o, ls_element_indices (shape, element));
    a.o->dtype = u->dtype;
    a.o->shape = ls_element_keep (a.o, ls_shape_to_string (shape));
    ok = follow (&a, k, u, element, max, notes, error);
  }
  return asked_end (&a, ok, notes);
}

/* "1,2" as the index of each axis, or "7", the number of an element. FALSE with error: the shape has no such element. */
static gboolean
read_element (const char *text, LsShape shape, gint64 *index, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  guint64 number;
  gboolean ok = shape.n <= LS_MOST_ELEMENT_AXES;
  if (ok && !words[1] && shape.n != 1 && g_ascii_string_to_unsigned (text, 10, 0, (guint64) ls_shape_size (shape) - 1, &number, NULL)) {
    ls_element_split (shape, number, index);
    return TRUE;
  }
  ok = ok && g_strv_length (words) == shape.n;
  for (guint k = 0; ok && k < shape.n; k++) {
    ok = shape.dims[k] > 0 && g_ascii_string_to_unsigned (g_strstrip (words[k]), 10, 0, (guint64) shape.dims[k] - 1, &number, NULL);
    index[k] = (gint64) number;
  }
  g_autofree char *of = ok ? NULL : ls_shape_to_string (shape);
  if (!ok)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "shape %s has no element '%s': expected a number from 0, or an index of each axis, such "
                                                  "as 1,2", of, text);
  return ok;
}

/* "data1[2,3]": indices of a result that is named as the kernel's text names it. Without a name the text is the indices. */
static gboolean
read_output (const LsKernel *k, const char *text, guint *output, char **indices, GError **error)
{
  guint64 number = 0;
  char *end = NULL;
  gsize n = strlen (text);
  if (!g_str_has_prefix (text, "data") || !g_ascii_isdigit (text[4])) {
    *indices = g_strdup (text);
    return TRUE;
  }
  number = g_ascii_strtoull (text + 4, &end, 10);
  if (*end == '[' && text[n - 1] == ']' && number < MAX (ls_kernel_n_outputs (k), 1)) {
    *output = (guint) number;
    *indices = g_strndup (end + 1, n - 1 - (gsize) (end + 1 - text));
    return TRUE;
  }
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': expected an element of a result, such as data0[1,2]; kernel %u has %u", text,
               k ? k->number : 0, ls_kernel_n_outputs (k));
  return FALSE;
}

gboolean
ls_element_read (LsTrace *trace, guint kernel, const char *text, guint *buffer, guint64 *element, GError **error)
{
  const LsKernel *k = ls_reference_graph_of (trace, kernel, error) ? ls_trace_kernel (trace, kernel) : NULL;
  g_autofree char *indices = NULL;
  guint output = (guint) MAX (ls_kernel_output_number (k, *buffer), 0);
  if (!read_output (k, text, &output, &indices, error))
    return FALSE;
  guint id = *buffer = ls_kernel_output (k, output);
  gint64 index[LS_MOST_ELEMENT_AXES], at;
  *element = 0;
  if (!k || id >= trace->buffers->len)
    return k != NULL;
  LsElementAsked a;
  asked_init (&a, trace, trace->ctx, NULL, kernel + 1);
  const LsElementMemory *m = ls_element_memory (&a, id);
  gint64 n = (gint64) MIN (((LsTraceBuffer *) trace->buffers->pdata[id])->n_elements, G_MAXINT64);
  LsShape shape = m->shape.n || n == 1 ? m->shape : (LsShape) { .n = 1, .dims = &n };
  gboolean ok = read_element (indices, shape, index, error);
  if (ok)
    *element = m->through && ls_tracker_index (m->through, index, &at) && at >= 0 ? (guint64) at : ls_element_number (shape, index);
  asked_end (&a, FALSE, NULL);
  return ok;
}

gboolean
ls_element_read_of_node (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *text, guint64 *element, GError **error)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step);
  LsUOp *u = graph ? ls_graph_node (graph, node) : NULL;
  gint64 index[LS_MOST_ELEMENT_AXES];
  LsShape shape;
  *element = 0;
  if (!u || !ls_uop_get_shape (graph->ctx, u, &shape, NULL))
    return TRUE;      /* the question says what is wrong with it */
  gboolean ok = read_element (text, shape, index, error);
  *element = ok ? ls_element_number (shape, index) : 0;
  return ok;
}

LsValues *
ls_buffer_values (LsTrace *trace, guint kernel, guint buffer, guint max, GError **error)
{
  LsElementAsked a;
  LsValues *v = NULL;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, NULL, MAX (kernel, 1));
  if (buffer >= a.r->n || a.r->buffers[buffer].n > MOST_SHOWN)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, buffer >= a.r->n ? "there is no buffer %u"
                                                                   : "buffer %u has too many elements to be shown", buffer);
  else if (ls_reference_load (a.r, a.before, notes, error)) {
    const LsEvalBuffer *b = &a.r->buffers[buffer];
    const LsElementMemory *m = ls_element_memory (&a, buffer);
    g_autofree LsScalar *x = b->data ? g_new (LsScalar, MAX (b->n, 1)) : NULL;
    if (x) {
      for (guint64 i = 0; i < b->n; i++)
        x[i] = ls_scalar_load (b->dtype, b->data + i * ls_dtype_itemsize (b->dtype));
      v = ls_values_new ();
      gboolean flat = m->through || m->shape.n == 0;
      ls_values_set (v, b->dtype, b->n, x, flat ? b->n : (guint64) m->shape.dims[m->shape.n - 1], max);
      v->shape = flat ? g_strdup_printf ("(%" G_GUINT64_FORMAT ",)", b->n) : ls_shape_to_string (m->shape);
      v->notes = notes->len ? g_strdup (notes->str) : NULL;
    } else
      g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the contents of buffer %u were not kept in the recording", buffer);
  }
  asked_end (&a, FALSE, notes);
  return v;
}
