/* Compiled rules: what the parser makes, the matcher and the builder of results run, and the explanations read. For engine/rewrite only. */
#pragma once
#include "rewrite.h"

#define LS_MAX_SLOTS 24

/* Dtype classes as sets of bases. */
typedef guint32 LsBaseMask;

typedef enum {
  /* of patterns */
  PAT_ANY,        /* any node */
  PAT_CONST,      /* a constant, bound by value: $a */
  PAT_SEQ,        /* as many sources, or numbers of an argument, as there are: xs*, or * without a name */
  /* of both */
  PAT_LITERAL,    /* a constant of this value */
  PAT_OP,         /* op[argument](src…) */
  PAT_OPNAME,     /* an op in an argument: ADD */
  /* of results */
  PAT_NAME,       /* a name that is not looked up yet */
  PAT_SLOT,       /* what the name is bound to */
  PAT_ELEMENT,    /* the current element of a sequence */
  PAT_SELF,       /* the matched node */
  PAT_SAME,       /* o(src…): a bound node with other sources */
  PAT_CALL,       /* a term */
  PAT_EACH,       /* src[0] for each element of the sequences in it; or the elements of one sequence: xs* */
  PAT_FOR,        /* src[0] for each number from 0 to below src[1] */
  PAT_DTYPE,      /* a dtype's own name */
  PAT_NONE,       /* _: no result for that source */
} PatKind;

typedef struct _Pat Pat;
struct _Pat {
  /* what matching asks of each node fills a cache line */
  guint8      kind;
  guint8      value;        /* LsTermKind of results */
  guint8      op;           /* PAT_OP of results, PAT_OPNAME */
  gint8       slot;         /* binding, or -1 */
  guint8      commutative;  /* both orders of two sources are tried */
  guint8      rest;         /* how many sequences stand among the sources */
  guint8      has_args;
  guint8      fold;         /* results: constants only, computed when built */
  guint64     ops[2];       /* PAT_OP: set of ops */
  LsBaseMask  bases;        /* patterns: dtype class; all bits: any */
  guint32     each;         /* PAT_EACH: slots of the sequences that are gone through */
  guint       n_src, n_args;
  Pat       **src, **args;
  Pat        *dtype;        /* results: x:dtype, or NULL */
  const LsTerm *term;       /* PAT_CALL */
  gboolean    splice;       /* PAT_EACH: the elements themselves */
  gboolean    hints;        /* results: constants in it take the dtype of the other operands */
  gboolean    literal_float;
  gint64      literal_i;
  double      literal_f;
  LsDType     literal_dtype;
  const char *name;         /* PAT_NAME, PAT_CALL */
  guint       line, column; /* its position in the file */
};

typedef enum { COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE, COND_CALL } CondKind;
typedef struct {
  CondKind kind;
  gboolean negate;
  gboolean late;        /* it needs what "with" computes */
  Pat     *a, *b;
  char    *text;        /* as written */
} Cond;

typedef struct {
  LsRule    pub;
  LsRuleLibrary *library;   /* that it was read into */
  gboolean  first;          /* it is tried before those that do not ask for it */
  /* what every try reads */
  Pat      *pattern;
  guint64   need[2];        /* ops that must be among the root's sources */
  LsBaseMask bases;         /* of the root */
  guint     n_slots, n_pattern_slots;
  gboolean  straight;       /* a node matches in one way only; two where the root's sources may be turned */
  gboolean  unknown;        /* a recording's rule that names a term of another program: it matches, and does not run */
  gboolean  needs_context;  /* it asks its pass */
  gboolean  gradient;       /* one result a source: the pattern is GRADIENT(what is written, given), and of the results the one of its
                             * number is made */
  guint     n_conds;
  guint     n_results;
  Cond     *conds;
  Pat     **results;
  guint     n_with;
  Pat     **with;           /* each bound to slot n_pattern_slots + i */
  char     *slot_names[LS_MAX_SLOTS];
  guint8    slot_kinds[LS_MAX_SLOTS];
} Rule;

/* The rules of a pass, by root op. */
typedef struct {
  char       *name;
  const char *context;          /* what its terms need, or NULL */
  gboolean    shaped;           /* results keep shapes */
  GPtrArray  *by_op[LS_N_OPS];  /* Rule, or NULL for none */
} Program;

struct _LsRuleLibrary {
  gint              ref_count;
  const LsRuleBase *base;       /* NULL: rules of a recording */
  LsRuleLibrary *below;         /* whose rules are the first of these, or NULL */
  gboolean    checks_sets;      /* a set that no pass uses is an error */
  gboolean    extended;         /* not all rules are built in */
  GPtrArray  *rules;        /* Rule */
  GHashTable *names;        /* name -> Rule */
  GHashTable *programs;     /* set expression -> Program */
  GPtrArray  *allocations;
  GPtrArray  *listed;       /* const LsRule * of rules; made when first asked for */
};

/* One match. The remaining parts of a match are a chain of Todo on the C stack, as deep as the pattern. */
typedef struct _Todo Todo;
struct _Todo { const Pat *pat; LsUOp *node; const Todo *next; LsUOp *parent; guint source; };

#define LS_MAX_TRAIL 64
typedef struct {
  const Rule *rule;
  LsTermValue    *slots;
  /* for explanations; NULL and FALSE while a pass runs */
  struct { const Pat *pat; LsUOp *node; } *trail;
  guint       n_trail;
  gboolean    explain, describe;
  int         best;               /* the attempt that came furthest */
  const char *stage;
  char       *text;
  LsTermValue     best_slots[LS_MAX_SLOTS];
} Match;

/* A running rewrite, of which a rule is one step; NULL for a question. LsTermCall.nested is ls_driver_nested. */
typedef struct _LsDriver LsDriver;
LsUOp *ls_driver_nested (LsTermCall *call, const char *set, LsUOp *graph);

/* The environment in which results are built. */
typedef struct {
  LsTermCall  call;
  const Rule *rule;
  LsTermValue    *slots;
  guint       turn;               /* of PAT_EACH */
  guint       work;               /* how much was put into lists and scratch: a rule whose loops nest may not go on for ever */
  char        memory[768];
  gsize       used;
  GSList     *more;
} Env;

const LsRuleSetInfo *ls_rule_base_set (const LsRuleBase *base, const char *name);      /* or NULL */
char     *ls_rule_base_list_sets (const LsRuleBase *base);                             /* "ast, expand, …" */
Program  *ls_rule_library_program (LsRuleLibrary *library, const char *set, GError **error);
gboolean  ls_rule_parse_file (LsRuleLibrary *library, const char *text, const char *filename, GError **error);
/* Looks names up, chooses terms and checks kinds. FALSE with *at, *message (to be freed) where something does not fit. */
gboolean  ls_rule_check      (LsRuleLibrary *library, Rule *rule, guint *line, guint *column, char **message);
gboolean  ls_match_run       (Match *match, LsUOp *node);
gboolean  ls_match_failed    (Match *match, const Todo *at, const char *stage);      /* notes it for explanations; FALSE */
gboolean  ls_pattern_literal_matches (const Pat *pat, const LsUOp *node);
/* The pattern alone. */
gboolean  ls_rule_match_pattern (const Rule *rule, LsUOp *node, LsTermValue *slots);
/* Of a rule with one result a source: does node match what is written, whatever reaches it? */
gboolean  ls_rule_match_inner (const Rule *rule, LsUOp *node, LsTermValue *slots);
/* The same of its guards: does it fire at node, whatever reaches that? */
gboolean  ls_rule_run_guards (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsTermValue *slots);
/* The one result of a rule whose pattern matched. NULL: it does not fire. */
LsUOp    *ls_rule_result     (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots);
void      ls_env_init        (Env *env, const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots);
void      ls_env_clear       (Env *env);
gboolean  ls_env_number      (Env *env, const Pat *pat, gint64 *out);
gboolean  ls_env_value       (Env *env, const Pat *pat, LsTermValue *out);
gboolean  ls_env_with        (Env *env);
gboolean  ls_cond_holds      (Env *env, const Cond *cond);
/* Does the part ask its pass? */
gboolean  ls_pat_needs_context (const Pat *pat);
/* A part as it is written: "min(x)", "$c". */
void      ls_pat_write       (GString *text, const Rule *rule, const Pat *pat);
guint     ls_rule_bindings   (const Rule *rule, LsUOp *node, const LsTermValue *slots, LsBinding *bindings, guint max);

static inline LsUOp *
ls_rule_run (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer pass, LsDriver *driver, LsTermValue *slots)
{
  return ls_rule_match_pattern (rule, node, slots) ? ls_rule_result (rule, ctx, node, pass, driver, slots) : NULL;
}

static inline guint64 ls_ops_bit (guint64 *ops, LsOp op) { return ops[op >> 6] |= G_GUINT64_CONSTANT (1) << (op & 63); }
/* The ops of a node's sources, for Rule.need. The lanes of a VECTORIZE may be constants. */
static inline void
ls_ops_of_sources (const LsUOp *u, guint64 have[2])
{
  have[0] = have[1] = 0;
  for (guint i = 0; i < u->n_src; i++) {
    ls_ops_bit (have, u->src[i]->op);
    if (u->src[i]->op == LS_OP_VECTORIZE)
      ls_ops_bit (have, LS_OP_CONST);
  }
}
static inline gboolean ls_ops_has (const guint64 *ops, guint op) { return ops[op >> 6] >> (op & 63) & 1; }
