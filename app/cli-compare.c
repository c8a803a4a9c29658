/* lazyscope-cli compare: variants of one kernel side by side, as text, JSON or one HTML page (share/page-comparison.h). */
#include "cli.h"
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

/* --- the command --- */

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
  for (guint i = 0; i == 0 || options[i]; i++)      /* its own, or none */
    g_string_append_printf (apply, "%sopt=%s", apply->len ? "," : "", options[i] ? options[i] : "");
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

static gboolean
make_columns (Columns *c, LsCliOptions *o, LsTrace *const *traces, char **files, guint n_files, GError **error)
{
  static const char *const as_it_is[] = { "", NULL };
  const char *const *specs = o->variants ? (const char *const *) o->variants : as_it_is;
  LsTrace *first = traces[0];
  guint n = g_strv_length ((char **) specs);
  if (o->kernel < 0 && first->kernels->len > 1)
    return ls_cli_refuse (error, "--kernel K is needed: there are %u kernels, numbered from 1; show lists them", first->kernels->len);
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  if (!ls_cli_check_kernel (o, first, 1, error) || !ls_cli_take_recorded (o, first, kernel, error))
    return FALSE;
  o->how.rules = joined (o->rules);
  o->how.disabled = joined (o->disabled);
  *c = (Columns) { 0, g_new0 (LsComparedKernel, n + n_files), g_new0 (LsVariant, n + n_files), g_new0 (char *, n + n_files) };
  gboolean ok = TRUE;
  if (n_files > 1 && !o->variants)
    ok = add_file (c, o, files[0], first, kernel, error);
  else
    for (guint i = 0; i < n && ok; i++)
      ok = add_column (c, first, kernel, &o->how, specs[i], specs[i], error);
  for (guint i = 1; i < n_files && ok; i++) {
    guint like = ls_kernel_corresponding (first, kernel, traces[i]);
    if (!like)
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "%s has no kernel with the graph or the program line of kernel %u of %s",
                   files[i], kernel, files[0]);
    ok = like && add_file (c, o, files[i], traces[i], like, error);
  }
  return ok;
}

static LsComparison *
compare (LsCliOptions *o, char **files, guint n_files, GError **error)
{
  g_autoptr (GPtrArray) traces = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_trace_unref);
  Columns c = { 0 };
  LsComparison *out = NULL;
  gboolean ok = TRUE;
  for (guint i = 0; i < n_files && ok; i++) {
    LsTrace *trace = ls_cli_open_whole (o, files[i], error);
    if ((ok = trace != NULL))
      g_ptr_array_add (traces, trace);
  }
  if (ok && make_columns (&c, o, (LsTrace *const *) traces->pdata, files, n_files, error)) {
    LsMeasureHow how = { .seconds = o->seconds, .seed = 1 };
    out = ls_compare_kernels (c.n, c.kernels, c.variants, (const char *const *) c.specs, &how, error);
  }
  columns_clear (&c);
  return out;
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsComparison) c = compare (o, files, o->n_files, error);
  gboolean written = TRUE;
  if (c && o->html) {
    g_autofree char *page = ls_page_comparison (c);
    written = ls_cli_write_page (o->html, page, error);
  }
  if (c && !ls_cli_answer (o, &ls_compare_answer, c, NULL, c) && written)
    print_text (c);
  return c && written ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

const LsCliCommand ls_cli_compare = {
  run, N_("Compiles, runs and times one kernel in several variants, and shows their first difference. With several files, the "
       "corresponding kernel of each is a variant, too."),
};
