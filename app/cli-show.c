/* lazyscope-cli show: a stage, a pass or a step as text, JSON, DOT or a picture.
 *
 * Stages with rows print each as a line of text; as JSON and CSV they are the answers of ask/show.h. Graphs (a pass, with --step the
 * graph after that step) can be drawn, too.
 */
#include "cli.h"
#include "trace/row-steps.h"
#include "share/picture.h"

#include "ask/show.h"
#include "run/run.h"
#include "trace/realizations.h"
#include "trace/statements.h"
#include "trace/what-if.h"

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

/* DOT through Graphviz's dot to a picture on stdout. */
static gboolean
draw (const char *dot, const char *format, GError **error)
{
  g_autofree char *flag = g_strdup_printf ("-T%s", format);
  g_autoptr (GSubprocess) p = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error, "dot", flag, NULL);
  if (!p) {
    g_prefix_error (error, "pictures need the program dot of Graphviz: ");
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
  g_autofree char *within = p->step ? g_strdup_printf (_(" (in step %u of %s)"), p->step, ((LsPass *) t->passes->pdata[p->parent])->name)
                                    : NULL;
  g_autofree char *name = g_strconcat (p->step ? "  " : "", p->name, within, NULL);
  printf (ngettext ("  %-14s %6u step  %8.1f us  %s\n", "  %-14s %6u steps %8.1f us  %s\n", ls_pass_n_steps (p)), name, ls_pass_n_steps (p),
          (double) p->ns / 1e3, ls_shown (ls_pass_sentence (p)));
}

static void
show_overview (const LsShown *shown)
{
  LsTrace *t = shown->trace;
  guint first = shown->kernel < 0 ? 0 : (guint) shown->kernel, last = shown->kernel < 0 ? t->kernels->len : first;
  if (first == 0)
    printf (_("%s: %u statements, %u kernels, %u copies%s\n"), t->program_name ? t->program_name : "?", t->statements->len, t->kernels->len,
            t->n_copies, t->complete ? "" : _(" (incomplete recording)"));
  g_autofree char *error = first == 0 && t->error ? ls_sentence_shown (t->error) : NULL;
  if (error)
    printf (_("the program failed: %s\n"), error);
  for (guint kernel = first; kernel <= last; kernel++) {
    LsKernel *k = ls_trace_kernel (t, kernel);
    const LsStatement *at = ls_kernel_statement (t, kernel);
    if (k && k->same_as > 0)
      printf (_("kernel %u %s: same code as kernel %d\n"), kernel, k->name, k->same_as);
    else if (k)
      printf (ls_kernel_by_hand (k) ? _("kernel %u %s%s%s: %u uops; its code is hand-written, %s\n")
                                    : _("kernel %u %s%s%s: %u uops\n"), kernel, k->name, *k->options ? ", " : "", k->options,
              k->listing->len, ls_kernel_by_hand (k));
    else
      puts (_("tensor level"));
    if (at)
      printf (_("  realized by line %u: %s\n"), at->line, at->text);
    for (guint i = 0; k && i < k->passes->len; i++)
      pass_line (t, t->passes->pdata[g_array_index (k->passes, guint, i)]);
    for (guint i = 0; !k && i < t->passes->len; i++)
      if (((LsPass *) t->passes->pdata[i])->kernel == 0)
        pass_line (t, t->passes->pdata[i]);
  }
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

/* What a call computed: below it, each with the place where it is shown. */
static void
print_did (LsTrace *t, guint call, guint depth)
{
  const LsRealization *r = ls_call_realization (t, call);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LsDid));
  if (r)
    ls_realization_list (t, r, G_MAXUINT, list);
  for (guint i = 0; i < list->len; i++) {
    const LsDid *did = &g_array_index (list, LsDid, i);
    g_autofree char *sentence = ls_did_sentence (t, did), *place = ls_did_place (t, did), *shown = ls_sentence_shown (sentence);
    g_autofree char *text = g_strdup_printf ("%*s%s", 2 * (int) MIN (depth, 40) + 4, "", shown), *column = ls_cli_padded (text, -67);
    printf ("%s %s\n", column, place ? place : "");
  }
}

/* Calls, each under its parent: the node that it made, its position, its definition. */
static void
print_calls (LsTrace *t)
{
  g_autofree guint *depth = g_new0 (guint, t->calls->len + 1);
  printf ("\n%s\n", _("calls"));
  for (guint i = 0; i < t->calls->len; i++) {
    const LsCall *c = &g_array_index (t->calls, LsCall, i);
    depth[i] = c->parent >= 0 ? depth[c->parent] + 1 : 0;
    g_autofree char *text = g_strdup_printf ("%*s%s (%s)", 2 * (int) MIN (depth[i], 40) + 2, "", c->name, c->args);
    g_autofree char *node = c->node != LS_NO_NODE ? g_strdup_printf (_("node %u"), c->node) : g_strdup ("");
    g_autofree char *called = place_text (t, c->file, c->file_line, c->file_column), *defined = place_text (t, c->def_file, c->def_line, 0);
    printf ("%-56s %-10s %s%s%s%s\n", text, node, called, *defined ? _(", defined at ") : "", defined,
            ls_call_made_nothing (t, i) ? _(", returned what it was given") : "");
    print_did (t, i, depth[i]);
  }
}

/* guint64: the iteration that each name was bound in, 0 where it need not be said: of a statement that ran more than once its own, of a
 * name that a for statement binds in each iteration that of its loop. */
static GArray *
find_iterations (LsTrace *t)
{
  g_autoptr (GHashTable) again = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),      /* lines that ran more than once */
                         total = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),      /* a loop's name -> how often bound */
                         bound = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);      /* the same so far */
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint i = 0; i < t->statements->len; i++) {
    const LsStatement *s = &g_array_index (t->statements, LsStatement, i);
    if (s->turn > 1)
      g_hash_table_add (again, g_strdup_printf ("%u:%u", s->file, s->line));
  }
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < t->bindings->len; i++) {
      const LsNameBinding *n = &g_array_index (t->bindings, LsNameBinding, i);
      const LsStatement *s = n->statement < t->statements->len ? &g_array_index (t->statements, LsStatement, n->statement) : NULL;
      gboolean is_for = s && g_str_has_prefix (s->text, "for ");
      g_autofree char *name = g_strdup_printf ("%u %s", n->statement, n->name),
                      *line = s ? g_strdup_printf ("%u:%u", s->file, s->line) : g_strdup ("");
      guint64 turn = is_for ? GPOINTER_TO_SIZE (g_hash_table_lookup (k ? bound : total, name)) + 1
                            : g_hash_table_contains (again, line) ? s->turn : 0;
      if (is_for)
        g_hash_table_insert (k ? bound : total, g_strdup (name), GSIZE_TO_POINTER (turn));
      if (is_for && GPOINTER_TO_SIZE (g_hash_table_lookup (total, name)) == 1)
        turn = 0;
      if (k)
        g_array_append_val (out, turn);
    }
  return out;
}

static void
print_binding (LsTrace *t, const LsNameBinding *n, guint64 iteration)
{
  g_autofree char *turn = iteration ? g_strdup_printf (_(", iteration %" PRIu64), iteration) : g_strdup ("");
  g_auto (LsBoundName) bound = { NULL };
  const LsStatement *s = n->statement < t->statements->len ? &g_array_index (t->statements, LsStatement, n->statement) : NULL;
  if (!ls_bound_name (t, n, &bound))
    return;
  const LsUOp *u = bound.node;
  if (bound.expr) {
    printf (_("  %s, line %u%s: node %u %s %s, %s\n"), n->name, s ? s->line : 0, turn, u->id,
            ls_op_name (u->op), ls_dtype_name (u->dtype), bound.expr);
    return;
  }
  g_autofree char *shape = ls_shape_to_string (bound.shape), *arg = ls_arg_print (bound.node->arg),
                  *base = bound.base ? ls_uop_summary (bound.base) : NULL;
  printf (_("  %s, line %u%s: node %u %s %s %s, %" PRId64 " elements on %s"), n->name, s ? s->line : 0, turn, u->id,
          ls_op_name (u->op),
          ls_dtype_name (u->dtype), shape, ls_shape_size (bound.shape), LS_SHOWN_DEVICE);
  if (u->arg.kind != LS_ARG_NONE)
    printf (_(", arg %s"), arg);
  fputs (u->n_src ? _(", from") : _(", from nothing"), stdout);
  for (guint i = 0; i < u->n_src; i++)
    printf (" %u", u->src[i]->id);
  if (bound.base && bound.base != u)
    printf (_("\n    a view of node %u %s"), bound.base->id, base);
  if (bound.view)
    printf ("\n    %s", bound.view);
  if (n->buffer == G_MAXUINT)
    puts (_("\n    not computed by then"));
  else
    printf (_("\n    in buffer %u\n"), n->buffer);
}

/* The walk through the program: each statement, and what it did. */
static void
print_stops (LsTrace *t)
{
  const GArray *stops = ls_trace_stops (t);
  printf ("\n%s\n", _("statements"));
  for (guint i = 0; i < stops->len; i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    const LsStatement *s = stop->row < t->statements->len ? &g_array_index (t->statements, LsStatement, stop->row) : NULL;
    g_autofree char *did = ls_stop_sentence (t, stop, TRUE), *first = s ? g_strndup (s->text, strcspn (s->text, "\n")) : NULL;
    g_autofree char *turn = s && s->turn > 1 ? g_strdup_printf (_(", iteration %" PRIu64), s->turn) : g_strdup ("");
    g_autofree char *text = s ? g_strdup_printf (_("  line %u%s: %s"), s->line, turn, first) : g_strdup ("");
    g_autofree char *column = ls_cli_padded (text, -56);
    printf ("%s %s\n", column, did);
  }
}

static void
show_program (const LsShown *shown)
{
  LsTrace *t = shown->trace;
  const char *text = t->program_text ? t->program_text : "";
  fputs (text, stdout);
  if (*text && !g_str_has_suffix (text, "\n"))
    putchar ('\n');
  if (t->statements->len > 0)
    print_stops (t);
  if (t->calls->len > 0)
    print_calls (t);
  if (t->bindings->len > 0)
    printf ("\n%s\n", _("names"));
  g_autoptr (GArray) iterations = find_iterations (t);
  for (guint i = 0; i < t->bindings->len; i++)
    print_binding (t, &g_array_index (t->bindings, LsNameBinding, i), g_array_index (iterations, guint64, i));
}

static void
print_decision (LsTrace *t, const LsPass *pass, guint step)
{
  g_auto (LsRowWords) words = { NULL };
  const LsPosition at = { t, pass, step };
  g_autofree char *place = ls_cli_place (&at, -22);
  ls_row_step_words (pass, step, TRUE, &words);
  printf ("%s %s: %s\n", place, words.change, words.why);
}

static void
show_schedule (const LsShown *shown)
{
  LsTrace *t = shown->trace;
  g_autoptr (GArray) copies = ls_shown_copies (shown);
  for (guint i = 0; i < copies->len; i++) {
    const LsDid *did = &g_array_index (copies, LsDid, i);
    g_autofree char *sentence = ls_did_sentence (t, did), *text = ls_sentence_shown (sentence),
                    *kernel = did->kernel ? g_strdup_printf (_("kernel %-4u"), did->kernel) : g_strdup (""),
                    *column = ls_cli_padded (kernel, -11);
    printf ("%s %s\n", column, text);
  }
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    for (guint step = 1; ls_schedule_step_decision (pass, step); step++)
      if (ls_shown_decides (shown, ls_schedule_step_decision (pass, step)))
        print_decision (t, pass, step);
  }
  LsShownMemory m = ls_shown_memory (shown);
  if (m.n && shown->kernel < 0)
    printf (_("memory      intermediate buffers: %u in %" PRId64 " bytes; side by side %" PRId64 "; kernel %u needs %" PRId64
              " at one time\n"), m.n, m.bytes, m.side_by_side, m.kernel, m.alive);
}

static void
show_tree (const LsShown *shown, const LsKernel *kernel)
{
  LsTrace *t = shown->trace;
  LsUOp *ast = ls_context_node (t->ctx, ls_shown_code (t, kernel)->ast);
  g_autofree char *text = ast ? ls_tree_print (t->ctx, ast) : g_strdup ("");
  fputs (text, stdout);
}

static void
show_listing (const LsShown *shown, const LsKernel *kernel)
{
  LsTrace *t = shown->trace;
  g_autoptr (GPtrArray) list = ls_kernel_list (t, ls_shown_code (t, kernel));
  g_autofree char *text = ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, shown->style);
  fputs (text, stdout);
}

static void
show_source (const LsShown *shown, const LsKernel *kernel)
{
  const LsKernel *k = ls_shown_code (shown->trace, kernel);
  fputs (k->source ? k->source : "", stdout);
}

static void
show_procedure (const LsShown *shown, const LsKernel *kernel)
{
  const LsKernel *k = ls_shown_code (shown->trace, kernel);
  g_autofree char *signature = ls_proc_signature (k->name, k->procedure);
  if (k->procedure->len)
    printf ("%s\n", signature);
  for (guint i = ls_proc_n_args (k->procedure); i < k->procedure->len; i++) {
    const LsProcRow *r = &g_array_index (k->procedure, LsProcRow, i);
    g_autofree char *text = ls_proc_row_text (r);
    printf ("%*s%s\n", (int) (2 + 2 * MIN (r->depth, 40)), "", text);
  }
}

/* A star before the fields that the kernel's text depends on, and the number of rows that do. */
static void
show_dialect (const LsShown *shown, const LsKernel *kernel)
{
  g_autoptr (GArray) uses = ls_kernel_dialect (shown->trace, kernel);
  const char *group = "";
  printf (_("kernel %u %s: the dialect %s of target %s\n"), kernel->number, kernel->name, ls_shown_profile (shown->trace), kernel->target);
  for (guint i = 0; i < uses->len; i++) {
    const LsDialectUse *use = &g_array_index (uses, LsDialectUse, i);
    const char *of = ls_shown (ls_spells_text (use->says.of));
    if (!g_str_equal (group, use->says.group))
      puts (ls_shown (group = use->says.group));
    g_autofree char *name = g_strconcat (use->says.name, of, NULL);
    g_autofree char *rows = use->n_rows ? g_strdup_printf ("%u", use->n_rows) : g_strdup (use->by_function ? "-" : "");
    printf ("%c %5s %-18s %-24s %s\n", use->n_rows || use->by_function ? '*' : ' ', rows, name,
            use->says.value ? use->says.value : _("none"),
            ls_shown (use->says.sentence));
  }
}

static void
show_exprs (const LsShown *shown, const LsKernel *kernel)
{
  const LsKernel *k = ls_shown_code (shown->trace, kernel);
  g_autoptr (GHashTable) rows = ls_kernel_rows (shown->trace, k, shown->style);
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    gint row = ls_row_number (rows, e->node);
    g_autofree char *number = row < 0 ? g_strdup ("-") : g_strdup_printf ("%d", row);
    gboolean named = e->name && *e->name && !g_str_equal (e->name, e->expr);
    g_autofree char *reason = ls_sentence_shown (e->why ? e->why : ""), *why = ls_cli_padded (reason, -24);
    printf (e->assigned ? _("%4s line %-4u assigned  %s %s%s%s") : _("%4s line %-4u inlined   %s %s%s%s"), number, e->line, why,
            named ? e->name : "", named ? " = " : "", e->expr);
    if (e->inputs && *e->inputs) {
      g_auto (GStrv) inputs = g_strsplit (e->inputs, "\n", -1);
      g_autofree char *list = g_strjoinv (", ", inputs);
      printf (_("   from %s"), list);
    }
    putchar ('\n');
  }
}

static void
show_compile (const LsShown *shown, const LsKernel *kernel)
{
  const LsKernel *k = ls_shown_code (shown->trace, kernel);
  g_autoptr (GArray) code = ls_shown_instructions (k);
  g_autofree char *label = ls_kernel_compiler_label (k);
  g_autofree char *message = ls_sentence_shown (k->compile_message ? k->compile_message : "");
  printf (_("%s: %zu bytes of code in %.3f ms\n%s"), label, k->n_code, k->compile_ms, message);
  for (guint i = 0; code && i < code->len; i++) {
    const LsInstruction *ins = &g_array_index (code, LsInstruction, i);
    g_autofree char *text = ls_instruction_print (ins);
    if (ins->line)
      printf (_("line %-4u %s\n"), ins->line, text);
    else
      printf ("%-9s %s\n", "-", text);
  }
}

static void
show_timing (const LsShown *shown, const LsKernel *k)
{
  LsTrace *t = shown->trace;
  g_autofree char *label = ls_kernel_compiler_label (k);
  g_autofree char *machine = ls_sentence_shown (t->machine ? t->machine : "");
  if (*machine)
    printf (_("by %s on %s\n"), label, machine);
  else
    printf (_("by %s\n"), label);
  for (guint i = 0; i < k->run_ns->len; i++)
    printf ("%.3f us\n", (double) g_array_index (k->run_ns, guint64, i) / 1e3);
  g_autofree char *error = k->run_error ? ls_sentence_shown (k->run_error) : NULL;
  if (error)
    printf (_("failed: %s\n"), error);
}

/* Stages whose result is not a graph but rows of a kernel. The names after the first are those of the stages that make them. */
static const struct {
  const char *names[3];
  void      (*show) (const LsShown *shown, const LsKernel *k);
  const LsRecord *answer;
} kernel_stages[] = {
  { { "tree", "ast", NULL }, show_tree, &ls_show_tree_answer },
  { { "listing", "linearize", NULL }, show_listing, &ls_show_listing_answer },
  { { "procedure", NULL }, show_procedure, &ls_show_procedure_answer },
  { { "source", "render", NULL }, show_source, &ls_show_source_answer },
  { { "exprs", NULL }, show_exprs, &ls_show_exprs_answer },
  { { "dialect", NULL }, show_dialect, &ls_show_dialect_answer },
  { { "compile", NULL }, show_compile, &ls_show_compile_answer },
  { { "timing", "run", NULL }, show_timing, &ls_show_timing_answer },
};

static int
find_kernel_stage (const char *name)
{
  for (gsize i = 0; name && i < G_N_ELEMENTS (kernel_stages); i++)
    if (g_strv_contains (kernel_stages[i].names, name))
      return (int) i;
  return -1;
}

/* The graph of a pass in one of the formats, or as JSON or CSV. */
static gboolean
show_graph (const LsCliOptions *o, LsTrace *t, const LsPass *pass, guint step, GError **error)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, step);
  if (!graph) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %u", pass->name, step);
    return FALSE;
  }
  g_autoptr (LsGraphDiff) diff = o->step > 0 ? ls_pass_diff_step (t, pass, step) : NULL;
  LsShownPass shown = { .graph = graph, .diff = diff };
  if (ls_cli_answer (o, &ls_show_pass_answer, &shown, t->ctx, &shown))
    return TRUE;
  if (strcmp (o->format, "text") == 0) {
    g_autofree char *py = ls_pyrender (graph->ctx, graph->root);
    if (o->step >= 0) {
      g_autofree char *sentence = ls_step_sentence_shown (t, pass, step, diff);
      const LsPosition at = { t, pass, step };
      g_autofree char *place = ls_cli_place (&at, 0);
      printf ("# %s: %s\n", place, sentence);
    }
    fputs (py, stdout);
    return TRUE;
  }
  if (strcmp (o->format, "svg") == 0 && g_strcmp0 (o->layout, "dot") != 0) {
    g_autofree char *svg = ls_picture_svg (t, pass, o->step, error);
    fputs (svg ? svg : "", stdout);
    return svg != NULL;
  }
  g_autofree char *dot = graph_dot (graph, diff);
  if (strcmp (o->format, "dot") != 0)
    return draw (dot, o->format, error);
  fputs (dot, stdout);
  return TRUE;
}

/* A step of a pass that is not a rewrite: what it did and why, the rows up to it, and the source so far. */
static void
print_step (LsTrace *t, const LsPass *pass, guint step, const GArray *rows)
{
  const LsPosition at = { t, pass, step };
  g_auto (LsRowWords) words = { NULL };
  g_autofree char *sentence = ls_step_sentence_shown (t, pass, step, NULL), *place = ls_cli_place (&at, 0);
  printf ("# %s: %s\n", place, sentence);
  ls_row_step_words (pass, step, TRUE, &words);
  g_auto (GStrv) more = g_strsplit (words.more ? words.more : "", "\n", -1);
  for (guint i = 0; more[i]; i++)
    printf ("# %s\n", more[i]);
  g_autofree char *template = ls_render_step_template (t, pass, step, TRUE);
  if (template)
    printf ("# %s\n", template);
  g_autofree char *what_if = ls_what_if_text (pass, step);
  if (what_if)
    printf (_("# Turned around by --variant schedule=%s\n"), what_if);
  for (guint i = 0; i < rows->len; i++) {
    const LsProcDiffRow *row = &g_array_index (rows, LsProcDiffRow, i);
    printf ("%c %s\n", row->mark, row->text);
  }
  guint lines = ls_step_source_lines (t, pass, step);
  const LsKernel *k = ls_trace_kernel (t, pass->kernel);
  if (lines == G_MAXUINT || !k->source)
    return;
  g_auto (GStrv) source = g_strsplit (k->source, "\n", -1);
  for (guint i = 0; i < lines && source[i]; i++)
    printf ("  %s\n", source[i]);
}

/* A pass over the procedure is shown as its changes to the rows, unless a step or a picture is requested. */
static gboolean
show_pass (const LsCliOptions *o, LsTrace *t, GError **error)
{
  LsPass *pass = ls_cli_pass (o, t, error);
  if (!pass)
    return FALSE;
  gboolean of_rows = o->json || o->csv || strcmp (o->format, "text") == 0;
  g_autoptr (GArray) rows = !of_rows ? NULL : o->step < 0 ? ls_procedure_diff_rows (t, pass)
                                            : ls_step_rows (t, pass, (guint) o->step, !o->json && !o->csv);
  if (!rows)
    return show_graph (o, t, pass, o->step < 0 ? ls_pass_n_steps (pass) : (guint) o->step, error);
  LsShownPass shown = { .rows = rows };
  if (ls_cli_answer (o, &ls_show_pass_answer, &shown, t->ctx, &shown))
    return TRUE;
  if (o->step >= 0) {
    print_step (t, pass, (guint) o->step, rows);
    return TRUE;
  }
  g_autofree char *text = ls_procedure_diff (t, pass, TRUE);
  fputs (text, stdout);
  return TRUE;
}

/* Validates the request, as far as possible before a program runs. A --stage that is not one of the rows' stages is a pass. */
static gboolean
check_request (LsCliOptions *o, GError **error)
{
  static const char *const formats[] = { "text", "json", "dot", "svg", "png", NULL };
  const char *format = o->format ? o->format : o->json ? "json" : "text";
  if (!g_strv_contains (formats, format))
    return ls_cli_refuse (error, "there is no format '%s'; the formats are text, json, dot, svg and png", format);
  if (o->format && (o->json || o->csv) && strcmp (format, o->json ? "json" : "csv") != 0)
    return ls_cli_refuse (error, "--%s and --format %s cannot be given together", o->json ? "json" : "csv", format);
  if (o->layout && (strcmp (format, "svg") != 0 || (strcmp (o->layout, "dot") != 0 && strcmp (o->layout, "own") != 0)))
    return ls_cli_refuse (error, "--layout %s: the layouts of --format svg are own (as in the window) and dot (Graphviz)", o->layout);
  o->json = strcmp (format, "json") == 0;
  if (!o->format)
    o->format = g_strdup (format);
  if (o->recorded && o->sets && find_kernel_stage (o->stage) != find_kernel_stage ("listing") &&
      find_kernel_stage (o->stage) != find_kernel_stage ("exprs"))
    return ls_cli_refuse (error, "for a recording, --set sets the style and numbering of listings: it needs --stage listing or exprs");
  if (o->stage && o->kernel >= 0 && strcmp (o->stage, "program") == 0)
    return ls_cli_refuse (error, "--stage program does not belong to a kernel; omit the kernel");
  if (o->stage && o->pass)
    return ls_cli_refuse (error, "--stage and --pass cannot be given together");
  if (o->stage && find_kernel_stage (o->stage) < 0 && strcmp (o->stage, "program") != 0 && strcmp (o->stage, "schedule") != 0)
    o->pass = g_strdup (o->stage);
  if (o->pass || (ls_cli_is_placed (o) && !o->stage))
    return TRUE;
  if (o->step >= 0)
    return ls_cli_refuse (error, "--step needs --pass");
  if (strcmp (format, "text") != 0 && strcmp (format, "json") != 0)
    return ls_cli_refuse (error, "--format %s draws the graph of a pass: it needs --pass", format);
  return TRUE;
}

/* The error about an unknown pass lists the stages, if a stage was requested. FALSE. */
static gboolean
name_stages (const LsCliOptions *o, GError **error)
{
  g_autoptr (GString) names = g_string_new ("program, schedule");
  for (gsize i = 0; i < G_N_ELEMENTS (kernel_stages); i++)
    g_string_append_printf (names, ", %s", kernel_stages[i].names[0]);
  if (o->stage && g_error_matches (*error, LS_ERROR, LS_ERROR_USAGE))
    g_prefix_error (error, "'%s' is not one of the stages %s, nor of the passes: ", o->stage, names->str);
  return FALSE;
}

static gboolean
show (const LsCliOptions *o, LsTrace *t, GError **error)
{
  int stage = find_kernel_stage (o->stage);
  if (o->pass || (ls_cli_is_placed (o) && !o->stage))
    return show_pass (o, t, error) || name_stages (o, error);
  if (!ls_cli_check_kernel (o, t, stage < 0 ? 0 : 1, error))
    return FALSE;
  gboolean program = g_strcmp0 (o->stage, "program") == 0, schedule = g_strcmp0 (o->stage, "schedule") == 0;
  LsShown shown = { t, ls_cli_style (o, t), o->kernel };
  const LsRecord *answer = program ? &ls_show_program_answer : schedule ? &ls_show_schedule_answer
                           : stage < 0 ? &ls_show_overview_answer : kernel_stages[stage].answer;
  if (ls_cli_answer (o, answer, &shown, t->ctx, &shown))
    return TRUE;
  if (stage < 0)
    (program ? show_program : schedule ? show_schedule : show_overview) (&shown);
  for (guint i = 0; stage >= 0 && i < t->kernels->len; i++)
    if (ls_shown_has (&shown, i + 1))
      kernel_stages[stage].show (&shown, t->kernels->pdata[i]);
  return TRUE;
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsTrace) t = check_request (o, error) ? ls_cli_open (o, *files, error) : NULL;
  return t && show (o, t, error) ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

const LsCliCommand ls_cli_show = {
  run, N_("Without --stage or --pass: prints an overview of the passes. FILE may end in a place, such as FILE#2/simplify/117."),
};
