/* The passes schedule, compile, run and memory, which make no graph: their steps are rows (row-steps.h). A run records them; a recording
 * from before gets them when it is read, at the same places.
 */
#include "replay.h"

#include "rewrite/stage.h"

#include <string.h>

static const char *
stage_name (LsStage stage)
{
  return ls_stage_infos[stage].name;
}

/* It has a graph of its own, and is not about that of the pass before it. */
static gboolean
makes_graph (const LsPass *pass)
{
  static const LsStage without[] = { LS_STAGE_SEARCH, LS_STAGE_COMPILE, LS_STAGE_RUN, LS_STAGE_MEMORY };
  for (gsize i = 0; i < G_N_ELEMENTS (without); i++)
    if (pass->kind == LS_PASS_MAP && g_str_equal (pass->stage, stage_name (without[i])))
      return FALSE;
  return TRUE;
}

LsUOp *
ls_trace_last_graph (LsTrace *trace, const LsKernel *kernel)
{
  const LsKernel *code = kernel && kernel->same_as > 0 ? ls_trace_kernel (trace, (guint) kernel->same_as) : kernel;
  for (guint i = code ? code->passes->len : trace->passes->len; i-- > 0;) {
    const LsPass *pass = trace->passes->pdata[code ? g_array_index (code->passes, guint, i) : i];
    if (pass->kernel == (code ? code->number : 0) && pass->output != LS_NO_NODE && pass->parent < 0 && makes_graph (pass))
      return ls_context_node (trace->ctx, pass->output);
  }
  return NULL;
}

void
ls_trace_add_launch_passes (LsTrace *trace, const LsKernel *kernel)
{
  LsUOp *graph = ls_trace_last_graph (trace, kernel);
  if (!graph)
    return;
  if (kernel->same_as <= 0)
    ls_trace_add_map_pass (trace, kernel->number, stage_name (LS_STAGE_COMPILE), graph, graph,
                           (guint64) (MAX (kernel->compile_ms, 0) * 1e6));
  ls_trace_add_map_pass (trace, kernel->number, stage_name (LS_STAGE_RUN), graph, graph,
                         kernel->run_ns->len ? g_array_index (kernel->run_ns, guint64, 0) : 0);
}

void
ls_trace_add_memory_pass (LsTrace *trace)
{
  LsUOp *graph = ls_trace_last_graph (trace, NULL);
  for (guint i = 0; i < trace->buffers->len; i++)
    if (graph && ((const LsTraceBuffer *) trace->buffers->pdata[i])->offset >= 0) {
      ls_trace_add_map_pass (trace, 0, stage_name (LS_STAGE_MEMORY), graph, graph, 0);
      return;
    }
}

/* Is there such a pass, of the tensor level or of a kernel? */
static gboolean
has_stage (const LsTrace *trace, LsStage stage, gboolean kernel)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (!pass->kernel == !kernel && g_str_equal (pass->stage, stage_name (stage)))
      return TRUE;
  }
  return FALSE;
}

/* Before schema 12 a decision said neither its schedule nor the key of its reason. Kernels are in order of launches: the schedule of one is
 * the last that begins before it, and that of a value that no kernel stores is that of the next decision. */
static void
place_decisions (LsTrace *trace, const guint *schedule)
{
  guint pass = trace->kernels->len ? schedule[trace->kernels->len - 1] : 0;
  for (guint i = trace->decisions->len; i-- > 0; ) {
    LsDecision *d = &g_array_index (trace->decisions, LsDecision, i);
    pass = d->kernel && d->kernel <= trace->kernels->len ? schedule[d->kernel - 1] : pass;
    d->pass = pass;
    d->key = d->realized ? LS_REASON_RESULT : LS_REASON_FOLLOWS;
    for (guint r = 0; r < LS_N_REASONS; r++)
      if (g_str_equal (d->reason, ls_reasons[r].text))
        d->key = r;
  }
}

/* What an older recording has not: launches, schedules. Kernels' passes are numbered anew while they are put into the array again; those
 * of a kernel that ran follow its last one, and a schedule comes before the first kernel after its tensor graph. */
void
ls_trace_derive_passes (LsTrace *trace)
{
  guint n_ran = 0;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    n_ran += k->run_ns->len > 0 || k->run_error;
  }
  gboolean launches = trace->complete && n_ran && !has_stage (trace, LS_STAGE_RUN, TRUE),
           schedules = trace->schema < 12 && trace->decisions->len && !has_stage (trace, LS_STAGE_SCHEDULE, FALSE);
  if (!launches && !schedules)
    return;
  GPtrArray *before = trace->passes;
  guint n = before->len;
  g_autofree guint *now = g_new0 (guint, n + 1), *last = g_new0 (guint, trace->kernels->len + 1),      /* last pass of a kernel, + 1 */
                   *schedule = g_new0 (guint, trace->kernels->len + 1);
  for (guint i = 0; i < n; i++)
    last[MIN (((const LsPass *) before->pdata[i])->kernel, trace->kernels->len)] = i + 1;
  trace->passes = ls_trace_new_passes ();
  for (guint i = 0; i < trace->kernels->len; i++)
    g_array_set_size (((LsKernel *) trace->kernels->pdata[i])->passes, 0);
  const LsPass *tensors = NULL, *made = NULL;
  for (guint i = 0; i < n; i++) {
    LsPass *pass = before->pdata[i];
    LsKernel *k = ls_trace_kernel (trace, pass->kernel);
    LsUOp *graph = k && tensors && schedules ? ls_context_node (trace->ctx, tensors->output) : NULL;
    if (graph)
      made = ls_trace_add_map_pass (trace, 0, stage_name (LS_STAGE_SCHEDULE), graph, graph, 0);
    tensors = k ? NULL : pass->kind == LS_PASS_REWRITE && g_str_equal (pass->stage, stage_name (LS_STAGE_TENSOR)) ? pass : tensors;
    now[i] = pass->index = trace->passes->len;
    pass->parent = pass->parent >= 0 && (guint) pass->parent < i ? (gint) now[pass->parent] : pass->parent;
    g_ptr_array_add (trace->passes, pass);
    if (!k)
      continue;
    schedule[k->number - 1] = made ? made->index : 0;
    g_array_append_val (k->passes, pass->index);
    if (launches && last[k->number] == i + 1 && (k->run_ns->len || k->run_error))
      ls_trace_add_launch_passes (trace, k);
  }
  if (launches)
    ls_trace_add_memory_pass (trace);
  if (schedules)
    place_decisions (trace, schedule);
  for (guint i = 0; i < trace->passes->len; i++)
    trace->n_derived += ((const LsPass *) trace->passes->pdata[i])->in_arena;
  g_ptr_array_set_free_func (before, NULL);
  g_ptr_array_unref (before);
}
