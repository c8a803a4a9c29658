/* The recording (LsTrace): everything the viewer, the command line and the tests read, and nothing else.
 *
 * A trace owns a context whose nodes it names by id, so that nodes print and evaluate in the same way during a run and after
 * reading a file. A rewrite pass is recorded as links: node -> node', each written once, with a rule or LS_LINK_REBUILD. The graph
 * at step k is the input root evaluated through the links up to that step's. Strings belong to the trace. Fields are public to read;
 * only engine/trace and the pipeline write them.
 */
#pragma once
#include "equality.h"
#include "graph.h"
#include "ir/code-line.h"
#include "ir/procedure.h"
#include "rewrite/recorder.h"
#include "rewrite/stage.h"
#include "schedule/schedule.h"
#include "settings.h"
#include "tensor/call.h"

#define LS_NO_NODE      G_MAXUINT32


typedef enum { LS_PASS_REWRITE, LS_PASS_MAP } LsPassKind;

typedef struct {
  struct _LsTrace *trace;     /* whose pass it is */
  guint         index;        /* in trace->passes */
  guint         kernel;       /* 0: tensor level */
  LsPassKind    kind;
  const char   *name;         /* "simplify", "simplify#2" */
  const char   *stage;        /* "simplify" */
  const char   *set;          /* rule sets, "" for map passes */
  LsRewriteMode mode;
  guint32       input, output;   /* root ids */
  guint64       ns;
  GArray       *links;        /* LsLink, in order of writing; empty for map passes */
  GArray       *steps;        /* guint32: the index in links of each step (links that are not rebuilds); step k is element k-1 */
  GArray       *stats;        /* LsRuleStat of the rules that were tried */
  GArray       *map;          /* LsMapEntry; empty for rewrites */
  GArray       *rows;         /* guint32: the list as the pass left it, of linearize and of passes over procedures where there are
                               * any; else empty */
  gint          parent;       /* the pass that this one is a part of, or -1 */
  guint         step;         /* of parent: the step that this pass is nested in; 0: of no step (an iteration of a rewrite that does
                               * not end), or no parent */
  guint         statement;    /* the row of the statement that asked for the rewrite; G_MAXUINT: none did, or before schema 11 */
  const char   *context;      /* the beginning of the text of the ctx that the program gave, a line; NULL: none, or before schema 11 */
  /* a pass that was recorded here lives in the context's arena, and so do its arrays: these are their heads */
  gboolean      in_arena;
  const char   *base;         /* its name without a number, while it is recorded */
  GArray        arena_links, arena_steps, arena_stats, arena_map, arena_rows;
} LsPass;

/* A recorded rule: its text is enough to match it again. */
typedef LsRule LsTraceRule;

/* A text that ran: the program (the first), a module of its own, or one of the library's. */
/* digest: what ls_trace_file_digest gave when it was met, or NULL */
typedef struct { const char *name, *text; gboolean library; const char *digest; } LsProgramFile;
/* A statement that ran. Each turn in which it called or bound something has a row; turn counts from 1. times: how often it ran in
 * all, in its last row. bound: how many bindings are of the row. */
typedef struct { guint line, end_line; const char *text; guint64 ns; guint file; guint64 turn, times; guint bound; } LsStatement;
/* A name that a statement bound to a tensor or UOp. base: what the tensor was a view of then, at the least itself (LS_NO_NODE: a UOp, or
 * not recorded); buffer: where the base stood, or G_MAXUINT. */
typedef struct { guint statement; const char *name; guint32 node, base; guint buffer; } LsNameBinding;

typedef struct {
  guint       id;
  LsDType     dtype;
  guint64     n_elements;
  const char *role;           /* "input", "output", "intermediate" */
  gint64      offset;         /* in the memory plan, bytes, or -1 */
  guint       first_use, last_use;  /* kernel numbers; 0: before the first */
  guint8     *data;           /* contents after the run, up to a size; or NULL */
  gsize       n_data;
  char       *digest;         /* of the whole contents, or NULL */
  double      min, max, mean; /* statistics, NaN when empty */
  guint64     n_nan, n_inf;
  guint       whole;          /* of a part, in the run that made it: 1 + the buffer whose memory it shares, from element start on; else 0 */
  guint64     start;
} LsTraceBuffer;

/* One line of generated source and the nodes it shows. */
typedef struct { guint32 line; guint32 node; } LsSourceLink;
/* An entry of the renderer's table for a node: its expression; inlined or assigned (to a variable, at a line), and why. row: index in
 * the listing. name: its text in users if it is a variable, "" if they repeat the expression. inputs: the expressions of its sources at
 * that time, a line each. asked: fields of the dialect that it depends on, separated by spaces. The last three are NULL in recordings
 * before schema 7. */
typedef struct { guint32 node; guint32 row; guint32 line; gboolean assigned; const char *expr, *why, *name, *inputs, *asked; } LsExpr;

/* A chosen option: by whom ("you", "search", "heuristic"), why ("" if there is no reason), and why the kernel refused it, or NULL.
 * sentence: why with its template and values apart (ir/sentence.h); NULL: it has no values, or before schema 10. */
typedef struct { const char *text, *chosen_by, *why, *refusal, *sentence; } LsKernelOption;
#define LS_BY_HAND "c="      /* the text of an option begins with it: a C file takes the place of the code */

/* A search for the options of a kernel; its candidates are the kernel's. With what it timed, how it ended (or why there was none), by
 * how much a kernel's time by its own parted from 1 in its last rounds (NaN: not known), and whether it is one of an earlier run,
 * from the cache. */
typedef struct {
  guint       kernel, width;
  gint        heuristic;      /* the candidate that is the heuristic's choice, or -1 */
  guint       n_compiled, n_rounds;
  const char *compiler, *compiler_version, *flags, *machine, *ended;
  double      seconds, noise;
  gboolean    cached;
} LsTraceSearch;

/* Options that a search looked at. verdict: of the last rounds, against the chosen one, or NULL; numbers that there are not are NaN. */
typedef struct {
#define F(name, type, ...) type name;
#include "candidate.def"
} LsCandidate;

typedef struct {
  guint       number;         /* from 1, in launch order */
  const char *name;           /* "r_64_64_64" */
  const char *target;
  const char *asked;          /* fields of the dialect that the function depends on outside of any row, separated by spaces; NULL if it
                               * uses an earlier kernel's code, and before schema 7 */
  const char *departs;        /* what of its text need not mean what its list means, as the profile writes it, "" for nothing; NULL as
                               * asked is, and before schema 8 */
  const char *compiler;       /* whose code and times these are, */
  const char *compiler_version, *flags;   /* its version, and its flags besides the fixed ones: "14.0.6", "-O2 -march=native" */
  const char *values_compiler; /* whose code computed the values */
  const char *facts;          /* what ls_trace_kernel_facts gave when it had run, or NULL */
  gint        same_as;        /* number of an earlier kernel with the same AST whose code is used again, or 0; in a run the two share
                               * the arrays of their text */
  guint32     ast;            /* root id of the kernel AST */
  guint32     final_root;     /* root id after decompose */
  const char *settings;       /* those that it was made with and that are not the run's, "NOOPT=1", or NULL */
  const char *options;        /* "UPCAST:0:4,UNROLL:0:4" */
  GArray     *choices;        /* LsKernelOption: those that were asked for, in order */
  GArray     *candidates;     /* LsCandidate: of its search, parents before their children */
  GArray     *listing;        /* guint32 node ids in order */
  GArray     *procedure;      /* LsProcRow */
  char       *source;
  GArray     *source_links;   /* LsSourceLink, by line */
  GArray     *exprs;          /* LsExpr, in listing order */
  char       *compile_message;   /* "" when the compiler was content */
  guint8     *code;           /* machine code, or NULL */
  gsize       n_code;
  guint64     code_address;
  GArray     *code_lines;     /* LsCodeLine by offset: which line of source the code came from; empty where none is known */
  char       *run_error;      /* NULL when it ran */
  double      compile_ms;
  GArray     *run_ns;         /* guint64 per repeat */
  double      flops, bytes;   /* arithmetic of floats and integers that is not an index, and bytes moved by one launch */
  GArray     *buffers;        /* guint: buffer ids in order of arguments */
  guint       n_outputs;      /* the kernel writes the first so many of them; 0 before schema 13: one */
  GArray     *passes;         /* guint: indices in trace->passes, in order */
  LsNames    *names;          /* ls_trace_names, made when they are asked for, */
  guint       named_after;    /* of so many passes, expressions and bindings */
} LsKernel;

/* How many buffers a kernel writes: the first ones of its arguments. */
static inline guint
ls_kernel_n_outputs (const LsKernel *k)
{
  return k ? MIN (MAX (k->n_outputs, 1), k->buffers->len) : 0;
}

/* The buffer that is the kernel's result of that number, or G_MAXUINT. */
static inline guint
ls_kernel_output (const LsKernel *k, guint i)
{
  return i < ls_kernel_n_outputs (k) ? g_array_index (k->buffers, guint, i) : G_MAXUINT;
}

/* Which of the kernel's results the buffer is, or -1. */
static inline gint
ls_kernel_output_number (const LsKernel *k, guint buffer)
{
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++)
    if (g_array_index (k->buffers, guint, i) == buffer)
      return (gint) i;
  return -1;
}

typedef struct { const char *stage; guint kernel; guint64 ns; } LsStageTime;
/* A printed or realized tensor of the program. buffer is G_MAXUINT where there are no elements. */
/* call: the innermost that was open, or G_MAXUINT */
typedef struct { guint line; guint32 node; guint buffer; guint n_dims; gint64 *dims; LsDType dtype; gboolean printed; guint call;
                 } LsOutput;

typedef struct _LsTrace {
  gint        ref_count;
  LsContext  *ctx;
  char       *path;           /* the file it was read from, or NULL */
  guint       schema;         /* of that file; 0: none */
  char       *program_name, *program_text, *std_out;
  char       *error;          /* of a run that failed: the whole message, or NULL */
  guint       error_line, error_column;
  gboolean    complete;       /* FALSE in a recording of a process that was killed */
  gboolean    frees_aside;    /* who gives up the last reference must not wait: a large recording takes half a second to free, and
                               * that is left to a thread of its own */
  GPtrArray  *passes;         /* LsPass */
  guint       n_derived;      /* of them were not in the file: they are made of its facts when it is read */
  GPtrArray  *kernels;        /* LsKernel */
  GPtrArray  *rules;          /* LsTraceRule; while recording those of library */
  LsRuleLibrary *library;     /* the rules of this run, or NULL in a recording that was read */
  GPtrArray  *matchers;       /* LsRuleLibrary of each rule, made from its text when it is asked for */
  GArray     *files;          /* LsProgramFile */
  GArray     *statements;     /* LsStatement */
  GArray     *bindings;       /* LsNameBinding */
  GArray     *calls;          /* LsCall */
  GArray     *node_calls;     /* LsNodeCall */
  GHashTable *last_numbers;   /* name without a number -> the number of the tensor level's last pass of that name */
  struct _LsTraceRecorder *recorder;      /* see ls_trace_recorder; NULL until it is asked for */
  GArray     *decisions;      /* LsDecision */
  GPtrArray  *buffers;        /* LsTraceBuffer, by id */
  GArray     *outputs;        /* LsOutput */
  GArray     *searches;       /* LsTraceSearch */
  GArray     *stage_times;    /* LsStageTime, every stage of every kernel (kernel 0: program, tensor, schedule) */
  GPtrArray  *settings;       /* char *: "NAME=VALUE" */
  guint       n_copies;
  char       *machine;        /* that kernels ran on (ls_machine_name), or NULL */
  char       *row_counts;     /* "calls 53, bindings 4": rows of each table, written when the run has ended, or NULL */
  char       *c_library;      /* that they called (ls_c_library), or NULL */
  char       *functions;      /* which exp2, log2 and sin of the engine are meant (LS_FUNCTIONS_VERSION); NULL: the C library's, as before
                               * schema 13 */
  guint64     record_ns;      /* measured cost of recording, 0 when not measured */
  GStringChunk *strings;      /* owns the const strings above */
  struct _LsTrace *of;        /* the recording whose strings and nodes these are, too, or NULL */
} LsTrace;

LsTrace *ls_trace_new   (LsContext *ctx);
/* Sets the recorded setting of that number as it is meant there: where functions is NULL, TRANSCENDENTAL is 0. FALSE and LS_ERROR_USAGE:
 * it is unknown. */
gboolean ls_trace_take_setting (const LsTrace *trace, guint i, LsSettings *settings, GError **error);
LsTrace *ls_trace_ref   (LsTrace *trace);
void     ls_trace_unref (LsTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsTrace, ls_trace_unref)
const char *ls_trace_string (LsTrace *trace, const char *text);      /* interned in the trace */
LsKernel   *ls_trace_kernel (LsTrace *trace, guint number);          /* or NULL */
/* The tensor node that is a kernel's result of that number, or LS_NO_NODE. */
guint32 ls_kernel_value (const LsTrace *trace, const LsKernel *kernel, guint output);
/* The only one, or a SINK of all. */
guint32 ls_kernel_values (const LsTrace *trace, const LsKernel *kernel);

/* What the loops of a kernel are called in its graphs, and by its text where that must call them otherwise, and its buffers by the
 * program: of a kernel that uses an earlier one's code by the tensors of this launch. The kernel's, until more is recorded. NULL: there
 * is no such kernel. */
LsNames    *ls_trace_names  (LsTrace *trace, guint kernel);
/* The name that the program bound first to a tensor whose value the buffer holds, or NULL: there is none. */
const LsNameBinding *ls_trace_buffer_name (LsTrace *trace, guint buffer);
/* "softmax.py:5": where a statement bound it; NULL: not recorded. Free with g_free. */
char       *ls_trace_binding_place (LsTrace *trace, const LsNameBinding *binding);
/* Is a pass being recorded? Then passes that are nested in it may yet be dropped. */
gboolean    ls_trace_is_open (const LsTrace *trace);
/* The pass of that kernel with that name ("simplify#2"), or NULL. */
LsPass     *ls_trace_pass   (LsTrace *trace, guint kernel, const char *name);

/* The recorder of rewrites of that kernel (0: of the tensor graph); the trace's own. A pass that is begun while another one is open
 * is its child. */
LsRecorder     *ls_trace_recorder (LsTrace *trace, guint kernel);
/* The pass that was ended last. */
LsPass         *ls_trace_last_pass (LsTrace *trace);
/* Whether it was recorded before schema 10: its sentences, and lines of rule files below them, are those of an older wording. */
static inline gboolean ls_trace_has_old_words (const LsTrace *trace) { return trace->schema && trace->schema < 11; }
/* The purpose of the pass: its stage's sentence, or the statement whose graph it is. "" for a stage of another version. */
const char     *ls_pass_sentence (const LsPass *pass);
/* The stage of a pass; of one that a term nested its parent's. NULL: there is no such stage now. */
const LsStageInfo *ls_pass_stage (const LsPass *pass);
/* "line 3: y = x + 2" for a pass that is the graph of a statement's names, "" for any other. */
const char     *ls_pass_statement (const LsPass *pass);
/* A pass for each stop of `of` (trace/statements.h), from the graph of its names before it to the one after it; tensors that a statement
 * made without a name are added until the next. every: FALSE: for stops that bound names alone, as in older recordings. */
void            ls_trace_add_statement_graphs (LsTrace *to, const LsTrace *of, gboolean every);
/* These passes of any recording as one of their own, with its texts, names and calls; `of` is kept as long as it. */
LsTrace        *ls_trace_statements (LsTrace *of);
/* A pass that is not a rewrite. */
LsPass         *ls_trace_add_map_pass (LsTrace *trace, guint kernel, const char *stage, LsUOp *input, LsUOp *output, guint64 ns);
/* The passes compile (unless its code is another kernel's) and run of a kernel that has run, and memory of a run that has ended. */
void            ls_trace_add_launch_passes (LsTrace *trace, const LsKernel *kernel);
void            ls_trace_add_memory_pass   (LsTrace *trace);
/* The last graph of a kernel's code, or with kernel NULL of the tensor level: what those passes are about. NULL: there is none. */
LsUOp          *ls_trace_last_graph        (LsTrace *trace, const LsKernel *kernel);
/* The map of a pass, to be added to. */
GArray *ls_pass_map (LsPass *pass);
/* The rows of a pass, to be added to. */
GArray *ls_pass_rows (LsPass *pass);

/* The rules of the run: library, or one made of it by ls_rule_library_extend. */
void ls_trace_set_library (LsTrace *trace, LsRuleLibrary *library);
/* The library that holds a recorded rule, and its number there: the run's, or one made of the rule's text, which matches and never
 * runs. NULL when the text does not parse. */
LsRuleLibrary *ls_trace_rule_library (LsTrace *trace, guint rule, guint *index);

/* A digest of a file's name and text; in the trace's strings. */
const char *ls_trace_file_digest  (LsTrace *trace, const LsProgramFile *file);
/* A digest of the settings, and of facts about a kernel that cannot be derived: its compilers with version, flags and message, and why
 * it did not run. In the trace's strings. */
const char *ls_trace_kernel_facts (LsTrace *trace, const LsKernel *kernel);
/* Whose code and times a kernel's are: "clang 14.0.6 -O2 -march=native". Free with g_free. */
char *ls_kernel_compiler_label (const LsKernel *kernel);
/* The file whose function took the place of the kernel's code, as it was named; NULL: the code is as it was rendered. */
const char *ls_kernel_by_hand (const LsKernel *kernel);
/* A kernel that uses an earlier one's code shares its listing, procedure, source and renderer's table. */
void ls_kernel_share_text (LsKernel *kernel, const LsKernel *earlier);
/* Smallest, largest and mean value of a buffer's contents (n_elements of dtype), and how many are NaN or infinite. */
void ls_trace_buffer_measure (LsTraceBuffer *buffer, const void *data);

/* Replay. */
/* How many steps a pass of any kind has; and how many of them are rewrites, with a link each: all or none. */
guint    ls_pass_n_steps (const LsPass *pass);
guint    ls_pass_n_rewrites (const LsPass *pass);
/* The graph after step k; 0 is the input, n_steps the output; of a pass that is not a rewrite always its output. NULL in a recording
 * that cannot be replayed. */
LsGraph *ls_pass_graph   (LsTrace *trace, const LsPass *pass, guint step);
/* Which node is which between two steps of a pass, from < to: of names at "to" the names at "from", where they are not the same. Free
 * with g_hash_table_unref. */
GHashTable *ls_pass_identities (LsTrace *trace, const LsPass *pass, guint from, guint to);
/* The link of step k (1..n) in a rewrite pass. */
const LsLink *ls_pass_step_link (const LsPass *pass, guint step);

typedef enum { LS_DIFF_SAME, LS_DIFF_ADDED, LS_DIFF_REMOVED, LS_DIFF_CHANGED, LS_DIFF_MOVED, LS_N_DIFF } LsDiffKind;
/* One node of the union of two graphs: node in the one after, before in the one before; of a REMOVED one both are the one before. SAME:
 * the same with all that is below it, though it may have got another name. CHANGED: node after replaces before (its lineage), with other
 * sources or fields; rebuilt: the same over nodes that continue the same, which is drawn as no change. MOVED: node is before, the same
 * over the same sources, but with other users: a consumer that is in both graphs, the same except for its sources, uses it in one of
 * them only. Consumers that were added or removed do not count, nor does the very node that the step rewrote; constants are never moved,
 * since equal ones are one node. The relation is symmetric: turning the diff round leaves the same nodes moved. */
/* other: node and before are not equal */
typedef struct { LsUOp *node; LsUOp *before; LsDiffKind kind; gboolean other, rebuilt; } LsDiffNode;
typedef struct {
  gint    ref_count;
  LsGraph *before, *after;
  GArray *nodes;               /* LsDiffNode: nodes of after in post-order, then the removed ones of before */
  guint   n_added, n_removed, n_changed, n_moved, n_same;
  guint   n_rebuilt;      /* of n_changed */
  guint   n_ambiguous;         /* nodes that were matched by more than lineage, and could as well have been matched with another (diff.h) */
  LsUOp  *matched, *result;    /* of the step's link in the two graphs; NULL between distant steps */
} LsGraphDiff;
/* The step's change: graph at step-1 against graph at step. */
LsGraphDiff *ls_pass_diff_step  (LsTrace *trace, const LsPass *pass, guint step);
LsGraphDiff *ls_graph_diff_ref   (LsGraphDiff *diff);
void         ls_graph_diff_unref (LsGraphDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsGraphDiff, ls_graph_diff_unref)
/* The nodes that the step's result added, its root first; at most max. How many they are. */
guint ls_step_made (LsTrace *trace, const LsPass *pass, guint step, LsUOp **nodes, guint max);
/* One sentence, in English: what changed, by which rule, why it was allowed, how many nodes. Free with g_free. */
char *ls_step_sentence (LsTrace *trace, const LsPass *pass, guint step);
/* The same in the reader's language (ir/sentence.h), with the step's diff at hand; NULL: without numbers. */
char *ls_step_sentence_shown (LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *diff);
/* "3 added, 2 removed, 1 changed, 40 unchanged", in the reader's language. Free with g_free. */
char *ls_diff_counts_shown (const LsGraphDiff *diff);
/* The option of the kernel that the pass carries out, "UPCAST:0:4", or NULL. Free with g_free. */
char *ls_pass_option (LsTrace *trace, const LsPass *pass);
/* Who chose it, and why; NULL where that was not recorded. */
const LsKernelOption *ls_pass_choice (LsTrace *trace, const LsPass *pass);
/* The bindings of the step's rule at its match: matches the recorded rule text again. */
guint ls_step_bindings (LsTrace *trace, const LsPass *pass, guint step, LsBinding *bindings, guint max);

/* On disk: one SQLite file. Every id, count and blob is checked on reading; errors are LS_ERROR_FILE and name table and row. */
typedef struct _LsTraceWriter LsTraceWriter;
/* Writes as the program runs: each flush, when a pass, kernel or the program is finished, is one transaction, and readers see it whole. */
LsTraceWriter *ls_trace_writer_new   (LsTrace *trace, const char *path, GError **error);
gboolean       ls_trace_writer_flush (LsTraceWriter *writer, GError **error);
/* In the child of a fork, which must not touch the file any more: the file stays locked by the parent alone. */
void           ls_trace_writer_forked (LsTraceWriter *writer);
gboolean       ls_trace_writer_finish (LsTraceWriter *writer, GError **error);      /* flushes, marks complete, frees */
/* In any thread, also while the recording is looked at: that changes nothing in it. */
gboolean       ls_trace_save         (LsTrace *trace, const char *path, GError **error);
LsTrace       *ls_trace_load         (const char *path, GError **error);

/* The table of steps in the recording's file, which readers take from the links, agrees with the links; a recording without a file has
 * no such table. FALSE with LS_ERROR_FILE: which step differs, or the file cannot be read any more. */
gboolean  ls_trace_check_steps (LsTrace *trace, GError **error);
/* Whether the recording's file matches its writer's seals. UNSEALED: it has no seals (it is older, or of another tool), or no file.
 * n_flushes: their number. changes (char *): later edits, by table and, for a single row, its number; or why the seals cannot be
 * followed. */
typedef enum { LS_SEALED, LS_UNSEALED, LS_SEAL_BROKEN } LsSealed;
LsSealed  ls_trace_check_seals (LsTrace *trace, guint64 *n_flushes, GPtrArray *changes);
/* How many columns of recordings, and how many values of this one, are of a class of columns (LsColumnClass): 1 derived, 2 doubled, 3
 * witness. n_unknown: buffers with only a digest in the recording that could not be compared; their columns count as witnesses. */
/* "calls 53, bindings 4": how many rows each table of the recording has. Free with g_free. */
char     *ls_trace_row_counts  (const LsTrace *trace);
void      ls_trace_count_class (LsTrace *trace, guint column_class, guint n_unknown, guint *n_columns, guint64 *n_values);
/* NULL when two recordings say the same (times aside), else what differs first. Free with g_free. */
char     *ls_trace_compare (LsTrace *a, LsTrace *b);

/* Where a node comes from (ls_lineage_walk): one link of the way back from it to the program. */
/* made: what came of node there. For a map pass, step is an index in its map */
typedef struct { guint pass; guint32 node; gint rule; guint step; guint32 made; } LsOrigin;
/* Program lines (from 1) that the node of that pass descends from, ascending, each once; empty: not mapped. Free with g_array_unref. */
GArray *ls_trace_program_lines (LsTrace *trace, const LsPass *pass, LsUOp *node);
/* The same for many nodes, one after the other: what they share is looked up once. Asked with a pass for nodes of its graph, with
 * NULL for nodes of the kernel's listing. */
typedef struct _LsProgramIndex LsProgramIndex;
LsProgramIndex *ls_program_index_new   (LsTrace *trace);
void            ls_program_index_free  (LsProgramIndex *index);
GArray         *ls_program_index_lines (LsProgramIndex *index, const LsPass *pass, const LsKernel *kernel, guint32 node);
/* The innermost calls (guint, indices in trace->calls, each once) whose nodes that node descends from. Free with g_array_unref. */
GArray         *ls_program_index_calls (LsProgramIndex *index, const LsPass *pass, const LsKernel *kernel, guint32 node);
/* The last line that what a kernel stores descends from, or 0. */
guint           ls_program_index_kernel_line (LsProgramIndex *index, const LsKernel *kernel);
/* The program lines of calls, ascending, each once. Free with g_array_unref. */
GArray         *ls_trace_lines_of_calls (LsTrace *trace, const GArray *calls);
/* A line of a text, from 1, without its indentation. Free with g_free. */
char           *ls_source_line (const char *text, guint line);
/* The call and its parents, "softmax > _softmax > max". Free with g_free. */
char           *ls_call_path   (LsTrace *trace, guint call);
