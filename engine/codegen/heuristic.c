/* Which kernel options are chosen, and why.
 *
 * What counts is how memory is walked through: each access has a stride along each axis, which is found by computing its index at a few points. Values that lie side by
 * side belong into one vector; what stands still along an axis is loaded once for several values of it; a sum waits for each of its additions, unless its lanes have
 * accumulators of their own. A loop over neighbours that has nothing of this is left to the compiler, which makes vectors of it by itself.
 *
 * The profiles classic and modern have the choice of their time.
 */
#include "codegen.h"

#include "ir/eval.h"
#include "rules/linear.h"

#include <math.h>
#include <string.h>

#define UNKNOWN     G_MAXINT64
#define FEW_TURNS   4096       /* a kernel with fewer is over before an option could show */
#define LARGE       (1 << 21)  /* turns of a loop over neighbours whose memory is no longer in a cache */
#define VECTOR_SIZE 64         /* bytes, of the widest registers and of a line of memory */

/* A load or store: by how many elements it moves from one index of an axis to the next. */
typedef struct { const LsUOp *index; gboolean is_store, in_reduce; gint64 stride[LS_MAX_AXES]; } Access;

typedef struct {
  LsContext *ctx;
  const LsSettings *settings;
  const LsTarget *target;
  GPtrArray *order, *loops, *reduces;      /* nodes; ranges by axis */
  GArray    *accesses;                     /* Access */
  double     work;                         /* turns of all loops together */
  LsDType    dtype;                        /* that the kernel stores */
  GArray    *out;                          /* LsOpt */
} Choice;

G_GNUC_PRINTF (5, 6) static void
choose (Choice *c, LsOptKind kind, const LsUOp *range, gint64 amount, const char *reason, ...)
{
  va_list args;
  if (amount < 2)
    return;
  va_start (args, reason);
  LsOpt opt = { kind, (guint) ls_range_axis (range), amount, g_strdup_vprintf (reason, args) };
  va_end (args);
  g_array_append_val (c->out, opt);
}

static const Access *
access_at (const Choice *c, guint i)
{
  return &g_array_index (c->accesses, Access, i);
}

static int
buffer_of (const Access *a)
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

/* --- strides --- */

/* The indices that all nodes have where ranges have these values (by place in order). What is loaded is any number. */
static void
compute (const Choice *c, const gint64 *at, gint64 *values, LsNodeMap *places)
{
  for (guint i = 0; i < c->order->len; i++) {
    const LsUOp *u = c->order->pdata[i];
    LsScalar src[3] = { 0 };
    guint64 place;
    for (guint k = 0; k < MIN (u->n_src, 3); k++)
      if (ls_node_map_get (places, u->src[k], &place))
        src[k].i = values[place];
    gboolean is_index = ls_dtype_base (u->dtype) == LS_BASE_INDEX || ls_dtype_is_bool (u->dtype);
    LsDType from = u->n_src ? u->src[u->n_src - 1]->dtype : LS_VOID;
    if (u->op == LS_OP_RANGE)
      values[i] = at[i];
    else if (u->op == LS_OP_CONST && is_index)
      values[i] = u->arg.i;
    else if (is_index && ls_op_is_alu (u->op) && u->n_src <= 3 && (ls_dtype_base (from) == LS_BASE_INDEX || ls_dtype_is_bool (from)) && u->op != LS_OP_CAST)
      values[i] = ls_eval_alu (u->op, u->dtype, from, src).i;
    else
      values[i] = (src[0].i * 1000003 + (gint64) i) % 65537;
  }
}

static void
find_strides (Choice *c)
{
  LsNodeMap *places = ls_node_map_acquire (c->ctx);
  guint n = c->order->len, n_axes = c->loops->len + c->reduces->len;
  g_autofree gint64 *at = g_new0 (gint64, n), *values = g_new0 (gint64, 4 * n);
  for (guint i = 0; i < n; i++)
    ls_node_map_set (places, c->order->pdata[i], i);
  for (guint point = 0; point < 2; point++) {
    for (guint i = 0; i < n; i++)
      if (((LsUOp *) c->order->pdata[i])->op == LS_OP_RANGE)
        at[i] = point == 0 ? 0 : ls_range_size (c->order->pdata[i]) / 2 / 16 * 16;
    compute (c, at, values, places);
    for (guint a = 0; a < n_axes; a++) {
      const LsUOp *range = a < c->loops->len ? c->loops->pdata[a] : c->reduces->pdata[a - c->loops->len];
      guint64 place = 0;
      ls_node_map_get (places, range, &place);
      guint steps = (guint) MIN (3, ls_range_size (range) - 1 - at[place]);
      for (guint step = 1; step <= steps; step++) {
        at[place]++;
        compute (c, at, values + step * n, places);
      }
      at[place] -= steps;
      for (guint i = 0; i < c->accesses->len; i++) {
        Access *access = &g_array_index (c->accesses, Access, i);
        guint64 index = 0;
        ls_node_map_get (places, access->index->src[1], &index);
        gint64 stride = steps ? values[n + index] - values[index] : 0;
        for (guint step = 2; step <= steps; step++)
          if (values[step * n + index] - values[(step - 1) * n + index] != stride)
            stride = UNKNOWN;
        access->stride[a] = point == 0 || access->stride[a] == stride ? stride : UNKNOWN;
      }
    }
  }
  ls_node_map_release (c->ctx, places);
}

static int
by_axis (gconstpointer a, gconstpointer b)
{
  gint64 x = ls_range_order (*(LsUOp *const *) a), y = ls_range_order (*(LsUOp *const *) b);
  return x < y ? -1 : x > y;
}

static gboolean
look_at (Choice *c, LsUOp *root)
{
  c->order = ls_uop_toposort (c->ctx, root);
  c->work = 1;
  for (guint i = 0; i < c->order->len; i++) {
    LsUOp *u = c->order->pdata[i];
    if (u->op == LS_OP_RANGE) {
      c->work *= (double) ls_range_size (u);
      g_ptr_array_add (ls_range_type (u) == LS_AXIS_REDUCE ? c->reduces : c->loops, u);
    }
    if ((u->op != LS_OP_LOAD && u->op != LS_OP_STORE) || u->src[0]->op != LS_OP_INDEX)
      continue;
    Access a = { u->src[0], u->op == LS_OP_STORE, FALSE, { 0 } };
    if (a.is_store && u->n_src > 1)
      c->dtype = ls_dtype_scalar (u->src[1]->dtype);
    g_array_append_val (c->accesses, a);
  }
  g_ptr_array_sort (c->loops, by_axis);
  g_ptr_array_sort (c->reduces, by_axis);
  if (c->loops->len + c->reduces->len > LS_MAX_AXES)
    return FALSE;
  for (guint i = 0; i < c->accesses->len; i++)
    for (guint r = 0; r < c->reduces->len; r++) {
      Access *a = &g_array_index (c->accesses, Access, i);
      a->in_reduce |= ls_uop_depends (c->ctx, (LsUOp *) a->index, c->reduces->pdata[r]);
    }
  return TRUE;
}

/* --- choices --- */

/* The access that moves by one element along the axis, where each that counts moves by one or stands still. NULL: one jumps, or none moves. */
static const Access *
side_by_side (const Choice *c, guint axis, gboolean stores, gboolean loads)
{
  const Access *found = NULL;
  for (guint i = 0; i < c->accesses->len; i++) {
    const Access *a = access_at (c, i);
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

/* A load of the reduce that stands still along the axis, while another one moves. */
static const Access *
used_again (const Choice *c, guint axis)
{
  const Access *still = NULL;
  gboolean moves = FALSE;
  for (guint i = 0; i < c->accesses->len; i++) {
    const Access *a = access_at (c, i);
    if (a->is_store || !a->in_reduce)
      continue;
    if (a->stride[axis] == 0 && !still)
      still = a;
    moves |= a->stride[axis] != 0;
  }
  return moves ? still : NULL;
}

static gint64
vector_lanes (const Choice *c, gint64 registers)
{
  return CLAMP (registers * VECTOR_SIZE / MAX (ls_dtype_itemsize (c->dtype), 1), 4, 16 * registers);
}

/* How many values a turn may make: text and time of compilation grow with them, so that only long kernels have many. */
static gint64
most_values (const Choice *c)
{
  gint64 most = c->work < 1 << 17 ? 16 : c->work < 1 << 19 ? 32 : c->work < 1 << 23 ? 64 : 128;
  while (most > 4 && c->order->len * (guint64) most > 20000)
    most /= 2;
  return MIN (most, c->settings->UPCAST_MAX);
}

/* A loop over neighbours that memory holds up: 16 bytes a turn were a tenth faster than what compilers make of the plain loop, which in a cache is faster by a half. */
static void
choose_stream (Choice *c)
{
  guint last = c->loops->len - 1;
  const LsUOp *axis = c->loops->pdata[last];
  const Access *side = side_by_side (c, last, TRUE, TRUE);
  gint64 lanes = 16 / MAX (ls_dtype_itemsize (c->dtype), 1);
  if (c->work < LARGE || !side || lanes > 4 || ls_range_size (axis) % lanes != 0)
    return;
  choose (c, LS_OPT_UPCAST, axis, lanes, "the kernel waits for memory, which lies side by side along this axis: %d values, 16 bytes, in one turn", (int) lanes);
}

/* A kernel without reduce is its loop, which a compiler makes vectors of. Where one access moves along one axis and another along another one, a tile of both has whole
 * lines of memory. */
static void
choose_tile (Choice *c)
{
  guint last = c->loops->len - 1;
  for (guint i = 0; i < c->accesses->len && c->loops->len > 1 && side_by_side (c, last, TRUE, FALSE); i++) {
    const Access *a = access_at (c, i);
    if (a->is_store || a->stride[last] == 0 || a->stride[last] == 1)
      continue;
    for (guint t = 0; t < last; t++) {
      const LsUOp *across = c->loops->pdata[t], *along = c->loops->pdata[last];
      gint64 most = most_values (c), height = lanes_of (ls_range_size (across), MIN (16, most / 4)), width = lanes_of (ls_range_size (along), 4);
      if (a->stride[t] != 1 || height < 4 || width < 2)
        continue;
      choose (c, LS_OPT_UPCAST, across, height, "data%d lies side by side along this axis, and not along the one that is written: %d values of it have whole lines of memory used",
              buffer_of (a), (int) height);
      choose (c, LS_OPT_UPCAST, along, width, "the result lies side by side along this axis: %d values of it in each row of the tile are stored together", (int) width);
      return;
    }
  }
}

/* Neighbouring results in vectors, several rows of them where what is loaded serves them all. */
static gboolean
choose_vectors (Choice *c)
{
  for (guint v = c->loops->len; v-- > 0;) {
    const LsUOp *axis = c->loops->pdata[v], *rows = NULL;
    const Access *side = side_by_side (c, v, TRUE, TRUE), *again = NULL;
    gint64 most = most_values (c), width = lanes_of (ls_range_size (axis), most), narrow = lanes_of (ls_range_size (axis), CLAMP (most / 4, 4, vector_lanes (c, 1))), height = 1;
    if (!side || side->is_store || width < 4)
      continue;
    for (guint u = c->loops->len; u-- > 0;) {
      const Access *a = u == v ? NULL : used_again (c, u);
      gint64 n = a && a->stride[v] == 1 && most / narrow > 1 ? lanes_of (ls_range_size (c->loops->pdata[u]), MIN (8, most / narrow)) : 1;
      if (n > height) {
        rows = c->loops->pdata[u];
        again = a;
        height = n;
      }
    }
    if (rows)
      width = narrow;
    choose (c, LS_OPT_UPCAST, axis, width, "the result and data%d lie side by side along this axis: %d values of it are vectors, each with an accumulator of its own",
            buffer_of (side), (int) width);
    if (rows)
      choose (c, LS_OPT_UPCAST, rows, height, "data%d stands still along this axis: what is loaded of it once serves %d values", buffer_of (again), (int) height);
    return TRUE;
  }
  return FALSE;
}

/* How many loads move along the axis. */
static guint
count_moving (const Choice *c, guint axis)
{
  guint n = 0;
  for (guint i = 0; i < c->accesses->len; i++)
    n += !access_at (c, i)->is_store && access_at (c, i)->stride[axis] != 0;
  return n;
}

/* Lanes of the innermost reduced axis, of two registers where one load fills them; where several do, their loads take as long as the sum. Of another axis they would be
 * another order. */
static gboolean
choose_lanes (Choice *c)
{
  guint r = c->reduces->len - 1, registers = count_moving (c, c->loops->len + r) > 1 ? 1 : 2;
  const LsUOp *axis = c->reduces->pdata[r];
  const Access *side = side_by_side (c, c->loops->len + r, FALSE, TRUE);
  gboolean keeps = c->settings->ACC == LS_ACC_VECTOR;
  gint64 size = ls_range_size (axis), lanes = lanes_of (size, keeps ? MIN (CLAMP (size / 4, 4, c->settings->UPCAST_MAX), vector_lanes (c, registers)) : 4);
  if (!side)
    return FALSE;
  if (keeps)
    choose (c, LS_OPT_UNROLL, axis, lanes, "what is reduced lies side by side in data%d: %d lanes have accumulators of their own, so that none waits for another's", buffer_of (side),
            (int) lanes);
  else
    choose (c, LS_OPT_UNROLL, axis, lanes, "what is reduced lies side by side in data%d: %d of it in one turn", buffer_of (side), (int) lanes);
  return TRUE;
}

/* Nothing lies side by side: what stands still along an axis is loaded once for four values, and turns of a reduce are done together. */
static void
choose_reuse (Choice *c)
{
  const LsUOp *last = c->reduces->pdata[c->reduces->len - 1];
  for (guint u = c->loops->len; u-- > 0;) {
    const Access *a = used_again (c, u);
    if (!a || ls_range_size (c->loops->pdata[u]) % 4 != 0)
      continue;
    choose (c, LS_OPT_UPCAST, c->loops->pdata[u], 4, "data%d stands still along this axis: what is loaded of it once serves 4 values", buffer_of (a));
    break;
  }
  choose (c, LS_OPT_UNROLL, last, lanes_of (ls_range_size (last), 4), "turns of the reduce do not wait for each other's loads");
}

/* Work items of a group: the last output axis, as far as it fits. */
static void
choose_group (Choice *c)
{
  if (c->loops->len == 0)
    return;
  const LsUOp *r = c->loops->pdata[c->loops->len - 1];
  gint64 d = MIN (ls_range_size (r), 16);
  while (ls_range_size (r) % d != 0)
    d--;
  choose (c, LS_OPT_LOCAL, r, d, "a group of %d neighbours shares its loads", (int) d);
}

/* --- the profiles' --- */

/* Number of loads and how many of them do not move along a range: what an upcast of that range would save. */
static guint
count_still (const Choice *c, const LsUOp *range, guint *n_loads)
{
  guint n_still = 0;
  *n_loads = 0;
  for (guint i = 0; i < c->order->len; i++) {
    const LsUOp *u = c->order->pdata[i];
    if (u->op != LS_OP_LOAD)
      continue;
    ++*n_loads;
    n_still += !ls_uop_depends (c->ctx, u->src[0], (LsUOp *) range);
  }
  return n_still;
}

static void
choose_as_then (Choice *c)
{
  gint64 upcast = 1;
  const LsUOp *last = c->loops->len ? c->loops->pdata[c->loops->len - 1] : NULL;
  if (c->reduces->len == 0) {
    if (last && ls_range_size (last) % 4 == 0 && c->order->len < 2000)
      choose (c, LS_OPT_UPCAST, last, 4, "four neighbours are computed in one turn");
    return;
  }
  for (guint i = c->loops->len; i-- > 0 && upcast * 4 <= MIN (16, c->settings->UPCAST_MAX);) {
    const LsUOp *range = c->loops->pdata[i];
    guint n_loads, n_still = count_still (c, range, &n_loads);
    if (n_still == 0 || n_loads < 2 || ls_range_size (range) % 4 != 0)
      continue;
    choose (c, LS_OPT_UPCAST, range, 4, "a load stands still along this axis: what is loaded of it once serves 4 values");
    upcast *= 4;
  }
  const LsUOp *reduce = c->reduces->pdata[c->reduces->len - 1];
  if (upcast <= 4 && ls_range_size (reduce) % 4 == 0)
    choose (c, LS_OPT_UNROLL, reduce, 4, "four turns of the reduce are done in one");
}

GArray *
ls_opts_choose (LsContext *ctx, const LsSettings *settings, const LsTarget *target, LsUOp *lowered)
{
  g_autoptr (GPtrArray) loops = g_ptr_array_new (), reduces = g_ptr_array_new ();
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (Access));
  Choice c = { .ctx = ctx, .settings = settings, .target = target, .loops = loops, .reduces = reduces, .accesses = accesses, .dtype = LS_FLOAT, .out = ls_opts_new () };
  if (settings->NOOPT)
    return c.out;
  gboolean known = look_at (&c, lowered);
  if (known && target->has_local) {
    choose_group (&c);
  } else if (known && (settings->CLASSIC || (settings->MODERN && c.work >= FEW_TURNS))) {
    choose_as_then (&c);
  } else if (known && !settings->MODERN && c.work >= FEW_TURNS) {
    find_strides (&c);
    if (c.reduces->len == 0 && c.loops->len > 0) {
      choose_tile (&c);
      if (c.out->len == 0)
        choose_stream (&c);
    }
    if (c.reduces->len > 0 && !choose_vectors (&c) && !choose_lanes (&c))
      choose_reuse (&c);
  }
  g_ptr_array_unref (c.order);
  return c.out;
}
