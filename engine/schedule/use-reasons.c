/* Why the kernel of a value's user cannot compute the value: all reasons that hold, where the plan stops at the first. */
#include "plan.h"

typedef struct { gboolean is_unsafe, is_costly, reduces; } Contents;

/* What is in the expression of a value, up to stored ones. */
static Contents
contents_of (LsContext *ctx, LsUOp *value, LsIsStored is_stored, gpointer data)
{
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  Contents c = { FALSE };
  g_ptr_array_add (todo, value);
  ls_node_map_set (seen, value, 1);
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (u != value && is_stored (data, u))
      continue;
    c.is_unsafe |= ls_is_unsafe_under_padding (u);
    c.is_costly |= ls_is_costly (u);
    c.reduces |= u->op == LS_OP_REDUCE_AXIS;
    for (guint i = 0; i < u->n_src; i++)
      if (!ls_node_map_has (seen, u->src[i])) {
        ls_node_map_set (seen, u->src[i], 1);
        g_ptr_array_add (todo, u->src[i]);
      }
  }
  ls_node_map_release (ctx, seen);
  return c;
}

/* The reasons that lie on the way from a source of the user down to the value. */
static guint32
reasons_on_way (const LsUOp *source, const LsUOp *value, Contents c)
{
  guint32 reasons = 0;
  for (const LsUOp *u = source; u != value; u = u->src[0]) {
    if (u->op == LS_OP_PAD && c.is_unsafe)
      reasons |= 1u << LS_REASON_UNSAFE_PAD;
    if (u->op == LS_OP_EXPAND && c.is_costly)
      reasons |= 1u << LS_REASON_COSTLY_EXPAND;
    if (u->op == LS_OP_EXPAND && c.reduces)
      reasons |= 1u << LS_REASON_REDUCE_EXPAND;
    if (u->op != LS_OP_EXPAND && u->op != LS_OP_RESHAPE && c.reduces)
      reasons |= 1u << LS_REASON_REDUCE_MOVED;
  }
  return reasons;
}

const guint32 ls_reasons_of_use = 1u << LS_REASON_UNSAFE_PAD | 1u << LS_REASON_COSTLY_EXPAND | 1u << LS_REASON_REDUCE_EXPAND |
                                  1u << LS_REASON_REDUCE_MOVED | 1u << LS_REASON_SECOND_REDUCE | 1u << LS_REASON_SEVERAL_KERNELS;

guint32
ls_use_reasons (LsContext *ctx, LsUOp *value, LsUOp *user, gboolean user_reduces, gboolean elsewhere,
                LsIsStored is_stored, gpointer data)
{
  Contents c = contents_of (ctx, value, is_stored, data);
  guint32 reasons = 0;
  for (guint i = 0; i < user->n_src; i++) {
    const LsUOp *u = user->src[i];
    while (u != value && is_movement (u))
      u = u->src[0];
    if (u == value)
      reasons |= reasons_on_way (is_movement (user) ? user : user->src[i], value, c);
  }
  if (c.reduces && user_reduces)
    reasons |= 1u << LS_REASON_SECOND_REDUCE;
  if (c.reduces && elsewhere)
    reasons |= 1u << LS_REASON_SEVERAL_KERNELS;
  return reasons;
}
