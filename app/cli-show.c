/* lazyscope-cli show: a stage, a pass or a step as text, JSON, DOT or a picture. */
#include "cli.h"

#include "ir/print.h"

#include <gio/gio.h>
#include <string.h>

static GPtrArray *
kernel_list (LsTrace *t, const LsKernel *k)
{
  GPtrArray *list = g_ptr_array_new ();
  for (guint i = 0; i < k->listing->len; i++) {
    LsUOp *u = ls_context_node (t->ctx, g_array_index (k->listing, guint32, i));
    if (u)
      g_ptr_array_add (list, u);
  }
  return list;
}

static void
escape_label (GString *s, const char *text)
{
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      g_string_append_printf (s, "\\%c", *text);
    else if (*text == '\n')
      g_string_append (s, "\\n");
    else
      g_string_append_c (s, *text);
}

/* The graph, or the step's change where there is one, as DOT. */
static char *
graph_dot (LsTrace *t, LsUOp *root, const LsGraphDiff *d)
{
  static const char *const color[] = { "#c0bfbc", "#00795a", "#b84a00", "#0b62a8" }, *const fill[] = { "#ffffff", "#ddf3eb", "#fce8da", "#dcebfa" };
  GString *s = g_string_new ("digraph uops {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=9];\n");
  g_autoptr (GPtrArray) order = ls_uop_toposort (t->ctx, root);
  guint n = d ? d->nodes->len : order->len;
  for (guint i = 0; i < n; i++) {
    LsUOp *u = d ? g_array_index (d->nodes, LsDiffNode, i).node : order->pdata[i];
    LsDiffKind kind = d ? g_array_index (d->nodes, LsDiffNode, i).kind : LS_DIFF_SAME;
    g_autofree char *summary = ls_uop_summary (u);
    g_string_append_printf (s, "  n%u [label=\"", u->id);
    escape_label (s, summary);
    g_string_append_printf (s, "\", color=\"%s\", fillcolor=\"%s\"%s];\n", color[kind], fill[kind], kind == LS_DIFF_REMOVED ? ", style=\"rounded,filled,dashed\"" : "");
    for (guint k = 0; k < u->n_src; k++)
      g_string_append_printf (s, "  n%u -> n%u%s;\n", u->src[k]->id, u->id, kind == LS_DIFF_REMOVED ? " [style=dashed]" : "");
  }
  g_string_append (s, "}\n");
  return g_string_free (s, FALSE);
}

static void
graph_json (LsTrace *t, LsUOp *root, const LsGraphDiff *d)
{
  static const char *const kinds[] = { "same", "added", "removed", "changed" };
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (GPtrArray) order = ls_uop_toposort (t->ctx, root);
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "root");
  json_builder_add_int_value (b, root->id);
  json_builder_set_member_name (b, "nodes");
  json_builder_begin_array (b);
  guint n = d ? d->nodes->len : order->len;
  for (guint i = 0; i < n; i++) {
    LsUOp *u = d ? g_array_index (d->nodes, LsDiffNode, i).node : order->pdata[i];
    char buf[64];
    g_autofree char *arg = ls_arg_print (u->arg);
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "id");
    json_builder_add_int_value (b, u->id);
    json_builder_set_member_name (b, "op");
    json_builder_add_string_value (b, ls_op_name (u->op));
    json_builder_set_member_name (b, "dtype");
    json_builder_add_string_value (b, ls_dtype_modern (u->dtype, buf));
    json_builder_set_member_name (b, "src");
    json_builder_begin_array (b);
    for (guint k = 0; k < u->n_src; k++)
      json_builder_add_int_value (b, u->src[k]->id);
    json_builder_end_array (b);
    json_builder_set_member_name (b, "arg");
    json_builder_add_string_value (b, arg);
    if (d) {
      json_builder_set_member_name (b, "change");
      json_builder_add_string_value (b, kinds[g_array_index (d->nodes, LsDiffNode, i).kind]);
    }
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

/* DOT through Graphviz's dot to a picture on stdout. */
static gboolean
draw (const char *dot, const char *format, GError **error)
{
  g_autofree char *flag = g_strdup_printf ("-T%s", format);
  g_autoptr (GSubprocess) p = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error, "dot", flag, NULL);
  if (!p) {
    g_prefix_error (error, "pictures need Graphviz's dot program: ");
    return FALSE;
  }
  g_autoptr (GBytes) in = g_bytes_new_static (dot, strlen (dot)), out = NULL;
  if (!g_subprocess_communicate (p, in, NULL, &out, NULL, error))
    return FALSE;
  fwrite (g_bytes_get_data (out, NULL), 1, g_bytes_get_size (out), stdout);
  if (!g_subprocess_get_successful (p)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "dot failed");
    return FALSE;
  }
  return TRUE;
}

static void
show_overview (LsTrace *t)
{
  printf ("%s: %u statements, %u kernels, %u copies%s\n", t->program_name ? t->program_name : "?", t->statements->len, t->kernels->len, t->n_copies,
          t->complete ? "" : " (incomplete recording)");
  for (guint kernel = 0; kernel <= t->kernels->len; kernel++) {
    LsKernel *k = ls_trace_kernel (t, kernel);
    if (k && k->same_as > 0)
      printf ("kernel %u %s: same code as kernel %d\n", kernel, k->name, k->same_as);
    else if (k)
      printf ("kernel %u %s%s%s: %u uops\n", kernel, k->name, *k->options ? ", " : "", k->options, k->listing->len);
    else
      printf ("tensor level\n");
    for (guint i = 0; i < t->passes->len; i++) {
      LsPass *p = t->passes->pdata[i];
      if (p->kernel == kernel)
        printf ("  %-14s %6u steps %8.1f us\n", p->name, ls_pass_n_steps (p), (double) p->ns / 1e3);
    }
  }
}

static void
show_schedule (LsTrace *t)
{
  for (guint i = 0; i < t->decisions->len; i++) {
    const LsDecision *d = &g_array_index (t->decisions, LsDecision, i);
    LsUOp *u = ls_context_node (t->ctx, d->node);
    LsShape shape;
    g_autofree char *text = u && ls_uop_get_shape (t->ctx, u, &shape, NULL) ? ls_shape_to_string (shape) : g_strdup ("");
    if (d->realized)
      printf ("kernel %-4u node %-6u %-12s %-16s %s\n", d->kernel, d->node, u ? ls_op_name (u->op) : "?", text, d->reason);
    else
      printf ("not stored  node %-6u %-12s %-16s %s\n", d->node, u ? ls_op_name (u->op) : "?", text, d->reason);
  }
}

static gboolean
show_kernel (LsTrace *t, const LsKernel *k, const char *stage, LsStyle style)
{
  if (strcmp (stage, "tree") == 0) {
    LsUOp *ast = ls_context_node (t->ctx, k->ast);
    if (ast) {
      g_autofree char *text = ls_tree_print (t->ctx, ast);
      fputs (text, stdout);
    }
  } else if (strcmp (stage, "listing") == 0) {
    g_autoptr (GPtrArray) list = kernel_list (t, k);
    g_autofree char *text = ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, style);
    fputs (text, stdout);
  } else if (strcmp (stage, "source") == 0) {
    fputs (k->source ? k->source : "", stdout);
  } else if (strcmp (stage, "procedure") == 0) {
    for (guint i = 0; i < k->procedure->len; i++) {
      const LsProcRow *r = &g_array_index (k->procedure, LsProcRow, i);
      printf ("%*s%s\n", (int) (2 * r->depth), "", r->text);
    }
  } else if (strcmp (stage, "exprs") == 0) {
    for (guint i = 0; i < k->exprs->len; i++) {
      const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
      printf ("%4u line %-4u %-9s %-24s %s\n", e->row, e->line, e->assigned ? "assigned" : "inlined", e->why, e->expr);
    }
  } else if (strcmp (stage, "timing") == 0) {
    for (guint i = 0; i < k->run_ns->len; i++)
      printf ("%.3f us\n", (double) g_array_index (k->run_ns, guint64, i) / 1e3);
    if (k->run_error)
      printf ("failed: %s\n", k->run_error);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
show_pass (const LsCliOptions *o, LsTrace *t, const char *format, GError **error)
{
  LsPass *pass = ls_cli_pass (o, t, error);
  if (!pass)
    return FALSE;
  guint step = o->step < 0 ? ls_pass_n_steps (pass) : (guint) o->step;
  LsUOp *root = ls_pass_root_at (t, pass, step);
  if (!root) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %u", pass->name, step);
    return FALSE;
  }
  g_autoptr (LsGraphDiff) diff = o->step > 0 ? ls_pass_diff_step (t, pass, step) : NULL;
  if (strcmp (format, "text") == 0) {
    g_autofree char *py = ls_pyrender (t->ctx, root);
    if (o->step >= 0) {
      g_autofree char *sentence = ls_step_sentence (t, pass, step);
      printf ("# %u/%s/%u: %s\n", pass->kernel, pass->name, step, sentence);
    }
    fputs (py, stdout);
    return TRUE;
  }
  if (strcmp (format, "json") == 0) {
    graph_json (t, root, diff);
    return TRUE;
  }
  g_autofree char *dot = graph_dot (t, root, diff);
  if (strcmp (format, "dot") == 0) {
    fputs (dot, stdout);
    return TRUE;
  }
  if (strcmp (format, "svg") == 0 || strcmp (format, "png") == 0)
    return draw (dot, format, error);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no format '%s'; there are text, json, dot, svg and png", format);
  return FALSE;
}

int
ls_cli_show (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  if (!ls_cli_parse (&o, "show", "Without --stage or --pass: an overview of the passes.", &argc, &argv, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsTrace) t = ls_cli_open (&o, argv[1], &error);
  const char *format = o.format ? o.format : "text";
  static const char *const kernel_stages[] = { "tree", "listing", "source", "procedure", "exprs", "timing", NULL };
  if (!t)
    goto failed;
  if (o.stage && !o.pass && !g_strv_contains (kernel_stages, o.stage) && strcmp (o.stage, "program") != 0 && strcmp (o.stage, "schedule") != 0)
    o.pass = g_strdup (o.stage);
  if (o.pass) {
    if (!show_pass (&o, t, format, &error))
      goto failed;
  } else if (!o.stage) {
    show_overview (t);
  } else if (strcmp (o.stage, "program") == 0) {
    fputs (t->program_text ? t->program_text : "", stdout);
  } else if (strcmp (o.stage, "schedule") == 0) {
    show_schedule (t);
  } else {
    if (o.kernel > (int) t->kernels->len || o.kernel == 0) {
      g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %d; the recording has %u, numbered from 1", o.kernel, t->kernels->len);
      goto failed;
    }
    LsStyle style = o.settings.MODERN ? LS_STYLE_MODERN : LS_STYLE_CLASSIC;
    for (guint i = 1; i <= t->kernels->len; i++)
      if (o.kernel < 0 || o.kernel == (int) i)
        show_kernel (t, ls_trace_kernel (t, i), o.stage, style);
  }
  ls_cli_clear (&o);
  return LS_EXIT_DONE;
failed:
  ls_cli_clear (&o);
  return ls_cli_fail (error);
}
