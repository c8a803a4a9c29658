/* The values of a graph, at any stage from the tensor graph to `expand`: the reference for passes.
 *
 * A node's value is an array. A node with a shape has one element for each index of it; below the kernel AST a node has one for each
 * iteration of the ranges that it depends on, and for each of its lanes. Ops mean what ir/eval.h says. Graphs with accumulators have an
 * order of execution: they are linearized and run by the interpreter instead (ls_interp_run), which takes lanes too.
 */
#pragma once
#include "ir/eval.h"
#include "run/run.h"

typedef struct _LsEvaluation LsEvaluation;

/* Elements of a buffer: by BUFFER id (tensor graphs) or DEFINE_GLOBAL number (kernels). data has n elements of the dtype, and is
 * written by STOREs. */
typedef struct { gint64 id; LsDType dtype; guint64 n; guint8 *data; } LsEvalBuffer;

/* Evaluates every node below root; STOREs write into the buffers. keep_all: the values of every node are kept, otherwise those of root
 * and its sources, and memory is needed only for values that are still to be read. NULL and LS_FAULT when more than max_elements values
 * would be held at a time or it reads or writes outside of a buffer through an open gate, LS_ERROR_SPEC for ops that have no value at
 * this level. */
LsEvaluation *ls_evaluate (LsContext *ctx, LsUOp *root, guint n_buffers, const LsEvalBuffer *buffers, guint64 max_elements,
                           gboolean keep_all, GError **error);
/* By how much two orders of a sum of n values of at most largest may differ. Each order is off by at most γ·Σ|x|, γ = nu / (1 − nu),
 * u half of the dtype's last place (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2), and Σ|x| ≤
 * n·largest; where nu comes near 1, as in long sums of halves, sums may stop to grow, and each is within Σ|x|. */
double ls_sum_bound (LsDType dtype, double n, double largest);
/* The sum of it over all float sums of a graph with shapes, from the largest value that each one sums: by how much another order may
 * change its results. */
double ls_evaluation_sum_bound (const LsEvaluation *e);
/* The largest finite operand of an addition, subtraction or product of floats, other than those of reduces: what the order of a chain
 * of them may change is a part of it. */
double ls_evaluation_largest (const LsEvaluation *e);
/* A node's values: n elements times lanes, row-major over its axes. NULL for a node without a value. */
const LsScalar *ls_evaluation_values (LsEvaluation *e, LsUOp *node, guint64 *n);
/* Is the access that has a node's element number i made: is its gate true, or has it none? */
gboolean ls_evaluation_is_open (LsEvaluation *e, LsUOp *node, guint64 i);
/* Node's value where of's element number i is computed: the same indices and lane, what node lacks left out. FALSE when node has no
 * value there. */
gboolean ls_evaluation_at (LsEvaluation *e, LsUOp *of, guint64 i, LsUOp *node, LsScalar *value);
/* Values that lie side by side: along the last axis that has more than one, or the lanes. 1 for a single value. */
guint64 ls_evaluation_row_length (LsEvaluation *e, LsUOp *node);
/* The indices of of's element number i as text: "(0, 3)"; below the kernel AST by range, "i=2, j=5", and lane. Free with g_free. */
char *ls_evaluation_where (LsEvaluation *e, const LsNames *names, LsUOp *of, guint64 i);
void ls_evaluation_free (LsEvaluation *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsEvaluation, ls_evaluation_free)
