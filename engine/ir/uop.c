/* Nodes: made once for the same fields.
 *
 * Nodes are hash-consed through one open-addressing table of ids. Cached properties (bounds, shape) are filled when a node is made,
 * from its sources' cached ones: constant work a node, and no property ever needs recursion.
 */
#include "context-private.h"

#include <math.h>
#include <string.h>

#include "eval.h"
#include "view.h"

G_DEFINE_QUARK (ls-error-quark, ls_error)

LsArg ls_arg_none (void) { return (LsArg) { .kind = LS_ARG_NONE }; }
LsArg ls_arg_int (gint64 i) { return (LsArg) { .kind = LS_ARG_INT, .i = i }; }
LsArg ls_arg_float (double f) { return (LsArg) { .kind = LS_ARG_FLOAT, .f = f }; }

static gint64
place_of (double f)
{
  gint64 bits;
  memcpy (&bits, &f, sizeof bits);
  return bits;
}

LsArg
ls_arg_written (LsDType dtype, double value)
{
  LsDType scalar = ls_dtype_scalar (dtype);
  LsArg arg = ls_scalar_to_arg (scalar, ls_scalar_fit (scalar, (LsScalar) { .f = value }));
  if (ls_dtype_base (scalar) == LS_BASE_FLOAT && isfinite (arg.f) && isfinite (value)) {
    gint64 rest = place_of (value) - place_of (arg.f);
    arg.rest = rest == (gint32) rest ? (gint32) rest : 0;      /* a subnormal loses more */
  }
  return arg;
}

double
ls_arg_as_written (LsArg arg)
{
  gint64 bits = place_of (arg.f) + arg.rest;
  memcpy (&arg.f, &bits, sizeof bits);
  return arg.f;
}

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

LsArg
ls_arg_var (LsContext *ctx, const char *name, gint64 min, gint64 max, gint64 position)
{
  LsVar var = { ls_context_intern (ctx, name, strlen (name) + 1), min, max, position };
  return (LsArg) { .kind = LS_ARG_VAR, .var = ls_context_intern (ctx, &var, sizeof var) };
}

gboolean
ls_arg_equal (LsArg a, LsArg b)
{
  return a.kind == b.kind && a.op == b.op && ls_arg_count (a) == ls_arg_count (b) && a.bits == b.bits;
}

static void
grow_table (LsContext *ctx)
{
  guint32 mask = (ctx->table_mask + 1) * 2 - 1;
  g_free (ctx->table);
  ctx->table = g_new0 (LsNodePlace, mask + 1);
  for (guint32 i = 0; i < ctx->n_nodes; i++) {
    guint32 hash = ctx->nodes[i]->hash, slot = hash & mask;
    while (ctx->table[slot].at)
      slot = (slot + 1) & mask;
    ctx->table[slot] = (LsNodePlace) { hash, i + 1 };
  }
  ctx->table_mask = mask;
}

/* Most of the work of making a node is in these three, in one place for all callers. */
static G_ALWAYS_INLINE inline guint32
hash_node (LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg, guint16 tag)
{
  guint32 h = ls_context_mix (op | (guint32) tag << 16, dtype);
  h = ls_context_mix (h, arg.bits ^ ((guint64) arg.kind << 56) ^ ((guint64) ls_arg_count (arg) << 40));
  for (guint i = 0; i < n_src; i++)
    h = ls_context_mix (h, src[i]->id);
  return h;
}

/* The node in this context, not in one below; slot is its position, or where it would be. */
static inline LsUOp *
look_up (const LsContext *ctx, guint32 h, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg, guint16 tag, guint32 *slot)
{
  *slot = h & ctx->table_mask;
  for (LsNodePlace place; (place = ctx->table[*slot]).at; *slot = (*slot + 1) & ctx->table_mask) {
    if (place.hash != h)
      continue;
    LsUOp *u = ctx->nodes[place.at - 1];
    if (u->op == op && u->dtype == dtype && u->tag == tag && u->n_src == n_src && ls_arg_equal (u->arg, arg) &&
        (n_src == 0 || memcmp (u->src, src, n_src * sizeof *src) == 0))
      return u;
  }
  return NULL;
}

static G_ALWAYS_INLINE inline LsUOp *
add_node (LsContext *ctx, guint32 slot, guint32 h, guint32 id, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg,
          guint16 tag)
{
  LsUOp *u = ls_context_alloc (ctx, sizeof (LsUOp) + n_src * sizeof (LsUOp *));
  u->id = id;
  u->op = op;
  u->tag = tag;
  u->n_src = n_src;
  u->hash = h;
  u->dtype = dtype;
  u->arg = arg;
  if (n_src > 0)
    memcpy (u->src, src, n_src * sizeof *src);
  u->library = ctx->library;
  ls_uop_init_bounds (u);
  ls_uop_init_shape (ctx, u);
  if (ctx->n_nodes == ctx->nodes_size) {
    ctx->nodes_size *= 2;
    ctx->nodes = g_renew (LsUOp *, ctx->nodes, ctx->nodes_size);
  }
  ctx->nodes[ctx->n_nodes++] = u;
  ctx->table[slot] = (LsNodePlace) { h, ctx->n_nodes };
  ctx->n_made += 1 + n_src + ls_arg_count (arg);
  if (ctx->n_nodes > ctx->table_mask / 3 * 2)
    grow_table (ctx);
  return u;
}

LsUOp *
ls_uop_new_tag (LsContext *ctx, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg, guint16 tag)
{
  guint32 h = hash_node (op, dtype, n_src, src, arg, tag), slot, other;
  LsUOp *u = look_up (ctx, h, op, dtype, n_src, src, arg, tag, &slot);
  for (const LsContext *below = ctx->base; G_UNLIKELY (below) && !u; below = below->base)
    u = look_up (below, h, op, dtype, n_src, src, arg, tag, &other);
  if (u) {
    if (G_UNLIKELY (ctx->found))
      g_array_append_val (ctx->found, u->id);
    return u;
  }
  u = add_node (ctx, slot, h, ls_context_n_nodes (ctx), op, dtype, n_src, src, arg, tag);
  if (G_UNLIKELY (ctx->checks))
    ls_uop_check_new (ctx, u);
  if (op == LS_OP_BUFFER && arg.kind == LS_ARG_INTS && arg.n > 0 && arg.ints[0] >= ctx->next_buffer && arg.ints[0] < G_MAXINT32)
    ctx->next_buffer = arg.ints[0] + 1;
  return u;
}

LsUOp *
ls_uop_find (LsContext *ctx, const LsUOp *u, LsUOp *const *src)
{
  guint32 h = hash_node (u->op, u->dtype, u->n_src, src, u->arg, u->tag), slot;
  LsUOp *found = NULL;
  for (; ctx && !found; ctx = ctx->base)
    found = look_up (ctx, h, u->op, u->dtype, u->n_src, src, u->arg, u->tag, &slot);
  return found;
}

LsUOp *
ls_uop_new_named (LsContext *ctx, const LsUOp *u, LsUOp *const *src, guint32 id)
{
  guint32 h = hash_node (u->op, u->dtype, u->n_src, src, u->arg, u->tag), slot;
  LsUOp *equal = look_up (ctx, h, u->op, u->dtype, u->n_src, src, u->arg, u->tag, &slot);
  g_assert (equal == NULL);
  return add_node (ctx, slot, h, id, u->op, u->dtype, u->n_src, src, u->arg, u->tag);
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
  LsUOp *c = ls_uop_new0 (ctx, LS_OP_CONST, scalar, ctx->keeps_digits && ls_dtype_is_float (scalar)
                          ? ls_arg_written (scalar, value.f) : ls_scalar_to_arg (scalar, ls_scalar_fit (scalar, value)));
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
ls_uop_over_changed (LsContext *ctx, LsUOp *u, LsNodeMap *map)
{
  LsUOp *few[16];
  g_autofree LsUOp **many = u->n_src > G_N_ELEMENTS (few) ? g_new (LsUOp *, u->n_src) : NULL;
  LsUOp **src = many ? many : few;
  for (guint i = 0; i < u->n_src; i++)
    src[i] = ls_node_map_get_node (map, u->src[i]);
  return ls_uop_with_src (ctx, u, u->n_src, src);
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

const LsAxisInfo ls_axis_types[] = {
#define X(NAME, name, place, appended, info, number, color, ...) { name, place, appended, info, number, color, { __VA_ARGS__ } },
#include "axis.def"
#undef X
};

const char *
ls_axis_type_name (LsAxisType type)
{
  return type < LS_N_AXIS ? ls_axis_types[type].name : "?";
}

GPtrArray *
ls_uop_toposort_down_to (LsContext *ctx, LsUOp *const *roots, guint n, gboolean (*ends) (gpointer data, const LsUOp *u), gpointer data)
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
      if (f->next == f->u->n_src || (f->next == 0 && ends && ends (data, f->u))) {
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
ls_uop_toposort_many (LsContext *ctx, LsUOp *const *roots, guint n)
{
  return ls_uop_toposort_down_to (ctx, roots, n, NULL, NULL);
}

GPtrArray *
ls_uop_toposort (LsContext *ctx, LsUOp *root)
{
  return ls_uop_toposort_many (ctx, &root, 1);
}
