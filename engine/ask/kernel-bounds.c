/* Whether a kernel stays inside its buffers: asked before code is made of a recording's graph, which anybody may have written. */
#include "kernel-bounds.h"

#include <string.h>

#define SECONDS 10      /* of interpreting accesses whose bounds are not known */

/* The buffer and the INDEX of a load or store, looked for through casts of its pointer. */
static const LsUOp *
index_of (const LsUOp *u)
{
  const LsUOp *at = u->src[0];
  while (at->op == LS_OP_CAST && at->n_src)
    at = at->src[0];
  return at->op == LS_OP_INDEX ? at : NULL;
}

/* Every access without a gate has an index whose bounds are inside its buffer, and none has a gate. */
static gboolean
is_shown (LsContext *ctx, const GPtrArray *list, guint n_buffers, LsBuffer *const *buffers)
{
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op != LS_OP_LOAD && u->op != LS_OP_STORE)
      continue;
    const LsUOp *at = index_of (u);
    const LsUOp *to = at ? at->src[0] : NULL;
    gint64 low, high;
    if (!at || at->n_src > 2 || to->op != LS_OP_DEFINE_GLOBAL || to->arg.i < 0 || to->arg.i >= n_buffers || ls_dtype_lanes (to->dtype) > 1)
      return FALSE;
    ls_uop_bounds (ctx, at->src[1], &low, &high);
    guint wide = MAX (ls_dtype_lanes (u->op == LS_OP_STORE ? u->src[u->n_src - 1]->dtype : u->dtype), 1);
    if (low < 0 || high > G_MAXINT64 - wide || (guint64) high + wide > buffers[to->arg.i]->n)
      return FALSE;
  }
  return TRUE;
}

typedef struct { GMutex mutex; GCond cond; gboolean over; GCancellable *cancellable; } Watch;

static gpointer
watch (gpointer data)
{
  Watch *w = data;
  gint64 end = g_get_monotonic_time () + SECONDS * G_TIME_SPAN_SECOND;
  g_mutex_lock (&w->mutex);
  while (!w->over && g_cond_wait_until (&w->cond, &w->mutex, end))
    ;
  if (!w->over)
    g_cancellable_cancel (w->cancellable);
  g_mutex_unlock (&w->mutex);
  return NULL;
}

gboolean
ls_kernel_stays_inside (LsContext *ctx, const GPtrArray *list, guint n_buffers, LsBuffer *const *buffers, GError **error)
{
  if (is_shown (ctx, list, n_buffers, buffers))
    return TRUE;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Watch w = { .cancellable = cancellable };
  g_autoptr (GError) own = NULL;
  g_mutex_init (&w.mutex);
  g_cond_init (&w.cond);
  GThread *thread = g_thread_new ("inside", watch, &w);
  gboolean ok = ls_interp_run (list->len, (LsUOp *const *) list->pdata, n_buffers, buffers, cancellable, &own);
  g_mutex_lock (&w.mutex);
  w.over = TRUE;
  g_cond_signal (&w.cond);
  g_mutex_unlock (&w.mutex);
  g_thread_join (thread);
  g_mutex_clear (&w.mutex);
  g_cond_clear (&w.cond);
  if (ok)
    return TRUE;
  if (g_cancellable_is_cancelled (cancellable))
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "the interpreter did not show within %d s that this kernel of a recording stays inside "
                                                "its buffers, so it is not compiled: compare the program instead", SECONDS);
  else
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "this kernel of a recording is not compiled: %s", own->message);
  return FALSE;
}
