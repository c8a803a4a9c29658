/* What the loops and buffers of a kernel are called: one name for one loop, from the pass that makes it to the text of its code.
 *
 * A name is a letter by axis, without l and o (i, j, k, m, n, p, q … z; then x16, x17, …), and "_PART" for parts of an axis that
 * options have split. Names that arguments of the kernel have are skipped. A loop that stands beside the one of its axis (over what
 * the items of a group have put together; one that fills a tile) takes the next letter that no axis has. So a name follows from axis,
 * part and what the kernel is given, and stays when other loops come and go.
 *
 * Work item indices, threads and loops that a profile numbers anew are called as the range is that they were made of
 * (ls_names_add_alias). A text that must call a loop otherwise, ridx0, has both: ls_names_label gives "i·ridx0".
 *
 * A buffer is called as the program calls the tensor that it holds. Its label has the argument of the kernel as well, which is what the
 * text of its code has: "x (data1)". In an expression it is the name alone, unless a loop or another argument has the same one: "x·data1".
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

/* The program calls that argument of the kernel so, since that place: "softmax.py:5". */
void     ls_names_add_buffer (LsNames *names, guint argument, const char *name, const char *place);

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
/* Is it memory: a kernel's argument, memory of a work group, registers, or a buffer of the program? */
gboolean    ls_has_buffer_name (const LsUOp *u);
/* In expressions: "x"; of an argument without a name "data1"; "temp0", "acc0", "buffer7". Free with g_free. */
char       *ls_name_of_buffer  (const LsNames *names, const LsUOp *u);
/* By itself: "x (data1)", or as above. Free with g_free. */
char       *ls_label_of_buffer (const LsNames *names, const LsUOp *u);
/* The place in the program where it got its name, "softmax.py:5", or NULL. */
const char *ls_place_of_buffer (const LsNames *names, const LsUOp *u);
