/* See compared-table.h. */
#include "compared-table.h"
#include "ask/ask.h"
#include "kit/text.h"
#include "ir/sentence.h"
#include "trace/place.h"
#include "verdict.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- making it --- */

gboolean
ls_compared_same_code (const LsKernel *a, const LsKernel *b)
{
  const struct { const char *a, *b; } texts[] = { { a->source, b->source }, { a->target, b->target }, { a->compiler, b->compiler },
                                                  { a->compiler_version, b->compiler_version }, { a->flags, b->flags } };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_strcmp0 (texts[i].a, texts[i].b) != 0)
      return FALSE;
  return a->source != NULL;
}

/* Where the rewrites of two kernels part, in words. */
static char *
difference_text (const LsComparedTable *t, guint run, const LsKernelPair *p)
{
  const LsPass *pass = p->pass_a >= 0 ? t->traces[0]->passes->pdata[p->pass_a] : NULL,
               *other = p->pass_b >= 0 ? t->traces[run]->passes->pdata[p->pass_b] : NULL;
  const char *rule = p->rule_b && *p->rule_b ? p->rule_b : p->rule_a;
  if (!pass && !other)
    return ls_sentence (N_("Its source differs, its rewrites do not."));
  if (!pass || !other)
    return ls_sentence (N_("Differs first in the pass %s."), (pass ? pass : other)->name);
  return rule && *rule ? ls_sentence (N_("Differs first at step %u of %s (%s)."), p->step_a, pass->name, rule)
                       : ls_sentence (N_("Differs first at step %u of %s."), p->step_a, pass->name);
}

/* The first run whose code differs, or 0. */
static guint
first_other (const LsKernelRow *row)
{
  for (guint i = 1; i < row->n; i++)
    if (!row->cells[i].same_text && !row->cells[i].absent)
      return i;
  return 0;
}

/* What differs first in each row: a run's kernels together, as recordings are looked through for it. */
static void
find_differences (LsComparedTable *t)
{
  for (guint run = 1; run < t->n; run++) {
    g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (LsKernelPair)), rows = g_array_new (FALSE, FALSE, sizeof (guint));
    for (guint i = 0; i < t->rows->len; i++) {
      const LsKernelRow *row = t->rows->pdata[i];
      LsKernelPair pair = { .a = row->kernel, .b = t->numbers[run][row->kernel] };
      if (first_other (row) != run)
        continue;
      g_array_append_val (pairs, pair);
      g_array_append_val (rows, i);
    }
    if (pairs->len)
      ls_kernels_diff (t->traces[0], t->traces[run], pairs->len, (LsKernelPair *) (gpointer) pairs->data);
    for (guint i = 0; i < pairs->len; i++)
      ((LsKernelRow *) t->rows->pdata[g_array_index (rows, guint, i)])->differs =
        difference_text (t, run, &g_array_index (pairs, LsKernelPair, i));
  }
}

/* What differs is on top. */
static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const LsKernelRow *x = *(const LsKernelRow *const *) a, *y = *(const LsKernelRow *const *) b;
  int order = ls_kernel_row_differs (y) - ls_kernel_row_differs (x);
  return order ? order : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

LsComparedTable *
ls_compared_table_new (LsTrace *const *traces, const char *const *names, guint n)
{
  LsComparedTable *t = g_new0 (LsComparedTable, 1);
  guint n_kernels = traces[0]->kernels->len;
  g_autofree guint *lines = ls_kernel_lines (traces[0]);
  t->n = n;
  t->traces = g_new (LsTrace *, n);
  t->names = g_new0 (char *, n + 1);
  t->numbers = g_new0 (guint *, n);
  t->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_kernel_row_free);
  t->compilers = g_ptr_array_new_with_free_func (g_free);
  t->strings = g_string_chunk_new (256);
  for (guint i = 0; i < n; i++) {
    t->traces[i] = ls_trace_ref (traces[i]);
    t->names[i] = ls_text_valid (names[i]);
    if (i)
      t->numbers[i] = ls_kernels_corresponding (traces[0], traces[i]);
  }
  t->numbers[0] = g_new0 (guint, n_kernels + 1);
  for (guint k = 1; k <= n_kernels; k++) {
    const LsKernel *kernel = ls_trace_kernel (traces[0], k);
    t->numbers[0][k] = k;
    if (kernel->same_as > 0)
      continue;
    LsKernelRow *row = ls_kernel_row_new (n);
    ls_kernel_row_describe (row, traces[0], k, lines);
    for (guint i = 1; i < n; i++) {
      const LsKernel *other = ls_trace_kernel (traces[i], t->numbers[i][k]);
      row->cells[i].absent = !other;
      row->cells[i].same_text = other && ls_compared_same_code (kernel, other);
    }
    g_ptr_array_add (t->rows, row);
  }
  g_ptr_array_sort (t->rows, compare_rows);
  find_differences (t);
  return t;
}

void
ls_compared_table_free (LsComparedTable *t)
{
  if (!t)
    return;
  for (guint i = 0; i < t->n; i++) {
    ls_trace_unref (t->traces[i]);
    g_free (t->numbers[i]);
  }
  g_free (t->traces);
  g_free (t->numbers);
  g_strfreev (t->names);
  g_ptr_array_unref (t->rows);
  g_ptr_array_unref (t->compilers);
  g_free (t->machine);
  g_string_chunk_free (t->strings);
  g_free (t);
}

guint
ls_compared_table_row (const LsComparedTable *t, guint kernel)
{
  const LsKernel *k = ls_trace_kernel (t->traces[0], kernel);
  guint of = k && k->same_as > 0 ? (guint) k->same_as : kernel;
  for (guint i = 0; i < t->rows->len; i++)
    if (((const LsKernelRow *) t->rows->pdata[i])->kernel == of)
      return i;
  return G_MAXUINT;
}

/* --- what was measured --- */

static LsTimeVerdict
verdict_of (const char *name)
{
  for (guint i = 0; name && i < LS_N_TIMES; i++)
    if (g_str_equal (ls_time_verdict_name ((LsTimeVerdict) i), name))
      return (LsTimeVerdict) i;
  return LS_TIME_UNCLEAR;
}

static LsEquality
equality_of (const char *name)
{
  for (guint i = 0; name && i < LS_N_EQUALS; i++)
    if (g_str_equal (ls_equality_names[i], name))
      return (LsEquality) i;
  return LS_EQUAL_NONE;
}

static const char *
kept (LsComparedTable *t, const char *text)
{
  return text ? g_string_chunk_insert_const (t->strings, text) : NULL;
}

static void
note_compiler (LsComparedTable *t, LsRow v)
{
  const char *compiler = ls_read_text (v, "compiler"), *version = ls_read_text (v, "version"), *flags = ls_read_text (v, "flags");
  char *label = g_strstrip (g_strdup_printf ("%s %s %s", compiler ? compiler : "", version ? version : "", flags ? flags : ""));
  for (guint i = 0; i < t->compilers->len; i++)
    if (g_str_equal (t->compilers->pdata[i], label)) {
      g_free (label);
      return;
    }
  g_ptr_array_add (t->compilers, label);
}

static void
take_cell (LsComparedTable *t, LsRunCell *cell, LsRow v)
{
  LsValueRatio ratio = ls_read_ratio (v, "ratio"), behind = ls_read_ratio (v, "behind");
  cell->error = kept (t, ls_read_text (v, "error"));
  cell->equality = equality_of (ls_read_text (v, "equal"));
  double ulp = ls_read_number (v, "max_ulp");
  cell->max_ulp = isnan (ulp) ? 0 : (guint64) ulp;
  cell->ns = ls_read_number (v, "median_ns");
  cell->timed = !isnan (cell->ns) && !cell->error;
  cell->why = kept (t, ls_read_text (v, "why"));
  cell->next = kept (t, ls_read_text (v, "next"));
  cell->try = kept (t, ls_read_text (v, "try"));
  if (!cell->timed)
    return;
  cell->verdict = verdict_of (ls_read_text (v, "verdict"));
  cell->same_text |= cell->verdict == LS_TIME_SAME;
  cell->low = ls_read_number (v, "low_ns");
  cell->high = ls_read_number (v, "high_ns");
  cell->ratio = ratio.ratio;
  cell->ratio_low = ratio.low;
  cell->ratio_high = ratio.high;
  cell->behind_low = behind.low;
  note_compiler (t, v);
}

void
ls_compared_table_take (LsComparedTable *t, guint kernel, LsRow answer, const GArray *columns)
{
  guint at = ls_compared_table_row (t, kernel);
  if (at == G_MAXUINT)
    return;
  LsKernelRow *row = t->rows->pdata[at];
  for (guint i = 0; i < MIN (columns->len, ls_read_n (answer, "variants")); i++) {
    guint column = g_array_index (columns, guint, i);
    LsRow v = ls_read_at (answer, "variants", i);
    if (column < t->n && v.object)
      take_cell (t, &row->cells[column], v);
  }
  LsRow noise = ls_read_row (answer, "noise");
  LsValueRatio control = ls_read_ratio (noise, "ratio");
  row->control = control.ratio;
  row->control_low = control.low;
  row->control_high = control.high;
  row->n_rounds = ls_read_count (noise, "rounds");
  if (ls_read_text (answer, "machine"))
    ls_text_set (&t->machine, ls_read_text (answer, "machine"));
}

char *
ls_compared_table_facts (const LsComparedTable *t)
{
  guint least = G_MAXUINT, most = 0;
  const LsKernelRow *noisy = NULL;
  for (guint i = 0; i < t->rows->len; i++) {
    const LsKernelRow *k = t->rows->pdata[i];
    if (!k->n_rounds)
      continue;
    least = MIN (least, k->n_rounds);
    most = MAX (most, k->n_rounds);
    if (ls_kernel_row_differs (k) && !isnan (k->control_low) && (!noisy || fabs (k->control - 1) > fabs (noisy->control - 1)))
      noisy = k;
  }
  if (!most)
    return NULL;
  g_autoptr (GString) s = g_string_new (NULL);
  for (guint i = 0; i < t->compilers->len; i++)
    g_string_append_printf (s, "%s%s", i ? ", " : "", (const char *) t->compilers->pdata[i]);
  g_autofree char *machine = t->machine ? ls_sentence_shown (t->machine) : NULL;
  if (machine)
    g_string_append_printf (s, " · %s", machine);
  if (least == most)
    g_string_append_printf (s, ngettext (" · %u round in random order", " · %u rounds in random order", most), most);
  else
    g_string_append_printf (s, _(" · %u to %u rounds in random order"), least, most);
  if (noisy)
    g_string_append_printf (s, _(" · noise: the baseline against itself takes %.3f [%.3f, %.3f] of its time"), noisy->control,
                            noisy->control_low, noisy->control_high);
  return ls_text_valid (s->str);
}

/* --- cells --- */

static char *
bytes_text (double bytes)
{
  g_autofree char *size = g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_DEFAULT);
  return g_strdup (size);
}

char *
ls_compared_table_title (const LsComparedTable *t, guint at)
{
  const LsKernelRow *k = t->rows->pdata[at];
  g_autofree char *name = k->name ? ls_text_valid (k->name) : NULL;
  return name && k->line ? g_strdup_printf (_("%s · line %u"), name, k->line)
         : k->line ? g_strdup_printf (_("line %u"), k->line) : g_strdup_printf (_("kernel %u"), k->kernel);
}

char *
ls_compared_table_kernel (const LsComparedTable *t, guint at)
{
  const LsKernelRow *k = t->rows->pdata[at];
  g_autofree char *words = ls_sentence_shown (k->words), *bytes = bytes_text (k->bytes), *title = ls_compared_table_title (t, at);
  g_autofree char *launches = k->n_launches > 1 ? g_strdup_printf (ngettext ("%u launch", "%u launches", k->n_launches), k->n_launches)
                                                : g_strdup_printf (_("kernel %u"), k->kernel);
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%s, %s", title, words, bytes, launches);
  return ls_text_valid (text);
}

/* "same bits" of a run that was judged, or NULL. */
static const char *
equality_text (const LsRunCell *c)
{
  switch (c->equality) {
  case LS_EQUAL_BITS:    return _("same bits");
  case LS_EQUAL_ULP:     return _("at most 4 ulp apart");
  case LS_EQUAL_BOUND:   return _("within the bound");
  case LS_EQUAL_DIFFERS: return _("other values");
  case LS_EQUAL_UNJUDGED: return _("not judged");
  default:               return NULL;
  }
}

char *
ls_compared_table_cell (const LsComparedTable *t, guint at, guint run)
{
  const LsKernelRow *k = t->rows->pdata[at];
  const LsRunCell *c = &k->cells[run];
  if (c->absent)
    return g_strdup (_("no such kernel"));
  if (c->error)
    return g_strdup (_("failed"));
  if (run && c->same_text)
    return g_strdup (_("same code"));
  if (!c->timed)
    return g_strdup (run ? _("other code,\nnot measured") : _("not measured"));
  if (run == 0) {
    g_autofree char *ns = ls_text_ns (c->ns), *low = ls_text_ns (c->low), *high = ls_text_ns (c->high);
    return isnan (c->low) ? g_strdup (ns) : g_strdup_printf ("%s\n[%s, %s]", ns, low, high);
  }
  const char *equal = equality_text (c);
  g_autofree char *interval = isnan (c->ratio_low) ? g_strdup (_("no interval")) : g_strdup_printf ("[%.2f, %.2f]", c->ratio_low,
                                                                                                    c->ratio_high);
  return g_strdup_printf ("%.2f ×\n%s%s%s", c->ratio, interval, equal ? "\n" : "", equal ? equal : "");
}

char *
ls_compared_table_try (const LsComparedTable *t, guint at, guint *run)
{
  const LsKernelRow *k = t->rows->pdata[at];
  *run = ls_kernel_row_fastest (k);
  guint kernel = t->numbers[*run][k->kernel];
  g_auto (GStrv) options = k->cells[*run].try && kernel ? g_strsplit (k->cells[*run].try, ",", -1) : NULL;
  g_autoptr (GString) spec = g_string_new (NULL);
  for (guint i = 0; options && options[i]; i++)
    g_string_append_printf (spec, "%sk%u:opt=%s", i ? "," : "", kernel, options[i]);
  return spec->len ? g_strdup (spec->str) : NULL;
}

/* What bounds the time of the fastest run, and what to try. */
static void
add_advice (GString *s, const LsKernelRow *k)
{
  guint best = ls_kernel_row_fastest (k);
  const LsRunCell *c = &k->cells[best];
  const char *advice = c->next ? c->next : c->why;
  g_autofree char *shown = advice ? ls_sentence_shown (advice) : NULL;
  if (shown)
    g_string_append_printf (s, "%s%s", s->len ? "\n" : "", shown);
}

char *
ls_compared_table_verdict (const LsComparedTable *t, guint at)
{
  const LsKernelRow *k = t->rows->pdata[at];
  g_autoptr (GPtrArray) sentences = ls_kernel_row_verdict (k, (const char *const *) t->names);
  g_autofree char *text = ls_kernel_rows_text (sentences, TRUE), *differs = k->differs ? ls_sentence_shown (k->differs) : NULL;
  g_autoptr (GString) s = g_string_new (text);
  add_advice (s, k);
  if (differs)
    g_string_append_printf (s, "%s%s", s->len ? "\n" : "", differs);
  return ls_text_valid (s->str);
}
