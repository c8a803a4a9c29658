/* lazyscope-cli values: the values of a node of a pass's graph, on the program's inputs. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

static void
print_text (const LsValues *v)
{
  LsTrace *t = v->place.trace;
  const char *find = v->find;
  char dtype[64];
  g_autofree char *place = ls_cli_place (&v->place, 0);
  if (v->node == LS_NO_NODE && v->sampled) {
    printf (_("None of %" PRIu64 " values of %" PRIu64 " in the graph of %s is %s: %u nodes were sampled, %u could not be sampled; other "
              "elements were not checked.\n"), v->n, v->n_all, place, find, v->n_searched, v->n_unsearched);
    return;
  }
  if (v->node == LS_NO_NODE) {
    printf (_("No value in the graph of %s is %s; %u nodes searched.\n"), place, find, v->n_searched);
    return;
  }
  g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, v->node));
  if (find) {
    if (v->sampled)
      printf (_("node %u (%s) of %s has a value that is %s: %s at %s, of %" PRIu64 " values sampled of %" PRIu64 "\n"),
              v->node, summary, place, find, v->value, v->where, v->n, v->n_all);
    else if (v->executed)
      printf (_("node %u (%s) of %s is the first, in order of execution, with a value that is %s: %s, value number %" PRIu64
                " %s\n"), v->node, summary, place, find, v->value, v->element, v->where);
    else
      printf (_("node %u (%s) of %s is the first with a value that is %s: %s at element %" PRIu64 " %s of %" PRIu64 "\n"),
              v->node, summary, place, find, v->value, v->element, v->where, v->n);
    for (guint i = 0; i < v->inputs->len; i++) {
      const LsAskInput *in = &g_array_index (v->inputs, LsAskInput, i);
      g_autofree char *input = ls_uop_summary (ls_context_node (t->ctx, in->node));
      printf (_("  input node %-6u %-28s %s\n"), in->node, input, in->value ? in->value : _("(other elements)"));
    }
    return;
  }
  g_autofree char *share = v->sampled ? g_strdup_printf (_(" sampled of %" PRIu64), v->n_all) : g_strdup (""),
                  *shape = ls_sentence_shown (v->shape);
  printf (_("node %u (%s) of %s: %" PRIu64 " values%s of %s, %s %s\n"), v->node, summary, place, v->n, share,
          ls_dtype_text (v->dtype, dtype), v->executed ? _("in order:") : g_ascii_isdigit (v->shape[0]) ? _("over")
          : v->shape[1] == 'i' || v->shape[1] == 'l' ? _("up to") : _("shape"), shape);
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE], mean[G_ASCII_DTOSTR_BUF_SIZE], std[G_ASCII_DTOSTR_BUF_SIZE];
  printf (_("min %s, max %s, mean %s, std %s; %" PRIu64 " zeros, %" PRIu64 " NaN, %" PRIu64 " infinite\n"),
          g_ascii_formatd (low, sizeof low, "%g", v->statistics.min), g_ascii_formatd (high, sizeof high, "%g", v->statistics.max),
          g_ascii_formatd (mean, sizeof mean, "%g", v->statistics.mean), g_ascii_formatd (std, sizeof std, "%g", v->statistics.std),
          v->statistics.n_zero, v->statistics.n_nan, v->statistics.n_inf);
  for (guint i = 0; i < v->at->len && i < v->text->len; i++)
    printf ("%-24s %s\n", g_array_index (v->at, char *, i), g_array_index (v->text, char *, i));
  for (guint i = v->at->len; i < v->text->len; i++)
    printf ("%s%s", g_array_index (v->text, char *, i), i + 1 == v->text->len ? "\n" : i % 8 == 7 ? "\n" : " ");
  if (v->text->len < v->n)
    printf (_("and %" PRIu64 " more\n"), v->n - v->text->len);
}

static void
print_origins (const LsElementOrigins *e)
{
  char dtype[64];
  g_autofree char *name = ls_element_name_shown (&e->of), *from = ls_element_source_shown (&e->of);
  const char *value = e->of.value ? e->of.value : _("(not known)");
  if (e->of.buffer >= 0)
    printf (_("%s = %s, %s, of shape %s, from %s\n"), name, value, ls_dtype_text (e->dtype, dtype), e->shape, from);
  else
    printf (_("node %u[%s] = %s, %s, of shape %s\n"), e->of.node, e->of.at, value, ls_dtype_text (e->dtype, dtype), e->shape);
  if (e->n == 0 && e->of.from != LS_ELEMENT_OF_KERNEL)
    puts (_("It was not computed."));
  else if (e->n == 0)
    puts (_("It was computed from nothing: all that it reads is masked."));
  else
    printf (ngettext ("computed from %" PRIu64 " element or constant:\n", "computed from %" PRIu64 " elements and constants:\n", e->n),
            e->n);
  LsList rows = ls_list_array (e->origins);
  LsAnswering answer = { e->trace->ctx, e, NULL };
  g_autofree char *table = e->n ? ls_answer_table (&ls_element_origin_answer, &rows, &answer) : NULL;
  if (table)
    fputs (table, stdout);
  if (e->origins->len < e->n)
    printf (_("and %" PRIu64 " more\n"), e->n - e->origins->len);
}

/* The kernel whose result a question without a place is about: of the last printed tensor, or 0. */
static guint
printed_kernel (const LsTrace *t, guint *buffer)
{
  for (guint i = t->outputs->len; i-- > 0;) {
    const LsOutput *out = &g_array_index (t->outputs, LsOutput, i);
    for (guint number = t->kernels->len; out->printed && number > 0; number--) {
      *buffer = out->buffer;
      if (ls_kernel_output_number (t->kernels->pdata[number - 1], out->buffer) >= 0)
        return number;
    }
  }
  return 0;
}

/* Of the number-th number that the program printed. */
static LsElementOrigins *
printed_origins (LsTrace *t, gint64 number, guint max, GError **error)
{
  g_autoptr (GArray) all = ls_printed_numbers (t);
  if (number > all->len) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--printed %" G_GINT64_FORMAT ": the numbers that the program printed are counted from 1 "
                                                  "to %u", number, all->len);
    return NULL;
  }
  const LsPrinted *p = &g_array_index (all, LsPrinted, number - 1);
  if (p->output != G_MAXUINT)
    return ls_printed_origins (t, p, max, error);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--printed %" G_GINT64_FORMAT ": %.*s is not among the values of tensors that the program "
                                                "read back, or their contents were not kept", number, (int) (p->end - p->start),
               t->std_out + p->start);
  return NULL;
}

static int
run_element (LsCliOptions *o, char **files, GError **error)
{
  if (o->find)
    return ls_cli_refuse (error, "values: --element and --printed show what an element was computed from; they are not used with --find");
  if (o->element && ls_cli_given (o, printed))
    return ls_cli_refuse (error, "values: --element names an element, and --printed names another one");
  if (ls_cli_given (o, printed) && (o->node >= 0 || ls_cli_is_placed (o)))
    return ls_cli_refuse (error, "values: --printed names a number of the output; it is not used with a place");
  guint max = ls_cli_given (o, max) ? (guint) o->max : LS_ELEMENT_ORIGINS_MOST;
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, *files, error);
  g_autoptr (LsElementOrigins) e = NULL;
  guint64 element;
  LsPass *pass = NULL;
  if (!t)
    return LS_EXIT_WRONG;
  if (ls_cli_given (o, printed)) {
    e = printed_origins (t, o->printed, max, error);
  } else if (o->node >= 0) {
    if (!(pass = ls_cli_pass (o, t, error)))
      return LS_EXIT_WRONG;
    guint step = o->step < 0 ? ls_pass_n_rewrites (pass) : (guint) o->step;
    if (ls_element_read_of_node (t, pass, step, (guint32) o->node, o->element, &element, error))
      e = ls_node_element_origins (t, pass, step, (guint32) o->node, element, max, error);
  } else {
    guint buffer = G_MAXUINT, kernel = o->kernel >= 0 ? (guint) o->kernel : printed_kernel (t, &buffer);
    if (!kernel) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "no kernel computed a printed tensor: name a kernel, FILE#KERNEL");
      return LS_EXIT_WRONG;
    }
    if (ls_element_read (t, kernel, o->element, &buffer, &element, error))
      e = ls_element_origins (t, kernel, buffer, element, max, error);
  }
  if (!e)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_element_origins_answer, e, t->ctx, e)) {
    print_origins (e);
    g_autofree char *notes = ls_sentence_shown (e->notes ? e->notes : "");
    fputs (notes, stdout);
  }
  return LS_EXIT_DONE;
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (o->element || ls_cli_given (o, printed))
    return run_element (o, files, error);
  if (!ls_cli_is_placed (o) || (o->node < 0 && !o->find))
    return ls_cli_refuse (error, "values: --pass P and one of --node M and --find WHAT are needed, or --element E, or --printed N");
  if (o->find && ls_cli_given (o, max))
    return ls_cli_refuse (error, "values: --max limits the values of a node; it is not used with --find");
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, *files, error);
  LsPass *pass = t ? ls_cli_pass (o, t, error) : NULL;
  if (!pass)
    return LS_EXIT_WRONG;
  guint step = o->step < 0 ? ls_pass_n_rewrites (pass) : (guint) o->step;
  g_autoptr (LsValues) v = ls_values (t, pass, step, o->node < 0 ? LS_NO_NODE : (guint32) o->node, o->find, (guint) o->max, error);
  if (!v)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, v->find ? &ls_values_find_answer : &ls_values_answer, v, t->ctx, v)) {
    print_text (v);
    g_autofree char *notes = ls_sentence_shown (v->notes ? v->notes : "");
    fputs (notes, stdout);
  }
  if (!o->find || v->node != LS_NO_NODE)
    return LS_EXIT_DONE;
  return v->sampled || v->n_unsearched ? LS_EXIT_UNJUDGED : LS_EXIT_DIFFERENT;
}

const LsCliCommand ls_cli_values = {
  run, N_("Shows the values that a node computes: --pass P [--step N] --node M, or --find WHAT. Without --step: after the pass. "
       "FILE#KERNEL/PASS/STEP?node=M is equivalent. FILE#KERNEL --element E shows the elements and constants that an element of the "
       "kernel's result was computed from; without a kernel that of the last printed tensor; --printed N those of a number in the "
       "program's output. Exit status of --find: 0 found; 4 not found; 5 not found among the values that could be computed."),
};
