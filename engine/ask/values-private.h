/* Shared by the two ways to compute a node's values: search conditions, and texts about values. */
#pragma once
#include "ask.h"
#include "reference.h"

typedef enum { LS_FIND_NAN, LS_FIND_INF, LS_FIND_NONFINITE, LS_FIND_LT, LS_FIND_LE, LS_FIND_GT, LS_FIND_GE, LS_FIND_EQ,
               LS_FIND_NE } LsFindKind;
typedef struct { LsFindKind kind; double value; } LsFind;

gboolean  ls_find_holds      (const LsFind *find, LsDType dtype, LsScalar value);
/* Constants and index arithmetic are not data: they are searched when they are asked for. */
gboolean  ls_find_is_data    (const LsUOp *node);
/* The dtype of a node's values: a STORE's are those that it stores. */
LsDType   ls_values_dtype    (const LsUOp *node);
LsValues *ls_values_new      (void);
/* n values of a dtype: statistics, picture, the first max as text. */
void      ls_values_set      (LsValues *v, LsDType dtype, guint64 n, const LsScalar *x, guint64 row_length, guint max);
/* A sample of a node's values; or the first of one that satisfies find, of node or of any of order (NULL). LS_ERROR_RUN or LS_FAULT
 * where they cannot be computed. */
LsValues *ls_values_sampled  (LsReference *r, const LsKernel *kernel, LsContext *ctx, GPtrArray *order, LsUOp *node, const LsFind *find,
                              guint max, GError **error);
/* Values of a node that depends on an accumulator, in order of execution; or, with find, the first that satisfies it, of node or of
 * any (NULL). ctx: a scratch context over the graph's. LS_ERROR_RUN where the graph cannot be executed. */
LsValues *ls_values_executed (LsReference *r, const LsKernel *kernel, LsContext *ctx, LsUOp *root, LsUOp *node, const LsFind *find,
                              guint max, GError **error);
