/* A procedure's rows as data: what each instruction does, with which registers, and their text.
 *
 * A procedure is a flat list of rows. Its arguments come first, by number; then the body, where the rows of a loop or an if follow it
 * one level deeper. Every value has a virtual register, numbered from 0 in order of appearance; an accumulator is one register, set once
 * and assigned in the loop. procedure.c makes the rows, renderers walk them, a recording keeps them.
 */
#pragma once
#include "uop.h"

/*   NAME name text of the row: %d its destination, %t its dtype, %b its buffer, %n that one's size, %v its value, %u its bound, %m that
 *                               and the register that holds it, %o its op,
 *                               %0 … %2 a source, %s all of them, %l lanes, %x the row's own text; in braces what only a gate adds */
#define LS_PROC_TABLE(X) \
  X(TEXT,        "text",         "%x")                                   /* a row of a recording of schema 1, which has nothing else */ \
  X(OUTPUT,      "output",       "%b: %t*")                              /* an argument: a buffer that is written */ \
  X(INPUT,       "input",        "%b: const %t*")                        /* an argument: a buffer that is only read */ \
  X(VARIABLE,    "variable",     "%d: const %t = %b")                    /* an argument: an integer */ \
  X(LOCAL,       "local",        "local %b: %t[%n]")                     /* memory of a work group */ \
  X(REGISTERS,   "registers",    "registers %b: %t[%n]")                /* an array of them */ \
  X(CONST,       "const",        "%d: %t = %v") \
  X(COMPUTE,     "compute",      "%d: %t = %o(%s)%l") \
  X(LOAD,        "load",         "%d: %t = load %b[%0]{ if %1 else %2}") \
  X(STORE,       "store",        "store %b[%0] = %1{ if %2}") \
  X(LOOP,        "loop",         "loop %d = 0 … below %m")               /* %d: the counter; %0: the bound's register */ \
  X(IF,          "if",           "if %0") \
  X(ACCUMULATOR, "accumulator",  "accumulator %d: %t = %0") \
  X(ACCUMULATE,  "accumulate",   "%d = %0")                              /* %d: the accumulator */ \
  X(SPECIAL,     "special",      "%d: %t = %v below %u")                 /* a work item index */ \
  X(BARRIER,     "barrier",      "barrier")

typedef enum {
#define X(NAME, ...) LS_PROC_##NAME,
  LS_PROC_TABLE (X)
#undef X
  LS_N_PROC
} LsProcKind;

extern const char *const ls_proc_kind_names[LS_N_PROC + 1];      /* ends with NULL */

#define LS_NO_REGISTER G_MAXUINT32

/* One row. Its texts and integers belong to the context, to the trace, or are static. */
typedef struct {
  LsProcKind  kind;
  guint32     depth;      /* loops and ifs around it */
  guint32     node;       /* id of the UOp it shows; G_MAXUINT32: none */
  LsOp        op;         /* that UOp's; LS_N_OPS: not known */
  guint32     dest;       /* register written, or LS_NO_REGISTER */
  LsDType     dtype;      /* of dest, of the stored value, or of a buffer's pointer */
  LsArg       value;
  LsArg       sources;    /* LS_ARG_INTS: registers read; LS_ARG_NONE: none */
  const char *buffer;     /* of arguments, LOCAL, LOAD and STORE: "data1"; else NULL */
  gint64      bound;      /* LOOP, SPECIAL: dest stays below it; -1 elsewhere, or where only its register is known */
  const char *text;       /* TEXT */
} LsProcRow;

/* The number of leading rows that are arguments. */
guint ls_proc_n_args (const GArray *rows);
/* "r_4_8(data0: float*, data1: const float*)"; of rows that are only text it says so. Free with g_free. */
char *ls_proc_signature (const char *name, const GArray *rows);
/* "v3: float = load data1[v2]". Free with g_free. */
char *ls_proc_row_text (const LsProcRow *row);

/* From a linear list to the nested form that renderers walk. */
typedef struct {
  const char *name;      /* the kernel's; belongs to the caller */
  GArray     *rows;      /* LsProcRow */
} LsProcedure;

/* NULL and LS_ERROR_SPEC when loops and ifs do not nest. */
LsProcedure *ls_procedure_new  (LsContext *ctx, const char *name, guint n, LsUOp *const *list, GError **error);
void         ls_procedure_free (LsProcedure *procedure);
