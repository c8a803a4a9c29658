/* Boxes that contain their inputs.
 *
 * A collapsed box takes in every box that reaches the rest of the picture only through it, the ones that it dominates: walking up from
 * it, a box is inside once all the arrows that leave it have been met. Other nodes that feed the sources of these remain, and their
 * arrows end at the collapsed box. Like constants and indices, nodes inside are found at their box (LsScene.places).
 *
 * A folded loop is the box of its last node, which takes in all others of the loop, with the loop's title.
 */
#include "scene-private.h"

#include <glib/gi18n.h>

typedef struct {
  const LsScene *scene;
  guint         *users;      /* arrows that leave a box */
  guint         *met;        /* of these, ones that end inside; all 0 between walks */
  GArray        *inside;     /* guint: the requested box, then the boxes that it dominates */
} Walk;

static void
walk_init (Walk *w, const LsScene *scene)
{
  *w = (Walk) { scene, g_new0 (guint, MAX (scene->n_nodes, 1)), g_new0 (guint, MAX (scene->n_nodes, 1)),
                g_array_new (FALSE, FALSE, sizeof (guint)) };
  for (guint e = 0; e < scene->n_edges; e++)
    w->users[scene->edges[e].from]++;
}

static void
walk_clear (Walk *w)
{
  g_free (w->users);
  g_free (w->met);
  g_array_unref (w->inside);
}

static void
walk_up (Walk *w, guint box)
{
  const LsScene *s = w->scene;
  g_array_set_size (w->inside, 0);
  g_array_append_val (w->inside, box);
  for (guint i = 0; i < w->inside->len; i++) {
    const LsSceneNode *node = &s->nodes[g_array_index (w->inside, guint, i)];
    for (guint e = node->first_edge; e < node->first_edge + node->n_edges; e++) {
      guint from = s->edges[e].from;
      if (from != box && ++w->met[from] == w->users[from])
        g_array_append_val (w->inside, from);
    }
  }
  for (guint i = 0; i < w->inside->len; i++) {
    const LsSceneNode *node = &s->nodes[g_array_index (w->inside, guint, i)];
    for (guint e = node->first_edge; e < node->first_edge + node->n_edges; e++)
      w->met[s->edges[e].from] = 0;
  }
}

guint
ls_scene_n_dominated (const LsScene *scene, guint node)
{
  g_return_val_if_fail (node < scene->n_nodes, 0);
  Walk w;
  walk_init (&w, scene);
  walk_up (&w, node);
  guint n = w.inside->len - 1;
  walk_clear (&w);
  return n;
}

static gboolean
is_asked_for (const LsSceneNode *node, GHashTable *ids)
{
  return g_hash_table_contains (ids, GUINT_TO_POINTER (node->id)) ||
         (node->before != LS_NO_NODE && g_hash_table_contains (ids, GUINT_TO_POINTER (node->before)));
}

typedef struct { LsSceneEdge edge; float x; guint order; } Arrow;

static int
from_left_to_right (gconstpointer a, gconstpointer b)
{
  const Arrow *p = a, *q = b;
  return p->x != q->x ? p->x < q->x ? -1 : 1 : p->order < q->order ? -1 : 1;
}

/* The arrows that end at a collapsed box: one from each box outside that feeds a node inside, in the order of those. */
static void
collect_arrows (const LsScene *s, const guint *outer, guint box, const guint *members, guint n_members, const float *x, GHashTable *seen,
                GArray *arrows)
{
  g_array_set_size (arrows, 0);
  g_hash_table_remove_all (seen);
  for (guint i = 0; i < n_members; i++) {
    const LsSceneNode *node = &s->nodes[members[i]];
    for (guint e = node->first_edge; e < node->first_edge + node->n_edges; e++) {
      const LsSceneEdge *edge = &s->edges[e];
      if (outer[edge->from] == box)
        continue;
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (seen, GUINT_TO_POINTER (edge->from + 1)));
      if (at) {
        g_array_index (arrows, Arrow, at - 1).edge.side |= edge->side;
        continue;
      }
      Arrow a = { *edge, x ? x[edge->from] + s->nodes[edge->from].width / 2 : 0, arrows->len };
      g_array_append_val (arrows, a);
      g_hash_table_insert (seen, GUINT_TO_POINTER (edge->from + 1), GUINT_TO_POINTER (arrows->len));
    }
  }
  g_array_sort (arrows, from_left_to_right);
}

void
ls_scene_number_ports (LsSceneEdge *edges, guint n_edges)
{
  guint n[2] = { 0, 0 };
  for (guint i = 0; i < n_edges; i++)
    for (guint v = 0; v < 2; v++) {
      edges[i].port[v] = (guint16) MIN (n[v], G_MAXUINT16);
      n[v] += edges[i].side & (v ? LS_IN_AFTER : LS_IN_BEFORE) ? 1 : 0;
    }
  for (guint i = 0; i < n_edges; i++)
    for (guint v = 0; v < 2; v++) {
      edges[i].n_ports[v] = (guint16) MIN (n[v], G_MAXUINT16);
      if (!(edges[i].side & (v ? LS_IN_AFTER : LS_IN_BEFORE))) {      /* not in that version: as in the other */
        edges[i].port[v] = edges[i].port[!v];
        edges[i].n_ports[v] = (guint16) MIN (n[!v], G_MAXUINT16);
      }
    }
}

/* --- folded loops --- */

static gboolean
has_loop (const GArray *loops, guint32 id)
{
  for (guint k = 0; loops && k < loops->len; k++)
    if (g_array_index (loops, LsSceneLoop, k).id == id)
      return TRUE;
  return FALSE;
}

/* Loops that are to be folded, inner ones first: outer[] of their boxes becomes the last of them, which is marked with its loop in
 * folded[]. How many were folded. */
static guint
fold_loops (const LsScene *s, guint version, GHashTable *ids, guint *outer, guint16 *folded)
{
  const GArray *loops = s->loops[version];
  guint n = 0;
  for (guint loop = loops ? loops->len : 0; loop > 0; loop--) {
    guint last = LS_NO_NODE, taken = 0;
    if (!g_hash_table_contains (ids, GUINT_TO_POINTER (g_array_index (loops, LsSceneLoop, loop - 1).id)))
      continue;
    for (guint i = s->n_nodes; i-- > 0; )
      if (s->nodes[i].side & (version ? LS_IN_AFTER : LS_IN_BEFORE) && ls_scene_loop_is_in (s, version, s->nodes[i].loop[version], loop)) {
        last = i;
        break;
      }
    while (last != LS_NO_NODE && outer[last] != last)
      last = outer[last];      /* a collapsed box, which is inside with it */
    for (guint i = 0; last != LS_NO_NODE && i < s->n_nodes; i++)
      if (outer[i] == i && i != last && ls_scene_loop_is_in (s, version, s->nodes[i].loop[version], loop)) {
        outer[i] = last;
        taken++;
      }
    if (!taken)
      continue;
    n++;
    if (ls_scene_loop_is_in (s, version, s->nodes[last].loop[version], loop))
      folded[last] = (guint16) loop;
  }
  return n;
}

/* The box of a folded loop: it is in the loops around it that have more boxes. */
static void
dress_loop (LsScene *s, LsSceneNode *node, guint version, guint loop)
{
  const LsScene *whole = s->whole;
  const GArray *loops = whole->loops[version];
  const LsSceneLoop *l = &g_array_index (loops, LsSceneLoop, loop - 1);
  guint outer = loop;
  for (gboolean same = TRUE; same && g_array_index (loops, LsSceneLoop, outer - 1).parent; ) {
    guint parent = g_array_index (loops, LsSceneLoop, outer - 1).parent;
    for (guint i = 0; i < whole->n_nodes && same; i++)
      same = !ls_scene_loop_is_in (whole, version, whole->nodes[i].loop[version], parent) ||
             ls_scene_loop_is_in (whole, version, whole->nodes[i].loop[version], outer);
    outer = same ? parent : outer;
  }
  g_autofree char *title = ls_scene_loop_title (whole, version, loop, outer);
  g_autoptr (GString) words = g_string_new (title);
  ls_scene_cut (words, LS_SCENE_MAX_CHARS);
  guint n = node->n_inside + node->n_lanes;
  g_autofree char *detail = l->is_kernel ? g_strdup_printf (ngettext ("kernel, %u node", "kernel, %u nodes", n), n)
                                         : g_strdup_printf (ngettext ("loop, %u node", "loop, %u nodes", n), n);
  node->title[0] = node->title[1] = g_string_chunk_insert_const (s->strings, words->str);
  node->detail[0] = node->detail[1] = g_string_chunk_insert_const (s->strings, detail);
  node->width = (float) (MAX (g_utf8_strlen (words->str, -1), g_utf8_strlen (detail, -1)) * LS_SCENE_ADVANCE + 24);
  node->axis = l->axis;
  node->folded = l->id + 1;
  node->loop[version] = g_array_index (loops, LsSceneLoop, outer - 1).parent;
  node->loop[!version] = 0;
  for (guint k = 0; whole->loops[!version] && k < whole->loops[!version]->len; k++)
    if (g_array_index (whole->loops[!version], LsSceneLoop, k).id == g_array_index (loops, LsSceneLoop, outer - 1).id)
      node->loop[!version] = g_array_index (whole->loops[!version], LsSceneLoop, k).parent;
}

/* The words and marks of a box that contains others. */
static void
dress (LsScene *scene, LsSceneNode *node)
{
  guint changed = node->inside[LS_DIFF_ADDED] + node->inside[LS_DIFF_REMOVED] + node->inside[LS_DIFF_CHANGED];
  if ((node->kind == LS_DIFF_SAME || node->kind == LS_DIFF_MOVED) && changed)
    node->kind = LS_DIFF_CHANGED;
  else if (node->kind == LS_DIFF_SAME && node->inside[LS_DIFF_MOVED])
    node->kind = LS_DIFF_MOVED;
  g_autofree char *text = g_strdup_printf (ngettext ("+ %u node", "+ %u nodes", node->n_inside), node->n_inside);
  node->detail[0] = node->detail[1] = g_string_chunk_insert_const (scene->strings, text);
  glong chars = (g_utf8_strlen (text, -1) * 9 + 9) / 10;
  node->width = MAX (node->width, (float) (chars * LS_SCENE_ADVANCE + 24));
}

LsScene *
ls_scene_over (LsScene *whole)
{
  LsScene *s = g_new0 (LsScene, 1);
  *s = *whole;
  s->whole = whole;
  s->nodes = NULL;
  s->edges = NULL;
  s->n_nodes = s->n_edges = 0;
  ls_trace_ref (s->trace);
  s->before = s->before ? ls_graph_ref (s->before) : NULL;
  s->after = s->after ? ls_graph_ref (s->after) : NULL;
  s->lanes = g_array_ref (s->lanes);
  for (guint v = 0; v < 2; v++)
    s->loops[v] = s->loops[v] ? g_array_ref (s->loops[v]) : NULL;
  s->strings = g_string_chunk_new (256);
  s->places = g_hash_table_new (NULL, NULL);
  return s;
}

/* A scene over whole, which it takes over, or whole itself when nothing is taken in: the boxes of ids (of nodes, as before or after the
 * step; or NULL) take in what feeds them alone. x: where the boxes of whole stand, or NULL. Linear in boxes and arrows, and in the size of
 * sets that stand in each other. */
LsScene *
ls_scene_collapse (LsScene *whole, GHashTable *ids, GHashTable *loops, const float *x)
{
  g_return_val_if_fail (whole != NULL, whole);
  guint n = whole->n_nodes, n_roots = 0;
  gboolean folds = loops && g_hash_table_size (loops);
  if ((!ids || g_hash_table_size (ids) == 0) && !folds)
    return whole;
  Walk w;
  walk_init (&w, whole);
  g_autofree guint *outer = g_new (guint, MAX (n, 1)), *place = g_new (guint, MAX (n, 1)), *first = g_new0 (guint, n + 2),
                   *list = g_new (guint, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    outer[i] = i;
  for (guint i = 0; i < n; i++) {
    if (!ids || !is_asked_for (&whole->nodes[i], ids))
      continue;
    walk_up (&w, i);
    for (guint k = 1; k < w.inside->len; k++)
      outer[g_array_index (w.inside, guint, k)] = i;
    n_roots += w.inside->len > 1;
  }
  walk_clear (&w);
  g_autofree guint16 *folded = g_new0 (guint16, MAX (n, 1)), *folded_before = g_new0 (guint16, MAX (n, 1));
  n_roots += folds ? fold_loops (whole, 1, loops, outer, folded) : 0;
  if (folds && whole->loops[0] != whole->loops[1]) {      /* and loops of the graph before alone */
    g_autoptr (GHashTable) gone = g_hash_table_new (NULL, NULL);
    GHashTableIter loop;
    gpointer key;
    for (g_hash_table_iter_init (&loop, loops); g_hash_table_iter_next (&loop, &key, NULL);)
      if (!has_loop (whole->loops[1], GPOINTER_TO_UINT (key)))
        g_hash_table_add (gone, key);
    n_roots += fold_loops (whole, 0, gone, outer, folded_before);
  }
  if (!n_roots)
    return whole;
  /* dominated sets are disjoint or nested: the outermost one counts */
  for (guint i = 0; i < n; i++)
    while (outer[outer[i]] != outer[i])
      outer[i] = outer[outer[i]];
  LsScene *s = ls_scene_over (whole);
  for (guint i = 0; i < n; i++) {
    place[i] = outer[i] == i ? s->n_nodes++ : LS_NO_NODE;
    first[outer[i] + 2]++;
  }
  for (guint i = 0; i < n; i++)
    first[i + 2] += first[i + 1];
  for (guint i = 0; i < n; i++)
    list[first[outer[i] + 1]++] = i;
  s->nodes = g_new0 (LsSceneNode, MAX (s->n_nodes, 1));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) arrows = g_array_new (FALSE, FALSE, sizeof (Arrow));
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (LsSceneEdge));
  for (guint i = 0; i < n; i++) {
    if (outer[i] != i)
      continue;
    LsSceneNode *node = &s->nodes[place[i]];
    *node = whole->nodes[i];
    node->first_edge = edges->len;
    guint n_members = first[i + 1] - first[i];
    if (n_members == 1) {
      g_array_append_vals (edges, whole->edges + whole->nodes[i].first_edge, node->n_edges);
    } else {
      for (guint k = 0; k < n_members; k++) {
        guint member = list[first[i] + k];
        if (member != i)
          node->inside[whole->nodes[member].kind] += whole->nodes[member].n_lanes;
        node->n_inside += member != i ? whole->nodes[member].n_lanes : 0;
      }
      s->n_folded += node->n_inside;
      s->collapsed += (node->id + folded[i] + folded_before[i]) * 2654435761u | 1;
      dress (s, node);
      if (folded[i] || folded_before[i])
        dress_loop (s, node, folded[i] ? 1 : 0, folded[i] ? folded[i] : folded_before[i]);
      collect_arrows (whole, outer, i, list + first[i], n_members, x, seen, arrows);
      for (guint k = 0; k < arrows->len; k++)
        g_array_append_val (edges, g_array_index (arrows, Arrow, k).edge);
      node->n_edges = arrows->len;
      ls_scene_number_ports (&g_array_index (edges, LsSceneEdge, node->first_edge), node->n_edges);
    }
    for (guint e = node->first_edge; e < edges->len; e++) {
      LsSceneEdge *edge = &g_array_index (edges, LsSceneEdge, e);
      edge->from = place[outer[edge->from]];
      edge->to = place[i];
    }
  }
  s->n_edges = edges->len;
  s->edges = (LsSceneEdge *) (gpointer) g_array_free (edges, FALSE);
  GHashTableIter iter;
  gpointer id, at;
  g_hash_table_iter_init (&iter, whole->places);
  while (g_hash_table_iter_next (&iter, &id, &at))
    g_hash_table_insert (s->places, id, GUINT_TO_POINTER (place[outer[GPOINTER_TO_UINT (at) - 1]] + 1));
  if (s->focus != LS_NO_NODE)
    s->focus = place[outer[s->focus]];
  return s;
}
