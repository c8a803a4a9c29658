/* LsMembership: in which of a pass's graphs a node is, asked for one step after the other in one direction. Most steps are answered by
 * a comparison. */
#pragma once
#include "trace.h"

typedef struct _LsMembership LsMembership;

/* node: of any graph of the recording. The trace must outlive it. direction: 1, steps are asked in ascending order, or -1. */
LsMembership *ls_membership_new  (LsTrace *trace, const LsPass *pass, LsUOp *node, int direction);
void          ls_membership_free (LsMembership *membership);
/* FALSE: the node is in the graph that the step leads to, in the direction of asking, so that the step takes it out of none. TRUE: it
 * is not there. */
gboolean      ls_membership_ends (LsMembership *membership, guint step);
