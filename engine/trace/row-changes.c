/* Steps of a pass over a procedure, from the list before it, the list after it, and the rows that its map joins.
 *
 * First come, in the order of the new list, the rows that are added, moved, or take the place of one old row; an old row whose value
 * another row of the list has leaves where it was. All other old rows leave last, from the end of the list: so each row finds the rows that
 * it reads at every step, or the one that took their place.
 */
#include "row-changes.h"

#include <stdio.h>

/* The rows of both lists in one order. step: that adds, removes or moves it; 0: it stays. A row that moves is there twice, from and to. */
typedef struct { guint32 node; guint step; gboolean goes; } Merged;

struct _LsRowChanges {
  LsTrace    *trace;
  const LsPass *pass;
  GArray     *merged;        /* Merged */
  GArray     *steps;         /* LsRowStep */
  guint       n_rows;        /* of pass->rows when it was made */
  GHashTable *old, *rows;    /* node + 1 -> its place + 1 in the list before, in the list after */
  GHashTable *made;          /* node + 1 -> entry of the pass's map + 1: the row that it was made of */
  GHashTable *pair;          /* both ways, node + 1: a row and the one that takes its place */
  GHashTable *moved;         /* node + 1 -> the entry + 1 that says why the row itself moved */
  GHashTable *copies;        /* node + 1 of an old row -> how many new rows were made of it */
  guint      *around;        /* of each row of the list before, the RANGE of the innermost loop around it, its place + 1 */
  GArray     *before;        /* that list */
};

static guint
lookup (GHashTable *table, guint32 node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, GUINT_TO_POINTER (node + 1)));
}

static void
insert (GHashTable *table, guint32 node, guint value)
{
  g_hash_table_insert (table, GUINT_TO_POINTER (node + 1), GUINT_TO_POINTER (value));
}

static const LsUOp *
node_of (const LsRowChanges *c, guint32 id)
{
  return ls_context_node (c->trace->ctx, id);
}

/* --- what rows were made of --- */

static GHashTable *
places_of (const GArray *list)
{
  GHashTable *places = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < list->len; i++)
    insert (places, g_array_index (list, guint32, i), i + 1);
  return places;
}

/* The first entry of each row, of those with its op if there are some. */
static void
find_made (LsRowChanges *c)
{
  for (guint i = c->pass->map->len; i-- > 0;) {
    const LsMapEntry *e = &g_array_index (c->pass->map, LsMapEntry, i);
    if (e->new_node == e->old_node)
      insert (c->moved, e->new_node, i + 1);
    const LsUOp *row = node_of (c, e->new_node), *was = node_of (c, e->old_node);
    guint had = lookup (c->made, e->new_node);
    const LsUOp *had_was = had ? node_of (c, g_array_index (c->pass->map, LsMapEntry, had - 1).old_node) : NULL;
    if (row && was && e->new_node != e->old_node && (!had_was || was->op == row->op || had_was->op != row->op))
      insert (c->made, e->new_node, i + 1);
  }
}

guint32
ls_row_changes_origin (const LsRowChanges *c, guint32 row, GArray *turns)
{
  for (guint n = 0; n < 64 && !lookup (c->old, row); n++) {
    guint entry = lookup (c->made, row);
    LsRowTurn turn;
    if (!entry)
      return LS_NO_NODE;
    const LsMapEntry *e = &g_array_index (c->pass->map, LsMapEntry, entry - 1);
    if (e->reason && sscanf (e->reason, "iteration %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, &turn.turn, &turn.of) == 2 && turns)
      g_array_append_val (turns, turn);
    row = e->old_node;
  }
  return lookup (c->old, row) ? row : LS_NO_NODE;
}

const LsUOp *
ls_row_changes_loop (const LsRowChanges *c, guint32 old, guint outward)
{
  guint row = lookup (c->old, old), loop = row ? c->around[row - 1] : 0;
  while (loop && outward-- > 0)
    loop = c->around[loop - 1];
  return loop ? node_of (c, g_array_index (c->before, guint32, loop - 1)) : NULL;
}

static void
find_loops (LsRowChanges *c)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  c->around = g_new0 (guint, c->before->len + 1);
  for (guint i = 0; i < c->before->len; i++) {
    const LsUOp *u = node_of (c, g_array_index (c->before, guint32, i));
    if (u && u->op == LS_OP_ENDRANGE && open->len)
      g_array_set_size (open, open->len - 1);
    c->around[i] = open->len ? g_array_index (open, guint, open->len - 1) : 0;
    if (u && u->op == LS_OP_RANGE)
      g_array_append_val (open, ((guint) { i + 1 }));
  }
}

/* Pairs each row that goes with the only one that was made of it, where no loop was written out between them. */
static void
find_pairs (LsRowChanges *c, const GArray *after)
{
  g_autoptr (GHashTable) only = g_hash_table_new (NULL, NULL);
  for (guint j = 0; j < after->len; j++) {
    guint32 row = g_array_index (after, guint32, j);
    g_autoptr (GArray) turns = g_array_new (FALSE, FALSE, sizeof (LsRowTurn));
    guint32 was = lookup (c->old, row) ? LS_NO_NODE : ls_row_changes_origin (c, row, turns);
    const LsUOp *u = node_of (c, row), *w = was == LS_NO_NODE ? NULL : node_of (c, was);
    if (!w || lookup (c->rows, was))
      continue;
    insert (c->copies, was, lookup (c->copies, was) + 1);
    if (!turns->len && u && (w->op != LS_OP_RANGE || u->op == LS_OP_RANGE))
      insert (only, was, lookup (only, was) ? G_MAXUINT : row + 1);
  }
  GHashTableIter iter;
  gpointer was, row;
  g_hash_table_iter_init (&iter, only);
  while (g_hash_table_iter_next (&iter, &was, &row))
    if (GPOINTER_TO_UINT (row) != G_MAXUINT) {
      g_hash_table_insert (c->pair, was, row);
      g_hash_table_insert (c->pair, row, was);
    }
}

static gboolean
are_new_and_old (const LsRowChanges *c, guint32 row, guint32 was)
{
  return !lookup (c->old, row) && !lookup (c->rows, was);
}

/* The map has no entries of the ends of loops and of the list. */
static void
pair_ends (LsRowChanges *c, const GArray *after)
{
  g_autoptr (GHashTable) ends = g_hash_table_new (NULL, NULL);      /* RANGE + 1 -> its old end + 1; and the list's */
  for (guint i = 0; i < c->before->len; i++) {
    const LsUOp *u = node_of (c, g_array_index (c->before, guint32, i));
    if (u && ((u->op == LS_OP_ENDRANGE && u->n_src) || u->op == LS_OP_SINK))
      insert (ends, u->op == LS_OP_SINK ? LS_NO_NODE - 1 : u->src[0]->id, u->id + 1);
  }
  for (guint j = 0; j < after->len; j++) {
    const LsUOp *u = node_of (c, g_array_index (after, guint32, j));
    guint pair = u && u->op == LS_OP_ENDRANGE && u->n_src ? lookup (c->pair, u->src[0]->id) : 0,
          end = !u ? 0 : u->op == LS_OP_SINK ? lookup (ends, LS_NO_NODE - 1) : pair ? lookup (ends, pair - 1) : 0;
    if (!end || !are_new_and_old (c, u->id, end - 1))
      continue;
    insert (c->pair, u->id, end);
    insert (c->pair, end - 1, u->id + 1);
  }
}

/* An old row that no row was made of, and whose readers all read the same other row now: that one takes its place. */
static void
find_substitutes (LsRowChanges *c, const GArray *after)
{
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);
  for (guint j = 0; j < after->len; j++) {
    g_autoptr (GArray) turns = g_array_new (FALSE, FALSE, sizeof (LsRowTurn));
    guint32 row = g_array_index (after, guint32, j), was = lookup (c->old, row) ? LS_NO_NODE : ls_row_changes_origin (c, row, turns);
    const LsUOp *u = node_of (c, row), *w = was == LS_NO_NODE ? NULL : node_of (c, was);
    if (!u || !w || u->op != w->op || u->n_src != w->n_src || u->op == LS_OP_RANGE || turns->len)
      continue;
    for (guint s = 0; s < u->n_src; s++) {
      guint32 old = w->src[s]->id, now = u->src[s]->id;
      if (old == now || w->src[s]->op == LS_OP_CONST || lookup (c->rows, old) || !lookup (c->old, old) ||
          lookup (c->copies, old) || lookup (c->pair, old) || !lookup (c->rows, now))
        continue;
      guint had = lookup (found, old);
      insert (found, old, had && had != now + 1 ? G_MAXUINT : now + 1);
    }
  }
  GHashTableIter iter;
  gpointer old, now;
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, &old, &now))
    if (GPOINTER_TO_UINT (now) != G_MAXUINT)
      g_hash_table_insert (c->pair, old, now);
}

/* --- the steps --- */

static void
merge_row (LsRowChanges *c, guint32 node, gboolean goes)
{
  Merged m = { node, 0, goes };
  g_array_append_val (c->merged, m);
}

static void
merge (LsRowChanges *c, const GArray *b, const gboolean *kept, const guint *place)
{
  for (guint j = 0, next = 0; j <= b->len; j++) {
    for (guint until = j == b->len ? c->before->len : kept[j] ? place[j] - 1 : 0; next < until; next++)
      merge_row (c, g_array_index (c->before, guint32, next), TRUE);
    if (j == b->len)
      break;
    next += kept[j];
    merge_row (c, g_array_index (b, guint32, j), FALSE);
  }
}

static const char *
reason_of (const LsRowChanges *c, guint32 node)
{
  guint entry = lookup (c->made, node);
  entry = entry ? entry : lookup (c->moved, node);
  return entry ? g_array_index (c->pass->map, LsMapEntry, entry - 1).reason : NULL;
}

static void
add_step (LsRowChanges *c, guint at, LsDiffKind kind, guint32 other, const char *reason)
{
  Merged *m = &g_array_index (c->merged, Merged, at);
  LsRowStep step = { kind, m->node, 0, reason, other, 0, lookup (c->copies, m->node) };
  g_array_append_val (c->steps, step);
  m->step = c->steps->len;
}

/* Is it an accumulator of that loop? They come before the loop that they read. */
static gboolean
names_loop (const LsUOp *u, const LsUOp *range)
{
  gboolean names = FALSE;
  for (guint s = 1; u && u->op == LS_OP_DEFINE_ACC && s < u->n_src; s++)
    names |= u->src[s] == range;
  return names;
}

/* If no step takes it away yet. */
static void
remove_row (LsRowChanges *c, guint at)
{
  const Merged m = g_array_index (c->merged, Merged, at);
  guint pair = lookup (c->pair, m.node);
  if (m.goes && !m.step)
    add_step (c, at, LS_DIFF_REMOVED, pair ? pair - 1 : LS_NO_NODE, NULL);
}

static void
order_steps (LsRowChanges *c, const gboolean *kept)
{
  g_autoptr (GHashTable) leaves = g_hash_table_new (NULL, NULL);      /* node + 1 -> its place in merged + 1, where it goes from */
  for (guint i = 0; i < c->merged->len; i++)
    if (g_array_index (c->merged, Merged, i).goes)
      insert (leaves, g_array_index (c->merged, Merged, i).node, i + 1);
  for (guint i = 0, j = 0; i < c->merged->len; i++) {
    const Merged m = g_array_index (c->merged, Merged, i);
    guint pair = lookup (c->pair, m.node), from = 0;
    if (m.goes) {      /* the row that has its value is there already, and no step of its own takes this one away */
      if (pair && !lookup (c->rows, m.node) && lookup (c->old, pair - 1) && lookup (c->rows, pair - 1))
        add_step (c, i, LS_DIFF_REMOVED, pair - 1, NULL);
      continue;
    }
    if (kept[j++])
      continue;
    if (lookup (c->old, m.node)) {
      add_step (c, i, LS_DIFF_MOVED, LS_NO_NODE, reason_of (c, m.node));
      from = lookup (leaves, m.node);
    } else if (pair && (from = lookup (leaves, pair - 1))) {
      add_step (c, i, LS_DIFF_CHANGED, pair - 1, reason_of (c, m.node));
    } else {
      add_step (c, i, LS_DIFF_ADDED, ls_row_changes_origin (c, m.node, NULL), reason_of (c, m.node));
    }
    if (from)
      g_array_index (c->merged, Merged, from - 1).step = g_array_index (c->merged, Merged, i).step;
  }
  for (guint i = c->merged->len; i-- > 0;) {
    const LsUOp *u = node_of (c, g_array_index (c->merged, Merged, i).node);
    for (guint k = i; u && u->op == LS_OP_RANGE && g_array_index (c->merged, Merged, i).goes && k-- > 0;)
      if (names_loop (node_of (c, g_array_index (c->merged, Merged, k).node), u))
        remove_row (c, k);
    remove_row (c, i);
  }
}

/* Rows are numbered as the list at their step has them: sums over a tree of the rows that are there (P. M. Fenwick, 1994). */
static void
count (gint *tree, guint n, guint at, gint by)
{
  for (guint i = at + 1; i <= n; i += i & -i)
    tree[i] += by;
}

static guint
count_before (const gint *tree, guint at)
{
  gint sum = 0;
  for (guint i = at; i > 0; i -= i & -i)
    sum += tree[i];
  return (guint) sum;
}

static void
number_rows (LsRowChanges *c)
{
  guint n = c->merged->len;
  g_autofree gint *tree = g_new0 (gint, n + 1);
  g_autofree guint *comes = g_new0 (guint, c->steps->len + 1), *goes = g_new0 (guint, c->steps->len + 1);      /* by step, + 1 */
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);      /* node + 1 -> its place in merged + 1, of one that moves the one now */
  for (guint i = 0; i < n; i++) {
    const Merged *m = &g_array_index (c->merged, Merged, i);
    if (m->step)
      (m->goes ? goes : comes)[m->step - 1] = i + 1;
    if (!m->goes && m->step)
      continue;
    count (tree, n, i, 1);
    insert (at, m->node, i + 1);
  }
  for (guint k = 0; k < c->steps->len; k++) {
    LsRowStep *s = &g_array_index (c->steps, LsRowStep, k);
    guint other = 0;
    if (s->kind == LS_DIFF_CHANGED && goes[k])      /* before the step; it is not there after it */
      s->other_row = count_before (tree, goes[k] - 1);
    if (s->kind == LS_DIFF_REMOVED && goes[k])
      s->row = count_before (tree, goes[k] - 1);
    if (goes[k]) {
      count (tree, n, goes[k] - 1, -1);
      insert (at, g_array_index (c->merged, Merged, goes[k] - 1).node, 0);
    }
    if (comes[k]) {
      count (tree, n, comes[k] - 1, 1);
      insert (at, s->node, comes[k]);
      s->row = count_before (tree, comes[k] - 1);
    }
    other = s->other == LS_NO_NODE ? 0 : lookup (at, s->other);
    if (s->kind != LS_DIFF_CHANGED)
      s->other_row = other ? count_before (tree, other - 1) : LS_NO_ROW;
  }
}

void
ls_row_changes_free (gpointer data)
{
  LsRowChanges *c = data;
  GHashTable *tables[] = { c->old, c->rows, c->made, c->moved, c->pair, c->copies };
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    g_hash_table_unref (tables[i]);
  g_array_unref (c->merged);
  g_array_unref (c->steps);
  g_array_unref (c->before);
  g_free (c->around);
  g_free (c);
}

LsRowChanges *
ls_row_changes_new (const LsPass *pass, const GArray *a)
{
  const GArray *b = pass->rows;
  LsRowChanges *c = g_new0 (LsRowChanges, 1);
  *c = (LsRowChanges) { pass->trace, pass, g_array_new (FALSE, FALSE, sizeof (Merged)), g_array_new (FALSE, FALSE, sizeof (LsRowStep)),
                        b->len, places_of (a), places_of (b), g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL),
                        g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL), NULL, g_array_copy ((GArray *) a) };
  g_autofree guint *place = g_new0 (guint, b->len + 1);
  g_autofree guint32 *partner = g_new (guint32, b->len + 1);
  g_autofree gboolean *kept = g_new0 (gboolean, b->len + 1);
  for (guint j = 0; j < b->len; j++) {
    place[j] = lookup (c->old, g_array_index (b, guint32, j));
    partner[j] = place[j] - 1;      /* 0 - 1 is LS_NO_NODE */
  }
  ls_keep_ascending (b->len, partner, kept);
  find_made (c);
  find_loops (c);
  find_pairs (c, b);
  pair_ends (c, b);
  find_substitutes (c, b);
  merge (c, b, kept, place);
  order_steps (c, kept);
  number_rows (c);
  return c;
}

guint
ls_row_changes_n_rows (const LsRowChanges *c)
{
  return c->n_rows;
}

const GArray *
ls_row_changes_steps (const LsRowChanges *c)
{
  return c->steps;
}

GArray *
ls_row_changes_list (const LsRowChanges *c, guint step)
{
  GArray *out = g_array_sized_new (FALSE, FALSE, sizeof (guint32), c->merged->len);
  for (guint i = 0; i < c->merged->len; i++) {
    const Merged *m = &g_array_index (c->merged, Merged, i);
    if (m->goes ? step < m->step : m->step <= step)
      g_array_append_val (out, m->node);
  }
  return out;
}

GHashTable *
ls_row_changes_instead (const LsRowChanges *c, guint step)
{
  GHashTable *out = g_hash_table_new (NULL, NULL);
  for (guint k = 0; k < c->steps->len; k++) {
    const LsRowStep *s = &g_array_index (c->steps, LsRowStep, k);
    guint32 none = LS_NO_NODE, gone = s->kind == LS_DIFF_CHANGED ? s->other : s->kind == LS_DIFF_REMOVED && k < step ? s->node : none,
            by = s->kind == LS_DIFF_CHANGED ? s->node : s->other;
    const LsUOp *x = gone == none ? NULL : node_of (c, gone), *y = by == none ? NULL : node_of (c, by);
    if (x && y && k < step)
      g_hash_table_insert (out, (gpointer) x, (gpointer) y);
    else if (x && y)      /* an accumulator names its loop, which follows it */
      g_hash_table_insert (out, (gpointer) y, (gpointer) x);
  }
  return out;
}
