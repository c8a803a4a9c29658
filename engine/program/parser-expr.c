/* Expressions, by precedence. */
#include "parser-private.h"

#include <string.h>

static LsAst *parse_unary (LsParser *p);
static LsAst *parse_comparison (LsParser *p);

static LsAst *
pair (LsParser *p, LsAstKind kind, guint32 pos, LsOperator op, LsAst *a, LsAst *b)
{
  LsAst *node = ls_parser_node (p, kind, pos);
  node->op = op;
  node->a = ls_parser_adopt (p, node, a);
  node->b = ls_parser_adopt (p, node, b);
  return node->a && node->b ? node : NULL;
}

static LsAst *
constant (LsParser *p, guint32 pos, LsValue value)
{
  LsAst *node = ls_parser_node (p, LS_AST_CONST, pos);
  node->value = value;
  return node;
}

/* "for" clauses and conditions after an element; scope was opened before the element was read. */
static LsAst *
parse_comprehension (LsParser *p, guint32 pos, LsAst *element, LsScope *scope)
{
  LsAst *node = ls_parser_node (p, LS_AST_COMPREHENSION, pos);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  scope->transparent = FALSE;
  scope->names = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_ptr_array_add (p->syntax->scopes, scope);
  node->scope = scope;
  node->a = ls_parser_adopt (p, node, element);
  while (!p->failed && (ls_parser_at_word (p, "for") || ls_parser_at_word (p, "if"))) {
    gboolean is_for = ls_parser_at_word (p, "for");
    LsAst *clause = ls_parser_node (p, is_for ? LS_AST_FOR : LS_AST_IF, p->token.start);
    ls_parser_advance (p);
    if (is_for) {
      LsAst *target = ls_parse_targets (p);
      if (!target || !ls_parser_target (p, target, scope))
        return NULL;
      clause->a = ls_parser_adopt (p, clause, target);
      if (!ls_parser_accept_word (p, "in"))
        return ls_parser_unexpected (p, "'in'");
      p->scope = items->len == 0 ? scope->parent : scope;      /* the first iterable is read outside */
      clause->op = items->len == 0;
      clause->b = ls_parser_adopt (p, clause, parse_comparison (p));
      p->scope = scope;
    } else {
      clause->a = ls_parser_adopt (p, clause, parse_comparison (p));
    }
    g_ptr_array_add (items, clause);
  }
  ls_parser_items (p, node, items);
  return p->failed ? NULL : node;
}

/* What stands between brackets, up to the closing one: elements, or a comprehension. tuple_only: "(a)" is a itself. */
static LsAst *
parse_bracket (LsParser *p, guint32 close, const char *close_text, LsAstKind kind)
{
  guint32 pos = p->token.start;
  LsScope *outer = p->scope, *scope = ls_parser_scope (p, outer);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  LsAst *node = NULL;
  gboolean comma = FALSE;
  if (!ls_parser_enter (p))
    return NULL;
  ls_parser_advance (p);
  scope->transparent = TRUE;
  p->scope = scope;
  while (!p->failed && !ls_parser_at (p, close)) {
    LsAst *item = NULL;
    guint32 at = p->token.start;
    if (ls_parser_accept (p, LS_OP1 ('*'))) {
      item = ls_parser_node (p, LS_AST_STAR, at);
      item->a = ls_parser_adopt (p, item, ls_parse_test (p));
    } else {
      item = ls_parse_test (p);
    }
    if (!item || p->failed)
      break;
    if (ls_parser_at_word (p, "for") && items->len == 0) {
      node = parse_comprehension (p, pos, item, scope);
      break;
    }
    g_ptr_array_add (items, item);
    comma = ls_parser_accept (p, LS_OP1 (','));
    if (!comma)
      break;
  }
  p->scope = outer;
  ls_parser_leave (p);
  if (p->failed || !ls_parser_expect (p, close, close_text))
    return NULL;
  if (node)
    return node;
  if (kind == LS_AST_TUPLE && items->len == 1 && !comma) {
    LsAst *only = items->pdata[0];
    return only->kind == LS_AST_STAR ? ls_parser_fail (p, only->pos, NULL, "'*' has no meaning here") : only;
  }
  node = ls_parser_node (p, kind, pos);
  ls_parser_items (p, node, items);
  return p->failed ? NULL : node;
}

static LsAst *
parse_atom (LsParser *p)
{
  LsToken t = p->token;
  switch (t.kind) {
  case LS_TOKEN_INT:
    ls_parser_advance (p);
    return constant (p, t.start, ls_value_uint (t.u));
  case LS_TOKEN_FLOAT:
    ls_parser_advance (p);
    return constant (p, t.start, ls_value_float (t.f));
  case LS_TOKEN_STRING:
    return ls_parse_strings (p);
  case LS_TOKEN_NAME: {
    if (ls_parser_accept_word (p, "None"))
      return constant (p, t.start, ls_value_none ());
    if (ls_parser_at_word (p, "True") || ls_parser_at_word (p, "False")) {
      gboolean value = ls_parser_at_word (p, "True");
      ls_parser_advance (p);
      return constant (p, t.start, ls_value_bool (value));
    }
    if (ls_parser_is_keyword (p))
      return ls_parser_unexpected (p, "an expression");
    LsAst *node = ls_parser_node (p, LS_AST_NAME, t.start);
    node->name = ls_parser_name (p);
    node->scope = p->scope;
    node->hops = LS_HOPS_UNKNOWN;
    return node;
  }
  case LS_TOKEN_OPERATOR:
    if (t.op == LS_OP1 ('('))
      return parse_bracket (p, LS_OP1 (')'), "')'", LS_AST_TUPLE);
    if (t.op == LS_OP1 ('['))
      return parse_bracket (p, LS_OP1 (']'), "']'", LS_AST_LIST);
    if (t.op == LS_OP1 ('{'))
      return ls_parser_fail (p, t.start, "use a list or a tuple", "dictionaries and sets are not part of the program language");
    if (t.op == LS_OP3 ('.', '.', '.')) {
      ls_parser_advance (p);
      return constant (p, t.start, (LsValue) { .kind = LS_VALUE_ELLIPSIS });
    }
    return ls_parser_unexpected (p, "an expression");
  default:
    return ls_parser_unexpected (p, "an expression");
  }
}

static LsAst *
parse_call (LsParser *p, LsAst *function)
{
  LsAst *node = ls_parser_node (p, LS_AST_CALL, function->pos);
  LsScope *outer = p->scope, *scope = ls_parser_scope (p, outer);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gboolean keywords = FALSE;
  scope->transparent = TRUE;
  p->scope = scope;
  while (!p->failed && !ls_parser_at (p, LS_OP1 (')'))) {
    guint32 at = p->token.start;
    LsAst *item;
    if (ls_parser_at (p, LS_OP2 ('*', '*')))
      return ls_parser_fail (p, at, NULL, "'**' arguments are not part of the program language");
    if (ls_parser_accept (p, LS_OP1 ('*'))) {
      item = ls_parser_node (p, LS_AST_STAR, at);
      item->a = ls_parser_adopt (p, item, ls_parse_test (p));
    } else if ((item = ls_parse_test (p)) && ls_parser_at (p, LS_OP1 ('='))) {
      if (item->kind != LS_AST_NAME)
        return ls_parser_fail (p, item->pos, "'==' compares", "a keyword argument begins with a name");
      LsAst *keyword = ls_parser_node (p, LS_AST_KEYWORD, at);
      keyword->name = item->name;
      ls_parser_advance (p);
      keyword->a = ls_parser_adopt (p, keyword, ls_parse_test (p));
      item = keyword;
      keywords = TRUE;
    } else if (item && keywords) {
      return ls_parser_fail (p, at, NULL, "a positional argument follows a keyword argument");
    }
    if (!item || p->failed)
      return NULL;
    if (items->len == 0 && ls_parser_at_word (p, "for"))
      item = parse_comprehension (p, at, item, scope);
    if (!item)
      return NULL;
    g_ptr_array_add (items, item);
    if (!ls_parser_accept (p, LS_OP1 (',')))
      break;
  }
  p->scope = outer;
  if (p->failed || !ls_parser_expect (p, LS_OP1 (')'), "',' or ')'"))
    return NULL;
  node->a = ls_parser_adopt (p, node, function);
  ls_parser_items (p, node, items);
  return p->failed ? NULL : node;
}

static LsAst *
parse_slice_part (LsParser *p)
{
  return ls_parser_at (p, LS_OP1 (':')) || ls_parser_at (p, LS_OP1 (',')) || ls_parser_at (p, LS_OP1 (']')) ? NULL : ls_parse_test (p);
}

static LsAst *
parse_subscript (LsParser *p)
{
  guint32 pos = p->token.start;
  LsAst *start = parse_slice_part (p);
  if (p->failed || !ls_parser_at (p, LS_OP1 (':')))
    return start ? start : ls_parser_unexpected (p, "an index");
  LsAst *node = ls_parser_node (p, LS_AST_SLICE, pos);
  node->a = start ? ls_parser_adopt (p, node, start) : NULL;
  ls_parser_advance (p);
  LsAst *stop = parse_slice_part (p);
  node->b = stop ? ls_parser_adopt (p, node, stop) : NULL;
  if (ls_parser_accept (p, LS_OP1 (':'))) {
    LsAst *step = parse_slice_part (p);
    node->c = step ? ls_parser_adopt (p, node, step) : NULL;
  }
  return p->failed ? NULL : node;
}

static LsAst *
parse_index (LsParser *p, LsAst *object)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  guint32 pos = p->token.start;
  gboolean comma = FALSE;
  do {
    if (comma && ls_parser_at (p, LS_OP1 (']')))
      break;
    LsAst *item = parse_subscript (p);
    if (!item)
      return NULL;
    g_ptr_array_add (items, item);
    comma = ls_parser_at (p, LS_OP1 (',')) || comma;
  } while (ls_parser_accept (p, LS_OP1 (',')));
  if (!ls_parser_expect (p, LS_OP1 (']'), "',' or ']'"))
    return NULL;
  LsAst *index = items->pdata[0];
  if (comma) {
    index = ls_parser_node (p, LS_AST_TUPLE, pos);
    ls_parser_items (p, index, items);
  }
  return pair (p, LS_AST_INDEX, object->pos, 0, object, index);
}

static LsAst *
parse_primary (LsParser *p)
{
  LsAst *node = parse_atom (p);
  while (node && !p->failed) {
    guint32 pos = p->token.start;
    if (ls_parser_accept (p, LS_OP1 ('.'))) {
      LsAst *attribute = ls_parser_node (p, LS_AST_ATTRIBUTE, p->token.start);
      if (p->token.kind != LS_TOKEN_NAME)
        return ls_parser_unexpected (p, "a name");
      attribute->name = ls_parser_name (p);
      attribute->a = ls_parser_adopt (p, attribute, node);
      node = attribute;
    } else if (ls_parser_at (p, LS_OP1 ('(')) || ls_parser_at (p, LS_OP1 ('['))) {
      gboolean call = ls_parser_at (p, LS_OP1 ('('));
      if (!ls_parser_enter (p))
        return NULL;
      ls_parser_advance (p);
      LsAst *next = call ? parse_call (p, node) : parse_index (p, node);
      ls_parser_leave (p);
      if (next && next->kind == LS_AST_CALL && node->kind == LS_AST_ATTRIBUTE)
        next->pos = node->pos;
      else if (next && !call)
        next->pos = pos;
      node = next;
    } else {
      break;
    }
  }
  return p->failed ? NULL : node;
}

static LsAst *
parse_power (LsParser *p)
{
  LsAst *base = parse_primary (p);
  guint32 pos = p->token.start;
  if (!base || !ls_parser_accept (p, LS_OP2 ('*', '*')))
    return base;
  if (!ls_parser_enter (p))
    return NULL;
  LsAst *node = pair (p, LS_AST_BINARY, pos, LS_OPERATOR_POW, base, parse_unary (p));
  ls_parser_leave (p);
  return node;
}

static LsAst *
parse_unary (LsParser *p)
{
  LsOperator op = ls_parser_at (p, LS_OP1 ('-')) ? LS_OPERATOR_NEG : ls_parser_at (p, LS_OP1 ('+')) ? LS_OPERATOR_POS
                : ls_parser_at (p, LS_OP1 ('~')) ? LS_OPERATOR_INVERT : LS_N_OPERATORS;
  if (op == LS_N_OPERATORS)
    return parse_power (p);
  LsAst *node = ls_parser_node (p, LS_AST_UNARY, p->token.start);
  node->op = op;
  if (!ls_parser_enter (p))
    return NULL;
  ls_parser_advance (p);
  node->a = ls_parser_adopt (p, node, parse_unary (p));
  ls_parser_leave (p);
  return node->a ? node : NULL;
}

/* Binary operators by how tightly they bind, loosest first. */
static int
binary_level (guint32 op, LsOperator *out)
{
  switch (op) {
  case LS_OP1 ('|'): *out = LS_OPERATOR_OR; return 0;
  case LS_OP1 ('^'): *out = LS_OPERATOR_XOR; return 1;
  case LS_OP1 ('&'): *out = LS_OPERATOR_AND; return 2;
  case LS_OP2 ('<', '<'): *out = LS_OPERATOR_LSHIFT; return 3;
  case LS_OP2 ('>', '>'): *out = LS_OPERATOR_RSHIFT; return 3;
  case LS_OP1 ('+'): *out = LS_OPERATOR_ADD; return 4;
  case LS_OP1 ('-'): *out = LS_OPERATOR_SUB; return 4;
  case LS_OP1 ('*'): *out = LS_OPERATOR_MUL; return 5;
  case LS_OP1 ('/'): *out = LS_OPERATOR_DIV; return 5;
  case LS_OP2 ('/', '/'): *out = LS_OPERATOR_FLOORDIV; return 5;
  case LS_OP1 ('%'): *out = LS_OPERATOR_MOD; return 5;
  case LS_OP1 ('@'): *out = LS_OPERATOR_MATMUL; return 5;
  default: return -1;
  }
}

static LsAst *
parse_binary (LsParser *p, int level)
{
  LsAst *left = parse_unary (p);
  while (left && !p->failed && p->token.kind == LS_TOKEN_OPERATOR) {
    LsOperator op = LS_N_OPERATORS;
    guint32 pos = p->token.start;
    int found = binary_level (p->token.op, &op);
    if (found < level)
      break;
    ls_parser_advance (p);
    left = pair (p, LS_AST_BINARY, pos, op, left, parse_binary (p, found + 1));
  }
  return left;
}

static LsOperator
comparison_operator (LsParser *p)
{
  if (p->token.kind == LS_TOKEN_OPERATOR)
    switch (p->token.op) {
    case LS_OP1 ('<'): return LS_OPERATOR_LT;
    case LS_OP1 ('>'): return LS_OPERATOR_GT;
    case LS_OP2 ('<', '='): return LS_OPERATOR_LE;
    case LS_OP2 ('>', '='): return LS_OPERATOR_GE;
    case LS_OP2 ('=', '='): return LS_OPERATOR_EQ;
    case LS_OP2 ('!', '='): return LS_OPERATOR_NE;
    default: return LS_N_OPERATORS;
    }
  return ls_parser_at_word (p, "in") ? LS_OPERATOR_IN : ls_parser_at_word (p, "is") ? LS_OPERATOR_IS
       : ls_parser_at_word (p, "not") ? LS_OPERATOR_NOT_IN : LS_N_OPERATORS;
}

/* a < b < c is one COMPARE whose c is the next, with the same middle operand. */
static LsAst *
parse_compared (LsParser *p)
{
  LsAst *first = NULL, *last = NULL, *left = parse_binary (p, 0);
  guint chain = 0;
  while (left && !p->failed) {
    LsOperator op = comparison_operator (p);
    guint32 pos = p->token.start;
    if (op == LS_N_OPERATORS)
      break;
    ls_parser_advance (p);
    if (op == LS_OPERATOR_NOT_IN && !ls_parser_accept_word (p, "in"))
      return ls_parser_unexpected (p, "'in'");
    if (op == LS_OPERATOR_IS && ls_parser_accept_word (p, "not"))
      op = LS_OPERATOR_IS_NOT;
    LsAst *right = parse_binary (p, 0), *node = pair (p, LS_AST_COMPARE, pos, op, left, right);
    if (!node)
      return NULL;
    if (++chain > LS_MAX_NESTING)
      return ls_parser_fail (p, pos, NULL, "too many comparisons in a row");
    if (last)
      last->c = node;
    else
      first = node;
    last = node;
    left = right;
  }
  if (first)
    first->depth = MIN (first->depth + chain, G_MAXUINT16);
  return p->failed ? NULL : first ? first : left;
}

static LsAst *
parse_not (LsParser *p)
{
  guint32 pos = p->token.start;
  if (!ls_parser_at_word (p, "not"))
    return parse_compared (p);
  LsAst *node = ls_parser_node (p, LS_AST_NOT, pos);
  if (!ls_parser_enter (p))
    return NULL;
  ls_parser_advance (p);
  node->a = ls_parser_adopt (p, node, parse_not (p));
  ls_parser_leave (p);
  return node->a ? node : NULL;
}

/* or over and over not. */
static LsAst *
parse_comparison (LsParser *p)
{
  LsAst *either = NULL;
  guint32 or_pos = 0;
  for (;;) {
    LsAst *both = parse_not (p);
    guint32 pos;
    while (both && (pos = p->token.start, ls_parser_accept_word (p, "and")))
      both = pair (p, LS_AST_AND, pos, 0, both, parse_not (p));
    either = either ? pair (p, LS_AST_OR, or_pos, 0, either, both) : both;
    or_pos = p->token.start;
    if (!either || !ls_parser_accept_word (p, "or"))
      return p->failed ? NULL : either;
  }
}

LsFunctionSyntax *
ls_parse_parameters (LsParser *p, const char *name, guint32 end, gboolean annotations)
{
  LsFunctionSyntax *function = ls_heap_new (&p->syntax->arena, LsFunctionSyntax);
  g_autoptr (GArray) params = g_array_new (FALSE, FALSE, sizeof (LsParameter));
  gboolean defaults = FALSE;
  function->name = name;
  function->scope = ls_parser_scope (p, p->scope);
  function->scope->names = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_ptr_array_add (p->syntax->scopes, function->scope);
  while (!p->failed && !ls_parser_at (p, end)) {
    guint32 pos = p->token.start;
    if (function->has_rest)
      return ls_parser_fail (p, pos, NULL, "'*%s' must be the last parameter", (char *) p->syntax->names->pdata[g_array_index (params, LsParameter, params->len - 1).name]);
    function->has_rest = ls_parser_accept (p, LS_OP1 ('*'));
    if (p->token.kind != LS_TOKEN_NAME || ls_parser_is_keyword (p))
      return ls_parser_unexpected (p, "a parameter's name");
    guint before = function->scope->names->len;
    LsParameter param = { .name = ls_parser_name (p) };
    ls_scope_declare (function->scope, param.name);
    if (function->scope->names->len == before)
      return ls_parser_fail (p, pos, NULL, "two parameters have the same name");
    if (annotations && ls_parser_accept (p, LS_OP1 (':')) && !ls_parse_test (p))
      return NULL;
    if (!function->has_rest && ls_parser_accept (p, LS_OP1 ('='))) {
      if (!(param.value = ls_parse_test (p)))
        return NULL;
      defaults = TRUE;
    } else if (defaults && !function->has_rest) {
      return ls_parser_fail (p, pos, NULL, "a parameter without a default follows one with a default");
    }
    g_array_append_val (params, param);
    if (!ls_parser_accept (p, LS_OP1 (',')))
      break;
  }
  function->n_params = params->len;
  function->params = ls_heap_array (&p->syntax->arena, LsParameter, params->len);
  if (params->len > 0)
    memcpy (function->params, params->data, params->len * sizeof (LsParameter));
  return p->failed ? NULL : function;
}

static LsAst *
parse_lambda (LsParser *p)
{
  LsAst *node = ls_parser_node (p, LS_AST_LAMBDA, p->token.start);
  LsScope *outer = p->scope;
  ls_parser_advance (p);
  node->function = ls_parse_parameters (p, "<lambda>", LS_OP1 (':'), FALSE);
  if (!node->function || !ls_parser_expect (p, LS_OP1 (':'), "':'"))
    return NULL;
  node->function->is_lambda = TRUE;
  p->scope = node->function->scope;
  node->function->body = ls_parser_adopt (p, node, ls_parse_test (p));
  p->scope = outer;
  return p->failed ? NULL : node;
}

LsAst *
ls_parse_test (LsParser *p)
{
  if (!ls_parser_enter (p))
    return NULL;
  LsAst *node = ls_parser_at_word (p, "lambda") ? parse_lambda (p) : parse_comparison (p);
  guint32 pos = p->token.start;
  if (node && ls_parser_accept_word (p, "if")) {
    LsAst *choice = ls_parser_node (p, LS_AST_CONDITIONAL, pos);
    choice->a = ls_parser_adopt (p, choice, node);
    choice->b = ls_parser_adopt (p, choice, parse_comparison (p));
    if (!p->failed && !ls_parser_accept_word (p, "else"))
      ls_parser_unexpected (p, "'else'");
    choice->c = p->failed ? NULL : ls_parser_adopt (p, choice, ls_parse_test (p));
    node = choice;
  }
  if (!p->failed && ls_parser_at (p, LS_OP2 (':', '=')))
    ls_parser_fail (p, p->token.start, "assign on a line of its own", "':=' is not part of the program language");
  ls_parser_leave (p);
  return p->failed ? NULL : node;
}

static gboolean
at_end_of_list (LsParser *p)
{
  return p->token.kind == LS_TOKEN_NEWLINE || p->token.kind == LS_TOKEN_END || ls_parser_at (p, LS_OP1 ('=')) || ls_parser_at (p, LS_OP1 (')')) ||
         ls_parser_at (p, LS_OP1 (';')) || ls_parser_at (p, LS_OP1 (':')) || ls_parser_at (p, LS_OP1 ('}')) || ls_parser_at_word (p, "in");
}

static LsAst *
parse_list (LsParser *p, LsAst *(*element) (LsParser *))
{
  guint32 pos = p->token.start;
  LsAst *first = element (p);
  if (!first || !ls_parser_at (p, LS_OP1 (',')))
    return first;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_ptr_array_add (items, first);
  while (ls_parser_accept (p, LS_OP1 (',')) && !at_end_of_list (p)) {
    LsAst *item = element (p);
    if (!item)
      return NULL;
    g_ptr_array_add (items, item);
  }
  LsAst *tuple = ls_parser_node (p, LS_AST_TUPLE, pos);
  ls_parser_items (p, tuple, items);
  return p->failed ? NULL : tuple;
}

LsAst *
ls_parse_expressions (LsParser *p)
{
  return parse_list (p, ls_parse_test);
}

LsAst *
ls_parse_targets (LsParser *p)
{
  return parse_list (p, parse_primary);
}
