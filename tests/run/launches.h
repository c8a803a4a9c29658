/* What tests of launches need. */
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
