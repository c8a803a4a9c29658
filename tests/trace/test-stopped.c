/* Rewrites that do not end, by planted rules: the error names the cycle, and the recording has the pass with its steps, and one
 * iteration of the cycle as a separate pass, which can be opened and stepped. */
#include <glib/gstdio.h>
#include <string.h>

#include "program/program.h"
#include "fixture.h"
#include "ask/ask.h"

typedef struct { const char *name, *rules, *message; guint least_steps, turn; } Endless;

static const Endless endless[] = {
  { "to and fro", "set symbolic\n# There.\nthere: x:sint + 2 -> x - (-2)\n# And back.\nback: x:sint - (-2) -> x + 2\n",
    "the result of there, back contains its own match", 2, 2 },
  { "contains itself", "set symbolic\n# Wraps.\nwrap: x:sint + 2 -> NEG(x + 2)\n", "the result of wrap contains its own match", 1, 1 },
  { "around a third", "set symbolic\n# Grows.\ngrow: x:sint + 2 -> NEG(NEG(x) - 2)\n# Grows back.\nshrink: x:sint - 2 -> NEG(NEG(x) + 2)\n",
    "the result of grow, shrink contains its own match", 3, 2 },
  { "itself, swapped", "set symbolic\n# Swaps.\nping: x:sint + y -> y + x\n", "ping, const-right-add contains its own match", 2, 2 },
  { "counts up", "set symbolic\n# Counts.\nup: x:sint + $a -> x + ($a + 1)\n", "stopped after 300 steps: up would fire endlessly", 300, 1 },
  { "counts by two rules", "set symbolic\n# Counts.\neven: x:sint + $a -> x - ($a + 1)\n# Counts on.\nodd: x:sint - $a -> x + ($a + 1)\n",
    "stopped after 300 steps: odd, even would fire endlessly", 300, 2 },
};

static LsSession *
begin (const char *rules, const char *file)
{
  g_autoptr (GError) error = NULL;
  LsSession *s = fixture_session (&(FixtureRun) { .rules = rules, .settings = "STEP_LIMIT=300" });
  s->writer = ls_trace_writer_new (s->trace, file, &error);
  g_assert_no_error (error);
  return s;
}

/* The memory plan of what was run before comes last. */
static guint
last_rewrite (LsTrace *t)
{
  guint last = t->passes->len - 1;
  while (((const LsPass *) t->passes->pdata[last])->kind != LS_PASS_REWRITE)
    last--;
  return last;
}

/* Every step has a graph and says what changed. */
static void
check_steps (LsTrace *t, const Endless *e)
{
  const LsPass *pass = t->passes->pdata[last_rewrite (t) - 1];
  guint n = ls_pass_n_rewrites (pass);
  g_assert_cmpstr (pass->stage, ==, "simplify");
  g_assert_cmpuint (pass->output, ==, LS_NO_NODE);
  g_assert_cmpuint (n, >=, e->least_steps);
  for (guint k = 0; k <= n; k++) {
    g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, k);
    g_assert_nonnull (graph);
    if (k == 0)
      continue;
    g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (t, pass, k);
    g_assert_nonnull (diff);
    g_assert_cmpuint (diff->after->root->id, ==, graph->root->id);
    g_autofree char *sentence = ls_step_sentence (t, pass, k);
    g_assert_nonnull (sentence);
  }
  LsVerify *verify = ls_trace_verify (t);
  g_assert_cmpuint (verify->replay_failures, ==, 0);
  ls_verify_free (verify);
}

/* A turn begins at a node, by rules that the error names, and comes back to it; where numbers count up it comes to the same op. */
static void
check_turn (LsTrace *t, const Endless *e)
{
  guint last = last_rewrite (t);
  const LsPass *turn = t->passes->pdata[last];
  guint n = ls_pass_n_rewrites (turn);
  g_assert_cmpstr (turn->name, ==, "simplify-cycle");
  g_assert_cmpint (turn->parent, ==, (gint) last - 1);
  g_assert_cmpuint (n, ==, e->turn);
  LsUOp *first = ls_context_node (t->ctx, turn->input);
  g_autoptr (LsGraph) end = ls_pass_graph (t, turn, n);
  g_assert_cmpuint (ls_pass_step_link (turn, 1)->before, ==, first->id);
  gboolean back = FALSE;
  for (guint i = 0; i < end->nodes->len; i++) {
    const LsUOp *u = end->nodes->pdata[i];
    back |= u == first || (e->least_steps == 300 && u->op == first->op);
  }
  g_assert_true (back);
  for (guint k = 1; k <= n; k++) {
    g_autoptr (LsGraph) graph = ls_pass_graph (t, turn, k);
    g_assert_nonnull (graph);
    g_assert_nonnull (strstr (e->message, ((LsTraceRule *) t->rules->pdata[ls_pass_step_link (turn, k)->rule])->name));
  }
}

static void
test_endless (gconstpointer data)
{
  const Endless *e = data;
  g_autoptr (GError) error = NULL, ask_error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("lazyscope-stopped-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (directory, "a.lscope", NULL);
  g_autoptr (LsSession) s = begin (e->rules, file);
  g_assert_false (ls_session_run_program (s, "print(1)\nfrom tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + 2).tolist())\n", "test.py",
                                          &error));
  ls_session_finish (s);
  g_assert_nonnull (error);
  if (!strstr (error->message, e->message))
    g_error ("\"%s\" is not in: %s", e->message, error->message);
  g_clear_error (&error);
  g_assert_true (ls_trace_writer_finish (g_steal_pointer (&s->writer), &error));
  g_assert_no_error (error);
  check_steps (s->trace, e);
  check_turn (s->trace, e);

  g_autoptr (LsTrace) back = ls_trace_load (file, &error);
  g_assert_no_error (error);
  g_autofree char *difference = ls_trace_compare (s->trace, back);
  g_assert_cmpstr (difference, ==, NULL);
  g_assert_nonnull (strstr (back->error, e->message));
  g_assert_cmpuint (back->error_line, ==, 3);
  g_assert_cmpstr (back->std_out, ==, "1\n");
  check_steps (back, e);
  check_turn (back, e);
  /* questions to it have answers, too */
  LsRuleReport *report = ls_rule_report (back);
  g_assert_cmpuint (report->totals->len, >, 0);
  ls_rule_report_free (report);
  g_autoptr (LsBisect) bisect = ls_bisect (back, &ask_error);
  g_assert_true (bisect != NULL || ask_error != NULL);
  g_unlink (file);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (endless); i++) {
    g_autofree char *name = g_strdup_printf ("/stopped/%s", endless[i].name);
    g_test_add_data_func (name, &endless[i], test_endless);
  }
  return g_test_run ();
}
