/* The table of kernels × runs of the Compare workspace (measure/compare-table.h): the first run's kernels, those with the same code once,
 * next to the kernels of the other runs that correspond to them by graph or program line. */
#pragma once
#include "measure/compare-table.h"
#include "answer/read.h"

typedef struct {
  guint      n;             /* runs */
  LsTrace  **traces;
  char     **names;         /* of the runs in sentences, "k3:opt=UPCAST:0:4"; n + 1, NULL at the end */
  guint    **numbers;       /* of each run, by the number of the first one's kernel: its kernel, or 0 */
  GPtrArray *rows;          /* LsKernelRow, those whose code differs first, else in the order of launches */
  GPtrArray *compilers;     /* char *: of what was timed, "clang 14.0.6 -O2", each once */
  char      *machine;       /* that it was timed on, or NULL */
  GStringChunk *strings;
} LsComparedTable;

LsComparedTable *ls_compared_table_new  (LsTrace *const *traces, const char *const *names, guint n);
void             ls_compared_table_free (LsComparedTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsComparedTable, ls_compared_table_free)
/* The row of a kernel of the first run, which may use the code of an earlier one; or G_MAXUINT. */
guint            ls_compared_table_row  (const LsComparedTable *table, guint kernel);
/* Takes the answer of lazyscope-cli compare about a kernel; columns (guint): the run of each of its variants. */
void             ls_compared_table_take (LsComparedTable *table, guint kernel, LsRow answer, const GArray *columns);
/* Of what the runs were measured with: compiler and flags, machine, rounds, noise. Free with g_free; NULL: nothing was. */
char            *ls_compared_table_facts (const LsComparedTable *table);
/* Whether two kernels have the same text, for the same compiler with the same flags. */
gboolean         ls_compared_same_code  (const LsKernel *a, const LsKernel *b);
/* The options that are suggested for the fastest run's kernel, "k3:opt=UPCAST:0:16", and that run; NULL: none are. Free with g_free. */
char            *ls_compared_table_try  (const LsComparedTable *table, guint row, guint *run);
/* Texts of cells. Free with g_free. */
char            *ls_compared_table_title (const LsComparedTable *table, guint row);      /* "t · line 4" */
char            *ls_compared_table_kernel (const LsComparedTable *table, guint row);
char            *ls_compared_table_cell   (const LsComparedTable *table, guint row, guint run);
char            *ls_compared_table_verdict (const LsComparedTable *table, guint row);
