/* A kernel option: its text, when it is refused, which amounts to try, and how it changes the estimate of a kernel's time.
 *
 * An option is a row of options.def and a file here. Its effect on a graph is written as rules (options.rules), which read
 * LsOptionContext; `refuse` fills that unless it refuses.
 */
#pragma once
#include "codegen/accesses.h"
#include "codegen/codegen.h"

/* A kernel's graph and the option that is asked about it. */
typedef struct {
  const LsSettings *settings;         /* NULL: those of no profile */
  const LsTarget *target;
  const LsOpt    *opt;
  GPtrArray      *ranges;
  LsUOp          *root, *range;       /* of the axis: part 0, while it is a loop */
  gint64          last_part;          /* of the axis */
  gint64          expanded, group, threads;    /* values of an iteration, work items of a group */
  gboolean        has_groups;         /* is there a GROUP range? */
} LsOptionQuery;

/* A kernel with options, as the estimate sees it (score.c). */
typedef struct {
  const LsAccesses *k;
  guint    n;                          /* axes */
  guint    order[LS_MAX_AXES];         /* axes as their loops nest now, outermost first */
  double   left[LS_MAX_AXES];          /* iterations of each axis */
  double   expanded[LS_MAX_AXES];      /* values of each axis in one iteration */
  gboolean keeps;                      /* lanes of a reduce have accumulators of their own */
  int      along;                      /* the axis that vectors go along, or -1 */
  double   lanes, values, reduced;     /* values of an iteration, and of it of reduced axes */
  guint64  tiled;                      /* arguments that are read from a copy, a bit each */
  double   threads;                    /* of the kernel's those that the machine runs at once */
  gboolean wakes;                      /* does it have any? */
  double   padding;                    /* iterations with those beyond the axes by those without */
} LsEstimate;

typedef enum {
  LS_OPTION_APPENDS     = 1 << 0,      /* where a profile says so (LsProfileInfo.appends), its part becomes an axis of its own, the
                                        * last one */
  LS_OPTION_MAKES_ITEMS = 1 << 1,      /* its part is executed by threads, on targets without work items too */
  LS_OPTION_COPIES      = 1 << 2,      /* loads read from a copy, made for the loops as they are: no other option comes after it */
  LS_OPTION_KEEPS_SIZE  = 1 << 3,      /* its number is not an amount of the axis, which keeps its size */
} LsOptionTraits;

struct _LsOption {
  const char    *name;                 /* "UPCAST" */
  const char    *sentence, *number;    /* what its number is called */
  gint64         least, most;          /* of its number */
  LsAxisType     inner;                /* type of the range that it splits off */
  LsOptionTraits traits;
  /* Why it cannot be applied, or NULL: then pass says what it does. */
  const char  *(*refuse)   (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass);
  /* Appends to out the numbers to try for ranges[at]. NULL: the powers of two, and the size of the axis (ls_opts_to_ask). */
  void         (*ask)      (const GPtrArray *ranges, guint at, guint last_argument, LsOpt opt, GArray *out);
  /* Whether a search tries it (NULL: always). */
  gboolean     (*is_tried) (const LsSettings *settings, const LsOpt *opt);
  /* Changes the estimate; axis is e->n if the kernel has no axis of that number. Required. */
  void         (*estimate) (LsEstimate *e, guint axis, const LsOpt *opt);
};

/* Has one of the options of a text this trait? */
gboolean ls_opts_have (const char *text, LsOptionTraits trait);

#define LS_OPTION_VARIABLE_AXIS "a variable says how long the axis is: no amount divides it whatever it is"
/* Part 0 of an axis while it is a loop, or NULL. */
LsUOp *ls_option_loop     (const GPtrArray *ranges, gint64 axis);
LsArg  ls_option_range    (LsContext *ctx, gint64 axis, gint64 type, gint64 part, gint64 place);
/* The range splits into a part of the option's type, of its amount, and one of the type outer. */
void   ls_option_split    (LsContext *ctx, const LsOptionQuery *q, LsAxisType outer, LsOptionContext *pass);
/* Common refusals, or NULL. */
const char *ls_option_refuse_rest     (const LsOptionQuery *q);      /* the amount does not divide the axis */
/* the group's partial results, with next's if it is a reduced range, take too much memory */
const char *ls_option_refuse_partials (LsContext *ctx, const LsOptionQuery *q, const LsUOp *next);
const char *ls_option_refuse_values   (const LsOptionQuery *q);      /* too many values in one iteration */
const char *ls_option_refuse_group    (const LsOptionQuery *q);      /* too many work items in a group */
/* The axis of an estimate that options call by this number, or e->n. */
guint  ls_estimate_axis   (const LsEstimate *e, gint64 number);
/* The option's part of the axis leaves fewer iterations. */
void   ls_estimate_split  (LsEstimate *e, guint axis, const LsOpt *opt);
/* … and as many values in each. */
void   ls_estimate_expand (LsEstimate *e, guint axis, const LsOpt *opt);
