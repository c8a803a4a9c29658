/* The rules as text, and the terms of those that look at nothing but the graph. */
#pragma once
#include "rewrite/rewrite.h"

extern const LsTerm ls_symbolic_terms[], ls_gates_terms[], ls_tensor_terms[], ls_gradient_terms[], ls_running_terms[], ls_text_terms[];
extern const LsTerm ls_reduce_terms[];

/* Of the terms of split.rules: the least number of elements of each result of a reduce that is split. */
typedef struct { gint64 threshold; } LsSplitContext;

/* The constant in a shape, as tensor graphs have it: CONST, RESHAPE, EXPAND. NULL where the shape has too many axes. */
LsUOp *ls_filled (LsContext *ctx, LsUOp *constant, LsShape shape);
/* The constant that fills u's shape, or NULL. */
LsUOp *ls_filler (LsUOp *u);

/* Where a LIMIT or an AT shows its source: a bool for each element of that. NULL if it is not such a node. */
LsUOp *ls_taken  (LsContext *ctx, LsUOp *slice);

/* The text of a built-in file ("symbolic.rules"), or NULL. Static. */
const char *ls_rules_text (const char *file);
