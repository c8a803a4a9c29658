/* What the rewrite driver writes while a pass runs. Inline: it is called for every step. */
#pragma once
#include "trace.h"

#include <time.h>

struct _LsPassRecorder {
  LsTrace   *trace;
  LsPass    *pass;
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
