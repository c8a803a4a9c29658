/* Replay: the graph of a pass after any of its steps, from the links alone.
 *
 * Every link is written once per node, so a node's fate up to step k is one look at its link. The input root is evaluated through the
 * links made up to k: a node with a link becomes what its link says, another one is rebuilt from its evaluated sources. Cost is
 * that of the graph at that moment, not of the pass, except for the table of links by node, which is made once for each pass that is
 * looked at and kept.
 *
 * A pass that was stopped because it does not end has links that go in circles: there a node that is met again on its way round stands for
 * itself, which is what the graph held at that moment.
 */
#include "replay.h"

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
ls_pass_n_steps (const LsPass *pass)
{
  return pass->steps->len;
}

const LsLink *
ls_pass_step_link (const LsPass *pass, guint step)
{
  g_return_val_if_fail (step >= 1 && step <= pass->steps->len, NULL);
  return &g_array_index (pass->links, LsLink, g_array_index (pass->steps, guint32, step - 1));
}

/* Links that count at step: those before the next step's link. */
static guint
links_at (const LsPass *pass, guint step)
{
  return step >= pass->steps->len ? pass->links->len : g_array_index (pass->steps, guint32, step);
}

LsUOp *
ls_replay_evaluate (LsTrace *trace, const LsPass *pass, LsUOp *root, guint n_links, LsNodeMap *map, GPtrArray *visited)
{
  typedef struct { LsUOp *node, *wait; gboolean entered; } Frame;
  const LsReplayLinks *t = ls_replay_links (trace, pass);
  LsContext *ctx = trace->ctx;
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  /* what is being followed, where that may lead back to itself */
  g_autoptr (GHashTable) open = pass->output == LS_NO_NODE ? g_hash_table_new (NULL, NULL) : NULL;
  Frame f = { root, NULL, FALSE };
  g_array_append_val (stack, f);
  while (stack->len > 0) {
    Frame *top = &g_array_index (stack, Frame, stack->len - 1);
    LsUOp *u = top->node;
    if (top->wait) {
      ls_node_map_set_node (map, u, ls_node_map_get_node (map, top->wait));
      if (open)
        g_hash_table_remove (open, u);
      if (visited)
        g_ptr_array_add (visited, u);
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    if (ls_node_map_has (map, u)) {
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    if (open && !top->entered && !g_hash_table_add (open, u)) {
      ls_node_map_set_node (map, u, u);      /* until the way round is done */
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    top->entered = TRUE;
    guint link = ls_replay_link (t, u);
    if (link > 0 && link <= n_links) {
      const LsLink *l = &g_array_index (pass->links, LsLink, link - 1);
      LsUOp *to = ls_context_node (ctx, l->after);
      if (pass->mode == LS_REWRITE_WALK && l->rule != LS_LINK_REBUILD) {
        ls_node_map_set_node (map, u, to);
        if (open)
          g_hash_table_remove (open, u);
        if (visited)
          g_ptr_array_add (visited, u);
        g_array_set_size (stack, stack->len - 1);
        continue;
      }
      /* what is made by a step at its turn is followed; a link back to what is being followed cannot be (links are acyclic in a sound recording) */
      if (stack->len > 4 * (gsize) ls_context_n_nodes (ctx) + 64)
        return NULL;
      top->wait = to;
      Frame next = { to, NULL, FALSE };
      if (!ls_node_map_has (map, to))
        g_array_append_val (stack, next);
      continue;
    }
    gboolean ready = TRUE;
    for (guint i = u->n_src; i-- > 0;)
      if (!ls_node_map_has (map, u->src[i])) {
        Frame next = { u->src[i], NULL, FALSE };
        g_array_append_val (stack, next);
        ready = FALSE;
        if (stack->len > 4 * (gsize) ls_context_n_nodes (ctx) + 65536)
          return NULL;
      }
    if (!ready)
      continue;
    gboolean changed = FALSE;
    g_ptr_array_set_size (src, 0);
    for (guint i = 0; i < u->n_src; i++) {
      LsUOp *s = ls_node_map_get_node (map, u->src[i]);
      if (!s)
        return NULL;
      changed |= s != u->src[i];
      g_ptr_array_add (src, s);
    }
    ls_node_map_set_node (map, u, changed ? ls_uop_with_src (ctx, u, u->n_src, (LsUOp **) src->pdata) : u);
    if (open)
      g_hash_table_remove (open, u);
    if (visited)
      g_ptr_array_add (visited, u);
    g_array_set_size (stack, stack->len - 1);
  }
  return ls_node_map_get_node (map, root);
}

LsUOp *
ls_pass_root_at (LsTrace *trace, const LsPass *pass, guint step)
{
  LsUOp *root = ls_context_node (trace->ctx, step >= pass->steps->len && pass->kind == LS_PASS_MAP ? pass->output : pass->input);
  if (!root || pass->kind == LS_PASS_MAP)
    return root;
  LsNodeMap *map = ls_node_map_acquire (trace->ctx);
  LsUOp *out = ls_replay_evaluate (trace, pass, root, links_at (pass, step), map, NULL);
  ls_node_map_release (trace->ctx, map);
  return out;
}

GHashTable *
ls_pass_stand_ins (LsTrace *trace, const LsPass *pass, guint step)
{
  GHashTable *out = g_hash_table_new (NULL, NULL);
  LsUOp *root = pass->kind == LS_PASS_REWRITE ? ls_context_node (trace->ctx, pass->input) : NULL;
  if (!root)
    return out;
  guint n_links = links_at (pass, step);
  g_autoptr (GPtrArray) visited = g_ptr_array_new ();
  LsNodeMap *map = ls_node_map_acquire (trace->ctx);
  if (ls_replay_evaluate (trace, pass, root, n_links, map, visited)) {
    const LsReplayLinks *t = ls_replay_links (trace, pass);
    for (guint i = 0; i < visited->len; i++) {
      LsUOp *u = visited->pdata[i], *fate = ls_node_map_get_node (map, u);
      guint link = ls_replay_link (t, u);
      gboolean rewritten = link > 0 && link <= n_links;      /* then what it became was visited, too */
      gboolean recorded = fate == u || (ls_node_map_has (map, fate) && ls_node_map_get_node (map, fate) == fate);
      if (!rewritten && !recorded && !g_hash_table_contains (out, GUINT_TO_POINTER (fate->id)))
        g_hash_table_insert (out, GUINT_TO_POINTER (fate->id), GUINT_TO_POINTER (u->id));
    }
  }
  ls_node_map_release (trace->ctx, map);
  return out;
}

guint
ls_replay_links_at (const LsPass *pass, guint step)
{
  return links_at (pass, step);
}
