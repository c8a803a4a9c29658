/* What a rewrite reports, and to whom.
 *
 * The driver writes every link of a pass into a log that a recorder hands out; who records implements LsRecorder (trace/trace.c does). Adding a link is inline: it is
 * done for every step. A log that is begun while another one of the same recorder is open belongs to a pass nested in that one.
 */
#pragma once
#include "rewrite.h"

#include <time.h>

G_BEGIN_DECLS

#define LS_LINK_REBUILD (-1)     /* the sources changed */

typedef struct {
  guint32 before, after;   /* node ids */
  gint32  rule;            /* index in the library, or LS_LINK_REBUILD */
  guint32 ns;              /* time of matching and building, in ticks until the pass ends; 0 for rebuilds */
} LsLink;

typedef struct { guint32 rule; guint32 tries, hits; guint64 ns; } LsRuleStat;

/* A map entry of a stage that is no rewrite: new_node came from old_node because of reason. */
typedef struct { guint32 new_node, old_node; const char *reason; } LsMapEntry;

struct _LsPassLog {
  LsLink     *links;
  guint32    *steps;         /* the index in links of each step */
  guint       n_links, links_size, n_steps, steps_size;
  guint       n_touched;
  guint32    *touched;       /* rules that were tried, in the order of their first try */
  LsRuleStat *stats;         /* by rule of the library; ns in ticks until the pass ends */
};

/* A pass as it is begun. The strings are static or interned. */
typedef struct { const char *stage, *name, *set; LsRewriteMode mode; } LsPassInfo;

struct _LsRecorder {
  LsPassLog *(*begin) (LsRecorder *self, const LsPassInfo *info, LsUOp *input, LsRuleLibrary *library);
  void       (*end)   (LsRecorder *self, LsPassLog *log, LsUOp *output, guint64 ns);
};

void ls_pass_log_grow (LsPassLog *log);

static inline LsRuleStat *
ls_pass_log_stat (LsPassLog *log, guint rule)
{
  LsRuleStat *stat = &log->stats[rule];
  if (stat->tries == 0)
    log->touched[log->n_touched++] = rule;
  return stat;
}

static inline void
ls_pass_log_add (LsPassLog *log, const LsUOp *before, const LsUOp *after, gint rule, guint32 ns)
{
  if (G_UNLIKELY (log->n_links == log->links_size || log->n_steps == log->steps_size))
    ls_pass_log_grow (log);
  if (rule != LS_LINK_REBUILD)
    log->steps[log->n_steps++] = log->n_links;
  log->links[log->n_links++] = (LsLink) { before->id, after->id, rule, ns };
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

G_END_DECLS
