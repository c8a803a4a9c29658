/* The rules that a question may rewrite a recording's graphs with. See reference.h. */
#include "reference.h"

#include <string.h>

#include "pipeline/pipeline.h"
#include "rewrite/substitute.h"

static gboolean
same_text (const char *a, const char *b)
{
  return g_strcmp0 (a, b) == 0;
}

/* Sentences of an older schema, and lines that are where they are because of them, may be others. */
static gboolean
same_rule (const LsTrace *trace, const LsRule *a, const LsRule *b)
{
  gboolean old = ls_trace_has_old_words (trace);
  return same_text (a->name, b->name) && same_text (a->file, b->file) &&
         (old || (a->line == b->line && same_text (a->sentence, b->sentence))) && same_text (a->text, b->text) &&
         same_text (a->rule_class, b->rule_class) && same_text (a->set, b->set);
}

/* A rule of the recording that the library does not have: one of a file that the built-in ones are not of, before one of another
 * version. */
static const LsRule *
first_other (LsTrace *trace, LsRuleLibrary *library, LsRuleLibrary *all, gboolean *own)
{
  g_autoptr (GHashTable) files = g_hash_table_new (g_str_hash, g_str_equal);
  const LsRule *other = NULL;
  guint n = ls_rule_library_n_rules (library);
  for (guint i = 0; i < ls_rule_library_n_rules (all); i++)
    g_hash_table_add (files, (gpointer) ls_rule_library_rule (all, i)->file);
  for (guint i = 0; i < trace->rules->len && !*own; i++) {
    const LsRule *r = trace->rules->pdata[i];
    if (i < n && same_rule (trace, r, ls_rule_library_rule (library, i)))
      continue;
    *own = !g_hash_table_contains (files, r->file);
    if (*own || !other)
      other = r;
  }
  return other;
}

LsRuleLibrary *
ls_recorded_library (LsTrace *trace, gboolean runs, const LsRule **other, gboolean *own)
{
  *other = NULL;
  *own = FALSE;
  if (trace->library && runs)
    return ls_rule_library_ref (trace->library);
  g_autoptr (LsRuleLibrary) all = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL);
  g_autoptr (GHashTable) recorded = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) disabled = g_ptr_array_new ();
  for (guint i = 0; i < trace->rules->len; i++)
    g_hash_table_add (recorded, (gpointer) ((LsTraceRule *) trace->rules->pdata[i])->name);
  for (guint i = 0; i < ls_rule_library_n_rules (all); i++)
    if (!g_hash_table_contains (recorded, ls_rule_library_rule (all, i)->name))
      g_ptr_array_add (disabled, (gpointer) ls_rule_library_rule (all, i)->name);
  gboolean none = disabled->len == 0 || trace->rules->len == 0;      /* a recording without rules says nothing about them */
  g_ptr_array_add (disabled, NULL);
  LsRuleLibrary *library = none ? ls_rule_library_ref (all) : ls_rule_library_new (ls_pipeline_rules (), NULL,
                                                                                   (const char *const *) disabled->pdata, NULL);
  if (!runs && g_hash_table_contains (recorded, "substitute")) {
    LsRuleLibrary *below = library;
    library = ls_substitute_library (below, NULL);
    ls_rule_library_unref (below);
  }
  *other = first_other (trace, library, all, own);
  return library;
}
