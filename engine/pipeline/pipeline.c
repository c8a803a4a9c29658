/* Walks the table of stages. A new stage is a row of pipeline.def, and here the functions that its row names: run_…, prepare_… and
 * when_…, if it names any. */
#include "pipeline.h"

#include "codegen/linearize.h"
#include "codegen/options/option.h"
#include "codegen/procedure-passes.h"
#include "codegen/work.h"
#include "ir/clock.h"
#include "ir/names.h"
#include "ir/progress.h"
#include "ir/spec.h"
#include "rewrite/driver.h"
#include "rules/rules.h"
#include "trace/what-if.h"

#include <string.h>

#ifndef LS_TERMS_DEF      /* a test adds rows */
#define LS_TERMS_DEF "terms.def"
#endif

/* The contexts of passes, one at a time. */
typedef union {
  LsSplitContext  split;
  LsAstContext    ast;
  LsLowerContext  lower;
  LsOptionContext options;
  LsAccContext    accumulate;
  LsDimsContext   dims;
  LsTileContext   tile;
  LsIndexContext  index;
  LsDecomposeContext decompose;
  LsVectorContext vectors;
  LsRegisterContext registers;
} Context;

static void
stage_done (const LsPipeline *p, LsStage stage, guint64 start)
{
  LsStageTime t = { ls_stage_infos[stage].name, p->kernel, ls_now_ns () - start };
  if (p->trace)
    g_array_append_val (p->trace->stage_times, t);
}

/* --- rewrites --- */

/* One iteration of a rewrite that does not end, as a pass of its own in the one that was stopped. */
static void
record_cycle (LsRecorder *recorder, const LsPipeline *p, const LsRewrite *rw, const LsPassInfo *stopped, const GArray *cycle,
              GError **error)
{
  const LsLink *first = &g_array_index (cycle, LsLink, 0);
  g_autofree char *name = g_strconcat (stopped->stage, "-cycle", NULL);
  LsPassInfo info = { stopped->stage, g_intern_string (name), stopped->set, stopped->mode, LS_PASS_CYCLE };
  LsPassLog *log = recorder->begin (recorder, &info, ls_context_node (p->ctx, first->before), p->library);
  if (!log)
    return;
  guint n = 0;
  for (guint i = 0; i < cycle->len; i++) {
    const LsLink *l = &first[i];
    ls_pass_log_add (log, ls_context_node (p->ctx, l->before), ls_context_node (p->ctx, l->after), l->rule, l->ns);
    n += l->rule != LS_LINK_REBUILD;
  }
  recorder->end (recorder, log, NULL, 0);
  if (error && *error) {
    g_autoptr (GError) plain = g_steal_pointer (error);
    g_set_error (error, plain->domain, plain->code, n == 1 ? "%s; one iteration of it, %u step, is recorded as pass %s"
                 : "%s; one iteration of it, %u steps, is recorded as pass %s", plain->message, n, info.name);
  }
}

/* Rules that are not built in are checked closely: their results must not break later stages. */
static gint64
spec_level (const LsPipeline *p)
{
  return ls_rule_library_is_extended (p->library) ? 2 : p->settings->SPEC;
}

/* Which of a kernel's arguments a node is; -1: none. */
static gint64
argument_number (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_DEFINE_VAR: return u->arg.var->position;
  case LS_OP_DEFINE_GLOBAL: return u->arg.i;
  case LS_OP_BUFFER: return -u->arg.ints[0];
  default: return -1;
  }
}

/* A kernel's arguments are the buffers that the schedule gave it: no rule may make up another. The one that is, or NULL. */
static LsUOp *
find_argument (LsContext *ctx, LsUOp *before, LsUOp *after)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);      /* number + 1 -> a node of it */
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, before), now = ls_uop_toposort (ctx, after);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    gint64 number = argument_number (u);
    if (number >= 0)
      g_hash_table_insert (known, GUINT_TO_POINTER ((guint) number + 1), u);
  }
  for (guint i = 0; i < now->len; i++) {
    LsUOp *u = now->pdata[i];
    const LsUOp *v = u->op == LS_OP_DEFINE_VAR ? g_hash_table_lookup (known, GUINT_TO_POINTER ((guint) u->arg.var->position + 1)) : NULL;
    if (u->op == LS_OP_DEFINE_VAR && (!v || !ls_arg_equal (u->arg, v->arg)))
      return u;
    const LsUOp *b = u->op == LS_OP_DEFINE_GLOBAL ? g_hash_table_lookup (known, GUINT_TO_POINTER ((guint) u->arg.i + 1)) : NULL;
    if (u->op == LS_OP_DEFINE_GLOBAL && (!b || u->dtype != (b->op == LS_OP_BUFFER ? ls_dtype_ptr (b->dtype, LS_SPACE_GLOBAL,
                                                                                                  (guint64) b->arg.ints[1]) : b->dtype)))
      return u;
  }
  return NULL;
}

static gboolean
holds (const LsUOp *u, const LsUOp *node, guint depth)
{
  gboolean found = u == node;
  for (guint i = 0; depth > 0 && i < u->n_src && !found; i++)
    found = holds (u->src[i], node, depth - 1);
  return found;
}

/* Which rule put the node there: the pass is done again, the same way, with a log. "" if it cannot be determined. */
static char *
maker_of (LsPipeline *p, LsRewrite rw, const LsPassInfo *pass, const LsUOp *node)
{
  g_autoptr (LsTrace) trace = ls_trace_new (p->ctx);
  LsRecorder *recorder = ls_trace_recorder (trace, 0);
  char *text = NULL;
  rw.log = recorder->begin (recorder, pass, p->graph, p->library);
  rw.recorder = recorder;
  rw.cycle = NULL;
  LsUOp *out = ls_graph_rewrite (&rw, p->graph, NULL);
  guint step = 0;
  for (guint i = 0; i < rw.log->n_links; i++) {
    const LsLink *l = &rw.log->links[i];
    const LsUOp *before = ls_context_node (p->ctx, l->before), *after = ls_context_node (p->ctx, l->after);
    if (l->rule < 0 || ++step == 0 || text || holds (before, node, 4) || !holds (after, node, 4))
      continue;
    const LsRule *rule = ls_rule_library_rule (p->library, (guint) l->rule);
    text = g_strdup_printf ("%s:%u: rule %s, step %u: it makes %s node %u from %s node %u; ", rule->file, rule->line, rule->name, step,
                            ls_op_name (after->op), l->after, ls_op_name (before->op), l->before);
  }
  recorder->end (recorder, rw.log, out, 0);
  return text ? text : g_strdup ("");
}

static gboolean
keeps_vectors (const LsPipeline *p)
{
  return !p->settings->DEVECTORIZE && p->target->vector_bytes > 0;
}

/* How many lanes loads and stores may have where arithmetic is scalar. */
static guint
lanes_of_memory (const LsPipeline *p)
{
  return keeps_vectors (p) || p->target->vector_bytes == 0 ? 0 : ls_settings_profile_info (p->settings)->lanes;
}

/* The ops that must be gone after the stage: its row's, and vectors where none are kept. */
static const guint64 *
gone_after (const LsPipeline *p, LsStage stage, guint64 *ops)
{
  const LsStageInfo *info = &ls_stage_infos[stage];
  if (!info->kernel)
    return NULL;
  memcpy (ops, info->gone, sizeof info->gone);
  if (stage >= LS_STAGE_DEVECTORIZE && !keeps_vectors (p) && lanes_of_memory (p) == 0) {
    ops[LS_OP_GEP / 64] |= G_GUINT64_CONSTANT (1) << LS_OP_GEP % 64;
    ops[LS_OP_VECTORIZE / 64] |= G_GUINT64_CONSTANT (1) << LS_OP_VECTORIZE % 64;
  }
  return ops;
}

static gboolean
check_spec (LsPipeline *p, LsStage stage, const LsRewrite *rw, const LsPassInfo *pass, LsUOp *root, GError **error)
{
  const LsStageInfo *info = &ls_stage_infos[stage];
  const char *what = "the kernel has no such argument";
  guint64 gone[2];
  gint64 level = spec_level (p);
  g_autofree char *breach = level >= 2 ? ls_context_take_breach (p->ctx) : NULL;
  if (breach) {
    g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "spec: a rebuilt %s", breach);
    return FALSE;
  }
  const LsUOp *bad = level < 1 ? NULL : ls_spec_find (p->ctx, root, gone_after (p, stage, gone), &what);
  if (!bad && level >= 2 && info->kernel) {
    what = "the kernel has no such argument";
    bad = find_argument (p->ctx, p->graph, root);
  }
  if (!bad)
    return TRUE;
  g_autofree char *maker = ls_rule_library_is_extended (p->library) ? maker_of (p, *rw, pass, bad) : g_strdup ("");
  g_free (ls_context_take_breach (p->ctx));
  g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "%sspec of %s: node %u (%s): %s", maker, info->kernel ? info->name : "every stage", bad->id,
               ls_op_name (bad->op), what);
  return FALSE;
}

static gboolean
rewrite (LsPipeline *p, LsStage stage, const char *name, const char *sets, LsRewriteMode mode, gpointer context, GError **error)
{
  const LsStageInfo *info = &ls_stage_infos[stage];
  g_autoptr (GArray) cycle = NULL;
  LsRecorder *recorder = p->recording ? ls_trace_recorder (p->trace, p->kernel) : NULL;
  LsPassInfo pass = { info->name, name, sets, mode, stage == LS_STAGE_REWRITE ? LS_PASS_NESTED : LS_PASS_OWN, p->statement,
                      p->context };
  LsRewrite rw = { p->ctx, p->library, sets, mode, (guint) p->settings->STEP_LIMIT, NULL, context, recorder ? &cycle : NULL,
                   (guint64) p->settings->NODE_LIMIT, recorder };
  guint64 start = ls_now_ns ();
  if (recorder)
    rw.log = recorder->begin (recorder, &pass, p->graph, p->library);
  LsUOp *out = ls_graph_rewrite (&rw, p->graph, error);
  guint64 ns = ls_now_ns () - start;
  if (cycle)
    record_cycle (recorder, p, &rw, &pass, cycle, error);
  if (recorder)
    recorder->end (recorder, rw.log, out, ns);
  stage_done (p, stage, start);
  if (out && stage != LS_STAGE_REWRITE && !check_spec (p, stage, &rw, &pass, out, error))      /* a graph that the program built has no
                                                                                                * stage's spec */
    out = NULL;
  if (p->after_pass)
    p->after_pass (p->after_pass_data);
  if (out)
    p->graph = out;
  else if (stage != LS_STAGE_REWRITE)
    g_prefix_error (error, "pass %s of kernel %u: ", info->name, p->kernel);
  return out != NULL;
}

static gboolean
run_pass (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  return rewrite (p, stage, NULL, ls_stage_infos[stage].sets, ls_stage_infos[stage].mode, context, error);
}

gboolean
ls_pipeline_rewrite (LsPipeline *p, const char *name, const char *set, LsRewriteMode mode, GError **error)
{
  return rewrite (p, LS_STAGE_REWRITE, g_intern_string (name), g_intern_string (set), mode, NULL, error);
}

/* --- contexts --- */

static gpointer prepare_none (LsPipeline *p, Context *c) { return NULL; }

static gpointer
prepare_split (LsPipeline *p, Context *c)
{
  c->split.threshold = p->settings->REDUCEOP_SPLIT_THRESHOLD;
  return c;
}

static gpointer
prepare_ast (LsPipeline *p, Context *c)
{
  c->ast.merge_views = p->settings->MERGE_VIEWS != 0;
  return c;
}

static gpointer
prepare_lower (LsPipeline *p, Context *c)
{
  p->ast = p->graph;
  ls_lower_prepare (p->ctx, p->graph, &c->lower);
  return c;
}

static gpointer
prepare_accumulate (LsPipeline *p, Context *c)
{
  ls_accumulate_prepare (p->ctx, p->target, p->settings, p->graph, &c->accumulate);
  return c;
}

static gpointer
prepare_dims (LsPipeline *p, Context *c)
{
  ls_dims_prepare (p->ctx, p->target, p->graph, &c->dims);
  ls_dims_name (p->ctx, &c->dims, p->names);
  return c;
}

static gpointer
prepare_decompose (LsPipeline *p, Context *c)
{
  c->decompose = (LsDecomposeContext) { p->settings->FAST_IDIV || p->target->lacks & LS_LACKS (IDIV) };
  return c;
}

static gpointer
prepare_index (LsPipeline *p, Context *c)
{
  ls_index_prepare (p->ctx, p->graph, &c->index);
  return c;
}

static gpointer
prepare_devectorize (LsPipeline *p, Context *c)
{
  c->vectors = (LsVectorContext) { keeps_vectors (p) ? p->target->vector_bytes : 0, lanes_of_memory (p),
                                   ls_settings_profile_info (p->settings)->lanes > 0 };
  return c;
}

/* run_options fills it for each option, run_tile and run_registers once */
static gpointer prepare_options (LsPipeline *p, Context *c) { return c; }
static gpointer prepare_tile (LsPipeline *p, Context *c) { return c; }
static gpointer prepare_registers (LsPipeline *p, Context *c) { return c; }

static gboolean when_always (const LsPipeline *p) { return TRUE; }
static gboolean when_has_vectors (const LsPipeline *p) { return keeps_vectors (p) || lanes_of_memory (p) > 0; }
static gboolean when_has_registers (const LsPipeline *p) { return ls_settings_profile_info (p->settings)->registers &&
                                                           !p->target->has_local; }
static gboolean when_has_register_arrays (const LsPipeline *p) { return when_has_registers (p) &&
                                                                 ls_registers_are_arrays (p->ctx, p->graph); }
static gboolean when_spells (const LsPipeline *p) { return ls_settings_profile_info (p->settings)->spells; }
static gboolean when_one_pass (const LsPipeline *p) { return p->settings->WELFORD != 0; }
static gboolean when_splits (const LsPipeline *p) { return p->settings->SPLIT_REDUCEOP != 0; }
static gboolean when_contracts (const LsPipeline *p) { return p->settings->FMA != 0; }
static gboolean when_has_tiles (const LsPipeline *p) { return p->applied && ls_opts_have (p->applied->str, LS_OPTION_COPIES); }
static gboolean when_has_items (const LsPipeline *p) { return p->target->has_local ||
                                                       (p->applied && ls_opts_have (p->applied->str, LS_OPTION_MAKES_ITEMS)); }

/* --- stages that are more than a pass, or none --- */

static gboolean
run_rewrite (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  return run_pass (p, stage, context, error);
}

/* How many of the kernels before it are called so, and are others. */
static guint
count_names (const LsPipeline *p, const char *name)
{
  guint n = 0;
  gsize length = strlen (name);
  for (guint i = 0; p->earlier && i < p->earlier->len; i++) {
    const LsKernel *k = p->earlier->pdata[i];
    const char *rest = k->number < p->kernel && k->same_as == 0 && k->name && g_str_has_prefix (k->name, name) ? k->name + length : "?";
    n += *rest == 0 || (*rest == 'n' && rest[1] && strspn (rest + 1, "0123456789") == strlen (rest + 1));
  }
  return n;
}

static gint64
next_axis (const GPtrArray *ranges)
{
  return ranges->len ? ls_range_axis (ranges->pdata[ranges->len - 1]) + 1 : 0;
}

/* If the profile requires it, a range that is split off is a separate axis, the last one. context: NULL, only to count it. */
static void
append_axis (const LsPipeline *p, const LsOpt *opt, gint64 *next, LsOptionContext *context)
{
  if (!ls_settings_profile_info (p->settings)->appends || !(opt->option->traits & LS_OPTION_APPENDS))
    return;
  gint64 inner[3] = { (*next)++, opt->option->inner, 1 };
  if (context) {
    context->inner = ls_arg_ints (p->ctx, 3, inner);
    ls_opt_look_at_reduces (p->ctx, p->graph, context);
  }
}

/* Each option is a pass of its own. */
static gboolean
run_options (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  ls_count_work (p->ctx, p->graph, &p->flops, &p->bytes);
  g_autoptr (GArray) opts = p->options ? ls_opts_parse (p->options, error) : ls_opts_choose (p->ctx, p->settings, p->target, p->graph);
  if (!opts)
    return FALSE;
  g_autoptr (GPtrArray) before = ls_ranges_of (p->ctx, p->graph);
  g_autoptr (GString) recorded = g_string_new (NULL);
  gboolean appends = ls_settings_profile_info (p->settings)->appends;
  gint64 next = next_axis (before);
  g_string_truncate (p->applied, 0);
  g_array_set_size (p->choices, 0);
  for (guint i = 0; i < opts->len; i++) {
    const LsOpt *opt = &g_array_index (opts, LsOpt, i);
    g_autofree char *text = ls_opt_text (opt);
    const char *why = ls_opt_refusal (p->ctx, p->settings, p->target, opt, p->graph, context);
    LsOptionChoice choice = { g_strdup (text), p->options != NULL, g_strdup (opt->reason), g_strdup (why) };
    g_array_append_val (p->choices, choice);
    if (why)
      continue;
    ls_kernel_info_opt (recorded, p->ctx, p->graph, opt);
    append_axis (p, opt, &next, context);
    if (!run_pass (p, stage, context, error))
      return FALSE;
    g_string_append_printf (p->applied, "%s%s", p->applied->len ? "," : "", text);
  }
  g_free (p->name);
  g_clear_pointer (&p->ranges, g_ptr_array_unref);
  p->ranges = ls_kernel_ranges (p->ctx, p->graph, appends);
  ls_names_unref (p->names);
  p->names = ls_names_new_graph (p->ctx, p->graph);
  g_autofree char *name = ls_kernel_name_of (p->ctx, p->graph, p->ranges);
  guint number = ls_settings_profile_info (p->settings)->numbers ? count_names (p, name) : 0;
  g_autofree char *suffix = number ? g_strdup_printf ("n%u", number) : g_strdup ("");
  p->name = g_strconcat (name, suffix, NULL);
  g_free (p->info);
  p->info = ls_kernel_info (name, suffix, p->ranges, recorded->str);
  return TRUE;
}

static gboolean
run_tile (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  ls_tiles_prepare (p->ctx, p->graph, context);
  gboolean ok = run_pass (p, stage, context, error);
  ls_tiles_clear (context);
  return ok;
}

static gboolean
run_registers (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  ls_registers_prepare (p->ctx, p->graph, p->ranges, p->info, context);
  gboolean ok = run_pass (p, stage, context, error);
  ls_registers_clear (context);
  return ok;
}

/* Notes the pass of a stage that is not a rewrite. */
static LsPass *
map_pass (LsPipeline *p, LsStage stage, guint64 start)
{
  LsPass *pass = ls_trace_add_map_pass (p->recording ? p->trace : NULL, p->kernel, ls_stage_infos[stage].name, p->graph, p->graph,
                                        ls_now_ns () - start);
  stage_done (p, stage, start);
  return pass;
}

gboolean
ls_pipeline_reuses (const LsSettings *settings)
{
  return settings->LAZYCACHE && ls_settings_profile (settings) == LS_PROFILE_DEFAULT;
}

LsScheduleHow
ls_pipeline_schedule_how (const LsSettings *settings, const GArray *overrides)
{
  gboolean is_default = ls_settings_profile (settings) == LS_PROFILE_DEFAULT;
  return (LsScheduleHow) { settings->FUSE && is_default, settings->MULTIOUTPUT && is_default, overrides, NULL };
}

/* The choices that the user made for this schedule. FALSE: one cannot be made. */
static gboolean
find_overrides (LsPipeline *p, const LsPass *pass, LsScheduleHow how, GArray **overrides, GError **error)
{
  gboolean one_reduce = ls_settings_profile (p->settings) != LS_PROFILE_DEFAULT;
  *overrides = pass ? ls_what_if_find (pass, p->graph, p->schedule_choices, one_reduce, how, error) : NULL;
  return !pass || *overrides;
}

static gboolean
run_schedule (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  guint64 start = ls_now_ns ();
  g_autoptr (GArray) overrides = NULL;
  g_clear_pointer (&p->schedule, ls_schedule_free);
  LsPass *pass = p->schedule_choices ? map_pass (p, stage, start) : NULL;      /* choices are named by its calls */
  if (p->schedule_choices && !pass) {
    g_set_error_literal (error, LS_ERROR, LS_ERROR_USAGE, "schedule= names values by their calls, which this command does not record");
    return FALSE;
  }
  LsScheduleHow how = ls_pipeline_schedule_how (p->settings, NULL);
  g_autoptr (GHashTable) stored = p->reuse ? ls_reuse_choose (p->reuse, p->ctx, p->graph, how) : NULL;
  how.stored = stored;
  if (!find_overrides (p, pass, how, &overrides, error))
    return FALSE;
  how.overrides = overrides;
  p->schedule = ls_schedule_new (p->ctx, p->graph, p->recording, p->trace ? p->trace->kernels->len : 0, how);
  if (overrides && !ls_what_if_check (pass, p->schedule->decisions, overrides, p->schedule_choices, error))
    return FALSE;
  if (pass)
    pass->ns = ls_now_ns () - start;
  else
    pass = map_pass (p, stage, start);
  for (guint i = 0; pass && i < p->schedule->decisions->len; i++) {
    LsDecision *d = &g_array_index (p->schedule->decisions, LsDecision, i);
    d->pass = pass->index;
    g_array_append_val (p->trace->decisions, *d);
  }
  return TRUE;
}

/* The rows of the list as the pass left them; only where a later one will change them. */
static void
note_rows (LsPipeline *p, LsPass *pass)
{
  for (guint i = 0; pass && i < p->list->len; i++)
    g_array_append_val (ls_pass_rows (pass), ((LsUOp *) p->list->pdata[i])->id);
}

static gboolean
run_linearize (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  guint64 start = ls_now_ns ();
  g_clear_pointer (&p->list, g_ptr_array_unref);
  if (!(p->list = ls_linearize (p->ctx, p->graph, p->settings, error)))
    return FALSE;
  LsPass *pass = map_pass (p, stage, start);
  if (ls_proc_passes_are_on (p->settings))
    note_rows (p, pass);
  for (guint i = 0; pass && i < p->list->len; i++) {
    const LsUOp *u = p->list->pdata[i];
    LsMapEntry e = { u->id, u->n_src ? u->src[0]->id : u->id, "end of the loop" };
    if (u->op == LS_OP_ENDRANGE)
      g_array_append_val (ls_pass_map (pass), e);
  }
  return TRUE;
}

static gboolean
run_procedure (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  guint64 start = ls_now_ns ();
  g_clear_pointer (&p->procedure, ls_procedure_free);
  if (!(p->procedure = ls_procedure_new (p->ctx, p->name, p->list->len, (LsUOp *const *) p->list->pdata, error)))
    return FALSE;
  map_pass (p, stage, start);
  return TRUE;
}

/* A pass over the procedure: its list and the rows are made again. */
static gboolean
run_proc_pass (LsPipeline *p, LsStage stage, LsProcPass which, GError **error)
{
  guint64 start = ls_now_ns ();
  g_autoptr (GArray) changes = p->recording ? g_array_new (FALSE, FALSE, sizeof (LsRowChange)) : NULL;
  GPtrArray *list = ls_proc_pass_run (which, p->ctx, p->list, p->settings, changes);
  g_ptr_array_unref (p->list);
  p->list = list;
  ls_procedure_free (p->procedure);
  if (!(p->procedure = ls_procedure_new (p->ctx, p->name, p->list->len, (LsUOp *const *) p->list->pdata, error)))
    return FALSE;
  LsPass *pass = map_pass (p, stage, start);
  note_rows (p, pass);
  for (guint i = 0; pass && i < changes->len; i++) {
    const LsRowChange *c = &g_array_index (changes, LsRowChange, i);
    LsMapEntry e = { c->row->id, c->was->id, c->reason };
    g_array_append_val (ls_pass_map (pass), e);
  }
  return TRUE;
}

#define X(ID, ...) \
  static gboolean run_##ID (LsPipeline *p, LsStage stage, gpointer context, GError **error) { \
    return run_proc_pass (p, stage, LS_PROC_PASS_##ID, error); } \
  static gboolean when_##ID (const LsPipeline *p) { return ls_proc_pass_is_on (LS_PROC_PASS_##ID, p->settings); }
LS_PROC_PASS_TABLE (X)
#undef X

static gboolean
run_render (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  guint64 start = ls_now_ns ();
  g_clear_pointer (&p->rendered, ls_rendered_free);
  if (!(p->rendered = ls_render (p->ctx, p->procedure, p->list->len, (LsUOp *const *) p->list->pdata, p->names, p->target, p->settings,
                                 error)))
    return FALSE;
  map_pass (p, stage, start);
  return TRUE;
}

/* Stages that the session runs itself do nothing here. */
static gboolean
run_outside (LsPipeline *p, LsStage stage, gpointer context, GError **error)
{
  return TRUE;
}

static const struct {
  gboolean (*run)     (LsPipeline *p, LsStage stage, gpointer context, GError **error);
  gpointer (*prepare) (LsPipeline *p, Context *c);
  gboolean (*when)    (const LsPipeline *p);
} stages[LS_N_STAGES] = {
#define X(id, name, level, run, sets, mode, context, when, ...) { run_##run, prepare_##context, when_##when },
#include LS_PIPELINE_DEF
#undef X
};

static void
choice_clear (gpointer data)
{
  LsOptionChoice *choice = data;
  g_free (choice->text);
  g_free (choice->why);
  g_free (choice->refusal);
}

/* Graphs grow here, too, where a program asks for one large thing. */
static gboolean
is_over_memory (const LsPipeline *p, LsStage stage, GError **error)
{
  gint64 most = p->settings->MEMORY_MB;
  if (most <= 0 || ls_context_bytes (p->ctx) <= (guint64) most << 20)
    return FALSE;
  g_set_error (error, LS_ERROR, LS_ERROR_RUN, "stage %s: the program's graphs take more than %d MB (--set MEMORY_MB=N allows more)",
               ls_stage_infos[stage].name, (int) most);
  return TRUE;
}

gboolean
ls_pipeline_run (LsPipeline *p, LsStage from, LsStage to, GError **error)
{
  Context context;
  if (!p->applied) {
    p->applied = g_string_new (NULL);
    p->choices = g_array_new (FALSE, FALSE, sizeof (LsOptionChoice));
    g_array_set_clear_func (p->choices, choice_clear);
  }
  if (spec_level (p) >= 2) {
    ls_context_check_nodes (p->ctx, TRUE);
    g_free (ls_context_take_breach (p->ctx));      /* requested meanwhile */
  }
  if (p->input[from])
    p->graph = p->input[from];
  for (LsStage s = from; s <= to; s++) {
    p->input[s] = p->graph;
    if (!stages[s].when (p))
      continue;
    ls_progress_stage (ls_stage_infos[s].name, p->kernel);
    if (is_over_memory (p, s, error))
      return FALSE;
    /* invalidates the saved inputs of later stages */
    memset (&p->input[s + 1], 0, (LS_N_STAGES - 1 - s) * sizeof *p->input);
    if (stages[s].run (p, s, stages[s].prepare (p, &context), error))
      continue;
    /* faults caused by a user's rules are the rules', and not this program's */
    if (error && *error && (*error)->code == LS_ERROR_SPEC && ls_rule_library_is_extended (p->library))
      (*error)->code = LS_ERROR_RULE;
    return FALSE;
  }
  return TRUE;
}

/* The options before the nth are applied, and that one's context is filled. */
static gboolean
prepare_option (LsPipeline *p, guint nth, Context *c, GError **error)
{
  g_autoptr (GArray) opts = ls_opts_parse (p->options, error);
  g_autoptr (GPtrArray) ranges = ls_ranges_of (p->ctx, p->graph);
  g_autoptr (GString) before = g_string_new (NULL);
  gint64 next = next_axis (ranges);
  const char *all = p->options;
  if (!opts || nth >= opts->len)
    return FALSE;
  for (guint i = 0; i < nth; i++) {
    g_autofree char *text = ls_opt_text (&g_array_index (opts, LsOpt, i));
    g_string_append_printf (before, "%s%s", i ? "," : "", text);
    append_axis (p, &g_array_index (opts, LsOpt, i), &next, NULL);
  }
  p->options = before->str;
  gboolean ok = ls_pipeline_run (p, LS_STAGE_OPTIONS, LS_STAGE_OPTIONS, error);
  p->options = all;
  const LsOpt *opt = &g_array_index (opts, LsOpt, nth);
  ok = ok && !ls_opt_refusal (p->ctx, p->settings, p->target, opt, p->graph, &c->options);
  append_axis (p, opt, &next, &c->options);
  return ok;
}

gpointer
ls_pipeline_context_new (LsPipeline *p, LsStage stage, guint nth, GError **error)
{
  Context *c = g_new0 (Context, 1);
  gboolean ok = stage <= LS_STAGE_AST || ls_pipeline_run (p, LS_STAGE_AST, stage - 1, error);
  if (ok && stages[stage].run == run_options)
    ok = prepare_option (p, nth, c, error);
  else if (ok && stages[stage].run == run_registers)
    ls_registers_prepare (p->ctx, p->graph, p->ranges, p->info, &c->registers);
  else if (ok && stages[stage].run == run_tile)
    ls_tiles_prepare (p->ctx, p->graph, &c->tile);
  else if (ok)
    ok = stages[stage].prepare (p, c) != NULL;
  if (!ok)
    g_clear_pointer (&c, g_free);
  return c;
}

void
ls_pipeline_context_free (gpointer context, LsStage stage)
{
  Context *c = context;
  if (c && stages[stage].run == run_registers)
    ls_registers_clear (&c->registers);
  if (c && stages[stage].run == run_tile)
    ls_tiles_clear (&c->tile);
  g_free (c);
}

void
ls_pipeline_clear (LsPipeline *p)
{
  g_clear_pointer (&p->schedule, ls_schedule_free);
  g_clear_pointer (&p->list, g_ptr_array_unref);
  g_clear_pointer (&p->procedure, ls_procedure_free);
  g_clear_pointer (&p->rendered, ls_rendered_free);
  g_clear_pointer (&p->name, g_free);
  g_clear_pointer (&p->info, g_free);
  g_clear_pointer (&p->ranges, g_ptr_array_unref);
  g_clear_pointer (&p->names, ls_names_unref);
  if (p->applied) {
    g_string_free (g_steal_pointer (&p->applied), TRUE);
    g_clear_pointer (&p->choices, g_array_unref);
  }
}

#define X(name) extern const LsTerm ls_##name##_terms[];
#include LS_TERMS_DEF
#undef X
const LsRuleBase *
ls_pipeline_rules (void)
{
  static const LsTerm *const terms[] = {
#define X(name) ls_##name##_terms,
#include LS_TERMS_DEF
#undef X
    NULL,
  };
  static LsRuleFile files[LS_N_STAGES * 2];
  static LsRuleBase base;
  static gsize once;
  if (g_once_init_enter (&once)) {
    const LsRuleSetInfo *sets = ls_stage_sets ();
    for (guint i = 0; sets[i].name; i++) {
      g_autofree char *file = g_strconcat (sets[i].name, ".rules", NULL);
      files[i] = (LsRuleFile) { g_intern_string (file), ls_rules_text (file) };
      g_assert (files[i].text != NULL);
    }
    base = (LsRuleBase) { terms, sets, files };
    g_once_init_leave (&once, 1);
  }
  return &base;
}
