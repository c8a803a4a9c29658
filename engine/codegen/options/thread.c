/* THREAD gives each thread a contiguous part of an output axis. */
#include "option.h"

#include "codegen/heuristic.h"

#include <math.h>

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  const char *why;
  if (q->target->max_threads == 0)
    return "the target has no threads";
  if (q->settings && q->settings->MODERN)
    return "the profile modern has no threads";
  if (ls_range_type (q->range) == LS_AXIS_REDUCE)
    return "the axis is a reduce axis: threads do not combine their results";
  if (q->threads > 1)
    return "the kernel already has threads";
  if ((why = ls_option_refuse_rest (q)))
    return why;
  if (q->opt->amount > q->target->max_threads)
    return "more threads than a kernel of the target may have";
  ls_option_split (ctx, q, ls_range_type (q->range), pass);
  pass->outer = q->range->arg;
  pass->shares = TRUE;
  return NULL;
}

/* Threads are tried where they are asked for. */
static gboolean
is_tried (const LsSettings *settings, const LsOpt *opt)
{
  return opt->amount <= settings->THREADS;
}

static void
estimate (LsEstimate *e, guint axis, const LsOpt *opt)
{
  if (axis == e->n)
    return;
  e->threads = fmin ((double) opt->amount, g_get_num_processors ());
  e->wakes = TRUE;
  ls_estimate_split (e, axis, opt);
}

const LsOption ls_option_thread = {
  .name = "THREAD", .sentence = "Each thread computes a part of an output axis.", .number = "AMOUNT", .least = 2, .most = 1024,
  .inner = LS_AXIS_THREAD, .traits = LS_OPTION_MAKES_ITEMS, .refuse = refuse, .is_tried = is_tried, .estimate = estimate,
};

#define WORTH_THREADS (1 << 22)      /* iterations of a kernel that takes longer than waking threads does, 5 to 25 us */

/* How much of a loop other options have left. */
static gint64
left_of (const LsChoice *c, const LsUOp *range)
{
  gint64 size = ls_range_size (range);
  for (guint i = 0; i < c->out->len; i++) {
    const LsOpt *opt = &g_array_index (c->out, LsOpt, i);
    if (opt->axis == ls_range_axis (range) && !(opt->option->traits & LS_OPTION_KEEPS_SIZE))
      size /= opt->amount;
  }
  return size;
}

/* As many threads as are wanted, or as divide an axis; of two such axes the outer one. An option that copies stays the last. */
void
ls_choose_threads (LsChoice *c)
{
  const LsUOp *axis = NULL;
  gint64 most = MIN (c->settings->THREADS, (gint64) c->target->max_threads), threads = 1;
  for (guint i = 0; i < c->k->loops->len && c->k->work >= WORTH_THREADS; i++)
    for (gint64 n = most, left = left_of (c, c->k->loops->pdata[i]); n > threads; n--)
      if (left % n == 0) {
        axis = c->k->loops->pdata[i];
        threads = n;
      }
  if (!axis)
    return;
  ls_choose (c, &ls_option_thread, axis, threads, "each of %d threads computes a part of the axis", (int) threads);
  LsOpt *last = &g_array_index (c->out, LsOpt, c->out->len - 1),
        *before = c->out->len > 1 && last->option == &ls_option_thread ? last - 1 : last;
  if (before->option->traits & LS_OPTION_COPIES) {
    LsOpt copy = *before;
    *before = *last;
    *last = copy;
  }
}
