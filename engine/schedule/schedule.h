/* The schedule: which tensor nodes get a buffer, and one kernel graph for each of them. */
#pragma once
#include "rewrite/recorder.h"

/* One kernel to be made. graph is SINK(STORE(DEFINE_GLOBAL 0, VIEW, VIEW(value))), in which buffers are BUFFERs with ids -1, -2, … for the
 * kernel's arguments 1, 2, … — the same graph, and so the same node, for kernels that do the same with other buffers. */
typedef struct {
  LsUOp  *graph;
  LsUOp  *node;        /* the tensor node that it computes */
  LsUOp  *buffer;      /* BUFFER that it writes */
  GArray *inputs;      /* LsUOp *: BUFFERs of arguments 1… */
  const char *reason;  /* why it exists */
  GArray *map;         /* LsMapEntry: kernel graph node <- tensor node; NULL when nothing is recorded */
} LsScheduleItem;

/* Why a tensor node got, or did not get, a buffer of its own. kernel is the number of the kernel that writes it, 0 for none. */
typedef struct { guint32 node; gboolean realized; guint kernel; const char *reason; } LsDecision;

typedef struct {
  GPtrArray *items;    /* LsScheduleItem, in launch order */
  GArray    *decisions; /* LsDecision */
  LsUOp    **results;  /* for each root: a movement expression over a BUFFER in row-major order, i.e. BUFFER itself */
} LsSchedule;

/* roots are nodes after the tensor stage, in which realized nodes are BUFFERs. kernel_base: number of kernels launched before. record:
 * maps of items and decisions are wanted. */
LsSchedule *ls_schedule_new  (LsContext *ctx, guint n_roots, LsUOp *const *roots, gboolean record, guint kernel_base);
void        ls_schedule_free (LsSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsSchedule, ls_schedule_free)

/* The context of the pass ast: MERGE_VIEWS. */
typedef struct { gboolean merge_views; } LsAstContext;
extern const LsTerm ls_ast_terms[];
