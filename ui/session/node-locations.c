/* The positions of nodes outside the graph.
 *
 * Calls of the program cost a walk through the lineage of all passes before: results are cached per node, for one pass and one kernel at
 * a time, so that stepping within a pass only computes new ones.
 */
#include "node-locations.h"
#include "run/run.h"

struct _LsNodeLocations {
  LsTrace        *trace;
  LsProgramIndex *index;              /* made when first asked */
  const LsPass   *pass;               /* of at_pass */
  const LsKernel *kernel;             /* of final */
  GHashTable     *at_pass, *final;    /* node id + 1 -> GArray of guint */
  const LsKernel *disassembled;
  GArray         *instructions;
};

LsNodeLocations *
ls_node_locations_new (LsTrace *trace)
{
  LsNodeLocations *self = g_new0 (LsNodeLocations, 1);
  self->trace = ls_trace_ref (trace);
  self->at_pass = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  self->final = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return self;
}

void
ls_node_locations_free (LsNodeLocations *self)
{
  if (!self)
    return;
  ls_program_index_free (self->index);
  g_hash_table_unref (self->at_pass);
  g_hash_table_unref (self->final);
  g_clear_pointer (&self->instructions, g_array_unref);
  ls_trace_unref (self->trace);
  g_free (self);
}

const GArray *
ls_node_locations_calls (LsNodeLocations *self, const LsPass *pass, const LsKernel *kernel, guint32 node)
{
  GHashTable *known = pass ? self->at_pass : self->final;
  if (pass ? pass != self->pass : kernel != self->kernel)
    g_hash_table_remove_all (known);
  if (pass)
    self->pass = pass;
  else
    self->kernel = kernel;
  GArray *calls = g_hash_table_lookup (known, GUINT_TO_POINTER (node + 1));
  if (!calls) {
    if (!self->index)
      self->index = ls_program_index_new (self->trace);
    calls = ls_program_index_calls (self->index, pass, kernel, node);
    g_hash_table_insert (known, GUINT_TO_POINTER (node + 1), calls);
  }
  return calls;
}

const GArray *
ls_node_locations_instructions (LsNodeLocations *self, const LsKernel *kernel)
{
  if (self->instructions && self->disassembled == kernel)
    return self->instructions;
  g_clear_pointer (&self->instructions, g_array_unref);
  self->disassembled = kernel;
  self->instructions = ls_disassemble (kernel->code, kernel->code ? MIN (kernel->n_code, LS_NODE_LOCATIONS_MAX_CODE) : 0,
                                       kernel->code_address, kernel->code_lines);
  return self->instructions;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

void
ls_node_locations_source_lines (const LsKernel *kernel, LsIsNode is_node, gpointer data, GArray *lines)
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
ls_node_locations_has_line (const GArray *lines, guint line)
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
