/* Rules and rule sets. The rule language is described in engine/rules/README.md; driver.h has graph_rewrite. */
#pragma once
#include "term.h"

typedef struct _LsRuleLibrary LsRuleLibrary;

/* ONE: rules are asked of the root alone, and the result is not rewritten. */
typedef enum { LS_REWRITE_BOTTOM_UP, LS_REWRITE_TOP_DOWN, LS_REWRITE_WALK, LS_REWRITE_ONE } LsRewriteMode;
/* Are results left as they are? */
static inline gboolean ls_rewrite_keeps_results (LsRewriteMode mode) { return mode == LS_REWRITE_WALK || mode == LS_REWRITE_ONE; }
/* The set whose walk replaces nodes by others, whatever these are: a node is matched before its sources, and neither what is taken out nor
 * what is put in is looked into. */
#define LS_SUBSTITUTE_SET "substitute"
/* Does a pass match nodes before their sources? */
gboolean ls_rewrite_matches_first (LsRewriteMode mode, const char *set);

/* One rule as a person reads it. index is the rule's number in its library. */
typedef struct {
  guint       index;
  const char *name;        /* "add-zero" */
  const char *file;        /* "symbolic.rules" */
  guint       line;        /* from 1 */
  const char *sentence;    /* the comment before it */
  const char *text;        /* "x:int + 0 -> x" */
  const char *rule_class;  /* one of ls_rule_class_names; "approximate" with its number: "approximate 2" */
  const char *set;         /* name of its rule set: the file's without ".rules" */
  const char *builder;     /* the term that makes its result, or NULL: the right side is written out */
} LsRule;
extern const char *const ls_rule_class_names[];      /* "exact", "nsz", "finite", "reordering", "contraction", "approximate", NULL */
/* How results may differ under a rule of that class, a template; NULL: they do not. */
const char *ls_rule_class_sentence (const char *rule_class);
#define LS_MOST_ULPS 1000

/* A rule set: its name, the kind of context that its passes hand to terms (or NULL), whether its nodes have shapes that a rule must
 * keep, and whether its rules have one result a source. */
typedef struct { const char *name, *context; gboolean shaped, gradient; } LsRuleSetInfo;
/* The environment of rules: the terms, the sets that passes use, and the built-in files (LsPipeline has the one of this program). Lists
 * end with NULLs. */
typedef struct { const char *name, *text; } LsRuleFile;
typedef struct {
  const LsTerm *const *terms;
  const LsRuleSetInfo *sets;
  const LsRuleFile    *files;
} LsRuleBase;

/* The binding of a rule's name: a node, or, with kind, a part of node's argument or several of its sources. */
typedef struct {
  const char *name;
  LsUOp      *node;
  LsTermValue     value;      /* good as long as the nodes are */
} LsBinding;
/* "int + 4", "View(…)", "(0, 2, 1)": a value in words. Free with g_free. */
char *ls_term_value_print (const LsTermValue *value);

/* The built-in rules of base and those of extra files. A file named like a built-in one replaces it; another one's rules belong to
 * the sets that its lines "set NAME" name, and a set that base does not have is an error. disabled: names of rules left out. */
LsRuleLibrary *ls_rule_library_new    (const LsRuleBase *base, const char *const *extra_files, const char *const *disabled, GError **error);
LsRuleLibrary *ls_rule_library_ref    (LsRuleLibrary *library);
void           ls_rule_library_unref  (LsRuleLibrary *library);
guint          ls_rule_library_n_rules (LsRuleLibrary *library);
const LsRule  *ls_rule_library_rule   (LsRuleLibrary *library, guint index);
const LsRule  *ls_rule_library_find   (LsRuleLibrary *library, const char *name);      /* or NULL */
/* Has it the rules of first, with their numbers, and perhaps more? */
gboolean       ls_rule_library_begins_with (LsRuleLibrary *library, LsRuleLibrary *first);
/* Has it rules that are not built in? Then what they make is checked more closely. */
gboolean       ls_rule_library_is_extended (LsRuleLibrary *library);
/* All rules in order, as const LsRule *. Belongs to the library; ref it to keep it, together with the library. */
GPtrArray     *ls_rule_library_rules  (LsRuleLibrary *library);
/* The rules of below, with their numbers, and after them those of a text, which belong to the set and may name the terms (a table that
 * ends with a NULL name and lives as long as the library; or NULL). lines: the reported line of each rule in the file; those beyond
 * n_lines have the last. A set that below has already, or a mistake in the text, is an error. */
LsRuleLibrary *ls_rule_library_extend (LsRuleLibrary *below, const char *set, const char *text, const char *filename, guint n_lines,
                                       const guint *lines, const LsTerm *terms,
                                       GError **error);
/* Rules of one text, of any set. filename is used in messages. base NULL: a recording's rules; those that name terms match and never
 * run. */
LsRuleLibrary *ls_rule_library_parse  (const LsRuleBase *base, const char *text, const char *filename, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRuleLibrary, ls_rule_library_unref)

/* Does a pass with these sets try rule a before rule b at nodes of an op? */
gboolean       ls_rule_library_comes_before (LsRuleLibrary *library, const char *set, LsOp op, guint a, guint b);
/* Matches one rule at one node: TRUE with the result and up to max_bindings bindings (may be NULL). Used by rule tests, the rule card
 * and why-not. */
gboolean ls_rule_apply (LsRuleLibrary *library, guint rule, LsContext *ctx, LsUOp *node, gpointer pass, LsUOp **result, LsBinding *bindings,
                        guint max_bindings, guint *n_bindings);
/* A rule with one result a source ("MUL(x, y) given g -> (g * y, g * x)"), which matches GRADIENT[i](node, given): all of its results.
 * Their number; those written _ are NULL; 0: it does not fire. */
guint    ls_rule_apply_many (LsRuleLibrary *library, guint rule, LsContext *ctx, LsUOp *node, gpointer pass, LsUOp *given, guint max,
                             LsUOp **results);
/* Which sources of the node have a result (bit i: source i) by the first rule of the set that fires at it. FALSE with
 * LS_ERROR_PROGRAM: there is none. */
gboolean ls_rule_library_flows (LsRuleLibrary *library, const char *set, LsContext *ctx, LsUOp *node, guint64 *sources, GError **error);

/* Matches the rule's pattern alone, guards and result aside: the number of bindings found, 0 when it does not match. */
guint ls_rule_match (LsRuleLibrary *library, guint rule, LsContext *ctx, LsUOp *node, LsBinding *bindings, guint max_bindings);

/* Is the rule tried at nodes of this op? */
gboolean ls_rule_takes (LsRuleLibrary *library, guint rule, LsOp op);
/* Why a rule of the node's op is rejected there before its pattern is matched. *lacks: an op that it wants among the node's sources. */
typedef enum { LS_RULE_TRIED, LS_RULE_LACKS_SOURCE, LS_RULE_OTHER_DTYPE } LsRuleReject;
LsRuleReject ls_rule_rejects (LsRuleLibrary *library, guint rule, const LsUOp *node, LsOp *lacks);

/* The nodes that the rule's match at node covers, the node first: those that ops and constants of the pattern took. 0 when it does
 * not match. */
guint ls_rule_matched (LsRuleLibrary *library, guint rule, LsUOp *node, LsUOp **nodes, guint max);

/* How far a match gets, and the reason why it ends. stage: "op", "dtype", "sources", "argument", "constant", "capture" (the pattern),
 * "guard", "builder", "result", "builder-unknown" (it needs the context of its pass, or terms that this program does not have), "fires".
 * Clear it with ls_rule_explanation_clear. */
typedef struct {
  gboolean    matches;          /* the whole pattern does */
  const char *stage;
  char       *text;             /* one sentence with the values seen */
  LsUOp      *result;           /* when it fires */
  LsBinding   bindings[16];     /* of the attempt that came furthest */
  guint       n_bindings;
} LsRuleExplanation;
void ls_rule_explain (LsRuleLibrary *library, guint rule, LsContext *ctx, LsUOp *node, gpointer pass, LsRuleExplanation *out);
void ls_rule_explanation_clear (LsRuleExplanation *explanation);

/* A rule's pattern or result as a small graph, for drawing. Arrows go from source to consumer; the root is the last part. */
typedef enum {
  LS_PART_OP,          /* an op, or one of several: title */
  LS_PART_ANY,         /* any node: capture, or title "*" */
  LS_PART_CONST,       /* a constant bound to capture */
  LS_PART_VALUE,       /* this constant, or one that is computed: title */
  LS_PART_BUILDER,     /* what the term named in title makes */
} LsRulePartKind;
/* capture: of the library, or NULL; op: LS_N_OPS where it is not one */
typedef struct { LsRulePartKind kind; char *title; const char *capture; guint op; } LsRulePart;
typedef struct { guint32 from, to; } LsRuleArc;
typedef struct { GArray *parts, *arcs; } LsRulePicture;
LsRulePicture *ls_rule_picture      (LsRuleLibrary *library, guint rule, gboolean result);
/* The top of a real node, down to the bound nodes, at most depth levels. Names are those of bindings. */
LsRulePicture *ls_rule_picture_of   (LsUOp *node, const LsBinding *bindings, guint n, guint depth);
void           ls_rule_picture_free (LsRulePicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRulePicture, ls_rule_picture_free)

/* A rule's guards at a node that its pattern matches: as written, what they saw ("$c is 6"; NULL where it does not match), and
 * whether they hold. Those that ask their pass are unknown without its context. After them, as LS_GUARD_COMPUTED, the parts of its
 * result that terms compute, with their values. */
typedef enum { LS_GUARD_UNKNOWN, LS_GUARD_HOLDS, LS_GUARD_FAILS, LS_GUARD_COMPUTED } LsGuardState;
/* question: of a guard that is one term, or not one: what the term asks; of a value that a term computed, what it computes; yes: the
 * answer. only_nodes: saw says nothing but which nodes the
 * rule's names are bound to. */
typedef struct { char *text, *saw; LsGuardState holds; const char *question; gboolean yes, only_nodes; } LsGuardValue;
GArray *ls_rule_guards (LsRuleLibrary *library, guint rule, LsContext *ctx, LsUOp *node, gpointer pass);

/* What the algorithm does that makes the rule's whole result ("build …"), as its term says; NULL: the rule says its result itself, or the
 * term is not this program's. */
const char *ls_rule_algorithm (LsRuleLibrary *library, guint rule);
/* The terms that the rule names, a line each: "compose (view, view) -> view: The composition of two views: the second applied to the
 * first." Free with g_free. */
char *ls_rule_terms (LsRuleLibrary *library, guint rule);

/* Every node in from[] replaced by the one in to[] below root, all at once: what is put in is not looked into. Nothing is recorded. */
LsUOp *ls_uop_substitute (LsContext *ctx, LsUOp *root, guint n, LsUOp *const *from, LsUOp *const *to);
