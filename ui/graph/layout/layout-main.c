/* lazyscope-layout: places for a graph's boxes by Graphviz's dot; a program of its own because dot cannot be stopped otherwise.
 *
 * Standard input: "n m", then n widths, then m pairs "from to" of indices from 0. Standard output: "n m", n pairs "x y" of top left
 * corners, then for each edge the number of its Bézier points (0: none) and their coordinates, y downwards, in units of 1/72 inch. Exit
 * status 1 for text that is not a description, 2 when dot fails.
 */
#include "ranks.h"
#include "scene.h"

#include <cgraph.h>
#include <gvc.h>
#include <math.h>
#include <stdio.h>

#define MAX_NODES 20000
#define MAX_EDGES 100000

static void
write_places (Agraph_t *g, guint n, Agnode_t **nodes, guint m, Agedge_t **edges)
{
  double top = GD_bb (g).UR.y;
  printf ("%u %u\n", n, m);
  for (guint i = 0; i < n; i++) {
    pointf c = ND_coord (nodes[i]);
    printf ("%.1f %.1f\n", c.x - ND_width (nodes[i]) * 36, top - c.y - ND_height (nodes[i]) * 36);
  }
  for (guint e = 0; e < m; e++) {
    const splines *s = ED_spl (edges[e]);
    if (!s || s->size < 1 || s->list[0].size < 4) {
      puts ("0");
      continue;
    }
    const bezier *b = &s->list[0];
    /* on a cycle dot may have written an edge's points from its head */
    double tail = ND_coord (agtail (edges[e])).y;
    gboolean turned = fabs (b->list[0].y - tail) > fabs (b->list[b->size - 1].y - tail);
    printf ("%d", (int) b->size);
    for (guint i = 0; i < b->size; i++) {
      pointf p = b->list[turned ? b->size - 1 - i : i];
      printf (" %.1f %.1f", p.x, top - p.y);
    }
    putchar ('\n');
  }
}

int
main (void)
{
  guint n, m;
  if (scanf ("%u %u", &n, &m) != 2 || n > MAX_NODES || m > MAX_EDGES)
    return 1;
  Agraph_t *g = agopen ((char *) "g", Agdirected, NULL);
  GVC_t *gvc = gvContext ();
  char value[32];
  g_snprintf (value, sizeof value, "%g", LS_RANK_GAP / 72.0);
  agattr (g, AGRAPH, (char *) "ranksep", value);
  g_snprintf (value, sizeof value, "%g", LS_NODE_GAP / 72.0);
  agattr (g, AGRAPH, (char *) "nodesep", value);
  /* rounds for the coordinates: with few of them, everything that many boxes share is at the left; up to some hundred boxes the better
   * positions cost at most 50 % more */
  agattr (g, AGRAPH, (char *) "nslimit", (char *) (n <= 600 ? "3" : "0.1"));
  agattr (g, AGRAPH, (char *) "nslimit1", (char *) "0.1");
  agattr (g, AGRAPH, (char *) "mclimit", (char *) "0.3");
  agattr (g, AGNODE, (char *) "shape", (char *) "box");
  agattr (g, AGNODE, (char *) "label", (char *) "");
  agattr (g, AGNODE, (char *) "fixedsize", (char *) "true");
  g_snprintf (value, sizeof value, "%.5f", LS_SCENE_HEIGHT / 72.0);
  agattr (g, AGNODE, (char *) "height", value);
  Agsym_t *width = agattr (g, AGNODE, (char *) "width", (char *) "1");
  agattr (g, AGEDGE, (char *) "arrowhead", (char *) "none");
  Agnode_t **nodes = g_new (Agnode_t *, n + 1);
  Agedge_t **edges = g_new (Agedge_t *, m + 1);
  for (guint i = 0; i < n; i++) {
    guint w;
    if (scanf ("%u", &w) != 1 || w < 1 || w > 2000)
      return 1;
    g_snprintf (value, sizeof value, "n%u", i);
    nodes[i] = agnode (g, value, TRUE);
    g_snprintf (value, sizeof value, "%.5f", w / 72.0);
    agxset (nodes[i], width, value);
  }
  for (guint e = 0; e < m; e++) {
    guint from, to;
    if (scanf ("%u %u", &from, &to) != 2 || from >= n || to >= n)
      return 1;
    edges[e] = agedge (g, nodes[from], nodes[to], NULL, TRUE);
  }
  if (gvLayout (gvc, g, "dot") != 0)
    return 2;
  write_places (g, n, nodes, m, edges);
  return fflush (stdout) == 0 ? 0 : 2;
}
