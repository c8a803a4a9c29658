/* See compare-table.h. */
#include "compare-table.h"
#include "compare.h"

#include "ir/sentence.h"

#include <math.h>
#include <string.h>

const char ls_as_it_is[] = "as it is";

/* --- rows --- */

LsKernelRow *
ls_kernel_row_new (guint n)
{
  LsKernelRow *k = g_new0 (LsKernelRow, 1);
  k->n = n;
  k->cells = g_new (LsRunCell, n);
  k->n_launches = 1;
  k->control = k->control_low = k->control_high = NAN;
  for (guint i = 0; i < n; i++)
    k->cells[i] = (LsRunCell) { .verdict = LS_TIME_UNCLEAR, .ns = NAN, .low = NAN, .high = NAN, .ratio = NAN, .ratio_low = NAN,
                                  .ratio_high = NAN, .behind_low = NAN, .equality = LS_EQUAL_NONE };
  return k;
}

void
ls_kernel_row_free (LsKernelRow *k)
{
  g_free (k->name);
  g_free (k->words);
  g_free (k->cells);
  g_free (k->differs);
  g_free (k);
}

/* What the program calls a kernel's result: by a name that the kernel's own line gives, where it gives one to this memory, or to the last
 * kernel of the line; else the memory's first name. */
static const char *
name_of (LsTrace *trace, const LsKernel *k, const guint *lines)
{
  guint buffer = ls_kernel_output (k, 0), line = lines[k->number];
  const char *of_line = NULL;
  for (guint i = 0; i < trace->bindings->len; i++) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    const LsStatement *at = b->statement < trace->statements->len ? &g_array_index (trace->statements, LsStatement, b->statement) : NULL;
    if (!at || at->file != 0 || line < at->line || line > MAX (at->line, at->end_line))
      continue;
    if (b->buffer == buffer)
      return b->name;
    of_line = b->name;
  }
  gboolean last = line > 0;
  for (guint i = k->number + 1; i <= trace->kernels->len && last; i++)
    last = lines[i] != line;
  const LsNameBinding *first = buffer != G_MAXUINT ? ls_trace_buffer_name (trace, buffer) : NULL;
  return last && of_line ? of_line : first ? first->name : NULL;
}

void
ls_kernel_row_describe (LsKernelRow *row, LsTrace *trace, guint kernel, const guint *lines)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  row->kernel = kernel;
  row->line = lines[kernel];
  row->name = g_strdup (name_of (trace, k, lines));
  row->words = ls_kernel_words (trace, k);
  row->bytes = k->bytes;
  for (guint i = kernel + 1; i <= trace->kernels->len; i++)
    row->n_launches += ls_trace_kernel (trace, i)->same_as == (gint) kernel;
}

void
ls_kernel_row_take (LsKernelRow *k, const LsComparison *c, const guint *where)
{
  guint best = ls_comparison_fastest (c);
  for (guint i = 0; i < k->n; i++)
    k->cells[i].absent = TRUE;
  for (guint i = 0; i < c->n; i++) {
    const LsComparedVariant *v = &c->variants[i];
    const LsMeasured *x = ls_comparison_times (c, i);
    LsRunCell *cell = &k->cells[where[i]];
    cell->absent = FALSE;
    cell->error = v->error;
    cell->equality = v->equality;
    cell->max_ulp = v->apart.max_ulp;
    cell->same_text = ls_comparison_same_text (c, i);
    if (!ls_comparison_is_timed (c, i))
      continue;
    cell->timed = TRUE;
    cell->same_text |= x->verdict == LS_TIME_SAME;
    cell->verdict = x->verdict;
    cell->ns = x->median;
    cell->low = x->low;
    cell->high = x->high;
    cell->ratio = x->ratio;
    cell->ratio_low = x->ratio_low;
    cell->ratio_high = x->ratio_high;
    cell->behind_low = ls_comparison_behind (c, i, best).low;
    cell->why = v->why;
    cell->next = v->next;
    cell->try = v->try;
  }
  if (c->times) {
    k->control = c->times->control.ratio;
    k->control_low = c->times->control.ratio_low;
    k->control_high = c->times->control.ratio_high;
    k->n_rounds = c->times->n_rounds;
  }
}

gboolean
ls_kernel_row_differs (const LsKernelRow *k)
{
  for (guint i = 1; i < k->n; i++)
    if (!k->cells[i].same_text)
      return TRUE;
  return FALSE;
}

gboolean
ls_kernel_row_is_timed (const LsKernelRow *k)
{
  return k->cells[0].timed;
}

/* The ratio is within what the first run shows against itself. */
static gboolean
is_noise (const LsKernelRow *k, double ratio)
{
  return !isnan (k->control_low) && ratio >= k->control_low && ratio <= k->control_high;
}

int
ls_kernel_row_is (const LsKernelRow *k, guint run)
{
  const LsRunCell *c = &k->cells[run];
  if (!run || !c->timed || is_noise (k, c->ratio))
    return 0;
  return c->verdict == LS_TIME_FASTER ? 1 : c->verdict == LS_TIME_SLOWER ? -1 : 0;
}

guint
ls_kernel_row_fastest (const LsKernelRow *k)
{
  guint best = 0;
  for (guint i = 1; i < k->n; i++)
    if (ls_kernel_row_is (k, i) > 0 && (!best || k->cells[i].ratio < k->cells[best].ratio))
      best = i;
  return best;
}

/* --- words --- */

char *
ls_kernel_row_title (const LsKernelRow *k)
{
  if (k->name && k->line)
    return ls_sentence ("%s (line %u)", k->name, k->line);
  if (k->line)
    return ls_sentence ("line %u", k->line);
  return ls_sentence ("kernel %u", k->kernel);
}

char *
ls_kernel_row_run_name (const char *name, guint kernel)
{
  g_autofree char *own = g_strdup_printf ("k%u:", kernel);
  const char *rest = g_str_has_prefix (name, own) ? name + strlen (own) : name;
  rest = g_str_has_prefix (rest, "opt=") && !strchr (rest + strlen ("opt="), '=') ? rest + strlen ("opt=") : rest;
  return g_strdup (*rest ? rest : name);
}

/* What is known of a run's values, in words. */
static const char *
equality_words (const LsRunCell *c)
{
  switch (c->equality) {
  case LS_EQUAL_FIRST: case LS_EQUAL_BITS: return LS_TEMPLATE ("same bits");
  case LS_EQUAL_ULP:                       return LS_TEMPLATE ("values differ by at most 4 ulp");
  case LS_EQUAL_BOUND:                     return LS_TEMPLATE ("values within the bound of another order of summation");
  case LS_EQUAL_DIFFERS:                   return LS_TEMPLATE ("other values");
  default:                                 return LS_TEMPLATE ("values not judged");
  }
}

/* The runs that may be as fast as the fastest one, as "A, B", or NULL. */
static char *
rivals (const LsKernelRow *k, guint best, char *const *names)
{
  g_autoptr (GString) s = g_string_new (NULL);
  for (guint i = 1; i < k->n; i++)
    if (i != best && ls_kernel_row_is (k, i) > 0 && !(k->cells[i].behind_low > 1) && k->cells[i].verdict != LS_TIME_OTHER)
      g_string_append_printf (s, "%s%s", s->len ? ", " : "", names[i]);
  return s->len ? g_strdup (s->str) : NULL;
}

static void
add_fastest (GPtrArray *out, const LsKernelRow *k, guint best, char *const *names, const char *title)
{
  const LsRunCell *c = &k->cells[best];
  g_autofree char *others = rivals (k, best, names);
  const char *equal = equality_words (c);
  if (title && !others)
    g_ptr_array_add (out, ls_sentence ("%s is fastest on %s: %.2f of the time of “%s” [%.2f, %.2f], %s.", names[best], title, c->ratio,
                                       names[0], c->ratio_low, c->ratio_high, equal));
  else if (title)
    g_ptr_array_add (out, ls_sentence ("%s is faster on %s: %.2f of the time of “%s” [%.2f, %.2f], %s.", names[best], title, c->ratio,
                                       names[0], c->ratio_low, c->ratio_high, equal));
  else if (!others)
    g_ptr_array_add (out, ls_sentence ("%s is fastest: %.2f of the time [%.2f, %.2f], %s.", names[best], c->ratio, c->ratio_low,
                                       c->ratio_high, equal));
  else
    g_ptr_array_add (out, ls_sentence ("%s is faster: %.2f of the time [%.2f, %.2f], %s.", names[best], c->ratio, c->ratio_low,
                                       c->ratio_high, equal));
  if (others)
    g_ptr_array_add (out, ls_sentence ("It is not surely faster than %s.", others));
}

/* Why no run is said to be faster. */
static void
add_withheld (GPtrArray *out, const LsKernelRow *k, char *const *names, const char *title)
{
  guint n_others = 0, n_slower = 0, noisy = 0, open = 0, least_slow = 0;
  for (guint i = 1; i < k->n; i++) {
    const LsRunCell *c = &k->cells[i];
    if (!c->timed || c->same_text || c->verdict == LS_TIME_OTHER)
      continue;
    n_others++;
    if (ls_kernel_row_is (k, i) < 0) {
      n_slower++;
      least_slow = !least_slow || c->ratio < k->cells[least_slow].ratio ? i : least_slow;
    } else if ((c->verdict == LS_TIME_FASTER || c->verdict == LS_TIME_SLOWER || c->verdict == LS_TIME_UNCLEAR) && is_noise (k, c->ratio))
      noisy = noisy ? noisy : i;
    else if (c->verdict != LS_TIME_AS_FAST)
      open = open ? open : i;
  }
  if (n_others && n_slower == n_others) {
    const LsRunCell *c = &k->cells[least_slow];
    if (title)
      g_ptr_array_add (out, ls_sentence ("“%s” is fastest on %s: %s takes %.2f times as long [%.2f, %.2f].", names[0], title,
                                         names[least_slow], c->ratio, c->ratio_low, c->ratio_high));
    else
      g_ptr_array_add (out, ls_sentence ("“%s” is fastest: %s takes %.2f times as long [%.2f, %.2f].", names[0], names[least_slow],
                                         c->ratio, c->ratio_low, c->ratio_high));
    return;
  }
  if (!n_others)
    return;
  if (title)
    g_ptr_array_add (out, ls_sentence ("No run is surely faster than “%s” on %s.", names[0], title));
  else
    g_ptr_array_add (out, ls_sentence ("No run is surely faster than “%s”.", names[0]));
  if (noisy)
    g_ptr_array_add (out, ls_sentence ("The %.2f of %s is withheld: “%s” timed against itself gives [%.2f, %.2f].", k->cells[noisy].ratio,
                                       names[noisy], names[0], k->control_low, k->control_high));
  else if (open && !isnan (k->cells[open].ratio_low))
    g_ptr_array_add (out, ls_sentence ("The interval of %s is [%.2f, %.2f].", names[open], k->cells[open].ratio_low,
                                       k->cells[open].ratio_high));
  else if (open)
    g_ptr_array_add (out, ls_sentence ("%s has too few rounds for an interval.", names[open]));
}

static char **
names_at (const LsKernelRow *k, const char *const *names)
{
  char **out = g_new0 (char *, k->n + 1);
  for (guint i = 0; i < k->n; i++)
    out[i] = ls_kernel_row_run_name (names[i], k->kernel);
  return out;
}

static void
add_verdict (GPtrArray *out, const LsKernelRow *k, char *const *names, const char *title)
{
  guint best = ls_kernel_row_fastest (k);
  if (best)
    add_fastest (out, k, best, names, title);
  else
    add_withheld (out, k, names, title);
}

GPtrArray *
ls_kernel_row_verdict (const LsKernelRow *k, const char *const *run_names)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) names = names_at (k, run_names);
  gboolean differs = ls_kernel_row_differs (k);
  if (!differs && k->n > 1)
    g_ptr_array_add (out, ls_sentence ("Same code in every run."));
  else if (differs && !ls_kernel_row_is_timed (k) && !k->cells[0].error)
    g_ptr_array_add (out, ls_sentence ("The code differs; not measured yet."));
  else if (differs)
    add_verdict (out, k, names, NULL);
  for (guint i = 0; i < k->n; i++) {
    const LsRunCell *c = &k->cells[i];
    if (c->error)
      g_ptr_array_add (out, ls_sentence ("%s failed: %s", names[i], c->error));
    else if (c->absent)
      g_ptr_array_add (out, ls_sentence ("%s has no such kernel.", names[i]));
    else if (c->verdict == LS_TIME_OTHER)
      g_ptr_array_add (out, ls_sentence ("%s computes other values, so its time does not count.", names[i]));
    else if (c->verdict == LS_TIME_AGAIN)
      g_ptr_array_add (out, ls_sentence ("%s is faster only while its inputs stay the same.", names[i]));
  }
  return out;
}

/* Of kernels with another code: the time that the fastest run saves. */
static double
saved (const LsKernelRow *k)
{
  guint best = ls_kernel_row_fastest (k);
  return best ? k->cells[0].ns - k->cells[best].ns : 0;
}

GPtrArray *
ls_kernel_rows_verdict (const LsKernelRow *const *kernels, guint n, const char *const *names)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  const LsKernelRow *first = NULL, *most = NULL;
  guint n_changed = 0, n_timed = 0, n_faster = 0;
  for (guint i = 0; i < n; i++) {
    const LsKernelRow *k = kernels[i];
    if (!ls_kernel_row_differs (k))
      continue;
    n_changed++;
    if (!ls_kernel_row_is_timed (k))
      continue;
    n_timed++;
    first = first ? first : k;
    n_faster += ls_kernel_row_fastest (k) > 0;
    most = saved (k) > 0 && (!most || saved (k) > saved (most)) ? k : most;
  }
  if (!n_changed && n && kernels[0]->n < 2)
    return out;
  if (!n_changed) {
    g_ptr_array_add (out, ls_sentence ("All runs have the same code in every kernel."));
    return out;
  }
  const LsKernelRow *k = most ? most : first;
  if (k) {
    g_auto (GStrv) own = names_at (k, names);
    g_autofree char *sentence = ls_kernel_row_title (k), *title = ls_sentence_text (sentence);
    add_verdict (out, k, own, title);
  }
  if (n_timed < n_changed)
    g_ptr_array_add (out, n_changed == 1 ? ls_sentence ("The code of 1 kernel differs; it is not measured yet.")
                     : n_timed == 0 ? ls_sentence ("The code of %u kernels differs; they are not measured yet.", n_changed)
                                    : ls_sentence ("%u of the %u kernels that differ are not measured yet.", n_changed - n_timed,
                                                   n_changed));
  else if (n_changed > 1 && n_faster > 1)
    g_ptr_array_add (out, ls_sentence ("%u of the %u kernels that differ have a run that is faster.", n_faster, n_changed));
  else if (n_changed > 1)
    g_ptr_array_add (out, ls_sentence ("The code of %u kernels differs.", n_changed));
  return out;
}

char *
ls_kernel_rows_text (const GPtrArray *sentences, gboolean shown)
{
  GString *s = g_string_new (NULL);
  for (guint i = 0; i < sentences->len; i++) {
    g_autofree char *text = shown ? ls_sentence_shown (sentences->pdata[i]) : ls_sentence_text (sentences->pdata[i]);
    g_string_append_printf (s, "%s%s", s->len ? " " : "", text);
  }
  return g_string_free (s, FALSE);
}

/* --- the answer --- */

LsCompareTable *
ls_compare_table_new (guint n_runs, const char *const *names)
{
  LsCompareTable *t = g_new0 (LsCompareTable, 1);
  t->n_runs = n_runs;
  t->names = g_strdupv ((char **) names);
  t->kernels = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_kernel_row_free);
  t->comparisons = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_comparison_free);
  return t;
}

void
ls_compare_table_free (LsCompareTable *t)
{
  if (!t)
    return;
  g_strfreev (t->names);
  g_ptr_array_unref (t->kernels);
  g_ptr_array_unref (t->comparisons);
  g_free (t);
}

static char *
verdict_text (GPtrArray *sentences)
{
  char *text = ls_kernel_rows_text (sentences, FALSE);
  g_ptr_array_unref (sentences);
  return text;
}

#define KERNEL(X) \
  X (kernel, INT, k->kernel, TRUE, "Number of the kernel in the first run") \
  X (line, INT, k->line, k->line > 0, "Line of the program that it is of") \
  X (tensor, TEXT, k->name, k->name != NULL, "Name of the tensor that it stores") \
  X (what, OWNED, ls_sentence_text (k->words), TRUE, "Its work, with the sizes of its input and result") \
  X (bytes, NUMBER, k->bytes, TRUE, "Bytes that one call reads and writes") \
  X (launches, INT, k->n_launches, TRUE, "Number of kernels that use its code") \
  X (changed, BOOL, ls_kernel_row_differs (k), TRUE, "True if the code of a run differs from the first run's") \
  X (fastest, INT, ls_kernel_row_fastest (k), ls_kernel_row_fastest (k) > 0, \
     "The run, from 0, that is surely faster than the first and has the least time") \
  X (verdict, OWNED, verdict_text (ls_kernel_row_verdict (k, (const char *const *) t->names)), TRUE, "The verdict, in words") \
  X (differs, OWNED, ls_sentence_text (k->differs), k->differs != NULL, "The first difference of its rewrites") \
  X (comparison, ROW, t->comparisons->pdata[index], TRUE, "The comparison of the kernel, as with --kernel", .of = &ls_compare_answer)
LS_INNER_RECORD (table_kernel_answer, KERNEL, const LsKernelRow *k = row; const LsCompareTable *t = answer->data;)

#define TABLE(X) \
  X (runs, LIST, ls_list_of (t->n_runs, t->names, 0), TRUE, "The runs; the first one is the baseline", .item = LS_CELL_TEXT) \
  X (verdict, OWNED, verdict_text (ls_kernel_rows_verdict ((const LsKernelRow *const *) t->kernels->pdata, t->kernels->len, \
                                                     (const char *const *) t->names)), TRUE, "The verdict on the whole, in words") \
  X (machine, TEXT, ((const LsComparison *) t->comparisons->pdata[0])->machine, t->comparisons->len > 0, \
     "The machine on which they were timed") \
  X (kernels, LIST, ls_list_pointers (t->kernels), TRUE, "Every kernel, those with the same code once", .of = &table_kernel_answer, \
     .lines = TRUE)
LS_RECORD (ls_compare_table_answer, TABLE, const LsCompareTable *t = row;)
