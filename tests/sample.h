/* The part of a long test that is done under a sanitizer. */
#pragma once
#include <glib.h>

/* One in how many of these: all, but under a sanitizer n; then the test's output says so. LS_SLOWLY=1: all the same. */
static inline guint
fixture_sample (guint n, const char *of_what)
{
#if defined __SANITIZE_ADDRESS__
  if (!g_getenv ("LS_SLOWLY")) {
    g_print ("# one in %u %s: under a sanitizer, all of them (LS_SLOWLY=1) take minutes\n", n, of_what);
    return n;
  }
#endif
  return 1;
}
