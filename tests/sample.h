/* The part of a long test that is done where minutes count. LS_SLOWLY=1: all of it. */
#pragma once
#include <glib.h>
#include <string.h>

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

static inline gint
fixture_by_path (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The paths of the examples and cases, sorted; one in that many of them. Free with g_ptr_array_unref. */
static inline GPtrArray *
fixture_examples_and_cases (guint one_in)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  const char *folders[] = { g_getenv ("LAZYSCOPE_PROGRAMS"), g_getenv ("LAZYSCOPE_CASES") };
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GDir) dir = g_dir_open (folders[i], 0, &error);
    g_assert_no_error (error);
    for (const char *name; (name = g_dir_read_name (dir));)
      if (g_str_has_suffix (name, ".py"))
        g_ptr_array_add (all, g_build_filename (folders[i], name, NULL));
  }
  g_ptr_array_sort (all, fixture_by_path);
  GPtrArray *some = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < all->len; i += one_in)
    g_ptr_array_add (some, g_strdup (all->pdata[i]));
  return some;
}
