/* Ways of edges between boxes whose places are fixed.
 *
 * An edge over several ranks goes straight down from its source or straight into its port, whichever meets fewer boxes, and on each rank
 * steps aside into the nearest gap: neighbouring boxes are at least LS_NODE_GAP apart, so there always is one. Nothing is moved for it.
 */
#include "follow.h"
#include "route.h"
#include "scene.h"

#define MAX_SPAN  200
#define MAX_BENDS 400000
#define CLEAR     (LS_NODE_GAP / 2.0f)

typedef struct { gint32 rank; float x; guint32 node; } Cell;

typedef struct {
  const LsFollow *f;
  Cell   *cells;            /* boxes by rank and place */
  gint32  top;
  guint   n_ranks;
  guint32 *first;           /* of a rank's cells */
} Rows;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Cell *p = a, *q = b;
  if (p->rank != q->rank)
    return p->rank < q->rank ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x ? 1 : p->node < q->node ? -1 : p->node > q->node;
}

/* The free place nearest to x in a rank. */
static float
gap_near (const Rows *rows, gint32 rank, float x, float aside)
{
  guint begin = rows->first[rank - rows->top], end = rows->first[rank - rows->top + 1];
  guint low = begin, high = end;
  while (low < high) {
    guint mid = (low + high) / 2;
    if (rows->cells[mid].x < x)
      low = mid + 1;
    else
      high = mid;
  }
  /* the only boxes that can be met are the last one that begins before x and the first one after */
  for (guint i = low > begin ? low - 1 : low; i < end && i <= low; i++) {
    float half = rows->f->in->width[rows->cells[i].node] / 2, left = rows->cells[i].x - half - CLEAR,
          right = rows->cells[i].x + half + CLEAR;
    if (x > left && x < right)
      return x - left < right - x ? left + aside : right + aside;
  }
  return x;
}

static guint
blocked (const Rows *rows, gint32 from, gint32 to, float x)
{
  guint n = 0;
  for (gint32 r = from + 1; r < to; r++)
    n += gap_near (rows, r, x, 0) != x;
  return n;
}

void
ls_follow_route (const LsFollow *f, LsLayout *layout)
{
  const LsLayoutInput *in = f->in;
  Rows rows = { .f = f, .cells = g_new (Cell, MAX (in->n, 1)), .top = G_MAXINT32 };
  gint32 last = G_MININT32;
  for (guint v = 0; v < in->n; v++) {
    rows.cells[v] = (Cell) { f->rank[v], f->x[v], v };
    rows.top = MIN (rows.top, f->rank[v]);
    last = MAX (last, f->rank[v]);
  }
  qsort (rows.cells, in->n, sizeof (Cell), by_place);
  rows.n_ranks = in->n ? (guint) (last - rows.top + 1) : 0;
  rows.first = g_new0 (guint32, rows.n_ranks + 2);
  for (guint v = 0; v < in->n; v++)
    rows.first[f->rank[v] - rows.top + 1]++;
  for (guint r = 0; r < rows.n_ranks; r++)
    rows.first[r + 1] += rows.first[r];
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  guint bends = 0;
  for (guint e = 0; e < in->n_edges; e++) {
    guint32 a = in->from[e], b = in->to[e];
    float start[2] = { f->x[a], (float) f->rank[a] * LS_RANK_PITCH + LS_SCENE_HEIGHT }, end = f->x[b] + f->port[e];
    gint32 span = f->rank[b] - f->rank[a];
    layout->first[e] = points->len / 2;
    g_array_append_vals (points, start, 2);
    if (span > 1 && span <= MAX_SPAN && bends + (guint) span < MAX_BENDS) {
      bends += (guint) span;
      float x = blocked (&rows, f->rank[a], f->rank[b], end) <= blocked (&rows, f->rank[a], f->rank[b], start[0]) ? end : start[0];
      float aside = ((float) (e % 3) - 1) * 3;
      for (gint32 r = f->rank[a] + 1; r < f->rank[b]; r++)
        ls_route_pass (points, 2 * layout->first[e], gap_near (&rows, r, x, aside), (float) r * LS_RANK_PITCH);
    }
    ls_route_curve (points, end, (float) f->rank[b] * LS_RANK_PITCH);
  }
  layout->first[in->n_edges] = points->len / 2;
  layout->points = g_memdup2 (points->data, points->len * sizeof (float));
  g_free (rows.cells);
  g_free (rows.first);
}
