/* The rule language: from text to compiled rules. engine/rules/README.md describes it for those who write rules.
 *
 * A file is lines. Comment lines before a rule are its sentence. A rule is
 *     name: pattern -> result [when guards] [class CLASS] [ordered]
 * and may go on in indented lines. The parser is a recursive descent over one rule's text; nesting is bounded.
 */
#include "rules-private.h"

#include <math.h>
#include <string.h>

typedef enum { T_END, T_NAME, T_CONST, T_INT, T_FLOAT, T_SYM } TokKind;
typedef struct { TokKind kind; char text[40]; gint64 i; double f; guint line, column; } Tok;

typedef struct {
  const char *file;
  const char *text;          /* whole file */
  const char *p, *end;       /* rest of the rule */
  guint       line, line_start_line;
  const char *line_start;
  Tok         tok;
  Rule       *rule;
  gboolean    in_result;
  int         depth;
  LsRuleLibrary *library;
  GError    **error;
  gboolean    failed;
} Parser;

static void
fail_at (Parser *p, guint line, guint column, const char *format, ...)
{
  if (p->failed)
    return;
  p->failed = TRUE;
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  const char *s = p->text;
  for (guint l = 1; l < line && (s = strchr (s, '\n')); l++)
    s++;
  if (!s)
    s = "";
  int length = (int) MIN (strcspn (s, "\r\n"), 200);
  g_autofree char *shown = g_utf8_make_valid (s, length);
  g_set_error (p->error, LS_ERROR, LS_ERROR_RULE, "%s:%u:%u: error: %s\n    %s\n    %*s^", p->file, line, column, message, shown, (int) column - 1, "");
}
#define fail(p, ...) fail_at (p, (p)->tok.line, (p)->tok.column, __VA_ARGS__)

static void
next (Parser *p)
{
  while (p->p < p->end && (*p->p == ' ' || *p->p == '\t' || *p->p == '\n' || *p->p == '\r')) {
    if (*p->p == '\n') {
      p->line++;
      p->line_start = p->p + 1;
    }
    p->p++;
  }
  Tok *t = &p->tok;
  t->line = p->line;
  t->column = (guint) (p->p - p->line_start) + 1;
  t->text[0] = 0;
  if (p->p >= p->end) {
    t->kind = T_END;
    return;
  }
  char c = *p->p;
  gboolean dollar = c == '$';
  if (dollar || g_ascii_isalpha (c) || c == '_') {
    const char *s = p->p + dollar;
    guint n = 0;
    while (s + n < p->end && (g_ascii_isalnum (s[n]) || s[n] == '_'))
      n++;
    if (n == 0 || n >= sizeof t->text) {
      fail (p, n == 0 ? "a name must follow '$'" : "the name is too long");
      t->kind = T_END;
      return;
    }
    memcpy (t->text, s, n);
    t->text[n] = 0;
    t->kind = dollar ? T_CONST : T_NAME;
    p->p = s + n;
    return;
  }
  if (g_ascii_isdigit (c)) {
    char *e1, *e2;
    t->i = g_ascii_strtoll (p->p, &e1, 10);
    t->f = g_ascii_strtod (p->p, &e2);
    t->kind = e2 > e1 && (*e1 == '.' || *e1 == 'e') ? T_FLOAT : T_INT;
    p->p = t->kind == T_FLOAT ? e2 : e1;
    return;
  }
  static const char *const symbols[] = { "->", "//", "==", "!=", "<=", ">=", "<<", ">>" };
  t->kind = T_SYM;
  for (gsize i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (p->p + 2 <= p->end && strncmp (p->p, symbols[i], 2) == 0) {
      strcpy (t->text, symbols[i]);
      p->p += 2;
      return;
    }
  if (!strchr ("+-*/%&|^!<>()[],:=", c)) {
    fail (p, "unexpected character");
    t->kind = T_END;
    return;
  }
  t->text[0] = c;
  t->text[1] = 0;
  p->p++;
}

static gboolean is_sym (Parser *p, const char *s) { return p->tok.kind == T_SYM && strcmp (p->tok.text, s) == 0; }
static gboolean is_name (Parser *p, const char *s) { return p->tok.kind == T_NAME && strcmp (p->tok.text, s) == 0; }

static gboolean
accept (Parser *p, const char *s)
{
  if (!is_sym (p, s))
    return FALSE;
  next (p);
  return TRUE;
}

static void
expect (Parser *p, const char *s)
{
  if (!accept (p, s))
    fail (p, "expected '%s'", s);
}

static gpointer
keep (Parser *p, gpointer memory)
{
  g_ptr_array_add (p->library->allocations, memory);
  return memory;
}

static Pat *
new_pat (Parser *p, PatKind kind)
{
  Pat *pat = keep (p, g_new0 (Pat, 1));
  pat->kind = kind;
  pat->slot = -1;
  pat->dtype_slot = -1;
  pat->arg_op = -1;
  pat->bases = ~0u;
  return pat;
}

static int
slot_find (Parser *p, const char *name)
{
  for (guint i = 0; i < p->rule->n_slots; i++)
    if (strcmp (p->rule->slot_names[i], name) == 0)
      return (int) i;
  return -1;
}

static int
slot_of (Parser *p, const char *name, Tok at)
{
  int slot = slot_find (p, name);
  if (slot >= 0)
    return slot;
  if (p->in_result) {
    fail_at (p, at.line, at.column, "'%s' is not bound by the pattern", name);
    return 0;
  }
  if (p->rule->n_slots == LS_MAX_SLOTS) {
    fail (p, "a rule can bind at most %d names", LS_MAX_SLOTS);
    return 0;
  }
  p->rule->slot_names[p->rule->n_slots] = keep (p, g_strdup (name));
  return (int) p->rule->n_slots++;
}

static LsBaseMask
parse_class (Parser *p)
{
  static const struct { const char *name; guint kinds; } classes[] = {
    { "int", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX }, { "sint", 1u << LS_KIND_INT }, { "signed", 1u << LS_KIND_INT | 1u << LS_KIND_INDEX }, { "uint", 1u << LS_KIND_UINT },
    { "index", 1u << LS_KIND_INDEX }, { "float", 1u << LS_KIND_FLOAT }, { "bool", 1u << LS_KIND_BOOL },
    { "integral", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX | 1u << LS_KIND_BOOL },
    { "num", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX | 1u << LS_KIND_FLOAT },
    { "void", 1u << LS_KIND_VOID },
  };
  if (p->tok.kind != T_NAME) {
    fail (p, "expected a dtype class: int, sint, signed, uint, index, float, bool, integral, num");
    return 0;
  }
  LsBaseMask mask = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (p->tok.text, classes[i].name) == 0)
      for (guint b = 0; b < LS_N_BASES; b++)
        if (classes[i].kinds >> ls_base_infos[b].kind & 1)
          mask |= 1u << b;
  if (strcmp (p->tok.text, "half") == 0)
    mask = 1u << LS_BASE_HALF | 1u << LS_BASE_BFLOAT16;
  if (mask == 0)
    fail (p, "'%s' is no dtype class; known are int, sint, signed, uint, index, float, half, bool, integral, num", p->tok.text);
  next (p);
  return mask;
}

static gboolean
op_set (const char *name, guint64 *ops)
{
  LsOp op = ls_op_from_name (name);
  if (op < LS_N_OPS) {
    ls_ops_bit (ops, op);
    return TRUE;
  }
  int cls = strcmp (name, "UNARY") == 0 ? LS_CLASS_UNARY : strcmp (name, "BINARY") == 0 ? LS_CLASS_BINARY :
            strcmp (name, "TERNARY") == 0 ? LS_CLASS_TERNARY : strcmp (name, "MOVEMENT") == 0 ? LS_CLASS_MOVEMENT : -1;
  gboolean alu = strcmp (name, "ALU") == 0;
  for (guint i = 0; i < LS_N_OPS; i++)
    if (alu ? ls_op_info (i)->op_class >= LS_CLASS_UNARY : (int) ls_op_info (i)->op_class == cls && i != LS_OP_VIEW)
      ls_ops_bit (ops, i);
  return alu || cls >= 0;
}

static Pat *parse_expr (Parser *p, int level);

static void
parse_sources (Parser *p, Pat *pat)
{
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  expect (p, "(");
  while (!p->failed && !is_sym (p, ")")) {
    if (accept (p, "*")) {
      pat->rest = TRUE;
      break;
    }
    g_ptr_array_add (src, parse_expr (p, 0));
    if (!accept (p, ","))
      break;
  }
  expect (p, ")");
  pat->n_src = src->len;
  pat->src = keep (p, g_memdup2 (src->pdata, src->len * sizeof (gpointer)));
}

static Pat *
parse_primary (Parser *p)
{
  if (p->failed || ++p->depth > 60) {
    if (!p->failed)
      fail (p, "the rule is nested too deeply");
    return new_pat (p, PAT_ANY);
  }
  Pat *pat = NULL;
  gboolean negative = FALSE;
  if (accept (p, "(")) {
    pat = parse_expr (p, 0);
    expect (p, ")");
  } else if (is_sym (p, "-")) {
    next (p);
    if (p->tok.kind == T_INT || p->tok.kind == T_FLOAT) {
      negative = TRUE;
    } else {
      Pat *a = parse_primary (p);
      pat = new_pat (p, PAT_OP);
      ls_ops_bit (pat->ops, LS_OP_NEG);
      pat->n_src = 1;
      pat->src = keep (p, g_memdup2 (&a, sizeof a));
    }
  } else if (accept (p, "!")) {
    Pat *a = parse_primary (p);
    pat = new_pat (p, PAT_OP);
    ls_ops_bit (pat->ops, LS_OP_NOT);
    pat->n_src = 1;
    pat->src = keep (p, g_memdup2 (&a, sizeof a));
  }
  if (!pat && (p->tok.kind == T_INT || p->tok.kind == T_FLOAT)) {
    pat = new_pat (p, PAT_LITERAL);
    pat->literal_float = p->tok.kind == T_FLOAT;
    pat->literal_f = negative ? -p->tok.f : p->tok.f;
    pat->literal_i = negative ? -p->tok.i : p->tok.i;
    next (p);
  } else if (!pat && p->tok.kind == T_CONST) {
    pat = new_pat (p, PAT_CONST);
    pat->slot = slot_of (p, p->tok.text, p->tok);
    next (p);
  } else if (!pat && p->tok.kind == T_NAME) {
    char name[40];
    Tok at = p->tok;
    strcpy (name, p->tok.text);
    guint64 ops[2] = { 0, 0 };
    if (g_ascii_isupper (name[0])) {
      if (!op_set (name, ops)) {
        fail (p, "'%s' is no op", name);
        return new_pat (p, PAT_ANY);
      }
      next (p);
      while (accept (p, "|")) {
        if (p->tok.kind != T_NAME || !op_set (p->tok.text, ops))
          fail (p, "expected the name of an op");
        next (p);
      }
      pat = new_pat (p, PAT_OP);
      memcpy (pat->ops, ops, sizeof ops);
      if (accept (p, "[")) {
        LsOp op = p->tok.kind == T_NAME ? ls_op_from_name (p->tok.text) : LS_N_OPS;
        if (op == LS_N_OPS)
          fail (p, "expected the name of an op");
        pat->arg_op = (gint16) op;
        next (p);
        expect (p, "]");
      }
      parse_sources (p, pat);
    } else {
      next (p);
      if (is_sym (p, "=")) {
        next (p);
        pat = parse_primary (p);
        if (pat->slot >= 0)
          fail (p, "'%s' names what has a name already", name);
        pat->slot = slot_of (p, name, at);
      } else {
        pat = new_pat (p, PAT_ANY);
        pat->slot = slot_of (p, name, at);
      }
    }
  } else if (!pat) {
    fail (p, "expected a name, a constant or an op");
    pat = new_pat (p, PAT_ANY);
  }
  if (!p->failed && accept (p, ":")) {
    if (p->in_result) {
      if (p->tok.kind != T_NAME || (pat->dtype_slot = slot_find (p, p->tok.text)) < 0)
        fail (p, "expected a bound name whose dtype the result takes");
      next (p);
    } else {
      pat->bases = parse_class (p);
    }
  }
  p->depth--;
  return pat;
}

/* Precedence levels from loose to tight. */
static const struct { const char *symbol; int level; LsOp op; } operators[] = {
  { "|", 1, LS_OP_OR }, { "^", 2, LS_OP_XOR }, { "&", 3, LS_OP_AND }, { "==", 4, LS_OP_CMPEQ }, { "!=", 4, LS_OP_CMPNE },
  { "<", 4, LS_OP_CMPLT }, { "<<", 5, LS_OP_SHL }, { ">>", 5, LS_OP_SHR }, { "+", 6, LS_OP_ADD }, { "-", 6, LS_OP_SUB },
  { "*", 7, LS_OP_MUL }, { "/", 7, LS_OP_FDIV }, { "//", 7, LS_OP_FLOORDIV }, { "%", 7, LS_OP_FLOORMOD },
};

static Pat *
parse_expr (Parser *p, int level)
{
  Pat *left = parse_primary (p);
  for (;;) {
    gsize i;
    if (p->failed || p->tok.kind != T_SYM)
      return left;
    for (i = 0; i < G_N_ELEMENTS (operators); i++)
      if (strcmp (p->tok.text, operators[i].symbol) == 0)
        break;
    if (i == G_N_ELEMENTS (operators) || operators[i].level <= level)
      return left;
    next (p);
    Pat *right = parse_expr (p, operators[i].level);
    Pat *pat = new_pat (p, PAT_OP);
    ls_ops_bit (pat->ops, operators[i].op);
    pat->n_src = 2;
    pat->src = keep (p, g_memdup2 ((Pat *[]) { left, right }, 2 * sizeof (Pat *)));
    left = pat;
  }
}

/* --- guards --- */

static Num *
new_num (Parser *p, NumKind kind)
{
  Num *n = keep (p, g_new0 (Num, 1));
  n->kind = kind;
  return n;
}

static Num *parse_num (Parser *p, int level);

static Num *
parse_num_primary (Parser *p)
{
  Num *n = NULL;
  if (p->failed || ++p->depth > 60) {
    if (!p->failed)
      fail (p, "the guard is nested too deeply");
    return new_num (p, NUM_INT);
  }
  if (accept (p, "(")) {
    n = parse_num (p, 0);
    expect (p, ")");
  } else if (accept (p, "-")) {
    n = new_num (p, NUM_NEG);
    n->a = parse_num_primary (p);
  } else if (p->tok.kind == T_INT) {
    n = new_num (p, NUM_INT);
    n->value = p->tok.i;
    next (p);
  } else if (p->tok.kind == T_CONST) {
    n = new_num (p, NUM_CONST);
    n->slot = slot_of (p, p->tok.text, p->tok);
    next (p);
  } else if (is_name (p, "min") || is_name (p, "max") || is_name (p, "divisor")) {
    n = new_num (p, is_name (p, "min") ? NUM_MIN : is_name (p, "max") ? NUM_MAX : NUM_DIVISOR);
    next (p);
    expect (p, "(");
    if (p->tok.kind != T_NAME)
      fail (p, "expected a bound name");
    else
      n->slot = slot_of (p, p->tok.text, p->tok);
    next (p);
    expect (p, ")");
  } else {
    fail (p, "expected a number, $constant, min(x), max(x) or divisor(x)");
    n = new_num (p, NUM_INT);
  }
  p->depth--;
  return n;
}

static Num *
parse_num (Parser *p, int level)
{
  static const struct { const char *symbol; int level; NumKind kind; } ops[] = {
    { "+", 1, NUM_ADD }, { "-", 1, NUM_SUB }, { "*", 2, NUM_MUL }, { "//", 2, NUM_DIV }, { "%", 2, NUM_MOD },
  };
  Num *left = parse_num_primary (p);
  for (;;) {
    gsize i;
    if (p->failed || p->tok.kind != T_SYM)
      return left;
    for (i = 0; i < G_N_ELEMENTS (ops); i++)
      if (strcmp (p->tok.text, ops[i].symbol) == 0)
        break;
    if (i == G_N_ELEMENTS (ops) || ops[i].level <= level)
      return left;
    next (p);
    Num *n = new_num (p, ops[i].kind);
    n->a = left;
    n->b = parse_num (p, ops[i].level);
    left = n;
  }
}

static guint
parse_args (Parser *p, gint8 *args)
{
  guint n = 0;
  expect (p, "(");
  while (!p->failed && !is_sym (p, ")")) {
    if (n == LS_MAX_SLOTS) {
      fail (p, "too many arguments");
      break;
    }
    if (p->tok.kind != T_NAME && p->tok.kind != T_CONST) {
      fail (p, "expected a bound name");
      break;
    }
    args[n++] = is_name (p, "self") ? SLOT_SELF : slot_of (p, p->tok.text, p->tok);
    next (p);
    if (!accept (p, ","))
      break;
  }
  expect (p, ")");
  return n;
}

static void
parse_cond (Parser *p, Cond *c)
{
  const char *start = p->p - strlen (p->tok.text);
  if (is_name (p, "not")) {
    c->negate = TRUE;
    next (p);
  }
  if (p->tok.kind == T_NAME && !is_name (p, "min") && !is_name (p, "max") && !is_name (p, "divisor")) {
    c->kind = COND_CALL;
    c->guard = ls_guard_find (p->tok.text);
    c->guard_name = keep (p, g_strdup (p->tok.text));
    if (!c->guard)
      fail (p, "'%s' is no guard", p->tok.text);
    next (p);
    c->n_args = parse_args (p, c->args);
  } else {
    static const char *const names[] = { "==", "!=", "<", "<=", ">", ">=" };
    c->a = parse_num (p, 0);
    guint k = 0;
    while (k < G_N_ELEMENTS (names) && !is_sym (p, names[k]))
      k++;
    if (k == G_N_ELEMENTS (names)) {
      fail (p, "expected a comparison");
      return;
    }
    c->kind = (CondKind) k;
    next (p);
    c->b = parse_num (p, 0);
  }
  const char *stop = p->p - (p->tok.kind == T_END ? 0 : strlen (p->tok.text) + (p->tok.kind == T_CONST));
  g_autofree char *text = g_strndup (start, stop > start ? stop - start : 0);
  c->text = keep (p, g_strdup (g_strstrip (text)));
}

/* Marks template parts that are constants only. */
static gboolean
mark_fold (Pat *pat)
{
  if (pat->kind == PAT_CONST || pat->kind == PAT_LITERAL)
    return TRUE;
  gboolean all = pat->kind == PAT_OP && pat->n_src > 0;
  for (guint i = 0; i < pat->n_src; i++)
    all &= mark_fold (pat->src[i]);
  for (guint op = 0; op < LS_N_OPS && all; op++)
    if (ls_ops_has (pat->ops, op) && (ls_op_info (op)->op_class < LS_CLASS_UNARY || op == LS_OP_CAST || op == LS_OP_BITCAST))
      all = FALSE;
  return pat->fold = all;
}

static void
mark_commutative (Pat *pat)
{
  if (pat->kind != PAT_OP)
    return;
  pat->commutative = pat->n_src == 2;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op) && !ls_op_is_commutative (op))
      pat->commutative = FALSE;
  for (guint i = 0; i < pat->n_src; i++)
    mark_commutative (pat->src[i]);
}

static void
check_arity (Parser *p, Pat *pat)
{
  for (guint op = 0; pat->kind == PAT_OP && op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op) && ls_op_info (op)->arity >= 0 && !pat->rest && (int) pat->n_src != ls_op_info (op)->arity) {
      fail_at (p, p->rule->pub.line, 1, "%s takes %d sources, not %u", ls_op_name (op), ls_op_info (op)->arity, pat->n_src);
      return;
    }
  for (guint i = 0; i < pat->n_src; i++)
    check_arity (p, pat->src[i]);
}

static gboolean
single_op (const Pat *pat, LsOp *out)
{
  int n = 0;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op)) {
      *out = op;
      n++;
    }
  return n == 1;
}

static void
check_result (Parser *p, Pat *pat)
{
  LsOp op;
  if (pat->kind == PAT_OP && !single_op (pat, &op))
    fail_at (p, p->rule->pub.line, 1, "the result must name single ops");
  for (guint i = 0; i < pat->n_src; i++)
    check_result (p, pat->src[i]);
}

static void
parse_rule (Parser *p)
{
  Rule *rule = p->rule;
  p->in_result = FALSE;
  rule->pattern = parse_expr (p, 0);
  if (!p->failed && rule->pattern->kind != PAT_OP)
    fail (p, "the pattern must begin with an op");
  if (!p->failed)
    expect (p, "->");
  p->in_result = TRUE;
  if (!p->failed && is_name (p, "build")) {
    next (p);
    if (p->tok.kind != T_NAME)
      fail (p, "expected the name of a builder");
    else if (!(rule->builder = ls_builder_find (p->tok.text)))
      fail (p, "'%s' is no builder", p->tok.text);
    next (p);
    if (!p->failed && is_sym (p, "("))
      rule->n_args = parse_args (p, rule->args);
    else
      rule->args[rule->n_args++] = SLOT_SELF;
  } else if (!p->failed) {
    rule->result = parse_expr (p, 0);
  }
  g_autoptr (GArray) conds = g_array_new (FALSE, TRUE, sizeof (Cond));
  if (!p->failed && is_name (p, "when")) {
    do {
      Cond c = { 0 };
      next (p);
      parse_cond (p, &c);
      g_array_append_val (conds, c);
    } while (!p->failed && is_name (p, "and"));
  }
  rule->pub.rule_class = "exact";
  if (!p->failed && is_name (p, "class")) {
    static const char *const names[] = { "exact", "nsz", "finite", "reordering" };
    next (p);
    guint k = 0;
    while (k < G_N_ELEMENTS (names) && !is_name (p, names[k]))
      k++;
    if (k == G_N_ELEMENTS (names))
      fail (p, "expected exact, nsz, finite or reordering");
    else
      rule->pub.rule_class = names[k];
    next (p);
  }
  gboolean ordered = !p->failed && is_name (p, "ordered");
  if (ordered)
    next (p);
  if (!p->failed && p->tok.kind != T_END)
    fail (p, "expected 'when', 'class', 'ordered' or the end of the rule");
  if (p->failed)
    return;
  rule->n_conds = conds->len;
  rule->conds = keep (p, g_memdup2 (conds->data, conds->len * sizeof (Cond)));
  if (!ordered)
    mark_commutative (rule->pattern);
  check_arity (p, rule->pattern);
  if (rule->result) {
    mark_fold (rule->result);
    check_result (p, rule->result);
    if (!p->failed)
      check_arity (p, rule->result);
  }
  for (guint i = 0; i < rule->pattern->n_src; i++) {
    Pat *s = rule->pattern->src[i];
    LsOp op;
    if (s->kind == PAT_CONST || s->kind == PAT_LITERAL)
      ls_ops_bit (rule->need, LS_OP_CONST);
    else if (s->kind == PAT_OP && single_op (s, &op))
      ls_ops_bit (rule->need, op);
  }
}

/* A line that starts a rule: "name:" at its beginning. Returns the length of the name. */
static guint
rule_head (const char *s, const char *end)
{
  guint n = 0;
  while (s + n < end && (g_ascii_isalnum (s[n]) || s[n] == '-' || s[n] == '_'))
    n++;
  return n > 0 && s + n < end && s[n] == ':' ? n : 0;
}

gboolean
ls_rule_parse_file (LsRuleLibrary *library, const char *text, const char *filename, GError **error)
{
  g_autofree char *base = g_path_get_basename (filename);
  if (g_str_has_suffix (base, ".rules"))
    base[strlen (base) - 6] = 0;
  g_autoptr (GString) sentence = g_string_new (NULL);
  g_autofree char *set = g_strdup (base);
  guint line = 1;
  for (const char *s = text; *s;) {
    const char *eol = s + strcspn (s, "\n");
    Parser p = { .file = filename, .text = text, .library = library, .error = error, .line = line, .line_start = s };
    p.tok.line = line;
    p.tok.column = 1;
    const char *first = s;
    while (first < eol && (*first == ' ' || *first == '\t' || *first == '\r'))
      first++;
    if (first == eol) {
      g_string_truncate (sentence, 0);
    } else if (*first == '#') {
      first++;
      while (first < eol && (*first == ' ' || *first == '#' || *first == '-' || *first == '='))
        first++;
      if (sentence->len && first < eol)
        g_string_append_c (sentence, ' ');
      const char *last = eol;
      while (last > first && (last[-1] == '\r' || last[-1] == ' '))
        last--;
      g_string_append_len (sentence, first, last - first);
    } else if (strncmp (first, "set ", 4) == 0) {
      g_free (set);
      set = g_strstrip (g_strndup (first + 4, eol - first - 4));
    } else {
      guint n = first == s ? rule_head (s, eol) : 0;
      if (n == 0) {
        fail_at (&p, line, (guint) (first - s) + 1, "expected 'name: pattern -> result'");
        return FALSE;
      }
      /* the rule goes on in indented lines */
      const char *end = eol;
      guint lines = 1;
      while (*end == '\n' && (end[1] == ' ' || end[1] == '\t')) {
        const char *t = end + 1;
        while (*t == ' ' || *t == '\t')
          t++;
        if (*t == '#' || *t == '\n' || *t == 0 || *t == '\r')
          break;
        end = t + strcspn (t, "\n");
        lines++;
      }
      Rule *rule = keep (&p, g_new0 (Rule, 1));
      rule->pub.name = keep (&p, g_strndup (s, n));
      rule->pub.file = keep (&p, g_path_get_basename (filename));
      rule->pub.line = line;
      rule->pub.set = keep (&p, g_strdup (set));
      rule->pub.sentence = keep (&p, g_utf8_make_valid (sentence->str, -1));
      g_autofree char *body = g_utf8_make_valid (s + n + 1, end - s - n - 1);
      g_autoptr (GString) flat = g_string_new (NULL);
      for (const char *c = g_strstrip (body); *c; c++)
        if (!g_ascii_isspace (*c))
          g_string_append_c (flat, *c);
        else if (flat->len && flat->str[flat->len - 1] != ' ')
          g_string_append_c (flat, ' ');
      rule->pub.text = keep (&p, g_strdup (flat->str));
      p.rule = rule;
      p.p = s + n + 1;
      p.end = end;
      for (guint i = 0; i < library->rules->len; i++)
        if (strcmp (((Rule *) library->rules->pdata[i])->pub.name, rule->pub.name) == 0) {
          fail_at (&p, line, 1, "there is a rule '%s' already, in %s:%u", rule->pub.name, ((Rule *) library->rules->pdata[i])->pub.file,
                   ((Rule *) library->rules->pdata[i])->pub.line);
          return FALSE;
        }
      if (sentence->len == 0) {
        fail_at (&p, line, 1, "a comment before the rule must say in a sentence what it does");
        return FALSE;
      }
      next (&p);
      parse_rule (&p);
      if (p.failed)
        return FALSE;
      rule->pub.index = library->rules->len;
      g_ptr_array_add (library->rules, rule);
      g_string_truncate (sentence, 0);
      eol = end;
      line += lines - 1;
    }
    s = *eol ? eol + 1 : eol;
    line++;
  }
  return TRUE;
}
