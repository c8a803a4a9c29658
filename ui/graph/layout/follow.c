/* A layout that follows another one.
 *
 * The reader's mental map (Misue, Eades, Lai and Sugiyama, Layout adjustment and the mental map, 1995) is kept by keeping places:
 *
 *   ranks    follow-ranks.c
 *   stay     an old box keeps its middle. Boxes of a rank that now overlap, because words grew or a rank changed, move by the least
 *            squares that their order allows (isotonic regression, as in ranks.c).
 *   appear   a new box goes to the position that its neighbours want, into the nearest gap of a rank that it may be on. Its neighbours
 *            in the rank make space only if every gap is far away.
 *   ways     follow-route.c
 */
#include "follow.h"
#include "scene.h"

#include <math.h>

#define FAR_AWAY 420.0f      /* no gap this near: make room */
#define PER_RANK 70.0f       /* the cost of another rank than the first choice */

LsKeep *
ls_keep_new (guint n)
{
  LsKeep *keep = g_new0 (LsKeep, 1);
  keep->n = n;
  keep->x = g_new (float, MAX (n, 1));
  keep->rank = g_new0 (gint32, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    keep->x[i] = NAN;
  return keep;
}

void
ls_keep_free (LsKeep *keep)
{
  if (!keep)
    return;
  g_free (keep->x);
  g_free (keep->rank);
  g_free (keep);
}

double
ls_layout_ink (const LsLayout *layout, const LsLayoutInput *input)
{
  double ink = 0;
  for (guint e = 0; e < input->n_edges; e++) {
    guint32 a = input->from[e], b = input->to[e];
    ink += fabs (layout->x[a] + input->width[a] / 2 - layout->x[b] - input->width[b] / 2) + fabs (layout->y[a] - layout->y[b]);
  }
  return ink;
}

/* A rank's boxes from left to right. */
typedef GArray Row;      /* guint32 */

typedef struct {
  LsFollow f;
  gint32   top;
  guint    n_rows;
  Row    **rows;
} Work;

static Row *
row_of (Work *w, gint32 rank)
{
  if (rank < w->top || rank >= w->top + (gint32) w->n_rows)
    return NULL;
  Row **row = &w->rows[rank - w->top];
  if (!*row)
    *row = g_array_new (FALSE, FALSE, sizeof (guint32));
  return *row;
}

static float
apart (const LsFollow *f, guint a, guint b)
{
  return (f->in->width[a] + f->in->width[b]) / 2 + LS_NODE_GAP;
}

typedef struct { double sum; guint n; } Pool;

/* Boxes of a row give way to each other, as little as possible, and keep their order. */
static void
relax (LsFollow *f, Row *row, Pool *pools)
{
  guint n = 0;
  double offset = 0;
  for (guint i = 0; i < row->len; i++) {
    guint32 v = g_array_index (row, guint32, i);
    if (i)
      offset += apart (f, g_array_index (row, guint32, i - 1), v);
    Pool p = { f->x[v] - offset, 1 };
    while (n && pools[n - 1].sum / pools[n - 1].n > p.sum / p.n) {
      n--;
      p = (Pool) { p.sum + pools[n].sum, p.n + pools[n].n };
    }
    pools[n++] = p;
  }
  offset = 0;
  for (guint q = 0, i = 0; q < n; q++)
    for (guint c = 0; c < pools[q].n; c++, i++) {
      guint32 v = g_array_index (row, guint32, i);
      if (i)
        offset += apart (f, g_array_index (row, guint32, i - 1), v);
      if (pools[q].n > 1)
        f->x[v] = (float) (pools[q].sum / pools[q].n + offset);
    }
}

typedef struct { float x; guint32 node; } Sortable;

static int
by_x (gconstpointer a, gconstpointer b)
{
  const Sortable *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x ? 1 : p->node < q->node ? -1 : p->node > q->node;
}

static void
stay (Work *w, Pool *pools)
{
  LsFollow *f = &w->f;
  Sortable *all = g_new (Sortable, MAX (f->in->n, 1));
  guint n = 0;
  for (guint v = 0; v < f->in->n; v++) {
    f->x[v] = f->keep->x[v];
    if (!isnan (f->x[v]))
      all[n++] = (Sortable) { f->x[v], v };
  }
  qsort (all, n, sizeof *all, by_x);
  for (guint i = 0; i < n; i++)
    g_array_append_val (row_of (w, f->rank[all[i].node]), all[i].node);
  for (guint r = 0; r < w->n_rows; r++)
    if (w->rows[r])
      relax (f, w->rows[r], pools);
  g_free (all);
}

/* The nearest middle to want at which a box of that width is clear of others, and the place in the row that this is. */
static float
find_gap (const LsFollow *f, const Row *row, float width, float want, guint *at)
{
  float best = NAN, right = -G_MAXFLOAT;
  for (guint i = 0; i <= row->len; i++) {
    float low = i ? right + LS_NODE_GAP + width / 2 : -G_MAXFLOAT, high = G_MAXFLOAT;
    if (i < row->len) {
      guint32 v = g_array_index (row, guint32, i);
      high = f->x[v] - f->in->width[v] / 2 - LS_NODE_GAP - width / 2;
      right = f->x[v] + f->in->width[v] / 2;
    }
    if (low > high + 0.01f)
      continue;
    float x = want < low ? low : want > high ? high : want;
    if (isnan (best) || fabsf (x - want) < fabsf (best - want)) {
      best = x;
      *at = i;
    } else if (low > want)
      break;
  }
  return best;
}

/* The position that its placed neighbours want; NaN if none is placed. */
static float
wanted (const LsFollow *f, guint v)
{
  double sum = 0, weight = 0;
  for (guint k = f->into.first[v]; k < f->into.first[v + 1]; k++) {
    guint e = f->into.list[k];
    float x = f->x[f->in->from[e]];
    if (!isnan (x)) {
      sum += x - f->port[e];
      weight++;
    }
  }
  for (guint k = f->out.first[v]; k < f->out.first[v + 1]; k++) {
    guint e = f->out.list[k];
    float x = f->x[f->in->to[e]];
    if (!isnan (x)) {
      sum += x + f->port[e];
      weight++;
    }
  }
  return weight > 0 ? (float) (sum / weight) : NAN;
}

static void
appear (Work *w, guint v, float want, Pool *pools)
{
  LsFollow *f = &w->f;
  gint32 low = f->rank[v], high = f->rank[v], chosen = f->rank[v];
  gboolean above = FALSE, below = FALSE;
  for (guint k = f->into.first[v]; k < f->into.first[v + 1]; k++) {
    guint32 u = f->in->from[f->into.list[k]];
    if (f->place[u] < f->place[v]) {
      low = above ? MAX (low, f->rank[u] + 1) : f->rank[u] + 1;
      above = TRUE;
    }
  }
  for (guint k = f->out.first[v]; k < f->out.first[v + 1]; k++) {
    guint32 u = f->in->to[f->out.list[k]];
    if (f->place[u] > f->place[v]) {
      high = below ? MIN (high, f->rank[u] - 1) : f->rank[u] - 1;
      below = TRUE;
    }
  }
  low = MAX (above ? low : chosen - 3, MAX (chosen - 3, w->top));
  high = MIN (below ? high : chosen + 3, MIN (chosen + 3, w->top + (gint32) w->n_rows - 1));
  float best = NAN, cost = G_MAXFLOAT;
  guint place = 0;
  for (gint32 r = low; r <= high; r++) {
    guint at = 0;
    float x = find_gap (f, row_of (w, r), f->in->width[v], want, &at), c = fabsf (x - want) + PER_RANK * (float) ABS (r - f->rank[v]);
    if (!isnan (x) && c < cost) {
      best = x;
      cost = c;
      chosen = r;
      place = at;
    }
  }
  if (isnan (best) || cost > FAR_AWAY) {
    chosen = f->rank[v];
    Row *row = row_of (w, chosen);
    for (place = 0; place < row->len && f->x[g_array_index (row, guint32, place)] < want; )
      place++;
    f->x[v] = want;
    guint32 id = v;
    g_array_insert_val (row, place, id);
    relax (f, row, pools);
    return;
  }
  f->x[v] = best;
  f->rank[v] = chosen;
  guint32 id = v;
  g_array_insert_val (row_of (w, chosen), place, id);
}

static gboolean
appear_all (Work *w, Pool *pools, GCancellable *cancellable)
{
  LsFollow *f = &w->f;
  guint n = f->in->n, left = 0;
  for (guint v = 0; v < n; v++)
    left += isnan (f->x[v]);
  /* in the direction of the edges, then against it; unconnected boxes come last */
  for (guint round = 0; left; round++) {
    guint was = left;
    for (guint i = 0; i < n && left; i++) {
      guint v = f->topo[round % 2 ? n - 1 - i : i];
      if (!isnan (f->x[v]))
        continue;
      float want = wanted (f, v);
      if (isnan (want) && round >= 2 && was == left)
        want = 0;
      if (isnan (want))
        continue;
      appear (w, v, want, pools);
      left--;
      if (left % 256 == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
    }
  }
  return TRUE;
}

static void
find_ports (LsFollow *f)
{
  for (guint v = 0; v < f->in->n; v++) {
    guint begin = f->into.first[v], n = f->into.first[v + 1] - begin;
    for (guint k = 0; k < n; k++)
      f->port[f->into.list[begin + k]] = f->in->width[v] * (((float) k + 1) / ((float) n + 1) - 0.5f);
  }
}

LsLayout *
ls_follow_layout (const LsLayoutInput *input, const LsKeep *keep, GCancellable *cancellable)
{
  g_return_val_if_fail (input != NULL && keep != NULL && keep->n == input->n, NULL);
  gint64 start = g_get_monotonic_time ();
  guint n = input->n, size = MAX (n, 1);
  Work w = { .f = { .in = input, .keep = keep, .topo = g_new (guint32, size), .place = g_new (guint32, size), .rank = g_new0 (gint32, size),
                    .x = g_new (float, size), .port = g_new0 (float, MAX (input->n_edges, 1)) } };
  LsFollow *f = &w.f;
  ls_lists_init (&f->out, n, input->n_edges, input->from, NULL);
  ls_lists_init (&f->into, n, input->n_edges, input->to, NULL);
  find_ports (f);
  ls_follow_ranks (f);
  gint32 bottom = G_MININT32;
  w.top = G_MAXINT32;
  for (guint v = 0; v < n; v++) {
    w.top = MIN (w.top, f->rank[v]);
    bottom = MAX (bottom, f->rank[v]);
  }
  w.n_rows = n ? (guint) (bottom - w.top + 1) : 0;
  w.rows = g_new0 (Row *, MAX (w.n_rows, 1));
  Pool *pools = g_new (Pool, size);
  stay (&w, pools);
  LsLayout *l = NULL;
  if (appear_all (&w, pools, cancellable) && !g_cancellable_is_cancelled (cancellable)) {
    l = ls_layout_new (n, input->n_edges);
    for (guint v = 0; v < n; v++) {
      l->x[v] = f->x[v] - input->width[v] / 2;
      l->y[v] = (float) f->rank[v] * LS_RANK_PITCH;
    }
    ls_follow_route (f, l);
    ls_layout_measure (l, input);
    l->ms = (double) (g_get_monotonic_time () - start) / 1000;
  }
  for (guint r = 0; r < w.n_rows; r++)
    if (w.rows[r])
      g_array_unref (w.rows[r]);
  ls_lists_clear (&f->out);
  ls_lists_clear (&f->into);
  gpointer all[] = { w.rows, pools, f->topo, f->place, f->rank, f->x, f->port };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]);
  return l;
}
