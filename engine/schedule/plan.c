/* What is stored, and why: the scheduler's decisions.
 *
 * A node is stored (gets a buffer, and so a kernel) when it is wanted as a result or contiguous by force, when its padding could not
 * be computed from padded operands, when a costly value is repeated by an expansion, when it would be computed through too many views,
 * or when a reduce ends there. A kernel holds one reduce in classic, modern and with FUSE=0, unless the caller chose otherwise. From each
 * reduce we follow its consumers as long as they keep its number of elements: if all paths end in one stored node, the reduce is computed
 * there; if they end in several kernels, the value where they part is stored; if a path cannot continue (an expansion, another reduce), the
 * last node before it is. In other kernels fuse.c says which of these paths continue.
 *
 * A decision is about a value and one use of it. The user is the next node that is not a movement, or a pad or repetition that was decided
 * by itself. Each use is decided once; uses that no earlier part asked about are decided last.
 */
#include "plan.h"

#include <string.h>

const LsReasonInfo ls_reasons[LS_N_REASONS] = {
#define CAN(name) name, NULL
#define CANNOT(why) NULL, why
#define X(id, key, action, other, text, sentence) { key, LS_DECISION_##action, other, text, sentence },
#include "reasons.def"
#undef X
#undef CAN
#undef CANNOT
};

const char *const ls_reason_keys[LS_N_REASONS + 1] = {
#define X(id, key, ...) key,
#include "reasons.def"
#undef X
  NULL
};

enum { UNSAFE = 1, COSTLY = 2, REDUCES = 4 };

guint32
ls_plan_place (LsPlan *p, const LsUOp *u)
{
  guint64 i = 0;
  ls_node_map_get (p->index, u, &i);
  return (guint32) i;
}

LsUOp *
ls_plan_base (LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE)
    u = u->src[0];
  return u;
}

static void
collect_uses (LsPlan *p)
{
  guint n = p->order->len;
  p->first_use = g_new0 (guint32, n + 2);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    for (guint k = 0; k < ls_plan_n_sources (p, i); k++)
      p->first_use[ls_plan_place (p, u->src[k]) + 2]++;
  }
  for (guint i = 2; i < n + 2; i++)
    p->first_use[i] += p->first_use[i - 1];
  p->uses = g_new (guint32, p->first_use[n + 1] + 1);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    for (guint k = 0; k < ls_plan_n_sources (p, i); k++)
      p->uses[p->first_use[ls_plan_place (p, u->src[k]) + 1]++] = i;
  }
}

static void
note (LsPlan *p, const LsUOp *node, const LsUOp *user, LsReason reason, gboolean stores)
{
  LsDecision d = { .node = node->id, .user = user ? user->id : G_MAXUINT32, .realized = stores, .key = reason,
                   .reason = ls_reasons[reason].text };
  if (p->decisions)
    g_array_append_val (p->decisions, d);
}

void
ls_plan_store (LsPlan *p, LsUOp *u, const LsUOp *user, LsReason reason)
{
  u = ls_plan_base (u);
  if (needs_no_memory (u))
    return;
  guint32 i = ls_plan_place (p, u);
  note (p, u, user, reason, !p->stored[i]);
  if (!p->stored[i])
    p->stored[i] = reason + 1;
}

void
ls_plan_note (LsPlan *p, const LsUOp *node, const LsUOp *user, LsReason reason)
{
  note (p, node, user, reason, FALSE);
}

/* Did the caller choose that for this use? */
static gboolean
has_override (const LsPlan *p, const LsUOp *node, const LsUOp *user, LsOverrideAction choice)
{
  guint32 id = user ? user->id : G_MAXUINT32;
  for (guint i = 0; p->overrides && i < p->overrides->len; i++) {
    const LsOverride *o = &g_array_index (p->overrides, LsOverride, i);
    if (o->choice == choice && o->node == node->id && o->user == id)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_chosen (const LsPlan *p, const LsUOp *node, const LsUOp *user)
{
  return has_override (p, node, user, LS_CHOICE_FUSE);
}

gboolean
ls_plan_is_stored_for (const LsPlan *p, const LsUOp *node, const LsUOp *user)
{
  return has_override (p, node, user, LS_CHOICE_STORE);
}

gboolean
ls_plan_leaves_out (LsPlan *p, const LsUOp *node, const LsUOp *user)
{
  gboolean chosen = is_chosen (p, node, user);
  if (chosen)
    note (p, node, user, LS_REASON_CHOSEN_FUSED, FALSE);
  return chosen;
}

gboolean
ls_is_unsafe_under_padding (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_RECIP: case LS_OP_FDIV: case LS_OP_POW: case LS_OP_CMPEQ: case LS_OP_NOT:
  case LS_OP_REDUCE_AXIS:
    return TRUE;
  case LS_OP_NEG: return ls_dtype_is_float (u->dtype);
  default: return FALSE;
  }
}

gboolean
ls_is_costly (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_SQRT: case LS_OP_POW: case LS_OP_FDIV: case LS_OP_RECIP: case LS_OP_FLOORDIV:
  case LS_OP_FLOORMOD:
  case LS_OP_IDIV: case LS_OP_MOD: return TRUE;
  default: return FALSE;
  }
}

static gboolean reduces (const LsUOp *u) { return u->op == LS_OP_REDUCE_AXIS; }

/* Does the expression of u, up to stored nodes, have a node for which test holds? Looked for in earnest only where one was noted,
 * which may have been stored since: graphs are long, and every movement asks. */
static gboolean
contains (LsPlan *p, LsUOp *u, guint8 what)
{
  gboolean (*test) (const LsUOp *) = what == UNSAFE ? ls_is_unsafe_under_padding : what == COSTLY ? ls_is_costly : reduces;
  if (!(p->has[ls_plan_place (p, u)] & what))
    return FALSE;
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  gboolean found = FALSE;
  g_ptr_array_add (stack, u);
  ls_node_map_set (seen, u, 1);
  while (stack->len > 0 && !found) {
    LsUOp *x = stack->pdata[stack->len - 1];
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    if (x->op == LS_OP_BUFFER || p->stored[ls_plan_place (p, x)])
      continue;
    found = test (x);
    for (guint i = 0; i < x->n_src; i++)
      if (!ls_node_map_has (seen, x->src[i])) {
        ls_node_map_set (seen, x->src[i], 1);
        g_ptr_array_add (stack, x->src[i]);
      }
  }
  ls_node_map_release (p->ctx, seen);
  return found;
}

/* The reason + 1 for which the kernel of the reduce at `at` cannot compute a use of its value; 0: it can. */
static guint
why_cut (LsPlan *p, guint32 at, guint32 use)
{
  const LsUOp *u = p->order->pdata[use];
  if (u->op == LS_OP_REDUCE_AXIS)
    return LS_REASON_SECOND_REDUCE + 1;
  if (u->op == LS_OP_EXPAND)
    return LS_REASON_REDUCE_EXPAND + 1;
  if (is_movement (u) && u->op != LS_OP_RESHAPE)
    return LS_REASON_REDUCE_MOVED + 1;
  return p->fused[use] && p->fused[use] != at + 1 ? LS_REASON_SECOND_REDUCE + 1 : 0;
}

/* The node that is stored if a reduce's value cannot continue from u. A value is stored before it is cast to a larger type. */
static LsUOp *
end_before_cut (LsUOp *u, const LsUOp *reduce)
{
  LsUOp *end = ls_plan_base (u);
  if (end->op == LS_OP_CAST && ls_dtype_itemsize (end->dtype) > ls_dtype_itemsize (end->src[0]->dtype) && end != reduce)
    return ls_plan_base (end->src[0]);
  return end;
}

/* Why the kernel of the reduce cannot compute a use of the node at `from`, unless the caller chose that it does, or it may. *fused: then
 * the reason + 1. first: no such use was before it. */
static guint
why_cut_at (LsPlan *p, guint32 at, guint32 from, guint32 use, gboolean first, guint *fused)
{
  guint cut = why_cut (p, at, use);
  gboolean can = cut == LS_REASON_SECOND_REDUCE + 1 || cut == LS_REASON_REDUCE_EXPAND + 1;
  LsUOp *r = p->order->pdata[at], *u = p->order->pdata[from], *end = end_before_cut (u, r);
  can = can && ls_fuse_nests (p, at, from, use, first);
  *fused = 0;
  if (can && p->overrides && is_chosen (p, end, p->order->pdata[use]))
    *fused = LS_REASON_CHOSEN_FUSED + 1;
  else if (can && p->fuse && end == ls_plan_base (u))
    *fused = ls_fuse_reason (p, at, from, use, cut);
  else if (cut == LS_REASON_REDUCE_MOVED + 1 && p->fuse && p->moves && end == ls_plan_base (u) && ls_fuse_moves (p, at, from, use))
    *fused = LS_REASON_MOVED + 1;
  return *fused ? 0 : cut;
}

/* The users of a node below reshapes, or below all movement. */
static void
find_users (LsPlan *p, guint32 at, gboolean all, GArray *users)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_set_size (users, 0);
  g_array_append_val (todo, at);
  while (todo->len > 0) {
    guint32 i = g_array_index (todo, guint32, todo->len - 1);
    g_array_set_size (todo, todo->len - 1);
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1]; k++) {
      const LsUOp *user = p->order->pdata[p->uses[k]];
      gboolean through = all ? is_movement (user) && !p->stored[p->uses[k]] : user->op == LS_OP_RESHAPE;
      if (through && !p->looked[p->uses[k]])
        g_array_append_val (todo, p->uses[k]);
      else if (!through && (k == p->first_use[i] || p->uses[k] != p->uses[k - 1]))      /* x * x is one user */
        g_array_append_val (users, p->uses[k]);
    }
  }
}

/* A use that a reduce is followed through although it would end there; reason + 1: why. */
typedef struct { LsUOp *node, *user; guint reason; } Fused;

static gboolean
is_fused (const GArray *edges, const LsUOp *node, const LsUOp *user)
{
  for (guint i = 0; i < edges->len; i++)
    if (g_array_index (edges, Fused, i).node == node && g_array_index (edges, Fused, i).user == user)
      return TRUE;
  return FALSE;
}

/* The reason + 1 for which the kernel of the reduce at `at` does not compute one of the uses of a value, or 0. */
static guint
why_cut_after (LsPlan *p, guint32 at, guint32 value, const GArray *edges)
{
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint cut = 0;
  find_users (p, value, FALSE, users);
  for (guint k = 0; k < users->len && !cut; k++) {
    guint32 use = g_array_index (users, guint32, k);
    cut = is_fused (edges, p->order->pdata[value], p->order->pdata[use]) ? 0 : why_cut (p, at, use);
  }
  return cut;
}

/* Is it a cast to a larger type, before which the reduce's value is stored, for a use of the cast? */
static gboolean
is_cast_before_cut (LsPlan *p, guint32 at, guint32 cast, const GArray *edges)
{
  LsUOp *u = p->order->pdata[cast];
  return u->op == LS_OP_CAST && why_cut_after (p, at, cast, edges) && end_before_cut (u, p->order->pdata[at]) != ls_plan_base (u);
}

/* The uses of the values that a reduce was followed through, up to the value at `last`, which is stored. */
static void
note_flow (LsPlan *p, guint32 at, const GArray *flow, guint32 last, const GArray *edges)
{
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsUOp *end = p->order->pdata[last];
  for (guint i = 0; i < flow->len; i++) {
    guint32 from = g_array_index (flow, guint32, i);
    LsUOp *u = p->order->pdata[from];
    if (p->fused[from] || u->op == LS_OP_RESHAPE || (p->stored[from] && from != last))      /* fused: another reduce led to it */
      continue;
    guint cut = from == last ? 0 : why_cut_after (p, at, from, edges);
    if (cut) {      /* u is the cast to a larger type; its own uses are decided last */
      ls_plan_store (p, end, u, cut - 1);
      note (p, end, u, LS_REASON_WIDER_CAST, FALSE);
      continue;
    }
    find_users (p, from, FALSE, users);
    for (guint k = 0; k < users->len; k++) {
      guint32 use = g_array_index (users, guint32, k);
      const LsUOp *user = p->order->pdata[use];
      cut = why_cut (p, at, use);
      if (p->looked[use] && is_movement (user))      /* a repetition of a costly value */
        continue;
      if (is_fused (edges, u, user) || (from == last && is_cast_before_cut (p, at, use, edges)))      /* noted elsewhere */
        continue;
      if (cut)
        ls_plan_store (p, end, user, cut - 1);
      else
        note (p, u, user, p->stored[from] ? LS_REASON_STORED : LS_REASON_FOLLOWS, FALSE);
    }
    p->looked[from] = TRUE;
  }
}

/* Where a path from a reduce ends; reason + 1: why there. */
typedef struct { guint32 at; guint reason; } End;

static void
add_end (GArray *ends, guint32 at, guint reason)
{
  for (guint i = 0; i < ends->len; i++)
    if (g_array_index (ends, End, i).at == at)
      return;
  g_array_append_vals (ends, &(End) { at, reason }, 1);
}

/* The values from a reduce on that have one use, up to where paths part: what is stored there is what the kernels of all paths have in
 * common. The last one is taken off and returned; it is the reduce itself if that has several uses. */
static guint32
follow_common (LsPlan *p, guint32 at, GArray *path)
{
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsUOp *r = p->order->pdata[at];
  for (guint32 last = at; ; last = g_array_index (users, guint32, 0)) {
    g_array_append_val (path, last);
    find_users (p, last, FALSE, users);
    guint32 use = users->len == 1 ? g_array_index (users, guint32, 0) : at;
    if (use == at || why_cut (p, at, use) || ls_op_info (((LsUOp *) p->order->pdata[use])->op)->op_class < LS_CLASS_UNARY)
      break;
  }
  guint32 last = g_array_index (path, guint32, path->len - 1), end = ls_plan_place (p, end_before_cut (p->order->pdata[last], r));
  g_array_set_size (path, path->len - (end == last ? 1 : 2));      /* the cast to a larger type, too */
  return end;
}

static guint
count_fused (const GArray *fused, LsReason reason)
{
  guint n = 0;
  for (guint i = 0; i < fused->len; i++)
    n += g_array_index (fused, Fused, i).reason == reason + 1;
  return n;
}

/* Is nothing done after a movement that the reduce was followed through? Then the reduce is stored as it is, and read in that order. */
static gboolean
ends_moved (const LsPlan *p, const GArray *chosen, guint32 end)
{
  LsUOp *value = p->order->pdata[end];
  gboolean moved = FALSE;
  for (guint i = 0; i < chosen->len && !p->stored[end]; i++) {
    const Fused *edge = &g_array_index (chosen, Fused, i);
    for (const LsUOp *u = value; is_movement (u) && !moved && edge->reason == LS_REASON_MOVED + 1; u = u->src[0])
      moved = u == edge->user;
  }
  return moved;
}

/* What a reduce leads to. nodes: guint32, those that are followed; ends: End; fused: Fused, the uses that are followed all the same; n_own:
 * axes of the reduces among the nodes; whole: it was followed to all of its ends. */
typedef struct { GArray *nodes, *ends, *fused; guint n_own; gboolean whole; } Flow;

static void
flow_clear (Flow *f)
{
  g_array_unref (f->nodes);
  g_array_unref (f->ends);
  g_array_unref (f->fused);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Flow, flow_clear)

/* Follows a reduce to where it ends; see the head of this file. */
static Flow
flow_of (LsPlan *p, guint32 at)
{
  LsUOp *r = p->order->pdata[at];
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  Flow f = { g_array_new (FALSE, FALSE, sizeof (guint32)), g_array_new (FALSE, FALSE, sizeof (End)),
             g_array_new (FALSE, FALSE, sizeof (Fused)), 0, FALSE };
  LsNodeMap *seen = ls_node_map_acquire (p->ctx);
  g_array_append_val (stack, at);
  ls_node_map_set (seen, r, 1);
  while (stack->len > 0 && (f.fused->len == 0 || (f.n_own <= LS_FUSE_AXES && f.nodes->len <= LS_FUSE_FLOW))) {
    guint32 i = g_array_index (stack, guint32, stack->len - 1);
    LsUOp *u = p->order->pdata[i];
    f.n_own += u->op == LS_OP_REDUCE_AXIS ? MIN (u->arg.n, LS_FUSE_AXES) : 0;
    g_array_set_size (stack, stack->len - 1);
    g_array_append_val (f.nodes, i);
    guint cut = 0, n_fused = f.fused->len;
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1] && !p->stored[i] && !cut; k++) {
      guint reason;
      cut = why_cut_at (p, at, i, p->uses[k], f.fused->len == 0, &reason);
      Fused edge = { ls_plan_base (u), p->order->pdata[p->uses[k]], reason };
      if (reason)
        g_array_append_val (f.fused, edge);
    }
    if (cut)      /* it is stored for this use, so that all uses read it */
      g_array_set_size (f.fused, n_fused);
    if (p->stored[i] || cut) {
      add_end (f.ends, ls_plan_place (p, cut ? end_before_cut (u, r) : ls_plan_base (u)), cut ? cut : p->stored[i]);
      continue;
    }
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1]; k++) {
      guint32 c = p->uses[k];
      LsUOp *use = p->order->pdata[c];
      if (ls_node_map_has (seen, use))
        continue;
      ls_node_map_set (seen, use, 1);
      g_array_append_val (stack, c);
    }
  }
  f.whole = stack->len == 0;
  ls_node_map_release (p->ctx, seen);
  return f;
}

static void
mark_fused (LsPlan *p, guint32 at, const GArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    p->fused[g_array_index (nodes, guint32, i)] = at + 1;
}

/* Stores what the paths of a reduce have in common. FALSE: the caller chose that it is not stored. */
static gboolean
store_common (LsPlan *p, guint32 at, const Flow *f)
{
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 common = f->ends->len > 1 ? follow_common (p, at, path) : at;
  if (f->ends->len > 1 && ls_plan_leaves_out (p, p->order->pdata[common], NULL))
    return FALSE;
  if (p->decisions)
    note_flow (p, at, path, common, f->fused);
  ls_plan_store (p, p->order->pdata[common], NULL, f->ends->len == 0 ? LS_REASON_RESULT : LS_REASON_SEVERAL_KERNELS);
  mark_fused (p, at, path);
  p->fused[common] = at + 1;
  return TRUE;
}

static void place_reduce (LsPlan *p, guint32 at);

/* Places the reduce again and follows fewer of its uses: first not those that are moved (moved: there are any), then none that only fuse.c
 * allows, and at last none that the caller chose. holds: those that the caller chose can be followed. */
static void
place_with_less (LsPlan *p, guint32 at, gboolean moved, gboolean holds)
{
  const GArray *overrides = p->overrides;
  gboolean fuse = p->fuse, moves = p->moves;
  p->overrides = holds || moved ? overrides : NULL;
  p->fuse = fuse && moved;
  p->moves = FALSE;
  place_reduce (p, at);
  p->overrides = overrides;
  p->fuse = fuse;
  p->moves = moves;
}

static void
place_reduce (LsPlan *p, guint32 at)
{
  if (p->fused[at])      /* an earlier reduce was followed through it */
    return;
  g_auto (Flow) f = flow_of (p, at);
  const End *only = f.ends->len == 1 ? &g_array_index (f.ends, End, 0) : NULL;
  guint8 *own = only ? &p->n_own[only->at] : NULL;
  guint n_moved = count_fused (f.fused, LS_REASON_MOVED), n_own = MIN (f.n_own + (own ? *own : 0), G_MAXUINT8);
  gboolean holds = f.fused->len == 0 || (f.whole && (n_moved == f.fused->len || ls_fuse_follows (p, f.nodes, n_own)));
  /* there are other reduces, with axes of their own, or nothing is done after the movement */
  gboolean stays = n_moved && (n_moved < f.fused->len || (own && (*own || ends_moved (p, f.fused, only->at))));
  /* what the caller chose to be computed in loops of its own, and what is not computed again there, may not nest in each other */
  gboolean mixed = p->fuse && count_fused (f.fused, LS_REASON_CHOSEN_FUSED);
  if (f.fused->len && (!holds || stays || mixed || (!only && p->fuse))) {
    place_with_less (p, at, n_moved > 0 && !mixed, holds);
    return;
  }
  for (guint i = 0; i < f.fused->len; i++) {
    const Fused *edge = &g_array_index (f.fused, Fused, i);
    if (!p->fused[ls_plan_place (p, edge->node)])      /* else another reduce led to it */
      note (p, edge->node, edge->user, edge->reason - 1, FALSE);
  }
  if (!only && store_common (p, at, &f))
    return;
  if (own)
    *own = (guint8) n_own;
  p->is_moved[at] = n_moved > 0;
  if (p->decisions && only)
    note_flow (p, at, f.nodes, only->at, f.fused);
  for (guint i = 0; i < f.ends->len; i++) {
    const End *end = &g_array_index (f.ends, End, i);
    if (!p->stored[end->at] && f.ends->len > 1)
      ls_plan_store (p, p->order->pdata[end->at], NULL, end->reason - 1);
    else if (!p->stored[end->at])
      p->stored[end->at] = (guint8) end->reason;
  }
  mark_fused (p, at, f.nodes);
}

/* --- movement --- */

/* Stores the node below the movements of u, after which it has none. */
static void
store_below (LsPlan *p, LsUOp *u, const LsUOp *user, LsReason reason)
{
  ls_plan_store (p, below_movement (u), user, reason);
  for (; is_movement (u); u = u->src[0])
    p->has[ls_plan_place (p, u)] = 0;
  p->has[ls_plan_place (p, u)] = 0;
}

static void
note_contents (LsPlan *p, guint i)
{
  const LsUOp *u = p->order->pdata[i];
  guint8 has = (ls_is_unsafe_under_padding (u) ? UNSAFE : 0) | (ls_is_costly (u) ? COSTLY : 0) | (reduces (u) ? REDUCES : 0);
  for (guint k = 0; k < ls_plan_n_sources (p, i); k++)
    has |= p->has[ls_plan_place (p, u->src[k])];
  p->has[i] = p->stored[i] || u->op == LS_OP_BUFFER ? 0 : has;
}

/* A pad, or a repetition: can the value below be computed in its kernel? */
static void
decide_movement (LsPlan *p, LsUOp *u)
{
  gboolean pad = u->op == LS_OP_PAD;
  LsUOp *below = below_movement (u->src[0]);
  if (contains (p, u->src[0], pad ? UNSAFE : COSTLY)) {
    if (!pad && ((p->fuse && ls_fuse_plan_restores (p, u)) || ls_plan_leaves_out (p, below, u)))
      return;      /* reduces are followed later */
    store_below (p, u->src[0], u, pad ? LS_REASON_UNSAFE_PAD : LS_REASON_COSTLY_EXPAND);
  } else if (!p->decisions || needs_no_memory (below) || p->stored[ls_plan_place (p, below)] || (!pad && contains (p, u->src[0], REDUCES)))
    return;      /* reduces are followed later */
  else
    note (p, below, u, pad ? LS_REASON_SAFE_PAD : LS_REASON_CHEAP, FALSE);
  p->looked[ls_plan_place (p, u)] = TRUE;
}

/* What the program asked for, what is memory, and what the caller chose to store. */
static void
collect (LsPlan *p)
{
  for (guint r = 0; r < p->sink->n_src; r++) {
    LsUOp *base = ls_plan_base (p->sink->src[r]);
    if (base->op == LS_OP_CONST)
      base = p->sink->src[r];
    if (base->op == LS_OP_BUFFER)
      continue;
    guint32 i = ls_plan_place (p, base);
    LsReason reason = base->op == LS_OP_ASSIGN ? LS_REASON_ASSIGNED : LS_REASON_RESULT;
    note (p, base, p->sink, reason, !p->stored[i]);
    p->stored[i] = reason + 1;
  }
  for (guint i = 0; i < p->order->len && p->decisions; i++)
    if (((LsUOp *) p->order->pdata[i])->op == LS_OP_BUFFER)
      note (p, p->order->pdata[i], NULL, LS_REASON_MEMORY, FALSE);
    else if (ls_plan_is_earlier (p, i))
      note (p, p->order->pdata[i], NULL, LS_REASON_EARLIER, FALSE);
  for (guint i = 0; p->overrides && i < p->overrides->len; i++) {
    const LsOverride *o = &g_array_index (p->overrides, LsOverride, i);
    LsUOp *node = o->choice == LS_CHOICE_STORE || o->choice == LS_CHOICE_AGAIN ? ls_context_node (p->ctx, o->node) : NULL;
    LsUOp *user = o->user == G_MAXUINT32 ? NULL : ls_context_node (p->ctx, o->user);
    if (!node || !ls_node_map_has (p->index, node))      /* of a damaged recording */
      continue;
    if (o->choice == LS_CHOICE_AGAIN)
      note (p, node, user, LS_REASON_CHOSEN_AGAIN, FALSE);
    else if (needs_no_memory (ls_plan_base (node)))      /* which a kernel reads for several values */
      note (p, node, user, LS_REASON_CHOSEN, FALSE);
    else
      ls_plan_store (p, node, user, LS_REASON_CHOSEN);
  }
}

static void
decide_movements (LsPlan *p)
{
  guint n = p->order->len;
  p->has = g_new0 (guint8, n);
  for (guint i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    if (ls_plan_is_earlier (p, i))
      continue;
    if (u->op == LS_OP_CONTIGUOUS || u->op == LS_OP_COPY) {
      if (u->op == LS_OP_COPY || !ls_plan_leaves_out (p, u, NULL))
        ls_plan_store (p, u, NULL, LS_REASON_CONTIGUOUS);
    } else if (u->op == LS_OP_ASSIGN)
      ls_plan_store (p, u, NULL, LS_REASON_ASSIGNED);
    else if (u->op == LS_OP_PAD || u->op == LS_OP_EXPAND)
      decide_movement (p, u);
    note_contents (p, i);
  }
  g_clear_pointer (&p->has, g_free);
}

guint32 *
ls_plan_kernels (LsPlan *p)
{
  guint32 *kernel = g_new0 (guint32, p->order->len + 1);
  for (guint32 i = p->order->len; i-- > 0; ) {
    for (guint32 k = p->first_use[i]; k < p->first_use[i + 1] && !p->stored[i]; k++) {
      guint32 of = kernel[p->uses[k]];
      kernel[i] = !kernel[i] || (of && of < kernel[i]) ? of : kernel[i];
    }
    kernel[i] = p->stored[i] ? i + 1 : kernel[i];
  }
  return kernel;
}

/* The uses that nothing above was about. */
static void
note_rest (LsPlan *p)
{
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *kernel = ls_plan_kernels (p);
  for (guint32 i = 0; i < p->order->len; i++) {
    const LsUOp *u = p->order->pdata[i];
    if (needs_no_memory (u) || ls_plan_is_earlier (p, i) || (is_movement (u) && !p->stored[i]) || p->looked[i])
      continue;
    find_users (p, i, TRUE, users);
    gboolean one = TRUE;
    for (guint k = 1; k < users->len; k++)
      one = one && kernel[g_array_index (users, guint32, k)] == kernel[g_array_index (users, guint32, 0)];
    LsReason reason = p->stored[i] ? LS_REASON_STORED : users->len == 1 ? LS_REASON_ONLY_USER :
                      one ? LS_REASON_SAME_KERNEL : LS_REASON_COMPUTED_AGAIN;
    for (guint k = 0; k < users->len; k++) {
      guint32 user = g_array_index (users, guint32, k);
      gboolean noted = p->joined_by && p->joined_by[user] == i + 1, same = p->kernel_of && p->stored[i] && kernel[user] &&
                                                                          p->kernel_of[kernel[user] - 1] == p->kernel_of[i];
      if (!noted)
        note (p, u, p->order->pdata[user], same ? LS_REASON_TAKEN : reason, FALSE);
    }
  }
}

/* A choice not to store a value for a use of it that nothing above had to ask about. */
static void
note_choices (LsPlan *p)
{
  for (guint i = 0; p->overrides && i < p->overrides->len; i++) {
    const LsOverride *o = &g_array_index (p->overrides, LsOverride, i);
    LsUOp *node = o->choice == LS_CHOICE_FUSE ? ls_context_node (p->ctx, o->node) : NULL;
    gboolean noted = !node || !ls_node_map_has (p->index, node) || p->stored[ls_plan_place (p, node)];
    for (guint k = 0; k < p->decisions->len && !noted; k++) {
      LsDecision *d = &g_array_index (p->decisions, LsDecision, k);
      noted = d->node == o->node && d->user == o->user;
      if (noted && d->key != LS_REASON_CHOSEN_FUSED) {
        d->key = LS_REASON_CHOSEN_FUSED;
        d->reason = ls_reasons[d->key].text;
      }
    }
    if (!noted)
      note (p, node, o->user == G_MAXUINT32 ? NULL : ls_context_node (p->ctx, o->user), LS_REASON_CHOSEN_FUSED, FALSE);
  }
}

/* Did the caller choose that a kernel stores two values? */
static gboolean
chooses_results (const LsPlan *p)
{
  gboolean found = FALSE;
  for (guint i = 0; p->overrides && i < p->overrides->len; i++)
    found |= g_array_index (p->overrides, LsOverride, i).choice == LS_CHOICE_JOIN;
  return found;
}

/* Is it read where an earlier kernel stored it? */
static gboolean
takes (gpointer plan, const LsUOp *u)
{
  const LsPlan *p = plan;
  return g_hash_table_contains (p->earlier, u) && !has_override (p, u, NULL, LS_CHOICE_AGAIN);
}

void
ls_plan_init (LsPlan *p, LsContext *ctx, LsUOp *sink, gboolean record, LsScheduleHow how)
{
  *p = (LsPlan) { .ctx = ctx, .sink = sink, .overrides = how.overrides, .earlier = how.stored };
  p->order = ls_uop_toposort_down_to (ctx, sink->src, sink->n_src, p->earlier ? takes : NULL, p);
  p->index = ls_node_map_acquire (ctx);
  guint n = p->order->len;
  p->stored = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++) {
    ls_node_map_set (p->index, p->order->pdata[i], i);
    p->variables |= ((LsUOp *) p->order->pdata[i])->op == LS_OP_BIND;
    if (p->earlier && takes (p, p->order->pdata[i]))
      p->stored[i] = LS_REASON_EARLIER + 1;
  }
  collect_uses (p);
  p->fused = g_new0 (guint32, n + 1);
  p->looked = g_new0 (guint8, n + 1);
  p->n_own = g_new0 (guint8, n + 1);
  p->is_moved = g_new0 (guint8, n + 1);
  p->fuse = p->moves = how.fuse && !p->variables;
  p->decisions = record ? g_array_new (FALSE, FALSE, sizeof (LsDecision)) : NULL;
  collect (p);
  decide_movements (p);
  ls_limit_views (p);
  for (guint i = 0; i < n; i++)
    if (((LsUOp *) p->order->pdata[i])->op == LS_OP_REDUCE_AXIS && !ls_plan_is_earlier (p, i))
      place_reduce (p, i);
  if (how.fuse)
    ls_limit_inputs (p);
  p->outputs = how.outputs && !p->variables;
  if (p->outputs || chooses_results (p))
    ls_outputs_join (p);
  if (record) {
    note_rest (p);
    note_choices (p);
  }
}

void
ls_plan_number (LsPlan *p, const guint *numbers)
{
  g_autofree guint32 *kernel = p->decisions ? ls_plan_kernels (p) : NULL;
  for (guint i = 0; p->decisions && i < p->decisions->len; i++) {
    LsDecision *d = &g_array_index (p->decisions, LsDecision, i);
    LsUOp *node = ls_context_node (p->ctx, d->node), *user = d->user == G_MAXUINT32 ? NULL : ls_context_node (p->ctx, d->user);
    guint32 of_node = ls_plan_place (p, node), of_user = user && user != p->sink ? kernel[ls_plan_place (p, user)] : 0;
    d->kernel = p->stored[of_node] && d->realized ? numbers[of_node] : 0;
    d->user_kernel = of_user ? numbers[of_user - 1] : 0;
  }
}

void
ls_plan_clear (LsPlan *p)
{
  ls_node_map_release (p->ctx, p->index);
  g_ptr_array_unref (p->order);
  g_free (p->first_use);
  g_free (p->uses);
  g_free (p->stored);
  g_free (p->fused);
  g_free (p->looked);
  g_free (p->n_own);
  g_free (p->is_moved);
  g_free (p->kernel_of);
  g_free (p->joined_by);
  g_clear_pointer (&p->decisions, g_array_unref);
}
