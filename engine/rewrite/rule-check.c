/* The check of a parsed rule: names are looked up, terms chosen by the kinds of their arguments, and every part must be of the kind
 * that its place asks for.
 *
 * A rule that passes cannot give a term an unexpected value. In a recording's text (a library without tables) terms stay unknown: such a
 * rule matches only.
 */
#include "rules-private.h"

#include <stdarg.h>
#include <string.h>

typedef struct {
  LsRuleLibrary *library;
  Rule          *rule;
  const char    *context;       /* of the rule's set; NULL: none */
  gboolean       late;          /* a name of "with" was met */
  guint32       *each;          /* inside of PAT_EACH: the sequences that are gone through */
  guint         *line, *column;
  char         **message;
} Check;

#define X(kind, name) [LS_TERM_##kind] = name,
static const char *const kind_names[] = { LS_TERM_KIND_TABLE (X) };
#undef X
const char *ls_term_kind_name (LsTermKind kind) { return kind_names[kind]; }

char *
ls_term_signature (const LsTerm *term)
{
  GString *s = g_string_new (term->name);
  g_string_append (s, " (");
  for (guint i = 0; i < term->n_args; i++)
    g_string_append_printf (s, "%s%s", i ? ", " : "", ls_term_kind_name (term->args[i]));
  g_string_append_printf (s, ") -> %s", ls_term_kind_name (term->result));
  return g_string_free (s, FALSE);
}

G_GNUC_PRINTF (3, 4) static gboolean
fail (Check *c, const Pat *at, const char *format, ...)
{
  va_list args;
  if (*c->message)
    return FALSE;
  va_start (args, format);
  *c->message = g_strdup_vprintf (format, args);
  va_end (args);
  *c->line = at->line;
  *c->column = at->column;
  return FALSE;
}

static gboolean check_node (Check *c, Pat *pat);
static gboolean check_value (Check *c, Pat *pat, LsTermKind want);

static gboolean
is_several (LsTermKind kind)
{
  return kind == LS_TERM_NODES || kind == LS_TERM_NUMS;
}

static gboolean
fits (LsTermKind have, LsTermKind want)
{
  return have == want || (have == LS_TERM_CONST && (want == LS_TERM_NODE || want == LS_TERM_NUM));
}

/* Resolves a name. */
static gboolean
resolve (Check *c, Pat *pat)
{
  if (pat->kind != PAT_NAME)
    return TRUE;
  const char *name = pat->name;
  gboolean constant = name[0] == '$';
  if (strcmp (name, "self") == 0) {
    pat->kind = PAT_SELF;
    pat->value = LS_TERM_NODE;
    return TRUE;
  }
  for (guint i = 0; i < c->rule->n_slots; i++)
    if (c->rule->slot_names[i] && strcmp (c->rule->slot_names[i], name + constant) == 0 && c->rule->slot_kinds[i] != LS_TERM_NONE) {
      pat->kind = PAT_SLOT;
      pat->slot = (gint8) i;
      pat->value = c->rule->slot_kinds[i];
      c->late |= i >= c->rule->n_pattern_slots;
      return TRUE;
    }
  return fail (c, pat, "'%s' is not bound by the pattern", name);
}

/* Does the library have a term of that name? */
static const LsTerm *
next_term (Check *c, const char *name, guint *table, guint *row)
{
  const LsRuleBase *base = c->library->base;
  for (;; (*table)++, *row = 0) {
    const LsTerm *rows = *table == 0 ? ls_core_terms : base && base->terms ? base->terms[*table - 1] : NULL;
    if (!rows)
      return NULL;
    for (; rows[*row].name; (*row)++)
      if (strcmp (rows[*row].name, name) == 0)
        return &rows[(*row)++];
  }
}

/* The kind that an argument has by itself; a number's arithmetic counts as one. */
static LsTermKind
natural (Check *c, Pat *pat)
{
  guint table = 0, row = 0;
  const LsTerm *term;
  if (pat->kind == PAT_NAME && !resolve (c, pat))
    return LS_TERM_NONE;
  switch (pat->kind) {
  case PAT_LITERAL: return pat->literal_float ? LS_TERM_NODE : LS_TERM_NUM;
  case PAT_CALL: return (term = next_term (c, pat->name, &table, &row)) ? term->result : LS_TERM_NONE;
  case PAT_OP: {
    gboolean arithmetic = pat->op == LS_OP_NEG || pat->op == LS_OP_ADD || pat->op == LS_OP_SUB || pat->op == LS_OP_MUL ||
                          pat->op == LS_OP_FLOORDIV || pat->op == LS_OP_FLOORMOD;
    for (guint i = 0; i < pat->n_src && arithmetic; i++)
      arithmetic = fits (natural (c, pat->src[i]), LS_TERM_NUM);
    return arithmetic ? LS_TERM_NUM : LS_TERM_NODE;
  }
  case PAT_SAME: return LS_TERM_NODE;
  default: return pat->value;
  }
}

/* Does the argument fit, by itself or, inside PAT_EACH, element by element? */
static gboolean
argument_fits (Check *c, Pat *pat, LsTermKind want)
{
  LsTermKind have = natural (c, pat);
  if (have == LS_TERM_NUM && want == LS_TERM_NODE && pat->kind == PAT_OP)      /* $a + $b as a node */
    return TRUE;
  if (c->each && is_several (have) && (want == LS_TERM_NODE || want == LS_TERM_NUM))
    return (have == LS_TERM_NODES) == (want == LS_TERM_NODE);
  return fits (have, want);
}

static gboolean
check_call (Check *c, Pat *pat)
{
  guint table = 0, row = 0;
  gboolean any = FALSE;
  g_autoptr (GString) known = g_string_new (NULL);
  const LsTerm *term, *found = NULL, *elsewhere = NULL;
  while (!found && (term = next_term (c, pat->name, &table, &row))) {
    gboolean ok = term->n_args == pat->n_src;
    any = TRUE;
    for (guint i = 0; ok && i < term->n_args; i++)
      ok = argument_fits (c, pat->src[i], term->args[i]);
    if (*c->message)
      return FALSE;
    if (ok && term->context && g_strcmp0 (term->context, c->context) != 0)
      elsewhere = term;
    else if (ok)
      found = term;
    g_autofree char *signature = ls_term_signature (term);
    g_string_append_printf (known, "%s%s", known->len ? " or " : "", signature);
  }
  if (!any)
    return fail (c, pat, "'%s' is not a term", pat->name);
  if (!found && elsewhere)
    return fail (c, pat, "'%s' needs the context of the passes of '%s', and the rule belongs to the set %s", pat->name, elsewhere->context,
                 c->rule->pub.set);
  if (!found) {
    GString *got = g_string_new (NULL);
    for (guint i = 0; i < pat->n_src; i++)
      g_string_append_printf (got, "%s%s", i ? ", " : "", ls_term_kind_name (natural (c, pat->src[i])));
    fail (c, pat, "expected %s, not %s (%s)", known->str, pat->name, got->str);
    g_string_free (got, TRUE);
    return FALSE;
  }
  pat->term = found;
  pat->value = found->result;
  for (guint i = 0; i < pat->n_src; i++)
    if (!check_value (c, pat->src[i], found->args[i]))
      return FALSE;
  return TRUE;
}

/* Inside PAT_EACH, a sequence where an element is needed means its current element. */
static gboolean
take_element (Check *c, Pat *pat, LsTermKind want)
{
  if (!c->each || pat->kind != PAT_SLOT || pat->value != (want == LS_TERM_NODE ? LS_TERM_NODES : LS_TERM_NUMS))
    return FALSE;
  *c->each |= 1u << pat->slot;
  pat->kind = PAT_ELEMENT;
  pat->value = want;
  return TRUE;
}

static gboolean
check_value (Check *c, Pat *pat, LsTermKind want)
{
  if (want == LS_TERM_NODE && pat->kind != PAT_CALL)
    return check_node (c, pat);
  if (!resolve (c, pat))
    return FALSE;
  if (pat->kind == PAT_CALL && !check_call (c, pat))
    return FALSE;
  if (want == LS_TERM_NUM && pat->kind == PAT_OP) {
    if (natural (c, pat) != LS_TERM_NUM)
      return fail (c, pat, "expected a number");
    pat->value = LS_TERM_NUM;
    for (guint i = 0; i < pat->n_src; i++)
      if (!check_value (c, pat->src[i], LS_TERM_NUM))
        return FALSE;
    return TRUE;
  }
  if (pat->kind == PAT_LITERAL) {
    pat->value = LS_TERM_NUM;
    return want == LS_TERM_NUM && !pat->literal_float ? TRUE : fail (c, pat, "expected a %s, not %s", ls_term_kind_name (want),
                                                                     pat->literal_float ? "a float" : "a number");
  }
  if ((want == LS_TERM_NODE || want == LS_TERM_NUM) && take_element (c, pat, want))
    return TRUE;
  return fits (pat->value, want) || fail (c, pat, "expected a %s, but this is a %s", ls_term_kind_name (want),
                                          ls_term_kind_name (pat->value));
}

static gboolean
check_dtype (Check *c, Pat *pat)
{
  if (pat->kind == PAT_CALL)
    return check_value (c, pat, LS_TERM_DTYPE);
  for (guint i = 0; i < c->rule->n_slots; i++)
    if (strcmp (c->rule->slot_names[i], pat->name) == 0 || strcmp (pat->name, "self") == 0) {
      if (!resolve (c, pat) || take_element (c, pat, LS_TERM_NODE))
        return *c->message == NULL;
      return pat->value == LS_TERM_DTYPE || fits (pat->value, LS_TERM_NODE) || fail (c, pat, "'%s' is a %s and has no dtype", pat->name,
                                                                                     ls_term_kind_name (pat->value));
    }
  if ((pat->literal_dtype = ls_dtype_from_name (pat->name)) == LS_VOID && strcmp (pat->name, "void") != 0)
    return fail (c, pat, "expected a dtype, a bound name whose dtype the result takes, or a term that gives one; '%s' is neither",
                 pat->name);
  pat->kind = PAT_DTYPE;
  pat->value = LS_TERM_DTYPE;
  return TRUE;
}

/* One of several parts of a list of sources or numbers. */
static gboolean
check_part (Check *c, Pat *pat, gboolean numbers)
{
  LsTermKind one = numbers ? LS_TERM_NUM : LS_TERM_NODE, several = numbers ? LS_TERM_NUMS : LS_TERM_NODES;
  if (pat->kind == PAT_FOR) {
    if (c->rule->n_slots == LS_MAX_SLOTS)
      return fail (c, pat, "the rule binds too many names");
    for (guint i = 0; i < c->rule->n_slots; i++)
      if (strcmp (c->rule->slot_names[i], pat->name) == 0)
        return fail (c, pat, "'%s' is already bound", pat->name);
    if (!check_value (c, pat->src[1], LS_TERM_NUM))
      return FALSE;
    guint slot = c->rule->n_slots++;
    c->rule->slot_names[slot] = (char *) pat->name;
    c->rule->slot_kinds[slot] = LS_TERM_NUM;
    pat->slot = (gint8) slot;
    gboolean ok = check_part (c, pat->src[0], numbers);
    c->rule->slot_names[slot] = (char *) "";      /* the name is known inside only */
    return ok;
  }
  if (pat->kind != PAT_EACH)
    return numbers ? check_value (c, pat, LS_TERM_NUM) : check_node (c, pat);
  Pat *inner = pat->src[0];
  if (!resolve (c, inner))
    return FALSE;
  guint table = 0, row = 0;
  const LsTerm *term = inner->kind == PAT_CALL ? next_term (c, inner->name, &table, &row) : NULL;
  if (inner->kind == PAT_SLOT || (term && is_several (term->result))) {
    pat->splice = TRUE;
    return check_value (c, inner, several);
  }
  guint32 *outer = c->each;
  c->each = &pat->each;
  gboolean ok = numbers ? check_value (c, inner, one) : check_node (c, inner);
  c->each = outer;
  return ok && (pat->each || fail (c, pat, "the '*' has no sequence before it"));
}

static gboolean
check_argument (Check *c, Pat *pat, LsOp op)
{
  LsArgForm form = ls_op_info (op)->form;
  const LsTermKind single[] = { [LS_FORM_SCALAR] = LS_TERM_SCALAR, [LS_FORM_STR] = LS_TERM_TEXT, [LS_FORM_TRACKER] = LS_TERM_VIEW };
  guint from = 0;
  if (form == LS_FORM_NONE)
    return fail (c, pat, "%s has no argument", ls_op_name (op));
  if (pat->n_args == 1 && pat->args[0]->kind == PAT_CALL && natural (c, pat->args[0]) == LS_TERM_ARG)
    return check_value (c, pat->args[0], LS_TERM_ARG);
  if (form == LS_FORM_STR || form == LS_FORM_TRACKER || (form == LS_FORM_SCALAR && pat->n_args == 1 &&
                                                         natural (c, pat->args[0]) == LS_TERM_SCALAR))
    return pat->n_args == 1 ? check_value (c, pat->args[0], single[form]) : fail (c, pat, "the argument of %s "
                                                                                          "must be one %s", ls_op_name (op),
                                                                                  ls_term_kind_name (single[form]));
  if (form == LS_FORM_OP_INTS) {
    if (pat->n_args == 0)
      return fail (c, pat, "the argument of %s must begin with an op", ls_op_name (op));
    if (!check_value (c, pat->args[from++], LS_TERM_OP))
      return FALSE;
  }
  if ((form == LS_FORM_INT || form == LS_FORM_SCALAR) && (pat->n_args != 1 || pat->args[0]->kind == PAT_EACH ||
                                                          pat->args[0]->kind == PAT_FOR))
    return fail (c, pat, "the argument of %s must be one number", ls_op_name (op));
  for (guint i = from; i < pat->n_args; i++)
    if (!check_part (c, pat->args[i], TRUE))
      return FALSE;
  return TRUE;
}

/* Is it made of constants only? */
static gboolean
is_folded (const Pat *pat)
{
  if (pat->kind == PAT_OP) {
    gboolean all = pat->n_src > 0 && ls_op_info (pat->op)->op_class >= LS_CLASS_UNARY && pat->op != LS_OP_CAST &&
                   pat->op != LS_OP_BITCAST && !pat->dtype;
    for (guint i = 0; i < pat->n_src && all; i++)
      all = is_folded (pat->src[i]);
    return all;
  }
  return pat->kind == PAT_LITERAL || pat->value == LS_TERM_CONST || pat->value == LS_TERM_NUM;
}

/* A result's op: a single one, with its argument. */
static gboolean
check_op (Check *c, Pat *pat)
{
  guint n_ops = 0;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op)) {
      pat->op = (guint8) op;
      n_ops++;
    }
  if (n_ops != 1)
    return fail (c, pat, "the result must name a single op");
  pat->value = LS_TERM_NODE;
  return !pat->has_args || check_argument (c, pat, pat->op);
}

/* "x(a, b)": x over other sources. */
static gboolean
check_same (Check *c, Pat *pat)
{
  Pat name = { .kind = PAT_NAME, .name = pat->name, .slot = -1, .line = pat->line, .column = pat->column };
  if (!resolve (c, &name))
    return FALSE;
  pat->slot = name.slot;
  pat->value = LS_TERM_NODE;
  return name.value == LS_TERM_NODE ||
         fail (c, pat, "'%s' is a %s; only a node can get other sources", pat->name, ls_term_kind_name (name.value));
}

/* A name or a value where a node is expected: a number is a constant there. */
static gboolean
check_name (Check *c, Pat *pat)
{
  if (take_element (c, pat, LS_TERM_NODE) || take_element (c, pat, LS_TERM_NUM))
    return TRUE;
  if (pat->dtype && pat->value != LS_TERM_CONST && pat->value != LS_TERM_NUM)
    return fail (c, pat, "only constants and ops take a dtype; write CAST(%s):…", pat->name ? pat->name : "x");
  return pat->value == LS_TERM_NUM || fits (pat->value, LS_TERM_NODE) ||
         fail (c, pat, is_several (pat->value) ? "'%s' are %s; write %s* for all of them" : "expected a node, but '%s' is a %s",
               pat->name, ls_term_kind_name (pat->value), pat->name);
}

/* The sources of an op or of a node that gets others, their number, and whether constants among them take their dtype from the rest. */
static gboolean
check_sources (Check *c, Pat *pat)
{
  gboolean several = FALSE;
  for (guint i = 0; i < pat->n_src; i++) {
    several |= pat->src[i]->kind == PAT_EACH || pat->src[i]->kind == PAT_FOR;
    if (!check_part (c, pat->src[i], FALSE))
      return FALSE;
  }
  int arity = pat->kind == PAT_OP ? ls_op_info (pat->op)->arity : -1;
  if (arity >= 0 && !several && (int) pat->n_src != arity)
    return fail (c, pat, "%s takes %d sources, not %u", ls_op_name (pat->op), arity, pat->n_src);
  pat->fold = pat->kind == PAT_OP && is_folded (pat);
  for (guint i = 0; i < pat->n_src; i++) {
    const Pat *s = pat->src[i]->kind == PAT_EACH || pat->src[i]->kind == PAT_FOR ? pat->src[i]->src[0] : pat->src[i];
    pat->hints |= !s->dtype && (s->kind == PAT_LITERAL || s->value == LS_TERM_NUM || s->hints ||
                                (s->kind == PAT_OP && s->op == LS_OP_CONST));
  }
  return TRUE;
}

static gboolean
check_node (Check *c, Pat *pat)
{
  if (pat->dtype && !check_dtype (c, pat->dtype))
    return FALSE;
  if (!resolve (c, pat))
    return FALSE;
  switch (pat->kind) {
  case PAT_LITERAL: pat->value = LS_TERM_CONST; return TRUE;
  case PAT_EACH: case PAT_FOR: return fail (c, pat, "expected one node, not several");
  case PAT_CALL:
    return check_call (c, pat) && (pat->value == LS_TERM_NUM || fits (pat->value, LS_TERM_NODE) ||
                                   fail (c, pat, "expected a node, but '%s' gives a %s", pat->name, ls_term_kind_name (pat->value)));
  case PAT_OP: return check_op (c, pat) && check_sources (c, pat);
  case PAT_SAME: return check_same (c, pat) && check_sources (c, pat);
  default: return check_name (c, pat);
  }
}

static gboolean
check_pattern (Check *c, const Pat *pat)
{
  guint n_seq = 0;
  for (guint i = 0; i < pat->n_src; i++)
    n_seq += pat->src[i]->kind == PAT_SEQ;
  if (n_seq > 2)
    return fail (c, pat, "a pattern has at most two sequences among its sources");
  for (guint op = 0; pat->kind == PAT_OP && op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op) && ls_op_info (op)->arity >= 0 && !pat->rest && (int) pat->n_src != ls_op_info (op)->arity)
      return fail (c, pat, "%s takes %d sources, not %u", ls_op_name (op), ls_op_info (op)->arity, pat->n_src);
  for (guint i = 0; i < pat->n_src; i++)
    if (!check_pattern (c, pat->src[i]))
      return FALSE;
  return TRUE;
}

static gboolean
check_all (Check *c)
{
  Rule *rule = c->rule;
  guint first_with = rule->n_pattern_slots;
  for (guint i = 0; i < rule->n_with; i++) {
    LsTermKind kind = natural (c, rule->with[i]);
    if (*c->message || (kind == LS_TERM_NONE ? !check_call (c, rule->with[i]) : !check_value (c, rule->with[i], kind)))
      return FALSE;
    rule->slot_kinds[first_with + i] = (guint8) kind;
  }
  for (guint i = 0; i < rule->n_conds; i++) {
    Cond *cond = &rule->conds[i];
    c->late = FALSE;
    if (cond->kind == COND_CALL ? !check_value (c, cond->a, LS_TERM_BOOL) : !check_value (c, cond->a, LS_TERM_NUM) ||
        !check_value (c, cond->b, LS_TERM_NUM))
      return FALSE;
    cond->late = c->late;
  }
  for (guint i = 0; i < rule->n_results; i++)
    if (rule->results[i]->kind != PAT_NONE && !check_node (c, rule->results[i]))
      return FALSE;
  /* the rule does not show a builder's result: the word marks it */
  const Pat *first = rule->results[0];
  if (rule->pub.builder && !*rule->pub.builder) {
    if (first->term->builds)
      return fail (c, first, "a result made by a term alone is written 'build %s(…)'", first->name);
    rule->pub.builder = NULL;
  }
  return TRUE;
}

gboolean
ls_pat_needs_context (const Pat *pat)
{
  if (pat->kind == PAT_CALL && pat->term && pat->term->context)
    return TRUE;
  for (guint i = 0; i < pat->n_src; i++)
    if (ls_pat_needs_context (pat->src[i]))
      return TRUE;
  for (guint i = 0; i < pat->n_args; i++)
    if (pat->kind != PAT_ANY && ls_pat_needs_context (pat->args[i]))
      return TRUE;
  return pat->dtype && ls_pat_needs_context (pat->dtype);
}

gboolean
ls_rule_check (LsRuleLibrary *library, Rule *rule, guint *line, guint *column, char **message)
{
  const LsRuleSetInfo *set = library->base ? ls_rule_base_set (library->base, rule->pub.set) : NULL;
  Check c = { .library = library, .rule = rule, .context = set ? set->context : NULL, .line = line, .column = column, .message = message };
  if (!check_pattern (&c, rule->pattern))
    return FALSE;
  if (!check_all (&c)) {
    if (library->base)
      return FALSE;
    rule->unknown = TRUE;
    g_clear_pointer (message, g_free);
  }
  /* the root's dtypes and the ops that its sources must have, to leave a rule out early */
  rule->bases = rule->pattern->bases;
  for (guint i = 0; i < rule->pattern->n_src; i++) {
    const Pat *s = rule->pattern->src[i];
    guint n = 0, last = 0;
    for (guint op = 0; s->kind == PAT_OP && op < LS_N_OPS; op++)
      if (ls_ops_has (s->ops, op)) {
        n++;
        last = op;
      }
    if (s->kind == PAT_CONST || s->kind == PAT_LITERAL)
      ls_ops_bit (rule->need, LS_OP_CONST);
    else if (n == 1)
      ls_ops_bit (rule->need, last);
  }
  for (guint i = 0; i < rule->n_results && !rule->unknown; i++)
    rule->needs_context |= ls_pat_needs_context (rule->results[i]);
  for (guint i = 0; i < rule->n_with && !rule->unknown; i++)
    rule->needs_context |= ls_pat_needs_context (rule->with[i]);
  for (guint i = 0; i < rule->n_conds && !rule->unknown; i++)
    rule->needs_context |= ls_pat_needs_context (rule->conds[i].a) || (rule->conds[i].b && ls_pat_needs_context (rule->conds[i].b));
  return TRUE;
}
