#pragma once

#include "rules-private.h"

typedef enum { T_END, T_NAME, T_CONST, T_INT, T_FLOAT, T_SYM } TokKind;
typedef struct { TokKind kind; char text[40]; gint64 i; double f; guint line, column; } Tok;

/* One rule's text while it is read. */
typedef struct {
  const char *file;
  const char *text;          /* whole file */
  const char *p, *end;       /* rest of the rule */
  guint       line;
  const char *line_start;
  Tok         tok;           /* the one at hand */
  Rule       *rule;
  gboolean    in_result;
  GPtrArray  *results;       /* Pat: of "(a, b)" all but the first */
  int         depth;
  LsRuleLibrary *library;
  GError    **error;
  gboolean    failed;        /* error is set; later calls do nothing */
} Parser;

/* The first error of a rule, with its line and a caret under the column. */
void     ls_rule_fail_at (Parser *p, guint line, guint column, const char *format, ...) G_GNUC_PRINTF (4, 5);
#define fail(p, ...) ls_rule_fail_at (p, (p)->tok.line, (p)->tok.column, __VA_ARGS__)
/* Takes the next token of the rule. */
void     ls_rule_next    (Parser *p);
/* Memory that the library frees. */
gpointer ls_rule_keep    (Parser *p, gpointer memory);
/* Reads p->rule from its pattern on and checks it; p->failed says how it went. */
void     ls_rule_parse   (Parser *p);
