/* lazyscope-cli diff: how two recordings, programs or variants of one program differ. cli-diff-places.c compares two places. */
#include "cli.h"

#include "ask/ask.h"

#include <string.h>

static void
print_text (LsTrace *a, LsTrace *b, const LsTraceDiff *d)
{
  guint same = 0;
  for (guint i = 0; i < d->differences->len; i++) {
    const LsDifference *x = &g_array_index (d->differences, LsDifference, i);
    if (x->kernel_a || x->kernel_b)
      printf ("kernel %u | %u, %s: %s\n", x->kernel_a, x->kernel_b, x->section, x->text);
    else
      printf ("%s: %s\n", x->section, x->text);
    if (x->a || x->b)
      printf ("  A: %s\n  B: %s\n", x->a ? x->a : "(nothing)", x->b ? x->b : "(nothing)");
  }
  printf ("%-8s %-8s %-22s %-9s %12s  %-22s %12s  %-22s\n", "kernel A", "kernel B", "name", "", "median us", "from-to", "median us",
          "from-to");
  for (guint i = 0; i < d->kernels->len; i++) {
    const LsKernelPair *p = &g_array_index (d->kernels, LsKernelPair, i);
    const LsKernel *k = p->a ? ls_trace_kernel (a, p->a) : ls_trace_kernel (b, p->b);
    g_autofree char *range_a = g_strdup_printf ("%.1f-%.1f", p->time_a.low / 1e3, p->time_a.high / 1e3),
                    *range_b = g_strdup_printf ("%.1f-%.1f", p->time_b.low / 1e3, p->time_b.high / 1e3);
    same += p->same;
    printf ("%-8u %-8u %-22s %-9s %12.1f  %-22s %12.1f  %-22s\n", p->a, p->b, k->name, p->same ? "same" : "different",
            p->time_a.median / 1e3, range_a, p->time_b.median / 1e3, range_b);
  }
  printf ("%u differences; %u of %u kernels the same\n", d->differences->len, same, d->kernels->len);
}

static void
json_time (JsonBuilder *j, const char *name, const LsSpread *s)
{
  ls_json_object (j, name);
  ls_json_number (j, "median_ns", s->median);
  ls_json_number (j, "low_ns", s->low);
  ls_json_number (j, "high_ns", s->high);
  ls_json_int (j, "repeats", s->n);
  json_builder_end_object (j);
}

static void
print_as_json (LsTrace *a, LsTrace *b, const LsTraceDiff *d)
{
  g_autoptr (JsonBuilder) j = json_builder_new ();
  ls_json_object (j, NULL);
  ls_json_bool (j, "equal", d->differences->len == 0);
  ls_json_array (j, "differences");
  for (guint i = 0; i < d->differences->len; i++) {
    const LsDifference *x = &g_array_index (d->differences, LsDifference, i);
    ls_json_object (j, NULL);
    ls_json_text (j, "section", x->section);
    ls_json_int (j, "kernel_a", x->kernel_a);
    ls_json_int (j, "kernel_b", x->kernel_b);
    ls_json_text (j, "text", x->text);
    ls_json_text (j, "a", x->a);
    ls_json_text (j, "b", x->b);
    json_builder_end_object (j);
  }
  json_builder_end_array (j);
  ls_json_array (j, "kernels");
  for (guint i = 0; i < d->kernels->len; i++) {
    const LsKernelPair *p = &g_array_index (d->kernels, LsKernelPair, i);
    ls_json_object (j, NULL);
    ls_json_int (j, "a", p->a);
    ls_json_int (j, "b", p->b);
    ls_json_bool (j, "same", p->same);
    ls_json_int (j, "steps_a", p->n_steps_a);
    ls_json_int (j, "steps_b", p->n_steps_b);
    if (p->pass_a >= 0 || p->pass_b >= 0) {
      ls_json_object (j, "parts");
      ls_json_text (j, "pass", ((LsPass *) (p->pass_a >= 0 ? a->passes->pdata[p->pass_a] : b->passes->pdata[p->pass_b]))->name);
      ls_json_int (j, "step", p->step_a);
      ls_json_text (j, "rule_a", p->rule_a);
      ls_json_text (j, "rule_b", p->rule_b);
      json_builder_end_object (j);
    }
    json_time (j, "time_a", &p->time_a);
    json_time (j, "time_b", &p->time_b);
    json_builder_end_object (j);
  }
  json_builder_end_array (j);
  json_builder_end_object (j);
  ls_cli_print_json (j);
}

int
ls_cli_diff (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  int status = LS_EXIT_DONE;
  g_autoptr (LsTrace) a = NULL, b = NULL;
  g_autoptr (LsTraceDiff) d = NULL;
  if (!ls_cli_parse (&o, LS_CLI_DIFF, "Compares two recordings or programs. One file: two --variant SPEC, or --rules and --disable, which "
                                      "then apply to the second run only.\n"
                     "FILE#PLACE twice: the UOps at two places, row by row; FILE#PLACE~BASE is FILE#BASE against FILE#PLACE. Exit status "
                     "4: they differ.", &argc, &argv, &error))
    goto failed;
  if (o.mode == LS_CLI_PLACES) {
    status = ls_cli_diff_places (&o);
    ls_cli_clear (&o);
    return status;
  }
  guint n_variants = o.variants ? g_strv_length (o.variants) : 0;
  if (n_variants > 2) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "diff: --variant can be given twice, once for each side");
    goto failed;
  }
  if (argc == 2 && n_variants == 0 && !o.rules && !o.disabled) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "diff: a second file is needed, or --variant, --rules or --disable to run the first "
                                                   "one in another way");
    goto failed;
  }
  /* each side has its own options; one variant alone is B's */
  LsCliOptions left = o, right = o;
  ls_variant_copy (&left.how, &o.how);
  ls_variant_copy (&right.how, &o.how);
  left.rules = left.disabled = NULL;
  if (n_variants < 2)
    left.variants = NULL;
  gboolean ok = (n_variants < 2 || ls_cli_apply_variant (&left, o.variants[0], &error)) &&
                (n_variants == 0 || ls_cli_apply_variant (&right, o.variants[n_variants - 1], &error)) &&
                (a = ls_cli_open_whole (&left, argv[1], &error)) && (b = ls_cli_open_whole (&right, argv[argc == 3 ? 2 : 1], &error));
  ls_variant_clear (&left.how);
  ls_variant_clear (&right.how);
  if (!ok)
    goto failed;
  d = ls_trace_diff (a, b);
  if (o.json)
    print_as_json (a, b, d);
  else
    print_text (a, b, d);
  status = d->differences->len ? LS_EXIT_DIFFERENT : LS_EXIT_DONE;
  ls_cli_clear (&o);
  return status;
failed:
  ls_cli_clear (&o);
  return ls_cli_fail (error);
}
