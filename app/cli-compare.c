/* lazyscope-cli compare: variants of one kernel side by side, as text, JSON or one HTML page (share/page-comparison.h). */
#include "cli.h"
#include "ask/compare.h"
#include "share/page-comparison.h"

#include <math.h>
#include <string.h>

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
  g_autofree char *equal = ls_comparison_equal (v), *loop = ls_comparison_loop (v);
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
    g_autofree char *median = ls_comparison_time (x->median), *low = ls_comparison_time (x->low), *high = ls_comparison_time (x->high), *cold = ls_comparison_time (x->cold_median), *ratio = ls_comparison_ratio (x);
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
  g_autofree char *noise = ls_comparison_noise (c);
  printf ("kernel %u (%s) on %s\n%s\n", c->kernel, c->kernel_name, c->machine, noise);
  if (c->n_made_up)
    printf ("made up: the contents of %u of its inputs were not kept\n", c->n_made_up);
  printf ("\n  %-40s %12s %-24s %-16s %s\n", "variant", "median", "ratio", "verdict", "result");
  for (guint k = 0; k < c->n; k++) {
    const LsComparedVariant *v = &c->variants[k];
    const LsMeasured *x = ls_comparison_times (c, k);
    gboolean timed = x && !x->error;
    g_autofree char *median = timed ? ls_comparison_time (x->median) : g_strdup ("-"), *ratio = timed && k ? ls_comparison_ratio (x) : g_strdup ("");
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
    g_autofree char *page = ls_page_comparison (c);
    ls_cli_write_page (o.html, page, &error);
  }
  if (c && o.json)
    print_as_json (c);
  else if (c && !(o.html && error))
    print_text (c);
  ls_cli_clear (&o);
  return error ? ls_cli_fail (error) : LS_EXIT_DONE;
}
