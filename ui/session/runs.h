/* LsRuns: the runs and opened recordings of a window, each with its options, until it is closed. One of them is the one that is shown. */
#pragma once
#include "run-options.h"
#include "trace/trace.h"
#include <gio/gio.h>

#include "answer/read.h"

typedef struct {
  guint         number;       /* from 1, in the order in which they were made; never used again */
  LsRunOptions *options;
  LsTrace      *trace;
  char         *text;         /* the program as it ran */
  char         *std_out;
  char         *folder;       /* where its recording lies, removed with the run, or NULL */
  char         *file;         /* a recording that was opened, or NULL */
  gboolean      edited;       /* text was not saved */
  gboolean      typed;        /* it ran in a pause in typing: the next such run takes its place */
} LsRun;

/* The answer of lazyscope-cli compare about some runs, their numbers the first's first, one for each of its variants. */
typedef struct {
  guint      kernel;      /* its number in the first one */
  GArray    *runs;        /* guint */
  LsReading *answer;      /* ls_compare_answer */
} LsMeasuredRuns;

void        ls_run_free      (LsRun *run);
LsMeasuredRuns *ls_measured_runs_new  (guint kernel, const guint *runs, guint n, LsReading *answer);
void        ls_measured_runs_free (LsMeasuredRuns *measured);

#define LS_TYPE_RUNS (ls_runs_get_type ())
G_DECLARE_FINAL_TYPE (LsRuns, ls_runs, LS, RUNS, GObject)

/* Signal "changed": other runs, or another one shown. */
LsRuns *ls_runs_new     (void);
guint   ls_runs_n       (LsRuns *self);
LsRun  *ls_runs_get     (LsRuns *self, guint i);
/* The one that is shown, or NULL: there is none. */
LsRun  *ls_runs_current (LsRuns *self);
guint   ls_runs_current_index (LsRuns *self);
/* Replaces the run of the same text and options by this one, or one that was typed by another one; else adds a run. Takes all of run
 * but its number; run is then the shown one. */
void    ls_runs_take    (LsRuns *self, const LsRun *run);
void    ls_runs_show    (LsRuns *self, guint i);
void    ls_runs_close   (LsRuns *self, guint i);
void    ls_runs_clear   (LsRuns *self);
/* The place of the run of that number, or G_MAXUINT. */
guint   ls_runs_index   (LsRuns *self, guint number);
/* Stores a measurement, which it takes, instead of an earlier one of that kernel with the same first run; it is removed with
 * any of its runs. */
void    ls_runs_take_measured (LsRuns *self, LsMeasuredRuns *measured);
const GPtrArray *ls_runs_measured (LsRuns *self);      /* LsMeasuredRuns */
/* "1: as it is", "2: NOOPT=1", "3: line 5 edited · clang": by its changes against the first one. Free with g_free. */
char   *ls_runs_name    (LsRuns *self, guint i);
/* The same without its number. Free with g_free. */
char   *ls_runs_words   (LsRuns *self, guint i);
