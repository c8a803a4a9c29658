/* The interpreter's plan: a linear list as a compact array, made once and executed often. */
#pragma once
#include <gio/gio.h>

#include "ir/eval.h"
#include "run.h"

G_BEGIN_DECLS

typedef enum {
  LS_PLAN_ALU,          /* dst = op (src…), lane by lane */
  LS_PLAN_COPY,         /* dst = src[0]: an accumulator's first and next values */
  LS_PLAN_GATHER,       /* dst lane k = slot lanes[jump + k]: VECTORIZE and GEP */
  LS_PLAN_LOAD,         /* dst = memory at src[0]; with gate src[1] and alternative src[2] */
  LS_PLAN_STORE,        /* memory at src[0] = src[2], with gate src[1] */
  LS_PLAN_RANGE,        /* dst = 0; on to jump when the bound src[0] is not above it */
  LS_PLAN_ENDRANGE,     /* dst++; back to jump when below src[0] */
  LS_PLAN_IF,           /* on to jump unless src[0] */
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
  guint32 dst;          /* slots: the first of the value's lanes */
  guint32 src[3];
  guint32 jump;
  guint32 row;          /* in the list, for messages */
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

typedef enum { LS_INTERP_DONE, LS_INTERP_DEADLINE, LS_INTERP_FAILED } LsInterpState;

/* NULL and LS_ERROR_RUN when the list is none that can be executed; the row is named. The arrays are borrowed. */
LsInterp     *ls_interp_new     (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GError **error);
void          ls_interp_free    (LsInterp *interp);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsInterp, ls_interp_free)
/* Until the end, or the monotonic time deadline (µs), or FAILED with error set (cancelled, too). */
LsInterpState ls_interp_execute (LsInterp *interp, gint64 deadline, GCancellable *cancellable, GError **error);

G_END_DECLS
