/* Kernels of several recordings side by side: what they took and gave, and their options, rewrites, rows, source and machine code
 * line by line, against the first. */
#pragma once
#include "ask/ask.h"
#include "ask/line-diff.h"
#include "answer/read.h"

typedef enum { LS_BAND_SUMMARY, LS_BAND_OPTIONS, LS_BAND_DECISIONS, LS_BAND_REWRITES, LS_BAND_UOPS, LS_BAND_SOURCE, LS_BAND_CODE,
               LS_N_BANDS } LsBand;

typedef struct {
  LsBand  band;
  gboolean heading;
  char   *label;        /* "Median", "12" (a line of the first), or NULL */
  char  **text;         /* a column each; NULL: a gap */
  guint8 *state;        /* LsLineState of each */
  guint  *line;         /* the line of the source that each is of, or 0; NULL: it is of none */
  guint   prefix;       /* bytes of each text before its code: line and cycles */
} LsComparedRow;

/* Nanoseconds of one call. low, high: of all repeats of a recording; after a measurement in rounds the interval of the median. */
typedef struct {
  GArray *samples;      /* double */
  double  median, low, high;
  double  gflops, gbs;  /* of a measurement; 0: not known */
  int     verdict;      /* 1: surely faster than the first, -1: surely slower, 0: neither is known */
} LsComparedTimes;

/* What one core of the machine was measured to do: bandwidths from the first-level cache to main memory, GB/s, and peaks. gflops 0: it
 * was not. */
#define LS_N_ROOFS 4
typedef struct { double gbs[LS_N_ROOFS], gflops, fused_gflops; } LsMachineRoofs;

typedef struct {
  guint         n;
  LsMachineRoofs roofs;
  LsTrace     **traces;
  guint        *kernels;      /* their numbers; 0: there is none like it */
  LsKernelPair *pairs;        /* of each with the first; the first's own is empty */
  LsComparedTimes *times;     /* median 0: there are none */
  GPtrArray    *rows;         /* LsComparedRow */
  LsComparedRow *time, *ratio, *rate, *how, *result, *loop, *why, *next;      /* of the summary */
} LsCompared;

/* kernels: the number in each recording, or 0. rows: FALSE: only for ls_compared_question. */
LsCompared *ls_compared_new     (LsTrace *const *traces, guint n, const guint *kernels, gboolean rows);
void        ls_compared_free    (LsCompared *compared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsCompared, ls_compared_free)
/* Where the rewrite log of a column parts from the first's, there and in the first; FALSE: it does not, or there is no such kernel. */
gboolean    ls_compared_parting (const LsCompared *compared, guint column, LsPosition *first, LsPosition *there);
/* The arguments of lazyscope-cli compare to measure the columns against each other: its words, NULL at their end (free with g_strfreev),
 * the column of each variant in columns (guint), and the files' names. A column of another graph is its own recording's kernel; NULL:
 * the first one cannot be measured. also: what of each column's run its recording does not say (ls_run_options_variant), or NULL;
 * without the C file in it a kernel that was written by hand is not a variant, for no recording's text is run. seconds: how long at
 * most, NULL: as long as it takes by default. */
char      **ls_compared_question (LsCompared *compared, const char *const *also, const char *seconds, GArray *columns);
/* Replaces the data of the recordings by the answer. Returns the sentence about the measurement; free with g_free. */
char       *ls_compared_take     (LsCompared *compared, LsRow answer, const GArray *columns);
/* The first row of a band (its heading), or G_MAXUINT. */
guint       ls_compared_band    (const LsCompared *compared, LsBand band);
