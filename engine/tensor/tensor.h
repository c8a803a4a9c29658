/* The primitives of tensors: what a program's tensors are made of, as functions from nodes to nodes. Everything composed of them is
 * library text (library/), in Python.
 *
 * A tensor is a node of its host's context (LsUOp); nothing is computed here. The graph has few kinds of nodes: CONST of shape (),
 * host data, CONTIGUOUS, movement ops, REDUCE_AXIS (keeps axes as size 1), casts and ALU ops whose sources have equal shapes.
 * Movement that changes nothing makes no node.
 *
 * Errors are sticky, so that compositions need no checks between their steps: a function given NULL returns NULL, and the first
 * failure is kept in LsTensors until ls_tensors_take_error. Messages name the operation and the shapes it was given.
 *
 * While the host records, who calls says so (ls_tensors_open_call), and nodes belong to the innermost call that is open when they are made.
 */
#pragma once
#include "call.h"
#include "ir/eval.h"

/* The services that a session provides for tensors. */
typedef struct {
  LsContext    *ctx;
  /* a node for host data, the elements in the dtype's layout, row-major */
  LsUOp      *(*host_data) (gpointer self, LsDType dtype, guint n_dims, const gint64 *dims, const void *data, GError **error);
  gpointer      self;
  GArray       *calls;         /* LsCall; NULL: calls are not recorded */
  GArray       *node_calls;    /* LsNodeCall */
  gboolean    (*has_memory) (gpointer self, LsUOp *x);      /* was x realized? NULL: nothing was */
  /* a BIND of the variable, which is the same for the same value (beyond max: it has none); and the value of a BIND's BUFFER (max,
   * where it has none), and whether it has one */
  LsUOp      *(*variable) (gpointer self, const char *name, gint64 min, gint64 max, gint64 value, GError **error);
  gint64      (*bound) (gpointer self, const LsUOp *buffer);
  gboolean    (*unbound) (gpointer self, const LsUOp *buffer);
  /* a BUFFER of n elements that nothing was written to */
  LsUOp      *(*empty) (gpointer self, LsDType dtype, gint64 n, GError **error);
  const gint64 *shares;        /* 0: a call never gets a node that is there already (LAZYCACHE=0); NULL: equal nodes are one */
} LsTensorHost;

/* Tags of CONTIGUOUS: of a clone below it, of the same values asked for again with LAZYCACHE=0 from there on (ls_tensors_node). */
#define LS_TAG_AGAIN 0x4000
#define LS_MAX_ELEMENTS ((gint64) 1 << 60)      /* views of running sums are squares of the stored size */

typedef struct _LsTensors LsTensors;

/* host must outlive it. */
LsTensors *ls_tensors_new        (const LsTensorHost *host);
void       ls_tensors_free       (LsTensors *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsTensors, ls_tensors_free)
LsContext *ls_tensors_context    (LsTensors *t);
const LsTensorHost *ls_tensors_host (LsTensors *t);
LsShape    ls_tensors_shape      (LsTensors *t, LsUOp *x);
/* The first failure since the last take, or NULL; the caller owns it. */
GError    *ls_tensors_take_error (LsTensors *t);
/* A node that a call makes: of all equal ones the same, or with LAZYCACHE=0 one that was not there: tags distinguish equal ones. Constants,
 * buffers, variables and sizes are the same always. Beyond 32,000 equal nodes the last one is shared. */
LsUOp     *ls_tensors_node       (LsTensors *t, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg);
LsUOp     *ls_tensors_node1      (LsTensors *t, LsOp op, LsDType dtype, LsUOp *a, LsArg arg);
/* Keeps the failure unless there is one already; returns NULL. */
LsUOp     *ls_tensors_fail       (LsTensors *t, LsError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* 1, 2, 3, … */
guint32    ls_tensors_next_own    (LsTensors *t);
/* A call begins: everything of it but its parent and its result. Its number. Until it is closed the nodes made belong to it or to
 * calls within it. */
guint      ls_tensors_open_call   (LsTensors *t, const LsCall *call);
void       ls_tensors_close_call  (LsTensors *t);
guint      ls_tensors_inner_call  (const LsTensors *t);      /* the innermost that is open, or G_MAXUINT */
/* Another thread goes on: its calls that are open (guint, outermost first; they must outlive the next switch), or NULL: the first
 * that there were. */
void       ls_tensors_switch_calls (LsTensors *t, GArray *open);
/* The last result of the innermost call. */
void       ls_tensors_call_result (LsTensors *t, LsUOp *result);

/* Creation. */
LsUOp *ls_tensor_const      (LsTensors *t, LsDType dtype, LsScalar value);      /* shape () */
LsUOp *ls_tensor_host       (LsTensors *t, LsDType dtype, guint n, const gint64 *dims, const void *data);

/* Dtypes and realization. */
LsUOp *ls_tensor_cast       (LsTensors *t, LsUOp *x, LsDType dtype);
LsUOp *ls_tensor_bitcast    (LsTensors *t, LsUOp *x, LsDType dtype);      /* of the same size */
LsUOp *ls_tensor_contiguous (LsTensors *t, LsUOp *x);
LsUOp *ls_tensor_clone      (LsTensors *t, LsUOp *x);
LsUOp *ls_tensor_detach     (LsTensors *t, LsUOp *x);                  /* x, through which no gradient goes */
/* x, as a node that no other tensor is: no gradient goes through it */
LsUOp *ls_tensor_own        (LsTensors *t, LsUOp *x);
LsUOp *ls_tensor_contiguous_backward (LsTensors *t, LsUOp *x);         /* x, whose gradient is made contiguous */

/* Movement. */
LsUOp *ls_tensor_reshape    (LsTensors *t, LsUOp *x, guint n, const gint64 *dims);
/* as many axes as x has; only those of size 1 change */
LsUOp *ls_tensor_expand     (LsTensors *t, LsUOp *x, guint n, const gint64 *dims);
LsUOp *ls_tensor_permute    (LsTensors *t, LsUOp *x, guint n, const gint64 *order);
LsUOp *ls_tensor_flip       (LsTensors *t, LsUOp *x, guint n, const gint64 *axes);
LsUOp *ls_tensor_pad        (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs);      /* zeros before and after each axis */
LsUOp *ls_tensor_shrink     (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs);      /* begin and end of each axis */

/* Sizes and places that variables say (symbolic.c).
 *
 * A size is an index node: a BIND, or arithmetic of BINDs and constants, which ls_tensor_size_op makes in one form, so that equal sizes
 * are one node. A tensor whose axis a variable bounds has in memory as many as the variable may be at most (LsShape). Operations that do
 * not support such an axis use the number that the variable has now (ls_tensor_fixed): right, but for that number only. */
LsUOp *ls_tensor_variable   (LsTensors *t, const char *name, gint64 min, gint64 max, gint64 value);
LsUOp *ls_tensor_size_const (LsTensors *t, gint64 value);
/* ADD, SUB, MUL, and IDIV where nothing is left over; NULL without an error where the two have none. */
LsUOp *ls_tensor_size_op    (LsTensors *t, LsOp op, LsUOp *a, LsUOp *b);
gint64 ls_tensor_number     (LsTensors *t, LsUOp *size);                       /* what it is now */
const LsUOp *ls_tensor_unbound (LsTensors *t, const LsUOp *size);              /* a variable in it that has no value, or NULL */
LsUOp *ls_tensor_fixed      (LsTensors *t, LsUOp *x);                          /* x without variables in its shape */
/* As those without, with the size of each axis where a variable says it, else NULL: dims has the most that it may be there. */
LsUOp *ls_tensor_reshape_to (LsTensors *t, LsUOp *x, guint n, const gint64 *dims, LsUOp *const *sizes);
LsUOp *ls_tensor_expand_to  (LsTensors *t, LsUOp *x, guint n, const gint64 *dims, LsUOp *const *sizes);
/* pairs as numbers, and as nodes where a variable says them. */
LsUOp *ls_tensor_shrink_to  (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs, LsUOp *const *nodes);
LsUOp *ls_tensor_pad_to     (LsTensors *t, LsUOp *x, guint n, const gint64 *pairs, LsUOp *const *nodes);
LsUOp *ls_tensor_flip_sized (LsTensors *t, LsUOp *x, guint axis);                /* along an axis that a variable bounds */

/* Memory that is written to.
 *
 * Nodes do not change: an assignment is a new node, ASSIGN(memory, view of it, value), the whole memory afterwards; a reader of the old
 * node has the old value, whenever it is realized. So there is nothing to order, and no cycle. Who sees the new value is who holds a
 * node that leads to it: a tensor that was assigned to, and every tensor that is a view of the same memory (ls_tensor_after). */

/* value, of target's shape and dtype, written to the memory that target is a view of: through RESHAPE, PERMUTE, SHRINK, FLIP, BITCAST
 * and DETACH. Returns what target is afterwards. *base is the memory as it was, NULL where target had none, and *now what it is; either
 * pointer may be NULL. A partly written target without memory gets some. */
LsUOp *ls_tensor_assign    (LsTensors *t, LsUOp *target, LsUOp *value, LsUOp **base, LsUOp **now);
/* A tensor after an assignment: the same view of now where x is a view of base, else x. */
LsUOp *ls_tensor_after     (LsTensors *t, LsUOp *x, LsUOp *base, LsUOp *now);
/* Does the node name one memory? Two tensors that hold it, or views of it, are aliases. Equal computations are one node, though two
 * programs' tensors may hold it that do not know of each other: for those of another node only the tensor that was written to, and
 * views of it, may be taken for aliases. */
gboolean ls_tensor_is_memory (const LsUOp *base);
/* Are x and y the same view of one node? With LAZYCACHE=0 equal views are several nodes. */
gboolean ls_tensor_is_same (const LsUOp *x, const LsUOp *y);
/* Contents that are not defined; nothing is computed. */
LsUOp *ls_tensor_empty     (LsTensors *t, LsDType dtype, guint n, const gint64 *dims);

/* One op of operands whose shapes and dtypes are equal. */
LsUOp *ls_tensor_unary      (LsTensors *t, LsOp op, LsUOp *x);
LsUOp *ls_tensor_binary     (LsTensors *t, LsOp op, LsUOp *x, LsUOp *y);
LsUOp *ls_tensor_where      (LsTensors *t, LsUOp *condition, LsUOp *x, LsUOp *y);
/* Axes (from 0, each once) reduced to size 1 with ADD, MUL or MAX; of no elements: the neutral one. */
LsUOp *ls_tensor_reduce     (LsTensors *t, LsOp op, LsUOp *x, guint n, const gint64 *axes);
