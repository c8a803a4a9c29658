/* The recording in memory: making it, passes, and the lookups that everything else builds on. */
#include "trace.h"
#include "ir/context-private.h"
#include "recorder.h"
#include "lineage.h"
#include "replay.h"

#include <string.h>
#include <time.h>

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
  if (!pass->in_arena)
    g_free (pass);
}

static void
kernel_free (gpointer data)
{
  LsKernel *k = data;
  GArray *arrays[] = { k->listing, k->procedure, k->source_links, k->exprs, k->code_lines, k->run_ns, k->buffers, k->passes, k->stage_ns };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i])
      g_array_unref (arrays[i]);
  g_free (k->source);
  g_free (k->compile_message);
  g_free (k->code);
  g_free (k->run_error);
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

LsTrace *
ls_trace_new (LsContext *ctx)
{
  LsTrace *t = g_new0 (LsTrace, 1);
  t->ref_count = 1;
  t->ctx = ls_context_ref (ctx);
  t->passes = g_ptr_array_new_with_free_func (pass_free);
  t->kernels = g_ptr_array_new_with_free_func (kernel_free);
  t->rules = g_ptr_array_new_with_free_func (g_free);
  t->statements = g_array_sized_new (FALSE, FALSE, sizeof (LsStatement), 64);
  t->calls = g_array_sized_new (FALSE, FALSE, sizeof (LsCall), 256);
  t->node_calls = g_array_sized_new (FALSE, FALSE, sizeof (LsNodeCall), 512);
  t->decisions = g_array_sized_new (FALSE, FALSE, sizeof (LsDecision), 64);
  t->buffers = g_ptr_array_new_with_free_func (buffer_free);
  t->outputs = g_array_new (FALSE, FALSE, sizeof (LsOutput));
  g_array_set_clear_func (t->outputs, clear_output);
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
  ls_rule_library_unref (t->library);
  g_array_unref (t->statements);
  g_array_unref (t->calls);
  g_array_unref (t->node_calls);
  g_array_unref (t->decisions);
  g_ptr_array_unref (t->buffers);
  g_array_unref (t->outputs);
  g_array_unref (t->stage_times);
  g_ptr_array_unref (t->settings);
  g_string_chunk_free (t->strings);
  g_free (t->path);
  g_free (t->program_name);
  g_free (t->program_text);
  g_free (t->std_out);
  g_free (t->error);
  ls_context_unref (t->ctx);
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

void
ls_pass_recorder_grow (LsPassRecorder *r)
{
  if (r->n_links == r->links_size) {
    r->links_size = MAX (256, r->links_size * 2);
    r->links = g_renew (LsLink, r->links, r->links_size);
  }
  if (r->n_steps == r->steps_size) {
    r->steps_size = MAX (256, r->steps_size * 2);
    r->steps = g_renew (guint32, r->steps, r->steps_size);
  }
}

/* The recorder used last: a run has one library. */
static LsRuleLibrary  *recent_library;
static LsPassRecorder *recent_recorder;

static void
recorder_free (gpointer data)
{
  LsPassRecorder *r = data;
  if (r == recent_recorder)
    recent_library = NULL;
  g_free (r->links);
  g_free (r->steps);
  g_free (r);
}

/* "simplify#2". The few that every kernel has are kept. */
static const char *
numbered_name (const char *stage, guint number)
{
  static struct { const char *stage, *name; } kept[8];
  guint i = 0;
  while (number == 2 && i < G_N_ELEMENTS (kept) && kept[i].stage && kept[i].stage != stage)
    i++;
  if (number == 2 && i < G_N_ELEMENTS (kept) && kept[i].stage)
    return kept[i].name;
  char name[64];
  g_snprintf (name, sizeof name, "%s#%u", stage, number);
  const char *interned = g_intern_string (name);
  if (number == 2 && i < G_N_ELEMENTS (kept)) {
    kept[i].stage = stage;
    kept[i].name = interned;
  }
  return interned;
}

static LsPass *
add_pass (LsTrace *trace, guint kernel, const char *stage, LsPassKind kind, LsUOp *input)
{
  LsPass *pass = ls_context_alloc (trace->ctx, sizeof (LsPass));
  memset (pass, 0, sizeof *pass);
  pass->in_arena = TRUE;
  pass->index = trace->passes->len;
  pass->kernel = kernel;
  pass->kind = kind;
  pass->stage = stage;
  pass->input = input ? input->id : LS_NO_NODE;
  pass->output = pass->input;
  pass->parent = -1;
  pass->links = &pass->arena_links;
  pass->steps = &pass->arena_steps;
  pass->stats = &pass->arena_stats;
  pass->map = &pass->arena_map;
  /* A stage that runs again for the same kernel is numbered. A kernel's passes are the most recent ones; those of the tensor level stand
   * between kernels, where the last of the same stage has the number, so that all searches together are no longer than the recording. */
  guint before = 0;
  for (guint i = trace->passes->len; i-- > 0;) {
    const LsPass *other = trace->passes->pdata[i];
    if (other->kernel != kernel && kernel != 0)
      break;
    if (other->kernel != kernel || (other->stage != stage && (other->stage[0] != stage[0] || other->stage[1] != stage[1] || strcmp (other->stage, stage) != 0)))
      continue;
    const char *number = kernel == 0 ? strchr (other->name, '#') : NULL;
    before += number ? (guint) g_ascii_strtoull (number + 1, NULL, 10) : 1;
    if (kernel == 0)
      break;
  }
  pass->name = before == 0 ? stage : numbered_name (stage, before + 1);
  g_ptr_array_add (trace->passes, pass);
  LsKernel *k = ls_trace_kernel (trace, kernel);
  if (k)
    g_array_append_val (k->passes, pass->index);
  return pass;
}

static GQuark
recorder_quark (void)
{
  static GQuark quark;
  if (G_UNLIKELY (quark == 0))
    quark = g_quark_from_static_string ("ls-recorder");
  return quark;
}

guint64
ls_ticks_to_ns (guint64 ticks)
{
#ifdef __x86_64__
  /* the rate of the time stamp counter, from two looks at both clocks that lie as far apart as the process is old */
  static guint64 tick0, ns0;
  static double rate = 0.4;
  static guint turn;
  struct timespec t;
  if (ticks == 0)
    return 0;
  if (rate == 0.4 || (++turn & 0xfff) == 0) {
    clock_gettime (CLOCK_MONOTONIC, &t);
    guint64 ns = (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec, now = ls_ticks ();
    if (tick0 == 0) {
      tick0 = now;
      ns0 = ns;
    } else if (now > tick0 + 1000000) {
      rate = (double) (ns - ns0) / (double) (now - tick0);
    }
  }
  return (guint64) ((double) ticks * rate);
#else
  return ticks;
#endif
}

LsPassRecorder *
ls_pass_begin (LsTrace *trace, guint kernel, const char *stage, const char *set, LsRewriteMode mode, LsUOp *input, LsRuleLibrary *library)
{
  if (!trace)
    return NULL;
  guint n = ls_rule_library_n_rules (library);
  if (!trace->library) {
    /* the rules are text that does not change: the recording shares the library's */
    trace->library = ls_rule_library_ref (library);
    g_ptr_array_unref (trace->rules);
    trace->rules = g_ptr_array_ref (ls_rule_library_rules (library));
  }
  LsPassRecorder *r = recent_library == library ? recent_recorder : g_dataset_id_get_data (library, recorder_quark ());
  if (!r) {
    /* one is kept for a library: its counters are zero between passes */
    r = g_malloc0 (sizeof *r + n * (sizeof (LsRuleStat) + sizeof (guint32)));
    r->touched = (guint32 *) (r->stats + n);
    g_dataset_id_set_data_full (library, recorder_quark (), r, recorder_free);
  }
  recent_library = library;
  recent_recorder = r;
  r->trace = trace;
  r->n_touched = r->n_links = r->n_steps = 0;
  r->pass = add_pass (trace, kernel, stage, LS_PASS_REWRITE, input);
  r->pass->set = set;
  r->pass->mode = mode;
  return r;
}

LsPass *
ls_pass_end (LsPassRecorder *r, LsUOp *output, guint64 ns)
{
  if (!r)
    return NULL;
  LsPass *pass = r->pass;
  pass->output = output ? output->id : LS_NO_NODE;
  pass->ns = ns;
  if (r->n_touched) {
    LsRuleStat *stats = ls_context_alloc (r->trace->ctx, r->n_touched * sizeof *stats);
    pass->arena_stats = (GArray) { (char *) stats, r->n_touched };
    for (guint i = 0; i < r->n_touched; i++) {
      stats[i] = r->stats[r->touched[i]];
      stats[i].rule = r->touched[i];
      stats[i].ns = ls_ticks_to_ns (stats[i].ns);
      memset (&r->stats[r->touched[i]], 0, sizeof *stats);
    }
  }
  for (guint i = 0; i < r->n_steps; i++) {
    LsLink *link = &r->links[r->steps[i]];
    link->ns = (guint32) MIN (ls_ticks_to_ns (link->ns), G_MAXUINT32);
  }
  set_array (r->trace->ctx, &pass->arena_links, r->links, r->n_links, sizeof (LsLink));
  set_array (r->trace->ctx, &pass->arena_steps, r->steps, r->n_steps, sizeof (guint32));
  return pass;
}

void
ls_pass_recorder_link (LsPassRecorder *r, LsUOp *before, LsUOp *after, gint rule, guint32 ns)
{
  ls_pass_recorder_add (r, before, after, rule, ns);
}

GArray *
ls_pass_map (LsPass *pass)
{
  if (pass->map == &pass->arena_map)
    pass->map = g_array_sized_new (FALSE, FALSE, sizeof (LsMapEntry), 48);
  return pass->map;
}

LsPass *
ls_trace_add_map_pass (LsTrace *trace, guint kernel, const char *stage, LsUOp *input, LsUOp *output, guint64 ns)
{
  if (!trace)
    return NULL;
  LsPass *pass = add_pass (trace, kernel, stage, LS_PASS_MAP, input);
  pass->set = "";
  pass->output = output ? output->id : LS_NO_NODE;
  pass->ns = ns;
  return pass;
}
