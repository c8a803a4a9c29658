/* The steps of a pass over a procedure; row-steps.c has those of all passes. */
#pragma once
#include "row-steps.h"

typedef struct _LsRowChanges LsRowChanges;
/* A copy of a row was made for one iteration of a loop, from 1, of so many. */
typedef struct { gint64 turn, of; } LsRowTurn;

/* before: the list (guint32 ids) that the pass was given. Free with ls_row_changes_free. */
LsRowChanges *ls_row_changes_new     (const LsPass *pass, const GArray *before);
void          ls_row_changes_free    (gpointer changes);
guint         ls_row_changes_n_rows  (const LsRowChanges *c);
const GArray *ls_row_changes_steps   (const LsRowChanges *c);
/* The list at that step. Free with g_array_unref. */
GArray       *ls_row_changes_list    (const LsRowChanges *c, guint step);
/* Rows that are gone by then -> the row that took their place (LsUOp *). Free with g_hash_table_unref. */
GHashTable   *ls_row_changes_instead (const LsRowChanges *c, guint step);
/* The row of the list before that a new row was made of, or LS_NO_NODE. turns, or NULL: LsRowTurn, of the outermost loop first. */
guint32       ls_row_changes_origin  (const LsRowChanges *c, guint32 row, GArray *turns);
/* The loop around a row of the list before, 0: the innermost; or NULL. */
const LsUOp  *ls_row_changes_loop    (const LsRowChanges *c, guint32 old, guint outward);
