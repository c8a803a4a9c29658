/* The loops and conditions around the rows of a list that stands in the order of execution. */
#pragma once
#include "ir/axis.h"

#define LS_NEST_MOST 40      /* levels that are shown */

/* Of the row that comes next: how many are open, and of each the axis type of its loop, from 1; 0: it is a condition. */
typedef struct { guint depth; guint8 axes[LS_NEST_MOST]; } LsNest;

/* The levels around u, the next row, in *around (at most LS_NEST_MOST, which is returned as their number); nest goes on to the row
 * after it. */
static inline guint
ls_nest_next (LsNest *nest, const LsUOp *u, LsNest *around)
{
  gboolean opens = u && (u->op == LS_OP_RANGE || u->op == LS_OP_IF), closes = u && (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF);
  nest->depth -= closes && nest->depth > 0;
  *around = *nest;
  around->depth = MIN (nest->depth, LS_NEST_MOST);
  if (opens && nest->depth < LS_NEST_MOST) {
    gboolean is_typed = u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 && u->arg.ints[1] >= 0 &&
                        u->arg.ints[1] < LS_N_AXIS;
    nest->axes[nest->depth] = is_typed ? (guint8) (1 + u->arg.ints[1]) : 0;
  }
  nest->depth += opens;
  return around->depth;
}

