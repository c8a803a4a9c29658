/* The nodes that a match covered, for lineage, and the reason why it ended, with the values that it saw, for why-not. The search itself
 * is that of rule-match.c. */
#include "rules-private.h"
#include "ir/print.h"
#include "ir/view.h"

#include <string.h>

static char *
pattern_text (const Match *m, const Pat *pat)
{
  GString *t = g_string_new (NULL);
  if (pat->kind == PAT_LITERAL) {
    if (pat->literal_float)
      g_string_append_printf (t, "the constant %g", pat->literal_f);
    else
      g_string_append_printf (t, "the constant %" G_GINT64_FORMAT, pat->literal_i);
  } else if (pat->kind == PAT_CONST) {
    g_string_append_printf (t, "a constant for $%s", pat->slot >= 0 ? m->rule->slot_names[(int) pat->slot] : "_");
  } else if (pat->kind == PAT_OP) {
    guint n = 0;
    for (guint op = 0; op < LS_N_OPS; op++)
      if (ls_ops_has (pat->ops, op) && n++ < 6)
        g_string_append_printf (t, "%s%s", n > 1 ? "|" : "", ls_op_name (op));
    if (n > 6)
      g_string_append_printf (t, "|… (%u ops)", n);
  } else {
    g_string_append_printf (t, "a node for %s", pat->slot >= 0 ? m->rule->slot_names[(int) pat->slot] : "_");
  }
  return g_string_free (t, FALSE);
}

/* "int" of "x:int" in the rule's text. */
static char *
class_text (const Match *m, const Pat *pat)
{
  const char *text = m->rule->pub.text;
  for (guint i = 0; pat->slot >= 0 && i < 2; i++) {
    g_autofree char *key = g_strdup_printf (i ? "%s):" : "%s:", m->rule->slot_names[(int) pat->slot]);
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
  /* the class follows the whole pattern */
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

gboolean
ls_match_failed (Match *m, const Todo *at, const char *stage)
{
  const Pat *pat = at->pat;
  LsUOp *node = at->node;
  if ((int) m->n_trail <= m->best)
    return FALSE;
  m->best = (int) m->n_trail;
  m->stage = stage;
  memcpy (m->best_slots, m->slots, m->rule->n_slots * sizeof *m->slots);
  if (!m->describe)
    return FALSE;
  g_autofree char *what = NULL, *wants = pattern_text (m, pat), *saw = ls_uop_summary (node);
  char dtype[64];
  LsArg v;
  if (g_str_equal (stage, "dtype")) {
    g_autofree char *class = class_text (m, pat);
    what = g_strdup_printf ("the pattern requires a dtype of class %s, but it is %s", class, ls_dtype_text (node->dtype, dtype));
  } else if (g_str_equal (stage, "capture")) {
    what = g_strdup_printf ("%s is already bound to node %u and must be the same node here", m->rule->slot_names[(int) pat->slot],
                            m->slots[(int) pat->slot].node->id);
  } else if (g_str_equal (stage, "sources")) {
    what = g_strdup_printf (pat->rest ? "the pattern requires at least %u sources, but it has %u"
                                      : "the pattern requires %u sources, but it has %u", pat->n_src - pat->rest, node->n_src);
  } else if (g_str_equal (stage, "argument")) {
    const Pat *first = pat->args[0];
    if (first->kind == PAT_OPNAME)
      what = g_strdup_printf ("the pattern requires %s in its argument", ls_op_name (first->op));
    else if (first->kind == PAT_LITERAL && pat->n_args == 1 && first->literal_float)
      what = g_strdup_printf ("the pattern requires the argument %g", first->literal_f);
    else if (first->kind == PAT_LITERAL && pat->n_args == 1)
      what = g_strdup_printf ("the pattern requires the argument %" G_GINT64_FORMAT, first->literal_i);
    else
      what = g_strdup ("its argument is different");
  } else {
    gboolean other = pat->kind == PAT_LITERAL && ls_uop_const_value (node, &v);
    what = g_strdup_printf (other ? "the pattern requires %s, but this constant is different" : "the pattern requires %s", wants);
  }
  g_free (m->text);
  if (at->parent)
    m->text = g_strdup_printf ("source %u of node %u (%s): %s; it is node %u (%s)", at->source, at->parent->id, ls_op_name (at->parent->op),
                               what, node->id, saw);
  else
    m->text = g_strdup_printf ("the node itself: %s; it is node %u (%s)", what, node->id, saw);
  return FALSE;
}

guint
ls_rule_matched (LsRuleLibrary *library, guint index, LsUOp *node, LsUOp **nodes, guint max)
{
  g_return_val_if_fail (index < library->rules->len, 0);
  LsTermValue slots[LS_MAX_SLOTS];
  __typeof__ (*((Match *) NULL)->trail) trail[LS_MAX_TRAIL];
  Match m = { .rule = library->rules->pdata[index], .slots = slots, .trail = trail };
  guint n = 0;
  if (!ls_match_run (&m, node))
    return 0;
  for (guint i = 0; i < MIN (m.n_trail, LS_MAX_TRAIL) && n < max; i++) {
    gboolean have = trail[i].pat->kind == PAT_ANY;
    for (guint k = 0; k < n && !have; k++)
      have = nodes[k] == trail[i].node;
    if (!have)
      nodes[n++] = trail[i].node;
  }
  return n;
}

/* "(0, 2, 1)" */
static char *
numbers_text (guint n, const gint64 *nums)
{
  return ls_shape_to_string ((LsShape) { n, nums });
}

char *
ls_term_value_print (const LsTermValue *v)
{
  char dtype[64];
  switch (v->kind) {
  case LS_TERM_NODE: case LS_TERM_CONST: return ls_uop_summary (v->node);
  case LS_TERM_NUM: return g_strdup_printf ("%" G_GINT64_FORMAT, v->num);
  case LS_TERM_NUMS: return numbers_text (v->n, v->nums);
  case LS_TERM_SCALAR: case LS_TERM_ARG: return ls_arg_print (*v->arg);
  case LS_TERM_VIEW: return ls_tracker_summary (v->view);
  case LS_TERM_OP: return g_strdup (ls_op_name (v->op));
  case LS_TERM_TEXT: return g_strdup (v->text);
  case LS_TERM_DTYPE: return g_strdup (ls_dtype_text (v->dtype, dtype));
  case LS_TERM_BOOL: return g_strdup (v->holds ? "true" : "false");
  case LS_TERM_NODES: {
    GString *s = g_string_new (v->n == 1 ? "node" : "nodes");
    for (guint i = 0; i < v->n; i++)
      g_string_append_printf (s, "%s%u", i ? ", " : " ", v->nodes[i]->id);
    if (v->n == 0)
      g_string_assign (s, "()");
    return g_string_free (s, FALSE);
  }
  default: return g_strdup ("()");
  }
}

guint
ls_rule_bindings (const Rule *rule, LsUOp *node, const LsTermValue *slots, LsBinding *bindings, guint max)
{
  guint n = 0;
  for (guint i = 0; i < rule->n_pattern_slots && n < max; i++)
    if (slots[i].kind)
      bindings[n++] = (LsBinding) { rule->slot_names[i], slots[i].kind <= LS_TERM_CONST ? slots[i].node : NULL, slots[i] };
  return n;
}

/* "$c is 6, min(x) is 0": the values of a computing part. */
static void
add_seen (GString *text, Env *e, const Pat *pat)
{
  gint64 value;
  if (!pat || pat->kind == PAT_LITERAL)
    return;
  if (pat->kind == PAT_OP) {
    add_seen (text, e, pat->src[0]);
    add_seen (text, e, pat->n_src > 1 ? pat->src[1] : NULL);
    return;
  }
  g_autoptr (GString) one = g_string_new (NULL);
  ls_pat_write (one, e->rule, pat);
  if (ls_env_number (e, pat, &value))
    g_string_append_printf (one, " = %" G_GINT64_FORMAT, value);
  else
    g_string_append (one, " has no integer value");
  if (!strstr (text->str, one->str))      /* once, where several arguments have it */
    g_string_append_printf (text, "%s%s", text->len ? ", " : "", one->str);
}

static char *
seen_by (Env *e, const Cond *c, gboolean *only_nodes)
{
  GString *saw = g_string_new (NULL);
  *only_nodes = c->kind == COND_CALL;
  LsTermValue v;
  if (c->kind != COND_CALL) {
    add_seen (saw, e, c->a);
    add_seen (saw, e, c->b);
  }
  for (guint i = 0; c->kind == COND_CALL && i < c->a->n_src; i++) {
    const Pat *arg = c->a->src[i];
    *only_nodes &= arg->slot >= 0 && (arg->value == LS_TERM_NODE || arg->value == LS_TERM_CONST);
    if (arg->value == LS_TERM_NUM) {
      add_seen (saw, e, arg);
      continue;
    }
    g_string_append (saw, saw->len ? ", " : "");
    g_autoptr (GString) name = g_string_new (NULL);
    ls_pat_write (name, e->rule, arg);
    gboolean has = ls_env_value (e, arg, &v);
    g_autofree char *text = has ? ls_term_value_print (&v) : NULL;
    if (!has)
      g_string_append (saw, name->str);
    else if (v.kind <= LS_TERM_CONST)
      g_string_append_printf (saw, "%s = node %u (%s)", name->str, v.node->id, text);
    else
      g_string_append_printf (saw, "%s = %s", name->str, text);
  }
  return g_string_free (saw, FALSE);
}

/* Can it be asked here? */
static gboolean
known (const Rule *rule, const Cond *c, gpointer pass)
{
  return pass || !(ls_pat_needs_context (c->a) || (c->b && ls_pat_needs_context (c->b))) ;
}

void
ls_rule_explain (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer pass, LsRuleExplanation *out)
{
  memset (out, 0, sizeof *out);
  g_return_if_fail (index < library->rules->len);
  Rule *rule = library->rules->pdata[index];
  LsTermValue slots[LS_MAX_SLOTS];
  __typeof__ (*((Match *) NULL)->trail) trail[LS_MAX_TRAIL];
  Match m = { .rule = rule, .slots = slots, .trail = trail, .best = -1, .explain = TRUE, .describe = TRUE };
  if (!ls_match_run (&m, node)) {
    out->n_bindings = ls_rule_bindings (rule, node, m.best_slots, out->bindings, G_N_ELEMENTS (out->bindings));
    out->stage = m.stage ? m.stage : "sources";
    out->text = m.text ? m.text : g_strdup ("the sources do not match the pattern");
    return;
  }
  g_free (m.text);
  out->n_bindings = ls_rule_bindings (rule, node, slots, out->bindings, G_N_ELEMENTS (out->bindings));
  out->matches = TRUE;
  if (rule->unknown) {
    out->stage = "builder-unknown";
    out->text = g_strdup ("the pattern matches; the rule uses terms that only the program that recorded it can evaluate");
    return;
  }
  Env e;
  ls_env_init (&e, rule, ctx, rule->gradient ? node->src[0] : node, pass, NULL, slots);
  for (guint i = 0; i < rule->n_conds && !out->stage; i++) {
    const Cond *c = &rule->conds[i];
    if (!known (rule, c, pass) || (c->late && !ls_env_with (&e)) || ls_cond_holds (&e, c))
      continue;
    gboolean only_nodes;
    g_autofree char *saw = seen_by (&e, c, &only_nodes);
    out->stage = "guard";
    out->text = *saw ? g_strdup_printf ("the guard \"%s\" is false: %s", c->text, saw)
                     : g_strdup_printf ("the guard \"%s\" is false", c->text);
  }
  ls_env_clear (&e);
  if (out->stage)
    return;
  if (!pass && rule->needs_context) {
    out->stage = "builder-unknown";
    out->text = g_strdup ("the pattern matches and its guards are true; the rest depends on the context of its pass");
    return;
  }
  out->result = rule->n_results == 1 || rule->gradient ? ls_rule_run (rule, ctx, node, pass, NULL, slots) : NULL;
  out->stage = out->result ? "fires" : rule->pub.builder ? "builder" : "result";
  out->text = out->result       ? g_strdup_printf ("it fires: node %u becomes node %u", node->id, out->result->id) :
              rule->pub.builder ? g_strdup ("the pattern matches and its guards are true; the builder made no new node") :
                                  g_strdup ("the pattern matches and its guards are true; the result is the node itself, or a number "
                                             "in it does not fit");
}

void
ls_rule_explanation_clear (LsRuleExplanation *e)
{
  g_clear_pointer (&e->text, g_free);
}

/* --- guards, and the values of the result --- */

static void
clear_guard (gpointer data)
{
  g_free (((LsGuardValue *) data)->text);
  g_free (((LsGuardValue *) data)->saw);
}

/* The terms of a result that compute something other than nodes, outermost first. Those inside of a sequence have a value for each
 * element and are left out. */
static void
add_computed (GArray *out, Env *e, const Pat *pat, gpointer pass)
{
  LsTermValue v;
  if (pat->kind == PAT_EACH && !pat->splice)
    return;
  if ((pat->kind == PAT_CALL && (pat->value != LS_TERM_NODE || pat->n_src > 0)) || (pat->kind == PAT_OP && pat->fold)) {
    if (!pass && ls_pat_needs_context (pat))
      return;
    GString *text = g_string_new (NULL);
    ls_pat_write (text, e->rule, pat);
    LsGuardValue g = { g_string_free (text, FALSE), ls_env_value (e, pat, &v) ? ls_term_value_print (&v) : NULL, LS_GUARD_COMPUTED,
                       pat->kind == PAT_CALL && pat->term ? pat->term->sentence : NULL };
    g_array_append_val (out, g);
    return;
  }
  for (guint i = 0; i < pat->n_args; i++)
    add_computed (out, e, pat->args[i], pass);
  for (guint i = 0; i < pat->n_src && pat->kind != PAT_FOR; i++)
    add_computed (out, e, pat->src[i], pass);
  if (pat->dtype && pat->dtype->kind == PAT_CALL)
    add_computed (out, e, pat->dtype, pass);
}

GArray *
ls_rule_guards (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer pass)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  LsTermValue slots[LS_MAX_SLOTS] = { 0 };
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsGuardValue));
  g_array_set_clear_func (out, clear_guard);
  gboolean matches = ls_rule_match_pattern (rule, node, slots);
  Env e;
  ls_env_init (&e, rule, ctx, rule->gradient ? node->src[0] : node, pass, NULL, slots);
  gboolean with = matches && !rule->unknown && (pass || !rule->needs_context) && ls_env_with (&e);
  for (guint i = 0; i < rule->n_conds; i++) {
    const Cond *c = &rule->conds[i];
    LsGuardValue v = { g_strdup (c->text), NULL, LS_GUARD_UNKNOWN, c->kind == COND_CALL && c->a->term ? c->a->term->sentence : NULL,
                       !c->negate };
    if (matches && !rule->unknown && known (rule, c, pass) && (!c->late || with)) {
      v.saw = seen_by (&e, c, &v.only_nodes);
      v.holds = ls_cond_holds (&e, c) ? LS_GUARD_HOLDS : LS_GUARD_FAILS;
      v.yes = (v.holds == LS_GUARD_HOLDS) != c->negate;
    }
    g_array_append_val (out, v);
  }
  for (guint i = 0; with && i < rule->n_with; i++) {
    guint slot = rule->n_pattern_slots + i;
    LsGuardValue v = { g_strdup (rule->slot_names[slot]), ls_term_value_print (&slots[slot]), LS_GUARD_COMPUTED,
                       rule->with[i]->term ? rule->with[i]->term->sentence : NULL };
    g_array_append_val (out, v);
  }
  for (guint i = 0; matches && !rule->unknown && !rule->pub.builder && (with || !rule->n_with) && i < rule->n_results; i++)
    if (!rule->gradient || i == node->arg.i)
      add_computed (out, &e, rule->results[i], pass);
  ls_env_clear (&e);
  return out;
}

/* --- terms --- */

static void
add_terms (GPtrArray *out, const Pat *pat)
{
  if (!pat)
    return;
  if (pat->kind == PAT_CALL && pat->term && !g_ptr_array_find (out, pat->term, NULL))
    g_ptr_array_add (out, (gpointer) pat->term);
  for (guint i = 0; i < pat->n_src; i++)
    add_terms (out, pat->src[i]);
  for (guint i = 0; i < pat->n_args; i++)
    add_terms (out, pat->args[i]);
  add_terms (out, pat->dtype);
}

const char *
ls_rule_algorithm (LsRuleLibrary *library, guint index)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  g_autoptr (GPtrArray) terms = g_ptr_array_new ();
  if (rule->pub.builder && rule->n_results > 0)
    add_terms (terms, rule->results[0]);
  return terms->len ? ((const LsTerm *) terms->pdata[0])->sentence : NULL;
}

char *
ls_rule_terms (LsRuleLibrary *library, guint index)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  g_autoptr (GPtrArray) terms = g_ptr_array_new ();
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rule->n_results; i++)
    add_terms (terms, rule->results[i]);
  for (guint i = 0; i < rule->n_with; i++)
    add_terms (terms, rule->with[i]);
  for (guint i = 0; i < rule->n_conds; i++) {
    add_terms (terms, rule->conds[i].a);
    add_terms (terms, rule->conds[i].b);
  }
  for (guint i = 0; i < terms->len; i++) {
    const LsTerm *term = terms->pdata[i];
    g_autofree char *signature = ls_term_signature (term);
    g_string_append_printf (text, "%s%s: %s", text->len ? "\n" : "", signature, term->sentence);
  }
  return g_string_free (text, FALSE);
}
