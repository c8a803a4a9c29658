/* --debug: the output on stderr while a program runs, each level adding to the one below. */
#include "cli.h"

#include "ir/print.h"

static void
on_schedule (LsSession *s, guint n, gpointer data)
{
  if (s->settings.DEBUG >= 1)
    fprintf (stderr, "scheduled %u kernel%s\n", n, n == 1 ? "" : "s");
}

static void
on_kernel (LsSession *s, LsKernel *k, gpointer data)
{
  gint64 level = s->settings.DEBUG;
  if (level < 3 || k->same_as > 0)
    return;
  LsUOp *ast = ls_context_node (s->ctx, k->ast);
  if (ast) {
    g_autofree char *tree = ls_tree_print (s->ctx, ast);
    fputs (tree, stderr);
  }
  if (*k->options)
    fprintf (stderr, "applied_opts: %s\n", k->options);
  if (level < 4)
    return;
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  for (guint i = 0; i < k->listing->len; i++)
    g_ptr_array_add (list, ls_context_node (s->ctx, g_array_index (k->listing, guint32, i)));
  g_autofree char *text = ls_listing_print (s->ctx, list->len, (LsUOp **) list->pdata,
                                            s->settings.CLASSIC ? LS_STYLE_CLASSIC : LS_STYLE_OPS);
  fputs (text, stderr);
  fputs (k->source, stderr);
}

static void
on_ran (LsSession *s, LsKernel *k, gpointer data)
{
  if (s->settings.DEBUG < 2)
    return;
  guint64 best = 0;
  for (guint i = 0; i < k->run_ns->len; i++) {
    guint64 ns = g_array_index (k->run_ns, guint64, i);
    best = best == 0 || ns < best ? ns : best;
  }
  g_autofree char *upper = g_ascii_strup (k->compiler, -1), *label = ls_kernel_compiler_label (k);
  if (k->run_error)
    fprintf (stderr, "*** %-10s %4u %-38s failed: %s\n", upper, k->number, k->name, k->run_error);
  else
    fprintf (stderr, "*** %-10s %4u %-38s arg %3u tm %10.2fus compile %8.2fms (%8.2f GFLOPS, %7.2f GB/s) %s\n", upper, k->number, k->name,
             k->buffers->len,
             (double) best / 1e3, k->compile_ms, best ? k->flops / (double) best : 0, best ? k->bytes / (double) best : 0, label);
}

void
ls_cli_debug_attach (LsSession *s, int level)
{
  s->settings.DEBUG = s->given.DEBUG = level;      /* a program's Context may change it */
  s->on_schedule = on_schedule;
  s->on_kernel = on_kernel;
  s->on_ran = on_ran;
}

void
ls_cli_debug_passes (LsTrace *trace, int level)
{
  for (guint i = 0; level >= 5 && i < trace->passes->len; i++) {
    LsPass *pass = trace->passes->pdata[i];
    LsUOp *out = ls_context_node (trace->ctx, pass->output);
    fprintf (stderr, "pass %u/%s: %u steps, %u links, %.1f us\n", pass->kernel, pass->name, pass->steps->len, pass->links->len,
             (double) pass->ns / 1e3);
    g_autofree char *procedure = ls_procedure_diff (trace, pass, FALSE);
    if (procedure)
      fputs (procedure, stderr);
    if (level == 5 && out && g_str_equal (pass->stage, "decompose")) {
      g_autofree char *py = ls_pyrender (trace->ctx, out);
      fputs (py, stderr);
    }
    if (level >= 7)
      for (guint k = 1; k <= pass->steps->len; k++) {
        g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, k);
        g_autofree char *sentence = ls_step_sentence_shown (trace, pass, k, diff);
        fprintf (stderr, "  %u: %s\n", k, sentence);
      }
    if (level >= 6 && out && pass->kind == LS_PASS_REWRITE) {
      g_autofree char *py = ls_pyrender (trace->ctx, out);
      fputs (py, stderr);
    }
  }
}
