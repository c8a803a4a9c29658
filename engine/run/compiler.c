/* Which compilers there are, and whether they can be used here. */
#include "run.h"

#include "process-private.h"

static const char *const names[] = { "tcc", "clang", "gcc", "interp", NULL };

const char *const *
ls_compiler_names (void)
{
  return names;
}

gboolean
ls_compiler_available (const char *name, char **why_not)
{
  if (why_not)
    *why_not = NULL;
  if (!g_strv_contains (names, name)) {
    g_autofree char *known = g_strjoinv (", ", (char **) names);
    if (why_not)
      *why_not = g_strdup_printf ("there is no compiler \"%s\"; known are %s", name, known);
    return FALSE;
  }
  if (g_str_equal (name, "interp"))
    return TRUE;
  g_autofree char *runner = ls_process_find_runner ();
  if (runner == NULL) {
    if (why_not)
      *why_not = g_strdup ("lazyscope-runner, which runs compiled kernels, is not installed");
    return FALSE;
  }
  g_autofree char *program = g_str_equal (name, "tcc") ? NULL : g_find_program_in_path (name);
  if (program == NULL && !g_str_equal (name, "tcc")) {
    if (why_not)
      *why_not = g_strdup_printf ("%s is not installed", name);
    return FALSE;
  }
  return TRUE;
}
