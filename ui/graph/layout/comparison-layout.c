/* First the base is laid out as the step that it is, by the chain; then the comparison follows that, in a thread, from plain arrays. */
#include "comparison-layout.h"
#include "offscreen.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct {
  LsScene       *base;
  LsLayout      *former;
  LsLayoutInput *in;
  guint32       *before;      /* of each box the node that it was */
  LsKeep        *keep;
} Comparison;

static void
comparison_free (gpointer data)
{
  Comparison *b = data;
  ls_scene_free (b->base);
  ls_layout_unref (b->former);
  ls_layout_input_free (b->in);
  g_free (b->before);
  ls_keep_free (b->keep);
  g_free (b);
}

static LsKeep *
keep_places (const Comparison *b)
{
  LsKeep *keep = ls_keep_new (b->in->n);
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (b->base->n_nodes, 1));
  for (guint i = 0; i < b->in->n; i++) {
    int at = b->before[i] == LS_NO_NODE ? -1 : ls_scene_find (b->base, b->before[i]);
    if (at < 0 || taken[at] || b->base->nodes[at].id != b->before[i])      /* at the base it may be drawn inside another */
      continue;
    taken[at] = TRUE;
    keep->x[i] = b->former->x[at] + b->base->nodes[at].width / 2;
    keep->rank[i] = (gint32) lroundf (b->former->y[at] / LS_RANK_PITCH);
    keep->n_kept++;
  }
  return keep;
}

static void
follow_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Comparison *b = data;
  LsLayout *l = ls_chain_make (b->in, b->keep, FALSE, cancellable);
  if (l)
    g_task_return_pointer (task, l, (GDestroyNotify) ls_layout_unref);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
}

static void
on_base (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Comparison *b = g_task_get_task_data (task);
  GError *error = NULL;
  b->former = ls_chain_layout_finish (result, &error);
  if (!b->former) {
    g_task_return_error (task, error);
  } else if (b->former->n != b->base->n_nodes) {
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, _("the base has another graph"));
  } else {
    b->keep = keep_places (b);
    g_task_run_in_thread (task, follow_thread);
  }
}

static Comparison *
comparison_new (const LsScene *scene)
{
  Comparison *b = g_new0 (Comparison, 1);
  b->in = ls_scene_layout_input (scene);
  b->before = g_new (guint32, MAX (scene->n_nodes, 1));
  for (guint i = 0; i < scene->n_nodes; i++)
    b->before[i] = scene->nodes[i].before;
  return b;
}

LsLayout *
ls_comparison_layout (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene)
{
  Comparison *b = comparison_new (scene);
  LsLayout *l = NULL;
  b->base = ls_chain_scene (scene->trace, pass, step, fold);
  b->former = b->base ? ls_chain_layout (chain, pass, step, fold, b->base) : NULL;
  if (b->former && b->former->n == b->base->n_nodes) {
    b->keep = keep_places (b);
    l = ls_chain_make (b->in, b->keep, FALSE, NULL);
  }
  comparison_free (b);
  return l;
}

void
ls_comparison_layout_async (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (chain != NULL && pass != NULL && scene != NULL);
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  Comparison *b = comparison_new (scene);
  g_task_set_source_tag (task, ls_comparison_layout_async);
  g_task_set_task_data (task, b, comparison_free);
  b->base = ls_chain_scene (scene->trace, pass, step, fold);
  if (!b->base) {
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, _("the recording's links go in circles"));
    g_object_unref (task);
    return;
  }
  ls_chain_layout_async (chain, pass, step, fold, b->base, cancellable, on_base, task);
}

LsLayout *
ls_comparison_layout_finish (GAsyncResult *result, LsLayout **former, GError **error)
{
  LsLayout *l = g_task_propagate_pointer (G_TASK (result), error);
  Comparison *b = g_task_get_task_data (G_TASK (result));
  *former = l ? ls_layout_ref (b->former) : NULL;
  return l;
}

LsOutline *
ls_comparison_outline (const LsScene *scene, const LsLayout *l, LsOutline *former)
{
  g_autofree float *width = g_new (float, MAX (scene->n_nodes, 1));
  g_autofree guint8 *differs = g_new (guint8, MAX (scene->n_nodes, 1));
  for (guint i = 0; i < scene->n_nodes; i++) {
    width[i] = scene->nodes[i].width;
    differs[i] = ls_scene_changed (scene, i, LS_IN_BOTH);
  }
  return ls_outline_of (l, width, differs, scene->focus != LS_NO_NODE ? scene->focus : scene->n_nodes - 1, scene->is_diff, former);
}
