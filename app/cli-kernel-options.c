/* lazyscope-cli options: the options that a kernel can take, and those that it has. */
#include "cli.h"
#include "measure/kernel-options.h"

static void
print_axis (const LsOptionAxis *a)
{
  printf (a->part ? _("  axis %u, a part of it, %s, %s, size %" PRId64 ":") : _("  axis %u, %s, %s, size %" PRId64 ":"), a->axis, a->name,
          a->type, a->size);
  for (guint i = 0; i < a->strides->len; i++) {
    const LsAxisStride *s = &g_array_index (a->strides, LsAxisStride, i);
    g_autofree char *stride = s->stride == LS_NO_STRIDE ? g_strdup (_("with a varying stride"))
                                                        : g_strdup_printf (_("with stride %" PRId64), s->stride);
    printf (s->is_store ? _("%s data%u written %s") : _("%s data%u read %s"), i ? "," : "", s->buffer, stride);
  }
  putchar ('\n');
}

static void
print_text (const LsKernelOptions *o)
{
  printf (_("kernel %u (%s without options)\n"), o->kernel, o->name);
  for (guint i = 0; i < o->axes->len; i++)
    print_axis (&g_array_index (o->axes, LsOptionAxis, i));
  const char *const heads[] = { _("chosen:"), _("possible:"), _("not possible:") };
  for (guint part = 0; part < 3; part++) {
    puts (heads[part]);
    for (guint i = 0; i < o->options->len; i++) {
      const LsOptionRow *r = &g_array_index (o->options, LsOptionRow, i);
      if ((r->chosen_by ? 0 : r->legal ? 1 : 2) != part)
        continue;
      printf ("  %-14s", r->text);
      if (r->chosen_by)
        printf (" %s", g_str_equal (r->chosen_by, "you") ? _("by you") : _("by the heuristic"));
      g_autofree char *why = r->why ? ls_sentence_shown (r->why) : NULL;
      if (why && *why)
        printf (": %s", why);
      if (r->reason)
        printf ("%s %s", r->chosen_by ? _("; refused:") : "", ls_shown (r->reason));
      putchar ('\n');
    }
  }
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  g_autoptr (LsTrace) trace = ls_cli_open (o, *files, error);
  gboolean ok = trace && ls_cli_check_kernel (o, trace, 1, error) && ls_cli_take_recorded (o, trace, kernel, error);
  g_autoptr (LsKernelOptions) options = ok ? ls_kernel_options (trace, kernel, &o->how, error) : NULL;
  if (options && !ls_cli_answer (o, &ls_kernel_options_answer, options, NULL, NULL))
    print_text (options);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_kernel_options = {
  run, N_("Lists the axes of a kernel, and the options that it has, can take and refuses, with reasons."),
};
