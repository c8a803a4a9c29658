/* The renderer of LLVM's language: what its files pass around.
 *
 * llvm.c walks the procedure and writes lines; llvm-op.c writes the instructions of one row; llvm-text.c spells types and constants;
 * llvm-helpers.c has the functions for small floats and powers of integers.
 */
#pragma once
#include "render.h"

/* A virtual register of the procedure. */
typedef struct { char *text; LsDType dtype; guint row; } LsLlvmValue;      /* "%v3" or a constant; the row that gives it, from 0 */
typedef struct { char *text; LsUOp *node; } LsLlvmLine;                    /* node: or NULL */
/* Of a node of the list. */
typedef struct { guint line; char *made, *name; const char *why; char *inputs; } LsLlvmInfo;

typedef struct {
  const LsRenderJob *job;
  const GArray *rows;
  GArray       *values;        /* LsLlvmValue, by register */
  GHashTable   *buffers;       /* name -> row of the procedure that declares it */
  GArray       *lines;         /* LsLlvmLine: the function from its first line on */
  GArray       *shown;         /* LsRenderedLine */
  LsNodeMap    *places;        /* node -> its index in the list */
  LsLlvmInfo   *infos;         /* by index in the list */
  GStringChunk *texts;
  GHashTable   *needs;         /* declarations, and names of helpers */
  GArray       *open;          /* loops and ifs around the row */
  char         *label;         /* of the basic block that lines go to */
  guint         row;           /* that is being written */
  guint         n_parts;       /* intermediate values of that row */
  gboolean      failed;
  GError      **error;
} LsLlvm;

static inline const LsProcRow *ls_llvm_row (const LsLlvm *r, guint i) { return &g_array_index (r->rows, LsProcRow, i); }
static inline LsUOp *ls_llvm_node (const LsLlvm *r, guint i) { return ls_context_node (r->job->ctx, ls_llvm_row (r, i)->node); }

/* llvm.c */
void  ls_llvm_fail (LsLlvm *r, const LsUOp *u, const char *why);
/* Writes a line of the row, with the row as its debug line; it shows the row's node. The format's text without indentation. */
void  ls_llvm_line (LsLlvm *r, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same, for "%v3.1 = TEXT": gives the name of the new intermediate value, which lasts as long as the rendering. */
const char *ls_llvm_part (LsLlvm *r, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The text of source s of the row, and its dtype. Constants that the row reads are shown by its line. */
const char *ls_llvm_source (LsLlvm *r, guint s);
LsDType     ls_llvm_source_dtype (LsLlvm *r, guint s);
guint       ls_llvm_n_sources (const LsLlvm *r);
/* The row's register has this text, of a value that was written (made: the instruction) or of another value. */
void  ls_llvm_set (LsLlvm *r, const char *text, const char *made);
void  ls_llvm_need (LsLlvm *r, const char *text);
/* Keeps a text as long as the rendering; takes it. */
const char *ls_llvm_keep (LsLlvm *r, char *text);

/* llvm-op.c */
void  ls_llvm_compute (LsLlvm *r);
/* From and to the form that memory has: bool is a byte, a small float its bits. Each gives the text of the value. */
const char *ls_llvm_from_memory (LsLlvm *r, LsDType dtype, const char *value);
const char *ls_llvm_to_memory   (LsLlvm *r, LsDType dtype, const char *value);
/* The register's value as an i64 index. */
const char *ls_llvm_index (LsLlvm *r, guint s);

/* llvm-text.c */
const char *ls_llvm_type   (LsDType dtype);      /* of registers: "float", "<4 x i32>"; interned */
const char *ls_llvm_stored (LsDType dtype);      /* of memory */
char       *ls_llvm_const  (LsDType dtype, LsArg arg);
/* A number in each lane: "7", "<i32 7, i32 7>"; free with g_free. */
char       *ls_llvm_splat  (LsDType dtype, gint64 i);
char       *ls_llvm_splat_float (LsDType dtype, double f);

/* llvm-helpers.c: the definition of "ls_h2f", or NULL. */
const char *ls_llvm_helper (const char *name);
