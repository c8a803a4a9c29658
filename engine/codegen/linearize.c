/* The order of instructions.
 *
 * Three steps, none of which recurses on the depth of the graph (only on the nesting of loops, which is limited):
 *
 *  1. sets: for each node the set of ranges it is computed in. A PHI leaves its ranges; a DEFINE_ACC counts, for who reads it,
 *     as inside of them. Sets are interned, so a step is a lookup.
 *  2. nesting: an order of the ranges in which what encloses comes first (a range that a PHI's value depends on encloses the
 *     PHI's own ranges; then output axes before reduce axes, then axis number), and for each range those that enclose it:
 *     every earlier range that shares a node with it. A PHI whose loop ended up deeper than its value asks for makes its users
 *     go there too, so steps 1 and 2 repeat until nothing moves (mostly once).
 *  3. emission: each loop is a block. A block's items are its own nodes and its inner loops; an item is emitted after what it
 *     depends on, and apart from that loads come first (by buffer), then arithmetic, inner loops, what depends on
 *     them, stores, and last the PHIs. "First" and "by order" are always the depth-first order of the graph from its root in
 *     source order, so the result is a function of the graph's structure alone, never of the history of ids.
 *
 * One exception to "each node after its sources": a DEFINE_ACC names its loops but stands before them.
 */
#include "linearize.h"
#include <string.h>
#include "ir/print.h"

#define MAX_NESTING 200      /* compilers refuse deeper text */
#define MAX_LOOPS 512        /* nesting is worked out in cubic time */
#define ROOT 0               /* block of what is in no loop; range r is block r + 1 */
#define NOWHERE G_MAXUINT

typedef struct {
  LsUOp  *node;
  guint   before;        /* place in the order of nesting */
  guint   parent;        /* block around the loop */
  guint   depth;
  guint  *outer;         /* ranges that enclose it, ascending in before; n_outer of them */
  guint   n_outer;
  GArray *needs;         /* items that must be there before the loop */
  GArray *items;         /* positions of the block's own nodes, in depth-first order */
  GArray *loops;         /* ranges directly inside, in order of first appearance */
  GArray *accs, *phis;   /* accumulators defined before this loop, PHIs at its end */
  guint8  state;         /* of the loop as an item */
  guint8  late;
} Range;

typedef struct { guint n; guint *ranges; } Set;      /* ascending in range number */

typedef struct {
  guint   set;         /* ranges the node is computed in */
  guint   outside;     /* set its users inherit */
  guint   block;       /* where it stands */
  guint   home;        /* block where its value is known: block, but for a PHI the block around its loops */
  guint8  state;       /* 0, 1 entered, 2 emitted */
  guint8  late;        /* depends on an inner loop of its block */
} Node;

typedef struct { guint item, next; } Frame;      /* an item being emitted, and which of its needs is next */

typedef struct {
  LsContext  *ctx;
  GPtrArray  *topo;
  LsNodeMap  *position;
  Node       *nodes;
  GArray     *ranges;       /* Range; number 0 is block 1 */
  Range       root;         /* the block outside of all loops */
  GPtrArray  *sets;         /* Set */
  GHashTable *set_index, *unions;
  GArray     *stack;        /* Frame */
  GPtrArray  *out;
  GError    **error;
} Lin;

static Range *range_at (Lin *l, guint r)     { return &g_array_index (l->ranges, Range, r); }
static Range *block_at (Lin *l, guint block) { return block == ROOT ? &l->root : range_at (l, block - 1); }
static LsUOp *node_at  (Lin *l, guint i)     { return l->topo->pdata[i]; }

static guint
position_of (Lin *l, const LsUOp *u)
{
  guint64 value = 0;
  gboolean found = ls_node_map_get (l->position, u, &value);
  g_assert (found);
  return (guint) value;
}

static gboolean
fail (Lin *l, const char *why, LsUOp *u)
{
  g_autofree char *summary = ls_uop_summary (u);
  g_set_error (l->error, LS_ERROR, LS_ERROR_SPEC, "linearize: node %u (%s) %s", u->id, summary, why);
  return FALSE;
}

/* --- sets --- */

static guint
set_hash (gconstpointer data)
{
  const Set *s = data;
  guint h = s->n;
  for (guint i = 0; i < s->n; i++) h = h * 31 + s->ranges[i];
  return h;
}

static gboolean
set_equal (gconstpointer a, gconstpointer b)
{
  const Set *x = a, *y = b;
  return x->n == y->n && (!x->n || memcmp (x->ranges, y->ranges, x->n * sizeof (guint)) == 0);
}

static void
set_free (gpointer data)
{
  g_free (((Set *) data)->ranges);
  g_free (data);
}

static const Set *set_at (Lin *l, guint i) { return l->sets->pdata[i]; }

static guint
set_intern (Lin *l, guint n, const guint *ranges)
{
  Set key = { n, (guint *) ranges };
  gpointer found;
  if (g_hash_table_lookup_extended (l->set_index, &key, NULL, &found)) return GPOINTER_TO_UINT (found);
  Set *set = g_new (Set, 1);
  set->n = n;
  set->ranges = g_memdup2 (ranges, n * sizeof (guint));
  g_ptr_array_add (l->sets, set);
  g_hash_table_insert (l->set_index, set, GUINT_TO_POINTER (l->sets->len - 1));
  return l->sets->len - 1;
}

static gboolean
set_has (const Set *s, guint range)
{
  guint low = 0, high = s->n;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (s->ranges[middle] == range) return TRUE;
      if (s->ranges[middle] < range) low = middle + 1;
      else high = middle;
    }
  return FALSE;
}

static guint
set_union (Lin *l, guint a, guint b)
{
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  guint64 key = a < b ? (guint64) a << 32 | b : (guint64) b << 32 | a;
  gpointer found = g_hash_table_lookup (l->unions, &key);
  if (found) return GPOINTER_TO_UINT (found) - 1;
  const Set *x = set_at (l, a), *y = set_at (l, b);
  g_autofree guint *merged = g_new (guint, x->n + y->n);
  guint n = 0, i = 0, k = 0;
  while (i < x->n || k < y->n)
    {
      guint next = k == y->n || (i < x->n && x->ranges[i] <= y->ranges[k]) ? x->ranges[i] : y->ranges[k];
      if (i < x->n && x->ranges[i] == next) i++;
      if (k < y->n && y->ranges[k] == next) k++;
      merged[n++] = next;
    }
  guint result = set_intern (l, n, merged);
  g_hash_table_insert (l->unions, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (result + 1));
  return result;
}

static guint
set_minus (Lin *l, guint a, guint b)
{
  const Set *x = set_at (l, a), *y = set_at (l, b);
  g_autofree guint *left = g_new (guint, x->n + 1);
  guint n = 0;
  for (guint i = 0; i < x->n; i++)
    if (!set_has (y, x->ranges[i])) left[n++] = x->ranges[i];
  return set_intern (l, n, left);
}

static int
range_number (Lin *l, const LsUOp *range)
{
  for (guint r = 0; r < l->ranges->len; r++)
    if (range_at (l, r)->node == range) return (int) r;
  return -1;
}

/* The ranges that a DEFINE_ACC or PHI names from its source first on. */
static guint
named_ranges (Lin *l, const LsUOp *u, guint first)
{
  guint set = 0;
  for (guint s = first; s < u->n_src; s++)
    {
      int r = u->src[s]->op == LS_OP_RANGE ? range_number (l, u->src[s]) : -1;
      guint number = (guint) r;
      if (r >= 0) set = set_union (l, set, set_intern (l, 1, &number));
    }
  return set;
}

static guint
outermost (Lin *l, guint set)
{
  const Set *s = set_at (l, set);
  guint best = s->n ? s->ranges[0] : NOWHERE;
  for (guint i = 1; i < s->n; i++)
    if (range_at (l, s->ranges[i])->before < range_at (l, best)->before) best = s->ranges[i];
  return best;
}

static guint
innermost (Lin *l, guint set)
{
  const Set *s = set_at (l, set);
  guint best = s->n ? s->ranges[0] : NOWHERE;
  for (guint i = 1; i < s->n; i++)
    if (range_at (l, s->ranges[i])->before > range_at (l, best)->before) best = s->ranges[i];
  return best;
}

/* Step 1. nested: whether step 2 has said what encloses each range. */
static void
compute_sets (Lin *l, gboolean nested)
{
  for (guint i = 0; i < l->topo->len; i++)
    {
      LsUOp *u = node_at (l, i);
      Node *node = &l->nodes[i];
      guint set = 0;
      guint n_values = u->op == LS_OP_DEFINE_ACC ? MIN (u->n_src, 1) : u->op == LS_OP_PHI ? MIN (u->n_src, 2) : u->n_src;
      if (u->op == LS_OP_SINK) n_values = 0;
      for (guint s = 0; s < n_values; s++) set = set_union (l, set, l->nodes[position_of (l, u->src[s])].outside);
      node->set = node->outside = set;
      if (u->op == LS_OP_RANGE)
        {
          guint number = (guint) range_number (l, u);
          node->outside = set_union (l, set, set_intern (l, 1, &number));
        }
      else if (u->op == LS_OP_DEFINE_ACC)
        node->outside = set_union (l, set, named_ranges (l, u, 1));
      else if (u->op == LS_OP_PHI)
        {
          guint own = named_ranges (l, u, 2);
          node->set = set_union (l, set, own);
          node->outside = set_minus (l, set, own);
          guint first = nested ? outermost (l, own) : NOWHERE;
          if (first != NOWHERE)
            {
              const Range *range = range_at (l, first);
              for (guint k = 0; k < range->n_outer; k++)
                node->outside = set_union (l, node->outside, set_intern (l, 1, &range->outer[k]));
            }
        }
    }
}

/* --- nesting --- */

static int
range_class (const LsUOp *u)
{
  gint64 type = u->arg.kind == LS_ARG_INTS && u->arg.n > 1 ? u->arg.ints[1] : LS_AXIS_LOOP;
  return type == LS_AXIS_REDUCE || type == LS_AXIS_UNROLL;
}

static gboolean
range_earlier (Lin *l, guint a, guint b)
{
  const LsUOp *x = range_at (l, a)->node, *y = range_at (l, b)->node;
  if (range_class (x) != range_class (y)) return range_class (x) < range_class (y);
  gint64 i = x->arg.kind == LS_ARG_INTS && x->arg.n ? x->arg.ints[0] : 0, k = y->arg.kind == LS_ARG_INTS && y->arg.n ? y->arg.ints[0] : 0;
  return i != k ? i < k : a < b;
}

/* Fills must[r]: the ranges that have to enclose r because a value accumulated over r, or r's size, depends on them. */
static guint *
required_outer (Lin *l)
{
  guint *must = g_new0 (guint, l->ranges->len);
  for (guint i = 0; i < l->topo->len; i++)
    {
      LsUOp *u = node_at (l, i);
      if (u->op == LS_OP_RANGE)
        {
          guint r = (guint) range_number (l, u);
          must[r] = set_union (l, must[r], l->nodes[i].set);
        }
      else if (u->op == LS_OP_PHI)
        {
          const Set *own = set_at (l, named_ranges (l, u, 2));
          for (guint k = 0; k < own->n; k++) must[own->ranges[k]] = set_union (l, must[own->ranges[k]], l->nodes[i].outside);
        }
    }
  return must;
}

static gboolean
order_ranges (Lin *l)
{
  guint n = l->ranges->len;
  g_autofree guint *must = required_outer (l);
  g_autofree gboolean *done = g_new0 (gboolean, n);
  for (guint place = 0; place < n; place++)
    {
      guint best = NOWHERE;
      for (guint r = 0; r < n; r++)
        {
          gboolean ready = !done[r];
          const Set *before = set_at (l, must[r]);
          for (guint k = 0; k < before->n && ready; k++) ready = done[before->ranges[k]];
          if (ready && (best == NOWHERE || range_earlier (l, r, best))) best = r;
        }
      if (best == NOWHERE)
        {
          for (best = 0; done[best]; ) best++;
          return fail (l, "cannot nest: loops depend on each other in a circle", range_at (l, best)->node);
        }
      done[best] = TRUE;
      range_at (l, best)->before = place;
    }
  return TRUE;
}

static int
compare_before (gconstpointer a, gconstpointer b, gpointer data)
{
  guint x = range_at (data, *(const guint *) a)->before, y = range_at (data, *(const guint *) b)->before;
  return x < y ? -1 : x > y;
}

/* Step 2. */
static gboolean
compute_nesting (Lin *l)
{
  guint n = l->ranges->len;
  if (!order_ranges (l)) return FALSE;
  g_autofree gboolean *encloses = g_new0 (gboolean, (gsize) n * n);      /* [inner * n + outer] */
  g_autofree gboolean *seen = g_new0 (gboolean, l->sets->len);
  for (guint i = 0; i < l->topo->len; i++)
    {
      guint sets[] = { l->nodes[i].set, l->nodes[i].outside };
      for (guint w = 0; w < 2; w++)
        {
          const Set *s = set_at (l, sets[w]);
          if (seen[sets[w]]) continue;
          seen[sets[w]] = TRUE;
          for (guint x = 0; x < s->n; x++)
            for (guint y = 0; y < s->n; y++)
              if (range_at (l, s->ranges[y])->before < range_at (l, s->ranges[x])->before) encloses[s->ranges[x] * n + s->ranges[y]] = TRUE;
        }
    }
  for (gboolean changed = TRUE; changed; )      /* what encloses a loop is a chain, closed upwards */
    {
      changed = FALSE;
      for (guint x = 0; x < n; x++)
        for (guint y = 0; y < n; y++)
          for (guint z = 0; encloses[x * n + y] && z < n; z++)
            {
              if (encloses[y * n + z] && !encloses[x * n + z]) changed = encloses[x * n + z] = TRUE;
              if (encloses[x * n + z] && range_at (l, z)->before < range_at (l, y)->before && !encloses[y * n + z])
                changed = encloses[y * n + z] = TRUE;
            }
    }
  for (guint x = 0; x < n; x++)
    {
      Range *r = range_at (l, x);
      g_clear_pointer (&r->outer, g_free);
      r->outer = g_new (guint, n + 1);
      r->n_outer = 0;
      for (guint y = 0; y < n; y++)
        if (encloses[x * n + y]) r->outer[r->n_outer++] = y;
      g_qsort_with_data (r->outer, (int) r->n_outer, sizeof (guint), compare_before, l);
      r->depth = r->n_outer + 1;
      r->parent = r->n_outer ? r->outer[r->n_outer - 1] + 1 : ROOT;
      if (r->depth > MAX_NESTING) return fail (l, "is nested too deep", r->node);
    }
  return TRUE;
}

static gboolean
settle (Lin *l)
{
  g_autofree guint *last = g_new (guint, l->topo->len);
  if (l->ranges->len > MAX_LOOPS) return fail (l, "is one loop too many", range_at (l, MAX_LOOPS)->node);
  compute_sets (l, FALSE);
  for (guint round = 0; round < l->ranges->len + 2; round++)
    {
      gboolean same = TRUE;
      if (!compute_nesting (l)) return FALSE;
      for (guint i = 0; i < l->topo->len; i++) last[i] = l->nodes[i].outside;
      compute_sets (l, TRUE);
      for (guint i = 0; i < l->topo->len && same; i++) same = last[i] == l->nodes[i].outside;
      if (same) return TRUE;
    }
  return fail (l, "cannot nest with the other loops", range_at (l, 0)->node);
}

/* --- blocks --- */

static guint
block_of_set (Lin *l, guint set)
{
  guint r = innermost (l, set);
  return r == NOWHERE ? ROOT : r + 1;
}

/* The loop directly inside of block outer that holds block inner, or NOWHERE when inner is not inside. */
static guint
loop_towards (Lin *l, guint outer, guint inner)
{
  while (inner != ROOT)
    {
      guint parent = range_at (l, inner - 1)->parent;
      if (parent == outer) return inner - 1;
      inner = parent;
    }
  return NOWHERE;
}

static gboolean
is_definition (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_LOCAL || u->op == LS_OP_SPECIAL || (u->op == LS_OP_CONST && u->n_src == 0);
}

/* Accumulators of loops stand before their loop whoever reads them. */
static gboolean
is_loop_acc (Lin *l, const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_ACC && named_ranges (l, u, 1) != 0;
}

/* Items are positions of nodes, or loops as ~range. */
static void
need (Lin *l, guint range, guint item)
{
  GArray *needs = range_at (l, range)->needs;
  if (!needs->len || g_array_index (needs, guint, needs->len - 1) != item) g_array_append_val (needs, item);
}

/* Says of each source that is no item of the user's own block which loop waits for it. */
static gboolean
place_source (Lin *l, guint user, guint block, guint source)
{
  const Node *s = &l->nodes[source];
  if (s->state == 2 || s->home == block) return TRUE;
  guint loop = loop_towards (l, s->home, block);
  if (loop == NOWHERE) return fail (l, "is needed outside of its loop", node_at (l, source));
  guint item = source;
  if (node_at (l, source)->op == LS_OP_PHI)
    {
      guint from = loop_towards (l, s->home, s->block);
      if (from == loop) return fail (l, "uses the result of a reduce inside of its own loop", node_at (l, user));
      item = ~from;
    }
  else if (node_at (l, source)->op == LS_OP_RANGE) return TRUE;
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
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++) g_array_unref (arrays[i]);
}

/* Where each node stands, and what each loop waits for. */
static gboolean
place_nodes (Lin *l)
{
  for (guint i = 0; i < l->topo->len; i++)
    {
      LsUOp *u = node_at (l, i);
      Node *node = &l->nodes[i];
      if (is_definition (u) || u->op == LS_OP_SINK)
        {
          node->state = 2;
          continue;
        }
      node->block = node->home = block_of_set (l, node->set);
      if (u->op == LS_OP_RANGE)
        {
          guint r = (guint) range_number (l, u);
          node->home = r + 1;
          node->block = range_at (l, r)->parent;
          g_array_append_val (block_at (l, node->block)->loops, r);
          for (guint s = 0; s < u->n_src; s++)
            if (l->nodes[position_of (l, u->src[s])].state != 2 && !place_source (l, i, r + 1, position_of (l, u->src[s]))) return FALSE;
          continue;
        }
      if (u->op == LS_OP_DEFINE_ACC)
        {
          guint first = outermost (l, named_ranges (l, u, 1));
          if (first == NOWHERE) g_array_append_val (block_at (l, node->block)->items, i);
          else
            {
              node->home = block_of_set (l, node->outside);
              node->block = range_at (l, first)->parent;
              g_array_append_val (range_at (l, first)->accs, i);
              if (u->n_src && l->nodes[position_of (l, u->src[0])].state != 2 && !place_source (l, i, first + 1, position_of (l, u->src[0]))) return FALSE;
              continue;
            }
        }
      else if (u->op == LS_OP_PHI && set_at (l, named_ranges (l, u, 2))->n)
        {
          guint own = named_ranges (l, u, 2);
          guint last = innermost (l, own);
          if (node->block != last + 1) return fail (l, "accumulates inside of a loop that it does not name", u);
          node->home = range_at (l, outermost (l, own))->parent;
          g_array_append_val (range_at (l, last)->phis, i);
        }
      else
        g_array_append_val (block_at (l, node->block)->items, i);
      for (guint s = 0; s < u->n_src; s++)
        if (!is_loop_acc (l, u->src[s]) && !place_source (l, i, node->block, position_of (l, u->src[s]))) return FALSE;
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

/* The k-th item of the same block that an item waits for; FALSE when there are no more. NOWHERE: none of this block. */
static gboolean
item_need (Lin *l, guint item, guint k, guint *out)
{
  *out = NOWHERE;
  if ((int) item < 0)
    {
      const GArray *needs = range_at (l, ~item)->needs;
      if (k >= needs->len) return FALSE;
      *out = g_array_index (needs, guint, k);
      return TRUE;
    }
  const LsUOp *u = node_at (l, item);
  if (k >= u->n_src) return FALSE;
  guint source = position_of (l, u->src[k]);
  const Node *s = &l->nodes[source];
  if (s->state == 2 || u->src[k]->op == LS_OP_RANGE) return TRUE;
  if (u->src[k]->op == LS_OP_PHI && s->home == l->nodes[item].block && s->block != s->home)
    {
      guint from = loop_towards (l, s->home, s->block);
      if (range_at (l, from)->state != 2) *out = ~from;
    }
  else if (s->home == l->nodes[item].block)
    *out = source;
  return TRUE;
}

/* Emits an item after what it waits for. */
static gboolean
emit_item (Lin *l, guint item)
{
  if (*item_state (l, item) == 2) return TRUE;
  GArray *stack = l->stack;      /* shared with the emission this one is nested in */
  guint base = stack->len;
  Frame first = { item, 0 };
  *item_state (l, item) = 1;
  g_array_append_val (stack, first);
  while (stack->len > base)
    {
      Frame *frame = &g_array_index (stack, Frame, stack->len - 1);
      guint wanted;
      if (item_need (l, frame->item, frame->next, &wanted))
        {
          frame->next++;
          if (wanted == NOWHERE || *item_state (l, wanted) == 2) continue;
          if (*item_state (l, wanted) == 1)
            return fail (l, "uses the result of a reduce whose loop it is needed in", (int) frame->item < 0 ? range_at (l, ~frame->item)->node : node_at (l, frame->item));
          Frame next = { wanted, 0 };
          *item_state (l, wanted) = 1;
          g_array_append_val (stack, next);
          continue;
        }
      guint done = frame->item;
      g_array_set_size (stack, stack->len - 1);
      if ((int) done >= 0) emit (l, done);
      else if (!emit_loop (l, ~done)) return FALSE;
    }
  return TRUE;
}

static gint64
buffer_rank (LsUOp *load)
{
  LsUOp *u = load;
  while (u->n_src && u->op != LS_OP_DEFINE_GLOBAL && u->op != LS_OP_DEFINE_LOCAL) u = u->src[0];
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
  for (guint i = 0; i < block->items->len; i++)
    {
      guint item = g_array_index (block->items, guint, i), wanted;
      for (guint k = 0; item_need (l, item, k, &wanted); k++)
        if (wanted != NOWHERE && ((int) wanted < 0 || l->nodes[wanted].late)) l->nodes[item].late = TRUE;
    }
}

static gboolean
emit_block (Lin *l, const Range *block)
{
  g_autoptr (GArray) loads = g_array_new (FALSE, FALSE, sizeof (guint));
  find_late (l, block);
  for (guint i = 0; i < block->items->len; i++)
    {
      guint item = g_array_index (block->items, guint, i);
      if (node_at (l, item)->op == LS_OP_LOAD) g_array_append_val (loads, item);
    }
  g_qsort_with_data (loads->data, (int) loads->len, sizeof (guint), compare_loads, l);

  for (guint late = 0; late < 2; late++)
    {
      for (guint i = 0; i < loads->len; i++)
        {
          guint item = g_array_index (loads, guint, i);
          if (l->nodes[item].late == late && !emit_item (l, item)) return FALSE;
        }
      for (guint i = 0; i < block->items->len; i++)
        {
          guint item = g_array_index (block->items, guint, i);
          if (l->nodes[item].late == late && node_at (l, item)->op != LS_OP_STORE && !emit_item (l, item)) return FALSE;
        }
      for (guint i = 0; late == 0 && i < block->loops->len; i++)
        if (!emit_item (l, ~g_array_index (block->loops, guint, i))) return FALSE;
    }
  for (guint i = 0; i < block->items->len; i++)
    if (!emit_item (l, g_array_index (block->items, guint, i))) return FALSE;
  for (guint i = 0; i < block->phis->len; i++) emit (l, g_array_index (block->phis, guint, i));
  return TRUE;
}

static gboolean
emit_loop (Lin *l, guint number)
{
  const Range *range = range_at (l, number);
  for (guint i = 0; i < range->accs->len; i++) emit (l, g_array_index (range->accs, guint, i));
  emit (l, position_of (l, range->node));
  if (!emit_block (l, range)) return FALSE;
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
  if (x->op != y->op) return x->op == LS_OP_DEFINE_GLOBAL ? -1 : 1;
  gint64 i = x->arg.kind == LS_ARG_INT ? x->arg.i : 0, k = y->arg.kind == LS_ARG_INT ? y->arg.i : 0;
  return i < k ? -1 : i > k;
}

static int
compare_specials (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  const char *i = x->arg.kind == LS_ARG_STR ? x->arg.str : "", *k = y->arg.kind == LS_ARG_STR ? y->arg.str : "";
  gsize prefix = strcspn (i, "0123456789");
  int order = strncmp (i, k, prefix);
  if (order) return order;
  guint64 m = g_ascii_strtoull (i + prefix, NULL, 10), n = g_ascii_strtoull (k + MIN (prefix, strlen (k)), NULL, 10);
  return m < n ? -1 : m > n;
}

static void
append_kind (Lin *l, GCompareDataFunc compare, LsOp a, LsOp b)
{
  guint start = l->out->len;
  for (guint i = 0; i < l->topo->len; i++)
    if (node_at (l, i)->op == a || node_at (l, i)->op == b) g_ptr_array_add (l->out, node_at (l, i));
  if (l->out->len > start) g_qsort_with_data (l->out->pdata + start, (int) (l->out->len - start), sizeof (gpointer), compare, NULL);
}

/* Constants in depth-first order, a loop being one from 0: the 0, where the graph has one, comes before the loop's size. */
static void
append_constants (Lin *l)
{
  LsNodeMap *done = ls_node_map_acquire (l->ctx);
  g_autoptr (GHashTable) zeros = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) bounds = g_hash_table_new (NULL, NULL);      /* size constants -> first range */
  for (guint i = 0; i < l->topo->len; i++)
    {
      LsUOp *u = node_at (l, i);
      if (u->op == LS_OP_CONST && u->n_src == 0 && u->arg.kind == LS_ARG_INT && u->arg.i == 0)
        g_hash_table_insert (zeros, g_memdup2 (&u->dtype, sizeof u->dtype), u);
      if (u->op == LS_OP_RANGE && u->n_src && u->src[0]->op == LS_OP_CONST && !g_hash_table_contains (bounds, u->src[0]))
        g_hash_table_insert (bounds, u->src[0], u);
    }
  for (guint i = 0; i < l->topo->len; i++)
    {
      LsUOp *u = node_at (l, i);
      if (u->op != LS_OP_CONST || u->n_src) continue;
      LsUOp *range = g_hash_table_lookup (bounds, u);
      LsUOp *zero = range ? g_hash_table_lookup (zeros, &range->dtype) : NULL;
      if (zero && !ls_node_map_has (done, zero))
        {
          ls_node_map_set (done, zero, 1);
          g_ptr_array_add (l->out, zero);
        }
      if (ls_node_map_has (done, u)) continue;
      ls_node_map_set (done, u, 1);
      g_ptr_array_add (l->out, u);
    }
  ls_node_map_release (l->ctx, done);
}

static void
append_definitions (Lin *l)
{
  append_kind (l, compare_definitions, LS_OP_DEFINE_GLOBAL, LS_OP_DEFINE_LOCAL);
  append_constants (l);
  append_kind (l, compare_specials, LS_OP_SPECIAL, LS_OP_SPECIAL);
}

/**
 * ls_linearize:
 * @ctx: where the ENDRANGE nodes are made
 * @sink: the kernel, a SINK of STOREs in the form linearize.h states
 * @settings: unused so far; part of every stage's signature
 * @error: (nullable): LS_ERROR_SPEC when loops cannot nest
 *
 * Returns: (transfer full) (nullable): the nodes in order, @sink last
 */
GPtrArray *
ls_linearize (LsContext *ctx, LsUOp *sink, const LsSettings *settings, GError **error)
{
  Lin l = { .ctx = ctx, .error = error };
  l.topo = ls_uop_toposort (ctx, sink);
  l.position = ls_node_map_acquire (ctx);
  l.nodes = g_new0 (Node, l.topo->len);
  l.ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  g_array_set_clear_func (l.ranges, range_clear);
  l.sets = g_ptr_array_new_with_free_func (set_free);
  l.set_index = g_hash_table_new (set_hash, set_equal);
  l.unions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  l.stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  l.out = g_ptr_array_sized_new (l.topo->len + 8);
  range_init (&l.root, NULL);
  set_intern (&l, 0, NULL);
  for (guint i = 0; i < l.topo->len; i++)
    {
      ls_node_map_set (l.position, node_at (&l, i), i);
      if (node_at (&l, i)->op != LS_OP_RANGE) continue;
      Range range;
      range_init (&range, node_at (&l, i));
      g_array_append_val (l.ranges, range);
    }

  gboolean ok = settle (&l) && place_nodes (&l);
  if (ok)
    {
      append_definitions (&l);
      ok = emit_block (&l, &l.root);
      if (sink->op == LS_OP_SINK) g_ptr_array_add (l.out, sink);
    }
  range_clear (&l.root);
  g_array_unref (l.stack);
  g_array_unref (l.ranges);
  g_hash_table_unref (l.unions);
  g_hash_table_unref (l.set_index);
  g_ptr_array_unref (l.sets);
  g_free (l.nodes);
  ls_node_map_release (ctx, l.position);
  g_ptr_array_unref (l.topo);
  if (ok) return l.out;
  g_ptr_array_unref (l.out);
  return NULL;
}
