/* What a graph must look like after each stage. */
#pragma once
#include "uop.h"

G_BEGIN_DECLS

/* Checks every node below root against the spec of a stage ("ast", "lower", …, or "" for what holds everywhere).
 * FALSE and LS_ERROR_SPEC naming stage, node and what is wrong. */
gboolean ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, GError **error);

G_END_DECLS
