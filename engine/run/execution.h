/* An execution to be read: what each row of a linear list did, kept or watched. */
#pragma once
#include "ir/eval.h"
#include "run.h"

/* A loop's counter, or that of a work item, by the place in the list of its RANGE or SPECIAL. */
typedef struct { guint32 place; gint64 value; } LsLoopTurn;

/* GATED: no gate was open, nothing was touched */
typedef enum { LS_ROW_NO_MEMORY, LS_ROW_READ, LS_ROW_WRITTEN, LS_ROW_GATED } LsRowMemory;

/* A cell of memory that a row touched: element of its buffer, and its contents before and after. */
typedef struct { gint64 element; LsScalar was, is; } LsCell;

/* One row as it was executed. Lists are in the LsExecution: from first_… as many as n_… or lanes says. */
typedef struct {
  guint64      step;           /* from 1 */
  guint32      place;          /* in the list */
  gboolean     has_value;
  LsDType      dtype;          /* of one lane of the value */
  guint        lanes, first_value;
  guint        n_turns, first_turn;      /* work items first, then loops, the outermost first */
  LsRowMemory  memory;
  gboolean     is_local;       /* local memory, by number */
  guint        buffer;         /* argument */
  LsDType      cell_dtype;
  guint        n_cells, first_cell;
  gboolean     jumps;          /* RANGE, IF: the block is skipped; ENDRANGE: one more iteration */
} LsExecutedRow;

typedef struct {
  GArray  *rows;               /* LsExecutedRow: those of the window, in order of execution */
  GArray  *values;             /* LsScalar */
  GArray  *turns;              /* LsLoopTurn */
  GArray  *cells;              /* LsCell */
  guint64  n_steps;            /* executed */
  gboolean ended;              /* the list was executed to its end; otherwise there are more steps, or error */
  GError  *error;              /* what stopped it (LS_FAULT, of the row at error_place), or NULL */
  guint32  error_place;
} LsExecution;

/* Executes the list up to step `to` and keeps the steps from..to (from 1, from <= to, at most LS_EXECUTION_MOST_ROWS). Buffers are
 * written to. NULL and LS_ERROR_RUN if the list cannot be executed, LS_FAULT for a fault without a row. */
#define LS_EXECUTION_MOST_ROWS 1000000
LsExecution *ls_execution_run  (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 from, guint64 to,
                                GError **error);
void         ls_execution_free (LsExecution *execution);

/* A row that has just been executed and gave a value: a LOAD, a STORE that stored (what it stored), an accumulator that was set,
 * arithmetic. */
typedef struct _LsExecutionAt LsExecutionAt;
/* FALSE ends the execution. */
typedef gboolean (*LsExecutionWatch) (const LsExecutionAt *at, gpointer data);
#define LS_ANY_PLACE G_MAXUINT32
/* Executes the list to its end, or to most_steps, and keeps nothing: watch is called after each execution of the row at place that
 * gave a value. The answer has no rows. */
LsExecution    *ls_execution_watch     (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 most_steps,
                                        guint32 place,
                                        LsExecutionWatch watch, gpointer data, GError **error);
guint32         ls_execution_at_place  (const LsExecutionAt *at);
const LsScalar *ls_execution_at_value  (const LsExecutionAt *at, guint *lanes);
/* Source k in that lane, as it was read; the source of an access is its index. FALSE where it has no value, or a later one by now. */
gboolean        ls_execution_at_source (const LsExecutionAt *at, guint k, guint lane, LsScalar *value);
/* The counters around the row, as in LsExecutedRow: appended to turns (LsLoopTurn). */
void            ls_execution_at_turns  (const LsExecutionAt *at, GArray *turns);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsExecution, ls_execution_free)
