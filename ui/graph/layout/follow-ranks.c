/* Ranks that disturb as little as possible.
 *
 * Boxes that were there want the rank they had, new ones one between their sources and their consumers. If an edge would no longer point
 * down, either its consumer and the boxes tightly below it move down, or its source and the boxes tightly above move up: whichever moves
 * fewer old boxes (a greedy form of the rank adjustment in North and Woodhull, Online hierarchical graph drawing, 2001). The work of
 * counting is limited; past the limit, everything that has to moves down in one sweep.
 */
#include "follow.h"
#include "scene.h"

#include <math.h>

#define LOW  (G_MININT32 / 4)
#define HIGH (G_MAXINT32 / 4)
#define EMPTY_RANKS 2      /* limit of empty ones */

void
ls_lists_init (LsLists *lists, guint n, guint m, const guint32 *key, const guint32 *value)
{
  lists->first = g_new0 (guint32, n + 2);
  lists->list = g_new (guint32, MAX (m, 1));
  for (guint e = 0; e < m; e++)
    lists->first[key[e] + 2]++;
  for (guint v = 0; v < n; v++)
    lists->first[v + 2] += lists->first[v + 1];
  for (guint e = 0; e < m; e++)
    lists->list[lists->first[key[e] + 1]++] = value ? value[e] : e;
}

void
ls_lists_clear (LsLists *lists)
{
  g_clear_pointer (&lists->first, g_free);
  g_clear_pointer (&lists->list, g_free);
}

/* Kahn's order; a cycle is cut at its first node. */
static void
sort_nodes (LsFollow *f)
{
  guint n = f->in->n, head = 0, tail = 0, cursor = 0;
  guint32 *waits = g_new (guint32, MAX (n, 1));
  for (guint v = 0; v < n; v++) {
    waits[v] = f->into.first[v + 1] - f->into.first[v];
    if (!waits[v])
      f->topo[tail++] = v;
  }
  while (head < n) {
    if (head == tail) {
      while (waits[cursor] == 0)
        cursor++;
      waits[cursor] = 0;
      f->topo[tail++] = cursor;
    }
    guint v = f->topo[head++];
    for (guint i = f->out.first[v]; i < f->out.first[v + 1]; i++) {
      guint w = f->in->to[f->out.list[i]];
      if (waits[w] && --waits[w] == 0)
        f->topo[tail++] = w;
    }
  }
  for (guint i = 0; i < n; i++)
    f->place[f->topo[i]] = i;
  g_free (waits);
}

static gboolean
is_new (const LsFollow *f, guint v)
{
  return isnan (f->keep->x[v]);
}

static void
rank_new (LsFollow *f)
{
  guint n = f->in->n;
  gint32 *high = g_new (gint32, MAX (n, 1));
  for (guint i = n; i-- > 0; ) {
    guint v = f->topo[i];
    high[v] = HIGH;
    for (guint k = f->out.first[v]; k < f->out.first[v + 1]; k++) {
      guint w = f->in->to[f->out.list[k]];
      if (f->place[w] > i)
        high[v] = MIN (high[v], is_new (f, w) ? high[w] == HIGH ? HIGH : high[w] - 1 : f->keep->rank[w] - 1);
    }
  }
  for (guint i = 0; i < n; i++) {
    guint v = f->topo[i];
    if (!is_new (f, v)) {
      f->rank[v] = f->keep->rank[v];
      continue;
    }
    gint32 low = LOW;
    for (guint k = f->into.first[v]; k < f->into.first[v + 1]; k++) {
      guint w = f->in->from[f->into.list[k]];
      if (f->place[w] < i)
        low = MAX (low, f->rank[w] + 1);
    }
    f->rank[v] = low > LOW ? low : high[v] < HIGH ? high[v] : 0;
  }
  g_free (high);
}

typedef struct { guint32 node; gint32 rank; } Move;

/* Boxes that must move when v moves to rank; FALSE when the budget does not reach. cost: of them those that were there. */
static gboolean
spread (LsFollow *f, guint v, gint32 rank, gboolean down, gint32 *moved, GArray *moves, guint *cost, gint64 *budget)
{
  Move first = { v, rank };
  g_array_set_size (moves, 0);
  g_array_append_val (moves, first);
  moved[v] = rank;
  for (guint head = 0; head < moves->len && *budget > 0; head++) {
    Move m = g_array_index (moves, Move, head);
    if (moved[m.node] != m.rank)
      continue;      /* it had to move further since */
    const LsLists *l = down ? &f->out : &f->into;
    for (guint k = l->first[m.node]; k < l->first[m.node + 1]; k++, --*budget) {
      guint w = down ? f->in->to[l->list[k]] : f->in->from[l->list[k]];
      if ((f->place[w] > f->place[m.node]) != down)
        continue;
      gint32 now = moved[w] != HIGH ? moved[w] : f->rank[w], need = down ? m.rank + 1 : m.rank - 1;
      if (down ? now >= need : now <= need)
        continue;
      moved[w] = need;
      Move next = { w, need };
      g_array_append_val (moves, next);
    }
  }
  *cost = 0;
  for (guint i = 0; i < moves->len; i++) {
    const Move *m = &g_array_index (moves, Move, i);
    *cost += moved[m->node] == m->rank && !is_new (f, m->node);
  }
  return *budget > 0;
}

static void
apply (LsFollow *f, GArray *moves, gint32 *moved, gboolean really)
{
  for (guint i = 0; i < moves->len; i++) {
    guint32 v = g_array_index (moves, Move, i).node;
    if (moved[v] != HIGH && really)
      f->rank[v] = moved[v];
    moved[v] = HIGH;
  }
}

static void
sweep_down (LsFollow *f)
{
  for (guint i = 0; i < f->in->n; i++) {
    guint v = f->topo[i];
    for (guint k = f->into.first[v]; k < f->into.first[v + 1]; k++) {
      guint w = f->in->from[f->into.list[k]];
      if (f->place[w] < i)
        f->rank[v] = MAX (f->rank[v], f->rank[w] + 1);
    }
  }
}

static void
mend (LsFollow *f)
{
  guint n = f->in->n;
  gint64 budget = 40 * ((gint64) n + f->in->n_edges) + 1000;
  gint32 *moved_down = g_new (gint32, MAX (n, 1)), *moved_up = g_new (gint32, MAX (n, 1));
  g_autoptr (GArray) down = g_array_new (FALSE, FALSE, sizeof (Move)), up = g_array_new (FALSE, FALSE, sizeof (Move));
  for (guint v = 0; v < n; v++)
    moved_down[v] = moved_up[v] = HIGH;
  for (guint i = 0; i < n && budget > 0; i++) {
    guint v = f->topo[i];
    for (guint k = f->into.first[v]; k < f->into.first[v + 1] && budget > 0; k++) {
      guint w = f->in->from[f->into.list[k]], cost_down = 0, cost_up = 0;
      if (f->place[w] > i || f->rank[v] > f->rank[w])
        continue;
      gboolean ok = spread (f, v, f->rank[w] + 1, TRUE, moved_down, down, &cost_down, &budget)
                    && spread (f, w, f->rank[v] - 1, FALSE, moved_up, up, &cost_up, &budget);
      apply (f, down, moved_down, ok && cost_down <= cost_up);
      apply (f, up, moved_up, ok && cost_down > cost_up);
      g_array_set_size (down, 0);
      g_array_set_size (up, 0);
    }
  }
  /* nothing is left to do when the budget sufficed */
  sweep_down (f);
  g_free (moved_down);
  g_free (moved_up);
}

/* New boxes move nearer to their neighbours: without sources, to their nearest consumer. */
static void
tighten_new (LsFollow *f)
{
  for (guint i = f->in->n; i-- > 0; ) {
    guint v = f->topo[i];
    if (!is_new (f, v) || f->out.first[v + 1] - f->out.first[v] <= f->into.first[v + 1] - f->into.first[v])
      continue;
    gint32 nearest = HIGH;
    for (guint k = f->out.first[v]; k < f->out.first[v + 1]; k++) {
      guint w = f->in->to[f->out.list[k]];
      if (f->place[w] > i)
        nearest = MIN (nearest, f->rank[w] - 1);
    }
    if (nearest != HIGH)
      f->rank[v] = MAX (f->rank[v], nearest);
  }
}

/* Where nothing is left on several ranks in a row, one is kept; the half with most boxes stays in its place. */
static void
close_up (LsFollow *f)
{
  guint n = f->in->n, seen = 0, run = 0;
  gint32 top = HIGH, bottom = LOW, shift = 0, anchor = 0;
  for (guint v = 0; v < n; v++) {
    top = MIN (top, f->rank[v]);
    bottom = MAX (bottom, f->rank[v]);
  }
  if (!n)
    return;
  guint n_rows = (guint) (bottom - top + 1);
  guint32 *boxes = g_new0 (guint32, n_rows);
  gint32 *up = g_new0 (gint32, n_rows);
  gboolean anchored = FALSE;
  for (guint v = 0; v < n; v++)
    boxes[f->rank[v] - top]++;
  for (guint r = 0; r < n_rows; r++) {
    if (!boxes[r]) {
      run++;
      continue;
    }
    shift += run > EMPTY_RANKS ? (gint32) run - 1 : 0;
    run = 0;
    up[r] = shift;
    seen += boxes[r];
    if (!anchored && seen * 2 > n) {
      anchor = shift;
      anchored = TRUE;
    }
  }
  for (guint v = 0; v < n; v++)
    f->rank[v] -= up[f->rank[v] - top] - anchor;
  g_free (boxes);
  g_free (up);
}

void
ls_follow_ranks (LsFollow *f)
{
  sort_nodes (f);
  rank_new (f);
  mend (f);
  tighten_new (f);
  close_up (f);
}
