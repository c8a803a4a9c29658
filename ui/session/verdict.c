#include "verdict.h"

#include <glib/gi18n.h>

const char *
ls_verdict_words (const char *name)
{
  static const struct { const char *name, *words; } verdicts[] = {
    { "first", "–" }, { "faster", N_("faster") }, { "slower", N_("slower") }, { "as-fast", N_("as fast") }, { "unclear", N_("unclear") },
    { "same-code", N_("the same code") },
    { "below-resolution", N_("below resolution") }, { "failed", N_("failed") }, { "again-only", N_("faster only when repeated") },
    { "other-result", N_("another result") },
  };
  for (gsize i = 0; name && i < G_N_ELEMENTS (verdicts); i++)
    if (g_str_equal (verdicts[i].name, name))
      return _(verdicts[i].words);
  return name ? name : "?";
}
