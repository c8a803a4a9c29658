/* lazyscope-cli diff: how two recordings, programs or variants of one program differ. cli-diff-places.c compares two places. */
#include "cli.h"

#include "ask/ask.h"

static void
print_text (const LsTraceDiff *d)
{
  guint same = 0;
  LsList kernels = ls_list_array (d->kernels);
  for (guint i = 0; i < d->differences->len; i++) {
    const LsDifference *x = &g_array_index (d->differences, LsDifference, i);
    g_autofree char *text = ls_sentence_shown (x->text), *left = ls_sentence_shown (x->a ? x->a : ""),
                    *right = ls_sentence_shown (x->b ? x->b : "");
    if (x->kernel_a || x->kernel_b)
      printf (_("kernel %u | %u, %s: %s\n"), x->kernel_a, x->kernel_b, ls_shown (x->section), text);
    else
      printf ("%s: %s\n", ls_shown (x->section), text);
    if (x->a || x->b)
      printf ("  A: %s\n  B: %s\n", x->a ? left : _("(nothing)"), x->b ? right : _("(nothing)"));
  }
  g_autofree char *table = ls_answer_table (&ls_kernel_pair_answer, &kernels, &(LsAnswering) { d->a->ctx, d });
  fputs (table, stdout);
  for (guint i = 0; i < d->kernels->len; i++)
    same += g_array_index (d->kernels, LsKernelPair, i).same;
  printf (ngettext ("%u difference; ", "%u differences; ", d->differences->len), d->differences->len);
  printf (ngettext ("%u of %u kernel the same\n", "%u of %u kernels the same\n", d->kernels->len), same, d->kernels->len);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsTrace) a = NULL, b = NULL;
  if (o->mode == LS_CLI_PLACES)
    return ls_cli_diff_places (o, error);
  guint n_variants = o->variants ? g_strv_length (o->variants) : 0;
  if (n_variants > 2)
    return ls_cli_refuse (error, "diff: --variant can be given twice, once for each side");
  if (o->n_files == 1 && n_variants == 0 && !o->rules && !o->disabled)
    return ls_cli_refuse (error, "diff: give a second file, or --variant, --rules or --disable for a second run of the first one");
  /* each side has its own options; a single variant is B's */
  LsCliOptions left = *o, right = *o;
  ls_variant_copy (&left.how, &o->how);
  ls_variant_copy (&right.how, &o->how);
  left.rules = left.disabled = NULL;
  if (n_variants < 2)
    left.variants = NULL;
  gboolean ok = (n_variants < 2 || ls_cli_apply_variant (&left, o->variants[0], error)) &&
                (n_variants == 0 || ls_cli_apply_variant (&right, o->variants[n_variants - 1], error)) &&
                (a = ls_cli_open_whole (&left, files[0], error)) && (b = ls_cli_open_whole (&right, files[o->n_files - 1], error));
  ls_variant_clear (&left.how);
  ls_variant_clear (&right.how);
  g_autoptr (LsTraceDiff) d = ok ? ls_trace_diff (a, b) : NULL;
  if (d && !ls_cli_answer (o, &ls_trace_diff_answer, d, NULL, d))
    print_text (d);
  return d && d->differences->len ? LS_EXIT_DIFFERENT : LS_EXIT_DONE;
}

const LsCliCommand ls_cli_diff = {
  run, N_("Compares two recordings or programs. With one file: two --variant SPEC, or --rules and --disable, which then apply to the "
          "second run only.\n"
       "FILE#PLACE twice: compares the UOps at two places, row by row; FILE#PLACE~BASE compares FILE#BASE with FILE#PLACE. Exit status 4: "
       "they differ."),
};
