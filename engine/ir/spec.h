/* What a graph must look like after each stage. */
#pragma once
#include "uop.h"

G_BEGIN_DECLS

/* Checks every node below root against the spec of a stage ("ast", "lower", …, or "" for what holds everywhere).
 * FALSE and LS_ERROR_SPEC naming stage, node and what is wrong. */
gboolean ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, GError **error);

/* SPEC=2: from now on each new node is checked for what holds at every stage. */
void     ls_context_check_nodes (LsContext *ctx, gboolean check);
/* The first breach since the last call, or NULL. Free with g_free. */
char    *ls_context_take_breach (LsContext *ctx);

G_END_DECLS
