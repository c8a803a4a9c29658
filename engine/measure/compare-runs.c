/* Two runs of one program: what its kernels cost in both, and whether the program read the same values.
 *
 * Kernels are matched by their text and the sizes of their buffers; what both runs have takes the same time in both, so only the rest is
 * timed. All of these are called in the same rounds, in random order (run/measure.h); a round's time of a run is the sum of its kernels'.
 */
#include "compare-runs.h"

#include "ir/sentence.h"
#include "pipeline/launch.h"
#include "pipeline/memory.h"
#include "trace/row-steps.h"

#include <math.h>
#include <string.h>

#define MOST_KERNELS 64      /* that are compiled to be timed */
#define NEAR_ULP     4

static const LsTraceBuffer *
buffer_at (const LsTrace *t, guint id)
{
  return id < t->buffers->len ? t->buffers->pdata[id] : NULL;
}

static gint64
bytes_of (const LsTrace *t, const LsKernel *k, guint i)
{
  const LsTraceBuffer *b = buffer_at (t, g_array_index (k->buffers, guint, i));
  return b && b->dtype != LS_VOID ? (gint64) b->n_elements * ls_dtype_itemsize (ls_dtype_strong (b->dtype)) : 0;
}

static LsRunWork
work_of (LsTrace *t)
{
  LsRunWork w = { .n_kernels = t->kernels->len, .memory = ls_memory_plan (t, t->buffers, ls_memory_how (t)) };
  for (guint n = 0; n < t->kernels->len; n++) {
    const LsKernel *k = t->kernels->pdata[n];
    w.work += k->flops;
    for (guint i = 0; i < k->buffers->len; i++)
      *(i < ls_kernel_n_outputs (k) ? &w.stored : &w.loaded) += bytes_of (t, k, i);
  }
  return w;
}

/* What makes kernels of two runs the same for the clock. Free with g_free. */
static char *
key_of (const LsTrace *t, const LsKernel *k)
{
  g_autoptr (GString) key = g_string_new (k->source ? k->source : k->name);
  for (guint i = 0; i < k->buffers->len; i++)
    g_string_append_printf (key, "\n%" G_GINT64_FORMAT, bytes_of (t, k, i));
  return g_string_free (g_steal_pointer (&key), FALSE);
}

static void
match_kernels (LsRunsCompared *c)
{
  g_autoptr (GHashTable) left = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);      /* key -> how many the first one has */
  for (guint side = 0; side < 2; side++)
    for (guint n = 0; n < c->traces[side]->kernels->len; n++) {
      const LsKernel *k = c->traces[side]->kernels->pdata[n];
      g_autofree char *key = key_of (c->traces[side], k);
      guint many = GPOINTER_TO_UINT (g_hash_table_lookup (left, key));
      if (side == 1 && many == 0)
        g_array_append_val (c->only[1], k->number);
      else
        g_hash_table_insert (left, g_steal_pointer (&key), GUINT_TO_POINTER (side == 0 ? many + 1 : many - 1));
    }
  for (guint n = c->traces[0]->kernels->len; n-- > 0;) {      /* those that are left over, the last ones of equal kernels */
    const LsKernel *k = c->traces[0]->kernels->pdata[n];
    g_autofree char *key = key_of (c->traces[0], k);
    guint many = GPOINTER_TO_UINT (g_hash_table_lookup (left, key));
    if (many == 0)
      continue;
    g_array_prepend_val (c->only[0], k->number);
    g_hash_table_insert (left, g_steal_pointer (&key), GUINT_TO_POINTER (many - 1));
  }
}

static LsRunOutput
compare_output (const LsRunsCompared *c, const LsOutput *a, const LsOutput *b)
{
  const LsTraceBuffer *x = buffer_at (c->traces[0], a->buffer), *y = buffer_at (c->traces[1], b->buffer);
  LsRunOutput out = { .line = a->line, .equality = LS_EQUAL_NONE };
  if (!x || !y || !x->data || !y->data)
    return out;
  if (a->dtype != b->dtype || x->n_data != y->n_data || x->n_elements != y->n_elements) {
    out.equality = LS_EQUAL_DIFFERS;
    out.apart.other = TRUE;
    return out;
  }
  if (memcmp (x->data, y->data, x->n_data) == 0) {
    out.equality = LS_EQUAL_BITS;
    return out;
  }
  out.apart = ls_values_apart (ls_dtype_strong (a->dtype), x->n_elements, x->data, y->data);
  out.equality = out.apart.other || out.apart.max_ulp > NEAR_ULP ? LS_EQUAL_DIFFERS : LS_EQUAL_ULP;
  return out;
}

static void
compare_outputs (LsRunsCompared *c)
{
  const GArray *a = c->traces[0]->outputs, *b = c->traces[1]->outputs;
  c->same_text = a->len == b->len && g_strcmp0 (c->traces[0]->std_out, c->traces[1]->std_out) == 0;
  for (guint i = 0; i < MIN (a->len, b->len); i++) {
    LsRunOutput out = compare_output (c, &g_array_index (a, LsOutput, i), &g_array_index (b, LsOutput, i));
    g_array_append_val (c->outputs, out);
  }
}

/* --- times --- */

typedef struct {
  const LsVariant *how;
  LsRunner        *runner;
  GArray          *launches;      /* LsLaunch */
  GPtrArray       *owned;         /* texts and arrays of launches */
  GHashTable      *buffers[2];    /* id -> LsBuffer */
} Timing;

static LsBuffer *
buffer_for (Timing *t, LsTrace *trace, guint side, guint id, GError **error)
{
  LsBuffer *made = g_hash_table_lookup (t->buffers[side], GUINT_TO_POINTER (id));
  const LsTraceBuffer *b = buffer_at (trace, id);
  if (made || !b)
    return made;
  made = ls_runner_buffer_new (t->runner, id, ls_dtype_strong (b->dtype), b->n_elements, error);
  if (made && b->data && b->n_data == made->nbytes)
    memcpy (made->data, b->data, made->nbytes);
  if (made)
    g_hash_table_insert (t->buffers[side], GUINT_TO_POINTER (id), made);
  return made;
}

static gboolean
add_launch (Timing *t, LsTrace *trace, guint side, const LsKernel *k, GError **error)
{
  const LsCompiler *timer = ls_variant_timer (t->how);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, k->buffers->len + 1);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  for (guint i = 0; i < k->listing->len; i++)
    g_ptr_array_add (list, ls_context_node (trace->ctx, g_array_index (k->listing, guint32, i)));
  for (guint i = 0; i < k->buffers->len; i++)
    if (!(buffers[i] = buffer_for (t, trace, side, g_array_index (k->buffers, guint, i), error)))
      return FALSE;
  guint n = timer->how == LS_COMPILER_INTERPRETER ? k->buffers->len : ls_launch_keep_used (list, k->buffers->len, buffers);
  char *source = ls_launch_text (trace->ctx, k->name, t->how->target, &t->how->settings, timer, k->source ? k->source : "", list, error),
       *flags = source ? ls_variant_flags (t->how, timer->name) : NULL;
  if (!source)
    return FALSE;
  LsLaunch launch = { .compiler = timer->name, .flags = flags, .name = k->name, .source = source, .n_uops = list->len,
                      .uops = (LsUOp **) list->pdata, .n_buffers = n, .buffers = buffers, .threads = ls_launch_threads (list),
                      .timeout_ms = (guint) t->how->settings.TIMEOUT_MS };
  g_array_append_val (t->launches, launch);
  g_ptr_array_add (t->owned, source);
  g_ptr_array_add (t->owned, flags);
  g_ptr_array_add (t->owned, g_steal_pointer (&buffers));
  g_ptr_array_add (t->owned, g_ptr_array_free (g_steal_pointer (&list), FALSE));
  return TRUE;
}

/* The times of the runs: the sums of their kernels'. */
static void
take_times (LsRunsCompared *c, const LsMeasurement *m)
{
  guint n_first = c->only[0]->len;
  for (guint k = 0; k < m->n; k++) {
    if (m->of[k].error) {
      c->not_timed = g_strdup (m->of[k].error);
      return;
    }
    c->ns[k >= n_first] += m->of[k].median;
  }
  c->timed = !isnan (c->ns[0]) && !isnan (c->ns[1]);
  c->not_timed = c->timed ? NULL : g_strdup (LS_NOT_TIMED);
  c->n_rounds = m->n_rounds;
  c->ratio = ls_measurement_groups (m, n_first);
}

static void
time_runs (LsRunsCompared *c, const LsVariant *how, double seconds)
{
  g_autoptr (GError) error = NULL;
  const LsCompiler *timer = ls_variant_timer (how);
  Timing t = { .how = how, .launches = g_array_new (FALSE, TRUE, sizeof (LsLaunch)), .owned = g_ptr_array_new_with_free_func (g_free) };
  guint n = c->only[0]->len + c->only[1]->len;
  gboolean ok = n > 0 && n <= MOST_KERNELS;
  c->compiler = timer->name;
  c->flags = ls_variant_flags (how, timer->name);
  c->machine = ls_machine_name ();
  if (n == 0)
    c->not_timed = g_strdup (LS_TEMPLATE ("both runs have the same kernels"));
  else if (!ok)
    c->not_timed = ls_sentence ("%u kernels differ; at most %d are timed", n, MOST_KERNELS);
  t.runner = ls_runner_new ();
  for (guint side = 0; side < 2; side++) {
    t.buffers[side] = g_hash_table_new (NULL, NULL);
    for (guint i = 0; i < c->only[side]->len && ok; i++)
      ok = add_launch (&t, c->traces[side], side, ls_trace_kernel (c->traces[side], g_array_index (c->only[side], guint, i)), &error);
  }
  if (ok) {
    LsMeasureHow measure = { .seconds = seconds, .seed = 1, .brief = TRUE, .n_first = c->only[0]->len };
    g_autoptr (LsMeasurement) m = ls_measure (t.runner, t.launches->len, (const LsLaunch *) (gpointer) t.launches->data, &measure);
    take_times (c, m);
  } else if (error) {
    c->not_timed = g_strdup (error->message);
  }
  for (guint side = 0; side < 2; side++)
    g_hash_table_unref (t.buffers[side]);
  g_array_unref (t.launches);
  g_ptr_array_unref (t.owned);
  ls_runner_free (t.runner);
}

LsRunsCompared *
ls_compare_runs (LsTrace *a, LsTrace *b, const LsVariant *how, double seconds)
{
  LsRunsCompared *c = g_new0 (LsRunsCompared, 1);
  c->traces[0] = ls_trace_ref (a);
  c->traces[1] = ls_trace_ref (b);
  c->outputs = g_array_new (FALSE, FALSE, sizeof (LsRunOutput));
  c->ratio = (LsTimeRatio) { NAN, NAN, NAN, LS_TIME_UNCLEAR };
  for (guint side = 0; side < 2; side++) {
    c->work[side] = work_of (c->traces[side]);
    c->only[side] = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  match_kernels (c);
  compare_outputs (c);
  if (seconds > 0)
    time_runs (c, how, seconds);
  return c;
}

void
ls_runs_compared_free (LsRunsCompared *c)
{
  for (guint side = 0; side < 2; side++) {
    ls_trace_unref (c->traces[side]);
    g_array_unref (c->only[side]);
  }
  g_array_unref (c->outputs);
  g_free (c->flags);
  g_free (c->machine);
  g_free (c->not_timed);
  g_free (c);
}

/* --- in words --- */

/* A sentence on a line of its own. */
#define SAY(...) (ls_sentence_append (out, shown, __VA_ARGS__), g_string_append_c (out, '\n'))

static guint
n_equal (const LsRunsCompared *c, LsEquality equality)
{
  guint n = 0;
  for (guint i = 0; i < c->outputs->len; i++)
    n += g_array_index (c->outputs, LsRunOutput, i).equality == equality;
  return n;
}

static void
say_outputs (const LsRunsCompared *c, gboolean shown, GString *out)
{
  guint n = c->outputs->len, bits = n_equal (c, LS_EQUAL_BITS), none = n_equal (c, LS_EQUAL_NONE);
  if (!c->same_text)
    SAY ("The program printed something else, or read other tensors.");
  if (n == 0)
    SAY ("The program read no tensor.");
  else
    SAY ("Results with the same bits: %u of %u.", bits, n - none);
  if (none)
    SAY ("Results whose contents were not kept: %u.", none);
  for (guint i = 0; i < n; i++) {
    const LsRunOutput *o = &g_array_index (c->outputs, LsRunOutput, i);
    if (o->equality == LS_EQUAL_ULP)
      SAY ("Result %u, line %u: at most %" G_GUINT64_FORMAT " units in the last place apart.", i + 1, o->line, o->apart.max_ulp);
    else if (o->equality == LS_EQUAL_DIFFERS)
      SAY ("Result %u, line %u: other values, from element %" G_GINT64_FORMAT " on.", i + 1, o->line, o->apart.first);
  }
}

static void
say_only (const LsRunsCompared *c, guint side, const char *which, GString *out)
{
  g_string_append (out, which);
  for (guint i = 0; i < c->only[side]->len && i < 12; i++) {
    const LsKernel *k = ls_trace_kernel (c->traces[side], g_array_index (c->only[side], guint, i));
    g_string_append_printf (out, "%s%u %s", i ? ", " : " ", k->number, k->name);
  }
  g_string_append_printf (out, "%s\n", c->only[side]->len > 12 ? ", …" : c->only[side]->len ? "" : " -");
}

static void
say_time (const LsRunsCompared *c, gboolean shown, GString *out)
{
  g_autofree char *was = ls_time_text (c->ns[0]), *is = ls_time_text (c->ns[1]);
  if (c->not_timed) {
    g_autofree char *why = shown ? ls_sentence_shown (c->not_timed) : ls_sentence_text (c->not_timed);
    SAY ("Not timed: %s.", why);
  }
  if (!c->timed)
    return;
  SAY ("Time of these kernels, one call each: %s, then %s (%s %s; %s).", was, is, c->compiler, c->flags, c->machine);
  if (isnan (c->ratio.ratio))
    return;
  if (isnan (c->ratio.low))
    SAY ("Ratio: %.3f; too few rounds (%u) for an interval, so it is not judged.", c->ratio.ratio, c->n_rounds);
  else
    SAY ("Ratio: %.3f [%.3f, %.3f] in %u rounds: %s.", c->ratio.ratio, c->ratio.low, c->ratio.high, c->n_rounds,
         shown ? ls_shown (ls_time_verdict_name (c->ratio.verdict)) : ls_time_verdict_name (c->ratio.verdict));
  if (c->ratio.verdict == LS_TIME_BELOW)
    SAY ("The kernels take little more than a call of an empty function: sizes are too small to judge.");
}

/* A word in a column of that many characters, negative: at its right. */
static void
add_column (GString *out, const char *word, int width)
{
  int room = ABS (width) - (int) g_utf8_strlen (word, -1);
  int before = width < 0 ? MAX (room, 0) : 0, after = width < 0 ? 0 : MAX (room, 0);
  g_string_append_printf (out, "%s%*s%s%*s", width < 0 ? " " : "", before, "", word, after, "");
}

char *
ls_runs_compared_text (const LsRunsCompared *c, gboolean shown)
{
  GString *out = g_string_new (NULL);
#define WORD(text) (shown ? ls_shown (text) : text)
  const struct { const char *name; double was, is; } rows[] = {
    { WORD (LS_TEMPLATE ("kernels")), c->work[0].n_kernels, c->work[1].n_kernels },
    { WORD (LS_TEMPLATE ("bytes stored")), (double) c->work[0].stored, (double) c->work[1].stored },
    { WORD (LS_TEMPLATE ("bytes loaded")), (double) c->work[0].loaded, (double) c->work[1].loaded },
    { WORD (LS_TEMPLATE ("bytes of memory")), (double) c->work[0].memory, (double) c->work[1].memory },
    { WORD (LS_TEMPLATE ("operations")), c->work[0].work, c->work[1].work },
  };
  add_column (out, "", 20);
  add_column (out, WORD (LS_TEMPLATE ("as it is")), -14);
  add_column (out, WORD (LS_TEMPLATE ("turned")), -14);
  g_string_append_c (out, '\n');
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    add_column (out, rows[i].name, 20);
    g_string_append_printf (out, " %14.0f %14.0f\n", rows[i].was, rows[i].is);
  }
  say_only (c, 0, WORD (LS_TEMPLATE ("Kernels only as it is:")), out);
  say_only (c, 1, WORD (LS_TEMPLATE ("Kernels only with it turned:")), out);
#undef WORD
  say_outputs (c, shown, out);
  say_time (c, shown, out);
  g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

#define WORK(X) \
  X (kernels, INT, w->n_kernels, TRUE, "Kernels that were launched.") \
  X (stored, INT, w->stored, TRUE, "Bytes that they write.") \
  X (loaded, INT, w->loaded, TRUE, "Bytes of the buffers that they read, each once a kernel.") \
  X (memory, INT, w->memory, TRUE, "Bytes of the memory plan of intermediate buffers.") \
  X (operations, NUMBER, w->work, TRUE, "Operations on elements.")
LS_INNER_RECORD (work_answer, WORK, const LsRunWork *w = row;)

#define OUTPUT(X) \
  X (line, INT, o->line, TRUE, "Line of the program that read the tensor.") \
  X (equal, TEXT, ls_equality_names[o->equality], TRUE, "bits, ulp, differs, or none: its contents were not kept.") \
  X (ulp, INT, o->apart.max_ulp, o->equality == LS_EQUAL_ULP, "Units in the last place between both.") \
  X (first, INT, o->apart.first, o->equality == LS_EQUAL_DIFFERS, "The first element that differs; -1: the shape or dtype.")
LS_INNER_RECORD (output_answer, OUTPUT, const LsRunOutput *o = row;)

#define RUNS(X) \
  X (as_it_is, ROW, &c->work[0], TRUE, "The run as it is.", .of = &work_answer) \
  X (turned, ROW, &c->work[1], TRUE, "The run with the decisions turned around.", .of = &work_answer) \
  X (only_as_it_is, LIST, ls_list_array (c->only[0]), TRUE, "Numbers of kernels that only the first run has.", .item = LS_CELL_INT) \
  X (only_turned, LIST, ls_list_array (c->only[1]), TRUE, "Numbers of kernels that only the second run has.", .item = LS_CELL_INT) \
  X (outputs, LIST, ls_list_array (c->outputs), TRUE, "The tensors that the program read.", .of = &output_answer) \
  X (same_text, BOOL, c->same_text, TRUE, "true if both printed the same and read as many tensors.") \
  X (ns_as_it_is, NUMBER, c->ns[0], c->timed, "Nanoseconds of the kernels that only the first run has, one call each.") \
  X (ns_turned, NUMBER, c->ns[1], c->timed, "The same of the second run.") \
  X (ratio, NUMBER, c->ratio.ratio, c->timed && !isnan (c->ratio.ratio), "The second time by the first.") \
  X (ratio_low, NUMBER, c->ratio.low, c->timed && !isnan (c->ratio.low), "Its interval at 99.9 %, from.") \
  X (ratio_high, NUMBER, c->ratio.high, c->timed && !isnan (c->ratio.low), "To.") \
  X (verdict, TEXT, ls_time_verdict_name (c->ratio.verdict), c->timed && !isnan (c->ratio.low), "faster, slower, as-fast or unclear.") \
  X (compiler, TEXT, c->compiler, c->timed, "Whose code was timed.") \
  X (flags, TEXT, c->flags, c->timed, "Its flags.") \
  X (machine, TEXT, c->machine, c->timed, "The machine.") \
  X (not_timed, OWNED, ls_sentence_text (c->not_timed), c->not_timed != NULL, "Why nothing was timed.")
LS_RECORD (ls_runs_compared_answer, RUNS, const LsRunsCompared *c = row;)
