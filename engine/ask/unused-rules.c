/* A user's rules that had no effect: added rules that never fired, and disabled rules that would not have fired.
 *
 * why-not answers both questions: among all nodes of the passes that run the rule's set, where does its match get furthest, and what
 * ends it? Where it would fire now, another rule came first.
 */
#include "ask.h"
#include "pass-context.h"
#include "pipeline/pipeline.h"

#include <string.h>

#define MOST_NODES 20000       /* looked at for one rule */

static gboolean
runs_set (const LsPass *pass, const char *set)
{
  g_auto (GStrv) names = g_strsplit (pass->set, "+", -1);
  return pass->kind == LS_PASS_REWRITE && g_strv_contains ((const char *const *) names, set);
}

/* The rule whose step replaced the node, or NULL. */
static const LsTraceRule *
taken_by (LsTrace *trace, const LsPass *pass, const LsUOp *node)
{
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    if (l->before == node->id && l->rule >= 0 && (guint) l->rule < trace->rules->len)
      return trace->rules->pdata[l->rule];
  }
  return NULL;
}

/* The nearest that a rule came to firing. Clear near with near_clear. */
typedef struct {
  guint        rank;
  char        *text;
  const LsUOp *node;
  const LsPass *pass;
  const LsTraceRule *earlier;
  gboolean     passes;         /* some pass runs its set */
} Near;

static void
near_clear (Near *near)
{
  g_free (near->text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Near, near_clear)

static void
find_nearest (LsTrace *trace, LsRuleLibrary *library, const LsRule *rule, Near *near)
{
  guint looked = 0, fires = ls_why_not_rank ("fires"), guard = ls_why_not_rank ("guard");
  near->rank = ls_why_not_rank ("op");      /* a node of another op is not near */
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  for (guint i = 0; i < trace->passes->len && near->rank < fires && looked < MOST_NODES; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (!runs_set (pass, rule->set))
      continue;
    near->passes = TRUE;
    g_autoptr (GPtrArray) nodes = ls_pass_nodes (trace, pass);
    g_autoptr (LsPassContext) context = NULL;
    for (guint k = 0; k < nodes->len && near->rank < fires && looked < MOST_NODES; k++, looked++) {
      LsRuleExplanation e;
      ls_rule_explain (library, rule->index, ctx, nodes->pdata[k], NULL, &e);
      guint rank = ls_why_not_rank (e.stage);
      if (rank >= guard && !context)      /* the context of the pass decides */
        context = ls_pass_context_new (trace, pass, trace->ctx, 0, NULL);
      if (rank >= guard && context) {
        ls_rule_explanation_clear (&e);
        ls_rule_explain (library, rule->index, ls_pass_context_nodes (context), nodes->pdata[k], ls_pass_context_get (context), &e);
        rank = ls_why_not_rank (e.stage);
      }
      if (rank > near->rank) {
        g_free (near->text);
        *near = (Near) { rank, g_steal_pointer (&e.text), nodes->pdata[k], pass, taken_by (trace, pass, nodes->pdata[k]), TRUE };
      }
      ls_rule_explanation_clear (&e);
    }
  }
}

/* Why the rule had no effect; NULL: it would have had one. */
static char *
reason (LsTrace *trace, LsRuleLibrary *library, const LsRule *rule, gboolean left_out)
{
  g_auto (Near) near = { 0 };
  find_nearest (trace, library, rule, &near);
  if (!near.passes)
    return g_strdup_printf ("no pass with the rules of %s ran", rule->set);
  if (!near.node)
    return g_strdup_printf ("no pass with the rules of %s met a node with the op that its pattern begins with", rule->set);
  if (near.rank >= ls_why_not_rank ("builder-unknown") && left_out)
    return NULL;
  g_autofree char *where = g_strdup_printf ("node %u of %s of kernel %u", near.node->id, near.pass->name, near.pass->kernel);
  if (near.rank >= ls_why_not_rank ("builder-unknown") && near.earlier)
    return g_strdup_printf ("%s, which is tried before it, fired at every node that it matches, first %s; a line 'set %s first' before "
                            "a rule puts it before the rules of other files",
                            near.earlier->name, where, rule->set);
  return g_strdup_printf ("its closest match is %s: %s", where, near.text);
}

static gboolean
is_built_in (const char *file)
{
  for (const LsRuleFile *f = ls_pipeline_rules ()->files; f->name; f++)
    if (strcmp (f->name, file) == 0)
      return TRUE;
  return FALSE;
}

GPtrArray *
ls_rules_without_effect (LsTrace *trace, LsRuleLibrary *library, const char *const *files, const char *const *disabled)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  guint n = ls_rule_library_n_rules (library);
  g_autofree guint64 *hits = g_new0 (guint64, n + 1);
  for (const char *const *f = files; f && *f; f++) {
    g_autofree char *base = g_path_get_basename (*f);
    guint found = 0;
    for (guint i = 0; i < n; i++)
      found += strcmp (ls_rule_library_rule (library, i)->file, base) == 0;
    if (!found)
      g_ptr_array_add (out, g_strdup_printf ("%s had no effect: it has no rules", *f));
  }
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 0; k < pass->stats->len; k++)
      if (g_array_index (pass->stats, LsRuleStat, k).rule < n)
        hits[g_array_index (pass->stats, LsRuleStat, k).rule] += g_array_index (pass->stats, LsRuleStat, k).hits;
  }
  for (guint i = 0; i < n; i++) {
    const LsRule *rule = ls_rule_library_rule (library, i);
    if (hits[i] || is_built_in (rule->file))
      continue;
    g_autofree char *why = reason (trace, library, rule, FALSE);
    g_ptr_array_add (out, g_strdup_printf ("%s:%u: rule %s had no effect: %s", rule->file, rule->line, rule->name, why));
  }
  g_autoptr (LsRuleLibrary) all = disabled && *disabled ? ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL) : NULL;
  for (const char *const *d = disabled; all && *d; d++) {
    const LsRule *rule = ls_rule_library_find (all, *d);
    g_autofree char *why = rule ? reason (trace, all, rule, TRUE) : NULL;
    if (why)
      g_ptr_array_add (out, g_strdup_printf ("--disable %s had no effect: %s", *d, why));
  }
  return out;
}
