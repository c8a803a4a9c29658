/* Renderers: from a procedure to source text, with what is known about each line of it. And the table of targets. */
#pragma once
#include "codegen/procedure.h"
#include "codegen/target.h"

typedef struct { guint line; LsUOp *node; } LsRenderedLine;
#define LS_MAX_INPUT 200      /* a longer one ends with …: where lines have no limit it would be the whole text again */
/* name: what users write where it is a variable, or NULL. inputs: what the text was made of, the expressions of its sources as they
 * stood, a line each of at most LS_MAX_INPUT bytes, NULL for none. asked: the fields of the dialect that the text hangs on, with
 * spaces between. */
typedef struct { LsUOp *node; guint row; guint line; gboolean assigned; char *expr; const char *why; char *name; const char *inputs, *asked;
                 } LsRenderedExpr;
typedef struct {
  char   *source;
  GArray *lines;       /* LsRenderedLine, by line, from 1: every node each line shows, inlined ones too */
  GArray *exprs;       /* LsRenderedExpr, in list order (row: its index there) */
  char   *inputs;      /* memory of the expressions' inputs */
  const char *asked;   /* fields of the dialect that the function hangs on outside of any row; "" where the renderer has none */
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

/* What a dialect says: a field of it, or how it spells an operation (op, else LS_N_OPS) of values that are floats, or are not, or are
 * of any kind. */
typedef enum { LS_SPELLS_ANY, LS_SPELLS_FLOATS, LS_SPELLS_OTHERS } LsSpells;
typedef struct {
  const char *group, *name, *sentence;
  char       *value;       /* as text: "yes" and "no", texts in quotes; NULL: none */
  LsOp        op;
  LsSpells    of;
} LsDialectRow;

/* A kind of text. What it knows of a target beside the target's own row is the target's dialect for the profile, of a type that
 * the renderer names (c-style.h: LsDialect). */
struct _LsRenderer {
  /* NULL and LS_ERROR_COMPILE when the target cannot express something. */
  LsRendered *(*render)      (const LsRenderJob *job, GError **error);
  /* What a compiler must read before the text, "" for nothing. */
  const char *(*prelude)     (const LsTarget *target, LsProfile profile);
  /* Whether half and bfloat16 are types of the text, which its compiler must have then; else they are computed in float. */
  gboolean    (*writes_half) (const LsTarget *target, LsProfile profile);
  /* Whether the text leaves the order to the language in which a chain of one operation of floats is computed. */
  gboolean    (*reorders)    (const LsTarget *target, LsProfile profile);
  /* What the target's dialect for the profile says: LsDialectRow. NULL: there is nothing to say. */
  GArray     *(*describe)    (const LsTarget *target, const LsSettings *settings);
};

#define X(name) extern const LsTarget ls_target_##name;
#include "targets.def"
#undef X
extern const LsTarget *const ls_targets[];                            /* ends with NULL; the first is what runs where none is named */
const LsTarget *ls_target_find (const char *name);                    /* or NULL */
char           *ls_target_list (const char *separator);               /* the names; free with g_free */

/* NULL and LS_ERROR_COMPILE when the target cannot express something. */
LsRendered *ls_render             (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsTarget *target,
                                   const LsSettings *settings, GError **error);
void        ls_rendered_free      (LsRendered *rendered);
/* What a compiler must read before a source of the classic or modern profile, which declare nothing; "" for others. */
const char *ls_render_prelude     (const LsTarget *target, const LsSettings *settings);
gboolean    ls_render_writes_half (const LsTarget *target, const LsSettings *settings);
/* What the dialect says that a target has for the profile: LsDialectRow, none where its renderer has nothing to say. Free with
 * g_array_unref. */
GArray     *ls_render_dialect     (const LsTarget *target, const LsSettings *settings);
