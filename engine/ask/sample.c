/* Samples of large results. See sample.h.
 *
 * Below the kernel AST some iterations of the ranges write an element. Bounds say which: a box of iterations whose index cannot be the
 * element is left out, any other is cut in two, until single iterations are left. Every node carries bounds, so that this works for any
 * index; an iteration too many only costs time, and none is missed. Then each range becomes a load from a table of those iterations, at
 * one range over its rows: a graph like any other, which both evaluators take.
 */
#include "sample.h"

#include "codegen/codegen.h"
#include "ir/axis.h"
#include "ir/names.h"
#include "rewrite/rewrite.h"

#define LARGE        (G_GUINT64_CONSTANT (1) << 24)
#define MOST_RANGES  32
#define MOST_BOXES   20000       /* looked at for one element */
#define MOST_TURNS   4096
#define TABLE_AXIS   2000        /* no kernel has an axis of that number */

static int
ascending (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

/* Half of them are at edges of axes, where masks and paddings go wrong. */
GArray *
ls_sample_choose (LsShape shape, guint n)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GRand) rand = g_rand_new_with_seed (14);
  guint64 size = (guint64) ls_shape_size (shape);
  for (guint64 i = 0; size <= n && i < size; i++)
    g_array_append_val (out, i);
  for (guint i = 0; size > n && i < n; i++) {
    guint64 at = 0;
    for (guint k = 0; k < shape.n; k++) {
      guint64 dim = (guint64) shape.dims[k], any = (guint64) (g_rand_double (rand) * (double) dim), kind = g_rand_int_range (rand, 0, 4);
      at = at * dim + (i == 0 || (i > 1 && i % 2 && kind == 0) ? 0 : i == 1 || (i % 2 && kind == 1) ? dim - 1 : MIN (any, dim - 1));
    }
    g_array_append_val (out, at);
  }
  g_array_sort (out, ascending);
  guint kept = 0;
  for (guint i = 0; i < out->len; i++)
    if (i == 0 || g_array_index (out, guint64, i) != g_array_index (out, guint64, kept - 1))
      g_array_index (out, guint64, kept++) = g_array_index (out, guint64, i);
  g_array_set_size (out, kept);
  return out;
}

gboolean
ls_graph_is_large (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsShape shape;
    if (ls_uop_get_shape (ctx, order->pdata[i], &shape, NULL) && (guint64) ls_shape_size (shape) > LARGE)
      return TRUE;
  }
  return FALSE;
}

/* Ranges, and an iteration of them or a box of iterations: from lo on, n. */
typedef struct {
  guint  n;
  LsUOp *range[MOST_RANGES];
} Ranges;

typedef struct { gint64 lo[MOST_RANGES], n[MOST_RANGES]; } Box;

static gboolean
ranges_add (Ranges *r, LsUOp *u)
{
  for (guint i = 0; i < r->n; i++)
    if (r->range[i] == u)
      return TRUE;
  if (r->n == MOST_RANGES)
    return FALSE;
  r->range[r->n++] = u;
  return TRUE;
}

static gboolean
ranges_below (LsContext *ctx, LsUOp *u, Ranges *r)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, u);
  gboolean room = TRUE;
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_RANGE || ((LsUOp *) order->pdata[i])->op == LS_OP_SPECIAL)
      room &= ranges_add (r, order->pdata[i]);
  return room;
}

/* A store's index node, behind casts and lanes of pointers; NULL: it has none. */
static LsUOp *
index_of_store (const LsUOp *store)
{
  LsUOp *p = store->src[0];
  while (p->n_src > 0 && (p->op == LS_OP_CAST || p->op == LS_OP_UNROLL))
    p = p->src[0];
  return p->op == LS_OP_INDEX && p->n_src > 1 ? p : NULL;
}

static gboolean
writes_argument (const LsUOp *store, guint argument)
{
  const LsUOp *p = store->src[0];
  while (p->n_src > 0 && p->op != LS_OP_DEFINE_GLOBAL)
    p = p->src[0];
  return p->op == LS_OP_DEFINE_GLOBAL && p->arg.i == argument;
}

/* The bounds of an index and its gate over a box. */
static gboolean
may_write (LsContext *ctx, const LsUOp *store, const LsUOp *index, const Ranges *r, const Box *box, guint64 element, guint64 *width)
{
  LsUOp *from[MOST_RANGES], *to[MOST_RANGES], *both[2] = { index->src[1], index->n_src > 2 ? index->src[2] : index->src[1] };
  for (guint k = 0; k < r->n; k++) {
    LsUOp *low = ls_uop_const_i (ctx, r->range[k]->dtype, box->lo[k]);
    from[k] = r->range[k];
    to[k] = box->n[k] == 1 ? low : ls_uop_alu2 (ctx, LS_OP_ADD, ls_range_new (ctx, r->range[k]->dtype, box->n[k], TABLE_AXIS + k,
                                                                              LS_AXIS_LOOP, 0), low);
  }
  LsUOp *sink = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 2, both, ls_arg_none ());
  sink = ls_uop_substitute (ctx, sink, r->n, from, to);
  gint64 lo, hi, closed, open;
  ls_uop_bounds (ctx, sink->src[0], &lo, &hi);
  ls_uop_bounds (ctx, sink->src[1], &closed, &open);
  __int128 unit = ls_dtype_lanes (index->src[0]->dtype), lanes = ls_dtype_lanes (store->src[1]->dtype), first = lo * unit,
           last = hi * unit + MAX (lanes, unit) - 1;
  *width = last - first > G_MAXINT64 ? G_MAXINT64 : (guint64) (last - first);
  return (__int128) element >= first && (__int128) element <= last && (index->n_src < 3 || open != 0);
}

static Box
half (const Box *box, guint k, gboolean upper)
{
  Box h = *box;
  h.n[k] = upper ? box->n[k] - box->n[k] / 2 : box->n[k] / 2;
  h.lo[k] += upper ? box->n[k] / 2 : 0;
  return h;
}

/* Every turn that may write the element is added to turns (Box). FALSE: they cannot be determined. */
static gboolean
find_turns (LsContext *base, const LsUOp *store, const Ranges *r, guint64 element, GArray *turns)
{
  const LsUOp *index = index_of_store (store);
  g_autoptr (LsContext) ctx = ls_context_new_over (base);
  g_autoptr (GArray) boxes = g_array_new (FALSE, TRUE, sizeof (Box));
  guint64 width;
  Box all = { 0 };
  if (!index)
    return FALSE;
  for (guint k = 0; k < r->n; k++)
    all.n[k] = ls_range_size (r->range[k]);
  g_array_append_val (boxes, all);
  for (guint looked = 0; boxes->len > 0; looked++) {
    Box box = g_array_index (boxes, Box, boxes->len - 1);
    g_array_set_size (boxes, boxes->len - 1);
    if (looked == MOST_BOXES)
      return FALSE;
    if (!may_write (ctx, store, index, r, &box, element, &width))
      continue;
    guint cut = MOST_RANGES;
    guint64 least = G_MAXUINT64;
    for (guint k = 0; k < r->n; k++) {
      if (box.n[k] < 2)
        continue;
      Box h = half (&box, k, FALSE);      /* the source that narrows the index most is tried first */
      may_write (ctx, store, index, r, &h, element, &width);
      if (width < least || cut == MOST_RANGES) {
        least = width;
        cut = k;
      }
    }
    if (cut == MOST_RANGES) {
      g_array_append_val (turns, box);
      continue;
    }
    Box lower = half (&box, cut, FALSE), upper = half (&box, cut, TRUE);
    g_array_append_val (boxes, upper);
    g_array_append_val (boxes, lower);
  }
  return TRUE;
}

/* The graph whose ranges are read from tables of the iterations. */
static LsUOp *
over_turns (LsContext *ctx, LsUOp *root, const Ranges *r, const GArray *turns, guint first_table, GArray *tables, GPtrArray *axes)
{
  LsUOp *from[MOST_RANGES], *to[MOST_RANGES], *row = ls_range_new (ctx, LS_INT32, MAX (turns->len, 1), TABLE_AXIS, LS_AXIS_LOOP, 0);
  for (guint k = 0; k < r->n; k++) {
    LsEvalBuffer table = { first_table + k, LS_INT64, MAX (turns->len, 1), g_malloc0 (MAX (turns->len, 1) * sizeof (gint64)) };
    LsUOp *memory = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_INT64, LS_SPACE_GLOBAL, turns->len),
                                 ls_arg_int (first_table + k));
    for (guint i = 0; i < turns->len; i++)
      ((gint64 *) (gpointer) table.data)[i] = g_array_index (turns, Box, i).lo[k];
    g_array_append_val (tables, table);
    from[k] = r->range[k];
    to[k] = ls_uop_cast (ctx, ls_uop_new1 (ctx, LS_OP_LOAD, LS_INT64, ls_uop_new2 (ctx, LS_OP_INDEX, memory->dtype, memory, row,
                                                                                   ls_arg_none ()), ls_arg_none ()), from[k]->dtype);
    if (axes) {
      g_ptr_array_add (axes, from[k]);
      g_ptr_array_add (axes, to[k]);
    }
  }
  return ls_uop_substitute (ctx, root, r->n, from, to);
}

LsUOp *
ls_sample_turns (LsContext *ctx, LsUOp *root, guint argument, guint64 n_elements, const guint64 *elements, guint first_table,
                 GArray *tables,
                 GError **error)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root), stores = g_ptr_array_new ();
  g_autoptr (GArray) turns = g_array_new (FALSE, TRUE, sizeof (Box));
  Ranges ranges = { 0 };
  gboolean told = TRUE;
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_STORE && writes_argument (order->pdata[i], argument)) {
      g_ptr_array_add (stores, order->pdata[i]);
      told = told && index_of_store (order->pdata[i]) && ranges_below (ctx, index_of_store (order->pdata[i]), &ranges);
    }
  for (guint s = 0; s < stores->len; s++)
    for (guint64 i = 0; i < n_elements && told && turns->len <= MOST_TURNS; i++)
      told = find_turns (ctx, stores->pdata[s], &ranges, elements[i], turns);
  if (told && stores->len > 0 && turns->len > 0 && turns->len <= MOST_TURNS)
    return over_turns (ctx, root, &ranges, turns, first_table, tables, NULL);
  g_set_error (error, LS_ERROR, LS_ERROR_RUN, "it cannot be determined which "
                                              "iterations of its ranges write %" G_GUINT64_FORMAT " of its elements",
               n_elements);
  return NULL;
}

static int
by_order (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  gint64 m = x->op == LS_OP_RANGE ? ls_range_order (x) : -1, n = y->op == LS_OP_RANGE ? ls_range_order (y) : -1;
  return m < n ? -1 : m > n;
}

LsUOp *
ls_sample_ranges (LsContext *ctx, LsUOp *root, guint n, guint first_table, GArray *tables, GPtrArray *axes, guint64 *n_turns)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  g_autoptr (GHashTable) reduced = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) turns = g_array_new (FALSE, TRUE, sizeof (Box));
  Ranges all = { 0 }, ranges = { 0 };
  gint64 dims[MOST_RANGES];
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    for (guint k = 1; u->op == LS_OP_REDUCE && k < u->n_src; k++)
      g_hash_table_add (reduced, u->src[k]);
  }
  if (!ranges_below (ctx, root, &all))
    return NULL;
  for (guint k = 0; k < all.n; k++)
    if (!g_hash_table_contains (reduced, all.range[k]))
      ranges.range[ranges.n++] = all.range[k];
  g_qsort_with_data (ranges.range, (gint) ranges.n, sizeof (LsUOp *), by_order, NULL);
  for (guint k = 0; k < ranges.n; k++)
    dims[k] = ls_range_size (ranges.range[k]);
  LsShape shape = { ranges.n, dims };
  *n_turns = (guint64) ls_shape_size (shape);
  g_autoptr (GArray) chosen = ls_sample_choose (shape, n);
  for (guint i = 0; i < chosen->len; i++) {
    guint64 at = g_array_index (chosen, guint64, i);
    Box box = { 0 };
    for (guint k = ranges.n; k-- > 0; at /= (guint64) dims[k])
      box.lo[k] = (gint64) (at % (guint64) dims[k]);
    g_array_append_val (turns, box);
  }
  return turns->len ? over_turns (ctx, root, &ranges, turns, first_table, tables, axes) : NULL;
}

char *
ls_sample_where (LsEvaluation *e, const LsNames *names, LsUOp *node, guint64 i, const GPtrArray *axes)
{
  GString *s = g_string_new ("(");
  for (guint k = 0; k + 1 < axes->len; k += 2) {
    g_autofree char *name = ls_label_of_loop (names, axes->pdata[k]);
    LsScalar at;
    if (!ls_evaluation_at (e, node, i, axes->pdata[k + 1], &at))
      continue;
    g_string_append_printf (s, "%s%s=%" G_GINT64_FORMAT, s->len > 1 ? ", " : "", name, at.i);
  }
  return g_string_free (g_string_append_c (s, ')'), FALSE);
}

void
ls_sample_free_tables (GArray *tables)
{
  for (guint i = 0; i < tables->len; i++)
    g_free (g_array_index (tables, LsEvalBuffer, i).data);
  g_array_set_size (tables, 0);
}
