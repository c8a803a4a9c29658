/* lazyscope-cli compare: variants of one kernel side by side, as text, JSON or one HTML page (share/page-comparison.h); without a kernel
 * a table of all kernels, as text or JSON (measure/compare-table.h). */
#include "cli.h"
#include "ir/sentence.h"
#include "measure/compare-table.h"
#include "measure/compare.h"
#include "share/page-comparison.h"

/* --- text --- */

static void
print_diff (const char *what, const char *diff)
{
  if (diff && *diff)
    printf ("  %s\n%s", what, diff);
}

/* A text of the engine, if there is one. */
static void G_GNUC_PRINTF (1, 0)
print_shown (const char *format, const char *text)
{
  g_autofree char *shown = text ? ls_sentence_shown (text) : NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (shown)
    printf (format, shown);
#pragma GCC diagnostic pop
}

static void
print_variant (const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *x = ls_comparison_times (c, k);
  g_autofree char *equal = ls_comparison_equal (v), *loop = ls_comparison_loop (v);
  printf ("\n%c: %s\n", 'A' + (int) k, *v->spec ? v->spec : _("(as it is)"));
  g_autofree char *compiled = ls_comparison_compiler (v);
  printf (v->assembly || !v->error ? _("  compiled by %s\n") : _("  not compiled by %s\n"), compiled);
  if (v->by_hand)
    printf (_("  a hand-written function, %s\n"), v->name);
  else if (v->options)
    printf (_("  options: %s\n"), *v->options ? v->options : _("none"));
  for (guint i = 0; i < v->refused->len; i++)
    print_shown ("  %s\n", v->refused->pdata[i]);
  print_shown (_("  failed: %s\n"), v->error);
  print_shown (_("  note: %s\n"), v->note);
  if (v->equality != LS_EQUAL_NONE && v->by_hand)
    printf (_("  result: %s (%u calls were compared)\n"), equal, v->n_calls);
  else if (v->equality != LS_EQUAL_NONE)
    printf (_("  result: %s\n"), equal);
  print_shown (_("  changes: %s\n"), v->changes);
  print_shown ("  %s\n", v->writes);
  if (v->n_static)
    printf (_("  its code keeps %zu bytes of variables between calls: the results of %u calls were compared, others may differ\n"),
            v->n_static, v->n_calls);
  if (!v->error && !ls_comparison_is_timed (c, k))
    print_shown (_("  time: not measured: %s\n"), LS_NOT_TIMED);
  if (ls_comparison_is_timed (c, k)) {
    g_autofree char *median = ls_time_text (x->median), *low = ls_time_text (x->low), *high = ls_time_text (x->high),
                    *cold = ls_time_text (x->cold_median), *ratio = ls_comparison_ratio (x);
    g_autofree char *rate = ls_comparison_has_rate (c, k) ? g_strdup_printf ("%.2f GFLOPS, %.2f GB/s; ", v->flops / x->median,
                                                                             v->bytes / x->median) : g_strdup ("");
    printf (_("  time: %s [%s, %s], cold %s; %s%s\n"), median, low, high, cold, rate, compiled);
    if (x->verdict != LS_TIME_FIRST)
      printf (_("  %s: %s of the first's time\n"), ls_shown (ls_time_verdict_name (x->verdict)), ratio);
    if (x->verdict == LS_TIME_AGAIN)
      printf (_("  with memory that changes between calls, including the time to change it: %.3f [%.3f, %.3f] of the first's time\n"),
              x->changing_ratio.ratio, x->changing_ratio.low, x->changing_ratio.high);
  }
  print_shown (_("  why: %s\n"), v->why);
  print_shown (_("  next: %s\n"), v->next);
  if (v->assembly)
    printf ("  %s\n", loop);
  print_shown ("  %s\n", v->mca);
  print_shown ("  %s\n", v->log_text);
  if (v->log_text) {
    g_autofree char *first = ls_sentence_shown (v->log_first), *own = ls_sentence_shown (v->log_own);
    printf ("    A: %s\n    %c: %s\n", first, 'A' + (int) k, own);
  }
  print_diff (_("source code:"), v->source_diff);
  print_diff (_("machine code:"), v->code_diff);
}

static void
print_columns (char letter, const char *const *texts)
{
  static const int widths[] = { -40, 12, -24, -16, -24, 0 };
  putchar (letter);
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_autofree char *column = ls_cli_padded (texts[i], widths[i]);
    printf (" %s", column);
  }
  putchar ('\n');
}

static void
print_text (const LsComparison *c)
{
  g_autofree char *noise = ls_comparison_noise (c), *machine = ls_sentence_shown (c->machine);
  printf (_("kernel %u (%s) on %s\n%s\n"), c->kernel, c->kernel_name, machine, noise);
  if (c->n_made_up)
    printf (_("random numbers were used for %u of its inputs, whose contents were not kept\n"), c->n_made_up);
  puts ("");
  print_columns (' ', (const char *[]) { _("variant"), _("median"), _("ratio"), _("verdict"), _("result"), _("compiled by") });
  for (guint k = 0; k < c->n; k++) {
    const LsComparedVariant *v = &c->variants[k];
    const LsMeasured *x = ls_comparison_times (c, k);
    gboolean timed = ls_comparison_is_timed (c, k);
    g_autofree char *median = timed ? ls_time_text (x->median) : g_strdup ("-"),
                    *ratio = timed && k ? ls_comparison_ratio (x) : g_strdup ("");
    g_autofree char *compiled = v->assembly || !v->error ? ls_comparison_compiler (v) : g_strdup ("-");
    g_autofree char *writes = v->writes ? ls_sentence_shown (v->writes) : NULL;
    g_autofree char *result = g_strconcat (ls_shown (ls_equality_names[v->equality]), v->after ? _(" (after timing)")
                                           : v->changes ? _(" (changes)") : "", writes ? "; " : "", writes, NULL);
    const char *verdict = ls_shown (ls_time_verdict_name (x && !v->error ? x->verdict : LS_TIME_FAILED));
    print_columns ('A' + (char) k, (const char *[]) { *v->spec ? v->spec : _("(as it is)"), median, ratio, verdict, result, compiled });
  }
  for (guint k = 0; k < c->n; k++)
    print_variant (c, k);
}

/* --- one kernel --- */

/* Columns: the first file's variants, then the kernel like it of each other file. */
typedef struct {
  guint             n;
  LsComparedKernel *kernels;
  LsVariant        *variants;
  char            **specs;
} Columns;

static void
columns_clear (Columns *c)
{
  for (guint i = 0; i < c->n; i++) {
    ls_variant_clear (&c->variants[i]);
    g_free (c->specs[i]);
  }
  g_free (c->kernels);
  g_free (c->variants);
  g_free (c->specs);
}

static gboolean
add_column (Columns *c, LsTrace *trace, guint kernel, const LsVariant *as, const char *apply, const char *spec, GError **error)
{
  LsVariant *v = &c->variants[c->n];
  c->kernels[c->n] = (LsComparedKernel) { trace, kernel };
  c->specs[c->n++] = g_strdup (spec);
  ls_variant_copy (v, as);
  if (!v->named)
    v->compiler = NULL;      /* a target named in the variant has its own */
  return ls_variant_apply (v, apply, error) && ls_variant_complete (v, error);
}

/* The compiler settings of a kernel in its recording: "compiler=clang,cflags=-O3,native=0" if it was timed by a compiler that optimizes,
 * else "". Free with g_free. */
static char *
compiled_text (const LsKernel *k)
{
  const LsCompiler *compiler = ls_compiler_find (k->compiler);
  g_auto (GStrv) flags = g_strsplit (k->flags ? k->flags : "", " ", -1);
  g_autoptr (GString) own = g_string_new (NULL);
  gboolean native = FALSE;
  if (!compiler || !compiler->optimizes)
    return g_strdup ("");
  for (guint i = 0; flags[i]; i++) {
    native |= g_str_equal (flags[i], "-march=native");
    if (*flags[i] && !g_str_equal (flags[i], "-march=native") && !g_str_equal (flags[i], "-O2"))
      g_string_append_printf (own, ",cflags=%s", flags[i]);
  }
  return g_strdup_printf ("compiler=%s%s%s", compiler->name, own->str, native ? "" : ",native=0");
}

/* Another file's kernel, as it is there. */
static gboolean
add_file (Columns *c, const LsCliOptions *o, const char *file, LsTrace *trace, guint kernel, GError **error)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  const LsTarget *target = ls_target_find (k->target);
  g_auto (GStrv) options = g_strsplit (k->options, ",", -1);
  g_autofree char *compiled = compiled_text (k), *base = g_path_get_basename (file), *spec = g_strdup_printf ("%s#%u", base, kernel);
  g_autoptr (GString) apply = g_string_new (compiled);
  LsVariant as;
  ls_variant_init (&as);
  gboolean ok = TRUE;
  for (guint i = 0; i < trace->settings->len && ok; i++)
    ok = ls_trace_take_setting (trace, i, &as.settings, error);
  as.settings.TIMEOUT_MS = o->how.settings.TIMEOUT_MS;
  if (target)
    as.target = target;
  g_string_append_printf (apply, "%sopt=%s", apply->len ? "," : "", *options ? *options : "");      /* its own, or none */
  for (guint i = 1; *options && options[i]; i++)
    g_string_append_printf (apply, ",opt=%s", options[i]);
  if (ok && ls_kernel_by_hand (k)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s: kernel %u is hand-written (%s), which is not run from a recording; --variant "
                                                  "c=FILE.c compares such a file", base, kernel, ls_kernel_by_hand (k));
    ok = FALSE;
  }
  ok = ok && add_column (c, trace, kernel, &as, apply->str, spec, error);
  ls_variant_clear (&as);
  return ok;
}

static char *
joined (char **list)
{
  return list && *list ? g_strjoinv ("\n", list) : NULL;
}

/* The names of the columns, where they differ between kernels by a number only: NULL at their end. Free with g_strfreev. */
static char **
column_names (const LsCliOptions *o, char **files, guint n_files)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (guint i = 0; o->variants && o->variants[i]; i++)
    g_strv_builder_add (out, *o->variants[i] ? o->variants[i] : ls_as_it_is);
  if (!o->variants && n_files == 1)
    g_strv_builder_add (out, ls_as_it_is);
  for (guint i = o->variants ? 1 : 0; i < n_files && n_files > 1; i++) {
    g_autofree char *base = g_path_get_basename (files[i]);
    g_strv_builder_add (out, base);
  }
  return g_strv_builder_end (out);
}

/* where: the column of each variant, or NULL: a file without such a kernel is an error. */
static gboolean
make_columns (Columns *c, LsCliOptions *o, LsTrace *const *traces, char **files, guint n_files, guint kernel, guint *where, GError **error)
{
  static const char *const as_it_is[] = { "", NULL };
  const char *const *specs = o->variants ? (const char *const *) o->variants : as_it_is;
  LsTrace *first = traces[0];
  guint n = g_strv_length ((char **) specs), column = 0;
  *c = (Columns) { 0, g_new0 (LsComparedKernel, n + n_files), g_new0 (LsVariant, n + n_files), g_new0 (char *, n + n_files) };
  gboolean ok = TRUE;
  if (n_files > 1 && !o->variants)
    ok = add_file (c, o, files[0], first, kernel, error);
  else
    for (guint i = 0; i < n && ok; i++)
      ok = add_column (c, first, kernel, &o->how, specs[i], specs[i], error);
  for (; where && column < c->n; column++)
    where[column] = column;
  for (guint i = 1; i < n_files && ok; i++, column++) {
    guint like = ls_kernel_corresponding (first, kernel, traces[i]);
    if (where)
      where[c->n] = column;
    if (!like && !where)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s has no kernel with the graph or the program line of kernel %u of %s",
                   files[i], kernel, files[0]);
    ok = (like || where) && (!like || add_file (c, o, files[i], traces[i], like, error));
  }
  return ok;
}

static LsComparison *
compare_kernel (LsCliOptions *o, LsTrace *const *traces, char **files, guint n_files, guint kernel, guint *where, GError **error)
{
  Columns c = { 0 };
  LsComparison *out = NULL;
  if (make_columns (&c, o, traces, files, n_files, kernel, where, error)) {
    LsMeasureHow how = { .seconds = o->seconds, .seed = 1 };
    out = ls_compare_kernels (c.n, c.kernels, c.variants, (const char *const *) c.specs, &how, error);
  }
  columns_clear (&c);
  return out;
}

static LsComparison *
compare (LsCliOptions *o, LsTrace *const *traces, char **files, guint n_files, GError **error)
{
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  if (!ls_cli_check_kernel (o, traces[0], 1, error) || !ls_cli_take_recorded (o, traces[0], kernel, error))
    return NULL;
  o->how.rules = joined (o->rules);
  o->how.disabled = joined (o->disabled);
  return compare_kernel (o, traces, files, n_files, kernel, NULL, error);
}

static int
answer_kernel (LsCliOptions *o, LsTrace *const *traces, char **files, GError **error)
{
  g_autoptr (LsComparison) c = compare (o, traces, files, o->n_files, error);
  gboolean written = TRUE;
  if (c && o->html) {
    g_autofree char *page = ls_page_comparison (c);
    written = ls_cli_write_page (o->html, page, error);
  }
  if (c && !ls_cli_answer (o, &ls_compare_answer, c, NULL, c) && written)
    print_text (c);
  return c && written ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

/* --- all kernels --- */

/* What the recording says of a kernel, and what its comparison says first about the first variant whose code differs. */
static LsKernelRow *
row_of (LsTrace *trace, guint kernel, guint n_runs, const LsComparison *c, const guint *where, const guint *lines)
{
  LsKernelRow *row = ls_kernel_row_new (n_runs);
  ls_kernel_row_describe (row, trace, kernel, lines);
  ls_kernel_row_take (row, c, where);
  for (guint i = 1; i < c->n && !row->differs; i++)
    if (!ls_comparison_same_text (c, i))
      row->differs = c->variants[i].log_text ? g_strdup (c->variants[i].log_text) : NULL;
  return row;
}

static LsCompareTable *
compare_all (LsCliOptions *o, LsTrace *const *traces, char **files, GError **error)
{
  g_auto (GStrv) names = column_names (o, files, o->n_files);
  g_autoptr (LsCompareTable) out = ls_compare_table_new (g_strv_length (names), (const char *const *) names);
  g_autofree guint *lines = ls_kernel_lines (traces[0]), *where = g_new (guint, out->n_runs);
  o->how.rules = joined (o->rules);
  o->how.disabled = joined (o->disabled);
  LsVariant how;
  ls_variant_copy (&how, &o->how);
  gboolean ok = TRUE;
  for (guint i = 1; i <= traces[0]->kernels->len && ok; i++) {
    if (ls_trace_kernel (traces[0], i)->same_as > 0)      /* its code is compared already */
      continue;
    ls_variant_clear (&o->how);      /* a kernel takes its own from the recording */
    ls_variant_copy (&o->how, &how);
    LsComparison *c = ls_cli_take_recorded (o, traces[0], i, error)
                      ? compare_kernel (o, traces, files, o->n_files, i, where, error) : NULL;
    if ((ok = c != NULL)) {
      g_ptr_array_add (out->comparisons, c);
      g_ptr_array_add (out->kernels, row_of (traces[0], i, out->n_runs, c, where, lines));
    }
  }
  ls_variant_clear (&how);
  return ok ? g_steal_pointer (&out) : NULL;
}

static void
print_words (const char *format, char *sentence)
{
  g_autofree char *shown = ls_sentence_shown (sentence);
  g_free (sentence);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  printf (format, shown);
#pragma GCC diagnostic pop
}

static void
print_run (const LsKernelRow *k, guint i, const char *name)
{
  const LsRunCell *c = &k->cells[i];
  g_autofree char *ns = ls_time_text (c->ns), *low = ls_time_text (c->low), *high = ls_time_text (c->high);
  g_autofree char *run = ls_kernel_row_run_name (name, k->kernel), *padded = ls_cli_padded (ls_shown (run), -28);
  if (c->absent)
    printf (_("  %s no such kernel\n"), padded);
  else if (!c->timed)
    printf (_("  %s not timed\n"), padded);
  else if (i == 0)
    printf ("  %s %s [%s, %s]\n", padded, ns, low, high);
  else if (c->same_text)
    printf (_("  %s same code\n"), padded);
  else
    printf ("  %s %.3f [%.3f, %.3f], %s, %s\n", padded, c->ratio, c->ratio_low, c->ratio_high, ls_shown (ls_time_verdict_name (c->verdict)),
            ls_shown (ls_equality_names[c->equality]));
}

static void
print_all (const LsCompareTable *t)
{
  const char *const *names = (const char *const *) t->names;
  g_autoptr (GPtrArray) verdict = ls_kernel_rows_verdict ((const LsKernelRow *const *) t->kernels->pdata, t->kernels->len, names);
  g_autofree char *text = ls_kernel_rows_text (verdict, TRUE);
  if (*text)
    printf ("%s\n", text);
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernelRow *k = t->kernels->pdata[i];
    const LsComparison *c = t->comparisons->pdata[i];
    g_autofree char *words = ls_sentence_shown (k->words), *noise = ls_comparison_noise (c),
                    *compiled = ls_comparison_compiler (&c->variants[0]);
    if (i == 0) {
      g_autofree char *machine = ls_sentence_shown (c->machine);
      printf ("%s; %s\n", compiled, machine);
    }
    print_words ("\n%s: ", ls_kernel_row_title (k));
    printf (_("%s, %.0f bytes (kernel %u; %s)\n"), words, k->bytes, k->kernel, noise);
    for (guint r = 0; r < t->n_runs; r++)
      print_run (k, r, names[r]);
    g_autoptr (GPtrArray) own = ls_kernel_row_verdict (k, names);
    g_autofree char *sentences = ls_kernel_rows_text (own, TRUE);
    if (*sentences)
      printf ("  %s\n", sentences);
    if (k->cells[0].next)
      print_words ("  %s\n", g_strdup (k->cells[0].next));
    if (k->differs)
      print_words ("  %s\n", g_strdup (k->differs));
  }
}

static int
answer_all (LsCliOptions *o, LsTrace *const *traces, char **files, GError **error)
{
  g_autoptr (LsCompareTable) t = NULL;
  if (o->html) {
    ls_cli_refuse (error, "--html needs --kernel K: a page is of one kernel; there are %u, numbered from 1", traces[0]->kernels->len);
    return LS_EXIT_WRONG;
  }
  if (!(t = compare_all (o, traces, files, error)))
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_compare_table_answer, t, NULL, t))
    print_all (t);
  return LS_EXIT_DONE;
}

/* --- the command --- */

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (GPtrArray) traces = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_trace_unref);
  for (guint i = 0; i < o->n_files; i++) {
    LsTrace *trace = ls_cli_open_whole (o, files[i], error);
    if (!trace)
      return LS_EXIT_WRONG;
    g_ptr_array_add (traces, trace);
  }
  gboolean one = o->kernel >= 0 || ((LsTrace *) traces->pdata[0])->kernels->len < 2;
  return (one ? answer_kernel : answer_all) (o, (LsTrace *const *) traces->pdata, files, error);
}

const LsCliCommand ls_cli_compare = {
  run, N_("Compiles, runs and times one kernel in several variants, and shows their first difference. With several files, the "
       "corresponding kernel of each is a variant, too."),
};
