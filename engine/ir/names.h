/* What the loops of a kernel are called: one name for one loop, from the pass that makes it to the text of its code.
 *
 * A name is a letter by axis, without l and o (i, j, k, m, n, p, q … z; then x16, x17, …), and "_PART" for parts of an axis that
 * options have split. Names that arguments of the kernel have are skipped. A loop that stands beside the one of its axis (over what
 * the items of a group have put together; one that fills a tile) takes the next letter that no axis has. So a name follows from axis,
 * part and what the kernel is given, and stays when other loops come and go.
 *
 * Work item indices, threads and loops that a profile numbers anew are called as the range is that they were made of
 * (ls_names_add_alias). A text that must call a loop otherwise, ridx0, has both: ls_names_label gives "i·ridx0".
 */
#pragma once
#include "uop.h"

/* nodes: of the kernel's graph as its options left it, in any order; or of any graph or list, where that is not known. */
LsNames *ls_names_new       (guint n, LsUOp *const *nodes);
/* The same of all nodes below root. */
LsNames *ls_names_new_graph (LsContext *ctx, LsUOp *root);
LsNames *ls_names_ref       (LsNames *names);
void     ls_names_unref     (LsNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsNames, ls_names_unref)

/* node (SPECIAL, or a RANGE that is numbered anew) counts what range did. */
void     ls_names_add_alias (LsNames *names, const LsUOp *node, const LsUOp *range);
/* The text calls the loop of that node so. */
void     ls_names_add_text  (LsNames *names, const LsUOp *node, const char *text);

/* Of names NULL: by axis and part alone. Free with g_free. */
char    *ls_name_of_axis    (const LsNames *names, gint64 axis, gint64 part);
/* Of a RANGE or SPECIAL: "i", "j_1"; of a SPECIAL of which nothing is known its own. Free with g_free. */
char    *ls_name_of_loop    (const LsNames *names, const LsUOp *u);
/* "i·ridx0" where the text calls it otherwise, else "i". Free with g_free. */
char    *ls_label_of_loop   (const LsNames *names, const LsUOp *u);
/* Of a RANGE or SPECIAL: its LsAxisType, or -1 where nothing says it. */
int      ls_type_of_loop    (const LsNames *names, const LsUOp *u);
/* Of a RANGE or SPECIAL: the label, how far it counts and what it is: "i·ridx0:6 loop", "j_1:4 upcast", "i·gidx0:6 global". Free with
 * g_free. */
char    *ls_text_of_loop    (const LsNames *names, const LsUOp *u);
/* Is it called by a name of its own, a RANGE or SPECIAL? */
static inline gboolean ls_has_loop_name (const LsUOp *u) { return u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL; }

