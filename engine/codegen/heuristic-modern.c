/* The choice of options of mid-2025, which the profile modern has: as shown by recorded applied_opts.
 *
 * In this order: small axes under masks are taken whole; while there are at least 1024 results, the axis with stride 0 in one buffer and
 * the smallest strides in the others is upcast by 3 or 4; the last reduce axis is unrolled, completely if it is small, a second one if
 * both are tiny; if nothing was expanded, the last axis is upcast by 4.
 */
#include "heuristic.h"

#include "rules/linear.h"

#define SMALL_MASKED 7          /* of an axis that is taken whole for its mask; of all of them the square */
#define MANY_RESULTS 1024
#define MOST_UPCAST  64         /* values an iteration from which on no reduce is unrolled */
#define SMALL_REDUCE 32         /* taken whole */
#define TINY_REDUCE  3          /* two of these are */

typedef struct {
  LsChoice *c;
  gint64    left[LS_MAX_AXES];        /* for each loop, the range without the upcast part */
  gboolean  upcast[LS_MAX_AXES];      /* by strides */
  gint64    amount[LS_MAX_AXES];      /* of each loop that is, by how much */
  gint64    values;                   /* that an iteration makes */
} Modern;

static const LsUOp *
loop_at (const Modern *m, guint i)
{
  return m->c->k->loops->pdata[i];
}

static gboolean
is_masked (const Modern *m, guint axis)
{
  for (guint i = 0; i < m->c->k->accesses->len; i++) {
    const LsUOp *index = g_array_index (m->c->k->accesses, LsStridedAccess, i).index;
    if (index->n_src > 2 && ls_uop_depends (m->c->ctx, index->src[2], (LsUOp *) loop_at (m, axis)))
      return TRUE;
  }
  return FALSE;
}

static void
upcast (Modern *m, guint axis, gint64 amount, const char *reason)
{
  ls_choose (m->c, &ls_option_upcast, loop_at (m, axis), amount, "%s", reason);
  m->left[axis] /= amount;
  m->amount[axis] = amount;
  m->values *= amount;
}

static void
choose_masked (Modern *m)
{
  gboolean wanted[LS_MAX_AXES] = { FALSE };
  gint64 together = 1;
  for (guint i = 0; i < m->c->k->loops->len; i++)
    if (m->left[i] > 1 && m->left[i] <= SMALL_MASKED && together * m->left[i] <= SMALL_MASKED * SMALL_MASKED && is_masked (m, i)) {
      wanted[i] = TRUE;
      together *= m->left[i];
    }
  for (guint i = m->c->k->loops->len; i-- > 0;)
    if (wanted[i])
      upcast (m, i, m->left[i], "the axis is small and masked: without a loop its gates are known at compile time");
}

static gint64
stride_of (const LsStridedAccess *a, guint axis)
{
  return a->stride[axis] == LS_UNKNOWN_STRIDE ? 1 : a->stride[axis];
}

/* Does a buffer have stride 0 along the axis and a stride along all upcast axes? */
static gboolean
serves_again (const Modern *m, guint axis)
{
  for (guint i = 0; i < m->c->k->accesses->len; i++) {
    const LsStridedAccess *a = &g_array_index (m->c->k->accesses, LsStridedAccess, i);
    gboolean moves = stride_of (a, axis) == 0;
    for (guint k = 0; k < m->c->k->loops->len && moves; k++)
      moves = m->amount[k] == 0 || stride_of (a, k) != 0;
    if (moves)
      return TRUE;
  }
  return FALSE;
}

static gboolean
choose_reused (Modern *m)
{
  gint64 results = 1, best_moving = G_MAXINT64, best_strides = 0;
  guint best = 0, by = 0;
  for (guint i = 0; i < m->c->k->loops->len; i++)
    results *= m->left[i];
  for (guint i = 0; i < m->c->k->loops->len && results >= MANY_RESULTS; i++) {
    gint64 moving = 0, strides = 0, amount = m->left[i] % 3 == 0 ? 3 : m->left[i] % 4 == 0 ? 4 : 0;
    if (m->left[i] < 2 || m->upcast[i] || amount == 0 || !serves_again (m, i))
      continue;
    for (guint k = 0; k < m->c->k->accesses->len; k++) {
      gint64 stride = stride_of (&g_array_index (m->c->k->accesses, LsStridedAccess, k), i);
      moving += stride > 0;
      strides += stride;
    }
    if (moving < best_moving || (moving == best_moving && strides < best_strides)) {
      best_moving = moving;
      best_strides = strides;
      best = i;
      by = (guint) amount;
    }
  }
  if (by == 0)
    return FALSE;
  upcast (m, best, by, "one buffer has stride 0 along this axis and the others have small strides: one load serves several values");
  m->upcast[best] = TRUE;
  return TRUE;
}

static gboolean
choose_unroll (Modern *m)
{
  const GPtrArray *reduces = m->c->k->reduces;
  if (reduces->len == 0 || m->values >= MOST_UPCAST)
    return FALSE;
  const LsUOp *last = reduces->pdata[reduces->len - 1], *before = reduces->len > 1 ? reduces->pdata[reduces->len - 2] : NULL;
  gint64 size = ls_range_size (last);
  if (size > SMALL_REDUCE) {
    if (size % 4 == 0)
      ls_choose (m->c, &ls_option_unroll, last, 4, "four iterations of the reduce are done in one");
    return size % 4 == 0;
  }
  ls_choose (m->c, &ls_option_unroll, last, size, "the reduce axis is small: all of it is done in one iteration");
  if (before && size <= TINY_REDUCE && ls_range_size (before) <= TINY_REDUCE)
    ls_choose (m->c, &ls_option_unroll, before, ls_range_size (before), "the reduce axes are tiny: this one is also done in one iteration");
  return TRUE;
}

void
ls_choose_modern (LsChoice *c)
{
  Modern m = { .c = c, .values = 1 };
  for (guint i = 0; i < c->k->loops->len; i++)
    m.left[i] = ls_range_size (loop_at (&m, i));
  choose_masked (&m);
  while (choose_reused (&m))
    ;
  if (choose_unroll (&m) || m.values > 1)
    return;
  guint last = c->k->loops->len;
  while (last > 0 && m.left[last - 1] < 2)
    last--;
  if (last > 0 && m.left[last - 1] % 4 == 0)
    upcast (&m, last - 1, 4, "no axis is expanded yet, and this one is simple: four neighbours are computed in one iteration");
}
