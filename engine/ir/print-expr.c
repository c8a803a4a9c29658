/* Expressions: a graph as one infix line, for messages and tooltips.
 *
 * Loop counters and buffers have the names that names.h gives them; parentheses are those that precedence needs, and one
 * pair around the whole. Printing stops at the limit, so that a large graph costs no more than its first characters;
 * pieces still to be printed wait on a stack.
 */
#include "print-private.h"
#include "names.h"
#include <string.h>

typedef struct { LsUOp *node; const char *text; int level; } Piece;

typedef struct {
  const LsNames *names;
  GString *out;
  GArray  *stack;      /* Piece, next one last */
} Expr;

static void
push (Expr *e, LsUOp *node, const char *text, int level)
{
  Piece piece = { node, text, level };
  g_array_append_val (e->stack, piece);
}

/* The precedence of an infix op; 0: it is not infix. */
static int
level_of (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_MUL: case LS_OP_FDIV: case LS_OP_IDIV: case LS_OP_MOD: case LS_OP_FLOORDIV: case LS_OP_FLOORMOD: return 9;
  case LS_OP_ADD: case LS_OP_SUB: return 8;
  case LS_OP_SHL: case LS_OP_SHR: return 7;
  case LS_OP_AND: return 6;
  case LS_OP_XOR: return 5;
  case LS_OP_OR: return 4;
  case LS_OP_CMPLT: case LS_OP_CMPEQ: case LS_OP_CMPNE: return 3;
  case LS_OP_WHERE: return 1;
  default: return 0;
  }
}

static void
append_name (GString *out, const LsNames *names, const LsUOp *u)
{
  if (ls_has_loop_name (u)) {
    g_autofree char *name = ls_name_of_loop (names, u);
    g_string_append (out, name);
    return;
  }
  if (ls_has_buffer_name (u)) {
    g_autofree char *name = ls_name_of_buffer (names, u);
    g_string_append (out, name);
    return;
  }
  switch ((int) u->op) {
  case LS_OP_CONST: ls_print_value (out, u->dtype, u->arg); break;
  case LS_OP_DEFINE_VAR: case LS_OP_BIND: g_string_append (out, u->arg.kind == LS_ARG_VAR ? u->arg.var->name : "variable"); break;
  case LS_OP_VIEW: g_string_append (out, "view"); break;
  case LS_OP_NOOP: g_string_append (out, u->arg.kind == LS_ARG_STR ? u->arg.str : ls_op_name (u->op)); break;
  default: g_string_append (out, ls_op_name (u->op));
  }
}

/* Pushes the parts of an op's text, last piece first. */
static void
push_call (Expr *e, LsUOp *u, const char *name, guint first)
{
  push (e, NULL, ")", 0);
  for (guint s = u->n_src; s-- > first; ) {
    push (e, u->src[s], NULL, 0);
    if (s > first)
      push (e, NULL, ", ", 0);
  }
  push (e, NULL, "(", 0);
  push (e, NULL, name, 0);
}

static void
push_infix (Expr *e, LsUOp *u, int level, int outer)
{
  gboolean brackets = level < outer;
  if (brackets)
    push (e, NULL, ")", 0);
  push (e, u->src[1], NULL, level + 1);
  push (e, NULL, u->op == LS_OP_FLOORMOD ? "%" : ls_op_info (u->op)->symbol, 0);
  push (e, u->src[0], NULL, level);
  if (brackets)
    push (e, NULL, "(", 0);
}

static void
expand (Expr *e, LsUOp *u, int outer)
{
  int level = level_of (u);
  if (u->op == LS_OP_INDEX && u->n_src >= 2) {
    push (e, NULL, "]", 0);
    push (e, u->src[1], NULL, 0);
    push (e, NULL, "[", 0);
    push (e, u->src[0], NULL, 10);
  } else if (u->op == LS_OP_LOAD && u->n_src == 1)
    push (e, u->src[0], NULL, outer);
  else if (u->op == LS_OP_LOAD && u->n_src == 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->n_src > 2) {
    if (outer > 1)
      push (e, NULL, ")", 0);
    push (e, u->src[1], NULL, 1);
    push (e, NULL, ":", 0);
    push (e, u->src[0], NULL, 2);
    push (e, NULL, "?", 0);
    push (e, u->src[0]->src[2], NULL, 2);
    if (outer > 1)
      push (e, NULL, "(", 0);
  } else if (u->op == LS_OP_LOAD && u->n_src == 2)
    push (e, u->src[0], NULL, outer);      /* of the kernel AST: buffer, view */
  else if (u->op == LS_OP_PHI && u->n_src)
    push (e, u->src[0], NULL, outer);
  else if (u->op == LS_OP_STORE && u->n_src >= 2) {
    push (e, u->src[u->n_src - 1], NULL, 0);
    push (e, NULL, " = ", 0);
    push (e, u->src[0], NULL, 0);
  } else if (u->op == LS_OP_WHERE && u->n_src == 3) {
    if (outer > 1)
      push (e, NULL, ")", 0);
    push (e, u->src[2], NULL, 1);
    push (e, NULL, ":", 0);
    push (e, u->src[1], NULL, 2);
    push (e, NULL, "?", 0);
    push (e, u->src[0], NULL, 2);
    if (outer > 1)
      push (e, NULL, "(", 0);
  } else if (level && u->n_src == 2)
    push_infix (e, u, level, outer);
  else if ((u->op == LS_OP_NEG || u->op == LS_OP_NOT) && u->n_src == 1) {
    push (e, u->src[0], NULL, 10);
    push (e, NULL, u->op == LS_OP_NEG ? "-" : ls_dtype_is_bool (u->dtype) ? "!" : "~", 0);
  } else if (u->op == LS_OP_CAST && u->n_src == 1)
    push_call (e, u, ls_dtype_name (u->dtype), 0);
  else if (u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL || u->op == LS_OP_DEFINE_ACC || u->op == LS_OP_CONST || u->op == LS_OP_BIND ||
           !u->n_src)
    append_name (e->out, e->names, u);
  else {
    const char *symbol = ls_op_info (u->op)->symbol;
    push_call (e, u, *symbol ? symbol : ls_op_name (u->op), 0);
  }
}

/**
 * ls_expr_print:
 * @names: (nullable): what the loops of its kernel are called
 * @u: the root of the expression
 * @max: characters after which it is cut with "…"; 0: never
 *
 * Returns: (transfer full): "(i*64+k)"
 */
char *
ls_expr_print (const LsNames *names, LsUOp *u, guint max)
{
  Expr e = { names, g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (Piece)) };
  push (&e, u, NULL, 10);
  while (e.stack->len && (!max || e.out->len <= max)) {
    Piece piece = g_array_index (e.stack, Piece, e.stack->len - 1);
    g_array_set_size (e.stack, e.stack->len - 1);
    if (piece.text)
      g_string_append (e.out, piece.text);
    else
      expand (&e, piece.node, piece.level);
  }
  if (max && (e.stack->len || e.out->len > max) && g_utf8_strlen (e.out->str, -1) > max) {
    g_string_truncate (e.out, g_utf8_offset_to_pointer (e.out->str, max) - e.out->str);
    g_string_append (e.out, "…");
  } else if (max && e.stack->len)
    g_string_append (e.out, "…");
  g_array_unref (e.stack);
  return g_string_free (e.out, FALSE);
}

char *
ls_expr_bare (const LsNames *names, LsUOp *u, guint max)
{
  char *text = ls_expr_print (names, u, max);
  gsize n = strlen (text);
  gboolean pair = n > 1 && text[0] == '(' && text[n - 1] == ')';
  for (gsize i = 0, depth = 0; pair && i + 1 < n; i++) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? (gsize) -1 : 0;
    pair = depth > 0;
  }
  if (pair) {
    memmove (text, text + 1, n - 2);
    text[n - 2] = '\0';
  }
  return text;
}
