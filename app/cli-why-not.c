/* lazyscope-cli why-not: why a rule did not fire on a node. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

static void
print_as_json (LsTrace *t, const LsPass *pass, guint32 node, const char *rule, const LsWhyNot *w)
{
  g_autoptr (JsonBuilder) j = json_builder_new ();
  ls_json_object (j, NULL);
  ls_json_int (j, "kernel", pass->kernel);
  ls_json_text (j, "pass", pass->name);
  ls_json_text (j, "rule", rule);
  ls_json_node (j, "node", t, node);
  ls_json_text (j, "stage", w->stage);
  ls_json_bool (j, "in_graph", w->in_graph);
  ls_json_int (j, "fired_step", w->fired_step);
  ls_json_text (j, "text", w->text);
  ls_json_array (j, "bindings");
  for (guint i = 0; i < w->bindings->len; i++) {
    const LsBinding *b = &g_array_index (w->bindings, LsBinding, i);
    ls_json_object (j, NULL);
    ls_json_text (j, "name", b->name);
    g_autofree char *value = b->node ? NULL : ls_term_value_print (&b->value);
    if (b->node)
      ls_json_node (j, "node", t, b->node->id);
    else      /* a part of an argument, or several sources */
      ls_json_text (j, "value", value);
    json_builder_end_object (j);
  }
  json_builder_end_array (j);
  json_builder_end_object (j);
  ls_cli_print_json (j);
}

#define MOST_NEAREST 10

static void
print_nearest (const LsCliOptions *o, LsTrace *t, const LsPass *pass, const GArray *nearest)
{
  g_autoptr (JsonBuilder) j = json_builder_new ();
  if (o->json) {
    ls_json_object (j, NULL);
    ls_json_int (j, "kernel", pass->kernel);
    ls_json_text (j, "pass", pass->name);
    ls_json_array (j, "nearest");
  } else {
    printf ("%s in %u/%s, nearest first\n", o->rule ? o->rule : "rules", pass->kernel, pass->name);
  }
  for (guint i = 0; i < nearest->len; i++) {
    const LsNearest *n = &g_array_index (nearest, LsNearest, i);
    const LsTraceRule *r = t->rules->pdata[n->rule];
    if (o->json) {
      ls_json_object (j, NULL);
      ls_json_text (j, "rule", r->name);
      ls_json_node (j, "node", t, n->node);
      ls_json_text (j, "stage", n->why->stage);
      ls_json_text (j, "text", n->why->text);
      json_builder_end_object (j);
      continue;
    }
    LsUOp *u = ls_context_node (t->ctx, n->node);
    g_autofree char *summary = u ? ls_uop_summary (u) : g_strdup ("");
    g_auto (GStrv) lines = g_strsplit (g_strchomp (n->why->text), "\n", -1);
    if (o->rule)
      printf ("  node %u (%s), %s\n", n->node, summary, n->why->stage);
    else
      printf ("  %s (%s:%u), %s\n", r->name, r->file, r->line, n->why->stage);
    for (char **line = lines; *line; line++)
      printf ("    %s\n", *line);
  }
  if (!o->json && !nearest->len)
    printf ("  %s\n", o->rule ? "the pass met no node that its pattern can begin with, or does not run its set"
                              : "no rule of the pass begins with such a node");
  if (o->json) {
    json_builder_end_array (j);
    json_builder_end_object (j);
    ls_cli_print_json (j);
  }
}

int
ls_cli_why_not (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autoptr (LsTrace) t = NULL;
  g_autoptr (LsWhyNot) w = NULL;
  LsPass *pass;
  if (!ls_cli_parse (&o, LS_CLI_WHY_NOT, "Why a rule did not fire on a node: --pass P --node N --rule R [--kernel K] [--step N], or a "
                                         "place in FILE#KERNEL/PASS?node=N. Without --node: at which nodes the rule came nearest; without "
                                         "--rule: which rules came nearest there.",
                     &argc, &argv, &error))
    goto failed;
  if (!ls_cli_is_placed (&o) || (o.node < 0 && !o.rule)) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "why-not: --pass P and --node N or --rule R are needed");
    goto failed;
  }
  if (!(t = ls_cli_open (&o, argv[1], &error)) || !(pass = ls_cli_pass (&o, t, &error)))
    goto failed;
  if (o.node < 0 || !o.rule) {
    g_autoptr (GArray) nearest = ls_why_not_nearest (t, pass, o.step < 0 ? G_MAXUINT : (guint) o.step,
                                                     o.node < 0 ? LS_NO_NODE : (guint32) o.node, o.rule, MOST_NEAREST, &error);
    if (!nearest)
      goto failed;
    print_nearest (&o, t, pass, nearest);
    ls_cli_clear (&o);
    return LS_EXIT_DONE;
  }
  if (!(w = ls_why_not (t, pass, o.step < 0 ? G_MAXUINT : (guint) o.step, (guint32) o.node, o.rule, &error)))
    goto failed;
  if (o.json) {
    print_as_json (t, pass, (guint32) o.node, o.rule, w);
  } else {
    g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, (guint32) o.node));
    printf ("%s on node %d (%s) in %u/%s\n", o.rule, o.node, summary, pass->kernel, pass->name);
    for (guint i = 0; i < t->rules->len; i++) {
      const LsTraceRule *r = t->rules->pdata[i];
      if (g_str_equal (r->name, o.rule))
        printf ("%s:%u  %s: %s\n", r->file, r->line, r->name, r->text);
    }
    fputs (w->text, stdout);
    for (guint i = 0; i < w->bindings->len; i++) {
      const LsBinding *b = &g_array_index (w->bindings, LsBinding, i);
      g_autofree char *bound = ls_term_value_print (&b->value);
      if (b->node)
        printf ("  %s is node %u (%s)\n", b->name, b->node->id, bound);
      else
        printf ("  %s is %s\n", b->name, bound);
    }
  }
  ls_cli_clear (&o);
  return LS_EXIT_DONE;
failed:
  ls_cli_clear (&o);
  return ls_cli_fail (error);
}
