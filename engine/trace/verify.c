/* The invariants of a recording: every pass replays to its output, passes of a kernel join, and every line of source descends from the program. */
#include "lineage.h"

#include "ir/spec.h"
#include "rewrite/stage.h"

#include <string.h>

void
ls_verify_free (LsVerify *v)
{
  if (!v)
    return;
  g_ptr_array_unref (v->messages);
  g_free (v);
}

G_GNUC_PRINTF (2, 3) static void
message (LsVerify *v, const char *format, ...)
{
  va_list args;
  if (v->messages->len >= 100)
    return;
  va_start (args, format);
  g_ptr_array_add (v->messages, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
verify_pass (LsTrace *trace, LsVerify *v, const LsPass *pass)
{
  v->passes++;
  v->steps += pass->steps->len;
  if (pass->kind == LS_PASS_MAP)
    return;
  g_autoptr (LsGraph) at_first = ls_pass_graph (trace, pass, 0), at_last = ls_pass_graph (trace, pass, pass->steps->len);
  LsUOp *first = at_first ? at_first->root : NULL, *last = at_last ? at_last->root : NULL;
  if (pass->output == LS_NO_NODE) {
    /* it was stopped: it has no output, but its steps are there to be looked at */
    if (!first || !last || first != ls_context_node (trace->ctx, pass->input)) {
      v->replay_failures++;
      message (v, "pass %s of kernel %u, which was stopped, cannot be replayed to its last step", pass->name, pass->kernel);
    }
    return;
  }
  if (!first || first != ls_context_node (trace->ctx, pass->input) || !last || last != ls_context_node (trace->ctx, pass->output)) {
    v->replay_failures++;
    message (v, "pass %s of kernel %u: replay gives node %u, recorded is %u", pass->name, pass->kernel, last ? last->id : LS_NO_NODE, pass->output);
  }
}

static void
verify_kernel (LsTrace *trace, LsVerify *v, const LsKernel *k, const LsCallIndex *calls)
{
  guint32 at = LS_NO_NODE;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (pass->parent >= 0)      /* a part of another pass */
      continue;
    if (at != LS_NO_NODE && pass->input != at) {
      v->replay_failures++;
      message (v, "pass %s of kernel %u begins with node %u, the pass before ended with %u", pass->name, k->number, pass->input, at);
    }
    at = pass->output;
    if (pass->kind == LS_PASS_REWRITE && pass->output != LS_NO_NODE) {
      LsUOp *out = ls_context_node (trace->ctx, pass->output);
      GError *error = NULL;
      const LsStageInfo *stage = ls_stage_of_pass (pass->name);
      if (!ls_spec_check (trace->ctx, out, pass->stage, stage && stage->kernel ? stage->gone : NULL, &error)) {
        v->spec_failures++;
        message (v, "after %s of kernel %u: %s", pass->name, k->number, error->message);
        g_clear_error (&error);
      }
    }
  }
  if (!k->source)
    return;
  /* every node a line shows comes from the program; one that several of its lines share is ambiguous */
  g_autoptr (GHashTable) checked = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) chain = ls_lineage_chain_kernel (trace, k);
  for (guint i = 0; i < k->source_links->len; i++) {
    const LsSourceLink *l = &g_array_index (k->source_links, LsSourceLink, i);
    LsUOp *u = ls_context_node (trace->ctx, l->node);
    if (!u || !g_hash_table_add (checked, u))
      continue;
    g_autoptr (GArray) ends = ls_lineage_walk (trace, chain, 1, &u->id, NULL);
    g_autoptr (GArray) lines = ls_call_index_lines (calls, trace, ends->len, (const guint32 *) ends->data);
    v->lineage_ambiguous += lines->len > 1;
    if (lines->len == 0) {
      v->lineage_unmapped++;
      message (v, "kernel %u line %u: node %u (%s) has no program line", k->number, l->line, u->id, ls_op_name (u->op));
    }
  }
}

LsVerify *
ls_trace_verify (LsTrace *trace)
{
  LsVerify *v = g_new0 (LsVerify, 1);
  v->messages = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < trace->passes->len; i++)
    verify_pass (trace, v, trace->passes->pdata[i]);
  LsCallIndex calls;
  ls_call_index_init (&calls, trace);
  for (guint i = 0; i < trace->kernels->len; i++)
    verify_kernel (trace, v, trace->kernels->pdata[i], &calls);
  ls_call_index_clear (&calls);
  return v;
}
