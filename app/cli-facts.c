/* lazyscope-cli facts: the fields of tensors as tensor.lazydata prints them, as a tree. */
#include "cli.h"

/* Whether another call wrote a field than wrote the node that it is of. */
static gboolean
has_own_writer (const LsFacts *facts, guint i)
{
  const LsFact *all = (const LsFact *) (gconstpointer) facts->facts->data;
  guint of = i;
  while (of > 0 && all[of].depth >= all[i].depth)
    of--;
  return all[i].node != LS_NO_NODE || all[of].depth >= all[i].depth || (all[i].field != LS_FACT_REALIZED && all[i].call != all[of].call);
}

static void
print_row (const LsFacts *facts, guint i)
{
  const LsFact *f = &g_array_index (facts->facts, LsFact, i);
  int indent = 2 * (int) f->depth;
  g_autofree char *field = g_strdup_printf ("%*s%s", indent, "", f->name), *column = ls_cli_padded (field, -30),
                  *writer = has_own_writer (facts, i) ? ls_fact_written_by (facts, f) : NULL, *decision = ls_fact_decision (facts, f),
                  *value = ls_fact_value (f);
  printf ("%s %s", column, value);
  if (f->buffer != G_MAXUINT)
    printf (_(", buffer %u"), f->buffer);
  if (f->node != LS_NO_NODE)
    printf (f->above ? _(", node %u, listed above") : f->cut ? _(", node %u, too deep to be listed") : _(", node %u"), f->node);
  if (!ls_fact_infos[f->field].read_by)
    printf (" (%s)", ls_shown (ls_fact_read_by (f->field)));
  putchar ('\n');
  if (writer) {
    g_autofree char *shown = ls_sentence_shown (writer);
    printf (_("%*s  written by %s\n"), indent, "", shown);
  }
  if (decision) {
    g_autofree char *shown = ls_sentence_shown (decision);
    printf ("%*s  %s\n", indent, "", shown);
  }
}

/* What the listed fields are, each once, and what reads them. */
static void
print_fields (const LsFacts *facts)
{
  gboolean listed[LS_N_FACTS] = { FALSE };
  for (guint i = 0; i < facts->facts->len; i++)
    listed[g_array_index (facts->facts, LsFact, i).field] = TRUE;
  printf ("\n%s\n", _("fields"));
  for (LsFactField i = 0; i < LS_N_FACTS; i++)
    if (listed[i] && *ls_fact_read_by (i)) {
      g_autofree char *name = ls_cli_padded (ls_fact_infos[i].name, -17);
      printf ("  %s %s\n", name, ls_shown (ls_fact_infos[i].sentence));
      printf ("%20s", "");
      printf (ls_fact_infos[i].read_by ? _("read by: %s\n") : "%s\n", ls_shown (ls_fact_read_by (i)));
    }
}

static void
print_text (const LsFacts *facts)
{
  if (facts->n_stops)
    printf (_("after statement %u of %u\n"), facts->stop, facts->n_stops);
  for (guint i = 0; i < facts->facts->len; i++)
    print_row (facts, i);
  if (facts->more)
    puts (_("More rows are left out: --name or --node lists one tensor."));
  print_fields (facts);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (o->name && o->node >= 0) {
    ls_cli_refuse (error, "--name and --node are two tensors; give one of them");
    return LS_EXIT_DONE;
  }
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  guint32 node = o->node < 0 ? LS_NO_NODE : (guint32) o->node;
  g_autoptr (LsFacts) facts = t ? ls_facts (t, o->name, node, (guint) o->stop, error) : NULL;
  if (facts && !ls_cli_answer (o, &ls_facts_answer, facts, t->ctx, facts))
    print_text (facts);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_facts = {
  run, N_("Lists the fields of tensors, nested: values, the calls that wrote them, and the decisions that read them."),
};
