/* The pipeline: what runs the stages of engine/pipeline.def.
 *
 * An LsPipeline is one graph on its way: a realization through the stages of the program's level (tensor, schedule), or a kernel
 * through its own (ast … render). It keeps what every stage was given, so that a stage can run again, with other options say, without
 * those before it.
 */
#pragma once
#include "codegen/codegen.h"
#include "ir/procedure.h"
#include "render/render.h"
#include "rewrite/stage.h"
#include "schedule/schedule.h"
#include "trace/trace.h"

#include "reuse.h"

/* A requested or chosen option. */
typedef struct {
  char    *text;      /* "UPCAST:0:4" */
  gboolean by_user;   /* else the heuristic */
  char    *why;       /* the heuristic's reason; or NULL */
  char    *refusal;   /* why the kernel cannot take it, or NULL */
} LsOptionChoice;

typedef struct {
  LsContext        *ctx;
  LsRuleLibrary    *library;
  const LsSettings *settings;
  const LsTarget   *target;
  const char       *options;       /* "UPCAST:0:4,UNROLL:0:4", or NULL for the heuristic */
  LsTrace          *trace;         /* gets the times of stages; NULL: nobody does */
  gboolean          recording;     /* and their passes */
  guint             kernel;        /* its number, 0: the program's level */
  void            (*after_pass) (gpointer data);      /* called when a pass is recorded; or NULL */
  gpointer          after_pass_data;
  const char       *schedule_choices;  /* decisions that are turned around, a line each (trace/what-if.h); or NULL. They need recording */
  const LsReuse    *reuse;         /* values of earlier kernels that the schedule may read; or NULL */
  guint             statement;     /* 1 + the row of the statement whose rewrite this is; 0: none's */
  const char       *context;       /* the text of the context that the program gave, interned; or NULL */

  const GPtrArray  *earlier;         /* LsKernel: the program's kernels; those before this one may have its name; or NULL */

  /* the inputs of stages, and their results */
  LsUOp       *input[LS_N_STAGES];
  LsUOp       *graph;              /* the result of the last stage; set it to the input of the first */
  LsSchedule  *schedule;
  LsUOp       *ast;
  double       flops, bytes;       /* of one launch */
  char        *name;               /* "r_64_64_64" */
  GPtrArray   *ranges;             /* in the order of the name */
  LsNames     *names;              /* of loops; NULL before options */
  char        *info;               /* ls_kernel_info */
  GString     *applied;            /* options that were, comma-separated */
  GArray      *choices;            /* LsOptionChoice: all that were asked for */
  GPtrArray   *list;               /* LsUOp */
  LsProcedure *procedure;
  LsRendered  *rendered;
} LsPipeline;

/* Runs the stages from to to, both included, without those whose condition is false. A first run takes p->graph; a later one takes from
 * where an earlier run has been what the stage from was given then. FALSE with the error of the stage: LS_ERROR_REWRITE, LS_ERROR_RULE,
 * LS_ERROR_SPEC, LS_ERROR_USAGE (options), LS_ERROR_COMPILE (render). */
gboolean ls_pipeline_run   (LsPipeline *p, LsStage from, LsStage to, GError **error);
/* How a schedule is made: kernels of the profiles classic and modern have one reduce and one result, as in their time. */
LsScheduleHow ls_pipeline_schedule_how (const LsSettings *settings, const GArray *overrides);
/* Do schedules read values that kernels of earlier ones stored? Not with LAZYCACHE=0, nor in the profiles classic and modern. */
gboolean      ls_pipeline_reuses       (const LsSettings *settings);
/* p->graph, a graph of the program's own, rewritten with a rule set of the library, as a pass of that name ("simplify@4": what asked
 * for it, and the program's line). FALSE with LS_ERROR_REWRITE or LS_ERROR_RULE. */
gboolean ls_pipeline_rewrite (LsPipeline *p, const char *name, const char *set, LsRewriteMode mode, GError **error);
/* Rebuilds the context for the rules of a kernel's stage: p->graph is the kernel's graph from the schedule, and becomes the graph that
 * the stage begins with. nth: of the options, which have a pass each, from 0. p must outlive it. NULL: nothing is asked there, or, with
 * error, it cannot be made. Free with ls_pipeline_context_free. */
gpointer ls_pipeline_context_new  (LsPipeline *p, LsStage stage, guint nth, GError **error);
void     ls_pipeline_context_free (gpointer context, LsStage stage);
/* Frees what stages made, not p. */
void     ls_pipeline_clear (LsPipeline *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LsPipeline, ls_pipeline_clear)

/* The terms, sets and files of this program's rules. */
const LsRuleBase *ls_pipeline_rules (void);
