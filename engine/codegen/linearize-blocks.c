/* The order of instructions of profile=modern: by blocks, and in a block by priority.
 *
 *  1. Each node is in the loops of its sources; a RANGE's users are in its loop as well, and users of a STORE are no longer in the
 *     loops that it names.
 *  2. From the SINK down, a node joins the block of its users when all of them have been visited and it is in the same loops. A node
 *     that also has other users is a separate block; users in other loops begin a block together. The ends of the loops between a
 *     block and one of fewer loops come between them.
 *  3. In a block, loads and their sources come first; otherwise nodes are in the order of ops below, then of arguments, dtypes and
 *     sources. Each node is taken as soon as its sources are placed, the least first.
 *  4. Ends of one loop are one. Then, sources first, a block merges the preceding blocks of the same loops, and an end those in its
 *     loop, that no other block waits for; an end that contains all of its loop's blocks joins the block that begins the loop. One
 *     block is left.
 *
 * Definitions and constants come before it, in the same order of nodes.
 */
#include "linearize.h"

#include "ir/axis.h"
#include "ir/print.h"
#include <math.h>
#include <string.h>

/* The order of ops. Unnamed ops come after all of these. */
static const LsOp op_order[] = {
  LS_OP_NOOP, LS_OP_PRECAST, LS_OP_SINK, LS_OP_DEFINE_GLOBAL, LS_OP_DEFINE_VAR, LS_OP_DEFINE_LOCAL, LS_OP_DEFINE_REG, LS_OP_SPECIAL,
      LS_OP_GEP, LS_OP_VECTORIZE, LS_OP_CAST, LS_OP_BITCAST, LS_OP_EXP2, LS_OP_LOG2,
  LS_OP_SIN, LS_OP_SQRT, LS_OP_RECIP, LS_OP_NEG, LS_OP_NOT, LS_OP_TRUNC, LS_OP_LOAD, LS_OP_STORE, LS_OP_INDEX, LS_OP_ADD, LS_OP_MUL,
  LS_OP_SHL, LS_OP_SHR, LS_OP_IDIV, LS_OP_MAX,
  LS_OP_MOD, LS_OP_CMPLT, LS_OP_CMPNE, LS_OP_CMPEQ, LS_OP_XOR, LS_OP_OR, LS_OP_AND, LS_OP_SUB, LS_OP_FDIV, LS_OP_POW, LS_OP_WHERE,
  LS_OP_MULACC, LS_OP_BARRIER, LS_OP_RANGE,
  LS_OP_IF, LS_OP_ENDRANGE, LS_OP_ENDIF, LS_OP_VCONST, LS_OP_CONST,
};

#define MOST_DEPTH  100       /* that two nodes are compared to */
#define MOST_INSERTED 63      /* up to this number they are sorted by insertion; more of them, with a NaN, only by their order */
#define LOADS_FIRST (-1)      /* the priority of the inputs of a load; 0 for all others */

typedef struct _Block Block;
struct _Block {
  GPtrArray *nodes;
  GPtrArray *in;         /* ranges around it, in order */
  GPtrArray *after;      /* for a block that begins or ends loops: ranges around the following blocks; NULL: the same */
  GPtrArray *sources;    /* Block, as often as they are waited for */
  LsUOp     *ends;       /* the range that it is the end of, or NULL */
  guint      waited;     /* how often it is waited for */
  guint8     state;      /* 0, 1 entered, 2 merged */
  gboolean   defines;    /* one definition, which comes before all blocks: users define its order */
  Block     *same;       /* the block with other ends of its loop that it was merged into, or its replacement */
};

typedef struct {
  LsContext  *ctx;
  GPtrArray  *topo;
  LsNodeMap  *position;
  GPtrArray **in, **after;      /* by position: ranges around the node, and around its users (the same array if they are equal) */
  guint      *users;            /* how many sources it is */
  Block     **own;              /* of a node that is a block of its own */
  GPtrArray  *blocks;           /* all of them */
  GPtrArray  *arrays;           /* of ranges */
  GArray     *todo;             /* Seed: blocks that are still to be filled */
  guint8      rank[LS_N_OPS];
} Blocks;

typedef struct { Block *block; GPtrArray *nodes; } Seed;

static LsUOp *node_at (const Blocks *b, guint i) { return b->topo->pdata[i]; }

static guint
position_of (const Blocks *b, const LsUOp *u)
{
  guint64 at = 0;
  gboolean found = ls_node_map_get (b->position, u, &at);
  g_assert (found);
  return (guint) at;
}

static gboolean
is_definition (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_VAR || u->op == LS_OP_DEFINE_LOCAL || u->op == LS_OP_DEFINE_REG ||
         u->op == LS_OP_SPECIAL || u->op == LS_OP_CONST;
}

/* --- the order of nodes --- */

static int
compare_numbers (double a, double b)
{
  return a < b ? -1 : a > b;      /* a NaN is neither less nor more than any */
}

static double
number_of (const LsUOp *u)
{
  return u->arg.kind == LS_ARG_FLOAT ? u->arg.f : (double) u->arg.i;
}

/* For nodes of one op. */
static int
compare_args (const LsUOp *a, const LsUOp *b)
{
  if (a->op == LS_OP_RANGE) {
    gint64 x = ls_range_axis (a) + (ls_range_type (a) == LS_AXIS_REDUCE ? 1000 : 0),
           y = ls_range_axis (b) + (ls_range_type (b) == LS_AXIS_REDUCE ? 1000 : 0);
    return x != y ? (x < y ? -1 : 1) : ls_range_part (a) < ls_range_part (b) ? -1 : ls_range_part (a) > ls_range_part (b);
  }
  if (a->arg.kind == LS_ARG_INTS && b->arg.kind == LS_ARG_INTS) {
    for (guint i = 0; i < MIN (a->arg.n, b->arg.n); i++)
      if (a->arg.ints[i] != b->arg.ints[i])
        return a->arg.ints[i] < b->arg.ints[i] ? -1 : 1;
    return a->arg.n < b->arg.n ? -1 : a->arg.n > b->arg.n;
  }
  if (a->arg.kind == LS_ARG_STR && b->arg.kind == LS_ARG_STR)
    return g_strcmp0 (a->arg.str, b->arg.str);
  if (a->arg.kind == LS_ARG_INT && b->arg.kind == LS_ARG_INT)
    return a->arg.i < b->arg.i ? -1 : a->arg.i > b->arg.i;
  if ((a->arg.kind == LS_ARG_INT || a->arg.kind == LS_ARG_FLOAT) && (b->arg.kind == LS_ARG_INT || b->arg.kind == LS_ARG_FLOAT))
    return compare_numbers (number_of (a), number_of (b));
  return 0;
}

/* Different nodes differ in op, argument, dtype or in a source, and the first different source decides: so no depth is visited twice.
 * Where that is very deep, and of two NaNs, it is the depth-first order of the graph. */
static int
compare_nodes (const Blocks *b, const LsUOp *x, const LsUOp *y)
{
  const LsUOp *first = x, *second = y;
  for (guint depth = 0; x != y && depth < MOST_DEPTH; depth++) {
    if (b->rank[x->op] != b->rank[y->op])
      return b->rank[x->op] < b->rank[y->op] ? -1 : 1;
    int order = compare_args (x, y);
    if (order)
      return order;
    if (x->dtype != y->dtype) {
      if (ls_dtype_base (x->dtype) != ls_dtype_base (y->dtype))
        return ls_dtype_base (x->dtype) < ls_dtype_base (y->dtype) ? -1 : 1;
      return x->dtype < y->dtype ? -1 : 1;
    }
    guint i = 0;
    while (i < x->n_src && i < y->n_src && x->src[i] == y->src[i])
      i++;
    if (i == x->n_src || i == y->n_src) {
      if (x->n_src != y->n_src)
        return x->n_src < y->n_src ? -1 : 1;
      break;
    }
    x = x->src[i];
    y = y->src[i];
  }
  return first == second ? 0 : position_of (b, first) < position_of (b, second) ? -1 : 1;
}

static int
compare_pointers (gconstpointer a, gconstpointer b, gpointer data)
{
  return compare_nodes (data, *(LsUOp *const *) a, *(LsUOp *const *) b);
}

/* --- loops --- */

static gboolean
same_ranges (const GPtrArray *a, const GPtrArray *b)
{
  gboolean same = a == b || a->len == b->len;
  for (guint i = 0; a != b && i < a->len && same; i++)
    same = a->pdata[i] == b->pdata[i];
  return same;
}

static gboolean
has_range (const GPtrArray *ranges, const LsUOp *r)
{
  for (guint i = 0; i < ranges->len; i++)
    if (ranges->pdata[i] == r)
      return TRUE;
  return FALSE;
}

static GPtrArray *
new_ranges (Blocks *b)
{
  GPtrArray *ranges = g_ptr_array_new ();
  g_ptr_array_add (b->arrays, ranges);
  return ranges;
}

static void
add_range (GPtrArray *ranges, LsUOp *r)
{
  if (!has_range (ranges, r))
    g_ptr_array_add (ranges, r);
}

static void
find_loops (Blocks *b)
{
  GPtrArray *none = new_ranges (b);
  for (guint i = 0; i < b->topo->len; i++) {
    LsUOp *u = node_at (b, i);
    GPtrArray *in = none;
    gboolean mine = FALSE;
    for (guint s = 0; s < u->n_src; s++) {
      guint from = position_of (b, u->src[s]);
      GPtrArray *more = b->after[from];
      b->users[from]++;
      if (more == in || more->len == 0)
        continue;
      if (in->len == 0) {
        in = more;
        continue;
      }
      if (!mine) {
        GPtrArray *copy = new_ranges (b);
        g_ptr_array_extend (copy, in, NULL, NULL);
        in = copy;
        mine = TRUE;
      }
      for (guint k = 0; k < more->len; k++)
        add_range (in, more->pdata[k]);
    }
    if (mine)
      g_ptr_array_sort_with_data (in, compare_pointers, b);
    b->in[i] = b->after[i] = u->op == LS_OP_SINK ? none : in;
    if (u->op == LS_OP_RANGE) {
      b->after[i] = new_ranges (b);
      g_ptr_array_extend (b->after[i], in, NULL, NULL);
      add_range (b->after[i], u);
      g_ptr_array_sort_with_data (b->after[i], compare_pointers, b);
    } else if (u->op == LS_OP_STORE && u->n_src > 2) {
      b->after[i] = new_ranges (b);
      for (guint k = 0; k < in->len; k++) {
        gboolean named = FALSE;
        for (guint s = 0; s < u->n_src; s++)
          named |= u->src[s] == in->pdata[k];
        if (!named)
          g_ptr_array_add (b->after[i], in->pdata[k]);
      }
    }
  }
}

/* --- blocks --- */

static Block *
block_new (Blocks *b, GPtrArray *in, GPtrArray *after, guint waited)
{
  Block *block = g_new0 (Block, 1);
  block->nodes = g_ptr_array_new ();
  block->sources = g_ptr_array_new ();
  block->in = in;
  block->after = after;
  block->waited = waited;
  g_ptr_array_add (b->blocks, block);
  return block;
}

static void
block_free (gpointer data)
{
  Block *block = data;
  g_ptr_array_unref (block->nodes);
  g_ptr_array_unref (block->sources);
  g_free (block);
}

/* The block, waited for so often, and after it the ends of the loops that it is in and the others are not. */
static Block *
with_ends (Blocks *b, Block *block, GPtrArray *in, const GPtrArray *outside, guint times)
{
  for (guint i = in->len; i-- > 0;) {
    LsUOp *r = in->pdata[i];
    if (has_range (outside, r))
      continue;
    GPtrArray *left = new_ranges (b);
    for (guint k = 0; k < in->len; k++)
      if (in->pdata[k] != r && (k < i || has_range (outside, in->pdata[k])))
        g_ptr_array_add (left, in->pdata[k]);
    Block *end = block_new (b, left, NULL, times);
    end->ends = r;
    g_ptr_array_add (end->nodes, ls_uop_new1 (b->ctx, LS_OP_ENDRANGE, LS_VOID, r, ls_arg_none ()));
    for (guint k = 0; k < times; k++)
      g_ptr_array_add (end->sources, block);
    block = end;
  }
  return block;
}

/* The block that a node is which has users in several, made once. */
static Block *
own_block (Blocks *b, guint at)
{
  if (b->own[at])
    return b->own[at];
  Block *block = block_new (b, b->in[at], b->after[at] != b->in[at] ? b->after[at] : NULL, b->users[at]);
  Seed seed = { block, g_ptr_array_new () };
  g_ptr_array_add (seed.nodes, node_at (b, at));
  g_array_append_val (b->todo, seed);
  return b->own[at] = block;
}

static Block *
definition (Blocks *b, guint at)
{
  if (!b->own[at]) {
    b->own[at] = block_new (b, b->in[at], NULL, 0);
    b->own[at]->defines = TRUE;
    g_ptr_array_add (b->own[at]->nodes, node_at (b, at));
  }
  return b->own[at];
}

typedef struct { GHashTable *priority; const Blocks *b; } Priorities;

static int
compare_priorities (gconstpointer a, gconstpointer b, gpointer data)
{
  const Priorities *p = data;
  LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  int i = GPOINTER_TO_INT (g_hash_table_lookup (p->priority, x)), k = GPOINTER_TO_INT (g_hash_table_lookup (p->priority, y));
  return i != k ? (i < k ? -1 : 1) : compare_nodes (p->b, x, y);
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  return GPOINTER_TO_INT (a) - GPOINTER_TO_INT (b);
}

/* nodes, sources first, brought into the order of a block. */
static void
order_block (Blocks *b, GPtrArray *nodes)
{
  if (nodes->len < 2)
    return;
  g_autoptr (GHashTable) users = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref),
      priority = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) waits = g_hash_table_new (NULL, NULL), place = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) ideal = g_ptr_array_new ();
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_insert (users, nodes->pdata[i], g_ptr_array_new ());
  for (guint i = nodes->len; i-- > 0;) {
    LsUOp *u = nodes->pdata[i];
    const GPtrArray *own = g_hash_table_lookup (users, u);
    int first = u->op == LS_OP_LOAD ? LOADS_FIRST : 0, n = 0;
    for (guint k = 0; k < own->len; k++)
      first = MIN (first, GPOINTER_TO_INT (g_hash_table_lookup (priority, own->pdata[k])));
    g_hash_table_insert (priority, u, GINT_TO_POINTER (first));
    for (guint s = 0; s < u->n_src; s++) {
      GPtrArray *source = g_hash_table_lookup (users, u->src[s]);
      if (source)
        g_ptr_array_add (source, u);
      n += source != NULL;
    }
    g_hash_table_insert (waits, u, GINT_TO_POINTER (n));
    g_ptr_array_add (ideal, u);
  }
  Priorities p = { priority, b };
  g_ptr_array_sort_with_data (ideal, compare_priorities, &p);
  g_autoptr (GSequence) ready = g_sequence_new (NULL);
  for (guint i = 0; i < ideal->len; i++) {
    g_hash_table_insert (place, ideal->pdata[i], GINT_TO_POINTER (i));
    if (g_hash_table_lookup (waits, ideal->pdata[i]) == NULL)
      g_sequence_append (ready, GINT_TO_POINTER (i));
  }
  g_ptr_array_set_size (nodes, 0);
  while (!g_sequence_is_empty (ready)) {
    GSequenceIter *least = g_sequence_get_begin_iter (ready);
    LsUOp *u = ideal->pdata[GPOINTER_TO_INT (g_sequence_get (least))];
    g_sequence_remove (least);
    g_ptr_array_add (nodes, u);
    const GPtrArray *own = g_hash_table_lookup (users, u);
    for (guint k = 0; k < own->len; k++) {
      int left = GPOINTER_TO_INT (g_hash_table_lookup (waits, own->pdata[k])) - 1;
      g_hash_table_insert (waits, own->pdata[k], GINT_TO_POINTER (left));
      if (left == 0)
        g_sequence_insert_sorted (ready, g_hash_table_lookup (place, own->pdata[k]), compare_places, NULL);
    }
  }
}

typedef struct { GPtrArray *in, *after, *nodes; } Begun;

static void
begin_with (GArray *begun, GPtrArray *in, GPtrArray *after, LsUOp *u)
{
  for (guint i = 0; i < begun->len; i++) {
    const Begun *other = &g_array_index (begun, Begun, i);
    if (same_ranges (other->in, in) && (other->after == NULL) == (after == NULL) && (!after || same_ranges (other->after, after))) {
      g_ptr_array_add (other->nodes, u);
      return;
    }
  }
  Begun one = { in, after, g_ptr_array_new () };
  g_ptr_array_add (one.nodes, u);
  g_array_append_val (begun, one);
}

/* Gathers a block's nodes from its seed, and the blocks that it waits for. */
static void
fill_block (Blocks *b, const Seed *seed)
{
  g_autoptr (GPtrArray) frontier = g_ptr_array_new (), others = g_ptr_array_new (), nodes = seed->nodes;
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);      /* how often a node that is not in the block is met */
  g_autoptr (GArray) begun = g_array_new (FALSE, FALSE, sizeof (Begun));
  for (guint i = 0; i < nodes->len; i++)
    for (guint s = ((LsUOp *) nodes->pdata[i])->n_src; s-- > 0;)
      g_ptr_array_add (frontier, ((LsUOp *) nodes->pdata[i])->src[s]);
  for (guint i = 0; i < frontier->len; i++) {
    LsUOp *u = frontier->pdata[i];
    guint at = position_of (b, u), times = GPOINTER_TO_UINT (g_hash_table_lookup (met, u)) + 1;
    if (times == 1)
      g_ptr_array_add (others, u);
    g_hash_table_insert (met, u, GUINT_TO_POINTER (times));
    if (times < b->users[at] || is_definition (u))
      continue;
    g_hash_table_remove (met, u);
    if (!same_ranges (b->in[at], seed->block->in)) {
      begin_with (begun, b->in[at], b->after[at] != b->in[at] ? b->after[at] : NULL, u);
      continue;
    }
    g_ptr_array_add (nodes, u);
    for (guint s = u->n_src; s-- > 0;)
      g_ptr_array_add (frontier, u->src[s]);
  }
  for (guint i = 0; i < others->len; i++) {
    guint times = GPOINTER_TO_UINT (g_hash_table_lookup (met, others->pdata[i]));
    if (times == 0)
      continue;
    guint at = position_of (b, others->pdata[i]);
    if (is_definition (others->pdata[i])) {
      g_ptr_array_add (seed->block->sources, definition (b, at));
      continue;
    }
    Block *source = with_ends (b, own_block (b, at), b->in[at], seed->block->in, times);
    for (guint k = 0; k < times; k++)
      g_ptr_array_add (seed->block->sources, source);
  }
  for (guint i = 0; i < begun->len; i++) {
    const Begun *one = &g_array_index (begun, Begun, i);
    Seed next = { block_new (b, one->in, one->after, 1), one->nodes };
    g_array_append_val (b->todo, next);
    g_ptr_array_add (seed->block->sources, with_ends (b, next.block, one->in, seed->block->in, 1));
  }
  for (guint i = nodes->len; i-- > 0;)
    g_ptr_array_add (seed->block->nodes, nodes->pdata[i]);
  order_block (b, seed->block->nodes);
}

/* --- merging --- */

/* Blocks from sources to users. */
static void
list_blocks (Block *block, GPtrArray *out)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Block *)), next = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint zero = 0;
  g_array_append_val (stack, block);
  g_array_append_val (next, zero);
  g_hash_table_add (seen, block);
  while (stack->len) {
    Block *top = g_array_index (stack, Block *, stack->len - 1);
    guint *at = &g_array_index (next, guint, next->len - 1);
    if (*at < top->sources->len) {
      Block *source = top->sources->pdata[(*at)++];
      if (g_hash_table_add (seen, source)) {
        g_array_append_val (stack, source);
        g_array_append_val (next, zero);
      }
      continue;
    }
    g_ptr_array_add (out, top);
    g_array_set_size (stack, stack->len - 1);
    g_array_set_size (next, next->len - 1);
  }
}

/* The several ends of a loop become one. */
static void
join_ends (Blocks *b, Block *sink)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) first = g_hash_table_new (NULL, NULL);      /* range -> the replacement of its ends */
  list_blocks (sink, all);
  for (guint i = 0; i < all->len; i++) {
    Block *end = all->pdata[i], *one = end->ends ? g_hash_table_lookup (first, end->ends) : NULL;
    if (!end->ends)
      continue;
    if (!one) {
      g_hash_table_insert (first, end->ends, end);
      continue;
    }
    GPtrArray *in = new_ranges (b);
    g_ptr_array_extend (in, one->in, NULL, NULL);
    for (guint k = 0; k < end->in->len; k++)
      add_range (in, end->in->pdata[k]);
    g_ptr_array_sort_with_data (in, compare_pointers, b);
    one->in = in;
    one->waited += end->waited;
    for (guint k = 0; k < end->sources->len; k++)
      g_ptr_array_add (one->sources, end->sources->pdata[k]);
    end->same = one;
  }
  for (guint i = 0; i < all->len; i++) {
    Block *block = all->pdata[i];
    for (guint k = 0; k < block->sources->len; k++)
      while (((Block *) block->sources->pdata[k])->same)
        block->sources->pdata[k] = ((Block *) block->sources->pdata[k])->same;
  }
}

static guint
times_in (const GPtrArray *sources, const Block *block)
{
  guint n = 0;
  for (guint i = 0; i < sources->len; i++)
    n += sources->pdata[i] == block;
  return n;
}

/* Is a source in the block's loops, or in the loop that it ends? */
static gboolean
belongs_to (const Block *source, const Block *block)
{
  return !source->ends && !source->defines && (block->ends ? has_range (source->in, block->ends) : same_ranges (source->in, block->in));
}

/* Takes those sources in front of the block that only it waits for and that belong there. FALSE: there are none. */
static gboolean
take_sources (Block *block)
{
  g_autoptr (GHashTable) times = g_hash_table_new (NULL, NULL);      /* of those that belong there and are not taken: how often they
                                                                      * are waited for here */
  g_autoptr (GPtrArray) old = block->sources, nodes = block->nodes, own = g_ptr_array_new (), taken = g_ptr_array_new ();
  for (guint i = 0; i < old->len; i++) {
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (times, old->pdata[i]));
    if (!belongs_to (old->pdata[i], block))
      continue;
    if (n == 0)
      g_ptr_array_add (own, old->pdata[i]);
    g_hash_table_insert (times, old->pdata[i], GUINT_TO_POINTER (n + 1));
  }
  for (guint i = 0; i < own->len; i++)
    if (GPOINTER_TO_UINT (g_hash_table_lookup (times, own->pdata[i])) == ((Block *) own->pdata[i])->waited) {
      g_ptr_array_add (taken, own->pdata[i]);
      g_hash_table_remove (times, own->pdata[i]);
    }
  if (taken->len == 0) {
    g_ptr_array_ref (old);
    g_ptr_array_ref (nodes);
    return FALSE;
  }
  block->sources = g_ptr_array_new ();
  block->nodes = g_ptr_array_new ();
  for (guint i = 0; i < taken->len; i++) {
    const Block *s = taken->pdata[i];
    g_ptr_array_extend (block->sources, s->sources, NULL, NULL);
    g_ptr_array_extend (block->nodes, s->nodes, NULL, NULL);
  }
  g_ptr_array_extend (block->nodes, nodes, NULL, NULL);
  /* then those that belong elsewhere, and last those that others wait for as well */
  for (guint i = 0; i < old->len; i++)
    if (!belongs_to (old->pdata[i], block))
      g_ptr_array_add (block->sources, old->pdata[i]);
  for (guint i = 0; i < own->len; i++)
    for (guint n = GPOINTER_TO_UINT (g_hash_table_lookup (times, own->pdata[i])); n > 0; n--)
      g_ptr_array_add (block->sources, own->pdata[i]);
  return TRUE;
}

/* An end with all of its loop joins the block that begins it. FALSE: something of the loop is still missing. */
static gboolean
end_loop (Blocks *b, Block *block)
{
  Block *begin = NULL;
  for (guint i = 0; i < block->sources->len; i++) {
    Block *s = block->sources->pdata[i];
    if (has_range (s->in, block->ends))
      return FALSE;
    if (!s->ends && s->after && has_range (s->after, block->ends)) {
      if (begin && begin != s)
        return FALSE;
      begin = s;
    }
  }
  if (!begin || times_in (block->sources, begin) != begin->waited)
    return FALSE;
  g_autoptr (GPtrArray) nodes = g_steal_pointer (&block->nodes), sources = g_steal_pointer (&block->sources);
  block->nodes = g_ptr_array_new ();
  block->sources = g_ptr_array_new ();
  g_ptr_array_extend (block->nodes, begin->nodes, NULL, NULL);
  g_ptr_array_extend (block->nodes, nodes, NULL, NULL);
  for (guint i = 0; i < sources->len; i++)
    if (sources->pdata[i] != begin)
      g_ptr_array_add (block->sources, sources->pdata[i]);
  g_ptr_array_extend (block->sources, begin->sources, NULL, NULL);
  GPtrArray *in = new_ranges (b);
  for (guint i = 0; i < block->in->len; i++)
    if (block->in->pdata[i] != block->ends)
      g_ptr_array_add (in, block->in->pdata[i]);
  block->in = in;
  block->ends = NULL;
  block->after = NULL;
  return TRUE;
}

static void
merge_blocks (Blocks *b, Block *sink)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  list_blocks (sink, all);
  for (guint i = 0; i < all->len; i++)
    while (take_sources (all->pdata[i]) || (((Block *) all->pdata[i])->ends && end_loop (b, all->pdata[i])))
      ;
}

/* --- all together --- */

static gboolean
is_nan (const LsUOp *u)
{
  return u->op == LS_OP_CONST && u->arg.kind == LS_ARG_FLOAT && isnan (u->arg.f);
}

/* NaN is neither less nor greater than a constant, so the order depends on the sorting algorithm: the profile's compilers used an
 * insertion sort behind a sorted run, reversed if descending, with binary search. */
static gboolean
is_before (const Blocks *b, const LsUOp *x, const LsUOp *y)
{
  return !(x->op == y->op && (is_nan (x) || is_nan (y))) && compare_nodes (b, x, y) < 0;
}

static void
sort_definitions (const Blocks *b, GPtrArray *all)
{
  gpointer *at = all->pdata;
  guint n = all->len, run = MIN (n, 1), nans = 0;
  for (guint i = 0; i < n; i++)
    nans += is_nan (at[i]);
  if (nans == 0 || n > MOST_INSERTED) {
    g_ptr_array_sort_with_data (all, compare_pointers, (gpointer) b);
    return;
  }
  gboolean falls = n > 1 && is_before (b, at[1], at[0]);
  while (run < n && (run == 0 || is_before (b, at[run], at[run - 1]) == falls))
    run++;
  for (guint i = 0; falls && i < run / 2; i++) {
    gpointer first = at[i];
    at[i] = at[run - 1 - i];
    at[run - 1 - i] = first;
  }
  for (guint i = run; i < n; i++) {
    gpointer next = at[i];
    guint low = 0, high = i;
    while (low < high) {
      guint middle = (low + high) / 2;
      if (is_before (b, next, at[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    memmove (at + low + 1, at + low, (i - low) * sizeof *at);
    at[low] = next;
  }
}

/* The definitions that the last block still waits for when all others are in it. Returns: the node if it is not a definition, or NULL. */
static const Block *
append_definitions (const Blocks *b, const Block *last, GPtrArray *out)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < last->sources->len; i++) {
    const Block *source = last->sources->pdata[i];
    if (!source->defines)
      return source;
    if (g_hash_table_add (seen, source->nodes->pdata[0]))
      g_ptr_array_add (out, source->nodes->pdata[0]);
  }
  sort_definitions (b, out);
  return NULL;
}

GPtrArray *
ls_linearize_blocks (LsContext *ctx, GPtrArray *order, GError **error)
{
  Blocks b = { .ctx = ctx, .topo = order, .position = ls_node_map_acquire (ctx) };
  guint n = b.topo->len;
  b.in = g_new0 (GPtrArray *, n);
  b.after = g_new0 (GPtrArray *, n);
  b.users = g_new0 (guint, n);
  b.own = g_new0 (Block *, n);
  b.blocks = g_ptr_array_new_with_free_func (block_free);
  b.arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  b.todo = g_array_new (FALSE, FALSE, sizeof (Seed));
  for (guint op = 0; op < LS_N_OPS; op++)
    b.rank[op] = G_N_ELEMENTS (op_order);
  for (guint i = 0; i < G_N_ELEMENTS (op_order); i++)
    b.rank[op_order[i]] = (guint8) i;
  for (guint i = 0; i < n; i++)
    ls_node_map_set (b.position, node_at (&b, i), i);
  find_loops (&b);
  Block *last = own_block (&b, n - 1);
  for (guint i = 0; i < b.todo->len; i++) {
    Seed seed = g_array_index (b.todo, Seed, i);
    fill_block (&b, &seed);
  }
  join_ends (&b, last);
  merge_blocks (&b, last);
  GPtrArray *out = g_ptr_array_sized_new (n + 8);
  const Block *outside = append_definitions (&b, last, out);
  g_ptr_array_extend (out, last->nodes, NULL, NULL);
  if (outside) {
    LsUOp *u = outside->nodes->pdata[0];
    g_autofree char *summary = ls_uop_summary (u);
    g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "linearize: node %u (%s) is in loops that cannot nest", u->id, summary);
    g_clear_pointer (&out, g_ptr_array_unref);
  }
  g_array_unref (b.todo);
  g_ptr_array_unref (b.arrays);
  g_ptr_array_unref (b.blocks);
  g_free (b.own);
  g_free (b.users);
  g_free (b.after);
  g_free (b.in);
  ls_node_map_release (ctx, b.position);
  g_ptr_array_unref (b.topo);
  return out;
}
