/* The graph of a kernel: the nodes of the tensor graph between stored nodes and the memory that they are computed from. */
#include "plan.h"

#include "ir/rebuild.h"
#include "ir/sentence.h"
#include "ir/view.h"

#include <string.h>

/* u in a kernel, over sources that are there. A node of Python numbers only has a weak dtype for tensors that it meets; in a kernel it
 * has the dtype in which it is computed and stored. Kernels that differ in tags of the tensor graph alone are the same code: a kernel has
 * no tags. */
static LsUOp *
in_kernel (LsContext *ctx, LsUOp *u, LsUOp *const *src)
{
  LsDType dtype = ls_dtype_strong (u->dtype);
  if (u->op == LS_OP_CAST && src[0]->dtype == dtype)
    return src[0];
  return dtype == u->dtype && u->n_src == 0 ? u : ls_uop_new (ctx, u->op, dtype, u->n_src, src, u->arg);
}

/* State for making an item. */
typedef struct {
  LsContext      *ctx;
  LsPlan         *plan;
  LsScheduleItem *item;
  const guint32  *places;       /* of the stored nodes, n */
  guint           n;
  LsUOp          *node;         /* the one that is made */
  LsUOp         **buffer_of;
  LsNodeMap      *map;          /* tensor node -> kernel node */
  LsNodeMap      *arguments;    /* buffer -> its place among the inputs */
  guint           n_inputs;     /* buffers; variables come after them */
  GPtrArray      *binds;        /* BIND nodes, in the order of their arguments */
  LsUOp          *reduce;       /* the reduce that the kernel computes, or NULL */
  guint           rank;         /* where there are several reduces, or one that is seen otherwise than in its shape: axes before those of
                                 * their own; else 0 */
  guint           n_own;        /* axes of their own together */
  LsNodeMap      *own;          /* reduce -> the first of its own axes, from 0 */
  GPtrArray      *moves;        /* else the movements after the only reduce, in this order: PERMUTE and FLIP */
} Maker;

static LsUOp *
buffer_read (const Maker *m, LsUOp *u)
{
  return u->op == LS_OP_BUFFER ? u : m->buffer_of[ls_plan_place (m->plan, u)];
}

/* How many buffers the value is made of. */
static guint
count_inputs (const Maker *m, LsUOp *value)
{
  LsNodeMap *seen = ls_node_map_acquire (m->ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  guint n = 0;
  g_ptr_array_add (stack, value);
  while (stack->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (stack, stack->len - 1), *buffer = u->op == LS_OP_BIND ? NULL : buffer_read (m, u);
    if (u->op == LS_OP_BIND || ls_node_map_has (seen, buffer ? buffer : u))
      continue;
    ls_node_map_set (seen, buffer ? buffer : u, 1);
    n += buffer != NULL;
    for (guint k = 0; k < u->n_src && !buffer; k++)
      g_ptr_array_add (stack, u->src[k]);
  }
  ls_node_map_release (m->ctx, seen);
  return n;
}

static void
note (Maker *m, const LsUOp *made, const LsUOp *of, const char *reason)
{
  LsMapEntry e = { made->id, of->id, reason };
  if (m->item->map)
    g_array_append_val (m->item->map, e);
}

/* A variable's argument of the kernel. Where it is bound to two values, the second is an argument of another name. */
static LsUOp *
argument_of (Maker *m, LsUOp *bind)
{
  LsContext *ctx = m->ctx;
  const LsVar *var = bind->arg.var;
  guint i = 0, same = 0;
  for (; i < m->binds->len && m->binds->pdata[i] != bind; i++)
    same += strcmp (((LsUOp *) m->binds->pdata[i])->arg.var->name, var->name) == 0;
  if (i == m->binds->len)
    g_ptr_array_add (m->binds, bind);
  g_autofree char *name = same ? g_strdup_printf ("%s_%u", var->name, same) : g_strdup (var->name);
  LsUOp *u = ls_uop_new0 (ctx, LS_OP_DEFINE_VAR, bind->dtype, ls_arg_var (ctx, name, var->min, var->max, m->n + m->n_inputs + i));
  note (m, u, bind, LS_TEMPLATE ("input"));
  return u;
}

/* A size in the kernel: BINDs are arguments. */
static LsUOp *
size_in_kernel (Maker *m, LsUOp *size)
{
  LsUOp *u = ls_node_map_get_node (m->map, size), *src[2];
  if (u)
    return u;
  if (size->op == LS_OP_BIND) {
    u = argument_of (m, size);
  } else {
    for (guint k = 0; k < size->n_src; k++)
      src[k] = size_in_kernel (m, size->src[k]);
    u = size->n_src == 0 ? size : ls_uop_with_src (m->ctx, size, size->n_src, src);
    note (m, u, size, LS_TEMPLATE ("computed"));
  }
  ls_node_map_set_node (m->map, size, u);
  return u;
}

/* Says of each of the axes that a variable bounds, in shape, how far it goes; axes: only of these, or NULL. */
static LsUOp *
limited (Maker *m, LsUOp *u, LsShape shape, const LsArg *axes, const LsUOp *of)
{
  for (gint64 k = 0; k < shape.n && shape.sizes; k++) {
    LsUOp *size = ls_shape_size_of (m->ctx, shape, (guint) k);
    gboolean wanted = size && !axes;
    for (guint i = 0; axes && size && i < axes->n; i++)
      wanted |= axes->ints[i] == k;
    if (!wanted)
      continue;
    u = ls_uop_new2 (m->ctx, LS_OP_LIMIT, u->dtype, u, size_in_kernel (m, size), ls_arg_ints (m->ctx, 1, &k));
    note (m, u, of, "a variable bounds the axis");
  }
  return u;
}

/* A LIMIT is read from memory with its maximum size: the reduce and the store bound it. */
static LsUOp *
most_of (Maker *m, const LsUOp *limit, LsUOp *x)
{
  LsContext *ctx = m->ctx;
  LsShape shape = ls_uop_shape (ctx, x);
  gint64 pairs[2 * LS_MAX_DIMS];
  for (guint i = 0; i < shape.n; i++) {
    pairs[2 * i] = 0;
    pairs[2 * i + 1] = limit->dims[i];
  }
  return ls_shape_equal (ls_shape_of_memory (shape), (LsShape) { limit->n_dims, limit->dims }) ? x :
         ls_uop_new1 (ctx, LS_OP_SHRINK, x->dtype, x, ls_arg_ints (ctx, 2 * shape.n, pairs));
}

/* The node that the kernel reads u from, if u is in memory: its argument, in u's shape. */
static LsUOp *
argument_for (gpointer data, LsUOp *u)
{
  Maker *m = data;
  LsContext *ctx = m->ctx;
  if (u->op == LS_OP_BIND)
    return size_in_kernel (m, u);
  LsUOp *buffer = buffer_read (m, u);
  if (!buffer)
    return NULL;
  guint64 k = m->item->inputs->len;
  if (!ls_node_map_get (m->arguments, buffer, &k)) {
    ls_node_map_set (m->arguments, buffer, k);
    g_array_append_val (m->item->inputs, buffer);
  }
  gint64 id[2] = { -(gint64) (m->n + k), buffer->arg.ints[1] };
  LsUOp *param = ls_uop_new0 (ctx, LS_OP_BUFFER, ls_dtype_strong (buffer->dtype), ls_arg_ints (ctx, 2, id)), *seen = param;
  LsShape s = ls_uop_shape (ctx, u);
  if (!ls_shape_equal (ls_shape_of_memory (s), ls_uop_shape (ctx, param)))
    seen = ls_uop_new1 (ctx, LS_OP_RESHAPE, param->dtype, param, ls_arg_ints (ctx, s.n, s.dims));
  note (m, seen, u, LS_TEMPLATE ("input"));
  if (seen != param)
    note (m, param, u, LS_TEMPLATE ("input"));
  return seen;
}

/* --- several reduces ---
 *
 * Each reduces over axes of its own, which come after the others: those of a value of shape (4, 6) whose second axis is reduced are (4, 1),
 * then (6). So a value may be reduced along an axis and be used along it, in the loops of another one, or after it. */

static int
by_place (gconstpointer a, gconstpointer b, gpointer plan)
{
  guint32 x = ls_plan_place (plan, *(LsUOp *const *) a), y = ls_plan_place (plan, *(LsUOp *const *) b);
  return x < y ? -1 : x > y;
}

/* The value that a realized node's kernel computes: for a copy the copied value, for an assignment the assigned one. */
static LsUOp *
value_of (LsUOp *node)
{
  switch ((int) node->op) {
  case LS_OP_CONTIGUOUS: case LS_OP_COPY: return node->src[0];
  case LS_OP_ASSIGN: return node->src[2];
  default: return node;
  }
}

/* Finds what the values of the kernel's nodes are made of, and the movements after a reduce. */
static void
collect (Maker *m, GPtrArray *reduces)
{
  LsNodeMap *seen = ls_node_map_acquire (m->ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < m->n; i++)
    g_ptr_array_add (todo, value_of (m->plan->order->pdata[m->places[i]]));
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1), *value = m->plan->stored[ls_plan_place (m->plan, u)] ? value_of (u) : u;
    if (ls_node_map_has (seen, u) || u->op == LS_OP_BIND || buffer_read (m, u))
      continue;
    ls_node_map_set (seen, u, 1);
    if (u->op == LS_OP_REDUCE_AXIS)
      g_ptr_array_add (reduces, u);
    if (is_movement (u) && u->op != LS_OP_RESHAPE && u->op != LS_OP_EXPAND && m->plan->fused[ls_plan_place (m->plan, u)])
      g_ptr_array_add (m->moves, u);      /* after the reduce */
    for (guint k = 0; k < u->n_src && value == u; k++)
      g_ptr_array_add (todo, u->src[k]);
    if (value != u)
      g_ptr_array_add (todo, value);
  }
  ls_node_map_release (m->ctx, seen);
}

/* Loops that reduces share: of those that do not wait for each other, all with the same number of reduces below them. */
typedef struct { LsUOp *reduce; guint depth; guint64 own; } Loops;

/* How many reduces follow each other down from a value, up to what is in memory. */
static guint
depth_below (Maker *m, LsUOp *value, LsNodeMap *depths)
{
  LsNodeMap *seen = ls_node_map_acquire (m->ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  guint64 most = 0, depth;
  g_ptr_array_add (todo, value);
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (ls_node_map_has (seen, u) || u->op == LS_OP_BIND || buffer_read (m, u))
      continue;
    ls_node_map_set (seen, u, 1);
    if (ls_node_map_get (depths, u, &depth)) {
      most = MAX (most, depth);
      continue;
    }
    for (guint k = u->op == LS_OP_ASSIGN ? 2 : 0; k < u->n_src; k++)
      g_ptr_array_add (todo, u->src[k]);
  }
  ls_node_map_release (m->ctx, seen);
  return (guint) most;
}

/* Gives each reduce axes of its own; those that share loops (plan.h), and do not wait for each other, have the same ones. */
static void
take_axes (Maker *m, const GPtrArray *reduces, LsShape stored)
{
  g_autoptr (GArray) loops = g_array_new (FALSE, FALSE, sizeof (Loops));
  LsNodeMap *depths = ls_node_map_acquire (m->ctx);
  for (guint i = 0; i < reduces->len; i++) {      /* sources first */
    LsUOp *r = reduces->pdata[i];
    Loops own = { r, 1 + depth_below (m, r->src[0], depths), m->n_own };
    gboolean can = ls_shape_size (ls_uop_shape (m->ctx, r)) == ls_shape_size (stored), shares = FALSE;      /* else it is reduced again */
    ls_node_map_set (depths, r, own.depth);
    for (guint k = 0; k < loops->len && can && !shares; k++) {
      const Loops *other = &g_array_index (loops, Loops, k);
      shares = other->depth == own.depth && ls_shape_size (ls_uop_shape (m->ctx, other->reduce)) == ls_shape_size (stored) &&
               ls_reduces_share (m->plan, other->reduce, r);
      own.own = shares ? other->own : own.own;
    }
    ls_node_map_set (m->own, r, own.own);
    m->n_own += shares ? 0 : r->arg.n;
    g_array_append_val (loops, own);
  }
  ls_node_map_release (m->ctx, depths);
}

/* The reduces of the kernel, and its rank with them: where there are several, or where one is seen otherwise than it is. */
static void
find_reduces (Maker *m, LsShape stored)
{
  g_autoptr (GPtrArray) reduces = g_ptr_array_new ();
  gboolean otherwise = FALSE;
  guint rank = stored.n;
  collect (m, reduces);
  for (guint i = 0; i < reduces->len; i++) {
    LsShape shape = ls_uop_shape (m->ctx, reduces->pdata[i]);
    otherwise |= ls_shape_size (shape) != ls_shape_size (stored);
    rank = MAX (rank, shape.n);
  }
  if (reduces->len <= 1 && !otherwise) {
    g_ptr_array_sort_with_data (m->moves, by_place, m->plan);
    return;
  }
  g_ptr_array_set_size (m->moves, 0);
  m->rank = MAX (rank, 1);
  g_ptr_array_sort_with_data (reduces, by_place, m->plan);
  take_axes (m, reduces, stored);
}

/* The reduce over axes of its own, in its shape. */
static LsUOp *
reduce_over_own (Maker *m, LsUOp *r, LsUOp *x)
{
  LsContext *ctx = m->ctx;
  LsShape shape = ls_uop_shape (ctx, x), result = ls_uop_shape (ctx, r);
  gint64 order[LS_MAX_DIMS], dims[LS_MAX_DIMS], axes[LS_MAX_DIMS];
  guint64 own = 0;
  guint n = 0;
  ls_node_map_get (m->own, r, &own);
  for (gint64 k = 0; k < shape.n; k++) {
    gboolean reduced = FALSE;
    for (guint i = 0; i < r->arg.n; i++)
      reduced |= r->arg.ints[i] == k;
    if (!reduced)
      order[n++] = k;
  }
  for (guint i = 0; i < r->arg.n; i++)
    order[n++] = r->arg.ints[i];
  for (guint k = 0; k < m->rank + m->n_own; k++)
    dims[k] = k < result.n ? result.dims[k] : 1;
  for (guint i = 0; i < r->arg.n; i++) {
    axes[i] = (gint64) (m->rank + own + i);
    dims[axes[i]] = shape.dims[r->arg.ints[i]];
  }
  LsUOp *moved = ls_uop_new1 (ctx, LS_OP_PERMUTE, x->dtype, x, ls_arg_ints (ctx, n, order));
  moved = ls_uop_new1 (ctx, LS_OP_RESHAPE, x->dtype, moved, ls_arg_ints (ctx, m->rank + m->n_own, dims));
  LsUOp *made = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, ls_dtype_strong (r->dtype), moved, ls_arg_op_ints (ctx, r->arg.op, r->arg.n, axes));
  LsUOp *seen = ls_uop_new1 (ctx, LS_OP_RESHAPE, made->dtype, made, ls_arg_ints (ctx, result.n, result.dims));
  note (m, moved, r, "axes of its own");
  note (m, made, r, "axes of its own");
  return seen;
}

static LsUOp *
computed_from (gpointer data, LsUOp *u, LsUOp **src)
{
  Maker *m = data;
  if (u->op == LS_OP_REDUCE_AXIS && m->rank) {
    LsUOp *v = reduce_over_own (m, u, src[0]);
    note (m, v, u, LS_TEMPLATE ("computed"));
    return v;
  }
  if (u->op == LS_OP_REDUCE_AXIS) {
    m->reduce = u;
    if (u->src[0]->sized)
      src[0] = limited (m, src[0], ls_uop_shape (m->ctx, u->src[0]), &u->arg, u);
  }
  LsUOp *v = u->op == LS_OP_LIMIT ? most_of (m, u, src[0]) : u->op == LS_OP_CONTIGUOUS ? src[0] : in_kernel (m->ctx, u, src);
  note (m, v, u, LS_TEMPLATE ("computed"));
  return v;
}

/* --- a reduce that is seen moved ---
 *
 * The kernel computes in the order of the reduce. So the movements after the reduce are undone, both in the value and in the view of the
 * memory that it is stored to. Then the value has the order of the reduce, and the index of the store has the movements. */

/* The arguments of the movement that undoes one. */
static LsArg
undoing (LsContext *ctx, const LsUOp *move)
{
  gint64 order[LS_MAX_DIMS];
  if (move->op == LS_OP_FLIP)
    return move->arg;
  for (guint i = 0; i < move->arg.n; i++)
    order[move->arg.ints[i]] = i;
  return ls_arg_ints (ctx, move->arg.n, order);
}

/* A movement of the value and of the view of the memory. */
static void
move_both (Maker *m, LsUOp **value, const LsTracker **memory, LsOp op, LsArg arg)
{
  *value = ls_uop_new1 (m->ctx, op, (*value)->dtype, *value, arg);
  *memory = ls_tracker_movement (m->ctx, *memory, op, arg, TRUE);
  note (m, *value, m->node, "in the order of the reduce");
}

static void
reshape_both (Maker *m, LsUOp **value, const LsTracker **memory, LsUOp *as)
{
  LsShape shape = ls_uop_shape (m->ctx, as);
  move_both (m, value, memory, LS_OP_RESHAPE, ls_arg_ints (m->ctx, shape.n, shape.dims));
}

/* Undoes the movements, the last one first: value and memory are in the shape of the reduce then. */
static void
undo_moves (Maker *m, LsUOp **value, const LsTracker **memory)
{
  for (guint i = m->moves->len; i-- > 0; ) {
    LsUOp *move = m->moves->pdata[i];
    reshape_both (m, value, memory, move);
    move_both (m, value, memory, move->op, undoing (m->ctx, move));
  }
  reshape_both (m, value, memory, m->reduce);
}

/* The shape of the kernel's loops, for nodes of that shape. dims: room for it. */
static LsShape
loops_of (Maker *m, LsShape stored, gint64 dims[LS_MAX_DIMS])
{
  if (!m->rank)
    return m->reduce ? ls_uop_shape (m->ctx, m->reduce) : stored;
  for (guint k = 0; k < m->rank + m->n_own; k++)
    dims[k] = k < stored.n ? stored.dims[k] : 1;
  return (LsShape) { m->rank + m->n_own, dims };
}

/* Gives the node a buffer, and stores its value there, as the kernel's argument of that number. */
static LsUOp *
store_value (Maker *m, LsUOp *body, guint argument, LsShape loops)
{
  LsContext *ctx = m->ctx;
  LsUOp *node = m->node;
  LsShape shape = ls_uop_shape (ctx, node);
  gint64 id[2] = { ls_context_next_buffer (ctx), ls_shape_size (shape) };
  const char *reason = ls_reasons[m->plan->stored[m->places[argument]] - 1].text;
  LsScheduleOutput output = { node, ls_uop_new0 (ctx, LS_OP_BUFFER, node->dtype, ls_arg_ints (ctx, 2, id)), reason };
  const LsTracker *whole = ls_tracker_contiguous (ctx, loops), *memory = ls_tracker_contiguous (ctx, m->moves->len ? shape : loops);
  if (m->moves->len)
    undo_moves (m, &body, &memory);
  LsUOp *out = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (ls_dtype_strong (node->dtype), LS_SPACE_GLOBAL, id[1]),
                            ls_arg_int (argument));
  LsUOp *view = ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, ls_arg_tracker (ctx, memory));
  LsUOp *seen = ls_uop_new1 (ctx, LS_OP_VIEW, body->dtype, body, ls_arg_tracker (ctx, whole));
  LsUOp *stored = limited (m, seen, loops, NULL, node);
  LsUOp *store = ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, out, view, stored, ls_arg_none ());
  LsUOp *made[] = { out, view, seen, store };
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    note (m, made[i], node, reason);
  g_array_append_val (m->item->outputs, output);
  return store;
}

/* The value of one of the kernel's nodes. The nodes after it use it as it is. */
static LsUOp *
make_value (Maker *m)
{
  LsUOp *value = value_of (m->node);
  ls_graph_rebuild (m->ctx, 1, &value, m->map, argument_for, computed_from, m);
  LsUOp *made = ls_node_map_get_node (m->map, value), *as = made;
  LsShape shape = ls_uop_shape (m->ctx, m->node);
  if (value != m->node && m->n > 1) {
    if (!ls_shape_equal (ls_uop_shape (m->ctx, made), shape))
      as = ls_uop_new1 (m->ctx, LS_OP_RESHAPE, made->dtype, made, ls_arg_ints (m->ctx, shape.n, shape.dims));
    ls_node_map_set_node (m->map, m->node, as);
  }
  return made;
}

LsScheduleItem *
ls_kernel_graph_new (LsPlan *p, guint n, const guint32 *places, LsUOp **buffer_of, gboolean record)
{
  LsContext *ctx = p->ctx;
  LsScheduleItem *item = g_new0 (LsScheduleItem, 1);
  item->outputs = g_array_new (FALSE, FALSE, sizeof (LsScheduleOutput));
  item->inputs = g_array_new (FALSE, FALSE, sizeof (LsUOp *));
  if (record)
    item->map = g_array_sized_new (FALSE, FALSE, sizeof (LsMapEntry), 48);
  g_autoptr (GPtrArray) binds = g_ptr_array_new (), moves = g_ptr_array_new ();
  g_autofree LsUOp **values = g_new (LsUOp *, n), **stores = g_new (LsUOp *, n);
  Maker m = { ctx, p, item, places, n, NULL, buffer_of, ls_node_map_acquire (ctx), ls_node_map_acquire (ctx), 0, binds,
              .own = ls_node_map_acquire (ctx), .moves = moves };
  LsUOp *first = p->order->pdata[places[0]];
  LsShape shape = ls_uop_shape (ctx, first);
  gint64 dims[LS_MAX_DIMS];
  m.n_inputs = p->variables ? count_inputs (&m, value_of (first)) : 0;      /* then it is one node */
  if (p->fuse || (p->overrides && p->overrides->len))      /* else a kernel has one reduce, of its own number of elements */
    find_reduces (&m, shape);
  for (guint i = 0; i < n; i++) {
    m.node = p->order->pdata[places[i]];
    values[i] = make_value (&m);
  }
  for (guint i = 0; i < n; i++) {
    m.node = p->order->pdata[places[i]];
    stores[i] = store_value (&m, values[i], i, loops_of (&m, shape, dims));
    buffer_of[places[i]] = g_array_index (item->outputs, LsScheduleOutput, i).buffer;
  }
  item->graph = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, n, stores, ls_arg_none ());
  note (&m, item->graph, first, g_array_index (item->outputs, LsScheduleOutput, 0).reason);
  ls_node_map_release (ctx, m.own);
  ls_node_map_release (ctx, m.arguments);
  ls_node_map_release (ctx, m.map);
  for (guint i = 0; i < binds->len; i++)
    g_array_append_val (item->inputs, ((LsUOp *) binds->pdata[i])->src[0]);
  return item;
}
