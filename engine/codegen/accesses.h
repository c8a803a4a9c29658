/* How a kernel walks through memory: by how much each load and store moves along each axis. Memory accesses, for the choice of options
 * and the score. */
#pragma once
#include "codegen.h"

#define LS_UNKNOWN_STRIDE G_MAXINT64      /* not the same everywhere */

/* A load or store: by how many elements it moves from one index of an axis to the next; axes are numbered as in loops, then as in
 * reduces. */
typedef struct { const LsUOp *index; gboolean is_store, in_reduce; gint64 stride[LS_MAX_AXES]; } LsStridedAccess;

typedef struct {
  GPtrArray *order, *loops, *reduces;      /* nodes; ranges by axis */
  GArray    *accesses;                     /* LsStridedAccess */
  double     work;                         /* iterations of all loops together */
  LsDType    dtype;                        /* that the kernel stores */
} LsAccesses;

/* lowered: the simplified graph without options. NULL: it has more than LS_MAX_AXES axes. Strides are 0 until they are looked for. */
LsAccesses *ls_accesses_new  (LsContext *ctx, LsUOp *lowered);
void        ls_accesses_find_strides (LsContext *ctx, LsAccesses *accesses);
void        ls_accesses_free (LsAccesses *accesses);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsAccesses, ls_accesses_free)

/* How long the kernel may take with these options (GArray of LsOpt), in cycles that only other options of the same kernel can be
 * compared with. Strides must have been found. score.c has the formula. */
double      ls_opts_score    (const LsAccesses *accesses, const LsSettings *settings, const GArray *opts);
