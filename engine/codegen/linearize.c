/* The order of instructions.
 *
 * Three steps, none of which recurses over the depth of the graph (only over the nesting of loops, which is limited):
 *
 *  1. sets: for each node the set of ranges it is computed in. A PHI leaves its ranges; a DEFINE_ACC counts, for who reads it,
 *     as inside of them. Sets are interned, so a step is a lookup.
 *  2. nesting: an order of the ranges in which what encloses comes first (a range that a PHI's value depends on encloses the
 *     PHI's own ranges; then output axes before reduce axes, then axis number), and for each range those that enclose it:
 *     every earlier range that shares a node with it. A PHI whose loop ended up deeper than its value asks for makes its users
 *     go there too, so steps 1 and 2 repeat until nothing moves (mostly once).
 *  3. emission: each loop is a block. A block's items are its own nodes and its inner loops; an item is emitted after what it
 *     depends on, and apart from that loads come first (by buffer), then arithmetic, inner loops, what depends on
 *     them, stores, and last the PHIs (and AFTERs, which end the loops that fill a tile). "First" and "by order" are always the
 *     depth-first order of the graph from its root in
 *     source order, so the result is a function of the graph's structure alone, never of the history of ids. Where that order meets
 *     accumulators in another order than that of their numbers, as sums by halves do, it begins with these, so that lanes come one
 *     after the other.
 *
 * Steps 1 and 2 are in linearize-nesting.c.
 *
 * One exception to "each node after its sources": a DEFINE_ACC names its loops but comes before them.
 */
#include "linearize-private.h"
#include "ir/number.h"
#include <string.h>

/* --- blocks --- */

static guint
block_of_set (Lin *l, guint set)
{
  guint r = ls_lin_innermost (l, set);
  return r == NOWHERE ? ROOT : r + 1;
}

/* The loop directly inside of block outer that holds block inner, or NOWHERE when inner is not inside. */
static guint
loop_towards (Lin *l, guint outer, guint inner)
{
  while (inner != ROOT) {
    guint parent = range_at (l, inner - 1)->parent;
    if (parent == outer)
      return inner - 1;
    inner = parent;
  }
  return NOWHERE;
}

static gboolean
is_definition (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_VAR || u->op == LS_OP_DEFINE_LOCAL || u->op == LS_OP_SPECIAL ||
         (u->op == LS_OP_CONST && u->n_src == 0);
}

/* Accumulators of loops come before their loop, whichever node reads them. */
static gboolean
is_loop_acc (Lin *l, const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_ACC && ls_lin_named (l, u, 1) != 0;
}

/* Items are positions of nodes, or loops as ~range. */
static void
need (Lin *l, guint range, guint item)
{
  GArray *needs = range_at (l, range)->needs;
  if (!needs->len || g_array_index (needs, guint, needs->len - 1) != item)
    g_array_append_val (needs, item);
}

/* Says of each source that is not an item of the user's own block which loop waits for it. */
static gboolean
place_source (Lin *l, guint user, guint block, guint source)
{
  const Node *s = &l->nodes[source];
  if (s->state == 2 || s->home == block)
    return TRUE;
  guint loop = loop_towards (l, s->home, block);
  if (loop == NOWHERE)
    return ls_lin_fail (l, "is needed outside of its loop", node_at (l, source));
  guint item = source;
  if (ends_loops (node_at (l, source)) && s->block != s->home) {
    guint from = loop_towards (l, s->home, s->block);
    if (from == loop)
      return ls_lin_fail (l, "uses the result of a reduce inside of its own loop", node_at (l, user));
    item = ~from;
  } else if (node_at (l, source)->op == LS_OP_RANGE)
    return TRUE;
  need (l, loop, item);
  return TRUE;
}

static void
range_init (Range *r, LsUOp *node)
{
  memset (r, 0, sizeof *r);
  r->node = node;
  r->needs = g_array_new (FALSE, FALSE, sizeof (guint));
  r->items = g_array_new (FALSE, FALSE, sizeof (guint));
  r->loops = g_array_new (FALSE, FALSE, sizeof (guint));
  r->accs = g_array_new (FALSE, FALSE, sizeof (guint));
  r->phis = g_array_new (FALSE, FALSE, sizeof (guint));
}

static void
range_clear (gpointer data)
{
  Range *r = data;
  g_free (r->outer);
  GArray *arrays[] = { r->needs, r->items, r->loops, r->accs, r->phis };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
}

/* Finds the position of each node, and the nodes that each loop waits for. */
static gboolean
place_nodes (Lin *l)
{
  for (guint i = 0; i < l->topo->len; i++) {
    LsUOp *u = node_at (l, i);
    Node *node = &l->nodes[i];
    if (is_definition (u) || u->op == LS_OP_SINK) {
      node->state = 2;
      continue;
    }
    node->block = node->home = block_of_set (l, node->set);
    if (u->op == LS_OP_RANGE) {
      guint r = (guint) ls_lin_range (l, u);
      node->home = r + 1;
      node->block = range_at (l, r)->parent;
      g_array_append_val (block_at (l, node->block)->loops, r);
      for (guint s = 0; s < u->n_src; s++)
        if (l->nodes[ls_lin_position (l, u->src[s])].state != 2 && !place_source (l, i, r + 1, ls_lin_position (l, u->src[s])))
          return FALSE;
      continue;
    }
    if (u->op == LS_OP_DEFINE_ACC) {
      guint first = ls_lin_outermost (l, ls_lin_named (l, u, 1));
      if (first == NOWHERE)
        g_array_append_val (block_at (l, node->block)->items, i);
      else {
        node->home = block_of_set (l, node->outside);
        node->block = range_at (l, first)->parent;
        g_array_append_val (range_at (l, first)->accs, i);
        if (u->n_src && l->nodes[ls_lin_position (l, u->src[0])].state != 2 && !place_source (l, i, first + 1,
                                                                                              ls_lin_position (l, u->src[0])))
          return FALSE;
        continue;
      }
    } else if (ends_loops (u) && ls_lin_named (l, u, n_values (u)) != 0) {
      guint own = ls_lin_named (l, u, n_values (u));
      guint last = ls_lin_innermost (l, own);
      if (node->block != last + 1)
        return ls_lin_fail (l, "accumulates inside of a loop that it does not name", u);
      node->home = range_at (l, ls_lin_outermost (l, own))->parent;
      g_array_append_val (range_at (l, last)->phis, i);
    } else
      g_array_append_val (block_at (l, node->block)->items, i);
    for (guint s = 0; s < u->n_src; s++)
      if (!is_loop_acc (l, u->src[s]) && !place_source (l, i, node->block, ls_lin_position (l, u->src[s])))
        return FALSE;
  }
  return TRUE;
}

/* --- emission --- */

static void
emit (Lin *l, guint i)
{
  g_ptr_array_add (l->out, node_at (l, i));
  l->nodes[i].state = 2;
}

static guint8 *
item_state (Lin *l, guint item)
{
  return (int) item < 0 ? &range_at (l, ~item)->state : &l->nodes[item].state;
}

static gboolean emit_loop (Lin *l, guint range);

/* No item: ~0 is the first loop, so it cannot be used for this. */
#define NO_ITEM 0x7fffffffu

/* The k-th item of the same block that an item waits for; FALSE if there are no more. NO_ITEM: none of this block. */
static gboolean
item_need (Lin *l, guint item, guint k, guint *out)
{
  *out = NO_ITEM;
  if ((int) item < 0) {
    const GArray *needs = range_at (l, ~item)->needs;
    if (k >= needs->len)
      return FALSE;
    *out = g_array_index (needs, guint, k);
    return TRUE;
  }
  const LsUOp *u = node_at (l, item);
  if (k >= u->n_src)
    return FALSE;
  guint source = ls_lin_position (l, u->src[k]);
  const Node *s = &l->nodes[source];
  if (s->state == 2 || u->src[k]->op == LS_OP_RANGE)
    return TRUE;
  if (ends_loops (u->src[k]) && s->home == l->nodes[item].block && s->block != s->home) {
    guint from = loop_towards (l, s->home, s->block);
    if (range_at (l, from)->state != 2)
      *out = ~from;
  } else if (s->home == l->nodes[item].block)
    *out = source;
  return TRUE;
}

/* Emits an item after the items that it waits for. */
static gboolean
emit_item (Lin *l, guint item)
{
  if (*item_state (l, item) == 2)
    return TRUE;
  GArray *stack = l->stack;      /* shared with the emission this one is nested in */
  guint base = stack->len;
  Frame first = { item, 0 };
  *item_state (l, item) = 1;
  g_array_append_val (stack, first);
  while (stack->len > base) {
    Frame *frame = &g_array_index (stack, Frame, stack->len - 1);
    guint wanted;
    if (item_need (l, frame->item, frame->next, &wanted)) {
      frame->next++;
      if (wanted == NO_ITEM || *item_state (l, wanted) == 2)
        continue;
      if (*item_state (l, wanted) == 1)
        return ls_lin_fail (l, "uses the result of a reduce whose loop it is needed in",
                            (int) frame->item < 0 ? range_at (l, ~frame->item)->node : node_at (l, frame->item));
      Frame next = { wanted, 0 };
      *item_state (l, wanted) = 1;
      g_array_append_val (stack, next);
      continue;
    }
    guint done = frame->item;
    g_array_set_size (stack, stack->len - 1);
    if ((int) done >= 0)
      emit (l, done);
    else if (!emit_loop (l, ~done))
      return FALSE;
  }
  return TRUE;
}

static gint64
buffer_rank (LsUOp *load)
{
  LsUOp *u = load;
  while (u->n_src && u->op != LS_OP_DEFINE_GLOBAL && u->op != LS_OP_DEFINE_LOCAL)
    u = u->src[0];
  gint64 number = u->arg.kind == LS_ARG_INT ? u->arg.i : 0;
  return u->op == LS_OP_DEFINE_GLOBAL ? number : G_MAXINT32 + number;
}

static int
compare_loads (gconstpointer a, gconstpointer b, gpointer data)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  gint64 i = buffer_rank (node_at (data, x)), k = buffer_rank (node_at (data, y));
  return i != k ? (i < k ? -1 : 1) : x < y ? -1 : x > y;
}

/* An item is late when it waits, directly or not, for a loop inside of its block. Items come in depth-first order. */
static void
find_late (Lin *l, const Range *block)
{
  for (guint i = 0; i < block->items->len; i++) {
    guint item = g_array_index (block->items, guint, i), wanted;
    for (guint k = 0; item_need (l, item, k, &wanted); k++)
      if (wanted != NO_ITEM && ((int) wanted < 0 || l->nodes[wanted].late))
        l->nodes[item].late = TRUE;
  }
}

static gboolean
emit_block (Lin *l, const Range *block)
{
  g_autoptr (GArray) loads = g_array_new (FALSE, FALSE, sizeof (guint));
  find_late (l, block);
  for (guint i = 0; i < block->items->len; i++) {
    guint item = g_array_index (block->items, guint, i);
    if (node_at (l, item)->op == LS_OP_LOAD)
      g_array_append_val (loads, item);
  }
  g_qsort_with_data (loads->data, (int) loads->len, sizeof (guint), compare_loads, l);

  for (guint late = 0; late < 2; late++) {
    for (guint i = 0; i < loads->len; i++) {
      guint item = g_array_index (loads, guint, i);
      if (l->nodes[item].late == late && !emit_item (l, item))
        return FALSE;
    }
    for (guint i = 0; i < block->items->len; i++) {
      guint item = g_array_index (block->items, guint, i);
      if (l->nodes[item].late == late && node_at (l, item)->op != LS_OP_STORE && !emit_item (l, item))
        return FALSE;
    }
    for (guint i = 0; late == 0 && i < block->loops->len; i++)
      if (!emit_item (l, ~g_array_index (block->loops, guint, i)))
        return FALSE;
  }
  for (guint i = 0; i < block->items->len; i++)
    if (!emit_item (l, g_array_index (block->items, guint, i)))
      return FALSE;
  for (guint i = 0; i < block->phis->len; i++)
    emit (l, g_array_index (block->phis, guint, i));
  return TRUE;
}

static gboolean
emit_loop (Lin *l, guint number)
{
  const Range *range = range_at (l, number);
  for (guint i = 0; i < range->accs->len; i++)
    emit (l, g_array_index (range->accs, guint, i));
  emit (l, ls_lin_position (l, range->node));
  if (!emit_block (l, range))
    return FALSE;
  LsUOp *start = range->node;
  g_ptr_array_add (l->out, ls_uop_new1 (l->ctx, LS_OP_ENDRANGE, LS_VOID, start, ls_arg_none ()));
  range_at (l, number)->state = 2;
  return TRUE;
}

/* --- definitions --- */

static int
compare_definitions (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  if (x->op != y->op)
    return x->op == LS_OP_DEFINE_GLOBAL ? -1 : 1;
  gint64 i = x->arg.kind == LS_ARG_INT ? x->arg.i : 0, k = y->arg.kind == LS_ARG_INT ? y->arg.i : 0;
  return i < k ? -1 : i > k;
}

static int
compare_variables (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  return x->arg.var->position < y->arg.var->position ? -1 : x->arg.var->position > y->arg.var->position;
}

static int
compare_specials (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  const char *i = x->arg.kind == LS_ARG_STR ? x->arg.str : "", *k = y->arg.kind == LS_ARG_STR ? y->arg.str : "";
  gsize prefix;
  guint64 m = ls_number_of_name (i, &prefix), n = ls_number_of_name (k, NULL);
  int order = strncmp (i, k, prefix);
  if (order)
    return order;
  return m < n ? -1 : m > n;
}

static void
append_kind (Lin *l, GCompareDataFunc compare, LsOp a, LsOp b)
{
  guint start = l->out->len;
  for (guint i = 0; i < l->topo->len; i++)
    if (node_at (l, i)->op == a || node_at (l, i)->op == b)
      g_ptr_array_add (l->out, node_at (l, i));
  if (l->out->len > start)
    g_qsort_with_data (l->out->pdata + start, (int) (l->out->len - start), sizeof (gpointer), compare, NULL);
}

/* Constants in depth-first order, a loop being one from 0: the 0, where the graph has one, comes before the loop's size. */
static void
append_constants (Lin *l)
{
  LsNodeMap *done = ls_node_map_acquire (l->ctx);
  g_autoptr (GHashTable) zeros = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) bounds = g_hash_table_new (NULL, NULL);      /* size constants -> first range */
  for (guint i = 0; i < l->topo->len; i++) {
    LsUOp *u = node_at (l, i);
    if (u->op == LS_OP_CONST && u->n_src == 0 && u->arg.kind == LS_ARG_INT && u->arg.i == 0)
      g_hash_table_insert (zeros, g_memdup2 (&u->dtype, sizeof u->dtype), u);
    if (u->op == LS_OP_RANGE && u->n_src && u->src[0]->op == LS_OP_CONST && !g_hash_table_contains (bounds, u->src[0]))
      g_hash_table_insert (bounds, u->src[0], u);
  }
  for (guint i = 0; i < l->topo->len; i++) {
    LsUOp *u = node_at (l, i);
    if (u->op != LS_OP_CONST || u->n_src)
      continue;
    LsUOp *range = g_hash_table_lookup (bounds, u);
    LsUOp *zero = range ? g_hash_table_lookup (zeros, &range->dtype) : NULL;
    if (zero && !ls_node_map_has (done, zero)) {
      ls_node_map_set (done, zero, 1);
      g_ptr_array_add (l->out, zero);
    }
    if (ls_node_map_has (done, u))
      continue;
    ls_node_map_set (done, u, 1);
    g_ptr_array_add (l->out, u);
  }
  ls_node_map_release (l->ctx, done);
}

static void
append_definitions (Lin *l)
{
  append_kind (l, compare_definitions, LS_OP_DEFINE_GLOBAL, LS_OP_DEFINE_LOCAL);
  append_kind (l, compare_variables, LS_OP_DEFINE_VAR, LS_OP_DEFINE_VAR);
  append_constants (l);
  append_kind (l, compare_specials, LS_OP_SPECIAL, LS_OP_SPECIAL);
}

static int
compare_phis (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  return x->src[0]->arg.i < y->src[0]->arg.i ? -1 : x->src[0]->arg.i > y->src[0]->arg.i;
}

/* Depth-first, from accumulators in the order of their numbers where they are out of it. */
static GPtrArray *
depth_first (LsContext *ctx, LsUOp *sink, GPtrArray *order)
{
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  gboolean ascending = TRUE;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i], *last = roots->len ? roots->pdata[roots->len - 1] : NULL;
    if (u->op != LS_OP_PHI || u->n_src == 0 || u->src[0]->op != LS_OP_DEFINE_ACC || u->src[0]->arg.kind != LS_ARG_INT)
      continue;
    ascending &= !last || last->src[0]->arg.i <= u->src[0]->arg.i;
    g_ptr_array_add (roots, u);
  }
  if (ascending)
    return order;
  g_ptr_array_unref (order);
  g_ptr_array_sort (roots, compare_phis);
  g_ptr_array_add (roots, sink);
  return ls_uop_toposort_many (ctx, (LsUOp *const *) roots->pdata, roots->len);
}

/* Graphs with registers do; those with accumulators do not; of others the profile says it. */
static gboolean
goes_by_blocks (const GPtrArray *order, const LsSettings *settings)
{
  for (guint i = 0; i < order->len; i++) {
    LsOp op = ((LsUOp *) order->pdata[i])->op;
    if (op == LS_OP_DEFINE_REG || op == LS_OP_DEFINE_ACC)
      return op == LS_OP_DEFINE_REG;
  }
  return ls_settings_profile_info (settings)->blocks;
}

/**
 * ls_linearize:
 * @ctx: where the ENDRANGE nodes are made
 * @sink: the kernel, a SINK of STOREs in the form linearize.h states
 * @settings: the profile says which order it is
 * @error: (nullable): LS_ERROR_SPEC when loops cannot nest
 *
 * Returns: (transfer full) (nullable): the nodes in order, @sink last
 */
GPtrArray *
ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error)
{
  GPtrArray *order = ls_uop_toposort (ctx, sink);
  if (goes_by_blocks (order, settings))
    return ls_linearize_blocks (ctx, order, error);
  Lin l = { .ctx = ctx, .error = error };
  l.topo = depth_first (ctx, sink, order);
  l.position = ls_node_map_acquire (ctx);
  l.nodes = g_new0 (Node, l.topo->len);
  l.ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  g_array_set_clear_func (l.ranges, range_clear);
  ls_lin_sets_init (&l);
  l.stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  l.out = g_ptr_array_sized_new (l.topo->len + 8);
  range_init (&l.root, NULL);
  for (guint i = 0; i < l.topo->len; i++) {
    ls_node_map_set (l.position, node_at (&l, i), i);
    if (node_at (&l, i)->op != LS_OP_RANGE)
      continue;
    Range range;
    range_init (&range, node_at (&l, i));
    g_array_append_val (l.ranges, range);
  }

  gboolean ok = ls_lin_settle (&l) && place_nodes (&l);
  if (ok) {
    append_definitions (&l);
    ok = emit_block (&l, &l.root);
    if (sink->op == LS_OP_SINK)
      g_ptr_array_add (l.out, sink);
  }
  range_clear (&l.root);
  g_array_unref (l.stack);
  g_array_unref (l.ranges);
  ls_lin_sets_clear (&l);
  g_free (l.nodes);
  ls_node_map_release (ctx, l.position);
  g_ptr_array_unref (l.topo);
  if (ok)
    return l.out;
  g_ptr_array_unref (l.out);
  return NULL;
}
