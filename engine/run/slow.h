/* The interpreter in slow motion: a linear list executed row by row, with what each row did kept for people to read. */
#pragma once
#include "ir/eval.h"
#include "run.h"

G_BEGIN_DECLS

typedef enum { LS_SLOW_NO_MEMORY, LS_SLOW_READ, LS_SLOW_WRITTEN, LS_SLOW_GATED } LsSlowMemory;      /* GATED: the gate was closed, nothing was touched */

/* A loop's counter, or that of a work item, by the row of its RANGE or SPECIAL. */
typedef struct { guint32 row; gint64 value; } LsSlowLoop;

/* One row as it was executed. Lists are in the LsSlow: from first_… as many as n_… or lanes says. */
typedef struct {
  guint64      step;           /* from 1 */
  guint32      row;            /* in the list */
  gboolean     has_value;
  LsDType      dtype;          /* of one lane of the value */
  guint        lanes, first_value;
  guint        n_loops, first_loop;      /* work items first, then loops, the outermost first */
  LsSlowMemory memory;
  gboolean     is_local;       /* local memory, by number */
  guint        buffer;         /* argument */
  gint64       index;          /* first element touched */
  LsDType      cell_dtype;
  guint        n_cells, first_cell, first_was;      /* its contents after; WRITTEN: and before */
  gboolean     jumps;          /* RANGE, IF: the block is skipped; ENDRANGE: one more turn */
} LsSlowRow;

typedef struct {
  GArray  *rows;               /* LsSlowRow: those of the window, in order of execution */
  GArray  *values;             /* LsScalar */
  GArray  *loops;              /* LsSlowLoop */
  guint64  n_steps;            /* executed */
  gboolean ended;              /* the list was executed to its end; otherwise there are more steps, or error */
  char    *error;              /* what stopped it, or NULL */
} LsSlow;

/* Executes the list up to step `to` and keeps the steps from..to (from 1, from <= to, at most LS_SLOW_MOST_ROWS). Buffers are written to.
 * NULL and LS_ERROR_RUN when the list is none that can be executed. */
#define LS_SLOW_MOST_ROWS 1000000
LsSlow *ls_slow_run  (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 from, guint64 to, GError **error);
void    ls_slow_free (LsSlow *slow);

/* A row that has just been executed and gave a value: a LOAD, a STORE that stored (what it stored), an accumulator that was set, arithmetic. */
typedef struct _LsSlowAt LsSlowAt;
/* FALSE ends the execution. */
typedef gboolean (*LsSlowWatch) (const LsSlowAt *at, gpointer data);
#define LS_SLOW_ANY_ROW G_MAXUINT32
/* Executes the list to its end, or to most_steps, and keeps nothing: watch is called after each execution of row that gave a value. The answer has no rows. */
LsSlow *ls_slow_watch (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, guint64 most_steps, guint32 row, LsSlowWatch watch, gpointer data, GError **error);
guint32         ls_slow_at_row    (const LsSlowAt *at);
const LsScalar *ls_slow_at_value  (const LsSlowAt *at, guint *lanes);
/* Source k in that lane, as it was read; the source of an access is its index. FALSE where it has no value, or a later one by now. */
gboolean        ls_slow_at_source (const LsSlowAt *at, guint k, guint lane, LsScalar *value);
/* The counters around the row, as in LsSlowRow: appended to loops (LsSlowLoop). */
void            ls_slow_at_loops  (const LsSlowAt *at, GArray *loops);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsSlow, ls_slow_free)

G_END_DECLS
