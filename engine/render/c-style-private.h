/* The renderer of C-like languages: what its files pass around.
 *
 * c-style.c walks the procedure, names values and writes lines; c-style-expr.c makes the expression of one node;
 * c-style-text.c spells types, constants and helper functions.
 */
#pragma once
#include "c-style.h"

/* The renderer's data about a node: a row of the r table. */
typedef struct {
  char       *expr;        /* the text of the value in its users; NULL before it is rendered */
  char       *made;        /* the expression it was given: what its variable is set to, or expr */
  const char *why;
  guint       uses;
  guint       depth;       /* loops around it */
  guint       line;        /* where it shows first; 0: nowhere */
  guint       nesting;     /* of parentheses in expr */
  guint       accs;        /* accumulators that expr reads: 0 none, row + 1, G_MAXUINT several */
  guint8      assigned;    /* has a variable */
  guint8      placed;      /* its rendering is an own line, or not a value at all */
  guint8      wrapped;     /* expr is one pair of parentheses around an infix expression */
  guint8      bits;        /* expr is ls_h2f(…) or ls_b2f(…): what is stored is inside */
  guint8      twice;       /* a user writes it more than once */
  guint8      deeper;      /* a user is in a loop that it is not in */
  guint       reader;      /* row + 1 of the last that read expr */
  guint64     asked;       /* fields of the dialect that its text depends on, by LS_SAYS_… */
  guint32     inputs, n_inputs;      /* where in the text of all inputs the expressions begin that it read, as they stood, a line
                                      * each, and their bytes */
} LsRenderInfo;

typedef struct {
  LsContext         *ctx;
  const LsTarget    *target;
  const LsDialect   *dialect;      /* ASK for its fields */
  LsRenderInfo      *row;          /* whose text is being made; the function's own where it is not a row's */
  LsRenderInfo       function;
  const LsSettings  *settings;
  const LsProcedure *procedure;
  guint              n;
  LsUOp *const      *list;
  LsRenderInfo      *infos;        /* by row */
  LsRenderInfo       missing;      /* of a node that is not in the list: an error was or will be reported */
  LsNodeMap         *rows;
  GString           *out;          /* the function's lines */
  GString           *inputs;      /* of all rows, each in one piece */
  GArray            *lines;        /* LsRenderedLine, numbered from the function's first line */
  guint              line;
  GPtrArray         *stack;        /* of nodes, between uses empty */
  guint              n_val, n_alu, n_acc, n_ridx, n_precast, n_cast;
  const LsNames     *names;        /* of loops; NULL: they are numbered */
  LsNames           *own_names;
  GHashTable        *named;        /* name of a loop -> its node */
  GHashTable        *needs;        /* set of prototypes, helper functions and macros that the text uses */
  const char        *departs;       /* LsRendered */
  gboolean           failed;
  GError           **error;
} LsRender;

/* A field of the dialect; that it was asked is kept with the row. Must come last in a condition, where the text depends on the answer. */
#define ASK(r, field) (ls_render_ask ((r), LS_SAYS_##field)->field)
static inline const LsDialect *
ls_render_ask (LsRender *r, guint field)
{
  r->row->asked |= (guint64) 1 << field;
  return r->dialect;
}

LsRenderInfo *ls_render_info (LsRender *r, const LsUOp *u);
/* The expression of another row as it stands, or NULL; it is an input of the row whose text is being made. */
const char *ls_render_read   (LsRender *r, const LsUOp *u);
/* Records the first failure; rendering goes on harmlessly and gives nothing. */
void        ls_render_fail   (LsRender *r, const LsUOp *u, const char *why);
/* Appends form with its first %s replaced by a and its second by b. */
void        ls_render_fill   (GString *out, const char *form, const char *a, const char *b);
/* A helper or prototype that the text uses; text is a static string. */
void        ls_render_need   (LsRender *r, const char *text);
/* Writes a line of the function, that deep in loops, of texts up to a NULL; it shows node (or NULL) and the nodes inlined in it. */
void        ls_render_line   (LsRender *r, guint depth, LsUOp *node, const char *text, ...) G_GNUC_NULL_TERMINATED;

/* c-style.c */
void        ls_render_begin  (LsRender *r, const LsRenderJob *job, GError **error);
void        ls_render_end    (LsRender *r);

/* c-style-dialect.c */
GArray     *ls_render_describe (const LsTarget *target, const LsSettings *settings);
const char *ls_render_asked  (guint64 fields);      /* their names, with spaces between */

/* c-style-text.c */
gboolean    ls_render_native (LsRender *r, LsDType dtype);            /* FALSE: 16-bit floats kept as float, stored as bits */
const char *ls_render_type   (LsRender *r, LsDType dtype);            /* of variables */
const char *ls_render_stored (LsRender *r, LsDType dtype);            /* of memory */
char       *ls_render_const  (LsRender *r, LsDType dtype, LsArg arg);
/* The function that stores or loads a 16-bit float; NULL where none is needed. */
const char *ls_render_to_bits   (LsRender *r, LsDType dtype);
const char *ls_render_wide_to_bits (LsRender *r, LsDType dtype);      /* the same of a double */
const char *ls_render_from_bits (LsRender *r, LsDType dtype);
/* The lines before the function: the definitions that it needs. */
void        ls_render_head   (LsRender *r, GString *out);

/* c-style-expr.c */
/* Whether the text of u has its source s more than once. */
gboolean    ls_render_twice  (LsRender *r, LsUOp *u, guint s);
/* Why the text of u says more than its op does: what it guards against. NULL: it does not. */
const char *ls_render_guard  (LsRender *r, LsUOp *u);
/* The expression of an ALU, CAST, VECTORIZE or GEP node in its sources' expressions; sets wrapped, bits, nesting and accs. */
char       *ls_render_expr   (LsRender *r, LsUOp *u, LsRenderInfo *info);
/* buffer[index], or as the target writes it; for a vector through a pointer of its type. */
char       *ls_render_element (LsRender *r, LsUOp *index, LsDType dtype);
/* The INDEX behind a LOAD's or STORE's pointer, or NULL. */
LsUOp      *ls_render_index  (LsUOp *u);
