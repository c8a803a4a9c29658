/* The session: recording, position, selection, and data derived from them.
 *
 * Changes are collected and reported once, from an idle source that runs before the next frame is drawn: a held key moves the position
 * many times between two frames, and only the last one is computed. Data of a position (diff, bindings) is computed on first use.
 */
#include "session-private.h"
#include "kit/class.h"
#include "head-comment.h"
#include "rewrite/stage.h"
#include "trace/row-steps.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (LsViewSession, ls_view_session, G_TYPE_OBJECT)

void
ls_view_session_forget_nodes (LsViewSession *self)
{
  ls_nodes_clear (&self->graph_nodes);
  ls_nodes_clear (&self->final_nodes);
  ls_nodes_clear (&self->step_finals);
  g_clear_pointer (&self->source_lines, g_array_unref);
  g_clear_pointer (&self->program_lines, g_array_unref);
  g_clear_pointer (&self->calls, g_array_unref);
}

void
ls_view_session_forget_position (LsViewSession *self)
{
  self->have_diff = self->have_bindings = FALSE;
  g_clear_pointer (&self->diff, ls_graph_diff_unref);
  g_clear_pointer (&self->graph, ls_graph_unref);
  self->n_bindings = 0;
  ls_view_session_forget_nodes (self);
  ls_view_session_forget_candidates (self);
}

/* An opened recording is announced in two iterations of the main loop, since much is built for it. */
static gboolean
on_tell (gpointer data)
{
  g_autoptr (LsViewSession) self = g_object_ref (data);
  if (self->tell_trace) {
    self->tell_trace = FALSE;
    g_signal_emit_by_name (self, "trace-changed");
    return G_SOURCE_CONTINUE;
  }
  self->tell = 0;
  gboolean position = self->tell_position, selection = self->tell_selection;
  self->tell_position = self->tell_selection = FALSE;
  if (position)
    g_signal_emit_by_name (self, "position-changed");
  if (selection || position)
    g_signal_emit_by_name (self, "selection-changed");
  if (!self->tell_trace)
    g_ptr_array_set_size (self->former, 0);
  return G_SOURCE_REMOVE;
}

void
ls_view_session_tell (LsViewSession *self)
{
  if (!self->tell)
    self->tell = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_tell, self, NULL);
}

static void
tell_position (LsViewSession *self)
{
  ls_view_session_forget_position (self);
  self->tell_position = TRUE;
  ls_view_session_tell (self);
}

gboolean
ls_view_session_work (gpointer data)
{
  LsViewSession *self = data;
  if (self->row_lineage && !self->row_lineage_ready && !ls_row_lineage_work (self->row_lineage, 6000))
    return G_SOURCE_CONTINUE;
  self->row_lineage_ready = self->row_lineage != NULL;
  if (self->lineage_wanted && !ls_view_session_work_on_lineage (self, 6000))
    return G_SOURCE_CONTINUE;
  self->lineage_wanted = FALSE;
  if (self->candidates && !ls_view_session_look_at_candidates (self, 6000))
    return G_SOURCE_CONTINUE;
  self->work = 0;
  ls_view_session_forget_nodes (self);
  self->tell_selection = TRUE;
  ls_view_session_tell (self);
  return G_SOURCE_REMOVE;
}

/* Lineage belongs to a kernel: another kernel begins again. */
static void
follow_kernel (LsViewSession *self)
{
  LsKernel *kernel = ls_view_session_kernel (self);
  if (self->row_lineage && ls_row_lineage_kernel (self->row_lineage) == kernel)
    return;
  g_clear_handle_id (&self->work, g_source_remove);
  g_clear_pointer (&self->row_lineage, ls_row_lineage_free);
  self->row_lineage_ready = FALSE;
  if (kernel) {
    self->row_lineage = ls_row_lineage_new (self->trace, kernel);
    self->work = g_idle_add_full (G_PRIORITY_LOW, ls_view_session_work, self, NULL);
  }
}

static void
ls_view_session_class_init (LsViewSessionClass *class)
{
  ls_class_signal (class, "trace-changed", 0);
  ls_class_signal (class, "position-changed", 0);
  ls_class_signal (class, "selection-changed", 0);
  ls_class_signal (class, "hidden-changed", 0);
  LS_SOURCES (class, LsViewSession, tell, work);
  LS_ON_FINALIZE (class, ls_view_session_forget_position);
  LS_KEEPS (class, LsViewSession, ls_row_lineage_free, row_lineage);
  LS_KEEPS (class, LsViewSession, ls_node_locations_free, node_locations);
  LS_KEEPS (class, LsViewSession, g_free, unmapped);
  LS_KEEPS (class, LsViewSession, g_array_unref, chosen);
  LS_KEEPS (class, LsViewSession, g_ptr_array_unref, former);
  LS_KEEPS (class, LsViewSession, ls_trace_unref, trace);
}

static void
ls_view_session_init (LsViewSession *self)
{
  self->pass = self->base_pass = -1;
  self->former = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_trace_unref);
  self->chosen = g_array_new (FALSE, FALSE, sizeof (guint32));
}

LsViewSession *
ls_view_session_new (void)
{
  return g_object_new (LS_TYPE_VIEW_SESSION, NULL);
}

LsTrace *
ls_view_session_get_trace (LsViewSession *self)
{
  return self->trace;
}

guint
ls_view_session_get_hidden (LsViewSession *self)
{
  return self->hidden;
}

void
ls_view_session_set_hidden (LsViewSession *self, guint classes)
{
  if (self->hidden == classes)
    return;
  self->hidden = classes;
  g_signal_emit_by_name (self, "hidden-changed");
}

/* --- position --- */

int
ls_view_session_get_pass (LsViewSession *self)
{
  return self->pass;
}

guint
ls_view_session_get_step (LsViewSession *self)
{
  return self->step;
}

LsPass *
ls_view_session_pass_at (LsViewSession *self, int index)
{
  return self->trace && index >= 0 && index < (int) self->trace->passes->len ? self->trace->passes->pdata[index] : NULL;
}

LsPass *
ls_view_session_pass (LsViewSession *self)
{
  return ls_view_session_pass_at (self, self->pass);
}

guint
ls_view_session_n_steps (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self);
  return pass ? ls_pass_n_steps (pass) : 0;
}

LsKernel *
ls_view_session_kernel (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self);
  return self->trace ? ls_trace_kernel (self->trace, pass && pass->kernel ? pass->kernel : 1) : NULL;
}

gboolean
ls_view_session_is_final (LsViewSession *self)
{
  const LsPass *pass = ls_view_session_pass (self);
  const LsStageInfo *stage = pass && pass->stage ? ls_stage_find (pass->stage) : NULL;
  return stage && stage->takes >= LS_STAGE_FORM_FINAL;
}

void
ls_view_session_go (LsViewSession *self, int pass, guint step)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  LsPass *p = ls_view_session_pass_at (self, pass);
  pass = p ? pass : -1;
  step = p ? MIN (step, ls_pass_n_steps (p)) : 0;
  if (pass == self->pass && step == self->step)
    return;
  LsPass *former = ls_view_session_pass (self);
  /* nodes of one kernel mean nothing in another */
  if (former && p && former->kernel != p->kernel && self->chosen_in != LS_CHOSEN_IN_PROGRAM)
    ls_view_session_select (self, LS_CHOSEN_NOWHERE, NULL, 0);
  self->pass = pass;
  self->step = step;
  follow_kernel (self);
  tell_position (self);
}

void
ls_view_session_set_base (LsViewSession *self, int pass, guint step)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  LsPass *p = ls_view_session_pass_at (self, pass);
  pass = p ? pass : -1;
  step = p ? MIN (step, ls_pass_n_steps (p)) : 0;
  if (pass == self->base_pass && step == self->base_step)
    return;
  self->base_pass = pass;
  self->base_step = step;
  tell_position (self);
}

int
ls_view_session_get_base (LsViewSession *self, guint *step)
{
  if (step)
    *step = self->base_step;
  return self->base_pass;
}

void
ls_view_session_swap_base (LsViewSession *self)
{
  int pass = self->pass;
  guint step = self->step;
  if (self->base_pass < 0 || pass < 0)
    return;
  ls_view_session_go (self, self->base_pass, self->base_step);
  ls_view_session_set_base (self, pass, step);
}

gboolean
ls_view_session_sides (LsViewSession *self, LsPosition *before, LsPosition *after)
{
  LsPass *pass = ls_view_session_pass (self), *base = ls_view_session_pass_at (self, self->base_pass);
  if (pass && !base && *ls_pass_statement (pass))      /* from the tensors before the statement */
    base = ls_view_session_pass_at (self, self->pass - 1);
  if (!pass || (!base && self->step == 0))
    return FALSE;
  *after = (LsPosition) { self->trace, pass, self->step };
  *before = base ? (LsPosition) { self->trace, base, self->base_pass >= 0 ? self->base_step : 0 }
                 : (LsPosition) { self->trace, pass, self->step - 1 };
  return TRUE;
}

/* The kernel that a run is about: of those that read something, and so do not only fill an input, the one that computes and moves
 * most. Not by the clock: a program opens at the same place however often it is run. */
static guint
costliest_kernel (LsTrace *trace)
{
  guint best = 0;
  double most = -1;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    double cost = k->buffers && k->buffers->len > 1 ? (double) k->flops + (double) k->bytes : 0;
    if (cost > most) {
      most = cost;
      best = k->number;
    }
  }
  return best;
}

/* The kernel that the program's head comment names, or 0. */
static guint
named_kernel (LsTrace *trace)
{
  g_autofree char *name = ls_head_comment_value (trace->program_text, "kernel");
  for (guint i = 0; name && i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    g_autofree char *number = g_strdup_printf ("%u", k->number);
    if (g_strcmp0 (k->name, name) == 0 || g_str_equal (number, name))
      return k->number;
  }
  return 0;
}

/* Where a recording opens: where the program's head comment says, at a position or a kernel's first step; else the first step of the
 * costliest kernel's first pass that changed something, or of the first such pass of all. */
static void
go_home (LsViewSession *self)
{
  g_autofree char *place = ls_head_comment_value (self->trace->program_text, "opens at");
  guint kernel = named_kernel (self->trace);
  if (place && ls_view_session_go_link (self, place))
    return;
  if (!kernel || !ls_view_session_go_to_kernel (self, kernel))
    kernel = costliest_kernel (self->trace);
  if (kernel && ls_view_session_go_to_kernel (self, kernel))
    return;
  for (guint i = 0; i < self->trace->passes->len; i++)
    if (ls_pass_n_steps (self->trace->passes->pdata[i]) > 0) {
      ls_view_session_go (self, (int) i, 1);
      return;
    }
  ls_view_session_go (self, self->trace->passes->len ? 0 : -1, 0);
}

void
ls_view_session_set_trace (LsViewSession *self, LsTrace *trace)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  if (self->trace == trace)
    return;
  ls_view_session_forget_position (self);
  g_clear_handle_id (&self->work, g_source_remove);
  g_clear_pointer (&self->row_lineage, ls_row_lineage_free);
  self->row_lineage_ready = FALSE;
  g_array_set_size (self->chosen, 0);
  self->chosen_in = LS_CHOSEN_NOWHERE;
  g_clear_pointer (&self->unmapped, g_free);
  g_clear_pointer (&self->node_locations, ls_node_locations_free);
  if (trace)
    self->node_locations = ls_node_locations_new (trace);
  if (self->trace)
    g_ptr_array_add (self->former, g_steal_pointer (&self->trace));
  self->trace = trace ? ls_trace_ref (trace) : NULL;
  self->pass = self->base_pass = -1;
  self->step = 0;
  self->tell_trace = self->tell_position = TRUE;
  if (trace)
    go_home (self);
  ls_view_session_tell (self);
}

gboolean
ls_view_session_get_position (LsViewSession *self, LsPosition *out)
{
  const LsPass *pass = ls_view_session_pass (self);
  if (!pass)
    return FALSE;
  *out = (LsPosition) { self->trace, pass, self->step };
  return TRUE;
}

LsPositionFound
ls_view_session_move_to_trace (LsViewSession *self, LsTrace *trace, const LsPosition *from)
{
  LsPosition there;
  LsPositionFound kept = ls_position_corresponding (from, trace, &there);
  ls_view_session_set_trace (self, trace);
  if (kept != LS_POSITION_NOTHING)
    ls_view_session_go (self, (int) there.pass->index, there.step);
  return kept;
}

/* --- the change at the position --- */

static void
need_diff (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self);
  if (self->have_diff || !pass)
    return;
  self->have_diff = TRUE;
  LsPosition before, after;
  if (ls_view_session_sides (self, &before, &after))
    self->diff = ls_position_diff (&before, &after);
  self->graph = self->diff ? ls_graph_ref (self->diff->after) : ls_pass_graph (self->trace, pass, self->step);
}

const LsGraphDiff *
ls_view_session_diff (LsViewSession *self)
{
  need_diff (self);
  return self->diff;
}

LsGraph *
ls_view_session_graph (LsViewSession *self)
{
  need_diff (self);
  return self->graph;
}

LsUOp *
ls_view_session_node (LsViewSession *self, guint32 id, LsGraph **graph)
{
  need_diff (self);
  LsGraph *sides[] = { self->graph, self->diff ? self->diff->before : NULL };
  LsUOp *u = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (sides) && !u; i++)
    if (sides[i] && (u = ls_graph_node (sides[i], id)) && graph)
      *graph = sides[i];
  return u;
}

const LsBinding *
ls_view_session_bindings (LsViewSession *self, guint *n)
{
  LsPass *pass = ls_view_session_pass (self);
  if (!self->have_bindings && pass && self->base_pass < 0 && pass->kind == LS_PASS_REWRITE && self->step > 0)
    self->n_bindings = MIN (ls_step_bindings (self->trace, pass, self->step, self->bindings, MAX_BINDINGS), MAX_BINDINGS);
  self->have_bindings = TRUE;
  *n = self->n_bindings;
  return self->bindings;
}

/* --- selection --- */

void
ls_view_session_select (LsViewSession *self, LsChosenIn where, const guint32 *nodes, guint n)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  if (n == 0)
    where = LS_CHOSEN_NOWHERE;
  if (where == self->chosen_in && where != LS_CHOSEN_IN_PROGRAM && !self->unmapped && n == self->chosen->len &&
      (n == 0 || memcmp (nodes, self->chosen->data, n * sizeof *nodes) == 0))
    return;
  g_array_set_size (self->chosen, 0);
  if (n > 0)
    g_array_append_vals (self->chosen, nodes, n);
  self->chosen_in = where;
  g_clear_pointer (&self->unmapped, g_free);
  ls_view_session_forget_nodes (self);
  ls_view_session_forget_candidates (self);
  self->tell_selection = TRUE;
  ls_view_session_tell (self);
}

LsChosenIn
ls_view_session_chosen_in (LsViewSession *self)
{
  return self->chosen_in;
}

guint32
ls_view_session_get_selection (LsViewSession *self)
{
  return self->chosen->len ? g_array_index (self->chosen, guint32, 0) : LS_NO_NODE;
}

GHashTable *
ls_view_session_present_nodes (LsViewSession *self, gboolean ghosts)
{
  GHashTable *present = g_hash_table_new (NULL, NULL);
  need_diff (self);
  for (guint i = 0; self->diff && ghosts && i < self->diff->nodes->len; i++) {
    const LsDiffNode *node = &g_array_index (self->diff->nodes, LsDiffNode, i);
    if (node->kind == LS_DIFF_REMOVED)
      g_hash_table_add (present, GUINT_TO_POINTER (node->node->id));
  }
  for (guint i = 0; self->graph && !ghosts && i < self->graph->nodes->len; i++)
    g_hash_table_add (present, GUINT_TO_POINTER (((LsUOp *) self->graph->nodes->pdata[i])->id));
  return present;
}

static void
copy_nodes (const LsNodes *from, LsNodes *to)
{
  for (guint i = 0; from->nodes && i < from->nodes->len; i++)
    ls_nodes_add (to, g_array_index (from->nodes, guint32, i));
}

GArray *
ls_view_session_graph_nodes (LsViewSession *self)
{
  LsNodes *out = &self->graph_nodes;
  if (out->nodes)
    return out->nodes;
  ls_nodes_init (out);
  ls_view_session_need_candidates (self);
  copy_nodes (&self->line_graph, out);
  LsPass *pass = ls_view_session_pass (self);
  if (!pass || self->chosen->len == 0)
    return out->nodes;
  for (int ghosts = 0; ghosts < 2 && out->nodes->len == 0; ghosts++) {
    g_autoptr (GHashTable) present = ls_view_session_present_nodes (self, ghosts);
    for (guint i = 0; i < self->chosen->len; i++) {
      guint32 node = g_array_index (self->chosen, guint32, i);
      if (self->chosen_in == LS_CHOSEN_IN_FINAL) {
        if (self->row_lineage)
          ls_row_lineage_ancestors (self->row_lineage, pass, node, present, out);
      } else if (g_hash_table_contains (present, GUINT_TO_POINTER (node))) {
        ls_nodes_add (out, node);
      }
    }
  }
  return out->nodes;
}

guint32
ls_view_session_asked_node (LsViewSession *self)
{
  const LsPass *pass = ls_view_session_pass (self);
  GArray *nodes = ls_view_session_graph_nodes (self);
  LsRowStep row;
  if (nodes->len)
    return g_array_index (nodes, guint32, 0);
  if (pass && ls_row_step (pass, ls_view_session_get_step (self), &row))
    return row.node;
  const LsGraphDiff *diff = ls_view_session_diff (self);
  return diff && diff->result ? diff->result->id : LS_NO_NODE;
}

GArray *
ls_view_session_final_nodes (LsViewSession *self)
{
  LsNodes *out = &self->final_nodes;
  if (out->nodes)
    return out->nodes;
  ls_nodes_init (out);
  ls_view_session_need_candidates (self);
  copy_nodes (&self->line_finals, out);
  LsPass *pass = ls_view_session_pass (self);
  for (guint i = 0; pass && i < self->chosen->len; i++) {
    guint32 node = g_array_index (self->chosen, guint32, i);
    if (self->chosen_in == LS_CHOSEN_IN_FINAL)
      ls_nodes_add (out, node);
    else if (self->row_lineage)
      ls_row_lineage_descendants (self->row_lineage, pass, node, out);
  }
  return out->nodes;
}

GArray *
ls_view_session_step_finals (LsViewSession *self)
{
  LsNodes *out = &self->step_finals;
  if (out->nodes)
    return out->nodes;
  ls_nodes_init (out);
  LsPass *pass = ls_view_session_pass (self);
  const LsGraphDiff *diff = ls_view_session_diff (self);
  if (!pass || !diff || !self->row_lineage_ready)
    return out->nodes;
  if (diff->result)
    ls_row_lineage_descendants (self->row_lineage, pass, diff->result->id, out);
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *node = &g_array_index (diff->nodes, LsDiffNode, i);
    if (node->kind == LS_DIFF_ADDED)
      ls_row_lineage_descendants (self->row_lineage, pass, node->node->id, out);
  }
  return out->nodes;
}

guint32
ls_view_session_in_graph (LsViewSession *self, guint32 final_node)
{
  LsPass *pass = ls_view_session_pass (self);
  LsNodes found = { NULL };
  guint32 node = LS_NO_NODE;
  if (!pass || !self->row_lineage || final_node == LS_NO_NODE)
    return node;
  g_autoptr (GHashTable) present = ls_view_session_present_nodes (self, FALSE);
  ls_nodes_init (&found);
  ls_row_lineage_ancestors (self->row_lineage, pass, final_node, present, &found);
  if (found.nodes->len > 0)
    node = g_array_index (found.nodes, guint32, 0);
  ls_nodes_clear (&found);
  return node;
}

GArray *
ls_view_session_in_final (LsViewSession *self, guint32 graph_node)
{
  LsPass *pass = ls_view_session_pass (self);
  LsNodes found = { NULL };
  ls_nodes_init (&found);
  if (pass && self->row_lineage && self->row_lineage_ready && graph_node != LS_NO_NODE)
    ls_row_lineage_descendants (self->row_lineage, pass, graph_node, &found);
  GArray *nodes = g_array_ref (found.nodes);
  ls_nodes_clear (&found);
  return nodes;
}

gboolean
ls_view_session_is_chosen (LsViewSession *self, guint32 node)
{
  ls_view_session_final_nodes (self);
  return ls_nodes_has (&self->final_nodes, node);
}

gboolean
ls_view_session_is_from_step (LsViewSession *self, guint32 node)
{
  ls_view_session_step_finals (self);
  return ls_nodes_has (&self->step_finals, node);
}

gboolean
ls_view_session_get_busy (LsViewSession *self)
{
  return self->work != 0 || self->tell != 0;
}
