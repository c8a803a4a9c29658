/* Selections outside the graph and the listing: lines of source and program, instructions.
 *
 * A line of source and an instruction choose the final nodes that the line shows. A program line selects its descendants, which is
 * tested for every node of the listing and of the position's graph: at once if that is quick, else in slices of idle time.
 */
#include "trace/row-steps.h"
#include "session-private.h"
#include "trace/statements.h"
#include "ask/ask.h"
#include "trace/lineage.h"
#include "run/run.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CALLS 400     /* of a statement that are listed */
#define MAX_LINED 64      /* chosen nodes whose program lines are looked up: each is a walk through the lineage */

/* A pass of a million steps takes tenths of a second, once. */
gboolean
ls_view_session_work_on_lineage (LsViewSession *self, gint64 microseconds)
{
  const LsPass *pass = ls_view_session_pass (self);
  gint64 end = g_get_monotonic_time () + microseconds;
  g_autoptr (GPtrArray) chain = pass ? ls_lineage_chain (self->trace, pass) : g_ptr_array_new ();
  for (guint i = 0; i < chain->len; i++)
    if (!ls_lineage_work (self->trace, chain->pdata[i], MAX (end - g_get_monotonic_time (), 0)))
      return FALSE;
  return TRUE;
}

gboolean
ls_view_session_need_lineage (LsViewSession *self)
{
  if (ls_view_session_work_on_lineage (self, 4000))
    return TRUE;
  self->lineage_wanted = TRUE;
  if (!self->work)
    self->work = g_idle_add_full (G_PRIORITY_LOW, ls_view_session_work, self, NULL);
  return FALSE;
}

void
ls_view_session_forget_candidates (LsViewSession *self)
{
  g_clear_pointer (&self->candidates, g_array_unref);
  g_clear_pointer (&self->in_line, g_free);
  ls_nodes_clear (&self->line_finals);
  ls_nodes_clear (&self->line_graph);
}

/* Old recordings say only where the program's own text led to a call. */
gboolean
ls_view_session_is_call_at (const LsCall *call, guint file, guint line)
{
  return call->file_line ? call->file == (gint) file && call->file_line == line : file == 0 && call->line == line;
}

static gboolean
is_in_line (LsViewSession *self, const GArray *calls)
{
  for (guint i = 0; i < calls->len; i++)
    if (self->in_line[g_array_index (calls, guint, i)])
      return TRUE;
  return FALSE;
}

/* Which of the candidates descend from the chosen program line; TRUE when all were looked at. */
gboolean
ls_view_session_look_at_candidates (LsViewSession *self, gint64 microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  if (self->candidates->len > 0 && ls_view_session_pass (self) && !ls_view_session_work_on_lineage (self, microseconds))
    return FALSE;
  while (self->n_looked_at < self->candidates->len) {
    guint32 node = g_array_index (self->candidates, guint32, self->n_looked_at);
    gboolean final = self->n_looked_at++ < self->n_finals;
    const LsPass *pass = final ? NULL : ls_view_session_pass (self);
    if (is_in_line (self, ls_node_locations_calls (self->node_locations, pass, ls_view_session_kernel (self), node)))
      ls_nodes_add (final ? &self->line_finals : &self->line_graph, node);
    if (g_get_monotonic_time () > end)
      break;
  }
  return self->n_looked_at == self->candidates->len;
}

static int
by_id_downwards (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return x > y ? -1 : x < y;
}

/* Begins to search for descendants of the selected program line; most positions finish at once. */
void
ls_view_session_need_candidates (LsViewSession *self)
{
  LsKernel *kernel = ls_view_session_kernel (self);
  if (self->candidates || self->chosen_in != LS_CHOSEN_IN_PROGRAM || !self->trace)
    return;
  self->candidates = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->n_looked_at = 0;
  ls_nodes_init (&self->line_finals);
  ls_nodes_init (&self->line_graph);
  self->in_line = g_new0 (guint8, self->trace->calls->len + 1);
  for (guint i = 0; i < self->trace->calls->len; i++) {      /* a call comes after its parent call */
    const LsCall *c = &g_array_index (self->trace->calls, LsCall, i);
    self->in_line[i] = ls_view_session_is_call_at (c, self->chosen_file, self->chosen_line) || (c->parent >= 0 && self->in_line[c->parent]);
  }
  if (kernel)
    g_array_append_vals (self->candidates, kernel->listing->data, kernel->listing->len);
  self->n_finals = self->candidates->len;
  if (ls_view_session_pass (self)) {
    g_autoptr (GHashTable) present = ls_view_session_present_nodes (self, FALSE);
    GHashTableIter iter;
    gpointer node;
    g_hash_table_iter_init (&iter, present);
    while (g_hash_table_iter_next (&iter, &node, NULL)) {
      guint32 id = GPOINTER_TO_UINT (node);
      g_array_append_val (self->candidates, id);
    }
    /* the last node, the lowest one, is the current one */
    if (self->candidates->len > self->n_finals)
      qsort (&g_array_index (self->candidates, guint32, self->n_finals), self->candidates->len - self->n_finals, sizeof (guint32),
             by_id_downwards);
  }
  if (!ls_view_session_look_at_candidates (self, 4000) && !self->work)
    self->work = g_idle_add_full (G_PRIORITY_LOW, ls_view_session_work, self, NULL);
}

static void
select_unmapped (LsViewSession *self, char *why)
{
  ls_view_session_select (self, LS_CHOSEN_NOWHERE, NULL, 0);
  g_free (self->unmapped);
  self->unmapped = why;
  self->tell_selection = TRUE;
  ls_view_session_tell (self);
}

/* The line's own result (its last link) first. */
void
ls_view_session_select_line (LsViewSession *self, guint line)
{
  const LsKernel *kernel = ls_view_session_kernel (self);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = kernel ? kernel->source_links->len : 0; i-- > 0;) {
    const LsSourceLink *link = &g_array_index (kernel->source_links, LsSourceLink, i);
    if (link->line == line)
      g_array_append_val (nodes, link->node);
  }
  if (nodes->len > 0)
    ls_view_session_select (self, LS_CHOSEN_IN_FINAL, (const guint32 *) nodes->data, nodes->len);
  else
    select_unmapped (self, g_strdup_printf (_("line %u is not mapped: it shows no node"), line));
}

void
ls_view_session_select_instruction (LsViewSession *self, guint row)
{
  const GArray *instructions = ls_view_session_instructions (self);
  const LsKernel *kernel = ls_view_session_kernel (self);
  if (!instructions || row >= instructions->len)
    return;
  const LsInstruction *at = &g_array_index (instructions, LsInstruction, row);
  if (at->line)
    ls_view_session_select_line (self, at->line);
  else {
    g_autofree char *address = g_strdup_printf ("%" G_GINT64_MODIFIER "x", at->address);
    select_unmapped (self, g_strdup_printf (kernel->code_lines->len
                                            ? _("instruction %s is not mapped: its compiler assigns it to no line")
                                                                    : _("instruction %s is not mapped: "
                                                                         "the recording has no line table"), address));
  }
}

void
ls_view_session_select_program (LsViewSession *self, guint file, guint line)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  if (self->chosen_in == LS_CHOSEN_IN_PROGRAM && self->chosen_line == line && self->chosen_file == file)
    return;
  ls_view_session_select (self, LS_CHOSEN_NOWHERE, NULL, 0);
  ls_view_session_forget_nodes (self);
  self->chosen_in = LS_CHOSEN_IN_PROGRAM;
  self->chosen_file = file;
  self->chosen_line = line;
  self->tell_selection = TRUE;
  ls_view_session_tell (self);
}

gboolean
ls_view_session_choose (LsViewSession *self, const char *what)
{
  static const char *const kinds[] = { "node:", "row:", "line:", "instruction:", "program:" };
  const LsKernel *kernel = ls_view_session_kernel (self);
  guint kind = 0;
  guint64 number;
  while (kind < G_N_ELEMENTS (kinds) && !g_str_has_prefix (what, kinds[kind]))
    kind++;
  if (!kernel || kind == G_N_ELEMENTS (kinds) || !g_ascii_string_to_unsigned (strchr (what, ':') + 1, kind == 3 ? 16 : 10, 0,
                                                                              kind == 3 ? G_MAXUINT64 : G_MAXUINT - 1, &number, NULL))
    return FALSE;
  guint32 node = kind == 0 ? (guint32) number
                           : kind == 1 ? ls_row_node (self->trace, kernel, ls_trace_style (self->trace), number) : LS_NO_NODE;
  const GArray *code = kind == 3 ? ls_view_session_instructions (self) : NULL;
  switch (kind) {
  case 0:
  case 1:
    if (ls_context_node (self->trace->ctx, node))
      ls_view_session_select (self, kind == 0 ? LS_CHOSEN_IN_GRAPH : LS_CHOSEN_IN_FINAL, &node, 1);
    return ls_context_node (self->trace->ctx, node) != NULL;
  case 2:
    ls_view_session_select_line (self, (guint) number);
    return TRUE;
  case 3:
    for (guint i = 0; i < code->len; i++)
      if (number - g_array_index (code, LsInstruction, i).address < g_array_index (code, LsInstruction, i).size) {
        ls_view_session_select_instruction (self, i);
        return TRUE;
      }
    return FALSE;
  default:
    ls_view_session_select_program (self, 0, (guint) number);
    return TRUE;
  }
}

const char *
ls_view_session_get_unmapped (LsViewSession *self)
{
  return self->unmapped;
}

static gboolean
is_chosen (gpointer self, guint32 node)
{
  return ls_view_session_is_chosen (self, node);
}

GArray *
ls_view_session_source_lines (LsViewSession *self)
{
  const LsKernel *kernel = ls_view_session_kernel (self);
  if (!self->source_lines) {
    self->source_lines = g_array_new (FALSE, FALSE, sizeof (guint));
    if (kernel && ls_view_session_final_nodes (self)->len > 0)
      ls_node_locations_source_lines (kernel, is_chosen, self, self->source_lines);
  }
  return self->source_lines;
}

/* The calls that are made on the chosen line: a loop makes the same again and again. */
static void
find_calls_at (LsViewSession *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->trace->calls->len && self->calls->len < MAX_LINED; i++) {
    const LsCall *c = &g_array_index (self->trace->calls, LsCall, i);
    if (c->name && ls_view_session_is_call_at (c, self->chosen_file, self->chosen_line) && g_hash_table_add (seen, (gpointer) c->name))
      g_array_append_val (self->calls, i);
  }
}

/* The calls of a statement's turn, and those within them. */
static void
find_calls_of (LsViewSession *self, guint statement)
{
  g_autofree guint8 *within = g_new0 (guint8, self->trace->calls->len + 1);
  for (guint i = 0; i < self->trace->calls->len && self->calls->len < MOST_CALLS; i++) {
    const LsCall *c = &g_array_index (self->trace->calls, LsCall, i);
    within[i] = c->statement == statement || (c->parent >= 0 && within[c->parent]);
    if (within[i])
      g_array_append_val (self->calls, i);
  }
}

/* The nodes of the position whose calls are requested: the selection, else the rewritten nodes of the step. */
static GArray *
asked_nodes (LsViewSession *self, const LsPass *pass, gboolean *in_graph)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsRowStep row;
  *in_graph = self->chosen_in != LS_CHOSEN_IN_FINAL;
  if (self->chosen->len > 0)
    g_array_append_vals (nodes, self->chosen->data, MIN (self->chosen->len, MAX_LINED));
  else if (self->step > 0 && pass->kind == LS_PASS_REWRITE)
    g_array_append_val (nodes, ls_pass_step_link (pass, self->step)->before);
  else if (ls_row_step (pass, self->step, &row) && row.node != LS_NO_NODE)
    g_array_append_val (nodes, row.node);
  return nodes;
}

const GArray *
ls_view_session_calls (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self);
  if (self->calls)
    return self->calls;
  self->calls = g_array_new (FALSE, FALSE, sizeof (guint));
  const LsStatement *statement = pass && self->chosen->len == 0 ? ls_trace_pass_statement (self->trace, pass) : NULL;
  if (self->chosen_in == LS_CHOSEN_IN_PROGRAM && self->trace)
    find_calls_at (self);
  else if (statement)
    find_calls_of (self, (guint) (statement - (LsStatement *) (gpointer) self->trace->statements->data));
  else if (pass && ls_view_session_need_lineage (self)) {
    gboolean in_graph;
    g_autoptr (GArray) nodes = asked_nodes (self, pass, &in_graph);
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    for (guint i = 0; i < nodes->len && (in_graph || ls_view_session_kernel (self)); i++) {
      const GArray *calls = ls_node_locations_calls (self->node_locations, in_graph ? pass : NULL, ls_view_session_kernel (self),
                                                     g_array_index (nodes, guint32, i));
      for (guint k = 0; k < calls->len; k++)
        if (g_hash_table_add (seen, GUINT_TO_POINTER (g_array_index (calls, guint, k))))
          g_array_append_val (self->calls, g_array_index (calls, guint, k));
    }
  }
  return self->calls;
}

guint
ls_view_session_chosen_line (LsViewSession *self, guint *file)
{
  *file = self->chosen_file;
  return self->chosen_in == LS_CHOSEN_IN_PROGRAM ? self->chosen_line : 0;
}

GArray *
ls_view_session_program_lines (LsViewSession *self)
{
  if (self->program_lines)
    return self->program_lines;
  if (self->chosen->len > 0)
    return self->program_lines = ls_trace_lines_of_calls (self->trace, ls_view_session_calls (self));
  self->program_lines = g_array_new (FALSE, FALSE, sizeof (guint));
  if (self->chosen_in == LS_CHOSEN_IN_PROGRAM && self->chosen_file == 0)
    g_array_append_val (self->program_lines, self->chosen_line);
  return self->program_lines;
}

const GArray *
ls_view_session_instructions (LsViewSession *self)
{
  const LsKernel *kernel = ls_view_session_kernel (self);
  return kernel ? ls_node_locations_instructions (self->node_locations, kernel) : NULL;
}

guint
ls_view_session_n_chosen_instructions (LsViewSession *self)
{
  const GArray *lines = ls_view_session_source_lines (self), *instructions = lines->len ? ls_view_session_instructions (self) : NULL;
  guint n = 0;
  for (guint i = 0; instructions && i < instructions->len; i++)
    n += ls_node_locations_has_line (lines, g_array_index (instructions, LsInstruction, i).line);
  return n;
}
