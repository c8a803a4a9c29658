/* Kernels that several threads call, each with its number: all at the same time, each once, and a fault of one of them is the launch's
 * result. */
#include <string.h>

#include "launches.h"
#include "run/fault.h"

static gboolean
launch (LsRunner *runner, const char *compiler, const char *source, guint n_buffers, LsBuffer *const *buffers, guint threads,
        guint timeout_ms, GError **error)
{
  LsLaunch what = { .compiler = compiler, .name = "f", .source = source, .n_buffers = n_buffers, .buffers = buffers, .repeats = 3,
                    .batch = 5, .warm_ups = 1, .threads = threads, .timeout_ms = timeout_ms };
  LsLaunchResult result;
  gboolean ok = ls_runner_launch (runner, &what, &result, error);
  ls_launch_result_clear (&result);
  return ok;
}

#define COUNT "void f (int *out, const int core_id) {\n  out[core_id] += core_id + 1;\n}\n"
#define CALLS (3 * 5 + 1)

static void
test_each (gconstpointer compiler)
{
  static const guint numbers[] = { 2, 1, 64, 3, 64, 2 };
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b = new_buffer (runner, LS_INT32, 64);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gint32 *out = (gint32 *) (gpointer) b->data;
    memset (b->data, 0, b->nbytes);
    g_assert_true (launch (runner, compiler, COUNT, 1, &b, numbers[i], 20000, &error));
    g_assert_no_error (error);
    for (guint k = 0; k < 64; k++)
      g_assert_cmpint (out[k], ==, k < numbers[i] ? CALLS * ((gint) k + 1) : 0);
  }
}

/* Each waits until the other one has come: one after the other they would never end. */
static void
test_together (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b = new_buffer (runner, LS_INT32, 2);
  g_assert_true (launch (runner, compiler, "void f (int *out, const int core_id) {\n  volatile int *at = out;\n  int turn = "
                                           "++at[core_id];\n  while (at[1 - core_id] < turn) ;\n}\n", 1, &b, 2, 20000, &error));
  g_assert_no_error (error);
  g_assert_cmpint (((gint32 *) (gpointer) b->data)[1], ==, CALLS);
}

static void
test_faults (gconstpointer compiler)
{
  static const struct { const char *says, *source; gboolean with_tcc; guint timeout_ms; } faults[] = {
    { "kernel f crashed (SIGSEGV at address 0x8)", "void f (int *a, const int core_id) { if (core_id == 1) *(volatile int *) 8 = 1; }\n",
      TRUE, 10000 },
    { "kernel f crashed (SIGSEGV at address 0x8)", "void f (int *a, const int core_id) { *(volatile int *) 8 = 1; }\n", TRUE, 10000 },
    { "kernel f crashed (SIGSEGV", "int deep (int n) { volatile char room[4096]; room[0] = (char) n; return n ? deep (n - 1) + room[0] : "
                                   "0; }\nvoid f (int *a, const int core_id) { if (core_id == 2) a[0] = deep (1 << 20); }\n",
      TRUE, 10000 },
    { "kernel f crashed (SIGFPE", "void f (int *a, const int core_id) { volatile int zero = 0; if (core_id == 1) a[0] = a[3] / zero; }\n",
      TRUE, 10000 },
    { "kernel f ran past its limit of 300 ms",
      "void f (int *a, const int core_id) { if (core_id == 1) for (volatile int i = 0;; i++) ; }\n", TRUE, 300 },
    { "kernel f ran past its limit of 300 ms",
      "void f (int *a, const int core_id) { if (core_id == 0) for (volatile int i = 0;; i++) ; }\n", TRUE, 300 },
    { "kernel f ended the process (exit status 3)",
      "void exit (int);\nvoid f (int *a, const int core_id) { if (core_id == 1) exit (3); }\n", FALSE, 10000 },
  };
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *b = new_buffer (runner, LS_INT32, 4);
  gint32 *out = (gint32 *) (gpointer) b->data;
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autoptr (GError) error = NULL, none = NULL;
    if (!faults[i].with_tcc && g_str_equal (compiler, "tcc"))
      continue;
    memset (b->data, 0, b->nbytes);
    out[3] = 77;
    g_assert_false (launch (runner, compiler, faults[i].source, 1, &b, 3, faults[i].timeout_ms, &error));
    g_assert_nonnull (error);
    if (!g_str_has_prefix (error->message, faults[i].says))
      g_error ("\"%s\" is not \"%s\"", error->message, faults[i].says);
    g_assert_cmpint (out[3], ==, 77);      /* what is in buffers stays, and the next launch runs */
    g_assert_true (launch (runner, compiler, COUNT, 1, &b, 3, 10000, &none));
    g_assert_no_error (none);
    g_assert_cmpint (out[2], ==, 3 * CALLS);
  }
}

static void
test_too_many (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b = new_buffer (runner, LS_INT32, 4);
  g_assert_false (launch (runner, "tcc", COUNT, 1, &b, 65, 10000, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_RUN);
  g_assert_cmpstr (error->message, ==, "kernel f needs 65 threads; the maximum is 64");
}

/* More arguments than tcc puts into a call, and a number. */
static void
test_many_arguments (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) source = g_string_new ("void f (int *a0");
  LsBuffer *b[300];
  for (guint k = 0; k < G_N_ELEMENTS (b); k++) {
    b[k] = new_buffer (runner, LS_INT32, 2);
    if (k > 0)
      g_string_append_printf (source, ", int *a%u", k);
  }
  g_string_append (source, ", const int core_id) {\n  a299[core_id] = 7 + core_id;\n}\n");
  g_assert_true (launch (runner, "tcc", source->str, G_N_ELEMENTS (b), b, 2, 10000, &error));
  g_assert_no_error (error);
  g_assert_cmpint (((gint32 *) (gpointer) b[299]->data)[0], ==, 7);
  g_assert_cmpint (((gint32 *) (gpointer) b[299]->data)[1], ==, 8);
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "tcc", "clang", "gcc" };
  static const struct { const char *name; GTestDataFunc test; } tests[] = { { "each", test_each }, { "together", test_together },
                                                                            { "faults", test_faults } };
  g_test_init (&argc, &argv, NULL);
  for (guint c = 0; c < G_N_ELEMENTS (compilers); c++)
    for (guint t = 0; t < G_N_ELEMENTS (tests); t++) {
      g_autofree char *path = g_strdup_printf ("/run/threads/%s/%s", compilers[c], tests[t].name);
      g_test_add_data_func (path, compilers[c], tests[t].test);
    }
  g_test_add_func ("/run/threads/many-arguments", test_many_arguments);
  g_test_add_func ("/run/threads/too-many", test_too_many);
  return g_test_run ();
}
