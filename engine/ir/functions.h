/* exp2, log2 and sin, as the engine means them: functions to call, and their rows to print (functions.def, which describes both). */
#pragma once
#include "dtype.h"
#include "op.h"

/* A value of a function: by name, from operands, which are names of earlier rows, "x", or numbers. */
typedef struct { LsDType dtype; const char *name; LsOp op; const char *src[3]; } LsFunctionRow;

typedef struct { const char *name; guint n; const guint64 *values; } LsFunctionTable;
#define LS_OP_TABLE LS_N_OPS      /* the op of a row that is element src[1] of the table src[0] */

typedef struct {
  const char          *name;       /* "exp2f": in texts "ls_exp2f" */
  LsOp                 op;
  LsDType              dtype;      /* of argument and result */
  double               bound;      /* of the error, in units in the last place */
  guint                n_rows;
  const LsFunctionRow *rows;       /* the last one is the result */
  const void          *call;       /* the function, compiled: float (*) (float) or double (*) (double) */
} LsFunction;

/* A new one where a result has other bits: a recording says which it means. */
#define LS_FUNCTIONS_VERSION "1"

extern const LsFunction ls_functions[];                  /* ends with a NULL name */
extern const LsFunctionTable ls_function_tables[];       /* ends with a NULL name */

float  ls_exp2f (float x);
float  ls_log2f (float x);
float  ls_sinf  (float x);
double ls_exp2  (double x);
double ls_log2  (double x);
double ls_sin   (double x);
