/* The search for options: its rows belong together, each has a time or a reason, and a failure is a row. Nothing is said of how long
 * anything takes. */
#include "codegen/options/option.h"
#include "measure/search-private.h"
#include "fixture.h"

#include <math.h>
#include <string.h>

static const char PROGRAM[] = "from tinygrad import Tensor\n"
                              "a = (Tensor.arange(64 * 64).cast('float') * 0.01).reshape(64, 64).realize()\n"
                              "b = (a @ a).realize()\n";      /* 2 */

static LsSearch *
search (LsTrace *trace, guint kernel, const char *spec, guint width, GError **error)
{
  LsVariant variant;
  LsSearchHow how = { .width = width, .seconds = 30 };
  g_autoptr (GError) own = NULL;
  ls_variant_init (&variant);
  gboolean ok = ls_variant_apply (&variant, spec, &own) && ls_variant_complete (&variant, &own);
  g_assert_no_error (own);
  g_assert_true (ok);
  LsSearch *s = ls_search (trace, kernel, &variant, &how, error);
  ls_variant_clear (&variant);
  return s;
}

static void
check_row (const LsSearch *s, guint i)
{
  const LsCandidate *row = &g_array_index (s->rows, LsCandidate, i);
  g_assert_cmpint (row->parent, <, (gint) i);
  g_assert_cmpint (row->parent, >=, i == 0 ? -1 : 0);
  g_assert_true (row->score > 0);
  g_assert_true (row->dropped || !isnan (row->ns));
  g_assert_cmpint (row->chosen, ==, i == s->chosen);
  if (i == 0) {
    g_assert_cmpstr (row->options, ==, "");
    g_assert_cmpuint (row->layer, ==, 0);
    return;
  }
  const LsCandidate *above = &g_array_index (s->rows, LsCandidate, row->parent);
  g_autoptr (GArray) opts = ls_opts_parse (row->options, NULL);
  g_assert_nonnull (opts);
  g_assert_cmpuint (opts->len, ==, row->layer);
  g_assert_cmpuint (row->layer, ==, above->layer + 1);
  g_assert_true (g_str_has_prefix (row->options, above->options));
  for (guint k = 0; k < i; k++)
    g_assert_cmpstr (g_array_index (s->rows, LsCandidate, k).options, !=, row->options);
  const char *same = row->dropped ? strstr (row->dropped, "the same kernel as row ") : NULL;
  if (same) {
    guint64 other = g_ascii_strtoull (same + strlen ("the same kernel as row "), NULL, 10);
    g_assert_cmpuint (other, <, i);
    g_assert_true (isnan (row->compile_ms));
  }
}

static void
test_tree (void)
{
  g_autoptr (LsSession) session = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSearch) s = search (session->trace, 2, "", 2, &error);
  g_assert_no_error (error);
  gboolean heuristic = FALSE;
  g_assert_cmpuint (s->rows->len, >, 10);
  g_assert_nonnull (s->ended);
  for (guint i = 0; i < s->rows->len; i++) {
    const LsCandidate *row = &g_array_index (s->rows, LsCandidate, i);
    check_row (s, i);
    heuristic |= row->layer > 0 && row->heuristic && !isnan (row->compile_ms);
  }
  g_assert_true (heuristic);
  guint judged = 0;
  for (guint i = 0; i < s->rows->len; i++) {
    const LsCandidate *row = &g_array_index (s->rows, LsCandidate, i);
    judged += row->verdict != NULL;
    if (row->verdict && i != s->chosen)
      g_assert_true (isnan (row->ratio) || row->ratio > 0);
  }
  g_assert_cmpuint (judged, >=, 2);      /* that without options, and the heuristic's choice */
  g_assert_cmpuint (s->n_rounds, >=, 12);
  const LsCandidate *chosen = &g_array_index (s->rows, LsCandidate, s->chosen);
  g_assert_cmpstr (chosen->verdict, ==, ls_time_verdict_name (LS_TIME_FIRST));
  g_assert_true (chosen->equal == LS_EQUAL_BITS || chosen->equal == LS_EQUAL_ULP || chosen->equal == LS_EQUAL_BOUND ||
                 chosen->equal == LS_EQUAL_FIRST);
}

/* Threads are tried where they are asked for, as many as are asked for. */
static void
test_threads (void)
{
  static const char *const specs[] = { "", "THREADS=4" };
  g_autoptr (LsSession) session = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  for (guint t = 0; t < G_N_ELEMENTS (specs); t++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSearch) s = search (session->trace, 2, specs[t], 1, &error);
    guint n[5] = { 0 };
    g_assert_no_error (error);
    for (guint i = 0; i < s->rows->len; i++) {
      g_autoptr (GArray) opts = ls_opts_parse (g_array_index (s->rows, LsCandidate, i).options, NULL);
      check_row (s, i);
      for (guint k = 0; k < opts->len; k++) {
        const LsOpt *opt = &g_array_index (opts, LsOpt, k);
        if (opt->option != &ls_option_thread)
          continue;
        g_assert_cmpint (opt->amount, <=, 4);
        n[opt->amount]++;
      }
    }
    g_assert_true ((n[2] > 0) == (t == 1));
    g_assert_true ((n[4] > 0) == (t == 1));
  }
}

/* The stored search, in a recording and in the cache, is the one found. */
static void
assert_same_search (const LsSearch *a, const LsSearch *b)
{
  g_assert_cmpuint (a->rows->len, ==, b->rows->len);
  g_assert_cmpuint (a->chosen, ==, b->chosen);
  g_assert_cmpuint (a->heuristic, ==, b->heuristic);
  g_assert_cmpuint (a->n_compiled, ==, b->n_compiled);
  g_assert_cmpuint (a->n_rounds, ==, b->n_rounds);
  g_assert_cmpstr (a->compiler, ==, b->compiler);
  g_assert_cmpstr (a->version, ==, b->version);
  g_assert_cmpstr (a->ended, ==, b->ended);
  for (guint i = 0; i < a->rows->len; i++) {
    const LsCandidate *x = &g_array_index (a->rows, LsCandidate, i), *y = &g_array_index (b->rows, LsCandidate, i);
    g_assert_cmpint (x->parent, ==, y->parent);
    g_assert_cmpstr (x->options, ==, y->options);
    g_assert_cmpstr (x->dropped, ==, y->dropped);
    g_assert_true (x->ns == y->ns || (isnan (x->ns) && isnan (y->ns)));
    g_assert_cmpint (x->equal, ==, y->equal);
    g_assert_cmpstr (x->verdict, ==, y->verdict);
  }
}

/* A search is read back only where it is whole: a cache may hold anything. */
static void
test_read (void)
{
#define HEAD "\"machine\":\"m\",\"compiler\":\"c\",\"version\":\"\",\"flags\":\"\",\"ended\":\"e\",\"chosen\":0,\"heuristic\":-1,"
#define ROOT "{\"parent\":null,\"options\":\"\",\"equal\":\"first\",\"ns\":5.0}"
  static const struct { const char *text; gboolean whole; } answers[] = {
    { "{" HEAD "\"candidates\":[" ROOT "]}", TRUE },
    { "{" HEAD "\"candidates\":[" ROOT ",{\"parent\":0,\"options\":\"UPCAST:0:2\"}]}", TRUE },
    { "{" HEAD "\"candidates\":[]}", FALSE },
    { "{" HEAD "\"candidates\":[" ROOT ",{\"parent\":1,\"options\":\"UPCAST:0:2\"}]}", FALSE },
    { "{" HEAD "\"candidates\":[" ROOT ",{\"parent\":0}]}", FALSE },
    { "{" HEAD "\"chosen\":1,\"candidates\":[" ROOT "]}", FALSE },
    { "{" HEAD "\"heuristic\":7,\"candidates\":[" ROOT "]}", FALSE },
    { "{" HEAD "\"ended\":null,\"candidates\":[" ROOT "]}", FALSE },
    { "{" HEAD "\"candidates\":[7]}", FALSE },
    { "{\"candidates\":[" ROOT "]}", FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++) {
    g_autoptr (LsReading) reading = ls_reading_new (&ls_search_answer, answers[i].text, -1, NULL);
    g_autoptr (LsSearch) s = ls_search_new (1, "k", 2);
    g_assert_nonnull (reading);
    g_assert_cmpint (ls_search_read (s, ls_reading_row (reading)), ==, answers[i].whole);
    g_assert_cmpint (s->rows->len > 0, ==, answers[i].whole);
    g_assert_true (answers[i].whole || (s->width == 2 && !s->ended));
  }
}

static void
test_kept (void)
{
  g_autoptr (LsSession) session = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSearch) first = search (session->trace, 2, "profile=default", 1, &error);
  g_assert_no_error (error);
  g_autoptr (LsSearch) again = search (session->trace, 2, "profile=default", 1, &error);
  g_assert_no_error (error);
  g_assert_true (again->cached);
  assert_same_search (first, again);
  g_autoptr (LsSearch) other = search (session->trace, 2, "acc=scalar", 1, &error);
  g_assert_no_error (error);
  g_assert_false (other->cached);

  g_assert_null (ls_search_recorded (session->trace, 2));
  ls_search_record (first, session->trace);
  g_autofree char *path = g_build_filename (g_getenv ("XDG_CACHE_HOME"), "kept.lscope", NULL);
  gboolean ok = ls_trace_save (session->trace, path, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_autoptr (LsTrace) back = ls_trace_load (path, &error);
  g_assert_no_error (error);
  g_autoptr (LsSearch) recorded = ls_search_recorded (back, 2);
  g_assert_nonnull (recorded);
  g_assert_true (recorded->recorded);
  assert_same_search (first, recorded);
}

/* A compiler that refuses every text leaves rows that say so, and the kernel as it is. */
static void
test_failures (void)
{
  if (!ls_compiler_for_times ("c")->optimizes) {
    g_test_skip ("there is neither clang nor gcc");
    return;
  }
  g_autoptr (LsSession) session = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSearch) s = search (session->trace, 2, "cflags=-march=no-such-processor,native=0", 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (s->chosen, ==, 0);
  for (guint i = 0; i < s->rows->len; i++) {
    const LsCandidate *row = &g_array_index (s->rows, LsCandidate, i);
    check_row (s, i);
    g_assert_true (isnan (row->ns));
    g_assert_nonnull (row->dropped);
  }
  g_assert_nonnull (strstr (g_array_index (s->rows, LsCandidate, 0).dropped, "no-such-processor"));
}

static void
test_no_kernel (void)
{
  g_autoptr (LsSession) session = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  g_autoptr (GError) error = NULL;
  g_assert_null (search (session->trace, 9, "", 1, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_assert_cmpstr (error->message, ==, "there is no kernel 9");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *cache = g_dir_make_tmp ("lazyscope-search-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);      /* nothing is known yet */
  g_test_add_func ("/search/tree", test_tree);
  g_test_add_func ("/search/threads", test_threads);
  g_test_add_func ("/search/kept", test_kept);
  g_test_add_func ("/search/read", test_read);
  g_test_add_func ("/search/failures", test_failures);
  g_test_add_func ("/search/no-kernel", test_no_kernel);
  return g_test_run ();
}
