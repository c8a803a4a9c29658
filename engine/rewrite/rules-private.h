/* Compiled rules: what the parser makes and the matcher runs. For engine/rewrite only. */
#pragma once
#include "rewrite.h"

#define LS_MAX_SLOTS 16

/* Dtype classes as sets of bases. */
typedef guint32 LsBaseMask;

typedef enum {
  PAT_ANY,        /* any node */
  PAT_CONST,      /* a constant, bound by value: $a */
  PAT_LITERAL,    /* a constant of this value */
  PAT_OP,         /* op(src…) */
} PatKind;

typedef struct _Pat Pat;
struct _Pat {
  guint8      kind;
  gint8       slot;         /* binding, or -1 */
  gboolean    commutative;  /* both orders of two sources are tried */
  gboolean    rest;         /* further sources may follow */
  guint64     ops[2];       /* PAT_OP: set of ops */
  gint16      arg_op;       /* op that an OP_INTS argument must name, or -1 */
  gint8       dtype_slot;   /* templates: dtype of this binding, or -1 */
  LsBaseMask  bases;        /* dtype class; all bits: any */
  gboolean    literal_float;
  gint64      literal_i;
  double      literal_f;
  gboolean    fold;         /* templates: constants only, computed when built */
  guint       n_src;
  Pat       **src;
};

typedef enum { NUM_INT, NUM_CONST, NUM_MIN, NUM_MAX, NUM_DIVISOR, NUM_ADD, NUM_SUB, NUM_MUL, NUM_DIV, NUM_MOD, NUM_NEG } NumKind;
typedef struct _Num Num;
struct _Num { NumKind kind; gint64 value; gint8 slot; Num *a, *b; };

typedef enum { COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE, COND_CALL } CondKind;
typedef struct {
  CondKind kind;
  gboolean negate;
  Num     *a, *b;
  LsGuard  guard;
  char    *guard_name;
  guint    n_args;
  gint8    args[LS_MAX_SLOTS];
  char    *text;        /* as written, for why-not */
} Cond;

typedef struct {
  LsRule    pub;
  Pat      *pattern, *result;
  LsBuilder builder;
  guint     n_args;
  gint8     args[LS_MAX_SLOTS];
  guint     n_conds;
  Cond     *conds;
  guint     n_slots;
  char     *slot_names[LS_MAX_SLOTS];
  guint64   need[2];    /* ops that must be among the root's sources */
} Rule;

#define SLOT_SELF (-2)    /* the matched node itself, in argument lists */

/* The rules of a pass, by root op. */
typedef struct {
  char      *name;
  GPtrArray *by_op[LS_N_OPS];     /* Rule, or NULL for none */
} Program;

struct _LsRuleLibrary {
  gint        ref_count;
  GPtrArray  *rules;        /* Rule */
  GHashTable *programs;     /* set expression -> Program */
  GPtrArray  *allocations;
  GPtrArray  *listed;       /* const LsRule * of rules; made when first asked for */
};

Program  *ls_rule_library_program (LsRuleLibrary *library, const char *set, GError **error);
/* The result of the rule at node, or NULL. slots is filled with the bindings of the match. */
LsUOp    *ls_rule_run    (const Rule *rule, LsContext *ctx, LsUOp *node, gpointer user, LsUOp **slots);
/* Parts of the matcher that the explaining one (rule-explain.c) shares. */
gboolean  ls_pattern_literal_matches (const Pat *pat, const LsUOp *node);
gboolean  ls_num_value   (const Num *n, LsUOp **slots, gint64 *out);
gboolean  ls_cond_holds  (const Cond *c, LsContext *ctx, LsUOp *node, LsUOp **slots, gpointer user);
/* "$c is 6, min(x) is 0": what a guard saw. Free with g_free. */
char     *ls_cond_values (const Rule *rule, const Cond *c, LsUOp *node, LsUOp **slots);
/* The pattern alone. */
gboolean  ls_rule_match_pattern (const Rule *rule, LsUOp *node, LsUOp **slots);
gboolean  ls_rule_parse_file (LsRuleLibrary *library, const char *text, const char *filename, GError **error);
LsBuilder ls_builder_find (const char *name);
LsGuard   ls_guard_find   (const char *name);

static inline guint64 ls_ops_bit (guint64 *ops, LsOp op) { return ops[op >> 6] |= G_GUINT64_CONSTANT (1) << (op & 63); }
static inline gboolean ls_ops_has (const guint64 *ops, guint op) { return ops[op >> 6] >> (op & 63) & 1; }
