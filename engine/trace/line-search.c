/* A walk back along the lineage ends where it comes to a node of the line, or has nowhere left to go. In the second case no node that it
 * met leads to the line: later walks stop there. In the first it is forgotten, and the search has its result.
 */
#include "line-search.h"
#include "lineage.h"

typedef struct { guint level; guint32 node; } Place;

struct _LsLineSearch {
  LsTrace      *trace;
  guint         line;
  LsCallIndex   calls;
  const LsPass *of;         /* the pass that chain is of */
  GPtrArray    *chain;      /* LsPass, from there back to the program */
  GPtrArray    *none;       /* of each pass of the chain: nodes that do not lead to the line (GHashTable of id + 1, owned by by_pass) */
  GHashTable   *by_pass;    /* LsPass -> GHashTable; of one kernel and the tensor passes */
  GArray       *open;       /* Place: still to be looked at */
  GArray       *met;        /* Place: met on this walk */
};

LsLineSearch *
ls_line_search_new (LsTrace *trace, guint line)
{
  g_return_val_if_fail (trace != NULL && line > 0, NULL);
  LsLineSearch *s = g_new0 (LsLineSearch, 1);
  s->trace = ls_trace_ref (trace);
  s->line = line;
  ls_call_index_init (&s->calls, trace);
  s->none = g_ptr_array_new ();
  s->by_pass = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  s->open = g_array_new (FALSE, FALSE, sizeof (Place));
  s->met = g_array_new (FALSE, FALSE, sizeof (Place));
  return s;
}

void
ls_line_search_free (LsLineSearch *s)
{
  if (!s)
    return;
  ls_call_index_clear (&s->calls);
  g_clear_pointer (&s->chain, g_ptr_array_unref);
  g_ptr_array_unref (s->none);
  g_hash_table_unref (s->by_pass);
  g_array_unref (s->open);
  g_array_unref (s->met);
  ls_trace_unref (s->trace);
  g_free (s);
}

static void
go_to (LsLineSearch *s, const LsPass *pass)
{
  if (s->of == pass)
    return;
  if (s->of && s->of->kernel != pass->kernel)
    g_hash_table_remove_all (s->by_pass);
  g_clear_pointer (&s->chain, g_ptr_array_unref);
  s->chain = ls_lineage_chain (s->trace, pass);
  s->of = pass;
  g_ptr_array_set_size (s->none, 0);
  for (guint i = 0; i < s->chain->len; i++) {
    GHashTable *none = g_hash_table_lookup (s->by_pass, s->chain->pdata[i]);
    if (!none)
      g_hash_table_insert (s->by_pass, s->chain->pdata[i], none = g_hash_table_new (NULL, NULL));
    g_ptr_array_add (s->none, none);
  }
}

gboolean
ls_line_search_work (LsLineSearch *s, const LsPass *pass, gint64 microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  go_to (s, pass);
  for (guint i = 0; i < s->chain->len; i++)
    if (!ls_lineage_work (s->trace, s->chain->pdata[i], MAX (end - g_get_monotonic_time (), 0)))
      return FALSE;
  return TRUE;
}

static void
meet (LsLineSearch *s, guint level, guint32 node)
{
  Place p = { level, node };
  if (!g_hash_table_add (s->none->pdata[level], GUINT_TO_POINTER (node + 1)))
    return;
  g_array_append_val (s->open, p);
  g_array_append_val (s->met, p);
}

static gboolean
is_of_line (const LsLineSearch *s, guint32 node)
{
  return ls_call_index_is_of_line (&s->calls, s->trace, node, s->line);
}

gboolean
ls_line_search_test (LsLineSearch *s, const LsPass *pass, guint32 node)
{
  gboolean found = FALSE;
  go_to (s, pass);
  if (s->chain->len == 0)
    return is_of_line (s, node);
  meet (s, 0, node);
  while (s->open->len > 0 && !found) {
    Place p = g_array_index (s->open, Place, s->open->len - 1);
    g_array_set_size (s->open, s->open->len - 1);
    const LsLineage *lineage = ls_lineage_of (s->trace, s->chain->pdata[p.level]);
    guint32 first = ls_lineage_first (lineage, p.node);
    for (guint32 e = first; e; e = lineage->entries[e].next)
      meet (s, p.level, lineage->entries[e].parent);
    if (first && !ls_lineage_in_input (lineage, p.node))
      continue;
    if (p.level + 1 < s->chain->len)
      meet (s, p.level + 1, p.node);
    else
      found = is_of_line (s, p.node);
  }
  for (guint i = 0; found && i < s->met->len; i++) {
    const Place *p = &g_array_index (s->met, Place, i);
    g_hash_table_remove (s->none->pdata[p->level], GUINT_TO_POINTER (p->node + 1));
  }
  g_array_set_size (s->open, 0);
  g_array_set_size (s->met, 0);
  return found;
}
