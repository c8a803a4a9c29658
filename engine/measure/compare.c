/* Variants of one kernel. See compare.h.
 *
 * Each variant takes the kernel's graph as the schedule gave it through the kernel's stages, in a context and with a recording of its
 * own, which refer to those that are asked and do not change them. All run on the same memory, one after the other, from the same
 * contents, by the code that is timed afterwards.
 */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "codegen/procedure-passes.h"
#include "fenced.h"
#include "ask/line-diff.h"
#include "mca.h"
#include "next-step.h"
#include "pipeline/launch.h"
#include "pipeline/pipeline.h"
#include "pipeline/signature.h"
#include "ask/kernel-bounds.h"
#include "ask/reference.h"
#include "run/evaluate.h"
#include "run/fault.h"

#define MOST_ELEMENTS (G_GUINT64_CONSTANT (1) << 24)      /* of an evaluation, which bounds the differences of sums */
#define NEAR_ULP      4
#define TOUCHES       8             /* elements of a buffer that change between calls */
#define CALLS         8             /* of each variant before it is timed, on equal memory, */
#define CALLS_US      50000         /* as far as they take no longer */

/* One variant while it is worked on. */
typedef struct {
  LsTrace        *of;       /* the recording that it is of, */
  const LsKernel *kernel;   /* its kernel there, */
  LsUOp          *graph;    /* and its result */
  LsRuleLibrary  *library;
  const LsRule   *other_rule;      /* one that its run had, and the library has not, or NULL; */
  gboolean        own_rule;        /* of a user's file */
  LsContext *ctx;
  LsTrace   *trace;
  LsPipeline p;
  char      *text;          /* the text that the compiler reads */
  char      *flags;
  LsBuffer **buffers;
  LsLaunch   launch;
  LsFenced     own;           /* memory of its own, for one that writes its inputs; n 0: it has none */
  double     first_ns;      /* of its first call */
  guint8    *result;        /* or NULL */
} Work;

typedef struct {
  LsRunner       *runner;
  guint           n_buffers;
  LsFenced          memory;
  guint8        **before;   /* contents of each before each run */
  guint           n_results;
  gboolean        reads_result;    /* the kernel begins with the contents of a result */
  gboolean       *is_variable;     /* by argument: a size that a program's variable has */
  guint           n_timed;
  LsComparison   *c;
  Work           *work;
} Compare;

/* --- memory --- */

/* Numbers that arithmetic does something with, the same every time. */
static void
make_up (LsBuffer *b, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gsize size = ls_dtype_itemsize (b->dtype);
  for (guint64 i = 0; i < b->n; i++) {
    LsScalar v = { 0 };
    if (ls_dtype_is_float (b->dtype))
      v.f = g_rand_double_range (rand, 0.5, 1.5);
    else
      v.i = g_rand_int_range (rand, 0, 2);
    ls_scalar_store (b->dtype, b->data + i * size, v);
  }
}

/* The buffer that the kernel takes as argument i. */
static const LsTraceBuffer *
buffer_of (const Work *w, guint i, GError **error)
{
  guint id = g_array_index (w->kernel->buffers, guint, i);
  if (id < w->of->buffers->len)
    return w->of->buffers->pdata[id];
  g_set_error (error, LS_ERROR, LS_ERROR_FILE, "kernel %u has buffer %u, which is not in the recording", w->kernel->number, id);
  return NULL;
}

/* Whether it can run on the first one's memory. */
static gboolean
takes_the_same (const Compare *c, const Work *w, GError **error)
{
  gboolean same = w->kernel->buffers->len == c->n_buffers && ls_kernel_n_outputs (w->kernel) == c->n_results;
  for (guint i = 0; i < c->n_buffers && same; i++) {
    const LsTraceBuffer *b = buffer_of (w, i, error);
    if (!b)
      return FALSE;
    same = ls_dtype_strong (b->dtype) == c->memory.buffers[i]->dtype && b->n_elements == c->memory.buffers[i]->n;
  }
  if (!same)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the buffers of kernel %u (%s) differ from the first one's: it cannot run on the "
                                                  "same memory", w->kernel->number, w->kernel->name);
  return same;
}

static gboolean
make_buffers (Compare *c, GError **error)
{
  const Work *w = &c->work[0];
  c->n_buffers = w->kernel->buffers->len;
  c->n_results = ls_kernel_n_outputs (w->kernel);
  ls_fenced_init (&c->memory, c->n_buffers);
  for (guint i = 0; i < c->n_buffers; i++) {
    const LsTraceBuffer *b = buffer_of (w, i, error);
    if (!b)
      return FALSE;
    LsBuffer *made = ls_fenced_add (&c->memory, c->runner, i, ls_dtype_strong (b->dtype), b->n_elements, error);
    if (!made)
      return FALSE;
    gboolean kept = b->data && b->n_data == made->nbytes;
    if (kept)
      memcpy (made->data, b->data, made->nbytes);
    else
      make_up (made, i);
    c->c->n_made_up += !kept && i >= c->n_results;
  }
  return TRUE;
}

static gboolean
reads_result (const GPtrArray *list, guint n_results)
{
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op != LS_OP_LOAD)
      continue;
    for (u = u->src[0]; u->n_src > 0 && u->op != LS_OP_DEFINE_GLOBAL; u = u->src[0])
      ;
    if (u->op == LS_OP_DEFINE_GLOBAL && u->arg.i < n_results)
      return TRUE;
  }
  return FALSE;
}

/* Contents that are not results, unless the kernel begins with them. */
static void
keep_before (Compare *c, const GPtrArray *list)
{
  if (c->before)
    return;
  c->before = g_new0 (guint8 *, c->n_buffers + 1);
  for (guint i = 0; i < c->n_buffers; i++)
    c->before[i] = g_memdup2 (c->memory.buffers[i]->data, MAX (c->memory.buffers[i]->nbytes, 1));
  c->reads_result = reads_result (list, c->n_results);
  for (guint i = 0; i < c->n_results && !c->reads_result; i++)
    memset (c->before[i], 0xa5, c->memory.buffers[i]->nbytes);
}

/* --- making a variant --- */

static char *
listing_of (const Work *w, const LsVariant *v)
{
  return ls_listing_print (w->ctx, w->p.list->len, (LsUOp **) w->p.list->pdata, v->settings.CLASSIC ? LS_STYLE_CLASSIC : LS_STYLE_OPS);
}

static void
take_refused (LsComparedVariant *out, const GArray *choices)
{
  for (guint i = 0; i < choices->len; i++) {
    const LsOptionChoice *c = &g_array_index (choices, LsOptionChoice, i);
    if (c->refusal)
      g_ptr_array_add (out->refused, g_strdup_printf ("%s refused: %s", c->text, c->refusal));
  }
}

static gboolean
take_c_file (LsComparedVariant *out, const char *file, const char *like, GError **error)
{
  g_autofree char *text = NULL, *name = NULL;
  if (!ls_by_hand_read (file, like, &text, &name, error))
    return FALSE;
  g_free (out->name);
  out->name = g_steal_pointer (&name);
  g_free (out->source);
  out->source = g_steal_pointer (&text);
  out->by_hand = TRUE;
  g_clear_pointer (&out->listing, g_free);      /* of the kernel that it represents */
  g_clear_pointer (&out->options, g_free);
  g_ptr_array_set_size (out->refused, 0);
  return TRUE;
}

static void
note_variables (Compare *c, const GPtrArray *list)
{
  if (!c->is_variable)
    c->is_variable = g_new0 (gboolean, c->n_buffers + 1);
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op == LS_OP_DEFINE_VAR && u->arg.var->position >= 0 && (guint) u->arg.var->position < c->n_buffers)
      c->is_variable[u->arg.var->position] = TRUE;
  }
}

static gboolean
make (Compare *c, guint k, const LsVariant *v, GError **error)
{
  Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  const LsCompiler *timer = ls_variant_timer (v);
  gboolean named;
  g_autofree char *options = ls_options_of_kernel (v->options, w->kernel->number, &named),
                  *c_file = ls_c_file_of_kernel (v->c_files, w->kernel->number, NULL), *why = NULL;
  if (c_file && !v->named)
    timer = ls_compiler_for_text (v->target->name);
  out->compiler = timer->name;
  out->flags = ls_variant_flags (v, timer->name);
  w->flags = g_strdup (out->flags);
  if (!ls_compiler_available (timer->name, &why)) {
    g_set_error_literal (error, LS_ERROR, LS_ERROR_COMPILE, why);
    return FALSE;
  }
  if (v->schedule_choices) {
    g_set_error_literal (error, LS_ERROR, LS_ERROR_USAGE, "schedule= is about a whole run, not a kernel: use what-if");
    return FALSE;
  }
  if (!takes_the_same (c, w, error))
    return FALSE;
  if (ls_variant_has_rules (v)) {
    LsRuleLibrary *own = ls_variant_library (v, error);
    if (!own)
      return FALSE;
    ls_rule_library_unref (w->library);
    w->library = own;
  } else if (w->own_rule) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "its run had rule %s (%s:%u), and rules from a recording are not executed: rules=%s "
                                                  "in the variant takes them from the file", w->other_rule->name,
                 w->other_rule->file, w->other_rule->line, w->other_rule->file);
    return FALSE;
  } else if (w->other_rule) {
    out->note = g_strdup ("it was recorded with rules of another version: the rules of this program are used");
  }
  w->ctx = ls_context_new_over (w->of->ctx);
  w->trace = ls_trace_new (w->ctx);
  w->p = (LsPipeline) { .ctx = w->ctx, .library = w->library, .settings = &v->settings, .target = v->target, .options = options,
                        .trace = w->trace, .recording = TRUE,
                        .kernel = w->kernel->number, .graph = w->graph };
  gboolean ok = ls_pipeline_run (&w->p, LS_STAGE_AST, LS_STAGE_RENDER, error);
  w->p.options = NULL;
  if (w->p.choices)
    take_refused (out, w->p.choices);
  if (!ok)
    return FALSE;
  out->options = g_strdup (w->p.applied->str);
  out->name = g_strdup (w->p.name);
  out->listing = listing_of (w, v);
  out->source = g_strdup (w->p.rendered->source);
  out->flops = w->p.flops;
  out->bytes = w->p.bytes;
  if (c_file && (timer->how == LS_COMPILER_INTERPRETER || timer->how == LS_COMPILER_LOADED)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: %s does not compile C; choose another compiler", c_file, timer->name);
    return FALSE;
  }
  if (c_file && !take_c_file (out, c_file, w->p.rendered->source, error))
    return FALSE;
  keep_before (c, w->p.list);
  note_variables (c, w->p.list);
  if (!w->of->library && !out->by_hand && !ls_kernel_stays_inside (w->ctx, w->p.list, c->n_buffers, c->memory.buffers, error))
    return FALSE;
  g_autofree char *file = c_file ? g_path_get_basename (c_file) : NULL;
  g_autofree char *with_name = c_file ? g_strdup_printf ("#line 1 \"%s\"\n%s", g_strdelimit (file, "\"\\\n", '_'), out->source) : NULL;
  w->text = out->by_hand ? ls_launch_source_by_hand (with_name)
                         : ls_launch_text (w->ctx, out->name, v->target, &v->settings, timer, out->source, w->p.list, error);
  if (!w->text)
    return FALSE;
  w->buffers = g_memdup2 (c->memory.buffers, c->n_buffers * sizeof *w->buffers);
  guint n = timer->how == LS_COMPILER_INTERPRETER ? c->n_buffers : ls_launch_keep_used (w->p.list, c->n_buffers, w->buffers);
  w->launch = (LsLaunch) { .compiler = timer->name, .flags = w->flags, .name = out->name, .source = w->text, .n_uops = w->p.list->len,
                           .uops = (LsUOp **) w->p.list->pdata,
                           .n_buffers = n, .buffers = w->buffers, .timeout_ms = (guint) v->settings.TIMEOUT_MS,
                           .threads = ls_launch_threads (w->p.list) };
  return TRUE;
}

static void
fail (LsComparedVariant *v, GError **error)
{
  v->error = g_strdup ((*error)->message);
  g_clear_error (error);
}

/* One that writes its inputs is timed on memory of its own, so that the others keep theirs. */
static gboolean
own_memory (Compare *c, Work *w, GError **error)
{
  if (w->own.n)
    return TRUE;
  ls_fenced_init (&w->own, c->n_buffers);
  for (guint i = 0; i < c->n_buffers; i++)
    if (!ls_fenced_add (&w->own, c->runner, i, c->memory.buffers[i]->dtype, c->memory.buffers[i]->n, error))
      return FALSE;
  for (guint i = 0; i < w->launch.n_buffers; i++)
    for (guint k = 0; k < c->n_buffers; k++)
      if (w->buffers[i] == c->memory.buffers[k]) {
        w->buffers[i] = w->own.buffers[k];
        break;
      }
  ls_fenced_restore (&w->own, c->before, LS_FENCE_A);
  return TRUE;
}

static const LsFenced *
memory_of (const Compare *c, const Work *w)
{
  return w->own.n ? &w->own : &c->memory;
}

/* Checks the effects of the last call outside its result. FALSE with LS_FAULT: it wrote outside of its memory, and is not called any
 * more. */
static gboolean
look_at_memory (Compare *c, guint k, guint8 fence, GError **error)
{
  const Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  guint input = ls_fenced_input (memory_of (c, w), c->n_results, c->before);
  g_autofree char *outside = ls_fenced_outside (memory_of (c, w), fence);
  if (outside)
    g_set_error (error, LS_FAULT, LS_FAULT_OUTSIDE, "kernel %s writes outside its memory, up to %s", out->name, outside);
  else if (input && !out->writes)
    out->writes = g_strdup_printf ("writes its input, argument %u", input);
  return !outside;
}

/* The results, one after the other. Free with g_free. */
static guint8 *
copy_results (const Compare *c, const LsFenced *memory)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  for (guint i = 0; i < c->n_results; i++)
    g_byte_array_append (all, memory->buffers[i]->data, (guint) memory->buffers[i]->nbytes);
  g_byte_array_append (all, (const guint8 *) "", 1);
  return g_byte_array_steal (all, NULL);
}

static gboolean
has_results (const Compare *c, const LsFenced *memory, const guint8 *results)
{
  gboolean same = TRUE;
  for (guint i = 0; i < c->n_results && same; results += memory->buffers[i++]->nbytes)
    same = memcmp (memory->buffers[i]->data, results, memory->buffers[i]->nbytes) == 0;
  return same;
}

/* Its result is held against that of its first call; one that is another is the one that is compared with the other variants'. */
G_GNUC_PRINTF (3, 4) static void
look_at_result (Compare *c, guint k, const char *when, ...)
{
  Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  out->n_calls++;
  if (out->changes || has_results (c, memory_of (c, w), w->result))
    return;
  va_list args;
  va_start (args, when);
  out->changes = g_strdup_vprintf (when, args);
  va_end (args);
  g_free (w->result);
  w->result = copy_results (c, memory_of (c, w));
}

/* Calls it again on the same memory, each time as it was before the first call; before the last one the fences have other contents,
 * which no result may depend on. */
static gboolean
call_again (Compare *c, guint k, GError **error)
{
  Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  gint64 end = g_get_monotonic_time () + CALLS_US;
  gboolean ok = TRUE, last = FALSE;
  for (guint call = 2; ok && !last && !out->changes; call++) {
    LsLaunchResult r = { 0 };
    last = call == CALLS || g_get_monotonic_time () > end;
    guint8 fence = last ? LS_FENCE_B : LS_FENCE_A;
    ls_fenced_restore (memory_of (c, w), c->before, fence);
    ok = ls_runner_launch (c->runner, &w->launch, &r, error) && look_at_memory (c, k, fence, error);
    if (ok)
      look_at_result (c, k, last ? "the result of call %u, with changed memory outside the arguments, differs from call 1"
                                 : "the result of call %u differs from call 1", call);
    ls_launch_result_clear (&r);
  }
  return ok;
}

/* Which line each instruction is of, and what it costs. */
static void
take_costs (LsComparedVariant *v)
{
  g_autofree double *cycles = g_new (double, v->code->len + 1);
  for (guint i = 0; i < v->code->len; i++)
    cycles[i] = NAN;
  v->mca = ls_mca_sentence (v->code, &v->loop, cycles);
  v->costs = g_array_new (FALSE, FALSE, sizeof (LsInstructionCost));
  for (guint i = 0; i < v->code->len; i++) {
    LsInstructionCost cost = { g_array_index (v->code, LsInstruction, i).line, cycles[i] };
    g_array_append_val (v->costs, cost);
  }
}

/* Its values and its code. brief: generated code is called once, because it keeps nothing between calls. */
static gboolean
run (Compare *c, guint k, gboolean brief, GError **error)
{
  Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  LsLaunchResult r = { 0 };
  ls_fenced_restore (&c->memory, c->before, LS_FENCE_A);
  gboolean ok = ls_runner_launch (c->runner, &w->launch, &r, error) && look_at_memory (c, k, LS_FENCE_A, error);
  out->version = g_strdup (r.version);
  out->compile_ms = r.compile_ms;
  out->code = ls_disassemble (r.code, r.n_code, r.code_address, r.lines);
  out->assembly = out->code->len ? ls_instructions_print (out->code) : NULL;
  out->loop = ls_hot_loop (out->code);
  out->n_static = r.n_static;
  w->first_ns = ok && r.n_runs ? (double) r.run_ns[0] : NAN;
  ls_launch_result_clear (&r);
  if (ok) {
    w->result = copy_results (c, &c->memory);
    out->n_calls = 1;
  }
  if (ok && (!brief || out->by_hand) && w->first_ns < CALLS_US * 1e3)
    ok = call_again (c, k, error);
  if (!ok)
    g_clear_pointer (&w->result, g_free);
  ls_fenced_restore (&c->memory, c->before, LS_FENCE_A);
  return ok && (!out->writes || own_memory (c, w, error));
}

/* After timing, each variant is called again from the copies of its code that were timed. */
static void
run_again (Compare *c, guint k)
{
  Work *w = &c->work[k];
  LsComparedVariant *out = &c->c->variants[k];
  const LsFenced *m = memory_of (c, w);
  GError *error = NULL;
  guint copies = w->first_ns < CALLS_US * 1e3 ? LS_MEASURE_COPIES : 1;
  for (guint copy = 0; copy < copies && w->result && !out->changes; copy++) {
    LsLaunch launch = w->launch;
    LsLaunchResult r = { 0 };
    launch.copy = ls_measure_copy (c->c->timed[k], copy);
    launch.repeats = 1;
    ls_fenced_restore (m, c->before, LS_FENCE_A);
    if (ls_runner_launch (c->runner, &launch, &r, NULL) && look_at_memory (c, k, LS_FENCE_A, &error)) {
      look_at_result (c, k, "the result of a call after timing differs from the first call");
      out->after = out->changes != NULL;
    }
    ls_launch_result_clear (&r);
    if (error)
      fail (out, &error);
    ls_fenced_restore (m, c->before, LS_FENCE_A);
  }
}

/* No time of another result is faster or slower. */
static void
judge_time (Compare *c, guint k)
{
  const LsComparedVariant *v = &c->c->variants[k];
  LsMeasured *x = c->c->timed[k] == G_MAXUINT ? NULL : &c->c->times->of[c->c->timed[k]];
  if (x && !x->error && x->verdict != LS_TIME_FIRST && x->verdict != LS_TIME_AGAIN && (v->equality == LS_EQUAL_DIFFERS || v->changes))
    x->verdict = LS_TIME_OTHER;
}

/* --- while it is timed --- */

/* The variant of a timed kernel. */
static guint
variant_of_timed (const Compare *c, guint timed)
{
  guint k = 0;
  while (timed != c->n_timed && c->c->timed[k] != timed)
    k++;
  for (; timed == c->n_timed && c->c->timed[k] != 0; k++)      /* the control is the first one */
    ;
  return k;
}

/* A result that is still there is no result of the call that follows. */
static void
before_sample (guint timed, gpointer data)
{
  const Compare *c = data;
  const LsFenced *memory = memory_of (c, &c->work[variant_of_timed (c, timed)]);
  for (guint i = 0; i < c->n_results; i++)
    memcpy (memory->buffers[i]->data, c->before[i], memory->buffers[i]->nbytes);
}

static void
after_sample (guint timed, gboolean changing, gpointer data)
{
  Compare *c = data;
  guint k = variant_of_timed (c, timed);
  LsComparedVariant *v = &c->c->variants[k];
  /* calls that begin with the results of earlier calls are not compared */
  if (!c->work[k].result || v->changes || c->reads_result || v->writes)
    return;
  look_at_result (c, k, changing ? "after a call with another input, its result differs from the first call"
                                 : "the result of a timed call differs from the first call");
  v->after = v->changes != NULL;
}

/* Adds element at of argument i, with another value of its dtype: another element's, or 1.5 times its own. The result has its contents
 * before the call. */
static void
add_touch (const Compare *c, const LsBuffer *b, guint i, guint64 at, GRand *rand, GArray *out)
{
  gsize size = ls_dtype_itemsize (b->dtype);
  const guint8 *own = c->before[i] + at * size;
  LsTouch t = { b->offset + at * size, (guint32) size, { 0 }, { 0 } };
  memcpy (t.value, own, size);
  memcpy (t.other, own, size);
  for (guint turn = 0; i && turn < 64 && memcmp (t.other, own, size) == 0; turn++)
    memcpy (t.other, c->before[i] + (guint64) (g_rand_double (rand) * (double) b->n) * size, size);
  if (i && memcmp (t.other, t.value, size) == 0 && ls_dtype_is_float (b->dtype)) {
    LsScalar v = ls_scalar_load (b->dtype, own);
    ls_scalar_store (b->dtype, t.other, (LsScalar) { .f = v.f == 0 || !isfinite (v.f) ? 1 : v.f * 1.5 });
  }
  g_array_append_val (out, t);
}

/* For each argument the first element, the last one and some random ones: a kernel that tests whether its work is done already reads
 * some of them. */
static GArray *
touches (guint timed, gpointer data)
{
  Compare *c = data;
  const Work *w = &c->work[variant_of_timed (c, timed)];
  gboolean any = FALSE;
  for (guint k = 0; k < c->c->n; k++)
    any |= c->c->variants[k].by_hand && !c->c->variants[k].error;
  if (!any || !(timed == 0 || c->c->variants[variant_of_timed (c, timed)].by_hand))
    return NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsTouch));
  for (guint i = c->reads_result ? c->n_results : 0; i < c->n_buffers; i++) {
    const LsBuffer *b = memory_of (c, w)->buffers[i];
    if (ls_dtype_itemsize (b->dtype) > sizeof (((LsTouch *) NULL)->value) || (i && c->is_variable[i]))
      continue;
    for (guint k = 0; k < MIN (b->n, TOUCHES); k++)
      add_touch (c, b, i, k == 0 ? 0 : k == 1 ? b->n - 1 : (guint64) (g_rand_double (rand) * (double) b->n), rand, out);
  }
  return out;
}

/* --- equality --- */

/* Floats in ascending order as integers that follow each other. */
static gint64
rank (const guint8 *at, gsize size)
{
  gint64 bits = 0;
  if (size == 2) {
    gint16 x;
    memcpy (&x, at, 2);
    bits = x < 0 ? -(gint64) (x & 0x7fff) : x;
  } else if (size == 4) {
    gint32 x;
    memcpy (&x, at, 4);
    bits = x < 0 ? -(gint64) (x & 0x7fffffff) : x;
  } else {
    gint64 x;
    memcpy (&x, at, 8);
    bits = x < 0 ? -(x & G_MAXINT64) : x;
  }
  return bits;
}

/* By how much another order of the kernel's sums may change its results, or NaN. */
static double
sum_bound (Compare *c)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (c->work[0].of->ctx);
  g_autoptr (GArray) eval = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < c->n_results; i++)
    g_ptr_array_add (results, g_memdup2 (c->before[i], MAX (c->memory.buffers[i]->nbytes, 1)));
  for (guint i = 0; i < c->n_buffers; i++)
    for (guint twice = 0; twice < 2; twice++) {
      LsEvalBuffer b = { twice ? (i == 0 ? G_MININT64 : -(gint64) i) : i, c->memory.buffers[i]->dtype, c->memory.buffers[i]->n,
                         i < c->n_results ? results->pdata[i] : c->memory.buffers[i]->data };
      g_array_append_val (eval, b);
    }
  LsEvaluation *e = ls_evaluate (ctx, c->work[0].graph, eval->len, (LsEvalBuffer *) (gpointer) eval->data, MOST_ELEMENTS, FALSE, NULL);
  double bound = e ? ls_evaluation_sum_bound (e) : NAN;
  if (e)
    ls_evaluation_free (e);
  return bound;
}

LsApart
ls_values_apart (LsDType dtype, guint64 n, const guint8 *a, const guint8 *b)
{
  LsApart out = { .first = -1 };
  gsize size = ls_dtype_itemsize (dtype);
  gboolean is_float = ls_dtype_is_float (dtype) && size > 1;
  for (guint64 i = 0; i < n; i++) {
    const guint8 *p = a + i * size, *q = b + i * size;
    if (memcmp (p, q, size) == 0)
      continue;
    LsScalar u = ls_scalar_load (dtype, p), v = ls_scalar_load (dtype, q);
    if (is_float && isnan (u.f) && isnan (v.f))
      continue;
    if (out.first < 0)
      out.first = (gint64) i;
    out.other |= !is_float || isnan (u.f) != isnan (v.f) || isinf (u.f) || isinf (v.f);
    if (!out.other) {
      gint64 k = rank (p, size), m = rank (q, size);
      out.max_ulp = MAX (out.max_ulp, k > m ? (guint64) k - (guint64) m : (guint64) m - (guint64) k);
      out.max_error = fmax (out.max_error, fabs (u.f - v.f));
    }
  }
  return out;
}

/* The first element that differs is of the first result that does. */
static LsApart
results_apart (const Compare *c, const guint8 *x, const guint8 *y)
{
  LsApart out = { .first = -1 };
  for (guint i = 0; i < c->n_results; i++) {
    const LsBuffer *b = c->memory.buffers[i];
    LsApart one = ls_values_apart (b->dtype, b->n, x, y);
    out.first = out.first < 0 ? one.first : out.first;
    out.other |= one.other;
    out.max_ulp = MAX (out.max_ulp, one.max_ulp);
    out.max_error = fmax (out.max_error, one.max_error);
    x += b->nbytes;
    y += b->nbytes;
  }
  return out;
}

static void
judge_values (Compare *c, guint first, guint k)
{
  LsComparedVariant *out = &c->c->variants[k];
  const guint8 *x = c->work[first].result, *y = c->work[k].result;
  gsize nbytes = 0;
  out->bound = NAN;
  for (guint i = 0; i < c->n_results; i++)
    nbytes += c->memory.buffers[i]->nbytes;
  if (memcmp (x, y, nbytes) == 0) {
    out->equality = LS_EQUAL_BITS;
    return;
  }
  out->apart = results_apart (c, x, y);
  out->equality = out->apart.other ? LS_EQUAL_DIFFERS : LS_EQUAL_ULP;
  if (out->apart.other || out->apart.max_ulp <= NEAR_ULP)
    return;
  const Work *w = &c->work[first], *own = &c->work[k];
  /* not another order of the same sums */
  if (own->of != w->of && !ls_kernel_same_graph (own->of, own->kernel->number, w->of, w->kernel->number)) {
    out->equality = LS_EQUAL_DIFFERS;
    return;
  }
  out->bound = sum_bound (c);
  out->equality = isnan (out->bound) ? LS_EQUAL_UNJUDGED : out->apart.max_error <= out->bound ? LS_EQUAL_BOUND : LS_EQUAL_DIFFERS;
}

/* --- together --- */

static void
part (Compare *c, guint k, gboolean brief)
{
  LsComparedVariant *first = &c->c->variants[0], *out = &c->c->variants[k];
  LsDifference where = { 0 };
  if (!first->source || !out->source)
    return;
  out->source_diff = brief ? NULL : ls_text_diff (first->source, out->source);
  out->code_diff = !brief && first->assembly && out->assembly ? ls_text_diff (first->assembly, out->assembly) : NULL;
  out->listing_diff = !brief && first->listing && out->listing ? ls_text_diff (first->listing, out->listing) : NULL;
  if (!out->by_hand && !first->by_hand && !ls_kernel_diff (c->work[0].trace, c->work[0].kernel->number, c->work[k].trace,
                                                           c->work[k].kernel->number, &where).same) {
    out->log_text = where.text;
    out->log_first = where.a;
    out->log_own = where.b;
  }
}

static void
measure (Compare *c, const LsMeasureHow *how)
{
  g_autofree LsLaunch *launches = g_new0 (LsLaunch, c->c->n);
  g_autofree double *known = g_new0 (double, c->c->n);
  guint n = 0;
  for (guint k = 0; k < c->c->n; k++) {
    c->c->timed[k] = c->c->variants[k].error ? G_MAXUINT : n;
    if (!c->c->variants[k].error) {
      known[n] = c->work[k].first_ns;
      launches[n++] = c->work[k].launch;
    }
  }
  if (n == 0)
    return;
  LsMeasureHow looks = *how;
  c->n_timed = n;
  looks.known = known;
  looks.look_data = c;
  if (!how->brief) {
    looks.before = c->reads_result ? NULL : before_sample;
    looks.after = after_sample;
    looks.touches = touches;
  }
  c->c->times = ls_measure (c->runner, n, launches, &looks);
  for (guint k = 0; k < c->c->n; k++) {
    const LsMeasured *x = ls_comparison_times (c->c, k);
    if (x && x->error)
      c->c->variants[k].error = g_strdup (x->error);
  }
}

/* The expressions of a text that writes chains flat, or NULL. */
static const GArray *
flat_exprs (const Work *w)
{
  g_autoptr (GArray) rows = ls_render_dialect (w->p.target, w->p.settings);
  gboolean flat = FALSE;
  for (guint i = 0; i < rows->len && !ls_proc_passes_are_on (w->p.settings); i++) {
    const LsDialectRow *row = &g_array_index (rows, LsDialectRow, i);
    flat |= g_str_equal (row->name, "flat_chains") && g_strcmp0 (row->value, "yes") == 0;
  }
  return flat ? w->p.rendered->exprs : NULL;
}

/* The variant before it whose machine code is the same, or it. */
static guint
same_code_as (const LsComparison *c, guint k)
{
  for (guint i = 0; i < k; i++)
    if (ls_measured_same_code (ls_comparison_times (c, i), ls_comparison_times (c, k)) && c->variants[i].why)
      return i;
  return k;
}

static gboolean
adds_products (const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    for (guint k = 0; u->op == LS_OP_ADD && ls_dtype_is_float (u->dtype) && k < u->n_src; k++)
      if (u->src[k]->op == LS_OP_MUL)
        return TRUE;
  }
  return FALSE;
}

/* What to try next. */
static char *
next_step (Compare *c, guint k, const LsVariant *variant, const LsMachineSpeed *speed, const LsChain *chain, const LsWhyFast *why,
           double ns)
{
  LsComparedVariant *v = &c->c->variants[k];
  const Work *w = &c->work[k];
  g_autoptr (LsKernelOptions) options = ls_kernel_options (w->of, w->kernel->number, variant, NULL);
  g_autofree guint *bytes = g_new0 (guint, c->n_buffers + 1);
  for (guint i = 0; i < c->n_buffers; i++)
    bytes[i] = ls_dtype_itemsize (c->memory.buffers[i]->dtype);
  double best = ns;
  for (guint i = 0; i < c->c->n; i++)
    if (ls_comparison_is_timed (c->c, i) && c->c->variants[i].equality != LS_EQUAL_DIFFERS)
      best = MIN (best, ls_comparison_times (c->c, i)->median);
  const LsNextFacts facts = { options, v->options, bytes, c->n_buffers, v->code, &v->loop, why, chain, ns, best,
                              adds_products (w->p.list), speed->fused_per_ns / speed->flops_per_ns };
  return options ? ls_next_step (&facts, &v->try) : NULL;
}

static void
explain (Compare *c, const LsVariant *variants)
{
  LsMachineSpeed speed;
  if (!c->c->times || !ls_machine_measure (c->runner, &speed, NULL))
    return;
  c->c->speed = speed;
  for (guint k = 0; k < c->c->n; k++) {
    LsComparedVariant *v = &c->c->variants[k];
    const Work *w = &c->work[k];
    const LsMeasured *x = ls_comparison_times (c->c, k);
    if (!x || x->error || !(x->median > 0))      /* variants that were not timed are not explained */
      continue;
    take_costs (v);
    guint same = same_code_as (c->c, k);
    if (same < k) {      /* equal machine code has one explanation */
      v->least = c->c->variants[same].least;
      v->why = g_strdup (c->c->variants[same].why);
      v->next = g_strdup (c->c->variants[same].next);
      v->try = g_strdup (c->c->variants[same].try);
      continue;
    }
    if (v->by_hand) {
      v->why = g_strdup ("Hand-written: only its machine code is known.");
      continue;
    }
    double footprint = 0, written = 0;
    for (guint i = 0; i < w->launch.n_buffers; i++) {
      footprint += (double) w->buffers[i]->nbytes;
      written += i < c->n_results ? (double) w->buffers[i]->nbytes : 0;
    }
    LsChain chain = ls_longest_chain (w->p.list->len, (LsUOp *const *) w->p.list->pdata, flat_exprs (w));
    LsWhyFast why = ls_why_fast (&speed, &chain, v->flops, v->bytes, written, footprint, x->median);
    why.threads = w->launch.threads;
    why.by = why.threads > 1 ? LS_BOUND_NONE : why.by;
    v->least = why;
    v->why = ls_why_fast_sentence (&why, &chain, v->flops, v->bytes, x->median);
    g_autofree char *next = next_step (c, k, &variants[k], &speed, &chain, &why, x->median);
    v->next = next ? ls_sentence_text (next) : NULL;
  }
}

/* The kernels that were made are compiled side by side, then called one after the other. What a program compiles with a table of lines is
 * another file than what is timed, which has none. */
static void
run_all (Compare *c, gboolean brief)
{
  guint n = 0, n_timed = 0;
  g_autofree LsLaunch *launches = g_new (LsLaunch, 2 * c->c->n);
  g_autofree double *compile_ms = g_new (double, 2 * c->c->n);
  for (guint k = 0; k < c->c->n; k++) {
    c->work[k].launch.lines = !brief;
    if (!c->c->variants[k].error)
      launches[n++] = c->work[k].launch;
  }
  for (guint i = 0; i < n; i++)
    if (launches[i].lines && ls_compiler_find (launches[i].compiler)->how == LS_COMPILER_PROGRAM) {
      launches[n + n_timed] = launches[i];
      launches[n + n_timed++].lines = FALSE;
    }
  ls_runner_compile (c->runner, n + n_timed, launches, compile_ms);
  n = 0;
  for (guint k = 0; k < c->c->n; k++) {
    LsComparedVariant *out = &c->c->variants[k];
    GError *error = NULL;
    if (out->error)
      continue;
    if (!run (c, k, brief, &error))
      fail (out, &error);
    out->compile_ms = isnan (compile_ms[n]) ? out->compile_ms : compile_ms[n];
    n++;
  }
}

static void
compare (Compare *c, const LsVariant *variants, const char *const *specs, const LsMeasureHow *how)
{
  GError *error = NULL;
  guint n = c->c->n, first = 0;
  for (guint k = 0; k < n; k++) {
    LsComparedVariant *out = &c->c->variants[k];
    out->of = c->c;
    out->spec = g_strdup (specs[k]);
    out->refused = g_ptr_array_new_with_free_func (g_free);
    out->equality = LS_EQUAL_NONE;
    out->apart.first = -1;
    out->compile_ms = NAN;
    if (!make (c, k, &variants[k], &error))
      fail (out, &error);
  }
  run_all (c, how->brief);
  while (first < n && !c->work[first].result)
    first++;
  for (guint k = 0; k < n; k++) {
    if (k > 0)
      part (c, k, how->brief);
    if (k == first)
      c->c->variants[k].equality = LS_EQUAL_FIRST;
    else if (c->work[k].result)
      judge_values (c, first, k);
  }
  measure (c, how);
  for (guint k = 0; k < n && c->c->times; k++) {
    const LsMeasured *x = ls_comparison_times (c->c, k);
    if (x && !x->error && !isnan (x->median) && !how->brief)
      run_again (c, k);
    if (k != first && c->c->variants[k].changes)
      judge_values (c, first, k);
    judge_time (c, k);
  }
  if (!how->brief)
    explain (c, variants);
}

static void
work_clear (Work *w)
{
  if (w->library)
    ls_rule_library_unref (w->library);
  ls_pipeline_clear (&w->p);
  if (w->trace)
    ls_trace_unref (w->trace);
  if (w->ctx)
    ls_context_unref (w->ctx);
  g_free (w->text);
  g_free (w->flags);
  g_free (w->buffers);
  ls_fenced_clear (&w->own);
  g_free (w->result);
}

static gboolean
work_init (Work *w, const LsComparedKernel *of, GError **error)
{
  w->of = of->trace;
  w->kernel = ls_trace_kernel (of->trace, of->kernel);
  if (!(w->graph = ls_reference_graph_of (of->trace, of->kernel, error)))
    return FALSE;
  if (w->kernel->buffers->len == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the recording ends before the buffers of kernel %u", of->kernel);
    return FALSE;
  }
  w->library = ls_recorded_library (of->trace, TRUE, &w->other_rule, &w->own_rule);
  return TRUE;
}

LsComparison *
ls_compare_kernels (guint n, const LsComparedKernel *kernels, const LsVariant *variants, const char *const *specs, const LsMeasureHow *how,
                    GError **error)
{
  g_return_val_if_fail (n >= 1, NULL);
  g_autoptr (LsComparison) out = g_new0 (LsComparison, 1);
  Compare c = { .c = out, .runner = how->runner ? how->runner : ls_runner_new (), .work = g_new0 (Work, n) };
  gboolean ok = TRUE;
  for (guint i = 0; i < n && ok; i++)
    ok = work_init (&c.work[i], &kernels[i], error);
  if (ok)
    *out = (LsComparison) { .kernel = kernels[0].kernel, .kernel_name = g_strdup (c.work[0].kernel->name), .machine = ls_machine_name (),
                            .n = n, .variants = g_new0 (LsComparedVariant, n), .timed = g_new0 (guint, n) };
  ok = ok && make_buffers (&c, error);
  if (ok)
    compare (&c, variants, specs, how);
  for (guint i = 0; i < n; i++)
    work_clear (&c.work[i]);
  g_free (c.work);
  for (guint i = 0; c.before && i < c.n_buffers; i++)
    g_free (c.before[i]);
  g_free (c.before);
  g_free (c.is_variable);
  ls_fenced_clear (&c.memory);
  if (how->runner)
    ls_runner_free_buffers (c.runner);
  else
    ls_runner_free (c.runner);
  return ok ? g_steal_pointer (&out) : NULL;
}

LsComparison *
ls_compare (LsTrace *trace, guint kernel, guint n, const LsVariant *variants, const char *const *specs, const LsMeasureHow *how,
            GError **error)
{
  g_autofree LsComparedKernel *kernels = g_new (LsComparedKernel, n);
  for (guint i = 0; i < n; i++)
    kernels[i] = (LsComparedKernel) { trace, kernel };
  return ls_compare_kernels (n, kernels, variants, specs, how, error);
}

const LsMeasured *
ls_comparison_times (const LsComparison *c, guint k)
{
  return c->times && c->timed[k] != G_MAXUINT ? &c->times->of[c->timed[k]] : NULL;
}

void
ls_comparison_free (LsComparison *c)
{
  if (!c)
    return;
  for (guint k = 0; k < c->n; k++) {
    LsComparedVariant *v = &c->variants[k];
    char *texts[] = { v->spec, v->error, v->version, v->flags, v->name, v->options, v->listing, v->source, v->assembly, v->log_text,
                      v->log_first, v->log_own, v->listing_diff, v->source_diff,
                      v->code_diff, v->why, v->next, v->try, v->mca, v->note, v->writes, v->changes };
    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
      g_free (texts[i]);
    g_clear_pointer (&v->refused, g_ptr_array_unref);
    g_clear_pointer (&v->code, g_array_unref);
    g_clear_pointer (&v->costs, g_array_unref);
  }
  ls_measurement_free (c->times);
  g_free (c->variants);
  g_free (c->timed);
  g_free (c->kernel_name);
  g_free (c->machine);
  g_free (c);
}

gboolean
ls_comparison_has_rate (const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *x = ls_comparison_times (c, k);
  return x && !v->error && !isnan (x->median) && !(v->by_hand && (v->equality == LS_EQUAL_DIFFERS || v->changes ||
                                                                  x->verdict == LS_TIME_AGAIN));
}
