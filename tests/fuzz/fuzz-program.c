/* Fuzzing the program language: any text gives a result or an error, in bounded time and memory. Kernels are made, not run. */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  static LsRuleLibrary *library;
  if (!library)
    library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL);
  if (size > 4096 || memchr (data, 0, size))
    return 0;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  settings.SPEC = 1;
  settings.REPEATS = 1;
  settings.STEP_LIMIT = 100000;
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), "interp", library);
  s->execute = FALSE;
  gboolean ok = ls_session_run_program (s, text, "fuzz.py", &error);
  g_assert (ok == (error == NULL));
  return 0;
}
