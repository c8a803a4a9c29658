/* lazyscope-cli why-not: why a rule did not fire on a node. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

#include <string.h>

#define MOST_NEAREST 10

static void
print_nearest (const LsNearestRules *of, const char *rule)
{
  printf (rule ? _("%s in %u/%s, closest first\n") : _("%s of %u/%s, closest first\n"), rule ? rule : _("rules"), of->pass->kernel,
          of->pass->name);
  for (guint i = 0; i < of->nearest->len; i++) {
    const LsNearest *n = &g_array_index (of->nearest, LsNearest, i);
    const LsTraceRule *r = of->trace->rules->pdata[n->rule];
    LsUOp *u = ls_context_node (of->trace->ctx, n->node);
    g_autofree char *summary = u ? ls_uop_summary (u) : g_strdup ("");
    g_autofree char *shown = ls_sentence_shown (g_strchomp (n->why->text));
    g_auto (GStrv) lines = g_strsplit (shown, "\n", -1);
    if (rule)
      printf (_("  node %u (%s), %s\n"), n->node, summary, ls_shown (n->why->stage));
    else
      printf ("  %s (%s:%u), %s\n", r->name, r->file, r->line, ls_shown (n->why->stage));
    for (char **line = lines; *line; line++)
      printf ("    %s\n", *line);
  }
  if (of->nearest->len)
    return;
  g_autofree char *none = rule ? ls_why_not_no_node (of->trace, of->pass, rule) : NULL, *shown = none ? ls_sentence_shown (none) : NULL;
  printf ("  %s\n", shown ? shown : _("no rule of the pass has a pattern that begins with this op"));
}

static void
print_text (const LsWhyNot *w)
{
  g_autofree char *summary = ls_uop_summary (ls_context_node (w->trace->ctx, w->node));
  printf (_("%s on node %u (%s) in %u/%s\n"), w->rule, w->node, summary, w->pass->kernel, w->pass->name);
  for (guint i = 0; i < w->trace->rules->len; i++) {
    const LsTraceRule *r = w->trace->rules->pdata[i];
    if (g_str_equal (r->name, w->rule))
      printf ("%s:%u  %s: %s\n", r->file, r->line, r->name, r->text);
  }
  g_autofree char *text = ls_sentence_shown (w->text);
  fputs (text, stdout);
  for (guint i = 0; i < w->bindings->len; i++) {
    const LsBinding *b = &g_array_index (w->bindings, LsBinding, i);
    g_autofree char *english = ls_term_value_print (&b->value), *bound = ls_sentence_shown (english);
    if (b->node)
      printf (_("  %s is node %u (%s)\n"), b->name, b->node->id, english);
    else if (g_str_has_prefix (english, "nodes "))
      printf (_("  %s is nodes %s\n"), b->name, english + strlen ("nodes "));
    else
      printf (_("  %s is %s\n"), b->name, bound);
  }
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (!ls_cli_is_placed (o) || (o->node < 0 && !o->rule))
    return ls_cli_refuse (error, "why-not: --pass P and --node N or --rule R are needed");
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  LsPass *pass = t ? ls_cli_pass (o, t, error) : NULL;
  guint step = o->step < 0 ? G_MAXUINT : (guint) o->step;
  guint32 node = o->node < 0 ? LS_NO_NODE : (guint32) o->node;
  if (!pass)
    return LS_EXIT_WRONG;
  if (o->node < 0 || !o->rule) {
    g_autoptr (GArray) nearest = ls_why_not_nearest (t, pass, step, node, o->rule, MOST_NEAREST, error);
    LsNearestRules of = { t, pass, nearest };
    if (nearest && !ls_cli_answer (o, &ls_nearest_rules_answer, &of, t->ctx, &of))
      print_nearest (&of, o->rule);
    return LS_EXIT_DONE;
  }
  g_autoptr (LsWhyNot) w = ls_why_not (t, pass, step, node, o->rule, error);
  if (w && !ls_cli_answer (o, &ls_why_not_answer, w, t->ctx, w))
    print_text (w);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_why_not = {
  run, N_("Explains why a rule did not fire on a node: --pass P --node N --rule R [--kernel K] [--step N], or a place as in "
       "FILE#KERNEL/PASS?node=N. Without --node: lists the nodes where the rule came closest; without --rule: the rules that came "
       "closest."),
};
