/* Fuzzing the rule language: any text is parsed or refused; what is parsed is matched against a few nodes. */
#include <string.h>

#include "rewrite/rewrite.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  if (size > 8192 || memchr (data, 0, size))
    return 0;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (text, "fuzz.rules", &error);
  g_assert ((library == NULL) == (error != NULL));
  if (!library)
    return 0;
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *one = ls_uop_const_i (ctx, LS_INT32, 1), *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, LS_INT32, ls_arg_int (0));
  LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, x, one), *both = ls_uop_alu2 (ctx, LS_OP_MUL, sum, sum), *less = ls_uop_alu2 (ctx, LS_OP_CMPLT, both, sum);
  LsUOp *nodes[] = { one, x, sum, both, less, ls_uop_alu3 (ctx, LS_OP_WHERE, less, both, one) };
  for (guint r = 0; r < ls_rule_library_n_rules (library); r++)
    for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++) {
      LsBinding bindings[8];
      LsRuleExplanation e;
      guint n = ls_rule_match (library, r, ctx, nodes[i], bindings, G_N_ELEMENTS (bindings));
      ls_rule_explain (library, r, ctx, nodes[i], NULL, FALSE, &e);
      g_assert (n == 0 || e.matches);      /* both matchers agree */
      ls_rule_explanation_clear (&e);
    }
  return 0;
}
