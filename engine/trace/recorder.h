/* What the rewrite driver writes while a pass runs. Inline: it is called for every step. */
#pragma once
#include "trace.h"

#include <time.h>

struct _LsPassRecorder {
  LsTrace   *trace;
  LsPass    *pass;
  /* links and steps of the pass, kept between passes: an exact copy goes into the pass at its end */
  LsLink    *links;
  guint32   *steps;
  guint      n_links, links_size, n_steps, steps_size;
  guint      n_touched;
  guint32   *touched;      /* rules that were tried, in the order of their first try */
  LsRuleStat stats[];      /* by rule of the library; ns in ticks until the pass ends */
};

static inline LsRuleStat *
ls_pass_recorder_stat (LsPassRecorder *r, guint rule)
{
  LsRuleStat *stat = &r->stats[rule];
  if (stat->tries == 0)
    r->touched[r->n_touched++] = rule;
  return stat;
}

void ls_pass_recorder_grow (LsPassRecorder *r);

static inline void
ls_pass_recorder_add (LsPassRecorder *r, const LsUOp *before, const LsUOp *after, gint rule, guint32 ns)
{
  if (G_UNLIKELY (r->n_links == r->links_size || r->n_steps == r->steps_size))
    ls_pass_recorder_grow (r);
  if (rule != LS_LINK_REBUILD)
    r->steps[r->n_steps++] = r->n_links;
  r->links[r->n_links++] = (LsLink) { before->id, after->id, rule, ns };
}

/* A clock that costs next to nothing: the time stamp counter where there is one, else nanoseconds. */
static inline guint64
ls_ticks (void)
{
#ifdef __x86_64__
  return __builtin_ia32_rdtsc ();
#else
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec;
#endif
}
guint64 ls_ticks_to_ns (guint64 ticks);
