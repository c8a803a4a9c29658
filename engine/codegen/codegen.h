/* From a kernel graph to its final graph: the passes ast … decompose, each a recorded rewrite. */
#pragma once
#include "ir/axis.h"
#include "ir/uop.h"
#include "render/render.h"
#include "rewrite/rewrite.h"
#include "settings.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define LS_MAX_AXES 64

/* One kernel option: "UPCAST:axis:amount". */
typedef enum { LS_OPT_UPCAST, LS_OPT_UNROLL, LS_OPT_LOCAL, LS_N_OPTS } LsOptKind;
typedef struct { LsOptKind kind; guint axis; gint64 amount; } LsOpt;

typedef struct {
  LsContext        *ctx;
  LsRuleLibrary    *library;
  const LsSettings *settings;
  const LsTarget   *target;
  LsTrace          *trace;       /* NULL: nothing is recorded */
  guint             kernel;      /* its number, for the recording */
  const char       *options;     /* "UPCAST:0:4,UNROLL:0:4", or NULL for the heuristic */
  GArray           *stage_ns;    /* LsStageTime is added for each pass; or NULL */
  void            (*after_pass) (gpointer data);      /* called when a pass is recorded; or NULL */
  gpointer          after_pass_data;
} LsCodegen;

typedef struct {
  LsUOp  *ast;
  LsUOp  *final;
  char   *name;
  char   *options;      /* those applied */
  GString *refused;     /* one line for each option that was refused, with the reason */
  double  flops, bytes;
} LsKernelCode;

/* Runs all passes. NULL with an error of the rewrite, the spec or the options' text. */
LsKernelCode *ls_codegen_run (const LsCodegen *cg, LsUOp *kernel_graph, GError **error);
void          ls_kernel_code_free (LsKernelCode *code);

/* One pass: rewrites with the rule sets, recorded under the stage's name. */
LsUOp *ls_codegen_pass (const LsCodegen *cg, const char *stage, const char *set, LsRewriteMode mode, gpointer user, LsUOp *root, GError **error);

/* "UPCAST:0:4,UNROLL:1:8" as GArray of LsOpt. LS_ERROR_USAGE for what is none. */
GArray *ls_opts_parse (const char *text, GError **error);
/* The heuristic's choice. */
GArray *ls_opts_choose (const LsCodegen *cg, LsUOp *lowered);

/* What builders get. */
typedef struct {
  LsUOp  *ranges[LS_MAX_AXES];     /* of each merged axis, NULL for size 1 */
  guint   n;                       /* merged axes */
  guint   n_full;
  guint   group[LS_MAX_AXES];      /* full axis -> merged axis */
} LsLowerUser;
typedef struct { gint64 axis; gint64 amount; LsAxisType inner; LsAxisType outer; gboolean refused; } LsSplitUser;
typedef struct { guint next_acc; } LsAccUser;
typedef struct { guint next_global, next_local; guint n; struct { gint64 axis; guint number; } global[LS_MAX_AXES]; LsUOp *from[LS_MAX_AXES], *to[LS_MAX_AXES]; } LsDimsUser;
typedef struct { LsDType index; } LsIndexUser;

/* Fills user from the AST; makes the ranges. */
void ls_lower_prepare (LsContext *ctx, LsUOp *ast, LsLowerUser *user);

LsUOp *ls_range_new (LsContext *ctx, LsDType dtype, gint64 size, gint64 axis, LsAxisType type, gint64 part);

G_END_DECLS
