/* The syntax tree of a program, in an arena; names are interned numbers.
 *
 * Depth is kept with each node and limited while parsing, so that walking a tree by recursion is safe.
 */
#pragma once
#include "source.h"
#include "value.h"

G_BEGIN_DECLS

typedef enum {
  /* expressions */
  LS_AST_CONST, LS_AST_NAME, LS_AST_LIST, LS_AST_TUPLE, LS_AST_ATTRIBUTE, LS_AST_INDEX, LS_AST_SLICE, LS_AST_CALL,
  LS_AST_BINARY, LS_AST_UNARY, LS_AST_COMPARE, LS_AST_AND, LS_AST_OR, LS_AST_NOT, LS_AST_CONDITIONAL, LS_AST_LAMBDA,
  LS_AST_COMPREHENSION, LS_AST_FORMAT, LS_AST_FIELD, LS_AST_STAR, LS_AST_KEYWORD,
  /* statements */
  LS_AST_EXPRESSION, LS_AST_ASSIGN, LS_AST_AUGMENTED, LS_AST_FOR, LS_AST_IF, LS_AST_DEF, LS_AST_RETURN, LS_AST_PASS,
  LS_AST_BREAK, LS_AST_CONTINUE, LS_AST_BLOCK,
} LsAstKind;

/* Operators, in an X-macro so that names, symbols and handlers stay together: NAME, symbol */
#define LS_OPERATOR_TABLE(X) \
  X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(FLOORDIV, "//") X(MOD, "%") X(POW, "**") X(MATMUL, "@") \
  X(AND, "&") X(OR, "|") X(XOR, "^") X(LSHIFT, "<<") X(RSHIFT, ">>") \
  X(LT, "<") X(GT, ">") X(LE, "<=") X(GE, ">=") X(EQ, "==") X(NE, "!=") \
  X(IN, "in") X(NOT_IN, "not in") X(IS, "is") X(IS_NOT, "is not") \
  X(NEG, "-") X(POS, "+") X(INVERT, "~")
typedef enum {
#define X(name, symbol) LS_OPERATOR_##name,
  LS_OPERATOR_TABLE (X)
#undef X
  LS_N_OPERATORS
} LsOperator;
const char *ls_operator_symbol (LsOperator op);

typedef struct _LsAst   LsAst;
typedef struct _LsScope LsScope;

/* A scope: the program, a def, a lambda, or a comprehension. A bracket that turns out to be no comprehension leaves a
 * transparent one, which has no names and no frame. */
struct _LsScope {
  LsScope *parent;
  GArray  *names;          /* guint32, by slot; NULL for the program, whose slots are the name numbers */
  gboolean transparent;
};

typedef struct { guint32 name; LsAst *value; } LsParameter;      /* value: the default, or NULL */

/* What the fields hold, by kind:
 * CONST value; NAME name, scope (slot and hops are found when first evaluated); LIST TUPLE items; ATTRIBUTE a.name;
 * INDEX a[b]; SLICE a:b:c; CALL a(items: expressions, STAR, KEYWORD); BINARY a op b; UNARY op a; COMPARE a op b, and c when
 * another comparison follows (its a is this one's b); AND OR a, b; NOT a; CONDITIONAL a if b else c; LAMBDA function;
 * COMPREHENSION a, scope, items: FORs (a target, b iterable) and IFs (a condition) in order; FORMAT items: CONSTs and
 * FIELDs (a, op: conversion or 0, b: the format's FORMAT or NULL); STAR *a; KEYWORD name=a
 * EXPRESSION a; ASSIGN items: targets, a: value; AUGMENTED a op= b; FOR a in b: c; IF a: b, else c; DEF function, name;
 * RETURN a; BLOCK items */
struct _LsAst {
  guint8  kind, op;
  guint16 depth;
  guint32 pos;             /* byte offset for messages */
  guint32 name;
  guint32 n;
  LsAst **items;
  LsScope *scope;
  union {
    struct { LsAst *a, *b, *c; };
    struct { guint32 slot, hops; };
    LsValue value;
    struct _LsFunctionSyntax *function;
  };
};

typedef struct _LsFunctionSyntax {
  const char  *name;
  LsScope     *scope;
  guint        n_params;
  LsParameter *params;
  gboolean     has_rest;   /* the last parameter is *name */
  LsAst       *body;       /* an expression (lambda) or a block */
  gboolean     is_lambda;
} LsFunctionSyntax;

#define LS_HOPS_UNKNOWN G_MAXUINT32
#define LS_HOPS_GLOBAL  (G_MAXUINT32 - 1)

typedef struct _LsFrame LsFrame;
struct _LsFrame { LsFrame *parent; guint n; LsValue slots[]; };

/* A function value. */
struct _LsFunction {
  const char       *name;
  LsFunctionSyntax *syntax;
  LsFrame          *closure;
  LsValue          *defaults;      /* one per parameter, UNSET for none */
};

/* A statement of the program: its node and the bytes of its text. */
typedef struct { LsAst *node; guint32 start, end; } LsTopStatement;

typedef struct {
  LsHeap     arena;
  GPtrArray  *names;       /* const char *, by number */
  GHashTable *numbers;     /* name -> number + 1 */
  GArray     *statements;  /* LsTopStatement */
  GPtrArray  *scopes;      /* owned LsScope */
  LsScope    *global;
  GHashTable *imported;    /* names mentioned in imports, for hints */
} LsSyntax;

void     ls_syntax_init   (LsSyntax *syntax);
void     ls_syntax_clear  (LsSyntax *syntax);
guint32  ls_syntax_name   (LsSyntax *syntax, const char *text, gsize n);
/* Parses the source. FALSE and error (LS_ERROR_SYNTAX, the whole report). */
gboolean ls_syntax_parse  (LsSyntax *syntax, const LsSource *source, guint32 *error_pos, GError **error);

const char *ls_builtin_name (const LsBuiltin *builtin);

G_END_DECLS
