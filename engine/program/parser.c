/* Statements, scopes and the parser's state. Expressions are in parser-expr.c, strings in parser-string.c.
 *
 * A recursive descent over the tokens, one ahead. Nothing is evaluated; what Python has and this language lacks is named in
 * the error, with a hint at what to write instead.
 */
#include "parser-private.h"

#include <string.h>

static const char *const keywords[] = {
  "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "False", "finally",
  "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass", "raise", "return", "True",
  "try", "while", "with", "yield", NULL,
};

/* Statements of Python that are not part of the language, with what to write instead. */
static const struct { const char *word, *hint; } absent[] = {
  { "while", "use 'for ... in range(...)'" }, { "class", "use functions" }, { "with", NULL }, { "try", NULL }, { "raise", NULL },
  { "assert", "print the condition instead" }, { "del", NULL }, { "global", "functions can read outer names and return values" },
  { "nonlocal", "functions can read outer names and return values" }, { "async", NULL }, { "await", NULL }, { "yield", "build a list" },
};

#define X(name, text) text,
static const char *const symbols[] = { LS_OPERATOR_TABLE (X) };
#undef X

const char *
ls_operator_symbol (LsOperator op)
{
  return symbols[op];
}

void
ls_syntax_init (LsSyntax *syntax)
{
  *syntax = (LsSyntax) { 0 };
  ls_heap_init (&syntax->arena);
  syntax->names = g_ptr_array_new_with_free_func (g_free);
  syntax->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  syntax->statements = g_array_new (FALSE, FALSE, sizeof (LsTopStatement));
  syntax->scopes = g_ptr_array_new ();
  syntax->imported = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
ls_syntax_clear (LsSyntax *syntax)
{
  for (guint i = 0; i < syntax->scopes->len; i++) {
    LsScope *scope = syntax->scopes->pdata[i];
    g_clear_pointer (&scope->names, g_array_unref);
  }
  g_ptr_array_unref (syntax->scopes);
  g_hash_table_unref (syntax->numbers);
  g_hash_table_unref (syntax->imported);
  g_ptr_array_unref (syntax->names);
  g_array_unref (syntax->statements);
  ls_heap_clear (&syntax->arena);
}

guint32
ls_syntax_name (LsSyntax *syntax, const char *text, gsize n)
{
  char small[64];
  g_autofree char *large = n < sizeof small ? NULL : g_strndup (text, n);
  const char *key = large;
  if (!large) {
    memcpy (small, text, n);
    small[n] = '\0';
    key = small;
  }
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (syntax->numbers, key));
  if (known == 0) {
    char *name = g_strdup (key);
    g_ptr_array_add (syntax->names, name);
    known = syntax->names->len;
    g_hash_table_insert (syntax->numbers, name, GUINT_TO_POINTER (known));
  }
  return known - 1;
}

void *
ls_parser_fail (LsParser *p, guint32 pos, const char *hint, const char *format, ...)
{
  if (!p->failed) {
    va_list args;
    va_start (args, format);
    p->message = g_strdup_vprintf (format, args);
    va_end (args);
    p->hint = g_strdup (hint);
    p->error_pos = pos;
    p->failed = TRUE;
  }
  p->token = (LsToken) { .kind = LS_TOKEN_END, .start = p->token.start, .end = p->token.start };
  return NULL;
}

void *
ls_parser_unexpected (LsParser *p, const char *wanted)
{
  LsToken t = p->token;
  if (p->failed)
    return NULL;
  const char *text = p->source->text + t.start;
  switch (t.kind) {
  case LS_TOKEN_END: case LS_TOKEN_NEWLINE:
    if (p->lexer.end < p->source->length)
      return ls_parser_fail (p, t.start, NULL, "the field ends where %s is expected", wanted);
    if (p->lexer.brackets > 0) {
      guint32 open = p->lexer.open[MIN (p->lexer.brackets, LS_MAX_OPEN) - 1];
      return ls_parser_fail (p, open, NULL, "this '%c' is never closed", p->source->text[open]);
    }
    return ls_parser_fail (p, t.start, NULL, "the line ends where %s is expected", wanted);
  case LS_TOKEN_INDENT: return ls_parser_fail (p, t.start, NULL, "this line is indented without a reason");
  case LS_TOKEN_DEDENT: return ls_parser_fail (p, t.start, NULL, "the block ends where %s is expected", wanted);
  default: return ls_parser_fail (p, t.start, NULL, "'%.*s' stands where %s is expected", (int) MIN (t.end - t.start, 40), text, wanted);
  }
}

void
ls_parser_advance (LsParser *p)
{
  if (p->failed)
    return;
  ls_lexer_next (&p->lexer, &p->token);
  if (p->token.kind == LS_TOKEN_ERROR)
    ls_parser_fail (p, p->token.start, p->token.hint, "%s", p->token.error);
}

gboolean
ls_parser_accept (LsParser *p, guint32 op)
{
  if (!ls_parser_at (p, op))
    return FALSE;
  ls_parser_advance (p);
  return TRUE;
}

gboolean
ls_parser_expect (LsParser *p, guint32 op, const char *wanted)
{
  if (ls_parser_accept (p, op))
    return !p->failed;
  ls_parser_unexpected (p, wanted);
  return FALSE;
}

gboolean
ls_parser_at_word (LsParser *p, const char *word)
{
  gsize n = strlen (word);
  return p->token.kind == LS_TOKEN_NAME && p->token.end - p->token.start == n && memcmp (p->source->text + p->token.start, word, n) == 0;
}

gboolean
ls_parser_accept_word (LsParser *p, const char *word)
{
  if (!ls_parser_at_word (p, word))
    return FALSE;
  ls_parser_advance (p);
  return TRUE;
}

gboolean
ls_parser_is_keyword (LsParser *p)
{
  for (guint i = 0; keywords[i]; i++)
    if (ls_parser_at_word (p, keywords[i]))
      return TRUE;
  return FALSE;
}

guint32
ls_parser_name (LsParser *p)
{
  guint32 name = ls_syntax_name (p->syntax, p->source->text + p->token.start, p->token.end - p->token.start);
  ls_parser_advance (p);
  return name;
}

gboolean
ls_parser_enter (LsParser *p)
{
  if (p->nesting >= LS_MAX_NESTING) {
    ls_parser_fail (p, p->token.start, NULL, "this is nested too deeply (more than %d levels)", LS_MAX_NESTING);
    return FALSE;
  }
  p->nesting++;
  return !p->failed;
}

LsAst *
ls_parser_node (LsParser *p, LsAstKind kind, guint32 pos)
{
  LsAst *node = ls_heap_new (&p->syntax->arena, LsAst);
  node->kind = kind;
  node->pos = pos;
  node->depth = 1;
  return node;
}

LsAst *
ls_parser_adopt (LsParser *p, LsAst *node, LsAst *child)
{
  if (!child || !node)
    return NULL;
  if (child->depth + 1 > node->depth)
    node->depth = child->depth + 1;
  if (node->depth > LS_MAX_DEPTH)
    return ls_parser_fail (p, node->pos, "give parts of it a name", "this expression is too long (more than %d operations in a row)", LS_MAX_DEPTH);
  return child;
}

void
ls_parser_items (LsParser *p, LsAst *node, GPtrArray *items)
{
  node->n = items->len;
  node->items = ls_heap_array (&p->syntax->arena, LsAst *, items->len);
  for (guint i = 0; i < items->len; i++)
    node->items[i] = ls_parser_adopt (p, node, items->pdata[i]);
}

LsScope *
ls_parser_scope (LsParser *p, LsScope *parent)
{
  LsScope *scope = ls_heap_new (&p->syntax->arena, LsScope);
  scope->parent = parent;
  return scope;
}

static void
scope_open (LsParser *p, LsScope *scope)
{
  if (!scope->names) {
    scope->names = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_ptr_array_add (p->syntax->scopes, scope);
  }
}

void
ls_scope_declare (LsScope *scope, guint32 name)
{
  if (!scope->parent)
    return;
  for (guint i = 0; i < scope->names->len; i++)
    if (g_array_index (scope->names, guint32, i) == name)
      return;
  g_array_append_val (scope->names, name);
}

gboolean
ls_parser_target (LsParser *p, LsAst *target, LsScope *scope)
{
  switch (target->kind) {
  case LS_AST_NAME:
    if (scope->parent)
      scope_open (p, scope);
    ls_scope_declare (scope, target->name);
    target->scope = scope;
    return TRUE;
  case LS_AST_INDEX: case LS_AST_ATTRIBUTE:
    return TRUE;
  case LS_AST_LIST: case LS_AST_TUPLE:
    for (guint i = 0; i < target->n; i++)
      if (!ls_parser_target (p, target->items[i], scope))
        return FALSE;
    return TRUE;
  default:
    ls_parser_fail (p, target->pos, target->kind == LS_AST_COMPARE ? "'==' compares, '=' assigns" : NULL, "nothing can be assigned to this");
    return FALSE;
  }
}

static LsAst *parse_block (LsParser *p);
static LsAst *parse_statement (LsParser *p);

/* A name bound to value by a statement. */
static LsAst *
bind (LsParser *p, guint32 name, LsAst *value)
{
  LsAst *node = ls_parser_node (p, LS_AST_ASSIGN, value->pos), *target = ls_parser_node (p, LS_AST_NAME, value->pos);
  target->name = name;
  target->hops = LS_HOPS_UNKNOWN;
  ls_parser_target (p, target, p->scope);
  node->items = ls_heap_new (&p->syntax->arena, LsAst *);
  node->items[0] = target;
  node->n = 1;
  node->a = ls_parser_adopt (p, node, value);
  return node;
}

static LsAst *
module_value (LsParser *p, LsModule module)
{
  LsAst *node = ls_parser_node (p, LS_AST_CONST, p->token.start);
  node->value = (LsValue) { .kind = LS_VALUE_MODULE, .module = module };
  return node;
}

static gboolean
dotted_name (LsParser *p, GString *path)
{
  do {
    if (p->token.kind != LS_TOKEN_NAME || ls_parser_is_keyword (p)) {
      ls_parser_unexpected (p, "a name");
      return FALSE;
    }
    if (path->len > 0)
      g_string_append_c (path, '.');
    g_string_append_len (path, p->source->text + p->token.start, p->token.end - p->token.start);
    ls_parser_advance (p);
  } while (ls_parser_accept (p, LS_OP1 ('.')));
  return TRUE;
}

/* What an import binds, where the language has it: the rest is remembered for hints and binds nothing. */
static LsAst *
imported_value (LsParser *p, const char *path, const char *name)
{
  gboolean tinygrad = g_str_has_prefix (path, "tinygrad");
  if (!name)
    return strcmp (path, "tinygrad") == 0 ? module_value (p, LS_MODULE_TINYGRAD) : strcmp (path, "math") == 0 ? module_value (p, LS_MODULE_MATH) : NULL;
  if (tinygrad && strcmp (name, "Tensor") == 0)
    return module_value (p, LS_MODULE_TENSOR);
  if (tinygrad && strcmp (name, "dtypes") == 0)
    return module_value (p, LS_MODULE_DTYPES);
  if (strcmp (path, "math") == 0) {
    LsAst *node = ls_parser_node (p, LS_AST_ATTRIBUTE, p->token.start);
    node->name = ls_syntax_name (p->syntax, name, strlen (name));
    node->a = ls_parser_adopt (p, node, module_value (p, LS_MODULE_MATH));
    return node;
  }
  return NULL;
}

static LsAst *
parse_import (LsParser *p)
{
  LsAst *block = ls_parser_node (p, LS_AST_BLOCK, p->token.start);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (GString) path = g_string_new (NULL);
  gboolean from = ls_parser_at_word (p, "from"), brackets = FALSE;
  ls_parser_advance (p);
  if (from) {
    if (!dotted_name (p, path))
      return NULL;
    if (!ls_parser_accept_word (p, "import"))
      return ls_parser_unexpected (p, "'import'");
    if (ls_parser_accept (p, LS_OP1 ('*')))
      return block;
    brackets = ls_parser_accept (p, LS_OP1 ('('));
  }
  do {
    if (brackets && ls_parser_at (p, LS_OP1 (')')))
      break;
    g_autoptr (GString) name = g_string_new (NULL);
    if (!dotted_name (p, name))
      return NULL;
    LsAst *value = from ? imported_value (p, path->str, name->str) : imported_value (p, name->str, NULL);
    guint32 bound = ls_syntax_name (p->syntax, name->str, strcspn (name->str, "."));
    if (ls_parser_accept_word (p, "as")) {
      if (p->token.kind != LS_TOKEN_NAME || ls_parser_is_keyword (p))
        return ls_parser_unexpected (p, "a name");
      bound = ls_parser_name (p);
    }
    if (value)
      g_ptr_array_add (items, bind (p, bound, value));
    else
      g_hash_table_add (p->syntax->imported, g_strdup (p->syntax->names->pdata[bound]));
  } while (ls_parser_accept (p, LS_OP1 (',')));
  if (brackets && !ls_parser_expect (p, LS_OP1 (')'), "')'"))
    return NULL;
  ls_parser_items (p, block, items);
  return block;
}

static gboolean
augmented_operator (guint32 op, LsOperator *out)
{
  switch (op) {
  case LS_OP2 ('+', '='): *out = LS_OPERATOR_ADD; return TRUE;
  case LS_OP2 ('-', '='): *out = LS_OPERATOR_SUB; return TRUE;
  case LS_OP2 ('*', '='): *out = LS_OPERATOR_MUL; return TRUE;
  case LS_OP2 ('/', '='): *out = LS_OPERATOR_DIV; return TRUE;
  case LS_OP2 ('%', '='): *out = LS_OPERATOR_MOD; return TRUE;
  case LS_OP2 ('@', '='): *out = LS_OPERATOR_MATMUL; return TRUE;
  case LS_OP2 ('&', '='): *out = LS_OPERATOR_AND; return TRUE;
  case LS_OP2 ('|', '='): *out = LS_OPERATOR_OR; return TRUE;
  case LS_OP2 ('^', '='): *out = LS_OPERATOR_XOR; return TRUE;
  case LS_OP3 ('*', '*', '='): *out = LS_OPERATOR_POW; return TRUE;
  case LS_OP3 ('/', '/', '='): *out = LS_OPERATOR_FLOORDIV; return TRUE;
  case LS_OP3 ('<', '<', '='): *out = LS_OPERATOR_LSHIFT; return TRUE;
  case LS_OP3 ('>', '>', '='): *out = LS_OPERATOR_RSHIFT; return TRUE;
  default: return FALSE;
  }
}

static LsAst *
parse_assignment (LsParser *p)
{
  guint32 pos = p->token.start;
  LsAst *first = ls_parse_expressions (p);
  LsOperator op;
  if (!first)
    return NULL;
  if (p->token.kind == LS_TOKEN_OPERATOR && augmented_operator (p->token.op, &op)) {
    LsAst *node = ls_parser_node (p, LS_AST_AUGMENTED, p->token.start);
    if (first->kind != LS_AST_NAME && first->kind != LS_AST_INDEX && first->kind != LS_AST_ATTRIBUTE)
      return ls_parser_fail (p, first->pos, NULL, "nothing can be assigned to this");
    ls_parser_target (p, first, p->scope);
    ls_parser_advance (p);
    node->op = op;
    node->a = ls_parser_adopt (p, node, first);
    node->b = ls_parser_adopt (p, node, ls_parse_expressions (p));
    return p->failed ? NULL : node;
  }
  if (ls_parser_at (p, LS_OP1 (':'))) {      /* an annotation: read and left */
    if (first->kind != LS_AST_NAME)
      return ls_parser_unexpected (p, "the end of the line");
    ls_parser_advance (p);
    if (!ls_parse_test (p))
      return NULL;
  }
  if (!ls_parser_at (p, LS_OP1 ('='))) {
    LsAst *node = ls_parser_node (p, LS_AST_EXPRESSION, pos);
    node->a = ls_parser_adopt (p, node, first);
    return node;
  }
  LsAst *node = ls_parser_node (p, LS_AST_ASSIGN, p->token.start);
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();
  LsAst *value = first;
  while (ls_parser_accept (p, LS_OP1 ('='))) {
    if (!ls_parser_target (p, value, p->scope))
      return NULL;
    g_ptr_array_add (targets, value);
    if (!(value = ls_parse_expressions (p)))
      return NULL;
  }
  ls_parser_items (p, node, targets);
  node->a = ls_parser_adopt (p, node, value);
  return node;
}

static LsAst *
parse_for (LsParser *p)
{
  LsAst *node = ls_parser_node (p, LS_AST_FOR, p->token.start);
  ls_parser_advance (p);
  LsAst *target = ls_parse_targets (p);
  if (!target || !ls_parser_target (p, target, p->scope))
    return NULL;
  if (!ls_parser_accept_word (p, "in"))
    return ls_parser_unexpected (p, "'in'");
  node->a = ls_parser_adopt (p, node, target);
  node->b = ls_parser_adopt (p, node, ls_parse_expressions (p));
  p->loops++;
  node->c = ls_parser_adopt (p, node, parse_block (p));
  p->loops--;
  if (!p->failed && ls_parser_at_word (p, "else"))
    return ls_parser_fail (p, p->token.start, NULL, "'else' of a loop is not part of the program language");
  return p->failed ? NULL : node;
}

static LsAst *
parse_if (LsParser *p)
{
  LsAst *node = ls_parser_node (p, LS_AST_IF, p->token.start);
  if (!ls_parser_enter (p))
    return NULL;
  ls_parser_advance (p);
  node->a = ls_parser_adopt (p, node, ls_parse_test (p));
  node->b = ls_parser_adopt (p, node, parse_block (p));
  if (!p->failed && ls_parser_at_word (p, "elif"))
    node->c = ls_parser_adopt (p, node, parse_if (p));
  else if (!p->failed && ls_parser_accept_word (p, "else"))
    node->c = ls_parser_adopt (p, node, parse_block (p));
  ls_parser_leave (p);
  return p->failed ? NULL : node;
}

static LsAst *
parse_def (LsParser *p)
{
  LsAst *node = ls_parser_node (p, LS_AST_DEF, p->token.start), *target;
  ls_parser_advance (p);
  if (p->token.kind != LS_TOKEN_NAME || ls_parser_is_keyword (p))
    return ls_parser_unexpected (p, "the function's name");
  guint32 pos = p->token.start;
  node->name = ls_parser_name (p);
  target = ls_parser_node (p, LS_AST_NAME, pos);
  target->name = node->name;
  target->hops = LS_HOPS_UNKNOWN;
  ls_parser_target (p, target, p->scope);
  node->items = ls_heap_new (&p->syntax->arena, LsAst *);
  node->items[0] = target;
  node->n = 1;
  if (!ls_parser_expect (p, LS_OP1 ('('), "'('"))
    return NULL;
  LsScope *outer = p->scope;
  node->function = ls_parse_parameters (p, p->syntax->names->pdata[node->name], LS_OP1 (')'), TRUE);
  if (!node->function || !ls_parser_expect (p, LS_OP1 (')'), "')'"))
    return NULL;
  if (ls_parser_accept (p, LS_OP2 ('-', '>')) && !ls_parse_test (p))
    return NULL;
  guint loops = p->loops;
  p->scope = node->function->scope;
  p->functions++;
  p->loops = 0;
  node->function->body = ls_parser_adopt (p, node, parse_block (p));
  p->scope = outer;
  p->functions--;
  p->loops = loops;
  return p->failed ? NULL : node;
}

/* One statement of a line, without its end. */
static LsAst *
parse_simple (LsParser *p)
{
  guint32 pos = p->token.start;
  if (ls_parser_at_word (p, "import") || ls_parser_at_word (p, "from"))
    return parse_import (p);
  if (ls_parser_accept_word (p, "pass"))
    return ls_parser_node (p, LS_AST_PASS, pos);
  if (ls_parser_at_word (p, "break") || ls_parser_at_word (p, "continue")) {
    if (p->loops == 0)
      return ls_parser_fail (p, pos, NULL, "'%.*s' outside a loop", (int) (p->token.end - pos), p->source->text + pos);
    LsAst *node = ls_parser_node (p, ls_parser_at_word (p, "break") ? LS_AST_BREAK : LS_AST_CONTINUE, pos);
    ls_parser_advance (p);
    return node;
  }
  if (ls_parser_accept_word (p, "return")) {
    LsAst *node = ls_parser_node (p, LS_AST_RETURN, pos);
    if (p->functions == 0)
      return ls_parser_fail (p, pos, NULL, "'return' outside a function");
    if (p->token.kind != LS_TOKEN_NEWLINE && !ls_parser_at (p, LS_OP1 (';')))
      node->a = ls_parser_adopt (p, node, ls_parse_expressions (p));
    return p->failed ? NULL : node;
  }
  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    if (ls_parser_at_word (p, absent[i].word))
      return ls_parser_fail (p, pos, absent[i].hint, "'%s' is not part of the program language", absent[i].word);
  if (ls_parser_at (p, LS_OP1 ('@')))
    return ls_parser_fail (p, pos, NULL, "decorators are not part of the program language");
  return parse_assignment (p);
}

/* Statements of one line, divided by ';'. */
static LsAst *
parse_line (LsParser *p)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  guint32 pos = p->token.start;
  do {
    LsAst *node = parse_simple (p);
    if (!node || p->failed)
      return NULL;
    g_ptr_array_add (items, node);
  } while (ls_parser_accept (p, LS_OP1 (';')) && p->token.kind != LS_TOKEN_NEWLINE);
  if (p->token.kind != LS_TOKEN_NEWLINE && p->token.kind != LS_TOKEN_END)
    return ls_parser_unexpected (p, "the end of the line");
  ls_parser_advance (p);
  if (items->len == 1)
    return items->pdata[0];
  LsAst *block = ls_parser_node (p, LS_AST_BLOCK, pos);
  ls_parser_items (p, block, items);
  return block;
}

static LsAst *
parse_statement (LsParser *p)
{
  if (ls_parser_at_word (p, "for"))
    return parse_for (p);
  if (ls_parser_at_word (p, "if"))
    return parse_if (p);
  if (ls_parser_at_word (p, "def"))
    return parse_def (p);
  return parse_line (p);
}

static LsAst *
parse_block (LsParser *p)
{
  if (p->failed || !ls_parser_expect (p, LS_OP1 (':'), "':'"))
    return NULL;
  if (p->token.kind != LS_TOKEN_NEWLINE)
    return parse_line (p);
  ls_parser_advance (p);
  if (p->token.kind != LS_TOKEN_INDENT)
    return ls_parser_fail (p, p->token.start, NULL, "an indented block is expected here");
  if (!ls_parser_enter (p))
    return NULL;
  LsAst *block = ls_parser_node (p, LS_AST_BLOCK, p->token.start);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  ls_parser_advance (p);
  while (!p->failed && p->token.kind != LS_TOKEN_DEDENT && p->token.kind != LS_TOKEN_END) {
    if (p->token.kind == LS_TOKEN_NEWLINE) {
      ls_parser_advance (p);
      continue;
    }
    LsAst *node = parse_statement (p);
    if (!node)
      return NULL;
    g_ptr_array_add (items, node);
  }
  if (p->token.kind == LS_TOKEN_DEDENT)
    ls_parser_advance (p);
  ls_parser_leave (p);
  ls_parser_items (p, block, items);
  return p->failed ? NULL : block;
}

/* Where the text of a statement that began at start ends: before the token that follows, without the space between. */
static guint32
statement_end (const LsParser *p, guint32 start)
{
  guint32 end = MIN (p->token.start, p->source->length);
  const char *text = p->source->text;
  for (;;) {
    while (end > start && strchr (" \t\r\n\f", text[end - 1]))
      end--;
    guint32 line = end;      /* lines that are only a comment belong to what follows */
    while (line > start && text[line - 1] != '\n')
      line--;
    guint32 first = line;
    while (first < end && (text[first] == ' ' || text[first] == '\t'))
      first++;
    if (line == start || first == end || text[first] != '#')
      return end;
    end = line;
  }
}

gboolean
ls_syntax_parse (LsSyntax *syntax, const LsSource *source, guint32 *error_pos, GError **error)
{
  LsParser p = { .source = source, .syntax = syntax };
  const char *bad;
  syntax->global = p.scope = ls_parser_scope (&p, NULL);
  if (source->length > G_MAXUINT32 / 4)
    ls_parser_fail (&p, 0, NULL, "the program is too large");
  else if (!g_utf8_validate (source->text, source->length, &bad))
    ls_parser_fail (&p, bad - source->text, NULL, *bad ? "the program is no valid UTF-8 text" : "the program contains a NUL byte");
  else {
    ls_lexer_init (&p.lexer, source);
    ls_parser_advance (&p);
  }
  while (!p.failed && p.token.kind != LS_TOKEN_END) {
    if (p.token.kind == LS_TOKEN_NEWLINE) {
      ls_parser_advance (&p);
      continue;
    }
    LsTopStatement top = { .start = p.token.start };
    top.node = parse_statement (&p);
    if (p.failed)
      break;
    top.end = statement_end (&p, top.start);
    g_array_append_val (syntax->statements, top);
  }
  if (!p.failed)
    return TRUE;
  g_autofree char *report = ls_source_report (source, p.error_pos, p.message, p.hint);
  g_set_error_literal (error, LS_ERROR, LS_ERROR_SYNTAX, report);
  *error_pos = p.error_pos;
  g_free (p.message);
  g_free (p.hint);
  return FALSE;
}
