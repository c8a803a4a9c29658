/* Nodes and the context that owns them.
 *
 * Nodes live in an arena and are hash-consed through one open-addressing table of ids. Cached properties (bounds, shape) are
 * filled when a node is made, from its sources' cached ones: constant work a node, and no property ever needs recursion. Maps from
 * nodes to values are arrays indexed by id whose slots carry the epoch in which they were written, so that a fresh map costs nothing:
 * passes over small kernels in a context of many nodes stay proportional to the kernel.
 */
#include "context-private.h"

#include <string.h>

#include "eval.h"
#include "view.h"

#define CHUNK_SIZE (256 * 1024)

G_DEFINE_QUARK (ls-error-quark, ls_error)

void *
ls_context_alloc (LsContext *ctx, gsize size)
{
  size = (size + 7) & ~(gsize) 7;
  if (G_UNLIKELY ((gsize) (ctx->end - ctx->top) < size)) {
    gsize chunk = MAX (size, ctx->chunks->len == 0 ? 64 * 1024 : CHUNK_SIZE);
    ctx->top = g_malloc (chunk);
    ctx->end = ctx->top + chunk;
    g_ptr_array_add (ctx->chunks, ctx->top);
  }
  void *p = ctx->top;
  ctx->top += size;
  return p;
}

static inline guint32
mix (guint32 h, guint64 v)
{
  guint64 x = (h ^ v) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  return (guint32) (x ^ (x >> 32));
}

const void *
ls_context_intern (LsContext *ctx, const void *data, guint32 size)
{
  guint32 h = mix (0x51ed270b, size);
  const guchar *bytes = data;
  guint32 i = 0;
  for (; i + 8 <= size; i += 8) {
    guint64 v;
    memcpy (&v, bytes + i, 8);
    h = mix (h, v);
  }
  for (; i < size; i++)
    h = mix (h, bytes[i]);
  guint32 slot = h & ctx->interned_mask;
  while (ctx->interned[slot].data) {
    if (ctx->interned[slot].hash == h && ctx->interned[slot].size == size && (size == 0 || memcmp (ctx->interned[slot].data, data, size) == 0))
      return ctx->interned[slot].data;
    slot = (slot + 1) & ctx->interned_mask;
  }
  void *copy = ls_context_alloc (ctx, MAX (size, 1));
  if (size > 0)
    memcpy (copy, data, size);
  ctx->interned[slot].data = copy;
  ctx->interned[slot].size = size;
  ctx->interned[slot].hash = h;
  if (++ctx->n_interned * 2 > ctx->interned_mask) {
    guint32 old_size = ctx->interned_mask + 1, mask = old_size * 2 - 1;
    typeof (ctx->interned) old = ctx->interned;
    ctx->interned = g_malloc0 (sizeof *old * (mask + 1));
    for (guint32 k = 0; k < old_size; k++) {
      if (!old[k].data)
        continue;
      guint32 s = old[k].hash & mask;
      while (ctx->interned[s].data)
        s = (s + 1) & mask;
      ctx->interned[s] = old[k];
    }
    ctx->interned_mask = mask;
    g_free (old);
  }
  return copy;
}

LsContext *
ls_context_new (void)
{
  LsContext *ctx = g_new0 (LsContext, 1);
  ctx->ref_count = 1;
  ctx->chunks = g_ptr_array_new_with_free_func (g_free);
  ctx->nodes_size = 512;
  ctx->nodes = g_new (LsUOp *, ctx->nodes_size);
  ctx->table_mask = 1023;
  ctx->table = g_new0 (guint32, ctx->table_mask + 1);
  ctx->interned_mask = 255;
  ctx->interned = g_malloc0 (sizeof *ctx->interned * (ctx->interned_mask + 1));
  ctx->free_maps = g_ptr_array_new ();
  return ctx;
}

LsContext *
ls_context_ref (LsContext *ctx)
{
  g_atomic_int_inc (&ctx->ref_count);
  return ctx;
}

void
ls_context_unref (LsContext *ctx)
{
  if (ctx == NULL || !g_atomic_int_dec_and_test (&ctx->ref_count))
    return;
  for (guint i = 0; i < ctx->free_maps->len; i++) {
    LsNodeMap *map = ctx->free_maps->pdata[i];
    g_free (map->slots);
    g_free (map);
  }
  g_ptr_array_unref (ctx->free_maps);
  g_ptr_array_unref (ctx->chunks);
  g_free (ctx->nodes);
  g_free (ctx->table);
  g_free (ctx->interned);
  g_free (ctx->breach);
  g_free (ctx);
}

guint  ls_context_n_nodes (LsContext *ctx) { return ctx->n_nodes; }
LsUOp *ls_context_node (LsContext *ctx, guint32 id) { return id < ctx->n_nodes ? ctx->nodes[id] : NULL; }
guint  ls_context_next_buffer (LsContext *ctx) { return ctx->next_buffer++; }

LsNodeMap *
ls_node_map_acquire (LsContext *ctx)
{
  LsNodeMap *map;
  if (ctx->free_maps->len > 0) {
    map = ctx->free_maps->pdata[--ctx->free_maps->len];
  } else {
    map = g_new0 (LsNodeMap, 1);
    map->ctx = ctx;
  }
  if (++map->epoch == 0) {
    if (map->slots)
      memset (map->slots, 0, map->capacity * sizeof *map->slots);
    map->epoch = 1;
  }
  return map;
}

void
ls_node_map_release (LsContext *ctx, LsNodeMap *map)
{
  g_ptr_array_add (ctx->free_maps, map);
}

void
ls_node_map_grow (LsNodeMap *map, guint32 id)
{
  guint32 capacity = MAX (MAX (map->capacity * 2, id + 1), map->ctx->n_nodes + map->ctx->n_nodes / 2 + 64);
  map->slots = g_realloc_n (map->slots, capacity, sizeof *map->slots);
  memset (map->slots + map->capacity, 0, (capacity - map->capacity) * sizeof *map->slots);
  map->capacity = capacity;
}

LsArg ls_arg_none (void) { return (LsArg) { .kind = LS_ARG_NONE }; }
LsArg ls_arg_int (gint64 i) { return (LsArg) { .kind = LS_ARG_INT, .i = i }; }
LsArg ls_arg_float (double f) { return (LsArg) { .kind = LS_ARG_FLOAT, .f = f }; }

LsArg
ls_arg_ints (LsContext *ctx, guint n, const gint64 *ints)
{
  return (LsArg) { .kind = LS_ARG_INTS, .n = n, .ints = ls_context_intern (ctx, ints, n * sizeof (gint64)) };
}

LsArg
ls_arg_str (LsContext *ctx, const char *str)
{
  return (LsArg) { .kind = LS_ARG_STR, .str = ls_context_intern (ctx, str, strlen (str) + 1) };
}

LsArg
ls_arg_op_ints (LsContext *ctx, LsOp op, guint n, const gint64 *ints)
{
  return (LsArg) { .kind = LS_ARG_OP_INTS, .op = op, .n = n, .ints = ls_context_intern (ctx, ints, n * sizeof (gint64)) };
}

LsArg
ls_arg_tracker (LsContext *ctx, const LsTracker *tracker)
{
  return (LsArg) { .kind = LS_ARG_TRACKER, .tracker = tracker };
}

gboolean
ls_arg_equal (LsArg a, LsArg b)
{
  return a.kind == b.kind && a.op == b.op && a.n == b.n && a.bits == b.bits;
}

static void
grow_table (LsContext *ctx)
{
  guint32 mask = (ctx->table_mask + 1) * 2 - 1;
  g_free (ctx->table);
  ctx->table = g_new0 (guint32, mask + 1);
  for (guint32 id = 0; id < ctx->n_nodes; id++) {
    guint32 slot = ctx->nodes[id]->hash & mask;
    while (ctx->table[slot])
      slot = (slot + 1) & mask;
    ctx->table[slot] = id + 1;
  }
  ctx->table_mask = mask;
}

LsUOp *
ls_uop_new_tag (LsContext *ctx, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg, guint16 tag)
{
  guint32 h = mix (op | (guint32) tag << 16, dtype);
  h = mix (h, arg.bits ^ ((guint64) arg.kind << 56) ^ ((guint64) arg.n << 40));
  for (guint i = 0; i < n_src; i++)
    h = mix (h, src[i]->id);
  guint32 slot = h & ctx->table_mask;
  for (guint32 entry; (entry = ctx->table[slot]); slot = (slot + 1) & ctx->table_mask) {
    LsUOp *u = ctx->nodes[entry - 1];
    if (u->hash == h && u->op == op && u->dtype == dtype && u->tag == tag && u->n_src == n_src && ls_arg_equal (u->arg, arg) &&
        (n_src == 0 || memcmp (u->src, src, n_src * sizeof *src) == 0))
      return u;
  }
  LsUOp *u = ls_context_alloc (ctx, sizeof (LsUOp) + n_src * sizeof (LsUOp *));
  u->id = ctx->n_nodes;
  u->op = op;
  u->tag = tag;
  u->n_src = n_src;
  u->hash = h;
  u->dtype = dtype;
  u->arg = arg;
  u->reserved = 0;
  if (n_src > 0)
    memcpy (u->src, src, n_src * sizeof *src);
  ls_uop_init_bounds (u);
  ls_uop_init_shape (ctx, u);
  if (ctx->n_nodes == ctx->nodes_size) {
    ctx->nodes_size *= 2;
    ctx->nodes = g_renew (LsUOp *, ctx->nodes, ctx->nodes_size);
  }
  ctx->nodes[ctx->n_nodes++] = u;
  ctx->table[slot] = ctx->n_nodes;
  if (G_UNLIKELY (ctx->checks))
    ls_uop_check_new (ctx, u);
  if (ctx->n_nodes * 2 > ctx->table_mask)
    grow_table (ctx);
  if (op == LS_OP_BUFFER && arg.kind == LS_ARG_INTS && arg.n > 0 && arg.ints[0] >= ctx->next_buffer && arg.ints[0] < G_MAXINT32)
    ctx->next_buffer = arg.ints[0] + 1;
  return u;
}

LsUOp *
ls_uop_new (LsContext *ctx, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg)
{
  return ls_uop_new_tag (ctx, op, dtype, n_src, src, arg, 0);
}

LsUOp *ls_uop_new0 (LsContext *ctx, LsOp op, LsDType dtype, LsArg arg) { return ls_uop_new (ctx, op, dtype, 0, NULL, arg); }
LsUOp *ls_uop_new1 (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsArg arg) { return ls_uop_new (ctx, op, dtype, 1, &a, arg); }

LsUOp *
ls_uop_new2 (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsUOp *b, LsArg arg)
{
  return ls_uop_new (ctx, op, dtype, 2, (LsUOp *[]) { a, b }, arg);
}

LsUOp *
ls_uop_new3 (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsUOp *b, LsUOp *c, LsArg arg)
{
  return ls_uop_new (ctx, op, dtype, 3, (LsUOp *[]) { a, b, c }, arg);
}

LsUOp *
ls_uop_alu (LsContext *ctx, LsOp op, guint n_src, LsUOp *const *src)
{
  LsDType dtype = src[0]->dtype;
  if (ls_op_is_comparison (op))
    dtype = ls_dtype_vec (LS_BOOL, ls_dtype_lanes (dtype));
  else if (op == LS_OP_WHERE)
    dtype = src[1]->dtype;
  return ls_uop_new (ctx, op, dtype, n_src, src, ls_arg_none ());
}

LsUOp *ls_uop_alu1 (LsContext *ctx, LsOp op, LsUOp *a) { return ls_uop_new (ctx, op, a->dtype, 1, &a, ls_arg_none ()); }
LsUOp *ls_uop_alu2 (LsContext *ctx, LsOp op, LsUOp *a, LsUOp *b) { return ls_uop_alu (ctx, op, 2, (LsUOp *[]) { a, b }); }
LsUOp *ls_uop_alu3 (LsContext *ctx, LsOp op, LsUOp *a, LsUOp *b, LsUOp *c) { return ls_uop_alu (ctx, op, 3, (LsUOp *[]) { a, b, c }); }

static LsUOp *
broadcast_const (LsContext *ctx, LsDType dtype, LsScalar value)
{
  LsDType scalar = ls_dtype_scalar (dtype);
  LsUOp *c = ls_uop_new0 (ctx, LS_OP_CONST, scalar, ls_scalar_to_arg (scalar, ls_scalar_fit (scalar, value)));
  guint lanes = ls_dtype_lanes (dtype);
  if (lanes == 1)
    return c;
  g_autofree LsUOp **src = g_new (LsUOp *, lanes);
  for (guint i = 0; i < lanes; i++)
    src[i] = c;
  return ls_uop_new (ctx, LS_OP_VECTORIZE, dtype, lanes, src, ls_arg_none ());
}

LsUOp *
ls_uop_const_i (LsContext *ctx, LsDType dtype, gint64 value)
{
  return broadcast_const (ctx, dtype, ls_dtype_is_float (dtype) ? (LsScalar) { .f = value } : (LsScalar) { .i = value });
}

LsUOp *
ls_uop_const_f (LsContext *ctx, LsDType dtype, double value)
{
  if (!ls_dtype_is_float (dtype))
    return broadcast_const (ctx, dtype, ls_eval_cast (ls_dtype_scalar (dtype), LS_DOUBLE, (LsScalar) { .f = value }));
  return broadcast_const (ctx, dtype, (LsScalar) { .f = value });
}

LsUOp *
ls_uop_with_src (LsContext *ctx, LsUOp *u, guint n_src, LsUOp *const *src)
{
  return ls_uop_new_tag (ctx, u->op, u->dtype, n_src, src, u->arg, u->tag);
}

LsUOp *
ls_uop_replace (LsContext *ctx, LsUOp *u, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg)
{
  return ls_uop_new_tag (ctx, op, dtype, n_src, src, arg, u->tag);
}

LsUOp *
ls_uop_cast (LsContext *ctx, LsUOp *u, LsDType dtype)
{
  return u->dtype == dtype ? u : ls_uop_new1 (ctx, LS_OP_CAST, dtype, u, ls_arg_none ());
}

gboolean
ls_uop_const_value (const LsUOp *u, LsArg *out)
{
  if (u->op == LS_OP_VECTORIZE && u->n_src > 0) {
    for (guint i = 1; i < u->n_src; i++)
      if (u->src[i] != u->src[0])
        return FALSE;
    u = u->src[0];
  }
  if (u->op != LS_OP_CONST)
    return FALSE;
  if (out)
    *out = u->arg;
  return TRUE;
}

const char *
ls_axis_type_name (LsAxisType type)
{
  static const char *const names[] = { "loop", "global", "local", "reduce", "upcast", "unroll" };
  return type < LS_N_AXIS ? names[type] : "?";
}

GPtrArray *
ls_uop_toposort_many (LsContext *ctx, LsUOp *const *roots, guint n)
{
  typedef struct { LsUOp *u; guint next; } Frame;
  GPtrArray *order = g_ptr_array_sized_new (64);
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  guint depth = 0, size = 64;
  Frame *stack = g_new (Frame, size);
  for (guint r = 0; r < n; r++) {
    if (ls_node_map_has (seen, roots[r]))
      continue;
    ls_node_map_set (seen, roots[r], 1);
    stack[depth++] = (Frame) { roots[r], 0 };
    while (depth > 0) {
      Frame *f = &stack[depth - 1];
      if (f->next == f->u->n_src) {
        g_ptr_array_add (order, f->u);
        depth--;
        continue;
      }
      LsUOp *s = f->u->src[f->next++];
      if (ls_node_map_has (seen, s))
        continue;
      ls_node_map_set (seen, s, 1);
      if (depth == size) {
        size *= 2;
        stack = g_renew (Frame, stack, size);
      }
      stack[depth++] = (Frame) { s, 0 };
    }
  }
  g_free (stack);
  ls_node_map_release (ctx, seen);
  return order;
}

GPtrArray *
ls_uop_toposort (LsContext *ctx, LsUOp *root)
{
  return ls_uop_toposort_many (ctx, &root, 1);
}
