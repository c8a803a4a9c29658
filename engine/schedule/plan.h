/* What the scheduler decides, shared by the files of this folder. */
#pragma once
#include "schedule.h"

/* Nodes are named by their place in order. */
typedef struct {
  LsContext  *ctx;
  LsUOp      *sink;
  GPtrArray  *order;        /* nodes without the sink, sources first */
  LsNodeMap  *index;        /* node -> its place in order */
  guint32    *first_use;    /* uses of node i are uses[first_use[i] .. first_use[i+1]] */
  guint32    *uses;
  guint8     *stored;       /* LsReason + 1 of each stored node; 0: it is not stored. With EARLIER its sources are not in order */
  GHashTable *earlier;      /* node -> BUFFER: stored by earlier kernels; or NULL */
  guint32    *fused;        /* place + 1 of the reduce that is computed in the same kernel, or 0 */
  gboolean    variables;    /* is anything bound to one? */
  guint8     *has;          /* of each node's expression, up to stored nodes: the ops allowed in it */
  guint8     *looked;       /* of a movement: its use of the value below was decided; of another node: all of its uses were */
  GArray     *decisions;    /* LsDecision, or NULL: none are wanted */
  const GArray *overrides;  /* LsOverride, or NULL */
  gboolean    fuse;         /* a kernel may have several reduces */
  gboolean    moves;        /* a kernel may store the elements of a reduce in another order */
  guint8     *is_moved;     /* of reduces: does its kernel? */
  guint8     *n_own;        /* of each node that is stored: axes of the reduces that end there */
  gboolean    outputs;      /* a kernel may store several values, also those that nobody chose */
  guint32    *joined_by;    /* of each node that is stored in the kernel of another one: place + 1 of what it reads there */
  guint32    *kernel_of;    /* of each node that is stored: place + 1 of the first node of its kernel; NULL: each has a kernel of its own */
} LsPlan;

/* Decides. sink, how: see ls_schedule_new. record: decisions are wanted. Clear with ls_plan_clear. */
void     ls_plan_init  (LsPlan *plan, LsContext *ctx, LsUOp *sink, gboolean record, LsScheduleHow how);
void     ls_plan_clear (LsPlan *plan);
/* Says in the decisions which kernel writes the value, and which one computes its user. numbers: the kernels', by place of the node that
 * they store. */
void     ls_plan_number (LsPlan *plan, const guint *numbers);
guint32  ls_plan_place (LsPlan *plan, const LsUOp *u);
/* The node below reshapes, which is what is stored. */
LsUOp   *ls_plan_base  (LsUOp *u);

/* Stores the node below reshapes, for a use of it (or NULL), and notes why. */
void     ls_plan_store (LsPlan *plan, LsUOp *u, const LsUOp *user, LsReason reason);
/* Notes a decision that gives no value memory. */
void     ls_plan_note (LsPlan *plan, const LsUOp *node, const LsUOp *user, LsReason reason);
/* Is it read where an earlier kernel stored it? Then no kernel of this schedule computes it. */
static inline gboolean
ls_plan_is_earlier (const LsPlan *plan, guint32 at)
{
  return plan->stored[at] == LS_REASON_EARLIER + 1;
}

/* Sources that are in the plan. */
static inline guint
ls_plan_n_sources (const LsPlan *plan, guint32 at)
{
  return ls_plan_is_earlier (plan, at) ? 0 : ((const LsUOp *) plan->order->pdata[at])->n_src;
}

/* Did the caller choose that the value is stored for this use? */
gboolean ls_plan_is_stored_for (const LsPlan *plan, const LsUOp *node, const LsUOp *user);
/* Did the caller choose that the value is not stored for this use (or NULL)? Then that is noted. */
gboolean ls_plan_leaves_out (LsPlan *plan, const LsUOp *node, const LsUOp *user);
/* Of each node the first kernel that computes it, as the place + 1 of the node that the kernel stores. Free with g_free. */
guint32 *ls_plan_kernels (LsPlan *plan);

/* Views, and for kernels that compute several reduces inputs: stores the values of which a kernel would have too many (limits.c). */
void     ls_limit_views  (LsPlan *plan);
void     ls_limit_inputs (LsPlan *plan);

static inline gboolean is_movement (const LsUOp *u) { return ls_op_is_movement (u->op) || ls_op_is_slice (u->op); }

static inline LsUOp *
below_movement (LsUOp *u)
{
  while (is_movement (u))
    u = u->src[0];
  return u;
}

/* Have the shapes the same axes, but for those of one element? */
static inline gboolean
same_but_ones (LsShape a, LsShape b)
{
  for (guint i = 0, k = 0;;) {
    while (i < a.n && a.dims[i] == 1)
      i++;
    while (k < b.n && b.dims[k] == 1)
      k++;
    if (i == a.n || k == b.n)
      return i == a.n && k == b.n;
    if (a.dims[i++] != b.dims[k++])
      return FALSE;
  }
}

/* Is it memory already, or made of nothing? */
static inline gboolean
needs_no_memory (const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || u->op == LS_OP_CONST || u->op == LS_OP_IOTA || u->op == LS_OP_BIND;
}

/* Is f(0, …, 0) something else than 0? */
gboolean ls_is_unsafe_under_padding (const LsUOp *u);
/* Is it not computed again for each repetition? */
gboolean ls_is_costly               (const LsUOp *u);

/* The kernel of the stored nodes at n places. buffer_of: the buffers of the stored nodes that are made before, by place; theirs are
 * added. */
LsScheduleItem *ls_kernel_graph_new (LsPlan *plan, guint n, const guint32 *places, LsUOp **buffer_of, gboolean record);

/* --- several results of a kernel (outputs.c) --- */

#define LS_MOST_OUTPUTS 4      /* of a kernel */
/* Finds which stored nodes one kernel computes together. */
void    ls_outputs_join  (LsPlan *plan);
/* Do both reduces share their loops? They have the same ones, and read something in the same iterations. */
gboolean ls_reduces_share (LsPlan *plan, LsUOp *a, LsUOp *b);
/* The places of stored nodes, kernel after kernel in the order in which they are launched; *ends: where the nodes of each kernel end.
 * Free both with g_array_unref. */
GArray *ls_outputs_order (LsPlan *plan, GArray **ends);

/* --- several reduces in a kernel (fuse.c): nodes by their places --- */

#define LS_FUSE_AXES 16       /* of the reduces of a kernel together */
#define LS_FUSE_FLOW 4096     /* nodes that a reduce is followed through for it */
/* Does a repetition give a reduced value the shape back that it was reduced from, along the innermost axes? Then the value is computed once
 * for all iterations. */
gboolean ls_fuse_restores (LsContext *ctx, LsUOp *expand, LsIsStored is_stored, gpointer data);
gboolean ls_fuse_plan_restores (LsPlan *plan, LsUOp *expand);
/* Do reduces with the same loops go into one? The lanes of a contiguous reduce, of which there are many, are made vectors of by compilers
 * only where one reduce loads them. */
gboolean ls_fuse_shares_loops   (LsPlan *plan, const LsUOp *reduce);
/* Are the elements of each result still in the first cache when a second loop reads them, and does the reduce wait for its loads? */
gboolean ls_fuse_stays_in_cache (LsPlan *plan, const LsUOp *reduce);
/* Is what is reduced made of repeated values, as a product is, whose loads serve several results? */
gboolean ls_fuse_repeats  (LsPlan *plan, const LsUOp *reduce);
/* The reason + 1 for which the kernel of the reduce at `at` computes a use of the node at `from`, where it would end for the reason + 1
 * `cut`; 0: it does not. */
guint    ls_fuse_reason   (LsPlan *plan, guint32 at, guint32 from, guint32 use, guint cut);
/* Is the use a movement of the value, and leads all of the reduce there? */
gboolean ls_fuse_moves    (LsPlan *plan, guint32 at, guint32 from, guint32 use);
/* Can it be? A value that is reduced again is computed in the loops of that reduce only. first: no such use was before it. */
gboolean ls_fuse_nests    (LsPlan *plan, guint32 at, guint32 from, guint32 use, gboolean first);
/* Do the nodes (guint32) that it was followed through keep the axes of its shape, with sizes that are numbers, and are n_own axes of
 * reduces few enough? */
gboolean ls_fuse_follows  (LsPlan *plan, const GArray *flow, guint n_own);
