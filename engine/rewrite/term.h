/* Terms: the C functions that rules name, typed.
 *
 * A term is declared once, as a row of a table next to its function: its name, the pass it belongs to, the kinds of its result and
 * arguments, and a sentence. The parser checks every use against the row (so that a function never sees an argument of another kind, nor
 * another pass's context), and documentation and tool tips are the row's words. A layer has a table of its own; who makes a rule library
 * hands over the tables it knows (LsRuleBase, rewrite.h). Two rows may have one name and different kinds of arguments.
 */
#pragma once
#include "ir/uop.h"

/* X(KIND, name in messages) */
#define LS_TERM_KIND_TABLE(X) \
  X(NONE,   "nothing")    \
  X(NODE,   "node")       \
  X(CONST,  "constant")   /* a node that is a constant; fits where a node or a number is asked for */ \
  X(NODES,  "nodes")      /* a sequence of sources */ \
  X(NUM,    "number")     \
  X(NUMS,   "numbers")    \
  X(SCALAR, "value")      /* the argument of a CONST */ \
  X(VIEW,   "view")       \
  X(OP,     "op")         \
  X(TEXT,   "text")       \
  X(DTYPE,  "dtype")      \
  X(BOOL,   "condition")  \
  X(ARG,    "argument")   /* a whole argument, whatever it is made of */

typedef enum {
#define X(kind, name) LS_TERM_##kind,
  LS_TERM_KIND_TABLE (X)
#undef X
  LS_N_TERM_KINDS
} LsTermKind;
const char *ls_term_kind_name (LsTermKind kind);

/* One value. Sequences lie in node, argument or scratch memory: good as long as the rule runs. */
typedef struct {
  guint8  kind;          /* LsTermKind */
  guint32 n;             /* NODES, NUMS */
  union {
    LsUOp           *node;
    LsUOp *const    *nodes;
    gint64           num;
    const gint64    *nums;
    const LsTracker *view;
    const LsArg     *arg;      /* SCALAR and ARG: an argument that lives as long as its node */
    const char      *text;
    LsDType          dtype;
    LsOp             op;
    gboolean         holds;    /* BOOL */
  };
} LsTermValue;

/* The inputs of a term besides its arguments. */
typedef struct _LsTermCall LsTermCall;
struct _LsTermCall {
  LsContext *ctx;
  gpointer   pass;      /* the context of the pass, of the type that the term's row names; NULL for terms without one */
  LsUOp     *self;      /* the node that the rule matched */
  /* The graph, rewritten bottom-up with the rules of set ("symbolic+gates", a static text). It is a pass nested in the step that is
   * tried: it is recorded with that step, and dropped where the rule does not fire. Where a question is asked nothing is recorded.
   * NULL: the rewrite did not end, and the term declines. A term has no other way to the driver. */
  LsUOp   *(*nested) (LsTermCall *call, const char *set, LsUOp *graph);
  struct _LsDriver *driver;        /* nested()'s: whose step is tried; NULL where a question is asked */
  gpointer   scratch;   /* for ls_term_alloc */
  const struct _LsTerm *term;      /* the row that is called */
};

/* FALSE: the term declines, and the rule does not fire. out->kind is set to the row's result already. */
typedef gboolean (*LsTermFn) (LsTermCall *call, const LsTermValue *args, LsTermValue *out);

#define LS_TERM_ARGS 8
typedef struct _LsTerm {
  const char *name;
  const char *context;            /* the kind of pass context it needs ("lower"), or NULL: it asks nothing of its pass */
  LsTermKind result;
  guint       n_args;
  LsTermKind args[LS_TERM_ARGS];
  LsTermFn    fn;
  const char *sentence;
  gboolean    builds;             /* it makes nodes by itself: a right side that is nothing else is written "build name(…)" */
  gpointer    data;               /* its maker's */
} LsTerm;

/* "compose (view, view) -> view". Free with g_free. */
char *ls_term_signature (const LsTerm *term);
/* Memory for a result, until the rule has run. */
gpointer ls_term_alloc (LsTermCall *call, gsize n_bytes);

/* Terms that every rule may use: bounds, arithmetic of constants, sequences, dtypes. Ends with a NULL name, as every table does. */
extern const LsTerm ls_core_terms[];
