/* The stages of engine/pipeline.def: names, rule sets and forbidden ops, for all code that shows, checks or explains a pass.
 * engine/pipeline/pipeline.h runs them. */
#pragma once
#include "rewrite.h"

#ifndef LS_PIPELINE_DEF      /* a test adds rows */
#define LS_PIPELINE_DEF "pipeline.def"
#endif

/* The forms that stages work on. X(FORM, in words) */
#define LS_FORM_TABLE(X) \
  X (TEXT, "text") X (TENSORS, "tensor graph") X (KERNELS, "kernel graph") X (AST, "kernel AST") X (INDEXED, "indexed graph") \
  X (FINAL, "final graph") \
  X (LIST, "list of UOps") X (PROCEDURE, "procedure") X (SOURCE, "source") X (CODE, "machine code") X (BUFFERS, "buffers")
typedef enum {
#define X(form, words) LS_STAGE_FORM_##form,
  LS_FORM_TABLE (X)
#undef X
} LsStageForm;
const char *ls_stage_form_name (LsStageForm form);

typedef enum {
#define X(id, ...) LS_STAGE_##id,
#include LS_PIPELINE_DEF
#undef X
  LS_N_STAGES
} LsStage;

typedef struct {
  const char   *name;          /* "simplify": of its passes, numbered where it runs again */
  const char   *sentence;
  const char   *sets;          /* "symbolic+gates"; "": it is not a rewrite */
  LsRewriteMode mode;
  const char   *context;       /* what its rules' terms ask, or NULL */
  gboolean      kernel;        /* once a kernel, not once a realization */
  LsStageForm   takes, gives;
  guint64       gone[2];       /* ops that are not allowed in a graph after it */
} LsStageInfo;

extern const LsStageInfo ls_stage_infos[LS_N_STAGES];
/* The first stage of that name, or NULL. */
const LsStageInfo *ls_stage_find (const char *name);
/* The stage of a pass by its name: "simplify#2", "simplify-cycle". */
const LsStageInfo *ls_stage_of_pass (const char *pass);
/* The rule sets of all stages, for a rule base: ends with a NULL name. */
const LsRuleSetInfo *ls_stage_sets (void);
