/* lazyscope-cli values: what is computed at a node of a pass's graph, on the program's inputs. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

static void
print_text (LsTrace *t, const LsPass *pass, guint step, const LsValues *v, const char *find)
{
  char dtype[64];
  const LsPosition at = { t, pass, step };
  g_autofree char *place = ls_position_print (&at);
  if (v->node == LS_NO_NODE && v->sampled) {
    printf ("None of %" G_GUINT64_FORMAT " values of %" G_GUINT64_FORMAT
            " in the graph of %s is %s: %u nodes sampled, %u could not be; nothing is said of the others.\n", v->n, v->n_all, place,
            find, v->n_searched, v->n_unsearched);
    return;
  }
  if (v->node == LS_NO_NODE) {
    printf ("No value in the graph of %s is %s; %u nodes searched.\n", place, find, v->n_searched);
    return;
  }
  g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, v->node));
  if (find) {
    if (v->sampled)
      printf ("node %u (%s) of %s has a value that is %s: %s at %s, of %" G_GUINT64_FORMAT " values sampled of %" G_GUINT64_FORMAT "\n",
              v->node, summary, place, find, v->value, v->where, v->n, v->n_all);
    else if (v->executed)
      printf ("node %u (%s) of %s is the first, in order of execution, with a value that is %s: %s, its value number %" G_GUINT64_FORMAT
              " %s\n", v->node, summary, place, find, v->value, v->element, v->where);
    else
      printf ("node %u (%s) of %s is the first with a value that is %s: %s at element %" G_GUINT64_FORMAT " %s of %" G_GUINT64_FORMAT "\n",
              v->node, summary, place, find, v->value, v->element, v->where, v->n);
    for (guint i = 0; i < v->inputs->len; i++) {
      const LsAskInput *in = &g_array_index (v->inputs, LsAskInput, i);
      g_autofree char *input = ls_uop_summary (ls_context_node (t->ctx, in->node));
      printf ("  input node %-6u %-28s %s\n", in->node, input, in->value ? in->value : "(other elements)");
    }
    return;
  }
  g_autofree char *share = v->sampled ? g_strdup_printf (" sampled of %" G_GUINT64_FORMAT, v->n_all) : g_strdup ("");
  printf ("node %u (%s) of %s: %" G_GUINT64_FORMAT " values%s of %s, %s %s\n", v->node, summary, place, v->n, share,
          ls_dtype_modern (v->dtype, dtype),
          v->executed ? "in order:" : g_ascii_isdigit (v->shape[0]) ? "over" : v->shape[1] == 'i' || v->shape[1] == 'l' ? "up to" : "shape",
          v->shape);
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE], mean[G_ASCII_DTOSTR_BUF_SIZE], std[G_ASCII_DTOSTR_BUF_SIZE];
  printf ("min %s, max %s, mean %s, std %s; %" G_GUINT64_FORMAT " zeros, %" G_GUINT64_FORMAT " NaN, %" G_GUINT64_FORMAT " infinite\n",
          g_ascii_formatd (low, sizeof low, "%g", v->statistics.min), g_ascii_formatd (high, sizeof high, "%g", v->statistics.max),
          g_ascii_formatd (mean, sizeof mean, "%g", v->statistics.mean), g_ascii_formatd (std, sizeof std, "%g", v->statistics.std),
          v->statistics.n_zero, v->statistics.n_nan, v->statistics.n_inf);
  for (guint i = 0; i < v->at->len && i < v->text->len; i++)
    printf ("%-24s %s\n", g_array_index (v->at, char *, i), g_array_index (v->text, char *, i));
  for (guint i = v->at->len; i < v->text->len; i++)
    printf ("%s%s", g_array_index (v->text, char *, i), i + 1 == v->text->len ? "\n" : i % 8 == 7 ? "\n" : " ");
  if (v->text->len < v->n)
    printf ("and %" G_GUINT64_FORMAT " more\n", v->n - v->text->len);
}

static void
print_as_json (LsTrace *t, const LsPass *pass, guint step, const LsValues *v, const char *find)
{
  g_autoptr (JsonBuilder) j = json_builder_new ();
  char dtype[64];
  ls_json_object (j, NULL);
  ls_json_int (j, "kernel", pass->kernel);
  ls_json_text (j, "pass", pass->name);
  ls_json_int (j, "step", step);
  if (find) {
    ls_json_text (j, "find", find);
    ls_json_bool (j, "found", v->node != LS_NO_NODE);
    ls_json_int (j, "searched", v->n_searched);
    ls_json_int (j, "not_searched", v->n_unsearched);
  }
  ls_json_text (j, "notes", v->notes);
  ls_json_bool (j, "sampled", v->sampled);
  if (v->sampled)
    ls_json_int (j, "of", (gint64) v->n_all);
  if (v->node != LS_NO_NODE) {
    ls_json_node (j, "node", t, v->node);
    ls_json_text (j, "dtype", ls_dtype_modern (v->dtype, dtype));
    ls_json_bool (j, "executed", v->executed);
    if (!find || !v->executed)
      ls_json_int (j, "n", (gint64) v->n);
    if (find) {
      ls_json_int (j, "element", (gint64) v->element);
      ls_json_text (j, "where", v->where);
      ls_json_text (j, "value", v->value);
      ls_json_array (j, "inputs");
      for (guint i = 0; i < v->inputs->len; i++) {
        const LsAskInput *in = &g_array_index (v->inputs, LsAskInput, i);
        ls_json_object (j, NULL);
        ls_json_node (j, "node", t, in->node);
        ls_json_text (j, "value", in->value);
        json_builder_end_object (j);
      }
      json_builder_end_array (j);
    } else {
      const LsStatistics *s = &v->statistics;
      const LsPicture *p = &v->picture;
      ls_json_text (j, "shape", v->shape);
      ls_json_object (j, "statistics");
      ls_json_number (j, "min", s->min);
      ls_json_number (j, "max", s->max);
      ls_json_number (j, "mean", s->mean);
      ls_json_number (j, "std", s->std);
      ls_json_int (j, "zeros", (gint64) s->n_zero);
      ls_json_int (j, "nan", (gint64) s->n_nan);
      ls_json_int (j, "inf", (gint64) s->n_inf);
      json_builder_end_object (j);
      ls_json_object (j, "picture");
      ls_json_int (j, "rows", p->rows);
      ls_json_int (j, "columns", p->columns);
      ls_json_int (j, "row_length", (gint64) p->row_length);
      ls_json_int (j, "bin_rows", (gint64) p->bin_rows);
      ls_json_int (j, "bin_columns", (gint64) p->bin_columns);
      ls_json_bool (j, "wrapped", p->wrapped);
      ls_json_array (j, "bins");
      for (gsize i = 0; i < (gsize) p->rows * p->columns; i++)
        ls_json_add_number (j, p->bins[i]);
      json_builder_end_array (j);
      json_builder_end_object (j);
      ls_json_array (j, "values");
      for (guint i = 0; i < v->text->len; i++)
        json_builder_add_string_value (j, g_array_index (v->text, char *, i));
      json_builder_end_array (j);
      if (v->executed || v->sampled) {
        ls_json_array (j, "at");
        for (guint i = 0; i < v->at->len; i++)
          json_builder_add_string_value (j, g_array_index (v->at, char *, i));
        json_builder_end_array (j);
      }
    }
  }
  json_builder_end_object (j);
  ls_cli_print_json (j);
}

int
ls_cli_values (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  LsPass *pass;
  int status = LS_EXIT_DONE;
  g_autoptr (LsTrace) t = NULL;
  g_autoptr (LsValues) v = NULL;
  if (!ls_cli_parse (&o, LS_CLI_VALUES, "What is computed at a node: --pass P [--step N] --node M, or --find WHAT. Without --step: after "
                                        "the pass. FILE#KERNEL/PASS/STEP?node=M names all of it. Exit status of --find: 0 found; 4 there "
                                        "is none; 5 there is none among the values that could be computed.",
                     &argc, &argv, &error))
    goto failed;
  if (!ls_cli_is_placed (&o) || (o.node < 0 && !o.find)) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "values: --pass P and one of --node M and --find WHAT are needed");
    goto failed;
  }
  if (o.find && ls_cli_given (&o, max)) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "values: --max is for the values of a node; --find names one");
    goto failed;
  }
  if (!(t = ls_cli_open_whole (&o, argv[1], &error)) || !(pass = ls_cli_pass (&o, t, &error)))
    goto failed;
  guint step = o.step < 0 ? ls_pass_n_steps (pass) : (guint) o.step;
  if (!(v = ls_values (t, pass, step, o.node < 0 ? LS_NO_NODE : (guint32) o.node, o.find, (guint) o.max, &error)))
    goto failed;
  if (o.json)
    print_as_json (t, pass, step, v, o.find);
  else
    print_text (t, pass, step, v, o.find);
  if (!o.json && v->notes)
    fputs (v->notes, stdout);
  if (o.find && v->node == LS_NO_NODE)
    status = v->sampled || v->n_unsearched ? LS_EXIT_UNJUDGED : LS_EXIT_DIFFERENT;
  goto done;
failed:
  status = ls_cli_fail (error);
done:
  ls_cli_clear (&o);
  return status;
}
