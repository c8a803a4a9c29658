/* Fuzzing the rule language as people use it: rules-program.h says what is done with any text. */
#include "rules-program.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  if (size > 8192 || memchr (data, 0, size))
    return 0;
  g_autofree char *text = g_strndup ((const char *) data, size);
  rules_run (text);
  return 0;
}
