/* Passes over procedures: from a linear list to a linear list that computes the same bits. Each is off by default, and on by a setting. */
#pragma once
#include "ir/uop.h"
#include "settings.h"

/* X(ID, stage, setting, reason: why a row changed) */
#define LS_PROC_PASS_TABLE(X) \
  X(FUSE,      "fuse-loops",   FUSE_LOOPS,   "in the loop that was fused") \
  X(UNROLL,    "unroll-loops", UNROLL_LOOPS, "in the loop that has fewer iterations") \
  X(PROPAGATE, "propagate",    PROPAGATE,    "it, or a value that it reads, is simpler now") \
  X(HOIST,     "hoist",        HOIST,        "the same in every iteration")

typedef enum {
#define X(ID, ...) LS_PROC_PASS_##ID,
  LS_PROC_PASS_TABLE (X)
#undef X
  LS_N_PROC_PASSES
} LsProcPass;

/* A row that a pass made, and the row that it replaces; or one (row == was) that it moved. */
typedef struct { LsUOp *row, *was; const char *reason; } LsRowChange;

/* Is the pass wanted by the settings? */
gboolean   ls_proc_pass_is_on (LsProcPass pass, const LsSettings *settings);
/* Is any of them? */
gboolean   ls_proc_passes_are_on (const LsSettings *settings);
/* The list that the pass makes of this one. changes: LsRowChange are added, or NULL. Free with g_ptr_array_unref. */
GPtrArray *ls_proc_pass_run   (LsProcPass pass, LsContext *ctx, GPtrArray *list, const LsSettings *settings, GArray *changes);
