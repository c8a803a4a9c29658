/* Everything that is asked of a recording, by the fuzzer and by the test that edits recordings: any answer or error will do. */
#pragma once
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/ask.h"
#include "ir/print.h"
#include "pipeline/memory.h"
#include "trace/node-history.h"
#include "trace/place.h"

static void
ask_graph (LsGraph *graph)
{
  GPtrArray *order = graph->nodes;
  if (order->len > 2000)
    return;
  g_free (ls_listing_print (graph->ctx, order->len, (LsUOp **) order->pdata, LS_STYLE_OPS));
  g_free (ls_listing_print (graph->ctx, order->len, (LsUOp **) order->pdata, LS_STYLE_CLASSIC));
  g_free (ls_pyrender (graph->ctx, graph->root));
  g_free (ls_tree_print (graph->ctx, graph->root));
  g_free (ls_expr_print (graph->names, graph->root, 200));
}

static void
ask_pass (LsTrace *t, const LsPass *p, guint most)
{
  guint n = ls_pass_n_rewrites (p);
  const guint steps[] = { 0, n / 2, n };
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (LsGraph) graph = ls_pass_graph (t, p, steps[i]);
    if (!graph)
      continue;
    ask_graph (graph);
    ls_values_free (ls_values (t, p, steps[i], LS_NO_NODE, "nonfinite", 4, NULL));
    for (guint k = 0; k < MIN (graph->nodes->len, most); k++) {
      LsUOp *u = graph->nodes->pdata[k];
      ls_values_free (ls_values (t, p, steps[i], u->id, k % 2 ? ">3" : NULL, 4, NULL));
      ls_blame_free (ls_blame_in_pass (t, p, steps[i], u->id, NULL));
      g_array_unref (ls_trace_program_lines (t, p, u));
      for (guint r = k % 7; r < t->rules->len; r += t->rules->len / 8 + 1)
        ls_why_not_free (ls_why_not (t, p, i == 1 ? G_MAXUINT : steps[i], u->id, ((LsTraceRule *) t->rules->pdata[r])->name, NULL));
      LsNodeHistory history = ls_node_history_start (t, p, steps[i], u->id, 1);
      for (guint step = steps[i] + 1; step <= MIN (n, steps[i] + 3); step++)
        ls_node_history_follow (&history, t, p, step);
      ls_node_history_clear (&history);
    }
  }
  for (guint k = 1; k <= MIN (n, most); k++) {
    LsBinding b[8];
    ls_step_bindings (t, p, k, b, G_N_ELEMENTS (b));
    GArray *guards = ls_step_guards (t, p, k);
    if (guards)
      g_array_unref (guards);
    g_free (ls_step_sentence (t, p, k));
    g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (t, p, k);
    if (diff)
      g_free (ls_step_sentence_shown (t, p, k, diff));
    GHashTable *identities = ls_pass_identities (t, p, k - 1, k);
    if (identities)
      g_hash_table_unref (identities);
  }
}

static void
ask_two (LsTrace *t, const LsPass *a, const LsPass *b)
{
  LsPosition from = { t, a, ls_pass_n_rewrites (a) / 2 }, to = { t, b, ls_pass_n_rewrites (b) };
  g_autoptr (LsGraphDiff) diff = ls_position_diff (&from, &to);
  g_free (ls_position_print (&from));
  if (!diff)
    return;
  g_autoptr (LsListDiff) list = ls_list_diff_graph (&from, &to, diff);
  if (list)
    g_array_unref (ls_list_diff_tree (list));
}

static void
recording_ask (LsTrace *t, guint most)
{
  ls_verify_free (ls_trace_verify (t));
  for (guint k = 1; k <= MIN (t->kernels->len, 4); k++) {
    const LsKernel *kernel = ls_trace_kernel (t, k);
    guint n[LS_N_BLAME];
    ls_blame_coverage (t, k, n, NULL);
    for (guint line = 1; line <= most; line++)
      ls_blame_free (ls_blame_line (t, k, line, NULL));
    ls_blame_free (ls_blame_instruction (t, k, kernel->code_address + 1, NULL));
    for (guint i = 0; i < MIN (kernel->listing->len, most); i++)
      ls_blame_free (ls_blame_node (t, k, g_array_index (kernel->listing, guint32, i), NULL));
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    for (guint i = 0; i < kernel->listing->len; i++) {
      LsUOp *u = ls_context_node (t->ctx, g_array_index (kernel->listing, guint32, i));
      if (u)
        g_ptr_array_add (list, u);
    }
    g_free (ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_OPS));
    g_free (ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_CLASSIC));
    g_array_unref (ls_listing_rows (t->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_CLASSIC));
    g_hash_table_unref (ls_listing_numbers (t->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_CLASSIC));
    g_free (ls_proc_signature (kernel->name, kernel->procedure));
    for (guint i = 0; i < kernel->procedure->len; i++)
      g_free (ls_proc_row_text (&g_array_index (kernel->procedure, LsProcRow, i)));
  }
  for (guint line = 1; line < 5; line++) {
    GArray *from = ls_blame_from (t, line, NULL);
    if (from)
      g_array_unref (from);
  }
  guint stride = MAX (t->passes->len / MAX (most, 1), 1);
  for (guint i = 0; i < t->passes->len; i += stride) {
    ask_pass (t, t->passes->pdata[i], most);
    ask_two (t, t->passes->pdata[i], t->passes->pdata[(i * 7 + 3) % t->passes->len]);
  }
  for (guint32 id = 0; id < MIN (ls_context_n_nodes (t->ctx), 50 * most); id++)
    ls_access_free (ls_access (t->ctx, NULL, ls_context_node (t->ctx, id), NULL, 0, NULL));
  for (guint r = 0; r < t->rules->len; r += t->rules->len / 10 + 1)
    for (guint side = 0; side < 2; side++) {
      LsRulePicture *picture = ls_trace_rule_picture (t, r, side);
      if (picture)
        ls_rule_picture_free (picture);
    }
  ls_rule_report_free (ls_rule_report (t));
  ls_bisect_free (ls_bisect (t, NULL));
  ls_trace_diff_free (ls_trace_diff (t, t));
  g_free (ls_trace_compare (t, t));
  ls_memory_plan (t, t->buffers, ls_memory_how (t));
}
