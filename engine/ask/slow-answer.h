/* A kernel executed row by row (run --slow), as rows of an answer. */
#pragma once
#include "answer/answer.h"
#include "run/execution.h"
#include "trace/trace.h"

/* The printed data: the execution, and the names of its rows. */
typedef struct {
  const LsKernel    *kernel;
  LsExecution       *x;
  LsUOp *const      *uops;
  const LsNames     *names;        /* of loops */
  GHashTable        *numbers;      /* of rows, by node */
  const char        *notes;        /* about its inputs and its result, lines; or "" */
  gboolean           backwards;
} LsSlowRun;

/* data of this answer is also the LsSlowRun. */
extern const LsRecord ls_slow_answer;

gint                 ls_slow_row_number (const LsSlowRun *p, guint32 place);      /* of the listing, or -1 */
const LsCell        *ls_slow_cells      (const LsSlowRun *p, const LsExecutedRow *row);
/* "i", or "i·ridx0" where the source names it otherwise. Free with g_free. */
char                *ls_slow_loop_name  (const LsSlowRun *p, guint place);
const LsExecutedRow *ls_slow_row        (const LsSlowRun *p, guint i);            /* in the order in which they are shown */
