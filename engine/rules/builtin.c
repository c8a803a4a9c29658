/* The built-in rule files, embedded as a resource, and the registration of the functions that they name. */
#include "builtin.h"

#include <gio/gio.h>

#include "ls-rules-resource.h"

LsBuiltinRules ls_builtin_rules[] = {
  { "tensor.rules", NULL }, { "ast.rules", NULL }, { "lower.rules", NULL }, { "symbolic.rules", NULL }, { "gates.rules", NULL },
  { "options.rules", NULL }, { "expand.rules", NULL }, { "accumulate.rules", NULL }, { "dims.rules", NULL }, { "devectorize.rules", NULL },
  { "decompose.rules", NULL }, { NULL, NULL },
};

void
ls_builtin_register (void)
{
  GResource *resource = ls_rules_get_resource ();
  for (LsBuiltinRules *b = ls_builtin_rules; b->name; b++) {
    g_autofree char *path = g_strconcat ("/org/lazyscope/rules/", b->name, NULL);
    GBytes *bytes = g_resource_lookup_data (resource, path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_assert (bytes != NULL);
    b->text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    g_bytes_unref (bytes);
  }
  ls_symbolic_register ();
  ls_gates_register ();
  ls_tensor_rules_register ();
  ls_ast_register ();
  ls_options_register ();
  ls_lower_register ();
  ls_expand_register ();
  ls_devectorize_register ();
  ls_decompose_register ();
}
