/* Renderers: from a procedure to source text, with data about each line of it. And the table of targets. */
#pragma once
#include "ir/procedure.h"
#include "codegen/target.h"

typedef struct { guint line; LsUOp *node; } LsRenderedLine;
#define LS_MAX_INPUT 200      /* a longer one ends with …: where lines have no limit it would be the whole text again */
/* name: the text in users if it is a variable, or NULL. inputs: the expressions of its sources at that time, a line each of at most
 * LS_MAX_INPUT bytes, NULL for none. asked: the fields of the dialect that the text depends on, separated by spaces. */
typedef struct { LsUOp *node; guint row; guint line; gboolean assigned; char *expr; const char *why; char *name; const char *inputs, *asked;
                 } LsRenderedExpr;
typedef struct {
  char   *source;
  GArray *lines;       /* LsRenderedLine, by line, from 1: every node each line shows, inlined ones too */
  GArray *exprs;       /* LsRenderedExpr, in list order (row: its index there) */
  char   *inputs;      /* memory of the expressions' inputs */
  const char *asked;   /* fields of the dialect that the function depends on outside of any row; "" if the renderer has none */
  const char *departs; /* what of the text does not mean what the list means (ir/eval.h), as its profile writes it; or NULL */
} LsRendered;

/* The input of a renderer. */
typedef struct {
  LsContext         *ctx;
  const LsProcedure *procedure;
  guint              n;
  LsUOp *const      *list;          /* what the procedure was made of: rows of expressions are its */
  const LsNames     *names;         /* of loops; NULL: by axis */
  const LsTarget    *target;
  const LsSettings  *settings;
} LsRenderJob;

/* An entry of a dialect: a field, or the spelling of an operation (op, else LS_N_OPS) on values that are floats, or are not, or are of
 * any kind. */
typedef enum { LS_SPELLS_ANY, LS_SPELLS_FLOATS, LS_SPELLS_OTHERS, LS_SPELLS_NUMBERS, LS_SPELLS_INTEGERS, LS_SPELLS_BOOLS } LsSpells;
typedef struct {
  const char *group, *name, *sentence;
  char       *value;       /* as text: "yes" and "no", texts in quotes; NULL: none */
  LsOp        op;
  LsSpells    of;
} LsDialectRow;

/* Who gives a source the engine's functions: its text, for any compiler; the runner, if it is tcc that compiles, else its text; or nobody,
 * as in a file that is edited. */
typedef enum { LS_GIVEN_BY_TEXT, LS_GIVEN_BY_RUNNER, LS_GIVEN_BY_NOBODY } LsGiven;

/* A kind of text. Its data about a target besides the target's own row is the target's dialect for the profile, of a type that the
 * renderer names (c-style.h: LsDialect). */
struct _LsRenderer {
  /* NULL and LS_ERROR_COMPILE when the target cannot express something. */
  LsRendered *(*render)      (const LsRenderJob *job, GError **error);
  /* What a compiler needs before the source, "" for nothing: declarations, and the functions that it calls. */
  char       *(*prelude)     (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given);
  /* Whether half and bfloat16 are types of the text, which its compiler must have then; else they are computed in float. */
  gboolean    (*writes_half) (const LsTarget *target, LsProfile profile);
  /* Whether the text leaves the order to the language in which a chain of one operation of floats is computed. */
  gboolean    (*reorders)    (const LsTarget *target, LsProfile profile);
  /* The entries of the target's dialect for the profile: LsDialectRow. NULL: there is nothing to say. */
  GArray     *(*describe)    (const LsTarget *target, const LsSettings *settings);
};

#define X(name) extern const LsTarget ls_target_##name;
#include "targets.def"
#undef X
extern const LsTarget *const ls_targets[];                            /* ends with NULL; the first is the default */
const LsTarget *ls_target_find (const char *name);                    /* or NULL */
char           *ls_target_list (const char *separator);               /* the names; free with g_free */

/* NULL and LS_ERROR_COMPILE when the target cannot express something. */
LsRendered *ls_render             (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsNames *names,
                                   const LsTarget *target, const LsSettings *settings, GError **error);
void        ls_rendered_free      (LsRendered *rendered);
/* What a compiler needs before the source: the engine's functions that it calls (ir/functions.h), and before one of the classic or modern
 * profile, which have none, declarations. "" for nothing. Free with g_free. */
char       *ls_render_prelude     (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given);
gboolean    ls_render_writes_half (const LsTarget *target, const LsSettings *settings);
/* The entries of a target's dialect for the profile: LsDialectRow, none if its renderer has no dialect. Free with g_array_unref. */
GArray     *ls_render_dialect     (const LsTarget *target, const LsSettings *settings);
