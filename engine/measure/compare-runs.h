/* Two runs of a program side by side, as a whole: kernels, bytes, memory, results, and the times of what differs. */
#pragma once
#include "answer/answer.h"
#include "ask/ask.h"
#include "compare.h"
#include "pipeline/variant.h"

/* The work of a run. stored, loaded: bytes of the buffers that its kernels write and read, each once a kernel; memory: bytes of the
 * memory plan of intermediate buffers; work: operations. */
typedef struct { guint n_kernels; gint64 stored, loaded, memory; double work; } LsRunWork;

/* A tensor that the program read: whether it is the same in both. */
typedef struct { guint line; LsEquality equality; LsApart apart; } LsRunOutput;

typedef struct {
  LsTrace   *traces[2];
  LsRunWork  work[2];
  GArray    *only[2];          /* guint: numbers of kernels that the other one has not */
  GArray    *outputs;          /* LsRunOutput */
  gboolean   same_text;        /* both printed the same, and read as many tensors */
  /* of the kernels in `only`, if they were timed */
  gboolean   timed;
  double     ns[2];            /* all of them, one call each */
  LsTimeRatio ratio;           /* the second one's by the first one's; NaN: too few rounds */
  guint      n_rounds;
  const char *compiler;
  char      *flags, *machine;
  char      *not_timed;        /* why not, if that was asked for; or NULL */
} LsRunsCompared;

/* how: their compiler and flags; seconds: to time for, 0: nothing is timed. The recordings must have their buffers' contents. Free with
 * ls_runs_compared_free. */
LsRunsCompared *ls_compare_runs         (LsTrace *a, LsTrace *b, const LsVariant *how, double seconds);
void            ls_runs_compared_free   (LsRunsCompared *compared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRunsCompared, ls_runs_compared_free)
/* Sentences. Free with g_free. */
char           *ls_runs_compared_text   (const LsRunsCompared *compared, gboolean shown);
extern const LsRecord ls_runs_compared_answer;
