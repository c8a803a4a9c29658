/* Shared by tests of launches. */
#pragma once
#include "run/run.h"

/* Is the compiler there? A test that wants it is skipped with the reason where it is not. */
static inline gboolean
have (const char *compiler)
{
  g_autofree char *why_not = NULL;
  if (ls_compiler_available (compiler, &why_not))
    return TRUE;
  g_test_skip (why_not);
  return FALSE;
}

static inline LsBuffer *
new_buffer (LsRunner *runner, LsDType dtype, guint64 n)
{
  g_autoptr (GError) error = NULL;
  LsBuffer *buffer = ls_runner_buffer_new (runner, 0, dtype, n, &error);
  g_assert_no_error (error);
  return buffer;
}

/* Compiles a function f (int *out, or with the thread's number if threads) and calls it once. */
static inline gboolean
launch_source (LsRunner *runner, const char *compiler, const char *source, guint threads, LsBuffer *buffer, GError **error)
{
  LsLaunch what = { .compiler = compiler, .name = "f", .source = source, .n_buffers = 1, .buffers = &buffer, .threads = threads,
                    .timeout_ms = 10000 };
  LsLaunchResult result;
  gboolean ok = ls_runner_launch (runner, &what, &result, error);
  ls_launch_result_clear (&result);
  return ok;
}
