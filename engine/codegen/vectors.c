/* Terms of devectorize.rules and coalesce.rules: the vectors that the target keeps (DEVECTORIZE=0), and the split of wider ones.
 *
 * A kept vector is at most as wide as the target's registers; a wider one is split into pieces. Its users see their lanes, and all lanes
 * of one piece are that piece again. Lanes of a load or store with consecutive indices are one access; to make this visible, they form a
 * vector of indices until these are simplified. Their gates are too, and one that is the same for all lanes is the whole access's; where
 * lanes differ they are halved, and halved again. Where arithmetic is scalar, accesses with gates are cut to scalars, but where every
 * gate is known then.
 *
 * If arithmetic is scalar and a profile has vectors for memory only, loads and stores stay whole until then, and their lanes, which may
 * use elements twice and in any order, are sorted by address.
 */
#include "codegen.h"

#include "rules/linear.h"

#include <math.h>
#include <string.h>

/* Operations that C's vector extensions compute lane by lane. Halves are rounded after each op, narrow integers wrap in their own width. */
static gboolean
is_computed (LsOp op, LsDType dtype)
{
  LsBase base = ls_dtype_base (dtype);
  gboolean is_float = base == LS_BASE_FLOAT || base == LS_BASE_DOUBLE;
  if (ls_dtype_is_ptr (dtype) || (!is_float && base != LS_BASE_INT32 && base != LS_BASE_UINT32 && base != LS_BASE_INT64 &&
                                  base != LS_BASE_UINT64))
    return FALSE;
  switch ((int) op) {
  case LS_OP_ADD: case LS_OP_SUB: case LS_OP_MUL: case LS_OP_LOAD: case LS_OP_STORE: case LS_OP_DEFINE_ACC: case LS_OP_PHI: return TRUE;
  case LS_OP_FDIV: return is_float;
  case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR: return !is_float;
  default: return FALSE;
  }
}

/* Is it a sum's, whose additions are vectors? A maximum's are choices, which have no vector form. */
static gboolean
is_sum (const LsUOp *acc)
{
  LsArg start;
  const LsUOp *x = acc->n_src ? acc->src[0] : NULL;
  while (x && (x->op == LS_OP_VECTORIZE || x->op == LS_OP_GEP))
    x = x->src[0];
  return x && ls_uop_const_value ((LsUOp *) x, &start) && (ls_dtype_is_float (x->dtype) ? start.f == 0 || start.f == 1 : start.i == 0 ||
                                                           start.i == 1);
}

static const LsUOp *
accumulator_of (const LsUOp *phi)
{
  const LsUOp *a = phi->n_src ? phi->src[0] : NULL;
  if (a && a->op == LS_OP_VECTORIZE && a->src[0]->op == LS_OP_GEP)
    a = a->src[0]->src[0];
  return a && a->op == LS_OP_DEFINE_ACC ? a : NULL;
}

/* Are the gates of all lanes the same in every iteration of every loop? Then each is open or closed once it is simplified. */
static gboolean
has_known_gates (LsContext *ctx, const LsUOp *indices)
{
  for (guint i = 0; i < indices->n_src; i++) {
    const LsUOp *index = indices->src[i];
    if (indices->op != LS_OP_VECTORIZE || index->op != LS_OP_INDEX || index->n_src != 3)
      return FALSE;
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, index->src[2]);
    for (guint k = 0; k < order->len; k++)
      if (((LsUOp *) order->pdata[k])->op == LS_OP_RANGE || ((LsUOp *) order->pdata[k])->op == LS_OP_SPECIAL ||
          ((LsUOp *) order->pdata[k])->op == LS_OP_LOAD)
        return FALSE;
  }
  return TRUE;
}

static gboolean
keeps_vector (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsVectorContext *pass = call->pass;
  const LsUOp *u = args[0].node, *value = u->op == LS_OP_STORE && u->n_src > 1 ? u->src[1] : u;
  LsBase base = ls_dtype_base (value->dtype);
  gboolean memory = pass->lanes > 0 && (u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && (base == LS_BASE_FLOAT || base == LS_BASE_HALF);
  out->holds = ls_dtype_lanes (value->dtype) > 1 && (memory || (pass->bytes > 0 && is_computed (u->op, value->dtype)));
  if (u->op == LS_OP_LOAD)
    out->holds &= u->n_src == 1 || pass->bytes > 0 || (memory && has_known_gates (call->ctx, u->src[0]));
  if (u->op == LS_OP_STORE && u->src[0]->op == LS_OP_VECTORIZE)
    out->holds &= u->src[0]->src[0]->n_src == 2 || pass->bytes > 0;      /* a gate */
  if (u->op == LS_OP_DEFINE_ACC)
    out->holds &= is_sum (u);
  if (u->op == LS_OP_PHI)
    out->holds &= accumulator_of (u) && ls_dtype_lanes (accumulator_of (u)->dtype) > 1;
  return TRUE;
}

/* --- lanes --- */

static LsUOp *
lane_of (LsContext *ctx, LsUOp *x, gint64 i)
{
  if (x->op == LS_OP_VECTORIZE)
    return x->src[i];
  return ls_dtype_lanes (x->dtype) == 1 ? x : ls_uop_new1 (ctx, LS_OP_GEP, ls_dtype_vec (x->dtype, 1), x, ls_arg_ints (ctx, 1, &i));
}

/* The vector whose lanes are these nodes, in order. */
static LsUOp *
vector_of (guint n, LsUOp *const *lanes)
{
  LsUOp *x = n > 1 && lanes[0]->op == LS_OP_GEP ? lanes[0]->src[0] : NULL;
  if (!x || ls_dtype_lanes (x->dtype) != n)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (lanes[i]->op != LS_OP_GEP || lanes[i]->src[0] != x || lanes[i]->arg.n != 1 || lanes[i]->arg.ints[0] != i)
      return NULL;
  return x;
}

/* Lanes first … first + n - 1. */
static LsUOp *
piece_of (LsContext *ctx, LsUOp *x, guint first, guint n)
{
  LsUOp *lanes[MAX_LANES], *whole;
  for (guint i = 0; i < n; i++)
    lanes[i] = lane_of (ctx, x, first + i);
  whole = vector_of (n, lanes);
  return whole ? whole : n == 1 ? lanes[0] : ls_uop_new (ctx, LS_OP_VECTORIZE, ls_dtype_vec (x->dtype, n), n, lanes, ls_arg_none ());
}

static gboolean
are_lanes (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = vector_of (args[0].node->n_src, args[0].node->src) == args[1].node;
  return TRUE;
}

/* The node on pieces of n lanes, combined; the pieces of a store are a list. */
static LsUOp *
in_pieces (LsContext *ctx, LsUOp *u, guint lanes, guint n)
{
  LsUOp *all[MAX_LANES], *src[LS_MAX_AXES + 3];
  guint first_range = u->op == LS_OP_PHI ? 2 : u->op == LS_OP_DEFINE_ACC ? 1 : u->n_src, n_all = 0;
  if (lanes > MAX_LANES || lanes % n != 0 || u->n_src > G_N_ELEMENTS (src))
    return NULL;
  for (guint first = 0; first < lanes; first += n) {
    for (guint s = 0; s < u->n_src; s++)
      src[s] = s < first_range ? piece_of (ctx, u->src[s], first, n) : u->src[s];
    LsArg arg = u->op == LS_OP_DEFINE_ACC ? ls_arg_int (u->arg.i * MAX_LANES + first) : u->arg;
    LsUOp *piece = ls_uop_new (ctx, u->op, u->op == LS_OP_STORE ? u->dtype : ls_dtype_vec (u->dtype, n), u->n_src, src, arg);
    for (guint i = 0; i < (u->op == LS_OP_STORE ? 1 : n); i++)
      all[n_all++] = u->op == LS_OP_STORE ? piece : lane_of (ctx, piece, i);
  }
  return u->op == LS_OP_STORE ? ls_uop_new (ctx, LS_OP_SINK, LS_VOID, n_all, all, ls_arg_none ())
                              : ls_uop_new (ctx, LS_OP_VECTORIZE, u->dtype, n_all, all, ls_arg_none ());
}

static gboolean
cut (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsVectorContext *pass = call->pass;
  LsUOp *u = args[0].node, *value = u->op == LS_OP_STORE ? u->src[1] : u;
  guint lanes = ls_dtype_lanes (value->dtype), size = MAX ((guint) ls_dtype_itemsize (value->dtype), 1), n = 1;      /* void has no size */
  guint most = MAX (pass->bytes / size, 1);
  while (2 * n <= most && lanes % (2 * n) == 0)
    n *= 2;
  return pass->bytes > 0 && lanes > n && (out->node = in_pieces (call->ctx, u, lanes, n)) != NULL;
}

static gboolean
halve (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *u = args[0].node;
  guint lanes = ls_dtype_lanes (u->op == LS_OP_STORE ? u->src[1]->dtype : u->dtype);
  return lanes % 2 == 0 && lanes > 2 && (out->node = in_pieces (call->ctx, u, lanes, lanes / 2)) != NULL;
}

/* --- accesses --- */

static LsUOp *gate_of (const LsUOp *index) { return index->op == LS_OP_INDEX && index->n_src > 2 ? index->src[2] : NULL; }

/* By how much b's index is larger than a's; FALSE where it is not the same everywhere, or has another gate. */
static gboolean
distance (const LsUOp *a, const LsUOp *b, gint64 *k)
{
  LsLinear x, y;
  if (a->op != LS_OP_INDEX || b->op != LS_OP_INDEX || gate_of (a) != gate_of (b) || a->src[0] != b->src[0] ||
      !ls_linear_from (a->src[1], &x) ||
      !ls_linear_from (b->src[1], &y) || x.n != y.n)
    return FALSE;
  *k = y.constant - x.constant;
  for (guint i = 0; i < x.n; i++) {
    gboolean found = FALSE;
    for (guint j = 0; j < y.n && !found; j++)
      found = x.term[i] == y.term[j] && x.coef[i] == y.coef[j];
    if (!found)
      return FALSE;
  }
  return TRUE;
}

/* Is b's index a's and k more? */
static gboolean
follows (const LsUOp *a, const LsUOp *b, gint64 k)
{
  gint64 away;
  return distance (a, b, &away) && away == k;
}

static LsUOp *
without_gate (LsContext *ctx, const LsUOp *index)
{
  return ls_uop_new2 (ctx, LS_OP_INDEX, index->dtype, index->src[0], index->src[1], ls_arg_none ());
}

/* A vector of n elements; an index points to the first one. */
static LsUOp *
vector_at (LsContext *ctx, LsUOp *first, guint n)
{
  LsDType buffer = first->src[0]->dtype, vector = ls_dtype_vec (ls_dtype_deref (buffer), n);
  return ls_uop_new1 (ctx, LS_OP_CAST, ls_dtype_ptr (vector, ls_dtype_space (buffer), ls_dtype_ptr_size (buffer)), first, ls_arg_none ());
}

static gboolean
are_open (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = args[0].n > 0;
  for (guint i = 0; i < args[0].n; i++) {
    LsArg open = ls_arg_int (1);
    LsUOp *gate = gate_of (args[0].nodes[i]);
    out->holds &= !gate || (ls_uop_const_value (gate, &open) && open.i);
  }
  return TRUE;
}

static gboolean
run (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsVectorContext *pass = call->pass;
  guint n = args[0].n;
  LsUOp *first = n > 1 ? args[0].nodes[0] : NULL;
  for (guint i = 0; i < n; i++)
    if (!first || !follows (first, args[0].nodes[i], i))
      return FALSE;
  if (!first || (pass->aligned && ls_uop_divisor (first->src[1]) % n != 0))
    return FALSE;
  LsArg open;
  if (gate_of (first) && ls_uop_const_value (gate_of (first), &open)) {
    if (!open.i)
      return FALSE;
    first = without_gate (call->ctx, first);
  }
  out->node = vector_at (call->ctx, first, n);
  return TRUE;
}

/* A lane of an access: those of a group are at known distances from its first. */
typedef struct { guint lane, group; gint64 at; } Place;

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* The lanes in order of their addresses; lanes without an index are skipped. How many they are. */
static guint
sort_places (guint n, LsUOp *const *indices, Place *places)
{
  guint first[MAX_LANES], n_groups = 0, n_places = 0;
  for (guint i = 0; i < n; i++) {
    guint g = 0;
    gint64 at = 0;
    if (!indices[i])
      continue;
    while (g < n_groups && !distance (indices[first[g]], indices[i], &at))
      g++;
    if (g == n_groups) {
      first[n_groups++] = i;
      at = 0;
    }
    places[n_places++] = (Place) { i, g, at };
  }
  qsort (places, n_places, sizeof *places, compare_places);
  return n_places;
}

/* The index of each lane, without its gate where that is open. A lane behind a gate that is false, or not known, has no index: its index
 * is in all of them. */
static void
open_gates (LsContext *ctx, const LsUOp *u, LsUOp **indices, LsUOp **all)
{
  for (guint i = 0; i < u->src[0]->n_src; i++) {
    LsUOp *index = indices[i] = u->src[0]->src[i], *gate = gate_of (index);
    LsArg open;
    if (!gate || u->n_src < 2)
      continue;
    if (!ls_uop_const_value (gate, &open)) {
      all[i] = ls_uop_new2 (ctx, LS_OP_LOAD, ls_dtype_vec (u->dtype, 1), index, lane_of (ctx, u->src[1], i), ls_arg_none ());
      indices[i] = NULL;
    } else if (open.i) {
      indices[i] = without_gate (ctx, index);
    } else {
      all[i] = lane_of (ctx, u->src[1], i);
      indices[i] = NULL;
    }
  }
}

static gboolean
side_by_side (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsVectorContext *pass = call->pass;
  LsUOp *u = args[0].node, *value = u->op == LS_OP_STORE ? u->src[1] : u, *indices[MAX_LANES], *all[MAX_LANES], *lanes[MAX_LANES];
  guint n = ls_dtype_lanes (value->dtype), n_all = 0;
  Place places[MAX_LANES];
  if (pass->lanes == 0 || n > MAX_LANES || u->src[0]->n_src != n)
    return FALSE;
  if (u->op == LS_OP_LOAD)
    open_gates (call->ctx, u, indices, all);
  else
    memcpy (indices, u->src[0]->src, n * sizeof *indices);
  guint n_places = sort_places (n, indices, places);
  for (guint i = 0; i < n_places;) {
    LsUOp *first = indices[places[i].lane];
    guint ends[MAX_LANES], side = 0, width = pass->lanes;      /* ends[k]: where the places of element k end */
    for (guint k = i; k < n_places && places[k].group == places[i].group && places[k].at - places[i].at <= (gint64) side && side <= width;
         k++) {
      side += places[k].at - places[i].at == (gint64) side;
      if (side <= width)
        ends[side - 1] = k + 1;
    }
    while (width > 1 && (width > side || ls_uop_divisor (first->src[1]) % width != 0))
      width /= 2;
    LsDType dtype = ls_dtype_vec (value->dtype, width);
    LsUOp *pointer = width > 1 ? vector_at (call->ctx, first, width) : first;
    if (u->op == LS_OP_STORE) {
      for (guint k = 0; k < width; k++)
        lanes[k] = lane_of (call->ctx, value, places[ends[k] - 1].lane);
      LsUOp *stored = width > 1 ? ls_uop_new (call->ctx, LS_OP_VECTORIZE, dtype, width, lanes, ls_arg_none ()) : lanes[0];
      all[n_all++] = ls_uop_new2 (call->ctx, LS_OP_STORE, LS_VOID, pointer, stored, ls_arg_none ());
      i = ends[width - 1];
      continue;
    }
    LsUOp *loaded = ls_uop_new1 (call->ctx, LS_OP_LOAD, dtype, pointer, ls_arg_none ());
    for (guint k = 0; k < width; k++)
      for (; i < ends[k]; i++)
        all[places[i].lane] = lane_of (call->ctx, loaded, k);
  }
  out->node = u->op == LS_OP_STORE ? ls_uop_new (call->ctx, LS_OP_SINK, LS_VOID, n_all, all, ls_arg_none ())
                                   : ls_uop_new (call->ctx, LS_OP_VECTORIZE, u->dtype, n, all, ls_arg_none ());
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_vectors_terms[] = {
  { "keeps_vector", "devectorize", V (BOOL), 1, { V (NODE) }, keeps_vector,
    "Does the target have vectors for this op and dtype, and are they kept (DEVECTORIZE=0)?" },
  { "are_lanes", NULL, V (BOOL), 2, { V (NODE), V (NODE) }, are_lanes, "Are the sources all lanes of the vector, in order?" },
  { "run", "devectorize", V (NODE), 1, { V (NODES) }, run, "The index of the first element, if these indices are consecutive.", TRUE },
  { "are_open", "devectorize", V (BOOL), 1, { V (NODES) }, are_open, "Do these indices have no gate, or gates that are always true?" },
  /* the number of pieces, and the pieces of each source, depend on the op */
  { "cut", "devectorize", V (NODE), 1, { V (NODE) }, cut, "The op split into pieces no wider than the target's vectors.", TRUE },
  { "halve", "devectorize", V (NODE), 1, { V (NODE) }, halve, "The access split in two halves.", TRUE },
  /* all lanes together show which elements are adjacent */
  { "side_by_side", "devectorize", V (NODE), 1, { V (NODE) }, side_by_side,
    "The access as vectors of adjacent elements, on targets with scalar arithmetic.", TRUE },
  { NULL },
};
