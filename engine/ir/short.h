/* Parts of a node in short, for boxes, rows and sentences: one form for all of them.
 *
 * All append to out. shown: words are in the reader's language, else English. The number of characters is bounded, whatever a graph holds.
 */
#pragma once
#include "uop.h"

/* The text, or its first most - 1 characters and "…"; valid UTF-8. Free with g_free. */
char    *ls_short_text    (const char *text, glong most);
/* "1,2,3,…" */
void     ls_short_numbers (GString *out, guint n, const gint64 *numbers);
/* "float", "int×4", "float[64,64]"; nothing for void. */
void     ls_short_type    (GString *out, LsContext *ctx, LsUOp *u);
/* "j:6": a loop and how often it runs. */
void     ls_short_range   (GString *out, const LsNames *names, LsUOp *u);
/* Which lanes of a vector of n_of lanes: "lane 3", "lanes 4…7", "every 2nd of 8", "each of 4, 8 times", "lanes 0…3, 8 times". */
void     ls_short_lanes   (GString *out, guint n, const gint64 *lanes, guint n_of, gboolean shown);
/* The memory that LOAD, STORE or INDEX reads or writes; of memory itself. NULL: u is none of these, or it is not known. */
LsUOp   *ls_memory_of     (LsUOp *u);
/* That memory, and the index there: "x[i*6+j]"; of a graph before lower "x". Nothing where there is none. */
void     ls_short_access  (GString *out, const LsNames *names, LsUOp *u);
/* The node's own argument or value: "4", "j:6", "x (data1)", "x[i*6+j]", "1,0", "lane 3", "[4,6] strides 6,1"; nothing where there is
 * none. */
void     ls_short_arg     (GString *out, const LsNames *names, LsUOp *u, gboolean shown);
/* " tag seen": the tag may be the only difference of two nodes. Appends nothing for a node without a tag. */
void     ls_short_tag     (GString *out, const LsUOp *u, gboolean shown);
/* The op and both: "REDUCE over j:6", "REDUCE_AXIS 1", "CONST 4", "RESHAPE 4,6", "LOAD x[i*6+j]". */
void     ls_short_node    (GString *out, const LsNames *names, LsUOp *u, gboolean shown);
/* The same in a row of a listing, where loops have their kind and other arguments all of their text: "j:6 reduce", "x[i*6+j]",
 * "(0, 2, 1)"; "" for none. Free with g_free. */
char    *ls_row_arg       (const LsNames *names, LsUOp *u);
/* "x (data1) is bound at softmax.py:5", of memory or what reads or writes it, in the reader's language; NULL where that is not known.
 * Free with g_free. */
char    *ls_bound_place   (const LsNames *names, LsUOp *u);
