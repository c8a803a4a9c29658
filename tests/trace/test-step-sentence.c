/* What a step's sentence says changed, for one step of each kind; and of every step: that it is not empty, and says the same again. */
#include "fixture.h"
#include "trace/step-parts.h"

#include <string.h>

static const char program[] = "a = Tensor([[1.5, -2.0, 3.0], [4.0, 0.5, 6.0]]).realize()\n"
                              "print((a.permute(1, 0).sum(1) + Tensor.arange(3) * 2).tolist())\n";

/* The sentence of the first step of the rule, in the pass of that stage. */
static char *
first_sentence (LsTrace *trace, const char *stage, const char *rule)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 1; g_str_equal (pass->stage, stage) && k <= pass->steps->len; k++) {
      const LsLink *link = ls_pass_step_link (pass, k);
      if (g_str_equal (((const LsTraceRule *) trace->rules->pdata[link->rule])->name, rule))
        return ls_step_sentence (trace, pass, k);
    }
  }
  g_error ("%s does not fire in %s", rule, stage);
}

static void
test_kinds (void)
{
  static const struct { const char *stage, *rule, *says; } cases[] = {
    { "ast", "view-movement", "VIEW + RESHAPE → one VIEW" },                       /* nodes that became one of their op */
    { "ast", "view-buffer", "VIEW + BUFFER → LOAD a + DEFINE_GLOBAL + VIEW (" },   /* ops of both sides */
    { "lower", "lower-reduce", "REDUCE_AXIS 1 → REDUCE over j:2 (" },              /* the loops of a reduce */
    { "simplify", "add-zero", "i+0 → i (" },                                       /* expressions */
    { "index", "index-const", "CONST 3: index → int (" },                          /* a node that kept its op */
  };
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = program, .settings = "NOOPT=1");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *sentence = first_sentence (s->trace, cases[i].stage, cases[i].rule);
    if (!strstr (sentence, cases[i].says))
      g_test_fail_printf ("%s: “%s” does not say “%s”", cases[i].rule, sentence, cases[i].says);
  }
}

/* "$ab" is not "$a" with a b behind it. */
static void
test_computed (void)
{
  static const char rules[] = "set symbolic first\n# Both constants are added to the source at once.\n"
                              "two-at-once: x:index + $a + $ab -> x + ($ab + $a)\n";
  g_autoptr (LsSession) s = FIXTURE_RUN (.rules = rules, .settings = "NOOPT=1",
    .text = "print((Tensor.arange(64).reshape(4, 16).shrink(((1, 3), (2, 9))) + 1).contiguous().tolist())\n");
  guint n = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    for (guint k = 1; k <= pass->steps->len; k++) {
      const LsLink *link = ls_pass_step_link (pass, k);
      g_autofree char *sentence = ls_step_sentence (s->trace, pass, k), *again = ls_step_sentence (s->trace, pass, k);
      g_assert_cmpstr (sentence, ==, again);
      g_assert_nonnull (strstr (sentence, " → "));
      if (!g_str_equal (((const LsTraceRule *) s->trace->rules->pdata[link->rule])->name, "two-at-once"))
        continue;
      LsUOp *b = ls_context_node (s->trace->ctx, link->before);
      g_autofree char *sum = g_strdup_printf ("(%li + %li = %li)", (long) b->src[1]->arg.i, (long) b->src[0]->src[1]->arg.i,
                                              (long) (b->src[1]->arg.i + b->src[0]->src[1]->arg.i));
      if (!strstr (sentence, sum))
        g_test_fail_printf ("“%s” does not say “%s”", sentence, sum);
      n++;
    }
  }
  g_test_message ("%u sums", n);
  g_assert_cmpuint (n, >, 0);
}

/* What an algorithm decided, one node after the other: each made by the step, with its reason; their sources are made before them. */
static void
test_parts (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = program);
  static const char *const wanted[] = { "DEFINE_ACC acc0", "ADD", "PHI" };
  guint n_built = 0, n_sums = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    for (guint k = 1; k <= ls_pass_n_steps (pass); k++) {
      g_autoptr (GArray) parts = ls_step_parts (s->trace, pass, k, FALSE);
      g_assert_true (!parts || ls_step_is_built (s->trace, pass, k));
      guint found = 0;
      for (guint p = 0; parts && p < parts->len; p++) {
        const LsStepPart *part = &g_array_index (parts, LsStepPart, p);
        g_assert_cmpuint (strlen (part->why), >=, 4);
        g_assert_true (p == 0 || part->node > g_array_index (parts, LsStepPart, p - 1).node);
        found += found < G_N_ELEMENTS (wanted) && g_str_equal (part->text, wanted[found]);
      }
      n_built += parts != NULL;
      n_sums += parts && g_str_equal (pass->stage, "accumulate");
      if (parts && g_str_equal (pass->stage, "accumulate"))
        g_assert_cmpuint (found, ==, G_N_ELEMENTS (wanted));
    }
  }
  g_test_message ("%u steps with parts, %u sums", n_built, n_sums);
  g_assert_cmpuint (n_sums, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/step-sentence/kinds", test_kinds);
  g_test_add_func ("/trace/step-sentence/computed", test_computed);
  g_test_add_func ("/trace/step-sentence/parts", test_parts);
  return g_test_run ();
}
