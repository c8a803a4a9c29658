/* lazyscope-cli bench: the time of each stage, with and without recording, in alternating runs; then those of the kernels, in
 * alternation. */
#include "program/program.h"
#include "ir/clock.h"
#include "measure/compare.h"
#include "pipeline/pipeline.h"
#include "cli.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static double now_ms (void) { return (double) ls_now_ns () / 1e6; }

/* Milliseconds of a run, of its program's text (the engine's work in it, and Python itself), and of Python only. */
typedef struct { double all, text, python; } Times;

static double
stage_ms (const LsTrace *trace, const char *stage)
{
  double ms = 0;
  for (guint k = 0; k < trace->stage_times->len; k++) {
    const LsStageTime *t = &g_array_index (trace->stage_times, LsStageTime, k);
    if (strcmp (t->stage, stage) == 0)
      ms += (double) t->ns / 1e6;
  }
  return ms;
}

/* One run of everything but compile and run. Buffers hold zeros, so the program's output is not checked. */
static LsSession *
one_run (const LsCliOptions *o, LsRuleLibrary *library, const char *text, const char *file, gboolean record, gboolean quiet, Times *times,
         GError **error)
{
  LsSession *s = ls_session_new (&o->how.settings, o->how.target, o->how.compiler, library);
  s->options = g_strdup (o->how.options);
  s->execute = FALSE;
  s->recording = record;
  s->quiet = quiet;
  double start = now_ms ();
  gboolean ok = ls_session_run_program (s, text, file, error);
  times->all = now_ms () - start;
  if (!ok) {
    g_clear_pointer (&s, ls_session_free);
    return NULL;
  }
  times->python = stage_ms (s->trace, "python");
  times->text = stage_ms (s->trace, "program") + times->python;
  return s;
}

/* --- kernels --- */

#define TURNS  3       /* over all kernels, so that a temporary slowdown of the machine affects one pass over each */
#define ROUNDS 12      /* per pass, at most */

typedef struct {
  const LsKernel *kernel;
  GArray         *samples;      /* double: nanoseconds of a call */
  char           *error, *version, *flags;
  const char     *compiler;
  double          flops, bytes; /* of a call */
} KernelTime;

static void
kernel_time_free (gpointer data)
{
  KernelTime *t = data;
  g_array_unref (t->samples);
  g_free (t->error);
  g_free (t->version);
  g_free (t->flags);
  g_free (t);
}

static void
time_kernel (KernelTime *t, LsTrace *trace, const LsVariant *how, double seconds, guint turn)
{
  LsMeasureHow measure = { .seconds = seconds, .most_rounds = ROUNDS, .seed = turn + 1, .brief = TRUE, .no_control = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsComparison) c = ls_compare (trace, t->kernel->number, 1, how, (const char *[]) { "" }, &measure, &error);
  const LsMeasured *m = c ? ls_comparison_times (c, 0) : NULL;
  if (!c || c->variants[0].error || !m) {
    t->error = g_strdup (!c ? error->message : c->variants[0].error ? c->variants[0].error : "it was not timed");
    return;
  }
  const LsComparedVariant *v = &c->variants[0];
  if (turn == 0) {
    t->compiler = v->compiler;
    t->version = g_strdup (v->version);
    t->flags = g_strdup (v->flags);
    t->flops = v->flops;
    t->bytes = v->bytes;
  }
  if (m->samples->len)
    g_array_append_vals (t->samples, m->samples->data, m->samples->len);
  else
    g_array_append_val (t->samples, m->first_ns);      /* of a kernel that takes longer than its share of the time */
}

/* The kernels that have code of their own, KernelTime each, with made up inputs. */
static GPtrArray *
time_kernels (LsTrace *trace, const LsVariant *how, double seconds)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (kernel_time_free);
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    if (k->same_as > 0)
      continue;
    KernelTime *t = g_new0 (KernelTime, 1);
    *t = (KernelTime) { .kernel = k, .samples = g_array_new (FALSE, FALSE, sizeof (double)), .compiler = "" };
    g_ptr_array_add (out, t);
  }
  for (guint turn = 0; turn < TURNS; turn++)
    for (guint i = 0; i < out->len; i++)
      if (!((KernelTime *) out->pdata[i])->error)
        time_kernel (out->pdata[i], trace, how, seconds / (TURNS * out->len), turn);
  return out;
}

static void
print_kernel_times (const GPtrArray *kernels)
{
  for (guint i = 0; i < kernels->len; i++) {
    const KernelTime *t = kernels->pdata[i];
    double ns = ls_sort_median ((double *) (gpointer) t->samples->data, t->samples->len);
    g_autofree char *name = g_strdup_printf (_("kernel %u %s"), t->kernel->number, t->kernel->name),
                    *error = t->error ? ls_sentence_shown (t->error) : NULL;
    if (t->error)
      printf (_("%-40s failed: %s\n"), name, error);
    else
      printf ("%-40s %10.2f us %9.2f GFLOPS %9.2f GB/s  %s %s %s\n", name, ns / 1e3, t->flops / ns, t->bytes / ns, t->compiler,
              t->version ? t->version : "", t->flags ? t->flags : "");
  }
}

/* --- the stages --- */

enum { PIPELINE, PASSES, PASSES_PLAIN, PROGRAM, PROGRAM_PLAIN, N_SERIES };

typedef struct { const char *name; double *ms; double median; } StageTimes;      /* ms: of each run */

/* The printed data. */
typedef struct {
  guint      n_runs;
  double    *series[N_SERIES];      /* of each run */
  double     median[N_SERIES], file_ms;
  GArray    *stages;                /* StageTimes */
  LsSession *last;                  /* the last run with recording */
  guint      distinct, uops, steps;
  GPtrArray *kernels;               /* KernelTime */
} Bench;

static void
stage_times_clear (gpointer data)
{
  g_free (((StageTimes *) data)->ms);
}

static void
bench_clear (Bench *b)
{
  for (guint i = 0; i < N_SERIES; i++)
    g_free (b->series[i]);
  g_clear_pointer (&b->stages, g_array_unref);
  g_clear_pointer (&b->last, ls_session_free);
  g_clear_pointer (&b->kernels, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static void
add_stages (Bench *b, guint run)
{
  const GArray *times = b->last->trace->stage_times;
  for (guint k = 0; k < times->len; k++) {
    const LsStageTime *t = &g_array_index (times, LsStageTime, k);
    guint at = 0;
    while (at < b->stages->len && strcmp (g_array_index (b->stages, StageTimes, at).name, t->stage) != 0)
      at++;
    if (at == b->stages->len)
      g_array_append_vals (b->stages, &(StageTimes) { g_intern_string (t->stage), g_new0 (double, b->n_runs), 0 }, 1);
    g_array_index (b->stages, StageTimes, at).ms[run] += (double) t->ns / 1e6;
  }
}

/* One warm-up run, then runs with and without recording, interleaved. */
static gboolean
time_stages (Bench *b, const LsCliOptions *o, LsRuleLibrary *library, const char *text, const char *file, GError **error)
{
  b->n_runs = (guint) o->repeats;
  b->stages = g_array_new (FALSE, FALSE, sizeof (StageTimes));
  g_array_set_clear_func (b->stages, stage_times_clear);
  for (guint i = 0; i < N_SERIES; i++)
    b->series[i] = g_new0 (double, b->n_runs);
  for (guint i = 0; i <= b->n_runs; i++) {
    Times with, without;
    g_autoptr (LsSession) plain = one_run (o, library, text, file, FALSE, i > 0, &without, error);
    if (!plain)
      return FALSE;
    g_clear_pointer (&plain, ls_session_free);
    g_clear_pointer (&b->last, ls_session_free);
    b->last = one_run (o, library, text, file, TRUE, TRUE, &with, error);
    if (!b->last)
      return FALSE;
    if (i == 0)
      continue;
    b->series[PIPELINE][i - 1] = with.all - with.python;
    b->series[PASSES][i - 1] = with.all - with.text;
    b->series[PASSES_PLAIN][i - 1] = without.all - without.text;
    b->series[PROGRAM][i - 1] = with.text;
    b->series[PROGRAM_PLAIN][i - 1] = without.text;
    add_stages (b, i - 1);
  }
  for (guint i = 0; i < N_SERIES; i++)
    b->median[i] = ls_median (b->series[i], b->n_runs);
  for (guint i = 0; i < b->stages->len; i++) {
    StageTimes *t = &g_array_index (b->stages, StageTimes, i);
    t->median = ls_median (t->ms, b->n_runs);
  }
  return TRUE;
}

/* Milliseconds of writing the recording; 0, with a warning, where it cannot be written. */
static double
time_file (LsSession *s)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("lazyscope-bench-XXXXXX", &error);
  if (!dir)
    return 0;
  g_autofree char *path = g_build_filename (dir, "bench.lscope", NULL);
  double start = now_ms ();
  ls_session_finish (s);
  if (!ls_trace_save (s->trace, path, &error)) {
    g_autofree char *shown = ls_sentence_shown (error->message);
    fprintf (stderr, "lazyscope-cli: %s\n", shown);
  }
  double ms = now_ms () - start;
  g_unlink (path);
  g_rmdir (dir);
  return ms;
}

static void
count (Bench *b)
{
  const LsTrace *t = b->last->trace;
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernel *k = t->kernels->pdata[i];
    b->distinct += k->same_as == 0;
    b->uops += k->same_as == 0 ? k->listing->len : 0;
  }
  for (guint i = 0; i < t->passes->len; i++)
    b->steps += ls_pass_n_rewrites (t->passes->pdata[i]);
}

/* --- the answer --- */

#define KERNEL_TIME(X) \
  X (kernel, INT, t->kernel->number, TRUE, "Number of the kernel.") \
  X (name, TEXT, t->kernel->name, TRUE, "Its name.") \
  X (error, TEXT, t->error, TRUE, "Why it was not timed, or null.") \
  X (compiler, TEXT, t->compiler, TRUE, "The compiler.") \
  X (version, TEXT, t->version ? t->version : "", TRUE, "Its version.") \
  X (flags, TEXT, t->flags ? t->flags : "", TRUE, "The compiler's flags.") \
  X (samples, INT, t->samples->len, TRUE, "Number of samples, each the time of one call.") \
  X (ns, NUMBER, t->error ? NAN : ns, TRUE, "Median nanoseconds of a call.") \
  X (low_ns, NUMBER, t->error ? NAN : g_array_index (t->samples, double, 0), TRUE, "Nanoseconds of the fastest sample.") \
  X (high_ns, NUMBER, t->error ? NAN : g_array_index (t->samples, double, t->samples->len - 1), TRUE, \
     "Nanoseconds of the slowest sample.") \
  X (gflops, NUMBER, t->error ? NAN : t->flops / ns, TRUE, "Arithmetic operations, in 10^9 per second.") \
  X (gbs, NUMBER, t->error ? NAN : t->bytes / ns, TRUE, "Memory traffic, in 10^9 bytes per second.")
LS_INNER_RECORD (bench_kernel, KERNEL_TIME, const KernelTime *t = row;
                 double ns = ls_sort_median ((double *) (gpointer) t->samples->data, t->samples->len);)

#define STAGE(X) \
  X (name, TEXT, t->name, TRUE, "A stage.") \
  X (ms, NUMBER, t->median, TRUE, "Median milliseconds of a run with recording.")
LS_INNER_RECORD (bench_stage, STAGE, const StageTimes *t = row;)

/* Those with a format are lines of the text. */
#define BENCH(X) \
  X (stages, LIST, ls_list_array (b->stages), TRUE, "The stages.", .of = &bench_stage) \
  X (pipeline_ms, NUMBER, b->median[PIPELINE], TRUE, "All stages but compile, run and Python's own time, with recording.", MS) \
  X (record_ms, NUMBER, b->median[PASSES] - b->median[PASSES_PLAIN], TRUE, "The cost of recording them.", MS) \
  X (program_ms, NUMBER, b->median[PROGRAM], TRUE, "The program's text alone: the stages program and python.", MS) \
  X (record_program_ms, NUMBER, b->median[PROGRAM] - b->median[PROGRAM_PLAIN], TRUE, \
     "The cost of recording its statements and calls.", MS) \
  X (file_ms, NUMBER, b->file_ms, TRUE, "Writing the recording's file.", MS) \
  X (kernels, INT, t->kernels->len, TRUE, "Number of kernels.", COUNT) \
  X (distinct, INT, b->distinct, TRUE, "Number of kernels with code of their own.", COUNT) \
  X (copies, INT, t->n_copies, TRUE, "Number of copies into buffers.", COUNT) \
  X (uops, INT, b->uops, TRUE, "Number of UOps in the listings of the distinct kernels.", COUNT) \
  X (steps, INT, b->steps, TRUE, "Number of rewrite steps.", COUNT) \
  X (nodes, INT, ls_context_n_nodes (t->ctx), TRUE, "Number of nodes that were made.", COUNT) \
  X (kernel_times, LIST, ls_list_pointers (b->kernels), TRUE, "Times of the distinct kernels.", .of = &bench_kernel, \
     .lines = TRUE)
#define MS    .format = "%10.4f"
#define COUNT .format = "%10" G_GINT64_FORMAT
LS_RECORD (ls_bench_answer, BENCH, const Bench *b = row; const LsTrace *t = b->last->trace;)

static void
print_text (const Bench *b)
{
  for (guint i = 0; i < b->stages->len; i++) {
    const StageTimes *t = &g_array_index (b->stages, StageTimes, i);
    printf ("%-17s %10.4f ms\n", t->name, t->median);
  }
  for (guint i = 0; i < ls_bench_answer.n; i++) {
    const LsField *f = &ls_bench_answer.fields[i];
    g_autofree char *value = f->format ? ls_answer_cell (&ls_bench_answer, b, 0, &(LsAnswering) { 0 }, f->name) : NULL;
    if (value)
      printf ("%-17s %s\n", f->name, value);
  }
  print_kernel_times (b->kernels);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (LsRuleLibrary) library = NULL;
  g_auto (Bench) b = { 0 };
  if (!ls_cli_read_program (*files, &text, error) ||
      !(library = ls_rule_library_new (ls_pipeline_rules (), (const char *const *) o->rules, (const char *const *) o->disabled, error)) ||
      !time_stages (&b, o, library, text, *files, error))
    return LS_EXIT_WRONG;
  b.file_ms = time_file (b.last);
  ls_cli_tell_idle (o, b.last);
  count (&b);
  b.kernels = time_kernels (b.last->trace, &o->how, o->seconds);
  if (!ls_cli_answer (o, &ls_bench_answer, &b, b.last->trace->ctx, NULL))
    print_text (&b);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_bench = {
  run, N_("Measures every stage except compile and run: the median of alternating runs with and without recording. Then times each "
       "kernel's code, in alternation, with random inputs."),
};
