/* lazyscope-cli bisect: the first step that changed a result. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

#include <string.h>

static void
print_text (const LsBisect *b)
{
  LsTrace *t = b->trace;
  gboolean unexpected = b->expected && *b->expected;
  const LsKernel *k = ls_trace_kernel (t, b->kernel);
  if (unexpected) {
    g_autofree char *expected = ls_sentence_shown (b->expected);
    printf (_("expected  %s\n"), expected);
  }
  if (!b->found && b->n_unjudged) {
    printf (_("No mismatch found, but %u of %u results could not be judged: %u passes, %u graphs interpreted.\n"), b->n_unjudged,
            b->n_judged + b->n_unjudged, b->n_passes, b->n_runs);
  } else if (!b->found) {
    printf (b->samples->len ? _("All results agree in the compared elements: %u passes, %u graphs interpreted.\n")
                            : _("All results agree: %u passes, %u graphs interpreted.\n"), b->n_passes, b->n_runs);
  } else if (b->step) {
    const LsPass *p = t->passes->pdata[b->pass];
    const LsTraceRule *r = b->rule >= 0 ? t->rules->pdata[b->rule] : NULL;
    g_autofree char *before = ls_uop_summary (ls_context_node (t->ctx, b->before)),
                    *after = ls_uop_summary (ls_context_node (t->ctx, b->after));
    printf (_("Step %u of pass %s of kernel %u%s%s changed the result.\n"), b->step, p->name, b->kernel, k ? " " : "", k ? k->name : "");
    if (r)
      printf (_("rule    %s: %s\n        %s:%u  %s\n"), r->name, r->text, r->file, r->line, ls_shown (r->sentence));
    printf (_("before  node %-6u %s%s%s\n"), b->before, before, b->want ? " = " : "", b->want ? b->want : "");
    printf (_("after   node %-6u %s%s%s\n"), b->after, after, b->got ? " = " : "", b->got ? b->got : "");
    if (b->where)
      printf (_("at      %s\n"), b->where);
    for (guint i = 0; i < b->inputs->len; i++) {
      const LsAskInput *in = &g_array_index (b->inputs, LsAskInput, i);
      g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, in->node));
      printf (_("input   node %-6u %s = %s\n"), in->node, summary, in->value);
    }
  } else if (b->pass >= 0) {
    const LsPass *p = t->passes->pdata[b->pass];
    printf (_("Pass %s of kernel %u%s%s changed the result; it is not known which of its %u steps did.\n"), p->name, b->kernel,
            k ? " " : "", k ? k->name : "", ls_pass_n_rewrites (p));
  } else if (strcmp (b->stage, "schedule") == 0) {
    printf (_("The schedule gave kernel %u a graph (node %u) that does not compute its tensor (node %u).\n"), b->kernel, b->after,
            b->before);
  } else {
    printf (_("The result of kernel %u %s differs from its graph's: every pass agrees, so rendering, compiling or running it went "
              "wrong.\n"), b->kernel, k ? k->name : "");
  }
  if (b->found)
    printf (_("result  element %" PRIu64 ": %s before, %s after\n        %u passes, %u steps checked, %u graphs interpreted\n"), b->element,
            b->out_want ? b->out_want : _("a value"), b->out_got ? b->out_got : "?", b->n_passes, b->n_steps, b->n_runs);
  for (guint i = 0; i < b->samples->len; i++) {
    const LsBisectSample *sample = &g_array_index (b->samples, LsBisectSample, i);
    g_autofree char *name = sample->kernel ? g_strdup_printf (_("kernel %u"), sample->kernel) : g_strdup (_("a graph of tensors"));
    printf (b->found ? _("sampled %" PRIu64 " of %" PRIu64 " elements of %s, which is too large to be interpreted completely\n")
                     : _("sampled %" PRIu64 " of %" PRIu64 " elements of %s, which is too large to be interpreted completely; the others "
                         "were not checked\n"), sample->n, sample->of, name);
  }
  for (guint i = 0; i < b->notes->len; i++) {
    g_autofree char *note = ls_sentence_shown (b->notes->pdata[i]);
    printf (_("note    %s\n"), note);
  }
  if (unexpected && !b->found && !b->n_unjudged)
    puts (_("Every step keeps the result of the program's own graph: the difference is in the program, or in how its calls build the "
            "graph."));
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, *files, error);
  g_autoptr (LsBisect) b = t ? ls_bisect_expecting (t, o->expect, error) : NULL;
  if (!b)
    return LS_EXIT_WRONG;
  if (!ls_cli_answer (o, &ls_bisect_answer, b, t->ctx, b))
    print_text (b);
  return ls_bisect_differs (b) ? LS_EXIT_DIFFERENT : b->n_unjudged ? LS_EXIT_UNJUDGED : LS_EXIT_DONE;
}

const LsCliCommand ls_cli_bisect = {
  run, N_("Finds the first step that changed a result, by interpreting graphs. Exit status 0: all agree; 4: one differs; 5: some could "
       "not be judged."),
};
