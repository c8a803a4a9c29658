/* Launching kernels: each compiler, and everything that a kernel can do wrong. A compiler that is not installed is skipped by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "ir/view.h"
#include "run/evaluate.h"
#include "render/render.h"
#include "launches.h"
#include "run/fault.h"
#include "run/llvm-library.h"

static const char ADD[] = "void add (float *out, const float *a, const float *b) {\n"
                          "  for (int i = 0; i < 1000; i++) out[i] = a[i] + b[i];\n"
                          "}\n";

static gboolean
launch (LsRunner *runner, const char *compiler, const char *name, const char *source, guint n_buffers, LsBuffer *const *buffers,
        guint timeout_ms, LsLaunchResult *result, GError **error)
{
  LsLaunch what = { .compiler = compiler, .name = name, .source = source, .n_buffers = n_buffers, .buffers = buffers, .repeats = 1,
                    .timeout_ms = timeout_ms };
  return ls_runner_launch (runner, &what, result, error);
}

#define assert_message(error, code_, text) G_STMT_START { \
  g_assert_error (error, LS_ERROR, code_); \
  if (strstr (error->message, text) == NULL) g_error ("\"%s\" does not contain \"%s\"", error->message, text); } G_STMT_END

static void
test_add (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b[3] = { new_buffer (runner, LS_FLOAT, 1000), new_buffer (runner, LS_FLOAT, 1000), new_buffer (runner, LS_FLOAT, 1000) };
  for (guint k = 0; k < 1000; k++) {
    g_assert_cmpfloat (((float *) b[0]->data)[k], ==, 0);      /* zeros when new */
    ((float *) b[1]->data)[k] = (float) k;
    ((float *) b[2]->data)[k] = 0.5f;
  }
  LsLaunch what = { .compiler = compiler, .name = "add", .source = ADD, .n_buffers = 3, .buffers = b, .repeats = 5, .timeout_ms = 10000 };
  LsLaunchResult result;
  g_assert_true (ls_runner_launch (runner, &what, &result, &error));
  g_assert_no_error (error);
  for (guint k = 0; k < 1000; k++)
    g_assert_cmpfloat (((float *) b[0]->data)[k], ==, (float) k + 0.5f);
  g_assert_cmpuint (result.n_runs, ==, 5);
  g_assert_cmpfloat (result.compile_ms, >, 0);
  g_assert_cmpstr (result.message, ==, "");
  g_assert_cmpuint (result.n_code, >, 8);
  double first_ms = result.compile_ms;

  g_autoptr (GArray) lines = ls_disassemble (result.code, result.n_code, result.code_address, result.lines);
  gsize covered = 0;
  gboolean adds = FALSE;
  for (guint k = 0; k < lines->len; k++) {
    LsInstruction *line = &g_array_index (lines, LsInstruction, k);
    covered += line->size;
    adds = adds || strstr (line->text, "add");
  }
  g_assert_cmpuint (covered, ==, result.n_code);
  g_assert_true (adds);
  ls_launch_result_clear (&result);

  g_assert_true (ls_runner_launch (runner, &what, &result, &error));      /* not compiled again */
  g_assert_cmpfloat (result.compile_ms, <, MAX (first_ms, 0.1));
  g_assert_cmpuint (result.n_code, >, 8);
  ls_launch_result_clear (&result);
}

/* A table of lines belongs to the code that runs, and asking for it changes no byte of that. */
static void
test_lines (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  static const char source[] = "void f (float *restrict out, const float *in) {\n"      /* 1 */
                               "  for (int i = 0; i < 64; i++) {\n"                    /* 2 */
                               "    float sum = in[i] * 3.5f;\n"                       /* 3 */
                               "    out[i] = sum / in[i + 64];\n"                      /* 4 */
                               "  }\n"
                               "}\n";
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b[2] = { new_buffer (runner, LS_FLOAT, 64), new_buffer (runner, LS_FLOAT, 128) };
  LsLaunch what = { .compiler = compiler, .name = "f", .source = source, .n_buffers = 2, .buffers = b, .repeats = 1, .timeout_ms = 10000 };
  LsLaunchResult without, with;
  g_assert_true (ls_runner_launch (runner, &what, &without, &error));
  what.lines = TRUE;
  g_assert_true (ls_runner_launch (runner, &what, &with, &error));
  g_assert_no_error (error);
  g_assert_null (without.lines);
  g_assert_nonnull (with.lines);
  g_assert_cmpuint (with.n_code, ==, without.n_code);
  if (!g_str_equal (compiler, "tcc"))      /* which writes addresses of memory into its calls and constants */
    g_assert_cmpmem (with.code, with.n_code, without.code, without.n_code);

  g_autoptr (GArray) code = ls_disassemble (with.code, with.n_code, with.code_address, with.lines);
  guint seen[8] = { 0 };
  for (guint k = 0; k < code->len; k++) {
    const LsInstruction *at = &g_array_index (code, LsInstruction, k);
    g_assert_cmpuint (at->line, <=, 6);
    seen[at->line]++;
    /* the arithmetic is where the source says */
    if (g_str_has_prefix (at->text, "mulss") || g_str_has_prefix (at->text, "mulps"))
      g_assert_cmpuint (at->line, ==, 3);
    if (g_str_has_prefix (at->text, "divss") || g_str_has_prefix (at->text, "divps"))
      g_assert_cmpuint (at->line, ==, 4);
  }
  g_assert_cmpuint (seen[3], >, 0);
  g_assert_cmpuint (seen[4], >, 0);
  g_assert_cmpuint (ls_code_line_at (with.lines, 0), ==, g_array_index (code, LsInstruction, 0).line);
  g_assert_cmpuint (ls_code_line_at (NULL, 0), ==, 0);
  ls_launch_result_clear (&without);
  ls_launch_result_clear (&with);
}

static char *
only_file (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir ? g_dir_read_name (dir) : NULL;
  char *path = name ? g_build_filename (folder, name, NULL) : NULL;
  g_assert_true (!dir || g_dir_read_name (dir) == NULL);
  return path;
}

/* Code is kept between runs, looked at before it is used, and not where that is not wanted. */
static void
test_kept (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", NULL), *code = g_build_filename (folder, "lazyscope", "code", NULL),
                  *bytes = NULL;
  g_autofree char *before = g_strdup (g_getenv ("XDG_CACHE_HOME"));
  gsize n;
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  for (guint turn = 0; turn < 4; turn++) {      /* not kept; made; kept; broken, and made again */
    g_autofree char *file = only_file (code);
    g_assert_true ((file != NULL) == (turn > 1));
    if (turn == 3) {
      g_assert_true (g_file_get_contents (file, &bytes, &n, NULL));
      bytes[n / 2] ^= 1;
      g_assert_true (g_file_set_contents (file, bytes, (gssize) n, NULL));
    }
    GStatBuf then = { 0 };
    struct utimbuf long_ago = { 1000, 1000 };
    if (turn == 2) {
      g_assert_cmpint (g_utime (file, &long_ago), ==, 0);
      g_assert_cmpint (g_stat (file, &then), ==, 0);
    }
    g_setenv ("LAZYSCOPE_CACHE", turn == 0 ? "0" : "1", TRUE);
    g_autoptr (LsRunner) runner = ls_runner_new ();
    g_autoptr (GError) error = NULL;
    LsBuffer *b[3] = { new_buffer (runner, LS_FLOAT, 1000), new_buffer (runner, LS_FLOAT, 1000), new_buffer (runner, LS_FLOAT, 1000) };
    ((float *) b[1]->data)[7] = 2;
    LsLaunchResult result;
    gboolean ok = launch (runner, compiler, "add", ADD, 3, b, 10000, &result, &error);
    g_assert_no_error (error);
    g_assert_true (ok);
    g_assert_cmpfloat (((float *) b[0]->data)[7], ==, 2);
    g_assert_cmpuint (result.n_code, >, 8);
    ls_launch_result_clear (&result);
    GStatBuf now;
    if (turn == 2) {      /* the same file, and it was used: a time is noted in it, and another one would have been put in its place */
      g_assert_cmpint (g_stat (file, &now), ==, 0);
      g_assert_cmpuint (now.st_ino, ==, then.st_ino);
      g_assert_cmpint (now.st_mtime, >, 1000);
    }
  }
  g_autofree char *file = only_file (code), *again = NULL;
  gsize m;
  g_assert_true (g_file_get_contents (file, &again, &m, NULL));
  g_assert_true (m != n || memcmp (again, bytes, n) != 0);
  g_unlink (file);
  g_autofree char *above = g_path_get_dirname (code);
  g_rmdir (code);
  g_rmdir (above);
  g_rmdir (folder);
  g_unsetenv ("LAZYSCOPE_CACHE");
  if (before)
    g_setenv ("XDG_CACHE_HOME", before, TRUE);
  else
    g_unsetenv ("XDG_CACHE_HOME");
}

/* A complete file under another's name is rejected. */
static void
test_swapped (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", NULL), *code = g_build_filename (folder, "lazyscope", "code", NULL),
                  *before = g_strdup (g_getenv ("XDG_CACHE_HOME"));
  char *paths[2] = { NULL };
  g_autofree char *aside = g_build_filename (folder, "aside", NULL);
  static const char *const sources[] = { "void f(int* a) { a[0] = 5; }\n", "void f(int* a) { a[0] = 7; }\n" };
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  for (guint turn = 0; turn < 4; turn++) {
    if (turn == 2) {
      g_autoptr (GDir) dir = g_dir_open (code, 0, NULL);
      for (guint k = 0; k < 2; k++)
        paths[k] = g_build_filename (code, g_dir_read_name (dir), NULL);
      g_assert_true (g_rename (paths[0], aside) == 0 && g_rename (paths[1], paths[0]) == 0 && g_rename (aside, paths[1]) == 0);
    }
    g_autoptr (LsRunner) runner = ls_runner_new ();
    g_autoptr (GError) error = NULL;
    LsBuffer *b[1] = { new_buffer (runner, LS_INT32, 1) };
    LsLaunchResult result;
    gboolean ok = launch (runner, compiler, "f", sources[turn % 2], 1, b, 10000, &result, &error);
    g_assert_no_error (error);
    g_assert_true (ok);
    g_assert_cmpint (((int *) b[0]->data)[0], ==, turn % 2 ? 7 : 5);
    ls_launch_result_clear (&result);
  }
  for (guint k = 0; k < 2; k++) {
    g_unlink (paths[k]);
    g_free (paths[k]);
  }
  g_autofree char *above = g_path_get_dirname (code);
  g_rmdir (code);
  g_rmdir (above);
  g_rmdir (folder);
  if (before)
    g_setenv ("XDG_CACHE_HOME", before, TRUE);
  else
    g_unsetenv ("XDG_CACHE_HOME");
}

static void
test_messages (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
  LsLaunchResult result;
  g_autoptr (GError) syntax = NULL;
  g_assert_false (launch (runner, compiler, "bad", "void bad (float *a) {\n  a[0] = nothing + 1;\n}\n", 1, b, 1000, &result, &syntax));
  assert_message (syntax, LS_ERROR_COMPILE, "kernel.c:2");
  g_assert_true (result.compile_failed);
  g_assert_nonnull (strstr (result.message, "kernel.c:2"));
  ls_launch_result_clear (&result);

  g_autoptr (GError) missing = NULL;
  g_assert_false (launch (runner, compiler, "far", "float no_such_function (float);\nvoid far (float *a) { a[0] = no_such_function "
                                                   "(a[1]); }\n", 1, b, 1000,
                          &result, &missing));
  assert_message (missing, LS_ERROR_COMPILE, "no_such_function");
  g_assert_true (result.compile_failed);
  ls_launch_result_clear (&result);

  g_autoptr (GError) error = NULL;      /* and the runner goes on */
  g_assert_true (launch (runner, compiler, "good", "void good (float *a) { a[0] = 7; }\n", 1, b, 1000, &result, &error));
  g_assert_cmpfloat (((float *) b[0]->data)[0], ==, 7);
  ls_launch_result_clear (&result);
}

static void
test_undeclared (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
  LsLaunchResult result;
  g_assert_false (launch (runner, "tcc", "far", "void far (float *a) { a[0] = sinf (a[1]); }\n", 1, b, 1000, &result, &error));
  assert_message (error, LS_ERROR_COMPILE, "sinf");
  ls_launch_result_clear (&result);
  g_clear_error (&error);
  /* The system is out of the built-in compiler's reach. */
  g_assert_false (launch (runner, "tcc", "leave", "void exit (int);\nvoid leave (float *a) { exit (3); }\n", 1, b, 1000, &result, &error));
  assert_message (error, LS_ERROR_COMPILE, "exit");
  ls_launch_result_clear (&result);
}

static void
test_functions (gconstpointer compiler)
{
  static const char source[] =
    "float exp2f (float); float log2f (float); float sinf (float); float sqrtf (float); float powf (float, float); float truncf (float);\n"
    "double exp2 (double); double sin (double);\n"
    "void f (float *o, float *i, double *d, unsigned long *u) {\n"
    "  o[0] = exp2f (i[0]); o[1] = log2f (i[0]); o[2] = sinf (i[0]); o[3] = sqrtf (i[0]); o[4] = powf (i[0], i[0]); o[5] = truncf (i[0]);\n"
    "  d[0] = exp2 (d[2]); d[1] = sin (d[2]);\n"
    "  o[6] = (float) u[0]; u[1] = (unsigned long) d[3];\n"
    "}\n";
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *d = ls_runner_buffer_new (runner, 2, LS_DOUBLE, 4, NULL), *u = ls_runner_buffer_new (runner, 3, LS_UINT64, 2, NULL);
  LsBuffer *b[4] = { new_buffer (runner, LS_FLOAT, 8), new_buffer (runner, LS_FLOAT, 1), d, u };
  float x = 1.7f, *o = (float *) (gpointer) b[0]->data;
  double *dd = (double *) (gpointer) d->data;
  guint64 *uu = (guint64 *) (gpointer) u->data;
  memcpy (b[1]->data, &x, 4);
  dd[2] = 0.3;
  dd[3] = 18446744073709549568.0;
  uu[0] = G_MAXUINT64 - 5;
  LsLaunchResult result;
  g_assert_true (launch (runner, compiler, "f", source, 4, b, 1000, &result, &error));
  g_assert_no_error (error);
  const float expected[] = { exp2f (x), log2f (x), sinf (x), sqrtf (x), powf (x, x), truncf (x), (float) uu[0] };
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
    g_assert_cmpfloat (o[k], ==, expected[k]);
  g_assert_cmpfloat (dd[0], ==, exp2 (0.3));
  g_assert_cmpfloat (dd[1], ==, sin (0.3));
  g_assert_cmpuint (uu[1], ==, 18446744073709549568u);
  ls_launch_result_clear (&result);
}

static void
test_crash (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
  LsLaunchResult result;
  ((float *) b[0]->data)[1] = 42;
  static const struct { const char *source, *text; } rows[] = {
    { "void r_4 (float *a) { *(volatile float *) 8 = 1; }\n", "kernel r_4 crashed (SIGSEGV at address 0x8)" },
    { "void r_4 (volatile int *a) { a[2] = a[0] / a[0]; }\n", "kernel r_4 crashed (SIGFPE)" },
    { "void r_4 (float *a) { a[100 << 20] = 1; }\n", "kernel r_4 crashed (SIGBUS at address 0x" },
    { "volatile char keep; void deep (int n) { volatile char room[4096]; room[n & 1] = 1; if (n) deep (n - 1); keep = room[0]; }\n"
      "void r_4 (float *a) { deep (1 << 20); }\n", "kernel r_4 crashed (SIGSEGV" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (launch (runner, compiler, "r_4", rows[k].source, 1, b, 5000, &result, &error));
    assert_message (error, LS_ERROR_RUN, rows[k].text);
    g_assert_false (result.compile_failed);
    g_assert_cmpuint (result.n_code, >, 0);
    ls_launch_result_clear (&result);
    g_clear_error (&error);
    g_assert_true (launch (runner, compiler, "good", "void good (float *a) { a[0] = a[1]; }\n", 1, b, 5000, &result, &error));
    g_assert_no_error (error);
    g_assert_cmpfloat (((float *) b[0]->data)[0], ==, 42);      /* buffers outlive the process */
    ((float *) b[0]->data)[0] = 0;
    ls_launch_result_clear (&result);
  }
}

static void
test_spin (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
  LsLaunchResult result;
  g_autoptr (GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();
  g_assert_false (launch (runner, compiler, "spin", "void spin (volatile float *a) { for (;;) a[0] += 1; }\n", 1, b, 300, &result, &error));
  g_assert_error (error, LS_FAULT, LS_FAULT_TIME);
  g_assert_cmpstr (error->message, ==, "kernel spin ran past its limit of 300 ms (--set TIMEOUT_MS=N allows more)");
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 5 * G_TIME_SPAN_SECOND);
  ls_launch_result_clear (&result);
  g_clear_error (&error);
  g_assert_true (launch (runner, compiler, "good", "void good (float *a) { a[0] = 1; }\n", 1, b, 5000, &result, &error));
  ls_launch_result_clear (&result);
}

static void
test_exit (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
  LsLaunchResult result;
  g_autoptr (GError) error = NULL;
  g_assert_false (launch (runner, compiler, "leave", "void exit (int);\nvoid leave (float *a) { exit (3); }\n", 1, b, 5000, &result,
                          &error));
  assert_message (error, LS_ERROR_RUN, "kernel leave ended the process (exit status 3)");
  ls_launch_result_clear (&result);
}

static void
test_many_arguments (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) source = g_string_new ("void wide (");
  LsBuffer *b[100];
  for (guint k = 0; k < 100; k++) {
    b[k] = new_buffer (runner, LS_FLOAT, 1);
    g_string_append_printf (source, "%sfloat *a%u", k ? ", " : "", k);
  }
  g_string_append (source, ") {\n");
  for (guint k = 0; k < 100; k++)
    g_string_append_printf (source, "  a%u[0] = %u;\n", k, k);
  g_string_append (source, "}\n");
  LsLaunchResult result;
  g_assert_true (launch (runner, compiler, "wide", source->str, 100, b, 5000, &result, &error));
  g_assert_no_error (error);
  for (guint k = 0; k < 100; k++)
    g_assert_cmpfloat (*(float *) b[k]->data, ==, (float) k);
  ls_launch_result_clear (&result);
  /* too few buffers for the function */
  g_assert_false (launch (runner, compiler, "wide", source->str, 99, b, 5000, &result, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_COMPILE);
  ls_launch_result_clear (&result);
}

/* For a process and its children: this one and the runner. */
static gsize
resident_kib (const char *pid)
{
  g_autofree char *statm = g_strdup_printf ("/proc/%s/statm", pid);
  g_autofree char *children = g_strdup_printf ("/proc/%s/task/%s/children", pid, pid);
  g_autofree char *text = NULL, *list = NULL;
  gsize kib = 0;
  if (g_file_get_contents (statm, &text, NULL, NULL))
    kib = (gsize) g_ascii_strtoull (strchr (text, ' '), NULL, 10) * 4;
  if (g_file_get_contents (children, &list, NULL, NULL)) {
    g_auto (GStrv) pids = g_strsplit (list, " ", -1);
    for (guint k = 0; pids[k] && *pids[k]; k++)
      kib += resident_kib (pids[k]);
  }
  return kib;
}

static void
test_many_launches (void)
{
  guint n = g_test_thorough () ? 12000 : 1500;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *self = g_strdup_printf ("%d", getpid ());
  gsize before = 0;
  gint64 begin = 0;
  for (guint k = 0; k < n; k++) {
    if (k == n / 2) {
      before = resident_kib (self);
      begin = g_get_monotonic_time ();
    }
    LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 1 + k % 5000) };
    g_autofree char *source = g_strdup_printf ("void one (float *a) { a[0] += %u; }\n", k % 3000);
    LsLaunchResult result;
    g_assert_true (launch (runner, "tcc", "one", source, 1, b, 5000, &result, &error));
    g_assert_cmpfloat (*(float *) b[0]->data, ==, (float) (k % 3000));
    ls_launch_result_clear (&result);
    ls_runner_buffer_free (runner, b[0]);
  }
  g_test_message ("%.1f us a launch", (double) (g_get_monotonic_time () - begin) / (n - n / 2));
  g_test_message ("%" G_GSIZE_FORMAT " KiB, before %" G_GSIZE_FORMAT, resident_kib (self), before);
  g_assert_cmpuint (resident_kib (self), <, before + 4096);
}

static void
test_buffers (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  GRand *rand = g_rand_new_with_seed (7);
  LsBuffer *held[300] = { NULL };
  for (guint k = 0; k < 20000; k++) {
    guint at = (guint) g_rand_int_range (rand, 0, 300);
    if (held[at]) {
      for (gsize i = 0; i < held[at]->nbytes; i++)      /* nobody else wrote here */
        g_assert_cmphex (held[at]->data[i], ==, at % 255 + 1);
      ls_runner_buffer_free (runner, held[at]);
      held[at] = NULL;
      continue;
    }
    guint64 n = k % 50 == 0 ? (guint64) g_rand_int_range (rand, 100000, 400000) : (guint64) g_rand_int_range (rand, 0, 3000);
    held[at] = ls_runner_buffer_new (runner, at, LS_UINT8, n, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (GPOINTER_TO_SIZE (held[at]->data) % 64, ==, 0);
    for (gsize i = 0; i < held[at]->nbytes; i++)
      g_assert_cmphex (held[at]->data[i], ==, 0);
    memset (held[at]->data, (int) (at % 255 + 1), held[at]->nbytes);
  }
  g_rand_free (rand);
  g_assert_null (ls_runner_buffer_new (runner, 0, LS_FLOAT, G_MAXUINT64 / 2, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_RUN);
  g_clear_error (&error);
  g_assert_null (ls_runner_buffer_new (runner, 0, LS_FLOAT, (guint64) 1 << 50, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_RUN);
}

static void
test_large (void)
{
  static const char source[] = "void add (float *o, float *a, float *b) { for (int i = 0; i < 16777216; i++) o[i] = a[i] + b[i]; }\n";
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *b[3];
  for (guint k = 0; k < 3; k++)
    b[k] = new_buffer (runner, LS_FLOAT, 1 << 24);
  ((float *) b[1]->data)[(1 << 24) - 1] = 3;
  ((float *) b[2]->data)[(1 << 24) - 1] = 4;
  LsLaunch what = { .compiler = "tcc", .name = "add", .source = source, .n_buffers = 3, .buffers = b, .repeats = 2, .timeout_ms = 60000 };
  LsLaunchResult result;
  g_assert_true (ls_runner_launch (runner, &what, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (((float *) b[0]->data)[(1 << 24) - 1], ==, 7);
  g_test_message ("2^24 floats added in %.1f ms, then %.1f ms", (double) result.run_ns[0] / 1e6, (double) result.run_ns[1] / 1e6);
  ls_launch_result_clear (&result);
}

static void
test_names (void)
{
  g_autofree char *why_not = NULL, *of_metal = ls_compiler_list ("metal", ", ");
  g_assert_true (ls_compiler_find ("interp") == ls_compiler_reference ());
  g_assert_cmpstr (ls_compiler_default ("c")->name, ==, "tcc");
  g_assert_cmpstr (of_metal, ==, "interp");
  for (const LsCompiler *c = ls_compilers; c->name; c++) {
    g_assert_true (ls_compiler_find (c->name) == c);
    g_assert_true (!c->target || ls_target_find (c->target));
    g_assert_cmpuint (strlen (c->sentence), >, 10);
  }
  g_assert_true (ls_compiler_available ("interp", NULL));
  g_assert_false (ls_compiler_available ("icc", &why_not));
  g_assert_nonnull (strstr (why_not, "tcc, llvm, clang, gcc, interp"));
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsLaunchResult result;
  g_assert_false (launch (runner, "icc", "f", "", 0, NULL, 1000, &result, &error));
  assert_message (error, LS_ERROR_COMPILE, "icc");
  ls_launch_result_clear (&result);
}

/* Without libLLVM all is as it was. */
static void
test_no_llvm (void)
{
  if (g_test_subprocess ()) {
    g_autofree char *why_not = NULL;
    g_setenv ("LAZYSCOPE_LLVM", "none", TRUE);
    g_assert_false (ls_compiler_available ("llvm", &why_not));
    g_assert_nonnull (strstr (why_not, "is not installed"));
    g_assert_cmpstr (ls_compiler_for_times ("c")->name, !=, "llvm");
    g_assert_cmpstr (ls_compiler_default ("c")->name, ==, "tcc");
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

#define EMPTY "define void @f(ptr noalias %data0) nounwind {\n"

/* What the library refuses is a message, and what its code does wrong ends a process. */
static void
test_llvm (void)
{
  static const struct { const char *source, *flags, *message; } wrong[] = {
    { EMPTY "  nonsense\n}\n", "-O2", "expected instruction" },
    { EMPTY "  call void @exit(i32 3)\n  ret void\n}\ndeclare void @exit(i32)\n", "-O2", "it calls exit, which kernels may not" },
    { EMPTY "  store i32 1, ptr @x\n  ret void\n}\n@x = global i32 0\n", "-O0", "variables that last longer than a call" },
    { EMPTY "  ret void\n}\n", "-funroll-loops", "flag '-funroll-loops' is not LLVM's" },
    { EMPTY "  ret void\n}\n", "-passes=print", "'print' is not on the list" },
    { "define void @g() nounwind {\n  ret void\n}\n", "-O2", "does not define the function" },
  };
  if (!have ("llvm"))
    return;
  static const char *const newer[] = { "libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM.so.19.1" };      /* texts by hand have no types of
                                                                                                        * pointers, which 14 needs */
  g_autofree char *folder = g_path_get_dirname (ls_llvm_library ()), *library = NULL;
  for (guint k = 0; k < G_N_ELEMENTS (newer) && !library; k++) {
    library = g_build_filename (folder, newer[k], NULL);
    if (!g_file_test (library, G_FILE_TEST_EXISTS))
      g_clear_pointer (&library, g_free);
  }
  if (!library) {
    g_test_skip ("no version of libLLVM from 15 on is installed");
    return;
  }
  g_setenv ("LAZYSCOPE_LLVM", library, TRUE);
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *buffer = new_buffer (runner, LS_INT32, 4);
  for (guint k = 0; k < G_N_ELEMENTS (wrong); k++) {
    g_autoptr (GError) error = NULL;
    LsLaunchResult result;
    LsLaunch what = { .compiler = "llvm", .name = "f", .source = wrong[k].source, .flags = wrong[k].flags, .n_buffers = 1,
                      .buffers = &buffer, .timeout_ms = 5000 };
    g_assert_false (ls_runner_launch (runner, &what, &result, &error));
    assert_message (error, LS_ERROR_COMPILE, wrong[k].message);
    ls_launch_result_clear (&result);
  }
  static const char *const sources[] = {
    EMPTY "  store volatile i32 1, ptr null\n  ret void\n}\n",
    EMPTY "  %p = getelementptr inbounds i32, ptr %data0, i64 1\n  store i32 7, ptr %p, align 4\n  ret void\n}\n",
  };
  for (guint k = 0; k < G_N_ELEMENTS (sources); k++) {
    g_autoptr (GError) error = NULL;
    LsLaunchResult result;
    LsLaunch what = { .compiler = "llvm", .name = "f", .source = sources[k], .flags = "-O2 -march=native", .n_buffers = 1,
                      .buffers = &buffer, .timeout_ms = 5000 };
    gboolean ok = ls_runner_launch (runner, &what, &result, &error);
    if (k == 0)
      assert_message (error, LS_ERROR_RUN, "crashed");
    else
      g_assert_no_error (error);
    g_assert_cmpint (ok, ==, k > 0);
    g_assert_cmpint (*result.version, !=, 0);
    ls_launch_result_clear (&result);
  }
  g_assert_cmpint (((gint32 *) (gpointer) buffer->data)[1], ==, 7);
  g_unsetenv ("LAZYSCOPE_LLVM");
}

static void
test_no_runner (void)
{
  if (g_test_subprocess ()) {
    g_setenv ("LAZYSCOPE_RUNNER", "/nonexistent", TRUE);
    g_autoptr (LsRunner) runner = ls_runner_new ();
    g_autoptr (GError) error = NULL;
    LsLaunchResult result;
    g_assert_false (launch (runner, "tcc", "add", ADD, 0, NULL, 1000, &result, &error));
    assert_message (error, LS_ERROR_COMPILE, "not installed");
    g_assert_false (ls_compiler_available ("tcc", NULL));
    ls_launch_result_clear (&result);
    g_clear_error (&error);
    g_setenv ("LAZYSCOPE_RUNNER", "/bin/true", TRUE);
    g_assert_false (launch (runner, "tcc", "add", ADD, 0, NULL, 1000, &result, &error));
    assert_message (error, LS_ERROR_RUN, "/bin/true did not start");
    ls_launch_result_clear (&result);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* The installed compilers' files are gone with the runner. */
/* Kernels compiled side by side are found by their launches; without a cache nothing is compiled ahead; a wrong text is its launch's. */
static void
test_side_by_side (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", NULL), *before = g_strdup (g_getenv ("XDG_CACHE_HOME"));
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  for (guint turn = 0; turn < 2; turn++) {
    g_setenv ("LAZYSCOPE_CACHE", turn == 0 ? "0" : "1", TRUE);
    g_autoptr (LsRunner) runner = ls_runner_new ();
    LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
    LsLaunch launches[6];
    char *texts[6];
    double ms[6];
    for (guint k = 0; k < 6; k++) {
      texts[k] = k == 4 ? g_strdup ("void f (float *a) { a[0] = undeclared; }\n")
                        : g_strdup_printf ("void f (float *a) { a[0] = %u; }\n", k);
      launches[k] = (LsLaunch) { .compiler = k == 5 ? "tcc" : compiler, .name = "f", .source = texts[k], .flags = "-O2", .n_buffers = 1,
                                 .buffers = b, .timeout_ms = 10000 };
    }
    ls_runner_compile (runner, 6, launches, ms);
    gboolean side_by_side = turn == 1 && g_get_num_processors () > 1;
    for (guint k = 0; k < 6; k++) {
      LsLaunchResult result;
      g_autoptr (GError) error = NULL;
      gboolean ok = ls_runner_launch (runner, &launches[k], &result, &error);
      g_assert_true (ok == (k != 4));
      g_assert_true (k != 4 || g_error_matches (error, LS_ERROR, LS_ERROR_COMPILE));
      g_assert_true (!ok || ((float *) b[0]->data)[0] == (float) k);
      g_assert_true (k == 4 || isnan (ms[k]) == (k == 5 || !side_by_side));
      ls_launch_result_clear (&result);
      g_free (texts[k]);
    }
  }
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", folder);
  g_assert_cmpint (system (remove), ==, 0);
  g_unsetenv ("LAZYSCOPE_CACHE");
  if (before)
    g_setenv ("XDG_CACHE_HOME", before, TRUE);
  else
    g_unsetenv ("XDG_CACHE_HOME");
}

static void
test_no_litter (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  if (g_test_subprocess ()) {
    g_autoptr (GError) error = NULL;
    g_autofree char *temp = g_dir_make_tmp ("lazyscope-test-XXXXXX", NULL);
    g_setenv ("TMPDIR", temp, TRUE);
    LsRunner *runner = ls_runner_new ();
    LsBuffer *b[1] = { new_buffer (runner, LS_FLOAT, 4) };
    LsLaunchResult result;
    g_assert_true (launch (runner, compiler, "good", "void good (float *a) { a[0] = 1; }\n", 1, b, 5000, &result, &error));
    ls_launch_result_clear (&result);
    ls_runner_free (runner);
    g_assert_cmpint (rmdir (temp), ==, 0);      /* only an empty one can be removed */
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* A view that reaches outside is refused where its elements are computed to stand: with a stride of half of all integers every other
 * one would be inside. */
static void
test_offscreen (void)
{
  static const struct { gint64 stride, offset; gboolean good; } views[] = { { 1, 0, TRUE }, { -1, 3, TRUE }, { 2, 0, FALSE }, {
    1, 2, FALSE }, { -1, 1, FALSE }, { G_MININT64, 0, FALSE }, { G_MAXINT64, 0, FALSE } };
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint64 shape[] = { 3 };
  gint32 data[] = { 1, 2, 3, 4 };
  LsEvalBuffer buffer = { 0, LS_INT32, 4, (guint8 *) data };
  LsUOp *global = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_INT32, LS_SPACE_GLOBAL, 4), ls_arg_int (0));
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    const LsView *view = ls_view_new (ctx, 1, shape, &views[i].stride, views[i].offset, NULL);
    LsUOp *at = ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, ls_arg_tracker (ctx, ls_tracker_new (ctx, 1, &view)));
    LsUOp *load = ls_uop_new2 (ctx, LS_OP_LOAD, LS_INT32, global, at, ls_arg_none ());
    g_autoptr (GError) error = NULL;
    g_autoptr (LsEvaluation) e = ls_evaluate (ctx, load, 1, &buffer, 100, FALSE, &error);
    g_assert_true ((e != NULL) == views[i].good);
    guint64 n;
    if (!e)
      g_assert_error (error, LS_FAULT, LS_FAULT_OUTSIDE);
    else
      g_assert_cmpint (ls_evaluation_values (e, load, &n)[1].i, ==, views[i].stride > 0 ? 2 : 3);
  }
  /* below a view there may be nodes without a shape: a range, a store */
  const gint64 stride = 1, range[] = { 0, 0, 0 };
  const LsView *view = ls_view_new (ctx, 1, shape, &stride, 0, NULL);
  LsUOp *index = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, 3), ls_arg_ints (ctx, 3, range));
  LsUOp *below[] = { index, ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, global, index, ls_arg_none ()) };
  for (guint i = 0; i < G_N_ELEMENTS (below); i++) {
    g_autoptr (GError) error = NULL;
    LsUOp *seen = ls_uop_new1 (ctx, LS_OP_VIEW, LS_INDEX, below[i], ls_arg_tracker (ctx, ls_tracker_new (ctx, 1, &view)));
    g_assert_null (ls_evaluate (ctx, seen, 1, &buffer, 100, FALSE, &error));
    g_assert_nonnull (error);
  }
}

/* LOAD at lanes 0, 2, 4, 6 of four elements, through an unrolled axis: what a closed gate keeps back may lie outside, what an open
 * one lets through or has no gate is a fault. */
static void
test_unrolled_gate (void)
{
  static const struct { guint n_src; gint64 limit; gboolean good; } rows[] = { { 3, 4, TRUE }, { 3, 5, FALSE }, { 2, 0, FALSE } };
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint32 data[] = { 1, 2, 3, 4 };
  gint64 places[] = { 0, 2, 4, 6 }, axis[] = { 1, 0, 4 };
  LsEvalBuffer buffer = { 0, LS_INT32, 4, (guint8 *) data };
  LsUOp *global = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_INT32, LS_SPACE_GLOBAL, 4), ls_arg_int (0));
  LsDType index4 = ls_dtype_vec (LS_INDEX, 4);
  LsUOp *at = ls_uop_new0 (ctx, LS_OP_VCONST, index4, ls_arg_ints (ctx, 4, places));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LsUOp *limits[4], *src[3] = { global, at };
    for (guint k = 0; k < 4; k++)
      limits[k] = ls_uop_const_i (ctx, LS_INDEX, rows[i].limit);
    src[2] = ls_uop_alu2 (ctx, LS_OP_CMPLT, at, ls_uop_new (ctx, LS_OP_VECTORIZE, index4, 4, limits, ls_arg_none ()));
    LsUOp *pointers = ls_uop_new (ctx, LS_OP_INDEX, ls_dtype_vec (global->dtype, 4), rows[i].n_src, src, ls_arg_none ());
    LsUOp *unrolled = ls_uop_new1 (ctx, LS_OP_UNROLL, global->dtype, pointers, ls_arg_ints (ctx, 3, axis));
    LsUOp *load = ls_uop_new2 (ctx, LS_OP_LOAD, LS_INT32, unrolled, ls_uop_const_i (ctx, LS_INT32, 9), ls_arg_none ());
    g_autoptr (GError) error = NULL;
    g_autoptr (LsEvaluation) e = ls_evaluate (ctx, load, 1, &buffer, 100, FALSE, &error);
    g_assert_true ((e != NULL) == rows[i].good);
    if (!e) {
      g_assert_error (error, LS_FAULT, LS_FAULT_OUTSIDE);
      continue;
    }
    guint64 n;
    const LsScalar *v = ls_evaluation_values (e, load, &n);
    static const gint64 want[] = { 1, 3, 9, 9 };
    g_assert_cmpuint (n, ==, 4);
    for (guint k = 0; k < 4; k++)
      g_assert_cmpint (v[k].i, ==, want[k]);
  }
}

/* Two lanes by one pointer are an address and a width, and a pointer to pairs counts pairs. */
static void
test_width (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint32 data[] = { 1, 2, 3, 4 };
  LsEvalBuffer buffer = { 0, LS_INT32, 4, (guint8 *) data };
  LsDType pair = ls_dtype_vec (LS_INT32, 2), pairs = ls_dtype_ptr (pair, LS_SPACE_GLOBAL, 2);
  LsUOp *global = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_INT32, LS_SPACE_GLOBAL, 4), ls_arg_int (0));
  LsUOp *one = ls_uop_const_i (ctx, LS_INDEX, 1), *three = ls_uop_const_i (ctx, LS_INDEX, 3);
  LsUOp *inner = ls_uop_new2 (ctx, LS_OP_INDEX, global->dtype, global, one, ls_arg_none ()),
        *last = ls_uop_new2 (ctx, LS_OP_INDEX, global->dtype, global, three, ls_arg_none ());
  LsUOp *loads[] = { ls_uop_new1 (ctx, LS_OP_LOAD, pair, ls_uop_new1 (ctx, LS_OP_CAST, pairs, inner, ls_arg_none ()), ls_arg_none ()),
                     ls_uop_new1 (ctx, LS_OP_LOAD, pair, ls_uop_new2 (ctx, LS_OP_INDEX, pairs,
                                                                      ls_uop_new1 (ctx, LS_OP_CAST, pairs, global, ls_arg_none ()), one,
                                                                      ls_arg_none ()), ls_arg_none ()),
                     ls_uop_new1 (ctx, LS_OP_LOAD, pair, ls_uop_new1 (ctx, LS_OP_CAST, pairs, last, ls_arg_none ()), ls_arg_none ()) };
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsEvaluation) e = ls_evaluate (ctx, loads[i], 1, &buffer, 100, FALSE, &error);
    guint64 n;
    if (i == 2) {
      g_assert_error (error, LS_FAULT, LS_FAULT_OUTSIDE);
      break;
    }
    g_assert_no_error (error);
    const LsScalar *v = ls_evaluation_values (e, loads[i], &n);
    g_assert_cmpint (v[0].i, ==, (gint64) i + 2);
    g_assert_cmpint (v[1].i, ==, (gint64) i + 3);
  }
}

/* More arguments than tcc puts into a call. */
static void
test_arguments (void)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  GString *source = g_string_new ("static int many (int x) { return x; }\nvoid many_of (float *a0"),
          *sum = g_string_new ("a0[0] = many (1)");
  LsBuffer *b[600];
  for (guint k = 0; k < G_N_ELEMENTS (b); k++) {
    b[k] = new_buffer (runner, LS_FLOAT, 1);
    *(float *) b[k]->data = (float) k;
    if (k > 0) {
      g_string_append_printf (source, ", const float *restrict a%u", k);
      g_string_append_printf (sum, " + a%u[0]", k);
    }
  }
  g_string_append_printf (source, ") {\n  %s;\n}\n", sum->str);
  g_autoptr (GError) error = NULL;
  LsLaunchResult result;
  g_assert_true (launch (runner, "tcc", "many_of", source->str, G_N_ELEMENTS (b), b, 5000, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (*(float *) b[0]->data, ==, 600 * 599 / 2 + 1);
  ls_launch_result_clear (&result);
  for (guint k = 0; k < G_N_ELEMENTS (b); k++)
    ls_runner_buffer_free (runner, b[k]);
  g_string_free (source, TRUE);
  g_string_free (sum, TRUE);
}

/* Flags that choose code are accepted; those that change its meaning, the calling convention or the files that a compiler reads and
 * writes are not. */
static void
test_flags (void)
{
  static const char *const taken[] = { "", "-O3", "-O3 -funroll-loops -DTILE=4", "-fno-tree-vectorize",
                                       "-fno-slp-vectorize", "-mavx2 -mno-fma",
                                       "-march=native -mtune=native", "-mprefer-vector-width=512",
                                       "-finline-limit=400", "-fwrapv", "-g", "-std=c11",
                                       "-fno-builtin", "-fno-math-errno", "-fopenmp-simd", "-fno-strict-aliasing", "-UTILE" };
  static const char *const refused[] = { "-Ofast", "-ffast-math", "-ffp-contract=fast", "-fno-signed-zeros", "-mrecip", "-fno-wrapv",
                                         "-ftrapv",
                                         "-fstrict-aliasing", "-funsigned-char", "-fsigned-char", "-fshort-enums",
                                         "-m32", "-mabi=ms", "-mlong-double-64",
                                         "-mveclibabi=svml", "-fveclib=SVML", "-fsanitize=address", "-fprofile-generate",
                                         "-fprofile-use=x", "-fdump-tree-all=/tmp/x", "-fuse-ld=/tmp/x", "-fplugin=x.so", "-fno-such-flag",
                                         "-ftime-trace=x", "-gsplit-dwarf",
                                         "-include x.h", "-imacros x.h", "-I/tmp", "-L/tmp", "-lx", "-o x", "-B/tmp", "-specs=x", "@x",
                                         "x.c", "-x c++", "-Wl,-init=f", "-Wp,-include,x", "-Wa,-I,/", "-Xclang -load", "-mllvm -x",
                                         "-Dfloat=double", "-Dsqrtf=", "-Dint=long", "-DINFINITY=0", "-UNAN", "-D__FAST_MATH__", "-D",
                                         "-DF(x)=x -Dfor=while" };
  for (gsize i = 0; i < G_N_ELEMENTS (taken); i++) {
    g_autoptr (GError) error = NULL;
    if (!ls_compiler_check_flags (taken[i], &error))
      g_test_fail_printf ("'%s': %s", taken[i], error->message);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (GError) error = NULL;
    if (ls_compiler_check_flags (refused[i], &error) || !g_error_matches (error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED))
      g_test_fail_printf ("'%s' is not refused", refused[i]);
  }
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "tcc", "clang", "gcc" };
  static const struct { const char *name; GTestDataFunc test; gboolean with_tcc; } tests[] = {
    { "add", test_add, TRUE }, { "messages", test_messages, TRUE }, { "lines", test_lines, TRUE }, { "functions", test_functions, TRUE },
    { "crash", test_crash, TRUE },
    { "spin", test_spin, TRUE }, { "exit", test_exit, FALSE }, { "many-arguments", test_many_arguments, TRUE },
    { "kept", test_kept, FALSE }, { "swapped", test_swapped, FALSE }, { "no-litter", test_no_litter, FALSE },
    { "side-by-side", test_side_by_side, FALSE },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint c = 0; c < G_N_ELEMENTS (compilers); c++)
    for (guint t = 0; t < G_N_ELEMENTS (tests); t++) {
      g_autofree char *path = g_strdup_printf ("/run/%s/%s", compilers[c], tests[t].name);
      if (tests[t].with_tcc || c > 0)
        g_test_add_data_func (path, compilers[c], tests[t].test);
    }
  g_test_add_func ("/run/undeclared", test_undeclared);
  g_test_add_func ("/run/buffers", test_buffers);
  g_test_add_func ("/run/flags", test_flags);
  g_test_add_func ("/run/many-launches", test_many_launches);
  g_test_add_func ("/run/large", test_large);
  g_test_add_func ("/run/names", test_names);
  g_test_add_func ("/run/no-runner", test_no_runner);
  g_test_add_func ("/run/no-llvm", test_no_llvm);
  g_test_add_func ("/run/llvm", test_llvm);
  g_test_add_func ("/run/outside", test_offscreen);
  g_test_add_func ("/run/unrolled-gate", test_unrolled_gate);
  g_test_add_func ("/run/width", test_width);
  g_test_add_func ("/run/arguments", test_arguments);
  return g_test_run ();
}
