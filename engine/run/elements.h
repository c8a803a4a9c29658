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
/* The same without values, for ls_elements_uses where contents of buffers are not known. */
LsElements *ls_request_elements     (LsContext *ctx, LsUOp *root, guint64 n, const guint64 *elements, guint64 max_elements, GError **error);
/* How often each element of memory (BUFFER, LOAD) and each constant (CONST, IOTA) is used in the expressions of root's elements, which
 * is not a SINK: in every iteration of a reduce, and for every user. Masked elements are not used, nor is the value that a WHERE does not
 * take; without values both are. element: of the buffer that a LOAD reads; 0 of a CONST. Node by node, elements ascending; a LOAD may
 * have an element more than once. LsElementUse; free with g_array_unref. */
typedef struct { LsUOp *node; guint64 element, uses; } LsElementUse;
GArray     *ls_elements_uses        (LsElements *e, LsUOp *root);
/* The row-major number of an element by the index of each axis. */
guint64     ls_element_number       (LsShape shape, const gint64 *index);
/* FALSE where that element was not needed. */
gboolean    ls_elements_value       (const LsElements *e, const LsUOp *node, guint64 element, LsScalar *value);
/* As ls_evaluation_sum_bound. */
double      ls_elements_sum_bound   (const LsElements *e);
void        ls_elements_free        (LsElements *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsElements, ls_elements_free)
