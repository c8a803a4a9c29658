/* Steps of the passes that are not rewrites: each adds, moves or removes one row of what the pass makes. They are views of facts that
 * a recording has (listings, procedures, expressions, machine code, times), so that older recordings have them too.
 *
 *   linearize                a row of the list
 *   procedure                a row of the list enters its loop
 *   passes over procedures   a row that the pass added, moved or removed, or that takes the place of one
 *   render                   an expression of the renderer's table
 *   compile                  the command, each line of the compiler's message, the size
 *   run                      each argument, each launch
 *   search                   a candidate
 *   memory                   the place of a buffer
 *   schedule                 a decision about a value, or the turn of a kernel
 */
#pragma once
#include "diff.h"

#define LS_NO_ROW G_MAXUINT
typedef struct {
  LsDiffKind  kind;      /* ADDED, REMOVED, MOVED, CHANGED: it takes the place of one row; SAME: a decision that gives no memory */
  guint32     node;      /* whose row it is, or LS_NO_NODE */
  guint       row;       /* its place in the rows after the step; REMOVED: before it */
  const char *reason;    /* that was recorded for it, or NULL */
  guint32     other;     /* of passes over procedures, or LS_NO_NODE. ADDED: the old row that it is a copy of; CHANGED: whose
                          * place it takes; REMOVED: the row that has its value */
  guint       other_row; /* its place in the rows after the step, LS_NO_ROW: it is gone; CHANGED: before it */
  guint       n_copies;  /* REMOVED: new rows that were made of it */
} LsRowStep;

guint    ls_row_steps_n    (const LsPass *pass);
/* Step 1 … n. FALSE: there is no such step. */
gboolean ls_row_step       (const LsPass *pass, guint step, LsRowStep *out);
/* The list of UOps at that step (guint32 ids); NULL: the pass is about no list. Free with g_array_unref. */
GArray  *ls_row_steps_list (const LsPass *pass, guint step);

/* Rows that are gone by that step -> the rows that took their place (LsUOp *), which their readers read; NULL: no step takes one away.
 * Free with g_hash_table_unref. */
GHashTable *ls_row_steps_instead (const LsPass *pass, guint step);

/* The number of each row's node in the listing as it is printed, by node + 1, number + 1: a row has one number at all steps and in all
 * places, but while a pass over the procedure changes the list, whose rows are numbered as they are then. A node that the style of the
 * recording shows in other rows has none. NULL: the pass is about no list. Free with g_hash_table_unref. */
GHashTable *ls_row_steps_numbers (const LsPass *pass, guint step);

/* The memory plan places the largest buffers first: bytes that one takes there, and which of two LsTraceBuffer * is placed first. */
gint64   ls_planned_bytes   (const LsTraceBuffer *buffer);
int      ls_compare_planned (gconstpointer a, gconstpointer b);

/* What the other choice of a schedule's step would cost. FALSE: there is none. */
gboolean ls_schedule_step_cost (const LsPass *pass, guint step, LsDecisionCost *cost);
/* A node of the graph that a schedule is about, with its shape: "MUL [4,6]", "x (buffer 0) [4,6]". Free with g_free. */
char    *ls_schedule_node_text (const LsPass *pass, guint32 node, gboolean shown);
/* Adds lines that say where the program made such a node and its user (LS_NO_NODE: none), under those names; once if at one place. */
void     ls_schedule_say_places (const LsPass *pass, guint32 node, const char *name, guint32 user, const char *user_name, gboolean shown,
                                 GString *more);
/* A kernel of a schedule as a part of its graph. node: what it stores. title: "kernel 4: softmax > sum, line 9", its number, which calls
 * made what it stores, and where, as it is shown. */
typedef struct { guint32 node; char *title; } LsRegion;
/* kernels: LsRegion, in the order of launches. of_node: LsUOp * -> the place + 1 of the one that computes it; none: memory, or several. */
typedef struct { GArray *kernels; GHashTable *of_node; } LsRegions;
/* The kernels of the last schedule of the graph below that root, whose nodes (sources first) these are; or NULL. Kept with the trace. */
const LsRegions *ls_schedule_regions (LsTrace *trace, guint32 root, const GPtrArray *nodes);
/* The kernels that computed the nodes of a graph of the program's, in the order in which these need them: the trace is that of its stops.
 * A node that is of several kernels, or that nothing asked for, has none. Free with ls_regions_free. */
LsRegions *ls_program_regions  (LsTrace *trace, const GPtrArray *nodes);
void       ls_regions_free     (LsRegions *regions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRegions, ls_regions_free)
/* Is a node of the graph that a schedule is about in memory then? pass: an LsPass. */
gboolean ls_schedule_stored    (gpointer pass, const LsUOp *u);
/* The choices of a variant that a schedule was made with (LsOverride). Free with g_array_unref. */
GArray  *ls_schedule_overrides (const LsPass *pass);
/* The values that a schedule reads where earlier kernels stored them: nodes, each to itself. Free with g_hash_table_unref. */
GHashTable *ls_schedule_earlier (const LsPass *pass);
/* The decision of a schedule's step, or NULL; and the calls (guint) that made a node of the graph that a schedule is about, to be freed. */
const LsDecision *ls_schedule_step_decision (const LsPass *pass, guint step);
GArray           *ls_schedule_calls         (const LsPass *pass, guint32 node);

/* The root of the graph whose list it is by then; NULL: the pass is before, or is not about, a list that passes over procedures changed. */
LsUOp   *ls_row_steps_root (const LsPass *pass, guint step);
/* In a diff of the pass's graph with itself, the nodes of the steps from + 1 … to are added: their rows are. */
void     ls_row_steps_mark (const LsPass *pass, guint from, guint to, LsGraphDiff *diff);

/* A step in words. name: in short, for lists. change: what the step did; why: its reason, without a full stop, or NULL. more: what else is
 * known of it, one line each, or NULL. */
typedef struct { char *name, *change, *why, *more; } LsRowWords;
/* The name alone; NULL: there is no such step. Free with g_free. */
char    *ls_row_step_name   (const LsPass *pass, guint step, gboolean shown);
/* The reason alone; NULL: there is none. Free with g_free. */
char    *ls_row_step_why   (const LsPass *pass, guint step, gboolean shown);
/* FALSE: there is no such step. Clear with ls_row_words_clear. */
gboolean ls_row_step_words  (const LsPass *pass, guint step, gboolean shown, LsRowWords *out);
void     ls_row_words_clear (LsRowWords *words);
/* Does the step's row have all of these texts, which g_utf8_casefold has folded, in its name, its kind of change ("added"), the change and
 * the reason? whole: as whole words: "val0" is not in "val01". */
gboolean ls_row_step_says   (const LsPass *pass, guint step, gboolean shown, const char *const *folded, gboolean whole);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LsRowWords, ls_row_words_clear)
