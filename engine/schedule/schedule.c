/* The scheduler: realized nodes with reasons, and the resulting kernels.
 *
 * A node is realized (gets a buffer, and so a kernel) when it is wanted as a result or contiguous by force, when its padding could not
 * be computed from padded operands, when a costly value is repeated by an expansion, when it would be computed through too many views,
 * or when a reduce ends there. A kernel holds at most one reduce. From each reduce we follow its consumers as long as they keep its
 * number of elements: if all paths end in one realized node, the reduce is computed there; if they end in several kernels, the reduce
 * itself is realized; if a path cannot continue (an expansion, another reduce), the last node before it is.
 */
#include "schedule.h"

#include "ir/rebuild.h"
#include "ir/sentence.h"
#include "ir/view.h"

#include <string.h>

typedef struct {
  LsContext  *ctx;
  GPtrArray  *order;        /* nodes, sources first */
  LsNodeMap  *index;        /* node -> its place in order */
  guint32    *first_use;    /* uses of node i are uses[first_use[i] .. first_use[i+1]] */
  guint32    *uses;
  const char **realized;    /* reason, or NULL */
  guint32    *fused;        /* place + 1 of the reduce that is computed in the same kernel, or 0 */
  gboolean    variables;    /* is anything bound to one? */
  guint8     *has;          /* of each node's expression, up to realized nodes: the ops allowed in it */
} Plan;

enum { UNSAFE = 1, COSTLY = 2 };

static guint32
place (Plan *p, LsUOp *u)
{
  guint64 i = 0;
  ls_node_map_get (p->index, u, &i);
  return (guint32) i;
}

static LsUOp *
strip_reshape (LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE)
    u = u->src[0];
  return u;
}

static LsUOp *
strip_movement (LsUOp *u)
{
  while (ls_op_is_movement (u->op) || ls_op_is_slice (u->op))
    u = u->src[0];
  return u;
}

static void
collect_uses (Plan *p)
{
  guint n = p->order->len;
  p->first_use = g_new0 (guint32, n + 2);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    for (guint k = 0; k < u->n_src; k++)
      p->first_use[place (p, u->src[k]) + 2]++;
  }
  for (guint i = 2; i < n + 2; i++)
    p->first_use[i] += p->first_use[i - 1];
  p->uses = g_new (guint32, p->first_use[n + 1] + 1);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    for (guint k = 0; k < u->n_src; k++)
      p->uses[p->first_use[place (p, u->src[k]) + 1]++] = i;
  }
}

static void
realize (Plan *p, LsUOp *u, const char *reason)
{
  u = strip_reshape (u);
  if (u->op == LS_OP_BUFFER || u->op == LS_OP_CONST || u->op == LS_OP_IOTA || u->op == LS_OP_BIND)
    return;
  guint32 i = place (p, u);
  if (!p->realized[i])
    p->realized[i] = reason;
}

/* Is f(0, …, 0) something else than 0? */
static gboolean
unsafe_under_padding (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_RECIP: case LS_OP_FDIV: case LS_OP_POW: case LS_OP_CMPEQ: case LS_OP_NOT:
  case LS_OP_REDUCE_AXIS:
    return TRUE;
  case LS_OP_NEG: return ls_dtype_is_float (u->dtype);
  default: return FALSE;
  }
}

static gboolean
costly (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_SQRT: case LS_OP_POW: case LS_OP_FDIV: case LS_OP_RECIP: case LS_OP_FLOORDIV:
  case LS_OP_FLOORMOD:
  case LS_OP_IDIV: case LS_OP_MOD: return TRUE;
  default: return FALSE;
  }
}

/* Does the expression of u, up to realized nodes, have a node for which test holds? Looked for in earnest only where one was noted,
 * which may have been realized since: graphs are long, and every movement asks. */
static gboolean
contains (Plan *p, LsUOp *u, guint8 what)
{
  gboolean (*test) (const LsUOp *) = what == UNSAFE ? unsafe_under_padding : costly;
  if (!(p->has[place (p, u)] & what))
    return FALSE;
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  gboolean found = FALSE;
  g_ptr_array_add (stack, u);
  ls_node_map_set (seen, u, 1);
  while (stack->len > 0 && !found) {
    LsUOp *x = stack->pdata[stack->len - 1];
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    if (x->op == LS_OP_BUFFER || p->realized[place (p, x)])
      continue;
    found = test (x);
    for (guint i = 0; i < x->n_src; i++)
      if (!ls_node_map_has (seen, x->src[i])) {
        ls_node_map_set (seen, x->src[i], 1);
        g_ptr_array_add (stack, x->src[i]);
      }
  }
  ls_node_map_release (p->ctx, seen);
  return found;
}

/* Why the kernel of the reduce at `at` cannot compute a use of its value; NULL: it can. */
static const char *
why_cut (Plan *p, guint32 at, guint32 use)
{
  const LsUOp *u = p->order->pdata[use];
  if (u->op == LS_OP_SINK)
    return NULL;
  if (u->op == LS_OP_REDUCE_AXIS)
    return "one reduce a kernel";
  if (u->op == LS_OP_EXPAND)
    return "expand of a reduce";
  if ((ls_op_is_movement (u->op) && u->op != LS_OP_RESHAPE) || ls_op_is_slice (u->op))
    return "movement of a reduce";
  return p->fused[use] && p->fused[use] != at + 1 ? "one reduce a kernel" : NULL;
}

/* The node that is realized if a reduce's value cannot continue from u. A value is stored before it is cast to a larger type. */
static LsUOp *
end_before_cut (LsUOp *u, const LsUOp *reduce)
{
  LsUOp *end = strip_reshape (u);
  if (end->op == LS_OP_CAST && ls_dtype_itemsize (end->dtype) > ls_dtype_itemsize (end->src[0]->dtype) && end != reduce)
    return strip_reshape (end->src[0]);
  return end;
}

/* Follows a reduce to where it ends; see the head of this file. */
static void
place_reduce (Plan *p, guint32 at)
{
  LsUOp *r = p->order->pdata[at];
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) flow = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  gint64 last = -1;
  guint n_ends = 0;
  const char *reason = NULL;
  g_array_append_val (stack, at);
  ls_node_map_set (seen, r, 1);
  while (stack->len > 0) {
    guint32 i = g_array_index (stack, guint32, stack->len - 1);
    LsUOp *u = p->order->pdata[i];
    g_array_set_size (stack, stack->len - 1);
    g_array_append_val (flow, i);
    const char *cut = NULL;
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1] && !p->realized[i] && !cut; k++)
      cut = why_cut (p, at, p->uses[k]);
    if (p->realized[i] || cut) {
      guint32 end = place (p, cut ? end_before_cut (u, r) : strip_reshape (u));
      if (last != end) {
        n_ends++;
        last = end;
        reason = cut ? cut : p->realized[i];
      }
      continue;
    }
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1]; k++) {
      guint32 c = p->uses[k];
      LsUOp *use = p->order->pdata[c];
      if (use->op == LS_OP_SINK || ls_node_map_has (seen, use))
        continue;
      ls_node_map_set (seen, use, 1);
      g_array_append_val (stack, c);
    }
  }
  ls_node_map_release (p->ctx, seen);
  if (n_ends != 1) {
    if (!p->realized[at])
      p->realized[at] = n_ends == 0 ? LS_TEMPLATE ("result") : "used by several kernels";
    p->fused[at] = at + 1;
    return;
  }
  if (!p->realized[last])
    p->realized[last] = reason;
  for (guint i = 0; i < flow->len; i++)
    p->fused[g_array_index (flow, guint32, i)] = at + 1;
}

/* --- views ---
 *
 * A kernel computes a node once for each view that it is seen through: x + flip(x), said n times, would have 2^n terms. So views are
 * counted, from the results to their sources, as the movement ops on the way; a node that has too many gets a buffer, which is read
 * through them. A reduce is seen as it is: movements of it end its kernel. */
#define MOST_VIEWS 32

typedef struct { guint n; guint64 view[MOST_VIEWS + 1]; } Views;      /* hashes of movements; more than MOST_VIEWS are not distinguished */

static void
add_view (Views *views, guint64 view)
{
  for (guint i = 0; i < views->n; i++)
    if (views->view[i] == view)
      return;
  if (views->n <= MOST_VIEWS)
    views->view[views->n++] = view;
}

static gboolean
begins_kernel (Plan *p, guint i)
{
  const LsUOp *u = p->order->pdata[i];
  return p->realized[i] || u->op == LS_OP_SINK || u->op == LS_OP_REDUCE_AXIS;
}

/* Is any node reached in more ways than it may have views? Most graphs have none, and are done with this. */
static gboolean
may_have_many_views (Plan *p)
{
  g_autofree guint *ways = g_new0 (guint, p->order->len);
  gboolean many = FALSE;
  for (guint i = p->order->len; i-- > 0 && !many;) {
    const LsUOp *u = p->order->pdata[i];
    guint n = begins_kernel (p, i) || u->n_src == 0 ? 1 : ways[i];
    many = n > MOST_VIEWS;
    for (guint k = 0; k < u->n_src; k++)
      ways[place (p, u->src[k])] += n;
  }
  return many;
}

static void
limit_views (Plan *p)
{
  if (!may_have_many_views (p))
    return;
  g_autofree Views *views = g_new0 (Views, p->order->len);
  for (guint i = p->order->len; i-- > 0;) {
    const LsUOp *u = p->order->pdata[i];
    if (views[i].n > MOST_VIEWS && u->n_src && !ls_op_is_movement (u->op) && !ls_op_is_slice (u->op))
      realize (p, (LsUOp *) u, "seen through many views");
    if (begins_kernel (p, i))
      views[i] = (Views) { 1, { i + 1 } };
    for (guint v = 0; v < views[i].n; v++) {
      guint64 view = views[i].view[v];
      if (ls_op_is_slice (u->op))
        view ^= (guint64) u->src[1]->id << 32;
      if (ls_op_is_movement (u->op) || ls_op_is_slice (u->op))
        view = (view ^ u->arg.bits ^ (guint64) u->op << 56 ^ (guint64) ls_shape_size ((LsShape) { u->n_dims, u->dims }))
               * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
      for (guint k = 0; k < u->n_src; k++)
        add_view (&views[place (p, u->src[k])], view);
    }
  }
}

/* Realizes the node below the movements of u, after which it has none. */
static void
realize_below (Plan *p, LsUOp *u, const char *reason)
{
  realize (p, strip_movement (u), reason);
  for (; ls_op_is_movement (u->op) || ls_op_is_slice (u->op); u = u->src[0])
    p->has[place (p, u)] = 0;
  p->has[place (p, u)] = 0;
}

static void
note_contents (Plan *p, guint i)
{
  const LsUOp *u = p->order->pdata[i];
  guint8 has = (unsafe_under_padding (u) ? UNSAFE : 0) | (costly (u) ? COSTLY : 0);
  for (guint k = 0; k < u->n_src; k++)
    has |= p->has[place (p, u->src[k])];
  p->has[i] = p->realized[i] || u->op == LS_OP_BUFFER ? 0 : has;
}

static void
decide (Plan *p)
{
  guint n = p->order->len;
  p->has = g_new0 (guint8, n);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    if (u->op == LS_OP_CONTIGUOUS || u->op == LS_OP_COPY)
      realize (p, u, "forced contiguous");
    else if (u->op == LS_OP_ASSIGN)
      realize (p, u, "assigned");
    else if (u->op == LS_OP_PAD && contains (p, u->src[0], UNSAFE))
      realize_below (p, u->src[0], "unsafe pad");
    else if (u->op == LS_OP_EXPAND && contains (p, u->src[0], COSTLY))
      realize_below (p, u->src[0], "expand of a costly value");
    note_contents (p, i);
  }
  g_clear_pointer (&p->has, g_free);
  limit_views (p);
  for (guint i = 0; i < n; i++)
    if (((LsUOp *) p->order->pdata[i])->op == LS_OP_REDUCE_AXIS)
      place_reduce (p, i);
}

/* u in a kernel, over sources that are there. A node of Python numbers only has a weak dtype for tensors that it meets; in a kernel it
 * has the dtype in which it is computed and stored. */
static LsUOp *
in_kernel (LsContext *ctx, LsUOp *u, LsUOp *const *src)
{
  LsDType dtype = ls_dtype_strong (u->dtype);
  if (u->op == LS_OP_CAST && src[0]->dtype == dtype)
    return src[0];
  return dtype == u->dtype && u->n_src == 0 ? u : ls_uop_new_tag (ctx, u->op, dtype, u->n_src, src, u->arg, u->tag);
}

/* State for making an item. */
typedef struct {
  LsContext      *ctx;
  Plan           *plan;
  LsScheduleItem *item;
  LsUOp          *node;
  LsUOp         **buffer_of;
  LsNodeMap      *map;          /* tensor node -> kernel node */
  LsNodeMap      *arguments;    /* buffer -> its place among the inputs */
  guint           n_inputs;     /* buffers; variables come after them */
  GPtrArray      *binds;        /* BIND nodes, in the order of their arguments */
  LsUOp          *reduce;       /* the reduce that the kernel computes, or NULL */
} Maker;

static LsUOp *
buffer_read (const Maker *m, LsUOp *u)
{
  return u->op == LS_OP_BUFFER ? u : u != m->node ? m->buffer_of[place (m->plan, u)] : NULL;
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
  LsUOp *u = ls_uop_new0 (ctx, LS_OP_DEFINE_VAR, bind->dtype, ls_arg_var (ctx, name, var->min, var->max, 1 + m->n_inputs + i));
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
  gint64 id[2] = { -1 - (gint64) k, buffer->arg.ints[1] };
  LsUOp *param = ls_uop_new0 (ctx, LS_OP_BUFFER, ls_dtype_strong (buffer->dtype), ls_arg_ints (ctx, 2, id)), *seen = param;
  LsShape s = ls_uop_shape (ctx, u);
  if (!ls_shape_equal (ls_shape_of_memory (s), ls_uop_shape (ctx, param)))
    seen = ls_uop_new1 (ctx, LS_OP_RESHAPE, param->dtype, param, ls_arg_ints (ctx, s.n, s.dims));
  note (m, seen, u, LS_TEMPLATE ("input"));
  if (seen != param)
    note (m, param, u, LS_TEMPLATE ("input"));
  return seen;
}

static LsUOp *
computed_from (gpointer data, LsUOp *u, LsUOp **src)
{
  Maker *m = data;
  if (u->op == LS_OP_REDUCE_AXIS) {
    m->reduce = u;
    if (u->src[0]->sized)
      src[0] = limited (m, src[0], ls_uop_shape (m->ctx, u->src[0]), &u->arg, u);
  }
  LsUOp *v = u->op == LS_OP_LIMIT ? most_of (m, u, src[0]) : in_kernel (m->ctx, u, src);
  note (m, v, u, LS_TEMPLATE ("computed"));
  return v;
}

/* Gives the node a buffer, and the kernel's graph: the value stored there. */
static void
store_value (Maker *m, LsUOp *body)
{
  LsContext *ctx = m->ctx;
  LsUOp *node = m->node;
  LsShape shape = ls_uop_shape (ctx, node), kernel_shape = m->reduce ? ls_uop_shape (ctx, m->reduce) : shape;
  gint64 id[2] = { ls_context_next_buffer (ctx), ls_shape_size (shape) };
  m->item->buffer = ls_uop_new0 (ctx, LS_OP_BUFFER, node->dtype, ls_arg_ints (ctx, 2, id));
  LsArg st = ls_arg_tracker (ctx, ls_tracker_contiguous (ctx, kernel_shape));
  LsUOp *out = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (ls_dtype_strong (node->dtype), LS_SPACE_GLOBAL, id[1]), ls_arg_int (0));
  LsUOp *view = ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, st);
  LsUOp *seen = ls_uop_new1 (ctx, LS_OP_VIEW, body->dtype, body, st);
  LsUOp *stored = limited (m, seen, kernel_shape, NULL, node);
  LsUOp *store = ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, out, view, stored, ls_arg_none ());
  m->item->graph = ls_uop_new1 (ctx, LS_OP_SINK, LS_VOID, store, ls_arg_none ());
  LsUOp *made[] = { out, view, seen, store, m->item->graph };
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    note (m, made[i], node, m->item->reason);
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

/* The kernel graph of a realized node. */
static LsScheduleItem *
make_item (Plan *p, guint32 at, LsUOp **buffer_of, gboolean record)
{
  LsContext *ctx = p->ctx;
  LsUOp *node = p->order->pdata[at], *value = value_of (node);
  LsScheduleItem *item = g_new0 (LsScheduleItem, 1);
  item->node = node;
  item->reason = p->realized[at];
  item->inputs = g_array_new (FALSE, FALSE, sizeof (LsUOp *));
  if (record)
    item->map = g_array_sized_new (FALSE, FALSE, sizeof (LsMapEntry), 48);
  g_autoptr (GPtrArray) binds = g_ptr_array_new ();
  Maker m = { ctx, p, item, node, buffer_of, ls_node_map_acquire (ctx), ls_node_map_acquire (ctx), 0, binds };
  m.n_inputs = p->variables ? count_inputs (&m, value) : 0;
  ls_graph_rebuild (ctx, 1, &value, m.map, argument_for, computed_from, &m);
  store_value (&m, ls_node_map_get_node (m.map, value));
  ls_node_map_release (ctx, m.arguments);
  ls_node_map_release (ctx, m.map);
  for (guint i = 0; i < binds->len; i++)
    g_array_append_val (item->inputs, ((LsUOp *) binds->pdata[i])->src[0]);
  return item;
}

static void
item_free (gpointer data)
{
  LsScheduleItem *item = data;
  g_array_unref (item->inputs);
  if (item->map)
    g_array_unref (item->map);
  g_free (data);
}

LsSchedule *
ls_schedule_new (LsContext *ctx, guint n_roots, LsUOp *const *roots, gboolean record, guint kernel_base)
{
  LsSchedule *s = g_new0 (LsSchedule, 1);
  s->items = g_ptr_array_new_with_free_func (item_free);
  s->decisions = g_array_new (FALSE, FALSE, sizeof (LsDecision));
  s->results = g_new0 (LsUOp *, MAX (n_roots, 1));
  Plan p = { .ctx = ctx };
  p.order = ls_uop_toposort_many (ctx, roots, n_roots);
  guint n = p.order->len;
  p.index = ls_node_map_acquire (ctx);
  for (guint i = 0; i < n; i++) {
    ls_node_map_set (p.index, p.order->pdata[i], i);
    p.variables |= ((LsUOp *) p.order->pdata[i])->op == LS_OP_BIND;
  }
  collect_uses (&p);
  p.realized = g_new0 (const char *, n);
  p.fused = g_new0 (guint32, n);
  for (guint r = 0; r < n_roots; r++) {
    LsUOp *base = strip_reshape (roots[r]);
    if (base->op == LS_OP_CONST)
      base = roots[r];
    if (base->op != LS_OP_BUFFER)
      p.realized[place (&p, base)] = base->op == LS_OP_ASSIGN ? "assigned" : "result";
  }
  decide (&p);
  g_autofree LsUOp **buffer_of = g_new0 (LsUOp *, n);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p.order->pdata[i];
    if (p.realized[i]) {
      LsScheduleItem *item = make_item (&p, i, buffer_of, record);
      buffer_of[i] = item->buffer;
      g_ptr_array_add (s->items, item);
    }
    if (record && (p.realized[i] || (u->op == LS_OP_REDUCE_AXIS && p.fused[i]))) {
      LsDecision d = { u->id, p.realized[i] != NULL, p.realized[i] ? kernel_base + s->items->len : 0,
                       p.realized[i] ? p.realized[i] : "fused into the kernel of its only user" };
      g_array_append_val (s->decisions, d);
    }
  }
  for (guint r = 0; r < n_roots; r++) {
    LsUOp *base = strip_reshape (roots[r]);
    if (base->op == LS_OP_CONST)
      base = roots[r];
    s->results[r] = base->op == LS_OP_BUFFER ? base : buffer_of[place (&p, base)];
  }
  ls_node_map_release (ctx, p.index);
  g_ptr_array_unref (p.order);
  g_free (p.first_use);
  g_free (p.uses);
  g_free (p.realized);
  g_free (p.fused);
  return s;
}

void
ls_schedule_free (LsSchedule *s)
{
  if (!s)
    return;
  g_ptr_array_unref (s->items);
  g_array_unref (s->decisions);
  g_free (s->results);
  g_free (s);
}
