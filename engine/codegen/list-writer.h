/* A list that is written from another one: what the passes over procedures have in common.
 *
 * The rows of the new list are in blocks, one for each open loop or if. A row that only computes goes to the end of the outermost block
 * in which all that it reads is known, so that equal rows are one, wherever they came from, and none is out of the sight of who reads
 * it. Rows with an effect stay where they are: stores, accumulators, barriers, and loads of memory that the list writes.
 */
#pragma once
#include "procedure-passes.h"

typedef struct {
  LsContext  *ctx;
  GPtrArray  *list;        /* that is read; not ours */
  guint      *end;         /* by its row: of a RANGE or IF where it ends */
  GPtrArray  *blocks;      /* GPtrArray of rows: the function's, and of each open loop or if */
  GPtrArray  *openers;     /* RANGE or IF of each block but the first */
  GArray     *floors;      /* guint, of each block: the innermost if's, which nothing leaves */
  LsNodeMap  *map;         /* old row -> new row */
  LsNodeMap  *accs;        /* old DEFINE_ACC -> the new one; map has the value that it holds */
  LsNodeMap  *loops;       /* old RANGE -> the loop that is left of it, NULL: none; what names a loop without reading its counter
                            * names that */
  LsNodeMap  *placed;      /* new row -> depth of its block + 1 */
  LsNodeMap  *body;        /* new RANGE -> depth of its body */
  LsNodeMap  *written;     /* buffers that the list stores to */
  GArray     *changes;     /* LsRowChange, or NULL */
  guint       n_rows;
} LsListWriter;

void       ls_list_writer_begin (LsListWriter *w, LsContext *ctx, GPtrArray *list, GArray *changes);
/* The list; the SINK is over its stores, and values that nobody reads are removed. */
GPtrArray *ls_list_writer_end   (LsListWriter *w);

/* The replacement of a row of the list; the row itself if there is none. */
LsUOp     *ls_list_writer_now   (LsListWriter *w, LsUOp *u);
/* u over the replacements of its sources. */
LsUOp     *ls_list_writer_over  (LsListWriter *w, LsUOp *u);
/* Replaces u by v, in its block. reason: why it changed. */
void       ls_list_writer_place (LsListWriter *w, LsUOp *u, LsUOp *v, const char *reason);
void       ls_list_writer_open  (LsListWriter *w, LsUOp *opener);
void       ls_list_writer_close (LsListWriter *w, LsUOp *end);
/* A row over the replacements of its sources, with loops opened and closed. */
void       ls_list_writer_copy  (LsListWriter *w, LsUOp *u, const char *reason);
/* Does it only compute: the same wherever it stands, as often as one likes? */
gboolean   ls_list_writer_is_pure (LsListWriter *w, const LsUOp *u);
