/* lazyscope-cli run: runs a program, prints what it prints. */
#include "cli.h"

#include "measure/search.h"
#include "ir/eval.h"

#include <math.h>
#include <string.h>

static void
add_values (JsonBuilder *b, const guint8 *data, LsDType dtype, guint n_dims, const gint64 *dims, gsize *at)
{
  if (n_dims == 0) {
    LsScalar v = ls_scalar_load (dtype, data + *at * ls_dtype_itemsize (dtype));
    ++*at;
    ls_json_add_scalar (b, dtype, v);
    return;
  }
  json_builder_begin_array (b);
  for (gint64 i = 0; i < dims[0]; i++)
    add_values (b, data, dtype, n_dims - 1, dims + 1, at);
  json_builder_end_array (b);
}

static void
print_json (LsSession *s)
{
  LsTrace *t = s->trace;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "stdout");
  json_builder_add_string_value (b, s->out->str);
  json_builder_set_member_name (b, "kernels");
  json_builder_begin_array (b);
  for (guint i = 0; i < t->kernels->len; i++) {
    LsKernel *k = t->kernels->pdata[i];
    g_autofree double *ns = g_new (double, k->run_ns->len + 1);
    for (guint r = 0; r < k->run_ns->len; r++)
      ns[r] = (double) g_array_index (k->run_ns, guint64, r);
    double median = ls_median (ns, k->run_ns->len);
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "name");
    json_builder_add_string_value (b, k->name);
    json_builder_set_member_name (b, "stage_ms");
    json_builder_begin_object (b);
    g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    for (guint j = 0; j < t->stage_times->len; j++) {
      const LsStageTime *st = &g_array_index (t->stage_times, LsStageTime, j);
      if (st->kernel != k->number)
        continue;
      double *sum = g_hash_table_lookup (sums, st->stage);
      if (!sum) {
        sum = g_new0 (double, 1);
        g_hash_table_insert (sums, (gpointer) st->stage, sum);
        g_ptr_array_add (names, (gpointer) st->stage);
      }
      *sum += (double) st->ns / 1e6;
    }
    for (guint j = 0; j < names->len; j++) {
      json_builder_set_member_name (b, names->pdata[j]);
      json_builder_add_double_value (b, *(double *) g_hash_table_lookup (sums, names->pdata[j]));
    }
    json_builder_end_object (b);
    ls_json_text (b, "compiler", k->compiler);
    ls_json_text (b, "version", k->compiler_version);
    ls_json_text (b, "flags", k->flags);
    json_builder_set_member_name (b, "compile_ms");
    json_builder_add_double_value (b, k->compile_ms);
    json_builder_set_member_name (b, "run_ms");
    json_builder_add_double_value (b, median / 1e6);
    json_builder_set_member_name (b, "gflops");
    json_builder_add_double_value (b, median > 0 ? k->flops / median : 0);
    json_builder_set_member_name (b, "gbs");
    json_builder_add_double_value (b, median > 0 ? k->bytes / median : 0);
    json_builder_set_member_name (b, "uops");
    json_builder_add_int_value (b, k->listing->len);
    if (k->run_error) {
      json_builder_set_member_name (b, "error");
      json_builder_add_string_value (b, k->run_error);
    }
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "outputs");
  json_builder_begin_array (b);
  for (guint i = 0; i < t->outputs->len; i++) {
    const LsOutput *o = &g_array_index (t->outputs, LsOutput, i);
    static LsBuffer empty;
    LsBuffer *buffer = o->buffer == G_MAXUINT ? &empty : o->buffer < s->buffers->len ? s->buffers->pdata[o->buffer] : NULL;
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "shape");
    json_builder_begin_array (b);
    for (guint d = 0; d < o->n_dims; d++)
      json_builder_add_int_value (b, o->dims[d]);
    json_builder_end_array (b);
    json_builder_set_member_name (b, "dtype");
    json_builder_add_string_value (b, ls_dtype_name (o->dtype));
    json_builder_set_member_name (b, "value");
    gsize at = 0;
    if (buffer)
      add_values (b, buffer->data, ls_dtype_strong (o->dtype), o->n_dims, o->dims, &at);
    else
      json_builder_add_null_value (b);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  if (t->error) {
    json_builder_set_member_name (b, "error");
    json_builder_add_string_value (b, t->error);
  }
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

/* What a program prints is there at once, also for one that runs long or is stopped. */
static void
on_print (LsSession *s, const char *text, gsize n, gpointer data)
{
  fwrite (text, 1, n, stdout);
  fflush (stdout);
}

/* Searches a kernel's options; what was chosen is told. */
static char *
on_options (LsSession *s, LsKernel *k, char **why, gpointer data)
{
  const LsCliOptions *o = data;
  g_autoptr (GError) error = NULL;
  LsSearchHow how = { .width = (guint) o->search, .seconds = o->seconds, .no_cache = o->no_cache };
  g_autoptr (LsSearch) found = ls_search_session (s, k, &o->how, &how, &error);
  if (!found) {
    fprintf (stderr, "warning: kernel %u is not searched, the heuristic chooses: %s\n", k->number, error->message);
    return NULL;
  }
  const LsCandidate *chosen = &g_array_index (found->rows, LsCandidate, found->chosen);
  *why = ls_search_reason (found);
  if (isnan (chosen->ns)) {
    fprintf (stderr, "warning: kernel %u: no candidate could be timed, the heuristic chooses\n", k->number);
    return NULL;
  }
  fprintf (stderr, "search: kernel %u: %s, %.4g us: %s (%u candidates, %u compiled, %s)\n", k->number,
           *chosen->options ? chosen->options : "no options", chosen->ns / 1e3, *why, found->rows->len, found->n_compiled,
           found->cached ? "from the cache; --no-cache searches anew" : "timed now");
  return g_strdup (chosen->options);
}

int
ls_cli_run (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autofree char *text = NULL;
  guint64 from, to;
  gboolean parsed = ls_cli_parse (&o, LS_CLI_RUN, "Runs a program and prints what it prints, and only that, on stdout.", &argc, &argv,
                                  &error);
  if (parsed && o.slow && (parsed = ls_cli_parse_rows (o.rows, &from, &to, &error))) {
    int status = ls_cli_slow (&o, argv[1], from, to);
    ls_cli_clear (&o);
    return status;
  }
  if (!parsed || !ls_cli_read_program (argv[1], &text, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsSession) s = ls_cli_session (&o, &error);
  if (!s) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  if (o.mode == LS_CLI_SEARCHED) {
    s->on_options = on_options;
    s->on_options_data = &o;
  }
  s->recording = o.mode == LS_CLI_SEARCHED || o.record || o.debug >= 5 || o.rules || o.disabled;
  if (o.folder) {
    g_free (s->folder);
    s->folder = g_strdup (o.folder);
  }
  if (!o.json)
    s->on_print = on_print;
  gboolean ok = ls_cli_run_session (&o, s, text, argv[1], &error);
  if (!ok && o.record && !s->writer) {
    /* a recording that cannot even be begun: nothing has run yet */
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  if (o.json)
    print_json (s);
  fflush (stdout);
  if (o.debug >= 5)
    ls_cli_debug_passes (s->trace, o.debug);
  int status = LS_EXIT_DONE;
  g_autoptr (GError) record_error = NULL;
  if (!ls_cli_finish_recording (s, &record_error)) {
    fprintf (stderr, "lazyscope-cli: %s\n", record_error->message);
    status = LS_EXIT_WRONG;
  }
  if (!ok && s->exit_silent)
    g_clear_error (&error);
  else if (!ok)
    status = ls_cli_fail (error);
  if (!ok && s->exit_status > 0)
    status = s->exit_status;
  ls_cli_clear (&o);
  return status;
}
