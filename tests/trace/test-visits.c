/* The driver's visits, made again from the links of every pass of examples: all links are met in their order, the last visit takes off
 * the root, the stack is the one that the visits say, and the rules that were tried are those that the run counted. */
#include "fixture.h"
#include "ir/print.h"
#include "trace/visits.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct { guint passes, visits, steps, tried, rejected; } Count;

/* How often each rule was tried, as the run counted it. */
static void
check_tries (LsTrace *t, const LsPass *pass, const LsVisits *v, Count *count)
{
  g_autofree guint64 *tries = g_new0 (guint64, t->rules->len + 1);
  for (guint i = 0; i < v->visits->len; i++) {
    g_autoptr (GArray) rules = ls_visit_rules (t, pass, v, &g_array_index (v->visits, LsVisit, i));
    for (guint k = 0; k < rules->len; k++) {
      const LsVisitRule *r = &g_array_index (rules, LsVisitRule, k);
      tries[r->rule] += r->reject == LS_RULE_TRIED;
      count->rejected += r->reject != LS_RULE_TRIED;
      g_assert_true (!r->fired || (k + 1 == rules->len && r->reject == LS_RULE_TRIED));
    }
  }
  for (guint i = 0; i < pass->stats->len; i++) {
    const LsRuleStat *stat = &g_array_index (pass->stats, LsRuleStat, i);
    g_assert_cmpuint (tries[stat->rule], ==, stat->tries);
    count->tried += (guint) stat->tries;
    tries[stat->rule] = 0;
  }
  for (guint i = 0; i < t->rules->len; i++)
    g_assert_cmpuint (tries[i], ==, 0);
}

static void
check_pass (LsTrace *t, const LsPass *pass, Count *count)
{
  g_autoptr (LsVisits) v = ls_pass_visits (t, pass);
  guint steps = 0;
  g_assert_true (v->whole);
  for (guint i = 0; i < v->visits->len; i++) {
    const LsVisit *visit = &g_array_index (v->visits, LsVisit, i);
    if (visit->step) {
      g_assert_cmpuint (visit->step, ==, ++steps);
      g_assert_cmpuint (g_array_index (v->steps, guint, steps - 1), ==, i);
    }
    g_assert_cmpuint (ls_visits_steps_before (v, i), ==, steps - (visit->step > 0));
    if (i % 7 == 0) {      /* a stack is made of all visits before it */
      g_autoptr (GArray) stack = ls_visits_stack (v, i);
      const LsVisitFrame *top = stack->len ? &g_array_index (stack, LsVisitFrame, stack->len - 1) : NULL;
      g_assert_true (stack->len == visit->depth && top->node == visit->node && top->next == visit->stage);
      for (guint f = 0; f < stack->len; f++) {      /* an entry waits for those that it pushed, its sources or its rule's result */
        const LsVisitFrame *frame = &g_array_index (stack, LsVisitFrame, f);
        const LsVisitFrame *waiter = f ? &g_array_index (stack, LsVisitFrame, frame->waiter) : NULL;
        const LsUOp *u = waiter ? ls_context_node (t->ctx, waiter->node) : NULL;
        gboolean source = FALSE;
        for (guint s = 0; u && s < u->n_src; s++)
          source |= u->src[s]->id == frame->node;
        g_assert_true (waiter ? waiter->next == LS_VISIT_LINK || (waiter->next == LS_VISIT_MATCH && source)
                       : frame->waiter == LS_NO_WAITER);
      }
    }
  }
  g_assert_cmpuint (steps, ==, ls_pass_n_rewrites (pass));
  g_assert_cmpuint (steps, ==, v->steps->len);
  g_autoptr (GArray) last = ls_visits_stack (v, v->visits->len);
  g_assert_cmpuint (last->len, ==, 0);
  check_tries (t, pass, v, count);
  count->passes++;
  count->visits += v->visits->len;
  count->steps += steps;
}

static void
test_examples (gconstpointer settings)
{
  static const char *const files[] = { "softmax.py", "matmul.py", "views.py", "sum.py", "cast.py", "rewriting.py", "layernorm.py" };
  Count count = { 0 };
  for (guint f = 0; f < G_N_ELEMENTS (files); f++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.file = files[f], .settings = settings);
    for (guint i = 0; i < s->trace->passes->len; i++)
      if (((const LsPass *) s->trace->passes->pdata[i])->kind == LS_PASS_REWRITE)
        check_pass (s->trace, s->trace->passes->pdata[i], &count);
      else
        g_assert_null (ls_pass_visits (s->trace, s->trace->passes->pdata[i]));
  }
  g_test_message ("%u passes, %u visits, %u steps, %u rules tried, %u rejected early", count.passes, count.visits, count.steps, count.tried,
                  count.rejected);
  g_assert_true (count.passes > 100 && count.steps > 500 && count.rejected > 1000);
}

/* A small graph, visit by visit: i * 1 + 0. */
static void
test_small (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite\n"
                                                 "i = UOp.variable('i', 0, 9)\n"
                                                 "pm = PatternMatcher('# One.\\none: x:int * 1 -> x\\n# Zero.\\nzero: x:int + 0 -> x\\n')\n"
                                                 "graph_rewrite(i * 1 + 0, pm)\n");
  LsTrace *t = s->trace;
  const LsPass *pass = NULL;
  for (guint i = 0; i < t->passes->len && !pass; i++)
    if (g_str_has_prefix (((const LsPass *) t->passes->pdata[i])->name, "graph_rewrite"))
      pass = t->passes->pdata[i];
  g_autoptr (LsVisits) v = ls_pass_visits (t, pass);
  static const struct { LsVisitStage stage; const char *op; guint depth, step; gboolean done; } rows[] = {
    { LS_VISIT_PUSH, "ADD", 1, 0, FALSE },            /* pushes MUL; no rule changes a constant */
    { LS_VISIT_PUSH, "MUL", 2, 0, FALSE },
    { LS_VISIT_MATCH, "MUL", 2, 1, FALSE },           /* i, which is done already */
    { LS_VISIT_PUSH, "DEFINE_VAR", 3, 0, TRUE },
    { LS_VISIT_LINK, "MUL", 2, 0, FALSE },
    { LS_VISIT_MATCH, "ADD", 1, 2, FALSE },           /* over i: i + 0 */
    { LS_VISIT_PUSH, "DEFINE_VAR", 2, 0, TRUE },
    { LS_VISIT_LINK, "ADD", 1, 0, FALSE },
  };
  g_assert_cmpuint (v->visits->len, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < v->visits->len; i++) {
    const LsVisit *visit = &g_array_index (v->visits, LsVisit, i);
    g_assert_cmpint (visit->stage, ==, rows[i].stage);
    g_assert_cmpstr (ls_op_name (ls_context_node (t->ctx, visit->node)->op), ==, rows[i].op);
    g_assert_cmpuint (visit->depth, ==, rows[i].depth);
    g_assert_cmpuint (visit->step, ==, rows[i].step);
    g_assert_cmpint (visit->done, ==, rows[i].done);
  }
  g_autoptr (GArray) at_mul = ls_visit_rules (t, pass, v, &g_array_index (v->visits, LsVisit, 2));      /* found by op: one of the two */
  g_assert_cmpuint (at_mul->len, ==, 1);
  g_assert_cmpstr (((const LsTraceRule *) t->rules->pdata[g_array_index (at_mul, LsVisitRule, 0).rule])->name, ==, "one");
}

/* UOp.substitute is a rewrite, all at once: nodes are matched before their sources, and neither side of a replacement is looked into, in
 * the walk and in the graphs of its steps. */
static void
test_substitute (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad.uop.ops import UOp\n"
                                                 "x, y, z = (UOp.variable(n, 0, 9) for n in 'xyz')\n"
                                                 "g = (x + y) * (x * 3) + z\n"
                                                 "print(g.substitute({x: y, y: x}).render(simplify=False))\n"
                                                 "print(g.substitute({x * 3: x * 3 + 1, x: y + 1}).render(simplify=False))\n"
                                                 "print(g.substitute({x: x}) is g, g.substitute({g: x}) is x)\n");
  LsTrace *t = s->trace;
  g_assert_cmpstr (t->std_out, ==, "(((y+x)*(y*3))+z)\n((((y+1)+y)*((x*3)+1))+z)\nTrue True\n");
  static const guint steps[] = { 2, 2, 0, 1 };
  static const char *const graphs[][2] = {
    { "((y+y)*(y*3)+z)", "((y+x)*(y*3)+z)" }, { "((y+1+y)*((y+1)*3)+z)", "((y+1+y)*(x*3+1)+z)" }, { NULL }, { "x" },
  };
  guint n = 0;
  Count count = { 0 };
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    if (!g_str_has_prefix (pass->name, "substitute@"))
      continue;
    g_assert_cmpuint (ls_pass_n_steps (pass), ==, steps[n++]);
    g_assert_true (ls_pass_matches_first (pass));
    check_pass (t, pass, &count);
    g_autoptr (LsVisits) v = ls_pass_visits (t, pass);
    for (guint k = 0; k < v->steps->len; k++) {
      const LsVisit *visit = &g_array_index (v->visits, LsVisit, g_array_index (v->steps, guint, k));
      g_assert_true (visit->stage == LS_VISIT_PUSH && visit->pops && visit->n == 0 && visit->over == visit->node);
      g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, k + 1);
      g_autofree char *expression = ls_expr_print (NULL, graph->root, 0);
      g_assert_cmpstr (expression, ==, graphs[n - 1][k]);
    }
  }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (steps));
}

/* Of a recording that was read, and of links that no driver wrote. */
static void
test_recording (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = "softmax.py");
  g_autofree char *path = g_strdup_printf ("%s/visits-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autoptr (GError) error = NULL;
  g_assert_true (ls_trace_save (s->trace, path, &error));
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  Count count = { 0 };
  const LsPass *most = NULL;
  for (guint i = 0; i < t->passes->len; i++)
    if (((const LsPass *) t->passes->pdata[i])->kind == LS_PASS_REWRITE) {
      check_pass (t, t->passes->pdata[i], &count);
      if (!most || ls_pass_n_rewrites (t->passes->pdata[i]) > ls_pass_n_rewrites (most))
        most = t->passes->pdata[i];
    }
  LsLink *links = (LsLink *) (gpointer) most->links->data;
  for (guint i = 0; i < most->links->len; i++) {
    LsLink kept = links[i];
    links[i].before = most->input;
    links[i].after = most->input;
    g_autoptr (LsVisits) v = ls_pass_visits (t, most);
    g_assert_false (v->whole);
    links[i] = kept;
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/visits/default", "", test_examples);
  g_test_add_data_func ("/visits/modern", "profile=modern", test_examples);
  g_test_add_data_func ("/visits/classic", "profile=classic", test_examples);
  g_test_add_func ("/visits/small", test_small);
  g_test_add_func ("/visits/substitute", test_substitute);
  g_test_add_func ("/visits/recording", test_recording);
  return g_test_run ();
}
