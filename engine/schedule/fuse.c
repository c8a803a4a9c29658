/* Several reduces in a kernel: which uses of a reduced value its kernel may compute, so that nothing is computed again for it.
 *
 * A kernel's loops nest in one order. What is reduced over the innermost axes and then used along them is computed once in the loops
 * outside, before the loop of the use. What is reduced again is computed in the loops of that reduce, and so nowhere else. A product, whose
 * loads serve several results at a time, would lose that in the loops of another reduce. A reduce over innermost axes whose only use is
 * a movement is computed in its own order, and stored in the other one; results of other reduces are computed side by side, in vectors,
 * which are stored as vectors.
 */
#include "plan.h"

#define MOST_BELOW 256      /* nodes of an expression that are looked at */
#define FIRST_CACHE (16 << 10)      /* bytes of one result's elements that are in the first cache when they are read again */
#define MOST_RANK  32       /* of a value that is reduced, or made of reduces */

/* Are the reduced axes the innermost ones? Else what is reduced would be computed again in each iteration of a loop outside of theirs. */
static gboolean
reduces_innermost (LsContext *ctx, const LsUOp *r)
{
  LsShape s = ls_uop_shape (ctx, r->src[0]);
  gint64 first = s.n;
  for (guint i = 0; i < r->arg.n; i++)
    first = MIN (first, r->arg.ints[i]);
  for (gint64 k = first; k < s.n; k++) {
    gboolean reduced = s.dims[k] == 1;
    for (guint i = 0; i < r->arg.n; i++)
      reduced |= r->arg.ints[i] == k;
    if (!reduced)
      return FALSE;
  }
  return TRUE;
}

/* Looks through an expression, down to memory: for a reduce whose source has that shape, over its innermost axes (shape: not NULL), or for
 * a repetition. */
static gboolean
find_below (LsContext *ctx, LsUOp *value, const LsShape *shape, LsIsStored is_stored, gpointer data)
{
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  gboolean found = FALSE;
  guint n = 0;
  g_ptr_array_add (todo, value);
  while (todo->len > 0 && !found && n++ < MOST_BELOW) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (ls_node_map_has (seen, u) || needs_no_memory (u) || (u != value && is_stored (data, u)))
      continue;
    ls_node_map_set (seen, u, 1);
    if (shape ? u->op == LS_OP_REDUCE_AXIS : u->op == LS_OP_EXPAND) {
      found = !shape ? !needs_no_memory (below_movement (u)) || below_movement (u)->op == LS_OP_BUFFER
                     : same_but_ones (ls_uop_shape (ctx, u->src[0]), *shape) && reduces_innermost (ctx, u);
      if (shape)
        continue;
    }
    for (guint i = 0; i < u->n_src; i++)
      g_ptr_array_add (todo, u->src[i]);
  }
  ls_node_map_release (ctx, seen);
  return found || n >= MOST_BELOW;
}

static gboolean
is_stored_in_plan (gpointer plan, const LsUOp *u)
{
  return ((LsPlan *) plan)->stored[ls_plan_place (plan, u)] != 0;
}

gboolean
ls_fuse_restores (LsContext *ctx, LsUOp *expand, LsIsStored is_stored, gpointer data)
{
  LsShape to = ls_uop_shape (ctx, expand), from = ls_uop_shape (ctx, expand->src[0]);
  gboolean inside = FALSE;
  for (guint k = 0; k < to.n; k++) {
    inside |= from.dims[k] != to.dims[k];
    if (inside && from.dims[k] != 1)
      return FALSE;
  }
  return inside && find_below (ctx, expand->src[0], &to, is_stored, data);
}

/* Is it memory that an earlier kernel stored to? Then nothing below it is in the plan. */
static gboolean
ends_at (LsPlan *p, const LsUOp *value)
{
  return ls_plan_is_earlier (p, ls_plan_place (p, value));
}

gboolean
ls_fuse_plan_restores (LsPlan *p, LsUOp *expand)
{
  return !ends_at (p, expand->src[0]) && ls_fuse_restores (p->ctx, expand, is_stored_in_plan, p);
}

gboolean
ls_fuse_shares_loops (LsPlan *p, const LsUOp *reduce)
{
  return !reduces_innermost (p->ctx, reduce) ||
         ls_shape_size (ls_shape_of_memory (ls_uop_shape (p->ctx, reduce->src[0]))) < LS_FEW_ITERATIONS;
}

gboolean
ls_fuse_stays_in_cache (LsPlan *p, const LsUOp *reduce)
{
  gint64 n = ls_shape_size (ls_shape_of_memory (ls_uop_shape (p->ctx, (LsUOp *) reduce)));
  gint64 bytes = ls_shape_size (ls_shape_of_memory (ls_uop_shape (p->ctx, reduce->src[0]))) *
                 ls_dtype_itemsize (ls_dtype_strong (reduce->src[0]->dtype));
  return reduce->arg.op == LS_OP_ADD && n > 1 && bytes / n <= FIRST_CACHE;
}

gboolean
ls_fuse_repeats (LsPlan *p, const LsUOp *reduce)
{
  return !ends_at (p, reduce->src[0]) && find_below (p->ctx, reduce->src[0], NULL, is_stored_in_plan, p);
}

/* Does the reduce lead to a use of the node at `from` alone? One that is reduced again is computed in the loops of that reduce only. */
static gboolean
leads_only_to (LsPlan *p, guint32 at, guint32 from)
{
  for (;;) {
    if (p->first_use[at + 1] - p->first_use[at] != 1)
      return FALSE;
    if (at == from)
      return TRUE;
    at = p->uses[p->first_use[at]];
  }
}

/* Is a value that has the reduce's number of elements reduced again? */
static gboolean
reduces_again (LsPlan *p, guint32 at, guint32 from, guint32 use)
{
  return ((LsUOp *) p->order->pdata[use])->op == LS_OP_REDUCE_AXIS &&
         ls_shape_size (ls_uop_shape (p->ctx, p->order->pdata[from])) == ls_shape_size (ls_uop_shape (p->ctx, p->order->pdata[at]));
}

guint
ls_fuse_reason (LsPlan *p, guint32 at, guint32 from, guint32 use, guint cut)
{
  LsUOp *r = p->order->pdata[at], *user = p->order->pdata[use];
  if (cut == LS_REASON_REDUCE_EXPAND + 1)
    return ls_fuse_plan_restores (p, user) ? LS_REASON_ALONG + 1 : 0;
  if (cut != LS_REASON_SECOND_REDUCE + 1)
    return 0;
  if (user->op == LS_OP_REDUCE_AXIS) {
    gboolean can = reduces_again (p, at, from, use)
                   ? !ls_fuse_repeats (p, r)      /* a product has loads to share */
                   : reduces_innermost (p->ctx, user);
    return can ? LS_REASON_TOGETHER + 1 : 0;
  }
  LsUOp *other = p->order->pdata[p->fused[use] - 1];
  if (p->is_moved[p->fused[use] - 1])      /* its kernel is in its order */
    return 0;
  return same_but_ones (ls_uop_shape (p->ctx, other->src[0]), ls_uop_shape (p->ctx, r->src[0])) ? LS_REASON_TOGETHER + 1 : 0;
}

gboolean
ls_fuse_moves (LsPlan *p, guint32 at, guint32 from, guint32 use)
{
  const LsUOp *user = p->order->pdata[use], *r = p->order->pdata[at];
  return (user->op == LS_OP_PERMUTE || user->op == LS_OP_FLIP) && !user->sized && leads_only_to (p, at, from) &&
         reduces_innermost (p->ctx, r) && !ls_fuse_repeats (p, r);
}

gboolean
ls_fuse_nests (LsPlan *p, guint32 at, guint32 from, guint32 use, gboolean first)
{
  return !reduces_again (p, at, from, use) || (first && leads_only_to (p, at, from));
}

/* Does it only add or leave out axes of one element? */
static gboolean
keeps_axes (LsPlan *p, LsUOp *reshape)
{
  return same_but_ones (ls_uop_shape (p->ctx, reshape->src[0]), ls_uop_shape (p->ctx, reshape));
}

gboolean
ls_fuse_follows (LsPlan *p, const GArray *flow, guint n_own)
{
  if (n_own > LS_FUSE_AXES)
    return FALSE;
  for (guint i = 0; i < flow->len; i++) {
    LsUOp *u = p->order->pdata[g_array_index (flow, guint32, i)];
    if (u->sized || (u->n_src && u->src[0]->sized) || ls_uop_shape (p->ctx, u).n > MOST_RANK ||
        (u->op == LS_OP_REDUCE_AXIS && ls_uop_shape (p->ctx, u->src[0]).n > MOST_RANK) || (u->op == LS_OP_RESHAPE && !keeps_axes (p, u)))
      return FALSE;
  }
  return TRUE;
}
