/* The schedule: which tensor nodes get a buffer, and one kernel graph for each of them. */
#pragma once
#include "ir/uop.h"
#include "settings.h"
#include "trace/trace.h"

G_BEGIN_DECLS

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

typedef struct {
  GPtrArray *items;    /* LsScheduleItem, in launch order */
  LsUOp    **results;  /* for each root: a movement expression over a BUFFER in row-major order, i.e. BUFFER itself */
} LsSchedule;

/* roots are nodes after the tensor stage, in which what has been realized is a BUFFER. kernel_base: number of kernels launched before.
 * Decisions go to trace when it is not NULL. */
LsSchedule *ls_schedule_new  (LsContext *ctx, guint n_roots, LsUOp *const *roots, const LsSettings *settings, LsTrace *trace, guint kernel_base);
void        ls_schedule_free (LsSchedule *schedule);

/* Builders of ast.rules get this. */
typedef struct { gboolean merge_views; } LsAstUser;

G_END_DECLS
