/* Text forms of the IR and their parsers: parse(print(x)) = x. */
#pragma once
#include "uop.h"
#include "view.h"

/* How a listing is printed: rows of UOps.LOAD, as the profile classic has them, or of Ops.LOAD, as the others. */
typedef enum { LS_STYLE_CLASSIC, LS_STYLE_OPS } LsStyle;

/* The listing of a linear list, a row per line. Classic folds INDEX into LOAD and STORE, prints RANGE as LOOP with its bounds and
 * leaves SINK out. */
char      *ls_listing_print  (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style);
/* One row's columns for viewers: sources as text "4 5", argument as text. row is its index. */
typedef struct { guint32 node; char *op, *dtype, *src, *arg; } LsListingRow;
/* The rows that the listing prints (GArray of LsListingRow, with a clear function): in the classic style some nodes have none. */
GArray    *ls_listing_rows   (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style);
/* The same of a list in which rows are gone: instead, or NULL, has the row that each of these (LsUOp *) is read as. */
GArray    *ls_listing_rows_over (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style, GHashTable *instead);
/* A row has one number wherever it is spoken of: that of its line in the listing that is printed, in its style. The number of the row
 * that shows each node, by the node's id (guint32 + 1, keys likewise); a node that the style folds into another's row has none. Free
 * with g_hash_table_unref. */
GHashTable *ls_listing_numbers (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style);
/* An argument that was read from text, converted to the value of a CONST of that dtype: digits beyond a float are its rest. */
LsArg      ls_arg_fit         (LsDType dtype, LsArg arg);
/* Reads a listing of Ops back to its nodes. LS_ERROR_SYNTAX with line and column. */
GPtrArray *ls_listing_parse  (LsContext *ctx, const char *text, GError **error);
/* The kernel AST as the classic tree: "  0 ━┳ BufferOps.STORE MemBuffer(idx=0, …)". */
char      *ls_tree_print     (LsContext *ctx, LsUOp *ast);
/* An expression: "(i*64+k)", with names for ranges, those of a kernel or (NULL) by axis alone; cut with … past max characters (0:
 * never). */
char      *ls_expr_print     (const LsNames *names, LsUOp *u, guint max);
/* Without the parentheses around the whole: "i*64+k". */
char      *ls_expr_bare      (const LsNames *names, LsUOp *u, guint max);
/* Python-like code that rebuilds the graph: c0 = UOp(Ops.CONST, dtypes.int, arg=1) … */
char      *ls_pyrender       (LsContext *ctx, LsUOp *root);
LsUOp     *ls_pyrender_parse (LsContext *ctx, const char *text, GError **error);
/* "ADD int", "CONST 2", a node in a few words for messages. */
char      *ls_uop_summary    (LsUOp *u);
/* Decimal digits, written into the end of text: where they begin. */
const char *ls_int_text      (gint64 i, char text[24]);
/* The argument as text: "2", "1.0", "(1, 2)", "'lidx0'", "None"; reads back with ls_arg_parse. */
char      *ls_arg_print      (LsArg arg);
/* A node's argument; of a constant its value, as its dtype prints. Free with g_free. */
char      *ls_uop_arg_print  (const LsUOp *u);
gboolean   ls_arg_parse      (LsContext *ctx, const char *text, LsArg *out);
/* A float as Python prints it: "1.0", "1e-07", "inf", "nan"; single: as short as float's precision allows. Free with g_free. */
char      *ls_float_print    (double f, gboolean single);

/* Position of the size of a SPECIAL among those with its prefix, the last one being x: "gidx0" of two is 1. */
guint ls_print_dimension (const char *name, guint n, LsUOp *const *list);
