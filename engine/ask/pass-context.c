/* Rebuilds the context that the rules of a recorded pass used while it ran. See pass-context.h.
 *
 * The kernel's stages run again up to the pass, with the recorded settings and options, in a context over the recording's. The rebuilt
 * graph must be the input of the pass: only then is the context of its rules the same. Steps change the state of some contexts (memory
 * that is taken): earlier steps are done again.
 */
#include "pass-context.h"

#include "ir/spec.h"
#include "pipeline/pipeline.h"
#include "reference.h"

#include <string.h>

struct _LsPassContext {
  LsContext     *ctx;
  LsRuleLibrary *library;
  LsSettings     settings;
  LsPipeline     p;
  LsStage        stage;
  gpointer       context;
};

static gboolean
take_settings (LsSettings *settings, const LsTrace *trace, const char *but)
{
  gboolean ok = TRUE;
  ls_settings_init (settings);
  for (guint i = 0; i < trace->settings->len && ok; i++)
    ok = trace->settings->pdata[i] == but || ls_trace_take_setting (trace, i, settings, NULL);
  settings->SPEC = 2;
  return ok;
}

/* How many passes of the kernel's stage come before it. */
static guint
number_in_stage (LsTrace *trace, const LsPass *pass)
{
  guint n = 0;
  for (guint i = 0; i < pass->index; i++) {
    const LsPass *p = trace->passes->pdata[i];
    n += p->kernel == pass->kernel && p->parent == pass->parent && g_strcmp0 (p->stage, pass->stage) == 0;
  }
  return n;
}

/* Rebuilds the state that the rules of the first n steps left in the context. */
static void
do_steps (LsPassContext *c, LsTrace *trace, const LsPass *pass, guint n)
{
  for (guint i = 0; i < pass->links->len && n > 0; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    LsUOp *before = ls_context_node (trace->ctx, l->before), *result;
    const LsTraceRule *r = l->rule >= 0 && (guint) l->rule < trace->rules->len ? trace->rules->pdata[l->rule] : NULL;
    const LsRule *rule = r ? ls_rule_library_find (c->library, r->name) : NULL;
    n -= l->rule != LS_LINK_REBUILD;
    if (before && rule && strcmp (rule->text, r->text) == 0)
      ls_rule_apply (c->library, rule->index, c->ctx, before, c->context, &result, NULL, 0, NULL);
  }
}

LsPassContext *
ls_pass_context_new (LsTrace *trace, const LsPass *pass, LsContext *over, guint n_steps, const char *without)
{
  const LsStageInfo *info = ls_stage_of_pass (pass->name);
  const LsKernel *k = pass->kernel > 0 ? ls_trace_kernel (trace, pass->kernel) : NULL;
  const LsTarget *target = k ? ls_target_find (k->target) : NULL;
  LsUOp *graph = k ? ls_reference_kernel_graph (trace, k) : NULL;
  if (!info || !info->context || !graph || !target || pass->kind != LS_PASS_REWRITE || strstr (pass->name, "-cycle"))
    return NULL;
  LsPassContext *c = g_new0 (LsPassContext, 1);
  const LsRule *other;
  gboolean own;
  c->stage = (LsStage) (info - ls_stage_infos);
  guint nth = number_in_stage (trace, pass);
  if (strcmp (info->name, ls_stage_infos[LS_STAGE_OPTIONS].name) != 0)
    while (nth-- > 0 && c->stage + 1 < LS_N_STAGES && strcmp (ls_stage_infos[c->stage + 1].name, info->name) == 0)
      c->stage++;
  c->ctx = ls_context_new_over (over);
  c->library = ls_recorded_library (trace, TRUE, &other, &own);
  gboolean ok = take_settings (&c->settings, trace, without);
  c->p = (LsPipeline) { .ctx = c->ctx, .library = c->library, .settings = &c->settings, .target = target, .options = k->options,
                        .kernel = k->number, .graph = graph, .earlier = trace->kernels };
  c->context = ok ? ls_pipeline_context_new (&c->p, c->stage, c->stage == LS_STAGE_OPTIONS ? number_in_stage (trace, pass) : 0, NULL)
                  : NULL;
  if (!c->context || (!without && c->p.graph->id != pass->input)) {
    ls_pass_context_free (c);
    return NULL;
  }
  do_steps (c, trace, pass, n_steps);
  return c;
}

LsContext *
ls_pass_context_nodes (LsPassContext *c)
{
  return c->ctx;
}

gpointer
ls_pass_context_get (LsPassContext *c)
{
  return c ? c->context : NULL;
}

void
ls_pass_context_free (LsPassContext *c)
{
  if (!c)
    return;
  ls_pipeline_context_free (c->context, c->stage);
  ls_pipeline_clear (&c->p);
  ls_rule_library_unref (c->library);
  ls_context_unref (c->ctx);
  g_free (c);
}
