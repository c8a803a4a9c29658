/* What the two halves of the parser share. */
#pragma once
#include "ast.h"
#include "lexer.h"

G_BEGIN_DECLS

#define LS_MAX_NESTING 200      /* brackets, blocks and operators inside each other */
#define LS_MAX_DEPTH   1000     /* of the tree: chains of operators and calls */

typedef struct {
  const LsSource *source;
  LsSyntax *syntax;
  LsLexer   lexer;
  LsToken   token;
  LsScope  *scope;
  guint     nesting, functions, loops;
  gboolean  failed;
  guint32   error_pos;
  char     *message, *hint;
} LsParser;

/* Keeps the first error; returns NULL. */
void    *ls_parser_fail    (LsParser *p, guint32 pos, const char *hint, const char *format, ...) G_GNUC_PRINTF (4, 5);
void    *ls_parser_unexpected (LsParser *p, const char *wanted);
void     ls_parser_advance (LsParser *p);
gboolean ls_parser_accept  (LsParser *p, guint32 op);
gboolean ls_parser_expect  (LsParser *p, guint32 op, const char *wanted);
/* The current token is that keyword. */
gboolean ls_parser_at_word (LsParser *p, const char *word);
gboolean ls_parser_accept_word (LsParser *p, const char *word);
gboolean ls_parser_is_keyword  (LsParser *p);
static inline gboolean ls_parser_at (LsParser *p, guint32 op) { return p->token.kind == LS_TOKEN_OPERATOR && p->token.op == op; }
guint32  ls_parser_name    (LsParser *p);      /* interned; the token must be a name */
gboolean ls_parser_enter   (LsParser *p);
static inline void ls_parser_leave (LsParser *p) { p->nesting--; }
LsAst   *ls_parser_node    (LsParser *p, LsAstKind kind, guint32 pos);
/* child becomes part of node: keeps depths. NULL and an error when the tree gets too deep or child is NULL. */
LsAst   *ls_parser_adopt   (LsParser *p, LsAst *node, LsAst *child);
void     ls_parser_items   (LsParser *p, LsAst *node, GPtrArray *items);
LsScope *ls_parser_scope   (LsParser *p, LsScope *parent);
void     ls_scope_declare  (LsScope *scope, guint32 name);
/* Declares the names that an assignment to target binds; FALSE with an error when it is no target. */
gboolean ls_parser_target  (LsParser *p, LsAst *target, LsScope *scope);

LsAst   *ls_parse_test        (LsParser *p);      /* one expression */
LsAst   *ls_parse_expressions (LsParser *p);      /* one, or a tuple without brackets */
LsAst   *ls_parse_targets     (LsParser *p);      /* of for: no comparison, so that "in" ends it */
LsFunctionSyntax *ls_parse_parameters (LsParser *p, const char *name, guint32 end, gboolean annotations);
LsAst   *ls_parse_strings     (LsParser *p);

G_END_DECLS
