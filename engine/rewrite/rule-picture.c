/* A rule as something to look at: pattern and result as small graphs, and its guards with the values they saw.
 *
 * A name that stands twice in a pattern is one node with two ways to it, as in the graph that it matches.
 */
#include "rules-private.h"
#include "ir/print.h"

#include <string.h>

typedef struct {
  LsRulePicture *out;
  const Rule    *rule;
  guint32        slot_part[LS_MAX_SLOTS];      /* index + 1 */
} Drawing;

static void
clear_part (gpointer data)
{
  g_free (((LsRulePart *) data)->title);
}

static LsRulePicture *
picture_new (void)
{
  LsRulePicture *p = g_new0 (LsRulePicture, 1);
  p->parts = g_array_new (FALSE, FALSE, sizeof (LsRulePart));
  p->arcs = g_array_new (FALSE, FALSE, sizeof (LsRuleArc));
  g_array_set_clear_func (p->parts, clear_part);
  return p;
}

void
ls_rule_picture_free (LsRulePicture *p)
{
  if (!p)
    return;
  g_array_unref (p->parts);
  g_array_unref (p->arcs);
  g_free (p);
}

static guint32
add_part (LsRulePicture *p, LsRulePartKind kind, char *title, const char *capture, guint op)
{
  LsRulePart part = { kind, title, capture, op };
  g_array_append_val (p->parts, part);
  return p->parts->len - 1;
}

/* "MUL", "ADD|SUB", "any of 12 ops". */
static char *
ops_title (const Pat *pat, guint *only)
{
  GString *t = g_string_new (NULL);
  guint n = 0;
  *only = LS_N_OPS;
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_ops_has (pat->ops, op)) {
      if (n++ < 2)
        g_string_append_printf (t, "%s%s", n > 1 ? "|" : "", ls_op_name (op));
      *only = n == 1 ? op : LS_N_OPS;
    }
  if (n > 2)
    g_string_printf (t, "one of %u ops", n);
  return g_string_free (t, FALSE);
}

/* A constant that is computed when the result is built: "a + b". */
static void
fold_text (const Rule *rule, const Pat *pat, GString *out, gboolean inner)
{
  if (pat->slot >= 0) {
    g_string_append (out, rule->slot_names[(int) pat->slot]);
  } else if (pat->kind == PAT_LITERAL) {
    g_string_append_printf (out, pat->literal_float ? "%g" : "%.0f", pat->literal_float ? pat->literal_f : (double) pat->literal_i);
  } else {
    guint only;
    g_autofree char *name = ops_title (pat, &only);
    const char *sign = only < LS_N_OPS ? ls_op_info (only)->symbol : NULL;
    gboolean infix = sign && *sign && pat->n_src == 2;
    g_string_append (out, infix ? inner ? "(" : "" : name);
    if (!infix)
      g_string_append_c (out, '(');
    for (guint i = 0; i < pat->n_src; i++) {
      if (i > 0)
        g_string_append (out, infix ? sign : ", ");
      fold_text (rule, pat->src[i], out, infix);
    }
    if (!infix || inner)
      g_string_append_c (out, ')');
  }
}

static guint32
draw (Drawing *d, const Pat *pat, guint depth)
{
  const char *capture = pat->slot >= 0 ? d->rule->slot_names[(int) pat->slot] : NULL;
  guint32 at;
  guint only;
  if (capture && d->slot_part[(int) pat->slot])
    return d->slot_part[(int) pat->slot] - 1;
  if (depth > 16)
    return add_part (d->out, LS_PART_ANY, g_strdup ("…"), NULL, LS_N_OPS);
  switch (pat->kind) {
  case PAT_ANY: at = add_part (d->out, LS_PART_ANY, g_strdup (capture ? "" : "*"), capture, LS_N_OPS); break;
  case PAT_CONST: at = add_part (d->out, LS_PART_CONST, g_strdup (""), capture, LS_OP_CONST); break;
  case PAT_LITERAL: {
    GString *t = g_string_new (NULL);
    fold_text (d->rule, pat, t, FALSE);
    at = add_part (d->out, LS_PART_VALUE, g_string_free (t, FALSE), NULL, LS_OP_CONST);
    break;
  }
  default:
    if (pat->fold) {
      GString *t = g_string_new (NULL);
      fold_text (d->rule, pat, t, FALSE);
      at = add_part (d->out, LS_PART_VALUE, g_string_free (t, FALSE), NULL, LS_OP_CONST);
      break;
    }
    guint32 src[LS_MAX_SLOTS + 1], n = 0;
    for (guint i = 0; i < pat->n_src && n < LS_MAX_SLOTS; i++)
      src[n++] = draw (d, pat->src[i], depth + 1);
    if (pat->rest)
      src[n++] = add_part (d->out, LS_PART_ANY, g_strdup ("*"), NULL, LS_N_OPS);
    char *title = ops_title (pat, &only);
    at = add_part (d->out, LS_PART_OP, title, capture, only);
    for (guint i = 0; i < n; i++) {
      LsRuleArc arc = { src[i], at };
      g_array_append_val (d->out->arcs, arc);
    }
  }
  if (capture)
    d->slot_part[(int) pat->slot] = at + 1;
  return at;
}

static char *
builder_name (const Rule *rule)
{
  const char *p = strstr (rule->pub.text, "-> build ");
  p = p ? p + strlen ("-> build ") : "";
  return g_strndup (p, strspn (p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
}

LsRulePicture *
ls_rule_picture (LsRuleLibrary *library, guint index, gboolean result)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  Drawing d = { picture_new (), rule, { 0 } };
  if (!result || rule->result) {
    draw (&d, result ? rule->result : rule->pattern, 0);
    return d.out;
  }
  guint32 src[LS_MAX_SLOTS], n = 0;
  for (guint i = 0; i < rule->n_args; i++)
    if (rule->args[i] >= 0)
      src[n++] = add_part (d.out, LS_PART_ANY, g_strdup (""), rule->slot_names[(int) rule->args[i]], LS_N_OPS);
  guint32 at = add_part (d.out, LS_PART_BUILDER, builder_name (rule), NULL, LS_N_OPS);
  for (guint i = 0; i < n; i++) {
    LsRuleArc arc = { src[i], at };
    g_array_append_val (d.out->arcs, arc);
  }
  return d.out;
}

/* --- a real node --- */

static guint32
draw_node (LsRulePicture *p, LsUOp *u, const LsBinding *bindings, guint n, guint depth, GHashTable *seen)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (seen, u));
  if (known)
    return known - 1;
  const char *capture = NULL;
  for (guint i = 0; i < n && !capture; i++)
    if (bindings[i].node == u)
      capture = bindings[i].name;
  guint32 at;
  LsArg v;
  if (ls_uop_const_value (u, &v)) {
    at = add_part (p, LS_PART_VALUE, capture ? g_strdup ("") : ls_arg_print (v), capture, u->op);
  } else if (capture) {
    at = add_part (p, LS_PART_ANY, g_strdup (""), capture, u->op);
  } else {
    guint32 src[4], n_src = 0;
    for (guint i = 0; i < MIN (u->n_src, 4) && depth > 0 && p->parts->len < 9; i++)
      src[n_src++] = u->n_src > 4 && i == 3 ? add_part (p, LS_PART_ANY, g_strdup_printf ("+%u", u->n_src - 3), NULL, LS_N_OPS)
                                            : draw_node (p, u->src[i], bindings, n, depth - 1, seen);
    at = add_part (p, LS_PART_OP, g_strdup (ls_op_name (u->op)), NULL, u->op);
    for (guint i = 0; i < n_src; i++) {
      LsRuleArc arc = { src[i], at };
      g_array_append_val (p->arcs, arc);
    }
  }
  g_hash_table_insert (seen, u, GUINT_TO_POINTER (at + 1));
  return at;
}

LsRulePicture *
ls_rule_picture_of (LsUOp *node, const LsBinding *bindings, guint n, guint depth)
{
  LsRulePicture *p = picture_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  draw_node (p, node, bindings, n, depth, seen);
  return p;
}

/* --- guards --- */

static void
clear_guard (gpointer data)
{
  g_free (((LsGuardValue *) data)->text);
  g_free (((LsGuardValue *) data)->saw);
}

GArray *
ls_rule_guards (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node, gpointer user, gboolean ask_calls)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  LsUOp *slots[LS_MAX_SLOTS] = { 0 };
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsGuardValue));
  g_array_set_clear_func (out, clear_guard);
  gboolean matches = ls_rule_match_pattern (rule, node, slots);
  for (guint i = 0; i < rule->n_conds; i++) {
    const Cond *c = &rule->conds[i];
    LsGuardValue v = { g_strdup (c->text ? c->text : c->guard_name), NULL, LS_GUARD_UNKNOWN };
    if (matches) {
      v.saw = ls_cond_values (rule, c, node, slots);
      if (c->kind != COND_CALL || ask_calls)
        v.holds = ls_cond_holds (c, ctx, node, slots, user) ? LS_GUARD_HOLDS : LS_GUARD_FAILS;
    }
    g_array_append_val (out, v);
  }
  return out;
}
