/* lazyscope-cli compare: variants of one kernel side by side, as text, JSON or one HTML page (share/page.h). */
#include "cli.h"
#include "ask/compare.h"
#include "share/page.h"

#include <math.h>
#include <string.h>

/* "12.3 us" */
static char *
time_text (double ns)
{
  return ns < 1e3 ? g_strdup_printf ("%.1f ns", ns) : ns < 1e6 ? g_strdup_printf ("%.2f us", ns / 1e3) : g_strdup_printf ("%.2f ms", ns / 1e6);
}

static char *
ratio_text (const LsMeasured *x)
{
  if (isnan (x->ratio_low))
    return isnan (x->ratio) ? g_strdup ("-") : g_strdup_printf ("%.3f", x->ratio);
  return g_strdup_printf ("%.3f [%.3f, %.3f]", x->ratio, x->ratio_low, x->ratio_high);
}

static char *
equal_text (const LsComparedVariant *v)
{
  GString *s = g_string_new (ls_equality_name (v->equality));
  if (v->apart.max_ulp)
    g_string_append_printf (s, ", up to %" G_GUINT64_FORMAT " ulp, %.3g", v->apart.max_ulp, v->apart.max_error);
  if (!isnan (v->bound) && v->apart.max_ulp && v->equality != LS_EQUAL_ULP)
    g_string_append_printf (s, " (another order may make %.3g)", v->bound);
  if (v->equality == LS_EQUAL_DIFFERS)
    g_string_append_printf (s, " from element %" G_GINT64_FORMAT " on", v->apart.first);
  return g_string_free (s, FALSE);
}

static char *
loop_text (const LsComparedVariant *v)
{
  const LsHotLoop *h = &v->loop;
  if (!v->code || v->code->len == 0)
    return g_strdup ("no machine code");
  return g_strdup_printf ("%s: %u instructions, %u of them arithmetic of %u bits, %u with memory; %u vector and %u general registers", h->found ? "hot loop" : "no loop", h->n, h->n_arithmetic, h->vector_bits,
                          h->n_memory, h->vector_registers, h->general_registers);
}

static char *
noise_text (const LsComparison *c)
{
  const LsMeasured *x = c->times ? &c->times->control : NULL;
  g_autofree char *ratio = x ? ratio_text (x) : NULL;
  return x && !x->error ? g_strdup_printf ("%u rounds in %.1f s; the first against itself: %s", c->times->n_rounds, c->times->seconds, ratio) : g_strdup ("nothing was timed");
}

/* --- text --- */

static void
print_diff (const char *what, const char *diff)
{
  if (diff && *diff)
    printf ("  %s:\n%s", what, diff);
}

static void
print_variant (const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *x = ls_comparison_times (c, k);
  g_autofree char *equal = equal_text (v), *loop = loop_text (v);
  printf ("\n%c: %s\n", 'A' + (int) k, *v->spec ? v->spec : "(as it is)");
  printf ("  compiled by %s%s%s%s%s\n", v->compiler, v->version && *v->version ? " " : "", v->version ? v->version : "", v->flags && *v->flags ? " " : "", v->flags ? v->flags : "");
  if (v->by_hand)
    printf ("  a hand-written function, %s\n", v->name);
  else if (v->options)
    printf ("  options: %s\n", *v->options ? v->options : "none");
  for (guint i = 0; i < v->refused->len; i++)
    printf ("  %s\n", (char *) v->refused->pdata[i]);
  if (v->error)
    printf ("  failed: %s\n", v->error);
  if (v->equality != LS_EQUAL_NONE)
    printf ("  result: %s\n", equal);
  if (x && !x->error) {
    g_autofree char *median = time_text (x->median), *low = time_text (x->low), *high = time_text (x->high), *cold = time_text (x->cold_median), *ratio = ratio_text (x);
    printf ("  time: %s [%s, %s], cold %s; %.2f GFLOPS, %.2f GB/s\n", median, low, high, cold, v->flops / x->median, v->bytes / x->median);
    if (x->verdict != LS_TIME_FIRST)
      printf ("  %s: %s of the first's time\n", ls_time_verdict_name (x->verdict), ratio);
  }
  if (v->why)
    printf ("  why: %s\n", v->why);
  printf ("  %s\n", loop);
  if (v->log_text)
    printf ("  %s\n    A: %s\n    %c: %s\n", v->log_text, v->log_first, 'A' + (int) k, v->log_own);
  print_diff ("source", v->source_diff);
  print_diff ("machine code", v->code_diff);
}

static void
print_text (const LsComparison *c)
{
  g_autofree char *noise = noise_text (c);
  printf ("kernel %u (%s) on %s\n%s\n", c->kernel, c->kernel_name, c->machine, noise);
  if (c->n_made_up)
    printf ("made up: the contents of %u of its inputs were not kept\n", c->n_made_up);
  printf ("\n  %-40s %12s %-24s %-16s %s\n", "variant", "median", "ratio", "verdict", "result");
  for (guint k = 0; k < c->n; k++) {
    const LsComparedVariant *v = &c->variants[k];
    const LsMeasured *x = ls_comparison_times (c, k);
    gboolean timed = x && !x->error;
    g_autofree char *median = timed ? time_text (x->median) : g_strdup ("-"), *ratio = timed && k ? ratio_text (x) : g_strdup ("");
    printf ("%c %-40s %12s %-24s %-16s %s\n", 'A' + (int) k, *v->spec ? v->spec : "(as it is)", median, ratio, x ? ls_time_verdict_name (x->verdict) : "failed", ls_equality_name (v->equality));
  }
  for (guint k = 0; k < c->n; k++)
    print_variant (c, k);
}

/* --- JSON --- */

static void
json_samples (JsonBuilder *b, const char *name, const GArray *samples)
{
  ls_json_array (b, name);
  for (guint i = 0; samples && i < samples->len; i++)
    ls_json_add_number (b, g_array_index (samples, double, i));
  json_builder_end_array (b);
}

static void
json_times (JsonBuilder *b, const LsComparedVariant *v, const LsMeasured *x)
{
  ls_json_number (b, "median_ns", x->median);
  ls_json_number (b, "low_ns", x->low);
  ls_json_number (b, "high_ns", x->high);
  ls_json_number (b, "cold_ns", x->cold_median);
  ls_json_number (b, "ratio", x->ratio);
  ls_json_number (b, "ratio_low", x->ratio_low);
  ls_json_number (b, "ratio_high", x->ratio_high);
  ls_json_int (b, "batch", x->batch);
  json_samples (b, "samples", x->samples);
  json_samples (b, "cold_samples", x->cold);
  ls_json_number (b, "gflops", v->flops / x->median);
  ls_json_number (b, "gbs", v->bytes / x->median);
  ls_json_number (b, "bytes", v->bytes);
  ls_json_bool (b, "same_code", x->verdict == LS_TIME_SAME);
}

static void
json_variant (JsonBuilder *b, const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *x = ls_comparison_times (c, k);
  const struct { const char *name, *text; } texts[] = {
    { "error", v->error }, { "compiler", v->compiler }, { "version", v->version }, { "flags", v->flags }, { "name", v->name }, { "options", v->options }, { "listing", v->listing }, { "source", v->source },
    { "code", v->assembly }, { "log", v->log_text }, { "log_first", v->log_first }, { "log_own", v->log_own }, { "listing_diff", v->listing_diff }, { "source_diff", v->source_diff },
    { "code_diff", v->code_diff }, { "why", v->why },
  };
  ls_json_object (b, NULL);
  ls_json_text (b, "spec", v->spec);
  ls_json_bool (b, "ok", !v->error);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    ls_json_text (b, texts[i].name, texts[i].text);
  ls_json_array (b, "refused");
  for (guint i = 0; i < v->refused->len; i++)
    json_builder_add_string_value (b, v->refused->pdata[i]);
  json_builder_end_array (b);
  if (x && !x->error)
    json_times (b, v, x);
  ls_json_text (b, "verdict", x ? ls_time_verdict_name (x->verdict) : ls_time_verdict_name (LS_TIME_FAILED));
  ls_json_text (b, "equal", ls_equality_name (v->equality));
  ls_json_int (b, "max_ulp", (gint64) v->apart.max_ulp);
  ls_json_number (b, "max_error", v->apart.max_error);
  ls_json_object (b, "loop");
  ls_json_int (b, "instructions", v->loop.n);
  ls_json_int (b, "vector_bits", v->loop.vector_bits);
  ls_json_int (b, "vector_registers", v->loop.vector_registers);
  ls_json_int (b, "general_registers", v->loop.general_registers);
  json_builder_end_object (b);
  json_builder_end_object (b);
}

static void
print_as_json (const LsComparison *c)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  ls_json_int (b, "kernel", c->kernel);
  ls_json_text (b, "name", c->kernel_name);
  ls_json_text (b, "machine", c->machine);
  ls_json_int (b, "made_up", c->n_made_up);
  ls_json_object (b, "noise");
  ls_json_number (b, "ratio", c->times ? c->times->control.ratio : NAN);
  ls_json_number (b, "ratio_low", c->times ? c->times->control.ratio_low : NAN);
  ls_json_number (b, "ratio_high", c->times ? c->times->control.ratio_high : NAN);
  ls_json_int (b, "rounds", c->times ? c->times->n_rounds : 0);
  ls_json_number (b, "seconds", c->times ? c->times->seconds : 0);
  json_builder_end_object (b);
  ls_json_array (b, "variants");
  for (guint k = 0; k < c->n; k++)
    json_variant (b, c, k);
  json_builder_end_array (b);
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

/* --- HTML --- */

static void
html_diff (GString *s, const char *title, const char *diff)
{
  g_auto (GStrv) lines = g_strsplit (diff ? diff : "", "\n", -1);
  if (!diff || !*diff)
    return;
  g_string_append_printf (s, "<details><summary>%s</summary><pre>", title);
  for (char **line = lines; *line; line++)
    ls_page_text (s, **line == '+' ? "<ins>" : **line == '-' ? "<del>" : "", *line, **line == '+' ? "</ins>\n" : **line == '-' ? "</del>\n" : "\n");
  g_string_append (s, "</pre></details>\n");
}

static void
html_variant (GString *s, const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  g_autofree char *letter = g_strdup_printf ("<h2>%c ", 'A' + (int) k), *loop = loop_text (v), *equal = equal_text (v);
  ls_page_text (s, letter, *v->spec ? v->spec : "(as it is)", "</h2>\n<ul>\n");
  if (v->error)
    ls_page_text (s, "<li class=\"bad\">", v->error, "</li>\n");
  if (v->why)
    ls_page_text (s, "<li>", v->why, "</li>\n");
  if (v->options)
    ls_page_text (s, "<li>options: ", *v->options ? v->options : "none", "</li>\n");
  for (guint i = 0; i < v->refused->len; i++)
    ls_page_text (s, "<li class=\"bad\">", v->refused->pdata[i], "</li>\n");
  ls_page_text (s, "<li>", loop, "</li>\n");
  ls_page_text (s, "<li>result: ", equal, "</li>\n");
  if (v->log_text) {
    ls_page_text (s, "<li>", v->log_text, "<br>");
    ls_page_text (s, "A: <code>", v->log_first, "</code><br>");
    ls_page_text (s, "here: <code>", v->log_own, "</code></li>\n");
  }
  g_string_append (s, "</ul>\n");
  const struct { const char *title, *text; } texts[] = { { "source", v->source }, { "UOps", v->listing }, { "machine code", v->assembly } };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].text && *texts[i].text) {
      g_string_append_printf (s, "<details><summary>%s</summary>", texts[i].title);
      ls_page_text (s, "<pre>", texts[i].text, "</pre></details>\n");
    }
  html_diff (s, "source against A", v->source_diff);
  html_diff (s, "UOps against A", v->listing_diff);
  html_diff (s, "machine code against A", v->code_diff);
}

static char *
html_page (const LsComparison *c)
{
  g_autoptr (GString) s = g_string_new ("<body class=\"text\">\n");
  g_autofree char *head = g_strdup_printf ("Kernel %u: %s", c->kernel, c->kernel_name), *noise = noise_text (c);
  double most = 0;
  for (guint k = 0; k < c->n; k++) {
    const LsMeasured *x = ls_comparison_times (c, k);
    most = x && !x->error ? MAX (most, x->median) : most;
  }
  ls_page_text (s, "<h1>", head, "</h1>\n");
  ls_page_text (s, "<p>", c->machine, "<br>\n");
  ls_page_text (s, "", noise, "</p>\n<div class=\"wide\"><table><tr><th></th><th>variant</th><th>compiled by</th><th>time</th><th></th><th>of A's time</th><th>verdict</th><th>result</th></tr>\n");
  for (guint k = 0; k < c->n; k++) {
    const LsComparedVariant *v = &c->variants[k];
    const LsMeasured *x = ls_comparison_times (c, k);
    gboolean timed = x && !x->error;
    g_autofree char *letter = g_strdup_printf ("<tr><td>%c</td><td>", 'A' + (int) k), *by = g_strjoin (" ", v->compiler, v->version ? v->version : "", v->flags, NULL);
    g_autofree char *median = timed ? time_text (x->median) : g_strdup ("-"), *ratio = timed && k ? ratio_text (x) : g_strdup ("");
    ls_page_text (s, letter, *v->spec ? v->spec : "(as it is)", "</td><td>");
    ls_page_text (s, "", by, "</td><td>");
    ls_page_text (s, "", median, "</td>");
    g_string_append_printf (s, "<td><svg class=\"bar\" width=\"120\" height=\"12\"><rect width=\"%.1f\" height=\"12\"/></svg></td><td>", timed && most > 0 ? 120 * x->median / most : 0);
    ls_page_text (s, "", ratio, "</td><td>");
    ls_page_text (s, "", x ? ls_time_verdict_name (x->verdict) : "failed", "</td><td>");
    ls_page_text (s, "", ls_equality_name (v->equality), "</td></tr>\n");
  }
  g_string_append (s, "</table></div>\n");
  for (guint k = 0; k < c->n; k++)
    html_variant (s, c, k);
  return ls_page_new (head, s->str, NULL);
}

/* --- the command --- */

static LsComparison *
compare (LsCliOptions *o, LsTrace *trace, GError **error)
{
  static const char *const as_it_is[] = { "", NULL };
  const char *const *specs = o->variants ? (const char *const *) o->variants : as_it_is;
  guint n = g_strv_length ((char **) specs), made = 0;
  if (o->kernel < 0 && trace->kernels->len > 1) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--kernel K is needed: there are %u, numbered from 1; show lists them", trace->kernels->len);
    return NULL;
  }
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  if (!ls_cli_check_kernel (o, trace, 1, error) || !ls_cli_take_recorded (o, trace, kernel, error))
    return NULL;
  g_autofree LsVariant *variants = g_new0 (LsVariant, n);
  gboolean ok = TRUE;
  for (; made < n && ok; made++) {
    ls_variant_copy (&variants[made], &o->how);
    if (!variants[made].named)
      variants[made].compiler = NULL;      /* a target named in the variant has its own */
    ok = ls_variant_apply (&variants[made], specs[made], error) && ls_variant_complete (&variants[made], error);
  }
  LsMeasureHow how = { .seconds = o->seconds, .seed = 1 };
  LsComparison *c = ok ? ls_compare (trace, kernel, n, variants, specs, &how, error) : NULL;
  while (made-- > 0)
    ls_variant_clear (&variants[made]);
  return c;
}

int
ls_cli_compare (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autoptr (LsTrace) trace = NULL;
  g_autoptr (LsComparison) c = NULL;
  if (ls_cli_parse (&o, LS_CLI_COMPARE, "Compiles, runs and times one kernel in any number of variants, and tells where they part.", &argc, &argv, &error) &&
      (trace = ls_cli_open_whole (&o, argv[1], &error)))
    c = compare (&o, trace, &error);
  if (c && o.html) {
    g_autofree char *page = html_page (c);
    ls_cli_write_page (o.html, page, &error);
  }
  if (c && o.json)
    print_as_json (c);
  else if (c && !(o.html && error))
    print_text (c);
  ls_cli_clear (&o);
  return error ? ls_cli_fail (error) : LS_EXIT_DONE;
}
