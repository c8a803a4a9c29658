/* A sample of a result that is too large to be interpreted whole: some of its elements, each computed as a whole, and nothing else.
 *
 * A sampled difference is a difference. Elements that agree say nothing about the others, so the answer says how many of how
 * many were looked at.
 */
#pragma once
#include "run/evaluate.h"
#include "settings.h"

#define LS_SAMPLE_MOST        256                             /* elements */
#define LS_SAMPLE_MOST_VALUES ((guint64) 1 << 24)              /* that they may need */

/* Elements by number, ascending: the corners of the shape, elements of its edges, and others from everywhere; at most n, always the same
 * ones. All of them if there are no more than n. guint64; free with g_array_unref. */
GArray   *ls_sample_choose (LsShape shape, guint n);
/* Has a node of the graph more elements than are evaluated whole? Of graphs whose nodes have shapes. */
gboolean  ls_graph_is_large (LsContext *ctx, LsUOp *root);
/* The graph in which the ranges around its stores into the argument have only the iterations that write those elements: each iteration is
 * a row of tables, one argument each, from first_table on. tables gets LsEvalBuffer, whose data the caller frees. A graph in ctx; or
 * NULL with LS_ERROR_RUN: an element's iterations cannot be determined. */
LsUOp    *ls_sample_turns  (LsContext *ctx, LsUOp *root, guint argument, guint64 n_elements, const guint64 *elements, guint first_table,
                            GArray *tables,
                            GError **error);
/* The same for at most n iterations, spread over all ranges that no REDUCE goes over; n_turns gets their total number. axes gets those
 * ranges, the outermost loop's first, each followed by its replacement (LsUOp). */
LsUOp    *ls_sample_ranges (LsContext *ctx, LsUOp *root, guint n, guint first_table, GArray *tables, GPtrArray *axes, guint64 *n_turns);
/* Element i of node in such a graph: "(i=2, j=5)". Free with g_free. */
char     *ls_sample_where  (LsEvaluation *e, const LsNames *names, LsUOp *node, guint64 i, const GPtrArray *axes);
void      ls_sample_free_tables (GArray *tables);
