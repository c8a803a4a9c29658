/* The table of compilers, made from compilers.def, and looking things up in it. */
#include "compiler.h"

const LsCompiler ls_compilers[] = {
#define X(name, target, how, has_half, flags, sentence) { name, target, LS_COMPILER_##how, has_half, flags, sentence },
#include "compilers.def"
#undef X
  { NULL },
};

const LsCompiler *
ls_compiler_find (const char *name)
{
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (g_strcmp0 (c->name, name) == 0)
      return c;
  return NULL;
}

gboolean
ls_compiler_takes (const LsCompiler *compiler, const char *target)
{
  return compiler->target == NULL || g_strcmp0 (compiler->target, target) == 0;
}

const LsCompiler *
ls_compiler_default (const char *target)
{
  const LsCompiler *c = ls_compilers;
  while (!ls_compiler_takes (c, target))
    c++;      /* ends at the reference, which takes all */
  return c;
}

const LsCompiler *
ls_compiler_reference (void)
{
  return ls_compiler_default (NULL);
}

char *
ls_compiler_list (const char *target, const char *separator)
{
  GString *names = g_string_new (NULL);
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (target == NULL || ls_compiler_takes (c, target))
      g_string_append_printf (names, "%s%s", names->len ? separator : "", c->name);
  return g_string_free (names, FALSE);
}
