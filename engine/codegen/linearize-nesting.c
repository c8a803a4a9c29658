/* Which loops each node is in, and how loops nest: steps 1 and 2 of linearize.c's head.
 *
 * Sets of ranges are interned and named by number, 0 being the empty one; unions are remembered, so that a node costs a
 * lookup per source. */
#include "linearize-private.h"

#include "ir/axis.h"
#include <string.h>
#include "ir/print.h"

#define MAX_NESTING 200      /* compilers refuse deeper text */
#define MAX_LOOPS   512      /* nesting is worked out in cubic time */

guint
ls_lin_position (Lin *l, const LsUOp *u)
{
  guint64 value = 0;
  gboolean found = ls_node_map_get (l->position, u, &value);
  g_assert (found);
  return (guint) value;
}

gboolean
ls_lin_fail (Lin *l, const char *why, LsUOp *u)
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
  for (guint i = 0; i < s->n; i++)
    h = h * 31 + s->ranges[i];
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

guint
ls_lin_set (Lin *l, guint n, const guint *ranges)
{
  Set key = { n, (guint *) ranges };
  gpointer found;
  if (g_hash_table_lookup_extended (l->set_index, &key, NULL, &found))
    return GPOINTER_TO_UINT (found);
  Set *set = g_new (Set, 1);
  set->n = n;
  set->ranges = g_memdup2 (ranges, n * sizeof (guint));
  g_ptr_array_add (l->sets, set);
  g_hash_table_insert (l->set_index, set, GUINT_TO_POINTER (l->sets->len - 1));
  return l->sets->len - 1;
}

void
ls_lin_sets_init (Lin *l)
{
  l->sets = g_ptr_array_new_with_free_func (set_free);
  l->set_index = g_hash_table_new (set_hash, set_equal);
  l->unions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  ls_lin_set (l, 0, NULL);
}

void
ls_lin_sets_clear (Lin *l)
{
  g_hash_table_unref (l->unions);
  g_hash_table_unref (l->set_index);
  g_ptr_array_unref (l->sets);
}

static gboolean
set_has (const Set *s, guint range)
{
  guint low = 0, high = s->n;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (s->ranges[middle] == range)
      return TRUE;
    if (s->ranges[middle] < range)
      low = middle + 1;
    else
      high = middle;
  }
  return FALSE;
}

static guint
set_union (Lin *l, guint a, guint b)
{
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  guint64 key = a < b ? (guint64) a << 32 | b : (guint64) b << 32 | a;
  gpointer found = g_hash_table_lookup (l->unions, &key);
  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  const Set *x = set_at (l, a), *y = set_at (l, b);
  g_autofree guint *merged = g_new (guint, x->n + y->n);
  guint n = 0, i = 0, k = 0;
  while (i < x->n || k < y->n) {
    guint next = k == y->n || (i < x->n && x->ranges[i] <= y->ranges[k]) ? x->ranges[i] : y->ranges[k];
    if (i < x->n && x->ranges[i] == next)
      i++;
    if (k < y->n && y->ranges[k] == next)
      k++;
    merged[n++] = next;
  }
  guint result = ls_lin_set (l, n, merged);
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
    if (!set_has (y, x->ranges[i]))
      left[n++] = x->ranges[i];
  return ls_lin_set (l, n, left);
}

int
ls_lin_range (Lin *l, const LsUOp *range)
{
  for (guint r = 0; r < l->ranges->len; r++)
    if (range_at (l, r)->node == range)
      return (int) r;
  return -1;
}

/* The ranges that a DEFINE_ACC, PHI or AFTER names from its source first on. */
guint
ls_lin_named (Lin *l, const LsUOp *u, guint first)
{
  guint set = 0;
  for (guint s = first; s < u->n_src; s++) {
    int r = u->src[s]->op == LS_OP_RANGE ? ls_lin_range (l, u->src[s]) : -1;
    guint number = (guint) r;
    if (r >= 0)
      set = set_union (l, set, ls_lin_set (l, 1, &number));
  }
  return set;
}

guint
ls_lin_outermost (Lin *l, guint set)
{
  const Set *s = set_at (l, set);
  guint best = s->n ? s->ranges[0] : NOWHERE;
  for (guint i = 1; i < s->n; i++)
    if (range_at (l, s->ranges[i])->before < range_at (l, best)->before)
      best = s->ranges[i];
  return best;
}

guint
ls_lin_innermost (Lin *l, guint set)
{
  const Set *s = set_at (l, set);
  guint best = s->n ? s->ranges[0] : NOWHERE;
  for (guint i = 1; i < s->n; i++)
    if (range_at (l, s->ranges[i])->before > range_at (l, best)->before)
      best = s->ranges[i];
  return best;
}

static inline gboolean
is_range (const Lin *l, const LsUOp *u)
{
  return u->op == LS_OP_RANGE || (l->items && u->op == LS_OP_SPECIAL);
}

static gboolean
reduces (const LsUOp *reduce, const LsUOp *range)
{
  for (guint k = 0; k < reduce->arg.n; k++)
    if (range->op == LS_OP_RANGE && ls_range_type (range) == LS_AXIS_REDUCE && reduce->arg.ints[k] == ls_range_axis (range))
      return TRUE;
  return FALSE;
}

/* The loops that a node ends. While a graph is being rewritten, a REDUCE names its ranges by axis (REDUCE_AXIS) or as the parts of an
 * index. */
static guint
ended (Lin *l, const LsUOp *u)
{
  guint set = ends_loops (u) ? ls_lin_named (l, u, n_values (u)) : 0;
  for (guint s = n_values (u); u->op == LS_OP_REDUCE && s < u->n_src; s++)
    if (u->src[s]->op != LS_OP_RANGE)
      set = set_union (l, set, l->nodes[ls_lin_position (l, u->src[s])].outside);
  for (guint r = 0; u->op == LS_OP_REDUCE_AXIS && r < l->ranges->len; r++)
    if (reduces (u, range_at (l, r)->node))
      set = set_union (l, set, ls_lin_set (l, 1, &r));
  return set;
}

/* Step 1. nested: whether step 2 has found the ranges around each range. */
static void
compute_sets (Lin *l, gboolean nested)
{
  for (guint i = 0; i < l->topo->len; i++) {
    LsUOp *u = node_at (l, i);
    Node *node = &l->nodes[i];
    guint set = 0;
    for (guint s = 0; u->op != LS_OP_SINK && s < n_values (u); s++)
      set = set_union (l, set, l->nodes[ls_lin_position (l, u->src[s])].outside);
    node->set = node->outside = set;
    guint own = ended (l, u);
    if (is_range (l, u)) {
      guint number = (guint) ls_lin_range (l, u);
      node->outside = set_union (l, set, ls_lin_set (l, 1, &number));
    } else if (u->op == LS_OP_DEFINE_ACC)
      node->outside = set_union (l, set, ls_lin_named (l, u, 1));
    else if (own) {
      node->set = set_union (l, set, own);
      node->outside = set_minus (l, set, own);
      guint first = nested ? ls_lin_outermost (l, own) : NOWHERE;
      if (first != NOWHERE) {
        const Range *range = range_at (l, first);
        for (guint k = 0; k < range->n_outer; k++)
          node->outside = set_union (l, node->outside, ls_lin_set (l, 1, &range->outer[k]));
      }
    }
  }
}

/* --- nesting --- */

static int
range_class (const LsUOp *u)
{
  gint64 type = u->arg.kind == LS_ARG_INTS && u->arg.n > 1 ? u->arg.ints[1] : LS_AXIS_LOOP;
  return type == LS_AXIS_REDUCE || type == LS_AXIS_UNROLL || type == LS_AXIS_GROUP;
}

static gboolean
range_earlier (Lin *l, guint a, guint b)
{
  const LsUOp *x = range_at (l, a)->node, *y = range_at (l, b)->node;
  if (x->op != y->op)      /* a work item is around its loops */
    return x->op == LS_OP_SPECIAL;
  if (x->op == LS_OP_SPECIAL)      /* gidx before lidx */
    return g_strcmp0 (x->arg.str, y->arg.str) < 0;
  if (range_class (x) != range_class (y))
    return range_class (x) < range_class (y);
  gint64 i = x->arg.kind == LS_ARG_INTS && x->arg.n ? ls_range_order (x) : 0,
         k = y->arg.kind == LS_ARG_INTS && y->arg.n ? ls_range_order (y) : 0;
  return i != k ? i < k : a < b;
}

/* Fills must[r]: the ranges that have to enclose r because a value accumulated over r, or r's size, depends on them. */
static guint *
required_outer (Lin *l)
{
  guint *must = g_new0 (guint, l->ranges->len);
  for (guint i = 0; i < l->topo->len; i++) {
    LsUOp *u = node_at (l, i);
    if (is_range (l, u)) {
      guint r = (guint) ls_lin_range (l, u);
      must[r] = set_union (l, must[r], l->nodes[i].set);
    } else {
      const Set *own = set_at (l, ended (l, u));      /* mostly the empty one */
      for (guint k = 0; k < own->n; k++)
        must[own->ranges[k]] = set_union (l, must[own->ranges[k]], l->nodes[i].outside);
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
  for (guint place = 0; place < n; place++) {
    guint best = NOWHERE;
    for (guint r = 0; r < n; r++) {
      gboolean ready = !done[r];
      const Set *before = set_at (l, must[r]);
      for (guint k = 0; k < before->n && ready; k++)
        ready = done[before->ranges[k]];
      if (ready && (best == NOWHERE || range_earlier (l, r, best)))
        best = r;
    }
    if (best == NOWHERE) {
      for (best = 0; done[best]; )
        best++;
      return ls_lin_fail (l, "cannot nest: loops depend on each other in a circle", range_at (l, best)->node);
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
  if (!order_ranges (l))
    return FALSE;
  g_autofree gboolean *encloses = g_new0 (gboolean, (gsize) n * n);      /* [inner * n + outer] */
  g_autofree gboolean *seen = g_new0 (gboolean, l->sets->len);
  for (guint i = 0; i < l->topo->len; i++) {
    guint sets[] = { l->nodes[i].set, l->nodes[i].outside };
    for (guint w = 0; w < 2; w++) {
      const Set *s = set_at (l, sets[w]);
      if (seen[sets[w]])
        continue;
      seen[sets[w]] = TRUE;
      for (guint x = 0; x < s->n; x++)
        for (guint y = 0; y < s->n; y++)
          if (range_at (l, s->ranges[y])->before < range_at (l, s->ranges[x])->before)
            encloses[s->ranges[x] * n + s->ranges[y]] = TRUE;
    }
  }
  for (gboolean changed = TRUE; changed; ) {      /* the loops around a loop are a chain, closed upwards */
    changed = FALSE;
    for (guint x = 0; x < n; x++)
      for (guint y = 0; y < n; y++)
        for (guint z = 0; encloses[x * n + y] && z < n; z++) {
          if (encloses[y * n + z] && !encloses[x * n + z])
            changed = encloses[x * n + z] = TRUE;
          if (encloses[x * n + z] && range_at (l, z)->before < range_at (l, y)->before && !encloses[y * n + z])
            changed = encloses[y * n + z] = TRUE;
        }
  }
  for (guint x = 0; x < n; x++) {
    Range *r = range_at (l, x);
    g_clear_pointer (&r->outer, g_free);
    r->outer = g_new (guint, n + 1);
    r->n_outer = 0;
    for (guint y = 0; y < n; y++)
      if (encloses[x * n + y])
        r->outer[r->n_outer++] = y;
    g_qsort_with_data (r->outer, (int) r->n_outer, sizeof (guint), compare_before, l);
    r->depth = r->n_outer + 1;
    r->parent = r->n_outer ? r->outer[r->n_outer - 1] + 1 : ROOT;
    if (r->depth > MAX_NESTING)
      return ls_lin_fail (l, "is nested too deep", r->node);
  }
  return TRUE;
}

gboolean
ls_lin_settle (Lin *l)
{
  g_autofree guint *last = g_new (guint, l->topo->len);
  if (l->ranges->len > MAX_LOOPS)
    return ls_lin_fail (l, "is one loop too many", range_at (l, MAX_LOOPS)->node);
  compute_sets (l, FALSE);
  for (guint round = 0; round < l->ranges->len + 2; round++) {
    gboolean same = TRUE;
    if (!compute_nesting (l))
      return FALSE;
    for (guint i = 0; i < l->topo->len; i++)
      last[i] = l->nodes[i].outside;
    compute_sets (l, TRUE);
    for (guint i = 0; i < l->topo->len && same; i++)
      same = last[i] == l->nodes[i].outside;
    if (same)
      return TRUE;
  }
  return ls_lin_fail (l, "cannot nest with the other loops", range_at (l, 0)->node);
}

/* --- the loops of any graph --- */

static void
range_free_outer (gpointer data)
{
  g_free (((Range *) data)->outer);
}

/* The loops in the order of nesting, and of each node the block that its row is in. */
static LsLoops *
loops_of (Lin *l)
{
  guint n = l->ranges->len;
  LsLoops *loops = g_new (LsLoops, 1);
  *loops = (LsLoops) { n, g_new (LsLoop, n), g_new0 (guint, MAX (l->topo->len, 1)) };
  for (guint r = 0; r < n; r++) {
    const Range *range = range_at (l, r);
    guint parent = range->parent == ROOT ? 0 : range_at (l, range->parent - 1)->before + 1;
    loops->loops[range->before] = (LsLoop) { range->node, parent };
  }
  for (guint i = 0; i < l->topo->len; i++) {
    const LsUOp *u = node_at (l, i);
    guint own = u->op == LS_OP_DEFINE_ACC ? ls_lin_named (l, u, 1) : 0;
    guint r = is_range (l, u) ? (guint) ls_lin_range (l, u) : ls_lin_innermost (l, l->nodes[i].set);
    if (own)      /* around its loops */
      r = range_at (l, ls_lin_outermost (l, own))->parent == ROOT ? NOWHERE : range_at (l, ls_lin_outermost (l, own))->parent - 1;
    loops->in[i] = r == NOWHERE ? 0 : range_at (l, r)->before + 1;
  }
  return loops;
}

/**
 * ls_loops_new:
 * @ctx: of the nodes
 * @nodes: (element-type LsUOp): all nodes of a graph, sources first
 *
 * Returns: (transfer full) (nullable): its loops; NULL where there are none, or where loops cannot nest, as between two steps of a pass
 */
LsLoops *
ls_loops_new (LsContext *ctx, GPtrArray *nodes)
{
  Lin l = { .ctx = ctx, .topo = nodes, .items = TRUE };
  l.ranges = g_array_new (FALSE, TRUE, sizeof (Range));
  g_array_set_clear_func (l.ranges, range_free_outer);
  for (guint i = 0; i < nodes->len; i++)
    if (is_range (&l, nodes->pdata[i])) {
      Range range = { .node = nodes->pdata[i] };
      g_array_append_val (l.ranges, range);
    }
  LsLoops *loops = NULL;
  if (l.ranges->len) {
    l.position = ls_node_map_acquire (ctx);
    for (guint i = 0; i < nodes->len; i++)
      ls_node_map_set (l.position, nodes->pdata[i], i);
    l.nodes = g_new0 (Node, nodes->len);
    ls_lin_sets_init (&l);
    if (ls_lin_settle (&l))
      loops = loops_of (&l);
    ls_lin_sets_clear (&l);
    g_free (l.nodes);
    ls_node_map_release (ctx, l.position);
  }
  g_array_unref (l.ranges);
  return loops;
}

void
ls_loops_free (LsLoops *loops)
{
  if (!loops)
    return;
  g_free (loops->loops);
  g_free (loops->in);
  g_free (loops);
}
