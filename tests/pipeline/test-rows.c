/* A new stage, a new rule set and a new builder: each is a row and a file, as HACKING.md shows. This program is built with rows of
 * its own. (tests/render adds a target.) */
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"

#include <string.h>

const char *more_rules_text (const char *file);
const char *(ls_rules_text) (const char *file);

/* The rules of the new set; those of the others are the built-in ones. */
const char *
more_rules_text (const char *file)
{
  static const char text[] = "# Twice a value is the value and itself.\ndouble-sum: x:int * 2 -> x + x\n# Twice twice is a "
                             "shift.\ndouble-shift: x:int * 4 -> build shifted(x, 2)\n";
  return strcmp (file, "double.rules") == 0 ? text : (ls_rules_text) (file);
}

static gboolean
shifted (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->node = ls_uop_alu2 (call->ctx, LS_OP_SHL, args[0].node, ls_uop_const_i (call->ctx, args[0].node->dtype, args[1].num));
  return TRUE;
}

extern const LsTerm ls_double_terms[];
const LsTerm ls_double_terms[] = {
  { "shifted", NULL, LS_TERM_NODE, 2, { LS_TERM_NODE, LS_TERM_NUM }, shifted, "The node shifted left.", TRUE },
  { NULL },
};

/* A kernel that multiplies by n. */
static LsUOp *
times (LsContext *ctx, gint64 n)
{
  LsDType pointer = ls_dtype_ptr (LS_INT32, LS_SPACE_GLOBAL, 1);
  LsUOp *at = ls_uop_new2 (ctx, LS_OP_INDEX, pointer, ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, pointer, ls_arg_int (0)),
                           ls_uop_const_i (ctx, LS_INDEX, 0), ls_arg_none ());
  LsUOp *value = ls_uop_alu2 (ctx, LS_OP_MUL, ls_uop_new1 (ctx, LS_OP_LOAD, LS_INT32, at, ls_arg_none ()),
                              ls_uop_const_i (ctx, LS_INT32, n));
  LsUOp *store = ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, at, value, ls_arg_none ());
  return ls_uop_new1 (ctx, LS_OP_SINK, LS_VOID, store, ls_arg_none ());
}

static gboolean
run (LsContext *ctx, LsTrace *trace, LsUOp *graph, LsUOp **out, GError **error)
{
  LsSettings settings;
  ls_settings_init (&settings);
  settings.SPEC = 1;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, error);
  g_assert_no_error (*error);
  g_auto (LsPipeline) p = { ctx, library, &settings, ls_target_find ("c"), NULL, trace, TRUE, 0 };
  p.graph = graph;
  gboolean ok = ls_pipeline_run (&p, LS_STAGE_DOUBLE, LS_STAGE_DOUBLE, error);
  *out = p.graph->src[0]->src[1];
  return ok;
}

static void
test_rows (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_autoptr (GError) error = NULL;
  LsUOp *out;
  g_assert_cmpstr (ls_stage_find ("double")->sentence, ==, "Products by two become sums.");
  gboolean ok = run (ctx, trace, times (ctx, 2), &out, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_true (out->op == LS_OP_ADD && out->src[0] == out->src[1]);
  g_assert_true (run (ctx, trace, times (ctx, 4), &out, &error));
  g_assert_true (out->op == LS_OP_SHL && out->src[1]->arg.i == 2);
  LsPass *pass = ls_trace_last_pass (trace);
  g_assert_cmpstr (pass->stage, ==, "double");
  g_assert_cmpuint (ls_pass_n_rewrites (pass), ==, 1);
  /* what its row says must be gone */
  g_assert_false (run (ctx, trace, times (ctx, 3), &out, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SPEC);
}

/* A pass that is begun as nested while another is open is recorded as its child, of the step that is tried there. Where that step
 * does not come about it is dropped. */
static void
test_nested (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  LsUOp *graph = times (ctx, 2)->src[0]->src[1], *out;
  LsRecorder *recorder = ls_trace_recorder (trace, 0);
  LsPassInfo info = { "simplify", NULL, "symbolic", LS_REWRITE_BOTTOM_UP };
  LsPassLog *outer = recorder->begin (recorder, &info, graph, library);
  ls_pass_log_add (outer, graph, graph->src[0], 0, 5);
  LsPassInfo nested = { NULL, "double", "double", LS_REWRITE_BOTTOM_UP, LS_PASS_NESTED };
  recorder->end (recorder, recorder->begin (recorder, &nested, graph, library), graph, 1);
  g_assert_true (outer->nests);
  recorder->drop (recorder, outer);
  g_assert_true (!outer->nests && trace->passes->len == 1);
  LsRewrite rw = { ctx, library, "double", LS_REWRITE_BOTTOM_UP, 10, recorder->begin (recorder, &nested, graph, library) };
  g_assert_true (rw.log != outer);
  out = ls_graph_rewrite (&rw, graph, &error);
  recorder->end (recorder, rw.log, out, 1);
  LsPass *child = ls_trace_last_pass (trace);
  ls_pass_log_add (outer, graph->src[0], graph->src[1], 0, 5);
  recorder->end (recorder, outer, graph->src[1], 2);
  LsPass *parent = ls_trace_last_pass (trace);
  g_assert_cmpint (child->parent, ==, (gint) parent->index);
  g_assert_cmpuint (child->step, ==, 2);
  g_assert_cmpuint (child->index, ==, 1);
  g_assert_cmpstr (child->name, ==, "double");
  g_assert_cmpstr (child->stage, ==, "simplify");
  g_assert_cmpint (parent->parent, ==, -1);
  g_assert_cmpuint (ls_pass_n_rewrites (child), ==, 1);
  g_assert_cmpuint (ls_pass_n_rewrites (parent), ==, 2);
}

/* "Up to stage S", and "again from stage S with other options", are one call each. */
static void
test_again (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  const gint64 id[] = { 0, 4096 }, axis[] = { 1 }, shape[] = { 64, 64 };
  LsUOp *b = ls_uop_new0 (ctx, LS_OP_BUFFER, LS_FLOAT, ls_arg_ints (ctx, 2, id));
  LsUOp *sum = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, LS_FLOAT, ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_FLOAT, b, ls_arg_ints (ctx, 2, shape)),
                            ls_arg_op_ints (ctx, LS_OP_ADD, 1, axis));
  g_auto (LsPipeline) p = { ctx, library, &settings, ls_target_find ("c") };
  p.graph = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 1, &sum, ls_arg_none ());
  g_assert_true (ls_pipeline_run (&p, LS_STAGE_TENSOR, LS_STAGE_SCHEDULE, &error));
  g_auto (LsPipeline) k = { ctx, library, &settings, ls_target_find ("c"), "" };
  k.graph = ((LsScheduleItem *) p.schedule->items->pdata[0])->graph;
  g_assert_true (ls_pipeline_run (&k, LS_STAGE_AST, LS_STAGE_RENDER, &error));
  g_assert_cmpstr (k.name, ==, "r_64_64");
  g_autofree char *plain = g_strdup (k.rendered->source);
  static const char *const options[] = { "UNROLL:1:4", "UPCAST:0:2,UNROLL:1:2,UPCAST:0:2", "" };
  static const char *const names[] = { "r_64_16_4", "r_16_32_2_2_2", "r_64_64" };
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
    k.options = options[i];
    g_assert_true (ls_pipeline_run (&k, LS_STAGE_OPTIONS, LS_STAGE_RENDER, &error));
    g_assert_cmpstr (k.name, ==, names[i]);
    g_assert_cmpint (strcmp (k.rendered->source, plain) == 0, ==, i == 2);
  }
  /* in two calls: the second begins with the result of the first, not with that of an earlier run */
  k.options = options[0];
  g_assert_true (ls_pipeline_run (&k, LS_STAGE_OPTIONS, LS_STAGE_EXPAND, &error));
  g_assert_true (ls_pipeline_run (&k, LS_STAGE_ACCUMULATE, LS_STAGE_RENDER, &error));
  g_assert_cmpstr (k.name, ==, names[0]);
  g_assert_cmpstr (k.rendered->source, !=, plain);
  g_assert_nonnull (strstr (k.rendered->source, "r_64_16_4"));
}

/* Every term, stage and set has its words. */
static void
test_words (void)
{
  const LsRuleBase *base = ls_pipeline_rules ();
  guint n = 0;
  for (const LsTerm *const *table = base->terms; *table; table++)
    for (const LsTerm *term = *table; term->name; term++, n++) {
      g_assert_true (g_str_has_suffix (term->sentence, ".") || g_str_has_suffix (term->sentence, "?"));
      g_assert_true (!term->context || ls_stage_find (term->context) != NULL);
    }
  g_assert_cmpuint (n, >, 30);
  for (guint i = 0; i < LS_N_STAGES; i++)
    g_assert_true (g_str_has_suffix (ls_stage_infos[i].sentence, "."));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline/rows", test_rows);
  g_test_add_func ("/pipeline/nested", test_nested);
  g_test_add_func ("/pipeline/again", test_again);
  g_test_add_func ("/pipeline/words", test_words);
  return g_test_run ();
}
