/* Renderers: from a procedure to source text, with what is known about each line of it. And the table of targets. */
#pragma once
#include "codegen/procedure.h"
#include "codegen/target.h"

G_BEGIN_DECLS

typedef struct { guint line; LsUOp *node; } LsRenderedLine;
typedef struct { LsUOp *node; guint row; guint line; gboolean assigned; char *expr; const char *why; } LsRenderedExpr;
typedef struct {
  char   *source;
  GArray *lines;       /* LsRenderedLine, by line, from 1: every node each line shows, inlined ones too */
  GArray *exprs;       /* LsRenderedExpr, in list order (row: its index there) */
  const char *departs; /* what of the text does not mean what the list means (ir/eval.h), as its profile writes it; or NULL */
} LsRendered;

/* What is rendered, for whom. */
typedef struct {
  LsContext         *ctx;
  const LsProcedure *procedure;
  guint              n;
  LsUOp *const      *list;          /* what the procedure was made of: rows of expressions are its */
  const LsTarget    *target;
  const LsSettings  *settings;
} LsRenderJob;

/* A kind of text. What it knows of a target beside the target's own row is the target's dialect for the profile, of a type that
 * the renderer names (c-style.h: LsDialect). */
struct _LsRenderer {
  /* NULL and LS_ERROR_COMPILE when the target cannot express something. */
  LsRendered *(*render)      (const LsRenderJob *job, GError **error);
  /* What a compiler must read before the text, "" for nothing. */
  const char *(*prelude)     (const LsTarget *target, LsProfile profile);
  /* Whether half and bfloat16 are types of the text, which its compiler must have then; else they are computed in float. */
  gboolean    (*writes_half) (const LsTarget *target, LsProfile profile);
};

#define X(name) extern const LsTarget ls_target_##name;
#include "targets.def"
#undef X
extern const LsTarget *const ls_targets[];                            /* ends with NULL; the first is what runs where none is named */
const LsTarget *ls_target_find (const char *name);                    /* or NULL */
char           *ls_target_list (const char *separator);               /* the names; free with g_free */

/* NULL and LS_ERROR_COMPILE when the target cannot express something. */
LsRendered *ls_render             (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsTarget *target, const LsSettings *settings, GError **error);
void        ls_rendered_free      (LsRendered *rendered);
/* What a compiler must read before a source of the classic or modern profile, which declare nothing; "" for others. */
const char *ls_render_prelude     (const LsTarget *target, const LsSettings *settings);
gboolean    ls_render_writes_half (const LsTarget *target, const LsSettings *settings);

G_END_DECLS
