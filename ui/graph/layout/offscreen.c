/* Counted are boxes, each by its longest direction: a box to the right and a little below is to the right. */
#include "offscreen.h"

#include <glib/gi18n.h>

gboolean
ls_scene_changed (const LsScene *scene, guint node, guint sides)
{
  const LsSceneNode *n = &scene->nodes[node];
  return scene->is_diff && n->kind != LS_DIFF_SAME && n->kind != LS_DIFF_MOVED && (n->side & sides);
}

LsDirection
ls_viewport_direction (LsViewport s, LsBox b, gboolean legend, double width, double height)
{
  const double past[LS_N_DIRECTIONS] = { -(b.x0 * s.zoom + s.x), b.x1 * s.zoom + s.x - width, -(b.y0 * s.zoom + s.y),
                                   b.y1 * s.zoom + s.y - height + (legend ? LS_LEGEND : 0) };
  LsDirection way = LS_N_DIRECTIONS;
  double most = 0;
  for (guint i = 0; i < LS_N_DIRECTIONS; i++)
    if (past[i] > most) {
      most = past[i];
      way = (LsDirection) i;
    }
  return way;
}

LsOffscreen
ls_offscreen (const LsScene *scene, const LsLayout *l, guint sides, LsViewport viewport, double width, double height)
{
  LsOffscreen out = { 0 };
  for (guint i = 0; i < scene->n_nodes; i++) {
    LsBox b = { l->x[i], l->y[i], l->x[i] + scene->nodes[i].width, l->y[i] + LS_SCENE_HEIGHT };
    LsDirection way = ls_scene_changed (scene, i, sides) ? ls_viewport_direction (viewport, b, scene->is_diff, width, height)
                                                                : LS_N_DIRECTIONS;
    if (way == LS_N_DIRECTIONS)
      continue;
    out.n += scene->nodes[i].n_lanes;
    out.way[way] += scene->nodes[i].n_lanes;
  }
  return out;
}

char *
ls_offscreen_text (const LsOffscreen *o)
{
  static const char *const words[LS_N_DIRECTIONS] = { N_("left"), N_("right"), N_("above"), N_("below") };
  GString *s = g_string_new (NULL);
  g_string_printf (s, ngettext ("%u change outside:", "%u changes outside:", o->n), o->n);
  for (guint i = 0, k = 0; i < LS_N_DIRECTIONS; i++)
    if (o->way[i])
      g_string_append_printf (s, "%s%u %s", k++ ? ", " : " ", o->way[i], _(words[i]));
  return g_string_free (s, FALSE);
}

LsOutline *
ls_scene_outline (const LsScene *scene, const LsLayout *l, LsOutline *former)
{
  g_autofree float *width = g_new (float, MAX (scene->n_nodes, 1));
  g_autofree guint8 *differs = g_new (guint8, MAX (scene->n_nodes, 1));
  for (guint i = 0; i < scene->n_nodes; i++) {
    width[i] = scene->nodes[i].width;
    differs[i] = ls_scene_changed (scene, i, LS_IN_BOTH);
  }
  return ls_outline_of (l, width, differs, scene->focus != LS_NO_NODE ? scene->focus : scene->n_nodes - 1, scene->is_diff, former);
}
