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
 * So any of a million steps is at most 15 + 16 layouts away from the input, 3 where they are large; most steps follow the one that the reader saw last, and
 * neighbouring keyframes share an ancestor near by. Between neighbouring steps the change itself says which node continues which;
 * between keyframes the fates of the pass's nodes at both do; between passes a node is itself. How far back passes are followed depends on
 * the sizes of their graphs alone: a place must not depend on what happens to be known, and must not cost more than MAX_WAY boxes.
 *
 * What is laid out on the way to a step is remembered as places alone, which is all that following asks for: a tenth of a picture, so that the
 * keyframes of a large pass stay known, and a jump in it lays out the last two of its way.
 *
 * Following does not go on for ever: where most of the graph is new, or a keyframe's picture would be much longer in its edges or much
 * larger than a fresh one, the fresh one is taken, laid over the old one as well as a translation can.
 */
#include "chain.h"
#include "sight.h"
#include "trace/replay.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COST 3000000      /* boxes, edges and bends that are remembered */
#define MAX_KEPT 2000000      /* boxes whose places alone are remembered */
#define MAX_WAY  12000        /* boxes laid out on the way to a pass's first picture */
#define AT_ONCE  5000         /* nodes: a layout of these does not hold up the main thread */
#define BACK     64           /* how many passes are looked through for the one whose output this is */

/* A step's scene as plain arrays. */
typedef struct {
  LsLayoutInput *in;
  guint32       *id, *before;
  gboolean       is_diff;
  guint8        *differs;     /* it is part of the change */
  guint          focus;
} Plan;

/* How a pass begins. */
typedef struct {
  const LsPass *former;     /* the pass whose last step its input follows, or NULL */
  guint         size;       /* nodes of its input */
  guint         way;        /* nodes laid out from there to its input */
  gboolean      known;
} Start;

typedef struct { guint pass, step; gboolean fold; } Key;

/* Of a layout what the next one asks for. */
typedef struct {
  gint       ref_count;
  Key        key;
  guint      n;
  guint32   *id;
  float     *x;           /* middles */
  gint32    *rank;
  LsOutline *outline;
  GList      link;        /* in the queue of kept places, oldest first */
} Places;

typedef struct {
  Key       key;
  LsLayout *layout;
  gsize     cost;
  GList     link;         /* in the queue of entries, oldest first */
} Entry;

struct _LsChain {
  gint        ref_count;
  LsTrace    *trace;
  GHashTable *entries;    /* Key -> Entry */
  GQueue      order;
  gsize       cost;
  GHashTable *kept;       /* Key -> Places */
  GQueue      kept_order;
  gsize       n_kept;     /* boxes of all */
  Start      *starts;     /* of each pass */
  guint       n_starts;
};

/* --- plans --- */

static Plan *
plan_new (const LsScene *scene)
{
  Plan *p = g_new0 (Plan, 1);
  p->in = ls_layout_input_new (scene->n_nodes, scene->n_edges);
  p->id = g_new (guint32, MAX (scene->n_nodes, 1));
  p->before = g_new (guint32, MAX (scene->n_nodes, 1));
  p->differs = g_new0 (guint8, MAX (scene->n_nodes, 1));
  p->is_diff = scene->is_diff;
  p->focus = scene->focus != LS_NO_NODE ? scene->focus : scene->n_nodes - 1;
  for (guint i = 0; i < scene->n_nodes; i++) {
    p->differs[i] = scene->is_diff && ((scene->nodes[i].kind != LS_DIFF_SAME && scene->nodes[i].kind != LS_DIFF_MOVED) || i == scene->focus);
    p->in->width[i] = scene->nodes[i].width;
    p->id[i] = scene->nodes[i].id;
    p->before[i] = scene->nodes[i].before;
  }
  for (guint e = 0; e < scene->n_edges; e++) {
    p->in->from[e] = scene->edges[e].from;
    p->in->to[e] = scene->edges[e].to;
  }
  return p;
}

static void
plan_free (Plan *p)
{
  if (!p)
    return;
  ls_layout_input_free (p->in);
  g_free (p->id);
  g_free (p->before);
  g_free (p->differs);
  g_free (p);
}

static LsBox
box_at (const Plan *p, const LsLayout *l, guint i)
{
  return (LsBox) { l->x[i], l->y[i], l->x[i] + p->in->width[i], l->y[i] + LS_SCENE_HEIGHT };
}

static LsOutline *
outline_of (const Plan *p, const LsLayout *l, LsOutline *former)
{
  LsBox none = { 0, 0, -1, -1 }, all = none, change = none, focus = none;
  if (p->in->n) {
    all = (LsBox) { l->left, l->top, l->left + l->width, l->top + l->height };
    focus = box_at (p, l, p->focus);
  }
  for (guint i = 0; i < p->in->n; i++)
    if (p->differs[i])
      ls_box_join (&change, box_at (p, l, i));
  return ls_outline_new (all, change, focus, p->is_diff, former);
}

/* --- entries --- */

static guint
key_hash (gconstpointer p)
{
  const Key *k = p;
  return k->pass * 2654435761u ^ k->step * 40503u ^ (guint) k->fold;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;
  return x->pass == y->pass && x->step == y->step && !x->fold == !y->fold;
}

static void
entry_free (Entry *e)
{
  ls_layout_unref (e->layout);
  g_free (e);
}

static LsLayout *
find (LsChain *chain, Key key)
{
  Entry *e = g_hash_table_lookup (chain->entries, &key);
  if (!e)
    return NULL;
  g_queue_unlink (&chain->order, &e->link);
  g_queue_push_tail_link (&chain->order, &e->link);
  return e->layout;
}

/* Takes the layout. */
static void
remember (LsChain *chain, Key key, LsLayout *layout)
{
  Entry *old = g_hash_table_lookup (chain->entries, &key), *e = g_new0 (Entry, 1);
  *e = (Entry) { .key = key, .layout = layout, .cost = 64 + 2 * layout->n + layout->first[layout->n_edges] };
  e->link.data = e;
  if (old) {
    g_queue_unlink (&chain->order, &old->link);
    chain->cost -= old->cost;
    g_hash_table_remove (chain->entries, &key);
  }
  g_hash_table_insert (chain->entries, &e->key, e);
  g_queue_push_tail_link (&chain->order, &e->link);
  chain->cost += e->cost;
  while (chain->cost > MAX_COST && chain->order.length > 1) {
    Entry *oldest = g_queue_pop_head_link (&chain->order)->data;
    chain->cost -= oldest->cost;
    g_hash_table_remove (chain->entries, &oldest->key);
  }
}

static void
places_unref (Places *p)
{
  if (!p || --p->ref_count)
    return;
  g_free (p->id);
  g_free (p->x);
  g_free (p->rank);
  ls_outline_unref (p->outline);
  g_free (p);
}

/* A reference, or NULL. */
static Places *
find_places (LsChain *chain, Key key)
{
  Places *p = g_hash_table_lookup (chain->kept, &key);
  if (!p)
    return NULL;
  g_queue_unlink (&chain->kept_order, &p->link);
  g_queue_push_tail_link (&chain->kept_order, &p->link);
  p->ref_count++;
  return p;
}

/* Takes the plan's ids. Returns a reference. */
static Places *
keep_places (LsChain *chain, Key key, Plan *plan, const LsLayout *l)
{
  guint n = plan->in->n;
  Places *p = g_new0 (Places, 1), *old = g_hash_table_lookup (chain->kept, &key);
  *p = (Places) { .ref_count = 2, .key = key, .n = n, .id = g_steal_pointer (&plan->id), .x = g_new (float, MAX (n, 1)), .rank = g_new (gint32, MAX (n, 1)),
                  .outline = ls_outline_ref (l->outline) };
  p->link.data = p;
  for (guint i = 0; i < n; i++) {
    p->x[i] = l->x[i] + plan->in->width[i] / 2;
    p->rank[i] = (gint32) lroundf (l->y[i] / LS_RANK_PITCH);
  }
  if (old) {
    g_queue_unlink (&chain->kept_order, &old->link);
    chain->n_kept -= old->n;
    g_hash_table_remove (chain->kept, &key);
  }
  g_hash_table_insert (chain->kept, &p->key, p);
  g_queue_push_tail_link (&chain->kept_order, &p->link);
  chain->n_kept += n;
  while (chain->n_kept > MAX_KEPT && chain->kept_order.length > 1) {
    Places *oldest = g_queue_pop_head_link (&chain->kept_order)->data;
    chain->n_kept -= oldest->n;
    g_hash_table_remove (chain->kept, &oldest->key);
  }
  return p;
}

/* --- following --- */

guint
ls_chain_parent (guint step, gboolean wide)
{
  guint block = step / LS_CHAIN_BLOCK;
  if (step == 0)
    return G_MAXUINT;
  if (step % LS_CHAIN_BLOCK)
    return wide ? block * LS_CHAIN_BLOCK : step - 1;
  return (wide ? block & 255 ? block & ~255u : 0 : block & (block - 1)) * LS_CHAIN_BLOCK;
}

static guint
way_within (guint step, gboolean wide)
{
  guint n = 0;
  for (; step != 0; step = ls_chain_parent (step, wide))
    n++;
  return n;
}

static const Start *
start_of (LsChain *chain, const LsPass *pass)
{
  LsTrace *trace = chain->trace;
  if (chain->n_starts < trace->passes->len) {
    chain->starts = g_renew (Start, chain->starts, trace->passes->len);
    memset (chain->starts + chain->n_starts, 0, (trace->passes->len - chain->n_starts) * sizeof *chain->starts);
    chain->n_starts = trace->passes->len;
  }
  g_return_val_if_fail (pass->index < chain->n_starts, NULL);
  /* passes that wait for the one before them, the latest first */
  g_autoptr (GPtrArray) wait = g_ptr_array_new ();
  g_ptr_array_add (wait, (gpointer) pass);
  while (wait->len) {
    const LsPass *p = wait->pdata[wait->len - 1];
    Start *s = &chain->starts[p->index];
    if (!s->known && !s->size) {
      LsUOp *root = ls_context_node (trace->ctx, p->input);
      g_autoptr (GPtrArray) nodes = root ? ls_uop_toposort (trace->ctx, root) : NULL;
      s->size = s->way = MAX (nodes ? nodes->len : 0, 1);
      const LsPass *q = NULL;
      for (guint i = p->index, n = 0; s->size < MAX_WAY && i-- > 0 && n < BACK && !q; n++) {
        const LsPass *other = trace->passes->pdata[i];
        if (other->kernel != p->kernel)
          break;
        if (other->kind == LS_PASS_REWRITE && other->output == p->input && ls_pass_n_steps (other) > 0)
          q = other;
      }
      s->former = q;
    }
    if (s->known || !s->former) {
      s->known = TRUE;
      g_ptr_array_set_size (wait, (int) wait->len - 1);
    } else if (chain->starts[s->former->index].known) {
      const Start *f = &chain->starts[s->former->index];
      guint64 way = (guint64) s->size + f->way + (guint64) f->size * way_within (ls_pass_n_steps (s->former), f->size > LS_CHAIN_WIDE);
      if (way > MAX_WAY)
        s->former = NULL;
      else
        s->way = (guint) way;
      s->known = TRUE;
    } else
      g_ptr_array_add (wait, (gpointer) s->former);
  }
  return &chain->starts[pass->index];
}

/* What the layout of a key follows; FALSE when it follows nothing. */
static gboolean
parent_of (LsChain *chain, Key *key)
{
  if (key->step > 0) {
    key->step = ls_chain_parent (key->step, start_of (chain, chain->trace->passes->pdata[key->pass])->size > LS_CHAIN_WIDE);
    return TRUE;
  }
  const LsPass *former = start_of (chain, chain->trace->passes->pdata[key->pass])->former;
  if (!former)
    return FALSE;
  key->pass = former->index;
  key->step = ls_pass_n_steps (former);
  return TRUE;
}

static LsScene *
scene_at (LsTrace *trace, const LsPass *pass, guint step, gboolean fold, gboolean bare)
{
  if (step == 0) {
    LsUOp *root = ls_pass_root_at (trace, pass, 0);
    return !root ? NULL : bare ? ls_scene_new_root_bare (trace, root, fold) : ls_scene_new_root (trace, root, fold);
  }
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, step);
  return !diff ? NULL : bare ? ls_scene_new_diff_bare (trace, diff, fold) : ls_scene_new_diff (trace, diff, fold);
}

LsScene *
ls_chain_scene (LsTrace *trace, const LsPass *pass, guint step, gboolean fold)
{
  return scene_at (trace, pass, step, fold, FALSE);
}

/* Of nodes in the graph at step b, what they were at step a. Nodes that were the same stay out. */
static void
find_ancestors (LsTrace *trace, const LsPass *pass, guint a, guint b, LsNodeMap *was)
{
  LsContext *ctx = trace->ctx;
  LsUOp *input = ls_context_node (ctx, pass->input);
  g_autoptr (GPtrArray) visited = g_ptr_array_new ();
  LsNodeMap *at_a = ls_node_map_acquire (ctx), *at_b = ls_node_map_acquire (ctx);
  if (input && ls_replay_evaluate (trace, pass, input, ls_replay_links_at (pass, a), at_a, NULL)
      && ls_replay_evaluate (trace, pass, input, ls_replay_links_at (pass, b), at_b, visited))
    for (guint i = 0; i < visited->len; i++) {
      LsUOp *x = ls_node_map_get_node (at_a, visited->pdata[i]), *y = ls_node_map_get_node (at_b, visited->pdata[i]);
      if (x && y && x != y && !ls_node_map_has (was, y))
        ls_node_map_set_node (was, y, x);
    }
  ls_node_map_release (ctx, at_a);
  ls_node_map_release (ctx, at_b);
}

/* was: ancestors of nodes, or NULL. */
static LsKeep *
keep_from (LsContext *ctx, const Plan *plan, const Places *parent, LsNodeMap *was)
{
  guint n = plan->in->n;
  LsKeep *keep = ls_keep_new (n);
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (parent->n, 1));
  LsNodeMap *at = ls_node_map_acquire (ctx);
  for (guint i = 0; i < parent->n; i++) {
    const LsUOp *u = ls_context_node (ctx, parent->id[i]);
    if (u)
      ls_node_map_set (at, u, i);
  }
  for (guint round = 0; round < (was ? 2 : 1); round++)
    for (guint i = 0; i < n; i++) {
      if (plan->before[i] == LS_NO_NODE || !isnan (keep->x[i]))
        continue;
      const LsUOp *u = ls_context_node (ctx, plan->before[i]);
      guint64 k;
      if (u && round)
        u = ls_node_map_get_node (was, u);
      if (!u || !ls_node_map_get (at, u, &k) || taken[k])
        continue;
      taken[k] = TRUE;
      keep->x[i] = parent->x[k];
      keep->rank[i] = parent->rank[k];
      keep->n_kept++;
    }
  ls_node_map_release (ctx, at);
  return keep;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;
  return x < y ? -1 : x > y;
}

/* Lays a fresh picture over the former one: half of what stays is left and right, above and below of its place. */
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

/* --- one after the other --- */

typedef struct {
  LsChain      *chain;
  GArray       *path;         /* Key: what is still to be laid out, the last one comes next */
  Places       *last;         /* what the next one follows, or NULL */
  LsLayout     *layout;       /* of the step that is asked for, when it is there */
  Plan         *target;       /* of the step that is asked for, when it is known */
  /* under way */
  Key           key;
  Plan         *plan;
  LsKeep       *keep;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  places_unref (job->last);
  ls_layout_unref (job->layout);
  plan_free (job->target);
  plan_free (job->plan);
  ls_keep_free (job->keep);
  g_array_unref (job->path);
  ls_chain_unref (job->chain);
  g_free (job);
}

static Job *
job_new (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene)
{
  Job *job = g_new0 (Job, 1);
  *job = (Job) { .chain = ls_chain_ref (chain), .path = g_array_new (FALSE, FALSE, sizeof (Key)) };
  Key key = { pass->index, MIN (step, ls_pass_n_steps (pass)), fold };
  LsLayout *known = find (chain, key);
  if (known) {
    job->layout = ls_layout_ref (known);
    return job;
  }
  if (scene)
    job->target = plan_new (scene);
  do
    g_array_append_val (job->path, key);
  while (parent_of (chain, &key) && !(job->last = find_places (chain, key)));
  return job;
}

/* Main thread: what the next layout needs. FALSE when the recording cannot be replayed. */
static gboolean
prepare (Job *job)
{
  LsTrace *trace = job->chain->trace;
  job->key = g_array_index (job->path, Key, job->path->len - 1);
  const LsPass *pass = trace->passes->pdata[job->key.pass];
  g_array_set_size (job->path, job->path->len - 1);
  if (job->path->len == 0 && job->target)
    job->plan = g_steal_pointer (&job->target);
  else {
    g_autoptr (LsScene) scene = scene_at (trace, pass, job->key.step, job->key.fold, TRUE);
    if (!scene)
      return FALSE;
    job->plan = plan_new (scene);
  }
  if (job->last) {
    LsNodeMap *was = NULL;
    if (job->key.pass == job->last->key.pass && job->key.step - job->last->key.step > 1) {
      was = ls_node_map_acquire (trace->ctx);
      find_ancestors (trace, pass, job->last->key.step, job->key.step - 1, was);
    }
    job->keep = keep_from (trace->ctx, job->plan, job->last, was);
    if (was)
      ls_node_map_release (trace->ctx, was);
  }
  return TRUE;
}

/* Main thread: takes the layout. */
static void
arrive (Job *job, LsLayout *layout)
{
  layout->outline = outline_of (job->plan, layout, job->last ? job->last->outline : NULL);
  places_unref (job->last);
  job->last = keep_places (job->chain, job->key, job->plan, layout);
  g_clear_pointer (&job->plan, plan_free);
  g_clear_pointer (&job->keep, ls_keep_free);
  if (job->path->len > 0) {
    ls_layout_unref (layout);
  } else {
    job->layout = ls_layout_ref (layout);
    remember (job->chain, job->key, layout);
  }
}

static void advance (GTask *task);

static void
follow_thread (GTask *inner, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  LsLayout *l = ls_chain_make (job->plan->in, job->keep, job->key.step % LS_CHAIN_BLOCK == 0, cancellable);
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
  if (job->path->len == 0)
    g_task_return_pointer (task, ls_layout_ref (job->layout), (GDestroyNotify) ls_layout_unref);
  else if (g_task_return_error_if_cancelled (task))
    ;
  else if (!prepare (job))
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, _("the recording's links go in circles"));
  else {
    g_autoptr (GTask) inner = g_task_new (NULL, g_task_get_cancellable (task), on_followed, task);
    g_task_set_task_data (inner, job, NULL);
    g_task_run_in_thread (inner, follow_thread);
    return;
  }
  g_object_unref (task);
}

/**
 * ls_chain_layout_async:
 * @chain: layouts of a recording
 * @pass: one of its passes
 * @step: a step, 0 for its input
 * @fold: as for the scene
 * @scene: (nullable): the step's scene
 * @cancellable: (nullable): stops at the next box; layouts on the way that are finished stay known
 * @callback: called on the main thread
 *
 * Scenes on the way are made on the main thread, one between two turns of its loop.
 */
void
ls_chain_layout_async (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, GCancellable *cancellable,
                       GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (chain != NULL && pass != NULL);
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, ls_chain_layout_async);
  g_task_set_task_data (task, job_new (chain, pass, step, fold, scene), job_free);
  advance (task);
}

LsLayout *
ls_chain_layout_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* At once, for as long as until (monotonic time); NULL when it is not done then. Not a reference. */
static LsLayout *
lay_out (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, gint64 until)
{
  Job *job = job_new (chain, pass, step, fold, scene);
  gboolean ok = TRUE;
  while (ok && job->path->len > 0)
    if ((ok = g_get_monotonic_time () < until && prepare (job)))
      arrive (job, ls_chain_make (job->plan->in, job->keep, job->key.step % LS_CHAIN_BLOCK == 0, NULL));
  LsLayout *l = ok ? job->layout : NULL;      /* it is remembered */
  job_free (job);
  return l;
}

LsLayout *
ls_chain_layout (LsChain *chain, const LsPass *pass, guint step, gboolean fold)
{
  g_return_val_if_fail (chain != NULL && pass != NULL, NULL);
  LsLayout *l = lay_out (chain, pass, step, fold, NULL, G_MAXINT64);
  return l ? ls_layout_ref (l) : NULL;
}

LsLayout *
ls_chain_layout_now (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, guint ms)
{
  g_return_val_if_fail (chain != NULL && pass != NULL, NULL);
  gboolean small = start_of (chain, pass)->size <= AT_ONCE;
  return lay_out (chain, pass, step, fold, scene, small ? g_get_monotonic_time () + ms * 1000 : 0);
}

LsLayout *
ls_chain_peek (LsChain *chain, const LsPass *pass, guint step, gboolean fold)
{
  return find (chain, (Key) { pass->index, step, fold });
}

/* --- the chain --- */

LsChain *
ls_chain_new (LsTrace *trace)
{
  g_return_val_if_fail (trace != NULL, NULL);
  LsChain *chain = g_new0 (LsChain, 1);
  chain->ref_count = 1;
  chain->trace = ls_trace_ref (trace);
  chain->entries = g_hash_table_new_full (key_hash, key_equal, NULL, (GDestroyNotify) entry_free);
  g_queue_init (&chain->order);
  chain->kept = g_hash_table_new_full (key_hash, key_equal, NULL, (GDestroyNotify) places_unref);
  g_queue_init (&chain->kept_order);
  return chain;
}

LsChain *
ls_chain_ref (LsChain *chain)
{
  chain->ref_count++;
  return chain;
}

void
ls_chain_unref (LsChain *chain)
{
  if (!chain || --chain->ref_count)
    return;
  g_hash_table_unref (chain->entries);
  g_hash_table_unref (chain->kept);
  g_free (chain->starts);
  ls_trace_unref (chain->trace);
  g_free (chain);
}
