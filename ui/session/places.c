/* Where nodes stand outside the graph.
 *
 * Calls of the program cost a walk through the lineage of all passes before: what is known of a node is kept, for one pass and one
 * kernel at a time, so that stepping within a pass asks only for what is new.
 */
#include "places.h"
#include "run/run.h"

struct _LsPlaces {
  LsTrace        *trace;
  LsProgramIndex *index;              /* made when first asked */
  const LsPass   *pass;               /* of at_pass */
  const LsKernel *kernel;             /* of final */
  GHashTable     *at_pass, *final;    /* node id + 1 -> GArray of guint */
  const LsKernel *disassembled;
  GArray         *instructions;
};

LsPlaces *
ls_places_new (LsTrace *trace)
{
  LsPlaces *places = g_new0 (LsPlaces, 1);
  places->trace = ls_trace_ref (trace);
  places->at_pass = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  places->final = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return places;
}

void
ls_places_free (LsPlaces *places)
{
  if (!places)
    return;
  ls_program_index_free (places->index);
  g_hash_table_unref (places->at_pass);
  g_hash_table_unref (places->final);
  g_clear_pointer (&places->instructions, g_array_unref);
  ls_trace_unref (places->trace);
  g_free (places);
}

const GArray *
ls_places_calls (LsPlaces *places, const LsPass *pass, const LsKernel *kernel, guint32 node)
{
  GHashTable *known = pass ? places->at_pass : places->final;
  if (pass ? pass != places->pass : kernel != places->kernel)
    g_hash_table_remove_all (known);
  if (pass)
    places->pass = pass;
  else
    places->kernel = kernel;
  GArray *calls = g_hash_table_lookup (known, GUINT_TO_POINTER (node + 1));
  if (!calls) {
    if (!places->index)
      places->index = ls_program_index_new (places->trace);
    calls = ls_program_index_calls (places->index, pass, kernel, node);
    g_hash_table_insert (known, GUINT_TO_POINTER (node + 1), calls);
  }
  return calls;
}

void
ls_places_forget_nodes (LsPlaces *places)
{
  g_hash_table_remove_all (places->at_pass);
}

const GArray *
ls_places_instructions (LsPlaces *places, const LsKernel *kernel)
{
  if (places->instructions && places->disassembled == kernel)
    return places->instructions;
  g_clear_pointer (&places->instructions, g_array_unref);
  places->disassembled = kernel;
  places->instructions = ls_disassemble (kernel->code, kernel->code ? MIN (kernel->n_code, LS_PLACES_MAX_CODE) : 0, kernel->code_address,
                                         kernel->code_lines);
  return places->instructions;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

void
ls_places_source_lines (const LsKernel *kernel, LsIsNode is_node, gpointer data, GArray *lines)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < kernel->source_links->len; i++) {
    const LsSourceLink *link = &g_array_index (kernel->source_links, LsSourceLink, i);
    guint line = link->line;
    if (is_node (data, link->node) && g_hash_table_add (seen, GUINT_TO_POINTER (line)))
      g_array_append_val (lines, line);
  }
  for (guint i = 0; lines->len == 0 && i < kernel->exprs->len; i++) {
    const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
    guint line = e->line;
    if (line > 0 && is_node (data, e->node))
      g_array_append_val (lines, line);
  }
  g_array_sort (lines, by_number);
}

gboolean
ls_places_has_line (const GArray *lines, guint line)
{
  guint low = 0, high = lines->len;
  while (low < high) {
    guint middle = low + (high - low) / 2, at = g_array_index (lines, guint, middle);
    if (at == line)
      return TRUE;
    if (at < line)
      low = middle + 1;
    else
      high = middle;
  }
  return FALSE;
}
