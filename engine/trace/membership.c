/* A node X is in the graph after n links if some recorded node evaluates to X there and is reached from the pass's input. A witness
 * proves it: a path from the input, on which each node is followed by its replacement, if that link is among the n, else by one of its
 * sources, to a node that evaluates to X. The path depends only on the links that count. So the number of each node's link determines
 * for which n the witness is valid: a node without a relevant link must not get one, a node with one must keep it. Until then no step
 * needs to be looked at.
 *
 * When a link breaks the path, a detour is searched next to it, among the nodes that the link introduced: a rule keeps most of the nodes
 * that it matched. Only if there is none, or a node below X got a link, the graph is evaluated, and the path that stays valid longest is
 * the next witness.
 *
 * Passes that walk, and such as do not end, are evaluated at each step: links within a result do not count in the first, and go in
 * circles in the second.
 */
#include "membership.h"
#include "replay.h"

#define NEAR 64      /* nodes that are looked at for a way round */

struct _LsMembership {
  LsTrace      *trace;
  const LsPass *pass;
  LsContext    *ctx;                /* over the recording's: nodes that the one asked for is made of and that are not recorded */
  LsUOp        *node;               /* the node asked for; equal nodes are one */
  int           direction;
  const LsReplayLinks *links;       /* while asked */
  guint         from, to;           /* numbers of links for which the witness is valid; from > to: there is none */
  guint         below_from, below_to;      /* the same for the nodes below the path's end */
  GPtrArray    *path;               /* LsUOp, the input first */
};

/* The node that is equal to this one with all nodes below it, where equal nodes are one. */
static LsUOp *
make_again (LsContext *ctx, LsUOp *node)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, node), src = g_ptr_array_new ();
  LsNodeMap *made = ls_node_map_acquire (ctx);
  for (guint i = 0; i < nodes->len; i++) {
    LsUOp *u = nodes->pdata[i];
    g_ptr_array_set_size (src, 0);
    for (guint k = 0; k < u->n_src; k++)
      g_ptr_array_add (src, ls_node_map_get_node (made, u->src[k]));
    ls_node_map_set_node (made, u, ls_uop_with_src (ctx, u, u->n_src, (LsUOp **) src->pdata));
  }
  node = ls_node_map_get_node (made, node);
  ls_node_map_release (ctx, made);
  return node;
}

LsMembership *
ls_membership_new (LsTrace *trace, const LsPass *pass, LsUOp *node, int direction)
{
  LsMembership *p = g_new0 (LsMembership, 1);
  p->trace = trace;
  p->pass = pass;
  p->ctx = ls_context_new_over (trace->ctx);
  p->node = make_again (p->ctx, node);
  p->direction = direction;
  p->from = 1;
  p->path = g_ptr_array_new ();
  return p;
}

void
ls_membership_free (LsMembership *p)
{
  if (!p)
    return;
  g_ptr_array_unref (p->path);
  ls_context_unref (p->ctx);
  g_free (p);
}

/* --- the recorded nodes after n links --- */

/* The nodes that follow u on a path. */
static guint
followers (const LsMembership *p, LsUOp *u, guint n, LsUOp ***out, LsUOp **one)
{
  guint link = ls_replay_link (p->links, u);
  if (link == 0 || link > n) {
    *out = u->src;
    return u->n_src;
  }
  *one = ls_context_node (p->trace->ctx, g_array_index (p->pass->links, LsLink, link - 1).after);
  *out = one;
  return 1;
}

static gboolean
leads_to (const LsMembership *p, LsUOp *u, LsUOp *v, guint n)
{
  LsUOp **next, *one;
  guint n_next = followers (p, u, n, &next, &one);
  for (guint i = 0; i < n_next; i++)
    if (next[i] == v)
      return TRUE;
  return FALSE;
}

/* The numbers of links for which the followers of u stay as they are after n. */
static void
narrow (const LsMembership *p, const LsUOp *u, guint n, guint *from, guint *to)
{
  guint link = ls_replay_link (p->links, u);
  if (link > 0 && link <= n)
    *from = MAX (*from, link);
  else if (link > 0)
    *to = MIN (*to, link - 1);
}

/* --- the way round --- */

/* Adds the shortest way from u to a node on the path below it, and returns its position; 0: none is near. */
static guint
go_round (const LsMembership *p, LsUOp *u, guint n, LsNodeMap *place, guint at, GPtrArray *path)
{
  LsUOp *near[NEAR], **next, *one;
  guint from[NEAR], n_near = 1, found = 0, last = 0;
  LsNodeMap *seen = ls_node_map_acquire (p->trace->ctx);
  near[0] = u;
  for (guint i = 0; i < n_near && !found; i++) {
    guint n_next = followers (p, near[i], n, &next, &one);
    for (guint k = 0; k < n_next && n_near < NEAR && !found; k++) {
      guint64 there;
      if (ls_node_map_has (seen, next[k]))
        continue;
      ls_node_map_set (seen, next[k], 1);
      near[n_near] = next[k];
      from[n_near] = i;
      last = n_near++;
      found = ls_node_map_get (place, next[k], &there) && there > at ? (guint) there : 0;
    }
  }
  ls_node_map_release (p->trace->ctx, seen);
  if (found) {
    guint first = path->len, length = 0;
    for (guint i = last; i > 0; i = from[i])
      length++;
    g_ptr_array_set_size (path, (int) (first + length));
    for (guint i = last; i > 0; i = from[i])
      path->pdata[first + --length] = near[i];
  }
  return found;
}

/* Changes the path to one that is valid after n links. */
static gboolean
mend (LsMembership *p, guint n)
{
  if (p->path->len == 0 || n < p->below_from || n > p->below_to)
    return FALSE;
  g_autoptr (GPtrArray) path = g_ptr_array_sized_new (p->path->len + 8);
  LsNodeMap *place = ls_node_map_acquire (p->trace->ctx);
  guint i = 0, last = p->path->len - 1;
  gboolean whole = TRUE;
  for (guint k = 0; k <= last; k++)
    ls_node_map_set (place, p->path->pdata[k], k);
  g_ptr_array_add (path, p->path->pdata[0]);
  while (whole && i < last) {
    if (leads_to (p, p->path->pdata[i], p->path->pdata[i + 1], n))
      g_ptr_array_add (path, p->path->pdata[++i]);
    else
      whole = (i = go_round (p, p->path->pdata[i], n, place, i, path)) > 0;
  }
  ls_node_map_release (p->trace->ctx, place);
  if (!whole)
    return FALSE;
  p->from = p->below_from;
  p->to = p->below_to;
  for (guint k = 0; k + 1 < path->len; k++)
    narrow (p, path->pdata[k], n, &p->from, &p->to);
  g_ptr_array_unref (p->path);
  p->path = g_steal_pointer (&path);
  return TRUE;
}

/* --- the graph --- */

typedef struct { guint from, to, stands, above; } Visit;      /* of the nodes below; how long the best path to it is valid, from which
                                                               * visited node */

/* How long something lasts in the direction of asking: the more the longer. */
static guint
lasts (const LsMembership *p, guint from, guint to)
{
  return p->direction > 0 ? to : G_MAXUINT - from;
}

/* The best path to a visited node that evaluates to the node asked for. visited: sources and replacements before their users, the input
 * last. */
static void
find_path (LsMembership *p, GPtrArray *visited, LsNodeMap *outcome, guint n)
{
  g_autofree Visit *visits = g_new0 (Visit, visited->len);
  LsNodeMap *place = ls_node_map_acquire (p->trace->ctx);
  LsUOp **next, *one;
  guint64 k;
  guint best = visited->len, best_lasts = 0;
  for (guint i = 0; i < visited->len; i++) {
    Visit *v = &visits[i];
    LsUOp *u = visited->pdata[i];
    guint n_next = followers (p, u, n, &next, &one);
    ls_node_map_set (place, u, i);
    *v = (Visit) { 0, G_MAXUINT, 0, visited->len };
    narrow (p, u, n, &v->from, &v->to);
    for (guint s = 0; s < n_next; s++)
      if (ls_node_map_get (place, next[s], &k)) {
        v->from = MAX (v->from, visits[k].from);
        v->to = MIN (v->to, visits[k].to);
      }
  }
  visits[visited->len - 1].stands = G_MAXUINT;
  for (guint i = visited->len; i-- > 0;) {
    LsUOp *u = visited->pdata[i];
    guint from = 0, to = G_MAXUINT, n_next = followers (p, u, n, &next, &one);
    narrow (p, u, n, &from, &to);
    guint stands = MIN (visits[i].stands, lasts (p, from, to)), whole = MIN (visits[i].stands, lasts (p, visits[i].from, visits[i].to));
    if (ls_node_map_get_node (outcome, u) == p->node && (best == visited->len || whole > best_lasts)) {
      best = i;
      best_lasts = whole;
    }
    for (guint s = 0; s < n_next; s++)
      if (ls_node_map_get (place, next[s], &k) && (visits[k].above == visited->len || stands > visits[k].stands)) {
        visits[k].stands = stands;
        visits[k].above = i;
      }
  }
  ls_node_map_release (p->trace->ctx, place);
  if (best == visited->len)
    return;
  p->from = p->below_from = visits[best].from;
  p->to = p->below_to = visits[best].to;
  guint length = 0;
  for (guint i = best; i < visited->len; i = visits[i].above)
    length++;
  g_ptr_array_set_size (p->path, (int) length);
  for (guint i = best; i < visited->len; i = visits[i].above)
    p->path->pdata[--length] = visited->pdata[i];
  for (guint i = 0; i + 1 < p->path->len; i++)
    narrow (p, p->path->pdata[i], n, &p->from, &p->to);
}

static gboolean
is_below (LsContext *ctx, LsUOp *root, const LsUOp *node)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, root);
  return g_ptr_array_find (nodes, node, NULL);
}

/* Looks for the node in the graph after n links. */
static gboolean
look (LsMembership *p, guint n)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (p->ctx);
  LsUOp *input = ls_context_node (ctx, p->pass->input);
  g_autoptr (GPtrArray) visited = g_ptr_array_new ();
  LsNodeMap *value = ls_node_map_acquire (ctx);
  LsUOp *root = input ? ls_replay_evaluate (p->trace, p->pass, input, n, ctx, value, visited) : NULL;
  gboolean plain = !ls_rewrite_keeps_results (p->pass->mode) && p->pass->output != LS_NO_NODE;
  g_ptr_array_set_size (p->path, 0);
  p->from = 1;
  p->to = 0;
  if (root && plain)
    find_path (p, visited, value, n);
  else if (root && is_below (ctx, root, p->node))
    p->from = p->to = n;
  ls_node_map_release (ctx, value);
  return p->from <= p->to;
}

gboolean
ls_membership_ends (LsMembership *p, guint step)
{
  guint n = g_array_index (p->pass->steps, guint32, step - 1) + (p->direction > 0);
  if (p->from <= n && n <= p->to)
    return FALSE;
  p->links = ls_replay_links (p->trace, p->pass);
  return !mend (p, n) && !look (p, n);
}
