/* Which of several kernels is faster: times of prepared kernels, interleaved, and verdicts on their ratios.
 *
 * Every round runs each of them once, in random order, a batch of calls after calls that are not timed. The ratio of two kernels is
 * the median of their ratios in the same round, so that what slows the machine for a while slows both; its interval is that of order
 * statistics, which assumes nothing of how times are spread (Hollander, Wolfe, "Nonparametric Statistical Methods", the sign test's
 * interval). It is looked at after 12, 24, 48, … rounds at 99.9 % each, so that looking often finds no differences that are not
 * there. A control, the first kernel again from other copies of its code, is timed as if it were another one: a difference counts as
 * far as it is larger than the control's.
 */
#pragma once
#include "run.h"

/* X (ID, name, sentence) */
#define LS_TIME_TABLE(X) \
  X (FIRST,   "first",            "the baseline of the comparison") \
  X (FASTER,  "faster",           "the interval of its ratio to the first is below 1") \
  X (SLOWER,  "slower",           "the interval of its ratio to the first is above 1") \
  X (AS_FAST, "as-fast",          "the interval of its ratio to the first is within 2 % of 1") \
  X (UNCLEAR, "unclear",          "the interval of its ratio to the first was not decisive within the time budget") \
  X (SAME,    "same-code",        "its machine code is the same as the first's") \
  X (AGAIN,   "again-only",       "it was timed with unchanged inputs only: it takes longer if inputs and result change between the " \
                                  "calls") \
  X (OTHER,   "other-result",     "its result differs from the first's, so its time is for different work") \
  X (BELOW,   "below-resolution", "both take little more than a call of an empty function") \
  X (FAILED,  "failed",           "it did not compile or run")
typedef enum {
#define X(id, name, sentence) LS_TIME_##id,
  LS_TIME_TABLE (X)
#undef X
  LS_N_TIMES
} LsTimeVerdict;
const char *ls_time_verdict_name     (LsTimeVerdict verdict);
const char *ls_time_verdict_sentence (LsTimeVerdict verdict);
/* "12.30 us", "-" for NaN. Free with g_free. */
char       *ls_time_text             (double ns);

/* A ratio of times with its interval, and its verdict beyond the control's noise. */
typedef struct { double ratio, low, high; LsTimeVerdict verdict; } LsTimeRatio;

/* The result for one kernel. Times are nanoseconds of one call. */
typedef struct {
  char          *error;            /* why it failed, or NULL */
  gboolean       dropped;          /* it was stopped at drop_above */
  LsLaunchResult built;            /* of its first launch: code, messages, version, time of compilation */
  guint          batch;            /* calls of a sample */
  double         first_ns;         /* of the call after the first one */
  GArray        *samples;          /* double: a round each, caches warm */
  GArray        *cold;             /* double: each call after its buffers were driven out of the caches */
  double         median, low, high, cold_median;      /* low, high: of the median of samples; each NaN where there are none */
  double         ratio, ratio_low, ratio_high;        /* its time by the first one's; NaN where there are too few rounds for an interval */
  GArray        *changing;         /* double: a round each, inputs changing from call to call; of those that were asked for */
  LsTimeRatio    changing_ratio;   /* by the first one's in the same rounds; NaN where there are none. low and high: the interval, or
                                    * of few rounds the least and the most */
  LsTimeVerdict  verdict;
} LsMeasured;

typedef struct {
  guint       n;
  LsMeasured *of;                  /* n, in the order they were given */
  LsMeasured  control;             /* the first one again */
  double      empty;               /* a call of a function that does nothing */
  guint       n_rounds;
  double      seconds;             /* taken in all, compilation too */
  guint32     seed;
} LsMeasurement;

typedef struct {
  double   seconds;                /* rounds are added for that long, for five times as long while there are fewer than 12 and that is
                                    * long enough for them; there are at least 3, or, where these do not fit into five times as long,
                                    * none and no times; 0: 4 */
  guint    most_rounds;            /* 0: 3000 */
  guint32  seed;                   /* of the order in rounds */
  gboolean even_same_code;         /* kernels of equal code are judged by their times, too (for tests of the judgement) */
  double   drop_above;             /* a kernel that takes that many times as long as the fastest is not timed in rounds: its median is
                                    * its first time; 0: all are */
  gboolean drop_by_first;          /* as long as the first one, in place of the fastest, which is never dropped then */
  gboolean brief;                  /* times alone are wanted: nothing of cold caches, and of ls_compare no reasons and no differences of
                                    * texts */
  guint    n_first;                /* kernels of a first group, against which the others are judged together; 0: each is judged against
                                    * the first one */
  gboolean no_control;             /* nor is the first one timed again */
  const double *known;             /* nanoseconds of one call of each, from before; NULL: not known. Kernels so long that there are no
                                    * rounds are not called, then */
  /* Called now and then; FALSE ends the rounds. NULL-able. */
  gboolean (*go_on) (gpointer data);
  gpointer data;
  /* Called before and after a sample of kernel k (n: of the control), in the first rounds and now and then later: what the call
   * leaves can be looked at. changing: inputs change between the calls; in the last one they are as they were. NULL-able. */
  void     (*before)  (guint k, gpointer data);
  void     (*after)   (guint k, gboolean changing, gpointer data);
  /* The memory of kernel k that is to change between calls in some last rounds (LsTouch, free with g_array_unref), or NULL: not of
   * this one. With it come kernels that may remember what they computed before. NULL-able. */
  GArray * (*touches) (guint k, gpointer data);
  gpointer look_data;              /* of these three */
  LsRunner *runner;                /* of ls_compare: it has no buffers, and its processes are kept for the next comparison; NULL: one of
                                    * its own */
} LsMeasureHow;

/* Times n kernels, n >= 1. Their repeats, batch, warm_ups, cold and copy are not looked at. One that fails is a result. Free with
 * ls_measurement_free. */
LsMeasurement *ls_measure          (LsRunner *runner, guint n, const LsLaunch *kernels, const LsMeasureHow *how);
void           ls_measurement_free (LsMeasurement *measurement);
/* The time of the kernels from `first` on, one call each, by that of those before, in the same rounds. NaN where one of them has no rounds,
 * or a side has no kernel. */
LsTimeRatio    ls_measurement_groups (const LsMeasurement *measurement, guint first);
/* The time of kernel k by that of another one, in the same rounds. The ratio is NaN where one of them has no rounds. */
LsTimeRatio    ls_measurement_ratio (const LsMeasurement *measurement, guint k, guint to);
/* Is the machine code of both the same? FALSE where one has none. */
gboolean       ls_measured_same_code (const LsMeasured *a, const LsMeasured *b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsMeasurement, ls_measurement_free)
/* The timed copies of kernel k's code (LsLaunch.copy): a launch of one calls the timed code, with its static memory. */
#define LS_MEASURE_COPIES 2
static inline guint ls_measure_copy (guint k, guint copy) { return 1 + LS_MEASURE_COPIES * k + copy; }

/* The interval of the median of n numbers in ascending order, by order statistics at 99.9 %. FALSE: n < 11 are too few for one. */
gboolean       ls_median_interval  (const double *sorted, guint n, double *low, double *high);
/* The median; sorts the numbers. NaN of none. */
double         ls_sort_median      (double *values, guint n);

/* "AMD EPYC, 2 cores, 32 MiB of last-level cache"; free with g_free. */
char *ls_machine_name (void);
/* "glibc 2.36": whose functions compiled kernels call. */
const char *ls_c_library (void);
