/* Timing kernels against each other. See measure.h. */
#include "measure.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_NS    200000.0    /* wanted of a batch: long against reading the clock and starting, short against a time slice */
#define LONG_NS      50e6        /* kernels above it are not called before each sample, nor from other copies: their first calls
                                  * hardly count */
#define MEDIUM_NS    2e6         /* where one is above it there is no first round that is dropped, and COLD_LONG cold ones */
#define LEAST_ROUNDS 3           /* fewer say nothing */
#define LONGEST      5           /* times the budget: the maximum for rounds that are otherwise too few */
#define EARLY_NS     5e6         /* a first call below it says nothing of those that follow */
#define MOST_BATCH   (1u << 20)
#define FIRST_LOOK   12          /* rounds */
#define COLD_ROUNDS  9
#define COLD_LONG    3
#define LOOK_EACH    16          /* rounds, after the first ones: the results of calls are checked in one of N */
#define CHANGING     24          /* rounds with memory that changes */
#define MUCH         0.1         /* of the first one's time: an increase by more than this is not noise */
#define NEAR         0.02
#define COPIES       LS_MEASURE_COPIES      /* copies of each kernel's code; rounds take one at random: the address of code changes times
                                             * by up to 3 %, measured as a kernel against itself */
#define SECONDS      4.0

static const struct { const char *name, *sentence; } verdicts[LS_N_TIMES] = {
#define X(id, name, sentence) { name, sentence },
  LS_TIME_TABLE (X)
#undef X
};

const char *ls_time_verdict_name     (LsTimeVerdict verdict) { return verdicts[verdict].name; }
const char *ls_time_verdict_sentence (LsTimeVerdict verdict) { return verdicts[verdict].sentence; }

char *
ls_time_text (double ns)
{
  return isnan (ns) ? g_strdup ("-") : ns < 1e3 ? g_strdup_printf ("%.1f ns", ns) : ns < 1e6 ? g_strdup_printf ("%.2f us", ns / 1e3)
                                                                                             : g_strdup_printf ("%.2f ms", ns / 1e6);
}

/* --- numbers --- */

static int
ascending (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

double
ls_sort_median (double *values, guint n)
{
  if (n == 0)
    return NAN;
  qsort (values, n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The largest k with P(Binomial(n, 1/2) < k) <= 0.0005: k may be left out at either end. */
static guint
left_out (guint n)
{
  double log_half = -(double) n * G_LN2, term = log_half, sum = 0;
  guint k = 0;
  for (; k < n / 2; k++) {
    sum += exp (term);
    if (sum > 0.0005)
      break;
    term += log ((double) (n - k)) - log ((double) (k + 1));
  }
  return k;
}

gboolean
ls_median_interval (const double *sorted, guint n, double *low, double *high)
{
  guint k = left_out (n);
  if (k == 0)
    return FALSE;
  *low = sorted[k - 1];
  *high = sorted[n - k];
  return TRUE;
}

/* --- launches --- */

typedef struct {
  LsRunner           *runner;
  const LsMeasureHow *how;
  LsMeasurement      *m;
  LsLaunch           *launch;      /* n, then the control's */
  double              long_ns;     /* LONG_NS; where a rough time is enough (no_control) MEDIUM_NS */
  gboolean            is_long;     /* none is called before its samples: the same for all, or the one called before would be faster */
  gint64              deadline, extra;      /* µs; extra until there are enough rounds for an interval */
} Job;

static LsMeasured *
measured (const Job *job, guint k)
{
  return k < job->m->n ? &job->m->of[k] : &job->m->control;
}

static void
fail (LsMeasured *x, const GError *error)
{
  g_free (x->error);
  x->error = g_strdup (error->message);
  x->verdict = LS_TIME_FAILED;
}

/* One timed run: nanoseconds a call, or a negative number when it failed. */
static double
sample (Job *job, guint k, guint copy, guint batch, guint warm_ups, gboolean cold)
{
  LsMeasured *x = measured (job, k);
  LsLaunch launch = job->launch[k];
  LsLaunchResult result;
  g_autoptr (GError) error = NULL;
  launch.repeats = 1;
  launch.batch = batch;
  launch.warm_ups = warm_ups;
  launch.cold = cold;
  launch.copy = ls_measure_copy (k, copy);
  gboolean ok = ls_runner_launch (job->runner, &launch, &result, &error);
  double ns = ok && result.n_runs ? (double) result.run_ns[0] / batch : -1;
  if (!ok)
    fail (x, error);
  if (!x->built.version) {
    x->built = result;
    return ns;
  }
  ls_launch_result_clear (&result);
  return ns;
}

static void
begin_one (Job *job, guint k)
{
  LsMeasured *x = measured (job, k);
  x->samples = g_array_new (FALSE, FALSE, sizeof (double));
  x->cold = g_array_new (FALSE, FALSE, sizeof (double));
  x->changing = g_array_new (FALSE, FALSE, sizeof (double));
  x->changing_ratio = (LsTimeRatio) { NAN, NAN, NAN, LS_TIME_UNCLEAR };
  x->batch = 1;
  x->ratio = x->ratio_low = x->ratio_high = NAN;
  x->verdict = k == 0 ? LS_TIME_FIRST : LS_TIME_UNCLEAR;
}

/* Compiles it and finds how many calls make a sample. If the first call of a kernel, possibly with cold caches, takes twice the time
 * that would have it dropped, it is not called again. */
static void
prepare (Job *job, guint k, double *best)
{
  LsMeasured *x = measured (job, k);
  double ns = 0;
  const double *known = k < job->m->n && k > 0 && job->how->drop_by_first ? job->how->known : NULL;
  if (known && known[k] > EARLY_NS && known[k] > 2 * job->how->drop_above * known[0]) {
    x->first_ns = known[k];
    x->dropped = TRUE;
    return;
  }
  if (job->how->drop_above > 0) {
    ns = x->first_ns = sample (job, k, 0, 1, 0, FALSE);
    x->dropped = ns > EARLY_NS && ns > 2 * job->how->drop_above * *best && !(k % job->m->n == 0 && job->how->drop_by_first);
    if (x->dropped)
      return;
  }
  ns = ns < 0 ? ns : sample (job, k, 0, 1, 0, FALSE);
  if (ns > job->long_ns) {
    x->first_ns = ns;
    *best = MIN (*best, ns);
    return;
  }
  ns = ns < 0 ? ns : sample (job, k, 0, 1, 1, FALSE);
  for (guint copy = 1; copy < COPIES && ns >= 0; copy++)
    ns = sample (job, k, copy, 1, 1, FALSE);
  x->first_ns = ns;
  for (guint turn = 0; turn < 4 && ns >= 0 && ns * x->batch < SAMPLE_NS / 2 && x->batch < MOST_BATCH; turn++) {
    x->batch = (guint) CLAMP (SAMPLE_NS / MAX (ns, 0.2), 1, MOST_BATCH);
    ns = sample (job, k, 0, x->batch, 0, FALSE);
    x->first_ns = ns >= 0 ? MIN (x->first_ns, ns) : x->first_ns;
  }
  if (ns >= 0)
    *best = MIN (*best, x->first_ns);
}

static double
empty_call (Job *job)
{
  const LsLaunch *first = &job->launch[0];
  g_autoptr (GString) source = g_string_new ("void ls_nothing (");
  for (guint k = 0; k < first->n_buffers; k++)
    g_string_append_printf (source, "%svoid *a%u", k ? ", " : "", k);
  g_string_append (source, ") { }\n");
  LsLaunch launch = { .compiler = "tcc", .name = "ls_nothing", .source = source->str, .n_buffers = first->n_buffers,
                      .buffers = first->buffers, .beside_llvm = first->beside_llvm, .repeats = 5, .batch = 20000, .timeout_ms = 1000 };
  LsLaunchResult result;
  double best = 0;
  if (ls_runner_launch (job->runner, &launch, &result, NULL))
    for (guint k = 0; k < result.n_runs; k++)
      best = k == 0 ? (double) result.run_ns[0] : MIN (best, (double) result.run_ns[k]);
  ls_launch_result_clear (&result);
  return best / 20000;
}

/* --- rounds --- */

static void
shuffle (GRand *rand, guint *order, guint n)
{
  for (guint i = 0; i < n; i++)
    order[i] = i;
  for (guint i = n; i > 1; i--) {
    guint k = (guint) g_rand_int_range (rand, 0, (gint32) i), t = order[i - 1];
    order[i - 1] = order[k];
    order[k] = t;
  }
}

/* The number of untimed calls before a sample of that length. */
static guint
warm_ups (const Job *job, guint batch)
{
  return job->is_long ? 0 : MAX (1, batch / 8);
}

/* Every one that has not failed, once. Who fails now has no sample of this round, and is out of those that come. */
static void
one_round (Job *job, GRand *rand, gboolean cold)
{
  guint n = job->m->n + 1;
  g_autofree guint *order = g_new (guint, n);
  shuffle (rand, order, n);
  for (guint i = 0; i < n; i++) {
    LsMeasured *x = measured (job, order[i]);
    if (x->error || x->dropped)
      continue;
    gboolean looks = !cold && (job->m->n_rounds < FIRST_LOOK || job->m->n_rounds % LOOK_EACH == 0);
    if (looks && job->how->before)
      job->how->before (order[i], job->how->look_data);
    double ns = sample (job, order[i], x->first_ns > job->long_ns ? 0 : (guint) g_rand_int_range (rand, 0, COPIES), cold ? 1 : x->batch,
                        cold ? 0 : warm_ups (job, x->batch), cold);
    if (ns >= 0 && looks && job->how->after)
      job->how->after (order[i], FALSE, job->how->look_data);
    if (ns >= 0)
      g_array_append_val (cold ? x->cold : x->samples, ns);
  }
}

gboolean
ls_measured_same_code (const LsMeasured *a, const LsMeasured *b)
{
  return a && b && a->built.n_code > 0 && a->built.n_code == b->built.n_code && memcmp (a->built.code, b->built.code, a->built.n_code) == 0;
}

/* The median of n ratios of rounds, which it sorts, and the verdict beyond the noise. */
static LsTimeRatio
judge_ratios (double *ratios, guint n, double noise)
{
  LsTimeRatio out = { NAN, NAN, NAN, LS_TIME_UNCLEAR };
  out.ratio = ls_sort_median (ratios, n);
  if (!ls_median_interval (ratios, n, &out.low, &out.high))
    out.low = out.high = NAN;
  else if (out.low >= 1 - NEAR && out.high <= 1 + NEAR)
    out.verdict = LS_TIME_AS_FAST;
  else if (out.high < 1 - noise && out.ratio < 1 - noise - NEAR)      /* a ratio in the middle of "as fast" may still turn out so */
    out.verdict = LS_TIME_FASTER;
  else if (out.low > 1 + noise && out.ratio > 1 + noise + NEAR)
    out.verdict = LS_TIME_SLOWER;
  return out;
}

/* The ratio of two, and its verdict beyond the noise. */
static LsTimeRatio
ratio_of (const LsMeasured *x, const LsMeasured *to, double noise, gboolean even_same_code)
{
  guint n = MIN (x->samples->len, to->samples->len);
  g_autofree double *ratios = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    ratios[i] = g_array_index (x->samples, double, i) / g_array_index (to->samples, double, i);
  LsTimeRatio out = judge_ratios (ratios, n, noise);
  if (ls_measured_same_code (x, to) && !even_same_code)
    out.verdict = LS_TIME_SAME;
  return out;
}

static double
noise_of (const LsMeasurement *m)
{
  return isnan (m->control.ratio) ? 0 : fabs (m->control.ratio - 1);
}

/* The ratio to the first, next to the control's. */
static void
judge (Job *job, LsMeasured *x)
{
  const LsMeasured *first = &job->m->of[0];
  if (x->error || first->error || x == first || x->dropped || first->dropped)
    return;
  LsTimeRatio r = ratio_of (x, first, x == &job->m->control ? 0 : noise_of (job->m), job->how->even_same_code);
  const LsMeasured *control = &job->m->control;
  gboolean decided = r.verdict == LS_TIME_FASTER || r.verdict == LS_TIME_SLOWER;
  /* the control may be as far from 1 as this ratio is: more rounds narrow both intervals */
  if (decided && x != control && r.ratio >= control->ratio_low && r.ratio <= control->ratio_high)
    r.verdict = LS_TIME_UNCLEAR;
  x->ratio = r.ratio;
  x->ratio_low = r.low;
  x->ratio_high = r.high;
  x->verdict = r.verdict;
}

LsTimeRatio
ls_measurement_ratio (const LsMeasurement *m, guint k, guint to)
{
  const LsMeasured *x = &m->of[k], *y = &m->of[to];
  if (k == to)
    return (LsTimeRatio) { 1, 1, 1, LS_TIME_FIRST };
  if (x->error || y->error || x->samples->len == 0 || y->samples->len == 0)
    return (LsTimeRatio) { NAN, NAN, NAN, x->error || y->error ? LS_TIME_FAILED : LS_TIME_UNCLEAR };
  LsTimeRatio r = ratio_of (x, y, noise_of (m), FALSE);
  if (r.verdict != LS_TIME_SAME && MAX (x->median, y->median) < 2 * m->empty)
    r.verdict = LS_TIME_BELOW;
  return r;
}

LsTimeRatio
ls_measurement_groups (const LsMeasurement *m, guint first)
{
  double ns = 0;
  guint n = first == 0 || first >= m->n ? 0 : G_MAXUINT;
  for (guint k = 0; k < m->n; k++) {
    n = m->of[k].error || m->of[k].dropped ? 0 : MIN (n, m->of[k].samples->len);
    ns += m->of[k].median;
  }
  g_autofree double *ratios = g_new (double, n + 1);
  for (guint i = 0; i < n; i++) {
    double sum[2] = { 0, 0 };
    for (guint k = 0; k < m->n; k++)
      sum[k >= first] += g_array_index (m->of[k].samples, double, i);
    ratios[i] = sum[1] / sum[0];
  }
  LsTimeRatio r = judge_ratios (ratios, n, noise_of (m));
  if (n > 0 && ns < 2 * m->n * m->empty)
    r.verdict = LS_TIME_BELOW;
  return r;
}

static gboolean
all_judged (Job *job)
{
  gboolean done = TRUE;
  judge (job, &job->m->control);
  if (job->how->n_first)
    return ls_measurement_groups (job->m, job->how->n_first).verdict != LS_TIME_UNCLEAR;
  for (guint k = 1; k < job->m->n; k++) {
    judge (job, &job->m->of[k]);
    done &= job->m->of[k].verdict != LS_TIME_UNCLEAR;
  }
  return done;
}

/* Those that are slow beyond doubt take no part in the rounds, nor does a control that is not wanted. */
static void
drop_slow (Job *job, double best)
{
  if (job->how->drop_by_first)
    best = MAX (best, job->m->of[0].first_ns);
  for (guint k = 0; k <= job->m->n && job->how->drop_above > 0; k++)
    measured (job, k)->dropped |= !measured (job, k)->error && measured (job, k)->first_ns > job->how->drop_above * best;
  job->m->control.dropped |= job->how->no_control;
}

/* The time of a round: each kernel once, with the calls before. */
static gint64
round_us (Job *job)
{
  double ns = 0;
  for (guint k = 0; k <= job->m->n; k++) {
    const LsMeasured *x = measured (job, k);
    ns += x->error || x->dropped ? 0 : x->first_ns * (x->batch + warm_ups (job, x->batch));
  }
  return (gint64) (ns / 1e3);
}

/* A kernel so long that not even the least rounds fit gets none: it has no time, and no verdict. */
static void
run_rounds (Job *job, GRand *rand, gint64 length)
{
  LsMeasurement *m = job->m;
  guint look = FIRST_LOOK, most = job->how->most_rounds ? job->how->most_rounds : 3000;
  if (LEAST_ROUNDS * round_us (job) > LONGEST * length)
    return;
  if (m->of[0].first_ns < MEDIUM_NS)
    one_round (job, rand, FALSE);      /* dropped */
  for (guint k = 0; k <= m->n; k++)
    g_array_set_size (measured (job, k)->samples, 0);
  while (!m->of[0].error && m->n_rounds < most &&
         (m->n_rounds < LEAST_ROUNDS || g_get_monotonic_time () < job->deadline + (m->n_rounds < FIRST_LOOK ? job->extra : 0)) &&
         (!job->how->go_on || job->how->go_on (job->how->data))) {
    one_round (job, rand, FALSE);
    if (++m->n_rounds < look)
      continue;
    if (all_judged (job))
      break;
    look *= 2;
  }
}

/* A kernel that may have state is timed together with the first one with memory that changes between calls: code that computes the same
 * again may skip the work. A call that fails then says nothing of the times before. */
static void
changing_rounds (Job *job, GRand *rand)
{
  LsMeasurement *m = job->m;
  g_autoptr (GPtrArray) touches = g_ptr_array_new ();
  guint wanted = 0, rounds = m->n_rounds < FIRST_LOOK ? m->n_rounds : CHANGING;
  gboolean failed = FALSE;
  for (guint k = 0; k < m->n; k++) {
    GArray *of = job->how->touches && !m->of[k].error && !m->of[k].dropped ? job->how->touches (k, job->how->look_data) : NULL;
    g_ptr_array_add (touches, of);
    wanted += of != NULL;
  }
  for (guint turn = 0; turn < rounds && wanted > 1 && touches->pdata[0] && !failed; turn++)
    for (guint i = 0, begin = (guint) g_rand_int_range (rand, 0, (gint) m->n); i < m->n && !failed; i++) {
      guint k = (begin + i) % m->n;
      GArray *of = touches->pdata[k];
      LsMeasured *x = &m->of[k];
      LsLaunch launch = job->launch[k];
      LsLaunchResult result;
      if (!of)
        continue;
      launch.repeats = 1;
      launch.batch = x->batch;
      launch.warm_ups = warm_ups (job, x->batch);
      launch.copy = ls_measure_copy (k, x->first_ns > job->long_ns ? 0 : (guint) g_rand_int_range (rand, 0, COPIES));
      launch.n_touched = of->len;
      launch.touched = (const LsTouch *) (gpointer) of->data;
      if (job->how->before)
        job->how->before (k, job->how->look_data);
      failed = !ls_runner_launch (job->runner, &launch, &result, NULL) || !result.n_runs;
      if (!failed && job->how->after)
        job->how->after (k, TRUE, job->how->look_data);
      double ns = failed ? 0 : (double) result.run_ns[0] / x->batch;
      if (!failed)
        g_array_append_val (x->changing, ns);
      ls_launch_result_clear (&result);
    }
  for (guint k = 0; k < m->n; k++)
    g_clear_pointer (&touches->pdata[k], g_array_unref);
}

/* The ratio with memory that changes. Changing it takes time too, of each kernel the same, which the first one shows. Where a kernel
 * takes much longer beyond that, its other time is not that of its work. */
static void
judge_changing (Job *job, LsMeasured *x)
{
  const LsMeasured *first = &job->m->of[0];
  guint n = MIN (x->changing->len, first->changing->len);
  g_autofree double *ratios = g_new (double, n + 1);
  LsTimeRatio *r = &x->changing_ratio;
  if (x == first || n < LEAST_ROUNDS)
    return;
  for (guint i = 0; i < n; i++)
    ratios[i] = g_array_index (x->changing, double, i) / g_array_index (first->changing, double, i);
  r->ratio = ls_sort_median (ratios, n);
  if (!ls_median_interval (ratios, n, &r->low, &r->high)) {
    r->low = ratios[0];
    r->high = ratios[n - 1];
  }
  g_autofree double *of_first = g_memdup2 (first->changing->data, n * sizeof (double)),
                    *of_own = g_memdup2 (x->changing->data, n * sizeof (double));
  double change = fmax (ls_sort_median (of_first, n) - first->median, 0), own = ls_sort_median (of_own, n) - change;
  if (own - x->median > MUCH * first->median && r->low > x->ratio && (x->verdict == LS_TIME_FASTER || x->verdict == LS_TIME_AS_FAST ||
                                                                      x->verdict == LS_TIME_UNCLEAR))
    x->verdict = LS_TIME_AGAIN;
}

static void
sum_up (Job *job, LsMeasured *x)
{
  g_autofree double *sorted = g_memdup2 (x->samples->data, x->samples->len * sizeof (double)),
                    *cold = g_memdup2 (x->cold->data, x->cold->len * sizeof (double));
  guint n = x->samples->len;
  x->median = x->dropped ? x->first_ns : ls_sort_median (sorted, n);
  x->cold_median = ls_sort_median (cold, x->cold->len);
  x->low = x->high = NAN;
  if (n && !ls_median_interval (sorted, n, &x->low, &x->high)) {
    x->low = sorted[0];
    x->high = sorted[n - 1];
  }
  judge (job, x);
  const LsMeasured *first = &job->m->of[0];
  if (x != first && x != &job->m->control && !x->error && !first->error && x->verdict != LS_TIME_SAME &&
      MAX (x->median, first->median) < 2 * job->m->empty)
    x->verdict = LS_TIME_BELOW;
  judge_changing (job, x);
}

/* Whether not even the minimum number of rounds fits, by earlier times. */
static gboolean
is_too_long (const LsMeasureHow *how, guint n, gint64 length)
{
  double ns = 0, most = how->known && how->drop_above > 0 && how->drop_by_first ? how->drop_above * how->known[0] : G_MAXDOUBLE;
  for (guint k = 0; how->known && k < n; k++)
    ns += how->known[k] <= most ? how->known[k] : 0;      /* others have no part in rounds */
  return ns > 0 && LEAST_ROUNDS * (ns + (how->no_control ? 0 : how->known[0])) > 1e3 * LONGEST * (double) length;
}

LsMeasurement *
ls_measure (LsRunner *runner, guint n, const LsLaunch *kernels, const LsMeasureHow *how)
{
  g_return_val_if_fail (n >= 1, NULL);
  gint64 begin = g_get_monotonic_time ();
  LsMeasurement *m = g_new0 (LsMeasurement, 1);
  g_autofree LsLaunch *launch = g_new (LsLaunch, n + 1);
  m->n = n;
  m->of = g_new0 (LsMeasured, n);
  m->seed = how->seed;
  Job job = { runner, how, m, launch, how->no_control ? MEDIUM_NS : LONG_NS };
  gboolean has_llvm = FALSE;
  for (guint k = 0; k < n; k++)
    has_llvm |= ls_compiler_is_loaded (kernels[k].compiler);
  for (guint k = 0; k <= n; k++) {
    launch[k] = kernels[k < n ? k : 0];
    launch[k].lines = FALSE;
    launch[k].beside_llvm = has_llvm;
    begin_one (&job, k);
  }
  double best = G_MAXDOUBLE;
  gint64 length = (gint64) ((how->seconds > 0 ? how->seconds : SECONDS) * G_TIME_SPAN_SECOND);
  gboolean too_long = is_too_long (how, n, length);
  for (guint k = 0; too_long && k < n; k++)
    m->of[k].first_ns = how->known[k];
  for (guint k = too_long ? 0 : n + !how->no_control; k-- > 0;)      /* the first one, which others may be far ahead of, and its
                                                                      * control last */
    prepare (&job, k, &best);
  drop_slow (&job, best);
  job.is_long = m->of[0].first_ns > job.long_ns;
  m->empty = empty_call (&job);
  g_autoptr (GRand) rand = g_rand_new_with_seed (how->seed);
  job.deadline = g_get_monotonic_time () + length;
  /* too few rounds are not waited for */
  job.extra = FIRST_LOOK * round_us (&job) <= LONGEST * length ? (LONGEST - 1) * length : 0;
  if (!too_long)
    run_rounds (&job, rand, length);
  if (m->n_rounds && !m->of[0].error)
    changing_rounds (&job, rand);
  guint n_cold = m->n_rounds < FIRST_LOOK || how->brief ? 0 : m->of[0].first_ns < MEDIUM_NS ? COLD_ROUNDS : COLD_LONG;
  for (guint k = 0; k < n_cold && !m->of[0].error; k++)
    one_round (&job, rand, TRUE);
  judge (&job, &m->control);
  for (guint k = 0; k <= n; k++)
    sum_up (&job, measured (&job, k));
  m->seconds = (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;
  return m;
}

static void
clear (LsMeasured *x)
{
  g_free (x->error);
  ls_launch_result_clear (&x->built);
  g_array_unref (x->samples);
  g_array_unref (x->cold);
  g_array_unref (x->changing);
}

void
ls_measurement_free (LsMeasurement *m)
{
  if (!m)
    return;
  for (guint k = 0; k < m->n; k++)
    clear (&m->of[k]);
  clear (&m->control);
  g_free (m->of);
  g_free (m);
}

char *
ls_machine_name (void)
{
  g_autofree char *text = NULL;
  g_autofree char *model = NULL;
  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL)) {
    const char *line = strstr (text, "model name"), *colon = line ? strchr (line, ':') : NULL;
    if (colon)
      model = g_strstrip (g_strndup (colon + 1, strcspn (colon + 1, "\n")));
  }
  long cache = sysconf (_SC_LEVEL3_CACHE_SIZE), cores = sysconf (_SC_NPROCESSORS_ONLN);
  const char *name = model ? model : "unknown processor";
  if (cache > 0)
    return g_strdup_printf (cores == 1 ? "%s, %ld core, %ld MiB of last-level cache" : "%s, %ld cores, %ld MiB of last-level cache", name,
                            cores, cache >> 20);
  return g_strdup_printf (cores == 1 ? "%s, %ld core" : "%s, %ld cores", name, cores);
}

const char *
ls_c_library (void)
{
#ifdef __GLIBC__
  static char name[32];
  g_snprintf (name, sizeof name, "glibc %s", gnu_get_libc_version ());
  return name;
#else
  return "an unknown C library";
#endif
}
