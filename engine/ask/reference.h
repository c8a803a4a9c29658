/* The results of a recorded program's graphs: the reference for bisect and values. See reference.c. */
#pragma once
#include "run/elements.h"
#include "run/execution.h"
#include "settings.h"
#include "trace/trace.h"
#include "ask.h"

typedef struct {
  LsTrace      *trace;
  LsSettings    settings;
  guint         n;
  LsEvalBuffer *buffers;      /* by id; data NULL: not known */
  guint64       max_elements; /* of one evaluation */
  guint         ready;        /* kernels below this number have been interpreted */
  guint         n_runs;       /* graphs evaluated */
  guint         output;       /* which result of a kernel is looked at */
} LsReference;

typedef enum {
  LS_GRAPH_COMPUTED,
  LS_GRAPH_FAULT,          /* it reads or writes outside of a buffer: a result, and a wrong one */
  LS_GRAPH_NO_VALUE,       /* neither evaluator takes this form, or it is too large; the error says which */
} LsGraphState;

LsReference *ls_reference_new  (LsTrace *trace);
void         ls_reference_free (LsReference *reference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsReference, ls_reference_free)
/* Fills the buffers that the kernels before this one write, each from the graph that the schedule gave it. FALSE and LS_ERROR_RUN
 * when contents that are needed were not kept. */
gboolean     ls_reference_prepare (LsReference *reference, guint kernel, GError **error);
/* Fills the buffers that a kernel loads with their contents at its launch: as recorded, or recomputed if the run overwrote them later or
 * did not keep them, with a line for each in notes (NULL-able). A number beyond the last kernel: what tensors hold at the end. FALSE and
 * LS_ERROR_RUN when something can be neither. */
gboolean     ls_reference_load        (LsReference *reference, guint kernel, GString *notes, GError **error);
/* A line if the interpreter's result of the kernel, on the inputs of ls_reference_load, differs from the recorded one, or if they are
 * not compared, with the reason: large kernels are not interpreted for this. */
void         ls_reference_note_result (LsReference *reference, const LsKernel *kernel, GString *notes);
/* The rules that rewrite a recording's graphs: the run's (unless runs is FALSE); for a recording that was read, this program's rules
 * without those that the recording lacks, because rules from a recording are matched but never executed; if runs is FALSE, with the rule
 * of substitute if the recording has it, which needs its dictionary. other: a rule of the recording
 * that is not among them, or NULL; own: it is from a user's file, and not of another version of a built-in file. Free with
 * ls_rule_library_unref. */
LsRuleLibrary *ls_recorded_library (LsTrace *trace, gboolean runs, const LsRule **other, gboolean *own);
/* How a recording's schedules were made: before schema 13 each kernel has one result. */
LsScheduleHow ls_recorded_schedule_how (const LsTrace *trace, const LsSettings *settings, const GArray *overrides);
/* Did its schedules read values that kernels of earlier ones stored? Not before schema 14. */
gboolean      ls_recorded_reuses       (const LsTrace *trace, const LsSettings *settings);
/* The graph of a kernel before its first rewrite, or NULL; of the kernel of that number, or NULL with LS_ERROR_USAGE. */
LsUOp       *ls_reference_kernel_graph (LsTrace *trace, const LsKernel *kernel);
LsUOp       *ls_reference_graph_of     (LsTrace *trace, guint number, GError **error);
/* Evaluates a graph of the kernel in ctx, a scratch context over its own that must outlive the evaluation: out gets the contents of
 * its result (output). evaluation, NULL-able, gets every node's value where the graph has no accumulators. */
LsGraphState ls_reference_run    (LsReference *reference, const LsKernel *kernel, LsContext *ctx, LsUOp *root, GBytes **out,
                                  LsEvaluation **evaluation, GError **error);
/* Its results become the contents of their buffers. */
LsGraphState ls_reference_compute (LsReference *reference, const LsKernel *kernel, LsContext *ctx, LsUOp *root, GError **error);
/* The same for a linear list, which is interpreted in its order. */
LsGraphState ls_reference_run_list (LsReference *reference, const LsKernel *kernel, const GPtrArray *list, GBytes **out, GError **error);
/* Those elements of its result alone, of a graph of any stage: out gets n. bound, NULL-able, gets by how much another order
 * of its sums may change them, 0 where the nodes of the graph have no shapes. */
LsGraphState ls_reference_run_elements    (LsReference *reference, const LsKernel *kernel, LsContext *ctx, LsUOp *root, guint64 n,
                                           const guint64 *elements, LsScalar *out, double *bound,
                                           GError **error);
/* Executes a kernel's graph in the order of list (ls_linearize) on the buffers of the reference, at most LS_REFERENCE_MOST_STEPS rows;
 * as ls_execution_watch. */
#define LS_REFERENCE_MOST_STEPS 500000000
LsExecution *ls_reference_watch  (LsReference *reference, const LsKernel *kernel, GPtrArray *list, guint32 row, LsExecutionWatch watch,
                                  gpointer data, GError **error);
/* Evaluates a graph of the tensor level. */
LsGraphState ls_reference_tensor (LsReference *reference, LsContext *ctx, LsUOp *root, LsEvaluation **evaluation, GError **error);
/* Those elements of root, or of each of a SINK's sources: of a graph of a kernel whose nodes have shapes, or of the tensor level
 * (kernel NULL). */
LsGraphState ls_reference_elements (LsReference *reference, const LsKernel *kernel, LsContext *ctx, LsUOp *root, guint64 n,
                                    const guint64 *elements, LsElements **out, GError **error);
/* A node of a kernel over a sample of at most most iterations of its ranges (ls_sample_ranges): over is the evaluated node, n_rows the
 * number of evaluated iterations, of n_turns. */
LsGraphState ls_reference_turns    (LsReference *reference, const LsKernel *kernel, LsContext *ctx, LsUOp *node, guint most,
                                    GPtrArray *axes, guint64 *n_turns, guint64 *n_rows,
                                    LsUOp **over, LsEvaluation **out, GError **error);
/* One step judged separately: the nodes before and after it, evaluated on the same values of their common sources. Accumulators stand
 * for any value. */
typedef struct {
  gboolean judged, differs, faults;      /* faults: not judged, since it reads outside of memory */
  guint64  element;
  LsDType  dtype;
  LsScalar want, got;
  char    *where;
  GArray  *inputs;             /* LsAskInput */
} LsStepCheck;
void         ls_reference_check_step (LsReference *reference, const LsPass *pass, guint step, LsStepCheck *check);
/* The same of a step of the chain rule, GRADIENT[i](u, g): not judged where u is not smooth or not of floats. The check must be empty
 * before. */
void         ls_check_gradient_step  (LsTrace *trace, guint32 before, guint32 after, LsStepCheck *check);
void         ls_step_check_clear     (LsStepCheck *check);
/* The differences that a rule's class allows. */
/* from LS_ULPS_SHIFT on: by how many units of the last place a step may be off */
typedef enum { LS_EXACT = 0, LS_ANY_ZERO = 1, LS_FINITE_ONLY = 2, LS_REORDERED = 4 } LsTolerance;
#define LS_ULPS_SHIFT 8
LsTolerance  ls_tolerance_of_rule (LsTrace *trace, gint rule);
/* The same for a pass's input and output, or any two nodes of its graph, the second of which replaced the first. */
void         ls_reference_check_nodes (LsReference *reference, const LsPass *pass, guint32 before, guint32 after, LsTolerance tolerance,
                                       LsStepCheck *check);
/* A step of a pass that extends a range: within the original range both sides are equal; beyond it nothing is stored, no load exceeds
 * its memory, and a reduce is unchanged. */
void         ls_reference_check_padded (LsReference *reference, const LsPass *pass, guint step, guint32 shorter, guint32 longer,
                                        LsStepCheck *check);
/* bound is the absolute difference that LS_REORDERED allows. */
gboolean     ls_scalar_same (LsDType dtype, LsScalar a, LsScalar b, LsTolerance tolerance, double bound);
/* The kernels that were launched before this pass began. */
guint        ls_reference_kernels_before (LsTrace *trace, const LsPass *pass);
/* A value as text, as its dtype prints. Free with g_free. */
char        *ls_scalar_print (LsDType dtype, LsScalar value);
gboolean     ls_graph_accumulates (LsContext *ctx, LsUOp *root);
