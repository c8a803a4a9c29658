/* lazyscope-cli show: a stage, a pass or a step as text, JSON, DOT or a picture.
 *
 * What has rows prints each as a line of text, or with --format json as an object with the same columns. Graphs (a pass, with --step
 * as it stands there) can be drawn, too.
 */
#include "cli.h"
#include "share/picture.h"
#include "rewrite/stage.h"

#include "ask/ask.h"
#include "ir/print.h"
#include "trace/diff.h"

#include <gio/gio.h>
#include <string.h>

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
graph_dot (const LsGraph *graph, const LsGraphDiff *d)
{
  static const char *const color[] = { "#c0bfbc", "#00795a", "#b84a00", "#0b62a8", "#6f6e74" },
                    *const fill[] = { "#ffffff", "#ddf3eb", "#fce8da", "#dcebfa", "#ffffff" };
  GString *s = g_string_new ("digraph uops {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", "
                             "fontsize=9];\n");
  GPtrArray *order = graph->nodes;
  guint n = d ? d->nodes->len : order->len;
  for (guint i = 0; i < n; i++) {
    LsUOp *u = d ? g_array_index (d->nodes, LsDiffNode, i).node : order->pdata[i];
    LsDiffKind kind = d ? g_array_index (d->nodes, LsDiffNode, i).kind : LS_DIFF_SAME;
    g_autofree char *summary = ls_uop_summary (u);
    g_string_append_printf (s, "  n%u [label=\"", u->id);
    escape_label (s, summary);
    g_string_append_printf (s, "\", color=\"%s\", fillcolor=\"%s\"%s];\n", color[kind], fill[kind], kind == LS_DIFF_REMOVED
                            ? ", style=\"rounded,filled,dashed\"" : kind == LS_DIFF_MOVED ? ", style=\"rounded,filled,dotted\"" : "");
    for (guint k = 0; k < u->n_src; k++)
      g_string_append_printf (s, "  n%u -> n%u%s;\n", u->src[k]->id, u->id, kind == LS_DIFF_REMOVED ? " [style=dashed]" : "");
  }
  g_string_append (s, "}\n");
  return g_string_free (s, FALSE);
}

static void
graph_json (const LsGraph *graph, const LsGraphDiff *d)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  GPtrArray *order = graph->nodes;
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "root");
  json_builder_add_int_value (b, graph->root->id);
  json_builder_set_member_name (b, "nodes");
  json_builder_begin_array (b);
  guint n = d ? d->nodes->len : order->len;
  for (guint i = 0; i < n; i++) {
    LsUOp *u = d ? g_array_index (d->nodes, LsDiffNode, i).node : order->pdata[i];
    char buf[64];
    g_autofree char *arg = ls_uop_arg_print (u);
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
      json_builder_add_string_value (b, ls_diff_kind_name (g_array_index (d->nodes, LsDiffNode, i).kind));
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
pass_line (const LsTrace *t, const LsPass *p)
{
  g_autofree char *within = p->step ? g_strdup_printf (" (in step %u of %s)", p->step, ((LsPass *) t->passes->pdata[p->parent])->name)
                                    : NULL;
  g_autofree char *name = g_strconcat (p->step ? "  " : "", p->name, within, NULL);
  printf ("  %-14s %6u steps %8.1f us  %s\n", name, ls_pass_n_steps (p), (double) p->ns / 1e3, ls_pass_sentence (p));
}

static void
show_overview (LsTrace *t, guint first, guint last)
{
  if (first == 0)
    printf ("%s: %u statements, %u kernels, %u copies%s\n", t->program_name ? t->program_name : "?", t->statements->len, t->kernels->len,
            t->n_copies,
            t->complete ? "" : " (incomplete recording)");
  if (first == 0 && t->error)
    printf ("the program failed: %s\n", t->error);
  for (guint kernel = first; kernel <= last; kernel++) {
    LsKernel *k = ls_trace_kernel (t, kernel);
    if (k && k->same_as > 0)
      printf ("kernel %u %s: same code as kernel %d\n", kernel, k->name, k->same_as);
    else if (k)
      printf ("kernel %u %s%s%s: %u uops%s%s\n", kernel, k->name, *k->options ? ", " : "", k->options, k->listing->len,
              ls_kernel_by_hand (k) ? "; its code is by hand, " : "",
              ls_kernel_by_hand (k) ? ls_kernel_by_hand (k) : "");
    else
      printf ("tensor level\n");
    for (guint i = 0; k && i < k->passes->len; i++)
      pass_line (t, t->passes->pdata[g_array_index (k->passes, guint, i)]);
    for (guint i = 0; !k && i < t->passes->len; i++)
      if (((LsPass *) t->passes->pdata[i])->kernel == 0)
        pass_line (t, t->passes->pdata[i]);
  }
}

static void
overview_json (JsonBuilder *b, LsTrace *t, guint first, guint last)
{
  ls_json_text (b, "program", t->program_name);
  ls_json_int (b, "statements", t->statements->len);
  ls_json_int (b, "copies", t->n_copies);
  ls_json_bool (b, "complete", t->complete);
  ls_json_text (b, "error", t->error);
  ls_json_array (b, "kernels");
  for (guint i = MAX (first, 1); i <= last; i++) {
    LsKernel *k = ls_trace_kernel (t, i);
    json_builder_begin_object (b);
    ls_json_int (b, "kernel", k->number);
    ls_json_text (b, "name", k->name);
    ls_json_text (b, "options", k->options);
    ls_json_text (b, "target", k->target);
    ls_json_text (b, "compiler", k->compiler);
    ls_json_int (b, "same_as", k->same_as);
    ls_json_text (b, "by_hand", ls_kernel_by_hand (k));
    ls_json_int (b, "uops", k->listing->len);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  ls_json_array (b, "passes");
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *p = t->passes->pdata[i];
    if (p->kernel < first || p->kernel > last)
      continue;
    json_builder_begin_object (b);
    ls_json_int (b, "kernel", p->kernel);
    ls_json_text (b, "name", p->name);
    ls_json_text (b, "sentence", ls_pass_sentence (p));
    ls_json_text (b, "stage", p->stage);
    ls_json_text (b, "set", p->set);
    ls_json_int (b, "steps", ls_pass_n_steps (p));
    ls_json_int (b, "links", p->links->len);
    ls_json_int (b, "input", p->input);
    if (p->output != LS_NO_NODE)
      ls_json_int (b, "output", p->output);
    else
      ls_json_bool (b, "stopped", TRUE);
    ls_json_int (b, "ns", (gint64) p->ns);
    if (p->parent >= 0)
      ls_json_text (b, "parent", ((LsPass *) t->passes->pdata[p->parent])->name);
    if (p->step)
      ls_json_int (b, "parent_step", p->step);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static const char *
file_name (LsTrace *t, gint file)
{
  return file >= 0 && (guint) file < t->files->len ? g_array_index (t->files, LsProgramFile, file).name : NULL;
}

/* "p.py:3:5", or "" where it is not known. Free with g_free. */
static char *
place_text (LsTrace *t, gint file, guint line, guint column)
{
  const char *name = file_name (t, file);
  if (!name || line == 0)
    return g_strdup ("");
  return column > 0 ? g_strdup_printf ("%s:%u:%u", name, line, column) : g_strdup_printf ("%s:%u", name, line);
}

/* What was called, each under what called it: what it made, where it was called, where it is defined. */
static void
print_calls (LsTrace *t)
{
  g_autofree guint *depth = g_new0 (guint, t->calls->len + 1);
  printf ("\ncalls\n");
  for (guint i = 0; i < t->calls->len; i++) {
    const LsCall *c = &g_array_index (t->calls, LsCall, i);
    depth[i] = c->parent >= 0 ? depth[c->parent] + 1 : 0;
    g_autofree char *text = g_strdup_printf ("%*s%s (%s)", 2 * (int) MIN (depth[i], 40) + 2, "", c->name, c->args);
    g_autofree char *node = c->node != LS_NO_NODE ? g_strdup_printf ("node %u", c->node) : g_strdup ("");
    g_autofree char *called = place_text (t, c->file, c->file_line, c->file_column), *defined = place_text (t, c->def_file, c->def_line, 0);
    printf ("%-56s %-10s %s%s%s\n", text, node, called, *defined ? ", defined at " : "", defined);
  }
}

/* The device of every tensor: there is one. */
#define DEVICE "CPU"

/* A name that a statement bound, as tensor.lazydata has it. */
static void
show_binding (LsTrace *t, const LsNameBinding *n, JsonBuilder *b)
{
  LsBoundTensor bound;
  const LsStatement *s = n->statement < t->statements->len ? &g_array_index (t->statements, LsStatement, n->statement) : NULL;
  if (!ls_bound_tensor (t, n, &bound))
    return;
  g_autofree char *view = bound.view, *shape = ls_shape_to_string (bound.shape), *arg = ls_arg_print (bound.node->arg),
                  *base = bound.base ? ls_uop_summary (bound.base) : NULL;
  const LsUOp *u = bound.node;
  if (!b) {
    printf ("  %s, line %u, turn %" G_GUINT64_FORMAT ": node %u %s %s %s, %" G_GINT64_FORMAT " elements on %s", n->name, s ? s->line : 0,
            s ? s->turn : 0, u->id, ls_op_name (u->op),
            ls_dtype_name (u->dtype), shape, ls_shape_size (bound.shape), DEVICE);
    if (u->arg.kind != LS_ARG_NONE)
      printf (", arg %s", arg);
    printf (u->n_src ? ", from" : ", from nothing");
    for (guint i = 0; i < u->n_src; i++)
      printf (" %u", u->src[i]->id);
    if (bound.base && bound.base != u)
      printf ("\n    a view of node %u %s", bound.base->id, base);
    if (view)
      printf ("\n    %s", view);
    printf (n->buffer == G_MAXUINT ? "\n    not computed then\n" : "\n    in buffer %u\n", n->buffer);
    return;
  }
  json_builder_begin_object (b);
  ls_json_int (b, "statement", n->statement);
  ls_json_text (b, "name", n->name);
  ls_json_int (b, "node", n->node);
  ls_json_text (b, "device", DEVICE);
  ls_json_text (b, "op", ls_op_name (u->op));
  ls_json_text (b, "dtype", ls_dtype_name (u->dtype));
  ls_json_array (b, "shape");
  for (guint i = 0; i < bound.shape.n; i++)
    json_builder_add_int_value (b, bound.shape.dims[i]);
  json_builder_end_array (b);
  ls_json_int (b, "size", ls_shape_size (bound.shape));
  ls_json_text (b, "arg", arg);
  ls_json_array (b, "src");
  for (guint i = 0; i < u->n_src; i++)
    json_builder_add_int_value (b, u->src[i]->id);
  json_builder_end_array (b);
  if (bound.base)
    ls_json_int (b, "base", bound.base->id);
  if (view)
    ls_json_text (b, "st", view);
  if (n->buffer != G_MAXUINT)
    ls_json_int (b, "buffer", n->buffer);
  json_builder_end_object (b);
}

static void
show_program (LsTrace *t, JsonBuilder *b)
{
  if (!b) {
    const char *text = t->program_text ? t->program_text : "";
    fputs (text, stdout);
    if (*text && !g_str_has_suffix (text, "\n"))
      putchar ('\n');
    if (t->calls->len > 0)
      print_calls (t);
    if (t->bindings->len > 0)
      puts ("\nnames");
    for (guint i = 0; i < t->bindings->len; i++)
      show_binding (t, &g_array_index (t->bindings, LsNameBinding, i), NULL);
    return;
  }
  ls_json_array (b, "files");
  for (guint i = 0; i < t->files->len; i++) {
    const LsProgramFile *f = &g_array_index (t->files, LsProgramFile, i);
    json_builder_begin_object (b);
    ls_json_text (b, "name", f->name);
    json_builder_set_member_name (b, "library");
    json_builder_add_boolean_value (b, f->library);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  ls_json_text (b, "program", t->program_name);
  ls_json_text (b, "text", t->program_text);
  ls_json_array (b, "statements");
  for (guint i = 0; i < t->statements->len; i++) {
    const LsStatement *s = &g_array_index (t->statements, LsStatement, i);
    json_builder_begin_object (b);
    ls_json_int (b, "line", s->line);
    ls_json_int (b, "end_line", s->end_line);
    ls_json_int (b, "ns", (gint64) s->ns);
    ls_json_int (b, "file", s->file);
    ls_json_int (b, "turn", (gint64) s->turn);
    ls_json_int (b, "times", (gint64) s->times);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  ls_json_array (b, "calls");
  for (guint i = 0; i < t->calls->len; i++) {
    const LsCall *c = &g_array_index (t->calls, LsCall, i);
    json_builder_begin_object (b);
    ls_json_int (b, "parent", c->parent);
    ls_json_int (b, "line", c->line);
    ls_json_text (b, "name", c->name);
    ls_json_text (b, "args", c->args);
    ls_json_int (b, "statement", c->statement);
    ls_json_int (b, "file", c->file);
    ls_json_int (b, "file_line", c->file_line);
    ls_json_int (b, "file_col", c->file_column);
    ls_json_int (b, "def_file", c->def_file);
    ls_json_int (b, "def_line", c->def_line);
    if (c->node != LS_NO_NODE)
      ls_json_int (b, "node", c->node);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  ls_json_array (b, "bindings");
  for (guint i = 0; i < t->bindings->len; i++)
    show_binding (t, &g_array_index (t->bindings, LsNameBinding, i), b);
  json_builder_end_array (b);
}

static void
show_schedule (LsTrace *t, int kernel, JsonBuilder *b)
{
  if (b)
    ls_json_array (b, "decisions");
  for (guint i = 0; i < t->decisions->len; i++) {
    const LsDecision *d = &g_array_index (t->decisions, LsDecision, i);
    LsUOp *u = ls_context_node (t->ctx, d->node);
    LsShape shape;
    g_autofree char *text = u && ls_uop_get_shape (t->ctx, u, &shape, NULL) ? ls_shape_to_string (shape) : g_strdup ("");
    if (kernel >= 0 && d->kernel != (guint) kernel)
      continue;
    if (b) {
      json_builder_begin_object (b);
      ls_json_int (b, "kernel", d->kernel);
      ls_json_int (b, "node", d->node);
      ls_json_text (b, "op", u ? ls_op_name (u->op) : "?");
      ls_json_text (b, "shape", text);
      ls_json_bool (b, "realized", d->realized);
      ls_json_text (b, "reason", d->reason);
      json_builder_end_object (b);
    } else if (d->realized) {
      printf ("kernel %-4u node %-6u %-12s %-16s %s\n", d->kernel, d->node, u ? ls_op_name (u->op) : "?", text, d->reason);
    } else {
      printf ("not stored  node %-6u %-12s %-16s %s\n", d->node, u ? ls_op_name (u->op) : "?", text, d->reason);
    }
  }
  if (b)
    json_builder_end_array (b);
}

/* A kernel that uses an earlier one's code shows that one's. */
static const LsKernel *
code_of (LsTrace *t, const LsKernel *k)
{
  const LsKernel *same = k->same_as > 0 ? ls_trace_kernel (t, (guint) k->same_as) : NULL;
  return same ? same : k;
}

static void
show_tree (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  LsUOp *ast = ls_context_node (t->ctx, code_of (t, kernel)->ast);
  g_autofree char *text = ast ? ls_tree_print (t->ctx, ast) : g_strdup ("");
  if (b)
    ls_json_text (b, "text", text);
  else
    fputs (text, stdout);
}

static void
show_listing (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (t, code_of (t, kernel));
  if (!b) {
    g_autofree char *text = ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, style);
    fputs (text, stdout);
    return;
  }
  g_autoptr (GArray) rows = ls_listing_rows (t->ctx, list->len, (LsUOp **) list->pdata, style);
  ls_json_array (b, "rows");
  for (guint i = 0; i < rows->len; i++) {
    const LsListingRow *r = &g_array_index (rows, LsListingRow, i);
    json_builder_begin_object (b);
    ls_json_int (b, "node", r->node);
    ls_json_text (b, "op", r->op);
    ls_json_text (b, "dtype", r->dtype);
    ls_json_text (b, "src", r->src);
    ls_json_text (b, "arg", r->arg);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
show_source (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  const LsKernel *k = code_of (t, kernel);
  if (!b) {
    fputs (k->source ? k->source : "", stdout);
    return;
  }
  ls_json_text (b, "text", k->source ? k->source : "");
  ls_json_array (b, "links");
  for (guint i = 0; i < k->source_links->len; i++) {
    const LsSourceLink *l = &g_array_index (k->source_links, LsSourceLink, i);
    json_builder_begin_object (b);
    ls_json_int (b, "line", l->line);
    ls_json_int (b, "node", l->node);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
add_procedure_row (JsonBuilder *b, const LsProcRow *r, const char *text)
{
  char dtype[64];
  json_builder_begin_object (b);
  ls_json_text (b, "kind", ls_proc_kind_names[r->kind]);
  ls_json_int (b, "depth", r->depth);
  if (r->node != LS_NO_NODE)
    ls_json_int (b, "node", r->node);
  if (r->op < LS_N_OPS)
    ls_json_text (b, "op", ls_op_name (r->op));
  if (r->dest != LS_NO_REGISTER)
    ls_json_int (b, "dest", r->dest);
  if (r->dtype != LS_VOID)
    ls_json_text (b, "dtype", ls_dtype_modern (r->dtype, dtype));
  if (r->value.kind != LS_ARG_NONE) {
    g_autofree char *value = ls_arg_print (r->value);
    ls_json_text (b, "value", value);
  }
  if (r->sources.kind == LS_ARG_INTS) {
    ls_json_array (b, "sources");
    for (guint i = 0; i < r->sources.n; i++)
      json_builder_add_int_value (b, r->sources.ints[i]);
    json_builder_end_array (b);
  }
  if (r->buffer)
    ls_json_text (b, "buffer", r->buffer);
  if (r->bound >= 0 && r->kind != LS_PROC_TEXT)
    ls_json_int (b, "bound", r->bound);
  ls_json_text (b, "text", text);
  json_builder_end_object (b);
}

static void
show_procedure (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  const LsKernel *k = code_of (t, kernel);
  g_autofree char *signature = ls_proc_signature (k->name, k->procedure);
  if (b) {
    ls_json_text (b, "signature", signature);
    ls_json_array (b, "rows");
  } else if (k->procedure->len)
    printf ("%s\n", signature);
  for (guint i = b ? 0 : ls_proc_n_args (k->procedure); i < k->procedure->len; i++) {
    const LsProcRow *r = &g_array_index (k->procedure, LsProcRow, i);
    g_autofree char *text = ls_proc_row_text (r);
    if (b)
      add_procedure_row (b, r, text);
    else
      printf ("%*s%s\n", (int) (2 + 2 * MIN (r->depth, 40)), "", text);
  }
  if (b)
    json_builder_end_array (b);
}

/* The lines of a text, as an array or with commas between. */
static void
show_inputs (const char *inputs, JsonBuilder *b)
{
  g_auto (GStrv) lines = g_strsplit (inputs ? inputs : "", "\n", -1);
  for (guint i = 0; lines[i]; i++)
    if (b)
      json_builder_add_string_value (b, lines[i]);
    else
      printf ("%s%s", i ? ", " : "", lines[i]);
}

/* A star before what the kernel's text hangs on, and how many rows do. */
static void
show_dialect (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  g_autoptr (GArray) uses = ls_kernel_dialect (t, kernel);
  LsSettings settings;
  ls_trace_settings (t, &settings);
  const char *profile = ls_profile_name (ls_settings_profile (&settings)), *group = "";
  if (b) {
    ls_json_text (b, "target", kernel->target);
    ls_json_text (b, "profile", profile);
    ls_json_array (b, "rows");
  } else
    printf ("kernel %u %s: the dialect %s of target %s\n", kernel->number, kernel->name, profile, kernel->target);
  for (guint i = 0; i < uses->len; i++) {
    const LsDialectUse *use = &g_array_index (uses, LsDialectUse, i);
    const char *of = use->says.of == LS_SPELLS_FLOATS ? "floats" : use->says.of == LS_SPELLS_OTHERS ? "others" : NULL;
    if (b) {
      json_builder_begin_object (b);
      ls_json_text (b, "group", use->says.group);
      ls_json_text (b, "field", use->says.name);
      if (use->says.op < LS_N_OPS)
        ls_json_text (b, "of", of ? of : "any");
      ls_json_text (b, "value", use->says.value);
      ls_json_text (b, "meaning", use->says.sentence);
      ls_json_int (b, "rows", use->n_rows);
      ls_json_bool (b, "function", use->by_function);
      json_builder_end_object (b);
      continue;
    }
    if (!g_str_equal (group, use->says.group))
      printf ("%s\n", group = use->says.group);
    g_autofree char *name = g_strdup_printf ("%s%s%s", use->says.name, of ? " of " : "", of ? of : "");
    g_autofree char *rows = use->n_rows ? g_strdup_printf ("%u", use->n_rows) : g_strdup (use->by_function ? "-" : "");
    printf ("%c %5s %-18s %-24s %s\n", use->n_rows || use->by_function ? '*' : ' ', rows, name, use->says.value ? use->says.value : "none",
            use->says.sentence);
  }
  if (b)
    json_builder_end_array (b);
}

static void
show_exprs (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  const LsKernel *k = code_of (t, kernel);
  g_autoptr (GHashTable) rows = ls_kernel_rows (t, k, style);
  if (b)
    ls_json_array (b, "rows");
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    gint row = ls_row_number (rows, e->node);
    if (b) {
      json_builder_begin_object (b);
      ls_json_int (b, "node", e->node);
      ls_json_int (b, "row", row);
      ls_json_int (b, "line", e->line);
      ls_json_bool (b, "assigned", e->assigned);
      ls_json_text (b, "expr", e->expr);
      ls_json_text (b, "why", e->why);
      ls_json_text (b, "name", e->name);
      ls_json_array (b, "inputs");
      show_inputs (e->inputs, b);
      json_builder_end_array (b);
      ls_json_text (b, "asked", e->asked);
      json_builder_end_object (b);
    } else {
      g_autofree char *number = row < 0 ? g_strdup ("-") : g_strdup_printf ("%d", row);
      gboolean named = e->name && *e->name && !g_str_equal (e->name, e->expr);
      printf ("%4s line %-4u %-9s %-24s %s%s%s", number, e->line, e->assigned ? "assigned" : "inlined", e->why, named ? e->name : "",
              named ? " = " : "", e->expr);
      if (e->inputs && *e->inputs) {
        printf ("   from ");
        show_inputs (e->inputs, NULL);
      }
      putchar ('\n');
    }
  }
  if (b)
    json_builder_end_array (b);
}

static void
instruction_json (JsonBuilder *b, const LsInstruction *ins)
{
  g_autofree char *address = g_strdup_printf ("%" G_GINT64_MODIFIER "x", ins->address);
  g_autoptr (GString) bytes = g_string_new (NULL);
  for (guint i = 0; i < MIN (ins->size, sizeof ins->bytes); i++)
    g_string_append_printf (bytes, "%02x", ins->bytes[i]);
  json_builder_begin_object (b);
  ls_json_text (b, "address", address);
  ls_json_text (b, "bytes", bytes->str);
  ls_json_text (b, "text", ins->text);
  if (ins->line)
    ls_json_int (b, "line", ins->line);
  json_builder_end_object (b);
}

static void
instruction_line (const LsInstruction *ins)
{
  g_autofree char *text = ls_instruction_print (ins);
  if (ins->line)
    printf ("line %-4u %s\n", ins->line, text);
  else
    printf ("%-9s %s\n", "-", text);
}

static void
show_compile (LsTrace *t, const LsKernel *kernel, LsStyle style, JsonBuilder *b)
{
  const LsKernel *k = code_of (t, kernel);
  g_autoptr (GArray) code = k->code ? ls_disassemble (k->code, k->n_code, k->code_address, k->code_lines) : NULL;
  if (b) {
    ls_json_text (b, "compiler", k->compiler);
    ls_json_text (b, "version", k->compiler_version);
    ls_json_text (b, "flags", k->flags);
    ls_json_text (b, "values_compiler", k->values_compiler);
    ls_json_text (b, "message", k->compile_message);
    ls_json_int (b, "bytes", (gint64) k->n_code);
    json_builder_set_member_name (b, "compile_ms");
    json_builder_add_double_value (b, k->compile_ms);
    ls_json_array (b, "code");
  } else {
    g_autofree char *label = ls_kernel_compiler_label (k);
    printf ("%s: %" G_GSIZE_FORMAT " bytes of code in %.3f ms\n%s", label, k->n_code, k->compile_ms,
            k->compile_message ? k->compile_message : "");
  }
  for (guint i = 0; code && i < code->len; i++) {
    const LsInstruction *ins = &g_array_index (code, LsInstruction, i);
    if (b)
      instruction_json (b, ins);
    else
      instruction_line (ins);
  }
  if (b)
    json_builder_end_array (b);
}

static void
show_timing (LsTrace *t, const LsKernel *k, LsStyle style, JsonBuilder *b)
{
  if (b) {
    ls_json_array (b, "run_ns");
    for (guint i = 0; i < k->run_ns->len; i++)
      json_builder_add_int_value (b, (gint64) g_array_index (k->run_ns, guint64, i));
    json_builder_end_array (b);
    ls_json_text (b, "compiler", k->compiler);
    ls_json_text (b, "version", k->compiler_version);
    ls_json_text (b, "flags", k->flags);
    ls_json_text (b, "machine", t->machine);
    ls_json_text (b, "error", k->run_error);
    return;
  }
  g_autofree char *label = ls_kernel_compiler_label (k);
  printf ("by %s%s%s\n", label, t->machine ? " on " : "", t->machine ? t->machine : "");
  for (guint i = 0; i < k->run_ns->len; i++)
    printf ("%.3f us\n", (double) g_array_index (k->run_ns, guint64, i) / 1e3);
  if (k->run_error)
    printf ("failed: %s\n", k->run_error);
}

/* Stages whose result is no graph but rows of a kernel. The names after the first are those of the stages that make them. */
static const struct { const char *names[3]; void (*show) (LsTrace *t, const LsKernel *k, LsStyle style, JsonBuilder *b);
                      } kernel_stages[] = {
  { { "tree", "ast", NULL }, show_tree },
  { { "listing", "linearize", NULL }, show_listing },
  { { "procedure", NULL }, show_procedure },
  { { "source", "render", NULL }, show_source },
  { { "exprs", NULL }, show_exprs },
  { { "dialect", NULL }, show_dialect },
  { { "compile", NULL }, show_compile },
  { { "timing", "run", NULL }, show_timing },
};

static int
find_kernel_stage (const char *name)
{
  for (gsize i = 0; name && i < G_N_ELEMENTS (kernel_stages); i++)
    if (g_strv_contains (kernel_stages[i].names, name))
      return (int) i;
  return -1;
}

/* The rows of one kernel, or of all of them. */
static gboolean
show_kernels (const LsCliOptions *o, LsTrace *t, int stage, JsonBuilder *b, GError **error)
{
  LsStyle style = ls_cli_style (o, t);
  if (!ls_cli_check_kernel (o, t, 1, error))
    return FALSE;
  if (b)
    ls_json_array (b, "kernels");
  for (guint i = 1; i <= t->kernels->len; i++) {
    const LsKernel *k = ls_trace_kernel (t, i);
    if (o->kernel >= 0 && o->kernel != (int) i)
      continue;
    if (b) {
      json_builder_begin_object (b);
      ls_json_int (b, "kernel", k->number);
      ls_json_text (b, "name", k->name);
    }
    kernel_stages[stage].show (t, k, style, b);
    if (b)
      json_builder_end_object (b);
  }
  if (b)
    json_builder_end_array (b);
  return TRUE;
}

/* What a pass over the procedure did to its rows. */
static void
diff_json (GArray *rows)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  ls_json_array (b, "rows");
  for (guint i = 0; i < rows->len; i++) {
    const LsProcDiffRow *row = &g_array_index (rows, LsProcDiffRow, i);
    const char mark[] = { row->mark, '\0' };
    json_builder_begin_object (b);
    ls_json_text (b, "mark", mark);
    ls_json_text (b, "text", row->text);
    if (row->node != LS_NO_NODE)
      ls_json_int (b, "node", row->node);
    ls_json_text (b, "reason", row->reason);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

static gboolean
show_pass (const LsCliOptions *o, LsTrace *t, const char *format, GError **error)
{
  LsPass *pass = ls_cli_pass (o, t, error);
  if (!pass)
    return FALSE;
  guint step = o->step < 0 ? ls_pass_n_steps (pass) : (guint) o->step;
  g_autofree char *procedure = strcmp (format, "text") == 0 && o->step < 0 ? ls_procedure_diff (t, pass) : NULL;
  if (procedure) {
    fputs (procedure, stdout);
    return TRUE;
  }
  g_autoptr (GArray) rows = strcmp (format, "json") == 0 && o->step < 0 ? ls_procedure_diff_rows (t, pass) : NULL;
  if (rows) {
    diff_json (rows);
    return TRUE;
  }
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, step);
  if (!graph) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %u", pass->name, step);
    return FALSE;
  }
  g_autoptr (LsGraphDiff) diff = o->step > 0 ? ls_pass_diff_step (t, pass, step) : NULL;
  if (strcmp (format, "text") == 0) {
    g_autofree char *py = ls_pyrender (graph->ctx, graph->root);
    if (o->step >= 0) {
      g_autofree char *sentence = ls_step_sentence (t, pass, step);
      const LsPosition at = { t, pass, step };
      g_autofree char *place = ls_position_print (&at);
      printf ("# %s: %s\n", place, sentence);
    }
    fputs (py, stdout);
    return TRUE;
  }
  if (strcmp (format, "json") == 0) {
    graph_json (graph, diff);
    return TRUE;
  }
  if (strcmp (format, "svg") == 0 && g_strcmp0 (o->layout, "dot") != 0) {
    g_autofree char *svg = ls_picture_svg (t, pass, o->step, error);
    fputs (svg ? svg : "", stdout);
    return svg != NULL;
  }
  g_autofree char *dot = graph_dot (graph, diff);
  if (strcmp (format, "dot") != 0)
    return draw (dot, format, error);
  fputs (dot, stdout);
  return TRUE;
}

/* What was asked for, as far as it can be judged before a program runs. A --stage that is none of the rows' stages is a pass. */
static gboolean
check_request (LsCliOptions *o, GError **error)
{
  static const char *const formats[] = { "text", "json", "dot", "svg", "png", NULL };
  const char *format = o->format ? o->format : o->json ? "json" : "text";
  if (!g_strv_contains (formats, format)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no format '%s'; there are text, json, dot, svg and png", format);
    return FALSE;
  }
  if (o->format && o->json && strcmp (format, "json") != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--json and --format %s cannot be given together", format);
    return FALSE;
  }
  if (o->layout && (strcmp (format, "svg") != 0 || (strcmp (o->layout, "dot") != 0 && strcmp (o->layout, "own") != 0))) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--layout %s: --format svg draws the boxes where the window has them (own), or where "
                                                  "Graphviz puts them (dot)", o->layout);
    return FALSE;
  }
  if (!o->format)
    o->format = g_strdup (format);
  if (o->recorded && o->sets && find_kernel_stage (o->stage) != find_kernel_stage ("listing") &&
      find_kernel_stage (o->stage) != find_kernel_stage ("exprs")) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "of a recording --set says how the listing is printed and its rows numbered: it needs "
                                                  "--stage listing or exprs");
    return FALSE;
  }
  if (o->stage && o->kernel >= 0 && strcmp (o->stage, "program") == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--stage program is of no kernel; leave the kernel out");
    return FALSE;
  }
  if (o->stage && o->pass) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--stage and --pass cannot be given together");
    return FALSE;
  }
  if (o->stage && find_kernel_stage (o->stage) < 0 && strcmp (o->stage, "program") != 0 && strcmp (o->stage, "schedule") != 0)
    o->pass = g_strdup (o->stage);
  if (o->pass || (ls_cli_is_placed (o) && !o->stage))
    return TRUE;
  if (o->step >= 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--step needs a --pass");
    return FALSE;
  }
  if (strcmp (format, "text") != 0 && strcmp (format, "json") != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "--format %s draws the graph of a pass: it needs a --pass", format);
    return FALSE;
  }
  return TRUE;
}

/* The error of a pass that is none says which stages there are, where one was asked for. FALSE. */
static gboolean
name_stages (const LsCliOptions *o, GError **error)
{
  g_autoptr (GString) names = g_string_new ("program, schedule");
  for (gsize i = 0; i < G_N_ELEMENTS (kernel_stages); i++)
    g_string_append_printf (names, ", %s", kernel_stages[i].names[0]);
  if (o->stage && g_error_matches (*error, LS_ERROR, LS_ERROR_USAGE))
    g_prefix_error (error, "'%s' is none of the stages %s, and of the passes: ", o->stage, names->str);
  return FALSE;
}

static gboolean
show (const LsCliOptions *o, LsTrace *t, GError **error)
{
  if (o->pass || (ls_cli_is_placed (o) && !o->stage))
    return show_pass (o, t, o->format, error) || name_stages (o, error);
  g_autoptr (JsonBuilder) b = strcmp (o->format, "json") == 0 ? json_builder_new () : NULL;
  if (!ls_cli_check_kernel (o, t, 0, error))
    return FALSE;
  if (b)
    json_builder_begin_object (b);
  if (!o->stage) {
    guint first = o->kernel < 0 ? 0 : (guint) o->kernel, last = o->kernel < 0 ? t->kernels->len : (guint) o->kernel;
    if (b)
      overview_json (b, t, first, last);
    else
      show_overview (t, first, last);
  } else if (strcmp (o->stage, "program") == 0) {
    show_program (t, b);
  } else if (strcmp (o->stage, "schedule") == 0) {
    show_schedule (t, o->kernel, b);
  } else if (!show_kernels (o, t, find_kernel_stage (o->stage), b, error)) {
    return FALSE;
  }
  if (b) {
    json_builder_end_object (b);
    ls_cli_print_json (b);
  }
  return TRUE;
}

int
ls_cli_show (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autoptr (LsTrace) t = NULL;
  gboolean ok = ls_cli_parse (&o, LS_CLI_SHOW, "Without --stage or --pass: an overview of the passes. FILE may end in a place, such as "
                                               "FILE#2/simplify/117.", &argc, &argv, &error) &&
                check_request (&o, &error) && (t = ls_cli_open (&o, argv[1], &error)) && show (&o, t, &error);
  ls_cli_clear (&o);
  return ok ? LS_EXIT_DONE : ls_cli_fail (error);
}
