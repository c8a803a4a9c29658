/* Counted are boxes, each with the way to it that is the longest: what is to the right and a little below is to the right. */
#include "outside.h"

#include <glib/gi18n.h>

gboolean
ls_scene_changed (const LsScene *scene, guint node, guint sides)
{
  const LsSceneNode *n = &scene->nodes[node];
  return scene->is_diff && n->kind != LS_DIFF_SAME && n->kind != LS_DIFF_MOVED && (n->side & sides);
}

LsWay
ls_sight_way (LsSight s, LsBox b, gboolean legend, double width, double height)
{
  const double past[LS_N_WAYS] = { -(b.x0 * s.zoom + s.x), b.x1 * s.zoom + s.x - width, -(b.y0 * s.zoom + s.y),
                                   b.y1 * s.zoom + s.y - height + (legend ? LS_LEGEND : 0) };
  LsWay way = LS_N_WAYS;
  double most = 0;
  for (guint i = 0; i < LS_N_WAYS; i++)
    if (past[i] > most) {
      most = past[i];
      way = (LsWay) i;
    }
  return way;
}

LsOutside
ls_outside (const LsScene *scene, const LsLayout *l, guint sides, LsSight sight, double width, double height)
{
  LsOutside out = { 0 };
  for (guint i = 0; i < scene->n_nodes; i++) {
    LsBox b = { l->x[i], l->y[i], l->x[i] + scene->nodes[i].width, l->y[i] + LS_SCENE_HEIGHT };
    LsWay way = ls_scene_changed (scene, i, sides) ? ls_sight_way (sight, b, scene->is_diff, width, height) : LS_N_WAYS;
    if (way == LS_N_WAYS)
      continue;
    out.n += scene->nodes[i].n_lanes;
    out.way[way] += scene->nodes[i].n_lanes;
  }
  return out;
}

char *
ls_outside_text (const LsOutside *o)
{
  static const char *const words[LS_N_WAYS] = { N_("left"), N_("right"), N_("above"), N_("below") };
  GString *s = g_string_new (NULL);
  g_string_printf (s, ngettext ("%u change outside:", "%u changes outside:", o->n), o->n);
  for (guint i = 0, k = 0; i < LS_N_WAYS; i++)
    if (o->way[i])
      g_string_append_printf (s, "%s%u %s", k++ ? ", " : " ", o->way[i], _(words[i]));
  return g_string_free (s, FALSE);
}
