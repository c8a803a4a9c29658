/* A list that is being written from another one: what the passes over procedures have in common.
 *
 * The rows of the new list stand in blocks, one for each loop or if that is open. A row that only computes goes to the end of the
 * outermost block in which all that it reads is known, so that equal rows are one, wherever they came from, and none is out of the
 * sight of who reads it. What has an effect stays where it is met: stores, accumulators, barriers, and loads of memory that the list
 * writes.
 */
#pragma once
#include "procedure-passes.h"

G_BEGIN_DECLS

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
} LsRows;

void       ls_rows_begin (LsRows *rows, LsContext *ctx, GPtrArray *list, GArray *changes);
/* The list; the SINK is over the stores that it has, and what only computes and nobody reads is left out. */
GPtrArray *ls_rows_end   (LsRows *rows);

/* What a row of the list has become, itself where nothing is known. */
LsUOp     *ls_rows_now   (LsRows *rows, LsUOp *u);
/* u over what its sources have become. */
LsUOp     *ls_rows_over  (LsRows *rows, LsUOp *u);
/* Puts v in the place of u, in its block. reason: why it is another one. */
void       ls_rows_place (LsRows *rows, LsUOp *u, LsUOp *v, const char *reason);
void       ls_rows_open  (LsRows *rows, LsUOp *opener);
void       ls_rows_close (LsRows *rows, LsUOp *end);
/* A row as it stands, over what its sources have become, with loops opened and closed. */
void       ls_rows_copy  (LsRows *rows, LsUOp *u, const char *reason);
/* Does it only compute: the same wherever it stands, as often as one likes? */
gboolean   ls_rows_is_pure (LsRows *rows, const LsUOp *u);

G_END_DECLS
