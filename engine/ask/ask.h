/* Questions to a recording: where a line comes from (blame), what is computed at a node (values), which step changed a result
 * (bisect), why a rule did not fire (why-not), what the rules did (rule report) and how two recordings differ (trace diff).
 *
 * Each function is a pure function of a recording and gives plain data: the command line prints it as text and JSON, the viewer shows
 * it in its place. They read the recording through replay and lineage, and evaluate graphs with run/evaluate.h; the recording itself
 * knows nothing of them. Strings in answers belong to the trace unless a function that frees the answer is named.
 *
 * The table of each answer's fields (answer/answer.h) follows the question. Its rows find in LsAnswering's data the whole answer, which
 * names the trace that it is of and does not hold it; ctx is the trace's.
 */
#pragma once
#include "answer/answer.h"
#include "ir/print.h"
#include "render/render.h"
#include "run/run.h"
#include "settings.h"
#include "trace/diff.h"
#include "trace/trace.h"
#include "trace/visits.h"

/* --- rows ------------------------------------------------------------------------------------------------------------------------- */

/* The nodes of a kernel's listing (LsUOp); ids that the recording lacks are left out. Free with g_ptr_array_unref. */
GPtrArray  *ls_kernel_list (LsTrace *trace, const LsKernel *kernel);
/* The style of the listing that a viewer shows of a recording: classic where its profile is. */
LsStyle     ls_trace_style (LsTrace *trace);
/* Fills settings with those of the recording's run. A setting that cannot be read keeps its default. */
void        ls_trace_settings (const LsTrace *trace, LsSettings *settings);
/* A row of a listing has one number, wherever it is shown: its line in the listing as it is printed in that style, from 0. Free with
 * g_hash_table_unref. */
GHashTable *ls_kernel_rows (LsTrace *trace, const LsKernel *kernel, LsStyle style);
/* The number of the node's row, or -1: the style folds it into other rows, or it is in none. */
gint        ls_row_number  (GHashTable *rows, guint32 node);
/* The node that the row of that number shows, or LS_NO_NODE. */
guint32     ls_row_node    (LsTrace *trace, const LsKernel *kernel, LsStyle style, guint64 number);

/* The list that a pass over a procedure began with (guint32), or NULL if it is another kind of pass. */
const GArray *ls_rows_before (LsTrace *trace, const LsPass *pass);
/* A row of its procedure before or after it: ' ' in both, '-' only before, '+' only after, then with the reason for which it is
 * there, or NULL. */
typedef struct { char mark; char *text; guint32 node; const char *reason; } LsProcDiffRow;
GArray     *ls_proc_diff_rows_new  (void);      /* an empty array of them, which owns their texts */
GArray     *ls_procedure_diff_rows (LsTrace *trace, const LsPass *pass);
/* A row's reason, which has a part for each loop, in the reader's language. Free with g_free. */
char       *ls_proc_reason_shown (const char *reason);
char       *ls_procedure_diff (LsTrace *trace, const LsPass *pass, gboolean shown);
/* The rows that a pass has made up to that step, those of the step marked '+' (LsProcDiffRow). NULL: the pass is a rewrite, or has no such
 * step. Free with g_array_unref. */
GArray     *ls_step_rows      (LsTrace *trace, const LsPass *pass, guint step, gboolean shown);
/* The number of the last line of the source that is there at a step of render; G_MAXUINT: all of it. */
guint       ls_step_source_lines (LsTrace *trace, const LsPass *pass, guint step);

/* --- dialect ----------------------------------------------------------------------------------------------------------------------- */

/* The fields of the dialect of a kernel's target, and for each the number of rows of the renderer's table that depend on it;
 * by_function: text outside those rows does. A field without a mark was not used for this kernel. In a recording before schema 7 only
 * operations have marks. None where this program has no such target. LsDialectUse; free with g_array_unref. */
typedef struct { LsDialectRow says; guint n_rows; gboolean by_function; } LsDialectUse;
GArray     *ls_kernel_dialect (LsTrace *trace, const LsKernel *kernel);
/* Does that row of the renderer's table depend on it? */
/* " of bool": which values a row's operation is of; "": any. In English. */
const char *ls_spells_text    (LsSpells of);
/* Of a step of render, in the reader's language or in English: the operation of the dialect that its expression is by; NULL: it is of none.
 * Free with g_free. */
char       *ls_render_step_template (LsTrace *trace, const LsPass *pass, guint step, gboolean shown);
gboolean    ls_dialect_is_of  (LsTrace *trace, const LsDialectRow *row, const LsExpr *e);

/* --- names ------------------------------------------------------------------------------------------------------------------------- */

/* The value of a name: of a tensor its node (with op, dtype, arg and sources), its shape, the base that it is a view of, and the views
 * between them, as the listing has them and in short, base and both NULL if the recording does not have them; of a UOp its node and expr,
 * "i*4+2". Clear with ls_bound_name_clear. */
typedef struct { LsUOp *node, *base; LsShape shape; char *view, *short_view, *expr; } LsBoundName;
/* FALSE where the node is not there. */
gboolean ls_bound_name       (LsTrace *trace, const LsNameBinding *binding, LsBoundName *out);
void     ls_bound_name_clear (LsBoundName *name);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LsBoundName, ls_bound_name_clear)

/* --- facts ------------------------------------------------------------------------------------------------------------------------- */

/* The fields: rows of facts.def. read_by: a sentence, NULL: no decision reads it, "": it is not a field. */
typedef enum {
#define X(id, ...) LS_FACT_##id,
#include "facts.def"
#undef X
  LS_N_FACTS
} LsFactField;
typedef struct { const char *name, *sentence, *read_by; } LsFactInfo;
extern const LsFactInfo ls_fact_infos[];

/* A row of a tree: a field and its value as Python prints it, in short where that is long; of a node, whose fields are the
 * rows below it that are deeper. above: they are in earlier rows; cut: they are left out, as it is too deep. */
typedef struct {
  guint       depth;
  LsFactField field;
  char       *name;            /* "device", "srcs[1]", "b" */
  char       *value, *brief;   /* brief: NULL: the value */
  guint32     node;            /* whose fields follow, or LS_NO_NODE */
  gboolean    above, cut;
  guint       buffer;          /* of memory, or G_MAXUINT */
  gint        call;            /* that wrote it, or -1: not recorded */
  gint        decision;        /* of a node: the schedule's, in trace->decisions, or -1: none by then */
} LsFact;

/* stop: after which stop of the walk, from 1; 0: the recording has none. all: of all names and the device. more: rows after the first
 * LS_MOST_FACTS are left out. */
typedef struct { LsTrace *trace; guint stop, n_stops; gboolean all, more; GArray *facts; } LsFacts;      /* LsFact */

#define LS_MOST_FACTS 4096

/* The facts of a name's tensor, of a node (name NULL), or of all names and the device (node LS_NO_NODE), after a stop, from 1; 0: the last.
 * LS_ERROR_USAGE if there is no such name by then, node or stop. */
LsFacts    *ls_facts          (LsTrace *trace, const char *name, guint32 node, guint stop, GError **error);
/* The same of several nodes, a tree each: of the tensors that their fields name, only the names are listed. */
LsFacts    *ls_facts_of_nodes (LsTrace *trace, const guint32 *nodes, guint n, guint stop);
void        ls_facts_free     (LsFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsFacts, ls_facts_free)
/* Its value in short, in the reader's language where it is words. Free with g_free. */
char       *ls_fact_value      (const LsFact *fact);
/* read_by, or "not used by this scheduler". */
const char *ls_fact_read_by    (LsFactField field);
/* "add at library/elementwise.py:128, called at p.py:3:5", the call that wrote it, or NULL; "kernel 1: result", the decision about a
 * node, or NULL. Sentences; free with g_free. */
char       *ls_fact_written_by (const LsFacts *facts, const LsFact *fact);
char       *ls_fact_decision   (const LsFacts *facts, const LsFact *fact);
extern const LsRecord ls_facts_answer, ls_fact_answer;      /* LsFacts, LsFact */

/* --- verify ----------------------------------------------------------------------------------------------------------------------- */

typedef enum { LS_VERIFY_PROVED, LS_VERIFY_DIFFERS, LS_VERIFY_UNJUDGED, LS_VERIFY_INCOMPLETE } LsVerdict;
const char *ls_verdict_name (LsVerdict verdict);
typedef struct { const char *name; guint columns; guint64 values; } LsVerifyScope;
typedef struct {
  LsVerifyScope classes[3];              /* the columns of each class (LsColumnClass): derived and doubled, which the verdict is about,
                                          * and witness */
  LsSealed   sealed;
  guint64    n_flushes;                  /* that were sealed */
  guint      passes, steps;              /* looked at */
  guint      replay_failures, lineage_unmapped, lineage_ambiguous, spec_failures;
  guint      remade;                     /* passes made again from their inputs */
  guint      recomputed, by_digest;      /* buffers whose kernel was run again with the same result; those of them that were compared by
                                          * digest only */
  guint      kept, sealed_only;          /* buffers whose contents are recorded; buffers with a digest that could not be compared */
  guint      differences;                /* from passes made again, or between two records of a fact */
  LsVerdict  verdict;                    /* INCOMPLETE: what there is holds, but the run was killed; UNJUDGED: some of it this program
                                          * cannot check */
  GPtrArray *messages, *unjudged;        /* char *: failures (at most 100), and facts that were not judged, with reasons */
  GPtrArray *scope;                      /* char *: a line for each class of columns and for the lineage: the scope of the verdict, and
                                          * the facts that are only sealed */
} LsVerify;
/* Is what is recorded true? Executes every pass, the schedule, linearizing and rendering again, and compares the file with its seals. */
LsVerify *ls_trace_verify (LsTrace *trace);
const char *ls_sealed_name (LsSealed sealed);      /* "sealed", "unsealed", "broken" */
void      ls_verify_free  (LsVerify *verify);
extern const LsRecord ls_verify_answer;

/* --- blame ------------------------------------------------------------------------------------------------------------------------ */

/* What a node's origin is known to be. MAPPED: one program line; AMBIGUOUS: equal nodes of several lines are this one node; SYNTHETIC: a
 * constant that a rule or a stage made (with the lines of the replaced nodes); UNMAPPED: no program line. */
typedef enum { LS_BLAME_MAPPED, LS_BLAME_AMBIGUOUS, LS_BLAME_SYNTHETIC, LS_BLAME_UNMAPPED, LS_N_BLAME } LsBlameKind;
const char *ls_blame_kind_name (LsBlameKind kind);

/* The library to ask a recorded rule in, and its number there: the run's; for a recording that was read this program's own rule where
 * it is the same, word for word; else one of the rule's text, which matches and never runs. NULL when that does not parse. */
LsRuleLibrary *ls_asked_library (LsTrace *trace, guint rule, guint *index);

typedef struct { guint32 node; guint place; LsBlameKind kind; } LsBlameNode;      /* place: in the kernel's list, or G_MAXUINT */

/* One answer, from the generated text back to the program. */
typedef struct {
  LsTrace *trace;
  guint   kernel, line;        /* line 0: asked for a node */
  GArray *nodes;               /* LsBlameNode */
  GArray *origins;             /* LsOrigin: every link on the way, latest pass first, within a pass latest step first */
  GArray *ast;                 /* guint32: nodes of the kernel's graph before its first rewrite that the line computes */
  GArray *decisions;           /* guint: indices in trace->decisions of the kernel */
  GArray *program;             /* guint32: nodes of the program's graph */
  GArray *calls;               /* guint: the innermost calls that made them; parents follow in trace->calls */
  GArray *lines;               /* guint: program lines */
  guint   n_kind[LS_N_BLAME];  /* of nodes */
} LsBlame;

/* Where line (from 1) of a kernel's source comes from. LS_ERROR_USAGE when there is no such kernel or line. A line that shows no node
 * gives an answer without nodes. */
LsBlame *ls_blame_line (LsTrace *trace, guint kernel, guint line, GError **error);
/* Where the instruction at (or around) an address of a kernel's code comes from: the line that its compiler says it belongs to, then
 * as for that line. line is 0 and there are no nodes where it belongs to none. LS_ERROR_USAGE when there is no such kernel, no code,
 * no table of lines or no such address. */
LsBlame *ls_blame_instruction (LsTrace *trace, guint kernel, guint64 address, GError **error);
/* Where a node of the kernel's listing comes from. */
LsBlame *ls_blame_node (LsTrace *trace, guint kernel, guint32 node, GError **error);
/* Where a node of the graph after a step comes from, whether the kernel kept it or not. The kernel is the pass's, 0 at tensor level.
 * LS_ERROR_USAGE when there is no such node; one of another graph has no origins. */
LsBlame *ls_blame_in_pass (LsTrace *trace, const LsPass *pass, guint step, guint32 node, GError **error);
void     ls_blame_free (LsBlame *blame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsBlame, ls_blame_free)

/* The direct reason, a sentence a line: why the source has a variable for each node or inlines it ("alu0 is a variable because it is
 * used in a loop that it does not depend on; it depends on ridx0, so it is in that loop"), and where its constants come from ("28 is 7 ×
 * 4 (mul-mul-const, simplify#2/2); 4 is of the option UPCAST:0:4 (split-range, options/1)"). NULL where there is nothing to say. Free
 * with g_free. */
char    *ls_blame_reason (LsTrace *trace, const LsBlame *blame);

/* Of all nodes that a kernel's source shows, how many are of each kind. unmapped, when not NULL, gets their ids (guint32). */
void     ls_blame_coverage (LsTrace *trace, guint kernel, guint n_kind[LS_N_BLAME], GArray *unmapped);

/* Forward: the lines of generated source that descend from a program line, in kernel order. */
typedef struct { guint kernel, line; guint32 node; } LsDescendant;
GArray  *ls_blame_from (LsTrace *trace, guint program_line, GError **error);

/* The answer of blame, with the instruction of the question, or NULL. */
typedef struct {
  const LsBlame       *blame;
  const LsInstruction *instruction;
  GHashTable          *rows;                    /* ls_kernel_rows */
  GArray              *unmapped;                /* guint32: nodes of the whole kernel's source that are not mapped */
  guint                n_kernel[LS_N_BLAME];    /* of the whole kernel's source: ls_blame_coverage */
} LsBlameAnswer;
void     ls_blame_answer_init  (LsBlameAnswer *answer, const LsBlame *blame, const LsInstruction *instruction, LsStyle style);
void     ls_blame_answer_clear (LsBlameAnswer *answer);
typedef struct { LsTrace *trace; guint line; GArray *found; } LsBlameFrom;      /* LsDescendant */
extern const LsRecord ls_blame_answer, ls_blame_from_answer;      /* LsBlameAnswer, LsBlameFrom */
/* The rule of a link, NULL for a node that was rebuilt; and why there is a link if not for a rule. */
const char *ls_origin_rule   (LsTrace *trace, const LsOrigin *origin);
const char *ls_origin_reason (LsTrace *trace, const LsOrigin *origin);

/* --- why-not ---------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  LsTrace      *trace;     /* the question */
  const LsPass *pass;
  guint32       node;
  const char   *rule;
  gboolean fires;          /* it does match now */
  gboolean in_graph;       /* the node is in the graph at that step */
  char    *text;           /* sentences, one a line: how far the match got, and the reason */
  char    *stage;          /* "op", "dtype", "sources", "argument", "constant", "capture", "guard", "builder", "earlier-rule",
                            * "not-in-set", "not-tried", "not-judged", "fired", "fires" */
  GArray  *bindings;       /* LsBinding: the bindings when the longest attempt ended */
  guint    fired_step;     /* a step of this pass in which the rule fired on this node, or 0 */
  LsGraph *graph;          /* that holds the nodes of bindings, or NULL: they are recorded as they are */
} LsWhyNot;
/* Why rule did not fire on node in this pass. step: the graph after that step; G_MAXUINT: any time in the pass. LS_ERROR_USAGE for an
 * unknown rule or node. */
LsWhyNot *ls_why_not      (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *rule, GError **error);
void      ls_why_not_free (LsWhyNot *why);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsWhyNot, ls_why_not_free)
extern const LsRecord ls_why_not_answer;

/* How far a rule came at a node. */
/* Why two kernels are two. from is launched first. USE: to uses from's value, of which there are reasons; WAY: by way of other kernels
 * alone; APART: not at all; SCHEDULES: the program asked for values in between. */
typedef enum { LS_NOT_FUSED_USE, LS_NOT_FUSED_WAY, LS_NOT_FUSED_APART, LS_NOT_FUSED_SCHEDULES } LsNotFusedKind;
typedef struct {
  LsTrace        *trace;       /* borrowed, as the pass is */
  LsNotFusedKind  kind;
  guint           from, to;
  const LsPass   *schedule;    /* NULL: of SCHEDULES */
  GArray         *way;         /* guint: kernels in between, of WAY */
  LsApartness     apart;       /* of USE and APART: why one kernel does not store the values of both */
  char           *together;    /* the schedule= of a variant whose kernel does; NULL: none can */
  LsApartness     never;       /* then: why */
  /* of USE: */
  guint           step;        /* of the schedule: the decision that stored the value */
  guint32         node, user;
  guint32         reasons;     /* bits 1 << LsReason: all that hold, the decided one among them */
  gboolean        passed;      /* the decided one does not hold in the end: what it is about was stored later */
  guint           n_readers, n_inputs;      /* kernels that read the value; buffers that one kernel of both would read */
  gboolean        costs;
  LsDecisionCost  cost;        /* of one kernel */
} LsWhyNotFused;
LsWhyNotFused *ls_why_not_fused      (LsTrace *trace, guint a, guint b, GError **error);
void           ls_why_not_fused_free (LsWhyNotFused *why);
/* In sentences, a line each. Free with g_free. */
char          *ls_why_not_fused_text (const LsWhyNotFused *why, gboolean shown);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsWhyNotFused, ls_why_not_fused_free)
extern const LsRecord ls_why_not_fused_answer;

/* rule: index in trace->rules; rank: ls_why_not_rank; n_bound: what its pattern had bound */
typedef struct { guint32 node; guint rule, rank, n_bound; LsWhyNot *why; } LsNearest;
/* The nodes of a pass at which a rule came nearest to firing (node LS_NO_NODE), or the rules of a pass that came nearest at a node
 * (rule NULL): at most most, nearest first. Free with g_array_unref; errors as of ls_why_not. */
GArray   *ls_why_not_nearest (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *rule, guint most, GError **error);
/* Why there is none for a rule: a sentence (ir/sentence.h), free with g_free. */
char     *ls_why_not_no_node (LsTrace *trace, const LsPass *pass, const char *rule);
typedef struct { LsTrace *trace; const LsPass *pass; GArray *nearest; } LsNearestRules;
extern const LsRecord ls_nearest_rules_answer;
guint     ls_why_not_rank    (const char *stage);      /* the larger, the nearer to firing */
/* The nodes that a pass met, each once. Free with g_ptr_array_unref. */
GPtrArray *ls_pass_nodes     (LsTrace *trace, const LsPass *pass);

/* --- the rules of a visit --- */

/* The rules that the driver asked at visit k of a pass, from 0 (trace/visits.h), in order. It keeps no reference to the trace. in_context:
 * rules that need the context of the pass are asked in it, which takes milliseconds to make; else these are "builder-unknown". */
typedef struct _LsVisitAsked LsVisitAsked;
LsVisitAsked             *ls_visit_asked_new     (LsTrace *trace, const LsPass *pass, const LsVisits *visits, guint k,
                                                  gboolean in_context);
void                      ls_visit_asked_free    (LsVisitAsked *asked);
guint                     ls_visit_asked_n       (const LsVisitAsked *asked);
const LsVisitRule        *ls_visit_asked_rule    (const LsVisitAsked *asked, guint i);
/* How far rule i came; kept. NULL: it was rejected early, or this program cannot read it. */
const LsRuleExplanation  *ls_visit_asked_explain (LsVisitAsked *asked, guint i);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsVisitAsked, ls_visit_asked_free)

/* --- the rule of a step -------------------------------------------------------------------------------------------------------------- */

/* A recorded rule's two sides, or NULL when its text cannot be read by this program. */
LsRulePicture *ls_trace_rule_picture (LsTrace *trace, guint rule, gboolean result);
/* The guards of a step's rule with the values that they saw (LsGuardValue): they held, for the rule fired. NULL when the rule cannot
 * be read. Free with g_array_unref. */
GArray        *ls_step_guards        (LsTrace *trace, const LsPass *pass, guint step);

/* --- rule report ------------------------------------------------------------------------------------------------------------------- */

typedef struct { guint rule; guint passes; guint64 tries, hits, ns; } LsRuleTotal;
/* In one pass, a (first) made after of before, and b made before of after again. */
typedef struct { guint a, b; guint count; guint pass; guint step_a, step_b; guint32 node; } LsUndoPair;
/* LsRuleTotal, most time first; LsUndoPair, most frequent first */
typedef struct { LsTrace *trace; GArray *totals; GArray *undo; guint64 ns; } LsRuleReport;      /* ns: of all rules */
LsRuleReport *ls_rule_report      (LsTrace *trace);
/* The totals alone, of the passes of one kernel (0: tensor level) or of all (G_MAXUINT). Free with ls_rule_report_free. */
LsRuleReport *ls_rule_totals      (LsTrace *trace, guint kernel);
void          ls_rule_report_free (LsRuleReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRuleReport, ls_rule_report_free)
extern const LsRecord ls_rules_answer, ls_rule_total_answer;      /* LsRuleReport, LsRuleTotal */

/* The input of a run that had no effect (char *, a sentence each): added rules that never fired, with their closest match, rule files
 * without rules, and disabled rules that would not have fired. library: the run's, whose passes are recorded. Free with
 * g_ptr_array_unref. */
GPtrArray    *ls_rules_without_effect (LsTrace *trace, LsRuleLibrary *library, const char *const *files, const char *const *disabled);

/* --- bisect ------------------------------------------------------------------------------------------------------------------------ */

typedef struct { guint32 node; char *value; } LsAskInput;
extern const LsRecord ls_ask_input_answer;

/* A sample of a result that is too large to be interpreted completely: n of its elements, compared in every graph. kernel 0: tensor
 * level. */
typedef struct { guint kernel; guint64 n, of; } LsBisectSample;

typedef struct {
  LsTrace   *trace;
  char      *expected;         /* what differs from the expected outputs, a sentence, "" for nothing; NULL: none were given */
  gboolean   found;
  guint      kernel;
  gint       pass;             /* index in trace->passes, or -1: not a pass (schedule, compile, run) */
  const char *stage;           /* where: the pass's stage, "schedule", "run" */
  guint      step;             /* 0: the pass alone could be named */
  gint       rule;             /* -1: none */
  guint32    before, after;    /* nodes of the step, or LS_NO_NODE */
  char      *where;            /* element of the step's nodes, "(0, 3)", or NULL when the step itself could not be judged */
  char      *want, *got;       /* values of before and after there */
  GArray    *inputs;           /* LsAskInput: the step's sources there */
  guint64    element;          /* first element of the kernel's result that differs */
  char      *out_want, *out_got;
  guint      n_passes, n_steps, n_runs;   /* looked at; graphs evaluated */
  guint      n_judged, n_unjudged;        /* results of kernels and of passes over tensors: compared to their end, or not; with any of
                                           * these nothing says that all is right */
  GArray    *samples;          /* LsBisectSample: that nothing differs is said of these elements, and no others */
  GPtrArray *notes;            /* char *: what could not be judged, and why */
} LsBisect;

/* The first step that changed a result, judged against the interpretation of each kernel's graph before its first rewrite. */
LsBisect *ls_bisect      (LsTrace *trace, GError **error);
/* The same, after the recorded outputs were compared with those of a file as `run --json` prints it; NULL: none. LS_ERROR_FILE when it
 * cannot be read. */
LsBisect *ls_bisect_expecting (LsTrace *trace, const char *file, GError **error);
/* A step, a pass or an output is wrong. */
gboolean  ls_bisect_differs   (const LsBisect *bisect);
void      ls_bisect_free (LsBisect *bisect);
extern const LsRecord ls_bisect_answer;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsBisect, ls_bisect_free)

/* --- values ------------------------------------------------------------------------------------------------------------------------- */

/* Values as a picture: bins of whole rows and columns, each the mean of its values, or NaN or an infinity where it holds one. Values
 * that lie in one long row are wrapped. */
typedef struct {
  guint    rows, columns;
  guint64  row_length;         /* values in a row of the picture before binning */
  guint64  bin_rows, bin_columns;
  gboolean wrapped;
  double  *bins;               /* rows × columns */
} LsPicture;
#define LS_PICTURE_MOST_ROWS    64
#define LS_PICTURE_MOST_COLUMNS 128

/* of finite values; NaN where there are none */
typedef struct { double min, max, mean, std; guint64 n_zero, n_nan, n_inf; } LsStatistics;

typedef struct {
  LsPosition place;            /* the question */
  char    *find;               /* or NULL */
  guint32  node;
  LsDType  dtype;              /* of an element */
  char    *shape;              /* "(4, 6)", "i0 < 4, i1 < 6", "executed 24 times over i0 < 4, i1 < 6" */
  gboolean executed;           /* values are in order of execution: the node depends on an accumulator */
  gboolean sampled;            /* only some elements were computed: the n of n_all that at names. A search: of all nodes together; of
                                * a hit's, where there is one */
  guint64  n;                  /* 0 at a hit of an execution, which ends there */
  guint64  n_all;              /* sampled: how many there are */
  GArray  *text;               /* char *: the first values, row-major */
  GArray  *at;                 /* char *: executed: the loop counters at each of them, "i0=2, i1=5"; sampled: their indices */
  LsStatistics statistics;     /* of all values */
  LsPicture picture;
  /* a search's hit; node LS_NO_NODE: none */
  guint64  element;
  char    *where, *value;
  GArray  *inputs;             /* LsAskInput: the node's sources there */
  guint    n_searched;         /* nodes looked at */
  guint    n_unsearched;       /* nodes of which no sample could be computed */
  char    *notes;              /* notes on inputs that were recomputed, and on whether the result is the recorded one, a line each; NULL:
                                * none */
} LsValues;

/* The values of node in the graph after step (LS_NO_NODE: of no particular node). find: NULL, "nan", "inf", "nonfinite" (either), or a
 * comparison such as ">1e30": the first node in order of evaluation, and its first element, that satisfies it; with a node, only that
 * one is searched. At most max values are printed. Nodes that depend on an accumulator have a value each time they are executed; a
 * search in a graph with accumulators goes in order of execution. Where there are too many values to compute them all, a sample of them
 * is. LS_ERROR_USAGE for a node that is not there or a predicate that does not parse; LS_ERROR_RUN or LS_ERROR_SPEC when there are no
 * values. */
LsValues *ls_values      (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *find, guint max, GError **error);
void      ls_values_free (LsValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsValues, ls_values_free)
extern const LsRecord ls_values_answer, ls_values_find_answer;      /* without and with find */

/* --- origins of an element ----------------------------------------------------------------------------------------------------------- */

/* An element that another one was computed from: of memory, or a constant in the kernel (buffer -1). */
typedef enum { LS_ELEMENT_OF_KERNEL, LS_ELEMENT_OF_DATA, LS_ELEMENT_OF_CONSTANT, LS_ELEMENT_OF_UNKNOWN } LsElementSource;
extern const char *const ls_element_sources[];      /* "kernel", "data", "constant", "unknown" */
typedef struct {
  LsElementSource from;        /* a kernel wrote it, it is the program's data, or a constant; else nothing of it is recorded */
  gint64      buffer;
  guint64     element, uses;   /* its number; how often it is used in the expression of the other element */
  const char *name, *at;       /* the program's name of the tensor, or NULL; its indices, "1,2", "" of a scalar */
  const char *value;           /* as it was read, or NULL: not known */
  guint       kernel, line;    /* that wrote it, or 0; of the program, or 0: not known */
  guint32     node;            /* of a constant, else LS_NO_NODE */
} LsElementOrigin;
#define LS_ELEMENT_ORIGINS_MOST 4096
typedef struct {
  LsTrace        *trace;
  LsElementOrigin of;          /* the element itself */
  LsDType         dtype;
  const char     *shape;       /* of its tensor, "(2, 3)" */
  guint64         n;           /* how many origins there are */
  GArray         *origins;     /* LsElementOrigin: the first of them, by buffer and number, then constants */
  char           *notes;       /* as of LsValues */
  gint            pass;        /* index of a pass … */
  guint32         node;        /* … of whose graph this node has the element: of a kernel's result its input; LS_NO_NODE: none */
  guint64         number;      /* which element of that node it is */
  guint           reader;      /* the kernel that read the origins: what ls_read_element is asked about them */
  GStringChunk   *strings;     /* owns the texts above */
} LsElementOrigins;

/* The elements of memory and the constants that an element of a kernel's result was computed from (buffer: which of its results, the first
 * one if it is none of them), by the kernel's graph: those that a
 * mask hides, or a WHERE does not take, are not among them. Where contents of buffers are not known and cannot be recomputed, values are
 * NULL and both sides of a WHERE are listed. LS_ERROR_USAGE for a kernel or an element that is not there, LS_ERROR_RUN, LS_ERROR_SPEC or
 * LS_FAULT where it needs too many elements or has symbolic sizes. */
LsElementOrigins *ls_element_origins      (LsTrace *trace, guint kernel, guint buffer, guint64 element, guint max,
                                           GError **error);
/* The same of an element of a node with a shape, in the graph after a step; of a STORE its value's. */
LsElementOrigins *ls_node_element_origins (LsTrace *trace, const LsPass *pass, guint step, guint32 node, guint64 element, guint max,
                                           GError **error);
void              ls_element_origins_free (LsElementOrigins *origins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsElementOrigins, ls_element_origins_free)
extern const LsRecord ls_element_origins_answer, ls_element_origin_answer;
/* An element of a buffer as a kernel read it, without origins: where no kernel wrote it, it is the end of the way. */
LsElementOrigins *ls_read_element         (LsTrace *trace, guint kernel, guint buffer, guint64 element, GError **error);
/* The node whose elements a kernel stores as its first result, in the input of its first rewrite, which pass is. NULL: there is none. */
LsUOp            *ls_kernel_result        (LsTrace *trace, guint kernel, const LsPass **pass);
/* The contents of a buffer when a kernel read it. LS_ERROR_USAGE, LS_ERROR_RUN where they are not known. */
LsValues         *ls_buffer_values        (LsTrace *trace, guint kernel, guint buffer, guint max, GError **error);
/* "x[1,2]" or "buffer 3[1,2]", "" of a constant; where it is from, "kernel 2, line 3". In the reader's language; free with g_free. */
char             *ls_element_name_shown   (const LsElementOrigin *element);
char             *ls_element_source_shown (const LsElementOrigin *element);
/* Reads the number of an element of a kernel's result or of a node, "7", or its indices in the tensor, "1,2". FALSE with
 * LS_ERROR_USAGE. */
gboolean          ls_element_read         (LsTrace *trace, guint kernel, const char *text, guint *buffer, guint64 *element, GError **error);
gboolean          ls_element_read_of_node (LsTrace *trace, const LsPass *pass, guint step, guint32 node, const char *text, guint64 *element,
                                           GError **error);

/* A number in what the program printed: bytes [start, end) of trace->std_out. output: the index of the tensor that was read back
 * (trace->outputs) whose element it equals, or G_MAXUINT where none is found; then element is its number in that tensor and in buffer,
 * kernel the one that wrote it, 0: none, it is the program's data; and reader the first kernel that had not run when it was read. */
typedef struct { guint start, end, output, buffer, kernel, reader; guint64 element; } LsPrinted;
/* LsPrinted: the first 65,536 numbers of the text, in order. */
GArray           *ls_printed_numbers      (LsTrace *trace);
/* "element [1] of the tensor that line 4 read back"; in the reader's language, free with g_free. Of one that has an output. */
char             *ls_printed_name_shown   (LsTrace *trace, const LsPrinted *number);
/* What such an element was computed from. Errors as of ls_element_origins and ls_read_element. */
LsElementOrigins *ls_printed_origins      (LsTrace *trace, const LsPrinted *number, guint max, GError **error);

/* --- access -------------------------------------------------------------------------------------------------------------------------- */

#define LS_ACCESS_MOST   4096      /* points looked at */
#define LS_ACCESS_MASKED (-1)

typedef struct { char *name; gint64 size; } LsAccessAxis;      /* "i" */
/* Which elements of a buffer a node touches, in order. */
typedef struct {
  guint32  node, buffer;       /* buffer: the node whose elements are touched, or LS_NO_NODE */
  char    *shape;              /* of node, or NULL */
  GArray  *views;              /* char *: "shape (4, 6) · strides (6, 1) · offset 0 · contiguous", the first applied last */
  char    *index, *valid;      /* expressions over the axes; valid is NULL where every index is backed */
  GArray  *axes;               /* LsAccessAxis, outer first */
  guint64  n_elements;         /* of the buffer */
  guint64  row_length;         /* of its last axis, or 0 where it has no shape */
  guint64  n_points, every;    /* iterations of the axes that are not held; of how many one was looked at */
  GArray  *points;             /* gint64: element numbers, or LS_ACCESS_MASKED */
} LsAccess;
/* ctx, names: those of the node's graph. fixed: an index at which each of the first n_fixed axes is held, or -1; NULL: none is.
 * LS_ERROR_USAGE for a node that touches nothing through a view or an index, and where an index cannot be evaluated (it depends on
 * memory, or is a vector). */
LsAccess *ls_access      (LsContext *ctx, const LsNames *names, LsUOp *node, const gint64 *fixed, guint n_fixed, GError **error);
void      ls_access_free (LsAccess *access);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsAccess, ls_access_free)

/* --- in another recording ---------------------------------------------------------------------------------------------------- */

/* How much of a position another recording has. */
typedef enum { LS_POSITION_NOTHING, LS_POSITION_KERNEL, LS_POSITION_PASS, LS_POSITION_STEP } LsPositionFound;
LsPositionFound ls_position_corresponding (const LsPosition *from, LsTrace *to, LsPosition *out);
/* The number of the kernel in another recording that computes what a kernel of this one does: of the same graph, else of the same
 * line of the program; 0: there is none. */
guint  ls_kernel_corresponding   (LsTrace *trace, guint number, LsTrace *to);
/* The same of all kernels at once, by their numbers; [0] is 0. Free with g_free. */
guint *ls_kernels_corresponding (LsTrace *trace, LsTrace *to);
/* The line of the program that each kernel is of, by its number, or 0: not known, as in recordings of more than 2,000 kernels. Free with
 * g_free. */
guint *ls_kernel_lines          (LsTrace *trace);
/* What a kernel does, "transpose 512 × 512", as a sentence (ir/sentence.h). Free with g_free. */
char  *ls_kernel_words          (LsTrace *trace, const LsKernel *kernel);
/* Whether a kernel has the graph that another recording's one has, before its first rewrite. */
gboolean ls_kernel_same_graph (LsTrace *trace, guint number, LsTrace *other, guint its);

/* --- diff --------------------------------------------------------------------------------------------------------------------------- */

/* One difference. section: "program", "output", "kernels", "schedule", "rewrites", "options", "listing", "source", "compile", "run".
 * Kernels are 0 if a recording has none, or for a difference of the whole program. a and b are the two values, or NULL. */
typedef struct { const char *section; guint kernel_a, kernel_b; char *text, *a, *b; } LsDifference;
typedef struct { double median, low, high; guint n; } LsSpread;      /* nanoseconds */
/* Two kernels side by side; number 0: the other one has no partner. The rewrite logs part at pass and step (from 1; one past the
 * last: the log ends), pass -1: they do not. */
typedef struct {
  guint    a, b;
  gboolean same;               /* in everything but time */
  gint     pass_a, pass_b;
  guint    step_a, step_b;
  const char *rule_a, *rule_b; /* of the parting steps, or NULL */
  guint    n_steps_a, n_steps_b;
  LsSpread time_a, time_b;
} LsKernelPair;
typedef struct { LsTrace *a, *b; GArray *differences, *kernels; } LsTraceDiff;      /* LsDifference; LsKernelPair */
/* Nodes are the same when everything below them is: by content, as ids are each recording's own. */
LsTraceDiff *ls_trace_diff      (LsTrace *a, LsTrace *b);
/* One pair of kernels of two recordings, whatever they compute: where their rewrite logs part, and their times; same: the logs do not
 * part. where, NULL-able, is then left as it is, else free its texts. */
LsKernelPair ls_kernel_diff     (LsTrace *a, guint kernel_a, LsTrace *b, guint kernel_b, LsDifference *where);
/* Many pairs at once: a and b of each are given, the rest is filled. */
void         ls_kernels_diff    (LsTrace *a, LsTrace *b, guint n, LsKernelPair *pairs);
void         ls_trace_diff_free (LsTraceDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsTraceDiff, ls_trace_diff_free)
extern const LsRecord ls_trace_diff_answer, ls_kernel_pair_answer;      /* LsTraceDiff, LsKernelPair */
