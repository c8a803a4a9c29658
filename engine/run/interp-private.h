/* The interpreter's plan: a linear list as a compact array, made once and executed often, with a hook for who wants to see each row. */
#pragma once
#include <gio/gio.h>

#include "ir/eval.h"
#include "execution.h"
#include "run.h"

typedef enum {
  LS_PLAN_ALU,          /* dst = op (src…), lane by lane */
  LS_PLAN_COPY,         /* dst = src[0]: an accumulator's first and next values */
  LS_PLAN_GATHER,       /* dst lane k = slot lanes[jump + k]: VECTORIZE and GEP */
  LS_PLAN_LOAD,         /* dst = memory at src[0]; with gate src[1] and alternative src[2]. step[0] 0: an address and a width; 1: an
                         * address a lane */
  LS_PLAN_STORE,        /* memory at src[0] = src[2], with gate src[1]; step as of LOAD */
  LS_PLAN_RANGE,        /* dst = 0; to jump unless 0 < src[0] */
  LS_PLAN_ENDRANGE,     /* dst++; back to jump if dst < src[0] */
  LS_PLAN_IF,           /* to jump unless src[0] */
  LS_PLAN_BARRIER,
  LS_PLAN_END,
} LsPlanOp;

#define LS_NO_SLOT G_MAXUINT32

typedef struct {
  guint8  plan;         /* LsPlanOp */
  guint8  op;           /* LsOp */
  guint16 lanes;
  guint8  step[3];      /* 1: the source has a lane for each of dst's; 0: one for all */
  guint8  has_gate;
  guint8  library;      /* EXP2, LOG2, SIN of the C library */
  guint8  helps;        /* not the row itself: brings its lanes together, or apart. No step */
  guint32 dst;          /* slots: the first of the value's lanes */
  guint32 src[3];
  guint32 jump;
  guint32 row;          /* place in the list */
  LsDType dtype, src_dtype;      /* of one lane; memory: the element's */
  guint32 buffer;       /* memory: number in buffers, or n_buffers + number of a local */
  guint32 unit;         /* memory: bytes that an index counts */
} LsPlan;

typedef struct { guint32 slot; gint64 size; gboolean is_local; } LsPlanItem;

typedef struct _LsInterp LsInterp;
struct _LsInterp {
  GArray          *code;         /* LsPlan; ends with END */
  GArray          *lanes;        /* guint32 slots for GATHER */
  GArray          *initial;      /* LsScalar of every slot: constants, zeros */
  GArray          *items;        /* LsPlanItem: the SPECIALs, in list order */
  GArray          *locals;       /* gsize: bytes of each DEFINE_LOCAL */
  gboolean         has_barrier;
  guint            n_buffers;
  LsBuffer *const *buffers;
  guint            n_uops;
  LsUOp *const    *uops;
};

/* A row that has just been executed, or at which the execution fails. */
typedef struct {
  guint64         number;       /* of the step, from 1 */
  const LsPlan   *plan;
  const LsScalar *slots;
  gboolean        failed;
  gboolean        jumps;        /* RANGE, IF: the block is skipped; ENDRANGE: one more iteration */
  guint           n_cells;      /* memory: lanes whose gate is open */
  const LsCell   *cells;
} LsStep;
/* FALSE ends the execution after this step. */
typedef gboolean (*LsStepHook) (const LsStep *step, gpointer data);

typedef struct {
  gint64        deadline;       /* monotonic time in µs */
  GCancellable *cancellable;    /* or NULL */
  LsStepHook    hook;           /* or NULL: nothing is counted, and most_steps does not count either */
  gpointer      data;
  guint64       most_steps;
} LsInterpHow;

/* STOPPED: by the hook or most_steps, before the list's end. */
typedef enum { LS_INTERP_DONE, LS_INTERP_DEADLINE, LS_INTERP_STOPPED, LS_INTERP_FAILED } LsInterpState;

/* NULL and LS_ERROR_RUN if the list cannot be executed; the node is named. The arrays are borrowed. */
LsInterp     *ls_interp_new     (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GError **error);
void          ls_interp_free    (LsInterp *interp);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsInterp, ls_interp_free)
/* Until the end, or the limit in how; FAILED with error set: LS_FAULT, LS_ERROR_RUN, or cancelled. */
LsInterpState ls_interp_execute (LsInterp *interp, const LsInterpHow *how, GError **error);
