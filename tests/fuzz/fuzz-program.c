/* Fuzzing the Tensor API: calls.py makes right and wrong calls of what the input's bytes choose. None may crash, hang, or fail by a
 * mistake of the library's own, and every compiler prints the same: interp and tcc always, llvm for one input in 8, clang for one in 32,
 * since it takes long.
 */
#include "program/program.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

/* What the program printed; owned by the caller. It catches what its calls raise: that it ends itself is a fault. */
static char *
run_with (const char *text, const char *compiler)
{
  static LsRuleLibrary *library;
  if (!library)
    library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  settings.SPEC = 1;
  settings.REPEATS = 1;
  settings.STEP_LIMIT = 1000000;
  settings.TIME_S = 60;
  settings.MEMORY_MB = 1000;
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), compiler, library);
  gboolean ok = ls_session_run_program (s, text, "calls.py", &error);
  char *printed = g_strdup (s->out->str);
  const char *fault = strstr (printed, "\nfault ");
  if (!ok || fault) {
    fprintf (stderr, "%s\n%s: %s\n", text, compiler, ok ? fault : error->message);
    g_abort ();
  }
  return printed;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  static char *calls;
  if (size > 256)
    return 0;
  if (!calls && !g_file_get_contents (CALLS_PY, &calls, NULL, NULL))
    g_error ("%s cannot be read", CALLS_PY);
  g_autoptr (GString) text = g_string_new ("CALLS = bytes.fromhex('");
  guint sum = 0;
  for (size_t i = 0; i < size; i++) {
    g_string_append_printf (text, "%02x", data[i]);
    sum = sum * 31 + data[i];
  }
  g_string_append_printf (text, "')\n%s", calls);
  g_autofree char *first = run_with (text->str, "interp");
  static const char *const others[] = { "tcc", "llvm", "clang" };
  for (guint i = 0; i < (sum % 32 == 0 ? 3 : sum % 8 == 0 ? 2 : 1); i++) {
    if (!ls_compiler_available (others[i], NULL))
      continue;
    g_autofree char *other = run_with (text->str, others[i]);
    if (strcmp (first, other) != 0) {
      fprintf (stderr, "interp printed\n%s\n%s printed\n%s\nof\n%s\n", first, others[i], other, text->str);
      g_abort ();
    }
  }
  return 0;
}
