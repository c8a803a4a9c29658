/* What the loops of a recorded kernel are called: by its graph as the options left it, by the passes that made something else of a
 * range, and by its text. And what its buffers are called, by the program (buffer-names.c). */
#include "trace.h"
#include "ir/names.h"

#include <string.h>

/* The pass is one of that stage, and not a part of another. */
static gboolean
is_of (const LsPass *pass, LsStage stage)
{
  return pass->parent < 0 && pass->stage && strcmp (pass->stage, ls_stage_infos[stage].name) == 0;
}

/* The graph that has all loops: what expand begins with; of a kernel that did not get there, what its last pass gave. */
static LsUOp *
graph_of_loops (const LsTrace *trace, const LsKernel *k)
{
  LsUOp *last = NULL;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (is_of (pass, LS_STAGE_EXPAND))
      return ls_context_node (trace->ctx, pass->input);
    if (pass->parent < 0 && pass->kind == LS_PASS_REWRITE && pass->output != LS_NO_NODE)
      last = ls_context_node (trace->ctx, pass->output);
  }
  return last;
}

/* Ranges became work items or threads, or were numbered anew. */
static void
add_aliases (LsNames *names, const LsTrace *trace, const LsPass *pass)
{
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    const LsUOp *before = ls_context_node (trace->ctx, l->before), *after = ls_context_node (trace->ctx, l->after);
    if (l->rule != LS_LINK_REBUILD && before && after && before->op == LS_OP_RANGE && ls_has_loop_name (after))
      ls_names_add_alias (names, after, before);
  }
}

/* Arguments are numbered as the launch hands them over. */
static void
add_buffers (LsNames *names, LsTrace *trace, const LsKernel *launch)
{
  for (guint i = 0; i < launch->buffers->len; i++) {
    const LsNameBinding *binding = ls_trace_buffer_name (trace, g_array_index (launch->buffers, guint, i));
    g_autofree char *place = binding ? ls_trace_binding_place (trace, binding) : NULL;
    if (binding)
      ls_names_add_buffer (names, i, binding->name, place);
  }
}

/* k: whose code the launch uses. */
static LsNames *
names_of (LsTrace *trace, const LsKernel *k, const LsKernel *launch)
{
  LsUOp *root = graph_of_loops (trace, k);
  LsNames *names = root ? ls_names_new_graph (trace->ctx, root) : ls_names_new (0, NULL);
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (is_of (pass, LS_STAGE_DIMS) || is_of (pass, LS_STAGE_REGISTERS))
      add_aliases (names, trace, pass);
  }
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    const LsUOp *u = ls_context_node (trace->ctx, e->node);
    const char *text = e->name && *e->name ? e->name : u && u->op == LS_OP_RANGE ? e->expr : NULL;
    if (text && u && ls_has_loop_name (u))
      ls_names_add_text (names, u, text);
  }
  add_buffers (names, trace, launch);
  return names;
}

LsNames *
ls_trace_names (LsTrace *trace, guint kernel)
{
  LsKernel *k = ls_trace_kernel (trace, kernel), *same = k && k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : NULL;
  if (!k)
    return NULL;
  const LsKernel *code = same && same->same_as == 0 ? same : k;
  guint known = code->passes->len + code->exprs->len + trace->bindings->len + trace->outputs->len + trace->kernels->len;
  if (k->names && k->named_after == known)
    return k->names;
  ls_names_unref (k->names);
  k->named_after = known;
  return k->names = names_of (trace, code, k);
}
