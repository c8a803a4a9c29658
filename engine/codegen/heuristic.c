/* Which kernel options are chosen, and why.
 *
 * The choice depends on strides: each access has a stride along each axis, which is found by computing its index at a few points.
 * Adjacent values belong in one vector; a value with stride 0 along an axis is loaded once for several iterations; a sum waits for each
 * of its additions, unless its lanes have separate accumulators. A loop over neighbours that has nothing of this is left to the
 * compiler, which makes vectors of it by itself.
 *
 * The profiles classic and modern have the choice of their time (modern's: heuristic-modern.c).
 */
#include "heuristic.h"
#include "options/option.h"
#include "ir/sentence.h"
#include "rules/linear.h"
#include "schedule/schedule.h"

#include <math.h>

#define LARGE       (1 << 21)  /* iterations of a loop over neighbours whose memory is no longer in a cache */
#define LONGEST_WINDOW 7
#define LONG        (1 << 26)  /* iterations of a product that pay for copying its inputs */
#define MOST_COPIED (128 << 10) /* bytes, half of a second-level cache at least */
#define VECTOR_SIZE 64         /* bytes, of the widest registers and of a line of memory */

void
ls_choose (LsChoice *c, const LsOption *option, const LsUOp *range, gint64 amount, const char *reason, ...)
{
  va_list args;
  if ((amount < 2 && !(option->traits & LS_OPTION_KEEPS_SIZE)) || range->src[0]->op != LS_OP_CONST)
    return;
  va_start (args, reason);
  LsOpt opt = { option, (guint) ls_range_axis (range), amount, ls_sentence_v (reason, args) };
  va_end (args);
  g_array_append_val (c->out, opt);
}

static const LsStridedAccess *
access_at (const LsChoice *c, guint i)
{
  return &g_array_index (c->k->accesses, LsStridedAccess, i);
}

static int
buffer_of (const LsStridedAccess *a)
{
  return (int) a->index->src[0]->arg.i;
}

/* The largest power of two that divides the size, up to most; below four the largest divisor. */
static gint64
lanes_of (gint64 size, gint64 most)
{
  gint64 lanes = 1, d;
  while (2 * lanes <= most && size % (2 * lanes) == 0)
    lanes *= 2;
  if (lanes >= 4)
    return lanes;
  for (d = MIN (most, size); d > 1 && size % d != 0; d--)
    ;
  return MAX (d, 1);
}

/* --- choices --- */

/* The access with stride 1 along the axis, if each relevant access has stride 1 or 0. NULL: one jumps, or none moves. */
static const LsStridedAccess *
side_by_side (const LsChoice *c, guint axis, gboolean stores, gboolean loads)
{
  const LsStridedAccess *found = NULL;
  for (guint i = 0; i < c->k->accesses->len; i++) {
    const LsStridedAccess *a = access_at (c, i);
    if (a->is_store ? !stores : !loads)
      continue;
    if (a->stride[axis] != 0 && a->stride[axis] != 1)
      return NULL;
    if (a->stride[axis] == 1 && (!found || found->is_store))
      found = a;
    if (a->is_store && a->stride[axis] != 1)
      return NULL;
  }
  return found;
}

/* A load of the reduce with stride 0 along the axis, while another one has a stride. */
static const LsStridedAccess *
used_again (const LsChoice *c, guint axis)
{
  const LsStridedAccess *still = NULL;
  gboolean moves = FALSE;
  for (guint i = 0; i < c->k->accesses->len; i++) {
    const LsStridedAccess *a = access_at (c, i);
    if (a->is_store || !a->in_reduce)
      continue;
    if (a->stride[axis] == 0 && !still)
      still = a;
    moves |= a->stride[axis] != 0;
  }
  return moves ? still : NULL;
}

static gint64
vector_lanes (const LsChoice *c, gint64 registers)
{
  return CLAMP (registers * VECTOR_SIZE / MAX (ls_dtype_itemsize (c->k->dtype), 1), 4, 16 * registers);
}

/* How many values an iteration may make: text and time of compilation grow with them, so that only long kernels have many. Matmuls from 768
 * on take 0.8 of the time with 256 instead of 128, and their pipeline 1.6 times as long. */
static gint64
most_values (const LsChoice *c)
{
  static const struct { double work; gint64 values; } steps[] = {
    { 1 << 17, 16 }, { 1 << 19, 32 }, { 1 << 23, 64 }, { 2147483648.0, 128 }, { INFINITY, 256 },
  };
  guint step = 0;
  while (step < G_N_ELEMENTS (steps) - 1 && !(c->k->work < steps[step].work))
    step++;
  gint64 most = steps[step].values;
  if (c->settings->FMA)      /* clang 14 spills the registers of more */
    most = MIN (most, c->k->work < 1 << 29 ? 64 : 128);
  while (most > 4 && c->k->order->len * (guint64) most > 20000)
    most /= 2;
  return MIN (most, c->settings->UPCAST_MAX);
}

/* A division that is not a shift of bits. */
static gboolean
divides (const LsUOp *u)
{
  if (u->op != LS_OP_FLOORDIV && u->op != LS_OP_FLOORMOD && u->op != LS_OP_IDIV && u->op != LS_OP_MOD && u->op != LS_OP_FDIV)
    return FALSE;
  const LsUOp *by = u->src[1];
  return by->op != LS_OP_CONST || ls_dtype_is_float (u->dtype) || by->arg.i <= 0 || (by->arg.i & (by->arg.i - 1)) != 0;
}

/* Whether a value is computed with at most this many operations on loads, and without a division. */
static gboolean
is_little (LsUOp *value, guint most)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  guint n = 0;
  g_ptr_array_add (seen, value);
  for (guint i = 0; i < seen->len && n <= most; i++) {
    const LsUOp *u = seen->pdata[i];
    n += divides (u) ? most + 1 : ls_op_is_alu (u->op);
    for (guint k = 0; u->op != LS_OP_LOAD && k < u->n_src; k++)
      if (!g_ptr_array_find (seen, u->src[k], NULL))
        g_ptr_array_add (seen, u->src[k]);
  }
  return n <= most;
}

static gboolean
stores_little (const LsChoice *c)
{
  for (guint i = 0; i < c->k->order->len; i++) {
    const LsUOp *u = c->k->order->pdata[i];
    if (u->op == LS_OP_STORE && !is_little (u->src[u->n_src - 1], 2))
      return FALSE;
  }
  return TRUE;
}

/* A loop over adjacent elements that is bound by memory, with almost no arithmetic: 16 bytes per iteration were 10 % faster than the
 * compiled plain loop. In a cache the plain loop is 50 % faster, and also with more arithmetic. */
static void
choose_stream (LsChoice *c)
{
  guint last = c->k->loops->len - 1;
  const LsUOp *axis = c->k->loops->pdata[last];
  const LsStridedAccess *side = side_by_side (c, last, TRUE, TRUE);
  gint64 lanes = 16 / MAX (ls_dtype_itemsize (c->k->dtype), 1);
  if (c->k->work < LARGE || !side || lanes > 4 || ls_range_size (axis) % lanes != 0 || !stores_little (c))
    return;
  ls_choose (c, &ls_option_upcast, axis, lanes, "the kernel is bound by memory, which is contiguous along this axis: %d values, 16 "
                                                "bytes, per iteration", (int) lanes);
}

/* A kernel without reduce is its loop, which a compiler makes vectors of. Where one access moves along one axis and another along
 * another one, a tile of both has whole lines of memory. Eight high and two wide is the best of those that clang and gcc both make
 * something of: gcc spills higher ones, clang does without the width. */
static void
choose_tile (LsChoice *c)
{
  guint last = c->k->loops->len - 1;
  for (guint i = 0; i < c->k->accesses->len && c->k->loops->len > 1 && side_by_side (c, last, TRUE, FALSE); i++) {
    const LsStridedAccess *a = access_at (c, i);
    if (a->is_store || a->stride[last] == 0 || a->stride[last] == 1)
      continue;
    for (guint t = 0; t < last; t++) {
      const LsUOp *across = c->k->loops->pdata[t], *along = c->k->loops->pdata[last];
      gint64 most = most_values (c), height = lanes_of (ls_range_size (across), MIN (8, most / 2)),
             width = lanes_of (ls_range_size (along), 2);
      if (a->stride[t] != 1 || height < 4 || width < 2)
        continue;
      ls_choose (c, &ls_option_upcast, across, height, "data%d is contiguous along this axis, but the result is not: %d values use "
                                                       "whole cache lines",
              buffer_of (a), (int) height);
      ls_choose (c, &ls_option_upcast, along, width, "the result is contiguous along this axis: %d values in each row of the tile are "
                                                     "stored together", (int) width);
      return;
    }
  }
}

/* A short reduce along which the access moves as it does from result to result, as in a window: its iterations share loads with those of
 * neighbours, and know their gates. */
static void
choose_window (LsChoice *c, const LsStridedAccess *side)
{
  for (guint r = c->k->reduces->len; r-- > 0;) {
    const LsUOp *axis = c->k->reduces->pdata[r];
    if (side->stride[c->k->loops->len + r] != 1 || ls_range_size (axis) > LONGEST_WINDOW)
      continue;
    ls_choose (c, &ls_option_unroll, axis, ls_range_size (axis),
               "neighbouring results along this axis share most of their "
               "loads from data%d: each element is loaded once for all", buffer_of (side));
    return;
  }
}

/* Rows of results that share a load: twice as many if a row is half a vector. (A conv2d of 56 × 56 in rows of 8 takes three quarters of
 * the time with 16 rows.) */
static gint64
most_rows (const LsChoice *c, gint64 width)
{
  return c->settings->FMA ? 4 : width * ls_dtype_itemsize (c->k->dtype) <= VECTOR_SIZE / 2 ? 16 : 8;
}

/* Bytes of an access's tile: the elements that one iteration of the loop over axis v, with width values in it, needs for all iterations
 * of the loops inside, the reduce's and those of rows. 0: it is not a tile. */
static double
tile_bytes (const LsChoice *c, const LsStridedAccess *a, guint v, guint rows, gint64 width)
{
  double bytes = (double) width * MAX (ls_dtype_itemsize (ls_dtype_deref (a->index->src[0]->dtype)), 1);
  LsLinear sum;
  if (a->index->n_src > 2 || !ls_tile_sum (a->index->src[1], &sum))
    return 0;
  for (guint i = 0; i < c->k->accesses->len; i++)
    if (access_at (c, i) != a && buffer_of (access_at (c, i)) == buffer_of (a))
      return 0;
  for (guint i = 0; i < c->k->loops->len + c->k->reduces->len; i++) {
    const LsUOp *r = i < c->k->loops->len ? c->k->loops->pdata[i] : c->k->reduces->pdata[i - c->k->loops->len];
    if (i != v && a->stride[i] != 0 && (i >= c->k->loops->len || i > MIN (v, rows)))
      bytes *= (double) ls_range_size (r);
  }
  return bytes;
}

/* A long product reads the same cache lines for each few rows of its result, each from a different page: a contiguous copy of them is
 * read from the cache instead. With it matmuls of 1024 took 0.42 of the time, those of 1536 a quarter; of 256 and in attention it
 * brought nothing. */
static gboolean
choose_copy (LsChoice *c, const LsStridedAccess *side, guint v, guint rows, const LsStridedAccess *again)
{
  const LsUOp *across = c->k->loops->pdata[rows], *along = c->k->loops->pdata[v];
  gint64 width = lanes_of (ls_range_size (along), vector_lanes (c, 1)), height = lanes_of (ls_range_size (across), 8),
         last = side->stride[c->k->loops->len + c->k->reduces->len - 1];
  double bytes = tile_bytes (c, side, v, rows, width);
  if (c->k->work < LONG || c->settings->DEVECTORIZE == 0 || width * height > c->settings->UPCAST_MAX || width < 8 || height < 4 ||
      ls_range_size (along) == width || ls_range_size (across) < 16 * height ||
      bytes == 0 || bytes > MOST_COPIED || last == LS_UNKNOWN_STRIDE || ABS (last) * ls_dtype_itemsize (c->k->dtype) < 16 * VECTOR_SIZE ||
      side->stride[rows] != 0)
    return FALSE;
  ls_choose (c, &ls_option_upcast, along, width, "the result and data%d are contiguous along this axis: %d neighbours are computed "
                                                 "as a vector, each in its own accumulator", buffer_of (side), (int) width);
  ls_choose (c, &ls_option_upcast, across, height, "data%d has stride 0 along this axis: one load of it serves %d values",
             buffer_of (again), (int) height);
  if (rows < v)
    ls_choose (c, &ls_option_swap, across, ls_range_axis (along),
               "the loop over neighbours in data%d moves outside: its loads serve all rows", buffer_of (side));
  ls_choose (c, &ls_option_tile, along, buffer_of (side), "data%d is read again for each row, with a stride of %d bytes per iteration "
                                                          "of the reduce: a copy of the elements of one iteration is contiguous, %.0f "
                                                          "KiB",
                                                          buffer_of (side),
          (int) (ABS (last) * ls_dtype_itemsize (c->k->dtype)), bytes / 1024);
  return TRUE;
}

/* Neighbouring results in vectors, several rows of them if a load serves them all. */
static gboolean
choose_vectors (LsChoice *c)
{
  for (guint v = c->k->loops->len; v-- > 0;) {
    const LsUOp *axis = c->k->loops->pdata[v], *rows = NULL;
    guint rows_at = 0;
    const LsStridedAccess *side = side_by_side (c, v, TRUE, TRUE), *again = NULL;
    gint64 most = most_values (c), width = lanes_of (ls_range_size (axis), MIN (most, 128)),
           narrow = lanes_of (ls_range_size (axis), CLAMP (most / 4, 4, vector_lanes (c, most > (c->settings->FMA ? 64 : 128) ? 2 : 1))),
           height = 1;
    if (!side || side->is_store || width < 4)
      continue;
    for (guint u = c->k->loops->len; u-- > 0;) {
      const LsStridedAccess *a = u == v ? NULL : used_again (c, u);
      gint64 n = a && a->stride[v] == 1 && most / narrow > 1 ? lanes_of (ls_range_size (c->k->loops->pdata[u]),
                                                                         MIN (most_rows (c, narrow), most / narrow)) : 1;
      if (n > height) {
        rows = c->k->loops->pdata[u];
        rows_at = u;
        again = a;
        height = n;
      }
    }
    if (rows && choose_copy (c, side, v, rows_at, again))
      return TRUE;
    if (rows)
      width = narrow;
    ls_choose (c, &ls_option_upcast, axis, width, "the result and data%d are contiguous along this axis: %d neighbours are computed "
                                                  "as a vector, each in its own accumulator",
            buffer_of (side), (int) width);
    if (rows)
      ls_choose (c, &ls_option_upcast, rows, height, "data%d has stride 0 along this axis: one load of it serves %d values",
                 buffer_of (again), (int) height);
    if (width * height >= LS_ENOUGH_ACCUMULATORS)
      choose_window (c, side);
    return TRUE;
  }
  return FALSE;
}

/* How many loads move along the axis. */
static guint
count_moving (const LsChoice *c, guint axis)
{
  guint n = 0;
  for (guint i = 0; i < c->k->accesses->len; i++)
    n += !access_at (c, i)->is_store && access_at (c, i)->stride[axis] != 0;
  return n;
}

/* Lanes of a reduced axis, the innermost one mostly, of two registers where one load fills them; where several do, their loads take as
 * long as the sum. Along another axis the order would differ. */
static gboolean
choose_lanes (LsChoice *c, guint r)
{
  guint registers = count_moving (c, c->k->loops->len + r) > 1 ? 1 : 2;
  const LsUOp *axis = c->k->reduces->pdata[r];
  const LsStridedAccess *side = side_by_side (c, c->k->loops->len + r, FALSE, TRUE);
  gboolean keeps = c->settings->ACC == LS_ACC_VECTOR;
  gint64 size = ls_range_size (axis), lanes = lanes_of (size, keeps ? MIN (CLAMP (size / 4, 4, c->settings->UPCAST_MAX),
                                                                           vector_lanes (c, registers)) : 4);
  if (!side)
    return FALSE;
  if (keeps)
    ls_choose (c, &ls_option_unroll, axis, lanes, "the reduced elements are contiguous in data%d: %d lanes have separate accumulators, "
                                                  "so none waits for another", buffer_of (side),
            (int) lanes);
  else
    ls_choose (c, &ls_option_unroll, axis, lanes, "the reduced elements are contiguous in "
                                                  "data%d: %d of them per iteration", buffer_of (side),
               (int) lanes);
  return TRUE;
}

static gboolean
has_same_ranges (const LsUOp *a, const LsUOp *b)
{
  gboolean same = a->n_src == b->n_src;
  for (guint k = 1; same && k < a->n_src; k++)
    same = a->src[k] == b->src[k];
  return same;
}

/* Has the kernel reduces over several loops, or one that does not depend on a loop in which other memory is read? */
static gboolean
has_own_reduces (const LsChoice *c)
{
  const LsUOp *first = NULL;
  guint n = 0;
  gboolean along = FALSE;
  for (guint i = 0; i < c->k->order->len; i++) {
    LsUOp *u = c->k->order->pdata[i];
    n += u->op == LS_OP_REDUCE && !(first && has_same_ranges (first, u));
    first = u->op == LS_OP_REDUCE && !first ? u : first;
    for (guint v = 0; u->op == LS_OP_REDUCE && v < c->k->loops->len; v++) {
      gboolean inside = ls_uop_depends (c->ctx, u, c->k->loops->pdata[v]);
      for (guint a = 0; !inside && a < c->k->accesses->len; a++)
        along |= !access_at (c, a)->is_store && !access_at (c, a)->in_reduce && access_at (c, a)->stride[v] != 0;
    }
  }
  return n > 1 || along;
}

/* Each reduce by itself: a vector of the results would hold the loops of all of them. A loop after them is left to the compiler. */
static void
choose_each (LsChoice *c)
{
  for (guint r = 0; r < c->k->reduces->len; r++)
    choose_lanes (c, r);
}

/* Nothing is contiguous: loads that do not move along an axis serve four values, and iterations of a reduce are done together. */
static void
choose_reuse (LsChoice *c)
{
  const LsUOp *last = c->k->reduces->pdata[c->k->reduces->len - 1];
  for (guint u = c->k->loops->len; u-- > 0;) {
    const LsStridedAccess *a = used_again (c, u);
    if (!a || ls_range_size (c->k->loops->pdata[u]) % 4 != 0)
      continue;
    ls_choose (c, &ls_option_upcast, c->k->loops->pdata[u], 4,
               "data%d has stride 0 along this axis: one load of it serves 4 values", buffer_of (a));
    break;
  }
  ls_choose (c, &ls_option_unroll, last, lanes_of (ls_range_size (last), 4), "iterations of the reduce do not wait for each other's loads");
}

/* Work items of a group: the last output axis, as far as it fits. */
static void
choose_group (LsChoice *c)
{
  if (c->k->loops->len == 0)
    return;
  const LsUOp *r = c->k->loops->pdata[c->k->loops->len - 1];
  gint64 d = MIN (ls_range_size (r), 16);
  while (ls_range_size (r) % d != 0)
    d--;
  const LsStridedAccess *shared = NULL;
  for (guint i = 0; i < c->k->accesses->len && !shared; i++) {
    const LsStridedAccess *a = access_at (c, i);
    shared = !a->is_store && a->stride[c->k->loops->len - 1] == 0 ? a : NULL;
  }
  if (shared)
    ls_choose (c, &ls_option_local, r, d, "a group of %d neighbours reads the same elements of data%d, which has stride 0 along this axis",
               (int) d, buffer_of (shared));
  else
    ls_choose (c, &ls_option_local, r, d, "%d neighbours along this axis are one group of work items; no load has stride 0 along it",
               (int) d);
}

/* --- the profiles' --- */

/* Number of loads and how many of them do not move along a range: the loads that an upcast of that range would save. */
static guint
count_still (const LsChoice *c, const LsUOp *range, guint *n_loads)
{
  guint n_still = 0;
  *n_loads = 0;
  for (guint i = 0; i < c->k->order->len; i++) {
    const LsUOp *u = c->k->order->pdata[i];
    if (u->op != LS_OP_LOAD)
      continue;
    ++*n_loads;
    n_still += !ls_uop_depends (c->ctx, u->src[0], (LsUOp *) range);
  }
  return n_still;
}

static void
choose_as_then (LsChoice *c)
{
  gint64 upcast = 1;
  const LsUOp *last = c->k->loops->len ? c->k->loops->pdata[c->k->loops->len - 1] : NULL;
  if (c->k->reduces->len == 0) {
    if (last && ls_range_size (last) % 4 == 0 && c->k->order->len < 2000)
      ls_choose (c, &ls_option_upcast, last, 4, "four neighbours are computed in one iteration");
    return;
  }
  for (guint i = c->k->loops->len; i-- > 0 && upcast * 4 <= MIN (16, c->settings->UPCAST_MAX);) {
    const LsUOp *range = c->k->loops->pdata[i];
    guint n_loads, n_still = count_still (c, range, &n_loads);
    if (n_still == 0 || n_loads < 2 || ls_range_size (range) % 4 != 0)
      continue;
    ls_choose (c, &ls_option_upcast, range, 4, "a load has stride 0 along this axis: one load serves 4 values");
    upcast *= 4;
  }
  const LsUOp *reduce = c->k->reduces->pdata[c->k->reduces->len - 1];
  if (upcast <= 4 && ls_range_size (reduce) % 4 == 0)
    ls_choose (c, &ls_option_unroll, reduce, 4, "four iterations of the reduce are done in one");
}

GArray *
ls_opts_choose (LsContext *ctx, const LsSettings *settings, const LsTarget *target, LsUOp *lowered)
{
  LsChoice c = { .ctx = ctx, .settings = settings, .target = target, .out = ls_opts_new () };
  if (settings->NOOPT)
    return c.out;
  g_autoptr (LsAccesses) k = ls_accesses_new (ctx, lowered);
  if (!k)
    return c.out;
  c.k = k;
  if (target->has_local) {
    ls_accesses_find_strides (ctx, k);
    if (!settings->NOLOCALS)
      choose_group (&c);
  } else if (settings->CLASSIC) {
    choose_as_then (&c);
  } else if (settings->MODERN) {
    ls_accesses_find_strides (ctx, k);
    ls_choose_modern (&c);
  } else if (k->work >= LS_FEW_ITERATIONS) {
    ls_accesses_find_strides (ctx, k);
    if (k->reduces->len == 0 && k->loops->len > 0) {
      choose_tile (&c);
      if (c.out->len == 0)
        choose_stream (&c);
    }
    if (has_own_reduces (&c))
      choose_each (&c);
    else if (k->reduces->len > 0 && !choose_vectors (&c) && !choose_lanes (&c, k->reduces->len - 1))
      choose_reuse (&c);
    ls_choose_threads (&c);
  }
  return c.out;
}
