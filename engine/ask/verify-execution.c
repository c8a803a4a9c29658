/* Re-executes a recording: this program's rules make the result of each stage again, and it is compared with the recorded one.
 *
 * The graphs of tensors are taken as recorded. From each of them the stages run again, with the recorded settings and options, in a
 * context over the recording's: their results are the recorded nodes, or they differ. So a pass is compared link by link, and so are the
 * schedule, listings, procedures, sources with the nodes of their lines, buffers and the memory plan. Nothing of the recording is run:
 * its rules are compared with this program's, and where they are others its rewrites cannot be judged.
 *
 * The file is long because all stages run again over one state, and the checks of their results compare parts of it.
 */
#include "verify.h"
#include "reference.h"

#include "ir/sentence.h"
#include "ir/eval.h"
#include "ir/spec.h"
#include "pipeline/memory.h"
#include "pipeline/pipeline.h"
#include "pipeline/session.h"
#include "rewrite/substitute.h"
#include "trace/statements.h"

#include <string.h>

typedef struct {
  LsTrace       *trace, *now;        /* recorded; the pass made again: only its passes */
  LsVerify      *v;
  LsRuleLibrary *library;
  LsSettings     settings;
  GHashTable    *first;              /* graph id -> number of the first kernel made of it */
  GPtrArray     *buffers;            /* LsTraceBuffer, as they must be */
  guint          pass, decision;     /* the next recorded ones */
  guint          n_kernels;          /* looked at */
  guint          n_schedules;
  LsReuse       *reuse;              /* what kernels stored so far; NULL: schedules do not read it */
  GHashTable    *places;             /* gint64: node id << 32 | id of a buffer that held its elements */
  GHashTable    *placed;             /* node ids in places */
  gboolean       ended;              /* the recording ends here, which it says */
} Again;

static gboolean
same_text (const char *a, const char *b)
{
  return g_strcmp0 (a, b) == 0;
}

/* --- facts that can be judged --- */

/* This program's rules as the run had them: those that the recording lacks were left out. NULL: the recording's are others. */
static LsRuleLibrary *
library_of (LsTrace *trace, LsVerify *v)
{
  const LsRule *other;
  gboolean own;
  g_autoptr (LsRuleLibrary) library = ls_recorded_library (trace, FALSE, &other, &own);
  guint n = ls_rule_library_n_rules (library);
  if (other) {
    ls_verify_unjudged (v, "rewrites, schedule and texts: rule %s (%s:%u) is not a rule of this program, and rules from a recording "
                           "are not executed",
                        other->name, other->file, other->line);
    return NULL;
  }
  if (trace->rules->len && trace->rules->len != n) {      /* nothing was rewritten: none is recorded */
    ls_verify_unjudged (v, "rewrites, schedule and texts: it has %u rules of %u", trace->rules->len, n);
    return NULL;
  }
  return g_steal_pointer (&library);
}

/* Limits are the run's, but no larger than the recorded data needs: a recording must not decide how much memory and time are used. */
static gboolean
settings_of (Again *a)
{
  ls_settings_init (&a->settings);
  a->settings.LOOP_NAMES = 0;      /* where it is not recorded, loops had no names yet */
  guint most = 0;
  for (guint i = 0; i < a->trace->passes->len; i++)
    most = MAX (most, ls_pass_n_rewrites (a->trace->passes->pdata[i]));
  for (guint i = 0; i < a->trace->settings->len; i++) {
    g_autoptr (GError) error = NULL;
    if (!ls_trace_take_setting (a->trace, i, &a->settings, &error)) {
      ls_verify_unjudged (a->v, "rewrites, schedule and texts: setting '%s': %s", (char *) a->trace->settings->pdata[i], error->message);
      return FALSE;
    }
  }
  gint64 limit = a->settings.STEP_LIMIT;
  a->settings.STEP_LIMIT = limit > 0 ? MIN (limit, (gint64) most + 1) : (gint64) most + 1;
  a->settings.NODE_LIMIT = 100000;
  a->settings.SPEC = 2;
  return TRUE;
}

/* --- passes --- */

static gboolean
same_links (const GArray *a, const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++) {
    const LsLink *x = &g_array_index (a, LsLink, i), *y = &g_array_index (b, LsLink, i);
    if (x->before != y->before || x->after != y->after || x->rule != y->rule || (x->rule == LS_LINK_REBUILD && x->ns))
      return FALSE;
  }
  return TRUE;
}

/* Statistics are kept by rule on disk, and in the order of first tries in a run. */
static gboolean
same_stats (const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; i < a->len && same; i++) {
    const LsRuleStat *x = &g_array_index (a, LsRuleStat, i), *y = NULL;
    for (guint k = 0; k < b->len && !y; k++)
      if (g_array_index (b, LsRuleStat, k).rule == x->rule)
        y = &g_array_index (b, LsRuleStat, k);
    same = y && x->tries == y->tries && x->hits == y->hits;
    for (guint k = 0; k < i && same; k++)
      same = g_array_index (a, LsRuleStat, k).rule != x->rule;
  }
  return same;
}

static gboolean
same_map (const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; i < a->len && same; i++) {
    const LsMapEntry *x = &g_array_index (a, LsMapEntry, i), *y = &g_array_index (b, LsMapEntry, i);
    same = x->new_node == y->new_node && x->old_node == y->old_node && same_text (x->reason, y->reason);
  }
  return same;
}

static gboolean
same_rows (const GArray *a, const GArray *b)
{
  return a->len == b->len && (!a->len || memcmp (a->data, b->data, a->len * sizeof (guint32)) == 0);
}

/* Passes are in two recordings: parents are compared as distances. */
static gboolean
same_parent (const LsPass *a, const LsPass *b)
{
  return a->parent < 0 || b->parent < 0 ? (a->parent < 0) == (b->parent < 0) : a->index - (guint) a->parent == b->index - (guint) b->parent;
}

static gboolean pass_name   (const LsPass *a, const LsPass *b) { return same_text (a->name, b->name); }
static gboolean pass_stage  (const LsPass *a, const LsPass *b) { return same_text (a->stage, b->stage); }
static gboolean pass_kind   (const LsPass *a, const LsPass *b) { return a->kind == b->kind; }
static gboolean pass_kernel (const LsPass *a, const LsPass *b) { return a->kernel == b->kernel; }
static gboolean pass_sets   (const LsPass *a, const LsPass *b) { return same_text (a->set, b->set); }
static gboolean pass_mode   (const LsPass *a, const LsPass *b) { return a->mode == b->mode; }
static gboolean pass_input  (const LsPass *a, const LsPass *b) { return a->input == b->input; }
static gboolean pass_links  (const LsPass *a, const LsPass *b) { return same_links (a->links, b->links); }
static gboolean pass_output (const LsPass *a, const LsPass *b) { return a->output == b->output; }
static gboolean pass_stats  (const LsPass *a, const LsPass *b) { return same_stats (a->stats, b->stats); }
static gboolean pass_map    (const LsPass *a, const LsPass *b) { return same_map (a->map, b->map); }
static gboolean pass_rows   (const LsPass *a, const LsPass *b) { return same_rows (a->rows, b->rows); }
static gboolean pass_step   (const LsPass *a, const LsPass *b) { return a->step == b->step; }

/* The parts of a pass that must be the same when made again, the most basic first. */
static const struct { const char *what; gboolean (*same) (const LsPass *then, const LsPass *now); } of_a_pass[] = {
  { "name", pass_name }, { "stage", pass_stage }, { "kind", pass_kind }, { "kernel", pass_kernel }, { "rule sets", pass_sets },
  { "mode", pass_mode }, { "input", pass_input }, { "links", pass_links },
  { "output", pass_output }, { "statistics", pass_stats }, { "map", pass_map }, { "rows", pass_rows }, { "parent", same_parent },
  { "step of its parent", pass_step },
};

/* The part of a pass that differs when made again, or NULL. */
static const char *
unlike (const LsPass *then, const LsPass *now)
{
  for (gsize i = 0; i < G_N_ELEMENTS (of_a_pass); i++)
    if (!of_a_pass[i].same (then, now))
      return of_a_pass[i].what;
  return NULL;
}

/* A pass that makes no graph: it has that one, and nothing of its own. */
static gboolean
is_about (const LsPass *pass, guint32 graph)
{
  return pass->kind == LS_PASS_MAP && pass->input == graph && pass->output == graph && pass->parent < 0 && !*pass->set &&
         pass->map->len + pass->rows->len + pass->stats->len == 0;
}

/* Where the next recorded pass is the search for the kernel's options, it is checked, and the one behind it is the next: it is about the
 * graph of the pass before it. */
static void
check_search (Again *a, guint kernel)
{
  const LsPass *then = a->pass > 0 && a->pass < a->trace->passes->len ? a->trace->passes->pdata[a->pass] : NULL;
  const LsKernel *k = ls_trace_kernel (a->trace, kernel);
  if (!k || !then || then->kernel != kernel || !same_text (then->stage, ls_stage_infos[LS_STAGE_SEARCH].name))
    return;
  const LsPass *before = a->trace->passes->pdata[a->pass - 1];
  if (k->candidates->len == 0 || !is_about (then, before->output))
    ls_verify_differs (a->v, "kernel %u: its pass %s is missing, or differs", kernel, then->name);
  a->pass++;
  a->v->remade++;
}

/* The next recorded pass. NULL: there is none, which is a fault unless the recording says that it is not whole. */
static const LsPass *
next_pass (Again *a, guint kernel, const char *name)
{
  check_search (a, kernel);
  if (a->pass < a->trace->passes->len)
    return a->trace->passes->pdata[a->pass++];
  if (a->trace->complete && !a->trace->error)
    ls_verify_differs (a->v, "pass %s of kernel %u is not recorded", name, kernel);
  a->ended = TRUE;
  return NULL;
}

static gboolean
check_pass (Again *a, const LsPass *now)
{
  if (now->step && a->trace->schema && a->trace->schema < 8)      /* passes nested by terms were not recorded */
    return TRUE;
  const LsPass *then = next_pass (a, now->kernel, now->name);
  const char *what = then ? unlike (then, now) : NULL;
  if (what)
    ls_verify_differs (a->v, "pass %s of kernel %u: its %s differs when made again", then->name, then->kernel, what);
  a->v->remade++;
  return then && !what;
}

/* Runs stages and compares their passes. FALSE: nothing follows that could be judged. */
static gboolean
run_stages (Again *a, LsPipeline *p, LsStage from, LsStage to)
{
  g_autoptr (GError) error = NULL;
  guint before = p->trace->passes->len;
  gboolean ok = ls_pipeline_run (p, from, to, &error);
  for (guint i = before; i < p->trace->passes->len; i++)
    if (!check_pass (a, p->trace->passes->pdata[i]))
      return FALSE;
  if (!ok && !a->trace->error)
    ls_verify_differs (a->v, "kernel %u: making it again fails: %s", p->kernel, error->message);
  a->ended |= !ok;
  return ok;
}

/* --- buffers --- */

static LsTraceBuffer *
note_buffer (Again *a, const LsUOp *node, const char *role, guint kernel)
{
  guint64 id = (guint64) node->arg.ints[0];
  if (id >= a->buffers->len)
    return NULL;
  LsTraceBuffer *b = a->buffers->pdata[id];
  if (b->dtype == LS_VOID) {
    b->dtype = ls_dtype_strong (node->dtype);
    b->n_elements = (guint64) node->arg.ints[1];
    b->role = role;
    b->first_use = kernel;
  }
  b->last_use = MAX (b->last_use, kernel);
  return b;
}

/* Memory that nothing was written to, or that is a part of another buffer's. */
static gboolean
takes_no_kernel (const LsTraceBuffer *b)
{
  return same_text (b->role, "empty") || same_text (b->role, "part");
}

/* The value of a variable is in its own memory and within the variable's bounds. */
static void
note_variable (Again *a, const LsUOp *bind)
{
  const LsTraceBuffer *b = note_buffer (a, bind->src[0], "variable", 0) ? a->trace->buffers->pdata[bind->src[0]->arg.ints[0]] : NULL;
  if (!b || !b->data || b->n_data < 4)
    return;
  gint64 value = ls_scalar_load (LS_INT32, b->data).i;
  if (value < bind->arg.var->min || value > bind->arg.var->max)
    ls_verify_differs (a->v, "buffer %u: variable %s is bound to %" G_GINT64_FORMAT ", outside of %" G_GINT64_FORMAT
                             " to %" G_GINT64_FORMAT, b->id, bind->arg.var->name, value,
                       bind->arg.var->min, bind->arg.var->max);
}

/* The program's input data: a COPY of a buffer on the host into the next one. */
static void
note_inputs (Again *a)
{
  for (guint i = 0; i < a->trace->buffers->len; i++) {
    LsTraceBuffer *b = g_new0 (LsTraceBuffer, 1);
    *b = (LsTraceBuffer) { .id = i, .dtype = LS_VOID, .role = "unused", .offset = -1 };
    g_ptr_array_add (a->buffers, b);
  }
  for (guint i = 0; i < ls_context_n_nodes (a->trace->ctx); i++) {
    const LsUOp *u = ls_context_node (a->trace->ctx, i);
    if (u && u->op == LS_OP_BUFFER && u->arg.ints[0] >= 0 && u->arg.ints[0] < (gint64) a->buffers->len &&
        takes_no_kernel (a->trace->buffers->pdata[u->arg.ints[0]])) {
      const LsTraceBuffer *b = a->trace->buffers->pdata[u->arg.ints[0]];
      note_buffer (a, u, b->role, b->first_use);
    }
    if (u && u->op == LS_OP_BIND && u->src[0]->op == LS_OP_BUFFER && u->src[0]->arg.ints[0] >= 0)
      note_variable (a, u);
    if (!u || u->op != LS_OP_COPY || u->src[0]->op != LS_OP_BUFFER)
      continue;
    note_buffer (a, u->src[0], "host", 0);
    gint64 id[2] = { u->src[0]->arg.ints[0] + 1, u->src[0]->arg.ints[1] };
    note_buffer (a, ls_uop_new0 (a->now->ctx, LS_OP_BUFFER, u->dtype, ls_arg_ints (a->now->ctx, 2, id)), "input", 0);
  }
}

static gboolean
is_made (const LsTraceBuffer *b)
{
  return same_text (b->role, "intermediate") || same_text (b->role, "output");
}

static void
check_buffers (Again *a)
{
  /* After a failed kernel the results of its schedule may lack their role. The program may catch the error and continue. */
  gboolean failed = a->trace->error != NULL;
  for (guint i = 0; i < a->trace->kernels->len; i++)
    failed |= ((const LsKernel *) a->trace->kernels->pdata[i])->run_error != NULL;
  for (guint i = 0; failed && i < a->buffers->len; i++) {
    const LsTraceBuffer *then = a->trace->buffers->pdata[i];
    LsTraceBuffer *now = a->buffers->pdata[i];
    if (is_made (then) && is_made (now))
      now->role = then->role;
  }
  ls_memory_plan (a->trace, a->buffers, ls_memory_how (a->trace));
  for (guint i = 0; i < a->trace->buffers->len; i++) {
    const LsTraceBuffer *then = a->trace->buffers->pdata[i], *now = a->buffers->pdata[i];
    const char *what = then->dtype != now->dtype ? "dtype" : then->n_elements != now->n_elements
                       ? "size" : !same_text (then->role, now->role) ? "role" :
                       then->first_use != now->first_use || then->last_use != now->last_use ? "use" : then->offset != now->offset
                       ? "place in the memory plan" : NULL;
    if (what)
      ls_verify_differs (a->v, "buffer %u: its %s differs from the schedule", i, what);
  }
}

/* --- where results stood --- */

/* The node below reshapes, which keep elements and their order. */
static const LsUOp *
below_reshapes (const LsUOp *u)
{
  while (u->op == LS_OP_CONTIGUOUS || u->op == LS_OP_RESHAPE || u->op == LS_OP_LIMIT)
    u = u->src[0];
  return u;
}

static void
note_place (Again *a, const LsUOp *node, const LsUOp *buffer)
{
  node = below_reshapes (node);
  buffer = below_reshapes (buffer);
  if (buffer->op != LS_OP_BUFFER)
    return;
  gint64 *place = g_new (gint64, 1);
  *place = (gint64) node->id << 32 | buffer->arg.ints[0];
  g_hash_table_add (a->places, place);
  g_hash_table_add (a->placed, GUINT_TO_POINTER (node->id + 1));
}

/* May the buffer have held the node? A part is a copy of a part of another buffer, as it was looked at. */
static gboolean
may_hold (Again *a, const LsOutput *o, const LsUOp *node, const LsTraceBuffer *b)
{
  const gint64 place = (gint64) node->id << 32 | o->buffer;
  if (b->n_elements < (guint64) ls_shape_size ((LsShape) { o->n_dims, o->dims }) || b->dtype != ls_dtype_strong (o->dtype))
    return FALSE;
  if (same_text (b->role, "part") || g_hash_table_contains (a->places, &place))
    return TRUE;
  if (node->op == LS_OP_BUFFER)
    return (gint64) o->buffer == node->arg.ints[0];
  if (node->op == LS_OP_COPY && node->src[0]->op == LS_OP_BUFFER)
    return (gint64) o->buffer == node->src[0]->arg.ints[0] + 1;
  if (g_hash_table_contains (a->placed, GUINT_TO_POINTER (node->id + 1)))
    return FALSE;
  ls_verify_unjudged (a->v, "outputs: no realized graph has the position of the elements of node %u (%s)", node->id,
                      ls_op_name (node->op));
  return TRUE;
}

/* The buffer of an output is one that held its node's elements. */
static void
check_outputs (Again *a)
{
  for (guint i = 0; i < a->trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (a->trace->outputs, LsOutput, i);
    const LsUOp *node = o->node == LS_NO_NODE ? NULL : ls_context_node (a->trace->ctx, o->node);
    const LsTraceBuffer *b = o->buffer < a->trace->buffers->len ? a->trace->buffers->pdata[o->buffer] : NULL;
    gboolean empty = ls_shape_size ((LsShape) { o->n_dims, o->dims }) == 0;
    if (node && (empty != (b == NULL) || (b && !may_hold (a, o, below_reshapes (node), b))))
      ls_verify_differs (a->v, "output %u: buffer %u is not one that held node %u", i, o->buffer, o->node);
  }
}

/* Each stage's time is of a stage that ran, of that kernel. */
static void
check_stage_times (Again *a)
{
  static const char *const by_session[] = { "program", "python", "schedule" };
  /* "stage kernel" -> how often more than recorded */
  g_autoptr (GHashTable) ran = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const GArray *both[] = { a->now->stage_times, a->trace->stage_times };
  guint n_schedules = 0;
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < both[side]->len; i++) {
      const LsStageTime *t = &g_array_index (both[side], LsStageTime, i);
      if (t->kernel == 0 && g_strv_contains ((const char *const[]) { by_session[0], by_session[1], by_session[2], NULL }, t->stage)) {
        n_schedules += same_text (t->stage, "schedule");
        continue;
      }
      char *key = g_strdup_printf ("%s %u", t->stage, t->kernel);
      gint n = GPOINTER_TO_INT (g_hash_table_lookup (ran, key)) + (side ? -1 : 1);
      g_hash_table_insert (ran, key, GINT_TO_POINTER (n));
    }
  GHashTableIter iter;
  gpointer key, n;
  g_hash_table_iter_init (&iter, ran);
  while (g_hash_table_iter_next (&iter, &key, &n))
    if (GPOINTER_TO_INT (n) != 0) {
      ls_verify_differs (a->v, "times of stages: %s (stage and kernel) has not run as often as is recorded", (char *) key);
      return;
    }
  if (n_schedules != a->n_schedules)
    ls_verify_differs (a->v, "times of stages: the schedule was made %u times, but %u are recorded", a->n_schedules, n_schedules);
}

/* --- kernels --- */

static gboolean
same_listing (const GArray *then, const GPtrArray *now)
{
  gboolean same = then->len == now->len;
  for (guint i = 0; i < then->len && same; i++)
    same = g_array_index (then, guint32, i) == ((LsUOp *) now->pdata[i])->id;
  return same;
}

static gboolean
same_procedure (const GArray *then, const GArray *now)
{
  gboolean same = then->len == now->len;
  for (guint i = 0; i < then->len && same; i++) {
    const LsProcRow *x = &g_array_index (then, LsProcRow, i), *y = &g_array_index (now, LsProcRow, i);
    same = x->kind == y->kind && x->depth == y->depth && x->node == y->node && x->op == y->op && x->dest == y->dest &&
           x->dtype == y->dtype && ls_arg_equal (x->value, y->value) &&
           ls_arg_equal (x->sources, y->sources) && same_text (x->buffer, y->buffer) && x->bound == y->bound && !x->text;
  }
  return same;
}

static gboolean
same_source_links (const GArray *then, const GArray *now)
{
  gboolean same = then->len == now->len;
  for (guint i = 0; i < then->len && same; i++) {
    const LsSourceLink *x = &g_array_index (then, LsSourceLink, i);
    const LsRenderedLine *y = &g_array_index (now, LsRenderedLine, i);
    same = x->line == y->line && x->node == y->node->id;
  }
  return same;
}

/* Sentences of an older schema may have been worded otherwise: they are not compared. */
static gboolean
same_words (Again *a, const char *then, const char *now)
{
  return same_text (then, now) || ls_trace_has_old_words (a->trace);
}

static gboolean
same_exprs (Again *a, const GArray *then, const GArray *now)
{
  gboolean same = then->len == now->len;
  for (guint i = 0; i < then->len && same; i++) {
    const LsExpr *x = &g_array_index (then, LsExpr, i);
    const LsRenderedExpr *y = &g_array_index (now, LsRenderedExpr, i);
    same = x->node == y->node->id && x->row == y->row && x->line == y->line && !x->assigned == !y->assigned &&
           same_text (x->expr, y->expr ? y->expr : "") && same_words (a, x->why, y->why) &&
           (!x->inputs || (same_text (x->name, y->name ? y->name : "") && same_text (x->inputs, y->inputs ? y->inputs : "") &&
                           same_text (x->asked, y->asked ? y->asked : "")));
  }
  return same;
}

static void
check_text (Again *a, const LsKernel *k, const LsPipeline *p)
{
  gboolean by_hand = ls_kernel_by_hand (k) != NULL,
           old = k->procedure->len && g_array_index (k->procedure, LsProcRow, 0).kind == LS_PROC_TEXT;
  const LsRendered *r = p->rendered;
  const struct { const char *what; gboolean same; } parts[] = {
    { "name", same_text (k->name, p->name) },
    { "options", same_text (k->options, p->applied->str) },
    { "AST", k->ast == p->ast->id },
    { "last graph", k->final_root == p->graph->id },
    { "work", k->flops == p->flops && k->bytes == p->bytes },
    { "listing", same_listing (k->listing, p->list) },
    { "procedure", old || same_procedure (k->procedure, p->procedure->rows) },
    { "source", by_hand || same_text (k->source, r->source) },
    { "links from lines to nodes", by_hand || same_source_links (k->source_links, r->lines) },
    { "list of dialect fields", by_hand || !k->asked || same_text (k->asked, r->asked) },
    { "note on undefined behavior in its source", by_hand || !k->departs || same_text (k->departs, r->departs ? r->departs : "") },
    { "expressions", by_hand || same_exprs (a, k->exprs, r->exprs) },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!parts[i].same) {
      ls_verify_differs (a->v, "kernel %u (%s): its %s differs when made again", k->number, k->name, parts[i].what);
      break;
    }
  if (by_hand)
    ls_verify_unjudged (a->v, "sources: a hand-written kernel cannot be made again");
  if (old)
    ls_verify_unjudged (a->v, "procedures: in schema 1 they are text only");
  if (!by_hand && k->exprs->len && !g_array_index (k->exprs, LsExpr, 0).inputs)
    ls_verify_unjudged (a->v, "expressions: before schema 7 their sources are not recorded");
}

/* The options to request from the options pass of a kernel: NULL for the heuristic, if it chose them; else the requested ones. Free with
 * g_free. */
static char *
options_asked (const LsKernel *k)
{
  g_autoptr (GString) asked = g_string_new (NULL);
  guint n = 0, by_heuristic = 0;
  for (guint i = 0; i < k->choices->len; i++) {
    const LsKernelOption *o = &g_array_index (k->choices, LsKernelOption, i);
    if (g_str_has_prefix (o->text, LS_BY_HAND))
      continue;
    n++;
    by_heuristic += same_text (o->chosen_by, "heuristic");
    g_string_append_printf (asked, "%s%s", asked->len ? "," : "", o->text);
  }
  return n && by_heuristic == n ? NULL : g_strdup (n ? asked->str : k->options);
}

/* Who chose which options, why, and why the kernel could not take them. Only the reasons of a search cannot be made again. */
static void
check_choices (Again *a, const LsKernel *k, const LsPipeline *p)
{
  const char *by = NULL, *why = NULL;
  guint n = 0, n_rows = k->choices->len;
  gboolean same = TRUE;
  for (guint i = 0; i < n_rows && same; i++) {
    const LsKernelOption *o = &g_array_index (k->choices, LsKernelOption, i);
    if (g_str_has_prefix (o->text, LS_BY_HAND)) {
      same = i + 1 == n_rows && same_text (o->chosen_by, "you") && !*o->why && !o->refusal && !o->sentence;
      continue;
    }
    const LsOptionChoice *c = n < p->choices->len ? &g_array_index (p->choices, LsOptionChoice, n) : NULL;
    gboolean search = same_text (o->chosen_by, "search"), heuristic = c && !c->by_user,
             slots = c && c->why && strchr (c->why, LS_SENTENCE_MARK) != NULL;
    g_autofree char *reason = c && c->why ? ls_sentence_text (c->why) : g_strdup ("");
    n++;
    same = c && same_text (o->text, c->text) && !o->refusal == !c->refusal && (!c->refusal || same_words (a, o->refusal, c->refusal)) &&
           (heuristic ? same_text (o->chosen_by, "heuristic") : search || same_text (o->chosen_by, "you")) &&
           (search ? *o->why != 0 : same_words (a, o->why, reason)) && same_words (a, o->sentence, slots ? c->why : NULL) &&
           (!by || (same_text (o->chosen_by, by) && (!search || same_text (o->why, why))));
    by = o->chosen_by;
    why = o->why;
  }
  gboolean kept = n_rows > 0 || k->facts;      /* before schema 8 they may be missing */
  if (!same || (kept && n != p->choices->len && !(n_rows == 0 && !*k->options)))
    ls_verify_differs (a->v, "kernel %u (%s): its options, or their reasons, differ when chosen again", k->number, k->name);
}

/* A kernel of a graph that was met before has all of the first one's. */
static void
check_shared (Again *a, const LsKernel *k, guint first)
{
  const LsKernel *o = ls_trace_kernel (a->trace, first);
  gboolean same = (guint) k->same_as == first && k->choices->len == 0 && same_text (k->name, o->name) &&
                  same_text (k->options, o->options) && k->ast == o->ast && k->final_root == o->final_root && k->flops == o->flops &&
                  k->bytes == o->bytes && same_text (k->source, o->source) && !k->asked && k->listing->len == o->listing->len &&
                  memcmp (k->listing->data, o->listing->data, k->listing->len * sizeof (guint32)) == 0 &&
                  same_procedure (k->procedure, o->procedure) && k->source_links->len == o->source_links->len &&
                  memcmp (k->source_links->data, o->source_links->data, k->source_links->len * sizeof (LsSourceLink)) == 0 &&
                  k->exprs->len == o->exprs->len;
  for (guint i = 0; i < k->exprs->len && same; i++) {
    const LsExpr *x = &g_array_index (k->exprs, LsExpr, i), *y = &g_array_index (o->exprs, LsExpr, i);
    same = x->node == y->node && x->row == y->row && x->line == y->line && !x->assigned == !y->assigned && same_text (x->expr, y->expr) &&
           same_text (x->why, y->why) && same_text (x->name, y->name) && same_text (x->inputs, y->inputs) && same_text (x->asked, y->asked);
  }
  if (!same)
    ls_verify_differs (a->v, "kernel %u (%s): its graph is that of kernel %u, but its source differs", k->number, k->name, first);
}

static gboolean
check_kernel (Again *a, LsScheduleItem *item)
{
  const LsKernel *k = ls_trace_kernel (a->trace, ++a->n_kernels);
  if (!k) {
    if (a->trace->complete && !a->trace->error)
      ls_verify_differs (a->v, "kernel %u is not recorded", a->n_kernels);
    a->ended = TRUE;
    return FALSE;
  }
  gboolean same = k->buffers->len == ls_schedule_n_arguments (item) && ls_kernel_n_outputs (k) == item->outputs->len;
  for (guint i = 0; i < ls_schedule_n_arguments (item); i++) {
    const LsUOp *b = ls_schedule_argument (item, i);
    note_buffer (a, b, "intermediate", k->number);
    same = same && g_array_index (k->buffers, guint, i) == (guint) b->arg.ints[0];
  }
  if (!same)
    ls_verify_differs (a->v, "kernel %u (%s): its buffers are not those of the schedule", k->number, k->name);
  const LsTarget *target = ls_target_find (k->target);
  if (!target) {
    ls_verify_differs (a->v, "kernel %u (%s): there is no target '%s'", k->number, k->name, k->target);
    return FALSE;
  }
  g_autoptr (LsContext) ctx = ls_context_new_over (a->now->ctx);      /* the data of a kernel is freed with it */
  g_autoptr (LsTrace) now = ls_trace_new (ctx);
  LsPass *pass = ls_trace_add_map_pass (now, k->number, "schedule", ls_schedule_values (ctx, item), item->graph, 0);
  pass->map = g_steal_pointer (&item->map);
  if (!check_pass (a, pass))
    return FALSE;
  LsSettings settings = a->settings;      /* of this kernel: a program's Context changes some */
  g_auto (GStrv) changed = g_strsplit (k->settings ? k->settings : "", ",", -1);
  for (char **one = changed; *one; one++)
    if (!ls_settings_set (&settings, *one, NULL)) {
      ls_verify_differs (a->v, "kernel %u (%s): '%s' is not a setting", k->number, k->name, *one);
      return FALSE;
    }
  g_autofree char *made_of = g_strdup_printf ("%u %s", item->graph->id, k->settings ? k->settings : "");
  guint first = GPOINTER_TO_UINT (g_hash_table_lookup (a->first, made_of));
  if (first) {
    check_shared (a, k, first);
    return TRUE;
  }
  g_hash_table_insert (a->first, g_steal_pointer (&made_of), GUINT_TO_POINTER (k->number));
  g_autofree char *options = options_asked (k);
  if (k->same_as)
    ls_verify_differs (a->v, "kernel %u (%s): its graph is not that of kernel %d", k->number, k->name, k->same_as);
  g_auto (LsPipeline) p = { .ctx = ctx, .library = a->library, .settings = &settings, .target = target, .options = options, .trace = now,
                            .recording = TRUE, .kernel = k->number, .graph = item->graph, .earlier = a->trace->kernels };
  if (!run_stages (a, &p, LS_STAGE_AST, LS_STAGE_RENDER))
    return FALSE;
  check_choices (a, k, &p);
  check_text (a, k, &p);
  g_array_append_vals (a->now->stage_times, now->stage_times->data, now->stage_times->len);
  return TRUE;
}

/* --- passes that make no graph --- */

/* The next pass is that of the stage, about that graph, and has nothing else. */
static void
check_outside (Again *a, guint kernel, LsStage stage, const LsUOp *graph)
{
  const char *name = ls_stage_infos[stage].name;
  const LsPass *then = a->pass < a->trace->passes->len ? a->trace->passes->pdata[a->pass] : NULL;
  gboolean same = then && then->kernel == kernel && same_text (then->stage, name) && same_text (then->name, name) && graph &&
                  is_about (then, graph->id);
  if (!same && kernel)
    ls_verify_differs (a->v, "kernel %u: its pass %s is missing, or differs", kernel, name);
  else if (!same)
    ls_verify_differs (a->v, "pass %s differs", name);
  a->pass += then && then->kernel == kernel && same_text (then->stage, name);
  a->v->remade++;
}

static void
check_launched (Again *a, const LsKernel *k)
{
  const LsUOp *graph = ls_trace_last_graph (a->trace, k);
  if (k->run_ns->len == 0 && !k->run_error)
    return;
  if (k->same_as <= 0)
    check_outside (a, k->number, LS_STAGE_COMPILE, graph);
  check_outside (a, k->number, LS_STAGE_RUN, graph);
}

/* Behind all others: the memory plan. FALSE: the next pass is another one. */
static gboolean
check_memory (Again *a)
{
  const LsPass *then = a->trace->passes->pdata[a->pass];
  if (then->kernel || !same_text (then->stage, ls_stage_infos[LS_STAGE_MEMORY].name))
    return FALSE;
  check_outside (a, 0, LS_STAGE_MEMORY, ls_trace_last_graph (a->trace, NULL));
  return TRUE;
}

/* --- realizations --- */

/* Each entry is the node over the new nodes of its sources, or a buffer that replaces it. */
static gboolean
program_map_holds (Again *a, const LsPass *pass)
{
  LsContext *ctx = a->now->ctx;
  LsNodeMap *map = ls_node_map_acquire (ctx);
  gboolean holds = TRUE;
  for (guint i = 0; i < pass->map->len && holds; i++) {
    const LsMapEntry *e = &g_array_index (pass->map, LsMapEntry, i);
    LsUOp *old = ls_context_node (ctx, e->old_node), *new = ls_context_node (ctx, e->new_node);
    gboolean realized = same_text (e->reason, "realized");
    if (!old || !new || (!realized && !same_text (e->reason, "over buffers"))) {
      holds = FALSE;
    } else if (realized) {
      LsUOp *b = new;
      LsShape x, y;
      while (b->op == LS_OP_LIMIT)
        b = b->src[0];
      b = b->op == LS_OP_RESHAPE ? b->src[0] : b;
      holds = b->op == LS_OP_BUFFER && ls_uop_get_shape (ctx, old, &x, NULL) && ls_uop_get_shape (ctx, b, &y, NULL) &&
              ls_shape_size (x) == ls_shape_size (y) &&
              ls_dtype_strong (old->dtype) == ls_dtype_strong (b->dtype);
    } else {
      for (guint k = 0; k < old->n_src; k++)
        if (!ls_node_map_has (map, old->src[k]))
          ls_node_map_set_node (map, old->src[k], old->src[k]);
      holds = ls_uop_over (ctx, old, map) == new;
    }
    if (holds && realized)
      note_place (a, old, new);
    if (holds && !ls_node_map_has (map, old))
      ls_node_map_set_node (map, old, new);
  }
  ls_node_map_release (ctx, map);
  return holds;
}

/* Before schema 12 decisions said less, and were in the order of kernels. */
static gboolean
has_old_decisions (const LsTrace *trace)
{
  return trace->schema && trace->schema < 12;
}

/* The next recorded decision; of old ones only those that gave a kernel. */
static const LsDecision *
next_decision (Again *a)
{
  while (a->decision < a->trace->decisions->len) {
    const LsDecision *d = &g_array_index (a->trace->decisions, LsDecision, a->decision++);
    if (!has_old_decisions (a->trace) || d->realized)
      return d;
  }
  return NULL;
}

static int
by_kernel (gconstpointer a, gconstpointer b)
{
  const LsDecision *x = a, *y = b;
  return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static void
check_decisions (Again *a, guint schedule, const GArray *now)
{
  gboolean old = has_old_decisions (a->trace);
  g_autoptr (GArray) made = g_array_new (FALSE, FALSE, sizeof (LsDecision));
  for (guint i = 0; i < now->len; i++)
    if (!old || g_array_index (now, LsDecision, i).realized)
      g_array_append_val (made, g_array_index (now, LsDecision, i));
  if (old)
    g_array_sort (made, by_kernel);
  for (guint i = 0; i < made->len; i++) {
    const LsDecision *x = &g_array_index (made, LsDecision, i), *y = next_decision (a);
    if (y && x->node == y->node && !x->realized == !y->realized && x->kernel == y->kernel && same_text (x->reason, y->reason) &&
        (old || (x->user == y->user && x->user_kernel == y->user_kernel && x->key == y->key && y->pass == schedule)))
      continue;
    if (!y && !a->trace->complete) {
      a->ended = TRUE;
      return;
    }
    ls_verify_differs (a->v, "decision %u of the schedule differs when made again", a->decision - (y != NULL));
    a->decision += made->len - i - 1;
    return;
  }
}

/* The choices of the variant in the schedule whose pass is next. */
static GArray *
overrides_now (const Again *a)
{
  const GArray *all = a->trace->decisions;
  guint end = a->decision;
  while (end < all->len && g_array_index (all, LsDecision, end).pass == a->pass)
    end++;
  return ls_overrides_of (&g_array_index (all, LsDecision, a->decision), end - a->decision);
}

/* Can it be that a value that a kernel stored was not there any more, or never? Its memory was given back, or a kernel failed. */
static gboolean
may_be_missing (const Again *a)
{
  guint64 bytes = 0, most = (guint64) a->settings.MEMORY_MB << 20;
  for (guint i = 0; i < a->trace->buffers->len; i++)
    bytes += ((LsTraceBuffer *) a->trace->buffers->pdata[i])->n_elements *
             ls_dtype_itemsize (((LsTraceBuffer *) a->trace->buffers->pdata[i])->dtype);
  gboolean failed = FALSE;
  for (guint i = 0; i < a->n_kernels && !failed; i++) {
    const LsKernel *k = a->trace->kernels->pdata[i];
    failed = k->run_error || !*k->name || !k->run_ns->len;
  }
  return failed || bytes > (most ? MIN (most, LS_COLLECT_BYTES) : LS_COLLECT_BYTES);
}

/* The values of earlier kernels that the schedule whose pass is next reads: those that it must, unless some of them were missing. */
static GHashTable *
stored_now (const Again *a, LsUOp *sink, LsScheduleHow how)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  how.overrides = NULL;
  GHashTable *must = a->reuse ? ls_reuse_choose (a->reuse, a->now->ctx, sink, how) : NULL;
  for (guint i = a->decision; i < a->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (a->trace->decisions, LsDecision, i);
    if (d->pass != a->pass)
      break;
    if (d->key == LS_REASON_EARLIER || d->key == LS_REASON_CHOSEN_AGAIN)
      g_hash_table_add (taken, GUINT_TO_POINTER (d->node));
  }
  gboolean same = g_hash_table_size (taken) == (must ? g_hash_table_size (must) : 0);
  GHashTableIter iter;
  gpointer node;
  for (g_hash_table_iter_init (&iter, must ? must : taken); must && same && g_hash_table_iter_next (&iter, &node, NULL); )
    same = g_hash_table_contains (taken, GUINT_TO_POINTER (((LsUOp *) node)->id));
  if (same || !a->reuse || !may_be_missing (a))
    return must;
  g_clear_pointer (&must, g_hash_table_unref);
  return ls_reuse_find (a->reuse, a->now->ctx, sink, taken);
}

/* Buffers are numbered as they are made: the first kernel's says from where. */
static LsSchedule *
schedule_again (Again *a, LsUOp *sink)
{
  const LsKernel *k = ls_trace_kernel (a->trace, a->n_kernels + 1);
  guint from = k && k->buffers->len ? g_array_index (k->buffers, guint, 0) : 0, empty = 0;
  ls_context_number_buffers (a->now->ctx, from);
  g_autoptr (GArray) chosen = overrides_now (a);
  LsScheduleHow how = ls_recorded_schedule_how (a->trace, &a->settings, chosen);
  g_autoptr (GHashTable) stored = stored_now (a, sink, how);
  how.stored = stored;
  LsSchedule *s = ls_schedule_new (a->now->ctx, sink, TRUE, a->n_kernels, how);
  while (empty < s->items->len && ls_schedule_is_empty (s->items->pdata[empty]))
    empty++;
  if (empty == 0 || from < empty)
    return s;
  ls_schedule_free (s);
  ls_context_number_buffers (a->now->ctx, from - empty);
  return ls_schedule_new (a->now->ctx, sink, TRUE, a->n_kernels, how);
}

/* A gradient, of the chain rule as it was written out. FALSE: nothing follows that could be judged. */
static gboolean
check_gradient (Again *a, const LsPass *then)
{
  g_autoptr (GError) error = NULL;
  LsUOp *sink = ls_context_node (a->now->ctx, then->input);
  if (!sink || sink->op != LS_OP_SINK || !ls_spec_check (a->now->ctx, sink, "gradient", NULL, &error)) {
    ls_verify_differs (a->v, "pass %s: it cannot begin with node %u%s%s", then->name, then->input, error ? ": " : "",
                       error ? error->message : "");
    return FALSE;
  }
  g_auto (LsPipeline) p = { .ctx = a->now->ctx, .library = a->library, .settings = &a->settings, .target = ls_targets[0], .trace = a->now,
                            .recording = TRUE, .graph = sink };
  return run_stages (a, &p, LS_STAGE_GRADIENT, LS_STAGE_GRADIENT);
}

/* The dictionary of a call of substitute: the steps of its pass, which replace each node by one value. NULL: they do not. Free with
 * g_hash_table_unref. */
static GHashTable *
dictionary_of (LsTrace *trace, LsVerify *v, const LsPass *pass)
{
  g_autoptr (GHashTable) dictionary = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < pass->links->len; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    if (l->rule == LS_LINK_REBUILD)
      continue;
    LsUOp *key = ls_context_node (trace->ctx, l->before), *value = ls_context_node (trace->ctx, l->after);
    const LsUOp *other = g_hash_table_lookup (dictionary, key);
    if (other) {
      ls_verify_differs (v, "pass %s: it replaces node %u by node %u and by node %u, but a dictionary has one value for a key", pass->name,
                         key->id, other->id, value->id);
      return NULL;
    }
    g_hash_table_insert (dictionary, key, value);
  }
  return g_steal_pointer (&dictionary);
}

/* The passes of substitute of a recording whose rules are others: their only rule is known, and all that they ask is their dictionary. */
static void
check_substitutes (LsTrace *trace, LsVerify *v)
{
  g_autoptr (LsRuleLibrary) built_in = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, NULL),
      library = ls_substitute_library (built_in, NULL);
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (LsTrace) now = ls_trace_new (ctx);
  LsSettings settings;
  ls_settings_init (&settings);
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *then = trace->passes->pdata[i];
    LsUOp *root = same_text (then->set, LS_SUBSTITUTE_SET) ? ls_context_node (ctx, then->input) : NULL;
    if (!root || then->output == LS_NO_NODE || !ls_spec_check (ctx, root, then->stage, NULL, NULL))
      continue;
    g_autoptr (GHashTable) dictionary = dictionary_of (trace, v, then);
    if (!dictionary)
      continue;
    g_auto (LsPipeline) p = { .ctx = ctx, .library = library, .settings = &settings, .target = ls_targets[0], .trace = now,
                              .recording = TRUE, .graph = root };
    g_autoptr (GError) error = NULL;
    ls_substitute_with (dictionary);
    gboolean ok = ls_pipeline_rewrite (&p, then->name, LS_SUBSTITUTE_SET, LS_REWRITE_WALK, &error);
    ls_substitute_with (NULL);
    const LsPass *again = now->passes->len ? now->passes->pdata[now->passes->len - 1] : NULL;
    for (guint k = 0; ok && k < again->links->len; k++) {      /* the rule has another number there */
      LsLink *l = &g_array_index (again->links, LsLink, k);
      const LsLink *recorded = k < then->links->len ? &g_array_index (then->links, LsLink, k) : l;
      const LsTraceRule *rule = recorded->rule >= 0 && (guint) recorded->rule < trace->rules->len ? trace->rules->pdata[recorded->rule]
                                                                                                  : NULL;
      if (l->rule != LS_LINK_REBUILD && rule && same_text (rule->set, LS_SUBSTITUTE_SET))
        l->rule = recorded->rule;
    }
    if (!ok || !same_links (then->links, again->links) || then->output != again->output)
      ls_verify_differs (v, "pass %s of kernel %u: its links differ when made again from its replacements", then->name, then->kernel);
    v->remade++;
  }
}

/* A rewrite that the program asked for, under the name that it had. FALSE: nothing follows that could be judged. */
static gboolean
check_program_rewrite (Again *a, const LsPass *then)
{
  g_autoptr (GError) error = NULL;
  LsUOp *root = ls_context_node (a->now->ctx, then->input);
  if (!root || !ls_spec_check (a->now->ctx, root, then->stage, NULL, NULL)) {      /* the program made it by hand */
    ls_verify_unjudged (a->v, "pass %s: its graph is not a graph of a stage, so its rules cannot be run again", then->name);
    return FALSE;
  }
  g_auto (LsPipeline) p = { .ctx = a->now->ctx, .library = a->library, .settings = &a->settings, .target = ls_targets[0], .trace = a->now,
                            .recording = TRUE, .graph = root };
  gboolean substitutes = same_text (then->set, LS_SUBSTITUTE_SET);
  g_autoptr (GHashTable) dictionary = substitutes ? dictionary_of (a->trace, a->v, then) : NULL;
  if (substitutes && !dictionary)
    return FALSE;
  g_autofree char *name = g_strndup (then->name, strcspn (then->name, "#"));
  guint before = a->now->passes->len;
  ls_substitute_with (dictionary);
  gboolean ok = ls_pipeline_rewrite (&p, name, then->set, then->mode, &error);
  ls_substitute_with (NULL);
  for (guint i = before; i < a->now->passes->len; i++)
    if (!check_pass (a, a->now->passes->pdata[i]))
      return FALSE;
  if (!ok && then->output != LS_NO_NODE)
    ls_verify_differs (a->v, "pass %s: making it again fails: %s", then->name, error->message);
  return TRUE;
}

/* Marks a realized node of the graph, and the program's own node that it replaces, as results. */
static void
note_results (Again *a, const LsPass *program, const LsUOp *node, const LsUOp *buffer)
{
  const LsUOp *below = below_reshapes (node);
  note_place (a, node, buffer);
  for (guint i = 0; program && i < program->map->len; i++) {
    const LsMapEntry *e = &g_array_index (program->map, LsMapEntry, i);
    const LsUOp *old = ls_context_node (a->now->ctx, e->old_node);
    if (old && (e->new_node == node->id || e->new_node == below->id))
      note_place (a, old, buffer);
  }
}

/* From the next recorded graph of tensors to its kernels' texts. FALSE: nothing follows that could be judged. */
static gboolean
check_realization (Again *a)
{
  g_autoptr (GError) error = NULL;
  const LsPass *then = a->trace->passes->pdata[a->pass], *then_map = NULL;
  if (check_memory (a))
    return TRUE;
  if (then->kind == LS_PASS_REWRITE && then->kernel == 0 && same_text (then->stage, ls_stage_infos[LS_STAGE_GRADIENT].name))
    return check_gradient (a, then);
  if (then->kind == LS_PASS_REWRITE && then->kernel == 0 && same_text (then->stage, ls_stage_infos[LS_STAGE_REWRITE].name))
    return check_program_rewrite (a, then);
  if (then->kind == LS_PASS_MAP && then->kernel == 0 && same_text (then->stage, "program")) {
    LsPass *now = ls_trace_add_map_pass (a->now, 0, "program", ls_context_node (a->now->ctx, then->input),
                                         ls_context_node (a->now->ctx, then->input), 0);
    if (!same_text (then->name, now->name) || then->output != then->input || !program_map_holds (a, then))
      ls_verify_differs (a->v, "pass %s: it does not map the program's graph to one over buffers", then->name);
    a->v->remade++;
    a->pass++;
    then_map = then;
    then = next_pass (a, 0, "tensor");
    if (!then)
      return FALSE;
    a->pass--;
    if (then->input != now->output)
      ls_verify_differs (a->v, "pass %s does not begin with the program's graph", then->name);
  }
  LsUOp *sink = ls_context_node (a->now->ctx, then->input);
  if (!sink || sink->op != LS_OP_SINK || then->kernel != 0 || !ls_spec_check (a->now->ctx, sink, "tensor", NULL, &error)) {
    ls_verify_differs (a->v, "pass %s of kernel %u: it cannot begin with node %u%s%s", then->name, then->kernel, then->input,
                       error ? ": " : "", error ? error->message : "");
    return FALSE;
  }
  g_auto (LsPipeline) p = { .ctx = a->now->ctx, .library = a->library, .settings = &a->settings, .target = ls_targets[0], .trace = a->now,
                            .recording = TRUE, .graph = sink };
  if (!run_stages (a, &p, LS_STAGE_QUOTIENT, LS_STAGE_SPLIT))
    return FALSE;
  g_autoptr (LsSchedule) schedule = schedule_again (a, p.graph);
  const LsPass *next = a->pass < a->trace->passes->len ? a->trace->passes->pdata[a->pass] : NULL;
  guint at = a->pass;
  a->n_schedules++;
  /* of a recording from before the pass has one where there are kernels */
  if ((!has_old_decisions (a->trace) || (next && next->kernel == 0 && same_text (next->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name))) &&
      !check_pass (a, ls_trace_add_map_pass (a->now, 0, ls_stage_infos[LS_STAGE_SCHEDULE].name, p.graph, p.graph, 0)))
    return FALSE;
  check_decisions (a, at, schedule->decisions);
  for (guint i = 0; i < schedule->items->len; i++) {
    LsScheduleItem *item = schedule->items->pdata[i];
    if (ls_schedule_is_empty (item))
      continue;
    if (!check_kernel (a, item))
      return FALSE;
    check_launched (a, ls_trace_kernel (a->trace, a->n_kernels));
  }
  if (a->reuse)
    ls_reuse_add (a->reuse, p.graph, schedule);
  for (guint i = 0; i < p.graph->n_src; i++) {
    const LsUOp *r = schedule->results[i];
    note_results (a, then_map, sink->src[i], r);
    LsTraceBuffer *b = (guint64) r->arg.ints[0] < a->buffers->len ? a->buffers->pdata[r->arg.ints[0]] : NULL;
    if (b && same_text (b->role, "intermediate"))
      b->role = "output";
  }
  return TRUE;
}

/* Checks the tensors of a program's names if nothing was realized. */
static void
check_statement_graphs (Again *a)
{
  ls_trace_add_statement_graphs (a->now, a->trace, a->trace->passes->len == ls_trace_stops (a->trace)->len);
  for (guint i = 0; i < MAX (a->now->passes->len, a->trace->passes->len); i++) {
    const LsPass *then = i < a->trace->passes->len ? a->trace->passes->pdata[i] : NULL,
                 *now = i < a->now->passes->len ? a->now->passes->pdata[i] : NULL;
    gboolean same = then && now && same_text (then->name, now->name) && then->kind == now->kind && then->kernel == now->kernel &&
                    then->input == now->input &&
                    then->output == now->output && then->map->len == now->map->len && then->links->len == 0;
    for (guint k = 0; same && k < then->map->len; k++) {
      const LsMapEntry *x = &g_array_index (then->map, LsMapEntry, k), *y = &g_array_index (now->map, LsMapEntry, k);
      same = x->new_node == y->new_node && x->old_node == y->old_node && same_text (x->reason, y->reason);
    }
    if (!same)
      ls_verify_differs (a->v, "pass %s is not the graph that its statement bound", then ? then->name : now->name);
    a->v->remade++;
  }
}

void
ls_verify_execution (LsTrace *trace, LsVerify *v)
{
  g_autoptr (LsRuleLibrary) library = trace->passes->len ? library_of (trace, v) : NULL;
  Again a = { .trace = trace, .v = v, .library = library };
  if (!library || !settings_of (&a)) {
    check_substitutes (trace, v);
    return;
  }
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (LsTrace) now = ls_trace_new (ctx);
  g_autoptr (GHashTable) first = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) buffers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL), placed = g_hash_table_new (NULL, NULL);
  a.places = places;
  a.placed = placed;
  a.now = now;
  g_autoptr (LsReuse) reuse = ls_recorded_reuses (trace, &a.settings) ? ls_reuse_new () : NULL;
  a.reuse = reuse;
  a.first = first;
  a.buffers = buffers;
  note_inputs (&a);
  if (*ls_pass_statement (trace->passes->pdata[0])) {
    check_statement_graphs (&a);
    return;
  }
  gboolean whole = TRUE;
  while (whole && a.pass < trace->passes->len)
    whole = check_realization (&a);
  if (!whole && !a.ended)      /* later checks depend on a part that differs */
    return;
  if (a.pass < trace->passes->len || a.n_kernels < trace->kernels->len)
    ls_verify_differs (v, "%u passes and %u kernels are recorded that no stage makes", trace->passes->len - a.pass,
                       trace->kernels->len - MIN (a.n_kernels, trace->kernels->len));
  guint n_made = a.decision;
  if (!a.ended && (n_made > trace->decisions->len || next_decision (&a)))
    ls_verify_differs (v, "%u decisions of the schedule are recorded, but %u are made", trace->decisions->len, n_made);
  if (trace->complete)
    check_buffers (&a);
  if (trace->complete && !trace->error && whole) {
    check_outputs (&a);
    check_stage_times (&a);
  }
  if (v->differences == 0)      /* a kernel that differs is not run */
    ls_verify_contents (trace, v);
}
