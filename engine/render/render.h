/* Procedures and renderers: from the linear list to source text. */
#pragma once
#include "ir/uop.h"
#include "settings.h"

G_BEGIN_DECLS

/* What a target has. A target is one of these rows and, where text differs, overrides in its file. */
typedef struct {
  const char *name;             /* "c", "metal" */
  gboolean    has_local;        /* GLOBAL and LOCAL axes become SPECIAL */
  gboolean    has_vectors;
  gboolean    has_half;         /* half computed natively */
  guint       max_local;        /* work items of a group */
} LsTarget;

const LsTarget *ls_target_find (const char *name);                    /* or NULL */
const char *const *ls_target_names (void);

typedef enum {
  LS_INS_CONST, LS_INS_COMPUTE, LS_INS_LOAD, LS_INS_STORE, LS_INS_LOOP, LS_INS_IF, LS_INS_ACC, LS_INS_ASSIGN_ACC, LS_INS_SPECIAL,
  LS_INS_BARRIER, LS_INS_LOCAL, LS_N_INS
} LsInsKind;

/* One instruction of a procedure. Registers are numbers; -1: none. body is the instructions of a LOOP or IF (LsIns, owned). */
typedef struct {
  LsInsKind kind;
  LsUOp    *node;      /* the UOp it shows */
  int       dest;      /* register written */
  LsDType   dtype;     /* of dest */
  guint     n_src;
  int      *src;       /* registers read */
  GArray   *body;
} LsIns;

typedef struct { const char *name; LsDType dtype; gboolean written; LsUOp *node; } LsProcArg;

typedef struct {
  char      *name;         /* the kernel's */
  GArray    *args;         /* LsProcArg, by number */
  GArray    *body;         /* LsIns */
  guint      n_registers;
} LsProcedure;

/* From a linear list; NULL and LS_ERROR_SPEC when loops and ifs do not nest. */
LsProcedure *ls_procedure_new  (LsContext *ctx, const char *name, guint n, LsUOp *const *list, GError **error);
void         ls_procedure_free (LsProcedure *procedure);

typedef struct { guint line; LsUOp *node; } LsRenderedLine;
typedef struct { LsUOp *node; guint row; guint line; gboolean assigned; char *expr; const char *why; } LsRenderedExpr;
typedef struct {
  char   *source;
  GArray *lines;       /* LsRenderedLine, by line, from 1: every node each line shows, inlined ones too */
  GArray *exprs;       /* LsRenderedExpr, in list order (row: its index there) */
} LsRendered;

/* NULL and LS_ERROR_COMPILE when the target cannot express something. */
LsRendered *ls_render       (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsTarget *target, const LsSettings *settings, GError **error);
void        ls_rendered_free (LsRendered *rendered);
/* What a compiler must read before a source of the classic or modern profile, which declare nothing; "" for others. */
const char *ls_render_prelude (const LsTarget *target, const LsSettings *settings);

G_END_DECLS
