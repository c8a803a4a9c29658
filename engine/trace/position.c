/* Positions: their graphs and rows, and the diff of any two of them. place.c reads and writes their names. */
#include "diff.h"
#include "replay.h"
#include "row-steps.h"
#include "ir/names.h"

LsGraph *
ls_position_graph (const LsPosition *p)
{
  return ls_pass_graph (p->trace, p->pass, p->step);
}

LsGraph *
ls_position_rows (const LsPosition *p)
{
  g_autoptr (GArray) list = ls_row_steps_list (p->pass, p->step);
  if (!list)
    return ls_position_graph (p);
  GPtrArray *rows = g_ptr_array_sized_new (list->len);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = ls_context_node (p->trace->ctx, g_array_index (list, guint32, i));
    if (u)
      g_ptr_array_add (rows, u);
  }
  LsGraph *graph = ls_graph_new_take (p->trace->ctx, rows);
  graph->names = ls_names_ref (ls_trace_names (p->trace, p->pass->kernel));
  return graph;
}

/**
 * ls_position_diff:
 * @a: a position
 * @b: another of the same recording
 *
 * Between two kernels, or two tensors that were realized each by itself, nodes are matched by structure, and n_ambiguous says how
 * many could have been matched with another.
 *
 * Returns: (transfer full) (nullable): the graph at a as before, the graph at b as after
 */
LsGraphDiff *
ls_position_diff (const LsPosition *a, const LsPosition *b)
{
  g_return_val_if_fail (a->trace == b->trace, NULL);
  LsContext *ctx = a->trace->ctx;
  if (a->pass == b->pass && a->step + 1 == b->step)
    return ls_pass_diff_step (a->trace, b->pass, b->step);
  g_autoptr (LsGraph) before = ls_position_graph (a), after = ls_position_graph (b);
  if (!before || !after)
    return NULL;
  gboolean by_lineage;
  guint n_ambiguous;
  g_autofree guint32 *match = ls_match_rows (a, before, b, after, &by_lineage, &n_ambiguous);
  LsNodeMap *former = ls_node_map_acquire (ctx);
  for (guint j = 0; j < after->nodes->len; j++)
    if (match[j] != LS_NO_NODE)
      ls_node_map_set_node (former, after->nodes->pdata[j], before->nodes->pdata[match[j]]);
  LsGraphDiff *d = ls_graph_diff_new (before, after, former, NULL, NULL);
  d->n_ambiguous = n_ambiguous;
  ls_node_map_release (ctx, former);
  if (a->pass == b->pass)
    ls_row_steps_mark (b->pass, a->step, b->step, d);
  return d;
}
