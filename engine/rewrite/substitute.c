#include "substitute.h"

#include "ir/sentence.h"

static _Thread_local GHashTable *dictionary;

static gboolean
replacement (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->node = dictionary ? g_hash_table_lookup (dictionary, args[0].node) : NULL;
  return out->node && out->node != args[0].node;
}

static const LsTerm terms[] = {
  { "replacement", NULL, LS_TERM_NODE, 1, { LS_TERM_NODE }, replacement, LS_TEMPLATE ("The value of the node in the dictionary."), TRUE },
  { NULL },
};

LsRuleLibrary *
ls_substitute_library (LsRuleLibrary *library, GError **error)
{
  static const guint line = 2;
  g_autofree char *text = g_strdup_printf ("# %s\nsubstitute: x=ANY(*) -> build replacement(x)\n",
                                           LS_TEMPLATE ("A node that the dictionary of substitute has is replaced by its value."));
  return ls_rule_library_find (library, "substitute") ? ls_rule_library_ref (library)
         : ls_rule_library_extend (library, LS_SUBSTITUTE_SET, text, "substitute.rules", 1, &line, terms, error);
}

GHashTable *
ls_substitute_with (GHashTable *with)
{
  GHashTable *former = dictionary;
  dictionary = with;
  return former;
}
