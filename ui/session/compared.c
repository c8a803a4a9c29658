/* A comparison's rows. Everything is read from the recordings: times are those of their repeats, which were not measured together. */
#include "compared.h"
#include "compared-table.h"
#include "verdict.h"
#include "measure/compare.h"
#include "kit/text.h"
#include "run/run.h"
#include "trace-text.h"
#include "ir/sentence.h"
#include "trace/place.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define LEAST_NS 100.0      /* as in the table of times: less is of the clock's own size */

static void
row_free (gpointer data)
{
  LsComparedRow *row = data;
  g_free (row->label);
  g_strfreev (row->text);
  g_free (row->state);
  g_free (row->line);
  g_free (row);
}

static LsComparedRow *
row_new (const LsCompared *c, LsBand band, const char *label)
{
  LsComparedRow *row = g_new0 (LsComparedRow, 1);
  row->band = band;
  row->label = g_strdup (label);
  row->text = g_new0 (char *, c->n + 1);
  row->state = g_new0 (guint8, c->n);
  return row;
}

static LsComparedRow *
add_row (LsCompared *c, LsBand band, const char *label)
{
  LsComparedRow *row = row_new (c, band, label);
  g_ptr_array_add (c->rows, row);
  return row;
}

/* Takes text; of a fact that may differ between columns. */
static void
set_text (LsComparedRow *row, guint column, char *text)
{
  row->text[column] = text;
  row->state[column] = column && g_strcmp0 (text, row->text[0]) != 0 ? LS_LINE_DIFFERS : LS_LINE_SAME;
}

static const LsKernel *
kernel_of (const LsCompared *c, guint column)
{
  return ls_trace_kernel (c->traces[column], c->kernels[column]);
}

/* --- its times and results --- */

static const LsTraceBuffer *
result_of (const LsCompared *c, guint column)
{
  const LsKernel *k = kernel_of (c, column);
  guint id = k && k->buffers->len ? g_array_index (k->buffers, guint, 0) : G_MAXUINT;
  return id < c->traces[column]->buffers->len ? c->traces[column]->buffers->pdata[id] : NULL;
}

/* How much two results that were kept completely differ: "at most 2 ulp". Else NULL. */
static char *
distance_of (const LsTraceBuffer *a, const LsTraceBuffer *b)
{
  gsize size = ls_dtype_itemsize (a->dtype);
  if (!a->data || !b->data || a->n_data != b->n_data || a->dtype == LS_VOID || a->n_data / size < a->n_elements)
    return NULL;
  LsApart apart = ls_values_apart (a->dtype, a->n_elements, a->data, b->data);
  if (apart.other)
    return g_strdup_printf (_("differs from element %lld on"), (long long) apart.first);
  return g_strdup_printf (_("differs: at most %llu ulp, %.3g apart"), (unsigned long long) apart.max_ulp, apart.max_error);
}

/* Whether two kernels are known to have read other contents, as of numbers drawn at random. */
static gboolean
inputs_differ (const LsCompared *c, guint column)
{
  const LsKernel *x = kernel_of (c, 0), *y = kernel_of (c, column);
  for (guint i = ls_kernel_n_outputs (x); i < MIN (x->buffers->len, y->buffers->len); i++) {
    guint a = g_array_index (x->buffers, guint, i), b = g_array_index (y->buffers, guint, i);
    const LsTraceBuffer *p = a < c->traces[0]->buffers->len ? c->traces[0]->buffers->pdata[a] : NULL;
    const LsTraceBuffer *q = b < c->traces[column]->buffers->len ? c->traces[column]->buffers->pdata[b] : NULL;
    if (p && q && p->digest && q->digest && strcmp (p->digest, q->digest) != 0)
      return TRUE;
  }
  return FALSE;
}

static char *
result_text (const LsCompared *c, guint column)
{
  const LsTraceBuffer *a = result_of (c, 0), *b = result_of (c, column);
  if (!a || !b)
    return g_strdup (_("not recorded"));
  if (column == 0)
    return g_strdup ("–");
  if (kernel_of (c, 0)->run_error || kernel_of (c, column)->run_error)
    return g_strdup (_("one of them did not run"));
  if (a->n_elements != b->n_elements || a->dtype != b->dtype)
    return g_strdup (_("different shape or dtype"));
  gboolean whole = a->data && b->data && a->n_data == b->n_data;
  if (!whole && (!a->digest || !b->digest))
    return g_strdup (_("not recorded"));
  if (whole ? memcmp (a->data, b->data, a->n_data) == 0 : strcmp (a->digest, b->digest) == 0)
    return g_strdup (_("equal, bit for bit"));
  if (inputs_differ (c, column))
    return g_strdup (_("differs, and so do its inputs"));
  char *far = distance_of (a, b);
  return far ? far : g_strdup (_("differs"));
}

static char *
time_text (const LsKernel *k, const LsSpread *t)
{
  if (k->run_error)
    return ls_text_cut (k->run_error, 200);
  if (!t->n)
    return g_strdup (_("not measured"));
  g_autofree char *median = ls_text_ns (t->median), *low = ls_text_ns (t->low), *high = ls_text_ns (t->high);
  return t->median < LEAST_NS ? g_strdup_printf (_("%s, below resolution"), median)
                              : g_strdup_printf (_("%s (%s to %s, %u repeats)"), median, low, high, t->n);
}

/* Shown only if the repeats do not overlap, because they were not measured together. */
static char *
ratio_text (const LsSpread *a, const LsSpread *b)
{
  if (!a->n || !b->n || a->median < LEAST_NS || b->median < LEAST_NS)
    return g_strdup (_("unclear"));
  if (b->high < a->low)
    return g_strdup_printf (_("%.2f × as fast"), a->median / b->median);
  if (b->low > a->high)
    return g_strdup_printf (_("%.2f × as slow"), b->median / a->median);
  return g_strdup (_("unclear: the repeats overlap"));
}

static char *
rate_text (const LsKernel *k, const LsSpread *t)
{
  if (!t->n || t->median < LEAST_NS)
    return g_strdup ("–");
  g_autoptr (GString) s = g_string_new (NULL);
  if (k->flops > 0)
    g_string_append_printf (s, "%.2f GFLOPS", k->flops / t->median);
  if (k->bytes > 0)
    g_string_append_printf (s, "%s%.2f GB/s", s->len ? ", " : "", k->bytes / t->median);
  return g_strdup (s->len ? s->str : "–");
}

/* Too short ones are the clock's, not the kernel's. */
static void
take_repeats (LsCompared *c, guint column)
{
  const LsKernel *k = kernel_of (c, column);
  const LsSpread *t = column ? &c->pairs[column].time_b : &c->pairs[0].time_a;
  LsComparedTimes *times = &c->times[column];
  times->samples = g_array_new (FALSE, FALSE, sizeof (double));
  if (!k || !t->n || t->median < LEAST_NS)
    return;
  times->median = t->median;
  times->low = t->low;
  times->high = t->high;
  for (guint i = 0; i < k->run_ns->len; i++) {
    double ns = (double) g_array_index (k->run_ns, guint64, i);
    g_array_append_val (times->samples, ns);
  }
}

/* Where recordings were made on different machines: their times are not to be compared until they are measured here. */
static void
add_machines (LsCompared *c)
{
  gboolean same = TRUE;
  for (guint i = 1; i < c->n; i++)
    same &= g_strcmp0 (c->traces[i]->machine, c->traces[0]->machine) == 0;
  LsComparedRow *row = same ? NULL : add_row (c, LS_BAND_SUMMARY, _("Machine"));
  for (guint i = 0; i < c->n && row; i++)
    set_text (row, i, c->traces[i]->machine ? ls_text_valid (c->traces[i]->machine) : g_strdup (_("not recorded")));
}

static void
add_summary (LsCompared *c)
{
  LsComparedRow *name = add_row (c, LS_BAND_SUMMARY, _("Kernel")), *how = add_row (c, LS_BAND_SUMMARY, _("Compiler")),
                *time = add_row (c, LS_BAND_SUMMARY, _("Median"));
  LsComparedRow *ratio = add_row (c, LS_BAND_SUMMARY, _("Against 1st")), *rate = add_row (c, LS_BAND_SUMMARY, _("Rate")),
                *result = add_row (c, LS_BAND_SUMMARY, _("Result"));
  c->how = how;
  c->time = time;
  c->ratio = ratio;
  c->rate = rate;
  c->result = result;
  c->loop = add_row (c, LS_BAND_SUMMARY, _("Hot loop"));
  c->why = add_row (c, LS_BAND_SUMMARY, _("Why"));
  c->next = add_row (c, LS_BAND_SUMMARY, _("Next"));
  add_machines (c);
  for (guint i = 0; i < c->n; i++) {
    const LsKernel *k = kernel_of (c, i);
    const LsSpread *t = i ? &c->pairs[i].time_b : &c->pairs[0].time_a, *first = &c->pairs[0].time_a;
    if (!k) {
      set_text (name, i, g_strdup (_("no corresponding kernel")));
      continue;
    }
    g_autofree char *valid = ls_text_valid (k->name);
    set_text (name, i, g_strdup_printf ("%u  %s", k->number, valid));
    g_autofree char *compiler = ls_kernel_compiler_label (k);
    set_text (how, i, g_strdup_printf ("%s, %s", k->target, compiler));
    time->text[i] = time_text (k, t);
    c->loop->text[i] = g_strdup (_("Measure tells"));
    c->why->text[i] = g_strdup (_("Measure tells"));
    ratio->text[i] = !i ? g_strdup ("–") : kernel_of (c, 0) && ls_compared_same_code (kernel_of (c, 0), k) ? g_strdup (_("the same code"))
                                                                                                  : ratio_text (first, t);
    rate->text[i] = rate_text (k, t);
    result->text[i] = result_text (c, i);
    result->state[i] = i && g_strcmp0 (result->text[i], _("equal, bit for bit")) != 0 ? LS_LINE_DIFFERS : LS_LINE_SAME;
  }
}

/* --- measured in rounds --- */

/* A column as a variant of the first: its settings that differ, its target, and the options of its kernel. */
static char *
variant_of (const LsCompared *c, guint column, const char *also)
{
  const LsKernel *k = kernel_of (c, column), *first = kernel_of (c, 0);
  GString *s = g_string_new (NULL);
  LsSettings settings, firsts;
  ls_trace_settings (c->traces[0], &firsts);
  ls_trace_settings (c->traces[column], &settings);
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    g_autofree char *text = ls_setting_text (&settings, i), *before = ls_setting_text (&firsts, i);
    if (i->of_code && strcmp (text, before) != 0)
      g_string_append_printf (s, "%s%s", s->len ? "," : "", text);
  }
  if (column && strcmp (k->target, first->target) != 0)
    g_string_append_printf (s, "%starget=%s", s->len ? "," : "", k->target);
  g_auto (GStrv) options = g_strsplit (column ? k->options : "", ",", -1);
  for (guint i = 0; options[i]; i++)
    g_string_append_printf (s, "%sopt=%s", s->len ? "," : "", options[i]);
  if (column && !options[0])
    g_string_append_printf (s, "%sopt=", s->len ? "," : "");
  if (also && *also)
    g_string_append_printf (s, "%s%s", s->len ? "," : "", also);
  return g_string_free (s, FALSE);
}

/* Its graph is the first one's, so that it can be made of it. */
static gboolean
is_variant (const LsCompared *c, guint column)
{
  return c->kernels[column] && (column == 0 || ls_kernel_same_graph (c->traces[column], c->kernels[column], c->traces[0], c->kernels[0]));
}

static gboolean
is_by_hand (const LsCompared *c, guint column)
{
  const LsKernel *k = kernel_of (c, column);
  return k && ls_kernel_by_hand (k);
}

char **
ls_compared_question (LsCompared *c, const char *const *also, const char *seconds, GArray *columns)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *kernel = g_strdup_printf ("%u", c->kernels[0]);
  if (!c->traces[0]->path)
    return NULL;
  g_strv_builder_add_many (words, "compare", "--kernel", kernel, NULL);
  if (seconds)
    g_strv_builder_add_many (words, "--seconds", seconds, NULL);
  g_array_set_size (columns, 0);
  for (guint i = 0; i < c->n; i++) {
    gboolean has_file = also[i] && (g_str_has_prefix (also[i], "c=") || strstr (also[i], ",c="));
    if (!is_variant (c, i) || !also[i] || (is_by_hand (c, i) && !has_file))
      continue;
    g_autofree char *spec = variant_of (c, i, also[i]);
    g_strv_builder_add_many (words, "--variant", spec, NULL);
    g_array_append_val (columns, i);
  }
  if (!columns->len || g_array_index (columns, guint, 0) != 0)      /* nothing to measure the others against */
    return NULL;
  g_strv_builder_add (words, c->traces[0]->path);
  for (guint i = 1; i < c->n; i++)
    /* of another graph: as its own recording has it */
    if (c->kernels[i] && !is_variant (c, i) && !is_by_hand (c, i) && c->traces[i]->path) {
      g_strv_builder_add (words, c->traces[i]->path);
      g_array_append_val (columns, i);
    }
  return g_strv_builder_end (words);
}

/* Takes text. */
static void
replace_text (LsComparedRow *row, guint column, char *text)
{
  g_free (row->text[column]);
  row->text[column] = text;
}

/* The ratio is within what the baseline shows against itself: it is neither faster nor slower (measure/compare-table.h). */
static gboolean
is_withheld (LsRow v, const LsValueRatio *control)
{
  const char *name = ls_read_text (v, "verdict");
  double ratio = ls_read_number (v, "ratio");
  return (g_strcmp0 (name, "faster") == 0 || g_strcmp0 (name, "slower") == 0) && ratio >= control->low && ratio <= control->high;
}

/* A verdict of lazyscope-cli's in words. */
static char *
verdict_text (LsRow v, const LsValueRatio *control)
{
  const char *name = ls_read_text (v, "verdict"), *words = is_withheld (v, control) ? _("within the noise") : ls_verdict_words (name);
  double ratio = ls_read_number (v, "ratio"), low = ls_read_number (v, "ratio_low"),
         high = ls_read_number (v, "ratio_high");
  if (!name || g_strcmp0 (name, "first") == 0 || isnan (low) || isnan (high))
    return g_strdup (words);
  return g_strdup_printf (_("%s: takes %.3g × as long [%.3g, %.3g]"), words, ratio, low, high);
}

static char *
equal_text (LsRow v)
{
  const char *equal = ls_read_text (v, "equal"), *writes = ls_read_text (v, "writes"),
             *changes = ls_read_text (v, "changes");
  double kept = ls_read_number (v, "static_bytes");
  if (changes || writes)
    return g_strdup_printf ("%s; %s%s%s", equal ? equal : "?", changes ? changes : "", changes && writes ? "; " : "", writes ? writes : "");
  if (kept > 0)
    return g_strdup_printf (_("%s in %.0f calls; the code keeps %.0f bytes of variables between calls"), equal ? equal : "?",
                            ls_read_number (v, "calls"), kept);
  if (g_strcmp0 (equal, "bits") == 0)
    return g_strdup (_("equal, bit for bit"));
  if (ls_read_bool (v, "after_timing"))
    return g_strdup (_("differs (after timing)"));
  double ulp = ls_read_number (v, "max_ulp"), error = ls_read_number (v, "max_error");
  g_autofree char *word = ls_text_valid (equal ? equal : "?");
  return isnan (ulp) || ulp <= 0 ? g_strdup (word) : g_strdup_printf (_("%s: at most %.0f ulp, %.3g apart"), word, ulp,
                                                                      isnan (error) ? 0 : error);
}

static char *
loop_text (LsRow v)
{
  LsRow loop = ls_read_row (v, "loop");
  if (!loop.object)
    return g_strdup ("–");
  double n = ls_read_number (loop, "instructions"), bits = ls_read_number (loop, "vector_bits");
  return bits > 0 ? g_strdup_printf (_("%.0f instructions, vectors of %.0f bits"), n, bits)
                  : g_strdup_printf (_("%.0f instructions, no arithmetic of floats or vectors"), n);
}

static void
take_samples (LsComparedTimes *times, LsRow v, const LsValueRatio *control)
{
  const char *verdict = ls_read_text (v, "verdict");
  g_array_set_size (times->samples, 0);
  for (guint i = 0; i < ls_read_n (v, "samples"); i++) {
    double ns = ls_read_number_at (v, "samples", i);
    if (ns > 0)
      g_array_append_val (times->samples, ns);
  }
  times->median = ls_read_number (v, "median_ns");
  times->low = ls_read_number (v, "low_ns");
  times->high = ls_read_number (v, "high_ns");
  if (isnan (times->low) || isnan (times->high))
    times->low = times->high = times->median;
  times->verdict = is_withheld (v, control) ? 0 : g_strcmp0 (verdict, "faster") == 0 ? 1 : g_strcmp0 (verdict, "slower") == 0 ? -1 : 0;
}

static void
take_column (LsCompared *c, guint column, LsRow v, const LsValueRatio *control)
{
  const char *error = ls_read_text (v, "error"), *compiler = ls_read_text (v, "compiler"),
             *version = ls_read_text (v, "version"), *flags = ls_read_text (v, "flags"),
             *why = ls_read_text (v, "why");
  g_autofree char *how = g_strdup_printf ("%s %s %s", compiler ? compiler : "", version ? version : "", flags ? flags : "");
  g_strstrip (how);
  replace_text (c->how, column, error && !ls_read_text (v, "code") ? g_strdup_printf (_("not compiled by %s"), how)
                                                                          : ls_text_valid (how));
  if (error) {
    c->times[column].median = c->times[column].gflops = c->times[column].gbs = 0;
    g_array_set_size (c->times[column].samples, 0);
    replace_text (c->time, column, ls_text_cut (error, 200));
    replace_text (c->ratio, column, g_strdup (_("failed")));
    replace_text (c->rate, column, g_strdup ("–"));
    replace_text (c->result, column, g_strdup (_("none")));
    c->result->state[column] = column ? LS_LINE_DIFFERS : LS_LINE_SAME;
    replace_text (c->loop, column, g_strdup ("–"));
    replace_text (c->why, column, g_strdup ("–"));
    return;
  }
  if (column || ls_read_text (v, "changes") || ls_read_text (v, "writes")) {
    replace_text (c->result, column, equal_text (v));
    c->result->state[column] = column && g_strcmp0 (ls_read_text (v, "equal"), "bits") != 0 ? LS_LINE_DIFFERS : LS_LINE_SAME;
  }
  LsComparedTimes *times = &c->times[column];
  take_samples (times, v, control);
  g_autofree char *median = ls_text_ns (times->median), *low = ls_text_ns (times->low), *high = ls_text_ns (times->high),
                  *cold = ls_text_ns (ls_read_number (v, "cold_ns"));
  if (isnan (times->median)) {
    times->median = 0;
    replace_text (c->time, column, g_strdup (_("not measured: it takes too long for the time budget")));
    replace_text (c->ratio, column, g_strdup ("–"));
    replace_text (c->rate, column, g_strdup ("–"));
    replace_text (c->loop, column, loop_text (v));
    replace_text (c->why, column, g_strdup ("–"));
    return;
  }
  replace_text (c->time, column, g_strdup_printf (_("%s [%s, %s], caches cold %s"), median, low, high, cold));
  replace_text (c->ratio, column, verdict_text (v, control));
  double gflops = ls_read_number (v, "gflops");      /* none of code whose work is not known */
  double gbs = ls_read_number (v, "gbs");
  times->gflops = isnan (gflops) ? 0 : gflops;
  times->gbs = isnan (gbs) ? 0 : gbs;
  replace_text (c->rate, column, isnan (gflops) ? g_strdup ("–") : gflops > 0 ? g_strdup_printf ("%.2f GFLOPS, %.2f GB/s", gflops, gbs)
                                                                              : g_strdup_printf ("%.2f GB/s", gbs));
  if (is_by_hand (c, column) && g_strcmp0 (ls_read_text (v, "source"), kernel_of (c, column)->source) != 0)
    replace_text (c->result, column, g_strdup_printf (_("%s; the C file has changed since: run it again"), c->result->text[column]));
  replace_text (c->loop, column, loop_text (v));
  const char *mca = ls_read_text (v, "mca"), *said = ls_read_text (v, "next");
  g_autofree char *reason = ls_sentence_shown (why ? why : mca ? "" : "–"), *simulated = ls_sentence_shown (mca ? mca : ""),
                  *next = ls_sentence_shown (said ? said : "");
  g_autofree char *both = g_strstrip (g_strjoin (" ", reason, simulated, NULL));
  replace_text (c->why, column, ls_text_cut (both, 500));
  replace_text (c->next, column, ls_text_cut (next, 500));
}

/* --- lines --- */

/* What a measurement says of each line of a column's code: the line of the source, and cycles or NaN. */
typedef struct { guint n; guint *line; double *cycles; } Costs;

/* "  7  0.50  " before an instruction, " 12.00  " before a line of the source, whose own number is in the margin. */
static char *
prefix_text (const Costs *costs, guint at, gboolean numbers)
{
  gboolean known = at < costs->n && costs->line[at], timed = at < costs->n && costs->cycles[at] > 0;
  g_autofree char *line = known ? g_strdup_printf ("%u", costs->line[at]) : g_strdup ("");
  g_autofree char *cycles = timed ? g_strdup_printf ("%.2f", costs->cycles[at]) : g_strdup ("");
  return numbers ? g_strdup_printf ("%4s %6s  ", line, cycles) : g_strdup_printf ("%6s  ", cycles);
}

static void
add_costs (LsComparedRow *row, guint n, guint column, const Costs *costs, guint at, gboolean numbers)
{
  row->line = row->line ? row->line : g_new0 (guint, n);
  row->line[column] = at < costs->n ? costs->line[at] : 0;
  g_autofree char *prefix = prefix_text (costs, at, numbers), *text = row->text[column];
  row->prefix = (guint) strlen (prefix);
  row->text[column] = g_strconcat (prefix, text, NULL);
}

/* lines: of each column (GStrv), which are matched by keys. numbers: whether rows are numbered by the first. costs: of each column, or
 * NULL: nothing was measured. */
static void
add_lines (LsCompared *c, LsBand band, char ***lines, char ***keys, gboolean numbers, const Costs *costs)
{
  guint n_rows;
  g_autoptr (GArray) cells = ls_line_align (keys, c->n, &n_rows);
  for (guint r = 0; r < n_rows; r++) {
    const LsLineCell *first = &g_array_index (cells, LsLineCell, r * c->n);
    g_autofree char *number = numbers && first->line >= 0 ? g_strdup_printf ("%d", first->line + 1) : NULL;
    LsComparedRow *row = add_row (c, band, number);
    for (guint i = 0; i < c->n; i++) {
      const LsLineCell *cell = &g_array_index (cells, LsLineCell, r * c->n + i);
      row->text[i] = cell->line >= 0 ? ls_text_valid (lines[i][cell->line]) : NULL;
      row->state[i] = (guint8) cell->state;
      if (costs && cell->line >= 0)
        add_costs (row, c->n, i, &costs[i], (guint) cell->line, band == LS_BAND_CODE);
    }
  }
}

static LsComparedRow *
add_heading (LsCompared *c, LsBand band, const char *label)
{
  add_row (c, (LsBand) (band - 1), NULL);      /* room between two bands */
  LsComparedRow *row = add_row (c, band, label);
  row->heading = TRUE;
  return row;
}

typedef char **(*Lines) (LsTrace *trace, const LsKernel *kernel);

static char **
no_lines (void)
{
  return g_new0 (char *, 1);
}

static char **
split_lines (const char *text)
{
  char **lines = g_strsplit (text ? text : "", "\n", -1);
  guint n = g_strv_length (lines);
  if (n && !*lines[n - 1])
    g_clear_pointer (&lines[n - 1], g_free);
  return lines;
}

/* Each with who chose it and why, refused ones too, where that was recorded. */
static char **
option_lines (LsTrace *trace, const LsKernel *kernel)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  if (!kernel->choices->len)
    return g_strsplit (kernel->options, ",", -1);
  for (guint i = 0; i < kernel->choices->len; i++) {
    const LsKernelOption *o = &g_array_index (kernel->choices, LsKernelOption, i);
    g_autofree char *more = ls_sentence_shown (o->refusal ? o->refusal : o->why);
    const char *by_hand = g_str_has_prefix (o->text, LS_BY_HAND) ? o->text + strlen (LS_BY_HAND) : NULL;
    g_autofree char *line = by_hand ? g_strdup_printf (_("hand-written: %s"), by_hand)
                                    : g_strdup_printf (o->refusal ? _("%s refused%s%s") : "%s%s%s", o->text, *more ? ": " : "", more);
    g_strv_builder_add (out, line);
  }
  return g_strv_builder_end (out);
}

/* The schedule's decision about it: the stored tensor, the reason, and the tensors that are computed on the way. */
static char **
decision_lines (LsTrace *trace, const LsKernel *kernel)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (guint i = 0; i < trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (trace->decisions, LsDecision, i);
    LsUOp *node = d->kernel == kernel->number ? ls_context_node (trace->ctx, d->node) : NULL;
    if (!node)
      continue;
    g_autofree char *summary = ls_uop_summary (node), *short_name = ls_text_cut (summary, 40), *reason = ls_text_reason (d->reason);
    g_autofree char *line = g_strdup_printf (d->realized ? _("%s is stored: %s") : _("%s is not stored: %s"), short_name, reason);
    g_strv_builder_add (out, line);
  }
  return g_strv_builder_end (out);
}

static const char *
after_prefix (const char *text, const char *prefix)
{
  return g_str_has_prefix (text, prefix) ? text + strlen (prefix) : text;
}

#define MOST_WIDTH 24      /* of a listing's column: wider text pushes the rest of its row */

/* Columns no wider than this list needs, because space is limited next to each other; the argument is before the sources, which may be
 * many. */
static char **
uop_lines (LsTrace *trace, const LsKernel *kernel)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (trace, kernel);
  g_autoptr (GArray) rows = ls_listing_rows (trace->ctx, list->len, (LsUOp **) list->pdata, ls_trace_style (trace));
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  gsize op = 0, dtype = 0;
  for (guint i = 0; i < rows->len; i++) {
    const LsListingRow *row = &g_array_index (rows, LsListingRow, i);
    g_autofree char *shown = ls_text_dtype (row->dtype);
    op = MAX (op, strlen (after_prefix (row->op, "Ops.")));
    dtype = MAX (dtype, (gsize) g_utf8_strlen (shown, -1));
  }
  for (guint i = 0; i < rows->len; i++) {
    const LsListingRow *row = &g_array_index (rows, LsListingRow, i);
    g_autofree char *shown = ls_text_dtype (row->dtype);
    int width = (int) MIN (dtype, MOST_WIDTH) + (int) (strlen (shown) - (gsize) g_utf8_strlen (shown, -1));      /* printf counts bytes */
    const char *arg = g_str_equal (row->arg, "None") ? "" : row->arg;
    g_autofree char *line = g_strdup_printf ("%4u %-*s %-*s %s%s[%s]", i, (int) MIN (op, MOST_WIDTH), after_prefix (row->op, "Ops."), width,
                                             shown, arg, *arg ? " " : "", row->src);
    g_strv_builder_add (out, line);
  }
  return g_strv_builder_end (out);
}

static char **
source_lines (LsTrace *trace, const LsKernel *kernel)
{
  return split_lines (kernel->source);
}

static char **
code_lines (LsTrace *trace, const LsKernel *kernel)
{
  g_autoptr (GArray) code = ls_disassemble (kernel->code, kernel->code ? kernel->n_code : 0, kernel->code_address, kernel->code_lines);
  g_autofree char *text = ls_instructions_print (code);
  return split_lines (text);
}

/* A row of a listing without its number and those of its operands, which shift with every row above. */
static char *
row_key (const char *line)
{
  GString *key = g_string_new (NULL);
  gboolean inside = FALSE, quoted = FALSE;
  for (const char *p = line + strspn (line, " 0123456789"); *p; p++) {
    inside = *p == '[' ? TRUE : *p == ']' ? FALSE : inside;
    quoted = inside && *p == '\'' ? !quoted : inside && quoted;
    if (!inside || quoted || !g_ascii_isdigit (*p))
      g_string_append_c (key, *p);
  }
  return g_string_free (key, FALSE);
}

static char **
keys_of (char **lines)
{
  char **keys = g_new0 (char *, g_strv_length (lines) + 1);
  for (guint i = 0; lines[i]; i++)
    keys[i] = row_key (lines[i]);
  return keys;
}

static void
add_band (LsCompared *c, LsBand band, const char *label, Lines of, gboolean numbers)
{
  char ***lines = g_new0 (char **, c->n), ***keys = g_new0 (char **, c->n);
  LsComparedRow *heading = add_heading (c, band, label);
  for (guint i = 0; i < c->n; i++) {
    const LsKernel *k = kernel_of (c, i);
    gboolean of_other = k && ls_kernel_by_hand (k) && band == LS_BAND_UOPS;      /* those of the kernel that it represents */
    lines[i] = k && !of_other ? of (c->traces[i], k) : no_lines ();
    guint n = g_strv_length (lines[i]);
    if (band == LS_BAND_OPTIONS || band == LS_BAND_DECISIONS)
      heading->text[i] = n ? NULL : g_strdup (_("none"));
    else
      heading->text[i] = g_strdup_printf (ngettext ("%u line", "%u lines", n), n);
  }
  for (guint i = 0; i < c->n; i++)
    keys[i] = band == LS_BAND_UOPS ? keys_of (lines[i]) : g_strdupv (lines[i]);
  add_lines (c, band, lines, keys, numbers, NULL);
  for (guint i = 0; i < c->n; i++) {
    g_strfreev (lines[i]);
    g_strfreev (keys[i]);
  }
  g_free (lines);
  g_free (keys);
}

/* --- rewrites --- */

static GPtrArray *
passes_of (LsTrace *trace, const LsKernel *kernel)
{
  GPtrArray *out = g_ptr_array_new ();
  guint number = kernel && kernel->same_as > 0 ? (guint) kernel->same_as : kernel ? kernel->number : 0;
  for (guint i = 0; kernel && i < trace->passes->len; i++) {
    LsPass *p = trace->passes->pdata[i];
    if (p->kernel == number && p->kind == LS_PASS_REWRITE)
      g_ptr_array_add (out, p);
  }
  return out;
}

/* Where a column's kernel would have a pass that it does not have: at the end of the last pass that comes before that one. */
static LsPosition
place_without (const LsCompared *c, guint column, const LsPass *missing)
{
  LsTrace *trace = c->traces[column];
  g_autoptr (GPtrArray) own = passes_of (trace, ls_trace_kernel (trace, c->kernels[column])),
                        others = passes_of (missing->trace, ls_trace_kernel (missing->trace, missing->kernel));
  LsPosition at = { trace, own->len ? own->pdata[0] : NULL, 0 };
  for (guint i = 0; i < others->len && others->pdata[i] != missing; i++)
    for (guint k = 0; k < own->len; k++)
      if (strcmp (((LsPass *) own->pdata[k])->name, ((LsPass *) others->pdata[i])->name) == 0)
        at = (LsPosition) { trace, own->pdata[k], ls_pass_n_rewrites (own->pdata[k]) };
  return at;
}

gboolean
ls_compared_parting (const LsCompared *c, guint column, LsPosition *first, LsPosition *there)
{
  if (column == 0 || column >= c->n || !c->kernels[column])
    return FALSE;
  const LsKernelPair *p = &c->pairs[column];
  if (p->pass_a < 0 && p->pass_b < 0)
    return FALSE;
  const LsPass *a = p->pass_a < 0 ? NULL : c->traces[0]->passes->pdata[p->pass_a],
               *b = p->pass_b < 0 ? NULL : c->traces[column]->passes->pdata[p->pass_b];
  *first = a ? (LsPosition) { c->traces[0], a, MIN (p->step_a, ls_pass_n_rewrites (a)) } : place_without (c, 0, b);
  *there = b ? (LsPosition) { c->traces[column], b, MIN (p->step_b, ls_pass_n_rewrites (b)) } : place_without (c, column, a);
  return first->pass && there->pass;
}

static char *
parting_text (const LsCompared *c, guint column, guint n_steps)
{
  LsPosition first, there;
  g_autofree char *steps = g_strdup_printf (ngettext ("%u step", "%u steps", n_steps), n_steps);
  if (column == 0 || !c->kernels[column])
    return g_steal_pointer (&steps);
  const LsKernelPair *p = &c->pairs[column];
  if (p->same)
    return g_strdup_printf (_("%s, the same"), steps);
  if (!ls_compared_parting (c, column, &first, &there))
    return g_strdup_printf (_("%s; other passes"), steps);
  if (p->pass_b < 0)
    return g_strdup_printf (_("%s; has no pass %s"), steps, first.pass->name);
  if (p->pass_a < 0)
    return g_strdup_printf (_("%s; has a pass %s, the first has none"), steps, there.pass->name);
  g_autofree char *place = ls_position_print (&there), *rule = ls_text_valid (p->rule_b ? p->rule_b : "");
  if (strcmp (first.pass->name, there.pass->name) != 0)
    return g_strdup_printf (_("%s; has %s where the first has %s"), steps, there.pass->name, first.pass->name);
  return *rule ? g_strdup_printf (_("%s; differs from "
                                    "%s, %s on"), steps, place, rule) : g_strdup_printf (_("%s; ends before %s"), steps, place);
}

/* "3/options/1: RANGE i:512 is split" of a step, or that there is no such step. */
static char *
step_text (const LsPosition *at)
{
  g_autofree char *place = ls_position_print (at);
  if (at->step == 0 || at->step > ls_pass_n_rewrites (at->pass))
    return g_strdup_printf (_("%s: no further step"), place);
  g_autofree char *sentence = ls_step_sentence_shown (at->trace, at->pass, at->step, NULL),
                  *line = ls_text_cut (sentence ? sentence : "", 300);
  return g_strdup_printf ("%s: %s", place, line);
}

/* Where a column parts from the first, both sides. Of the first the step is that of the first column that parts. */
static void
add_parting (LsCompared *c)
{
  LsComparedRow *row = NULL;
  for (guint i = 1; i < c->n; i++) {
    LsPosition first, there;
    if ((kernel_of (c, i) && ls_kernel_by_hand (kernel_of (c, i))) || !ls_compared_parting (c, i, &first, &there))
      continue;
    row = row ? row : add_row (c, LS_BAND_REWRITES, _("Parts at"));
    if (!row->text[0])
      row->text[0] = step_text (&first);
    row->text[i] = step_text (&there);
    row->state[i] = LS_LINE_DIFFERS;
  }
}

static void
add_rewrites (LsCompared *c)
{
  LsComparedRow *heading = add_heading (c, LS_BAND_REWRITES, _("Rewrites"));
  char ***names = g_new0 (char **, c->n), ***texts = g_new0 (char **, c->n);
  for (guint i = 0; i < c->n; i++) {
    gboolean by_hand = kernel_of (c, i) && ls_kernel_by_hand (kernel_of (c, i));
    g_autoptr (GPtrArray) passes = by_hand ? g_ptr_array_new () : passes_of (c->traces[i], kernel_of (c, i));
    g_autoptr (GStrvBuilder) name = g_strv_builder_new (), text = g_strv_builder_new ();
    guint all = 0;
    for (guint k = 0; k < passes->len; k++) {
      const LsPass *p = passes->pdata[k];
      guint n = ls_pass_n_rewrites (p);
      g_autofree char *steps = g_strdup_printf (ngettext ("%s: %u step", "%s: %u steps", n), p->name, n);
      g_strv_builder_add (name, p->name);
      g_strv_builder_add (text, steps);
      all += n;
    }
    names[i] = g_strv_builder_end (name);
    texts[i] = g_strv_builder_end (text);
    heading->text[i] = by_hand ? g_strdup (_("hand-written: no rewrites")) : parting_text (c, i, all);
    heading->state[i] = i && c->kernels[i] && (by_hand || !c->pairs[i].same) ? LS_LINE_DIFFERS : LS_LINE_SAME;
  }
  add_parting (c);
  guint n_rows;
  g_autoptr (GArray) cells = ls_line_align (names, c->n, &n_rows);
  for (guint r = 0; r < n_rows; r++) {
    LsComparedRow *row = add_row (c, LS_BAND_REWRITES, NULL);
    for (guint i = 0; i < c->n; i++) {
      const LsLineCell *cell = &g_array_index (cells, LsLineCell, r * c->n + i);
      if (cell->line >= 0)
        set_text (row, i, ls_text_valid (texts[i][cell->line]));
      else
        row->state[i] = LS_LINE_MISSING;
    }
  }
  for (guint i = 0; i < c->n; i++) {
    g_strfreev (names[i]);
    g_strfreev (texts[i]);
  }
  g_free (names);
  g_free (texts);
}

/* --- the machine code that was timed --- */

static void
costs_init (Costs *costs, guint n)
{
  *costs = (Costs) { n, g_new0 (guint, n + 1), g_new0 (double, n + 1) };
}

static void
costs_clear (Costs *costs)
{
  g_free (costs->line);
  g_free (costs->cycles);
}

static void
read_costs (Costs *costs, LsRow v)
{
  costs_init (costs, ls_read_n (v, "instructions"));
  for (guint i = 0; i < costs->n; i++) {
    LsRow k = ls_read_at (v, "instructions", i);
    double cycles = ls_read_number (k, "cycles");
    costs->line[i] = ls_read_count (k, "line");
    costs->cycles[i] = isnan (cycles) ? 0 : cycles;
  }
}

/* The lines of a source, each with the cycles of its instructions. */
static void
sum_costs (Costs *of_lines, guint n, const Costs *costs)
{
  costs_init (of_lines, n);
  for (guint i = 0; i < costs->n; i++)
    if (costs->line[i] > 0 && costs->line[i] <= n) {
      of_lines->line[costs->line[i] - 1] = costs->line[i];
      of_lines->cycles[costs->line[i] - 1] += costs->cycles[i];
    }
}

static void
take_source (LsCompared *c, const Costs *costs)
{
  g_autofree char ***lines = g_new0 (char **, c->n);
  g_autofree Costs *of_lines = g_new0 (Costs, c->n);
  LsComparedRow *heading = add_heading (c, LS_BAND_SOURCE, _("Source"));
  for (guint i = 0; i < c->n; i++) {
    const LsKernel *k = kernel_of (c, i);
    lines[i] = k ? source_lines (c->traces[i], k) : no_lines ();
    guint n = g_strv_length (lines[i]);
    sum_costs (&of_lines[i], n, &costs[i]);
    heading->text[i] = costs[i].n ? g_strdup_printf (ngettext ("%u line, cycles by llvm-mca", "%u lines, cycles by llvm-mca", n), n)
                                  : g_strdup_printf (ngettext ("%u line", "%u lines", n), n);
  }
  add_lines (c, LS_BAND_SOURCE, lines, lines, TRUE, of_lines);
  for (guint i = 0; i < c->n; i++) {
    g_strfreev (lines[i]);
    costs_clear (&of_lines[i]);
  }
}

/* In place of the recordings' code: of a column that was not measured its own stays. */
static void
take_code (LsCompared *c, LsRow answer, const GArray *columns)
{
  g_autofree char ***lines = g_new0 (char **, c->n);
  g_autofree Costs *costs = g_new0 (Costs, c->n);
  for (guint i = 0; i < MIN (columns->len, ls_read_n (answer, "variants")); i++)
    read_costs (&costs[g_array_index (columns, guint, i)], ls_read_at (answer, "variants", i));
  g_ptr_array_set_size (c->rows, (int) ls_compared_band (c, LS_BAND_SOURCE) - 1);      /* the last two, with room above */
  take_source (c, costs);
  LsComparedRow *heading = add_heading (c, LS_BAND_CODE, _("Machine code"));
  for (guint i = 0; i < MIN (columns->len, ls_read_n (answer, "variants")); i++) {
    guint column = g_array_index (columns, guint, i);
    const char *code = ls_read_text (ls_read_at (answer, "variants", i), "code");
    lines[column] = code ? split_lines (code) : no_lines ();
    guint n = g_strv_length (lines[column]);
    heading->text[column] = !n ? g_strdup (_("none"))
                            : g_strdup_printf (ngettext ("%u line, as measured: source line, cycles",
                                                         "%u lines, as measured: source line, cycles", n), n);
  }
  for (guint i = 0; i < c->n; i++)
    if (!lines[i]) {
      lines[i] = kernel_of (c, i) ? code_lines (c->traces[i], kernel_of (c, i)) : no_lines ();
      guint n = g_strv_length (lines[i]);
      heading->text[i] = g_strdup_printf (ngettext ("%u line, of the recording", "%u lines, of the recording", n), n);
    }
  add_lines (c, LS_BAND_CODE, lines, lines, TRUE, costs);
  for (guint i = 0; i < c->n; i++) {
    g_strfreev (lines[i]);
    costs_clear (&costs[i]);
  }
}

static void
take_roofs (LsCompared *c, LsRow speed)
{
  c->roofs = (LsMachineRoofs) { 0 };
  if (!speed.object || ls_read_n (speed, "read_gbs") != LS_N_ROOFS || !(ls_read_number (speed, "gflops") > 0))
    return;
  c->roofs.gflops = ls_read_number (speed, "gflops");
  c->roofs.fused_gflops = MAX (ls_read_number (speed, "fused_gflops"), c->roofs.gflops);
  for (guint i = 0; i < LS_N_ROOFS; i++)
    c->roofs.gbs[i] = MAX (ls_read_number_at (speed, "read_gbs", i), 1e-3);
}

char *
ls_compared_take (LsCompared *c, LsRow answer, const GArray *columns)
{
  LsValueRatio control = ls_read_ratio (ls_read_row (answer, "noise"), "ratio");
  for (guint i = 0; i < c->n; i++) {
    const char *none = !c->kernels[i] ? _("not measured: there is no corresponding kernel")
                       : i && ls_compared_same_code (kernel_of (c, 0), kernel_of (c, i)) ? _("the same code") : NULL;
    if (!none)
      none = is_by_hand (c, i) ? _("not measured: run the hand-written code in this window first") : _("not measured yet");
    replace_text (c->ratio, i, g_strdup (none));
    replace_text (c->loop, i, g_strdup ("–"));
    replace_text (c->why, i, g_strdup ("–"));
    replace_text (c->next, i, NULL);
  }
  for (guint i = 0; i < MIN (columns->len, ls_read_n (answer, "variants")); i++) {
    LsRow v = ls_read_at (answer, "variants", i);
    if (v.object)
      take_column (c, g_array_index (columns, guint, i), v, &control);
  }
  take_code (c, answer, columns);
  take_roofs (c, ls_read_row (answer, "speed"));
  LsRow noise = ls_read_row (answer, "noise");
  double low = ls_read_number (noise, "ratio_low"), high = ls_read_number (noise, "ratio_high"),
         rounds = ls_read_number (noise, "rounds"), seconds = ls_read_number (noise, "seconds");
  if (isnan (rounds))
    return g_strdup (_("Measured in rounds."));
  return isnan (low) ? g_strdup_printf (_("Measured in %.0f rounds, %.1f s."), rounds, seconds) :
         g_strdup_printf (_("Measured in %.0f rounds, %.1f s. The baseline against itself: [%.3g, %.3g]."), rounds, seconds, low, high);
}

/* --- all --- */

LsCompared *
ls_compared_new (LsTrace *const *traces, guint n, const guint *kernels, gboolean rows)
{
  g_return_val_if_fail (n > 0, NULL);
  LsCompared *c = g_new0 (LsCompared, 1);
  c->n = n;
  c->traces = g_new (LsTrace *, n);
  c->kernels = g_new0 (guint, n);
  c->pairs = g_new0 (LsKernelPair, n);
  c->times = g_new0 (LsComparedTimes, n);
  c->rows = g_ptr_array_new_with_free_func (row_free);
  for (guint i = 0; i < n; i++) {
    c->traces[i] = ls_trace_ref (traces[i]);
    c->kernels[i] = kernels[i];
    c->pairs[i] = rows && c->kernels[i] ? ls_kernel_diff (traces[0], kernels[0], traces[i], kernels[i], NULL) : (LsKernelPair) {
      .pass_a = -1, .pass_b = -1 };
  }
  for (guint i = 0; i < n; i++)
    take_repeats (c, i);
  if (!rows)
    return c;
  add_summary (c);
  add_band (c, LS_BAND_OPTIONS, _("Options"), option_lines, FALSE);
  add_band (c, LS_BAND_DECISIONS, _("Decisions"), decision_lines, FALSE);
  add_rewrites (c);
  add_band (c, LS_BAND_UOPS, _("UOps"), uop_lines, TRUE);
  add_band (c, LS_BAND_SOURCE, _("Source"), source_lines, TRUE);
  add_band (c, LS_BAND_CODE, _("Machine code"), code_lines, TRUE);
  return c;
}

void
ls_compared_free (LsCompared *c)
{
  if (!c)
    return;
  for (guint i = 0; i < c->n; i++) {
    ls_trace_unref (c->traces[i]);
    g_array_unref (c->times[i].samples);
  }
  g_free (c->times);
  g_free (c->traces);
  g_free (c->kernels);
  g_free (c->pairs);
  g_ptr_array_unref (c->rows);
  g_free (c);
}

guint
ls_compared_band (const LsCompared *c, LsBand band)
{
  for (guint i = 0; i < c->rows->len; i++)
    if (((const LsComparedRow *) c->rows->pdata[i])->band == band)
      return i;
  return G_MAXUINT;
}
