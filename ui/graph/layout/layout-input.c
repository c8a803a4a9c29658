/* Layouts as arrays of coordinates (ranks.h), for every layout. */
#include "chain.h"
#include "ranks.h"
#include "scene.h"
#include "viewport.h"

#include <string.h>

LsLayoutInput *
ls_layout_input_new (guint n, guint n_edges)
{
  LsLayoutInput *in = g_new0 (LsLayoutInput, 1);
  in->n = n;
  in->n_edges = n_edges;
  in->width = g_new0 (float, MAX (n, 1));
  in->from = g_new0 (guint32, MAX (n_edges, 1));
  in->to = g_new0 (guint32, MAX (n_edges, 1));
  return in;
}

LsLayoutInput *
ls_scene_layout_input (const LsScene *scene)
{
  LsLayoutInput *in = ls_layout_input_new (scene->n_nodes, scene->n_edges);
  for (guint i = 0; i < scene->n_nodes; i++)
    in->width[i] = scene->nodes[i].width;
  for (guint e = 0; e < scene->n_edges; e++) {
    in->from[e] = scene->edges[e].from;
    in->to[e] = scene->edges[e].to;
  }
  return in;
}

LsLayoutInput *
ls_layout_input_copy (const LsLayoutInput *input)
{
  LsLayoutInput *in = ls_layout_input_new (input->n, input->n_edges);
  memcpy (in->width, input->width, input->n * sizeof (float));
  memcpy (in->from, input->from, input->n_edges * sizeof (guint32));
  memcpy (in->to, input->to, input->n_edges * sizeof (guint32));
  return in;
}

void
ls_layout_input_free (LsLayoutInput *input)
{
  if (!input)
    return;
  g_free (input->width);
  g_free (input->from);
  g_free (input->to);
  g_free (input);
}

LsLayout *
ls_layout_new (guint n, guint n_edges)
{
  LsLayout *l = g_new0 (LsLayout, 1);
  l->ref_count = 1;
  l->n = n;
  l->n_edges = n_edges;
  l->x = g_new0 (float, MAX (n, 1));
  l->y = g_new0 (float, MAX (n, 1));
  l->first = g_new0 (guint32, n_edges + 1);
  return l;
}

LsLayout *
ls_layout_ref (LsLayout *layout)
{
  g_atomic_int_inc (&layout->ref_count);
  return layout;
}

void
ls_layout_unref (LsLayout *layout)
{
  if (!layout || !g_atomic_int_dec_and_test (&layout->ref_count))
    return;
  g_free (layout->x);
  g_free (layout->y);
  g_free (layout->first);
  g_free (layout->points);
  g_free (layout->note);
  ls_outline_unref (layout->outline);
  g_free (layout);
}

void
ls_layout_measure (LsLayout *layout, const LsLayoutInput *input)
{
  float left = G_MAXFLOAT, top = G_MAXFLOAT, right = -G_MAXFLOAT, bottom = -G_MAXFLOAT;
  for (guint i = 0; i < layout->n; i++) {
    left = MIN (left, layout->x[i]);
    top = MIN (top, layout->y[i]);
    right = MAX (right, layout->x[i] + input->width[i]);
    bottom = MAX (bottom, layout->y[i] + LS_SCENE_HEIGHT);
  }
  if (!layout->n)
    return;
  /* edges may go around the outermost boxes */
  for (guint p = 0; p < layout->first[layout->n_edges]; p++) {
    left = MIN (left, layout->points[2 * p]);
    right = MAX (right, layout->points[2 * p]);
  }
  layout->left = left;
  layout->top = top;
  layout->width = right - left;
  layout->height = bottom - top;
}

void
ls_layout_shift (LsLayout *layout, float dx, float dy)
{
  for (guint i = 0; i < layout->n; i++) {
    layout->x[i] += dx;
    layout->y[i] += dy;
  }
  for (guint p = 0; p < layout->first[layout->n_edges]; p++) {
    layout->points[2 * p] += dx;
    layout->points[2 * p + 1] += dy;
  }
  layout->left += dx;
  layout->top += dy;
}

void
ls_layout_normalize (LsLayout *layout, const LsLayoutInput *input)
{
  ls_layout_measure (layout, input);
  ls_layout_shift (layout, -layout->left, -layout->top);
}
