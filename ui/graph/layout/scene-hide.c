/* Boxes of classes that the user hides (session/node-filter.h) are taken out.
 *
 * Only what the step left as it was is: a box that was added, removed, changed or moved stays, and so do the one where the step
 * happened, one that has taken in others, and one that nothing uses. Movement hands its sources on: arrows lead from them to what used
 * it, in those graphs in which each piece of the way is. Other hidden boxes end their arrows. What is hidden is found in the first box
 * below it that is drawn (LsScene.places), as folded constants are.
 */
#include "scene-private.h"
#include "session/node-filter.h"

#define UNKNOWN (LS_NO_NODE - 1)
#define BUSY    (LS_NO_NODE - 2)

typedef struct {
  const LsScene *whole;
  guint8        *class;     /* of each box of whole: why it is hidden, or 0 */
  guint8        *met;       /* of each hidden box: sides on which it has been met, for one consumer */
  guint         *arrow;     /* of each box: the last arrow from it, index + 1 */
  GArray        *touched;   /* guint: boxes of which met is not 0 */
  GArray        *stack;     /* LsSceneEdge */
  GArray        *arrows;    /* LsSceneEdge, by consumer; indices are of boxes of whole */
} Hide;

static guint
find_hidden (Hide *h, guint classes)
{
  const LsScene *s = h->whole;
  g_autoptr (GHashTable) hidden = ls_node_filter (s->after, classes);
  guint n = 0;
  for (guint e = 0; e < s->n_edges; e++)
    h->class[s->edges[e].from] |= s->edges[e].side & LS_IN_AFTER;      /* it is used */
  for (guint i = 0; i < s->n_nodes; i++) {
    const LsSceneNode *node = &s->nodes[i];
    gboolean may = h->class[i] && node->kind == LS_DIFF_SAME && !node->n_inside && i != s->focus;
    h->class[i] = may ? (guint8) ls_node_hidden (hidden, node->id) : 0;
    n += h->class[i] ? node->n_lanes : 0;
  }
  return n;
}

/* Boxes are placed as in whole, hidden ones at LS_NO_NODE. Returns how many there are. */
static guint
find_places (const Hide *h, guint *place)
{
  guint n = 0;
  for (guint i = 0; i < h->whole->n_nodes; i++)
    place[i] = h->class[i] ? LS_NO_NODE : n++;
  return n;
}

/* Of each box the one that it is found in: itself, or the first below it that is drawn, or LS_NO_NODE. Free with g_free. */
static guint *
find_hosts (const Hide *h)
{
  const LsScene *s = h->whole;
  guint *host = g_new (guint, MAX (s->n_nodes, 1));
  g_autofree guint *user = g_new (guint, MAX (s->n_nodes, 1));
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < s->n_nodes; i++) {
    host[i] = h->class[i] ? UNKNOWN : i;
    user[i] = LS_NO_NODE;
  }
  for (guint e = s->n_edges; e-- > 0; )
    if (s->edges[e].side & LS_IN_AFTER)
      user[s->edges[e].from] = s->edges[e].to;
  for (guint i = 0; i < s->n_nodes; i++) {
    guint at = i;
    for (; host[at] == UNKNOWN; at = user[at]) {
      host[at] = BUSY;      /* stacks may use each other */
      g_array_append_val (way, at);
    }
    guint found = host[at] == BUSY ? LS_NO_NODE : host[at];
    for (guint k = 0; k < way->len; k++)
      host[g_array_index (way, guint, k)] = found;
    g_array_set_size (way, 0);
  }
  return host;
}

static void
push_sources (Hide *h, guint box, guint sides)
{
  const LsSceneNode *node = &h->whole->nodes[box];
  for (guint e = node->first_edge + node->n_edges; e-- > node->first_edge; ) {
    LsSceneEdge edge = h->whole->edges[e];
    edge.side &= (guint8) sides;
    if (edge.side)
      g_array_append_val (h->stack, edge);
  }
}

/* The arrows to a box from what feeds it, past what is hidden. */
static void
collect_arrows (Hide *h, guint box)
{
  guint first = h->arrows->len, n_past = 0;
  push_sources (h, box, LS_IN_BOTH);
  while (h->stack->len) {
    LsSceneEdge edge = g_array_index (h->stack, LsSceneEdge, h->stack->len - 1);
    g_array_set_size (h->stack, h->stack->len - 1);
    guint class = h->class[edge.from], sides = edge.side & ~h->met[edge.from];
    if (!class && h->arrow[edge.from] > first) {
      g_array_index (h->arrows, LsSceneEdge, h->arrow[edge.from] - 1).side |= edge.side;
    } else if (!class) {
      edge.to = box;
      g_array_append_val (h->arrows, edge);
      h->arrow[edge.from] = h->arrows->len;
    } else if (class == LS_HIDE_MOVEMENT && sides) {
      if (!h->met[edge.from])
        g_array_append_val (h->touched, edge.from);
      h->met[edge.from] |= (guint8) sides;
      push_sources (h, edge.from, sides);
    }
    n_past += class != 0;
  }
  for (guint i = 0; i < h->touched->len; i++)
    h->met[g_array_index (h->touched, guint, i)] = 0;
  g_array_set_size (h->touched, 0);
  if (n_past)
    ls_scene_number_ports (&g_array_index (h->arrows, LsSceneEdge, first), h->arrows->len - first);
}

static void
copy_boxes (Hide *h, LsScene *s, const guint *place)
{
  s->nodes = g_new (LsSceneNode, MAX (s->n_nodes, 1));
  for (guint i = 0; i < h->whole->n_nodes; i++) {
    if (h->class[i])
      continue;
    LsSceneNode *node = &s->nodes[place[i]];
    *node = h->whole->nodes[i];
    node->first_edge = h->arrows->len;
    collect_arrows (h, i);
    node->n_edges = h->arrows->len - node->first_edge;
  }
  for (guint e = 0; e < h->arrows->len; e++) {
    LsSceneEdge *edge = &g_array_index (h->arrows, LsSceneEdge, e);
    edge->from = place[edge->from];
    edge->to = place[edge->to];
  }
  s->n_edges = h->arrows->len;
  s->edges = (LsSceneEdge *) (gpointer) g_array_free (g_steal_pointer (&h->arrows), FALSE);
}

/**
 * ls_scene_hide:
 * @whole: (transfer full): a scene
 * @classes: LsHidden
 *
 * Returns: (transfer full): a scene over @whole, or @whole itself when nothing of it is hidden. Linear in boxes and arrows, and for each
 * consumer in the movement that leads to it.
 */
LsScene *
ls_scene_hide (LsScene *whole, guint classes)
{
  g_return_val_if_fail (whole != NULL, whole);
  guint n = MAX (whole->n_nodes, 1);
  if (!(classes & LS_HIDE_ALL) || !whole->after)
    return whole;
  g_autofree guint8 *class = g_new0 (guint8, n), *met = g_new0 (guint8, n);
  g_autofree guint *arrow = g_new0 (guint, n), *place = g_new (guint, n), *host = NULL;
  g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint)), stack = g_array_new (FALSE, FALSE, sizeof (LsSceneEdge));
  Hide h = { whole, class, met, arrow, touched, stack, NULL };
  guint n_hidden = find_hidden (&h, classes);
  if (!n_hidden)
    return whole;
  h.arrows = g_array_new (FALSE, FALSE, sizeof (LsSceneEdge));
  LsScene *s = ls_scene_over (whole);
  s->hidden = classes;
  s->n_hidden = n_hidden;
  s->n_nodes = find_places (&h, place);
  copy_boxes (&h, s, place);
  host = find_hosts (&h);
  GHashTableIter iter;
  gpointer id, at;
  for (g_hash_table_iter_init (&iter, whole->places); g_hash_table_iter_next (&iter, &id, &at);) {
    guint found = host[GPOINTER_TO_UINT (at) - 1];
    if (found != LS_NO_NODE)
      g_hash_table_insert (s->places, id, GUINT_TO_POINTER (place[found] + 1));
  }
  if (s->focus != LS_NO_NODE)
    s->focus = place[s->focus];
  return s;
}
