/* A guess at how long a kernel takes with some options, without making it: which candidates of a search are worth compiling. It only
 * ranks candidates of one kernel.
 *
 * An iteration of the innermost loop computes V values, the product of the expanded ranges, in vectors of L lanes if the accesses have
 * stride 1 or 0 along an expanded axis (a loop without a reduce and without options is vectorized by the compiler). Its cycles are the
 * largest of
 *   arithmetic   operations × V / L, two of them at a time,
 *   memory       of each access the elements that differ in the iteration, by L where they lie side by side, two at a time; and twice what
 *                does not fit into the registers,
 *   chain        4 for the additions that wait for each other: once for each iteration where lanes have accumulators of their own, for
 *                each reduced value where they have not, plus 2 for the loop, plus 4 for each line of memory that is loaded and not used
 * up (of a tile none is). The score is that times iterations (including those beyond a padded axis), a few per cent more for each
 * doubling of V, since text and compilation grow with it: if a guess has no gain, the smaller kernel comes first. Threads share the
 * iterations, one thread per processor, and have to be woken.
 */
#include "options/option.h"

#include <math.h>

#define VECTOR_BYTES 32
#define LINE_BYTES   64
#define REGISTERS    16
#define ADD_CYCLES   4
#define LINE_CYCLES  4
#define WAKE_CYCLES 30000      /* 10 us: the cost of launching several threads, without their work */
#define LARGEST      20000      /* nodes in an iteration, from which on text costs more than it brings */

static const LsStridedAccess *
access_at (const LsEstimate *t, guint i)
{
  return &g_array_index (t->k->accesses, LsStridedAccess, i);
}

static const LsUOp *
range_at (const LsEstimate *t, guint axis)
{
  return axis < t->k->loops->len ? t->k->loops->pdata[axis] : t->k->reduces->pdata[axis - t->k->loops->len];
}

guint
ls_estimate_axis (const LsEstimate *t, gint64 number)
{
  guint a = 0;
  while (a < t->n && ls_range_axis (range_at (t, a)) != number)
    a++;
  return a;
}

void
ls_estimate_split (LsEstimate *t, guint axis, const LsOpt *opt)
{
  if (axis < t->n)
    t->left[axis] /= (double) opt->amount;
}

void
ls_estimate_expand (LsEstimate *t, guint axis, const LsOpt *opt)
{
  if (axis < t->n)
    t->expanded[axis] *= (double) opt->amount;
  ls_estimate_split (t, axis, opt);
}

static void
expand (LsEstimate *t, const GArray *opts)
{
  t->values = t->reduced = t->padding = t->threads = 1;
  for (guint a = 0; a < t->n; a++) {
    t->order[a] = a;
    t->left[a] = (double) ls_range_size (range_at (t, a));
    t->expanded[a] = 1;
  }
  for (guint i = 0; i < opts->len; i++) {
    const LsOpt *opt = &g_array_index (opts, LsOpt, i);
    opt->option->estimate (t, ls_estimate_axis (t, opt->axis), opt);
  }
  for (guint a = 0; a < t->n; a++) {
    t->values *= t->expanded[a];
    t->reduced *= a < t->k->loops->len ? 1 : t->expanded[a];
  }
}

static gboolean
lies_side_by_side (const LsEstimate *t, guint axis)
{
  gboolean found = FALSE;
  for (guint i = 0; i < t->k->accesses->len; i++) {
    gint64 stride = access_at (t, i)->stride[axis];
    if (stride != 0 && stride != 1)
      return FALSE;
    found |= stride == 1;
  }
  return found;
}

static void
find_vectors (LsEstimate *t)
{
  double most = VECTOR_BYTES / MAX (ls_dtype_itemsize (t->k->dtype), 1);
  guint n_loops = t->k->loops->len;
  t->along = -1;
  t->lanes = 1;
  for (guint a = 0; a < t->n; a++) {
    double n = fmin (t->expanded[a], most);
    if (n > t->lanes && (a < n_loops || t->keeps) && lies_side_by_side (t, a)) {
      t->along = (int) a;
      t->lanes = n;
    }
  }
  if (t->along < 0 && t->values == 1 && n_loops > 0 && t->k->reduces->len == 0 && lies_side_by_side (t, t->order[n_loops - 1])) {
    t->along = (int) t->order[n_loops - 1];
    t->lanes = most;
  }
}

/* Elements of an access that differ in an iteration. */
static double
distinct (const LsEstimate *t, const LsStridedAccess *a)
{
  double n = 1;
  for (guint axis = 0; axis < t->n; axis++)
    if (a->stride[axis] != 0)
      n *= t->expanded[axis];
  return n;
}

/* How often an iteration executes the work outside of the reduce. */
static double
share (const LsEstimate *t, const LsStridedAccess *a)
{
  double turns = 1;
  for (guint r = t->k->loops->len; r < t->n && !a->in_reduce; r++)
    turns *= (double) ls_range_size (t->k->reduces->pdata[r - t->k->loops->len]) / t->expanded[r];
  return 1 / turns;
}

static double
memory_operations (const LsEstimate *t)
{
  double n = 0, accumulators = t->values / (t->keeps ? 1 : t->reduced) / t->lanes;
  for (guint i = 0; i < t->k->accesses->len; i++) {
    const LsStridedAccess *a = access_at (t, i);
    double lanes = t->along >= 0 && a->stride[t->along] == 1 ? t->lanes : 1;
    n += distinct (t, a) / lanes * share (t, a);
  }
  return n + (t->k->reduces->len > 0 ? 2 * fmax (0, accumulators - REGISTERS + 2) : 0);
}

/* Cache lines of which an iteration uses a part, and that are evicted before another iteration uses the rest. */
static double
wasted_lines (const LsEstimate *t)
{
  double n = 0, most = LINE_BYTES / MAX (ls_dtype_itemsize (t->k->dtype), 1);
  for (guint i = 0; i < t->k->accesses->len; i++) {
    const LsStridedAccess *a = access_at (t, i);
    double used = 1;
    if (t->tiled >> MIN (a->index->src[0]->arg.i, 63) & 1)
      continue;
    if (t->n == 0 || a->stride[t->order[t->n - 1]] == 0 || a->stride[t->order[t->n - 1]] == 1)
      continue;
    for (guint axis = 0; axis < t->n; axis++)
      used = a->stride[axis] == 1 ? fmax (used, fmin (t->expanded[axis], most)) : used;
    n += used < most ? distinct (t, a) / used * share (t, a) : 0;
  }
  return n;
}

static double
operations (const LsEstimate *t)
{
  double n = t->k->reduces->len > 0;
  for (guint i = 0; i < t->k->order->len; i++) {
    const LsUOp *u = t->k->order->pdata[i];
    n += ls_op_is_alu (u->op) && ls_dtype_base (u->dtype) != LS_BASE_INDEX && !ls_dtype_is_bool (u->dtype);
  }
  return n;
}

double
ls_opts_score (const LsAccesses *accesses, const LsSettings *settings, const GArray *opts)
{
  LsEstimate t = { .k = accesses, .n = accesses->loops->len + accesses->reduces->len, .keeps = settings->ACC == LS_ACC_VECTOR };
  expand (&t, opts);
  find_vectors (&t);
  double arithmetic = operations (&t) * t.values / t.lanes / 2, memory = memory_operations (&t) / 2;
  double chain = accesses->reduces->len > 0 ? ADD_CYCLES * (t.keeps ? 1 : t.reduced) : 0;
  double turns = accesses->work * t.padding / t.values, size = t.values * accesses->order->len;
  if (t.along >= 0 && t.expanded[t.along] == 1)      /* the compiler's vectors: an iteration of its loop is an iteration for each lane */
    arithmetic *= t.lanes, memory *= t.lanes, turns /= t.lanes;
  double cycles = fmax (arithmetic, fmax (memory, chain)) + 2 + LINE_CYCLES * wasted_lines (&t);
  return turns / t.threads * cycles * (1 + 0.04 * log2 (t.values)) * fmax (1, size / LARGEST) + (t.wakes ? WAKE_CYCLES : 0);
}
