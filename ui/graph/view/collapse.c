/* Which stacks are opened, which boxes collapsed and which loops folded by hand, which classes of nodes hidden, and where the others are
 * then.
 *
 * A collapse is stored as a node and the position at which it was collapsed. At another position of the kernel its ancestor or
 * descendant is collapsed (its lineage, as in a comparison of the two positions); if there is none, nothing is.
 *
 * The whole picture is laid out first, as if nothing were collapsed. The collapsed layout follows it: other boxes keep their positions,
 * so that a position remains a function of place, folding and collapsed boxes, and expanding gives the former picture.
 */
#include "collapse.h"
#include "graph/layout/offscreen.h"
#include "graph/layout/follow.h"
#include "graph-view-private.h"
#include "trace/diff.h"

/* --- layout --- */

typedef struct { LsLayoutInput *in; LsKeep *keep; LsLayout *former; } Plan;

static void
plan_free (gpointer data)
{
  Plan *p = data;
  ls_layout_input_free (p->in);
  ls_keep_free (p->keep);
  ls_layout_unref (p->former);
  g_free (p);
}

static Plan *
plan_new (const LsScene *scene, LsLayout *former)
{
  Plan *p = g_new (Plan, 1);
  *p = (Plan) { ls_scene_layout_input (scene), ls_keep_new (scene->n_nodes), ls_layout_ref (former) };
  const LsScene *closed = ls_scene_closed (scene);
  for (guint i = 0; i < scene->n_nodes; i++) {
    int at = ls_scene_find (closed, scene->nodes[i].id);
    if (at < 0 || closed->nodes[at].id != scene->nodes[i].id)      /* the first lane of a stack is at its position */
      continue;
    p->keep->x[i] = former->x[at] + closed->nodes[at].width / 2;
    p->keep->rank[i] = (gint32) lroundf (former->y[at] / LS_RANK_PITCH);
    p->keep->n_kept++;
  }
  return p;
}

static LsLayout *
follow (const Plan *p, GCancellable *cancellable)
{
  LsLayout *l = ls_follow_layout (p->in, p->keep, cancellable);
  if (l)
    l->stable = p->former->stable;
  return l;
}

LsLayout *
ls_collapse_layout (const LsScene *scene, LsLayout *former)
{
  g_return_val_if_fail (scene->whole && former->n == ls_scene_closed (scene)->n_nodes, NULL);
  Plan *p = plan_new (scene, former);
  LsLayout *l = follow (p, NULL);
  plan_free (p);
  return l;
}

static void
follow_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  LsLayout *l = follow (data, cancellable);
  if (l)
    g_task_return_pointer (task, l, (GDestroyNotify) ls_layout_unref);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
}

void
ls_collapse_layout_async (const LsScene *scene, LsLayout *former, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (scene->whole && former->n == ls_scene_closed (scene)->n_nodes);
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, ls_collapse_layout_async);
  g_task_set_task_data (task, plan_new (scene, former), plan_free);
  g_task_run_in_thread (task, follow_thread);
}

LsLayout *
ls_collapse_layout_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

LsOutline *
ls_graph_collapsed_outline (const LsScene *scene, const LsLayout *layout, const LsLayout *former)
{
  const LsScene *whole = ls_scene_closed (scene);
  gboolean hidden = !scene->lanes || scene->lanes != whole->lanes;      /* opened: it is larger */
  for (guint i = 0; i < whole->n_nodes && !hidden; i++)
    if (whole->nodes[i].kind != LS_DIFF_SAME || i == whole->focus) {
      int at = ls_scene_find (scene, whole->nodes[i].id);
      hidden = at >= 0 && scene->nodes[at].id != whole->nodes[i].id;
    }
  /* the viewport stays, unless its node was collapsed */
  if (!hidden && former->outline)
    return ls_outline_ref (former->outline);
  return ls_scene_outline (scene, layout, former->outline ? former->outline->former : NULL);
}

/* --- collapsed boxes --- */

void
ls_graph_collapse_init (LsGraphView *view)
{
  view->collapsed = g_array_new (FALSE, FALSE, sizeof (LsCollapsed));
}

static gboolean
is_here (const LsGraphView *view, const LsCollapsed *m)
{
  return m->pass == view->pass || (m->pass && view->pass && m->pass->kernel == view->pass->kernel);
}

/* For each mark, its node at the view's position, or LS_NO_NODE. Free with g_free. */
static guint32 *
resolve (LsGraphView *view, const LsScene *whole)
{
  guint n = view->collapsed->len;
  guint32 *out = g_new (guint32, MAX (n, 1));
  g_autofree gboolean *open = g_new0 (gboolean, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const LsCollapsed *m = &g_array_index (view->collapsed, LsCollapsed, i);
    gboolean there = ls_scene_find (whole, m->id) >= 0;
    out[i] = is_here (view, m) && there ? m->id : LS_NO_NODE;
    open[i] = is_here (view, m) && !there && m->pass;
  }
  for (guint i = 0; i < n; i++) {
    if (!open[i])
      continue;
    const LsCollapsed *m = &g_array_index (view->collapsed, LsCollapsed, i);
    LsPosition from = { view->trace, m->pass, m->step }, to = { view->trace, view->pass, view->step };
    g_autoptr (LsGraphDiff) diff = ls_position_diff (&from, &to);
    g_autoptr (GHashTable) now = g_hash_table_new (NULL, NULL);
    for (guint k = 0; diff && k < diff->nodes->len; k++) {
      const LsDiffNode *d = &g_array_index (diff->nodes, LsDiffNode, k);
      if (d->before && d->node && d->kind != LS_DIFF_REMOVED)
        g_hash_table_insert (now, GUINT_TO_POINTER (d->before->id + 1), GUINT_TO_POINTER (d->node->id + 1));
    }
    for (guint j = i; j < n; j++) {
      const LsCollapsed *o = &g_array_index (view->collapsed, LsCollapsed, j);
      if (!open[j] || o->pass != m->pass || o->step != m->step)
        continue;
      guint id = GPOINTER_TO_UINT (g_hash_table_lookup (now, GUINT_TO_POINTER (o->id + 1)));
      out[j] = id ? id - 1 : LS_NO_NODE;
      open[j] = FALSE;
    }
  }
  return out;
}

LsScene *
ls_graph_collapse (LsGraphView *view, LsScene *whole, const LsLayout *layout)
{
  if (whole->describe || whole->whole)
    return whole;
  if (view->collapsed->len == 0)
    return ls_scene_hide (whole, view->hidden);
  g_autofree guint32 *now = resolve (view, whole);
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL), opened = g_hash_table_new (NULL, NULL),
                         folded = g_hash_table_new (NULL, NULL);
  GHashTable *const sets[LS_N_COLLAPSES] = { [LS_COLLAPSED] = ids, [LS_OPENED] = opened, [LS_FOLDED] = folded };
  for (guint i = 0; i < view->collapsed->len; i++)
    if (now[i] != LS_NO_NODE)
      g_hash_table_add (sets[g_array_index (view->collapsed, LsCollapsed, i).what], GUINT_TO_POINTER (now[i]));
  LsScene *scene = ls_scene_open (whole, view->diff, view->root, opened);
  scene = ls_scene_collapse (scene, ids, folded, layout && scene == whole ? layout->x : NULL);
  return ls_scene_hide (scene, view->hidden);
}

void
ls_graph_collapse_update (LsGraphView *view)
{
  const LsSceneNode *node = view->scene && view->layout && view->current >= 0 &&
                            !view->scene->describe ? &view->scene->nodes[view->current] : NULL;
  gtk_widget_action_set_enabled (GTK_WIDGET (view), "graph.collapse", node && !node->n_inside && (node->n_edges > 0 || node->opened));
  gtk_widget_action_set_enabled (GTK_WIDGET (view), "graph.expand", node && (node->n_inside || node->n_lanes > 1));
  gtk_widget_action_set_enabled (GTK_WIDGET (view), "graph.fold-loop",
                                 node && (node->folded || ls_frames_of (view->frames, view->scene, (guint) view->current) >= 0));
  gtk_widget_action_set_enabled (GTK_WIDGET (view), "graph.expand-all", view->scene && view->scene->collapsed);
}

/* Stores the action on a node. was: it is of the graph before. */
static void
mark (LsGraphView *view, guint32 id, gboolean was, LsCollapse what)
{
  LsCollapsed m = { view->pass, view->step, id, what };
  if (was && view->base) {
    m.pass = view->base;
    m.step = view->base_step;
  } else if (was && m.step > 0)
    m.step--;
  g_array_append_val (view->collapsed, m);
  ls_graph_view_request (view);
}

/* How many boxes become one again. */
static guint
close_stack (LsGraphView *view, const LsSceneNode *node)
{
  const LsScene *closed = ls_scene_closed (view->scene);
  int stack = ls_scene_find (closed, node->id);
  guint n = stack < 0 ? 0 : closed->nodes[stack].n_lanes, was = view->collapsed->len;
  g_autofree guint32 *now = resolve (view, closed);
  for (guint i = was; i-- > 0; )
    if (now[i] != LS_NO_NODE && g_array_index (view->collapsed, LsCollapsed, i).what == LS_OPENED &&
        ls_scene_find (closed, now[i]) == stack)
      g_array_remove_index (view->collapsed, i);
  if (view->collapsed->len != was)
    ls_graph_view_request (view);
  return n;
}

/* Draws inside the current box what feeds nothing else, there and wherever the node goes within its kernel. One lane of a stack that was
 * opened: the stack again. How many boxes it took in; 0 when there is nothing of the kind. */
guint
ls_graph_view_collapse (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), 0);
  if (!view->scene || view->coming || view->current < 0 || view->scene->describe)
    return 0;
  const LsSceneNode *node = &view->scene->nodes[view->current];
  if (node->opened)
    return close_stack (view, node);
  guint n = ls_scene_n_dominated (view->scene, (guint) view->current);
  if (n == 0)
    return 0;
  mark (view, node->id, node->kind == LS_DIFF_REMOVED, LS_COLLAPSED);
  return n;
}

/* The contents of the current box are drawn again; collapsed boxes inside it stay collapsed. A stack is opened. */
gboolean
ls_graph_view_expand (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), FALSE);
  const LsSceneNode *node = view->scene && !view->coming && view->current >= 0 ? &view->scene->nodes[view->current] : NULL;
  if (!node || (node->n_inside == 0 && node->n_lanes <= 1))
    return FALSE;
  if (node->n_inside == 0) {
    mark (view, node->id, node->kind == LS_DIFF_REMOVED, LS_OPENED);
    return TRUE;
  }
  const LsScene *whole = view->scene->whole;
  int box = ls_scene_find (whole, node->id);
  g_autofree guint32 *now = resolve (view, whole);
  for (guint i = view->collapsed->len; i-- > 0; ) {
    gboolean loop = g_array_index (view->collapsed, LsCollapsed, i).what == LS_FOLDED;
    if (now[i] != LS_NO_NODE && (node->folded ? loop && now[i] == node->folded - 1
                                 : !loop && ls_scene_find (whole, now[i]) == box && (now[i] == node->id || now[i] == node->before)))
      g_array_remove_index (view->collapsed, i);
  }
  ls_graph_view_request (view);
  return TRUE;
}

/* Folds the loop of a frame, there and wherever the loop goes within its kernel. FALSE: it has one box only. */
gboolean
ls_graph_fold_frame (LsGraphView *view, guint frame)
{
  if (view->coming)
    return FALSE;
  const LsFrame *f = &g_array_index (view->frames->frames, LsFrame, frame);
  guint version = view->frames->version;
  if (f->n_boxes < 2)
    return FALSE;
  mark (view, g_array_index (view->scene->loops[version], LsSceneLoop, f->loop - 1).id, version == 0 && view->scene->is_diff, LS_FOLDED);
  return TRUE;
}

/* The innermost loop of the current box becomes one box, and is drawn again. */
gboolean
ls_graph_view_fold_loop (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), FALSE);
  if (!view->scene || view->coming || view->current < 0)
    return FALSE;
  if (view->scene->nodes[view->current].folded)
    return ls_graph_view_expand (view);
  int frame = ls_frames_of (view->frames, view->scene, (guint) view->current);
  return frame >= 0 && ls_graph_fold_frame (view, (guint) frame);
}

void
ls_graph_view_expand_all (LsGraphView *view)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  guint was = view->collapsed->len;
  for (guint i = was; i-- > 0; )
    if (is_here (view, &g_array_index (view->collapsed, LsCollapsed, i)) &&
        g_array_index (view->collapsed, LsCollapsed, i).what != LS_OPENED)
      g_array_remove_index (view->collapsed, i);
  if (view->collapsed->len != was)
    ls_graph_view_request (view);
}
