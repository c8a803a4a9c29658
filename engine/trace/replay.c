/* Replay: the graph of a pass after any of its steps, from the links alone, and the nodes of one step's graph that continue nodes of
 * another's.
 *
 * Every link is written once per node, so a node's outcome up to step k is one look at its link. The input root is evaluated through the
 * links made up to k: a node with a link is replaced by it, another one is rebuilt from its evaluated sources. Cost is that of the graph
 * at that moment, not of the pass, except for the table of links by node, which is made once for each pass that is looked at and kept.
 *
 * Evaluation gives values, equal ones the same pointer; then each value gets its name (graph.h): a recorded node that stays as it is
 * names itself, another value is named by the first recorded node without a link that has it. Every node of the graph is the value of a
 * visited one, so that no name is given twice; but walks do not visit a rule's result, and cycles are cut, so there a name can be needed
 * twice, and the second node gets an id that no recorded node has.
 *
 * A pass that was stopped because it does not end has cyclic links: a node that is met again in the cycle represents itself, as in the
 * graph at that moment.
 */
#include "replay.h"
#include "row-steps.h"
#include "ir/names.h"

#include <string.h>

typedef struct {
  const LsPass *pass;
  guint32       n;          /* links when the table was made */
  LsReplayLinks links;
} LinkTable;

static void
link_table_free (gpointer data)
{
  g_free (((LinkTable *) data)->links.by_node);
  g_free (data);
}

static GQuark
table_quark (void)
{
  return g_quark_from_static_string ("ls-link-table");
}

/* One table is kept a trace: stepping stays in one pass for long. */
const LsReplayLinks *
ls_replay_links (LsTrace *trace, const LsPass *pass)
{
  LinkTable *t = g_dataset_id_get_data (trace, table_quark ());
  if (t && t->pass == pass && t->n == pass->links->len)
    return &t->links;
  t = g_new0 (LinkTable, 1);
  t->pass = pass;
  t->n = pass->links->len;
  for (guint i = 0; i < pass->links->len; i++)
    t->links.n = MAX (t->links.n, g_array_index (pass->links, LsLink, i).before + 1);
  t->links.by_node = g_new0 (guint32, MAX (t->links.n, 1));
  for (guint i = 0; i < pass->links->len; i++)
    t->links.by_node[g_array_index (pass->links, LsLink, i).before] = i + 1;
  g_dataset_id_set_data_full (trace, table_quark (), t, link_table_free);
  return &t->links;
}

void
ls_replay_forget (LsTrace *trace)
{
  g_dataset_destroy (trace);
}

guint
ls_pass_n_rewrites (const LsPass *pass)
{
  return pass->steps->len;
}

guint
ls_pass_n_steps (const LsPass *pass)
{
  return pass->kind == LS_PASS_REWRITE ? pass->steps->len : ls_row_steps_n (pass);
}

const LsLink *
ls_pass_step_link (const LsPass *pass, guint step)
{
  g_return_val_if_fail (step >= 1 && step <= pass->steps->len, NULL);
  return &g_array_index (pass->links, LsLink, g_array_index (pass->steps, guint32, step - 1));
}

/* The number of links that are applied at step: all before the next step's link. */
guint
ls_replay_links_at (const LsPass *pass, guint step)
{
  return step >= pass->steps->len ? pass->links->len : g_array_index (pass->steps, guint32, step);
}

LsUOp *
ls_replay_evaluate (LsTrace *trace, const LsPass *pass, LsUOp *root, guint n_links, LsContext *ctx, LsNodeMap *map, GPtrArray *visited)
{
  typedef struct { LsUOp *node, *wait; gboolean entered; } Frame;
  const LsReplayLinks *t = ls_replay_links (trace, pass);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  /* the nodes in progress, if that may lead back to itself */
  g_autoptr (GHashTable) open = pass->output == LS_NO_NODE ? g_hash_table_new (NULL, NULL) : NULL;
  Frame f = { root, NULL, FALSE };
  g_array_append_val (stack, f);
  while (stack->len > 0) {
    Frame *top = &g_array_index (stack, Frame, stack->len - 1);
    LsUOp *u = top->node, *value = top->wait ? ls_node_map_get_node (map, top->wait) : NULL;
    guint link = ls_replay_link (t, u);
    if (!top->wait && ls_node_map_has (map, u)) {
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    if (open && !top->entered && !g_hash_table_add (open, u)) {
      ls_node_map_set_node (map, u, u);      /* until the way round is done */
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    top->entered = TRUE;
    if (!top->wait && link > 0 && link <= n_links) {
      const LsLink *l = &g_array_index (pass->links, LsLink, link - 1);
      value = ls_context_node (trace->ctx, l->after);
      if (!ls_rewrite_keeps_results (pass->mode) || (l->rule == LS_LINK_REBUILD && !ls_rewrite_matches_first (pass->mode, pass->set))) {
        /* replacements are followed when they are needed; a link back to a node in progress cannot exist (links are acyclic in a sound
         * recording) */
        if (stack->len > 4 * (gsize) ls_context_n_nodes (trace->ctx) + 64)
          return NULL;
        top->wait = value;
        Frame next = { value, NULL, FALSE };
        if (!ls_node_map_has (map, value))
          g_array_append_val (stack, next);
        continue;
      }
    } else if (!top->wait) {
      gboolean ready = TRUE;
      for (guint i = u->n_src; i-- > 0;)
        if (!ls_node_map_has (map, u->src[i])) {
          Frame next = { u->src[i], NULL, FALSE };
          g_array_append_val (stack, next);
          ready = FALSE;
          if (stack->len > 4 * (gsize) ls_context_n_nodes (trace->ctx) + 65536)
            return NULL;
        }
      if (!ready)
        continue;
      for (guint i = 0; i < u->n_src; i++)
        if (!ls_node_map_get_node (map, u->src[i]))
          return NULL;
      value = ls_uop_over (ctx, u, map);
    }
    ls_node_map_set_node (map, u, value);
    if (open)
      g_hash_table_remove (open, u);
    if (visited)
      g_ptr_array_add (visited, u);
    g_array_set_size (stack, stack->len - 1);
  }
  return ls_node_map_get_node (map, root);
}

/* --- names --- */

typedef struct {
  LsTrace   *trace;
  const LsPass *pass;
  const LsReplayLinks *links;
  guint      n_links;
  LsContext *ctx;         /* of values that are not recorded */
  guint32    recorded;    /* ids below are the recording's */
  LsNodeMap *value;       /* of recorded nodes */
  GPtrArray *visited;     /* these nodes */
  LsNodeMap *name;        /* of values that do not name themselves */
} Replay;

static gboolean
is_rewritten (const Replay *r, const LsUOp *u)
{
  guint link = ls_replay_link (r->links, u);
  return link > 0 && link <= r->n_links;
}

static gboolean
stays (const Replay *r, const LsUOp *u)
{
  return u->id < r->recorded && ls_node_map_get_node (r->value, u) == u;
}

/* In passes that walk, and in endless ones, a value may have no name of its own, and be where another node has its name. */
static void
find_odd_names (Replay *r, GPtrArray *order)
{
  LsNodeMap *there = ls_node_map_acquire (r->ctx);
  guint32 other = ls_context_n_nodes (r->ctx);
  guint64 name;
  for (guint i = 0; i < order->len; i++)
    ls_node_map_set (there, order->pdata[i], 1);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *f = order->pdata[i], *u = ls_node_map_get (r->name, f, &name) ? ls_context_node (r->ctx, (guint32) name) : NULL;
    if (u ? u != f && ls_node_map_has (there, u) && !ls_node_map_has (r->name, u) : f->id >= r->recorded)
      ls_node_map_set (r->name, f, other++);
  }
  ls_node_map_release (r->ctx, there);
}

/* The values in order, and names for nodes that do not name themselves. other gets the recorded nodes that changed. */
static GPtrArray *
find_names (Replay *r, LsUOp *root, GPtrArray *other)
{
  gboolean odd = ls_rewrite_keeps_results (r->pass->mode) || r->pass->output == LS_NO_NODE;
  GPtrArray *order = odd ? ls_uop_toposort (r->ctx, root) : g_ptr_array_sized_new (r->visited->len);
  LsNodeMap *seen = ls_node_map_acquire (r->ctx);
  for (guint i = 0; i < r->visited->len; i++) {
    LsUOp *u = r->visited->pdata[i], *f = ls_node_map_get_node (r->value, u);
    guint64 name;
    if (u != f && is_rewritten (r, u))      /* its replacement was visited, too */
      continue;
    if (!odd && !ls_node_map_has (seen, f)) {      /* its sources are values of nodes that were visited before */
      ls_node_map_set (seen, f, 1);
      g_ptr_array_add (order, f);
    }
    if (u == f)
      continue;
    g_ptr_array_add (other, u);
    if (!stays (r, f) && (!ls_node_map_get (r->name, f, &name) || u->id < name))
      ls_node_map_set (r->name, f, u->id);
  }
  ls_node_map_release (r->ctx, seen);
  if (odd)
    find_odd_names (r, order);
  return order;
}

/* The named nodes of the values in order, taken: those that are recorded as they are, and copies of the others. */
static LsGraph *
name_nodes (Replay *r, GPtrArray *order)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (r->trace->ctx);
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  LsNodeMap *copy = ls_node_map_acquire (ctx);
  gboolean copies = FALSE;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *f = order->pdata[i];
    guint64 name = f->id;
    gboolean is_copy = ls_node_map_get (r->name, f, &name);
    if (!is_copy && (!copies || stays (r, f)))
      continue;
    g_ptr_array_set_size (src, (int) f->n_src);
    for (guint k = 0; k < f->n_src; k++) {
      LsUOp *s = ls_node_map_get_node (copy, f->src[k]);
      is_copy |= s != NULL;
      src->pdata[k] = s ? s : f->src[k];
    }
    if (is_copy) {
      order->pdata[i] = ls_uop_new_named (ctx, f, (LsUOp **) src->pdata, (guint32) name);
      ls_node_map_set_node (copy, f, order->pdata[i]);
      copies = TRUE;
    }
  }
  ls_node_map_release (ctx, copy);
  return ls_graph_new_take (ctx, order);
}

static LsGraph *
make_graph (LsTrace *trace, const LsPass *pass, guint step)
{
  LsUOp *input = ls_context_node (trace->ctx, step >= pass->steps->len && pass->kind == LS_PASS_MAP ? pass->output : pass->input);
  LsUOp *of_list = pass->kind == LS_PASS_MAP ? ls_row_steps_root (pass, step) : NULL;
  input = of_list ? of_list : input;
  if (!input || pass->kind == LS_PASS_MAP)
    return input ? ls_graph_new (trace->ctx, input) : NULL;
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (GPtrArray) visited = g_ptr_array_new (), other = g_ptr_array_new ();
  Replay r = { trace, pass, ls_replay_links (trace, pass), ls_replay_links_at (pass, step), ctx, ls_context_n_nodes (trace->ctx),
               ls_node_map_acquire (ctx), visited, ls_node_map_acquire (ctx) };
  LsUOp *root = ls_replay_evaluate (trace, pass, input, r.n_links, ctx, r.value, visited);
  LsGraph *g = root ? name_nodes (&r, find_names (&r, root, other)) : NULL;
  for (guint i = 0; g && i < other->len; i++) {
    const LsUOp *u = other->pdata[i], *f = ls_node_map_get_node (r.value, u);
    guint64 name = f->id;
    if (!ls_node_map_get (r.name, f, &name) || name != u->id)
      g_array_append_val (g->aliases, ((LsAlias) { u->id, (guint32) name }));
  }
  ls_node_map_release (ctx, r.name);
  ls_node_map_release (ctx, r.value);
  return g;
}

/* The two graphs that were asked for last, the later one first: a step's change is asked for by several, and the next step begins
 * where it ends. */
typedef struct { const LsPass *pass; guint n_links, n_nodes; LsGraph *graph; } LastGraph;

static void
last_graphs_free (gpointer data)
{
  ls_graph_unref (((LastGraph *) data)[0].graph);
  ls_graph_unref (((LastGraph *) data)[1].graph);
  g_free (data);
}

static LsGraph *
named (LsTrace *trace, const LsPass *pass, LsGraph *graph)
{
  LsNames *names = graph ? ls_trace_names (trace, pass->kernel) : NULL;
  if (names)
    graph->names = ls_names_ref (names);
  return graph;
}

LsGraph *
ls_pass_graph (LsTrace *trace, const LsPass *pass, guint step)
{
  if (pass->kind == LS_PASS_MAP)
    return named (trace, pass, make_graph (trace, pass, step));
  GQuark quark = g_quark_from_static_string ("ls-last-graphs");
  LastGraph *last = g_dataset_id_get_data (trace, quark);
  guint n_links = ls_replay_links_at (pass, step), n_nodes = ls_context_n_nodes (trace->ctx);
  if (!last)
    g_dataset_id_set_data_full (trace, quark, last = g_new0 (LastGraph, 2), last_graphs_free);
  for (guint i = 0; i < 2; i++)
    if (last[i].graph && last[i].pass == pass && last[i].n_links == n_links && last[i].n_nodes == n_nodes)
      return ls_graph_ref (last[i].graph);
  LsGraph *graph = named (trace, pass, make_graph (trace, pass, step));
  if (graph) {
    ls_graph_unref (last[1].graph);
    last[1] = last[0];
    last[0] = (LastGraph) { pass, n_links, n_nodes, ls_graph_ref (graph) };
  }
  return graph;
}

/* --- from step to step --- */

/* The nodes of a graph by name, aliases too. */
static LsNodeMap *
index_names (const LsGraph *g, LsContext *ctx)
{
  LsNodeMap *at = ls_node_map_acquire (ctx);
  for (guint i = 0; i < g->nodes->len; i++)
    ls_node_map_set_node (at, g->nodes->pdata[i], g->nodes->pdata[i]);
  for (guint i = 0; i < g->aliases->len; i++) {
    const LsAlias *a = &g_array_index (g->aliases, LsAlias, i);
    const LsUOp *u = ls_context_node (ctx, a->id), *named = ls_context_node (ctx, a->name);
    if (u && named && !ls_node_map_has (at, u) && ls_node_map_has (at, named))
      ls_node_map_set_node (at, u, ls_node_map_get_node (at, named));
  }
  return at;
}

void
ls_join_init (LsJoin *join, LsTrace *trace, const LsPass *pass, const LsGraph *graph, guint step)
{
  *join = (LsJoin) { trace, pass, ls_replay_links (trace, pass), pass->kind == LS_PASS_REWRITE ? ls_replay_links_at (pass, step) : 0,
                     index_names (graph, trace->ctx) };
}

void
ls_join_clear (LsJoin *join)
{
  ls_node_map_release (join->trace->ctx, join->at);
}

LsUOp *
ls_join_follow (const LsJoin *join, guint32 id, guint32 *last)
{
  const LsUOp *u = ls_context_node (join->trace->ctx, id);
  for (guint n = 0; u && !ls_node_map_has (join->at, u) && n < join->n_links; n++) {
    guint link = ls_replay_link (join->links, u);
    if (link == 0 || link > join->n_links)
      break;
    u = ls_context_node (join->trace->ctx, g_array_index (join->pass->links, LsLink, link - 1).after);
  }
  if (last)
    *last = u ? u->id : id;
  return u ? ls_node_map_get_node (join->at, u) : NULL;
}

GHashTable *
ls_pass_identities (LsTrace *trace, const LsPass *pass, guint from, guint to)
{
  GHashTable *was = g_hash_table_new (NULL, NULL);
  g_autoptr (LsGraph) a = ls_pass_graph (trace, pass, from), b = ls_pass_graph (trace, pass, to);
  if (!a || !b)
    return was;
  LsJoin join;
  ls_join_init (&join, trace, pass, b, to);
  for (guint i = 0; i < a->nodes->len; i++) {
    guint32 id = ((LsUOp *) a->nodes->pdata[i])->id;
    const LsUOp *u = ls_join_follow (&join, id, NULL);
    if (u && u->id != id && !g_hash_table_contains (was, GUINT_TO_POINTER (u->id)))
      g_hash_table_insert (was, GUINT_TO_POINTER (u->id), GUINT_TO_POINTER (id));
  }
  ls_join_clear (&join);
  return was;
}
