/* Rule libraries: the built-in rules, a user's, and the programs (rules by root op) that passes run. */
#include "rules-private.h"

#include <gio/gio.h>
#include <string.h>

#include "rules/builtin.h"

static GHashTable *
registry (gboolean guards)
{
  static GHashTable *tables[2];
  if (!tables[guards])
    tables[guards] = g_hash_table_new (g_str_hash, g_str_equal);
  return tables[guards];
}

void ls_builder_register (const char *name, LsBuilder builder) { g_hash_table_insert (registry (FALSE), (gpointer) name, (gpointer) builder); }
void ls_guard_register (const char *name, LsGuard guard) { g_hash_table_insert (registry (TRUE), (gpointer) name, (gpointer) guard); }
LsBuilder ls_builder_find (const char *name) { return (LsBuilder) g_hash_table_lookup (registry (FALSE), name); }
LsGuard ls_guard_find (const char *name) { return (LsGuard) g_hash_table_lookup (registry (TRUE), name); }

static void
program_free (gpointer data)
{
  Program *program = data;
  for (guint i = 0; i < LS_N_OPS; i++)
    if (program->by_op[i])
      g_ptr_array_unref (program->by_op[i]);
  g_free (program->name);
  g_free (program);
}

static LsRuleLibrary *
library_new (void)
{
  static gsize once = 0;
  if (g_once_init_enter (&once)) {
    ls_builtin_register ();
    g_once_init_leave (&once, 1);
  }
  LsRuleLibrary *library = g_new0 (LsRuleLibrary, 1);
  library->ref_count = 1;
  library->rules = g_ptr_array_new ();
  library->allocations = g_ptr_array_new_with_free_func (g_free);
  library->programs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, program_free);
  return library;
}

LsRuleLibrary *
ls_rule_library_ref (LsRuleLibrary *library)
{
  g_atomic_int_inc (&library->ref_count);
  return library;
}

void
ls_rule_library_unref (LsRuleLibrary *library)
{
  if (!library || !g_atomic_int_dec_and_test (&library->ref_count))
    return;
  g_dataset_destroy (library);
  g_hash_table_unref (library->programs);
  g_ptr_array_unref (library->rules);
  g_clear_pointer (&library->listed, g_ptr_array_unref);
  g_ptr_array_unref (library->allocations);
  g_free (library);
}

guint ls_rule_library_n_rules (LsRuleLibrary *library) { return library->rules->len; }

const LsRule *
ls_rule_library_rule (LsRuleLibrary *library, guint index)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  return &((Rule *) library->rules->pdata[index])->pub;
}

GPtrArray *
ls_rule_library_rules (LsRuleLibrary *library)
{
  if (!library->listed) {
    library->listed = g_ptr_array_sized_new (library->rules->len);
    for (guint i = 0; i < library->rules->len; i++)
      g_ptr_array_add (library->listed, &((Rule *) library->rules->pdata[i])->pub);
  }
  return library->listed;
}

LsRuleLibrary *
ls_rule_library_parse (const char *text, const char *filename, GError **error)
{
  g_autoptr (LsRuleLibrary) library = library_new ();
  if (!ls_rule_parse_file (library, text, filename, error))
    return NULL;
  return g_steal_pointer (&library);
}

static gboolean
is_listed (const char *const *list, const char *name)
{
  for (; list && *list; list++)
    if (strcmp (*list, name) == 0)
      return TRUE;
  return FALSE;
}

LsRuleLibrary *
ls_rule_library_new (const char *const *extra_files, const char *const *disabled, GError **error)
{
  g_autoptr (LsRuleLibrary) library = library_new ();
  for (const LsBuiltinRules *b = ls_builtin_rules; b->name; b++) {
    gboolean replaced = FALSE;
    for (const char *const *f = extra_files; f && *f && !replaced; f++) {
      g_autofree char *base = g_path_get_basename (*f);
      replaced = strcmp (base, b->name) == 0;
    }
    if (!replaced && !ls_rule_parse_file (library, b->text, b->name, error))
      return NULL;
  }
  for (const char *const *f = extra_files; f && *f; f++) {
    g_autofree char *text = NULL;
    g_autoptr (GError) own = NULL;
    gsize n = 0;
    if (!g_file_get_contents (*f, &text, &n, &own)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "cannot read the rule file: %s", own->message);
      return NULL;
    }
    if (!g_utf8_validate (text, (gssize) n, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "%s is no rule file: it is no valid UTF-8 text", *f);
      return NULL;
    }
    if (!ls_rule_parse_file (library, text, *f, error))
      return NULL;
  }
  for (const char *const *d = disabled; d && *d; d++) {
    gboolean found = FALSE;
    for (guint i = 0; i < library->rules->len; i++)
      found |= strcmp (((Rule *) library->rules->pdata[i])->pub.name, *d) == 0;
    if (!found) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no rule '%s' to disable", *d);
      return NULL;
    }
  }
  if (disabled && *disabled) {
    guint n = 0;
    for (guint i = 0; i < library->rules->len; i++) {
      Rule *rule = library->rules->pdata[i];
      if (is_listed (disabled, rule->pub.name))
        continue;
      rule->pub.index = n;
      library->rules->pdata[n++] = rule;
    }
    g_ptr_array_set_size (library->rules, n);
  }
  return g_steal_pointer (&library);
}

Program *
ls_rule_library_program (LsRuleLibrary *library, const char *set, GError **error)
{
  Program *program = g_hash_table_lookup (library->programs, set);
  if (program)
    return program;
  g_auto (GStrv) names = g_strsplit (set, "+", -1);
  program = g_new0 (Program, 1);
  program->name = g_strdup (set);
  for (char **name = names; *name; name++) {
    gboolean known = FALSE;
    for (const LsBuiltinRules *b = ls_builtin_rules; b->name; b++)
      known |= g_str_has_prefix (b->name, *name) && strcmp (b->name + strlen (*name), ".rules") == 0;
    for (guint i = 0; i < library->rules->len; i++) {
      Rule *rule = library->rules->pdata[i];
      if (strcmp (rule->pub.set, *name) != 0)
        continue;
      known = TRUE;
      for (guint op = 0; op < LS_N_OPS; op++)
        if (ls_ops_has (rule->pattern->ops, op)) {
          if (!program->by_op[op])
            program->by_op[op] = g_ptr_array_new ();
          g_ptr_array_add (program->by_op[op], rule);
        }
    }
    if (!known) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "there is no rule set '%s'", *name);
      program_free (program);
      return NULL;
    }
  }
  g_hash_table_insert (library->programs, program->name, program);
  return program;
}

gboolean
ls_rule_apply (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer user, LsUOp **result, LsBinding *bindings,
               guint max_bindings, guint *n_bindings)
{
  g_return_val_if_fail (index < library->rules->len, FALSE);
  Rule *rule = library->rules->pdata[index];
  LsUOp *slots[LS_MAX_SLOTS] = { 0 };
  guint n = 0;
  LsUOp *r = ls_ops_has (rule->pattern->ops, node->op) ? ls_rule_run (rule, ctx, node, user, slots) : NULL;
  if (r)
    for (guint i = 0; i < rule->n_slots && n < max_bindings; i++)
      if (slots[i])
        bindings[n++] = (LsBinding) { rule->slot_names[i], slots[i] };
  if (n_bindings)
    *n_bindings = n;
  if (result)
    *result = r;
  return r != NULL;
}

guint
ls_rule_match (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, LsBinding *bindings, guint max_bindings)
{
  g_return_val_if_fail (index < library->rules->len, 0);
  Rule *rule = library->rules->pdata[index];
  LsUOp *slots[LS_MAX_SLOTS] = { 0 };
  guint n = 0;
  if (ls_ops_has (rule->pattern->ops, node->op) && ls_rule_match_pattern (rule, node, slots))
    for (guint i = 0; i < rule->n_slots && n < max_bindings; i++)
      if (slots[i])
        bindings[n++] = (LsBinding) { rule->slot_names[i], slots[i] };
  return n;
}
