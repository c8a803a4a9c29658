/* A step's scene as plain arrays, the positions that it keeps of the picture that it follows, and the resulting layout. */
#include "chain-private.h"
#include "offscreen.h"

#include <math.h>
#include <stdlib.h>

LsChainPlan *
ls_chain_plan_new (const LsScene *scene)
{
  LsChainPlan *p = g_new0 (LsChainPlan, 1);
  p->in = ls_scene_layout_input (scene);
  p->id = g_new (guint32, MAX (scene->n_nodes + scene->lanes->len, 1));
  p->before = g_new (guint32, MAX (scene->n_nodes + scene->lanes->len, 1));
  p->box = g_new (guint32, MAX (scene->n_nodes + scene->lanes->len, 1));
  p->n_ids = scene->n_nodes;
  p->differs = g_new0 (guint8, MAX (scene->n_nodes, 1));
  p->is_diff = scene->is_diff;
  p->focus = scene->focus != LS_NO_NODE ? scene->focus : scene->n_nodes - 1;
  for (guint i = 0; i < scene->n_nodes; i++) {
    p->differs[i] = ls_scene_changed (scene, i, LS_IN_BOTH);
    p->id[i] = scene->nodes[i].id;
    p->before[i] = scene->nodes[i].before;
    p->box[i] = i;
    for (guint k = 1; k < scene->nodes[i].n_lanes; k++) {
      const LsSceneLane *lane = &g_array_index (scene->lanes, LsSceneLane, scene->nodes[i].first_lane + k);
      p->id[p->n_ids] = lane->id;
      p->before[p->n_ids] = lane->before;
      p->box[p->n_ids++] = i;
    }
  }
  return p;
}

void
ls_chain_plan_free (LsChainPlan *p)
{
  if (!p)
    return;
  ls_layout_input_free (p->in);
  g_free (p->id);
  g_free (p->before);
  g_free (p->box);
  g_free (p->differs);
  g_free (p);
}

LsOutline *
ls_chain_outline (const LsChainPlan *p, const LsLayout *l, LsOutline *former)
{
  return ls_outline_of (l, p->in->width, p->differs, p->focus, p->is_diff, former);
}

LsKeep *
ls_chain_keep_from (LsContext *ctx, const LsChainPlan *plan, const LsChainCoordinates *parent, GHashTable *was)
{
  guint n = plan->in->n;
  LsKeep *keep = ls_keep_new (n);
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (parent->n, 1));
  LsNodeMap *at = ls_node_map_acquire (ctx);
  for (guint i = 0; i < parent->n_ids; i++) {
    const LsUOp *u = ls_context_node (ctx, parent->id[i]);
    if (u && !ls_node_map_has (at, u))      /* nodes that a step removed come last */
      ls_node_map_set (at, u, parent->box[i]);
  }
  g_autofree gboolean *stack = g_new0 (gboolean, MAX (n, 1));
  for (guint i = n; i < plan->n_ids; i++)
    stack[plan->box[i]] = TRUE;
  /* where a lane has left its stack, the stack stays in its place */
  for (guint round = 0; round < (was ? 4 : 2); round++)
    for (guint i = 0; i < plan->n_ids; i++) {
      guint box = plan->box[i];
      if (plan->before[i] == LS_NO_NODE || !isnan (keep->x[box]) || stack[box] == (round & 1))
        continue;
      gpointer id = GUINT_TO_POINTER (plan->before[i]);
      if (round > 1 && !g_hash_table_lookup_extended (was, id, NULL, &id))
        continue;
      const LsUOp *u = ls_context_node (ctx, GPOINTER_TO_UINT (id));
      guint64 k;
      if (!u || !ls_node_map_get (at, u, &k) || taken[k])
        continue;
      taken[k] = TRUE;
      keep->x[box] = parent->x[k];
      keep->rank[box] = parent->rank[k];
      keep->n_kept++;
    }
  ls_node_map_release (ctx, at);
  return keep;
}

LsKeep *
ls_chain_keep_base (const LsChainPlan *plan, const LsScene *base, const LsLayout *former)
{
  LsKeep *keep = ls_keep_new (plan->in->n);
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (base->n_nodes, 1));
  for (guint i = 0; i < plan->in->n; i++) {
    int at = plan->before[i] == LS_NO_NODE ? -1 : ls_scene_find (base, plan->before[i]);
    if (at < 0 || taken[at] || base->nodes[at].id != plan->before[i])      /* at the base it may be drawn inside another */
      continue;
    taken[at] = TRUE;
    keep->x[i] = former->x[at] + base->nodes[at].width / 2;
    keep->rank[i] = (gint32) lroundf (former->y[at] / LS_RANK_PITCH);
    keep->n_kept++;
  }
  return keep;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;
  return x < y ? -1 : x > y;
}

/* Lays a fresh picture over the former one: half of the remaining boxes are left and right of, above and below their old positions. */
static void
lay_over (LsLayout *l, const LsLayoutInput *in, const LsKeep *keep)
{
  g_autofree float *dx = g_new (float, MAX (in->n, 1)), *dy = g_new (float, MAX (in->n, 1));
  guint n = 0;
  for (guint i = 0; i < in->n; i++)
    if (!isnan (keep->x[i])) {
      dx[n] = keep->x[i] - (l->x[i] + in->width[i] / 2);
      dy[n++] = (float) keep->rank[i] * LS_RANK_PITCH - l->y[i];
    }
  if (!n)
    return;
  qsort (dx, n, sizeof (float), by_value);
  qsort (dy, n, sizeof (float), by_value);
  ls_layout_shift (l, roundf (dx[n / 2]), roundf (dy[n / 2] / LS_RANK_PITCH) * LS_RANK_PITCH);
}

LsLayout *
ls_chain_make (const LsLayoutInput *in, const LsKeep *keep, gboolean keyframe, GCancellable *cancellable)
{
  gint64 start = g_get_monotonic_time ();
  LsLayout *l = NULL, *fresh = NULL;
  gboolean follows = keep && keep->n_kept * 5 >= in->n * 2;
  if (follows)
    l = ls_follow_layout (in, keep, cancellable);
  if (follows && !l)
    return NULL;
  if (!follows || keyframe) {
    fresh = ls_ranks_layout (in, cancellable);
    if (!fresh) {
      ls_layout_unref (l);
      return NULL;
    }
    if (!l || ls_layout_ink (l, in) > 1.35 * ls_layout_ink (fresh, in) + 500
        || (double) l->width * l->height > 1.8 * fresh->width * fresh->height + 100000) {
      if (keep)
        lay_over (fresh, in, keep);
      ls_layout_unref (l);
      l = g_steal_pointer (&fresh);
    }
    ls_layout_unref (fresh);
  }
  l->stable = TRUE;
  l->ms = (double) (g_get_monotonic_time () - start) / 1000;
  return l;
}
