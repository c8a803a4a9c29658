/* lazyscope-cli bench: the time of each stage, with and without recording, in interleaved runs; then those of the kernels, in turns. */
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

/* Milliseconds of a run, of its program's text (what the engine does in it, and Python itself), and of Python alone. */
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

/* One run of everything but compile and run. Buffers hold zeros, so what is printed is not looked at. */
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

#define TURNS  3       /* over all kernels, so that what slows the machine for a while is in one turn of each */
#define ROUNDS 12      /* of a turn, at most */

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
    g_autofree char *name = g_strdup_printf ("kernel %u %s", t->kernel->number, t->kernel->name);
    if (t->error)
      printf ("%-40s failed: %s\n", name, t->error);
    else
      printf ("%-40s %10.2f us %9.2f GFLOPS %9.2f GB/s  %s %s %s\n", name, ns / 1e3, t->flops / ns, t->bytes / ns, t->compiler,
              t->version ? t->version : "", t->flags ? t->flags : "");
  }
}

static void
json_kernel_times (JsonBuilder *b, const GPtrArray *kernels)
{
  ls_json_array (b, "kernel_times");
  for (guint i = 0; i < kernels->len; i++) {
    const KernelTime *t = kernels->pdata[i];
    double ns = ls_sort_median ((double *) (gpointer) t->samples->data, t->samples->len);
    ls_json_object (b, NULL);
    ls_json_int (b, "kernel", t->kernel->number);
    ls_json_text (b, "name", t->kernel->name);
    ls_json_text (b, "error", t->error);
    ls_json_text (b, "compiler", t->compiler);
    ls_json_text (b, "version", t->version ? t->version : "");
    ls_json_text (b, "flags", t->flags ? t->flags : "");
    ls_json_int (b, "samples", t->samples->len);
    ls_json_number (b, "ns", t->error ? NAN : ns);
    ls_json_number (b, "low_ns", t->error ? NAN : g_array_index (t->samples, double, 0));
    ls_json_number (b, "high_ns", t->error ? NAN : g_array_index (t->samples, double, t->samples->len - 1));
    ls_json_number (b, "gflops", t->error ? NAN : t->flops / ns);
    ls_json_number (b, "gbs", t->error ? NAN : t->bytes / ns);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

int
ls_cli_bench (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autofree char *text = NULL;
  if (!ls_cli_parse (&o, LS_CLI_BENCH, "Measures every stage but compile and run, the median of interleaved runs with and without "
                                       "recording; then each kernel's code, in turns, with made up inputs.", &argc, &argv, &error) ||
      !ls_cli_read_program (argv[1], &text, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), (const char *const *) o.rules,
                                                           (const char *const *) o.disabled, &error);
  if (!library) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  guint n = (guint) o.repeats;
  enum { PIPELINE, PASSES, PASSES_PLAIN, PROGRAM, PROGRAM_PLAIN, N_SERIES };
  g_autofree double *series = g_new0 (double, N_SERIES * n);
  g_autoptr (LsSession) last = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) times = g_ptr_array_new_with_free_func (g_free);
  /* one run to warm up, then with and without in turn */
  for (guint i = 0; i <= n; i++) {
    Times with, without;
    LsSession *plain = one_run (&o, library, text, argv[1], FALSE, i > 0, &without, &error);
    if (!plain)
      break;
    ls_session_free (plain);
    g_clear_pointer (&last, ls_session_free);
    last = one_run (&o, library, text, argv[1], TRUE, TRUE, &with, &error);
    if (!last)
      break;
    if (i == 0)
      continue;
    series[PIPELINE * n + i - 1] = with.all - with.python;
    series[PASSES * n + i - 1] = with.all - with.text;
    series[PASSES_PLAIN * n + i - 1] = without.all - without.text;
    series[PROGRAM * n + i - 1] = with.text;
    series[PROGRAM_PLAIN * n + i - 1] = without.text;
    for (guint k = 0; k < last->trace->stage_times->len; k++) {
      const LsStageTime *t = &g_array_index (last->trace->stage_times, LsStageTime, k);
      guint at = 0;
      while (at < names->len && strcmp (names->pdata[at], t->stage) != 0)
        at++;
      if (at == names->len) {
        g_ptr_array_add (names, (gpointer) g_intern_string (t->stage));
        g_ptr_array_add (times, g_new0 (double, n));
      }
      ((double *) times->pdata[at])[i - 1] += (double) t->ns / 1e6;
    }
  }
  if (!last) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autofree char *dir = g_dir_make_tmp ("lazyscope-bench-XXXXXX", &error);
  double file_ms = 0;
  if (dir) {
    g_autofree char *path = g_build_filename (dir, "bench.lscope", NULL);
    double start = now_ms ();
    ls_session_finish (last);
    if (!ls_trace_save (last->trace, path, &error))
      fprintf (stderr, "lazyscope-cli: %s\n", error->message);
    file_ms = now_ms () - start;
    g_unlink (path);
    g_rmdir (dir);
  }
  g_clear_error (&error);
  ls_cli_tell_idle (&o, last);
  LsTrace *t = last->trace;
  guint distinct = 0, uops = 0, steps = 0;
  for (guint i = 0; i < t->kernels->len; i++) {
    LsKernel *k = t->kernels->pdata[i];
    if (k->same_as == 0) {
      distinct++;
      uops += k->listing->len;
    }
  }
  for (guint i = 0; i < t->passes->len; i++)
    steps += ls_pass_n_steps (t->passes->pdata[i]);
  double median[N_SERIES];
  for (guint i = 0; i < N_SERIES; i++)
    median[i] = ls_median (series + i * n, n);
  const struct { const char *name; double value; gboolean integer; } rows[] = {
    { "pipeline_ms", median[PIPELINE], FALSE }, { "record_ms", median[PASSES] - median[PASSES_PLAIN], FALSE },
    { "program_ms", median[PROGRAM], FALSE },
    { "record_program_ms", median[PROGRAM] - median[PROGRAM_PLAIN], FALSE }, { "file_ms", file_ms, FALSE },
    { "kernels", t->kernels->len, TRUE },
    { "distinct", distinct, TRUE }, { "copies", t->n_copies, TRUE }, { "uops", uops, TRUE }, { "steps", steps, TRUE },
    { "nodes", ls_context_n_nodes (t->ctx), TRUE },
  };
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "stages");
  json_builder_begin_array (b);
  for (guint i = 0; i < names->len; i++) {
    double ms = ls_median (times->pdata[i], n);
    const char *name = names->pdata[i];
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "name");
    json_builder_add_string_value (b, name);
    json_builder_set_member_name (b, "ms");
    json_builder_add_double_value (b, ms);
    json_builder_end_object (b);
    if (!o.json)
      printf ("%-17s %10.4f ms\n", name, ms);
  }
  json_builder_end_array (b);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    json_builder_set_member_name (b, rows[i].name);
    if (rows[i].integer)
      json_builder_add_int_value (b, (gint64) rows[i].value);
    else
      json_builder_add_double_value (b, rows[i].value);
    if (!o.json)
      printf (rows[i].integer ? "%-17s %10.0f\n" : "%-17s %10.4f\n", rows[i].name, rows[i].value);
  }
  g_autoptr (GPtrArray) kernels = time_kernels (t, &o.how, o.seconds);
  json_kernel_times (b, kernels);
  json_builder_end_object (b);
  if (o.json)
    ls_cli_print_json (b);
  else
    print_kernel_times (kernels);
  ls_cli_clear (&o);
  return LS_EXIT_DONE;
}
