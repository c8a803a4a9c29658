/* The Tensor API: what a program's tensors can do, as functions from nodes to nodes.
 *
 * A tensor is a node of its host's context (LsUOp); nothing is computed here. Every function composes the few node kinds
 * of the tensor graph: CONST of shape (), host data, CONTIGUOUS, movement ops, REDUCE_AXIS (keeps axes as size 1), casts
 * and ALU ops whose sources have equal shapes. Movement that changes nothing makes no node.
 *
 * Errors are sticky, so that compositions need no checks between their steps: a function given NULL returns NULL, and the
 * first failure is kept in LsTensors until ls_tensors_take_error. Messages name the operation and the shapes it was given.
 *
 * While the host records, every function leaves an LsCall with its parent call, short argument text, result, and the
 * nodes made during it.
 */
#pragma once
#include "call.h"
#include "ir/eval.h"

G_BEGIN_DECLS

/* What tensors live in: a session hands it over. */
typedef struct {
  LsContext    *ctx;
  /* a node for host data, the elements in the dtype's layout, row-major */
  LsUOp      *(*host_data) (gpointer self, LsDType dtype, guint n_dims, const gint64 *dims, const void *data, GError **error);
  gpointer      self;
  GArray       *calls;         /* LsCall; NULL: calls are not recorded */
  GArray       *node_calls;    /* LsNodeCall */
  GStringChunk *strings;       /* of both */
  gboolean    (*has_memory) (gpointer self, LsUOp *x);      /* was x realized? NULL: nothing was */
  LsUOp      *(*empty) (gpointer self, LsDType dtype, gint64 n, GError **error);      /* a BUFFER of n elements that nothing was written to */
} LsTensorHost;

#define LS_MAX_DIMS     64                       /* axes of any shape, intermediate ones included */
#define LS_MAX_ELEMENTS ((gint64) 1 << 60)      /* views of running sums are squares of what is stored */

typedef struct _LsTensors LsTensors;

/* host must outlive it. */
LsTensors *ls_tensors_new        (const LsTensorHost *host);
void       ls_tensors_free       (LsTensors *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsTensors, ls_tensors_free)
LsContext *ls_tensors_context    (LsTensors *t);
const LsTensorHost *ls_tensors_host (LsTensors *t);
/* Where in the program the calls that follow come from. */
void       ls_tensors_set_place  (LsTensors *t, guint statement, guint line, guint column);
/* The first failure since the last take, or NULL; the caller owns it. */
GError    *ls_tensors_take_error (LsTensors *t);
/* Keeps the failure unless there is one already; returns NULL. */
LsUOp     *ls_tensors_fail       (LsTensors *t, LsError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* A call begins; name is a string literal. format describes the arguments that follow, one letter each: x LsUOp *, o const LsOperand *,
 * i guint and const gint64 *, d LsDType, n gint64, s const char *. */
void       ls_tensors_begin      (LsTensors *t, const char *name, const char *format, ...);
/* The innermost call ends with result (NULL: none). Returns result. */
LsUOp     *ls_tensors_end        (LsTensors *t, LsUOp *result);
LsShape    ls_tensors_shape      (LsTensors *t, LsUOp *x);

/* An operand: a node, or a Python number, which takes the dtype of what it meets. */
typedef struct {
  LsUOp   *node;
  LsDType  weak;       /* node NULL: LS_BOOL, LS_WEAKINT or LS_WEAKFLOAT; 0 with node NULL is a failed operand */
  LsScalar value;
} LsOperand;

static inline LsOperand ls_operand_node  (LsUOp *x)   { return (LsOperand) { .node = x }; }
static inline LsOperand ls_operand_int   (gint64 i)   { return (LsOperand) { .weak = LS_WEAKINT, .value.i = i }; }
static inline LsOperand ls_operand_float (double f)   { return (LsOperand) { .weak = LS_WEAKFLOAT, .value.f = f }; }
static inline LsOperand ls_operand_bool  (gboolean b) { return (LsOperand) { .weak = LS_BOOL, .value.i = b ? 1 : 0 }; }
static inline LsDType   ls_operand_dtype (LsOperand o) { return o.node ? o.node->dtype : o.weak; }

/* Creation. dtype 0: that of the value, made strong. */
LsUOp *ls_tensor_const     (LsTensors *t, LsOperand value, LsDType dtype);      /* shape () */
LsUOp *ls_tensor_full      (LsTensors *t, guint n, const gint64 *dims, LsOperand value, LsDType dtype);
LsUOp *ls_tensor_full_like (LsTensors *t, LsUOp *x, LsOperand value, LsDType dtype);
LsUOp *ls_tensor_host      (LsTensors *t, LsDType dtype, guint n, const gint64 *dims, const void *data);
LsUOp *ls_tensor_arange    (LsTensors *t, LsOperand start, LsOperand stop, LsOperand step, LsDType dtype);
LsUOp *ls_tensor_linspace  (LsTensors *t, LsOperand start, LsOperand stop, gint64 steps, LsDType dtype);
LsUOp *ls_tensor_eye       (LsTensors *t, gint64 n, gint64 m, LsDType dtype);

/* Dtypes and realization. */
LsUOp *ls_tensor_cast       (LsTensors *t, LsUOp *x, LsDType dtype);
LsUOp *ls_tensor_bitcast    (LsTensors *t, LsUOp *x, LsDType dtype);
LsUOp *ls_tensor_contiguous (LsTensors *t, LsUOp *x);
LsUOp *ls_tensor_clone      (LsTensors *t, LsUOp *x);
LsUOp *ls_tensor_detach     (LsTensors *t, LsUOp *x);                  /* x, through which no gradient goes */
LsUOp *ls_tensor_contiguous_backward (LsTensors *t, LsUOp *x);         /* x, whose gradient is made contiguous */

/* Memory that is written to.
 *
 * Nodes do not change: what is assigned is a node of its own, ASSIGN(memory, view of it, value), the whole memory afterwards, and whoever reads the node from before
 * has the value from before, whenever it is realized. So there is nothing to order, and no cycle. Who sees the new value is who holds a node that leads to it:
 * a tensor that was assigned to, and every tensor that is a view of the same memory (ls_tensor_after). */

/* value, of target's shape and dtype, written to what target is a view of: through RESHAPE, PERMUTE, SHRINK, FLIP and DETACH. Returns what target is afterwards. *base is
 * the memory as it was, NULL where target had none, and *now what it is; either pointer may be NULL. What is partly written and has no memory gets some. */
LsUOp *ls_tensor_assign    (LsTensors *t, LsUOp *target, LsUOp *value, LsUOp **base, LsUOp **now);
/* A tensor after an assignment: the same view of now where x is a view of base, else x. */
LsUOp *ls_tensor_after     (LsTensors *t, LsUOp *x, LsUOp *base, LsUOp *now);
/* Does the node name one memory? Two tensors that hold it, or views of it, are aliases. Equal computations are one node, though two programs' tensors may hold it that do
 * not know of each other: for those of another node only the tensor that was written to, and views of it, may be taken for aliases. */
gboolean ls_tensor_is_memory (const LsUOp *base);
/* Contents that are not defined; nothing is computed. */
LsUOp *ls_tensor_empty     (LsTensors *t, LsDType dtype, guint n, const gint64 *dims);

/* Movement. Axes may be negative; they count from the end. */
LsUOp *ls_tensor_reshape   (LsTensors *t, LsUOp *x, guint n, const gint64 *dims);      /* one -1 is inferred */
LsUOp *ls_tensor_expand    (LsTensors *t, LsUOp *x, guint n, const gint64 *dims);      /* -1 keeps; axes may be added in front */
LsUOp *ls_tensor_permute   (LsTensors *t, LsUOp *x, guint n, const gint64 *order);
LsUOp *ls_tensor_transpose (LsTensors *t, LsUOp *x, gint64 a, gint64 b);
LsUOp *ls_tensor_flip      (LsTensors *t, LsUOp *x, guint n, const gint64 *axes);
LsUOp *ls_tensor_pad       (LsTensors *t, LsUOp *x, const gint64 *pairs, LsOperand value);   /* negative pads shrink */
LsUOp *ls_tensor_shrink    (LsTensors *t, LsUOp *x, const gint64 *pairs);
LsUOp *ls_tensor_squeeze   (LsTensors *t, LsUOp *x, gboolean all, gint64 axis);
LsUOp *ls_tensor_unsqueeze (LsTensors *t, LsUOp *x, gint64 axis);
LsUOp *ls_tensor_flatten   (LsTensors *t, LsUOp *x, gint64 first, gint64 last);
LsUOp *ls_tensor_unflatten (LsTensors *t, LsUOp *x, gint64 axis, guint n, const gint64 *dims);
LsUOp *ls_tensor_repeat    (LsTensors *t, LsUOp *x, guint n, const gint64 *repeats);
LsUOp *ls_tensor_repeat_interleave (LsTensors *t, LsUOp *x, gint64 repeats, gboolean flat, gint64 axis);
LsUOp *ls_tensor_roll      (LsTensors *t, LsUOp *x, guint n, const gint64 *shifts, const gint64 *axes);
LsUOp *ls_tensor_cat       (LsTensors *t, guint n, LsUOp *const *x, gint64 axis);
LsUOp *ls_tensor_stack     (LsTensors *t, guint n, LsUOp *const *x, gint64 axis);
LsUOp *ls_tensor_diagonal  (LsTensors *t, LsUOp *x);      /* of the last two axes, which are equal */

typedef struct {
  enum { LS_INDEX_INT, LS_INDEX_SLICE, LS_INDEX_NEW_AXIS, LS_INDEX_ELLIPSIS } kind;
  gint64   start, stop, step;                    /* INT: start */
  gboolean has_start, has_stop;
} LsIndexItem;
LsUOp *ls_tensor_index (LsTensors *t, LsUOp *x, guint n, const LsIndexItem *items);

/* Resolves an axis of a shape of n axes (a shape of none counts as one); FALSE after keeping an error. */
gboolean ls_tensors_axis (LsTensors *t, const char *name, guint n, gint64 *axis);

/* Elementwise: one row each of the table below has the signature (t, x) or (t, a, b) and the name ls_tensor_NAME. */
#define LS_TENSOR_UNARY(X) \
  X(neg) X(logical_not) X(bitwise_not) X(abs) X(sign) X(square) X(sqrt) X(rsqrt) X(reciprocal) X(exp) X(exp2) X(log) X(log2) \
  X(log10) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(trunc) X(ceil) X(floor) \
  X(round) X(sigmoid) X(relu) X(relu6) X(silu) X(quick_gelu) X(hardsigmoid) X(hardswish) X(mish) X(softsign) X(logsigmoid) \
  X(erf) X(isnan) X(isinf) X(isfinite)
#define LS_TENSOR_BINARY(X) \
  X(add) X(sub) X(mul) X(div) X(floordiv) X(truncdiv) X(mod) X(fmod) X(pow) X(maximum) X(minimum) X(bitwise_and) X(bitwise_or) X(bitwise_xor) \
  X(lshift) X(rshift) X(lt) X(gt) X(le) X(ge) X(eq) X(ne) X(logaddexp) X(copysign)
#define X(name) LsUOp *ls_tensor_##name (LsTensors *t, LsUOp *x);
LS_TENSOR_UNARY (X)
#undef X
#define X(name) LsUOp *ls_tensor_##name (LsTensors *t, LsOperand a, LsOperand b);
LS_TENSOR_BINARY (X)
#undef X
LsUOp *ls_tensor_where      (LsTensors *t, LsUOp *condition, LsOperand a, LsOperand b);
LsUOp *ls_tensor_clip       (LsTensors *t, LsUOp *x, const LsOperand *min, const LsOperand *max);      /* either may be NULL */
LsUOp *ls_tensor_lerp       (LsTensors *t, LsUOp *x, LsOperand end, LsOperand weight);
LsUOp *ls_tensor_leaky_relu (LsTensors *t, LsUOp *x, double slope);
LsUOp *ls_tensor_elu        (LsTensors *t, LsUOp *x, double alpha);
LsUOp *ls_tensor_celu       (LsTensors *t, LsUOp *x, double alpha);
LsUOp *ls_tensor_selu       (LsTensors *t, LsUOp *x, double alpha, double gamma);
LsUOp *ls_tensor_softplus   (LsTensors *t, LsUOp *x, double beta);
LsUOp *ls_tensor_gelu       (LsTensors *t, LsUOp *x, gboolean by_tanh);
LsUOp *ls_tensor_triu       (LsTensors *t, LsUOp *x, gint64 diagonal);
LsUOp *ls_tensor_tril       (LsTensors *t, LsUOp *x, gint64 diagonal);

/* Reductions. A set of axes; all: every axis. */
typedef struct { gboolean all; guint n; gint64 axes[LS_MAX_DIMS]; } LsAxes;
static inline LsAxes ls_axes_all (void)        { return (LsAxes) { .all = TRUE }; }
static inline LsAxes ls_axes_one (gint64 axis) { return (LsAxes) { .n = 1, .axes = { axis } }; }
LsUOp *ls_tensor_sum         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, LsDType dtype);
LsUOp *ls_tensor_prod        (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, LsDType dtype);
LsUOp *ls_tensor_max         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_min         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_any         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_all         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_mean        (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_var         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, gint64 correction);
LsUOp *ls_tensor_std         (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim, gint64 correction);
LsUOp *ls_tensor_logsumexp   (LsTensors *t, LsUOp *x, const LsAxes *axes, gboolean keepdim);
LsUOp *ls_tensor_softmax     (LsTensors *t, LsUOp *x, const LsAxes *axes, LsDType dtype);
LsUOp *ls_tensor_log_softmax (LsTensors *t, LsUOp *x, const LsAxes *axes, LsDType dtype);
LsUOp *ls_tensor_layernorm   (LsTensors *t, LsUOp *x, const LsAxes *axes, double eps);
LsUOp *ls_tensor_normalize   (LsTensors *t, LsUOp *x, double p, gint64 axis, double eps);
LsUOp *ls_tensor_argmax      (LsTensors *t, LsUOp *x, gboolean flat, gint64 axis, gboolean keepdim);
LsUOp *ls_tensor_argmin      (LsTensors *t, LsUOp *x, gboolean flat, gint64 axis, gboolean keepdim);
LsUOp *ls_tensor_dot         (LsTensors *t, LsUOp *x, LsUOp *w, LsDType dtype);
LsUOp *ls_tensor_linear      (LsTensors *t, LsUOp *x, LsUOp *weight, LsUOp *bias);      /* bias may be NULL */
/* Running sum, product or maximum (op ADD, MUL, MAX) along an axis. */
LsUOp *ls_tensor_cumulative  (LsTensors *t, LsUOp *x, LsOp op, gint64 axis);
LsUOp *ls_tensor_cummax      (LsTensors *t, LsUOp *x, gint64 axis, LsUOp **indices);
LsUOp *ls_tensor_cummin      (LsTensors *t, LsUOp *x, gint64 axis, LsUOp **indices);
/* The dtype in which sums of dtype are accumulated. */
LsDType ls_dtype_accumulator (LsDType dtype);

G_END_DECLS
