/* Shared by the three files of the evaluator: values, and their lookup. */
#pragma once
#include "evaluate.h"
#include "ir/axis.h"
#include "ir/view.h"

#define LS_MOST_VALUE_AXES 32
#define LS_MOST_TURNS (G_GUINT64_CONSTANT (1) << 32)

typedef struct _LsEvaluated LsEvaluated;
struct _LsEvaluated {
  LsUOp    *node;
  guint     n_axes;
  guint     axis[LS_MOST_VALUE_AXES];  /* numbers, ascending */
  gint64    size[LS_MOST_VALUE_AXES];
  guint     lanes;
  gboolean  shaped;                    /* its axes are those of a shape, or of a value that has one */
  guint64   n;                         /* elements, lanes included */
  LsScalar *v;                         /* NULL while it is base through a tracker */
  guint8   *open;                      /* pointers: is the gate open; NULL when there is none */
  const LsEvaluated *base;
  const LsTracker   *through;
  LsEvaluated       *owned;            /* the one element of a constant */
};

struct _LsEvaluation {
  LsContext  *ctx;
  GHashTable *values;                  /* node -> LsEvaluated */
  const LsEvalBuffer *buffers;
  guint       n_buffers;
  guint64     left;                    /* elements that may still be made */
  double      sum_bound, largest;
  GHashTable *axis_numbers;            /* RANGE node or UNROLL axis key -> number + 1 */
  guint       first_axis;              /* number of the first of them that is not an axis of a shape */
  guint32     shape_axes;              /* axes of shapes that ranges stand for */
  GError     *error;
};

/* FALSE, with the first error kept. */
gboolean ls_evaluation_fail       (LsEvaluation *e, GQuark domain, int code, const LsUOp *u, const char *what);
/* The value as it is: perhaps without elements of its own; and with them. NULL for a node without a value. */
LsEvaluated        *ls_evaluation_view   (LsEvaluation *e, const LsUOp *u);
LsEvaluated        *ls_evaluation_value  (LsEvaluation *e, const LsUOp *u);
const LsEvalBuffer *ls_evaluation_buffer (LsEvaluation *e, gint64 id);
/* The number of an axis: a RANGE or SPECIAL node, or the key of an UNROLL's. */
guint    ls_evaluation_axis       (LsEvaluation *e, gpointer key);
/* told apart from nodes by the low bit */
static inline gpointer ls_unroll_axis_key (gint64 key) { return (gpointer) (gsize) ((guint64) key << 1 | 1); }

/* A value of the node, without axes and elements yet; known under it. */
LsEvaluated *ls_evaluated_new     (LsEvaluation *e, LsUOp *u, guint lanes);
void     ls_evaluated_free        (gpointer value);
gboolean ls_evaluated_add_axis    (LsEvaluation *e, LsEvaluated *x, guint axis, gint64 size);
/* Sets n; takes the memory for n elements; both. */
gboolean ls_evaluated_count       (LsEvaluation *e, LsEvaluated *x);
gboolean ls_evaluated_take_memory (LsEvaluation *e, LsEvaluated *x);
gboolean ls_evaluated_allocate    (LsEvaluation *e, LsEvaluated *x);
/* On to the next index, row-major; FALSE after the last. */
gboolean ls_evaluated_step        (const LsEvaluated *x, gint64 *index);
/* The position in s of the element that corresponds to element index[] of x. Element number without lanes. */
guint64  ls_evaluated_element     (const LsEvaluated *s, const LsEvaluated *x, const gint64 *index);

static inline LsScalar
ls_eval_combine (LsOp op, LsDType d, LsScalar a, LsScalar b)
{
  return ls_eval_alu (op, d, d, (LsScalar[]) { a, b });
}

/* One node, by its op. Values with a shape (evaluate-shaped.c) … */
gboolean ls_evaluate_constant    (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_buffer      (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_variable    (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_copy        (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_assign      (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_movement    (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_reduce_axis (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_load_view   (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_store_view  (LsEvaluation *e, LsUOp *u);
/* The node's shape with the current number of elements where a variable bounds an axis; dims: room for them. FALSE: it has none. */
gboolean         ls_evaluate_shape_now (LsEvaluation *e, LsUOp *u, LsShape *shape, gint64 dims[LS_MOST_VALUE_AXES]);
/* A view's tracker, where variables say the indices of its first axes: without these axes, as the variables are now. */
const LsTracker *ls_evaluate_view_now  (LsEvaluation *e, const LsUOp *view);
/* What a movement op shows of its source, which is seen through a tracker. NULL with the error set. */
const LsTracker *ls_evaluate_move_now  (LsEvaluation *e, LsUOp *u, const LsTracker *seen);
/* The memory that an ASSIGN writes, seen from the view that its value has. NULL with the error set. */
const LsTracker *ls_evaluate_assigned_view (LsEvaluation *e, const LsUOp *u);
/* The value of a BIND or DEFINE_VAR. */
gint64           ls_evaluate_bound     (LsEvaluation *e, const LsUOp *u);
/* Gives elements to a value that is seen through a tracker. */
gboolean ls_evaluated_fill       (LsEvaluation *e, LsEvaluated *x);
/* … and values over ranges and lanes (evaluate-ranged.c); arithmetic is of both. */
gboolean ls_evaluate_alu         (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_pointer     (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_range       (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_unroll      (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_reduce      (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_index       (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_load        (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_store       (LsEvaluation *e, LsUOp *u);
gboolean ls_evaluate_lanes       (LsEvaluation *e, LsUOp *u);
