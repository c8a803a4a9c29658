/* Ways from box to port. */
#include "edge-path.h"

static float
port_x (const LsSceneNode *node, float left, guint port, guint n)
{
  return left + 8 + (node->width - 16) * (float) (port + 1) / (float) (n + 1);
}

void
ls_edge_path_end (const LsScene *scene, const LsLayout *layout, guint edge, guint version, float *x, float *y)
{
  const LsSceneEdge *e = &scene->edges[edge];
  *x = port_x (&scene->nodes[e->to], layout->x[e->to], e->port[version], e->n_ports[version]);
  *y = layout->y[e->to];
}

void
ls_edge_path_points (const LsScene *scene, const LsLayout *layout, guint edge, guint version, GArray *points)
{
  const LsSceneEdge *e = &scene->edges[edge];
  float x0 = layout->x[e->from] + scene->nodes[e->from].width / 2, y0 = layout->y[e->from] + LS_SCENE_HEIGHT;
  float x1, y1;
  ls_edge_path_end (scene, layout, edge, version, &x1, &y1);
  guint n = layout->first[edge + 1] - layout->first[edge];
  g_array_set_size (points, 0);
  if (n >= 4 && y1 > y0) {
    g_array_append_vals (points, layout->points + 2 * layout->first[edge], 2 * n);
    float *p = (float *) (gpointer) points->data;
    /* from the middle of the source straight down, straight down into the port */
    float d0 = MAX (10, (p[7] - y0) * 0.45f), d1 = MAX (10, (y1 - p[2 * n - 7]) * 0.45f);
    p[0] = x0; p[1] = y0; p[2] = x0; p[3] = y0 + d0;
    p[2 * n - 2] = x1; p[2 * n - 1] = y1; p[2 * n - 4] = x1; p[2 * n - 3] = y1 - d1;
  } else {
    /* around: against the flow, or without a way of its own */
    float d = y1 > y0 ? (y1 - y0) * 0.45f : 40;
    float q[8] = { x0, y0, x0, y0 + d, x1, y1 - d, x1, y1 };
    g_array_append_vals (points, q, 8);
  }
}
