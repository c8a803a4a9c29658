/* The recording in memory: making it, passes, and the lookups that everything else builds on. */
#include "trace.h"
#include "lineage.h"
#include "replay.h"

#include "ir/eval.h"
#include "ir/functions.h"
#include "ir/names.h"

#include <math.h>
#include <string.h>
#include <time.h>

static void recorder_free (struct _LsTraceRecorder *recorder);

static void
pass_free (gpointer data)
{
  LsPass *pass = data;
  ls_lineage_forget (pass);
  if (!pass->in_arena) {
    g_array_unref (pass->links);
    g_array_unref (pass->steps);
    g_array_unref (pass->stats);
  }
  if (pass->map != &pass->arena_map)
    g_array_unref (pass->map);
  if (pass->rows != &pass->arena_rows)
    g_array_unref (pass->rows);
  if (!pass->in_arena)
    g_free (pass);
}

GPtrArray *
ls_trace_new_passes (void)
{
  return g_ptr_array_new_with_free_func (pass_free);
}

static void
kernel_free (gpointer data)
{
  LsKernel *k = data;
  GArray *arrays[] = { k->listing, k->procedure, k->source_links, k->exprs, k->code_lines, k->run_ns, k->buffers, k->passes, k->choices,
                       k->candidates };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i])
      g_array_unref (arrays[i]);
  g_free (k->source);
  g_free (k->compile_message);
  g_free (k->code);
  g_free (k->run_error);
  ls_names_unref (k->names);
  g_free (k);
}

static void
buffer_free (gpointer data)
{
  LsTraceBuffer *b = data;
  g_free (b->data);
  g_free (b->digest);
  g_free (b);
}

static void
clear_output (gpointer data)
{
  g_free (((LsOutput *) data)->dims);
}

gboolean
ls_trace_take_setting (const LsTrace *trace, guint i, LsSettings *settings, GError **error)
{
  const char *text = trace->settings->pdata[i];
  gboolean old = !trace->functions && g_str_has_prefix (text, "TRANSCENDENTAL=");
  if (!trace->functions)      /* also where it has no such setting yet */
    settings->TRANSCENDENTAL = 0;
  return old || ls_settings_set (settings, text, error);
}

LsTrace *
ls_trace_new (LsContext *ctx)
{
  LsTrace *t = g_new0 (LsTrace, 1);
  t->ref_count = 1;
  t->ctx = ls_context_ref (ctx);
  t->functions = g_strdup (LS_FUNCTIONS_VERSION);
  t->passes = ls_trace_new_passes ();
  t->kernels = g_ptr_array_new_with_free_func (kernel_free);
  t->rules = g_ptr_array_new_with_free_func (g_free);
  t->files = g_array_new (FALSE, FALSE, sizeof (LsProgramFile));
  t->bindings = g_array_new (FALSE, FALSE, sizeof (LsNameBinding));
  t->statements = g_array_sized_new (FALSE, FALSE, sizeof (LsStatement), 64);
  t->calls = g_array_sized_new (FALSE, FALSE, sizeof (LsCall), 256);
  t->node_calls = g_array_sized_new (FALSE, FALSE, sizeof (LsNodeCall), 512);
  t->decisions = g_array_sized_new (FALSE, FALSE, sizeof (LsDecision), 64);
  t->buffers = g_ptr_array_new_with_free_func (buffer_free);
  t->outputs = g_array_new (FALSE, FALSE, sizeof (LsOutput));
  g_array_set_clear_func (t->outputs, clear_output);
  t->searches = g_array_new (FALSE, FALSE, sizeof (LsTraceSearch));
  t->stage_times = g_array_sized_new (FALSE, FALSE, sizeof (LsStageTime), 512);
  t->settings = g_ptr_array_new_with_free_func (g_free);
  t->strings = g_string_chunk_new (4096);
  return t;
}

LsTrace *
ls_trace_ref (LsTrace *trace)
{
  g_atomic_int_inc (&trace->ref_count);
  return trace;
}

static gpointer
trace_free (gpointer data)
{
  LsTrace *t = data;
  ls_replay_forget (t);
  g_ptr_array_unref (t->passes);
  g_ptr_array_unref (t->kernels);
  g_ptr_array_unref (t->rules);
  g_clear_pointer (&t->matchers, g_ptr_array_unref);
  recorder_free (t->recorder);
  g_clear_pointer (&t->last_numbers, g_hash_table_unref);
  ls_rule_library_unref (t->library);
  g_array_unref (t->files);
  g_array_unref (t->bindings);
  g_array_unref (t->statements);
  g_array_unref (t->calls);
  g_array_unref (t->node_calls);
  g_array_unref (t->decisions);
  g_ptr_array_unref (t->buffers);
  g_array_unref (t->outputs);
  g_array_unref (t->searches);
  g_array_unref (t->stage_times);
  g_ptr_array_unref (t->settings);
  g_string_chunk_free (t->strings);
  g_free (t->path);
  g_free (t->program_name);
  g_free (t->program_text);
  g_free (t->std_out);
  g_free (t->error);
  g_free (t->machine);
  g_free (t->row_counts);
  g_free (t->c_library);
  g_free (t->functions);
  ls_context_unref (t->ctx);
  ls_trace_unref (t->of);
  g_free (t);
  return NULL;
}

void
ls_trace_unref (LsTrace *t)
{
  if (!t || !g_atomic_int_dec_and_test (&t->ref_count))
    return;
  GThread *aside = t->frees_aside ? g_thread_try_new ("free", trace_free, t, NULL) : NULL;
  if (aside)
    g_thread_unref (aside);
  else
    trace_free (t);
}

const char *
ls_trace_string (LsTrace *trace, const char *text)
{
  return text ? g_string_chunk_insert_const (trace->strings, text) : NULL;
}

char *
ls_kernel_compiler_label (const LsKernel *k)
{
  const char *version = k->compiler_version ? k->compiler_version : "", *flags = k->flags ? k->flags : "";
  return g_strconcat (k->compiler, *version ? " " : "", version, *flags ? " " : "", flags, NULL);
}

const char *
ls_kernel_by_hand (const LsKernel *k)
{
  for (guint i = 0; i < k->choices->len; i++) {
    const LsKernelOption *o = &g_array_index (k->choices, LsKernelOption, i);
    if (!o->refusal && g_str_has_prefix (o->text, LS_BY_HAND))
      return o->text + strlen (LS_BY_HAND);
  }
  return NULL;
}

void
ls_kernel_share_text (LsKernel *k, const LsKernel *earlier)
{
  struct { GArray **to; GArray *from; } arrays[] = {
    { &k->listing, earlier->listing }, { &k->procedure, earlier->procedure }, { &k->source_links, earlier->source_links },
    { &k->exprs, earlier->exprs },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++) {
    g_array_unref (*arrays[i].to);
    *arrays[i].to = g_array_ref (arrays[i].from);
  }
  g_free (k->source);
  k->source = g_strdup (earlier->source);
}

void
ls_trace_buffer_measure (LsTraceBuffer *buffer, const void *data)
{
  LsDType d = ls_dtype_strong (buffer->dtype);
  gsize step = ls_dtype_itemsize (d);
  guint64 n = 0;
  double sum = 0;
  buffer->min = buffer->max = buffer->mean = NAN;
  buffer->n_nan = buffer->n_inf = 0;
  for (guint64 i = 0; i < buffer->n_elements; i++) {
    LsScalar v = ls_scalar_load (d, (const guint8 *) data + i * step);
    double x = ls_dtype_is_float (d) ? v.f : (double) v.i;
    if (isnan (x)) {
      buffer->n_nan++;
      continue;
    }
    buffer->n_inf += isinf (x) != 0;
    buffer->min = isnan (buffer->min) || x < buffer->min ? x : buffer->min;
    buffer->max = isnan (buffer->max) || x > buffer->max ? x : buffer->max;
    sum += x;
    n++;
  }
  if (n)
    buffer->mean = sum / (double) n;
}

guint32
ls_kernel_values (const LsTrace *trace, const LsKernel *k)
{
  guint pass = k && k->passes->len ? g_array_index (k->passes, guint, 0) : G_MAXUINT;
  return pass < trace->passes->len ? ((const LsPass *) trace->passes->pdata[pass])->input : LS_NO_NODE;
}

guint32
ls_kernel_value (const LsTrace *trace, const LsKernel *k, guint output)
{
  guint32 values = ls_kernel_values (trace, k);
  const LsUOp *u = values == LS_NO_NODE || ls_kernel_n_outputs (k) <= 1 ? NULL : ls_context_node (trace->ctx, values);
  return !u ? values : output < u->n_src ? u->src[output]->id : LS_NO_NODE;
}

LsKernel *
ls_trace_kernel (LsTrace *trace, guint number)
{
  return number >= 1 && number <= trace->kernels->len ? trace->kernels->pdata[number - 1] : NULL;
}

LsPass *
ls_trace_pass (LsTrace *trace, guint kernel, const char *name)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    LsPass *pass = trace->passes->pdata[i];
    if (pass->kernel == kernel && strcmp (pass->name, name) == 0)
      return pass;
  }
  return NULL;
}

/* An exact copy in the arena, behind the head that the pass has for it. */
static void
set_array (LsContext *ctx, GArray *head, gconstpointer data, guint n, gsize size)
{
  if (n == 0)
    return;
  head->data = ls_context_alloc (ctx, n * size);
  head->len = n;
  memcpy (head->data, data, n * size);
}

/* The number of passes of that name before a new one. A kernel's passes are its most recent ones; those of the tensor level are between
 * kernels, and are counted. */
static guint
count_before (LsTrace *trace, guint kernel, const char *base)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  guint n = 0;
  if (kernel == 0) {
    if (!trace->last_numbers)
      trace->last_numbers = g_hash_table_new (g_str_hash, g_str_equal);
    n = GPOINTER_TO_UINT (g_hash_table_lookup (trace->last_numbers, base));
    g_hash_table_insert (trace->last_numbers, (gpointer) base, GUINT_TO_POINTER (n + 1));
    return n;
  }
  for (guint i = k ? k->passes->len : trace->passes->len; i-- > 0;) {
    const LsPass *other = trace->passes->pdata[k ? g_array_index (k->passes, guint, i) : i];
    if (other->kernel != kernel)
      break;
    n += other->base == base || (other->base && other->base[0] == base[0] && other->base[1] == base[1] && strcmp (other->base, base) == 0);
  }
  return n;
}

/* "simplify#2". The few that every kernel has are kept. */
static const char *
numbered_name (LsTrace *trace, const char *stage, guint number)
{
  static struct { const char *stage, *name; } kept[8];
  guint i = 0;
  while (number == 2 && i < G_N_ELEMENTS (kept) && kept[i].stage && kept[i].stage != stage)
    i++;
  if (number == 2 && i < G_N_ELEMENTS (kept) && kept[i].stage)
    return kept[i].name;
  char name[64];
  g_snprintf (name, sizeof name, "%s#%u", stage, number);
  if (number > 2)
    return ls_trace_string (trace, name);
  const char *interned = g_intern_string (name);
  if (i < G_N_ELEMENTS (kept)) {
    kept[i].stage = stage;
    kept[i].name = interned;
  }
  return interned;
}

static LsPass *
add_pass (LsTrace *trace, guint kernel, const char *stage, const char *base, LsPassKind kind, LsUOp *input)
{
  LsPass *pass = ls_context_alloc (trace->ctx, sizeof (LsPass));
  memset (pass, 0, sizeof *pass);
  pass->in_arena = TRUE;
  pass->trace = trace;
  pass->index = trace->passes->len;
  pass->kernel = kernel;
  pass->kind = kind;
  pass->stage = stage;
  pass->base = base;
  pass->input = input ? input->id : LS_NO_NODE;
  pass->output = pass->input;
  pass->parent = -1;
  pass->statement = G_MAXUINT;
  pass->links = &pass->arena_links;
  pass->steps = &pass->arena_steps;
  pass->stats = &pass->arena_stats;
  pass->map = &pass->arena_map;
  pass->rows = &pass->arena_rows;
  guint before = count_before (trace, kernel, base);
  pass->name = before == 0 ? base : numbered_name (trace, base, before + 1);
  g_ptr_array_add (trace->passes, pass);
  LsKernel *k = ls_trace_kernel (trace, kernel);
  if (k)
    g_array_append_val (k->passes, pass->index);
  return pass;
}

#define MOST_OPEN 8

/* Passes that are open, the innermost last. A log is kept for each depth: its counters are zero between passes. */
typedef struct _LsTraceRecorder {
  LsRecorder base;
  LsTrace   *trace;
  guint      kernel, n_open;
  LsPass    *last;
  struct { LsPassLog log; LsPass *pass; guint n_rules; } open[MOST_OPEN];
} LsTraceRecorder;

void
ls_trace_set_library (LsTrace *trace, LsRuleLibrary *library)
{
  /* the rules are text that does not change: the recording shares the library's */
  ls_rule_library_ref (library);
  ls_rule_library_unref (trace->library);
  trace->library = library;
  g_ptr_array_unref (trace->rules);
  trace->rules = g_ptr_array_ref (ls_rule_library_rules (library));
}

static LsPassLog *
begin_pass (LsRecorder *recorder, const LsPassInfo *info, LsUOp *input, LsRuleLibrary *library)
{
  LsTraceRecorder *r = (LsTraceRecorder *) recorder;
  LsTrace *trace = r->trace;
  guint n = ls_rule_library_n_rules (library);
  if (r->n_open == MOST_OPEN || (trace->library && !ls_rule_library_begins_with (trace->library, library)))
    return NULL;
  if (!trace->library)
    ls_trace_set_library (trace, library);
  LsPassLog *log = &r->open[r->n_open].log;
  if (n > r->open[r->n_open].n_rules) {
    log->stats = g_renew (LsRuleStat, log->stats, n);
    log->touched = g_renew (guint32, log->touched, n);
    memset (log->stats + r->open[r->n_open].n_rules, 0, (n - r->open[r->n_open].n_rules) * sizeof *log->stats);
    r->open[r->n_open].n_rules = n;
  }
  log->n_touched = log->n_links = log->n_steps = 0;
  LsPassLog *around = r->n_open && info->place != LS_PASS_OWN ? &r->open[r->n_open - 1].log : NULL;
  const LsPass *parent = around ? r->open[r->n_open - 1].pass : NULL;
  const char *stage = info->stage ? info->stage : parent ? parent->stage : "";
  LsPass *pass = add_pass (trace, parent ? parent->kernel : r->kernel, stage, info->name ? info->name : stage, LS_PASS_REWRITE, input);
  pass->set = info->set;
  pass->mode = info->mode;
  pass->statement = info->statement ? info->statement - 1 : G_MAXUINT;
  pass->context = info->context;
  if (parent) {
    pass->parent = (gint) parent->index;
    pass->step = info->place == LS_PASS_NESTED ? around->n_steps + 1 : 0;
    around->nests |= info->place == LS_PASS_NESTED;
  }
  log->nests = FALSE;
  r->open[r->n_open++].pass = pass;
  return log;
}

static void
end_pass (LsRecorder *recorder, LsPassLog *log, LsUOp *output, guint64 ns)
{
  LsTraceRecorder *r = (LsTraceRecorder *) recorder;
  if (!log)
    return;
  g_return_if_fail (r->n_open > 0 && log == &r->open[r->n_open - 1].log);
  LsPass *pass = r->last = r->open[--r->n_open].pass;
  pass->output = output ? output->id : LS_NO_NODE;
  pass->ns = ns;
  if (log->n_touched) {
    LsRuleStat *stats = ls_context_alloc (r->trace->ctx, log->n_touched * sizeof *stats);
    pass->arena_stats = (GArray) { (char *) stats, log->n_touched };
    for (guint i = 0; i < log->n_touched; i++) {
      stats[i] = log->stats[log->touched[i]];
      stats[i].rule = log->touched[i];
      stats[i].ns = ls_ticks_to_ns (stats[i].ns);
      memset (&log->stats[log->touched[i]], 0, sizeof *stats);
    }
  }
  for (guint i = 0; i < log->n_steps; i++) {
    LsLink *link = &log->links[log->steps[i]];
    link->ns = (guint32) MIN (ls_ticks_to_ns (link->ns), G_MAXUINT32);
  }
  set_array (r->trace->ctx, &pass->arena_links, log->links, log->n_links, sizeof (LsLink));
  set_array (r->trace->ctx, &pass->arena_steps, log->steps, log->n_steps, sizeof (guint32));
}

/* No other passes were begun since they were, unless a function of the program realized tensors: those stay, and passes before them
 * belong to no step. */
static void
drop_passes (LsRecorder *recorder, LsPassLog *log)
{
  LsTraceRecorder *r = (LsTraceRecorder *) recorder;
  GPtrArray *passes = r->trace->passes;
  g_return_if_fail (r->n_open > 0 && log == &r->open[r->n_open - 1].log);
  const LsPass *open = r->open[r->n_open - 1].pass;
  gboolean last = TRUE;
  log->nests = FALSE;
  for (guint i = passes->len; i-- > open->index + 1;) {
    LsPass *pass = passes->pdata[i];
    LsKernel *k = ls_trace_kernel (r->trace, pass->kernel);
    last = last && pass->parent >= (gint) open->index && pass->kernel == open->kernel && (pass->parent > (gint) open->index ||
                                                                                          pass->step == log->n_steps + 1);
    if (!last && pass->parent == (gint) open->index && pass->step == log->n_steps + 1)
      pass->step = 0;
    if (!last)
      continue;
    if (k)
      g_array_set_size (k->passes, k->passes->len - 1);
    else if (r->trace->last_numbers)
      g_hash_table_insert (r->trace->last_numbers, (gpointer) pass->base,
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (r->trace->last_numbers, pass->base)) - 1));
    if (r->last == pass)
      r->last = NULL;
    g_ptr_array_set_size (passes, (int) i);
  }
}

gboolean ls_trace_is_open (const LsTrace *trace) { return trace->recorder && trace->recorder->n_open > 0; }

LsRecorder *
ls_trace_recorder (LsTrace *trace, guint kernel)
{
  LsTraceRecorder *r = trace->recorder;
  if (!r) {
    r = trace->recorder = g_new0 (LsTraceRecorder, 1);
    r->base = (LsRecorder) { begin_pass, end_pass, drop_passes };
    r->trace = trace;
  }
  r->kernel = kernel;
  return &r->base;
}

LsPass *ls_trace_last_pass (LsTrace *trace) { return trace->recorder ? trace->recorder->last : NULL; }

static void
recorder_free (LsTraceRecorder *r)
{
  for (guint i = 0; r && i < MOST_OPEN; i++) {
    g_free (r->open[i].log.links);
    g_free (r->open[i].log.steps);
    g_free (r->open[i].log.stats);
    g_free (r->open[i].log.touched);
  }
  g_free (r);
}

GArray *
ls_pass_map (LsPass *pass)
{
  if (pass->map == &pass->arena_map)
    pass->map = g_array_sized_new (FALSE, FALSE, sizeof (LsMapEntry), 48);
  return pass->map;
}

GArray *
ls_pass_rows (LsPass *pass)
{
  if (pass->rows == &pass->arena_rows)
    pass->rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  return pass->rows;
}

LsPass *
ls_trace_add_map_pass (LsTrace *trace, guint kernel, const char *stage, LsUOp *input, LsUOp *output, guint64 ns)
{
  if (!trace)
    return NULL;
  LsPass *pass = add_pass (trace, kernel, stage, stage, LS_PASS_MAP, input);
  pass->set = "";
  pass->output = output ? output->id : LS_NO_NODE;
  pass->ns = ns;
  return pass;
}
