/* What is done with a text of rules, by the fuzzer and by the test that makes rules up: it is parsed or refused; what is parsed is
 * matched and explained at a few nodes, as a program's rules and as a recording's, and, beside the built-in rules, rewrites a program
 * through the whole pipeline, which either works or ends with an error. */
#pragma once
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/pipeline.h"
#include "rewrite/rewrite.h"

/* Shapes, movements, a reduce, a mask, casts, a choice, division of index. */
static LsUOp *
program (LsContext *ctx)
{
  const gint64 id[] = { 0, 24 }, shape[] = { 4, 6 }, pad[] = { 1, 1, 0, 2 }, box[] = { 1, 5, 2, 6 }, axes[] = { 1 }, order[] = { 1, 0 },
               flip[] = { 1, 0 }, one[] = { 4, 1 }, wide[] = { 4, 4 };
  LsUOp *b = ls_uop_new0 (ctx, LS_OP_BUFFER, LS_INT32, ls_arg_ints (ctx, 2, id));
  LsUOp *x = ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_INT32, b, ls_arg_ints (ctx, 2, shape));
  LsUOp *y = ls_uop_new1 (ctx, LS_OP_SHRINK, LS_INT32, ls_uop_new1 (ctx, LS_OP_PAD, LS_INT32, x, ls_arg_ints (ctx, 4, pad)),
                          ls_arg_ints (ctx, 4, box));
  LsUOp *t = ls_uop_new1 (ctx, LS_OP_FLIP, LS_INT32, ls_uop_new1 (ctx, LS_OP_PERMUTE, LS_INT32, y, ls_arg_ints (ctx, 2, order)),
                          ls_arg_ints (ctx, 2, flip));
  LsUOp *two = ls_uop_new1 (ctx, LS_OP_EXPAND, LS_INT32, ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_INT32, ls_uop_const_i (ctx, LS_INT32, 2),
                                                                      ls_arg_ints (ctx, 2, (gint64[]) { 1, 1 })),
                                                                      ls_arg_ints (ctx, 2, wide));
  LsUOp *sum = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, LS_INT32, ls_uop_alu2 (ctx, LS_OP_MUL, ls_uop_alu2 (ctx, LS_OP_FLOORDIV, y, two), t),
                            ls_arg_op_ints (ctx, LS_OP_ADD, 1, axes));
  LsUOp *f = ls_uop_cast (ctx, ls_uop_new1 (ctx, LS_OP_EXPAND, LS_INT32, ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_INT32, sum,
                                                                                      ls_arg_ints (ctx, 2, one)),
                                                                                      ls_arg_ints (ctx, 2, wide)), LS_FLOAT);
  LsUOp *out = ls_uop_alu3 (ctx, LS_OP_WHERE, ls_uop_alu2 (ctx, LS_OP_CMPLT, y, two), ls_uop_new1 (ctx, LS_OP_SQRT, LS_FLOAT, f,
                                                                                                   ls_arg_none ()), f);
  return ls_uop_new (ctx, LS_OP_SINK, LS_VOID, 1, &out, ls_arg_none ());
}

/* The program through the whole pipeline. The first error, or NULL. */
static GError *
rules_run_program (LsRuleLibrary *library, const char *target, const char *options, LsSettings *settings)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_auto (LsPipeline) p = { ctx, library, settings, ls_target_find (target), NULL, trace, TRUE };
  GError *error = NULL;
  p.graph = program (ctx);
  if (!ls_pipeline_run (&p, LS_STAGE_TENSOR, LS_STAGE_SCHEDULE, &error)) {
    g_assert (error != NULL);
    return error;
  }
  for (guint i = 0; i < p.schedule->items->len; i++) {
    g_auto (LsPipeline) k = { ctx, library, settings, ls_target_find (target), options, trace, TRUE, 1 };
    g_autoptr (GError) own = NULL;
    k.graph = ((LsScheduleItem *) p.schedule->items->pdata[i])->graph;
    g_assert (ls_pipeline_run (&k, LS_STAGE_AST, LS_STAGE_RENDER, &own) == (own == NULL));
    if (own && !error)
      error = g_steal_pointer (&own);
  }
  return error;
}

static void
run_pipeline (LsRuleLibrary *library, const char *target, const char *options)
{
  LsSettings settings;
  ls_settings_init (&settings);
  settings.STEP_LIMIT = 3000;
  settings.NODE_LIMIT = 20000;
  g_clear_error (&(GError *) { rules_run_program (library, target, options, &settings) });
}

static void
ask (LsRuleLibrary *library)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, program (ctx));
  for (guint r = 0; r < ls_rule_library_n_rules (library); r++) {
    for (guint i = 0; i < nodes->len; i++) {
      LsBinding bindings[8];
      LsRuleExplanation e;
      guint n = ls_rule_match (library, r, ctx, nodes->pdata[i], bindings, G_N_ELEMENTS (bindings));
      ls_rule_explain (library, r, ctx, nodes->pdata[i], NULL, &e);
      g_assert (n == 0 || e.matches);
      ls_rule_explanation_clear (&e);
      g_array_unref (ls_rule_guards (library, r, ctx, nodes->pdata[i], NULL));
    }
    ls_rule_picture_free (ls_rule_picture (library, r, FALSE));
    ls_rule_picture_free (ls_rule_picture (library, r, TRUE));
  }
}

static void
rules_run (const char *text)
{
  static char *path;
  if (!path)
    path = g_strdup_printf ("%s/fuzz-%d.rules", g_get_tmp_dir (), (int) getpid ());
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), text, "fuzz.rules", &error);
  g_assert ((library == NULL) == (error != NULL));
  g_autoptr (LsRuleLibrary) recorded = ls_rule_library_parse (NULL, text, "fuzz.rules", NULL);
  if (recorded)
    ask (recorded);
  if (!library)
    return;
  ask (library);
  const char *files[] = { path, NULL };
  g_autoptr (GError) refused = NULL;
  if (!g_file_set_contents (path, text, -1, NULL))
    return;
  g_autoptr (LsRuleLibrary) whole = ls_rule_library_new (ls_pipeline_rules (), files, NULL, &refused);
  g_unlink (path);
  if (!whole)
    return;
  run_pipeline (whole, "c", NULL);
  run_pipeline (whole, "metal", "UPCAST:0:2,UPCAST:0:2,UNROLL:1:2");
}
