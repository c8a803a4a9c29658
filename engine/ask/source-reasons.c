/* Explains the source: why a value has a variable or is inlined, and where its constants come from. */
#include "ask.h"
#include "ir/names.h"
#include "ir/short.h"

#include <string.h>

#define MAX_CONSTANTS 8      /* of one line that are explained, and parts of each */

/* The name that a line of the source gives a value: the text before " = ". Free with g_free. */
static char *
name_at (const char *source, guint line)
{
  for (; source && line > 1; line--)
    source = strchr (source, '\n') ? strchr (source, '\n') + 1 : NULL;
  const char *end = source ? g_strstr_len (source, (gssize) strcspn (source, "\n"), " = ") : NULL, *begin = end;
  while (begin && begin > source && (g_ascii_isalnum (begin[-1]) || begin[-1] == '_'))
    begin--;
  return begin && begin < end ? g_strndup (begin, (gsize) (end - begin)) : NULL;
}

/* The counter of the innermost loop that the node depends on, or NULL. */
static char *
innermost_loop (LsTrace *trace, const LsKernel *k, LsUOp *node)
{
  g_autoptr (GPtrArray) below = ls_uop_toposort (trace->ctx, node);
  for (guint i = k->exprs->len; i-- > 0;) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    LsUOp *u = ls_context_node (trace->ctx, e->node);
    if (u && u->op == LS_OP_RANGE && e->assigned && g_ptr_array_find (below, u, NULL))
      return ls_label_of_loop (ls_trace_names (trace, k->number), u);
  }
  return NULL;
}

static char *
expression_reason (LsTrace *trace, const LsKernel *k, guint32 node)
{
  const LsExpr *e = NULL;
  for (guint i = 0; i < k->exprs->len && !e; i++)
    if (g_array_index (k->exprs, LsExpr, i).node == node)
      e = &g_array_index (k->exprs, LsExpr, i);
  LsUOp *u = e ? ls_context_node (trace->ctx, node) : NULL;
  if (!u || !e->why || !e->expr || u->op == LS_OP_STORE || u->op == LS_OP_ENDRANGE)
    return NULL;
  if (!e->assigned) {
    g_autofree char *expr = ls_short_text (e->expr, 60);
    return g_strdup_printf ("%s is written where it is used: %s", expr, e->why);
  }
  g_autofree char *name = name_at (k->source, e->line);
  g_autofree char *counter = ls_has_loop_name (u) ? ls_label_of_loop (ls_trace_names (trace, k->number), u) : NULL;
  if (counter || !name || u->op == LS_OP_DEFINE_GLOBAL)
    return g_strdup_printf (g_str_equal (e->why, "buffer") ? "%s is a buffer" :
                            g_str_equal (e->why, "loop counter") ? "%s is a loop counter" : "%s is declared as a %s",
                            counter ? counter : e->expr, e->why);
  if (u->op == LS_OP_LOAD)
    return g_strdup_printf ("%s is a variable because memory is read once, for all uses", name);
  if (!ls_op_is_alu (u->op) && u->op != LS_OP_CAST && u->op != LS_OP_BITCAST)
    return g_strdup_printf ("%s is a variable: %s", name, e->why);
  g_autofree char *loop = innermost_loop (trace, k, u);
  g_autofree char *place = loop ? g_strdup_printf ("it depends on %s, so it is in that loop", loop)
                                : g_strdup ("it depends on no loop, so it is before all loops");
  return g_strdup_printf (g_str_has_prefix (e->why, "used ") ? "%s is a variable because it is %s; %s" : "%s is a variable: %s; %s", name,
                          e->why, place);
}

/* --- constants --- */

static gboolean
int_of (LsTrace *trace, guint32 node, gint64 *value)
{
  LsUOp *u = ls_context_node (trace->ctx, node);
  if (!u || u->op != LS_OP_CONST || u->arg.kind != LS_ARG_INT)
    return FALSE;
  *value = u->arg.i;
  return TRUE;
}

/* Do two constants make the third? Then the sign between them. */
static const char *
sign_between (gint64 a, gint64 b, gint64 made)
{
  gint64 out;
  if (!__builtin_mul_overflow (a, b, &out) && out == made)
    return "×";
  return !__builtin_add_overflow (a, b, &out) && out == made ? "+" : NULL;
}

/* The origin of a constant that a step made: the constants that it replaced, or an option. */
typedef struct { gint64 parts[2]; guint n_parts; const char *sign; char *option; const LsPass *pass; const LsOrigin *origin; } Making;

/* The latest step that made a constant of that value out of others, looked for from origin *at on, which is set to the one after it. */
static gboolean
find_making (LsTrace *trace, const GArray *origins, gint64 value, guint *at, Making *out)
{
  for (guint i = *at; i < origins->len; i++) {
    const LsOrigin *o = &g_array_index (origins, LsOrigin, i);
    const LsPass *pass = o->pass < trace->passes->len ? trace->passes->pdata[o->pass] : NULL;
    gint64 made, part;
    *out = (Making) { .pass = pass, .origin = o };
    if (!pass || pass->kind != LS_PASS_REWRITE || !int_of (trace, o->made, &made) || made != value)
      continue;
    gboolean stays = FALSE;
    for (guint k = i; k < origins->len; k++) {
      const LsOrigin *same = &g_array_index (origins, LsOrigin, k);
      if (same->pass != o->pass || same->step != o->step || same->made != o->made || !int_of (trace, same->node, &part))
        continue;
      stays |= part == value;      /* only its dtype changed, or it was there */
      if (out->n_parts < 2)
        out->parts[out->n_parts++] = part;
    }
    *at = i + 1;
    if (stays)
      continue;
    if ((out->option = ls_pass_option (trace, pass)))
      return TRUE;
    out->sign = out->n_parts == 2 ? sign_between (out->parts[0], out->parts[1], value) : NULL;
    if (out->sign)
      return TRUE;
  }
  return FALSE;
}

static const char *
rule_name (LsTrace *trace, gint rule)
{
  return rule >= 0 && (guint) rule < trace->rules->len ? ((const LsTraceRule *) trace->rules->pdata[rule])->name : "an unknown rule";
}

/* A constant is one node, whichever option it came from: other options with the same amount are possible as well. */
static void
add_other_options (LsTrace *trace, guint kernel, const char *option, gint64 amount, GString *out)
{
  const LsKernel *k = kernel ? ls_trace_kernel (trace, kernel) : NULL;
  g_autofree char *end = g_strdup_printf (":%" G_GINT64_FORMAT, amount);
  for (guint i = 0; k && i < k->choices->len; i++) {
    const LsKernelOption *o = &g_array_index (k->choices, LsKernelOption, i);
    if (!o->refusal && g_str_has_suffix (o->text, end) && !g_str_equal (o->text, option))
      g_string_append_printf (out, "\nor of the option %s, which has the same amount", o->text);
  }
}

/* Appends the origin of the value, and in turn the origin of its parts. */
static void
explain_constant (LsTrace *trace, const LsBlame *b, gint64 value, GString *out)
{
  struct { gint64 value; guint at; } open[MAX_CONSTANTS] = { { value, 0 } };
  for (guint i = 0, n = 1; i < n; i++) {
    Making making;
    guint at = open[i].at;
    if (find_making (trace, b->origins, open[i].value, &at, &making)) {
      g_string_append (out, i ? "\n" : "");
      if (making.option)
        g_string_append_printf (out, "%" G_GINT64_FORMAT " is of the option %s", open[i].value, making.option);
      else
        g_string_append_printf (out, "%" G_GINT64_FORMAT " = %" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT, open[i].value, making.parts[0],
                                making.sign, making.parts[1]);
      g_string_append_printf (out, " (%s, %s/%u)", rule_name (trace, making.origin->rule), making.pass->name, making.origin->step);
      if (making.option)
        add_other_options (trace, b->kernel, making.option, open[i].value, out);
      for (guint k = 0; !making.option && k < making.n_parts && n < MAX_CONSTANTS; k++)
        open[n].value = making.parts[k], open[n++].at = at;
      g_free (making.option);
    } else if (i && b->lines->len == 1)
      g_string_append_printf (out, "\n%" G_GINT64_FORMAT " is of line %u of the program", open[i].value,
                              g_array_index (b->lines, guint, 0));
  }
}

/* The origin of the node's constant; NULL if no step made it from others. */
static char *
constant_reason (LsTrace *trace, const LsKernel *k, guint32 node)
{
  gint64 value;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LsBlame) b = int_of (trace, node, &value) && value != 0 ? ls_blame_node (trace, k->number, node, NULL) : NULL;
  if (b)
    explain_constant (trace, b, value, out);
  return out->len ? g_strdup (out->str) : NULL;
}

/* A value that its user writes more than once: the reason of that guard, which the renderer wrote after "; " ("used once; by zero it
 * gives 0, …"). NULL: no user does. */
static char *
guard_reason (LsTrace *trace, const LsKernel *k, guint32 node)
{
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    const char *guard = e->why && e->expr ? strstr (e->why, "; ") : NULL;
    LsUOp *user = guard ? ls_context_node (trace->ctx, e->node) : NULL;
    for (guint s = 0; user && s < user->n_src; s++)
      if (user->src[s]->id == node)
        return g_strdup_printf ("%s is guarded: %s", e->expr, guard + strlen ("; "));
  }
  return NULL;
}

static void
add_reason (GString *all, char *reason)
{
  if (reason && !strstr (all->str, reason))
    g_string_append_printf (all, "%s%s", all->len ? "\n" : "", reason);
  g_free (reason);
}

char *
ls_blame_reason (LsTrace *trace, const LsBlame *b)
{
  const LsKernel *k = b->kernel ? ls_trace_kernel (trace, b->kernel) : NULL;
  g_autoptr (GString) all = g_string_new (NULL), made = g_string_new (NULL);
  guint told = 0;
  for (guint i = 0; k && i < b->nodes->len; i++) {
    const LsUOp *u = ls_context_node (trace->ctx, g_array_index (b->nodes, LsBlameNode, i).node);
    for (guint s = 0; u && s <= u->n_src && told < MAX_CONSTANTS; s++) {
      char *reason = constant_reason (trace, k, s ? u->src[s - 1]->id : u->id);
      told += reason != NULL;
      add_reason (made, reason);
    }
  }
  for (guint i = 0; k && i < b->nodes->len; i++) {
    char *reason = expression_reason (trace, k, g_array_index (b->nodes, LsBlameNode, i).node);
    gboolean plain = reason && (g_str_has_suffix (reason, ": constant") || g_str_has_suffix (reason, ": used once"));
    if (plain && (b->nodes->len > 1 || made->len))      /* adds no information if there are others */
      g_clear_pointer (&reason, g_free);
    add_reason (all, reason);
  }
  if (k && b->nodes->len == 1)
    add_reason (all, guard_reason (trace, k, g_array_index (b->nodes, LsBlameNode, 0).node));
  if (made->len)
    add_reason (all, g_strdup (made->str));
  return all->len ? g_strdup (all->str) : NULL;
}
