/* Stage procedure: from a linear list to the nested form that renderers walk. */
#pragma once
#include "ir/procedure.h"

typedef struct {
  const char *name;      /* the kernel's; belongs to the caller */
  GArray     *rows;      /* LsProcRow */
} LsProcedure;

/* NULL and LS_ERROR_SPEC when loops and ifs do not nest. */
LsProcedure *ls_procedure_new  (LsContext *ctx, const char *name, guint n, LsUOp *const *list, GError **error);
void         ls_procedure_free (LsProcedure *procedure);
