/* A step whose result an algorithm made ("build …") is made of nested steps: the nodes that it made, one after the other. */
#pragma once
#include "trace.h"

/* "PHI": the node, and why the algorithm made it, a template. */
typedef struct { guint32 node; char *text; const char *why; } LsStepPart;

/* The rule of a rewrite's step says its result as an algorithm, so that the step may have parts. */
gboolean ls_step_is_built (const LsTrace *trace, const LsPass *pass, guint step);
/* LsStepPart, in the order in which they were made; NULL: fewer than two nodes were made, or the step is not built. shown: texts are in
 * the reader's language. Free with g_array_unref. */
GArray  *ls_step_parts    (LsTrace *trace, const LsPass *pass, guint step, gboolean shown);
