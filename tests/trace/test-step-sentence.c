/* What a step's sentence says changed, for one step of each kind; and of every step: that it is not empty, and says the same again. */
#include "fixture.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/step-sentence/kinds", test_kinds);
  g_test_add_func ("/trace/step-sentence/computed", test_computed);
  return g_test_run ();
}
