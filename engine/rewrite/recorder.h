/* The data that a rewrite reports, and its receiver.
 *
 * The driver writes every link of a pass into a log that a recorder hands out; who records implements LsRecorder (trace/trace.c
 * does). Adding a link is inline: it is done for every step. A pass that is begun as nested while another log of the same recorder is
 * open belongs to the step that is tried there. If that step does not come about, the driver drops it: the recorder forgets it, and
 * its number is given to the next pass.
 */
#pragma once
#include "ir/clock.h"
#include "rewrite.h"

#include <time.h>

typedef struct _LsRecorder LsRecorder;
typedef struct _LsPassLog  LsPassLog;

#define LS_LINK_REBUILD (-1)     /* the sources changed */

typedef struct {
  guint32 before, after;   /* node ids */
  gint32  rule;            /* index in the library, or LS_LINK_REBUILD */
  guint32 ns;              /* time of matching and building, in ticks until the pass ends; 0 for rebuilds */
} LsLink;

typedef struct { guint32 rule; guint32 tries, hits; guint64 ns; } LsRuleStat;

/* A map entry of a stage that is not a rewrite: new_node came from old_node because of reason. */
typedef struct { guint32 new_node, old_node; const char *reason; } LsMapEntry;

struct _LsPassLog {
  LsLink     *links;
  guint32    *steps;         /* the index in links of each step */
  guint       n_links, links_size, n_steps, steps_size;
  guint       n_touched;
  guint32    *touched;       /* rules that were tried, in the order of their first try */
  LsRuleStat *stats;         /* by rule of the library; ns in ticks until the pass ends */
  gboolean    nests;         /* passes were nested in the step that is tried */
};

/* The relation of a pass to the pass that is open when it begins. */
typedef enum {
  LS_PASS_OWN,       /* nothing */
  LS_PASS_NESTED,    /* a part of the step that is tried there */
  LS_PASS_CYCLE,     /* one iteration of that rewrite, which does not end */
} LsPassPlace;

/* A pass as it is begun. stage NULL: that of the open pass. name NULL: the stage's; one that was used before in the kernel is
 * numbered. statement: 1 + the recording's row of the statement that asked for it; 0: none did. context: the text of the program's
 * context, or NULL. The strings are static or interned. */
typedef struct { const char *stage, *name, *set; LsRewriteMode mode; LsPassPlace place; guint statement; const char *context;
               } LsPassInfo;

struct _LsRecorder {
  LsPassLog *(*begin) (LsRecorder *self, const LsPassInfo *info, LsUOp *input, LsRuleLibrary *library);
  void       (*end)   (LsRecorder *self, LsPassLog *log, LsUOp *output, guint64 ns);
  /* The passes nested in the step that is tried are forgotten. */
  void       (*drop)  (LsRecorder *self, LsPassLog *log);
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
  return ls_now_ns ();
#endif
}
guint64 ls_ticks_to_ns (guint64 ticks);
