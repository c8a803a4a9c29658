/* The graph of tensors after each statement: passes that are not rewrites, from the tensors of the names before a statement to those
 * after it. They are the steps of a program that realized nothing; in a recording next to one, a statement that only made tensors, such
 * as print((x + 2).tolist()), has these as well.
 */
#include "trace.h"

#include "rewrite/stage.h"

#include <string.h>

#define MOST_STATEMENTS 4096      /* a loop may bind a name a million times */

const char *
ls_pass_statement (const LsPass *pass)
{
  const char *reason = pass->kind == LS_PASS_MAP && pass->map->len > 0 ? g_array_index (pass->map, LsMapEntry, 0).reason : "";
  return g_str_has_prefix (reason, "line ") ? reason : "";
}

const char *
ls_pass_sentence (const LsPass *pass)
{
  const LsStageInfo *stage = ls_pass_stage (pass);
  const char *statement = ls_pass_statement (pass);
  return *statement ? statement : pass->step ? "A term rewrote this graph to make the result of the step that contains this pass."
                                             : stage ? stage->sentence : "";
}

const LsStageInfo *
ls_pass_stage (const LsPass *pass)
{
  const LsStageInfo *stage = ls_stage_of_pass (pass->name);
  return stage ? stage : ls_stage_find (pass->stage);
}

/* The tensors of the names as one graph: a SINK, in the order in which they were first bound. */
static LsUOp *
graph_of (LsContext *ctx, GPtrArray *nodes)
{
  return ls_uop_new (ctx, LS_OP_SINK, LS_VOID, nodes->len, (LsUOp **) nodes->pdata, ls_arg_none ());
}

/* The tensors that a statement made without binding a name: the results of its own calls that no other result uses. */
static void
add_results (LsContext *ctx, const LsTrace *of, guint first, guint end, GPtrArray *to)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = end; i-- > first;) {
    const LsCall *c = &g_array_index (of->calls, LsCall, i);
    LsUOp *node = c->parent < 0 && c->node != LS_NO_NODE ? ls_context_node (ctx, c->node) : NULL,
          *last = found->len ? found->pdata[found->len - 1] : NULL;
    if (!node || !ls_uop_has_shape (node) || node == last)
      continue;
    if (last && !g_hash_table_contains (seen, last)) {      /* the sources of the last one found are requested now */
      g_autoptr (GPtrArray) below = ls_uop_toposort (ctx, last);
      for (guint k = 0; k < below->len; k++)
        g_hash_table_add (seen, below->pdata[k]);
    }
    if (!g_hash_table_contains (seen, node))
      g_ptr_array_add (found, node);
  }
  for (guint i = found->len; i-- > 0;)
    if (!g_ptr_array_find (to, found->pdata[i], NULL))
      g_ptr_array_add (to, found->pdata[i]);
}

static guint
statement_of_call (const LsTrace *of, guint call)
{
  return call < of->calls->len ? g_array_index (of->calls, LsCall, call).statement : G_MAXUINT;
}

void
ls_trace_add_statement_graphs (LsTrace *to, const LsTrace *of, gboolean results)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new (), nodes = g_ptr_array_new (), shown = g_ptr_array_new ();
  const LsNameBinding *bindings = (const LsNameBinding *) (gpointer) of->bindings->data;
  LsUOp *before = NULL;
  guint n = 0, call = 0;
  for (guint i = 0; (i < of->bindings->len || (results && call < of->calls->len)) && n < MOST_STATEMENTS;) {
    guint first = i, first_call = call, bound = i < of->bindings->len ? bindings[i].statement : G_MAXUINT,
          statement = results ? MIN (bound, statement_of_call (of, call)) : bound;
    for (; i < of->bindings->len && bindings[i].statement == statement; i++) {
      LsUOp *node = ls_context_node (to->ctx, bindings[i].node);
      guint at = 0;
      if (!node)
        return;
      while (at < names->len && strcmp (names->pdata[at], bindings[i].name) != 0)
        at++;
      if (at == names->len) {
        g_ptr_array_add (names, (gpointer) bindings[i].name);
        g_ptr_array_add (nodes, node);
      }
      nodes->pdata[at] = node;
    }
    while (results && statement_of_call (of, call) <= statement && call < of->calls->len)
      call++;
    g_ptr_array_set_size (shown, 0);
    g_ptr_array_extend (shown, nodes, NULL, NULL);
    if (first == i)
      add_results (to->ctx, of, first_call, call, shown);
    if (first == i && shown->len == nodes->len)
      continue;
    LsUOp *after = graph_of (to->ctx, shown);
    const LsStatement *s = statement < of->statements->len ? &g_array_index (of->statements, LsStatement, statement) : NULL;
    g_autofree char *reason = s ? g_strdup_printf ("line %u: %s", s->line, s->text) : g_strdup ("");
    LsPass *pass = ls_trace_add_map_pass (to, 0, "program", before ? before : after, after, s ? s->ns : 0);
    for (guint k = first; k < i; k++) {
      LsMapEntry entry = { bindings[k].node, bindings[k].node, ls_trace_string (to, reason) };
      g_array_append_val (ls_pass_map (pass), entry);
    }
    for (guint k = first == i ? nodes->len : shown->len; k < shown->len; k++) {
      const guint32 id = ((LsUOp *) shown->pdata[k])->id;
      LsMapEntry entry = { id, id, ls_trace_string (to, reason) };
      g_array_append_val (ls_pass_map (pass), entry);
    }
    before = after;
    n++;
  }
}

static void
share (GArray **to, GArray *from)
{
  g_array_unref (*to);
  *to = g_array_ref (from);
}

LsTrace *
ls_trace_statements (LsTrace *of)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (of->ctx);
  LsTrace *t = ls_trace_new (ctx);
  t->of = ls_trace_ref (of);
  t->program_name = g_strdup (of->program_name);
  t->program_text = g_strdup (of->program_text);
  t->std_out = g_strdup (of->std_out);
  t->error = g_strdup (of->error);
  t->error_line = of->error_line;
  t->error_column = of->error_column;
  t->complete = of->complete;
  share (&t->files, of->files);
  share (&t->statements, of->statements);
  share (&t->bindings, of->bindings);
  share (&t->calls, of->calls);
  share (&t->node_calls, of->node_calls);
  g_ptr_array_unref (t->buffers);
  t->buffers = g_ptr_array_ref (of->buffers);
  ls_trace_add_statement_graphs (t, of, TRUE);
  return t;
}
