/* Values of chosen elements of a graph whose values have shapes, where there are too many to compute all. */
#pragma once
#include "evaluate.h"

typedef struct _LsElements LsElements;

/* Evaluates those elements (row-major numbers) of root, or of each of a SINK's sources; for a STORE those of its value, which are
 * written. Only what they need is computed, with all that their reduces go over. NULL and LS_FAULT when more than max_elements values
 * would be needed, or one outside of its buffer; LS_ERROR_SPEC for an op that has no value at this level, or values over ranges. */
LsElements *ls_evaluate_elements    (LsContext *ctx, LsUOp *root, guint n_buffers, const LsEvalBuffer *buffers, guint64 n,
                                     const guint64 *elements,
                                     guint64 max_elements, GError **error);
/* FALSE where that element was not needed. */
gboolean    ls_elements_value       (const LsElements *e, const LsUOp *node, guint64 element, LsScalar *value);
/* As ls_evaluation_sum_bound. */
double      ls_elements_sum_bound   (const LsElements *e);
void        ls_elements_free        (LsElements *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsElements, ls_elements_free)
