/* The statistics of rules over all passes: tries, hits and time of each, and the pairs that undo each other.
 *
 * A pair is found in two ways: by steps of one kernel that lead from x to y and later from y to x, and by trying the rules of the same
 * sets on each result: a rule that would restore the replaced node can loop.
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
ls_rule_totals (LsTrace *trace, guint kernel)
{
  LsRuleReport *report = g_new0 (LsRuleReport, 1);
  guint n = trace->rules->len;
  g_autofree LsRuleTotal *totals = g_new0 (LsRuleTotal, MAX (n, 1));
  report->trace = trace;
  report->totals = g_array_new (FALSE, FALSE, sizeof (LsRuleTotal));
  report->undo = g_array_new (FALSE, FALSE, sizeof (LsUndoPair));
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 0; (kernel == G_MAXUINT || pass->kernel == kernel) && k < pass->stats->len; k++) {
      const LsRuleStat *s = &g_array_index (pass->stats, LsRuleStat, k);
      if (s->rule >= n)
        continue;
      totals[s->rule].passes++;
      totals[s->rule].tries += s->tries;
      totals[s->rule].hits += s->hits;
      totals[s->rule].ns += s->ns;
      report->ns += s->ns;
    }
  }
  for (guint i = 0; i < n; i++) {
    totals[i].rule = i;
    if (totals[i].tries > 0)
      g_array_append_val (report->totals, totals[i]);
  }
  g_array_sort (report->totals, by_time);
  return report;
}

LsRuleReport *
ls_rule_report (LsTrace *trace)
{
  LsRuleReport *report = ls_rule_totals (trace, G_MAXUINT);
  guint n = trace->rules->len, kernel = G_MAXUINT;
  g_autofree guint *samples = g_new0 (guint, MAX (n, 1));
  /* before, after -> LsUndoPair of its step */
  g_autoptr (GHashTable) steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (pass->kernel != kernel)
      g_hash_table_remove_all (steps);
    kernel = pass->kernel;
    for (guint k = 1; k <= ls_pass_n_rewrites (pass); k++) {
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
  g_array_sort (report->undo, by_count);
  return report;
}

/* --- the answer --- */

#define TOTAL(X) \
  X (name, TEXT, r->name, TRUE, "Name of the rule", .title = "rule", .width = -24, .column = LS_TITLE ("Rule")) \
  X (set, TEXT, r->set, TRUE, "The set that it belongs to", .title = "set", .width = -16) \
  X (file, TEXT, r->file, TRUE, "The file that it is in") \
  X (line, INT, r->line, TRUE, "Its line there, from 1") \
  X (sentence, TEXT, r->sentence, TRUE, "Its sentence: what it does and why that is allowed") \
  X (tries, INT, total->tries, TRUE, "Number of tries", .title = "tries", .width = 8, .column = LS_TITLE ("Tries"), .place = 1) \
  X (hits, INT, total->hits, TRUE, "Number of times it fired", .title = "hits", .width = 8, .column = LS_TITLE ("Hits"), .place = 2) \
  X (ns, INT, total->ns, TRUE, "Nanoseconds spent on it", .column = LS_TITLE ("Time"), .place = 4, .unit = LS_UNIT_NS) \
  X (us, NUMBER, (double) total->ns / 1e3, TRUE, "Microseconds spent on it", .title = "us", .width = 10, .format = "%.1f", \
     .only_text = TRUE) \
  X (passes, INT, total->passes, TRUE, "Number of passes that tried it", .title = "passes", .width = 7) \
  X (rate, NUMBER, 100.0 * (double) total->hits / (double) total->tries, TRUE, "Hits in percent of its tries", .only_text = TRUE, \
     .column = LS_TITLE ("Hit rate"), .place = 3, .unit = LS_UNIT_PERCENT) \
  X (share, NUMBER, 100.0 * (double) total->ns / (double) report->ns, report->ns > 0, "Its share of the time of all rules in percent", \
     .only_text = TRUE, .column = LS_TITLE ("Share"), .place = 5, .unit = LS_UNIT_TENTHS) \
  X (text, TEXT, r->text, TRUE, "The rule", .only_text = TRUE, .column = LS_TITLE ("Rewrites"), .place = 6, .fills = TRUE)
LS_RECORD (ls_rule_total_answer, TOTAL, const LsRuleReport *report = answer->data; const LsRuleTotal *total = row;
           const LsTraceRule *r = report->trace->rules->pdata[total->rule];)

#define UNDO(X) \
  X (a, TEXT, rule_of (answer, p->a)->name, TRUE, "The first rule") \
  X (b, TEXT, rule_of (answer, p->b)->name, TRUE, "The rule that restores the node that the first rule replaced") \
  X (count, INT, p->count, TRUE, "Number of times that happened") \
  X (kernel, INT, pass->kernel, TRUE, "Kernel of the first occurrence") \
  X (pass, TEXT, pass->name, TRUE, "Pass of the first occurrence") \
  X (step, INT, p->step_a, TRUE, "Step of the first rule in the first occurrence") \
  X (recorded, BOOL, p->step_b > 0, TRUE, "True if the second rule fired in this recording; false if it would match") \
  X (node, NODE, p->node, TRUE, "The node that is replaced and restored")
static const LsTraceRule *
rule_of (const LsAnswering *answer, guint rule)
{
  return ((const LsRuleReport *) answer->data)->trace->rules->pdata[rule];
}
LS_INNER_RECORD (undo_answer, UNDO, const LsUndoPair *p = row;
                  const LsPass *pass = ((const LsRuleReport *) answer->data)->trace->passes->pdata[p->pass];)

#define RULES(X) \
  X (rules, LIST, ls_list_array (report->totals), TRUE, "Every rule that was tried, most time first", \
     .of = &ls_rule_total_answer, .lines = TRUE) \
  X (undo, LIST, ls_list_array (report->undo), TRUE, "Pairs of rules that undo each other, most frequent first", .of = &undo_answer)
LS_RECORD (ls_rules_answer, RULES, const LsRuleReport *report = row;)
