#include "../pass.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"
#include "million.h"

LsTrace *
million_new (guint steps, guint terms)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsTrace *trace = ls_trace_new (ctx);
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (),
                                                             "# A constant is counted down.\ncount-down: x:int + $a -> x + ($a - 1) when "
                                                             "$a > 0\n", "bench.rules", &error);
  g_assert_no_error (error);
  gint64 arg[3] = { 0, LS_AXIS_LOOP, 0 };
  LsUOp *i = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, 2), ls_arg_ints (ctx, 3, arg));
  LsUOp *x = ls_uop_cast (ctx, i, LS_INT32);
  g_autoptr (GPtrArray) row = g_ptr_array_new ();
  /* no two sums are one, whatever they are counted down to */
  for (guint k = 0; k < terms; k++)
    g_ptr_array_add (row, ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, x, ls_uop_const_i (ctx, LS_INT32, k + 2)),
                                       ls_uop_const_i (ctx, LS_INT32, steps / terms)));
  while (row->len > 1) {
    guint n = 0;
    for (guint k = 0; k < row->len; k += 2)
      row->pdata[n++] = k + 1 < row->len ? ls_uop_alu2 (ctx, LS_OP_MAX, row->pdata[k], row->pdata[k + 1]) : row->pdata[k];
    g_ptr_array_set_size (row, (int) n);
  }
  LsUOp *root = ls_uop_new1 (ctx, LS_OP_SINK, LS_VOID, ls_uop_cast (ctx, row->pdata[0], LS_FLOAT), ls_arg_none ());
  LsRewrite rw = { ctx, library, "bench", LS_REWRITE_BOTTOM_UP, 0, NULL, NULL };
  rw.log = begin_pass (trace, 0, "bench", "bench", rw.mode, root, library);
  LsUOp *out = ls_graph_rewrite (&rw, root, &error);
  g_assert_no_error (error);
  LsPass *pass = end_pass (trace, rw.log, out, 0);
  g_assert_cmpuint (ls_pass_n_rewrites (pass), ==, steps / terms * terms);
  g_autoptr (LsGraph) last = ls_pass_graph (trace, pass, ls_pass_n_rewrites (pass));
  g_assert_true (last->root == out);
  return trace;
}
