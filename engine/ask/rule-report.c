/* What the rules did over all passes: tries, hits and time of each, and the pairs that undo each other.
 *
 * A pair is found in two ways: by steps of one kernel that lead from x to y and later from y to x, and by trying at each result the rules
 * of the same sets: a rule that would give back what was replaced waits only for its turn to loop.
 */
#include "ask.h"

#include <string.h>

void
ls_rule_report_free (LsRuleReport *r)
{
  if (!r)
    return;
  g_array_unref (r->totals);
  g_array_unref (r->undo);
  g_free (r);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const LsRuleTotal *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  if (x->hits != y->hits)
    return x->hits > y->hits ? -1 : 1;
  return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static int
by_count (gconstpointer a, gconstpointer b)
{
  const LsUndoPair *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : x->b > y->b;
}

static void
add_pair (GArray *pairs, LsUndoPair pair)
{
  for (guint i = 0; i < pairs->len; i++) {
    LsUndoPair *p = &g_array_index (pairs, LsUndoPair, i);
    if (p->a == pair.a && p->b == pair.b) {
      p->count++;
      if (p->step_b == 0 && pair.step_b > 0) {
        pair.count = p->count;
        *p = pair;
      }
      return;
    }
  }
  pair.count = 1;
  g_array_append_val (pairs, pair);
}

/* Would another rule of the pass's sets turn the result back? At most this many steps of a rule are tried. */
#define SAMPLES 32

static void
try_back (LsTrace *trace, const LsPass *pass, guint step, const LsLink *link, GArray *pairs)
{
  LsUOp *after = ls_context_node (trace->ctx, link->after), *result = NULL;
  g_auto (GStrv) sets = g_strsplit (pass->set, "+", -1);
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  for (guint i = 0; i < trace->rules->len && after; i++) {
    const LsTraceRule *r = trace->rules->pdata[i];
    guint index;
    if (!g_strv_contains ((const char *const *) sets, r->set))
      continue;
    LsRuleLibrary *library = ls_asked_library (trace, i, &index);
    if (library && ls_rule_apply (library, index, ctx, after, NULL, &result, NULL, 0, NULL) && result && result->id == link->before) {
      LsUndoPair pair = { (guint) link->rule, i, 1, pass->index, step, 0, link->before };
      add_pair (pairs, pair);
    }
  }
}

LsRuleReport *
ls_rule_report (LsTrace *trace)
{
  LsRuleReport *report = g_new0 (LsRuleReport, 1);
  guint n = trace->rules->len;
  g_autofree LsRuleTotal *totals = g_new0 (LsRuleTotal, MAX (n, 1));
  g_autofree guint *samples = g_new0 (guint, MAX (n, 1));
  /* before, after -> LsUndoPair of its step */
  g_autoptr (GHashTable) steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  report->totals = g_array_new (FALSE, FALSE, sizeof (LsRuleTotal));
  report->undo = g_array_new (FALSE, FALSE, sizeof (LsUndoPair));
  guint kernel = G_MAXUINT;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 0; k < pass->stats->len; k++) {
      const LsRuleStat *s = &g_array_index (pass->stats, LsRuleStat, k);
      if (s->rule >= n)
        continue;
      totals[s->rule].passes++;
      totals[s->rule].tries += s->tries;
      totals[s->rule].hits += s->hits;
      totals[s->rule].ns += s->ns;
    }
    if (pass->kernel != kernel)
      g_hash_table_remove_all (steps);
    kernel = pass->kernel;
    for (guint k = 1; k <= ls_pass_n_steps (pass); k++) {
      const LsLink *l = ls_pass_step_link (pass, k);
      if (l->rule < 0 || (guint) l->rule >= n)
        continue;
      gint64 back = (gint64) ((guint64) l->after << 32 | l->before);
      const LsUndoPair *first = g_hash_table_lookup (steps, &back);
      if (first) {
        LsUndoPair pair = { first->a, (guint) l->rule, 1, first->pass, first->step_a, k, l->after };
        add_pair (report->undo, pair);
      }
      gint64 *key = g_new (gint64, 1);
      LsUndoPair *entry = g_new (LsUndoPair, 1);
      *key = (gint64) ((guint64) l->before << 32 | l->after);
      *entry = (LsUndoPair) { (guint) l->rule, 0, 1, pass->index, k, 0, l->before };
      g_hash_table_replace (steps, key, entry);
      if (samples[l->rule]++ < SAMPLES)
        try_back (trace, pass, k, l, report->undo);
    }
  }
  for (guint i = 0; i < n; i++) {
    totals[i].rule = i;
    if (totals[i].tries > 0)
      g_array_append_val (report->totals, totals[i]);
  }
  g_array_sort (report->totals, by_time);
  g_array_sort (report->undo, by_count);
  return report;
}
