/* The facts of tensors: the fields of `tensor.lazydata` of 2024, nested, derived from nodes, calls, realizations and decisions.
 *
 * A tensor is a view of a base: of the first node below it through movement ops, or of one that is in memory by then. A base has an op,
 * an argument and sources, which are such tensors again. Values are texts as tensor/library/lazydata.py prints them. A node whose fields
 * were listed is named again without them. */
#include "ask.h"

#include "ir/sentence.h"
#include "ir/view.h"
#include "run/compiler.h"
#include "trace/realizations.h"
#include "trace/statements.h"

#include <string.h>

#define MOST_DEPTH 24

const LsFactInfo ls_fact_infos[] = {
#define X(id, ...) { __VA_ARGS__ },
#include "facts.def"
#undef X
};

/* Where a node's value is, and the call that asked for it, or -1. */
typedef struct { guint buffer; gint call; } Memory;

typedef struct {
  LsTrace    *trace;
  LsFacts    *facts;
  LsContext  *scratch;      /* of trackers */
  GHashTable *memory;       /* node -> Memory */
  GHashTable *copied;       /* buffer of the host that was copied -> 2 + the call that asked for it */
  GHashTable *listed;       /* nodes whose fields are listed */
  GHashTable *decided;      /* node -> 1 + decision */
  guint      *stop_of;      /* by row of the statements: its first stop, or G_MAXUINT */
  gboolean    merge_views;
  guint       most_depth;   /* of nodes whose fields are listed */
} Lister;

const char *
ls_fact_read_by (LsFactField field)
{
  return ls_fact_infos[field].read_by ? ls_fact_infos[field].read_by : LS_TEMPLATE ("not used by this scheduler");
}

static void
fact_clear (gpointer data)
{
  g_free (((LsFact *) data)->name);
  g_free (((LsFact *) data)->value);
  g_free (((LsFact *) data)->brief);
}

void
ls_facts_free (LsFacts *facts)
{
  if (!facts)
    return;
  g_array_unref (facts->facts);
  g_free (facts);
}

/* --- what was known by the stop --- */

static gboolean
is_by_then (const Lister *l, guint row)
{
  return l->facts->stop >= l->facts->n_stops || (row < l->trace->statements->len && l->stop_of[row] < l->facts->stop);
}

static void
find_stops (Lister *l)
{
  const GArray *stops = ls_trace_stops (l->trace);
  l->stop_of = g_new (guint, l->trace->statements->len + 1);
  memset (l->stop_of, 0xff, (l->trace->statements->len + 1) * sizeof *l->stop_of);
  for (guint i = stops->len; i-- > 0;)
    l->stop_of[MIN (g_array_index (stops, LsStop, i).row, l->trace->statements->len)] = i;
}

/* The bindings that there are by then: so many. */
static guint
n_bindings (const Lister *l)
{
  const GArray *stops = ls_trace_stops (l->trace);
  if (l->facts->stop >= l->facts->n_stops)
    return l->trace->bindings->len;
  const LsStop *stop = &g_array_index (stops, LsStop, l->facts->stop - 1);
  return MIN (stop->binding + stop->n_bindings, l->trace->bindings->len);
}

/* The decisions of the schedule, by the node of the program that the decided one was made of. */
static void
find_decisions (Lister *l)
{
  const LsTrace *t = l->trace;
  g_autoptr (GHashTable) from = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    if (pass->kernel || pass->parent >= 0)
      continue;
    for (guint k = 0; k < pass->map->len; k++) {
      const LsMapEntry *entry = &g_array_index (pass->map, LsMapEntry, k);
      if (entry->new_node != entry->old_node)
        g_hash_table_insert (from, GUINT_TO_POINTER (entry->new_node), GUINT_TO_POINTER (entry->old_node));
    }
    for (guint k = 0; k < pass->links->len; k++) {
      const LsLink *link = &g_array_index (pass->links, LsLink, k);
      gpointer old;
      if (!g_hash_table_lookup_extended (from, GUINT_TO_POINTER (link->before), NULL, &old))
        old = GUINT_TO_POINTER (link->before);
      if (!g_hash_table_contains (from, GUINT_TO_POINTER (link->after)))
        g_hash_table_insert (from, GUINT_TO_POINTER (link->after), old);
    }
  }
  for (guint i = t->decisions->len, kernel = 0; i-- > 0;) {
    const LsDecision *d = &g_array_index (t->decisions, LsDecision, i);
    const LsRealization *r = ls_kernel_realization (l->trace, kernel = d->kernel ? d->kernel : d->user_kernel ? d->user_kernel : kernel);
    gpointer nodes[] = { GUINT_TO_POINTER (d->node), g_hash_table_lookup (from, GUINT_TO_POINTER (d->node)) };
    if (!is_by_then (l, r ? r->row : G_MAXUINT) || (!d->realized && ls_reasons[d->key].action != LS_DECISION_FUSES))
      continue;
    for (guint n = 0; n < G_N_ELEMENTS (nodes) && nodes[n]; n++) {      /* one that stores it counts more than its uses */
      guint known = GPOINTER_TO_UINT (g_hash_table_lookup (l->decided, nodes[n]));
      if (!known || d->realized || !g_array_index (t->decisions, LsDecision, known - 1).realized)
        g_hash_table_insert (l->decided, nodes[n], GUINT_TO_POINTER (i + 1));
    }
  }
}

static void
remember (Lister *l, const LsUOp *u, guint buffer, gint call)
{
  Memory memory = { buffer, call };
  if (u && !g_hash_table_contains (l->memory, GUINT_TO_POINTER (u->id)))
    g_hash_table_insert (l->memory, GUINT_TO_POINTER (u->id), g_memdup2 (&memory, sizeof memory));
}

/* The buffer that the schedule gave a node, or G_MAXUINT. */
static guint
stored_by (const Lister *l, guint32 node)
{
  guint decision = GPOINTER_TO_UINT (g_hash_table_lookup (l->decided, GUINT_TO_POINTER (node)));
  const LsKernel *k = decision ? ls_trace_kernel (l->trace, g_array_index (l->trace->decisions, LsDecision, decision - 1).kernel) : NULL;
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++)
    if (ls_kernel_value (l->trace, k, i) == node)
      return ls_kernel_output (k, i);
  return ls_kernel_output (k, 0);
}

/* Tensors whose values are in memory: the results of realizations, copied host data, and the bases of names. */
static void
find_memory (Lister *l)
{
  LsTrace *t = l->trace;
  const GPtrArray *all = ls_trace_realizations (t);
  g_autoptr (GHashTable) outputs = g_hash_table_new (NULL, NULL);      /* node -> 1 + buffer */
  for (guint i = 0; i < t->outputs->len; i++) {
    const LsOutput *o = &g_array_index (t->outputs, LsOutput, i);
    const LsUOp *u = ls_below_reshapes (ls_context_node (t->ctx, o->node));
    if (u && o->buffer < t->buffers->len)
      g_hash_table_insert (outputs, GUINT_TO_POINTER (u->id), GUINT_TO_POINTER (o->buffer + 1));
  }
  for (guint i = 0; i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    for (guint k = 0; is_by_then (l, r->row) && k < r->nodes->len; k++) {
      guint32 id = g_array_index (r->nodes, guint32, k);
      const LsUOp *u = ls_context_node (t->ctx, id);
      guint output = GPOINTER_TO_UINT (g_hash_table_lookup (outputs, GUINT_TO_POINTER (id)));
      if (u && u->op != LS_OP_COPY && u->op != LS_OP_CONST)
        remember (l, u, output ? output - 1 : stored_by (l, id), r->call);
    }
    for (guint k = 0; is_by_then (l, r->row) && k < r->copies->len; k++) {
      guint host = g_array_index (r->copies, guint, k);
      g_hash_table_insert (l->copied, GUINT_TO_POINTER (host), GINT_TO_POINTER (r->call + 2));
    }
  }
  for (guint i = 0; i < n_bindings (l); i++) {
    const LsNameBinding *b = &g_array_index (t->bindings, LsNameBinding, i);
    const LsUOp *base = b->buffer < t->buffers->len ? ls_context_node (t->ctx, b->base) : NULL;
    if (base && base->op != LS_OP_COPY)
      remember (l, base, b->buffer, -1);
  }
}

/* The memory of a base: a BUFFER is its own, a COPY has the buffer after its source's once that was copied. */
static gboolean
memory_of (const Lister *l, const LsUOp *base, Memory *out)
{
  const LsUOp *at = base->op == LS_OP_COPY && base->n_src ? base->src[0] : base;
  gboolean is_buffer = at->op == LS_OP_BUFFER && at->arg.kind == LS_ARG_INTS && at->arg.n > 0;
  guint number = is_buffer ? (guint) at->arg.ints[0] : G_MAXUINT;
  *out = (Memory) { G_MAXUINT, -1 };
  if (is_buffer && at != base) {
    gint copied = GPOINTER_TO_INT (g_hash_table_lookup (l->copied, GUINT_TO_POINTER (number)));
    if (copied)
      *out = (Memory) { number + 1, copied - 2 };
    return copied;
  }
  const Memory *memory = is_buffer ? &(Memory) { number, -1 } : g_hash_table_lookup (l->memory, GUINT_TO_POINTER (base->id));
  if (memory)
    *out = *memory;
  return memory != NULL;
}

/* The innermost call that made a node, or -1. */
static gint
maker_of (const LsTrace *trace, guint32 node)
{
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *made = &g_array_index (trace->node_calls, LsNodeCall, i);
    if (node >= made->node && node - made->node <= made->more && made->call < trace->calls->len)
      return (gint) made->call;
  }
  return -1;
}

/* --- values, as Python prints them --- */

static char *
quoted (const char *text)
{
  return g_strdup_printf ("'%s'", text);
}

static const char *
yes_or_no (gboolean yes)
{
  return yes ? "True" : "False";
}

/* The ops of each kind, in the order of their numbers, which begin with 1: KINDS of tensor/library/lazydata.py. */
static const char *const kinds[][20] = {
  { "LoadOps", "EMPTY", "CONST", "COPY", "CONTIGUOUS", "CUSTOM", "ASSIGN", "VIEW", "IOTA" },
  { "UnaryOps", "EXP2", "LOG2", "CAST", "BITCAST", "SIN", "SQRT", "NEG", "RECIP", "NOT", "TRUNC", "CONTIGUOUS_BACKWARD" },
  { "BinaryOps", "ADD", "MUL", "IDIV", "MAX", "MOD", "CMPLT", "CMPNE", "XOR", "SHL", "SHR", "OR", "AND", "SUB", "FDIV", "CMPEQ", "POW",
    "FLOORDIV", "FLOORMOD" },
  { "TernaryOps", "WHERE", "MULACC" },
};

/* "<LoadOps.COPY: 3>" */
static char *
op_text (const LsUOp *u)
{
  static const struct { LsOp op; const char *text; } reduces[] = {
    { LS_OP_ADD, "<ReduceOps.SUM: 1>" }, { LS_OP_MAX, "<ReduceOps.MAX: 2>" }, { LS_OP_MUL, "<ReduceOps.PROD: 3>" },
  };
  const char *name = u->op == LS_OP_BUFFER ? "EMPTY" : ls_op_name (u->op);
  for (gsize i = 0; u->op == LS_OP_REDUCE_AXIS && i < G_N_ELEMENTS (reduces); i++)
    if (u->arg.kind == LS_ARG_OP_INTS && u->arg.op == reduces[i].op)
      return g_strdup (reduces[i].text);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (gsize k = 1; kinds[i][k]; k++)
      if (strcmp (kinds[i][k], name) == 0)
        return g_strdup_printf ("<%s.%s: %u>", kinds[i][0], name, (guint) k);
  return g_strdup_printf ("<Ops.%s: 0>", name);
}

static gint64
size_of (const LsUOp *u)
{
  return ls_shape_size ((LsShape) { u->n_dims, u->dims });
}

static char *
arg_text (const LsUOp *u)
{
  char dtype[64];
  switch ((int) u->op) {
  case LS_OP_COPY: return g_strdup_printf ("%" G_GINT64_FORMAT, size_of (u) * (gint64) ls_dtype_itemsize (u->dtype));
  case LS_OP_CAST: case LS_OP_BITCAST: return g_strdup (ls_dtype_text (u->dtype, dtype));
  case LS_OP_BUFFER: return g_strdup ("None");
  case LS_OP_REDUCE_AXIS: return u->arg.kind == LS_ARG_OP_INTS ? ls_shape_to_string ((LsShape) { u->arg.n, u->arg.ints })
                                                               : ls_arg_print (u->arg);
  default: return ls_arg_print (u->arg);
  }
}

static char *
memory_text (const LsUOp *base, gboolean holds, const char *device)
{
  char dtype[64];
  return g_strdup_printf ("<buf real:%s device:%s size:%" G_GINT64_FORMAT " dtype:%s offset:0>", yes_or_no (holds), device, size_of (base),
                          ls_dtype_text (base->dtype, dtype));
}

static char *
mask_text (const LsView *v)
{
  if (!v->mask)
    return g_strdup ("None");
  g_autoptr (GString) text = g_string_new ("(");
  for (guint i = 0; i < v->n; i++) {
    g_autofree char *axis = ls_shape_to_string ((LsShape) { 2, v->mask + 2 * i });
    g_string_append_printf (text, "%s%s", i ? ", " : "", axis);
  }
  g_string_append (text, v->n == 1 ? ",)" : ")");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
view_text (const LsView *v)
{
  g_autofree char *shape = ls_shape_to_string ((LsShape) { v->n, v->shape }),
                  *strides = ls_shape_to_string ((LsShape) { v->n, v->strides }), *mask = mask_text (v);
  return g_strdup_printf ("View(shape=%s, strides=%s, offset=%" G_GINT64_FORMAT ", mask=%s, contiguous=%s)", shape, strides, v->offset,
                          mask, yes_or_no (v->contiguous));
}

/* --- rows --- */

/* Takes name and value; name NULL: the field's. The row until the next one is added; NULL: there are too many. Every name has a row. */
static LsFact *
add (Lister *l, guint depth, LsFactField field, char *name, char *value, gint call)
{
  LsFact fact = { .depth = depth, .field = field, .name = name ? name : g_strdup (ls_fact_infos[field].name), .value = value,
                  .node = LS_NO_NODE, .buffer = G_MAXUINT, .call = call, .decision = -1 };
  if (l->facts->facts->len >= LS_MOST_FACTS && depth > 0) {
    l->facts->more = TRUE;
    fact_clear (&fact);
    return NULL;
  }
  g_array_append_val (l->facts->facts, fact);
  return &g_array_index (l->facts->facts, LsFact, l->facts->facts->len - 1);
}

/* The base, and the view of it. */
static const LsTracker *
see (Lister *l, LsUOp *u, LsUOp **base)
{
  g_autoptr (GPtrArray) moves = g_ptr_array_new ();
  Memory memory;
  for (; !memory_of (l, u, &memory) && u->n_src && ((ls_op_is_movement (u->op) && u->op != LS_OP_VIEW) || u->op == LS_OP_DETACH);
       u = u->src[0])
    if (u->op != LS_OP_DETACH)
      g_ptr_array_add (moves, u);
  const LsTracker *t = ls_tracker_contiguous (l->scratch, ls_shape_of_memory (ls_uop_shape (l->scratch, u)));
  for (guint i = moves->len; i-- > 0;) {
    const LsUOp *move = moves->pdata[i];
    t = ls_tracker_moved (l->scratch, t, move->op, move->arg, l->merge_views);
  }
  *base = u;
  return t;
}

/* "<LB CPU (3,) int (<LoadOps.COPY: 3>, None)>"; of a view the shape tracker in place of the op. */
static char *
tensor_text (Lister *l, LsUOp *u, const char *device)
{
  char dtype[64];
  LsUOp *base;
  Memory memory;
  const LsTracker *t = see (l, u, &base);
  gboolean holds = base == u && memory_of (l, u, &memory);
  g_autofree char *shape = ls_shape_to_string (ls_tracker_shape (t)), *st = ls_tracker_to_string (t), *op = op_text (u),
                  *realized = holds ? memory_text (u, TRUE, device) : g_strdup ("None"),
                  *computed = g_strdup_printf ("(%s, %s)", op, realized);
  return g_strdup_printf ("<LB %s %s %s %s>", device, shape, ls_dtype_text (u->dtype, dtype) + strlen ("dtypes."),
                          base == u ? computed : st);
}

static void
add_view (Lister *l, guint depth, guint number, const LsView *v, gint call)
{
  LsFact *fact = add (l, depth, LS_FACT_VIEW, g_strdup_printf ("views[%u]", number), view_text (v), call);
  if (fact)
    fact->brief = ls_tracker_summary (ls_tracker_new (l->scratch, 1, &v));
  add (l, depth + 1, LS_FACT_SHAPE_V, NULL, ls_shape_to_string ((LsShape) { v->n, v->shape }), call);
  add (l, depth + 1, LS_FACT_STRIDES, NULL, ls_shape_to_string ((LsShape) { v->n, v->strides }), call);
  add (l, depth + 1, LS_FACT_OFFSET, NULL, g_strdup_printf ("%" G_GINT64_FORMAT, v->offset), call);
  add (l, depth + 1, LS_FACT_MASK, NULL, mask_text (v), call);
  add (l, depth + 1, LS_FACT_WHOLE, NULL, g_strdup (yes_or_no (v->contiguous)), call);
}

/* device: of a tensor; NULL: the node is not one. */
static void add_node (Lister *l, guint depth, LsFactField field, char *name, LsUOp *u, const char *device);

static void
add_sources (Lister *l, guint depth, LsFactField field, LsUOp *u, const char *device, gint call)
{
  if (u->n_src == 0)
    add (l, depth, field, NULL, g_strdup ("()"), call);
  for (guint i = 0; i < u->n_src; i++)
    add_node (l, depth, field, g_strdup_printf ("%s[%u]", ls_fact_infos[field].name, i), u->src[i], device);
}

static void
add_memory (Lister *l, guint depth, LsUOp *u, const char *device, gint call)
{
  Memory memory;
  gboolean holds = memory_of (l, u, &memory);
  gint wrote = memory.call >= 0 ? memory.call : call;
  LsFact *fact = add (l, depth, LS_FACT_BUFFER, NULL, memory_text (u, holds, device), wrote);
  if (fact)
    fact->buffer = memory.buffer;
  fact = add (l, depth, LS_FACT_REALIZED, NULL, holds ? memory_text (u, TRUE, device) : g_strdup ("None"), holds ? wrote : -1);
  if (fact)
    fact->buffer = memory.buffer;
}

static void
add_tensor (Lister *l, guint depth, LsUOp *u, const char *device, gint call)
{
  char dtype[64];
  LsUOp *base;
  const LsTracker *t = see (l, u, &base);
  add (l, depth, LS_FACT_DEVICE, NULL, quoted (device), call);
  LsFact *st = add (l, depth, LS_FACT_ST, NULL, ls_tracker_to_string (t), call);
  if (st)
    st->brief = ls_tracker_summary (t);
  for (guint i = 0; i < t->n_views; i++)
    add_view (l, depth + 1, i, t->views[i], call);
  add (l, depth, LS_FACT_DTYPE, NULL, g_strdup (ls_dtype_text (u->dtype, dtype)), call);
  add (l, depth, LS_FACT_SHAPE, NULL, ls_shape_to_string (ls_tracker_shape (t)), call);
  add (l, depth, LS_FACT_SIZE, NULL, g_strdup_printf ("%" G_GINT64_FORMAT, ls_shape_size (ls_tracker_shape (t))), call);
  if (base != u) {
    add_node (l, depth, LS_FACT_BASE, NULL, base, device);
    return;
  }
  add (l, depth, LS_FACT_BASE, NULL, g_strdup ("None"), call);
  add (l, depth, LS_FACT_OP, NULL, op_text (u), call);
  add (l, depth, u->op == LS_OP_COPY ? LS_FACT_BYTES : LS_FACT_ARG, NULL, arg_text (u), call);
  add_sources (l, depth, LS_FACT_SRCS, u, u->op == LS_OP_COPY ? "NPY" : device, call);
  add_memory (l, depth, u, device, call);
  add (l, depth, LS_FACT_CHILD, NULL, g_strdup ("None"), -1);
  add (l, depth, LS_FACT_FORCED, NULL, g_strdup ("False"), -1);
}

/* A node that is not a tensor: of index arithmetic, or of a kernel. */
static void
add_uop (Lister *l, guint depth, LsUOp *u, gint call)
{
  char dtype[64];
  add (l, depth, LS_FACT_NODE_OP, NULL, g_strdup (ls_op_name (u->op)), call);
  add (l, depth, LS_FACT_NODE_DTYPE, NULL, g_strdup (ls_dtype_text (u->dtype, dtype)), call);
  add (l, depth, LS_FACT_NODE_ARG, NULL, ls_arg_print (u->arg), call);
  add_sources (l, depth, LS_FACT_NODE_SRC, u, NULL, call);
}

static void
add_node (Lister *l, guint depth, LsFactField field, char *name, LsUOp *u, const char *device)
{
  gboolean is_tensor = device && ls_uop_has_shape (u);
  gint call = maker_of (l->trace, u->id);
  LsFact *fact = add (l, depth, field, name, is_tensor ? tensor_text (l, u, device) : ls_uop_summary (u), call);
  if (!fact)
    return;
  g_autofree char *shape = is_tensor ? ls_shape_to_string (ls_uop_shape (l->scratch, u)) : NULL;
  fact->brief = is_tensor ? g_strdup_printf ("%s %s %s", ls_op_name (u->op), ls_dtype_name (u->dtype), shape) : NULL;
  fact->node = u->id;
  fact->decision = (gint) GPOINTER_TO_UINT (g_hash_table_lookup (l->decided, GUINT_TO_POINTER (u->id))) - 1;
  fact->above = g_hash_table_contains (l->listed, u);
  fact->cut = !fact->above && (depth >= l->most_depth || l->facts->facts->len >= LS_MOST_FACTS);
  if (fact->above || fact->cut)
    return;
  g_hash_table_add (l->listed, u);
  if (is_tensor)
    add_tensor (l, depth + 1, u, device, call);
  else
    add_uop (l, depth + 1, u, call);
}

/* The latest bindings of the names by then, in the order in which they were bound first; name: of this one only. */
static void
add_names (Lister *l, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) last = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n_bindings (l); i++) {
    const LsNameBinding *b = &g_array_index (l->trace->bindings, LsNameBinding, i);
    if (name && strcmp (name, b->name) != 0)
      continue;
    if (!g_hash_table_contains (last, b->name))
      g_ptr_array_add (names, (gpointer) b->name);
    g_hash_table_insert (last, (gpointer) b->name, (gpointer) b);
  }
  for (guint i = 0; i < names->len; i++) {
    const LsNameBinding *b = g_hash_table_lookup (last, names->pdata[i]);
    LsUOp *u = ls_context_node (l->trace->ctx, b->node);
    gboolean is_number = u && b->base == LS_NO_NODE && u->n_dims == 0;      /* index arithmetic has the shape of a scalar */
    if (u)
      add_node (l, 0, LS_FACT_NAME, g_strdup (b->name), u, is_number ? NULL : "CPU");
  }
}

/* Recordings of the first versions have no names: what was printed or realized. */
static void
add_outputs (Lister *l)
{
  for (guint i = 0; i < l->trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (l->trace->outputs, LsOutput, i);
    LsUOp *u = ls_context_node (l->trace->ctx, o->node);
    if (u)
      add_node (l, 0, LS_FACT_NAME, g_strdup_printf ("outputs[%u]", i), u, "CPU");
  }
}

/* The device, which the first kernel opens. */
static void
add_device (Lister *l)
{
  const LsKernel *k = ls_trace_kernel (l->trace, 1);
  const LsRealization *r = ls_kernel_realization (l->trace, 1);
  gboolean is_open = k && is_by_then (l, r ? r->row : G_MAXUINT);
  add (l, 0, LS_FACT_ALL_DEVICES, NULL, g_strdup (is_open ? "opened by the first kernel" : "no kernel has opened a device"), -1);
  add (l, 1, LS_FACT_DEVICES, NULL, g_strdup ("['CPU']"), -1);
  add (l, 1, LS_FACT_DEFAULT, NULL, quoted ("CPU"), -1);
  add (l, 1, LS_FACT_CANONICAL, NULL, quoted ("CPU"), -1);
  if (!is_open)
    return;
  gint call = r ? r->call : -1;
  const LsCompiler *compiler = ls_compiler_find (k->compiler);
  guint64 bytes = 0;
  for (guint i = 0; i < l->trace->buffers->len; i++) {
    const LsTraceBuffer *b = l->trace->buffers->pdata[i];
    bytes += b->n_elements * ls_dtype_itemsize (b->dtype);
  }
  add (l, 1, LS_FACT_OPENED, NULL, g_strdup ("<Device CPU>"), call);
  g_autofree char *memory = ls_sentence ("%u buffers, %" G_GUINT64_FORMAT " bytes in all", l->trace->buffers->len, bytes);
  add (l, 2, LS_FACT_ALLOCATOR, NULL, ls_sentence_text (memory), call);
  add (l, 2, LS_FACT_RENDERER, NULL, g_strdup (k->target), call);
  add (l, 2, LS_FACT_COMPILER, NULL, ls_kernel_compiler_label (k), call);
  if (compiler)
    add (l, 2, LS_FACT_RUNTIME, NULL, g_strdup (compiler->how == LS_COMPILER_INTERPRETER ? "interpreter" : "lazyscope-runner"), call);
}

static gboolean
check (const LsTrace *trace, const char *name, guint32 node, guint stop, const LsFacts *facts, GError **error)
{
  if (stop > facts->n_stops)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no statement %u; the walk of the program has %u, numbered from 1", stop,
                 facts->n_stops);
  else if (!name && node != LS_NO_NODE && !ls_context_node (trace->ctx, node))
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no node %u; the recording has %u, numbered from 0", node,
                 ls_context_n_nodes (trace->ctx));
  else
    return TRUE;
  return FALSE;
}

/* One name, or one tree for each node, or with n 0 all names and the device. Takes what is in head. */
static LsFacts *
list_facts (const LsFacts *head, const char *name, const guint32 *nodes, guint n, guint most_depth)
{
  LsTrace *trace = head->trace;
  LsFacts *facts = g_memdup2 (head, sizeof *head);
  facts->facts = g_array_new (FALSE, FALSE, sizeof (LsFact));
  g_array_set_clear_func (facts->facts, fact_clear);
  g_autoptr (LsContext) scratch = ls_context_new_over (trace->ctx);
  g_autoptr (GHashTable) memory = g_hash_table_new_full (NULL, NULL, NULL, g_free), copied = g_hash_table_new (NULL, NULL),
                         listed = g_hash_table_new (NULL, NULL), decided = g_hash_table_new (NULL, NULL);
  LsSettings settings = { 0 };
  ls_trace_settings (trace, &settings);
  Lister l = { trace, facts, scratch, memory, copied, listed, decided, NULL, settings.MERGE_VIEWS != 0, most_depth };
  find_stops (&l);
  find_decisions (&l);
  find_memory (&l);
  for (guint i = 0; i < n; i++)
    if (ls_context_node (trace->ctx, nodes[i]))
      add_node (&l, 0, LS_FACT_NAME, g_strdup_printf ("node %u", nodes[i]), ls_context_node (trace->ctx, nodes[i]), "CPU");
  if (name || (!n && trace->bindings->len))
    add_names (&l, name);
  else if (!n)
    add_outputs (&l);
  if (facts->all)
    add_device (&l);
  g_free (l.stop_of);
  return facts;
}

LsFacts *
ls_facts (LsTrace *of, const char *name, guint32 node, guint stop, GError **error)
{
  LsTrace *trace = of->of ? of->of : of;
  guint n_stops = ls_trace_stops (trace)->len;
  LsFacts head = { trace, stop ? stop : n_stops, n_stops, !name && node == LS_NO_NODE, FALSE, NULL };
  if (!check (trace, name, node, stop, &head, error))
    return NULL;
  g_autoptr (LsFacts) facts = list_facts (&head, name, &node, !name && node != LS_NO_NODE ? 1 : 0, MOST_DEPTH);
  if (name && facts->facts->len == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "no statement bound the name '%s' to a tensor by then", name);
    return NULL;
  }
  return g_steal_pointer (&facts);
}

LsFacts *
ls_facts_of_nodes (LsTrace *of, const guint32 *nodes, guint n, guint stop)
{
  LsTrace *trace = of->of ? of->of : of;
  guint n_stops = ls_trace_stops (trace)->len;
  g_return_val_if_fail (n > 0 && stop <= n_stops, NULL);
  const LsFacts head = { trace, stop ? stop : n_stops, n_stops, FALSE, FALSE, NULL };
  return list_facts (&head, NULL, nodes, n, 1);
}

/* --- the answer --- */

static const LsCall *
call_of (const LsFacts *facts, const LsFact *fact)
{
  return fact->call >= 0 && (guint) fact->call < facts->trace->calls->len ? &g_array_index (facts->trace->calls, LsCall, fact->call) : NULL;
}

/* "library/elementwise.py:128:3", or NULL. */
static char *
place_of (const LsTrace *t, gint file, guint line, guint column)
{
  if (file < 0 || (guint) file >= t->files->len || line == 0)
    return NULL;
  const char *name = g_array_index (t->files, LsProgramFile, file).name;
  return column ? g_strdup_printf ("%s:%u:%u", name, line, column) : g_strdup_printf ("%s:%u", name, line);
}

char *
ls_fact_value (const LsFact *fact)
{
  gboolean is_words = fact->field == LS_FACT_ALL_DEVICES || fact->field == LS_FACT_ALLOCATOR;
  return is_words ? ls_sentence_shown (fact->value) : g_strdup (fact->brief ? fact->brief : fact->value);
}

char *
ls_fact_written_by (const LsFacts *facts, const LsFact *fact)
{
  const LsCall *c = call_of (facts, fact);
  g_autofree char *defined = c ? place_of (facts->trace, c->def_file, c->def_line, 0) : NULL,
                  *called = c ? place_of (facts->trace, c->file, c->file_line, c->file_column) : NULL;
  if (!c)
    return NULL;
  return !called ? g_strdup (c->name) : defined ? ls_sentence ("%s at %s, called at %s", c->name, defined, called)
                                                : ls_sentence ("%s, called at %s", c->name, called);
}

static const LsDecision *
decision_of (const LsFacts *facts, const LsFact *fact)
{
  return fact->decision >= 0 ? &g_array_index (facts->trace->decisions, LsDecision, fact->decision) : NULL;
}

char *
ls_fact_decision (const LsFacts *facts, const LsFact *fact)
{
  const LsDecision *d = decision_of (facts, fact);
  return !d ? NULL : d->kernel ? ls_sentence ("stored by kernel %u: %s", d->kernel, d->reason) : ls_sentence ("not stored: %s", d->reason);
}

static char *
english (char *sentence)
{
  g_autofree char *taken = sentence;
  return taken ? ls_sentence_text (taken) : NULL;
}

#define FACT(X) \
  X (depth, INT, f->depth, TRUE, "Its depth in the tree: it is of the nearest earlier row that is less deep") \
  X (field, TEXT, f->name, TRUE, "The field, such as srcs[1]; of a row at depth 0 the name of the tensor") \
  X (value, TEXT, f->value, TRUE, "Its value, as tensor.lazydata prints it") \
  X (sentence, TEXT, ls_fact_infos[f->field].sentence, TRUE, "What the field is") \
  X (node, INT, f->node, f->node != LS_NO_NODE, "The node whose fields are the deeper rows that follow") \
  X (above, BOOL, f->above, f->node != LS_NO_NODE, "true if the node's fields are in earlier rows") \
  X (cut, BOOL, f->cut, f->node != LS_NO_NODE, "true if the node's fields are left out, as they are too deep") \
  X (decision, OWNED, english (ls_fact_decision (facts, f)), f->decision >= 0, "The schedule's decision about the node, with its reason") \
  X (kernel, INT, decision_of (facts, f)->kernel, f->decision >= 0 && decision_of (facts, f)->kernel, "The kernel that stores it") \
  X (buffer, INT, f->buffer, f->buffer != G_MAXUINT, "Number of the buffer, of a field that is memory") \
  X (call, INT, f->call, c != NULL, "The call that wrote the field, as a number in calls of show --stage program, from 0") \
  X (function, TEXT, c->name, c != NULL, "The function of this call") \
  X (definition, OWNED, place_of (facts->trace, c->def_file, c->def_line, 0), c != NULL, "File and line of the function's definition") \
  X (place, OWNED, place_of (facts->trace, c->file, c->file_line, c->file_column), c != NULL, "File, line and column of the call") \
  X (read_by, TEXT, ls_fact_read_by (f->field), *ls_fact_read_by (f->field), \
     "The decision that reads the field, or: not used by this scheduler") \
  X (written_by, OWNED, ls_fact_written_by (facts, f), c != NULL, "The call in words", .only_text = TRUE)
LS_RECORD (ls_fact_answer, FACT, const LsFacts *facts = answer->data; const LsFact *f = row; const LsCall *c = call_of (facts, f);)

#define FACTS(X) \
  X (stop, INT, facts->stop, facts->n_stops > 0, "The statement of the program's walk after which this holds, from 1") \
  X (stops, INT, facts->n_stops, TRUE, "Number of statements of the walk") \
  X (more, BOOL, facts->more, TRUE, "true if rows after the first 4,096 are left out") \
  X (facts, LIST, ls_list_array (facts->facts), TRUE, "The fields as a tree, row by row", .of = &ls_fact_answer, .lines = TRUE)
LS_RECORD (ls_facts_answer, FACTS, const LsFacts *facts = row;)
