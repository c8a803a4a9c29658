/* A rule as something to look at: pattern and result as small graphs, and its guards with the values they saw.
 *
 * A name that occurs twice in a pattern is one node with two edges to it, as in the graph that it matches.
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

static void
write_list (GString *s, const Rule *rule, guint n, Pat *const *parts)
{
  for (guint i = 0; i < n; i++) {
    g_string_append (s, i ? ", " : "");
    ls_pat_write (s, rule, parts[i]);
  }
}

void
ls_pat_write (GString *s, const Rule *rule, const Pat *pat)
{
  const char *bound = pat->slot >= 0 ? rule->slot_names[(int) pat->slot] : NULL;
  switch (pat->kind) {
  case PAT_ANY: case PAT_SEQ: case PAT_CONST: case PAT_SLOT: case PAT_ELEMENT: case PAT_NAME:
    g_string_append_printf (s, "%s%s%s", pat->kind == PAT_CONST || pat->value == LS_TERM_CONST ? "$" : "",
                            bound && *bound ? bound : pat->name ? pat->name : "",
                            pat->kind == PAT_SEQ ? "*" : "");
    break;
  case PAT_SELF: g_string_append (s, "self"); break;
  case PAT_NONE: g_string_append_c (s, '_'); break;
  case PAT_LITERAL:
    if (pat->literal_float)
      g_string_append_printf (s, "%g", pat->literal_f);
    else
      g_string_append_printf (s, "%" G_GINT64_FORMAT, pat->literal_i);
    break;
  case PAT_OPNAME: g_string_append (s, ls_op_name (pat->op)); break;
  case PAT_EACH:
    ls_pat_write (s, rule, pat->src[0]);
    g_string_append_c (s, '*');
    break;
  case PAT_FOR:
    ls_pat_write (s, rule, pat->src[0]);
    g_string_append_printf (s, " for %s in ", pat->name);
    ls_pat_write (s, rule, pat->src[1]);
    break;
  default: {
    guint only = LS_N_OPS;
    g_autofree char *title = pat->kind == PAT_OP ? ops_title (pat, &only) : g_strdup (pat->name ? pat->name : "?");
    const char *sign = only < LS_N_OPS && pat->n_src == 2 ? ls_op_info (only)->symbol : "";
    if (*sign && !g_ascii_isalpha (*sign)) {
      g_string_append_c (s, '(');
      ls_pat_write (s, rule, pat->src[0]);
      g_string_append_printf (s, " %s ", *sign == '%' ? "%" : sign);
      ls_pat_write (s, rule, pat->src[1]);
      g_string_append_c (s, ')');
      break;
    }
    g_string_append (s, title);
    if (pat->has_args) {
      g_string_append_c (s, '[');
      write_list (s, rule, pat->n_args, pat->args);
      g_string_append_c (s, ']');
    }
    g_string_append_c (s, '(');
    write_list (s, rule, pat->n_src, pat->src);
    g_string_append_c (s, ')');
  }
  }
  if (pat->dtype) {
    g_string_append_c (s, ':');
    ls_pat_write (s, rule, pat->dtype);
  }
}

static guint32
add_written (Drawing *d, const Pat *pat, LsRulePartKind kind, guint op)
{
  GString *t = g_string_new (NULL);
  ls_pat_write (t, d->rule, pat);
  gboolean wrapped = t->len > 1 && t->str[0] == '(' && pat->kind == PAT_OP;
  char *title = wrapped ? g_strndup (t->str + 1, t->len - 2) : g_strdup (t->str);
  g_string_free (t, TRUE);
  return add_part (d->out, kind, title, NULL, op);
}

static guint32
draw (Drawing *d, const Pat *pat, guint depth)
{
  int slot = pat->slot;
  guint32 at;
  guint only;
  /* the right side of a rule of another program was not looked up */
  for (guint i = 0; pat->kind == PAT_NAME && slot < 0 && i < d->rule->n_pattern_slots; i++)
    if (strcmp (d->rule->slot_names[i], pat->name + (*pat->name == '$')) == 0)
      slot = (int) i;
  if (pat->kind == PAT_SAME || pat->kind == PAT_ELEMENT || pat->kind == PAT_FOR || (slot >= 0 && d->rule->slot_kinds[slot] > LS_TERM_CONST))
    slot = -1;
  const char *capture = slot >= 0 ? d->rule->slot_names[slot] : NULL;
  if (capture && d->slot_part[slot])
    return d->slot_part[slot] - 1;
  if (depth > 16)
    return add_part (d->out, LS_PART_ANY, g_strdup ("…"), NULL, LS_N_OPS);
  if (capture && pat->kind != PAT_OP) {
    gboolean constant = d->rule->slot_kinds[slot] == LS_TERM_CONST;
    at = add_part (d->out, constant ? LS_PART_CONST : LS_PART_ANY, g_strdup (""), capture, constant ? LS_OP_CONST : LS_N_OPS);
  } else if (pat->kind == PAT_LITERAL || pat->fold || pat->value == LS_TERM_NUM) {
    at = add_written (d, pat, LS_PART_VALUE, LS_OP_CONST);
  } else if (pat->kind == PAT_CALL) {
    at = add_part (d->out, LS_PART_BUILDER, g_strdup (pat->name), NULL, LS_N_OPS);
  } else if (pat->kind != PAT_OP && pat->kind != PAT_SAME) {
    at = add_written (d, pat, LS_PART_ANY, LS_N_OPS);
    LsRulePart *part = &g_array_index (d->out->parts, LsRulePart, at);
    if (!*part->title) {
      g_free (part->title);
      part->title = g_strdup ("*");
    }
    return at;
  } else {
    guint32 src[LS_MAX_SLOTS], n = 0;
    for (guint i = 0; i < pat->n_src && n < LS_MAX_SLOTS; i++)
      src[n++] = draw (d, pat->src[i], depth + 1);
    GString *title = g_string_new (NULL);
    g_autofree char *ops = pat->kind == PAT_OP ? ops_title (pat, &only) : NULL;
    g_string_append (title, ops ? ops : pat->name);
    if (pat->has_args) {
      g_string_append_c (title, '[');
      write_list (title, d->rule, pat->n_args, pat->args);
      g_string_append_c (title, ']');
    }
    at = add_part (d->out, LS_PART_OP, g_string_free (title, FALSE), capture, ops ? only : LS_N_OPS);
    for (guint i = 0; i < n; i++) {
      LsRuleArc arc = { src[i], at };
      g_array_append_val (d->out->arcs, arc);
    }
  }
  if (capture)
    d->slot_part[slot] = at + 1;
  return at;
}

LsRulePicture *
ls_rule_picture (LsRuleLibrary *library, guint index, gboolean result)
{
  g_return_val_if_fail (index < library->rules->len, NULL);
  const Rule *rule = library->rules->pdata[index];
  Drawing d = { picture_new (), rule, { 0 } };
  const Pat *side = result ? rule->results[0] : rule->pattern;
  guint32 src[LS_MAX_SLOTS], n = 0;
  if (result && rule->gradient) {
    for (guint i = 0; i < MIN (rule->n_results, LS_MAX_SLOTS); i++)
      src[n++] = rule->results[i]->kind == PAT_NONE ? add_part (d.out, LS_PART_ANY, g_strdup ("_"), NULL, LS_N_OPS)
                                                    : draw (&d, rule->results[i], 1);
    guint32 all = add_part (d.out, LS_PART_OP, g_strdup ("GRADIENT"), NULL, LS_OP_GRADIENT);
    for (guint i = 0; i < n; i++) {
      LsRuleArc arc = { src[i], all };
      g_array_append_val (d.out->arcs, arc);
    }
    return d.out;
  }
  if (!result || !rule->pub.builder) {
    draw (&d, side, 0);
    return d.out;
  }
  /* a builder's result depends on the names that it gets */
  for (guint i = 0; i < side->n_src && n < LS_MAX_SLOTS; i++)
    if (side->src[i]->kind != PAT_SELF)
      src[n++] = draw (&d, side->src[i], 1);
  guint32 at = add_part (d.out, LS_PART_BUILDER, g_strdup (rule->pub.builder), NULL, LS_N_OPS);
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
    if (bindings[i].node == u && u)
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
