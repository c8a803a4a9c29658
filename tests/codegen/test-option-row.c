/* A new kernel option is a row and a file, as HACKING.md shows: this program is built with a row more. ENDS:AXIS:AMOUNT computes
 * several values of an output axis in one iteration, as UPCAST does, of axes with at least four times as many. */
#include "codegen/options/option.h"
#include "fixture.h"

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why = ls_option_refuse_rest (q);
  if (why || ls_range_type (q->range) == LS_AXIS_REDUCE)
    return why ? why : "the axis is a reduce axis";
  if (ls_range_size (q->range) < 4 * q->opt->amount)
    return "the axis is too short";
  ls_option_split (ctx, q, ls_range_type (q->range), pass);
  return NULL;
}

static void
ask (const GPtrArray *ranges, guint at, guint last_argument, LsOpt opt, GArray *out)
{
  opt.amount = 2;
  g_array_append_val (out, opt);
}

const LsOption ls_option_ends = {
  .name = "ENDS", .sentence = "Values of long axes.", .number = "AMOUNT", .least = 2, .most = 16, .inner = LS_AXIS_UPCAST, .refuse = refuse,
          .ask = ask, .estimate = ls_estimate_expand,
};

static void
test_row (void)
{
  static const struct { const char *options, *name, *refusal; } cases[] = {
    { "ENDS:0:4", "E_5_4", NULL }, { "ENDS:0:10", "E_20", "the axis is too short" },
    { "ENDS:0:3", "E_20", "the amount does not divide the axis" }, { "ENDS:0:2,UPCAST:0:5", "E_2_5_2", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = "print((Tensor.arange(20).contiguous().realize() + 1).tolist())\n",
                                                           .options = cases[i].options }, &error);
    g_assert_no_error (error);
    const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
    g_assert_cmpstr (k->name, ==, cases[i].name);
    g_assert_cmpstr (g_array_index (k->choices, LsKernelOption, 0).refusal, ==, cases[i].refusal);
    g_assert_cmpstr (s->trace->std_out, ==, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]\n");
  }
}

/* It is parsed, asked for and estimated with the others. */
static void
test_listed (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) none = ls_opts_parse ("END:0:2", &error);
  g_assert_null (none);
  g_assert_nonnull (strstr (error->message, " and ENDS"));
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "print((Tensor.arange(20).contiguous().realize() + 1).tolist())\n", .options = "");
  const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
  LsUOp *lowered = NULL;
  for (guint i = 0; i < k->passes->len && !lowered; i++) {
    const LsPass *pass = s->trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (g_strcmp0 (pass->stage, "simplify") == 0)
      lowered = ls_context_node (s->ctx, pass->output);
  }
  g_autoptr (GArray) all = ls_opts_to_ask (s->ctx, lowered, 8, FALSE);
  guint n = 0;
  for (guint i = 0; i < all->len; i++)
    n += g_array_index (all, LsOpt, i).option == &ls_option_ends;
  g_assert_cmpuint (n, ==, 1);
  g_autoptr (LsAccesses) accesses = ls_accesses_new (s->ctx, lowered);
  g_autoptr (GArray) with = ls_opts_parse ("ENDS:0:4", NULL), as = ls_opts_parse ("UPCAST:0:4", NULL);
  ls_accesses_find_strides (s->ctx, accesses);
  g_assert_cmpfloat (ls_opts_score (accesses, &s->settings, with), ==, ls_opts_score (accesses, &s->settings, as));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codegen/option-row", test_row);
  g_test_add_func ("/codegen/option-row/listed", test_listed);
  return g_test_run ();
}
