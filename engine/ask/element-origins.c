/* The elements that an element was computed from: one kernel back.
 *
 * A kernel's graph, before its first rewrite, says for each element of its result which elements of its inputs and which constants it
 * reads: the graph is evaluated for that element alone (run/elements.h), and the elements of memory that it asked for are the answer.
 * Each is named as the program names the buffer, with the indices of its tensor, and with the kernel that wrote it, which is the next
 * question.
 */
#include "values-private.h"
#include "sample.h"

#include "ir/view.h"
#include "trace/realizations.h"

#include <string.h>

#define MOST_SEARCHED ((gint64) 1 << 22)      /* elements of a view that is inverted by trying */
#define MOST_SHOWN    ((guint64) 1 << 22)
#define MOST_NOTED    256                     /* nodes whose lines are looked up */
#define MOST_AXES     32

/* What the elements of one buffer have in common. */
typedef struct {
  guint      buffer;
  LsShape    shape;        /* of its tensor; n 0 of a size that is not 1: not known */
  const LsTracker *through;      /* the named tensor as a view of the buffer; NULL: they have the same order */
  LsElementOrigin common;
} Memory;

typedef struct {
  LsElementOrigins *o;
  LsTrace     *trace;
  LsReference *r;
  LsContext   *ctx;
  const LsPass *pass;      /* whose graph is asked, or NULL */
  guint        before;     /* kernels below this number have written */
  GHashTable  *memories;   /* buffer + 1 -> Memory */
  LsProgramIndex *index;
  GHashTable  *lines;      /* of the program, that the graph is from */
} Asked;

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

static const char *
kept (LsElementOrigins *o, char *text)
{
  const char *copy = text ? g_string_chunk_insert (o->strings, text) : NULL;
  g_free (text);
  return copy;
}

/* --- memory --- */

static guint
writer_of (LsTrace *trace, guint before, guint buffer)
{
  for (guint number = MIN (before, trace->kernels->len + 1); number-- > 1;) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    if (k && k->buffers->len && g_array_index (k->buffers, guint, 0) == buffer)
      return number;
  }
  return 0;
}

/* The STORE of a kernel's graph into its result. */
static LsUOp *
store_of (LsUOp *root)
{
  for (guint i = 0; root && i < (root->op == LS_OP_SINK ? root->n_src : 1); i++) {
    LsUOp *u = root->op == LS_OP_SINK ? root->src[i] : root;
    if (u->op == LS_OP_STORE && u->n_src == 3 && u->src[1]->op == LS_OP_VIEW && u->src[1]->arg.kind == LS_ARG_TRACKER &&
        u->src[0]->op == LS_OP_DEFINE_GLOBAL)
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
  guint host = ls_buffer_host (trace, buffer);
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    for (guint32 id = made->node; id - made->node <= made->more; id++) {
      LsUOp *u = ls_context_node (trace->ctx, id), *of = u;
      while (of && (of->op == LS_OP_COPY || of->op == LS_OP_RESHAPE) && of->n_src)
        of = of->src[0];
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
  return shape.n <= MOST_AXES && (guint64) ls_shape_size (shape) == n;
}

/* The tensor that the name was bound to, as a view of the buffer: its base's elements are the buffer's. */
static gboolean
take_named (Memory *m, LsTrace *trace, LsContext *ctx, const LsNameBinding *b, guint64 n)
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
take_printed (Memory *m, const LsTrace *trace, LsContext *ctx, guint64 n)
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

static Memory *
memory_of (Asked *a, guint buffer)
{
  Memory *m = g_hash_table_lookup (a->memories, GUINT_TO_POINTER (buffer + 1));
  if (m)
    return m;
  m = g_new0 (Memory, 1);
  g_hash_table_insert (a->memories, GUINT_TO_POINTER (buffer + 1), m);
  LsTrace *trace = a->trace;
  const LsTraceBuffer *b = trace->buffers->pdata[buffer];
  const LsNameBinding *name = ls_trace_buffer_name (trace, buffer);
  guint line = 0;
  LsShape of_data = { 0 };
  m->buffer = buffer;
  m->common = (LsElementOrigin) { .buffer = buffer, .node = LS_NO_NODE, .name = name ? kept (a->o, g_strdup (name->name)) : NULL };
  m->common.kernel = writer_of (trace, a->before, buffer);
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
  LsUOp *store = k ? store_of (ls_reference_kernel_graph (trace, k)) : NULL;
  if (store && ls_tracker_is_contiguous (store->src[1]->arg.tracker))
    of_data = ls_tracker_shape (store->src[1]->arg.tracker);
  m->shape = has_size (of_data, b->n_elements) ? of_data : (LsShape) { 0 };
  return m;
}

static void
split (LsShape shape, guint64 element, gint64 *index)
{
  for (guint k = shape.n; k-- > 0;) {
    index[k] = (gint64) (element % (guint64) MAX (shape.dims[k], 1));
    element /= (guint64) MAX (shape.dims[k], 1);
  }
}

/* The element of a view that is this one of what it is a view of. FALSE: there is none, or it was not found. */
static gboolean
invert (const LsTracker *t, guint64 element, guint64 *out)
{
  LsShape shape = ls_tracker_shape (t);
  gint64 n = ls_shape_size (shape), index[MOST_AXES], at;
  if (ls_tracker_is_contiguous (t)) {
    *out = element;
    return element < (guint64) n;
  }
  for (gint64 i = 0; shape.n <= MOST_AXES && i < MIN (n, MOST_SEARCHED); i++) {
    split (shape, (guint64) i, index);
    if (ls_tracker_index (t, index, &at) && at >= 0 && (guint64) at == element) {
      *out = (guint64) i;
      return TRUE;
    }
  }
  return FALSE;
}

/* "1,2"; "" of a scalar. */
static char *
indices (LsShape shape, guint64 element)
{
  gint64 index[MOST_AXES];
  GString *text = g_string_new (NULL);
  split (shape, element, index);
  for (guint k = 0; k < shape.n; k++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k ? "," : "", index[k]);
  return g_string_free (text, FALSE);
}

static char *
place_of (const Memory *m, guint64 n, guint64 element)
{
  guint64 seen = element;
  if (m->through ? !invert (m->through, element, &seen) : m->shape.n == 0 && n != 1)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, element);
  return indices (m->shape, seen);
}

static LsElementOrigin
origin_at (Asked *a, guint buffer, guint64 element)
{
  Memory *m = memory_of (a, buffer);
  LsElementOrigin origin = m->common;
  const LsEvalBuffer *b = &a->r->buffers[buffer];
  origin.element = element;
  origin.at = kept (a->o, place_of (m, b->n, element));
  if (b->data && element < b->n)
    origin.value = kept (a->o, ls_scalar_print (b->dtype, ls_scalar_load (b->dtype, b->data + element * ls_dtype_itemsize (b->dtype))));
  return origin;
}

/* --- the elements of an answer --- */

static gboolean
is_arithmetic (const LsUOp *u)
{
  LsOpClass c = ls_op_info (u->op)->op_class;
  return c >= LS_CLASS_UNARY && c <= LS_CLASS_TERNARY;
}

static LsElementOrigin
constant (Asked *a, LsUOp *u, guint64 element)
{
  LsScalar value = u->op == LS_OP_IOTA ? ls_scalar_fit (u->dtype, (LsScalar) { .i = (gint64) element })
                                       : ls_scalar_from_arg (u->dtype, u->arg);
  LsElementOrigin origin = { .from = LS_ELEMENT_OF_CONSTANT, .buffer = -1, .element = element, .node = u->id, .at = "" };
  if (u->op == LS_OP_IOTA)
    origin.at = kept (a->o, g_strdup_printf ("%" G_GUINT64_FORMAT, element));
  origin.value = kept (a->o, ls_scalar_print (u->dtype, value));
  g_autoptr (GArray) lines = a->pass ? ls_program_index_lines (a->index, a->pass, NULL, u->id) : NULL;
  for (guint i = lines ? lines->len : 0; i-- > 0;) {      /* equal constants of several lines are one node: the kernel's lines come first */
    guint line = g_array_index (lines, guint, i);
    if (!origin.line || !g_hash_table_contains (a->lines, GUINT_TO_POINTER (origin.line)) ||
        g_hash_table_contains (a->lines, GUINT_TO_POINTER (line)))
      origin.line = line;
  }
  return origin;
}

/* The lines of the program that the operations of a kernel's graph are from. */
static void
note_lines (Asked *a, LsUOp *root)
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
buffer_read (Asked *a, const LsKernel *k, const LsUOp *u)
{
  if (u->op != LS_OP_BUFFER && u->op != LS_OP_LOAD)
    return -1;
  gint64 number = u->op == LS_OP_LOAD ? u->src[0]->arg.i : u->arg.ints[0];
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
add_origins (Asked *a, const LsKernel *k, const GArray *uses, guint max)
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
    LsElementOrigin origin = use.buffer < 0 ? constant (a, use.u, use.element) : origin_at (a, (guint) use.buffer, use.element);
    origin.uses = use.uses;
    g_array_append_val (o->origins, origin);
  }
}

/* The element of a node: its value, and the elements that it was computed from. */
static gboolean
follow (Asked *a, const LsKernel *k, LsUOp *node, guint64 element, guint max, GString *notes, GError **error)
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
    a->o->of.value = kept (a->o, ls_scalar_print (node->dtype, value));
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
  const LsUOp *store = k ? store_of (ls_reference_kernel_graph (trace, k)) : NULL;
  *pass = k ? first_rewrite (trace, k) : NULL;
  return store && *pass ? store->src[2] : NULL;
}

static void
asked_init (Asked *a, LsTrace *trace, LsContext *over, const LsPass *pass, guint before)
{
  *a = (Asked) { g_new0 (LsElementOrigins, 1), trace, ls_reference_new (trace), ls_context_new_over (over), pass, before,
                 g_hash_table_new_full (NULL, NULL, NULL, g_free), ls_program_index_new (trace), g_hash_table_new (NULL, NULL) };
  a->o->trace = trace;
  a->o->node = LS_NO_NODE;
  a->o->strings = g_string_chunk_new (256);
  a->o->origins = g_array_new (FALSE, FALSE, sizeof (LsElementOrigin));
  a->o->of = (LsElementOrigin) { .buffer = -1, .node = LS_NO_NODE, .at = "", .from = LS_ELEMENT_OF_KERNEL };
}

/* The answer, or NULL if it could not be made. */
static LsElementOrigins *
asked_end (Asked *a, gboolean ok, GString *notes)
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
take_recorded (Asked *a, const LsKernel *k, GString *notes)
{
  LsElementOrigin *of = &a->o->of;
  const LsTraceBuffer *b = a->trace->buffers->pdata[of->buffer];
  LsDType dtype = ls_dtype_strong (b->dtype);
  gsize size = ls_dtype_itemsize (dtype);
  if (writer_of (a->trace, G_MAXUINT, (guint) of->buffer) != k->number || !b->data || size == 0 || of->element >= b->n_data / size)
    return;
  g_autofree char *recorded = ls_scalar_print (dtype, ls_scalar_load (dtype, b->data + of->element * size));
  if (of->value && strcmp (recorded, of->value) != 0)
    g_string_append_printf (notes, "The interpreter computes %s from these elements: the run used %s.\n", of->value,
                            k->values_compiler && *k->values_compiler ? k->values_compiler : "compiled code");
  of->value = kept (a->o, g_steal_pointer (&recorded));
}

/* Finds the element of the value that the kernel stores there. */
static gboolean
stored_at (const LsKernel *k, const LsUOp *store, guint64 element, guint64 *value_element, GError **error)
{
  if (!store)
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the graph of kernel %u does not say which elements it stores", k->number);
  else if (invert (store->src[1]->arg.tracker, element, value_element))
    return TRUE;
  else
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "kernel %u does not write element %" G_GUINT64_FORMAT " of its result", k->number, element);
  return FALSE;
}

LsElementOrigins *
ls_element_origins (LsTrace *trace, guint kernel, guint64 element, guint max, GError **error)
{
  LsUOp *graph = ls_reference_graph_of (trace, kernel, error);
  const LsKernel *k = graph ? ls_trace_kernel (trace, kernel) : NULL;
  guint id = k && k->buffers->len ? g_array_index (k->buffers, guint, 0) : G_MAXUINT;
  if (!graph)
    return NULL;
  const LsTraceBuffer *b = id < trace->buffers->len ? trace->buffers->pdata[id] : NULL;
  if (!b || element >= b->n_elements) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the result of kernel %u has %" G_GUINT64_FORMAT " elements, numbered from 0; "
                                                  "there is no element %" G_GUINT64_FORMAT, kernel, b ? b->n_elements : 0, element);
    return NULL;
  }
  Asked a;
  guint64 at = 0;
  LsUOp *store = store_of (graph);
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, first_rewrite (trace, k), kernel + 1);
  a.o->of = memory_of (&a, id)->common;
  a.o->of.element = element;
  a.o->of.at = kept (a.o, place_of (memory_of (&a, id), b->n_elements, element));
  a.o->dtype = ls_dtype_strong (b->dtype);
  LsShape shape = memory_of (&a, id)->shape;
  a.o->shape = kept (a.o, shape.n || b->n_elements == 1 ? ls_shape_to_string (shape) : g_strdup_printf ("(%" G_GUINT64_FORMAT ",)",
                                                                                                          b->n_elements));
  g_hash_table_remove_all (a.memories);      /* its inputs are those that it read */
  a.before = kernel;
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
  Asked a;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, NULL, kernel);
  gboolean ok = buffer < a.r->n && element < a.r->buffers[buffer].n;
  if (!ok)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no element %" G_GUINT64_FORMAT " of buffer %u", element, buffer);
  else if ((ok = ls_reference_load (a.r, kernel, notes, error))) {
    a.o->of = origin_at (&a, buffer, element);
    a.o->dtype = a.r->buffers[buffer].dtype;
    a.o->shape = "";
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
  LsUOp *store = k ? store_of (graph->root) : NULL;
  if (store && (u == store || u == graph->root))
    u = store->src[2];
  if (store && u == store->src[2] && pass == first_rewrite (trace, k) && ls_tracker_is_contiguous (store->src[1]->arg.tracker))
    return ls_element_origins (trace, k->number, element, max, error);      /* the kernel's result itself */
  Asked a;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, graph->ctx, pass, ls_reference_kernels_before (trace, pass) + 1);
  gboolean ok = ls_uop_get_shape (a.ctx, u, &shape, NULL) && shape.n <= MOST_AXES;
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
    a.o->of.at = kept (a.o, indices (shape, element));
    a.o->dtype = u->dtype;
    a.o->shape = kept (a.o, ls_shape_to_string (shape));
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
  gboolean ok = shape.n <= MOST_AXES;
  if (ok && !words[1] && shape.n != 1 && g_ascii_string_to_unsigned (text, 10, 0, (guint64) ls_shape_size (shape) - 1, &number, NULL)) {
    split (shape, number, index);
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

static guint64
join (LsShape shape, const gint64 *index)
{
  guint64 element = 0;
  for (guint k = 0; k < shape.n; k++)
    element = element * (guint64) shape.dims[k] + (guint64) index[k];
  return element;
}

gboolean
ls_element_read (LsTrace *trace, guint kernel, const char *text, guint64 *element, GError **error)
{
  const LsKernel *k = ls_reference_graph_of (trace, kernel, error) ? ls_trace_kernel (trace, kernel) : NULL;
  guint id = k && k->buffers->len ? g_array_index (k->buffers, guint, 0) : G_MAXUINT;
  gint64 index[MOST_AXES], at;
  *element = 0;
  if (!k || id >= trace->buffers->len)
    return k != NULL;
  Asked a;
  asked_init (&a, trace, trace->ctx, NULL, kernel + 1);
  const Memory *m = memory_of (&a, id);
  gint64 n = (gint64) MIN (((LsTraceBuffer *) trace->buffers->pdata[id])->n_elements, G_MAXINT64);
  LsShape shape = m->shape.n || n == 1 ? m->shape : (LsShape) { .n = 1, .dims = &n };
  gboolean ok = read_element (text, shape, index, error);
  if (ok)
    *element = m->through && ls_tracker_index (m->through, index, &at) && at >= 0 ? (guint64) at : join (shape, index);
  asked_end (&a, FALSE, NULL);
  return ok;
}

gboolean
ls_element_read_of_node (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *text, guint64 *element, GError **error)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step);
  LsUOp *u = graph ? ls_graph_node (graph, node) : NULL;
  gint64 index[MOST_AXES];
  LsShape shape;
  *element = 0;
  if (!u || !ls_uop_get_shape (graph->ctx, u, &shape, NULL))
    return TRUE;      /* the question says what is wrong with it */
  gboolean ok = read_element (text, shape, index, error);
  *element = ok ? join (shape, index) : 0;
  return ok;
}

LsValues *
ls_buffer_values (LsTrace *trace, guint kernel, guint buffer, guint max, GError **error)
{
  Asked a;
  LsValues *v = NULL;
  g_autoptr (GString) notes = g_string_new (NULL);
  asked_init (&a, trace, trace->ctx, NULL, kernel);
  if (buffer >= a.r->n || a.r->buffers[buffer].n > MOST_SHOWN)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, buffer >= a.r->n ? "there is no buffer %u" : "buffer %u has too many elements to be shown",
                 buffer);
  else if (ls_reference_load (a.r, kernel, notes, error)) {
    const LsEvalBuffer *b = &a.r->buffers[buffer];
    const Memory *m = memory_of (&a, buffer);
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
