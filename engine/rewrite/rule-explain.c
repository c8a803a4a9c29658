/* Matching with a record of how far it got: for lineage (which nodes a match covered) and for why-not (which condition failed, with what it saw).
 *
 * The search is that of rule-match.c, in the same order, so that both find the same match; here every node that a part of the pattern took is
 * kept on a trail, and the failure of the longest attempt is described. The driver never comes here.
 */
#include "rules-private.h"
#include "ir/print.h"

#include <string.h>

#define MAX_TRAIL 64

typedef struct { const Pat *pat; LsUOp *node; } Step;
typedef struct {
  const Rule *rule;
  LsUOp     **slots;
  Step        trail[MAX_TRAIL];
  guint       n;
  gboolean    describe;
  /* the attempt that came furthest */
  int         best;
  const char *stage;
  char       *text;
  LsUOp      *best_slots[LS_MAX_SLOTS];
} Search;

typedef struct _Todo Todo;
struct _Todo { const Pat *pat; LsUOp *node; LsUOp *parent; guint source; const Todo *next; };

static gboolean search (Search *s, const Todo *at);

static char *
pattern_text (const Search *s, const Pat *pat)
{
  GString *t = g_string_new (NULL);
  if (pat->kind == PAT_LITERAL) {
    if (pat->literal_float)
      g_string_append_printf (t, "the constant %g", pat->literal_f);
    else
      g_string_append_printf (t, "the constant %" G_GINT64_FORMAT, pat->literal_i);
  } else if (pat->kind == PAT_CONST) {
    g_string_append_printf (t, "a constant for $%s", pat->slot >= 0 ? s->rule->slot_names[(int) pat->slot] : "_");
  } else if (pat->kind == PAT_OP) {
    guint n = 0;
    for (guint op = 0; op < LS_N_OPS; op++)
      if (ls_ops_has (pat->ops, op) && n++ < 6)
        g_string_append_printf (t, "%s%s", n > 1 ? "|" : "", ls_op_name (op));
    if (n > 6)
      g_string_append_printf (t, "|… (%u ops)", n);
  } else {
    g_string_append_printf (t, "a node for %s", pat->slot >= 0 ? s->rule->slot_names[(int) pat->slot] : "_");
  }
  return g_string_free (t, FALSE);
}

/* "int" of "x:int" in the rule's text. */
static char *
class_text (const Search *s, const Pat *pat)
{
  const char *text = s->rule->pub.text;
  for (guint i = 0; pat->slot >= 0 && i < 2; i++) {
    g_autofree char *key = g_strdup_printf (i ? "%s):" : "%s:", s->rule->slot_names[(int) pat->slot]);
    for (const char *p = strstr (text, key); p; p = strstr (p + 1, key)) {
      if (p > text && (g_ascii_isalnum (p[-1]) || p[-1] == '_'))
        continue;
      const char *c = p + strlen (key);
      gsize n = 0;
      while (g_ascii_isalpha (c[n]))
        n++;
      if (n > 0)
        return g_strndup (c, n);
    }
  }
  /* the class stands behind the whole pattern */
  const char *arrow = strstr (text, "->"), *colon = arrow;
  while (colon && colon > text && *colon != ':')
    colon--;
  if (colon && *colon == ':') {
    gsize n = 0;
    while (g_ascii_isalpha (colon[1 + n]))
      n++;
    if (n > 0)
      return g_strndup (colon + 1, n);
  }
  return g_strdup ("another class");
}

G_GNUC_PRINTF (4, 5) static gboolean
fail (Search *s, const Todo *at, const char *stage, const char *format, ...)
{
  va_list args;
  if ((int) s->n <= s->best)
    return FALSE;
  s->best = (int) s->n;
  s->stage = stage;
  memcpy (s->best_slots, s->slots, sizeof s->best_slots);
  if (!s->describe)
    return FALSE;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *saw = ls_uop_summary (at->node);
  g_free (s->text);
  if (at->parent)
    s->text = g_strdup_printf ("source %u of node %u (%s): %s; it is node %u (%s)", at->source, at->parent->id, ls_op_name (at->parent->op), what, at->node->id, saw);
  else
    s->text = g_strdup_printf ("the node itself: %s; it is node %u (%s)", what, at->node->id, saw);
  return FALSE;
}

static gboolean
same_const (const LsUOp *a, const LsUOp *b)
{
  LsArg x, y;
  return a == b || (ls_uop_const_value (a, &x) && ls_uop_const_value (b, &y) && ls_arg_equal (x, y));
}

/* The node has what the pattern asks of it; now its name, then the rest. */
static gboolean
bind (Search *s, const Todo *at, const Todo *rest)
{
  const Pat *pat = at->pat;
  LsUOp *old = pat->slot >= 0 ? s->slots[(int) pat->slot] : NULL;
  if (old && old != at->node && !(pat->kind == PAT_CONST && same_const (old, at->node)))
    return fail (s, at, "capture", "%s is bound to node %u already, and must be the same node here", s->rule->slot_names[(int) pat->slot], old->id);
  if (s->n < MAX_TRAIL)
    s->trail[s->n] = (Step) { pat, at->node };
  s->n++;
  if (pat->slot >= 0)
    s->slots[(int) pat->slot] = at->node;
  if (!rest || search (s, rest))
    return TRUE;
  if (pat->slot >= 0)
    s->slots[(int) pat->slot] = old;
  s->n--;
  return FALSE;
}

static gboolean
sources (Search *s, const Todo *at, const Todo *rest, guint i)
{
  if (i == 0)
    return bind (s, at, rest);
  Todo t = { at->pat->src[i - 1], at->node->src[i - 1], at->node, i, rest };
  return sources (s, at, &t, i - 1);
}

static gboolean
search (Search *s, const Todo *at)
{
  const Pat *pat = at->pat;
  LsUOp *node = at->node;
  LsArg v;
  char dtype[64];
  if (!(pat->bases >> ls_dtype_base (node->dtype) & 1)) {
    g_autofree char *class = s->describe ? class_text (s, pat) : NULL;
    return fail (s, at, "dtype", "the pattern asks for a dtype of class %s, and it is %s", class, ls_dtype_modern (node->dtype, dtype));
  }
  g_autofree char *wants = s->describe ? pattern_text (s, pat) : NULL;
  switch (pat->kind) {
  case PAT_ANY: return bind (s, at, at->next);
  case PAT_CONST: return ls_uop_const_value (node, NULL) ? bind (s, at, at->next) : fail (s, at, "constant", "the pattern asks for %s", wants);
  case PAT_LITERAL:
    if (!ls_uop_const_value (node, &v))
      return fail (s, at, "constant", "the pattern asks for %s", wants);
    if (!ls_pattern_literal_matches (pat, node))
      return fail (s, at, "constant", "the pattern asks for %s, and this is another constant", wants);
    return bind (s, at, at->next);
  default: break;
  }
  if (!ls_ops_has (pat->ops, node->op))
    return fail (s, at, "op", "the pattern asks for %s", wants);
  if (pat->rest ? node->n_src < pat->n_src : node->n_src != pat->n_src)
    return fail (s, at, "sources", "the pattern asks for %s%u sources, and it has %u", pat->rest ? "at least " : "", pat->n_src, node->n_src);
  if (pat->arg_op >= 0 && (node->arg.kind != LS_ARG_OP_INTS || node->arg.op != pat->arg_op))
    return fail (s, at, "argument", "the pattern asks for %s in its argument", ls_op_name ((LsOp) pat->arg_op));
  if (sources (s, at, at->next, pat->n_src))
    return TRUE;
  if (pat->commutative && node->src[0] != node->src[1]) {
    Todo second = { pat->src[1], node->src[0], node, 1, at->next };
    Todo first = { pat->src[0], node->src[1], node, 2, &second };
    return bind (s, at, &first);
  }
  return FALSE;
}

guint
ls_rule_matched (LsRuleLibrary *library, guint index, LsUOp *node, LsUOp **nodes, guint max)
{
  g_return_val_if_fail (index < library->rules->len, 0);
  Rule *rule = library->rules->pdata[index];
  LsUOp *slots[LS_MAX_SLOTS] = { 0 };
  Search s = { .rule = rule, .slots = slots, .best = G_MAXINT };
  Todo root = { rule->pattern, node, NULL, 0, NULL };
  guint n = 0;
  if (!search (&s, &root))
    return 0;
  for (guint i = 0; i < MIN (s.n, MAX_TRAIL) && n < max; i++) {
    gboolean have = s.trail[i].pat->kind == PAT_ANY;
    for (guint k = 0; k < n && !have; k++)
      have = nodes[k] == s.trail[i].node;
    if (!have)
      nodes[n++] = s.trail[i].node;
  }
  return n;
}

/* "$c is 6, min(x) is 0": the numbers that a guard saw. */
static void
add_numbers (GString *text, const Rule *rule, const Num *n, LsUOp **slots)
{
  static const char *const forms[] = { [NUM_CONST] = "$%s", [NUM_MIN] = "min(%s)", [NUM_MAX] = "max(%s)", [NUM_DIVISOR] = "divisor(%s)" };
  if (!n)
    return;
  if (n->kind == NUM_CONST || n->kind == NUM_MIN || n->kind == NUM_MAX || n->kind == NUM_DIVISOR) {
    gint64 value;
    g_autofree char *name = n->kind == NUM_CONST ? g_strdup_printf ("$%s", rule->slot_names[(int) n->slot]) :
                            g_strdup_printf ("%.*s(%s)", (int) strcspn (forms[n->kind], "("), forms[n->kind], rule->slot_names[(int) n->slot]);
    if (ls_num_value (n, slots, &value))
      g_string_append_printf (text, "%s%s is %" G_GINT64_FORMAT, text->len ? ", " : "", name, value);
    else
      g_string_append_printf (text, "%s%s has no integer value", text->len ? ", " : "", name);
  }
  add_numbers (text, rule, n->a, slots);
  add_numbers (text, rule, n->b, slots);
}

char *
ls_cond_values (const Rule *rule, const Cond *c, LsUOp *node, LsUOp **slots)
{
  GString *saw = g_string_new (NULL);
  if (c->kind == COND_CALL) {
    for (guint i = 0; i < c->n_args; i++) {
      LsUOp *u = c->args[i] == SLOT_SELF ? node : slots[(int) c->args[i]];
      g_autofree char *summary = u ? ls_uop_summary (u) : g_strdup ("nothing");
      g_string_append_printf (saw, "%s%s is node %u (%s)", i ? ", " : "", c->args[i] == SLOT_SELF ? "self" : rule->slot_names[(int) c->args[i]], u ? u->id : 0, summary);
    }
  } else {
    add_numbers (saw, rule, c->a, slots);
    add_numbers (saw, rule, c->b, slots);
  }
  return g_string_free (saw, FALSE);
}

static char *
guard_text (const Rule *rule, const Cond *c, LsUOp *node, LsUOp **slots)
{
  g_autofree char *saw = ls_cond_values (rule, c, node, slots);
  return g_strdup_printf ("the guard \"%s\" does not hold%s%s", c->text ? c->text : "?", *saw ? ": " : "", saw);
}

static void
copy_bindings (LsRuleExplanation *out, const Rule *rule, LsUOp **slots)
{
  for (guint i = 0; i < rule->n_slots && out->n_bindings < G_N_ELEMENTS (out->bindings); i++)
    if (slots[i])
      out->bindings[out->n_bindings++] = (LsBinding) { rule->slot_names[i], slots[i] };
}

void
ls_rule_explain (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer user, gboolean run_builder, LsRuleExplanation *out)
{
  memset (out, 0, sizeof *out);
  g_return_if_fail (index < library->rules->len);
  Rule *rule = library->rules->pdata[index];
  LsUOp *slots[LS_MAX_SLOTS] = { 0 };
  Search s = { .rule = rule, .slots = slots, .best = -1, .describe = TRUE };
  Todo root = { rule->pattern, node, NULL, 0, NULL };
  if (!search (&s, &root)) {
    copy_bindings (out, rule, s.best_slots);
    out->stage = s.stage;
    out->text = g_steal_pointer (&s.text);
    return;
  }
  g_free (s.text);
  copy_bindings (out, rule, slots);
  out->matches = TRUE;
  for (guint i = 0; i < rule->n_conds; i++) {
    if (rule->conds[i].kind == COND_CALL && !run_builder && user == NULL && rule->conds[i].n_args == 0)
      continue;
    if (!ls_cond_holds (&rule->conds[i], ctx, node, slots, user)) {
      out->stage = "guard";
      out->text = guard_text (rule, &rule->conds[i], node, slots);
      return;
    }
  }
  if (rule->builder && !run_builder) {
    out->stage = "builder-unknown";
    out->text = g_strdup ("the pattern and its guards hold; the builder decides with what its pass knows");
    return;
  }
  out->result = ls_rule_run (rule, ctx, node, user, slots);
  out->stage = out->result ? "fires" : rule->builder ? "builder" : "result";
  out->text = out->result   ? g_strdup_printf ("it fires: node %u becomes node %u", node->id, out->result->id) :
              rule->builder ? g_strdup ("the pattern and its guards hold; the builder declined, or gave the node itself back") :
                              g_strdup ("the pattern and its guards hold; the result is the node itself, overflows, or has another dtype");
}

void
ls_rule_explanation_clear (LsRuleExplanation *e)
{
  g_clear_pointer (&e->text, g_free);
}
