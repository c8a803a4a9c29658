/* The conditions on a graph after each stage. */
#pragma once
#include "uop.h"

/* The error in a node and its sources, or NULL. */
const char *ls_spec_breach (const LsUOp *u);
/* Checks every node below root: the conditions of all stages, and that no op of the set gone (by op, two words) remains after the stage
 * ("" if it has no name). gone NULL: it is not a kernel's. FALSE and LS_ERROR_SPEC with stage, node and error. */
gboolean ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, const guint64 *gone, GError **error);

/* A text in the place of a value, which UOp.render and a program's own rules make of a graph. */
static inline gboolean ls_uop_is_text (const LsUOp *u) { return u->op == LS_OP_NOOP && u->arg.kind == LS_ARG_STR; }

/* The first node that violates it and the error, or NULL. */
LsUOp   *ls_spec_find  (LsContext *ctx, LsUOp *root, const guint64 *gone, const char **what);

/* SPEC=2: from now on each new node is checked for the conditions of all stages. */
void     ls_context_check_nodes (LsContext *ctx, gboolean check);
gboolean ls_context_is_checked  (LsContext *ctx);
/* Notes a breach by something that could not even be made. */
void     ls_context_note_breach (LsContext *ctx, LsOp op, const char *what);
/* Has a node that was made broken the spec? What follows from it is not to be trusted. */
gboolean ls_context_has_breach  (LsContext *ctx);
/* The first breach since the last call, or NULL. Free with g_free. */
char    *ls_context_take_breach (LsContext *ctx);
