#include "golden.h"
#include <string.h>

/* By the longest common subsequence: golden files are small. */
char *
golden_diff (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a, "\n", -1), y = g_strsplit (b, "\n", -1);
  guint n = g_strv_length (x), m = g_strv_length (y);
  g_autofree guint *common = g_new0 (guint, (gsize) (n + 1) * (m + 1));
  GString *out = g_string_new (NULL);
  for (guint i = n; i-- > 0; )
    for (guint k = m; k-- > 0; )
      common[i * (m + 1) + k] = g_str_equal (x[i], y[k]) ? common[(i + 1) * (m + 1) + k + 1] + 1
                                                         : MAX (common[(i + 1) * (m + 1) + k], common[i * (m + 1) + k + 1]);
  for (guint i = 0, k = 0; i < n || k < m; ) {
    if (i < n && k < m && g_str_equal (x[i], y[k]))
      i++, k++;
    else if (k == m || (i < n && common[(i + 1) * (m + 1) + k] >= common[i * (m + 1) + k + 1]))
      g_string_append_printf (out, "%u- %s\n", i + 1, x[i]), i++;
    else
      g_string_append_printf (out, "%u+ %s\n", k + 1, y[k]), k++;
  }
  return g_string_free (out, FALSE);
}

void
golden_check (const char *name, const char *text)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *golden = NULL;
  if (g_strcmp0 (g_getenv ("LS_UPDATE_GOLDEN"), "1") == 0) {
    g_file_set_contents (path, text, -1, &error);
    g_assert_no_error (error);
    return;
  }
  g_file_get_contents (path, &golden, NULL, &error);
  g_assert_no_error (error);
  if (g_str_equal (golden, text))
    return;
  g_autofree char *diff = golden_diff (golden, text);
  g_test_message ("%s differs:\n%s", name, diff);
  g_test_fail_printf ("%s is not what it was; LS_UPDATE_GOLDEN=1 renews it\n%s", name, diff);
}
