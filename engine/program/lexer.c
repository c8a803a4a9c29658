/* Text to tokens, as Python splits it: indentation, brackets that join lines, comments, literals. */
#include "lexer.h"

#include <string.h>

void
ls_lexer_init (LsLexer *lexer, const LsSource *source)
{
  *lexer = (LsLexer) { .source = source, .end = source->length, .line_start = TRUE, .n_indents = 1 };
  if (source->length >= 3 && memcmp (source->text, "\xef\xbb\xbf", 3) == 0)
    lexer->at = 3;
}

void
ls_lexer_init_inner (LsLexer *lexer, const LsSource *source, guint32 start, guint32 end)
{
  *lexer = (LsLexer) { .source = source, .at = start, .end = end, .brackets = 1, .n_indents = 1 };
}

static int
peek (const LsLexer *lexer, guint32 ahead)
{
  return lexer->at + ahead < lexer->end ? (guchar) lexer->source->text[lexer->at + ahead] : -1;
}

static void
fail (LsLexer *lexer, LsToken *token, guint32 at, const char *error, const char *hint)
{
  token->kind = LS_TOKEN_ERROR;
  token->start = at;
  token->end = at;
  token->error = error;
  token->hint = hint;
  lexer->at = lexer->end;
  lexer->ended = TRUE;
}

static gboolean
is_name_start (int c)
{
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static gboolean
is_digit (int c)
{
  return c >= '0' && c <= '9';
}

/* Leaves lexer at the first token of a line and gives INDENT or DEDENT where the indentation changed. */
static gboolean
start_line (LsLexer *lexer, LsToken *token)
{
  for (;;) {
    guint width = 0;
    for (int c; (c = peek (lexer, 0)) == ' ' || c == '\t' || c == '\f'; lexer->at++)
      width = c == '\t' ? (width / 8 + 1) * 8 : c == ' ' ? width + 1 : 0;
    int c = peek (lexer, 0);
    if (c == '#')
      while ((c = peek (lexer, 0)) != -1 && c != '\n')
        lexer->at++;
    if (c == '\r' && peek (lexer, 1) == '\n')
      lexer->at++, c = '\n';
    if (c == '\n') {
      lexer->at++;
      continue;
    }
    if (c == -1)
      width = 0;
    lexer->line_start = FALSE;
    token->start = token->end = lexer->at;
    guint current = lexer->indents[lexer->n_indents - 1];
    if (width > current) {
      if (lexer->n_indents == LS_MAX_INDENTS) {
        fail (lexer, token, lexer->at, "blocks are nested too deeply", NULL);
        return TRUE;
      }
      lexer->indents[lexer->n_indents++] = width;
      token->kind = LS_TOKEN_INDENT;
      return TRUE;
    }
    while (lexer->indents[lexer->n_indents - 1] > width) {
      lexer->n_indents--;
      lexer->pending++;
    }
    if (lexer->indents[lexer->n_indents - 1] != width) {
      fail (lexer, token, lexer->at, "the indentation does not match any outer block", NULL);
      return TRUE;
    }
    return FALSE;
  }
}

static void
number (LsLexer *lexer, LsToken *token)
{
  char digits[512];
  gsize n = 0;
  guint base = 10;
  gboolean is_float = FALSE, too_long = FALSE;
  if (peek (lexer, 0) == '0') {
    int c = peek (lexer, 1) | 0x20;
    base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
    if (base != 10)
      lexer->at += 2;
  }
  for (int c, last = 0; (c = peek (lexer, 0)) != -1; lexer->at++, last = c) {
    if (c == '_' && (g_ascii_isxdigit (last) || base != 10) && g_ascii_isxdigit (peek (lexer, 1)))
      continue;
    gboolean sign = (c == '+' || c == '-') && base == 10 && (last | 0x20) == 'e' && is_float;
    if (base == 10 && (c == '.' || ((c | 0x20) == 'e' && (is_digit (peek (lexer, 1)) || ((peek (lexer, 1) == '+' || peek (lexer, 1) == '-') && is_digit (peek (lexer, 2)))))))
      is_float = TRUE;
    else if (!sign && !(base == 16 ? g_ascii_isxdigit (c) : is_digit (c)))
      break;
    if (n + 1 < sizeof digits)
      digits[n++] = c;
    else
      too_long = TRUE;
  }
  digits[n] = '\0';
  token->end = lexer->at;
  if (n == 0 || too_long || is_name_start (peek (lexer, 0)) || peek (lexer, 0) >= 0x80) {
    fail (lexer, token, too_long ? token->start : lexer->at, too_long ? "integer out of range" : "this is no number", NULL);
    return;
  }
  char *rest;
  if (is_float) {
    token->kind = LS_TOKEN_FLOAT;
    token->f = g_ascii_strtod (digits, &rest);
    if (*rest)
      fail (lexer, token, token->start, "this is no number", NULL);
    return;
  }
  token->kind = LS_TOKEN_INT;
  token->u = 0;
  if (base == 10 && n > 1 && digits[0] == '0' && strspn (digits, "0") != n) {
    fail (lexer, token, token->start, "a decimal integer cannot begin with 0", NULL);
    return;
  }
  for (gsize i = 0; i < n; i++) {
    guint digit = g_ascii_xdigit_value (digits[i]);
    if (digit >= base) {
      fail (lexer, token, token->start, "this is no number", NULL);
      return;
    }
    if (__builtin_mul_overflow (token->u, (guint64) base, &token->u) || __builtin_add_overflow (token->u, (guint64) digit, &token->u)) {
      fail (lexer, token, token->start, "integer out of range", "integers go up to 2**64 - 1");
      return;
    }
  }
}

static void
string (LsLexer *lexer, LsToken *token)
{
  int quote = peek (lexer, 0);
  gboolean triple = peek (lexer, 1) == quote && peek (lexer, 2) == quote;
  lexer->at += triple ? 3 : 1;
  token->kind = LS_TOKEN_STRING;
  token->body_start = lexer->at;
  for (int c; (c = peek (lexer, 0)) != -1; lexer->at++) {
    if (c == '\\' && peek (lexer, 1) != -1)
      lexer->at++;
    else if (c == '\n' && !triple)
      break;
    else if (c == quote && (!triple || (peek (lexer, 1) == quote && peek (lexer, 2) == quote))) {
      token->body_end = lexer->at;
      lexer->at += triple ? 3 : 1;
      token->end = lexer->at;
      return;
    }
  }
  fail (lexer, token, token->start, "this string has no end", NULL);
}

/* A string's prefix: any of r, f, u in either case, before a quote. */
static gboolean
string_prefix (LsLexer *lexer, LsToken *token)
{
  guint n = 0;
  for (; n < 2; n++) {
    int c = peek (lexer, n) | 0x20;
    if (c != 'r' && c != 'f' && c != 'u')
      break;
    token->is_raw = token->is_raw || c == 'r';
    token->is_format = token->is_format || c == 'f';
  }
  if (peek (lexer, n) == '\'' || peek (lexer, n) == '"') {
    lexer->at += n;
    return TRUE;
  }
  token->is_raw = token->is_format = FALSE;
  return FALSE;
}

static void
operator (LsLexer *lexer, LsToken *token, int c)
{
  static const char *const three[] = { "**=", "//=", "<<=", ">>=", "...", NULL };
  static const char *const two[] = { "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "->", ":=", NULL };
  const char *text = lexer->source->text + lexer->at;
  guint n = 0;
  for (guint i = 0; three[i] && n == 0 && lexer->end - lexer->at >= 3; i++)
    n = memcmp (three[i], text, 3) == 0 ? 3 : 0;
  for (guint i = 0; two[i] && n == 0 && lexer->end - lexer->at >= 2; i++)
    n = memcmp (two[i], text, 2) == 0 ? 2 : 0;
  if (n == 0 && c < 0x80 && strchr ("+-*/%@&|^~<>()[]{},:.=;!", c))
    n = 1;
  if (n == 0) {
    fail (lexer, token, lexer->at, c == '$' || c == '?' ? "this character has no meaning here" : "unexpected character", NULL);
    return;
  }
  if (c == '(' || c == '[' || c == '{') {
    if (lexer->brackets < LS_MAX_OPEN)
      lexer->open[lexer->brackets] = lexer->at;
    lexer->brackets++;
  } else if ((c == ')' || c == ']' || c == '}') && lexer->brackets > 0)
    lexer->brackets--;
  token->kind = LS_TOKEN_OPERATOR;
  token->op = n == 3 ? LS_OP3 (text[0], text[1], text[2]) : n == 2 ? LS_OP2 (text[0], text[1]) : LS_OP1 (text[0]);
  lexer->at += n;
  token->end = lexer->at;
}

void
ls_lexer_next (LsLexer *lexer, LsToken *token)
{
  *token = (LsToken) { .start = lexer->at, .end = lexer->at };
  if (lexer->line_start && lexer->brackets == 0 && start_line (lexer, token))
    return;
  if (lexer->pending > 0) {
    lexer->pending--;
    token->kind = LS_TOKEN_DEDENT;
    token->start = token->end = lexer->at;
    return;
  }
  int c;
  for (;;) {      /* space, comments and joined lines */
    c = peek (lexer, 0);
    if (c == ' ' || c == '\t' || c == '\f' || (c == '\r' && (peek (lexer, 1) == '\n' || peek (lexer, 1) == -1)) || (c == '\n' && lexer->brackets > 0))
      lexer->at++;
    else if (c == '\\' && (peek (lexer, 1) == '\n' || (peek (lexer, 1) == '\r' && peek (lexer, 2) == '\n')))
      lexer->at += peek (lexer, 1) == '\n' ? 2 : 3;
    else if (c == '#')
      while ((c = peek (lexer, 0)) != -1 && c != '\n')
        lexer->at++;
    else
      break;
  }
  token->start = token->end = lexer->at;
  if (c == -1) {
    /* The last line may lack its end; a NEWLINE closes it all the same. */
    if (!lexer->ended && !lexer->line_start) {
      lexer->ended = TRUE;
      lexer->line_start = lexer->brackets == 0;
      token->kind = LS_TOKEN_NEWLINE;
      return;
    }
    token->kind = LS_TOKEN_END;
    return;
  }
  if (c == '\n') {
    lexer->at++;
    lexer->line_start = TRUE;
    token->kind = LS_TOKEN_NEWLINE;
    token->end = token->start;
    return;
  }
  if (is_digit (c) || (c == '.' && is_digit (peek (lexer, 1))))
    number (lexer, token);
  else if (c == '\'' || c == '"' || (is_name_start (c) && string_prefix (lexer, token)))
    string (lexer, token);
  else if (is_name_start (c)) {
    while (is_name_start (c = peek (lexer, 0)) || is_digit (c))
      lexer->at++;
    if (c >= 0x80)
      fail (lexer, token, lexer->at, "names are made of letters a-z, digits and _", NULL);
    else {
      token->kind = LS_TOKEN_NAME;
      token->end = lexer->at;
    }
  } else
    operator (lexer, token, c);
}
