/* Steps of the passes that are not rewrites: each adds, moves or removes one row of what the pass makes. They are views of facts that
 * a recording has (listings, procedures, expressions, machine code, times), so that older recordings have them too.
 *
 *   linearize                a row of the list
 *   procedure                a row of the list enters its loop
 *   passes over procedures   a row that the pass added, moved or removed
 *   render                   an expression of the renderer's table
 *   compile                  the command, each line of the compiler's message, the size
 *   run                      each argument, each launch
 *   search                   a candidate
 *   memory                   the place of a buffer
 */
#pragma once
#include "diff.h"

typedef struct {
  LsDiffKind  kind;      /* ADDED, REMOVED or MOVED */
  guint32     node;      /* whose row it is, or LS_NO_NODE */
  guint       row;       /* ADDED and MOVED: its number in the rows after the step */
  const char *reason;    /* that was recorded for it, or NULL */
} LsRowStep;

guint    ls_row_steps_n    (const LsPass *pass);
/* Step 1 … n. FALSE: there is no such step. */
gboolean ls_row_step       (const LsPass *pass, guint step, LsRowStep *out);
/* The list of UOps at that step (guint32 ids); NULL: the pass is about no list. Free with g_array_unref. */
GArray  *ls_row_steps_list (const LsPass *pass, guint step);

/* The memory plan places the largest buffers first: bytes that one takes there, and which of two LsTraceBuffer * is placed first. */
gint64   ls_planned_bytes   (const LsTraceBuffer *buffer);
int      ls_compare_planned (gconstpointer a, gconstpointer b);

/* In a diff of the pass's graph with itself, the nodes of the steps from + 1 … to are added: their rows are. */
void     ls_row_steps_mark (const LsPass *pass, guint from, guint to, LsGraphDiff *diff);

/* A step in words. name: in short, for lists. change: what the step did; why: its reason, without a full stop, or NULL. more: what else is
 * known of it, one line each, or NULL. */
typedef struct { char *name, *change, *why, *more; } LsRowWords;
/* The name alone; NULL: there is no such step. Free with g_free. */
char    *ls_row_step_name   (const LsPass *pass, guint step, gboolean shown);
/* FALSE: there is no such step. Clear with ls_row_words_clear. */
gboolean ls_row_step_words  (const LsPass *pass, guint step, gboolean shown, LsRowWords *out);
void     ls_row_words_clear (LsRowWords *words);
/* Does the step's row have all of these texts, which g_utf8_casefold has folded, in its name, its kind of change ("added"), the change and
 * the reason? whole: as whole words: "val0" is not in "val01". */
gboolean ls_row_step_says   (const LsPass *pass, guint step, gboolean shown, const char *const *folded, gboolean whole);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LsRowWords, ls_row_words_clear)
