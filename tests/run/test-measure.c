/* Times of kernels against each other: verdicts on kernels when one is known to take longer, on equal ones, and on those that fail. */
#include <math.h>
#include <string.h>

#include "run/measure.h"

#define COPY(name, times) "void " name " (float *out, const float *in) { for (int r = 0; r < " times "; r++) for (int i = 0; i < 2000; " \
                                                                                                     "i++) out[i] = in[i] * 0.5f + " \
                                                                                                     "(float) r; }\n"

typedef struct { LsRunner *runner; LsBuffer *buffers[2]; } Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->runner = ls_runner_new ();
  for (guint k = 0; k < 2; k++)
    f->buffers[k] = ls_runner_buffer_new (f->runner, k, LS_FLOAT, 2000, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  ls_runner_free (f->runner);
}

static LsLaunch
kernel (Fixture *f, const char *compiler, const char *name, const char *source)
{
  return (LsLaunch) { .compiler = compiler, .name = name, .source = source, .n_buffers = 2, .buffers = f->buffers, .timeout_ms = 2000 };
}

static void
test_verdicts (Fixture *f, gconstpointer data)
{
  const LsLaunch kernels[] = {
    kernel (f, "tcc", "two", COPY ("two", "2")), kernel (f, "tcc", "six", COPY ("six", "6")), kernel (f, "tcc", "one", COPY ("one", "1")),
    kernel (f, "tcc", "crash", "void crash (float *out, const float *in) { *(volatile int *) 8 = 1; }\n"),
    kernel (f, "tcc", "wrong", "void wrong (float *out) { nothing; }\n"),
  };
  LsMeasureHow how = { .seconds = 5, .seed = 1 };
  g_autoptr (LsMeasurement) m = ls_measure (f->runner, G_N_ELEMENTS (kernels), kernels, &how);
  g_assert_cmpint (m->of[0].verdict, ==, LS_TIME_FIRST);
  g_assert_cmpint (m->of[1].verdict, ==, LS_TIME_SLOWER);
  g_assert_cmpfloat (m->of[1].ratio_low, >, 1.1);
  g_assert_cmpfloat (m->of[1].ratio_low, <=, m->of[1].ratio);
  g_assert_cmpfloat (m->of[1].ratio, <=, m->of[1].ratio_high);
  g_assert_cmpint (m->of[2].verdict, ==, LS_TIME_FASTER);
  g_assert_cmpfloat (m->of[2].ratio, <, 0.8);
  g_assert_cmpint (m->of[3].verdict, ==, LS_TIME_FAILED);
  g_assert_nonnull (strstr (m->of[3].error, "SIGSEGV"));
  g_assert_cmpint (m->of[4].verdict, ==, LS_TIME_FAILED);
  g_assert_nonnull (strstr (m->of[4].error, "refused"));
  g_assert_cmpuint (m->n_rounds, >=, 12);
  g_assert_cmpuint (m->of[0].samples->len, ==, m->n_rounds);
  g_assert_cmpuint (m->of[0].cold->len, >, 3);
  g_assert_cmpfloat (m->control.ratio, >, 0.7);
  g_assert_cmpfloat (m->control.ratio, <, 1.4);
  g_assert_cmpfloat (m->of[0].median, >, 10 * m->empty);
  g_assert_cmpuint (m->of[0].batch, >, 3);      /* microseconds each */
}

/* A kernel against itself: its code is the same, and so are its times. */
static void
test_same (Fixture *f, gconstpointer compiler)
{
  g_autofree char *why = NULL;
  if (!ls_compiler_available (compiler, &why)) {
    g_test_skip (why);
    return;
  }
  const LsLaunch kernels[] = { kernel (f, compiler, "a", COPY ("a", "3")), kernel (f, compiler, "a", COPY ("a", "3")) };
  LsMeasureHow how = { .seconds = 2, .seed = 2 };
  g_autoptr (LsMeasurement) m = ls_measure (f->runner, 2, kernels, &how);
  g_assert_cmpint (m->of[1].verdict, ==, LS_TIME_SAME);
  g_assert_cmpuint (m->n_rounds, ==, 12);      /* there is nothing to wait for */
  how.even_same_code = TRUE;
  g_autoptr (LsMeasurement) timed = ls_measure (f->runner, 2, kernels, &how);
  g_assert_cmpint (timed->of[1].verdict, !=, LS_TIME_SAME);
  g_assert_cmpfloat (fabs (timed->of[1].ratio - 1), <, 0.2);
  g_assert_cmpstr (ls_time_verdict_name (LS_TIME_SAME), ==, "same-code");
}

static void
test_below (Fixture *f, gconstpointer data)
{
  const LsLaunch kernels[] = { kernel (f, "tcc", "a", "void a (float *out, const float *in) { }\n"),
                               kernel (f, "tcc", "b", "void b (float *out, const float *in) { int x = 1; }\n") };
  LsMeasureHow how = { .seconds = 1, .seed = 3 };
  g_autoptr (LsMeasurement) m = ls_measure (f->runner, 2, kernels, &how);
  g_test_message ("%g %g empty %g rounds %u", m->of[0].median, m->of[1].median, m->empty, m->n_rounds);
  g_assert_cmpint (m->of[1].verdict, ==, LS_TIME_BELOW);
}

/* An endless loop ends at its limit, and the others are timed. */
static void
test_spins (Fixture *f, gconstpointer data)
{
  LsLaunch kernels[] = { kernel (f, "tcc", "a", COPY ("a", "1")),
                         kernel (f, "tcc", "b", "void b (float *out, const float *in) { for (;;) ; }\n"),
                         kernel (f, "tcc", "c", COPY ("c", "5")) };
  kernels[1].timeout_ms = 200;
  LsMeasureHow how = { .seconds = 2, .seed = 4 };
  g_autoptr (LsMeasurement) m = ls_measure (f->runner, 3, kernels, &how);
  g_assert_cmpint (m->of[1].verdict, ==, LS_TIME_FAILED);
  g_assert_nonnull (strstr (m->of[1].error, "limit"));
  g_assert_cmpint (m->of[2].verdict, ==, LS_TIME_SLOWER);
}

/* The interval by the binomial distribution: for 11 numbers the whole range, below that none; it covers the median of their
 * distribution. */
static void
test_interval (void)
{
  double x[1000], low, high;
  for (guint i = 0; i < 1000; i++)
    x[i] = i;
  g_assert_false (ls_median_interval (x, 10, &low, &high));
  g_assert_true (ls_median_interval (x, 11, &low, &high));
  g_assert_cmpfloat (low, ==, 0);
  g_assert_cmpfloat (high, ==, 10);
  g_assert_true (ls_median_interval (x, 1000, &low, &high));
  g_assert_cmpfloat (low, ==, 447);       /* 500 - 3.29 sqrt (1000) / 2 */
  g_assert_cmpfloat (high, ==, 552);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  guint outside = 0;
  for (guint turn = 0; turn < 4000; turn++) {
    for (guint i = 0; i < 25; i++)
      x[i] = g_rand_double (rand);
    ls_sort_median (x, 25);
    g_assert_true (ls_median_interval (x, 25, &low, &high));
    outside += low > 0.5 || high < 0.5;
  }
  g_assert_cmpuint (outside, <=, 12);      /* 4 expected at the most */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/measure/verdicts", Fixture, NULL, set_up, test_verdicts, tear_down);
  g_test_add ("/measure/same/clang", Fixture, "clang", set_up, test_same, tear_down);
  g_test_add ("/measure/same/gcc", Fixture, "gcc", set_up, test_same, tear_down);
  g_test_add ("/measure/below", Fixture, NULL, set_up, test_below, tear_down);
  g_test_add ("/measure/spins", Fixture, NULL, set_up, test_spins, tear_down);
  g_test_add_func ("/measure/interval", test_interval);
  return g_test_run ();
}
