/* The rule language: from a rule's text to a compiled rule. engine/rules/README.md describes it for those who write rules; rule-file.c
 * finds the rules of a file, rule-scan.c their tokens. A rule is
 *     name: pattern [given name] -> result [with name = value, ...] [when guards] [class CLASS] [ordered] and may go on in indented
 *     lines. The parser is a recursive descent over one rule's text; nesting is bounded. Patterns bind names as they are read; names
 *     of results are looked up when the whole rule is there, with the terms and the kinds (rule-check.c).
 */
#include "rule-parse-private.h"
#include "ir/sentence.h"

#include <string.h>

const char *const ls_rule_class_names[] = { "exact", "nsz", "finite", "reordering", "contraction", "approximate", NULL };

const char *
ls_rule_class_sentence (const char *rule_class)
{
  static const char *const sentences[] = {
    NULL, LS_TEMPLATE ("the sign of a zero may change"), LS_TEMPLATE ("wrong for NaN and infinity"),
    LS_TEMPLATE ("floats are added in another order"), LS_TEMPLATE ("a product and a sum are rounded once"),
    LS_TEMPLATE ("an approximation with this many units of error in the last place at most"),
  };
  guint i = 0;
  while (ls_rule_class_names[i] && !g_str_has_prefix (rule_class, ls_rule_class_names[i]))
    i++;
  return i < G_N_ELEMENTS (sentences) ? sentences[i] : NULL;
}

static gboolean is_sym (Parser *p, const char *s) { return p->tok.kind == T_SYM && strcmp (p->tok.text, s) == 0; }
static gboolean is_name (Parser *p, const char *s) { return p->tok.kind == T_NAME && strcmp (p->tok.text, s) == 0; }

static gboolean
accept (Parser *p, const char *s)
{
  if (!is_sym (p, s))
    return FALSE;
  ls_rule_next (p);
  return TRUE;
}

static void
expect (Parser *p, const char *s)
{
  if (!accept (p, s))
    fail (p, "expected '%s'", s);
}

static Pat *
new_pat (Parser *p, PatKind kind)
{
  Pat *pat = ls_rule_keep (p, g_new0 (Pat, 1));
  pat->kind = kind;
  pat->slot = -1;
  pat->bases = ~0u;
  pat->line = p->tok.line;
  pat->column = p->tok.column;
  return pat;
}

static void
set_sources (Parser *p, Pat *pat, guint n, Pat *const *src)
{
  pat->n_src = n;
  pat->src = ls_rule_keep (p, g_memdup2 (src, n * sizeof (gpointer)));
}

static int
slot_find (Parser *p, const char *name)
{
  for (guint i = 0; i < p->rule->n_slots; i++)
    if (strcmp (p->rule->slot_names[i], name) == 0)
      return (int) i;
  return -1;
}

/* The slot of a name of the pattern, a new one where it is met first. */
static int
slot_of (Parser *p, const char *name, LsTermKind kind, Tok at)
{
  int slot = slot_find (p, name);
  if (slot >= 0) {
    if (p->rule->slot_kinds[slot] != kind)
      ls_rule_fail_at (p, at.line, at.column, "'%s' is already a %s and cannot be a %s here", name,
                       ls_term_kind_name (p->rule->slot_kinds[slot]), ls_term_kind_name (kind));
    return slot;
  }
  if (strcmp (name, "self") == 0)
    ls_rule_fail_at (p, at.line, at.column, "'self' is the matched node");
  if (p->rule->n_slots == LS_MAX_SLOTS) {
    fail (p, "a rule can bind at most %d names", LS_MAX_SLOTS);
    return 0;
  }
  p->rule->slot_names[p->rule->n_slots] = ls_rule_keep (p, g_strdup (name));
  p->rule->slot_kinds[p->rule->n_slots] = (guint8) kind;
  return (int) p->rule->n_slots++;
}

/* The class of a single dtype: "int32", "float16"; by its name if others have the same number of bits. */
static char *
exact_class (guint base)
{
  const LsBaseInfo *info = &ls_base_infos[base];
  gboolean own_name = base == LS_BASE_BFLOAT16 || ls_dtype_is_fp8 (LS_DTYPE (base));
  switch (info->kind) {
  case LS_KIND_INT: return g_strdup_printf ("int%u", info->bits);
  case LS_KIND_UINT: return g_strdup_printf ("uint%u", info->bits);
  case LS_KIND_FLOAT: return own_name ? g_strdup (info->name) : g_strdup_printf ("float%u", info->bits);
  default: return g_strdup (info->name);
  }
}

static LsBaseMask
parse_class (Parser *p)
{
  static const struct { const char *name; guint kinds; } classes[] = {
    { "int", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX }, { "sint", 1u << LS_KIND_INT },
    { "signed", 1u << LS_KIND_INT | 1u << LS_KIND_INDEX }, { "uint", 1u << LS_KIND_UINT },
    { "index", 1u << LS_KIND_INDEX }, { "float", 1u << LS_KIND_FLOAT }, { "bool", 1u << LS_KIND_BOOL },
    { "integral", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX | 1u << LS_KIND_BOOL },
    { "num", 1u << LS_KIND_INT | 1u << LS_KIND_UINT | 1u << LS_KIND_INDEX | 1u << LS_KIND_FLOAT },
    { "void", 1u << LS_KIND_VOID }, { "value", ~(1u << LS_KIND_VOID) },
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
    mask = 1u << LS_BASE_HALF | 1u << LS_BASE_BFLOAT16 | 1u << LS_BASE_FP8E4M3 | 1u << LS_BASE_FP8E5M2;
  for (guint b = 0; b < LS_N_BASES && mask == 0; b++) {
    g_autofree char *exact = exact_class (b);
    if (b != LS_BASE_WEAKINT && b != LS_BASE_WEAKFLOAT && strcmp (exact, p->tok.text) == 0)
      mask = 1u << b;
  }
  if (mask == 0)
    fail (p, "'%s' is not a dtype class; known are int, sint, signed, uint, index, float, half, bool, integral, num", p->tok.text);
  ls_rule_next (p);
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
  static const struct { const char *name; int op_class; } classes[] = {
    { "UNARY", LS_CLASS_UNARY }, { "BINARY", LS_CLASS_BINARY }, { "TERNARY", LS_CLASS_TERNARY }, { "MOVEMENT", LS_CLASS_MOVEMENT },
  };
  int cls = -1;
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (name, classes[i].name) == 0)
      cls = classes[i].op_class;
  gboolean alu = strcmp (name, "ALU") == 0, any = strcmp (name, "ANY") == 0;
  for (guint i = 0; i < LS_N_OPS; i++)
    if (any || (alu ? ls_op_info (i)->op_class >= LS_CLASS_UNARY
                    : (int) ls_op_info (i)->op_class == cls && i != LS_OP_VIEW && !ls_op_is_slice (i)))
      ls_ops_bit (ops, i);
  return any || alu || cls >= 0;
}

static Pat *parse_primary (Parser *p);
static Pat *parse_expr (Parser *p, int level);

/* Does the current "*" follow a repeated part, or is it between two factors? */
static gboolean
is_star (Parser *p)
{
  const char *s = p->p;
  while (s < p->end && g_ascii_isspace (*s))
    s++;
  return is_sym (p, "*") && s < p->end && (*s == ',' || *s == ')' || *s == ']');
}

/* "xs*", "f(xs)*" and "f(i) for i in n": part means several. */
static Pat *
parse_several (Parser *p, Pat *part)
{
  if (is_star (p)) {
    Pat *each = new_pat (p, PAT_EACH);
    ls_rule_next (p);
    set_sources (p, each, 1, &part);
    return each;
  }
  if (p->in_result && is_name (p, "for")) {
    Pat *loop = new_pat (p, PAT_FOR);
    ls_rule_next (p);
    if (p->tok.kind != T_NAME)
      fail (p, "expected the name of the counter");
    loop->name = ls_rule_keep (p, g_strdup (p->tok.text));
    ls_rule_next (p);
    if (!is_name (p, "in"))
      fail (p, "expected 'in' and a number");
    ls_rule_next (p);
    Pat *n = parse_expr (p, 0);
    set_sources (p, loop, 2, (Pat *[]) { part, n });
    return loop;
  }
  return part;
}

static void
parse_sources (Parser *p, Pat *pat)
{
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  expect (p, "(");
  while (!p->failed && !is_sym (p, ")")) {
    Pat *s;
    guint n_slots = p->rule->n_slots;
    if (!p->in_result && is_sym (p, "*")) {
      s = new_pat (p, PAT_SEQ);
      ls_rule_next (p);
    } else {
      s = parse_expr (p, 0);
      if (p->in_result) {
        s = parse_several (p, s);
      } else if (is_star (p)) {
        if (s->kind != PAT_ANY || s->slot != (int) n_slots || s->bases != ~0u)
          fail (p, "a sequence must be a new name");
        else
          p->rule->slot_kinds[n_slots] = LS_TERM_NODES;
        s->kind = PAT_SEQ;
        ls_rule_next (p);
      }
    }
    pat->rest += s->kind == PAT_SEQ;
    g_ptr_array_add (src, s);
    if (!accept (p, ","))
      break;
  }
  expect (p, ")");
  set_sources (p, pat, src->len, (Pat **) src->pdata);
}

/* The kind of an argument's i-th value, by the ops it may be of. */
static LsTermKind
argument_kind (Parser *p, const Pat *pat, guint i, gboolean several)
{
  int form = -1;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op)) {
      if (form >= 0 && form != (int) ls_op_info (op)->form)
        fail (p, "these ops have different kinds of arguments");
      form = ls_op_info (op)->form;
    }
  switch (form) {
  case LS_FORM_INT: return i == 0 && !several ? LS_TERM_NUM : LS_TERM_NONE;
  case LS_FORM_SCALAR: return i == 0 && !several ? LS_TERM_SCALAR : LS_TERM_NONE;
  case LS_FORM_STR: return i == 0 && !several ? LS_TERM_TEXT : LS_TERM_NONE;
  case LS_FORM_TRACKER: return i == 0 && !several ? LS_TERM_VIEW : LS_TERM_NONE;
  case LS_FORM_INTS: return several ? LS_TERM_NUMS : LS_TERM_NUM;
  case LS_FORM_OP_INTS:
    if (i == 0)
      return several ? LS_TERM_NONE : LS_TERM_OP;
    return several ? LS_TERM_NUMS : LS_TERM_NUM;
  default: return LS_TERM_NONE;
  }
}

/* The number at the token, which is taken. */
static Pat *
parse_number (Parser *p, gboolean negative)
{
  Pat *pat = new_pat (p, PAT_LITERAL);
  pat->literal_float = p->tok.kind == T_FLOAT;
  pat->literal_f = negative ? -p->tok.f : p->tok.f;
  pat->literal_i = negative ? -p->tok.i : p->tok.i;
  ls_rule_next (p);
  return pat;
}

/* "[a, b*]" behind an op. In a pattern it binds or demands values, in a result it says them. */
static void
parse_argument (Parser *p, Pat *pat)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  pat->has_args = TRUE;
  while (!p->failed && !is_sym (p, "]")) {
    Pat *a;
    LsOp op = p->tok.kind == T_NAME && g_ascii_isupper (p->tok.text[0]) ? ls_op_from_name (p->tok.text) : LS_N_OPS;
    Tok at = p->tok;
    if (op < LS_N_OPS) {
      a = new_pat (p, PAT_OPNAME);
      a->op = (guint8) op;
      a->value = LS_TERM_OP;
      ls_rule_next (p);
    } else if (p->in_result) {
      a = parse_several (p, parse_expr (p, 0));
    } else if (at.kind == T_INT || at.kind == T_FLOAT || is_sym (p, "-")) {
      gboolean negative = accept (p, "-");
      if (p->tok.kind != T_INT && p->tok.kind != T_FLOAT)
        fail (p, "expected a number");
      else if (p->tok.kind == T_FLOAT && argument_kind (p, pat, args->len, FALSE) != LS_TERM_SCALAR)
        fail (p, "expected an integer, not a float");
      a = parse_number (p, negative);
    } else {
      if (at.kind != T_NAME || g_ascii_isupper (at.text[0]))
        fail (p, "expected a name for a value of the argument, an op or a number");
      ls_rule_next (p);
      gboolean several = is_star (p);
      LsTermKind kind = argument_kind (p, pat, args->len, several);
      if (kind == LS_TERM_NONE)
        ls_rule_fail_at (p, at.line, at.column, "the op's argument has no such part");
      a = new_pat (p, several ? PAT_SEQ : PAT_ANY);
      a->slot = p->failed ? -1 : (gint8) slot_of (p, at.text, kind, at);
      if (several)
        ls_rule_next (p);
    }
    g_ptr_array_add (args, a);
    if (!accept (p, ","))
      break;
  }
  expect (p, "]");
  pat->n_args = args->len;
  pat->args = ls_rule_keep (p, g_memdup2 (args->pdata, args->len * sizeof (gpointer)));
}

static Pat *
parse_dtype (Parser *p)
{
  Pat *d = new_pat (p, PAT_NAME);
  if (p->tok.kind != T_NAME) {
    fail (p, "expected a dtype, a bound name whose dtype the result takes, or a term that gives one");
    return d;
  }
  d->name = ls_rule_keep (p, g_strdup (p->tok.text));
  ls_rule_next (p);
  if (is_sym (p, "(")) {
    d->kind = PAT_CALL;
    parse_sources (p, d);
  }
  return d;
}

/* A name: an op, a bound name, or a term's call. */
static Pat *
parse_name (Parser *p)
{
  char name[40];
  Tok at = p->tok;
  strcpy (name, at.text);
  if (g_ascii_isupper (name[0])) {
    Pat *pat = new_pat (p, PAT_OP);
    if (!op_set (name, pat->ops)) {
      fail (p, "'%s' is not an op", name);
      return pat;
    }
    ls_rule_next (p);
    while (accept (p, "|")) {
      if (p->tok.kind != T_NAME || !op_set (p->tok.text, pat->ops))
        fail (p, "expected the name of an op");
      ls_rule_next (p);
    }
    if (accept (p, "["))
      parse_argument (p, pat);
    parse_sources (p, pat);
    return pat;
  }
  Pat *pat = new_pat (p, p->in_result ? PAT_NAME : PAT_ANY);
  ls_rule_next (p);
  if (p->in_result) {
    pat->name = ls_rule_keep (p, g_strdup (name));
    if (is_sym (p, "(")) {
      pat->kind = slot_find (p, name) >= 0 ? PAT_SAME : PAT_CALL;
      parse_sources (p, pat);
    } else if (strcmp (name, "_") == 0) {
      pat->kind = PAT_NONE;
    }
  } else if (accept (p, "=")) {
    pat = parse_primary (p);
    if (pat->slot >= 0)
      fail (p, "'%s' renames something that already has a name", name);
    else
      pat->slot = (gint8) slot_of (p, name, LS_TERM_NODE, at);
  } else {
    pat->slot = (gint8) slot_of (p, name, LS_TERM_NODE, at);
  }
  return pat;
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
    if (p->results && p->depth == 1 && is_sym (p, ","))      /* one result for each source */
      while (accept (p, ",")) {
        GPtrArray *results = g_steal_pointer (&p->results);
        g_ptr_array_add (results, parse_expr (p, 0));
        p->results = results;
      }
    expect (p, ")");
  } else if (is_sym (p, "-") || is_sym (p, "!")) {
    pat = new_pat (p, PAT_OP);
    pat->op = is_sym (p, "-") ? LS_OP_NEG : LS_OP_NOT;
    ls_rule_next (p);
    if (pat->op == LS_OP_NEG && (p->tok.kind == T_INT || p->tok.kind == T_FLOAT)) {
      negative = TRUE;
      pat = NULL;
    } else {
      Pat *a = parse_primary (p);
      ls_ops_bit (pat->ops, pat->op);
      set_sources (p, pat, 1, &a);
    }
  }
  if (!pat && (p->tok.kind == T_INT || p->tok.kind == T_FLOAT)) {
    pat = parse_number (p, negative);
  } else if (!pat && p->tok.kind == T_CONST) {
    pat = new_pat (p, p->in_result ? PAT_NAME : PAT_CONST);
    if (p->in_result)
      pat->name = ls_rule_keep (p, g_strconcat ("$", p->tok.text, NULL));
    else
      pat->slot = (gint8) slot_of (p, p->tok.text, LS_TERM_CONST, p->tok);
    ls_rule_next (p);
  } else if (!pat && p->tok.kind == T_NAME) {
    pat = parse_name (p);
  } else if (!pat) {
    fail (p, "expected a name, a constant or an op");
    pat = new_pat (p, PAT_ANY);
  }
  if (!p->failed && accept (p, ":")) {
    if (p->in_result)
      pat->dtype = parse_dtype (p);
    else
      pat->bases = parse_class (p);
  }
  p->depth--;
  return pat;
}

/* Precedence levels from loose to tight. */
#define LEVEL_COMPARISON 4
static const struct { const char *symbol; int level; LsOp op; } operators[] = {
  { "|", 1, LS_OP_OR }, { "^", 2, LS_OP_XOR }, { "&", 3, LS_OP_AND }, { "==", LEVEL_COMPARISON, LS_OP_CMPEQ },
  { "!=", LEVEL_COMPARISON, LS_OP_CMPNE },
  { "<", LEVEL_COMPARISON, LS_OP_CMPLT }, { "<<", 5, LS_OP_SHL }, { ">>", 5, LS_OP_SHR }, { "+", 6, LS_OP_ADD }, { "-", 6, LS_OP_SUB },
  { "*", 7, LS_OP_MUL }, { "/", 7, LS_OP_FDIV }, { "//", 7, LS_OP_FLOORDIV }, { "%", 7, LS_OP_FLOORMOD },
};

static Pat *
parse_expr (Parser *p, int level)
{
  Pat *left = parse_primary (p);
  for (;;) {
    gsize i;
    if (p->failed || p->tok.kind != T_SYM || is_star (p))
      return left;
    for (i = 0; i < G_N_ELEMENTS (operators); i++)
      if (strcmp (p->tok.text, operators[i].symbol) == 0)
        break;
    if (i == G_N_ELEMENTS (operators) || operators[i].level <= level)
      return left;
    Pat *pat = new_pat (p, PAT_OP);
    ls_rule_next (p);
    Pat *right = parse_expr (p, operators[i].level);
    ls_ops_bit (pat->ops, operators[i].op);
    pat->op = (guint8) operators[i].op;
    set_sources (p, pat, 2, (Pat *[]) { left, right });
    left = pat;
  }
}

/* A guard: "[not] term(…)", or two numbers compared. */
static void
parse_cond (Parser *p, Cond *c)
{
  static const char *const names[] = { "==", "!=", "<", "<=", ">", ">=" };
  const char *start = p->p - strlen (p->tok.text) - (p->tok.kind == T_CONST);
  if (is_name (p, "not")) {
    c->negate = TRUE;
    ls_rule_next (p);
  }
  c->a = parse_expr (p, LEVEL_COMPARISON);
  guint k = 0;
  while (k < G_N_ELEMENTS (names) && !is_sym (p, names[k]))
    k++;
  c->kind = (CondKind) k;
  if (k < G_N_ELEMENTS (names)) {
    ls_rule_next (p);
    c->b = parse_expr (p, LEVEL_COMPARISON);
  } else if (!p->failed && c->a->kind != PAT_CALL) {
    fail (p, "expected a comparison");
  }
  const char *stop = p->p - (p->tok.kind == T_END ? 0 : strlen (p->tok.text) + (p->tok.kind == T_CONST));
  g_autofree char *text = g_strndup (start, stop > start ? stop - start : 0);
  c->text = ls_rule_keep (p, g_strdup (g_strstrip (text)));
}

static void
mark_commutative (Pat *pat)
{
  if (pat->kind != PAT_OP)
    return;
  pat->commutative = pat->n_src == 2 && !pat->rest;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op) && !ls_op_is_commutative (op))
      pat->commutative = FALSE;
  for (guint i = 0; i < pat->n_src; i++)
    mark_commutative (pat->src[i]);
}

/* Can a node match below the root in one way only? */
static gboolean
is_straight (const Pat *pat)
{
  gboolean straight = pat->rest <= 1;
  for (guint i = 0; pat->kind == PAT_OP && i < pat->n_src; i++)
    straight = straight && !pat->src[i]->commutative && is_straight (pat->src[i]);
  return straight;
}

/* "given g": the rule matches GRADIENT (pattern, g). */
static void
parse_given (Parser *p)
{
  Pat *gradient = new_pat (p, PAT_OP), *given = new_pat (p, PAT_ANY);
  ls_rule_next (p);
  if (p->tok.kind != T_NAME || slot_find (p, p->tok.text) >= 0)
    fail (p, "expected a name that the pattern does not bind");
  else
    given->slot = (gint8) slot_of (p, p->tok.text, LS_TERM_NODE, p->tok);
  ls_rule_next (p);
  ls_ops_bit (gradient->ops, LS_OP_GRADIENT);
  gradient->op = LS_OP_GRADIENT;
  set_sources (p, gradient, 2, (Pat *[]) { p->rule->pattern, given });
  p->rule->pattern = gradient;
  p->rule->n_pattern_slots = p->rule->n_slots;
  p->rule->gradient = TRUE;
}

static void
parse_results (Parser *p)
{
  Rule *rule = p->rule;
  g_autoptr (GPtrArray) results = g_ptr_array_new ();
  gboolean build = is_name (p, "build");
  if (build)
    ls_rule_next (p);
  g_ptr_array_add (results, NULL);
  p->results = build ? NULL : results;
  Pat *first = parse_expr (p, 0);
  p->results = NULL;
  results->pdata[0] = first;
  if (!p->failed && build) {
    if (first->kind == PAT_NAME && !first->dtype) {      /* without arguments it gets the node */
      Pat *self = new_pat (p, PAT_SELF);
      self->value = LS_TERM_NODE;
      first->kind = PAT_CALL;
      set_sources (p, first, 1, &self);
    }
    if (first->kind != PAT_CALL)
      ls_rule_fail_at (p, first->line, first->column, "expected the name of a builder");
    rule->pub.builder = first->name;
  } else if (!p->failed && first->kind == PAT_CALL && slot_find (p, first->name) < 0) {
    rule->pub.builder = "";      /* checked when the term is known: a node must be built by name */
  }
  rule->n_results = results->len;
  rule->results = ls_rule_keep (p, g_memdup2 (results->pdata, results->len * sizeof (gpointer)));
}

/* "with name = value, ..." */
static void
parse_with (Parser *p)
{
  Rule *rule = p->rule;
  g_autoptr (GPtrArray) with = g_ptr_array_new ();
  if (!p->failed && is_name (p, "with"))
    do {
      ls_rule_next (p);
      Tok at = p->tok;
      if (at.kind != T_NAME || slot_find (p, at.text) >= 0 || strcmp (at.text, "self") == 0 || rule->n_slots == LS_MAX_SLOTS) {
        fail (p, rule->n_slots == LS_MAX_SLOTS ? "the rule binds too many names" : "expected a name that is not bound yet");
        break;
      }
      ls_rule_next (p);
      expect (p, "=");
      rule->slot_names[rule->n_slots++] = ls_rule_keep (p, g_strdup (at.text));
      g_ptr_array_add (with, parse_expr (p, 0));
    } while (!p->failed && is_sym (p, ","));
  rule->n_with = with->len;
  rule->with = ls_rule_keep (p, g_memdup2 (with->pdata, with->len * sizeof (gpointer)));
}

/* "when guard and guard ..." */
static void
parse_when (Parser *p)
{
  g_autoptr (GArray) conds = g_array_new (FALSE, TRUE, sizeof (Cond));
  if (!p->failed && is_name (p, "when"))
    do {
      Cond c = { 0 };
      ls_rule_next (p);
      parse_cond (p, &c);
      g_array_append_val (conds, c);
    } while (!p->failed && is_name (p, "and"));
  p->rule->n_conds = conds->len;
  p->rule->conds = ls_rule_keep (p, g_memdup2 (conds->data, conds->len * sizeof (Cond)));
}

/* "class CLASS": how close the result is to the node that it replaces. */
static void
parse_exactness (Parser *p)
{
  Rule *rule = p->rule;
  rule->pub.rule_class = ls_rule_class_names[0];
  if (p->failed || !is_name (p, "class"))
    return;
  ls_rule_next (p);
  guint k = 0;
  while (ls_rule_class_names[k] && !is_name (p, ls_rule_class_names[k]))
    k++;
  if (!ls_rule_class_names[k]) {
    fail (p, "expected exact, nsz, finite, reordering, contraction or approximate");
    return;
  }
  rule->pub.rule_class = ls_rule_class_names[k];
  ls_rule_next (p);
  if (p->failed || strcmp (rule->pub.rule_class, "approximate") != 0)
    return;
  if (p->tok.kind != T_INT || p->tok.i < 1 || p->tok.i > LS_MOST_ULPS) {
    fail (p, "expected the error bound in units of the last place, 1 to 1000");
    return;
  }
  g_autofree char *class = g_strdup_printf ("approximate %d", (int) p->tok.i);
  rule->pub.rule_class = g_intern_string (class);
  ls_rule_next (p);
}

void
ls_rule_parse (Parser *p)
{
  Rule *rule = p->rule;
  ls_rule_next (p);
  p->in_result = FALSE;
  rule->pattern = parse_expr (p, 0);
  if (!p->failed && rule->pattern->kind != PAT_OP)
    fail (p, "the pattern must begin with an op");
  rule->n_pattern_slots = rule->n_slots;
  if (!p->failed && is_name (p, "given"))
    parse_given (p);
  if (!p->failed)
    expect (p, "->");
  p->in_result = TRUE;
  if (!p->failed)
    parse_results (p);
  parse_with (p);
  parse_when (p);
  parse_exactness (p);
  gboolean ordered = !p->failed && is_name (p, "ordered");
  if (ordered)
    ls_rule_next (p);
  if (!p->failed && p->tok.kind != T_END)
    fail (p, "expected 'with', 'when', 'class', 'ordered' or the end of the rule");
  if (p->failed)
    return;
  if (!ordered && !rule->gradient)      /* results are the sources' in their order */
    mark_commutative (rule->pattern);
  rule->straight = is_straight (rule->pattern);
  guint line, column;
  g_autofree char *message = NULL;
  if (!ls_rule_check (p->library, rule, &line, &column, &message))
    ls_rule_fail_at (p, line, column, "%s", message);
}
