/* Layouts of steps, each following another one.
 *
 *   step 0                the pass's input: follows the last step of the kernel's pass before it, whose output it is; otherwise afresh
 *   in a block            step k follows step k - 1
 *   keyframe, 16 * b      follows keyframe 16 * (b & (b - 1)), the parent in a binomial tree (as in a Fenwick tree)
 *
 * In a pass over a graph of more than LS_CHAIN_WIDE nodes, where a layout takes milliseconds, the ways are shorter:
 *
 *   in a block            step k follows the block's keyframe
 *   keyframe, 16 * b      follows keyframe 16 * (b & ~255), and that one step 0
 *
 * So any of a million steps is at most 15 + 16 layouts away from the input, 3 where they are large; most steps follow the one that the
 * reader saw last, and neighbouring keyframes share an ancestor near by. Between neighbouring steps the change itself says which node
 * continues which; between keyframes names do (ls_pass_identities); between passes a node is itself. How far back passes are followed
 * depends on the sizes of their graphs alone: a position must not depend on cached layouts, and must not cost more than MAX_WAY boxes.
 *
 * Layouts on the way to a step are stored as positions only, which are enough to follow: a tenth of a picture, so that the keyframes of
 * a large pass stay cached, and a jump in it lays out the last two of its way.
 *
 * A comparison with a step follows that step's picture, as one further layout: remaining boxes keep their positions.
 *
 * Following ends: if most of the graph is new, or a keyframe's picture would be much longer in its edges or much larger than a fresh
 * one, the fresh one is taken, laid over the old one as well as a translation can.
 */
#include "chain-private.h"

#include <glib/gi18n.h>

#define AT_ONCE  5000         /* nodes: a layout of these does not hold up the main thread */

static LsScene *
scene_at (LsTrace *trace, const LsPass *pass, guint step, gboolean fold, gboolean bare)
{
  if (step == 0) {
    LsUOp *root = ls_context_node (trace->ctx, pass->input);
    LsNames *names = ls_trace_names (trace, pass->kernel);
    return !root ? NULL : bare ? ls_scene_new_root_bare (trace, names, root, fold) : ls_scene_new_root (trace, names, root, fold);
  }
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  return !diff ? NULL : bare ? ls_scene_new_diff_bare (trace, diff, fold) : ls_scene_new_diff (trace, diff, fold);
}

LsScene *
ls_chain_scene (LsTrace *trace, const LsPass *pass, guint step, gboolean fold)
{
  return scene_at (trace, pass, step, fold, FALSE);
}

typedef struct {
  LsChain       *chain;
  GArray        *path;         /* LsChainKey: layouts still to be made, the last one comes next */
  LsChainCoordinates *last;    /* the layout that the next one follows, or NULL */
  LsLayout      *layout;       /* of the step that is asked for, when it is there */
  LsChainPlan   *target;       /* of the step that is asked for, when it is known */
  LsScene       *base;         /* the picture of that step, for a comparison with it, or NULL */
  LsChainPlan   *compared;     /* the comparison, which comes last; NULL: none is asked for, or it is there */
  /* under way */
  LsChainKey     key;
  LsChainPlan   *plan;
  LsKeep        *keep;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  ls_chain_places_unref (job->last);
  ls_layout_unref (job->layout);
  ls_chain_plan_free (job->target);
  ls_scene_free (job->base);
  ls_chain_plan_free (job->compared);
  ls_chain_plan_free (job->plan);
  ls_keep_free (job->keep);
  g_array_unref (job->path);
  ls_chain_unref (job->chain);
  g_free (job);
}

/* compared: the changes from there to another place, or NULL. */
static Job *
job_new (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, const LsScene *compared)
{
  Job *job = g_new0 (Job, 1);
  *job = (Job) { .chain = ls_chain_ref (chain), .path = g_array_new (FALSE, FALSE, sizeof (LsChainKey)) };
  LsChainKey key = { pass->index, MIN (step, ls_pass_n_steps (pass)), fold };
  if (compared) {
    job->compared = ls_chain_plan_new (compared);
    scene = job->base = scene_at (chain->trace, pass, step, fold, FALSE);
  }
  LsLayout *known = ls_chain_find (chain, key);
  if (known) {
    job->layout = ls_layout_ref (known);
    return job;
  }
  if (scene)
    job->target = ls_chain_plan_new (scene);
  do
    g_array_append_val (job->path, key);
  while (ls_chain_find_parent (chain, &key) && !(job->last = ls_chain_find_places (chain, key)));
  return job;
}

static gboolean
is_done (const Job *job)
{
  return job->path->len == 0 && !job->compared;
}

/* Main thread: the input of the next layout. FALSE when the recording cannot be replayed. */
static gboolean
prepare (Job *job, GError **error)
{
  if (job->path->len == 0) {
    if (!job->base || job->layout->n != job->base->n_nodes) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("the base has a different graph"));
      return FALSE;
    }
    job->plan = g_steal_pointer (&job->compared);
    job->keep = ls_chain_keep_base (job->plan, job->base, job->layout);
    return TRUE;
  }
  LsTrace *trace = job->chain->trace;
  job->key = g_array_index (job->path, LsChainKey, job->path->len - 1);
  const LsPass *pass = trace->passes->pdata[job->key.pass];
  g_array_set_size (job->path, job->path->len - 1);
  if (job->path->len == 0 && job->target)
    job->plan = g_steal_pointer (&job->target);
  else {
    g_autoptr (LsScene) scene = scene_at (trace, pass, job->key.step, job->key.fold, TRUE);
    if (!scene) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("the recording's links are cyclic"));
      return FALSE;
    }
    job->plan = ls_chain_plan_new (scene);
  }
  if (job->last) {
    g_autoptr (GHashTable) was = NULL;
    if (job->key.pass == job->last->key.pass && job->key.step - job->last->key.step > 1)
      was = ls_pass_identities (trace, pass, job->last->key.step, job->key.step - 1);
    job->keep = ls_chain_keep_from (trace->ctx, job->plan, job->last, was);
  }
  return TRUE;
}

/* Any thread. NULL when cancelled. */
static LsLayout *
make (const Job *job, GCancellable *cancellable)
{
  gboolean keyframe = !job->layout && job->key.step % LS_CHAIN_BLOCK == 0;
  return ls_chain_make (job->plan->in, job->keep, keyframe, cancellable);
}

/* Main thread: takes the layout. */
static void
arrive (Job *job, LsLayout *layout)
{
  if (job->layout) {      /* the comparison's */
    layout->outline = ls_chain_outline (job->plan, layout, job->layout->outline);
    ls_layout_unref (job->layout);
    job->layout = layout;
    return;
  }
  layout->outline = ls_chain_outline (job->plan, layout, job->last ? job->last->outline : NULL);
  ls_chain_places_unref (job->last);
  job->last = ls_chain_keep_places (job->chain, job->key, job->plan, layout);
  g_clear_pointer (&job->plan, ls_chain_plan_free);
  g_clear_pointer (&job->keep, ls_keep_free);
  if (job->path->len > 0) {
    ls_layout_unref (layout);
  } else {
    job->layout = ls_layout_ref (layout);
    ls_chain_remember (job->chain, job->key, layout);
  }
}

static void advance (GTask *task);

static void
follow_thread (GTask *inner, gpointer source, gpointer data, GCancellable *cancellable)
{
  LsLayout *l = make (data, cancellable);
  if (l)
    g_task_return_pointer (inner, l, (GDestroyNotify) ls_layout_unref);
  else
    g_task_return_new_error (inner, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
}

static void
on_followed (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = data;
  LsLayout *l = g_task_propagate_pointer (G_TASK (result), NULL);
  if (l)
    arrive (g_task_get_task_data (task), l);
  if (!l || g_cancellable_is_cancelled (g_task_get_cancellable (task))) {
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
    g_object_unref (task);
    return;
  }
  advance (task);
}

/* Takes over the task. */
static void
advance (GTask *task)
{
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;
  if (is_done (job))
    g_task_return_pointer (task, ls_layout_ref (job->layout), (GDestroyNotify) ls_layout_unref);
  else if (g_task_return_error_if_cancelled (task))
    ;
  else if (!prepare (job, &error))
    g_task_return_error (task, error);
  else {
    g_autoptr (GTask) inner = g_task_new (NULL, g_task_get_cancellable (task), on_followed, task);
    g_task_set_task_data (inner, job, NULL);
    g_task_run_in_thread (inner, follow_thread);
    return;
  }
  g_object_unref (task);
}

static void
start (Job *job, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_task_data (task, job, job_free);
  advance (task);
}

/* Of a pass's step (0: its input), folded as the scene is; scene: the step's, or NULL. cancellable, or NULL, stops at the next box; layouts
 * on the way that are finished stay known. callback is called on the main thread, where scenes on the way are made, too: one between two
 * iterations of its loop. */
void
ls_chain_layout_async (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, GCancellable *cancellable,
                       GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (chain != NULL && pass != NULL);
  start (job_new (chain, pass, step, fold, scene, NULL), cancellable, callback, data);
}

void
ls_chain_comparison_async (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene,
                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (chain != NULL && pass != NULL && scene != NULL);
  start (job_new (chain, pass, step, fold, NULL, scene), cancellable, callback, data);
}

LsLayout *
ls_chain_layout_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* At once, for as long as until (monotonic time); NULL when it is not done then. Takes the job. */
static LsLayout *
lay_out (Job *job, gint64 until)
{
  gboolean ok = TRUE;
  while (ok && !is_done (job))
    if ((ok = g_get_monotonic_time () < until && prepare (job, NULL)))
      arrive (job, make (job, NULL));
  LsLayout *l = ok ? g_steal_pointer (&job->layout) : NULL;
  job_free (job);
  return l;
}

LsLayout *
ls_chain_layout (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene)
{
  g_return_val_if_fail (chain != NULL && pass != NULL, NULL);
  return lay_out (job_new (chain, pass, step, fold, scene, NULL), G_MAXINT64);
}

LsLayout *
ls_chain_comparison (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene)
{
  g_return_val_if_fail (chain != NULL && pass != NULL && scene != NULL, NULL);
  return lay_out (job_new (chain, pass, step, fold, NULL, scene), G_MAXINT64);
}

LsLayout *
ls_chain_layout_now (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, guint ms)
{
  g_return_val_if_fail (chain != NULL && pass != NULL, NULL);
  gboolean small = ls_chain_start (chain, pass)->size <= AT_ONCE;
  LsLayout *l = lay_out (job_new (chain, pass, step, fold, scene, NULL), small ? g_get_monotonic_time () + ms * 1000 : 0);
  ls_layout_unref (l);      /* it is remembered */
  return l;
}
