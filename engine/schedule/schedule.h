/* The schedule: which tensor nodes get a buffer, and one kernel graph for each of them. */
#pragma once
#include "rewrite/recorder.h"

#define LS_FEW_ITERATIONS 4096      /* a kernel with fewer gets no options: it is over before one could show */

/* What a decision does: the value gets memory; its user's kernel computes it; its user is one of several results of a kernel; the value
 * is read where an earlier kernel of the program stored it; nothing changes. */
typedef enum { LS_DECISION_STORES, LS_DECISION_FUSES, LS_DECISION_JOINS, LS_DECISION_TAKES, LS_DECISION_KEEPS } LsDecisionAction;

typedef enum {
#define X(id, ...) LS_REASON_##id,
#include "reasons.def"
#undef X
  LS_N_REASONS
} LsReason;

typedef struct {
  const char *key;           /* "only-user" */
  LsDecisionAction action;
  const char *other;         /* what the other choice is called, "inline"; NULL: it cannot be taken, for the reason cannot */
  const char *cannot;
  const char *text;          /* in short */
  const char *sentence;
} LsReasonInfo;
extern const LsReasonInfo ls_reasons[LS_N_REASONS];
/* The keys, ending with NULL. */
extern const char *const ls_reason_keys[LS_N_REASONS + 1];

/* A decision about a value, or about one use of it (an edge). They are in the order in which they are made: what the program asked for and
 * what is memory; pads and repetitions, sources first; values seen through many views; reduces, each followed to where it ends; the uses
 * that are left. */
typedef struct {
  guint32     node;        /* the value */
  guint32     user;        /* the node that uses it, SINK for a result; G_MAXUINT32: it is about no one use, or before schema 12 */
  gboolean    realized;    /* it gave the value its memory */
  guint       kernel;      /* that writes the value there, or 0 */
  guint       user_kernel; /* the first kernel that computes the user, or 0 */
  guint       pass;        /* the schedule's, whose step it is */
  LsReason    key;
  const char *reason;      /* in short */
} LsDecision;

/* What the caller chooses instead of the scheduler, about an edge of a decision: the value is stored; it is not stored for that use; it is
 * computed again, although an earlier kernel stored it; its kernel stores the user, too, a value that need not be made of it. */
typedef enum { LS_CHOICE_STORE, LS_CHOICE_FUSE, LS_CHOICE_AGAIN, LS_CHOICE_JOIN } LsOverrideAction;
typedef struct { guint32 node, user; LsOverrideAction choice; } LsOverride;

/* What a kernel computes: a tensor node, the BUFFER for it, and why it is stored. */
typedef struct { LsUOp *node, *buffer; const char *reason; } LsScheduleOutput;

/* One kernel to be made. graph is SINK(STORE(DEFINE_GLOBAL 0, VIEW, VIEW(value)), …), with a STORE for each output, which are the first
 * arguments. Buffers are BUFFERs with ids -k for the kernel's argument k: the same graph, and so the same node, for kernels that do the
 * same with other buffers. */
typedef struct {
  LsUOp  *graph;
  GArray *outputs;     /* LsScheduleOutput: arguments 0… */
  GArray *inputs;      /* LsUOp *: BUFFERs of the arguments that follow */
  GArray *map;         /* LsMapEntry: kernel graph node <- tensor node; NULL when nothing is recorded */
} LsScheduleItem;

/* X (ID, key, can, sentence): why two values are not stored by one kernel, about "the later one" and the earlier one's kernel.
 * key: its name in variants; can: a variant may ask for one kernel all the same, which is made if it would compute the same */
#define LS_APART_TABLE(X) \
  X (NOT,       "together",        FALSE, "one kernel stores both") \
  X (OFF,       "apart-off",       TRUE, \
     "a kernel stores one value: with MULTIOUTPUT=0, in the profiles classic and modern, and in recordings before schema 13") \
  X (SHAPE,     "apart-shape",     FALSE, "they have different shapes, and so different loops") \
  X (REDUCE,    "apart-reduce",    TRUE,  "the later one is reduced, in loops that it does not share with the earlier one's kernel") \
  X (ALONE,     "apart-alone",     FALSE, "one of them is a copy, has no elements, or is stored in another order than it is computed in") \
  X (VARIABLE,  "apart-variable",  TRUE,  "a variable bounds a size in this schedule, whose kernels store one value each") \
  X (BOUNDED,   "apart-bounded",   FALSE, "a variable bounds a size in the expression of one of them") \
  X (LARGE,     "apart-large",     TRUE,  "one of them is made of more values or operations than the scheduler looks at for this") \
  X (FULL,      "apart-full",      TRUE,  "the earlier one's kernel stores as many values as a kernel may") \
  X (ELSEWHERE, "apart-elsewhere", FALSE, "the later one reads elements of the earlier one's kernel that other iterations compute") \
  X (WAITS,     "apart-waits",     FALSE, "the later one needs a kernel that needs the earlier one") \
  X (FAR,       "apart-far",       TRUE, \
     "there are too many kernels between them to see whether one needs the earlier one and is needed by the later one") \
  X (LOADS,     "apart-loads",     TRUE,  "they read nothing in common, element for element") \
  X (CHOSEN,    "apart-chosen",    TRUE,  "the variant asks for two kernels") \
  X (ELSE,      "apart-else",      TRUE,  "the later one is stored by another kernel, which was found first") \
  X (UNKNOWN,   "apart-unknown",   FALSE, "the recording's schedule does not have both values")
typedef enum {
#define X(id, ...) LS_APART_##id,
  LS_APART_TABLE (X)
#undef X
  LS_N_APART
} LsApartness;
typedef struct { const char *key; gboolean can; const char *sentence; } LsApartInfo;
extern const LsApartInfo ls_apart[LS_N_APART];
/* Two values that different kernels store first, and why these are not one. */
typedef struct { LsUOp *first, *later; LsApartness why; } LsApartPair;

typedef struct {
  GPtrArray *items;    /* LsScheduleItem, in launch order */
  GArray    *decisions; /* LsDecision; empty when nothing is recorded */
  LsUOp    **results;  /* for each root: a movement expression over a BUFFER in row-major order, i.e. BUFFER itself */
} LsSchedule;

static inline const LsScheduleOutput *
ls_schedule_output (const LsScheduleItem *item, guint i)
{
  return &g_array_index (item->outputs, LsScheduleOutput, i);
}

/* The BUFFER of an argument. */
static inline LsUOp *
ls_schedule_argument (const LsScheduleItem *item, guint i)
{
  return i < item->outputs->len ? ls_schedule_output (item, i)->buffer : g_array_index (item->inputs, LsUOp *, i - item->outputs->len);
}

static inline guint
ls_schedule_n_arguments (const LsScheduleItem *item)
{
  return item->outputs->len + item->inputs->len;
}

/* Nothing is launched for no elements. */
static inline gboolean
ls_schedule_is_empty (const LsScheduleItem *item)
{
  return ls_schedule_output (item, 0)->buffer->arg.ints[1] == 0;
}

/* fuse: a kernel may have several reduces (FUSE=1). outputs: it may store several values (MULTIOUTPUT=1). overrides: LsOverride, or
 * NULL. stored: nodes -> the BUFFERs to which earlier kernels stored their values, and from which they are read; or NULL. */
typedef struct { gboolean fuse, outputs; const GArray *overrides; GHashTable *stored; } LsScheduleHow;
/* sink: SINK of nodes after the tensor stage, in which realized nodes are BUFFERs. kernel_base: number of kernels launched before. record:
 * maps of items and decisions are wanted. */
LsSchedule *ls_schedule_new  (LsContext *ctx, LsUOp *sink, gboolean record, guint kernel_base, LsScheduleHow how);
/* The decisions alone (LsDecision), without kernels. Free with g_array_unref. */
GArray     *ls_schedule_decide (LsContext *ctx, LsUOp *sink, LsScheduleHow how);
/* What a kernel of a schedule reads or stores: a BUFFER, or the node of a value that a kernel stores. kernel: its number, from 0. */
typedef struct { guint kernel; LsUOp *what; gint64 bytes; gboolean stores; } LsScheduleAccess;
/* The accesses of the kernels that a schedule would have (LsScheduleAccess), in the order of launches; no node is made. Free with
 * g_array_unref. */
GArray     *ls_schedule_accesses (LsContext *ctx, LsUOp *sink, LsScheduleHow how);
/* The choices among decisions that were made before, so that they can be made again. Free with g_array_unref. */
GArray     *ls_overrides_of  (const LsDecision *decisions, guint n);
/* The nodes that a kernel computes: the only one, or a SINK of them. */
LsUOp      *ls_schedule_values (LsContext *ctx, const LsScheduleItem *item);
/* Why two stored nodes of a schedule's graph (sink, which the spec allows) are not results of one kernel, and which one is the later one.
 * *never, if given: why no variant can make them results of one, which would not compute the same; LS_APART_NOT: one can. */
LsApartPair ls_outputs_why_apart (LsContext *ctx, LsUOp *sink, LsScheduleHow how, LsUOp *first, LsUOp *other, LsApartness *never);
/* All pairs (LsApartPair) of the first values of kernels of which the later one is wanted, in the order of the graph. Free with
 * g_array_unref. */
GArray     *ls_outputs_pairs     (LsContext *ctx, LsUOp *sink, LsScheduleHow how, gboolean (*wanted) (gpointer data, const LsUOp *later),
                                  gpointer data);
void        ls_schedule_free (LsSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsSchedule, ls_schedule_free)

/* What the other choice would cost: more than what was decided, or less where it is negative. Bytes are those of the value as it is; an
 * operation is one of ALU on one element. */
typedef struct {
  gint64   stored, loaded;         /* bytes */
  gint64   work;                   /* operations */
  gboolean at_least;               /* there are more, which were not counted */
  guint    accumulators;           /* registers that reduces of the value need in its user's kernel, when it is fused */
  gint64   parallel, parallel_now; /* results that do not wait for each other: of the user's kernel, and of the value's own; 0: not known */
  gint64   times;                  /* how often the use computes each element of the value, when it is fused */
} LsDecisionCost;
/* Is a node of the graph in memory? */
typedef gboolean (*LsIsStored) (gpointer data, const LsUOp *u);
/* is_stored: of a node of the same graph. kernel: the node that the user's kernel stores, or NULL. FALSE: there is no other choice, or it
 * is about no use of a value. */
gboolean ls_decision_cost (LsContext *ctx, const LsDecision *decision, LsUOp *kernel, LsIsStored is_stored,
                           gpointer data, LsDecisionCost *cost);

/* Why the kernel of a user cannot compute the value itself: all reasons that hold, as bits 1 << LsReason, of those in ls_reasons_of_use.
 * Results, forced copies and many views are not among these. user: not a movement, or a stored one; user_reduces: its kernel has a reduce;
 * elsewhere: another kernel uses the value too. */
extern const guint32 ls_reasons_of_use;
guint32 ls_use_reasons (LsContext *ctx, LsUOp *value, LsUOp *user, gboolean user_reduces, gboolean elsewhere,
                        LsIsStored is_stored, gpointer data);

/* The context of the pass ast: MERGE_VIEWS. */
typedef struct { gboolean merge_views; } LsAstContext;
extern const LsTerm ls_ast_terms[];
