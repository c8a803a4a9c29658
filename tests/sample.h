/* The part of a long test that is done where minutes count. LS_SLOWLY=1: all of it. */
#pragma once
#include <glib.h>

/* One in how many of these: of_all, and under a sanitizer of_sanitized; unless it is all of them, the test's output says so. */
static inline guint
fixture_share (guint of_all, guint of_sanitized, const char *of_what)
{
#if defined __SANITIZE_ADDRESS__
  guint n = of_sanitized;
#else
  guint n = of_all;
#endif
  if (n == 1 || g_getenv ("LS_SLOWLY"))
    return 1;
  g_print ("# one in %u %s: all of them (LS_SLOWLY=1) take minutes\n", n, of_what);
  return n;
}

/* All of these, and one in n under a sanitizer. */
static inline guint
fixture_sample (guint n, const char *of_what)
{
  return fixture_share (1, n, of_what);
}
