/* A table of kernels × runs: what comparisons of several kernels say together, in numbers and sentences.
 *
 * The command line fills it from comparisons (compare.h), the window from their answers and, before anything is measured, from
 * recordings: both have the same sentences. A run is faster or slower only if its verdict says so and its ratio lies outside the interval
 * of the A/A control, in which the first run is timed against itself.
 */
#pragma once
#include "answer/answer.h"
#include "run/measure.h"
#include "trace/equality.h"
#include "trace/trace.h"

typedef struct LsComparison LsComparison;      /* compare.h */

/* A run's cell in the row of a kernel. Its texts are owned by the comparison or answer that it was filled from. */
typedef struct {
  gboolean      absent;        /* the run has no such kernel */
  gboolean      same_text;     /* its source, compiler and flags are the first run's */
  gboolean      timed;
  LsTimeVerdict verdict;       /* of timed ones */
  double        ns, low, high;      /* median of a call and its interval */
  double        ratio, ratio_low, ratio_high;      /* its time by the first run's */
  double        behind_low;    /* the lower end of its time by that of the fastest run; NaN: not known */
  LsEquality    equality;      /* LS_EQUAL_NONE: not known */
  guint64       max_ulp;
  const char   *error, *why, *next, *try;      /* why it failed; what bounds its time; what to try, and
                                                    * the options for it (next-step.h); or NULL */
} LsRunCell;

/* A row. */
typedef struct {
  guint        kernel, line, n_launches;      /* line: of the program, 0: not known; launches: of its code, by all kernels that use it */
  char        *name;           /* of the tensor that it stores, or NULL */
  char        *words;          /* ls_kernel_words */
  double       bytes;
  guint        n;
  LsRunCell   *cells;          /* n, the first run's first */
  double       control, control_low, control_high;      /* the first run by itself; NaN: not known */
  guint        n_rounds;
  char        *differs;        /* what differs first between the first run and the first one that differs, or NULL */
} LsKernelRow;

LsKernelRow *ls_kernel_row_new  (guint n);      /* of n runs, of which nothing is known */
void           ls_kernel_row_free (LsKernelRow *kernel);
/* What a recording says of a kernel; lines: ls_kernel_lines. */
void           ls_kernel_row_describe (LsKernelRow *row, LsTrace *trace, guint kernel, const guint *lines);
/* Fills the cells from a comparison, which owns their texts. where: the index of each variant's run. Runs without a variant are absent. */
void           ls_kernel_row_take (LsKernelRow *kernel, const LsComparison *comparison, const guint *where);
/* Whether a run's code differs from the first one's. */
gboolean       ls_kernel_row_differs (const LsKernelRow *kernel);
gboolean       ls_kernel_row_is_timed (const LsKernelRow *kernel);
/* 1: surely faster than the first run, -1: surely slower, 0: neither, or the control does not allow to say so. */
int            ls_kernel_row_is  (const LsKernelRow *kernel, guint run);
/* The run that is surely faster than the first and has the least ratio, or 0. */
guint          ls_kernel_row_fastest  (const LsKernelRow *kernel);
/* "t (line 4)", "line 4", "kernel 3". Free with g_free. */
char          *ls_kernel_row_title (const LsKernelRow *kernel);
/* "UPCAST:0:4" of a run that is called "k3:opt=UPCAST:0:4" at its kernel 3; other names stay. Free with g_free. */
char          *ls_kernel_row_run_name (const char *name, guint kernel);
/* The verdict on one kernel, and on all: sentences (char *, ir/sentence.h), the most important first. names: of the runs. Free with
 * g_ptr_array_unref. */
GPtrArray     *ls_kernel_row_verdict (const LsKernelRow *kernel, const char *const *names);
GPtrArray     *ls_kernel_rows_verdict        (const LsKernelRow *const *kernels, guint n, const char *const *names);
/* Sentences in one line, in English or in the reader's language. Free with g_free. */
char          *ls_kernel_rows_text (const GPtrArray *sentences, gboolean shown);

/* The name of a run without options. */
extern const char ls_as_it_is[];

/* The answer of the command line without a kernel. */
typedef struct {
  guint       n_runs;
  char      **names;           /* n_runs + 1, NULL at the end */
  GPtrArray  *kernels;         /* LsKernelRow, one for each code */
  GPtrArray  *comparisons;     /* LsComparison, one for each */
} LsCompareTable;
LsCompareTable *ls_compare_table_new  (guint n_runs, const char *const *names);
void            ls_compare_table_free (LsCompareTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsCompareTable, ls_compare_table_free)
extern const LsRecord ls_compare_table_answer;      /* answer->data is the table */
