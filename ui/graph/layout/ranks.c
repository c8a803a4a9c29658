/* Our own layered layout, after Sugiyama, Tagawa and Toda (1981) and Gansner, Koutsofios, North and Vo (1993): the beginning of a chain of
 * steps, and the fallback when dot fails.
 *
 *   ranks        longest paths from the inputs, then each box goes to the side of its slack where it has more neighbours, a few times;
 *                cycles (a union of two graphs can have them) are cut at the first node that waits longest
 *   bends        an edge over several ranks gets a bend on each, so that its way is kept free; edges over more than SPAN ranks get
 *                none, or a few long edges of a deep graph would outnumber its nodes
 *   order        in each rank by the barycentre of neighbours, sweeping down and up; the best of the rounds stays
 *   coordinates  each rank's boxes as near as their order and gaps allow to the position that their neighbours want: the least
 *                squares answer for a fixed order is an isotonic regression, found in linear time by pooling adjacent violators
 *
 * Each phase costs at most n log n and none recurses.
 */
#include "ranks.h"
#include "route.h"
#include "scene.h"

#include <math.h>
#include <string.h>

#define SPAN        30
#define MAX_BENDS   400000
#define ROUNDS      24
#define TIGHTEN     8
#define PLACINGS    24
#define BEND_WIDTH  6.0f
G_STATIC_ASSERT (LS_SCENE_HEIGHT == 38);

typedef struct {
  const LsLayoutInput *in;
  GCancellable        *cancellable;
  guint     n, m;           /* boxes and bends; links between neighbouring ranks */
  guint     n_ranks;
  gint32   *rank;           /* of boxes, then bends */
  guint32  *from, *to;      /* links, upper to lower */
  guint32  *edge_bend;      /* n_edges: first bend of an edge, or LS_NO_NODE */
  guint32  *up_first, *up, *down_first, *down;     /* adjacency by node */
  guint32  *rank_first, *order;                    /* nodes by rank, left to right */
  guint32  *at;             /* place of a node in its rank */
  float    *x;              /* centres */
} Ranks;

/* Lists by node: after this the entries of node v are list[first[v]] … list[first[v + 1] - 1]. */
static void
group (guint n, guint m, const guint32 *key, const guint32 *value, guint32 **first, guint32 **list)
{
  *first = g_new0 (guint32, n + 2);
  *list = g_new (guint32, MAX (m, 1));
  for (guint e = 0; e < m; e++)
    (*first)[key[e] + 2]++;
  for (guint v = 0; v < n; v++)
    (*first)[v + 2] += (*first)[v + 1];
  for (guint e = 0; e < m; e++)
    (*list)[(*first)[key[e] + 1]++] = value[e];
}

static void
assign_ranks (Ranks *r)
{
  const LsLayoutInput *in = r->in;
  guint n = in->n;
  guint32 *out_first, *out, *in_first, *in_list;
  group (n, in->n_edges, in->from, in->to, &out_first, &out);
  group (n, in->n_edges, in->to, in->from, &in_first, &in_list);
  gint32 *rank = r->rank;
  guint32 *waits = g_new (guint32, MAX (n, 1)), *queue = g_new (guint32, MAX (n, 1));
  guint head = 0, tail = 0, cursor = 0;
  for (guint v = 0; v < n; v++) {
    rank[v] = 0;
    waits[v] = in_first[v + 1] - in_first[v];
    if (!waits[v])
      queue[tail++] = v;
  }
  while (head < n) {
    if (head == tail) {
      while (waits[cursor] == 0)
        cursor++;
      waits[cursor] = 0;
      queue[tail++] = cursor;
    }
    guint v = queue[head++];
    for (guint e = out_first[v]; e < out_first[v + 1]; e++) {
      guint w = out[e];
      if (waits[w] == 0)
        continue;      /* on a cycle, already placed */
      rank[w] = MAX (rank[w], rank[v] + 1);
      if (--waits[w] == 0)
        queue[tail++] = w;
    }
  }
  /* shorter edges: a box goes to that side of its slack on which it has more neighbours, until none moves (at most TIGHTEN times) */
  gboolean moved = TRUE;
  for (guint round = 0; round < TIGHTEN && moved; round++) {
    moved = FALSE;
    for (guint i = n; i-- > 0; ) {
      guint v = queue[round % 2 ? n - 1 - i : i], outs = out_first[v + 1] - out_first[v], ins = in_first[v + 1] - in_first[v];
      gint32 nearest = round % 2 ? G_MININT32 : G_MAXINT32;
      if (round % 2 ? ins <= outs : outs <= ins)
        continue;
      if (round % 2)
        for (guint e = in_first[v]; e < in_first[v + 1]; e++)
          nearest = MAX (nearest, rank[in_list[e]] + 1);
      else
        for (guint e = out_first[v]; e < out_first[v + 1]; e++)
          nearest = MIN (nearest, rank[out[e]] - 1);
      if (round % 2 ? nearest < rank[v] : nearest > rank[v]) {
        rank[v] = nearest;
        moved = TRUE;
      }
    }
  }
  gint32 most = -1;
  for (guint v = 0; v < n; v++)
    most = MAX (most, rank[v]);
  r->n_ranks = (guint) (most + 1);
  g_free (waits); g_free (queue);
  g_free (out_first); g_free (out); g_free (in_first); g_free (in_list);
}

/* Cuts edges into links between neighbouring ranks. */
static void
make_bends (Ranks *r)
{
  const LsLayoutInput *in = r->in;
  gint32 span = SPAN;
  guint64 bends;
  for (;; span /= 2) {
    bends = 0;
    for (guint e = 0; e < in->n_edges; e++) {
      gint32 d = r->rank[in->to[e]] - r->rank[in->from[e]];
      if (d > 1 && d <= span)
        bends += (guint64) d - 1;
    }
    if (bends <= MAX_BENDS || span <= 1)
      break;
  }
  r->rank = g_renew (gint32, r->rank, MAX (in->n + bends, 1));
  r->from = g_new (guint32, in->n_edges + bends + 1);
  r->to = g_new (guint32, in->n_edges + bends + 1);
  r->edge_bend = g_new (guint32, in->n_edges + 1);
  r->n = in->n;
  for (guint e = 0; e < in->n_edges; e++) {
    gint32 d = r->rank[in->to[e]] - r->rank[in->from[e]];
    r->edge_bend[e] = LS_NO_NODE;
    if (d < 1 || (d > 1 && d > span))
      continue;
    guint32 v = in->from[e];
    for (gint32 k = 1; k < d; k++) {
      guint32 bend = r->n++;
      if (k == 1)
        r->edge_bend[e] = bend;
      r->rank[bend] = r->rank[in->from[e]] + k;
      r->from[r->m] = v;
      r->to[r->m++] = bend;
      v = bend;
    }
    r->from[r->m] = v;
    r->to[r->m++] = in->to[e];
  }
}

static void
first_order (Ranks *r)
{
  /* boxes come in post-order, which keeps the sources of one node together; a bend goes with the box that its edge starts from */
  guint32 *seed = g_new (guint32, MAX (r->n, 1)), *by_seed_first, *by_seed, *nodes = g_new (guint32, MAX (r->n, 1));
  for (guint v = 0; v < r->n; v++)
    seed[v] = v;
  for (guint e = 0; e < r->m; e++)
    if (r->to[e] >= r->in->n)
      seed[r->to[e]] = seed[r->from[e]];      /* links of an edge are in order */
  for (guint v = 0; v < r->n; v++)
    nodes[v] = v;
  group (r->n, r->n, seed, nodes, &by_seed_first, &by_seed);
  guint32 *key = g_new (guint32, MAX (r->n, 1));
  for (guint i = 0; i < r->n; i++)
    key[i] = (guint32) r->rank[by_seed[i]];
  group (r->n_ranks, r->n, key, by_seed, &r->rank_first, &r->order);
  for (guint k = 0; k < r->n_ranks; k++)
    for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++)
      r->at[r->order[i]] = i - r->rank_first[k];
  g_free (seed); g_free (by_seed_first); g_free (by_seed); g_free (nodes); g_free (key);
}

typedef struct { float key; guint32 was, node; } Sortable;

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Sortable *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key ? 1 : x->was < y->was ? -1 : x->was > y->was;
}

static void
sort_rank (Ranks *r, guint k, const guint32 *first, const guint32 *list, Sortable *work)
{
  guint begin = r->rank_first[k], count = r->rank_first[k + 1] - begin;
  for (guint i = 0; i < count; i++) {
    guint32 v = r->order[begin + i];
    double sum = 0;
    for (guint e = first[v]; e < first[v + 1]; e++)
      sum += r->at[list[e]];
    guint d = first[v + 1] - first[v];
    work[i] = (Sortable) { d ? (float) (sum / d) : (float) i, i, v };
  }
  qsort (work, count, sizeof *work, by_key);
  for (guint i = 0; i < count; i++) {
    r->order[begin + i] = work[i].node;
    r->at[work[i].node] = i;
  }
}

/* Crossings between neighbouring ranks, counted with a binary indexed tree. */
static guint64
count_crossings (Ranks *r, guint32 *tree, guint32 *ends)
{
  guint64 crossings = 0;
  for (guint k = 0; k + 1 < r->n_ranks; k++) {
    guint width = r->rank_first[k + 2] - r->rank_first[k + 1], seen = 0;
    memset (tree, 0, (width + 1) * sizeof *tree);
    for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++) {
      guint32 v = r->order[i];
      guint n = 0;
      for (guint e = r->down_first[v]; e < r->down_first[v + 1]; e++)
        ends[n++] = r->at[r->down[e]];
      for (guint e = 0; e < n; e++) {
        guint below = 0;
        for (guint t = ends[e] + 1; t > 0; t &= t - 1)
          below += tree[t];
        crossings += seen - below;
      }
      for (guint e = 0; e < n; e++, seen++)
        for (guint t = ends[e] + 1; t <= width; t += t & -t)
          tree[t]++;
    }
  }
  return crossings;
}

static gboolean
order_ranks (Ranks *r)
{
  guint widest = 0;
  for (guint k = 0; k < r->n_ranks; k++)
    widest = MAX (widest, r->rank_first[k + 1] - r->rank_first[k]);
  Sortable *work = g_new (Sortable, MAX (widest, 1));
  guint32 *tree = g_new (guint32, widest + 2), *ends = g_new (guint32, MAX (r->m, 1));
  guint32 *best = g_memdup2 (r->order, MAX (r->n, 1) * sizeof *best);
  guint64 least = count_crossings (r, tree, ends);
  gboolean cancelled = FALSE;
  for (guint round = 0; round < ROUNDS && least && !(cancelled = g_cancellable_is_cancelled (r->cancellable)); round++) {
    for (guint k = 1; k < r->n_ranks; k++)
      sort_rank (r, k, r->up_first, r->up, work);
    for (guint k = r->n_ranks; k-- > 0; )
      sort_rank (r, k, r->down_first, r->down, work);
    guint64 now = count_crossings (r, tree, ends);
    if (now < least) {
      least = now;
      memcpy (best, r->order, r->n * sizeof *best);
    }
  }
  memcpy (r->order, best, r->n * sizeof *best);
  for (guint k = 0; k < r->n_ranks; k++)
    for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++)
      r->at[r->order[i]] = i - r->rank_first[k];
  g_free (work); g_free (tree); g_free (ends); g_free (best);
  return !cancelled;
}

static float
width_of (const Ranks *r, guint32 v)
{
  return v < r->in->n ? r->in->width[v] : BEND_WIDTH;
}

static float
gap_between (const Ranks *r, guint32 a, guint32 b)
{
  return (width_of (r, a) + width_of (r, b)) / 2 + (a < r->in->n && b < r->in->n ? LS_NODE_GAP : LS_NODE_GAP * 0.6f);
}

typedef struct { double sum, weight; guint n; } Pool;

/* Places the boxes of a rank: want[i] with weight[i], in order and without overlap. */
static void
place_rank (Ranks *r, guint k, const float *want, const float *weight, Pool *pools)
{
  guint begin = r->rank_first[k], count = r->rank_first[k + 1] - begin, n = 0;
  double offset = 0;
  for (guint i = 0; i < count; i++) {
    if (i)
      offset += gap_between (r, r->order[begin + i - 1], r->order[begin + i]);
    Pool p = { (want[i] - offset) * weight[i], weight[i], 1 };
    while (n && pools[n - 1].sum / pools[n - 1].weight > p.sum / p.weight) {
      n--;
      p = (Pool) { p.sum + pools[n].sum, p.weight + pools[n].weight, p.n + pools[n].n };
    }
    pools[n++] = p;
  }
  offset = 0;
  for (guint q = 0, i = 0; q < n; q++) {
    double base = pools[q].sum / pools[q].weight;
    for (guint c = 0; c < pools[q].n; c++, i++) {
      guint32 v = r->order[begin + i];
      if (i)
        offset += gap_between (r, r->order[begin + i - 1], v);
      r->x[v] = (float) (base + offset);
    }
  }
}

static gboolean
place_boxes (Ranks *r)
{
  guint widest = 1;
  for (guint k = 0; k < r->n_ranks; k++) {
    widest = MAX (widest, r->rank_first[k + 1] - r->rank_first[k]);
    float x = 0;
    for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++) {
      if (i > r->rank_first[k])
        x += gap_between (r, r->order[i - 1], r->order[i]);
      r->x[r->order[i]] = x;
    }
    for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++)
      r->x[r->order[i]] -= x / 2;
  }
  float *want = g_new (float, widest), *weight = g_new (float, widest);
  Pool *pools = g_new (Pool, widest);
  gboolean cancelled = FALSE;
  for (guint round = 0; round < PLACINGS && !(cancelled = g_cancellable_is_cancelled (r->cancellable)); round++)
    for (guint step = 0; step < r->n_ranks; step++) {
      gboolean downwards = round % 2 == 0;
      guint k = downwards ? step : r->n_ranks - 1 - step;
      for (guint i = r->rank_first[k]; i < r->rank_first[k + 1]; i++) {
        guint32 v = r->order[i];
        double sum = 0, total = 0;
        for (int side = 0; side < 2; side++) {
          const guint32 *first = side ? r->down_first : r->up_first, *list = side ? r->down : r->up;
          /* the side that was just placed has more weight; bends pull bends, or long edges zigzag */
          double w = (side == 0) == downwards ? 1 : round + 2 >= PLACINGS ? 0.5 : 0.1;
          for (guint e = first[v]; e < first[v + 1]; e++) {
            double f = w * (v >= r->in->n && list[e] >= r->in->n ? 8 : 1);
            sum += r->x[list[e]] * f;
            total += f;
          }
        }
        guint j = i - r->rank_first[k];
        want[j] = total > 0 ? (float) (sum / total) : r->x[v];
        weight[j] = v >= r->in->n ? 4 : total > 0 ? 1 : 0.1f;
      }
      place_rank (r, k, want, weight, pools);
    }
  g_free (want); g_free (weight); g_free (pools);
  return !cancelled;
}

static LsLayout *
write_layout (const Ranks *r)
{
  const LsLayoutInput *in = r->in;
  LsLayout *l = ls_layout_new (in->n, in->n_edges);
  for (guint v = 0; v < in->n; v++) {
    l->x[v] = r->x[v] - in->width[v] / 2;
    l->y[v] = (float) r->rank[v] * LS_RANK_PITCH;
  }
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  for (guint e = 0; e < in->n_edges; e++) {
    guint32 a = in->from[e], b = in->to[e];
    l->first[e] = points->len / 2;
    float start[2] = { r->x[a], l->y[a] + LS_SCENE_HEIGHT };
    g_array_append_vals (points, start, 2);
    if (r->edge_bend[e] != LS_NO_NODE)
      for (gint32 k = r->rank[a] + 1; k < r->rank[b]; k++) {
        guint32 bend = r->edge_bend[e] + (guint32) (k - r->rank[a] - 1);
        ls_route_pass (points, 2 * l->first[e], r->x[bend], (float) k * LS_RANK_PITCH);
      }
    ls_route_curve (points, r->x[b], l->y[b]);
  }
  l->first[in->n_edges] = points->len / 2;
  l->points = g_memdup2 (points->data, points->len * sizeof (float));
  ls_layout_normalize (l, in);
  return l;
}

LsLayout *
ls_ranks_layout (const LsLayoutInput *input, GCancellable *cancellable)
{
  gint64 start = g_get_monotonic_time ();
  Ranks r = { .in = input, .cancellable = cancellable, .rank = g_new0 (gint32, MAX (input->n, 1)) };
  assign_ranks (&r);
  make_bends (&r);
  group (r.n, r.m, r.to, r.from, &r.up_first, &r.up);
  group (r.n, r.m, r.from, r.to, &r.down_first, &r.down);
  r.at = g_new0 (guint32, MAX (r.n, 1));
  r.x = g_new0 (float, MAX (r.n, 1));
  first_order (&r);
  LsLayout *l = order_ranks (&r) && place_boxes (&r) ? write_layout (&r) : NULL;
  if (l)
    l->ms = (double) (g_get_monotonic_time () - start) / 1000;
  gpointer all[] = { r.rank, r.from, r.to, r.edge_bend, r.up_first, r.up, r.down_first, r.down, r.rank_first, r.order, r.at, r.x };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]);
  return l;
}
