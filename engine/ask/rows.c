/* Rows of a kernel's listing by their one number. */
#include "ask.h"

#include <string.h>

GPtrArray *
ls_kernel_list (LsTrace *trace, const LsKernel *k)
{
  GPtrArray *list = g_ptr_array_sized_new (k ? k->listing->len : 0);
  for (guint i = 0; k && i < k->listing->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (k->listing, guint32, i));
    if (u)
      g_ptr_array_add (list, u);
  }
  return list;
}

LsStyle
ls_trace_style (LsTrace *trace)
{
  for (guint i = 0; i < trace->settings->len; i++)
    if (g_str_equal (trace->settings->pdata[i], "CLASSIC=1"))
      return LS_STYLE_CLASSIC;
  return LS_STYLE_MODERN;
}

guint32
ls_row_node (LsTrace *trace, const LsKernel *k, LsStyle style, guint64 number)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (trace, k);
  g_autoptr (GArray) rows = ls_listing_rows (trace->ctx, list->len, (LsUOp *const *) list->pdata, style);
  return number < rows->len ? g_array_index (rows, LsListingRow, number).node : LS_NO_NODE;
}

GHashTable *
ls_kernel_rows (LsTrace *trace, const LsKernel *k, LsStyle style)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (trace, k);
  return ls_listing_numbers (trace->ctx, list->len, (LsUOp *const *) list->pdata, style);
}

gint
ls_row_number (GHashTable *rows, guint32 node)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (rows, GUINT_TO_POINTER (node + 1))) - 1;
}

/* The name that a line of the source gives a value: what stands before " = ". Free with g_free. */
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
static const char *
innermost_loop (LsTrace *trace, const LsKernel *k, LsUOp *node)
{
  g_autoptr (GPtrArray) below = ls_uop_toposort (trace->ctx, node);
  for (guint i = k->exprs->len; i-- > 0;) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    LsUOp *u = ls_context_node (trace->ctx, e->node);
    if (u && u->op == LS_OP_RANGE && e->assigned && g_ptr_array_find (below, u, NULL))
      return e->expr;
  }
  return NULL;
}

char *
ls_expression_reason (LsTrace *trace, const LsKernel *k, guint32 node)
{
  const LsExpr *e = NULL;
  for (guint i = 0; i < k->exprs->len && !e; i++)
    if (g_array_index (k->exprs, LsExpr, i).node == node)
      e = &g_array_index (k->exprs, LsExpr, i);
  LsUOp *u = e ? ls_context_node (trace->ctx, node) : NULL;
  if (!u || !e->why || !e->expr || u->op == LS_OP_STORE || u->op == LS_OP_ENDRANGE)
    return NULL;
  if (!e->assigned)
    return g_strdup_printf ("%s is written where it is used: %s", e->expr, e->why);
  g_autofree char *name = name_at (k->source, e->line);
  if (!name || u->op == LS_OP_RANGE || u->op == LS_OP_DEFINE_GLOBAL)
    return g_strdup_printf ("%s is a %s", e->expr, e->why);
  if (u->op == LS_OP_LOAD)
    return g_strdup_printf ("%s is a variable because memory is read once, for all uses", name);
  if (!ls_op_is_alu (u->op) && u->op != LS_OP_CAST && u->op != LS_OP_BITCAST)
    return g_strdup_printf ("%s is a variable: %s", name, e->why);
  const char *loop = innermost_loop (trace, k, u);
  g_autofree char *place = loop ? g_strdup_printf ("it depends on %s, and stands in that loop", loop) : g_strdup ("it depends on no loop, and stands before them");
  return g_strdup_printf (g_str_has_prefix (e->why, "used ") ? "%s is a variable because it is %s; %s" : "%s is a variable: %s; %s", name, e->why, place);
}
