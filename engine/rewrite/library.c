/* Rule libraries: the built-in rules, a user's, and the programs (rules by root op) that passes run. */
#include "rules-private.h"

#include <string.h>

const LsRuleSetInfo *
ls_rule_base_set (const LsRuleBase *base, const char *name)
{
  for (const LsRuleSetInfo *s = base ? base->sets : NULL; s && s->name; s++)
    if (strcmp (s->name, name) == 0)
      return s;
  return NULL;
}

char *
ls_rule_base_list_sets (const LsRuleBase *base)
{
  GString *names = g_string_new (NULL);
  for (const LsRuleSetInfo *s = base->sets; s && s->name; s++)
    g_string_append_printf (names, "%s%s", names->len ? ", " : "", s->name);
  return g_string_free (names, FALSE);
}

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
library_new (const LsRuleBase *base)
{
  LsRuleLibrary *library = g_new0 (LsRuleLibrary, 1);
  library->ref_count = 1;
  library->base = base;
  library->rules = g_ptr_array_new ();
  library->names = g_hash_table_new (g_str_hash, g_str_equal);
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
  g_hash_table_unref (library->names);
  g_ptr_array_unref (library->rules);
  g_clear_pointer (&library->listed, g_ptr_array_unref);
  g_ptr_array_unref (library->allocations);
  ls_rule_library_unref (library->below);
  g_free (library);
}

guint ls_rule_library_n_rules (LsRuleLibrary *library) { return library->rules->len; }

const LsRule *
ls_rule_library_rule (LsRuleLibrary *library, guint index)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  return &((Rule *) library->rules->pdata[index])->pub;
}

const LsRule *
ls_rule_library_find (LsRuleLibrary *library, const char *name)
{
  const Rule *rule = g_hash_table_lookup (library->names, name);
  return rule ? &rule->pub : NULL;
}

gboolean
ls_rule_library_begins_with (LsRuleLibrary *library, LsRuleLibrary *first)
{
  while (library && library != first)
    library = library->below;
  return library != NULL;
}

gboolean ls_rule_library_is_extended (LsRuleLibrary *library) { return library->extended; }

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
ls_rule_library_parse (const LsRuleBase *base, const char *text, const char *filename, GError **error)
{
  g_autoptr (LsRuleLibrary) library = library_new (base);
  library->extended = TRUE;
  if (!ls_rule_parse_file (library, text, filename, error))
    return NULL;
  return g_steal_pointer (&library);
}

LsRuleLibrary *
ls_rule_library_new (const LsRuleBase *base, const char *const *extra_files, const char *const *disabled, GError **error)
{
  g_autoptr (LsRuleLibrary) library = library_new (base);
  library->checks_sets = TRUE;
  for (guint i = 0; base->files[i].name; i++) {
    gboolean replaced = FALSE;
    for (const char *const *f = extra_files; f && *f && !replaced; f++) {
      g_autofree char *name = g_path_get_basename (*f);
      replaced = strcmp (name, base->files[i].name) == 0;
    }
    if (!replaced && !ls_rule_parse_file (library, base->files[i].text, base->files[i].name, error))
      return NULL;
  }
  for (const char *const *f = extra_files; f && *f; f++) {
    g_autofree char *text = NULL;
    g_autoptr (GError) own = NULL;
    gsize n = 0;
    library->extended = TRUE;
    if (g_file_test (*f, G_FILE_TEST_EXISTS) && !g_file_test (*f, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "cannot read the rule file: %s is not a regular file", *f);
      return NULL;
    }
    if (!g_file_get_contents (*f, &text, &n, &own)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "cannot read the rule file: %s", own->message);
      return NULL;
    }
    if (!g_utf8_validate (text, (gssize) n, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_RULE, "%s is not a rule file: it is not valid UTF-8 text", *f);
      return NULL;
    }
    if (!ls_rule_parse_file (library, text, *f, error))
      return NULL;
  }
  for (const char *const *d = disabled; d && *d; d++)
    if (!g_hash_table_remove (library->names, *d)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no rule '%s' to disable", *d);
      return NULL;
    }
  if (disabled && *disabled) {
    guint n = 0;
    for (guint i = 0; i < library->rules->len; i++) {
      Rule *rule = library->rules->pdata[i];
      if (!g_hash_table_contains (library->names, rule->pub.name))
        continue;
      rule->pub.index = n;
      library->rules->pdata[n++] = rule;
    }
    g_ptr_array_set_size (library->rules, n);
  }
  return g_steal_pointer (&library);
}

static gpointer
keep (LsRuleLibrary *library, gpointer memory)
{
  g_ptr_array_add (library->allocations, memory);
  return memory;
}

/* A base with one set and one table of terms more. */
static const LsRuleBase *
base_with (LsRuleLibrary *library, const LsRuleBase *below, const char *set, const LsTerm *terms)
{
  guint n_tables = 0, n_sets = 0;
  while (below->terms[n_tables])
    n_tables++;
  while (below->sets[n_sets].name)
    n_sets++;
  const LsTerm **tables = keep (library, g_new0 (const LsTerm *, n_tables + 2));
  LsRuleSetInfo *sets = keep (library, g_new0 (LsRuleSetInfo, n_sets + 2));
  LsRuleBase *base = keep (library, g_new (LsRuleBase, 1));
  memcpy (tables, below->terms, n_tables * sizeof *tables);
  memcpy (sets, below->sets, n_sets * sizeof *sets);
  tables[n_tables] = terms;
  sets[n_sets].name = keep (library, g_strdup (set));
  *base = (LsRuleBase) { tables, sets, below->files };
  return base;
}

LsRuleLibrary *
ls_rule_library_extend (LsRuleLibrary *below, const char *set, const char *text, const char *filename, guint n_lines, const guint *lines,
                        const LsTerm *terms, GError **error)
{
  g_return_val_if_fail (below->base != NULL && n_lines > 0, NULL);
  if (ls_rule_base_set (below->base, set)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RULE, "the rule set '%s' already exists", set);
    return NULL;
  }
  g_autoptr (LsRuleLibrary) library = library_new (NULL);
  library->base = base_with (library, below->base, set, terms);
  library->below = ls_rule_library_ref (below);
  library->checks_sets = TRUE;
  library->extended = below->extended;
  for (guint i = 0; i < below->rules->len; i++) {
    Rule *rule = below->rules->pdata[i];
    g_ptr_array_add (library->rules, rule);
    g_hash_table_insert (library->names, (gpointer) rule->pub.name, rule);
  }
  g_autofree char *whole = g_strdup_printf ("set %s\n%s", set, text);
  if (!ls_rule_parse_file (library, whole, filename, error))
    return NULL;
  for (guint i = below->rules->len; i < library->rules->len; i++)
    ((Rule *) library->rules->pdata[i])->pub.line = lines[MIN (i - below->rules->len, n_lines - 1)];
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
  guint n_first[LS_N_OPS] = { 0 };      /* rules that come before the others, in their own order */
  for (char **name = names; *name; name++) {
    const LsRuleSetInfo *info = ls_rule_base_set (library->base, *name);
    gboolean known = info != NULL;
    if (info && info->context)
      program->context = info->context;
    program->shaped |= info && info->shaped;
    for (guint i = 0; i < library->rules->len; i++) {
      Rule *rule = library->rules->pdata[i];
      if (strcmp (rule->pub.set, *name) != 0)
        continue;
      known = TRUE;
      if ((rule->n_results != 1 || rule->gradient) && !(info && info->gradient && rule->gradient)) {
        g_set_error (error, LS_ERROR, LS_ERROR_RULE, "%s:%u: rule %s has one result for each source, but the passes of %s replace a "
                                                     "node by one node", rule->pub.file, rule->pub.line,
                     rule->pub.name, set);
        program_free (program);
        return NULL;
      }
      for (guint op = 0; op < LS_N_OPS; op++)
        if (ls_ops_has (rule->pattern->ops, op)) {
          if (!program->by_op[op])
            program->by_op[op] = g_ptr_array_new ();
          g_ptr_array_insert (program->by_op[op], rule->first ? (gint) n_first[op]++ : -1, rule);
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
ls_rule_library_comes_before (LsRuleLibrary *library, const char *set, LsOp op, guint a, guint b)
{
  const Program *program = ls_rule_library_program (library, set, NULL);
  const GPtrArray *rules = program ? program->by_op[op] : NULL;
  for (guint i = 0; rules && i < rules->len; i++) {
    const Rule *rule = rules->pdata[i];
    if (rule->pub.index == a || rule->pub.index == b)
      return rule->pub.index == a;
  }
  return FALSE;
}

gboolean
ls_rule_takes (LsRuleLibrary *library, guint rule, LsOp op)
{
  return rule < library->rules->len && ls_ops_has (((const Rule *) library->rules->pdata[rule])->pattern->ops, op);
}

LsRuleReject
ls_rule_rejects (LsRuleLibrary *library, guint index, const LsUOp *node, LsOp *lacks)
{
  g_return_val_if_fail (index < library->rules->len, LS_RULE_TRIED);
  const Rule *rule = library->rules->pdata[index];
  guint64 have[2];
  ls_ops_of_sources (node, have);
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (rule->need, op) && !ls_ops_has (have, op)) {
      *lacks = (LsOp) op;
      return LS_RULE_LACKS_SOURCE;
    }
  return rule->bases >> ls_dtype_base (node->dtype) & 1 ? LS_RULE_TRIED : LS_RULE_OTHER_DTYPE;
}

gboolean
ls_rule_apply (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer pass, LsUOp **result, LsBinding *bindings,
               guint max_bindings, guint *n_bindings)
{
  g_return_val_if_fail (index < library->rules->len, FALSE);
  Rule *rule = library->rules->pdata[index];
  LsTermValue slots[LS_MAX_SLOTS];
  LsUOp *r = (rule->n_results == 1 || rule->gradient) && ls_ops_has (rule->pattern->ops, node->op)
             ? ls_rule_run (rule, ctx, node, pass, NULL, slots) : NULL;
  guint n = r ? ls_rule_bindings (rule, node, slots, bindings, max_bindings) : 0;
  if (n_bindings)
    *n_bindings = n;
  if (result)
    *result = r;
  return r != NULL;
}

guint
ls_rule_apply_many (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer pass, LsUOp *given, guint max,
                    LsUOp **results)
{
  g_return_val_if_fail (index < library->rules->len, 0);
  Rule *rule = library->rules->pdata[index];
  LsTermValue slots[LS_MAX_SLOTS];
  g_return_val_if_fail (rule->gradient && rule->n_results <= max && rule->n_results <= node->n_src, 0);
  for (guint i = 0; i < rule->n_results; i++) {
    LsUOp *gradient = ls_uop_new2 (ctx, LS_OP_GRADIENT, node->src[i]->dtype, node, given, ls_arg_int (i));
    results[i] = ls_rule_run (rule, ctx, gradient, pass, NULL, slots);
    if (!results[i] && rule->results[i]->kind != PAT_NONE)
      return 0;
  }
  return rule->n_results;
}

gboolean
ls_rule_library_flows (LsRuleLibrary *library, const char *set, LsContext *ctx, LsUOp *node, guint64 *sources, GError **error)
{
  LsTermValue slots[LS_MAX_SLOTS];
  Program *program = ls_rule_library_program (library, set, error);
  GPtrArray *rules = program ? program->by_op[LS_OP_GRADIENT] : NULL;
  for (guint i = 0; rules && i < rules->len; i++) {
    const Rule *rule = rules->pdata[i];
    const Pat *pattern = rule->pattern->src[0];
    /* others may also look at the gradient */
    if (!rule->gradient || !ls_ops_has (pattern->ops, node->op) || !ls_rule_match_inner (rule, node, slots))
      continue;
    slots[(int) rule->pattern->src[1]->slot] = (LsTermValue) { .kind = LS_TERM_NODE, .node = node };      /* has its shape and dtype */
    if (!ls_rule_run_guards (rule, ctx, node, NULL, slots))
      continue;
    *sources = 0;
    for (guint k = 0; k < MIN (rule->n_results, 64); k++)
      if (rule->results[k]->kind != PAT_NONE)
        *sources |= G_GUINT64_CONSTANT (1) << k;
    return TRUE;
  }
  if (program)
    g_set_error (error, LS_ERROR, LS_ERROR_PROGRAM, "gradient: no rule defines the gradient of %s", ls_op_name (node->op));
  return FALSE;
}

guint
ls_rule_match (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, LsBinding *bindings, guint max_bindings)
{
  g_return_val_if_fail (index < library->rules->len, 0);
  Rule *rule = library->rules->pdata[index];
  LsTermValue slots[LS_MAX_SLOTS];
  return ls_rule_match_pattern (rule, node, slots) ? ls_rule_bindings (rule, node, slots, bindings, max_bindings) : 0;
}
