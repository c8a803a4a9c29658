/* Passes over procedures: fusion of loops, unrolling, constants, invariant rows.
 *
 * They read the linear list and write one (list-writer.h): values have names there, so an iteration of a loop is its rows over the
 * accumulators' values of the last iteration, and the order of float operations does not change. Results are the same bits.
 */
#include "list-writer.h"

#include "ir/eval.h"

#define MOST_ROWS 4096      /* of a list that is unrolled */

/* --- fusion of loops --- */

static gboolean
is_quiet (LsListWriter *r, guint from, guint to)
{
  for (guint i = from; i <= to; i++) {
    const LsUOp *u = r->list->pdata[i];
    if (u->op == LS_OP_IF || u->op == LS_OP_BARRIER || u->op == LS_OP_STORE || (u->op == LS_OP_LOAD && !ls_list_writer_is_pure (r, u)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
same_turns (const LsUOp *a, const LsUOp *b)
{
  return a->op == LS_OP_RANGE && b->op == LS_OP_RANGE && a->n_src && b->n_src && a->src[0] == b->src[0] && a->src[0]->op == LS_OP_CONST &&
         a->dtype == b->dtype;
}

/* Can the loop at `second` be done in the one at `first`, which comes before it in the same block? needed gets the rows that must come
 * before both. */
static gboolean
can_fuse (LsListWriter *r, guint first, guint second, GPtrArray *needed)
{
  guint end = r->end[first], last = r->end[second];
  if (!same_turns (r->list->pdata[first], r->list->pdata[second]) || !is_quiet (r, first, last))
    return FALSE;
  /* the rows between them, and those of them that the second one needs */
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL), own = g_hash_table_new (NULL, NULL);
  for (guint i = first; i <= end; i++)
    g_hash_table_add (made, r->list->pdata[i]);
  for (guint i = second; i <= last; i++)
    g_hash_table_add (own, r->list->pdata[i]);
  g_autoptr (GHashTable) asked = g_hash_table_new (NULL, NULL);
  for (guint i = last; i > end; i--) {
    LsUOp *u = r->list->pdata[i];
    gboolean inner = i >= second, between = !inner && g_hash_table_contains (asked, u);
    gboolean sets = FALSE;
    for (guint s = 1; s < u->n_src && u->op == LS_OP_DEFINE_ACC && !inner; s++)
      sets |= g_hash_table_contains (own, u->src[s]);
    if (!inner && !between && !sets)
      continue;
    if (!inner && !sets && !ls_list_writer_is_pure (r, u))
      return FALSE;
    for (guint s = 0; s < u->n_src; s++) {
      if (g_hash_table_contains (made, u->src[s]))
        return FALSE;
      if (!(sets && s > 0))
        g_hash_table_add (asked, u->src[s]);
    }
    if (!inner)
      g_ptr_array_insert (needed, 0, u);
  }
  /* nothing of them may be made in a loop between the two */
  for (guint depth = 0, at = end + 1; at < second; at++) {
    const LsUOp *u = r->list->pdata[at];
    depth -= u->op == LS_OP_ENDRANGE && depth;
    if (depth && g_ptr_array_find (needed, u, NULL))
      return FALSE;
    depth += u->op == LS_OP_RANGE;
  }
  return TRUE;
}

/* The loop after `first`, in its block, that can be done in it; 0: none. */
static guint
find_partner (LsListWriter *r, guint first, GPtrArray *needed)
{
  for (guint i = r->end[first] + 1; i < r->list->len; i++) {
    const LsUOp *u = r->list->pdata[i];
    if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF)
      return 0;
    g_ptr_array_set_size (needed, 0);
    if (u->op == LS_OP_RANGE && can_fuse (r, first, i, needed))
      return i;
    if (u->op == LS_OP_RANGE || u->op == LS_OP_IF)
      i = r->end[i];
  }
  return 0;
}

static GPtrArray *
fuse_once (LsContext *ctx, GPtrArray *list, GArray *changes, const char *reason, gboolean *fused)
{
  LsListWriter r;
  ls_list_writer_begin (&r, ctx, list, changes);
  g_autoptr (GPtrArray) needed = g_ptr_array_new ();
  guint first = 0, second = 0;
  for (guint i = 0; i < list->len && !second; i++)
    if (((LsUOp *) list->pdata[i])->op == LS_OP_RANGE && (second = find_partner (&r, i, needed)))
      first = i;
  *fused = second > 0;
  if (second)
    ls_node_map_set_node (r.map, list->pdata[second], list->pdata[first]);
  for (guint i = 0; i < list->len; i++) {
    if (!second || i != first) {
      ls_list_writer_copy (&r, list->pdata[i], reason);
      continue;
    }
    for (guint k = 0; k < needed->len; k++)
      ls_list_writer_copy (&r, needed->pdata[k], reason);
    for (guint k = i; k < r.end[i]; k++)
      ls_list_writer_copy (&r, list->pdata[k], reason);
    for (guint k = second + 1; k <= r.end[second]; k++)
      ls_list_writer_copy (&r, list->pdata[k], reason);
    for (guint k = r.end[i] + 1; k < second; k++)
      if (!g_ptr_array_find (needed, list->pdata[k], NULL))
        ls_list_writer_copy (&r, list->pdata[k], reason);
    i = r.end[second];
  }
  return ls_list_writer_end (&r);
}

static GPtrArray *
fuse (LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes, const char *reason)
{
  GPtrArray *now = g_ptr_array_ref (list);
  for (gboolean fused = TRUE; fused;) {
    GPtrArray *next = fuse_once (ctx, now, changes, reason, &fused);
    g_ptr_array_unref (now);
    now = next;
  }
  return now;
}

/* --- unrolling --- */

typedef struct { gint64 turns, at_once; LsUOp *range; } Plan;      /* range: of the loop that is left, or NULL: none is */

/* How often the loop at that row is written out; FALSE: it stays. */
static gboolean
plan_loop (LsListWriter *r, guint at, gint64 most, GHashTable *done, guint room, Plan *p)
{
  LsUOp *range = r->list->pdata[at];
  gboolean nested = FALSE;
  if (range->op != LS_OP_RANGE || !range->n_src || range->src[0]->op != LS_OP_CONST || g_hash_table_contains (done, range) ||
      range->arg.kind != LS_ARG_INTS)
    return FALSE;
  for (guint i = at + 1; i < r->end[at]; i++) {
    const LsUOp *u = r->list->pdata[i];
    if (u->op == LS_OP_PHI)
      nested |= u->n_src > 3;
    else if (u->op != LS_OP_STORE && !ls_list_writer_is_pure (r, u))
      return FALSE;
  }
  p->turns = range->src[0]->arg.i;
  if (p->turns < 1)
    return FALSE;
  p->at_once = p->turns <= most ? p->turns : most;
  /* if other loops add to the same accumulators, remaining iterations have no place after this one */
  while (nested && p->turns % p->at_once)
    p->at_once--;
  gint64 left = p->turns / p->at_once, copies = left > 1 ? p->at_once + p->turns % p->at_once : p->turns;
  if ((left > 1 && p->at_once < 2) || copies * (r->end[at] - at) > room)
    return FALSE;
  LsUOp *bound = ls_uop_const_i (r->ctx, range->src[0]->dtype, left);
  p->range = left > 1 ? ls_uop_new1 (r->ctx, LS_OP_RANGE, range->dtype, bound, range->arg) : NULL;
  return TRUE;
}

/* The rows of one iteration. A PHI gives its accumulator the value that the next iteration reads. */
static void
do_turn (LsListWriter *r, guint at, gint64 turn, gint64 of)
{
  g_autofree char *reason = g_strdup_printf ("iteration %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, turn + 1, of);
  for (guint i = at + 1; i < r->end[at]; i++) {
    LsUOp *u = r->list->pdata[i];
    if (u->op == LS_OP_PHI) {
      LsUOp *value = ls_list_writer_now (r, u->src[1]);
      ls_node_map_set_node (r->map, u->src[0], value);
      ls_node_map_set_node (r->map, u, value);
    } else
      ls_list_writer_place (r, u, ls_list_writer_over (r, u), g_intern_string (reason));
  }
}

/* The accumulators that are left take their values. */
static void
end_turns (LsListWriter *r, guint at, const char *reason)
{
  for (guint i = at + 1; i < r->end[at]; i++) {
    LsUOp *u = r->list->pdata[i], *acc = u->op == LS_OP_PHI ? ls_node_map_get_node (r->accs, u->src[0]) : NULL;
    if (!acc)
      continue;
    ls_list_writer_place (r, u, ls_list_writer_over (r, u), reason);
    ls_node_map_set_node (r->map, u->src[0], acc);
  }
}

static void
unroll_loop (LsListWriter *r, guint at, const Plan *p, const char *reason)
{
  LsUOp *range = r->list->pdata[at];
  gint64 left = p->range ? p->turns / p->at_once : 0;
  if (p->range) {
    LsRowChange change = { p->range, range, reason };
    if (r->changes)
      g_array_append_val (r->changes, change);
    LsUOp *step = ls_uop_const_i (r->ctx, range->dtype, p->at_once);
    ls_list_writer_place (r, range, p->range->src[0], reason);
    ls_list_writer_place (r, range, step, reason);
    ls_list_writer_open (r, p->range);
    LsUOp *first = ls_uop_alu2 (r->ctx, LS_OP_MUL, p->range, step);
    for (gint64 t = 0; t < p->at_once; t++) {
      LsUOp *number = ls_uop_const_i (r->ctx, range->dtype, t);
      if (t == 0)
        ls_list_writer_place (r, range, first, reason);
      else {
        ls_list_writer_place (r, range, number, reason);
        ls_list_writer_place (r, range, ls_uop_alu2 (r->ctx, LS_OP_ADD, first, number), reason);
      }
      do_turn (r, at, t, p->at_once);
    }
    end_turns (r, at, reason);
    ls_list_writer_close (r, r->list->pdata[r->end[at]]);
    for (guint i = at + 1; left * p->at_once < p->turns && i < r->end[at]; i++) {
      LsUOp *u = r->list->pdata[i];
      if (u->op == LS_OP_PHI)
        ls_node_map_set_node (r->map, u->src[0], ls_list_writer_now (r, u));
    }
  }
  for (gint64 t = left * p->at_once; t < p->turns; t++) {
    ls_list_writer_place (r, range, ls_uop_const_i (r->ctx, range->dtype, t), reason);
    do_turn (r, at, t, p->turns);
  }
  if (!p->range)
    end_turns (r, at, reason);
}

static GPtrArray *
unroll_once (LsContext *ctx, GPtrArray *list, gint64 most, GHashTable *done, GArray *changes, const char *reason, gboolean *unrolled)
{
  LsListWriter r;
  ls_list_writer_begin (&r, ctx, list, changes);
  g_autofree Plan *plans = g_new0 (Plan, list->len + 1);
  guint room = list->len < MOST_ROWS ? MOST_ROWS - list->len : 0;
  *unrolled = FALSE;
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    if (!plan_loop (&r, i, most, done, room, &plans[i]))
      continue;
    if (plans[i].range)
      g_hash_table_add (done, plans[i].range);
    ls_node_map_set_node (r.loops, u, plans[i].range);
    room -= MIN (room, (guint) (plans[i].at_once * (r.end[i] - i)));
    *unrolled = TRUE;
  }
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    if (u->op == LS_OP_RANGE && ls_node_map_has (r.loops, u)) {
      unroll_loop (&r, i, &plans[i], reason);
      i = r.end[i];
      continue;
    }
    LsUOp *acc = u->op == LS_OP_DEFINE_ACC && u->n_src > 1 ? ls_list_writer_over (&r, u) : NULL;
    if (acc && acc->n_src == 1)      /* all of its loops are gone: it is its first value */
      ls_node_map_set_node (r.map, u, acc->src[0]);
    else
      ls_list_writer_copy (&r, u, reason);
  }
  return ls_list_writer_end (&r);
}

static GPtrArray *
unroll (LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes, const char *reason)
{
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  GPtrArray *now = g_ptr_array_ref (list);
  for (gboolean unrolled = TRUE; unrolled;) {
    GPtrArray *next = unroll_once (ctx, now, settings->UNROLL_LOOPS, done, changes, reason, &unrolled);
    g_ptr_array_unref (now);
    now = next;
  }
  return now;
}

/* --- constants --- */

static gboolean
is_int (const LsUOp *u, gint64 value)
{
  return u->op == LS_OP_CONST && u->arg.kind == LS_ARG_INT && u->arg.i == value;
}

/* The source of u other than the number; u if neither is the number. */
static LsUOp *
without (LsUOp *u, gint64 number)
{
  if (is_int (u->src[1], number))
    return u->src[0];
  return is_int (u->src[0], number) ? u->src[1] : u;
}

static gboolean
is_of_library (const LsUOp *u)
{
  return u->library && (u->op == LS_OP_EXP2 || u->op == LS_OP_LOG2 || u->op == LS_OP_SIN);
}

static gboolean
folds (const LsUOp *u)
{
  if (ls_op_info (u->op)->op_class < LS_CLASS_UNARY || ls_dtype_lanes (u->dtype) != 1 || ls_dtype_is_ptr (u->dtype) || u->n_src > 3 ||
      u->op == LS_OP_POW || is_of_library (u))      /* the compiler's library has these, and the last bit of them */
    return FALSE;
  for (guint s = 0; s < u->n_src; s++)
    if (u->src[s]->op != LS_OP_CONST)
      return FALSE;
  return u->n_src > 0;
}

/* A row computed from constants; the row itself if that is not possible. */
static LsUOp *
folded (LsContext *ctx, LsUOp *u)
{
  gboolean ints = u->n_src && ls_dtype_is_int (u->dtype) && ls_dtype_lanes (u->dtype) == 1 && !ls_dtype_is_ptr (u->dtype);
  if (folds (u)) {
    LsScalar src[3], value;
    for (guint s = 0; s < u->n_src; s++)
      src[s] = ls_scalar_from_arg (u->src[s]->dtype, u->src[s]->arg);
    value = ls_scalar_fit (u->dtype, ls_eval_node (u, u->dtype, u->src[u->n_src - 1]->dtype, src));
    return ls_uop_new0 (ctx, LS_OP_CONST, u->dtype, ls_scalar_to_arg (u->dtype, value));
  }
  if ((ints || (u->n_src && ls_dtype_is_bool (u->dtype) && ls_dtype_lanes (u->dtype) == 1)) && u->op != LS_OP_LOAD && u->vmin == u->vmax &&
      ls_op_info (u->op)->op_class >= LS_CLASS_UNARY)
    return ls_uop_const_i (ctx, u->dtype, u->vmin);
  switch ((int) u->op) {
  case LS_OP_WHERE:
    return is_int (u->src[0], 0) ? u->src[2] : is_int (u->src[0], 1) ? u->src[1] : u;
  case LS_OP_ADD: case LS_OP_OR: case LS_OP_XOR:
    return ls_dtype_is_float (u->dtype) || ls_dtype_lanes (u->dtype) != 1 ? u : without (u, 0);
  case LS_OP_SUB: case LS_OP_SHL: case LS_OP_SHR:
    return ints && is_int (u->src[1], 0) ? u->src[0] : u;
  case LS_OP_AND:
    return ls_dtype_is_bool (u->dtype) ? without (u, 1) : u;
  case LS_OP_MUL:
    return ints ? without (u, 1) : u;
  case LS_OP_IDIV:
    return ints && is_int (u->src[1], 1) ? u->src[0] : u;
  case LS_OP_INDEX:      /* a gate that is always true is removed */
    return u->n_src == 3 && is_int (u->src[2], 1) ? ls_uop_with_src (ctx, u, 2, u->src) : u;
  case LS_OP_LOAD:
    if (u->n_src == 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->n_src == 2)
      return ls_uop_with_src (ctx, u, 1, u->src);
    return u->n_src == 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->n_src == 3 && is_int (u->src[0]->src[2], 0) ? u->src[1] : u;
  default:
    return u;
  }
}

static GPtrArray *
propagate (LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes, const char *reason)
{
  LsListWriter r;
  ls_list_writer_begin (&r, ctx, list, changes);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    gboolean plain = u->op == LS_OP_STORE || u->op == LS_OP_INDEX || u->op == LS_OP_LOAD || ls_op_info (u->op)->op_class >= LS_CLASS_UNARY;
    LsUOp *v = plain ? ls_list_writer_over (&r, u) : NULL,
          *gate = v && u->op == LS_OP_STORE && v->src[0]->op == LS_OP_INDEX && v->src[0]->n_src == 3 ? v->src[0]->src[2] : NULL;
    if (gate && is_int (gate, 0))      /* never written */
      continue;
    LsUOp *w = v ? folded (ctx, v) : NULL;
    gboolean is_source = FALSE;
    for (guint s = 0; w && s < v->n_src; s++)
      is_source |= v->src[s] == w && w->op != LS_OP_CONST;
    if (is_source)
      ls_node_map_set_node (r.map, u, w);
    else if (w)
      ls_list_writer_place (&r, u, w, reason);
    else
      ls_list_writer_copy (&r, u, reason);
  }
  return ls_list_writer_end (&r);
}

/* --- rows that are the same in every iteration --- */

static GPtrArray *
hoist (LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes, const char *reason)
{
  LsListWriter r;
  ls_list_writer_begin (&r, ctx, list, changes);
  for (guint i = 0; i < list->len; i++)
    ls_list_writer_copy (&r, list->pdata[i], reason);
  return ls_list_writer_end (&r);
}

/* --- all of them --- */

static GPtrArray *(*const runs[LS_N_PROC_PASSES]) (LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes,
                                                   const char *reason) = {
  [LS_PROC_PASS_FUSE] = fuse, [LS_PROC_PASS_UNROLL] = unroll, [LS_PROC_PASS_PROPAGATE] = propagate, [LS_PROC_PASS_HOIST] = hoist,
};

gboolean
ls_proc_pass_is_on (LsProcPass pass, const LsSettings *settings)
{
  const gint64 values[LS_N_PROC_PASSES] = {
#define X(ID, stage, setting, reason) settings->setting,
    LS_PROC_PASS_TABLE (X)
#undef X
  };
  return values[pass] != 0;
}

gboolean
ls_proc_passes_are_on (const LsSettings *settings)
{
  gboolean any = FALSE;
  for (guint i = 0; i < LS_N_PROC_PASSES; i++)
    any |= ls_proc_pass_is_on (i, settings);
  return any;
}

GPtrArray *
ls_proc_pass_run (LsProcPass pass, LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes)
{
  static const char *const reasons[LS_N_PROC_PASSES] = {
#define X(ID, stage, setting, reason) reason,
    LS_PROC_PASS_TABLE (X)
#undef X
  };
  return runs[pass] (ctx, list, settings, changes, reasons[pass]);
}
