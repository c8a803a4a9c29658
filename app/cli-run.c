/* lazyscope-cli run: runs a program and prints its output. */
#include "cli.h"

#include "measure/search.h"

#include <math.h>
#include <string.h>

/* --- the answer --- */

typedef struct { const char *stage; double ms; } StageTime;

#define STAGE_TIME(X) \
  X (stage, TEXT, t->stage, TRUE, "A stage.") \
  X (ms, NUMBER, t->ms, TRUE, "Its time in milliseconds.")
LS_INNER_RECORD (stage_time, STAGE_TIME, const StageTime *t = row;)

/* The times of a kernel's stages, each stage once. */
static GArray *
stage_times (const LsTrace *t, guint kernel)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (StageTime));
  for (guint i = 0; i < t->stage_times->len; i++) {
    const LsStageTime *time = &g_array_index (t->stage_times, LsStageTime, i);
    guint at = 0;
    if (time->kernel != kernel)
      continue;
    while (at < out->len && strcmp (g_array_index (out, StageTime, at).stage, time->stage) != 0)
      at++;
    if (at == out->len)
      g_array_append_vals (out, &(StageTime) { time->stage, 0 }, 1);
    g_array_index (out, StageTime, at).ms += (double) time->ns / 1e6;
  }
  return out;
}

static double
median_ns (const LsKernel *k)
{
  g_autofree double *ns = g_new (double, k->run_ns->len + 1);
  for (guint i = 0; i < k->run_ns->len; i++)
    ns[i] = (double) g_array_index (k->run_ns, guint64, i);
  return ls_median (ns, k->run_ns->len);
}

#define RUN_KERNEL(X) \
  X (name, TEXT, k->name, TRUE, "The kernel's name.") \
  X (stage_ms, MAP, ls_list_array (ls_answer_keep (answer, stage_times (t, k->number), (GDestroyNotify) g_array_unref)), TRUE, \
     "Milliseconds of each of its stages.", .of = &stage_time) \
  X (compiler, TEXT, k->compiler, TRUE, "The compiler of its code.") \
  X (version, TEXT, k->compiler_version, TRUE, "Its version.") \
  X (flags, TEXT, k->flags, TRUE, "The compiler's flags.") \
  X (compile_ms, NUMBER, k->compile_ms, TRUE, "Compile time in milliseconds.") \
  X (run_ms, NUMBER, ns / 1e6, TRUE, "Median milliseconds of a launch.") \
  X (gflops, NUMBER, ns > 0 ? k->flops / ns : 0, TRUE, "Arithmetic operations, in 10^9 per second.") \
  X (gbs, NUMBER, ns > 0 ? k->bytes / ns : 0, TRUE, "Memory traffic, in 10^9 bytes per second.") \
  X (uops, INT, k->listing->len, TRUE, "Number of UOps in its listing.") \
  X (error, TEXT, k->run_error, k->run_error != NULL, "Why it did not run, if it failed.")
LS_INNER_RECORD (run_kernel, RUN_KERNEL,
                 const LsKernel *k = row; const LsTrace *t = ((const LsSession *) answer->data)->trace; double ns = median_ns (k);)

/* Contents of an output; data is NULL where its buffer is gone, and not where it has no elements. */
static LsValueTensor
output_value (const LsSession *s, const LsOutput *o)
{
  const LsBuffer *buffer = o->buffer < s->buffers->len ? s->buffers->pdata[o->buffer] : NULL;
  const guint8 *data = o->buffer == G_MAXUINT ? (const guint8 *) "" : buffer ? buffer->data : NULL;
  return (LsValueTensor) { ls_dtype_strong (o->dtype), data, o->n_dims, o->dims };
}

#define RUN_OUTPUT(X) \
  X (shape, LIST, ls_list_of (o->n_dims, o->dims, sizeof *o->dims), TRUE, "Shape of a tensor that was printed or realized.", \
     .item = LS_CELL_INT) \
  X (dtype, TEXT, ls_dtype_name (o->dtype), TRUE, "Its dtype.") \
  X (value, TENSOR, output_value (answer->data, o), TRUE, "Its elements, as nested lists; null if they were not kept.")
LS_INNER_RECORD (run_output, RUN_OUTPUT, const LsOutput *o = row;)

#define RUN(X) \
  X (stdout, TEXT, s->out->str, TRUE, "The output of the program.") \
  X (kernels, LIST, ls_list_pointers (t->kernels), TRUE, "The kernels, in order of launches.", .of = &run_kernel, \
     .lines = TRUE) \
  X (outputs, LIST, ls_list_array (t->outputs), TRUE, "The tensors that were printed or realized.", .of = &run_output) \
  X (error, TEXT, t->error, t->error != NULL, "The error that the program failed with, if it failed.")
LS_RECORD (ls_run_answer, RUN, const LsSession *s = row; const LsTrace *t = s->trace;)

/* The output of a program is printed at once, also for one that runs long or is stopped. */
static void
on_print (LsSession *s, const char *text, gsize n, gpointer data)
{
  fwrite (text, 1, n, stdout);
  fflush (stdout);
}

/* Searches a kernel's options, and reports the chosen ones. */
static char *
on_options (LsSession *s, LsKernel *k, char **why, gpointer data)
{
  const LsCliOptions *o = data;
  g_autoptr (GError) error = NULL;
  LsSearchHow how = { .width = (guint) o->search, .seconds = o->seconds, .no_cache = o->no_cache };
  g_autoptr (LsSearch) found = ls_search_session (s, k, &o->how, &how, &error);
  if (!found) {
    g_autofree char *shown = ls_sentence_shown (error->message);
    fprintf (stderr, _("warning: kernel %u is not searched, the heuristic chooses its options: %s\n"), k->number, shown);
    return NULL;
  }
  const LsCandidate *chosen = &g_array_index (found->rows, LsCandidate, found->chosen);
  *why = ls_search_reason (found);
  if (isnan (chosen->ns)) {
    fprintf (stderr, _("warning: kernel %u: no candidate could be timed, the heuristic chooses its options\n"), k->number);
    return NULL;
  }
  g_autofree char *reason = ls_sentence_shown (*why);
  fprintf (stderr, _("search: kernel %u: %s, %.4g us: %s (%u candidates, %u compiled, %s)\n"), k->number,
           *chosen->options ? chosen->options : _("no options"), chosen->ns / 1e3, reason, found->rows->len, found->n_compiled,
           found->cached ? _("from the cache; --no-cache searches again") : _("timed now"));
  return g_strdup (chosen->options);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (LsSession) s = NULL;
  g_autoptr (GError) own = NULL, record_error = NULL;
  guint64 from, to;
  if (o->slow)
    return ls_cli_parse_rows (o->rows, &from, &to, error) ? ls_cli_slow (o, *files, from, to, error) : LS_EXIT_USAGE;
  if (!ls_cli_read_program (*files, &text, error) || !(s = ls_cli_session (o, error)))
    return LS_EXIT_WRONG;
  if (o->mode == LS_CLI_SEARCHED) {
    s->on_options = on_options;
    s->on_options_data = o;
  }
  s->recording = o->mode == LS_CLI_SEARCHED || o->record || o->debug >= 5 || o->rules || o->disabled || o->how.schedule_choices;
  if (o->folder) {
    g_free (s->folder);
    s->folder = g_strdup (o->folder);
  }
  if (!o->json && !o->csv)
    s->on_print = on_print;
  gboolean ok = ls_cli_run_session (o, s, text, *files, &own);
  if (!ok && o->record && !s->writer) {
    /* a recording that cannot even be begun: nothing has run yet */
    g_propagate_error (error, g_steal_pointer (&own));
    return LS_EXIT_WRONG;
  }
  ls_cli_answer (o, &ls_run_answer, s, s->trace->ctx, s);
  fflush (stdout);
  if (o->debug >= 5)
    ls_cli_debug_passes (s->trace, o->debug);
  int status = LS_EXIT_DONE;
  if (!ls_cli_finish_recording (s, &record_error)) {
    g_autofree char *shown = ls_sentence_shown (record_error->message);
    fprintf (stderr, "lazyscope-cli: %s\n", shown);
    status = LS_EXIT_WRONG;
  }
  if (!ok && !s->exit_silent)
    status = ls_cli_fail (g_steal_pointer (&own));
  return !ok && s->exit_status > 0 ? s->exit_status : status;
}

const LsCliCommand ls_cli_run = { run, N_("Runs a program. Only the program's output is printed on stdout.") };
