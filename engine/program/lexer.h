/* Tokens of the program language. */
#pragma once
#include "source.h"

G_BEGIN_DECLS

typedef enum {
  LS_TOKEN_END, LS_TOKEN_NEWLINE, LS_TOKEN_INDENT, LS_TOKEN_DEDENT, LS_TOKEN_NAME, LS_TOKEN_INT, LS_TOKEN_FLOAT,
  LS_TOKEN_STRING, LS_TOKEN_OPERATOR, LS_TOKEN_ERROR,
} LsTokenKind;

/* Operators are their characters in one number: LS_OP3 ('*', '*', '='). */
#define LS_OP1(a)       ((guint32) (guchar) (a))
#define LS_OP2(a, b)    (LS_OP1 (a) | LS_OP1 (b) << 8)
#define LS_OP3(a, b, c) (LS_OP2 (a, b) | LS_OP1 (c) << 16)

typedef struct {
  LsTokenKind kind;
  guint32     start, end;         /* bytes */
  guint32     op;                 /* OPERATOR */
  guint32     body_start, body_end;   /* STRING: between the quotes */
  gboolean    is_format, is_raw;      /* STRING */
  guint64     u;                  /* INT */
  double      f;                  /* FLOAT */
  const char *error, *hint;       /* ERROR */
} LsToken;

#define LS_MAX_INDENTS 64
#define LS_MAX_OPEN    256
typedef struct {
  const LsSource *source;
  guint32 at, end;
  guint   brackets;               /* open ( [ { : newlines mean nothing */
  guint32 open[LS_MAX_OPEN];      /* where the first of them stand */
  gboolean line_start;
  guint   n_indents, indents[LS_MAX_INDENTS];
  int     pending;                /* dedents still to be given */
  gboolean ended;
} LsLexer;

void ls_lexer_init (LsLexer *lexer, const LsSource *source);
/* The tokens of an expression within bytes [start, end): no lines, no indentation. */
void ls_lexer_init_inner (LsLexer *lexer, const LsSource *source, guint32 start, guint32 end);
void ls_lexer_next (LsLexer *lexer, LsToken *token);

G_END_DECLS
